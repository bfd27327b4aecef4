//! lawrence2008: other traffic on the cables while the tool measures.

use crate::figures::measured::{Inferred, Measured, list, method};
use crate::figures::told::{is_at, told};
use crate::figures::{Figure, Page, Results, Row};
use crate::report::{Axis, Chart, Layer, Mark, draw_charts};

pub(super) const FIGURE: Figure = Figure {
    id: "lawrence2008/background",
    title: "Beyond the paper: other traffic on the cables while the tool measures",
    scenarios: &["lawrence2008/background.toml"],
    whole_when_quick: true,
    make,
};

/// The share of a cable's time that others' messages take, in per cent: the scenario's is 1 %, times the noise.
fn load(cell: &Measured) -> f64 {
    f64::from(cell.noise_percent) / 100.0
}

fn make(results: &Results<'_>) -> Page {
    let (measured, inferred): (Vec<Measured>, Vec<Inferred>) =
        (list(results, 0, "measurements"), list(results, 0, "results"));
    let mut rows = Vec::new();
    for cell in &measured {
        let x = load(cell);
        for class in &cell.true_classes {
            let middle = f64::midpoint(class.low_ms, class.high_ms);
            let row = Row::ours("round-trip times", &format!("{} switches", class.hops), "ms", Some(middle));
            rows.push(row.at(x).between(Some(class.low_ms), Some(class.high_ms)));
        }
        let most = cell.samples_most.map(f64::from);
        rows.push(Row::ours("most samples of a pair", "all", "samples", most).at(x));
        let settled = cell.settled_first_share.map(|share| share * 100.0);
        rows.push(Row::ours("settled at the first set", "all", "%", settled).at(x));
        rows.push(Row::ours("measuring", "all", "s", cell.rtt_s.map(|rtt| rtt.mean)).at(x));
        for found in inferred.iter().filter(|found| found.measurement == cell.id) {
            let recovered = Some(f64::from(found.recovered));
            rows.push(Row::ours("recovered", method(&found.method), "yes = 1", recovered).at(x));
        }
    }
    let classes = |hops: u32| {
        let mark = |cell: &Measured| {
            let class = cell.true_classes.iter().find(|class| class.hops == hops)?;
            let middle = f64::midpoint(class.low_ms, class.high_ms);
            Some(Mark::at(load(cell), middle).between(Some(class.low_ms), Some(class.high_ms)))
        };
        let name = format!("{hops} switch{} between", if hops == 1 { "" } else { "es" });
        Layer::line(&name, measured.iter().filter_map(mark).collect())
    };
    let line = |name: &str, y: fn(&Measured) -> Option<f64>| {
        Layer::line(name, measured.iter().filter_map(|cell| Some(Mark::at(load(cell), y(cell)?))).collect())
    };
    let x = || Axis::from_zero("share of a cable's time that others take (%)");
    let charts = [
        Chart {
            title: "Round-trip times by switches between machines".into(),
            x: x(),
            y: Axis::of("round-trip time (ms)"),
            layers: [1, 2, 3].map(classes).into(),
            ..Chart::default()
        },
        Chart {
            title: "Samples that a pair needs".into(),
            x: x(),
            y: Axis::from_zero("most samples"),
            layers: vec![line("most samples of a pair", |cell| cell.samples_most.map(f64::from))],
            ..Chart::default()
        },
    ];
    let shows =
        told(SHOWS, &rows, |row| row.quantity != "recovered" && [0.0, 30.0].iter().any(|x| is_at(row, *x)));
    Page { rows, svg: draw_charts(&charts, 2), shows, differs: DIFFERS.into() }
}

const SHOWS: &str = "\
Nine machines on three switches at 1 Gb/s, each of which sends other messages to machines drawn by chance for up \
to 30 % of its cable's time while the tool measures. Bands: from the shortest to the longest time of all pairs \
with so many switches between them.";

const DIFFERS: &str = "\
- The paper measures on idle clusters. With other traffic times grow and scatter, sets of samples double, and all \
three methods still recover the cluster: the mean of many round trips, and the threshold on its confidence, do \
what they are for.";
