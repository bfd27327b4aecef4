//! lawrence2008: pairs measured at the same time.

use crate::discoveries::{column, method, truth};
use crate::rows::{is_at, with_table};
use crate::{Figure, Page, Results, Row};
use simnet_output::report::{Axis, Chart, Csv, Layer, Mark, Record, draw_charts};

pub(super) const FIGURE: Figure = Figure {
    id: "lawrence2008/at-once",
    title: "Beyond the paper: disjoint pairs measured at the same time",
    scenarios: &["lawrence2008/at-once.toml"],
    whole_when_quick: false,
    make,
};

/// The axis of pairs at once.
const AT_ONCE: &str = "discovery.at-once";
const METHODS: [&str; 3] = ["paper", "k-means", "sturdy"];

fn make(results: &Results<'_>) -> Page {
    let points = results.csv(0, "points.csv");
    let mut rows = Vec::new();
    for point in points.records() {
        let of = format!("{}; {}", point.text("topology"), point.text("ethernet.rate"));
        let row = |quantity: &str, of: &str, unit: &str, ours: Option<f64>| {
            let row = Row::ours(quantity, of, unit, ours);
            row.at(point.number(AT_ONCE).unwrap_or_default())
        };
        rows.push(row("measuring", &of, "s", point.number("discovery.rtt_s")));
        for name in METHODS {
            let of = format!("{of}; {}", method(name));
            rows.push(row("recovered", &of, "yes = 1", truth(point, &column(name, "recovered"))));
            rows.push(row("wrong pairs", &of, "pairs", point.number(&column(name, "wrong_pairs"))));
        }
    }
    let charts = ["100 Mb/s", "1 Gb/s"].map(|rate| [times(&points, rate), recovered(&points, rate)]);
    let shows = with_table(SHOWS, &rows, |row| {
        row.quantity == "measuring" && [1.0, 16.0].iter().any(|x| is_at(row, *x))
    });
    Page { rows, svg: draw_charts(&charts.concat(), 2), shows, differs: DIFFERS.into() }
}

fn times(points: &Csv, rate: &str) -> Chart {
    let of = |topology: String| {
        let wanted = [("topology", topology.as_str()), ("ethernet.rate", rate)];
        let mark =
            |point: Record<'_>| Some(Mark::at(point.number(AT_ONCE)?, point.number("discovery.rtt_s")?));
        Layer::line(&topology, points.of(&wanted).filter_map(mark).collect())
    };
    Chart {
        title: format!("What it saves, {rate}"),
        x: Axis::log("pairs at once"),
        y: Axis::log("time of measuring (s)"),
        layers: points.choices("topology").into_iter().map(of).collect(),
        ..Chart::default()
    }
}

/// How many of the clusters each method recovers.
fn recovered(points: &Csv, rate: &str) -> Chart {
    Chart {
        title: format!("What it costs, {rate}"),
        x: Axis::log("pairs at once"),
        y: Axis::from_zero("clusters recovered"),
        layers: METHODS.map(|name| recovered_by(name, points, rate)).into(),
        ..Chart::default()
    }
}

/// How many of the clusters a method recovers, by pairs at once.
fn recovered_by(name: &str, points: &Csv, rate: &str) -> Layer {
    let mark = |at_once: String| {
        let wanted = [("ethernet.rate", rate), (AT_ONCE, at_once.as_str())];
        let right = points.of(&wanted).filter_map(|point| truth(point, &column(name, "recovered")));
        Some(Mark::at(at_once.parse().ok()?, right.sum()))
    };
    Layer::line(method(name), points.choices(AT_ONCE).into_iter().filter_map(mark).collect())
}

const SHOWS: &str = "\
The tool measures one pair of machines after the other, in a time that grows with the square of their number. Here \
up to sixteen disjoint pairs measure at the same time, on the five clusters at both rates: what that saves, and \
how many of the clusters are still recovered.";

const DIFFERS: &str = "\
- The paper does not say in what order pairs are measured; its times fit one after the other. It says \
that \"if there is a need to improve the execution time, one can \
focus on optimizing the RTT measurement\". On one switch all pairs may measure at once, exactly. Between switches \
pairs meet on the cables and take each other for switches: at 100 Mb/s soon, at 1 Gb/s, where software takes most \
of a round trip, only when all measure at once.";
