//! What `simnet run` says of discoveries.

use std::fmt::Write as _;

use crate::cli::output::Table;
use crate::diagnostics::legible;
use crate::numbers::{fixed, or_dash, percent};

use crate::simulation::Spread;
use crate::simulation::discoveries::{DiscoveryReport, MeasurementReport, ResultReport};

use super::paper::paper;
use super::summary::columns;

/// Rows of a table; more are left to the files.
const TOLD: usize = 120;
/// What was found by one method in one matrix, and in all, as it is told one by one.
const FINDINGS: [usize; 2] = [4, 20];
/// Losses that are told one by one.
const LOSSES: usize = 3;

/// Discoveries as text: what was measured, what was inferred and found, then the printed numbers beside ours.
pub(super) fn text(report: &DiscoveryReport) -> String {
    let mut text = String::new();
    if report.results.len() > TOLD {
        let _ = writeln!(text, "\n{} results are in discovery.csv", report.results.len());
    } else {
        if report.measurements.iter().any(|row| row.rate_bits_per_s.is_some()) {
            let _ = writeln!(text, "\n{}", measurements(&report.measurements));
        }
        let _ = writeln!(text, "\n{}", results(&report.results));
    }
    for row in report.measurements.iter().filter(|row| row.complete < row.executions) {
        let _ = writeln!(
            text,
            "\n{}: {} of {} executions came to NO matrix; LOST {} of {} messages",
            legible(&row.id),
            row.executions - row.complete,
            row.executions,
            row.messages_lost,
            row.messages
        );
        for lost in row.lost.iter().take(LOSSES) {
            let _ = writeln!(text, "  lost: {}", legible(lost));
        }
        for stuck in row.stuck.iter().take(LOSSES) {
            let _ = writeln!(text, "  {}", legible(stuck));
        }
    }
    text += &findings(&report.results);
    text += &shares(report);
    if !report.paper.is_empty() {
        let _ = writeln!(text, "\n{}", paper(&report.paper));
    }
    text
}

fn measurements(rows: &[MeasurementReport]) -> Table {
    let header =
        ["measured", "machines", "s", "least", "greatest", "measuring", "settled", "most samples", "lost"];
    let mut table = columns(&header);
    for row in rows {
        let part = |pick: fn(Spread) -> f64| fixed(row.total_s.map(pick), 3);
        let per_cent = |share: Option<f64>| or_dash(share.map(|share| percent(share, 2)));
        table.add_row([
            row.id.clone(),
            row.machines.to_string(),
            part(|total| total.mean),
            part(|total| total.min),
            part(|total| total.max),
            per_cent(row.rtt_share),
            per_cent(row.settled_first_share),
            or_dash(row.samples_most),
            row.messages_lost.to_string(),
        ]);
    }
    table
}

fn results(rows: &[ResultReport]) -> Table {
    let header = ["inferred", "recovered", "no tree", "wrong pairs", "greatest error", "switches", "classes"];
    let mut table = columns(&header);
    for row in rows {
        table.add_row([
            row.id.clone(),
            format!("{} of {}", row.recovered, row.executions),
            row.without_tree.to_string(),
            fixed(row.wrong_pairs_mean, 1),
            row.hop_error_max.to_string(),
            or_dash(row.switches),
            row.classes.len().to_string(),
        ]);
    }
    table
}

/// What methods found, as far as there is room.
fn findings(rows: &[ResultReport]) -> String {
    let mut text = String::new();
    let [of_one, of_all] = FINDINGS;
    let told =
        rows.iter().flat_map(|row| row.findings.iter().take(of_one).map(move |finding| (row, finding)));
    for (row, finding) in told.take(of_all) {
        let _ = writeln!(text, "\n{}: {}", legible(&row.id), legible(&finding.text));
    }
    let all: usize = rows.iter().map(|row| row.findings.len()).sum();
    let shown: usize = rows.iter().map(|row| row.findings.len().min(of_one)).sum::<usize>().min(of_all);
    if all > shown {
        let _ = writeln!(text, "\n{} more findings are in summary.json", all - shown);
    }
    text
}

/// How often methods were right over all networks, and on random clusters.
fn shares(report: &DiscoveryReport) -> String {
    let mut text = String::new();
    let networks = report.measurements.iter().any(|row| row.network != report.measurements[0].network);
    if networks && report.shares.len() <= TOLD {
        let mut table = columns(&["over all networks", "recovered", "share"]);
        for share in &report.shares {
            let recovered = format!("{} of {}", share.recovered, share.executions);
            table.add_row([share.id.clone(), recovered, percent(share.share, 1)]);
        }
        let _ = writeln!(text, "\n{table}");
    }
    if report.recovery.len() > TOLD {
        let _ = writeln!(text, "\n{} rows of random clusters are in recovery.csv", report.recovery.len());
    } else if !report.recovery.is_empty() {
        let mut table = columns(&["random clusters", "recovered", "share"]);
        for row in &report.recovery {
            let recovered = format!("{} of {}", row.recovered, row.clusters);
            table.add_row([row.id.clone(), recovered, percent(row.share, 1)]);
        }
        let _ = writeln!(text, "\n{table}");
    }
    text
}
