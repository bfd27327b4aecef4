//! What a scenario is likely to take: an estimate from its sizes alone, good for what to begin with.
//!
//! Sizes and memory are worked out from the declaration, before any network is built; messages and times from the
//! checked scenario. Memory is that of one run at a time on one core.
//!
//! # Scope and limitations
//! Rates were read off runs of the committed scenarios on one core of 2020s hardware and rounded. A network near
//! saturation takes several times as long as the estimate; what matters is that longer messages, higher counts and
//! larger networks come out as more.

mod loads;

use serde::Serialize;

use simnet_base::units::{Duration, Time};
use simnet_media::host::mapper::Algorithm;
use simnet_media::traffic::Workload;
use simnet_network::topology::generate::Size;

use super::allgather::{Allgather, MediumKind};
use super::check::requested;
use super::checked::{Checked, Extent, Generated, Measure, Operation, Stages, Traffic, Work};
use super::discovery::{Discovery, Source};
use super::mapping::Mapping;
use super::wire::Document;
use loads::{Loads, Messages, is_inner};

/// The most memory that a scenario may take, in bytes, whatever machine it runs on: 16 GiB.
pub(super) const MOST_MEMORY: u64 = 1 << 34;

/// Bytes of a network for every switch, host, cable and port.
const PER_SWITCH: u64 = 300;
const PER_HOST: u64 = 200;
const PER_CABLE: u64 = 100;
const PER_PORT: u64 = 16;
/// Bytes of a fabric for every port of a switch or host.
const PER_FABRIC_PORT: u64 = 150;
/// Bytes a pair of a table of routes, plus two bytes a turn; a table holds at most 2^30 turns.
const PER_ROUTE: u64 = 5;
const MOST_TURN_BYTES: u64 = 1 << 31;
/// Bytes for every pair of ranks or of machines that measure, and for every host that a switch remembers.
const PER_RANK_PAIR: u64 = 32;
const PER_NOTE: u64 = 16;
/// Bytes of every run.
const LEAST_MEMORY: u64 = 8 << 20;

/// Seconds to make routes, for every pair of hosts.
const PER_PAIR: f64 = 2e-7;
/// Seconds for every message, whatever its length, and for every switch that it passes.
const PER_MESSAGE: f64 = 5e-7;
const PER_HOP: f64 = 4e-7;
/// Seconds for every flit that is simulated on its own while messages block each other, per hop.
const PER_FLIT_HOP: f64 = 2e-9;
/// Probes of a mapper at every switch that it explores.
const PER_EXPLORATION: f64 = 20.0;
/// Seconds for every probe of a mapper.
const PER_PROBE: f64 = 3e-6;
/// Seconds for every message of a collective operation or of a measurement.
const PER_FRAME: f64 = 2e-6;
/// Seconds to find a ring and to follow its messages, for every machine.
const PER_RING_MACHINE: f64 = 2e-6;
/// Seconds of what every run does anyway.
const LEAST: f64 = 1e-4;

/// How large a scenario is and what it is likely to take; none where the declaration does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Estimate {
    /// The network's switches.
    pub switches: Option<u64>,
    /// Its hosts.
    pub hosts: Option<u64>,
    /// Its cables.
    pub cables: Option<u64>,
    /// The ranks of an all-gather.
    pub ranks: Option<u64>,
    /// Load points, mappings, all-gathers and measurements, each run once.
    pub points: Option<u64>,
    /// Messages that are likely to be delivered at these, and in the background of mappings; probes.
    pub messages: Option<f64>,
    /// The least of them that there are unless the network dies, where points end as soon as they are precise.
    pub messages_least: Option<f64>,
    /// The most of them that there can be.
    pub messages_most: Option<f64>,
    /// Bytes of memory.
    pub memory_bytes: u64,
    /// Seconds of simulated time of the longest point.
    pub simulated_s: Option<f64>,
    /// The least that these are likely to be.
    pub simulated_least_s: Option<f64>,
    /// The most that they can be.
    pub simulated_most_s: Option<f64>,
    /// Seconds of one core.
    pub processor_s: Option<f64>,
    /// The same with the least messages.
    pub processor_least_s: Option<f64>,
    /// The same with the most messages.
    pub processor_most_s: Option<f64>,
}

impl Estimate {
    /// What follows from the declaration of a scenario, whether or not its network can be built.
    pub(super) fn declared(document: &Document) -> Estimate {
        let size = requested(document).and_then(|network| network.size);
        let gathers = document.allgather.value();
        let each = gathers.and_then(|wire| wire.ranks_per_machine.value()).copied().unwrap_or(1);
        let ranks = size.and_then(|size| gathers.map(|_| size.hosts.saturating_mul(u64::from(each))));
        let medium = gathers.and_then(|wire| wire.medium.value()).copied();
        let has_frames = document.ethernet.value().is_some() && medium != Some(MediumKind::Fabric);
        let is_idle = document.discovery.value().is_some() || document.rings.value().is_some();
        let on_fabric = !has_frames && !is_idle;
        let has_routes = on_fabric && (gathers.is_some() || document.routing.value().is_some());
        let needs = Needs { on_fabric, has_frames, has_routes, ranks };
        Estimate {
            switches: size.map(|size| size.switches),
            hosts: size.map(|size| size.hosts),
            cables: size.map(|size| size.cables),
            ranks,
            memory_bytes: needs.bytes(size),
            ..Estimate::default()
        }
    }

    /// What follows from a checked scenario.
    pub fn of(checked: &Checked) -> Estimate {
        let size = Size::of(&checked.topology.network);
        let needs = Needs::of(&checked.work);
        let (messages, simulated) = (all_messages(checked), simulated(checked));
        Estimate {
            switches: Some(size.switches),
            hosts: Some(size.hosts),
            cables: Some(size.cables),
            ranks: needs.ranks,
            points: Some(points(&checked.work)),
            messages: Some(libm::ceil(messages.likely)),
            messages_least: Some(libm::ceil(messages.least)),
            messages_most: Some(libm::ceil(messages.most)),
            memory_bytes: needs.bytes(Some(size)),
            simulated_s: Some(simulated.likely / 1e12),
            simulated_least_s: Some(simulated.least / 1e12),
            simulated_most_s: Some(simulated.most / 1e12),
            processor_s: Some(seconds(checked)),
            processor_least_s: Some(seconds_of(checked, |messages| messages.least)),
            processor_most_s: Some(seconds_of(checked, |messages| messages.most)),
        }
    }

    /// The same for so many points like this one.
    #[must_use]
    pub fn times(self, points: u64) -> Estimate {
        let times = |value: Option<f64>| value.map(|value| value * points as f64);
        Estimate {
            points: self.points.map(|each| each.saturating_mul(points)),
            messages: times(self.messages),
            messages_least: times(self.messages_least),
            messages_most: times(self.messages_most),
            processor_s: times(self.processor_s),
            processor_least_s: times(self.processor_least_s),
            processor_most_s: times(self.processor_most_s),
            ..self
        }
    }

    /// Both together, one after the other: sizes and memory of the larger one, the rest as a sum.
    #[must_use]
    pub fn and(self, other: Estimate) -> Estimate {
        let sum = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| a + b);
        let longer = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| a.max(b));
        Estimate {
            switches: self.switches.max(other.switches),
            hosts: self.hosts.max(other.hosts),
            cables: self.cables.max(other.cables),
            ranks: self.ranks.max(other.ranks),
            points: self.points.zip(other.points).map(|(a, b)| a.saturating_add(b)),
            messages: sum(self.messages, other.messages),
            messages_least: sum(self.messages_least, other.messages_least),
            messages_most: sum(self.messages_most, other.messages_most),
            memory_bytes: self.memory_bytes.max(other.memory_bytes),
            simulated_s: longer(self.simulated_s, other.simulated_s),
            simulated_least_s: longer(self.simulated_least_s, other.simulated_least_s),
            simulated_most_s: longer(self.simulated_most_s, other.simulated_most_s),
            processor_s: sum(self.processor_s, other.processor_s),
            processor_least_s: sum(self.processor_least_s, other.processor_least_s),
            processor_most_s: sum(self.processor_most_s, other.processor_most_s),
        }
    }
}

/// What of a scenario takes memory except its networks.
struct Needs {
    on_fabric: bool,
    has_frames: bool,
    has_routes: bool,
    ranks: Option<u64>,
}

impl Needs {
    fn of(work: &Work) -> Needs {
        let none = Needs { on_fabric: false, has_frames: false, has_routes: false, ranks: None };
        match work {
            Work::Stages(stages) => Needs { on_fabric: true, has_routes: stages.routing.is_some(), ..none },
            Work::Operation(_) => Needs { on_fabric: true, has_routes: true, ..none },
            Work::Allgather(gather) => Needs {
                on_fabric: gather.medium.ethernet().is_none(),
                has_frames: gather.medium.ethernet().is_some(),
                has_routes: gather.medium.ethernet().is_none(),
                ranks: Some(gather.ranks() as u64),
            },
            Work::Discovery(discovery) => {
                Needs { has_frames: matches!(discovery.source, Source::Measured(_)), ..none }
            }
            Work::Ring(_) => none,
        }
    }

    /// The bytes of a network of some size and of a run on it; saturates.
    fn bytes(&self, size: Option<Size>) -> u64 {
        let [network, run] =
            size.as_ref().map_or([0, 0], |size| [bytes_of_network(size), self.bytes_of_run(size)]);
        let ranks = self.ranks.map_or(0, |ranks| product(product(ranks, ranks), PER_RANK_PAIR));
        [network, run, ranks].into_iter().fold(LEAST_MEMORY, u64::saturating_add)
    }

    /// The bytes of a run on a network of some size.
    fn bytes_of_run(&self, size: &Size) -> u64 {
        let pairs = product(size.hosts, size.hosts);
        let turns = product(pairs, 2 * mean_hops(size)).min(MOST_TURN_BYTES);
        let routes = product(pairs, PER_ROUTE).saturating_add(turns);
        let parts = [
            if self.on_fabric { product(size.ports + size.hosts, PER_FABRIC_PORT) } else { 0 },
            if self.has_routes { routes } else { 0 },
            if self.has_frames { product(product(size.switches, size.hosts), PER_NOTE) } else { 0 },
        ];
        parts.into_iter().fold(0, u64::saturating_add)
    }
}

fn product(a: u64, b: u64) -> u64 {
    a.saturating_mul(b)
}

/// The bytes of a network of some size.
fn bytes_of_network(size: &Size) -> u64 {
    let parts = [
        product(size.switches, PER_SWITCH),
        product(size.hosts, PER_HOST),
        product(size.cables, PER_CABLE),
        product(size.ports, PER_PORT),
    ];
    parts.into_iter().fold(0, u64::saturating_add)
}

/// The switches of a usual route: those of a random network, whose diameter grows with the logarithm of its size.
fn mean_hops(size: &Size) -> u64 {
    u64::from(size.switches.max(1).ilog2()) + 1
}

/// Load points, mappings, all-gathers and measurements, each run once.
fn points(work: &Work) -> u64 {
    match work {
        Work::Stages(stages) => {
            let loads = stages.traffic.as_ref().map_or(0, |traffic| match traffic {
                Traffic::Generated(generated) => generated.loads.len() as u64,
                Traffic::Trace(_) => 1,
            });
            loads + u64::from(stages.mapping.is_some())
        }
        Work::Operation(_) | Work::Discovery(_) => 1,
        Work::Allgather(gather) => u64::from(gather.executions),
        Work::Ring(_) => 0,
    }
}

/// Messages of load points and of probes; frames of collective operations, which is what they cost by.
fn all_messages(checked: &Checked) -> Messages {
    let known = match &checked.work {
        Work::Stages(stages) => {
            let own = stages.mapping.as_ref();
            let mapped = own.map_or(0.0, |own| probes(checked, own) + background(checked, own));
            let points = match &stages.traffic {
                Some(Traffic::Generated(generated)) => {
                    let loads = Loads::new(checked, generated);
                    generated.loads.iter().fold(loads.search(), |sum, load| sum + loads.point(*load))
                }
                Some(Traffic::Trace(trace)) => Messages::known(trace.messages.len() as f64),
                None => Messages::default(),
            };
            return points + Messages::known(mapped);
        }
        Work::Operation(operation) => {
            let sent = operation.traffic.as_ref().map_or(0.0, |generated| rate(checked, generated));
            operation.length.as_ps() as f64 * sent
        }
        Work::Allgather(gather) => gathering(gather) / PER_FRAME,
        Work::Discovery(own) => discovery(own) / PER_FRAME,
        Work::Ring(_) => 0.0,
    };
    Messages::known(known)
}

/// Messages a picosecond of generated traffic at its first load.
fn rate(checked: &Checked, generated: &Generated) -> f64 {
    let load = generated.loads.first().copied().unwrap_or(0.0);
    let flit = checked.load_flit_time();
    generated.workload.pattern.senders() as f64 / generated.workload.mean_gap_ps(load, flit)
}

/// Picoseconds of simulated time of the longest point.
fn simulated(checked: &Checked) -> Messages {
    let longest = longest_without_loads(checked);
    let own = match &checked.work {
        Work::Stages(Stages { traffic: Some(Traffic::Generated(generated)), .. }) => {
            let Messages { least, likely, most } = Loads::new(checked, generated).longest();
            return Messages {
                least: least.max(longest),
                likely: likely.max(longest),
                most: most.max(longest),
            };
        }
        Work::Stages(Stages { traffic: Some(Traffic::Trace(trace)), .. }) => {
            let last = trace.messages.iter().map(|message| message.created.since(Time::ZERO).as_ps()).max();
            last.unwrap_or(0) as f64
        }
        Work::Operation(operation) => operation.length.as_ps() as f64,
        _ => 0.0,
    };
    Messages::known(own.max(longest))
}

/// The simulated time in picoseconds that the longest all-gather or mapping is likely to take.
pub(super) fn longest_without_loads(checked: &Checked) -> f64 {
    if let Work::Allgather(gather) = &checked.work {
        let usual = gather.medium.ethernet().map_or(checked.fabric.rate, |ethernet| ethernet.rate);
        let links = checked.topology.network.links().iter();
        let slowest = links.map(|link| link.rate.unwrap_or(usual)).min().unwrap_or(usual);
        let byte = 8e12 / slowest.as_bits_per_s() as f64;
        let overheads = gather.software.overheads(gather.size);
        let byte = byte + (overheads.send_byte + overheads.receive_byte).as_ps() as f64;
        let costs = (overheads.send + overheads.receive).as_ps() as f64;
        let often = f64::from(gather.iterations.of(gather.size));
        return often * gather.ranks() as f64 * (gather.size.0 as f64 * byte + costs);
    }
    checked.mapping().map_or(0.0, |own| mapping_ps(checked, own))
}

/// The simulated time in picoseconds that a load point takes at least: its warm-up, and what it measures. A warm-up
/// that has to be found leaves half of the time to the measurement.
pub(super) fn needed_ps(measure: &Measure, workload: &Workload, load: f64, flit: Duration) -> f64 {
    let senders = workload.pattern.senders().max(1) as f64;
    let gap = workload.mean_gap_ps(load, flit);
    let look = |(least, a_host): (u64, u64)| gap * f64::max(least as f64 / senders, a_host as f64);
    let limit = measure.horizon.map_or(Time::END.as_ps() as f64, |horizon| horizon.as_ps() as f64);
    let found = || look(Measure::FIRST_WARMUP).min(limit / 2.0);
    let warmup = measure.warmup.map_or_else(found, |span| span.as_ps() as f64);
    let most = match measure.extent {
        Extent::Messages(count) => gap * libm::ceil(count as f64 / senders),
        Extent::Duration(span) => span.as_ps() as f64,
    };
    warmup + if measure.until_precise { most.min(look(Measure::FIRST_WINDOW)) } else { most }
}

/// The seconds of one core that a scenario is likely to take.
pub(super) fn seconds(checked: &Checked) -> f64 {
    seconds_of(checked, |messages| messages.likely)
}

/// The seconds of one core with as many messages of load points as `count` takes.
fn seconds_of(checked: &Checked, count: fn(Messages) -> f64) -> f64 {
    let hosts = size(checked).0;
    let own = match &checked.work {
        Work::Stages(Stages { mapping: map, routing, traffic: load }) => {
            let [map, load] = [
                map.as_ref().map_or(0.0, |own| mapping(checked, own)),
                load.as_ref().map_or(0.0, |own| traffic(checked, own, count)),
            ];
            map + load + if routing.is_some() { routes(checked) } else { 0.0 }
        }
        Work::Operation(own) => routes(checked) + mapping(checked, &own.mapping) + operation(checked, own),
        Work::Allgather(gather) => {
            gathering(gather) + if gather.medium.ethernet().is_none() { routes(checked) } else { 0.0 }
        }
        Work::Ring(_) => hosts * PER_RING_MACHINE,
        Work::Discovery(own) => discovery(own),
    };
    LEAST + own
}

/// Hosts with a cable, and switches.
fn size(checked: &Checked) -> (f64, f64) {
    let hosts = checked.topology.attachments.iter().flatten().count();
    (hosts as f64, checked.topology.network.switches().len() as f64)
}

/// The switches on a usual path: a random network's diameter grows with the logarithm of its size.
fn hops(checked: &Checked) -> f64 {
    1.0 + libm::log2(size(checked).1.max(1.0))
}

fn routes(checked: &Checked) -> f64 {
    let (hosts, switches) = size(checked);
    hosts * hosts * PER_PAIR * (1.0 + switches / 64.0)
}

fn traffic(checked: &Checked, traffic: &Traffic, count: fn(Messages) -> f64) -> f64 {
    match traffic {
        Traffic::Trace(trace) => {
            let flits: f64 = trace.messages.iter().map(|message| f64::from(message.payload)).sum();
            messages(checked, trace.messages.len() as f64, flits)
        }
        Traffic::Generated(generated) => {
            let loads = Loads::new(checked, generated);
            let flits = generated.workload.sizes.mean();
            // Messages wait for each other the more the higher the load is.
            let of = |point: Messages, load: f64| {
                messages(checked, count(point), count(point) * flits) * (1.0 + load)
            };
            let all: f64 = generated.loads.iter().map(|load| of(loads.point(*load), *load)).sum();
            all + of(loads.search(), 1.0)
        }
    }
}

fn messages(checked: &Checked, count: f64, flits: f64) -> f64 {
    let hops = hops(checked);
    count * (PER_MESSAGE + hops * PER_HOP) + flits * hops * PER_FLIT_HOP
}

fn mapping(checked: &Checked, mapping: &Mapping) -> f64 {
    let quiet = probes(checked, mapping) * PER_PROBE;
    let Some(Traffic::Generated(generated)) = checked.stages().and_then(|stages| stages.traffic.as_ref())
    else {
        return quiet;
    };
    let sent = background(checked, mapping);
    quiet + messages(checked, sent, sent * generated.workload.sizes.mean())
}

/// The probes of a mapping: a mapper explores a switch once for every cable that leads to it, and asks for most of its
/// ports in two ways.
fn probes(checked: &Checked, mapping: &Mapping) -> f64 {
    let cables = checked.topology.network.links().iter().filter(|link| is_inner(link)).count();
    let compared = if matches!(mapping.algorithm, Algorithm::Myricom(_)) { 2.0 } else { 1.0 };
    PER_EXPLORATION * (cables as f64 + 1.0) * compared
}

/// The simulated picoseconds of a mapping: of four pairs of probes about three wait for their time-out.
fn mapping_ps(checked: &Checked, mapping: &Mapping) -> f64 {
    let start_up = match &mapping.algorithm {
        Algorithm::Myricom(options) => options.start_up.as_ps() as f64,
        _ => 0.0,
    };
    let (timeout, software) = (mapping.brief.timeout, mapping.costs.send + mapping.costs.reply);
    start_up + probes(checked, mapping) / 2.0 * (timeout * 3 + software).as_ps() as f64 / 4.0
}

/// The messages of the scenario's traffic that are delivered while a mapper maps.
fn background(checked: &Checked, mapping: &Mapping) -> f64 {
    match (mapping.load, checked.stages().and_then(|stages| stages.traffic.as_ref())) {
        (Some(load), Some(Traffic::Generated(generated))) => {
            mapping_ps(checked, mapping) * Loads::new(checked, generated).accepted(load)
        }
        _ => 0.0,
    }
}

fn gathering(gather: &Allgather) -> f64 {
    let (ranks, frames) = (gather.ranks() as f64, 1.0 + gather.size.0 as f64 / 1500.0);
    let times = f64::from(gather.iterations.of(gather.size)) * f64::from(gather.executions);
    ranks * ranks * frames * times * PER_FRAME
}

fn discovery(discovery: &Discovery) -> f64 {
    match discovery.source {
        Source::Measured(_) => {
            let machines = discovery.machines.len() as f64;
            machines * machines * 200.0 * PER_FRAME
        }
        Source::File(_) | Source::MadeUp(_) => 0.0,
    }
}

fn operation(checked: &Checked, operation: &Operation) -> f64 {
    let seconds = operation.length.as_ps() as f64 / 1e12;
    let load = operation
        .traffic
        .as_ref()
        .map_or(0.0, |generated| generated.loads.iter().sum::<f64>() / generated.workload.sizes.mean());
    let flit_ps = checked.load_flit_time().as_ps() as f64;
    let sent = seconds * 1e12 / flit_ps * load * size(checked).0;
    seconds * 0.5 + messages(checked, sent, sent * 100.0)
}
