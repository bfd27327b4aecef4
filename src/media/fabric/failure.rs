//! P0: cables fail and return.

use super::endpoint::{Cause, Observer};
use super::engine::{Engine, Event, HOSTS, TOKENS};
use super::parameters::LinkTiming;
use super::ports::{NEVER, NONE, State};
use simnet_base::ids::LinkId;
use simnet_base::units::Cycle;

impl<const EQUAL: bool> Engine<EQUAL> {
    /// Both directions of the cable lose what is on them and go dead. Costs O(events in the calendar).
    pub(super) fn fail<O: Observer>(&mut self, link: u32, t: u64, observer: &mut O) {
        let ends = self.wiring.links[link as usize];
        let is_dead = |end: u32| self.outs[end as usize].dead && self.ins[end as usize].dead;
        debug_assert!(is_dead(ends[0]) == is_dead(ends[1]), "a cable fails in both directions");
        if self.outs[ends[0] as usize].dead {
            return;
        }
        if O::WATCHES {
            observer.cable(Cycle(t), LinkId(link), false);
        }
        for (out, port) in [(ends[0], ends[1]), (ends[1], ends[0])] {
            self.cut_channel(out, port, t, observer);
        }
        if self.cuts.is_empty() {
            self.cuts = vec![0; self.outs.len()];
        }
        for port in ends {
            debug_assert!(!self.ins[port as usize].in_on, "nothing flows in over a failed cable");
            debug_assert!(self.ins[port as usize].flying == 0, "and no head is on it");
            self.cuts[port as usize] = t;
            self.outs[port as usize].dead = true;
            self.ins[port as usize].dead = true;
        }
    }

    /// Cuts what the worm on a channel is made of: what has not left stays and drains, what is on the cable is lost,
    /// what has arrived is flushed.
    fn cut_channel<O: Observer>(&mut self, out: u32, port: u32, t: u64, observer: &mut O) {
        let owner = self.owner_at(out, t);
        let (mut cut, mut head_sent) = (NONE, false);
        if owner != NONE {
            self.touch(owner, t);
            cut = self.ins[owner as usize].front;
            debug_assert!(cut != NONE, "the owner of an output has a worm");
            head_sent = self.ins[owner as usize].head_sent;
            self.worms.strike(cut, Cause::LinkFailure, t, true);
            self.deadlock_hit(owner, out, t);
        }
        if self.is_sink(port) {
            self.cut_to_sink(port, cut, t);
        } else {
            self.cut_to_buffer(port, if head_sent { cut } else { NONE }, t);
        }
        if owner != NONE {
            self.abandon(owner, t, t, observer);
            self.lose_tail(owner, cut, t);
        }
        self.turn_away_waiting(out, t);
        let output = &self.outs[out as usize];
        debug_assert!(output.owner == NONE && output.wait == 0, "nobody has the channel or waits for it");
        debug_assert!(output.since == NEVER, "and it is not blocked any more");
    }

    /// The owner of a failed output eats what is still to come; a host drops its message.
    fn lose_tail(&mut self, owner: u32, worm: u32, t: u64) {
        debug_assert!(self.ins[owner as usize].state == State::Connected, "who owned a channel was sending");
        debug_assert!(self.ins[owner as usize].front == worm, "and it was this worm");
        if owner < self.transmitters {
            self.start_draining(owner);
            return;
        }
        self.empty(owner);
        let host = self.ins[owner as usize].node;
        let entry = &mut self.hosts[host as usize];
        debug_assert!(entry.free <= t, "it was not free before it sent this");
        debug_assert!(
            entry.transmitter == owner,
            "what owns a channel and is no switch's port is a transmitter"
        );
        entry.free = t;
        entry.backlog = false;
        entry.waits_for_cable = entry.next != NONE;
        self.end_piece(worm, None);
    }

    /// Heads that wait for a failed output have requested no output.
    fn turn_away_waiting(&mut self, out: u32, t: u64) {
        debug_assert!(self.outs[out as usize].owner == NONE, "the owner is dealt with first");
        while self.outs[out as usize].wait != 0 {
            let node = self.ins[out as usize].node;
            let port = self.first_waiting(out, node);
            self.clear_waiting(port, out);
            self.touch(port, t);
            self.deadlock_hit(port, out, t);
            debug_assert!(self.ins[port as usize].front != NONE, "a head waits");
            self.unwired.push(self.ins[port as usize].front);
            self.start_draining(port);
        }
    }

    /// The end of P0: other causes of this cycle's failures come first.
    pub(super) fn strike_unwired(&mut self, t: u64) {
        for worm in std::mem::take(&mut self.unwired) {
            debug_assert!(self.worms[worm].left > 0, "a head that was turned away had a turn to take");
            self.worms.strike(worm, Cause::NoSuchWire, t, true);
        }
    }

    /// The channel ends at a host that takes everything at once. `upstream`: the worm that owns the channel.
    fn cut_to_sink(&mut self, port: u32, upstream: u32, t: u64) {
        debug_assert!(self.is_sink(port), "a host without a buffer");
        let (mut tails, mut tokens) = (Vec::new(), Vec::new());
        let worms = &self.worms;
        self.calendar.for_each(|time, event| match *event {
            Event::Deliver { port: to, worm } if to == port && worms.is_tail_expected_at(worm, to, time) => {
                tails.push(worm)
            }
            Event::Token { port: to, worm } if to == port => tokens.push((time, worm)),
            _ => {}
        });
        self.for_each_now(|engine, event| match event {
            Event::Deliver { port: to, worm }
                if to == port && engine.worms.is_tail_expected_at(worm, to, t) =>
            {
                tails.push(worm);
            }
            Event::Token { port: to, worm } if to == port => tokens.push((t, worm)),
            _ => {}
        });
        // One tail can be expected twice, by an event out of date and by one of this cycle: the first counts.
        for worm in tails {
            if !self.worms.is_tail_expected(worm) {
                continue;
            }
            self.worms.forget_tail(worm);
            self.worms.strike(worm, Cause::LinkFailure, t, true);
            if worm != upstream {
                self.end_piece(worm, None);
            }
        }
        debug_assert!(
            upstream == NONE || !self.worms.is_tail_expected(upstream),
            "the tail of what was being sent is not expected any more"
        );
        for (time, worm) in tokens {
            if !self.is_lost(port, time) {
                self.end_piece(worm, None);
            }
        }
    }

    /// The channel ends at a buffer. `upstream`: the worm that owns the channel and whose head has gone out.
    fn cut_to_buffer(&mut self, port: u32, upstream: u32, t: u64) {
        debug_assert!(!self.is_sink(port), "a port with a buffer");
        // What this does to the head before it, or to it, ends the reservation of a unit for a second head.
        if self.is_switch_port(port) {
            self.revoke_queued(self.unit_of(port), t, t);
        }
        let mut flying = Vec::new();
        let mut collect = |time: u64, event: &Event| match *event {
            Event::Head { port: to, worm } if to == port => flying.push((time, worm)),
            _ => {}
        };
        self.calendar.for_each(&mut collect);
        self.for_each_now(|_, event| collect(t, &event));
        // Lost by an earlier failure of this cable are those that an event stays of: they were counted then.
        flying.retain(|(time, _)| !self.is_lost(port, *time));
        self.touch(port, t);
        // Heads that arrive wait at least until P3b of their cycle, so in P0 there is no doubt.
        let entry = &self.ins[port as usize];
        if entry.state == State::Routing && entry.is_foreseen(t) {
            flying.push((entry.t, entry.front));
            let number = self.unit_of(port);
            if let Some(unit) = self.switches.get_mut(number as usize) {
                (unit.busy, unit.current) = (NEVER, NONE);
            }
            self.forget_reserved_head(port, t);
        }
        debug_assert!(
            flying.len() >= usize::from(self.ins[port as usize].flying),
            "every head on the cable is found"
        );
        self.ins[port as usize].flying = 0;
        let mut tail_is_here = upstream != NONE;
        for (_, worm) in flying {
            self.worms.strike(worm, Cause::LinkFailure, t, true);
            if worm == upstream {
                tail_is_here = false;
            } else {
                self.end_piece(worm, None);
            }
        }
        let entry = &mut self.ins[port as usize];
        debug_assert!(entry.in_rem > 0 || !entry.in_on, "nothing flows in of a worm that is all there");
        if entry.in_rem > 0 {
            entry.in_on = false;
            let worm = entry.back;
            debug_assert!(entry.segments > 0 && worm != NONE, "what is cut off here has begun to arrive");
            debug_assert!(
                !tail_is_here || worm == upstream,
                "the last that has arrived is what is being sent"
            );
            self.worms.strike(worm, Cause::LinkFailure, t, true);
            self.calendar.schedule(t, TOKENS, Event::Flush { port });
            if tail_is_here {
                // The worm is cut in two: one piece drains upstream, one is flushed downstream.
                self.worms.message_mut(worm).pieces += 1;
            }
        }
    }

    /// Shows the events of the present cycle from P1 on.
    fn for_each_now(&self, mut see: impl FnMut(&Self, Event)) {
        self.calendar.upcoming(super::engine::DATA).for_each(|event| see(self, *event));
    }

    /// Both directions of the cable work again, with GO at both ends. An end is stopped if its buffer has no room for
    /// what may come until a STOP is obeyed, which takes one that holds more than its mark: what is to be sent then is
    /// as after a STOP.
    pub(super) fn restore<O: Observer>(&mut self, link: u32, t: u64, observer: &mut O) {
        let ends = self.wiring.links[link as usize];
        if !self.outs[ends[0] as usize].dead {
            return;
        }
        let is_dead = |end: &u32| self.outs[*end as usize].dead && self.ins[*end as usize].dead;
        debug_assert!(ends.iter().all(is_dead), "a cable returns in both directions");
        if O::WATCHES {
            observer.cable(Cycle(t), LinkId(link), true);
        }
        for port in ends {
            debug_assert!(self.outs[port as usize].owner == NONE, "nothing owns a channel that has failed");
            debug_assert!(self.outs[port as usize].wait == 0, "and no head waits for it");
            debug_assert!(
                self.ins[port as usize].flying == 0 && !self.ins[port as usize].in_on,
                "nothing is on its way over it"
            );
            self.touch(port, t);
            let full = self.is_too_full(port);
            let peer = self.outs[port as usize].peer;
            self.outs[peer as usize].go = !full;
            self.outs[port as usize].dead = false;
            self.ins[port as usize].dead = false;
            self.ins[port as usize].stop_sent = full;
            if O::WATCHES && full {
                observer.flow_control(Cycle(t), self.wiring.end(port), true);
            }
            if !self.is_switch_port(port) {
                self.retry_host(port, t);
            }
        }
    }

    /// Whether the buffer of a port may overflow before a STOP that is sent in this cycle is obeyed.
    fn is_too_full(&self, port: u32) -> bool {
        let plug = &self.outs[port as usize];
        let period = if EQUAL { 1 } else { self.channels[plug.peer as usize].period };
        let late = LinkTiming { period, delay: u64::from(plug.delay) }.flits_after_stop();
        self.is_switch_port(port)
            && u64::from(self.ins[port as usize].occ) + late > u64::from(self.switch.buffer)
    }

    fn retry_host(&mut self, port: u32, t: u64) {
        let host = self.wiring.host(port).0;
        let entry = &mut self.hosts[host as usize];
        if entry.out == port && std::mem::take(&mut entry.waits_for_cable) {
            debug_assert!(entry.next != NONE, "what waits for the cable is a message");
            debug_assert!(
                self.ins[entry.transmitter as usize].state == State::Idle,
                "a host that waits for its cable sends nothing"
            );
            entry.attempt = t;
            self.calendar.schedule(t, HOSTS, Event::Start { host });
        }
    }
}
