//! Slurm's topology.conf.

use simnet_network::topology::formats::{self, Format, ReadOptions};

use super::{cables, compare, damage_and_read, faults, good, names, warnings};

const TREE: &str = "\
# two leaves\n\
SwitchName=top Switches=leaf[0-1] LinkSpeed=100\n\
switchname=leaf0 NODES=n[08-10]   # three\n\
SwitchName=leaf1 \\\n   Nodes=\"m1,m2\"\n";

/// Wrong if a node, a cable or a port were lost, added, or put elsewhere.
#[test]
fn a_tree_is_read_as_it_stands() {
    for text in [TREE.to_owned(), TREE.replace('\n', "\r\n"), format!("\u{feff}{TREE}")] {
        let net = good(&text).network;
        assert_eq!(names(&net), "top leaf0 leaf1 | n08 n09 n10 m1 m2");
        let expected = [
            "top:0 leaf0:3",
            "top:1 leaf1:2",
            "leaf0:0 n08:0",
            "leaf0:1 n09:0",
            "leaf0:2 n10:0",
            "leaf1:0 m1:0",
        ];
        assert_eq!(cables(&net)[..6], expected);
        assert_eq!(cables(&net).len(), 7);
        assert_eq!(net.switches().iter().map(|switch| switch.ports).collect::<Vec<_>>(), [2, 4, 3]);
    }
}

/// Wrong if a reader of the result were not warned what the view leaves out, or what Slurm would have reported
/// them.
#[test]
fn what_slurm_warns_of_is_warned_of() {
    let view = |rest: &str| format!("tree-view 1:1{rest}");
    for (text, expected) in [
        ("SwitchName=a Nodes=n[0-1]", view("")),
        ("SwitchName=a", view("")),
        ("SwitchName=a Nodes=n0\nSwitchName=b Nodes=n1", view(", no-root 1:1")),
        ("SwitchName=a Nodes=n[0-2]\nSwitchName=b Nodes=n[1-2]", view(", several-above 2:20")),
        (
            "SwitchName=a Nodes=n0\nSwitchName=s Switches=a\nSwitchName=t Switches=a",
            view(", several-above 3:23"),
        ),
        ("SwitchName=a Nodes=n0,n0", view(", listed-twice 1:23")),
        ("SwitchName=a[0-1] Nodes=n0", "tree-view 1:1, switch-list 1:12, several-above 1:25".to_owned()),
    ] {
        assert_eq!(warnings(text), expected, "{text}");
    }
    let net = good("SwitchName=a Nodes=n[0-2]\nSwitchName=b Nodes=n[1-2]").network;
    assert_eq!(cables(&net), ["a:0 n0:0", "a:1 n1:0", "a:2 n2:0", "b:0 n1:1", "b:1 n2:1"]);
}

/// Wrong if a fault were overlooked, reported elsewhere, or hid another one.
#[test]
fn each_fault_is_found_in_its_place() {
    let rows = [
        ("SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2", "duplicate-switch 2:12"),
        ("SwitchName=a Nodes=n[1", "bad-name 1:21"),
        ("SwitchName=a Nodes=n[3-1],m]", "bad-name 1:22, bad-name 1:28"),
        ("SwitchName=a Nodes=,", "no-name 1:20"),
        ("SwitchName=a Nodes=b Switches=c", "nodes-and-switches 1:31"),
        (
            "SwitchName=a Switches=b\nSwitchName=c Switches=d,e",
            "unknown-switch 1:23, unknown-switch 2:23, unknown-switch 2:25",
        ),
        ("SwitchName=a Switches=a", "not-a-tree 1:23"),
        ("SwitchName=a Switches=b\nSwitchName=b Switches=c\nSwitchName=c Switches=a", "not-a-tree 3:23"),
        (
            "SwitchName=t Switches=a\nSwitchName=a Switches=b\nSwitchName=b Switches=x,a\nSwitchName=x",
            "not-a-tree 3:25",
        ),
        ("SwitchName=a Nodes=b\nSwitchName=b Nodes=c", "duplicate-name 1:20"),
        ("SwitchName=a Nodes=b\nNodes=c", "no-name 2:1"),
        ("SwitchName=a SwitchName=b", "no-name 1:14"),
        ("SwitchName=", "no-value 1:1"),
        ("SwitchName=a Nodes=", "no-value 1:14"),
        ("SwitchName=a Nodes=\"b", "unbalanced 1:20"),
        ("SwitchName=a Nodes=\"b\"c", "no-value 1:14"),
        ("SwitchName=a Nodes=b, c", "not-a-key 1:23"),
        ("SwitchName=a Nodes=b Nodes=c", "duplicate-key 1:22"),
        ("SwitchName=a Node=b", "unknown-key 1:14"),
        ("SwitchName=a Nodes=b LinkSpeed=fast", "bad-number 1:32"),
        ("SwitchName=a Nodes=b\n\ninclude more.conf", "not-a-key 3:1"),
        ("SwitchName=a \\\n  Nodes=b \\\n  Nodez=c", "unknown-key 3:3"),
        ("SwitchName=a Level=0 Nodes=b", "unknown-key 1:14"),
        ("SwitchName=a Nodes=n[0-999999999]", "too-many-names 1:20"),
        ("SwitchName=a Nodes=n[0-9999]x[0-9999]y[0-9999999]", "too-many-names 1:20"),
        ("BlockName=b1 Nodes=n[1-4]\nBlockSizes=4", "other-file 1:1"),
        ("# blocks\n BlockSizes = 4\nSwitchName=a Nodes=b", "other-file 2:2"),
        ("RingName=r Nodes=n[1-4]", "other-file 1:1"),
        ("ClusterName=c\nNodeName=n[1-4] CPUs=4", "other-file 1:1"),
        ("---\n- topology: t1\n  block:\n    blocks:\n      - block: b1\n", "other-file 2:13"),
    ];
    compare(rows, faults);
    let long = "n".repeat(65);
    assert_eq!(faults(&format!("SwitchName={long} Nodes=a")), "name-too-long 1:12");
    assert_eq!(faults(&format!("SwitchName=a Nodes={long},b")), "name-too-long 1:20");
    assert_eq!(good(&format!("SwitchName={} Nodes=a", &long[1..])).network.switches().len(), 1);
}

/// Wrong if few words could fill the memory or the time, or a long line were printed whole.
#[test]
fn large_files_are_bounded() {
    let line = "SwitchName=s[0-20000] Nodes=n[0-20000]\n";
    assert_eq!(faults(line), "too-many-names 1:1");
    let lists: String = (0..60).map(|n| format!("SwitchName=s{n} Nodes=n{n}x[0-30000]\n")).collect();
    assert!(faults(&lists).starts_with("too-many-names 35:"), "{}", faults(&lists));
    let megabyte = format!("SwitchName=a Nodes={}", "n1,".repeat(1 << 19));
    assert_eq!(faults(&megabyte), "too-many-names 1:98321");
    let comment = format!("SwitchName=a Nodes=n # {}", "\\#".repeat(1 << 20));
    assert_eq!(good(&comment).network.hosts().len(), 1);
    assert_eq!(faults(&format!("SwitchName=a Nodes={}", "[".repeat(1 << 20))), "bad-name 1:20");
    assert_eq!(faults(&format!("SwitchName=a {}", "x".repeat(1 << 20))), "not-a-key 1:14");
    assert!(
        faults(&format!("SwitchName=a Nodes={}", "\\".repeat(1 << 20))).starts_with("name-too-long 1:21")
    );
    let chain: String = (0..5_000).map(|n| format!("SwitchName=s{n} Switches=s{}\n", n + 1)).collect();
    assert_eq!(good(&format!("{chain}SwitchName=s5000 Nodes=n")).network.links().len(), 5_001);
    assert_eq!(faults(&format!("{chain}SwitchName=s5000 Switches=s0")), "not-a-tree 5001:27");
}

/// Wrong if a comment in latin-1 made a file unreadable, or lost a name of it.
#[test]
fn latin1_is_accepted() {
    let bytes = b"# Geb\xe4ude\nSwitchName=a Nodes=n\xe41\n";
    let net = formats::read("net", bytes, &ReadOptions::default()).unwrap();
    assert_eq!(names(&net), "a | n\u{e4}1");
}

/// Wrong if any damage brought the reader down.
#[test]
fn damaged_files_are_read_or_refused() {
    damage_and_read(Format::Slurm, TREE, b"[]-,=\\\"# \n\r\x000129ax\xe4");
}
