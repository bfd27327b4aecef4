//! Nue: routes kept free of cycles while they are found, on as many lanes as there are.
//!
//! # Scope and limitations
//! The destinations are dealt out to the lanes, all hosts of a switch to one. A lane begins with the turns of its
//! *escape paths*, which lead along a spanning tree to each of its destinations. Then the next hops of one destination
//! after the other are grown over the complete channel dependency graph: a turn that is not in use yet is taken only
//! if it closes no cycle with those in use. Switches left out take their escape path, and the column is grown again.
//!
//! Whether a turn closes a cycle is a search of its own, from both of its ends: 64 switches take a fifth of a second,
//! a fat tree of 1,323 switches with 42 ports some three minutes.
//!
//! # Source
//! Domke, Hoefler and Matsuoka 2016, *Routing on the dependency graph: a new approach to deadlock-free high-performance
//! routing* (HPDC). Departures: the root of the tree has the least sum of distances to the lane's destinations, where
//! the paper takes the largest betweenness in their convex hull; the destinations are dealt out in turn, where it
//! partitions the network; there is no search back within a column; turns that a search tried and no next hop uses are
//! free again; and all columns are taken out and grown anew, one by one, as often as a number of steps allows.

use simnet_base::ids::SwitchId;

use crate::routing::allowed_turns::AllowedTurns;
use crate::routing::graph::{SwitchGraph, UNREACHED};
use crate::routing::smart::order::Ordered;
use crate::routing::smart::spanning_tree;

use super::load::{Load, best_of_sweeps, sweeps};
use super::next_hops::NextHops;
use super::tree::Tree;

/// Fills `hops` on `lanes` lanes; `sends` says how many hosts each switch has.
pub(super) fn nue(graph: &SwitchGraph, sends: &[u32], hops: &NextHops, lanes: u8) -> NextHops {
    let lane_of = deal_out(graph, sends, lanes);
    let mut layers: Vec<Lane<'_>> = (0..lanes).map(|lane| Lane::new(graph, sends, &lane_of, lane)).collect();
    let mut load = Load::new(graph, hops.columns());
    let mut tree = Tree::new(graph);
    let (_, mut hops) = best_of_sweeps(sweeps(graph, hops.columns()), hops, |hops| {
        for column in hops.host_columns() {
            let (_, to) = hops.target(column);
            let lane = &mut layers[usize::from(lane_of[to.index()])];
            load.remove(column);
            lane.release(hops, column);
            lane.grow(&mut tree, to, load.weights(), sends);
            hops.set(graph, column, &tree.next);
            load.add(graph, column, &mut tree, sends);
        }
        (load.busiest(), load.sum())
    });
    for column in hops.host_columns().end..hops.columns() {
        let (_, to) = hops.target(column);
        tree.grow(graph, to, load.weights(), &vec![None; graph.switches()], |_, _| true);
        hops.set(graph, column, &tree.next);
    }
    let columns = 0..hops.columns();
    let row = |column| std::iter::repeat_n(lane_of[hops.target(column).1.index()], graph.switches());
    let rows = columns.flat_map(row).collect();
    hops.set_lanes(rows, lanes);
    hops
}

/// Per switch the lane of its hosts.
fn deal_out(graph: &SwitchGraph, sends: &[u32], lanes: u8) -> Vec<u8> {
    let mut lane_of = vec![0; graph.switches()];
    let with_hosts = graph.switch_ids().filter(|switch| sends[switch.index()] > 0);
    for (switch, lane) in with_hosts.zip((0..lanes).cycle()) {
        lane_of[switch.index()] = lane;
    }
    lane_of
}

/// One lane: the turns in use, which have no cycle.
struct Lane<'a> {
    graph: &'a SwitchGraph,
    turns: Ordered<'a>,
    /// Per turn how many columns use it, escape paths counted once.
    users: Vec<u32>,
    /// Per channel 1 if it is of the spanning tree, else without bound: what it costs to escape.
    escape: Vec<u64>,
}

impl<'a> Lane<'a> {
    fn new(graph: &'a SwitchGraph, sends: &[u32], lane_of: &[u8], lane: u8) -> Lane<'a> {
        let is_own = |switch: &SwitchId| sends[switch.index()] > 0 && lane_of[switch.index()] == lane;
        let own: Vec<SwitchId> = graph.switch_ids().filter(is_own).collect();
        let in_tree = spanning_tree(graph, &centre(graph, &own));
        let escape: Vec<u64> = in_tree.iter().map(|inside| if *inside { 1 } else { u64::MAX }).collect();
        let mut turns = AllowedTurns::none(graph);
        let mut users = vec![0; turns.positions()];
        let mut tree = Tree::new(graph);
        let free = vec![None; graph.switches()];
        for to in own {
            tree.grow(graph, to, &escape, &free, |_, _| true);
            for (by, next) in turns_of(graph, &tree.next) {
                turns.set(graph, by, next, true);
                users[turns.position(graph, by, next)] = 1;
            }
        }
        Lane { graph, turns: Ordered::new(graph, turns), users, escape }
    }

    /// Gives the turns of a column free.
    fn release(&mut self, hops: &NextHops, column: usize) {
        let next: Vec<Option<usize>> =
            self.graph.switch_ids().map(|switch| hops.next(self.graph, column, switch)).collect();
        for (by, next) in turns_of(self.graph, &next) {
            let at = self.turns.turns().position(self.graph, by, next);
            self.users[at] -= 1;
            self.remove_unused(by, next);
        }
    }

    fn remove_unused(&mut self, by: usize, next: usize) {
        if self.users[self.turns.turns().position(self.graph, by, next)] == 0 {
            self.turns.remove(by, next);
        }
    }

    /// Grows the next hops towards one of the lane's destinations, and takes their turns into use.
    fn grow(&mut self, tree: &mut Tree, to: SwitchId, weight: &[u64], sends: &[u32]) {
        let graph = self.graph;
        let mut forced = vec![None; graph.switches()];
        let mut ways_out = None;
        loop {
            let mut tried = Vec::new();
            let turns = &mut self.turns;
            tree.grow(graph, to, weight, &forced, |by, next| {
                let is_new = !turns.turns().allows(graph, by, next);
                tried.extend(is_new.then_some((by, next)));
                !is_new || turns.add(by, next)
            });
            if tree.lost(to, sends) > 0 {
                let ways_out = ways_out.get_or_insert_with(|| escape_paths(graph, to, &self.escape));
                if force_escape(graph, (to, sends), (&tree.next, ways_out), &mut forced) {
                    tried.into_iter().for_each(|(by, next)| self.remove_unused(by, next));
                    continue;
                }
            }
            self.use_turns(tree, tried);
            return;
        }
    }

    fn use_turns(&mut self, tree: &Tree, tried: Vec<(usize, usize)>) {
        for (by, next) in turns_of(self.graph, &tree.next) {
            self.users[self.turns.turns().position(self.graph, by, next)] += 1;
        }
        tried.into_iter().for_each(|(by, next)| self.remove_unused(by, next));
    }
}

/// The next hops towards a switch along the spanning tree.
fn escape_paths(graph: &SwitchGraph, to: SwitchId, escape: &[u64]) -> Vec<Option<usize>> {
    let mut tree = Tree::new(graph);
    tree.grow(graph, to, escape, &vec![None; graph.switches()], |_, _| true);
    tree.next
}

/// Forces the escape paths of sending switches that are left out and have one; `false` if there is none such.
fn force_escape(
    graph: &SwitchGraph,
    (to, sends): (SwitchId, &[u32]),
    (found, ways_out): (&[Option<usize>], &[Option<usize>]),
    forced: &mut [Option<usize>],
) -> bool {
    let mut is_new = false;
    let left_out = |from: &SwitchId| sends[from.index()] > 0 && found[from.index()].is_none() && *from != to;
    for from in graph.switch_ids().filter(left_out) {
        let mut at = from;
        while let Some(by) = ways_out[at.index()] {
            is_new |= forced[at.index()].replace(by).is_none();
            at = graph.outputs()[by].to;
        }
    }
    is_new
}

/// The turns of a column.
fn turns_of(graph: &SwitchGraph, next: &[Option<usize>]) -> Vec<(usize, usize)> {
    let each = next.iter().flatten();
    each.filter_map(|by| Some((*by, next[graph.outputs()[*by].to.index()]?))).collect()
}

/// The switch with the least sum of distances to others, out of those that reach the most of them.
fn centre(graph: &SwitchGraph, others: &[SwitchId]) -> Vec<SwitchId> {
    let mut reached = vec![(0_u64, 0_u64); graph.switches()];
    for other in others {
        for (distance, (count, sum)) in graph.distances([*other]).into_iter().zip(&mut reached) {
            if distance != UNREACHED {
                (*count, *sum) = (*count + 1, *sum + u64::from(distance));
            }
        }
    }
    let worth = |switch: &SwitchId| {
        let (count, sum) = reached[switch.index()];
        (std::cmp::Reverse(count), sum, *switch)
    };
    graph.switch_ids().min_by_key(worth).into_iter().collect()
}
