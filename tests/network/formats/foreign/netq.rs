//! NetQ's graphs.

use support_network::shared;

use super::*;

const SAMPLE: &str = include_str!("../samples/netq.json");

/// Wrong if a link were lost or made up, a host were a switch, or a port had another number than its name.
#[test]
fn a_graph_is_read_whole() {
    let net = good(SAMPLE).network;
    assert_eq!(names(&net), "leaf01 spine01 | node01 node02");
    assert_eq!(net.labels(), ["leaf01", "spine one", "dgx-01", "dgx-02"]);
    let expected = [
        "leaf01:49 spine01:1",
        "leaf01:50 spine01:2",
        "node01:0 leaf01:1",
        "leaf01:2 node02:0",
        "leaf01:3 node02:1",
    ];
    assert_eq!(cables(&net), expected);
}

/// Wrong if a host, a switch or a cable of a real file were lost or made up.
#[test]
fn a_real_graph_has_the_figures_that_are_known() {
    let Some(file) = shared("topologies/netq-topologyGraph.json") else { return };
    let net = good(&std::fs::read_to_string(file).unwrap()).network;
    assert_eq!((net.switches().len(), net.hosts().len(), net.links().len()), (3, 8, 79));
}

#[test]
fn each_way_to_damage_it_is_refused_in_its_place() {
    pin_damage(
        "netq",
        SAMPLE,
        &[
            ("\"links\"", "\"link\""),
            ("\"nodes\"", "\"node\""),
            ("\"links\": [", "\"links\": 7, \"rest\": ["),
            ("\"compounded_links\": [", "\"compounded\": ["),
            ("\"compounded_links\": [", "\"compounded_links\": {}, \"rest\": ["),
            ("\"compounded_nodes\": [", "\"compounded\": ["),
            ("\"compounded_nodes\": [", "\"compounded_nodes\": 1, \"rest\": ["),
            ("\"interfaces\": [", "\"interface\": ["),
            ("\"interfaces\": [", "\"interfaces\": [7,"),
            ("\"interfaces\": [", "\"interfaces\": [{\"node\": \"leaf01\", \"interface\": \"swp9\"},"),
            ("\"interface\": \"swp49\",", ""),
            ("\"interface\": \"swp49\"", "\"interface\": 49"),
            ("\"interface\": \"swp49\"", "\"interface\": \"swp50\""),
            ("\"interface\": \"swp49\"", "\"interface\": \"swp1\""),
            ("\"node\": \"leaf01\"", "\"node\": \"leaf1\""),
            ("\"node\": \"leaf01\"", "\"node\": null"),
            ("\"node\": \"leaf01\"", "\"node\": \"spine01\", \"node\": \"leaf01\""),
            (
                "\"interface\": \"swp49\",\n        \"node\": \"leaf01\"",
                "\"interface\": \"swp1\",\n        \"node\": \"spine01\"",
            ),
            ("\"id\": \"spine01\"", "\"id\": \"leaf01\""),
            ("\"id\": \"spine01\"", "\"id\": \"\""),
            ("\"id\": \"spine01\"", "\"id\": 1"),
            ("\"id\": \"spine01\",", ""),
            ("\"device_type\": \"switch\",", ""),
            ("\"device_type\": \"switch\"", "\"device_type\": [\"switch\"]"),
            ("\"name\": \"spine one\"", "\"name\": 1"),
            ("\"nodes\": [", "\"nodes\": [\"x\", "),
            ("\"compounded_links\": [", CUT),
            ("},\n", "}\n"),
        ],
    );
}

/// Wrong if nesting exhausted the stack.
#[test]
fn deep_nodes_are_bounded() {
    let deep = |depth: usize| {
        format!(
            "{{\"links\": [], \"nodes\": [{}{}]}}",
            "{\"compounded_nodes\": [".repeat(depth),
            "]}".repeat(depth)
        )
    };
    assert!(faults(&deep(40)).starts_with("too-deep "));
    assert!(faults(&deep(100_000)).starts_with("syntax "));
}

/// Wrong if any damage brought the reader down.
#[test]
fn damaged_files_are_read_or_refused() {
    damage_and_read(Format::Netq, SAMPLE, b"{}[]:,\"\\-107x\n\0 ");
}
