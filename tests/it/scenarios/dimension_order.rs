//! `algorithm = "dimension-order"`: in scenarios, and for `simnet route`.

use std::process::Command;

use serde_json::Value;

use simnet::scenario::{Overrides, read};
use simnet::simulation::{self, Outcome};

fn scenario(topology: &str, more: &str) -> String {
    format!(
        "[scenario]\nname = 'order'\n[topology.{topology}]\nx = 5\ny = 4\n[routing]\nalgorithm = 'dimension-order'\n\
         [traffic.uniform]\npayload = '32 B'\nloads = [0.05]\n[measure]\nmessages = 500\n{more}"
    )
}

/// Wrong if a scenario's routes were not those of the algorithm, or its verdict not that of the proof: a mesh is
/// acyclic, a torus with a circle of five is not.
#[test]
fn a_mesh_and_a_torus_run() {
    for (topology, is_cyclic) in [("mesh", false), ("torus", true)] {
        let checked = read("s.toml", scenario(topology, "").as_bytes(), &Overrides::default()).unwrap();
        let run = simulation::run(&checked, &(), None).unwrap();
        let route = run.summary.stages().unwrap().route.as_ref().unwrap();
        assert_eq!((route.algorithm, route.non_minimal_pairs), ("dimension-order", 0), "{topology}");
        assert_eq!(route.dependency_cycle.is_some(), is_cyclic, "{topology}");
        assert_eq!(run.summary.outcome, Outcome::Drained, "{topology}");
    }
}

/// Wrong if another network, or a map, whose ports have no numbers, were routed all the same, or the refusal did not
/// stand at the algorithm.
#[test]
fn other_networks_and_maps_are_refused() {
    let refused = |text: String| match read("s.toml", text.as_bytes(), &Overrides::default()) {
        Ok(_) => panic!("{text}"),
        Err(refusal) => refusal.to_string(),
    };
    let other = refused(scenario("decayed-torus", "").replace("y = 4", "y = 4\nfailed-links = 1"));
    assert!(other.contains("dimension-order routes need a mesh or a torus"), "{other}");
    assert!(other.contains("s.toml:8:13"), "{other}");
    let map = refused(scenario("mesh", "[mapping]\nmapper = 'h0'\n"));
    assert!(map.contains("dimension-order routes on a map"), "{map}");
}

/// Wrong if the command did not know the algorithm, or accepted a network that is no grid.
#[test]
fn the_command_routes_grids() {
    let simnet = |arguments: &[&str], folder: &std::path::Path| {
        Command::new(env!("CARGO_BIN_EXE_simnet")).args(arguments).current_dir(folder).output().unwrap()
    };
    let room = tempfile::tempdir().unwrap();
    let line = ["topo", "generate", "torus", "--x", "6", "--y", "3", "--to", "json", "--out", "net.json"];
    assert!(simnet(&line, room.path()).status.success());
    let line = ["route", "net.json", "--algorithm", "dimension-order", "--format", "json"];
    let printed: Value = serde_json::from_slice(&simnet(&line, room.path()).stdout).unwrap();
    assert_eq!(printed["algorithm"], "dimension-order");
    assert_eq!(printed["dependency_cycle"].as_array().unwrap().len(), 6);
    let refused = simnet(&["route", "now-c", "--algorithm", "dimension-order"], room.path());
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("need a mesh or a torus"));
    let tree = simnet(&["route", "net.json", "--algorithm", "dimension-order", "--tree", "bfs"], room.path());
    assert_eq!(tree.status.code(), Some(2));
}
