//! What changes while the network runs: failures, and daemons that remap.

use crate::diagnostics::Fault;
use crate::ids::{HostId, Node};
use crate::units::Time;

use super::super::book::{Book, Place};
use super::super::checked::{
    Failure, Operation, Part, RandomFailures, RouteSource, Routing, Stages, Topology, Traffic,
};
use super::super::mapping::{MapModel, Masters};
use super::super::wire::{self, At, Document, Given};
use super::{conflict, names, quantity};

/// The failures; those of one part may not overlap.
pub(super) fn failures(
    list: &[At<wire::Failure>],
    topology: Option<&Topology>,
    book: &mut Book,
) -> Vec<Failure> {
    let mut failures: Vec<Failure> = Vec::new();
    for At { value: wire, place } in list {
        let part = part(wire, *place, topology, book);
        let lasting = quantity(&wire.lasting).map(|lasting| lasting.value);
        let (Some(part), Some(at)) = (part, quantity(&wire.at)) else { continue };
        let at = Time::ZERO + at.value;
        let end = lasting.map(|lasting| at + lasting);
        let overlaps = failures.iter().any(|other| {
            let other_end = other.lasting.map(|lasting| other.at + lasting);
            other.part == part
                && other_end.is_none_or(|other_end| at <= other_end)
                && end.is_none_or(|end| other.at <= end)
        });
        if overlaps {
            let what = if matches!(part, Part::Link(_)) { "cable" } else { "node" };
            let message = format!("this {what} is already down then");
            conflict(*place, message, format!("failures of one {what} must not overlap"), book);
        }
        failures.push(Failure { part, at, lasting });
    }
    failures
}

/// What fails: a cable, a switch or a host.
fn part(wire: &wire::Failure, section: Place, topology: Option<&Topology>, book: &mut Book) -> Option<Part> {
    let given = [&wire.link, &wire.switch, &wire.host];
    let mut places: Vec<Place> = given.iter().filter_map(|given| given.get().map(|at| at.place)).collect();
    places.sort_unstable();
    if let Some(place) = places.get(1) {
        conflict(*place, "a second part that fails", "expected one of link, switch and host", book);
        return None;
    }
    if given.iter().all(|given| given.is_absent()) {
        book.add(section, |span| {
            let message = "the key `link` is missing from [[failures]]";
            Fault::new("missing-key", span, message, "needs `link`, `switch` or `host`")
        });
        return None;
    }
    let network = &topology?.network;
    let link = wire.link.get().and_then(|name| names::link(name, network, book)).map(Part::Link);
    let switch = wire.switch.get().and_then(|name| names::switch_alone(name, network, book));
    let host = wire.host.get().and_then(|name| names::host(name, network, book));
    let node = switch.map(Node::Switch).or(host.map(Node::Host));
    link.or(node.map(Part::Node))
}

/// Failures by chance.
pub(super) fn random_failures(list: &[At<wire::RandomFailures>]) -> Vec<RandomFailures> {
    let read = list.iter().map(|At { value: wire, .. }| {
        let mean_repair = match &wire.mean_repair {
            Given::Absent => None,
            given => Some(quantity(given)?.value),
        };
        Some(RandomFailures {
            of: *wire.of.value()?,
            mean_uptime: quantity(&wire.mean_uptime)?.value,
            mean_repair,
            until: Time::ZERO + quantity(&wire.until)?.value,
        })
    });
    read.flatten().collect()
}

/// The network in operation.
pub(super) fn operation(
    wire: &At<wire::Operation>,
    document: &Document,
    network: Option<&Topology>,
    stages: &Stages,
    book: &mut Book,
) -> Option<Operation> {
    let (section, wire) = (wire.place, &wire.value);
    check_stages(section, document, stages, book);
    let master = stages.mapping.as_ref().and_then(|mapping| match mapping.masters {
        Masters::One(master) => Some(master),
        Masters::Election => None,
    });
    let mut mappers: Vec<HostId> = master.into_iter().collect();
    for name in wire.backups.value()? {
        let Some(host) = network.and_then(|t| names::attached_host(name, t, book)) else { continue };
        if mappers.contains(&host) {
            conflict(name.place, "this host maps already", "expected each mapper once", book);
        }
        mappers.push(host);
    }
    let Routing { source: RouteSource::Computed(choices), .. } = stages.routing.as_ref()? else {
        return None;
    };
    let traffic = match &stages.traffic {
        Some(Traffic::Generated(generated)) => Some(generated.clone()),
        _ => None,
    };
    Some(Operation {
        mapping: stages.mapping.clone()?,
        choices: choices.clone(),
        traffic,
        length: quantity(&wire.length)?.value,
        mappers,
        remap_period: wire.remap_period.value()?.0,
        heartbeat: wire.heartbeat.value()?.0,
        patience: quantity(&wire.patience)?.value,
        confirm: *wire.confirm.value()?,
        tries: *wire.tries.value()?,
        takeover: quantity(&wire.takeover)?.value,
        interval: quantity(&wire.interval)?.value,
    })
}

/// Notes sections that are missing, or that say what an operation cannot do.
fn check_stages(section: Place, document: &Document, stages: &Stages, book: &mut Book) {
    let needed = [
        (document.mapping.is_absent(), "needs a [mapping] section: its mapper is the daemon's"),
        (
            document.routing.is_absent(),
            "needs a [routing] section with an algorithm: its routes are handed out",
        ),
    ];
    for (missing, expected) in needed {
        if missing {
            book.add(section, |span| {
                Fault::new("missing-section", span, "an operation without a part of it", expected)
            });
        }
    }
    let wire = document.mapping.value();
    if stages.mapping.as_ref().is_some_and(|mapping| mapping.masters == Masters::Election) {
        let place = wire.and_then(|wire| wire.mode.get()).map_or(section, |at| at.place);
        conflict(place, "an election beside an operation", "expected a mapper, and backups if wanted", book);
    }
    if stages.mapping.as_ref().is_some_and(|mapping| mapping.model != MapModel::CutThrough) {
        let place = wire.and_then(|wire| wire.model.get()).map_or(section, |at| at.place);
        conflict(
            place,
            "nothing runs beside a mapper on this model",
            "expected model = \"cut-through\"",
            book,
        );
    }
    if let Some(Routing { source: RouteSource::File { .. }, .. }) = &stages.routing {
        let file = document.routing.value().and_then(|wire| wire.file.get());
        let place = file.map_or(section, |at| at.place);
        conflict(place, "routes from a file, which fit one network", "expected an algorithm", book);
    }
    if let Some(Traffic::Trace(_)) = &stages.traffic {
        conflict(section, "an operation with a trace", "expected generated traffic, or none", book);
    }
}
