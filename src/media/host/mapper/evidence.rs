//! What a mapper knows of how far its answers can be trusted, and what its model would take in a firmware.

use std::collections::{BTreeMap, BTreeSet};

use super::model::Place;
use super::{Doubt, Kind};
use simnet_base::units::Duration;
use simnet_network::topology::End;

/// Signs of other traffic and of losses, kept by a [`Prober`](super::Prober).
///
/// A mapper does not know whether the network is quiet. It sees that it is not where an answer took another time
/// than cables explain: the same question asked twice must take the same time, and one more cable at the end of
/// a route must add the same time whatever the route.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Answers that came after their time-out.
    pub late: u64,
    /// Questions asked more than once that brought nothing at one time and an answer at another.
    pub recovered: u64,
    /// Times that messages along routes known to be good did not come back.
    pub lost_guards: u64,
    /// Answers that took another time than a quiet network explains.
    pub disturbed: u64,
    /// Noes that rest on more than one question, or on a guard and its confirmations.
    pub confirmed_noes: u64,
    /// Noes that rest on one question.
    pub single_noes: u64,
    /// Ports of the map behind which switches answered that no host distinguishes: the map lacks them, or
    /// shows them as far as they were found. This is the network's nature and no doubt.
    pub hidden: BTreeSet<End>,
    /// By kind and number of turns: the least and the greatest round-trip time.
    round_trips: BTreeMap<(Kind, usize), (Duration, Duration)>,
    /// By the cable added (one of its ends in the model): the least and the greatest time in picoseconds
    /// that it added to a round trip.
    added: BTreeMap<Place, (i64, i64)>,
}

/// How far round trips of one number of turns may differ where no other traffic is in their way: `ALWAYS`, and
/// `A_TURN` more for each turn.
///
/// # Source
/// Our choice: fibre of up to 200 m (1.3 us one way, Myricom's limit) passed twice a turn, and cables of a
/// quarter of the others' rate.
const ALWAYS: Duration = Duration::from_us(10);
const A_TURN: Duration = Duration::from_ns(2_700);

/// How far the times may differ that one cable adds to different round trips.
///
/// # Source
/// Our choice: a probe of some dozens of bytes may wait for its own tail, more than once, and its bytes may be
/// drawn out by a slower cable on one route and not on another: at a quarter of 1.28 Gb/s, 40 bytes take 1 us.
const A_CABLE_PS: i64 = 4_000_000;

/// How far the times of one and the same question may differ: at first another message was just before it.
const THE_SAME: Duration = Duration::from_us(2);

impl Evidence {
    /// Takes note of an answered question of so many turns, which took so long from interface to interface. A
    /// host's answer counts for nothing here: its software takes what time it likes.
    pub fn answered(&mut self, kind: Kind, turns: usize, took: Duration) {
        if kind == Kind::Host {
            return;
        }
        spread(self.round_trips.entry((kind, turns)).or_insert((took, took)), took);
    }

    /// Takes note of two times that the same question took.
    pub fn repeated(&mut self, one: Duration, other: Duration) {
        self.disturbed += u64::from(one.max(other) > one.min(other) + THE_SAME);
    }

    /// Takes note of how many picoseconds a round trip became longer by one cable, known by one of its ends.
    pub fn added(&mut self, cable: Place, more: i64) {
        spread(self.added.entry(cable).or_insert((more, more)), more);
    }

    /// Adds what was noticed before.
    pub fn add(&mut self, before: Evidence) {
        self.late += before.late;
        self.recovered += before.recovered;
        self.lost_guards += before.lost_guards;
        self.disturbed += before.disturbed;
        self.confirmed_noes += before.confirmed_noes;
        self.single_noes += before.single_noes;
        self.hidden.extend(before.hidden);
        for (key, (least, most)) in before.round_trips {
            let entry = self.round_trips.entry(key).or_insert((least, most));
            *entry = (entry.0.min(least), entry.1.max(most));
        }
        for (key, (least, most)) in before.added {
            let entry = self.added.entry(key).or_insert((least, most));
            *entry = (entry.0.min(least), entry.1.max(most));
        }
    }

    /// Whether other traffic was noticed.
    pub fn traffic(&self) -> bool {
        let slack = |turns: usize| ALWAYS + A_TURN * turns as u64;
        self.disturbed > 0
            || self.round_trips.iter().any(|((_, turns), (least, most))| *most > *least + slack(*turns))
            || self.added.values().any(|(least, most)| most.saturating_sub(*least) > A_CABLE_PS)
    }

    /// The doubts that follow from what is counted; for other traffic also all times would have to be compared.
    pub(super) fn signs(&self) -> impl Iterator<Item = Doubt> + use<> {
        let doubts = [
            (self.disturbed > 0, Doubt::Traffic),
            (self.late + self.recovered > 0, Doubt::Loss),
            (self.lost_guards > 0, Doubt::Deadlock),
        ];
        doubts.into_iter().filter_map(|(holds, doubt)| holds.then_some(doubt))
    }

    /// The doubts that follow.
    pub fn doubts(&self) -> impl Iterator<Item = Doubt> + use<> {
        let doubts = [
            (self.traffic(), Doubt::Traffic),
            (self.late + self.recovered > 0, Doubt::Loss),
            (self.lost_guards > 0, Doubt::Deadlock),
        ];
        doubts.into_iter().filter_map(|(holds, doubt)| holds.then_some(doubt))
    }
}

fn spread<T: Ord + Copy>((least, most): &mut (T, T), took: T) {
    (*least, *most) = ((*least).min(took), (*most).max(took));
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
