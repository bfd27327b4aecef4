//! The figures of a discovery: round-trip times by hop count, and how often methods are right.

use crate::discovery::Rtts;
use crate::report::{Axis, Chart, Layer, Mark, draw_charts};

use super::report::{DiscoveryReport, ShareReport};
use super::tables::file_names;
use super::{Outcomes, Results};

/// Matrices that are drawn; more are left to their files.
const MOST_DRAWN: usize = 24;
/// Columns of a histogram.
const COLUMNS: u64 = 80;

/// Every figure: name and SVG.
pub(super) fn all(results: &Results<'_>, report: &DiscoveryReport) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let discovery = results.discovery;
    if discovery.keep_matrices && results.cells.len() <= MOST_DRAWN {
        let names = file_names(results, "rtt", "svg");
        files.extend(names.into_iter().zip(&results.cells).filter_map(|(name, outcomes)| {
            let rtts = outcomes.executions.first()?.rtts.as_ref()?;
            Some((name, histogram(results, outcomes, rtts)))
        }));
    }
    let name = &results.checked.name;
    if discovery.noise_percent.len() > 1 {
        let label = "noise (% of the scenario's)";
        files.push(("shares.svg".to_owned(), shares(name, report, label, |share| share.noise_percent)));
    }
    if discovery.at_once.len() > 1 {
        let label = "pairs that measure at once";
        files.push(("shares-at-once.svg".to_owned(), shares(name, report, label, |share| share.at_once)));
    }
    if !report.recovery.is_empty() {
        files.push(("recovery.svg".to_owned(), recovery(name, report)));
    }
    files
}

/// How many pairs have which time, by true hop count.
fn histogram(results: &Results<'_>, outcomes: &Outcomes, rtts: &Rtts) -> String {
    let machines = rtts.machines();
    let pairs = || (0..machines).flat_map(|a| (0..machines).filter(move |b| *b != a).map(move |b| (a, b)));
    let times = || pairs().map(|(a, b)| rtts.get(a, b).as_ps());
    let (least, most) = (times().min().unwrap_or(0), times().max().unwrap_or(0));
    let width = ((most - least) / COLUMNS).max(1);
    let mut hops: Vec<u32> = pairs().map(|(a, b)| outcomes.truth.between(a, b)).collect();
    hops.sort_unstable();
    hops.dedup();
    let lines = hops.iter().map(|hops| {
        let mut counts = std::collections::BTreeMap::new();
        for (a, b) in pairs().filter(|(a, b)| outcomes.truth.between(*a, *b) == *hops) {
            *counts.entry((rtts.get(a, b).as_ps() - least) / width).or_insert(0_u32) += 1;
        }
        let middle = |column: u64| (column as f64 + 0.5) * width as f64 / 1e6;
        let mark = |(column, pairs): (&u64, &u32)| Mark::at(middle(*column), f64::from(*pairs));
        let name = if *hops == 1 { "1 switch".to_owned() } else { format!("{hops} switches") };
        Layer::line(&name, counts.iter().map(mark).collect())
    });
    let id = results.discovery.id(outcomes.cell);
    let chart = Chart {
        title: format!("{}: round-trip times on {id}", results.checked.name),
        x: Axis::from_zero(&format!("round-trip time beyond the least, {:.1} us (us)", least as f64 / 1e6)),
        y: Axis::from_zero("ordered pairs of machines"),
        layers: lines.collect(),
        ..Chart::default()
    };
    draw_charts(&[chart], 1)
}

/// The share of networks recovered, a line for all that differ in the axis alone.
fn shares(name: &str, report: &DiscoveryReport, x_label: &str, axis: fn(&ShareReport) -> u32) -> String {
    let mut lines: Vec<Layer> = Vec::new();
    for share in &report.shares {
        let gone = [format!("/at-once-{}", axis(share)), format!("/noise-{}", axis(share))];
        let axis_part = if x_label.starts_with("noise") { &gone[1] } else { &gone[0] };
        let name = share.id.replacen(axis_part.as_str(), "", 1);
        add(&mut lines, &name, Mark::at(f64::from(axis(share)), share.share * 100.0));
    }
    let title = format!("{name}: networks recovered");
    drawn(title, x_label, lines)
}

/// The share of random clusters recovered against noise, a line a method and size.
fn recovery(name: &str, report: &DiscoveryReport) -> String {
    let mut lines: Vec<Layer> = Vec::new();
    for row in &report.recovery {
        let name = format!("{}, {} switches", row.method, row.switches);
        add(&mut lines, &name, Mark::at(f64::from(row.noise_permille) / 10.0, row.share * 100.0));
    }
    let title = format!("{name}: random clusters recovered");
    drawn(title, "noise of a round-trip time (% of a step)", lines)
}

fn add(lines: &mut Vec<Layer>, name: &str, mark: Mark) {
    match lines.iter_mut().find(|line| line.name == name) {
        Some(line) => line.marks.push(mark),
        None => lines.push(Layer::line(name, vec![mark])),
    }
}

fn drawn(title: String, x_label: &str, mut layers: Vec<Layer>) -> String {
    for line in &mut layers {
        line.marks.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    let y = Axis { room_for: vec![0.0, 100.0], ..Axis::of("share recovered (%)") };
    draw_charts(&[Chart { title, x: Axis::from_zero(x_label), y, layers, ..Chart::default() }], 1)
}
