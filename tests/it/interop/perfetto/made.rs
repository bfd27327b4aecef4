//! Random logs that could be true: worms cross a line of switches one after the other, an output has one owner at a
//! time, buffers hold several worms at once.

use std::collections::BTreeMap;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use simnet::fabric::{Cause, Flow};
use simnet::host;
use simnet::ids::{HostId, LinkId, Port, SwitchId, Turn};
use simnet::topology::{End, Network};
use simnet::trace::{Event, EventKind, Heading, Message, Scene, Sink};
use simnet::units::{Duration, Time};

/// A log: its heading, and scenes with their events.
pub(crate) struct Log {
    pub(crate) heading: Heading,
    pub(crate) scenes: Vec<(Scene, Vec<Event>)>,
}

/// A log from a seed; its names hold what could be mistaken for something else.
pub(crate) fn log(seed: u64) -> Log {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let network = line(random.random_range(1..=4));
    let cycle = Duration::from_ps(*[6_250, 800, 50_000].choose(&mut random).unwrap());
    let heading = Heading {
        scenario: "made".into(),
        description: None,
        seed,
        network,
        base_cycle: cycle,
        stop: 40,
        buffer: 108,
    };
    let scenes = (0..random.random_range(1..=3)).map(|nth| scene(&heading, nth, &mut random)).collect();
    Log { heading, scenes }
}

impl Log {
    /// What a sink makes of the log, given those events that are `kept`.
    pub(crate) fn replay(&self, mut sink: Box<dyn Sink + '_>, kept: impl Fn(&Event) -> bool) {
        for (scene, events) in &self.scenes {
            sink.scene(scene).unwrap();
            for event in events {
                if kept(event) {
                    sink.event(scene, event).unwrap();
                } else {
                    sink.skip(scene, event);
                }
            }
            sink.end(scene).unwrap();
        }
        sink.finish().unwrap();
    }
}

/// So many switches in a line, two hosts on each; the left cable is in port 0, the right one in port 1.
fn line(switches: u32) -> Network {
    let mut net = Network::new("line \"of\" <switches>");
    for id in 0..switches {
        net.add_switch(format!("s{id}"), 4).unwrap();
        for port in 2..4 {
            let host = net.add_host(format!("h{}, <b>\u{fc}</b>\n", 2 * id + u32::from(port) - 2)).unwrap();
            net.connect(End::switch(SwitchId(id), port), End::host(host, 0)).unwrap();
        }
        if id > 0 {
            net.connect(End::switch(SwitchId(id - 1), 1), End::switch(SwitchId(id), 0)).unwrap();
        }
    }
    net
}

/// The input and the output port at every switch between two hosts.
fn path(from: u32, to: u32) -> Vec<(End, End)> {
    let (first, last) = (from / 2, to / 2);
    let port = |host: u32| u16::try_from(2 + host % 2).unwrap();
    let order: Vec<u32> =
        if first <= last { (first..=last).collect() } else { (last..=first).rev().collect() };
    let (towards, back) = if first <= last { (1, 0) } else { (0, 1) };
    let hop = |id: u32| {
        let input = if id == first { port(from) } else { back };
        let output = if id == last { port(to) } else { towards };
        (End::switch(SwitchId(id), input), End::switch(SwitchId(id), output))
    };
    order.into_iter().map(hop).collect()
}

fn scene(heading: &Heading, nth: u32, random: &mut ChaCha8Rng) -> (Scene, Vec<Event>) {
    let is_mapping = nth == 0 && random.random();
    let mut making = Making { heading, now: 0, events: Vec::new(), busy: BTreeMap::new(), worms: 0 };
    for _ in 0..random.random_range(0..40) {
        making.now += random.random_range(0..60);
        match random.random_range(0..10) {
            0 => making.deadlock(random),
            1 => making.cable(random),
            2 => making.frame(random),
            3 => making.conversation(random),
            _ => {
                let hosts = u32::try_from(heading.network.hosts().len()).unwrap();
                let (from, to) = (random.random_range(0..hosts), random.random_range(0..hosts));
                let length = random.random_range(1..200);
                making.worm(from, to, length, random);
            }
        }
    }
    let mut events = making.events;
    events.sort_by_key(|event| event.at);
    let kind = if is_mapping { "mapping" } else { "point" }.to_owned();
    let (point, load) = if is_mapping { (None, None) } else { (Some(nth), Some(f64::from(nth) / 8.0)) };
    let scene = Scene { nth, kind, point, load, events: events.len() as u64, ..Scene::default() };
    (scene, events)
}

struct Making<'a> {
    heading: &'a Heading,
    /// In base cycles.
    now: u64,
    events: Vec<Event>,
    /// Per output: when it is free.
    busy: BTreeMap<End, u64>,
    worms: u32,
}

impl Making<'_> {
    fn record(&mut self, cycle: u64, what: EventKind) {
        self.events.push(Event { at: Time::from_ps(cycle * self.heading.base_cycle.as_ps()), what });
    }

    /// A worm from one host to another, or to its destruction; gives when its head and its tail arrived.
    fn worm(&mut self, from: u32, to: u32, length: u32, random: &mut ChaCha8Rng) -> Option<(u64, u64)> {
        let worm = self.worms;
        self.worms += 1;
        let hops = path(from, to);
        let (port, turns) = (End::host(HostId(from), 0), u32::try_from(hops.len()).unwrap());
        let start = self.now.max(self.busy.get(&port).copied().unwrap_or(0));
        let name = format!("h{from}#{worm}");
        self.record(start, EventKind::Start { worm, port, name, turns, payload: length });
        // It releases each hop a little after the one before.
        let (mut head, mut tail) = (start + 2, start + u64::from(length));
        self.busy.insert(port, tail);
        self.record(tail, EventKind::Release { worm, input: port, output: port });
        let dies_at = random.random_bool(0.15).then(|| random.random_range(0..hops.len()));
        for (hop, (input, output)) in hops.iter().copied().enumerate() {
            self.record(head, EventKind::Arrive { worm, port: input });
            let flow = Flow { occupancy: random.random_range(0..40), inflow: 1, outflow: 0 };
            self.record(head, EventKind::Flow { port: input, flow });
            let decoded = head + 24;
            let granted = decoded.max(self.busy.get(&output).copied().unwrap_or(0));
            if granted > decoded {
                self.record(decoded, EventKind::Wait { worm, input, output });
                self.record(decoded + 1, EventKind::Control { port: input, stop: true });
                self.record(granted + 3, EventKind::Control { port: input, stop: false });
            }
            if dies_at == Some(hop) {
                self.record(granted, EventKind::Reset { worm, output });
                self.record(granted + 5, EventKind::Release { worm, input, output });
                self.record(granted.max(tail) + 6, EventKind::End { worm, fate: Err(Cause::Reset) });
                return None;
            }
            self.record(granted, EventKind::Grant { worm, input, output });
            let flow = Flow { occupancy: random.random_range(0..100), inflow: 2, outflow: 1 };
            self.record(granted, EventKind::Flow { port: input, flow });
            tail = tail.max(granted + u64::from(length)) + 3;
            self.record(tail, EventKind::Release { worm, input, output });
            self.record(tail, EventKind::Flow { port: input, flow: Flow::default() });
            self.busy.insert(output, tail);
            head = granted + 3;
        }
        self.record(head, EventKind::Arrive { worm, port: End::host(HostId(to), 0) });
        let is_cut = random.random_bool(0.1);
        let fate = if is_cut { Err(Cause::LinkFailure) } else { Ok(HostId(to)) };
        self.record(tail + 3, EventKind::End { worm, fate });
        (!is_cut).then_some((head, tail + 3))
    }

    fn deadlock(&mut self, random: &mut ChaCha8Rng) {
        let nth = u32::try_from(self.events.len()).unwrap();
        let output = End::switch(SwitchId(0), 3);
        let members = vec![(7, End::switch(SwitchId(0), 2), output), (9, output, output)];
        self.record(self.now, EventKind::Deadlock { nth, members });
        if random.random() {
            self.record(self.now + random.random_range(0..500), EventKind::Clear { nth, output });
        }
    }

    fn cable(&mut self, random: &mut ChaCha8Rng) {
        let link = LinkId(random.random_range(0..u32::try_from(self.heading.network.links().len()).unwrap()));
        self.record(self.now, EventKind::Cable { link, up: random.random() });
    }

    fn frame(&mut self, random: &mut ChaCha8Rng) {
        let (a, b) = (End::host(HostId(0), 0), End::switch(SwitchId(0), 2));
        let destination = random.random_bool(0.8).then_some(HostId(1));
        for gap in [0, 4] {
            let bytes = random.random_range(64..1_518);
            let frame =
                |port, arrives| EventKind::Frame { port, arrives, source: HostId(0), destination, bytes };
            self.record(self.now + gap, frame(a, false));
            self.record(self.now + gap + 9, frame(b, true));
        }
        self.now += 20;
    }

    /// A host asks, and is answered if neither worm dies.
    fn conversation(&mut self, random: &mut ChaCha8Rng) {
        let hosts = u32::try_from(self.heading.network.hosts().len()).unwrap();
        let (asks, answers) = (random.random_range(0..hosts), random.random_range(0..hosts));
        let nonce = u64::from(self.worms) << 33;
        let question = host::Body::HostProbe { nonce, turns: turns(asks, answers) };
        let Some((_, at)) = self.message(asks, answers, &host::Message::new(question), random) else {
            return;
        };
        self.now = self.now.max(at) + 10;
        let name = self.heading.network.name_of(simnet::ids::Node::Host(HostId(answers))).to_owned();
        let reply = host::Message::new(host::Body::HostReply { nonce, name, unused: 0 });
        self.message(answers, asks, &reply, random);
    }

    fn message(
        &mut self,
        from: u32,
        to: u32,
        message: &host::Message,
        random: &mut ChaCha8Rng,
    ) -> Option<(u64, u64)> {
        let sent = |host, route| Message {
            host: HostId(host),
            kind: message.body.kind().to_owned(),
            nonce: message.body.nonce(),
            route,
            length: message.length,
            bytes: host::encode(message),
        };
        self.record(self.now, EventKind::Send(sent(from, turns(from, to))));
        let arrived = self.worm(from, to, message.length, random)?;
        self.record(arrived.1 + 1, EventKind::Receive(sent(to, Vec::new())));
        Some(arrived)
    }
}

fn turns(from: u32, to: u32) -> Vec<Turn> {
    path(from, to).into_iter().map(|(input, output)| Port::turn_to(input.port, output.port)).collect()
}
