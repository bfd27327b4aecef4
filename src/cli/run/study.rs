//! What `simnet run` says of a study.

use std::fmt::Write as _;

use crate::cli::output::Table;
use crate::numbers::fixed;

use crate::simulation::Spread;
use crate::simulation::study::{CellReport, StudyReport};

use super::paper::paper;
use super::summary::columns;

/// Cells that are told one by one; more are left to mappings.csv.
const TOLD: usize = 60;

/// The study as text: a table a network, then the printed numbers beside ours.
pub(super) fn text(report: &StudyReport) -> String {
    let mut text = String::new();
    let cells: usize = report.networks.values().flat_map(|variants| variants.values()).map(Vec::len).sum();
    if cells > TOLD {
        let _ = writeln!(text, "\n{cells} mappings are in mappings.csv");
    } else {
        for (network, variants) in &report.networks {
            let mut table = columns(&["", "true maps", "sure, wrong", "messages", "ms", "least", "greatest"]);
            for (variant, cells) in variants {
                cells.iter().for_each(|cell| row(&mut table, variant, cell));
            }
            let _ = writeln!(text, "\n{network}\n{table}");
        }
    }
    if !report.paper.is_empty() {
        let _ = writeln!(text, "\n{}", paper(&report.paper));
    }
    text
}

fn row(table: &mut Table, variant: &str, cell: &CellReport) {
    let mut name = variant.to_owned();
    if let Some(answering) = cell.answering {
        let _ = write!(name, ", {answering} answering");
    }
    if let Some(retries) = cell.retries {
        let _ = write!(name, ", {retries} retries");
    }
    if let Some(load) = cell.load {
        let _ = write!(name, ", load {load}");
    }
    let number =
        |spread: Option<Spread>, pick: fn(Spread) -> f64, digits: usize| fixed(spread.map(pick), digits);
    table.add_row([
        name,
        format!("{} of {}", cell.right_and_sure + cell.right_and_unsure, cell.runs),
        cell.wrong_and_sure.to_string(),
        number(cell.sent, |spread| spread.mean, 0),
        number(cell.time_ms, |spread| spread.mean, 1),
        number(cell.time_ms, |spread| spread.min, 1),
        number(cell.time_ms, |spread| spread.max, 1),
    ]);
}
