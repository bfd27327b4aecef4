//! The same tables in a network that has lost some parts: what is installed stays until a subnet manager sweeps.
//!
//! # Scope and limitations
//! Nothing is computed anew: what a table sends to a part that is gone ends there. Ports keep their numbers and hosts
//! their lids. A host whose cable is gone sends and takes packets by its next cabled port, if it has one.
//!
//! # Validation
//! tests/network/oracle/lfts.rs: walks of random tables on random networks that lost a cable and a switch;
//! tests/it/command/lanes.rs: a ring without a cable, and without a switch.

use std::collections::{BTreeMap, BTreeSet};

use crate::topology::Network;
use simnet_base::ids::SwitchId;

use super::sl2vl::LaneTables;
use super::{ForwardingTables, Lanes};
use crate::routing::failures::Part;

impl ForwardingTables {
    /// These tables of `network` in what [`without`](crate::routing::without) leaves of it. Costs O(switches x lids).
    pub fn without(&self, network: &Network, parts: &[Part]) -> ForwardingTables {
        ForwardingTables {
            outputs: left(network, parts, &self.outputs),
            first_ports: left(network, parts, &self.first_ports),
            lids: self.lids.clone(),
            // Files that go with the tables were read before.
            switch_guids: BTreeMap::new(),
            port_guids: BTreeMap::new(),
            left_out: BTreeSet::new(),
            digest: None,
        }
    }
}

impl Lanes {
    /// The lanes of `network` in what [`without`](crate::routing::without) leaves of it. Costs O(rows + levels).
    #[must_use]
    pub fn without(&self, network: &Network, parts: &[Part]) -> Lanes {
        let LaneTables { rows, first_ports } = &self.tables;
        let tables =
            LaneTables { rows: left(network, parts, rows), first_ports: left(network, parts, first_ports) };
        Lanes { tables, levels: self.levels.clone() }
    }
}

/// What is kept per switch, of those that are left.
fn left<T: Clone>(network: &Network, parts: &[Part], of_switches: &[T]) -> Vec<T> {
    let is_left = |switch: &SwitchId| !parts.contains(&Part::Switch(*switch));
    let switches = network.switch_ids().filter(is_left);
    switches.map(|switch| of_switches[switch.index()].clone()).collect()
}
