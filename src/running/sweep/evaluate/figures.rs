//! The figures that a sweep's file asks for: a line for every value of an axis, means over what is left.

use std::collections::BTreeMap;

use simnet_output::report::{Axis, Band, Chart, Csv, Curves, Quantity, Recipe, draw_charts};
use simnet_scenario::sweep::{Plot, SEED};

use super::{Points, Statistics, at_position, seeds};

/// All figures: name of the file and SVG.
pub(super) fn all(points: &Points<'_>, statistics: &Statistics) -> Vec<(String, String)> {
    let chart = |plot: &Plot| {
        let nearest = statistics.nearest.as_ref().filter(|_| plot.nearest);
        let drawn = points.holding(&plot.at);
        let drawn = drawn.filter(|point| nearest.is_none_or(|nearest| nearest.points.contains(point)));
        chart(points, plot, &drawn.collect::<Vec<_>>())
    };
    let plots = points.sweep.evaluation().plots.iter();
    plots.map(|plot| (format!("{}.svg", plot.name), draw_charts(&[chart(plot)], 1))).collect()
}

/// The columns of what is drawn. That of the lines has no name, so that they are called by its values alone.
const X: &str = "x";
const Y: &str = "y";
const LINE: &str = "";
const SATURATED: &str = "saturated";
const CONVERGED: &str = "converged";
/// The state of a load point, and that of one whose numbers belong to no curve.
const STATE: &str = "state";
const DEAD: &str = "deadlocked";

fn chart(points: &Points<'_>, plot: &Plot, drawn: &[usize]) -> Chart {
    let (table, names) = table(points, plot, drawn);
    let [x, y] = &plot.labels;
    let recipe = Recipe { log_x: plot.logarithmic[0], ..Recipe::NOTHING };
    let curves = Curves {
        table: &table,
        recipe: &recipe,
        x: X,
        series: plot.lines.iter().map(|_| LINE).collect(),
        panels: Vec::new(),
        most_series: usize::MAX,
        band: band(points, plot, drawn),
    };
    let has_intervals = curves.band == Band::Interval && points.sweep.seeds() > 1;
    let band = has_intervals.then(|| format!("band: 95 % interval over {}", seeds(points.sweep)));
    let (chart, _) = curves.chart("", &Quantity::plain(Y), plot.logarithmic[1], usize::MAX);
    let across = if names.is_empty() { chart.x } else { Axis::names(x, names) };
    Chart {
        title: plot.title.clone(),
        band: band.unwrap_or_default(),
        x: Axis { label: x.clone(), ..across },
        y: Axis { label: y.clone(), ..chart.y },
        ..chart
    }
}

/// What is drawn, a row a value; and the names along the horizontal axis in order of first appearance, which the table
/// has the positions of, if not all of them are numbers.
fn table(points: &Points<'_>, plot: &Plot, drawn: &[usize]) -> (Csv, Vec<String>) {
    let mut rows = Vec::new();
    for point in drawn.iter().copied() {
        let line = line_of(points, plot, point);
        let row = |value: Value| {
            let worth = [value.saturated, value.converged].map(|truth| truth.to_string());
            [value.place, value.number.to_string(), line.clone()].into_iter().chain(worth).collect::<Vec<_>>()
        };
        rows.extend(values(points, plot, point).into_iter().map(row));
    }
    let mut names: Vec<String> = Vec::new();
    if rows.iter().any(|row| row[0].parse::<f64>().is_err()) {
        for row in &mut rows {
            let known = names.iter().position(|name| *name == row[0]);
            let place = known.unwrap_or(names.len());
            let name = std::mem::replace(&mut row[0], place.to_string());
            names.extend(known.is_none().then_some(name));
        }
    }
    let columns = [X, Y, LINE, SATURATED, CONVERGED].map(str::to_owned).to_vec();
    (Csv { columns, rows, left_out: 0 }, names)
}

/// The name of the line that a point is on.
fn line_of(points: &Points<'_>, plot: &Plot, point: usize) -> String {
    plot.lines.as_ref().and_then(|axis| points.sweep.text(point, axis)).unwrap_or_default()
}

/// What the bands of a figure show: an interval only where seeds alone are joined, since other axes are no chance.
fn band(points: &Points<'_>, plot: &Plot, drawn: &[usize]) -> Band {
    let mut ids: BTreeMap<(String, String), String> = BTreeMap::new();
    let seeds_alone = drawn.iter().all(|point| {
        let id = points.sweep.id(*point, &[SEED.to_owned()]);
        let line = line_of(points, plot, *point);
        let places = values(points, plot, *point).into_iter().map(|value| (value.place, line.clone()));
        places.into_iter().all(|place| *ids.entry(place).or_insert_with(|| id.clone()) == id)
    });
    match (plot.spread, seeds_alone) {
        (true, _) => Band::Spread,
        (false, true) => Band::Interval,
        (false, false) => Band::Nothing,
    }
}

/// A value of a figure, where it stands, and what it is worth.
struct Value {
    place: String,
    number: f64,
    saturated: bool,
    converged: bool,
}

/// What a point adds to a figure.
fn values(points: &Points<'_>, plot: &Plot, point: usize) -> Vec<Value> {
    if plot.x.contains('*') {
        return through_list(points, plot, point);
    }
    let place = match points.sweep.text(point, &plot.x) {
        Some(text) => Some(text),
        None => points.value(point, &plot.x).map(|value| match value.as_str() {
            Some(text) => text.to_owned(),
            None => value.to_string(),
        }),
    };
    let found = place.zip(points.number(point, &plot.y));
    found.and_then(|(place, number)| value(points, point, &plot.y, place, number)).into_iter().collect()
}

/// A value for every position of the lists that the paths lead through.
fn through_list(points: &Points<'_>, plot: &Plot, point: usize) -> Vec<Value> {
    let mut values = Vec::new();
    for nth in 0.. {
        let Some(x) = points.number(point, &at_position(&plot.x, nth)) else { break };
        let column = at_position(&plot.y, nth);
        if let Some(number) = points.number(point, &column) {
            values.extend(value(points, point, &column, x.to_string(), number));
        }
    }
    values
}

/// A column's value at a place, with what the columns beside it say that it is worth; none of a dead network.
fn value(points: &Points<'_>, point: usize, column: &str, place: String, number: f64) -> Option<Value> {
    let list = column.rsplit_once('.').map(|(list, _)| list);
    let path = |name: &str| list.map(|list| format!("{list}.{name}"));
    let beside = |name: &str| points.number(point, &path(name)?);
    let state = path(STATE).and_then(|path| points.value(point, &path));
    if state.is_some_and(|state| state == DEAD) {
        return None;
    }
    let saturated = beside(SATURATED) == Some(1.0);
    Some(Value { place, number, saturated, converged: beside(CONVERGED) != Some(0.0) })
}
