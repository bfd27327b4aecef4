//! lawrence2008: how much noise the methods bear.

use crate::discoveries::{column, method};
use crate::rows::{is_at, with_table};
use crate::{Figure, Page, Results, Row};
use simnet_output::report::{Axis, Chart, Csv, Layer, Mark, draw_charts};

pub(super) const FIGURE: Figure = Figure {
    id: "lawrence2008/noise",
    title: "Beyond the paper: clusters recovered against noise, by method",
    scenarios: &["lawrence2008/noise.toml", "lawrence2008/recovery.toml"],
    whole_when_quick: false,
    make,
};

const METHODS: [&str; 4] = ["paper", "paper-range", "k-means", "sturdy"];
/// The axes.
const PERCENT: &str = "discovery.noise-percent";
const SHARE: &str = "discovery.made-up.noise";
const SWITCHES: &str = "topology.random-tree.switches";

/// At how many points with this value of an axis something is true, and how many there are.
fn count(statistics: &Csv, axes: &[(&str, &str)], column: &str) -> Option<(f64, f64)> {
    let wanted: Vec<(&str, &str)> = axes.iter().copied().chain([("column", column)]).collect();
    let found = statistics.of(&wanted).next()?;
    let (mean, points) = (found.number("mean")?, found.number("points")?);
    Some(((mean * points).round(), points))
}

fn panel(title: &str, x: &str, layers: Vec<Layer>) -> Chart {
    Chart {
        title: title.to_owned(),
        x: Axis::from_zero(x),
        y: Axis::from_zero("recovered (%)"),
        layers,
        ..Chart::default()
    }
}

fn make(results: &Results<'_>) -> Page {
    let mut rows = Vec::new();
    let mut charts = vec![simulated(&results.csv(0, "statistics.csv"), &mut rows)];
    let made_up = results.csv(1, "statistics.csv");
    for size in made_up.choices(SWITCHES) {
        charts.push(recovered(&made_up, &size, &mut rows));
    }
    let shows = with_table(SHOWS, &rows, |row| {
        row.quantity == "recovered, simulated" && [100.0, 200.0, 350.0].iter().any(|x| is_at(row, *x))
    });
    Page { rows, svg: draw_charts(&charts, 2), shows, differs: DIFFERS.into() }
}

/// Clusters measured in simulation.
fn simulated(statistics: &Csv, rows: &mut Vec<Row>) -> Chart {
    let mut layers = METHODS.map(|name| Layer::line(method(name), Vec::new()));
    for percent in statistics.choices(PERCENT) {
        let x = percent.parse().unwrap_or_default();
        for (name, layer) in METHODS.iter().zip(&mut layers) {
            let found = count(statistics, &[(PERCENT, &percent)], &column(name, "recovered"));
            let Some((recovered, executions)) = found else { continue };
            let of = format!("topologies (3) and (5) at 1 Gb/s; {}", method(name));
            rows.push(Row::ours("recovered, simulated", &of, "executions", Some(recovered)).at(x));
            rows.push(Row::ours("executions", &of, "executions", Some(executions)).at(x));
            layer.marks.push(Mark::at(x, recovered / executions * 100.0));
        }
    }
    panel("Simulated: (3) and (5) at 1 Gb/s", "noise (% of the usual)", layers.into())
}

/// Random trees of a size with times that are made up.
fn recovered(statistics: &Csv, size: &str, rows: &mut Vec<Row>) -> Chart {
    let mut layers = Vec::new();
    for name in METHODS {
        let mut marks = Vec::new();
        for share in statistics.choices(SHARE) {
            let x = share.trim_end_matches(" %").parse().unwrap_or_default();
            let at = [(SWITCHES, size), (SHARE, share.as_str())];
            let of = |key| count(statistics, &at, &column(name, key));
            let (Some((recovered, clusters)), Some((refused, _))) = (of("recovered"), of("without_tree"))
            else {
                continue;
            };
            let of = format!("random trees of {size} switches; {}", method(name));
            let row = |quantity: &str, value: f64| Row::ours(quantity, &of, "clusters", Some(value)).at(x);
            rows.push(row("recovered, made up", recovered));
            rows.push(row("refused, made up", refused));
            rows.push(row("clusters", clusters));
            marks.push(Mark::at(x, recovered / clusters * 100.0));
        }
        layers.push(Layer::line(method(name), marks));
    }
    panel(&format!("Made up: random trees of {size} switches"), "noise (% of what a switch adds)", layers)
}

const SHOWS: &str = "\
How much noise the methods bear. In simulation two clusters of the paper are measured with multiples of the usual \
noise (jitter, drift and interruptions of software). On random trees of switches with four machines each matrices \
are made up: normal noise whose deviation is a share of what a switch adds.";

const DIFFERS: &str = "\
- The paper has no such figure; it says that the tool is robust on homogeneous clusters. Its method bears the \
usual noise and not twice as much; with the text taken literally (`lawrence2008/fig7`) it recovers nothing with \
the usual noise.
- The sturdy inference, which looks for the tree that explains all times best, still recovers most clusters when \
noise is as large as what a switch adds.";
