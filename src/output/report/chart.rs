//! Charts made to be looked at: curves with bands, marks with whiskers, bars, several panels on one sheet, as SVG.
//!
//! ```text
//!   Chart ──Scale (ticks)──▶ panel ──┐
//!   Chart ──Scale (ticks)──▶ panel ──┼──▶ one sheet, one key below all panels
//! ```
//! Layers of one name look alike in every panel. Colours stay apart with impaired colour vision; marks
//! differ in shape too. The bytes depend on the charts alone: no dates, no fonts, and
//! no function of the machine's mathematical library.

mod key;
mod panel;
mod scale;

use super::{Pen, Tip};
use key::Key;
use panel::Panel;

/// One panel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// What stands above it.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn, the first at the bottom.
    pub layers: Vec<Layer>,
    /// Whether layers of [`Style::Marks`] are bars from zero, side by side over their category.
    pub bars: bool,
    /// What hollow marks are; if empty, values that are saturated or not converged.
    pub hollow: String,
    /// The meaning of bands, for the key; if empty, the key does not say.
    pub band: String,
}

/// An axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What it shows, with its unit.
    pub label: String,
    /// Whether equal distances are equal factors; values of zero and less are then left out.
    pub log: bool,
    /// Names of the places 0, 1, 2, ...; none for an axis of numbers.
    pub categories: Vec<String>,
    /// Values that have room on it, whatever the marks are.
    pub room_for: Vec<f64>,
}

/// Marks that belong together under one name in the key.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// What the key calls it; layers without a name are not in the key.
    pub name: String,
    /// How it is drawn.
    pub style: Style,
    /// Its marks, in the order in which a line joins them.
    pub marks: Vec<Mark>,
}

/// How a layer is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A line through marks, on a band from low to high.
    Line,
    /// A line that stays as high as its mark up to the next one, without marks: what changes from step to step.
    Steps,
    /// Marks with whiskers from low to high.
    Marks,
    /// Open diamonds in black: what a paper prints. Among bars they stand over those of the layer before.
    Paper,
    /// A broken line without marks: something to compare with.
    Guide,
    /// Bars over their category from `low` to the value: parts of a whole.
    Stacked,
    /// Bars from `low` to `high` along the horizontal axis, standing on its foot.
    Columns,
    /// Upright lines with the layer's name at their top, and not in the key; the values are of no account.
    Rule,
}

/// A value at its place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mark {
    /// Its place on the horizontal axis; the number of a category.
    pub x: f64,
    /// Its place on the vertical axis.
    pub y: f64,
    /// The lower end of the value.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// Drawn hollow: not to be trusted.
    pub hollow: bool,
}

/// Draws charts in rows of `columns` panels, with one key of all names below.
///
/// Marks that are no numbers are left out. Where some marks are hollow, the vertical axis ends where the solid ones
/// have room, and hollow ones as far as two and a half times that: they say little more than that the curve goes up.
///
/// # Panics
/// Never: a string takes all that is written to it.
pub fn draw_charts(charts: &[Chart], columns: usize) -> String {
    let columns = columns.clamp(1, charts.len().max(1));
    let (width, height) = match columns {
        1 => (760.0, 420.0),
        2 => (410.0, 330.0),
        _ => (300.0, 280.0),
    };
    let rows = charts.len().div_ceil(columns);
    let key = Key::new(charts);
    let sheet = (width * columns as f64, height * rows as f64);
    let entries = key.rows(sheet.0);
    let mut pen = Pen::default();
    for (nth, chart) in charts.iter().enumerate() {
        let corner = (width * (nth % columns) as f64, height * (nth / columns) as f64);
        Panel::new(chart, corner, (width, height)).draw(&mut pen, &key, nth, &[]);
    }
    key::draw(&mut pen, &entries, sheet.1);
    pen.finish((sheet.0, sheet.1 + key::height(&entries)))
}

/// Draws a chart for a page, in the colours of its variables; `name` distinguishes it from others there, `tips` say of
/// each layer's marks what they show when they are pointed at.
pub fn draw_on_page(chart: &Chart, name: &str, label: &str, tips: &[Vec<Tip>]) -> String {
    let (width, height) = ON_PAGE;
    let key = Key::new(std::slice::from_ref(chart));
    let entries = key.rows(width);
    let mut pen = Pen::on_page(name, label);
    panel_on_page(chart).draw(&mut pen, &key, 0, tips);
    key::draw(&mut pen, &entries, height);
    pen.finish((width, height + key::height(&entries)))
}

/// The ends of a chart's horizontal axis as [`draw_on_page`] draws it: where they are, in shares of the drawing's
/// width,
/// and the values there.
pub fn x_on_page(chart: &Chart) -> ([f64; 2], [f64; 2]) {
    let panel = panel_on_page(chart);
    (panel.sides().map(|side| side / ON_PAGE.0), panel.x_ends())
}

/// The size of a chart on a page, without its key.
const ON_PAGE: (f64, f64) = (600.0, 380.0);

/// A chart on a page has no title of its own.
fn panel_on_page(chart: &Chart) -> Panel<'_> {
    Panel::new(chart, (0.0, -22.0), (ON_PAGE.0, ON_PAGE.1 + 22.0))
}

impl Axis {
    /// An axis of numbers.
    pub fn of(label: &str) -> Axis {
        Axis { label: label.to_owned(), ..Axis::default() }
    }

    /// An axis of numbers that begins at zero.
    pub fn from_zero(label: &str) -> Axis {
        Axis { room_for: vec![0.0], ..Axis::of(label) }
    }

    /// An axis on which equal distances are equal factors.
    pub fn log(label: &str) -> Axis {
        Axis { log: true, ..Axis::of(label) }
    }

    /// An axis of named places.
    pub fn names<T: Into<String>>(label: &str, names: impl IntoIterator<Item = T>) -> Axis {
        Axis { categories: names.into_iter().map(Into::into).collect(), ..Axis::of(label) }
    }
}

impl Layer {
    /// A line through marks.
    pub fn line(name: &str, marks: Vec<Mark>) -> Layer {
        Layer { name: name.to_owned(), style: Style::Line, marks }
    }

    /// Marks without a line; bars in a chart of bars.
    pub fn marks(name: &str, marks: Vec<Mark>) -> Layer {
        Layer { name: name.to_owned(), style: Style::Marks, marks }
    }

    /// What a paper prints.
    pub fn paper(marks: Vec<Mark>) -> Layer {
        Layer { name: "printed in the paper".to_owned(), style: Style::Paper, marks }
    }
}

impl Mark {
    /// A value.
    pub fn at(x: f64, y: f64) -> Mark {
        Mark { x, y, ..Mark::default() }
    }

    /// The same with its lower and upper end.
    #[must_use]
    pub fn between(self, low: Option<f64>, high: Option<f64>) -> Mark {
        Mark { low, high, ..self }
    }

    /// The same, hollow on request.
    #[must_use]
    pub fn hollow(self, hollow: bool) -> Mark {
        Mark { hollow, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> Chart {
        Chart {
            title: "<now> & then".to_owned(),
            x: Axis::from_zero("load (flits / cycle / host)"),
            y: Axis::from_zero("latency (us)"),
            layers: vec![
                Layer::line("one", vec![Mark::at(0.1, 1.0), Mark::at(0.2, 2.0).hollow(true)]),
                Layer::paper(vec![Mark::at(0.1, 1.1)]),
            ],
            ..Chart::default()
        }
    }

    /// Wrong if text broke out of the SVG, a doubtful value looked like a sure one, or chance entered the bytes.
    #[test]
    fn text_stays_text_and_doubtful_values_are_hollow() {
        let svg = draw_charts(&[chart()], 1);
        assert_eq!(svg, draw_charts(&[chart()], 1));
        assert!(svg.contains("&lt;now&gt; &amp; then") && !svg.contains("<now>"));
        assert!(svg.contains("printed in the paper"));
        roxmltree::Document::parse(&svg).unwrap();
    }

    /// Wrong if an empty chart, a value that is no number or a logarithm of zero stopped a drawing.
    #[test]
    fn nothing_to_draw_is_an_empty_panel() {
        let marks = vec![Mark::at(f64::NAN, 1.0), Mark::at(0.0, f64::INFINITY), Mark::at(0.0, 0.0)];
        for (log, marks) in [(false, Vec::new()), (true, marks.clone()), (false, marks)] {
            let axis = Axis { log, ..Axis::default() };
            let layers = vec![Layer::line("a", marks)];
            let chart = Chart { x: axis.clone(), y: axis, layers, ..Chart::default() };
            let svg = draw_charts(&[chart.clone(), chart], 2);
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
        roxmltree::Document::parse(&draw_charts(&[], 3)).unwrap();
    }
}
