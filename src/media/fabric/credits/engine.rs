//! The engine: its state, its events, and the cycle loop that runs the phases in order.

use std::ops::ControlFlow;

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::deadlock::Watch;
use super::management::{Management, Step};
use super::messages::Records;
use super::parameters::CreditParameters;
use super::records::{Host, Lane, Output, Queue};
use super::reporting::Reports;
use crate::fabric::endpoint::{Ended, Endpoint, Fate, Observer, RouteBuffer, WormId};
use crate::fabric::ports::{NEVER, NONE};
use crate::fabric::wiring::Wiring;
use crate::fabric::{Parameters, Pause};
use simnet_base::des::calendar::Calendar;
use simnet_base::ids::HostId;
use simnet_base::units::Cycle;
use simnet_network::topology::{End, Network};

/// P0: cables fail and return.
pub(super) const LINKS: usize = 0;
/// P1: tails reach hosts.
pub(super) const TAILS: usize = 1;
/// P2: packets in front are ready, or reach a limit.
pub(super) const READY: usize = 2;
/// P3: hosts start messages.
pub(super) const HOSTS: usize = 3;
/// P4: outputs are arbitrated.
pub(super) const GRANTS: usize = 4;
/// P5: what has been destroyed is over, and tails have left hosts.
pub(super) const OVER: usize = 5;
const PHASES: usize = 6;

/// All that can happen.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    /// The cable fails or returns.
    Link { link: u32, up: bool },
    /// The tail of the packet reaches its host.
    Deliver { packet: u32 },
    /// The front packet of the queue is decoded, and its bytes are in time for its output.
    Ready { queue: u32 },
    /// The limits of the front packet are to be looked at.
    Alarm { queue: u32 },
    /// The host is to be polled for a message.
    Wake { host: u32 },
    /// The host may start its next message.
    Start { host: u32 },
    /// The output may be able to send.
    Try { out: u32 },
    /// All of a destroyed packet was in the buffer, and is gone.
    Destroyed { packet: u32 },
    /// The tail of the host's last message leaves.
    Depart { host: u32 },
    /// Something happens to what the lane of management has at a packet, port or host.
    Management { step: Step, at: u32 },
}

/// A message that is over in this cycle.
#[derive(Clone, Copy, Debug)]
struct Over {
    ended: Ended,
    serial: u64,
}

/// The fabric's state.
#[derive(Debug)]
pub(in crate::fabric) struct Engine {
    pub(super) calendar: Calendar<Event>,
    /// By port of a switch, then by lane.
    pub(super) queues: Vec<Queue>,
    /// By port, then by lane.
    pub(super) lanes: Vec<Lane>,
    /// By port.
    pub(super) outs: Vec<Output>,
    /// By output of a switch, lane and queue of the switch: which queues wait for that lane of the output.
    pub(super) requests: Vec<u64>,
    pub(super) hosts: Vec<Host>,
    pub(super) records: Records,
    pub(super) management: Management,
    pub(super) wiring: Wiring,
    pub(super) parameters: CreditParameters,
    /// Lanes of data, as in the parameters.
    pub(super) lane_count: u32,
    pub(super) routing_latency: u64,
    pub(super) send_overhead: u64,
    pub(super) time_to_live: Option<u64>,
    /// Per port of a switch: the switch.
    pub(super) switch_of: Vec<u32>,
    pub(super) switch_ports: u32,
    /// The next cycle to be run.
    pub(in crate::fabric) now: u64,
    /// Outputs of switches to be arbitrated in this cycle.
    pub(super) listed: Vec<u32>,
    /// Queues whose front packet has become ready in this cycle, if there is a limit to its waiting.
    pub(super) limited: Vec<u32>,
    over: Vec<Over>,
    /// Hosts whose message's tail has left in this cycle.
    pub(super) departures: Vec<u32>,
    pub(in crate::fabric) tells_departures: bool,
    pub(in crate::fabric) watch: Watch,
    pub(super) reports: Reports,
    /// How many messages have started.
    pub(super) starts: u64,
    pub(in crate::fabric) in_flight: usize,
    pub(super) events: u64,
    asked: bool,
    pub(super) route: RouteBuffer,
    pub(in crate::fabric) shuffle: Option<ChaCha8Rng>,
}

impl Engine {
    /// An idle fabric at cycle 0. The parameters have been checked.
    pub(in crate::fabric) fn new(
        network: &Network,
        parameters: &Parameters,
        credits: &CreditParameters,
        wiring: Wiring,
        attached: &[Option<simnet_base::ids::Port>],
    ) -> Engine {
        let mut engine = Engine {
            calendar: Calendar::new(PHASES),
            queues: Vec::new(),
            lanes: vec![Lane::new(); wiring.ports() * usize::from(credits.lanes)],
            outs: Vec::new(),
            requests: Vec::new(),
            hosts: Vec::new(),
            records: Records::default(),
            management: Management::default(),
            switch_ports: wiring.switch_ports(),
            wiring,
            parameters: credits.clone(),
            lane_count: u32::from(credits.lanes),
            routing_latency: parameters.switch.routing_latency,
            send_overhead: parameters.host.send_overhead,
            time_to_live: parameters.host.time_to_live,
            switch_of: Vec::new(),
            now: 0,
            listed: Vec::new(),
            limited: Vec::new(),
            over: Vec::new(),
            departures: Vec::new(),
            tells_departures: false,
            watch: Watch::default(),
            reports: Reports::default(),
            starts: 0,
            in_flight: 0,
            events: 0,
            asked: false,
            route: RouteBuffer::new(),
            shuffle: None,
        };
        engine.lay_out(network, parameters, attached);
        engine
    }

    fn lay_out(
        &mut self,
        network: &Network,
        parameters: &Parameters,
        attached: &[Option<simnet_base::ids::Port>],
    ) {
        let lanes = u32::from(self.parameters.lanes);
        let (mut base, mut requests) = (0, 0);
        for (number, switch) in (0..).zip(network.switches()) {
            let ports = u32::from(switch.ports);
            let words = (ports * lanes).div_ceil(64);
            for port in 0..ports {
                self.switch_of.push(number);
                self.outs.push(Output::new(requests, words, base * lanes));
                requests += lanes * words;
                let each = (0..self.parameters.lanes).zip(port * lanes..);
                self.queues
                    .extend(each.map(|(lane, place)| Queue::new(base + port, place, lane, base, ports)));
            }
            base += ports;
        }
        self.requests = vec![0; requests as usize];
        self.outs.resize_with(self.wiring.ports(), || Output::new(0, 0, 0));
        for (ends, timing) in self.wiring.links.iter().zip(&parameters.links) {
            for (from, to) in [(ends[0], ends[1]), (ends[1], ends[0])] {
                let out = &mut self.outs[from as usize];
                // Stays on: two cables in one port would be one channel to two places.
                assert!(out.peer == NONE, "a port has one cable at most");
                out.peer = to;
                out.delay = u32::try_from(timing.delay).expect("checked");
                out.period = u32::try_from(timing.period).expect("checked");
                out.dead = false;
                out.to_host = to >= self.switch_ports;
                for lane in 0..lanes {
                    let number = from * lanes + lane;
                    let far = to * lanes + lane;
                    if let Some(queue) = self.queues.get_mut(far as usize) {
                        let lane = &mut self.lanes[number as usize];
                        (lane.queue, lane.credits) = (far, self.parameters.buffer);
                        (queue.upstream, queue.upstream_lane) = (from, number);
                        (queue.delay, queue.period) = (out.delay, out.period);
                    }
                }
            }
        }
        if let Some(room) = self.parameters.management {
            let switches = network.switches().iter().map(|switch| u32::from(switch.ports));
            let starts = switches.clone().scan(0, |next, ports| Some(std::mem::replace(next, *next + ports)));
            let ports = starts.zip(switches);
            let each = ports.flat_map(|(base, ports)| std::iter::repeat_n((base, ports), ports as usize));
            self.management = Management::new(room, each, network.hosts().len());
        }
        for (host, port) in network.host_ids().zip(attached) {
            let out = port.map_or(NONE, |port| self.wiring.port(End::host(host, port.0)));
            self.hosts.push(Host {
                out,
                current: NONE,
                unsent: 0,
                next: NONE,
                attempt: NEVER,
                free: 0,
                departs: NEVER,
                waits_for_cable: false,
            });
        }
    }

    pub(in crate::fabric) fn run_until<E: Endpoint, O: Observer>(
        &mut self,
        limit: Cycle,
        endpoint: &mut E,
        observer: &mut O,
    ) -> Pause {
        if !self.asked {
            self.asked = true;
            self.ask_all(endpoint);
        }
        if self.now >= limit.0 {
            return Pause::Limit;
        }
        while let Some((cycle, only)) = self.calendar.open_next(limit.0) {
            if O::WATCHES {
                self.report_before(cycle, observer);
            }
            self.now = cycle;
            self.run_cycle(cycle, only, endpoint, observer);
            self.now = cycle + 1;
            if self.over.len() | self.departures.len() != 0 && self.report(endpoint, observer).is_break() {
                return Pause::Break;
            }
        }
        self.pause(limit.0, observer)
    }

    /// No event is left before `limit`.
    #[cold]
    fn pause<O: Observer>(&mut self, limit: u64, observer: &mut O) -> Pause {
        let is_idle = self.calendar.is_empty();
        // Bytes may go on moving for a while after the last event.
        let rest = if is_idle { self.standstill().min(limit) } else { limit };
        self.now = self.now.max(rest);
        if O::WATCHES {
            self.report_before(self.now, observer);
        }
        if is_idle && self.now < limit { Pause::Idle } else { Pause::Limit }
    }

    /// Runs the cycle that is open, with its `only` event unless it has several.
    #[inline]
    fn run_cycle<E: Endpoint, O: Observer>(
        &mut self,
        t: u64,
        only: Option<(usize, Event)>,
        endpoint: &mut E,
        observer: &mut O,
    ) {
        debug_assert!(self.listed.is_empty() && self.over.is_empty(), "a cycle leaves nothing to the next");
        if self.shuffle.is_some() {
            self.run_shuffled(t, only, endpoint, observer);
        } else if let Some((_, event)) = only {
            // As most cycles are.
            if let Event::Ready { queue } = event
                && self.pass(queue, t, observer)
            {
                self.events += 1;
                if !O::WATCHES {
                    return;
                }
            } else {
                self.handle(event, t, endpoint, observer);
            }
            if self.calendar.left() > 0 {
                self.run_events(t, endpoint, observer);
            }
        } else {
            self.note_requests(t);
            self.run_events(t, endpoint, observer);
        }
        if !self.listed.is_empty() {
            self.arbitrate_all(t, observer);
            // What is destroyed in its own cycle, or a tail that leaves in it.
            while let Some(event) = self.calendar.pop(OVER) {
                self.handle(event, t, endpoint, observer);
            }
        }
        self.clear_deadlocks(t, observer);
        if O::WATCHES {
            self.report_before(t + 1, observer);
        }
    }

    /// The events of the cycle that are left, in order of phases.
    #[inline(never)]
    fn run_events<E: Endpoint, O: Observer>(&mut self, t: u64, endpoint: &mut E, observer: &mut O) {
        while let Some((phase, event)) = self.calendar.pop_next() {
            if let Event::Ready { queue } = event
                && self.is_alone(queue, t)
                && self.pass_beside(queue, t, observer)
            {
                self.events += 1;
                continue;
            }
            if phase == OVER && !self.listed.is_empty() {
                self.arbitrate_all(t, observer);
            }
            self.handle(event, t, endpoint, observer);
        }
    }

    #[inline(never)]
    fn pass_beside<O: Observer>(&mut self, queue: u32, t: u64, observer: &mut O) -> bool {
        self.pass(queue, t, observer)
    }

    /// The same with the events of each phase in a random order.
    #[cold]
    fn run_shuffled<E: Endpoint, O: Observer>(
        &mut self,
        t: u64,
        only: Option<(usize, Event)>,
        endpoint: &mut E,
        observer: &mut O,
    ) {
        let first = only.map_or(0, |(phase, event)| {
            self.calendar.schedule(t, phase, event);
            phase
        });
        for phase in first..PHASES {
            if phase == OVER {
                if let Some(rng) = &mut self.shuffle {
                    self.listed.shuffle(rng);
                }
                self.arbitrate_all(t, observer);
            }
            // P0 is not shuffled: requests of one cycle are carried out in their order.
            if let Some(rng) = self.shuffle.as_mut().filter(|_| phase != LINKS) {
                self.calendar.shuffle(phase, rng);
            }
            while let Some(event) = self.calendar.pop(phase) {
                self.handle(event, t, endpoint, observer);
            }
        }
    }

    #[inline(always)]
    fn handle<E: Endpoint, O: Observer>(&mut self, event: Event, t: u64, endpoint: &mut E, observer: &mut O) {
        self.events += 1;
        match event {
            Event::Link { link, up: false } => self.fail(link, t, observer),
            Event::Link { link, up: true } => self.restore(link, t, observer),
            Event::Deliver { packet } => self.deliver(packet),
            Event::Ready { queue } => self.ready(queue, t, observer),
            Event::Alarm { queue } => self.alarm(queue, t, observer),
            Event::Wake { host } => self.host_wakes(host, t, endpoint),
            Event::Start { host } => self.host_may_start(host, t, endpoint, observer),
            Event::Try { out } => self.try_again::<O>(out, t),
            Event::Destroyed { packet } => self.end_packet(packet),
            Event::Depart { host } => self.depart(host, t),
            Event::Management { step, at } => self.manage(step, at, t, endpoint, observer),
        }
    }

    /// Notes which outputs are asked for by one packet only of those that become ready in the cycle that has begun.
    fn note_requests(&mut self, t: u64) {
        for event in self.calendar.upcoming(READY) {
            let out = match event {
                Event::Ready { queue } => self.queues[*queue as usize].out,
                Event::Management { step: Step::Ready, at } => self.management.queues[*at as usize].out,
                _ => NONE,
            };
            if let Some(output) = self.outs.get_mut(out as usize) {
                output.is_contested = output.asked_at == t;
                output.asked_at = t;
            }
        }
    }

    /// Whether no other packet that becomes ready in cycle `t` asks for the same output, if that has been noted.
    #[inline]
    fn is_alone(&self, queue: u32, t: u64) -> bool {
        let output = self.outs.get(self.queues[queue as usize].out as usize);
        output.is_some_and(|output| output.asked_at == t && !output.is_contested)
    }

    /// Puts an output of a switch on the list of those to be arbitrated in this cycle.
    #[inline]
    pub(super) fn list(&mut self, out: u32) {
        let output = &mut self.outs[out as usize];
        if !output.listed {
            output.listed = true;
            self.listed.push(out);
        }
    }

    /// The output may be able to send in cycle `t`, unless that has been found out before. That of a host has one
    /// message to send, and waits for nothing else that happens in the cycle.
    #[inline]
    fn try_again<O: Observer>(&mut self, out: u32, t: u64) {
        let output = &mut self.outs[out as usize];
        if output.try_at != t {
            return;
        }
        output.try_at = NEVER;
        if out < self.switch_ports {
            self.list(out);
        } else {
            self.send_from_host::<O>(out, t);
        }
    }

    /// Has the output arbitrated in cycle `at`, if not before.
    #[inline]
    pub(super) fn wake_output(&mut self, out: u32, at: u64) {
        let output = &mut self.outs[out as usize];
        debug_assert!(at > self.now, "what is arbitrated later is arbitrated in a later cycle");
        if at < output.try_at {
            output.try_at = at;
            self.calendar.schedule(at, GRANTS, Event::Try { out });
        }
    }

    /// P4: arbitrates the outputs of switches on the list.
    #[inline]
    fn arbitrate_all<O: Observer>(&mut self, t: u64, observer: &mut O) {
        for index in 0..self.listed.len() {
            let out = self.listed[index];
            self.outs[out as usize].listed = false;
            if self.outs[out as usize].urgent > 0 {
                self.arbitrate_management(out, t, observer);
            } else {
                self.arbitrate(out, t, observer);
            }
        }
        if !self.limited.is_empty() {
            self.set_alarms();
        }
        if O::WATCHES {
            self.report_waits(t, observer);
            self.report_management_waits(t, observer);
        }
        self.clear_deadlocks(t, observer);
        self.look_for_deadlocks(t, observer);
        self.listed.clear();
    }

    /// A piece of a message is over; with the last one the message is. What is delivered names its tail and the port.
    pub(super) fn end_pieces(&mut self, message: u32, pieces: u32, tail: Option<(u64, u32)>) {
        let record = &mut self.records.messages[message as usize];
        // Stays on: a message that ends twice would be counted among the results.
        assert!(record.pieces >= pieces, "each piece ends once");
        record.pieces -= pieces;
        if record.pieces > 0 {
            return;
        }
        let fate = match (record.cause, tail) {
            (Some(cause), _) => Fate::Destroyed { cause, at: Cycle(record.struck_at) },
            (None, Some((tail, port))) => {
                assert!(
                    record.head_at + u64::from(record.payload) <= tail + 1,
                    "a byte a cycle comes at most"
                );
                Fate::Delivered {
                    host: self.wiring.host(port),
                    head: Cycle(record.head_at),
                    tail: Cycle(tail),
                }
            }
            (None, None) => unreachable!("what is not delivered has a cause to end"),
        };
        let ended = Ended {
            tag: record.tag,
            source: HostId(record.source),
            payload: record.payload,
            created: Cycle(record.created),
            started: Cycle(record.started),
            fate,
        };
        self.over.push(Over { ended, serial: record.serial });
        self.records.remove(message);
        self.in_flight -= 1;
    }

    /// Tells the endpoint about the messages that are over, in an order that depends on nothing else.
    #[inline]
    fn report<E: Endpoint, O: Observer>(&mut self, endpoint: &mut E, observer: &mut O) -> ControlFlow<()> {
        let mut flow = ControlFlow::Continue(());
        self.departures.sort_unstable();
        for host in self.departures.drain(..) {
            if endpoint.departed(HostId(host), Cycle(self.now - 1)).is_break() {
                flow = ControlFlow::Break(());
            }
        }
        if self.over.len() > 1 {
            self.over.sort_unstable_by_key(|over| (over.ended.source, over.ended.tag, over.serial));
        }
        for Over { ended, serial } in self.over.drain(..) {
            if O::WATCHES {
                let worm = WormId { serial, source: ended.source, tag: ended.tag };
                observer.ended(Cycle(self.now - 1), worm, &ended.fate);
            }
            if endpoint.ended(&ended).is_break() {
                flow = ControlFlow::Break(());
            }
        }
        flow
    }

    pub(in crate::fabric) fn wake(&mut self, host: u32, at: u64) {
        assert!((host as usize) < self.hosts.len(), "host {host} is not of this fabric");
        self.calendar.schedule(at.max(self.now), HOSTS, Event::Wake { host });
    }

    pub(in crate::fabric) fn schedule_link(&mut self, link: u32, at: u64, up: bool) {
        assert!((link as usize) < self.wiring.links.len(), "cable {link} is not of this fabric");
        self.calendar.schedule(at.max(self.now), LINKS, Event::Link { link, up });
    }
}
