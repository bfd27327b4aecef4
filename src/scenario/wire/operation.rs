//! The `[[failures]]`, `[[failures-at-random]]` and `[operation]` sections: what changes while the network runs.

use serde_json::Value as Schema;

use super::bounds::ABOVE_ZERO;
use super::canonical::{Canonical, Key, put};
use super::kinds::{Choice, NeverOr, Quantity};
use super::table::{Described, Given, Located, Presence, Reading, Wire, table, table_schema};
use crate::checked::PartKind;
use crate::diagnostics::Diagnostics;
use crate::tree::Item;
use simnet_base::units::Duration;

use Presence::{Default, Optional, Required};

table! {
    /// A cable, a switch or a host that fails, with everything that is on its cables; exactly one of the three.
    "[[failures]]" Failure {
        /// Either end of the cable, as `node:port`.
        link: String = Optional;
        /// The switch, which fails by all its cables.
        switch: String = Optional;
        /// The host, which fails by all its cables.
        host: String = Optional;
        /// When it fails, from the start of the run.
        at: Quantity<Duration> = Required;
        /// How long it stays down; for ever if not given.
        lasting: Quantity<Duration> = Optional, ABOVE_ZERO;
    }
}

table! {
    /// Failures by chance: every part of a kind fails on its own, after exponential times.
    "[[failures-at-random]]" RandomFailures {
        /// What fails.
        of: PartKind = Required;
        /// The mean time from the start, or from its last return, to a part's failure.
        mean_uptime: Quantity<Duration> = Required, ABOVE_ZERO;
        /// The mean time that it is away; for ever if not given.
        mean_repair: Quantity<Duration> = Optional, ABOVE_ZERO;
        /// Failures begin before this.
        until: Quantity<Duration> = Required, ABOVE_ZERO;
    }
}

table! {
    /// The network in operation: applications send, parts fail and return, and daemons with the mapper of
    /// `[mapping]` watch, map again and hand out the routes of `[routing]`.
    "[operation]" Operation {
        /// How long.
        length: Quantity<Duration> = Required, ABOVE_ZERO;
        /// Further hosts whose daemons map, in the order in which they stand in for the mapper. With mode = "election"
        /// all do, the one with the highest address first.
        backups: Vec<Located<String>> = Default("[]");
        /// How long after the end of a mapping the next begins in any case.
        remap_period: NeverOr<Duration> = Default("'10 s'"), ABOVE_ZERO;
        /// The span within which every cable of the map is asked about once.
        heartbeat: NeverOr<Duration> = Default("'100 ms'"), ABOVE_ZERO;
        /// How long the answer to such a question is waited for.
        patience: Quantity<Duration> = Default("'5 ms'"), ABOVE_ZERO;
        /// How often a question that brought nothing is asked again before something is taken to have failed.
        confirm: u32 = Default("2");
        /// How many maps are made at most until two in a row agree, where the mapper doubts them.
        tries: u32 = Default("3"), 1..;
        /// How long the first backup waits for a sign of the mapper before it takes over; the second waits twice
        /// as long, and so on.
        takeover: Quantity<Duration> = Default("'500 ms'"), ABOVE_ZERO;
        /// The length of the intervals of operation.csv.
        interval: Quantity<Duration> = Default("'10 ms'"), ABOVE_ZERO;
    }
}

impl Choice for PartKind {
    const CHOICES: &'static [(&'static str, PartKind)] =
        &[("links", PartKind::Links), ("switches", PartKind::Switches), ("hosts", PartKind::Hosts)];
}
