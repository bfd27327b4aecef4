//! How often the switches of random clusters are found from noisy round-trip times, by each way of inferring them.
//!
//! # Scope and limitations
//! A function of its parameters: times are drawn from a formula, not measured on a simulated network, so that thousands
//! of clusters cost seconds. A round trip over h switches takes constant + step · (h + 1), what its two machines add of
//! their own, normal noise in either direction by itself, and now and then an interruption. Noise is that of a result,
//! the mean over many pings.
//!
//! A cluster is recovered where all hop counts are the true ones. It is refused where the inference says that no tree
//! has the hop counts, and wrong where a tree is given that is another: what a user would take for the truth.
//! No inference knows the step. Clusters that no inference can tell from another (no machines in between, no two on
//! one switch) are counted like all others.
//!
//! # Source
//! lawrence2008, section 3.2, for the formula and the inference as printed; [`sturdy`](crate::discovery::sturdy()) and
//! [`nearest`](crate::discovery::nearest()) are ours.
//!
//! # Validation
//! `tests/it/recovery.rs`: without noise all but what cannot be told is recovered; the sturdier inference recovers no
//! fewer at any level of noise, and far more at most.

use rayon::prelude::*;

use crate::des::random::{Purpose, Stream};
use crate::discovery::{
    Clustering, Hops, Intra, Options, Rtts, SturdyOptions, SwitchTree, hop_counts, nearest, sturdy, tree,
};
use crate::ids::Node;
use crate::topology::Network;
use crate::topology::generate::{self, GenerateError};
use crate::units::Duration;

/// What is studied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Study {
    /// The fewest and the most switches of a cluster; as many clusters of each number on average.
    pub switches: (u32, u32),
    /// Machines of each cluster: at least one for every leaf.
    pub machines: u32,
    /// How many clusters; the same for every noise and method.
    pub clusters: u32,
    /// The times without noise.
    pub times: Times,
    /// Standard deviations of a result in one direction.
    pub noises: Vec<Duration>,
    /// How often a result is interrupted, in millionths.
    pub outliers_ppm: u32,
    /// How much longer an interrupted result is on average; exponentially distributed.
    pub outlier_mean: Duration,
    /// How the switches are inferred.
    pub methods: Vec<Method>,
    /// The seed of clusters and noise.
    pub seed: u64,
}

/// What round trips take without noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// What a round trip takes beside its cables.
    pub constant: Duration,
    /// What a switch more adds.
    pub step: Duration,
    /// The standard deviation of what machines add of their own to each of their round trips.
    pub offsets: Duration,
}

impl Times {
    /// lawrence2008's cluster at 1 Gb/s: 0.085 ms, and twice 11.81 us a switch; machines all alike.
    pub const GIGABIT: Times =
        Times { constant: Duration::from_us(85), step: Duration::from_ns(23_620), offsets: Duration::ZERO };
}

/// A way of inferring switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// lawrence2008's, with half of a class's range as its intra-class distance.
    HalfRange,
    /// The same with the whole range.
    Range,
    /// The same with classes by k-means.
    KMeans,
    /// The first, and the nearest tree where none has the hop counts.
    Nearest,
    /// The tree under all times at once.
    Sturdy,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 5] =
        [Method::HalfRange, Method::Range, Method::KMeans, Method::Nearest, Method::Sturdy];

    /// What it is called in scenarios and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Method::HalfRange => "half-range",
            Method::Range => "range",
            Method::KMeans => "k-means",
            Method::Nearest => "nearest",
            Method::Sturdy => "sturdy",
        }
    }

    /// The hop counts of the tree that it finds, if it finds one.
    pub fn infer(self, rtts: &Rtts) -> Option<Hops> {
        let clustering = match self {
            Method::Sturdy => return Some(sturdy(rtts, &SturdyOptions::default()).hops),
            Method::HalfRange | Method::Nearest => Clustering::Paper(Intra::HalfRange),
            Method::Range => Clustering::Paper(Intra::Range),
            Method::KMeans => Clustering::KMeans { classes: None },
        };
        let hops = hop_counts(rtts, &Options { clustering, ..Options::default() }).hops;
        match (tree(&hops), self) {
            (Ok(_), _) => Some(hops),
            (Err(_), Method::Nearest) => Some(nearest(&hops).tree.hops()),
            (Err(_), _) => None,
        }
    }
}

/// What came of one noise and method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The standard deviation of a result in one direction.
    pub noise: Duration,
    /// How the switches were inferred.
    pub method: Method,
    /// Clusters.
    pub clusters: u32,
    /// Clusters whose hop counts came out as they are.
    pub recovered: u32,
    /// Clusters that were given another tree.
    pub wrong: u32,
    /// Clusters of which no tree was found.
    pub refused: u32,
}

impl Row {
    /// The share of clusters recovered; 0 of none.
    pub fn share(&self) -> f64 {
        f64::from(self.recovered) / f64::from(self.clusters.max(1))
    }
}

/// Noise, one stream for each cluster; every level of noise draws the same.
const NOISE: Purpose = Purpose(108);
/// Numbers of switches and seeds of clusters.
const CLUSTERS: Purpose = Purpose(109);

/// Makes the study, clusters in parallel; rows by noise, then method, each in the order given.
///
/// # Errors
/// [`GenerateError`] if there are no such clusters.
pub fn study(study: &Study) -> Result<Vec<Row>, GenerateError> {
    let outcomes: Vec<Vec<Outcome>> =
        (0..study.clusters).into_par_iter().map(|k| study.cluster(k)).collect::<Result<_, _>>()?;
    let cells = study.noises.iter().flat_map(|noise| study.methods.iter().map(move |method| (noise, method)));
    let row = |(cell, (noise, method)): (usize, (&Duration, &Method))| {
        let count = |wanted: Outcome| outcomes.iter().map(|all| u32::from(all[cell] == wanted)).sum();
        Row {
            noise: *noise,
            method: *method,
            clusters: study.clusters,
            recovered: count(Outcome::Recovered),
            wrong: count(Outcome::Wrong),
            refused: count(Outcome::Refused),
        }
    };
    Ok(cells.enumerate().map(row).collect())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Recovered,
    Wrong,
    Refused,
}

impl Study {
    /// The tree of cluster `k`: one of its own, whatever else is studied.
    ///
    /// # Errors
    /// [`GenerateError`] if there is no such cluster.
    pub fn tree(&self, k: u32) -> Result<SwitchTree, GenerateError> {
        let mut stream = Stream::new(self.seed, CLUSTERS, k);
        let (fewest, most) = self.switches;
        let switches = u64::from(fewest) + stream.below(u64::from(most.saturating_sub(fewest)) + 1);
        let parameters = [("switches", switches), ("machines", u64::from(self.machines))];
        Ok(switches_of(&generate::build("random-tree", &parameters, stream.bits())?))
    }

    /// What machines of cluster `k` measure under noise of this standard deviation.
    ///
    /// # Panics
    /// If there are no machines.
    pub fn measure(&self, k: u32, hops: &Hops, noise: Duration) -> Rtts {
        let mut stream = Stream::new(self.seed, NOISE, k);
        let machines = hops.machines();
        let own: Vec<i64> = (0..machines).map(|_| normal(&mut stream, self.times.offsets)).collect();
        let mut cells = vec![Duration::ZERO; machines * machines];
        for a in 0..machines {
            for b in (0..machines).filter(|b| *b != a) {
                let plain = self.times.constant + self.times.step * u64::from(hops.between(a, b) + 1);
                let off = own[a] + own[b] + normal(&mut stream, noise);
                let is_late = stream.below(1_000_000) < u64::from(self.outliers_ppm);
                let late = stream.exponential(self.outlier_mean.as_ps());
                let time = plain.as_ps().saturating_add_signed(off);
                let time = time.saturating_add(if is_late { late } else { 0 });
                cells[a * machines + b] = Duration::from_ps(time.max(1));
            }
        }
        Rtts::new((0..machines).map(|n| format!("h{n}")).collect(), cells)
            .expect("square, named once, above zero")
    }

    /// What every noise and method makes of cluster `k`.
    fn cluster(&self, k: u32) -> Result<Vec<Outcome>, GenerateError> {
        let truth = self.tree(k)?.hops();
        let mut outcomes = Vec::new();
        for noise in &self.noises {
            let rtts = self.measure(k, &truth, *noise);
            for method in &self.methods {
                outcomes.push(match method.infer(&rtts) {
                    Some(hops) if hops == truth => Outcome::Recovered,
                    Some(_) => Outcome::Wrong,
                    None => Outcome::Refused,
                });
            }
        }
        Ok(outcomes)
    }
}

/// The tree of a network that is one.
fn switches_of(net: &Network) -> SwitchTree {
    let mut tree = SwitchTree { homes: Vec::new(), switches: 0, links: Vec::new() };
    tree.homes = vec![0; net.hosts().len()];
    tree.switches = u32::try_from(net.switches().len()).expect("a bound on switches");
    for cable in net.links() {
        match (cable.a.node, cable.b.node) {
            (Node::Host(host), Node::Switch(switch)) | (Node::Switch(switch), Node::Host(host)) => {
                tree.homes[host.index()] = switch.0;
            }
            (Node::Switch(a), Node::Switch(b)) => tree.links.push((a.0, b.0)),
            (Node::Host(_), Node::Host(_)) => {}
        }
    }
    tree
}

/// Draws about normally with this standard deviation in ps: the sum of twelve uniform numbers less six, which is
/// never beyond six standard deviations.
fn normal(stream: &mut Stream, deviation: Duration) -> i64 {
    let ones: i64 = (0..12).map(|_| i64::try_from(stream.bits() >> 40).expect("24 bits")).sum();
    let scaled = i128::from(ones - (6 << 24)) * i128::from(deviation.as_ps());
    i64::try_from(scaled >> 24).unwrap_or(i64::MAX)
}
