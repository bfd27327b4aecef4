//! The tables of the real OpenSM on simulated subnets, compared with simnet's own routes; skipped, saying so,
//! where it is not installed.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use simnet::ids::Node;
use simnet::routing::{
    Algorithm, Attachments, Choices, ForwardingTables, Plan, Root, Survey, Tree, read_lfts,
};
use simnet::topology::formats::{self, Format, ReadOptions, port_guids};
use simnet::topology::{End, Network, generate, presets};

use support_network::shared;

use super::subnet::Subnet;

/// The tables that OpenSM computes for a net file: its own dump, and that of `dump_lfts`. Both lie in
/// `folder`.
fn tables(net: &Path, folder: &Path, options: &[&str]) -> Option<[Vec<u8>; 2]> {
    let subnet = Subnet::start(net)?;
    let left = subnet.run("opensm", |command| {
        command.env("OSM_TMP_DIR", folder).env("OSM_CACHE_DIR", folder).current_dir(folder);
        command.args(["-o", "-D", "0x43", "-f"]).arg(folder.join("opensm.log")).args(options);
    })?;
    assert!(left.status.success(), "opensm: {}", left.stderr);
    let own = fs::read(folder.join("opensm-lfts.dump")).unwrap();
    let dumped = subnet.run("dump_lfts", |_| {})?;
    Some([own, dumped.stdout])
}

fn read(bytes: &[u8]) -> Network {
    formats::read("net", bytes, &ReadOptions::default()).unwrap_or_else(|faults| panic!("{faults}"))
}

/// The cables between switches on the way that tables give from the switch of one host to another; none if it
/// ends.
fn length(net: &Network, tables: &ForwardingTables, lid: u16, from: End) -> Option<usize> {
    let mut at = from.node;
    for cables in 0..=net.switches().len() {
        let Node::Switch(switch) = at else { return cables.checked_sub(1) };
        let port = tables.output(switch, lid)?;
        at = net.peer(End { node: at, port })?.node;
    }
    None
}

/// OpenSM's UP*/DOWN* and ours on a net file with the switches called `roots` as roots: its tables are
/// sound, none of our routes is longer than its own, and the mean is as given, if any is.
fn compare(path: &Path, roots: &[&str]) -> Option<(Survey, Survey)> {
    let bytes = fs::read(path).unwrap();
    let net = read(&bytes);
    let folder = tempfile::tempdir().unwrap();
    let named: Vec<_> = roots.iter().map(|name| net.find_switch(name).expect("a root")).collect();
    let guids = named.iter().map(|s| format!("{:#x}\n", net.switches()[s.index()].guid.expect("guids")));
    let file = folder.path().join("roots");
    fs::write(&file, guids.collect::<String>()).unwrap();
    let dumps = tables(path, folder.path(), &["-R", "updn", "-a", file.to_str().unwrap()])?;
    let attachments = Attachments::lowest(&net);
    let algorithm = Algorithm::UpDown { tree: Tree::Bfs, root: Root::Named(named) };
    let plan = Plan::new(&net, &attachments, &Choices { algorithm, ..Choices::default() }).unwrap();
    let ours = Survey::new(&net, &attachments, &plan.table);
    let mut judged = Vec::new();
    for dump in &dumps {
        let theirs = read_lfts(&net, &port_guids(&bytes), "lfts", dump).unwrap_or_else(|f| panic!("{f}"));
        let survey = Survey::of_tables(&net, &attachments, &theirs);
        assert_eq!(survey.dependencies.shortest_cycle(), None, "{}", path.display());
        assert_eq!(survey.unreachable, ours.unreachable, "{}", path.display());
        for (source, destination) in net.host_ids().flat_map(|s| net.host_ids().map(move |d| (s, d))) {
            let (Some(turns), Some(from)) = (plan.table.turns(source, destination), attachments.of(source))
            else {
                continue;
            };
            let end = attachments.of(destination).unwrap();
            let to = End { node: Node::Host(destination), port: end.port };
            let (lid, _) =
                theirs.lids().iter().find(|(_, owner)| *owner == to).expect("every host has a lid");
            let length = length(&net, &theirs, *lid, from.far).expect("it arrives");
            assert!(turns.len() - 1 <= length, "{source:?} to {destination:?} on {}", path.display());
        }
        judged.push(survey);
    }
    assert_eq!(judged[0].sum_of_distances, judged[1].sum_of_distances);
    assert_eq!(judged[0].load, judged[1].load);
    Some((ours, judged.swap_remove(0)))
}

/// Wrong if OpenSM's UP*/DOWN* on networks that simnet wrote did not pass, or had any route shorter than
/// ours.
#[test]
fn no_route_is_longer_than_those_of_opensm() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.topo");
    let tree = generate::build("fat-tree", &[("arity", 4), ("levels", 2)], 0).unwrap();
    let parameters = [("switches", 20), ("degree", 4), ("hosts-per-switch", 2)];
    let random = generate::build("random-regular", &parameters, 5).unwrap();
    for (net, roots) in [(presets::load("now-c").unwrap(), 2), (tree, 4), (random, 2)] {
        // OpenSM breaks ties by guid, which a network that has been written and read has on every switch.
        fs::write(&path, formats::write(&net, Format::Ibnetdiscover)).unwrap();
        let written = read(&fs::read(&path).unwrap());
        // Of several roots that are no neighbours, none may reach another: then that is so for both.
        let names: Vec<&str> = written.switches().iter().map(|s| s.name.as_str()).collect();
        for named in [&names[..roots], &names[names.len() - roots..], &names[..1]] {
            let Some((ours, theirs)) = compare(&path, named) else { return };
            assert!(ours.sum_of_distances <= theirs.sum_of_distances, "{}", net.name);
            assert!(named.len() > 1 || ours.unreachable == 0, "{}", net.name);
        }
    }
}

/// A tree whose leaves have a cable into each of two halves: shortest routes may go down to a leaf and up
/// again.
const CREDIT_LOOPS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/credit-loops.json");

/// The exit code and report of `route check --lfts`.
fn check(net: &Path, lfts: &Path) -> (Option<i32>, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    command.args(["route", "check", "--format", "json"]).arg(net).arg("--lfts").arg(lfts);
    let output = command.output().unwrap();
    let report = serde_json::from_slice(&output.stdout);
    (output.status.code(), report.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr))))
}

/// Wrong if the tables of OpenSM's `minhop` on a network with credit loops, with four lids a host, were not
/// judged, or its `updn` were not passed by the command itself.
#[test]
fn tables_of_a_network_with_credit_loops_are_judged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.topo");
    let net = read(&fs::read(CREDIT_LOOPS).unwrap());
    fs::write(&path, formats::write(&net, Format::Ibnetdiscover)).unwrap();
    let Some(_) = tables(&path, folder.path(), &["-R", "minhop", "-l", "2"]) else { return };
    let (code, report) = check(&path, &folder.path().join("opensm-lfts.dump"));
    assert_eq!((code, &report["unreachable_pairs"]), (Some(1), &0.into()), "{report}");
    assert!(report["dependency_cycle"].is_array(), "{report}");
    let roots = folder.path().join("roots");
    let written = read(&fs::read(&path).unwrap());
    let tops =
        written.switches().iter().filter(|s| s.description.as_ref().is_some_and(|d| d.starts_with("top")));
    fs::write(&roots, tops.map(|s| format!("{:#x}\n", s.guid.unwrap())).collect::<String>()).unwrap();
    tables(&path, folder.path(), &["-R", "updn", "-a", roots.to_str().unwrap()]);
    let (code, report) = check(&path, &folder.path().join("opensm-lfts.dump"));
    assert_eq!((code, &report["dependency_cycle"]), (Some(0), &Value::Null), "{report}");
}

/// Wrong if the figures for real fabrics were not those that OpenSM itself arrived at.
#[test]
fn figures_of_real_fabrics_agree() {
    let Some(path) = shared("topologies/ibnetdiscover/loginoff-stage-2014.topo") else { return };
    let Some((ours, theirs)) = compare(&path, &["S-f4521403007ea570", "S-f4521403007eaa70"]) else { return };
    assert_eq!(ours.sum_of_distances, 34_168);
    assert_eq!(theirs.sum_of_distances, ours.sum_of_distances);
    assert_eq!(theirs.busiest().map(|(_, load)| load), Some(472));
}
