//! P1, P2, P4 and P5 of an input port: what flows in, what flows out, STOP and GO, and what comes next.
//!
//! Handlers of P1 to P3 only set state and touch the port. [`Engine::evaluate`] then takes the one decision
//! of this cycle, whether a flit leaves, and sends at most one change down the channel.
//! [`Engine::settle`] accounts to the end of the cycle, sends STOP or GO, and predicts the next change.
//!
//! ```text
//!   cycle t    P1..P3  handlers   account to the beginning of t (sync), set state, touch
//!              P4      evaluate   does a flit leave in t? starts, pauses or resumes the outflow; signals the peer
//!              P5      settle     accounts to the beginning of t + 1; STOP or GO; when does this port change next?
//!   t + 1 ..           nothing    occ, in_rem and out_rem follow from the rates until the next event
//!   prediction         touched    starved, STOP or GO level crossed, or the tail leaves: all over again
//! ```
//! A port is accounted for only when it is touched, so that a run of any length costs two events: where it begins and
//! where it ends. What a prediction says stays true until something touches the port; then it is made anew, and the
//! event of the old one finds that it is not `pred` any more.
//!
//! What a blocked worm does to the buffers behind it, with `stop` = 56, `go` = 40 and a cable of d = 2 cycles:
//!
//! ```text
//!   flits
//!    59 |                __________                  STOP does not end the rise: what is sent up to its arrival is yet
//!    56 |- - - - - - - -/          \                 to come, stop + 2 d - 1 = 59 flits in all (`wiring` asks for the
//!       |            __/            \                room)
//!    40 |- - - - - _/ - - - - - - - -\- - - -
//!    37 |       __/                   \_______       nor does GO end the fall: `go` of at least 2 d - 1 keeps the
//!       |    __/                                     outflow from running dry meanwhile (`links_with_gaps`)
//!     0 +---+-----------+--+-------+--+--+-------> cycles
//!        HEAD        STOP  PAUSE   |  |  RESUME
//!                              grant  GO
//!
//!   HEAD     the inflow begins, a flit a cycle; decoding takes R cycles, then the head waits for its output
//!   STOP     P5 of the cycle at whose end the level is `stop`; d cycles of flight to the sender
//!   PAUSE    2 d cycles after STOP: the sender's answer has come back
//!   grant    the outflow begins; nothing flows in meanwhile
//!   GO       P5 of the cycle at whose end the level is `go`
//!   RESUME   2 d cycles after GO: in- and outflow are equal, and the level stands still to the end of the inflow
//! ```
//! All of it costs one event a mark on the time line, whatever the number of flits, and mostly none for PAUSE and
//! RESUME ([`super::stopped`]): between two of them the level is a straight line, along which `predict` finds the next.

use super::endpoint::{Cause, Observer};
use super::engine::{CONTROL, DATA, Engine, Event, ROUTES};
use super::ports::{NEVER, NONE, State};
use simnet_base::units::Cycle;

impl<const EQUAL: bool> Engine<EQUAL> {
    /// Accounts a port to the beginning of cycle `t`. Costs O(1).
    #[inline]
    pub(super) fn sync(&mut self, port: u32, t: u64) {
        let entry = &mut self.ins[port as usize];
        if entry.t >= t {
            return;
        }
        if !EQUAL {
            return self.sync_runs(port, t);
        }
        if entry.turn > 0 {
            return self.sync_turn(port, t);
        }
        // Both flows go one flit a cycle and end with their remainders, so counting needs no loop. Arrivals come first:
        // what arrives in a cycle may leave in it.
        let cycles = u32::try_from(t - entry.t).unwrap_or(u32::MAX);
        let (arrived, in_rem) = entry.arrived(t);
        entry.t = t;
        entry.occ += arrived;
        entry.in_rem = in_rem;
        entry.in_on &= in_rem > 0;
        if entry.out_on {
            let left = cycles.min(entry.out_rem);
            debug_assert!(
                left <= entry.occ,
                "a run ends where the buffer has no flit left: predict says when"
            );
            entry.out_rem -= left;
            entry.occ -= left;
            entry.out_on = entry.out_rem > 0;
            debug_assert!(entry.out_on || entry.exit < t, "no tail leaves that was not foreseen");
        }
        debug_assert!(
            port >= self.switch_ports || entry.occ <= self.switch.buffer,
            "STOP comes in time for what is on the cable"
        );
    }

    /// P1: a head arrives.
    pub(super) fn head_arrives<O: Observer>(&mut self, port: u32, worm: u32, t: u64, observer: &mut O) {
        // Whether it has an event at all depends on which of several heads a unit was reserved for.
        self.discount();
        if self.is_lost(port, t) {
            return;
        }
        if O::WATCHES {
            observer.arrived(Cycle(t), self.wiring.end(port), self.identity(worm));
        }
        let record = &self.worms[worm];
        let (flits, period, left) = (record.flits(), u64::from(record.head_period), record.left);
        self.bring_to(port, t);
        let entry = &mut self.ins[port as usize];
        debug_assert!(
            entry.t == t && (entry.segments > 0 || entry.occ == 0),
            "a port without worms is empty"
        );
        // P4 and P5 would find nothing in a buffer that cannot fill to its mark if no flit leaves it. Nor would they
        // where as many leave: the worm in front, all of which is here, goes on as it did. From now on its tail is
        // waited for.
        let leaves = entry.state == State::Connected && entry.out_on;
        let is_level_safe = leaves || !entry.is_leaving() && entry.occ + flits < self.switch.stop;
        if EQUAL && is_level_safe && !entry.stop_sent && !entry.touched {
            if leaves {
                self.care_for_exit(port);
            } else {
                entry.pred = NEVER;
            }
            if O::WATCHES {
                self.list(port, t);
            }
        } else {
            self.list(port, t);
        }
        // Mainwaring et al. 1997, section 2.2: a host was reached with route flits left.
        if port >= self.switch_ports && left > 0 && !self.is_relay(port) {
            self.worms.strike(worm, Cause::HostTooSoon, t, false);
        }
        let entry = &mut self.ins[port as usize];
        debug_assert!(!entry.dead, "what comes over a failed cable is lost");
        debug_assert!(entry.t == t, "no port is ahead of a head on its cable");
        debug_assert!(entry.in_rem == 0 && !entry.in_on, "a worm ends before the next begins");
        debug_assert!(entry.flying > 0, "a head that arrives was on the cable");
        debug_assert!(self.worms.message(worm).started < t, "no cable is crossed in no time");
        entry.flying -= 1;
        entry.segments += 1;
        if let Some(headers) = self.headers_at(port) {
            headers.enter(port, worm, t);
        }
        let entry = &mut self.ins[port as usize];
        entry.in_on = true;
        entry.in_rem = flits;
        if !EQUAL {
            let rates = &mut self.rates[port as usize];
            (rates.in_next, rates.in_period) = (t, period);
        }
        // Behind another worm its head waits unseen: it is decoded once it has come to the front (`finish`).
        if entry.segments > 1 {
            debug_assert!(entry.front != NONE && entry.out_rem > 0, "the worm in front has not left");
            let before = std::mem::replace(&mut entry.back, worm);
            self.worms[before].next = worm;
            return;
        }
        debug_assert!(entry.state == State::Idle && entry.occ == 0, "a port without worms is empty");
        debug_assert!(entry.out == NONE && !entry.head_sent, "and has no output from a worm before");
        (entry.front, entry.back) = (worm, worm);
        entry.out_rem = flits;
        if self.decodes(port) {
            self.request_unit(port, t);
        } else {
            self.ins[port as usize].state = State::Taking;
        }
    }

    /// P1: no flit arrives from this cycle on.
    pub(super) fn inflow_pauses<O: Observer>(&mut self, port: u32, t: u64, observer: &mut O) {
        if !self.is_lost(port, t) {
            self.bring_inflow_to(port, t);
            let entry = &mut self.ins[port as usize];
            debug_assert!(entry.segments > 0 && entry.in_rem > 0, "a worm pauses before its end");
            debug_assert!(entry.in_on, "what pauses was flowing: one change a channel and cycle");
            entry.in_on = false;
            self.change(port, t, observer);
        }
    }

    /// P1: flits arrive from this cycle on.
    pub(super) fn inflow_resumes<O: Observer>(&mut self, port: u32, period: u32, t: u64, observer: &mut O) {
        if !self.is_lost(port, t) {
            self.bring_inflow_to(port, t);
            let entry = &mut self.ins[port as usize];
            debug_assert!(entry.in_rem > 0, "flits of a worm that has not ended");
            debug_assert!(!EQUAL || !entry.in_on, "with one rate for all, only what has paused resumes");
            debug_assert!(entry.segments > 0 && period > 0, "a run has a worm and a pace");
            entry.in_on = true;
            if !EQUAL {
                let rates = &mut self.rates[port as usize];
                (rates.in_next, rates.in_period) = (t, u64::from(period));
            }
            self.change(port, t, observer);
        }
    }

    /// Accounts a port to the beginning of `t`, in which its inflow changes: what was foreseen behind that is an event.
    #[inline]
    fn bring_inflow_to(&mut self, port: u32, t: u64) {
        self.bring_to(port, t);
        if self.ins[port as usize].turn > 0 {
            self.schedule_turn(port);
        }
    }

    /// P2: STOP arrives.
    pub(super) fn stop_arrives<O: Observer>(&mut self, out: u32, t: u64, observer: &mut O) {
        if self.is_lost(out, t) {
            return;
        }
        debug_assert!(self.outs[out as usize].go, "STOP comes after GO");
        debug_assert!(!self.outs[out as usize].dead, "what comes over a failed cable is lost");
        self.outs[out as usize].go = false;
        let owner = self.owner_at(out, t);
        if owner != NONE {
            // Mainwaring et al. 1997, section 2.2: the timer of the forward reset runs while the output is blocked; a
            // head that waits may have started it before.
            let entry = &mut self.outs[out as usize];
            entry.since = entry.since.min(t);
            self.sync(owner, t);
            if self.is_all::<O>() {
                self.halt(owner, t, observer);
                self.look_from(owner, t);
            } else {
                self.list(owner, t);
                self.suspect(owner);
            }
        }
    }

    /// P2: GO arrives. Without a head waiting the output is no longer blocked.
    pub(super) fn go_arrives<O: Observer>(&mut self, out: u32, t: u64, observer: &mut O) {
        if self.is_lost(out, t) {
            return;
        }
        debug_assert!(!self.outs[out as usize].go, "GO comes after STOP");
        debug_assert!(!self.outs[out as usize].dead, "what comes over a failed cable is lost");
        self.outs[out as usize].go = true;
        let owner = self.owner_at(out, t);
        if owner != NONE {
            debug_assert!(self.outs[out as usize].since <= t, "a stopped output of a worm was blocked");
            // The timer goes by events, not by the condition: GO ends the blocked time even if a head begins to wait in
            // this cycle, which begins a new one (P2 is before P3).
            if self.outs[out as usize].wait == 0 {
                self.outs[out as usize].unblock(t);
            }
            self.sync(owner, t);
        }
        // Who said GO has waited for it before foreseeing that its buffer runs dry (`dries`). If nothing is sent to it
        // now, it does so in this cycle.
        let peer = self.outs[out as usize].peer;
        if (owner == NONE || !self.has_flits(owner)) && self.runs_dry(peer) {
            self.bring_to(peer, t);
            self.list(peer, t);
        }
        if owner != NONE {
            if self.is_all::<O>() {
                self.go_on(owner, t, observer);
            } else {
                self.list(owner, t);
            }
        }
    }

    /// Whether a flit of the front worm is there, or arrives in the cycle up to whose beginning the port is accounted.
    #[inline]
    fn has_flits(&self, port: u32) -> bool {
        let entry = &self.ins[port as usize];
        entry.occ > 0 || entry.in_on
    }

    /// The input port that owns an output at the beginning of `t`, or [`NONE`].
    #[inline]
    pub(super) fn owner_at(&mut self, out: u32, t: u64) -> u32 {
        // A tail that no event waited for has left without one (`cares_for_exit`): made good now.
        let owner = self.outs[out as usize].owner;
        if owner != NONE && self.ins[owner as usize].has_finished(t) {
            self.bring_to(owner, t);
            debug_assert!(self.outs[out as usize].owner == NONE, "a tail that has left gives up its output");
            return NONE;
        }
        debug_assert!(
            owner == NONE || self.ins[owner as usize].out == out,
            "owner and output name each other"
        );
        owner
    }

    /// The predicted change of a port is due, unless another prediction has taken its place.
    #[inline]
    pub(super) fn predicted<O: Observer>(&mut self, port: u32, t: u64, observer: &mut O) {
        let entry = &mut self.ins[port as usize];
        debug_assert!(entry.pred >= t, "no prediction is passed over");
        // Cancelling would cost more than an event that finds itself out of date.
        if entry.pred != t {
            return self.discount();
        }
        entry.pred = NEVER;
        // A tail that somebody waited for who does not any more is made good later, as others are.
        let entry = &self.ins[port as usize];
        if EQUAL && entry.exit == t && entry.out_on && !entry.stop_sent && !self.cares_for_exit(port, entry) {
            return self.discount();
        }
        if self.is_all::<O>() && self.crosses(port, t) {
            return;
        }
        self.bring_to(port, t);
        debug_assert!(self.ins[port as usize].t == t, "nothing is predicted for a head yet to arrive");
        self.change(port, t, observer);
    }

    /// A port, accounted to the beginning of `t`, has changed in one of P1 to P3, or is to do so in P4 or P5. These
    /// follow when their time comes, or at once if the change [is all](Self::is_all) that happens in this cycle.
    #[inline]
    fn change<O: Observer>(&mut self, port: u32, t: u64, observer: &mut O) {
        if self.is_all::<O>() {
            self.decide(port, t, observer);
        } else {
            self.list(port, t);
        }
    }

    /// Whether nothing else happens in this cycle than what is being handled: no list has an entry, and no event is
    /// left.
    #[inline]
    fn is_all<O: Observer>(&self) -> bool {
        !O::WATCHES && !self.is_listed && self.calendar.left() == 0
    }

    /// P4 and P5 of the only port that is accounted to the beginning of `t` for them.
    #[inline(never)]
    pub(super) fn decide<O: Observer>(&mut self, port: u32, t: u64, observer: &mut O) {
        if self.ins[port as usize].turn > 0 {
            self.schedule_turn(port);
        }
        self.evaluate::<O>(port, t);
        self.account(port, t, observer);
        if cfg!(debug_assertions) {
            self.check_settled(port, t);
        }
    }

    /// The front worm of `port` has just got its output, in cycle `t`, to the beginning of which the port is accounted.
    /// P4 and P5 follow when their time comes, unless [nothing else](Self::is_alone) can befall the port in this cycle:
    /// then what they would decide is known, and the worm leaves at once.
    #[inline]
    pub(super) fn leave<O: Observer>(&mut self, port: u32, t: u64, observer: &mut O) {
        if !self.is_alone(port) {
            self.list(port, t);
            return;
        }
        if self.ins[port as usize].turn > 0 {
            self.schedule_turn(port);
        }
        let entry = &mut self.ins[port as usize];
        debug_assert!(entry.t == t && !entry.out_on, "a worm begins to leave a port accounted up to now");
        let is_steady = entry.in_on || entry.in_rem == 0 || entry.segments > 1;
        entry.out_on = true;
        entry.exit = if is_steady { t + u64::from(entry.out_rem) - 1 } else { NEVER };
        // One that is not stopped, and meets nobody, has nothing to foresee.
        let foresees = entry.stop_sent;
        if !foresees {
            entry.pred = NEVER;
        }
        let (front, exit, out) = (entry.front, entry.exit, entry.out);
        self.send_head::<O>(port, 1, t);
        let output = &self.outs[out as usize];
        if self.is_sink(output.peer) {
            self.expect_tail(output.peer, front, exit.saturating_add(u64::from(output.delay)));
        }
        if foresees {
            self.predict(port);
        }
        if O::WATCHES {
            self.report_port(port, t, observer);
        }
        if cfg!(debug_assertions) {
            self.check_alone(port, t);
        }
    }

    /// Whether P4 and P5 of this cycle would do nothing with a port whose worm has just got its output but to let it
    /// go, a flit a cycle, and to foresee what comes next: a flit is there, it is not the last, the output may send,
    /// and the level crosses no mark in this cycle. No later phase of a cycle asks more of a port that was not touched
    /// before its worm got its output.
    ///
    /// One that has said STOP was touched if its head has come to ask in this cycle, watched or not. Of others only
    /// those leave at once that meet nobody: of several heads that go to one switch in a cycle, the first sent is the
    /// first that a unit is reserved for, and watching is not to change their order.
    #[inline]
    fn is_alone(&self, port: u32) -> bool {
        let entry = &self.ins[port as usize];
        let output = &self.outs[entry.out as usize];
        let occ = entry.occ + u32::from(entry.in_on);
        let is_safe = if entry.stop_sent {
            occ > self.switch.go + 1
        } else {
            let is_steady = entry.in_on || entry.in_rem == 0;
            let is_level_safe = entry.occ < self.switch.stop || port >= self.transmitters;
            is_steady && is_level_safe && entry.segments == 1 && output.wait == 0
        };
        EQUAL && self.shuffle.is_none() && is_safe && !entry.touched && entry.out_rem > 1 && output.go
    }

    /// P4: decides whether a flit leaves the port in cycle `t`.
    #[inline]
    pub(super) fn evaluate<O: Observer>(&mut self, port: u32, t: u64) {
        let entry = &self.ins[port as usize];
        let connected = entry.state == State::Connected;
        // A port ahead of t was written for a head that has yet to arrive (`send_head`).
        if entry.t > t || !entry.is_leaving() {
            return;
        }
        debug_assert!(
            entry.t == t && entry.out_rem > 0,
            "a worm that leaves has flits left at the beginning of a cycle"
        );
        debug_assert!(
            !connected || self.outs[entry.out as usize].owner == port,
            "a worm sends on the output that it was granted"
        );
        debug_assert!(
            !connected || !self.outs[entry.out as usize].dead,
            "nothing is sent over a failed cable"
        );
        let go = !connected || self.outs[entry.out as usize].go;
        // A tail that leaves in t as was foreseen.
        if EQUAL && go && entry.out_on && entry.exit == t && (entry.occ > 0 || entry.in_on) {
            debug_assert!(
                entry.out_rem == 1 && (entry.head_sent || !connected),
                "nothing else is left of its worm"
            );
            return;
        }
        // All that happened in P1 to P3 is in the state by now, whatever its order. Whoever sent a change at once would
        // send PAUSE and RESUME for one cycle where STOP and a grant meet, and their order would matter.
        if !EQUAL {
            self.evaluate_runs::<O>(port, t, go);
        } else {
            // With equal rates a flit that arrives in t may leave in t: an empty buffer passes on what comes.
            let leaves = go && (entry.occ > 0 || entry.in_on);
            if connected {
                if !leaves {
                    if entry.out_on {
                        self.send_pause::<O>(port, t);
                    }
                } else if !entry.head_sent {
                    self.send_head::<O>(port, 1, t);
                } else if !entry.out_on {
                    self.send_resume::<O>(port, 1, t);
                }
            }
            let entry = &mut self.ins[port as usize];
            entry.out_on = leaves;
            // The tail is foreseen only if nothing but STOP can come between: the rest is here, or follows without a
            // gap.
            let steady = leaves && (entry.in_on || entry.in_rem == 0 || entry.segments > 1);
            debug_assert!(
                !steady || entry.segments > 1 || entry.occ + entry.in_rem == entry.out_rem,
                "a tail is foreseen where all flits before it are"
            );
            entry.exit = if steady { t + u64::from(entry.out_rem) - 1 } else { NEVER };
        }
        if connected {
            let entry = &self.ins[port as usize];
            let out = &self.outs[entry.out as usize];
            // A host without receive buffers needs no events of its own: when the tail is there follows from here.
            if entry.head_sent && self.ends_behind(entry.out) {
                let tail = entry.exit.saturating_add(u64::from(out.delay));
                let (front, peer) = (entry.front, out.peer);
                self.expect_tail(peer, front, tail);
            }
        }
    }

    pub(super) fn send_pause<O: Observer>(&mut self, port: u32, t: u64) {
        debug_assert!(self.ins[port as usize].head_sent, "only a worm whose head has gone out pauses");
        debug_assert!(self.ins[port as usize].out_rem > 0, "behind its tail a worm does not pause");
        let out = &self.outs[self.ins[port as usize].out as usize];
        debug_assert!(out.owner == port, "a worm pauses on its own output");
        let (peer, delay) = (out.peer, out.delay);
        if !self.ends_behind(self.ins[port as usize].out) && !self.foresee_pause::<O>(peer, delay, t) {
            self.calendar.schedule(t + u64::from(delay), DATA, Event::Pause { port: peer });
        }
    }

    pub(super) fn send_resume<O: Observer>(&mut self, port: u32, period: u32, t: u64) {
        debug_assert!(self.ins[port as usize].head_sent, "only a worm whose head has gone out goes on");
        let out = &self.outs[self.ins[port as usize].out as usize];
        debug_assert!(out.owner == port && out.go, "a worm goes on where it may, on its own output");
        let (peer, delay) = (out.peer, out.delay);
        if !self.ends_behind(self.ins[port as usize].out) && !self.foresee_resume::<O>(peer, delay, t) {
            self.calendar.schedule(t + u64::from(delay), DATA, Event::Resume { port: peer, period });
        }
    }

    /// Puts a head on the cable. If nothing can come between, its decoding is scheduled at once.
    #[inline]
    pub(super) fn send_head<O: Observer>(&mut self, port: u32, period: u32, t: u64) {
        let entry = &mut self.ins[port as usize];
        debug_assert!(entry.state == State::Connected && !entry.head_sent, "a worm has one head");
        entry.head_sent = true;
        let worm = entry.front;
        let out = &self.outs[entry.out as usize];
        debug_assert!(out.owner == port && out.go && !out.dead, "a head leaves where it may");
        let (peer, arrival, at) = (out.peer, t + u64::from(out.delay), entry.out);
        if !EQUAL && self.in_transit.is_some() {
            self.outs[at as usize].passes = self.is_relay(peer) && self.worms[worm].left > 0;
        }
        if self.ends_behind(at) {
            let record = &mut self.worms[worm];
            record.head_at = arrival;
            record.too_soon = record.left > 0;
            if O::WATCHES {
                self.foresee_arrival(peer, worm, arrival);
            }
            return;
        }
        if !EQUAL {
            self.worms[worm].head_period = period;
        }
        let flits = self.worms[worm].flits();
        let is_foreseen = if EQUAL {
            self.enter(peer, worm, flits, t, arrival)
        } else {
            self.enter_by_reserving(peer, worm, flits, (t, arrival), u64::from(period))
        };
        if O::WATCHES && is_foreseen {
            self.foresee_arrival(peer, worm, arrival);
        }
    }

    /// [`enter`](Self::enter) for any port and unit, with a flit of the worm every `period` cycles from its arrival on.
    pub(super) fn enter_by_reserving(
        &mut self,
        port: u32,
        worm: u32,
        flits: u32,
        (t, arrival): (u64, u64),
        period: u64,
    ) -> bool {
        let reserved = if self.decodes(port) { self.reserve(port, worm, t, arrival) } else { None };
        let Some(decoded) = reserved else {
            self.ins[port as usize].flying += 1;
            self.calendar.schedule(arrival, DATA, Event::Head { port, worm });
            return false;
        };
        self.ins[port as usize].expect(worm, flits, NONE, (arrival, decoded));
        let out = self.asked_output(port).unwrap_or(NONE);
        self.ins[port as usize].out = out;
        if !EQUAL {
            let rates = &mut self.rates[port as usize];
            (rates.in_next, rates.in_period) = (arrival, period);
        }
        self.calendar.schedule(decoded, ROUTES, Event::Route { port });
        self.predict(port);
        true
    }

    /// P5: accounts to the end of cycle `t`, sends STOP or GO, predicts.
    #[inline]
    pub(super) fn settle<O: Observer>(&mut self, port: u32, t: u64, observer: &mut O) {
        debug_assert!(self.ins[port as usize].touched, "a port is settled once");
        self.ins[port as usize].touched = false;
        // Written for a head that arrives later: until then nothing flows, and `send_head` has predicted.
        if self.ins[port as usize].t > t + 1 {
            debug_assert!(self.ins[port as usize].state == State::Routing, "only a reserved port is ahead");
            return;
        }
        if O::WATCHES {
            self.report_port(port, t, observer);
        }
        self.account(port, t, observer);
    }

    /// The same for a port that is on no list.
    #[inline]
    pub(super) fn account<O: Observer>(&mut self, port: u32, t: u64, observer: &mut O) {
        let entry = &mut self.ins[port as usize];
        if EQUAL && entry.t == t && entry.turn == 0 && entry.exit > t {
            // `bring_to` for one cycle, in which no tail leaves.
            let (arrives, leaves) = (u32::from(entry.in_on), u32::from(entry.out_on));
            entry.t = t + 1;
            (entry.occ, entry.in_rem, entry.out_rem) =
                (entry.occ + arrives - leaves, entry.in_rem - arrives, entry.out_rem - leaves);
            entry.in_on &= entry.in_rem > 0;
            debug_assert!(entry.out_rem > 0 || entry.segments == 0, "a tail that leaves is foreseen");
        } else {
            self.bring_to(port, t + 1);
        }
        debug_assert!(self.ins[port as usize].t == t + 1, "accounted to the end of this cycle");
        if port < self.transmitters {
            self.control_flow(port, t, observer);
        }
        self.predict(port);
    }

    #[inline]
    fn control_flow<O: Observer>(&mut self, port: u32, t: u64, observer: &mut O) {
        let (stop, go) = self.levels(port);
        let entry = &mut self.ins[port as usize];
        debug_assert!(go < stop, "a level that asks for STOP does not ask for GO");
        debug_assert!(entry.t == t + 1, "levels are those of the end of the cycle");
        // On the level at the end of the cycle alone: a flit that comes and one that goes in a cycle cross no mark.
        // STOP when the buffer has filled up to one mark, GO when it has emptied down to another, each once. The
        // papers give no marks; docs/MODELS.md says what ours keep room for.
        let changes = if entry.stop_sent { entry.occ <= go } else { entry.occ >= stop };
        if !changes || entry.dead {
            return;
        }
        self.say(port, t);
        if O::WATCHES {
            let stops = self.ins[port as usize].stop_sent;
            observer.flow_control(Cycle(t), self.wiring.end(port), stops);
        }
    }

    /// Sends STOP in `t`, or GO if the port has said STOP.
    #[inline]
    pub(super) fn say(&mut self, port: u32, t: u64) {
        let entry = &mut self.ins[port as usize];
        // Stays on: a buffer that overflows would have lost flits, and no result of the run were worth anything.
        assert!(entry.occ <= self.switch.buffer || port >= self.switch_ports, "the buffer overflows");
        entry.stop_sent = !entry.stop_sent;
        let stops = entry.stop_sent;
        let plug = &self.outs[port as usize];
        debug_assert!(plug.peer != NONE && !plug.dead, "STOP and GO need a cable");
        let arrival = t + u64::from(plug.delay);
        self.calendar.schedule(arrival, CONTROL, Event::Control { out: plug.peer, go: !stops });
        self.note_control(port, t, arrival);
    }

    /// The tail of the front worm has left in cycle `exit`; what that sets free is free from the next on.
    pub(super) fn finish(&mut self, port: u32) {
        let entry = &mut self.ins[port as usize];
        debug_assert!(entry.out_rem == 0 && !entry.out_on, "the tail has left");
        debug_assert!(entry.segments > 0 && entry.front != NONE && entry.exit != NEVER, "there was a worm");
        debug_assert!(
            entry.segments > 1 || (entry.occ == 0 && entry.in_rem == 0),
            "its flits have left before it"
        );
        let (exit, state, worm, out) = (entry.exit, entry.state, entry.front, entry.out);
        entry.exit = NEVER;
        entry.out = NONE;
        entry.head_sent = false;
        entry.segments -= 1;
        if entry.segments == 0 {
            entry.state = State::Idle;
            (entry.front, entry.back) = (NONE, NONE);
        } else {
            let next = self.worms[worm].next;
            debug_assert!(next != NONE, "the worms of a buffer are linked");
            debug_assert!(entry.segments > 1 || next == entry.back, "up to the last");
            entry.front = next;
            entry.out_rem = self.worms[next].flits();
            if state != State::Taking {
                entry.state = State::Idle;
                self.come_to_front(port, exit + 1);
            }
        }
        match state {
            State::Connected => {
                // Another worm may have got the output since ([`pass`](Self::pass)).
                if self.outs[out as usize].owner == port {
                    self.release(out, exit + 1);
                }
                if port >= self.transmitters {
                    self.transmitter_free(port, exit + 1);
                } else if self.is_relay(port) {
                    self.interface_free(port, exit + 1);
                }
            }
            State::Taking => self.taken(port, worm, exit),
            _ => self.end_piece(worm, None),
        }
    }
}
