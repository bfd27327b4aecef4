//! How many frames cross a cable per second of a ring all-gather over each transport, hosts' work counted in. Goal for
//! datagrams: above 5 million frame-hops per second of one core. (ns-3 takes 3.7 s for the ring of 32 over TCP.)
//! And how many messages of a measurement of round-trip times are simulated per second, ranks and noise counted in.
//! Goal: above 1 million, so that a run of lawrence2008 with 32 machines takes a quarter of a second.

use divan::Bencher;
use divan::counter::ItemsCount;
use simnet::ethernet::Parameters;
use simnet::ethernet::transport::{DATAGRAM_HEADER, Datagram, Tcp, TcpParameters};
use simnet::ids::{HostId, Port};
use simnet::medium::{Event, Medium, Message};
use simnet::simulation::rtt::{self, Job, lawrence};
use simnet::topology::generate::Line;
use simnet::topology::{Network, presets};
use simnet::units::{BitRate, Duration, Time};

fn main() {
    divan::main();
}

/// A chain of switches with eight machines each, at 100 Mb/s and 1 us a cable.
fn chain(switches: u32) -> (Network, Parameters, Vec<Option<Port>>) {
    let net = Line::chain(switches, 8).expect("small").build();
    let rate = BitRate::new(100_000_000).expect("not zero");
    let parameters = Parameters::uniform(net.links().len(), rate, Duration::from_us(1));
    let ports = vec![Some(Port(0)); net.hosts().len()];
    (net, parameters, ports)
}

/// Runs a ring all-gather of 128 KiB in the order of the hosts.
fn ring(medium: &mut impl Medium, hosts: u64) {
    let host = |place: u64| HostId(u32::try_from(place % hosts).expect("few hosts"));
    let message = |step: u64, place: u64| Message {
        source: host(place),
        destination: host(place + 1),
        bytes: 128 << 10,
        tag: step * hosts + place % hosts,
    };
    for place in 0..hosts {
        medium.send(message(0, place), Time::ZERO);
    }
    while let Some((now, event)) = medium.advance(None) {
        if let Event::Delivered(tag) = event
            && tag / hosts + 2 < hosts
        {
            medium.send(message(tag / hosts + 1, tag % hosts + 1), now);
        }
    }
}

fn measure<M: Medium>(bencher: Bencher<'_, '_>, hosts: u64, make: impl Fn() -> M, hops: impl Fn(&M) -> u64) {
    let mut medium = make();
    ring(&mut medium, hosts);
    bencher
        .counter(ItemsCount::new(hops(&medium)))
        .with_inputs(make)
        .bench_local_values(|mut medium| ring(&mut medium, hosts));
}

#[divan::bench(args = [4, 16, 64], sample_count = 1, sample_size = 1)]
fn datagram(bencher: Bencher<'_, '_>, switches: u32) {
    let (net, parameters, ports) = chain(switches);
    let make = || {
        Datagram::new(&net, &parameters, &ports, DATAGRAM_HEADER, ()).expect("an MTU of 1,500 B is enough")
    };
    measure(bencher, u64::from(switches) * 8, make, |medium| medium.counters().hops());
}

#[divan::bench(args = [4, 8], sample_count = 1, sample_size = 1)]
fn tcp(bencher: Bencher<'_, '_>, switches: u32) {
    let (net, parameters, ports) = chain(switches);
    let with = TcpParameters::default();
    let make = || Tcp::new(&net, &parameters, &ports, &with, ()).expect("an MTU of 1,500 B is enough");
    measure(bencher, u64::from(switches) * 8, make, |medium| medium.counters().hops());
}

/// The tool of lawrence2008 on one of its clusters at 1 Gb/s.
#[divan::bench(args = ["lawrence-1", "lawrence-3"], sample_count = 3, sample_size = 1)]
fn round_trips(bencher: Bencher<'_, '_>, preset: &str) {
    let net = presets::load(preset).expect("a preset");
    let rate = BitRate::new(1_000_000_000).expect("not zero");
    let parameters = Parameters::uniform(net.links().len(), rate, Duration::ZERO);
    let ports = vec![Some(Port(0)); net.hosts().len()];
    let names = net.hosts().iter().map(|host| host.name.clone()).collect();
    let job: Job = lawrence::job(net.host_ids().collect(), names, 1);
    let make = || {
        let mut medium =
            Datagram::new(&net, &parameters, &ports, lawrence::HEADER, ()).expect("room for data");
        medium.introduce_all();
        medium
    };
    let messages = rtt::run(&mut make(), &job).expect("a job that can be run").messages;
    bencher
        .counter(ItemsCount::new(messages))
        .with_inputs(make)
        .bench_local_values(|mut medium| rtt::run(&mut medium, &job));
}
