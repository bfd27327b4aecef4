//! lawrence2008: pairs measured at the same time.

use std::collections::BTreeMap;

use crate::figures::measured::{Inferred, Measured, list, method};
use crate::figures::told::{is_at, told};
use crate::figures::{Figure, Page, Results, Row};
use crate::report::{Axis, Chart, Layer, Mark, Style, draw_charts};

pub(super) const FIGURE: Figure = Figure {
    id: "lawrence2008/at-once",
    title: "Beyond the paper: disjoint pairs measured at the same time",
    scenarios: &["lawrence2008/at-once.toml"],
    whole_when_quick: false,
    make,
};

fn make(results: &Results<'_>) -> Page {
    let (measured, inferred): (Vec<Measured>, Vec<Inferred>) =
        (list(results, 0, "measurements"), list(results, 0, "results"));
    let mut rows = Vec::new();
    for cell in &measured {
        let of = format!("{}; {}", cell.cluster(), cell.rate());
        let x = f64::from(cell.at_once);
        rows.push(Row::ours("measuring", &of, "s", cell.rtt_s.map(|rtt| rtt.mean)).at(x));
        for found in inferred.iter().filter(|found| found.measurement == cell.id) {
            let of = format!("{of}; {}", method(&found.method));
            rows.push(Row::ours("recovered", &of, "yes = 1", Some(f64::from(found.recovered))).at(x));
            rows.push(Row::ours("wrong pairs", &of, "pairs", found.wrong_pairs_mean).at(x));
        }
    }
    let mut charts = Vec::new();
    for rate in ["100 Mb/s", "1 Gb/s"] {
        charts.push(times(&measured, rate));
        charts.push(recovered(&measured, &inferred, rate));
    }
    let shows =
        told(SHOWS, &rows, |row| row.quantity == "measuring" && [1.0, 16.0].iter().any(|x| is_at(row, *x)));
    Page { rows, svg: draw_charts(&charts, 2), shows, differs: DIFFERS.into() }
}

fn times(measured: &[Measured], rate: &str) -> Chart {
    let mut layers: Vec<Layer> = Vec::new();
    for cell in measured.iter().filter(|cell| cell.rate() == rate) {
        let Some(rtt) = cell.rtt_s else { continue };
        let (name, mark) = (cell.cluster(), Mark::at(f64::from(cell.at_once), rtt.mean));
        match layers.iter_mut().find(|layer| layer.name == name) {
            Some(layer) => layer.marks.push(mark),
            None => layers.push(Layer { name, style: Style::Line, marks: vec![mark] }),
        }
    }
    Chart {
        title: format!("What it saves, {rate}"),
        x: Axis::log("pairs at once"),
        y: Axis::log("time of measuring (s)"),
        layers,
        ..Chart::default()
    }
}

/// How many of the clusters each method recovers.
fn recovered(measured: &[Measured], inferred: &[Inferred], rate: &str) -> Chart {
    let of = |name: &str| {
        let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
        for cell in measured.iter().filter(|cell| cell.rate() == rate) {
            let found = inferred.iter().find(|found| found.measurement == cell.id && found.method == name);
            let is_right = found.is_some_and(|found| found.recovered == found.executions);
            *counts.entry(cell.at_once).or_default() += u32::from(is_right);
        }
        let marks = counts.into_iter().map(|(at_once, count)| Mark::at(f64::from(at_once), f64::from(count)));
        let marks = marks.collect();
        Layer::line(method(name), marks)
    };
    Chart {
        title: format!("What it costs, {rate}"),
        x: Axis::log("pairs at once"),
        y: Axis::from_zero("clusters recovered"),
        layers: ["paper", "k-means", "sturdy"].map(of).into(),
        ..Chart::default()
    }
}

const SHOWS: &str = "\
The tool measures one pair of machines after the other, in a time that grows with the square of their number. Here \
up to sixteen disjoint pairs measure at the same time, on the five clusters at both rates: what that saves, and \
how many of the clusters are still recovered.";

const DIFFERS: &str = "\
- The paper measures in sequence only and says that \"if there is a need to improve the execution time, one can \
focus on optimizing the RTT measurement\". On one switch all pairs may measure at once, exactly. Between switches \
pairs meet on the cables and take each other for switches: at 100 Mb/s soon, at 1 Gb/s, where software takes most \
of a round trip, only when all measure at once.";
