//! Sweeps whose axes or values cannot stand together, and those that only look so.

use std::process::Command;

use simnet::diagnostics::Refusal;
use simnet::scenario::sweep::Sweep;
use simnet::scenario::{Files, Overrides};

const BASE: &str = "scenario.name = 'x'\nrouting.algorithm = 'updown'\ntopology.star.leaves = 3\n\
    topology.star.hosts-per-switch = 1\ntraffic.uniform = { payload = '64 B', loads = [0.1] }\n";

fn read(rest: &str) -> Result<Sweep, Box<Refusal>> {
    let text = format!("{BASE}{rest}");
    Sweep::read("s.toml", text.as_bytes(), &Overrides::default(), &Files::disk(), 1)
}

fn codes(refusal: &Refusal) -> Vec<&str> {
    refusal.files.iter().flat_map(|file| &file.faults).map(|fault| fault.code).collect()
}

/// Wrong if a key that another displaces is taken for one that varies: rows would show values that had no effect.
#[test]
fn keys_that_exclude_each_other_do_not_vary_together() {
    for axes in [
        "[[sweep.axes]]\nmeasure.messages = [100, 200]\n[[sweep.axes]]\nmeasure.duration = ['1 us', '2 us']",
        "[[sweep.axes]]\nmeasure.messages = [100, 200]\nmeasure.duration = ['1 us', '2 us']",
        "[[sweep.axes]]\ntopology.preset = ['now-c']\n[[sweep.axes]]\ntopology.ring = [{ switches = 3 }]",
    ] {
        assert_eq!(codes(&read(axes).unwrap_err()), ["conflict"], "{axes}");
    }
    let fine =
        "[[sweep.axes]]\nmeasure.messages = [100, 200]\n[[sweep.axes]]\nmeasure.warmup = ['1 us', '2 us']";
    assert_eq!(read(fine).unwrap().len(), 4);
}

/// Wrong if a point is there twice under two numbers, or a sweep is called after one of its points.
#[test]
fn values_and_columns_stand_once_and_names_do_not_vary() {
    for (rest, code) in [
        ("[[sweep.axes]]\nrouting.tree = ['bfs', 'dfs', 'bfs']", "conflict"),
        ("[[sweep.axes]]\ntraffic.uniform.loads = [0.1, 0.10]", "conflict"),
        ("[sweep]\ncolumns = ['outcome', 'route.pairs', 'outcome']", "conflict"),
        ("[sweep]\ncolumns = ['outcome', 'seed']", "conflict"),
        ("[sweep]\ncolumns = ['status']", "conflict"),
        ("[[sweep.axes]]\nscenario.name = ['a', 'b']", "unknown-key"),
    ] {
        assert_eq!(codes(&read(rest).unwrap_err()), [code], "{rest}");
    }
    let lock_step = "[[sweep.axes]]\nrouting.tree = ['bfs', 'bfs']\nrouting.select = ['random', 'balanced']";
    assert_eq!(read(lock_step).unwrap().len(), 2);
}

/// Wrong if the order of values decides whether a combination that cannot be refuses the whole sweep.
#[test]
fn a_combination_that_cannot_be_is_a_point_that_fails() {
    for (stop, go) in [("'56 B', '50 B'", "'40 B', '52 B'"), ("'50 B', '56 B'", "'52 B', '40 B'")] {
        let sweep =
            read(&format!("[[sweep.axes]]\nfabric.stop = [{stop}]\n[[sweep.axes]]\nfabric.go = [{go}]"));
        let sweep = sweep.unwrap();
        let failing = (0..sweep.len()).filter(|point| sweep.checked(*point).is_err()).count();
        assert_eq!((sweep.len(), failing), (4, 1));
    }
    let hopeless =
        read("[[sweep.axes]]\nfabric.stop = ['56 B', '30 B']\n[[sweep.axes]]\nfabric.go = ['40 B', '44 B']");
    assert!(hopeless.is_err(), "no point with STOP at 30 B can be");
}

/// Lists of unequal length on one axis, and a constraint of their keys.
const UNEVEN: &str = "[sweep]\nconstraints = ['fabric.go < fabric.stop']\n[[sweep.axes]]\n\
    fabric.stop = ['56 B', '50 B']\nfabric.go = ['40 B']\n";

/// Wrong if what was found faulty is read all the same: by a constraint, by a search for values that are there twice,
/// or by the values in between of a range whose ends can just be distinguished.
#[test]
fn what_is_faulty_is_not_read_again() {
    let short_first = UNEVEN.replace("['56 B', '50 B']", "['56 B']").replace("['40 B']", "['40 B', '20 B']");
    let no_values = UNEVEN.replace("['40 B']", "[]");
    let long = "[[sweep.axes]]\nfabric.deadlock-timeout = { from = '22345678901234567890123456 s', \
        to = '22345678901234567890123457 s', step = '122070312.5 ps' }";
    for (rest, code) in [
        (UNEVEN, "lock-step"),
        (&short_first, "lock-step"),
        (&no_values, "empty-list"),
        (long, "too-fine"),
        ("[[sweep.axes]]\nfabric = {}", "empty-list"),
    ] {
        assert_eq!(codes(&read(rest).unwrap_err()), [code], "{rest}");
    }
}

/// Wrong if lists of unequal length with a constraint end `simnet check` or `simnet sweep plan` otherwise than with
/// exit code 3 and the fault in its place.
#[test]
fn uneven_lists_with_a_constraint_are_refused_by_check_and_plan() {
    let room = tempfile::tempdir().unwrap();
    std::fs::write(room.path().join("s.toml"), format!("{BASE}{UNEVEN}")).unwrap();
    for verb in [&["check"][..], &["sweep", "plan"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
        let output = command.args(verb).arg("s.toml").current_dir(room.path()).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{verb:?}: {message}");
        assert!(message.contains("error[lock-step]") && message.contains("s.toml:10:13"), "{message}");
    }
}

/// Wrong if a key that is no key is located in another text than the one that says it, where an axis comes in part
/// from the file and in part from the command line.
#[test]
fn an_unknown_key_of_an_axis_stands_where_it_was_written() {
    let text = format!("{BASE}[[sweep.axes]]\nfabrik.stop = ['56 B']\n");
    let set = vec!["sweep.axes.0.fabrik.go=['40 B']".to_owned()];
    let overrides = Overrides { set, seed: None };
    let refusal = Sweep::read("s.toml", text.as_bytes(), &overrides, &Files::disk(), 1).unwrap_err();
    for file in &refusal.files {
        for fault in &file.faults {
            assert_eq!((fault.code, &file.text[fault.span.clone()]), ("unknown-key", "fabrik"), "{refusal}");
        }
    }
}

/// Wrong if `check` found nothing in a sweep that `run` refuses, or did not say where: two points that are one scenario
/// in other words.
#[test]
fn points_that_are_one_scenario_are_refused_alike() {
    let room = tempfile::tempdir().unwrap();
    let text = format!("{BASE}[[sweep.axes]]\nfabric.routing-latency = ['1000 ns', '1 us']\n");
    std::fs::write(room.path().join("s.toml"), text).unwrap();
    for verb in [&["check"][..], &["sweep", "plan"], &["run"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
        let output = command.args(verb).arg("s.toml").current_dir(room.path()).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{verb:?}: {message}");
        assert!(
            message.contains("error[same-point]") && message.contains("s.toml:6:1"),
            "{verb:?}: {message}"
        );
    }
}

/// Wrong if an axis and a number of the summary of the same name were two columns.
#[test]
fn no_column_stands_twice() {
    let room = tempfile::tempdir().unwrap();
    let text = "scenario.name = 'x'\ntopology.ring.switches = 4\nrings = {}\n\
        [[sweep.axes]]\nrings.algorithm = ['lr1', 'lr3']\n";
    std::fs::write(room.path().join("s.toml"), text).unwrap();
    let mut headers = Vec::new();
    let named = format!("sweep.columns = ['rings.algorithm', 'rings.machines']\n{text}");
    std::fs::write(room.path().join("named.toml"), named).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    let output =
        command.args(["run", "named.toml", "--out", "named"]).current_dir(room.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let table = std::fs::read_to_string(room.path().join("named/points.csv")).unwrap();
    assert!(table.starts_with("point,key,rings.algorithm,seed,status,error,rings.machines\n"), "{table}");
    for verb in [&["run"][..], &["sweep", "run"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
        let folder = format!("out-{}", verb.len());
        let output =
            command.args(verb).args(["s.toml", "--out", &folder]).current_dir(room.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let table = std::fs::read_to_string(room.path().join(folder).join("points.csv")).unwrap();
        headers.push(table.lines().next().unwrap().to_owned());
    }
    let mut columns: Vec<&str> = headers[0].split(',').collect();
    assert_eq!(headers[0], headers[1]);
    columns.sort_unstable();
    assert!(columns.windows(2).all(|two| two[0] != two[1]), "{}", headers[0]);
}
