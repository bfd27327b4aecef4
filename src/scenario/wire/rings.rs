//! The `[rings]` section.

use serde_json::Value as Schema;

use super::super::book::Book;
use super::super::rings::Family;
use super::super::tree::Item;
use super::canonical::{Canonical, Key, put};
use super::kinds::Choice;
use super::shared::PrintedName;
use super::table::{At, Described, Given, Presence, Reading, Wire, table, table_schema};
use crate::ring::{Algorithm, Kind};

use Presence::{Default, Optional, Required};

table! {
    /// Logical rings compared: on the scenario's own network, and on random clusters.
    "[rings]" Rings {
        /// How rings are found.
        algorithms: Vec<At<Algorithm>> = Default("['lr1', 'lr3']");
        /// How spanning trees are found.
        trees: Vec<At<Kind>> = Default("['bfs', 'random', 'dfs']");
        /// Families of random clusters: the generators of these names.
        families: Vec<At<Family>> = Default("[]");
        /// Numbers of machines of a random cluster, 2 to 100000 each.
        machines: Vec<At<u64>> = Default("[]");
        /// Machines for every switch of a random cluster, on average, 1 to 1000.
        machines_per_switch: u64 = Default("5");
        /// The mean number of neighbours of its switches, 1 to 1000.
        degree: u64 = Default("4");
        /// How many clusters of each size, 1 to 1000; seeds follow from the scenario's.
        instances: u32 = Default("50");
        /// Printed numbers that ours stand beside in paper.csv.
        references: Vec<At<RingReference>> = Default("[]");
    }
}

table! {
    /// A printed number, by its names in src/papers/reference.csv; ours is the longest path in switches.
    "[[rings.references]]" RingReference {
        ..printed: PrintedName;
        /// The algorithm.
        algorithm: Algorithm = Required;
        /// The tree; the mean over all if not given.
        tree: Kind = Optional;
        /// The family; the scenario's own network if not given.
        family: Family = Optional;
        /// The number of machines; the mean over all if not given.
        machines: u64 = Optional;
    }
}

impl Choice for Algorithm {
    const CHOICES: &'static [(&'static str, Algorithm)] =
        &[("lr1", Algorithm::Lr1), ("lr2", Algorithm::Lr2), ("lr3", Algorithm::Lr3)];
}

impl Choice for Family {
    const CHOICES: &'static [(&'static str, Family)] =
        &[("gt-itm", Family::GtItm), ("waxman", Family::Waxman)];
}
