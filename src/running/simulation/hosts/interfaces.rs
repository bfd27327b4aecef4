//! The messages of processes and of applications, as the fabric's endpoint.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::mpsc::Sender;

use simnet_base::ids::{HostId, Node, Turn};
use simnet_base::units::{Cycle, Duration};
use simnet_media::fabric::{Cause, Ended, Endpoint, Fate, Fates, MOST_MANAGEMENT, Outgoing, RouteBuffer};
use simnet_media::host::passive::Memory;
use simnet_media::host::plain::{Collision, Walked, stamp, walk};
use simnet_media::host::{Hardware, Message, Stamp};
use simnet_media::traffic::BitErrors;
use simnet_network::routing::Routes;
use simnet_network::topology::Network;

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
    /// Dropped by a switch that had no room for it on the lane of management.
    #[serde(skip_serializing_if = "crate::is_default")]
    pub vl15_dropped: u64,
    /// Routes that failed in one of the four ways; a probe that finds nothing is one of them.
    pub undeliverable: u64,
    /// Dropped by the receiving interface for a wrong CRC.
    pub corrupted: u64,
    /// Lost at the sender's interface ([`Faults::loss`](super::Faults::loss)).
    pub lost: u64,
}

impl Losses {
    /// From what became of messages, and how many were lost at their senders' interfaces.
    pub(in crate::simulation) fn of(fates: &Fates, lost: u64) -> Losses {
        Losses {
            reset: fates.destroyed(Cause::Reset),
            failed: fates.destroyed(Cause::LinkFailure),
            expired: fates.destroyed(Cause::Expired),
            vl15_dropped: fates.destroyed(Cause::Vl15Dropped),
            undeliverable: fates.undeliverable(),
            corrupted: fates.corrupted,
            lost,
        }
    }
}

/// A message of a process in the hands of an interface or of the fabric.
#[derive(Debug)]
pub(super) struct Packet {
    pub(super) route: Vec<Turn>,
    pub(super) message: Message,
    pub(super) created: Cycle,
    /// Whether a bit error has corrupted it.
    pub(super) corrupted: bool,
}

/// A message of a process that has begun to leave, whole or in pieces.
#[derive(Debug)]
struct UnderWay {
    packet: Packet,
    /// The bytes that have not been handed to the fabric yet.
    unsent: u32,
    /// The pieces on their way.
    pieces: u32,
    /// What became of those that are over: the first that was destroyed, or from the first head to the last tail.
    fate: Option<Fate>,
}

impl UnderWay {
    /// Takes the next piece of at most `most` bytes off; gives its bytes.
    fn next_piece(&mut self, most: u32) -> u32 {
        let bytes = self.unsent.min(most);
        self.unsent -= bytes;
        self.pieces += 1;
        bytes
    }

    /// A piece is over; gives what became of the message if it was the last one.
    fn piece_ended(&mut self, fate: Fate) -> Option<Fate> {
        let fate = match (self.fate, fate) {
            (Some(Fate::Delivered { head, .. }), Fate::Delivered { host, tail, .. }) => {
                Fate::Delivered { host, head, tail }
            }
            (Some(destroyed @ Fate::Destroyed { .. }), _) => destroyed,
            (_, fate) => fate,
        };
        self.fate = Some(fate);
        self.pieces -= 1;
        (self.pieces == 0 && self.unsent == 0).then_some(fate)
    }
}

/// What waits at an interface.
#[derive(Debug)]
pub(super) enum Queued {
    /// A message of a process.
    Process(Packet),
    /// A message of an application.
    Application {
        /// When it was handed over.
        created: Cycle,
        /// The destination.
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

/// Marks the tag of a message of an application; the rest of the tag numbers it within its sender.
pub(super) const APPLICATION: u64 = 1 << 63;
/// Marks the tag of a message of an application that bit errors have corrupted.
const CORRUPTED: u64 = 1 << 62;

/// What there is to know of a packet that is on its way, or over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label {
    kind: &'static str,
    nonce: u64,
    /// When it was over; [`Cycle`]'s greatest value until then.
    over: Cycle,
}

/// What a host has to send on the lane of management.
#[derive(Debug, Default)]
struct Managing {
    queue: VecDeque<Packet>,
    /// The place of a message of which pieces are left to be sent.
    in_pieces: Option<usize>,
    /// Whether the interface waits to be woken for it.
    idle: bool,
}

/// The name of the next worm of a host of those of applications, or of those of processes.
pub(super) type Named = (HostId, bool, String);

/// Queues, messages under way, and what has arrived since it was last looked at.
pub(super) struct Interfaces<'n> {
    pub(super) base_cycle: Duration,
    /// Messages of processes that have arrived since the run was last interrupted.
    pub(super) arrived: Vec<Arrival>,
    /// Hosts at which messages of applications have arrived, with the last cycle and the length; only if requested.
    pub(super) application_arrivals: Option<Vec<(HostId, Cycle, u32)>>,
    /// What became of the messages of processes.
    pub(super) fates: Fates,
    pub(super) traffic: Traffic,
    /// Messages of processes that began to leave.
    pub(super) sent: u64,
    /// Messages of processes that wait at interfaces or are under way.
    pub(super) packets: usize,
    /// Per host, what is installed at its interface.
    pub(super) memories: Vec<Memory>,
    network: &'n Network,
    hardware: Hardware,
    routes: Option<&'n (dyn Routes + Sync)>,
    /// Per host, the routes that its applications use instead, by destination.
    tables: Vec<Option<Vec<Option<Vec<Turn>>>>>,
    follow_tables: bool,
    /// The length of an interval in cycles.
    interval: Option<u64>,
    queues: Vec<VecDeque<Queued>>,
    /// Per host: messages of processes where the fabric has a lane of management for them; `None` where it has none.
    management: Option<Vec<Managing>>,
    /// Per host: the messages of its application in its queue.
    waiting: Vec<usize>,
    /// Per host: whether its interface waits to be woken.
    idle: Vec<bool>,
    /// Per host: the messages of its application that it has sent.
    application_sent: Vec<u64>,
    /// Takes the names of worms, in the order in which each host sends; `None` where nothing is recorded.
    pub(super) recorded: Option<Sender<Named>>,
    /// Messages of processes under way, by tag.
    under_way: Vec<Option<UnderWay>>,
    /// By tag, all packets that have had it, in order.
    labels: Vec<Vec<Label>>,
    free: Vec<usize>,
    /// Per host; empty without errors.
    errors: Vec<BitErrors>,
}

impl<'n> Interfaces<'n> {
    /// Interfaces of a fabric with a lane of management, for the messages of processes, or without.
    pub(super) fn new(setup: &Setup<'n>, network: &'n Network, has_management: bool) -> Interfaces<'n> {
        let hosts = network.hosts().len();
        let errors =
            |mean| (0..hosts).map(|host| BitErrors::new(HostId::new(host).0, mean, setup.seed)).collect();
        let cycle = setup.parameters.base_cycle;
        let interval = setup.load.and_then(|load| load.interval);
        Interfaces {
            base_cycle: cycle,
            arrived: Vec::new(),
            application_arrivals: None,
            fates: Fates::default(),
            traffic: Traffic::default(),
            sent: 0,
            packets: 0,
            memories: vec![Memory::default(); hosts],
            network,
            hardware: setup.hardware,
            routes: setup.load.and_then(|load| load.routes),
            tables: vec![None; hosts],
            follow_tables: setup.load.is_some_and(|load| load.follow_tables || load.routes.is_none()),
            interval: interval.map(|interval| interval.to_cycles_ceil(cycle).max(1)),
            queues: (0..hosts).map(|_| VecDeque::new()).collect(),
            management: has_management.then(|| (0..hosts).map(|_| Managing::default()).collect()),
            waiting: vec![0; hosts],
            idle: vec![true; hosts],
            application_sent: vec![0; hosts],
            recorded: None,
            under_way: Vec::new(),
            labels: Vec::new(),
            free: Vec::new(),
            errors: setup.bits_between_errors.map_or_else(Vec::new, errors),
        }
    }

    /// Queues a message at the interface of `host`; whether the fabric is to be woken for it.
    pub(super) fn hand_over(&mut self, host: HostId, queued: Queued) -> bool {
        let queued = match (queued, &mut self.management) {
            (Queued::Process(packet), Some(management)) => {
                self.packets += 1;
                let managing = &mut management[host.index()];
                managing.queue.push_back(packet);
                return std::mem::replace(&mut managing.idle, false);
            }
            (queued, _) => queued,
        };
        match &queued {
            Queued::Process(_) => self.packets += 1,
            Queued::Application { .. } => {
                self.waiting[host.index()] += 1;
                self.traffic.created += 1;
            }
        }
        self.queues[host.index()].push_back(queued);
        std::mem::replace(&mut self.idle[host.index()], false)
    }

    /// The messages of applications that wait at the interface of `host`.
    pub(super) fn waiting(&self, host: HostId) -> usize {
        self.waiting[host.index()]
    }

    /// Installs routes at the interface of `host`.
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

    /// Writes the route of a message of an application to `route`; `false` without one.
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

    /// The service level of a message of an application: that of its route, 0 for routes that were handed out.
    fn service_level(&self, from: HostId, to: HostId) -> u8 {
        match (&self.tables[from.index()], self.routes) {
            (None, Some(routes)) => routes.service_level(from, to),
            _ => 0,
        }
    }

    /// What became of the messages of applications, with those that have not ended.
    pub(super) fn traffic_at_end(&self) -> Traffic {
        let queued = self.waiting.iter().map(|waiting| *waiting as u64).sum();
        let sent: u64 = self.application_sent.iter().sum();
        let in_flight = sent - self.traffic.fates.delivered - self.traffic.fates.lost();
        Traffic { queued, in_flight, ..self.traffic.clone() }
    }

    /// Sends a message of a process off, or its first piece of at most `most` bytes: its tag is its place among those
    /// under way.
    fn dispatch(&mut self, host: HostId, mut packet: Packet, route: &mut RouteBuffer, most: u32) -> Outgoing {
        let payload = packet.message.length;
        if let Some(errors) = self.errors.get_mut(host.index()) {
            packet.corrupted = errors.strike(payload, packet.route.len());
        }
        self.sent += 1;
        let place = self.free.pop().unwrap_or_else(|| {
            self.under_way.push(None);
            self.labels.push(Vec::new());
            self.under_way.len() - 1
        });
        let body = &packet.message.body;
        let label = Label { kind: body.kind(), nonce: body.nonce(), over: Cycle(u64::MAX) };
        self.labels[place].push(label);
        self.under_way[place] = Some(UnderWay { packet, unsent: payload, pieces: 0, fate: None });
        self.send_piece(host, place, route, most)
    }

    /// Sends the next piece of the message at a place among those under way.
    fn send_piece(&mut self, host: HostId, place: usize, route: &mut RouteBuffer, most: u32) -> Outgoing {
        let under_way = self.under_way[place].as_mut().expect("it is under way");
        let payload = under_way.next_piece(most);
        let (created, is_whole) = (under_way.packet.created, under_way.unsent == 0);
        route.extend_from_slice(&under_way.packet.route);
        if let Some(management) = &mut self.management {
            management[host.index()].in_pieces = (!is_whole).then_some(place);
        }
        let label = self.labels[place].last().copied().expect("it has a label");
        self.record(host, false, |host| label.name(host));
        Outgoing { created, payload, tag: place as u64, time_to_live: None, service_level: 0 }
    }

    /// A packet has arrived whole at `host`, or at the first host on its way if that was too soon.
    fn deliver(&mut self, packet: Packet, from: HostId, fate: Fate) -> ControlFlow<()> {
        if packet.corrupted {
            self.fates.corrupted += 1;
            return ControlFlow::Continue(());
        }
        let walked = (self.hardware.stamps || matches!(fate, Fate::Destroyed { .. }))
            .then(|| walk(self.network, from, &packet.route, Collision::Packet))
            .flatten();
        let (host, unused, passed) = match (fate, walked) {
            (_, Some(Walked { host, unused, passed })) => (host, unused, passed),
            (Fate::Delivered { host, .. }, None) => (host, 0, Vec::new()),
            (Fate::Destroyed { .. }, None) => {
                self.fates.count(fate, false);
                return ControlFlow::Continue(());
            }
        };
        self.fates.delivered += 1;
        let stamps = if self.hardware.stamps { passed.into_iter().map(stamp).collect() } else { Vec::new() };
        self.arrived.push(Arrival { host, from, message: packet.message, unused, stamps });
        ControlFlow::Break(())
    }

    /// Gives the recorder the name of the host's next worm of an application, or of a process.
    fn record(&self, host: HostId, of_application: bool, name: impl FnOnce(&str) -> String) {
        if let Some(recorded) = &self.recorded {
            let name = name(self.network.name_of(Node::Host(host)));
            let sent = recorded.send((host, of_application, name));
            debug_assert!(sent.is_ok(), "the recorder listens to the end");
        }
    }

    /// What the worm was called that had this tag, and was not over, in cycle `at`.
    pub(super) fn name(&self, source: HostId, tag: u64, at: Cycle) -> String {
        let host = self.network.name_of(Node::Host(source));
        if tag & APPLICATION != 0 {
            return format!("{host}#{}", tag & !(APPLICATION | CORRUPTED));
        }
        let labels = &self.labels[usize::try_from(tag).expect("a place among packets")];
        let label = labels.iter().find(|label| label.over >= at).or(labels.last());
        label.expect("it was sent").name(host)
    }

    fn application_message_ended(&mut self, ended: &Ended) {
        self.traffic.ended(ended, ended.tag & CORRUPTED != 0, self.interval);
        if let Some(arrivals) = &mut self.application_arrivals
            && let Fate::Delivered { host, tail, .. } = ended.fate
        {
            arrivals.push((host, tail, ended.payload));
        }
    }
}

impl Label {
    fn name(&self, host: &str) -> String {
        format!("{host} {} {}", self.kind, self.nonce)
    }
}

impl Endpoint for Interfaces<'_> {
    fn next_message(&mut self, host: HostId, route: &mut RouteBuffer) -> Option<Outgoing> {
        while let Some(queued) = self.queues[host.index()].pop_front() {
            let (created, destination, payload) = match queued {
                Queued::Process(packet) => return Some(self.dispatch(host, packet, route, u32::MAX)),
                Queued::Application { created, destination, payload } => (created, destination, payload),
            };
            self.waiting[host.index()] -= 1;
            if !self.find_route(host, destination, route) {
                self.traffic.unroutable += 1;
                continue;
            }
            let errors = self.errors.get_mut(host.index());
            let is_corrupted = errors.is_some_and(|errors| errors.strike(payload, route.len()));
            let number = self.application_sent[host.index()];
            self.application_sent[host.index()] += 1;
            self.record(host, true, |host| format!("{host}#{number}"));
            let tag = APPLICATION | if is_corrupted { CORRUPTED } else { 0 } | number;
            let service_level = self.service_level(host, destination);
            return Some(Outgoing { created, payload, tag, time_to_live: None, service_level });
        }
        self.idle[host.index()] = true;
        None
    }

    /// A message longer than a datagram of management is sent in so many of them as it takes, and is there when all
    /// are.
    ///
    /// # Source
    /// InfiniBand Architecture Specification, volume 1, section 13.6 (RMPP), as from memory. Departures: the headers of
    /// the further datagrams are not counted, and none is asked for again: whoever sent the message asks.
    fn next_management(&mut self, host: HostId, route: &mut RouteBuffer) -> Option<Outgoing> {
        let managing = &mut self.management.as_mut()?[host.index()];
        if let Some(place) = managing.in_pieces {
            return Some(self.send_piece(host, place, route, MOST_MANAGEMENT));
        }
        let packet = managing.queue.pop_front();
        managing.idle = packet.is_none();
        Some(self.dispatch(host, packet?, route, MOST_MANAGEMENT))
    }

    fn ended(&mut self, ended: &Ended) -> ControlFlow<()> {
        if ended.tag & APPLICATION != 0 {
            self.application_message_ended(ended);
            return ControlFlow::Continue(());
        }
        let place = usize::try_from(ended.tag).expect("a place among packets");
        let under_way = self.under_way[place].as_mut().expect("a message ends once");
        let Some(fate) = under_way.piece_ended(ended.fate) else { return ControlFlow::Continue(()) };
        let UnderWay { packet, .. } = self.under_way[place].take().expect("it was under way");
        self.free.push(place);
        self.packets -= 1;
        let (Fate::Delivered { tail: over, .. } | Fate::Destroyed { at: over, .. }) = fate;
        if let Some(label) = self.labels[place].last_mut() {
            label.over = over;
        }
        match fate {
            Fate::Destroyed { cause, .. } if cause != Cause::HostTooSoon || !self.hardware.reads_early => {
                self.fates.count(fate, false);
                ControlFlow::Continue(())
            }
            fate => self.deliver(packet, ended.source, fate),
        }
    }
}
