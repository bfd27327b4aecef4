//! What fails and when: switches, hosts and cables, by a list or by chance, as outages of cables.
//!
//! A node fails by all its cables. A cable that is down for several reasons at once is down for as long as any
//! of them holds, and comes back when the last one has gone:
//!
//! ```text
//!   switch s fails      |=========|
//!   its cable c fails          |=======|
//!   c fails again                      |==|
//!   outages of c        |=================|
//! ```
//!
//! # Scope and limitations
//! What fails loses nothing but its cables: a host whose cables are down computes on and keeps its routes, and
//! a switch comes back with the ports that it had. An outage is the half-open interval from the instant of the
//! failure to that of the return.
//!
//! # Source
//! The papers give no rates of failure; the exponential times of [`RandomFailures`] are the usual choice (an element
//! that is up does not age).
//!
//! # Validation
//! Tests below compare the merged outages of random failures with a cable-by-cable count at every instant.

use simnet_base::des::random::{Purpose, Stream};
use simnet_base::ids::LinkId;
use simnet_base::units::{Duration, Time};
use simnet_network::topology::Network;

pub use simnet_scenario::checked::{Failure, Part, PartKind, RandomFailures};

/// The streams of when links, switches and hosts fail, and for how long: one a kind.
const OUTAGES: [Purpose; 3] = [Purpose(31), Purpose(32), Purpose(33)];

/// More failures by chance than anyone wants to see: so many are expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} failures are to be expected; at most {most} are drawn", most = RandomFailures::MOST)]
pub struct TooManyFailures(pub u64);

/// A time in which a cable is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outage {
    /// When it begins.
    pub from: Time,
    /// The cable.
    pub link: LinkId,
    /// When the cable returns; `None`: never.
    pub until: Option<Time>,
}

/// Draws failures by chance, in order of time. Each part has a stream of its own, so that one more
/// part shifts no other part's failures.
///
/// # Errors
/// [`TooManyFailures`]: the rate times the parts times the span is beyond all reason.
pub fn drawn(network: &Network, chance: &RandomFailures, seed: u64) -> Result<Vec<Failure>, TooManyFailures> {
    let parts = chance.of.parts(network);
    let expected = chance.expected(parts.len() as u64);
    if expected > RandomFailures::MOST {
        return Err(TooManyFailures(expected));
    }
    let mut failures = Vec::new();
    let purpose = OUTAGES[chance.of as usize];
    for (nth, part) in parts.into_iter().enumerate() {
        let mut stream = Stream::new(seed, purpose, LinkId::new(nth).0);
        // At least a picosecond each, so that time goes on.
        let mut draw = |mean: Duration| Duration::from_ps(stream.exponential(mean.as_ps()).max(1));
        let mut up = Time::ZERO;
        loop {
            let at = up + draw(chance.mean_uptime);
            if at >= chance.until {
                break;
            }
            let lasting = chance.mean_repair.map(&mut draw);
            failures.push(Failure { part, at, lasting });
            let Some(lasting) = lasting else { break };
            up = at + lasting;
        }
    }
    failures.sort_by_key(|failure| (failure.at, failure.part));
    Ok(failures)
}

/// The times in which cables are down, in order of their beginnings; two of one cable never touch. Costs
/// O(n log n) in the number of failed cables.
pub fn outages(network: &Network, failures: &[Failure]) -> Vec<Outage> {
    let mut all: Vec<Outage> = Vec::new();
    for Failure { part, at, lasting } in failures {
        let until = lasting.map(|lasting| *at + lasting);
        if until != Some(*at) {
            let links = part.links(network);
            all.extend(links.into_iter().map(|link| Outage { from: *at, link, until }));
        }
    }
    all.sort_unstable_by_key(|outage| (outage.link, outage.from));
    all.dedup_by(|next, last| {
        let touches = next.link == last.link && last.until.is_none_or(|until| next.from <= until);
        if touches {
            last.until = last.until.zip(next.until).map(|(one, other)| one.max(other));
        }
        touches
    });
    all.sort_unstable();
    all
}

/// The network as it is at an instant: all nodes, and the cables that are not down. Costs O(cables +
/// outages).
///
/// # Panics
/// If an outage is of a cable that the network does not have.
pub fn network_at(network: &Network, outages: &[Outage], at: Time) -> Network {
    let mut is_down = vec![false; network.links().len()];
    for outage in outages.iter().take_while(|outage| outage.from <= at) {
        is_down[outage.link.index()] |= outage.until.is_none_or(|until| at < until);
    }
    let mut present = Network::new(network.name.as_str());
    for switch in network.switches() {
        present.push_switch(switch.clone()).expect("names stay distinct");
    }
    for host in network.hosts() {
        present.push_host(host.clone()).expect("names stay distinct");
    }
    for (link, _) in network.links().iter().zip(&is_down).filter(|(_, is_down)| !**is_down) {
        present.push_link(link.clone()).expect("ports stay distinct");
    }
    present
}

#[cfg(test)]
mod tests {
    use super::*;
    use simnet_network::topology::End;

    const TEST: Purpose = Purpose(9_998);

    /// Two switches with two cables between them, and two hosts at each.
    fn pair() -> Network {
        let mut network = Network::new("pair");
        let [s, t] = ["s", "t"].map(|name| network.add_switch(name, 8).unwrap());
        for port in [6, 7] {
            network.connect(End::switch(s, port), End::switch(t, port)).unwrap();
        }
        for (nth, switch) in [(0, s), (1, s), (2, t), (3, t)] {
            let host = network.add_host(format!("h{nth}")).unwrap();
            network.connect(End::host(host, 0), End::switch(switch, nth)).unwrap();
        }
        network
    }

    fn at(ps: u64) -> Time {
        Time::ZERO + Duration::from_ps(ps)
    }

    /// Failures of random parts at small times, so that they overlap, touch and repeat.
    fn random_failures(network: &Network, stream: &mut Stream) -> Vec<Failure> {
        let kinds = [PartKind::Links, PartKind::Switches, PartKind::Hosts];
        let parts: Vec<Part> = kinds.iter().flat_map(|kind| kind.parts(network)).collect();
        let failure = |stream: &mut Stream| {
            let part = parts[usize::try_from(stream.below(parts.len() as u64)).unwrap()];
            let lasting = (stream.below(8) > 0).then(|| Duration::from_ps(stream.below(12)));
            Failure { part, at: at(stream.below(40)), lasting }
        };
        (0..stream.below(12)).map(|_| failure(stream)).collect()
    }

    /// Wrong if a cable were up while anything keeps it down, down while nothing does, or in two outages with
    /// no time between them.
    #[test]
    fn a_cable_is_down_exactly_as_long_as_any_reason_holds() {
        let network = pair();
        for seed in 0..3_000 {
            let failures = random_failures(&network, &mut Stream::new(seed, TEST, 0));
            let outages = outages(&network, &failures);
            for now in (0..60).map(at) {
                let up = network_at(&network, &outages, now);
                for (nth, link) in network.links().iter().enumerate() {
                    let is_down = failures.iter().any(|failure| {
                        failure.part.links(&network).contains(&LinkId::new(nth))
                            && failure.at <= now
                            && failure.lasting.is_none_or(|lasting| now < failure.at + lasting)
                    });
                    let shown = up.link_at(link.a).is_some();
                    assert_eq!(shown, !is_down, "seed {seed}: {failures:?}\ncable {nth} at {now}");
                }
            }
            assert!(outages.is_sorted());
            for (nth, outage) in outages.iter().enumerate() {
                let same = outages[nth + 1..].iter().filter(|other| other.link == outage.link);
                assert!(same.clone().all(|other| outage.until.is_some_and(|until| until < other.from)));
            }
        }
    }

    /// Wrong if parts failed more or less often, or for longer or shorter, than they are to.
    #[test]
    fn chance_keeps_its_rates() {
        let network = pair();
        let (up, repair) = (Duration::from_us(90), Duration::from_us(10));
        let until = Time::ZERO + Duration::from_ms(100);
        let chance =
            RandomFailures { of: PartKind::Links, mean_uptime: up, mean_repair: Some(repair), until };
        let failures = drawn(&network, &chance, 3).unwrap();
        // Six cables, a failure each every 100 us: 6,000, give or take 70 (a renewal process with a relative
        // deviation of 0.9).
        assert!(failures.len().abs_diff(6_000) < 350, "{}", failures.len());
        let away: u64 = failures.iter().map(|failure| failure.lasting.unwrap().as_ps()).sum();
        let mean = away / failures.len() as u64;
        assert!(mean.abs_diff(repair.as_ps()) < repair.as_ps() / 14, "{mean}");
        assert!(failures.is_sorted_by_key(|failure| failure.at));
        assert_eq!(failures.len(), outages(&network, &failures).len(), "one part fails once at a time");
    }

    /// Wrong if a bound were missing, a kind shared another's stream, or the seed had no effect.
    #[test]
    fn chance_is_bounded_and_seeded() {
        let network = pair();
        let (mean_uptime, until) = (Duration::from_us(1), Time::ZERO + Duration::from_ms(1_000));
        let chance = |of, mean_repair| RandomFailures { of, mean_uptime, mean_repair, until };
        let fast = chance(PartKind::Links, Some(Duration::ZERO));
        assert_eq!(drawn(&network, &fast, 0), Err(TooManyFailures(6_000_000)));
        let first = |of, seed| drawn(&network, &chance(of, None), seed).unwrap();
        assert_eq!(first(PartKind::Hosts, 1).len(), 4);
        assert_eq!(first(PartKind::Hosts, 1), first(PartKind::Hosts, 1));
        assert_ne!(first(PartKind::Hosts, 1), first(PartKind::Hosts, 2));
        assert_ne!(first(PartKind::Switches, 1)[0].at, first(PartKind::Links, 1)[0].at);
        let none = RandomFailures { until: Time::ZERO, ..chance(PartKind::Links, None) };
        let none = drawn(&network, &none, 1);
        assert_eq!(none, Ok(Vec::new()));
    }
}
