//! Discoveries: every network built, every share and span in its range, a matrix read, references looked up.

mod cost;
mod measuring;
mod references;

use crate::diagnostics::{Fault, quoted};
use crate::discovery::Rtts;
use crate::host::rtt::Plan;
use crate::ids::HostId;
use crate::units::{BitRate, Duration};

use super::super::book::{Book, Place};
use super::super::discovery::{
    Compute, DiscoveredNetwork, Discovery, Inference, Known, Matrix, Method, Recovery,
};
use super::super::ethernet::Ethernet;
use super::super::wire::{self, At, Document, FileName, Given, Quantity};
use super::allgather::{at_most, attached, check_connected};
use super::traffic::Context;
use super::{conflict, ethernet, files, names, out_of_range, quantity, shared, within};

/// The most machines of a network: every one of them measures with every other.
pub(super) const MOST_MACHINES: usize = 512;
/// The most combinations and the most executions of each.
const MOST_CELLS: usize = 10_000;
/// The most round-trip times of random clusters together.
const MOST_PAIRS: u64 = 1_000_000_000;
/// The most that computing takes for a whole matrix, and for every round-trip time.
const MOST_COMPUTING: [Duration; 2] = [Duration::from_ms(1_000_000), Duration::from_ms(1)];

/// The discoveries of a scenario whose own network is that of `context`.
pub(super) fn discovery(
    wire: &At<wire::Discovery>,
    medium: Option<&Ethernet>,
    document: &Document,
    context: &Context<'_>,
    book: &mut Book,
) -> Option<Discovery> {
    shared::alone("[discovery]", document, book);
    let value = &wire.value;
    check_company(wire, document, book);
    let plan = measuring::plan(value, medium, book);
    let software = value.software.value().and_then(|wire| measuring::software(wire, book));
    let noise = value.noise.value().and_then(|wire| measuring::noise(wire, book));
    let rates = rates(value, book);
    let at_once = measuring::at_once(&value.at_once, book);
    let percents = measuring::percents(&value.noise_percent, noise.as_ref(), book);
    let executions = measuring::executions(&value.executions, book);
    let methods = shared::each_once(&value.methods, "method", |m| m.name().to_owned(), book);
    let compute = value.compute.value().and_then(|wire| compute(wire, book));
    let recovery = match &value.recovery {
        Given::Absent => Some(None),
        given => given.get().and_then(|at| recovery(&at.value, at.place, book)).map(Some),
    };
    let matrix = match &value.matrix {
        Given::Absent => Some(None),
        given => given.get().and_then(|named| matrix(named, context, book)).map(Some),
    };
    let networks = networks(value, document, context, matrix.as_ref()?.as_ref(), book);
    let own = networks.as_ref().and_then(|networks| networks.first());
    let paces = own.and_then(|own| measuring::paces(&value.paces, &own.1.topology, book));
    let inference = own.and_then(|own| inference(value, plan, &own.1, book));
    check_known(value, methods.as_deref(), book);
    let mut discovery = Discovery {
        networks: networks?.into_iter().map(|(_, network)| network).collect(),
        rates: rates?,
        at_once: at_once?,
        noise_percent: percents?,
        plan: plan?,
        software: software?,
        noise: noise?,
        paces: paces?,
        executions: executions?,
        matrix: matrix?.map(|(_, matrix, _)| matrix),
        methods: methods?.iter().map(|at| at.value).collect(),
        inference: inference?,
        compute: compute?,
        keep_matrices: *value.keep_matrices.value()?,
        recovery: recovery?,
        references: Vec::new(),
    };
    check_amount(wire.place, &discovery, book)?;
    if let (None, Some(medium)) = (&discovery.matrix, medium) {
        cost::check(wire.place, &discovery, medium, book)?;
    }
    let references = value.references.value()?.iter();
    let references: Vec<_> = references.map(|wire| references::reference(wire, &discovery, book)).collect();
    discovery.references = references.into_iter().collect::<Option<_>>()?;
    Some(discovery)
}

/// Notes what needs an Ethernet and has none, and what a matrix has no use for.
fn check_company(wire: &At<wire::Discovery>, document: &Document, book: &mut Book) {
    let value = &wire.value;
    if let Some(routing) = document.routing.get() {
        conflict(routing.place, "routes of no fabric", "frames keep to the spanning tree", book);
    }
    let Some(matrix) = value.matrix.get() else {
        if document.ethernet.is_absent() && value.matrix.is_absent() {
            book.add(wire.place, |span| {
                let expected = "needs an [ethernet] section, or a `matrix` that was measured elsewhere";
                Fault::new("missing-section", span, "there is no Ethernet to measure on", expected)
            });
        }
        return;
    };
    let given = |place: Option<Place>| place.filter(|place| *place != wire.place);
    let idle = [
        ("[ethernet]", document.ethernet.get().map(|at| at.place)),
        ("networks", given(value.networks.get().map(|at| at.place))),
        ("rates", value.rates.get().map(|at| at.place)),
        ("at-once", given(value.at_once.get().map(|at| at.place))),
        ("noise-percent", given(value.noise_percent.get().map(|at| at.place))),
        ("executions", given(value.executions.get().map(|at| at.place))),
        ("software", given(value.software.get().map(|at| at.place))),
        ("noise", given(value.noise.get().map(|at| at.place))),
        ("paces", given(value.paces.get().map(|at| at.place))),
    ];
    for (name, place) in idle {
        if let Some(place) = place {
            let expected = "expected one of them: nothing is measured beside a matrix";
            conflict(place, format!("{name} beside a matrix"), expected, book);
        }
    }
    let step = value.inference.value().and_then(|inference| inference.step_is_known.get());
    if let Some(step) = step.filter(|step| step.value) {
        let expected = "expected a measurement: a matrix says nothing of rates";
        conflict(step.place, format!("a known step beside a matrix, {}", matrix.value.0), expected, book);
    }
}

/// Notes known pairs and classes that no method asks for.
fn check_known(wire: &wire::Discovery, methods: Option<&[At<Method>]>, book: &mut Book) {
    let (Some(methods), Some(inference)) = (methods, wire.inference.value()) else { return };
    let has = |method| methods.iter().any(|at| at.value == method);
    if let (Some(classes), false) = (inference.classes.get(), has(Method::KMeans)) {
        conflict(classes.place, "classes of no method", "needs the method k-means", book);
    }
}

/// Rates of all cables.
fn rates(wire: &wire::Discovery, book: &mut Book) -> Option<Vec<BitRate>> {
    if wire.rates.is_absent() {
        return Some(Vec::new());
    }
    let list = shared::each_once(&wire.rates, "rate", |rate| rate.0.to_string(), book)?;
    let checked = |at: &At<Quantity<BitRate>>, book: &mut Book| {
        ethernet::checked_rate(At { value: at.value.0, place: at.place }, book)
    };
    let checked: Vec<_> = list.iter().map(|at| checked(at, book)).collect();
    checked.into_iter().collect()
}

/// A matrix whose machines are machines of the scenario's own network.
fn matrix(
    named: &At<FileName>,
    context: &Context<'_>,
    book: &mut Book,
) -> Option<(Place, Matrix, Vec<HostId>)> {
    let (file, bytes) = files::open(named, book)?;
    let rtts = match Rtts::read(&files::title(&file), &bytes) {
        Ok(rtts) => rtts,
        Err(faults) => {
            book.add_file(*faults);
            return None;
        }
    };
    let topology = context.topology?;
    if rtts.machines() < 2 {
        let message = format!("the matrix {} has a single machine", quoted(&named.value.0));
        out_of_range(named.place, message, "expected at least two machines", book);
        return None;
    }
    let mut machines = Vec::new();
    for name in rtts.names() {
        let found = topology.network.find_host(name);
        let Some(host) = found.filter(|host| topology.attachments[host.index()].is_some()) else {
            book.add(named.place, |span| {
                let message = format!("the matrix names `{}`, which the network does not have", quoted(name));
                let expected = "expected machines of [topology], which is the truth beside the matrix";
                Fault::new("unknown-host", span, message, expected)
            });
            return None;
        };
        machines.push(host);
    }
    Some((named.place, Matrix { file, rtts }, machines))
}

/// Every network with the place that asks for it: the scenario's own first.
fn networks(
    wire: &wire::Discovery,
    document: &Document,
    context: &Context<'_>,
    matrix: Option<&(Place, Matrix, Vec<HostId>)>,
    book: &mut Book,
) -> Option<Vec<(Place, DiscoveredNetwork)>> {
    let own = (document.topology.value()?, context.topology);
    let further = wire.networks.value()?;
    if let [_, ..] = further.as_slice() {
        let named = document.ethernet.value().and_then(|ethernet| ethernet.priorities.get());
        let named = named.filter(|free| !free.value.entries.is_empty()).map(|free| free.place);
        let paces = wire.paces.value().and_then(|paces| Some(paces.first()?.place));
        let known = wire.inference.value().and_then(|inference| inference.known.value());
        let known = known.and_then(|known| Some(known.first()?.place));
        for place in [named, paces, known].into_iter().flatten() {
            let expected = "expected no `networks` beside it";
            conflict(place, "names of one network beside further networks", expected, book);
        }
    }
    let built = shared::networks(own, further, 1, book)?;
    let networks = built.into_iter().map(|(name, place, topology)| {
        check_connected(&topology, place, book)?;
        let machines = match matrix {
            Some((.., machines)) => machines.clone(),
            None => attached(&topology).collect::<Vec<_>>(),
        };
        if machines.len() > MOST_MACHINES {
            out_of_range(
                place,
                format!("{} machines on {}", machines.len(), quoted(&name)),
                format!("expected at most {MOST_MACHINES}: each measures with each"),
                book,
            );
            return None;
        }
        Some((place, DiscoveredNetwork { name, machines, topology }))
    });
    // A fault of one does not hide those of the others.
    let networks: Vec<_> = networks.collect();
    networks.into_iter().collect()
}

/// What methods are told.
fn inference(
    wire: &wire::Discovery,
    plan: Option<Plan>,
    network: &DiscoveredNetwork,
    book: &mut Book,
) -> Option<Inference> {
    let value = wire.inference.value()?;
    let noise = match &value.measurement_noise {
        Given::Absent => plan.map(|plan| Duration::from_us(u64::from(plan.round_trips))),
        given => quantity(given).map(|noise| noise.value),
    };
    let threshold = value.inter_threshold.get().and_then(|at| within(*at, 0.001..=1_000.0, book));
    let classes = match &value.classes {
        Given::Absent => Some(None),
        given => given.get().and_then(|at| within(*at, 1..=1_000, book)).map(|n| Some(n as usize)),
    };
    let known = value.known.value()?.iter().map(|wire| known(&wire.value, wire.place, network, book));
    let known: Vec<_> = known.collect();
    Some(Inference {
        noise: noise?,
        inter_threshold: thousandths(threshold?),
        classes: classes?,
        known: known.into_iter().collect::<Option<_>>()?,
        step_is_known: *value.step_is_known.value()?,
    })
}

/// A number of at most a million as thousandths.
fn thousandths(value: f64) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to 1,000,000, checked before"
    )]
    let rounded = (value * 1_000.0).round() as u32;
    rounded
}

/// Two machines whose hop count is known.
fn known(
    wire: &wire::KnownPair,
    place: Place,
    network: &DiscoveredNetwork,
    book: &mut Book,
) -> Option<Known> {
    let a = wire.a.get().and_then(|name| machine(name, network, book));
    let b = wire.b.get().and_then(|name| machine(name, network, book));
    let switches = u32::try_from(network.topology.network.switches().len()).unwrap_or(u32::MAX);
    let hops = wire.hops.get().and_then(|at| within(*at, 1..=switches.max(1), book));
    let (a, b) = (a?, b?);
    if a == b {
        conflict(place, "one machine twice", "expected two machines", book);
        return None;
    }
    Some(Known { a, b, hops: hops? })
}

/// The position of a machine in the matrix.
fn machine(name: &At<String>, network: &DiscoveredNetwork, book: &mut Book) -> Option<usize> {
    let host = names::attached_host(name, &network.topology, book)?;
    let position = network.machines.iter().position(|machine| *machine == host);
    if position.is_none() {
        book.add(name.place, |span| {
            let message = format!("`{}` is not in the matrix", quoted(&name.value));
            Fault::new("unknown-host", span, message, "expected a machine of the matrix")
        });
    }
    position
}

/// What computing takes.
fn compute(wire: &wire::Compute, book: &mut Book) -> Option<Compute> {
    let [whole, cell] = MOST_COMPUTING;
    let mut span = |given, most| quantity(given).and_then(|at| at_most(at, most, book));
    let (clustering, tree) = (span(&wire.clustering, whole), span(&wire.tree, whole));
    let (clustering_cell, tree_cell) = (span(&wire.clustering_per_rtt, cell), span(&wire.tree_per_rtt, cell));
    Some(Compute {
        clustering: clustering?,
        clustering_cell: clustering_cell?,
        tree: tree?,
        tree_cell: tree_cell?,
    })
}

/// Random clusters.
fn recovery(wire: &wire::Recovery, place: Place, book: &mut Book) -> Option<Recovery> {
    let switches = shared::each_once(&wire.switches, "number of switches", ToString::to_string, book);
    let switches = switches.and_then(|list| {
        let list: Vec<_> = list.iter().map(|at| within(*at, 2..=100, book)).collect();
        list.into_iter().collect()
    });
    let each = wire.machines_per_switch.get().and_then(|at| within(*at, 1..=10, book));
    let noise = shared::each_once(&wire.noise_permille, "noise", ToString::to_string, book);
    let noise = noise.and_then(|list| {
        let list: Vec<_> = list.iter().map(|at| within(*at, 0..=10_000, book)).collect();
        list.into_iter().collect()
    });
    let instances = shared::instances(&wire.instances, book);
    let recovery = Recovery {
        switches: switches?,
        machines_per_switch: each?,
        noise_permille: noise?,
        instances: instances?,
    };
    let pairs =
        recovery.switches.iter().map(|size| (size * recovery.machines_per_switch).pow(2)).sum::<u64>();
    let all = pairs * recovery.noise_permille.len() as u64 * u64::from(recovery.instances);
    if all > MOST_PAIRS {
        let message = format!("{all} round-trip times to be made up");
        out_of_range(place, message, format!("expected at most {MOST_PAIRS}"), book);
        return None;
    }
    Some(recovery)
}

/// Notes more combinations than anyone wants to see.
fn check_amount(place: Place, discovery: &Discovery, book: &mut Book) -> Option<()> {
    let cells = discovery.combinations().saturating_mul(discovery.networks.len());
    let runs = cells.saturating_mul(discovery.executions as usize);
    if runs.max(cells.saturating_mul(discovery.methods.len())) <= MOST_CELLS {
        return Some(());
    }
    let message = format!("{cells} combinations, {} times each", discovery.executions);
    out_of_range(place, message, format!("expected at most {MOST_CELLS} measurements"), book);
    None
}
