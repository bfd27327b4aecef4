//! The sizes of a growing model against the messages sent, and against the time.

use maud::{Markup, html};
use serde_json::{Value, json};

use crate::numbers;

use super::film::Film;

/// The drawing's width and height, and the plot's left, right, top and bottom in it.
const SIZE: (f64, f64) = (760.0, 300.0);
const PLOT: (f64, f64, f64, f64) = (48.0, 592.0, 14.0, 252.0);
/// Points of a line beyond these are thinned out.
const MOST_POINTS: usize = 900;

/// One of the sizes of a model.
type Size = fn(&[u64; 5]) -> u64;

/// The lines: what they are called, their colour, and how to get them from the sizes of a step.
const LINES: [(&str, &str, Size); 4] = [
    ("cables", "--c2", |sizes| sizes[2]),
    ("vertices", "--c6", |sizes| sizes[0].saturating_add(sizes[1])),
    ("merged", "--c7", |sizes| sizes[3]),
    ("hosts", "--c4", |sizes| sizes[0]),
];

/// The curves: by messages, and by time for the script to show instead.
pub(super) fn draw(film: &Film) -> Markup {
    let Some(last) = film.rows.last() else { return html! {} };
    let sizes = film.rows.iter().flat_map(|row| LINES.map(|(.., size)| size(&row.sizes)));
    let most = sizes.max().unwrap_or(0).max(1) as f64;
    let y = |value: f64| PLOT.3 - (PLOT.3 - PLOT.2) * value / most;
    let (width, height) = SIZE;
    html! {
        svg #mapping-curve viewBox={ "0 0 " (width) " " (height) } role="img" aria-labelledby="mapping-curve-title" {
            title #mapping-curve-title { "The growth of the model: hosts, vertices, cables and mergers step by step" }
            @for tick in ticks(most, 4) {
                line.rule x1=(PLOT.0) x2=(PLOT.1) y1=(y(tick)) y2=(y(tick)) {}
                text.tick x=(PLOT.0 - 8.0) y=(y(tick) + 4.0) text-anchor="end" { (numbers::number(tick, 4)) }
            }
            (plot("probes", last.probes as f64, film, &y))
            (plot("time", last.time_ns, film, &y))
            @for (nth, (name, colour, size)) in named(film).into_iter().enumerate() {
                @let at = apart(film, &y)[nth];
                line.sample x1=(PLOT.1 + 8.0) x2=(PLOT.1 + 22.0) y1=(at) y2=(at) stroke={ "var(" (colour) ")" } {}
                text.line-name x=(PLOT.1 + 28.0) y=(at + 4.5) { (name) " " tspan.soft { (size) } }
            }
            line #mapping-cursor x1="0" x2="0" y1=(PLOT.2) y2=(PLOT.3) visibility="hidden" {}
        }
    }
}

/// What a script needs to know of the drawing.
pub(super) fn scale(film: &Film) -> Value {
    let last = film.rows.last();
    json!({
        "left": PLOT.0, "right": PLOT.1, "width": SIZE.0,
        "probes": last.map_or(0, |row| row.probes), "time_ns": last.map_or(0.0, |row| row.time_ns),
    })
}

/// The lines that ever leave zero.
fn lines(film: &Film) -> impl Iterator<Item = (&'static str, &'static str, Size)> + '_ {
    LINES.into_iter().filter(|(.., size)| film.rows.iter().any(|row| size(&row.sizes) > 0))
}

/// The lines with their last values.
fn named(film: &Film) -> Vec<(&'static str, &'static str, u64)> {
    let last = film.rows.last().map(|row| row.sizes).unwrap_or_default();
    lines(film).map(|(name, colour, size)| (name, colour, size(&last))).collect()
}

/// Where the names of the lines stand: at their ends, but apart.
fn apart(film: &Film, y: &dyn Fn(f64) -> f64) -> Vec<f64> {
    let named = named(film);
    let mut order: Vec<usize> = (0..named.len()).collect();
    order.sort_by(|a, b| y(named[*a].2 as f64).total_cmp(&y(named[*b].2 as f64)));
    let mut at = vec![0.0; named.len()];
    let mut free = PLOT.2;
    for nth in order {
        at[nth] = y(named[nth].2 as f64).max(free);
        free = at[nth] + 18.0;
    }
    at
}

fn plot(by: &str, most: f64, film: &Film, y: &dyn Fn(f64) -> f64) -> Markup {
    let is_time = by == "time";
    let x = |value: f64| PLOT.0 + (PLOT.1 - PLOT.0) * value / most.max(1.0);
    let every = film.rows.len().div_ceil(MOST_POINTS).max(1);
    let kept = |nth: usize| nth.is_multiple_of(every) || nth + 1 == film.rows.len();
    let line = |size: Size| {
        let mut path = String::new();
        for (_, row) in film.rows.iter().enumerate().filter(|(nth, _)| kept(*nth)) {
            let at = x(if is_time { row.time_ns } else { row.probes as f64 });
            // From step to step the sizes stay as they are.
            let step = if path.is_empty() { 'M' } else { 'H' };
            let (at, up) = (format!("{at:.1}"), format!("{:.1}", y(size(&row.sizes) as f64)));
            path += &(if step == 'M' { format!("M{at} {up}") } else { format!("H{at}V{up}") });
        }
        path
    };
    html! {
        g data-by=(by) visibility=[is_time.then_some("hidden")] {
            @for tick in ticks(most, 6) {
                text.tick x=(x(tick)) y=(PLOT.3 + 18.0) text-anchor="middle" {
                    @if is_time { (numbers::time(tick)) } @else { (numbers::number(tick, 4)) }
                }
            }
            text.tick x=((PLOT.0 + PLOT.1) / 2.0) y=(PLOT.3 + 40.0) text-anchor="middle" {
                @if is_time { "time since the mapper began" } @else { "messages sent" }
            }
            @for (_, colour, size) in lines(film) {
                path d=(line(size)) fill="none" stroke={ "var(" (colour) ")" } {}
            }
        }
    }
}

/// Round numbers from 0 to `most`, about so many.
fn ticks(most: f64, wanted: u32) -> Vec<f64> {
    if !most.is_finite() || most <= 0.0 {
        return vec![0.0];
    }
    let rough = most / f64::from(wanted);
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= rough);
    let step = step.unwrap_or(10.0 * power);
    (0..=2 * wanted).map(|nth| f64::from(nth) * step).take_while(|tick| *tick <= most * 1.0001).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(2_982.0, 6), [0.0, 500.0, 1_000.0, 1_500.0, 2_000.0, 2_500.0]);
        assert_eq!(ticks(7.0, 4), [0.0, 2.0, 4.0, 6.0]);
        assert_eq!(ticks(0.0, 4), [0.0]);
    }
}
