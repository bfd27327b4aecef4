//! A comparison: every network built, every routing and traffic resolved on each of them.

use crate::diagnostics::Fault;

use super::super::book::{Book, Place};
use super::super::checked::{Topology, TopologySource};
use super::super::comparison::{ComparedNetwork, Comparison, Reference};
use super::super::wire::{self, At, Document, Given};
use super::shared::{self, About};
use super::traffic::{self, Context};
use super::{conflict, out_of_range, routing, topology};

/// The routings of a comparison, in messages.
const ROUTINGS: About =
    About { done: "compared", one: "routing", several: "routings", code: "unknown-routing" };
/// The most switches of all networks together.
pub(super) const MOST_SWITCHES: u64 = 1 << 20;

/// The comparison of a scenario whose own network is that of `context`.
pub(super) fn comparison(
    wire: &At<wire::Comparison>,
    document: &Document,
    context: &Context<'_>,
    book: &mut Book,
) -> Option<Comparison> {
    let Context { topology: first, seed, .. } = *context;
    check_company(document, book);
    let names = shared::names(&wire.value.routings, ROUTINGS, book);
    let base = match (wire.value.base.get(), &names) {
        (Some(base), Some(names)) => position(base, names, book),
        _ => Some(0),
    };
    let topologies = topologies(&wire.value, document, first, book)?;
    let networks = topologies.into_iter().map(|topology| {
        let routings = wire.value.routings.value()?.iter().map(|routing| {
            let keys = At { value: routing.value.keys.clone(), place: routing.place };
            routing::routing(&keys, Some(&topology), seed, book)
        });
        // A fault of one does not hide those of the others.
        let routings: Vec<_> = routings.collect();
        let routings = routings.into_iter().collect::<Option<Vec<_>>>()?;
        let traffic = document.traffic.get();
        let traffic = match traffic {
            Some(wire) => {
                let context = Context { topology: Some(&topology), ..*context };
                Some(traffic::build(wire, routings.first(), &context, book)?)
            }
            None => None,
        };
        Some(ComparedNetwork { seed: generator_seed(&topology.source), topology, routings, traffic })
    });
    let networks = networks.collect::<Option<Vec<_>>>()?;
    let mut comparison = Comparison { names: names?, base: base?, networks, references: Vec::new() };
    let sizes = comparison.sizes();
    let references = wire.value.references.value()?.iter();
    comparison.references =
        references.filter_map(|wire| reference(wire, &comparison.names, &sizes, book)).collect();
    Some(comparison)
}

/// Notes sections that a comparison cannot have beside it.
fn check_company(document: &Document, book: &mut Book) {
    let trace = document.traffic.value().and_then(|traffic| traffic.kinds.trace.get().map(|at| at.place));
    let failures = document.failures.get().filter(|list| !list.value.is_empty()).map(|list| list.place);
    let company = [
        (document.routing.get().map(|at| at.place), "[routing]", "its routings stand in the comparison"),
        (document.mapping.get().map(|at| at.place), "[mapping]", "expected no mapper"),
        (failures, "[[failures]]", "expected no failing cable"),
        (trace, "[traffic.trace]", "expected generated traffic, or none"),
    ];
    for (place, section, expected) in company {
        if let Some(place) = place {
            conflict(place, format!("{section} beside a comparison"), expected, book);
        }
    }
}

/// The position of a routing.
fn position(name: &At<String>, names: &[String], book: &mut Book) -> Option<usize> {
    shared::position(name, names.iter().map(String::as_str), ROUTINGS, book)
}

/// Every network: sizes in order, seeds rising.
fn topologies(
    wire: &wire::Comparison,
    document: &Document,
    first: Option<&Topology>,
    book: &mut Book,
) -> Option<Vec<Topology>> {
    let (networks, topology) = (wire.networks.get()?, document.topology.value()?);
    shared::instances(&wire.networks, book)?;
    let generator = topology.generators.first().and_then(|at| at.value.as_ref());
    if networks.value > 1 && generator.is_none_or(|generator| !generator.family.random) {
        let expected = "expected a generator with a seed, such as [topology.random-regular]";
        conflict(networks.place, "several networks out of one that chance has no part in", expected, book);
        return None;
    }
    let sizes = sizes(wire, generator, book)?;
    let first = first?;
    let seeds = u64::from(networks.value);
    let own = first.network.switches().len() as u64;
    let switches = sizes.iter().map(|size| size.map_or(own, |at| at.value));
    if switches.fold(0, u64::saturating_add).saturating_mul(seeds) > MOST_SWITCHES {
        out_of_range(
            networks.place,
            "too many switches in all networks",
            format!("expected at most {MOST_SWITCHES} switches in all networks"),
            book,
        );
        return None;
    }
    let mut all: Vec<Topology> = Vec::new();
    for size in sizes {
        for offset in 0..seeds {
            if size.is_none() && offset == 0 {
                all.push(first.clone());
                continue;
            }
            all.push(topology::build(&varied(topology, size, offset), book)?);
        }
    }
    Some(all)
}

/// The numbers of switches, each once; `None` in it stands for the network's own.
fn sizes(
    wire: &wire::Comparison,
    generator: Option<&wire::Generator>,
    book: &mut Book,
) -> Option<Vec<Option<At<u64>>>> {
    let switches = match &wire.switches {
        given if given.is_absent() => return Some(vec![None]),
        given => given.get()?,
    };
    if switches.value.is_empty() {
        book.add(switches.place, |span| {
            Fault::new("empty-list", span, "no size is given", "expected at least one number of switches")
        });
        return None;
    }
    let counts =
        |generator: &wire::Generator| generator.family.parameters.iter().any(|p| p.name == "switches");
    if !generator.is_some_and(counts) {
        let expected = "expected a generator with a number of switches";
        conflict(switches.place, "the number of switches of a network that has it fixed", expected, book);
        return None;
    }
    for (nth, size) in switches.value.iter().enumerate() {
        if switches.value[..nth].iter().any(|other| other.value == size.value) {
            conflict(size.place, format!("{} switches twice", size.value), "expected each size once", book);
            return None;
        }
    }
    Some(switches.value.iter().map(|size| Some(*size)).collect())
}

/// The same network with another number of switches and a later seed.
fn varied(topology: &wire::Topology, switches: Option<At<u64>>, offset: u64) -> wire::Topology {
    let mut varied = topology.clone();
    for generator in varied.generators.iter_mut().filter_map(|at| at.value.as_mut()) {
        generator.seed += offset;
        let count = generator.parameters.iter_mut().find(|(name, _)| *name == "switches");
        if let (Some(switches), Some((_, count))) = (switches, count) {
            *count = switches;
        }
    }
    varied
}

/// The seed that made a network, if chance had a part in it.
fn generator_seed(source: &TopologySource) -> Option<u64> {
    let TopologySource::Generated { parameters, .. } = source else { return None };
    parameters.iter().find(|(name, _)| name == "seed").map(|(_, seed)| *seed)
}

/// A printed number, found, and what stands beside it.
fn reference(
    wire: &At<wire::RoutingReference>,
    names: &[String],
    sizes: &[u64],
    book: &mut Book,
) -> Option<Reference> {
    let value = &wire.value;
    let routing = value.routing.get().and_then(|name| position(name, names, book));
    let over = value.over.get().map(|name| position(name, names, book));
    let switches = match (&value.switches, sizes) {
        (given, [only]) if given.is_absent() => Some(*only),
        (Given::Is(at), _) if sizes.contains(&at.value) => Some(at.value),
        (given, _) => {
            no_size(given.get().map_or(wire.place, |at| at.place), given.value(), sizes, book);
            None
        }
    };
    let number = shared::printed(&value.printed, book);
    Some(Reference {
        number: number?,
        measure: *value.ours.value()?,
        switches: switches?,
        routing: routing?,
        over: match over {
            Some(over) => Some(over?),
            None => None,
        },
        of: *value.of.value()?,
    })
}

fn no_size(place: Place, given: Option<&u64>, sizes: &[u64], book: &mut Book) {
    let all = sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let message = match given {
        Some(given) => format!("no network of the comparison has {given} switches"),
        None => "which of the sizes is not said".to_owned(),
    };
    book.add(place, |span| Fault::new("no-size", span, message, format!("needs switches, one of {all}")));
}
