//! Ethernet with PAUSE frames, slowly and plainly: what the engine must equal in every instant, pause, drop and count.
//!
//! At every instant at which anything happens, all ports are looked at, and what counts at an input is added up anew
//! from the frames that are in its switch: see `reference.rs`.

mod reference;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::ControlFlow;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use simnet_base::ids::{ChannelId, HostId, Node, Port, SwitchId};
use simnet_base::units::{BitRate, Bytes, Duration, Time};
use simnet_media::ethernet::{
    Address, Buffer, Counters, Deadlock, Direction, EcnParameters, Endpoint, Ethernet, Flow, FlowHash,
    Forwarding, ForwardingTable, Frame, Observer, Parameters, Pause, PauseCounters, PauseFrame,
    PauseWatchdog, PfcParameters, SharedBuffer,
};
use simnet_network::routing::{Attachments, DependencyGraph};
use simnet_network::topology::{End, Network};

use super::ethernet::cases::{self, Case, reply};
use reference::Reference;
use support_media::ethernet::attachments;
use support_network::cases as how_many;

/// A case with pauses.
pub(crate) struct Paused {
    pub(crate) case: Case,
    pub(crate) pfc: PfcParameters,
    /// The priorities of frames, by their content; none: that of the parameters.
    pub(crate) priorities: Vec<u8>,
    /// Whether the headroom is what no frame is dropped with.
    is_right: bool,
}

impl Paused {
    /// The priority that the sender of a frame names.
    pub(crate) fn named(&self, frame: &Frame<u64>) -> Option<u8> {
        let place = usize::try_from(frame.content / 2).unwrap();
        Some(*self.priorities.get(place.checked_rem(self.priorities.len())?)?)
    }

    /// Whether pauses are said again before they run out, on all cables.
    fn lasts(&self) -> bool {
        let parameters = &self.case.parameters;
        parameters.rates.iter().all(|rate| self.pfc.lasts(*rate, parameters.mtu))
    }

    /// The priority of a frame.
    pub(crate) fn priority(&self, frame: &Frame<u64>) -> u8 {
        self.named(frame).unwrap_or(self.pfc.priority)
    }
}

/// Something that happened: when, where, what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventKind {
    Received(u64, HostId, u64),
    /// The same of a marked frame.
    Marked(u64, HostId, u64),
    Dropped(u64, End, u64),
    Starved(u64, End, u64),
    Expired(u64, End, u64),
}

/// All that is compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Seen {
    pub(crate) events: Vec<EventKind>,
    pub(crate) passed: Vec<(u64, End, Direction, u64)>,
    pub(crate) pauses: Vec<(u64, End, Direction, PauseFrame)>,
    /// At each pause of the run, by channel and priority: what counts, and whether the sender is paused.
    pub(crate) rooms: Vec<Vec<(u64, bool)>>,
    pub(crate) counters: Counters,
    /// By channel and priority.
    pub(crate) counted: Vec<PauseCounters>,
    /// Who is paused, in which priority, behind what, how often.
    pub(crate) causes: Vec<(u32, u8, u32, u64)>,
    pub(crate) deadlocks: Vec<Deadlock>,
}

/// The headroom that is enough for every cable.
pub(crate) fn right_headroom(case: &Case, reaction: Duration) -> Bytes {
    let parameters = &case.parameters;
    let cables = parameters.rates.iter().zip(&parameters.delays);
    let needed =
        cables.map(|(rate, delay)| PfcParameters::headroom_needed(*rate, *delay, parameters.mtu, reaction));
    needed.max().unwrap_or(Bytes(0))
}

/// A table by which all switches that can send to each host, on a tree of any cables for each.
fn random_table(rng: &mut ChaCha8Rng, case: &Case) -> ForwardingTable {
    let (network, leaves_out) = (&case.network, rng.random_bool(0.2));
    let mut ports: BTreeMap<(SwitchId, HostId), Port> = BTreeMap::new();
    for host in network.host_ids() {
        let Some(port) = case.attachments[host.index()] else { continue };
        let Some(end) = network.peer(End { node: Node::Host(host), port }) else { continue };
        let mut near = vec![end];
        while !near.is_empty() {
            let End { node, port } = near.swap_remove(rng.random_range(0..near.len()));
            let Node::Switch(switch) = node else { continue };
            if ports.contains_key(&(switch, host)) {
                continue;
            }
            ports.insert((switch, host), port);
            near.extend(network.cables(node).map(|(_, _, far)| far));
        }
    }
    ForwardingTable::new(network, |switch, host| {
        ports.get(&(switch, host)).copied().filter(|_| !leaves_out || rng.random_bool(0.9))
    })
}

/// The table of all shortest paths.
fn equal_cost(rng: &mut ChaCha8Rng, case: &Case) -> ForwardingTable {
    let attachments = Attachments::by_ports(&case.network, &case.attachments);
    let hash = FlowHash { seed: rng.random(), is_shared: rng.random_bool(0.3) };
    ForwardingTable::of_shortest_paths(&case.network, &attachments, hash)
}

/// A table of any ports, or none: frames go round in loops.
fn loops(rng: &mut ChaCha8Rng, network: &Network) -> ForwardingTable {
    ForwardingTable::new(network, |switch, _| {
        let ports: Vec<Port> = network.cables(Node::Switch(switch)).map(|(port, ..)| port).collect();
        ports.choose(rng).copied().filter(|_| rng.random_bool(0.95))
    })
}

/// Which channel is followed by which on a way of a table from a host to another, as far as frames live.
fn dependencies(case: &Case, table: &ForwardingTable) -> BTreeSet<(End, End)> {
    let network = &case.network;
    let mut found = BTreeSet::new();
    let ways = network.host_ids().flat_map(|from| network.host_ids().map(move |to| (from, to)));
    for (from, to) in ways {
        let Some(port) = case.attachments[from.index()] else { continue };
        let mut at = network.peer(End { node: Node::Host(from), port });
        let mut last = None;
        for _ in 0..case.parameters.time_to_live.unwrap_or(u16::MAX) {
            let Some(End { node: Node::Switch(switch), .. }) = at else { break };
            let Some(port) = table.port(switch, [from, to]) else { break };
            let out = End { node: Node::Switch(switch), port };
            found.extend(last.map(|last| (last, out)));
            (last, at) = (Some(out), network.peer(out));
        }
    }
    found
}

/// Whether none of these can follow itself: the proof that no deadlock closes.
fn is_acyclic(network: &Network, dependencies: &BTreeSet<(End, End)>) -> bool {
    let mut graph = DependencyGraph::new(network);
    for (held, next) in dependencies {
        let link = network.link_at(*held).unwrap();
        let is_forward = network.link(link).a == *held;
        graph.add(if is_forward { link.forward() } else { link.backward() }, next.port);
    }
    !graph.is_cyclic()
}

/// Judges the deadlocks of a case by the dependencies of its ways; says whether these have cycles.
fn judge(seed: u64, case: &Case, deadlocks: &[Deadlock]) -> bool {
    let Forwarding::Table(table) = &case.parameters.forwarding else {
        assert!(deadlocks.is_empty(), "seed {seed}: a deadlock on a tree");
        return false;
    };
    let dependencies = dependencies(case, table);
    let is_acyclic = is_acyclic(&case.network, &dependencies);
    let has_time_to_live = case.parameters.time_to_live.is_some();
    let proved = table.dependencies(&case.network, &case.attachments, has_time_to_live).is_cyclic();
    assert!(proved || is_acyclic, "seed {seed}: the proof misses a circle");
    assert!(has_time_to_live || proved != is_acyclic, "seed {seed}: the proof has a circle that is none");
    assert!(!is_acyclic || deadlocks.is_empty(), "seed {seed}: a deadlock that cannot be: {deadlocks:?}");
    for Deadlock { members, .. } in deadlocks {
        for (nth, member) in members.iter().enumerate() {
            let next = members[(nth + 1) % members.len()].output;
            assert!(dependencies.contains(&(member.output, next)), "seed {seed}: {members:?}");
        }
    }
    !is_acyclic
}

/// A ring of switches with hosts at each and a few cables more, and hosts that send all that they have at once: where
/// circles close.
fn ring_case(rng: &mut ChaCha8Rng) -> Case {
    let mut network = Network::new("ring");
    let (switches, each) = (rng.random_range(3..=6), rng.random_range(1..=2));
    let ports: Vec<SwitchId> =
        (0..switches).map(|nth| network.add_switch(format!("s{nth}"), 8).unwrap()).collect();
    for (nth, switch) in ports.iter().enumerate() {
        let next = ports[(nth + 1) % ports.len()];
        network.connect(End::switch(*switch, 0), End::switch(next, 1)).unwrap();
        for host in 0..each {
            let id = network.add_host(format!("h{nth}-{host}")).unwrap();
            network.connect(End::host(id, 0), End::switch(*switch, 2 + host)).unwrap();
        }
    }
    for nth in 0..rng.random_range(0..=2) {
        let [a, b] = [0, 1].map(|_| *ports.choose(rng).unwrap());
        network.connect(End::switch(a, 4 + 2 * nth), End::switch(b, 5 + 2 * nth)).unwrap();
    }
    let rate = BitRate::new(*[1_000_000_000, 10_000_000_000].choose(rng).unwrap()).unwrap();
    let delay = Duration::from_ps(*[0, 5_000, 5_000_000].choose(rng).unwrap());
    let mut parameters = Parameters::uniform(network.links().len(), rate, delay);
    parameters.mtu = *[46, 400, 1_500].choose(rng).unwrap();
    parameters.switch_latency = Duration::from_ps(*[0, 300_000].choose(rng).unwrap());
    let hosts = u32::try_from(network.hosts().len()).unwrap();
    let mut tag = 0;
    let mut frame = |source: u32| {
        tag += 2;
        let to = (source + rng.random_range(1..hosts)) % hosts;
        let payload =
            if rng.random_bool(0.8) { parameters.mtu } else { rng.random_range(0..=parameters.mtu) };
        let destination = Address::Host(HostId(to));
        (0, Frame { source: HostId(source), destination, payload, content: tag })
    };
    let frames = (0..hosts).map(|source| (0..40).map(|_| frame(source)).collect()).collect();
    let attachments = attachments(&network);
    Case { network, parameters, attachments, frames, pauses: vec![rng.random_range(0..1_000_000_000)] }
}

/// The table of a ring by which all goes the same way round.
fn clockwise(network: &Network) -> ForwardingTable {
    ForwardingTable::new(network, |switch, host| {
        let (_, _, at) = network.attachment(host)?;
        Some(if at.node == Node::Switch(switch) { at.port } else { Port(0) })
    })
}

fn random_case(seed: u64) -> Paused {
    let mut rng = ChaCha8Rng::seed_from_u64(2_000_000 + seed);
    let rng = &mut rng;
    let is_ring = seed.is_multiple_of(3);
    let mut case = if is_ring { ring_case(rng) } else { cases::random_case(seed) };
    let longest = u64::from(case.parameters.mtu) + 18;
    let slowest =
        case.parameters.rates.iter().map(|rate| rate.as_bits_per_s()).min().unwrap_or(1_000_000_000);
    let long = (longest + 20) * 8_000_000_000_000 / slowest;
    let xoff = *[0, 64, longest, 3 * longest, rng.random_range(0..=6 * longest)].choose(rng).unwrap();
    let xon = *[0, xoff, xoff / 2, rng.random_range(0..=xoff)].choose(rng).unwrap();
    let reaction = Duration::from_ps(*[0, 0, 1, rng.random_range(0..=2 * long)].choose(rng).unwrap());
    let is_right = rng.random();
    let short = *[0, 64, longest, rng.random_range(0..=4 * longest)].choose(rng).unwrap();
    let mut time =
        || Duration::from_ps(*[1, long / 2 + 1, rng.random_range(1..=8 * long)].choose(rng).unwrap());
    let watchdog = PauseWatchdog { detection: time(), restoration: time() };
    let pfc = PfcParameters {
        xoff: Bytes(xoff),
        xon: Bytes(xon),
        headroom: if is_right { right_headroom(&case, reaction) } else { Bytes(short) },
        priority: rng.random_range(0..8),
        reaction,
        watchdog: rng.random_bool(0.3).then_some(watchdog),
        quanta: quanta(rng, &case, long),
        shared: shared(rng, longest),
    };
    let several = *[0, 1, 2, 4].choose(rng).unwrap();
    let priorities = (0..several).map(|_| rng.random_range(0..8)).collect();
    case.parameters.buffer = Buffer::Unbounded;
    case.parameters.flow = Flow::Pfc(pfc);
    if is_ring && rng.random() {
        case.parameters.forwarding = Forwarding::Table(clockwise(&case.network));
    } else if is_ring || rng.random() {
        case.parameters.forwarding = Forwarding::Table(random_table(rng, &case));
    } else if rng.random() {
        case.parameters.forwarding = Forwarding::Table(equal_cost(rng, &case));
    }
    if rng.random_bool(0.4) {
        // Between equal thresholds nothing is left to chance.
        let limit = Bytes(*[0, longest, rng.random_range(0..=8 * longest)].choose(rng).unwrap());
        case.parameters.ecn = Some(EcnParameters { kmin: limit, kmax: limit, pmax: 1_000_000 });
    }
    if matches!(case.parameters.forwarding, Forwarding::Table(_)) && rng.random_bool(0.4) {
        case.parameters.time_to_live = Some(rng.random_range(1..=12));
        if rng.random() {
            case.parameters.forwarding = Forwarding::Table(loops(rng, &case.network));
        }
    }
    Paused { case, pfc, priorities, is_right }
}

/// No pool, or one that is small enough to be filled.
fn shared(rng: &mut ChaCha8Rng, longest: u64) -> Option<SharedBuffer> {
    if rng.random_bool(0.6) {
        return None;
    }
    let any = (rng.random_range(1..=9), rng.random_range(1..=9));
    let alpha = *[(1, 8), (1, 2), (1, 1), (2, 1), (8, 1), any].choose(rng).unwrap();
    let mut bytes =
        |most: u64| Bytes(*[0, longest, rng.random_range(0..=most * longest)].choose(rng).unwrap());
    let [pool, reserved, xon_offset] = [20, 3, 3].map(&mut bytes);
    Some(SharedBuffer { pool, alpha, reserved, xon_offset })
}

/// No quanta, few enough for pauses to run out between PAUSE frames, about as many as just last, or many; so many at
/// least that no more than some dozens of PAUSE frames are sent while a frame or a bit is on a cable.
fn quanta(rng: &mut ChaCha8Rng, case: &Case, long: u64) -> Option<u16> {
    let parameters = &case.parameters;
    let fastest = parameters.rates.iter().map(|rate| rate.as_bits_per_s()).max()?;
    let delay = parameters.delays.iter().map(|delay| delay.as_ps()).max()?;
    let quantum = 512_000_000_000_000 / fastest;
    let least = u16::try_from(delay.max(long) / (20 * quantum) + 1).ok().filter(|_| rng.random())?.max(3);
    let just = u16::try_from(2 * (u64::from(parameters.mtu) + 38) / 64).unwrap();
    let choices = [
        3,
        rng.random_range(3..=8),
        rng.random_range(just.max(6) - 3..=just + 3),
        rng.random_range(3..=200),
        65_535,
    ];
    Some((*choices.choose(rng).unwrap()).max(least))
}

/// The hosts of a case, on the engine.
struct Hosts<'a> {
    case: &'a Paused,
    waiting: Vec<VecDeque<Frame<u64>>>,
    woken: Vec<HostId>,
    events: Vec<EventKind>,
}

impl Hosts<'_> {
    fn hears(
        &mut self,
        kind: fn(u64, HostId, u64) -> EventKind,
        host: HostId,
        frame: &Frame<u64>,
        now: Time,
    ) -> ControlFlow<()> {
        self.events.push(kind(now.as_ps(), host, frame.content));
        let Some(reply) = reply(host, frame) else { return ControlFlow::Continue(()) };
        self.waiting[host.index()].push_back(reply);
        self.woken.push(host);
        ControlFlow::Break(())
    }
}

impl Endpoint<u64> for Hosts<'_> {
    fn next_frame(&mut self, host: HostId, _now: Time) -> Option<Frame<u64>> {
        self.waiting[host.index()].pop_front()
    }
    fn may_have_more(&self, host: HostId) -> bool {
        !self.waiting[host.index()].is_empty()
    }
    fn priority(&self, host: HostId) -> Option<u8> {
        self.case.named(self.waiting[host.index()].front()?)
    }
    fn received(&mut self, host: HostId, frame: &Frame<u64>, now: Time) -> ControlFlow<()> {
        self.hears(EventKind::Received, host, frame, now)
    }
    fn received_marked(&mut self, host: HostId, frame: &Frame<u64>, now: Time) -> ControlFlow<()> {
        self.hears(EventKind::Marked, host, frame, now)
    }
    fn dropped(&mut self, port: End, frame: &Frame<u64>, now: Time) -> ControlFlow<()> {
        self.events.push(EventKind::Dropped(now.as_ps(), port, frame.content));
        ControlFlow::Continue(())
    }
    fn starved(&mut self, port: End, frame: &Frame<u64>, now: Time) -> ControlFlow<()> {
        self.events.push(EventKind::Starved(now.as_ps(), port, frame.content));
        ControlFlow::Continue(())
    }
    fn expired(&mut self, port: End, frame: &Frame<u64>, now: Time) -> ControlFlow<()> {
        self.events.push(EventKind::Expired(now.as_ps(), port, frame.content));
        ControlFlow::Continue(())
    }
    fn write(&self, _frame: &Frame<u64>, _bytes: &mut Vec<u8>) {}
}

#[derive(Default)]
struct Noted(Seen);

impl Observer<u64> for Noted {
    fn passed(&mut self, now: Time, port: End, way: Direction, frame: &Frame<u64>, _: &dyn Fn(&mut Vec<u8>)) {
        self.0.passed.push((now.as_ps(), port, way, frame.content));
    }
    fn paused(&mut self, now: Time, port: End, way: Direction, says: PauseFrame) {
        self.0.pauses.push((now.as_ps(), port, way, says));
    }
    fn ran_out(&mut self, now: Time, port: End, priorities: u8) {
        let says = PauseFrame { priorities, paused: 0, quanta: 0 };
        self.0.pauses.push((now.as_ps(), port, Direction::In, says));
    }
}

/// Runs up to and including `limit`, and as long at that instant as replies are sent.
fn run(net: &mut Ethernet<u64>, limit: Option<u64>, hosts: &mut Hosts<'_>, observer: &mut Noted) {
    loop {
        let pause = net.run_until(limit.map(Time::from_ps), hosts, observer);
        for host in hosts.woken.drain(..) {
            net.wake(host, net.now());
        }
        if pause != Pause::Break {
            return;
        }
    }
}

fn rooms(net: &Ethernet<u64>, network: &Network) -> Vec<(u64, bool)> {
    let channels = (0..2 * network.links().len()).map(ChannelId::new);
    let each = channels.flat_map(|channel| (0..8).map(move |priority| (channel, priority)));
    each.map(|(channel, priority)| (net.occupied(channel, priority).0, net.is_paused(channel, priority)))
        .collect()
}

/// Runs a case on the engine; gives what it did, and the last instant at which it did anything.
fn engine(case: &Paused) -> (Seen, Time) {
    let Case { network, parameters, attachments, frames, pauses } = &case.case;
    let mut net = Ethernet::new(network, parameters, attachments).unwrap();
    let waiting = vec![VecDeque::new(); frames.len()];
    let mut hosts = Hosts { case, waiting, woken: Vec::new(), events: Vec::new() };
    let mut noted = Noted::default();
    let mut created: Vec<(u64, Option<Frame<u64>>)> =
        frames.concat().into_iter().map(|(at, frame)| (at, Some(frame))).collect();
    created.extend(pauses.iter().map(|at| (*at, None)));
    // What is created at the instant of a pause is created after it.
    created.sort_by_key(|(at, frame)| (*at, frame.is_some()));
    for (at, frame) in created {
        if let Some(before) = at.checked_sub(1) {
            run(&mut net, Some(before), &mut hosts, &mut noted);
        }
        match frame {
            None => noted.0.rooms.push(rooms(&net, network)),
            Some(frame) => {
                hosts.waiting[frame.source.index()].push_back(frame);
                net.wake(frame.source, Time::from_ps(at));
            }
        }
    }
    run(&mut net, None, &mut hosts, &mut noted);
    let stands = net.deadlocks().iter().any(|deadlock| deadlock.cleared.is_none());
    assert_eq!((net.under_way() > 0, net.next()), (stands, None), "what does not move is in a deadlock");
    let mut seen = noted.0;
    seen.events = hosts.events;
    seen.deadlocks = net.deadlocks().to_vec();
    seen.counters = net.counters().into_owned();
    let channels = (0..2 * network.links().len()).map(ChannelId::new);
    let each = channels.flat_map(|channel| (0..8).map(move |priority| (channel, priority)));
    seen.counted = each.map(|(channel, priority)| net.pauses(channel, priority).unwrap()).collect();
    let causes = net.causes().map(|(cause, count)| (cause.paused.0, cause.priority, cause.behind.0, count));
    seen.causes = causes.collect();
    (seen, net.now())
}

/// Names the first difference of two lists.
fn assert_same<T: PartialEq + std::fmt::Debug>(seed: u64, what: &str, engine: &[T], reference: &[T]) {
    for at in 0..engine.len().max(reference.len()) {
        assert_eq!(engine.get(at), reference.get(at), "seed {seed}: {what} {at}");
    }
}

fn assert_equal(seed: u64, engine: &Seen, reference: &Seen) {
    assert_same(seed, "deadlock", &engine.deadlocks, &reference.deadlocks);
    assert_same(seed, "pause", &engine.pauses, &reference.pauses);
    assert_same(seed, "passing", &engine.passed, &reference.passed);
    assert_same(seed, "event", &engine.events, &reference.events);
    assert_same(seed, "room", &engine.rooms, &reference.rooms);
    assert_same(seed, "count", &engine.counted, &reference.counted);
    assert_same(seed, "cause", &engine.causes, &reference.causes);
    assert_eq!(engine.counters, reference.counters, "seed {seed}");
}

/// Wrong if any frame arrived, began to leave, was dropped or counted otherwise than in the plain reference, or any
/// PAUSE frame were sent or obeyed at another instant, port or priority, in any of many random networks; or if a frame
/// found no headroom where there is as much as is said to be needed.
#[test]
fn the_engine_is_the_reference() {
    let (mut cyclic, mut deadlocks, mut cleared) = (0, 0, 0);
    let (mut starved, mut dropped, mut told, mut storms, mut right) = (0, 0, 0, 0, 0);
    let (mut pooled, mut pools) = (0, 0);
    let (mut expired, mut marked, mut refreshed, mut ran_out) = (0, 0, 0, 0);
    for seed in 0..how_many(5_000) {
        let case = random_case(seed);
        let mut reference = Reference::new(&case);
        reference.run();
        let (seen, end) = engine(&case);
        let expected = reference.into_seen(end.as_ps());
        assert_equal(seed, &seen, &expected);
        let of = |count: fn(&PauseCounters) -> u64| seen.counted.iter().map(count).sum::<u64>();
        let (short, bitten) = (of(|it| it.starved), of(|it| it.discarded));
        let c = &seen.counters;
        let stands = seen.deadlocks.iter().any(|deadlock| deadlock.cleared.is_none());
        let (taken, left) = (c.sent + c.forwarded + c.copies, c.hops() + c.dropped());
        assert!(taken == left || stands && taken > left, "seed {seed}: {taken} taken in, {left} left");
        let fates = c.delivered + c.unwanted + c.blocked + c.filtered + c.forwarded + c.floods;
        assert_eq!(c.hops(), fates + short + c.unrouted + c.expired, "seed {seed}");
        assert_eq!(c.dropped(), bitten, "seed {seed}");
        (refreshed, ran_out) = (refreshed + of(|it| it.refreshed), ran_out + of(|it| it.expired));
        if case.is_right && case.lasts() {
            assert_eq!(of(|it| it.expired), 0, "seed {seed}: no pause runs out");
            assert_eq!(short, 0, "seed {seed}: no frame lacks headroom");
            right += of(|it| it.obeyed);
        }
        // Broadcasts keep to the spanning tree: with the ways of a table beside it a circle may close that neither has.
        if c.floods == 0 {
            cyclic += usize::from(judge(seed, &case.case, &seen.deadlocks));
        }
        deadlocks += seen.deadlocks.len();
        if case.pfc.shared.is_some() {
            pooled += of(|it| it.xoff);
            pools += seen.deadlocks.len();
        }
        cleared += seen.deadlocks.iter().filter(|deadlock| deadlock.cleared.is_some()).count();
        starved += short;
        (expired, marked) = (expired + c.expired, marked + c.marked);
        dropped += bitten;
        told += of(|it| it.xoff + it.xon);
        storms += of(|it| it.storms);
    }
    assert!(
        cyclic > 10 && deadlocks > 5 && cleared > 0 && pools > 0,
        "{cyclic} with cycles, {deadlocks} deadlocks, {cleared} cleared"
    );
    // The cases are worth something: each fate is met often.
    for met in [starved, dropped, told, storms, right, expired, marked, refreshed, ran_out, pooled] {
        assert!(
            met > 100,
            "{starved} starved, {dropped} dropped, {told} told, {storms} storms, {right} obeyed, {expired} expired, \
             {refreshed} refreshed, {ran_out} ran out"
        );
    }
}
