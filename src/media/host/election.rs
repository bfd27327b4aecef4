//! Election: every host maps until it meets a higher address; the one that meets none has won.
//!
//! # Scope and limitations
//! Every message carries the address of its sender; all hosts that take part say in every message
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
//! address, nor whether passive hosts name the mapper that beat them; here they do ([`Options::gossip`]), since
//! otherwise the contest lasts longer than its Fig. 7 leaves room for.
//!
//! # Validation
//! `tests/running/processes/election.rs`: on random networks the highest address wins and its map is what a lone
//! master's is; times compared with Fig. 7.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use super::mapper::{Algorithm, Brief, Doubt, Kind, Map, Probes};
use super::passive::Memory;
use super::{Address, Attendant, Attended, Body, Disposition, Host, Message, Received, Reply};
use simnet_base::ids::Turn;
use simnet_base::units::{Duration, Time};

/// How an election goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// What answering a message takes.
    pub work: Duration,
    /// Whether hosts name the highest mapper that they have heard of; if not, only themselves.
    pub gossip: bool,
    /// For how long after a rival's message an answer is waited for longer, and how much longer.
    pub patience: (Duration, Duration),
    /// How often a winner maps at most.
    pub attempts: u32,
}

impl Options {
    /// Hosts name the highest mapper they know; 5 ms longer within 20 ms of a rival's probe, the time that a
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
    /// When it gave up, and the mapper that it gave up to.
    pub deposed: Option<(Time, Address)>,
    /// Messages that its mapper sent.
    pub probes: Probes,
    /// Others' probes that it answered.
    pub answered: u64,
    /// How often it mapped.
    pub attempts: u32,
}

/// A host that takes part in an election.
pub struct Candidate<'h> {
    host: Attended<'h, Candidacy<'h>>,
}

impl<'h> Candidate<'h> {
    /// The host's address.
    pub fn address(&self) -> Address {
        self.host.address()
    }

    /// The present instant.
    pub fn now(&self) -> Time {
        self.host.now()
    }

    /// A candidate that has met no other yet and keeps `record`.
    pub fn new(host: &'h mut dyn Host, options: Options, record: &'h Cell<Record>) -> Candidate<'h> {
        let (highest, memory) = (host.address(), Memory::default());
        Candidate {
            host: Attended::new(
                host,
                Candidacy { options, record, phase: Phase::Waits, memory, highest, rival: None },
            ),
        }
    }

    /// Waits for `start`, then maps. The map, if no higher address was met up to its end.
    pub async fn stand(&mut self, start: Time, algorithm: &Algorithm, brief: &Brief) -> Option<Map> {
        let record = self.host.attendant.record;
        unless_deposed(async { while self.host.recv(Some(start)).await.is_some() {} }, record).await?;
        let now = self.host.now();
        note(record, |record| record.began = Some(now));
        self.host.attendant.phase = Phase::Maps;
        loop {
            note(record, |record| record.attempts += 1);
            let map = unless_deposed(algorithm.map(&mut self.host, brief), record).await?;
            let is_good = map.doubts.iter().all(|doubt| *doubt == Doubt::Traffic);
            if is_good || record.get().attempts >= self.host.attendant.options.attempts {
                return Some(map);
            }
        }
    }

    /// Does `task` as the winner, answering others meanwhile; `None` if a higher address turns up after all.
    pub async fn as_winner<T>(&mut self, task: impl AsyncFnOnce(&mut dyn Host) -> T) -> Option<T> {
        let record = self.host.attendant.record;
        unless_deposed(task(&mut self.host), record).await
    }

    /// Answers whatever arrives, for ever.
    pub async fn serve(&mut self) {
        self.host.attendant.phase = Phase::Serves;
        loop {
            self.host.recv(None).await;
        }
    }
}

/// How far a candidate has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// It waits for its start.
    Waits,
    /// It maps, and does what a winner does.
    Maps,
    /// It has lost, or is done.
    Serves,
}

/// What a candidate knows of its rivals; answers them.
struct Candidacy<'h> {
    options: Options,
    record: &'h Cell<Record>,
    phase: Phase,
    memory: Memory,
    /// The highest mapper's address that is known here.
    highest: Address,
    /// When a message of another mapper came last.
    rival: Option<Time>,
}

impl Candidacy<'_> {
    /// Takes note of a message's mapper; gives up if it is a higher one.
    fn meets(&mut self, host: &dyn Host, received: &Received) {
        let Some(mapper) = received.message.mapper else { return };
        let now = host.now();
        if received.from != host.address() && matches!(received.message.body, Body::HostProbe { .. }) {
            self.rival = Some(now);
        }
        if mapper > host.address() {
            note(self.record, |record| record.deposed = record.deposed.or(Some((now, mapper))));
        }
        self.highest = self.highest.max(mapper);
    }

    fn marked(&self, own: Address, message: Message) -> Message {
        let known = if self.options.gossip { self.highest } else { own };
        Message { mapper: Some(known), ..message }
    }
}

impl Attendant for Candidacy<'_> {
    /// A message that names a higher address for the first time ends the candidate's mapping; it is answered after.
    fn takes(&mut self, host: &dyn Host, received: Received) -> Disposition {
        self.meets(host, &received);
        if self.phase != Phase::Serves && self.record.get().deposed.is_some() {
            return Disposition::Withheld(received);
        }
        let is_mine = received.from == host.address();
        let asks = matches!(received.message.body, Body::HostProbe { .. } | Body::RouteTable { .. });
        if self.phase == Phase::Maps && (is_mine || !asks) {
            return Disposition::ForProcess(received);
        }
        match Disposition::as_passive(&mut self.memory, host.name(), &received, self.options.work) {
            Disposition::Answered(reply) => {
                let message = self.marked(host.address(), reply.message);
                Disposition::Answered(Reply { message, ..reply })
            }
            other => other,
        }
    }

    fn marks(&mut self, host: &dyn Host, _route: &[Turn], message: Message) -> Message {
        self.marked(host.address(), message)
    }

    fn patience(&self, now: Time) -> Option<Duration> {
        let (lately, longer) = self.options.patience;
        let has_rivals = self.rival.is_some_and(|at| now.since(at) <= lately);
        (has_rivals && self.phase == Phase::Maps).then_some(longer)
    }

    fn counts(&mut self, kind: Kind) {
        note(self.record, |record| record.probes.sent(kind));
    }

    fn answered(&mut self) {
        note(self.record, |record| record.answered += 1);
    }
}

/// Changes a record.
fn note(record: &Cell<Record>, change: impl FnOnce(&mut Record)) {
    let mut changed = record.get();
    change(&mut changed);
    record.set(changed);
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
