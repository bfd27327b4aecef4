//! How large a model is: as it stands, as its mapper reports it, and in bytes of a firmware.

use super::{Model, Recognition};
use crate::host::mapper::{Growth, Memory};

/// How large a model is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Hosts.
    pub hosts: u64,
    /// Switch vertices that stand for themselves: not merged into others, and not pruned.
    pub switches: u64,
    /// Cables; two of them may still be one.
    pub cables: u64,
    /// Switch vertices that were found to be others.
    pub merged: u64,
    /// Switch vertices that were pruned, those merged into them not counted.
    pub pruned: u64,
}

/// What is counted of a model as it changes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) hosts: u64,
    pub(super) switches: u64,
    pub(super) merged: u64,
    pub(super) pruned: u64,
    /// Ends of cables that lie in ports.
    pub(super) ends: u64,
    /// Ends that found a cable in their port.
    pub(super) repeats: u64,
    /// Ports of switches that have an entry.
    pub(super) kept_ports: u64,
    /// Turns of the routes to vertices that stand.
    pub(super) turns: u64,
    /// Turns of the routes to vertices that were merged away.
    pub(super) merged_turns: u64,
    /// Vertices that wait to be explored.
    pub(super) waiting: u64,
}

impl Model {
    /// How large the model is.
    pub fn sizes(&self) -> Sizes {
        let Tally { hosts, switches, merged, pruned, ends, .. } = self.tally;
        Sizes { hosts, switches, cables: ends / 2, merged, pruned }
    }

    /// The model's size as its mapper reports it, with so much on the frontier.
    pub(in crate::host::mapper) fn growth(&self, frontier: u64) -> Growth {
        let Tally { hosts, switches, ends, .. } = self.tally;
        let (merged, repeats) = self.counted();
        Growth { nodes: hosts + switches + merged, edges: (ends + repeats) / 2, frontier }
    }

    /// The bytes that the model takes by [`Memory`]'s account, with so much on the frontier.
    pub(in crate::host::mapper) fn bytes(&self, frontier: u64) -> u64 {
        let Tally { hosts, switches, ends, kept_ports, turns, merged_turns, .. } = self.tally;
        let (merged, repeats) = self.counted();
        let (ports, turns) = match self.recognition {
            Recognition::Afterwards { keep_merged: true } => (ends + repeats, turns + merged_turns),
            Recognition::Afterwards { keep_merged: false } => (ends, turns),
            // A host's entry holds where it is cabled.
            Recognition::Before => (kept_ports, turns),
        };
        (hosts + switches + merged) * Memory::NODE
            + ports * Memory::PORT
            + turns * Memory::TURN
            + frontier * Memory::ENTRY
    }

    /// Of the vertices merged away and of the cables found again: those that count for the model's size.
    fn counted(&self) -> (u64, u64) {
        match self.recognition {
            Recognition::Afterwards { keep_merged: true } => (self.tally.merged, self.tally.repeats),
            Recognition::Afterwards { keep_merged: false } => (0, 0),
            Recognition::Before => (0, self.tally.repeats),
        }
    }
}
