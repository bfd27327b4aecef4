//! `--quiet`: nothing but errors, and the object of `--format json`; progress where no terminal is.
#![expect(clippy::disallowed_methods, reason = "progress is told by the wall clock")]

use std::process::{Command, Stdio};
use std::time::Duration;

use support_network::cases;

use super::interrupted::{Room, began};

/// Lines of the command of which each would print something, with their exit codes. `s.toml` is a scenario, `w.toml` a
/// sweep, `net.json` a network with a warning, `times.csv` a table of round-trip times.
const LINES: [(&str, i32); 22] = [
    ("run s.toml --out ran", 0),
    ("run w.toml --out swept", 0),
    ("run s.toml --out strict --set expect.outcome=\"saturated\"", 1),
    ("check s.toml w.toml", 0),
    ("check s.toml --estimate", 0),
    ("topo show net.json", 0),
    ("topo diff net.json net.json", 0),
    ("topo diff net.json now-c", 1),
    ("route net.json", 0),
    ("route suggest net.json", 0),
    ("map net.json --mapper h0", 0),
    ("ring net.json --algorithm lr3", 0),
    ("codegen allgather net.json --algorithm lr3 --out ring-c", 0),
    ("codegen rtt --out rtt-c", 0),
    ("discover times.csv", 0),
    ("sweep plan w.toml", 0),
    ("sweep run w.toml --out many", 0),
    ("sweep status many", 0),
    ("sweep merge many", 0),
    ("figures", 0),
    ("report ran --out page.html", 0),
    ("trace log.simlog", 0),
];

/// Wrong if a verb said something that nobody asked for, or kept back the object that was asked for.
#[test]
fn quiet_verbs_print_nothing_but_the_object_that_was_asked_for() {
    let room = Room::new();
    room.ends("run s.toml --out logged --trace log.simlog", 0);
    for (line, code) in LINES {
        let output = room.run(&format!("{line} --quiet"));
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{line}: {err}");
        assert!(output.stdout.is_empty(), "{line}: {}", String::from_utf8_lossy(&output.stdout));
        // An expectation that does not hold is an error; what two networks differ in is a result.
        assert_eq!(err.is_empty(), !line.contains("expect."), "{line}: {err}");
        let object = room.run(&format!("--format json {line} --quiet"));
        let parsed = serde_json::from_slice::<serde_json::Value>(&object.stdout);
        assert!(parsed.is_ok() && object.status.code() == Some(code), "{line}: {object:?}");
    }
    let document = room.run("topo convert net.json --to dot --quiet");
    assert!(document.stdout.starts_with(b"graph"), "a document is what was asked for: {document:?}");
    let fault = room.run("run missing.toml --quiet");
    assert!(fault.status.code() == Some(7) && !fault.stderr.is_empty());
}

/// Wrong if a long run said nothing of its progress where no terminal is, or more often than every ten seconds, or said
/// it though it was to be quiet. Ten seconds are waited for where more than the least cases are requested.
#[test]
fn a_long_run_tells_its_progress_without_a_terminal() {
    let room = Room::new();
    let is_long = cases(20) > 1;
    let told = |line: &str| {
        let mut child = room.command(line).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        began(&child);
        // The process is stopped for most of the ten seconds: it computes nothing, and its clock goes on.
        let send =
            |signal: &str| Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        std::thread::sleep(Duration::from_millis(if is_long { 500 } else { 50 }));
        send("-STOP");
        std::thread::sleep(Duration::from_millis(if is_long { 10_200 } else { 200 }));
        send("-CONT");
        std::thread::sleep(Duration::from_millis(if is_long { 500 } else { 50 }));
        child.kill().unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap()
    };
    let (loud, quiet) = std::thread::scope(|scope| {
        let quiet = scope.spawn(|| told("run s.toml --out quiet --quiet --set measure.messages=2000000000"));
        (told("run s.toml --out loud --set measure.messages=2000000000"), quiet.join().unwrap())
    });
    assert!(!is_long || loud.starts_with("loading: 0/3") && loud.contains(" s so far"), "{loud}");
    assert_eq!((loud.lines().count(), quiet.as_str()), (usize::from(is_long), ""));
}
