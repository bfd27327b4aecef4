//! Failures, and sections that need others.

use crate::diagnostics::Fault;
use crate::units::Time;

use super::super::book::Book;
use super::super::checked::{LinkFailure, Topology};
use super::super::wire::{self, At, Document};
use super::{above_zero, conflict, names, quantity};

/// Sections that need another one, and a scenario that does nothing.
pub(super) fn check_sections(document: &Document, book: &mut Book) {
    if let (Some(traffic), true) =
        (document.traffic.get(), document.routing.is_absent() && document.comparison.is_absent())
    {
        book.add(traffic.place, |span| {
            let expected = "needs a [routing] section with a file or an algorithm";
            Fault::new("missing-section", span, "traffic without routes", expected)
        });
    }
    if let Some(distribute) = document.routing.value().and_then(|routing| routing.distribute.get())
        && distribute.value
        && document.mapping.is_absent()
    {
        book.add(distribute.place, |span| {
            let expected = "needs a [mapping] section: the mapper hands routes out";
            Fault::new("missing-section", span, "routes are distributed without a mapper", expected)
        });
    }
    if document.mapping.is_absent()
        && document.routing.is_absent()
        && document.traffic.is_absent()
        && document.comparison.is_absent()
        && document.study.is_absent()
        && let Some(scenario) = document.scenario.get()
    {
        book.add(scenario.place, |span| {
            let expected = "needs [mapping], [routing] or [routing] and [traffic]";
            Fault::new("missing-section", span, "this scenario does nothing", expected)
        });
    }
}

/// The failures of cables; those of one cable may not overlap.
pub(super) fn failures(
    list: &[At<wire::Failure>],
    topology: Option<&Topology>,
    book: &mut Book,
) -> Vec<LinkFailure> {
    let mut failures: Vec<(LinkFailure, super::Place)> = Vec::new();
    for At { value: wire, place } in list {
        let link = wire.link.get().zip(topology).and_then(|(link, t)| names::link(link, &t.network, book));
        let lasting = above_zero(&wire.lasting, book);
        let (Some(link), Some(at)) = (link, quantity(&wire.at)) else { continue };
        let at = Time::ZERO + at.value;
        let end = lasting.map(|lasting| at + lasting);
        let overlaps = failures.iter().any(|(other, _)| {
            let other_end = other.lasting.map(|lasting| other.at + lasting);
            other.link == link
                && other_end.is_none_or(|other_end| at <= other_end)
                && end.is_none_or(|end| other.at <= end)
        });
        if overlaps {
            conflict(
                *place,
                "this cable is already down then",
                "failures of one cable must not overlap",
                book,
            );
        }
        failures.push((LinkFailure { link, at, lasting }, *place));
    }
    failures.into_iter().map(|(failure, _)| failure).collect()
}
