//! How much traffic would turn where, if every pair of hosts spread evenly over its shortest paths.

use std::cmp::Reverse;

use crate::ids::SwitchId;
use crate::routing::graph::SwitchGraph;
use crate::routing::paths::{LegalMoves, Toward};

use super::AllowedTurns;

/// What one pair of hosts sends: a power of two, so that it can be shared among many paths in whole numbers.
const UNIT: u64 = 1 << 20;

/// The traffic over channels and turns, in units of [`UNIT`] per pair of hosts.
pub(super) struct Demand {
    /// Per output.
    pub(super) over: Vec<u64>,
    /// Per turn, by its position in the set of turns.
    pub(super) turning: Vec<u64>,
    /// How many pairs of hosts have a path, those on one switch included.
    pub(super) pairs: u64,
    /// The sum of their distances.
    pub(super) distance: u64,
}

impl Demand {
    /// Of all pairs of switches, each as often as it has pairs of hosts. Costs O(switches with hosts x turns).
    pub(super) fn new(graph: &SwitchGraph, allowed: &AllowedTurns, hosts: &[u32]) -> Demand {
        let moves = LegalMoves::turns(graph, allowed);
        let (channels, turns) = (graph.outputs().len(), allowed.positions());
        let mut demand = Demand { over: vec![0; channels], turning: vec![0; turns], pairs: 0, distance: 0 };
        let mut toward = Toward::new(graph);
        let mut arriving = vec![0; moves.states()];
        for destination in graph.switch_ids().filter(|switch| hosts[switch.index()] > 0) {
            toward.search(&moves, destination);
            demand.add(&moves, allowed, hosts, (&toward, destination), &mut arriving);
        }
        demand
    }

    /// Adds the traffic to one destination, farthest states first, so that all that arrives in one is known.
    fn add(
        &mut self,
        moves: &LegalMoves<'_>,
        allowed: &AllowedTurns,
        hosts: &[u32],
        (toward, destination): (&Toward, SwitchId),
        arriving: &mut [u64],
    ) {
        let pairs = |from: SwitchId| u64::from(hosts[from.index()]) * u64::from(hosts[destination.index()]);
        for state in toward.reached() {
            arriving[state.index()] = if state.is_start() { pairs(state.switch()) * UNIT } else { 0 };
        }
        for state in toward.reached().iter().rev() {
            let distance = u64::from(toward.distance(*state).expect("it is reached"));
            if state.is_start() {
                self.pairs += pairs(state.switch());
                self.distance += pairs(state.switch()) * distance;
            }
            let here = arriving[state.index()];
            if here == 0 || distance == 0 {
                continue;
            }
            for (nth, next) in toward.steps(moves, *state) {
                let share = share(here, toward.paths(next), toward.paths(*state));
                self.over[nth] += share;
                if let Some(by) = moves.arrived_by(*state) {
                    self.turning[allowed.position(moves.graph(), by, nth)] += share;
                }
                arriving[next.index()] += share;
            }
        }
    }

    /// How good it is, the lower the better: first that no pair lacks a path, then that distances are not above
    /// those of `other`, then the cost.
    pub(super) fn worth(&self, other: &Demand) -> (Reverse<u64>, bool, u128) {
        (Reverse(self.pairs), self.distance > other.distance, self.cost())
    }

    /// The sum of the squared loads of all channels; saturates.
    fn cost(&self) -> u128 {
        let squares = self.over.iter().map(|load| u128::from(*load) * u128::from(*load));
        squares.fold(0, |sum: u128, square| sum.saturating_add(square))
    }
}

/// The part of `whole` that `paths` out of `all` take, rounded down.
fn share(whole: u64, paths: u64, all: u64) -> u64 {
    let scaled = u128::from(whole) * u128::from(paths) / u128::from(all.max(1));
    u64::try_from(scaled).unwrap_or(whole).min(whole)
}
