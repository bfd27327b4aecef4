//! A sweep: what was swept, and what came of it; of `simnet run` and of `simnet sweep`.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::markup::{Grade, grid, listed, name, notice, numbers, words};
use super::{Contents, Csv, Section};
use simnet_base::measure::{Spread, half_width};
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
    let seeds = numbers::count(values(table, table.column(AFTER)).len(), "seed");
    let status =
        |wanted: &str| table.rows.iter().filter(|row| table.cell(row, "status") == Some(wanted)).count();
    let failed = status("failed");
    let is_whole = table.left_out == 0;
    html! {
        p.lead {
            "The sweep " (name(contents.name())) " ran "
            @if all == 1 { "1 point" } @else { (numbers::number(all as f64, 4)) " points" }
            @if names.is_empty() { ", with " (seeds) "." }
            @else { " that differ in " (listed(&names)) ", with " (seeds) " each." }
        }
        @if is_quick(contents) {
            (notice(Grade::Warn, &html! { "this is the small form of the sweep (--quick), with fewer points and \
                messages." }))
        }
        @if failed > 0 {
            (notice(Grade::Bad, &html! { (counted(failed, all)) " failed; their rows say why." }))
        } @else if is_whole {
            (notice(Grade::Good, &html! { "no point failed." }))
        }
        @if !is_whole {
            (notice(Grade::Warn, &html! { "only the first " (numbers::number(table.rows.len() as f64, 4)) " points are \
                read here; nothing is said of the others." }))
        }
        (worth(contents, table, all))
        @if !axes.is_empty() {
            h3 { "What was swept" }
            (grid("The axes and their values", &[words("Axis"), numbers("Values", ""), words("Which")],
                &axis_rows(table, &axes)))
        }
        (means(contents, table, &axes))
        h3 { "What came of it" }
        (grid("Every number of the table: its least and greatest over all points, saturated ones among them, without \
            loads at which the network died", &RESULT_COLUMNS, &result_rows(table)))
        p { "Point by point: " a href="#table-points" { "the table of all points" } "." }
    }
}

/// So many points of all, in words.
fn counted(some: usize, all: u64) -> Markup {
    html! { (numbers::number(some as f64, 4)) " of " (numbers::number(all as f64, 4)) " points" }
}

/// Rows of the table in which something is so, and the load points of them.
#[derive(Clone, Copy, Default)]
struct Count {
    rows: usize,
    loads: usize,
}

impl Count {
    /// Counts in these rows; `loads` says how many load points of a row there are.
    fn of<'a>(rows: impl Iterator<Item = &'a Vec<String>>, loads: impl Fn(&Vec<String>) -> usize) -> Count {
        rows.map(loads).fold(Count::default(), |sum, loads| Count {
            rows: sum.rows + usize::from(loads > 0),
            loads: sum.loads + loads,
        })
    }

    /// The same in words: points of all, or where points have several loads, so many loads of these.
    fn words(self, all: u64, has_several: bool) -> Markup {
        html! {
            @if has_several { (numbers::count(self.loads, "load")) " of " }
            (counted(self.rows, all))
        }
    }
}

/// Whether a column, of the whole run or of a load point, is called this.
fn is_called(column: &str, name: &str) -> bool {
    column.rsplit('.').next() == Some(name)
}

/// How many columns of this name, one a load point, say this in a row.
fn says(table: &Csv, row: &[String], name: &str, value: &str) -> usize {
    table.columns.iter().zip(row).filter(|(column, cell)| is_called(column, name) && *cell == value).count()
}

/// How many points died, how many were saturated, and how many are not known as well as was asked for; `Sure` only
/// where an interval says so of every point.
fn worth(contents: &Contents, table: &Csv, all: u64) -> Markup {
    let has = |name: &str| table.columns.iter().any(|column| is_called(column, name));
    let rows = || table.rows.iter().filter(|row| table.cell(row, "status") != Some("failed"));
    let states = ["state", "saturated", "converged"];
    let loads = |name: &str| table.columns.iter().filter(|column| is_called(column, name)).count();
    let has_several = states.iter().any(|name| loads(name) > 1);
    let saturated = Count::of(rows(), |row| says(table, row, "saturated", "true"));
    let is_dead = |row: &Vec<String>| {
        says(table, row, "state", "deadlocked") + says(table, row, "outcome", "deadlocked") > 0
    };
    // The table need not have a column that says so, and need not be whole.
    let ended = contents.at("sweep.deadlocked").or_else(|| contents.manifest.get("deadlocked"));
    let ended = ended.and_then(serde_json::Value::as_u64).and_then(|count| usize::try_from(count).ok());
    let dead = rows().filter(|row| is_dead(row)).count().max(ended.unwrap_or(0));
    // Without states, what is neither saturated nor converged.
    let doubtful = Count::of(rows(), |row| match has("state") {
        true => says(table, row, "state", "not-converged"),
        false if is_dead(row) => 0,
        false => says(table, row, "converged", "false").saturating_sub(says(table, row, "saturated", "true")),
    });
    let columns = table.columns.iter().enumerate();
    let half_widths: Vec<usize> = columns
        .filter(|(_, column)| is_called(column, "latency_half_width_ns"))
        .map(|(nth, _)| nth)
        .collect();
    let has_intervals = |row: &Vec<String>| half_widths.iter().all(|nth| !row[*nth].is_empty());
    // Of rows that the page has no room for, and of points that failed, nothing is known here.
    let is_whole = table.left_out == 0 && rows().count() == table.rows.len();
    let all_well = has("converged") && saturated.rows + doubtful.rows == 0 && dead == 0 && is_whole;
    let all_sure = !half_widths.is_empty() && rows().count() > 0 && rows().all(has_intervals);
    html! {
        @if dead > 0 {
            (notice(Grade::Bad, &html! { (counted(dead, all)) " ended in a deadlock that nothing breaks: what they \
                accepted is no throughput, and no curve shows them." }))
        }
        @if saturated.rows > 0 {
            (notice(Grade::Warn, &html! { (saturated.words(all, has_several)) " were saturated: latency has no mean \
                there, and only says how long was measured." }))
        }
        @if doubtful.rows > 0 {
            (notice(Grade::Warn, &html! { (doubtful.words(all, has_several)) " have not converged: their means are \
                not known as precisely as was asked for." }))
        }
        @if all_well && all_sure {
            (notice(Grade::Sure, &html! { "no point was saturated, and the mean latency of each is known within the \
                precision that was asked for; its half-width stands beside it in points.csv." }))
        } @else if all_well {
            (notice(Grade::Good, &html! { "no point was saturated, and all converged." }))
        }
    }
}

/// Numbers that differ by a smaller share are one number, rounded differently.
const ROUNDING: f64 = 1e-12;
/// The most columns of means, and the most rows.
const MOST_MEANS: usize = 4;
const MOST_GROUPS: usize = 100;

/// The means over the seeds with half the widths of their intervals, a row for each combination of the axes.
fn means(contents: &Contents, table: &Csv, axes: &[usize]) -> Markup {
    let seeds = values(table, table.column(AFTER)).len();
    let columns = super::curves::of_interest(table, MOST_MEANS);
    if seeds < 2 || columns.is_empty() {
        return html! {};
    }
    let shown = without_followers(table, axes);
    let mut groups: Vec<(Vec<&str>, Vec<&Vec<String>>)> = Vec::new();
    let mut known = BTreeMap::new();
    for row in &table.rows {
        let key: Vec<&str> = shown.iter().map(|axis| row[*axis].as_str()).collect();
        let nth = *known.entry(key.clone()).or_insert_with(|| {
            groups.push((key, Vec::new()));
            groups.len() - 1
        });
        groups[nth].1.push(row);
    }
    let more = groups.len().saturating_sub(MOST_GROUPS);
    html! {
        h3 { "Means over the seeds" }
        p {
            "± is half the width of the mean's 95 % confidence interval over the seeds" (varied(contents))
            " (Student's t): how much chance between them matters."
        }
        div.scroll tabindex="0" role="region" aria-label="Means over the seeds" { table {
            caption { "The mean of each combination over its seeds" }
            thead { tr {
                @for axis in &shown { th scope="col" { (name(&table.columns[*axis])) } }
                @for column in &columns { th.num scope="col" { (super::curves::heading(column)) } }
                th.num scope="col" { "Seeds" }
                th.num scope="col" { "Saturated loads" }
            } }
            tbody { @for (key, rows) in groups.iter().take(MOST_GROUPS) { tr {
                @for value in key { td { (name(value)) } }
                @for column in &columns { td.num { (mean(table, rows, column)) } }
                td.num { (rows.len()) }
                td.num { (rows.iter().map(|row| says(table, row, "saturated", "true")).sum::<usize>()) }
            } } }
        } }
        @if more > 0 { p.soft { (more) " more combinations are in the table of all points." } }
    }
}

/// The parts that the seeds vary, where the folder says so.
fn varied(contents: &Contents) -> Markup {
    let given = contents.sweep.get("varied").or_else(|| contents.at("sweep.varied"));
    let parts = given.and_then(serde_json::Value::as_array).into_iter().flatten();
    let parts: Vec<Markup> = parts.filter_map(|part| part.as_str()).map(|part| html! { (part) }).collect();
    html! { @if !parts.is_empty() { ", which vary " (listed(&parts)) } }
}

/// A column's mean over some rows, with half the width of its interval.
fn mean(table: &Csv, rows: &[&Vec<String>], column: &str) -> Markup {
    let numbers = alive(table, rows.iter().copied(), column);
    let Some(Spread { mean, min, max, .. }) = Spread::of(&numbers) else { return html! { "–" } };
    // Of equal numbers only rounding is left.
    let is_constant = max - min <= ROUNDING * max.abs();
    html! {
        (numbers::number(mean, 4))
        @match half_width(&numbers) {
            Some(_) if is_constant => " ± 0",
            Some(half) => { " ± " (numbers::number(half, 2)) }
            None => { small { " (one value)" } }
        }
    }
}

/// The numbers of a column, without those of load points at which the network died.
fn alive<'a>(table: &Csv, rows: impl Iterator<Item = &'a Vec<String>>, column: &str) -> Vec<f64> {
    let state = column.rsplit_once('.').map_or("state".to_owned(), |(point, _)| format!("{point}.state"));
    let alive = rows.filter(|row| table.cell(row, &state) != Some("deadlocked"));
    alive.filter_map(|row| table.number(row, column)).collect()
}

/// The axes without those whose values follow from those of one before: the keys of one axis go in lock-step.
pub(super) fn without_followers(table: &Csv, axes: &[usize]) -> Vec<usize> {
    let follows = |axis: usize, other: usize| {
        let mut of: BTreeMap<&str, &str> = BTreeMap::new();
        table.rows.iter().all(|row| *of.entry(&row[other]).or_insert(&row[axis]) == row[axis])
    };
    let mut kept: Vec<usize> = Vec::new();
    for axis in axes {
        if !kept.iter().any(|other| follows(*axis, *other)) {
            kept.push(*axis);
        }
    }
    kept
}

fn is_quick(contents: &Contents) -> bool {
    let given = contents.sweep.get("quick").or_else(|| contents.at("sweep.quick"));
    given.and_then(serde_json::Value::as_bool).unwrap_or(false)
}

const RESULT_COLUMNS: [super::markup::Column; 4] =
    [words("Result"), numbers("Least", ""), numbers("Greatest", ""), numbers("Points with it", "")];

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
        let numbers = alive(table, table.rows.iter(), &table.columns[column]);
        let Some(Spread { min, max, .. }) = Spread::of(&numbers) else {
            return truths(table, column);
        };
        let shown = |value: f64| html! { (numbers::number(value, 4)) };
        let count = html! { (numbers::number(numbers.len() as f64, 4)) };
        Some(vec![name(&table.columns[column]), shown(min), shown(max), count])
    };
    results.filter_map(row).collect()
}

/// A column of true and false: how many are true.
fn truths(table: &Csv, column: usize) -> Option<Vec<Markup>> {
    let count = |wanted: &str| table.rows.iter().filter(|row| row[column] == wanted).count();
    let (yes, no) = (count("true"), count("false"));
    (yes + no > 0).then(|| {
        let count = html! { (yes) " true" };
        vec![name(&table.columns[column]), html! {}, count, html! { (yes + no) }]
    })
}
