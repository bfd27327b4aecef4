//! Networks that several points of a sweep have in common, built once.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::axes::Axis;
use super::{PROFILE, Sweep};
use crate::checked::Topology;

/// How many switches, hosts and cables are kept together; beyond that, all are forgotten.
const MOST_PARTS: usize = 1_000_000;

/// Where the axes stand that make a network, and its seed where the run gives it one.
type Making = (Vec<usize>, Option<u64>);

/// Networks by what makes them.
#[derive(Debug, Default)]
pub(super) struct Networks(Mutex<(usize, BTreeMap<Making, Topology>)>);

impl Networks {
    fn find(&self, place: &Making) -> Option<Topology> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1.get(place).cloned()
    }

    fn keep(&self, place: Making, topology: &Topology) {
        let network = &topology.network;
        let parts = network.switches().len() + network.hosts().len() + network.links().len();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.0 + parts > MOST_PARTS {
            *kept = (0, BTreeMap::new());
        }
        if kept.1.insert(place, topology.clone()).is_none() {
            kept.0 += parts;
        }
    }
}

impl Sweep {
    /// The network of the points where the axes stand so, if it has been built before; `seed` is that of a network
    /// that gives none.
    pub(super) fn network(&self, digits: &[usize], seed: Option<u64>) -> Option<Topology> {
        self.networks.find(&(self.network_place(digits), seed))
    }

    /// Keeps the network of the points where the axes stand so.
    pub(super) fn keep_network(&self, digits: &[usize], seed: Option<u64>, topology: &Topology) {
        self.networks.keep((self.network_place(digits), seed), topology);
    }

    /// Where those axes stand that make networks, counted in whole axes.
    fn network_place(&self, digits: &[usize]) -> Vec<usize> {
        let makes =
            |axis: &Axis| axis.keys.iter().any(|key| ["topology", PROFILE].contains(&key.path[0].0.as_str()));
        let making = self.axes.iter().zip(digits).filter(|(axis, _)| makes(axis));
        making.map(|(axis, digit)| axis.whole_position(*digit)).collect()
    }
}
