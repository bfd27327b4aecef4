//! Two lanes for dimension order on a torus: what crosses a circle's dateline is on the second all along that circle.
//!
//! # Scope and limitations
//! The dateline of a circle is between its last switch and its first. A service level has a bit for each dimension that
//! is a circle: whether the path crosses the dateline there. The lane at an output of that dimension is that bit, so
//! that a path changes its lane only where it turns into another dimension. Circles of three switches need no bit, as
//! no path passes two cables of one. Sixteen service levels have bits for four circles; of more, paths are put on lanes
//! that they keep, as those of any other routing (`lanes.rs`).
//!
//! Neither lane of a circle of k switches has a cycle. On the first, no path takes the cable over the dateline. On the
//! second, every path takes it, and as none is longer than k/2 cables, none of them follow each other on the far side.
//! Between circles, paths turn into later dimensions alone.
//!
//! ```text
//!        dateline
//!   s3 ---- : ---- s0         s3 -> s1 on lane 1 all along; s1 -> s3, or s0 -> s1, on lane 0
//!    |             |
//!   s2 ----------- s1
//! ```
//!
//! # Source
//! Dally and Seitz 1987, section 4: two channels in the place of one break the cycle of a torus. A service level that
//! says what is crossed, and tables that make lanes of its bits: `torus-2QoS` of OpenSM (its manual page), as from
//! memory. Departure: there two of the four bits are for the quality of service.
//!
//! # Validation
//! tests/network/oracle/datelines.rs: lanes by coordinates, cycles sought over (channel, lane), and what is written for
//! OpenSM read back; tests/running/oracle/deadlock_proof.rs: full load with one packet a buffer.

use simnet_base::ids::SwitchId;

use super::next_hops::NextHops;
use crate::routing::dimension_order::DimensionOrder;
use crate::routing::graph::SwitchGraph;

/// The most circles that service levels have bits for.
const MOST_CIRCLES: usize = 4;

/// A bit that no service level has: lane 0.
const NO_BIT: u8 = 7;

/// The fewest switches of a circle in which paths pass one cable after another.
const LEAST: u32 = 4;

/// Gives all paths of the shortest dimension-order `hops` their service levels, and outputs their bits; `false`, with
/// nothing changed, where there is no circle, or more than have bits.
///
/// Costs O(columns x switches that send x length of a path).
pub(super) fn put_on_two_lanes(
    graph: &SwitchGraph,
    order: &DimensionOrder,
    sends: &[u32],
    hops: &mut NextHops,
) -> bool {
    let dimensions = order.dimensions().iter().enumerate();
    let circles = dimensions.filter(|(_, dimension)| dimension.wraps && dimension.size >= LEAST);
    let circles: Vec<usize> = circles.map(|(nth, _)| nth).collect();
    if circles.is_empty() || circles.len() > MOST_CIRCLES {
        return false;
    }
    let bit = |by: usize| {
        let nth = circles.iter().position(|circle| *circle == order.along(by).dimension)?;
        Some(u8::try_from(nth).expect("four circles at most"))
    };
    let bits: Vec<Option<u8>> = (0..graph.outputs().len()).map(bit).collect();
    let level = |column: usize, from: SwitchId| {
        let crossed = hops.way(graph, column, from).filter(|by| order.along(*by).crosses);
        crossed.filter_map(|by| bits[by]).fold(0, |level: u8, bit| level | 1 << bit)
    };
    let sends = |switch: SwitchId| sends[switch.index()] > 0;
    let cells = (0..hops.columns()).flat_map(|column| graph.switch_ids().map(move |from| (column, from)));
    let levels = cells.map(|(column, from)| if sends(from) { level(column, from) } else { 0 }).collect();
    hops.set_levels(levels, bits.iter().map(|bit| bit.unwrap_or(NO_BIT)).collect());
    true
}

#[cfg(test)]
mod tests {
    use super::super::next_hops::sending_ports;
    use super::*;
    use crate::routing::attachments::Attachments;
    use crate::topology::generate;

    /// Wrong if a fifth circle were given a bit that no service level has, or a mesh or circles of three any.
    #[test]
    fn four_circles_have_bits_and_five_have_not() {
        let cases: [(&str, &[u64], bool); 5] = [
            ("torus", &[4, 4, 4, 4, 3], true),
            ("torus", &[4, 4, 4, 4, 4], false),
            ("torus", &[3, 3], false),
            ("torus", &[2, 2, 5], true),
            ("mesh", &[5, 5], false),
        ];
        for (family, sizes, expected) in cases {
            let names = ["x", "y", "z", "u", "v"].into_iter().zip(sizes.iter().copied());
            let network = generate::build(family, &names.collect::<Vec<_>>(), 0).unwrap();
            let graph = SwitchGraph::new(&network);
            let order = DimensionOrder::new(&graph).unwrap();
            let mut hops = NextHops::none(&network, &graph, &Attachments::lowest(&network), 1);
            let sends = sending_ports(&network);
            assert_eq!(put_on_two_lanes(&graph, &order, &sends, &mut hops), expected, "{family} {sizes:?}");
            assert_eq!((hops.changes_lanes(), hops.lanes()), (expected, 1 + u8::from(expected)));
        }
    }
}
