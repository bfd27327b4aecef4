//! A pen for drawings that are neither charts nor whole networks: paths over cables, messages in time and space.
//!
//! Coordinates are pixels from the upper left corner, written to a tenth of one.

use std::fmt::Write as _;

use crate::report::escaped;

/// Text and outlines.
pub(super) const INK: &str = "#333333";
/// What stands in the background.
pub(super) const GREY: &str = "#8a8a8a";
/// The first colour; all are told apart with impaired colour vision too.
pub(super) const BLUE: &str = "#1f5fa8";
/// The second.
pub(super) const RED: &str = "#c4301b";
/// The third.
pub(super) const GREEN: &str = "#1b855e";
/// The fourth.
pub(super) const PURPLE: &str = "#8e3b8a";
/// The fifth.
pub(super) const BROWN: &str = "#9a7b0a";

/// A place on the sheet.
pub(super) type Spot = (f64, f64);

/// A sheet that is drawn on.
#[derive(Clone, Debug)]
pub(super) struct Sketch {
    body: String,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stroke {
    colour: &'static str,
    width: f64,
    dashed: bool,
}

impl Stroke {
    /// A solid line.
    pub(super) const fn solid(colour: &'static str, width: f64) -> Stroke {
        Stroke { colour, width, dashed: false }
    }

    /// A dashed line.
    pub(super) const fn dashed(colour: &'static str, width: f64) -> Stroke {
        Stroke { colour, width, dashed: true }
    }

    fn attributes(self) -> String {
        let dashes = if self.dashed { " stroke-dasharray=\"6 4\"" } else { "" };
        format!("stroke=\"{}\" stroke-width=\"{}\"{dashes}", self.colour, self.width)
    }
}

/// Where a text stands beside its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    /// It begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

impl Sketch {
    /// A white sheet of so many pixels with a heading, and smaller words below it.
    pub(super) fn new(width: f64, height: f64, title: &str, note: &str) -> Sketch {
        let body = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} \
             {height}\" role=\"img\" font-family=\"sans-serif\">\n<title>{}</title>\n<rect width=\"{width}\" \
             height=\"{height}\" fill=\"#ffffff\"/>\n",
            escaped(title)
        );
        let mut sketch = Sketch { body };
        sketch.text((24.0, 32.0), 18, Anchor::Start, INK, title);
        sketch.text((24.0, 52.0), 12, Anchor::Start, "#666666", note);
        sketch
    }

    /// Writes a line of text, whose base line is at `at`.
    pub(super) fn text(&mut self, at: Spot, size: u32, anchor: Anchor, colour: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let ((x, y), text) = (at, escaped(text));
        self.put(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\" \
             fill=\"{colour}\">{text}</text>"
        ));
    }

    /// Draws a line through all `points`.
    pub(super) fn line(&mut self, points: &[Spot], stroke: Stroke) {
        let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        self.put(format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke-linejoin=\"round\" stroke-linecap=\"round\" {}/>",
            path.join(" "),
            stroke.attributes()
        ));
    }

    /// Draws a line from one place to another with a head at its end.
    pub(super) fn arrow(&mut self, from: Spot, to: Spot, stroke: Stroke) {
        self.line(&[from, to], stroke);
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = (dx * dx + dy * dy).sqrt().max(1e-9);
        let (ux, uy) = (dx / length, dy / length);
        let (long, wide) = (5.0 + 1.5 * stroke.width, 2.0 + 1.2 * stroke.width);
        let foot = (to.0 - ux * long, to.1 - uy * long);
        let corners =
            [to, (foot.0 - uy * wide, foot.1 + ux * wide), (foot.0 + uy * wide, foot.1 - ux * wide)];
        self.area(&corners, stroke.colour, 1.0);
    }

    /// Draws an arrow beside the line from one box to another: to the right of its direction by `beside` pixels (to the
    /// left, if negative), and shorter by `cut` pixels at each end.
    pub(super) fn beside(&mut self, (from, to): (Spot, Spot), beside: f64, cut: f64, stroke: Stroke) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = (dx * dx + dy * dy).sqrt().max(1e-9);
        let (ux, uy) = (dx / length, dy / length);
        let at = |(x, y): Spot, along: f64| (x + ux * along - uy * beside, y + uy * along + ux * beside);
        self.arrow(at(from, cut), at(to, -cut), stroke);
    }

    /// Fills what `corners` enclose; `opacity` 1 hides what is behind.
    pub(super) fn area(&mut self, corners: &[Spot], colour: &str, opacity: f64) {
        let path: Vec<String> = corners.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        self.put(format_args!(
            "<polygon points=\"{}\" fill=\"{colour}\" fill-opacity=\"{opacity}\"/>",
            path.join(" ")
        ));
    }

    /// Draws a switch: a box with its name.
    pub(super) fn switch(&mut self, (x, y): Spot, half: f64, name: &str) {
        let (left, top, wide) = (x - half, y - 13.0, 2.0 * half);
        self.put(format_args!(
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{wide:.1}\" height=\"26\" rx=\"4\" fill=\"#eaf1f8\" \
             stroke=\"#5f7fa3\"/>"
        ));
        self.text((x, y + 4.0), 12, Anchor::Middle, INK, name);
    }

    /// Draws a host: a dot with its name below.
    pub(super) fn host(&mut self, (x, y): Spot, name: &str) {
        self.dot((x, y), 5.0, "#c4571b");
        self.text((x, y + 20.0), 12, Anchor::Middle, INK, name);
    }

    /// Draws a filled circle.
    pub(super) fn dot(&mut self, (x, y): Spot, radius: f64, colour: &str) {
        self.put(format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{colour}\"/>"));
    }

    /// Draws a cross.
    pub(super) fn cross(&mut self, (x, y): Spot, size: f64, stroke: Stroke) {
        self.line(&[(x - size, y - size), (x + size, y + size)], stroke);
        self.line(&[(x - size, y + size), (x + size, y - size)], stroke);
    }

    /// The drawing.
    pub(super) fn finish(mut self) -> String {
        self.body.push_str("</svg>\n");
        self.body
    }

    fn put(&mut self, element: std::fmt::Arguments<'_>) {
        writeln!(self.body, "{element}").expect("a string takes what is written");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if words could end an element, or equal drawings differed.
    #[test]
    fn words_are_escaped_and_places_written_to_a_tenth() {
        let draw = || {
            let mut sketch = Sketch::new(100.0, 50.0, "a < b & c", "");
            sketch.line(&[(1.0, 2.25), (1.0 / 3.0, 4.0)], Stroke::dashed(BLUE, 2.0));
            sketch.finish()
        };
        let svg = draw();
        assert_eq!(svg, draw());
        assert!(svg.contains("a &lt; b &amp; c") && svg.contains("0.3,4.0"), "{svg}");
        assert!(svg.ends_with("</svg>\n"));
    }
}
