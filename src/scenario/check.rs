//! From keys and types to a scenario that cannot be wrong: ranges, names, files, and what fits what.
//!
//! Every part is checked on its own, so that a fault in one does not hide those of another; what needs a
//! part that is faulty is left unchecked rather than judged against a guess.

mod allgather;
mod buffers;
mod credits;
mod csv;
mod declared;
mod discovery;
mod ethernet;
mod files;
mod foreseen;
mod limits;
mod mappers;
mod mapping;
mod measure;
mod mix;
pub(super) mod names;
mod operation;
mod output;
mod rates;
mod route_files;
mod routing;
mod run;
mod shared;
mod sizes;
mod spans;
mod topology;
mod trace;
mod traffic;
mod transit;

pub(super) use declared::requested;

use std::ops::RangeInclusive;

use simnet_base::diagnostics::Fault;
use simnet_base::units::Bytes;
use simnet_media::fabric::MOST_LANES;
use simnet_network::routing::SwitchGraph;

use super::checked::{Checked, Failure, RandomFailures, RouteSource, Routing, Stages, Topology, Work};
use super::credits::{has_too_many_ports, service_lanes};
use super::diagnostics::{Diagnostics, Place};
use super::ethernet::Ethernet;
use super::expect::{Expectation, Expectations};
use super::fabric::Fabric;
use super::rings::Rings;
use super::seeds::RunSeeds;
use super::sweep::Identity;
use super::wire::{self, Bounded as _, Document, FlowKind, Given, Limited, Located, Quantity};

/// Checks a scenario whose keys have been read, on its own network or a `given` one, with `seeds` in the place of its
/// own; `None` after noting at least one fault.
pub(super) fn check(
    document: &Document,
    given: Option<Topology>,
    seeds: Option<RunSeeds>,
    diagnostics: &mut Diagnostics,
) -> Option<Checked> {
    let seed = seeds.and_then(|seeds| seeds.topology).unwrap_or(0);
    // What is too large is not built, and the rest is judged without it.
    let topology = match declared::check(document, diagnostics) {
        true => given.or_else(|| topology::build(document.topology.value()?, seed, diagnostics)),
        false => None,
    };
    let mut checked = sections(document, topology, seeds, diagnostics)?;
    foreseen::check(&checked, document, diagnostics);
    rates::check(&checked, document, diagnostics);
    spans::check(&checked, document, diagnostics);
    checked.warnings = diagnostics.warnings();
    diagnostics.is_clean().then_some(checked)
}

/// Checks `[routing]` alone, on a network; `None` after noting at least one fault.
pub(super) fn routing(
    document: &Document,
    topology: &Topology,
    seed: u64,
    diagnostics: &mut Diagnostics,
) -> Option<Routing> {
    routing::routing(document.routing.get()?, Some(topology), Some(seed), None, diagnostics)
        .filter(|_| diagnostics.is_clean())
}

/// Checks all sections, each on its own and with those that it needs; `None` after noting at least one fault.
fn sections(
    document: &Document,
    topology: Option<Topology>,
    seeds: Option<RunSeeds>,
    diagnostics: &mut Diagnostics,
) -> Option<Checked> {
    let network = topology.as_ref();
    let fabric = document.fabric.get().and_then(|wire| super::fabric::fabric(wire, network, diagnostics));
    let mut hosts =
        document.hosts.get().and_then(|wire| super::fabric::hosts(wire, fabric.as_ref(), diagnostics));
    let has_credits = document.fabric.value().and_then(|wire| wire.flow.value()) == Some(&FlowKind::Credits);
    if let (Some(fabric), Some(hosts), Some(topology)) = (&fabric, &hosts, network) {
        let is_idle = is_fabric_idle(document);
        if has_credits {
            credits::check(document, diagnostics);
        } else if !is_idle {
            buffers::check(document, fabric, hosts, &topology.network, diagnostics);
        }
        if !is_idle {
            limits::check(document, fabric, hosts, &topology.network, diagnostics);
        }
    }
    let (failures, by_chance) = failures(document, network, diagnostics);
    let mapping = document.mapping.get();
    let mapping =
        mapping.and_then(|wire| mapping::mapping(wire, network, hosts.as_ref(), document, diagnostics));
    let own = || document.scenario.value().and_then(|wire| wire.seed.value().copied());
    let seeds = seeds.or_else(|| own().map(RunSeeds::of_run));
    let seed = seeds.map(|seeds| seeds.traffic);
    // Of a faulty fabric with credits no lane is missed.
    let lanes = match &fabric {
        Some(fabric) => fabric.credits.as_ref().map(|credits| credits.lanes),
        None => has_credits.then_some(MOST_LANES),
    };
    let of_routes = seeds.map(|seeds| seeds.routing);
    let routing = document
        .routing
        .get()
        .and_then(|wire| routing::routing(wire, network, of_routes, lanes, diagnostics));
    let fabric = fabric.map(|fabric| with_service_lanes(fabric, network, routing.as_ref()));
    let has_mapper_load = document.mapping.value().is_some_and(|mapping| !mapping.load.is_absent());
    let context = traffic::Context { topology: network, fabric: fabric.as_ref(), seed, has_mapper_load };
    if let Some(hosts) = &mut hosts {
        hosts.in_transit = transit::time(document, (hosts, network), routing.as_ref(), diagnostics);
    }
    let traffic =
        document.traffic.get().and_then(|wire| traffic::build(wire, routing.as_ref(), &context, diagnostics));
    let media = (network, routing.as_ref());
    let ethernet = document.ethernet.get().and_then(|wire| ethernet::ethernet(wire, media, diagnostics));
    let stages = Stages { mapping, routing, traffic };
    let work = work(document, &stages, ethernet.as_ref(), &context, diagnostics);
    let measure =
        document.measure.get().and_then(|wire| measure::measure(wire, &document.traffic, diagnostics));
    run::check_sections(document, diagnostics);
    let output = output::output(document, stages.traffic.as_ref(), diagnostics);
    let expect = document.expect.value().map_or_else(Vec::new, |table| expectations(&table.0, diagnostics));
    if !diagnostics.is_clean() {
        return None;
    }
    let scenario = document.scenario.value()?;
    Some(Checked {
        identity: Identity::default(),
        name: scenario.name.value()?.0.clone(),
        description: scenario.description.value().cloned(),
        seed: seed?,
        routing_seed: of_routes?,
        topology: topology?,
        fabric: fabric?,
        hosts: hosts?,
        failures,
        failures_at_random: by_chance,
        work: work.unwrap_or(Work::Stages(stages)),
        measure: measure?,
        output: output?,
        expect: Expectations { sources: diagnostics.sources(), list: expect },
        warnings: Vec::new(),
    })
}

impl Checked {
    /// The same with other routes, and a fabric that has the lanes of their service levels.
    ///
    /// # Errors
    /// Why there are no such lanes: switches with too many ports.
    pub fn with_routes(mut self, source: RouteSource) -> Result<Checked, String> {
        let installed =
            if let RouteSource::File { installed, .. } = &source { installed.as_ref() } else { None };
        if installed.is_some_and(|installed| installed.lanes.is_some())
            && has_too_many_ports(&self.topology.network)
        {
            return Err("the switches have too many ports for tables of lanes".to_owned());
        }
        let routing = Routing { source, distribute: false };
        self.fabric = with_service_lanes(self.fabric, Some(&self.topology), Some(&routing));
        if let Work::Stages(stages) = &mut self.work {
            stages.routing = Some(routing);
        }
        Ok(self)
    }
}

/// The fabric with the lanes of service levels that routes have by tables of their own.
fn with_service_lanes(mut fabric: Fabric, topology: Option<&Topology>, routing: Option<&Routing>) -> Fabric {
    let (Some(credits), Some(topology), Some(routing)) = (&mut fabric.credits, topology, routing) else {
        return fabric;
    };
    let (network, lanes) = (&topology.network, credits.lanes);
    credits.service_lanes = match &routing.source {
        RouteSource::File { installed: Some(installed), .. } => installed.lanes.as_ref().map(|given| {
            service_lanes(network, lanes, |switch, input, output, level| {
                given.tables.lane(switch, input, output, level)
            })
        }),
        RouteSource::OnLanes { tables, .. } if tables.hops.changes_lanes() => {
            let graph = SwitchGraph::new(network);
            let lane = |switch, _, output, level| {
                let by = graph.range(switch).find(|by| graph.outputs()[*by].port == output);
                by.map_or(0, |by| tables.hops.lane(level, by))
            };
            Some(service_lanes(network, lanes, lane))
        }
        _ => None,
    };
    fabric
}

/// Whether nothing that the scenario does is done on the fabric: cables and buffers need not suit each other then.
fn is_fabric_idle(document: &Document) -> bool {
    let is_on_worms = !document.allgather.is_absent() && !allgather::is_on_frames(document);
    document.mapping.is_absent()
        && document.traffic.is_absent()
        && document.operation.is_absent()
        && !is_on_worms
}

/// What is done with the stages of a run on the fabric, or in their place, if anything. At most one section says
/// so; where several do, each has noted that.
fn work(
    document: &Document,
    stages: &Stages,
    ethernet: Option<&Ethernet>,
    context: &traffic::Context<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Work> {
    let media = (ethernet, stages.routing.as_ref());
    let allgather = document
        .allgather
        .get()
        .and_then(|wire| allgather::allgather(wire, media, document, context, diagnostics));
    let rings = document.rings.get().and_then(|wire| rings(wire, document, diagnostics));
    let discovery = document
        .discovery
        .get()
        .and_then(|wire| discovery::discovery(wire, ethernet, document, context, diagnostics));
    let operation = document
        .operation
        .get()
        .and_then(|wire| operation::operation(wire, document, context.topology, stages, diagnostics));
    let gathers = allgather.map(Work::Allgather);
    gathers.or(rings.map(Work::Ring)).or(discovery.map(Work::Discovery)).or(operation.map(Work::Operation))
}

/// The ring of a scenario.
fn rings(wire: &Located<wire::Rings>, document: &Document, diagnostics: &mut Diagnostics) -> Option<Rings> {
    shared::alone("[rings]", document, diagnostics);
    let wire = &wire.value;
    Some(Rings { algorithm: *wire.algorithm.value()?, tree: *wire.tree.value()?, root: *wire.root.value()? })
}

/// What fails: the listed failures and those by chance.
fn failures(
    document: &Document,
    network: Option<&Topology>,
    diagnostics: &mut Diagnostics,
) -> (Vec<Failure>, Vec<RandomFailures>) {
    let listed = document.failures.value();
    let listed = listed.map_or_else(Vec::new, |list| operation::failures(list, network, diagnostics));
    let by_chance = document.failures_at_random.value();
    (listed, by_chance.map_or_else(Vec::new, |list| operation::random_failures(list)))
}

/// The expectations of a table, each path once.
pub(super) fn expectations(
    table: &[(Located<String>, super::expect::Wanted)],
    diagnostics: &mut Diagnostics,
) -> Vec<Expectation> {
    let mut list: Vec<Expectation> = Vec::new();
    for (path, wanted) in table {
        if path.value.split('.').any(str::is_empty) {
            diagnostics.add(path.place, |span| {
                let expected = "expected keys and positions joined by single dots";
                Fault::new("bad-path", span, "no path into the summary", expected)
            });
        }
        if list.iter().any(|other| other.path == path.value) {
            diagnostics.add(path.place, |span| {
                Fault::new("duplicate-key", span, "this path is given twice", "one expectation a path")
            });
        }
        list.push(Expectation { path: path.value.clone(), wanted: wanted.clone(), place: path.place });
    }
    list
}

/// A quantity that the wire has read, with its place.
pub(super) fn quantity<U: Copy>(given: &Given<Quantity<U>>) -> Option<Located<U>> {
    given.get().map(|at| Located { value: at.value.0, place: at.place })
}

/// An amount of data in `range`, in bytes.
fn in_bytes(
    amount: Located<Bytes>,
    range: RangeInclusive<u64>,
    diagnostics: &mut Diagnostics,
) -> Option<u64> {
    within(amount, Bytes(*range.start())..=Bytes(*range.end()), diagnostics).map(|bytes| bytes.0)
}

/// Notes that a value is out of range.
pub(super) fn out_of_range(
    place: Place,
    message: impl Into<String>,
    expected: impl Into<String>,
    diagnostics: &mut Diagnostics,
) {
    let (message, expected) = (message.into(), expected.into());
    diagnostics.add(place, |span| Fault::new("out-of-range", span, message, expected));
}

/// A value in `range`.
fn within<T: Limited>(
    value: Located<T>,
    range: RangeInclusive<T::Limit>,
    diagnostics: &mut Diagnostics,
) -> Option<T> {
    value.value.bounded(value.place, &range, diagnostics)
}

/// Notes that two things cannot stand together, at the place of the second.
pub(super) fn conflict(
    place: Place,
    message: impl Into<String>,
    expected: impl Into<String>,
    diagnostics: &mut Diagnostics,
) {
    let (message, expected) = (message.into(), expected.into());
    diagnostics.add(place, |span| Fault::new("conflict", span, message, expected));
}
