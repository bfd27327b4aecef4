//! The daemon on a plain graph that changes.

use std::future::{pending, ready};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::*;
use crate::host::plain::{Collision, Walked, walk};
use crate::host::{HostFuture, Received};
use simnet_base::ids::{HostId, Turn};
use simnet_network::routing::{Attachments, Choices, Plan, Root};
use simnet_network::topology::{End, isomorphism};

/// A host on a plain graph that is another from certain instants on; answers come at once, from daemons
/// that only serve. Time stands still at `end`.
struct Changing {
    networks: Vec<(Time, Network)>,
    me: HostId,
    now: Time,
    end: Time,
    inbox: Vec<Received>,
    memories: BTreeMap<HostId, Memory>,
    /// Messages sent.
    sent: u64,
    /// Every nth message is lost; none with 0.
    lost: u64,
}

impl Changing {
    fn network(&self) -> &Network {
        let present = self.networks.iter().rev().find(|(from, _)| *from <= self.now);
        &present.unwrap().1
    }

    fn carry(&mut self, from: HostId, route: &[Turn], message: Message) {
        self.sent += 1;
        if self.lost > 0 && self.sent.is_multiple_of(self.lost) {
            return;
        }
        let end = walk(self.network(), from, route, Collision::Packet);
        let Some(Walked { host, unused: 0, .. }) = end else { return };
        let stamps = Vec::new();
        let from = Address(from.index() as u64);
        let received = Received { message, from, at: self.now, unused: 0, stamps };
        if host == self.me {
            self.inbox.push(received);
            return;
        }
        let name = self.network().hosts()[host.index()].name.clone();
        if let Some((route, answer)) = self.memories.entry(host).or_default().take(&name, &received) {
            self.carry(host, &route, answer);
        }
    }
}

impl Host for Changing {
    fn name(&self) -> &str {
        &self.networks[0].1.hosts()[self.me.index()].name
    }

    fn address(&self) -> Address {
        Address(self.me.index() as u64)
    }

    fn now(&self) -> Time {
        self.now
    }

    fn send<'s>(&'s mut self, route: &'s [Turn], message: Message) -> HostFuture<'s, ()> {
        self.now = self.now + Duration::from_us(15);
        self.carry(self.me, route, message);
        Box::pin(ready(()))
    }

    fn recv(&mut self, until: Option<Time>) -> HostFuture<'_, Option<Received>> {
        if !self.inbox.is_empty() {
            return Box::pin(ready(Some(self.inbox.remove(0))));
        }
        if until.is_none_or(|until| until > self.end) {
            return Box::pin(pending());
        }
        self.now = self.now.max(until.unwrap_or(self.now));
        Box::pin(ready(None))
    }

    fn sleep(&mut self, span: Duration) -> HostFuture<'_, ()> {
        self.now = self.now + span;
        Box::pin(ready(()))
    }
}

/// A chain of three switches, s0 to s1 by two cables, and two hosts at each; without the cables `without`.
fn chain(without: &[usize]) -> Network {
    let mut network = Network::new("chain");
    let switches = [0, 1, 2].map(|nth| network.add_switch(format!("s{nth}"), 8).unwrap());
    let hosts: Vec<HostId> = (0..6).map(|nth| network.add_host(format!("h{nth}")).unwrap()).collect();
    let mut cables: Vec<(End, End)> = vec![
        (End::switch(switches[0], 5), End::switch(switches[1], 5)),
        (End::switch(switches[0], 6), End::switch(switches[1], 6)),
        (End::switch(switches[1], 7), End::switch(switches[2], 7)),
    ];
    for (nth, host) in hosts.into_iter().enumerate() {
        let port = u16::try_from(nth % 2).unwrap();
        cables.push((End::host(host, 0), End::switch(switches[nth / 2], port)));
    }
    for (_, (a, b)) in cables.into_iter().enumerate().filter(|(nth, _)| !without.contains(nth)) {
        network.connect(a, b).unwrap();
    }
    network
}

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_ms(ms)
}

fn plan(map: &Network) -> Option<RoutesByName> {
    let choices = Choices {
        algorithm: simnet_network::routing::Algorithm::UpDown { tree: Default::default(), root: Root::Far },
        ..Choices::default()
    };
    let table = Plan::new(map, &Attachments::lowest(map), &choices).ok()?.table;
    let name = |host: HostId| map.hosts()[host.index()].name.clone();
    let mut routes: RoutesByName = map.host_ids().map(|host| (name(host), BTreeMap::new())).collect();
    for (from, to, turns) in table.iter() {
        routes.entry(name(from)).or_default().insert(name(to), turns.to_vec());
    }
    Some(routes)
}

/// What the daemon on h0 does within so many milliseconds on networks that follow each other.
fn watched(networks: &[(u64, &[usize])], lost: u64, options: &Options, ms: u64) -> Journal {
    let networks: Vec<_> = networks.iter().map(|(from, without)| (at(*from), chain(without))).collect();
    let known = networks[0].1.clone();
    let (now, inbox, memories) = (Time::ZERO, Vec::new(), BTreeMap::new());
    let mut host = Changing { networks, me: HostId(0), now, end: at(ms), inbox, memories, sent: 0, lost };
    let configuration = Configuration { mappers: &[Address(0)], options, known: Some(&known), plan };
    let (mut memory, mut journal) = (Memory::default(), Journal::default());
    let mut daemon = Box::pin(serve(&mut host, &mut memory, &configuration, &mut journal));
    let state = pin!(&mut daemon).poll(&mut Context::from_waker(Waker::noop()));
    assert_eq!(state, Poll::Pending);
    drop(daemon);
    journal
}

fn options() -> Options {
    let brief = Brief { timeout: Duration::from_us(100), retries: 1, ..Brief::default() };
    Options { brief, remap_period: None, ..Options::default() }
}

/// The reasons, the cables of the maps and the missing hosts in a journal.
fn summary(journal: &Journal) -> Vec<String> {
    let line = |(_, event): &(Time, DaemonEvent)| match event {
        DaemonEvent::Roused(reason) => Some(reason.name().to_owned()),
        DaemonEvent::Mapped { network, adopted, .. } => Some(format!("{} {adopted}", network.links().len())),
        DaemonEvent::HandedOut(report) => Some(format!("{} missing", report.missing.len())),
        DaemonEvent::HandingOut | DaemonEvent::TookOver | DaemonEvent::SteppedDown => None,
    };
    journal.0.iter().filter_map(line).collect()
}

/// Wrong if the daemon missed that a cable, a host or a part of the network is gone or back, reported it twice,
/// or took its being cut off for a change of everything else.
#[test]
fn failures_and_returns_are_noticed_once() {
    let cases: [(&[usize], &[&str]); 5] = [
        (&[0], &["silence", "8 true", "0 missing", "return", "9 true", "0 missing"]),
        (&[1], &["silence", "8 true", "0 missing", "return", "9 true", "0 missing"]),
        (&[2], &["silence", "6 true", "0 missing", "return", "9 true", "0 missing"]),
        (&[8], &["silence", "8 true", "0 missing", "return", "9 true", "0 missing"]),
        (&[3], &["silence", "0 false", "return", "9 true", "0 missing"]),
    ];
    for (without, expected) in cases {
        let journal = watched(&[(0, &[]), (500, without), (1_500, &[])], 0, &options(), 3_000);
        assert_eq!(summary(&journal), expected, "{without:?}");
        let first = journal.0[0].0;
        assert!(at(500) <= first && first < at(500) + Duration::from_ms(125), "{without:?}: {first}");
    }
}

/// Wrong if a healthy network were mapped for any other reason than the period, or handed routes anew.
#[test]
fn a_healthy_network_is_left_alone() {
    assert_eq!(watched(&[(0, &[])], 0, &options(), 2_000), Journal::default());
    // Every 50th message is lost: each question has three tries.
    assert_eq!(watched(&[(0, &[])], 50, &options(), 2_000), Journal::default());
    let periodic = Options { remap_period: Some(Duration::from_ms(300)), ..options() };
    let journal = watched(&[(0, &[])], 0, &periodic, 1_000);
    assert_eq!(summary(&journal), ["period", "9 true", "period", "9 true", "period", "9 true"]);
}

/// Wrong if what is new were not found by the periodic mapping, or without heart-beats nothing were.
#[test]
fn what_is_new_is_found_by_the_period() {
    let periodic = Options { remap_period: Some(Duration::from_ms(300)), heartbeat: None, ..options() };
    let journal = watched(&[(0, &[0]), (400, &[])], 0, &periodic, 800);
    assert_eq!(summary(&journal), ["period", "8 true", "period", "9 true", "0 missing"]);
}

/// Wrong if a map that is doubted were believed before another agreed with it or the tries were used up, if one
/// without doubts were not, or if making maps never ended.
#[test]
fn doubted_maps_must_agree() {
    let mut agreed = 0;
    for lost in 5..45 {
        // Every so manieth message is lost.
        let journal = watched(&[(0, &[]), (500, &[0])], lost, &options(), 2_000);
        let mut round: Vec<&Network> = Vec::new();
        for (_, event) in &journal.0 {
            let DaemonEvent::Mapped { network, doubts, adopted } = event else {
                round.clear();
                continue;
            };
            let agrees = round.last().is_some_and(|last| difference(last, network).is_none());
            assert!(round.len() < 3, "every {lost}th: {journal:?}");
            assert_eq!(
                *adopted,
                doubts.is_empty() || agrees || round.len() == 2,
                "every {lost}th: {journal:?}"
            );
            agreed += usize::from(agrees && !doubts.is_empty());
            round.push(network);
        }
        if lost > 30 {
            let right = isomorphism::compare(last_adopted(&journal), &chain(&[0]), HostId(0)).isomorphic;
            assert!(right, "every {lost}th: {journal:?}");
        }
    }
    assert!(agreed > 0, "no map was ever doubted");
}

fn last_adopted(journal: &Journal) -> &Network {
    let adopted = journal.0.iter().rev().find_map(|(_, event)| match event {
        DaemonEvent::Mapped { network, adopted: true, .. } => Some(network),
        _ => None,
    });
    adopted.unwrap()
}
