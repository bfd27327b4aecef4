//! Mappers: processes that find out in-band how a network is cabled.

pub mod berkeley;
mod model;
mod probe;
mod sweep;

pub use probe::{Count, Prober, Probes, Response, Turns};
pub use sweep::Order;

use crate::topology::Network;
use crate::units::Duration;

/// What a mapper found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// The network as far as it was found: hosts by their own names, switches called `s0`, `s1`, ... in order
    /// of discovery, ports equal to the true ones up to one shift a switch. The first host is the mapper's.
    pub network: Network,
    /// Messages truly sent.
    pub probes: Probes,
    /// Turns tried.
    pub turns: Turns,
    /// Switches whose ports were probed, replicates counted.
    pub explorations: u64,
    /// From the first probe to the last answer or time-out.
    pub time: Duration,
    /// Why the map may be wrong, if the mapper knows of a reason.
    pub doubt: Option<Doubt>,
}

/// Why a mapper does not trust its own map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The limit on explorations was reached with switches left to explore.
    Unfinished,
    /// What was seen cannot be one network: a message was lost or strayed, or a host has several cables.
    Contradiction,
}
