//! The real InfiniBand tools and simnet on the same networks; skipped, saying so, where they are not
//! installed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use simnet::ids::{Node, Port};
use simnet::topology::formats::{self, Format, ReadOptions};
use simnet::topology::{End, Host, Link, Network, Switch, difference, generate, presets};
use simnet::units::{BitRate, Unit};
use tempfile::TempDir;

use super::subnet::Subnet;

/// A switch with two hosts in the notation of ibsim's own examples.
const PAIR: &str = "Switch\t4 \"S\"\n[1]\t\"A\"[1]\n[3]\t\"B\"[1]\n\n\
                    Hca\t1 \"A\"\n[1]\t\"S\"[1]\n\nHca\t1 \"B\"\n[1]\t\"S\"[3]\n";

fn read(what: &str, bytes: &[u8]) -> Network {
    formats::read(what, bytes, &ReadOptions::default()).unwrap_or_else(|faults| panic!("{faults}"))
}

/// A net file in a folder of its own.
fn file(text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.topo");
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

/// All cables by description, which the tools keep whatever the ids, and port.
fn cables(net: &Network) -> BTreeSet<[String; 2]> {
    let end = |end: End| {
        let (name, description) = match end.node {
            Node::Switch(id) => (&net.switches()[id.index()].name, &net.switches()[id.index()].description),
            Node::Host(id) => (&net.hosts()[id.index()].name, &net.hosts()[id.index()].description),
        };
        let port = end.port.0 + 1 - net.port_range(end.node).0;
        format!("{}:{port}", description.as_ref().unwrap_or(name))
    };
    let sorted = |a: String, b: String| if a < b { [a, b] } else { [b, a] };
    net.links().iter().map(|link| sorted(end(link.a), end(link.b))).collect()
}

/// Wrong if ibsim's own notation meant something else to simnet than to ibsim.
#[test]
fn the_simulators_notation_means_the_same_to_both() {
    let (_folder, path) = file(PAIR);
    let Some(subnet) = Subnet::start(&path) else { return };
    let Some(dump) = subnet.dumped() else { return };
    assert_eq!(cables(&read("dump", &dump)), cables(&read("pair", PAIR.as_bytes())));
}

/// Loads what simnet wrote into ibsim and compares with what ibnetdiscover then sees.
fn check(net: &Network, path: &Path) {
    let Some(subnet) = Subnet::start(path) else { return };
    let Some(dump) = subnet.dumped() else { return };
    let seen = read("dump", &dump);
    assert_eq!(cables(&seen), cables(net), "{}", net.name);
    let ours = read("written", &std::fs::read(path).unwrap());
    let difference = difference::between(&ours, &seen);
    let nodes = [&difference.nodes_only_in_a, &difference.nodes_only_in_b];
    assert!(nodes.iter().all(|names| names.is_empty()), "{}: {difference:?}", net.name);
    // ibsim gives a speed of its own to links that have none.
    if net.links().iter().all(|link| link.rate.is_some()) {
        assert!(difference.is_empty(), "{}: {difference:?}", net.name);
    }
}

/// Wrong if ibsim refused what simnet wrote, or the real ibnetdiscover saw another network in it.
#[test]
fn what_simnet_writes_is_the_same_network_to_the_real_tools() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("now.topo");
    let mut convert = Command::new(env!("CARGO_BIN_EXE_simnet"));
    convert.args(["topo", "convert", "now-cab", "--to", "ibnetdiscover", "--quiet", "--out"]).arg(&path);
    assert!(convert.status().unwrap().success());
    check(&presets::load("now-cab").unwrap(), &path);
    let tree = generate::build("fat-tree", &[("arity", 4), ("levels", 3)], 0).unwrap();
    for net in [tree, multigraph(1), multigraph(2), multigraph(3)] {
        let (_folder, path) = file(&formats::write(&net, Format::Ibnetdiscover));
        check(&net, &path);
    }
}

/// A connected network with parallel cables, loopbacks, hosts of two cables, guids here and there, ports from
/// 0 or 1 and a rate on every link.
fn multigraph(seed: u64) -> Network {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut net = Network::new(format!("multigraph {seed}"));
    let mut free: Vec<Vec<End>> = Vec::new();
    for number in 0..12 {
        let first_port = rng.random_range(0..2);
        let guid = rng.random_bool(0.3).then(|| rng.random_range(1..u64::MAX / 2));
        let name = format!("switch = {number} # \u{b0}");
        let name = name.replace('\u{b0}', if seed == 1 { "s=2" } else { "x" });
        let id = net.push_switch(Switch { name, ports: 24, first_port, guid, description: None }).unwrap();
        free.push((first_port..first_port + 24).map(|port| End::switch(id, port)).collect());
    }
    let lay = |net: &mut Network, a: End, b: End, rng: &mut ChaCha8Rng| {
        let rate = ["8 Gb/s", "32 Gb/s", "54545454545 b/s", "100 Gb/s", "200 Gb/s", "96 Gb/s"];
        let rate = BitRate::parse(rate[rng.random_range(0..rate.len())]).ok();
        net.push_link(Link { a, b, rate, length: None }).unwrap();
    };
    let take = |free: &mut Vec<Vec<End>>, switch: usize, rng: &mut ChaCha8Rng| {
        let at = rng.random_range(0..free[switch].len());
        free[switch].swap_remove(at)
    };
    for number in 1..40_usize {
        let (one, other) = if number < 12 {
            (number, rng.random_range(0..number))
        } else {
            (rng.random_range(0..12), rng.random_range(0..12))
        };
        let (a, b) = (take(&mut free, one, &mut rng), take(&mut free, other, &mut rng));
        lay(&mut net, a, b, &mut rng);
    }
    for number in 0..30 {
        let host = Host {
            name: format!("host {number}"),
            ports: 2,
            first_port: number % 2,
            guid: None,
            description: None,
        };
        let id = net.push_host(host).unwrap();
        for port in 0..=u16::from(rng.random_bool(0.3)) {
            let switch = rng.random_range(0..12);
            let a = End { node: Node::Host(id), port: Port(number % 2 + port) };
            let b = take(&mut free, switch, &mut rng);
            lay(&mut net, a, b, &mut rng);
        }
    }
    net
}

/// Wrong if the real tools' other reports were taken for dumps, or their grouped and full dumps not for the
/// same one.
#[test]
fn the_real_tools_other_reports_are_known() {
    let net = multigraph(4);
    let (_folder, path) = file(&formats::write(&net, Format::Ibnetdiscover));
    let Some(subnet) = Subnet::start(&path) else { return };
    for options in [vec!["-g"], vec!["-f"], vec!["-m"], vec!["-g", "-f"]] {
        let Some(left) = subnet.run("ibnetdiscover", |command| _ = command.args(&options)) else { return };
        assert_eq!(cables(&read("dump", &left.stdout)), cables(&net), "{options:?}");
    }
    for (tool, option) in
        [("ibnetdiscover", "-p"), ("ibnetdiscover", "-l"), ("ibnetdiscover", "-H"), ("iblinkinfo", "-l")]
    {
        let Some(left) = subnet.run(tool, |command| _ = command.arg(option)) else { return };
        let refused =
            formats::read("report", &left.stdout, &ReadOptions::default()).expect_err("it is no dump");
        assert_eq!(refused.faults[0].code, "near-miss", "{tool} {option}: {refused}");
    }
}
