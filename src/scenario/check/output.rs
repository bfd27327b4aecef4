//! What is written in addition to the summary.

use simnet_base::diagnostics::Fault;
use simnet_base::units::{Duration, Time};
use simnet_media::trace::Bounds;

use super::{out_of_range, quantity};
use crate::checked::{Explain, Output, Traffic};
use crate::diagnostics::Diagnostics;
use crate::wire::{self, Document, Events, Located};

/// Messages of generated traffic that are written one by one where no number is given.
const MOST_DELIVERIES: u64 = 100_000;

/// What is written in addition to the summary.
pub(super) fn output(
    document: &Document,
    traffic: Option<&Traffic>,
    diagnostics: &mut Diagnostics,
) -> Option<Output> {
    let wire = document.output.value()?;
    check_points(wire, traffic, document, diagnostics);
    let events = match wire.events.get() {
        None if wire.events.is_absent() => None,
        given => {
            let bounds = events(&given?.value, diagnostics);
            check_effect(given?, document, diagnostics);
            Some(bounds?)
        }
    };
    let most = wire.deliveries_most.value().copied().unwrap_or(MOST_DELIVERIES);
    Some(Output {
        deliveries: wire.deliveries.value()?.then_some(most),
        series: quantity(&wire.series).map(|interval| interval.value),
        warmup: wire.warmup.value().copied().unwrap_or(false),
        events,
        explain: Explain::default(),
    })
}

/// Warns of keys that ask for files of load points where there are none, or not these.
fn check_points(
    wire: &wire::Output,
    traffic: Option<&Traffic>,
    document: &Document,
    diagnostics: &mut Diagnostics,
) {
    let asked = [
        wire.deliveries.get().filter(|given| given.value).map(|given| given.place),
        wire.deliveries_most.get().map(|given| given.place),
        wire.series.get().map(|given| given.place),
        wire.warmup.get().filter(|given| given.value).map(|given| given.place),
    ];
    let why = if document.sweep.get().is_some() {
        Some("the points of a sweep leave one row each")
    } else if traffic.is_none() || document.operation.get().is_some() {
        Some("only load points leave this file, and there are none")
    } else {
        None
    };
    for place in asked.into_iter().flatten() {
        let Some(why) = why else { break };
        diagnostics.warn(place, |span| Fault::new("no-effect", span, why, "has no effect here"));
    }
    if let (Some(most), Some(Traffic::Trace(_)), None) = (wire.deliveries_most.get(), traffic, why) {
        let why = "every message of a trace has its row";
        diagnostics.warn(most.place, |span| Fault::new("no-effect", span, why, "has no effect here"));
    }
}

/// How much is recorded.
fn events(wire: &Events, diagnostics: &mut Diagnostics) -> Option<Bounds> {
    let (from, until) = (quantity(&wire.from), quantity(&wire.until));
    let begin = from.map_or(Duration::ZERO, |from| from.value);
    if let Some(until) = until.filter(|until| until.value <= begin) {
        let message = "nothing happens between `from` and `until`";
        out_of_range(until.place, message, format!("expected a time after {begin}"), diagnostics);
    }
    let instant = |span: Located<Duration>| Time::ZERO + span.value;
    Some(Bounds {
        from: from.map(instant),
        until: until.map(instant),
        most: *wire.most.value()?,
        around_deadlock: wire.around.value().is_some(),
    })
}

/// Warns where nothing is recorded.
fn check_effect(events: &Located<Events>, document: &Document, diagnostics: &mut Diagnostics) {
    let Some(why) = unrecorded(document) else { return };
    diagnostics.warn(events.place, |span| Fault::new("no-effect", span, why, "has no effect here"));
}

/// Why nothing of a scenario is recorded, if that is so.
fn unrecorded(document: &Document) -> Option<&'static str> {
    if document.sweep.get().is_some() {
        Some("a sweep records no events: its points leave one row each")
    } else if document.rings.get().is_some() {
        Some("rings record no events: nothing is sent")
    } else if document.discovery.get().is_some() {
        Some("a discovery records no events")
    } else if document.mapping.is_absent() && document.traffic.is_absent() && document.allgather.is_absent() {
        Some("there are no events: nothing is sent")
    } else {
        None
    }
}
