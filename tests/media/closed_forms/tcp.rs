//! TCP on an Ethernet: goodput, loss and recovery, giving up. Every byte of every message is compared by the transport
//! itself, so that a delivered message is a right one.

use simnet_base::des::random::{Purpose, Stream};
use simnet_base::ids::HostId;
use simnet_base::units::{BitRate, Bytes, Duration, Time};
use simnet_media::ethernet::transport::{Congestion, Tcp, TcpParameters, TransportError};
use simnet_media::ethernet::{Buffer, Direction, Frame, Observer, Parameters};
use simnet_media::medium::{Event, Medium, Message};
use simnet_network::topology::{End, Network};

use support_media::ethernet::{Ring, attachments, chain, interleaved};
use support_network::cases;

const P: Purpose = Purpose(58);

fn parameters(net: &Network, mb_per_s: u64) -> Parameters {
    let rate = BitRate::new(mb_per_s * 1_000_000).unwrap();
    Parameters::uniform(net.links().len(), rate, Duration::from_us(1))
}

fn tcp(net: &Network, parameters: &Parameters, tcp: &TcpParameters) -> Tcp {
    Tcp::new(net, parameters, &attachments(net), tcp, ()).unwrap()
}

fn message(source: u32, destination: u32, bytes: u64, tag: u64) -> Message {
    Message { source: HostId(source), destination: HostId(destination), bytes, tag }
}

fn events(medium: &mut impl Medium) -> Vec<(Time, Event)> {
    std::iter::from_fn(|| medium.advance(None)).collect()
}

/// Wrong if headers, acknowledgements or the window cost an idle link more than 6 % of what segments of 1,460 B in
/// 1,538 B of wire allow, or if they cost nothing.
#[test]
fn an_idle_link_carries_what_segments_allow() {
    for (mb_per_s, congestion) in
        [(100, Congestion::None), (100, Congestion::Reno), (1_000, Congestion::Reno)]
    {
        let net = chain(1, 2);
        let mut medium =
            tcp(&net, &parameters(&net, mb_per_s), &TcpParameters { congestion, ..Default::default() });
        let bytes = 10_000_000;
        medium.send(message(0, 1, bytes, 1), Time::ZERO);
        let seen = events(&mut medium);
        let [(left, Event::Left(1)), (arrived, Event::Delivered(1))] = seen[..] else { panic!("{seen:?}") };
        assert!(left < arrived);
        let seconds = arrived.as_ps() as f64 / 1e12;
        let share = bytes as f64 * 8.0 / seconds / (mb_per_s as f64 * 1e6);
        let most = 1_460.0 / 1_538.0;
        assert!(share > 0.94 * most && share < most, "{share} at {mb_per_s} Mb/s");
        assert_eq!(medium.counters().dropped(), 0);
    }
}

/// The lengths and instants of the first frames of a host.
#[derive(Default)]
struct Opening(Vec<(Time, u32, Vec<u8>)>);

impl<P> Observer<P> for Opening {
    fn passed(
        &mut self,
        now: Time,
        port: End,
        way: Direction,
        frame: &Frame<P>,
        write: &dyn Fn(&mut Vec<u8>),
    ) {
        if port == End::host(HostId(0), 0) && way == Direction::Out && self.0.len() < 20 {
            let mut bytes = Vec::new();
            write(&mut bytes);
            self.0.push((now, frame.length(), bytes));
        }
    }
}

/// Wrong if the opening of a connection took other than its frames' time: request and reply of 64 B for the address,
/// SYN and SYN-ACK, and the first segment with the acknowledgement, each through one switch and back.
#[test]
fn a_connection_opens_in_the_time_of_its_frames() {
    let net = chain(1, 2);
    let parameters = parameters(&net, 100);
    let tcp = TcpParameters { ack_delay: None, ..Default::default() };
    let mut medium = Tcp::new(&net, &parameters, &attachments(&net), &tcp, Opening::default()).unwrap();
    medium.send(message(0, 1, 100, 1), Time::from_ps(5_000_000));
    let seen = events(&mut medium);
    let frames = medium.into_observer().0;
    // Address resolution, SYN, acknowledgement of the SYN-ACK or the data, whichever comes first.
    let wire = |length: u32| Duration::from_ps(u64::from(8 + length) * 80_000);
    let one_way = |length: u32| (wire(length) + Duration::from_us(1)) * 2;
    assert_eq!(frames[0].0, Time::from_ps(5_000_000));
    assert_eq!((frames[0].1, &frames[0].2[12..14]), (64, &[8, 6][..]));
    let syn = frames[0].0 + one_way(64) * 2;
    assert_eq!(frames[1].0, syn);
    assert_eq!(frames[1].2[14 + 20 + 13], 2, "the flags of a SYN");
    // Its options - segment size, window scale, selective acknowledgements, padded - make it 32 B of TCP.
    let syn_length = frames[1].1;
    assert!((64..=74).contains(&syn_length));
    let data = syn + one_way(syn_length) * 2;
    assert_eq!(frames[2].0, data);
    assert_eq!(frames[2].1, 14 + 20 + 20 + 16 + 100 + 4);
    assert_eq!(seen, [(data, Event::Left(1)), (data + one_way(174), Event::Delivered(1))]);
}

/// Must hold: with 64 KiB of switch buffer and the interleaved ring, TCP finishes with every byte right and drops
/// counted. Wrong if a message got lost, or if nothing was dropped and the test tested nothing.
#[test]
fn a_congested_ring_of_tcp_loses_and_recovers() {
    for buffer in [Buffer::Shared(Bytes(64 << 10)), Buffer::PerPort(Bytes(64 << 10))] {
        let (net, order) = interleaved(4, 8);
        let mut parameters = parameters(&net, 100);
        parameters.buffer = buffer;
        let mut medium = tcp(&net, &parameters, &TcpParameters::default());
        let mut ring = Ring::new(order, 128 << 10);
        let end = ring.run(&mut medium);
        assert_eq!((ring.delivered, ring.lost), (32 * 31, 0));
        assert_eq!((medium.lost_messages(), medium.connections()), (0, 32));
        assert!(medium.counters().dropped() > 0);
        println!("{buffer:?}: {end}, {} frames dropped", medium.counters().dropped());
        // Eight messages a link each step: at least 31 x 8 x 128 KiB over one cable.
        assert!(end.as_ps() > 31 * 8 * (128 << 10) * 80_000);
    }
}

/// Must hold: TCP that loses frames recovers, however many are lost. Wrong if a connection stood still: hosts exchange
/// with five partners each, both ways at once, so that both ends of a connection come to send everything again while
/// each of them has what the other one sends.
#[test]
fn losses_both_ways_never_stop_a_connection() {
    for buffer in [50_000, 100_000, 200_000] {
        let (net, _) = interleaved(4, 8);
        let mut parameters = parameters(&net, 100);
        parameters.buffer = Buffer::PerPort(Bytes(buffer));
        let mut medium = tcp(&net, &parameters, &TcpParameters::default());
        let mut now = Time::ZERO;
        for round in 0..10 {
            let distance = 1 << (round % 5);
            for host in 0..32 {
                medium.send(message(host, host ^ distance, 100_000 + 1_000 * u64::from(host), 0), now);
            }
            let seen = events(&mut medium);
            let delivered = seen.iter().filter(|(_, event)| *event == Event::Delivered(0)).count();
            assert_eq!((delivered, medium.lost_messages()), (32, 0), "{buffer} B a port, round {round}");
            now = seen[seen.len() - 1].0;
        }
        println!("{buffer} B a port: {now}, {} frames dropped", medium.counters().dropped());
        assert!(medium.counters().dropped() > 0, "{buffer} B a port");
    }
}

/// Wrong if anything depended on how the medium is polled or watched, if a message were lost though its connection
/// moves, or if messages of two hosts overtook each other: any pairs, both ways, starved switches.
#[test]
fn recovery_is_the_same_however_the_medium_is_polled() {
    for seed in 0..cases(200) {
        let net = chain(3, 2);
        let mut parameters = parameters(&net, 100);
        parameters.buffer =
            Buffer::PerPort(Bytes([5_000, 20_000, 1 << 20][usize::try_from(seed % 3).unwrap()]));
        let run = |step: Option<u64>, with: TcpParameters| {
            let mut chance = Stream::new(seed, P, 0);
            let mut medium = tcp(&net, &parameters, &with);
            let (mut seen, mut sent, mut now) = (Vec::new(), Vec::new(), Time::ZERO);
            for tag in 0..20 {
                let source = u32::try_from(chance.below(6)).unwrap();
                let destination = (source + 1 + u32::try_from(chance.below(5)).unwrap()) % 6;
                sent.push(message(source, destination, 1 + chance.below(100_000), tag));
                medium.send(sent[sent.len() - 1], now);
                let until = now + Duration::from_us(chance.below(4_000));
                while let Some(step) = step
                    && now + Duration::from_ps(step) < until
                {
                    now = now + Duration::from_ps(step);
                    seen.extend(std::iter::from_fn(|| medium.advance(Some(now))));
                }
                now = until;
                seen.extend(std::iter::from_fn(|| medium.advance(Some(now))));
            }
            seen.extend(events(&mut medium));
            (sent, seen, medium.counters().into_owned())
        };
        let with = TcpParameters {
            nagle: seed % 2 == 1,
            congestion: [Congestion::Reno, Congestion::None][usize::try_from(seed / 2 % 2).unwrap()],
            seed,
            ..Default::default()
        };
        let whole = run(None, with);
        assert_eq!(whole, run(Some(333_333_333), with), "seed {seed}");
        let (sent, seen, _) = whole;
        assert!(seen.is_sorted_by_key(|(at, _)| *at), "seed {seed}");
        let place = |event: Event| seen.iter().position(|(_, other)| *other == event);
        for (nth, message) in sent.iter().enumerate() {
            let arrived = place(Event::Delivered(message.tag));
            assert!(place(Event::Left(message.tag)) < arrived, "seed {seed}: {message:?}");
            let same =
                |other: &&Message| other.source == message.source && other.destination == message.destination;
            for later in sent[nth + 1..].iter().filter(same) {
                assert!(place(Event::Delivered(later.tag)) > arrived, "seed {seed}");
            }
        }
    }
}

/// Wrong if a segment that never arrives were sent again at other times than after the least time-out, then twice as
/// long each time, or beyond the limit: switches have room for the opening and a first small segment of 84 B, and for
/// nothing longer than 100 B.
#[test]
fn a_lost_segment_goes_again_after_twice_as_long() {
    let net = chain(1, 2);
    let mut parameters = parameters(&net, 100);
    parameters.buffer = Buffer::PerPort(Bytes(100));
    for least in [200, 1_000] {
        let least_timeout = Duration::from_ms(least);
        let tcp = TcpParameters { least_timeout, give_up: least_timeout * 20, ..Default::default() };
        let mut medium = Tcp::new(&net, &parameters, &attachments(&net), &tcp, Opening::default()).unwrap();
        medium.send(message(0, 1, 10, 1), Time::ZERO);
        let begin = Time::ZERO + Duration::from_ms(50);
        assert_eq!(std::iter::from_fn(|| medium.advance(Some(begin))).count(), 2);
        medium.send(message(0, 1, 100, 2), begin);
        assert_eq!(events(&mut medium), [(begin, Event::Left(2)), (begin + tcp.give_up, Event::Lost(2))]);
        let frames = medium.into_observer().0;
        let data: Vec<Time> =
            frames.iter().filter(|(_, length, _)| *length == 174).map(|(at, ..)| *at).collect();
        let tick = Duration::from_ps(least_timeout.as_ps() / 1_000_000);
        let waits: Vec<Duration> = data.windows(2).map(|pair| pair[1].since(pair[0])).collect();
        assert_eq!(waits.len(), 4);
        for (nth, wait) in waits.iter().enumerate() {
            let expected = least_timeout * (1 << nth);
            // The clock shows whole ticks, those that are over.
            assert!(*wait <= expected && *wait + tick > expected, "{wait:?} for {expected:?}");
        }
    }
}

/// Wrong if a host that cannot be reached were waited for beyond the limit, or what follows were not lost at once.
#[test]
fn a_dead_connection_is_given_up() {
    let mut net = Network::new("apart");
    for name in ["a", "b"] {
        let host = net.add_host(name).unwrap();
        let switch = net.add_switch(format!("s{name}"), 2).unwrap();
        net.connect(End::host(host, 0), End::switch(switch, 0)).unwrap();
    }
    let with = TcpParameters { give_up: Duration::from_ms(7_500), ..Default::default() };
    let mut medium = tcp(&net, &parameters(&net, 100), &with);
    medium.send(message(0, 1, 5_000, 1), Time::from_ps(5));
    medium.send(message(1, 0, 5_000, 2), Time::from_ps(5));
    let end = Time::from_ps(5) + with.give_up;
    assert_eq!(events(&mut medium), [(end, Event::Lost(1)), (end, Event::Lost(2))]);
    // One broadcast, and one a second after it.
    assert_eq!(medium.counters().sent, 8);
    medium.send(message(0, 1, 1, 3), end);
    assert_eq!(events(&mut medium), [(end, Event::Lost(3))]);
    assert_eq!(medium.lost_messages(), 3);
}

/// Wrong if the stack were set up with what it cannot work with.
#[test]
fn bounds_are_refused_outside() {
    let net = chain(1, 2);
    let refused = |mtu: u32, window: u32| {
        let mut parameters = parameters(&net, 100);
        parameters.mtu = mtu;
        let with = TcpParameters { window, ..Default::default() };
        Tcp::new(&net, &parameters, &attachments(&net), &with, ()).err()
    };
    assert_eq!(refused(1_500, 65_536), None);
    assert_eq!(refused(576, 576), None);
    assert!(matches!(refused(575, 65_536), Some(TransportError::Mtu { mtu: 575, .. })));
    assert!(matches!(refused(70_000, 1 << 20), Some(TransportError::Mtu { .. })));
    assert!(matches!(refused(1_500, 1_499), Some(TransportError::Window { window: 1_499, .. })));
    assert!(matches!(refused(1_500, 1 << 30), Some(TransportError::Window { .. })));
}

/// All that passes ports, without payloads and checksums.
#[derive(Default, PartialEq, Debug)]
struct Headers(Vec<(Time, End, Direction, u32, Vec<u8>)>);

impl<P> Observer<P> for Headers {
    fn passed(
        &mut self,
        now: Time,
        port: End,
        way: Direction,
        frame: &Frame<P>,
        write: &dyn Fn(&mut Vec<u8>),
    ) {
        let mut bytes = Vec::new();
        write(&mut bytes);
        assert_eq!(u32::try_from(bytes.len() + 4).unwrap().max(64), frame.length());
        if bytes[12..14] == [8, 0] {
            bytes.truncate(34 + usize::from(bytes[46] >> 4) * 4);
            bytes[24..26].fill(0);
            bytes[50..52].fill(0);
        }
        self.0.push((now, port, way, frame.length(), bytes));
    }
}

/// Wrong if anything but the bytes of messages and checksums depended on whether these are there, as they are not where
/// nobody looks: any pairs, both ways, starved switches, segments lost, retransmitted and selectively acknowledged.
#[test]
fn a_run_without_payloads_is_the_same() {
    let (mut dropped, mut seen_options) = (0, false);
    for seed in 0..cases(200) {
        let net = chain(3, 2);
        let mut chance = Stream::new(seed, P, 1);
        let mut parameters = parameters(&net, [10, 100, 1_000][usize::try_from(seed % 3).unwrap()]);
        parameters.buffer =
            Buffer::PerPort(Bytes([5_000, 20_000, 1 << 20][usize::try_from(chance.below(3)).unwrap()]));
        parameters.mtu = [576, 1_500, 9_000][usize::try_from(chance.below(3)).unwrap()];
        let with = TcpParameters {
            window: [9_000, 64 << 10][usize::try_from(chance.below(2)).unwrap()],
            nagle: chance.below(2) == 1,
            congestion: [Congestion::Reno, Congestion::None][usize::try_from(chance.below(2)).unwrap()],
            ack_delay: [None, Some(Duration::from_ms(10))][usize::try_from(chance.below(2)).unwrap()],
            give_up: Duration::from_ms(20_000),
            seed,
            ..Default::default()
        };
        let run = |mut medium: Tcp<Headers>| {
            let mut chance = Stream::new(seed, P, 2);
            let (mut seen, mut now) = (Vec::new(), Time::ZERO);
            for tag in 0..20 {
                let source = u32::try_from(chance.below(6)).unwrap();
                let destination = (source + 1 + u32::try_from(chance.below(5)).unwrap()) % 6;
                medium.send(message(source, destination, 1 + chance.below(100_000), tag), now);
                now = now + Duration::from_us(chance.below(4_000));
                seen.extend(std::iter::from_fn(|| medium.advance(Some(now))));
            }
            seen.extend(events(&mut medium));
            let counters = medium.counters().into_owned();
            (seen, medium.lost_messages(), counters, medium.into_observer())
        };
        let ports = attachments(&net);
        let real = run(Tcp::new(&net, &parameters, &ports, &with, Headers::default()).unwrap());
        let blank = run(Tcp::without_payloads(&net, &parameters, &ports, &with, Headers::default()).unwrap());
        assert_eq!(real.0, blank.0, "seed {seed}");
        assert_eq!((real.1, real.2.clone()), (blank.1, blank.2), "seed {seed}");
        assert!(real.3 == blank.3, "seed {seed}: the same frames at the same instants");
        dropped += real.2.dropped();
        seen_options |= real.3.0.iter().any(|(.., bytes)| bytes.len() > 62);
    }
    assert!(
        dropped > 0 && seen_options,
        "segments were lost, and acknowledgements named what came behind them"
    );
}
