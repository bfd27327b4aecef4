//! Next hops on shortest paths of any kind.

use simnet_base::ids::SwitchId;

use crate::routing::graph::{SwitchGraph, UNREACHED};

use super::load::{Load, best_of_sweeps, sweeps};
use super::next_hops::NextHops;
use super::tree::Tree;

/// Which of several shortest paths a switch takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tie {
    /// The one with the least load so far, summed over its channels, as in DFSSSP.
    Load,
    /// The one that makes the busiest channel less busy; columns are made anew to that end.
    Balance,
    /// The output of the lowest number: on a grid one dimension after the other.
    Port,
}

/// Fills `hops` with next hops on shortest paths. With `shared`, all columns that lead to one switch are alike.
///
/// Costs O(columns x links), with [`Tie::Balance`] for each sweep.
pub(super) fn minimal(
    graph: &SwitchGraph,
    sends: &[u32],
    hops: &NextHops,
    (tie, shared): (Tie, bool),
) -> NextHops {
    let mut load = Load::new(graph, hops.columns());
    let mut columns: Vec<usize> = (0..hops.columns()).collect();
    columns.sort_by_key(|column| (hops.target(*column).1, *column));
    let mut tree = Tree::new(graph);
    let most = if tie == Tie::Balance { sweeps(graph, hops.columns()) } else { 1 };
    let (_, hops) = best_of_sweeps(most, hops, |hops| {
        let (mut at, mut distance) = (None, Vec::new());
        for column in &columns {
            load.remove(*column);
            let (_, to) = hops.target(*column);
            let is_other = at.replace(to) != Some(to);
            if is_other {
                distance = graph.distances([to]);
                in_order(graph, &mut tree, &distance);
            }
            if is_other || !shared {
                let weight = (tie == Tie::Balance).then(|| load.weights().to_vec());
                let cost = |by| weight.as_ref().map_or(load.over(by), |weight| weight[by]);
                grow(graph, &mut tree, (to, &distance), cost, tie);
            }
            hops.set(graph, *column, &tree.next);
            if hops.host_columns().contains(column) {
                load.add(graph, *column, &mut tree, sends);
            }
        }
        load.busiest()
    });
    hops
}

/// Puts the switches that are so far away in order, the nearest first.
fn in_order(graph: &SwitchGraph, tree: &mut Tree, distance: &[u32]) {
    tree.order.clear();
    tree.order.extend(graph.switch_ids().filter(|switch| distance[switch.index()] != UNREACHED));
    tree.order.sort_by_key(|switch| (distance[switch.index()], *switch));
}

/// Grows shortest next hops towards a switch, by the distances from there in whose order the tree has the switches.
fn grow(
    graph: &SwitchGraph,
    tree: &mut Tree,
    (to, distance): (SwitchId, &[u32]),
    cost: impl Fn(usize) -> u64,
    tie: Tie,
) {
    tree.next.fill(None);
    let mut least = vec![0_u64; graph.switches()];
    for switch in tree.order.iter().copied().filter(|switch| *switch != to) {
        let far = |by: usize| graph.outputs()[by].to.index();
        let shorter = |by: &usize| distance[far(*by)] + 1 == distance[switch.index()];
        let key = |by: usize| if tie == Tie::Port { 0 } else { least[far(by)] + cost(by) };
        let best = graph.range(switch).filter(shorter).map(|by| (key(by), by)).min();
        let (key, by) = best.expect("a switch farther away has a neighbour nearer");
        least[switch.index()] = key;
        tree.next[switch.index()] = Some(by);
    }
}
