//! A network without switches: every host sends and receives one message at a time, nothing else is in the way.
//!
//! # Scope and limitations
//! Cut-through: a message that finds the receiver free arrives one latency and one serialisation after it begins to
//! leave; messages for one host are received one after the other, in the order in which they begin to leave. What
//! it gives is what no network of the same links can beat.
//!
//! # Source
//! The model behind the bound of faraj2008, section 1: one port a host, bandwidth B, no contention.
//!
//! # Validation
//! Unit tests: one message, two for one receiver, two of one sender, in closed form.

use simnet_base::des::agenda::Agenda;
use simnet_base::ids::HostId;
use simnet_base::units::{BitRate, Bytes, Duration, Time};

use super::{Event, Medium, Message};

/// The ideal network.
#[derive(Clone, Debug)]
pub struct Ideal {
    rate: BitRate,
    latency: Duration,
    sends_until: Vec<Time>,
    receives_until: Vec<Time>,
    agenda: Agenda<Event>,
}

impl Ideal {
    /// An ideal network between `hosts` hosts.
    pub fn new(hosts: usize, rate: BitRate, latency: Duration) -> Ideal {
        let idle = vec![Time::ZERO; hosts];
        Ideal { rate, latency, sends_until: idle.clone(), receives_until: idle, agenda: Agenda::new() }
    }
}

impl Medium for Ideal {
    fn send(&mut self, message: Message, now: Time) {
        let lasts = self.rate.time_for(Bytes(message.bytes));
        let begins = self.sends_until[message.source.index()].max(now);
        let left = begins + lasts;
        self.sends_until[message.source.index()] = left;
        let received = &mut self.receives_until[message.destination.index()];
        let arrived = (*received).max(begins + self.latency) + lasts;
        *received = arrived;
        self.agenda.schedule(left, Event::Left(message.tag));
        self.agenda.schedule(arrived, Event::Delivered(message.tag));
    }

    fn advance(&mut self, until: Option<Time>) -> Option<(Time, Event)> {
        self.agenda.pop_due(until).map(|due| (due.at, due.event))
    }

    fn occupies(&self, _source: HostId, bytes: u64) -> Duration {
        self.rate.time_for(Bytes(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a host received two messages at once, or sent two at once.
    #[test]
    fn a_host_sends_and_receives_one_at_a_time() {
        let rate = BitRate::new(8_000_000_000).unwrap();
        let mut ideal = Ideal::new(3, rate, Duration::from_ns(5));
        let message = |source, destination, tag| Message {
            source: HostId(source),
            destination: HostId(destination),
            bytes: 100,
            tag,
        };
        ideal.send(message(0, 2, 1), Time::ZERO);
        ideal.send(message(1, 2, 2), Time::ZERO);
        ideal.send(message(0, 1, 3), Time::ZERO);
        let mut arrivals = Vec::new();
        while let Some((at, event)) = ideal.advance(None) {
            if let Event::Delivered(tag) = event {
                arrivals.push((tag, at.as_ps() / 1000));
            }
        }
        assert_eq!(arrivals, [(1, 105), (2, 205), (3, 205)]);
    }
}
