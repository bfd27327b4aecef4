//! When hosts create messages: by Poisson, a coin a cycle, at constant gaps, or in bursts.
//!
//! # Scope and limitations
//! Hosts are independent of each other, and all have the same rate. Arrivals go on whether or not the interface
//! keeps up (an open system), so beyond saturation the queue at the source grows for ever. All processes are
//! stationary from the start: constant gaps begin at a random phase, bursts in or between bursts as chance has
//! it. The mean gap is the requested one with every process; a gap is counted in picoseconds, rounded down.
//!
//! # Source
//! Sancho and Robles 2000 do not say how arrivals are drawn; Poisson is the usual reading. The coin a cycle is
//! the source of Dally and Towles 2004, section 24.2, as is the one with bursts (a Markov-modulated process),
//! with exponential instead of geometric times within and between bursts.
//!
//! # Validation
//! Mean and index of dispersion of counts of every process against their formulas, the coin against a literal
//! one; offered against accepted traffic in the integration tests.

use simnet_base::des::random::Stream;
use simnet_base::units::{Duration, Time};

/// When a host creates messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// Exponential gaps.
    Poisson,
    /// A message or none in every cycle, each cycle for itself.
    Bernoulli,
    /// Equal gaps, from a random phase on.
    Constant,
    /// Only within bursts.
    Bursts {
        /// The mean length of a burst; lengths are exponential.
        on: Duration,
        /// The mean time between two bursts, exponential too.
        off: Duration,
        /// When messages are created within bursts, with gaps that are shorter by `on / (on + off)`, so that
        /// bursts do not change the mean load.
        within: Within,
    },
}

/// When messages are created within bursts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// Exponential gaps.
    Poisson,
    /// Equal gaps; what is left of one at the end of a burst is left for the next burst.
    Constant,
}

impl Arrivals {
    /// The mean gap between two messages of a burst, in picoseconds, where gaps are of `gap` picoseconds in the
    /// mean over all time; `None` without bursts.
    pub fn gap_in_burst(&self, gap: f64) -> Option<f64> {
        match self {
            Arrivals::Bursts { on, off, .. } => {
                let (on, off) = (on.as_ps() as f64, off.as_ps() as f64);
                Some(gap * on / (on + off))
            }
            Arrivals::Poisson | Arrivals::Bernoulli | Arrivals::Constant => None,
        }
    }

    /// The process with gaps of `gap` picoseconds in the mean, in cycles of `cycle`.
    pub(super) fn at(&self, gap: f64, cycle: Duration) -> Process {
        match *self {
            Arrivals::Poisson => Process::Poisson { gap: whole(gap) },
            Arrivals::Constant => Process::Constant { gap: whole(gap).max(1) },
            Arrivals::Bernoulli => {
                let chance = (cycle.as_ps() as f64 / gap).min(1.0);
                let mean = -1.0 / libm::log1p(-chance) * (1_u64 << COIN_FRACTION) as f64;
                Process::Bernoulli { cycle, mean: whole(mean) }
            }
            Arrivals::Bursts { on, off, within } => {
                let gap = whole(self.gap_in_burst(gap).expect("these are bursts")).max(1);
                Process::Bursts { on, off, gap, within }
            }
        }
    }
}

/// A positive number rounded down; what is too large saturates.
pub(super) fn whole(number: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive; the cast saturates"
    )]
    {
        number as u64
    }
}

/// Fractional bits of the mean from which [`Process::Bernoulli`] draws.
const COIN_FRACTION: u32 = 20;

/// Arrivals at a given load. Times are in picoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Process {
    Poisson {
        gap: u64,
    },
    /// `mean` is `-1 / ln(1 - chance)` cycles, in fixed point.
    Bernoulli {
        cycle: Duration,
        mean: u64,
    },
    Constant {
        gap: u64,
    },
    /// `gap` is that within bursts.
    Bursts {
        on: Duration,
        off: Duration,
        gap: u64,
        within: Within,
    },
}

/// How far the arrivals of one host have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Clock {
    /// When the last message was created.
    last: Time,
    /// What is left of the burst at that time; nothing without bursts.
    left: u64,
    started: bool,
}

impl Clock {
    /// Arrivals that have not begun.
    pub(super) const NEW: Clock = Clock { last: Time::ZERO, left: 0, started: false };
}

impl Process {
    /// Lets the next message of a host arrive; its chance is `stream`. Costs O(1), with bursts O(bursts passed).
    #[inline]
    pub(super) fn next(&self, clock: &mut Clock, stream: &mut Stream) -> Time {
        let first = !std::mem::replace(&mut clock.started, true);
        let gap = match *self {
            Process::Poisson { gap } => stream.exponential(gap),
            Process::Constant { gap } if first => stream.below(gap),
            Process::Constant { gap } => gap,
            Process::Bernoulli { cycle, mean } => {
                // The first coin is thrown in cycle 0, any later one in the cycle after a message at the earliest.
                let tails = stream.exponential(mean) >> COIN_FRACTION;
                (cycle * (tails + u64::from(!first))).as_ps()
            }
            Process::Bursts { on, off, gap, within } => {
                return burst(on, off, (gap, within), first, clock, stream);
            }
        };
        clock.last = clock.last + Duration::from_ps(gap);
        clock.last
    }
}

/// The next arrival within bursts: a gap of time within bursts only, with the times between them added.
fn burst(
    on: Duration,
    off: Duration,
    (gap, within): (u64, Within),
    first: bool,
    clock: &mut Clock,
    stream: &mut Stream,
) -> Time {
    let pause = |stream: &mut Stream| Duration::from_ps(stream.exponential(off.as_ps()));
    if first {
        // The rest of an exponential time is as long as the whole: chance decides only in which one it begins.
        if stream.below((on + off).as_ps()) >= on.as_ps() {
            clock.last = clock.last + pause(stream);
        }
        clock.left = stream.exponential(on.as_ps());
    }
    let mut gap = match within {
        Within::Poisson => stream.exponential(gap),
        Within::Constant if first => stream.below(gap),
        Within::Constant => gap,
    };
    while gap > clock.left {
        gap -= clock.left;
        clock.last = clock.last + Duration::from_ps(clock.left) + pause(stream);
        clock.left = stream.exponential(on.as_ps());
    }
    clock.left -= gap;
    clock.last = clock.last + Duration::from_ps(gap);
    clock.last
}

#[cfg(test)]
mod tests;
