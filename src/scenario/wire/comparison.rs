//! The `[comparison]` section: routings, each with the keys of `[routing]` and a name, and references.

use serde_json::Value as Schema;

use super::super::book::Book;
use super::super::comparison::Quantity;
use super::super::printed::Statistic;
use super::super::tree::Item;
use super::canonical::{Canonical, Key, put};
use super::kinds::Choice;
use super::sections::Routing;
use super::shared::{Named, PrintedName};
use super::table::{At, Given, Presence, Reading, Wire, table};
use super::table::{Described, table_schema};

use Presence::{Default, Optional, Required};

table! {
    /// Routings compared on the same networks, each network and routing a run of its own.
    "[comparison]" Comparison {
        /// How many networks of each size, 1 to 1000: the generator's seed is the first one's, the next seed
        /// the next one's.
        networks: u32 = Default("1");
        /// Numbers of switches, each in place of the generator's own.
        switches: Vec<At<u64>> = Optional;
        /// The name of the routing that ratios are taken over; the first if not given.
        base: String = Optional;
        /// The routings: the keys of `[routing]`, and a name.
        routings: Vec<At<Named<Routing>>> = Required;
        /// Printed numbers that ours stand beside in paper.csv.
        references: Vec<At<Reference>> = Default("[]");
    }
}

table! {
    /// A printed number, by its names in src/papers/reference.csv, and what of ours stands beside it.
    "[[comparison.references]]" Reference {
        ..printed: PrintedName;
        /// What of ours.
        ours: Quantity = Required;
        /// The name of the routing.
        routing: String = Required;
        /// The name of the routing that the quantity is divided by, network by network.
        over: String = Optional;
        /// The number of switches, where the comparison has several.
        switches: u64 = Optional;
        /// What is taken over the networks of that size.
        of: Statistic = Default("'mean'");
    }
}

impl Choice for Quantity {
    const CHOICES: &'static [(&'static str, Quantity)] = &[
        ("switch-mean-distance", Quantity::SwitchMeanDistance),
        ("crossing-paths", Quantity::CrossingPaths),
        ("restrictions-per-switch", Quantity::RestrictionsPerSwitch),
        ("mean-distance", Quantity::MeanDistance),
        ("non-minimal-pairs", Quantity::NonMinimalPairs),
        ("max-channel-load", Quantity::MaxChannelLoad),
        ("throughput", Quantity::Throughput),
    ];
}

impl Choice for Statistic {
    const CHOICES: &'static [(&'static str, Statistic)] = &[
        ("mean", Statistic::Mean),
        ("min", Statistic::Min),
        ("max", Statistic::Max),
        ("variation", Statistic::Variation),
        ("nearest", Statistic::Nearest),
    ];
}
