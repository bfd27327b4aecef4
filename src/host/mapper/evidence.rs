//! What a mapper knows of how far its answers can be trusted, and what its model would take in a firmware.

use std::collections::BTreeMap;

use super::{Doubt, Kind};
use crate::units::Duration;

/// Signs of other traffic and of losses, kept by a [`Prober`](super::Prober).
///
/// A mapper is not told whether the network is quiet. It sees that it is not where two answers to questions of
/// one kind and one length took different times, beyond what cables of different lengths explain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Answers that came after their time-out.
    pub late: u64,
    /// Questions that brought nothing, and an answer when they were asked again.
    pub recovered: u64,
    /// Times that messages along routes known to be good did not come back.
    pub lost_guards: u64,
    /// Noes that rest on more than one question, or on a guard and its confirmations.
    pub confirmed_noes: u64,
    /// Noes that rest on one question.
    pub single_noes: u64,
    /// By kind and number of turns: the least and the greatest round-trip time.
    round_trips: BTreeMap<(Kind, usize), (Duration, Duration)>,
}

/// How far round trips of one length may differ where nobody else is in their way: `ALWAYS`, and `A_TURN` more
/// for each turn.
///
/// # Source
/// Our choice: a probe of some dozens of bytes that waits for its own tail, and cables that differ by 10 m
/// (5 ns/m), passed twice.
const ALWAYS: Duration = Duration::from_ns(400);
const A_TURN: Duration = Duration::from_ns(100);

impl Evidence {
    /// Takes note of an answered question of so many turns.
    pub fn answered(&mut self, kind: Kind, turns: usize, took: Duration) {
        let (least, most) = self.round_trips.entry((kind, turns)).or_insert((took, took));
        (*least, *most) = ((*least).min(took), (*most).max(took));
    }

    /// Whether other traffic was noticed.
    pub fn traffic(&self) -> bool {
        let slack = |turns: usize| ALWAYS + A_TURN * turns as u64;
        self.round_trips.iter().any(|((_, turns), (least, most))| *most > *least + slack(*turns))
    }

    /// The doubts that follow.
    pub fn doubts(&self) -> impl Iterator<Item = Doubt> {
        let doubts = [
            (self.traffic(), Doubt::Traffic),
            (self.late + self.recovered > 0, Doubt::Loss),
            (self.lost_guards > 0, Doubt::Deadlock),
        ];
        doubts.into_iter().filter_map(|(holds, doubt)| holds.then_some(doubt))
    }
}

/// The bytes of a model's parts in a firmware written in C with 32-bit pointers.
///
/// # Source
/// Our account: the papers say only that Myricom's mapper lived in 128 or 256 KB together with everything
/// else (mainwaring1997, section 4.2).
#[derive(Clone, Copy, Debug)]
pub struct Memory;

impl Memory {
    /// A node: kind, label or address, parent, flags, list links.
    pub const NODE: u64 = 32;
    /// A port's entry: far node, far port, state.
    pub const PORT: u64 = 8;
    /// A turn of a route.
    pub const TURN: u64 = 1;
    /// An entry of a queue.
    pub const ENTRY: u64 = 8;
}
