//! A mapper's messages as they are sent and heard on the fabric, and their ways through it.
//!
//! ```text
//!   mapper and other worms on the fabric ──▶ Log: what was sent and heard, and when
//!   messages of one question, sent again in the same cycles ──▶ Shot: when which switch passed each on
//! ```
//! The mapper is the real one, behind a handle that writes down what passes through it. A fabric is a function of what
//! is sent and when, so that sending a question's messages again lets their ways be watched; that they arrive when
//! the mapper heard them is checked.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;

use simnet_base::ids::{HostId, Turn};
use simnet_base::units::{Cycle, Duration, Time};
use simnet_media::fabric::{
    Ended, Endpoint, Fabric, Fate, Observer, Outgoing, Parameters, RouteBuffer, WormId,
};
use simnet_media::host::mapper::guarded::{self, Options};
use simnet_media::host::mapper::{Brief, Kind, Map};
use simnet_media::host::passive::{Memory, serve};
use simnet_media::host::{Attendant, Attended, Body, Costs, Disposition, Host, Message, Received, Station};
use simnet_network::topology::{End, Network};
use simnet_running::simulation::hosts::{Setup, run_all};

/// A message that a mapper sent.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    /// What for.
    pub(super) kind: Kind,
    /// When the software handed it to the interface.
    pub(super) at: Time,
    /// Its turns.
    pub(super) route: Vec<Turn>,
    /// Its bytes.
    pub(super) length: u32,
    nonce: u64,
}

/// What a mapper sent, in order, and what it heard, by nonce: when it reached the interface, and when it was seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Log {
    /// What it sent.
    pub(super) sent: Vec<Sent>,
    heard: BTreeMap<u64, (Time, Time)>,
}

/// Writes down what a mapper sends and hears.
struct Logged {
    costs: Costs,
    kind: Kind,
    log: Log,
}

impl Attendant for Logged {
    fn takes(&mut self, host: &dyn Host, received: Received) -> Disposition {
        self.log.heard.entry(received.message.body.nonce()).or_insert((received.at, host.now()));
        Disposition::ForProcess(received)
    }

    fn marks(&mut self, host: &dyn Host, route: &[Turn], message: Message) -> Message {
        let (length, nonce) = (message.length, message.body.nonce());
        let at = host.now() + self.costs.send;
        self.log.sent.push(Sent { kind: self.kind, at, route: route.to_vec(), length, nonce });
        message
    }

    fn counts(&mut self, kind: Kind) {
        self.kind = kind;
    }
}

/// A worm of an application, sent while the mapper runs.
#[derive(Clone, Debug)]
pub(super) struct Worm {
    /// Its host.
    pub(super) from: HostId,
    /// When it is handed to the interface.
    pub(super) at: Time,
    /// Its turns.
    pub(super) route: Vec<Turn>,
    /// Its bytes.
    pub(super) length: u32,
}

/// A network to be mapped, and with what.
pub(super) struct Scene<'a> {
    /// The network.
    pub(super) network: &'a Network,
    /// Its fabric.
    pub(super) parameters: &'a Parameters,
    /// What software costs.
    pub(super) costs: Costs,
    /// The mapper's host.
    pub(super) mapper: HostId,
    /// Whether a host answers the mapper.
    pub(super) answers: fn(&str) -> bool,
    /// How the mapper asks.
    pub(super) options: Options,
}

/// A mapping: the map, what was sent and heard, and per deadlock when it formed and was cleared.
pub(super) struct Mapping {
    /// The map.
    pub(super) map: Map,
    /// What was sent and heard.
    pub(super) log: Log,
    /// When deadlocks formed and, if so, were cleared.
    pub(super) deadlocks: Vec<(Time, Option<Time>)>,
}

impl Scene<'_> {
    /// How long the mapper waits for an answer, and its other options.
    pub(super) fn brief(&self) -> Brief {
        Brief::for_switches_of(self.network)
    }

    /// Maps the network while other worms are sent.
    ///
    /// # Panics
    /// If the fabric's parameters are faulty: a bug of the figure.
    pub(super) fn map(&self, worms: &[Worm]) -> Mapping {
        let setup = Setup { costs: self.costs, ..Setup::new(self.network, self.parameters) };
        let brief = self.brief();
        let program = |host: HostId, station: Station| self.take_part(station, host, &brief, worms);
        let outcome = run_all(&setup, |_| true, program).expect("the parameters are those of a scenario");
        let (map, log) = outcome.result.expect("a mapper waits for nothing without a time-out");
        let time = |cycle: Cycle| cycle.to_time(self.parameters.base_cycle);
        let spans = outcome.deadlocks.iter();
        let deadlocks =
            spans.map(|found| (time(found.formed), found.cleared.map(|cleared| time(cleared.at)))).collect();
        Mapping { map, log, deadlocks }
    }

    /// The process of a host: the mapper's ends the run with its map and log, another sends its worm, if it has one,
    /// and then answers, if it does.
    async fn take_part(
        &self,
        mut station: Station,
        host: HostId,
        brief: &Brief,
        worms: &[Worm],
    ) -> ControlFlow<(Map, Log)> {
        if host == self.mapper {
            let logged = Logged { costs: self.costs, kind: Kind::Host, log: Log::default() };
            let mut host = Attended::new(&mut station, logged);
            let map = guarded::map(&mut host, brief, &self.options).await;
            return ControlFlow::Break((map, host.attendant.log));
        }
        if let Some(worm) = worms.iter().find(|worm| worm.from == host) {
            station.sleep(worm.at.since(Time::ZERO + self.costs.send)).await;
            let message = Message::new(Body::LoopProbe { nonce: 0 }).padded(worm.length);
            station.send(&worm.route, message).await;
        }
        if (self.answers)(station.name()) {
            serve(&mut station, &mut Memory::default(), self.costs.reply).await;
        }
        ControlFlow::Continue(())
    }
}

impl Log {
    /// The messages of the question that begins with message `first`: it, and the guards right behind it.
    pub(super) fn question(&self, first: usize) -> &[Sent] {
        let guards = self.sent[first + 1..].iter().take_while(|sent| sent.kind == Kind::Guard).count();
        &self.sent[first..=first + guards]
    }

    /// When the mapper sent the next message after a question, and so had its answer, but for what sending costs.
    pub(super) fn went_on(&self, first: usize, costs: Costs) -> Option<Time> {
        let next = self.sent.get(first + self.question(first).len())?;
        Some(Time::ZERO + next.at.since(Time::ZERO + costs.send))
    }

    /// When a message reached the mapper's interface, and when it was seen.
    pub(super) fn heard(&self, sent: &Sent) -> Option<(Time, Time)> {
        self.heard.get(&sent.nonce).copied()
    }
}

/// The way of one message through the fabric.
#[derive(Clone, Debug)]
pub(super) struct Shot {
    /// When its head left.
    pub(super) left: Time,
    /// When its head was passed on, and by which port to which.
    pub(super) passes: Vec<(Time, End, End)>,
    /// What became of it.
    pub(super) fate: Way,
}

/// What became of a message while it was watched.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    /// Its head and its tail reached a host.
    Arrived(Time, Time),
    /// It was destroyed.
    Lost(Time),
    /// Neither: its head waits.
    Waits,
}

/// Sends messages again and watches them up to an instant.
struct Replay {
    queues: Vec<VecDeque<(u64, Outgoing, Vec<Turn>)>>,
    ended: BTreeMap<u64, Ended>,
}

impl Endpoint for Replay {
    fn next_message(&mut self, host: HostId, route: &mut RouteBuffer) -> Option<Outgoing> {
        let (_, outgoing, turns) = self.queues[host.index()].pop_front()?;
        route.extend(turns);
        Some(outgoing)
    }

    fn ended(&mut self, message: &Ended) -> ControlFlow<()> {
        self.ended.insert(message.tag, *message);
        ControlFlow::Continue(())
    }
}

impl Replay {
    /// When a message left its host, if it has ended.
    fn left(&self, tag: u64) -> Option<Cycle> {
        Some(self.ended.get(&tag)?.started)
    }

    /// What has become of a message.
    fn way(&self, tag: u64, cycle: Duration) -> Way {
        // A flit is there at the end of the cycle in which it arrives.
        let there = |at: Cycle| Cycle(at.0 + 1).to_time(cycle);
        match self.ended.get(&tag).map(|ended| ended.fate) {
            Some(Fate::Delivered { head, tail, .. }) => Way::Arrived(there(head), there(tail)),
            Some(Fate::Destroyed { at, .. }) => Way::Lost(at.to_time(cycle)),
            None => Way::Waits,
        }
    }
}

/// Notes who was passed on when.
#[derive(Default)]
struct Passes(Vec<(Cycle, End, End, u64)>);

impl Passes {
    /// Where a message was passed on, and when.
    fn of(&self, tag: u64, cycle: Duration) -> Vec<(Time, End, End)> {
        let own = self.0.iter().filter(|(_, _, _, owner)| *owner == tag);
        own.map(|(now, input, output, _)| (now.to_time(cycle), *input, *output)).collect()
    }
}

impl Observer for Passes {
    fn granted(&mut self, now: Cycle, input: End, output: End, worm: WormId) {
        self.0.push((now, input, output, worm.tag));
    }
}

/// The ways of messages of the mapper and of worms, sent in the same cycles as in the mapping and watched for `span`
/// from the first on: first the mapper's, then the worms'.
///
/// # Panics
/// If the fabric's parameters are faulty: a bug of the figure.
pub(super) fn ways(scene: &Scene<'_>, sent: &[Sent], worms: &[Worm], span: Duration) -> Vec<Shot> {
    let cycle = scene.parameters.base_cycle;
    let mut replay =
        Replay { queues: vec![VecDeque::new(); scene.network.hosts().len()], ended: BTreeMap::new() };
    let all: Vec<(HostId, Time, &[Turn], u32)> = sent
        .iter()
        .map(|sent| (scene.mapper, sent.at, sent.route.as_slice(), sent.length))
        .chain(worms.iter().map(|worm| (worm.from, worm.at, worm.route.as_slice(), worm.length.max(32))))
        .collect();
    for (tag, (host, at, route, length)) in (0..).zip(&all) {
        let outgoing = Outgoing {
            created: at.to_cycle_ceil(cycle),
            payload: *length,
            tag,
            time_to_live: None,
            service_level: 0,
        };
        replay.queues[host.index()].push_back((tag, outgoing, route.to_vec()));
    }
    let ports: Vec<_> =
        scene.network.host_ids().map(|host| Some(scene.network.attachment(host)?.0)).collect();
    let mut fabric = Fabric::new(scene.network, scene.parameters, &ports).expect("the mapping took them too");
    let mut passes = Passes::default();
    let first = all.iter().map(|(_, at, ..)| *at).min().unwrap_or(Time::ZERO);
    fabric.run_until((first + span).to_cycle_ceil(cycle), &mut replay, &mut passes);
    let shot = |(tag, (_, at, ..)): (u64, &(HostId, Time, &[Turn], u32))| Shot {
        left: replay.left(tag).unwrap_or(at.to_cycle_ceil(cycle)).to_time(cycle),
        passes: passes.of(tag, cycle),
        fate: replay.way(tag, cycle),
    };
    (0..).zip(&all).map(shot).collect()
}
