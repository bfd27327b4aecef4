//! What holds at the end of every cycle. Debug builds check it of all that a cycle has touched, and of everything when
//! no event is left: in each of the first cycles of a fabric, and then in [one of eight](is_due).
//!
//! Functions assert what they need and what they promise; here stands what ties records to each other: a port to the
//! output that it owns, an output to the heads that wait for it, a switch to the head that it decodes. Each rule fails
//! by its own name.

use super::endpoint::{Ended, Fate};
use super::engine::Engine;
use super::parameters::Arbitration;
use super::ports::{InPort, NEVER, NO_INPUT, NONE, State};

/// So many cycles of a fabric, four tenths of a millisecond, are checked each.
const EACH: u64 = 1 << 16;

/// Whether cycle `t` is checked: of long runs one in eight, wherever it falls, or checks would cost more than the run.
fn is_due(t: u64) -> bool {
    // A multiplicative hash (Knuth, The Art of Computer Programming 3, 6.4): no period of the traffic hides from it.
    t < EACH || t.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 61 == 0
}

impl<const EQUAL: bool> Engine<EQUAL> {
    /// Checks what cycle `t` has touched, if it is due, with all that it names. Costs O(ports touched).
    pub(super) fn check_cycle(&self, t: u64) {
        if !is_due(t) {
            return;
        }
        assert!(
            self.units.is_empty() && self.requests.is_empty(),
            "P3 has served all that asked in this cycle"
        );
        assert!(
            self.expired.is_empty() && self.unwired.is_empty(),
            "what struck in this cycle has had its effect"
        );
        let are_ports = |list: &[u32]| list.iter().all(|port| self.decodes(*port));
        assert!(are_ports(&self.pending_next), "heads come to be decoded at switches");
        assert!(are_ports(&self.requests_next), "heads wait for outputs of switches");
        for &port in &self.touched {
            self.check_settled(port, t);
        }
    }

    /// Checks a port that cycle `t` has settled, if it is due, with all that it names.
    pub(super) fn check_settled(&self, port: u32, t: u64) {
        if !is_due(t) {
            return;
        }
        let entry = &self.ins[port as usize];
        assert!(!entry.touched && entry.t > t, "every port touched is settled to the end of the cycle");
        self.check_port(port);
        self.check_marks(port);
        if entry.out != NONE {
            self.check_output(entry.out);
            self.check_channel(entry.out, t + 1);
        }
        if port < self.transmitters {
            self.check_control(port, t);
        }
        if self.decodes(port) {
            let number = self.unit_of(port);
            self.check_unit(if number == NONE { entry.node } else { number });
        } else {
            self.check_host(entry.node);
        }
    }

    /// Checks a port whose worm has left at once in cycle `t`: P4 and P5 would have found nothing else to do.
    pub(super) fn check_alone(&self, port: u32, t: u64) {
        if !is_due(t) {
            return;
        }
        let entry = &self.ins[port as usize];
        assert!(entry.out_on && entry.head_sent && entry.t == t, "its head is on the cable: {entry:?}");
        self.check_flits(port);
        self.check_marks(port);
        self.check_use(entry.out);
        let mut later = *entry;
        let arrives = u32::from(later.in_on);
        later.occ = later.occ + arrives - 1;
        let crosses =
            if later.stop_sent { later.occ <= self.switch.go } else { later.occ >= self.switch.stop };
        assert!(port >= self.transmitters || !crosses, "a level that crosses its mark is for P5: {later:?}");
        assert!(entry.exit > t && entry.pred > t, "and what is foreseen for it lies ahead: {entry:?}");
    }

    /// Checks everything between two cycles. Costs O(ports + messages).
    pub(super) fn check_all(&self) {
        if !is_due(self.now) {
            return;
        }
        let number = |index: usize| u32::try_from(index).expect("a record's number");
        (0..self.ins.len()).for_each(|port| self.check_port(number(port)));
        (0..self.outs.len()).for_each(|out| self.check_output(number(out)));
        (0..self.switches.len()).for_each(|node| self.check_unit(number(node)));
        (0..self.hosts.len()).for_each(|host| self.check_host(number(host)));
        assert_eq!(
            self.worms.started().count(),
            self.in_flight,
            "a message is in flight from its start to its end"
        );
        assert!(self.starts >= self.in_flight as u64, "what is in flight has started");
        assert!(
            self.touched.is_empty() && self.over.is_empty() && self.departures.is_empty(),
            "a cycle leaves nothing to be settled or reported to the next"
        );
        self.check_deadlocks();
    }

    /// Checks a message that is over, at the end of its last piece. Costs O(1).
    pub(super) fn check_ended(&self, ended: &Ended) {
        assert!(ended.created <= ended.started, "a message starts once it is created: {ended:?}");
        assert!(ended.payload > 0, "a message has a tail: {ended:?}");
        let host = self.hosts[ended.source.index()];
        assert!(host.transmitter != NONE, "a host without a cable sends nothing: {ended:?}");
        let end = match ended.fate {
            Fate::Delivered { head, tail, .. } => {
                assert!(head > ended.started, "no cable is crossed in no time: {ended:?}");
                assert!(head <= tail, "a head comes before its tail: {ended:?}");
                tail
            }
            Fate::Destroyed { at, .. } => at,
        };
        assert!(ended.started <= end, "nothing ends before it starts: {ended:?}");
        assert!(end.0 <= self.now, "nothing is over before it has happened: {ended:?}");
    }

    /// Checks what holds once no event is left: nothing is awaited, so whatever stands still does so for ever. Costs
    /// O(ports).
    pub(super) fn check_rest(&self) {
        if !is_due(self.now) {
            return;
        }
        assert!(
            self.pending_next.is_empty() && self.requests_next.is_empty(),
            "nothing is put off to a cycle that does not come"
        );
        for (port, entry) in (0..).zip(&self.ins) {
            assert!(entry.flying == 0, "a head on a cable has an event: {entry:?}");
            assert!(entry.pred == NEVER, "what is predicted has an event: {entry:?}");
            let decodes = matches!(entry.state, State::Pending | State::Routing);
            assert!(!decodes, "a head that is decoded has an event: {entry:?}");
            self.check_marks(port);
        }
        for (out, output) in (0..).zip(&self.outs) {
            let said = output.dead || output.go != self.ins[output.peer as usize].stop_sent;
            assert!(said, "STOP and GO on a cable have events: {output:?}");
            assert!(output.owner != NONE || output.wait == 0, "no head waits for a free output: {output:?}");
            self.check_channel(out, self.now);
        }
        for unit in &self.switches {
            assert!(unit.busy == NEVER && unit.pending == 0, "a unit that decodes has an event: {unit:?}");
        }
        for host in &self.hosts {
            assert!(host.attempt == NEVER, "a start that is planned has an event: {host:?}");
        }
    }

    fn check_port(&self, port: u32) {
        let entry = &self.ins[port as usize];
        let is_empty = entry.segments == 0;
        assert!(is_empty == (entry.front == NONE), "a port has a front worm if any: {entry:?}");
        assert!(is_empty == (entry.back == NONE), "and a last one: {entry:?}");
        assert!(!is_empty || entry.state == State::Idle, "a port without worms is idle: {entry:?}");
        assert!(!entry.in_on || entry.in_rem > 0, "what flows in is not all there: {entry:?}");
        assert!(!entry.out_on || entry.out_rem > 0, "what flows out has not all left: {entry:?}");
        assert!(
            u32::from(entry.turn) < entry.in_rem || entry.turn == 0 || !entry.in_on && entry.in_rem > 0,
            "an inflow pauses before its end, and goes on if it has one: {entry:?}"
        );
        assert!(entry.turn == 0 || !entry.dead, "what pauses comes over a cable that works: {entry:?}");
        assert!(
            !(entry.out_on || entry.head_sent) || entry.is_leaving(),
            "what flows out is let out: {entry:?}"
        );
        let has_exit = entry.is_leaving() || entry.state == State::Routing;
        assert!(entry.exit == NEVER || has_exit, "nothing else has an end in sight: {entry:?}");
        assert!(entry.exit >= entry.t, "what has come to its end is over: {entry:?}");
        assert!(entry.state != State::Taking || port >= self.switch_ports, "a host alone takes: {entry:?}");
        assert!(entry.pred >= entry.t, "what is predicted lies ahead of what is accounted for: {entry:?}");
        assert!(is_empty == (entry.out_rem == 0), "a worm is there until its tail has left: {entry:?}");
        assert!(!entry.in_on || !entry.dead, "nothing flows in over a failed cable: {entry:?}");
        assert!(!entry.touched, "a port is touched within a cycle, not between two: {entry:?}");
        assert!(
            entry.segments <= 1 || entry.occ >= u32::from(entry.segments),
            "each of the worms in a buffer has a flit there: {entry:?}"
        );
        if let Some(plug) = self.outs.get(port as usize) {
            assert!(plug.dead == entry.dead, "a cable works or fails in both directions: {entry:?} {plug:?}");
            assert!(plug.dead || plug.peer != NONE, "what works is a cable to somewhere: {plug:?}");
        }
        if self.is_sink(port) && port < self.transmitters && !self.is_relay(port) {
            assert!(entry.flying == 0 && is_empty, "a host without a buffer takes what comes: {entry:?}");
        }
        if port >= self.transmitters {
            assert!(entry.segments <= 1 && !entry.stop_sent, "one message after the other: {entry:?}");
            assert!(entry.in_rem == 0 && entry.flying == 0, "all of a message is there at once: {entry:?}");
            let sends = matches!(entry.state, State::Idle | State::Connected);
            assert!(sends, "a transmitter sends or does nothing: {entry:?}");
        }
        self.check_decoding(port);
        self.check_flits(port);
        if port < self.switch_ports {
            assert!(entry.occ <= self.switch.buffer, "the buffer holds what is in it: {entry:?}");
        }
        if port < self.transmitters && !entry.dead {
            let (stop, go) = self.levels(port);
            assert!(
                entry.occ < stop || entry.stop_sent,
                "a buffer filled to its mark has said STOP: {entry:?}"
            );
            assert!(entry.occ > go || !entry.stop_sent, "one emptied to its mark has said GO: {entry:?}");
        }
    }

    /// A head has an output in view from when it is decoded on, or waits for that output's unit.
    fn check_decoding(&self, port: u32) {
        let entry = &self.ins[port as usize];
        let has_output = matches!(entry.state, State::Waiting | State::Connected);
        let at_output = self.switch.arbitration == Arbitration::PerOutput && entry.state == State::Pending;
        let asks = entry.state == State::Routing || at_output;
        assert!(
            asks || has_output == (entry.out != NONE),
            "who waits or is connected has an output: {entry:?}"
        );
        assert!(
            !asks || self.asked_output(port).unwrap_or(NONE) == entry.out,
            "who is decoded has one in view, if its turn is legal: {entry:?}"
        );
        assert!(entry.state != State::Routing || entry.exit != NEVER, "decoding comes to an end: {entry:?}");
        let is_pending = entry.state == State::Pending;
        assert!(
            !is_pending || self.unit_of(port) != NONE,
            "a port that decodes waits for no unit: {entry:?}"
        );
        let is_next = entry.state == State::Idle && entry.segments > 0;
        assert!(
            !is_next || self.pending_next.contains(&port),
            "a head that has come to the front is decoded next: {entry:?}"
        );
        let is_ahead = entry.state == State::Routing && entry.occ == 0;
        assert!(
            !is_ahead || (entry.in_on && entry.in_rem == entry.out_rem),
            "a head that is foreseen comes with all its flits: {entry:?}"
        );
    }

    /// No flit is lost or made: what is here and what is to come is what is to leave, worm by worm.
    fn check_flits(&self, port: u32) {
        let entry = &self.ins[port as usize];
        let (mut leaving, mut worm) = (u64::from(entry.out_rem), entry.front);
        for _ in 1..entry.segments {
            worm = self.worms[worm].next;
            leaving += u64::from(self.worms[worm].flits());
        }
        assert!(worm == entry.back, "the worms of a buffer are linked from the first to the last: {entry:?}");
        let there = u64::from(entry.occ) + u64::from(entry.in_rem);
        assert_eq!(there, leaving, "flits that come are flits that leave: {entry:?}");
        if entry.segments == 0 {
            return;
        }
        let (front, back) = (&self.worms[entry.front], &self.worms[entry.back]);
        assert!(
            entry.is_leaving() || entry.out_rem == front.flits(),
            "a worm that has no way out yet is to leave as a whole: {entry:?} {front:?}"
        );
        // The rest compares with where a head is now. Every turn taken off beyond this port has passed it before.
        if entry.t <= self.now {
            return;
        }
        assert!(
            entry.out_rem <= front.flits(),
            "no more of a worm leaves than there is: {entry:?} {front:?}"
        );
        assert!(entry.in_rem <= back.flits(), "nor does more of one come: {entry:?} {back:?}");
        assert!(
            entry.segments == 1 || entry.in_rem < back.flits(),
            "a worm behind another has its head here: {entry:?} {back:?}"
        );
    }

    /// An input port and its switch agree on what its head waits for.
    fn check_marks(&self, port: u32) {
        let entry = &self.ins[port as usize];
        if !self.decodes(port) {
            return;
        }
        // Without a unit its head may be waiting for an output all the same.
        let number = self.unit_of(port);
        let unit = self.switches.get(number as usize).unwrap_or(&self.switches[entry.node as usize]);
        let decodes = number != NONE && entry.state == State::Routing;
        assert!(
            !decodes || (unit.current == port && !unit.killed) || unit.base + u32::from(unit.queued) == port,
            "who is decoded has the unit: {unit:?} {entry:?}"
        );
        if unit.ports > 64 {
            self.check_wide_marks(port);
            return;
        }
        let mark = 1_u64 << (port - unit.base);
        let is_pending = entry.state == State::Pending;
        assert!(is_pending == (unit.pending & mark != 0), "who is pending is marked: {unit:?} {entry:?}");
        if matches!(entry.state, State::Waiting | State::Connected) {
            let output = &self.outs[entry.out as usize];
            let waits = entry.state == State::Waiting;
            assert!(waits == (output.wait & mark != 0), "who waits is marked: {output:?} {entry:?}");
            assert!(
                (output.owner == port) != waits || entry.is_spent(self.now),
                "who has an output waits for it or owns it until its tail has left: {output:?} {entry:?}"
            );
        }
    }

    /// The same at a switch of more than 64 ports: marks are counted, with the bits elsewhere.
    fn check_wide_marks(&self, port: u32) {
        let entry = &self.ins[port as usize];
        let number = if self.unit_of(port) == NONE { entry.node } else { self.unit_of(port) };
        let unit = &self.switches[number as usize];
        let local = port - unit.base;
        assert!(
            self.wide_pending.has(number, local) == (entry.state == State::Pending),
            "who is pending is marked: {unit:?} {entry:?}"
        );
        assert!(self.wide_pending.count(number) == unit.pending, "and every mark is counted: {unit:?}");
        if matches!(entry.state, State::Waiting | State::Connected) {
            let output = &self.outs[entry.out as usize];
            let waits = entry.state == State::Waiting;
            assert!(
                self.wide_waits.has(entry.out, local) == waits,
                "who waits is marked: {output:?} {entry:?}"
            );
            assert!(
                (output.owner == port) != waits || entry.is_spent(self.now),
                "who has an output waits for it or owns it until its tail has left: {output:?} {entry:?}"
            );
            assert!(self.wide_waits.count(entry.out) == output.wait, "and every mark is counted: {output:?}");
        }
    }

    /// STOP and GO: what a buffer said last is what its sender has heard, unless it is on the cable.
    fn check_control(&self, port: u32, t: u64) {
        let (entry, plug) = (&self.ins[port as usize], &self.outs[port as usize]);
        if entry.dead || self.watch.is_on_cable(port, t) {
            return;
        }
        let sender = &self.outs[plug.peer as usize];
        assert!(sender.peer == port, "a cable leads there and back: {plug:?} {sender:?}");
        assert!(sender.delay == plug.delay, "and is as long both ways: {plug:?} {sender:?}");
        assert!(sender.go != entry.stop_sent, "STOP and GO arrive: {sender:?} {entry:?}");
    }

    /// No flit is lost or made on a cable: at the beginning of cycle `at` its worm has as many flits to come at the far
    /// end as are to be sent at the near end and are on the cable.
    fn check_channel(&self, out: u32, at: u64) {
        let output = &self.outs[out as usize];
        if output.owner == NONE || self.ends_behind(out) {
            return;
        }
        let (sender, receiver) = (&self.ins[output.owner as usize], &self.ins[output.peer as usize]);
        let worm = sender.front;
        // A worm that was struck may be in pieces, and one whose head is on the cable is not known at the far end yet.
        let is_between = !sender.head_sent || receiver.flying > 0 || sender.has_finished(at);
        if is_between || self.worms.message(worm).cause.is_some() {
            return;
        }
        let (inflow, _) = self.runs(output.peer);
        let (_, outflow) = self.runs(output.owner);
        let remaining = |entry: &InPort, of: u32, flow: super::runs::Run| {
            u64::from(of) - if entry.t < at { flow.until(at - 1) } else { 0 }
        };
        let unsent = remaining(sender, sender.out_rem, outflow);
        let to_come = remaining(receiver, receiver.in_rem, inflow);
        assert!(receiver.back == worm, "what comes last is what is sent: {sender:?} {receiver:?}");
        assert!(to_come >= unsent, "no flit comes that is not sent: {sender:?} {receiver:?}");
        let on_cable = to_come - unsent;
        assert!(
            on_cable <= u64::from(output.delay),
            "a flit a cycle is on the cable: {sender:?} {receiver:?}"
        );
    }

    fn check_output(&self, out: u32) {
        let output = &self.outs[out as usize];
        self.check_use(out);
        assert!(
            output.since == NEVER || output.since <= self.now,
            "what is blocked has begun to be: {output:?}"
        );
        if output.owner != NONE {
            let owner = &self.ins[output.owner as usize];
            assert!(
                owner.state == State::Connected && owner.out == out,
                "an output's owner owns it: {output:?}"
            );
            assert!(!output.dead, "nothing owns a channel that has failed: {output:?}");
            assert!(
                owner.node == self.ins[out as usize].node || self.is_relay(out),
                "an output serves the inputs of its switch, or its host: {output:?} {owner:?}"
            );
        }
        let is_blocked = output.owner != NONE && (output.wait != 0 || !output.go);
        assert!(
            is_blocked == (output.since != NEVER),
            "the timer runs while an output is blocked: {output:?}"
        );
        if output.wait != 0 {
            assert!(
                self.decodes(out) && !output.dead,
                "heads wait for outputs of switches whose cables work: {output:?}"
            );
            let waiting = &self.ins[self.first_waiting(out, self.ins[out as usize].node) as usize];
            assert!(
                waiting.state == State::Waiting && waiting.out == out,
                "who asks for an output waits for it"
            );
            let is_served = output.owner != NONE || self.requests_next.contains(&out);
            assert!(is_served, "no head waits for a free output beyond the next cycle: {output:?}");
        }
    }

    /// What a channel has done lies within the times in which worms have owned it.
    fn check_use(&self, out: u32) {
        let (output, used) = (&self.outs[out as usize], &self.outs[out as usize].used);
        // While it is owned the cycle of the grant is taken off, so that any later cycle can be added.
        let is_owned = output.owner != NONE;
        let held = used.held.wrapping_add(if is_owned { self.now + 1 } else { 0 });
        assert!(held <= self.now + 1, "one worm at a time owns a channel: {output:?} {used:?}");
        assert!(used.blocked <= held, "a channel is blocked while a worm owns it: {output:?} {used:?}");
        let unsent = if is_owned { u64::from(self.ins[output.owner as usize].out_rem) } else { 0 };
        assert!(unsent <= used.flits, "the flits of a worm are counted in at its grant: {output:?} {used:?}");
        assert!(used.flits - unsent <= held, "a flit a cycle is sent at most: {output:?} {used:?}");
    }

    fn check_unit(&self, number: u32) {
        let unit = &self.switches[number as usize];
        assert!((unit.busy == NEVER) == (unit.current == NONE), "a unit is busy with one port: {unit:?}");
        let decodes = match self.switch.arbitration {
            Arbitration::Serial => true,
            Arbitration::PerInput => false,
            Arbitration::PerOutput => number >= self.output_units,
        };
        let is_unused = unit.busy == NEVER && unit.pending == 0;
        assert!(decodes || is_unused, "a switch decodes by itself only with one unit: {unit:?}");
        assert!(unit.pending == 0 || unit.busy != NEVER, "an idle unit takes a pending head: {unit:?}");
        assert!(!unit.listed, "the list of units is worked off: {unit:?}");
        assert!(!unit.killed || unit.busy != NEVER, "a head that was destroyed was being decoded: {unit:?}");
        assert!(unit.pointer < unit.ports || unit.ports == 0, "one of its ports is first in turn: {unit:?}");
        assert!(
            unit.ports > 64 || unit.pending.checked_shr(u32::from(unit.ports)).unwrap_or(0) == 0,
            "only its own ports ask a unit: {unit:?}"
        );
        let ports = unit.base..unit.base + u32::from(unit.ports);
        assert!(
            unit.current == NONE || ports.contains(&unit.current),
            "it decodes for one of them: {unit:?}"
        );
        assert!(unit.busy > self.now, "what was to be decoded up to now is decoded: {unit:?}");
        if unit.current != NONE && !unit.killed {
            let entry = &self.ins[unit.current as usize];
            assert!(
                self.unit_of(unit.current) == number && entry.state == State::Routing,
                "its head is being decoded: {unit:?}"
            );
            assert!(entry.exit == unit.busy, "unit and port agree on the end: {unit:?} {entry:?}");
        }
        if unit.queued != NO_INPUT {
            let entry = &self.ins[(unit.base + u32::from(unit.queued)) as usize];
            assert!(unit.pending == 0, "nobody else asks a unit that has a second reservation: {unit:?}");
            assert!(entry.state == State::Routing, "its head is decoded next: {unit:?} {entry:?}");
            let start = entry.exit - self.switch.routing_latency;
            assert!(start >= unit.busy, "and begins after the one before: {unit:?} {entry:?}");
        }
    }

    fn check_host(&self, host: u32) {
        let entry = &self.hosts[host as usize];
        assert!((entry.transmitter == NONE) == (entry.out == NONE), "a cabled host transmits: {entry:?}");
        assert!(
            !entry.waits_for_cable || self.outs[entry.out as usize].dead,
            "it waits for a failed cable: {entry:?}"
        );
        let is_planned = entry.attempt != NEVER || entry.backlog || entry.waits_for_cable;
        assert!(entry.next == NONE || is_planned, "no message is forgotten at its host: {entry:?}");
        assert!(
            entry.next != NONE || !entry.waits_for_cable,
            "what waits for the cable is a message: {entry:?}"
        );
        assert!(entry.free <= self.now + 1, "what is free from some cycle on has become free: {entry:?}");
        assert!(entry.attempt > self.now, "no planned start is passed over: {entry:?}");
        assert!(
            entry.next != NONE || entry.attempt == NEVER,
            "a start that is planned has a message: {entry:?}"
        );
        if entry.transmitter == NONE {
            assert!(entry.next == NONE, "a host without a cable has nothing to send: {entry:?}");
            return;
        }
        let transmitter = &self.ins[entry.transmitter as usize];
        let owner = self.outs[entry.out as usize].owner;
        let is_passing = owner != NONE && self.is_relay(owner);
        assert!(
            entry.transmitter >= self.transmitters && transmitter.node == host,
            "a transmitter is its host's: {entry:?} {transmitter:?}"
        );
        assert!(
            !entry.backlog || transmitter.state == State::Connected || is_passing,
            "what waits for the transmitter waits for a message to leave: {entry:?} {transmitter:?}"
        );
        if entry.next != NONE {
            let message = self.worms.message(entry.next);
            assert!(message.source == host, "a host sends its own messages: {message:?}");
            assert!(message.started == NEVER, "and what is to be sent has not started: {message:?}");
        }
    }
}
