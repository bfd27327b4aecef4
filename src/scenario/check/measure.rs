//! How long each point is measured.

use simnet_base::diagnostics::Fault;
use simnet_base::units::Duration;

use super::{conflict, out_of_range, quantity};
use crate::checked::{Extent, Measure};
use crate::diagnostics::Diagnostics;
use crate::wire::{self, Given, Located};

/// How long each point is measured.
pub(super) fn measure(
    wire: &Located<wire::Measure>,
    traffic: &Given<wire::Traffic>,
    diagnostics: &mut Diagnostics,
) -> Option<Measure> {
    let wire = &wire.value;
    let [duration, horizon] = [&wire.duration, &wire.horizon].map(|given| Some(quantity(given)?.value));
    if let (Some(messages), Some(duration)) = (wire.messages.get(), wire.duration.get()) {
        let place = messages.place.max(duration.place);
        conflict(place, "a number of messages and a duration", "expected one of the two", diagnostics);
    }
    check_horizon(wire, traffic, duration, diagnostics);
    check_trace(wire, traffic, diagnostics);
    let precision = wire.precision.value().map(|precision| precision.0);
    let extent = match (duration, wire.messages.value(), precision) {
        (Some(duration), _, _) => Extent::Duration(duration),
        (None, Some(messages), _) => Extent::Messages(*messages),
        (None, None, None) => Measure::default().extent,
        (None, None, Some(_)) => Measure::MOST,
    };
    Some(Measure {
        warmup: wire.warmup.value()?.0,
        extent,
        until_precise: precision.is_some(),
        precision: precision.unwrap_or(Measure::default().precision),
        horizon,
        find_saturation: wire.find_saturation.value().map(|share| share.0),
        require_convergence: *wire.require_convergence.value()?,
        whole: None,
    })
}

/// Notes a horizon that leaves generated traffic no time to be measured.
fn check_horizon(
    wire: &wire::Measure,
    traffic: &Given<wire::Traffic>,
    duration: Option<Duration>,
    diagnostics: &mut Diagnostics,
) {
    let generated = traffic.value().is_some_and(|traffic| !traffic.kinds.patterns().is_empty());
    let (true, Some(end)) = (generated, quantity(&wire.horizon)) else { return };
    let Some(warmup) = wire.warmup.value() else { return };
    let least = warmup.0.unwrap_or(Duration::ZERO) + duration.unwrap_or(Duration::ZERO);
    let is_enough = end.value > least || end.value == least && duration.is_some();
    if !is_enough {
        out_of_range(
            end.place,
            format!("the horizon {} ends before the measurement does", end.value),
            if duration.is_some() {
                format!("expected at least warmup + duration, {least}")
            } else {
                format!("expected above the warm-up, {least}")
            },
            diagnostics,
        );
    }
}

/// Warns of what a trace, which is replayed from end to end, makes nothing of.
fn check_trace(wire: &wire::Measure, traffic: &Given<wire::Traffic>, diagnostics: &mut Diagnostics) {
    if !traffic.value().is_some_and(|traffic| traffic.kinds.patterns().is_empty()) {
        return;
    }
    let warmup = wire.warmup.get().filter(|given| given.value.0.is_some()).map(|given| given.place);
    let (messages, duration) =
        (wire.messages.get().map(|it| it.place), wire.duration.get().map(|it| it.place));
    let search = wire.find_saturation.get().map(|given| given.place);
    for place in [warmup, messages, duration, search].into_iter().flatten() {
        diagnostics.warn(place, |span| {
            Fault::new("no-effect", span, "a trace is replayed from end to end", "has no effect here")
        });
    }
}
