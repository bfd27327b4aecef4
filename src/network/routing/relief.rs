//! Relief of the fullest channels: routes over them are put elsewhere, over and over.
//!
//! # Scope and limitations
//! Made for trees with exceptions, where routes of few pairs share channels with those of many, and what a single pass
//! spreads evenly is not even in sum. Loads are to come down to an aim below the best so far: by a step that is an
//! eighth of it at first, and half as large whenever some rounds gained nothing. A route over a channel that is above
//! the aim goes where it costs least; every round makes the channels dearer that stay above it, so that in time others
//! make way. That ends when no routes could be better, when nothing is gained by steps of one for some rounds, or
//! after a fixed number of looks at channels; the best is kept.
//!
//! # Source
//! McMurchie and Ebeling 1995, *PathFinder: a negotiation-based performance-driven router for FPGAs*: prices of
//! present and of past congestion. How they grow is ours.
//!
//! # Validation
//! tests/network/oracle/exceptions_load.rs: the busiest channel against bounds that no routes go below.

use simnet_base::ids::SwitchId;

use super::graph::{SwitchGraph, UNREACHED};

/// Gives up after so many rounds in a row without gain by steps of one.
const VAIN: usize = 96;

/// Takes smaller steps after so many by larger ones.
const VAIN_BY_MORE: usize = 2;

/// How many looks at channels there are in all.
const MOST_LOOKS: u64 = 1 << 27;

/// Loads by channel, and what they cost.
pub(super) struct Relief {
    load: Vec<u64>,
    /// What being above the aim costs on each channel, by unit of load.
    price: Vec<u64>,
    /// The load that no channel is to exceed.
    aim: u64,
    /// The load of the busiest channel when that was least, and what it is at least by any routes.
    best: u64,
    least: u64,
    /// By how much the aim is below that.
    step: u64,
    vain: usize,
    looks: u64,
}

/// What has become of a round.
#[derive(Clone, Copy)]
pub(super) struct Round {
    /// Whether it is the best so far.
    pub(super) is_better: bool,
    /// Whether there is to be no other.
    pub(super) is_last: bool,
}

impl Relief {
    /// Begins with these loads of all pairs of so many hosts of switches; `None` if there is nothing to relieve.
    pub(super) fn new(graph: &SwitchGraph, hosts: &[u32], load: Vec<u64>) -> Option<Relief> {
        let least = least(graph, hosts);
        let best = load.iter().copied().max().filter(|most| *most > least)?;
        let step = (best / 8).clamp(1, best - least);
        let price = vec![1; load.len()];
        Some(Relief { load, price, aim: best - step, best, least, step, vain: 0, looks: 0 })
    }

    /// Whether a channel is above the aim.
    pub(super) fn is_full(&self, channel: usize) -> bool {
        self.load[channel] > self.aim
    }

    /// Whether any of these channels is above the aim.
    pub(super) fn is_over(&mut self, mut path: impl Iterator<Item = usize>) -> bool {
        path.any(|channel| {
            self.looks += 1;
            self.load[channel] > self.aim
        })
    }

    /// Takes a load off these channels.
    pub(super) fn take(&mut self, path: impl Iterator<Item = usize>, load: u64) {
        path.for_each(|channel| self.load[channel] -= load);
    }

    /// Puts a load on these channels.
    pub(super) fn put(&mut self, path: impl Iterator<Item = usize>, load: u64) {
        path.for_each(|channel| self.load[channel] += load);
    }

    /// What a load on these channels would cost, the lower the better: by how much more they would be above the aim,
    /// at their prices; then the loads that it would meet.
    pub(super) fn cost(&mut self, path: impl Iterator<Item = usize>, load: u64) -> (u64, u64) {
        let (mut over, mut met) = (0_u64, 0);
        for channel in path {
            let before = self.load[channel];
            let more = (before + load).saturating_sub(self.aim.max(before));
            over = over.saturating_add(more.saturating_mul(self.price[channel]));
            met += before;
            self.looks += 1;
        }
        (over, met)
    }

    /// Ends a round: lowers the aim, or raises prices, or takes smaller steps.
    pub(super) fn end_round(&mut self) -> Round {
        let most = self.load.iter().copied().max().unwrap_or(0);
        let is_better = most < self.best;
        self.best = self.best.min(most);
        let is_met = most <= self.aim;
        self.vain = if is_met { 0 } else { self.vain + 1 };
        let is_halved = self.step > 1 && self.vain == VAIN_BY_MORE;
        let is_over = self.best <= self.least
            || self.looks > MOST_LOOKS
            || !is_met && self.step == 1 && self.vain == VAIN;
        self.step = if is_halved { self.step / 2 } else { self.step };
        if is_met || is_halved {
            self.vain = 0;
            self.aim = self.best.saturating_sub(self.step).max(self.least);
            self.price.fill(1);
        } else {
            for (price, load) in self.price.iter_mut().zip(&self.load) {
                *price += u64::from(*load > self.aim);
            }
        }
        Round { is_better, is_last: is_over }
    }

    /// The load of the busiest channel, and the sum of all.
    pub(super) fn busiest_and_sum(&self) -> (u64, u64) {
        (self.load.iter().copied().max().unwrap_or(0), self.load.iter().sum())
    }
}

/// The load of some channel of a switch with hosts at least: what these send, over the cables that it has. Where a pair
/// that cables join has no route this may be too much, and relief ends before its time.
fn least(graph: &SwitchGraph, hosts: &[u32]) -> u64 {
    let mut least = 0;
    let mut is_seen = vec![false; graph.switches()];
    for first in graph.switch_ids() {
        if is_seen[first.index()] {
            continue;
        }
        let distances = graph.distances([first]);
        let joined: Vec<SwitchId> =
            graph.switch_ids().filter(|switch| distances[switch.index()] != UNREACHED).collect();
        let count = |switch: &SwitchId| u64::from(hosts[switch.index()]);
        let all: u64 = joined.iter().map(count).sum();
        for switch in joined {
            is_seen[switch.index()] = true;
            let (own, cables) = (count(&switch), graph.of(switch).len() as u64);
            least = least.max((own * (all - own)).div_ceil(cables.max(1)));
        }
    }
    least
}
