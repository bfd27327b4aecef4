//! How latency and accepted traffic went in the course of a load point, from its first message on.
//!
//! # Scope and limitations
//! A bounded number of slots of equal length: when they are full, they are joined two by two, and each is twice as
//! long. Messages count in the slot in which their last flits arrive.
//!
//! # Validation
//! Against sums over the messages themselves, however often slots are joined.

use crate::units::Cycle;

/// The most slots.
const MOST: usize = 256;

/// What arrived in a stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrendSlot {
    /// Messages that arrived sound.
    pub messages: u64,
    /// Their payload flits.
    pub flits: u64,
    /// Their latencies from creation, all together, in cycles.
    pub latency: u128,
}

/// A load point in slots.
#[derive(Clone, Debug)]
pub struct Trend {
    /// The length of a slot in cycles.
    slot: u64,
    slots: Vec<TrendSlot>,
}

impl Default for Trend {
    /// A point of which nothing has been seen.
    fn default() -> Trend {
        Trend { slot: 1, slots: Vec::new() }
    }
}

impl Trend {
    /// Notes a message of `payload` flits that was created and arrived in these cycles. Messages come in order of their
    /// arrival. Costs O(1) on average.
    ///
    /// # Panics
    /// If it arrived before it was created.
    pub fn delivered(&mut self, created: Cycle, tail: Cycle, payload: u32) {
        assert!(created <= tail, "a message arrives after its creation");
        let place = loop {
            match usize::try_from(tail.0 / self.slot) {
                Ok(place) if place < MOST => break place,
                _ => self.join(),
            }
        };
        if place >= self.slots.len() {
            self.slots.resize(place + 1, TrendSlot::default());
        }
        let slot = &mut self.slots[place];
        slot.messages += 1;
        slot.flits += u64::from(payload);
        slot.latency += u128::from(tail.0 - created.0);
    }

    /// Doubles the length of slots.
    fn join(&mut self) {
        self.slot *= 2;
        let both = |pair: &[TrendSlot]| {
            pair.iter().fold(TrendSlot::default(), |a, b| TrendSlot {
                messages: a.messages + b.messages,
                flits: a.flits + b.flits,
                latency: a.latency + b.latency,
            })
        };
        self.slots = self.slots.chunks(2).map(both).collect();
    }

    /// The length of a slot in cycles.
    pub fn slot(&self) -> u64 {
        self.slot
    }

    /// The slots from cycle 0 on.
    pub fn slots(&self) -> &[TrendSlot] {
        &self.slots
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if joining slots lost a message or moved it to another time, or if slots grew without bound.
    #[test]
    fn joined_slots_hold_what_came_in_their_time() {
        let mut trend = Trend::default();
        let arrivals: Vec<u64> = (0..3_000).map(|n| 3 * n + n % 2).collect();
        for at in &arrivals {
            trend.delivered(Cycle(at / 2), Cycle(*at), 7);
        }
        assert!(trend.slots().len() <= MOST && trend.slots().len() > MOST / 2);
        for (nth, slot) in (0..).zip(trend.slots()) {
            let own = arrivals.iter().filter(|at| **at / trend.slot() == nth);
            let latency: u128 = own.clone().map(|at| u128::from(at - at / 2)).sum();
            let count = own.count() as u64;
            assert_eq!(*slot, TrendSlot { messages: count, flits: 7 * count, latency });
        }
    }

    /// Wrong if a message at the end of the simulated clock broke the slots.
    #[test]
    fn time_has_no_end() {
        let mut trend = Trend::default();
        trend.delivered(Cycle(0), Cycle(1), 1);
        trend.delivered(Cycle(0), Cycle(u64::MAX), 1);
        assert_eq!(trend.slots().iter().map(|slot| slot.messages).sum::<u64>(), 2);
    }
}
