//! Perfetto traces: decoded by a reader of our own and by Perfetto's own schema, and counted against the log.

mod decode;
pub(crate) mod made;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use simnet::ids::Node;
use simnet::topology::End;
use simnet::trace::{Event, EventKind, Heading, LogEntry, Perfetto, Reader, Scene};

use self::decode::{Slice, Trace};
use self::made::Log;
use support_network::{cases, found_or_skipped, peer};

fn perfetto(log: &Log, kept: impl Fn(&Event) -> bool) -> Vec<u8> {
    let mut file = Vec::new();
    log.replay(Box::new(Perfetto::new(&mut file, &log.heading).unwrap()), kept);
    file
}

/// What one scene's events say should be in the trace.
struct Expected<'a> {
    heading: &'a Heading,
    scene: &'a Scene,
    events: &'a [Event],
    trace: &'a Trace,
    process: String,
}

impl Expected<'_> {
    fn port(&self, end: End, what: &str) -> String {
        let node = self.heading.network.name_of(end.node);
        format!("{} / {node} / {node}:{} {what}", self.process, end.port)
    }

    fn is_ours(&self, track: u64) -> bool {
        self.trace.process(track) == u64::from(self.scene.nth) + 1
    }

    /// Slices or instants of these categories: path, name and beginning.
    fn found(&self, category: &str, is_instant: bool) -> Vec<(String, String, u64)> {
        let slices = self.trace.slices.iter();
        let mut found: Vec<_> = slices
            .filter(|slice| slice.category == category && slice.is_instant == is_instant)
            .filter(|slice| self.is_ours(slice.track))
            .map(|slice| (self.trace.path(slice.track), slice.name.clone(), slice.begin))
            .collect();
        found.sort();
        found
    }

    fn recorded(&self, pick: impl Fn(&EventKind) -> Option<(String, String)>) -> Vec<(String, String, u64)> {
        let recorded = self
            .events
            .iter()
            .filter_map(|event| pick(&event.what).map(|(path, name)| (path, name, event.at.as_ps() / 1_000)));
        let mut recorded: Vec<_> = recorded.collect();
        recorded.sort();
        recorded
    }

    fn check(&self) {
        let names: BTreeMap<u32, &str> = self.events.iter().filter_map(started).collect();
        let worms = self.recorded(|what| match what {
            EventKind::Start { worm, port, .. } => Some((self.port(*port, "out"), names[worm].into())),
            EventKind::Grant { worm, output, .. } => Some((self.port(*output, "out"), names[worm].into())),
            EventKind::Arrive { worm, port } => Some((self.port(*port, "in"), names[worm].into())),
            _ => None,
        });
        assert_eq!(self.found("worm", false), worms);
        let waits = self.recorded(|what| match what {
            EventKind::Wait { input, output, .. } => {
                let output = format!("{}:{}", self.heading.network.name_of(output.node), output.port);
                Some((self.port(*input, "in"), format!("waits for {output}")))
            }
            _ => None,
        });
        assert_eq!(self.found("wait", false), waits);
        let controls = self.recorded(|what| match what {
            EventKind::Control { port, stop } => {
                Some((self.port(*port, "in"), if *stop { "STOP" } else { "GO" }.into()))
            }
            _ => None,
        });
        assert_eq!(self.found("flow control", true), controls);
        let resets = self.recorded(|what| match what {
            EventKind::Reset { worm, output } => {
                Some((self.port(*output, "out"), format!("reset of {}", names[worm])))
            }
            _ => None,
        });
        assert_eq!(self.found("reset", true), resets);
        let count = |kind: &str| self.events.iter().filter(|event| event.what.name() == kind).count();
        assert_eq!(self.found("deadlock", false).len(), count("deadlock"));
        assert_eq!(self.found("clear", true).len(), count("clear"));
        assert_eq!(self.found("end", true).len(), count("end"));
        assert_eq!(self.found("process", true).len(), count("send") + count("receive"));
        assert_eq!(self.found("cable", true).len(), count("cable"));
        let frames = self.found("frame", true).len() + self.found("frame", false).len();
        assert_eq!(frames, count("frame"));
        self.check_ends();
        self.check_counters();
    }

    /// Every release is the end of a slice, and of each worm that is over no slice goes on.
    fn check_ends(&self) {
        let names: BTreeMap<u32, &str> = self.events.iter().filter_map(started).collect();
        let mut ends: BTreeMap<(String, &str), Vec<u64>> = BTreeMap::new();
        let ours = |slice: &&Slice| slice.category == "worm" && self.is_ours(slice.track);
        for slice in self.trace.slices.iter().filter(ours) {
            ends.entry((self.trace.path(slice.track), &slice.name)).or_default().push(slice.end);
        }
        let mut over = BTreeMap::new();
        for Event { at, what } in self.events {
            let ns = at.as_ps() / 1_000;
            match what {
                EventKind::Release { worm, input, output } => {
                    let (input_row, output_row) = (self.port(*input, "in"), self.port(*output, "out"));
                    let of = |row| ends.get(&(row, names[worm])).is_none_or(|ends| ends.contains(&ns));
                    assert!(of(output_row), "{what:?}");
                    assert!(matches!(input.node, Node::Host(_)) || of(input_row), "{what:?}");
                }
                EventKind::End { worm, .. } => {
                    over.insert(names[worm], ns);
                }
                _ => {}
            }
        }
        for ((path, name), ends) in ends {
            if let Some(over) = over.get(name) {
                assert!(ends.iter().all(|end| end <= over), "{name} at {path}: {ends:?}, over at {over}");
            }
        }
    }

    /// Samples of each buffer have what the log says, in its order; others stand between.
    fn check_counters(&self) {
        let mut recorded: BTreeMap<String, Vec<(u64, u64)>> = BTreeMap::new();
        for event in self.events {
            if let EventKind::Flow { port, flow } = event.what {
                let sample = (event.at.as_ps() / 1_000, flow.occupancy.into());
                recorded.entry(self.port(port, "buffer")).or_default().push(sample);
            }
        }
        for (path, recorded) in recorded {
            let is_it = |track: u64| self.is_ours(track) && self.trace.path(track) == path;
            let samples = self.trace.samples.iter().filter(|(track, ..)| is_it(*track));
            let mut samples = samples.map(|(_, at, value)| (*at, *value));
            for sample in recorded {
                assert!(samples.any(|other| other == sample), "{path} has no {sample:?}");
            }
        }
    }
}

fn started(event: &Event) -> Option<(u32, &str)> {
    match &event.what {
        EventKind::Start { worm, name, .. } => Some((*worm, name)),
        _ => None,
    }
}

/// Checks a trace against the log that it was made of.
fn check(log: &Log, trace: &Trace) {
    for (scene, events) in &log.scenes {
        Expected { heading: &log.heading, scene, events, trace, process: scene.to_string() }.check();
    }
    let processes = trace.tracks.values().filter_map(|track| track.process);
    let expected: Vec<u64> = log.scenes.iter().map(|(scene, _)| u64::from(scene.nth) + 1).collect();
    assert_eq!(processes.collect::<Vec<_>>(), expected);
    check_flows(trace);
}

/// A flow has two ends at least, in order of time and in one process, and nothing after its last.
fn check_flows(trace: &Trace) {
    let mut flows: BTreeMap<u64, Vec<(&Slice, bool)>> = BTreeMap::new();
    for slice in &trace.slices {
        assert!(slice.flows.len() <= 1);
        for (flow, is_last) in &slice.flows {
            flows.entry(*flow).or_default().push((slice, *is_last));
        }
    }
    let open = ("open".to_owned(), "true".to_owned());
    for (flow, ends) in flows {
        let processes: BTreeSet<_> = ends.iter().map(|(slice, _)| trace.process(slice.track)).collect();
        assert_eq!(processes.len(), 1, "flow {flow}");
        // What a process sends may never start; a worm may be on its first cable when the log ends.
        let is_cut = |slice: &Slice| slice.category == "process" || slice.notes.contains(&open);
        assert!(ends.len() > 1 || is_cut(ends[0].0), "flow {flow} has one end: {ends:?}");
        assert!(ends.is_sorted_by_key(|(slice, _)| slice.begin));
        assert!(ends.iter().rev().skip(1).all(|(_, is_last)| !is_last), "flow {flow} goes on after its end");
    }
}

/// Wrong if a slice, an instant, a sample or a flow were missing, misplaced, misnamed or made up, or if tracks were not
/// what Perfetto wants.
#[test]
fn a_trace_has_what_the_log_says() {
    let (mut worms, mut flows) = (0, 0);
    for seed in 0..cases(2_000) {
        let log = made::log(seed);
        let trace = Trace::read(&perfetto(&log, |_| true));
        check(&log, &trace);
        worms += trace.slices.iter().filter(|slice| slice.category == "worm").count();
        flows += trace.slices.iter().filter(|slice| slice.flows.iter().any(|(_, is_last)| *is_last)).count();
    }
    assert!(worms > 1_000 && flows > 100, "{worms} worms, {flows} flows");
}

/// Wrong if a filter made a trace that is none, or took away what it should keep: names of worms that started unseen.
#[test]
fn whatever_is_left_out_a_trace_stays_whole() {
    let kinds = ["start", "arrive", "wait", "grant", "release", "flow", "end", "send", "frame", "deadlock"];
    for seed in 0..cases(400) {
        let log = made::log(seed);
        for kind in kinds {
            Trace::read(&perfetto(&log, |event| event.what.name() != kind));
            let trace = Trace::read(&perfetto(&log, |event| event.what.name() == kind));
            assert!(trace.slices.iter().all(|slice| !slice.name.starts_with("worm ")));
        }
    }
}

/// Wrong if one flow did not join a question, its worm, the answer and the answer's worm.
#[test]
fn a_flow_joins_question_and_answer() {
    let mut whole = 0;
    for seed in 0..cases(400) {
        let log = made::log(seed);
        let trace = Trace::read(&perfetto(&log, |_| true));
        for reply in trace.slices.iter().filter(|slice| slice.name == "receives host-reply") {
            let [(flow, true)] = reply.flows[..] else { panic!("{reply:?}") };
            let joined: Vec<&str> = trace
                .slices
                .iter()
                .filter(|slice| slice.flows.iter().any(|(other, _)| *other == flow))
                .map(|slice| if slice.category == "process" { &*slice.name } else { "hop" })
                .collect();
            let parts: Vec<&[&str]> = joined.split(|name| *name != "hop").collect();
            let others: Vec<&&str> = joined.iter().filter(|name| **name != "hop").collect();
            assert_eq!(
                others,
                [&"sends host-probe", &"receives host-probe", &"sends host-reply", &"receives host-reply"]
            );
            // Out of the host, and into it; in and out of every switch between.
            assert!(parts[1].len() >= 4 && parts[1].len() == parts[3].len(), "{joined:?}");
            whole += 1;
        }
    }
    assert!(whole > 5, "{whole}");
}

/// Runs the program; panics unless it ends well.
fn simnet(arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_simnet")).args(arguments).output().unwrap();
    assert!(
        output.status.code().is_some_and(|code| code <= 1),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

/// What a file of events holds.
fn read(path: &Path) -> Log {
    let mut reader = Reader::open(path).unwrap();
    let (heading, mut scenes) = (reader.heading().clone(), Vec::new());
    while let Some(item) = reader.read_entry().unwrap() {
        match item {
            LogEntry::Scene(scene) => scenes.push((scene, Vec::new())),
            LogEntry::Event(event) => scenes.last_mut().unwrap().1.push(event),
            LogEntry::SceneEnd(scene) => scenes.last_mut().unwrap().0 = scene,
        }
    }
    Log { heading, scenes }
}

/// Wrong if the trace of a real run lacked anything that its log, or the same as NDJSON, has; whatever deadlocks, is
/// reset, fails, or talks in it.
#[test]
fn real_runs_become_traces() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for scenario in ["zoo/ring", "zoo/own-tail", "zoo/scout", "zoo/cable", "zoo/mixed-tables"] {
        let file = format!("{}/scenarios/{scenario}.toml", env!("CARGO_MANIFEST_DIR"));
        let (results, log, pftrace) = (at("results"), at("x.simlog"), at("x.pftrace"));
        let run = ["run", &file, "--quiet", "--out", &results, "--trace", &log];
        Command::new(env!("CARGO_BIN_EXE_simnet")).args(run).output().unwrap();
        simnet(&["trace", &log, "--to", "perfetto", "--out", &pftrace]);
        let trace = Trace::read(&std::fs::read(&pftrace).unwrap());
        let whole = read(Path::new(&log));
        check(&whole, &trace);
        let ndjson = String::from_utf8(simnet(&["trace", &log, "--to", "ndjson"])).unwrap();
        let mut recorded: BTreeMap<String, usize> = BTreeMap::new();
        for line in ndjson.lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            *recorded.entry(line["event"].as_str().unwrap().to_owned()).or_default() += 1;
        }
        let count = |category: &str, is_instant: bool| {
            let is_it = |slice: &&Slice| slice.category == category && slice.is_instant == is_instant;
            trace.slices.iter().filter(is_it).count()
        };
        let count_of = |names: &[&str]| names.iter().filter_map(|name| recorded.get(*name)).sum::<usize>();
        assert_eq!(count("worm", false), count_of(&["start", "arrive", "grant"]), "{scenario}");
        assert_eq!(count("flow control", true), count_of(&["stop", "go"]), "{scenario}");
        assert_eq!(count("reset", true), count_of(&["reset"]), "{scenario}");
        assert_eq!(count("deadlock", false), count_of(&["deadlock"]), "{scenario}");
        assert_eq!(count("end", true), count_of(&["end"]), "{scenario}");
        assert_eq!(count("process", true), count_of(&["send", "receive"]), "{scenario}");
        assert!(trace.samples.len() >= count_of(&["flow"]), "{scenario}");
        recorded.into_iter().for_each(|(kind, count)| *kinds.entry(kind).or_default() += count);
    }
    let needed =
        ["start", "grant", "release", "flow", "stop", "reset", "deadlock", "clear", "end", "cable", "send"];
    assert!(needed.iter().all(|kind| kinds.get(*kind).is_some_and(|count| *count > 0)), "{kinds:?}");
}

/// Where Perfetto's Python package is: `pip install --target target/peers/python perfetto protobuf`.
fn package() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/peers/python");
    let installed = Some(folder).filter(|folder| folder.join("perfetto/protos").is_dir());
    found_or_skipped("perfetto (pip install --target target/peers/python perfetto protobuf)", installed)
}

/// Wrong if Perfetto's own schema found a field that it does not know, or read anything else than we do.
#[test]
fn perfettos_own_schema_reads_the_same() {
    let (Some(python), Some(package)) = (peer("python3"), package()) else { return };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/interop/perfetto/decode.py");
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..cases(100) {
        let file = perfetto(&made::log(seed), |_| true);
        let place = folder.path().join("log.pftrace");
        std::fs::write(&place, &file).unwrap();
        let output = Command::new(&python)
            .env("PYTHONPATH", &package)
            .env("PYTHONIOENCODING", "utf-8")
            .args([&script, &place])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(String::from_utf8(output.stdout).unwrap(), Trace::read(&file).text());
    }
}
