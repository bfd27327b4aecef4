//! The tables of a discovery, its matrix, a drawing of it, and the page of its folder.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use simnet_base::diagnostics::legible;
use simnet_network::discovery::Rtts;
use simnet_output::report::{Axis, Chart, Layer, Mark, draw_charts, table_of};

use super::report::DiscoveryReport;
use super::{Found, Hops};
use crate::simulation::comparison::page_head;

/// Every file but the page: name and contents.
pub(super) fn all(found: &Found<'_>, report: &DiscoveryReport) -> Vec<(String, String)> {
    let mut files = vec![("discovery.csv".to_owned(), report.inferred().into_csv())];
    if found.outcome.is_some() {
        files.push(("phases.csv".to_owned(), table_of([&report.measured]).into_csv()));
    }
    if let Some(rtts) = &found.rtts {
        files.push(("rtt.csv".to_owned(), rtts.to_csv()));
        files.push(("rtt.svg".to_owned(), histogram(&found.checked.name, rtts, &found.truth)));
    }
    files
}

/// The page of the folder: what stands in it, what made it, and the results.
pub(super) fn readme(found: &Found<'_>, report: &DiscoveryReport, files: &[(String, String)]) -> String {
    let methods: Vec<&str> = found.discovery.methods.iter().map(|method| method.name()).collect();
    let network = found.checked.topology.network.name.as_str();
    let mut text = page_head(found.checked, &methods, &[network], files, about);
    if found.outcome.is_some() {
        let _ = write!(text, "\n{}", table_of([&report.measured]).upright().markdown());
    }
    let _ = write!(text, "\n{}", report.inferred().markdown());
    for (nth, remark) in report.remarks().iter().enumerate() {
        let gap = if nth == 0 { "\n" } else { "" };
        let _ = writeln!(text, "{gap}* {}", legible(remark));
    }
    text
}

/// What a file holds, in a sentence.
fn about(name: &str) -> &'static str {
    match name {
        "discovery.csv" => "every method: whether the true tree came out, and what was wrong",
        "phases.csv" => "the whole run of the tool and its phases, samples, messages, frames",
        "rtt.csv" => "the round-trip times, as `simnet discover` reads them, in ms",
        "rtt.svg" => {
            "a figure: how many pairs have which round-trip time, by true number of switches between them"
        }
        _ => "the network",
    }
}

/// Columns of a histogram.
const COLUMNS: u64 = 80;

/// How many pairs have which time, by true hop count.
fn histogram(name: &str, rtts: &Rtts, truth: &Hops) -> String {
    let machines = rtts.machines();
    let pairs = || (0..machines).flat_map(|a| (0..machines).filter(move |b| *b != a).map(move |b| (a, b)));
    let times = || pairs().map(|(a, b)| rtts.get(a, b).as_ps());
    let (least, most) = (times().min().unwrap_or(0), times().max().unwrap_or(0));
    let width = ((most - least) / COLUMNS).max(1);
    let mut hops: Vec<u32> = pairs().map(|(a, b)| truth.between(a, b)).collect();
    hops.sort_unstable();
    hops.dedup();
    let lines = hops.iter().map(|hops| {
        let mut counts = BTreeMap::new();
        for (a, b) in pairs().filter(|(a, b)| truth.between(*a, *b) == *hops) {
            *counts.entry((rtts.get(a, b).as_ps() - least) / width).or_insert(0_u32) += 1;
        }
        let middle = |column: u64| (column as f64 + 0.5) * width as f64 / 1e6;
        let mark = |(column, pairs): (&u64, &u32)| Mark::at(middle(*column), f64::from(*pairs));
        let name = if *hops == 1 { "1 switch".to_owned() } else { format!("{hops} switches") };
        Layer::line(&name, counts.iter().map(mark).collect())
    });
    let chart = Chart {
        title: format!("{name}: round-trip times"),
        x: Axis::from_zero(&format!("round-trip time beyond the least, {:.1} us (us)", least as f64 / 1e6)),
        y: Axis::from_zero("ordered pairs of machines"),
        layers: lines.collect(),
        ..Chart::default()
    };
    draw_charts(&[chart], 1)
}
