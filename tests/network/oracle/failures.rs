//! Failures of every cable and switch, against the report of each network that is left.

use std::collections::BTreeMap;

use simnet_base::ids::{HostId, LinkId, Node, SwitchId};
use simnet_network::routing::{
    Algorithm, Attachments, Choices, Effect, Part, Plan, Report, Root, RouteTable, Tree, Verdict,
    choices_without, rank_failures, without,
};
use simnet_network::topology::{End, Host, Link, Network, generate};

use support_network::cases;
use support_network::routing::random_multigraph;

fn report(net: &Network, choices: &Choices) -> (RouteTable, Report) {
    let attachments = Attachments::lowest(net);
    let plan = Plan::new(net, &attachments, choices).unwrap();
    let report = plan.report(net, &attachments);
    (plan.table, report)
}

/// The pairs whose routes have more turns than before.
fn longer(before: &RouteTable, after: &RouteTable, hosts: usize) -> u64 {
    let ids = || (0..hosts).map(HostId::new);
    let pairs = ids().flat_map(|source| ids().map(move |destination| (source, destination)));
    let is_longer = |(source, destination): &(HostId, HostId)| {
        let turns = |table: &RouteTable| table.turns(*source, *destination).map(<[_]>::len);
        matches!((turns(before), turns(after)), (Some(before), Some(after)) if after > before)
    };
    pairs.filter(is_longer).count() as u64
}

/// Wrong if a failure lost other pairs, made others longer, had another mean distance or verdict than the routes of the
/// network without that part, if a part were missing, or if a milder failure came first.
#[test]
fn effects_are_those_of_the_network_that_is_left() {
    for seed in 0..cases(400) {
        let net = random_multigraph(seed, 6);
        if net.hosts().len() < 2 {
            continue;
        }
        let algorithm = match seed % 3 {
            0 => Algorithm::Minimal,
            1 => Algorithm::UpDown { tree: Tree::Bfs, root: Root::Spines },
            _ => Algorithm::UpDown { tree: Tree::Bfs, root: Root::Named(vec![SwitchId(0)]) },
        };
        let choices = Choices { algorithm, ..Choices::default() };
        let found = rank_failures(&net, &choices, &|_, _| ());
        let (table, whole) = report(&net, &choices);
        for (part, effect) in &found.parts {
            let left = without(&net, &[*part]);
            let (after, figures) = report(&left, &choices_without(&net, &[*part], &choices));
            // Pairs of switches that stand in for hosts are none of a report's, whether they are joined or not.
            let stands_in = effect.routed + effect.unreachable > figures.pairs;
            if whole.judged.switch_pairs + figures.judged.switch_pairs > 0 || stands_in {
                continue;
            }
            assert_eq!(effect.routed, figures.pairs - figures.unreachable_pairs, "seed {seed} {part:?}");
            assert_eq!(effect.unreachable, figures.unreachable_pairs, "seed {seed} {part:?}");
            assert_eq!(effect.longer, longer(&table, &after, net.hosts().len()), "seed {seed} {part:?}");
            assert_eq!(effect.verdict, figures.verdict(), "seed {seed} {part:?}");
            let means = effect.mean_distance().zip(figures.mean_distance);
            assert!(means.is_none_or(|(a, b)| (a - b).abs() < 1e-9), "seed {seed} {part:?}");
        }
        let keeps = |node| matches!(node, Node::Switch(_)) || net.cables(node).count() > 1;
        let (tried, only): (Vec<&Link>, Vec<&Link>) = (net.links().iter())
            .filter(|link| link.a.node != link.b.node)
            .partition(|link| keeps(link.a.node) && keeps(link.b.node));
        assert_eq!(found.parts.len(), tried.len() + net.switches().len(), "seed {seed}");
        assert_eq!(found.host_cables, only.len(), "seed {seed}");
        let lost: Vec<u64> = found.parts.iter().map(|(_, effect)| effect.unreachable).collect();
        assert!(lost.is_sorted_by(|a, b| a >= b), "seed {seed}");
    }
}

/// Wrong if the failures of a ring of four with a host each were not those counted by hand: a cable leaves a chain,
/// with four pairs of hosts farther apart; a switch takes its own host's six pairs.
#[test]
fn a_ring_by_hand() {
    let net = generate::build("ring", &[("switches", 4), ("hosts-per-switch", 1)], 0).unwrap();
    let found =
        rank_failures(&net, &Choices { algorithm: Algorithm::Minimal, ..Choices::default() }, &|_, _| ());
    let seen = |effect: &Effect| (effect.unreachable, effect.longer, effect.distance, effect.expected_load());
    assert_eq!((seen(&found.whole), found.host_cables), ((0, 0, 16, 2.0), 4));
    assert_eq!(found.whole.verdict, Some(Verdict::Cyclic));
    let (switches, cables) = found.parts.split_at(4);
    for (part, effect) in switches {
        assert!(matches!(part, Part::Switch(_)));
        assert_eq!((seen(effect), effect.verdict), ((6, 0, 8, 2.0), Some(Verdict::Acyclic)));
    }
    for (part, effect) in cables {
        assert!(matches!(part, Part::Cable(_)));
        assert_eq!((seen(effect), effect.verdict), ((0, 2, 20, 4.0), Some(Verdict::Acyclic)));
    }
    assert!(cables.is_sorted_by_key(|(part, _)| *part), "equals are in the order of the network");
}

/// Wrong if a host that moves to its second cable, as its first fails or the switch behind it does, were not farther
/// away; if that cable were not tried, one that nobody uses did something, or the only one of a host were tried.
#[test]
fn a_host_moves_to_its_next_cable() {
    let mut net = Network::new("two cables");
    let switches = ["s0", "s1", "s2", "s3"].map(|name| net.add_switch(name, 8).unwrap());
    let host =
        |name: &str| Host { name: name.to_owned(), ports: 2, first_port: 0, guid: None, description: None };
    let [a, b] = ["hA", "hB"].map(|name| net.push_host(host(name)).unwrap());
    let mut cables = Vec::new();
    for (nth, switch) in switches.into_iter().enumerate() {
        let next = switches[(nth + 1) % 4];
        cables.push(net.connect(End::switch(switch, 1), End::switch(next, 0)).unwrap());
    }
    let first = net.connect(End::host(a, 0), End::switch(switches[1], 5)).unwrap();
    let second = net.connect(End::host(a, 1), End::switch(switches[0], 5)).unwrap();
    net.connect(End::host(b, 0), End::switch(switches[2], 5)).unwrap();
    let found =
        rank_failures(&net, &Choices { algorithm: Algorithm::Minimal, ..Choices::default() }, &|_, _| ());
    let seen = |effect: &Effect| (effect.unreachable, effect.longer, effect.distance);
    assert_eq!((seen(&found.whole), found.host_cables), ((0, 0, 2), 1));
    let by_part: BTreeMap<Part, _> = found.parts.iter().map(|(part, effect)| (*part, seen(effect))).collect();
    let mut expected: BTreeMap<Part, _> = cables.iter().map(|id| (Part::Cable(*id), (0, 0, 2))).collect();
    expected.extend(switches.map(|id| (Part::Switch(id), (0, 0, 2))));
    expected.extend([
        (Part::Cable(cables[1]), (0, 2, 6)),
        (Part::Cable(first), (0, 2, 4)),
        (Part::Cable(second), (0, 0, 2)),
        (Part::Switch(switches[1]), (0, 2, 4)),
        (Part::Switch(switches[2]), (2, 0, 0)),
    ]);
    assert_eq!(by_part, expected);
}

/// Wrong if a deadlock that outlives a failure were not seen: minimal routes round a torus have many circles.
#[test]
fn a_torus_can_deadlock_whatever_fails() {
    let net = generate::build("torus", &[("x", 4), ("y", 4), ("hosts-per-switch", 1)], 0).unwrap();
    let found =
        rank_failures(&net, &Choices { algorithm: Algorithm::Minimal, ..Choices::default() }, &|_, _| ());
    assert_eq!(found.parts.len(), 32 + 16);
    assert!(found.parts.iter().all(|(_, effect)| effect.verdict == Some(Verdict::Cyclic)));
}

/// Wrong if roots given by name pointed at other switches once one before them failed, or a lost root were kept.
#[test]
fn named_roots_move_with_their_switches() {
    let net = generate::build("ring", &[("switches", 5), ("hosts-per-switch", 1)], 0).unwrap();
    let algorithm = Algorithm::UpDown { tree: Tree::Bfs, root: Root::Named(vec![SwitchId(3)]) };
    let choices = Choices { algorithm, ..Choices::default() };
    let roots = |gone: u32| {
        let parts = [Part::Switch(SwitchId(gone)), Part::Cable(LinkId(0))];
        let algorithm = choices_without(&net, &parts, &choices).algorithm;
        algorithm.tree_and_root().unwrap().1.clone()
    };
    assert_eq!(roots(1), Root::Named(vec![SwitchId(2)]));
    assert_eq!(roots(4), Root::Named(vec![SwitchId(3)]));
    assert_eq!(roots(3), Root::Far);
}

/// Wrong if a network without hosts were ranked by nothing: its switches stand in.
#[test]
fn switches_stand_in_for_hosts() {
    let bare =
        without_hosts(&generate::build("ring", &[("switches", 5), ("hosts-per-switch", 1)], 0).unwrap());
    let found =
        rank_failures(&bare, &Choices { algorithm: Algorithm::Minimal, ..Choices::default() }, &|_, _| ());
    assert_eq!((found.whole.routed, found.whole.unreachable), (20, 0));
    assert_eq!(found.whole.verdict, Some(Verdict::Cyclic));
    let (part, worst) = &found.parts[0];
    assert!(matches!(part, Part::Switch(_)) && worst.unreachable == 8 && worst.routed == 12);
}

fn without_hosts(net: &Network) -> Network {
    let mut bare = Network::new("bare");
    for switch in net.switches() {
        bare.push_switch(switch.clone()).unwrap();
    }
    for link in net.links() {
        if matches!((link.a.node, link.b.node), (Node::Switch(_), Node::Switch(_))) {
            bare.push_link(link.clone()).unwrap();
        }
    }
    bare
}
