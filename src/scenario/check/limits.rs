//! Times that the fabric cannot count: more base cycles than it has room for.

use simnet_base::diagnostics::Fault;
use simnet_base::ids::LinkId;
use simnet_base::units::Duration;
use simnet_network::topology::Network;

use super::names;
use crate::diagnostics::{Diagnostics, Place};
use crate::fabric::{Fabric, Hosts, base_cycle, flit_time, timing};
use crate::wire::{Document, Given};

/// The longest time of a fabric in base cycles, as the fabric itself has it.
const MOST_CYCLES: u64 = 1 << 31;

/// Notes every time of more than 2^31 base cycles. The deadlock time-out and the time to live are
/// free: longer ones never end.
pub(super) fn check(
    document: &Document,
    fabric: &Fabric,
    hosts: &Hosts,
    network: &Network,
    diagnostics: &mut Diagnostics,
) {
    let base = base_cycle(fabric, hosts, network);
    let (wire, wire_hosts) = (document.fabric.value(), document.hosts.value());
    let latency = wire.and_then(|wire| place(&wire.routing_latency));
    let send = wire_hosts.and_then(|wire| place(&wire.nic_send_overhead));
    let overhead = wire_hosts.and_then(|wire| place(&wire.receive_overhead));
    let receive = hosts.receive.map_or(Duration::ZERO, |receive| receive.overhead);
    let rate = wire_hosts.and_then(|wire| place(&wire.receive_rate));
    let flit = hosts.receive.map_or(Duration::ZERO, |receive| flit_time(receive.rate));
    let (latency, send) = ((latency, fabric.routing_latency), (send, hosts.nic_send_overhead));
    let transit = wire_hosts.and_then(|wire| place(&wire.in_transit_latency));
    let transit = (transit, hosts.in_transit.unwrap_or_default());
    let times = [latency, send, (overhead, receive), (rate, flit), transit];
    for (place, time) in times {
        if let (Some(place), true) = (place, time.to_cycles_ceil(base) > MOST_CYCLES) {
            too_long(place, format!("{time} is too long for base cycles of {base}"), base, diagnostics);
        }
    }
    let links = (0..network.links().len()).map(LinkId::new);
    let timed = links.map(|link| (link, timing(fabric, network.link(link), base)));
    let longest = timed.max_by_key(|(_, timing)| timing.delay.max(timing.period));
    if let Some((link, timing)) = longest.filter(|(_, t)| t.delay.max(t.period) > MOST_CYCLES) {
        let cable = names::link_name(network, link);
        let (what, key) = if timing.delay > MOST_CYCLES {
            ("the time of flight over", wire.and_then(|wire| place(&wire.cable_length)))
        } else {
            ("the time of a flit on", wire.and_then(|wire| place(&wire.rate)))
        };
        if let Some(place) = key {
            too_long(
                place,
                format!("{what} the cable {cable} is too long for base cycles of {base}"),
                base,
                diagnostics,
            );
        }
    }
}

fn place<T>(given: &Given<T>) -> Option<Place> {
    given.get().map(|at| at.place)
}

fn too_long(place: Place, message: String, base: Duration, diagnostics: &mut Diagnostics) {
    let most = base * MOST_CYCLES;
    diagnostics
        .add(place, |span| Fault::new("out-of-range", span, message, format!("expected at most {most}")));
}
