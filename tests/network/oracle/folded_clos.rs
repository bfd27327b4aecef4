//! Computed routes of folded Clos networks against searches.

use std::collections::BTreeMap;

use simnet_base::ids::{HostId, Node, SwitchId};
use simnet_network::routing::{
    Attachments, DependencyGraph, Directions, FoldedClos, Landing, LegalMoves, Routes, State, SwitchGraph,
    Toward, Tree, Wiring,
};
use simnet_network::topology::{End, Network, generate, presets};

fn clos(net: &Network, seed: u64) -> FoldedClos {
    FoldedClos::new(&SwitchGraph::new(net), &Attachments::lowest(net), seed).unwrap()
}

/// Follows the routes of every `stride`-th pair: legal, arriving, as short as the rule allows, without cyclic
/// dependency.
fn check(net: &Network, stride: usize) {
    let (graph, attachments, wiring) = (SwitchGraph::new(net), Attachments::lowest(net), Wiring::new(net));
    let clos = clos(net, 7);
    let directions = Directions::from_roots(&graph, clos.tops().to_vec(), Tree::Bfs);
    let moves = LegalMoves::up_down(&graph, &directions);
    let mut toward = Toward::new(&graph);
    let mut dependencies = DependencyGraph::new(net);
    for destination in net.host_ids() {
        toward.search(&moves, attachments.switch(destination).unwrap().0);
        for source in net.host_ids().skip(destination.index() % stride).step_by(stride) {
            let mut turns = Vec::new();
            let routed = clos.route(source, destination, &mut turns);
            assert_eq!(routed, source != destination);
            if !routed {
                continue;
            }
            let (switch, _) = attachments.switch(source).unwrap();
            assert_eq!(Some(turns.len() - 1), toward.distance(State::start(switch)).map(|d| d as usize));
            let (mut before, mut went_down) = (None, false);
            let landing =
                wiring.walk(attachments.of(source).unwrap().far, &turns, |from, _, output, wire| {
                    if let Node::Switch(to) = wire.to.node {
                        let up = directions.is_up(from, to);
                        assert!(!(up && went_down), "never up after down");
                        went_down |= !up;
                        if let Some(channel) = before {
                            dependencies.add(channel, output);
                        }
                        before = Some(wire.channel);
                    }
                });
            assert_eq!(landing, Landing::Arrived(End::host(destination, 0)));
        }
    }
    assert_eq!(dependencies.shortest_cycle(), None);
}

/// Wrong if a computed route were illegal, did not arrive, or were longer than a search finds.
#[test]
fn computed_routes_are_shortest_and_legal() {
    for (arity, levels) in [(2, 1), (2, 2), (2, 3), (3, 3), (4, 2), (4, 3), (2, 5)] {
        let net = generate::build("fat-tree", &[("arity", arity), ("levels", levels)], 0).unwrap();
        check(&net, 1);
    }
    check(&presets::load("pink").unwrap(), 97);
}

/// Wrong if some upward cable were preferred: 16 climbs of a 4-ary 3-tree, 3,200 seeds.
#[test]
fn climbs_are_uniform() {
    let net = generate::build("fat-tree", &[("arity", 4), ("levels", 3)], 0).unwrap();
    let mut seen = BTreeMap::new();
    for seed in 0..3_200 {
        let mut turns = Vec::new();
        assert!(clos(&net, seed).route(HostId(0), HostId(63), &mut turns));
        *seen.entry(turns).or_insert(0) += 1;
    }
    assert_eq!(seen.len(), 16);
    assert!(seen.values().all(|n| (140..=260).contains(n)), "{seen:?}");
}

/// Wrong if a network that merely looks like a Clos were accepted: routes would be illegal or miss their
/// leaf.
#[test]
fn other_networks_are_refused() {
    for name in ["now-c", "now-cab"] {
        let net = presets::load(name).unwrap();
        let graph = SwitchGraph::new(&net);
        assert!(FoldedClos::new(&graph, &Attachments::lowest(&net), 0).is_err(), "{name}");
    }
    // A tree that lost its last cable, and one with a cable across a row.
    let whole = generate::build("fat-tree", &[("arity", 2), ("levels", 3)], 0).unwrap();
    let mut decayed = Network::new("decayed");
    for switch in whole.switches() {
        decayed.add_switch(switch.name.clone(), switch.ports + 1).unwrap();
    }
    for host in whole.hosts() {
        decayed.add_host(host.name.clone()).unwrap();
    }
    for link in &whole.links()[..whole.links().len() - 1] {
        decayed.connect(link.a, link.b).unwrap();
    }
    let refused = |net: &Network| {
        FoldedClos::new(&SwitchGraph::new(net), &Attachments::lowest(net), 0).unwrap_err().to_string()
    };
    assert!(refused(&decayed).contains("alike"), "{}", refused(&decayed));
    let last = whole.links().last().unwrap();
    decayed.connect(last.a, last.b).unwrap();
    assert!(FoldedClos::new(&SwitchGraph::new(&decayed), &Attachments::lowest(&decayed), 0).is_ok());
    let extra = |n: u32| End::switch(SwitchId(n), whole.switches()[n as usize].ports);
    decayed.connect(extra(0), extra(1)).unwrap();
    assert!(refused(&decayed).contains("one row"));
}
