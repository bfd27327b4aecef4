//! A logical ring of all machines of a scenario's network.

use simnet_network::ring::{Algorithm, Kind};

/// A ring to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rings {
    /// How the ring is found.
    pub algorithm: Algorithm,
    /// How its tree is found.
    pub tree: Kind,
    /// The root of its tree.
    pub root: Root,
}

/// Which switch is the root of a ring's tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// The first that has a machine.
    First,
    /// One drawn by chance.
    Random,
}
