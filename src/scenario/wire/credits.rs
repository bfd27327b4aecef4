//! Keys of a fabric whose packets are stopped by credits.

use super::kinds::Choice;
use super::table::{Described, Given, Located, Presence, Reading, Wire, table, table_schema};
use crate::diagnostics::Diagnostics;
use crate::tree::Item;
use serde_json::Value as Schema;
use simnet_media::fabric::MOST_LANES;

use super::canonical::{Canonical, Key, put};
use Presence::{Default, Optional, Required};

/// What keeps a sender from overrunning a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlowKind {
    StopGo,
    Credits,
}

impl Choice for FlowKind {
    const CHOICES: &'static [(&'static str, FlowKind)] =
        &[("stop-go", FlowKind::StopGo), ("credits", FlowKind::Credits)];
}

/// The highest lane.
const LAST_LANE: u32 = MOST_LANES as u32 - 1;

table! {
    /// The two tables by which every output of a switch chooses among its lanes, as InfiniBand has them.
    "[fabric.lane-arbitration]" LaneArbitration {
        /// The table of high priority: lanes, each with a weight.
        high: Vec<Located<LaneWeight>> = Optional;
        /// The table of low priority.
        low: Vec<Located<LaneWeight>> = Optional;
        /// How much the table of high priority sends before one packet of the other has its turn: so many times 4,096
        /// bytes; a packet at 0, as if not given, and all that there is at 255.
        high_limit: u32 = Optional, ..=255;
    }
}

table! {
    /// A lane's turn in a table.
    "[[fabric.lane-arbitration.low]]" LaneWeight {
        /// The lane.
        lane: u32 = Required, 0..=LAST_LANE;
        /// What it sends in one turn: so many times 64 bytes, a begun packet to its end; a turn of 0 is left out.
        weight: u32 = Default("1"), ..=255;
    }
}
