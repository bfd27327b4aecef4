//! Refuses before a run what the run would refuse, with its place: limits that need the whole scenario.
//!
//! Every limit stands where it is kept: the fabric, the routes, the Ethernet and the trees are asked whether they would
//! take what the scenario has, and nothing of them is built.

use std::fmt::Display;

use simnet_base::diagnostics::Fault;
use simnet_base::ids::Port;
use simnet_base::numbers::{number, span};
use simnet_base::units::Duration;
use simnet_media::ethernet::transport::{check_datagram, check_tcp};
use simnet_media::fabric::Fabric;
use simnet_network::ring::{self, Tree};
use simnet_network::routing::{Attachments, Choices, Plan};
use simnet_network::topology::Network;

use crate::allgather::{Allgather, Medium};
use crate::checked::{Checked, PartKind, RandomFailures, RouteSource, Routing, Topology, Work};
use crate::cost::{Estimate, MOST_MEMORY};
use crate::diagnostics::{Diagnostics, Place};
use crate::discovery::{Discovery, Source};
use crate::ethernet::{Ethernet, Transport};
use crate::fabric::{self, parameters};
use crate::wire::Document;

/// Notes what [`crate::Checked`] holds and no run could use. Costs little but where networks are so large
/// that their routes have to be counted.
pub(super) fn check(checked: &Checked, document: &Document, diagnostics: &mut Diagnostics) {
    let Some(own) = document.topology.get().map(|at| at.value.place) else { return };
    failures(checked, document, diagnostics);
    let estimate = Estimate::of(checked);
    let memory = estimate.memory_bytes;
    if memory > MOST_MEMORY {
        let [needed, most] = [memory, MOST_MEMORY].map(|bytes| bytes.div_ceil(1 << 30));
        let message = format!("this scenario would take about {needed} GiB of memory");
        let expected = format!("expected at most {most} GiB: fewer switches, ports or hosts");
        diagnostics.add(own, |span| Fault::new("too-large", span, message, expected));
        return;
    }
    endless(&estimate, document, own, diagnostics);
    match &checked.work {
        Work::Stages(stages) => {
            // Routes alone are found on no fabric.
            if stages.mapping.is_some() || stages.traffic.is_some() {
                fabric(checked, own, diagnostics);
            }
            latencies(checked, document, own, diagnostics);
            if let Some(Routing { source: RouteSource::Computed(choices), .. }) = &stages.routing {
                routes(&checked.topology, choices, own, diagnostics);
            }
        }
        Work::Operation(operation) => {
            fabric(checked, own, diagnostics);
            latencies(checked, document, own, diagnostics);
            routes(&checked.topology, &operation.choices, own, diagnostics);
        }
        Work::Allgather(allgather) => gathers(checked, allgather, own, diagnostics),
        Work::Ring(_) => tree(&checked.topology.network, own, diagnostics),
        Work::Discovery(Discovery { source: Source::Measured(ethernet), .. }) => {
            frames(checked, ethernet, own, diagnostics);
        }
        Work::Discovery(_) => {}
    }
}

/// More messages than this are questioned: a core simulates about a million a second, so they take it eleven days.
const MANY_MESSAGES: f64 = 1e12;

/// Warns of more messages than anyone waits for.
fn endless(estimate: &Estimate, document: &Document, own: Place, diagnostics: &mut Diagnostics) {
    let Some(messages) = estimate.messages.filter(|messages| *messages > MANY_MESSAGES) else { return };
    let asked = document.measure.value().and_then(|wire| wire.messages.get());
    let place = asked.map_or(own, |asked| asked.place);
    let time = estimate.processor_s.map_or_else(String::new, |s| format!(", about {} of one core", span(s)));
    diagnostics.warn(place, |at| {
        let message = format!("this scenario simulates about {} messages{time}", number(messages, 3));
        Fault::new("too-many-messages", at, message, format!("at most {MANY_MESSAGES:e} end within days"))
            .with_help("fewer messages, or a precision to stop at, in [measure]; an interrupted run keeps what is done")
    });
}

fn wiring(topology: &Topology) -> (&Network, &[Option<Port>]) {
    (&topology.network, &topology.attachments)
}

fn refuse(place: Place, error: &impl Display, expected: &'static str, diagnostics: &mut Diagnostics) {
    let message = error.to_string();
    diagnostics.add(place, |span| Fault::new("too-large", span, message, expected));
}

/// Notes a fabric that cannot be built on the scenario's network.
fn fabric(checked: &Checked, place: Place, diagnostics: &mut Diagnostics) {
    let (network, attachments) = wiring(&checked.topology);
    let parameters = parameters(&checked.fabric, &checked.hosts, network);
    if let Err(error) = Fabric::check(network, &parameters, attachments) {
        refuse(place, &error, "expected a fabric that can be built", diagnostics);
    }
}

/// Notes routing latencies at which no fabric can be built.
fn latencies(checked: &Checked, document: &Document, own: Place, diagnostics: &mut Diagnostics) {
    let latencies = checked.mapping().into_iter().flat_map(|mapping| &mapping.also_at_routing_latency);
    let list = document.mapping.value().and_then(|wire| wire.also_at_routing_latency.value());
    for (nth, latency) in latencies.enumerate() {
        let place = list.and_then(|list| list.get(nth)).map_or(own, |at| at.place);
        let fabric = fabric::Fabric { routing_latency: *latency, ..checked.fabric.clone() };
        let parameters = parameters(&fabric, &checked.hosts, &checked.topology.network);
        let made = Fabric::check(&checked.topology.network, &parameters, &checked.topology.attachments);
        if let Err(error) = made {
            let shown: Duration = *latency;
            refuse(place, &format!("{shown}: {error}"), "expected a shorter routing latency", diagnostics);
        }
    }
}

/// Notes routes that are too many.
fn routes(topology: &Topology, choices: &Choices, place: Place, diagnostics: &mut Diagnostics) {
    let attachments =
        Attachments::by_ports(&topology.network, &topology.attachments).with_every_port(&topology.network);
    routes_on(&topology.network, &attachments, choices, place, diagnostics);
}

fn routes_on(
    network: &Network,
    attachments: &Attachments,
    choices: &Choices,
    place: Place,
    diagnostics: &mut Diagnostics,
) {
    if let Err(error) = Plan::check(network, attachments, choices) {
        refuse(place, &error, "expected fewer hosts, or fewer switches between them", diagnostics);
    }
}

/// Notes machines that no tree connects.
fn tree(network: &Network, place: Place, diagnostics: &mut Diagnostics) {
    let made = Tree::first_root(network).and_then(|root| Tree::new(network, ring::Kind::Bfs, root, 0));
    if let Err(error) = made {
        let message = error.to_string();
        let expected = "expected cables between all machines over switches";
        diagnostics.add(place, |span| Fault::new("not-connected", span, message, expected));
    }
}

/// Notes an Ethernet, or the transport over it, that cannot be built on the scenario's network.
fn frames(checked: &Checked, ethernet: &Ethernet, place: Place, diagnostics: &mut Diagnostics) {
    let (network, ports) = wiring(&checked.topology);
    let parameters = ethernet.parameters(network, None);
    let made = match ethernet.transport {
        Transport::Datagram | Transport::Dcqcn => {
            check_datagram(network, &parameters, ports, ethernet.header)
        }
        Transport::Tcp => check_tcp(network, &parameters, ports, &ethernet.tcp(checked.seed)),
    };
    if let Err(error) = made {
        refuse(place, &error, "expected an Ethernet that can be built", diagnostics);
    }
}

/// Notes an all-gather that its medium cannot carry.
fn gathers(checked: &Checked, allgather: &Allgather, place: Place, diagnostics: &mut Diagnostics) {
    let whole = checked.topology.used(None, |_| true);
    tree(&whole, place, diagnostics);
    match &allgather.medium {
        Medium::Ethernet(ethernet) => frames(checked, ethernet, place, diagnostics),
        Medium::Fabric(source) => {
            if let (RouteSource::Computed(choices), false) = (source, allgather.follows_tree()) {
                routes_on(&whole, &Attachments::lowest(&whole), choices, place, diagnostics);
            }
            fabric(checked, place, diagnostics);
        }
    }
}

/// Notes failures by chance that are too many.
fn failures(checked: &Checked, document: &Document, diagnostics: &mut Diagnostics) {
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
            diagnostics.add(at.place, |span| {
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
