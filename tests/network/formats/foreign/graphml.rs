//! GraphML.

use simnet_base::ids::Node;
use simnet_network::topology::formats::{self, Format, ReadOptions};
use simnet_network::topology::metrics::measure;

use super::{cables, compare, damage_and_read, faults, good, names, warnings};

const SMALL: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key attr.name="label" for="graph" id="d9" />
  <key attr.name="label" for="node" id="d1" />
  <key attr.name="Internal" for="node" id="d2"><default>1</default></key>
  <key attr.name="LinkSpeedRaw" for="edge" id="d7" />
  <graph edgedefault="undirected">
    <data key="d9">Small</data>
    <edge source="7" target="b"><data key="d7">1.0E10</data></edge>
    <node id="7"><data key="d1">Bern</data></node>
    <node id="b"><data key="d1">Bern</data><data key="d2">0</data></node>
    <node id="c d"/>
    <edge source="b" target="7"/>
    <edge source="b" target="b"><data key="d7">0</data></edge>
    <edge source="c d" target="7"/>
  </graph>
</graphml>
"#;

/// Wrong if a node, an edge, a rate or a label were lost, or two parallel edges were one cable.
#[test]
fn a_graph_is_read_as_it_stands() {
    for text in [SMALL.to_owned(), SMALL.replace('\n', "\r\n"), format!("\u{feff}{SMALL}")] {
        let net = good(&text).network;
        assert_eq!((net.name.as_str(), names(&net).as_str()), ("Small", "7 b c d |"));
        assert_eq!(cables(&net), ["7:0 b:0", "b:1 7:1", "b:2 b:3", "c d:0 7:2"]);
        let rates: Vec<Option<u64>> =
            net.links().iter().map(|link| link.rate.map(|rate| rate.as_bits_per_s())).collect();
        assert_eq!(rates, [Some(10_000_000_000), None, None, None]);
        assert_eq!(net.switches()[1].description.as_deref(), Some("Bern"));
        let metrics = measure(&net);
        assert_eq!((metrics.parallel_links, metrics.loopback_links, metrics.components), (1, 1, 1));
        assert!(net.find("Bern").is_none(), "two nodes are labelled so");
    }
    assert_eq!(warnings(SMALL), "peculiar 11:5");
}

/// Wrong if hosts were not put on every switch, or into ports that edges use.
#[test]
fn hosts_are_added() {
    let options = ReadOptions { hosts_per_switch: Some(2), ..ReadOptions::default() };
    let net = formats::read("net", SMALL.as_bytes(), &options).unwrap();
    assert_eq!((net.hosts().len(), net.links().len()), (6, 10));
    let ports: Vec<usize> = net.switch_ids().map(|id| net.cables(Node::Switch(id)).count()).collect();
    assert_eq!(ports, [5, 6, 3]);
    let many = ReadOptions { hosts_per_switch: Some(u16::MAX), ..ReadOptions::default() };
    let refused = formats::read("net", SMALL.as_bytes(), &many).unwrap_err();
    assert_eq!(refused.faults[0].code, "too-many-hosts");
}

fn graph(inside: &str) -> String {
    format!("<graphml><key id='r' for='edge' attr.name='LinkSpeedRaw'/><graph>\n{inside}\n</graph></graphml>")
}

/// Wrong if a fault were overlooked, reported elsewhere, or hid another one.
#[test]
fn each_fault_is_found_in_its_place() {
    let rows = [
        ("<node id='a'/><node id='a'/>", "duplicate-name 2:15"),
        ("<node/>\n<node id=''/>", "no-name 2:1, no-name 3:1"),
        (
            "<node id='a'/><edge source='a' target='b'/><edge source='c'/>",
            "unknown-node 2:40, unknown-node 2:58, no-end 2:44",
        ),
        ("<node id='a'><graph><node id='b'/></graph></node>", "nested-graph 2:14"),
        ("<node id='a'/><hyperedge><endpoint node='a'/></hyperedge>", "hyperedge 2:15"),
        ("<node id='a'/><edge source='a' target='a'><data key='r'>fast</data></edge>", "bad-number 2:43"),
        ("<node id='a'/><edge source='a' target='a'><data key='r'>-1</data></edge>", "bad-number 2:43"),
        ("<node id='a'/><edge source='a' target='a'><data key='r'>1e400</data></edge>", "bad-number 2:43"),
        ("", "no-switch 1:59"),
        ("<node id='a'/>\n</graph><graph>", "second-graph 3:9"),
        ("<node id='a'>", "syntax 3:1"),
        ("<node id='a' id='b'/>", "syntax 2:14"),
        ("<node id=a/>", "syntax 2:10"),
        ("<node id='&lol;'/>", "syntax 2:11"),
    ];
    compare(rows, |inside| faults(&graph(inside)));
    let rows = [
        ("<graphml/>", "no-graph 1:1"),
        ("<html><body/></html>", "not-graphml 1:1"),
        ("<graphml>", "syntax 1:10"),
        ("<!DOCTYPE graphml SYSTEM 'http://x/y.dtd'><graphml/>", "doctype 1:1"),
        ("<?xml version='1.0'?>\n<!DOCTYPE g [<!ENTITY a 'b'>]><graphml>&a;</graphml>", "doctype 2:1"),
    ];
    compare(rows, faults);
}

/// Wrong if peculiar graphs were read without a word.
#[test]
fn peculiarities_are_told() {
    let ports = "<node id='a'><port name='p'/></node><edge source='a' target='a' sourceport='p'/>";
    assert_eq!(warnings(&graph(ports)), "peculiar 2:14");
    assert_eq!(
        warnings(&graph("<node id='a'/>").replace("<graph>", "<graph edgedefault='directed'>")),
        "peculiar 1:59"
    );
}

/// Wrong if nesting exhausted the stack, or attributes, namespaces or long lines the time.
#[test]
fn large_files_are_bounded() {
    let deep = |n: usize| format!("{}{}", "<a>".repeat(n), "</a>".repeat(n));
    assert_eq!(faults(&deep(1 << 20)), "not-graphml 1:1");
    assert_eq!(good(&graph(&format!("<node id='a'>{}</node>", deep(1 << 18)))).network.switches().len(), 1);
    assert!(faults(&"<a>".repeat(1 << 20)).starts_with("syntax "));
    let attributes: String = (0..100_000).map(|n| format!(" a{n}='b'")).collect();
    assert_eq!(faults(&graph(&format!("<node{attributes}/>"))), "syntax 2:1");
    let spaces: String = (0..50_000).map(|n| format!("<a xmlns:b{n}='c'>")).collect();
    assert_eq!(faults(&spaces), "syntax 1:1");
    assert_eq!(good(&graph(&format!("<node id='{}'/>", "x".repeat(1 << 20)))).network.switches().len(), 1);
    let edges = "<edge source='a' target='a'/>".repeat(20_000);
    assert!(faults(&graph(&format!("<node id='a'/>{edges}"))).starts_with("too-many-ports 2:"));
}

/// Wrong if a file's own word for its encoding were not taken.
#[test]
fn latin1_is_accepted_where_it_is_declared() {
    let text = graph("<node id='Z\u{fc}rich'/>");
    let latin1: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let refused = formats::read("net", &latin1, &ReadOptions::default()).unwrap_err();
    assert_eq!(refused.faults[0].code, "not-utf8");
    let declared = [b"<?xml version='1.0' encoding='ISO-8859-1'?>".as_slice(), &latin1].concat();
    let net = formats::read("net", &declared, &ReadOptions::default()).unwrap();
    assert_eq!(names(&net), "Z\u{fc}rich |");
}

/// Wrong if any damage brought the reader down.
#[test]
fn damaged_files_are_read_or_refused() {
    damage_and_read(Format::GraphMl, SMALL, b"<>/'\"=&;?!-ad7\n\0 ");
}
