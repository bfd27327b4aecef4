//! `simnet map` as a process: what it prints, the map that it writes, how it ends.

use serde_json::Value;
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
    let bytes = std::fs::read(&path).unwrap();
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
    std::fs::write(&path, text).unwrap();
    let out = simnet(&["map", path.to_str().unwrap(), "--mapper", "a", "--format", "json"]);
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!((out.status.code(), &report["links"]), (Some(0), &4.into()), "{report}");
    assert_eq!(report["doubts"], Value::Array(Vec::new()));
}
