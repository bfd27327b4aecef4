//! Maps and routes of Myricom's GM, and Graphviz's DOT.

use std::process::Command;

use simnet_base::ids::{Node, Turn};
use simnet_network::routing::{
    Algorithm, Attachments, Choices, Plan, Root, Selection, Tree, write_gm_routes,
};
use simnet_network::topology::formats::{self, Format};
use simnet_network::topology::{Host, Link, Network, Switch, difference, presets};

use super::{cables, compare, damage_and_read, faults, good, names};
use support_network::cases;
use support_network::formats::random_network;

const SMALL: &str = "\
2 2
s 8 \"s 0\"
2
0 h - \"a\" 0
5 s 4 \"s1\" 3
label \"the first\"

s 4 \"s1\"
4
0 s 4 \"s1\" 1
1 s 4 \"s1\" 0
2 h - \"b\" 0
3 s 8 \"s 0\" 5

h - \"a\"
1
0 s 8 \"s 0\" 0
address 0060dd7f
label \"a\"
h - \"b\"
1
0 s 4 \"s1\" 2
";

/// The sections of the switches alone.
fn without_hosts() -> &'static str {
    &SMALL[..SMALL.find("\nh -").unwrap()]
}

/// Wrong if a cable, a port or a label were lost, or a map without host sections were another network.
#[test]
fn a_map_is_read_as_it_stands() {
    for text in [SMALL.to_owned(), SMALL.replace('\n', "\r\n"), without_hosts().to_owned()] {
        let net = good(&text).network;
        assert_eq!(names(&net), "s 0 s1 | a b");
        let expected = ["s 0:0 a:0", "s 0:5 s1:3", "s1:0 s1:1", "s1:2 b:0"];
        assert_eq!(cables(&net), expected);
        assert_eq!(net.switches().iter().map(|switch| switch.ports).collect::<Vec<_>>(), [8, 4]);
        assert_eq!(net.switches()[0].description.as_deref(), Some("the first"));
    }
}

/// Wrong if a fault were overlooked, reported elsewhere, or hid another one.
#[test]
fn each_fault_is_found_in_its_place() {
    let mut rows = Vec::new();
    for (old, new, expected) in [
        ("2 2\n", "2 3\n", "wrong-count 1:3"),
        ("2 2\n", "7 2\n", "wrong-count 1:1"),
        ("s 8 \"s 0\"\n2\n", "s 8 \"s 0\"\n3\n", "cut 3:1"),
        ("s 8 \"s 0\"\n2\n", "s 8 \"s 0\"\n1\n", "no-section 5:1"),
        ("0 h - \"a\" 0", "8 h - \"a\" 0", "no-such-port 4:1"),
        ("5 s 4 \"s1\" 3", "5 s 4 \"s1\" 4", "no-such-port 5:12"),
        ("5 s 4 \"s1\" 3", "5 s 4 \"s1\" 2", "one-sided 5:7, one-sided 13:7"),
        ("5 s 4 \"s1\" 3", "5 s 4 \"s2\" 3", "unknown-node 5:7, one-sided 13:7"),
        ("5 s 4 \"s1\" 3", "5 s 5 \"s1\" 3", "other-kind 5:7"),
        ("5 s 4 \"s1\" 3", "0 s 4 \"s1\" 3", "port-in-use 5:1"),
        ("5 s 4 \"s1\" 3", "5 s 4 \"s1 3", "unbalanced 5:7, cut 3:1"),
        ("5 s 4 \"s1\" 3", "5 s 4 s1 3", "no-name 5:7"),
        ("5 s 4 \"s1\" 3", "5 s 4 \"s1\"", "cut 5:11"),
        ("5 s 4 \"s1\" 3", "5 s 4 \"s1\" 3 4", "trailing 5:14"),
        ("5 s 4 \"s1\" 3", "5 x 4 \"s1\" 3", "not-a-node 5:3"),
        ("0 s 4 \"s1\" 1", "0 s 4 \"s1\" 0", "same-port 10:1, one-sided 11:7"),
        ("h - \"b\"\n1", "h - \"a\"\n1", "duplicate-name 20:5"),
        ("s 8 \"s 0\"\n2", "s x \"s 0\"\n2", "bad-number 2:3"),
    ] {
        assert!(SMALL.contains(old), "{old}");
        let text = SMALL.replacen(old, new, 1);
        rows.push((text, expected));
    }
    compare(rows.iter().map(|(text, expected)| (text.as_str(), *expected)), faults);
}

/// What a map can say of a network: ports from 0, and neither guids nor rates nor lengths nor a name.
fn sayable(net: &Network) -> Network {
    let mut plain = Network::new("gm");
    let description = |text: &Option<String>, name: &str| text.clone().filter(|text| text != name);
    for switch in net.switches() {
        let description = description(&switch.description, &switch.name);
        plain.push_switch(Switch { first_port: 0, guid: None, description, ..switch.clone() }).unwrap();
    }
    for (id, host) in net.host_ids().zip(net.hosts()) {
        let highest =
            net.cables(Node::Host(id)).last().map_or(1, |(port, _, _)| port.0 - host.first_port + 1);
        let description = description(&host.description, &host.name);
        plain
            .push_host(Host { first_port: 0, ports: highest, guid: None, description, ..host.clone() })
            .unwrap();
    }
    let mut links: Vec<Link> = net.links().to_vec();
    for link in &mut links {
        for end in [&mut link.a, &mut link.b] {
            end.port.0 -= net.port_range(end.node).0;
        }
        if link.a > link.b {
            std::mem::swap(&mut link.a, &mut link.b);
        }
        (link.rate, link.length) = (None, None);
    }
    links.sort_unstable_by_key(|link| (link.a, link.b));
    for link in links {
        plain.push_link(link).unwrap();
    }
    plain
}

/// Wrong if a network came back other than it was, as far as a map has words for it.
#[test]
fn what_is_written_reads_back() {
    for seed in 0..cases(2_000) {
        let net = random_network(seed);
        let text = formats::write(&net, Format::Gm);
        let back = good(&text).network;
        let odd = |name: &String| name.contains(|c: char| c == '"' || c.is_control());
        let names = net.switches().iter().map(|s| (&s.name, &s.description));
        let mut names = names.chain(net.hosts().iter().map(|h| (&h.name, &h.description)));
        if names.any(|(name, description)| odd(name) || description.as_ref().is_some_and(odd)) {
            assert_eq!(
                (back.switches().len(), back.hosts().len()),
                (net.switches().len(), net.hosts().len())
            );
            assert_eq!(back.links().len(), net.links().len(), "seed {seed}");
        } else {
            let found = difference::between(&back, &sayable(&net));
            assert!(found.is_empty(), "seed {seed}: {found:?}");
        }
    }
}

/// Wrong if two names that differ in what a map cannot say became one.
#[test]
fn names_stay_apart() {
    let mut net = Network::new("names");
    for name in ["a\"", "a'", "a\n", "a?"] {
        net.add_switch(name, 2).unwrap();
    }
    assert_eq!(names(&good(&formats::write(&net, Format::Gm)).network), "a' a'' a? a?' |");
}

/// Wrong if the routes were not those of the plan, or not of the map's names.
#[test]
fn routes_are_written_host_by_host() {
    let net = presets::load("now-c").unwrap();
    let attachments = Attachments::lowest(&net);
    let algorithm = Algorithm::UpDown { tree: Tree::Bfs, root: Root::Far };
    let choices = Choices { algorithm, selection: Selection::First, utility: None };
    let plan = Plan::new(&net, &attachments, &choices).unwrap();
    let mut text = Vec::new();
    write_gm_routes(&net, &plan.table, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("36 1"));
    for source in net.host_ids() {
        let own: Vec<&[Turn]> = net.host_ids().filter_map(|to| plan.table.turns(source, to)).collect();
        let longest = own.iter().map(|turns| turns.len()).max().unwrap();
        let name = |host: simnet_base::ids::HostId| format!("\"{}\"", net.hosts()[host.index()].name);
        assert_eq!(lines.next(), Some(format!("{} ({} {longest})", name(source), own.len()).as_str()));
        for to in net.host_ids() {
            let Some(turns) = plan.table.turns(source, to) else { continue };
            let each: Vec<String> = turns.iter().map(|turn| turn.0.to_string()).collect();
            assert_eq!(lines.next(), Some(format!("{} {}", name(to), each.join(",")).as_str()));
        }
    }
    assert_eq!(lines.next(), None);
}

/// Wrong if any damage brought the reader down.
#[test]
fn damaged_files_are_read_or_refused() {
    damage_and_read(Format::Gm, SMALL, b"sh-\"0129\n\r\0 ");
    damage_and_read(Format::Gm, without_hosts(), b"sh-\"0129\n\r\0 ");
}

/// Wrong if a name broke out of its quotes, a cable were lost, or two nodes were one; asks Graphviz where it
/// is there.
#[test]
fn dot_shows_every_node_and_cable() {
    let mut net = Network::new("a \"b\" \\");
    let odd = ["a\"b", "c\\", "d\ne", "c\\\\", "<f>", "\\N", "", "d\\x0ae"];
    let switches: Vec<_> = odd.iter().map(|name| net.add_switch(*name, 2).unwrap()).collect();
    let host = net.add_host("h").unwrap();
    net.connect(
        simnet_network::topology::End::host(host, 0),
        simnet_network::topology::End::switch(switches[1], 0),
    )
    .unwrap();
    insta::assert_snapshot!(formats::write(&net, Format::Dot), @r#"
    graph "a \"b\" \\" {
      node [shape=box];
      "a\"b" [label="a\"b"];
      "c\\" [label="c\\"];
      "d\ne" [label="d\\ne"];
      "c\\\\" [label="c\\\\"];
      "<f>";
      "\\N" [label="\\N"];
      "" [label=""];
      "d\\x0ae" [label="d\\x0ae"];
      "h" [shape=ellipse];
      "h" -- "c\\" [taillabel="0", headlabel="0"];
    }
    "#);
    for (name, net) in [("odd", net), ("now-c", presets::load("now-c").unwrap())] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("net.dot");
        let text = formats::write(&net, Format::Dot);
        assert_eq!(text.matches(" -- ").count(), net.links().len(), "{name}");
        std::fs::write(&file, text).unwrap();
        let Ok(output) = Command::new("dot").arg("-Tplain").arg(&file).output() else {
            println!("skipped: no Graphviz here");
            continue;
        };
        assert!(output.status.success() && output.stderr.is_empty(), "{name}: {output:?}");
        let plain = String::from_utf8_lossy(&output.stdout).into_owned();
        let count = |what: &str| plain.lines().filter(|line| line.starts_with(what)).count();
        assert_eq!(count("node "), net.switches().len() + net.hosts().len(), "{name}");
        assert_eq!(count("edge "), net.links().len(), "{name}");
    }
}
