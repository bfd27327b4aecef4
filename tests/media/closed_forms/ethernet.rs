//! Ethernet against closed forms: frame times, store and forward, padding, line rate, learning, buffers, and what is
//! counted.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use simnet_base::des::random::{Purpose, Stream};
use simnet_base::ids::{HostId, LinkId, Port, SwitchId};
use simnet_base::units::{BitRate, Bytes, Duration, Time};
use simnet_media::ethernet::{
    Address, Buffer, BuildError, Direction, Endpoint, Ethernet, Frame, Parameters, Pause,
};
use simnet_network::topology::{End, Network};

use support_media::ethernet::Passages;
use support_network::{cases, interval};

/// Hosts with frames to send, and what became of them.
#[derive(Default)]
struct Hosts {
    waiting: Vec<VecDeque<Frame<u64>>>,
    received: Vec<(Time, HostId, u64)>,
    dropped: Vec<(Time, End, u64)>,
    /// When frames are created, if that is later than the present.
    at: Time,
}

impl Hosts {
    fn new(hosts: usize) -> Hosts {
        Hosts { waiting: vec![VecDeque::new(); hosts], ..Hosts::default() }
    }

    /// Queues a frame and wakes its source.
    fn send(&mut self, net: &mut Ethernet<u64>, source: u32, to: u32, payload: u32, content: u64) {
        let frame =
            Frame { source: HostId(source), destination: Address::Host(HostId(to)), payload, content };
        self.waiting[frame.source.index()].push_back(frame);
        net.wake(frame.source, self.at.max(net.now()));
    }
}

impl Endpoint<u64> for Hosts {
    fn next_frame(&mut self, host: HostId, _now: Time) -> Option<Frame<u64>> {
        self.waiting[host.index()].pop_front()
    }
    fn received(&mut self, host: HostId, frame: &Frame<u64>, now: Time) -> ControlFlow<()> {
        self.received.push((now, host, frame.content));
        ControlFlow::Continue(())
    }
    fn dropped(&mut self, port: End, frame: &Frame<u64>, now: Time) -> ControlFlow<()> {
        self.dropped.push((now, port, frame.content));
        ControlFlow::Continue(())
    }
    fn write(&self, frame: &Frame<u64>, bytes: &mut Vec<u8>) {
        bytes.extend(frame.content.to_be_bytes());
    }
}

/// A chain of switches with so many hosts at each, and the same cables everywhere.
fn chain(switches: u32, hosts: u16) -> Network {
    let mut network = Network::new("chain");
    let ids: Vec<_> =
        (0..switches).map(|s| network.add_switch(format!("s{s}"), hosts + 2).unwrap()).collect();
    for (at, switch) in ids.iter().enumerate() {
        if let Some(next) = ids.get(at + 1) {
            network.connect(End::switch(*switch, hosts), End::switch(*next, hosts + 1)).unwrap();
        }
        for port in 0..hosts {
            let host = network.add_host(format!("h{at}-{port}")).unwrap();
            network.connect(End::host(host, 0), End::switch(*switch, port)).unwrap();
        }
    }
    network
}

const FAST: BitRate = BitRate::new(100_000_000).unwrap();

fn parameters(network: &Network) -> Parameters {
    Parameters::uniform(network.links().len(), FAST, Duration::from_us(1))
}

fn built(network: &Network, parameters: &Parameters) -> Ethernet<u64> {
    let attachments: Vec<Option<Port>> =
        network.host_ids().map(|host| network.attachment(host).map(|(port, ..)| port)).collect();
    Ethernet::new(network, parameters, &attachments).unwrap()
}

/// Wrong if a frame through d switches took other than d + 1 times its preamble, its bytes (64 at least) and the
/// cable, and d switch latencies.
#[test]
fn a_frame_through_d_switches_is_sent_d_plus_1_times() {
    for switches in 2..=5u32 {
        for (payload, length) in [(0, 64), (46, 64), (47, 65), (1_500, 1_518)] {
            let network = chain(switches, 1);
            let mut parameters = parameters(&network);
            parameters.switch_latency = Duration::from_ns(700);
            let mut net = built(&network, &parameters);
            let mut hosts = Hosts::new(network.hosts().len());
            let last = switches - 1;
            hosts.send(&mut net, 0, last, payload, 1);
            assert_eq!(net.run_until(None, &mut hosts, &mut ()), Pause::Idle);
            let hop = (8 + length) * 80_000 + 1_000_000;
            let arrival = u64::from(switches + 1) * hop + u64::from(switches) * 700_000;
            assert_eq!(hosts.received, [(Time::from_ps(arrival), HostId(last), 1)]);
        }
    }
}

/// Wrong if frames of one host did not follow each other at line rate, or the observer did not see each of them leave
/// and come in at every port, in order of time.
#[test]
fn frames_follow_each_other_at_line_rate() {
    let network = chain(2, 1);
    let mut net = built(&network, &parameters(&network));
    let mut hosts = Hosts::new(2);
    let mut passages = Passages::default();
    for content in 0..100 {
        hosts.send(&mut net, 0, 1, 1_500, content);
    }
    assert_eq!(net.run_until(None, &mut hosts, &mut passages), Pause::Idle);
    let first = 3 * (1_526 * 80_000 + 1_000_000);
    let expected: Vec<_> =
        (0..100).map(|n| (Time::from_ps(first + n * 1_538 * 80_000), HostId(1), n)).collect();
    assert_eq!(hosts.received, expected);
    assert_eq!(passages.0.len(), 600);
    assert!(passages.0.is_sorted_by_key(|(now, ..)| *now));
    let leaving = passages.0.iter().filter(|(.., way, _)| *way == Direction::Out).count();
    assert_eq!(leaving, 300);
    assert_eq!((net.counters().hops(), net.counters().delivered, net.under_way()), (300, 100, 0));
}

/// Hosts that break each time that one of them has received.
struct Breaking(Hosts);

impl Endpoint<u64> for Breaking {
    fn next_frame(&mut self, host: HostId, now: Time) -> Option<Frame<u64>> {
        self.0.next_frame(host, now)
    }
    fn received(&mut self, host: HostId, frame: &Frame<u64>, now: Time) -> ControlFlow<()> {
        self.0.received.push((now, host, frame.content));
        ControlFlow::Break(())
    }
    fn write(&self, frame: &Frame<u64>, bytes: &mut Vec<u8>) {
        self.0.write(frame, bytes);
    }
}

/// Wrong if a break left something of its instant undone or did something of the next, if the run did not go on where
/// it had paused, or if a limit were not included.
#[test]
fn a_break_ends_its_instant_and_nothing_else() {
    let network = chain(1, 4);
    let mut net = built(&network, &parameters(&network));
    net.introduce_all();
    let mut hosts = Breaking(Hosts::new(4));
    for (source, to) in [(0, 1), (1, 2), (2, 3)] {
        hosts.0.send(&mut net, source, to, 1_500, u64::from(source));
        hosts.0.send(&mut net, source, to, 0, 10 + u64::from(source));
    }
    let first = Time::from_ps(2 * (1_526 * 80_000 + 1_000_000));
    let second = Time::from_ps(2 * 1_000_000 + (1_526 + 1_538 + 72) * 80_000);
    assert_eq!(net.run_until(None, &mut hosts, &mut ()), Pause::Break);
    assert_eq!(hosts.0.received, [0, 1, 2].map(|n| (first, HostId(n + 1), u64::from(n))));
    assert_eq!((net.now(), net.next()), (first, Some(second)));
    let early = Time::from_ps(second.as_ps() - 1);
    assert_eq!(net.run_until(Some(early), &mut hosts, &mut ()), Pause::Limit);
    assert_eq!((net.now(), hosts.0.received.len()), (early, 3));
    assert_eq!(net.run_until(Some(second), &mut hosts, &mut ()), Pause::Break);
    assert_eq!(hosts.0.received.len(), 6);
    assert_eq!(net.run_until(Some(second), &mut hosts, &mut ()), Pause::Idle);
}

/// Wrong if a switch did not flood what it does not know, filter what lies behind its ingress, or forget in time.
#[test]
fn switches_learn_flood_filter_and_forget() {
    // Hosts 0 and 1 at the first switch, 2 and 3 at the second one.
    let network = chain(2, 2);
    let mut parameters = parameters(&network);
    parameters.ageing = Duration::from_ms(10);
    let mut net = built(&network, &parameters);
    let mut hosts = Hosts::new(4);
    let mut count = |net: &mut Ethernet<u64>, source, to| {
        let before = net.counters().into_owned();
        hosts.send(net, source, to, 46, 0);
        assert_eq!(net.run_until(None, &mut hosts, &mut ()), Pause::Idle);
        let after = net.counters();
        [
            after.hops() - before.hops(),
            after.floods - before.floods,
            after.filtered - before.filtered,
            after.unwanted - before.unwanted,
        ]
    };
    assert_eq!(count(&mut net, 0, 1), [5, 2, 0, 2], "nobody is known: both switches flood");
    assert_eq!(count(&mut net, 1, 0), [2, 0, 0, 0], "host 0 is known by the first switch");
    assert_eq!(count(&mut net, 3, 0), [3, 0, 0, 0], "and by the second one");
    assert_eq!(count(&mut net, 2, 2), [1, 0, 1, 0], "host 2 is where the frame comes from");
    net.wake(HostId(0), net.now() + Duration::from_ms(10));
    assert_eq!(net.run_until(None, &mut hosts, &mut ()), Pause::Idle);
    let mut hosts = Hosts::new(4);
    hosts.send(&mut net, 3, 0, 46, 0);
    assert_eq!(net.run_until(None, &mut hosts, &mut ()), Pause::Idle);
    assert_eq!(net.counters().floods, 4, "after 10 ms both have forgotten");
}

/// Wrong if more or fewer frames than fit were kept, if those that came earlier were not, if room for the frame that is
/// being sent came free before its last bit; or if some of those that come at once were kept much more often than
/// others, over many seeds, or left in another order than that of their channels.
#[test]
fn a_full_buffer_drops_the_tail() {
    const SEEDS: u64 = 400;
    let room = Bytes(3 * 1_518 + 100);
    let mut often = [0; 8];
    for seed in 0..SEEDS {
        let network = chain(1, 8);
        let mut parameters = parameters(&network);
        parameters.seed = seed;
        parameters.buffer = if seed % 2 == 0 { Buffer::PerPort(room) } else { Buffer::Shared(room) };
        let mut net = built(&network, &parameters);
        net.introduce_all();
        let mut hosts = Hosts::new(8);
        for source in 1..8 {
            hosts.send(&mut net, source, 0, 1_500, u64::from(source));
            hosts.send(&mut net, source, 0, 1_500, 10 + u64::from(source));
        }
        assert_eq!(net.run_until(None, &mut hosts, &mut ()), Pause::Idle);
        // Seven come at once; three fit. When the next seven come, a gap later than line rate, one has left.
        let kept: Vec<u64> = hosts.received.iter().map(|(.., content)| *content).collect();
        assert!(kept.len() == 4 && kept.is_sorted() && kept[2] < 10 && kept[3] > 10, "{kept:?}");
        kept.iter().for_each(|content| often[usize::try_from(content % 10).unwrap()] += 1);
        assert_eq!((hosts.dropped.len(), net.counters().dropped()), (10, 10));
        assert!(hosts.dropped.iter().all(|(_, port, _)| *port == End::switch(SwitchId(0), 0)));
        assert_eq!(net.counters().peak(), Bytes(3 * 1_518));
    }
    // Four standard deviations of being among three of seven, and being one of seven.
    let most = 4.0 * (SEEDS as f64 * (3.0 * 4.0 + 6.0) / 49.0).sqrt();
    let mean = SEEDS as f64 * 4.0 / 7.0;
    assert!(often[1..].iter().all(|count| (f64::from(*count) - mean).abs() < most), "{often:?}");
}

/// Wrong if a broadcast missed a host or came twice where cables make loops, if any but one cable fewer than there are
/// switches forwarded, or if the tree for rings had others.
#[test]
fn loops_are_cut() {
    let mut network = Network::new("loops");
    let switches: Vec<SwitchId> = (0..4).map(|s| network.add_switch(format!("s{s}"), 16).unwrap()).collect();
    for (nth, (a, b)) in
        [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3), (0, 1), (2, 2)].into_iter().enumerate()
    {
        let port = u16::try_from(2 * nth).unwrap();
        network.connect(End::switch(switches[a], port), End::switch(switches[b], port + 1)).unwrap();
    }
    for host in 0..4 {
        let id = network.add_host(format!("h{host}")).unwrap();
        let port = network.port_range(End::host(id, 0).node).0;
        network.connect(End::host(id, port), End::switch(switches[host], [4, 8, 6, 0][host])).unwrap();
    }
    let mut net = built(&network, &parameters(&network));
    // Bridge 0 is the root; equal costs leave it its cables of lowest port.
    let blocked: Vec<LinkId> = net.spanning_tree().blocked().collect();
    assert_eq!(blocked, [1, 2, 5, 6, 7].map(LinkId));
    // Rings follow the same cables, whatever switch they are drawn from.
    for root in switches {
        let tree = net.spanning_tree().for_rings(&network, root).unwrap();
        let mut cables: Vec<LinkId> = tree.parents.iter().flatten().map(|(link, _)| *link).collect();
        cables.sort();
        assert_eq!((tree.root, cables), (root, [0, 3, 4].map(LinkId).to_vec()));
    }
    let mut hosts = Hosts::new(4);
    for source in 0..4 {
        let frame =
            Frame { source: HostId(source), destination: Address::Broadcast, payload: 100, content: 0 };
        hosts.waiting[frame.source.index()].push_back(frame);
        net.wake(frame.source, Time::ZERO);
    }
    assert_eq!(net.run_until(None, &mut hosts, &mut ()), Pause::Idle);
    assert_eq!(net.counters().delivered, 12);
    let mut reached: Vec<HostId> = hosts.received.iter().map(|(_, host, _)| *host).collect();
    reached.sort();
    assert_eq!(reached, (0..12).map(|nth| HostId(nth / 3)).collect::<Vec<_>>());
}

/// Wrong if networks of nothing, or of hosts that lead nowhere, could not be built or did anything; or if parameters
/// for another network could be.
#[test]
fn odd_networks_are_idle_and_wrong_parameters_are_told() {
    let mut network = Network::new("odd");
    assert_eq!(built(&network, &parameters(&network)).next(), None);
    network.add_switch("s", 0).unwrap();
    let host = network.add_host("h").unwrap();
    let mut net = built(&network, &parameters(&network));
    net.introduce_all();
    net.wake(host, Time::ZERO);
    assert_eq!(net.run_until(None, &mut Hosts::new(1), &mut ()), Pause::Idle);
    let build = |parameters: &Parameters, ports: &[Option<Port>]| {
        Ethernet::<u64>::new(&network, parameters, ports).err()
    };
    let fitting = parameters(&network);
    let error = build(&fitting, &[Some(Port(0))]);
    assert_eq!(error, Some(BuildError::NoCable { host: "h".into(), port: 0 }));
    assert_eq!(build(&fitting, &[]), Some(BuildError::Hosts { hosts: 1, attachments: 0 }));
    let many = Parameters::uniform(2, FAST, Duration::ZERO);
    assert_eq!(build(&many, &[None]), Some(BuildError::Links { links: 0, rates: 2, delays: 2 }));
    // 12,000 switches would remember 12,000 hosts.
    let mut network = Network::new("wide");
    for at in 0..12_000 {
        network.add_switch(format!("s{at}"), 0).unwrap();
        network.add_host(format!("h{at}")).unwrap();
    }
    let error = Ethernet::<u64>::new(&network, &parameters(&network), &vec![None; 12_000]).err();
    assert_eq!(error, Some(BuildError::TooLarge { switches: 12_000, hosts: 12_000 }));
}

/// Wrong if a port were not an M/D/1 queue to frames that come as a Poisson stream: the mean wait is rho / (2 (1 -
/// rho)) frame times (Pollaczek and Khinchine). The batches' interval, at five times its standard error, must hold
/// it.
#[test]
fn a_port_is_an_m_d_1_queue() {
    let mut network = Network::new("queue");
    let switch = network.add_switch("s", 2).unwrap();
    for port in 0..2 {
        let host = network.add_host(format!("h{port}")).unwrap();
        network.connect(End::host(host, 0), End::switch(switch, port)).unwrap();
    }
    // The way in is 4,000 times as fast as the way out, so that it disturbs the stream by less than that.
    let mut parameters = Parameters::uniform(2, FAST, Duration::ZERO);
    parameters.rates[0] = BitRate::new(400_000_000_000).unwrap();
    const SERVICE: u64 = 1_538 * 80_000;
    let frames = cases(400_000);
    for (tenths, seed) in [(3, 1), (6, 2), (9, 3)] {
        let mut net = built(&network, &parameters);
        net.introduce_all();
        let mut hosts = Hosts::new(2);
        let mut chance = Stream::new(seed, Purpose(51), 0);
        let mut at = 0;
        let mut created = Vec::new();
        for content in 0..frames {
            at += chance.exponential(SERVICE * 10 / tenths);
            hosts.at = Time::from_ps(at);
            net.run_until(Some(hosts.at), &mut hosts, &mut ());
            hosts.send(&mut net, 0, 1, 1_500, content);
            created.push(at);
        }
        net.run_until(None, &mut hosts, &mut ());
        let least = 1_526 * (80_000 + 20);
        let waits = hosts.received.iter().map(|(now, _, nth)| {
            (now.as_ps() - created[usize::try_from(*nth).unwrap()] - least) as f64 / SERVICE as f64
        });
        let waits: Vec<f64> = waits.collect();
        let means: Vec<f64> =
            waits.chunks_exact(waits.len() / 20).map(|b| b.iter().sum::<f64>() / b.len() as f64).collect();
        let (mean, half) = interval(&means, 5.0);
        let rho = tenths as f64 / 10.0;
        let expected = rho / (2.0 * (1.0 - rho));
        assert!((mean - expected).abs() < half + 0.001, "load {rho}: {mean} +- {half}, not {expected}");
    }
}
