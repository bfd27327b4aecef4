//! P2' to P3c: heads are decoded, wait for an output, and get it.
//!
//! ```text
//!   Idle --request_unit--> Pending --assign_units--> Routing --route--> Waiting --grant--> Connected
//!     \---------(a unit an input: decoding begins at once)---^   \--> Draining (no such turn, no wire, expired)
//!
//!   head sent   arrives               decoded
//!     t      ..   t + d       ..    t + d + R      reserve: all of this is foreseen in t if switch and port are idle,
//!                                                  and taken back if another head is pending up to t + d
//!
//!   a unit:  [ current: decodes up to busy ][ queued: from busy, or its arrival, R cycles ]
//!                                                  a second head is foreseen behind the first, and taken back if a
//!                                                  third is pending before the first is decoded: round robin decides
//! ```
//! What comes to the front of its port when a tail has left is foreseen likewise (`come_to_front`).
//!
//! With a pipeline of headers at every input ([`super::headers`]) it is known at a head's arrival when it is decoded.
//!
//! # Source
//! Sancho and Robles 2000, section 5.1: the arbiter of a switch "processes one message header at a time", in 150 ns,
//! which are 24 cycles. Neither paper says who comes next: round robin is our choice.

use super::endpoint::{Cause, Observer};
use super::engine::{CONTROL, Engine, Event, ROUTES};
use super::parameters::Arbitration;
use super::ports::{NEVER, NO_INPUT, NONE, State, first_from};
use simnet_base::units::Cycle;

impl<const EQUAL: bool> Engine<EQUAL> {
    /// The output is not blocked any more from cycle `t` on.
    #[inline]
    pub(super) fn unblock(&mut self, out: u32, t: u64) {
        self.outs[out as usize].unblock(t);
    }

    /// P2': the head in front of an idle port wants to be decoded.
    pub(super) fn request_unit(&mut self, port: u32, t: u64) {
        let entry = &self.ins[port as usize];
        debug_assert!(entry.state == State::Idle && entry.segments > 0, "a head has come to the front");
        debug_assert!(
            entry.out_rem > 0 && entry.front != NONE,
            "a switch decodes, and all of it is to leave"
        );
        let out = self.unit_asked_for(port, entry.front);
        let number = self.unit_for(port, out);
        if number == NONE {
            let front = entry.front;
            let decoded = match self.headers_at(port) {
                Some(headers) => headers.decoded(front),
                None => t + self.latency(port),
            };
            return self.will_decode(port, decoded);
        }
        let entry = &mut self.ins[port as usize];
        (entry.state, entry.out) = (State::Pending, out);
        self.revoke_queued(number, t, t + 1);
        let unit = &self.switches[number as usize];
        // Busy until R cycles from now or later means busy from now on at the earliest: not decoding, but reserved.
        if unit.busy != NEVER && unit.busy >= t + self.switch.routing_latency {
            self.revoke(number, t);
        }
        self.set_pending(number, port);
    }

    /// The output at whose unit the head of `worm` is decoded at `port`; [`NONE`] if it is decoded elsewhere.
    #[inline]
    fn unit_asked_for(&self, port: u32, worm: u32) -> u32 {
        match self.switch.arbitration {
            Arbitration::PerOutput => self.output_for(worm, port).unwrap_or(NONE),
            Arbitration::Serial | Arbitration::PerInput => NONE,
        }
    }

    /// The number of the routing unit for heads that come to `port` and ask for `out`; [`NONE`] if the port decodes
    /// them for itself.
    #[inline]
    fn unit_for(&self, port: u32, out: u32) -> u32 {
        match self.switch.arbitration {
            _ if self.is_relay(port) => NONE,
            Arbitration::Serial => self.ins[port as usize].node,
            Arbitration::PerOutput if out != NONE => self.output_units + out,
            Arbitration::PerInput | Arbitration::PerOutput => NONE,
        }
    }

    /// The number of the routing unit that decodes the head in front of `port`, or will; [`NONE`] if there is none.
    #[inline]
    pub(super) fn unit_of(&self, port: u32) -> u32 {
        debug_assert!(self.decodes(port), "a switch decodes");
        self.unit_for(port, self.ins[port as usize].out)
    }

    /// The head behind a tail that has left is seen in `t`, the cycle after it. If its unit can be reserved, the end of
    /// its decoding is scheduled at once; otherwise P2' of that cycle asks for the unit.
    pub(super) fn come_to_front(&mut self, port: u32, t: u64) {
        debug_assert!(t == self.now + 1, "a tail with a head behind it leaves with an event");
        let entry = &self.ins[port as usize];
        debug_assert!(entry.state == State::Idle && entry.segments > 0, "a head has come to the front");
        let front = entry.front;
        if let Some(headers) = self.headers_at(port) {
            let decoded = headers.decoded(front).max(t);
            return self.will_decode(port, decoded);
        }
        let entry = &self.ins[port as usize];
        let latency = self.switch.routing_latency;
        let number = self.unit_for(port, self.unit_asked_for(port, entry.front));
        let unit = self.switches.get_mut(number as usize);
        let Some(decoded) = unit.and_then(|unit| unit.reserve(port, t, latency)) else {
            self.is_listed = true;
            self.pending_next.push(port);
            return;
        };
        self.will_decode(port, decoded);
    }

    /// The head in front of `port` is decoded, or will be, up to cycle `decoded`.
    fn will_decode(&mut self, port: u32, decoded: u64) {
        let out = self.asked_output(port).unwrap_or(NONE);
        let entry = &mut self.ins[port as usize];
        entry.state = State::Routing;
        (entry.exit, entry.out) = (decoded, out);
        self.calendar.schedule(decoded, ROUTES, Event::Route { port });
    }

    /// Reserves the routing unit for the head of `worm` that is sent to `port` in `t` and arrives in `arrival`, if the
    /// port is idle and nothing else is on its way; gives the cycle in which it will have been decoded. An earlier
    /// event revokes it.
    #[inline]
    pub(super) fn reserve(&mut self, port: u32, worm: u32, t: u64, arrival: u64) -> Option<u64> {
        debug_assert!(arrival > t, "no cable is crossed in no time");
        debug_assert!(self.decodes(port), "a switch decodes");
        let entry = &self.ins[port as usize];
        if entry.has_finished(t) && entry.segments == 1 && !entry.touched {
            self.bring_to(port, t);
        }
        let entry = &self.ins[port as usize];
        let latency = self.latency(port);
        if !entry.is_idle() {
            return None;
        }
        if let Some(headers) = self.headers_at(port) {
            return Some(headers.enter(port, worm, arrival));
        }
        let number = self.unit_for(port, self.unit_asked_for(port, worm));
        if number == NONE {
            return Some(arrival + latency);
        }
        self.switches[number as usize].reserve(port, arrival, latency)
    }

    /// Takes back the reservation of a unit: another head is pending in cycle `t`, not later than the head
    /// for which the unit was reserved.
    fn revoke(&mut self, number: u32, t: u64) {
        let unit = &mut self.switches[number as usize];
        debug_assert!(unit.current != NONE && unit.busy != NEVER, "the unit is reserved");
        debug_assert!(unit.queued == NO_INPUT, "whoever came after it has been seen to");
        debug_assert!(!unit.killed, "for a head that nothing has met yet");
        let (port, start) = (unit.current, unit.busy - self.switch.routing_latency);
        unit.busy = NEVER;
        unit.current = NONE;
        debug_assert!(start >= t, "a unit that has begun is not reserved but busy");
        self.revoke_head(port, t, t + 1);
    }

    /// Takes back the reservation of a unit, if there is one, that decodes, or is reserved for, another head before.
    /// Heads that arrive from cycle `next` on, which is `t` in P0 and the cycle after it from P1 on, are yet to come.
    pub(super) fn revoke_queued(&mut self, number: u32, t: u64, next: u64) {
        let Some(unit) = self.switches.get_mut(number as usize) else { return };
        if unit.queued != NO_INPUT {
            debug_assert!(unit.busy >= t, "its time has not come");
            let port = unit.base + u32::from(std::mem::replace(&mut unit.queued, NO_INPUT));
            self.revoke_head(port, t, next);
        }
    }

    /// The head of `port`, which is destroyed at the end of cycle `t`, has no unit if none has begun to decode it.
    pub(super) fn revoke_not_begun(&mut self, port: u32, t: u64) {
        let (number, latency) = (self.unit_of(port), self.switch.routing_latency);
        let Some(unit) = self.switches.get_mut(number as usize) else { return };
        if unit.current == port && unit.busy > t + latency {
            // It has come to the front in this cycle, at whose end nobody asks for a unit.
            debug_assert!(unit.queued == NO_INPUT && unit.pending == 0, "nobody waits behind it");
            (unit.busy, unit.current) = (NEVER, NONE);
            let entry = &mut self.ins[port as usize];
            (entry.state, entry.exit, entry.out) = (State::Idle, NEVER, NONE);
        } else if unit.base + u32::from(unit.queued) == port {
            self.revoke_queued(number, t, t + 1);
        }
    }

    /// The head of `port` is destroyed while it is decoded. The unit, if there is one, goes on to the end of its time,
    /// without a worm.
    pub(super) fn waste_unit(&mut self, port: u32) {
        let number = self.unit_of(port);
        let Some(unit) = self.switches.get_mut(number as usize) else { return };
        debug_assert!(unit.current == port && !unit.killed, "the unit decodes this head");
        unit.killed = true;
        // What the port names by then may be another output: the end of the time needs an event of its own.
        if self.switch.arbitration == Arbitration::PerOutput {
            self.calendar.schedule(unit.busy, ROUTES, Event::Idle { unit: number });
        }
    }

    /// The head that was to be decoded at `port` is pending in cycle `t`, if it has arrived by then, and round robin
    /// decides. If not, its arrival becomes an event after all.
    fn revoke_head(&mut self, port: u32, t: u64, next: u64) {
        let entry = &mut self.ins[port as usize];
        debug_assert!(entry.state == State::Routing, "the port is written as it will be");
        entry.pred = NEVER;
        entry.exit = NEVER;
        if !entry.is_foreseen(next) {
            entry.state = State::Pending;
            if self.switch.arbitration != Arbitration::PerOutput {
                entry.out = NONE;
            }
            let is_listed = entry.touched;
            self.set_pending(self.unit_of(port), port);
            if !is_listed {
                self.touch(port, t);
            }
            return;
        }
        let (worm, arrival) = (entry.front, entry.t);
        self.forget_reserved_head(port, t);
        self.ins[port as usize].flying += 1;
        self.calendar.schedule(arrival, super::engine::DATA, Event::Head { port, worm });
    }

    /// Empties a port of the head that was written there ahead of its arrival.
    pub(super) fn forget_reserved_head(&mut self, port: u32, t: u64) {
        let entry = &mut self.ins[port as usize];
        debug_assert!(entry.t >= t && entry.segments == 1 && entry.occ == 0, "no flit of it has arrived");
        debug_assert!(entry.in_on && entry.in_rem == entry.out_rem, "and all of them were to");
        debug_assert!(!entry.out_on, "none has been let out");
        let worm = entry.front;
        if let Some(headers) = self.headers_at(port) {
            headers.take_back(port, worm);
        }
        let entry = &mut self.ins[port as usize];
        entry.t = t;
        entry.state = State::Idle;
        (entry.front, entry.back, entry.segments) = (NONE, NONE, 0);
        (entry.in_on, entry.in_rem, entry.out_rem) = (false, 0, 0);
        (entry.pred, entry.exit, entry.out) = (NEVER, NEVER, NONE);
    }

    fn set_pending(&mut self, number: u32, port: u32) {
        let unit = &mut self.switches[number as usize];
        let local = port - unit.base;
        debug_assert!(self.ins[port as usize].state == State::Pending, "who is marked as pending is");
        if unit.ports <= 64 {
            debug_assert!(unit.pending & 1 << local == 0, "a head asks once to be decoded");
            unit.pending |= 1 << local;
        } else {
            unit.pending += 1;
            self.wide_pending.set(number, local);
        }
        self.list_unit(number);
    }

    /// The head in front of a pending port has been destroyed.
    pub(super) fn clear_pending(&mut self, port: u32) {
        let number = self.unit_of(port);
        let unit = &mut self.switches[number as usize];
        let local = port - unit.base;
        debug_assert!(self.ins[port as usize].state == State::Pending, "who was marked as pending is");
        if unit.ports <= 64 {
            debug_assert!(unit.pending & 1 << local != 0, "the head was pending");
            unit.pending &= !(1 << local);
        } else {
            debug_assert!(unit.pending > 0, "heads that are pending are counted");
            unit.pending -= 1;
            self.wide_pending.clear(number, local);
        }
    }

    fn list_unit(&mut self, number: u32) {
        let unit = &mut self.switches[number as usize];
        if unit.busy == NEVER && unit.pending != 0 && !unit.listed {
            unit.listed = true;
            self.is_listed = true;
            self.units.push(number);
        }
    }

    /// P2': heads that have come to the front of their port.
    pub(super) fn request_units(&mut self, t: u64) {
        self.shuffle_list(|engine| &mut engine.pending_next);
        let mut ports = std::mem::take(&mut self.pending_next);
        for port in ports.drain(..) {
            let entry = &self.ins[port as usize];
            debug_assert!(port < self.transmitters, "heads come to be decoded at switches");
            debug_assert!(
                matches!(entry.state, State::Idle | State::Pending | State::Routing),
                "in one cycle no head comes further than to its decoding"
            );
            // A forward reset at the end of the last cycle may have destroyed the head.
            if entry.state == State::Idle && entry.segments > 0 {
                self.request_unit(port, t);
            }
        }
        self.pending_next = ports;
    }

    /// P3b: idle units take a pending head each.
    pub(super) fn assign_units(&mut self, t: u64) {
        self.shuffle_list(|engine| &mut engine.units);
        let mut units = std::mem::take(&mut self.units);
        for number in units.drain(..) {
            let unit = &mut self.switches[number as usize];
            unit.listed = false;
            if unit.busy != NEVER || unit.pending == 0 {
                continue;
            }
            let local = if unit.ports <= 64 {
                first_from(unit.pending, u32::from(unit.pointer))
            } else {
                self.wide_pending.first_from(number, u32::from(unit.pointer))
            };
            let port = unit.base + local;
            debug_assert!(local < u32::from(unit.ports), "only a port of the switch is pending");
            debug_assert!(unit.current == NONE, "an idle unit decodes for nobody");
            debug_assert!(self.ins[port as usize].state == State::Pending, "every head that asks is pending");
            unit.busy = t + self.switch.routing_latency;
            unit.current = port;
            let busy = unit.busy;
            self.clear_pending(port);
            self.will_decode(port, busy);
        }
        self.units = units;
    }

    /// P3a: a routing unit is done with the head in front of `port`.
    #[inline(always)]
    pub(super) fn route<O: Observer>(&mut self, port: u32, t: u64, observer: &mut O) {
        // What is watched, or shuffled by a test, goes the long way.
        let is_plain = EQUAL && !O::WATCHES && self.shuffle.is_none();
        let passes = match self.switch.arbitration {
            Arbitration::Serial => is_plain && self.pass::<false>(port, t),
            Arbitration::PerInput => false,
            Arbitration::PerOutput => is_plain && self.pass::<true>(port, t),
        };
        if !passes {
            self.route_by_phases(port, t, observer);
        }
    }

    /// The same for a worm that has met another, or is watched: P3b to P5 follow.
    #[inline(never)]
    fn route_by_phases<O: Observer>(&mut self, port: u32, t: u64, observer: &mut O) {
        if !self.ends_decoding(port, t) {
            return self.discount();
        }
        debug_assert!(self.ins[port as usize].state == State::Routing, "the head in front was being decoded");
        self.sync(port, t);
        debug_assert!(self.ins[port as usize].occ > 0, "a head that is decoded is there");
        match self.decode(port, t) {
            Ok(out) => self.request_output(port, out, t, observer),
            Err(cause) => {
                let front = self.ins[port as usize].front;
                self.worms.strike(front, cause, t, false);
                self.list(port, t);
                self.start_draining(port);
            }
        }
    }

    /// Frees the routing unit that was to decode the head in front of `port` up to `t`; whether it has done so.
    #[inline]
    fn ends_decoding(&mut self, port: u32, t: u64) -> bool {
        let entry = &self.ins[port as usize];
        let ends = entry.state == State::Routing && entry.exit == t;
        match self.switch.arbitration {
            Arbitration::Serial if !self.is_relay(port) => {
                // Told by the unit and not by the port: one whose head was destroyed may have another pending by now.
                let unit = &self.switches[entry.node as usize];
                unit.busy == t && unit.current == port && self.free_unit(entry.node, port)
            }
            Arbitration::PerOutput if ends && self.unit_of(port) != NONE => {
                self.free_unit(self.unit_of(port), entry.out)
            }
            Arbitration::PerOutput if !self.is_relay(port) => ends,
            Arbitration::Serial | Arbitration::PerInput | Arbitration::PerOutput => {
                self.decoded[port as usize] += u64::from(ends);
                ends
            }
        }
    }

    /// A unit is done with a head, which is counted `at` a port, and may take another; whether the head is there still.
    fn free_unit(&mut self, number: u32, at: u32) -> bool {
        let unit = &mut self.switches[number as usize];
        let port = unit.current;
        unit.ends_decoding(port, &self.ins);
        let killed = std::mem::take(&mut unit.killed);
        if unit.pending != 0 && !unit.listed {
            unit.listed = true;
            self.is_listed = true;
            self.units.push(number);
        }
        self.decoded[at as usize] += 1;
        !killed
    }

    /// P3a: the unit of an output has spent its time on a head that was destroyed.
    #[cold]
    pub(super) fn unit_is_idle(&mut self, number: u32, t: u64) {
        let unit = &self.switches[number as usize];
        debug_assert!(unit.busy == t && unit.killed, "it was busy up to now with a head that is no more");
        self.free_unit(number, number - self.output_units);
    }

    #[inline]
    fn decode(&self, port: u32, t: u64) -> Result<u32, Cause> {
        let entry = &self.ins[port as usize];
        if self.worms[entry.front].expires <= t {
            return Err(Cause::Expired);
        }
        if entry.out == NONE {
            return self.asked_output(port);
        }
        debug_assert!(self.asked_output(port) == Ok(entry.out), "a worm's route is what it was");
        if self.outs[entry.out as usize].dead { Err(Cause::NoSuchWire) } else { Ok(entry.out) }
    }

    /// The output that the front head of `port` asks for, wire or not.
    pub(super) fn asked_output(&self, port: u32) -> Result<u32, Cause> {
        let entry = &self.ins[port as usize];
        debug_assert!(entry.front != NONE, "a head at a switch asks");
        self.output_for(entry.front, port)
    }

    /// The output that the head of `worm` asks for at `port`, wire or not.
    fn output_for(&self, worm: u32, port: u32) -> Result<u32, Cause> {
        debug_assert!(self.decodes(port), "a head at a switch asks");
        let unit = &self.switches[self.ins[port as usize].node as usize];
        let local = self.worms.next_output(worm, port - unit.base).ok_or(Cause::Stranded)?;
        if local < u32::from(unit.ports) { Ok(unit.base + local) } else { Err(Cause::IllegalTurn) }
    }

    /// The front worm of `port` is eaten, from P4 of this cycle on.
    pub(super) fn start_draining(&mut self, port: u32) {
        debug_assert!(self.decodes(port), "a switch drains");
        let entry = &mut self.ins[port as usize];
        debug_assert!(entry.segments > 0 && entry.out_rem > 0, "there is a worm to drain");
        debug_assert!(entry.state != State::Draining, "and drains it once");
        entry.state = State::Draining;
        entry.out = NONE;
        entry.exit = NEVER;
        entry.out_on = false;
        entry.head_sent = false;
    }

    #[inline]
    fn request_output<O: Observer>(&mut self, port: u32, out: u32, t: u64, observer: &mut O) {
        debug_assert!(!self.outs[out as usize].dead, "no head waits for a failed cable");
        let entry = &mut self.ins[port as usize];
        debug_assert!(entry.state == State::Routing && entry.t == t, "a head asks once it is decoded");
        debug_assert!(
            entry.out == out && !entry.out_on,
            "for the output that was foreseen, and has none yet"
        );
        entry.state = State::Waiting;
        entry.exit = NEVER;
        let owner = self.owner_at(out, t);
        let output = &mut self.outs[out as usize];
        if owner == NONE && output.wait == 0 && self.switch.arbitration != Arbitration::PerInput {
            // One head a unit and cycle: no other head can request this output now.
            self.grant(port, out, t, observer);
            self.leave(port, t, observer);
            return;
        }
        // P5 would find nothing in a buffer that cannot fill to its mark.
        let entry = &mut self.ins[port as usize];
        let is_level_safe = !entry.stop_sent && entry.occ + entry.in_rem < self.switch.stop;
        if EQUAL && !O::WATCHES && is_level_safe && !entry.touched {
            entry.pred = NEVER;
        } else {
            self.list(port, t);
        }
        self.set_waiting(port, out);
        if O::WATCHES {
            self.note_request(port, owner != NONE);
            if owner != NONE {
                let (input, output) = (self.wiring.end(port), self.wiring.end(out));
                observer.waits(Cycle(t), input, output, self.identity(self.ins[port as usize].front));
            }
        }
        let expires = self.worms[self.ins[port as usize].front].expires;
        if expires != NEVER {
            self.calendar.schedule(expires, CONTROL, Event::Expire { port });
        }
        let output = &mut self.outs[out as usize];
        if owner == NONE {
            self.is_listed = true;
            self.requests.push(out);
            return;
        }
        // A worm waits now: the tail of the owner matters from here on, and the owner's blocked time may begin.
        debug_assert!(output.owner != port && output.wait != 0, "it waits for another worm to leave");
        output.since = output.since.min(t);
        let stopped = !output.go;
        self.care_for_exit(owner);
        if stopped {
            self.suspect(port);
        }
    }

    /// P2a: heads that wait for an output and whose time to live is over are turned away.
    #[cold]
    pub(super) fn turn_away_expired(&mut self, t: u64) {
        for port in std::mem::take(&mut self.expired) {
            let entry = &self.ins[port as usize];
            let (front, out) = (entry.front, entry.out);
            // The head that the event was meant for may have gone, and another may be there.
            if entry.state != State::Waiting || self.worms[front].expires > t {
                continue;
            }
            debug_assert!(self.worms[front].expires == t, "no head waits beyond its time to live");
            debug_assert!(!self.ins[port as usize].head_sent, "none of its flits has gone on");
            self.touch(port, t);
            self.deadlock_hit(port, out, t);
            self.clear_waiting(port, out);
            let output = &self.outs[out as usize];
            if output.wait == 0 && output.go {
                self.unblock(out, t);
            }
            self.worms.strike(front, Cause::Expired, t, false);
            self.start_draining(port);
        }
    }

    fn set_waiting(&mut self, port: u32, out: u32) {
        let entry = &self.ins[port as usize];
        debug_assert!(entry.state == State::Waiting && entry.out == out, "who is marked as waiting is");
        debug_assert!(entry.node == self.ins[out as usize].node, "an output serves the inputs of its switch");
        let unit = &self.switches[self.ins[port as usize].node as usize];
        let local = port - unit.base;
        if unit.ports <= 64 {
            debug_assert!(self.outs[out as usize].wait & 1 << local == 0, "a head asks once for its output");
            self.outs[out as usize].wait |= 1 << local;
        } else {
            self.outs[out as usize].wait += 1;
            self.wide_waits.set(out, local);
        }
    }

    /// The head in front of `port` does not wait for its output any more.
    pub(super) fn clear_waiting(&mut self, port: u32, out: u32) {
        debug_assert!(self.ins[port as usize].state == State::Waiting, "who was marked as waiting is");
        debug_assert!(self.ins[port as usize].out == out, "and for this output");
        let unit = &self.switches[self.ins[port as usize].node as usize];
        let local = port - unit.base;
        if unit.ports <= 64 {
            debug_assert!(self.outs[out as usize].wait & 1 << local != 0, "the head waited");
            self.outs[out as usize].wait &= !(1 << local);
        } else {
            debug_assert!(self.outs[out as usize].wait > 0, "heads that wait are counted");
            self.outs[out as usize].wait -= 1;
            self.wide_waits.clear(out, local);
        }
    }

    /// The input port waiting for `out` that is first in turn.
    pub(super) fn first_waiting(&self, out: u32, node: u32) -> u32 {
        let (output, unit) = (&self.outs[out as usize], &self.switches[node as usize]);
        let pointer = u32::from(output.pointer);
        debug_assert!(output.wait != 0 && pointer < u32::from(unit.ports), "one of the inputs waits");
        let local = if unit.ports <= 64 {
            first_from(output.wait, pointer)
        } else {
            self.wide_waits.first_from(out, pointer)
        };
        debug_assert!(local < u32::from(unit.ports), "only a port of the switch waits");
        unit.base + local
    }

    /// P3c: free outputs with heads waiting are granted.
    pub(super) fn arbitrate<O: Observer>(&mut self, t: u64, observer: &mut O) {
        let mut late = std::mem::take(&mut self.requests_next);
        self.requests.append(&mut late);
        self.requests_next = late;
        self.shuffle_list(|engine| &mut engine.requests);
        let mut requests = std::mem::take(&mut self.requests);
        for out in requests.drain(..) {
            debug_assert!(self.decodes(out), "heads wait for outputs of switches");
            // Listed twice where a tail left and a head was decoded for it: the first entry has served both.
            if self.owner_at(out, t) != NONE || self.outs[out as usize].wait == 0 {
                continue;
            }
            let node = self.ins[out as usize].node;
            let port = self.first_waiting(out, node);
            debug_assert!(self.ins[port as usize].state == State::Waiting, "every listed port waits");
            debug_assert!(self.ins[port as usize].out == out, "and for this output");
            self.clear_waiting(port, out);
            self.sync(port, t);
            self.grant(port, out, t, observer);
            self.leave(port, t, observer);
            if O::WATCHES {
                self.report_waiting(out, node, t, observer);
            }
        }
        self.requests = requests;
    }

    /// P3c: `port` gets `out`; its route flit is taken off.
    #[inline]
    fn grant<O: Observer>(&mut self, port: u32, out: u32, t: u64, observer: &mut O) {
        let entry = &mut self.ins[port as usize];
        debug_assert!(entry.state == State::Waiting && entry.out == out, "it has asked for this output");
        debug_assert!(entry.occ > 0 && entry.t == t, "the head is there");
        entry.state = State::Connected;
        entry.head_sent = false;
        // The route flit of this switch is taken off (Mainwaring et al. 1997, section 2.1): it never leaves.
        entry.occ -= 1;
        entry.out_rem -= 1;
        debug_assert!(entry.out_rem > 0, "a worm has flits behind its route");
        let output = &mut self.outs[out as usize];
        debug_assert!(output.owner == NONE && output.since == NEVER, "a free output is not blocked");
        debug_assert!(!output.dead, "and its cable works");
        output.belong_to(port, u64::from(entry.out_rem), t);
        let unit = &self.switches[entry.node as usize];
        output.pointer = unit.after(port);
        if output.wait != 0 || !output.go {
            output.since = t;
        }
        let stopped = !output.go;
        let front = entry.front;
        debug_assert!(self.worms[front].left > 0, "a route flit is left to be taken off");
        debug_assert!(self.worms[front].expires > t, "and its time to live is not over");
        self.worms[front].left -= 1;
        if O::WATCHES {
            let (input, output) = (self.wiring.end(port), self.wiring.end(out));
            self.note_holder(port);
            observer.granted(Cycle(t), input, output, self.identity(front));
        }
        if stopped {
            self.suspect(port);
        }
    }

    /// The output is free from cycle `t` on, which is the next or has gone by without a waiting head.
    #[inline]
    pub(super) fn release(&mut self, out: u32, t: u64) {
        debug_assert!(self.outs[out as usize].wait == 0 || self.decodes(out), "heads wait at switches");
        let output = &mut self.outs[out as usize];
        output.fall_free(t);
        if output.wait != 0 {
            debug_assert!(!output.dead, "heads wait for cables that work");
            self.is_listed = true;
            self.requests_next.push(out);
        }
    }
}
