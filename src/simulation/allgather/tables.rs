//! The tables of all-gathers, and their page.

use std::fmt::Write as _;

use crate::report::{Table, markdown};
use crate::scenario::Checked;
use crate::scenario::allgather::Allgather;

use super::super::beside::{page_head, paper, paper_page, short};
use super::{AllgatherReport, GatherReport};
use crate::numbers::{cell as maybe, exact as number};

/// Every table that has rows: name and contents.
pub(super) fn all(report: &AllgatherReport) -> Vec<(String, String)> {
    let mut files = vec![("allgather.csv".to_owned(), gathers(&report.results))];
    if !report.paper.is_empty() {
        files.push(("paper.csv".to_owned(), paper(&report.paper)));
    }
    files
}

/// A column of `allgather.csv`, and what stands in it.
type Column = (&'static str, fn(&GatherReport) -> String);

/// The columns of `allgather.csv`.
const COLUMNS: [Column; 29] = [
    ("network", |r| r.network.clone()),
    ("medium", |r| r.medium.to_owned()),
    ("transport", |r| r.transport.unwrap_or_default().to_owned()),
    ("protocol", |r| r.protocol.to_owned()),
    ("algorithm", |r| r.algorithm.to_owned()),
    ("ran", |r| r.ran.unwrap_or_default().to_owned()),
    ("ranks", |r| r.ranks.to_string()),
    ("machines", |r| r.machines.to_string()),
    ("rate_bits_per_s", |r| r.rate_bits_per_s.to_string()),
    ("size_bytes", |r| r.size_bytes.to_string()),
    ("time_mean_ms", |r| maybe(r.time_mean_ms)),
    ("time_min_ms", |r| maybe(r.time_min_ms)),
    ("time_max_ms", |r| maybe(r.time_max_ms)),
    ("bound_ms", |r| maybe(r.bound_ms)),
    ("efficiency", |r| maybe(r.efficiency)),
    ("correct", |r| number(r.correct)),
    ("messages", |r| r.messages.to_string()),
    ("messages_lost", |r| r.messages_lost.to_string()),
    ("stuck_ranks", |r| r.stuck_ranks.to_string()),
    ("iterations", |r| r.iterations.to_string()),
    ("executions", |r| r.executions.to_string()),
    ("frames", |r| r.frames.to_string()),
    ("frame_hops", |r| r.frame_hops.to_string()),
    ("frames_dropped", |r| r.frames_dropped.to_string()),
    ("frames_flooded", |r| r.frames_flooded.to_string()),
    ("buffer_peak_bytes", |r| r.buffer_peak_bytes.to_string()),
    ("max_path_length", |r| count(r.max_path_length)),
    ("max_channel_load", |r| count(r.max_channel_load)),
    ("contention_free", |r| r.contention_free.map(|free| free.to_string()).unwrap_or_default()),
];

fn count(value: Option<usize>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// A row a result.
fn gathers(results: &[GatherReport]) -> String {
    let mut table = Table::new(&COLUMNS.map(|(name, _)| name));
    for result in results {
        table.row(COLUMNS.map(|(_, cell)| cell(result)));
    }
    table.into_csv()
}

/// The page of the folder: what stands in it, what made it, the results, and the printed numbers beside ours.
pub(super) fn readme(
    checked: &Checked,
    allgather: &Allgather,
    report: &AllgatherReport,
    files: &[(String, String)],
) -> String {
    let networks: Vec<&str> = allgather.networks.iter().map(|network| network.name.as_str()).collect();
    let methods: Vec<&str> = allgather.algorithms.iter().map(|method| method.name()).collect();
    let mut text = page_head(checked, &methods, &networks, files, about);
    text += &overview(&report.results);
    text += &paper_page(&report.paper);
    text
}

/// Results in a page: more are left to the table.
const MOST_ROWS: usize = 80;

/// The results at a glance.
fn overview(results: &[GatherReport]) -> String {
    if results.len() > MOST_ROWS {
        return String::new();
    }
    let header = "| | ran | ms | bound, ms | efficiency | right buffers | dropped frames | longest path | \
                  free of contention |";
    let mut text = format!("\n{header}\n|---|---|---|---|---|---|---|---|---|\n");
    for result in results {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} % | {} | {} | {} |",
            markdown(&result.id),
            result.ran.unwrap_or("nothing"),
            result.time_mean_ms.map_or_else(|| "-".to_owned(), short),
            result.bound_ms.map_or_else(|| "-".to_owned(), short),
            result.efficiency.map_or_else(|| "-".to_owned(), short),
            short(result.correct * 100.0),
            result.frames_dropped,
            count(result.max_path_length),
            match result.contention_free {
                Some(true) => "yes",
                Some(false) => "no",
                None => "",
            },
        );
    }
    text
}

/// What a file holds, in a sentence.
fn about(name: &str) -> &'static str {
    match name {
        "allgather.csv" => {
            "every network, medium, rate, transport, protocol, algorithm and size: times, the bound (P - N) m / B, \
             right buffers, losses, frames"
        }
        "paper.csv" => "the printed numbers, ours, and the deviation",
        _ => "a figure; hollow marks: not every buffer was right",
    }
}
