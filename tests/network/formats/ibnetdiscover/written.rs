//! Any network written as a dump is read again as the same graph.

use std::collections::BTreeSet;

use simnet_base::ids::Node;
use simnet_network::topology::formats::{self, Format};
use simnet_network::topology::{End, Network, generate};

use super::{described, read};
use support_network::cases;
use support_network::formats::random_network;

/// A node as (is a switch, position) and a port counted from 1.
type Place = (bool, usize, u16);

/// All cables by position of nodes, ports counted from 1.
fn cables(net: &Network) -> BTreeSet<[Place; 2]> {
    let place = |end: End| {
        let port = end.port.0 + 1 - net.port_range(end.node).0;
        match end.node {
            Node::Switch(id) => (true, id.index(), port),
            Node::Host(id) => (false, id.index(), port),
        }
    };
    let sorted = |a: Place, b: Place| if a < b { [a, b] } else { [b, a] };
    net.links().iter().map(|link| sorted(place(link.a), place(link.b))).collect()
}

/// Wrong if a node or cable were lost or moved, a guid changed that only one node has, or two nodes got one
/// id.
#[test]
fn every_network_is_read_again_as_the_same_graph() {
    for seed in 0..cases(4_000) {
        let net = random_network(seed);
        let text = formats::write(&net, Format::Ibnetdiscover);
        let lone = net.switches().len() + net.hosts().len() == 1 && net.links().is_empty();
        if net.switches().is_empty() || lone {
            continue;
        }
        let back = read(&text);
        assert_eq!(cables(&back), cables(&net), "seed {seed}\n{text}");
        let ports = |net: &Network| {
            net.switches()
                .iter()
                .map(|s| s.ports)
                .chain(net.hosts().iter().map(|h| h.ports))
                .collect::<Vec<_>>()
        };
        assert_eq!(ports(&back), ports(&net), "seed {seed}");
        let guids = |net: &Network| {
            net.switches()
                .iter()
                .map(|s| s.guid)
                .chain(net.hosts().iter().map(|h| h.guid))
                .collect::<Vec<_>>()
        };
        let kept = guids(&net)
            .into_iter()
            .zip(guids(&back))
            .all(|(before, after)| after.is_some() && (before.is_none() || before == after));
        assert!(kept, "seed {seed}");
        // What was read from a dump is written as the same dump but for the head.
        let again = read(&formats::write(&back, Format::Ibnetdiscover));
        assert_eq!(described(&again), described(&back), "seed {seed}");
    }
}

/// Wrong if routes on the written network could differ for its ids alone: the order of made-up guids is that
/// of the list.
#[test]
fn made_up_guids_keep_the_order_of_the_switches() {
    let net =
        generate::build("random-regular", &[("switches", 32), ("degree", 4), ("hosts-per-switch", 2)], 3)
            .unwrap();
    let back = read(&formats::write(&net, Format::Ibnetdiscover));
    let guids: Vec<u64> = back.switches().iter().map(|switch| switch.guid.unwrap()).collect();
    assert!(guids.is_sorted());
    for (before, after) in net.switches().iter().zip(back.switches()) {
        assert_eq!(after.description.as_deref(), Some(before.name.as_str()));
    }
}

/// Wrong if a made-up guid met a given one, or one of the ports of a given one.
#[test]
fn made_up_guids_keep_away_from_given_ones() {
    let text = "format = \"simnet-topology/1\"\nname = \"n\"\nlinks = []\n\
                switches = [{name = \"a\", ports = 4}, {name = \"b\", ports = 4, guid = \"0x0200000000010000\"}]\n\
                hosts = [{name = \"c\", ports = 4, guid = \"0x020000000001fffe\"}, {name = \"d\"}, \
                {name = \"e\", guid = \"0x020000000001fffe\"}]\n";
    let back = read(&formats::write(&read(text), Format::Ibnetdiscover));
    let guids = [back.switches()[0].guid, back.hosts()[1].guid, back.hosts()[2].guid];
    let [a, d, e] = guids.map(Option::unwrap);
    assert_eq!(
        (back.switches()[1].guid, back.hosts()[0].guid),
        (Some(0x0200_0000_0001_0000), Some(0x0200_0000_0001_fffe))
    );
    for made_up in [a, d, e] {
        assert!(
            made_up.abs_diff(0x0200_0000_0001_0000) > 4 && made_up.abs_diff(0x0200_0000_0001_fffe) > 4,
            "{made_up:x}"
        );
    }
    assert!(a != d && d != e && a != e);
}
