//! Clusters with one odd part: times by hop count, and what each method makes of them.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::discoveries::method;
use crate::rows::with_table;
use crate::{Page, Results, Row};
use simnet_output::report::{Axis, Chart, Layer, Mark, draw_charts};

/// The order of the methods.
const METHODS: [&str; 3] = ["paper", "k-means", "sturdy"];

/// The object `discovery` of the run, as far as it is shown.
#[derive(Deserialize)]
struct Discovery {
    true_classes: Vec<Class>,
    methods: BTreeMap<String, Inferred>,
}

#[derive(Deserialize)]
struct Class {
    hops: u32,
    low_ms: f64,
    high_ms: f64,
}

#[derive(Deserialize)]
struct Inferred {
    recovered: bool,
    without_tree: bool,
    wrong_pairs: Option<u32>,
    hop_error_max: Option<u32>,
    switches: Option<u32>,
    classes: Vec<Class>,
    findings: Vec<Finding>,
}

#[derive(Deserialize)]
struct Finding {
    code: String,
    text: String,
}

/// The page of a run of one odd cluster.
pub(super) fn page(results: &Results<'_>, shows: &str, differs: &str) -> Page {
    let run = Discovery::deserialize(&results.summary(0)["discovery"]).expect("the run is a discovery");
    let inferred = METHODS.map(|name| (name, &run.methods[name]));
    let mut rows = Vec::new();
    let mut quotes = Vec::new();
    for class in &run.true_classes {
        let middle = f64::midpoint(class.low_ms, class.high_ms);
        let row =
            Row::ours("round-trip times", &format!("truly {} switches", class.hops), "ms", Some(middle));
        rows.push(row.between(Some(class.low_ms), Some(class.high_ms)));
    }
    for (name, found) in inferred {
        let row =
            |quantity: &str, unit: &str, value: Option<f64>| Row::ours(quantity, method(name), unit, value);
        let truth = |truth: bool| Some(f64::from(u8::from(truth)));
        rows.push(row("recovered", "yes = 1", truth(found.recovered)));
        rows.push(row("without a tree", "yes = 1", truth(found.without_tree)));
        rows.push(row("wrong pairs", "pairs", found.wrong_pairs.map(f64::from)));
        rows.push(row("greatest error of a hop count", "switches", found.hop_error_max.map(f64::from)));
        rows.push(row("switches found", "switches", found.switches.map(f64::from)));
        rows.push(row("classes of times", "classes", Some(found.classes.len() as f64)));
        for finding in &found.findings {
            let of = format!("{}; {}", method(name), finding.code);
            rows.push(Row::ours("what it tells", &of, "findings", Some(1.0)));
            if name == "sturdy" {
                quotes.push(format!("- The sturdy inference says: `{}`.", finding.text));
            }
        }
    }
    let truth = run.true_classes.iter().map(|class| {
        let middle = f64::midpoint(class.low_ms, class.high_ms);
        Mark::at(f64::from(class.hops), middle).between(Some(class.low_ms), Some(class.high_ms))
    });
    let charts = [
        Chart {
            title: "What was measured".into(),
            x: Axis::from_zero("switches truly between machines"),
            y: Axis::of("round-trip time (ms)"),
            layers: vec![Layer::marks("shortest to longest", truth.collect())],
            ..Chart::default()
        },
        bars("Wrong hop counts", "pairs", marks(&inferred, |found| found.wrong_pairs)),
        bars("Switches found", "switches", marks(&inferred, |found| found.switches)),
    ];
    quotes.insert(0, differs.to_owned());
    let shows = with_table(shows, &rows, |row| {
        ["recovered", "wrong pairs", "switches found"].contains(&row.quantity.as_str())
    });
    Page { rows, svg: draw_charts(&charts, 3), shows, differs: quotes.join("\n") }
}

/// What the methods inferred, method by method.
fn marks(inferred: &[(&str, &Inferred)], value: fn(&Inferred) -> Option<u32>) -> Vec<Mark> {
    let mark = |(place, (_, found)): (usize, &(&str, &Inferred))| {
        Some(Mark::at(place as f64, f64::from(value(found)?)))
    };
    inferred.iter().enumerate().filter_map(mark).collect()
}

/// A chart with a bar for each method.
fn bars(title: &str, y: &str, marks: Vec<Mark>) -> Chart {
    Chart {
        title: title.to_owned(),
        x: Axis::names("method", METHODS.map(method)),
        y: Axis::from_zero(y),
        layers: vec![Layer::marks("", marks)],
        bars: true,
        ..Chart::default()
    }
}
