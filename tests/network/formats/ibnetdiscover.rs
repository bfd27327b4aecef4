//! Dumps of `ibnetdiscover` and ibsim's net files: what is read, what is refused and where, and what is
//! written.

mod damage;
mod faults;
mod written;

use std::fmt::Write as _;

use simnet_base::ids::{Node, Port};
use simnet_network::topology::formats::{self, Format, ReadOptions};
use simnet_network::topology::metrics::measure;
use simnet_network::topology::{End, Network, Subset};

use support_network::shared;

/// Two switches, parallel cables of two speeds, one looped back, hosts of one and two ports, an aggregation
/// node, a host without a cable, descriptions with quotes and `#`.
const SMALL: &str = include_str!("ibnetdiscover/small.dump");

/// The same in the notation of ibsim's own examples, with what they have and dumps have not.
const IBSIM: &str = "# a comment\nSwitch\t8 \"Switch1\"\n[1]\t\"Hca1\"[1]\tw=4\n[5] \"Switch2\"[5] w=12 s=2 # free words\n\
                     # within a block\n[6]\t\"Switch2\"[6]\n\nSwitch 8 \"Switch2\"\n[5]\t\"Switch1\"[5]\n\
                     [6]\t\"Switch1\"[6]\nwidth=4\nHca \t2 \"Hca1\"  # unquoted words base port 0\n[1]\t\"Switch1\"[1]";

fn read(text: &str) -> Network {
    formats::read("net", text.as_bytes(), &ReadOptions::default()).unwrap_or_else(|faults| panic!("{faults}"))
}

/// Every node and cable of a network in a line of its own.
fn described(net: &Network) -> String {
    let mut text = String::new();
    let guid = |guid: Option<u64>| guid.map_or("-".to_owned(), |guid| format!("{guid:x}"));
    for s in net.switches() {
        let words = s.description.as_deref().unwrap_or("-");
        writeln!(text, "switch {} {}+{} {} {words}", s.name, s.first_port, s.ports, guid(s.guid)).unwrap();
    }
    for h in net.hosts() {
        let words = h.description.as_deref().unwrap_or("-");
        writeln!(text, "host {} {}+{} {} {words}", h.name, h.first_port, h.ports, guid(h.guid)).unwrap();
    }
    for link in net.links() {
        let end = |end: End| format!("{}:{}", net.name_of(end.node), end.port);
        let rate = link.rate.map_or("-".to_owned(), |rate| rate.to_string());
        writeln!(text, "{} {} {rate}", end(link.a), end(link.b)).unwrap();
    }
    text
}

/// Wrong if anything of a dump were lost, misread or put into another order.
#[test]
fn a_dump_says_all_that_it_says() {
    let expected = "\
switch S-0002c90300000001 1+36 2c90300000001 MF0;rack1:SX6036/U1
switch S-0002c90300000002 1+36 2c90300000002 Voltaire 4036 # v4036
host H-0002c90300000100 1+2 2c90300000100 node 1 mlx4_0
host H-0002c90300000200 1+2 2c90300000200 a \"quoted\" # name
host H-0002c90300000300 1+1 2c90300000300 Mellanox Technologies Aggregation Node
host H-0002c90300000400 1+1 2c90300000400 lone
S-0002c90300000001:1 H-0002c90300000100:2 32 Gb/s
S-0002c90300000001:2 H-0002c90300000200:1 32 Gb/s
S-0002c90300000001:7 S-0002c90300000002:7 40 Gb/s
S-0002c90300000001:8 S-0002c90300000002:9 16 Gb/s
S-0002c90300000001:20 S-0002c90300000001:21 40 Gb/s
S-0002c90300000002:1 H-0002c90300000200:2 32 Gb/s
S-0002c90300000002:36 H-0002c90300000300:1 100 Gb/s
";
    assert_eq!(described(&read(SMALL)), expected);
}

/// Wrong if a notation that says the same were read otherwise, or refused.
#[test]
fn the_same_dump_may_look_different() {
    let expected = described(&read(SMALL));
    let switch = "switchguid=0x2c90300000002(2c90300000002)";
    let latin1: Vec<u8> =
        SMALL.replace("lone", "l\u{f6}ne").chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    for (what, text) in [
        ("CRLF", SMALL.replace('\n', "\r\n")),
        ("no blank lines", SMALL.replace("\n\n", "\n")),
        ("twice as many", SMALL.replace('\n', "\n\n")),
        ("spaces for tabs", SMALL.replace('\t', "  ")),
        ("tabs after spaces", SMALL.replace("\t", " \t ")),
        ("indented", SMALL.replace('\n', "\n   ")),
        ("no end of line", SMALL.trim_end().to_owned()),
        ("no comment at the top", SMALL[SMALL.find("vendid").unwrap()..].to_owned()),
        ("a byte order mark", format!("\u{feff}{SMALL}")),
        ("-f", SMALL.replace("4xQDR\n", "4xQDR s=4 w=2 v=4\n")),
        (
            "no ids",
            SMALL
                .lines()
                .filter(|line| !line.contains("guid=") && !line.contains("id=0x"))
                .collect::<Vec<_>>()
                .join("\n"),
        ),
        (
            "-g",
            SMALL
                .replace(
                    "\nvendid=0x8f1",
                    "\nChassis 1 (guid 0x8f1)\nHostname: x\n\n# Spine Nodes\nvendid=0x8f1",
                )
                .replace(switch, &format!("{switch}\t# Spine 1 Chip 2"))
                .replace("sysimgguid=0x2c90300000002", "sysimgguid=0x2c90300000002\t\t# Chassis 1 (x) slot 2")
                .replace(
                    "\n\nvendid=0x2c9\ndevid=0x1003\nsysimgguid=0x2c90300000103",
                    "\n\nNon-Chassis Nodes\n\nvendid=0x2c9\ndevid=0x1003\nsysimgguid=0x2c90300000103",
                ),
        ),
        (
            "external ports",
            SMALL
                .replace("[7]\t\"S-0002c90300000002\"[7]", "[7][ext 3]\t\"S-0002c90300000002\"[7][ext 12]")
                .replace(
                    "(2c90300000102) \t\"S-0002c90300000001\"[1]\t",
                    "(2c90300000102) \t\"S-0002c90300000001\"[1][ext 5]\t",
                ),
        ),
    ] {
        assert_eq!(described(&read(&text)), expected, "{what}");
    }
    let net = formats::read("net", &latin1, &ReadOptions::default()).unwrap();
    assert_eq!(described(&net), expected.replace("lone", "l\u{f6}ne"));
    assert_eq!(described(&read(&SMALL.replace("lone", "l\u{f6}ne"))), expected.replace("lone", "l\u{f6}ne"));
}

/// Wrong if ibsim's dialect, which has no guids, speeds or comments, were refused or filled up with guesses.
#[test]
fn the_simulators_own_notation_is_read() {
    let expected = "\
switch Switch1 1+8 - -
switch Switch2 1+8 - -
host Hca1 1+2 - unquoted words
Switch1:1 Hca1:1 -
Switch1:5 Switch2:5 -
Switch1:6 Switch2:6 -
";
    assert_eq!(described(&read(IBSIM)), expected);
}

/// Wrong if the guid were not taken from the line before the header first, then from the id.
#[test]
fn guids_come_from_their_line_first() {
    let text = SMALL.replace("switchguid=0x2c90300000001(2c90300000001)\n", "");
    assert_eq!(read(&text).switches()[0].guid, Some(0x0002_c903_0000_0001));
    let text = SMALL.replace("switchguid=0x2c90300000001(2c90300000001)\n", "switchguid=0xabc\n");
    assert_eq!(read(&text).switches()[0].guid, Some(0xabc));
}

/// Wrong if two speeds of one cable were a fault, or the faster one won; or if an unknown one were made up.
#[test]
fn the_slower_of_two_speeds_counts() {
    let rate = |text: &str| read(text).links()[2].rate.map(simnet_base::units::BitRate::as_bits_per_s);
    let one = |speed: &str| SMALL.replacen("lid 3 4xFDR10", &format!("lid 3 {speed}"), 1);
    assert_eq!(rate(&one("4xSDR")), Some(8_000_000_000));
    assert_eq!(rate(&one("4xXDR")), Some(40_000_000_000));
    assert_eq!(rate(&one("4x???")), Some(40_000_000_000));
    assert_eq!(rate(&SMALL.replace("4xFDR10", "4x???")), None);
}

/// Wrong if a router were dropped, or refused, or were a switch: routes go to it as to a host.
#[test]
fn a_router_is_an_end_node() {
    let text = SMALL
        .replace("a \"quoted\" # name", "a # name")
        .replace("caguid=0x2c90300000300\nCa\t1", "rtguid=0x2c90300000300\nRt\t1")
        .replace("H-0002c90300000300", "R-0002c90300000300");
    let net = read(&text);
    assert_eq!((net.hosts().len(), net.hosts()[2].guid), (4, Some(0x0002_c903_0000_0300)));
    let again = read(&formats::write(&net, Format::Ibnetdiscover));
    assert_eq!(described(&again), described(&net));
}

fn without(drop_aggregation_nodes: bool) -> Subset {
    Subset { drop_aggregation_nodes, ..Subset::default() }
}

/// Wrong if an aggregation node were kept, or its switch lost more than that port's cable.
#[test]
fn aggregation_nodes_are_dropped_on_request() {
    let options = ReadOptions { subset: without(true), ..ReadOptions::default() };
    let net = formats::read("net", SMALL.as_bytes(), &options).unwrap();
    assert_eq!((net.hosts().len(), net.links().len()), (3, 6));
    let second = net.find_switch("S-0002c90300000002").unwrap();
    assert_eq!(net.link_at(End { node: Node::Switch(second), port: Port(36) }), None);
}

/// Wrong if what may surprise were read in silence, or what is plain were warned of.
#[test]
fn what_may_surprise_is_warned_of() {
    let codes = |text: &str, drop_aggregation_nodes: bool| {
        let options = ReadOptions { subset: without(drop_aggregation_nodes), ..ReadOptions::default() };
        let reading = formats::read_with_warnings("net", text.as_bytes(), &options).unwrap();
        let warnings = reading.warnings.map(|warnings| warnings.faults).unwrap_or_default();
        warnings.iter().map(|warning| warning.code).collect::<Vec<_>>()
    };
    assert_eq!(codes(IBSIM, false), [""; 0]);
    assert_eq!(codes(SMALL, false), ["aggregation-node"]);
    assert_eq!(codes(SMALL, true), [""; 0]);
    assert_eq!(codes(&SMALL.replacen("lid 3 4xFDR10", "lid 3 4xSDR", 1), true), ["speeds"]);
    let router = SMALL.replace("caguid=0x2c90300000400\nCa\t1", "rtguid=0x2c90300000400\nRt\t1");
    assert_eq!(codes(&router, true), ["router"]);
}

/// The figures of real dumps, where they lie next to the project. Wrong if a cable or a node of one were
/// overlooked.
#[test]
fn real_dumps_have_their_published_figures() {
    for (file, hosts, switches, links, switch_links, diameter) in [
        ("loginoff-stage-2014.topo", 144, 8, 192, 47, 2),
        ("credit-loops.topo", 16, 20, 48, 32, 4),
        ("gnu-stallion-64.topo", 64, 40, 192, 128, 4),
        ("ibsim-net.topo", 2, 2, 4, 2, 1),
        ("ibsim-2sw2path4hca2port.topo", 2, 2, 6, 2, 1),
    ] {
        let Some(path) = shared(&format!("topologies/ibnetdiscover/{file}")) else { return };
        let bytes = std::fs::read(path).unwrap();
        let net =
            formats::read(file, &bytes, &ReadOptions::default()).unwrap_or_else(|faults| panic!("{faults}"));
        let metrics = measure(&net);
        let found =
            (metrics.hosts, metrics.switches, metrics.links, metrics.switch_links, metrics.switch_diameter);
        assert_eq!(found, (hosts, switches, links, switch_links, Some(diameter)), "{file}");
        let again = read(&formats::write(&net, Format::Ibnetdiscover));
        assert_eq!(measure(&again), metrics, "{file}");
    }
}
