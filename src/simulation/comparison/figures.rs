//! One figure a size: latency against accepted traffic, a curve a routing.

use crate::report::{Axis, Chart, Layer, Mark, draw_charts};
use crate::scenario::Checked;

use super::{ComparisonReport, Member, Results};

/// The figure of every size whose nearest network has curves: name and SVG.
pub(super) fn all(
    checked: &Checked,
    results: &Results<'_>,
    report: &ComparisonReport,
) -> Vec<(String, String)> {
    let sizes = report.sizes.iter().filter_map(|(switches, size)| {
        let network = results.networks(*switches)[size.nearest];
        let names = results.comparison.names.iter().enumerate();
        let lines = names.map(|(nth, name)| Layer::line(name, marks(results.member(network, nth))));
        let chart = Chart {
            title: format!("{}: {switches} switches", checked.name),
            x: Axis::from_zero("accepted traffic (payload flits / cycle / host)"),
            y: Axis::from_zero("mean latency from creation (us)"),
            layers: lines.collect(),
            ..Chart::default()
        };
        let has_curve = chart.layers.iter().any(|line| line.marks.len() >= 2);
        has_curve.then(|| (format!("latency-{switches}.svg"), draw_charts(&[chart], 1)))
    });
    sizes.collect()
}

/// The curve of one member.
fn marks(member: &Member) -> Vec<Mark> {
    let mark = |point: &super::PointReport| {
        let (x, y) = (point.accepted_flits_per_cycle_per_host, point.latency_mean_ns? / 1e3);
        Some(Mark::at(x, y).hollow(!point.converged))
    };
    member.points.iter().filter_map(mark).collect()
}
