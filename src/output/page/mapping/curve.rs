//! The sizes of a growing model against the messages sent, and against the time.

use maud::{Markup, PreEscaped, html};
use serde_json::{Value, json};

use crate::report::{Axis, Chart, Layer, Mark, Style, draw_on_page, x_on_page};

use super::film::{Film, Row};

/// Points of a line beyond these are thinned out.
const MOST_POINTS: usize = 900;

/// One of the sizes of a model.
type Size = fn(&[u64; 5]) -> u64;

/// The lines: what they are called, and how to get them from the sizes of a step.
const LINES: [(&str, Size); 4] = [
    ("cables", |sizes| sizes[2]),
    ("vertices", |sizes| sizes[0].saturating_add(sizes[1])),
    ("merged", |sizes| sizes[3]),
    ("hosts", |sizes| sizes[0]),
];

/// What lies along a horizontal axis: what the script calls it, its label, and its value at a step.
type Along = (&'static str, &'static str, fn(&Row) -> f64);

/// The horizontal axes.
const ALONG: [Along; 2] = [
    ("probes", "messages sent", |row| row.probes as f64),
    ("time", "time since the mapper began (ms)", |row| row.time_ns / 1e6),
];

/// The curves: by messages, and by time for the script to show instead.
pub(super) fn draw(film: &Film) -> Markup {
    let label = "The growth of the model: hosts, vertices, cables and mergers step by step";
    html! {
        @if !film.rows.is_empty() {
            div #mapping-curve {
                @for (nth, (by, axis, along)) in ALONG.into_iter().enumerate() {
                    div.chart data-by=(by) hidden[nth > 0] {
                        (PreEscaped(draw_on_page(&chart(film, axis, along), &format!("growth-{by}"), label, &[])))
                    }
                }
                div #mapping-cursor hidden {}
            }
        }
    }
}

/// What a script needs to know of the drawings: where their axes begin and end in shares of the width, and the value
/// at the end; messages, and nanoseconds.
pub(super) fn scale(film: &Film) -> Value {
    let of = |(by, axis, along): Along| {
        let ([left, right], [_, last]) = x_on_page(&chart(film, axis, along));
        let last = if by == "time" { last * 1e6 } else { last };
        (by.to_owned(), json!({ "left": left, "right": right, "last": last }))
    };
    Value::Object(ALONG.map(of).into_iter().collect())
}

fn chart(film: &Film, axis: &str, along: fn(&Row) -> f64) -> Chart {
    let every = film.rows.len().div_ceil(MOST_POINTS).max(1);
    let kept = |nth: usize| nth.is_multiple_of(every) || nth + 1 == film.rows.len();
    let shown: Vec<&Row> =
        film.rows.iter().enumerate().filter(|(nth, _)| kept(*nth)).map(|(_, row)| row).collect();
    let line = |(name, size): (&str, Size)| {
        let marks: Vec<Mark> =
            shown.iter().map(|row| Mark::at(along(row), size(&row.sizes) as f64)).collect();
        let last = film.rows.last().map_or(0, |row| size(&row.sizes));
        let leaves_zero = film.rows.iter().any(|row| size(&row.sizes) > 0);
        leaves_zero.then(|| Layer { name: format!("{name} ({last})"), style: Style::Steps, marks })
    };
    Chart {
        x: Axis::from_zero(axis),
        y: Axis::from_zero("of the model"),
        layers: LINES.into_iter().filter_map(line).collect(),
        ..Chart::default()
    }
}
