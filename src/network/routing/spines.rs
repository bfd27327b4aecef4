//! The spines of a levelled tree: fat trees and folded Clos networks, regular or not, recognised by their cables.
//!
//! # Scope and limitations
//! A component of the switches is a *levelled tree* if routes that climb to its highest row and descend again are
//! nearly all as short as any, whatever failed or was added:
//!
//! 1. its leaves are the switches with most hosts; the *row* of a switch is its distance from the nearest leaf, and
//!    only switches on shortest paths between leaves count,
//! 2. nearly all cables join two rows; at most one of [`EXCEPTIONS`] joins two switches of one,
//! 3. with all switches of the highest row as roots, nearly every two leaves have an UP*/DOWN* path as short as the
//!    shortest path without a rule; at most one pair of [`EXCEPTIONS`] has not.
//!
//! The third is what makes these roots worth having, and holds for no torus, hypercube or random graph of more than a
//! few switches. Management hosts at spines are no obstacle: leaves are looked for with more and more hosts, as long as
//! they have half of all, and those are taken with which the fewest cables stay within a row, then those with the most
//! switches in the highest. Pairs that have no common ancestor, as two hosts at spines, are those of
//! [`Exceptions`](super::Exceptions).
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

use std::cmp::Reverse;

use rayon::prelude::*;
use simnet_base::ids::SwitchId;

use super::directions::{Directions, Tree};
use super::graph::{SwitchGraph, UNREACHED};
use super::paths::{LegalMoves, State, Toward};

/// How many least numbers of hosts are tried.
const MOST_THRESHOLDS: usize = 6;

/// One of so many cables may join two switches of a row, and one of so many pairs of leaves may have a longer path.
const EXCEPTIONS: usize = 16;

/// The same for what is nearly a levelled tree.
const MANY_EXCEPTIONS: usize = 4;

/// All spines of a graph whose switches have these numbers of hosts, in order of position; `None` if some component
/// with two switches that have hosts is no levelled tree, or if there is no such component.
///
/// Components with fewer switches that have hosts contribute their switch of the lowest id, so that each has a root.
pub(super) fn spines(graph: &SwitchGraph, hosts: &[u32]) -> Option<Vec<SwitchId>> {
    with_exceptions(graph, hosts, EXCEPTIONS)
}

/// Returns whether a graph has no spines, but would have some with more exceptions.
pub(super) fn are_nearly_found(graph: &SwitchGraph, hosts: &[u32]) -> bool {
    spines(graph, hosts).is_none() && with_exceptions(graph, hosts, MANY_EXCEPTIONS).is_some()
}

/// The spines, if one of so many cables and of so many pairs of leaves may be an exception.
fn with_exceptions(graph: &SwitchGraph, hosts: &[u32], one_of: usize) -> Option<Vec<SwitchId>> {
    let mut all = Vec::new();
    let mut trees = 0;
    for members in graph.components() {
        let hosted: Vec<SwitchId> = members.iter().copied().filter(|s| hosts[s.index()] > 0).collect();
        if hosted.len() < 2 {
            all.extend(members.first());
        } else {
            all.extend(of_component(graph, hosts, &hosted, one_of)?);
            trees += 1;
        }
    }
    all.sort_unstable();
    (trees > 0).then_some(all)
}

/// The spines of the component with these switches that have hosts.
fn of_component(
    graph: &SwitchGraph,
    hosts: &[u32],
    hosted: &[SwitchId],
    one_of: usize,
) -> Option<Vec<SwitchId>> {
    let mut counts: Vec<u32> = hosted.iter().map(|switch| hosts[switch.index()]).collect();
    counts.sort_unstable();
    counts.dedup();
    let of = |switches: &[SwitchId]| switches.iter().map(|s| u64::from(hosts[s.index()])).sum::<u64>();
    let all = of(hosted);
    let leaves = |least: u32| -> Vec<SwitchId> {
        hosted.iter().copied().filter(|switch| hosts[switch.index()] >= least).collect()
    };
    let tried = counts.into_iter().take(MOST_THRESHOLDS).map(leaves);
    let tried = tried.take_while(|leaves| leaves.len() > 1 && 2 * of(leaves) >= all);
    let mut trees: Vec<Rows> = tried.filter_map(|leaves| Rows::of(graph, leaves, one_of)).collect();
    trees.sort_by_key(|rows| (rows.within, Reverse(rows.highest.len())));
    trees
        .into_iter()
        .find(|rows| are_shortest(graph, &rows.leaves, &rows.highest, one_of))
        .map(|rows| rows.highest)
}

/// A component in rows.
struct Rows {
    leaves: Vec<SwitchId>,
    /// The switches of the highest row.
    highest: Vec<SwitchId>,
    /// How many cables join two switches of one row, from both ends.
    within: usize,
}

impl Rows {
    /// The rows above these leaves, if the second rule of the module holds.
    fn of(graph: &SwitchGraph, leaves: Vec<SwitchId>, one_of: usize) -> Option<Rows> {
        let row = graph.distances(leaves.iter().copied());
        // Leaves with many cables between them are refused at once, before any search: most networks are.
        let outputs = |switches: &[SwitchId]| switches.iter().map(|s| graph.of(*s).len()).sum::<usize>();
        let within = |switches: &[SwitchId], counts: &dyn Fn(SwitchId) -> bool| {
            let same = |at: &SwitchId| {
                let is_same = |to: SwitchId| counts(to) && row[to.index()] == row[at.index()];
                graph.of(*at).iter().filter(|output| is_same(output.to)).count()
            };
            switches.iter().map(same).sum::<usize>()
        };
        if one_of * within(&leaves, &|_| true) > outputs(&leaves) {
            return None;
        }
        let between = between(graph, &leaves);
        let counting: Vec<SwitchId> = graph.switch_ids().filter(|s| between[s.index()]).collect();
        let within = within(&counting, &|switch| between[switch.index()]);
        if one_of * within > outputs(&counting) {
            return None;
        }
        let most = counting.iter().map(|switch| row[switch.index()]).max()?;
        let highest = counting.into_iter().filter(|switch| row[switch.index()] == most).collect();
        Some(Rows { leaves, highest, within })
    }
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

/// Whether UP*/DOWN* paths from these roots are as short as any between nearly all these leaves.
fn are_shortest(graph: &SwitchGraph, leaves: &[SwitchId], roots: &[SwitchId], one_of: usize) -> bool {
    let directions = Directions::from_roots(graph, roots.to_vec(), Tree::Bfs);
    let moves = LegalMoves::up_down(graph, &directions);
    let longer = leaves.par_iter().map_init(
        || Toward::new(graph),
        |toward, destination| longer_to(*destination, &moves, toward, leaves),
    );
    one_of * longer.sum::<usize>() <= leaves.len() * (leaves.len() - 1)
}

/// From how many of these leaves legal paths to one of them are longer than the shortest ones.
fn longer_to(
    destination: SwitchId,
    moves: &LegalMoves<'_>,
    toward: &mut Toward,
    leaves: &[SwitchId],
) -> usize {
    let least = moves.graph().distances([destination]);
    toward.search(moves, destination);
    let is_longer = |source: &&SwitchId| {
        toward.distance(State::start(**source)).unwrap_or(UNREACHED) != least[source.index()]
    };
    leaves.iter().filter(is_longer).count()
}
