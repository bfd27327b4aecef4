//! Ethernet against closed forms: frame times, store and forward, padding, line rate, learning, buffers, and what is
//! counted.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use simnet::ethernet::{Address, Direction, Endpoint, Ethernet, Frame, Observer, Parameters, Pause};
use simnet::ids::{HostId, Port};
use simnet::topology::{End, Network};
use simnet::units::{BitRate, Duration, Time};

/// Hosts with frames to send, and what became of them.
#[derive(Default)]
pub(crate) struct Hosts {
    pub(crate) waiting: Vec<VecDeque<Frame<u64>>>,
    pub(crate) received: Vec<(Time, HostId, u64)>,
    pub(crate) dropped: Vec<(Time, End, u64)>,
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
        net.wake(frame.source, net.now());
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

/// Notes what passes ports.
#[derive(Default)]
struct Watcher(Vec<(Time, End, Direction, u64)>);

impl Observer<u64> for Watcher {
    fn passed(
        &mut self,
        now: Time,
        port: End,
        way: Direction,
        frame: &Frame<u64>,
        write: &dyn Fn(&mut Vec<u8>),
    ) {
        let mut bytes = Vec::new();
        write(&mut bytes);
        assert_eq!(bytes, frame.content.to_be_bytes());
        self.0.push((now, port, way, frame.content));
    }
}

/// Wrong if frames of one host did not follow each other at line rate, or the observer did not see each of them leave
/// and come in at every port, in order of time.
#[test]
fn frames_follow_each_other_at_line_rate() {
    let network = chain(2, 1);
    let mut net = built(&network, &parameters(&network));
    let mut hosts = Hosts::new(2);
    let mut watcher = Watcher::default();
    for content in 0..100 {
        hosts.send(&mut net, 0, 1, 1_500, content);
    }
    assert_eq!(net.run_until(None, &mut hosts, &mut watcher), Pause::Idle);
    let first = 3 * (1_526 * 80_000 + 1_000_000);
    let expected: Vec<_> =
        (0..100).map(|n| (Time::from_ps(first + n * 1_538 * 80_000), HostId(1), n)).collect();
    assert_eq!(hosts.received, expected);
    assert_eq!(watcher.0.len(), 600);
    assert!(watcher.0.is_sorted_by_key(|(now, ..)| *now));
    let leaving = watcher.0.iter().filter(|(.., way, _)| *way == Direction::Out).count();
    assert_eq!(leaving, 300);
    assert_eq!((net.counters().hops(), net.counters().delivered, net.under_way()), (300, 100, 0));
}
