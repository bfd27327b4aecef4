//! The choice of a lane at an output: two tables of lanes with weights.
//!
//! The caller says which lanes are *eligible*: those with a packet that could leave in this cycle.
//!
//! * The high table chooses if it has an eligible lane and may go on, or if the low table has no eligible lane.
//!   Otherwise the low table chooses.
//! * The high table may go on if it has sent nothing since the low table last sent, or less than `high_limit` times
//!   4,096 bytes since then.
//! * A table has a current entry and what is left of its weight. While something is left and the entry's lane is
//!   eligible, that lane is chosen. Otherwise the next entry, round the table, whose weight is not 0 and whose lane is
//!   eligible becomes the current one, with its whole weight; the last one to be looked at is the entry itself.
//! * A packet takes one unit of weight for each 64 bytes that it has or begins. It is sent whole, even if less was
//!   left.
//!
//! # Source
//! InfiniBand Architecture Specification, volume 1, section 7.6.9, as from memory. Departure: the limit of the high
//! table is counted anew from each packet of the low table on, and only from then.

use super::parameters::{LaneArbitration, LaneWeight};

/// Bytes of a unit of weight.
const UNIT: u32 = 64;
/// Bytes of a unit of the high table's limit.
const LIMIT_UNIT: u64 = 4_096;
/// A limit that is none.
const UNLIMITED: u8 = 255;

/// What an output remembers of its choices.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turns {
    high: Place,
    low: Place,
    /// Bytes that the high table has sent since the low one did.
    high_sent: u64,
}

/// Where a table is.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    entry: u32,
    /// Units left of the weight of the entry.
    left: u32,
}

impl Place {
    /// The entry that would choose among the `eligible` lanes, and what would be left of it before.
    fn next(self, table: &[LaneWeight], eligible: u16) -> Option<Place> {
        let may = |entry: &LaneWeight| eligible & 1 << entry.lane != 0;
        let current = table.get(self.entry as usize)?;
        if self.left > 0 && may(current) {
            return Some(self);
        }
        let places = (0..table.len()).map(|ahead| (self.entry as usize + 1 + ahead) % table.len());
        let found = places.into_iter().find(|place| table[*place].weight > 0 && may(&table[*place]))?;
        Some(Place {
            entry: u32::try_from(found).expect("a table is short"),
            left: u32::from(table[found].weight),
        })
    }
}

impl Turns {
    /// The lane that the tables choose among the `eligible` ones, with what is remembered if its packet is sent; at
    /// least one lane is eligible. Costs O(entries).
    pub(super) fn choose(self, tables: &LaneArbitration, eligible: u16) -> Choice {
        debug_assert!(eligible != 0, "there is a lane to be chosen");
        let (high, low) = (self.high.next(&tables.high, eligible), self.low.next(&tables.low, eligible));
        let may_go_on = self.high_sent == 0
            || tables.high_limit == UNLIMITED
            || self.high_sent < u64::from(tables.high_limit) * LIMIT_UNIT;
        match (high, low) {
            (Some(place), low) if may_go_on || low.is_none() => {
                Choice { lane: tables.high[place.entry as usize].lane, place, is_high: true }
            }
            (_, Some(place)) => Choice { lane: tables.low[place.entry as usize].lane, place, is_high: false },
            (_, None) => unreachable!("every lane is in a table, as has been checked"),
        }
    }

    /// Notes that a packet of `bytes` bytes of the lane that was chosen is sent.
    pub(super) fn sent(&mut self, choice: Choice, bytes: u32) {
        let Choice { mut place, is_high, .. } = choice;
        place.left = place.left.saturating_sub(bytes.div_ceil(UNIT));
        if is_high {
            self.high = place;
            self.high_sent += u64::from(bytes);
        } else {
            self.low = place;
            self.high_sent = 0;
        }
    }
}

/// A lane, and the entry that chose it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) lane: u8,
    place: Place,
    is_high: bool,
}
