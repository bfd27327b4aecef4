//! Equal-cost multipath: next hops are those of shortest paths, all of them are used, and a proof over all of them
//! holds for each.

use std::collections::{BTreeMap, BTreeSet};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use simnet_base::ids::{HostId, Node, Port, SwitchId};
use simnet_media::ethernet::{FlowHash, ForwardingTable};
use simnet_network::routing::Attachments;
use simnet_network::topology::generate::FatTree;
use simnet_network::topology::{End, Network};

use support_network::cases;
use support_network::routing::{FAR, random_multigraph};

/// Cables between any two switches, by trying every switch on the way.
fn distances(network: &Network) -> Vec<Vec<u32>> {
    let switches = network.switches().len();
    let mut distance = vec![vec![FAR; switches]; switches];
    for switch in network.switch_ids() {
        distance[switch.index()][switch.index()] = 0;
        for (_, _, far) in network.cables(Node::Switch(switch)) {
            if let Node::Switch(next) = far.node
                && next != switch
            {
                distance[switch.index()][next.index()] = 1;
            }
        }
    }
    for way in 0..switches {
        for from in 0..switches {
            for to in 0..switches {
                let over = distance[from][way] + distance[way][to];
                distance[from][to] = distance[from][to].min(over);
            }
        }
    }
    distance
}

/// The ports by which a flow leaves the switches on its way, from the switch of its source on; `None` if it gets lost.
fn walk(network: &Network, table: &ForwardingTable, from: End, flow: [HostId; 2]) -> Option<Vec<End>> {
    let (mut ways, mut at) = (Vec::new(), from);
    while let Node::Switch(switch) = at.node {
        let out = End { node: at.node, port: table.port(switch, flow)? };
        ways.push(out);
        at = network.peer(out)?;
        assert!(ways.len() <= network.switches().len(), "round and round");
    }
    (at.node == Node::Host(flow[1])).then_some(ways)
}

/// Wrong if a next hop is not the first of a shortest path, one is missing, a flow takes another way or gets lost, or
/// the proof leaves out a turn that it takes.
#[test]
fn flows_take_shortest_paths() {
    let (mut flows, mut branching) = (0, 0);
    for seed in 0..cases(2_000) {
        let network = random_multigraph(seed, 10);
        let lowest = Attachments::lowest(&network);
        let hash = FlowHash { seed, is_shared: seed % 3 == 0 };
        let table = ForwardingTable::of_shortest_paths(&network, &lowest, hash);
        let ports: Vec<Option<Port>> =
            network.host_ids().map(|host| lowest.of(host).map(|cable| cable.port)).collect();
        let mut graph = table.dependencies(&network, &ports, false);
        let distance = distances(&network);
        for host in network.host_ids() {
            assert_eq!(table.circle_towards(&network, &ports, host), None, "seed {seed}, {host:?}");
            let Some((at, port)) = lowest.switch(host) else { continue };
            for switch in network.switch_ids() {
                let here = distance[switch.index()][at.index()];
                let cables = network.cables(Node::Switch(switch));
                let nearer = cables.filter_map(|(port, _, far)| match far.node {
                    Node::Switch(next) if distance[next.index()][at.index()] + 1 == here => Some(port),
                    _ => None,
                });
                let expected = match here {
                    0 => vec![port],
                    FAR.. => vec![],
                    _ => nearer.collect(),
                };
                assert_eq!(table.ports(switch, host), expected, "seed {seed}, {switch:?} to {host:?}");
                branching += usize::from(expected.len() > 1);
            }
            for source in network.host_ids().filter(|source| *source != host) {
                let Some(first) = lowest.of(source).map(|cable| cable.far) else { continue };
                let Node::Switch(switch) = first.node else { continue };
                let way = walk(&network, &table, first, [source, host]);
                let length = distance[switch.index()][at.index()];
                let expected = (length < FAR).then_some(length as usize + 1);
                assert_eq!(way.as_ref().map(Vec::len), expected, "seed {seed}, {source:?} to {host:?}");
                for pair in way.iter().flat_map(|way| way.windows(2)) {
                    let link = network.link_at(pair[0]).unwrap();
                    let is_forward = network.link(link).a == pair[0];
                    let held = if is_forward { link.forward() } else { link.backward() };
                    let known = graph.len();
                    graph.add(held, pair[1].port);
                    assert_eq!(graph.len(), known, "seed {seed}: {pair:?}");
                }
                flows += 1;
            }
        }
    }
    assert!(flows > 100 && branching > 100, "{flows} flows, {branching} choices");
}

/// Wrong if single next hops by chance sent what some host has for another round for ever and no circle were named, if
/// one were named where all of it gets somewhere, or one that the next hops do not go round.
#[test]
fn circles_are_those_that_frames_go_round() {
    let mut found = [0, 0];
    for seed in 0..cases(2_000) {
        let network = random_multigraph(seed, 6);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let table = ForwardingTable::new(&network, |switch, _| {
            let ports: Vec<Port> = network.cables(Node::Switch(switch)).map(|(port, _, _)| port).collect();
            (!ports.is_empty()).then(|| ports[random.random_range(0..ports.len())])
        });
        let lowest = Attachments::lowest(&network);
        let ports: Vec<Option<Port>> =
            network.host_ids().map(|host| lowest.of(host).map(|cable| cable.port)).collect();
        let next = |at: End, host| {
            let Node::Switch(switch) = at.node else { return None };
            let out = End { node: at.node, port: *table.ports(switch, host).first()? };
            // What would go back where it came from is dropped.
            network.peer(out).filter(|_| out != at)
        };
        for host in network.host_ids() {
            let goes_round = |from| {
                let start = lowest.of(from).map(|cable| cable.far);
                let on_its_way = |at: &End| next(*at, host);
                std::iter::successors(start, on_its_way).nth(2 * network.links().len() + 1).is_some()
            };
            let expected = network.host_ids().filter(|from| *from != host).any(goes_round);
            let circle = table.circle_towards(&network, &ports, host);
            assert_eq!(circle.is_some(), expected, "seed {seed}, {host:?}: {circle:?}");
            for (nth, switch) in circle.iter().flatten().enumerate() {
                let circle = circle.as_ref().unwrap();
                let node = Node::Switch(*switch);
                let far = network.peer(End { node, port: table.ports(*switch, host)[0] }).unwrap();
                assert_eq!(far.node, Node::Switch(circle[(nth + 1) % circle.len()]), "seed {seed}, {host:?}");
            }
            found[usize::from(expected)] += 1;
        }
    }
    assert!(found.iter().all(|count| *count > 10), "{found:?}");
}

/// Wrong if flows from all hosts to all do not use all upward cables where every switch has a hash of its own, or with
/// a shared one more than those that two choices alike come to: of 4 x 4 from the second row of a tree one in four.
/// The proof finds no circle.
#[test]
fn a_shared_hash_uses_a_part_of_a_tree() {
    let network = FatTree::new(4, 3, 4).unwrap().build();
    let lowest = Attachments::lowest(&network);
    let ports: Vec<Option<Port>> = network.host_ids().map(|_| Some(Port(0))).collect();
    let mut used = BTreeMap::new();
    for is_shared in [false, true] {
        let table = ForwardingTable::of_shortest_paths(&network, &lowest, FlowHash { seed: 5, is_shared });
        assert!(!table.dependencies(&network, &ports, false).is_cyclic());
        let mut second: BTreeSet<(SwitchId, Port)> = BTreeSet::new();
        for source in network.host_ids() {
            for host in network.host_ids().filter(|host| *host != source) {
                let first = lowest.of(source).unwrap().far;
                let way = walk(&network, &table, first, [source, host]).unwrap();
                if let [_, up, _, _, _] = way[..]
                    && let Node::Switch(switch) = up.node
                {
                    second.insert((switch, up.port));
                }
            }
        }
        used.insert(is_shared, second.len());
    }
    assert_eq!((used[&false], used[&true]), (64, 16));
}
