//! Real files, where they lie next to the project, with the figures that are known of them.

use std::process::Command;

use support_network::shared;

fn simnet(arguments: &[&str]) -> serde_json::Value {
    let output =
        Command::new(env!("CARGO_BIN_EXE_simnet")).args(arguments).args(["--format", "json"]).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn path(file: &str) -> Option<String> {
    let path = shared(&format!("topologies/{file}"))?;
    Some(path.display().to_string())
}

/// Wrong if a host, a switch or a cable of a real file were lost or made up.
#[test]
fn real_files_have_the_figures_that_are_known() {
    for (file, hosts, switches, links, components) in [
        ("slurm/nstda-tara-topology.conf", 10, 5, 14, 1),
        ("slurm/schedmd-test133-case6-topology.conf", 40, 7, 44, 3),
        ("anynet/booksim-anynet_file", 9, 3, 12, 1),
        ("graphml/Abilene.graphml", 0, 11, 14, 1),
        ("graphml/Arpanet19719.graphml", 0, 18, 22, 1),
        ("subnet-lst/subnet.lst", 3, 62, 172, 1),
        ("netq-topologyGraph.json", 8, 3, 79, 1),
    ] {
        let Some(path) = path(file) else { continue };
        let found = simnet(&["topo", "show", &path]);
        let expected = [hosts, switches, links, components];
        assert_eq!(
            ["hosts", "switches", "links", "components"].map(|key| found[key].as_u64().unwrap()),
            expected,
            "{file}"
        );
    }
}

/// Wrong if ids were not the names of nodes, or routes on a graph with hosts added were not the shortest
/// legal ones.
#[test]
fn graphs_of_the_zoo_have_the_distances_that_are_known() {
    for (file, root, mean, non_minimal) in [
        ("graphml/Abilene.graphml", "4", 2.3377, None),
        ("graphml/Abilene.graphml", "Sunnyvale", 2.3377, None),
        ("graphml/Arpanet19719.graphml", "10", 3.7587, Some(208)),
    ] {
        let Some(path) = path(file) else { continue };
        let found = simnet(&["route", &path, "--hosts-per-switch", "2", "--root", root]);
        assert!((found["mean_distance"].as_f64().unwrap() - mean).abs() < 5e-5, "{file}: {found}");
        assert!(found["dependency_cycle"].is_null(), "{file}: {found}");
        if let Some(non_minimal) = non_minimal {
            assert_eq!(found["non_minimal_pairs"], non_minimal, "{file}");
        }
        let minimal = simnet(&["route", &path, "--hosts-per-switch", "2", "--algorithm", "minimal"]);
        assert!(minimal["dependency_cycle"].is_array(), "{file}: minimal routing deadlocks");
    }
}
