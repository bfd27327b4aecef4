//! How many frames cross a cable per second of a ring all-gather over each transport, hosts' work counted in. Goal for
//! datagrams: above 5 million frame-hops per second of one core. (ns-3 takes 3.7 s for the ring of 32 over TCP.)

use divan::Bencher;
use divan::counter::ItemsCount;
use simnet::ethernet::transport::{DATAGRAM_HEADER, Datagram, Tcp, TcpParameters};
use simnet::ethernet::{Counters, Parameters};
use simnet::ids::{HostId, Port};
use simnet::medium::{Event, Medium, Parcel};
use simnet::topology::Network;
use simnet::topology::generate::Line;
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
    let parcel = |step: u64, place: u64| Parcel {
        source: host(place),
        destination: host(place + 1),
        bytes: 128 << 10,
        tag: step * hosts + place % hosts,
    };
    for place in 0..hosts {
        medium.send(parcel(0, place), Time::ZERO);
    }
    while let Some((now, event)) = medium.advance(None) {
        if let Event::Delivered(tag) = event
            && tag / hosts + 2 < hosts
        {
            medium.send(parcel(tag / hosts + 1, tag % hosts + 1), now);
        }
    }
}

fn measure<M: Medium>(
    bencher: Bencher<'_, '_>,
    hosts: u64,
    make: impl Fn() -> M,
    count: impl Fn(&M) -> &Counters,
) {
    let mut medium = make();
    ring(&mut medium, hosts);
    bencher
        .counter(ItemsCount::new(count(&medium).hops()))
        .with_inputs(make)
        .bench_local_values(|mut medium| ring(&mut medium, hosts));
}

#[divan::bench(args = [4, 16, 64], sample_count = 1, sample_size = 1)]
fn datagram(bencher: Bencher<'_, '_>, switches: u32) {
    let (net, parameters, ports) = chain(switches);
    let make = || {
        Datagram::new(&net, &parameters, &ports, DATAGRAM_HEADER, ()).expect("an MTU of 1,500 B is enough")
    };
    measure(bencher, u64::from(switches) * 8, make, Datagram::counters);
}

#[divan::bench(args = [4, 8], sample_count = 1, sample_size = 1)]
fn tcp(bencher: Bencher<'_, '_>, switches: u32) {
    let (net, parameters, ports) = chain(switches);
    let with = TcpParameters::default();
    let make = || Tcp::new(&net, &parameters, &ports, &with, ()).expect("an MTU of 1,500 B is enough");
    measure(bencher, u64::from(switches) * 8, make, Tcp::counters);
}
