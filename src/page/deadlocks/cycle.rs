//! A circle of waiting, as a small drawing.

use std::f64::consts::{FRAC_PI_2, PI};

use maud::{Markup, html};

use super::Deadlock;

/// Outputs drawn at most; of a longer circle the first ones, and a gap.
const MOST: usize = 12;
/// Letters of a name that fit.
const LETTERS: usize = 13;
/// Half a box.
const HALF: (f64, f64) = (54.0, 21.0);

/// One box: an output and who holds it.
struct Station<'a> {
    output: &'a str,
    worm: &'a str,
    is_broken: bool,
    /// It stands for all that are not drawn.
    is_gap: bool,
}

/// Draws who waits for whom: an arrow from each output to the one that its holder needs.
pub(super) fn drawing(deadlock: &Deadlock) -> Markup {
    let stations = stations(deadlock);
    let count = stations.len();
    let radius = (count as f64 * 140.0 / (2.0 * PI)).max(if count == 2 { 78.0 } else { 92.0 });
    let (wide, high) = (radius + HALF.0 + 8.0, radius + HALF.1 + 8.0);
    let at = |nth: usize| {
        let angle = 2.0 * PI * nth as f64 / count as f64 - FRAC_PI_2;
        (radius * libm::cos(angle), radius * libm::sin(angle))
    };
    let told = format!(
        "{} outputs, each waiting for the next: the list beside says the same",
        deadlock.outputs.len()
    );
    html! {
        svg.cycle viewBox=(format!("{:.0} {:.0} {:.0} {:.0}", -wide, -high, 2.0 * wide, 2.0 * high))
            width=(format!("{:.0}", 2.0 * wide)) role="img" aria-label=(told) {
            @if count > 1 { @for nth in 0..count { (arrow(at(nth), at((nth + 1) % count))) } }
            @else { (loop_at(at(0))) }
            @for (nth, station) in stations.iter().enumerate() { (paint(station, at(nth), nth)) }
            @if count > 2 {
                text.soft x="0" y="-2" text-anchor="middle" { "each waits" }
                text.soft x="0" y="14" text-anchor="middle" { "for the next" }
            }
        }
    }
}

fn stations<'a>(deadlock: &'a Deadlock) -> Vec<Station<'a>> {
    let all = deadlock.outputs.len();
    let shown = if all > MOST { MOST - 1 } else { all };
    let broken = deadlock.cleared.map(|(output, _)| output);
    let station = |nth: usize| {
        let output = deadlock.outputs[nth];
        Station { output, worm: deadlock.worm(nth), is_broken: broken == Some(output), is_gap: false }
    };
    let gap = Station { output: "…", worm: "and so on", is_broken: false, is_gap: true };
    (0..shown).map(station).chain((all > shown).then_some(gap)).collect()
}

fn paint(station: &Station, (x, y): (f64, f64), nth: usize) -> Markup {
    let class = match (station.is_gap, station.is_broken) {
        (true, _) => "gap",
        (false, true) => "broken",
        (false, false) => "held",
    };
    html! {
        g class=(class) transform=(format!("translate({x:.1} {y:.1})")) {
            rect x=(-HALF.0) y=(-HALF.1) width=(2.0 * HALF.0) height=(2.0 * HALF.1) rx="6" {}
            @if !station.is_gap {
                circle.number cx=(-HALF.0 + 2.0) cy=(-HALF.1 + 2.0) r="8.5" {}
                text.number x=(-HALF.0 + 2.0) y=(-HALF.1 + 6.0) text-anchor="middle" { (nth + 1) }
            }
            text.output x="0" y="-3" text-anchor="middle" { (shortened(station.output)) title { (station.output) } }
            text.worm x="0" y="13" text-anchor="middle" { (shortened(station.worm)) title { (station.worm) } }
        }
    }
}

/// From the edge of one box to the edge of the other, with a head.
fn arrow(from: (f64, f64), to: (f64, f64)) -> Markup {
    let start = edge(from, to);
    let end = edge(to, from);
    let (dx, dy) = (end.0 - start.0, end.1 - start.1);
    let length = libm::hypot(dx, dy).max(1.0);
    let (dx, dy) = (dx / length, dy / length);
    let tip = (end.0 - 3.0 * dx, end.1 - 3.0 * dy);
    let back = (tip.0 - 8.0 * dx, tip.1 - 8.0 * dy);
    html! {
        line.wait x1=(round(start.0)) y1=(round(start.1)) x2=(round(back.0)) y2=(round(back.1)) {}
        polygon.wait points=(format!(
            "{:.1},{:.1} {:.1},{:.1} {:.1},{:.1}",
            tip.0, tip.1, back.0 - 4.5 * dy, back.1 + 4.5 * dx, back.0 + 4.5 * dy, back.1 - 4.5 * dx
        )) {}
    }
}

/// A circle of one: the arrow comes back.
fn loop_at((x, y): (f64, f64)) -> Markup {
    let (right, below) = (x + HALF.0, y + HALF.1);
    let (aside, deep, end) = (right + 70.0, below + 90.0, below + 9.0);
    let way = format!("M{right:.1} {y:.1} C{aside:.1} {y:.1} {x:.1} {deep:.1} {x:.1} {end:.1}");
    let (tip, back) = (below + 2.0, below + 11.0);
    let head = format!("{x:.1},{tip:.1} {:.1},{back:.1} {:.1},{back:.1}", x - 5.0, x + 5.0);
    html! {
        path.wait fill="none" d=(way) {}
        polygon.wait points=(head) {}
    }
}

/// Where the way from a box to another leaves it.
fn edge(from: (f64, f64), to: (f64, f64)) -> (f64, f64) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let across = if dx.abs() > 1e-9 { (HALF.0 + 3.0) / dx.abs() } else { f64::INFINITY };
    let along = if dy.abs() > 1e-9 { (HALF.1 + 3.0) / dy.abs() } else { f64::INFINITY };
    let share = across.min(along).min(0.5);
    (from.0 + share * dx, from.1 + share * dy)
}

fn round(along: f64) -> String {
    format!("{along:.1}")
}

fn shortened(name: &str) -> String {
    if name.chars().count() <= LETTERS {
        return name.to_owned();
    }
    name.chars().take(LETTERS - 1).chain(['…']).collect()
}
