//! Figures: several named series against common axes, as SVG.
//!
//! Series differ by colour and by the shape of their marks, so that they stay apart in black and white. A hollow
//! mark is a value that is not to be trusted: beyond saturation, or not converged.

use crate::numbers::rounded;
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

/// One mark of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FigurePoint {
    /// Its place on the horizontal axis, 0 or more.
    pub x: f64,
    /// Its place on the vertical axis, 0 or more.
    pub y: f64,
    /// Drawn hollow: beyond saturation, or not converged.
    pub hollow: bool,
}

/// A line with marks, and its name in the key.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What the key calls it.
    pub name: String,
    /// Its points in the order in which the line joins them.
    pub points: Vec<FigurePoint>,
}

/// A figure: series on common axes that begin at zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What stands above it.
    pub title: String,
    /// What the horizontal axis shows, with its unit.
    pub x_label: String,
    /// What the vertical axis shows, with its unit.
    pub y_label: String,
    /// The series, in the order of the key.
    pub series: Vec<Series>,
    /// Where the vertical axis ends; if not given, where all solid marks have room, and hollow ones as far as four
    /// times that.
    pub top: Option<f64>,
}

const SIZE: (u32, u32) = (760, 480);
const INK: RGBColor = RGBColor(0x33, 0x33, 0x33);
const GRID: RGBColor = RGBColor(0xe4, 0xe4, 0xe4);
/// Told apart with normal and with impaired colour vision, and by their darkness.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0x1f, 0x5f, 0xa8),
    RGBColor(0xc4, 0x57, 0x1b),
    RGBColor(0x1b, 0x85, 0x5e),
    RGBColor(0x8e, 0x3b, 0x8a),
    RGBColor(0x9a, 0x7b, 0x0a),
    RGBColor(0x3d, 0x3d, 0x3d),
    RGBColor(0x4a, 0xa3, 0xd8),
    RGBColor(0xb5, 0x2a, 0x3a),
];
/// The outlines of the marks, in pixels from their middle; the first is a circle.
const SHAPES: [&[(i32, i32)]; 8] = [
    &[],
    &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
    &[(0, -6), (5, 4), (-5, 4)],
    &[(0, -6), (6, 0), (0, 6), (-6, 0)],
    &[(0, 6), (5, -4), (-5, -4)],
    &[
        (-2, -6),
        (2, -6),
        (2, -2),
        (6, -2),
        (6, 2),
        (2, 2),
        (2, 6),
        (-2, 6),
        (-2, 2),
        (-6, 2),
        (-6, -2),
        (-2, -2),
    ],
    &[(-6, 0), (4, -5), (4, 5)],
    &[(6, 0), (-4, -5), (-4, 5)],
];

type Sheet<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
type Trouble = Box<dyn std::error::Error>;

/// Draws a figure; nothing is drawn beyond its sheet.
///
/// The bytes depend on the figure alone.
///
/// # Errors
/// What the drawing library says; it does not fail on finite values.
pub fn draw(figure: &Figure) -> Result<String, Trouble> {
    let mut svg = String::new();
    {
        let sheet = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        sheet.fill(&WHITE)?;
        plot(&sheet, figure)?;
        sheet.present()?;
    }
    Ok(svg)
}

fn plot(sheet: &Sheet<'_>, figure: &Figure) -> Result<(), Trouble> {
    let (right, top) = reach(figure);
    let mut chart = ChartBuilder::on(sheet)
        .caption(&figure.title, ("sans-serif", 18).into_font().color(&INK))
        .margin(16)
        .x_label_area_size(46)
        .y_label_area_size(70)
        .build_cartesian_2d(0.0..right, 0.0..top)?;
    let labels = ("sans-serif", 13).into_font().color(&INK);
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(GRID)
        .axis_style(INK)
        .x_desc(&figure.x_label)
        .y_desc(&figure.y_label)
        .x_label_formatter(&|x| rounded(*x, 4))
        .y_label_formatter(&|y| rounded(*y, 4))
        .label_style(labels.clone())
        .axis_desc_style(labels.clone())
        .draw()?;
    for (place, series) in figure.series.iter().enumerate() {
        plot_series(&mut chart, place, series, top)?;
    }
    if !figure.series.is_empty() {
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .label_font(labels)
            .background_style(WHITE)
            .border_style(GRID)
            .margin(12)
            .draw()?;
    }
    Ok(())
}

/// Where the axes end.
fn reach(figure: &Figure) -> (f64, f64) {
    let points = || figure.series.iter().flat_map(|series| &series.points);
    let right = points().map(|p| p.x).fold(0.0, f64::max);
    // Hollow points say little more than that the line goes up from here: they may leave the sheet.
    let sure = points().filter(|p| !p.hollow).map(|p| p.y).fold(0.0, f64::max);
    let all = points().map(|p| p.y).fold(0.0, f64::max);
    let top = if sure > 0.0 { all.min(4.0 * sure) } else { all };
    let (right, top) = (right * 1.06, figure.top.unwrap_or(top * 1.1));
    (if right > 0.0 { right } else { 1.0 }, if top > 0.0 { top } else { 1.0 })
}

fn plot_series<'a, 'b: 'a>(
    chart: &mut Chart<'a, 'b>,
    place: usize,
    series: &Series,
    top: f64,
) -> Result<(), Trouble> {
    let (colour, shape) = (COLOURS[place % COLOURS.len()], SHAPES[place % SHAPES.len()]);
    for part in inside(&series.points, top) {
        chart.draw_series(LineSeries::new(part, colour.stroke_width(2)))?;
    }
    for point in series.points.iter().filter(|point| point.y <= top) {
        let fill = if point.hollow { WHITE.filled() } else { colour.filled() };
        for style in [fill, colour.stroke_width(2)] {
            let at = EmptyElement::at((point.x, point.y));
            match shape {
                [] => chart.draw_series([at + Circle::new((0, 0), 4, style)])?,
                _ if style.filled => chart.draw_series([at + Polygon::new(shape, style)])?,
                _ => chart.draw_series([at + PathElement::new(closed(shape), style)])?,
            };
        }
    }
    let line = move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2));
    let mark = move |(x, y)| {
        let corner = |(dx, dy): &(i32, i32)| (x + 9 + dx, y + dy);
        let circle = [(-4, 0), (-3, -3), (0, -4), (3, -3), (4, 0), (3, 3), (0, 4), (-3, 3)];
        let outline = if shape.is_empty() { &circle } else { shape };
        Polygon::new(outline.iter().map(corner).collect::<Vec<_>>(), colour.filled())
    };
    let key = move |at| EmptyElement::at((0, 0)) + line(at) + mark(at);
    chart.draw_series(std::iter::empty::<Circle<(f64, f64), i32>>())?.label(&series.name).legend(key);
    Ok(())
}

/// An outline that ends where it begins.
fn closed(outline: &[(i32, i32)]) -> Vec<(i32, i32)> {
    outline.iter().chain(outline.first()).copied().collect()
}

/// The parts of a line that lie below `top`, cut where the line crosses it.
fn inside(points: &[FigurePoint], top: f64) -> Vec<Vec<(f64, f64)>> {
    let mut parts: Vec<Vec<(f64, f64)>> = vec![Vec::new()];
    let mut last: Option<&FigurePoint> = None;
    for point in points {
        if let Some(before) = last.filter(|before| (before.y <= top) != (point.y <= top)) {
            let share = (top - before.y) / (point.y - before.y);
            let crossing = (before.x + share * (point.x - before.x), top);
            if point.y <= top {
                parts.push(vec![crossing]);
            } else {
                parts.last_mut().expect("there is always a part").push(crossing);
            }
        }
        if point.y <= top {
            parts.last_mut().expect("there is always a part").push((point.x, point.y));
        }
        last = Some(point);
    }
    parts.retain(|part| part.len() > 1);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: f64, y: f64, hollow: bool) -> FigurePoint {
        FigurePoint { x, y, hollow }
    }

    fn figure(series: Vec<Series>) -> Figure {
        let [title, x_label, y_label] = ["<now> & then", "x", "y"].map(str::to_owned);
        Figure { title, x_label, y_label, series, top: None }
    }

    fn series(name: &str, points: Vec<FigurePoint>) -> Series {
        Series { name: name.to_owned(), points }
    }

    #[test]
    fn a_doubtful_point_is_hollow_and_equal_figures_are_equal_bytes() {
        let drawn = figure(vec![
            series("one", vec![point(0.1, 1.0, false), point(0.2, 2.0, true)]),
            series("two", vec![point(0.1, 2.0, false), point(0.2, 3.0, true)]),
        ]);
        let svg = draw(&drawn).unwrap();
        assert_eq!(svg, draw(&drawn).unwrap());
        assert!(svg.contains("&lt;now&gt; &amp; then") && !svg.contains("<now>"));
        let white = "fill=\"#FFFFFF\"";
        let hollow = svg.lines().filter(|line| line.contains(white) && !line.starts_with("<rect"));
        assert_eq!(hollow.count(), 2, "two hollow points");
    }

    #[test]
    fn a_figure_without_points_is_an_empty_sheet() {
        assert!(draw(&figure(Vec::new())).is_ok());
        assert!(draw(&figure(vec![series("", Vec::new())])).is_ok());
    }

    /// Wrong if a line went on beyond the sheet, or left it elsewhere than where it crosses its edge.
    #[test]
    fn lines_are_cut_where_they_leave_the_sheet() {
        let line = [point(0.0, 1.0, false), point(1.0, 3.0, false), point(3.0, 1.0, false)];
        let cut = inside(&line, 2.0);
        assert_eq!(cut, [vec![(0.0, 1.0), (0.5, 2.0)], vec![(2.0, 2.0), (3.0, 1.0)]]);
        assert_eq!(inside(&line, 3.0).len(), 1);
        assert!(inside(&line, 0.5).is_empty());
    }
}
