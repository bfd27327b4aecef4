//! Putting the paths of next hops on lanes, each free of cycles, and on few of them.
//!
//! # Scope and limitations
//! A path keeps its lane all along, so that lanes do not depend on each other. To find the fewest lanes is hard; three
//! ways are tried, and the best is taken.
//!
//! * *First fit*, as in LASH: one path after the other goes into the first lane that it closes no cycle in, in the
//!   order of their channels, or the longest first.
//! * *Cycles broken*, as in DFSSSP: all paths are in one lane; as long as it has a cycle, the paths over the turn of
//!   the cycle that the fewest take leave for the next lane, with which it goes on. Unlike there, a path that left
//!   comes back once all cycles are broken, if it closes none then: that saves about a third of the lanes.
//!
//! # Source
//! Skeie, Lysne and Theiss 2002, *Layered shortest path (LASH) routing in irregular system area networks*; Domke,
//! Hoefler and Nagel 2011, *Deadlock-free oblivious routing for arbitrary topologies*, sections III and IV.

use std::collections::BTreeSet;

use rayon::prelude::*;

use simnet_base::ids::SwitchId;

use crate::routing::allowed_turns::AllowedTurns;
use crate::routing::graph::SwitchGraph;
use crate::routing::smart::cycles::Breaker;
use crate::routing::smart::order::Ordered;

use super::next_hops::NextHops;

/// No path: none is sent, or it has no turn.
const NONE: u32 = u32::MAX;

/// The lanes of all paths, as found.
pub(super) struct Lanes {
    /// Per column, per switch, the distinct path, or [`NONE`].
    path: Vec<u32>,
    /// Per distinct path its lane.
    lane: Vec<u16>,
    /// How many lanes there are.
    pub(super) count: u32,
}

impl Lanes {
    /// Finds lanes for the paths of `hops` from the switches that send.
    ///
    /// Costs a search for a cycle per broken turn, and a look at its turns per path and lane; a search between two
    /// channels where a turn is new, which a lane that refused it does not repeat. Takes about 30 bytes a path.
    pub(super) fn few(graph: &SwitchGraph, hops: &NextHops, sends: &[u32]) -> Lanes {
        let cells = hops.columns() * graph.switches();
        if is_acyclic(graph, &all_turns(graph, hops, sends)) {
            return Lanes { path: vec![NONE; cells], lane: Vec::new(), count: 1 };
        }
        let (path, paths) = Paths::distinct(graph, hops, sends);
        let longest_first = paths.longest_first();
        let mut lane = paths.first_fit(longest_first.iter().copied());
        for way in [Paths::cycles_broken, |paths: &Paths<'_>, _: Vec<u32>| paths.first_fit(paths.in_order())]
        {
            let other = way(&paths, longest_first.clone());
            if other.iter().max() < lane.iter().max() {
                lane = other;
            }
        }
        let count = lane.iter().max().map_or(1, |last| u32::from(*last) + 1);
        Lanes { path, lane, count }
    }

    /// Shares the paths out to more lanes: again and again the fullest lane gives every second one of its paths.
    pub(super) fn share_out(&mut self, given: u32) {
        while self.count < given && !self.lane.is_empty() {
            let new = numbered(self.count as usize);
            let size = |lane: u16| self.lane.iter().filter(|one| **one == lane).count();
            let sizes = (0..new).map(|lane| (size(lane), std::cmp::Reverse(lane)));
            let (most, std::cmp::Reverse(fullest)) = sizes.max().expect("there is a lane");
            if most < 2 {
                return;
            }
            let members = self.lane.iter_mut().filter(|lane| **lane == fullest);
            members.skip(1).step_by(2).for_each(|lane| *lane = new);
            self.count += 1;
        }
    }

    /// Per column and switch its lane.
    ///
    /// # Panics
    /// If there are more than 255 lanes.
    pub(super) fn rows(&self) -> Vec<u8> {
        let lane = |path: &u32| if *path == NONE { 0 } else { self.lane[*path as usize] };
        self.path.iter().map(|path| u8::try_from(lane(path)).expect("at most 255 lanes")).collect()
    }
}

/// Every turn that some path takes.
fn all_turns(graph: &SwitchGraph, hops: &NextHops, sends: &[u32]) -> AllowedTurns {
    let mut turns = AllowedTurns::none(graph);
    for (column, from) in senders(graph, hops, sends) {
        let mut before = None;
        for by in hops.way(graph, column, from) {
            if let Some(before) = before.replace(by) {
                turns.set(graph, before, by, true);
            }
        }
    }
    turns
}

/// All columns of hosts with each switch that sends to them.
fn senders<'a>(
    graph: &'a SwitchGraph,
    hops: &NextHops,
    sends: &'a [u32],
) -> impl Iterator<Item = (usize, SwitchId)> + use<'a> {
    let from = || graph.switch_ids().filter(|switch| sends[switch.index()] > 0);
    hops.host_columns().flat_map(move |column| from().map(move |from| (column, from)))
}

/// Whether turns have no cycle.
fn is_acyclic(graph: &SwitchGraph, turns: &AllowedTurns) -> bool {
    Breaker::new(graph).break_one(&mut turns.clone(), |_, _| Some(0)).is_none()
}

/// The distinct paths with a turn, in order of their channels.
struct Paths<'a> {
    graph: &'a SwitchGraph,
    hops: &'a NextHops,
    /// Per path a column and a switch from which it is taken: the cell in a table of columns, then switches.
    cells: Vec<u32>,
}

/// So many of the first channels are compared at once.
const COMPARED: usize = 8;

impl<'a> Paths<'a> {
    /// Finds them; and per column and switch which it is.
    fn distinct(graph: &'a SwitchGraph, hops: &'a NextHops, sends: &[u32]) -> (Vec<u32>, Paths<'a>) {
        let switches = graph.switches();
        let mut path = vec![NONE; hops.columns() * switches];
        let mut paths = Paths { graph, hops, cells: Vec::new() };
        let sending: Vec<SwitchId> = graph.switch_ids().filter(|from| sends[from.index()] > 0).collect();
        let sorted: Vec<Vec<u32>> = sending.par_chunks(FROM_AT_ONCE).map(|some| paths.sorted(some)).collect();
        for cell in sorted.into_iter().flatten() {
            let is_last =
                paths.cells.last().is_some_and(|last| paths.channels(*last).eq(paths.channels(cell)));
            if !is_last {
                paths.cells.push(cell);
            }
            path[cell as usize] = u32::try_from(paths.cells.len() - 1).expect("fewer paths than cells");
        }
        (path, paths)
    }

    /// The cells of the paths with a turn from some switches, one after the other, in order of their channels.
    fn sorted(&self, from: &[SwitchId]) -> Vec<u32> {
        let mut keyed: Vec<Vec<(u128, u32)>> = vec![Vec::new(); from.len()];
        // Column by column, since the next hops of one lie together.
        for column in self.hops.host_columns() {
            for (from, keyed) in from.iter().zip(&mut keyed) {
                let cell = u32::try_from(column * self.graph.switches() + from.index());
                let cell = cell.expect("fewer than 2^32 next hops");
                keyed.extend(self.channels(cell).nth(1).map(|_| (self.key(cell), cell)));
            }
        }
        // Paths that are no longer than what is compared are alike if their numbers are.
        let is_long = |key: u128| key & u128::from(u16::MAX) != 0;
        let rest = |(key, cell): &(u128, u32)| {
            let most = if is_long(*key) { usize::MAX } else { 0 };
            self.channels(*cell).take(most).skip(COMPARED)
        };
        for keyed in &mut keyed {
            keyed.sort_unstable_by(|a, b| {
                a.0.cmp(&b.0).then_with(|| rest(a).cmp(rest(b))).then(a.1.cmp(&b.1))
            });
        }
        keyed.into_iter().flatten().map(|(_, cell)| cell).collect()
    }

    /// A number by which paths from one switch are ordered as by their first [`COMPARED`] channels.
    fn key(&self, cell: u32) -> u128 {
        let nth = |by: usize| by - self.graph.range(self.graph.sender(by)).start + 1;
        let channels = self.channels(cell).map(nth).chain(std::iter::repeat(0)).take(COMPARED);
        channels.fold(0, |key, nth| key << 16 | nth as u128)
    }

    /// The channels of the path of a cell.
    fn channels(&self, cell: u32) -> impl Iterator<Item = usize> + '_ {
        let (column, from) = (cell as usize / self.graph.switches(), cell as usize % self.graph.switches());
        self.hops.way(self.graph, column, SwitchId::new(from))
    }

    /// The turns of a path.
    fn turns(&self, nth: u32) -> impl Iterator<Item = (usize, usize)> + '_ {
        let mut channels = self.channels(self.cells[nth as usize]);
        let first = channels.next();
        channels.scan(first, |before, by| Some((before.replace(by)?, by)))
    }

    /// All paths in order.
    fn in_order(&self) -> impl Iterator<Item = u32> + use<> {
        (0..).take(self.cells.len())
    }

    /// All paths, the longest first, those as long in order.
    fn longest_first(&self) -> Vec<u32> {
        let mut by_length: Vec<Vec<u32>> = Vec::new();
        for nth in self.in_order() {
            let length = self.turns(nth).count();
            by_length.resize_with(by_length.len().max(length + 1), Vec::new);
            by_length[length].push(nth);
        }
        by_length.into_iter().rev().flatten().collect()
    }

    /// Finds per path the first lane that it fits into, paths in the given order.
    fn first_fit(&self, order: impl Iterator<Item = u32>) -> Vec<u16> {
        let mut lanes: Vec<Lane<'_>> = Vec::new();
        let mut found = vec![0; self.cells.len()];
        for nth in order {
            let fitting = lanes.iter_mut().position(|lane| lane.add(self.turns(nth)));
            let lane = fitting.unwrap_or_else(|| {
                let mut lane = Lane::new(self.graph, AllowedTurns::none(self.graph));
                assert!(lane.add(self.turns(nth)), "a shortest path closes no cycle with itself");
                lanes.push(lane);
                lanes.len() - 1
            });
            found[nth as usize] = numbered(lane);
        }
        found
    }

    /// Finds per path its lane, one lane after the other with its cycles broken.
    fn cycles_broken(&self, mut left: Vec<u32>) -> Vec<u16> {
        let mut found = vec![0; self.cells.len()];
        for number in 0.. {
            let (turns, stays) = self.without_cycles(&left);
            let mut lane = Lane::new(self.graph, turns);
            let mut places = stays.into_iter();
            left.retain(|nth| {
                let is_in = places.next().expect("one for each") || lane.add(self.turns(*nth));
                if is_in {
                    found[*nth as usize] = numbered(number);
                }
                !is_in
            });
            if left.is_empty() {
                break;
            }
        }
        found
    }

    /// The turns of those of these paths that stay when all cycles are broken, and which ones stay.
    fn without_cycles(&self, these: &[u32]) -> (AllowedTurns, Vec<bool>) {
        let graph = self.graph;
        // The same turns by the same positions, to be looked at while `turns` changes.
        let positions = AllowedTurns::none(graph);
        let mut turns = positions.clone();
        // Per turn where its paths begin among all, and where they end.
        let mut first = vec![0_usize; positions.positions() + 1];
        for (by, next) in these.iter().flat_map(|nth| self.turns(*nth)) {
            turns.set(graph, by, next, true);
            first[positions.position(graph, by, next) + 1] += 1;
        }
        (1..first.len()).for_each(|at| first[at] += first[at - 1]);
        let mut demand: Vec<usize> = first.windows(2).map(|two| two[1] - two[0]).collect();
        let mut filled = first.clone();
        let mut over = vec![0_u32; first[positions.positions()]];
        for (place, nth) in (0..).zip(these) {
            for (by, next) in self.turns(*nth) {
                let at = positions.position(graph, by, next);
                over[filled[at]] = place;
                filled[at] += 1;
            }
        }
        let mut stays = vec![true; these.len()];
        let mut breaker = Breaker::new(graph);
        loop {
            let cost = |by, next| Some(demand[positions.position(graph, by, next)] as u64);
            let Some((by, next)) = breaker.break_one(&mut turns, cost) else { break };
            let at = positions.position(graph, by, next);
            for place in &over[first[at]..first[at + 1]] {
                if !std::mem::replace(&mut stays[*place as usize], false) {
                    continue;
                }
                for (by, next) in self.turns(these[*place as usize]) {
                    let at = positions.position(graph, by, next);
                    demand[at] -= 1;
                    if demand[at] == 0 {
                        turns.set(graph, by, next, false);
                    }
                }
            }
        }
        (turns, stays)
    }
}

/// The paths from so many switches are sorted together.
const FROM_AT_ONCE: usize = 32;

/// The number of a lane.
fn numbered(lane: usize) -> u16 {
    u16::try_from(lane).expect("fewer than 2^16 lanes")
}

/// The turns on a lane, and those that it refused.
struct Lane<'a> {
    graph: &'a SwitchGraph,
    ordered: Ordered<'a>,
    /// Turns that close a cycle with those that are there to stay, and so with any more: none is looked for again.
    refused: AllowedTurns,
    /// Pairs of turns, by their positions, that do so together.
    refused_pairs: BTreeSet<(usize, usize)>,
    /// The turns of the path that is looked at.
    turns: Vec<(usize, usize)>,
}

impl<'a> Lane<'a> {
    fn new(graph: &'a SwitchGraph, turns: AllowedTurns) -> Lane<'a> {
        Lane {
            graph,
            ordered: Ordered::new(graph, turns),
            refused: AllowedTurns::none(graph),
            refused_pairs: BTreeSet::new(),
            turns: Vec::new(),
        }
    }

    /// Adds the turns of a path, all or, where that would close a cycle, none; and says which.
    fn add(&mut self, path: impl Iterator<Item = (usize, usize)>) -> bool {
        let (graph, ordered, refused) = (self.graph, &mut self.ordered, &mut self.refused);
        self.turns.clear();
        self.turns.extend(path.filter(|(by, next)| !ordered.turns().allows(graph, *by, *next)));
        if self.turns.iter().any(|(by, next)| refused.allows(graph, *by, *next)) {
            return false;
        }
        let position = |(by, next): (usize, usize)| refused.position(graph, by, next);
        let pair = |two: &[(usize, usize)]| (position(two[0]), position(two[1]));
        if self.turns.windows(2).any(|two| self.refused_pairs.contains(&pair(two))) {
            return false;
        }
        let Some(nth) = self.turns.iter().position(|(by, next)| !ordered.add(*by, *next)) else {
            return true;
        };
        self.turns[..nth].iter().for_each(|(by, next)| ordered.remove(*by, *next));
        let (by, next) = self.turns[nth];
        if nth == 0 || ordered.would_close(by, next) {
            refused.set(graph, by, next, true);
        } else if nth == 1 {
            self.refused_pairs.insert(pair(&self.turns[..2]));
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::minimal::{Tie, minimal};
    use super::super::next_hops::sending_ports;
    use super::*;
    use crate::routing::attachments::Attachments;
    use crate::topology::generate;

    /// Whether these turns close a cycle: what nothing leads to is taken away until there is no more of it.
    fn is_cyclic(turns: &BTreeSet<(usize, usize)>) -> bool {
        let mut left = turns.clone();
        loop {
            let led_to: BTreeSet<usize> = left.iter().map(|(_, next)| *next).collect();
            let before = left.len();
            left.retain(|(by, _)| led_to.contains(by));
            if left.len() == before {
                return before > 0;
            }
        }
    }

    /// Wrong if two paths were taken for one, or one for two, or if they stood in another order than their channels;
    /// or if a path came to another lane than by looking at all turns of each lane anew.
    #[test]
    fn lanes_are_those_of_paths_written_out_and_lanes_searched_whole() {
        for seed in 0..24 {
            let size =
                [("switches", 8 + seed % 5), ("degree", 3 + seed % 2), ("hosts-per-switch", 1 + seed % 3)];
            let size =
                if size[0].1 * size[1].1 % 2 == 1 { [("switches", 8), size[1], size[2]] } else { size };
            let network = generate::build("random-regular", &size, seed).unwrap();
            let (graph, attachments) = (SwitchGraph::new(&network), Attachments::lowest(&network));
            let none = NextHops::none(&network, &graph, &attachments, 1);
            let sends = sending_ports(&network);
            let hops = minimal(&graph, &sends, &none, (Tie::Load, false));
            let (of_cell, paths) = Paths::distinct(&graph, &hops, &sends);
            let way = |column: usize, from| hops.way(&graph, column, from).collect::<Vec<usize>>();
            let mut written: Vec<Vec<usize>> =
                senders(&graph, &hops, &sends).map(|(column, from)| way(column, from)).collect();
            written.retain(|path| path.len() > 1);
            written.sort_unstable();
            written.dedup();
            let channels: Vec<Vec<usize>> =
                paths.cells.iter().map(|cell| paths.channels(*cell).collect()).collect();
            assert_eq!(channels, written, "seed {seed}");
            for (column, from) in senders(&graph, &hops, &sends) {
                let nth = of_cell[column * graph.switches() + from.index()];
                let path = way(column, from);
                assert_eq!(
                    written.get(nth as usize),
                    Some(&path).filter(|path| path.len() > 1),
                    "seed {seed}"
                );
            }
            let mut order: Vec<u32> = paths.in_order().collect();
            order.sort_by_key(|nth| std::cmp::Reverse(written[*nth as usize].len()));
            assert_eq!(paths.longest_first(), order, "seed {seed}");
            let mut lanes: Vec<BTreeSet<(usize, usize)>> = Vec::new();
            let found = paths.first_fit(order.iter().copied());
            for nth in order {
                let (path, lane) = (&written[nth as usize], found[nth as usize]);
                let with = |lane: &BTreeSet<(usize, usize)>| {
                    let turns = path.windows(2).map(|two| (two[0], two[1]));
                    Some(lane.iter().copied().chain(turns).collect()).filter(|turns| !is_cyclic(turns))
                };
                let fitting = lanes.iter().enumerate().find_map(|(nth, lane)| Some((nth, with(lane)?)));
                let (expected, turns) =
                    fitting.unwrap_or_else(|| (lanes.len(), with(&BTreeSet::new()).unwrap()));
                lanes.resize_with(lanes.len().max(expected + 1), BTreeSet::new);
                lanes[expected] = turns;
                assert_eq!(usize::from(lane), expected, "seed {seed}, path {nth}");
            }
        }
    }
}
