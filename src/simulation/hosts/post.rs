//! The messages of processes and of applications, as the fabric's endpoint.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::mpsc::Sender;

use crate::fabric::{Cause, Ended, Endpoint, Fate, Outgoing, RouteBuffer};
use crate::host::passive::Memory;
use crate::host::plain::{Collision, Walked, stamp, walk};
use crate::host::{Hardware, Message, Stamp};
use crate::ids::{HostId, Node, Turn};
use crate::routing::Routes;
use crate::topology::Network;
use crate::traffic::BitErrors;
use crate::units::{Cycle, Duration};

use super::Setup;
use super::application::Traffic;

/// Messages of processes that did not arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
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
    /// Lost at the sender's interface ([`Faults::loss`](super::Faults::loss)).
    pub lost: u64,
}

/// A message of a process in the hands of an interface or of the fabric.
#[derive(Debug)]
pub(super) struct Letter {
    pub(super) route: Vec<Turn>,
    pub(super) message: Message,
    pub(super) created: Cycle,
    /// Whether a bit error has spoilt it.
    pub(super) spoilt: bool,
}

/// What waits at an interface.
#[derive(Debug)]
pub(super) enum Item {
    /// A message of a process.
    Letter(Letter),
    /// A message of an application.
    Parcel {
        /// When it was handed over.
        created: Cycle,
        /// For whom.
        destination: HostId,
        /// Its flits after the route flits.
        payload: u32,
    },
}

/// A message of a process that has reached a host.
#[derive(Debug)]
pub(super) struct Arrival {
    pub(super) host: HostId,
    pub(super) from: HostId,
    pub(super) message: Message,
    /// Turns left.
    pub(super) unused: u16,
    pub(super) stamps: Vec<Stamp>,
}

/// Marks the tag of a parcel; the rest of the tag numbers it within its sender.
const PARCEL: u64 = 1 << 63;
/// Marks the tag of a parcel that bit errors have spoilt.
const SPOILT: u64 = 1 << 62;

/// What there is to know of a letter that is on its way, or over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label {
    kind: &'static str,
    nonce: u64,
    /// When it was over; [`Cycle`]'s greatest value until then.
    over: Cycle,
}

/// Queues, messages under way, and what has arrived since it was last looked at.
pub(super) struct Post<'n> {
    pub(super) base_cycle: Duration,
    /// Messages of processes that have arrived since the run was last interrupted.
    pub(super) arrived: Vec<Arrival>,
    /// Hosts at which parcels have arrived, with the last cycle and the length; kept only if asked for.
    pub(super) parcels: Option<Vec<(HostId, Cycle, u32)>>,
    pub(super) losses: Losses,
    pub(super) traffic: Traffic,
    /// Messages of processes that began to leave.
    pub(super) sent: u64,
    /// Messages of processes that wait at interfaces or are under way.
    pub(super) letters: usize,
    /// Per host, what its interface was told.
    pub(super) memories: Vec<Memory>,
    network: &'n Network,
    hardware: Hardware,
    routes: Option<&'n (dyn Routes + Sync)>,
    /// Per host, the routes that its applications use instead, by destination.
    tables: Vec<Option<Vec<Option<Vec<Turn>>>>>,
    follow_tables: bool,
    /// The length of an interval in cycles.
    interval: Option<u64>,
    queues: Vec<VecDeque<Item>>,
    /// Per host: the parcels in its queue.
    waiting: Vec<usize>,
    /// Per host: whether its interface waits to be woken.
    idle: Vec<bool>,
    /// Per host: the parcels that it has sent.
    parcels_sent: Vec<u64>,
    /// Who is told what each worm is called, in the order in which each host sends; nobody where nobody records.
    pub(super) recorded: Option<Sender<(HostId, String)>>,
    /// Letters under way, by tag.
    under_way: Vec<Option<Letter>>,
    /// By tag, all letters that have had it, in order.
    labels: Vec<Vec<Label>>,
    free: Vec<usize>,
    /// Per host; empty without errors.
    errors: Vec<BitErrors>,
}

impl<'n> Post<'n> {
    pub(super) fn new(setup: &Setup<'n>, network: &'n Network) -> Post<'n> {
        let hosts = network.hosts().len();
        let errors =
            |mean| (0..hosts).map(|host| BitErrors::new(HostId::new(host).0, mean, setup.seed)).collect();
        let cycle = setup.parameters.base_cycle;
        let interval = setup.load.and_then(|load| load.interval);
        Post {
            base_cycle: cycle,
            arrived: Vec::new(),
            parcels: None,
            losses: Losses::default(),
            traffic: Traffic::default(),
            sent: 0,
            letters: 0,
            memories: vec![Memory::default(); hosts],
            network,
            hardware: setup.hardware,
            routes: setup.load.and_then(|load| load.routes),
            tables: vec![None; hosts],
            follow_tables: setup.load.is_some_and(|load| load.follow_tables || load.routes.is_none()),
            interval: interval.map(|interval| interval.to_cycles_ceil(cycle).max(1)),
            queues: (0..hosts).map(|_| VecDeque::new()).collect(),
            waiting: vec![0; hosts],
            idle: vec![true; hosts],
            parcels_sent: vec![0; hosts],
            recorded: None,
            under_way: Vec::new(),
            labels: Vec::new(),
            free: Vec::new(),
            errors: setup.bits_between_errors.map_or_else(Vec::new, errors),
        }
    }

    /// Queues a message at the interface of `host`; says whether the fabric must be told.
    pub(super) fn hand_over(&mut self, host: HostId, item: Item) -> bool {
        match &item {
            Item::Letter(_) => self.letters += 1,
            Item::Parcel { .. } => {
                self.waiting[host.index()] += 1;
                self.traffic.created += 1;
            }
        }
        self.queues[host.index()].push_back(item);
        std::mem::replace(&mut self.idle[host.index()], false)
    }

    /// The messages of applications that wait at the interface of `host`.
    pub(super) fn waiting(&self, host: HostId) -> usize {
        self.waiting[host.index()]
    }

    /// The interface of `host` is told these routes.
    pub(super) fn install(&mut self, host: HostId, memory: Memory) {
        if let (true, Some(routes)) = (self.follow_tables, &memory.routes) {
            let mut table = vec![None; self.network.hosts().len()];
            for (name, turns) in routes {
                if let Some(destination) = self.network.find_host(name) {
                    table[destination.index()] = Some(turns.clone());
                }
            }
            self.tables[host.index()] = Some(table);
        }
        self.memories[host.index()] = memory;
    }

    /// Writes the route of a parcel to `route`; `false` without one.
    fn find_route(&self, from: HostId, to: HostId, route: &mut RouteBuffer) -> bool {
        match (&self.tables[from.index()], self.routes) {
            (Some(table), _) => match table.get(to.index()).and_then(Option::as_ref) {
                Some(turns) => {
                    route.extend_from_slice(turns);
                    true
                }
                None => false,
            },
            (None, Some(routes)) => routes.route(from, to, route),
            (None, None) => false,
        }
    }

    /// What became of the messages of applications, with those that have not ended.
    pub(super) fn traffic_at_end(&self) -> Traffic {
        let queued = self.waiting.iter().map(|waiting| *waiting as u64).sum();
        let sent: u64 = self.parcels_sent.iter().sum();
        let in_flight = sent - self.traffic.delivered - self.traffic.lost();
        Traffic { queued, in_flight, ..self.traffic.clone() }
    }

    /// Sends a letter off: its tag is its place among those under way.
    fn dispatch(&mut self, host: HostId, mut letter: Letter, route: &mut RouteBuffer) -> Outgoing {
        route.extend_from_slice(&letter.route);
        let (created, payload) = (letter.created, letter.message.length);
        if let Some(errors) = self.errors.get_mut(host.index()) {
            letter.spoilt = errors.strike(payload, letter.route.len());
        }
        self.sent += 1;
        let place = self.free.pop().unwrap_or_else(|| {
            self.under_way.push(None);
            self.labels.push(Vec::new());
            self.under_way.len() - 1
        });
        let body = &letter.message.body;
        let label = Label { kind: body.kind(), nonce: body.nonce(), over: Cycle(u64::MAX) };
        self.labels[place].push(label);
        self.record(host, |host| label.name(host));
        self.under_way[place] = Some(letter);
        Outgoing { created, payload, tag: place as u64, time_to_live: None }
    }

    /// A letter has arrived whole at `host`, or at the first host on its way if that was too soon.
    fn deliver(&mut self, letter: Letter, from: HostId, to: Option<HostId>) -> ControlFlow<()> {
        if letter.spoilt {
            self.losses.corrupted += 1;
            return ControlFlow::Continue(());
        }
        let walked = (to.is_none() || self.hardware.stamps)
            .then(|| walk(self.network, from, &letter.route, Collision::Packet))
            .flatten();
        let (host, unused, passed) = match (to, walked) {
            (_, Some(Walked { host, unused, passed })) => (host, unused, passed),
            (Some(host), None) => (host, 0, Vec::new()),
            (None, None) => {
                self.losses.undeliverable += 1;
                return ControlFlow::Continue(());
            }
        };
        let stamps = if self.hardware.stamps { passed.into_iter().map(stamp).collect() } else { Vec::new() };
        self.arrived.push(Arrival { host, from, message: letter.message, unused, stamps });
        ControlFlow::Break(())
    }

    /// Tells who records what the next worm of `host` is called.
    fn record(&self, host: HostId, name: impl FnOnce(&str) -> String) {
        if let Some(recorded) = &self.recorded {
            let sent = recorded.send((host, name(self.network.name_of(Node::Host(host)))));
            debug_assert!(sent.is_ok(), "who records does so to the end");
        }
    }

    /// What the worm was called that had this tag, and was not over, in cycle `at`.
    pub(super) fn name(&self, source: HostId, tag: u64, at: Cycle) -> String {
        let host = self.network.name_of(Node::Host(source));
        if tag & PARCEL != 0 {
            return format!("{host}#{}", tag & !(PARCEL | SPOILT));
        }
        let labels = &self.labels[usize::try_from(tag).expect("a place among letters")];
        let label = labels.iter().find(|label| label.over >= at).or(labels.last());
        label.expect("it was sent").name(host)
    }

    fn parcel_ended(&mut self, ended: &Ended) {
        self.traffic.ended(ended, ended.tag & SPOILT != 0, self.interval);
        if let (Some(parcels), Fate::Delivered { host, tail, .. }) = (&mut self.parcels, ended.fate) {
            parcels.push((host, tail, ended.payload));
        }
    }
}

impl Label {
    fn name(&self, host: &str) -> String {
        format!("{host} {} {}", self.kind, self.nonce)
    }
}

impl Endpoint for Post<'_> {
    fn next_message(&mut self, host: HostId, route: &mut RouteBuffer) -> Option<Outgoing> {
        while let Some(item) = self.queues[host.index()].pop_front() {
            let (created, destination, payload) = match item {
                Item::Letter(letter) => return Some(self.dispatch(host, letter, route)),
                Item::Parcel { created, destination, payload } => (created, destination, payload),
            };
            self.waiting[host.index()] -= 1;
            if !self.find_route(host, destination, route) {
                self.traffic.unroutable += 1;
                continue;
            }
            let errors = self.errors.get_mut(host.index());
            let is_spoilt = errors.is_some_and(|errors| errors.strike(payload, route.len()));
            let number = self.parcels_sent[host.index()];
            self.parcels_sent[host.index()] += 1;
            self.record(host, |host| format!("{host}#{number}"));
            let tag = PARCEL | if is_spoilt { SPOILT } else { 0 } | number;
            return Some(Outgoing { created, payload, tag, time_to_live: None });
        }
        self.idle[host.index()] = true;
        None
    }

    fn ended(&mut self, ended: &Ended) -> ControlFlow<()> {
        if ended.tag & PARCEL != 0 {
            self.parcel_ended(ended);
            return ControlFlow::Continue(());
        }
        let place = usize::try_from(ended.tag).expect("a place among letters");
        let letter = self.under_way[place].take().expect("a message ends once");
        self.free.push(place);
        self.letters -= 1;
        let (Fate::Delivered { tail: over, .. } | Fate::Destroyed { at: over, .. }) = ended.fate;
        if let Some(label) = self.labels[place].last_mut() {
            label.over = over;
        }
        match ended.fate {
            Fate::Delivered { host, .. } => return self.deliver(letter, ended.source, Some(host)),
            Fate::Destroyed { cause: Cause::HostTooSoon, .. } if self.hardware.reads_early => {
                return self.deliver(letter, ended.source, None);
            }
            Fate::Destroyed { cause: Cause::Reset, .. } => self.losses.reset += 1,
            Fate::Destroyed { cause: Cause::LinkFailure, .. } => self.losses.failed += 1,
            Fate::Destroyed { cause: Cause::Expired, .. } => self.losses.expired += 1,
            Fate::Destroyed { .. } => self.losses.undeliverable += 1,
        }
        ControlFlow::Continue(())
    }
}
