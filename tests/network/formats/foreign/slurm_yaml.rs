//! Slurm's topology.yaml.

use super::*;

const SAMPLE: &str = include_str!("../samples/topology.yaml");

/// Wrong if the tree were another than in a topology.conf with the same lines.
#[test]
fn a_tree_is_the_same_as_in_a_topology_conf() {
    let conf = "SwitchName=top Switches=leaf[1-2]\nSwitchName=leaf1 Nodes=node[01-02,05]\n\
                SwitchName=leaf2 Nodes=node[03-04]\n";
    assert_eq!(good(SAMPLE).network, good(conf).network);
    assert_eq!(warnings(SAMPLE), "several-topologies 12:13, tree-view 16:17");
    let alone = "- topology: t\n  tree:\n    switches:\n    - nodes: n[1-2]\n      switch: s\n";
    assert_eq!(names(&good(alone).network), "s | n1 n2");
    assert_eq!(warnings(alone), "tree-view 5:15");
}

/// Wrong if the network were not that of the cluster's default, or of the first tree where none is.
#[test]
fn the_default_tree_is_the_network() {
    let tree = |name: &str, default: &str| {
        format!(
            "- topology: {name}\n{default}  tree:\n    switches:\n      - switch: {name}\n        nodes: n\n"
        )
    };
    let default = "  cluster_default: true\n";
    let read = |text: String| names(&good(&text).network);
    assert_eq!(read(tree("a", "") + &tree("b", default)), "b | n");
    assert_eq!(read(tree("a", "") + &tree("b", "")), "a | n");
    assert_eq!(read(format!("- topology: x\n{default}  flat: true\n{}", tree("b", ""))), "b | n");
}

#[test]
fn each_way_to_damage_it_is_refused_in_its_place() {
    pin_damage(
        "slurm-yaml",
        SAMPLE,
        &[
            ("- topology: tree\n", "- topolgy: tree\n"),
            ("- topology: tree\n", "-\n"),
            ("- topology: tree\n", "- topology: tree\n  topology: tree\n"),
            ("cluster_default: true", "cluster_default: yes"),
            ("cluster_default: true", "cluster_default: [true]"),
            ("cluster_default: true", "cluster-default: true"),
            ("  tree:\n", "  flat: true\n  tree:\n"),
            ("  tree:\n", "  tre:\n"),
            ("  tree:\n", "  tree: &t\n"),
            ("  tree:\n", "  tree: 7\n"),
            ("    switches:\n", "    switch:\n"),
            ("    switches:\n", "    switches: leaf1\n"),
            ("    switches:\n", "   switches:\n  "),
            ("- switch: top", "- switch:"),
            ("- switch: top", "- switch: [top]"),
            ("- switch: top", "- switch: {name: top}"),
            ("- switch: top\n", "- swich: top\n"),
            ("- switch: leaf1\n", "- switch: top\n"),
            ("- switch: leaf1\n", "- switch: leaf3\n"),
            ("        children: leaf[1-2]", "        children: leaf[1-3]"),
            ("        children: leaf[1-2]", "        children: top"),
            ("        children: leaf[1-2]", "        children: leaf[2-1]"),
            ("        children: leaf[1-2]", "        children: leaf[1-2"),
            ("        children: leaf[1-2]", "        children: leaf1\n        nodes: x"),
            ("        children: leaf[1-2]", "         children: leaf1"),
            ("        children: leaf[1-2]", "\tchildren: leaf1"),
            ("node[01-02,05]", "node[01-99999999]"),
            ("node[01-02,05]", "leaf2"),
            ("'node[03-04]'", "'node[03-04]"),
            ("'node[03-04]'", "\"node\\t\""),
            ("'node[03-04]'", "|"),
            ("- topology: flat\n", "---\n- topology: flat\n"),
            ("  tree:\n    switches:\n", CUT),
            ("        nodes: node[01-02,05]\n", "        nodes\n"),
        ],
    );
}

/// Wrong if any damage brought the reader down.
#[test]
fn damaged_files_are_read_or_refused() {
    damage_and_read(Format::SlurmYaml, SAMPLE, b"-: \n[],'\"#&*|{}0a\t\0");
}
