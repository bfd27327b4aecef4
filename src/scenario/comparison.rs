//! Routings compared on the same networks: which runs a scenario with `[comparison]` stands for.
//!
//! # Scope and limitations
//! A comparison varies the network (its generator's seed and its number of switches) and the routing, and
//! nothing else: fabric, traffic, measurement and the scenario's seed are those of every member. Members are
//! ordinary scenarios, each run as if it stood alone.

use super::allgather::Allgather;
use super::checked::{Checked, Routing, Topology, Traffic};
use super::expect::Expectations;
use super::printed::{PaperNumber, Statistic};

/// Routings compared on the same networks.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// What the routings are called, in the order of the file; at least one.
    pub names: Vec<String>,
    /// The position of the routing that ratios are taken over.
    pub base: usize,
    /// The networks, sizes in the order of the file, seeds rising; at least one.
    pub networks: Vec<ComparedNetwork>,
    /// The printed numbers that ours stand beside.
    pub references: Vec<Reference>,
}

/// One network of a comparison, with all that is resolved on it.
#[derive(Clone, Debug)]
pub struct ComparedNetwork {
    /// The network.
    pub topology: Topology,
    /// The seed of its generator, if chance made it.
    pub seed: Option<u64>,
    /// The routings, in the order of [`Comparison::names`].
    pub routings: Vec<Routing>,
    /// The traffic, if any.
    pub traffic: Option<Traffic>,
}

/// A printed number and the quantity of ours that stands beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// What the paper prints.
    pub number: PaperNumber,
    /// What of ours.
    pub measure: Quantity,
    /// The number of switches of the networks.
    pub switches: u64,
    /// The position of the routing.
    pub routing: usize,
    /// The position of the routing that the quantity is divided by, network by network.
    pub over: Option<usize>,
    /// What is taken over the networks.
    pub of: Statistic,
}

/// A number that every network and routing has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quantity {
    /// Mean shortest legal distance between switches.
    SwitchMeanDistance,
    /// The most shortest legal paths between switches over one channel.
    CrossingPaths,
    /// Mean number of forbidden transitions of a switch.
    RestrictionsPerSwitch,
    /// Mean switch-to-switch cables of a route.
    MeanDistance,
    /// Pairs whose route is longer than minimal.
    NonMinimalPairs,
    /// Routes over the busiest channel.
    MaxChannelLoad,
    /// The most traffic that was accepted at the loads up to the first saturated one.
    Throughput,
}

/// With `--quick`, so many networks of each size.
const QUICK_NETWORKS: usize = 2;
/// With `--quick`, every so manieth load, counted from the last.
const QUICK_LOADS: usize = 4;

impl Comparison {
    /// How many runs it stands for.
    pub fn members(&self) -> usize {
        self.networks.len() * self.names.len()
    }

    /// The sizes of its networks, each once, in order.
    pub fn sizes(&self) -> Vec<u64> {
        let mut sizes: Vec<u64> = Vec::new();
        for size in self.networks.iter().map(ComparedNetwork::switches) {
            if !sizes.contains(&size) {
                sizes.push(size);
            }
        }
        sizes
    }

    /// Two networks of each size and every fourth load; routes without traffic cost too little to be spared.
    fn quick(mut self) -> Comparison {
        if self.networks.iter().all(|network| network.traffic.is_none()) {
            return self;
        }
        let mut kept: Vec<ComparedNetwork> = Vec::new();
        for mut network in self.networks {
            let alike = kept.iter().filter(|other| other.switches() == network.switches()).count();
            if alike < QUICK_NETWORKS {
                network.traffic = network.traffic.map(fewer_loads);
                kept.push(network);
            }
        }
        self.networks = kept;
        self
    }
}

impl ComparedNetwork {
    /// How many switches it has.
    pub fn switches(&self) -> u64 {
        self.topology.network.switches().len() as u64
    }
}

/// Every fourth load, the last among them.
fn fewer_loads(traffic: Traffic) -> Traffic {
    match traffic {
        Traffic::Generated(mut generated) => {
            let last = generated.loads.len().saturating_sub(1);
            let mut nth = 0;
            generated.loads.retain(|_| {
                nth += 1;
                (last + 1 - nth) % QUICK_LOADS == 0
            });
            Traffic::Generated(generated)
        }
        trace @ Traffic::Trace(_) => trace,
    }
}

impl Checked {
    /// The member `nth` of a comparison, networks before routings: an ordinary scenario that expects nothing.
    ///
    /// # Panics
    /// If the comparison has no such member.
    #[must_use]
    pub fn member(&self, comparison: &Comparison, nth: usize) -> Checked {
        let routings = comparison.names.len();
        let network = &comparison.networks[nth / routings];
        Checked {
            topology: network.topology.clone(),
            routing: Some(network.routings[nth % routings].clone()),
            traffic: network.traffic.clone(),
            comparison: None,
            expect: Expectations::default(),
            warnings: Vec::new(),
            ..self.clone()
        }
    }

    /// The same scenario at a fraction of its cost: a twentieth of the messages or of the time, and of a
    /// comparison with traffic two networks of each size and every fourth load, the last among them; of an all-gather
    /// one execution of two repetitions.
    #[must_use]
    pub fn quick(mut self) -> Checked {
        self.measure = self.measure.quick();
        self.comparison = self.comparison.map(Comparison::quick);
        self.allgather = self.allgather.map(Allgather::quick);
        self
    }
}
