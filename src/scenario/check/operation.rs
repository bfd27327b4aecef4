//! What changes while the network runs: failures, and daemons that remap.

use simnet_base::diagnostics::Fault;
use simnet_base::ids::{HostId, Node};
use simnet_base::units::Time;

use super::{conflict, names, quantity};
use crate::checked::{
    Failure, Operation, Part, RandomFailures, RouteSource, Routing, Stages, Topology, Traffic,
};
use crate::diagnostics::{Diagnostics, Place};
use crate::mapping::{MapModel, Masters};
use crate::wire::{self, Document, Given, Located};

/// The failures; those of one part may not overlap.
pub(super) fn failures(
    list: &[Located<wire::Failure>],
    topology: Option<&Topology>,
    diagnostics: &mut Diagnostics,
) -> Vec<Failure> {
    let mut failures: Vec<Failure> = Vec::new();
    for Located { value: wire, place } in list {
        let part = part(wire, *place, topology, diagnostics);
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
            conflict(*place, message, format!("failures of one {what} must not overlap"), diagnostics);
        }
        failures.push(Failure { part, at, lasting });
    }
    failures
}

/// What fails: a cable, a switch or a host.
fn part(
    wire: &wire::Failure,
    section: Place,
    topology: Option<&Topology>,
    diagnostics: &mut Diagnostics,
) -> Option<Part> {
    let given = [&wire.link, &wire.switch, &wire.host];
    let mut places: Vec<Place> = given.iter().filter_map(|given| given.get().map(|at| at.place)).collect();
    places.sort_unstable();
    if let Some(place) = places.get(1) {
        conflict(*place, "a second part that fails", "expected one of link, switch and host", diagnostics);
        return None;
    }
    if given.iter().all(|given| given.is_absent()) {
        diagnostics.add(section, |span| {
            let message = "the key `link` is missing from [[failures]]";
            Fault::new("missing-key", span, message, "needs `link`, `switch` or `host`")
        });
        return None;
    }
    let network = &topology?.network;
    let link = wire.link.get().and_then(|name| names::link(name, network, diagnostics)).map(Part::Link);
    let switch = wire.switch.get().and_then(|name| names::switch_alone(name, network, diagnostics));
    let host = wire.host.get().and_then(|name| names::host(name, network, diagnostics));
    let node = switch.map(Node::Switch).or(host.map(Node::Host));
    link.or(node.map(Part::Node))
}

/// Failures by chance.
pub(super) fn random_failures(list: &[Located<wire::RandomFailures>]) -> Vec<RandomFailures> {
    let read = list.iter().map(|Located { value: wire, .. }| {
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
    wire: &Located<wire::Operation>,
    document: &Document,
    network: Option<&Topology>,
    stages: &Stages,
    diagnostics: &mut Diagnostics,
) -> Option<Operation> {
    let (section, wire) = (wire.place, &wire.value);
    check_stages(section, document, stages, diagnostics);
    let masters = stages.mapping.as_ref().map(|mapping| mapping.masters);
    let master = masters.and_then(|masters| match masters {
        Masters::One(master) => Some(master),
        Masters::Election => None,
    });
    let mut mappers: Vec<HostId> = master.into_iter().collect();
    for name in wire.backups.value()? {
        if masters == Some(Masters::Election) {
            let expected = "expected no backups: all hosts stand in for one another";
            conflict(name.place, "a backup in an election", expected, diagnostics);
        }
        let Some(host) = network.and_then(|t| names::attached_host(name, t, diagnostics)) else { continue };
        if mappers.contains(&host) {
            conflict(name.place, "this host maps already", "expected each mapper once", diagnostics);
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
fn check_stages(section: Place, document: &Document, stages: &Stages, diagnostics: &mut Diagnostics) {
    let needed = [
        (document.mapping.is_absent(), "needs a [mapping] section: its mapper is the daemon's"),
        (
            document.routing.is_absent(),
            "needs a [routing] section with an algorithm: its routes are handed out",
        ),
    ];
    for (missing, expected) in needed {
        if missing {
            diagnostics.add(section, |span| {
                Fault::new("missing-section", span, "an operation without a part of it", expected)
            });
        }
    }
    let wire = document.mapping.value();
    if stages.mapping.as_ref().is_some_and(|mapping| mapping.model != MapModel::CutThrough) {
        let place = wire.and_then(|wire| wire.model.get()).map_or(section, |at| at.place);
        conflict(
            place,
            "nothing runs beside a mapper on this model",
            "expected model = \"cut-through\"",
            diagnostics,
        );
    }
    let routing = document.routing.value();
    let of_one_network = match stages.routing.as_ref().map(|routing| &routing.source) {
        Some(RouteSource::File { .. }) => Some((
            routing.and_then(|wire| wire.file.get()).map(|at| at.place),
            "routes from a file, which fit one network",
            "expected an algorithm",
        )),
        Some(RouteSource::OnLanes { .. }) => Some((
            routing.and_then(|wire| wire.algorithm.get()).map(|at| at.place),
            "routes on lanes, which are made for one network and not for its maps",
            "expected an algorithm that needs no lanes, on one of them",
        )),
        _ => None,
    };
    if let Some((place, message, expected)) = of_one_network {
        conflict(place.unwrap_or(section), message, expected, diagnostics);
    }
    if let Some(Traffic::Trace(_)) = &stages.traffic {
        conflict(section, "an operation with a trace", "expected generated traffic, or none", diagnostics);
    }
}
