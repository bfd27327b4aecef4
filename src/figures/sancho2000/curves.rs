//! What the figures of curves share: latency against accepted traffic on one network, throughput on all of them.

use serde_json::Value;

use crate::figures::{Page, Record, Results, Row, curves};
use crate::report::{Axis, Chart, Layer, Mark, draw_charts};

/// The routing that all are divided by.
pub(super) const BASE: &str = "UD_BFS1";
/// What the paper says about all sizes at once; `sancho2000/gains` has it.
pub(super) const VARIATION: &str = "max variation of UD_DFS2b/UD_BFS1 gain over 10 topologies";

/// The page of a comparison of routings under load: run 0 of a figure.
pub(super) fn page(results: &Results<'_>, shows: &str, differs: &str) -> Page {
    let size = Size::of(results, 0);
    let mut rows = latencies(results, &size);
    let printed: Vec<Row> = results.printed(0).into_iter().filter(|row| row.quantity != VARIATION).collect();
    rows.extend(size.throughputs());
    rows.extend(size.ratios());
    let charts = [curve_chart(&rows, &size), ratio_chart(&size, &printed)];
    let variation = size.variation("UD_DFS2b");
    rows.push(Row::ours("variation of UD_DFS2b over UD_BFS1", &size.name(), "%", variation));
    rows.splice(0..0, printed);
    let shows = format!(
        "{shows} Left, up to the first saturated load: the network whose ratios of throughput are nearest to the \
         mean ratios (number {} of {}); bands go from the least to the greatest latency of all networks at that \
         load, where none of them is saturated. Right: throughput, the most traffic accepted up to the first \
         saturated load, over that of {BASE}: means over the networks, whiskers from the least to the greatest.",
        size.nearest + 1,
        size.networks,
    );
    Page { rows, svg: draw_charts(&charts, 2), shows, differs: differs.to_owned() }
}

/// What a run came to on the networks of its one size.
pub(super) struct Size<'a> {
    /// Switches a network.
    pub(super) switches: &'a str,
    /// How many networks.
    pub(super) networks: u64,
    /// The position of the network nearest to the average.
    pub(super) nearest: u64,
    /// Its seed.
    pub(super) nearest_seed: String,
    /// The routings in the order of the run's tables.
    pub(super) routings: Vec<String>,
    of: &'a Value,
}

impl<'a> Size<'a> {
    /// Of a run that compared routings on networks of one size.
    pub(super) fn of(results: &'a Results<'_>, nth: usize) -> Size<'a> {
        Size::all(results, nth).into_iter().next().expect("the scenario compares networks of a size")
    }

    /// Of a run that compared routings on networks of several sizes, the smallest first.
    pub(super) fn all(results: &'a Results<'_>, nth: usize) -> Vec<Size<'a>> {
        let sizes = results.summary(nth)["comparison"]["sizes"].as_object();
        let routings = results.csv(nth, "routes.csv").choices("routing");
        let size = |(switches, of): (&'a String, &'a Value)| Size {
            switches,
            networks: of["networks"].as_u64().unwrap_or(0),
            nearest: of["nearest"].as_u64().unwrap_or(0),
            nearest_seed: of["nearest_seed"].to_string(),
            routings: routings.clone(),
            of,
        };
        let mut sizes: Vec<Size<'a>> = sizes.into_iter().flatten().map(size).collect();
        sizes.sort_by_key(|size| size.switches.parse::<u64>().unwrap_or(0));
        sizes
    }

    /// The size for people.
    pub(super) fn name(&self) -> String {
        format!("{} switches", self.switches)
    }

    /// Throughput of every routing: mean, least and greatest.
    pub(super) fn throughputs(&self) -> Vec<Row> {
        let row = |routing: &String| {
            let spread = &self.of["routings"][routing]["throughput_flits_per_cycle_per_host"];
            spread_row("throughput", routing, "flits/cycle/host", spread)
        };
        self.routings.iter().map(row).collect()
    }

    /// Throughput of every other routing over that of the base.
    pub(super) fn ratios(&self) -> Vec<Row> {
        let others = self.routings.iter().filter(|routing| *routing != BASE);
        let row = |routing: &String| {
            let spread = &self.of["routings"][routing]["over"][BASE]["throughput"];
            spread_row("throughput over UD_BFS1", routing, "factor", spread)
        };
        others.map(row).collect()
    }

    /// How much the ratio of a routing over the base varies over the networks, in per cent.
    pub(super) fn variation(&self, routing: &str) -> Option<f64> {
        self.of["routings"][routing]["over"][BASE]["throughput"]["variation_percent"].as_f64()
    }
}

fn spread_row(quantity: &str, routing: &str, unit: &str, spread: &Value) -> Row {
    let of = |key: &str| spread[key].as_f64();
    Row::ours(quantity, routing, unit, of("mean")).between(of("min"), of("max"))
}

/// Latency against accepted traffic on the network nearest to the average; the ends are those of all networks.
fn latencies(results: &Results<'_>, size: &Size<'_>) -> Vec<Row> {
    let points = results.csv(0, "points.csv");
    let is_saturated = |point: &Record<'_>| point.text("saturated") == "true";
    let mut rows = Vec::new();
    for routing in &size.routings {
        // Up to the first saturated load, as throughput is; further on latency is that of the few who arrive.
        let mut quantity = "latency";
        for point in points.of(&[("seed", &size.nearest_seed), ("routing", routing)]) {
            let same_load = [("routing", routing.as_str()), ("load", point.text("load"))];
            let mut range = Some((f64::INFINITY, 0.0_f64));
            for other in points.of(&same_load) {
                let latency = other.number("latency_mean_ns").filter(|_| !is_saturated(&other));
                range = range.zip(latency).map(|((low, high), ns)| (low.min(ns), high.max(ns)));
            }
            let accepted = point.number("accepted_flits_per_ns_per_switch").unwrap_or(f64::NAN);
            let row = Row::ours(quantity, routing, "ns", point.number("latency_mean_ns")).at(accepted);
            if is_saturated(&point) {
                quantity = "latency beyond saturation";
            }
            let row = row.between(range.map(|(low, _)| low), range.map(|(_, high)| high));
            rows.push(Row { hollow: point.text("converged") != "true", ..row });
        }
    }
    rows
}

fn curve_chart(rows: &[Row], size: &Size<'_>) -> Chart {
    Chart {
        title: format!("{}: latency, network {} of {}", size.name(), size.nearest + 1, size.networks),
        x: Axis::from_zero("accepted traffic (flits / ns / switch)"),
        y: Axis::from_zero("mean latency from creation (ns)"),
        layers: curves(rows, "latency"),
        ..Chart::default()
    }
}

/// Ratios over the base as bars, and what the paper prints of them.
fn ratio_chart(size: &Size<'_>, printed: &[Row]) -> Chart {
    let ratios = size.ratios();
    let bars = ratios.iter().enumerate();
    let bars = bars.filter_map(|(place, row)| row.mark(place as f64)).collect();
    let on_bar = |(place, row): (usize, &Row)| {
        Some(Mark::at(place as f64, printed_ratio(printed, &row.configuration)?))
    };
    let paper: Vec<Mark> = ratios.iter().enumerate().filter_map(on_bar).collect();
    let mut layers = vec![Layer::marks("mean over the networks", bars)];
    if !paper.is_empty() {
        layers.push(Layer::paper(paper));
    }
    Chart {
        title: format!("{}: throughput over {BASE}", size.name()),
        x: Axis::names("", ratios.iter().map(|row| row.configuration.trim_start_matches("UD_"))),
        y: Axis::from_zero("factor"),
        layers,
        bars: true,
        ..Chart::default()
    }
}

/// What the paper prints of a routing's throughput over the base, as a factor.
pub(super) fn printed_ratio(printed: &[Row], routing: &str) -> Option<f64> {
    let name = format!("throughput gain {routing} over {BASE}");
    let row = printed.iter().find(|row| row.quantity == name)?;
    let is_share = row.unit.starts_with('%');
    row.paper.map(|value| if is_share { 1.0 + value / 100.0 } else { value })
}
