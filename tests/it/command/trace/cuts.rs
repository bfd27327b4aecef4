//! Logs that are cut out of logs, and where what is written goes.

use std::collections::BTreeSet;
use std::process::Stdio;

use super::*;

fn at(event: &Value) -> f64 {
    event["time_ns"].as_f64().unwrap()
}

/// The events of a log, as NDJSON has them.
fn of_log(room: &Path, log: &str) -> Vec<Value> {
    let lines = printed(room, &["trace", log, "--to", "ndjson"], 0);
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Wrong if a log that is cut out of another began with what is over, whatever else it was filtered by, or lacked what
/// was requested.
#[test]
fn a_cut_log_begins_with_nothing_that_is_over() {
    let home = tempfile::tempdir().unwrap();
    let all = events(&[]);
    let from = 60.5005e6;
    let mut alive = BTreeSet::new();
    for event in all.iter().filter(|event| at(event) < from) {
        match event["event"].as_str().unwrap() {
            "start" => drop(alive.insert(event["message"].as_str().unwrap())),
            "end" => drop(alive.remove(event["message"].as_str().unwrap())),
            _ => {}
        }
    }
    let log = room().join("ring.simlog");
    for filter in
        [&[][..], &["--only", "grant"], &["--only", "grant,release"], &["--node", "s0"], &["--port", "s1:2"]]
    {
        let cut = ["trace", log.to_str().unwrap(), "--from", "60500500 ns", "--out", "cut.simlog"];
        printed(home.path(), &[&cut, filter].concat(), 0);
        let cut = of_log(home.path(), "cut.simlog");
        for event in cut.iter().filter(|event| at(event) < from) {
            let message = event["message"].as_str();
            assert!(message.is_none_or(|message| alive.contains(message)), "{filter:?}: {event}");
            assert_ne!(event["event"], "deadlock", "it was broken");
        }
        let wanted = events(&[&["--from", "60500500 ns"], filter].concat());
        let is_wanted =
            |event: &&Value| at(event) >= from && (event["event"] != "start" || wanted.contains(event));
        assert!(cut.iter().filter(is_wanted).eq(wanted.iter()), "{filter:?}");
        assert!(!wanted.is_empty(), "{filter:?}");
    }
}

/// Wrong if a log that ends early claimed that nothing is missing at its end, or a whole one that something is.
#[test]
fn a_log_says_where_it_ends() {
    let home = tempfile::tempdir().unwrap();
    let log = room().join("ring.simlog");
    let scene = |log: &str| -> Value {
        let overview = printed(home.path(), &["trace", log, "--format", "json"], 0);
        serde_json::from_str::<Value>(&overview).unwrap()["scenes"][0].clone()
    };
    let count = events(&[]).len();
    for (first, is_whole) in [(1, false), (100, false), (count - 1, false), (count, true), (count + 1, true)]
    {
        let (file, first) = (log.to_str().unwrap(), first.to_string());
        printed(home.path(), &["trace", file, "--first", &first, "--out", "first.simlog"], 0);
        let cut = scene("first.simlog");
        let until = if is_whole { &Value::Null } else { &cut["last_ns"] };
        assert_eq!(&cut["until_ns"], until, "--first {first}");
        assert_eq!(cut["left_out"] == 0, is_whole, "--first {first}");
    }
    let bytes = fs::read(&log).unwrap();
    fs::write(home.path().join("damaged.simlog"), &bytes[..bytes.len() / 2]).unwrap();
    printed(home.path(), &["trace", "damaged.simlog", "--out", "rest.simlog"], 3);
    let rest = scene("rest.simlog");
    assert_eq!(rest["until_ns"], rest["last_ns"]);
    assert!(rest["left_out"].as_u64().unwrap() > 0);
}

/// Wrong if `-` became a file, or what goes to stdout by that name differed from what goes there without one.
#[test]
fn a_dash_is_stdin_or_stdout() {
    let home = tempfile::tempdir().unwrap();
    let log = room().join("ring.simlog");
    let file = log.to_str().unwrap();
    for form in ["ndjson", "csv", "perfetto", "log"] {
        let named = simnet(home.path(), &["trace", file, "--to", form, "--out", "-"]);
        let unnamed = simnet(home.path(), &["trace", file, "--to", form]);
        assert_eq!(named.status.code(), Some(0));
        assert!(named.stdout == unnamed.stdout && !named.stdout.is_empty(), "{form}");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    command.args(["trace", "-", "--to", "csv"]).current_dir(home.path());
    let piped = command.stdin(Stdio::from(fs::File::open(&log).unwrap())).output().unwrap();
    assert_eq!(piped.status.code(), Some(0), "{}", text(&piped.stderr));
    assert!(piped.stdout == simnet(home.path(), &["trace", file, "--to", "csv"]).stdout);
    let results = room().join("ring");
    let page = printed(home.path(), &["report", results.to_str().unwrap(), "--out", "-"], 0);
    assert!(
        page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"),
        "nothing but the page"
    );
    let message =
        refused(home.path(), &["report", results.to_str().unwrap(), "--out", "-", "--format", "json"], 2);
    assert!(message.contains("--out -"), "{message}");
    let network = printed(home.path(), &["topo", "convert", "now-c", "--to", "json", "--out", "-"], 0);
    assert!(network == printed(home.path(), &["topo", "convert", "now-c", "--to", "json"], 0));
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0, "no file is called -");
}

/// Wrong if a log, a scenario or results were overwritten by what is made of them, or if that were reported afterwards.
#[test]
fn what_is_read_or_would_be_lost_is_spared() {
    let home = tempfile::tempdir().unwrap();
    let scenario = home.path().join("s.toml");
    let ring = fs::read_to_string(super::scenario()).unwrap();
    fs::copy(super::scenario().with_file_name("deadlock-ring.csv"), home.path().join("deadlock-ring.csv"))
        .unwrap();
    fs::write(&scenario, &ring).unwrap();
    fs::copy(room().join("ring.simlog"), home.path().join("a.simlog")).unwrap();
    let log = fs::read(home.path().join("a.simlog")).unwrap();
    for out in ["a.simlog", "./a.simlog", "missing/../a.simlog"] {
        let code = if out.starts_with("missing") { 7 } else { 2 };
        refused(home.path(), &["trace", "a.simlog", "--first", "5", "--out", out], code);
        assert!(fs::read(home.path().join("a.simlog")).unwrap() == log);
    }
    let run = ["run", "s.toml", "--quiet", "--out", "r"];
    for (more, needle) in [
        (["--trace", "r/t.simlog"], "among the results"),
        (["--trace", "./r/deep/t.simlog"], "among the results"),
        (["--trace", "s.toml"], "is the scenario"),
    ] {
        let message = refused(home.path(), &[&run[..], &more].concat(), 2);
        assert!(message.contains(needle), "{message}");
        assert!(!home.path().join("r").exists(), "nothing was run");
    }
    assert_eq!(fs::read_to_string(&scenario).unwrap(), ring);
    // Results that stand there already are refused as places just the same.
    printed(home.path(), &run, 0);
    refused(home.path(), &[&run[..], &["--trace", "r/t.pftrace"]].concat(), 2);
    printed(home.path(), &[&run[..], &["--trace", "r.simlog"]].concat(), 0);
    let gather = "scenario = { name = 'g' }\ntopology.preset = 'faraj-a'\nethernet = {}\n\
                  allgather = { algorithm = 'lr1', size = '1 KiB' }\n";
    fs::write(home.path().join("g.toml"), gather).unwrap();
    let run = ["run", "g.toml", "--quiet", "--out", "g"];
    refused(home.path(), &[&run[..], &["--pcap", "g/x.pcapng"]].concat(), 2);
    let message = refused(home.path(), &[&run[..], &["--pcap", "x", "--trace", "x"]].concat(), 2);
    assert!(message.contains("same file"), "{message}");
}

/// Wrong if a refusal named a temporary file that the user never heard of.
#[test]
#[cfg(target_os = "linux")]
fn temporary_files_have_no_name() {
    let home = tempfile::tempdir().unwrap();
    let log = room().join("ring.simlog");
    let message = refused(home.path(), &["trace", log.to_str().unwrap(), "--out", "/proc/x.csv"], 7);
    assert!(message.starts_with("/proc/x.csv: ") && !message.contains("tmp"), "{message}");
    let scenario = scenario();
    for more in [["--out", "/proc/x/y"], ["--trace", "/proc/x.csv"]] {
        let message = refused(home.path(), &[&["run", scenario.to_str().unwrap()][..], &more].concat(), 7);
        assert!(message.starts_with("/proc") && !message.contains(".simnet-"), "{message}");
    }
}
