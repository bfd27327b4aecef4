//! `algorithm = "in-transit"`: in scenarios, for `simnet route`, and in files of routes.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use simnet::scenario::{Overrides, read};
use simnet::simulation::{self, Outcome};

fn scenario(hosts: &str, more: &str) -> String {
    format!(
        "[scenario]\nname = 'transit'\nseed = 3\n[topology.random-regular]\nswitches = 12\ndegree = 3\n\
         hosts-per-switch = 2\n[hosts]\n{hosts}\n[routing]\nalgorithm = 'in-transit'\n\
         [traffic.uniform]\npayload = '64 B'\nloads = [0.05]\n[measure]\nmessages = 2000\n{more}"
    )
}

/// Wrong if routes were not shortest, could deadlock, or a message were lost where a host sends on.
#[test]
fn hosts_send_on_and_nothing_is_lost() {
    let text = scenario("in-transit-latency = '1.3 us'", "");
    let checked = read("s.toml", text.as_bytes(), &Overrides::default()).unwrap();
    let run = simulation::run(&checked, &(), None).unwrap();
    let route = run.summary.stages().unwrap().route.as_ref().unwrap();
    assert_eq!((route.algorithm, route.non_minimal_pairs), ("in-transit", 0));
    assert_eq!((route.unreachable_pairs, route.dependency_cycle.is_some()), (0, false));
    assert_eq!(run.summary.outcome, Outcome::Drained);
    let point = &run.summary.points()[0];
    assert!(point.messages >= 2_000, "{point:?}");
}

/// Wrong if the time of hosts in transit could be left out, or stood beside what it does not go with.
#[test]
fn what_hosts_in_transit_do_not_go_with_is_refused() {
    let refused = |text: String| match read("s.toml", text.as_bytes(), &Overrides::default()) {
        Ok(_) => panic!("{text}"),
        Err(refusal) => refusal.to_string(),
    };
    let latency = "in-transit-latency = '1.3 us'";
    assert!(refused(scenario("", "")).contains("need a time for it"));
    let buffer = refused(scenario(&format!("{latency}\nreceive-buffer = '200 B'"), ""));
    assert!(buffer.contains("a receive buffer send nothing on"), "{buffer}");
    let fails = "[[failures]]\nat = '1 us'\nlink = ['s0:0', 's1:0']\n";
    assert!(refused(scenario(latency, fails)).contains("where cables fail"));
    assert!(refused(scenario(latency, "[mapping]\nmapper = 'h0'\n")).contains("takes hosts that send on"));
    assert!(refused(scenario("in-transit-latency = '0 us'", "")).contains("above"));
}

/// Wrong if written routes were judged otherwise than those computed, or tables of switches were made of them.
#[test]
fn routes_are_written_and_judged() {
    let room = tempfile::tempdir().unwrap();
    let simnet = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_simnet")).args(arguments).current_dir(room.path()).output().unwrap()
    };
    let made =
        ["topo", "generate", "random-regular", "--switches", "10", "--degree", "3", "--hosts-per-switch"];
    assert!(simnet(&[&made[..], &["2", "--out", "net.json"]].concat()).status.success());
    let line = ["route", "net.json", "--algorithm", "in-transit", "--routes", "r.ndjson", "--format", "json"];
    let computed: Value = serde_json::from_slice(&simnet(&line).stdout).unwrap();
    assert_eq!((&computed["verdict"], &computed["non_minimal_pairs"]), (&"acyclic".into(), &0.into()));
    assert!(std::fs::read_to_string(room.path().join("r.ndjson")).unwrap().contains(", 0, "));
    let line = ["route", "check", "net.json", "--routes", "r.ndjson", "--format", "json"];
    let read: Value = serde_json::from_slice(&simnet(&line).stdout).unwrap();
    for key in ["verdict", "pairs", "unreachable_pairs", "mean_distance", "max_channel_load"] {
        assert_eq!(read[key], computed[key], "{key}");
    }
    let proof = ["--certificate", "proof.ndjson"];
    assert!(simnet(&[&line[..], &proof].concat()).status.success());
    let line = ["route", "verify", "net.json", "proof.ndjson", "--routes", "r.ndjson"];
    let verified = simnet(&line);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stderr));
    let tables = simnet(&["route", "net.json", "--algorithm", "in-transit", "--per-destination"]);
    assert_eq!(tables.status.code(), Some(2));
    assert!(!Path::new("r.ndjson").exists(), "everything was written in a room of its own");
}
