//! Hosts that send messages on: what their time goes together with.

use simnet_base::diagnostics::Fault;
use simnet_network::routing::{Algorithm, Choices};

use super::conflict;
use crate::checked::{RouteSource, Routing};
use crate::diagnostics::Diagnostics;
use crate::fabric::Hosts;
use crate::wire::Document;

/// Notes routes with hosts in transit whose time is not given, and whatever cannot be where hosts send on.
pub(super) fn check(
    document: &Document,
    hosts: &Hosts,
    routing: Option<&Routing>,
    diagnostics: &mut Diagnostics,
) {
    let place = document.hosts.value().and_then(|wire| wire.in_transit_latency.get()).map(|at| at.place);
    let Some(place) = place.filter(|_| hosts.in_transit.is_some()) else {
        let is_asked = |routing: &&Routing| {
            matches!(
                routing.source,
                RouteSource::Computed(Choices { algorithm: Algorithm::InTransit { .. }, .. })
            )
        };
        let algorithm = document.routing.value().and_then(|wire| wire.algorithm.get());
        if let (Some(_), Some(algorithm)) = (routing.filter(is_asked), algorithm) {
            diagnostics.add(algorithm.place, |span| {
                let message = "hosts that send messages on need a time for it";
                let expected = "`in-transit-latency` in [hosts], as in \"1.3 us\"";
                Fault::new("missing-key", span, message, expected)
            });
        }
        return;
    };
    let others = [
        (hosts.receive.is_some(), "hosts with a receive buffer send nothing on", "no `receive-buffer`"),
        (!document.mapping.is_absent(), "a mapper takes hosts that send on for switches", "no [mapping]"),
        (
            !(document.failures.is_absent() && document.failures_at_random.is_absent()),
            "what is in transit at hosts is not followed where cables fail",
            "no [[failures]]",
        ),
    ];
    for (_, message, expected) in others.into_iter().filter(|(is_so, ..)| *is_so) {
        conflict(place, message, format!("expected {expected} with `in-transit-latency`"), diagnostics);
    }
}
