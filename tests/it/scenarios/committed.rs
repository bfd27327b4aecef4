//! The scenarios of the project: each runs in its quick form and meets what it expects; and running is a function.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use simnet::figures;

use support_network::cases;

fn simnet(arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    command.args(arguments).envs(environment.iter().copied()).current_dir(env!("CARGO_MANIFEST_DIR"));
    command.output().unwrap()
}

/// Every scenario that we ship, those in the folders of papers among them.
fn scenarios() -> Vec<PathBuf> {
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios")];
    let mut found: Vec<PathBuf> = Vec::new();
    while let Some(folder) = open.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            match path.extension() {
                _ if path.is_dir() => open.push(path),
                Some(extension) if extension == "toml" => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// Whether a file describes a sweep.
fn is_sweep(path: &Path) -> bool {
    fs::read_to_string(path).unwrap().lines().any(|line| line.trim_end() == "[sweep]")
}

/// Whether a run ended as its scenario wants it, with nothing of what it expects missed.
fn ended_well(scenario: &str, output: &Output) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    // A run that ends in a deadlock has exit code 4 even where that is what the scenario wants.
    let ends_stuck = fs::read_to_string(scenario).unwrap().contains("outcome = \"deadlocked\"");
    let code = if ends_stuck { 4 } else { 0 };
    assert_eq!(output.status.code(), Some(code), "{scenario}: {stderr}");
    assert!(!stderr.contains("error[expectation]"), "{scenario}: {stderr}");
}

/// Runs a scenario and gives the bytes of every result file but the manifest.
fn results(scenario: &str, more: &[&str], environment: &[(&str, &str)]) -> BTreeMap<String, Vec<u8>> {
    let room = tempfile::tempdir().unwrap();
    let out = room.path().join("out");
    let mut arguments = vec!["run", scenario, "--quick", "--out", out.to_str().unwrap()];
    arguments.extend(more);
    ended_well(scenario, &simnet(&arguments, environment));
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(&out).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name != "manifest.json" {
            files.insert(name, fs::read(&path).unwrap());
        }
    }
    files
}

/// Runs a sweep point by point, of its repetitions only the first for the least cases; gives how many points it has.
fn points(sweep: &str) -> usize {
    let room = tempfile::tempdir().unwrap();
    let out = room.path().join("out");
    let once: &[&str] = if cases(20) > 1 { &[] } else { &["--set", "sweep.repetitions=1"] };
    let line = [&["sweep", "run", sweep, "--quick", "--out", out.to_str().unwrap()], once].concat();
    let output = simnet(&line, &[]);
    ended_well(sweep, &output);
    fs::read_to_string(out.join("points.csv")).unwrap().lines().count() - 1
}

/// Every scenario is run once: those that figures of papers are made of by `figures`, the others here. Wrong if
/// one did not load, did not run, did not find what it says it finds, or if a sweep lost a point or had one fail.
#[test]
fn every_scenario_meets_what_it_expects() {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let of_figures: BTreeSet<PathBuf> =
        figures::all().flat_map(|figure| figure.scenarios).map(|file| all.join(file)).collect();
    let others: Vec<PathBuf> = scenarios().into_iter().filter(|path| !of_figures.contains(path)).collect();
    assert!(others.len() > 20, "{others:?}");
    for path in others {
        let scenario = path.to_str().unwrap();
        if is_sweep(&path) {
            let rows = points(scenario);
            let is_example = path.ends_with("sweep-random32.toml");
            let wanted = if cases(20) > 1 { 40 } else { 20 };
            assert!(if is_example { rows == wanted } else { rows > 0 }, "{scenario}: {rows} points");
        } else {
            let files = results(scenario, &[], &[]);
            assert!(files.contains_key("summary.json"), "{scenario}");
        }
    }
}

/// Wrong if the number of threads changed a byte of what many runs come to together.
#[test]
fn threads_change_no_byte_of_a_sweep() {
    let scenario = "scenarios/sancho2000/fig3a.toml";
    let one = results(scenario, &[], &[("RAYON_NUM_THREADS", "1")]);
    let two = results(scenario, &[], &[("RAYON_NUM_THREADS", "2")]);
    assert_eq!(one.keys().collect::<Vec<_>>(), two.keys().collect::<Vec<_>>());
    for (name, bytes) in &one {
        assert!(*bytes == two[name], "{scenario}: {name} differs");
    }
}

/// Wrong if threads, logging or tracing changed a byte of the results, or two runs differed.
#[test]
fn threads_and_tracing_change_no_byte() {
    // The log of the first has a million events: where tests are not thorough, another run of its kind.
    let loads = if cases(20) > 1 { "scenarios/now100.toml" } else { "scenarios/tutorial/first.toml" };
    for scenario in [loads, "scenarios/deadlock-ring.toml"] {
        let plain = results(scenario, &[], &[("RAYON_NUM_THREADS", "1")]);
        let room = tempfile::tempdir().unwrap();
        let log = room.path().join("trace.ndjson");
        let trace = ["--trace", log.to_str().unwrap()];
        let watched = results(scenario, &trace, &[("RAYON_NUM_THREADS", "4"), ("SIMNET_LOG", "debug")]);
        assert_eq!(plain.keys().collect::<Vec<_>>(), watched.keys().collect::<Vec<_>>());
        for (name, bytes) in &plain {
            assert!(*bytes == watched[name], "{scenario}: {name} differs");
        }
        assert!(fs::metadata(&log).unwrap().len() > 0, "the trace says something");
    }
}

/// Wrong if another seed gave the same traffic.
#[test]
fn the_seed_matters() {
    let one = results("scenarios/now100.toml", &["--seed", "1"], &[]);
    let two = results("scenarios/now100.toml", &["--seed", "2"], &[]);
    assert!(one["points.csv"] != two["points.csv"]);
}

/// Wrong if a run wrote into a folder that no run made, or left something behind where it was refused.
#[test]
fn a_foreign_folder_is_left_alone() {
    let room = tempfile::tempdir().unwrap();
    fs::write(room.path().join("thesis.txt"), "years of work").unwrap();
    let out = room.path().to_str().unwrap();
    let output = simnet(&["run", "scenarios/now-c.toml", "--quick", "--out", out], &[]);
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(fs::read_dir(room.path()).unwrap().count(), 1);
}
