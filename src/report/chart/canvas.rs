//! What SVG is made of here: lines, areas, text and the shapes of marks.

use std::fmt::Write as _;

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

/// A drawing in the making.
pub(super) struct Canvas {
    svg: String,
}

/// About how wide a text is; there are no font metrics here.
pub(super) fn width_of(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.56
}

impl Canvas {
    pub(super) fn new(width: f64, height: f64) -> Canvas {
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"sans-serif\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        );
        Canvas { svg }
    }

    pub(super) fn finish(mut self) -> String {
        self.svg.push_str("</svg>\n");
        self.svg
    }

    /// From here to [`Canvas::end`] nothing is seen outside of a rectangle.
    pub(super) fn begin_within(&mut self, id: usize, (left, top): Spot, (right, bottom): Spot) {
        let (width, height) = (right - left, bottom - top);
        self.put(&format!(
            "<clipPath id=\"panel{id}\"><rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" \
             height=\"{height:.1}\"/></clipPath>\n<g clip-path=\"url(#panel{id})\">"
        ));
    }

    pub(super) fn end(&mut self) {
        self.put("</g>");
    }

    pub(super) fn line(&mut self, from: Spot, to: Spot, colour: &str, width: f64) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.put(&format!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\" \
             stroke-width=\"{width}\"/>"
        ));
    }

    /// A line through spots.
    pub(super) fn path(&mut self, spots: &[Spot], colour: &str) {
        let spots = joined(spots);
        self.put(&format!(
            "<polyline points=\"{spots}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" \
             stroke-linejoin=\"round\"/>"
        ));
    }

    /// A pale area inside an outline.
    pub(super) fn area(&mut self, outline: &[Spot], colour: &str) {
        let outline = joined(outline);
        self.put(&format!("<polygon points=\"{outline}\" fill=\"{colour}\" fill-opacity=\"0.18\"/>"));
    }

    /// A bar between two corners, hollow if told so.
    pub(super) fn bar(&mut self, (x1, y1): Spot, (x2, y2): Spot, colour: &str, hollow: bool) {
        let (left, top, width, height) = (x1.min(x2), y1.min(y2), (x2 - x1).abs(), (y2 - y1).abs());
        let fill = if hollow { "#ffffff" } else { colour };
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
        let (size, text) = (words.size, escaped(text));
        self.put(&format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" fill=\"{INK}\"{anchor}{weight}{turned}>{text}</text>"
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

/// A text that stays text; what XML has no way to write is left out.
fn escaped(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
