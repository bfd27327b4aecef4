//! Switches, cables with their up ends, and routing restrictions, as the paper's drawings have them.
//!
//! A cable's arrow points at its up end. A dashed arc across a switch joins two cables that both lead up from
//! there: a worm that came down one of them must not go up the other, nor the other way round.

use simnet_output::report::{COLOURS, INK, Pen, Spot, Stroke, Words, direction, distance, moved};

const TREE: &str = COLOURS[0];
const FORBIDDEN: Stroke<'_> = Stroke::new(COLOURS[1], 2.0).dashed("5 3");
/// Of a switch.
const RADIUS: f64 = 15.0;
/// Of the innermost arc of restriction at a switch, and by how much the next is farther out.
const ARC: (f64, f64) = (25.0, 7.0);

/// A cable, heavy and blue if the tree has it; with an arrow to `to` if it has a direction.
pub(super) fn cable(pen: &mut Pen, from: Spot, to: Spot, in_tree: bool, directed: bool) {
    let (colour, width) = if in_tree { (TREE, 3.5) } else { (INK, 1.3) };
    pen.line(from, to, Stroke::new(colour, width));
    if directed {
        let towards = direction(from, to);
        let tip = moved(from, towards, distance(from, to) / 2.0 + 5.5, 0.0);
        pen.head(tip, towards, (11.0, 5.5), colour);
    }
}

/// A restriction at a switch between the cables to two others, the so-manieth there.
pub(super) fn restriction(pen: &mut Pen, at: Spot, one: Spot, other: Spot, nth: usize) {
    let arc = ARC.0 + ARC.1 * nth as f64;
    let (a, b) = (direction(at, one), direction(at, other));
    let sum = (a.0 + b.0, a.1 + b.1);
    // Of cables in one line the arc goes round one side.
    let is_straight = distance((0.0, 0.0), sum) < 0.2;
    let middle = if is_straight { (-a.1, a.0) } else { direction((0.0, 0.0), sum) };
    let spread = (1.0 - (a.0 * b.0 + a.1 * b.1)) / 2.0;
    let over = moved(at, middle, arc * (1.05 + 0.75 * spread), 0.0);
    let (from, to) = (moved(at, a, arc, 0.0), moved(at, b, arc, 0.0));
    let near = |end: Spot| moved(end, direction(end, over), distance(end, over) * 2.0 / 3.0, 0.0);
    pen.curve([from, near(from), near(to), to], FORBIDDEN);
}

/// Hosts at a switch: dots on short lines, on its side away from another spot.
pub(super) fn hosts(pen: &mut Pen, at: Spot, away_from: Spot, count: usize) {
    for nth in 0..count {
        let aside = 11.0 * (nth as f64 - (count as f64 - 1.0) / 2.0);
        let host = moved(at, direction(away_from, at), 34.0, aside);
        cable(pen, at, host, false, false);
        pen.circle(host, 3.6, COLOURS[1], None);
    }
}

/// A switch with a label in it.
pub(super) fn switch(pen: &mut Pen, (x, y): Spot, label: &str, is_root: bool) {
    let fill = if is_root { "#cfe6f5" } else { "#ffffff" };
    pen.circle((x, y), RADIUS, fill, Some(Stroke::new(INK, 1.6)));
    pen.text((x, y + 4.5), Words::new(13.0).middle(), label);
}

/// What the lines mean, in a row from here on.
pub(super) fn key(pen: &mut Pen, (x, y): Spot) {
    let (line, words) = (y - 4.0, Words::new(12.0));
    cable(pen, (x, line), (x + 34.0, line), true, false);
    pen.text((x + 44.0, y), words, "cable of the tree");
    cable(pen, (x + 172.0, line), (x + 206.0, line), false, true);
    pen.text((x + 216.0, y), words, "another; arrows point up");
    pen.line((x + 400.0, line), (x + 434.0, line), FORBIDDEN);
    pen.text((x + 444.0, y), words, "forbidden: down one, then up the other");
}
