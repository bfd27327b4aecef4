//! Evaluates a sweep's points: table, statistics over axes, comparisons with the papers' numbers, figures.
//!
//! ```text
//!   outcomes ──ratios──▶ Points ──┬──▶ points.csv
//!                                 ├──▶ statistics.csv
//!                                 ├──▶ paper.csv
//!                                 ├──▶ a figure each
//!                                 └──▶ the object `sweep` of summary.json, README.md
//! ```
//! A function of the sweep and of its points' results.

mod figures;
mod page;
mod statistics;

use serde::{Deserialize as _, Serialize};
use serde_json::{Map, Value};

use crate::simulation::{Outcome, PaperReport, paper};
use simnet_base::measure::Spread;
use simnet_output::report::{Cell, Column, Table};
use simnet_scenario::sweep::{Pins, Ratio, Reference, SEED, Sweep};

use super::ends::Ends;
use super::merge::{Row, add_row, beside_axes, header};
use super::run::INTERRUPTED;
use super::scenarios::Scenarios;
use super::store::TABLE;

use statistics::Statistics;

/// What a sweep came to.
pub struct Evaluated {
    /// Its object of `summary.json`.
    pub summary: SweepSummary,
    /// The other files of its folder: name and contents.
    pub files: Vec<(String, String)>,
    /// What people look at first: the statistics, or without any the points.
    pub shown: Table,
    /// How many points failed, and the first of them with the reason.
    pub failed: Option<(usize, usize, String)>,
    /// What decides how the sweep ends, of the other points.
    pub ends: Ends,
    /// Columns that were requested and that no point has.
    pub empty_columns: Vec<String>,
}

/// The object of `summary.json`, as far as a sweep has what a run has.
#[derive(Clone, Debug, Serialize)]
pub struct SweepSummary {
    /// The scenario's name.
    pub scenario: String,
    /// What the scenario says that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The seed.
    pub seed: u64,
    /// The gravest of the points' outcomes.
    pub outcome: Outcome,
    /// Whether the run was interrupted, so that points are missing.
    #[serde(skip_serializing_if = "crate::is_default")]
    pub interrupted: bool,
    /// What the points came to.
    pub sweep: SweepReport,
}

/// The object `sweep` of `summary.json`.
#[derive(Clone, Debug, Serialize)]
pub struct SweepReport {
    /// Whether it is the small form of the sweep.
    pub quick: bool,
    /// The axes: names and how many values they have.
    pub axes: Vec<String>,
    /// The parts that differ from seed to seed, as the key `vary` names them; empty with a single seed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub varied: Vec<&'static str>,
    /// The axes and seeds that half-widths are over, in words; `None` without statistics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub half_widths_over: Option<String>,
    /// How many points there are.
    pub count: usize,
    /// How many of them failed.
    pub failed: usize,
    /// How many of them ended in a deadlock that nothing recovered.
    #[serde(skip_serializing_if = "crate::is_default")]
    pub deadlocked: usize,
    /// How many of them were not done when the run was interrupted.
    #[serde(skip_serializing_if = "crate::is_default")]
    pub not_done: usize,
    /// Each point: its `id`, and its columns, nested as their paths are.
    pub points: Vec<Value>,
    /// Each combination of the axes over which no statistics are taken: its `id`, and of every column, nested as its
    /// path is, what was found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub statistics: Vec<Value>,
    /// The values of the axes over which statistics are taken that are nearest to the means, if they were looked for:
    /// the `id` of a point without its other axes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
    /// The printed numbers and ours.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paper: Vec<PaperReport>,
}

/// The points of a sweep with what they came to.
struct Points<'a> {
    sweep: &'a Sweep,
    /// The scalars of each, ratios among them; or why there are none.
    outcomes: Vec<Result<Value, String>>,
    /// The columns that are shown, ratios among them.
    columns: Vec<String>,
    /// Columns with a value for every position of a list, ratios among them.
    curves: Vec<String>,
}

/// What stands for every position of a list in a column's path.
const ANY: char = '*';

/// The seeds of a sweep in words, with the parts that they vary.
fn seeds(sweep: &Sweep) -> String {
    format!("seeds that vary {}", listed(&sweep.varied()))
}

/// Names as in `a, b and c`.
fn listed(names: &[impl AsRef<str>]) -> String {
    match names.iter().map(AsRef::as_ref).collect::<Vec<_>>().split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        Some((only, _)) => (*only).to_owned(),
        None => String::new(),
    }
}

/// The most columns that people are shown.
const MOST_SHOWN: usize = 6;

/// Makes everything of the outcomes of a sweep's points, which are given in plan order as [`super::Points::compute`]
/// leaves them.
///
/// # Panics
/// If there are not as many outcomes as points.
pub fn evaluate(plan: &Scenarios, outcomes: Vec<Result<Value, String>>) -> Evaluated {
    let ends = Ends::of(plan, &outcomes);
    let points = Points::new(plan.sweep(), outcomes);
    let statistics = Statistics::new(&points);
    let references = plan.sweep().evaluation().references.iter().filter(|reference| points.has(reference));
    let compared: Vec<PaperReport> = references.map(|reference| points.compared(reference)).collect();
    let (table, empty_columns) = points.table(plan);
    let mut files = vec![(TABLE.to_owned(), table)];
    if !points.curves.is_empty() {
        files.push(("curves.csv".to_owned(), points.curves().into_csv()));
    }
    if !statistics.is_empty() {
        files.push(("statistics.csv".to_owned(), statistics.table(&points.all_columns()).into_csv()));
    }
    if !compared.is_empty() {
        files.push(("paper.csv".to_owned(), paper(&compared)));
    }
    files.extend(figures::all(&points, &statistics));
    files.push(("README.md".to_owned(), page::readme(&points, &statistics, &compared, &files)));
    let failures = || {
        let errors = points.outcomes.iter().enumerate();
        let errors = errors.filter_map(|(nth, outcome)| Some((nth, outcome.as_ref().err()?)));
        errors.filter(|(_, why)| *why != INTERRUPTED)
    };
    let failed = failures().next().map(|(nth, why)| (failures().count(), nth, why.clone()));
    let shown = if statistics.is_empty() { points.shown() } else { statistics.table(&points.columns) };
    let summary = points.summary(ends, &statistics, compared);
    Evaluated { summary, files, shown, failed, ends, empty_columns }
}

impl<'a> Points<'a> {
    fn new(sweep: &'a Sweep, outcomes: Vec<Result<Value, String>>) -> Points<'a> {
        assert_eq!(outcomes.len(), sweep.len(), "an outcome a point");
        let (curves, columns) = sweep.columns().iter().cloned().partition(|name| name.contains(ANY));
        let mut points = Points { sweep, outcomes, columns, curves };
        if sweep.columns().is_empty() {
            points.columns = points.found();
        }
        for ratio in &sweep.evaluation().ratios {
            points.add(ratio);
        }
        points
    }

    /// Every scalar of any point, in order of first appearance.
    fn found(&self) -> Vec<String> {
        let mut seen = std::collections::BTreeSet::new();
        let names = self.outcomes.iter().flatten().filter_map(Value::as_object).flat_map(Map::keys);
        names.filter(|name| seen.insert(name.as_str())).cloned().collect()
    }

    /// Adds a column of ratios.
    fn add(&mut self, ratio: &Ratio) {
        let places = self.places(&ratio.column);
        let of_point = |point: usize| self.ratios_of(point, ratio, &places);
        let values: Vec<Vec<(String, f64)>> = (0..self.outcomes.len()).map(of_point).collect();
        for (outcome, values) in self.outcomes.iter_mut().zip(values) {
            if let Ok(Value::Object(scalars)) = outcome {
                scalars.extend(values.into_iter().map(|(name, value)| (name, Value::from(value))));
            }
        }
        let columns = if ratio.name.contains(ANY) { &mut self.curves } else { &mut self.columns };
        columns.push(ratio.name.clone());
    }

    /// The ratios of a point to the other one of its ratio, by name: one at every position of `places` at which
    /// both have a value and are carried.
    fn ratios_of(&self, point: usize, ratio: &Ratio, places: &[(usize, String)]) -> Vec<(String, f64)> {
        let Some(base) = self.sweep.other(point, &ratio.over) else { return Vec::new() };
        let is_refused =
            |nth| [point, base].into_iter().any(|point| self.is_refused(point, &ratio.column, nth));
        let sure = places.iter().filter(|(nth, _)| !is_refused(*nth));
        sure.filter_map(|(nth, column)| {
            let (own, base) = (self.number(point, column)?, self.number(base, column)?);
            (base != 0.0).then(|| (at_position(&ratio.name, *nth), own / base))
        })
        .collect()
    }

    /// All columns, those of lists at every position at which some point has a value; each once, also where a file
    /// lists both a list and a position of it.
    fn all_columns(&self) -> Vec<String> {
        let curves = self.curves.iter().flat_map(|curve| self.places(curve)).map(|(_, column)| column);
        let further = curves.filter(|column| !self.columns.contains(column));
        self.columns.iter().cloned().chain(further).collect()
    }

    /// A column at every position of its list at which some point has a value, as far as they have no gap; itself, at
    /// no position in particular, if it is of no list.
    fn places(&self, column: &str) -> Vec<(usize, String)> {
        if !column.contains(ANY) {
            return vec![(0, column.to_owned())];
        }
        let is_there =
            |column: &String| (0..self.outcomes.len()).any(|point| self.value(point, column).is_some());
        (0..).map(|nth| (nth, at_position(column, nth))).take_while(|(_, at)| is_there(at)).collect()
    }

    /// Whether a position of a column's list is that of a load at which the network is saturated or dead.
    fn is_refused(&self, point: usize, column: &str, position: usize) -> bool {
        let state = column.split_once(ANY).map(|(list, _)| format!("{list}{position}.state"));
        let state = state.and_then(|state| self.value(point, &state));
        state.is_some_and(|state| state == "saturated" || state == "deadlocked")
    }

    /// A value of a point, if it has it.
    fn value(&self, point: usize, column: &str) -> Option<&Value> {
        self.outcomes[point].as_ref().ok()?.get(column)
    }

    /// A number of a point, if it has it; true is one, false zero.
    fn number(&self, point: usize, column: &str) -> Option<f64> {
        match self.value(point, column)? {
            Value::Bool(truth) => Some(f64::from(u8::from(*truth))),
            value => value.as_f64(),
        }
    }

    /// Whether a column is of a load point at which the network died.
    fn is_dead(&self, point: usize, column: &str) -> bool {
        let state = column.rsplit_once('.').map(|(load_point, _)| format!("{load_point}.state"));
        state.and_then(|state| self.value(point, &state)).is_some_and(|state| state == "deadlocked")
    }

    /// The points that hold these values, in plan order.
    fn holding<'b>(&'b self, pins: &'b Pins) -> impl Iterator<Item = usize> + 'b {
        (0..self.outcomes.len()).filter(|point| self.sweep.holds(*point, pins))
    }

    /// `points.csv`, and the columns that no point has.
    fn table(&self, plan: &Scenarios) -> (String, Vec<String>) {
        let columns = beside_axes(&self.columns, self.sweep.axes());
        let mut text = header(self.sweep.axes(), &columns);
        let mut seen = vec![false; columns.len()];
        for (point, outcome) in self.outcomes.iter().enumerate() {
            let row = Row::of(plan, point);
            add_row(&mut text, &row, outcome.as_ref().map_err(String::as_str), &columns, &mut seen);
        }
        let empty = columns.iter().zip(seen).filter(|(_, seen)| !seen);
        (text, empty.map(|(column, _)| column.clone()).collect())
    }

    /// `curves.csv`: a row for every point and position of the lists whose columns were requested.
    fn curves(&self) -> Table {
        let axes = self.sweep.axes_in_short();
        let words = axes.iter().map(|axis| Column::words(axis, "a value of the axis"));
        let seed = std::iter::once(Column::words(SEED, "the seed"));
        let place = std::iter::once(Column::numbers("position", "", "the position in the list, from 0"));
        let values = self.curves.iter().map(|name| Column::numbers(name, "", "a column of the sweep"));
        let mut table = Table::of(words.chain(seed).chain(place).chain(values).collect());
        for point in 0..self.outcomes.len() {
            let common = axes.iter().map(|axis| axis.as_str()).chain([SEED]);
            let common: Vec<Cell> =
                common.filter_map(|axis| self.sweep.text(point, axis)).map(Cell::from).collect();
            for position in 0.. {
                let at = |name: &String| self.value(point, &at_position(name, position));
                if self.curves.iter().all(|name| at(name).is_none()) {
                    break;
                }
                let values = self.curves.iter().map(|name| at(name).map_or(Cell::Nothing, Cell::from));
                table.row(common.iter().cloned().chain([Cell::from(position as u64)]).chain(values));
            }
        }
        table
    }

    /// The points for people: the first columns of each.
    fn shown(&self) -> Table {
        let names = self.columns.iter().take(MOST_SHOWN);
        let columns = names.clone().map(|name| Column::numbers(name, "", "a column of points.csv"));
        let mut table =
            Table::of(std::iter::once(Column::words("point", "which point")).chain(columns).collect());
        for point in 0..self.outcomes.len() {
            let id = Cell::from(self.sweep.id(point, &[]));
            let cells = names.clone().map(|name| self.value(point, name).map_or(Cell::Nothing, Cell::from));
            table.row(std::iter::once(id).chain(cells));
        }
        table
    }

    /// Whether there is anything to compare with a printed number: of the small form of a sweep there may be no point.
    fn has(&self, reference: &Reference) -> bool {
        !self.sweep.is_quick() || self.holding(&reference.at).next().is_some()
    }

    /// Compares ours with a printed number; with the least and the greatest where ours are several.
    ///
    /// # Source
    /// Gains printed in per cent are compared as the factors that they stand for: 1.25 is 4 % more than 1.20.
    fn compared(&self, reference: &Reference) -> PaperReport {
        let numbers: Vec<f64> = self
            .holding(&reference.at)
            .filter_map(|point| self.number(point, &reference.column))
            .map(|number| number * reference.scale)
            .collect();
        let is_ratio = self.sweep.evaluation().ratios.iter().any(|ratio| ratio.name == reference.column);
        let report = PaperReport::of(&reference.number, Spread::of(&numbers), reference.statistic, is_ratio);
        if numbers.len() > 1 { report } else { PaperReport { ours_min: None, ours_max: None, ..report } }
    }

    fn summary(&self, ends: Ends, statistics: &Statistics, paper: Vec<PaperReport>) -> SweepSummary {
        let errors = || self.outcomes.iter().filter_map(|outcome| outcome.as_ref().err());
        let not_done = errors().filter(|why| *why == INTERRUPTED).count();
        let failed = errors().count() - not_done;
        let outcomes = (0..self.outcomes.len()).filter_map(|point| self.value(point, "outcome"));
        let outcomes = outcomes.filter_map(|outcome| Outcome::deserialize(outcome).ok());
        let outcome = outcomes.max().unwrap_or(Outcome::Drained);
        SweepSummary {
            scenario: self.sweep.name().to_owned(),
            description: self.sweep.description().map(str::to_owned),
            seed: self.sweep.own_seed(),
            outcome,
            interrupted: not_done > 0,
            sweep: SweepReport {
                quick: self.sweep.is_quick(),
                axes: self.sweep.axes().to_vec(),
                varied: if self.sweep.seeds() > 1 { self.sweep.varied() } else { Vec::new() },
                half_widths_over: statistics.over.clone(),
                count: self.outcomes.len(),
                failed,
                deadlocked: ends.deadlocked,
                not_done,
                points: (0..self.outcomes.len()).map(|point| self.report(point)).collect(),
                statistics: statistics.report(),
                nearest: statistics.nearest.as_ref().map(|nearest| nearest.id.clone()),
                paper,
            },
        }
    }

    /// A point as `summary.json` has it.
    fn report(&self, point: usize) -> Value {
        let values =
            self.columns.iter().filter_map(|name| Some((name.as_str(), self.value(point, name)?.clone())));
        nested(&self.sweep.id(point, &[]), values)
    }
}

/// A column of lists at a position.
fn at_position(column: &str, position: usize) -> String {
    column.replacen(ANY, &position.to_string(), 1)
}

/// An object with an `id`, and values where their paths lead; what stands in the way of a path is displaced.
fn nested<'a>(id: &str, values: impl Iterator<Item = (&'a str, Value)>) -> Value {
    let mut root = Map::new();
    for (path, value) in values {
        let (inner, last) = path.rsplit_once('.').unwrap_or(("", path));
        let mut at = &mut root;
        for key in inner.split('.').filter(|key| !key.is_empty()) {
            let next = at.entry(key).or_insert_with(|| Value::Object(Map::new()));
            if !next.is_object() {
                *next = Value::Object(Map::new());
            }
            at = next.as_object_mut().expect("it was made an object");
        }
        at.insert(last.to_owned(), value);
    }
    root.insert("id".to_owned(), Value::from(id));
    Value::Object(root)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Wrong if a path led elsewhere than in the summary of a run.
    #[test]
    fn columns_are_nested_as_their_paths_are() {
        let values =
            [("outcome", json!("drained")), ("points.0.load", json!(0.5)), ("points.0.messages", json!(7))];
        let expected =
            json!({"id": "a/b", "outcome": "drained", "points": {"0": {"load": 0.5, "messages": 7}}});
        assert_eq!(nested("a/b", values.into_iter()), expected);
    }
}
