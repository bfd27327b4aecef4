//! A circle of waiting, as a small drawing.

use std::f64::consts::{FRAC_PI_2, PI};

use maud::{Markup, PreEscaped};

use crate::report::{Pen, Spot, Stroke, Words, direction, moved};

use super::Deadlock;

/// Outputs drawn at most; of a longer circle the first ones, and a gap.
const MOST: usize = 12;
/// Letters of a name that fit.
const LETTERS: usize = 13;
/// Half a box.
const HALF: Spot = (54.0, 21.0);

/// One box: an output and who holds it.
struct CircleBox<'a> {
    output: &'a str,
    worm: &'a str,
    is_broken: bool,
    /// It stands for all that are not drawn.
    is_gap: bool,
}

/// Draws who waits for whom in a deadlock: an arrow from each output to the one that its holder needs.
pub(super) fn drawing(id: &str, deadlock: &Deadlock) -> Markup {
    let boxes = boxes(deadlock);
    let count = boxes.len();
    let radius = (count as f64 * 140.0 / (2.0 * PI)).max(if count == 2 { 78.0 } else { 92.0 });
    let middle = (radius + HALF.0 + 8.0, radius + HALF.1 + 8.0);
    let at = |nth: usize| {
        let angle = 2.0 * PI * nth as f64 / count as f64 - FRAC_PI_2;
        (middle.0 + radius * libm::cos(angle), middle.1 + radius * libm::sin(angle))
    };
    let outputs = deadlock.outputs.len();
    let label = format!("{outputs} outputs, each waiting for the next: the list beside says the same");
    let mut pen = Pen::on_page(id, &label).fixed();
    match count {
        1 => loop_at(&mut pen, at(0)),
        _ => (0..count).for_each(|nth| arrow(&mut pen, at(nth), at((nth + 1) % count))),
    }
    for (nth, circle_box) in boxes.iter().enumerate() {
        paint(&mut pen, circle_box, at(nth), nth);
    }
    if count > 2 {
        pen.text((middle.0, middle.1 - 2.0), Words::styled().middle(), "each waits");
        pen.text((middle.0, middle.1 + 14.0), Words::styled().middle(), "for the next");
    }
    PreEscaped(pen.finish((2.0 * middle.0, 2.0 * middle.1)))
}

fn boxes<'a>(deadlock: &'a Deadlock) -> Vec<CircleBox<'a>> {
    let all = deadlock.outputs.len();
    let shown = if all > MOST { MOST - 1 } else { all };
    let broken = deadlock.cleared.map(|(output, _)| output);
    let circle_box = |nth: usize| {
        let output = deadlock.outputs[nth];
        CircleBox { output, worm: deadlock.worm(nth), is_broken: broken == Some(output), is_gap: false }
    };
    let gap = CircleBox { output: "…", worm: "and so on", is_broken: false, is_gap: true };
    (0..shown).map(circle_box).chain((all > shown).then_some(gap)).collect()
}

fn paint(pen: &mut Pen, circle_box: &CircleBox<'_>, (x, y): Spot, nth: usize) {
    let class = match (circle_box.is_gap, circle_box.is_broken) {
        (true, _) => "gap",
        (false, true) => "broken",
        (false, false) => "held",
    };
    let (left, top) = (x - HALF.0, y - HALF.1);
    pen.begin_class(class, &[]);
    pen.hint(&format!("{}: {}", circle_box.output, circle_box.worm));
    pen.rectangle((left, top), (x + HALF.0, y + HALF.1), true, "", "");
    if !circle_box.is_gap {
        pen.begin_class("number", &[]);
        pen.circle((left + 2.0, top + 2.0), 8.5, "", None);
        pen.text((left + 2.0, top + 6.0), Words::styled().middle(), &(nth + 1).to_string());
        pen.end();
    }
    pen.begin_class("output", &[]);
    pen.text((x, y - 3.0), Words::styled().middle(), &shortened(circle_box.output));
    pen.end();
    pen.text((x, y + 13.0), Words::styled().middle(), &shortened(circle_box.worm));
    pen.end();
}

/// From the edge of one box to the edge of the other, with a head.
fn arrow(pen: &mut Pen, from: Spot, to: Spot) {
    let (start, end) = (edge(from, to), edge(to, from));
    let towards = direction(start, end);
    let tip = moved(end, towards, -3.0, 0.0);
    pen.begin_class("wait", &[]);
    pen.line(start, moved(tip, towards, -8.0, 0.0), Stroke::styled("line"));
    pen.head(tip, towards, (8.0, 4.5), "");
    pen.end();
}

/// A circle of one: the arrow comes back.
fn loop_at(pen: &mut Pen, (x, y): Spot) {
    let (right, below) = (x + HALF.0, y + HALF.1);
    let end = (x, below + 9.0);
    pen.begin_class("wait", &[]);
    pen.curve([(right, y), (right + 70.0, y), (x, below + 90.0), end], Stroke::styled("line"));
    pen.head((x, below + 2.0), (0.0, -1.0), (9.0, 5.0), "");
    pen.end();
}

/// Where the way from a box to another leaves it.
fn edge(from: (f64, f64), to: (f64, f64)) -> (f64, f64) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let across = if dx.abs() > 1e-9 { (HALF.0 + 3.0) / dx.abs() } else { f64::INFINITY };
    let along = if dy.abs() > 1e-9 { (HALF.1 + 3.0) / dy.abs() } else { f64::INFINITY };
    let share = across.min(along).min(0.5);
    (from.0 + share * dx, from.1 + share * dy)
}

fn shortened(name: &str) -> String {
    if name.chars().count() <= LETTERS {
        return name.to_owned();
    }
    name.chars().take(LETTERS - 1).chain(['…']).collect()
}
