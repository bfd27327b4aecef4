//! Trains of frames beside the plain reference, which knows none: what is received, dropped and counted, at the end and
//! wherever the run pauses.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use simnet_base::ids::{HostId, Port};
use simnet_base::units::{BitRate, Bytes, Duration, Time};
use simnet_media::ethernet::{Address, Buffer, Counters, Endpoint, Ethernet, Frame, Parameters, Pause};
use simnet_network::topology::{End, Network};
use support_media::ethernet::Passages;
use support_network::cases;

use super::cases::{Case, random_parameters, wired};
use super::{EventKind, Reference, assert_same, is_passing};

/// Bursts of equal frames for one host each, most of them at few instants, after all hosts have made themselves known.
fn bursts(seed: u64) -> Case {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (network, attachments) = wired(&mut rng);
    let mut parameters = random_parameters(&mut rng, &network);
    if rng.random_bool(0.6) {
        let rate = parameters.rates.first().copied();
        parameters.rates.iter_mut().for_each(|other| *other = rate.unwrap_or(*other));
    }
    let room = Bytes(*[1_600, 8_000, 60_000].choose(&mut rng).unwrap());
    let shared = Buffer::Shared(room);
    parameters.buffer =
        *[Buffer::Unbounded, Buffer::Unbounded, Buffer::PerPort(room), shared].choose(&mut rng).unwrap();
    let slowest = parameters.rates.iter().map(|rate| rate.as_bits_per_s()).min().unwrap_or(1_000_000_000);
    let long = (u64::from(parameters.mtu) + 38) * 8_000_000_000_000 / slowest;
    let short = rng.random_range(2..100) * long;
    let ageing = *[5 * long, short, u64::MAX, u64::MAX].choose(&mut rng).unwrap();
    parameters.ageing = Duration::from_ps(ageing);
    let hosts = network.hosts().len();
    let window = long * rng.random_range(1..=120) / 2;
    let grain = window / *[1, 3, 1_000].choose(&mut rng).unwrap() + 1;
    let hot = rng.random_range(0..hosts.max(1));
    let to_hot = *[0.0, 0.3, 0.9].choose(&mut rng).unwrap();
    let most = *[1, 2, 6].choose(&mut rng).unwrap();
    let one_length = rng.random_bool(0.5);
    let mut tag = 0;
    let mut of_host = |source: usize| {
        let source = HostId::new(source);
        let hello = Frame { source, destination: Address::Broadcast, payload: 0, content: 0 };
        let mut created = vec![(0, hello)];
        let count = rng.random_range(0..=most);
        let mut begins: Vec<u64> =
            (0..count).map(|_| 30 * long + rng.random_range(0..=window) / grain * grain).collect();
        begins.sort_unstable();
        for at in begins {
            let to = if rng.random_bool(to_hot) { hot } else { rng.random_range(0..hosts) };
            let payload = if one_length { parameters.mtu } else { rng.random_range(0..=parameters.mtu) };
            let length = rng.random_range(1..=40);
            for nth in 0..length {
                tag += 1;
                let asks = nth + 1 == length && rng.random_bool(0.2);
                let content = tag * 2 + u64::from(asks);
                created.push((
                    at,
                    Frame { source, destination: Address::Host(HostId::new(to)), payload, content },
                ));
            }
        }
        created
    };
    let frames = (0..hosts).map(&mut of_host).collect();
    let mut pauses: Vec<u64> =
        (0..rng.random_range(0..9)).map(|_| rng.random_range(0..=30 * long + 2 * window)).collect();
    pauses.sort_unstable();
    Case { network, parameters, attachments, frames, pauses }
}

/// The hosts of a case, which give all frames together that they can.
struct Hosts {
    plain: super::Hosts,
    /// By host, the last one given.
    given: Vec<Option<Frame<u64>>>,
    /// The frame behind each that was given with it.
    next: BTreeMap<u64, u64>,
    /// When it heard of frames of trains but the last of each.
    unheard: BTreeMap<u64, u64>,
    pieces: u64,
    /// The last two frames that were taken out of trains, and both with what was dropped right after that.
    taken: Cell<[u64; 2]>,
    dropped: Vec<([u64; 2], u64)>,
}

impl Endpoint<u64> for Hosts {
    fn next_frame(&mut self, host: HostId, now: Time) -> Option<Frame<u64>> {
        self.given[host.index()] = self.plain.next_frame(host, now);
        self.given[host.index()]
    }
    fn following(&mut self, host: HostId, most: u32) -> u32 {
        let mut given = self.given[host.index()].expect("it has given one");
        let mut more = 0;
        while more < most
            && given.content.is_multiple_of(2)
            && let Some(next) = self.plain.waiting[host.index()]
                .pop_front_if(|next| next.payload == given.payload && next.destination == given.destination)
        {
            self.next.insert(given.content, next.content);
            given = next;
            more += 1;
        }
        more
    }
    fn nth(&self, frame: &Frame<u64>, nth: u32) -> Frame<u64> {
        let content = (0..nth).fold(frame.content, |content, _| self.next[&content]);
        self.taken.set([self.taken.get()[1], content]);
        Frame { content, ..*frame }
    }
    fn received(&mut self, host: HostId, frame: &Frame<u64>, now: Time) -> ControlFlow<()> {
        self.plain.received(host, frame, now)
    }
    fn received_train(&mut self, host: HostId, first: &Frame<u64>, count: u32, now: Time) -> ControlFlow<()> {
        self.pieces += u64::from(count > 1);
        let last = self.nth(first, count - 1);
        let is_cut = self.next.contains_key(&last.content);
        for nth in 0..count - u32::from(!is_cut) {
            self.unheard.insert(self.nth(first, nth).content, now.as_ps());
        }
        if is_cut {
            return ControlFlow::Continue(());
        }
        self.received(host, &last, now)
    }
    fn dropped(&mut self, port: End, frame: &Frame<u64>, now: Time) -> ControlFlow<()> {
        self.dropped.push((self.taken.get(), frame.content));
        self.plain.dropped(port, frame, now)
    }
    fn write(&self, frame: &Frame<u64>, bytes: &mut Vec<u8>) {
        self.plain.write(frame, bytes);
    }
}

/// What has happened by an instant: what is counted, and how many frames are under way.
type State = (u64, Counters, usize);

/// Runs a case on the engine, part of the time watched if there is a `chance`; gives the state at each pause, and last.
fn engine(case: &Case, mut chance: Option<ChaCha8Rng>) -> (Hosts, Vec<State>) {
    let mut net = Ethernet::new(&case.network, &case.parameters, &case.attachments).unwrap();
    let mut hosts = Hosts {
        plain: super::Hosts::new(case, false),
        given: vec![None; case.frames.len()],
        next: BTreeMap::new(),
        unheard: BTreeMap::new(),
        pieces: 0,
        taken: Cell::default(),
        dropped: Vec::new(),
    };
    let mut run = |net: &mut Ethernet<u64>, limit: Option<u64>, hosts: &mut Hosts| loop {
        let limit = limit.map(Time::from_ps);
        let is_watched = chance.as_mut().is_some_and(|chance| chance.random_bool(0.3));
        let pause = if is_watched {
            net.run_until(limit, hosts, &mut Passages::default())
        } else {
            net.run_until(limit, hosts, &mut ())
        };
        hosts.plain.woken.drain(..).for_each(|host| net.wake(host, net.now()));
        if pause != Pause::Break {
            return;
        }
    };
    let mut created: Vec<(u64, Option<Frame<u64>>)> =
        case.frames.iter().flatten().map(|(at, frame)| (*at, Some(*frame))).collect();
    created.extend(case.pauses.iter().map(|pause| (*pause, None)));
    // Frames of an instant before a pause at it.
    created.sort_by_key(|(at, frame)| (*at, frame.is_none()));
    let mut states = Vec::new();
    let mut now = None;
    for (at, frame) in created {
        if at > 0 && now != Some(at) {
            run(&mut net, Some(at - 1), &mut hosts);
        }
        now = Some(at);
        match frame {
            Some(frame) => {
                hosts.plain.waiting[frame.source.index()].push_back(frame);
                net.wake(frame.source, Time::from_ps(at));
            }
            None => {
                run(&mut net, Some(at), &mut hosts);
                states.push((at, net.counters().into_owned(), net.under_way()));
            }
        }
    }
    run(&mut net, None, &mut hosts);
    assert_eq!((net.under_way(), net.next()), (0, None));
    states.push((u64::MAX, net.counters().into_owned(), 0));
    (hosts, states)
}

/// The states of the reference at the pauses of a case and the end, and all that has happened.
fn reference(case: &Case) -> (Reference<'_>, Vec<State>) {
    let mut reference = Reference::new(case);
    let mut states = Vec::new();
    for pause in case.pauses.iter().copied().chain([u64::MAX]) {
        reference.run_until(pause);
        let on = |channel: &super::Channel| channel.queue.len() + channel.cable.len();
        let under_way = reference.channels.iter().map(on).sum();
        states.push((pause, reference.counters.clone(), under_way));
    }
    (reference, states)
}

/// Wrong if a frame of a train were received, dropped, sent or counted otherwise than one alone: on networks with
/// loops, mixed rates and short memories, where trains meet at ports, run into full buffers, are forgotten on their
/// way, begin behind others; at any instant, and whether someone watches now and then or not.
#[test]
fn trains_are_frames_one_after_the_other() {
    let (mut unheard, mut pieces, mut drops, mut pauses) = (0, 0, 0, 0);
    let (mut displaced, mut last_ones) = (0, 0);
    for seed in 0..cases(20_000) {
        let case = bursts(seed);
        let (reference, states) = reference(&case);
        let happened: Vec<EventKind> =
            reference.happenings.iter().filter(|it| !is_passing(it)).copied().collect();
        for chance in [None, Some(ChaCha8Rng::seed_from_u64(seed))] {
            let (hosts, found) = engine(&case, chance);
            for (found, state) in found.iter().zip(&states) {
                assert_eq!(found, state, "seed {seed}, at {}", state.0);
            }
            assert_eq!(found.len(), states.len());
            let heard = |it: &&EventKind| match it {
                EventKind::Received(at, _, frame) => hosts.unheard.get(frame).is_none_or(|later| later < at),
                _ => true,
            };
            let expected: Vec<EventKind> = happened.iter().filter(heard).copied().collect();
            assert_same(seed, &hosts.plain.happenings, &expected);
            assert_eq!(happened.len() - expected.len(), hosts.unheard.len(), "seed {seed}");
            unheard += hosts.unheard.len();
            pieces += hosts.pieces;
            // The newcomer was taken off its train first, then what was dropped for it out of another one.
            let is_last =
                |(dropped, newcomer): (u64, u64)| hosts.dropped.contains(&([newcomer, dropped], dropped));
            last_ones += reference.displaced.iter().filter(|pair| is_last(**pair)).count();
        }
        displaced += reference.displaced.len();
        pauses += states.iter().filter(|(_, _, under_way)| *under_way > 0).count();
        drops += states.last().map_or(0, |(_, counters, _)| counters.dropped());
    }
    println!("{unheard} frames in {pieces} pieces, {drops} drops, {pauses} pauses");
    println!("{displaced} frames dropped for others, {last_ones} of them known to be the last of a train");
    assert!(unheard > 1_000 && pieces > 100 && drops > 1_000 && pauses > 100);
    assert!(displaced > 1_000 && last_ones > 10);
}

/// Wrong if a switch took the frames of a train for seen that never came to it: those that found no room before it,
/// behind the frames of another host that come in the gaps of the train.
#[test]
fn a_switch_forgets_a_host_whose_train_was_cut_before_it() {
    const FRAME: u64 = (8 + 1_518 + 12) * 80_000;
    let mut network = Network::new("two switches");
    let [near, far] = ["near", "far"].map(|name| network.add_switch(name, 4).unwrap());
    network.connect(End::switch(near, 0), End::switch(far, 0)).unwrap();
    for (name, switch, port) in [("other", near, 1), ("train", near, 2), ("to", far, 1), ("asks", far, 2)] {
        let host = network.add_host(name).unwrap();
        network.connect(End::host(host, 0), End::switch(switch, port)).unwrap();
    }
    let rate = BitRate::new(100_000_000).unwrap();
    let parameters = Parameters {
        buffer: Buffer::PerPort(Bytes(1_518)),
        ageing: Duration::from_ps(100 * FRAME),
        ..Parameters::uniform(network.links().len(), rate, Duration::ZERO)
    };
    let frame = |source: u32, destination: u32, content: u64| {
        let (source, destination) = (HostId(source), Address::Host(HostId(destination)));
        Frame { source, destination, payload: 1_500, content }
    };
    let hello = Frame { destination: Address::Broadcast, ..frame(2, 0, 0) };
    let begin = 10 * FRAME;
    let meets = begin + 10 * FRAME - 6 * 80_000;
    let question = begin + 125 * FRAME;
    let frames = vec![
        (0..40).map(|n| (meets, frame(0, 2, 1_000 + 2 * n))).collect(),
        (0..40).map(|n| (begin, frame(1, 2, 2_000 + 2 * n))).collect(),
        vec![(0, hello)],
        vec![(question, frame(3, 1, 3_000))],
    ];
    let attachments = vec![Some(Port(0)); 4];
    let case = Case { network, parameters, attachments, frames, pauses: vec![meets + FRAME] };
    let (_, states) = reference(&case);
    let counters = &states.last().unwrap().1;
    // The hello at both switches, and the question at the one that has not seen the train for so long.
    assert_eq!((counters.floods, counters.dropped()), (3, 30));
    assert_eq!(engine(&case, None).1, states);
}
