//! Generated traffic: a pattern of destinations, arrivals and lengths, at a load.
//!
//! # Scope and limitations
//! All hosts that send do so at the same rate. A host's gaps and destinations come from one stream of chance
//! and, where messages differ in length, the lengths from another: other lengths do not shift who sends to whom
//! in which order.
//!
//! # Validation
//! The parts are tested where they stand; here, that streams do not depend on other hosts, and golden values.

use simnet_base::des::random::Stream;
use simnet_base::ids::HostId;
use simnet_base::units::{Duration, Time};

use super::arrivals::{Clock, Process, whole};
use super::{ARRIVALS, Arrivals, Pattern, Planned, SIZES, Sizes, Source};

/// What is sent, where to and how irregularly; a load decides how much.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// The destinations.
    pub pattern: Pattern,
    /// The arrivals.
    pub arrivals: Arrivals,
    /// The lengths.
    pub sizes: Sizes,
}

impl Workload {
    /// The mean gap between two messages of a host that sends, in picoseconds, where it offers `load` payload
    /// flits a flit time.
    pub fn mean_gap_ps(&self, load: f64, flit_time: Duration) -> f64 {
        // One flit takes one flit time, so a message every payload / load flit times offers `load`.
        self.sizes.mean() / load * flit_time.as_ps() as f64
    }

    /// The same as a span of time, rounded down; saturates.
    pub fn mean_gap(&self, load: f64, flit_time: Duration) -> Duration {
        Duration::from_ps(whole(self.mean_gap_ps(load, flit_time)))
    }
}

/// A workload at a load.
#[derive(Clone, Debug)]
pub struct Generated<'w> {
    workload: &'w Workload,
    process: Process,
    hosts: Vec<Sender>,
    /// Per host the stream of its lengths; empty where all are equal.
    lengths: Vec<Stream>,
}

#[derive(Clone, Debug)]
struct Sender {
    stream: Stream,
    clock: Clock,
    sent: u64,
}

impl<'w> Generated<'w> {
    /// The messages of `workload` where every host that sends offers `load` payload flits a flit time.
    pub fn new(workload: &'w Workload, load: f64, flit_time: Duration, seed: u64) -> Generated<'w> {
        let hosts = workload.pattern.members().network_hosts();
        let stream = |purpose| move |host| Stream::new(seed, purpose, HostId::new(host).0);
        let sender = |stream| Sender { stream, clock: Clock::NEW, sent: 0 };
        let lengths = match workload.sizes {
            Sizes::Fixed(_) => Vec::new(),
            Sizes::Weighted(_) => (0..hosts).map(stream(SIZES)).collect(),
        };
        Generated {
            workload,
            process: workload.arrivals.at(workload.mean_gap_ps(load, flit_time), flit_time),
            hosts: (0..hosts).map(stream(ARRIVALS)).map(sender).collect(),
            lengths,
        }
    }
}

impl Source for Generated<'_> {
    #[inline]
    fn next(&mut self, host: HostId) -> Option<Planned> {
        let Sender { stream, clock, sent } = &mut self.hosts[host.index()];
        let created: Time = self.process.next(clock, stream);
        if created >= Time::END {
            return None;
        }
        let destination = self.workload.pattern.draw(host, stream)?;
        let payload = match &self.workload.sizes {
            Sizes::Fixed(payload) => *payload,
            Sizes::Weighted(weighted) => weighted.draw(&mut self.lengths[host.index()]),
        };
        *sent += 1;
        Some(Planned { created, destination, payload, number: *sent - 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::{Members, PARTS};

    const FLIT: Duration = Duration::from_ns(10);

    fn workload(hosts: usize, arrivals: Arrivals, sizes: Sizes) -> Workload {
        Workload { pattern: Pattern::uniform(Members::all(hosts)), arrivals, sizes }
    }

    fn planned(workload: &Workload, host: u32, count: usize) -> Vec<Planned> {
        let mut traffic = Generated::new(workload, 0.32, FLIT, 1);
        (0..count).map(|_| traffic.next(HostId(host)).unwrap()).collect()
    }

    /// Wrong if the chance behind uniform traffic came to be used otherwise: every published result would move.
    #[test]
    fn uniform_traffic_never_changes() {
        let plain = workload(5, Arrivals::Poisson, Sizes::Fixed(32));
        let drawn: Vec<(u64, u32)> =
            planned(&plain, 2, 4).iter().map(|m| (m.created.as_ps(), m.destination.0)).collect();
        assert_eq!(drawn, GOLDEN);
    }

    const GOLDEN: [(u64, u32); 4] = [(164_661, 1), (1_259_475, 0), (1_861_017, 4), (3_185_058, 3)];

    /// Wrong if lengths were drawn from the stream of the destinations.
    #[test]
    fn lengths_shift_no_destination() {
        let two = Sizes::weighted(&[(16, PARTS / 2), (48, PARTS / 2)]).unwrap();
        let (one, two) = (
            planned(&workload(9, Arrivals::Poisson, Sizes::Fixed(32)), 4, 1_000),
            planned(&workload(9, Arrivals::Poisson, two), 4, 1_000),
        );
        // The mean length, and with it the mean gap, is the same.
        assert!(one.iter().zip(&two).all(|(a, b)| (a.created, a.destination) == (b.created, b.destination)));
        assert!(two.iter().any(|m| m.payload == 16) && two.iter().any(|m| m.payload == 48));
    }

    /// Wrong if a host's arrivals depended on how many others there are.
    #[test]
    fn hosts_do_not_shift_each_other() {
        for arrivals in [Arrivals::Poisson, Arrivals::Bernoulli, Arrivals::Constant] {
            let created = |hosts| {
                let list = planned(&workload(hosts, arrivals, Sizes::Fixed(32)), 0, 1_000);
                list.into_iter().map(|m| m.created).collect::<Vec<_>>()
            };
            assert_eq!(created(3), created(30), "{arrivals:?}");
        }
    }
}
