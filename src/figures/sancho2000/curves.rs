//! What the figures of curves share: latency against accepted traffic on one network, throughput on all of them.

use crate::{Page, Record, Results, Row, curves};
use simnet_output::report::{Axis, Chart, Layer, Mark, Yes, draw_charts};

/// The routing that all are divided by.
pub(super) const BASE: &str = "UD_BFS1";
/// What the paper says about all sizes at once; `sancho2000/gains` has it.
pub(super) const VARIATION: &str = "max variation of UD_DFS2b/UD_BFS1 gain over 10 topologies";

/// Depth-first trees by the former heuristic and by the paper's.
const H1: &str = "UD_DFS1";
const H2: &str = "UD_DFS2";
/// Their latencies, in the mean over the networks.
pub(crate) const OVER_H1: &str = "latency over UD_DFS1's, mean over networks";

/// The column of the networks' seeds.
const SEED: &str = "topology.random-regular.seed";

/// The page of the routings under load on networks of so many switches: run 0 of a figure.
pub(crate) fn page(results: &Results<'_>, switches: u32, shows: &str, differs: &str) -> Page {
    let compared = Compared::of(results, 0);
    let size = format!("{switches} switches");
    let mut rows = latencies(results, &compared);
    let printed: Vec<Row> = results.printed(0).into_iter().filter(|row| row.quantity != VARIATION).collect();
    rows.extend(over_h1(results, &compared));
    rows.extend(compared.throughputs());
    rows.extend(compared.ratios());
    let charts = [curve_chart(&rows, &size, &compared), ratio_chart(&size, &compared, &printed)];
    let varied = "UD_DFS2b".to_owned();
    if compared.routings.contains(&varied) {
        rows.push(Row::ours("variation of UD_DFS2b over UD_BFS1", &size, "%", compared.variation(&varied)));
    }
    rows.splice(0..0, printed);
    let shows = format!(
        "{shows} Left, up to the first saturated load: the network whose ratios of throughput are nearest to the \
         mean ratios (number {} of {}); bands go from the least to the greatest latency of all networks at that \
         load, where none of them is saturated. Right: throughput, the most traffic accepted up to the first \
         saturated load, over that of {BASE}: means over the networks, whiskers from the least to the greatest.",
        compared.nearest + 1,
        compared.seeds.len(),
    );
    Page { rows, svg: draw_charts(&charts, 2), shows, differs: differs.to_owned() }
}

/// What the routings came to on the networks of a run.
pub(super) struct Compared<'a> {
    results: &'a Results<'a>,
    nth: usize,
    /// The routings in the order of the run's axis.
    pub(super) routings: Vec<String>,
    /// The seeds of the networks.
    seeds: Vec<String>,
    /// The position of the network nearest to the average.
    nearest: usize,
}

impl<'a> Compared<'a> {
    /// Of a run of a figure.
    pub(super) fn of(results: &'a Results<'a>, nth: usize) -> Compared<'a> {
        let points = results.csv(nth, "points.csv");
        let (routings, seeds) = (points.choices("routing"), points.choices(SEED));
        let nearest = seeds.iter().position(|seed| results.summary(nth)["sweep"]["nearest"] == **seed);
        let nearest = nearest.expect("the scenario looks for the nearest network");
        Compared { results, nth, routings, seeds, nearest }
    }

    /// Throughput of every routing: mean, least and greatest.
    pub(super) fn throughputs(&self) -> Vec<Row> {
        let column = "throughput_flits_per_cycle_per_host";
        let row = |routing: &String| self.spread("throughput", routing, "flits/cycle/host", column);
        self.routings.iter().map(row).collect()
    }

    /// Throughput of every other routing over that of the base.
    pub(super) fn ratios(&self) -> Vec<Row> {
        let others = self.routings.iter().filter(|routing| *routing != BASE);
        others.map(|routing| self.spread("throughput over UD_BFS1", routing, "factor", "gain")).collect()
    }

    /// How much the ratio of a routing over the base varies over the networks, in per cent.
    pub(super) fn variation(&self, routing: &str) -> Option<f64> {
        self.statistic(routing, "gain", "variation_percent")
    }

    fn statistic(&self, routing: &str, column: &str, of: &str) -> Option<f64> {
        self.results.at(self.nth, &format!("sweep.statistics.{routing}.{column}.{of}"))
    }

    fn spread(&self, quantity: &str, routing: &str, unit: &str, column: &str) -> Row {
        let of = |of: &str| self.statistic(routing, column, of);
        Row::ours(quantity, routing, unit, of("mean")).between(of("min"), of("max"))
    }
}

/// Latency against accepted traffic on the network nearest to the average; the ends are those of all networks.
fn latencies(results: &Results<'_>, compared: &Compared<'_>) -> Vec<Row> {
    let curves = results.csv(0, "curves.csv");
    let is_saturated = |load: &Record<'_>| load.text("points.*.saturated") == "true";
    let latency = |load: &Record<'_>| load.number("points.*.latency_mean_ns");
    let nearest = &compared.seeds[compared.nearest];
    let mut rows = Vec::new();
    for routing in &compared.routings {
        // Up to the first saturated load, as throughput is; further on latency is that of the few who arrive.
        let mut quantity = "latency";
        for load in curves.of(&[(SEED, nearest), ("routing", routing)]) {
            let same_load = [("routing", routing.as_str()), ("position", load.text("position"))];
            let mut range = Some((f64::INFINITY, 0.0_f64));
            for other in curves.of(&same_load) {
                let latency = latency(&other).filter(|_| !is_saturated(&other));
                range = range.zip(latency).map(|((low, high), ns)| (low.min(ns), high.max(ns)));
            }
            let accepted = load.number("points.*.accepted_flits_per_ns_per_switch").unwrap_or(f64::NAN);
            let row = Row::ours(quantity, routing, "ns", latency(&load)).at(accepted);
            if is_saturated(&load) {
                quantity = "latency beyond saturation";
            }
            let row = row.between(range.map(|(low, _)| low), range.map(|(_, high)| high));
            rows.push(Row { hollow: Yes(load.text("points.*.converged") != "true"), ..row });
        }
    }
    rows
}

/// Latency of [`H2`] over that of [`H1`] by load: the mean over the networks and its ends, at loads at which neither is
/// saturated on any of them. A network on which both are one routing, equal at every load, says nothing of them.
fn over_h1(results: &Results<'_>, compared: &Compared<'_>) -> Vec<Row> {
    let curves = results.csv(0, "curves.csv");
    let of_network = |seed: &String| -> Vec<(f64, Option<f64>)> {
        let [h1, h2] = [H1, H2].map(|routing| [(SEED, seed.as_str()), ("routing", routing)]);
        curves.of(&h1).zip(curves.of(&h2)).map(|(h1, h2)| over(&h1, &h2)).collect()
    };
    let is_other = |both: &Vec<(f64, Option<f64>)>| {
        both.iter().any(|(_, ratio)| ratio.is_some_and(|ratio| ratio.total_cmp(&1.0).is_ne()))
    };
    let networks: Vec<_> = compared.seeds.iter().map(of_network).filter(is_other).collect();
    let loads = networks.iter().map(Vec::len).min().unwrap_or(0);
    let row = |position: usize| {
        let ratios = networks.iter().map(|both| both[position].1).collect::<Option<Vec<f64>>>()?;
        let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
        let ends = [f64::min, f64::max].map(|end| ratios.iter().copied().reduce(end));
        Some(
            Row::ours(OVER_H1, H2, "factor", Some(mean))
                .between(ends[0], ends[1])
                .at(networks[0][position].0),
        )
    };
    (0..loads).filter_map(row).collect()
}

/// A load, and the latency of one routing over that of another where both are steady.
fn over(one: &Record<'_>, other: &Record<'_>) -> (f64, Option<f64>) {
    let steady = |at: &Record<'_>| {
        let is_steady = at.text("points.*.saturated") != "true" && at.text("points.*.converged") == "true";
        at.number("points.*.latency_mean_ns").filter(|_| is_steady)
    };
    let ratio = steady(one).zip(steady(other)).map(|(one, other)| other / one);
    (one.number("points.*.load").unwrap_or(f64::NAN), ratio)
}

fn curve_chart(rows: &[Row], size: &str, compared: &Compared<'_>) -> Chart {
    Chart {
        title: format!("{size}: latency, network {} of {}", compared.nearest + 1, compared.seeds.len()),
        x: Axis::from_zero("accepted traffic (flits / ns / switch)"),
        y: Axis::from_zero("mean latency from creation (ns)"),
        layers: curves(rows, "latency"),
        ..Chart::default()
    }
}

/// Ratios over the base as bars, and what the paper prints of them.
fn ratio_chart(size: &str, compared: &Compared<'_>, printed: &[Row]) -> Chart {
    let ratios = compared.ratios();
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
        title: format!("{size}: throughput over {BASE}"),
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
