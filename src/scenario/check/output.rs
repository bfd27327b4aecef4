//! What is written beside the summary.

use crate::diagnostics::Fault;
use crate::trace::Bounds;
use crate::units::{Duration, Time};

use super::super::book::Book;
use super::super::checked::{Output, Traffic};
use super::super::wire::{At, Document, Events};
use super::{out_of_range, quantity};

/// What is written beside the summary.
pub(super) fn output(document: &Document, traffic: Option<&Traffic>, book: &mut Book) -> Option<Output> {
    let wire = document.output.value()?;
    let deliveries = wire.deliveries.get().copied();
    check_deliveries(deliveries, traffic, book);
    let events = match wire.events.get() {
        None if wire.events.is_absent() => None,
        given => {
            let bounds = events(&given?.value, book);
            check_effect(given?, document, book);
            Some(bounds?)
        }
    };
    Some(Output { deliveries: deliveries?.value, events })
}

/// Warns of a file that only a trace leaves.
fn check_deliveries(deliveries: Option<At<bool>>, traffic: Option<&Traffic>, book: &mut Book) {
    if let (Some(At { value: true, place }), Some(Traffic::Generated(_)) | None) = (deliveries, traffic) {
        book.warn(place, |span| {
            Fault::new("no-effect", span, "only a trace has deliveries.csv", "has no effect here")
        });
    }
}

/// How much is recorded.
fn events(wire: &Events, book: &mut Book) -> Option<Bounds> {
    let (from, until) = (quantity(&wire.from), quantity(&wire.until));
    let begin = from.map_or(Duration::ZERO, |from| from.value);
    if let Some(until) = until.filter(|until| until.value <= begin) {
        let message = "nothing happens between `from` and `until`";
        out_of_range(until.place, message, format!("expected a time after {begin}"), book);
    }
    let instant = |span: At<Duration>| Time::ZERO + span.value;
    Some(Bounds {
        from: from.map(instant),
        until: until.map(instant),
        most: *wire.most.value()?,
        around_deadlock: wire.around.value().is_some(),
    })
}

/// Warns where nothing is recorded.
fn check_effect(events: &At<Events>, document: &Document, book: &mut Book) {
    let Some(why) = unrecorded(document) else { return };
    book.warn(events.place, |span| Fault::new("no-effect", span, why, "has no effect here"));
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
