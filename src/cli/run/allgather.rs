//! What `simnet run` says of all-gathers and rings.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use crate::cli::output::Table;
use crate::numbers::{fixed, or_dash, percent};

use crate::cli::Failure;
use crate::cli::output::write_whole_by;
use crate::diagnostics::{legible, shown};
use crate::scenario::Checked;
use crate::scenario::allgather::MediumKind;
use crate::simulation::allgather::{self as gathers, AllgatherReport, GatherReport};
use crate::simulation::{RingsReport, Summary};

use super::paper::paper;
use super::summary::columns;

/// Results that are told one by one; more are left to the tables.
const TOLD: usize = 120;
/// Losses that are told one by one.
const LOSSES: usize = 3;

/// All-gathers as text: a table of the results, what was lost, then the printed numbers beside ours.
pub(super) fn text(report: &AllgatherReport) -> String {
    let mut text = String::new();
    if report.results.len() > TOLD {
        let _ = writeln!(text, "\n{} all-gathers are in allgather.csv", report.results.len());
    } else {
        let _ = writeln!(text, "\n{}", results(report));
    }
    for result in report.results.iter().filter(|result| result.messages_lost > 0) {
        let _ = writeln!(
            text,
            "\n{}: LOST {} of {} messages, {} ranks cannot go on",
            legible(&result.id),
            result.messages_lost,
            result.messages,
            result.stuck_ranks
        );
        for lost in result.lost.iter().take(LOSSES) {
            let _ = writeln!(text, "  lost: {}", legible(lost));
        }
        for stuck in result.stuck.iter().take(LOSSES) {
            let _ = writeln!(text, "  {}", legible(stuck));
        }
    }
    if !report.paper.is_empty() {
        let _ = writeln!(text, "\n{}", paper(&report.paper));
    }
    text
}

fn results(report: &AllgatherReport) -> Table {
    let header = [
        "",
        "ran",
        "bytes",
        "ms",
        "bound, ms",
        "efficiency",
        "right",
        "dropped",
        "longest path",
        "contention",
    ];
    let mut table = columns(&header);
    for result in &report.results {
        table.add_row(row(result));
    }
    table
}

fn row(result: &GatherReport) -> [String; 10] {
    let id = result.id.rsplit_once('/').map_or(result.id.as_str(), |(id, _)| id);
    [
        id.to_owned(),
        result.ran.unwrap_or("NOTHING").to_owned(),
        result.size_bytes.to_string(),
        fixed(result.time_mean_ms, 3),
        fixed(result.bound_ms, 3),
        fixed(result.efficiency, 3),
        percent(result.correct, 1),
        result.frames_dropped.to_string(),
        or_dash(result.max_path_length),
        match result.contention_free {
            Some(true) => "none",
            Some(false) => "YES",
            None => "-",
        }
        .to_owned(),
    ]
}

/// Rings as text: those of the scenario's own network, then those of clusters, then the printed numbers.
pub(super) fn rings(report: &RingsReport) -> String {
    let mut table = columns(&["ring", "longest path", "least possible", "contention"]);
    for ring in &report.network {
        let verdict = match (&ring.refused, ring.contention_free) {
            (Some(why), _) => why.clone(),
            (None, Some(true)) => "none".to_owned(),
            (None, _) => "YES".to_owned(),
        };
        let [length, bound] = [ring.max_path_length, ring.max_path_length_bound].map(or_dash);
        table.add_row([ring.id.clone(), length, bound, verdict]);
    }
    let mut text = format!("\n{table}\n");
    if !report.clusters.is_empty() {
        let header = ["clusters", "rings", "free of contention", "longest path", "least", "greatest"];
        let mut table = columns(&header);
        for row in &report.clusters {
            table.add_row([
                row.id.clone(),
                format!("{} of {}", row.rings, row.clusters),
                row.contention_free.to_string(),
                fixed(row.max_path_length_mean, 2),
                row.max_path_length_min.to_string(),
                row.max_path_length_max.to_string(),
            ]);
        }
        let _ = writeln!(text, "\n{table}");
    }
    if !report.paper.is_empty() {
        let _ = writeln!(text, "\n{}", paper(&report.paper));
    }
    text
}

/// How many packets a capture holds at most.
const MOST_PACKETS: u64 = 1_000_000;

/// Whether a scenario has all-gathers over frames.
pub(super) fn has_frames(checked: &Checked) -> bool {
    let gathers = checked.allgather.as_ref();
    gathers.is_some_and(|allgather| allgather.media.contains(&MediumKind::Ethernet))
}

/// Writes the frames of a scenario's first all-gather over an Ethernet to a file, whole or not at all.
///
/// # Errors
/// [`Failure::Io`] if the file cannot be written, [`Failure::Scenario`] if nothing can be run.
pub(super) fn capture(scenario: &Path, file: &Path, checked: &Checked) -> Result<(), Failure> {
    let allgather = checked.allgather.as_ref().expect("a scenario with frames has all-gathers");
    let mut refused = None;
    let mut tally = None;
    let written = write_whole_by(file, |out| match gathers::capture(checked, allgather, out, MOST_PACKETS) {
        Ok(captured) => captured.map(|captured| tally = captured),
        Err(error) => {
            refused = Some(Failure::Scenario(format!("{}: {error}", shown(&scenario))));
            Err(io::Error::other("nothing to capture"))
        }
    });
    if let Some(refused) = refused {
        return Err(refused);
    }
    written?;
    if let Some(left_out) = tally.map(|tally| tally.left_out).filter(|left_out| *left_out > 0) {
        let file = shown(file);
        super::super::warn(&format!(
            "{file} holds the first {MOST_PACKETS} packets; {left_out} more are left out"
        ));
    }
    Ok(())
}

/// Tells on stderr of rings that do not exist, of wrong buffers and of losses; whether the run has failed by that.
pub(super) fn complain(summary: &Summary) -> bool {
    let Some(report) = &summary.allgather else { return false };
    for result in &report.results {
        let id = legible(&result.id);
        if let Some(why) = &result.refused {
            super::super::warn(&format!("{id}: {}", legible(why)));
        }
        if result.buffers_wrong > 0 {
            super::super::warn(&format!("{id}: {} buffers hold something else", result.buffers_wrong));
        }
        if result.buffers_missing > 0 && result.refused.is_none() {
            let (missing, lost) = (result.buffers_missing, result.messages_lost);
            super::super::warn(&format!(
                "{id}: {missing} buffers were never filled, {lost} messages were lost"
            ));
        }
    }
    report.results.iter().any(GatherReport::is_wrong)
}
