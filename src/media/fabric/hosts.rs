//! Hosts: when messages are requested, started, and over.

use std::ops::ControlFlow;

use super::endpoint::{Cause, Ended, Endpoint, Fate, Observer, WormId};
use super::engine::{DATA, Engine, Event, HOSTS};
use super::ports::{NEVER, NONE, State};
use super::worm::{Message, Worm};
use simnet_base::ids::HostId;
use simnet_base::units::Cycle;

/// A message that is over in this cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Over {
    ended: Ended,
    serial: u64,
}

impl Over {
    /// The message of a worm that ends so.
    #[inline]
    pub(super) fn new(worm: &Worm, message: &Message, fate: Fate) -> Over {
        let ended = Ended {
            tag: message.tag,
            source: HostId(message.source),
            payload: worm.payload,
            created: Cycle(message.created),
            started: Cycle(message.started),
            fate,
        };
        Over { ended, serial: message.serial }
    }
}

/// Orders the messages of one cycle by sender and tag. A function of its own: the engine is compiled once for each kind
/// of hosts and observers, sorting need not be.
fn by_sender(over: &mut [Over]) {
    over.sort_unstable_by_key(|over| (over.ended.source, over.ended.tag, over.ended.created));
}

impl<const EQUAL: bool> Engine<EQUAL> {
    /// Asks every host with a cable for its first message.
    pub(super) fn ask_all<E: Endpoint>(&mut self, endpoint: &mut E) {
        debug_assert!(self.starts == 0, "hosts are asked before anything starts");
        for host in 0..self.hosts.len() {
            if self.hosts[host].transmitter == NONE {
                continue;
            }
            let host = u32::try_from(host).expect("host ids have 32 bits");
            self.ask(host, endpoint);
            let entry = &self.hosts[host as usize];
            if entry.next != NONE {
                let ready = self.ready(host, 0).max(self.now);
                self.attempt(host, ready);
            }
        }
    }

    fn ask<E: Endpoint>(&mut self, host: u32, endpoint: &mut E) {
        debug_assert!(self.hosts[host as usize].next == NONE, "a host has one message ready at a time");
        debug_assert!(self.hosts[host as usize].transmitter != NONE, "a host without a cable is not asked");
        self.route.clear();
        if let Some(mut message) = endpoint.next_message(HostId(host), &mut self.route) {
            message.time_to_live = message.time_to_live.or(self.time_to_live);
            self.hosts[host as usize].next = self.worms.add(host, &message, &self.route);
        }
    }

    /// The first cycle in which the next message may start if the transmitter is free from `free` on.
    #[inline]
    fn ready(&self, host: u32, free: u64) -> u64 {
        let entry = &self.hosts[host as usize];
        debug_assert!(entry.next != NONE, "there is a message to be ready");
        let created = self.worms.message(entry.next).created;
        let ready = created.max(free).saturating_add(self.send_overhead);
        if EQUAL { ready } else { ready.max(self.channels[entry.out as usize].free) }
    }

    /// Plans to start the next message in cycle `at`; what was planned before has lost its meaning.
    #[inline]
    fn attempt(&mut self, host: u32, at: u64) {
        debug_assert!(at >= self.now, "a message starts in this cycle or later");
        debug_assert!(self.hosts[host as usize].next != NONE, "what is planned is the start of a message");
        self.hosts[host as usize].attempt = at;
        self.calendar.schedule(at, HOSTS, Event::Start { host });
    }

    /// The endpoint has reported that this host has something to send again.
    pub(super) fn host_wakes<E: Endpoint, O: Observer>(
        &mut self,
        host: u32,
        t: u64,
        endpoint: &mut E,
        observer: &mut O,
    ) {
        let entry = &self.hosts[host as usize];
        debug_assert!(entry.next != NONE || entry.attempt == NEVER, "a start that is planned has a message");
        if entry.next == NONE && entry.transmitter != NONE {
            self.ask(host, endpoint);
            self.try_to_start(host, t, endpoint, observer);
        }
    }

    /// The instant has come at which the next message was thought able to start.
    pub(super) fn host_may_start<E: Endpoint, O: Observer>(
        &mut self,
        host: u32,
        t: u64,
        endpoint: &mut E,
        observer: &mut O,
    ) {
        debug_assert!(self.hosts[host as usize].attempt >= t, "no planned start is passed over");
        if self.hosts[host as usize].attempt != t {
            return self.discount();
        }
        self.hosts[host as usize].attempt = NEVER;
        self.try_to_start(host, t, endpoint, observer);
    }

    fn try_to_start<E: Endpoint, O: Observer>(
        &mut self,
        host: u32,
        t: u64,
        endpoint: &mut E,
        observer: &mut O,
    ) {
        let entry = self.hosts[host as usize];
        if entry.next == NONE {
            return;
        }
        debug_assert!(entry.transmitter != NONE && entry.out != NONE, "only a cabled host has a message");
        // One message after the other: the transmitter is a port whose worm is wholly there when it starts.
        let transmitter = &mut self.ins[entry.transmitter as usize];
        if EQUAL && transmitter.is_spent(t) && !(entry.backlog || self.tells_departures) {
            debug_assert!(entry.free <= transmitter.exit, "a transmitter is freed in order");
            // `bring_to` for the case in which most are found: there is nothing to be counted, and nobody to be told.
            let free = transmitter.exit + 1;
            self.hosts[host as usize].free = free;
            debug_assert!(self.outs[entry.out as usize].wait == 0, "nobody waits for a host's output");
            self.outs[entry.out as usize].fall_free(free);
            transmitter.forget();
            transmitter.t = t;
        } else {
            self.bring_to(entry.transmitter, t);
        }
        if !EQUAL && self.in_transit.is_some() {
            // Worms in transit that could be sent on in this cycle have got the output before, in P3c.
            let owner = self.owner_at(entry.out, t);
            if owner != NONE && owner != entry.transmitter {
                self.hosts[host as usize].backlog = true;
                self.care_for_exit(owner);
                return;
            }
        }
        let state = self.ins[entry.transmitter as usize].state;
        debug_assert!(matches!(state, State::Idle | State::Connected), "a transmitter sends or does nothing");
        if self.ins[entry.transmitter as usize].state != State::Idle {
            self.hosts[host as usize].backlog = true;
            self.care_for_exit(entry.transmitter);
            return;
        }
        if self.outs[entry.out as usize].dead {
            self.hosts[host as usize].waits_for_cable = true;
            return;
        }
        let ready = self.ready(host, self.hosts[host as usize].free);
        if ready > t {
            self.attempt(host, ready);
            return;
        }
        self.start(host, t, observer);
        self.ask(host, endpoint);
        self.plan_next(host, t);
    }

    fn start<O: Observer>(&mut self, host: u32, t: u64, observer: &mut O) {
        let entry = &mut self.hosts[host as usize];
        let (port, out) = (entry.transmitter, entry.out);
        let worm = std::mem::replace(&mut entry.next, NONE);
        debug_assert!(worm != NONE && entry.free <= t, "a message, and the transmitter is free");
        debug_assert!(entry.attempt == NEVER, "a message that starts is not planned any more");
        let message = self.worms.message_mut(worm);
        debug_assert!(
            message.created <= t && message.started == NEVER,
            "a message starts once it is created"
        );
        (message.started, message.serial) = (t, self.starts);
        self.starts += 1;
        debug_assert!(!self.worms.is_tail_expected(worm), "no host has seen it yet");
        let record = &mut self.worms[worm];
        record.expires = record.expires.saturating_add(t);
        debug_assert!(record.head_at == NEVER, "not even its head");
        let (flits, turns, payload) = (record.flits(), record.left, record.payload);
        self.in_flight += 1;
        let entry = &mut self.ins[port as usize];
        debug_assert!(entry.state == State::Idle && entry.segments == 0, "one message after the other");
        entry.t = t;
        entry.state = State::Connected;
        entry.out = out;
        entry.head_sent = false;
        (entry.front, entry.back, entry.segments) = (worm, worm, 1);
        (entry.occ, entry.in_rem, entry.out_rem) = (flits, 0, flits);
        let output = &mut self.outs[out as usize];
        debug_assert!(output.owner == NONE && !output.dead, "the channel is free and works");
        output.belong_to(port, u64::from(flits), t);
        if !output.go {
            output.since = t;
        }
        if O::WATCHES {
            self.note_holder(port);
            observer.started(Cycle(t), self.wiring.end(out), self.identity(worm), u32::from(turns), payload);
        }
        if self.tells_departures {
            // Someone cares when the tail leaves, as a message behind it would.
            self.hosts[host as usize].backlog = true;
            self.list(port, t);
        } else if !(EQUAL && !O::WATCHES && self.shuffle.is_none() && self.depart(port, t)) {
            self.leave(port, t, observer);
        }
    }

    /// A message has started in `t`: plans the next attempt for when it will have left, if nothing stops it.
    #[inline]
    fn plan_next(&mut self, host: u32, t: u64) {
        let entry = &self.hosts[host as usize];
        debug_assert!(
            self.outs[entry.out as usize].owner == entry.transmitter,
            "the message that has started has its channel"
        );
        if entry.next == NONE {
            return;
        }
        if self.outs[entry.out as usize].go {
            let period = if EQUAL { 1 } else { self.channels[entry.out as usize].period };
            let flits = u64::from(self.ins[entry.transmitter as usize].out_rem);
            debug_assert!(flits > 0, "a message has a flit of payload at least");
            // A guess: a STOP on the way makes it wrong, and the attempt then finds the transmitter busy.
            let ready = self.ready(host, t + (flits - 1) * period + 1);
            self.attempt(host, ready);
        } else {
            self.hosts[host as usize].backlog = true;
        }
    }

    /// The transmitter `port` is free from cycle `t` on.
    pub(super) fn transmitter_free(&mut self, port: u32, t: u64) {
        let host = self.ins[port as usize].node;
        let entry = &mut self.hosts[host as usize];
        debug_assert!(entry.transmitter == port && entry.free <= t, "a transmitter is freed in order");
        debug_assert!(self.ins[port as usize].state == State::Idle, "and has no other message");
        debug_assert!(self.outs[entry.out as usize].owner == NONE, "its output is free as well");
        entry.free = t;
        if self.tells_departures {
            self.is_listed = true;
            self.departures.push((host, t - 1));
        }
        if std::mem::take(&mut entry.backlog) && entry.next != NONE {
            let ready = self.ready(host, t);
            self.attempt(host, ready);
        }
    }

    /// The output of the host's port `port` is free from cycle `t` on, after a worm in transit.
    pub(super) fn interface_free(&mut self, port: u32, t: u64) {
        let host = self.wiring.host(port).0;
        let entry = &mut self.hosts[host as usize];
        if entry.out != port {
            return;
        }
        debug_assert!(entry.free <= t, "an interface is freed in order");
        entry.free = t;
        if std::mem::take(&mut entry.backlog) && entry.next != NONE {
            let ready = self.ready(host, t);
            self.attempt(host, ready);
        }
    }

    /// The tail of the worm on its way to a host that takes everything at once is now expected in cycle
    /// `tail`.
    #[inline]
    pub(super) fn expect_tail(&mut self, port: u32, worm: u32, tail: u64) {
        debug_assert!(self.worms[worm].head_at <= tail, "a tail comes with its head or after it");
        debug_assert!(self.is_sink(port) && tail > self.now, "it is on its way to a host without a buffer");
        if tail == NEVER {
            self.worms.forget_tail(worm);
        } else if !self.worms.is_tail_expected_at(worm, port, tail) {
            self.worms.expect_tail(worm, port, tail);
            self.calendar.schedule(tail, DATA, Event::Deliver { port, worm });
        }
    }

    /// P1: a tail arrives at a host that takes everything at once, unless it was held up.
    #[inline]
    pub(super) fn deliver(&mut self, port: u32, worm: u32, t: u64) {
        let Some((record, message)) = self.worms.reach(worm, port, t) else { return self.discount() };
        let head = record.head_at;
        debug_assert!(record.too_soon == (record.left > 0), "what is delivered has taken all its turns");
        // Stay on here and below: a latency would be wrong.
        assert!(head + u64::from(record.flits()) <= t + 1, "a flit a cycle comes at most, from head to tail");
        let fate = Fate::Delivered { host: self.wiring.host(port), head: Cycle(head), tail: Cycle(t) };
        if record.too_soon || message.cause.is_some() {
            if record.too_soon {
                self.worms.strike(worm, Cause::HostTooSoon, head, false);
            }
            return self.end_piece(worm, Some(fate));
        }
        debug_assert!(message.pieces == 1, "only a worm that is whole is delivered");
        message.pieces = 0;
        let over = Over::new(record, message, fate);
        self.end_message(worm, over);
    }

    /// P4: a host's interface has taken the tail out of its receive buffer in cycle `t`.
    pub(super) fn taken(&mut self, port: u32, worm: u32, t: u64) {
        let record = &self.worms[worm];
        assert!(
            record.head_at + u64::from(record.flits()) <= t + 1,
            "a flit a cycle is taken at most, from head to tail"
        );
        debug_assert!(port >= self.switch_ports && self.receive.is_some(), "a host with a buffer takes");
        debug_assert!(
            record.left == 0 || self.worms.message(worm).cause.is_some(),
            "a route that was not used up has met its cause"
        );
        debug_assert!(self.rates[port as usize].take_free > t, "the interface was busy with the tail");
        self.rates[port as usize].take_free += self.receive.map_or(0, |receive| receive.overhead);
        let fate = Fate::Delivered {
            host: self.wiring.host(port),
            head: Cycle(self.worms[worm].head_at),
            tail: Cycle(t),
        };
        self.end_piece(worm, Some(fate));
    }

    /// Ends one piece of a worm in cycle `t`; with the last piece the message is over.
    pub(super) fn end_piece(&mut self, worm: u32, delivered: Option<Fate>) {
        let record = self.worms.message_mut(worm);
        debug_assert!(record.pieces > 0, "each piece ends once");
        record.pieces -= 1;
        debug_assert!(record.pieces == 0 || delivered.is_none(), "only a worm that is whole is delivered");
        if record.pieces > 0 {
            return;
        }
        let fate = match (record.cause, delivered) {
            (Some(cause), _) => Fate::Destroyed { cause, at: Cycle(record.struck_at) },
            (None, Some(fate)) => fate,
            (None, None) => unreachable!("a worm that is not delivered has a cause to end"),
        };
        let over = Over::new(&self.worms[worm], self.worms.over(worm), fate);
        self.end_message(worm, over);
    }

    /// Ends a message of which no piece is left.
    #[inline]
    pub(super) fn end_message(&mut self, worm: u32, over: Over) {
        // Stays on: a message that ends twice, or without a start, would be counted among the results.
        assert!(self.in_flight > 0, "what ends has begun");
        self.in_flight -= 1;
        self.worms.remove(worm);
        if cfg!(debug_assertions) {
            self.check_ended(&over.ended);
        }
        self.is_listed = true;
        self.over.push(over);
    }

    /// Tells the endpoint about the messages that are over, in an order that depends on nothing else.
    #[inline]
    pub(super) fn report<E: Endpoint, O: Observer>(
        &mut self,
        endpoint: &mut E,
        observer: &mut O,
    ) -> ControlFlow<()> {
        let mut flow = ControlFlow::Continue(());
        if !self.departures.is_empty() {
            self.departures.sort_unstable();
            for (host, at) in self.departures.drain(..) {
                debug_assert!(at < self.now, "a tail that is reported has left");
                if endpoint.departed(HostId(host), Cycle(at)).is_break() {
                    flow = ControlFlow::Break(());
                }
            }
        }
        if self.over.len() > 1 {
            by_sender(&mut self.over);
        }
        for Over { ended, serial } in &self.over {
            debug_assert!(*serial < self.starts, "what is over was counted when it started");
            if O::WATCHES {
                let worm = WormId { serial: *serial, source: ended.source, tag: ended.tag };
                observer.ended(Cycle(self.now - 1), worm, &ended.fate);
            }
            if endpoint.ended(ended).is_break() {
                flow = ControlFlow::Break(());
            }
        }
        self.over.clear();
        flow
    }
}
