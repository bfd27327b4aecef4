//! lawrence2008: other traffic on the cables while the tool measures.

use crate::discoveries::{column, method, truth};
use crate::rows::{is_at, with_table};
use crate::{Figure, Page, Results, Row};
use simnet_output::report::{Axis, Chart, Csv, Layer, Mark, Record, draw_charts};

pub(super) const FIGURE: Figure = Figure {
    id: "lawrence2008/background",
    title: "Beyond the paper: other traffic on the cables while the tool measures",
    scenarios: &["lawrence2008/background.toml"],
    whole_when_quick: true,
    make,
};

/// The share of a cable's time that others' messages take, in per cent.
fn load(point: Record<'_>) -> f64 {
    let share = point.text("discovery.noise.background").trim_end_matches(" %");
    share.parse().unwrap_or_default()
}

/// The least and the greatest of the times over so many switches, counted from 0.
fn ends(point: Record<'_>, class: usize) -> Option<(f64, f64)> {
    let end = |end: &str| point.number(&format!("discovery.true_classes.{class}.{end}_ms"));
    end("low").zip(end("high"))
}

fn make(results: &Results<'_>) -> Page {
    let points = results.csv(0, "points.csv");
    let mut rows = Vec::new();
    for point in points.records() {
        let x = load(point);
        for (class, (low, high)) in (0..).map_while(|class| Some((class, ends(point, class)?))) {
            let of = format!("{} switches", class + 1);
            let row = Row::ours("round-trip times", &of, "ms", Some(f64::midpoint(low, high)));
            rows.push(row.at(x).between(Some(low), Some(high)));
        }
        let most = point.number("discovery.samples_most");
        rows.push(Row::ours("most samples of a pair", "all", "samples", most).at(x));
        let settled = point.number("discovery.settled_first_share").map(|share| share * 100.0);
        rows.push(Row::ours("settled at the first set", "all", "%", settled).at(x));
        rows.push(Row::ours("measuring", "all", "s", point.number("discovery.rtt_s")).at(x));
        for name in ["paper", "k-means", "sturdy"] {
            let recovered = truth(point, &column(name, "recovered"));
            rows.push(Row::ours("recovered", method(name), "yes = 1", recovered).at(x));
        }
    }
    let most = |point: Record<'_>| Some(Mark::at(load(point), point.number("discovery.samples_most")?));
    let x = || Axis::from_zero("share of a cable's time that others take (%)");
    let charts = [
        Chart {
            title: "Round-trip times by switches between machines".into(),
            x: x(),
            y: Axis::of("round-trip time (ms)"),
            layers: [0, 1, 2].map(|class| class_line(&points, class)).into(),
            ..Chart::default()
        },
        Chart {
            title: "Samples that a pair needs".into(),
            x: x(),
            y: Axis::from_zero("most samples"),
            layers: vec![Layer::line("most samples of a pair", points.records().filter_map(most).collect())],
            ..Chart::default()
        },
    ];
    let shows = with_table(SHOWS, &rows, |row| {
        row.quantity != "recovered" && [0.0, 30.0].iter().any(|x| is_at(row, *x))
    });
    Page { rows, svg: draw_charts(&charts, 2), shows, differs: DIFFERS.into() }
}

/// The round-trip times of machines with so many switches between them and one more, from the least to the greatest.
fn class_line(points: &Csv, class: usize) -> Layer {
    let mark = |point| {
        let (low, high) = ends(point, class)?;
        Some(Mark::at(load(point), f64::midpoint(low, high)).between(Some(low), Some(high)))
    };
    let name = format!("{} switch{} between", class + 1, if class == 0 { "" } else { "es" });
    Layer::line(&name, points.records().filter_map(mark).collect())
}

const SHOWS: &str = "\
Nine machines on three switches at 1 Gb/s, each of which sends other messages to machines drawn by chance for up \
to 30 % of its cable's time while the tool measures. Bands: from the shortest to the longest time of all pairs \
with so many switches between them.";

const DIFFERS: &str = "\
- The paper does not speak of other traffic. With it times grow and scatter, sets of samples double, and all \
three methods still recover the cluster: the mean of many round trips, and the threshold on its confidence, do \
what they are for.";
