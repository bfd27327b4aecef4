//! Switches, cables with their up ends, and routing restrictions, as the paper's drawings have them.
//!
//! A cable's arrow points at its up end. A dashed arc across a switch joins two cables both of which lead up from
//! there: a worm that came down one of them must not go up the other, nor the other way round.

use std::fmt::Write as _;

/// A place on the sheet, in pixels from its upper left corner.
pub(super) type Spot = (f64, f64);

const INK: &str = "#333333";
const TREE: &str = "#0072b2";
const FORBIDDEN: &str = "#d55e00";
/// Of a switch.
const RADIUS: f64 = 15.0;
/// Of the innermost arc of restriction at a switch, and by how much the next is farther out.
const ARC: (f64, f64) = (25.0, 7.0);

/// A drawing in the making.
pub(super) struct Orientations {
    body: String,
}

impl Orientations {
    pub(super) fn new() -> Orientations {
        Orientations { body: String::new() }
    }

    /// The drawing as SVG.
    pub(super) fn finish(self, (width, height): (f64, f64)) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"sans-serif\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{}</svg>\n",
            self.body
        )
    }

    /// Another drawing with its upper left corner here.
    pub(super) fn inset(&mut self, (x, y): Spot, svg: &str) {
        let inner = svg.replacen("<svg ", &format!("<svg x=\"{x:.1}\" y=\"{y:.1}\" "), 1);
        self.body.push_str(&inner);
    }

    /// A cable, heavy and blue if the tree has it; with an arrow to `to` if it has a direction.
    pub(super) fn cable(&mut self, from: Spot, to: Spot, in_tree: bool, directed: bool) {
        let (colour, width) = if in_tree { (TREE, 3.5) } else { (INK, 1.3) };
        let _ = writeln!(
            self.body,
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\" stroke-width=\"{width}\"/>",
            from.0, from.1, to.0, to.1
        );
        if directed {
            let (dx, dy) = unit(from, to);
            let length = length(from, to);
            let along = |share: f64, aside: f64| {
                (from.0 + dx * length * share - dy * aside, from.1 + dy * length * share + dx * aside)
            };
            let back = 11.0 / length;
            let tip = 0.5 + back / 2.0;
            let corners = [along(tip, 0.0), along(tip - back, 5.5), along(tip - back, -5.5)];
            let corners: Vec<String> = corners.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            let _ = writeln!(self.body, "<polygon points=\"{}\" fill=\"{colour}\"/>", corners.join(" "));
        }
    }

    /// A restriction at a switch between the cables to two others, the so-manieth there.
    pub(super) fn restriction(&mut self, at: Spot, one: Spot, other: Spot, nth: usize) {
        let arc = ARC.0 + ARC.1 * nth as f64;
        let (a, b) = (unit(at, one), unit(at, other));
        let sum = (a.0 + b.0, a.1 + b.1);
        // Of cables in one line the arc goes round one side.
        let middle = if length((0.0, 0.0), sum) < 0.2 { (-a.1, a.0) } else { unit((0.0, 0.0), sum) };
        let spread = (1.0 - (a.0 * b.0 + a.1 * b.1)) / 2.0;
        let far = arc * (1.05 + 0.75 * spread);
        let place = |(dx, dy): Spot, by: f64| (at.0 + dx * by, at.1 + dy * by);
        let (from, over, to) = (place(a, arc), place(middle, far), place(b, arc));
        let _ = writeln!(
            self.body,
            "<path d=\"M {:.1} {:.1} Q {:.1} {:.1} {:.1} {:.1}\" fill=\"none\" stroke=\"{FORBIDDEN}\" \
             stroke-width=\"2\" stroke-dasharray=\"5 3\"/>",
            from.0, from.1, over.0, over.1, to.0, to.1
        );
    }

    /// Hosts at a switch: dots on short lines, on its side away from another spot.
    pub(super) fn hosts(&mut self, at: Spot, away_from: Spot, count: usize) {
        let (dx, dy) = unit(away_from, at);
        for nth in 0..count {
            let aside = 11.0 * (nth as f64 - (count as f64 - 1.0) / 2.0);
            let (x, y) = (at.0 + dx * 34.0 - dy * aside, at.1 + dy * 34.0 + dx * aside);
            self.cable(at, (x, y), false, false);
            let _ =
                writeln!(self.body, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.6\" fill=\"{FORBIDDEN}\"/>");
        }
    }

    /// A switch with a label in it.
    pub(super) fn switch(&mut self, (x, y): Spot, label: &str, is_root: bool) {
        let fill = if is_root { "#cfe6f5" } else { "#ffffff" };
        let _ = writeln!(
            self.body,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{RADIUS}\" fill=\"{fill}\" stroke=\"{INK}\" stroke-width=\"1.6\"/>"
        );
        self.words((x, y + 4.5), label, 13.0, false);
    }

    /// Words about a spot; bold if told so. They hold no letter that SVG would take for its own.
    pub(super) fn words(&mut self, (x, y): Spot, text: &str, size: f64, bold: bool) {
        let weight = if bold { " font-weight=\"bold\"" } else { "" };
        let _ = writeln!(
            self.body,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" fill=\"{INK}\" text-anchor=\"middle\"{weight}>\
             {text}</text>"
        );
    }

    /// What the lines mean, in a row from here on.
    pub(super) fn key(&mut self, (x, y): Spot) {
        self.cable((x, y - 4.0), (x + 34.0, y - 4.0), true, false);
        self.words((x + 97.0, y), "cable of the tree", 12.0, false);
        self.cable((x + 172.0, y - 4.0), (x + 206.0, y - 4.0), false, true);
        self.words((x + 300.0, y), "another; arrows point up", 12.0, false);
        let _ = writeln!(
            self.body,
            "<path d=\"M {:.1} {:.1} h 34\" stroke=\"{FORBIDDEN}\" stroke-width=\"2\" stroke-dasharray=\"5 3\"/>",
            x + 400.0,
            y - 4.0
        );
        self.words((x + 556.0, y), "forbidden: down one, then up the other", 12.0, false);
    }
}

fn length(from: Spot, to: Spot) -> f64 {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    (dx * dx + dy * dy).sqrt()
}

/// The direction from one spot to another.
fn unit(from: Spot, to: Spot) -> Spot {
    let length = length(from, to).max(1e-9);
    ((to.0 - from.0) / length, (to.1 - from.1) / length)
}
