//! From a checked scenario to the routes that its hosts use: read, computed on the network, or computed on a map.

use crate::fabric::Parameters;
use crate::ids::{HostId, Node, Turn};
use crate::routing::{
    Algorithm, Attachments, Choices, Plan, Report, Root, RouteTable, Routes, Selection, Survey, Tree,
    read_routes,
};
use crate::scenario::Checked;
use crate::scenario::checked::{Root as CheckedRoot, RouteSource, Select};
use crate::topology::Network;

use super::mapping::{self, DistributionReport, MapReport};
use super::{Progress, RunError};

/// Everything that precedes traffic.
pub(super) struct Routed {
    /// What the mapper found, if one ran.
    pub(super) map: Option<MapReport>,
    /// The figures of the routes.
    pub(super) report: Option<Report>,
    /// How they were handed out.
    pub(super) distribution: Option<DistributionReport>,
    /// The routes.
    pub(super) routes: Option<HostRoutes>,
    /// Result files: name and contents.
    pub(super) files: Vec<(String, String)>,
    /// Events of the fabrics on which mappers ran.
    pub(super) events: u64,
}

/// Routes between the hosts of a network, found on that network or on a map of it.
pub struct HostRoutes {
    table: RouteTable,
    /// Per host of the network, its id on the map; `None` where routes were found on the network itself.
    on_map: Option<Vec<Option<HostId>>>,
}

impl HostRoutes {
    /// Routes of the network itself.
    pub fn of_network(table: RouteTable) -> HostRoutes {
        HostRoutes { table, on_map: None }
    }

    /// Routes found on `map`, for the hosts of `network` by their names.
    pub fn of_map(table: RouteTable, map: &Network, network: &Network) -> HostRoutes {
        let on_map = network.hosts().iter().map(|host| map.find_host(&host.name)).collect();
        HostRoutes { table, on_map: Some(on_map) }
    }
}

impl Routes for HostRoutes {
    fn route(&self, source: HostId, destination: HostId, turns: &mut Vec<Turn>) -> bool {
        match &self.on_map {
            None => self.table.route(source, destination, turns),
            Some(ids) => match (ids[source.index()], ids[destination.index()]) {
                (Some(source), Some(destination)) => self.table.route(source, destination, turns),
                _ => false,
            },
        }
    }
}
