//! What holds at the end of every cycle. Debug builds check it of all that a cycle has touched, and of everything when
//! a run returns.
//!
//! Functions assert what they need and what they promise; here stands what ties records to each other: a port to the
//! output that it owns, an output to the heads that wait for it, a switch to the head that it decodes. Each rule fails
//! by its own name.

use super::engine::Engine;
use super::ports::{NEVER, NONE, State};

impl<const EQUAL: bool> Engine<EQUAL> {
    /// Checks what cycle `t` has touched, with all that it names. Costs O(ports touched).
    pub(super) fn check_cycle(&self, t: u64) {
        assert!(
            self.units.is_empty() && self.requests.is_empty(),
            "P3 has served all that asked in this cycle"
        );
        assert!(
            self.expired.is_empty() && self.unwired.is_empty(),
            "what struck in this cycle has had its effect"
        );
        for &port in &self.touched {
            let entry = &self.ins[port as usize];
            assert!(!entry.touched && entry.t > t, "every port touched is settled to the end of the cycle");
            self.check_port(port);
            if entry.out != NONE {
                self.check_output(entry.out);
            }
            if self.is_switch_port(port) {
                self.check_unit(entry.node);
            } else {
                self.check_host(entry.node);
            }
        }
    }

    /// Checks everything between two cycles. Costs O(ports + messages).
    pub(super) fn check_all(&self) {
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
            !(entry.out_on || entry.head_sent) || entry.is_leaving(),
            "what flows out is let out: {entry:?}"
        );
        let has_output = matches!(entry.state, State::Waiting | State::Connected);
        assert!(has_output == (entry.out != NONE), "who waits or is connected has an output: {entry:?}");
        let has_exit = entry.is_leaving() || entry.state == State::Routing;
        assert!(entry.exit == NEVER || has_exit, "nothing else has an end in sight: {entry:?}");
        assert!(entry.exit >= entry.t, "what has come to its end is over: {entry:?}");
        assert!(entry.state != State::Taking || port >= self.switch_ports, "a host alone takes: {entry:?}");
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
    }

    fn check_output(&self, out: u32) {
        let output = &self.outs[out as usize];
        if output.owner != NONE {
            let owner = &self.ins[output.owner as usize];
            assert!(
                owner.state == State::Connected && owner.out == out,
                "an output's owner owns it: {output:?}"
            );
            assert!(!output.dead, "nothing owns a channel that has failed: {output:?}");
        }
        let is_blocked = output.owner != NONE && (output.wait != 0 || !output.go);
        assert!(
            is_blocked == (output.since != NEVER),
            "the timer runs while an output is blocked: {output:?}"
        );
        if output.wait != 0 {
            let waiting = &self.ins[self.first_waiting(out, self.ins[out as usize].node) as usize];
            assert!(
                waiting.state == State::Waiting && waiting.out == out,
                "who asks for an output waits for it"
            );
            let is_served = output.owner != NONE || self.requests_next.contains(&out);
            assert!(is_served, "no head waits for a free output beyond the next cycle: {output:?}");
        }
    }

    fn check_unit(&self, node: u32) {
        let unit = &self.switches[node as usize];
        assert!((unit.busy == NEVER) == (unit.current == NONE), "a unit is busy with one port: {unit:?}");
        assert!(self.serial || unit.busy == NEVER, "the unit of a switch is a serial one: {unit:?}");
        assert!(unit.pending == 0 || unit.busy != NEVER, "an idle unit takes a pending head: {unit:?}");
        assert!(!unit.listed, "the list of units is worked off: {unit:?}");
        if unit.current != NONE && !unit.killed {
            let entry = &self.ins[unit.current as usize];
            assert!(
                entry.node == node && entry.state == State::Routing,
                "its head is being decoded: {unit:?}"
            );
            assert!(entry.exit == unit.busy, "unit and port agree on the end: {unit:?} {entry:?}");
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
    }
}
