//! What a scenario is likely to take: an estimate from its sizes alone, good for what to begin with.
//!
//! # Scope and limitations
//! Rates were read off runs of the committed scenarios on one core of 2020s hardware and rounded. A network near
//! saturation takes several times as long as the estimate; what matters is that longer messages, higher counts and
//! larger networks come out as more.

use super::checked::{Checked, Extent, Generated, Traffic};
use super::mapping::Mapping;

/// Seconds to make routes, for every pair of hosts.
const PER_PAIR: f64 = 2e-7;
/// Seconds for every message, whatever its length, and for every switch that it passes.
const PER_MESSAGE: f64 = 5e-7;
const PER_HOP: f64 = 4e-7;
/// Seconds for every flit that is simulated on its own while messages block each other, per hop.
const PER_FLIT_HOP: f64 = 2e-9;
/// Seconds for every probe of a mapper.
const PER_PROBE: f64 = 3e-6;
/// Seconds for every message of a collective operation or of a measurement.
const PER_FRAME: f64 = 2e-6;
/// Seconds of what every run does anyway.
const LEAST: f64 = 1e-4;

/// The seconds of one core that a scenario is likely to take.
pub(super) fn seconds(checked: &Checked) -> f64 {
    let own = LEAST + routes(checked) + traffic(checked) + mapping(checked);
    let alone = |checked: Checked| routes(&checked) + traffic(&checked) + mapping(&checked);
    let compared = checked.comparison.as_ref().map_or(0.0, |comparison| {
        let of_first = Checked { comparison: None, ..checked.clone() };
        let first = of_first.member(comparison, 0);
        comparison.members() as f64 * alone(first)
    });
    let studied = checked.study.as_ref().map_or(0.0, |study| {
        let alone_of_study = Checked { study: None, ..checked.clone() };
        let cells = study.cells();
        let last = cells.last().map_or(0.0, |cell| alone(alone_of_study.cell(study, *cell)));
        cells.len() as f64 * last
    });
    own + compared + studied + collective(checked) + discovery(checked) + operation(checked)
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
    if checked.routing.is_none() { 0.0 } else { hosts * hosts * PER_PAIR * (1.0 + switches / 64.0) }
}

fn traffic(checked: &Checked) -> f64 {
    match &checked.traffic {
        None => 0.0,
        Some(_) if checked.mapping.is_some() && checked.operation.is_none() && checked.routing.is_none() => {
            0.0
        }
        Some(Traffic::Trace(trace)) => {
            let flits: f64 = trace.messages.iter().map(|message| f64::from(message.payload)).sum();
            messages(checked, trace.messages.len() as f64, flits)
        }
        Some(Traffic::Generated(generated)) => {
            let of_load = |load: &f64| {
                let count = measured(checked, generated, *load);
                // Messages wait for each other the more the higher the load is.
                messages(checked, count, count * generated.workload.sizes.mean()) * (1.0 + 4.0 * load)
            };
            let all: f64 = generated.loads.iter().map(of_load).sum();
            if checked.measure.find_saturation.is_some() { 2.0 * all } else { all }
        }
    }
}

/// The messages of a load point, its warm-up among them.
fn measured(checked: &Checked, generated: &Generated, load: f64) -> f64 {
    let (hosts, _) = size(checked);
    let flit_ps = super::cycles::flit_time(checked.fabric.rate).as_ps() as f64;
    let per_ps = hosts * load / generated.workload.sizes.mean() / flit_ps;
    let warmup = checked.measure.warmup.map_or(0.0, |span| span.as_ps() as f64 * per_ps);
    let extent = match checked.measure.extent {
        Extent::Messages(count) => count as f64,
        Extent::Duration(span) => span.as_ps() as f64 * per_ps,
    };
    warmup + if checked.measure.warmup.is_none() { 1.3 * extent } else { extent }
}

fn messages(checked: &Checked, count: f64, flits: f64) -> f64 {
    let hops = hops(checked);
    count * (PER_MESSAGE + hops * PER_HOP) + flits * hops * PER_FLIT_HOP
}

fn mapping(checked: &Checked) -> f64 {
    let (hosts, switches) = size(checked);
    let of = |mapping: &Mapping| {
        let probes = 20.0 * (switches + 1.0) * (hops(checked) + hosts / (switches + 1.0));
        let loaded = if mapping.load.is_some() { 20.0 } else { 1.0 };
        f64::from(mapping.runs) * probes * PER_PROBE * loaded
    };
    checked.mapping.as_ref().map_or(0.0, of)
}

fn collective(checked: &Checked) -> f64 {
    let of_gathers = checked.allgather.as_ref().map_or(0.0, |allgather| {
        let ranks: f64 = allgather
            .networks
            .iter()
            .map(|network| {
                let ranks = network.machines.len() as f64 * f64::from(allgather.ranks_per_machine);
                ranks * ranks
            })
            .sum();
        let frames: f64 = allgather.sizes.iter().map(|size| 1.0 + size.0 as f64 / 1500.0).sum();
        let varied = (allgather.algorithms.len() * allgather.executions as usize) as f64;
        ranks * frames * varied * PER_FRAME
    });
    let (hosts, _) = size(checked);
    of_gathers + if checked.rings.is_some() { 0.5 + hosts * 1e-3 } else { 0.0 }
}

fn discovery(checked: &Checked) -> f64 {
    checked.discovery.as_ref().map_or(0.0, |discovery| {
        let pairs: f64 = discovery
            .networks
            .iter()
            .map(|network| {
                let machines = network.machines.len() as f64;
                machines * machines
            })
            .sum();
        pairs * 200.0 * PER_FRAME
    })
}

fn operation(checked: &Checked) -> f64 {
    let Some(operation) = &checked.operation else { return 0.0 };
    let seconds = operation.length.as_ps() as f64 / 1e12;
    let load = match &checked.traffic {
        Some(Traffic::Generated(generated)) => {
            generated.loads.iter().sum::<f64>() / generated.workload.sizes.mean()
        }
        _ => 0.0,
    };
    let flit_ps = super::cycles::flit_time(checked.fabric.rate).as_ps() as f64;
    let sent = seconds * 1e12 / flit_ps * load * size(checked).0;
    seconds * 0.5 + messages(checked, sent, sent * 100.0)
}
