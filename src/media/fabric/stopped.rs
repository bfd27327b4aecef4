//! A worm that is stopped and goes on, where nothing else happens in the cycles in which it does.
//!
//! Of a worm that is stopped once, six changes befall two ports (the time line of [`super::flow`]). Two short cuts make
//! of them four events, each with the records of one port at hand:
//!
//! ```text
//!   at P, the port that says STOP    STOP crosses                    GO crosses
//!   and later GO                       |        PAUSE: turn            |        RESUME: turn
//!                                      v        ^ d                    v        ^ d
//!   at S, the sender to P                STOP arrives                    GO arrives
//!                                        halt                            go_on
//! ```
//! *At once.* Where the crossing of a mark, STOP or GO is the only event of its cycle, P4 and P5 of its port follow
//! from it: `crosses`, `halt` and `go_on`, each under conditions that it looks at first. Where one does not hold, or
//! the cycle has more events, the phases take their course ([`Engine::evaluate`], [`Engine::settle`]).
//!
//! *Without an event.* When S pauses, or goes on, P hears of it d cycles later, and mostly stands so that the change of
//! its inflow is all that happens to it then: behind a STOP nothing flows out of it, and its level, past the mark
//! already, ceases to rise; behind a GO its worm flows out evenly, and from then on up to its tail. P keeps the cycle
//! of the change (`turn`), and whoever accounts for it takes that in. Exact where channels carry a flit a cycle, under
//! the conditions of [`Engine::foresee_pause`] and [`Engine::foresee_resume`], as long as nothing befalls P before:
//! whatever does lists it for P4 and P5, which makes an event of the change after all ([`Engine::schedule_turn`]).
//!
//! A fabric that is watched, or whose events are shuffled, takes neither: tests compare all three ways, and the oracle.

use super::endpoint::Observer;
use super::engine::{DATA, Engine, Event, FLOW};
use super::ports::{InPort, NEVER, State};

impl<const EQUAL: bool> Engine<EQUAL> {
    /// P4 and P5 of `port` in a cycle `t` whose only event is what was predicted for it, if all that happens is that
    /// its level crosses a mark, or that its tail leaves as was foreseen; whether it is. What it is accounted for up to
    /// may lie behind.
    #[inline]
    pub(super) fn crosses(&mut self, port: u32, t: u64) -> bool {
        let entry = &mut self.ins[port as usize];
        if !EQUAL || port >= self.switch_ports || entry.turn > 0 || entry.dead {
            return false;
        }
        if !entry.out_on {
            // A worm that waits, in a buffer that has filled to its mark.
            let waits =
                !entry.is_leaving() || entry.state == State::Connected && !self.outs[entry.out as usize].go;
            let (arrived, in_rem) = entry.arrived(t + 1);
            if !waits || entry.stop_sent || entry.occ + arrived < self.switch.stop {
                return false;
            }
            (entry.t, entry.occ, entry.in_rem) = (t + 1, entry.occ + arrived, in_rem);
            entry.in_on &= in_rem > 0;
        } else {
            // One that flows out, its inflow being over or having paused, of a buffer that has emptied to its mark.
            let (arrived, in_rem) = entry.arrived(t + 1);
            let left = t + 1 - entry.t;
            let flows = entry.state == State::Connected && self.outs[entry.out as usize].go;
            if flows && entry.exit == t {
                self.account::<()>(port, t, &mut ());
                return true;
            }
            if !flows || !entry.stop_sent || entry.exit < t || left >= u64::from(entry.out_rem) {
                return false;
            }
            #[expect(clippy::cast_possible_truncation, reason = "less than the remainder, of 32 bits")]
            let left = left as u32;
            let occ = entry.occ + arrived - left;
            if occ > self.switch.go {
                return false;
            }
            (entry.t, entry.occ, entry.in_rem) = (t + 1, occ, in_rem);
            entry.in_on &= in_rem > 0;
            entry.out_rem -= left;
        }
        self.say(port, t);
        if self.ins[port as usize].out_on {
            self.predict(port);
        }
        if cfg!(debug_assertions) {
            self.check_settled(port, t);
        }
        true
    }

    /// STOP, the only event of cycle `t`, has reached the output of `port`: P4 and P5.
    #[inline]
    pub(super) fn halt<O: Observer>(&mut self, port: u32, t: u64, observer: &mut O) {
        let stop = if port < self.switch_ports { self.switch.stop } else { u32::MAX };
        let entry = &mut self.ins[port as usize];
        let arrives = u32::from(entry.in_on);
        let is_level_safe = entry.stop_sent || entry.occ + arrives < stop;
        if !EQUAL || !is_level_safe || !entry.head_sent || entry.turn > 0 || entry.occ + arrives == 0 {
            return self.decide(port, t, observer);
        }
        debug_assert!(entry.state == State::Connected && entry.t == t, "an owner is connected");
        let paused = std::mem::take(&mut entry.out_on);
        entry.exit = NEVER;
        (entry.t, entry.occ, entry.in_rem) = (t + 1, entry.occ + arrives, entry.in_rem - arrives);
        entry.in_on = arrives > 0 && entry.in_rem > 0;
        let rise = if entry.in_on && !entry.stop_sent { stop - entry.occ } else { u32::MAX };
        let due = if entry.in_rem >= rise { t + u64::from(rise) } else { NEVER };
        self.expect_change(port, due);
        if paused {
            self.send_pause::<O>(port, t);
        }
        if cfg!(debug_assertions) {
            self.check_settled(port, t);
        }
    }

    /// GO, the only event of cycle `t`, has reached the output of `port`: P4 and P5.
    #[inline]
    pub(super) fn go_on<O: Observer>(&mut self, port: u32, t: u64, observer: &mut O) {
        let entry = &mut self.ins[port as usize];
        let arrives = u32::from(entry.in_on);
        let occ = entry.occ + arrives;
        let is_level_safe = !entry.stop_sent || occ > self.switch.go + 1;
        if !EQUAL || !is_level_safe || !entry.head_sent || entry.turn > 0 || occ == 0 || entry.out_rem < 2 {
            return self.decide(port, t, observer);
        }
        debug_assert!(entry.state == State::Connected && entry.t == t, "an owner is connected");
        debug_assert!(!entry.out_on, "and stood while it was stopped");
        let is_steady = entry.in_on || entry.in_rem == 0 || entry.segments > 1;
        entry.out_on = true;
        entry.exit = if is_steady { t + u64::from(entry.out_rem) - 1 } else { NEVER };
        (entry.t, entry.occ, entry.in_rem) = (t + 1, occ - 1, entry.in_rem - arrives);
        entry.in_on = arrives > 0 && entry.in_rem > 0;
        entry.out_rem -= 1;
        self.predict(port);
        self.send_resume::<O>(port, 1, t);
        if cfg!(debug_assertions) {
            self.check_settled(port, t);
        }
    }

    /// Accounts a port to the beginning of `t` whose inflow [turns](super::ports::InPort::turn).
    #[inline(never)]
    pub(super) fn sync_turn(&mut self, port: u32, t: u64) {
        let entry = &mut self.ins[port as usize];
        debug_assert!(EQUAL && entry.t < t, "a flit a cycle comes, or none");
        let narrow = |cycles: u64| u32::try_from(cycles).unwrap_or(u32::MAX);
        let (cycles, turn) = (narrow(t - entry.t), u32::from(entry.turn));
        // Of a pause what comes before it, of the going on what comes behind.
        let is_past = cycles >= turn;
        let flowing = if entry.in_on { cycles.min(turn) } else { cycles.saturating_sub(turn) };
        let arrived = flowing.min(entry.in_rem);
        let left = if entry.out_on { cycles.min(entry.out_rem) } else { 0 };
        debug_assert!(left <= entry.occ + arrived, "what leaves a buffer was in it");
        entry.t = t;
        entry.in_rem -= arrived;
        entry.occ = entry.occ + arrived - left;
        entry.out_rem -= left;
        entry.out_on &= entry.out_rem > 0;
        entry.in_on = entry.in_rem > 0 && (entry.in_on != is_past);
        #[expect(clippy::cast_possible_truncation, reason = "less than before")]
        let ahead = turn.saturating_sub(cycles) as u8;
        entry.turn = ahead;
        // A port whose inflow turns in this very cycle is listed for it as an event would have done: whether one is
        // listed decides when its head is sent, and so, of heads that go to one switch, which is foreseen.
        if cycles == turn && t == self.now {
            self.list_turned(port, t);
        }
    }

    /// A port whose inflow turns in this cycle is evaluated and settled in it.
    #[cold]
    fn list_turned(&mut self, port: u32, t: u64) {
        self.list(port, t);
    }

    /// Makes an event of the change that a port's inflow has ahead.
    #[cold]
    pub(super) fn schedule_turn(&mut self, port: u32) {
        let entry = &mut self.ins[port as usize];
        let at = entry.t + u64::from(std::mem::take(&mut entry.turn));
        // Counted when it was foreseen, and again when it is handled.
        self.events -= 1;
        let event = if entry.in_on { Event::Pause { port } } else { Event::Resume { port, period: 1 } };
        self.calendar.schedule(at, DATA, event);
    }

    /// How many events there were, foreseen changes that have come among them. Costs O(ports) if there are such.
    pub(super) fn events(&self) -> u64 {
        let is_ahead = |entry: &&InPort| entry.turn > 0 && entry.t + u64::from(entry.turn) >= self.now;
        let ahead = if self.has_turns { self.ins.iter().filter(is_ahead).count() } else { 0 };
        self.events - ahead as u64
    }

    /// [`schedule_turn`](Self::schedule_turn) for all ports, between two cycles. Costs O(ports) if any was foreseen
    /// since the last time.
    pub(super) fn schedule_turns(&mut self) {
        if !std::mem::take(&mut self.has_turns) {
            return;
        }
        for port in 0..self.switch_ports {
            if self.ins[port as usize].turn == 0 {
                continue;
            }
            // One of the cycle that is the next is an event of that, as it would have been.
            if let Some(before) = self.now.checked_sub(1) {
                self.sync(port, before);
            }
            if self.ins[port as usize].turn > 0 {
                self.schedule_turn(port);
            }
        }
    }

    /// In `t` a worm has stopped flowing out towards `port`, so many cycles away. If nothing flows out of that either,
    /// its inflow [turns](super::ports::InPort::turn) when the last flit has come; whether it does.
    #[inline]
    pub(super) fn foresee_pause<O: Observer>(&mut self, port: u32, delay: u32, t: u64) -> bool {
        let Some(turn) = self.can_turn::<O>(port, delay) else { return false };
        self.sync(port, t);
        let entry = &mut self.ins[port as usize];
        let stands = !entry.out_on && !matches!(entry.state, State::Draining | State::Taking);
        if !stands || !entry.in_on || !entry.stop_sent || entry.t != t || entry.in_rem <= delay {
            return false;
        }
        debug_assert!(entry.pred == NEVER, "a level beyond its mark is not waited for");
        entry.turn = turn;
        self.has_turns = true;
        self.events += 1;
        true
    }

    /// In `t` a worm has begun again to flow out towards `port`, so many cycles away. If it flows out of that too, and
    /// what is there lasts until then, its inflow [turns](super::ports::InPort::turn), and the tail is foreseen;
    /// whether it is.
    #[inline]
    pub(super) fn foresee_resume<O: Observer>(&mut self, port: u32, delay: u32, t: u64) -> bool {
        let Some(turn) = self.can_turn::<O>(port, delay) else { return false };
        self.sync(port, t);
        let entry = &mut self.ins[port as usize];
        let flows = entry.state == State::Connected && entry.out_on && entry.segments == 1;
        // Neither does what is there run dry before, nor does the tail leave.
        let lasts = entry.occ > delay && entry.out_rem > delay + 1;
        if !flows || !lasts || entry.in_on || entry.stop_sent || entry.t != t {
            return false;
        }
        debug_assert!(entry.in_rem > 0 && entry.exit == NEVER, "what goes on has paused");
        entry.turn = turn;
        entry.exit = t + u64::from(entry.out_rem) - 1;
        entry.pred = NEVER;
        let (front, exit, out) = (entry.front, entry.exit, entry.out);
        self.has_turns = true;
        self.events += 1;
        let output = &self.outs[out as usize];
        let is_awaited = output.wait != 0;
        if self.is_sink(output.peer) {
            self.expect_tail(output.peer, front, exit + u64::from(output.delay));
        }
        debug_assert!(
            is_awaited == self.cares_for_exit(port, &self.ins[port as usize]),
            "it is alone at a switch"
        );
        if is_awaited {
            self.ins[port as usize].pred = exit;
            self.calendar.schedule(exit, FLOW, Event::Predicted { port });
        }
        true
    }

    /// After how many cycles a change of a port's inflow comes that is so far away, if it needs no event for other
    /// reasons than what the port does.
    #[inline]
    fn can_turn<O: Observer>(&self, port: u32, delay: u32) -> Option<u8> {
        let entry = &self.ins[port as usize];
        let is_plain = EQUAL && !O::WATCHES && self.shuffle.is_none();
        if !is_plain || port >= self.switch_ports || entry.touched || entry.flying > 0 || entry.turn > 0 {
            return None;
        }
        u8::try_from(delay).ok()
    }
}
