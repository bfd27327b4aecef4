//! The random networks that mappers are shown: everything that makes mapping difficult is among them.

use simnet_base::ids::{HostId, Node, SwitchId};
use simnet_network::topology::Network;
use simnet_network::topology::isomorphism::core;
use simnet_network::topology::metrics::measure;
use support_network::mapping::{network, random_network};

#[test]
fn networks_cover_what_is_difficult() {
    // Wrong if properties of mappers were shown on easy networks only.
    let all: Vec<(Network, HostId)> = (0..1_000).map(network).collect();
    let share = |has: &dyn Fn(&Network, HostId) -> bool| all.iter().filter(|(net, at)| has(net, *at)).count();
    let is_switch = |node| matches!(node, Node::Switch(_));
    let far_apart = |net: &Network, mapper: HostId| {
        let core = core(net, mapper);
        !core.switches.iter().all(|inside| *inside)
    };
    let single = |net: &Network| net.switch_ids().any(|id| net.cables(Node::Switch(id)).count() == 1);
    let bare = |net: &Network| net.host_ids().any(|host| net.attachment(host).is_none());
    let sizes =
        |low: usize, high: usize| move |net: &Network, _| (low..=high).contains(&net.switches().len());
    for (what, least, count) in [
        ("one switch", 20, share(&sizes(1, 1))),
        ("2 to 6 switches", 150, share(&sizes(2, 6))),
        ("7 to 20 switches", 200, share(&sizes(7, 20))),
        ("21 to 30 switches", 100, share(&sizes(21, 30))),
        ("30 switches", 5, share(&sizes(30, 30))),
        ("2 hosts", 10, share(&|net, _| net.hosts().len() == 2)),
        ("more than 40 hosts", 100, share(&|net, _| net.hosts().len() > 40)),
        ("60 hosts", 3, share(&|net, _| net.hosts().len() == 60)),
        ("looped cables", 150, share(&|net, _| measure(net).loopback_links > 0)),
        ("parallel cables", 300, share(&|net, _| measure(net).parallel_links > 0)),
        ("several components", 200, share(&|net, _| measure(net).components > 1)),
        ("a switch of one cable", 300, share(&|net, _| single(net))),
        ("a host without a cable", 200, share(&|net, _| bare(net))),
        ("a part out of sight", 200, share(&far_apart)),
        ("switches of 16 ports", 50, share(&|net, _| net.switches().iter().any(|switch| switch.ports > 8))),
        (
            "a cycle of cables",
            300,
            share(&|net, _| {
                let cables =
                    net.links().iter().filter(|link| is_switch(link.a.node) && is_switch(link.b.node));
                cables.count() > net.switches().len()
            }),
        ),
    ] {
        assert!(count >= least, "{what}: {count} of 1,000 networks");
    }
}

#[test]
fn random_networks_cover_what_is_difficult() {
    // Wrong if the property above were proved on easy networks only.
    let nets: Vec<Network> = (0..500).map(|seed| random_network(seed).0).collect();
    let share = |has: &dyn Fn(&Network) -> bool| nets.iter().filter(|net| has(net)).count();
    let pair = |net: &Network, nth: usize| (net.links()[nth].a.node, net.links()[nth].b.node);
    let switch = |node| matches!(node, Node::Switch(_));
    assert!(share(&|net| net.links().iter().any(|link| link.a.node == link.b.node)) > 50, "looped cables");
    let parallel = |net: &Network| {
        (0..net.links().len()).any(|i| {
            let (a, b) = pair(net, i);
            (0..i).any(|j| pair(net, j) == (a, b) || pair(net, j) == (b, a)) && switch(a) && switch(b)
        })
    };
    assert!(share(&parallel) > 50, "parallel cables");
    let single =
        |net: &Network| net.switch_ids().any(|id: SwitchId| net.cables(Node::Switch(id)).count() == 1);
    assert!(share(&single) > 50, "switches of one cable");
}
