//! Curves: what a run's tables say about how one thing depends on another.
//!
//! ```text
//!   table + recipe ──▶ panels x quantities x scales ──▶ one chart each, drawn here; the script shows one at a time
//! ```
//! # Scope and limitations
//! The recipes and, for a sweep, its axes decide which columns are drawn. Charts of a plot are bounded;
//! the tables have everything.

mod plots;

use maud::{Markup, PreEscaped, html};
use serde_json::{Value, json};

use crate::report::{
    Axis, Chart, Curves, Ends, Label, Layer, Mark, Quantity, RECIPES, Recipe, Style, Tip, draw_on_page,
};

use super::{Contents, Csv, Section};
pub(super) use plots::{Choice, Plot};
use simnet_base::numbers as text;

/// The script and style of everything that is a plot, here and on other pages.
pub(super) const SCRIPT: &str = include_str!("assets/plots.js");
pub(super) const STYLE: &str = include_str!("assets/plots.css");

/// The section, if a table of the run gives a curve.
pub(super) fn section(contents: &Contents) -> Option<Section> {
    let plots = plots(contents);
    if plots.is_empty() {
        return None;
    }
    let body = html! {
        (lead(contents, &plots))
        @for (nth, plot) in plots.iter().enumerate() { (plot.markup(&format!("curves-{nth}"))) }
    };
    let data = json!({ "plots": plots.iter().map(Plot::data).collect::<Vec<Value>>() });
    Some(Section {
        id: "curves",
        title: "Curves",
        body,
        data: Some(data),
        script: Some(SCRIPT),
        style: Some(STYLE),
    })
}

/// Whether there is such a section.
pub(super) fn exist(contents: &Contents) -> bool {
    !plots(contents).is_empty()
}

fn plots(contents: &Contents) -> Vec<Plot> {
    let mut plots = Vec::new();
    for (nth, recipe) in RECIPES.iter().enumerate() {
        let table = contents.tables.get(recipe.table);
        let curves = table.and_then(|table| Curves::new(table, recipe));
        plots.extend(curves.and_then(|curves| plots::plot(&curves, &format!("curve-{nth}"))));
    }
    plots.extend(contents.tables.get("points").and_then(parts_of_latency));
    if !contents.sweep.is_null() || contents.at("sweep.count").is_some() {
        let table = contents.tables.get("points");
        plots.extend(table.and_then(|table| swept(table, |curves| plots::plot(curves, "swept"))));
    }
    plots
}

/// The first curves as the first page shows them, and what they are; of the table of this name alone, if one is named.
pub(super) fn picture(contents: &Contents, only: Option<&str>) -> Option<(Markup, Markup)> {
    let own = RECIPES.iter().filter(|recipe| only.is_none_or(|table| table == recipe.table));
    let of_recipe =
        |recipe: &'static Recipe<'_>| drawn(&Curves::new(contents.tables.get(recipe.table)?, recipe)?);
    let svg = own.into_iter().find_map(of_recipe).or_else(|| {
        let is_sweep = !contents.sweep.is_null() || contents.at("sweep.count").is_some();
        contents.tables.get("points").filter(|_| is_sweep).and_then(|table| swept(table, drawn))
    });
    svg.map(|(svg, title)| (PreEscaped(svg), html! { (title) ": " a href="#curves" { "all curves" } "." }))
}

/// The first chart of some curves, and what it shows.
fn drawn(curves: &Curves<'_>) -> Option<(String, String)> {
    let (quantities, panels) = (curves.quantities(), curves.panel_names());
    let quantity = quantities.first()?;
    let (chart, _) = curves.chart(panels.first()?, quantity, curves.scales(quantity)[0], MOST_MARKS);
    let title = curves.recipe.title.to_owned();
    Some((draw_on_page(&chart, "first-curve", &title, &[]), title))
}

/// Marks of the first page's curves.
const MOST_MARKS: usize = 2_000;

/// Columns of a sweep's table that are worth a look first, by how they end.
const OF_SWEEPS: [&str; 8] = [
    "latency_mean_ns",
    "latency_p99_ns",
    "accepted_flits_per_cycle_per_host",
    "accepted_max_flits_per_cycle_per_host",
    "time_ms",
    "time_mean_ms",
    "mean_distance",
    "deadlock_count",
];
/// Quantities of a sweep to choose from.
const MOST_SWEPT: usize = 8;

/// Whether all cells of a column are numbers or empty.
fn is_number(table: &Csv, column: &str) -> bool {
    table.rows.iter().all(|row| table.cell(row, column).is_none_or(|cell| cell.parse::<f64>().is_ok()))
}

/// The columns of a sweep's results that are worth a look, the best first: numbers that vary, without the half-widths,
/// which belong to their means.
pub(super) fn of_interest(table: &Csv, most: usize) -> Vec<&str> {
    let varies = |column: &&str| {
        let mut numbers = table.rows.iter().filter_map(|row| table.number(row, column));
        numbers.next().is_some_and(|first| numbers.any(|other| other.to_bits() != first.to_bits()))
    };
    let rank =
        |column: &&str| OF_SWEEPS.iter().position(|end| column.ends_with(end)).unwrap_or(OF_SWEEPS.len());
    let after = super::sweep::axes(table).last().map_or(0, |last| last + 2);
    let mut columns: Vec<&str> = table.columns.iter().skip(after).map(String::as_str).collect();
    columns.retain(|column| is_number(table, column) && varies(column) && !column.ends_with("half_width_ns"));
    columns.sort_by_key(rank);
    columns.truncate(most);
    columns
}

/// How a column of a sweep's results is called, with its unit.
pub(super) fn heading(column: &str) -> String {
    Label::new(column, 0.0).axis()
}

/// A column of a sweep's results, with its half-width where the table has that.
fn quantity<'a>(table: &Csv, column: &'a str, half: &'a str) -> Quantity<'a> {
    let is_there = half != column && table.column(half).is_some();
    Quantity { column, ends: if is_there { Ends::HalfWidth(half) } else { Ends::Unknown } }
}

/// What came out of a sweep against its first axis of numbers.
fn swept<T>(table: &Csv, make: impl FnOnce(&Curves<'_>) -> Option<T>) -> Option<T> {
    let axes = super::sweep::axes(table);
    let named =
        |axes: &[usize]| -> Vec<&str> { axes.iter().map(|axis| table.columns[*axis].as_str()).collect() };
    let names = named(&axes);
    let x: Vec<&str> = names.iter().copied().filter(|column| is_number(table, column)).collect();
    let y = of_interest(table, MOST_SWEPT);
    let half_widths: Vec<String> =
        y.iter().map(|column| column.replace("_mean_ns", "_half_width_ns")).collect();
    let quantities: Vec<Quantity<'_>> =
        y.iter().zip(&half_widths).map(|(column, half)| quantity(table, column, half)).collect();
    let varies = |column: &&&str| table.choices(column).len() > 1;
    let along = x.iter().find(varies);
    let others: Vec<usize> =
        axes.iter().copied().filter(|axis| Some(&table.columns[*axis].as_str()) != along).collect();
    let series = named(&super::sweep::without_followers(table, &others));
    let recipe = Recipe {
        table: "points",
        mark: names.first()?,
        title: "What came out against what was swept",
        about: "One line for every combination of the other axes; several seeds are joined into their mean, with its \
                95 % confidence interval as a band. Hollow: a point of it was saturated or has not converged.",
        x: &x,
        y: &quantities,
        series: &series,
        ..Recipe::NOTHING
    };
    make(&Curves::new(table, &recipe)?)
}

/// What came out, in a sentence.
fn lead(contents: &Contents, plots: &[Plot]) -> Markup {
    let Some(table) = contents.tables.get("points").filter(|table| table.column("latency_mean_ns").is_some())
    else {
        return html! { p.lead { (plots[0].title) ": " (plots[0].found) "." } };
    };
    let is = |row: &[String], column: &str| table.cell(row, column) == Some("true");
    let is_dead = |row: &[String]| table.cell(row, "state") == Some("deadlocked");
    let dead = table.rows.iter().filter(|row| is_dead(row)).count();
    let sure: Vec<&Vec<String>> =
        table.rows.iter().filter(|row| !is(row, "saturated") && !is_dead(row)).collect();
    let means = sure.iter().filter_map(|row| table.number(row, "latency_mean_ns"));
    let (least, most) = means.fold((f64::INFINITY, 0.0_f64), |(a, b), mean| (a.min(mean), b.max(mean)));
    let saturated = table.rows.len() - sure.len() - dead;
    let single = table.column("routing").is_none();
    html! {
        p.lead {
            (text::count(table.rows.len(), "load point")) ": "
            @if least.is_finite() {
                @if least < most {
                    "mean latency from " (text::time(least)) " to " (text::time(most)) " below saturation"
                } @else { "mean latency " (text::time(least)) }
            } @else { "none below saturation" }
            @match saturated {
                0 => { ", none saturated." }
                _ => { "; " (saturated) " saturated." }
            }
            @if dead > 0 { " At " (dead) " the network died in a deadlock; no curve shows them." }
            @if let Some(high) = contents.number("saturation.load_high").filter(|_| single) {
                " The largest load that is carried lies below " (text::number(high, 3)) "."
            }
        }
    }
}

/// The parts of a mean latency: their columns, and what they are called.
const PARTS: [(&str, &str); 3] = [
    ("moving_mean_ns", "moving: what they take alone"),
    ("blocked_mean_ns", "blocked: in the way of others"),
    ("queueing_mean_ns", "queueing: waiting at their host"),
];

/// A row of the load points with the three parts of its mean latency.
type Parts<'a> = (&'a Vec<String>, [f64; 3]);

/// The rows that have all parts, with them; no more than bars can be distinguished.
fn rows_with_parts(table: &Csv) -> Vec<Parts<'_>> {
    let parts = |row: &Vec<String>| -> Option<[f64; 3]> {
        let part = |(column, _): &(&str, &str)| table.number(row, column).filter(|ns| ns.is_finite());
        let parts: Vec<f64> = PARTS.iter().map(part).collect::<Option<_>>()?;
        // How long messages waited in a dead network says nothing.
        let is_dead = table.cell(row, "state") == Some("deadlocked");
        parts.try_into().ok().filter(|_| !is_dead)
    };
    let mut rows: Vec<Parts<'_>> =
        table.rows.iter().filter_map(|row| Some((row, parts(row)?))).take(40).collect();
    // Those of a search for saturation stand behind the others.
    let load = |row: &[String]| table.number(row, "load").unwrap_or(0.0);
    rows.sort_by(|a, b| load(a.0).total_cmp(&load(b.0)));
    rows
}

/// The load of a row; a trace has none.
fn load_of(table: &Csv, row: &[String]) -> String {
    table.cell(row, "load").map_or("trace".to_owned(), str::to_owned)
}

/// Draws the parts of the mean latency at each load; `name` is the drawing's id.
fn bars_of_parts(table: &Csv, rows: &[Parts<'_>], name: &str) -> String {
    let longest = rows.iter().map(|(_, parts)| parts.iter().sum()).fold(0.0, f64::max);
    let label = Label::new("latency_mean_ns", longest);
    let (mut layers, mut tips) = (Vec::new(), Vec::new());
    for (nth, (_, part)) in PARTS.iter().enumerate() {
        let bars = rows.iter().enumerate().map(|(place, row)| bar(table, &label, nth, place, row));
        let (marks, own_tips): (Vec<Mark>, Vec<Tip>) = bars.unzip();
        layers.push(Layer { name: (*part).to_owned(), style: Style::Stacked, marks });
        tips.push(own_tips);
    }
    let x = Axis::names("load", rows.iter().map(|(row, _)| load_of(table, row)));
    let chart = Chart { x, y: Axis::from_zero(&label.axis()), layers, ..Chart::default() };
    draw_on_page(&chart, name, "Parts of the mean latency by load", &tips)
}

/// The bar of the `nth` part in the row at `place`, on top of the parts before it.
fn bar(table: &Csv, label: &Label, nth: usize, place: usize, (row, parts): &Parts<'_>) -> (Mark, Tip) {
    let (column, name) = PARTS[nth];
    let (foot, own) = (parts[..nth].iter().sum::<f64>(), parts[nth]);
    let sum: f64 = parts.iter().sum();
    let words = format!(
        "load {}\n{name}: {}\n{} % of {}",
        load_of(table, row),
        text::time(own),
        text::number(own / sum.max(f64::MIN_POSITIVE) * 100.0, 3),
        text::time(sum)
    );
    let cell = |column: &str| table.cell(row, column).unwrap_or_default().to_owned();
    let (low, y) = (foot / label.scale, (foot + own) / label.scale);
    let mark = Mark { x: place as f64, y, low: Some(low), high: None, hollow: false };
    (mark, Tip { x: cell("load"), y: cell(column), words })
}

/// Where the time of messages went at each load, as bars of three parts.
fn parts_of_latency(table: &Csv) -> Option<Plot> {
    if table.column("routing").is_some() {
        return None;
    }
    let rows = rows_with_parts(table);
    if rows.is_empty() {
        return None;
    }
    // Beyond saturation bars would leave no room for the others.
    let is_saturated = |row: &[String]| table.cell(row, "saturated") == Some("true");
    let chart = |whole: bool| {
        let kept: Vec<Parts<'_>> =
            rows.iter().filter(|(row, _)| whole || !is_saturated(row)).copied().collect();
        bars_of_parts(table, &kept, if whole { "parts-all" } else { "parts" })
    };
    let some_saturated = rows.iter().any(|(row, _)| is_saturated(row));
    let all_saturated = rows.iter().all(|(row, _)| is_saturated(row));
    let (charts, options) = match (some_saturated, all_saturated) {
        (true, false) => {
            (vec![chart(false), chart(true)], vec!["below saturation".to_owned(), "all loads".to_owned()])
        }
        _ => (vec![chart(true)], vec!["all loads".to_owned()]),
    };
    Some(Plot {
        title: "Where the time goes".to_owned(),
        about: "The mean latency of a message in three parts: waiting at its host, held up in the network by others, \
                and moving as it would alone."
            .to_owned(),
        choices: vec![Choice { name: "Shown", options, buttons: true }],
        charts,
        first: 0,
        found: String::new(),
        table: plots::table(
            "points",
            table,
            &rows.iter().map(|(row, _)| *row).collect::<Vec<_>>(),
            &["load", PARTS[0].0, PARTS[1].0, PARTS[2].0, "latency_mean_ns"],
            &|_, _| true,
        ),
    })
}
