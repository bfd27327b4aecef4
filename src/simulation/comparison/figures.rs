//! One figure a size: latency against accepted traffic, a curve a routing.

use crate::report::{Figure, FigurePoint, Series, draw};
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
        let series = names
            .map(|(nth, name)| Series { name: name.clone(), points: points(results.member(network, nth)) });
        let figure = Figure {
            title: format!("{}: {switches} switches", checked.name),
            x_label: "accepted traffic (payload flits / cycle / host)".to_owned(),
            y_label: "mean latency from creation (us)".to_owned(),
            series: series.collect(),
            top: None,
        };
        let drawn = figure.series.iter().any(|series| series.points.len() >= 2);
        let svg = draw(&figure).expect("finite values can be drawn");
        drawn.then(|| (format!("latency-{switches}.svg"), svg))
    });
    sizes.collect()
}

/// The curve of one member.
fn points(member: &Member) -> Vec<FigurePoint> {
    let point = |point: &super::PointReport| {
        Some(FigurePoint {
            x: point.accepted_flits_per_cycle_per_host,
            y: point.latency_mean_ns? / 1e3,
            hollow: !point.converged,
        })
    };
    member.points.iter().filter_map(point).collect()
}
