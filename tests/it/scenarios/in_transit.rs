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

/// Wrong if a host took another time than the 1.3 us of the first implementation where the scenario does not say
/// one, or took none: messages that are sent on are slower by it.
#[test]
fn without_a_time_hosts_take_that_of_the_first_implementation() {
    let latency = |hosts: &str| {
        let checked = read("s.toml", scenario(hosts, "").as_bytes(), &Overrides::default()).unwrap();
        simulation::run(&checked, &(), None).unwrap().summary.points()[0].latency_mean_ns
    };
    let none_said = latency("");
    assert_eq!(none_said, latency("in-transit-latency = '1.3 us'"));
    let shorter = latency("in-transit-latency = '0.3 us'");
    assert!(none_said > shorter, "{none_said:?} {shorter:?}");
}

/// A ring of six switches from the root s0, hosts at three of them: between s2 and s4 the shortest routes go down
/// and up again at s3, which has none.
fn ring() -> String {
    let switches: Vec<String> = (0..6).map(|n| format!(r#"{{"name": "s{n}", "ports": 3}}"#)).collect();
    let hosts = [0, 2, 4].map(|n| format!(r#"{{"name": "h{n}"}}"#));
    let cable = |from: String, to: u32, port: u32| {
        format!(r#"{{"a": "{from}", "a_port": 0, "b": "s{to}", "b_port": {port}}}"#)
    };
    let mut links: Vec<String> = (0..6).map(|n| cable(format!("s{n}"), (n + 1) % 6, 1)).collect();
    links.extend([0, 2, 4].map(|n| cable(format!("h{n}"), n, 2)));
    format!(
        r#"{{"format": "simnet-topology/1", "name": "ring", "switches": [{}], "hosts": [{}], "links": [{}]}}"#,
        switches.join(", "),
        hosts.join(", "),
        links.join(", ")
    )
}

/// Wrong if the two pairs whose routes would be cut at a switch without hosts were not named, or were lost.
#[test]
fn pairs_that_no_host_can_send_on_are_named() {
    let room = tempfile::tempdir().unwrap();
    std::fs::write(room.path().join("ring.json"), ring()).unwrap();
    let line = ["route", "ring.json", "--algorithm", "in-transit", "--root", "s0"];
    let simnet = |more: &[&str]| {
        let arguments = [&line[..], more].concat();
        Command::new(env!("CARGO_BIN_EXE_simnet")).args(arguments).current_dir(room.path()).output().unwrap()
    };
    let human = String::from_utf8(simnet(&[]).stdout).unwrap();
    for (from, to) in [("h2", "h4"), ("h4", "h2")] {
        let named = format!("up, then down from {from} to {to}: no host where a shortest route is cut");
        assert!(human.contains(&named), "{human}");
    }
    let json: Value = serde_json::from_slice(&simnet(&["--format", "json"]).stdout).unwrap();
    assert_eq!((&json["uncut_pairs"], &json["unreachable_pairs"]), (&2.into(), &0.into()), "{json}");
    assert_eq!((&json["non_minimal_pairs"], &json["verdict"]), (&2.into(), &"acyclic".into()), "{json}");
}

/// Wrong if the time of hosts in transit stood beside what it does not go with.
#[test]
fn what_hosts_in_transit_do_not_go_with_is_refused() {
    let refused = |text: String| match read("s.toml", text.as_bytes(), &Overrides::default()) {
        Ok(_) => panic!("{text}"),
        Err(refusal) => refusal.to_string(),
    };
    let latency = "in-transit-latency = '1.3 us'";
    for latency in [latency, ""] {
        let buffer = refused(scenario(&format!("{latency}\nreceive-buffer = '200 B'"), ""));
        assert!(buffer.contains("a receive buffer send nothing on"), "{buffer}");
    }
    let fails = "[[failures]]\nat = '1 us'\nlink = 's0:0'\n";
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
    // Of 2,000 messages and more none is lost at a host, which is told how to send them on.
    let loaded: Value =
        serde_json::from_slice(&simnet(&[&line[..], &["--load", "0.01"]].concat()).stdout).unwrap();
    let load = &loaded["under_load"];
    let accepted = load["accepted_flits_per_cycle_per_host"].as_f64().unwrap();
    assert!(
        (accepted / load["offered_flits_per_cycle_per_host"].as_f64().unwrap() - 1.0).abs() < 0.02,
        "{load}"
    );
    let proof = ["--certificate", "proof.ndjson"];
    assert!(simnet(&[&line[..], &proof].concat()).status.success());
    let line = ["route", "verify", "net.json", "proof.ndjson", "--routes", "r.ndjson"];
    let verified = simnet(&line);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stderr));
    let tables = simnet(&["route", "net.json", "--algorithm", "in-transit", "--per-destination"]);
    assert_eq!(tables.status.code(), Some(2));
    assert!(!Path::new("r.ndjson").exists(), "everything was written in a room of its own");
}
