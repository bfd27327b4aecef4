//! What hosts send: a trace, or a pattern with its arrivals and lengths.

use simnet_base::diagnostics::{Fault, quoted};
use simnet_base::ids::HostId;
use simnet_base::units::Duration;
use simnet_media::traffic::{Arrivals, Members, NotAPowerOfTwo, Pattern, Workload};

use super::{conflict, files, mix, names, sizes, trace};
use crate::checked::{Generated, Routing, Topology, Traffic};
use crate::diagnostics::{Diagnostics, Place};
use crate::fabric::{Fabric, flit_time};
use crate::wire::{self, Bursts, Free, Given, GivenArrivals, Located};

/// What the judgement of traffic needs of other sections; `None` where they are faulty.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) topology: Option<&'a Topology>,
    pub(super) fabric: Option<&'a Fabric>,
    pub(super) seed: Option<u64>,
    /// Whether a mapper gives a load of traffic during the mapping.
    pub(super) has_mapper_load: bool,
}

/// What hosts send.
pub(super) fn build(
    wire: &Located<wire::Traffic>,
    routing: Option<&Routing>,
    context: &Context<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Traffic> {
    let (section, has_unknown_keys, wire) = (wire.place, wire.value.has_unknown_keys, &wire.value.kinds);
    let patterns = wire.patterns();
    let places = patterns.iter().filter_map(|given| given.get().map(|at| at.place));
    let mut places: Vec<Place> = places.chain(wire.trace.get().map(|at| at.place)).collect();
    places.sort_unstable();
    for place in places.iter().skip(1) {
        conflict(*place, "a second kind of traffic", "expected a trace or one pattern", diagnostics);
    }
    if patterns.is_empty() && wire.trace.is_absent() && !has_unknown_keys {
        diagnostics.add(section, |span| {
            let expected = "expected [traffic.trace] or a pattern, as [traffic.uniform]";
            Fault::new("missing-section", span, "no traffic is given", expected)
        });
    }
    let shared: Vec<Option<(Arrivals, simnet_media::traffic::Sizes, Vec<f64>)>> = patterns
        .iter()
        .filter_map(Given::value)
        .map(|pattern| shared(pattern, context, diagnostics))
        .collect();
    let pattern = context.topology.and_then(|topology| pattern(wire, topology, context.seed, diagnostics));
    let file = wire.trace.value().and_then(|wire| wire.file.get());
    let opened = file.and_then(|named| files::open(named, diagnostics));
    let trace =
        opened.and_then(|(file, bytes)| trace::read(file, &bytes, context.topology?, routing, diagnostics));
    let generated =
        shared.into_iter().next().flatten().zip(pattern).map(|((arrivals, sizes, loads), pattern)| {
            Traffic::Generated(Generated { workload: Workload { pattern, arrivals, sizes }, loads })
        });
    trace.map(Traffic::Trace).or(generated)
}

/// The keys that all patterns share.
fn shared(
    wire: &wire::Pattern,
    context: &Context<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<(Arrivals, simnet_media::traffic::Sizes, Vec<f64>)> {
    let sizes = wire.payload.get().and_then(|payload| sizes::build(payload, diagnostics));
    let loads = wire.loads.get().map(|list| loads(list, context.has_mapper_load, diagnostics));
    let arrivals = match wire.arrivals.value() {
        None => None,
        Some(GivenArrivals::Plain(arrivals)) => Some(*arrivals),
        Some(GivenArrivals::Bursts(wire)) => bursts(wire),
    };
    let workload = (arrivals?, sizes?, loads?);
    if let (Some(fabric), Some(GivenArrivals::Bursts(wire))) = (context.fabric, wire.arrivals.value()) {
        check_bursts(&workload, wire, flit_time(fabric.load_rate), diagnostics);
    }
    Some(workload)
}

/// The loads: each once, and in range; none only where the traffic runs during a mapping.
fn loads(
    loads: &Located<Vec<Located<f64>>>,
    has_mapper_load: bool,
    diagnostics: &mut Diagnostics,
) -> Vec<f64> {
    if loads.value.is_empty() && !has_mapper_load {
        diagnostics.add(loads.place, |span| {
            let expected = "expected at least one load, above 0 and at most 1; or `load` in [mapping]";
            Fault::new("empty-list", span, "no load is given", expected)
        });
    }
    let mut seen: Vec<f64> = Vec::new();
    for load in &loads.value {
        if seen.iter().any(|other| other.total_cmp(&load.value).is_eq()) {
            let message = format!("the load {} is given twice", load.value);
            conflict(load.place, message, "expected each load once", diagnostics);
        }
        seen.push(load.value);
    }
    seen
}

fn bursts(wire: &Bursts) -> Option<Arrivals> {
    let (on, off) = (wire.on.value()?.0, wire.off.value()?.0);
    Some(Arrivals::Bursts { on, off, within: *wire.within.value()? })
}

/// The most bursts that may pass between two messages on average: beyond it, bursts mean nothing.
const MOST_BURSTS: f64 = 1_000.0;

/// Notes bursts so short that hardly one has a message, or so dense that its messages cannot be distinguished.
fn check_bursts(
    (arrivals, sizes, loads): &(Arrivals, simnet_media::traffic::Sizes, Vec<f64>),
    wire: &Bursts,
    flit_time: Duration,
    diagnostics: &mut Diagnostics,
) {
    let Some(on) = wire.on.get() else { return };
    let gap_at = |load: f64| arrivals.gap_in_burst(sizes.mean() / load * flit_time.as_ps() as f64);
    let loads = || loads.iter().copied();
    let (least, most) = (loads().reduce(f64::min), loads().reduce(f64::max));
    let length = on.value.0.as_ps() as f64;
    if let Some((load, gap)) = least.and_then(|load| Some((load, gap_at(load)?)))
        && gap > length * MOST_BURSTS
    {
        let message =
            format!("at the load {load}, only one burst in {:.0} would have a message", gap / length);
        let times = libm::ceil(gap / length / MOST_BURSTS);
        let expected = format!("expected bursts, or a load, {times} times as large");
        diagnostics.add(on.place, |span| Fault::new("out-of-range", span, message, expected));
    }
    if let Some((load, gap)) = most.and_then(|load| Some((load, gap_at(load)?)))
        && gap < 1.0
    {
        let message = format!("at the load {load}, a burst would have several messages in a picosecond");
        let expected = "expected longer bursts, or less time between them";
        diagnostics.add(on.place, |span| Fault::new("out-of-range", span, message, expected));
    }
}

/// The pattern; every one that is given is judged.
fn pattern(
    wire: &wire::Kinds,
    topology: &Topology,
    seed: Option<u64>,
    diagnostics: &mut Diagnostics,
) -> Option<Pattern> {
    let members = || Members::new(topology.attachments.iter().map(Option::is_some));
    let of_bits = |place: Place, made: Result<Pattern, NotAPowerOfTwo>, diagnostics: &mut Diagnostics| {
        made.map_err(|NotAPowerOfTwo { hosts }| not_a_power_of_two(hosts, place, diagnostics)).ok()
    };
    let mut found = Vec::new();
    if let Some(at) = wire.uniform.get() {
        found.push((at.place, Some(Pattern::uniform(members()))));
    }
    if let Some(at) = wire.bit_reversal.get() {
        found.push((at.place, of_bits(at.place, Pattern::bit_reversal(members()), diagnostics)));
    }
    if let Some(at) = wire.transpose.get() {
        found.push((at.place, of_bits(at.place, Pattern::transpose(members()), diagnostics)));
    }
    if let Some(at) = wire.hot_spot.get() {
        found.push((at.place, hot_spot(&at.value, topology, members(), diagnostics)));
    }
    if let Some(at) = wire.permutation.get() {
        found.push((at.place, permutation(&at.value.pairs, topology, members(), seed, diagnostics)));
    }
    if let Some(at) = wire.nearest_neighbours.get() {
        let pattern = Pattern::nearest_neighbours(&topology.network, &topology.attachments);
        found.push((at.place, Some(pattern)));
    }
    if let Some(at) = wire.mix.get() {
        found.push((at.place, mix::build(&at.value, topology, seed, diagnostics)));
    }
    for (place, pattern) in &found {
        if pattern.as_ref().is_some_and(|pattern| pattern.senders() == 0) {
            diagnostics.add(*place, |span| {
                let expected = "expected a pattern in which some host sends to another";
                Fault::new("no-effect", span, "no host would send anything", expected)
            });
        }
    }
    found.into_iter().next().and_then(|(_, pattern)| pattern)
}

pub(super) fn not_a_power_of_two(hosts: usize, place: Place, diagnostics: &mut Diagnostics) {
    diagnostics.add(place, |span| {
        let message = format!("this pattern needs a power of two of hosts, and {hosts} have a cable");
        let below = 1_usize << hosts.max(1).ilog2();
        let expected = format!("expected 2, 4, 8, ... hosts; nearest are {below} and {}", below * 2);
        Fault::new("out-of-range", span, message, expected)
    });
}

fn hot_spot(
    wire: &wire::HotSpot,
    topology: &Topology,
    members: Members,
    diagnostics: &mut Diagnostics,
) -> Option<Pattern> {
    let hot = hot_hosts(wire.hosts.get()?, topology, diagnostics);
    Some(Pattern::hot_spot(members, hot, sizes::parts(*wire.share.value()?)))
}

/// The hot hosts of a list, each once.
pub(super) fn hot_hosts(
    list: &Located<Vec<Located<String>>>,
    topology: &Topology,
    diagnostics: &mut Diagnostics,
) -> Vec<HostId> {
    if list.value.is_empty() {
        diagnostics.add(list.place, |span| {
            Fault::new("empty-list", span, "no hot host is given", "expected at least one host")
        });
    }
    let mut hot: Vec<HostId> = Vec::new();
    for name in &list.value {
        let Some(host) = names::attached_host(name, topology, diagnostics) else { continue };
        if hot.contains(&host) {
            let message = format!("the host `{}` is given twice", quoted(&name.value));
            conflict(name.place, message, "expected each host once", diagnostics);
        } else {
            hot.push(host);
        }
    }
    hot
}

pub(super) fn permutation(
    given: &Given<Free<String>>,
    topology: &Topology,
    members: Members,
    seed: Option<u64>,
    diagnostics: &mut Diagnostics,
) -> Option<Pattern> {
    match given {
        Given::Absent => Some(Pattern::permutation(members, seed?)),
        Given::Faulty => None,
        Given::Is(list) => {
            pairs(&list.value, topology, diagnostics).map(|pairs| Pattern::pairs(members, &pairs))
        }
    }
}

/// Pairs of hosts, none to itself and no receiver twice.
fn pairs(
    list: &Free<String>,
    topology: &Topology,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<(HostId, HostId)>> {
    let mut pairs = Vec::new();
    let mut received = vec![false; topology.attachments.len()];
    let mut sent = received.clone();
    for (from, to) in &list.entries {
        let (sender, receiver) = (
            names::attached_host(from, topology, diagnostics),
            names::attached_host(to, topology, diagnostics),
        );
        let (Some(sender), Some(receiver)) = (sender, receiver) else { continue };
        if sender == receiver {
            let expected = "expected another host; a host that is left out sends nothing";
            conflict(to.place, "no host sends to itself", expected, diagnostics);
        } else if std::mem::replace(&mut received[receiver.index()], true) {
            let message = format!("`{}` receives from two hosts", quoted(&to.value));
            conflict(to.place, message, "expected each receiver once", diagnostics);
        } else if std::mem::replace(&mut sent[sender.index()], true) {
            let message = format!("`{}` sends to two hosts", quoted(&from.value));
            conflict(from.place, message, "expected each sender once", diagnostics);
        }
        pairs.push((sender, receiver));
    }
    (pairs.len() == list.entries.len()).then_some(pairs)
}
