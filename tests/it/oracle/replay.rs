//! Replays through the command: every message's fate is the per-flit oracle's, to the picosecond.
//!
//! Networks, routes (wrong ones among them), messages and the scenario go through files, as a user's do; what is
//! compared is `deliveries.csv`, the summary and the exit code.

mod case;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use simnet::fabric::{Cause, Fate};

use case::{CYCLE_PS, Replay};
use support_media::oracle::{Deadlock, Oracle};
use support_network::cases;

/// State, head and tail in picoseconds.
type End = (&'static str, Option<u64>, Option<u64>);

/// What the oracle says of every row.
fn expected(replay: &Replay, oracle: &Oracle) -> Vec<End> {
    let mut ends: Vec<End> = vec![("stuck", None, None); replay.rows.len()];
    for message in oracle.ended() {
        ends[usize::try_from(message.tag).unwrap()] = match message.fate {
            Fate::Delivered { head, tail, .. } => {
                ("delivered", Some(head.0 * CYCLE_PS), Some(tail.0 * CYCLE_PS))
            }
            Fate::Destroyed { cause: Cause::Reset, .. } => ("reset", None, None),
            Fate::Destroyed { .. } => ("undeliverable", None, None),
        };
    }
    ends
}

/// Exact picoseconds of a decimal number of nanoseconds; `None` for an empty cell.
fn picoseconds(cell: &str) -> Option<u64> {
    if cell.is_empty() {
        return None;
    }
    let (whole, part) = cell.split_once('.').unwrap_or((cell, ""));
    assert!(part.len() <= 3, "finer than a picosecond: {cell}");
    Some(whole.parse::<u64>().unwrap() * 1_000 + format!("{part:0<3}").parse::<u64>().unwrap())
}

/// What one replay came to.
struct Outcome {
    code: Option<i32>,
    summary: serde_json::Value,
    deliveries: String,
    deadlocks: String,
    stderr: String,
}

fn run(folder: &Path) -> Outcome {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    command.args(["run", "replay.toml", "--out", "out", "--format", "json"]).current_dir(folder);
    let output = command.output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let read = |name: &str| {
        fs::read_to_string(folder.join("out").join(name))
            .unwrap_or_else(|error| panic!("{name}: {error}\n{stderr}"))
    };
    let (deliveries, deadlocks, file) = (read("deliveries.csv"), read("deadlocks.csv"), read("summary.json"));
    assert_eq!(file.as_bytes(), output.stdout, "what is printed is what is written");
    let summary = serde_json::from_str(&file).unwrap();
    Outcome { code: output.status.code(), summary, deliveries, deadlocks, stderr }
}

fn compare(seed: u64, seen: &mut Seen) {
    let replay = Replay::random(seed);
    let room = tempfile::tempdir().unwrap();
    let names = replay.write(room.path());
    let case = replay.case();
    let mut oracle = Oracle::new(&case);
    oracle.run_until(case.horizon);
    let ends = expected(&replay, &oracle);
    let outcome = run(room.path());
    let mut lines = outcome.deliveries.lines();
    assert_eq!(lines.next(), Some("message,state,head_ns,tail_ns"), "seed {seed}");
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), names.len(), "seed {seed}");
    for ((row, name), (nth, end)) in rows.iter().zip(&names).zip(ends.iter().enumerate()) {
        let found = (row[1], picoseconds(row[2]), picoseconds(row[3]));
        assert_eq!((row[0], found), (name.as_str(), *end), "seed {seed}, row {nth}: {:?}", replay.rows[nth]);
    }
    let stuck = ends.iter().any(|end| end.0 == "stuck");
    assert_eq!(outcome.code, Some(if stuck { 4 } else { 0 }), "seed {seed}: {}", outcome.stderr);
    judge(seed, &outcome, &ends, stuck);
    named(seed, &outcome, &oracle, &names);
    seen.note(&replay, &ends, &oracle);
}

/// The summary says the same as the table.
fn judge(seed: u64, outcome: &Outcome, ends: &[End], stuck: bool) {
    let summary = &outcome.summary;
    assert_eq!(summary["outcome"], if stuck { "deadlocked" } else { "drained" }, "seed {seed}");
    let point = &summary["points"][0];
    let count = |state| ends.iter().filter(|end| end.0 == state).count() as u64;
    let sum = |keys: &[&str]| keys.iter().map(|key| point[key].as_u64().unwrap()).sum::<u64>();
    assert_eq!(sum(&["delivered"]), count("delivered"), "seed {seed}");
    assert_eq!(sum(&["messages"]), count("delivered"), "seed {seed}: all are measured");
    assert_eq!(sum(&["resets"]), count("reset"), "seed {seed}");
    let faults = sum(&["illegal_turns", "no_such_wire", "host_too_soon", "stranded"]);
    assert_eq!(faults, count("undeliverable"), "seed {seed}");
    let in_fabric = sum(&["stuck"]);
    assert!(
        in_fabric <= count("stuck") && (in_fabric > 0) == stuck,
        "seed {seed}: {in_fabric} in the fabric"
    );
    if stuck {
        let standing = summary["deadlocks"].as_array().unwrap().iter().filter(|d| d["cleared_ns"].is_null());
        assert!(standing.count() > 0, "seed {seed}: it ended stuck, and no deadlock stands");
    }
}

/// Every deadlock is named: when it formed, its outputs, once each, and the worms that hold them.
fn named(seed: u64, outcome: &Outcome, oracle: &Oracle, names: &[String]) {
    let reports = outcome.summary["deadlocks"].as_array().unwrap();
    assert_eq!(reports.len(), oracle.deadlocks.len(), "seed {seed}");
    assert_eq!(outcome.deadlocks.lines().count(), reports.len() + 1, "seed {seed}");
    let mut left: Vec<&Deadlock> = oracle.deadlocks.iter().collect();
    let mut last = 0;
    for report in reports {
        let formed = picoseconds(&report["formed_ns"].to_string()).unwrap();
        let list = |key: &str| -> Vec<String> {
            let items = report[key].as_array().unwrap().iter();
            items.map(|item| item.as_str().unwrap().to_owned()).collect()
        };
        let (outputs, worms) = (list("cycle"), list("worms"));
        let once: BTreeSet<&String> = outputs.iter().collect();
        assert_eq!((outputs.len(), once.len()), (worms.len(), worms.len()), "seed {seed}: {report}");
        assert!(!worms.is_empty() && formed >= last, "seed {seed}: {report}");
        last = formed;
        let is_it = |truth: &&Deadlock| {
            let name = |tag: u64| &names[usize::try_from(tag).unwrap()];
            let members: Vec<&String> = truth.members.iter().map(|(_, tag)| name(*tag)).collect();
            truth.formed * CYCLE_PS == formed && worms.iter().all(|worm| members.contains(&worm))
        };
        let found = left.iter().position(is_it);
        let found = found.unwrap_or_else(|| panic!("seed {seed}: {report} is none of {left:?}"));
        left.remove(found);
    }
}

/// How often something happened in all cases together: wrong if the cases never reach it.
#[derive(Debug, Default)]
struct Seen {
    messages: usize,
    delivered: usize,
    reset: usize,
    undeliverable: usize,
    stuck: usize,
    single: usize,
    thousands: usize,
    to_itself: usize,
    between_cycles: usize,
    unsorted: usize,
    deadlocks: usize,
}

impl Seen {
    fn note(&mut self, replay: &Replay, ends: &[End], oracle: &Oracle) {
        let count = |state| ends.iter().filter(|end| end.0 == state).count();
        self.messages += ends.len();
        self.delivered += count("delivered");
        self.reset += count("reset");
        self.undeliverable += count("undeliverable");
        self.stuck += count("stuck");
        self.single += usize::from(ends.len() == 1);
        self.thousands += usize::from(ends.len() >= 1_000);
        self.to_itself += replay.rows.iter().filter(|row| row.source == row.destination).count();
        self.between_cycles += replay.rows.iter().filter(|row| row.time_ps % CYCLE_PS != 0).count();
        self.unsorted += usize::from(!replay.rows.is_sorted_by_key(|row| row.time_ps));
        self.deadlocks += oracle.deadlocks.len();
    }
}

/// Wrong if a message's time, rank in its host's queue, route, cable, or fate were taken otherwise than the
/// contract says, anywhere between the files and the table.
#[test]
fn replays_agree_with_the_oracle() {
    let mut seen = Seen::default();
    let count = cases(400);
    for seed in 0..count {
        compare(seed, &mut seen);
    }
    println!("{count} replays: {seen:?}");
    if count >= 80 {
        let Seen { reset, undeliverable, stuck, single, thousands, to_itself, .. } = seen;
        let counts = [reset, undeliverable, stuck, single, thousands, to_itself, seen.deadlocks];
        assert!(counts.iter().all(|count| *count > 0), "{seen:?}");
    }
}
