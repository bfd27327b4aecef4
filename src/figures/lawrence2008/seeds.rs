//! lawrence2008: every cluster, a hundred times.

use crate::discoveries::{column, method};
use crate::rows::with_table;
use crate::{Figure, Page, Results, Row};
use simnet_output::report::{Axis, Chart, Csv, Layer, Mark, Record, draw_charts};

pub(super) const FIGURE: Figure = Figure {
    id: "lawrence2008/seeds",
    title: "Beyond the paper: the five clusters at both rates, a hundred times each",
    scenarios: &["lawrence2008/seeds.toml"],
    whole_when_quick: false,
    make,
};

const RATES: [&str; 2] = ["100 Mb/s", "1 Gb/s"];
const METHODS: [&str; 3] = ["paper", "k-means", "sturdy"];

/// The statistics of a column at a rate, cluster by cluster.
fn of<'a>(statistics: &'a Csv, rate: &str, column: &str) -> Vec<Record<'a>> {
    let is_wanted = |row: &Record<'_>| row.text("column") == column && row.text("ethernet.rate") == rate;
    statistics.records().filter(is_wanted).collect()
}

fn make(results: &Results<'_>) -> Page {
    let statistics = results.csv(0, "statistics.csv");
    let clusters = statistics.choices("topology");
    let mut rows = Vec::new();
    for (cluster, rate) in clusters.iter().flat_map(|cluster| RATES.map(|rate| (cluster, rate))) {
        let at = |column: &str| {
            of(&statistics, rate, column).into_iter().find(|row| row.text("topology") == cluster)
        };
        let place = format!("{cluster}; {rate}");
        if let Some(total) = at("discovery.total_s") {
            let row = Row::ours("total run time", &place, "s", total.number("mean"));
            rows.push(row.between(total.number("min"), total.number("max")));
        }
        for name in METHODS {
            let Some(found) = at(&column(name, "recovered")) else { continue };
            let place = format!("{place}; {}", method(name));
            let executions = found.number("points");
            let recovered = found.number("mean").zip(executions).map(|(mean, all)| (mean * all).round());
            rows.push(Row::ours("executions", &place, "executions", executions));
            rows.push(Row::ours("recovered", &place, "executions", recovered));
        }
    }
    let names = || Axis::names("topology", clusters.iter().map(|name| name.replace("topology ", "")));
    let charts: Vec<Chart> = RATES
        .map(|rate| spread(&statistics, rate, names()))
        .into_iter()
        .chain(RATES.map(|rate| recovered(&statistics, rate, names())))
        .collect();
    let shows = with_table(SHOWS, &rows, |row| {
        row.quantity == "recovered" && row.configuration.ends_with("the paper's")
    });
    Page { rows, svg: draw_charts(&charts, 2), shows, differs: DIFFERS.into() }
}

/// How far run times at a rate are from their mean, by cluster.
fn spread(statistics: &Csv, rate: &str, clusters: Axis) -> Chart {
    let mark = |(place, total): (usize, Record<'_>)| {
        let mean = total.number("mean")?;
        let percent = |end: &str| total.number(end).map(|value| (value / mean - 1.0) * 100.0);
        Some(Mark::at(place as f64, 0.0).between(percent("min"), percent("max")))
    };
    let marks = of(statistics, rate, "discovery.total_s").into_iter().enumerate().filter_map(mark).collect();
    Chart {
        title: format!("Total run time at {rate}, least to greatest"),
        x: clusters,
        y: Axis::of("about the mean (%)"),
        layers: vec![Layer::marks("all executions", marks)],
        ..Chart::default()
    }
}

/// How many of the executions at a rate each method recovers, by cluster.
fn recovered(statistics: &Csv, rate: &str, clusters: Axis) -> Chart {
    Chart {
        title: format!("Recovered at {rate}"),
        x: clusters,
        y: Axis::from_zero("executions recovered (%)"),
        layers: METHODS.map(|name| recovered_by(name, statistics, rate)).into(),
        bars: true,
        ..Chart::default()
    }
}

/// How many of the executions at a rate a method recovers, by cluster.
fn recovered_by(name: &str, statistics: &Csv, rate: &str) -> Layer {
    let mark =
        |(place, found): (usize, Record<'_>)| Some(Mark::at(place as f64, found.number("mean")? * 100.0));
    let found = of(statistics, rate, &column(name, "recovered"));
    Layer::marks(method(name), found.into_iter().enumerate().filter_map(mark).collect())
}

const SHOWS: &str = "\
The paper says that the tool \"successfully recognizes all the topologies in Figure 9 with both 1Gbps and 100Mbps \
switches\". Here each of the ten cells is measured a hundred times with other seeds, and the switches are inferred \
by the paper's method, by k-means and by the sturdy inference.";

const DIFFERS: &str = "\
- The paper reports five executions of each. All of ours are recovered by all three methods; run times differ by a \
few per cent.";
