//! Sections that need others.

use simnet_base::diagnostics::Fault;
use simnet_network::routing::{Algorithm, Engine};

use crate::diagnostics::Diagnostics;
use crate::wire::Document;

/// Keys that say of which layers a scenario is made, where it is made of one.
fn check_layers(document: &Document, diagnostics: &mut Diagnostics) {
    let keys = [
        document.include.get().map(|at| ("include", at.place)),
        document.profile.get().map(|at| ("profile", at.place)),
        document.profiles.get().map(|at| ("profiles", at.place)),
    ];
    for (key, place) in keys.into_iter().flatten() {
        diagnostics.add(place, |span| {
            let message = format!("`{key}` means nothing here");
            Fault::new("unknown-key", span, message, "expected the sections of a scenario")
        });
    }
}

/// Sections that need another one, and a scenario that does nothing.
pub(super) fn check_sections(document: &Document, diagnostics: &mut Diagnostics) {
    crate::pauses::check_discovery(document, diagnostics);
    check_layers(document, diagnostics);
    if let (Some(traffic), true) = (document.traffic.get(), document.routing.is_absent()) {
        diagnostics.add(traffic.place, |span| {
            let expected = "needs a [routing] section with a file or an algorithm";
            Fault::new("missing-section", span, "traffic without routes", expected)
        });
    }
    if let Some(distribute) = document.routing.value().and_then(|routing| routing.distribute.get())
        && distribute.value
        && document.mapping.is_absent()
    {
        diagnostics.add(distribute.place, |span| {
            let expected = "needs a [mapping] section: the mapper hands routes out";
            Fault::new("missing-section", span, "routes are distributed without a mapper", expected)
        });
    }
    if let Some(algorithm) = document.routing.value().and_then(|routing| routing.algorithm.get())
        && algorithm.value == Engine::Rule(Algorithm::DimensionOrder)
        && !document.mapping.is_absent()
    {
        diagnostics.add(algorithm.place, |span| {
            let expected =
                "expected another algorithm, or no [mapping]: a map has turns, not numbers of ports";
            Fault::new("conflict", span, "dimension-order routes on a map", expected)
        });
    }
    if let (Some(ethernet), true, true) =
        (document.ethernet.get(), document.allgather.is_absent(), document.discovery.is_absent())
    {
        diagnostics.add(ethernet.place, |span| {
            let expected = "needs [allgather] or [discovery]: nothing else uses an Ethernet";
            Fault::new("missing-section", span, "an Ethernet that carries nothing", expected)
        });
    }
    if document.mapping.is_absent()
        && document.routing.is_absent()
        && document.traffic.is_absent()
        && document.allgather.is_absent()
        && document.rings.is_absent()
        && document.discovery.is_absent()
        && let Some(scenario) = document.scenario.get()
    {
        diagnostics.add(scenario.place, |span| {
            let expected =
                "needs [mapping], [routing], [routing] and [traffic], [allgather], [rings] or [discovery]";
            Fault::new("missing-section", span, "this scenario does nothing", expected)
        });
    }
}
