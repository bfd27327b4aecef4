//! Measuring round-trip times, as MPI ranks do it: every ordered pair of machines, until each result can be trusted.
//!
//! # Source
//! lawrence2008, section 3.2 ("Raw RTT measurements") and section 4 for the parameters; NOTES trap 23 for the reading:
//! every doubling takes a fresh set of samples, a sample is the mean of some round trips, and the full width of the
//! Student-t interval over the mean decides.

use crate::units::Bytes;

/// How round-trip times are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The length of a ping's and of an answer's data.
    pub message: Bytes,
    /// Round trips of a sample, at least 1: the paper's NUMRTT.
    pub round_trips: u32,
    /// Samples of the first set, at least 2: INITPINGS. Every further set has twice as many.
    pub first: u32,
    /// The most samples of a set, at least `first`; the result of such a set is used regardless.
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
    AtOnce(u32),
}

impl Default for Plan {
    /// lawrence2008, section 4: 1,400 B, five round trips, 26 samples doubled up to 1,000, 3 %; in sequence.
    fn default() -> Plan {
        Plan {
            message: Bytes(1_400),
            round_trips: 5,
            first: 26,
            most: 1_000,
            threshold_ppm: 30_000,
            schedule: Schedule::Sequence,
        }
    }
}
