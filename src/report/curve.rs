//! The latency/throughput curve of a run, as SVG.

use plotters::coord::Shift;
use plotters::prelude::*;

/// One load point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// Accepted traffic, in payload flits per cycle and host.
    pub accepted: f64,
    /// Mean latency from creation, in nanoseconds.
    pub mean_ns: f64,
    /// The latency that 99 of 100 messages do not exceed, in nanoseconds.
    pub p99_ns: f64,
    /// Drawn hollow: beyond saturation, or not converged.
    pub doubtful: bool,
}

/// A latency/throughput curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What stands above it.
    pub title: String,
    /// Its points, in order of offered traffic.
    pub points: Vec<CurvePoint>,
}

const SIZE: (u32, u32) = (760, 480);
const MEAN: RGBColor = RGBColor(0x1f, 0x5f, 0xa8);
const P99: RGBColor = RGBColor(0xc4, 0x57, 0x1b);
const INK: RGBColor = RGBColor(0x33, 0x33, 0x33);
const GRID: RGBColor = RGBColor(0xe4, 0xe4, 0xe4);

/// Draws a curve: mean and 99th percentile of latency against accepted traffic, saturated points hollow.
///
/// The bytes depend on the curve alone.
///
/// # Errors
/// What the drawing library says; it does not fail on finite values.
pub fn draw(curve: &Curve) -> Result<String, Box<dyn std::error::Error>> {
    let mut svg = String::new();
    {
        let sheet = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        sheet.fill(&WHITE)?;
        plot(&sheet, curve)?;
        sheet.present()?;
    }
    Ok(svg)
}

/// A value of a point, in microseconds.
type Reading = fn(&CurvePoint) -> f64;

type Sheet<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn plot(sheet: &Sheet<'_>, curve: &Curve) -> Result<(), Box<dyn std::error::Error>> {
    let right = curve.points.iter().map(|p| p.accepted).fold(0.0, f64::max);
    // Doubtful points say only that the curve goes up from here: they may leave the sheet.
    let sure = curve.points.iter().filter(|p| !p.doubtful).map(|p| p.p99_ns / 1e3).fold(0.0, f64::max);
    let all = curve.points.iter().map(|p| p.p99_ns / 1e3).fold(0.0, f64::max);
    let top = if sure > 0.0 { all.min(4.0 * sure) } else { all };
    let (right, top) =
        (if right > 0.0 { right * 1.06 } else { 1.0 }, if top > 0.0 { top * 1.1 } else { 1.0 });
    let title = ("sans-serif", 18).into_font().color(&INK);
    let mut chart = ChartBuilder::on(sheet)
        .caption(&curve.title, title)
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
        .x_desc("accepted traffic (payload flits / cycle / host)")
        .y_desc("latency from creation (us)")
        .x_label_formatter(&|x| short(*x))
        .y_label_formatter(&|y| short(*y))
        .label_style(labels.clone())
        .axis_desc_style(labels.clone())
        .draw()?;
    let series: [(Reading, RGBColor, &str); 2] =
        [(|p| p.p99_ns / 1e3, P99, "99th percentile"), (|p| p.mean_ns / 1e3, MEAN, "mean")];
    for (value, colour, name) in series {
        let at = |p: &CurvePoint| (p.accepted, value(p).min(top));
        // Beyond the sheet nothing is drawn but the way there.
        let leaves = curve.points.iter().position(|p| value(p) > top).unwrap_or(curve.points.len());
        let line = curve.points.iter().take(leaves + 1).map(at);
        let key = move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2));
        chart.draw_series(LineSeries::new(line, colour.stroke_width(2)))?.label(name).legend(key);
        for point in &curve.points[..leaves] {
            let fill = if point.doubtful { WHITE.filled() } else { colour.filled() };
            chart.draw_series([Circle::new(at(point), 4, fill)])?;
            chart.draw_series([Circle::new(at(point), 4, colour.stroke_width(2))])?;
        }
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .label_font(labels)
        .background_style(WHITE)
        .border_style(GRID)
        .margin(12)
        .draw()?;
    Ok(())
}

/// At most four digits after the point, without idle zeros.
fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saturated_point_is_hollow_and_equal_curves_are_equal_bytes() {
        let point = |accepted, doubtful| CurvePoint { accepted, mean_ns: 900.0, p99_ns: 2_000.0, doubtful };
        let curve =
            Curve { title: "<now> & then".to_owned(), points: vec![point(0.1, false), point(0.2, true)] };
        let svg = draw(&curve).unwrap();
        assert_eq!(svg, draw(&curve).unwrap());
        assert!(svg.contains("&lt;now&gt; &amp; then") && !svg.contains("<now>"));
        assert_eq!(
            svg.matches("fill=\"#FFFFFF\" stroke=\"none\"").count(),
            4,
            "the sheet, the key and two hollow points"
        );
    }

    #[test]
    fn a_curve_without_points_is_an_empty_sheet() {
        assert!(draw(&Curve { title: String::new(), points: Vec::new() }).is_ok());
    }
}
