//! Discoveries: which measurements of round-trip times, and which inferences from them, a scenario with
//! `[discovery]` stands for.
//!
//! # Scope and limitations
//! Networks, rates of cables, numbers of pairs that measure at once and amounts of noise are varied; every combination
//! is a [`Cell`], measured as often as the scenario says, and every method infers from the same matrices. A matrix that
//! is given stands for a single measurement. What computing the classes and the tree takes is a constant of the
//! scenario, never the time that it took here.

use crate::discovery::Rtts;
use crate::host::rtt::Plan;
use crate::ids::HostId;
use crate::units::{BitRate, Bytes, Duration};

use super::allgather::Overheads;
use super::checked::{InputFile, Topology};
use super::lists::{ends, positions};
use super::printed::PaperNumber;

/// Discoveries compared.
#[derive(Clone, Debug)]
pub struct Discovery {
    /// The networks; at least one, the scenario's own first.
    pub networks: Vec<DiscoveredNetwork>,
    /// Rates of all cables; empty: as the Ethernet and the network say.
    pub rates: Vec<BitRate>,
    /// How many pairs measure at once; at least one number, each at least 1. One pair is one after the other.
    pub at_once: Vec<u32>,
    /// How much of the noise there is, in per cent; at least one.
    pub noise_percent: Vec<u32>,
    /// How round-trip times are measured; its schedule is that of the cell.
    pub plan: Plan,
    /// What software costs.
    pub software: Software,
    /// What disturbs measurements, at 100 %.
    pub noise: Noise,
    /// Machines of the scenario's own network whose software takes longer or less, in thousandths of the usual.
    pub paces: Vec<(HostId, u32)>,
    /// How often each combination is measured; at least 1.
    pub executions: u32,
    /// A matrix that stands in for measuring; then there is one network, and nothing varies but the method.
    pub matrix: Option<Matrix>,
    /// How switches are inferred; at least one.
    pub methods: Vec<Method>,
    /// What the methods are told.
    pub inference: Inference,
    /// What computing takes on machine 0.
    pub compute: Compute,
    /// Whether the first matrix of every cell is kept.
    pub keep_matrices: bool,
    /// Random clusters to be recovered from made-up matrices, if that is studied.
    pub recovery: Option<Recovery>,
    /// The printed numbers that ours stand beside.
    pub references: Vec<Reference>,
}

/// One network.
#[derive(Clone, Debug)]
pub struct DiscoveredNetwork {
    /// What results call it.
    pub name: String,
    /// The network.
    pub topology: Topology,
    /// Its machines in the order of the matrix, each once.
    pub machines: Vec<HostId>,
}

/// A matrix of round-trip times from a file.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// The file.
    pub file: InputFile,
    /// What stands in it; its machines are those of the network.
    pub rtts: Rtts,
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
}

/// What disturbs measurements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Noise {
    /// How much a piece of software's work may take more or less, in thousandths; up to 1000.
    pub jitter: u32,
    /// How often a piece of work is interrupted, in millionths.
    pub outliers_ppm: u32,
    /// How long an interruption takes on average.
    pub outlier_mean: Duration,
    /// How far a machine's pace drifts from the usual, in thousandths; up to 1000.
    pub drift: u32,
    /// How long a machine keeps a pace; above zero.
    pub drift_period: Duration,
    /// The share of the time in which every machine's cable carries other traffic of its own, in millionths.
    pub background_ppm: u32,
    /// The data of a message of that traffic; at least one byte.
    pub background_message: Bytes,
}

/// A way from round-trip times to switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// What methods are told beside the matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inference {
    /// Times closer than that are one class at first.
    pub noise: Duration,
    /// How many times as far apart as wide classes must be, in thousandths.
    pub inter_threshold: u32,
    /// How many classes k-means makes, at least 1; `None`: as many as fit best.
    pub classes: Option<usize>,
    /// Pairs of machines of the first network, by position, and the switches between them.
    pub known: Vec<Known>,
    /// Whether they are told what one more switch adds: it follows from the rate and the length of a ping.
    pub step_is_known: bool,
}

/// A pair of machines whose hop count is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// One machine, by its position in the matrix.
    pub a: usize,
    /// The other.
    pub b: usize,
    /// The switches between them.
    pub hops: u32,
}

/// What computing takes on machine 0, beside what is measured.
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

/// Random clusters recovered from made-up matrices, without any simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovery {
    /// Switches of a cluster; at least one number.
    pub switches: Vec<u64>,
    /// Machines for every switch.
    pub machines_per_switch: u64,
    /// Standard deviations of a round-trip time, as shares of what a switch adds, in thousandths; at least one.
    pub noise_permille: Vec<u32>,
    /// Clusters of each size, each with every noise.
    pub instances: u32,
}

/// One combination of what is measured; positions in the lists of the [`Discovery`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The network.
    pub network: usize,
    /// The rate, if that varies.
    pub rate: Option<usize>,
    /// How many pairs at once.
    pub at_once: usize,
    /// How much noise.
    pub noise: usize,
}

/// A number that stands beside a printed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The whole run of the tool.
    Total,
    /// Measuring, and gathering the results.
    Measuring,
    /// Classes and hop counts.
    Clustering,
    /// The tree.
    Tree,
    /// The share of the run that is measuring, in per cent.
    MeasuringShare,
    /// The share of measurements that settled at the first set of samples, in per cent.
    Settled,
    /// The most samples that a measurement took.
    MostSamplesNeeded,
    /// A round-trip time.
    Rtt,
    /// A hop count.
    Hops,
    /// The least time of a class.
    ClassLow,
    /// The greatest time of a class.
    ClassHigh,
    /// Round trips of a sample.
    RoundTrips,
    /// Samples of the first set.
    Samples,
    /// The most samples of a set.
    MostSamples,
    /// The greatest width of the interval over the mean, in per cent.
    Threshold,
    /// How many times as far apart as wide classes must be.
    InterThreshold,
    /// The length of a ping's data.
    Message,
    /// Times closer than that are one class at first.
    MeasurementNoise,
}

/// Of what a [`Quantity`] is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Of the cell as a whole.
    Cell,
    /// Of two machines, by position in the matrix: who measured, and with whom.
    Pair(usize, usize),
    /// Of a class, from 0.
    Class(usize),
}

/// A printed number and what of ours stands beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// What the paper prints.
    pub number: PaperNumber,
    /// What of ours.
    pub measure: Quantity,
    /// Of what in the cell.
    pub of: Of,
    /// Of which cell.
    pub cell: Cell,
    /// By which method, by position.
    pub method: usize,
}

/// With `--quick`, so many networks.
const QUICK_NETWORKS: usize = 2;
/// The noise that a scenario describes, in per cent: `--quick` keeps it.
const USUAL_NOISE: u32 = 100;
/// With `--quick`, so many random clusters of each size.
const QUICK_INSTANCES: u32 = 3;

impl Discovery {
    /// Every combination that is measured: networks, then rates, numbers of pairs at once, and noise.
    pub fn cells(&self) -> Vec<Cell> {
        let mut cells = Vec::new();
        for network in 0..self.networks.len() {
            for rate in positions(self.rates.len()) {
                for at_once in 0..self.at_once.len() {
                    cells.extend((0..self.noise_percent.len()).map(|noise| Cell {
                        network,
                        rate,
                        at_once,
                        noise,
                    }));
                }
            }
        }
        cells
    }

    /// How many combinations every network has; saturates.
    pub fn combinations(&self) -> usize {
        let lists = [self.rates.len().max(1), self.at_once.len(), self.noise_percent.len()];
        lists.into_iter().fold(1, usize::saturating_mul)
    }

    /// What results call a cell: its network, and what varies beside.
    pub fn id(&self, cell: Cell) -> String {
        let mut parts = vec![self.networks[cell.network].name.clone()];
        parts.extend(cell.rate.map(|nth| self.rates[nth].as_bits_per_s().to_string()));
        if self.at_once.len() > 1 {
            parts.push(format!("at-once-{}", self.at_once[cell.at_once]));
        }
        if self.noise_percent.len() > 1 {
            parts.push(format!("noise-{}", self.noise_percent[cell.noise]));
        }
        parts.join("/")
    }

    /// Two networks, the ends of all lists and the usual noise, one execution, without references; of random clusters
    /// the ends of both lists, three of each.
    pub(super) fn quick(mut self) -> Discovery {
        self.networks.truncate(QUICK_NETWORKS);
        ends(&mut self.rates);
        ends(&mut self.at_once);
        let (first, last) = (self.noise_percent.first().copied(), self.noise_percent.last().copied());
        self.noise_percent.retain(|noise| [first, Some(USUAL_NOISE), last].contains(&Some(*noise)));
        self.executions = 1;
        if let Some(recovery) = &mut self.recovery {
            ends(&mut recovery.switches);
            ends(&mut recovery.noise_permille);
            recovery.instances = recovery.instances.min(QUICK_INSTANCES);
        }
        self.references.clear();
        self
    }
}

impl Noise {
    /// So much of it: how often and how far, not how long or how large.
    #[must_use]
    pub fn scaled(self, percent: u32) -> Noise {
        let of = |value: u32, most: u64| {
            let scaled = u64::from(value) * u64::from(percent) / 100;
            u32::try_from(scaled.min(most)).unwrap_or(u32::MAX)
        };
        Noise {
            jitter: of(self.jitter, 1_000),
            outliers_ppm: of(self.outliers_ppm, 1_000_000),
            drift: of(self.drift, 1_000),
            background_ppm: of(self.background_ppm, 1_000_000),
            ..self
        }
    }
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
            jitter: 20,
            outliers_ppm: 900_000,
            outlier_mean: Duration::from_us(7),
            drift: 3,
            drift_period: Duration::from_ms(1),
            background_ppm: 10,
            background_message: Bytes(100),
        };
        assert_eq!(noise.scaled(100), noise);
        let twice = noise.scaled(200);
        assert_eq!(
            (twice.jitter, twice.outliers_ppm, twice.drift, twice.background_ppm),
            (40, 1_000_000, 6, 20)
        );
        assert_eq!((twice.outlier_mean, twice.drift_period), (noise.outlier_mean, noise.drift_period));
        assert_eq!(noise.scaled(0).jitter, 0);
    }
}
