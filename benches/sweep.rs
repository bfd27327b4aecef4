//! What a sweep costs in addition to its points, what two cores give, and how long a plan of a million points takes.
//!
//! Goals: 1.9 times the speed of one core on an idle machine with two; under 1 ms a point; a million points listed in
//! under 2 s and 500 MB.

#![expect(clippy::disallowed_methods, reason = "the clock is what a bench reads")]

use std::fs;
use std::io::{Write as _, stdout};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use simnet::scenario::sweep::Sweep;
use simnet::scenario::{Files, Overrides};
use simnet::sweep::{Identity, Points, Scenarios, Store, run};

fn main() {
    for line in [cores(), overhead(), resumption(), million()] {
        let _ = writeln!(stdout(), "{line}");
    }
}

/// How long it takes to compute what a new folder lacks of these points.
fn timed(points: &impl Points, folder: &Path, jobs: usize) -> Duration {
    let store = Store::open(folder, &Identity::new(points.name(), false, 1), &Default::default());
    let store = store.expect("a new folder can be made");
    let begun = Instant::now();
    let ran = run(points, &store, jobs, &(), &AtomicBool::new(false)).expect("the folder can be written to");
    assert_eq!(ran.failed, 0);
    begun.elapsed()
}

/// The worked example in its quick form, five times as long, on one core and on two.
fn cores() -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/sweep-random32.toml");
    let bytes = fs::read(&file).expect("a file of this project");
    let overrides = Overrides { set: vec!["measure.messages=100000".to_owned()], ..Overrides::default() };
    let sweep = Sweep::read(&file, &bytes, &overrides, &Files::disk(), 1);
    let example = Scenarios::new(sweep.expect("a sweep of this project").quick());
    let room = tempfile::tempdir().expect("a place for temporary files");
    let mut best = [f64::INFINITY; 2];
    for attempt in 0..3 {
        for (jobs, best) in (1..).zip(&mut best) {
            let folder = room.path().join(format!("{attempt}-{jobs}"));
            *best = best.min(timed(&example, &folder, jobs).as_secs_f64());
        }
    }
    let [one, two] = best;
    format!(
        "{} points of scenarios/sweep-random32.toml: {one:.2} s on one core, {two:.2} s on two, {:.2} times the speed",
        example.len(),
        one / two,
    )
}

/// Points that cost nothing, with a result of common size.
fn overhead() -> String {
    const POINTS: usize = 100_000;
    let room = tempfile::tempdir().expect("a place for temporary files");
    let per_point = |jobs: usize| {
        let took = timed(&Trivial(POINTS), &room.path().join(jobs.to_string()), jobs);
        took.as_secs_f64() * 1e6 / POINTS as f64
    };
    let (one, two) = (per_point(1), per_point(2));
    format!("overhead of a point, of {POINTS}: {one:.1} us on one core, {two:.1} us on two")
}

/// A sweep whose points are all there already.
fn resumption() -> String {
    const POINTS: usize = 100_000;
    let room = tempfile::tempdir().expect("a place for temporary files");
    timed(&Trivial(POINTS), room.path(), 2);
    let again = timed(&Trivial(POINTS), room.path(), 2);
    format!("a sweep of {POINTS} points that are all there: {:.2} s", again.as_secs_f64())
}

/// `simnet sweep plan` of a million points, all of them printed.
fn million() -> String {
    let room = tempfile::tempdir().expect("a place for temporary files");
    let file = room.path().join("million.toml");
    let network = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/random32.toml");
    let text = format!(
        r#"include = '{}'
[scenario]
name = "million"
[sweep]
repetitions = 1000
[[sweep.axes]]
traffic.uniform.loads = {{ from = "0.0002", to = "0.05", step = "0.0002" }}
[[sweep.axes]]
routing.select = ["first", "random", "round-robin", "balanced"]
"#,
        network.display(),
    );
    fs::write(&file, text).expect("a place for temporary files");
    let out = fs::File::create(room.path().join("plan")).expect("a place for temporary files");
    let begun = Instant::now();
    let mut plan = Command::new(env!("CARGO_BIN_EXE_simnet"));
    plan.args(["sweep", "plan"]).arg(&file).args(["--format", "json"]).stdout(out).stderr(Stdio::inherit());
    let mut plan = plan.spawn().expect("the program was built for this");
    let mut peak = String::new();
    let status = loop {
        peak = peak_memory(plan.id()).unwrap_or(peak);
        if let Some(status) = plan.try_wait().expect("it is our child") {
            break status;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let took = begun.elapsed().as_secs_f64();
    format!("a plan of 1,000,000 points: {took:.2} s, {peak} at most ({status})")
}

/// The most memory that a process has held so far, as the system reports it.
fn peak_memory(process: u32) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().to_owned())
}

/// So many points without any work in them.
struct Trivial(usize);

impl Points for Trivial {
    fn name(&self) -> &str {
        "trivial"
    }

    fn len(&self) -> usize {
        self.0
    }

    fn key(&self, point: usize) -> blake3::Hash {
        blake3::hash(&point.to_le_bytes())
    }

    fn cost(&self, _point: usize) -> f64 {
        1e-6
    }

    fn compute(&self, point: usize) -> Result<Value, String> {
        let latency = point as f64 * 0.1 + 0.03;
        Ok(json!({
            "outcome": "drained", "seed": point, "points": [{
                "load": 0.01, "accepted_flits_per_cycle_per_host": 0.01, "latency_mean_ns": latency,
                "latency_p99_ns": 2.0 * latency, "messages": 20_000, "saturated": false, "converged": true,
            }],
        }))
    }
}
