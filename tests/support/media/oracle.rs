//! The oracle: a wormhole fabric simulated cycle by cycle and flit by flit, slow and plain.
//!
//! It is written from the phase table of the semantics alone and shares no code with `simnet_media::fabric` but
//! the types of its parameters and results. Every flit is an object in a queue; every cycle visits every
//! port once in every phase, in the order of the table. Ports have no numbers of their own here: the sending
//! end and the receiving end of a channel are both found under the channel's number.
//!
//! ```text
//!   P0 links  P1 data  P2 control, new heads  P3 routed, routing, granted, started
//!   P4 sent, taken, drained  P4.5 tokens, resets  P5 stop and go
//! ```

mod deadlock;
mod inspect;
mod phases;

use std::collections::VecDeque;

use simnet_base::ids::{HostId, LinkId, Node, Port, Turn};
use simnet_base::units::Cycle;
use simnet_media::fabric::{Arbitration, Cause, Fate, Parameters, Receive};
use simnet_network::topology::{End, Network};

pub use deadlock::Deadlock;
pub use inspect::ChannelView;

/// A message as the workload gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The cycle in which its host creates it.
    pub created: u64,
    /// Its flits after the route flits.
    pub payload: u32,
    /// Its route.
    pub route: Vec<Turn>,
    /// Its name in the logs: its position in the records.
    pub tag: u64,
    /// Its own time to live, in cycles from its start.
    pub time_to_live: Option<u64>,
}

/// A cable that fails (`up` false) or comes back at the beginning of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkEvent {
    /// The cycle.
    pub at: u64,
    /// The cable.
    pub link: LinkId,
    /// Whether it comes back.
    pub up: bool,
}

/// All that determines a run.
#[derive(Clone, Debug)]
pub struct Case {
    /// The wiring.
    pub network: Network,
    /// Delays, periods, buffers, latencies.
    pub parameters: Parameters,
    /// Per host, the port that it sends on.
    pub attachments: Vec<Option<Port>>,
    /// Per host, its messages in the order of sending.
    pub messages: Vec<Vec<Message>>,
    /// What happens to the cables, in order of time.
    pub link_events: Vec<LinkEvent>,
    /// The cycle before which the run ends.
    pub horizon: u64,
}

/// Everything that happened, in the order in which it was noted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Logs {
    /// Cycle, input port, output port and worm of every grant.
    pub grants: Vec<(u64, End, End, u64)>,
    /// Cycle, output port and worm of every forward reset.
    pub resets: Vec<(u64, End, u64)>,
    /// Cycle, input port and kind (true: STOP) of every STOP and GO.
    pub flow: Vec<(u64, End, bool)>,
}

/// A worm: a message that has been started.
#[derive(Clone, Debug)]
struct Worm {
    source: HostId,
    message: Message,
    started: u64,
    /// How many turns have been used up.
    hop: usize,
    struck: Option<(Cause, u64)>,
    head: Option<u64>,
    delivered: Option<(HostId, u64)>,
}

/// A flit; `head` marks the first flit of its worm at the place where it is.
#[derive(Clone, Copy, Debug)]
struct Flit {
    worm: usize,
    head: bool,
    tail: bool,
    /// With a pipeline of headers, when this head began to be decoded where it is.
    begun: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Input(usize),
    Host(usize),
}

/// The sending end of a channel, and what is in flight on it.
#[derive(Clone, Debug)]
struct Output {
    end: End,
    owner: Option<Owner>,
    /// The worm that the output was granted to, and whether its first flit has gone out.
    worm: usize,
    head_sent: bool,
    go: bool,
    /// Since when the output has been owned and (a head waits for it or it is stopped).
    since: Option<u64>,
    last_sent: Option<u64>,
    /// Where the next round of the arbiter begins: an index into the switch's ports.
    pointer: usize,
    data: VecDeque<(u64, Flit)>,
    tokens: VecDeque<u64>,
    /// STOP (true) and GO on their way from the receiving end to this one.
    control: VecDeque<(u64, bool)>,
    sent: u64,
    blocked: u64,
    held: u64,
}

/// What an input port does with the worm at the front of its buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    Pending,
    Routing { done: u64 },
    Waiting { output: usize },
    Connected { output: usize },
    Draining { worm: usize },
}

/// The receiving end of a channel.
#[derive(Clone, Debug)]
struct Input {
    end: End,
    buffer: VecDeque<Flit>,
    state: State,
    /// The worm whose head has arrived here and whose tail has not.
    arriving: Option<usize>,
    /// Set when the cable failed with `arriving` on it, until the rest is flushed at the end of the cycle.
    cut: bool,
    /// Hosts: whether the worm whose head came last is to be sent on.
    in_transit: bool,
    stop_sent: bool,
    /// Hosts: the first cycle in which the interface may take the next flit.
    next_take: u64,
    /// With a pipeline of headers: the first cycle in which another may begin.
    next_begin: u64,
}

#[derive(Clone, Debug)]
struct Switch {
    /// Per port: the channel that arrives there and the one that leaves.
    ports: Vec<Option<(usize, usize)>>,
    first_port: u16,
    /// With one for all its ports or for each input, the first counts; with one for each output, that at the output's
    /// place.
    units: Vec<Unit>,
}

/// What decodes one header at a time.
#[derive(Clone, Copy, Debug, Default)]
struct Unit {
    busy_until: u64,
    /// Where the next round begins: an index into the switch's ports.
    pointer: usize,
}

/// A host's transmitter.
#[derive(Clone, Debug)]
struct Transmitter {
    /// The channel that it sends on.
    output: Option<usize>,
    waiting: VecDeque<Message>,
    /// The worm under way and its flits not yet sent.
    current: Option<(usize, u64)>,
    free: u64,
}

/// The whole fabric.
#[derive(Clone, Debug)]
pub struct Oracle {
    now: u64,
    parameters: Parameters,
    events: VecDeque<LinkEvent>,
    up: Vec<bool>,
    outputs: Vec<Output>,
    inputs: Vec<Input>,
    switches: Vec<Switch>,
    /// Hosts that send worms on, each as a switch of the port by which it does.
    relays: Vec<Switch>,
    hosts: Vec<Transmitter>,
    worms: Vec<Worm>,
    /// Whether anything changed in this cycle. If not, nothing will before the next deadline.
    moved: bool,
    /// Whether cycles in which nothing can change are passed over.
    pub leap: bool,
    /// What happened.
    pub logs: Logs,
    standing: Vec<Vec<usize>>,
    /// The wait cycles in the order of their formation.
    pub deadlocks: Vec<Deadlock>,
}

impl Oracle {
    /// The fabric of a case before its first cycle.
    pub fn new(case: &Case) -> Oracle {
        let network = &case.network;
        let ends = network.links().iter().flat_map(|link| [(link.a, link.b), (link.b, link.a)]);
        let leaving = |end: End| {
            let link = network.link_at(end)?;
            Some(2 * link.index() + usize::from(network.link(link).a != end))
        };
        let switch = |id| {
            let (first_port, ports) = network.port_range(Node::Switch(id));
            let channels = |port| leaving(End::switch(id, port)).map(|out| (out ^ 1, out));
            let units = vec![Unit::default(); usize::from(ports).max(1)];
            Switch { ports: (first_port..first_port + ports).map(channels).collect(), first_port, units }
        };
        let host = |(id, messages): (HostId, &Vec<Message>)| {
            let port = case.attachments[id.index()];
            let output = port.and_then(|port| leaving(End::host(id, port.0)));
            let waiting = messages.iter().cloned().collect();
            Transmitter { output, waiting, current: None, free: 0 }
        };
        let inputs: Vec<Input> = ends.clone().map(|(_, to)| Input::new(to)).collect();
        let relay =
            |channel| Switch { ports: vec![Some((channel, channel ^ 1))], first_port: 0, units: vec![] };
        let relays = (0..inputs.len())
            .filter(|_| case.parameters.host.in_transit.is_some())
            .filter(|channel| inputs[*channel].at_host().is_some());
        Oracle {
            now: 0,
            parameters: case.parameters.clone(),
            events: case.link_events.iter().copied().collect(),
            up: vec![true; network.links().len()],
            outputs: ends.map(|(from, _)| Output::new(from)).collect(),
            switches: network.switch_ids().map(switch).collect(),
            relays: relays.map(relay).collect(),
            inputs,
            hosts: network.host_ids().zip(&case.messages).map(host).collect(),
            worms: Vec::new(),
            moved: false,
            leap: true,
            logs: Logs::default(),
            standing: Vec::new(),
            deadlocks: Vec::new(),
        }
    }

    /// Runs all cycles before `limit`.
    pub fn run_until(&mut self, limit: u64) {
        while self.now < limit {
            let now = self.now;
            self.moved = false;
            self.cycle(now);
            self.now = if self.moved || !self.leap { now + 1 } else { self.deadline(now).min(limit) };
            let passed_over = self.now - now - 1;
            if passed_over > 0 {
                self.count_blocked(passed_over);
            }
        }
    }

    fn cycle(&mut self, now: u64) {
        self.links(now);
        self.data(now);
        self.control(now);
        self.new_heads();
        self.expired(now);
        self.routed(now);
        self.routing(now);
        self.in_transit(now);
        self.granted(now);
        self.started(now);
        self.count_blocked(1);
        self.sent(now);
        self.taken(now);
        self.drained();
        self.tokens(now);
        self.resets(now);
        self.stop_and_go(now);
        self.find_deadlocks(now);
    }

    /// The next cycle after `now` in which something may happen although nothing happened in `now`.
    fn deadline(&self, now: u64) -> u64 {
        let timeout = self.parameters.switch.timeout;
        let wires = self.outputs.iter().enumerate().flat_map(|(x, o)| {
            let flying = o.data.front().map(|(at, _)| *at).into_iter().chain(o.tokens.front().copied());
            let signals = o.control.front().map(|(at, _)| *at);
            let rate = o.last_sent.map(|last| last + self.parameters.links[x / 2].period);
            let reset = o.since.zip(timeout).map(|(since, timeout)| since + timeout);
            flying.chain(signals).chain(rate).chain(reset)
        });
        let inputs = self.inputs.iter().flat_map(|input| {
            let done = match input.state {
                State::Routing { done } => Some(done),
                State::Waiting { .. } => self.expiry(input.buffer[0].worm),
                _ => None,
            };
            let latency = self.parameters.switch.routing_latency;
            let begun = input.buffer.iter().filter_map(move |flit| Some(flit.begun? + latency));
            done.into_iter().chain([input.next_take, input.next_begin]).chain(begun)
        });
        let units = self.switches.iter().flat_map(|switch| &switch.units).map(|unit| unit.busy_until);
        let hosts = self.hosts.iter().filter_map(|host| {
            let message = host.waiting.front()?;
            Some(message.created.max(host.free) + self.parameters.host.send_overhead)
        });
        let events = self.events.front().map(|event| event.at);
        let all = wires.chain(inputs).chain(units).chain(hosts).chain(events);
        all.filter(|at| *at > now).min().unwrap_or(u64::MAX)
    }

    fn timing(&self, channel: usize) -> (u64, u64) {
        let link = self.parameters.links[channel / 2];
        (link.period, link.delay)
    }

    fn receive(&self) -> Option<Receive> {
        self.parameters.host.receive
    }

    fn strike(&mut self, worm: usize, cause: Cause, now: u64) {
        self.worms[worm].struck.get_or_insert((cause, now));
    }

    /// The first cycle in which no switch passes the worm's head on.
    fn expiry(&self, worm: usize) -> Option<u64> {
        let Worm { message, started, .. } = &self.worms[worm];
        let span = message.time_to_live.or(self.parameters.host.time_to_live)?;
        started.checked_add(span)
    }

    fn waiters(&self, output: usize) -> usize {
        self.inputs.iter().filter(|input| input.state == State::Waiting { output }).count()
    }

    fn release(&mut self, output: usize) {
        self.outputs[output].owner = None;
        self.outputs[output].since = None;
    }

    /// What became of the worm, as far as it is known.
    fn fate(worm: &Worm) -> Option<Fate> {
        if let Some((cause, at)) = worm.struck {
            return Some(Fate::Destroyed { cause, at: Cycle(at) });
        }
        let (host, tail) = worm.delivered?;
        let head = worm.head.expect("the head comes before the tail");
        Some(Fate::Delivered { host, head: Cycle(head), tail: Cycle(tail) })
    }
}

impl Output {
    fn new(end: End) -> Output {
        Output {
            end,
            owner: None,
            worm: 0,
            head_sent: false,
            go: true,
            since: None,
            last_sent: None,
            pointer: 0,
            data: VecDeque::new(),
            tokens: VecDeque::new(),
            control: VecDeque::new(),
            sent: 0,
            blocked: 0,
            held: 0,
        }
    }
}

impl Input {
    fn new(end: End) -> Input {
        Input {
            end,
            buffer: VecDeque::new(),
            state: State::Idle,
            arriving: None,
            cut: false,
            in_transit: false,
            stop_sent: false,
            next_take: 0,
            next_begin: 0,
        }
    }

    fn at_host(&self) -> Option<HostId> {
        match self.end.node {
            Node::Host(host) => Some(host),
            Node::Switch(_) => None,
        }
    }
}
