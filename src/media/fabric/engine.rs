//! The engine: its state, its events, and the cycle loop that runs the phases in order.

use std::ops::ControlFlow;

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::deadlock::Watch;
use super::endpoint::{Endpoint, Observer, RouteBuffer};
use super::headers::Headers;
use super::hosts::Over;
use super::parameters::{Receive, SwitchParameters};
use super::ports::{ChannelRate, Host, InPort, NEVER, OutPort, Rates, State, Switch, WideRequests};
use super::prefetch;
use super::reporting::Reported;
use super::wiring::{Records, Wiring};
use super::worm::Worms;
use super::{Parameters, Pause};
use simnet_base::des::calendar::Calendar;
use simnet_base::units::Cycle;

/// P0: cables fail and return.
pub(super) const LINKS: usize = 0;
/// P1: flits arrive.
pub(super) const DATA: usize = 1;
/// P2: STOP and GO arrive.
pub(super) const CONTROL: usize = 2;
/// P3a: routing units finish.
pub(super) const ROUTES: usize = 3;
/// Between P3 and P4: hosts start messages.
pub(super) const HOSTS: usize = 4;
/// P4 and P5: something predicted happens at an input port.
pub(super) const FLOW: usize = 5;
/// P4.5a: forward resets arrive.
pub(super) const TOKENS: usize = 6;
/// P4.5b: blocked outputs fire.
pub(super) const FIRES: usize = 7;
const PHASES: usize = 8;

/// The most ports of a fabric for which debug builds check lists of ports against all ports.
const CHECKED: usize = 500;

/// All that can happen.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    /// The cable fails or returns.
    Link { link: u32, up: bool },
    /// A head arrives, the worm's other flits behind it.
    Head { port: u32, worm: u32 },
    /// From this cycle on no flit arrives.
    Pause { port: u32 },
    /// From this cycle on a flit arrives every `period` cycles.
    Resume { port: u32, period: u32 },
    /// A tail arrives at a host that takes everything at once.
    Deliver { port: u32, worm: u32 },
    /// STOP or GO arrives.
    Control { out: u32, go: bool },
    /// The time to live of a head that began to wait at this port is over.
    Expire { port: u32 },
    /// The head in front of this port is decoded.
    Route { port: u32 },
    /// A routing unit has spent its time on a head that was destroyed.
    Idle { unit: u32 },
    /// The host is to be polled for a message.
    Wake { host: u32 },
    /// The host may be able to start its next message.
    Start { host: u32 },
    /// What was predicted for this port happens.
    Predicted { port: u32 },
    /// A forward reset arrives.
    Token { port: u32, worm: u32 },
    /// The last worm in this port lost its tail with a cable.
    Flush { port: u32 },
    /// The output has been blocked for the whole timeout.
    Fire { out: u32 },
}

/// The fabric's state. `EQUAL`: every channel carries one flit a cycle, and hosts take everything at once.
#[derive(Debug)]
pub(super) struct Engine<const EQUAL: bool> {
    pub(super) calendar: Calendar<Event>,
    pub(super) ins: Vec<InPort>,
    pub(super) outs: Vec<OutPort>,
    /// The switches, each with a routing unit; with units at outputs, one follows for each port of a switch, in their
    /// order.
    pub(super) switches: Vec<Switch>,
    /// The number of the unit of output 0.
    pub(super) output_units: u32,
    pub(super) hosts: Vec<Host>,
    pub(super) worms: Worms,
    /// Per port of a switch: the heads that were decoded there, by the unit of the output where outputs have them.
    pub(super) decoded: Vec<u64>,
    pub(super) rates: Vec<Rates>,
    pub(super) channels: Vec<ChannelRate>,
    pub(super) wide_waits: WideRequests,
    pub(super) wide_pending: WideRequests,
    pub(super) switch_ports: u32,
    pub(super) transmitters: u32,
    pub(super) switch: SwitchParameters,
    pub(super) headers: Option<Headers>,
    pub(super) receive: Option<Receive>,
    pub(super) send_overhead: u64,
    pub(super) time_to_live: Option<u64>,
    pub(super) in_transit: Option<u64>,
    pub(super) wiring: Wiring,
    /// The next cycle to be run.
    pub(super) now: u64,
    /// Whether any of the lists below may have an entry: noted with every one, and found out anew after a cycle. While
    /// events are shuffled it always is.
    pub(super) is_listed: bool,
    /// Whether an inflow may turn without an event.
    pub(super) has_turns: bool,
    /// Ports to be evaluated in P4 and settled in P5 of this cycle.
    pub(super) touched: Vec<u32>,
    /// Ports whose next head becomes pending in the next cycle.
    pub(super) pending_next: Vec<u32>,
    /// Ports whose waiting head may have used up its time to live in this cycle.
    pub(super) expired: Vec<u32>,
    /// Routing units that may take a head in this cycle.
    pub(super) units: Vec<u32>,
    /// Outputs to be arbitrated in this cycle, and in the next.
    pub(super) requests: Vec<u32>,
    pub(super) requests_next: Vec<u32>,
    /// Messages that are over in this cycle.
    pub(super) over: Vec<Over>,
    /// When blocked outputs are looked through next; [`NEVER`] without a timeout.
    pub(super) next_sweep: u64,
    /// Per port: when its cable last failed; empty if none ever did.
    pub(super) cuts: Vec<u64>,
    /// Worms to be struck with `NoSuchWire` at the end of P0.
    pub(super) unwired: Vec<u32>,
    /// Hosts whose message's tail has left in this cycle, with the cycle, if the endpoint hears of that.
    pub(super) departures: Vec<(u32, u64)>,
    pub(super) tells_departures: bool,
    pub(super) watch: Watch,
    /// What has been reported to the observer.
    pub(super) reported: Reported,
    /// How many messages have started.
    pub(super) starts: u64,
    pub(super) in_flight: usize,
    pub(super) events: u64,
    pub(super) asked: bool,
    pub(super) route: RouteBuffer,
    pub(super) shuffle: Option<ChaCha8Rng>,
}

impl<const EQUAL: bool> Engine<EQUAL> {
    pub(super) fn new(parameters: &Parameters, wiring: Wiring, records: Records) -> Engine<EQUAL> {
        let switch_ports = wiring.switch_ports();
        debug_assert!(records.ins.len() >= records.outs.len(), "the transmitters come after the plugs");
        debug_assert!(EQUAL == records.rates.is_empty(), "rates are kept where they differ");
        debug_assert!(EQUAL == records.channels.is_empty(), "of ports and of channels");
        debug_assert!(records.transmitters >= switch_ports, "no switch's port is a transmitter");
        debug_assert!(!EQUAL || parameters.host.receive.is_none(), "hosts without a pace have no buffers");
        debug_assert!(
            parameters.switch.go < parameters.switch.stop,
            "the levels of a buffer have been checked"
        );
        let heads =
            if parameters.host.in_transit.is_some() { records.outs.len() } else { switch_ports as usize };
        let decoded = vec![0; heads];
        let headers = parameters
            .switch
            .routing_interval
            .map(|interval| Headers::new(parameters.switch.routing_latency, interval, switch_ports as usize));
        Engine {
            calendar: Calendar::new(PHASES),
            ins: records.ins,
            outs: records.outs,
            switches: records.switches,
            output_units: records.output_units,
            hosts: records.hosts,
            worms: Worms::default(),
            decoded,
            rates: records.rates,
            channels: records.channels,
            wide_waits: records.wide_waits,
            wide_pending: records.wide_pending,
            switch_ports,
            transmitters: records.transmitters,
            switch: parameters.switch,
            headers,
            receive: parameters.host.receive,
            send_overhead: parameters.host.send_overhead,
            time_to_live: parameters.host.time_to_live,
            in_transit: parameters.host.in_transit,
            wiring,
            now: 0,
            is_listed: false,
            has_turns: false,
            touched: Vec::new(),
            pending_next: Vec::new(),
            expired: Vec::new(),
            units: Vec::new(),
            requests: Vec::new(),
            requests_next: Vec::new(),
            over: Vec::new(),
            next_sweep: if parameters.switch.timeout.is_some() { 0 } else { NEVER },
            cuts: Vec::new(),
            unwired: Vec::new(),
            departures: Vec::new(),
            tells_departures: false,
            watch: Watch::default(),
            reported: Reported::default(),
            starts: 0,
            in_flight: 0,
            events: 0,
            asked: false,
            route: RouteBuffer::new(),
            shuffle: None,
        }
    }

    pub(super) fn run_until<E: Endpoint, O: Observer>(
        &mut self,
        limit: Cycle,
        endpoint: &mut E,
        observer: &mut O,
    ) -> Pause {
        if !self.asked {
            self.asked = true;
            self.ask_all(endpoint);
        }
        self.is_listed |= self.shuffle.is_some();
        if O::WATCHES {
            self.begin_to_watch();
        }
        loop {
            // Outputs that would fire are looked for up to some cycle ahead: no further.
            let horizon = limit.0.min(self.next_sweep);
            let is_plain = !O::WATCHES && !self.is_listed;
            if let Some((cycle, only)) = if is_plain { self.calendar.open_next(horizon) } else { None } {
                debug_assert!(cycle >= self.now && cycle < limit.0, "time goes on, up to the limit");
                self.now = cycle;
                self.run_plain(cycle, only, endpoint, observer);
            } else {
                let cycle = match self.next_cycle(limit.0) {
                    Ok(cycle) => cycle,
                    Err(pause) => return self.pause(pause, limit.0, observer),
                };
                debug_assert!(cycle >= self.now && cycle < limit.0, "time goes on, up to the limit");
                self.now = cycle;
                self.calendar.open(cycle);
                if O::WATCHES {
                    self.report_before(cycle, observer);
                }
                self.run_phases(LINKS, cycle, endpoint, observer);
            }
            self.now += 1;
            if self.is_listed && self.end_cycle(endpoint, observer).is_break() {
                if O::WATCHES {
                    self.report_before(self.now, observer);
                }
                return Pause::Break;
            }
        }
    }

    /// No cycle is left to be run before `limit`, for such a reason.
    #[cold]
    fn pause<O: Observer>(&mut self, pause: Pause, limit: u64, observer: &mut O) -> Pause {
        if cfg!(debug_assertions) && pause == Pause::Idle && self.ins.len() <= CHECKED {
            self.check_all();
            self.check_rest();
        }
        debug_assert!(
            pause != Pause::Idle || self.calendar.is_empty(),
            "what is said to be idle has no event left"
        );
        let rest = if pause == Pause::Idle { self.rest().min(limit) } else { limit };
        self.now = self.now.max(rest);
        if O::WATCHES {
            self.report_before(self.now, observer);
        }
        if self.now < limit { pause } else { Pause::Limit }
    }

    /// The first cycle from which on no flit moves, now that no event is left. Costs O(ports) if messages are
    /// in flight.
    fn rest(&self) -> u64 {
        if self.in_flight > 0 {
            // Their flits may go on moving for a while after the last event.
            return self.standstill();
        }
        let checked = self.ins.len() <= CHECKED;
        debug_assert!(!checked || self.standstill() <= self.now, "a message is over when its last flit is");
        self.now
    }

    /// The next cycle in which something happens, or why there is none to be run.
    #[inline]
    fn next_cycle(&mut self, limit: u64) -> Result<u64, Pause> {
        if self.now >= limit {
            return Err(Pause::Limit);
        }
        let urgent = !(self.pending_next.is_empty() && self.requests_next.is_empty());
        // Outputs that would fire are looked for up to some cycle ahead; without a timeout, for ever.
        let horizon = limit.min(if self.switch.timeout.is_some() { self.next_sweep } else { NEVER });
        if urgent && self.now < horizon {
            return Ok(self.now);
        }
        match self.calendar.next_before(horizon) {
            Some(cycle) => Ok(cycle),
            None => self.look_further(limit, urgent),
        }
    }

    /// The same where nothing happens before outputs are to be looked through for those that fire.
    #[cold]
    fn look_further(&mut self, limit: u64, urgent: bool) -> Result<u64, Pause> {
        let Some(timeout) = self.switch.timeout else {
            return Err(if self.calendar.is_empty() { Pause::Idle } else { Pause::Limit });
        };
        loop {
            // Where no message is in flight no output is blocked, and the ports need not be looked through.
            debug_assert!(self.ins.len() > CHECKED || self.in_flight > 0 || !self.is_any_blocked());
            if self.calendar.is_empty() && !urgent && (self.in_flight == 0 || !self.is_any_blocked()) {
                return Err(Pause::Idle);
            }
            if limit <= self.next_sweep {
                return Err(Pause::Limit);
            }
            self.sweep(timeout, if urgent { self.now } else { limit });
            let horizon = limit.min(self.next_sweep);
            if urgent && self.now < horizon {
                return Ok(self.now);
            }
            if let Some(cycle) = self.calendar.next_before(horizon) {
                return Ok(cycle);
            }
        }
    }

    /// Runs the cycle that is open, with its `only` event unless it has several, when none before has left anything to
    /// it. Most cycles have one event, and most events leave nothing to the phases after their own.
    #[inline(always)]
    fn run_plain<E: Endpoint, O: Observer>(
        &mut self,
        t: u64,
        only: Option<(usize, Event)>,
        endpoint: &mut E,
        observer: &mut O,
    ) {
        let mut next = only;
        if next.is_none() {
            if self.calendar.left() > prefetch::WORTH_WHILE {
                return self.run_phases(LINKS, t, endpoint, observer);
            }
            next = self.calendar.pop_next();
        }
        while let Some((phase, event)) = next {
            self.handle(event, t, endpoint, observer);
            if self.is_listed && (phase == LINKS || !self.is_quiet()) {
                // Of what is left, ports to be evaluated and settled need no phase before P4.
                return if phase > LINKS && self.is_decided() {
                    self.run_flow(phase, t, endpoint, observer);
                } else {
                    self.run_phases(phase, t, endpoint, observer);
                };
            }
            debug_assert!(self.is_quiet(), "what is listed is noted");
            next = self.calendar.pop_next();
        }
    }

    /// Whether the events of this cycle have left nothing to be done in it.
    #[inline]
    fn is_quiet(&self) -> bool {
        let left = self.touched.len() | self.units.len() | self.requests.len() | self.expired.len();
        left == 0 && !self.watch.has_suspects()
    }

    /// Whether no event is left in this cycle, and nothing to be done before P4.
    #[inline]
    fn is_decided(&self) -> bool {
        self.units.len() | self.requests.len() | self.expired.len() | self.calendar.left() == 0
    }

    /// The phases of the table in the module's documentation, from the given one on, whose events may have begun.
    #[inline(never)]
    fn run_phases<E: Endpoint, O: Observer>(
        &mut self,
        from: usize,
        t: u64,
        endpoint: &mut E,
        observer: &mut O,
    ) {
        // What a handler settled at once would come before phases that are yet to come.
        self.is_listed = true;
        // P0: not shuffled, since requests of one cycle are carried out in their order.
        if self.calendar.has(LINKS) {
            while let Some(event) = self.calendar.pop(LINKS) {
                self.handle(event, t, endpoint, observer);
            }
        }
        if !self.unwired.is_empty() {
            self.strike_unwired(t);
        }
        // P1, P2.
        if O::WATCHES {
            self.report_arrivals(t, observer);
        }
        for phase in [DATA, CONTROL] {
            self.run_phase(phase, t, endpoint, observer);
        }
        // P2': heads that have come to the front at the end of the last cycle.
        if from <= CONTROL && !self.pending_next.is_empty() {
            self.request_units(t);
        }
        // P2a.
        if from <= CONTROL && !self.expired.is_empty() {
            self.turn_away_expired(t);
        }
        // P3a, P3b, P3c, and hosts.
        self.run_phase(ROUTES, t, endpoint, observer);
        if from <= ROUTES && !self.units.is_empty() {
            self.assign_units(t);
        }
        if from <= ROUTES && !(self.requests.is_empty() && self.requests_next.is_empty()) {
            self.arbitrate(t, observer);
        }
        for phase in [HOSTS, FLOW] {
            self.run_phase(phase, t, endpoint, observer);
        }
        self.run_flow(from, t, endpoint, observer);
    }

    /// P4 and P5, and what comes between.
    #[inline(never)]
    fn run_flow<E: Endpoint, O: Observer>(
        &mut self,
        from: usize,
        t: u64,
        endpoint: &mut E,
        observer: &mut O,
    ) {
        // Mostly one port alone is left to be decided.
        if let [port] = self.touched[..]
            && from <= FLOW
            && self.calendar.left() == 0
        {
            self.evaluate::<O>(port, t);
            self.settle(port, t, observer);
            return self.end_flow(t, observer);
        }
        // P4: one decision per port and cycle.
        self.shuffle_list(|engine| &mut engine.touched);
        let evaluated = if from <= FLOW { self.touched.len() } else { 0 };
        for index in 0..evaluated {
            self.evaluate::<O>(self.touched[index], t);
        }
        debug_assert!(
            from > FLOW || self.touched.len() == evaluated,
            "what P4 decides touches no other port in its cycle"
        );
        // P4.5a, P4.5b: they touch further ports, for P5 only.
        for phase in [TOKENS, FIRES] {
            self.run_phase(phase, t, endpoint, observer);
        }
        // P5.
        let settled = self.touched.len();
        for index in 0..settled {
            self.settle(self.touched[index], t, observer);
        }
        debug_assert!(self.touched.len() == settled, "what P5 sends arrives in a later cycle");
        self.end_flow(t, observer);
    }

    /// The end of P5.
    #[inline]
    fn end_flow<O: Observer>(&mut self, t: u64, observer: &mut O) {
        if cfg!(debug_assertions) {
            self.check_cycle(t);
        }
        self.touched.clear();
        if self.watch.has_suspects() {
            self.look_for_deadlocks(t);
        }
        if O::WATCHES {
            self.report_deadlocks(observer);
        }
    }

    #[inline(always)]
    fn run_phase<E: Endpoint, O: Observer>(
        &mut self,
        phase: usize,
        t: u64,
        endpoint: &mut E,
        observer: &mut O,
    ) {
        // Most phases of most cycles have no events: the check alone is inlined.
        if self.calendar.has(phase) {
            self.run_events(phase, t, endpoint, observer);
        }
    }

    fn run_events<E: Endpoint, O: Observer>(
        &mut self,
        phase: usize,
        t: u64,
        endpoint: &mut E,
        observer: &mut O,
    ) {
        if let Some(rng) = &mut self.shuffle {
            self.calendar.shuffle(phase, rng);
        }
        let many = self.calendar.peek(phase, prefetch::WORTH_WHILE).is_some();
        if many {
            self.call_at_start(phase);
        }
        while let Some(event) = self.calendar.pop(phase) {
            if many {
                self.call_ahead(phase);
            }
            self.handle(event, t, endpoint, observer);
        }
    }

    #[inline(always)]
    fn handle<E: Endpoint, O: Observer>(&mut self, event: Event, t: u64, endpoint: &mut E, observer: &mut O) {
        debug_assert!(t == self.now, "events happen in the present");
        self.events += 1;
        match event {
            Event::Link { link, up } => {
                self.is_listed = true;
                if up { self.restore(link, t, observer) } else { self.fail(link, t, observer) }
            }
            Event::Head { port, worm } => self.head_arrives(port, worm, t, observer),
            Event::Pause { port } => self.inflow_pauses(port, t, observer),
            Event::Resume { port, period } => self.inflow_resumes(port, period, t, observer),
            Event::Deliver { port, worm } => self.deliver(port, worm, t),
            Event::Control { out, go: false } => self.stop_arrives(out, t, observer),
            Event::Control { out, go: true } => self.go_arrives(out, t, observer),
            // Whether STOP or GO of this cycle comes before or after must not matter: it waits for P2a.
            Event::Expire { port } => {
                self.is_listed = true;
                self.expired.push(port);
            }
            Event::Route { port } => self.route(port, t, observer),
            Event::Idle { unit } => self.unit_is_idle(unit, t),
            Event::Wake { host } => self.host_wakes(host, t, endpoint, observer),
            Event::Start { host } => self.host_may_start(host, t, endpoint, observer),
            Event::Predicted { port } => self.predicted(port, t, observer),
            Event::Token { port, worm } => self.token_arrives(port, worm, t, observer),
            Event::Flush { port } => self.flush(port, t, observer),
            Event::Fire { out } => self.fire(out, t, observer),
        }
    }

    /// What is being handled is out of date and no event: how many such there are depends on how far ahead was looked.
    #[inline]
    pub(super) fn discount(&mut self) {
        self.events -= 1;
    }

    /// Ends a cycle that has left entries on lists, and tells what is over in it.
    #[inline]
    fn end_cycle<E: Endpoint, O: Observer>(&mut self, endpoint: &mut E, observer: &mut O) -> ControlFlow<()> {
        self.is_listed =
            self.shuffle.is_some() || !(self.pending_next.is_empty() && self.requests_next.is_empty());
        if self.over.is_empty() && self.departures.is_empty() {
            return ControlFlow::Continue(());
        }
        self.report(endpoint, observer)
    }

    /// Puts a port on the list for P4 and P5, accounted to the beginning of `t`.
    #[inline]
    pub(super) fn touch(&mut self, port: u32, t: u64) {
        self.bring_to(port, t);
        self.list(port, t);
    }

    /// The same for a port that is accounted to the beginning of `t`.
    #[inline]
    pub(super) fn list(&mut self, port: u32, t: u64) {
        let entry = &mut self.ins[port as usize];
        debug_assert!(entry.t == t || entry.state == State::Routing, "only a port that is reserved is ahead");
        if !entry.touched {
            if entry.turn > 0 {
                self.schedule_turn(port);
            }
            self.ins[port as usize].touched = true;
            self.is_listed = true;
            self.touched.push(port);
            debug_assert!(self.touched.len() <= self.ins.len(), "a port is touched once a cycle");
        }
    }

    /// Accounts a port to the beginning of `t`; a tail that has left before is a thing of the past.
    #[inline]
    pub(super) fn bring_to(&mut self, port: u32, t: u64) {
        self.sync(port, t);
        if self.ins[port as usize].has_finished(t) {
            self.finish(port);
        }
        debug_assert!(self.ins[port as usize].t >= t, "a port is accounted for up to now");
        debug_assert!(
            (self.ins[port as usize].segments > 0) == (self.ins[port as usize].out_rem > 0),
            "a worm is there until its tail has left"
        );
    }

    /// Puts a list of things to be done into a random order, if that is wanted.
    #[inline]
    pub(super) fn shuffle_list(&mut self, list: impl Fn(&mut Self) -> &mut Vec<u32>) {
        if self.shuffle.is_none() {
            return;
        }
        let mut moved = std::mem::take(list(self));
        if let Some(rng) = &mut self.shuffle {
            moved.shuffle(rng);
        }
        *list(self) = moved;
    }

    /// Whether what arrives at `port` in cycle `t` was on the cable when it failed.
    #[inline]
    pub(super) fn is_lost(&self, port: u32, t: u64) -> bool {
        debug_assert!(
            self.cuts.get(port as usize).is_none_or(|cut| *cut <= self.now),
            "a cable that has failed did so by now"
        );
        !self.cuts.is_empty() && self.cuts[port as usize] + u64::from(self.outs[port as usize].delay) > t
    }

    /// Whether the port is a host's that takes everything at once.
    #[inline]
    pub(super) fn is_sink(&self, port: u32) -> bool {
        port >= self.switch_ports && (EQUAL || self.receive.is_none())
    }

    /// Whether the port is a switch's.
    #[inline]
    pub(super) fn is_switch_port(&self, port: u32) -> bool {
        port < self.switch_ports
    }

    /// Whether the port is a host's that sends worms in transit on: for them it is the port of a switch.
    #[inline]
    pub(super) fn is_relay(&self, port: u32) -> bool {
        !EQUAL && self.in_transit.is_some() && port >= self.switch_ports && port < self.transmitters
    }

    /// The pipeline of headers, if the port is an input of a switch with one.
    #[inline]
    pub(super) fn headers_at(&mut self, port: u32) -> Option<&mut Headers> {
        let is_switch_port = self.is_switch_port(port);
        self.headers.as_mut().filter(|_| is_switch_port)
    }

    /// Whether heads are decoded at the port: it is a switch's, or a host's that sends worms on.
    #[inline]
    pub(super) fn decodes(&self, port: u32) -> bool {
        self.is_switch_port(port) || self.is_relay(port)
    }

    /// How many cycles the port's heads are decoded for.
    #[inline]
    pub(super) fn latency(&self, port: u32) -> u64 {
        match self.in_transit {
            Some(latency) if self.is_relay(port) => latency,
            _ => self.switch.routing_latency,
        }
    }

    /// Whether the worm that was last sent by the output ends at a host that takes it at once.
    #[inline]
    pub(super) fn ends_behind(&self, out: u32) -> bool {
        let output = &self.outs[out as usize];
        self.is_sink(output.peer) && (EQUAL || !output.passes)
    }

    pub(super) fn wake(&mut self, host: u32, at: u64) {
        assert!((host as usize) < self.hosts.len(), "host {host} is not of this fabric");
        self.calendar.schedule(at.max(self.now), HOSTS, Event::Wake { host });
    }

    pub(super) fn schedule_link(&mut self, link: u32, at: u64, up: bool) {
        assert!((link as usize) < self.wiring.links.len(), "cable {link} is not of this fabric");
        assert!(self.in_transit.is_none(), "cables do not fail where hosts send worms on");
        self.calendar.schedule(at.max(self.now), LINKS, Event::Link { link, up });
    }
}
