//! Hosts that send messages on: how long that takes them, and what it goes together with.

use simnet_base::diagnostics::Fault;
use simnet_base::units::Duration;
use simnet_network::routing::{Algorithm, Attachments, Choices, RouteTable, sends_on};

use super::conflict;
use crate::checked::{RouteSource, Routing, Topology};
use crate::diagnostics::Diagnostics;
use crate::fabric::{Hosts, IN_TRANSIT};
use crate::wire::{Document, FlowKind};

/// How long a host needs for a message in transit; `None` where hosts send nothing on. Notes whatever cannot be where
/// they do.
pub(super) fn time(
    document: &Document,
    (hosts, topology): (&Hosts, Option<&Topology>),
    routing: Option<&Routing>,
    diagnostics: &mut Diagnostics,
) -> Option<Duration> {
    let is_asked = routing.is_some_and(|routing| {
        let source = &routing.source;
        matches!(source, RouteSource::Computed(Choices { algorithm: Algorithm::InTransit { .. }, .. }))
    });
    let algorithm = document.routing.value().and_then(|wire| wire.algorithm.get()).map(|at| at.place);
    let key = document.hosts.value().and_then(|wire| wire.in_transit_latency.get()).map(|at| at.place);
    if let (None, Some(Routing { source: RouteSource::File { table, .. }, .. })) = (key, routing) {
        warn_of_file(document, topology, table, diagnostics);
    }
    let (Some(place), true) = (key.or(algorithm), is_asked || hosts.in_transit.is_some()) else {
        return None;
    };
    let fails = document.failures.value().is_some_and(|list| !list.is_empty())
        || document.failures_at_random.value().is_some_and(|list| !list.is_empty());
    let has_credits = document.fabric.value().and_then(|wire| wire.flow.value()) == Some(&FlowKind::Credits);
    let others = [
        (has_credits, "hosts that send on are simulated with STOP and GO alone", "flow = \"stop-go\""),
        (hosts.receive.is_some(), "hosts with a receive buffer send nothing on", "no `receive-buffer`"),
        (!document.mapping.is_absent(), "a mapper takes hosts that send on for switches", "no [mapping]"),
        (fails, "what is in transit at hosts is not followed where cables fail", "no [[failures]]"),
    ];
    for (_, message, expected) in others.into_iter().filter(|(is_so, ..)| *is_so) {
        conflict(place, message, format!("expected {expected} where hosts send on"), diagnostics);
    }
    hosts.in_transit.or(Some(IN_TRANSIT))
}

/// Warns of routes that hosts would have to send on, where these send nothing on.
fn warn_of_file(
    document: &Document,
    topology: Option<&Topology>,
    table: &RouteTable,
    diagnostics: &mut Diagnostics,
) {
    let file = document.routing.value().and_then(|wire| wire.file.get()).map(|at| at.place);
    let (Some(file), Some(topology)) = (file, topology) else { return };
    let attachments = Attachments::by_ports(&topology.network, &topology.attachments);
    if sends_on(&topology.network, &attachments, table) {
        diagnostics.warn(file, |span| {
            let message = "routes of this file have hosts in transit, and here hosts send nothing on";
            Fault::new("not-sent-on", span, message, "with `in-transit-latency` in [hosts] they do")
        });
    }
}
