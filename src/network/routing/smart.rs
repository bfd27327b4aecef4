//! Deadlock-free routes without a root's bottleneck: cycles of the channel dependency graph broken one by one.
//!
//! # Scope and limitations
//! Source routes without virtual channels. What is chosen is a set of allowed *turns* (pairs of a channel and
//! the next) that has no cycle; routes are then shortest over allowed turns, and every pair that cables join
//! has one. UP*/DOWN* is such a set, too; here no switch is above another, so that transit traffic need not
//! gather round a root. The set is judged under uniform traffic between hosts (between switches where there
//! is no host), spread evenly over the shortest paths of each pair.
//!
//! ```text
//!   all shortest paths ──▶ traffic of every turn ──┬─▶ break the cheapest turn of a cycle, until acyclic ─┐
//!   a spanning tree: turns that stay ──────────────┴─▶ allow the busiest turn that closes no cycle ───────┤
//!   UP*/DOWN* ────────────────────────────────────────────────────────────────────────────────────────────┤
//!                     the best of them ◀── turns back in while acyclic ◀──────────────────────────────────┘
//!                             └──▶ channels moved within their order while that helps ──▶ allowed turns
//! ```
//!
//! Of the candidates the one with the least cost is taken, among those whose routes are on the mean no longer
//! than UP*/DOWN*'s with the same tree and root; that one is a candidate itself. So the mean distance is never
//! above UP*/DOWN*'s, unless those leave pairs without a route, as they may with several roots. The cost is the
//! sum of the squared loads of all channels: it grows with detours and with crowding alike.
//!
//! Costs O(switches with hosts x turns) for each look at the traffic, of which there are at most [`RECOUNTS`]
//! while cycles are broken; moving channels takes as many looks as a fixed number of steps allows, so that small
//! networks are searched until no move helps, and the largest hardly at all.
//!
//! # Source
//! Smart routing: Cherkasova, Kotov and Rokicki 1995, *Fibre channel fabrics: evaluation and design* (HICSS
//! 1996), asked for by Mainwaring et al. 1997, section 6. As described there and in comparisons with it, all
//! paths of all pairs give the channel dependency graph, from which an iterative process takes away
//! dependencies by a heuristic cost until it is acyclic. The paper's cost function is not known to us. Ours is
//! the traffic that turns there, counted anew as turns are taken away. Departures: the turns along a spanning
//! tree always stay, which keeps every pair connected; turns that close no cycle any more are allowed again;
//! other acyclic sets compete; the winner is improved by moving channels.
//!
//! # Validation
//! tests/network/oracle/smart.rs: acyclic, complete and never longer than UP*/DOWN* on random multigraphs, distances
//! against Floyd-Warshall over channels, no deadlock in simulations beyond saturation.

pub(super) mod cycles;
mod moves;
pub(super) mod order;

use simnet_base::ids::SwitchId;

use super::allowed_turns::AllowedTurns;
use super::directions::Directions;
use super::graph::SwitchGraph;
use super::paths::LegalMoves;
use super::spread::{Spread, weights};
use cycles::Breaker;
use order::Ordered;

/// How often the traffic is counted anew at most while cycles are broken.
const RECOUNTS: usize = 64;

/// The set of turns that smart routing allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Smart {
    roots: Vec<SwitchId>,
    relabelled: Vec<SwitchId>,
    are_spines: bool,
    turns: AllowedTurns,
}

impl Smart {
    /// Finds the turns for a graph whose switches have these numbers of hosts.
    ///
    /// `directions` are the UP*/DOWN* ones that it starts from, and that it is never worse than in mean
    /// distance. Deterministic in its arguments.
    pub fn new(graph: &SwitchGraph, hosts: &[u32], directions: &Directions) -> Smart {
        let hosts = weights(hosts);
        let minimal = traffic(graph, &AllowedTurns::all(graph), &hosts);
        let skeleton = skeleton(graph, directions);
        let up_down = AllowedTurns::up_down(graph, directions);
        let spread = |turns: &AllowedTurns| Spread::new(&LegalMoves::turns(graph, turns), &hosts);
        let most = spread(&up_down);
        let broken = broken(graph, &hosts, &skeleton, &minimal);
        let judged = [up_down, broken, skeleton].map(|turns| {
            let turns = completed(graph, turns, &minimal);
            (spread(&turns).worth(&most), turns)
        });
        let [first, second, third] = judged;
        let best =
            [second, third].into_iter().fold(first, |best, next| if next.0 < best.0 { next } else { best });
        let improved = moves::improved(graph, &hosts, best.1, &minimal, &most);
        Smart {
            roots: directions.roots().to_vec(),
            relabelled: directions.relabelled().to_vec(),
            are_spines: directions.are_spines(),
            turns: completed(graph, improved, &minimal),
        }
    }

    /// About how many turns are looked at to find the turns of a graph with `hosts` switches that have hosts.
    pub(super) fn steps(graph: &SwitchGraph, hosts: u64) -> u64 {
        let turns: usize = graph.outputs().iter().map(|output| graph.range(output.to).len()).sum();
        hosts * turns as u64 * RECOUNTS as u64 + moves::MOVING_STEPS
    }

    /// The roots of the tree that it started from.
    pub fn roots(&self) -> &[SwitchId] {
        &self.roots
    }

    /// The switches of that tree that were relabelled.
    pub fn relabelled(&self) -> &[SwitchId] {
        &self.relabelled
    }

    /// Whether the roots are all spines of a levelled tree, recognised as such.
    pub fn has_spines(&self) -> bool {
        self.are_spines
    }

    /// The turns along a spanning tree, and as many others as close no cycle with them, its own turns first; and per
    /// channel whether it is of that tree.
    ///
    /// Its own turns alone may leave a pair of switches without a path that goes on by the destination alone.
    pub(super) fn around_tree(&self, graph: &SwitchGraph, hosts: &[u32]) -> (AllowedTurns, Vec<bool>) {
        let in_tree = spanning_tree(graph, &self.roots);
        let stay = AllowedTurns::where_(graph, |by, next| in_tree[by] && in_tree[next]);
        let mut wanted = traffic(graph, &AllowedTurns::all(graph), &weights(hosts));
        for by in 0..graph.outputs().len() {
            for next in self.turns.after(graph, by) {
                let wanted = &mut wanted[stay.position(graph, by, next)];
                *wanted = wanted.saturating_add(1 << 63);
            }
        }
        (completed(graph, stay, &wanted), in_tree)
    }

    /// The turns that routes may take: without any cycle, and with a path for every pair that cables join.
    pub fn turns(&self) -> &AllowedTurns {
        &self.turns
    }
}

/// The traffic of every turn, by its position, if all pairs spread over their shortest paths of `allowed` turns.
fn traffic(graph: &SwitchGraph, allowed: &AllowedTurns, hosts: &[u32]) -> Vec<u64> {
    let moves = LegalMoves::turns(graph, allowed);
    let turn = |state, next| Some(allowed.position(graph, moves.arrived_by(state)?, next));
    Spread::gathered(&moves, hosts, allowed.positions(), turn).1
}

/// The turns of all shortest paths and those that stay, less one for every cycle.
fn broken(graph: &SwitchGraph, hosts: &[u32], stay: &AllowedTurns, minimal: &[u64]) -> AllowedTurns {
    let mut turns = AllowedTurns::where_(graph, |by, next| {
        stay.allows(graph, by, next) || minimal[stay.position(graph, by, next)] > 0
    });
    let mut demand = traffic(graph, &turns, hosts);
    let mut breaker = Breaker::new(graph);
    // About a third of all turns of a random network are broken.
    let batch = (turns.positions() / 3 / RECOUNTS).max(1);
    for count in 1.. {
        let cost = |by, next| (!stay.allows(graph, by, next)).then(|| demand[stay.position(graph, by, next)]);
        if breaker.break_one(&mut turns, cost).is_none() {
            break;
        }
        if count % batch == 0 {
            demand = traffic(graph, &turns, hosts);
        }
    }
    turns
}

/// Allows every turn that closes no cycle, those with most traffic on shortest paths first.
fn completed(graph: &SwitchGraph, turns: AllowedTurns, minimal: &[u64]) -> AllowedTurns {
    let mut open = Vec::new();
    for by in 0..graph.outputs().len() {
        for next in turns.possible(graph, by).filter(|next| !turns.allows(graph, by, *next)) {
            open.push((minimal[turns.position(graph, by, next)], by, next));
        }
    }
    open.sort_by_key(|(demand, by, next)| (std::cmp::Reverse(*demand), *by, *next));
    let mut ordered = Ordered::new(graph, turns);
    for (_, by, next) in open {
        ordered.add(by, next);
    }
    ordered.into_turns()
}

/// The turns along breadth-first trees from the roots, and from one switch of every component without.
///
/// A tree has no cycle but back over the same cable, so these turns have none.
fn skeleton(graph: &SwitchGraph, directions: &Directions) -> AllowedTurns {
    let in_tree = spanning_tree(graph, directions.roots());
    AllowedTurns::where_(graph, |by, next| in_tree[by] && in_tree[next])
}

/// Per channel whether it is of one of these trees.
pub(super) fn spanning_tree(graph: &SwitchGraph, roots: &[SwitchId]) -> Vec<bool> {
    let mut in_tree = vec![false; graph.outputs().len()];
    let mut reached = vec![false; graph.switches()];
    // One root a component: trees from several would not meet.
    for root in roots.iter().copied().chain(graph.switch_ids()) {
        grow_tree(graph, root, &mut reached, &mut in_tree);
    }
    in_tree
}

/// Grows a breadth-first tree from `root` over the switches that are not `reached`; marks both channels of its cables.
fn grow_tree(graph: &SwitchGraph, root: SwitchId, reached: &mut [bool], in_tree: &mut [bool]) {
    let mut members = Vec::new();
    members.extend((!std::mem::replace(&mut reached[root.index()], true)).then_some(root));
    let mut next = 0;
    while let Some(&switch) = members.get(next) {
        next += 1;
        for nth in graph.range(switch) {
            let output = &graph.outputs()[nth];
            if !std::mem::replace(&mut reached[output.to.index()], true) {
                in_tree[nth] = true;
                in_tree[output.reverse as usize] = true;
                members.push(output.to);
            }
        }
    }
}
