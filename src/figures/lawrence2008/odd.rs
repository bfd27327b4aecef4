//! Clusters with one odd part: times by hop count, and what each method makes of them.

use crate::figures::measured::{Inferred, Measured, list, method};
use crate::figures::told::told;
use crate::figures::{Page, Results, Row};
use crate::report::{Axis, Chart, Layer, Mark, draw_charts};

/// The page of a run of one odd cluster.
pub(super) fn page(results: &Results<'_>, shows: &str, differs: &str) -> Page {
    let (measured, inferred): (Vec<Measured>, Vec<Inferred>) =
        (list(results, 0, "measurements"), list(results, 0, "results"));
    let mut rows = Vec::new();
    let mut said = Vec::new();
    for class in measured.iter().flat_map(|cell| &cell.true_classes) {
        let middle = f64::midpoint(class.low_ms, class.high_ms);
        let row =
            Row::ours("round-trip times", &format!("truly {} switches", class.hops), "ms", Some(middle));
        rows.push(row.between(Some(class.low_ms), Some(class.high_ms)));
    }
    for found in &inferred {
        let name = method(&found.method);
        let row = |quantity: &str, unit: &str, value: Option<f64>| Row::ours(quantity, name, unit, value);
        rows.push(row("recovered", "yes = 1", Some(f64::from(found.recovered))));
        rows.push(row("without a tree", "yes = 1", Some(f64::from(found.without_tree))));
        rows.push(row("wrong pairs", "pairs", found.wrong_pairs_mean));
        rows.push(row("greatest error of a hop count", "switches", found.hop_error_max.map(f64::from)));
        rows.push(row("switches found", "switches", found.switches.map(f64::from)));
        rows.push(row("classes of times", "classes", Some(found.classes.len() as f64)));
        for told in &found.findings {
            let of = format!("{name}; {}", told.code);
            rows.push(Row::ours("what it tells", &of, "findings", Some(1.0)));
            if found.method == "sturdy" {
                said.push(format!("- The sturdy inference says: \"{}\".", told.text));
            }
        }
    }
    let truth = measured.iter().flat_map(|cell| &cell.true_classes).map(|class| {
        let middle = f64::midpoint(class.low_ms, class.high_ms);
        Mark::at(f64::from(class.hops), middle).between(Some(class.low_ms), Some(class.high_ms))
    });
    let names: Vec<&str> = inferred.iter().map(|found| method(&found.method)).collect();
    let wrong = inferred
        .iter()
        .enumerate()
        .filter_map(|(place, found)| Some(Mark::at(place as f64, found.wrong_pairs_mean?)));
    let count = inferred
        .iter()
        .enumerate()
        .filter_map(|(place, found)| Some(Mark::at(place as f64, f64::from(found.switches?))));
    let bars = |title: &str, y: &str, marks: Vec<Mark>| Chart {
        title: title.to_owned(),
        x: Axis::names("method", names.clone()),
        y: Axis::from_zero(y),
        layers: vec![Layer::marks("", marks)],
        bars: true,
        ..Chart::default()
    };
    let charts = [
        Chart {
            title: "What was measured".into(),
            x: Axis::from_zero("switches truly between machines"),
            y: Axis::of("round-trip time (ms)"),
            layers: vec![Layer::marks("shortest to longest", truth.collect())],
            ..Chart::default()
        },
        bars("Wrong hop counts", "pairs", wrong.collect()),
        bars("Switches found", "switches", count.collect()),
    ];
    said.insert(0, differs.to_owned());
    let shows = told(shows, &rows, |row| {
        ["recovered", "wrong pairs", "switches found"].contains(&row.quantity.as_str())
    });
    Page { rows, svg: draw_charts(&charts, 3), shows, differs: said.join("\n") }
}
