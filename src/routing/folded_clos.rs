//! Routes of large folded Clos networks, computed one by one instead of held in a table.
//!
//! # Scope and limitations
//! For k-ary n-trees, leaf-spine networks, pink and others that are as regular: switches stand in rows by their
//! distance from the nearest host, cables join neighbouring rows only, what a switch reaches downwards is a run of
//! leaves, in equal parts by its downward cables, and all upper neighbours of a switch reach the same leaves. Such a
//! network is recognised by its cables, not by its name; any other is refused, a decayed one included.
//!
//! A route climbs, by any upward cable at each switch, until the destination's leaf lies below, then descends: every
//! such route is a shortest one and every shortest one is such a route. They are UP*/DOWN* routes whose roots are the
//! switches of the highest row, and so free of deadlock.
//!
//! ```text
//!        row 2    o   o   o   o        climb by any cable ...
//!                 |\ /|   |\ /|
//!        row 1    o   o   o   o        ... until the leaf is below, then only one part leads down to it
//!                 |\ /|   |\ /|
//!        row 0    o   o   o   o        leaves, with the hosts
//! ```
//!
//! # Source
//! Petrini and Vanneschi 1997 (k-ary n-trees), for the claim about shortest routes. Which cables are taken is decided by a
//! hash of (seed, source, destination): the finaliser of SplitMix64 (Steele, Lea and Flood 2014), twice, whose digits
//! in mixed radix are the choices from the source on.
//!
//! # Validation
//! tests/it/folded_clos.rs: every route legal and as long as a search says, choices uniform, on trees and on pink.

use thiserror::Error;

use crate::ids::{HostId, Port, SwitchId, Turn};

use super::graph::{Attachments, SwitchGraph, UNREACHED};
use super::table::Routes;

/// Computes the routes of a regular folded Clos network.
#[derive(Clone, Debug)]
pub struct FoldedClos {
    seed: u64,
    switches: Vec<Place>,
    steps: Vec<Step>,
    /// Per host its switch and the port there.
    hosts: Vec<Option<(SwitchId, Port)>>,
    tops: Vec<SwitchId>,
}

/// Where a switch stands. All counts are of leaves or of cables.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// The leaves below it, or itself if it is one: `low..high`.
    low: u32,
    high: u32,
    /// How many leaves are below each of its lower neighbours.
    part: u32,
    /// How many cables lead to each part.
    cables: u32,
    /// Where its downward cables begin in `steps`, by part; the upward ones follow.
    down: u32,
    up: u32,
    ups: u32,
}

/// A cable to take.
#[derive(Clone, Copy, Debug)]
struct Step {
    port: Port,
    input: Port,
    to: SwitchId,
}

/// Why a network is no regular folded Clos.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("not a regular folded Clos network: {0}")]
pub struct NotFoldedClos(&'static str);

impl FoldedClos {
    /// Recognises the network and prepares for its routes. Costs O(switches + links) but for sorting.
    ///
    /// # Errors
    /// [`NotFoldedClos`] with the first rule of the module's list that the network breaks.
    pub fn new(
        graph: &SwitchGraph,
        attachments: &Attachments,
        seed: u64,
    ) -> Result<FoldedClos, NotFoldedClos> {
        let hosts: Vec<_> = (0..attachments.hosts()).map(|h| attachments.switch(HostId::new(h))).collect();
        let with_hosts = hosts.iter().flatten().map(|(switch, _)| *switch);
        let rows = graph.distances(with_hosts);
        let mut clos = FoldedClos {
            seed: mix(seed),
            switches: vec![Place::default(); graph.switches()],
            steps: Vec::with_capacity(graph.outputs().len()),
            hosts,
            tops: Vec::new(),
        };
        let mut by_row: Vec<SwitchId> = graph.switch_ids().collect();
        by_row.sort_by_key(|s| (rows[s.index()], *s));
        let leaves = by_row.iter().take_while(|s| rows[s.index()] == 0).count();
        let leaves = position(leaves);
        for (number, switch) in (0..).zip(&by_row) {
            clos.place(graph, &rows, *switch, (number < leaves).then_some(number))?;
        }
        let whole =
            |s: &SwitchId| (clos.switches[s.index()].low, clos.switches[s.index()].high) == (0, leaves);
        if !clos.tops.iter().all(whole) {
            return Err(NotFoldedClos("a switch without upward cables does not reach every leaf"));
        }
        clos.check_climbs(graph)?;
        Ok(clos)
    }

    /// Places one switch, all those in lower rows being placed.
    fn place(
        &mut self,
        graph: &SwitchGraph,
        rows: &[u32],
        switch: SwitchId,
        leaf: Option<u32>,
    ) -> Result<(), NotFoldedClos> {
        let row = rows[switch.index()];
        let (mut down, mut up) = (Vec::new(), Vec::new());
        for output in graph.of(switch) {
            let step = Step { port: output.port, input: output.input, to: output.to };
            match rows[output.to.index()] {
                below if below.checked_add(1) == Some(row) => down.push(step),
                above if row.checked_add(1) == Some(above) => up.push(step),
                _ => return Err(NotFoldedClos("a cable joins two switches of one row")),
            }
        }
        if row == UNREACHED {
            return Err(NotFoldedClos("a switch is not connected with any host"));
        }
        let range = |step: &Step| (self.switches[step.to.index()].low, self.switches[step.to.index()].high);
        down.sort_by_key(|step| (range(step), step.port));
        let start = position(self.steps.len());
        let mut place = Place {
            down: start,
            up: start + position(down.len()),
            ups: position(up.len()),
            ..Place::default()
        };
        if let Some(leaf) = leaf {
            (place.low, place.high) = (leaf, leaf + 1);
        } else {
            let parts: Vec<_> = down.chunk_by(|a, b| range(a) == range(b)).collect();
            let first = range(&parts[0][0]);
            place.low = first.0;
            place.part = first.1 - first.0;
            place.cables = position(parts[0].len());
            place.high = first.0;
            for part in parts {
                if range(&part[0]) != (place.high, place.high + place.part) {
                    return Err(NotFoldedClos("the leaves below a switch are not a run of equal parts"));
                }
                if position(part.len()) != place.cables {
                    return Err(NotFoldedClos("parts below a switch have different numbers of cables"));
                }
                place.high += place.part;
            }
        }
        if up.is_empty() {
            self.tops.push(switch);
        }
        self.switches[switch.index()] = place;
        self.steps.extend(down.into_iter().chain(up));
        Ok(())
    }

    /// Whether it does not matter by which cable a worm climbs.
    fn check_climbs(&self, graph: &SwitchGraph) -> Result<(), NotFoldedClos> {
        for place in graph.switch_ids().map(|s| self.switches[s.index()]) {
            let above = &self.steps[place.up as usize..(place.up + place.ups) as usize];
            let range =
                |step: &Step| (self.switches[step.to.index()].low, self.switches[step.to.index()].high);
            if above.windows(2).any(|two| range(&two[0]) != range(&two[1])) {
                return Err(NotFoldedClos("the upper neighbours of a switch reach different leaves"));
            }
        }
        Ok(())
    }

    /// The switches of the highest row: the roots of the directions that all routes obey.
    pub fn tops(&self) -> &[SwitchId] {
        &self.tops
    }
}

impl Routes for FoldedClos {
    fn route(&self, source: HostId, destination: HostId, turns: &mut Vec<Turn>) -> bool {
        let ends = self.hosts[source.index()].zip(self.hosts[destination.index()]);
        let Some(((mut at, mut input), (end, last))) = ends.filter(|_| source != destination) else {
            return false;
        };
        let leaf = self.switches[end.index()].low;
        let mut digits = mix(self.seed ^ (u64::from(source.0) << 32 | u64::from(destination.0)));
        // Draws the next digit, below `radix`: the whole part of the fraction times the radix.
        let mut draw = |radix: u32| {
            let wide = u128::from(digits) * u128::from(radix);
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the lower half is the fraction that is left"
            )]
            {
                digits = wide as u64;
                (wide >> 64) as u32
            }
        };
        loop {
            let place = &self.switches[at.index()];
            let step = if leaf < place.low || leaf >= place.high {
                place.up + draw(place.ups)
            } else if at != end {
                let nth = (leaf - place.low) / place.part * place.cables;
                place.down + nth + if place.cables > 1 { draw(place.cables) } else { 0 }
            } else {
                turns.push(input.turn_to(last));
                return true;
            };
            let step = self.steps[step as usize];
            turns.push(input.turn_to(step.port));
            (at, input) = (step.to, step.input);
        }
    }
}

fn position(count: usize) -> u32 {
    u32::try_from(count).expect("fewer than 2^32 switches, and than 2^31 cables")
}

/// The finaliser of SplitMix64.
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::mix;

    /// Wrong if the hash changed, and with it every route: the first numbers of SplitMix64 from seed 0 and 1234567.
    #[test]
    fn the_hash_is_splitmix64() {
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(1_234_567), 6_457_827_717_110_365_317);
    }
}
