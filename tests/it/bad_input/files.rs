//! Bad input: every faulty file is refused with exit code 3 (7 where a file is missing), a located message
//! and nothing written. The messages are pinned: wrong if one changes its place, its sense or its
//! suggestion.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use support_network::cases;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/bad_input")
}

/// Runs simnet among the faulty files, so that messages name them by short paths.
fn simnet(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    command.args(arguments).current_dir(folder());
    command.output().expect("the binary was built for this test")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("simnet prints UTF-8")
}

fn files(kind: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder().join(kind)).expect("the corpus is there");
    let names = entries.map(|entry| entry.expect("readable").file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

/// Whether a message says `-->` file, line and column.
fn is_located(message: &str) -> bool {
    let places = message.lines().filter_map(|line| line.trim_start().strip_prefix("--> "));
    let mut numbers = places.filter_map(|place| {
        let mut parts = place.rsplit(':');
        let (column, line) = (parts.next()?, parts.next()?);
        Some((line.parse::<u64>().ok()?, column.parse::<u64>().ok()?))
    });
    numbers.next().is_some_and(|(line, column)| line >= 1 && column >= 1)
}

/// Asserts what every refusal has in common and gives its message.
fn refused(name: &str, arguments: &[&str]) -> String {
    let output = simnet(arguments);
    let message = text(&output.stderr);
    let expected = if name.starts_with("missing-topology-file") { 7 } else { 3 };
    assert_eq!(output.status.code(), Some(expected), "{name}: {message}");
    assert!(output.stdout.is_empty(), "{name}: something on stdout");
    assert!(is_located(&message), "{name} has no place: {message}");
    assert!(!message.contains("panicked") && !message.contains('\u{1b}'), "{name}: {message}");
    assert!(message.lines().all(|line| line.chars().count() <= 500), "{name}: a very long line");
    message
}

fn pin(group: &str, name: &str, message: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder().join("snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(format!("{group}-{name}"), message));
}

#[test]
fn faulty_scenarios_are_refused() {
    let files = files("scenarios");
    assert!(files.len() >= 60, "only {} faulty scenarios", files.len());
    for name in files {
        let message = refused(&name, &["check", &format!("scenarios/{name}")]);
        pin("scenario", &name, &message);
        // What `check` refuses, `run` refuses too, and leaves nothing behind.
        let room = tempfile::tempdir().expect("a temporary folder");
        let out = room.path().join("out");
        let ran = simnet(&["run", &format!("scenarios/{name}"), "--out", &out.display().to_string()]);
        assert!(matches!(ran.status.code(), Some(3 | 7)) && !out.exists(), "{name}");
    }
}

#[test]
fn faulty_topologies_are_refused() {
    for name in files("topologies") {
        let set = format!("topology.file=\"../topologies/{name}\"");
        let message = refused(&name, &["check", "good/replay.toml", "--set", &set]);
        pin("topology", &name, &message);
    }
}

#[test]
fn faulty_traces_are_refused() {
    for name in files("traces") {
        let set = format!("traffic.trace.file=\"../traces/{name}\"");
        let message = refused(&name, &["check", "good/replay.toml", "--set", &set]);
        pin("trace", &name, &message);
    }
}

#[test]
fn faulty_tables_of_lengths_are_refused() {
    for name in files("sizes") {
        let set = format!("traffic.hot-spot.payload.file=\"../sizes/{name}\"");
        let message = refused(&name, &["check", "good/patterns.toml", "--set", &set]);
        pin("sizes", &name, &message);
    }
}

#[test]
fn faulty_overrides_are_refused() {
    let rows = [
        ("unknown-key", "fabric.buffr=\"10 B\""),
        ("unknown-section", "fabrik.buffer=\"10 B\""),
        ("bare-number", "fabric.buffer=10"),
        ("bare-word", "fabric.arbitration=seriel"),
        ("no-equals-sign", "fabric.buffer"),
        ("no-path", "=5"),
        ("open-quote", "fabric.rate=\"1.28 Gb/s"),
        ("position-beyond-the-list", "traffic.uniform.loads.7=0.5"),
        ("bad-item-of-a-list", "traffic.uniform.loads.0=7"),
        ("section-by-a-number", "fabric=7"),
    ];
    for (name, set) in rows {
        let message = refused(name, &["check", "good/base.toml", "--set", set]);
        pin("set", name, &message);
    }
}

/// Wrong if the corpus fails for a reason that all its files share.
#[test]
fn the_files_that_the_corpus_varies_are_fine() {
    for name in files("good").iter().filter(|name| name.ends_with(".toml")) {
        let output = simnet(&["check", &format!("good/{name}")]);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", text(&output.stderr));
        assert_eq!(text(&output.stdout), format!("good/{name}: no faults\n"));
        assert!(output.stderr.is_empty(), "{name}: {}", text(&output.stderr));
    }
}

/// Files too large to keep: nesting must not exhaust the stack, and what is printed stays small.
#[test]
fn large_faulty_files_are_refused_briefly() {
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let head =
        "[scenario]\nname = \"case\"\n[topology]\npreset = \"now-c\"\n[routing]\nalgorithm = \"updown\"\n";
    let megabyte = 1 << 20;
    let large = if cases(20) > 1 { 10 * megabyte } else { megabyte };
    let rows = [
        ("brackets", "[".repeat(large)),
        ("nested-lists", format!("{head}root = {}", "[".repeat(large))),
        ("nested-tables", format!("{head}root = {}", "{a=".repeat(megabyte))),
        ("deep-key", format!("{head}{}b = 1", "a.".repeat(megabyte))),
        ("long-line", format!("{head}root = \"{}\"", "x".repeat(megabyte))),
        ("long-key", format!("{head}{} = 1", "x".repeat(megabyte))),
        ("many-keys", format!("{head}{}", (0..100_000).map(|n| format!("k{n} = 1\n")).collect::<String>())),
        ("many-slips", format!("{head}{}", "= 1\n".repeat(100_000))),
        ("nothing-but-nul", "\0".repeat(megabyte)),
        ("nothing-but-quotes", "\"".repeat(megabyte)),
    ];
    for (name, content) in rows {
        let path = temporary.path().join(format!("{name}.toml"));
        std::fs::write(&path, content).expect("the temporary folder is writable");
        let message = refused(name, &["check", &path.display().to_string()]);
        assert!(message.len() < 20_000, "{name}: {} bytes printed", message.len());
    }
}

/// Wrong if judging a file leaves another one behind.
#[test]
fn nothing_is_written() {
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let source = folder().join("scenarios/many-faults.toml");
    std::fs::copy(source, temporary.path().join("faulty.toml")).expect("the temporary folder is writable");
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    let output = command.args(["check", "faulty.toml"]).current_dir(temporary.path()).output();
    assert_eq!(output.expect("the binary was built for this test").status.code(), Some(3));
    let left = std::fs::read_dir(temporary.path()).expect("readable").count();
    assert_eq!(left, 1, "something other than faulty.toml");
}

/// The faults as data: every one has a file, a line, a column, a code and a message.
#[test]
fn faults_are_listed_as_json() {
    let output = simnet(&[
        "check",
        "--format",
        "json",
        "scenarios/many-faults.toml",
        "good/base.toml",
        "nowhere.toml",
    ]);
    assert_eq!(output.status.code(), Some(3));
    let faults: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let faults = faults.as_array().expect("a list");
    assert!(faults.len() > 20, "every fault is listed, not only those that would be printed");
    for fault in &faults[..faults.len() - 1] {
        assert!(fault["line"].as_u64() >= Some(1) && fault["column"].as_u64() >= Some(1), "{fault}");
        assert!(fault["code"].is_string() && fault["message"].is_string() && fault["expected"].is_string());
    }
    let last = &faults[faults.len() - 1];
    assert_eq!((last["file"].as_str(), last["code"].as_str()), (Some("nowhere.toml"), Some("missing-file")));
}

#[test]
fn a_missing_scenario_is_no_bad_scenario() {
    assert_eq!(simnet(&["check", "nowhere.toml"]).status.code(), Some(7));
    assert_eq!(simnet(&["check", "scenarios"]).status.code(), Some(7));
    assert_eq!(simnet(&["check", "good/base.toml", "nowhere.toml"]).status.code(), Some(7));
    assert_eq!(simnet(&["check", "scenarios/empty.toml", "nowhere.toml"]).status.code(), Some(3));
    assert_eq!(simnet(&["check"]).status.code(), Some(2));
}
