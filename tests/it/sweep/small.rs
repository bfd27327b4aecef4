//! Sweeps that tests run: many short points on a small network.

use std::path::Path;
use std::process::{Command, Output};

/// Writes a sweep over loads, ways to select routes and seeds: 4 points for every load and repetition, each with so
/// many messages.
pub(crate) fn write(file: &Path, name: &str, loads: usize, repetitions: usize, messages: usize) {
    let loads: Vec<String> =
        (1..=loads).map(|nth| format!("{:.6}", nth as f64 * 0.03 / loads as f64)).collect();
    let text = format!(
        r#"
[scenario]
name = "{name}"
seed = 3
[topology.random-regular]
switches = 8
degree = 3
hosts-per-switch = 2
seed = 1
[routing]
algorithm = "updown"
[traffic.uniform]
payload = "32 B"
loads = [0.01]
[measure]
warmup = "20 us"
messages = {messages}
[sweep]
repetitions = {repetitions}
[[sweep.axes]]
traffic.uniform.loads = [{loads}]
[[sweep.axes]]
routing.select = ["random", "balanced"]
[[sweep.axes]]
fabric.arbitration = ["serial", "per-input"]
"#,
        loads = loads.join(", "),
    );
    std::fs::write(file, text).unwrap();
}

/// `simnet sweep run` of a file into a folder, with more options.
pub(crate) fn command(file: &Path, out: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    command.args(["sweep", "run"]).arg(file).arg("--out").arg(out).args(more).arg("--quiet");
    command
}

/// Runs it to its end, and gives what it printed.
pub(crate) fn run(file: &Path, out: &Path, more: &[&str]) -> Output {
    let output = command(file, out, more).output().unwrap();
    assert!(output.status.success(), "{more:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

/// The merged table of a folder.
pub(crate) fn table(out: &Path) -> Vec<u8> {
    std::fs::read(out.join("points.csv")).unwrap()
}
