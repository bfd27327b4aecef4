//! A study: every network built, every variant resolved on each of them.

use crate::diagnostics::Fault;

use super::super::book::Book;
use super::super::fabric::Hosts;
use super::super::study::{Cell, Plot, Reference, StudiedNetwork, Study};
use super::super::wire::{self, At, Document, Given};
use super::shared::{self, About};
use super::traffic::{self, Context};
use super::{conflict, mapping, out_of_range, routing};

/// The mappers of a study, in messages.
const VARIANTS: About =
    About { done: "studied", one: "variant", several: "variants", code: "unknown-variant" };
/// The most cells of a study.
const MOST_CELLS: usize = 100_000;

/// The study of a scenario whose own network is that of `context`.
pub(super) fn study(
    wire: &At<wire::Study>,
    document: &Document,
    hosts: Option<&Hosts>,
    context: &Context<'_>,
    book: &mut Book,
) -> Option<Study> {
    check_company(document, book);
    let value = &wire.value;
    let names = shared::names(&value.variants, VARIANTS, book);
    let instances = shared::instances(&value.instances, book)?;
    let own = (document.topology.value()?, context.topology);
    let topologies = shared::networks(own, value.networks.value()?, instances, book)?;
    let networks = topologies.into_iter().map(|(name, _, topology)| {
        let variants = value.variants.value()?.iter().map(|variant| {
            let keys = At { value: variant.value.keys.clone(), place: variant.place };
            mapping::mapping(&keys, Some(&topology), hosts, document, book)
        });
        // A fault of one does not hide those of the others.
        let variants: Vec<_> = variants.collect();
        let variants = variants.into_iter().collect::<Option<Vec<_>>>()?;
        let routing = document.routing.get();
        let routing = match routing {
            Some(wire) => Some(routing::routing(wire, Some(&topology), context.seed, book)?),
            None => None,
        };
        let traffic = match document.traffic.get() {
            Some(wire) => {
                let context = Context { topology: Some(&topology), ..*context };
                Some(traffic::build(wire, routing.as_ref(), &context, book)?)
            }
            None => None,
        };
        for count in value.answering.value()? {
            mapping::among_hosts(count, &topology, book)?;
        }
        Some(StudiedNetwork { name, topology, variants, routing, traffic })
    });
    let networks = networks.collect::<Option<Vec<_>>>()?;
    let mut study = Study {
        names: names?,
        networks,
        answering: value.answering.value()?.iter().map(|at| at.value).collect(),
        retries: value.retries.value()?.iter().map(|at| at.value).collect(),
        loads: loads(value, document, book)?,
        figures: Vec::new(),
        references: Vec::new(),
        draw_maps: *value.draw_maps.value()?,
    };
    if study.cells().len() > MOST_CELLS {
        out_of_range(
            wire.place,
            "too many combinations",
            format!("expected at most {MOST_CELLS} combinations"),
            book,
        );
        return None;
    }
    let figures = value.figures.value()?.iter().filter_map(|wire| plot(wire, &study, book)).collect();
    let references = value.references.value()?.iter().filter_map(|wire| reference(wire, &study, book));
    study.references = references.collect();
    study.figures = figures;
    Some(study)
}

/// Notes sections that a study cannot have beside it.
fn check_company(document: &Document, book: &mut Book) {
    let trace = document.traffic.value().and_then(|traffic| traffic.kinds.trace.get().map(|at| at.place));
    let company = [
        (document.comparison.get().map(|at| at.place), "[comparison]", "expected one of the two"),
        (trace, "[traffic.trace]", "expected generated traffic, or none"),
    ];
    for (place, section, expected) in company {
        if let Some(place) = place {
            conflict(place, format!("{section} beside a study"), expected, book);
        }
    }
}

/// The loads of the axis, which need traffic.
fn loads(wire: &wire::Study, document: &Document, book: &mut Book) -> Option<Vec<f64>> {
    let loads = wire.loads.value()?;
    for load in loads {
        mapping::check_load(load, document, book);
    }
    Some(loads.iter().map(|at| at.value).collect())
}

/// The position of a variant.
fn variant(name: &At<String>, study: &Study, book: &mut Book) -> Option<usize> {
    shared::position(name, study.names.iter().map(String::as_str), VARIANTS, book)
}

/// The position of a network.
fn network(name: &At<String>, study: &Study, book: &mut Book) -> Option<usize> {
    shared::position(name, study.networks.iter().map(|network| network.name.as_str()), shared::NETWORKS, book)
}

/// A figure.
fn plot(wire: &At<wire::Plot>, study: &Study, book: &mut Book) -> Option<Plot> {
    let value = &wire.value;
    let name = shared::figure_name(value.name.get()?, book)?;
    let variants: Vec<_> = value.variants.value()?.iter().map(|name| variant(name, study, book)).collect();
    Some(Plot {
        name,
        title: value.title.value().cloned(),
        x: *value.x.value()?,
        y: *value.y.value()?,
        spread: *value.spread.value()?,
        variants: variants.into_iter().collect::<Option<_>>()?,
    })
}

/// A printed number, found, and what stands beside it.
fn reference(wire: &At<wire::StudyReference>, study: &Study, book: &mut Book) -> Option<Reference> {
    let value = &wire.value;
    let number = shared::printed(&value.printed, book)?;
    let own = match value.variant.get() {
        Some(name) => variant(name, study, book)?,
        None => 0,
    };
    let place = match value.network.get() {
        Some(name) => network(name, study, book)?,
        None => 0,
    };
    let minus = match value.minus.get() {
        Some(name) => Some(network(name, study, book)?),
        None => None,
    };
    let measure = *value.ours.value()?;
    let cell = Cell {
        network: place,
        variant: own,
        answering: answering(&value.answering, study, book)?,
        retries: study.retries.len().checked_sub(1).map(|_| 0),
        load: study.loads.len().checked_sub(1).map(|_| 0),
    };
    let over = match (value.over.get(), value.over_answering.get()) {
        (None, None) => None,
        (name, _) => {
            let variant = match name {
                Some(name) => variant(name, study, book)?,
                None => own,
            };
            let answering = answering(&value.over_answering, study, book)?;
            let quantity = value.over_quantity.value().copied().unwrap_or(measure);
            Some((Cell { variant, answering, ..cell }, quantity))
        }
    };
    Some(Reference { number, measure, cell, over, minus, of: *value.of.value()? })
}

/// The position of a number of answering hosts; the last if none is given. `None` after a fault.
#[expect(clippy::option_option, reason = "the outer one says whether there was a fault")]
fn answering(given: &Given<u32>, study: &Study, book: &mut Book) -> Option<Option<usize>> {
    let Some(count) = given.get() else { return Some(study.answering.len().checked_sub(1)) };
    let found = study.answering.iter().position(|other| *other == count.value);
    if found.is_none() {
        book.add(count.place, |span| {
            let message = format!("the study has no cell in which {} hosts answer", count.value);
            Fault::new("unknown-cell", span, message, "expected a number of the list `answering`")
        });
    }
    found.map(Some)
}
