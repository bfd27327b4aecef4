//! The mapping section of a report: growth-steps.csv of a run, hostile names, damaged steps.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use simnet::page::{Contents, page};
use simnet::scenario::{self, Overrides};
use simnet::simulation;

const COLUMNS: &str =
    "step,time_ms,probes,event,vertex,port,other,other_port,name,hosts,switches,cables,merged,pruned";

const MANIFEST: &str = "{\"scenario_hash\": \"0\"}";

/// What a report of a folder holds: the whole text, and what its script works on in the mapping section.
fn report(folder: &Path) -> (String, Value, Vec<String>) {
    let contents = Contents::read(folder).unwrap();
    let html = page(&contents).html;
    let data = html.split("<script id=\"data\" type=\"application/json\">").nth(1).unwrap();
    let data: Value = serde_json::from_str(data.split("</script>").next().unwrap()).unwrap();
    (html, data["mapping"].clone(), contents.complaints())
}

/// A results folder with this summary of a map and these steps.
fn folder(map: &Value, rows: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("summary.json", &json!({"scenario": "x", "seed": 1, "outcome": "drained", "map": map}).to_string());
    write("manifest.json", MANIFEST);
    let network =
        json!({"format": "simnet-topology/1", "name": "x", "switches": [], "hosts": [], "links": []});
    write("network.json", &network.to_string());
    let rows: Vec<String> =
        rows.iter().enumerate().map(|(nth, row)| format!("{},{row}\n", nth + 1)).collect();
    write("growth-steps.csv", &format!("{COLUMNS}\n{}", rows.concat()));
    folder
}

fn map() -> Value {
    json!({
        "algorithm": "berkeley", "hosts": 2, "switches": 1, "links": 2, "isomorphic": false,
        "difference": "the map lacks <b>h</b>", "doubts": ["traffic"], "time_ms": 1.5, "explorations": 1,
        "probes": {"host": {"sent": 4, "hits": 2}}, "losses": {"undeliverable": 2, "reset": 1, "deadlocks": 1},
    })
}

#[test]
fn a_run_s_steps_end_in_its_map_and_are_drawn() {
    // Wrong if the file described another model than the map, or if the page left a step out.
    let text = "scenario.name = 'x'\ntopology.preset = 'now-c'\nmapping = { mapper = 'c-util' }";
    let checked = scenario::read("x", text.as_bytes(), &Overrides::default()).unwrap();
    let run = simulation::run(&checked, &(), None).unwrap();
    let room = tempfile::tempdir().unwrap();
    for (name, contents) in &run.files {
        fs::write(room.path().join(name), contents).unwrap();
    }
    let summary = serde_json::to_value(&run.summary).unwrap();
    fs::write(room.path().join("summary.json"), summary.to_string()).unwrap();
    fs::write(room.path().join("manifest.json"), MANIFEST).unwrap();
    let contents = Contents::read(room.path()).unwrap();
    let steps = &contents.tables["growth-steps"];
    let last = steps.rows.last().unwrap();
    let cell = |column: &str| steps.cell(last, column).unwrap().to_owned();
    assert_eq!(steps.cell(last, "event"), Some("finished"));
    assert_eq!(["hosts", "switches", "cables"].map(cell), ["36", "13", "64"]);
    let sent = |kind: &str| summary["map"]["probes"][kind]["sent"].as_u64().unwrap();
    assert_eq!(cell("probes"), (sent("host") + sent("switch")).to_string());
    assert_eq!(cell("time_ms"), summary["map"]["time_ms"].to_string());
    let (_, data, complaints) = report(room.path());
    assert_eq!(data["steps"]["event"].as_array().unwrap().len(), steps.rows.len());
    let gone = data["vertices"]["gone"].as_array().unwrap();
    assert_eq!(
        gone.iter().filter(|gone| **gone == json!(-1)).count(),
        36 + 13,
        "what lives in the end is the map"
    );
    let lasting = data["cables"]["to"].as_array().unwrap();
    assert_eq!(lasting.iter().filter(|to| **to == json!(-1)).count(), 64);
    assert!(complaints.is_empty(), "{complaints:?}");
}

#[test]
fn hostile_names_stay_names() {
    // Wrong if a host's name became markup or ended the data.
    let name = "</script><script>alert(1)</script>";
    let rows = [
        format!("0,0,host,0,0,,,{name},1,0,0,0,0"),
        "0,0,switch,1,0,0,0,,1,1,1,0,0".to_owned(),
        "0.5,2,host,2,0,1,1,\"<img src=x onerror=alert(1)>, \"\"h\"\"\",2,1,2,0,0".to_owned(),
        "1.5,4,doubted,,,,,<b>doubt,2,1,2,0,0".to_owned(),
        "1.5,4,finished,,,,,,2,1,2,0,0".to_owned(),
    ];
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let (html, data, complaints) = report(folder(&map(), &rows).path());
    assert_eq!((data["names"]["0"].as_str(), complaints.len()), (Some(name), 0), "{complaints:?}");
    assert_eq!(data["names"]["2"], "<img src=x onerror=alert(1)>, \"h\"");
    for evil in ["<script>alert", "<img", "<b>"] {
        assert!(!html.contains(evil), "{evil}");
    }
    assert!(html.contains("the map lacks &lt;b&gt;h"), "the difference in words");
    assert!(html.contains("answers took another time than a quiet network explains"));
    let words: String =
        html.split('<').map(|piece| piece.split_once('>').map_or("", |(_, text)| text)).collect();
    assert!(words.contains("one deadlock"), "what was lost while it mapped");
}

#[test]
fn damaged_steps_are_drawn_up_to_the_damage() {
    // Wrong if a damaged file stopped the report, or passed for whole.
    let begin = ["0,0,host,0,0,,,h,1,0,0,0,0", "0,0,switch,1,0,0,0,,1,1,1,0,0"];
    for (row, expected) in [
        ("1,2,switch,9,0,1,1,,1,2,2,0,0", "vertex 9 is made, where 2 would be next"),
        ("x,2,explored,1,0,,,,1,1,1,0,0", "time_ms is \"x\", not a number"),
        ("1,2,grown,1,0,,,,1,1,1,0,0", "\"grown\" is no event"),
        ("1,2,merged,1,0,7,0,,1,1,1,0,0", "vertex 7 has not been made"),
        ("1,2,explored,1,0,,,,-1,1,1,0,0", "hosts is \"-1\""),
    ] {
        let rows: Vec<&str> = begin.iter().copied().chain([row]).collect();
        let (html, data, complaints) = report(folder(&map(), &rows).path());
        assert_eq!(data["steps"]["event"].as_array().unwrap().len(), 2);
        assert!(
            complaints.iter().any(|complaint| complaint.contains(expected) && complaint.contains("line 4")),
            "{complaints:?}"
        );
        assert!(html.contains("the drawing ends before it"), "the summary says so");
    }
    let (_, data, _) = report(folder(&map(), &[]).path());
    assert_eq!(data, Value::Null, "nothing to draw, and the section stands all the same");
}
