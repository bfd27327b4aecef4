//! `simnet map` as a process: what it prints, the map that it writes, how it ends.

use std::fs;
use std::path::Path;

use serde_json::Value;
use simnet::papers::{Rule, reference, tolerance};
use simnet::topology::formats::{self, ReadOptions};
use simnet::topology::{isomorphism, presets};

use crate::simnet;

#[test]
fn the_command_line_maps_and_writes_the_map() {
    // Wrong if a key of the contract were missing, or if the file were not the map that was judged.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("map.json");
    let out =
        simnet(&["map", "now-c", "--mapper", "c-util", "--format", "json", "--map", path.to_str().unwrap()]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    for key in ["algorithm", "explorations", "isomorphic_to", "probes", "turns", "time_ms"] {
        assert!(!report[key].is_null(), "{key}: {report}");
    }
    assert_eq!(
        (&report["hosts"], &report["switches"], &report["links"]),
        (&36.into(), &13.into(), &64.into())
    );
    assert_eq!(report["isomorphic"], true);
    assert_eq!(report["probes"]["host"]["hits"], report["turns"]["host_hits"]);
    let bytes = fs::read(&path).unwrap();
    let map = formats::read("map.json", &bytes, &ReadOptions::default()).unwrap();
    let net = presets::load("now-c").unwrap();
    let mapper = net.find_host("c-util").unwrap();
    assert_eq!(isomorphism::compare(&map, &net, mapper).isomorphic_to, Some("N"));
    let again = simnet(&["map", "now-c", "--mapper", "c-util", "--format", "json"]);
    assert_eq!(again.stdout, out.stdout, "the same every time");
}

#[test]
fn the_command_line_says_what_is_wrong() {
    // Wrong if a slip of the hand got another exit code, or no hint.
    for (arguments, code, hint) in [
        (&["map", "now-c", "--mapper", "c-utl"][..], 2, "did you mean `c-util`"),
        (&["map", "now-c", "--mapper", "C1.0"], 2, "is a switch"),
        (&["map", "now-c"], 2, "--mapper"),
        (&["map", "now-c", "--mapper", "c-util", "--algorithm", "myricon"], 2, "myricom"),
        (&["map", "now-c", "--mapper", "c-util", "--probe-timeout", "3"], 2, "ms"),
        (&["map", "now-c", "--mapper", "c-util", "--probe-timeout", "0 s"], 2, "above zero"),
        (&["map", "no-such-file", "--mapper", "c-util"], 7, "no such file"),
    ] {
        let out = simnet(arguments);
        let errors = String::from_utf8_lossy(&out.stderr).to_lowercase();
        assert_eq!(out.status.code(), Some(code), "{arguments:?}: {errors}");
        assert!(errors.contains(hint), "{arguments:?}: {errors}");
        assert!(out.stdout.is_empty(), "{arguments:?}");
    }
    // A map that is not the truth is printed all the same: of a search that was cut short, and says so.
    let short = simnet(&["map", "now-c", "--mapper", "c-util", "--depth", "1", "--format", "json"]);
    assert_eq!(short.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&short.stdout).unwrap();
    assert_eq!((&report["isomorphic"], &report["isomorphic_to"]), (&false.into(), &Value::Null));
    // A time-out shorter than any answer: late answers are true, but the mapper does not trust it.
    let late =
        simnet(&["map", "now-c", "--mapper", "c-util", "--probe-timeout", "10 us", "--format", "json"]);
    let report: Value = serde_json::from_slice(&late.stdout).unwrap();
    assert_eq!(report["doubts"], serde_json::json!(["loss"]));
}

#[test]
fn the_lowest_cable_of_a_host_is_its_own() {
    // Wrong if a probe that came in on a host's second cable were answered, which merges two ports.
    let text = r#"{"format": "simnet-topology/1", "name": "two",
        "switches": [{"name": "x", "ports": 8}, {"name": "y", "ports": 8}],
        "hosts": [{"name": "a"}, {"name": "b", "ports": 2}, {"name": "c"}],
        "links": [{"a": "a", "a_port": 0, "b": "x", "b_port": 3}, {"a": "b", "a_port": 1, "b": "x", "b_port": 0},
                  {"a": "b", "a_port": 0, "b": "y", "b_port": 7}, {"a": "x", "a_port": 6, "b": "y", "b_port": 1},
                  {"a": "c", "a_port": 0, "b": "y", "b_port": 2}]}"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("two.json");
    fs::write(&path, text).unwrap();
    let out = simnet(&["map", path.to_str().unwrap(), "--mapper", "a", "--format", "json"]);
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!((out.status.code(), &report["links"]), (Some(0), &4.into()), "{report}");
    assert_eq!(report["doubts"], Value::Array(Vec::new()));
}

/// What README.md's mapping commands are to come to: the words that tell a command, what is printed, in milliseconds.
const PRINTED: [(&str, [&str; 4], f64); 3] = [
    ("now-cab", ["000", "Fig7", "mapping time avg, one master", "C+A+B"], 1.0),
    ("--algorithm guarded", ["002", "text", "mapping time, guarded", "Pink, quiet"], 1e3),
    ("--algorithm timed", ["002", "text", "mapping time, timeout-based", "Pink, quiet"], 6e4),
];

/// Whether a time is within its stated tolerance of the printed one, in per cent of which the rule is.
fn is_as_printed([paper, figure, quantity, configuration]: [&str; 4], ours: f64) -> bool {
    let name = if paper == "000" { "mainwaring1997" } else { "hendriks2004" };
    let stated = tolerance(name, figure, quantity, configuration).unwrap();
    let Rule::Within(percent) = stated.rule else { panic!("{quantity}: {stated:?}") };
    let printed = reference(paper, figure, quantity, configuration).unwrap();
    (ours / printed - 1.0).abs() * 100.0 <= percent
}

/// Wrong if a command of README.md's section on mapping did not give its paper's number, took other software than that
/// of its paper's hosts, or said so of another paper.
#[test]
fn mapping_commands_of_the_readme_give_the_numbers_of_their_papers() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let section = readme.split("\n## ").find(|section| section.starts_with("Mapping\n")).unwrap();
    let mut times = Vec::new();
    for (words, names, ms) in PRINTED {
        let is_meant = |line: &&str| line.starts_with("simnet map ") && line.contains(words);
        let command = section.lines().find(is_meant).unwrap_or_else(|| panic!("no command with {words}"));
        let command = command.split(" #").next().unwrap();
        let mut arguments: Vec<&str> = command.split_whitespace().skip(1).collect();
        arguments.extend(["--format", "json"]);
        let out = simnet(&arguments);
        assert!(out.status.success(), "{command}: {}", String::from_utf8_lossy(&out.stderr));
        let report: Value = serde_json::from_slice(&out.stdout).unwrap();
        let time = report["time_ms"].as_f64().unwrap();
        assert!(is_as_printed(names, time / ms), "{command}: {time} ms");
        let paper = if names[0] == "000" { "mainwaring1997" } else { "hendriks2004" };
        assert_eq!(report["software"]["paper"], paper, "{command}");
        times.push(time);
    }
    let speed_up = ["002", "text", "speed-up", "Pink"];
    assert!(is_as_printed(speed_up, times[2] / times[1]), "{times:?}");
}

/// Wrong if software that the caller sets were overridden, or called a paper's.
#[test]
fn software_that_is_set_stays_as_set() {
    let software = |more: &[&str]| {
        let mut arguments = vec!["map", "now-c", "--mapper", "c-util", "--format", "json"];
        arguments.extend(more);
        let report: Value = serde_json::from_slice(&simnet(&arguments).stdout).unwrap();
        (report["software"]["paper"].clone(), report["software"]["loop_us"].as_f64().unwrap())
    };
    assert_eq!(software(&[]), ("mainwaring1997".into(), 330.0));
    assert_eq!(software(&["--algorithm", "myricom"]), ("mainwaring1997".into(), 20.0));
    assert_eq!(software(&["--algorithm", "guarded"]), ("hendriks2004".into(), 12.0));
    assert_eq!(software(&["--set", "mapping.algorithm='guarded'"]), ("hendriks2004".into(), 12.0));
    let set = ["--algorithm", "guarded", "--set", "hosts.loop-overhead='330 us'"];
    assert_eq!(software(&set), (Value::Null, 330.0));
}
