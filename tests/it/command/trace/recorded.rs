//! What `[output.events]` and `run --trace` leave.

use super::*;

/// A scenario in which nothing is sent, in seven lines.
const QUIET: &str = "[scenario]\nname = \"x\"\n[topology.ring]\nswitches = 4\nhosts-per-switch = 1\n[routing]\n\
                     algorithm = \"updown\"\n";

/// Runs the ring with these assignments; gives what it printed and its folder's files.
fn run(room: &Path, set: &[&str], more: &[&str]) -> (Output, BTreeMap<String, Vec<u8>>) {
    let scenario = scenario();
    let mut arguments = vec!["run", scenario.to_str().unwrap(), "--out", "results"];
    set.iter().for_each(|assignment| arguments.extend(["--set", *assignment]));
    arguments.extend(more);
    let output = simnet(room, &arguments);
    let files = fs::read_dir(room.join("results")).map_or_else(
        |_| BTreeMap::new(),
        |entries| {
            let entries = entries.map(|entry| entry.unwrap().path());
            entries
                .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap()))
                .collect()
        },
    );
    (output, files)
}

fn overview(room: &Path, log: &str) -> Value {
    serde_json::from_str(&printed(room, &["trace", log, "--format", "json"], 0)).unwrap()
}

/// Wrong if recording changed another byte of the results, or `--trace` held something else than the results do.
#[test]
fn a_log_is_among_the_results_and_changes_none() {
    let home = tempfile::tempdir().unwrap();
    let (output, mut plain) = run(home.path(), &[], &[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    plain.remove("manifest.json");
    let bounds = ["output.events.most=5000"];
    let (output, recorded) = run(home.path(), &bounds, &["--trace", "same.simlog"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let log = recorded["events.simlog"].clone();
    assert!(log == fs::read(home.path().join("same.simlog")).unwrap());
    for (name, bytes) in &plain {
        assert!(*bytes == recorded[name], "{name} differs");
    }
    assert_eq!(recorded.len(), plain.len() + 2, "the log and the manifest");
    let again = run(home.path(), &bounds, &[]).1;
    assert!(again["events.simlog"] == log, "the log is a function of scenario and seed");
}

/// Wrong if bounds kept something else of a real run than they say.
#[test]
fn bounds_keep_their_part_of_a_run() {
    let all = events(&[]);
    let at = |event: &Value| event["time_ns"].as_f64().unwrap();
    let home = tempfile::tempdir().unwrap();
    let kept = |set: &[&str]| -> (Vec<Value>, Value, String) {
        let (output, _) = run(home.path(), set, &[]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{set:?}: {message}");
        let lines = printed(home.path(), &["trace", "results/events.simlog", "--to", "ndjson"], 0);
        let events = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        (events, overview(home.path(), "results/events.simlog")["scenes"][0].clone(), message)
    };
    let (first, scene, message) = kept(&["output.events.most=100"]);
    assert_eq!(first, all[..100]);
    assert_eq!(scene["left_out"], all.len() - 100);
    assert_eq!(scene["until_ns"], all[100]["time_ns"]);
    assert!(message.contains("events.simlog holds the first 100 events of point 0 only"), "{message}");

    let (window, scene, message) = kept(&["output.events.from='1 us'", "output.events.until='3 us'"]);
    assert_eq!(message, "", "what was asked for needs no warning");
    let inside: Vec<Value> = all.iter().filter(|event| (1e3..3e3).contains(&at(event))).cloned().collect();
    assert!(window.ends_with(&inside), "the window is there");
    assert!(window[..window.len() - inside.len()].iter().all(|event| at(event) < 1e3));
    assert_eq!((&scene["from_ns"], scene["until_ns"].as_f64() >= Some(3e3)), (&json!(1e3), true));

    let (ring, _, _) = kept(&["output.events.most=60", "output.events.around='deadlock'"]);
    let middle = all.iter().position(|event| event["event"] == "deadlock").unwrap();
    let part = &all[middle - 30..all.len().min(middle + 30)];
    assert!(ring.ends_with(part), "thirty before the deadlock, and thirty from it on");
    // What the eight worms did before is there as well: all of them are part of it.
    let names = |events: &[Value]| count(events, "start");
    assert_eq!(names(&ring), names(&all[..middle + 30]));
}

/// Wrong if faulty bounds were taken, or their fault had no place.
#[test]
fn faulty_bounds_are_refused_at_their_place() {
    let home = tempfile::tempdir().unwrap();
    let faults = |table: &str| -> String {
        let text = format!(
            "{QUIET}[traffic.uniform]\npayload = \"32 B\"\nloads = [0.01]\n[output.events]\n{table}\n"
        );
        fs::write(home.path().join("s.toml"), text).unwrap();
        refused(home.path(), &["check", "s.toml"], 3)
    };
    let expect = |table: &str, words: &[&str]| {
        let message = faults(table);
        words.iter().for_each(|word| assert!(message.contains(word), "{table}: no {word:?} in\n{message}"));
    };
    expect("most = 0", &["s.toml:12:8", "0 is out of range", "1 to 20000000"]);
    expect("most = 20_000_001", &["s.toml:12:8", "1 to 20000000"]);
    expect(
        "from = \"2 ms\"\nuntil = \"2 ms\"",
        &["s.toml:13:9", "nothing happens between `from` and `until`"],
    );
    expect("until = \"0 ns\"", &["s.toml:12:9"]);
    expect("from = 7", &["s.toml:12:8", "a bare number where a time is needed"]);
    expect("around = \"deadlok\"", &["s.toml:12:10", "did you mean `deadlock`?"]);
    expect("mots = 5", &["s.toml:12:1", "unknown key `mots`", "did you mean `most`?"]);
}

/// Wrong if bounds of what is never recorded went without a word, or --trace recorded nothing in silence.
#[test]
fn where_nothing_is_recorded_that_is_said() {
    let home = tempfile::tempdir().unwrap();
    let text = format!("{QUIET}[output.events]\nmost = 5\n");
    fs::write(home.path().join("s.toml"), text).unwrap();
    let output = simnet(home.path(), &["check", "s.toml"]);
    assert_eq!(output.status.code(), Some(0));
    let message = super::text(&output.stderr);
    assert!(message.contains("has no effect here") && message.contains("s.toml:8:1"), "{message}");
    let message = refused(home.path(), &["run", "s.toml", "--trace", "t.ndjson"], 2);
    assert!(message.contains("--trace"), "{message}");
    assert!(!home.path().join("results").exists() && !home.path().join("t.ndjson").exists());
}

/// Wrong if the trace went by anything but its name, or a pipe were replaced by a file.
#[test]
fn a_trace_is_written_as_its_name_says() {
    let home = tempfile::tempdir().unwrap();
    for (file, form) in
        [("t.ndjson", "ndjson"), ("t.csv", "csv"), ("t.pftrace", "perfetto"), ("t.pcapng", "pcapng")]
    {
        let (output, _) = run(home.path(), &[], &["--trace", file]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let piped = simnet(room(), &["trace", "ring.simlog", "--to", form]);
        assert!(fs::read(home.path().join(file)).unwrap() == piped.stdout, "{file}");
    }
    let scenario = scenario();
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    command.args(["run", scenario.to_str().unwrap(), "--out", "piped", "--quiet", "--format", "json"]);
    command.args(["--trace", "/dev/stderr"]).current_dir(home.path()).stderr(Stdio::piped());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr == fs::read(room().join("ring.simlog")).unwrap(), "the log itself, through a pipe");
}
