//! A hop at which a worm meets no other: P3a to P5 at once.
//!
//! Most heads are decoded when no other worm asks for their output, holds it or is stopped in front of it. What P3 to
//! P5 will do with such a worm is then known, and nothing that they do to any other port of the cycle depends on when
//! it is done:
//!
//! ```text
//!   P3a  the unit is free again; the head asks for an output    pass    all of it with the records of the port,
//!   P3c  nobody else does: it is granted                         |      the switch, the worm and the output at
//!   P4   the head leaves, the tail is foreseen                   |      hand once
//!   P5   no STOP, no GO, no prediction                           v
//!        the port at the far end, if it is idle, is written      enter
//! ```
//! Exact where the channels carry a flit a cycle, one head at a time is decoded of those for an output, so that no
//! other asks for it in this cycle, and each condition of [`Engine::pass`] holds: the worm's rest is in the buffer or
//! follows without a gap, no other worm is there, the buffer neither fills up to STOP nor is stopped, nobody waits
//! for the tail, which does not leave in this cycle already, and the output is free and may send. An output counts as
//! free once the tail of its owner has left: the owner's port is spent (`is_spent`) then, and what its record tells of
//! that worm and its output is of the past; who looks at it next clears it or writes over it. Where a condition does
//! not hold, `pass` leaves everything as it was, and the phases take their course ([`Engine::route`]). They do so for
//! every worm of a fabric that is watched, or whose events are shuffled: tests compare both with this way, and all
//! three with the oracle.

use super::engine::{DATA, Engine, Event, ROUTES};
use super::parameters::Arbitration;
use super::ports::{NEVER, NONE, State};

impl<const EQUAL: bool> Engine<EQUAL> {
    /// Lets the worm in front of `port`, whose head is decoded in `t`, pass the switch if it meets no other; whether it
    /// has.
    #[inline(never)]
    pub(super) fn pass<const PER_OUTPUT: bool>(&mut self, port: u32, t: u64) -> bool {
        // Slices of this function's own: what is written to one record tells nothing of where another lies.
        let (ins, outs, switches) = (&mut self.ins[..], &mut self.outs[..], &mut self.switches[..]);
        let entry = &ins[port as usize];
        // A head that asks for no output has no unit of one: not for here.
        if PER_OUTPUT && entry.out == NONE {
            return false;
        }
        let number = if PER_OUTPUT { self.output_units + entry.out } else { entry.node };
        let unit = &mut switches[number as usize];
        if unit.busy != t || unit.current != port || unit.killed {
            return false;
        }
        debug_assert!(entry.state == State::Routing && entry.t <= t, "the head in front was being decoded");
        // No turn left, an illegal turn, no time left: not for here.
        let (worm, out) = (entry.front, entry.out);
        if out == NONE {
            return false;
        }
        let record = &mut self.worms[worm];
        if record.expires <= t {
            return false;
        }
        let (arrived, in_rem) = entry.arrived(t);
        // With the route flit of this switch taken off, which never leaves.
        let (occ, out_rem) = (entry.occ + arrived - 1, entry.out_rem - 1);
        // Its rest is here or follows without a gap, no other is there, and it does not leave in this cycle already.
        if entry.segments > 1 || entry.touched || out_rem < 2 || !entry.in_on && in_rem > 0 {
            return false;
        }
        // The buffer neither fills up to STOP nor empties down to GO.
        if entry.stop_sent || occ >= self.switch.stop {
            return false;
        }
        let output = &mut outs[out as usize];
        if !output.go || output.wait != 0 || output.dead {
            return false;
        }
        if output.owner != NONE {
            // The port of a worm whose tail has left is brought up to date when it is looked at next.
            let owning = &ins[output.owner as usize];
            if !owning.is_spent(t) {
                return false;
            }
            output.fall_free(owning.exit + 1);
        }
        output.belong_to(port, u64::from(out_rem), t);
        unit.ends_decoding(port, ins);
        // Round robin at the output as at the unit; those at outputs serve all inputs as well.
        output.pointer = unit.pointer;
        let (peer, arrival) = (output.peer, t + u64::from(output.delay));
        record.left -= 1;
        let flits = record.flits();
        if unit.pending != 0 && !unit.listed {
            unit.listed = true;
            self.is_listed = true;
            self.units.push(number);
        }
        self.decoded[if PER_OUTPUT { out } else { port } as usize] += 1;
        let entry = &mut ins[port as usize];
        let exit = t + u64::from(out_rem) - 1;
        entry.t = t;
        entry.state = State::Connected;
        (entry.occ, entry.in_rem, entry.out_rem) = (occ, in_rem, out_rem);
        (entry.in_on, entry.out_on, entry.head_sent) = (in_rem > 0, true, true);
        (entry.exit, entry.pred) = (exit, NEVER);
        if peer >= self.switch_ports {
            record.head_at = arrival;
            record.too_soon = record.left > 0;
            let tail = arrival + u64::from(out_rem) - 1;
            self.worms.expect_tail(worm, peer, tail);
            self.calendar.schedule(tail, DATA, Event::Deliver { port: peer, worm });
        } else {
            self.enter(peer, worm, flits, t, arrival);
        }
        if cfg!(debug_assertions) {
            self.check_alone(port, t);
        }
        true
    }

    /// Lets the message that has just started at the transmitter `port` in `t` leave if its cable may send and leads to
    /// a switch; whether it has. All of it is there, so nothing but STOP can come between head and tail.
    #[inline]
    pub(super) fn depart(&mut self, port: u32, t: u64) -> bool {
        let entry = &mut self.ins[port as usize];
        let output = &self.outs[entry.out as usize];
        let (peer, arrival) = (output.peer, t + u64::from(output.delay));
        if !output.go || peer >= self.switch_ports || entry.out_rem < 2 || entry.touched {
            return false;
        }
        debug_assert!(output.owner == port && output.wait == 0, "a cable of a host is that host's");
        (entry.out_on, entry.head_sent) = (true, true);
        (entry.exit, entry.pred) = (t + u64::from(entry.out_rem) - 1, NEVER);
        let (worm, flits) = (entry.front, entry.out_rem);
        self.enter(peer, worm, flits, t, arrival);
        if cfg!(debug_assertions) {
            self.check_alone(port, t);
        }
        true
    }

    /// Sends a head in `t` to the switch's port that it reaches in `arrival`; whether it is foreseen there.
    ///
    /// At an idle port whose switch is idle, or decodes one other head before, it is known when it will be decoded. The
    /// port is written as it will be at its arrival, and one event (the end of decoding) stands for three. A head that
    /// asks for the unit before takes it back ([`request_unit`](Self::request_unit)).
    #[inline(always)]
    pub(super) fn enter(&mut self, port: u32, worm: u32, flits: u32, t: u64, arrival: u64) -> bool {
        debug_assert!(EQUAL && port < self.switch_ports && arrival > t, "no cable is crossed in no time");
        let (ins, outs) = (&mut self.ins[..], &mut self.outs[..]);
        let (entry, latency) = (&mut ins[port as usize], self.switch.routing_latency);
        // What is left in the record of a worm whose tail has left is overwritten.
        let is_spent = entry.is_spent(t);
        let is_free = (is_spent || entry.is_empty()) && entry.flying == 0 && !entry.stop_sent;
        let unit = &mut self.switches[entry.node as usize];
        let reserved = match self.switch.arbitration {
            _ if !is_free => None,
            Arbitration::Serial => unit.reserve(port, arrival, latency),
            Arbitration::PerInput => match &mut self.headers {
                Some(headers) => Some(headers.enter(port, worm, arrival)),
                None => Some(arrival + latency),
            },
            Arbitration::PerOutput => return self.enter_by_reserving(port, worm, flits, (t, arrival), 1),
        };
        let Some(decoded) = reserved else {
            entry.flying += 1;
            self.calendar.schedule(arrival, DATA, Event::Head { port, worm });
            return false;
        };
        if is_spent {
            let output = &mut outs[entry.out as usize];
            if output.owner == port {
                output.fall_free(entry.exit + 1);
            }
        }
        let local =
            self.worms.next_output(worm, port - unit.base).filter(|local| *local < u32::from(unit.ports));
        let out = local.map_or(NONE, |local| unit.base + local);
        entry.expect(worm, flits, out, (arrival, decoded));
        entry.pred = NEVER;
        self.calendar.schedule(decoded, ROUTES, Event::Route { port });
        // A head that is decoded before the buffer has filled to its mark, as nearly all are, predicts nothing.
        if flits >= self.switch.stop && decoded - arrival >= u64::from(self.switch.stop) {
            self.predict(port);
        }
        true
    }
}
