//! Messages over TCP, with a real stack on every host.
//!
//! # Scope and limitations
//! Every host runs smoltcp 0.14's TCP/IP: address resolution, connection set-up, segments, acknowledgements, delayed
//! ones, retransmissions and their timers travel as frames with their real bytes and checksums. A stack works in no
//! time; a segment waits in the interface's queue, which is as long as the windows let it grow.
//!
//! Two hosts that have anything to say to each other share one connection, opened by the first to send and kept.
//! On it messages follow one another, each behind 16 B of length and tag; their bytes follow from the tag
//! ([`fill`](super::fill)) and are compared one by one where they are read, which is at once. Where nobody watches, and
//! in builds without their own checks, these bytes and the checksums are left out ([`Tcp::without_payloads`]).
//! A message has left when its last byte is in the sender's socket buffer, and is delivered when its last byte has been
//! read. A connection on which nothing has been read for `give_up`, though something is under way, is given up:
//! its messages are lost, and so are all that come later. (So is one that a host sends to itself.)
//!
//! smoltcp is not Linux. Three duplicate acknowledgements bring back one segment, and several lost from one window
//! wait for the timer, which sends everything again from there on; acknowledgements name at most one range above a
//! hole, which the sender ignores; a receiver keeps at most four such ranges. What it numbers in a way that lets
//! connections stand still is numbered anew (`tcp/numbering.rs`).
//!
//! Its retransmission timer is never set below 1 s of its clock (RFC 6298), where Linux has 0.2 s. So its clock is let
//! run so much faster that this second takes `least_timeout`; its other spans shrink with it (an address is forgotten
//! after 60 s without a packet, a timer is never above 60 s), the delay of acknowledgements does not. The clock
//! counts whole microseconds: at an instant it shows those that are over, and a timer goes off when the clock comes to
//! show its time. Sequence numbers begin at numbers of a stream of chance a host.
//!
//! # Source
//! RFC 826, 791, 9293, 6298, 5681 as smoltcp 0.14 has them. Departures: a stack asks for a neighbour's address when it
//! opens a connection, and again every second, since smoltcp asks for one neighbour a second only; a connection that
//! both could open is opened by one.
//!
//! # Validation
//! `tests/media/closed_forms/tcp.rs`: the handshake and the segments in closed form, goodput of an idle link, every
//! byte compared under loss, and the same frames without these bytes; `tests/it/interop/pcapng.rs`: tshark checks every
//! checksum.

mod device;
mod numbering;
mod pair;
mod stack;

pub use device::Packet;

use std::borrow::Cow;
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;

use smoltcp::iface::SocketSet;

use crate::ethernet::frame::wire_bytes_of;
use crate::ethernet::{Counters, Endpoint, Ethernet, Frame, Observer, Parameters, Pause};
use crate::medium::{Event, Medium, Message};
use simnet_base::des::random::{Purpose, Stream as Chance};
use simnet_base::des::timers::Timers;
use simnet_base::ids::{HostId, Port};
use simnet_base::units::{Duration, Time};
use simnet_network::topology::Network;

use super::TransportError;
use device::{Payload, Room};
use pair::{Link, Pair, Side};
use stack::{Clock, Kind, MOST_HOSTS, Stack};

/// What sequence numbers begin at.
const SEQUENCES: Purpose = Purpose(57);
/// Bytes of the headers of IP and TCP, without options.
const HEADERS: u32 = 40;
const LEAST_MTU: u32 = 576;
const MOST_MTU: u32 = 65_535;
const MOST_WINDOW: u32 = 1 << 24;
/// How long a stack waits before it asks for an address again.
const ASKS_AGAIN: Duration = Duration::from_ms(1_000);

/// What decides how much a TCP sends at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Congestion {
    /// The receiver's window alone.
    None,
    /// Slow start, congestion avoidance and fast recovery too.
    #[default]
    Reno,
}

/// The parameters of the hosts' TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpParameters {
    /// Bytes of every socket's send buffer, and of its receive buffer.
    pub window: u32,
    /// Whether a short segment waits until everything before it is acknowledged.
    pub nagle: bool,
    /// How long an acknowledgement may wait for another segment; `None` for not at all.
    pub ack_delay: Option<Duration>,
    /// What else limits a sender.
    pub congestion: Congestion,
    /// The least time after which an unacknowledged segment is sent again; taken to be 1 ms at least, 60 s at most.
    pub least_timeout: Duration,
    /// For how long a connection with messages under way may bring nothing before it is given up.
    pub give_up: Duration,
    /// Of the numbers that sequences begin at.
    pub seed: u64,
}

impl Default for TcpParameters {
    /// 64 KiB, no waiting of short segments (as MPI libraries set it), acknowledgements after at most 10 ms
    /// (smoltcp's), Reno, sent again after 0.2 s (Linux's), given up after 120 s.
    fn default() -> TcpParameters {
        TcpParameters {
            window: 64 << 10,
            nagle: false,
            ack_delay: Some(Duration::from_ms(10)),
            congestion: Congestion::default(),
            least_timeout: Duration::from_ms(200),
            give_up: Duration::from_ms(120_000),
            seed: 0,
        }
    }
}

impl TcpParameters {
    /// smoltcp's clock, whose second takes `least_timeout`.
    fn clock(&self) -> Clock {
        let second = self.least_timeout.clamp(Duration::from_ms(1), Duration::from_ms(60_000));
        Clock { tick: Duration::from_ps(second.as_ps() / 1_000_000) }
    }
}

/// An Ethernet whose hosts send messages over TCP; `O` watches the frames.
pub struct Tcp<O = ()> {
    ethernet: Ethernet<Packet>,
    wires: Wires,
    stacks: Vec<Stack>,
    pairs: Vec<Pair>,
    /// By the lesser of two hosts: the other ones in order, and their connections.
    connections: Vec<Vec<(HostId, u32)>>,
    alarms: Timers<Alarm>,
    events: VecDeque<(Time, Event)>,
    parameters: TcpParameters,
    payload: Payload,
    room: Room,
    mtu: u32,
    lost: u64,
    observer: O,
}

/// What an alarm is for; the connection is known by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Alarm {
    /// A socket has something to do: the connection, the side.
    Socket(u32, usize),
    /// A neighbour has not answered.
    Address(u32),
    /// A connection may be dead.
    Watch(u32),
}

impl Hash for Alarm {
    /// One word: there are several alarms to be found for every frame.
    #[inline]
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let (id, kind) = match *self {
            Alarm::Socket(id, side) => (id, side as u64),
            Alarm::Address(id) => (id, 2),
            Alarm::Watch(id) => (id, 3),
        };
        hasher.write_u64(u64::from(id) << 2 | kind);
    }
}

/// Frames between stacks and cables.
struct Wires {
    outgoing: Vec<VecDeque<Frame<Packet>>>,
    incoming: Vec<(HostId, Frame<Packet>)>,
}

/// Looks for what keeps TCP from working over an Ethernet.
///
/// # Errors
/// As [`Tcp::new`].
pub fn check_tcp(
    network: &Network,
    parameters: &Parameters,
    attachments: &[Option<Port>],
    tcp: &TcpParameters,
) -> Result<(), TransportError> {
    let (mtu, hosts) = (parameters.mtu, network.hosts().len());
    if !(LEAST_MTU..=MOST_MTU).contains(&mtu) {
        return Err(TransportError::Mtu { mtu, least: LEAST_MTU, most: MOST_MTU });
    }
    if !(mtu..=MOST_WINDOW).contains(&tcp.window) {
        return Err(TransportError::Window { window: tcp.window, least: mtu, most: MOST_WINDOW });
    }
    if hosts > MOST_HOSTS {
        return Err(TransportError::TooManyHosts { hosts, most: MOST_HOSTS });
    }
    Ok(crate::ethernet::check(network, parameters, attachments)?)
}

impl<O: Observer<Packet>> Tcp<O> {
    /// An idle Ethernet whose hosts use the ports `attachments`, each with its stack.
    ///
    /// # Errors
    /// [`TransportError`], each but `NoRoom`.
    pub fn new(
        network: &Network,
        parameters: &Parameters,
        attachments: &[Option<Port>],
        tcp: &TcpParameters,
        observer: O,
    ) -> Result<Tcp<O>, TransportError> {
        let looks = O::WATCHES || cfg!(debug_assertions);
        let payload = if looks { Payload::Real } else { Payload::Blank };
        Tcp::with(network, parameters, attachments, tcp, observer, payload)
    }

    /// As [`Tcp::new`], but the bytes of messages are neither made nor compared, nor are checksums: an observer sees
    /// zeros for what is behind the headers. All else is the same, and faster. [`Tcp::new`] does so where nobody
    /// watches, in builds without their own checks.
    ///
    /// # Errors
    /// As [`Tcp::new`].
    pub fn without_payloads(
        network: &Network,
        parameters: &Parameters,
        attachments: &[Option<Port>],
        tcp: &TcpParameters,
        observer: O,
    ) -> Result<Tcp<O>, TransportError> {
        Tcp::with(network, parameters, attachments, tcp, observer, Payload::Blank)
    }

    fn with(
        network: &Network,
        parameters: &Parameters,
        attachments: &[Option<Port>],
        tcp: &TcpParameters,
        observer: O,
        payload: Payload,
    ) -> Result<Tcp<O>, TransportError> {
        check_tcp(network, parameters, attachments, tcp)?;
        let (mtu, hosts) = (parameters.mtu, network.hosts().len());
        let ethernet = Ethernet::new(network, parameters, attachments)?;
        let mut room = Room::new(mtu);
        let stack = |host: HostId| {
            let seed = Chance::new(tcp.seed, SEQUENCES, host.0).bits();
            Stack::new(host, mtu, tcp.clock(), seed, payload, &mut room)
        };
        Ok(Tcp {
            ethernet,
            wires: Wires { outgoing: vec![VecDeque::new(); hosts], incoming: Vec::new() },
            stacks: network.host_ids().map(stack).collect(),
            pairs: Vec::new(),
            connections: vec![Vec::new(); hosts],
            alarms: Timers::new(),
            events: VecDeque::new(),
            parameters: *tcp,
            payload,
            room,
            mtu,
            lost: 0,
            observer,
        })
    }

    /// Lets every switch know every host, as [`Ethernet::introduce_all`].
    pub fn introduce_all(&mut self) {
        self.ethernet.introduce_all();
    }

    /// What the Ethernet has counted.
    pub fn counters(&self) -> Cow<'_, Counters> {
        self.ethernet.counters()
    }

    /// The Ethernet below.
    pub fn ethernet(&self) -> &Ethernet<Packet> {
        &self.ethernet
    }

    /// Messages lost with their connections.
    pub fn lost_messages(&self) -> u64 {
        self.lost
    }

    /// Connections that have been opened or tried.
    pub fn connections(&self) -> usize {
        self.pairs.len()
    }

    /// Gives the observer back.
    pub fn into_observer(self) -> O {
        self.observer
    }

    /// The connection of two hosts, begun by `source` if there is none.
    fn connection(&mut self, source: HostId, destination: HostId, now: Time) -> u32 {
        let hosts = [source.min(destination), source.max(destination)];
        let place = match self.find(hosts) {
            Ok(id) => return id,
            Err(place) => place,
        };
        let id = u32::try_from(self.pairs.len()).expect("fewer than 2^32 connections");
        self.pairs.push(Pair::new(hosts, usize::from(source > destination), now));
        self.connections[hosts[0].index()].insert(place, (hosts[1], id));
        self.ask_for_address(id, now);
        id
    }

    /// The connection of two hosts, the lesser one first, or its place among those of that host.
    fn find(&self, hosts: [HostId; 2]) -> Result<u32, usize> {
        let peers = &self.connections[hosts[0].index()];
        peers.binary_search_by_key(&hosts[1], |(peer, _)| *peer).map(|nth| peers[nth].1)
    }

    fn ask_for_address(&mut self, id: u32, now: Time) {
        let pair = &self.pairs[id as usize];
        let (asks, peer) = (pair.hosts[pair.opener], pair.hosts[1 - pair.opener]);
        self.stacks[asks.index()].ask_for(peer);
        self.alarms.set(Alarm::Address(id), now + ASKS_AGAIN);
        self.hand_over(asks, now);
    }

    /// Queues the frames that a stack has made at its interface.
    fn hand_over(&mut self, host: HostId, now: Time) {
        let stack = &mut self.stacks[host.index()];
        // Mostly there are none: acknowledgements are delayed.
        if !stack.device.outgoing.is_empty() {
            self.wires.outgoing[host.index()].extend(stack.frames());
            self.ethernet.wake(host, now);
        }
    }

    /// Lets one end of a connection read, write and send, and sets its alarm.
    fn serve(&mut self, id: u32, side: usize, now: Time) {
        let Tcp { pairs, stacks, events, alarms, parameters, room, payload, .. } = self;
        let pair = &mut pairs[id as usize];
        let Some(end) = &mut pair.sides[side] else { return };
        let host = pair.hosts[side];
        let stack = &mut stacks[host.index()];
        let delivered = |tag| events.push_back((now, Event::Delivered(tag)));
        if end.read(&mut pair.streams[1 - side], *payload, delivered) {
            pair.moved = now;
        }
        end.write(&mut pair.streams[side], *payload, |tag| events.push_back((now, Event::Left(tag))));
        let next = stack.send_out(&mut end.sockets, room, now);
        end.numbering.set(&mut stack.device.outgoing);
        match next {
            // Whatever it waits for, it has had its turn for this microsecond of its clock.
            Some(at) => alarms.set(Alarm::Socket(id, side), at.max(now + parameters.clock().tick)),
            None => _ = alarms.cancel(&Alarm::Socket(id, side)),
        }
        let is_closed = end.is_closed();
        if pair.is_quiet() {
            alarms.cancel(&Alarm::Watch(id));
        }
        self.hand_over(host, now);
        if is_closed {
            self.give_up(id, now);
        }
    }

    /// Gives a connection up: its messages are lost.
    fn give_up(&mut self, id: u32, now: Time) {
        let pair = &mut self.pairs[id as usize];
        pair.state = Link::Broken;
        let hosts = pair.hosts;
        for (side, host) in hosts.into_iter().enumerate() {
            self.alarms.cancel(&Alarm::Socket(id, side));
            let pair = &mut self.pairs[id as usize];
            if let Some(mut end) = pair.sides[side].take() {
                end.abort();
                self.stacks[host.index()].send_out(&mut end.sockets, &mut self.room, now);
            }
            for message in std::mem::take(&mut pair.streams[side]).messages {
                self.lose(message, now);
            }
            self.hand_over(host, now);
        }
        self.alarms.cancel(&Alarm::Address(id));
        self.alarms.cancel(&Alarm::Watch(id));
    }

    fn lose(&mut self, message: Message, now: Time) {
        self.lost += 1;
        self.events.push_back((now, Event::Lost(message.tag)));
    }

    /// Hands a frame to its host's stack.
    fn take_in(&mut self, host: HostId, frame: Frame<Packet>, now: Time) {
        let hosts = [host.min(frame.source), host.max(frame.source)];
        let side = usize::from(host > frame.source);
        let id = self.find(hosts).ok();
        if frame.content.kind() == Kind::Arp {
            let none = &mut SocketSet::new(Vec::new());
            self.stacks[host.index()].take_in(frame.content, none, &mut self.room, now);
            self.hand_over(host, now);
            if let Some(id) = id {
                self.resolved(id, side, now);
            }
            return;
        }
        let Some(id) = id else { return };
        let pair = &mut self.pairs[id as usize];
        if pair.state != Link::Open {
            return;
        }
        let end = pair.sides[side].get_or_insert_with(|| Side::listening(&self.parameters));
        self.stacks[host.index()].take_in(frame.content, &mut end.sockets, &mut self.room, now);
        self.serve(id, side, now);
    }

    /// One end of a connection knows the other one's address.
    fn resolved(&mut self, id: u32, side: usize, now: Time) {
        let pair = &mut self.pairs[id as usize];
        if pair.state == Link::Resolving && side == pair.opener {
            let stack = &mut self.stacks[pair.hosts[side].index()];
            pair.sides[side] = Some(Side::connecting(&self.parameters, stack, pair.hosts[1 - side]));
            pair.state = Link::Open;
            self.alarms.cancel(&Alarm::Address(id));
        }
        self.serve(id, side, now);
    }

    fn ring(&mut self, alarm: Alarm, now: Time) {
        match alarm {
            Alarm::Socket(id, side) => self.serve(id, side, now),
            Alarm::Address(id) => self.ask_for_address(id, now),
            Alarm::Watch(id) => {
                let last = self.pairs[id as usize].moved + self.parameters.give_up;
                if last > now {
                    self.alarms.set(alarm, last);
                } else {
                    self.give_up(id, now);
                }
            }
        }
    }
}

impl<O: Observer<Packet>> Medium for Tcp<O> {
    fn send(&mut self, message: Message, now: Time) {
        let (source, destination) = (message.source, message.destination);
        if source == destination {
            return self.lose(message, now);
        }
        let id = self.connection(source, destination, now);
        let pair = &mut self.pairs[id as usize];
        if pair.state == Link::Broken {
            return self.lose(message, now);
        }
        if pair.is_quiet() {
            pair.moved = now;
            self.alarms.set(Alarm::Watch(id), now + self.parameters.give_up);
        }
        let side = usize::from(source > destination);
        pair.streams[side].messages.push_back(message);
        self.serve(id, side, now);
    }

    fn advance(&mut self, until: Option<Time>) -> Option<(Time, Event)> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Some(event);
            }
            let due = self.alarms.next_due();
            let limit = [until, due].into_iter().flatten().min();
            let pause = self.ethernet.run_until(limit, &mut self.wires, &mut self.observer);
            let now = self.ethernet.now();
            match (pause, due) {
                (Pause::Break, _) => {
                    let mut incoming = std::mem::take(&mut self.wires.incoming);
                    for (host, frame) in incoming.drain(..) {
                        self.take_in(host, frame, now);
                    }
                    // Nothing comes in meanwhile; its room is kept.
                    self.wires.incoming = incoming;
                }
                (_, Some(at)) if limit == due => {
                    while let Some((alarm, _)) = self.alarms.pop_due(at) {
                        self.ring(alarm, at);
                    }
                }
                _ => return None,
            }
        }
    }

    fn occupies(&self, source: HostId, bytes: u64) -> Duration {
        let bytes = bytes.saturating_add(pair::FRAMING as u64);
        self.ethernet.time_for(source, wire_bytes_of(bytes, self.mtu - HEADERS, HEADERS))
    }
}

impl Endpoint<Packet> for Wires {
    fn next_frame(&mut self, host: HostId, _now: Time) -> Option<Frame<Packet>> {
        self.outgoing[host.index()].pop_front()
    }

    fn may_have_more(&self, host: HostId) -> bool {
        !self.outgoing[host.index()].is_empty()
    }

    fn received(&mut self, host: HostId, frame: &Frame<Packet>, _now: Time) -> ControlFlow<()> {
        if frame.content.is_for_others(host) {
            return ControlFlow::Continue(());
        }
        self.incoming.push((host, frame.clone()));
        ControlFlow::Break(())
    }

    fn write(&self, frame: &Frame<Packet>, bytes: &mut Vec<u8>) {
        frame.content.write(bytes);
    }
}
