//! The figures that a scenario asks for.

use crate::report::{Axis as Scale, Chart, Layer, Mark, draw_charts};
use crate::scenario::allgather::{Allgather, Axis, Cell, MediumKind, Plot, Quantity};

use super::{AllgatherReport, GatherReport, Results};

/// Every figure: name and SVG.
pub(super) fn all(results: &Results<'_>, report: &AllgatherReport) -> Vec<(String, String)> {
    let plots = results.allgather.figures.iter();
    plots.map(|plot| (format!("{}.svg", plot.name), figure(results, report, plot))).collect()
}

fn figure(results: &Results<'_>, report: &AllgatherReport, plot: &Plot) -> String {
    let title = || format!("{}: {}", results.checked.name, plot.name);
    let chart = Chart {
        title: plot.title.clone().unwrap_or_else(title),
        x: Scale::from_zero(x_label(plot.x)),
        y: Scale::from_zero(y_label(plot.y)),
        layers: series(results, report, plot),
        ..Chart::default()
    };
    draw_charts(&[chart], 1)
}

/// A line for all cells that differ in the axis alone, then the bounds if they are asked for.
fn series(results: &Results<'_>, report: &AllgatherReport, plot: &Plot) -> Vec<Layer> {
    let is_in = |list: &[usize], nth: usize| list.is_empty() || list.contains(&nth);
    let is_shown = |cell: Cell| {
        is_in(&plot.algorithms, cell.algorithm)
            && is_in(&plot.networks, cell.network)
            && is_in(&plot.sizes, cell.size)
    };
    let all = results.cells.iter().map(|outcomes| outcomes.cell).zip(&report.results);
    let shown: Vec<(Cell, &GatherReport)> = all.filter(|(cell, _)| is_shown(*cell)).collect();
    let lines = lines(&shown, plot.x, |cell| cell);
    let mut series: Vec<Layer> =
        lines.iter().map(|(key, line)| curve(results.allgather, plot, *key, line, plot.y)).collect();
    if plot.bound && plot.y == Quantity::Time {
        // The bound is one for all algorithms.
        let of_all = |cell| Cell { algorithm: 0, protocol: 0, transport: None, ..cell };
        for (key, line) in self::lines(&shown, plot.x, of_all) {
            let mut curve = curve(results.allgather, plot, key, &line, Quantity::Bound);
            curve.marks.dedup_by(|a, b| a.x.total_cmp(&b.x).is_eq());
            curve.name = "bound".to_owned();
            if series.iter().all(|other| other != &curve) {
                series.push(curve);
            }
        }
    }
    series
}

/// A line's key and its cells.
type Line<'a> = (Cell, Vec<(Cell, &'a GatherReport)>);

fn lines<'a>(
    shown: &[(Cell, &'a GatherReport)],
    axis: Axis,
    reduced: impl Fn(Cell) -> Cell,
) -> Vec<Line<'a>> {
    let mut lines: Vec<Line<'a>> = Vec::new();
    for (cell, report) in shown {
        let key = reduced(without(*cell, axis));
        match lines.iter_mut().find(|(other, _)| *other == key) {
            Some((_, line)) => line.push((*cell, *report)),
            None => lines.push((key, vec![(*cell, *report)])),
        }
    }
    lines
}

/// A cell without what the axis shows.
fn without(cell: Cell, axis: Axis) -> Cell {
    match axis {
        Axis::Size => Cell { size: 0, ..cell },
        Axis::Rate => Cell { rate: None, ..cell },
        Axis::Ranks => Cell { network: 0, ..cell },
    }
}

fn curve(
    allgather: &Allgather,
    plot: &Plot,
    key: Cell,
    line: &[(Cell, &GatherReport)],
    y: Quantity,
) -> Layer {
    let mark = |(_, report): &(Cell, &GatherReport)| {
        let x = match plot.x {
            Axis::Size => report.size_bytes as f64 / 1_024.0,
            Axis::Rate => report.rate_bits_per_s as f64 / 1e9,
            Axis::Ranks => report.ranks as f64,
        };
        Some(Mark::at(x, report.value(y)?).hollow(!report.is_right()))
    };
    let mut marks: Vec<Mark> = line.iter().filter_map(mark).collect();
    marks.sort_by(|a, b| a.x.total_cmp(&b.x));
    Layer::line(&name(allgather, key, plot), marks)
}

/// What tells a series from the others.
fn name(allgather: &Allgather, key: Cell, plot: &Plot) -> String {
    let mut parts = Vec::new();
    if plot.algorithms.len() != 1 && allgather.algorithms.len() > 1 {
        parts.push(allgather.algorithms[key.algorithm].name().to_owned());
    }
    if plot.x != Axis::Ranks && plot.networks.len() != 1 && allgather.networks.len() > 1 {
        parts.push(allgather.networks[key.network].name.clone());
    }
    if allgather.media.len() > 1 {
        let is_framed = allgather.media[key.medium] == MediumKind::Ethernet;
        parts.push(if is_framed { "store and forward" } else { "cut through" }.to_owned());
    }
    if allgather.transports.len() > 1 {
        parts.extend(key.transport.map(|nth| allgather.transports[nth].name().to_owned()));
    }
    if allgather.protocols.len() > 1 {
        parts.push(allgather.protocols[key.protocol].name().to_owned());
    }
    parts.extend(key.rate.map(|nth| allgather.rates[nth].to_string()));
    if plot.x != Axis::Size && plot.sizes.len() != 1 && allgather.sizes.len() > 1 {
        parts.push(format!("{} B", allgather.sizes[key.size].0));
    }
    if parts.is_empty() {
        parts.push(allgather.algorithms[key.algorithm].name().to_owned());
    }
    parts.join(", ")
}

fn x_label(axis: Axis) -> &'static str {
    match axis {
        Axis::Size => "contribution of each rank (KiB)",
        Axis::Rate => "rate of the cables (Gb/s)",
        Axis::Ranks => "ranks",
    }
}

fn y_label(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Time => "time of an all-gather (ms)",
        Quantity::Bound => "bound (ms)",
        Quantity::Efficiency => "bound over time",
        Quantity::Hops => "frames over cables",
        Quantity::Dropped => "frames without room",
        Quantity::PathLength => "longest path of the ring (switches)",
        Quantity::RingFrom => "size (KiB)",
    }
}
