//! What SVG is made of here: lines, areas, text and the shapes of marks.

use std::fmt::Write as _;

use crate::report::escaped;

/// A place on the sheet, in pixels from its upper left corner.
pub(super) type Spot = (f64, f64);

/// Letters and axes.
pub(super) const INK: &str = "#333333";
/// Lines behind the data.
pub(super) const GRID: &str = "#e4e4e4";
/// What the paper prints.
pub(super) const PAPER: &str = "#000000";

/// The outline of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Circle,
    /// Corners in pixels from the middle.
    Corners(&'static [(i8, i8)]),
}

/// The mark of what a paper prints.
pub(super) const DIAMOND: Shape = Shape::Corners(&[(0, -6), (6, 0), (0, 6), (-6, 0)]);

/// Where a text stands, seen from its spot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    /// It begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

/// How a text looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    pub(super) size: f64,
    pub(super) bold: bool,
    pub(super) anchor: Anchor,
    /// Degrees, clockwise.
    pub(super) turned: i32,
}

/// What a drawing is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ground<'a> {
    /// White paper: a file of its own.
    Paper,
    /// A page that says by its variables what colours look like, and what follows the drawing's name there: ids begin
    /// with it.
    Page(&'a str),
}

/// The colours of a page in place of those of paper.
const OF_PAGE: [(&str, &str); 11] = [
    (INK, "var(--ink)"),
    (GRID, "var(--line)"),
    (PAPER, "var(--ink)"),
    ("#0072b2", "var(--p1)"),
    ("#d55e00", "var(--p2)"),
    ("#009e73", "var(--p3)"),
    ("#cc79a7", "var(--p4)"),
    ("#e69f00", "var(--p5)"),
    ("#56b4e9", "var(--p6)"),
    ("#6a3d9a", "var(--p7)"),
    ("#7f7f7f", "var(--p8)"),
];

/// What a page tells of a mark: its numbers as the tables have them, and in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tip {
    /// Along the horizontal axis.
    pub x: String,
    /// Along the vertical axis.
    pub y: String,
    /// What it says when it is pointed at.
    pub words: String,
}

/// A drawing in the making.
pub(super) struct Canvas<'a> {
    svg: String,
    ground: Ground<'a>,
}

/// About how wide a text is; there are no font metrics here.
pub(super) fn width_of(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.56
}

impl<'a> Canvas<'a> {
    /// A drawing on a page, as large as there is room.
    pub(super) fn on_page(name: &'a str, label: &str, width: f64, height: f64) -> Canvas<'a> {
        let svg = format!(
            "<svg viewBox=\"0 0 {width:.0} {height:.0}\" role=\"group\" aria-label=\"{}\">\n",
            escaped(label)
        );
        Canvas { svg, ground: Ground::Page(name) }
    }

    pub(super) fn new(width: f64, height: f64) -> Canvas<'a> {
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"sans-serif\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        );
        Canvas { svg, ground: Ground::Paper }
    }

    pub(super) fn finish(mut self) -> String {
        self.svg.push_str("</svg>\n");
        self.svg
    }

    /// From here to [`Canvas::end`] nothing is seen outside of a rectangle.
    pub(super) fn begin_within(&mut self, id: usize, (left, top): Spot, (right, bottom): Spot) {
        let (width, height) = (right - left, bottom - top);
        let id = match self.ground {
            Ground::Paper => id.to_string(),
            Ground::Page(name) => format!("-{name}-{id}"),
        };
        self.put(&format!(
            "<clipPath id=\"panel{id}\"><rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" \
             height=\"{height:.1}\"/></clipPath>\n<g clip-path=\"url(#panel{id})\">"
        ));
    }

    pub(super) fn end(&mut self) {
        self.put("</g>");
    }

    /// What is drawn from here to [`Canvas::end`] tells of a mark when it is pointed at.
    pub(super) fn begin_mark(&mut self, tip: &Tip) {
        let words: Vec<String> = tip.words.split('\n').map(escaped).collect();
        let words = words.join("&#10;");
        self.put(&format!(
            "<g class=\"mark\" data-x=\"{}\" data-y=\"{}\" data-tip=\"{words}\">",
            escaped(&tip.x),
            escaped(&tip.y)
        ));
    }

    /// A place that can be pointed at, larger than what is seen there.
    pub(super) fn target(&mut self, (x, y): Spot) {
        self.put(&format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"11\" fill=\"transparent\"/>"));
    }

    /// The ground that a drawing stands on.
    pub(super) fn ground(&self) -> &'static str {
        if self.ground == Ground::Paper { "#ffffff" } else { "var(--paper)" }
    }

    fn colour<'c>(&self, colour: &'c str) -> &'c str {
        let of_page = || OF_PAGE.iter().find(|(paper, _)| *paper == colour);
        match self.ground {
            Ground::Paper => colour,
            Ground::Page(_) => of_page().map_or(colour, |(_, page)| page),
        }
    }

    /// A broken line: something to compare with.
    pub(super) fn guide(&mut self, spots: &[Spot]) {
        let (spots, colour) = (joined(spots), self.colour(INK));
        self.put(&format!(
            "<polyline points=\"{spots}\" fill=\"none\" stroke=\"{colour}\" stroke-dasharray=\"3 4\"/>"
        ));
    }

    pub(super) fn line(&mut self, from: Spot, to: Spot, colour: &str, width: f64) {
        let ((x1, y1), (x2, y2), colour) = (from, to, self.colour(colour));
        self.put(&format!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\" \
             stroke-width=\"{width}\"/>"
        ));
    }

    /// A line through spots.
    pub(super) fn path(&mut self, spots: &[Spot], colour: &str) {
        let (spots, colour) = (joined(spots), self.colour(colour));
        self.put(&format!(
            "<polyline points=\"{spots}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" \
             stroke-linejoin=\"round\"/>"
        ));
    }

    /// A pale area inside an outline.
    pub(super) fn area(&mut self, outline: &[Spot], colour: &str) {
        let (outline, colour) = (joined(outline), self.colour(colour));
        self.put(&format!("<polygon points=\"{outline}\" fill=\"{colour}\" fill-opacity=\"0.18\"/>"));
    }

    /// A bar between two corners, hollow if told so.
    pub(super) fn bar(&mut self, (x1, y1): Spot, (x2, y2): Spot, colour: &str, hollow: bool) {
        let (left, top, width, height) = (x1.min(x2), y1.min(y2), (x2 - x1).abs(), (y2 - y1).abs());
        let colour = self.colour(colour);
        let fill = if hollow { self.ground() } else { colour };
        self.put(&format!(
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
             fill=\"{fill}\" stroke=\"{colour}\"/>"
        ));
    }

    /// A mark: its outline in a colour, filled with another.
    pub(super) fn mark(&mut self, (x, y): Spot, shape: Shape, colour: &str, fill: &str) {
        let outline = match shape {
            Shape::Circle => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\""),
            Shape::Corners(corners) => {
                let corner = |(dx, dy): &(i8, i8)| (x + f64::from(*dx), y + f64::from(*dy));
                let corners: Vec<Spot> = corners.iter().map(corner).collect();
                format!("<polygon points=\"{}\"", joined(&corners))
            }
        };
        let (colour, fill) = (self.colour(colour), self.colour(fill));
        self.put(&format!("{outline} fill=\"{fill}\" stroke=\"{colour}\" stroke-width=\"1.6\"/>"));
    }

    pub(super) fn text(&mut self, (x, y): Spot, words: Words, text: &str) {
        let anchor = match words.anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let weight = if words.bold { " font-weight=\"bold\"" } else { "" };
        let turned = match words.turned {
            0 => String::new(),
            degrees => format!(" transform=\"rotate({degrees} {x:.1} {y:.1})\""),
        };
        let (size, text, ink) = (words.size, escaped(text), self.colour(INK));
        self.put(&format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" fill=\"{ink}\"{anchor}{weight}{turned}>{text}</text>"
        ));
    }

    fn put(&mut self, element: &str) {
        let _ = writeln!(self.svg, "{element}");
    }
}

fn joined(spots: &[Spot]) -> String {
    let spots = spots.iter().map(|(x, y)| format!("{x:.1},{y:.1}"));
    spots.collect::<Vec<_>>().join(" ")
}
