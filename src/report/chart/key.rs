//! The key: what each name looks like, on the whole sheet.

use super::canvas::{Anchor, Canvas, DIAMOND, INK, PAPER, Shape, Words, width_of};
use super::{Chart, Layer, Style};

/// Okabe and Ito 2008, without black, which is the papers', and yellow, which is too light for lines; then two that are
/// told from these by their darkness.
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6a3d9a", "#7f7f7f"];
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

/// The names of all panels with their looks, in the order of their first layer.
pub(super) struct Key<'a> {
    names: Vec<(String, Style, bool)>,
    /// Whether any mark is hollow, and what that says.
    hollow: bool,
    meaning: &'a str,
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
        Key { names, hollow: marks.any(|mark| mark.hollow), meaning }
    }

    pub(super) fn look(&self, layer: &Layer) -> Look {
        if layer.style == Style::Paper {
            return Look { colour: PAPER, shape: DIAMOND };
        }
        let ours = self.names.iter().filter(|(_, style, _)| *style != Style::Paper);
        let place = ours.map(|(name, ..)| name).position(|name| *name == layer.name).unwrap_or(0);
        Look { colour: COLOURS[place % COLOURS.len()], shape: SHAPES[place % SHAPES.len()] }
    }

    /// The entries in rows that fit a sheet; none where there is nothing to tell apart.
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
        named.map(entry).chain(hollow).collect()
    }
}

/// Lines and marks of one name look alike; what a paper prints does not.
fn is_same(a: Style, b: Style) -> bool {
    (a == Style::Paper) == (b == Style::Paper)
}

pub(super) fn height(rows: &[Vec<Entry>]) -> f64 {
    if rows.is_empty() { 0.0 } else { ROW * rows.len() as f64 + 12.0 }
}

pub(super) fn draw(canvas: &mut Canvas<'_>, rows: &[Vec<Entry>], top: f64) {
    for (nth, row) in rows.iter().enumerate() {
        let y = top + ROW * (nth as f64 + 0.5);
        for entry in row {
            let (x, Look { colour, shape }) = (entry.x, entry.look);
            match entry.style {
                Style::Rule => {}
                Style::Guide => canvas.guide(&[(x, y), (x + 24.0, y)]),
                Style::Stacked | Style::Columns => {
                    canvas.bar((x + 4.0, y - 5.0), (x + 20.0, y + 5.0), colour, false);
                }
                Style::Marks if entry.bar => {
                    canvas.bar((x + 4.0, y - 5.0), (x + 20.0, y + 5.0), colour, false)
                }
                Style::Marks => {
                    let fill = if entry.hollow { canvas.ground() } else { colour };
                    canvas.mark((x + 12.0, y), shape, colour, fill);
                }
                Style::Paper => canvas.mark((x + 12.0, y), shape, colour, "none"),
                Style::Line => {
                    canvas.line((x, y), (x + 24.0, y), colour, 2.0);
                    canvas.mark((x + 12.0, y), shape, colour, colour);
                }
            }
            let words = Words { size: SIZE, bold: false, anchor: Anchor::Start, turned: 0 };
            canvas.text((x + SWATCH, y + 4.0), words, &entry.name);
        }
    }
}
