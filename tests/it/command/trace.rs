//! Event logs through the command line: what a run records, what `simnet trace` makes of it, and what it says of files
//! that are none.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use serde_json::{Value, json};

mod cuts;
mod damage;
mod recorded;

/// The ring of eight worms: one deadlock, broken by forward resets.
fn scenario() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/deadlock-ring.toml")
}

fn simnet(room: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    command.args(arguments).current_dir(room).env_remove("SIMNET_LOG");
    command.output().expect("the binary was built for this test")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("simnet prints UTF-8")
}

/// Runs and asserts the exit code; gives stdout.
fn printed(room: &Path, arguments: &[&str], code: i32) -> String {
    let output = simnet(room, arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
    assert!(!message.contains("panicked"), "{arguments:?}: {message}");
    text(&output.stdout)
}

/// The message of a refusal.
fn refused(room: &Path, arguments: &[&str], code: i32) -> String {
    let output = simnet(room, arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
    assert!(!message.contains("panicked"), "{arguments:?}: {message}");
    assert!(output.stdout.is_empty(), "{arguments:?}: something on stdout");
    message
}

/// A folder with `ring.simlog`, the log of the ring: made once, and read by many.
fn room() -> &'static Path {
    static ROOM: OnceLock<tempfile::TempDir> = OnceLock::new();
    let made = || {
        let room = tempfile::tempdir().unwrap();
        let scenario = scenario();
        let arguments =
            ["run", scenario.to_str().unwrap(), "--out", "ring", "--trace", "ring.simlog", "--quiet"];
        printed(room.path(), &arguments, 0);
        room
    };
    ROOM.get_or_init(made).path()
}

/// The events of the ring that `arguments` select, as NDJSON.
fn events(arguments: &[&str]) -> Vec<Value> {
    let all = [&["trace", "ring.simlog", "--to", "ndjson"], arguments].concat();
    let lines = printed(room(), &all, 0);
    lines.lines().map(|line| serde_json::from_str(line).expect("NDJSON")).collect()
}

fn count(events: &[Value], kind: &str) -> usize {
    events.iter().filter(|event| event["event"] == kind).count()
}

/// Wrong if the overview of a log did not agree with its events and with the run's summary.
#[test]
fn an_overview_tells_what_there_is() {
    let summary: Value =
        serde_json::from_slice(&fs::read(room().join("ring/summary.json")).unwrap()).unwrap();
    let overview: Value =
        serde_json::from_str(&printed(room(), &["trace", "ring.simlog", "--format", "json"], 0)).unwrap();
    let all = events(&[]);
    assert_eq!(overview["events"], all.len());
    assert_eq!((&overview["scenario"], &overview["seed"]), (&json!("deadlock-ring"), &json!(0)));
    assert_eq!(overview["network"]["switches"], 8);
    assert_eq!(overview["damage"], Value::Null);
    let scene = &overview["scenes"][0];
    assert_eq!(
        (&scene["kind"], &scene["point"], &scene["left_out"]),
        (&json!("point"), &json!(0), &json!(0))
    );
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    all.iter().for_each(|event| *kinds.entry(event["event"].as_str().unwrap().to_owned()).or_default() += 1);
    assert_eq!(scene["kinds"], json!(kinds));
    let resets = summary["points"][0]["resets"].as_u64().unwrap();
    assert_eq!(kinds["reset"] as u64, resets);
    assert_eq!(kinds["deadlock"], summary["deadlocks"].as_array().unwrap().len());
    assert_eq!(kinds["start"], kinds["end"], "every message that starts ends");
    let delivered = all.iter().filter(|event| event["fate"] == "delivered").count();
    assert_eq!(delivered as u64, summary["points"][0]["delivered"].as_u64().unwrap());
    let people = printed(room(), &["trace", "ring.simlog"], 0);
    for part in ["deadlock-ring", "8 switches, 8 hosts, 16 cables", "1, 1 cleared", "point 0", "grant"] {
        assert!(people.contains(part), "no {part:?} in\n{people}");
    }
}

/// Wrong if a filter let something else through, or held something back.
#[test]
fn filters_select_what_fits_them_all() {
    let all = events(&[]);
    let expect = |arguments: &[&str], fits: &dyn Fn(&Value) -> bool| {
        let wanted: Vec<Value> = all.iter().filter(|event| fits(event)).cloned().collect();
        assert!(!wanted.is_empty(), "{arguments:?} selects something");
        assert_eq!(events(arguments), wanted, "{arguments:?}");
    };
    let mentions = |event: &Value, message: &str| {
        let members = event["members"].as_array();
        event["message"] == message
            || members.is_some_and(|all| all.iter().any(|one| one["message"] == message))
    };
    let ports = |event: &Value| -> Vec<String> {
        let own = ["port", "input", "output"].iter().filter_map(|key| event[*key].as_str());
        let members = event["members"].as_array().into_iter().flatten();
        let members = members.flat_map(|one| ["input", "output"].map(|key| one[key].as_str().unwrap()));
        own.chain(members).map(str::to_owned).collect()
    };
    let at = |event: &Value| event["time_ns"].as_f64().unwrap();
    let name =
        all.iter().find(|event| event["event"] == "reset").unwrap()["message"].as_str().unwrap().to_owned();
    let is = |event: &Value, kinds: &[&str]| kinds.contains(&event["event"].as_str().unwrap());
    expect(&["--only", "deadlock,clear"], &|event| is(event, &["deadlock", "clear"]));
    expect(&["--only", "stop", "--only", "go"], &|event| is(event, &["stop", "go"]));
    expect(&["--from", "1 ms"], &|event| at(event) >= 1e6);
    expect(&["--until", "0.001 ms"], &|event| at(event) < 1e3);
    expect(&["--from", "400 ns", "--until", "800 ns", "--only", "grant"], &|event| {
        (400.0..800.0).contains(&at(event)) && is(event, &["grant"])
    });
    expect(&["--message", &name], &|event| mentions(event, &name) || is(event, &["clear"]));
    expect(&["--message", &name, "--only", "grant,end"], &|event| {
        mentions(event, &name) && is(event, &["grant", "end"])
    });
    expect(&["--port", "s0:0"], &|event| ports(event).contains(&"s0:0".to_owned()));
    expect(&["--node", "s3"], &|event| ports(event).iter().any(|port| port.starts_with("s3:")));
    expect(&["--point", "0", "--scene", "0"][..2], &|_| true);
    let first = events(&["--first", "7", "--only", "grant"]);
    let grants: Vec<Value> = all.iter().filter(|event| is(event, &["grant"])).take(7).cloned().collect();
    assert_eq!(first, grants);
}

/// Wrong if a name that is nowhere were no mistake of the user's, or left a file.
#[test]
fn names_that_are_nowhere_are_refused_with_the_nearest() {
    let near = |arguments: &[&str], words: &[&str]| {
        for to in [&["--to", "csv"][..], &["--to", "ndjson"], &["--to", "log", "--out", "none.simlog"], &[]] {
            let message = refused(room(), &[&["trace", "ring.simlog"], arguments, to].concat(), 2);
            words.iter().for_each(|word| assert!(message.contains(word), "{arguments:?}: {message}"));
        }
        assert!(!room().join("none.simlog").exists());
    };
    near(&["--only", "grnat"], &["`grnat`", "did you mean `grant`?"]);
    near(&["--scene", "3"], &["no scene 3"]);
    near(&["--point", "1"], &["no load point 1"]);
    near(&["--node", "ss0"], &["no node `ss0`", "did you mean `s0`?"]);
    near(&["--port", "s0:9"], &["has ports 0 to", "not 9"]);
    near(&["--port", "s0"], &["NODE:PORT"]);
    near(&["--from", "7"], &["needs a unit"]);
    near(&["--from", "2 ms", "--until", "1 ms"], &["--until must be later"]);
    near(&["--message", "nobody"], &["no message `nobody`"]);
    let message = refused(room(), &["trace", "ring.simlog", "--to", "perfeto"], 2);
    assert!(message.contains("did you mean `perfetto`?"), "{message}");
}

/// Wrong if the CSV were no table, or had other values than the NDJSON.
#[test]
fn the_table_says_what_the_lines_say() {
    let table = printed(room(), &["trace", "ring.simlog", "--to", "csv"], 0);
    let mut rows = csv::Reader::from_reader(table.as_bytes());
    let columns: Vec<String> = rows.headers().unwrap().iter().map(str::to_owned).collect();
    let mut seen = BTreeMap::new();
    let all = events(&[]);
    let mut counted = 0;
    for (row, event) in rows.records().map(Result::unwrap).zip(&all) {
        counted += 1;
        for (column, cell) in columns.iter().zip(&row) {
            let plain = match &event[column] {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            assert_eq!(cell, plain, "{column} of {event}");
            *seen.entry(column.clone()).or_insert(0) += usize::from(!cell.is_empty());
        }
        let keys = event.as_object().unwrap().keys();
        keys.for_each(|key| assert!(columns.contains(key), "no column {key}"));
    }
    assert_eq!(counted, all.len());
    assert!(seen["members"] == 1 && seen["message"] > 0 && seen["occupancy_flits"] > 0, "{seen:?}");
}

/// Wrong if a log that was cut out of another could not be read, or began in another state.
#[test]
fn a_part_of_a_log_is_a_log() {
    let part = ["trace", "ring.simlog", "--from", "2 us", "--until", "60 ms", "--out", "part.simlog"];
    assert_eq!(printed(room(), &part, 0), "");
    let lines = printed(room(), &["trace", "part.simlog", "--to", "ndjson"], 0);
    let part: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let all = events(&[]);
    let at = |event: &Value| event["time_ns"].as_f64().unwrap();
    let inside = |event: &&Value| (2e3..60e6).contains(&at(event));
    let before = part.iter().take_while(|event| at(event) < 2e3).count();
    let kept: Vec<&Value> = part.iter().filter(inside).collect();
    assert_eq!(kept, all.iter().filter(inside).collect::<Vec<_>>());
    assert_eq!(part.len(), before + kept.len(), "sorted by time");
    // All eight are under way at 2 us, and what they did is there.
    let over = all.iter().filter(|event| event["event"] == "end" && at(event) < 2e3).count();
    assert_eq!(
        count(&part[..before], "start"),
        count(&all, "start") - over - {
            all.iter().filter(|event| event["event"] == "start" && at(event) >= 2e3).count()
        }
    );
    let scenes: Value =
        serde_json::from_str(&printed(room(), &["trace", "part.simlog", "--format", "json"], 0)).unwrap();
    let scene = &scenes["scenes"][0];
    assert_eq!((&scene["from_ns"], &scene["until_ns"]), (&json!(2e3), &json!(60e6)));
    assert_eq!(scene["events"].as_u64().unwrap() + scene["left_out"].as_u64().unwrap(), all.len() as u64);
    // Cut by time and by kind it still names messages.
    let only = ["trace", "ring.simlog", "--only", "reset", "--out", "resets.simlog"];
    printed(room(), &only, 0);
    let resets = printed(room(), &["trace", "resets.simlog", "--to", "ndjson", "--only", "reset"], 0);
    let wanted: Vec<Value> = events(&["--only", "reset"]);
    let resets: Vec<Value> = resets.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(resets, wanted);
}

/// Wrong if `--out` did not go by its name, or two ways to a form differed.
#[test]
fn forms_go_by_name() {
    let named = [("t.ndjson", "ndjson"), ("t.jsonl", "ndjson"), ("t.csv", "csv"), ("t.pftrace", "perfetto")];
    for (file, form) in
        [&named[..], &[("t.perfetto-trace", "perfetto"), ("t.pcapng", "pcapng"), ("t.x", "log")]].concat()
    {
        printed(room(), &["trace", "ring.simlog", "--out", file], 0);
        let piped = simnet(room(), &["trace", "ring.simlog", "--to", form]);
        assert_eq!(piped.status.code(), Some(0), "{form}");
        assert!(fs::read(room().join(file)).unwrap() == piped.stdout, "{file} and --to {form}");
        assert!(!piped.stdout.is_empty(), "{form}");
    }
    // A log of a log is the log.
    assert!(fs::read(room().join("t.x")).unwrap() == fs::read(room().join("ring.simlog")).unwrap());
}
