//! What `simnet run` says of a comparison.

use std::fmt::Write as _;

use crate::cli::output::Table;
use crate::numbers::fixed;

use crate::simulation::Spread;
use crate::simulation::comparison::{ComparisonReport, RoutingReport, SizeReport};

use super::paper::paper;
use super::summary::columns;

/// The comparison as text: a table a size, then the printed numbers beside ours.
pub(super) fn text(report: &ComparisonReport) -> String {
    let mut text = String::new();
    for (switches, size) in &report.sizes {
        let several = if size.networks == 1 { "network" } else { "networks" };
        let nearest = size.nearest_seed.map(|seed| format!("; nearest to the average: seed {seed}"));
        let _ = writeln!(
            text,
            "\n{} {several} of {switches} switches{}",
            size.networks,
            nearest.filter(|_| size.networks > 1).unwrap_or_default()
        );
        let _ = writeln!(text, "{}", of_size(size, &report.base));
    }
    if !report.paper.is_empty() {
        let _ = writeln!(text, "\n{}", paper(&report.paper));
    }
    text
}

/// Means over the networks of one size.
fn of_size(size: &SizeReport, base: &str) -> Table {
    let over = format!("over {base}");
    let mut header = vec!["mean of", "distance", "crossing", "restrictions", "load"];
    let traffic = size.routings.values().any(|routing| routing.throughput_flits_per_cycle_per_host.is_some());
    if traffic {
        header.extend(["throughput", &over, "least", "greatest"]);
    }
    let mut table = columns(&header);
    for (name, routing) in &size.routings {
        let mut row = vec![
            name.clone(),
            mean(routing.switch_mean_distance, 3),
            mean(routing.crossing_paths, 1),
            mean(routing.restrictions_per_switch, 3),
            mean(routing.max_channel_load, 0),
        ];
        if traffic {
            row.extend(throughput(routing, base));
        }
        if routing.cyclic > 0 {
            row[0] += " (CYCLIC)";
        }
        table.add_row(row);
    }
    table
}

fn throughput(routing: &RoutingReport, base: &str) -> [String; 4] {
    let ratio = routing.over.get(base).and_then(|over| over.throughput);
    let bound = |pick: fn(Spread) -> f64| fixed(ratio.map(pick), 2);
    [
        mean(routing.throughput_flits_per_cycle_per_host, 4),
        bound(|spread| spread.mean),
        bound(|spread| spread.min),
        bound(|spread| spread.max),
    ]
}

fn mean(spread: Option<Spread>, digits: usize) -> String {
    fixed(spread.map(|spread| spread.mean), digits)
}
