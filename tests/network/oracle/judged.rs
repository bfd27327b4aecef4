//! What a verdict is about: switches stand in for hosts where there are none.

use simnet_base::ids::{Node, SwitchId};
use simnet_network::routing::{
    Algorithm, Attachments, Choices, Judged, LegalMoves, Plan, Report, Requirement, Selection, Survey,
    SwitchGraph, Verdict, select_routes,
};
use simnet_network::topology::{End, Network, Switch};

use support_network::cases;
use support_network::routing::random_multigraph;

/// The switches of a network and the cables between them, with a port more each, and `hosts` on every switch.
fn with_hosts(net: &Network, hosts: bool) -> Network {
    let mut bare = Network::new(net.name.clone());
    for switch in net.switches() {
        bare.push_switch(Switch { ports: switch.ports + 1, ..switch.clone() }).unwrap();
    }
    for link in net.links() {
        if matches!((link.a.node, link.b.node), (Node::Switch(_), Node::Switch(_))) {
            bare.push_link(link.clone()).unwrap();
        }
    }
    for (switch, spec) in net.switch_ids().zip(net.switches()).filter(|_| hosts) {
        let host = bare.add_host(format!("at-{}", switch.index())).unwrap();
        bare.connect(End::host(host, 0), End::switch(switch, spec.first_port + spec.ports)).unwrap();
    }
    bare
}

fn report(net: &Network, algorithm: &Algorithm) -> Report {
    let attachments = Attachments::lowest(net);
    let choices = Choices { algorithm: algorithm.clone(), ..Choices::default() };
    Plan::new(net, &attachments, &choices).unwrap().report(net, &attachments)
}

/// Wrong if a network without hosts were judged otherwise than the same with a host on every switch, a pair of
/// switches were missed, or one that no cable joins counted as reached.
#[test]
fn switches_stand_in_for_hosts_one_for_one() {
    let mut cyclic = 0;
    for seed in 0..cases(400) {
        let drawn = random_multigraph(seed, 6);
        let (bare, full) = (with_hosts(&drawn, false), with_hosts(&drawn, true));
        // Dimension order is for grids alone: `oracle/dimension_order.rs` has it.
        for (name, algorithm) in
            Algorithm::ALL.iter().filter(|(_, it)| !matches!(it, Algorithm::DimensionOrder))
        {
            let (bare, full) = (report(&bare, algorithm), report(&full, algorithm));
            assert_eq!((bare.pairs, full.judged.switch_pairs), (0, 0), "seed {seed} {name}");
            let switches = drawn.switches().len() as u64;
            let Judged { switch_pairs, unreachable_switch_pairs, .. } = bare.judged;
            assert_eq!(
                switch_pairs + unreachable_switch_pairs,
                switches * (switches - 1),
                "seed {seed} {name}"
            );
            assert_eq!(switch_pairs, full.pairs - full.unreachable_pairs, "seed {seed} {name}");
            assert_eq!(bare.verdict(), full.verdict(), "seed {seed} {name}");
            assert_eq!(
                bare.dependency_cycle.is_some(),
                full.dependency_cycle.is_some(),
                "seed {seed} {name}"
            );
            // Without hosts no routes are chosen.
            assert_eq!(bare.chosen, None, "seed {seed} {name}");
            let full = Report { chosen: None, ..full };
            for requirement in [Requirement::Acyclic, Requirement::Reachable] {
                assert_eq!(bare.holds(requirement), full.holds(requirement), "seed {seed} {name}");
            }
            cyclic += u64::from(bare.verdict() == Some(Verdict::Cyclic));
        }
    }
    assert!(cyclic > 0, "some networks can deadlock");
}

/// A ring of five switches without hosts beside a chain of two switches with `hosts` on its first.
fn ring_beside(hosts: u16) -> Network {
    let mut net = Network::new("two parts");
    for n in 0..7 {
        net.add_switch(format!("s{n}"), 8).unwrap();
    }
    for n in 0..5 {
        let ends = (End::switch(SwitchId(n), 1), End::switch(SwitchId((n + 1) % 5), 2));
        net.connect(ends.0, ends.1).unwrap();
    }
    net.connect(End::switch(SwitchId(5), 0), End::switch(SwitchId(6), 0)).unwrap();
    for n in 0..hosts {
        let host = net.add_host(format!("h{n}")).unwrap();
        net.connect(End::host(host, 0), End::switch(SwitchId(5), n + 1)).unwrap();
    }
    net
}

/// Wrong if a part without hosts passed unseen: the ring of five switches can deadlock, by minimal routes.
#[test]
fn a_part_without_hosts_is_judged_by_its_switches() {
    let minimal = Algorithm::Minimal;
    for (hosts, host_pairs, switch_pairs, unreachable) in
        [(0, 0, 22, 20), (1, 0, 22, 20), (2, 2, 20, 0), (3, 6, 20, 0)]
    {
        let found = report(&ring_beside(hosts), &minimal);
        let unreachable_switch_pairs = unreachable;
        let wanted = Judged { host_pairs, switch_pairs, unreachable_switch_pairs, switches_left_out: 0 };
        assert_eq!(found.judged, wanted, "{hosts} hosts");
        assert_eq!(found.verdict(), Some(Verdict::Cyclic), "{hosts} hosts");
        assert_eq!(found.dependency_cycle.as_ref().map(Vec::len), Some(5));
        assert_eq!(found.holds(Requirement::Reachable), hosts > 1);
    }
    let found = report(&ring_beside(3), &Choices::default().algorithm);
    assert_eq!((found.verdict(), found.judged.switch_pairs), (Some(Verdict::Acyclic), 20));
}

/// Wrong if nothing were taken for a proof: no switch, one switch, or routes that were read where no hosts are.
#[test]
fn nothing_proves_nothing() {
    let mut one = Network::new("one");
    one.add_switch("s", 4).unwrap();
    for net in [Network::new("none"), one] {
        let found = report(&net, &Algorithm::Minimal);
        assert_eq!((found.verdict(), found.judged.is_empty()), (None, true));
        assert!(!found.holds(Requirement::Acyclic) && !found.holds(Requirement::Reachable));
    }
    let net = ring_beside(0);
    let attachments = Attachments::lowest(&net);
    let graph = SwitchGraph::new(&net);
    let table = select_routes(&LegalMoves::unrestricted(&graph), &attachments, Selection::First).unwrap();
    let found = Report::of_file(&net, &attachments, &Survey::new(&net, &attachments, &table));
    assert_eq!((found.verdict(), found.judged.switches_left_out), (None, net.switches().len() as u64));
    assert!(!found.holds(Requirement::Acyclic));
}
