//! Discoveries: every share and span in its range, a matrix read, machines looked up.

mod cost;
mod measuring;

use simnet_base::diagnostics::{Fault, quoted};
use simnet_base::ids::HostId;
use simnet_base::units::Duration;
use simnet_media::host::rtt::Plan;
use simnet_network::discovery::{Known, Rtts};

use super::allgather::{MOST_WORK, at_most, attached, check_connected};
use super::traffic::Context;
use super::{conflict, files, names, out_of_range, quantity, shared, within};
use crate::checked::Topology;
use crate::diagnostics::{Diagnostics, Place};
use crate::discovery::{Compute, Discovery, Inference, MadeUp, Matrix, Method, Source};
use crate::ethernet::Ethernet;
use crate::wire::{self, Document, FileName, Given, Located};

/// The most machines of a network: every one of them measures with every other.
pub(super) const MOST_MACHINES: usize = 512;
/// The most that computing takes for a whole matrix, and for every round-trip time.
const MOST_COMPUTING: [Duration; 2] = [Duration::from_ms(1_000_000), Duration::from_ms(1)];
/// The most noise of times that are made up, in millionths of what a switch adds.
const MOST_MADE_UP: u32 = 10_000_000;

/// The discovery of a scenario whose network is that of `context`.
pub(super) fn discovery(
    wire: &Located<wire::Discovery>,
    medium: Option<&Ethernet>,
    document: &Document,
    context: &Context<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Discovery> {
    shared::alone("[discovery]", document, diagnostics);
    let value = &wire.value;
    check_company(wire, document, diagnostics);
    let plan = measuring::plan(value, medium, diagnostics);
    let (jitter, noise) = measuring::noise(value, diagnostics).unzip();
    let software = value.software.value().and_then(|wire| measuring::software(wire, jitter, diagnostics));
    let methods = shared::each_once(&value.methods, "method", |m| m.name().to_owned(), diagnostics);
    let compute = value.compute.value().and_then(|wire| compute(wire, diagnostics));
    let source = source(value, medium, context, diagnostics);
    check_known(value, methods.as_deref(), diagnostics);
    let (source, machines) = source?;
    let topology = context.topology?;
    let machines = machines.unwrap_or_else(|| attached(topology).collect());
    check_machines(machines.len(), topology, document, diagnostics)?;
    let paces = measuring::paces(&value.paces, topology, diagnostics);
    let inference = inference(value, plan, (topology, &machines), diagnostics);
    let discovery = Discovery {
        machines,
        source,
        plan: plan?,
        software: software?,
        noise: noise?,
        paces: paces?,
        methods: methods?.iter().map(|at| at.value).collect(),
        inference: inference?,
        compute: compute?,
        keep_matrices: *value.keep_matrices.value()?,
    };
    if let Source::Measured(medium) = &discovery.source {
        cost::check(wire.place, &discovery, topology, medium, diagnostics)?;
    }
    Some(discovery)
}

/// Notes what needs an Ethernet and has none, and what is of no use where nothing is measured.
fn check_company(wire: &Located<wire::Discovery>, document: &Document, diagnostics: &mut Diagnostics) {
    let value = &wire.value;
    if let Some(routing) = document.routing.get() {
        conflict(routing.place, "routes of no fabric", "frames keep to the spanning tree", diagnostics);
    }
    let instead = match (value.matrix.get(), value.made_up.get()) {
        (Some(_), Some(made_up)) => {
            conflict(made_up.place, "times made up beside a matrix", "expected one of them", diagnostics);
            return;
        }
        (Some(_), None) => "a matrix",
        (None, Some(_)) => "times that are made up",
        (None, None) => {
            let is_measured = value.matrix.is_absent() && value.made_up.is_absent();
            if document.ethernet.is_absent() && is_measured {
                diagnostics.add(wire.place, |span| {
                    let expected = "needs an [ethernet] section, or a `matrix` that was measured elsewhere";
                    Fault::new("missing-section", span, "there is no Ethernet to measure on", expected)
                });
            }
            return;
        }
    };
    let given = |place: Option<Place>| place.filter(|place| *place != wire.place);
    let idle = [
        ("[ethernet]", document.ethernet.get().map(|at| at.place)),
        ("at-once", given(value.at_once.get().map(|at| at.place))),
        ("noise-percent", given(value.noise_percent.get().map(|at| at.place))),
        ("software", given(value.software.get().map(|at| at.place))),
        ("noise", given(value.noise.get().map(|at| at.place))),
        ("paces", given(value.paces.get().map(|at| at.place))),
    ];
    for (name, place) in idle {
        if let Some(place) = place {
            let expected = format!("expected one of them: nothing is measured beside {instead}");
            conflict(place, format!("{name} beside {instead}"), expected, diagnostics);
        }
    }
    let step = value.inference.value().and_then(|inference| inference.step_is_known.get());
    if let Some(step) = step.filter(|step| step.value) {
        let message = format!("a known step beside {instead}");
        conflict(step.place, message, "expected a measurement: without one no rate is known", diagnostics);
    }
}

/// Where times come from, and the machines that a matrix names.
fn source(
    wire: &wire::Discovery,
    medium: Option<&Ethernet>,
    context: &Context<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<(Source, Option<Vec<HostId>>)> {
    if !wire.matrix.is_absent() {
        let (matrix, machines) = matrix(wire.matrix.get()?, context, diagnostics)?;
        return Some((Source::File(matrix), Some(machines)));
    }
    if wire.made_up.is_absent() {
        return Some((Source::Measured(medium?.clone()), None));
    }
    Some((Source::MadeUp(made_up(wire.made_up.value()?, diagnostics)?), None))
}

/// What times that are made up are like.
fn made_up(wire: &wire::MadeUp, diagnostics: &mut Diagnostics) -> Option<MadeUp> {
    let constant = quantity(&wire.constant).and_then(|at| at_most(at, MOST_WORK[0], diagnostics));
    let step = quantity(&wire.step).and_then(|at| at_most(at, MOST_WORK[0], diagnostics));
    let noise = wire.noise.get().and_then(|at| measuring::share(*at, MOST_MADE_UP, diagnostics));
    let (step, noise) = (step?, noise?);
    let noise = Duration::from_ps(step.as_ps() * u64::from(noise) / 1_000_000);
    Some(MadeUp { constant: constant?, step, noise })
}

/// Notes machines that no tree connects, or that are too many.
fn check_machines(
    machines: usize,
    topology: &Topology,
    document: &Document,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let place = document.topology.value()?.place;
    check_connected(topology, place, diagnostics)?;
    if machines <= MOST_MACHINES {
        return Some(());
    }
    let expected = format!("expected at most {MOST_MACHINES}: each measures with each");
    out_of_range(place, format!("{machines} machines"), expected, diagnostics);
    None
}

/// Notes known pairs and classes that no method asks for.
fn check_known(wire: &wire::Discovery, methods: Option<&[Located<Method>]>, diagnostics: &mut Diagnostics) {
    let (Some(methods), Some(inference)) = (methods, wire.inference.value()) else { return };
    let has = |method| methods.iter().any(|at| at.value == method);
    if let (Some(classes), false) = (inference.classes.get(), has(Method::KMeans)) {
        conflict(classes.place, "classes of no method", "needs the method k-means", diagnostics);
    }
}

/// A matrix whose machines are machines of the network.
fn matrix(
    named: &Located<FileName>,
    context: &Context<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<(Matrix, Vec<HostId>)> {
    let (file, bytes) = files::open(named, diagnostics)?;
    let rtts = match Rtts::read(&files::title(&file), &bytes) {
        Ok(rtts) => rtts,
        Err(faults) => {
            diagnostics.add_file(*faults);
            return None;
        }
    };
    let topology = context.topology?;
    if rtts.machines() < 2 {
        let message = format!("the matrix {} has a single machine", quoted(&named.value.0));
        out_of_range(named.place, message, "expected at least two machines", diagnostics);
        return None;
    }
    let network = &topology.network;
    let mut machines = Vec::new();
    for name in rtts.names() {
        let found = network.find_host(name);
        if let Some(host) = found.filter(|host| topology.attachments[host.index()].is_some()) {
            machines.push(host);
            continue;
        }
        diagnostics.add(named.place, |span| {
            let (code, what) = match found {
                Some(_) => ("no-cable", "has no cable in the network"),
                None => ("unknown-host", "is none of the network"),
            };
            let message = format!("the matrix names `{}`, which {what}", quoted(name));
            let expected = "expected machines of [topology], which is the truth beside the matrix";
            let fault = Fault::new(code, span, message, expected);
            match found {
                Some(_) => fault,
                None => fault.with_nearest(name, network.hosts().iter().map(|host| host.name.as_str())),
            }
        });
    }
    (machines.len() == rtts.machines()).then_some((Matrix { file, rtts }, machines))
}

/// What methods know in addition to the times.
fn inference(
    wire: &wire::Discovery,
    plan: Option<Plan>,
    network: (&Topology, &[HostId]),
    diagnostics: &mut Diagnostics,
) -> Option<Inference> {
    let value = wire.inference.value()?;
    let noise = match &value.measurement_noise {
        Given::Absent => plan.map(|plan| Duration::from_us(u64::from(plan.round_trips))),
        given => quantity(given).map(|noise| noise.value),
    };
    let threshold = value.inter_threshold.get().and_then(|at| within(*at, 0.001..=1_000.0, diagnostics));
    let classes = match &value.classes {
        Given::Absent => Some(None),
        given => given.get().and_then(|at| within(*at, 1..=1_000, diagnostics)).map(|n| Some(n as usize)),
    };
    let known = value.known.value()?.iter().map(|wire| known(&wire.value, wire.place, network, diagnostics));
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
    network: (&Topology, &[HostId]),
    diagnostics: &mut Diagnostics,
) -> Option<Known> {
    let a = wire.a.get().and_then(|name| machine(name, network, diagnostics));
    let b = wire.b.get().and_then(|name| machine(name, network, diagnostics));
    let switches = u32::try_from(network.0.network.switches().len()).unwrap_or(u32::MAX);
    let hops = wire.hops.get().and_then(|at| within(*at, 1..=switches.max(1), diagnostics));
    let (a, b) = (a?, b?);
    if a == b {
        conflict(place, "one machine twice", "expected two machines", diagnostics);
        return None;
    }
    Some(Known { a, b, hops: hops? })
}

/// The position of a machine in the matrix.
fn machine(
    name: &Located<String>,
    (topology, machines): (&Topology, &[HostId]),
    diagnostics: &mut Diagnostics,
) -> Option<usize> {
    let host = names::attached_host(name, topology, diagnostics)?;
    let position = machines.iter().position(|machine| *machine == host);
    if position.is_none() {
        diagnostics.add(name.place, |span| {
            let message = format!("`{}` is not in the matrix", quoted(&name.value));
            Fault::new("unknown-host", span, message, "expected a machine of the matrix")
        });
    }
    position
}

/// What computing takes.
fn compute(wire: &wire::Compute, diagnostics: &mut Diagnostics) -> Option<Compute> {
    let [whole, cell] = MOST_COMPUTING;
    let mut span = |given, most| quantity(given).and_then(|at| at_most(at, most, diagnostics));
    let (clustering, tree) = (span(&wire.clustering, whole), span(&wire.tree, whole));
    let (clustering_cell, tree_cell) = (span(&wire.clustering_per_rtt, cell), span(&wire.tree_per_rtt, cell));
    Some(Compute {
        clustering: clustering?,
        clustering_cell: clustering_cell?,
        tree: tree?,
        tree_cell: tree_cell?,
    })
}
