//! The Berkeley mapper on a plain graph: the paper's counts, options, lost messages, the command line.

use simnet_base::des::process::run_at_once;
use simnet_base::ids::HostId;
use simnet_media::host::Host as _;
use simnet_media::host::distribution::{self, Report, RoutesByName, distribute};
use simnet_media::host::mapper::berkeley::{self, Merging, Options};
use simnet_media::host::mapper::{Brief, Doubt, Kind, Map, Order};
use simnet_media::host::plain::{Collision, Plain};
use simnet_network::topology::{End, Network, isomorphism, presets};
use support_media::mapping::routes;
use support_network::mapping::degenerate_networks;

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
    for net in degenerate_networks() {
        for collision in [Collision::Packet, Collision::Circuit] {
            let map = map(&net, HostId(0), collision, &Options::default());
            assert_eq!(map.doubts.len(), 0, "{}", net.name);
            let verdict = isomorphism::compare(&map.network, &net, HostId(0));
            assert!(verdict.isomorphic, "{}: {:?}", net.name, verdict.difference);
        }
    }
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
