//! What to look at next after a run that compares: the best, the worst, and what went wrong.

use crate::simulation::comparison::{ComparisonReport, RoutingReport};
use crate::simulation::discoveries::DiscoveryReport;
use crate::simulation::{PaperReport, Spread, Summary};

use super::summary::plain;

/// What a line is about, and what it says.
type Row = (&'static str, String);

/// How many are named one by one.
const NAMED: usize = 3;

/// The lines of what a run has compared; none of a run that compares nothing.
pub(super) fn rows(summary: &Summary) -> Vec<Row> {
    let mut rows = Vec::new();
    if let Some(report) = &summary.comparison {
        rows.extend(comparison(report));
        rows.extend(printed(&report.paper));
    }
    if let Some(report) = &summary.discovery {
        rows.extend(discovery(report));
    }
    rows
}

/// The routing with the most throughput on the largest networks, or without traffic the one that spreads its routes
/// best; routings that can deadlock.
fn comparison(report: &ComparisonReport) -> Vec<Row> {
    let mut rows = Vec::new();
    if let Some((switches, size)) = report.sizes.last_key_value() {
        let on = format!("on {switches} switches");
        let mean = |spread: Option<Spread>| spread.map(|spread| spread.mean);
        let throughput = |routing: &RoutingReport| mean(routing.throughput_flits_per_cycle_per_host);
        let load = |routing: &RoutingReport| mean(routing.max_channel_load).map(|load| -load);
        let best = |of: &dyn Fn(&RoutingReport) -> Option<f64>| {
            let known = size.routings.iter().filter_map(|(name, routing)| Some((name, of(routing)?)));
            // Of equal ones the first in the table.
            known.reduce(|best, other| if other.1 > best.1 { other } else { best })
        };
        if let Some((name, throughput)) = best(&throughput) {
            let text = format!("{name}, {throughput:.4} flits per cycle and host {on}");
            rows.push(("most throughput", text));
        } else if let Some((name, load)) = best(&load) {
            let text = format!("{name}, with {} over its busiest channel {on}", plain(-load));
            rows.push(("fewest routes", text));
        }
    }
    let all = report.sizes.iter();
    let all = all.flat_map(|(switches, size)| size.routings.iter().map(move |one| (switches, size, one)));
    let cyclic: Vec<String> = all
        .filter(|(_, _, (_, routing))| routing.cyclic > 0)
        .map(|(switches, size, (name, routing))| {
            format!("{name} on {} of {} networks of {switches} switches", routing.cyclic, size.networks)
        })
        .collect();
    rows.extend(some("can deadlock", &cyclic));
    rows
}

/// Which methods found the true tree, and which did not.
fn discovery(report: &DiscoveryReport) -> Vec<Row> {
    let of = |recovered: bool| {
        let methods = report.methods.iter().filter(|(_, of)| of.recovered == recovered);
        methods.map(|(method, _)| method.name().to_owned()).collect::<Vec<_>>()
    };
    some("true trees", &of(true)).into_iter().chain(some("missed", &of(false))).collect()
}

/// The printed number that ours is farthest from.
pub(super) fn printed(paper: &[PaperReport]) -> Option<Row> {
    let known = paper.iter().filter_map(|row| Some((row, row.deviation_percent?)));
    let (row, percent) = known.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))?;
    let text = format!("{} ({}): ours is {percent:+.1} % off", row.quantity, row.configuration);
    Some(("farthest from print", text))
}

/// A line that names the first few of some; nothing where there are none.
fn some(what: &'static str, names: &[String]) -> Option<Row> {
    if names.is_empty() {
        return None;
    }
    let more = names.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    Some((what, format!("{}{more}", names[..names.len().min(NAMED)].join(", "))))
}
