//! Relief of the fullest channels: routes over them are put elsewhere, over and over.
//!
//! # Scope and limitations
//! Made for trees with exceptions, where routes of few pairs share channels with those of many, and what a single pass
//! spreads evenly is not even in sum. Loads are to come down to an aim, one below the best so far. A route over a
//! channel that is above the aim goes where it costs least; every round makes the channels dearer that stay above it,
//! so that in time others make way. That ends when nothing is gained for some rounds, or after a fixed number of looks
//! at channels; the best is kept.
//!
//! # Source
//! McMurchie and Ebeling 1995, *PathFinder: a negotiation-based performance-driven router for FPGAs*: prices of
//! present and of past congestion. How they grow is ours.
//!
//! # Validation
//! tests/network/oracle/exceptions_load.rs: the busiest channel against bounds that no routes go below.

/// Gives up after so many rounds in a row without gain.
const VAIN: usize = 96;

/// How many looks at channels there are in all.
const MOST_LOOKS: u64 = 1 << 25;

/// Loads by channel, and what they cost.
pub(super) struct Relief {
    load: Vec<u64>,
    /// What being above the aim costs on each channel, by unit of load.
    price: Vec<u64>,
    /// The load that no channel is to exceed.
    aim: u64,
    vain: usize,
    looks: u64,
}

/// What has become of a round.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Round {
    /// It is the best so far.
    Better,
    /// It is no better than another.
    Vain,
    /// As that, and there is to be no other.
    Last,
}

impl Relief {
    /// Begins with these loads; `None` if there is nothing to relieve.
    pub(super) fn new(load: Vec<u64>) -> Option<Relief> {
        let aim = load.iter().max()?.checked_sub(1)?;
        Some(Relief { price: vec![1; load.len()], load, aim, vain: 0, looks: 0 })
    }

    /// Whether any of these channels is above the aim.
    pub(super) fn is_over(&mut self, mut path: impl Iterator<Item = usize>) -> bool {
        self.looks += 1;
        path.any(|channel| self.load[channel] > self.aim)
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

    /// Ends a round: lowers the aim, or raises prices.
    pub(super) fn end_round(&mut self) -> Round {
        let most = self.load.iter().copied().max().unwrap_or(0);
        if most <= self.aim {
            self.vain = 0;
            let Some(aim) = most.checked_sub(1) else { return Round::Last };
            self.aim = aim;
            self.price.fill(1);
            return Round::Better;
        }
        for (price, load) in self.price.iter_mut().zip(&self.load) {
            *price += u64::from(*load > self.aim);
        }
        self.vain += 1;
        if self.vain == VAIN || self.looks > MOST_LOOKS { Round::Last } else { Round::Vain }
    }

    /// The load of the busiest channel, and the sum of all.
    pub(super) fn busiest_and_sum(&self) -> (u64, u64) {
        (self.load.iter().copied().max().unwrap_or(0), self.load.iter().sum())
    }
}
