//! What lldpctl prints on all machines.

use super::*;

const SAMPLE: &str = include_str!("../samples/lldp.json");

/// Wrong if a cable that both ends report were two, a neighbour were lost, or a host were a switch.
#[test]
fn all_machines_make_a_network() {
    let net = good(SAMPLE).network;
    assert_eq!(names(&net), "leaf01 leaf02 | node01 node02 node09 0c:42:a1:00:30:01");
    let expected = [
        "node01:0 leaf01:1",
        "node02:0 leaf01:2",
        "node02:1 leaf02:2",
        "leaf01:49 leaf02:49",
        "leaf02:3 0c:42:a1:00:30:01:0",
    ];
    assert_eq!(cables(&net), expected);
}

/// Wrong if both of lldpd's spellings were two networks.
#[test]
fn both_spellings_are_the_same() {
    let json = r#"{"h": {"lldp": {"interface": {"eth0": {
        "chassis": {"s": {"capability": {"type": "Bridge", "enabled": true}}},
        "port": {"id": {"type": "ifname", "value": "p3"}}}}}}}"#;
    let json0 = r#"{"h": {"lldp": [{"interface": [{"name": "eth0",
        "chassis": [{"name": [{"value": "s"}], "capability": [{"type": "Bridge", "enabled": true}]}],
        "port": [{"id": [{"type": "ifname", "value": "p3"}]}]}]}]}}"#;
    assert_eq!(cables(&good(json).network), ["h:0 s:3"]);
    assert_eq!(good(json0).network, good(json).network);
}

/// Wrong if the output of one machine were taken for a network, or refused without a way out.
#[test]
fn the_output_of_one_machine_is_refused_with_a_way_out() {
    let alone = "{\"lldp\": {\"interface\": {\"eth0\": {\"chassis\": {\"s\": {}}}}}}";
    let refused = read(alone).unwrap_err();
    assert_eq!(places(&refused), "one-machine 1:2");
    assert!(refused.to_string().contains("gather all machines: {\"node01\": OUTPUT"), "{refused}");
}

#[test]
fn each_way_to_damage_it_is_refused_in_its_place() {
    pin_damage(
        "lldp",
        SAMPLE,
        &[
            ("\"node01\": {\n  \"lldp\"", "\"lldp\": {\n  \"lldp\""),
            ("\"node01\"", "\"\""),
            ("\"node01\"", "\"node02\""),
            ("\"node01\"", "\"no\\u0007de\""),
            ("\"node01\": {", "\"node01\": [], \"x\": {"),
            ("\"lldp\": {", "\"LLDP\": {"),
            ("\"lldp\": {", "\"lldp\": 7, \"x\": {"),
            ("\"lldp\": {", "\"lldp\": [], \"x\": {"),
            ("\"interface\": {", "\"interface\": 7, \"x\": {"),
            ("\"eth0\": {", "\"eth0\": \"up\", \"eth1\": {"),
            ("\"eth0\": {", "\"eth0\": {}, \"eth1\": {"),
            ("\"chassis\": {", "\"chassis\": [], \"x\": {"),
            ("\"chassis\": {", "\"chassis\": {}, \"x\": {"),
            ("\"chassis\": {", "\"chassis\": \"leaf01\", \"x\": {"),
            ("\"chassis\": {", "\"chassi\": {"),
            ("\"leaf01\": {\n", "\"\": {\n"),
            ("\"leaf01\": {\n", "\"le\\u001baf\": {\n"),
            ("\"value\": \"swp1\"", "\"value\": \"swp2\""),
            ("\"value\": \"swp1\"", "\"value\": \"swp49\""),
            ("\"interface\": {\n", "\"interface\": {\"eth0\": {\"chassis\": {\"leaf01\": {}}}, \n"),
            ("\"eth1\": {", "\"eth0\": {"),
            ("\"swp2\": {", "\"swp1\": {"),
            ("\"via\": \"LLDP\"", "\"via\": \"LLDP\", \"via\": \"CDP\""),
            ("{\n \"node01\"", "{\n \"node01\": 7,\n \"node08\""),
            ("\"ttl\": \"120\"", CUT),
            ("},\n", "}\n"),
            ("\"name\": \"swp49\"", "\"name\": \"swp3\""),
            ("\"name\": \"swp49\",", ""),
        ],
    );
}

/// Wrong if any damage brought the reader down.
#[test]
fn damaged_files_are_read_or_refused() {
    damage_and_read(Format::Lldp, SAMPLE, b"{}[]:,\"\\-107x\n\0 ");
}
