//! What a run leaves behind: which files, with which keys; whole, or not at all.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const RING: &str = "[scenario]\nname = \"small\"\nseed = 3\n[topology.ring]\nswitches = 4\n\
                    hosts-per-switch = 2\n[routing]\nalgorithm = \"updown\"\n[traffic.uniform]\n\
                    payload = \"32 B\"\nloads = [0.01, 0.02]\n[measure]\nwarmup = \"10 us\"\nmessages = 500\n";

/// A folder with a scenario in it.
struct Room(tempfile::TempDir);

impl Room {
    fn new(scenario: &str) -> Room {
        let room = Room(tempfile::tempdir().unwrap());
        fs::write(room.path().join("s.toml"), scenario).unwrap();
        room
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
        command.args(["run", "s.toml"]).args(arguments).current_dir(self.path()).env_remove("SIMNET_LOG");
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Everything in the folder, by path from it.
    fn entries(&self) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::new();
        let mut open = vec![self.path().to_owned()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
                found.insert(entry.strip_prefix(self.path()).unwrap().to_owned());
                if entry.is_dir() {
                    open.push(entry);
                }
            }
        }
        found
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&fs::read(self.path().join(name)).unwrap()).unwrap()
    }
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

fn has_keys(value: &Value, keys: &str) {
    for key in keys.split_whitespace() {
        assert!(value.get(key).is_some(), "no `{key}` in {value}");
    }
}

/// Wrong if a key that people script against were missing, or stdout held something else than the data.
#[test]
fn summary_and_manifest_have_their_keys() {
    let room = Room::new(RING);
    let output = room.run(&["--format", "json", "--out", "out"]);
    assert_eq!(code(&output), Some(0));
    assert_eq!(output.stdout, fs::read(room.path().join("out/summary.json")).unwrap());
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let summary = room.json("out/summary.json");
    has_keys(&summary, "scenario seed outcome map route deadlocks points");
    has_keys(
        &summary["route"],
        "algorithm root pairs unreachable_pairs mean_distance non_minimal_pairs switch_mean_distance \
         crossing_paths restrictions_per_switch max_channel_load dependency_cycle",
    );
    for point in summary["points"].as_array().unwrap() {
        has_keys(
            point,
            "load offered_flits_per_cycle_per_host accepted_flits_per_cycle_per_host accepted_bits_per_s \
             latency_mean_ns latency_p50_ns latency_p99_ns network_latency_mean_ns messages saturated converged \
             queueing_mean_ns blocked_mean_ns moving_mean_ns",
        );
    }
    let manifest = room.json("out/manifest.json");
    has_keys(
        &manifest,
        "version commit scenario_hash seed argv host wall_s cpu_s max_rss_bytes events messages_delivered",
    );
    let points = summary["points"].as_array().unwrap().iter();
    let delivered: u64 = points.map(|point| point["delivered"].as_u64().unwrap()).sum();
    assert_eq!(manifest["messages_delivered"], delivered);
    assert!(manifest["events"].as_u64() > Some(delivered));
}

/// Wrong if a table had no header, a ragged row, or a column of a physical quantity without its unit at the end.
#[test]
fn tables_have_units_last() {
    let room = Room::new(RING);
    assert_eq!(code(&room.run(&["--out", "out"])), Some(0));
    let tables: Vec<PathBuf> =
        room.entries().into_iter().filter(|path| path.extension().is_some_and(|e| e == "csv")).collect();
    assert!(tables.len() >= 4, "{tables:?}");
    for table in tables {
        let text = fs::read_to_string(room.path().join(&table)).unwrap();
        let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
        assert!(text.lines().all(|line| line.split(',').count() == header.len()), "{}", table.display());
        for column in
            header.iter().filter(|column| ["time", "latency", "width"].iter().any(|q| column.contains(q)))
        {
            assert!(column.ends_with("_ns"), "{}: {column}", table.display());
        }
    }
}

/// Wrong if a run could not replace an earlier one's results, or left anything else in their folder.
#[test]
fn results_go_into_new_empty_and_earlier_folders() {
    let room = Room::new(RING);
    assert_eq!(code(&room.run(&[])), Some(0));
    assert!(room.entries().contains(Path::new("results/small/summary.json")));
    fs::create_dir(room.path().join("empty")).unwrap();
    for out in ["empty", "deep/er", "results/small"] {
        let output = room.run(&["--out", out, "--quiet"]);
        assert_eq!(code(&output), Some(0), "{out}");
        assert!(output.stderr.is_empty());
    }
    // The present folder, when it is an earlier run's.
    let scenario = room.path().join("s.toml");
    let mut here = Command::new(env!("CARGO_BIN_EXE_simnet"));
    here.arg("run").arg(scenario).args(["--out", ".", "--set", "traffic.uniform.loads=[0.01]"]);
    assert_eq!(code(&here.current_dir(room.path().join("empty")).output().unwrap()), Some(0));
    let hidden = |path: &PathBuf| path.to_string_lossy().contains(".simnet-");
    assert!(!room.entries().iter().any(hidden), "{:?}", room.entries());
    assert_eq!(room.json("empty/summary.json")["points"].as_array().unwrap().len(), 1);
    let files = |folder: &str| fs::read_dir(room.path().join(folder)).unwrap().count();
    assert_eq!(files("deep/er"), files("results/small"));
}

/// Wrong if a place that cannot take results were found out only after the run, or something stayed behind.
#[test]
fn refused_places_are_left_as_they_are() {
    let room = Room::new(RING);
    fs::create_dir(room.path().join("foreign")).unwrap();
    fs::write(room.path().join("foreign/thesis.txt"), "years of work").unwrap();
    let before = room.entries();
    let trace_here = ["--trace", "foreign"];
    let trace_nowhere = ["--trace", "nowhere/t.ndjson"];
    let rows: [&[&str]; 6] = [
        &["--out", "foreign"],
        &["--out", "foreign/thesis.txt"],
        &["--out", "foreign/thesis.txt/under"],
        &["--out", "/proc/simnet-results"],
        &trace_here,
        &trace_nowhere,
    ];
    for arguments in rows {
        let output = room.run(arguments);
        assert_eq!(code(&output), Some(7), "{arguments:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments:?}");
        assert_eq!(room.entries(), before, "{arguments:?}");
    }
    assert_eq!(code(&room.run(&["--set", "fabric.rate=7"])), Some(3));
    assert_eq!(room.entries(), before);
}

/// Wrong if an interrupted run left half a result, or ended with another code than 130.
#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_nothing() {
    let room = Room::new(RING);
    let before = room.entries();
    let mut command = room.command(&["--set", "measure.messages=900000000", "--trace", "t.ndjson"]);
    command.env("SIMNET_LOG", "simnet=debug");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The log shows when the run is under way.
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("a point begins") {
        line.clear();
        assert!(log.read_line(&mut line).unwrap() > 0, "it ended before it was interrupted");
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(room.entries(), before);
}

/// Wrong if the log went to stdout, changed a result, or a filter that says nothing were taken.
#[test]
fn the_log_goes_to_stderr() {
    let room = Room::new(RING);
    let plain = room.run(&["--format", "json"]);
    let logged = room.command(&["--format", "json"]).env("SIMNET_LOG", "debug").output().unwrap();
    assert_eq!((code(&logged), &logged.stdout), (Some(0), &plain.stdout));
    let log = String::from_utf8(logged.stderr).unwrap();
    assert!(log.contains("a point begins") && !log.contains('\u{1b}'), "{log}");
    for bad in ["simnet=loud", "["] {
        let output = room.command(&[]).env("SIMNET_LOG", bad).output().unwrap();
        assert_eq!((code(&output), output.stdout.len()), (Some(2), 0), "{bad}");
    }
}

/// Wrong if an event had no time, no name or no place, or came before an earlier one of its point.
#[test]
fn a_trace_tells_events_in_order() {
    let room = Room::new(RING);
    assert_eq!(code(&room.run(&["--trace", "t.ndjson"])), Some(0));
    let text = fs::read_to_string(room.path().join("t.ndjson")).unwrap();
    let (mut last, mut grants) = ((0, 0.0), 0);
    for line in text.lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        let at = (event["point"].as_u64().unwrap(), event["time_ns"].as_f64().unwrap());
        assert!(last <= at, "{line}");
        last = at;
        match event["event"].as_str().unwrap() {
            "grant" => {
                has_keys(&event, "input output message");
                assert!(event["message"].as_str().unwrap().starts_with('h'), "{line}");
                grants += 1;
            }
            "reset" => has_keys(&event, "output message"),
            "stop" | "go" => has_keys(&event, "port"),
            "start" => has_keys(&event, "port message route_flits payload_flits"),
            "arrive" => has_keys(&event, "port message"),
            "wait" | "release" => has_keys(&event, "input output message"),
            "flow" => has_keys(&event, "port occupancy_flits inflow_cycles outflow_cycles"),
            "end" => has_keys(&event, "message fate host"),
            other => panic!("{other}"),
        }
    }
    let points = room.json("results/small/summary.json")["points"].clone();
    let delivered: u64 = points.as_array().unwrap().iter().map(|p| p["delivered"].as_u64().unwrap()).sum();
    assert!(last.0 == 1 && grants >= delivered, "one grant a switch: {grants} for {delivered} messages");
}
