//! Ethernet frame by frame, slowly and plainly: what the engine must equal in every instant, drop and count.
//!
//! At every instant at which anything happens, all ports are looked at. First the last bits that leave now free their
//! room. Then frames that are at the far end of their cables are handled, by channel. Then hosts whose interfaces are
//! free give a frame. Then every port that is free, and whose first frame is ready, begins to send it.
//!
//! A frame that finds a buffer full drops one of those that came to it at the same instant, if one ranks after it.

pub(crate) mod bridges;
pub(crate) mod cases;
mod trains;

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use simnet_base::des::random::{Purpose, Stream, mix};
use simnet_base::ids::{HostId, Node, Port, SwitchId};
use simnet_base::units::{BitRate, Bytes, Duration, Time};
use simnet_media::ethernet::{
    Address, Buffer, Counters, Direction, Endpoint, Ethernet, Frame, Observer, Pause, Role,
};
use simnet_network::topology::End;

use cases::{Case, random_case, reply};
use support_media::ethernet::Passages;
use support_network::cases;

/// Something that happened to the frame with this content: when, where, what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EventKind {
    Passed(u64, End, Direction, u64),
    Received(u64, HostId, u64),
    Dropped(u64, End, u64),
}

/// One direction of a cable and the port that it begins at.
struct Channel {
    from: End,
    to: End,
    rate: u64,
    delay: u64,
    queue: VecDeque<Waiting>,
    /// The frame that is leaving, and until when.
    leaving: Option<(u64, Frame<u64>)>,
    /// When the gap after the last frame ends.
    free: u64,
    /// Frames on the cable, the one that is leaving included, and when they arrive.
    cable: Vec<(u64, Frame<u64>)>,
}

/// A frame that has not begun to leave.
struct Waiting {
    /// The instant from which on it can.
    ready: u64,
    frame: Frame<u64>,
    /// When it came, and its rank among those that came then.
    came: (u64, u64),
}

impl Channel {
    fn time(&self, bytes: u32) -> u64 {
        let exact = u128::from(bytes) * 8 * 1_000_000_000_000;
        u64::try_from(exact.div_ceil(u128::from(self.rate))).unwrap()
    }

    fn occupied(&self) -> u64 {
        let queued: u64 = self.queue.iter().map(|waiting| length(&waiting.frame)).sum();
        queued + self.leaving.iter().map(|(_, frame)| length(frame)).sum::<u64>()
    }

    /// When something happens here next.
    fn next(&self) -> Option<u64> {
        let starts = self.queue.front().map(|waiting| waiting.ready.max(self.free));
        let leaves = self.leaving.as_ref().map(|(until, _)| *until);
        self.cable.iter().map(|(at, _)| *at).chain(starts).chain(leaves).min()
    }
}

fn length(frame: &Frame<u64>) -> u64 {
    u64::from((14 + frame.payload + 4).max(64))
}

struct Reference<'a> {
    case: &'a Case,
    channels: Vec<Channel>,
    /// By host: the channel of its interface.
    interfaces: Vec<Option<usize>>,
    roles: BTreeMap<End, Role>,
    /// By switch: where a source was seen last, and when.
    tables: Vec<BTreeMap<HostId, (End, u64)>>,
    /// By host: the frames that it has to send.
    waiting: Vec<VecDeque<Frame<u64>>>,
    /// By host: how many of the case's frames exist.
    created: Vec<usize>,
    happenings: Vec<EventKind>,
    counters: Counters,
    /// Frames that were dropped for others, which came at the same instant, and those.
    displaced: Vec<(u64, u64)>,
    /// The seed of ranks.
    seed: u64,
}

impl<'a> Reference<'a> {
    fn new(case: &'a Case) -> Reference<'a> {
        let parameters = &case.parameters;
        let channel = |(at, from, to): (usize, End, End)| Channel {
            from,
            to,
            rate: parameters.rates[at].as_bits_per_s(),
            delay: parameters.delays[at].as_ps(),
            queue: VecDeque::new(),
            leaving: None,
            free: 0,
            cable: Vec::new(),
        };
        let links = case.network.links().iter().enumerate();
        let channels: Vec<Channel> =
            links.flat_map(|(at, link)| [(at, link.a, link.b), (at, link.b, link.a)]).map(channel).collect();
        let interface = |(host, port): (usize, &Option<Port>)| {
            let end = End { node: Node::Host(HostId::new(host)), port: (*port)? };
            channels.iter().position(|channel| channel.from == end)
        };
        let interfaces = case.attachments.iter().enumerate().map(interface).collect();
        let switches = case.network.switches().len();
        let counters = Counters {
            channels: vec![simnet_media::ethernet::ChannelCounters::default(); channels.len()],
            shared_peaks: vec![Bytes(0); switches],
            ..Counters::default()
        };
        let roles = bridges::roles(&case.network, &parameters.rates, &parameters.bridge_priorities);
        Reference {
            case,
            channels,
            interfaces,
            roles: roles.into_iter().collect(),
            tables: vec![BTreeMap::new(); switches],
            waiting: vec![VecDeque::new(); case.frames.len()],
            created: vec![0; case.frames.len()],
            happenings: Vec::new(),
            counters,
            displaced: Vec::new(),
            seed: Stream::new(parameters.seed, Purpose(59), 0).bits(),
        }
    }

    fn run(&mut self) {
        self.run_until(u64::MAX);
    }

    /// Up to and including this instant.
    fn run_until(&mut self, limit: u64) {
        while let Some(now) = self.next().filter(|now| *now <= limit) {
            self.instant(now);
        }
    }

    fn next(&self) -> Option<u64> {
        let channels = self.channels.iter().filter_map(Channel::next);
        let hosts = (0..self.waiting.len()).filter_map(|host| {
            let interface = &self.channels[self.interfaces[host]?];
            let created = self.case.frames[host].get(self.created[host]).map(|(at, _)| *at);
            let waiting = (!self.waiting[host].is_empty()).then_some(interface.free);
            created.into_iter().chain(waiting).min()
        });
        channels.chain(hosts).min()
    }

    fn instant(&mut self, now: u64) {
        for channel in &mut self.channels {
            channel.leaving = channel.leaving.take().filter(|(until, _)| *until > now);
        }
        for host in 0..self.waiting.len() {
            while let Some((at, frame)) = self.case.frames[host].get(self.created[host])
                && *at <= now
            {
                self.created[host] += 1;
                self.waiting[host].push_back(*frame);
            }
        }
        for at in 0..self.channels.len() {
            let arrived = self.channels[at].cable.iter().position(|(arrival, _)| *arrival == now);
            if let Some(arrived) = arrived {
                let (_, frame) = self.channels[at].cable.remove(arrived);
                self.arrive(at, frame, now);
            }
        }
        for host in 0..self.waiting.len() {
            if let Some(at) = self.interfaces[host]
                && self.channels[at].free <= now
                && let Some(frame) = self.waiting[host].pop_front()
            {
                self.counters.sent += 1;
                self.channels[at].queue.push_back(Waiting { ready: now, frame, came: (now, 0) });
            }
        }
        for channel in &mut self.channels {
            if let Some(Waiting { frame, .. }) =
                channel.queue.pop_front_if(|waiting| waiting.ready <= now && channel.free <= now)
            {
                let bytes = u32::try_from(length(&frame)).unwrap();
                let end = now + channel.time(8 + bytes);
                channel.free = now + channel.time(8 + bytes + 12);
                channel.leaving = Some((end, frame));
                channel.cable.push((end + channel.delay, frame));
                self.happenings.push(EventKind::Passed(now, channel.from, Direction::Out, frame.content));
            }
        }
    }

    fn arrive(&mut self, at: usize, frame: Frame<u64>, now: u64) {
        let to = self.channels[at].to;
        self.happenings.push(EventKind::Passed(now, to, Direction::In, frame.content));
        let bytes = u32::try_from(length(&frame)).unwrap();
        let time = self.channels[at].time(8 + bytes);
        let counters = &mut self.counters.channels[at];
        counters.frames += 1;
        counters.bytes += u64::from(bytes);
        counters.busy += Duration::from_ps(time);
        match to.node {
            Node::Host(host) => {
                let is_for = [Address::Host(host), Address::Broadcast].contains(&frame.destination);
                if self.case.attachments[host.index()] != Some(to.port) || !is_for {
                    self.counters.unwanted += 1;
                    return;
                }
                self.counters.delivered += 1;
                self.happenings.push(EventKind::Received(now, host, frame.content));
                self.waiting[host.index()].extend(reply(host, &frame));
            }
            Node::Switch(_) if self.roles[&to] == Role::Blocked => self.counters.blocked += 1,
            Node::Switch(switch) => self.switch(switch, to, frame, now),
        }
    }

    fn switch(&mut self, switch: SwitchId, came: End, frame: Frame<u64>, now: u64) {
        self.tables[switch.index()].insert(frame.source, (came, now));
        let ageing = self.case.parameters.ageing.as_ps();
        let known = match frame.destination {
            Address::Host(host) => {
                self.tables[switch.index()].get(&host).filter(|(_, seen)| now - seen < ageing)
            }
            Address::Broadcast => None,
        };
        match known {
            Some((end, _)) if *end == came => self.counters.filtered += 1,
            Some((end, _)) => {
                self.counters.forwarded += 1;
                self.queue(switch, *end, (came, frame), now);
            }
            None => {
                self.counters.floods += 1;
                for (port, ..) in self.case.network.cables(came.node) {
                    let end = End { node: came.node, port };
                    if end != came && self.roles[&end] != Role::Blocked {
                        self.counters.copies += 1;
                        self.queue(switch, end, (came, frame), now);
                    }
                }
            }
        }
    }

    /// Whether a frame can drop one that came to the same buffer at the same instant; does so.
    fn displace(&mut self, (at, shares): (usize, bool), frame: &Frame<u64>, (now, rank): (u64, u64)) -> bool {
        let (Buffer::PerPort(room) | Buffer::Shared(room)) = self.case.parameters.buffer else {
            return false;
        };
        let here = self.channels[at].from;
        let is_of_buffer = |from: End| if shares { from.node == here.node } else { from == here };
        let mut of_buffer: Vec<&mut Channel> =
            self.channels.iter_mut().filter(|channel| is_of_buffer(channel.from)).collect();
        let occupied: u64 = of_buffer.iter().map(|channel| channel.occupied()).sum();
        let mut latest: Option<(u64, usize, usize)> = None;
        for (nth, channel) in of_buffer.iter().enumerate() {
            for (place, waiting) in channel.queue.iter().enumerate() {
                let suffices = occupied - length(&waiting.frame) + length(frame) <= room.0;
                let (came, other) = waiting.came;
                if came == now && other > rank && suffices {
                    latest = latest.max(Some((other, nth, place)));
                }
            }
        }
        let Some((_, nth, place)) = latest else { return false };
        let dropped = of_buffer[nth].queue.remove(place).unwrap().frame;
        let port = of_buffer[nth].from;
        let at = self.channels.iter().position(|channel| channel.from == port).unwrap();
        self.counters.channels[at].dropped += 1;
        self.happenings.push(EventKind::Dropped(now, port, dropped.content));
        self.displaced.push((dropped.content, frame.content));
        true
    }

    fn queue(&mut self, switch: SwitchId, end: End, (came, frame): (End, Frame<u64>), now: u64) {
        let at = self.channels.iter().position(|channel| channel.from == end).unwrap();
        let input = self.channels.iter().position(|channel| channel.to == came).unwrap();
        let rank = mix(mix(self.seed ^ now) ^ ((at as u64) << 32 | input as u64));
        let shares = matches!(self.case.parameters.buffer, Buffer::Shared(_));
        if !self.has_room(switch, at, &frame) && !self.displace((at, shares), &frame, (now, rank)) {
            self.counters.channels[at].dropped += 1;
            self.happenings.push(EventKind::Dropped(now, end, frame.content));
            return;
        }
        let ready = now + self.case.parameters.switch_latency.as_ps();
        self.channels[at].queue.push_back(Waiting { ready, frame, came: (now, rank) });
        let peak = &mut self.counters.channels[at].peak;
        *peak = Bytes(self.channels[at].occupied()).max(*peak);
        if shares {
            let of_switch = self.channels.iter().filter(|channel| channel.from.node == Node::Switch(switch));
            let together = Bytes(of_switch.map(Channel::occupied).sum());
            let peak = &mut self.counters.shared_peaks[switch.index()];
            *peak = together.max(*peak);
        }
    }

    fn has_room(&self, switch: SwitchId, at: usize, frame: &Frame<u64>) -> bool {
        let own = self.channels[at].occupied() + length(frame);
        let of_switch = self.channels.iter().filter(|channel| channel.from.node == Node::Switch(switch));
        let together = of_switch.map(Channel::occupied).sum::<u64>() + length(frame);
        match self.case.parameters.buffer {
            Buffer::Unbounded => true,
            Buffer::PerPort(room) => own <= room.0,
            Buffer::Shared(room) => together <= room.0,
        }
    }
}

/// The hosts of a case, on the engine.
struct Hosts {
    waiting: Vec<VecDeque<Frame<u64>>>,
    woken: Vec<HostId>,
    happenings: Vec<EventKind>,
    /// Whether they say when they have given their last frame.
    says_last: bool,
}

impl Hosts {
    fn new(case: &Case, says_last: bool) -> Hosts {
        let waiting = vec![VecDeque::new(); case.frames.len()];
        Hosts { waiting, woken: Vec::new(), happenings: Vec::new(), says_last }
    }
}

impl Endpoint<u64> for Hosts {
    fn next_frame(&mut self, host: HostId, _now: Time) -> Option<Frame<u64>> {
        self.waiting[host.index()].pop_front()
    }
    fn may_have_more(&self, host: HostId) -> bool {
        !self.says_last || !self.waiting[host.index()].is_empty()
    }
    fn received(&mut self, host: HostId, frame: &Frame<u64>, now: Time) -> ControlFlow<()> {
        self.happenings.push(EventKind::Received(now.as_ps(), host, frame.content));
        let Some(reply) = reply(host, frame) else { return ControlFlow::Continue(()) };
        self.waiting[host.index()].push_back(reply);
        self.woken.push(host);
        ControlFlow::Break(())
    }
    fn dropped(&mut self, port: End, frame: &Frame<u64>, now: Time) -> ControlFlow<()> {
        self.happenings.push(EventKind::Dropped(now.as_ps(), port, frame.content));
        ControlFlow::Continue(())
    }
    fn write(&self, frame: &Frame<u64>, bytes: &mut Vec<u8>) {
        bytes.extend(frame.content.to_be_bytes());
    }
}

/// Runs up to and including `limit`, and as long at that instant as replies are sent.
fn run<O: Observer<u64>>(net: &mut Ethernet<u64>, limit: Option<u64>, hosts: &mut Hosts, observer: &mut O) {
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

/// Runs a case on the engine; gives what the hosts and the observer saw, and the counters.
fn engine<O: Observer<u64>>(case: &Case, observer: &mut O, says_last: bool) -> (Vec<EventKind>, Counters) {
    let mut net = Ethernet::new(&case.network, &case.parameters, &case.attachments).unwrap();
    let mut hosts = Hosts::new(case, says_last);
    let mut created: Vec<(u64, Frame<u64>)> = case.frames.concat();
    created.sort_by_key(|(at, _)| *at);
    let mut pauses = case.pauses.iter().copied().peekable();
    for (at, frame) in created {
        while let Some(pause) = pauses.next_if(|pause| *pause < at) {
            run(&mut net, Some(pause), &mut hosts, observer);
        }
        if at > 0 {
            run(&mut net, Some(at - 1), &mut hosts, observer);
        }
        hosts.waiting[frame.source.index()].push_back(frame);
        net.wake(frame.source, Time::from_ps(at));
    }
    run(&mut net, None, &mut hosts, observer);
    assert_eq!((net.under_way(), net.next()), (0, None));
    (hosts.happenings, net.counters().into_owned())
}

/// Names the first difference.
fn assert_same(seed: u64, engine: &[EventKind], reference: &[EventKind]) {
    let longest = engine.len().max(reference.len());
    for at in 0..longest {
        assert_eq!(engine.get(at), reference.get(at), "seed {seed}: happening {at}");
    }
}

fn is_passing(happening: &&EventKind) -> bool {
    matches!(happening, EventKind::Passed(..))
}

/// Wrong if any frame were delivered, dropped, sent or counted otherwise than in the plain reference, in any of many
/// random networks with loops, parallel cables, mixed rates, tiny buffers and short memories; or if being watched
/// changed anything, or hosts that say which frame is their last.
#[test]
fn the_engine_is_the_reference() {
    let mut seen = Counters::default();
    let (mut drops, mut displaced) = (0, 0);
    for seed in 0..cases(20_000) {
        let case = random_case(seed);
        let mut reference = Reference::new(&case);
        reference.run();
        let mut passages = Passages::default();
        let (happenings, counters) = engine(&case, &mut passages, seed % 2 == 0);
        let (passed, rest): (Vec<EventKind>, Vec<EventKind>) =
            reference.happenings.iter().partition(is_passing);
        assert_same(seed, &happenings, &rest);
        let passages = passages.0.into_iter();
        let observed = passages.map(|(now, port, way, n)| EventKind::Passed(now.as_ps(), port, way, n));
        assert_same(seed, &observed.collect::<Vec<_>>(), &passed);
        assert_eq!(counters, reference.counters, "seed {seed}");
        for says_last in [false, true] {
            let unwatched = engine(&case, &mut (), says_last);
            assert_eq!(unwatched, (happenings.clone(), counters.clone()), "seed {seed}, unwatched");
        }
        let c = &reference.counters;
        assert_eq!(c.sent + c.forwarded + c.copies, c.hops() + c.dropped(), "seed {seed}");
        let fates = c.delivered + c.unwanted + c.blocked + c.filtered + c.forwarded + c.floods;
        assert_eq!(c.hops(), fates, "seed {seed}");
        seen.delivered += c.delivered;
        seen.unwanted += c.unwanted;
        seen.blocked += c.blocked;
        seen.filtered += c.filtered;
        seen.forwarded += c.forwarded;
        drops += c.dropped();
        displaced += reference.displaced.len();
    }
    // The cases are worth something: each fate is met often.
    for met in [seen.delivered, seen.unwanted, seen.blocked, seen.filtered, seen.forwarded, drops] {
        assert!(met > 1_000, "{seen:?}, {drops} drops");
    }
    println!("{drops} drops, {displaced} of them for others");
    assert!(displaced > 100);
}

/// Wrong if the computed tree were not the one that bridges elect by talking, on any multigraph: parallel cables,
/// cables to the switch itself, equal costs, several components.
#[test]
fn bridges_elect_the_tree() {
    const RATES: [u64; 4] = [10_000_000, 100_000_000, 1_000_000_000, 99_000_000];
    for seed in 0..cases(40_000) {
        let mut rng = ChaCha8Rng::seed_from_u64(1_000_000 + seed);
        let (network, _) = cases::wired(&mut rng);
        let rate = |_| BitRate::new(*RATES.choose(&mut rng).unwrap()).unwrap();
        let rates: Vec<BitRate> = network.links().iter().map(rate).collect();
        let priorities: Vec<u16> =
            network.switches().iter().map(|_| *[0, 4_096].choose(&mut rng).unwrap()).collect();
        bridges::compare(seed, &network, &rates, &priorities);
        let equal = vec![BitRate::new(1_000_000_000).unwrap(); rates.len()];
        bridges::compare(seed, &network, &equal, &[]);
    }
}
