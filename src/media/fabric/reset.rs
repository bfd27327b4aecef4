//! P4.5: blocked outputs fire, and forward resets run ahead of what they destroy.
//!
//! ```text
//!   upstream            here: fires at since + timeout          downstream
//!   [tail ... body] --> [ owner drains, from P4 of the next ] --token, d cycles--> [ flushed ] --token--> ... head
//! ```
//! The part behind the output drains where it is, as fast as it comes. The part before it has no tail any more: a token
//! follows its path and flushes one port after the other, up to where its head is. A worm is over when both parts are.
//!
//! The timer is `since` of the output, and nothing else: it is armed while a worm owns the output and either a head
//! waits for it or STOP holds it back. A sweep turns it into an event only if it would fire before the next sweep:
//!
//! ```text
//!   P3c t0       the owner is granted the output
//!   P3a t1       a head comes to wait for it:  since = t1                          (armed)
//!   P3c t2       the tail left in t2 - 1; the head that waited is granted it:
//!                    another head waits, or STOP came:  since = t2                 (begins anew)
//!                    nobody waits, and it may send:     since = NEVER              (not armed)
//!   P2  t3       STOP arrives:  since = min(since, t3)
//!   P2  t4       GO arrives:    nobody waits: NEVER;  a head waits: since stays, though the worm moves again
//!   ...
//!   P4.5b since + timeout   fires: the owner is destroyed, and the head that waits is granted the output in the next
//!
//!   since:       t1 |-----------------------------------------------------| t1 + timeout
//!   sweeps:     |         |         |         |         |         |         |     one each timeout / 4
//!                                                                 ^ this one sees that it would fire before the next
//! ```
//! A waiting head alone would not do: a worm that comes round into the buffer that its own tail is in stops itself, and
//! no head waits for any output. Every deadlock has an output with an owner that STOP holds back.
//!
//! # Source
//! Mainwaring et al. 1997, section 2.2: an output port that was blocked for 55 ms (50 ms in section 1.1) sends a
//! forward reset, which clears the path up to the head of the worm; the tail is destroyed by hardware. How its steps
//! lie in a cycle is ours.

use super::endpoint::{Cause, Observer};
use super::engine::{Engine, Event, FIRES, TOKENS};
use super::ports::{NEVER, NONE, State};
use simnet_base::units::Cycle;

impl<const EQUAL: bool> Engine<EQUAL> {
    /// Whether any switch output is blocked. Costs O(ports).
    pub(super) fn is_any_blocked(&self) -> bool {
        self.outs[..self.switch_ports as usize].iter().any(|output| output.since != NEVER)
    }

    /// Looks through all outputs and schedules those that would fire before the next look. Costs O(ports).
    ///
    /// A timer therefore costs nothing while it does not run for a good part of the timeout.
    pub(super) fn sweep(&mut self, timeout: u64, limit: u64) {
        // A quarter: sweeps are few, and so are timers that turn into events and are disarmed before they fire.
        let begin = self.next_sweep;
        let end = begin.saturating_add((timeout / 4).max(1));
        let mut beyond = limit;
        // Where no worm is under way no output has an owner that could be blocked.
        let outputs = if self.in_flight > 0 { self.switch_ports } else { 0 };
        debug_assert!(outputs > 0 || !self.is_any_blocked(), "what is blocked has an owner in the fabric");
        for out in 0..outputs {
            let since = self.outs[out as usize].since;
            if since == NEVER {
                continue;
            }
            let due = since.saturating_add(timeout);
            debug_assert!(due >= self.now, "no output is blocked for longer than the timeout");
            debug_assert!(self.outs[out as usize].owner != NONE, "an output nobody owns is not blocked");
            if due < end {
                // Before `begin` only by an earlier sweep, which has seen it.
                if due >= begin {
                    self.calendar.schedule(due, FIRES, Event::Fire { out });
                }
            } else {
                beyond = beyond.min(due);
            }
        }
        // Until the next event nothing new becomes blocked, so there is nothing to be looked for.
        let idle_until = self.calendar.next_before(beyond).unwrap_or(beyond);
        self.next_sweep = end.max(idle_until);
        debug_assert!(self.next_sweep > begin || begin == NEVER, "each look reaches further than the last");
    }

    /// P4.5b: the output has been blocked for the whole timeout: its worm is destroyed.
    pub(super) fn fire<O: Observer>(&mut self, out: u32, t: u64, observer: &mut O) {
        debug_assert!(self.is_switch_port(out), "hosts send no forward resets");
        let output = &self.outs[out as usize];
        let timeout = self.switch.timeout.unwrap_or(NEVER);
        // Disarmed since the sweep, or armed anew: the sweep that sees the new time will schedule that.
        if output.owner == NONE || output.since.saturating_add(timeout) != t {
            return self.discount();
        }
        let owner = output.owner;
        if O::WATCHES {
            self.report_port(owner, t, observer);
        }
        // A tail that has left in P4 of this cycle has released the output.
        let port = self.owner_at(out, t + 1);
        if port == NONE {
            return;
        }
        self.touch(port, t + 1);
        debug_assert!(
            self.ins[port as usize].state == State::Connected,
            "the owner of an output is connected"
        );
        debug_assert!(self.ins[port as usize].out == out, "and it is this output that it owns");
        let worm = self.ins[port as usize].front;
        debug_assert!(self.ins[port as usize].exit > t, "its tail has not left");
        self.worms.strike(worm, Cause::Reset, t, false);
        if O::WATCHES {
            observer.reset(Cycle(t), self.wiring.end(out), self.identity(worm));
        }
        self.deadlock_hit(port, out, t);
        // With its head out there are two parts from now on, and the message is over when both are.
        if self.ins[port as usize].head_sent {
            self.worms.message_mut(worm).pieces += 1;
            self.send_token(out, worm, t);
        }
        self.abandon(port, t + 1, t, observer);
        self.start_draining(port);
    }

    fn send_token(&mut self, out: u32, worm: u32, t: u64) {
        if self.ends_behind(out) {
            self.worms.forget_tail(worm);
        }
        let output = &self.outs[out as usize];
        // Out of band, STOP or not, yet behind the worm's flits sent up to t and before those of any later worm, which
        // is granted the output in t + 1 at the earliest.
        let (port, arrival) = (output.peer, t + u64::from(output.delay));
        debug_assert!(port != NONE && !output.dead, "a worm with its head out has a cable");
        debug_assert!(
            self.worms.message(worm).cause.is_some(),
            "a forward reset follows a worm that is struck"
        );
        self.calendar.schedule(arrival, TOKENS, Event::Token { port, worm });
        self.note_on_cable(port, arrival);
    }

    /// The connected port gives up its output from cycle `t` on, with flits left to be sent: its worm has been hit in
    /// cycle `hit`.
    pub(super) fn abandon<O: Observer>(&mut self, port: u32, t: u64, hit: u64, observer: &mut O) {
        let entry = &self.ins[port as usize];
        debug_assert!(entry.state == State::Connected && entry.out != NONE, "a port gives up what it owns");
        debug_assert!(entry.out_rem > 0, "a worm whose tail has left has given it up already");
        let out = entry.out;
        debug_assert!(self.outs[out as usize].owner == port, "and what it gives up is its own");
        // At the grant all flits were counted; those that will never be sent are taken off.
        debug_assert!(
            self.outs[out as usize].used.flits >= u64::from(entry.out_rem),
            "its flits were counted in"
        );
        debug_assert!(self.worms.message(entry.front).cause.is_some(), "only a worm that is struck gives up");
        self.outs[out as usize].used.flits -= u64::from(entry.out_rem);
        if O::WATCHES {
            self.report_release(port, out, hit, observer);
        }
        self.release(out, t);
    }

    /// P4.5a: a forward reset arrives.
    pub(super) fn token_arrives<O: Observer>(&mut self, port: u32, worm: u32, t: u64, observer: &mut O) {
        if self.is_lost(port, t) {
            return;
        }
        // At a host that sends worms on, what is in transit has a buffer; its tail has not come yet.
        let is_in_transit = self.is_relay(port) && {
            let entry = &self.ins[port as usize];
            entry.back == worm && u64::from(entry.in_rem) > self.inflow(port).until(t)
        };
        if self.is_sink(port) && !is_in_transit {
            debug_assert!(!self.worms.is_tail_expected(worm), "no tail comes after a forward reset");
            debug_assert!(self.worms.message(worm).cause.is_some(), "what it follows was struck before");
            self.end_piece(worm, None);
        } else {
            self.flush(port, t, observer);
        }
    }

    /// P4.5a: destroys the last segment in the port, whose tail will never come.
    pub(super) fn flush<O: Observer>(&mut self, port: u32, t: u64, observer: &mut O) {
        debug_assert!(
            port < self.transmitters && (!self.is_sink(port) || self.is_relay(port)),
            "a buffer is flushed"
        );
        if O::WATCHES {
            self.report_port(port, t, observer);
        }
        self.touch(port, t + 1);
        // If this leaves the port stopped, a worm that is sent to it now waits for it.
        let upstream = self.outs[self.outs[port as usize].peer as usize].owner;
        if upstream != NONE {
            self.suspect(upstream);
        }
        let entry = &mut self.ins[port as usize];
        if entry.in_rem == 0 {
            return;
        }
        let worm = entry.back;
        debug_assert!(self.worms.message(worm).cause.is_some(), "what is flushed was struck before");
        // Whole worms in front of it stay: their tails are here, and they have lost nothing.
        let there = if entry.segments == 1 { entry.occ } else { self.worms[worm].flits() - entry.in_rem };
        debug_assert!(there <= entry.occ, "what is destroyed was there");
        entry.occ -= there;
        entry.in_on = false;
        entry.in_rem = 0;
        if entry.segments > 1 {
            // Few worms fit a buffer: the last but one is found by walking from the front.
            let mut back = entry.front;
            for _ in 2..entry.segments {
                back = self.worms[back].next;
            }
            debug_assert!(self.worms[back].next == worm, "the last worm is linked to the one before");
            entry.back = back;
            entry.segments -= 1;
            if let Some(headers) = self.headers_at(port) {
                headers.destroy(port, worm, t);
            }
            self.end_piece(worm, None);
            return;
        }
        self.flush_front(port, worm, t, observer);
    }

    fn flush_front<O: Observer>(&mut self, port: u32, worm: u32, t: u64, observer: &mut O) {
        let entry = &self.ins[port as usize];
        debug_assert!(entry.segments == 1 && entry.front == worm, "it is alone");
        debug_assert!(entry.in_rem == 0 && !entry.in_on, "and no flit of it is on its way");
        debug_assert!(entry.occ == 0, "what of it was here is gone");
        // With its head out the worm goes on beyond: the forward reset follows it there. Otherwise it ends here.
        let (out, forwards) = (entry.out, entry.state == State::Connected && entry.head_sent);
        self.deadlock_hit(port, out, t);
        if self.ins[port as usize].state == State::Routing {
            self.revoke_not_begun(port, t);
            if let Some(headers) = self.headers_at(port) {
                headers.destroy(port, worm, t);
            }
        }
        match self.ins[port as usize].state {
            State::Pending => self.clear_pending(port),
            State::Routing => self.waste_unit(port),
            State::Waiting => {
                self.clear_waiting(port, out);
                let output = &self.outs[out as usize];
                if output.wait == 0 && output.go {
                    self.unblock(out, t + 1);
                }
            }
            State::Connected => {
                if forwards {
                    self.send_token(out, worm, t);
                }
                self.abandon(port, t + 1, t, observer);
                if self.is_relay(port) {
                    self.interface_free(port, t + 1);
                }
            }
            State::Idle | State::Draining | State::Taking => {}
        }
        self.empty(port);
        if !forwards {
            self.end_piece(worm, None);
        }
    }

    /// Makes the port forget its only worm.
    pub(super) fn empty(&mut self, port: u32) {
        let entry = &mut self.ins[port as usize];
        debug_assert!(
            entry.out == NONE || self.outs[entry.out as usize].owner != port,
            "what it owned has been given up"
        );
        entry.forget();
    }
}
