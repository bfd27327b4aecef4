//! The Berkeley mapper on a plain graph: the paper's counts, options, lost messages, the command line.

use std::process::{Command, Output};

use serde_json::Value;
use simnet::des::process::run_at_once;
use simnet::host::Host as _;
use simnet::host::distribution::{self, Report, RoutesByName, distribute};
use simnet::host::mapper::berkeley::{self, Merging, Options};
use simnet::host::mapper::{Brief, Doubt, Kind, Map, Order};
use simnet::host::plain::{Collision, Plain};
use simnet::ids::HostId;
use simnet::routing::{Algorithm, Attachments, Choices, Plan, Root, Selection, Tree};
use simnet::topology::formats::{self, ReadOptions};
use simnet::topology::{End, Network, isomorphism, presets};

fn now(preset: &str) -> (Network, HostId) {
    let net = presets::load(preset).unwrap();
    let mapper = net.find_host("c-util").unwrap();
    (net, mapper)
}

fn map(net: &Network, mapper: HostId, collision: Collision, options: &Options) -> Map {
    briefed(net, mapper, collision, &Brief::default(), options)
}

fn briefed(net: &Network, mapper: HostId, collision: Collision, brief: &Brief, options: &Options) -> Map {
    run_at_once(berkeley::map(&mut Plain::new(net, mapper, collision), brief, options))
}

#[test]
fn circuits_give_the_counts_that_were_checked_against_fig_6() {
    // Wrong if the order of turns, the window, the frontier or merging read the paper otherwise.
    for (preset, turns, explorations) in
        [("now-c", [111, 156, 94], 44), ("now-ca", [227, 309, 189], 89), ("now-cab", [337, 707, 452], 178)]
    {
        let (net, mapper) = now(preset);
        let map = map(&net, mapper, Collision::Circuit, &Options::default());
        assert_eq!([map.turns.host_hits, map.turns.switch_hits, map.turns.nothing], turns, "{preset}");
        assert_eq!((map.explorations, map.doubts.is_empty()), (explorations, true), "{preset}");
        let sent = turns.iter().sum::<u64>();
        let (host, switch) = (map.probes.of(Kind::Host), map.probes.of(Kind::Switch));
        assert_eq!((host.sent, switch.sent), (sent, sent), "both probes of every turn");
        assert_eq!((host.hits, switch.hits), (turns[0], turns[1]));
        assert_eq!(isomorphism::compare(&map.network, &net, mapper).isomorphic_to, Some("N"), "{preset}");
    }
}

#[test]
fn options_change_the_cost_and_not_the_map() {
    // Wrong if an elimination of probes lost a cable.
    let (net, mapper) = now("now-ca");
    let standard = Options::default();
    let cost = |options: Options| {
        let map = map(&net, mapper, Collision::Packet, &options);
        assert_eq!(isomorphism::compare(&map.network, &net, mapper).isomorphic_to, Some("N"), "{options:?}");
        (map.turns.host_hits, map.turns.nothing)
    };
    let (host_hits, nothing) = cost(standard);
    assert!(cost(Options { window: false, ..standard }).1 > 2 * nothing);
    assert!(cost(Options { order: Order::Ascending, ..standard }).1 > nothing * 3 / 2);
    let merging = Merging::EachTurn;
    assert!(cost(Options { skip_known: true, merging, ..standard }).0 < host_hits * 55 / 100);
    assert_eq!(cost(Options { depth: Some(10), ..standard }), (host_hits, nothing));
}

#[test]
fn limits_end_a_search_and_are_owned_up_to() {
    // Wrong if a bound were passed over in silence.
    let (net, mapper) = now("now-c");
    let brief = Brief { explorations: 5, ..Brief::default() };
    let few = briefed(&net, mapper, Collision::Packet, &brief, &Options::default());
    assert_eq!((few.explorations, few.doubts), (5, [Doubt::Unfinished].into()));
    assert!(!isomorphism::compare(&few.network, &net, mapper).isomorphic);
    let options = Options { depth: Some(1), ..Options::default() };
    let shallow = map(&net, mapper, Collision::Packet, &options);
    assert!(shallow.explorations < 10);
}

#[test]
fn a_lost_answer_hides_a_host_and_a_retry_finds_it() {
    // Wrong if a time-out stopped the search, or if a late or missing answer were taken for another's.
    let mut net = Network::new("star");
    let switch = net.add_switch("x", 8).unwrap();
    let hosts: Vec<HostId> = ["a", "b", "c"].map(|name| net.add_host(name).unwrap()).to_vec();
    for (host, port) in hosts.iter().zip([2, 3, 7]) {
        net.connect(End::host(*host, 0), End::switch(switch, port)).unwrap();
    }
    let lossy = |retries, lost: u64| {
        let mut host = Plain::new(&net, hosts[0], Collision::Packet).with_lost([lost]);
        let brief = Brief { retries, ..Brief::default() };
        let map = run_at_once(berkeley::map(&mut host, &brief, &Options::default()));
        isomorphism::compare(&map.network, &net, hosts[0])
    };
    // Each of the two hosts is seen once: a probe and an answer.
    assert_eq!((0..30).filter(|nth| !lossy(0, *nth).isomorphic).count(), 4);
    assert_eq!((0..30).filter(|nth| !lossy(1, *nth).isomorphic).count(), 0);
}

#[test]
fn degenerate_networks_are_mapped() {
    // Wrong if the mapper took for granted what the paper does: a switch, a cable, a second host.
    let mut bare = Network::new("bare");
    let alone = bare.add_host("a").unwrap();
    let mut pair = bare.clone();
    let other = pair.add_host("b").unwrap();
    pair.connect(End::host(alone, 0), End::host(other, 0)).unwrap();
    let mut lone = bare.clone();
    let switch = lone.add_switch("s0", 8).unwrap();
    lone.connect(End::host(alone, 0), End::switch(switch, 5)).unwrap();
    // A host called like the first switch of a map.
    let mut named = Network::new("named");
    let host = named.add_host("s0").unwrap();
    let switch = named.add_switch("x", 8).unwrap();
    named.connect(End::host(host, 0), End::switch(switch, 5)).unwrap();
    for (net, hosts, switches) in [(&bare, 1, 0), (&pair, 2, 0), (&lone, 1, 1), (&named, 1, 1)] {
        for collision in [Collision::Packet, Collision::Circuit] {
            let map = map(net, HostId(0), collision, &Options::default());
            let found = (map.network.hosts().len(), map.network.switches().len());
            assert_eq!((found, map.doubts.len()), ((hosts, switches), 0), "{}", net.name);
            let verdict = isomorphism::compare(&map.network, net, HostId(0));
            assert!(verdict.isomorphic, "{}: {:?}", net.name, verdict.difference);
        }
    }
}

/// Routes of now-c by name, and the master that hands them out.
pub(crate) fn routes(net: &Network) -> RoutesByName {
    let algorithm = Algorithm::UpDown { tree: Tree::Bfs, root: Root::Far };
    let choices = Choices { algorithm, selection: Selection::First, utility: net.find_host("c-util") };
    let plan = Plan::new(net, &Attachments::lowest(net), &choices).unwrap();
    let name = |host: HostId| net.hosts()[host.index()].name.clone();
    let mut routes = RoutesByName::new();
    for (source, destination, turns) in plan.table.iter() {
        routes.entry(name(source)).or_default().insert(name(destination), turns.to_vec());
    }
    routes
}

fn hand_out(host: &mut Plain<'_>, routes: &RoutesByName) -> Report {
    run_at_once(distribute(host, routes, &distribution::Options::default()))
}

#[test]
fn every_interface_holds_its_routes_after_a_distribution() {
    // Wrong if a table went to another host, or if a lost message were not noticed and sent again.
    let (net, mapper) = now("now-c");
    let routes = routes(&net);
    let mut host = Plain::new(&net, mapper, Collision::Packet).with_lost([0, 9, 20, 21]);
    let report = hand_out(&mut host, &routes);
    assert_eq!((report.sent, report.acknowledged, report.missing.len()), (35, 35, 0));
    assert_eq!(report.retries, 4);
    assert!(report.time > distribution::Options::default().timeout * 3);
    for other in net.host_ids().filter(|other| *other != mapper) {
        let held = host.memory(other).and_then(|memory| memory.routes.as_ref());
        assert_eq!(held, routes.get(&net.hosts()[other.index()].name));
    }
    let silent = net.find_host("c03").unwrap();
    let mut host = Plain::new(&net, mapper, Collision::Packet).with_silent([silent]);
    let report = hand_out(&mut host, &routes);
    assert_eq!((report.sent, report.retries, report.acknowledged), (35, 3, 34));
    assert_eq!(report.missing, ["c03"]);
    assert_eq!(host.name(), "c-util");
}

fn simnet(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_simnet")).args(arguments).output().unwrap()
}

#[test]
fn the_command_line_maps_and_writes_the_map() {
    // Wrong if a key of the contract were missing, or if the file were not the map that was judged.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("map.json");
    let out =
        simnet(&["map", "now-c", "--mapper", "c-util", "--format", "json", "--map", path.to_str().unwrap()]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    for key in ["algorithm", "explorations", "isomorphic_to", "probes", "turns", "time_ms"] {
        assert!(!report[key].is_null(), "{key}: {report}");
    }
    assert_eq!(
        (&report["hosts"], &report["switches"], &report["links"]),
        (&36.into(), &13.into(), &64.into())
    );
    assert_eq!(report["isomorphic"], true);
    assert_eq!(report["probes"]["host"]["hits"], report["turns"]["host_hits"]);
    let bytes = std::fs::read(&path).unwrap();
    let map = formats::read("map.json", &bytes, &ReadOptions::default()).unwrap();
    let (net, mapper) = now("now-c");
    assert_eq!(isomorphism::compare(&map, &net, mapper).isomorphic_to, Some("N"));
    let again = simnet(&["map", "now-c", "--mapper", "c-util", "--format", "json"]);
    assert_eq!(again.stdout, out.stdout, "the same every time");
}

#[test]
fn the_command_line_says_what_is_wrong() {
    // Wrong if a slip of the hand got another exit code, or no hint.
    for (arguments, code, hint) in [
        (&["map", "now-c", "--mapper", "c-utl"][..], 2, "did you mean `c-util`"),
        (&["map", "now-c", "--mapper", "C1.0"], 2, "is a switch"),
        (&["map", "now-c"], 2, "--mapper"),
        (&["map", "now-c", "--mapper", "c-util", "--algorithm", "myricon"], 2, "myricom"),
        (&["map", "now-c", "--mapper", "c-util", "--probe-timeout", "3"], 2, "ms"),
        (&["map", "now-c", "--mapper", "c-util", "--probe-timeout", "0 s"], 2, "above zero"),
        (&["map", "no-such-file", "--mapper", "c-util"], 7, "no such file"),
    ] {
        let out = simnet(arguments);
        let errors = String::from_utf8_lossy(&out.stderr).to_lowercase();
        assert_eq!(out.status.code(), Some(code), "{arguments:?}: {errors}");
        assert!(errors.contains(hint), "{arguments:?}: {errors}");
        assert!(out.stdout.is_empty(), "{arguments:?}");
    }
    // A map that is not the truth is printed all the same: of a search that was cut short, and says so.
    let short = simnet(&["map", "now-c", "--mapper", "c-util", "--depth", "1", "--format", "json"]);
    assert_eq!(short.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&short.stdout).unwrap();
    assert_eq!((&report["isomorphic"], &report["isomorphic_to"]), (&false.into(), &Value::Null));
    // A time-out shorter than any answer: late answers tell the truth, but the mapper does not trust it.
    let late =
        simnet(&["map", "now-c", "--mapper", "c-util", "--probe-timeout", "10 us", "--format", "json"]);
    let report: Value = serde_json::from_slice(&late.stdout).unwrap();
    assert_eq!(report["doubts"], serde_json::json!(["loss"]));
}

#[test]
fn the_lowest_cable_of_a_host_is_its_own() {
    // Wrong if a probe that came in on a host's second cable were answered, which merges two ports.
    let text = r#"{"format": "simnet-topology/1", "name": "two",
        "switches": [{"name": "x", "ports": 8}, {"name": "y", "ports": 8}],
        "hosts": [{"name": "a"}, {"name": "b", "ports": 2}, {"name": "c"}],
        "links": [{"a": "a", "a_port": 0, "b": "x", "b_port": 3}, {"a": "b", "a_port": 1, "b": "x", "b_port": 0},
                  {"a": "b", "a_port": 0, "b": "y", "b_port": 7}, {"a": "x", "a_port": 6, "b": "y", "b_port": 1},
                  {"a": "c", "a_port": 0, "b": "y", "b_port": 2}]}"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("two.json");
    std::fs::write(&path, text).unwrap();
    let out = simnet(&["map", path.to_str().unwrap(), "--mapper", "a", "--format", "json"]);
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!((out.status.code(), &report["links"]), (Some(0), &4.into()), "{report}");
    assert_eq!(report["doubts"], Value::Array(Vec::new()));
}
