//! The `[rings]` section.

use serde_json::Value as Schema;

use super::canonical::{Canonical, Key, put};
use super::kinds::Choice;
use super::table::{Described, Given, Presence, Reading, Wire, table, table_schema};
use crate::diagnostics::Diagnostics;
use crate::rings::Root;
use crate::tree::Item;
use simnet_network::ring::{Algorithm, Kind};

use Presence::Default;

table! {
    /// A logical ring of all machines, found and followed message by message; nothing is sent.
    "[rings]" Rings {
        /// How the ring is found.
        algorithm: Algorithm = Default("'lr3'");
        /// How its spanning tree is found.
        tree: Kind = Default("'bfs'");
        /// The tree's root: the first switch with a machine, or one drawn with the scenario's seed.
        root: Root = Default("'first'");
    }
}

impl Choice for Algorithm {
    const CHOICES: &'static [(&'static str, Algorithm)] =
        &[("lr1", Algorithm::Lr1), ("lr2", Algorithm::Lr2), ("lr3", Algorithm::Lr3)];
}

impl Choice for Root {
    const CHOICES: &'static [(&'static str, Root)] = &[("first", Root::First), ("random", Root::Random)];
}
