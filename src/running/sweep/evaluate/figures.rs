//! The figures that a sweep's file asks for: a line for every value of an axis, means over what is left.

use simnet_output::report::{Axis, Chart, Csv, Curves, Quantity, Recipe, draw_charts};
use simnet_scenario::sweep::Plot;

use super::{Points, Statistics, at_position};

/// All figures: name of the file and SVG.
pub(super) fn all(points: &Points<'_>, statistics: &Statistics) -> Vec<(String, String)> {
    let chart = |plot: &Plot| {
        let nearest = statistics.nearest.as_ref().filter(|_| plot.nearest);
        let drawn = points.holding(&plot.at);
        let drawn = drawn.filter(|point| nearest.is_none_or(|nearest| nearest.points.contains(point)));
        chart(points, plot, drawn)
    };
    let plots = points.sweep.evaluation().plots.iter();
    plots.map(|plot| (format!("{}.svg", plot.name), draw_charts(&[chart(plot)], 1))).collect()
}

/// The columns of what is drawn. That of the lines has no name, so that they are called by its values alone.
const X: &str = "x";
const Y: &str = "y";
const LINE: &str = "";
const SATURATED: &str = "saturated";

fn chart(points: &Points<'_>, plot: &Plot, drawn: impl Iterator<Item = usize>) -> Chart {
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
    };
    let (mut chart, _) = curves.chart("", &Quantity::plain(Y), plot.logarithmic[1], usize::MAX);
    if !plot.spread {
        let marks = chart.layers.iter_mut().flat_map(|layer| &mut layer.marks);
        marks.for_each(|mark| (mark.low, mark.high) = (None, None));
    }
    let across = if names.is_empty() { chart.x } else { Axis::names(x, names) };
    Chart {
        title: plot.title.clone(),
        x: Axis { label: x.clone(), ..across },
        y: Axis { label: y.clone(), ..chart.y },
        ..chart
    }
}

/// What is drawn, a row a value; and the names along the horizontal axis in order of first appearance, which the table
/// has the positions of, if not all of them are numbers.
fn table(points: &Points<'_>, plot: &Plot, drawn: impl Iterator<Item = usize>) -> (Csv, Vec<String>) {
    let mut rows = Vec::new();
    for point in drawn {
        let line = plot.lines.as_ref().and_then(|axis| points.sweep.text(point, axis)).unwrap_or_default();
        let row = |(x, y, saturated): (String, f64, bool)| {
            vec![x, y.to_string(), line.clone(), saturated.to_string()]
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
    let columns = [X, Y, LINE, SATURATED].map(str::to_owned).to_vec();
    (Csv { columns, rows, left_out: 0 }, names)
}

/// What a point adds to a figure: places, values, and whether they are of a saturated load.
fn values(points: &Points<'_>, plot: &Plot, point: usize) -> Vec<(String, f64, bool)> {
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
    place.zip(points.number(point, &plot.y)).map(|(place, value)| (place, value, false)).into_iter().collect()
}

/// A value for every position of the lists that the paths lead through.
fn through_list(points: &Points<'_>, plot: &Plot, point: usize) -> Vec<(String, f64, bool)> {
    let at = |path: &str, nth: usize| points.number(point, &at_position(path, nth));
    let mut values = Vec::new();
    for nth in 0.. {
        let Some(x) = at(&plot.x, nth) else { break };
        if let Some(y) = at(&plot.y, nth) {
            values.push((x.to_string(), y, points.is_saturated(point, &plot.y, nth)));
        }
    }
    values
}
