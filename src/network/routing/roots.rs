//! The rules that choose a root, one per component.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use simnet_base::ids::SwitchId;

use super::directions::{Directions, Tree};
use super::graph::{Distances, SwitchGraph, UNREACHED};
use super::metrics::SwitchMetrics;
use super::paths::LegalMoves;

/// The switch whose nearest host is farthest, then with the larger sum of distances, then with the lower id.
///
/// `hosts` counts the hosts of each switch, the utility host left out. In a component without hosts all
/// switches are alike, and the lowest id is taken.
///
/// # Source
/// Mainwaring et al. 1997, section 5.5: "a switch as far away from all hosts as possible".
pub(super) fn far(graph: &SwitchGraph, hosts: &[u32]) -> Vec<SwitchId> {
    let nearest = graph.distances(graph.switch_ids().filter(|s| hosts[s.index()] > 0));
    let components = graph.components().into_iter();
    components.filter_map(|members| farthest(graph, hosts, &nearest, &members)).collect()
}

/// The farthest of the switches of one component; `nearest`: how far each switch's nearest host is.
fn farthest(graph: &SwitchGraph, hosts: &[u32], nearest: &[u32], members: &[SwitchId]) -> Option<SwitchId> {
    let farthest = members.iter().map(|s| nearest[s.index()]).max();
    // Sums are costly: only the switches that tie for the nearest host need one.
    let mut tied = members.iter().copied().filter(|s| Some(nearest[s.index()]) == farthest);
    if farthest == Some(UNREACHED) {
        return tied.next();
    }
    tied.min_by_key(|s| (Reverse(sum_to_hosts(graph, hosts, *s)), graph.id(*s)))
}

fn sum_to_hosts(graph: &SwitchGraph, hosts: &[u32], from: SwitchId) -> u64 {
    let distances = graph.distances([from]);
    let each = distances.iter().zip(hosts).filter(|(d, _)| **d != UNREACHED);
    each.map(|(d, n)| u64::from(*d) * u64::from(*n)).sum()
}

/// The switch with the lowest id.
pub(super) fn r0(graph: &SwitchGraph) -> Vec<SwitchId> {
    graph.components().into_iter().filter_map(|members| members.first().copied()).collect()
}

/// The switch with the lowest mean distance to the others of its component, then with the lower id.
pub(super) fn r1(graph: &SwitchGraph) -> Vec<SwitchId> {
    let sums = sums_of_distances(graph);
    let best = |members: Vec<SwitchId>| members.into_iter().min_by_key(|s| (sums[s.index()], graph.id(*s)));
    graph.components().into_iter().filter_map(best).collect()
}

/// Per switch the sum of its distances to all switches that it can reach. Costs O(switches x links).
fn sums_of_distances(graph: &SwitchGraph) -> Vec<u64> {
    let sum = |s| graph.distances([s]).into_iter().filter(|d| *d != UNREACHED).map(u64::from).sum();
    graph.switch_ids().map(sum).collect()
}

/// The switch whose tree has the fewest crossing paths, then the lower average distance, then the lower id.
///
/// Trees are judged in parallel, each only until it is seen to be worse than one judged before; which ones
/// are is chance, the best one is not. The first are those of the switches nearest to all others, which are likely
/// good.
///
/// # Source
/// Sancho and Robles 2000, section 3, heuristic R2: every tree is computed.
pub(super) fn r2(graph: &SwitchGraph, tree: Tree) -> Vec<SwitchId> {
    let trees = Trees { graph, tree, distances: tree.distances(graph), sums: sums_of_distances(graph) };
    graph.components().into_iter().filter_map(|members| trees.best_root(&members)).collect()
}

/// What the trees of all roots have in common.
struct Trees<'g> {
    graph: &'g SwitchGraph,
    tree: Tree,
    distances: Distances<'g>,
    /// Per switch the sum of its distances to all others.
    sums: Vec<u64>,
}

/// How many trees are judged before all others, one after the other.
const FIRST: usize = 2;

/// How good a tree is, the best first, and its root.
type Score = (u64, u64, (u64, SwitchId), SwitchId);

impl Trees<'_> {
    /// The root of the best tree on the switches of one component.
    fn best_root(&self, members: &[SwitchId]) -> Option<SwitchId> {
        let fewest = AtomicU64::new(u64::MAX);
        let mut roots = members.to_vec();
        let sum = |root: &SwitchId| self.sums[root.index()];
        roots.sort_by_cached_key(|root| (sum(root), self.graph.id(*root)));
        let (first, others) = roots.split_at(FIRST.min(roots.len()));
        let first = first.iter().filter_map(|root| self.score(*root, members, &fewest)).min();
        let others = others.par_iter().filter_map(|root| self.score(*root, members, &fewest)).min();
        first.into_iter().chain(others).min().map(|(_, _, _, root)| root)
    }

    /// Judges the tree of one root; `None` once it has more crossing paths than the `fewest` of those judged.
    fn score(&self, root: SwitchId, members: &[SwitchId], fewest: &AtomicU64) -> Option<Score> {
        let directions = Directions::grown(self.graph, vec![root], self.tree, &self.distances);
        let moves = LegalMoves::up_down(self.graph, &directions);
        let limit = || fewest.load(Ordering::Relaxed);
        let metrics = SwitchMetrics::unless_beyond(&moves, members, limit)?;
        fewest.fetch_min(metrics.crossing_paths, Ordering::Relaxed);
        Some((metrics.crossing_paths, metrics.sum_of_distances, self.graph.id(root), root))
    }
}
