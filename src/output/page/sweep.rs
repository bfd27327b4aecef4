//! A sweep: what was swept, and what came of it; of `simnet run` and of `simnet sweep`.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::markup::{Grade, grid, listed, name, notice, numbers, words};
use super::{Contents, Csv, Section};
use simnet_base::measure::Spread;
use simnet_base::numbers;

/// Columns of `points.csv` between which the axes stand.
const BEFORE: [&str; 2] = ["point", "key"];
const AFTER: &str = "seed";

pub(super) fn section(contents: &Contents) -> Option<Section> {
    if contents.sweep.is_null() && contents.at("sweep.count").is_none() {
        return None;
    }
    let body = match contents.tables.get("points") {
        Some(table) => swept(contents, table),
        None => unfinished(contents),
    };
    Some(Section { id: "sweep", title: "Sweep", body, data: None, script: None, style: None })
}

/// The axes of a sweep: the columns of its table between the key and the seed.
pub(super) fn axes(table: &Csv) -> Vec<usize> {
    let seed = table.column(AFTER).unwrap_or(0);
    (BEFORE.len().min(seed)..seed).collect()
}

fn unfinished(contents: &Contents) -> Markup {
    html! {
        p.lead { "The sweep " (name(contents.name())) " is not complete: points.csv appears when every point is done." }
        p { "To go on, give the command again that began it; to see how far it is, " code { "simnet sweep \
            status" } " with this folder." }
    }
}

fn swept(contents: &Contents, table: &Csv) -> Markup {
    let axes = axes(table);
    let all = table.rows.len() as u64 + table.left_out;
    let names: Vec<Markup> = axes.iter().map(|axis| name(&table.columns[*axis])).collect();
    let status =
        |wanted: &str| table.rows.iter().filter(|row| table.cell(row, "status") == Some(wanted)).count();
    let failed = status("failed");
    html! {
        p.lead {
            "The sweep " (name(contents.name())) " ran " (numbers::number(all as f64, 4)) " points that differ in "
            (listed(&names)) ", with " (numbers::count(values(table, table.column(AFTER)).len(), "seed")) " each."
        }
        @if is_quick(contents) {
            (notice(Grade::Warn, &html! { "this is the small form of the sweep (--quick), with fewer points and \
                messages." }))
        }
        @if failed > 0 {
            (notice(Grade::Bad, &html! { (failed) " points failed; their rows say why." }))
        } @else {
            (notice(Grade::Good, &html! { "no point failed." }))
        }
        h3 { "What was swept" }
        (grid("The axes and their values", &[words("Axis"), numbers("Values", ""), words("Which")],
            &axis_rows(table, &axes)))
        h3 { "What came of it" }
        (grid("Every number of the table: its least, mean and greatest over all points", &RESULT_COLUMNS,
            &result_rows(table)))
        p { "Point by point: " a href="#table-points" { "the table of all points" } "." }
    }
}

fn is_quick(contents: &Contents) -> bool {
    let given = contents.sweep.get("quick").or_else(|| contents.at("sweep.quick"));
    given.and_then(serde_json::Value::as_bool).unwrap_or(false)
}

const RESULT_COLUMNS: [super::markup::Column; 5] = [
    words("Result"),
    numbers("Least", ""),
    numbers("Mean", ""),
    numbers("Greatest", ""),
    numbers("Points with it", ""),
];

/// The different values of a column, in the order in which numbers or texts go.
fn values(table: &Csv, column: Option<usize>) -> Vec<String> {
    let Some(column) = column else { return Vec::new() };
    let distinct: BTreeSet<&str> = table.rows.iter().map(|row| row[column].as_str()).collect();
    let mut values: Vec<String> = distinct.into_iter().map(str::to_owned).collect();
    if values.iter().all(|value| value.parse::<f64>().is_ok()) {
        let number = |value: &String| value.parse::<f64>().unwrap_or(0.0);
        values.sort_by(|a, b| number(a).total_cmp(&number(b)));
    }
    values
}

/// The most values of an axis that are listed.
const MOST_VALUES: usize = 12;

fn axis_rows(table: &Csv, axes: &[usize]) -> Vec<Vec<Markup>> {
    let row = |axis: &usize| {
        let values = values(table, Some(*axis));
        let shown = if values.len() > MOST_VALUES {
            html! { (name(&values[0])) " to " (name(&values[values.len() - 1])) }
        } else {
            listed(&values.iter().map(|value| name(value)).collect::<Vec<_>>())
        };
        vec![name(&table.columns[*axis]), html! { (values.len()) }, shown]
    };
    axes.iter().map(row).collect()
}

fn result_rows(table: &Csv) -> Vec<Vec<Markup>> {
    let after = ["status", "error"];
    let first = table.column(AFTER).map_or(0, |seed| seed + 1);
    let results =
        (first..table.columns.len()).filter(|column| !after.contains(&table.columns[*column].as_str()));
    let row = |column: usize| {
        let numbers: Vec<f64> = table.rows.iter().filter_map(|row| row[column].parse().ok()).collect();
        let Some(Spread { mean, min, max, .. }) = Spread::of(&numbers) else {
            return truths(table, column);
        };
        let shown = |value: f64| html! { (numbers::number(value, 4)) };
        let count = html! { (numbers::number(numbers.len() as f64, 4)) };
        Some(vec![name(&table.columns[column]), shown(min), shown(mean), shown(max), count])
    };
    results.filter_map(row).collect()
}

/// A column of true and false: how many are true.
fn truths(table: &Csv, column: usize) -> Option<Vec<Markup>> {
    let count = |wanted: &str| table.rows.iter().filter(|row| row[column] == wanted).count();
    let (yes, no) = (count("true"), count("false"));
    (yes + no > 0).then(|| {
        let mean = html! { (yes) " true" };
        vec![name(&table.columns[column]), html! {}, mean, html! {}, html! { (yes + no) }]
    })
}
