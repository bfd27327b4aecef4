//! The tables of a discovery, its matrices, and their page.

use std::fmt::Write as _;

use crate::diagnostics::legible;
use crate::report::{Table, markdown};

use super::super::beside::{Spread, page_head, paper, paper_page, short};
use super::report::{DiscoveryReport, MeasurementReport, RecoveryReport, ResultReport};
use super::{Outcomes, Results};
use crate::numbers::{cell as maybe, exact as number};

/// Every table that has rows, and the matrices: name and contents.
pub(super) fn all(results: &Results<'_>, report: &DiscoveryReport) -> Vec<(String, String)> {
    let mut files = vec![("discovery.csv".to_owned(), inferred(report))];
    if report.measurements.iter().any(|measurement| measurement.total_s.is_some()) {
        files.push(("phases.csv".to_owned(), phases(report)));
    }
    if !report.recovery.is_empty() {
        files.push(("recovery.csv".to_owned(), recovery(&report.recovery)));
    }
    if !report.paper.is_empty() {
        files.push(("paper.csv".to_owned(), paper(&report.paper)));
    }
    if results.discovery.keep_matrices {
        let names = file_names(results, "rtt", "csv");
        files.extend(names.into_iter().zip(&results.cells).filter_map(|(name, outcomes)| {
            Some((name, outcomes.executions.first()?.rtts.as_ref()?.to_csv()))
        }));
    }
    files
}

/// A file's name for every cell: its id with hyphens for all that is no letter, digit, hyphen or underscore, and a
/// number behind it where another has that name.
pub(super) fn file_names(results: &Results<'_>, prefix: &str, extension: &str) -> Vec<String> {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '-' };
    let mut names: Vec<String> = Vec::new();
    for Outcomes { cell, .. } in &results.cells {
        let id: String = results.discovery.id(*cell).chars().map(plain).take(LONGEST_NAME).collect();
        let first = std::iter::once(format!("{prefix}-{id}.{extension}"));
        let mut all = first.chain((2..).map(|nth| format!("{prefix}-{id}-{nth}.{extension}")));
        let name = all.find(|name| !names.contains(name)).expect("there are more numbers than cells");
        names.push(name);
    }
    names
}

/// The most characters of an id in a file's name.
const LONGEST_NAME: usize = 100;

/// A row a measurement and method.
fn inferred(report: &DiscoveryReport) -> String {
    let mut table = Table::new(&[
        "network",
        "rate_bits_per_s",
        "at_once",
        "noise_percent",
        "method",
        "machines",
        "true_switches",
        "executions",
        "complete",
        "recovered",
        "recovered_share",
        "without_tree",
        "wrong_pairs_mean",
        "hop_error_max",
        "switches",
        "classes",
        "findings",
    ]);
    let by_id = |id: &str| report.measurements.iter().find(|measurement| measurement.id == id);
    for result in &report.results {
        let Some(measurement) = by_id(&result.measurement) else { continue };
        table.row([
            measurement.network.clone(),
            whole(measurement.rate_bits_per_s),
            measurement.at_once.to_string(),
            measurement.noise_percent.to_string(),
            result.method.to_owned(),
            measurement.machines.to_string(),
            measurement.switches.to_string(),
            result.executions.to_string(),
            measurement.complete.to_string(),
            result.recovered.to_string(),
            number(result.recovered_share),
            result.without_tree.to_string(),
            maybe(result.wrong_pairs_mean),
            result.hop_error_max.to_string(),
            whole(result.switches),
            result.classes.len().to_string(),
            codes(result),
        ]);
    }
    table.into_csv()
}

/// The kinds of what was found.
fn codes(result: &ResultReport) -> String {
    let mut codes: Vec<&str> = result.findings.iter().map(|finding| finding.code).collect();
    codes.dedup();
    codes.join(" ")
}

fn whole<T: ToString>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// The times of every measurement: Tables 1 to 3 of the paper.
fn phases(report: &DiscoveryReport) -> String {
    let mut table = Table::new(&[
        "network",
        "rate_bits_per_s",
        "at_once",
        "noise_percent",
        "machines",
        "executions",
        "total_mean_s",
        "total_min_s",
        "total_max_s",
        "rtt_mean_s",
        "gathering_mean_s",
        "clustering_s",
        "tree_s",
        "rtt_share",
        "settled_first_share",
        "samples_most",
        "messages",
        "messages_lost",
        "frame_hops",
        "frames_dropped",
    ]);
    for row in &report.measurements {
        let part = |spread: Option<Spread>, of: fn(Spread) -> f64| maybe(spread.map(of));
        table.row([
            row.network.clone(),
            whole(row.rate_bits_per_s),
            row.at_once.to_string(),
            row.noise_percent.to_string(),
            row.machines.to_string(),
            row.executions.to_string(),
            part(row.total_s, |spread| spread.mean),
            part(row.total_s, |spread| spread.min),
            part(row.total_s, |spread| spread.max),
            part(row.rtt_s, |spread| spread.mean),
            part(row.gathering_s, |spread| spread.mean),
            number(row.clustering_s),
            number(row.tree_s),
            maybe(row.rtt_share),
            maybe(row.settled_first_share),
            whole(row.samples_most),
            row.messages.to_string(),
            row.messages_lost.to_string(),
            row.frame_hops.to_string(),
            row.frames_dropped.to_string(),
        ]);
    }
    table.into_csv()
}

/// Random clusters.
fn recovery(rows: &[RecoveryReport]) -> String {
    let columns = [
        "method",
        "switches",
        "machines",
        "noise_permille",
        "clusters",
        "recovered",
        "refused",
        "recovered_share",
    ];
    let mut table = Table::new(&columns);
    for row in rows {
        table.row([
            row.method.to_owned(),
            row.switches.to_string(),
            row.machines.to_string(),
            row.noise_permille.to_string(),
            row.clusters.to_string(),
            row.recovered.to_string(),
            row.refused.to_string(),
            number(row.share),
        ]);
    }
    table.into_csv()
}

/// The page of the folder: what stands in it, what made it, the results, and the printed numbers beside ours.
pub(super) fn readme(results: &Results<'_>, report: &DiscoveryReport, files: &[(String, String)]) -> String {
    let Results { checked, discovery, .. } = results;
    let networks: Vec<&str> = discovery.networks.iter().map(|network| network.name.as_str()).collect();
    let methods: Vec<&str> = discovery.methods.iter().map(|method| method.name()).collect();
    let mut text = page_head(checked, &methods, &networks, files, about);
    text += &measurements(&report.measurements);
    text += &overview(&report.results);
    text += &findings(&report.results);
    text += &shares(report);
    text += &paper_page(&report.paper);
    text
}

/// Rows in a table of a page: more are left to the files.
const MOST_ROWS: usize = 80;

/// What was measured, at a glance.
fn measurements(rows: &[MeasurementReport]) -> String {
    if rows.len() > MOST_ROWS || rows.iter().all(|row| row.total_s.is_none() && row.messages == 0) {
        return String::new();
    }
    let mut text =
        "\n| measured | machines | switches | whole run, s | measuring | settled at once | most samples | \
                    lost messages |\n|---|---|---|---|---|---|---|---|\n"
            .to_owned();
    for row in rows {
        let per_cent =
            |share: Option<f64>| share.map_or_else(dash, |share| format!("{} %", short(share * 100.0)));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            markdown(&row.id),
            row.machines,
            row.switches,
            row.total_s.map_or_else(dash, |total| short(total.mean)),
            per_cent(row.rtt_share),
            per_cent(row.settled_first_share),
            row.samples_most.map_or_else(dash, |most| most.to_string()),
            row.messages_lost,
        );
    }
    text
}

fn dash() -> String {
    "-".to_owned()
}

/// What was inferred, at a glance.
fn overview(rows: &[ResultReport]) -> String {
    if rows.len() > MOST_ROWS {
        return String::new();
    }
    let mut text =
        "\n| inferred | recovered | without a tree | wrong pairs | greatest error | switches | classes, ms \
                    (switches) |\n|---|---|---|---|---|---|---|\n"
            .to_owned();
    for row in rows {
        let class = |class: &super::ClassReport| {
            format!("{}..{} ({})", short(class.low_ms), short(class.high_ms), class.hops)
        };
        let mut classes: Vec<String> = row.classes.iter().take(MOST_CLASSES).map(class).collect();
        if row.classes.len() > MOST_CLASSES {
            classes.push(format!("and {} more", row.classes.len() - MOST_CLASSES));
        }
        let _ = writeln!(
            text,
            "| {} | {} of {} | {} | {} | {} | {} | {} |",
            markdown(&row.id),
            row.recovered,
            row.executions,
            row.without_tree,
            row.wrong_pairs_mean.map_or_else(dash, short),
            row.hop_error_max,
            row.switches.map_or_else(dash, |switches| switches.to_string()),
            classes.join(", "),
        );
    }
    text
}

/// Classes of a row.
const MOST_CLASSES: usize = 6;
/// What is told of what methods found.
const MOST_FINDINGS: usize = 40;

/// What methods found.
fn findings(rows: &[ResultReport]) -> String {
    let all = rows.iter().flat_map(|row| row.findings.iter().map(move |finding| (row, finding)));
    let told: Vec<String> =
        all.map(|(row, finding)| format!("* {}: {}\n", markdown(&row.id), legible(&finding.text))).collect();
    let mut text = if told.is_empty() { String::new() } else { "\nWhat methods found:\n\n".to_owned() };
    text.extend(told.iter().take(MOST_FINDINGS).map(String::as_str));
    if told.len() > MOST_FINDINGS {
        let _ = writeln!(text, "* and {} more: see `summary.json`", told.len() - MOST_FINDINGS);
    }
    text
}

/// How often each method was right, over all networks, and on random clusters.
fn shares(report: &DiscoveryReport) -> String {
    let mut text = String::new();
    if report.shares.len() > 1 && report.shares.len() <= MOST_ROWS {
        text.push_str("\n| over all networks | recovered |\n|---|---|\n");
        for share in &report.shares {
            let _ =
                writeln!(text, "| {} | {} of {} |", markdown(&share.id), share.recovered, share.executions);
        }
    }
    if !report.recovery.is_empty() && report.recovery.len() <= MOST_ROWS {
        text.push_str("\n| random clusters: switches, method, noise in thousandths of a step | recovered |\n|---|---|\n");
        for row in &report.recovery {
            let _ = writeln!(text, "| {} | {} of {} |", markdown(&row.id), row.recovered, row.clusters);
        }
    }
    text
}

/// What a file holds, in a sentence.
fn about(name: &str) -> &'static str {
    match name {
        "discovery.csv" => {
            "every measurement and method: how often the true tree came out, and what was wrong"
        }
        "phases.csv" => {
            "every measurement: the whole run of the tool and its phases, samples, messages, frames"
        }
        "recovery.csv" => "random clusters recovered from made-up matrices, by size, method and noise",
        "paper.csv" => "the printed numbers, ours, and the deviation",
        "shares.svg" | "shares-at-once.svg" => "a figure: the share of networks recovered",
        "recovery.svg" => {
            "a figure: the share of random clusters recovered against the noise of a round-trip time"
        }
        name if name.ends_with(".csv") => "the first matrix, as `simnet discover` reads it, in ms",
        _ => "a figure: how many pairs have which round-trip time, by true number of switches between them",
    }
}
