//! Ports, frames and pauses, looked at all together at every instant.

mod deadlock;
mod pools;
mod still;

use std::collections::{BTreeMap, VecDeque};

use simnet_base::ids::{HostId, Node, Port, SwitchId};
use simnet_base::units::{Bytes, Duration};
use simnet_media::ethernet::{
    Address, ChannelCounters, Direction, Forwarding, Frame, PauseCounters, PauseFrame, Role,
};
use simnet_network::topology::End;

use super::super::ethernet::{bridges, cases::reply};
use super::{EventKind, Paused, Seen};

/// A copy of a frame in a switch, or at its host.
#[derive(Clone, Copy, Debug)]
struct Copy {
    frame: Frame<u64>,
    priority: usize,
    /// From when on it can leave.
    ready: u64,
    /// The channel that it came over; none at its host.
    input: Option<usize>,
    /// How many switches have forwarded it.
    hops: u16,
    is_marked: bool,
    /// What it is a copy of: which arrival at a switch, of all.
    arrival: u64,
}

/// One direction of a cable, the port that it begins at, and the input that it ends at.
struct Channel {
    from: End,
    to: End,
    rate: u64,
    delay: u64,
    /// All that waits, in order of arrival.
    queue: Vec<Copy>,
    leaving: Option<(u64, Copy)>,
    free: u64,
    /// When copies arrive, and which.
    cable: Vec<(u64, Copy)>,
    /// PAUSE frames on the cable, and when they are obeyed.
    controls: VecDeque<(u64, PauseFrame)>,
    paused: [bool; 8],
    since: [u64; 8],
    /// When pauses run out.
    until: [u64; 8],
    blocked: [u64; 8],
    stormy: [bool; 8],
    /// At the input.
    wanted: [bool; 8],
    told: [bool; 8],
    /// At the input, with a pool: bytes in all, in the pool and in the headroom, when last looked at.
    known: [u64; 8],
    pooled: [u64; 8],
    spilled: [u64; 8],
    /// When the last PAUSE frame of this input began.
    last_pause: u64,
    counted: [PauseCounters; 8],
}

fn length(frame: &Frame<u64>) -> u64 {
    u64::from((14 + frame.payload + 4).max(64))
}

impl Channel {
    fn time(&self, bytes: u64) -> u64 {
        let exact = u128::from(bytes) * 8 * 1_000_000_000_000;
        u64::try_from(exact.div_ceil(u128::from(self.rate))).unwrap()
    }

    fn waits(&self, priority: usize) -> impl Iterator<Item = &Copy> {
        self.queue.iter().filter(move |copy| copy.priority == priority)
    }

    fn bytes(&self) -> u64 {
        self.queue.iter().chain(self.leaving.iter().map(|(_, copy)| copy)).map(|it| length(&it.frame)).sum()
    }

    /// The first frame of each priority that is not paused, the highest first.
    fn fronts(&self) -> impl Iterator<Item = &Copy> {
        let priorities = (0..8).rev().filter(|priority| !self.paused[*priority]);
        priorities.filter_map(|priority| self.waits(priority).next())
    }
}

pub(super) struct Reference<'a> {
    case: &'a Paused,
    channels: Vec<Channel>,
    /// By host: the channel of its interface.
    interfaces: Vec<Option<usize>>,
    roles: BTreeMap<End, Role>,
    tables: Vec<BTreeMap<HostId, (End, u64)>>,
    waiting: Vec<VecDeque<Frame<u64>>>,
    created: Vec<usize>,
    arrivals: u64,
    causes: BTreeMap<(u32, u8, u32), u64>,
    /// Queues in deadlocks that stand, and which.
    standing: BTreeMap<(usize, usize), usize>,
    pauses: VecDeque<u64>,
    /// Whether anything has happened in this instant after which it is looked whether all stands still.
    may_be_still: bool,
    /// Since when nothing but PAUSE frames could be sent, so that they are not.
    still_since: Option<u64>,
    seen: Seen,
}

impl<'a> Reference<'a> {
    pub(super) fn new(case: &'a Paused) -> Reference<'a> {
        let of = &case.case;
        let parameters = &of.parameters;
        let channel = |(at, from, to): (usize, End, End)| Channel {
            from,
            to,
            rate: parameters.rates[at].as_bits_per_s(),
            delay: parameters.delays[at].as_ps(),
            queue: Vec::new(),
            leaving: None,
            free: 0,
            cable: Vec::new(),
            controls: VecDeque::new(),
            paused: [false; 8],
            since: [0; 8],
            until: [u64::MAX; 8],
            blocked: [0; 8],
            stormy: [false; 8],
            wanted: [false; 8],
            told: [false; 8],
            known: [0; 8],
            pooled: [0; 8],
            spilled: [0; 8],
            last_pause: 0,
            counted: [PauseCounters::default(); 8],
        };
        let links = of.network.links().iter().enumerate();
        let channels: Vec<Channel> =
            links.flat_map(|(at, link)| [(at, link.a, link.b), (at, link.b, link.a)]).map(channel).collect();
        let interface = |(host, port): (usize, &Option<Port>)| {
            let end = End { node: Node::Host(HostId::new(host)), port: (*port)? };
            channels.iter().position(|channel| channel.from == end)
        };
        let interfaces = of.attachments.iter().enumerate().map(interface).collect();
        let switches = of.network.switches().len();
        let mut seen = Seen::default();
        seen.counters.channels = vec![ChannelCounters::default(); channels.len()];
        seen.counters.shared_peaks = vec![Bytes(0); switches];
        let roles = bridges::roles(&of.network, &parameters.rates, &parameters.bridge_priorities);
        Reference {
            case,
            channels,
            interfaces,
            roles: roles.into_iter().collect(),
            tables: vec![BTreeMap::new(); switches],
            waiting: vec![VecDeque::new(); of.frames.len()],
            created: vec![0; of.frames.len()],
            arrivals: 0,
            causes: BTreeMap::new(),
            standing: BTreeMap::new(),
            pauses: of.pauses.iter().copied().collect(),
            may_be_still: false,
            still_since: None,
            seen,
        }
    }

    pub(super) fn run(&mut self) {
        let mut last = None;
        while let Some(now) = self.next() {
            assert!(last.is_none_or(|last| last < now), "time goes on");
            while let Some(at) = self.pauses.pop_front_if(|at| *at <= now) {
                self.note_rooms(at);
            }
            self.instant(now);
            last = Some(now);
        }
        while let Some(at) = self.pauses.pop_front() {
            self.note_rooms(at);
        }
    }

    fn note_rooms(&mut self, _at: u64) {
        let each = std::iter::zip(&self.channels, self.occupied_by_input());
        let rooms = each.flat_map(|(channel, occupied)| std::iter::zip(occupied, channel.paused));
        self.seen.rooms.push(rooms.collect());
    }

    /// What is compared with a run that ended at the instant `end`: who is paused then was so up to it.
    pub(super) fn into_seen(self, end: u64) -> Seen {
        let Reference { mut channels, causes, mut seen, .. } = self;
        for channel in &mut channels {
            for priority in (0..8).filter(|priority| channel.paused[*priority]) {
                channel.counted[priority].paused += Duration::from_ps(end - channel.since[priority]);
            }
        }
        seen.counted = channels.iter().flat_map(|channel| channel.counted).collect();
        seen.causes =
            causes.into_iter().map(|((paused, priority, behind), n)| (paused, priority, behind, n)).collect();
        seen
    }

    /// The bytes that count at the input behind a channel: those of each frame in the switch once.
    fn occupied(&self, input: usize, priority: usize) -> u64 {
        let mut lengths = BTreeMap::new();
        for channel in &self.channels {
            for copy in channel.queue.iter().chain(channel.leaving.iter().map(|(_, copy)| copy)) {
                if (copy.input, copy.priority) == (Some(input), priority) {
                    lengths.insert(copy.arrival, length(&copy.frame));
                }
            }
        }
        lengths.values().sum()
    }

    /// Whether a port of a switch takes nothing of a frame's kind in: it is blocked, as far as the tree is used.
    fn leaves_out(&self, to: End, frame: &Frame<u64>) -> bool {
        let is_by_table = matches!(self.case.case.parameters.forwarding, Forwarding::Table(_));
        let uses_tree = !is_by_table || frame.destination == Address::Broadcast;
        uses_tree && self.roles[&to] == Role::Blocked
    }

    /// When the input beside a channel says next that priorities are paused or may be sent.
    fn says(&self, channel: usize) -> Option<u64> {
        let input = &self.channels[channel ^ 1];
        if input.wanted != input.told {
            return Some(0);
        }
        let quanta = self.case.pfc.quanta.filter(|_| input.told.contains(&true))?;
        Some(input.last_pause + input.time(64 * u64::from(quanta)) / 2)
    }

    fn next(&self) -> Option<u64> {
        let mut times = Vec::new();
        if self.still_since.is_some() {
            for host in (0..self.waiting.len()).filter(|host| self.interfaces[*host].is_some()) {
                times.extend(self.case.case.frames[host].get(self.created[host]).map(|(at, _)| *at));
            }
            return times.into_iter().min();
        }
        for (at, channel) in self.channels.iter().enumerate() {
            times.extend(channel.cable.iter().map(|(at, ..)| *at));
            times.extend(channel.controls.iter().map(|(at, _)| *at));
            times.extend(channel.leaving.as_ref().map(|(until, _)| *until));
            times.extend(channel.fronts().map(|copy| copy.ready.max(channel.free)));
            times.extend(self.says(at).map(|at| at.max(channel.free)));
            times.extend(self.ends_of_pauses(at).map(|(_, until)| until).filter(|until| *until < u64::MAX));
            times.extend((0..8).filter_map(|priority| self.alarm(at, priority)));
        }
        for host in 0..self.waiting.len() {
            let Some(interface) = self.interfaces[host] else { continue };
            let created = self.case.case.frames[host].get(self.created[host]);
            times.extend(created.map(|(at, _)| *at));
            if let Some(frame) = self.waiting[host].front()
                && !self.channels[interface].paused[usize::from(self.case.priority(frame))]
            {
                times.push(self.channels[interface].free);
            }
        }
        times.into_iter().min()
    }

    /// When the watchdog does something to a queue.
    fn alarm(&self, at: usize, priority: usize) -> Option<u64> {
        let watchdog = self.case.pfc.watchdog?;
        let channel = &self.channels[at];
        let has_frames = channel.waits(priority).next().is_some();
        match (channel.stormy[priority], channel.paused[priority]) {
            (true, false) => Some(channel.since[priority] + watchdog.restoration.as_ps()),
            (false, true) if has_frames => Some(channel.blocked[priority] + watchdog.detection.as_ps()),
            _ => None,
        }
    }

    fn instant(&mut self, now: u64) {
        if let Some(since) = self.still_since.take() {
            self.go_on(now - since);
        }
        for channel in &mut self.channels {
            channel.leaving = channel.leaving.take().filter(|(until, _)| *until > now);
        }
        self.let_go();
        for host in 0..self.waiting.len() {
            while let Some((at, frame)) = self.case.case.frames[host].get(self.created[host])
                && *at <= now
            {
                self.created[host] += 1;
                self.waiting[host].push_back(*frame);
            }
        }
        for at in 0..self.channels.len() {
            if let Some(nth) = self.channels[at].cable.iter().position(|(arrival, ..)| *arrival == now) {
                let (_, copy) = self.channels[at].cable.remove(nth);
                self.arrive(at, copy, now);
            }
        }
        for at in 0..self.channels.len() {
            if let Some((_, says)) = self.channels[at].controls.pop_front_if(|(at, _)| *at <= now) {
                self.obey(at, says, now);
            }
            self.run_out(at ^ 1, now);
        }
        for host in 0..self.waiting.len() {
            self.ask(host, now);
        }
        self.start_all(now);
        self.bite(now);
        self.let_go();
        self.start_all(now);
        if std::mem::take(&mut self.may_be_still) && self.is_still(now) {
            self.still_since = Some(now);
        }
        self.name_deadlocks(now);
    }

    /// Inputs at which little enough counts want their senders no longer paused.
    fn let_go(&mut self) {
        if let Some(of) = self.case.pfc.shared {
            return self.let_go_of_pools(of);
        }
        if self.channels.iter().all(|channel| !channel.wanted.contains(&true)) {
            return;
        }
        let occupied = self.occupied_by_input();
        for (channel, occupied) in std::iter::zip(&mut self.channels, occupied) {
            for (wanted, occupied) in std::iter::zip(&mut channel.wanted, occupied) {
                *wanted &= occupied > self.case.pfc.xon.0;
            }
        }
    }

    fn ask(&mut self, host: usize, now: u64) {
        let Some(at) = self.interfaces[host] else { return };
        let Some(frame) = self.waiting[host].front().copied() else { return };
        let priority = usize::from(self.case.priority(&frame));
        if self.channels[at].free <= now && !self.channels[at].paused[priority] {
            self.waiting[host].pop_front();
            self.seen.counters.sent += 1;
            let copy =
                Copy { frame, priority, ready: now, input: None, hops: 0, is_marked: false, arrival: 0 };
            self.channels[at].queue.push(copy);
        }
    }

    fn start_all(&mut self, now: u64) {
        for at in 0..self.channels.len() {
            if self.channels[at].free > now {
                continue;
            }
            if self.says(at).is_some_and(|at| at <= now) {
                self.send_pause(at, now);
                continue;
            }
            let channel = &mut self.channels[at];
            let Some(copy) = channel.fronts().find(|copy| copy.ready <= now).copied() else { continue };
            let nth = channel.queue.iter().position(|it| it.priority == copy.priority).unwrap();
            channel.queue.remove(nth);
            self.break_deadlock(at, copy.priority, now);
            let channel = &mut self.channels[at];
            let end = now + channel.time(8 + length(&copy.frame));
            channel.free = now + channel.time(8 + length(&copy.frame) + 12);
            channel.leaving = Some((end, copy));
            channel.cable.push((end + channel.delay, copy));
            self.seen.passed.push((now, channel.from, Direction::Out, copy.frame.content));
        }
    }

    fn send_pause(&mut self, at: usize, now: u64) {
        let quanta = self.case.pfc.quanta;
        let input = &mut self.channels[at ^ 1];
        let mut says = PauseFrame { priorities: 0, paused: 0, quanta: quanta.unwrap_or(65_535) };
        self.may_be_still |= quanta.is_some() && input.wanted == input.told;
        input.last_pause = now;
        for priority in 0..8 {
            let counted = &mut input.counted[priority];
            let of = match (input.told[priority], input.wanted[priority]) {
                (false, true) => &mut counted.xoff,
                (true, false) => &mut counted.xon,
                (true, true) if quanta.is_some() => &mut counted.refreshed,
                _ => continue,
            };
            *of += 1;
            says.priorities |= 1 << priority;
            says.paused |= u8::from(input.wanted[priority]) << priority;
        }
        input.told = input.wanted;
        let channel = &mut self.channels[at];
        channel.free = now + channel.time(84);
        let obeyed = now + channel.time(72) + channel.delay + self.case.pfc.reaction.as_ps();
        channel.controls.push_back((obeyed, says));
        self.seen.pauses.push((now, channel.from, Direction::Out, says));
    }

    fn obey(&mut self, at: usize, says: PauseFrame, now: u64) {
        self.seen.pauses.push((now, self.channels[at].to, Direction::In, says));
        let sender = &mut self.channels[at ^ 1];
        for priority in (0..8).filter(|priority| says.priorities >> priority & 1 == 1) {
            let is_paused = says.paused >> priority & 1 == 1;
            if self.case.pfc.quanta.is_none() {
                assert_ne!(sender.paused[priority], is_paused, "what is said is new");
            } else if is_paused {
                sender.until[priority] = now + sender.time(64 * u64::from(says.quanta));
            }
            if sender.paused[priority] == is_paused {
                continue;
            }
            sender.paused[priority] = is_paused;
            if is_paused {
                sender.counted[priority].obeyed += 1;
                sender.blocked[priority] = now;
            } else {
                sender.counted[priority].paused += Duration::from_ps(now - sender.since[priority]);
            }
            sender.since[priority] = now;
        }
    }

    fn bite(&mut self, now: u64) {
        for at in 0..self.channels.len() {
            for priority in 0..8 {
                if self.alarm(at, priority).is_none_or(|alarm| alarm > now) {
                    continue;
                }
                let is_stormy = &mut self.channels[at].stormy[priority];
                *is_stormy = !*is_stormy;
                if !*is_stormy {
                    continue;
                }
                let channel = &mut self.channels[at];
                channel.counted[priority].storms += 1;
                let all = std::mem::take(&mut channel.queue);
                let (gone, kept) = all.into_iter().partition(|copy: &Copy| copy.priority == priority);
                channel.queue = kept;
                self.break_deadlock(at, priority, now);
                for copy in gone {
                    self.discard(at, &copy, now);
                }
            }
        }
    }

    fn discard(&mut self, at: usize, copy: &Copy, now: u64) {
        self.channels[at].counted[copy.priority].discarded += 1;
        self.seen.counters.channels[at].dropped += 1;
        self.seen.events.push(EventKind::Dropped(now, self.channels[at].from, copy.frame.content));
    }

    fn arrive(&mut self, at: usize, copy: Copy, now: u64) {
        let frame = copy.frame;
        let to = self.channels[at].to;
        self.seen.passed.push((now, to, Direction::In, frame.content));
        let time = self.channels[at].time(8 + length(&frame));
        let counters = &mut self.seen.counters.channels[at];
        counters.frames += 1;
        counters.bytes += length(&frame);
        counters.busy += Duration::from_ps(time);
        match to.node {
            Node::Host(host) => {
                let is_for = [Address::Host(host), Address::Broadcast].contains(&frame.destination);
                if self.case.case.attachments[host.index()] != Some(to.port) || !is_for {
                    self.seen.counters.unwanted += 1;
                    return;
                }
                self.seen.counters.delivered += 1;
                let event = if copy.is_marked { EventKind::Marked } else { EventKind::Received };
                self.seen.events.push(event(now, host, frame.content));
                self.waiting[host.index()].extend(reply(host, &frame));
            }
            Node::Switch(_) if self.leaves_out(to, &frame) => self.seen.counters.blocked += 1,
            Node::Switch(switch) => self.take_in(at, switch, copy, now),
        }
    }

    fn take_in(&mut self, at: usize, switch: SwitchId, came: Copy, now: u64) {
        let Copy { frame, hops, .. } = came;
        let (pfc, priority) = (&self.case.pfc, usize::from(self.case.priority(&frame)));
        let has_room = match pfc.shared {
            None => self.occupied(at, priority) + length(&frame) <= pfc.xoff.0 + pfc.headroom.0,
            Some(_) => self.share(at, priority, length(&frame), false).0,
        };
        if !has_room {
            self.channels[at].counted[priority].starved += 1;
            self.seen.events.push(EventKind::Starved(now, self.channels[at].from, frame.content));
            return;
        }
        self.arrivals += 1;
        let time_to_live = self.case.case.parameters.time_to_live;
        if frame.destination != Address::Broadcast && time_to_live == Some(hops) {
            self.seen.counters.expired += 1;
            self.seen.events.push(EventKind::Expired(now, self.channels[at].from, frame.content));
            return;
        }
        let ready = now + self.case.case.parameters.switch_latency.as_ps();
        let copy = Copy { ready, input: Some(at), hops: hops + 1, arrival: self.arrivals, ..came };
        let first = self.forward(switch, self.channels[at].to, copy, now);
        let Some(first) = first else { return };
        let occupied = self.occupied(at, priority);
        let is_above = match pfc.shared {
            None => occupied > pfc.xoff.0,
            Some(_) => self.share(at, priority, length(&frame), true).1,
        };
        let channel = &mut self.channels[at];
        channel.counted[priority].peak = Bytes(occupied).max(channel.counted[priority].peak);
        if is_above && !channel.wanted[priority] {
            channel.wanted[priority] = true;
            let number = |at: usize| u32::try_from(at).unwrap();
            let cause = (number(at), u8::try_from(priority).unwrap(), number(first));
            *self.causes.entry(cause).or_default() += 1;
        }
    }

    /// Queues copies; gives the first channel at which there is one.
    fn forward(&mut self, switch: SwitchId, came: End, copy: Copy, now: u64) -> Option<usize> {
        let frame = copy.frame;
        match (&self.case.case.parameters.forwarding, frame.destination) {
            (Forwarding::Table(table), Address::Host(host)) => {
                let Some(port) = table.port(switch, [frame.source, host]) else {
                    self.seen.counters.unrouted += 1;
                    return None;
                };
                let end = End { node: came.node, port };
                if end == came && self.case.case.parameters.time_to_live.is_none() {
                    self.seen.counters.filtered += 1;
                    return None;
                }
                self.seen.counters.forwarded += 1;
                self.queue(end, copy, now)
            }
            (Forwarding::Table(_), Address::Broadcast) => self.flood(came, copy, now),
            (Forwarding::SpanningTree, _) => self.forward_as_learned(switch, came, copy, now),
        }
    }

    fn forward_as_learned(&mut self, switch: SwitchId, came: End, copy: Copy, now: u64) -> Option<usize> {
        let frame = copy.frame;
        self.tables[switch.index()].insert(frame.source, (came, now));
        let ageing = self.case.case.parameters.ageing.as_ps();
        let known = match frame.destination {
            Address::Host(host) => {
                self.tables[switch.index()].get(&host).filter(|(_, seen)| now - seen < ageing)
            }
            Address::Broadcast => None,
        };
        match known {
            Some((end, _)) if *end == came => {
                self.seen.counters.filtered += 1;
                None
            }
            Some((end, _)) => {
                self.seen.counters.forwarded += 1;
                self.queue(*end, copy, now)
            }
            None => self.flood(came, copy, now),
        }
    }

    fn flood(&mut self, came: End, copy: Copy, now: u64) -> Option<usize> {
        self.seen.counters.floods += 1;
        let mut first = None;
        for (port, ..) in self.case.case.network.cables(came.node) {
            let end = End { node: came.node, port };
            if end != came && self.roles[&end] != Role::Blocked {
                self.seen.counters.copies += 1;
                let queued = self.queue(end, copy, now);
                first = first.or(queued);
            }
        }
        first
    }

    fn queue(&mut self, end: End, mut copy: Copy, now: u64) -> Option<usize> {
        let at = self.channels.iter().position(|channel| channel.from == end).unwrap();
        if self.channels[at].stormy[copy.priority] {
            self.discard(at, &copy, now);
            return None;
        }
        let channel = &mut self.channels[at];
        if channel.waits(copy.priority).next().is_none() {
            channel.blocked[copy.priority] = now;
        }
        let limit = self.case.case.parameters.ecn.map_or(u64::MAX, |ecn| ecn.kmax.0);
        if channel.bytes() > limit && !copy.is_marked {
            copy.is_marked = true;
            self.seen.counters.marked += 1;
        }
        channel.queue.push(copy);
        let peak = &mut self.seen.counters.channels[at].peak;
        *peak = Bytes(self.channels[at].bytes()).max(*peak);
        Some(at)
    }
}
