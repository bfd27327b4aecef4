//! Rings compared: the scenario's own network and random clusters, by tree and algorithm.

use crate::ring::{Algorithm, Kind};

use super::printed::PaperNumber;

/// Rings compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Rings {
    /// How rings are found; at least one.
    pub algorithms: Vec<Algorithm>,
    /// How trees are found; at least one.
    pub trees: Vec<Kind>,
    /// Families of random clusters.
    pub families: Vec<Family>,
    /// Machines of a random cluster, each size with every family; at least two.
    pub machines: Vec<u64>,
    /// Machines for every switch, on average; at least 1.
    pub machines_per_switch: u64,
    /// The mean number of neighbours of a switch.
    pub degree: u64,
    /// How many clusters of each size; at least 1.
    pub instances: u32,
    /// The printed numbers that ours stand beside.
    pub references: Vec<Reference>,
}

/// A family of random clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// GT-ITM's flat random graphs.
    GtItm,
    /// Waxman's graphs.
    Waxman,
}

/// A printed number and what of ours stands beside it: a longest path, in switches.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// What the paper prints.
    pub number: PaperNumber,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The tree; `None`: the mean over all.
    pub tree: Option<Kind>,
    /// The family; `None`: the scenario's own network.
    pub family: Option<Family>,
    /// The size; `None`: the mean over all.
    pub machines: Option<u64>,
}

/// With `--quick`, so many clusters of each size, and no cluster of more machines.
const QUICK: (u32, u64) = (3, 400);

impl Rings {
    /// Three clusters of each size up to 400 machines.
    pub(super) fn quick(mut self) -> Rings {
        self.instances = self.instances.min(QUICK.0);
        let least = self.machines.iter().copied().min();
        self.machines.retain(|machines| *machines <= QUICK.1 || Some(*machines) == least);
        self.references.retain(|reference| reference.machines.is_none());
        self
    }
}

impl Family {
    /// Its name in scenarios and tables, and that of its generator.
    pub const fn name(self) -> &'static str {
        match self {
            Family::GtItm => "gt-itm",
            Family::Waxman => "waxman",
        }
    }
}
