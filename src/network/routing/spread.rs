//! The load of every channel if each pair of hosts spread evenly over its shortest legal paths.

use std::cmp::Reverse;

use rayon::prelude::*;
use simnet_base::ids::SwitchId;

use super::paths::{FoundStep, LegalMoves, State, Toward};

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
    /// Between switches with these numbers of hosts. Costs a search per switch with hosts, shared by all cores.
    pub fn new(moves: &LegalMoves<'_>, hosts: &[u32]) -> Spread {
        Spread::gathered(moves, hosts, 0, |_, _| None).0
    }

    /// As [`Spread::new`], with the loads that leave states added up in so many `places`: `place(state, output)` says
    /// where. Sums of whole numbers are the same however the destinations are shared out.
    pub(super) fn gathered(
        moves: &LegalMoves<'_>,
        hosts: &[u32],
        places: usize,
        place: impl Fn(State, usize) -> Option<usize> + Sync,
    ) -> (Spread, Vec<u64>) {
        let none = || (Spread::none(moves), vec![0; places]);
        let to_some = |destinations: &[SwitchId]| {
            let (_, mut loads) = none();
            let visit = |state, nth, load| {
                if let Some(place) = place(state, nth) {
                    loads[place] += load;
                }
            };
            (Spread::to(moves, (hosts, destinations), visit, |_, _| ()), loads)
        };
        let destinations = destinations(moves, hosts);
        destinations.par_chunks(TOGETHER).map(to_some).reduce(none, |(spread, mut loads), (more, added)| {
            loads.iter_mut().zip(added).for_each(|(load, added)| *load += added);
            (spread.and(&more), loads)
        })
    }

    fn none(moves: &LegalMoves<'_>) -> Spread {
        Spread { over: vec![0; moves.graph().outputs().len()], pairs: 0, distance: 0 }
    }

    fn and(mut self, other: &Spread) -> Spread {
        self.over.iter_mut().zip(&other.over).for_each(|(load, more)| *load += more);
        self.pairs += other.pairs;
        self.distance += other.distance;
        self
    }

    /// As [`Spread::new`], calling `visit(state, output, load)` for every load that leaves a state and `each` with the
    /// search towards every destination, one after the other.
    pub(super) fn searched(
        moves: &LegalMoves<'_>,
        hosts: &[u32],
        visit: impl FnMut(State, usize, u64),
        each: impl FnMut(SwitchId, &Toward),
    ) -> Spread {
        Spread::to(moves, (hosts, &destinations(moves, hosts)), visit, each)
    }

    /// The traffic to these destinations alone.
    fn to(
        moves: &LegalMoves<'_>,
        (hosts, destinations): (&[u32], &[SwitchId]),
        mut visit: impl FnMut(State, usize, u64),
        mut each: impl FnMut(SwitchId, &Toward),
    ) -> Spread {
        let mut spread = Spread::none(moves);
        let mut toward = Toward::new(moves.graph());
        let mut arriving = vec![0; moves.states()];
        let mut steps = Vec::new();
        for destination in destinations.iter().copied() {
            steps.clear();
            toward.search_with(moves, destination, |step: FoundStep| steps.push(step));
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
            // Backwards, all steps into a state come before those out of it: what arrives is known when it is shared
            // out.
            for FoundStep { from, nth, to } in steps.iter().rev() {
                let here = arriving[from.index()];
                if here > 0 {
                    let (nth, share) = (*nth as usize, share(here, toward.paths(*to), toward.paths(*from)));
                    spread.over[nth] += share;
                    arriving[to.index()] += share;
                    visit(*from, nth, share);
                }
            }
        }
        spread
    }

    /// The load of the busiest channel, in [`PAIR`]ths of a route.
    pub fn busiest(&self) -> u64 {
        self.over.iter().copied().max().unwrap_or(0)
    }

    /// The sum of the squared loads, which grows with detours and with crowding alike.
    pub(super) fn cost(&self) -> u128 {
        let squares = self.over.iter().map(|load| u128::from(*load) * u128::from(*load));
        squares.fold(0, |sum: u128, square| sum.saturating_add(square))
    }

    /// How good it is, the lower the better: first that no pair lacks a path, then that distances are not above
    /// those of `other`, then the cost.
    pub(super) fn worth(&self, other: &Spread) -> (Reverse<u64>, bool, u128) {
        (Reverse(self.pairs), self.distance > other.distance, self.cost())
    }
}

/// How many destinations one core takes at a time.
const TOGETHER: usize = 32;

/// The switches with hosts.
fn destinations(moves: &LegalMoves<'_>, hosts: &[u32]) -> Vec<SwitchId> {
    moves.graph().switch_ids().filter(|switch| hosts[switch.index()] > 0).collect()
}

/// The hosts of each switch; one each if there is none at all, so that traffic of switches counts instead.
pub(super) fn weights(hosts: &[u32]) -> Vec<u32> {
    if hosts.iter().all(|count| *count == 0) { vec![1; hosts.len()] } else { hosts.to_vec() }
}

/// The part of `whole` that `paths` out of `all` take, rounded down.
fn share(whole: u64, paths: u64, all: u64) -> u64 {
    // Most states have one step, which takes all.
    if paths == all {
        return whole;
    }
    // Without the division of 128 bits where 64 hold the product: nearly always.
    if let Some(scaled) = whole.checked_mul(paths) {
        return (scaled / all.max(1)).min(whole);
    }
    let scaled = u128::from(whole) * u128::from(paths) / u128::from(all.max(1));
    u64::try_from(scaled).unwrap_or(whole).min(whole)
}

#[cfg(test)]
mod tests {
    use super::super::allowed_turns::AllowedTurns;
    use super::super::graph::SwitchGraph;
    use super::*;
    use crate::topology::generate;

    /// The loads of all channels, state by state, the farthest first, by a look at all moves from each.
    fn looked_up(moves: &LegalMoves<'_>, hosts: &[u32]) -> Vec<u64> {
        let mut over = vec![0; moves.graph().outputs().len()];
        let mut toward = Toward::new(moves.graph());
        for destination in destinations(moves, hosts) {
            toward.search(moves, destination);
            let mut arriving = vec![0; moves.states()];
            for state in toward.reached().iter().filter(|state| state.is_start()) {
                let pairs = hosts[state.switch().index()] * hosts[destination.index()];
                arriving[state.index()] = u64::from(pairs) * PAIR;
            }
            for state in toward.reached().iter().rev() {
                for (nth, next) in toward.steps(moves, *state) {
                    let share = share(arriving[state.index()], toward.paths(next), toward.paths(*state));
                    over[nth] += share;
                    arriving[next.index()] += share;
                }
            }
        }
        over
    }

    /// Wrong if a destination were left out or counted twice where many are shared out, or if a share were another
    /// without 128 bits, or if steps as a search meets them gave other loads than a look at all moves.
    #[test]
    fn shared_out_it_is_what_one_search_after_the_other_gives() {
        for (seed, switches) in [(1, 31), (2, 32), (3, 33), (4, 80)] {
            let size = [("switches", switches), ("degree", 4), ("hosts-per-switch", 2)];
            let graph = SwitchGraph::new(&generate::build("random-regular", &size, seed).unwrap());
            let moves = LegalMoves::unrestricted(&graph);
            let hosts: Vec<u32> = (0..u32::try_from(switches).unwrap()).map(|nth| nth % 3).collect();
            let (spread, loads) = Spread::gathered(&moves, &hosts, graph.outputs().len(), |_, nth| Some(nth));
            assert_eq!(spread, Spread::searched(&moves, &hosts, |_, _, _| (), |_, _| ()));
            assert_eq!(loads, spread.over);
            assert_eq!(loads, looked_up(&moves, &hosts));
            let turns = AllowedTurns::where_(&graph, |by, next| (by + 2 * next) % 5 != 0);
            let moves = LegalMoves::turns(&graph, &turns);
            assert_eq!(Spread::new(&moves, &hosts).over, looked_up(&moves, &hosts));
        }
        assert_eq!((share(7, 2, 3), share(1 << 63, 2, 3), share(5, 9, 0)), (4, u64::MAX / 3, 5));
    }
}
