//! A network without switches: every host sends and receives one parcel at a time, nothing else is in the way.
//!
//! # Scope and limitations
//! Cut-through: a parcel that finds the receiver free arrives one latency and one serialisation after it begins to
//! leave; parcels for one host are received one after the other, in the order in which they begin to leave. What
//! it gives is what no network of the same links can beat.
//!
//! # Source
//! The model behind the bound of faraj2008, section 1: one port a host, bandwidth B, no contention.
//!
//! # Validation
//! Unit tests: one parcel, two for one receiver, two of one sender, in closed form.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::ids::HostId;
use crate::units::{BitRate, Bytes, Duration, Time};

use super::{Event, Medium, Parcel};

/// The ideal network.
#[derive(Clone, Debug)]
pub struct Ideal {
    rate: BitRate,
    latency: Duration,
    sends_until: Vec<Time>,
    receives_until: Vec<Time>,
    agenda: BinaryHeap<Reverse<(Time, u64, u8, u64)>>,
    noted: u64,
}

impl Ideal {
    /// An ideal network between `hosts` hosts.
    pub fn new(hosts: usize, rate: BitRate, latency: Duration) -> Ideal {
        let idle = vec![Time::ZERO; hosts];
        Ideal {
            rate,
            latency,
            sends_until: idle.clone(),
            receives_until: idle,
            agenda: BinaryHeap::new(),
            noted: 0,
        }
    }

    fn note(&mut self, at: Time, kind: u8, tag: u64) {
        self.agenda.push(Reverse((at, self.noted, kind, tag)));
        self.noted += 1;
    }
}

impl Medium for Ideal {
    fn send(&mut self, parcel: Parcel, now: Time) {
        let lasts = self.rate.time_for(Bytes(parcel.bytes));
        let begins = self.sends_until[parcel.source.index()].max(now);
        let left = begins + lasts;
        self.sends_until[parcel.source.index()] = left;
        let received = &mut self.receives_until[parcel.destination.index()];
        let arrived = (*received).max(begins + self.latency) + lasts;
        *received = arrived;
        self.note(left, 0, parcel.tag);
        self.note(arrived, 1, parcel.tag);
    }

    fn advance(&mut self, until: Option<Time>) -> Option<(Time, Event)> {
        let Reverse((at, ..)) = *self.agenda.peek()?;
        if until.is_some_and(|until| at > until) {
            return None;
        }
        let Reverse((_, _, kind, tag)) = self.agenda.pop()?;
        Some((at, if kind == 0 { Event::Left(tag) } else { Event::Delivered(tag) }))
    }

    fn occupies(&self, _source: HostId, bytes: u64) -> Duration {
        self.rate.time_for(Bytes(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a host received two parcels at once, or sent two at once.
    #[test]
    fn a_host_sends_and_receives_one_at_a_time() {
        let rate = BitRate::new(8_000_000_000).unwrap();
        let mut ideal = Ideal::new(3, rate, Duration::from_ns(5));
        let parcel = |source, destination, tag| Parcel {
            source: HostId(source),
            destination: HostId(destination),
            bytes: 100,
            tag,
        };
        ideal.send(parcel(0, 2, 1), Time::ZERO);
        ideal.send(parcel(1, 2, 2), Time::ZERO);
        ideal.send(parcel(0, 1, 3), Time::ZERO);
        let mut arrivals = Vec::new();
        while let Some((at, event)) = ideal.advance(None) {
            if let Event::Delivered(tag) = event {
                arrivals.push((tag, at.as_ps() / 1000));
            }
        }
        assert_eq!(arrivals, [(1, 105), (2, 205), (3, 205)]);
    }
}
