//! Route files and the verb `route`: what is written can be read, what is wrong is refused at its place.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use simnet::ids::Turn;
use simnet::routing::{Attachments, Choices, Plan, Report, Survey, read_routes, write_routes};
use simnet::topology::{Network, presets};

use crate::routing_oracle::random_multigraph;
use crate::support::cases;

fn written(net: &Network, choices: &Choices) -> (Plan, Vec<u8>) {
    let attachments = Attachments::lowest(net);
    let plan = Plan::new(net, &attachments, choices).unwrap();
    let mut file = Vec::new();
    write_routes(net, &attachments, &plan.table, &mut file).unwrap();
    (plan, file)
}

/// Wrong if writing and reading lost, added or changed a route, or judged the same routes differently.
#[test]
fn what_is_written_is_read_again() {
    let named = ["now-c", "now-cab"].map(|name| presets::load(name).unwrap());
    for net in named.into_iter().chain((0..cases(2_000)).map(|seed| random_multigraph(seed, 9))) {
        let attachments = Attachments::lowest(&net);
        let (plan, file) = written(&net, &Choices::default());
        let read = read_routes(&net, &attachments, "routes.ndjson", &file)
            .unwrap_or_else(|faults| panic!("{}: {faults}", net.name));
        assert!(read.iter().eq(plan.table.iter()), "{}", net.name);
        let (ours, given) = (plan.report(&net, &attachments), Survey::new(&net, &attachments, &read));
        let given = Report::of_file(&net, &given);
        assert_eq!(given.mean_distance, ours.mean_distance);
        assert_eq!(given.unreachable_pairs, ours.unreachable_pairs);
        assert_eq!(given.max_channel_load, ours.max_channel_load);
        assert_eq!(given.dependency_cycle, None);
    }
}

/// Wrong if a line were not exactly as the contract shows it.
#[test]
fn a_line_is_as_documented() {
    let net = presets::load("now-c").unwrap();
    let (_, file) = written(&net, &Choices::default());
    let file = String::from_utf8(file).unwrap();
    let first = file.lines().find(|line| line.contains("\"src\": \"c00\", \"dst\": \"c01\"")).unwrap();
    let expected =
        r#"{"src": "c00", "dst": "c01", "hops": [{"switch": "C1.0", "in": 3, "out": 7}], "turns": [4]}"#;
    assert_eq!(first, expected);
}

/// Wrong if a route that leads nowhere could not be given to a replay, or counted as reaching its
/// destination.
#[test]
fn turns_alone_are_taken_as_they_are() {
    let net = presets::load("now-c").unwrap();
    let attachments = Attachments::lowest(&net);
    let file = br#"{"src": "c00", "dst": "c01", "turns": [99, -3]}
{"src": "c00", "dst": "c02", "turns": []}
{"src": "c01", "dst": "c00", "turns": [-4]}
"#;
    let table = read_routes(&net, &attachments, "f", file).unwrap();
    let turns = |a, b| table.turns(net.find_host(a).unwrap(), net.find_host(b).unwrap());
    assert_eq!(turns("c00", "c01"), Some(&[Turn(99), Turn(-3)][..]));
    assert_eq!((turns("c00", "c02"), turns("c02", "c00")), (Some(&[][..]), None));
    let survey = Survey::new(&net, &attachments, &table);
    assert_eq!(survey.pairs - survey.unreachable, 1);
}

/// Wrong if a faulty file were taken, or refused at another place or for another reason.
#[test]
fn faulty_files_are_refused_at_their_place() {
    let net = presets::load("now-c").unwrap();
    let attachments = Attachments::lowest(&net);
    let good =
        r#"{"src": "c00", "dst": "c01", "hops": [{"switch": "C1.0", "in": 3, "out": 7}], "turns": [4]}"#;
    let changed = |from: &str, to: &str| {
        assert!(good.contains(from));
        good.replacen(from, to, 1)
    };
    let rows = [
        (changed("c00", "c0O"), "unknown-host", "c0O"),
        (changed("c01", "C1.0"), "unknown-host", "C1.0"),
        (changed("c01", "c00"), "self-route", "c00"),
        (changed("\"C1.0\"", "\"C1.9\""), "unknown-switch", "C1.9"),
        (changed("\"C1.0\"", "\"C1.1\""), "hop-off-cable", "C1.1"),
        (changed("\"in\": 3", "\"in\": 2"), "hop-off-cable", "C1.0"),
        (changed("\"out\": 7", "\"out\": 8"), "no-such-wire", "C1.0"),
        (changed("\"out\": 7", "\"out\": 4"), "turn-mismatch", "C1.0"),
        (changed("[4]", "[5]"), "turn-mismatch", "C1.0"),
        (changed("\"out\": 7", "\"out\": 4").replace("[4]", "[1]"), "hop-off-cable", "C1.0"),
        (changed("[4]", "[4, 0]"), "turn-mismatch", good),
        (changed("[4]", "[]"), "turn-mismatch", good),
        (changed("[4]", "[4000000]"), "not-a-route", ""),
        (changed("[4]", "[4.5]"), "not-a-route", ""),
        (changed("[4]", "4"), "not-a-route", ""),
        (changed(", \"turns\": [4]", ""), "not-a-route", ""),
        (changed("turns", "turn"), "not-a-route", ""),
        (changed("\"src\"", "\"source\""), "not-a-route", ""),
        (changed("\"in\": 3", "\"in\": -3"), "not-a-route", ""),
        (changed("}", "} x"), "not-a-route", ""),
        (format!("{good} {good}"), "not-a-route", ""),
        (good[..50].to_owned(), "not-a-route", ""),
        ("[".repeat(100_000), "not-a-route", ""),
        ("null".to_owned(), "not-a-route", ""),
    ];
    for (line, code, place) in rows {
        let other = r#"{"src": "c01", "dst": "c00", "turns": [-4]}"#;
        let file = format!("{other}\n{line}\n");
        let faults = read_routes(&net, &attachments, "routes.ndjson", file.as_bytes()).unwrap_err();
        assert_eq!(faults.faults.len(), 1, "{line}");
        let fault = &faults.faults[0];
        assert_eq!(fault.code, code, "{line}");
        let text = &file[fault.span.clone()];
        assert!(place == good && text.len() > 80 || text == place, "{line}: the fault is at `{text}`");
        assert!(fault.span.start > other.len() && faults.to_string().contains("routes.ndjson:2:"));
    }
}

/// Wrong if only the first fault were told, a repeated pair were taken, or bytes that are no text.
#[test]
fn all_faults_are_told_at_once() {
    let net = presets::load("now-c").unwrap();
    let attachments = Attachments::lowest(&net);
    let line = br#"{"src": "c00", "dst": "c01", "turns": [4]}"#;
    let file = [line, &b"\r\n\n{\"src\": \"\xff\"}\nno\n"[..], line].concat();
    let faults = read_routes(&net, &attachments, "f", &file).unwrap_err();
    let codes: Vec<&str> = faults.faults.iter().map(|fault| fault.code).collect();
    assert_eq!(codes, ["not-utf8", "not-a-route", "duplicate-pair"]);
    assert!(faults.to_string().contains("the pair of line 1"));
    let many = "x\n".repeat(250);
    let faults = read_routes(&net, &attachments, "f", many.as_bytes()).unwrap_err();
    assert_eq!(faults.faults.len(), 250);
    assert!(read_routes(&net, &attachments, "f", b"").unwrap().is_empty());
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("simnet-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
    fn file(&self, name: &str, text: &str) -> String {
        std::fs::write(self.0.join(name), text).unwrap();
        self.path(name)
    }
    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn simnet(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_simnet")).args(arguments).output().unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A ring of four switches with a host each, as JSON.
fn ring(folder: &Folder) -> String {
    let switch = |n: u32| format!(r#"{{"name": "s{n}", "ports": 4}}"#);
    let host = |n: u32| format!(r#"{{"name": "h{n}"}}"#);
    let cables = |n: u32| {
        let next = (n + 1) % 4;
        format!(
            r#"{{"a": "h{n}", "a_port": 0, "b": "s{n}", "b_port": 0}},
               {{"a": "s{n}", "a_port": 1, "b": "s{next}", "b_port": 2}}"#
        )
    };
    let list = |each: &dyn Fn(u32) -> String| (0..4).map(each).collect::<Vec<_>>().join(",");
    let text = format!(
        r#"{{"format": "simnet-topology/1", "name": "ring",
            "switches": [{}], "hosts": [{}], "links": [{}]}}"#,
        list(&switch),
        list(&host),
        list(&cables)
    );
    folder.file("ring.json", &text)
}

/// Wrong if a key were missing, misnamed or extra, or a verdict changed the exit code of `route`.
#[test]
fn the_verb_prints_the_documented_keys() {
    let folder = Folder::new("route-keys");
    let ring = ring(&folder);
    let output = simnet(&["route", &ring, "--algorithm", "minimal", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0));
    let report = json(&output);
    let mut keys: Vec<&str> = report.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    let documented = "algorithm busiest_channel channel_load_by_root_distance crossing_paths \
        dependency_cycle lanes max_channel_load mean_distance non_minimal_pairs pairs \
        restrictions_per_switch root switch_mean_distance unreachable_pairs verdict";
    assert_eq!(keys, documented.split_whitespace().collect::<Vec<_>>());
    assert_eq!(report["dependency_cycle"], serde_json::json!(["s0:1", "s1:1", "s2:1", "s3:1"]));
    let output = simnet(&["route", &ring, "--root", "s2,s1", "--format", "json"]);
    assert_eq!((&json(&output)["root"], &json(&output)["dependency_cycle"]), (&"s2,s1".into(), &Value::Null));
    let human = simnet(&["route", &ring, "--algorithm", "minimal"]);
    assert!(String::from_utf8(human.stdout).unwrap().contains("waits for s3:1"));
}

/// Wrong if `route check` passed routes that can deadlock or leave a pair without a route, or failed sound
/// ones.
#[test]
fn check_judges_given_routes() {
    let folder = Folder::new("route-check");
    let ring = ring(&folder);
    let routes = folder.path("routes.ndjson");
    assert!(simnet(&["route", &ring, "--routes", &routes]).status.success());
    let sound = simnet(&["route", "check", &ring, "--routes", &routes, "--format", "json"]);
    assert_eq!(sound.status.code(), Some(0));
    let report = json(&sound);
    assert_eq!((&report["pairs"], &report["unreachable_pairs"]), (&12.into(), &0.into()));
    // Without its last line a pair has no route.
    let text = std::fs::read_to_string(&routes).unwrap();
    let short: Vec<&str> = text.lines().collect();
    folder.file("short.ndjson", &short[..11].join("\n"));
    let short =
        simnet(&["route", "check", &ring, "--routes", &folder.path("short.ndjson"), "--format", "json"]);
    assert_eq!((short.status.code(), &json(&short)["unreachable_pairs"]), (Some(1), &1.into()));
    // Two hops clockwise from everywhere, the rest by one.
    let clockwise: String = (0..4)
        .flat_map(|n| {
            let line = move |d: u32, turns: &str| {
                format!("{{\"src\": \"h{n}\", \"dst\": \"h{}\", \"turns\": {turns}}}\n", (n + d) % 4)
            };
            [line(1, "[1, -2]"), line(2, "[1, -1, -2]"), line(3, "[2, -1]")]
        })
        .collect();
    let path = folder.file("clockwise.ndjson", &clockwise);
    let cyclic = simnet(&["route", "check", &ring, "--routes", &path, "--format", "json"]);
    assert_eq!(cyclic.status.code(), Some(1));
    assert_eq!(json(&cyclic)["dependency_cycle"], serde_json::json!(["s0:1", "s1:1", "s2:1", "s3:1"]));
    assert_eq!(json(&cyclic)["unreachable_pairs"], 0);
}

/// Wrong if a mistake of the user had another exit code, or left a file behind.
#[test]
fn mistakes_have_their_exit_codes() {
    let folder = Folder::new("route-mistakes");
    let ring = ring(&folder);
    let bad = folder.file("bad.ndjson", "{\"src\": \"h0\"");
    let nowhere = folder.path("no/such/folder");
    let rows: [(&[&str], i32); 14] = [
        (&["route"], 2),
        (&["route", &ring, "--root", "s9"], 2),
        (&["route", &ring, "--root", "h0"], 2),
        (&["route", &ring, "--root", "s0,,s1"], 2),
        (&["route", &ring, "--root", ""], 2),
        (&["route", &ring, "--algorithm", "shortest"], 2),
        (&["route", &ring, "--select", "best"], 2),
        (&["route", &ring, "--utility", "nobody"], 2),
        (&["route", &ring, "--seed", "-1"], 2),
        (&["route", "check", &ring], 2),
        (&["route", "check", &ring, "--lfts", &bad], 3),
        (&["route", &ring, "--routes", &nowhere], 7),
        (&["route", "check", &ring, "--routes", &nowhere], 7),
        (&["route", "check", &ring, "--routes", &bad], 3),
    ];
    for (arguments, code) in rows {
        let output = simnet(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments:?}");
    }
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 2);
    assert!(!Path::new(&nowhere).exists());
}

/// Wrong if the seed did not decide the routes, or anything else did.
#[test]
fn the_seed_decides_the_routes() {
    let folder = Folder::new("route-seed");
    let write = |name: &str, seed: &str| {
        let path = folder.path(name);
        assert!(simnet(&["route", "now-cab", "--routes", &path, "--seed", seed]).status.success());
        std::fs::read(path).unwrap()
    };
    let zero = write("zero", "0");
    assert_eq!(zero, write("again", "0"));
    assert_ne!(zero, write("one", "1"));
    assert!(simnet(&["route", "now-cab", "--routes", &folder.path("default")]).status.success());
    assert_eq!(zero, std::fs::read(folder.path("default")).unwrap());
}
