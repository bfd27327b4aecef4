//! Small drawings for figures that are no charts: trees of switches, what goes over their cables, tables, code.
//!
//! A cable has a lane on either side of it, one for each direction, so that two messages are seen to meet exactly
//! where they share a directed channel.

mod tree;

pub(super) use tree::{along, spots, switch_spots};

use std::fmt::Write as _;

use crate::report::escaped;

/// A place on the sheet, in pixels from its upper left corner.
pub(super) type Spot = (i32, i32);

/// What text and outlines are drawn in.
pub(super) const INK: &str = "#333333";
/// What matters less.
pub(super) const GREY: &str = "#8a8a8a";
/// The colours of what is told apart, by number; as those of charts.
pub(super) const COLOURS: [&str; 7] =
    ["#1f5fa8", "#c4571b", "#1b855e", "#8e3b8a", "#9a7b0a", "#b52a3a", "#4aa3d8"];
/// Light shades of [`COLOURS`], to write on.
pub(super) const SHADES: [&str; 7] =
    ["#dce9f6", "#fae3d5", "#d6efe5", "#efdcee", "#f4ecc8", "#f6d9dc", "#dff1fa"];

const MARGIN: i32 = 24;
const SWITCH_HALF: (i32, i32) = (22, 12);
const MACHINE: i32 = 11;
/// How far a message's lane is from the middle of its cable.
const LANE: f64 = 4.5;

/// A length as whole pixels.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a sheet is a few thousand pixels wide; beyond, casts saturate"
)]
pub(super) fn pixels(length: f64) -> i32 {
    length.round() as i32
}

/// Where a text stands beside its place.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    /// It begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

/// A drawing under construction; its sheet grows with what is drawn.
#[derive(Clone, Debug)]
pub(super) struct Diagram {
    title: String,
    /// What is drawn below all else, on top of it, and on top of that.
    layers: [String; 3],
    reach: Spot,
}

impl Diagram {
    /// An empty sheet with a heading, and a line in smaller letters below it.
    pub(super) fn new(title: &str, note: &str) -> Diagram {
        let mut diagram = Diagram { title: title.to_owned(), layers: Default::default(), reach: (0, 0) };
        diagram.text((MARGIN, 32), 18, Anchor::Start, INK, title);
        diagram.text((MARGIN, 52), 12, Anchor::Start, GREY, note);
        diagram
    }

    /// Makes room up to a place.
    pub(super) fn reach(&mut self, (x, y): Spot) {
        self.reach = (self.reach.0.max(x), self.reach.1.max(y));
    }

    /// A text of one line.
    pub(super) fn text(&mut self, (x, y): Spot, size: i32, anchor: Anchor, colour: &str, text: &str) {
        let wide = i32::try_from(text.chars().count()).unwrap_or(0) * size * 11 / 20;
        let (name, right) = match anchor {
            Anchor::Start => ("start", x + wide),
            Anchor::Middle => ("middle", x + wide / 2),
            Anchor::End => ("end", x),
        };
        self.reach((right, y));
        let text = escaped(text);
        self.add(2, format_args!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" text-anchor=\"{name}\" fill=\"{colour}\">{text}</text>"
        ));
    }

    /// A line of code, every letter as wide as the next.
    pub(super) fn code(&mut self, (x, y): Spot, text: &str) {
        self.reach((x + i32::try_from(text.chars().count()).unwrap_or(0) * 8, y));
        let text = escaped(text);
        self.add(
            2,
            format_args!(
                "<text x=\"{x}\" y=\"{y}\" font-size=\"13\" font-family=\"monospace\" xml:space=\"preserve\" \
             fill=\"{INK}\">{text}</text>"
            ),
        );
    }

    /// A filled rectangle with a text in its middle.
    pub(super) fn cell(&mut self, (x, y): Spot, (wide, high): Spot, fill: &str, text: &str) {
        self.reach((x + wide, y + high));
        self.add(0, format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{wide}\" height=\"{high}\" fill=\"{fill}\" stroke=\"#b8b8b8\"/>"
        ));
        self.text((x + wide / 2, y + high / 2 + 4), 11, Anchor::Middle, INK, text);
    }

    /// A switch, with its name in it.
    pub(super) fn switch(&mut self, (x, y): Spot, name: &str) {
        let (half, high) = SWITCH_HALF;
        self.reach((x + half, y + high));
        self.add(2, format_args!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\" fill=\"#eaf1f8\" stroke=\"#1f5fa8\"/>",
            x - half,
            y - high,
            2 * half,
            2 * high
        ));
        self.text((x, y + 4), 12, Anchor::Middle, INK, name);
    }

    /// A machine, with its number in it.
    pub(super) fn machine(&mut self, (x, y): Spot, fill: &str, name: &str) {
        self.reach((x + MACHINE, y + MACHINE));
        self.add(
            2,
            format_args!(
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"{MACHINE}\" fill=\"{fill}\" stroke=\"#c4571b\"/>"
            ),
        );
        self.text((x, y + 4), 10, Anchor::Middle, INK, name);
    }

    /// A cable between two places.
    pub(super) fn cable(&mut self, a: Spot, b: Spot) {
        self.add(
            0,
            format_args!(
                "<path d=\"M{} {}L{} {}\" stroke=\"#b4bcc4\" stroke-width=\"2\" fill=\"none\"/>",
                a.0, a.1, b.0, b.1
            ),
        );
    }

    /// A line through several places.
    pub(super) fn line(&mut self, places: &[Spot], colour: &str, width: i32) {
        let path = places.iter().enumerate().map(|(nth, (x, y))| {
            let letter = if nth == 0 { 'M' } else { 'L' };
            format!("{letter}{x} {y}")
        });
        let path: String = path.collect();
        for place in places {
            self.reach(*place);
        }
        self.add(
            1,
            format_args!("<path d=\"{path}\" stroke=\"{colour}\" stroke-width=\"{width}\" fill=\"none\"/>"),
        );
    }

    /// A dot.
    pub(super) fn dot(&mut self, (x, y): Spot, radius: i32, colour: &str) {
        self.reach((x + radius, y + radius));
        self.add(2, format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{colour}\"/>"));
    }

    /// A message that passes these places from the first to the last, on the right-hand lane of each cable, with an
    /// arrow-head where it ends.
    pub(super) fn message(&mut self, places: &[Spot], colour: &str) {
        self.message_beside(places, LANE, colour);
    }

    /// The same so many pixels from the middle of the cables, for messages that share a direction.
    pub(super) fn message_beside(&mut self, places: &[Spot], aside: f64, colour: &str) {
        let mut path = String::new();
        let mut last = None;
        for pair in places.windows(2) {
            let (from, to) = lane(pair[0], pair[1], aside);
            let letter = if last.is_none() { 'M' } else { 'L' };
            let _ = write!(path, "{letter}{:.1} {:.1}L{:.1} {:.1}", from.0, from.1, to.0, to.1);
            last = Some((from, to));
        }
        let Some((from, to)) = last else { return };
        self.add(1, format_args!(
            "<path d=\"{path}\" stroke=\"{colour}\" stroke-width=\"2\" stroke-linejoin=\"round\" fill=\"none\"/>"
        ));
        self.head(from, to, colour);
    }

    /// The head of an arrow, just before a machine or switch that is in the way.
    fn head(&mut self, from: (f64, f64), to: (f64, f64), colour: &str) {
        let (x, y) = (to.0 - from.0, to.1 - from.1);
        let long = x.hypot(y).max(1.0);
        let (x, y) = (x / long, y / long);
        let corner = |ahead: f64, aside: f64| {
            format!("{:.1},{:.1}", to.0 + ahead * x - aside * y, to.1 + ahead * y + aside * x)
        };
        let corners = [corner(4.0, 0.0), corner(-5.0, 4.5), corner(-5.0, -4.5)].join(" ");
        self.add(1, format_args!("<polygon points=\"{corners}\" fill=\"{colour}\"/>"));
    }

    fn add(&mut self, layer: usize, shape: std::fmt::Arguments<'_>) {
        writeln!(self.layers[layer], "{shape}").expect("a string takes what is written");
    }

    /// The drawing as SVG.
    pub(super) fn finish(self) -> String {
        let (wide, high) = (self.reach.0 + MARGIN, self.reach.1 + MARGIN);
        let title = escaped(&self.title);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide}\" height=\"{high}\" \
             viewBox=\"0 0 {wide} {high}\" role=\"img\" font-family=\"sans-serif\">\n<title>{title}</title>\n\
             <rect width=\"{wide}\" height=\"{high}\" fill=\"#ffffff\"/>\n{}</svg>\n",
            self.layers.concat()
        )
    }
}

/// The right-hand lane of a cable between two boxes, clear of both, so many pixels from its middle.
fn lane(a: Spot, b: Spot, aside: f64) -> ((f64, f64), (f64, f64)) {
    let (a, b) = ((f64::from(a.0), f64::from(a.1)), (f64::from(b.0), f64::from(b.1)));
    let (x, y) = (b.0 - a.0, b.1 - a.1);
    let long = x.hypot(y).max(1.0);
    let (x, y) = (x / long, y / long);
    let clear = 17.0_f64.min(long / 3.0);
    let at = |(px, py): (f64, f64), ahead: f64| (px + ahead * x - aside * y, py + ahead * y + aside * x);
    (at(a, clear), at(b, -clear))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a drawing were no SVG, lay beyond its sheet, or a text could become markup.
    #[test]
    fn a_sketch_is_an_svg_that_holds_what_is_drawn() {
        let mut diagram = Diagram::new("<a> & b", "");
        diagram.switch((300, 200), "s0");
        diagram.machine((300, 260), "#ffffff", "1");
        diagram.cable((300, 200), (300, 260));
        diagram.message(&[(300, 260), (300, 200), (400, 200)], COLOURS[0]);
        let svg = diagram.finish();
        let tree = roxmltree::Document::parse(&svg).unwrap();
        assert_eq!(tree.root_element().attribute("height"), Some("295"));
        assert!(!svg.contains("<a>"));
    }

    /// Wrong if the two directions of a cable shared a lane.
    #[test]
    fn directions_have_lanes_of_their_own() {
        let (there, back) = (lane((0, 0), (100, 0), LANE), lane((100, 0), (0, 0), LANE));
        assert!(there.0.1 > 0.0 && back.0.1 < 0.0);
    }
}
