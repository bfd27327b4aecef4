//! The figures that a sweep's file asks for: a line for every value of an axis, means over what is left.

use crate::measure::Spread;
use crate::report::{Axis, Chart, Layer, Mark, Style, draw_charts};
use crate::scenario::sweep::Plot;

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

/// A place on the horizontal axis.
#[derive(Clone, Debug, PartialEq)]
enum Place {
    Number(f64),
    Name(String),
}

/// The values at one place of a line.
struct Gathered {
    line: String,
    place: Place,
    values: Vec<f64>,
    hollow: bool,
}

fn chart(points: &Points<'_>, plot: &Plot, drawn: impl Iterator<Item = usize>) -> Chart {
    let mut gathered: Vec<Gathered> = Vec::new();
    for point in drawn {
        let line = plot.lines.as_ref().and_then(|axis| points.sweep.text(point, axis)).unwrap_or_default();
        for (place, value, hollow) in values(points, plot, point) {
            let same = gathered.iter_mut().find(|other| other.line == line && other.place == place);
            match same {
                Some(same) => {
                    same.values.push(value);
                    same.hollow |= hollow;
                }
                None => gathered.push(Gathered { line: line.clone(), place, values: vec![value], hollow }),
            }
        }
    }
    let names = names(&gathered);
    let [x, y] = &plot.labels;
    Chart {
        title: plot.title.clone(),
        x: match &names {
            Some(names) => Axis::names(x, names.iter().cloned()),
            None => axis(x, plot.logarithmic[0]),
        },
        y: axis(y, plot.logarithmic[1]),
        layers: layers(&gathered, plot, names.as_deref()),
        ..Chart::default()
    }
}

fn axis(label: &str, is_logarithmic: bool) -> Axis {
    if is_logarithmic { Axis::log(label) } else { Axis::from_zero(label) }
}

/// The places in order of first appearance, if not all of them are numbers.
fn names(gathered: &[Gathered]) -> Option<Vec<String>> {
    if gathered.iter().all(|at| matches!(at.place, Place::Number(_))) {
        return None;
    }
    let mut names: Vec<String> = Vec::new();
    for at in gathered {
        let name = at.place.name();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Some(names)
}

fn layers(gathered: &[Gathered], plot: &Plot, names: Option<&[String]>) -> Vec<Layer> {
    let mut layers: Vec<Layer> = Vec::new();
    for at in gathered {
        let Some(spread) = Spread::of(&at.values) else { continue };
        let x = match (&at.place, names) {
            (Place::Number(number), None) => *number,
            (place, names) => {
                let name = place.name();
                names.unwrap_or_default().iter().position(|other| *other == name).unwrap_or(0) as f64
            }
        };
        let ends = plot.spread.then_some((spread.min, spread.max)).unzip();
        let mark = Mark::at(x, spread.mean).between(ends.0, ends.1).hollow(at.hollow);
        match layers.iter_mut().find(|layer| layer.name == at.line) {
            Some(layer) => layer.marks.push(mark),
            None => layers.push(Layer { name: at.line.clone(), style: Style::Line, marks: vec![mark] }),
        }
    }
    layers
}

impl Place {
    fn name(&self) -> String {
        match self {
            Place::Number(number) => number.to_string(),
            Place::Name(name) => name.clone(),
        }
    }

    fn of(text: &str) -> Place {
        text.parse().map_or_else(|_| Place::Name(text.to_owned()), Place::Number)
    }
}

/// What a point adds to a figure: places, values, and whether they are of a saturated load.
fn values(points: &Points<'_>, plot: &Plot, point: usize) -> Vec<(Place, f64, bool)> {
    if plot.x.contains('*') {
        return through_list(points, plot, point);
    }
    let place = match points.sweep.text(point, &plot.x) {
        Some(text) => Some(Place::of(&text)),
        None => points.value(point, &plot.x).map(|value| match value.as_str() {
            Some(text) => Place::of(text),
            None => Place::of(&value.to_string()),
        }),
    };
    place.zip(points.number(point, &plot.y)).map(|(place, value)| (place, value, false)).into_iter().collect()
}

/// A value for every position of the lists that the paths lead through.
fn through_list(points: &Points<'_>, plot: &Plot, point: usize) -> Vec<(Place, f64, bool)> {
    let at = |path: &str, nth: usize| points.number(point, &at_position(path, nth));
    let mut values = Vec::new();
    for nth in 0.. {
        let Some(x) = at(&plot.x, nth) else { break };
        if let Some(y) = at(&plot.y, nth) {
            values.push((Place::Number(x), y, points.is_saturated(point, &plot.y, nth)));
        }
    }
    values
}
