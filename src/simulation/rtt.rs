//! Round-trip times measured on a simulated cluster: an MPI process on every machine, over any medium.

use crate::discovery::Rtts;
use crate::host::rtt::Plan;
use crate::ids::HostId;
use crate::units::{Bytes, Duration};

use super::ranks::{Software, Stuck};

/// A measurement to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// By rank, its machine; each once, at least one.
    pub machines: Vec<HostId>,
    /// By rank, its machine's name.
    pub names: Vec<String>,
    /// How round-trip times are measured.
    pub plan: Plan,
    /// What software costs; its jitter is part of the noise.
    pub software: Software,
    /// What the tool itself does between two pings, on the machine that measures; not part of a round trip.
    pub pause: Duration,
    /// What disturbs measurements.
    pub noise: Noise,
    /// Machines whose software is slower or faster than the others', in thousandths of what it takes: 2000 is half as
    /// fast.
    pub paces: Vec<(HostId, u32)>,
    /// For chance.
    pub seed: u64,
}

/// What disturbs measurements beside the jitter of software.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Noise {
    /// How often a piece of software's work is interrupted, in millionths.
    pub outliers_ppm: u32,
    /// How long an interruption takes on average; exponentially distributed.
    pub outlier_mean: Duration,
    /// How far the pace of a machine's software drifts from the usual, in thousandths, at most 1000.
    pub drift: u32,
    /// How long a machine keeps a pace before it has another.
    pub drift_period: Duration,
    /// What every machine sends beside, to machines drawn by chance: millionths of the time in which its cable is busy.
    pub background_ppm: u32,
    /// The data of a message of that traffic.
    pub background_message: Bytes,
}

/// What came of a measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What was measured; `None` unless every machine's results reached machine 0.
    pub rtts: Option<Rtts>,
    /// By ordered pair as in [`Rtts`], row by row, how many samples its last set had; 0 where none ended.
    pub samples: Vec<u32>,
    /// From the start until the last pair was done.
    pub measuring: Duration,
    /// From then until machine 0 had all results.
    pub gathering: Duration,
    /// Messages between machines, background not counted in.
    pub messages: u64,
    /// Messages that the medium lost, as sender and receiver.
    pub lost: Vec<(usize, usize)>,
    /// Ranks that cannot go on.
    pub stuck: Vec<Stuck>,
}
