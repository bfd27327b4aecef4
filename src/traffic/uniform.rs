//! Uniform traffic: Poisson arrivals at every host, every other host equally likely as destination.
//!
//! # Scope and limitations
//! All hosts have the same rate and all messages the same length. A host's arrivals go on whether or not its
//! interface keeps up (an open system), so beyond saturation the queue at the source grows for ever.
//!
//! # Validation
//! The mean gap and the spread of destinations are tested here; offered against accepted traffic and M/D/1
//! waiting times in the integration tests.
//!
//! # Source
//! Sancho and Robles 2000, section 5.1, for the uniform pattern; the paper does not say how arrivals are drawn,
//! Poisson is the usual reading.

use crate::des::random::Stream;
use crate::ids::HostId;
use crate::units::{Duration, Time};

use super::{ARRIVALS, Planned, Source};

/// Uniform random traffic between the hosts `0..hosts`.
#[derive(Clone, Debug)]
pub struct Uniform {
    hosts: Vec<Arrivals>,
    mean_gap: Duration,
    payload: u32,
}

#[derive(Clone, Debug)]
struct Arrivals {
    stream: Stream,
    last: Time,
    sent: u64,
}

impl Uniform {
    /// Traffic of messages of `payload` flits, on average one every `mean_gap` at each of `hosts` hosts.
    ///
    /// # Panics
    /// If there are fewer than two hosts, since a host does not send to itself.
    pub fn new(hosts: usize, mean_gap: Duration, payload: u32, seed: u64) -> Uniform {
        assert!(hosts >= 2, "uniform traffic needs another host to send to");
        let arrivals =
            |host| Arrivals { stream: Stream::new(seed, ARRIVALS, host), last: Time::ZERO, sent: 0 };
        let hosts = (0..hosts).map(|host| arrivals(HostId::new(host).0)).collect();
        Uniform { hosts, mean_gap, payload }
    }
}

impl Source for Uniform {
    fn next(&mut self, host: HostId) -> Option<Planned> {
        let others = self.hosts.len() as u64 - 1;
        let own = &mut self.hosts[host.index()];
        own.last = own.last + Duration::from_ps(own.stream.exponential(self.mean_gap.as_ps()));
        let drawn = u32::try_from(own.stream.below(others)).expect("below the number of hosts");
        let destination = HostId(if drawn >= host.0 { drawn + 1 } else { drawn });
        own.sent += 1;
        Some(Planned { created: own.last, destination, payload: self.payload, number: own.sent - 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_sends_to_itself_and_everyone_else_gets_a_share() {
        let mut traffic = Uniform::new(5, Duration::from_ns(100), 32, 1);
        let mut seen = [0_u32; 5];
        for _ in 0..40_000 {
            seen[traffic.next(HostId(2)).unwrap().destination.index()] += 1;
        }
        // Standard deviation 87: five of it.
        assert_eq!(seen[2], 0);
        assert!([0, 1, 3, 4].iter().all(|h| seen[*h].abs_diff(10_000) < 435), "{seen:?}");
    }

    #[test]
    fn arrivals_have_the_mean_asked_for_and_do_not_depend_on_the_number_of_hosts() {
        let (mut few, mut many) =
            (Uniform::new(3, Duration::from_ns(100), 32, 1), Uniform::new(30, Duration::from_ns(100), 32, 1));
        let mut last = Time::ZERO;
        for _ in 0..100_000 {
            last = few.next(HostId(0)).unwrap().created;
            assert_eq!(many.next(HostId(0)).unwrap().created, last);
        }
        // Standard error of the sum: 0.32 %; four of it.
        assert!(last.as_ps().abs_diff(100_000 * 100_000) < 128_000_000, "{last}");
    }
}
