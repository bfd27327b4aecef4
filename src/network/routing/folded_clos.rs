//! Routes of large folded Clos networks, computed one by one instead of held in a table.
//!
//! # Scope and limitations
//! For k-ary n-trees, leaf-spine networks, pink and others that are as regular: switches stand in rows by
//! their distance from the nearest host, cables join neighbouring rows only, what a switch reaches downwards
//! is a run of leaves, in equal parts by its downward cables, and all upper neighbours of a switch reach the
//! same leaves. Such a network is recognised by its cables, not by its name; any other is refused, a decayed
//! one included.
//!
//! A route climbs, by any upward cable at each switch, until the destination's leaf lies below, then
//! descends: every such route is a shortest one, and every shortest one is such a route. They are UP*/DOWN*
//! routes whose roots are the switches of the highest row, and so free of deadlock.
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
//! Petrini and Vanneschi 1997 (k-ary n-trees), for the claim about shortest routes. Which cables are taken is
//! decided by a hash of (seed, source, destination): the finaliser of SplitMix64 (Steele, Lea and Flood
//! 2014), twice, whose digits in mixed radix are the choices from the source on.
//!
//! # Validation
//! tests/network/oracle/folded_clos.rs: every route legal and as long as a search says, choices uniform, on trees and
//! on pink.

use std::cmp::Ordering;

use thiserror::Error;

use simnet_base::des::random::mix;
use simnet_base::ids::{HostId, Port, SwitchId, Turn};

use super::attachments::Attachments;
use super::graph::{SwitchGraph, UNREACHED};
use super::table::Routes;

/// Computes the routes of a regular folded Clos network.
///
/// Takes 8 bytes a cable end (padded to the largest switch) and a byte for each leaf and row.
#[derive(Clone, Debug)]
pub struct FoldedClos {
    seed: u64,
    /// What the switches of each row have in common, lowest row first.
    rows: Vec<Row>,
    /// Per leaf, for every row but the lowest, lowest first: which part of a switch of that row it is below.
    digits: Vec<u16>,
    /// Per switch `stride` cables: downwards by part, then upwards.
    steps: Vec<Step>,
    stride: usize,
    /// Per host its switch, the port there, and the leaf that this switch is.
    hosts: Vec<Option<(SwitchId, Port, u32)>>,
    tops: Vec<SwitchId>,
}

/// What the switches of a row have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    /// How many leaves are below each of them.
    width: u32,
    /// Into how many equal parts, one per lower neighbour or several of them.
    parts: u32,
    /// How many cables lead to each part.
    cables: u32,
    /// How many cables lead upwards.
    ups: u32,
}

/// A cable to take.
#[derive(Clone, Copy, Debug, Default)]
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
        let mut builder = Builder::new(graph, hosts.iter().flatten().map(|(switch, _)| *switch));
        let mut switches: Vec<SwitchId> = graph.switch_ids().collect();
        switches.sort_by_key(|s| (builder.distance[s.index()], *s));
        for switch in &switches {
            builder.place(graph, *switch)?;
        }
        builder.check_reach(graph)?;
        let leaf = |(switch, port): (SwitchId, Port)| (switch, port, builder.low[switch.index()]);
        Ok(FoldedClos {
            seed: mix(seed),
            digits: builder.digits(),
            hosts: hosts.into_iter().map(|end| end.map(leaf)).collect(),
            rows: builder.rows,
            steps: builder.steps,
            stride: builder.stride,
            tops: builder.tops,
        })
    }

    /// The switches of the highest row: the roots of the directions that all routes obey.
    pub fn tops(&self) -> &[SwitchId] {
        &self.tops
    }

    fn digits_of(&self, leaf: u32) -> &[u16] {
        let count = self.rows.len() - 1;
        &self.digits[leaf as usize * count..(leaf as usize + 1) * count]
    }
}

/// A network on its way to be recognised.
struct Builder {
    /// Per switch its distance from the nearest host, which is its row.
    distance: Vec<u32>,
    /// Per switch the lowest leaf below it; the row knows how many there are.
    low: Vec<u32>,
    leaves: u32,
    rows: Vec<Row>,
    steps: Vec<Step>,
    stride: usize,
    tops: Vec<SwitchId>,
}

impl Builder {
    fn new(graph: &SwitchGraph, leaves: impl Iterator<Item = SwitchId>) -> Builder {
        let stride = graph.switch_ids().map(|s| graph.of(s).len()).max().unwrap_or(0);
        Builder {
            distance: graph.distances(leaves),
            low: vec![0; graph.switches()],
            leaves: 0,
            rows: Vec::new(),
            steps: vec![Step::default(); graph.switches() * stride],
            stride,
            tops: Vec::new(),
        }
    }

    /// The leaves below a switch that was placed: the lowest, and the one after the highest.
    fn below(&self, switch: SwitchId) -> (u32, u32) {
        let low = self.low[switch.index()];
        (low, low + self.rows[self.distance[switch.index()] as usize].width)
    }

    /// Places one switch, all those in lower rows being placed.
    fn place(&mut self, graph: &SwitchGraph, switch: SwitchId) -> Result<(), NotFoldedClos> {
        let row = self.distance[switch.index()];
        if row == UNREACHED {
            return Err(NotFoldedClos("a switch is not connected with any host"));
        }
        let (mut down, mut up) = (Vec::new(), Vec::new());
        for output in graph.of(switch) {
            let step = Step { port: output.port, input: output.input, to: output.to };
            match self.distance[output.to.index()].cmp(&row) {
                Ordering::Less => down.push(step),
                Ordering::Greater => up.push(step),
                Ordering::Equal => return Err(NotFoldedClos("a cable joins two switches of one row")),
            }
        }
        down.sort_by_key(|step| (self.below(step.to), step.port));
        let (low, shape) = self.shape(&down, position(up.len()))?;
        self.low[switch.index()] = low;
        if *self.rows.get(row as usize).unwrap_or(&shape) != shape || !low.is_multiple_of(shape.width) {
            return Err(NotFoldedClos("two switches of a row are not alike"));
        }
        if self.rows.len() == row as usize {
            self.rows.push(shape);
        }
        if up.is_empty() {
            self.tops.push(switch);
        }
        let places = self.steps[switch.index() * self.stride..].iter_mut();
        places.zip(down.into_iter().chain(up)).for_each(|(place, step)| *place = step);
        Ok(())
    }

    /// The lowest leaf below a switch with these downward cables, and what its row should look like.
    fn shape(&mut self, down: &[Step], ups: u32) -> Result<(u32, Row), NotFoldedClos> {
        if down.is_empty() {
            self.leaves += 1;
            return Ok((self.leaves - 1, Row { width: 1, parts: 1, cables: 0, ups }));
        }
        let parts: Vec<&[Step]> = down.chunk_by(|a, b| self.below(a.to) == self.below(b.to)).collect();
        let first = self.below(down[0].to);
        let (part, cables) = (first.1 - first.0, position(parts[0].len()));
        let mut end = first.0;
        for steps in &parts {
            if self.below(steps[0].to) != (end, end + part) || position(steps.len()) != cables {
                return Err(NotFoldedClos("the leaves below a switch are not a run of equal parts"));
            }
            end += part;
        }
        Ok((first.0, Row { width: end - first.0, parts: position(parts.len()), cables, ups }))
    }

    /// Whether every climb leads to the leaf that is wanted, by whichever cables.
    fn check_reach(&self, graph: &SwitchGraph) -> Result<(), NotFoldedClos> {
        if self.tops.iter().any(|top| self.below(*top) != (0, self.leaves)) {
            return Err(NotFoldedClos("a switch without upward cables does not reach every leaf"));
        }
        for switch in graph.switch_ids() {
            let row = self.distance[switch.index()];
            let mut above = graph.of(switch).iter().filter(|o| self.distance[o.to.index()] > row);
            let first = above.next().map(|o| self.below(o.to));
            if above.any(|o| Some(self.below(o.to)) != first) {
                return Err(NotFoldedClos("the upper neighbours of a switch reach different leaves"));
            }
        }
        Ok(())
    }

    fn digits(&self) -> Vec<u16> {
        let digit = |leaf: u32, below: &Row, row: &Row| {
            u16::try_from(leaf / below.width % row.parts).expect("a switch has 65,536 ports at most")
        };
        let each = |leaf| self.rows.windows(2).map(move |rows| digit(leaf, &rows[0], &rows[1]));
        (0..self.leaves).flat_map(each).collect()
    }
}

impl Routes for FoldedClos {
    fn route(&self, source: HostId, destination: HostId, turns: &mut Vec<Turn>) -> bool {
        let ends = self.hosts[source.index()].zip(self.hosts[destination.index()]);
        let Some(((mut at, mut input, from), (_, last, to))) = ends.filter(|_| source != destination) else {
            return false;
        };
        let (from, to) = (self.digits_of(from), self.digits_of(to));
        let height = from.iter().zip(to).rposition(|(a, b)| a != b).map_or(0, |highest| highest + 1);
        let mut digits = mix(self.seed ^ (u64::from(source.0) << 32 | u64::from(destination.0)));
        let mut take = |nth: u32| {
            let step = self.steps[at.index() * self.stride + nth as usize];
            turns.push(input.turn_to(step.port));
            (at, input) = (step.to, step.input);
        };
        for row in &self.rows[..height] {
            take(row.parts * row.cables + draw(&mut digits, row.ups));
        }
        for (row, part) in self.rows[1..].iter().zip(to).take(height).rev() {
            take(u32::from(*part) * row.cables + draw(&mut digits, row.cables));
        }
        turns.push(input.turn_to(last));
        true
    }
}

/// Draws a digit below `radix` from a fraction: the whole part of the fraction times the radix; the rest
/// stays.
fn draw(fraction: &mut u64, radix: u32) -> u32 {
    let wide = u128::from(*fraction) * u128::from(radix);
    #[expect(clippy::cast_possible_truncation, reason = "the lower half is the fraction that is left")]
    {
        *fraction = wide as u64;
        (wide >> 64) as u32
    }
}

fn position(count: usize) -> u32 {
    u32::try_from(count).expect("fewer than 2^32 switches, and than 2^31 cables")
}
