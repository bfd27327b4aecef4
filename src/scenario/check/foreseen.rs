//! Whatever a run would refuse, refused before it begins, with its place: limits that only a whole scenario tells.
//!
//! Every limit stands where it is kept: the fabric, the routes, the Ethernet and the trees are asked whether they would
//! take what the scenario has, and nothing of them is built.

use std::fmt::Display;

use crate::diagnostics::Fault;
use crate::ethernet::transport::{check_datagram, check_tcp};
use crate::fabric::Fabric;
use crate::ids::Port;
use crate::ring::{self, Tree};
use crate::routing::{Attachments, Plan};
use crate::topology::Network;
use crate::units::{BitRate, Duration};

use super::super::allgather::{Allgather, MediumKind, Method};
use super::super::book::{Book, Place};
use super::super::checked::{Checked, PartKind, RandomFailures, RouteSource, Routing, Topology};
use super::super::cost::{Estimate, MOST_MEMORY};
use super::super::ethernet::Transport;
use super::super::fabric::{self, parameters};
use super::super::wire::Document;

/// Notes what [`crate::scenario::Checked`] holds and no run could use. Costs little but where networks are so large
/// that their routes have to be counted.
pub(super) fn check(checked: &Checked, document: &Document, book: &mut Book) {
    let Some(own) = document.topology.get().map(|at| at.value.place) else { return };
    failures(checked, document, book);
    let memory = Estimate::of(checked).memory_bytes;
    if memory > MOST_MEMORY {
        let [needed, most] = [memory, MOST_MEMORY].map(|bytes| bytes.div_ceil(1 << 30));
        let message = format!("this scenario would take about {needed} GiB of memory");
        let expected = format!("expected at most {most} GiB: fewer switches, ports, hosts or networks");
        book.add(own, |span| Fault::new("too-large", span, message, expected));
        return;
    }
    let Checked { allgather, rings, discovery, .. } = checked;
    let is_on_fabric = allgather.is_none() && rings.is_none() && discovery.is_none();
    if is_on_fabric {
        fabric(checked, ground(&checked.topology), None, own, book);
        latencies(checked, document, own, book);
    }
    if let (true, Some(routing)) = (is_on_fabric, &checked.routing) {
        routes(&checked.topology, routing, own, book);
    }
    if let Some(allgather) = allgather {
        gathers(checked, allgather, own, book);
    }
    if let (Some(_), Some(ethernet)) = (discovery, &checked.ethernet) {
        frames(checked, &checked.topology, &[ethernet.transport], own, book);
    }
    if rings.is_some() {
        tree(&checked.topology.network, own, book);
    }
}

fn ground(topology: &Topology) -> (&Network, &[Option<Port>]) {
    (&topology.network, &topology.attachments)
}

fn refuse(place: Place, error: &impl Display, expected: &'static str, book: &mut Book) {
    let message = error.to_string();
    book.add(place, |span| Fault::new("too-large", span, message, expected));
}

/// Notes a fabric that cannot be built on a network, all cables at `rate` if one is given.
fn fabric(
    checked: &Checked,
    (network, attachments): (&Network, &[Option<Port>]),
    rate: Option<BitRate>,
    place: Place,
    book: &mut Book,
) {
    let fabric = fabric::Fabric { rate: rate.unwrap_or(checked.fabric.rate), ..checked.fabric };
    let parameters = parameters(&fabric, &checked.hosts, network);
    if let Err(error) = Fabric::check(network, &parameters, attachments) {
        refuse(place, &error, "expected a fabric that can be built", book);
    }
}

/// Notes routing latencies at which no fabric can be built.
fn latencies(checked: &Checked, document: &Document, own: Place, book: &mut Book) {
    let latencies = checked.mapping.iter().flat_map(|mapping| &mapping.also_at_routing_latency);
    let list = document.mapping.value().and_then(|wire| wire.also_at_routing_latency.value());
    for (nth, latency) in latencies.enumerate() {
        let place = list.and_then(|list| list.get(nth)).map_or(own, |at| at.place);
        let fabric = fabric::Fabric { routing_latency: *latency, ..checked.fabric };
        let parameters = parameters(&fabric, &checked.hosts, &checked.topology.network);
        let made = Fabric::check(&checked.topology.network, &parameters, &checked.topology.attachments);
        if let Err(error) = made {
            let shown: Duration = *latency;
            refuse(place, &format!("{shown}: {error}"), "expected a shorter routing latency", book);
        }
    }
}

/// Notes routes that are too many.
fn routes(topology: &Topology, routing: &Routing, place: Place, book: &mut Book) {
    let attachments = Attachments::by_ports(&topology.network, &topology.attachments);
    routes_on(&topology.network, &attachments, routing, place, book);
}

fn routes_on(network: &Network, attachments: &Attachments, routing: &Routing, place: Place, book: &mut Book) {
    let RouteSource::Computed(choices) = &routing.source else { return };
    if let Err(error) = Plan::check(network, attachments, choices) {
        refuse(place, &error, "expected fewer hosts, or fewer switches between them", book);
    }
}

/// Notes machines that no tree connects.
fn tree(network: &Network, place: Place, book: &mut Book) {
    let made = Tree::first_root(network).and_then(|root| Tree::new(network, ring::Kind::Bfs, root, 0));
    if let Err(error) = made {
        let message = error.to_string();
        let expected = "expected cables between all machines over switches";
        book.add(place, |span| Fault::new("not-connected", span, message, expected));
    }
}

/// Notes an Ethernet, or a transport over it, that cannot be built on a network.
fn frames(checked: &Checked, topology: &Topology, transports: &[Transport], place: Place, book: &mut Book) {
    let Some(ethernet) = &checked.ethernet else { return };
    let parameters = ethernet.parameters(&topology.network, None);
    let (network, ports) = (&topology.network, topology.attachments.as_slice());
    for transport in transports {
        let made = match transport {
            Transport::Datagram => check_datagram(network, &parameters, ports, ethernet.header),
            Transport::Tcp => check_tcp(network, &parameters, ports, &ethernet.tcp(checked.seed)),
        };
        if let Err(error) = made {
            refuse(place, &error, "expected an Ethernet that can be built", book);
        }
    }
}

/// Notes an all-gather that its medium cannot carry.
fn gathers(checked: &Checked, allgather: &Allgather, place: Place, book: &mut Book) {
    let whole = checked.topology.used(None, |_| true);
    tree(&whole, place, book);
    if allgather.medium == MediumKind::Ethernet {
        let transports: Vec<Transport> = checked.ethernet.iter().map(|e| e.transport).collect();
        frames(checked, &checked.topology, &transports, place, book);
        return;
    }
    let follows_tree = match allgather.algorithm {
        Method::Found(found) => allgather.rings_follow_trees && found != ring::Algorithm::Lr2,
        Method::Blind(_) => false,
    };
    if !follows_tree {
        routes_on(&whole, &Attachments::lowest(&whole), &checked.gather_routing(), place, book);
    }
    fabric(checked, ground(&checked.topology), None, place, book);
}

/// Notes failures by chance that are too many.
fn failures(checked: &Checked, document: &Document, book: &mut Book) {
    let network = &checked.topology.network;
    let places = document.failures_at_random.value().into_iter().flatten();
    for (random, at) in checked.failures_at_random.iter().zip(places) {
        let parts = match random.of {
            PartKind::Links => network.links().len(),
            PartKind::Switches => network.switches().len(),
            PartKind::Hosts => network.hosts().len(),
        };
        let expected = random.expected(parts as u64);
        if expected > RandomFailures::MOST {
            book.add(at.place, |span| {
                let message = format!("{expected} failures are to be expected");
                Fault::new(
                    "out-of-range",
                    span,
                    message,
                    format!("expected at most {}", RandomFailures::MOST),
                )
            });
        }
    }
}
