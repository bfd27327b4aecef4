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

use std::collections::BTreeMap;

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
    lane: Vec<u32>,
    /// How many lanes there are.
    pub(super) count: u32,
}

impl Lanes {
    /// Finds lanes for the paths of `hops` from the switches that send.
    ///
    /// Costs a search for a cycle per broken turn, and a search between two channels per path and lane at worst.
    pub(super) fn few(graph: &SwitchGraph, hops: &NextHops, sends: &[u32]) -> Lanes {
        let cells = hops.columns() * graph.switches();
        if is_acyclic(graph, &all_turns(graph, hops, sends)) {
            return Lanes { path: vec![NONE; cells], lane: Vec::new(), count: 1 };
        }
        let (path, paths) = distinct_paths(graph, hops, sends);
        let in_order: Vec<u32> = (0..).take(paths.len()).collect();
        let mut longest_first = in_order.clone();
        longest_first.sort_by_key(|nth| std::cmp::Reverse(paths[*nth as usize].len()));
        let mut lane = first_fit(graph, &paths, &longest_first);
        for other in [cycles_broken(graph, &paths, &longest_first), first_fit(graph, &paths, &in_order)] {
            if other.iter().max() < lane.iter().max() {
                lane = other;
            }
        }
        let count = lane.iter().max().map_or(1, |last| last + 1);
        Lanes { path, lane, count }
    }

    /// Shares the paths out to more lanes: again and again the fullest lane gives every second one of its paths.
    pub(super) fn share_out(&mut self, given: u32) {
        while self.count < given && !self.lane.is_empty() {
            let size = |lane: u32| self.lane.iter().filter(|one| **one == lane).count();
            let sizes = (0..self.count).map(|lane| (size(lane), std::cmp::Reverse(lane)));
            let (most, std::cmp::Reverse(fullest)) = sizes.max().expect("there is a lane");
            if most < 2 {
                return;
            }
            let members = self.lane.iter_mut().filter(|lane| **lane == fullest);
            members.skip(1).step_by(2).for_each(|lane| *lane = self.count);
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

/// The distinct paths with a turn, as their channels, in order of these; and per column and switch which it is.
fn distinct_paths(graph: &SwitchGraph, hops: &NextHops, sends: &[u32]) -> (Vec<u32>, Vec<Vec<u32>>) {
    let mut found: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    let mut path = vec![NONE; hops.columns() * graph.switches()];
    for (column, from) in senders(graph, hops, sends) {
        let way = hops.way(graph, column, from);
        let way: Vec<u32> = way.map(|by| u32::try_from(by).expect("fewer than 2^31 cables")).collect();
        if way.len() > 1 {
            let next = u32::try_from(found.len()).expect("fewer than 2^32 paths");
            path[column * graph.switches() + from.index()] = *found.entry(way).or_insert(next);
        }
    }
    let mut place = vec![0; found.len()];
    for (nth, found) in (0..).zip(found.values()) {
        place[*found as usize] = nth;
    }
    path.iter_mut().filter(|path| **path != NONE).for_each(|path| *path = place[*path as usize]);
    (path, found.into_keys().collect())
}

fn turns_of(path: &[u32]) -> impl Iterator<Item = (usize, usize)> + '_ {
    path.windows(2).map(|two| (two[0] as usize, two[1] as usize))
}

/// Adds the turns of a path to a lane, all or, where that would close a cycle, none; and says which.
fn add(lane: &mut Ordered<'_>, graph: &SwitchGraph, path: &[u32]) -> bool {
    let mut added = Vec::new();
    for (by, next) in turns_of(path) {
        if lane.turns().allows(graph, by, next) {
            continue;
        }
        if !lane.add(by, next) {
            added.into_iter().for_each(|(by, next)| lane.remove(by, next));
            return false;
        }
        added.push((by, next));
    }
    true
}

/// Per path the first lane that it fits into, paths in the given order.
fn first_fit(graph: &SwitchGraph, paths: &[Vec<u32>], order: &[u32]) -> Vec<u32> {
    let mut lanes: Vec<Ordered<'_>> = Vec::new();
    let mut found = vec![0; paths.len()];
    for nth in order {
        let path = &paths[*nth as usize];
        let fitting = lanes.iter_mut().position(|lane| add(lane, graph, path));
        let lane = fitting.unwrap_or_else(|| {
            let mut lane = Ordered::new(graph, AllowedTurns::none(graph));
            assert!(add(&mut lane, graph, path), "a shortest path closes no cycle with itself");
            lanes.push(lane);
            lanes.len() - 1
        });
        found[*nth as usize] = u32::try_from(lane).expect("fewer lanes than paths");
    }
    found
}

/// Per path its lane, one lane after the other with its cycles broken.
fn cycles_broken(graph: &SwitchGraph, paths: &[Vec<u32>], order: &[u32]) -> Vec<u32> {
    let mut found = vec![0; paths.len()];
    let mut left = order.to_vec();
    for lane in 0.. {
        let (turns, stays) = without_cycles(graph, paths, &left);
        let mut ordered = Ordered::new(graph, turns);
        let mut leaving = Vec::new();
        for (nth, stays) in left.iter().zip(stays) {
            if stays || add(&mut ordered, graph, &paths[*nth as usize]) {
                found[*nth as usize] = lane;
            } else {
                leaving.push(*nth);
            }
        }
        if leaving.is_empty() {
            break;
        }
        left = leaving;
    }
    found
}

/// The turns of those of these paths that stay when all cycles are broken, and which ones stay.
fn without_cycles(graph: &SwitchGraph, paths: &[Vec<u32>], these: &[u32]) -> (AllowedTurns, Vec<bool>) {
    let mut turns = AllowedTurns::none(graph);
    let mut over: Vec<Vec<u32>> = vec![Vec::new(); turns.positions()];
    for (place, nth) in (0..).zip(these) {
        for (by, next) in turns_of(&paths[*nth as usize]) {
            turns.set(graph, by, next, true);
            over[turns.position(graph, by, next)].push(place);
        }
    }
    let mut demand: Vec<u64> = over.iter().map(|paths| paths.len() as u64).collect();
    let mut stays = vec![true; these.len()];
    let mut breaker = Breaker::new(graph);
    // The same turns by the same positions, to be looked at while `turns` changes.
    let positions = AllowedTurns::none(graph);
    loop {
        let cost = |by, next| Some(demand[positions.position(graph, by, next)]);
        let Some((by, next)) = breaker.break_one(&mut turns, cost) else { break };
        for place in std::mem::take(&mut over[turns.position(graph, by, next)]) {
            if !std::mem::replace(&mut stays[place as usize], false) {
                continue;
            }
            for (by, next) in turns_of(&paths[these[place as usize] as usize]) {
                let at = turns.position(graph, by, next);
                demand[at] -= 1;
                if demand[at] == 0 {
                    turns.set(graph, by, next, false);
                }
            }
        }
    }
    (turns, stays)
}
