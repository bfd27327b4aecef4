//! The oracle for credits: every byte is an object that moves over a cable or lies in a buffer, every cycle visits
//! every channel, and credits come back byte by byte.
//!
//! It is written from the semantics in the head of `credits.rs` alone and shares no code with the engine but the types
//! of its parameters and results. A channel is one direction of a cable; the buffers at its far end are its own.
//!
//! ```text
//!   links  bytes and credits arrive  fronts  hosts start  grants  bytes leave  destroyed  over, deadlocks
//! ```

mod arbiter;
mod case;
mod failure;
mod inspect;
mod management;
mod random;

use std::collections::{BTreeMap, VecDeque};

use simnet_base::ids::{HostId, Node};
use simnet_media::fabric::Cause;
use simnet_network::topology::End;

use crate::oracle::{LinkEvent, Message};
use arbiter::Arbiter;

pub use case::{CreditCase, deadlocks_on_lanes};
pub use inspect::{CreditView, FoundDeadlock};
pub use random::{random_credit_case, shrunk_credit_case};

/// A byte of a packet on a lane.
#[derive(Clone, Copy, Debug)]
struct Byte {
    packet: usize,
    lane: usize,
    is_first: bool,
}

#[derive(Clone, Debug)]
struct Packet {
    message: usize,
    bytes: u32,
    hop: usize,
    spoilt: bool,
    over: bool,
    received: u32,
    /// The channel at whose end it found no room, if it is of management.
    dropped: Option<usize>,
}

#[derive(Clone, Debug)]
struct Sent {
    source: HostId,
    message: Message,
    level: u8,
    is_management: bool,
    started: u64,
    packets: u32,
    packets_over: u32,
    struck: Option<(u64, Cause)>,
    head: Option<u64>,
    tail: Option<(HostId, u64)>,
}

/// What the front packet of a buffer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    New,
    Waits { channel: usize, lane: usize, since: u64 },
    Leaves,
    Doomed,
}

#[derive(Clone, Debug)]
struct Resident {
    packet: usize,
    head_at: u64,
    state: State,
}

/// A buffer whose front packet waits.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    /// The channel that ends at the buffer, and the buffer's lane.
    at: usize,
    buffer: usize,
    packet: usize,
    /// What it waits for.
    channel: usize,
    lane: usize,
}

#[derive(Clone, Debug, Default)]
struct Buffer {
    bytes: VecDeque<Byte>,
    residents: VecDeque<Resident>,
}

#[derive(Clone, Copy, Debug)]
struct Sending {
    packet: usize,
    lane: usize,
    /// The buffer that it comes from; `None`: a host.
    source: Option<(usize, usize)>,
    left: u32,
    next_at: u64,
}

#[derive(Clone, Debug)]
struct Channel {
    from: End,
    to: End,
    period: u64,
    delay: u64,
    up: bool,
    wire: VecDeque<(u64, Byte)>,
    /// Credits on their way back to `from`, one a byte.
    returning: VecDeque<(u64, usize)>,
    credits: Vec<u32>,
    sending: Option<Sending>,
    idle_from: u64,
    /// By lane: where the next round begins, an input port and a lane.
    pointers: Vec<(u16, usize)>,
    arbiter: Arbiter,
    buffers: Vec<Buffer>,
    sent: u64,
    blocked: u64,
    held: u64,
}

#[derive(Clone, Debug)]
struct Transmitter {
    channel: Option<usize>,
    waiting: VecDeque<Message>,
    current: Option<(usize, u32)>,
    free: u64,
    /// Messages of management, when the one before has left, and the one that has started in this cycle.
    managing: VecDeque<Message>,
    managing_free: u64,
    managing_now: Option<usize>,
}

/// The oracle.
pub struct CreditOracle {
    now: u64,
    case: CreditCase,
    events: VecDeque<LinkEvent>,
    channels: Vec<Channel>,
    /// The channel that leaves by each port.
    leaving: BTreeMap<End, usize>,
    /// The buffers with packets, as they are once bytes have arrived: the channel that ends there, and the lane. Until
    /// the next cycle nothing comes to others.
    filled: Vec<(usize, usize)>,
    hosts: Vec<Transmitter>,
    packets: Vec<Packet>,
    sent: Vec<Sent>,
    live: Vec<usize>,
    over: Vec<usize>,
    standing: Vec<Vec<(usize, usize)>>,
    found: Vec<FoundDeadlock>,
    /// Doomed in this cycle while it waited: its buffer and the channel that it waited for.
    hits: Vec<((usize, usize), usize)>,
    /// The most bytes that any buffer of data has held.
    pub fullest: usize,
    /// All grants: cycle, input, output, tag.
    pub grants: Vec<(u64, End, End, u64)>,
}

impl CreditOracle {
    /// The oracle before cycle 0.
    pub fn new(case: &CreditCase) -> CreditOracle {
        let network = &case.case.network;
        let lanes = usize::from(case.credits.lanes);
        let timings = case.case.parameters.links.iter();
        let ends = network.links().iter().zip(timings);
        let ends = ends.flat_map(|(link, timing)| [(link.a, link.b, timing), (link.b, link.a, timing)]);
        let channel = |(from, to, timing): (End, End, &simnet_media::fabric::LinkTiming)| Channel {
            from,
            to,
            period: timing.period,
            delay: timing.delay,
            up: true,
            wire: VecDeque::new(),
            returning: VecDeque::new(),
            credits: vec![case.credits.buffer; lanes],
            sending: None,
            idle_from: 0,
            pointers: vec![(0, 0); lanes + 1],
            arbiter: Arbiter::default(),
            // The last one is that of management.
            buffers: vec![Buffer::default(); lanes + 1],
            sent: 0,
            blocked: 0,
            held: 0,
        };
        let channels: Vec<Channel> = ends.map(channel).collect();
        let leaving: BTreeMap<End, usize> =
            channels.iter().enumerate().map(|(number, channel)| (channel.from, number)).collect();
        let host = |(id, messages): (HostId, &Vec<Message>)| Transmitter {
            channel: case.case.attachments[id.index()]
                .and_then(|port| leaving.get(&End::host(id, port.0)).copied()),
            waiting: messages.iter().filter(|it| !case.is_management(it.tag)).cloned().collect(),
            current: None,
            free: 0,
            managing: messages.iter().filter(|it| case.is_management(it.tag)).cloned().collect(),
            managing_free: 0,
            managing_now: None,
        };
        let hosts = network.host_ids().zip(&case.case.messages).map(host).collect();
        CreditOracle {
            now: 0,
            events: case.case.link_events.iter().copied().collect(),
            case: case.clone(),
            channels,
            leaving,
            filled: Vec::new(),
            hosts,
            packets: Vec::new(),
            sent: Vec::new(),
            live: Vec::new(),
            over: Vec::new(),
            standing: Vec::new(),
            found: Vec::new(),
            hits: Vec::new(),
            fullest: 0,
            grants: Vec::new(),
        }
    }

    /// Runs all cycles before `limit`.
    pub fn run_until(&mut self, limit: u64) {
        while self.now < limit {
            self.cycle(self.now);
            self.now += 1;
            if self.is_still() {
                self.now = self.now.max(self.next_cause().min(limit));
            }
        }
    }

    /// Whether nothing is in the fabric.
    fn is_still(&self) -> bool {
        let is_empty = |channel: &Channel| {
            channel.wire.is_empty()
                && channel.returning.is_empty()
                && channel.sending.is_none()
                && channel.buffers.iter().all(|buffer| buffer.residents.is_empty())
        };
        self.channels.iter().all(is_empty) && self.hosts.iter().all(|host| host.current.is_none())
    }

    /// The first cycle from the present on in which something may begin.
    fn next_cause(&self) -> u64 {
        let starts = self.hosts.iter().filter_map(|host| Some((host.channel?, self.ready_to_start(host)?)));
        let managing =
            self.hosts.iter().filter_map(|host| Some((host.channel?, self.ready_to_manage(host)?)));
        let starts = starts.chain(managing);
        let starts = starts.filter(|(channel, _)| self.channels[*channel].up).map(|(_, at)| at);
        let events = self.events.front().map(|event| event.at);
        starts.chain(events).map(|at| at.max(self.now)).min().unwrap_or(u64::MAX)
    }

    fn cycle(&mut self, now: u64) {
        self.links(now);
        self.arrivals(now);
        self.filled = self.buffers();
        self.fronts(now);
        self.starts(now);
        self.grants(now);
        self.count_blocked(now);
        self.leave(now);
        self.remove_doomed(now);
        self.note_over();
        self.clear(now);
        self.find_deadlocks(now);
    }

    fn strike(&mut self, message: usize, cause: Cause, now: u64) {
        let struck = self.sent[message].struck.get_or_insert((now, cause));
        *struck = (*struck).min((now, cause));
    }

    /// All buffers with packets: the channel that ends there, and the lane.
    fn buffers(&self) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for (number, channel) in self.channels.iter().enumerate() {
            let lanes = channel.buffers.iter().enumerate();
            let filled = lanes.filter(|(_, buffer)| !buffer.residents.is_empty());
            found.extend(filled.map(|(lane, _)| (number, lane)));
        }
        found
    }

    /// All buffers whose front packet waits for a channel, with what it waits for: the channel and its lane.
    fn waiting(&self) -> Vec<Waiting> {
        let waits = |&(at, buffer): &(usize, usize)| match *self.front(at, buffer)? {
            Resident { packet, state: State::Waits { channel, lane, .. }, .. } => {
                Some(Waiting { at, buffer, packet, channel, lane })
            }
            _ => None,
        };
        self.filled.iter().filter_map(waits).collect()
    }

    fn front(&self, channel: usize, lane: usize) -> Option<&Resident> {
        self.channels[channel].buffers[lane].residents.front()
    }

    fn set(&mut self, channel: usize, lane: usize, state: State) {
        self.channels[channel].buffers[lane].residents.front_mut().unwrap().state = state;
    }

    fn doom(&mut self, channel: usize, lane: usize) {
        if let Some(Resident { state: State::Waits { channel: wanted, .. }, .. }) = self.front(channel, lane)
        {
            self.hits.push(((channel, lane), *wanted));
        }
        self.set(channel, lane, State::Doomed);
    }

    fn arrivals(&mut self, now: u64) {
        for number in 0..self.channels.len() {
            while let Some((_, byte)) = self.channels[number].wire.pop_front_if(|(at, _)| *at <= now) {
                match self.channels[number].to.node {
                    Node::Host(host) => self.received(host, byte, now),
                    Node::Switch(_) if byte.lane == self.management_lane() => {
                        self.management_received(number, byte, now);
                    }
                    Node::Switch(_) => {
                        let buffer = &mut self.channels[number].buffers[byte.lane];
                        if byte.is_first {
                            let resident = Resident { packet: byte.packet, head_at: now, state: State::New };
                            buffer.residents.push_back(resident);
                        }
                        buffer.bytes.push_back(byte);
                        self.fullest = self.fullest.max(buffer.bytes.len());
                        assert!(
                            buffer.bytes.len() <= self.case.credits.buffer as usize,
                            "a buffer overflows"
                        );
                    }
                }
            }
            let channel = &mut self.channels[number];
            while let Some((_, lane)) = channel.returning.pop_front_if(|(at, _)| *at <= now) {
                channel.credits[lane] += 1;
                assert!(channel.credits[lane] <= self.case.credits.buffer, "more credits than room");
            }
        }
    }

    fn received(&mut self, host: HostId, byte: Byte, now: u64) {
        let packet = &mut self.packets[byte.packet];
        packet.received += 1;
        let (message, is_whole) = (packet.message, packet.received == packet.bytes);
        packet.over = is_whole;
        let has_turns = packet.hop < self.sent[message].message.route.len();
        if byte.is_first {
            self.sent[message].head.get_or_insert(now);
            if has_turns {
                self.strike(message, Cause::HostTooSoon, now);
            }
        }
        if is_whole {
            self.sent[message].packets_over += 1;
            self.sent[message].tail = Some((host, now));
        }
    }

    /// Packets in front: what is decoded asks for an output or is doomed, what waits too long is doomed.
    fn fronts(&mut self, now: u64) {
        for (channel, lane) in self.filled.clone() {
            let Some(&Resident { packet, head_at, state }) = self.front(channel, lane) else { continue };
            let message = self.packets[packet].message;
            match state {
                State::New => {
                    let wanted = self.wanted(channel, packet);
                    if !self.is_ready(channel, packet, head_at, wanted, now) {
                        continue;
                    }
                    if self.packets[packet].spoilt {
                        self.doom(channel, lane);
                        continue;
                    }
                    let fault = self.overdue(message, head_at, now, now).or(wanted.err());
                    let is_dead = |wanted: usize| !self.channels[wanted].up;
                    let fault = fault
                        .or(wanted.is_ok_and(|(wanted, _)| is_dead(wanted)).then_some(Cause::NoSuchWire));
                    match (fault, wanted) {
                        (None, Ok((wanted, out_lane))) => {
                            let state = State::Waits { channel: wanted, lane: out_lane, since: now };
                            self.set(channel, lane, state);
                        }
                        (fault, _) => {
                            self.strike(message, fault.unwrap(), now);
                            self.doom(channel, lane);
                        }
                    }
                }
                State::Waits { since, .. } => {
                    if let Some(cause) = self.overdue(message, head_at, since, now) {
                        self.strike(message, cause, now);
                        self.doom(channel, lane);
                    }
                }
                State::Leaves | State::Doomed => {}
            }
        }
    }

    fn overdue(&self, message: usize, head_at: u64, since: u64, now: u64) -> Option<Cause> {
        let sent = &self.sent[message];
        let credits = &self.case.credits;
        let is_over = |from: u64, limit: Option<u64>| limit.is_some_and(|limit| now - from >= limit);
        let life = sent.message.time_to_live.or(self.case.case.parameters.host.time_to_live);
        let has_limits = !sent.is_management;
        if has_limits
            && (is_over(since, credits.head_of_line_limit) || is_over(head_at, credits.lifetime_limit))
        {
            return Some(Cause::Reset);
        }
        is_over(sent.started, life).then_some(Cause::Expired)
    }

    /// The channel and the lane that a packet at the end of `channel` asks for.
    fn wanted(&self, channel: usize, packet: usize) -> Result<(usize, usize), Cause> {
        let Packet { message, hop, .. } = self.packets[packet];
        let input = self.channels[channel].to;
        let Node::Switch(switch) = input.node else { panic!("buffers are switches'") };
        let sent = &self.sent[message];
        let turn = sent.message.route.get(hop).ok_or(Cause::Stranded)?;
        let record = &self.case.case.network.switches()[switch.index()];
        let output = i64::from(input.port.0) + i64::from(turn.0);
        let first = i64::from(record.first_port);
        if output < first || output >= first + i64::from(record.ports) {
            return Err(Cause::IllegalTurn);
        }
        let end = End::switch(switch, u16::try_from(output).unwrap());
        let wanted = *self.leaving.get(&end).ok_or(Cause::NoSuchWire)?;
        let lane = match &self.case.credits.service_lanes {
            _ if sent.is_management => self.case.credits.lanes,
            None => sent.level,
            Some(tables) => {
                let (input, output) = (i64::from(input.port.0) - first, output - first);
                let place = usize::try_from(input * i64::from(record.ports) + output).unwrap();
                tables.switches[switch.index()][place][usize::from(sent.level)]
            }
        };
        Ok((wanted, usize::from(lane)))
    }

    /// Whether a front packet is decoded, and each of its bytes would be there in time if it were sent from now on.
    fn is_ready(
        &self,
        channel: usize,
        packet: usize,
        head_at: u64,
        wanted: Result<(usize, usize), Cause>,
        now: u64,
    ) -> bool {
        if now < head_at + self.case.case.parameters.switch.routing_latency {
            return false;
        }
        let Ok((wanted, _)) = wanted else { return true };
        let (slow, fast) = (self.channels[channel].period, self.channels[wanted].period);
        // Bytes come and go evenly: if the first and the last one are there in time, so are those between.
        let last = u64::from(self.packets[packet].bytes) - 1;
        [0, last].into_iter().all(|nth| now + nth * fast >= head_at + nth * slow)
    }

    fn ready_to_start(&self, host: &Transmitter) -> Option<u64> {
        let message = host.waiting.front()?;
        let ready = message.created.max(host.free) + self.case.case.parameters.host.send_overhead;
        Some(ready.max(self.channels[host.channel?].idle_from))
    }

    fn begin_message(&mut self, host: usize, message: Message, is_management: bool, packets: u32, now: u64) {
        self.live.push(self.sent.len());
        self.sent.push(Sent {
            source: HostId::new(host),
            level: self.case.levels[usize::try_from(message.tag).unwrap()],
            is_management,
            started: now,
            packets,
            packets_over: 0,
            struck: None,
            head: None,
            tail: None,
            message,
        });
    }

    fn starts(&mut self, now: u64) {
        self.start_managing(now);
        for host in 0..self.hosts.len() {
            let Some(channel) = self.hosts[host].channel else { continue };
            let entry = &self.hosts[host];
            let is_ready = self.ready_to_start(entry).is_some_and(|at| at <= now);
            // Its last packet is on its way out until the channel is idle.
            let is_free = entry.current.is_none() && self.channels[channel].sending.is_none();
            if !is_ready || !is_free || !self.channels[channel].up {
                continue;
            }
            let message = self.hosts[host].waiting.pop_front().unwrap();
            self.hosts[host].current = Some((self.sent.len(), message.payload));
            let packets = message.payload.div_ceil(self.case.credits.mtu);
            self.begin_message(host, message, false, packets, now);
        }
    }

    fn is_idle(&self, channel: usize, now: u64) -> bool {
        let channel = &self.channels[channel];
        channel.up && channel.sending.is_none() && now >= channel.idle_from
    }

    fn has_credits(&self, channel: usize, lane: usize, packet_bytes: u32) -> bool {
        let is_free = lane == self.management_lane();
        let channel = &self.channels[channel];
        is_free || matches!(channel.to.node, Node::Host(_)) || channel.credits[lane] >= packet_bytes
    }

    fn grants(&mut self, now: u64) {
        for host in 0..self.hosts.len() {
            self.grant_host(host, now);
        }
        let waiting = self.waiting();
        for number in 0..self.channels.len() {
            if waiting.is_empty() || !self.is_idle(number, now) {
                continue;
            }
            // Who may be sent: input port, its lane, the lane of the output, the buffer.
            let mut requests = Vec::new();
            for &Waiting { at, buffer, packet, channel, lane } in &waiting {
                if channel == number && self.has_credits(number, lane, self.packets[packet].bytes) {
                    requests.push((self.channels[at].to.port.0, buffer, lane, at, packet));
                }
            }
            let lanes: Vec<usize> = requests.iter().map(|request| request.2).collect();
            if lanes.is_empty() {
                continue;
            }
            let table = &self.case.credits.arbitration;
            let management = self.management_lane();
            let is_managing = lanes.contains(&management);
            let lane =
                if is_managing { management } else { self.channels[number].arbiter.choose(table, &lanes) };
            requests.retain(|request| request.2 == lane);
            requests.sort_unstable();
            let pointer = self.channels[number].pointers[lane];
            let chosen =
                requests.iter().find(|request| (request.0, request.1) >= pointer).unwrap_or(&requests[0]);
            let &(port, buffer, _, at, packet) = chosen;
            let bytes = self.packets[packet].bytes;
            self.channels[number].pointers[lane] = (port, buffer + 1);
            if !is_managing {
                self.channels[number].arbiter.sent(bytes);
            }
            self.set(at, buffer, State::Leaves);
            let tag = self.sent[self.packets[packet].message].message.tag;
            self.grants.push((now, self.channels[at].to, self.channels[number].from, tag));
            self.packets[packet].hop += 1;
            self.begin(
                number,
                Sending { packet, lane, source: Some((at, buffer)), left: bytes, next_at: now },
            );
        }
    }

    fn grant_host(&mut self, host: usize, now: u64) {
        if self.grant_management_of_host(host, now) {
            return;
        }
        let entry = &self.hosts[host];
        let (Some(channel), Some((message, left))) = (entry.channel, entry.current) else { return };
        let bytes = left.min(self.case.credits.mtu);
        let level = usize::from(self.sent[message].level);
        let tables = self.case.credits.service_lanes.as_ref();
        let lane = tables.map_or(level, |tables| usize::from(tables.hosts[host][level]));
        if !self.is_idle(channel, now) || !self.has_credits(channel, lane, bytes) {
            return;
        }
        let packet = self.new_packet(message, bytes);
        self.begin(channel, Sending { packet, lane, source: None, left: bytes, next_at: now });
        let entry = &mut self.hosts[host];
        entry.current = Some((message, left - bytes)).filter(|(_, left)| *left > 0);
    }

    fn new_packet(&mut self, message: usize, bytes: u32) -> usize {
        self.packets.push(Packet {
            message,
            bytes,
            hop: 0,
            spoilt: false,
            over: false,
            received: 0,
            dropped: None,
        });
        self.packets.len() - 1
    }

    fn begin(&mut self, channel: usize, sending: Sending) {
        let management = self.management_lane();
        let channel = &mut self.channels[channel];
        if matches!(channel.to.node, Node::Switch(_)) && sending.lane != management {
            channel.credits[sending.lane] -= sending.left;
        }
        channel.sending = Some(sending);
    }

    fn count_blocked(&mut self, now: u64) {
        let mut blocked = vec![false; self.channels.len()];
        for waiting in self.waiting() {
            blocked[waiting.channel] = true;
        }
        for host in &self.hosts {
            if let (Some(channel), Some(_)) = (host.channel, host.current) {
                blocked[channel] = self.is_idle(channel, now);
            }
        }
        for (channel, is_blocked) in self.channels.iter_mut().zip(blocked) {
            channel.blocked += u64::from(is_blocked);
        }
    }

    fn leave(&mut self, now: u64) {
        for number in 0..self.channels.len() {
            let Some(mut sending) = self.channels[number].sending else { continue };
            self.channels[number].held += 1;
            if sending.next_at != now {
                continue;
            }
            let Sending { packet, lane, source, .. } = sending;
            let is_first = sending.left == self.packets[packet].bytes;
            if let Some((at, buffer)) = source {
                let byte = self.channels[at].buffers[buffer].bytes.pop_front().expect("a byte is missing");
                assert!(byte.packet == packet && byte.is_first == is_first, "bytes leave in their order");
            }
            let channel = &mut self.channels[number];
            channel.wire.push_back((now + channel.delay, Byte { packet, lane, is_first }));
            channel.sent += 1;
            sending.left -= 1;
            sending.next_at += channel.period;
            channel.sending = Some(sending).filter(|sending| sending.left > 0);
            if sending.left > 0 {
                continue;
            }
            channel.idle_from = now + channel.period;
            match source {
                Some((at, buffer)) => self.give_back(at, buffer, packet, now),
                None => self.left_host(number, lane, now),
            }
        }
    }

    fn left_host(&mut self, channel: usize, lane: usize, now: u64) {
        let management = self.management_lane();
        let host = self.hosts.iter_mut().find(|host| host.channel == Some(channel)).unwrap();
        if lane == management {
            host.managing_free = now + 1;
        } else if host.current.is_none() {
            host.free = host.free.max(now + 1);
        }
    }

    /// All of the front packet has left the buffer, or been destroyed.
    fn give_back(&mut self, channel: usize, lane: usize, packet: usize, now: u64) {
        let management = self.management_lane();
        let channel = &mut self.channels[channel];
        let front = channel.buffers[lane].residents.pop_front().unwrap();
        assert_eq!(front.packet, packet, "what leaves is in front");
        if lane == management {
            return;
        }
        let at = now + channel.delay;
        channel.returning.extend((0..self.packets[packet].bytes).map(|_| (at, lane)));
    }

    fn remove_doomed(&mut self, now: u64) {
        for (channel, lane) in self.filled.clone() {
            let Some(&Resident { packet, state: State::Doomed, .. }) = self.front(channel, lane) else {
                continue;
            };
            let buffer = &mut self.channels[channel].buffers[lane];
            let there = buffer.bytes.iter().filter(|byte| byte.packet == packet).count();
            if there == self.packets[packet].bytes as usize {
                buffer.bytes.retain(|byte| byte.packet != packet);
                self.packets[packet].over = true;
                self.sent[self.packets[packet].message].packets_over += 1;
                self.give_back(channel, lane, packet, now);
            }
        }
    }

    fn note_over(&mut self) {
        let is_over = |number: &mut usize| self.sent[*number].packets_over == self.sent[*number].packets;
        self.over.extend(self.live.extract_if(.., is_over));
    }
}
