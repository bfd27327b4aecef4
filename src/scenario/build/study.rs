//! A study: every network built, every variant resolved on each of them.

use std::path::Path;

use crate::diagnostics::{Fault, quoted};

use super::super::book::Book;
use super::super::checked::{Hosts, Topology, TopologySource};
use super::super::study::{Cell, Plot, Reference, StudiedNetwork, Study};
use super::super::wire::{self, At, Document, Given};
use super::traffic::{self, Context};
use super::{comparison, conflict, mapping, routing, topology};

/// The most networks that one generator makes.
const MOST_INSTANCES: u32 = 1000;
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
    let names = names(value, book);
    let topologies = topologies(value, document, context, book)?;
    let networks = topologies.into_iter().map(|(name, topology)| {
        let variants = value.variants.value()?.iter().map(|variant| {
            let keys = At { value: variant.value.mapping.clone(), place: variant.place };
            mapping::mapping(&keys, Some(&topology), hosts, document, book)
        });
        // A fault of one does not hide those of the others.
        let variants: Vec<_> = variants.collect();
        let variants = variants.into_iter().collect::<Option<Vec<_>>>()?;
        let routing = document.routing.get();
        let routing = match routing {
            Some(wire) => Some(routing::routing(wire, Some(&topology), context.seed, context.folder, book)?),
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
        book.add(wire.place, |span| {
            let expected = format!("expected at most {MOST_CELLS} combinations");
            Fault::new("out-of-range", span, "too many combinations", expected)
        });
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

/// The names of the variants, each once; `None` after a fault.
fn names(wire: &wire::Study, book: &mut Book) -> Option<Vec<String>> {
    let variants = wire.variants.get()?;
    if variants.value.is_empty() {
        book.add(variants.place, |span| {
            Fault::new("empty-list", span, "nothing is studied", "expected at least one variant")
        });
        return None;
    }
    let mut names: Vec<String> = Vec::new();
    let mut sound = true;
    for variant in &variants.value {
        let Some(name) = variant.value.name.get() else {
            sound = false;
            continue;
        };
        if names.contains(&name.value) {
            let message = format!("two variants are called `{}`", quoted(&name.value));
            conflict(name.place, message, "expected each name once", book);
            sound = false;
        }
        if name.value.contains('.') {
            book.add(name.place, |span| {
                let message = "a name with a dot, which no path of [expect] could name";
                Fault::new("bad-name", span, message, "expected a name without dots")
            });
            sound = false;
        }
        names.push(name.value.clone());
    }
    sound.then_some(names)
}

/// Every network with its name: the scenario's own first, each generator's instances together.
fn topologies(
    wire: &wire::Study,
    document: &Document,
    context: &Context<'_>,
    book: &mut Book,
) -> Option<Vec<(String, Topology)>> {
    let instances = wire.instances.get()?;
    if !(1..=MOST_INSTANCES).contains(&instances.value) {
        book.add(instances.place, |span| {
            Fault::new("out-of-range", span, "out of range", format!("expected 1 to {MOST_INSTANCES}"))
        });
        return None;
    }
    let own = document.topology.value()?;
    let others: Vec<&wire::Topology> = wire.networks.value()?.iter().map(|at| &at.value).collect();
    let mut built: Vec<Topology> = Vec::new();
    for (nth, asked) in std::iter::once(own).chain(others).enumerate() {
        let first =
            if nth == 0 { context.topology.cloned() } else { topology::build(asked, context.folder, book) };
        built.push(first?);
        built.extend(further(asked, instances.value, context.folder, book)?);
    }
    let mut named: Vec<(String, Topology)> = Vec::new();
    for topology in built {
        let name = unused(&own_name(&topology), &named);
        named.push((name, topology));
    }
    Some(named)
}

/// The later instances of a generated network.
fn further(asked: &wire::Topology, instances: u32, folder: &Path, book: &mut Book) -> Option<Vec<Topology>> {
    let generator = asked.generators.first().and_then(|at| at.value.as_ref());
    if generator.is_none_or(|generator| !generator.family.random) {
        return Some(Vec::new());
    }
    let later = (1..u64::from(instances)).map(|offset| {
        let mut varied = asked.clone();
        for generator in varied.generators.iter_mut().filter_map(|at| at.value.as_mut()) {
            generator.seed = generator.seed.saturating_add(offset);
        }
        topology::build(&varied, folder, book)
    });
    later.collect()
}

/// What a network is called: the preset, or its own name; of generated ones the family, its first parameter, and
/// the seed where chance had a part.
fn own_name(topology: &Topology) -> String {
    let plain = topology.network.name.replace('.', "-");
    match &topology.source {
        TopologySource::Generated { family, parameters } => {
            let first = parameters.first().map(|(_, size)| size);
            let seed = parameters.iter().find(|(name, _)| name == "seed").map(|(_, seed)| seed);
            let parts = first.into_iter().chain(seed).map(ToString::to_string);
            std::iter::once(family.clone()).chain(parts).collect::<Vec<_>>().join("-")
        }
        _ => plain,
    }
}

/// `name`, with a number behind it if another network has it.
fn unused(name: &str, named: &[(String, Topology)]) -> String {
    let is_free = |name: &str| named.iter().all(|(other, _)| other != name);
    let numbered = (2..).map(|nth| format!("{name}-{nth}"));
    let mut all = std::iter::once(name.to_owned()).chain(numbered);
    all.find(|name| is_free(name)).expect("there are more numbers than networks")
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
    position(name, study.names.iter().map(String::as_str), "variant", book)
}

/// The position of a network.
fn network(name: &At<String>, study: &Study, book: &mut Book) -> Option<usize> {
    position(name, study.networks.iter().map(|network| network.name.as_str()), "network", book)
}

fn position<'a>(
    name: &At<String>,
    all: impl Iterator<Item = &'a str> + Clone,
    what: &str,
    book: &mut Book,
) -> Option<usize> {
    let found = all.clone().position(|other| other == name.value);
    if found.is_none() {
        book.add(name.place, |span| {
            let message = format!("no {what} of the study is called `{}`", quoted(&name.value));
            Fault::new(format_code(what), span, message, format!("expected the name of a {what}"))
                .with_nearest(&name.value, all)
        });
    }
    found
}

fn format_code(what: &str) -> &'static str {
    if what == "network" { "unknown-network" } else { "unknown-variant" }
}

/// A figure.
fn plot(wire: &At<wire::Plot>, study: &Study, book: &mut Book) -> Option<Plot> {
    let value = &wire.value;
    let name = value.name.get()?;
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.value.chars().all(fits) || name.value.len() > 100 {
        book.add(name.place, |span| {
            let message = format!("`{}` cannot name a figure", quoted(&name.value));
            Fault::new("bad-name", span, message, "expected letters, digits, `-` and `_`, at most 100")
        });
        return None;
    }
    let variants: Vec<_> = value.variants.value()?.iter().map(|name| variant(name, study, book)).collect();
    Some(Plot {
        name: name.value.clone(),
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
    let row = [&value.paper, &value.figure, &value.quantity, &value.configuration];
    let row: Vec<&At<String>> = row.into_iter().map(Given::get).collect::<Option<_>>()?;
    let printed = comparison::printed(&row, book)?;
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
    let names = [0, 1, 2, 3].map(|column| row[column].value.clone());
    Some(Reference { names, printed, measure, cell, over, minus, of: *value.of.value()? })
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
