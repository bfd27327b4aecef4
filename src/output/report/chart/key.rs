//! The key: what each name looks like, on the whole sheet.

use super::{Chart, Layer, Style};
use crate::report::{COLOURS, INK, PAPER, Pen, Spot, Stroke, Words, width_of};

/// The outline of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Circle,
    /// Corners in pixels from the middle.
    Corners(&'static [(i8, i8)]),
}

/// The mark of what a paper prints.
const DIAMOND: Shape = Shape::Corners(&[(0, -6), (6, 0), (0, 6), (-6, 0)]);
/// Shapes of marks; with eight colours and seven shapes, 56 layers differ. The diamond is the papers'.
const SHAPES: [Shape; 7] = [
    Shape::Circle,
    Shape::Corners(&[(-4, -4), (4, -4), (4, 4), (-4, 4)]),
    Shape::Corners(&[(0, -5), (5, 4), (-5, 4)]),
    Shape::Corners(&[(0, 5), (5, -4), (-5, -4)]),
    Shape::Corners(&[(-5, 0), (4, -5), (4, 5)]),
    Shape::Corners(&[(5, 0), (-4, -5), (-4, 5)]),
    Shape::Corners(&[(0, -5), (5, -1), (3, 5), (-3, 5), (-5, -1)]),
];
/// What the key says of hollow marks, where no chart says otherwise.
const HOLLOW: &str = "hollow: saturated, or not converged";
const SIZE: f64 = 12.0;
const ROW: f64 = 20.0;
const SWATCH: f64 = 30.0;
const GAP: f64 = 18.0;

/// How a layer is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Look {
    pub(super) colour: &'static str,
    pub(super) shape: Shape,
}

/// A broken line: something to compare with.
pub(super) const GUIDE: Stroke<'_> = Stroke::new(INK, 1.0).dashed("3 4");

impl Look {
    /// A mark, hollow on request.
    pub(super) fn mark(self, pen: &mut Pen, (x, y): Spot, style: Style, hollow: bool) {
        let fill = match (style, hollow) {
            (Style::Paper, _) => "none",
            (_, true) => pen.ground(),
            (_, false) => self.colour,
        };
        let edge = Some(Stroke::new(self.colour, 1.6));
        match self.shape {
            Shape::Circle => pen.circle((x, y), 4.0, fill, edge),
            Shape::Corners(corners) => {
                let corner = |(dx, dy): &(i8, i8)| (x + f64::from(*dx), y + f64::from(*dy));
                pen.polygon(&corners.iter().map(corner).collect::<Vec<_>>(), fill, edge);
            }
        }
    }

    /// A bar between two corners, hollow on request.
    pub(super) fn bar(self, pen: &mut Pen, from: Spot, to: Spot, hollow: bool) {
        let fill = if hollow { pen.ground() } else { self.colour };
        pen.rectangle(from, to, false, fill, self.colour);
    }
}

/// The names of all panels with their looks, in the order of their first layer.
pub(super) struct Key<'a> {
    names: Vec<(String, Style, bool)>,
    /// Whether any mark is hollow, and what that says.
    hollow: bool,
    meaning: &'a str,
    /// The meaning of bands; empty where no chart says so.
    band: &'a str,
}

/// An entry at its place in a row.
pub(super) struct Entry {
    name: String,
    style: Style,
    bar: bool,
    hollow: bool,
    look: Look,
    x: f64,
}

impl<'a> Key<'a> {
    pub(super) fn new(charts: &'a [Chart]) -> Key<'a> {
        let mut names: Vec<(String, Style, bool)> = Vec::new();
        for (layer, bars) in charts.iter().flat_map(|chart| chart.layers.iter().map(|l| (l, chart.bars))) {
            if layer.style != Style::Rule
                && !names.iter().any(|(name, style, _)| *name == layer.name && is_same(*style, layer.style))
            {
                names.push((layer.name.clone(), layer.style, bars));
            }
        }
        names.sort_by_key(|(_, style, _)| *style == Style::Paper);
        let mut meanings = charts.iter().map(|chart| chart.hollow.as_str());
        let meaning = meanings.find(|meaning| !meaning.is_empty()).unwrap_or(HOLLOW);
        let mut marks = charts.iter().flat_map(|chart| &chart.layers).flat_map(|layer| &layer.marks);
        let band = charts.iter().map(|chart| chart.band.as_str()).find(|band| !band.is_empty());
        Key { names, hollow: marks.any(|mark| mark.hollow), meaning, band: band.unwrap_or_default() }
    }

    pub(super) fn look(&self, layer: &Layer) -> Look {
        if layer.style == Style::Paper {
            return Look { colour: PAPER, shape: DIAMOND };
        }
        let ours = self.names.iter().filter(|(_, style, _)| *style != Style::Paper);
        let place = ours.map(|(name, ..)| name).position(|name| *name == layer.name).unwrap_or(0);
        Look { colour: COLOURS[place % COLOURS.len()], shape: SHAPES[place % SHAPES.len()] }
    }

    /// The entries in rows that fit a sheet; none where there is nothing to distinguish.
    pub(super) fn rows(&self, width: f64) -> Vec<Vec<Entry>> {
        let mut rows: Vec<Vec<Entry>> = Vec::new();
        let mut x = width;
        for mut entry in self.entries() {
            let room = SWATCH + width_of(&entry.name, SIZE) + GAP;
            if x + room > width - GAP {
                rows.push(Vec::new());
                x = 2.0 * GAP;
            }
            entry.x = x;
            x += room;
            rows.last_mut().expect("a row was begun").push(entry);
        }
        rows
    }

    fn entries(&self) -> Vec<Entry> {
        let named = self.names.iter().filter(|(name, ..)| self.names.len() > 1 && !name.is_empty());
        let entry = |(name, style, bar): &(String, Style, bool)| {
            let layer = Layer { name: name.clone(), style: *style, marks: Vec::new() };
            let look = self.look(&layer);
            Entry { name: layer.name, style: *style, bar: *bar, hollow: false, look, x: 0.0 }
        };
        let hollow = self.hollow.then(|| Entry {
            name: self.meaning.to_owned(),
            style: Style::Marks,
            bar: false,
            hollow: true,
            look: Look { colour: INK, shape: Shape::Circle },
            x: 0.0,
        });
        let band = (!self.band.is_empty()).then(|| Entry {
            name: self.band.to_owned(),
            style: Style::Stacked,
            bar: false,
            hollow: true,
            look: Look { colour: INK, shape: Shape::Circle },
            x: 0.0,
        });
        named.map(entry).chain(hollow).chain(band).collect()
    }
}

/// Lines and marks of one name look alike; what a paper prints does not.
fn is_same(a: Style, b: Style) -> bool {
    (a == Style::Paper) == (b == Style::Paper)
}

pub(super) fn height(rows: &[Vec<Entry>]) -> f64 {
    if rows.is_empty() { 0.0 } else { ROW * rows.len() as f64 + 12.0 }
}

pub(super) fn draw(pen: &mut Pen, rows: &[Vec<Entry>], top: f64) {
    for (nth, row) in rows.iter().enumerate() {
        let y = top + ROW * (nth as f64 + 0.5);
        for entry in row {
            let (x, look) = (entry.x, entry.look);
            match entry.style {
                Style::Rule => {}
                Style::Guide => pen.path(&[(x, y), (x + 24.0, y)], GUIDE),
                Style::Stacked | Style::Columns => {
                    look.bar(pen, (x + 4.0, y - 5.0), (x + 20.0, y + 5.0), entry.hollow)
                }
                Style::Marks if entry.bar => look.bar(pen, (x + 4.0, y - 5.0), (x + 20.0, y + 5.0), false),
                Style::Marks | Style::Paper => look.mark(pen, (x + 12.0, y), entry.style, entry.hollow),
                Style::Steps => pen.path(&[(x, y), (x + 24.0, y)], Stroke::new(look.colour, 2.0)),
                Style::Line => {
                    pen.line((x, y), (x + 24.0, y), Stroke::new(look.colour, 2.0));
                    look.mark(pen, (x + 12.0, y), entry.style, false);
                }
            }
            pen.text((x + SWATCH, y + 4.0), Words::new(SIZE), &entry.name);
        }
    }
}
