//! Election: every host maps until it meets a higher address; the one that meets none has won.
//!
//! # Scope and limitations
//! Every message carries the address of its sender; besides, all hosts that take part say in every message
//! which is the highest address of a mapper that they know of, at least their own, whether or not they have
//! begun or still map. A mapper that reads an address higher than its own gives up at once, keeps nothing of its
//! map, and only answers from then on. So the highest address among the hosts that can reach each other wins,
//! unless messages are lost: then two may map to the end, each of its own accord.
//!
//! A mapper answers other mappers' probes while it waits for its own answers, one after the other, and its own
//! may be late for that. As long as it has heard of rivals lately, it waits for an answer a little longer.
//! A map whose own mapper suspects more than that others were in the way is made anew.
//!
//! # Source
//! Mainwaring et al. 1997, section 5.1: "participants elect a leader by comparing network interface addresses
//! carried in every message". The paper says neither when mappers start nor what one does that meets a higher
//! address, nor whether passive hosts tell of the mapper that beat them; here they do ([`Options::gossip`]), since
//! otherwise the contest lasts longer than its Fig. 7 leaves room for.
//!
//! # Validation
//! `tests/it/election.rs`: on random networks the highest address wins and its map is what a lone master's is;
//! times beside Fig. 7.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use super::mapper::{Algorithm, Brief, Doubt, Kind, Map, Probes};
use super::passive::Memory;
use super::{Address, Body, Host, Message, Received};
use crate::ids::Turn;
use crate::units::{Duration, Time};

/// How an election goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// What answering a message takes.
    pub work: Duration,
    /// Whether hosts tell of the highest mapper that they have heard of; if not, of themselves alone.
    pub gossip: bool,
    /// For how long after a rival's message an answer is waited for longer, and how much longer.
    pub patience: (Duration, Duration),
    /// How often a winner maps at most.
    pub attempts: u32,
}

impl Options {
    /// Hosts tell of the highest mapper they know; 5 ms longer within 20 ms of a rival's probe, the time that a
    /// queue of five probes at the asked host takes; up to 4 attempts.
    pub fn new(work: Duration) -> Options {
        let patience = (Duration::from_ms(20), Duration::from_ms(5));
        Options { work, gossip: true, patience, attempts: 4 }
    }
}

/// What became of a host that took part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// When it began to map, if it did.
    pub began: Option<Time>,
    /// When it gave up, and to whom.
    pub deposed: Option<(Time, Address)>,
    /// Messages that its mapper sent.
    pub probes: Probes,
    /// Others' probes that it answered.
    pub answered: u64,
    /// How often it mapped.
    pub attempts: u32,
}

/// A host that takes part in an election.
pub struct Candidate<'h, H> {
    host: &'h mut H,
    options: Options,
    record: &'h Cell<Record>,
    memory: Memory,
    /// The highest mapper's address that is known here.
    highest: Address,
    /// When a message of another mapper came last.
    rival: Option<Time>,
    /// The message that ended this mapper's attempt.
    last: Option<Received>,
}

impl<'h, H: Host> Candidate<'h, H> {
    /// A candidate that has met nobody yet and keeps `record`.
    pub fn new(host: &'h mut H, options: Options, record: &'h Cell<Record>) -> Candidate<'h, H> {
        let highest = host.address();
        Candidate { host, options, record, memory: Memory::default(), highest, rival: None, last: None }
    }

    /// Waits for `start`, then maps. The map, if no higher address was met up to its end.
    pub async fn stand(&mut self, start: Time, algorithm: &Algorithm, brief: &Brief) -> Option<Map> {
        while let Some(received) = self.host.recv(Some(start)).await {
            self.take(&received).await;
            if self.record.get().deposed.is_some() {
                return None;
            }
        }
        self.note(|record, now| record.began = Some(now));
        loop {
            self.note(|record, _| record.attempts += 1);
            let record = self.record;
            let map = unless_deposed(algorithm.map(self, brief), record).await?;
            let is_good = map.doubts.iter().all(|doubt| *doubt == Doubt::Traffic);
            if is_good || self.record.get().attempts >= self.options.attempts {
                return Some(map);
            }
        }
    }

    /// Does `task` as the winner, answering others meanwhile; `None` if a higher address turns up after all.
    pub async fn as_winner<T>(&mut self, task: impl AsyncFnOnce(&mut Self) -> T) -> Option<T> {
        let record = self.record;
        unless_deposed(task(self), record).await
    }

    /// Answers whatever arrives, for ever.
    pub async fn serve(&mut self) {
        if let Some(received) = self.last.take() {
            self.take(&received).await;
        }
        loop {
            if let Some(received) = self.host.recv(None).await {
                self.take(&received).await;
            }
        }
    }

    fn note(&self, change: impl FnOnce(&mut Record, Time)) {
        let mut record = self.record.get();
        change(&mut record, self.host.now());
        self.record.set(record);
    }

    /// Answers a message that is not for the mapper, and takes note of its mapper.
    async fn take(&mut self, received: &Received) {
        self.meets(received);
        let Some((route, answer)) = self.memory.take(self.host.name(), received) else { return };
        if let (Body::RouteTable { .. }, Some(routes)) = (&received.message.body, &self.memory.routes) {
            self.host.install(routes).await;
        }
        self.host.work(self.options.work).await;
        self.note(|record, _| record.answered += 1);
        self.send(&route, answer).await;
    }

    /// Takes note of a message's mapper; gives up if it is a higher one.
    fn meets(&mut self, received: &Received) {
        let Some(mapper) = received.message.mapper else { return };
        if received.from != self.host.address() && matches!(received.message.body, Body::HostProbe { .. }) {
            self.rival = Some(self.host.now());
        }
        if mapper > self.host.address() {
            self.note(|record, now| record.deposed = record.deposed.or(Some((now, mapper))));
        }
        self.highest = self.highest.max(mapper);
    }
}

/// Polls `future` until it is done, or until the record says that its host was deposed: then it is dropped.
async fn unless_deposed<T>(future: impl Future<Output = T>, record: &Cell<Record>) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(value) => Poll::Ready(Some(value)),
        Poll::Pending if record.get().deposed.is_some() => Poll::Ready(None),
        Poll::Pending => Poll::Pending,
    })
    .await
}

impl<H: Host> Host for Candidate<'_, H> {
    fn name(&self) -> &str {
        self.host.name()
    }

    fn address(&self) -> Address {
        self.host.address()
    }

    fn now(&self) -> Time {
        self.host.now()
    }

    fn count(&mut self, kind: Kind) {
        self.note(|record, _| record.probes.sent(kind));
    }

    async fn send(&mut self, route: &[Turn], message: Message) {
        let known = if self.options.gossip { self.highest } else { self.host.address() };
        self.host.send(route, Message { mapper: Some(known), ..message }).await;
    }

    /// Waits for an answer to this host's mapper; others' messages are answered here. Never comes back once a
    /// higher address is known.
    async fn recv(&mut self, until: Option<Time>) -> Option<Received> {
        let mut until = until;
        let mut is_extended = false;
        loop {
            let Some(received) = self.host.recv(until).await else {
                let (lately, longer) = self.options.patience;
                let has_rivals = self.rival.is_some_and(|at| self.host.now().since(at) <= lately);
                if is_extended || !has_rivals {
                    return None;
                }
                is_extended = true;
                until = Some(self.host.now() + longer);
                continue;
            };
            self.meets(&received);
            if self.record.get().deposed.is_some() {
                self.last = Some(received);
                return std::future::pending().await;
            }
            let is_mine = received.from == self.host.address();
            match received.message.body {
                Body::HostProbe { .. } | Body::RouteTable { .. } if !is_mine => self.take(&received).await,
                _ => return Some(received),
            }
        }
    }

    async fn sleep(&mut self, span: Duration) {
        self.host.sleep(span).await;
    }

    async fn work(&mut self, span: Duration) {
        self.host.work(span).await;
    }

    async fn install(&mut self, routes: &std::collections::BTreeMap<String, Vec<Turn>>) {
        self.host.install(routes).await;
    }
}
