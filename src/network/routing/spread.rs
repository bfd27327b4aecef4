//! The load of every channel if each pair of hosts spread evenly over its shortest legal paths.

use std::cmp::Reverse;

use simnet_base::ids::SwitchId;

use super::paths::{LegalMoves, State, Toward};

/// What one pair of hosts sends, in the units of [`Spread::over`]: a power of two, so that it can be shared
/// among many paths in whole numbers.
pub const PAIR: u64 = 1 << 20;

/// Uniform traffic of all pairs of hosts over all their shortest legal paths: what a random choice among these
/// comes to on the mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spread {
    /// Per output of the graph its load, in [`PAIR`]ths of a route; shares are rounded down.
    pub over: Vec<u64>,
    /// How many ordered pairs of hosts have a path, each host with itself and its neighbours included.
    pub pairs: u64,
    /// The sum of their distances, in switch-to-switch cables.
    pub distance: u64,
}

impl Spread {
    /// Between switches with these numbers of hosts. Costs a search per switch with hosts.
    pub fn new(moves: &LegalMoves<'_>, hosts: &[u32]) -> Spread {
        Spread::watched(moves, hosts, |_, _, _| ())
    }

    /// As [`Spread::new`], calling `visit(state, output, load)` for every load that leaves a state.
    pub(super) fn watched(
        moves: &LegalMoves<'_>,
        hosts: &[u32],
        visit: impl FnMut(State, usize, u64),
    ) -> Spread {
        Spread::searched(moves, hosts, visit, |_, _| ())
    }

    /// As [`Spread::watched`], calling `each` with the search towards every destination.
    pub(super) fn searched(
        moves: &LegalMoves<'_>,
        hosts: &[u32],
        mut visit: impl FnMut(State, usize, u64),
        mut each: impl FnMut(SwitchId, &Toward),
    ) -> Spread {
        let graph = moves.graph();
        let mut spread = Spread { over: vec![0; graph.outputs().len()], pairs: 0, distance: 0 };
        let mut toward = Toward::new(graph);
        let mut arriving = vec![0; moves.states()];
        for destination in graph.switch_ids().filter(|switch| hosts[switch.index()] > 0) {
            toward.search(moves, destination);
            each(destination, &toward);
            let at = u64::from(hosts[destination.index()]);
            let pairs = |from: SwitchId| u64::from(hosts[from.index()]) * at;
            for state in toward.reached() {
                let starting = if state.is_start() { pairs(state.switch()) } else { 0 };
                let distance = toward.distance(*state).expect("it is reached");
                arriving[state.index()] = starting * PAIR;
                spread.pairs += starting;
                spread.distance += starting * u64::from(distance);
            }
            // Farthest first, so that all that arrives in a state is known when it is shared out.
            for state in toward.reached().iter().rev() {
                let here = arriving[state.index()];
                if here == 0 {
                    continue;
                }
                for (nth, next) in toward.steps(moves, *state) {
                    let share = share(here, toward.paths(next), toward.paths(*state));
                    spread.over[nth] += share;
                    arriving[next.index()] += share;
                    visit(*state, nth, share);
                }
            }
        }
        spread
    }

    /// The load of the busiest channel, in [`PAIR`]ths of a route.
    pub fn busiest(&self) -> u64 {
        self.over.iter().copied().max().unwrap_or(0)
    }

    /// How good it is, the lower the better: first that no pair lacks a path, then that distances are not above
    /// those of `other`, then the sum of the squared loads, which grows with detours and with crowding alike.
    pub(super) fn worth(&self, other: &Spread) -> (Reverse<u64>, bool, u128) {
        let squares = self.over.iter().map(|load| u128::from(*load) * u128::from(*load));
        let cost = squares.fold(0, |sum: u128, square| sum.saturating_add(square));
        (Reverse(self.pairs), self.distance > other.distance, cost)
    }
}

/// The hosts of each switch; one each if there is none at all, so that traffic of switches counts instead.
pub(super) fn weights(hosts: &[u32]) -> Vec<u32> {
    if hosts.iter().all(|count| *count == 0) { vec![1; hosts.len()] } else { hosts.to_vec() }
}

/// The part of `whole` that `paths` out of `all` take, rounded down.
fn share(whole: u64, paths: u64, all: u64) -> u64 {
    let scaled = u128::from(whole) * u128::from(paths) / u128::from(all.max(1));
    u64::try_from(scaled).unwrap_or(whole).min(whole)
}
