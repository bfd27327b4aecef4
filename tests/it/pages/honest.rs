//! What a report says of how much is known: nothing is sure without an interval, what is doubtful is counted and
//! marked, means over seeds have half-widths, and a search's loads are shown like all others.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::drawings::{charts, element, report, rows, run, write};
use crate::simnet;

/// The report of a run with one load point that has or lacks a half-width.
fn with_half_width(half_width: Value) -> String {
    let room = tempfile::tempdir().unwrap();
    let point = json!({
        "load": 0.1, "latency_mean_ns": 900.0, "latency_half_width_ns": half_width, "state": "converged",
        "converged": true, "saturated": false, "accepted_flits_per_cycle_per_host": 0.1,
    });
    let summary = json!({ "scenario": "one", "outcome": "drained", "points": [point] });
    fs::write(room.path().join("summary.json"), summary.to_string()).unwrap();
    report(room.path())
}

/// Wrong if a mean without an interval were called sure, or one with an interval not.
#[test]
fn sure_is_only_what_has_an_interval() {
    let (bare, whole) = (with_half_width(Value::Null), with_half_width(json!(4.5)));
    assert!(!bare.contains("Sure: "));
    assert!(whole.contains("Sure: "));
}

/// The table of a sweep: two loads, three routings of which two are the same, two seeds.
const SWEPT: &str = "point,key,load,routing,seed,status,error,points.0.latency_mean_ns,points.0.latency_half_width_ns,\
    points.0.saturated,points.0.converged\n\
    0,a,0.1,one,1,done,,100,2,false,true\n1,b,0.1,one,2,done,,104,2,false,true\n\
    2,c,0.1,two,1,done,,100,2,false,true\n3,d,0.1,two,2,done,,104,2,false,true\n\
    4,e,0.1,three,1,done,,120,2,false,true\n5,f,0.1,three,2,done,,121,2,false,false\n\
    6,g,0.2,one,1,done,,9000,2,false,true\n7,h,0.2,one,2,done,,9200,2,true,false\n\
    8,i,0.2,two,1,done,,9000,2,false,true\n9,j,0.2,two,2,done,,9200,2,true,false\n\
    10,k,0.2,three,1,done,,8000,2,false,true\n11,l,0.2,three,2,done,,8100,2,false,true\n";

fn swept(folder: &Path) -> String {
    let mark = json!({"format": "simnet-sweep/1", "name": "loads", "quick": false, "inputs": []});
    fs::write(folder.join("sweep.json"), mark.to_string()).unwrap();
    fs::write(folder.join("points.csv"), SWEPT).unwrap();
    report(folder)
}

/// The text of a part of a page, without its tags.
fn words(html: &str) -> String {
    html.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect()
}

/// Wrong if a sweep's page did not count its saturated and unconverged points, called it sure all the same, or showed a
/// mean over seeds without half its interval.
#[test]
fn a_sweep_counts_what_is_doubtful_and_gives_its_means_half_widths() {
    let room = tempfile::tempdir().unwrap();
    let html = swept(room.path());
    let page = words(element(&html, "<section class=\"page\" id=\"sweep\"", "</section>"));
    for said in
        ["2 of 12 points were saturated", "1 of 12 points have not converged", "Good: no point failed"]
    {
        assert!(page.contains(said), "{said}: {page}");
    }
    assert!(!page.contains("Sure: "), "{page}");
    // Two values: 12.706 times the half of their distance.
    assert!(page.contains("102 ± 25"), "{page}");
    assert!(page.contains("ResultLeastGreatest"), "a mean over different loads means nothing: {page}");
}

/// Wrong if a curve over seeds had no interval, a point with a saturated seed looked like any other, identical curves
/// lay unseen below each other, or times of 100 ns and of 9 us shared a linear axis at first.
#[test]
fn curves_of_a_sweep_mark_what_is_doubtful_and_name_what_is_identical() {
    let room = tempfile::tempdir().unwrap();
    let html = swept(room.path());
    let charts = charts(&html, "curves-0");
    // One quantity, logarithmic first.
    assert_eq!(charts.len(), 2);
    assert!(
        charts[0].contains(">200<") && charts[0].contains(">5000<") || charts[0].contains(">100<"),
        "{}",
        charts[0]
    );
    let marks: Vec<&str> = charts[0].split("<g class=\"mark\"").skip(1).collect();
    assert_eq!(marks.len(), 4, "two curves of two marks");
    let tip = |part: &str| element(part, "data-tip=\"", "\">").replace("&#10;", " ");
    assert!(tip(marks[0]).contains("mean of 2 ± 0.02541 (95 %), from 0.1 to 0.104"), "{}", tip(marks[0]));
    assert!(tip(marks[1]).contains("1 of them saturated"), "{}", tip(marks[1]));
    let is_hollow = |mark: &&&str| element(mark, "<", "</g>").contains("fill=\"var(--paper)\"");
    let hollow = marks.iter().filter(is_hollow).count();
    assert_eq!(hollow, 2, "one of each curve has a doubtful seed");
    assert!(charts[0].contains("one = two") && !charts[0].contains(">two<"));
    assert!(html.contains("Curves that are identical are one"));
}

/// Wrong if a load that the search for saturation tried were no row of points.csv, no row of the page, or no mark.
#[test]
fn the_loads_of_a_search_are_rows_and_points() {
    let run = run("scenario = { name = 'searched', seed = 3 }
        topology.ring = { switches = 4, hosts-per-switch = 2 }\nrouting.algorithm = 'updown'
        traffic.uniform = { payload = '32 B', loads = [0.02] }
        measure = { warmup = '20 us', messages = 300, find-saturation = 0.2 }");
    let room = tempfile::tempdir().unwrap();
    write(room.path(), &run);
    let summary: Value =
        serde_json::from_str(&fs::read_to_string(room.path().join("summary.json")).unwrap()).unwrap();
    let probes = summary["saturation"]["probes"].as_array().unwrap();
    assert_eq!(summary["points"].as_array().unwrap().len(), 1);
    let rows = rows(room.path(), "points.csv");
    assert_eq!(rows.len(), probes.len());
    for (row, probe) in rows.iter().zip(probes) {
        assert_eq!(row["load"].parse::<f64>().ok(), probe["load"].as_f64());
        assert_eq!(row["saturated"] == "true", probe["saturated"] == true);
    }
    let searched = rows.iter().filter(|row| row["search"] == "true").count();
    assert_eq!(searched, probes.len() - 1);
    let html = report(room.path());
    assert_eq!(html.matches("<small>search</small>").count(), searched);
    let [throughput] = charts(&html, "curves-1")[..] else { panic!("one chart") };
    assert_eq!(throughput.split("<g class=\"mark\"").count() - 1, rows.len());
}

/// Wrong if points.csv of a sweep gave a mean without its half-width and its worth, or means over seeds were not there
/// without being asked for.
#[test]
fn a_sweep_over_seeds_has_half_widths_in_its_tables() {
    let room = tempfile::tempdir().unwrap();
    let scenario = "[scenario]\nname = \"seeds\"\nseed = 1\n[topology.ring]\nswitches = 4\nhosts-per-switch = 2\n\
        [routing]\nalgorithm = \"updown\"\n[traffic.uniform]\npayload = \"32 B\"\nloads = [0.02]\n\
        [measure]\nwarmup = \"20 us\"\nmessages = 300\n\
        [sweep]\nrepetitions = 2\ncolumns = [\"points.0.latency_mean_ns\"]\n\
        [[sweep.axes]]\ntraffic.uniform.loads = [0.02, 0.04]\n\
        [[figure]]\nname = \"latency\"\nx = \"traffic.uniform.loads\"\ny = \"points.0.latency_mean_ns\"\n";
    let file = room.path().join("seeds.toml");
    fs::write(&file, scenario).unwrap();
    let out = room.path().join("out");
    let output = simnet(&["run", file.to_str().unwrap(), "--quiet", "--out", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let points = rows(&out, "points.csv");
    assert_eq!(points.len(), 4);
    for row in &points {
        assert!(row["points.0.latency_half_width_ns"].parse::<f64>().is_ok(), "{row:?}");
        assert!(["true", "false"].contains(&row["points.0.saturated"].as_str()), "{row:?}");
        assert!(["true", "false"].contains(&row["points.0.converged"].as_str()), "{row:?}");
    }
    let means = rows(&out, "statistics.csv");
    let of_latency: Vec<_> = means.iter().filter(|row| row["column"] == "points.0.latency_mean_ns").collect();
    assert_eq!(of_latency.len(), 2);
    assert!(of_latency.iter().all(|row| row["points"] == "2" && row["half_width"].parse::<f64>().is_ok()));
    // The figure's band is an area.
    let figure = fs::read_to_string(out.join("latency.svg")).unwrap();
    assert!(figure.contains("fill-opacity"), "{figure}");
    let html = report(&out);
    assert!(html.contains("Means over the seeds") && html.contains("data-plot=\"curves-0\""));
}
