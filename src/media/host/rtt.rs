//! Measuring round-trip times, as MPI ranks do it: every ordered pair of machines, until each result can be trusted.
//!
//! ```text
//!   measure --Sequence: a token goes from machine to machine--+--> ping one partner --sets, Student's t--> Measured
//!           --AtOnce:   disjoint pairs, barriers between------+    answer pings
//!           --> rows to machine 0
//! ```
//!
//! # Scope and limitations
//! One rank a machine. A set has `first` samples, a further one twice as many as the one before but no more than
//! `most`, and nothing of an earlier set is used again; after each the pinging one informs its partner whether another
//! follows. A result is the mean of all round trips of the last set, rounded to a picosecond.
//!
//! # Source
//! lawrence2008, section 3.2 ("Raw RTT measurements") and section 4 for the parameters; NOTES trap 23 for the reading:
//! every doubling takes a fresh set of samples, a sample is the mean of some round trips, and the full width of the
//! Student-t interval over the mean decides. The paper does not say how machines take turns: here a machine measures
//! with all others in their order and hands a token on. Several pairs at once are ours, by the circle method of
//! round-robin tournaments.
//!
//! # Validation
//! Unit tests of [`student`] and of the tournament; `tests/running/processes/rtt.rs`: times in closed form.

mod process;
pub mod stopping;
pub mod student;
mod tournament;

pub use process::{Measured, Message, Note, measure};

use thiserror::Error;

use simnet_base::units::Bytes;

/// How round-trip times are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The length of a ping's and of an answer's data.
    pub message: Bytes,
    /// Round trips of a sample, at least 1: the paper's NUMRTT.
    pub round_trips: u32,
    /// Samples of the first set, at least 2: INITPINGS. Every further set has twice as many.
    pub first: u32,
    /// The most samples of a set, from `first` to [`Plan::MOST`]; the result of such a set is used regardless.
    pub most: u32,
    /// The greatest width of the 95 % confidence interval that is trusted, in millionths of the mean: THRESHOLD.
    pub threshold_ppm: u32,
    /// Which pairs measure at the same time.
    pub schedule: Schedule,
}

/// Which pairs measure at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// One after the other, as lawrence2008's tool does.
    Sequence,
    /// So many pairs at once, at least 1, no machine in two of them; all begin together, and all wait for the last.
    /// More than half the machines are as many as there can be.
    AtOnce(u32),
}

/// Why nothing can be measured by a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PlanError {
    /// A ping without data.
    #[error("a ping has no bytes")]
    NoBytes,
    /// A sample of nothing.
    #[error("a sample has no round trips")]
    NoRoundTrips,
    /// A set that has no interval of confidence, or that is larger than the largest.
    #[error("sets of {first} to {most} samples; there must be 2 at least and {} at most", Plan::MOST)]
    Samples {
        /// Samples of the first set.
        first: u32,
        /// Samples of the largest set.
        most: u32,
    },
    /// No pairs at once.
    #[error("no pairs are to be measured at once")]
    NoPairs,
}

impl Plan {
    /// The most samples that a set can have: lawrence2008's.
    pub const MOST: u32 = 1_000;

    /// Looks for what makes the plan impossible.
    ///
    /// # Errors
    /// [`PlanError`].
    pub fn check(&self) -> Result<(), PlanError> {
        let (first, most) = (self.first, self.most);
        match () {
            () if self.message.0 == 0 => Err(PlanError::NoBytes),
            () if self.round_trips == 0 => Err(PlanError::NoRoundTrips),
            () if !(2 <= first && first <= most && most <= Plan::MOST) => {
                Err(PlanError::Samples { first, most })
            }
            () if self.schedule == Schedule::AtOnce(0) => Err(PlanError::NoPairs),
            () => Ok(()),
        }
    }

    /// How many samples the set has that follows one of so many; `None` if none does.
    pub fn next(&self, samples: u32) -> Option<u32> {
        (samples < self.most).then(|| samples.saturating_mul(2).min(self.most))
    }
}

impl Default for Plan {
    /// lawrence2008, section 4: 1,400 B, five round trips, 26 samples doubled up to 1,000, 3 %; in sequence.
    fn default() -> Plan {
        Plan {
            message: Bytes(1_400),
            round_trips: 5,
            first: 26,
            most: Plan::MOST,
            threshold_ppm: 30_000,
            schedule: Schedule::Sequence,
        }
    }
}
