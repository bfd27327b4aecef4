//! Figures of merit: of directions, over all pairs of switches, and of routes, over all pairs of hosts.

use rayon::prelude::*;
use simnet_base::ids::SwitchId;

use super::directions::Directions;
use super::graph::SwitchGraph;
use super::paths::{FoundStep, LegalMoves, Toward};

/// What the rule allows between switches, whichever paths are then selected.
///
/// # Source
/// Sancho and Robles 2000, section 3 and Table 1. The paper's text leaves open what exactly is counted; these
/// readings reproduce its printed numbers best: distances over ordered pairs of distinct switches, and *all*
/// shortest legal paths of every such pair counted on each directed channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchMetrics {
    /// The sum of the shortest legal distances, in cables.
    pub sum_of_distances: u64,
    /// How many ordered pairs of distinct switches a legal path joins.
    pub pairs: u64,
    /// The largest number of shortest legal paths over one directed channel; saturates.
    pub crossing_paths: u64,
}

impl SwitchMetrics {
    /// Of all switches. Costs O(switches x links).
    pub fn new(moves: &LegalMoves<'_>) -> SwitchMetrics {
        all(moves)
    }

    /// Of the paths to these destinations only, from everywhere; `None` as soon as more of them cross one
    /// channel than `limit` then says.
    ///
    /// Every sixteenth of them comes first, since neighbours in order are often alike and fill the same channels.
    /// That is exact since sums do not depend on the order, and one over some destinations is never above that over
    /// all.
    pub(super) fn unless_beyond(
        moves: &LegalMoves<'_>,
        destinations: &[SwitchId],
        limit: impl Fn() -> u64,
    ) -> Option<SwitchMetrics> {
        let mut toward = Toward::new(moves.graph());
        let mut crossings = Crossings::new(moves);
        let mut metrics = SwitchMetrics { sum_of_distances: 0, pairs: 0, crossing_paths: 0 };
        let apart = (0..APART).flat_map(|first| destinations.iter().skip(first).step_by(APART));
        for destination in apart {
            metrics.add(moves, (&mut toward, &mut crossings), *destination);
            metrics.crossing_paths = crossings.most;
            if crossings.most > limit() {
                return None;
            }
        }
        Some(metrics)
    }

    /// Adds the pairs and distances of the paths to one destination, and the paths to `crossings`.
    fn add(
        &mut self,
        moves: &LegalMoves<'_>,
        (toward, crossings): (&mut Toward, &mut Crossings),
        destination: SwitchId,
    ) {
        crossings.steps.clear();
        toward.search_with(moves, destination, |step| crossings.steps.push(step));
        for state in toward.reached().iter().filter(|s| s.is_start() && s.switch() != destination) {
            self.pairs += 1;
            self.sum_of_distances += u64::from(toward.distance(*state).unwrap_or(0));
        }
        crossings.add(toward);
    }

    /// The mean shortest legal distance, in cables; 0 for a single switch, `None` where no pair is joined.
    pub fn mean_distance(&self, switches: usize) -> Option<f64> {
        match (self.pairs, switches) {
            (0, 0 | 1) => Some(0.0),
            (0, _) => None,
            (pairs, _) => Some(self.sum_of_distances as f64 / pairs as f64),
        }
    }
}

/// How far apart in order destinations are that are looked at one after the other.
const APART: usize = 16;

/// Each core takes a part of the destinations; what they found is added up, in whatever order.
fn all(moves: &LegalMoves<'_>) -> SwitchMetrics {
    let graph = moves.graph();
    let none = || SwitchMetrics { sum_of_distances: 0, pairs: 0, crossing_paths: 0 };
    let begin = || (Toward::new(graph), Crossings::new(moves), none());
    let parts =
        (0..graph.switches()).into_par_iter().map(SwitchId::new).fold(begin, |mut part, destination| {
            part.2.add(moves, (&mut part.0, &mut part.1), destination);
            part
        });
    let (crossings, metrics) = parts.map(|(_, crossings, metrics)| (crossings, metrics)).reduce(
        || (Crossings::new(moves), none()),
        |(crossings, metrics), (others, more)| {
            let sum_of_distances = metrics.sum_of_distances + more.sum_of_distances;
            let pairs = metrics.pairs + more.pairs;
            (crossings.and(&others), SwitchMetrics { sum_of_distances, pairs, ..metrics })
        },
    );
    SwitchMetrics { crossing_paths: crossings.most, ..metrics }
}

/// How many paths go over each channel.
struct Crossings {
    over: Vec<u64>,
    /// The most of them.
    most: u64,
    /// Per state how many shortest paths, from any source, arrive in it.
    arriving: Vec<u64>,
    /// The steps of the shortest paths to the destination at hand.
    steps: Vec<FoundStep>,
}

impl Crossings {
    fn new(moves: &LegalMoves<'_>) -> Crossings {
        let over = vec![0; moves.graph().outputs().len()];
        Crossings { over, most: 0, arriving: vec![0; moves.states()], steps: Vec::new() }
    }

    /// Adds those to other destinations. Sums that saturate are the same in any order.
    fn and(mut self, others: &Crossings) -> Crossings {
        for (over, more) in self.over.iter_mut().zip(&others.over) {
            *over = over.saturating_add(*more);
            self.most = self.most.max(*over);
        }
        self
    }

    /// Adds all shortest paths to one destination, whose steps are at hand: a channel is crossed by as many paths as
    /// arrive before it, times as many as go on behind it.
    ///
    /// Backwards, all steps into a state come before those out of it.
    fn add(&mut self, toward: &Toward) {
        for state in toward.reached() {
            self.arriving[state.index()] = u64::from(state.is_start());
        }
        for FoundStep { from, nth, to } in self.steps.iter().rev() {
            let arriving = self.arriving[from.index()];
            let over = &mut self.over[*nth as usize];
            *over = over.saturating_add(arriving.saturating_mul(toward.paths(*to)));
            self.most = self.most.max(*over);
            let after = &mut self.arriving[to.index()];
            *after = after.saturating_add(arriving);
        }
    }
}

/// The mean number per switch of forbidden transitions: ordered pairs of distinct cables that both lead up
/// from it, since a worm that came down one of them may not go up the other.
///
/// # Source
/// Sancho and Robles 2000, Table 1, "restrictions per switch" (its table head says "per node").
pub fn restrictions_per_switch(graph: &SwitchGraph, directions: &Directions) -> f64 {
    let forbidden = |s: SwitchId| {
        let up = graph.of(s).iter().filter(|o| directions.is_up(s, o.to)).count() as u64;
        up * up.saturating_sub(1)
    };
    let sum: u64 = graph.switch_ids().map(forbidden).sum();
    sum as f64 / graph.switches().max(1) as f64
}
