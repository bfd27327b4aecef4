//! Curves and histograms: every mark shows what the tables have.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::{element, report, run, write};

/// The rows of a table, by column.
pub(in crate::pages) fn rows(folder: &Path, file: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(folder.join(file)).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

/// The numbers of all marks of a chart: their attributes `data-x` and `data-y`.
fn marks(chart: &str) -> Vec<(String, String)> {
    let value = |part: &str, name: &str| {
        let from = part.find(name).unwrap() + name.len();
        part[from..from + part[from..].find('"').unwrap()].to_owned()
    };
    let parts = chart.split("<g class=\"mark\"").skip(1);
    parts.map(|part| (value(part, "data-x=\""), value(part, "data-y=\""))).collect()
}

/// The charts of a plot, in order.
pub(in crate::pages) fn charts<'a>(html: &'a str, plot: &str) -> Vec<&'a str> {
    let plot = element(html, &format!("<div class=\"plot\" data-plot=\"{plot}\""), "<details>");
    plot.split("<svg ").skip(1).collect()
}

/// Wrong if a curve showed other numbers than points.csv, left a load out, or showed one twice.
#[test]
fn marks_of_curves_are_the_rows_of_points() {
    let run = run("scenario = { name = 'drawn', seed = 5 }
        topology.random-regular = { switches = 8, degree = 3, hosts-per-switch = 2, seed = 2 }
        routing = { algorithm = 'updown', select = 'random' }
        traffic.uniform = { payload = '32 B', loads = [0.01, 0.02, 0.05, 0.1, 0.6] }
        measure = { warmup = '20 us', messages = 400 }");
    let room = tempfile::tempdir().unwrap();
    write(room.path(), &run);
    let html = report(room.path());
    assert_eq!(html, report(room.path()));
    let rows = rows(room.path(), "points.csv");
    let expected = |x: &str, y: &str| -> BTreeSet<(String, String)> {
        rows.iter().map(|row| (row[x].clone(), row[y].clone())).collect()
    };
    let (accepted, offered) = ("accepted_flits_per_cycle_per_host", "offered_flits_per_cycle_per_host");
    let latency = charts(&html, "curves-0");
    let quantities = ["latency_mean_ns", "latency_p50_ns", "latency_p99_ns", "network_latency_mean_ns"];
    assert_eq!(latency.len(), 2 * quantities.len());
    for (nth, chart) in latency.iter().enumerate() {
        let shown: BTreeSet<_> = marks(chart).into_iter().collect();
        let all = expected(accepted, quantities[nth / 2]);
        assert!(shown.is_subset(&all), "{nth}: {shown:?} is not of {all:?}");
        // Marks far beyond saturation may lie above the sheet; all others are there.
        let sure = rows.iter().filter(|row| row["saturated"] == "false").count();
        assert!(shown.len() >= sure, "{nth}: {shown:?}");
    }
    let [throughput] = charts(&html, "curves-1")[..] else { panic!("one chart") };
    assert_eq!(marks(throughput).into_iter().collect::<BTreeSet<_>>(), expected(offered, accepted));
    let saturated = rows.iter().filter(|row| row["saturated"] == "true").count();
    assert_eq!(throughput.matches("saturated\">").count(), saturated);
    // Three parts a load, where messages arrived.
    let parts = charts(&html, "curves-2");
    let drawn = rows.iter().filter(|row| !row["queueing_mean_ns"].is_empty()).count();
    assert_eq!(marks(parts.last().unwrap()).len(), 3 * drawn);
}

/// Wrong if a histogram lost a message.
#[test]
fn bars_of_histograms_add_up() {
    let run = run("scenario = { name = 'drawn', seed = 6 }
        topology.ring = { switches = 4, hosts-per-switch = 2 }\nrouting.algorithm = 'updown'
        traffic.uniform = { payload = '32 B', loads = [0.01, 0.05] }
        measure = { warmup = '20 us', messages = 300 }");
    let room = tempfile::tempdir().unwrap();
    write(room.path(), &run);
    let html = report(room.path());
    let charts = charts(&html, "histograms-0");
    // Two kinds of latency, two loads, two scales.
    assert_eq!(charts.len(), 8);
    for (nth, chart) in charts.iter().enumerate() {
        let (kind, load) = (["creation", "network"][nth / 4], ["0.01", "0.05"][nth / 2 % 2]);
        let cells = rows(room.path(), "latency_histograms.csv");
        let own = cells.iter().filter(|row| row["kind"] == kind && row["load"] == load);
        let messages: u64 = own.map(|row| row["messages"].parse::<u64>().unwrap()).sum();
        let shown: u64 = marks(chart).iter().map(|(_, count)| count.parse::<u64>().unwrap()).sum();
        assert_eq!(shown, messages, "{kind} at {load}");
    }
}

/// Wrong if names in a table became markup, or numbers that are none broke a chart.
#[test]
fn hostile_tables_are_drawn_or_left() {
    let room = tempfile::tempdir().unwrap();
    let summary = serde_json::json!({ "scenario": "<b>x", "outcome": "drained" });
    fs::write(room.path().join("summary.json"), summary.to_string()).unwrap();
    let head = "switches,seed,routing,load,offered_flits_per_cycle_per_host,accepted_flits_per_cycle_per_host,\
                latency_mean_ns,latency_p99_ns,saturated,converged\n";
    let odd = ["0.1", "NaN", "inf", "1e308", "-1", "", "x"];
    let mut text = head.to_owned();
    for (nth, number) in odd.iter().enumerate() {
        text += &format!(
            "8,1,<script>alert({nth})</script>,{number},{number},0.{nth},{number},{number},maybe,\n"
        );
        text += &format!("8,1,\"a\"\"><b>,\",0.1,0.{nth},{number},500,{number},true,false\n");
    }
    fs::write(room.path().join("points.csv"), text).unwrap();
    let html = report(room.path());
    assert!(html.contains("data-plot=\"curves-0\""));
    assert!(!html.contains("<script>alert") && !html.contains("\"><b>"));
    for chart in charts(&html, "curves-0") {
        let chart = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" {}",
            &chart[..chart.find("</svg>").unwrap() + 6]
        );
        let parsed = roxmltree::Document::parse(&chart);
        assert!(parsed.is_ok(), "{:?}", parsed.err());
        assert!(!chart.contains("NaN") && !chart.contains("inf\""));
    }
}
