//! Hosts: when messages are requested and started, and how packets of them leave.

use super::engine::{Engine, Event, HOSTS, OVER};
use super::messages::Packet;
use crate::fabric::endpoint::{Cause, Endpoint, Observer};
use crate::fabric::ports::{NEVER, NONE};
use simnet_base::ids::HostId;
use simnet_base::units::Cycle;

impl Engine {
    /// Asks every host with a cable for its first message.
    pub(super) fn ask_all<E: Endpoint>(&mut self, endpoint: &mut E) {
        for host in 0..self.hosts.len() {
            if self.hosts[host].out != NONE {
                let host = u32::try_from(host).expect("host ids have 32 bits");
                self.ask(host, endpoint);
                self.plan_start(host);
                if self.management.is_there() {
                    self.ask_management(host, endpoint);
                }
            }
        }
    }

    fn ask<E: Endpoint>(&mut self, host: u32, endpoint: &mut E) {
        debug_assert!(self.hosts[host as usize].next == NONE, "a host has one message ready at a time");
        self.route.clear();
        if let Some(mut message) = endpoint.next_message(HostId(host), &mut self.route) {
            message.time_to_live = message.time_to_live.or(self.time_to_live);
            let mtu = self.parameters.mtu;
            self.hosts[host as usize].next = self.records.add(host, &message, &self.route, mtu);
        }
    }

    /// Plans the start of the next message for the first cycle in which it may, if none is being sent.
    fn plan_start(&mut self, host: u32) {
        let entry = &mut self.hosts[host as usize];
        if entry.next == NONE || entry.current != NONE || entry.waits_for_cable {
            return;
        }
        let created = self.records.messages[entry.next as usize].created;
        let ready = created.max(entry.free).saturating_add(self.send_overhead);
        let ready = ready.max(self.outs[entry.out as usize].free).max(self.now);
        entry.attempt = ready;
        self.calendar.schedule(ready, HOSTS, Event::Start { host });
    }

    /// The endpoint has reported that this host has something to send again.
    pub(super) fn host_wakes<E: Endpoint>(&mut self, host: u32, _t: u64, endpoint: &mut E) {
        let entry = &self.hosts[host as usize];
        if entry.next == NONE && entry.out != NONE {
            self.ask(host, endpoint);
            self.plan_start(host);
        }
        if self.management.is_there() {
            self.ask_management(host, endpoint);
        }
    }

    /// P3: the cycle has come for which the start of the next message was planned.
    pub(super) fn host_may_start<E: Endpoint, O: Observer>(
        &mut self,
        host: u32,
        t: u64,
        endpoint: &mut E,
        observer: &mut O,
    ) {
        let entry = &mut self.hosts[host as usize];
        if entry.attempt != t {
            return;
        }
        entry.attempt = NEVER;
        if self.outs[entry.out as usize].dead {
            entry.waits_for_cable = true;
            return;
        }
        if self.outs[entry.out as usize].free > t {
            // A packet of management has taken the cable meanwhile.
            return self.plan_start(host);
        }
        let message = std::mem::replace(&mut entry.next, NONE);
        debug_assert!(message != NONE && entry.current == NONE, "one message after the other");
        let record = &mut self.records.messages[message as usize];
        (entry.current, entry.unsent) = (message, record.payload);
        (record.started, record.serial) = (t, self.starts);
        record.expires = record.expires.saturating_add(t);
        self.starts += 1;
        self.in_flight += 1;
        let out = entry.out;
        if O::WATCHES {
            let worm = self.identity_of(message);
            let record = &self.records.messages[message as usize];
            observer.started(Cycle(t), self.wiring.end(out), worm, u32::from(record.turns), record.payload);
        }
        self.ask(host, endpoint);
        if self.management.is_there() {
            return self.host_sends_in(out, t);
        }
        // In P3 as in P4: no other packet asks for a host's output, and no grant's credits are back in its own cycle.
        self.send_from_host::<O>(out, t);
    }

    /// P4: a host sends the next packet of its message, if its cable is idle and there are credits.
    pub(super) fn send_from_host<O: Observer>(&mut self, out: u32, t: u64) {
        let host = self.wiring.host(out).0;
        if self.management.is_there() && self.send_management_of_host::<O>(host, t) {
            return;
        }
        let entry = self.hosts[host as usize];
        if entry.current == NONE || entry.out != out {
            return;
        }
        let message = &self.records.messages[entry.current as usize];
        let level = message.service_level;
        let lane = match &self.parameters.service_lanes {
            None => level,
            Some(tables) => tables.hosts[host as usize][usize::from(level)],
        };
        // Stays on: the credits would be another channel's.
        assert!(lane < self.parameters.lanes, "service level {level} has no lane");
        let output = &mut self.outs[out as usize];
        if output.free > t {
            let free = output.free;
            return self.wake_output(out, free);
        }
        let bytes = entry.unsent.min(self.parameters.mtu);
        let number = out * self.lane_count + u32::from(lane);
        let output = &mut self.outs[out as usize];
        let credit = &mut self.lanes[number as usize];
        if !credit.has(bytes, t, self.parameters.buffer) {
            output.lanes_waiting = 1 << lane;
            output.since = output.since.min(t);
            return credit.next_return().into_iter().for_each(|at| self.wake_output(out, at));
        }
        self.stop_waiting(out, t);
        let packet = self.records.add_packet(Packet {
            head_in: NEVER,
            tail_in: NEVER,
            message: entry.current,
            bytes,
            next: NONE,
            port: out,
            hop: 0,
            spoilt: false,
        });
        self.send(out, number, packet, t);
        if O::WATCHES {
            self.report_sent(packet);
        }
        self.sent_from_host::<O>(host, bytes, t);
    }

    /// The host's output waits for credits no more.
    pub(super) fn stop_waiting(&mut self, out: u32, t: u64) {
        let output = &mut self.outs[out as usize];
        output.lanes_waiting = 0;
        if output.since != NEVER {
            output.used.blocked += t - output.since;
            output.since = NEVER;
        }
    }

    /// A packet of a host leaves from cycle `t` on: sees to the next one, or to the next message.
    fn sent_from_host<O: Observer>(&mut self, host: u32, bytes: u32, t: u64) {
        let entry = &mut self.hosts[host as usize];
        let output = &self.outs[entry.out as usize];
        let (out, free) = (entry.out, output.free);
        entry.unsent -= bytes;
        if entry.unsent > 0 {
            return self.wake_output(out, free);
        }
        let last = t + u64::from(bytes - 1) * u64::from(output.period);
        let message = std::mem::replace(&mut entry.current, NONE);
        entry.free = last + 1;
        if self.tells_departures {
            entry.departs = last;
            self.calendar.schedule(last, OVER, Event::Depart { host });
        }
        if O::WATCHES {
            self.reports.released(last, out, out, self.identity_of(message));
        }
        self.plan_start(host);
    }

    /// P5: the tail of the host's message has left.
    pub(super) fn depart(&mut self, host: u32, t: u64) {
        let entry = &mut self.hosts[host as usize];
        if entry.departs == t {
            entry.departs = NEVER;
            self.departures.push(host);
        }
    }

    /// P0: the host's cable has failed: what it has not sent of its message is dropped.
    pub(super) fn drop_unsent<O: Observer>(&mut self, host: u32, t: u64) {
        let entry = &mut self.hosts[host as usize];
        entry.departs = NEVER;
        if entry.current == NONE {
            return;
        }
        let message = std::mem::replace(&mut entry.current, NONE);
        let pieces = std::mem::replace(&mut entry.unsent, 0).div_ceil(self.parameters.mtu);
        let output = &self.outs[entry.out as usize];
        // What is being sent keeps its schedule.
        let sent_last = if output.bytes == 0 { 0 } else { output.free - u64::from(output.period) + 1 };
        entry.free = sent_last.max(t);
        let out = entry.out;
        self.stop_waiting(out, t);
        self.records.strike(message, Cause::LinkFailure, t);
        if O::WATCHES {
            self.reports.released(t, out, out, self.identity_of(message));
        }
        self.end_pieces(message, pieces, None);
        self.plan_start(host);
    }

    /// P0: the host's cable has returned.
    pub(super) fn retry_host(&mut self, host: u32) {
        let entry = &mut self.hosts[host as usize];
        if std::mem::take(&mut entry.waits_for_cable) {
            self.plan_start(host);
        }
    }
}
