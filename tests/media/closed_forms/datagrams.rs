//! Transports on an Ethernet: closed forms, and what happens when switches run out of room.

use std::collections::BTreeMap;

use simnet_base::des::random::{Purpose, Stream};
use simnet_base::ids::{HostId, Node};
use simnet_base::units::{BitRate, Bytes, Duration, Time};
use simnet_media::ethernet::transport::{Datagram, Losses, Segment, TransportError};
use simnet_media::ethernet::{Address, Buffer, Counters, Direction, Frame, Observer, Parameters};
use simnet_media::medium::{Event, Medium, Message};
use simnet_network::topology::{End, Network};

use support_media::ethernet::{Ring, attachments, chain, interleaved};
use support_network::cases;

const P: Purpose = Purpose(55);

fn below(chance: &mut Stream, bound: usize) -> usize {
    usize::try_from(chance.below(bound as u64)).unwrap()
}

fn below_u32(chance: &mut Stream, bound: u32) -> u32 {
    u32::try_from(chance.below(u64::from(bound))).unwrap()
}

fn message(source: u32, destination: u32, bytes: u64, tag: u64) -> Message {
    Message { source: HostId(source), destination: HostId(destination), bytes, tag }
}

fn events(medium: &mut impl Medium) -> Vec<(Time, Event)> {
    std::iter::from_fn(|| medium.advance(None)).collect()
}

/// Wrong if a message arrived or left by a picosecond too early or too late, on chains of any length, at any rate.
#[test]
fn a_lone_message_keeps_to_the_frame_arithmetic() {
    for seed in 0..cases(2_000) {
        let mut chance = Stream::new(seed, P, 0);
        let switches = 1 + below_u32(&mut chance, 6);
        let rate = BitRate::new([10, 100, 1_000, 2_500, 40_000, 400_000][below(&mut chance, 6)] * 1_000_000);
        let (rate, delay) = (rate.unwrap(), Duration::from_ps(chance.below(2_000_000)));
        let net = chain(switches, 1);
        let mut parameters = Parameters::uniform(net.links().len(), rate, delay);
        parameters.switch_latency = Duration::from_ps(chance.below(10_000_000));
        parameters.mtu = 60 + below_u32(&mut chance, 9_000);
        let header = below_u32(&mut chance, 40);
        let bytes = 1 + chance.below(200_000);
        let (from, to) = (below_u32(&mut chance, switches), below_u32(&mut chance, switches));
        if from == to {
            continue;
        }
        let mut datagram = Datagram::new(&net, &parameters, &attachments(&net), header, ()).unwrap();
        let start = Time::from_ps(chance.below(1 << 40));
        datagram.send(message(from, to, bytes, 7), start);

        let capacity = u64::from(parameters.mtu - header);
        let segments = bytes.div_ceil(capacity);
        let wire = |data: u64| rate.time_for(Bytes(8 + (18 + u64::from(header) + data).max(64)));
        let slot = rate.time_for(Bytes(8 + (18 + u64::from(parameters.mtu)).max(64) + 12));
        let last = wire(bytes - (segments - 1) * capacity);
        // A last frame that is shorter catches up with the one before it at the first switch.
        let (full, hops) =
            (if segments > 1 { wire(capacity) } else { last }, u64::from(from.abs_diff(to) + 1));
        let left = start + slot * (segments - 1) + last;
        let per_switch = full + delay + parameters.switch_latency;
        let arrived = start + slot * (segments - 1) + per_switch * hops + last + delay;
        let expected = [(left, Event::Left(7)), (arrived, Event::Delivered(7))];
        assert_eq!(events(&mut datagram), expected, "seed {seed}");
        assert_eq!(datagram.losses(), Default::default());
    }
}

/// Watches and does nothing else: no frames pass together.
struct Watching;

impl Observer<Segment> for Watching {}

/// Sends thirty messages and asks for events in steps of so many picoseconds.
fn polled<O: Observer<Segment>>(
    seed: u64,
    datagram: &mut Datagram<O>,
    step: Option<u64>,
) -> (Vec<(Time, Event)>, Counters, Losses) {
    let mut chance = Stream::new(seed, P, 1);
    let mut seen = Vec::new();
    let mut now = Time::ZERO;
    for tag in 0..30 {
        let source = below_u32(&mut chance, 6);
        let destination = (source + 1 + below_u32(&mut chance, 5)) % 6;
        datagram.send(message(source, destination, 1 + chance.below(20_000), tag), now);
        let until = now + Duration::from_us(chance.below(1_000));
        while let Some(step) = step
            && now + Duration::from_ps(step) < until
        {
            now = now + Duration::from_ps(step);
            seen.extend(std::iter::from_fn(|| datagram.advance(Some(now))));
        }
        now = until;
        seen.extend(std::iter::from_fn(|| datagram.advance(Some(now))));
    }
    seen.extend(events(datagram));
    (seen, datagram.counters().into_owned(), datagram.losses())
}

/// Wrong if a host sent other than one after the other in the order handed over, or if polling it in small steps, or
/// watching it, changed what happens.
#[test]
fn messages_leave_in_order_however_the_medium_is_polled() {
    for seed in 0..cases(400) {
        let net = chain(2, 3);
        let rate = BitRate::new(100_000_000).unwrap();
        let mut parameters = Parameters::uniform(net.links().len(), rate, Duration::from_us(1));
        parameters.buffer = [Buffer::Unbounded, Buffer::PerPort(Bytes(6_000)), Buffer::Shared(Bytes(9_000))]
            [below(&mut Stream::new(seed, P, 2), 3)];
        let ports = attachments(&net);
        let plain = || Datagram::new(&net, &parameters, &ports, 8, ()).unwrap();
        let whole = polled(seed, &mut plain(), None);
        assert_eq!(whole, polled(seed, &mut plain(), Some(1_234_567)), "seed {seed}");
        let mut watched = Datagram::new(&net, &parameters, &ports, 8, Watching).unwrap();
        assert_eq!(whole, polled(seed, &mut watched, None), "seed {seed}, watched");
        assert!(whole.0.is_sorted_by_key(|(at, _)| *at), "seed {seed}");
        let fates = |wanted: fn(&Event) -> bool| whole.0.iter().filter(|(_, event)| wanted(event)).count();
        assert_eq!(fates(|event| matches!(event, Event::Left(_))), 30);
        assert_eq!(fates(|event| !matches!(event, Event::Left(_))), 30);
        assert_eq!(fates(|event| matches!(event, Event::Lost(_))) as u64, whole.2.messages);
    }
}

/// Wrong if a message whose frames would arrive when time is over were stuck, as behind pauses, or never heard of
/// again.
#[test]
fn what_arrives_after_the_end_of_time_is_lost() {
    let net = chain(2, 1);
    let rate = BitRate::new(100_000_000).unwrap();
    let parameters = Parameters::uniform(net.links().len(), rate, Duration::from_ps(u64::MAX / 2));
    let mut datagram = Datagram::new(&net, &parameters, &attachments(&net), 8, ()).unwrap();
    datagram.send(message(0, 1, 10_000, 7), Time::ZERO);
    let fates: Vec<Event> = events(&mut datagram).into_iter().map(|(_, event)| event).collect();
    assert_eq!(fates, [Event::Left(7), Event::Lost(7)]);
}

/// Recounts from the frames' bytes alone which segments of which messages come to their hosts.
#[derive(Default)]
struct Recount {
    /// By message number: the bytes that left, and those that arrived.
    messages: BTreeMap<u32, (u64, u64)>,
    frames: u64,
}

impl Observer<Segment> for Recount {
    fn passed(
        &mut self,
        _: Time,
        port: End,
        way: Direction,
        frame: &Frame<Segment>,
        write: &dyn Fn(&mut Vec<u8>),
    ) {
        self.frames += u64::from(way == Direction::Out);
        let Node::Host(host) = port.node else { return };
        let mut bytes = Vec::new();
        write(&mut bytes);
        assert_eq!(bytes.len(), 14 + frame.payload as usize);
        let number = u32::from_be_bytes([0, bytes[14], bytes[15], bytes[16]]);
        let length = u64::from(u16::from_be_bytes([bytes[20], bytes[21]]));
        let own = Address::Host(host).bytes();
        let (left, arrived) = self.messages.entry(number).or_default();
        match way {
            Direction::Out if bytes[6..12] == own => *left += length,
            Direction::In if bytes[..6] == own => *arrived += length,
            _ => {}
        }
    }
}

/// Must hold: with 64 KiB of switch buffer and the interleaved ring, datagram reports what was lost and comes to an
/// end. Wrong if a lost message were not reported, a whole one lost, or a dropped copy of a flood taken for a loss:
/// against a recount of what reached the hosts.
#[test]
fn a_congested_ring_of_datagrams_loses_and_says_so() {
    for buffer in [Buffer::Shared(Bytes(64 << 10)), Buffer::PerPort(Bytes(64 << 10))] {
        let (net, order) = interleaved(4, 8);
        let rate = BitRate::new(100_000_000).unwrap();
        let mut parameters = Parameters::uniform(net.links().len(), rate, Duration::from_us(1));
        parameters.buffer = buffer;
        let recount = Recount::default();
        let mut datagram = Datagram::new(&net, &parameters, &attachments(&net), 8, recount).unwrap();
        let mut ring = Ring::new(order, 128 << 10);
        ring.run(&mut datagram);
        let (losses, counters) = (datagram.losses(), datagram.counters().into_owned());
        assert!(losses.messages > 0);
        assert_eq!(losses.messages, ring.lost);
        assert_eq!(ring.lost + ring.delivered, ring.sent);
        assert!(ring.sent < 32 * 31);
        // Copies of floods are dropped too, and no loss.
        assert!(losses.segments <= counters.dropped());
        let recount = datagram.into_observer();
        assert_eq!(recount.frames, counters.hops());
        let holed = recount.messages.values().filter(|(left, arrived)| left != arrived).count();
        assert_eq!(holed as u64, losses.messages);
        let missing: u64 = recount.messages.values().map(|(left, arrived)| left - arrived).sum();
        assert!(missing <= losses.segments * 1_492 && missing > (losses.segments - losses.messages) * 1_491);
        assert!(recount.messages.values().all(|(left, _)| *left == 128 << 10));
    }
}

/// Wrong if a message for a host that no cable leads to kept a run waiting, or an MTU without room were taken.
#[test]
fn what_cannot_arrive_is_lost() {
    let mut net = Network::new("apart");
    for name in ["a", "b", "c"] {
        let host = net.add_host(name).unwrap();
        let switch = net.add_switch(format!("s{name}"), 2).unwrap();
        if name != "c" {
            net.connect(End::host(host, 0), End::switch(switch, 0)).unwrap();
        }
    }
    let rate = BitRate::new(100_000_000).unwrap();
    let mut parameters = Parameters::uniform(net.links().len(), rate, Duration::from_us(1));
    let mut datagram = Datagram::new(&net, &parameters, &attachments(&net), 8, ()).unwrap();
    datagram.send(message(0, 1, 5_000, 1), Time::ZERO);
    datagram.send(message(1, 2, 10, 2), Time::ZERO);
    datagram.send(message(2, 0, 10, 3), Time::ZERO);
    let seen: Vec<Event> = events(&mut datagram).into_iter().map(|(_, event)| event).collect();
    assert_eq!(seen, [Event::Lost(3), Event::Left(2), Event::Lost(2), Event::Left(1), Event::Lost(1)]);
    assert_eq!(datagram.losses().messages, 3);
    parameters.mtu = 8;
    let refused = Datagram::new(&net, &parameters, &attachments(&net), 8, ());
    assert_eq!(refused.unwrap_err(), TransportError::NoRoom { mtu: 8, headers: 8 });
}
