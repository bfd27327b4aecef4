//! The lane of management: what subnet managers send, beside all data and ahead of it.
//!
//! Messages of management are asked for apart ([`Endpoint::next_management`]), so that none of them waits behind a
//! message of data of its own host. Each has [`MOST_MANAGEMENT`] bytes at most and is one packet, whatever `mtu` is.
//!
//! * **Room.** An input port of a switch has one queue of [`management`](super::CreditParameters::management) bytes for
//!   them. Nothing stops who sends to it: no credits are taken, none come back. In P1 of the cycle in which its head
//!   arrives a packet takes room for all of it, which it gives up with the cycle after that in which its last byte has
//!   left. If there is not enough, it is discarded as it arrives ([`Cause::Vl15Dropped`] in the cycle of its head), and
//!   is over in P5 of the cycle in which its tail has arrived.
//! * **Grant.** An idle output takes a packet of management that is ready before any of data, round robin over the
//!   input ports. The tables of lanes are neither asked nor told. It cuts into no packet that is being sent.
//! * **Hosts.** An interface has one message of management at a time beside that of data. It starts as one of data
//!   does: its creation or the end of the one before, send overhead, the cable idle. Its packet is sent in P4 of that
//!   cycle. Between two packets of a message of data it goes first.
//! * **Limits.** Only its time to live: it waits for no credits, so for what is being sent and for packets of
//!   management before it. All else is as with data: decoding, wrong routes, failures.
//!
//! ```text
//!   sent ---> head arrives (P1) --room--> [queue] front, decoded ---> granted when the output is idle
//!                      '--no room--> discarded as it arrives; over with its tail (P5)
//! ```
//!
//! # Source
//! InfiniBand Architecture Specification, volume 1, section 3.5.7 and chapter 7 (VL15: no flow control, ahead of all
//! lanes of data, not in the tables of arbitration; counted as `VL15Dropped` where it is discarded), chapter 13 (256
//! bytes), as from memory. Departure: whether the limits on the life of packets hold for it is not said as far as we
//! remember; here they do not.

use std::collections::VecDeque;

use super::engine::{Engine, Event, GRANTS, HOSTS, OVER, READY, TAILS};
use super::messages::Packet;
use super::records::{Leaving, bytes_before};
use crate::fabric::endpoint::{Cause, Endpoint, Flow, Observer};
use crate::fabric::ports::{NEVER, NONE};
use simnet_base::ids::HostId;
use simnet_base::units::Cycle;

/// The most bytes of a message of management.
///
/// # Source
/// InfiniBand Architecture Specification, volume 1, chapter 13: the size of a management datagram (MAD), from memory.
pub const MOST_MANAGEMENT: u32 = 256;

/// The number of the lane of management.
pub const MANAGEMENT_LANE: u8 = 15;

/// What happens to packets of management alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The head of the packet reaches a switch.
    Head,
    /// The front packet of the port's queue is decoded, and its bytes are in time for its output.
    Ready,
    /// The time to live of the port's front packet may be over.
    Expire,
    /// The host may start its next message.
    Start,
}

/// All that the lane of management is made of; empty if there is none.
#[derive(Clone, Debug, Default)]
pub(super) struct Management {
    /// Bytes of a queue; 0: there is no such lane.
    pub(super) room: u32,
    /// By port of a switch.
    pub(super) queues: Vec<ManagementQueue>,
    /// By output of a switch: the input port, counted from the switch's first, at which the next round begins.
    pointers: Vec<u32>,
    hosts: Vec<Sender>,
    /// Input ports whose front packet has become ready in this cycle.
    watched: Vec<u32>,
}

/// The queue of management in an input port of a switch.
#[derive(Clone, Debug)]
pub(super) struct ManagementQueue {
    /// What has been granted no output yet, in order.
    packets: VecDeque<u32>,
    /// The bytes of those.
    bytes: u32,
    /// What the front packet asks for, or why it can go nowhere.
    pub(super) out: u32,
    fault: Option<Cause>,
    /// Whether the front packet is ready and waits for its output.
    waits: bool,
    /// The first cycle in which the next packet is in front: the last one has left before.
    free: u64,
    leaving: Leaving,
    decoded: u64,
    /// The first port of its switch, and how many that has.
    base: u32,
    ports: u32,
}

/// The management of a host that sends.
#[derive(Clone, Copy, Debug)]
struct Sender {
    /// The next message.
    next: u32,
    /// The message that has started in this cycle.
    started: u32,
    /// When the next one is to be started; [`NEVER`]: not planned.
    attempt: u64,
    /// The first cycle after the last one's tail has left.
    free: u64,
    waits_for_cable: bool,
}

impl ManagementQueue {
    fn new(base: u32, ports: u32) -> ManagementQueue {
        let leaving = Leaving { packet: NONE, bytes: 0, period: 0, head_in: 0, tail_in: 0, from: 0 };
        ManagementQueue {
            packets: VecDeque::new(),
            bytes: 0,
            out: NONE,
            fault: None,
            waits: false,
            free: 0,
            leaving,
            decoded: 0,
            base,
            ports,
        }
    }

    /// The bytes that are spoken for in cycle `t`.
    fn taken(&self, t: u64) -> u32 {
        self.bytes + if self.free > t { self.leaving.bytes } else { 0 }
    }
}

impl Management {
    /// Whether there is such a lane.
    #[inline]
    pub(super) fn is_there(&self) -> bool {
        self.room > 0
    }

    /// The lane of a fabric with `ports` ports of switches, of which each is given as its switch's first port and how
    /// many that has, and `hosts` hosts.
    pub(super) fn new(room: u32, ports: impl Iterator<Item = (u32, u32)>, hosts: usize) -> Management {
        let sender = Sender { next: NONE, started: NONE, attempt: NEVER, free: 0, waits_for_cable: false };
        let queues: Vec<_> = ports.map(|(base, ports)| ManagementQueue::new(base, ports)).collect();
        Management {
            room,
            pointers: vec![0; queues.len()],
            queues,
            hosts: vec![sender; hosts],
            watched: Vec::new(),
        }
    }
}

/// Hosts.
impl Engine {
    pub(in crate::fabric) fn has_management(&self) -> bool {
        self.management.is_there()
    }

    /// Asks a host for its next message of management, if it has none ready.
    pub(super) fn ask_management<E: Endpoint>(&mut self, host: u32, endpoint: &mut E) {
        if self.hosts[host as usize].out == NONE || self.management.hosts[host as usize].next != NONE {
            return;
        }
        self.route.clear();
        if let Some(mut message) = endpoint.next_management(HostId(host), &mut self.route) {
            // Stays on: it would be another kind of packet.
            assert!(message.payload <= MOST_MANAGEMENT, "a message of management has 256 bytes at most");
            message.time_to_live = message.time_to_live.or(self.time_to_live);
            let number = self.records.add(host, &message, &self.route, MOST_MANAGEMENT);
            self.records.messages[number as usize].is_management = true;
            self.management.hosts[host as usize].next = number;
            self.plan_management(host);
        }
    }

    /// Plans the start of the next message for the first cycle in which it may.
    fn plan_management(&mut self, host: u32) {
        let entry = &mut self.management.hosts[host as usize];
        if entry.next == NONE || entry.waits_for_cable {
            return;
        }
        let created = self.records.messages[entry.next as usize].created;
        let ready = created.max(entry.free).saturating_add(self.send_overhead);
        let ready = ready.max(self.outs[self.hosts[host as usize].out as usize].free).max(self.now);
        entry.attempt = ready;
        self.calendar.schedule(ready, HOSTS, Event::Management { step: Step::Start, at: host });
    }

    /// P3: the cycle has come for which the start of the next message was planned.
    fn management_may_start<E: Endpoint, O: Observer>(
        &mut self,
        host: u32,
        t: u64,
        endpoint: &mut E,
        observer: &mut O,
    ) {
        let entry = &mut self.management.hosts[host as usize];
        if entry.attempt != t {
            return;
        }
        entry.attempt = NEVER;
        let out = self.hosts[host as usize].out;
        let output = &self.outs[out as usize];
        if output.dead {
            entry.waits_for_cable = true;
            return;
        }
        if output.free > t {
            return self.plan_management(host);
        }
        let message = std::mem::replace(&mut entry.next, NONE);
        entry.started = message;
        let record = &mut self.records.messages[message as usize];
        (record.started, record.serial) = (t, self.starts);
        record.expires = record.expires.saturating_add(t);
        self.starts += 1;
        self.in_flight += 1;
        // The next one is free to start after its tail, one byte a period from now on.
        let last = t + u64::from(record.payload - 1) * u64::from(output.period);
        entry.free = last + 1;
        if O::WATCHES {
            let worm = self.identity_of(message);
            let record = &self.records.messages[message as usize];
            observer.started(Cycle(t), self.wiring.end(out), worm, u32::from(record.turns), record.payload);
        }
        self.host_sends_in(out, t);
        self.ask_management(host, endpoint);
    }

    /// Has the host's output look in P4 of this cycle at what it may send.
    pub(super) fn host_sends_in(&mut self, out: u32, t: u64) {
        let output = &mut self.outs[out as usize];
        if output.try_at > t {
            output.try_at = t;
            self.calendar.schedule(t, GRANTS, Event::Try { out });
        }
    }

    /// P4: a host sends the message of management that has started in this cycle; whether there was one.
    pub(super) fn send_management_of_host<O: Observer>(&mut self, host: u32, t: u64) -> bool {
        let message = std::mem::replace(&mut self.management.hosts[host as usize].started, NONE);
        if message == NONE {
            return false;
        }
        let out = self.hosts[host as usize].out;
        self.stop_waiting(out, t);
        let packet = self.records.add_packet(Packet {
            head_in: NEVER,
            tail_in: NEVER,
            message,
            bytes: self.records.messages[message as usize].payload,
            next: NONE,
            port: out,
            hop: 0,
            spoilt: false,
        });
        self.send_management::<O>(out, packet, t);
        let last = self.management.hosts[host as usize].free - 1;
        if self.tells_departures {
            self.hosts[host as usize].departs = last;
            self.calendar.schedule(last, OVER, Event::Depart { host });
        }
        if O::WATCHES {
            self.reports.released(last, out, out, self.identity_of(message));
        }
        if self.hosts[host as usize].current != NONE {
            let free = self.outs[out as usize].free;
            self.wake_output(out, free);
        }
        true
    }

    /// P0: the host's cable has returned.
    pub(super) fn retry_management(&mut self, host: u32) {
        if self.management.is_there()
            && std::mem::take(&mut self.management.hosts[host as usize].waits_for_cable)
        {
            self.plan_management(host);
        }
    }
}

/// Switches.
impl Engine {
    /// What happens to packets of management alone.
    #[cold]
    #[inline(never)]
    pub(super) fn manage<E: Endpoint, O: Observer>(
        &mut self,
        step: Step,
        at: u32,
        t: u64,
        endpoint: &mut E,
        observer: &mut O,
    ) {
        match step {
            Step::Head => self.management_arrives(at, t),
            Step::Ready => self.management_ready::<O>(at, t),
            Step::Expire => self.management_expires::<O>(at, t),
            Step::Start => self.management_may_start(at, t, endpoint, observer),
        }
    }

    /// Sends a packet from cycle `t` on over an idle output.
    fn send_management<O: Observer>(&mut self, out: u32, packet: u32, t: u64) {
        let output = &mut self.outs[out as usize];
        let record = &mut self.records.packets[packet as usize];
        output.begin(record, t);
        let (phase, at, event) = if output.to_host {
            (TAILS, record.tail_in, Event::Deliver { packet })
        } else {
            (TAILS, record.head_in, Event::Management { step: Step::Head, at: packet })
        };
        self.calendar.schedule(at, phase, event);
        if O::WATCHES {
            self.report_sent(packet);
        }
    }

    /// P1: the head of a packet reaches a switch, which has room for the packet or has not.
    fn management_arrives(&mut self, packet: u32, t: u64) {
        let Packet { message, bytes, port, tail_in, .. } = self.records.packets[packet as usize];
        let queue = &mut self.management.queues[port as usize];
        if queue.taken(t) + bytes > self.management.room {
            self.records.strike(message, Cause::Vl15Dropped, t);
            return self.calendar.schedule(tail_in, OVER, Event::Destroyed { packet });
        }
        queue.bytes += bytes;
        queue.packets.push_back(packet);
        if queue.packets.len() == 1 {
            self.plan_management_front(port);
        }
    }

    /// A packet is in front of the queue, or will be once the one before it has left: finds what it will ask for, and
    /// when.
    fn plan_management_front(&mut self, port: u32) {
        let queue = &self.management.queues[port as usize];
        let packet = &self.records.packets[queue.packets[0] as usize];
        let mut ready = (packet.head_in + self.routing_latency).max(queue.free);
        let (out, fault) = match self.management_output(port) {
            Ok(out) => {
                // No byte may be missing: the last one, which comes in at the pace of its cable, is in time.
                let (comes, goes) = (self.outs[port as usize].period, self.outs[out as usize].period);
                let late = u64::from(packet.bytes - 1) * u64::from(comes.saturating_sub(goes));
                ready = ready.max(packet.head_in + late);
                (out, None)
            }
            Err(cause) => (NONE, Some(cause)),
        };
        let queue = &mut self.management.queues[port as usize];
        (queue.out, queue.fault) = (out, fault);
        self.calendar.schedule(ready, READY, Event::Management { step: Step::Ready, at: port });
    }

    /// The output that the front packet of the queue asks for.
    fn management_output(&self, port: u32) -> Result<u32, Cause> {
        let queue = &self.management.queues[port as usize];
        let packet = &self.records.packets[queue.packets[0] as usize];
        let message = &self.records.messages[packet.message as usize];
        let turn = self.records.turn(message, packet.hop).ok_or(Cause::Stranded)?;
        // A sum below 0 wraps to a number beyond all ports.
        let local = (port - queue.base).wrapping_add_signed(turn);
        if local >= queue.ports {
            return Err(Cause::IllegalTurn);
        }
        let out = queue.base + local;
        if self.outs[out as usize].peer == NONE { Err(Cause::NoSuchWire) } else { Ok(out) }
    }

    /// P2: the front packet is decoded, and its bytes are in time.
    fn management_ready<O: Observer>(&mut self, port: u32, t: u64) {
        let queue = &mut self.management.queues[port as usize];
        debug_assert!(!queue.waits, "a front packet is ready once");
        queue.decoded += 1;
        let (packet, out, fault) = (queue.packets[0], queue.out, queue.fault);
        let Packet { message, spoilt, .. } = self.records.packets[packet as usize];
        if spoilt {
            return self.destroy_management::<O>(port, t);
        }
        let expires = self.records.messages[message as usize].expires;
        let fault = (expires <= t).then_some(Cause::Expired).or(fault);
        let fault = fault.or_else(|| self.outs[out as usize].dead.then_some(Cause::NoSuchWire));
        if let Some(cause) = fault {
            self.records.strike(message, cause, t);
            return self.destroy_management::<O>(port, t);
        }
        self.management.queues[port as usize].waits = true;
        let output = &mut self.outs[out as usize];
        output.urgent += 1;
        output.since = output.since.min(t);
        self.list(out);
        if expires != NEVER {
            self.calendar.schedule(expires, READY, Event::Management { step: Step::Expire, at: port });
        }
        if O::WATCHES {
            self.management.watched.push(port);
        }
    }

    /// P2: the time to live of the front packet, or of one before it, is over.
    fn management_expires<O: Observer>(&mut self, port: u32, t: u64) {
        let queue = &self.management.queues[port as usize];
        if !queue.waits {
            return;
        }
        let message = self.records.packets[queue.packets[0] as usize].message;
        if self.records.messages[message as usize].expires <= t {
            self.records.strike(message, Cause::Expired, t);
            self.destroy_management::<O>(port, t);
        }
    }

    /// P4: an output for which packets of management wait takes one of them, if it is idle. Costs O(ports).
    pub(super) fn arbitrate_management<O: Observer>(&mut self, out: u32, t: u64, observer: &mut O) {
        let output = &self.outs[out as usize];
        debug_assert!(!output.dead, "nothing waits for a failed cable");
        if output.free <= t {
            let ManagementQueue { base, ports, .. } = self.management.queues[out as usize];
            let pointer = self.management.pointers[out as usize];
            let waits = |port: &u32| {
                let queue = &self.management.queues[*port as usize];
                queue.waits && queue.out == out
            };
            let round = (0..ports).map(|ahead| base + (pointer + ahead) % ports);
            let port = round.into_iter().find(waits).expect("one of those that wait");
            self.grant_management(port, t, observer);
        }
        let output = &self.outs[out as usize];
        if output.urgent > 0 || output.waiting > 0 {
            let free = output.free;
            self.wake_output(out, free);
        }
    }

    /// P4: the front packet of the queue leaves from now on for its output.
    fn grant_management<O: Observer>(&mut self, port: u32, t: u64, observer: &mut O) {
        self.withdraw_management(port, t);
        let queue = &self.management.queues[port as usize];
        let (packet, out, base) = (queue.packets[0], queue.out, queue.base);
        self.management.pointers[out as usize] = port - base + 1;
        let period = self.outs[out as usize].period;
        let record = &mut self.records.packets[packet as usize];
        record.hop += 1;
        let last = t + u64::from(record.bytes - 1) * u64::from(period);
        debug_assert!(last >= record.tail_in, "the last byte has come when it is to leave");
        if O::WATCHES {
            let worm = self.identity(packet);
            observer.granted(Cycle(t), self.wiring.end(port), self.wiring.end(out), worm);
            self.reports.released(last, port, out, worm);
        }
        self.take_management::<O>(port, period, t, last);
        self.send_management::<O>(out, packet, t);
    }

    /// The front packet leaves the queue from cycle `from` on, and is all gone at the end of cycle `last`.
    fn take_management<O: Observer>(&mut self, port: u32, period: u32, from: u64, last: u64) {
        let queue = &mut self.management.queues[port as usize];
        let packet = queue.packets.pop_front().expect("a front packet");
        let Packet { bytes, head_in, tail_in, .. } = self.records.packets[packet as usize];
        queue.leaving = Leaving { packet, bytes, period, head_in, tail_in, from };
        queue.bytes -= bytes;
        queue.free = last + 1;
        if O::WATCHES {
            self.reports.flow_from(port, from);
            self.reports.flow_from(port, last + 1);
        }
        if !self.management.queues[port as usize].packets.is_empty() {
            self.plan_management_front(port);
        }
    }

    /// The front packet is destroyed where it is, once its tail is there.
    fn destroy_management<O: Observer>(&mut self, port: u32, t: u64) {
        if self.management.queues[port as usize].waits {
            self.withdraw_management(port, t);
        }
        let packet = self.management.queues[port as usize].packets[0];
        let last = self.records.packets[packet as usize].tail_in.max(t);
        self.take_management::<O>(port, 0, last, last);
        self.calendar.schedule(last, OVER, Event::Destroyed { packet });
    }

    /// The front packet waits no more.
    fn withdraw_management(&mut self, port: u32, t: u64) {
        let queue = &mut self.management.queues[port as usize];
        debug_assert!(queue.waits, "what is withdrawn has waited");
        queue.waits = false;
        let output = &mut self.outs[queue.out as usize];
        output.urgent -= 1;
        if output.urgent == 0 && output.waiting == 0 {
            output.used.blocked += t - output.since;
            output.since = NEVER;
        }
    }
}

/// Failures, and what can be asked between cycles.
impl Engine {
    /// Adds the packets of management whose tail has not reached `port` of a switch before cycle `t`, though they
    /// have been sent to it. Costs O(packets).
    pub(super) fn management_on_cable(&self, port: u32, t: u64, found: &mut Vec<u32>) {
        let Some(queue) = self.management.queues.get(port as usize) else { return };
        let is_there = |packet: &Packet| {
            let is_management = || self.records.messages[packet.message as usize].is_management;
            packet.bytes > 0 && packet.port == port && packet.tail_in >= t && is_management()
        };
        let packets = (0..).zip(&self.records.packets);
        found.extend(packets.filter(|(_, packet)| is_there(packet)).map(|(number, _)| number));
        if queue.leaving.packet != NONE && queue.leaving.tail_in >= t {
            found.push(queue.leaving.packet);
        }
    }

    /// A packet that has been spoilt goes no further if it waits.
    pub(super) fn spoil_management<O: Observer>(&mut self, packet: u32, port: u32, t: u64) {
        let queue = self.management.queues.get(port as usize);
        if queue.is_some_and(|queue| queue.waits && queue.packets[0] == packet) {
            self.destroy_management::<O>(port, t);
        }
    }

    /// Packets that wait for a failed output have requested no output.
    pub(super) fn turn_away_management<O: Observer>(&mut self, out: u32, t: u64) {
        let Some(&ManagementQueue { base, ports, .. }) = self.management.queues.get(out as usize) else {
            return;
        };
        for port in base..base + ports {
            let queue = &self.management.queues[port as usize];
            if queue.waits && queue.out == out {
                let message = self.records.packets[queue.packets[0] as usize].message;
                self.records.strike(message, Cause::NoSuchWire, t);
                self.destroy_management::<O>(port, t);
            }
        }
    }

    /// Bytes of management at a port of a switch before cycle `now`; 0 without such a lane.
    pub(super) fn management_before(&self, port: u32, now: u64) -> u32 {
        let Some(queue) = self.management.queues.get(port as usize) else { return 0 };
        let period = u64::from(self.outs[port as usize].period);
        let here = |packet: &u32| {
            let record = &self.records.packets[*packet as usize];
            bytes_before(now, record.head_in, period, record.bytes)
        };
        let bytes = queue.leaving.left_in(now, period) + queue.packets.iter().map(here).sum::<u32>();
        // Stays on: what has no room is discarded.
        assert!(bytes <= self.management.room, "the buffer of management overflows");
        bytes
    }

    /// The packets of management that have been in front and decoded at a port of a switch.
    pub(super) fn management_decoded(&self, port: u32) -> u64 {
        self.management.queues.get(port as usize).map_or(0, |queue| queue.decoded)
    }

    /// Adds what flows in and out of the queue of management at a port from the beginning of cycle `t` on; gives the
    /// period of what leaves, 0 if nothing does.
    pub(super) fn management_flow(&self, port: u32, t: u64, flow: &mut Flow) -> u32 {
        let Some(queue) = self.management.queues.get(port as usize) else { return 0 };
        flow.occupancy += self.management_before(port, t);
        let leaving = &queue.leaving;
        let is_coming = |head: u64, tail: u64| head <= t && t <= tail;
        let waiting = queue.packets.iter().map(|packet| &self.records.packets[*packet as usize]);
        let mut comes = waiting.map(|record| is_coming(record.head_in, record.tail_in));
        if comes.any(|comes| comes) || leaving.packet != NONE && is_coming(leaving.head_in, leaving.tail_in) {
            flow.inflow = self.outs[port as usize].period;
        }
        if leaving.period > 0 && is_coming(leaving.from, queue.free - 1) { leaving.period } else { 0 }
    }

    /// Reports the packets that have become ready in this cycle and have not been granted their output in it.
    pub(super) fn report_management_waits<O: Observer>(&mut self, t: u64, observer: &mut O) {
        for port in std::mem::take(&mut self.management.watched) {
            let queue = &self.management.queues[port as usize];
            if queue.waits {
                let worm = self.identity(queue.packets[0]);
                observer.waits(Cycle(t), self.wiring.end(port), self.wiring.end(queue.out), worm);
            }
        }
    }
}
