//! Networks that several points of a sweep have in common, built once.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::axes::Axis;
use super::{PROFILE, Sweep};
use crate::checked::Topology;

/// How many switches, hosts and cables are kept together; beyond that, all are forgotten.
const MOST_PARTS: usize = 1_000_000;

/// Networks by where the axes stand that make them.
#[derive(Debug, Default)]
pub(super) struct Networks(Mutex<(usize, BTreeMap<Vec<usize>, Topology>)>);

impl Networks {
    fn find(&self, place: &[usize]) -> Option<Topology> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1.get(place).cloned()
    }

    fn keep(&self, place: Vec<usize>, topology: &Topology) {
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
    /// The network of the points where the axes stand so, if it has been built before.
    pub(super) fn network(&self, digits: &[usize]) -> Option<Topology> {
        self.networks.find(&self.network_place(digits))
    }

    /// Keeps the network of the points where the axes stand so.
    pub(super) fn keep_network(&self, digits: &[usize], topology: &Topology) {
        self.networks.keep(self.network_place(digits), topology);
    }

    /// Where those axes stand that make networks, counted in whole axes.
    fn network_place(&self, digits: &[usize]) -> Vec<usize> {
        let makes =
            |axis: &Axis| axis.keys.iter().any(|key| ["topology", PROFILE].contains(&key.path[0].0.as_str()));
        let making = self.axes.iter().zip(digits).filter(|(axis, _)| makes(axis));
        making.map(|(axis, digit)| axis.whole_position(*digit)).collect()
    }
}
