//! Discoveries: how round-trip times are measured, and how switches are inferred from them.
//!
//! # Scope and limitations
//! What computing the classes and the tree takes is a constant of the scenario, never the time that it took here.

use serde::Serialize;

use simnet_base::ids::HostId;
use simnet_base::units::{Bytes, Duration};
use simnet_media::host::rtt::Plan;
use simnet_network::discovery::{Known, Rtts};

use super::allgather::Overheads;
use super::checked::InputFile;
use super::ethernet::Ethernet;

/// A discovery.
#[derive(Clone, Debug)]
pub struct Discovery {
    /// The machines in the order of the matrix, each once.
    pub machines: Vec<HostId>,
    /// Where round-trip times come from.
    pub source: Source,
    /// How they are measured.
    pub plan: Plan,
    /// What software costs.
    pub software: Software,
    /// What disturbs measurements in addition to the jitter of software.
    pub noise: Noise,
    /// Machines whose software takes longer or less, in thousandths of the usual.
    pub paces: Vec<(HostId, u32)>,
    /// How switches are inferred; at least one way, each once.
    pub methods: Vec<Method>,
    /// What the methods know in addition to the times.
    pub inference: Inference,
    /// What computing takes on machine 0.
    pub compute: Compute,
    /// Whether the summary has the matrix.
    pub keep_matrices: bool,
}

/// Where round-trip times come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// The machines measure them over this Ethernet.
    Measured(Ethernet),
    /// A file.
    File(Matrix),
    /// A formula.
    MadeUp(MadeUp),
}

/// A matrix of round-trip times from a file.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// The file.
    pub file: InputFile,
    /// What stands in it; its machines are those of the network.
    pub rtts: Rtts,
}

/// Round-trip times by a formula: over h switches constant + step (h + 1), and normal noise in either direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MadeUp {
    /// What a round trip takes in addition to its cables.
    pub constant: Duration,
    /// What one more switch adds.
    pub step: Duration,
    /// The standard deviation of a round-trip time.
    pub noise: Duration,
}

/// What software costs at either end of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Software {
    /// Of every message.
    pub costs: Overheads,
    /// The library's header before the data of every message.
    pub envelope: Bytes,
    /// What the tool does between two pings.
    pub pause: Duration,
    /// How much a piece of its work may take more or less, in thousandths; up to 1000.
    pub jitter: u32,
}

/// What disturbs measurements in addition to the jitter of software.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Noise {
    /// How often a piece of software's work is interrupted, in millionths.
    pub outliers_ppm: u32,
    /// How long an interruption takes on average; exponentially distributed.
    pub outlier_mean: Duration,
    /// How far the pace of a machine's software drifts from the usual, in thousandths, at most 1000: it is drawn
    /// from that far below to that far above, all equally likely.
    pub drift: u32,
    /// How long a machine keeps a pace before it has another; the first is cut short by chance, so that machines do not
    /// change together. Zero: for one piece of work.
    pub drift_period: Duration,
    /// The share of the time in which every machine's cable carries other traffic of its own, in millionths.
    pub background_ppm: u32,
    /// The data of a message of that traffic; at least one byte.
    pub background_message: Bytes,
}

/// A way from round-trip times to switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// As the paper does, classes apart by half of their range.
    Paper,
    /// The same, classes apart by their whole range.
    PaperRange,
    /// Classes by k-means.
    KMeans,
    /// The tree that fits all times together.
    Sturdy,
}

/// What methods know in addition to the matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inference {
    /// Times closer than that are one class at first.
    pub noise: Duration,
    /// How many times as far apart as wide classes must be, in thousandths.
    pub inter_threshold: u32,
    /// How many classes k-means makes, at least 1; `None`: as many as fit best.
    pub classes: Option<usize>,
    /// Pairs of machines, by position, and the switches between them.
    pub known: Vec<Known>,
    /// Whether they know what one more switch adds: it follows from the rate and the length of a ping.
    pub step_is_known: bool,
}

/// What computing takes on machine 0, in addition to what is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compute {
    /// Classes and hop counts, whatever the number of machines.
    pub clustering: Duration,
    /// Classes and hop counts, for every round-trip time.
    pub clustering_cell: Duration,
    /// The tree, whatever the number of machines.
    pub tree: Duration,
    /// The tree, for every round-trip time.
    pub tree_cell: Duration,
}

impl Noise {
    /// Nothing.
    pub const NONE: Noise = Noise {
        outliers_ppm: 0,
        outlier_mean: Duration::ZERO,
        drift: 0,
        drift_period: Duration::ZERO,
        background_ppm: 0,
        background_message: Bytes(0),
    };

    /// So much of it: how often and how far, not how long or how large.
    #[must_use]
    pub fn scaled(self, percent: u32) -> Noise {
        Noise {
            outliers_ppm: scaled(self.outliers_ppm, percent, 1_000_000),
            drift: scaled(self.drift, percent, 1_000),
            background_ppm: scaled(self.background_ppm, percent, 1_000_000),
            ..self
        }
    }
}

/// So many per cent of a share, at most that.
pub(super) fn scaled(share: u32, percent: u32, most: u64) -> u32 {
    let scaled = u64::from(share) * u64::from(percent) / 100;
    u32::try_from(scaled.min(most)).unwrap_or(u32::MAX)
}

impl Compute {
    /// What classes and hop counts take for so many machines.
    pub fn clustering_of(&self, machines: usize) -> Duration {
        self.clustering + self.clustering_cell * cells_of(machines)
    }

    /// What the tree takes.
    pub fn tree_of(&self, machines: usize) -> Duration {
        self.tree + self.tree_cell * cells_of(machines)
    }
}

impl Method {
    /// Its name in scenarios and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Method::Paper => "paper",
            Method::PaperRange => "paper-range",
            Method::KMeans => "k-means",
            Method::Sturdy => "sturdy",
        }
    }
}

/// How many round-trip times there are between so many machines.
fn cells_of(machines: usize) -> u64 {
    let machines = machines as u64;
    machines * machines.saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a scale changed how long an interruption takes, or went beyond all of the time.
    #[test]
    fn noise_is_scaled_in_what_is_a_share() {
        let noise = Noise {
            outliers_ppm: 900_000,
            outlier_mean: Duration::from_us(7),
            drift: 3,
            drift_period: Duration::from_ms(1),
            background_ppm: 10,
            background_message: Bytes(100),
        };
        assert_eq!(noise.scaled(100), noise);
        let twice = noise.scaled(200);
        assert_eq!((twice.outliers_ppm, twice.drift, twice.background_ppm), (1_000_000, 6, 20));
        assert_eq!((twice.outlier_mean, twice.drift_period), (noise.outlier_mean, noise.drift_period));
        assert_eq!((noise.scaled(0).drift, scaled(20, 200, 1_000)), (0, 40));
    }
}
