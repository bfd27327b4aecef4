//! The tables of a comparison as CSV, and the page that stands beside them.

use std::fmt::Write as _;

use crate::diagnostics::legible_lines;
use crate::report::{README_MARK, Table, markdown};
use crate::scenario::Checked;
use crate::scenario::comparison::Quantity;

use super::super::beside::{Spread, paper, paper_page};
use super::{ComparisonReport, Results};
use crate::numbers::{cell as maybe, exact as number};

/// Every table that has rows: name and contents.
pub(super) fn all(results: &Results<'_>, report: &ComparisonReport) -> Vec<(String, String)> {
    let mut files = vec![("routes.csv".to_owned(), routes(results))];
    if results.members.iter().any(|member| !member.points.is_empty()) {
        files.push(("points.csv".to_owned(), points(results)));
        files.push(("saturation.csv".to_owned(), saturation(results)));
    }
    if !report.paper.is_empty() {
        files.push(("paper.csv".to_owned(), paper(&report.paper)));
    }
    files
}

/// What begins a row: the size, the network's seed and the routing's name.
fn key(results: &Results<'_>, network: usize, routing: usize) -> [String; 3] {
    let comparison = results.comparison;
    let at = &comparison.networks[network];
    let seed = at.seed.map(|seed| seed.to_string()).unwrap_or_default();
    [at.switches().to_string(), seed, comparison.names[routing].clone()]
}

/// Every network with every routing, in order.
fn pairs(results: &Results<'_>) -> impl Iterator<Item = (usize, usize)> {
    let routings = results.comparison.names.len();
    (0..results.members.len()).map(move |nth| (nth / routings, nth % routings))
}

/// The metrics of the routes, one row a network and routing, then their means a size and routing.
fn routes(results: &Results<'_>) -> String {
    let quantities = [
        Quantity::SwitchMeanDistance,
        Quantity::CrossingPaths,
        Quantity::RestrictionsPerSwitch,
        Quantity::MeanDistance,
        Quantity::NonMinimalPairs,
        Quantity::MaxChannelLoad,
    ];
    let mut table = Table::new(&[
        "switches",
        "seed",
        "routing",
        "root",
        "switch_mean_distance",
        "crossing_paths",
        "restrictions_per_switch",
        "mean_distance",
        "non_minimal_pairs",
        "max_channel_load",
        "cyclic",
    ]);
    for (network, routing) in pairs(results) {
        let member = results.member(network, routing);
        let root = member.route.as_ref().and_then(|route| route.root.clone()).unwrap_or_default();
        let cyclic = member.route.as_ref().is_some_and(|route| route.dependency_cycle.is_some());
        let values = quantities.map(|quantity| maybe(member.value(quantity)));
        let key = key(results, network, routing).into_iter();
        table.row(key.chain([root]).chain(values).chain([cyclic.to_string()]));
    }
    for size in results.comparison.sizes() {
        for (routing, name) in results.comparison.names.iter().enumerate() {
            let mean = |quantity| {
                let spread = results.values(quantity, size, routing, None).and_then(|v| Spread::of(&v));
                maybe(spread.map(|spread| spread.mean))
            };
            let key = [size.to_string(), "mean".to_owned(), name.clone(), String::new()].into_iter();
            table.row(key.chain(quantities.map(mean)).chain([String::new()]));
        }
    }
    table.into_csv()
}

/// Every load point.
fn points(results: &Results<'_>) -> String {
    let mut table = Table::new(&[
        "switches",
        "seed",
        "routing",
        "load",
        "offered_flits_per_cycle_per_host",
        "accepted_flits_per_cycle_per_host",
        "accepted_flits_per_ns_per_switch",
        "latency_mean_ns",
        "latency_p99_ns",
        "network_latency_mean_ns",
        "queueing_mean_ns",
        "blocked_mean_ns",
        "moving_mean_ns",
        "messages",
        "saturated",
        "converged",
    ]);
    for (network, routing) in pairs(results) {
        for point in &results.member(network, routing).points {
            let cells = [
                maybe(point.load),
                number(point.offered_flits_per_cycle_per_host),
                number(point.accepted_flits_per_cycle_per_host),
                number(point.accepted_flits_per_ns_per_switch),
                maybe(point.latency_mean_ns),
                maybe(point.latency_p99_ns),
                maybe(point.network_latency_mean_ns),
                maybe(point.queueing_mean_ns),
                maybe(point.blocked_mean_ns),
                maybe(point.moving_mean_ns),
                point.messages.to_string(),
                point.saturated.to_string(),
                point.converged.to_string(),
            ];
            table.row(key(results, network, routing).into_iter().chain(cells));
        }
    }
    table.into_csv()
}

/// The throughput of every network and routing and its ratio over the base, then mean, least and greatest a
/// size and routing.
fn saturation(results: &Results<'_>) -> String {
    let comparison = results.comparison;
    let mut table = Table::new(&[
        "switches",
        "seed",
        "routing",
        "throughput_flits_per_cycle_per_host",
        "highest_unsaturated_load_flits_per_cycle_per_host",
        "throughput_over_base",
    ]);
    for (network, routing) in pairs(results) {
        let member = results.member(network, routing);
        let own = member.value(Quantity::Throughput);
        let base = results.member(network, comparison.base).value(Quantity::Throughput);
        let ratio = own.zip(base.filter(|base| *base > 0.0)).map(|(own, base)| own / base);
        let cells = [maybe(own), maybe(member.highest_unsaturated()), maybe(ratio)];
        table.row(key(results, network, routing).into_iter().chain(cells));
    }
    for size in comparison.sizes() {
        for (routing, name) in comparison.names.iter().enumerate() {
            let spread =
                |over| results.values(Quantity::Throughput, size, routing, over).and_then(|v| Spread::of(&v));
            let (own, ratio) = (spread(None), spread(Some(comparison.base)));
            for what in ["mean", "min", "max"] {
                let pick = |spread: Spread| match what {
                    "mean" => spread.mean,
                    "min" => spread.min,
                    _ => spread.max,
                };
                let [size, what, name] = [size.to_string(), what.to_owned(), name.clone()];
                table.row([size, what, name, maybe(own.map(pick)), String::new(), maybe(ratio.map(pick))]);
            }
        }
    }
    table.into_csv()
}

/// The page of the folder: what stands in it, what made it, and the printed numbers beside ours.
pub(super) fn readme(
    checked: &Checked,
    results: &Results<'_>,
    report: &ComparisonReport,
    files: &[(String, String)],
) -> String {
    let comparison = results.comparison;
    let mut text = format!("{README_MARK}\n# {}\n\n", checked.name);
    if let Some(description) = &checked.description {
        let _ = writeln!(text, "{}\n", legible_lines(description));
    }
    let sizes = comparison.sizes().iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let _ = writeln!(
        text,
        "Made by `simnet run` of the scenario `{}` (seed {}): {} networks of {sizes} switches, {} on each.\n",
        checked.name,
        checked.seed,
        comparison.networks.len(),
        comparison.names.iter().map(|name| markdown(name)).collect::<Vec<_>>().join(", "),
    );
    let _ = writeln!(text, "Ratios are over {}.", markdown(&report.base));
    for (name, _) in files {
        let _ = writeln!(text, "* `{name}`: {}", about(name));
    }
    text += &paper_page(&report.paper);
    text
}

/// What a file of a comparison holds, in a sentence.
fn about(name: &str) -> &'static str {
    match name {
        "routes.csv" => "the metrics of the routes of every network and routing, and their means",
        "points.csv" => "every load point of every network and routing",
        "saturation.csv" => {
            "throughput (the most traffic accepted up to the first saturated load) of every network and \
             routing, and its ratios"
        }
        "paper.csv" => "the printed numbers, ours, and the deviation; gains are compared as factors",
        _ => "latency against accepted traffic on the network nearest to the average ratios",
    }
}
