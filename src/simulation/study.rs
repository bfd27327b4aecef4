//! A study: every mapper on every network at every value of the axes, and what they come to together.
//!
//! # Scope and limitations
//! Every cell is an ordinary mapping run, as often as its variant says, with the scenario's seed and those
//! after it. Means are over runs; the numbers of a map are those of what each run found, right or wrong.
//!
//! # Validation
//! `tests/it/study.rs`: cells equal the same scenarios run alone; means and deviations by hand.

mod figures;
mod report;
mod tables;
mod values;

pub use report::{CellReport, StudyReport};

use rayon::prelude::*;

use crate::host::mapper::Growth;
use crate::scenario::Checked;
use crate::scenario::study::{Cell, Quantity, Study};
use crate::topology::Network;

use super::mapping::MapReport;
use super::mappings::Ground;
use super::summary::{Outcome, Summary};
use super::{Listener, Progress, Run, RunError};

/// What came of a cell.
pub(super) struct Outcomes {
    /// Which cell.
    pub(super) cell: Cell,
    /// Its runs, in order of their seeds.
    pub(super) runs: Vec<Trial>,
    /// The map of the first run.
    pub(super) map: Network,
}

/// What came of one run.
pub(super) struct Trial {
    /// The map, judged.
    pub(super) report: MapReport,
    /// The model after each exploration, of the first run only.
    pub(super) history: Vec<Growth>,
    /// The most nodes of the model.
    pub(super) peak_nodes: u64,
    events: u64,
}

/// What came of all cells.
pub(super) struct Results<'a> {
    /// What was studied.
    pub(super) study: &'a Study,
    /// In the order of [`Study::cells`].
    pub(super) cells: Vec<Outcomes>,
}

/// Runs every cell, several at a time, and gathers them in order.
///
/// # Errors
/// [`RunError`] of the first cell that has one.
pub(super) fn run(checked: &Checked, study: &Study, progress: &dyn Progress) -> Result<Run, RunError> {
    let cells = study.cells();
    progress.stage("mapping", cells.len() as u64);
    let alone = Checked { study: None, ..checked.clone() };
    let one = |cell: &Cell| {
        let done = of_cell(&alone.cell(study, *cell), *cell, progress);
        progress.step();
        done
    };
    let cells: Vec<Outcomes> = cells.par_iter().map(one).collect::<Result<_, _>>()?;
    let events = cells.iter().flat_map(|cell| &cell.runs).map(|run| run.events).sum();
    let results = Results { study, cells };
    let report = StudyReport::new(&results);
    let mut files = tables::all(&results, &report);
    files.extend(figures::all(checked, &results));
    files.push(("README.md".to_owned(), tables::readme(checked, &results, &report, &files)));
    let is_late = |outcomes: &Outcomes| outcomes.values(Quantity::Time).is_none();
    let outcome = if results.cells.iter().any(is_late) { Outcome::Horizon } else { Outcome::Drained };
    let summary = Summary { study: Some(report), ..Summary::new(checked, outcome) };
    Ok(Run { summary, files, latencies: Vec::new(), events, messages_delivered: 0 })
}

/// Runs a cell.
fn of_cell(checked: &Checked, cell: Cell, progress: &dyn Progress) -> Result<Outcomes, RunError> {
    let mapping = checked.mapping.as_ref().expect("a cell is a mapping");
    let ground = Ground::new(checked, mapping)?.heard_by(Listener(progress));
    let mut runs = Vec::new();
    let mut map = None;
    for offset in 0..u64::from(mapping.runs) {
        let attempt = ground.attempt(checked.seed.wrapping_add(offset), None, |_| None)?;
        let found = attempt.mapped.map;
        let peak_nodes = found.history.iter().map(|growth| growth.nodes).max().unwrap_or(0);
        let history = if offset == 0 { found.history } else { Vec::new() };
        let events = attempt.mapped.events;
        runs.push(Trial { report: attempt.report, history, peak_nodes, events });
        map.get_or_insert(found.network);
    }
    Ok(Outcomes { cell, runs, map: map.expect("a mapping is run at least once") })
}

impl Results<'_> {
    /// What came of a cell.
    pub(super) fn of(&self, cell: Cell) -> Option<&Outcomes> {
        self.cells.iter().find(|result| result.cell == cell)
    }
}
