//! The spines of a levelled tree: fat trees and folded Clos networks, regular or not, recognised by their cables.
//!
//! # Scope and limitations
//! A component of the switches is a *levelled tree* if routes that climb to its highest row and descend again are as
//! short as any, whatever failed:
//!
//! 1. its leaves are the switches with hosts; the *row* of a switch is its distance from the nearest leaf, and only
//!    switches on shortest paths between leaves count,
//! 2. no cable joins two such switches of one row,
//! 3. with all switches of the highest row as roots, every two switches with hosts have an UP*/DOWN* path as short
//!    as the shortest path without a rule.
//!
//! The third is what makes these roots worth having, and holds for no torus, hypercube or random graph of more than a
//! few switches. A host or two at a spine are no obstacle: a network that is refused is looked at again with only
//! those switches as leaves that have more hosts, [`MOST_THRESHOLDS`] times at most. With failed cables, missing
//! hosts or pods of different sizes a tree is recognised as long as the third rule holds.
//!
//! ```text
//!        row 2    o   o   o   o        the spines: all of them are roots
//!                 |\ /|   |\ /|
//!        row 1    o   o   o   o
//!                 |\ /|   |\ /|
//!        row 0    o   o   o   o        leaves, with the hosts
//! ```
//!
//! Costs a few searches per switch with hosts, but for networks that the second rule refuses.
//!
//! # Source
//! Our choice. OpenSM's `ftree` engine and folded_clos.rs here demand regular trees; subnet managers take the spines
//! as roots where a file names them (`opensm -a`).
//!
//! # Validation
//! tests/network/oracle/spines.rs: generated trees whole and broken against their known spines, other networks
//! refused, loads against minimal routes.

use rayon::prelude::*;
use simnet_base::ids::SwitchId;

use super::directions::{Directions, Tree};
use super::graph::{SwitchGraph, UNREACHED};
use super::paths::{LegalMoves, State, Toward};

/// How many least numbers of hosts are tried.
const MOST_THRESHOLDS: usize = 4;

/// All spines of a graph whose switches have these numbers of hosts, in order of position; `None` if some component
/// with two switches that have hosts is no levelled tree, or if there is no such component.
///
/// Components with fewer switches that have hosts contribute their switch of the lowest id, so that each has a root.
pub(super) fn spines(graph: &SwitchGraph, hosts: &[u32]) -> Option<Vec<SwitchId>> {
    let mut all = Vec::new();
    let mut trees = 0;
    for members in graph.components() {
        let hosted: Vec<SwitchId> = members.iter().copied().filter(|s| hosts[s.index()] > 0).collect();
        if hosted.len() < 2 {
            all.extend(members.first());
        } else {
            all.extend(of_component(graph, hosts, &hosted)?);
            trees += 1;
        }
    }
    all.sort_unstable();
    (trees > 0).then_some(all)
}

/// The spines of the component with these switches that have hosts.
fn of_component(graph: &SwitchGraph, hosts: &[u32], hosted: &[SwitchId]) -> Option<Vec<SwitchId>> {
    let mut counts: Vec<u32> = hosted.iter().map(|switch| hosts[switch.index()]).collect();
    counts.sort_unstable();
    counts.dedup();
    counts.into_iter().take(MOST_THRESHOLDS).find_map(|least| {
        let leaves: Vec<SwitchId> = hosted.iter().copied().filter(|s| hosts[s.index()] >= least).collect();
        let roots = highest_row(graph, &leaves)?;
        are_shortest(graph, hosted, &roots).then_some(roots)
    })
}

/// The switches of the highest row, by the first two rules of the module.
fn highest_row(graph: &SwitchGraph, leaves: &[SwitchId]) -> Option<Vec<SwitchId>> {
    let row = graph.distances(leaves.iter().copied());
    // Two leaves with a cable between them are refused at once, before any search: most networks are.
    let is_leaf = |switch: SwitchId| row[switch.index()] == 0;
    if leaves.len() < 2 || leaves.iter().any(|leaf| graph.of(*leaf).iter().any(|o| is_leaf(o.to))) {
        return None;
    }
    let between = between(graph, leaves);
    let level = |switch: SwitchId| Some(row[switch.index()]).filter(|_| between[switch.index()]);
    for switch in graph.switch_ids().filter(|switch| between[switch.index()]) {
        if graph.of(switch).iter().any(|output| level(output.to) == level(switch)) {
            return None;
        }
    }
    let highest = graph.switch_ids().filter_map(level).max()?;
    Some(graph.switch_ids().filter(|switch| level(*switch) == Some(highest)).collect())
}

/// Which switches lie on a shortest path between two of these. Costs a search for each of them.
fn between(graph: &SwitchGraph, leaves: &[SwitchId]) -> Vec<bool> {
    let none = || vec![false; graph.switches()];
    let marked = leaves.par_iter().fold(none, |mut between, leaf| {
        mark_between(graph, leaves, *leaf, &mut between);
        between
    });
    let both = |one: Vec<bool>, other: Vec<bool>| one.iter().zip(other).map(|(a, b)| *a || b).collect();
    marked.reduce(none, both)
}

/// Marks the switches on shortest paths from `leaf` to the others.
fn mark_between(graph: &SwitchGraph, leaves: &[SwitchId], leaf: SwitchId, between: &mut [bool]) {
    let distance = graph.distances([leaf]);
    let mut here = vec![false; graph.switches()];
    let mut open: Vec<SwitchId> =
        leaves.iter().copied().filter(|s| distance[s.index()] != UNREACHED).collect();
    open.iter().for_each(|switch| here[switch.index()] = true);
    while let Some(switch) = open.pop() {
        between[switch.index()] = true;
        for output in graph.of(switch) {
            let to = output.to.index();
            // Nearer to the leaf: on a shortest path from it to some other.
            if distance[to] < distance[switch.index()] && !std::mem::replace(&mut here[to], true) {
                open.push(output.to);
            }
        }
    }
}

/// Whether UP*/DOWN* paths from these roots are as short as any between all these switches.
fn are_shortest(graph: &SwitchGraph, hosted: &[SwitchId], roots: &[SwitchId]) -> bool {
    let directions = Directions::from_roots(graph, roots.to_vec(), Tree::Bfs);
    let moves = LegalMoves::up_down(graph, &directions);
    let judged = hosted.par_iter().map_init(
        || Toward::new(graph),
        |toward, destination| are_shortest_to(*destination, &moves, toward, hosted),
    );
    judged.all(|are_shortest| are_shortest)
}

/// Whether legal paths to one switch are as short as any from all of these.
fn are_shortest_to(
    destination: SwitchId,
    moves: &LegalMoves<'_>,
    toward: &mut Toward,
    hosted: &[SwitchId],
) -> bool {
    let least = moves.graph().distances([destination]);
    toward.search(moves, destination);
    hosted.iter().all(|source| {
        let distance = toward.distance(State::start(*source));
        distance.unwrap_or(UNREACHED) == least[source.index()]
    })
}
