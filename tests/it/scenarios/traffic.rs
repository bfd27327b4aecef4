//! Generated traffic: every pattern, kind of arrival and kind of length from a scenario to its summary.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

const HEAD: &str = "[scenario]\nname = \"traffic\"\nseed = 5\n[topology.hypercube]\ndimensions = 4\n\
                    hosts-per-switch = 2\n[routing]\nalgorithm = \"updown\"\n\
                    [measure]\nwarmup = \"50 us\"\nmessages = 4000\n";

/// Runs a scenario's traffic in `folder` and gives its only point.
fn point(folder: &Path, traffic: &str) -> Value {
    fs::write(folder.join("s.toml"), format!("{HEAD}{traffic}")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    let output = command.args(["run", "s.toml", "--format", "json"]).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{traffic}: {}", String::from_utf8_lossy(&output.stderr));
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    summary["points"][0].clone()
}

/// Patterns and the share of the 32 hosts that send.
const PATTERNS: [(&str, &str, f64); 9] = [
    ("uniform", "", 1.0),
    ("bit-reversal", "", 24.0 / 32.0),
    ("transpose", "", 30.0 / 32.0),
    ("hot-spot", "hosts = [\"h3\", \"h20\"]\nshare = \"7.5 %\"\n", 1.0),
    ("permutation", "", 1.0),
    ("permutation", "pairs = { h0 = \"h9\", h9 = \"h0\", h31 = \"h2\" }\n", 3.0 / 32.0),
    ("nearest-neighbours", "", 1.0),
    (
        "mix",
        "parts = [{ share = \"70 %\", pattern = \"uniform\" }, \
         { share = \"10 %\", pattern = \"hot-spot\", hosts = [\"h3\"] }, \
         { share = \"20 %\", pattern = \"nearest-neighbours\" }]\n",
        1.0,
    ),
    (
        "mix",
        "parts = [{ share = \"50 %\", pattern = \"bit-reversal\" }, \
         { share = \"50 %\", pattern = \"permutation\", pairs = { h0 = \"h9\" } }]\n",
        25.0 / 32.0,
    ),
];

const LENGTHS: [&str; 3] =
    ["\"32 B\"", "{ short = \"16 B\", long = \"48 B\", long-share = \"50 %\" }", "{ file = \"sizes.csv\" }"];

const ARRIVALS: [&str; 4] = [
    "\"poisson\"",
    "\"bernoulli\"",
    "\"constant\"",
    "{ on = \"5 us\", off = \"5 us\", within = \"poisson\" }",
];

/// Every pattern, with lengths and arrivals in turn, from the scenario to its summary. Wrong if one did not run, or
/// offered or accepted another load than the requested one, silent hosts counted in.
#[test]
fn every_pattern_offers_and_delivers_its_load() {
    let room = tempfile::tempdir().unwrap();
    fs::write(room.path().join("sizes.csv"), "payload_bytes,weight\n8,0.25\n24,1\n72,0.5\n").unwrap();
    for (nth, (pattern, keys, share)) in PATTERNS.into_iter().enumerate() {
        for (turn, arrivals) in ARRIVALS.into_iter().enumerate() {
            let payload = LENGTHS[(nth + turn) % LENGTHS.len()];
            let traffic = format!(
                "[traffic.{pattern}]\n{keys}payload = {payload}\narrivals = {arrivals}\nloads = [0.02]\n"
            );
            let point = point(room.path(), &traffic);
            let value = |key: &str| point[key].as_f64().unwrap_or_else(|| panic!("no {key} in {point}"));
            let offered = value("offered_flits_per_cycle_per_host");
            let accepted = value("accepted_flits_per_cycle_per_host");
            // 4,000 messages: 1.6 % standard deviation for Poisson arrivals of one length, up to 3 % for bursts
            // and several lengths; four of it.
            assert!((offered / (0.02 * share) - 1.0).abs() < 0.12, "{traffic}: {offered}");
            assert!((accepted / offered - 1.0).abs() < 0.03, "{traffic}: {accepted} of {offered}");
            assert_eq!((&point["end"], &point["unroutable"]), (&"drained".into(), &0.into()), "{traffic}");
        }
    }
}
