//! Moving channels within their order while that makes routes shorter or spreads them better.

use std::cmp::Reverse;

use crate::routing::graph::SwitchGraph;
use crate::routing::paths::LegalMoves;
use crate::routing::spread::Spread;

use super::AllowedTurns;
use super::order::Ordered;

/// How many turns are looked at in all, searches of every network tried included: about a second of one core.
pub(super) const MOVING_STEPS: u64 = 60_000_000;

/// The turns after moves that help, as many as can be afforded. `turns` must be acyclic.
///
/// An order of channels allows every turn that leads onward in it. Each turn that it forbids though shortest
/// paths want it, the most wanted first, is tried to be won in two ways: by moving its first channel to before
/// the second, and by moving the second to behind the first. A move stays if the routes get better by
/// [`Spread::worth`]. So on until no move helps.
pub(super) fn improved(
    graph: &SwitchGraph,
    hosts: &[u32],
    turns: AllowedTurns,
    wanted: &[u64],
    limit: &Spread,
) -> AllowedTurns {
    let with_hosts = hosts.iter().filter(|count| **count > 0).count() as u64;
    let mut affordable = MOVING_STEPS / (with_hosts * turns.positions() as u64).max(1);
    let worth = |turns: &AllowedTurns| Spread::new(&LegalMoves::turns(graph, turns), hosts).worth(limit);
    let mut best = worth(&turns);
    let mut turns = turns;
    let mut order = Ordered::new(graph, turns.clone()).into_order();
    loop {
        let mut helped = false;
        for (by, next) in forbidden(graph, &turns, wanted) {
            if turns.allows(graph, by, next) {
                continue;
            }
            for first_moves in [true, false] {
                let Some(left) = affordable.checked_sub(1) else { return turns };
                affordable = left;
                let moved = moved(&order, by, next, first_moves);
                let tried = allowed_by(graph, &moved);
                let seen = worth(&tried);
                if seen < best {
                    (best, order, turns, helped) = (seen, moved, tried, true);
                    break;
                }
            }
        }
        if !helped {
            return turns;
        }
    }
}

/// The forbidden turns that shortest paths want, the most wanted first.
fn forbidden(graph: &SwitchGraph, turns: &AllowedTurns, wanted: &[u64]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for by in 0..graph.outputs().len() {
        for next in turns.possible(graph, by).filter(|next| !turns.allows(graph, by, *next)) {
            let wanted = wanted[turns.position(graph, by, next)];
            found.extend((wanted > 0).then_some((Reverse(wanted), by, next)));
        }
    }
    found.sort_unstable();
    found.into_iter().map(|(_, by, next)| (by, next)).collect()
}

/// The order in which `by` stands directly before `next`: one of them has moved there.
fn moved(order: &[usize], by: usize, next: usize, first_moves: bool) -> Vec<usize> {
    let (goes, stays) = if first_moves { (by, next) } else { (next, by) };
    let mut moved = Vec::with_capacity(order.len());
    for channel in order.iter().copied().filter(|channel| *channel != goes) {
        match (channel == stays, first_moves) {
            (true, true) => moved.extend([goes, channel]),
            (true, false) => moved.extend([channel, goes]),
            (false, _) => moved.push(channel),
        }
    }
    moved
}

/// Every turn that leads onward in `order`.
fn allowed_by(graph: &SwitchGraph, order: &[usize]) -> AllowedTurns {
    let mut place = vec![0; order.len()];
    for (nth, channel) in order.iter().enumerate() {
        place[*channel] = nth;
    }
    AllowedTurns::where_(graph, |by, next| place[by] < place[next])
}
