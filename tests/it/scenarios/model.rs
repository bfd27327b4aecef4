//! What the model's version stands for: results, pinned.

use simnet::scenario::{self, Overrides};
use simnet::simulation::{self, MODEL};

/// One small scenario of every kind of run.
const SCENARIOS: [(&str, &str); 8] = [
    (
        "load points",
        "topology.random-regular = { switches = 8, degree = 3, hosts-per-switch = 2, seed = 1 }
         routing = { algorithm = 'updown', select = 'random' }
         traffic.uniform = { payload = '32 B', loads = [0.01, 0.05, 0.4] }
         measure.messages = 2000",
    ),
    (
        "deadlocks",
        "topology.ring = { switches = 4, hosts-per-switch = 2 }
         routing.algorithm = 'minimal'
         fabric.deadlock-timeout = '100 us'
         traffic.uniform = { payload = '512 B', loads = [0.5] }
         measure = { warmup = '0 ns', messages = 500 }",
    ),
    ("a map", "topology.preset = 'now-c'\nmapping = { mapper = 'c-util', jitter = '5 %' }"),
    ("Myricom's map", "topology.preset = 'now-c'\nmapping = { mapper = 'c-util', algorithm = 'myricom' }"),
    (
        "an all-gather",
        "topology.preset = 'faraj-c'
         ethernet = { rate = '100 Mb/s', transport = 'tcp' }
         allgather = { algorithm = 'lr1', size = '8 KiB' }",
    ),
    (
        "an all-gather over worms",
        "topology.preset = 'faraj-c'\nallgather = { algorithm = 'mpich', size = '8 KiB' }",
    ),
    (
        "a ring",
        "topology.preset = 'lawrence-3'\nrings = { algorithm = 'lr3', tree = 'random', root = 'random' }",
    ),
    (
        "a discovery",
        "topology.preset = 'lawrence-fig1'\nethernet.rate = '1 Gb/s'\ndiscovery.methods = ['paper', 'k-means']",
    ),
];

/// The hash of what they come to, with the model's version.
const PINNED: (u32, &str) = (9, "b3ad4e7d5e4acf96");

/// What runs got later, files and columns of files: it shows more of the same results.
const LATER: [(&str, &str); 3] = [("arbiters.csv", ""), ("growth-steps.csv", ""), ("hosts.csv", "")];

/// A file as it is pinned: without columns that it got later; none that came whole later.
fn pinned(file: &str, contents: &str) -> Option<String> {
    let later: Vec<&str> = LATER.iter().filter(|(of, _)| *of == file).map(|(_, column)| *column).collect();
    if !file.ends_with(".csv") || later.contains(&"") {
        return None;
    }
    if later.is_empty() {
        return Some(contents.to_owned());
    }
    let mut rows = csv::ReaderBuilder::new().has_headers(false).from_reader(contents.as_bytes());
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    let mut kept = csv::Writer::from_writer(Vec::new());
    for row in &rows {
        let cells = row.iter().zip(&rows[0]).filter(|(_, column)| !later.contains(column));
        kept.write_record(cells.map(|(cell, _)| cell)).unwrap();
    }
    Some(String::from_utf8(kept.into_inner().unwrap()).unwrap())
}

/// Wrong if results change and the model's version stays: a sweep that is resumed would mix both. Whoever changes
/// results on purpose raises `simulation::MODEL` and pins what comes out here.
#[test]
fn results_change_only_with_the_model_s_version() {
    let mut hasher = blake3::Hasher::new();
    for (name, text) in SCENARIOS {
        let text = format!("scenario = {{ name = 'pinned', seed = 7 }}\n{text}");
        let checked = scenario::read(name, text.as_bytes(), &Overrides::default());
        let checked = checked.unwrap_or_else(|refusal| panic!("{refusal}"));
        let run = simulation::run(&checked, &(), None).unwrap();
        let summary = serde_json::to_string(&run.summary).unwrap();
        let route = &serde_json::from_str::<serde_json::Value>(&summary).unwrap()["route"];
        // What the summary's routes got later.
        let later = format!(",\"lanes\":{},\"verdict\":{}", route["lanes"], route["verdict"]);
        hasher.update(summary.replace(&later, "").as_bytes());
        for (file, contents) in &run.files {
            if let Some(contents) = pinned(file, contents) {
                hasher.update(file.as_bytes()).update(contents.as_bytes());
            }
        }
    }
    let found = hasher.finalize().to_hex();
    assert_eq!(
        (MODEL, &found[..16]),
        PINNED,
        "raise simulation::MODEL if results are meant to change; name in LATER what only tells more of them"
    );
}
