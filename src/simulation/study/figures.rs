//! The figures that a study asks for, and the maps of its first variant.

use crate::host::mapper::Growth;
use crate::report::{Axis as Scale, Chart, Layer, Mark, draw_charts};
use crate::scenario::Checked;
use crate::scenario::study::{Axis, Cell, Plot, Quantity};

use super::super::beside::Spread;
use super::super::map_files::drawing;
use super::{Outcomes, Results};

/// Every figure: name and SVG.
pub(super) fn all(checked: &Checked, results: &Results<'_>) -> Vec<(String, String)> {
    let plots = results.study.figures.iter();
    let mut files: Vec<_> =
        plots.map(|plot| (format!("{}.svg", plot.name), figure(checked, results, plot))).collect();
    if results.study.draw_maps {
        files.extend(results.cells.iter().filter_map(|outcomes| first_map(results, outcomes)));
    }
    files
}

/// The map of the first cell of a network, drawn.
fn first_map(results: &Results<'_>, outcomes: &Outcomes) -> Option<(String, String)> {
    let first = results.cells.iter().find(|other| other.cell.network == outcomes.cell.network)?;
    if first.cell != outcomes.cell {
        return None;
    }
    let network = &results.study.networks[outcomes.cell.network];
    let report = &outcomes.runs.first()?.report;
    let svg = drawing(&network.name, &network.topology, &outcomes.map, report)?;
    Some((format!("map-{}.svg", network.name), svg))
}

fn figure(checked: &Checked, results: &Results<'_>, plot: &Plot) -> String {
    let layers = if plot.x == Axis::Explorations { growth(results, plot) } else { curves(results, plot) };
    let y_label = if plot.x == Axis::Explorations { "in the model" } else { y_label(plot.y) };
    let chart = Chart {
        title: plot.title.clone().unwrap_or_else(|| format!("{}: {}", checked.name, plot.name)),
        x: Scale::from_zero(x_label(plot.x)),
        y: Scale::from_zero(y_label),
        layers,
        ..Chart::default()
    };
    draw_charts(&[chart], 1)
}

/// The cells that a figure shows.
fn shown<'a>(results: &'a Results<'_>, plot: &'a Plot) -> impl Iterator<Item = &'a Outcomes> {
    let is_shown = |cell: Cell| plot.variants.is_empty() || plot.variants.contains(&cell.variant);
    results.cells.iter().filter(move |outcomes| is_shown(outcomes.cell))
}

/// What of a spread a line shows, and what the key calls it.
type Line = (&'static str, fn(Spread) -> f64);

const MEAN: [Line; 1] = [("", |spread| spread.mean)];
const BOUNDS: [Line; 3] =
    [("least", |spread| spread.min), ("mean", |spread| spread.mean), ("greatest", |spread| spread.max)];

/// One series, or three with the spread, for all cells that differ in the axis alone.
fn curves(results: &Results<'_>, plot: &Plot) -> Vec<Layer> {
    let mut keys: Vec<Cell> = Vec::new();
    for outcomes in shown(results, plot) {
        let key = without(outcomes.cell, plot.x);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let lines: &[Line] = if plot.spread { &BOUNDS } else { &MEAN };
    let of_key = |key: &Cell| lines.iter().map(|line| curve(results, plot, *key, line)).collect::<Vec<_>>();
    keys.iter().flat_map(of_key).collect()
}

/// The line of the cells that are `key` but for the axis.
fn curve(results: &Results<'_>, plot: &Plot, key: Cell, (what, pick): &Line) -> Layer {
    let cells = shown(results, plot).filter(|outcomes| without(outcomes.cell, plot.x) == key);
    let mark = |outcomes: &Outcomes| {
        let y = pick(results.spread(outcomes.cell, plot.y)?);
        let all_right = outcomes.runs.iter().all(|run| run.report.isomorphic);
        Some(Mark::at(position(results, outcomes.cell, plot.x), y).hollow(!all_right))
    };
    let mut marks: Vec<Mark> = cells.filter_map(mark).collect();
    marks.sort_by(|a, b| a.x.total_cmp(&b.x));
    let name = [name(results, key, plot).as_str(), what].join(" ");
    Layer::line(name.trim(), marks)
}

/// A cell without what the axis shows.
fn without(cell: Cell, axis: Axis) -> Cell {
    match axis {
        Axis::Hosts | Axis::Switches => Cell { network: 0, ..cell },
        Axis::Answering => Cell { answering: None, ..cell },
        Axis::Retries => Cell { retries: None, ..cell },
        Axis::Load => Cell { load: None, ..cell },
        Axis::Explorations => cell,
    }
}

/// What tells a series from the others.
fn name(results: &Results<'_>, key: Cell, plot: &Plot) -> String {
    let study = results.study;
    let mut parts = Vec::new();
    if plot.variants.len() != 1 && study.names.len() > 1 {
        parts.push(study.names[key.variant].clone());
    }
    if !matches!(plot.x, Axis::Hosts | Axis::Switches) && study.networks.len() > 1 {
        parts.push(study.networks[key.network].name.clone());
    }
    parts.extend(key.answering.map(|nth| format!("{} answering", study.answering[nth])));
    parts.extend(key.retries.map(|nth| format!("{} retries", study.retries[nth])));
    parts.extend(key.load.map(|nth| format!("load {}", study.loads[nth])));
    if parts.is_empty() {
        parts.push(study.names[key.variant].clone());
    }
    parts.join(", ")
}

/// Where a cell stands on the axis.
fn position(results: &Results<'_>, cell: Cell, axis: Axis) -> f64 {
    let study = results.study;
    let network = &study.networks[cell.network].topology.network;
    let mapping = || study.mapping(cell);
    match axis {
        Axis::Hosts | Axis::Explorations => network.hosts().len() as f64,
        Axis::Switches => network.switches().len() as f64,
        Axis::Answering => {
            let all = network.hosts().len() as f64;
            mapping().silence.answering.map_or(all, f64::from)
        }
        Axis::Retries => f64::from(mapping().brief.retries),
        Axis::Load => mapping().load.unwrap_or(0.0),
    }
}

/// What of a model's size a line shows, and what the key calls it.
type Size = (&'static str, fn(&Growth) -> u64);

const SIZES: [Size; 3] = [("edges", |g| g.edges), ("nodes", |g| g.nodes), ("frontier", |g| g.frontier)];

/// Nodes, cables and frontier of the model against explorations, of the first run of every cell shown.
fn growth(results: &Results<'_>, plot: &Plot) -> Vec<Layer> {
    let several = shown(results, plot).count() > 1;
    let of = |outcomes: &Outcomes| {
        let history = outcomes.runs.first().map(|run| run.history.as_slice()).unwrap_or_default();
        let prefix =
            if several { format!("{}: ", name(results, outcomes.cell, plot)) } else { String::new() };
        let line = |(what, pick): Size| {
            let mark = |(nth, growth): (usize, &Growth)| Mark::at((nth + 1) as f64, pick(growth) as f64);
            Layer::line(&format!("{prefix}{what}"), history.iter().enumerate().map(mark).collect())
        };
        SIZES.map(line)
    };
    shown(results, plot).flat_map(of).collect()
}

fn x_label(axis: Axis) -> &'static str {
    match axis {
        Axis::Hosts => "hosts",
        Axis::Switches => "switches",
        Axis::Answering => "hosts that run a mapper",
        Axis::Retries => "further tries of a question that brought nothing",
        Axis::Load => "load beside the mapper (payload flits / cycle / host)",
        Axis::Explorations => "switches explored, replicates counted",
    }
}

fn y_label(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Hosts => "hosts on the map",
        Quantity::Switches => "switches on the map",
        Quantity::Links => "cables on the map",
        Quantity::HostHits => "turns that found a host",
        Quantity::SwitchHits => "turns that found a switch",
        Quantity::Nothing => "turns that found nothing",
        Quantity::HostProbes | Quantity::SentHost => "host probes",
        Quantity::SwitchProbes | Quantity::SentSwitch => "switch probes",
        Quantity::HostHitRatio | Quantity::SwitchHitRatio => "share of probes that found something (%)",
        Quantity::Probes => "probes, as the paper counts",
        Quantity::SilentProbes => "probes that found nothing",
        Quantity::SentLoop => "loop probes",
        Quantity::SentCompare => "compare probes",
        Quantity::SentScout => "scouts",
        Quantity::SentGuard => "guards",
        Quantity::Sent => "messages sent",
        Quantity::Time => "time of the mapping (ms)",
        Quantity::Explorations => "switches explored, replicates counted",
        Quantity::PeakNodes => "most nodes of the model",
        Quantity::FinalNodes => "nodes of the map",
        Quantity::PeakMemory => "most bytes of the model",
        Quantity::Right => "runs with a true map (%)",
        Quantity::SurelyWrong => "runs with a wrong map that the mapper was sure of (%)",
        Quantity::WithinTwice | Quantity::WithinHalfMore => "hosts that run a mapper",
    }
}
