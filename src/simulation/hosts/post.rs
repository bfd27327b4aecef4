//! The messages of processes, as the fabric's endpoint.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;

use crate::fabric::{Cause, Ended, Endpoint, Fate, Outgoing, RouteBuffer};
use crate::host::Message;
use crate::ids::{HostId, Turn};
use crate::traffic::BitErrors;
use crate::units::{Cycle, Duration};

use super::Setup;

/// Messages that did not arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Destroyed by a forward reset.
    pub reset: u64,
    /// Destroyed by a cable's failure.
    pub failed: u64,
    /// Dropped by a switch when its time to live was over.
    pub expired: u64,
    /// Routes that failed in one of the four ways; a probe that finds nothing is one of them.
    pub undeliverable: u64,
    /// Dropped by the receiving interface for a wrong CRC.
    pub corrupted: u64,
}

/// A message in the hands of an interface or of the fabric.
#[derive(Debug)]
pub(super) struct Letter {
    route: Vec<Turn>,
    message: Message,
    created: Cycle,
    /// Whether a bit error has spoilt it.
    spoilt: bool,
}

/// A message that has reached a host.
#[derive(Debug)]
pub(super) struct Arrival {
    pub(super) host: HostId,
    /// The cycle of its last flit.
    pub(super) last: Cycle,
    pub(super) from: HostId,
    pub(super) message: Message,
}

/// Queues, messages under way, and what has arrived since it was last looked at.
#[derive(Debug)]
pub(super) struct Post {
    pub(super) base_cycle: Duration,
    pub(super) arrived: Vec<Arrival>,
    pub(super) losses: Losses,
    /// Messages handed over so far; the next one's tag.
    pub(super) sent: u64,
    queues: Vec<VecDeque<Letter>>,
    /// Per host: whether its interface waits to be woken.
    idle: Vec<bool>,
    under_way: BTreeMap<u64, Letter>,
    /// Per host; empty without errors.
    errors: Vec<BitErrors>,
}

impl Letter {
    pub(super) fn new(route: Vec<Turn>, message: Message, created: Cycle) -> Letter {
        Letter { route, message, created, spoilt: false }
    }
}

impl Post {
    pub(super) fn new(setup: &Setup<'_>) -> Post {
        let hosts = setup.network.hosts().len();
        let errors =
            |mean| (0..hosts).map(|host| BitErrors::new(HostId::new(host).0, mean, setup.seed)).collect();
        Post {
            base_cycle: setup.parameters.base_cycle,
            arrived: Vec::new(),
            losses: Losses::default(),
            sent: 0,
            queues: (0..hosts).map(|_| VecDeque::new()).collect(),
            idle: vec![true; hosts],
            under_way: BTreeMap::new(),
            errors: setup.bits_between_errors.map_or_else(Vec::new, errors),
        }
    }

    /// Queues a message at the interface of `host`; says whether the fabric must be told.
    pub(super) fn hand_over(&mut self, host: HostId, letter: Letter) -> bool {
        self.queues[host.index()].push_back(letter);
        std::mem::replace(&mut self.idle[host.index()], false)
    }
}

impl Endpoint for Post {
    fn next_message(&mut self, host: HostId, route: &mut RouteBuffer) -> Option<Outgoing> {
        let Some(mut letter) = self.queues[host.index()].pop_front() else {
            self.idle[host.index()] = true;
            return None;
        };
        route.extend_from_slice(&letter.route);
        let (created, payload, tag) = (letter.created, letter.message.length, self.sent);
        if let Some(errors) = self.errors.get_mut(host.index()) {
            letter.spoilt = errors.strike(payload, letter.route.len());
        }
        self.sent += 1;
        self.under_way.insert(tag, letter);
        Some(Outgoing { created, payload, tag, time_to_live: None })
    }

    fn ended(&mut self, ended: &Ended) -> ControlFlow<()> {
        let letter = self.under_way.remove(&ended.tag).expect("a message ends once");
        match ended.fate {
            Fate::Delivered { .. } if letter.spoilt => self.losses.corrupted += 1,
            Fate::Delivered { host, tail, .. } => {
                let message = letter.message;
                self.arrived.push(Arrival { host, last: tail, from: ended.source, message });
                return ControlFlow::Break(());
            }
            Fate::Destroyed { cause, .. } => match cause {
                Cause::Reset => self.losses.reset += 1,
                Cause::LinkFailure => self.losses.failed += 1,
                Cause::Expired => self.losses.expired += 1,
                Cause::IllegalTurn | Cause::NoSuchWire | Cause::HostTooSoon | Cause::Stranded => {
                    self.losses.undeliverable += 1;
                }
            },
        }
        ControlFlow::Continue(())
    }
}
