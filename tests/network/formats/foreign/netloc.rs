//! netloc's static networks.

use super::*;

const SAMPLE: &str = include_str!("../samples/netloc.json");

/// Wrong if an edge and its counterpart were two cables, a port were lost, or a rate were another.
#[test]
fn a_network_is_read_whole() {
    let net = good(SAMPLE).network;
    let [spine, leaf, n1, n2, n3] =
        ["0100", "0200", "0010", "0020", "0030"].map(|id| format!("0002:c903:0000:{id}"));
    assert_eq!(names(&net), format!("{spine} {leaf} | {n1} {n2} {n3}"));
    let expected = [
        format!("{spine}:1 {leaf}:17"),
        format!("{spine}:2 {leaf}:18"),
        format!("{n1}:1 {leaf}:1"),
        format!("{leaf}:2 {n2}:0"),
        format!("{leaf}:3 {n3}:0"),
    ];
    assert_eq!(cables(&net), expected);
    let rates: Vec<Option<u64>> =
        net.links().iter().map(|link| link.rate.map(|rate| rate.as_bits_per_s())).collect();
    let edr = Some(100_000_000_000);
    assert_eq!(rates, [edr, Some(32_000_000_000), edr, None, None]);
    assert_eq!(net.labels(), ["spine", "leaf", "node01 HCA-1", "node02 HCA-1", n3.as_str()]);
    assert_eq!(net.switches()[0].guid, Some(0x0002_c903_0000_0100));
}

/// Wrong if the order of the keys, or how directions are given, changed the network.
#[test]
fn both_spellings_of_two_directions_are_the_same() {
    let one = "{\"network_info\": {\"network_type\": \"ETH\"}, \"node_info\": {\"nodes\": [{\"type\": \"SW\", \
               \"physical_id\": \"s\"}, {\"type\": \"CA\", \"physical_id\": \"h\"}]}, \"edge_info\": {\"edges\": [";
    let there = "{\"source_node_id\": \"s\", \"dest_node_id\": \"h\", \"source_port\": \"eth3\"}";
    let back = "{\"dest_node_id\": \"s\", \"source_node_id\": \"h\", \"dest_port\": \"eth3\"}";
    let both = there.replace("{", "{\"bidirectional\": true, ");
    let read = |edges: &str| good(&format!("{one}{edges}]}}}}")).network;
    assert_eq!(cables(&read(&both)), ["s:3 h:0"]);
    assert_eq!(read(&format!("{there}, {back}")), read(&both));
    assert_eq!(faults(&format!("{one}{there}]}}}}")), "one-way 1:184");
}

#[test]
fn each_way_to_damage_it_is_refused_in_its_place() {
    pin_damage(
        "netloc",
        SAMPLE,
        &[
            ("\"IB\"", "\"IP\""),
            ("\"network_type\": \"IB\",", ""),
            ("\"version\": \"1\"", "\"version\": \"2\""),
            ("\"version\": \"1\"", "\"version\": 1"),
            ("\"node_info\": {", "\"nodes_info\": {"),
            ("\"nodes\": [", "\"node\": ["),
            ("\"edges\": [", "\"edges\": {}, \"rest\": ["),
            ("\"edge_info\": {", "\"edge_info\": 7, \"rest\": {"),
            ("{\"type\": \"SW\", ", "{"),
            ("\"SW\"", "\"S\""),
            ("\"CA\"", "\"HCA\""),
            ("\"physical_id\": \"0002:c903:0000:0100\", ", ""),
            ("0002:c903:0000:0100", ""),
            ("0002:c903:0000:0100", "0002:c903:0000:0200"),
            ("0002:c903:0000:0100", "0002:c903:0000:01\\u001b"),
            ("\"description\": \"spine\"", "\"description\": null"),
            ("\"description\": \"spine\"", "\"description\": \"a\", \"description\": \"b\""),
            ("{\"source_node_id\": \"0002:c903:0000:0100\"", "{\"source_node_id\": \"0002:c903:0000:0101\""),
            ("{\"source_node_id\": \"0002:c903:0000:0100\",", "{"),
            ("\"dest_port\": \"17\"", "\"dest_port\": 17"),
            ("\"dest_port\": \"18\"", "\"dest_port\": \"17\""),
            ("\"speed\": \"EDR\"", "\"speed\": \"ZDR\""),
            ("\"width\": \"4X\"", "\"width\": \"5X\""),
            ("\"bidirectional\": true", "\"bidirectional\": \"yes\""),
            ("\"bidirectional\": true", "\"bidirectional\": false"),
            ("\"dest_port\": \"1\", \"width\"", "\"dest_port\": \"3\", \"width\""),
            (
                "\"dest_node_id\": \"0002:c903:0000:0200\",\n       \"dest_port\": \"17\"",
                "\"dest_node_id\": \"0002:c903:0000:0100\",\n       \"dest_port\": \"1\"",
            ),
            ("\"edges\": [", CUT),
            ("\"physical_id\": \"0002", CUT),
            ("},\n", "}\n"),
            ("\"SW\", \"logical_id\": \"1\"", "\"CA\", \"logical_id\": \"1\", \"physical_id\": 5, \"x\": 7"),
        ],
    );
}

/// Wrong if any damage brought the reader down.
#[test]
fn damaged_files_are_read_or_refused() {
    damage_and_read(Format::Netloc, SAMPLE, b"{}[]:,\"\\-107x\n\0 ");
}
