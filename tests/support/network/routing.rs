//! Slow, obvious versions of what routing does fast, and random multigraphs to compare them on.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use simnet_base::ids::{HostId, Node, Port, SwitchId, Turn};
use simnet_network::routing::Directions;
use simnet_network::topology::{End, Host, Network, Switch};

/// A far larger distance than any network here has.
pub const FAR: u32 = 1_000_000;

/// A small random multigraph: parallel and looped cables, often several components, ports from 0 or 1,
/// sometimes guids, hosts with no, one or two cables.
pub fn random_multigraph(seed: u64, most_switches: u32) -> Network {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut net = Network::new(format!("multigraph-{seed}"));
    let switches = random.random_range(1..=most_switches);
    let guids = random.random_bool(0.3);
    for nth in 0..switches {
        let guid = guids.then(|| random.next_u64());
        net.push_switch(Switch {
            name: format!("s{nth}"),
            ports: 12,
            first_port: random.random_range(0..=1),
            guid,
            description: None,
        })
        .unwrap();
    }
    for nth in 0..random.random_range(0..=switches + 3) {
        let host = Host { name: format!("h{nth}"), ports: 2, first_port: 0, guid: None, description: None };
        let host = net.push_host(host).unwrap();
        for port in 0..=1 {
            let chance = if port == 0 { 0.95 } else { 0.1 };
            let far = free_port(&net, &mut random).filter(|_| random.random_bool(chance));
            if let Some(far) = far {
                net.connect(End::host(host, port), far).unwrap();
            }
        }
    }
    for _ in 0..random.random_range(0..=2 * switches) {
        let (a, b) = (free_port(&net, &mut random), free_port(&net, &mut random));
        if let (Some(a), Some(b)) = (a, b)
            && a != b
        {
            net.connect(a, b).unwrap();
        }
    }
    net
}

fn free_port(net: &Network, random: &mut ChaCha8Rng) -> Option<End> {
    let switch = SwitchId(random.random_range(0..u32::try_from(net.switches().len()).unwrap()));
    let (first, ports) = net.port_range(Node::Switch(switch));
    let end = End::switch(switch, random.random_range(first..first + ports));
    net.peer(end).is_none().then_some(end)
}

/// All directed switch-to-switch channels but loopbacks: sending end, receiving end.
pub fn channels(net: &Network) -> Vec<(End, End)> {
    let both = net.links().iter().flat_map(|l| [(l.a, l.b), (l.b, l.a)]);
    let between = |(a, b): &(End, End)| {
        a.node != b.node && matches!((a.node, b.node), (Node::Switch(_), Node::Switch(_)))
    };
    let mut all: Vec<(End, End)> = both.filter(between).collect();
    all.sort();
    all
}

/// The switch that an end stands at.
pub fn switch_of(end: End) -> SwitchId {
    match end.node {
        Node::Switch(switch) => switch,
        Node::Host(_) => panic!("a switch's end"),
    }
}

/// Shortest legal distances between switches by Floyd-Warshall over (switch, phase); `None` for no rule.
pub fn floyd_warshall(net: &Network, directions: Option<&Directions>) -> Vec<Vec<u32>> {
    let states = net.switches().len() * 2;
    let mut distance = vec![vec![FAR; states]; states];
    for (nth, row) in distance.iter_mut().enumerate() {
        row[nth] = 0;
    }
    for (from, to) in channels(net) {
        let (from, to) = (switch_of(from), switch_of(to));
        if directions.is_none_or(|d| d.is_up(from, to)) {
            distance[from.index() * 2][to.index() * 2] = 1;
        } else {
            distance[from.index() * 2][to.index() * 2 + 1] = 1;
            distance[from.index() * 2 + 1][to.index() * 2 + 1] = 1;
        }
    }
    for via in 0..states {
        for from in 0..states {
            for to in 0..states {
                let around = distance[from][via] + distance[via][to];
                distance[from][to] = distance[from][to].min(around);
            }
        }
    }
    let ends = |row: &Vec<u32>| row.chunks(2).map(|pair| pair[0].min(pair[1])).collect();
    distance.iter().step_by(2).map(ends).collect()
}

/// Every shortest legal path between two switches as its sending ends, by trying all paths of the right
/// length.
pub fn all_shortest(
    net: &Network,
    directions: Option<&Directions>,
    (from, to): (SwitchId, SwitchId),
    length: u32,
) -> Vec<Vec<End>> {
    let mut found = Vec::new();
    let mut open = vec![(from, false, Vec::new())];
    let channels = channels(net);
    while let Some((at, went_down, path)) = open.pop() {
        if u32::try_from(path.len()).unwrap() == length {
            found.extend((at == to).then_some(path));
            continue;
        }
        for (output, input) in channels.iter().filter(|(output, _)| switch_of(*output) == at) {
            let next = switch_of(*input);
            let up = directions.is_none_or(|d| d.is_up(at, next));
            if !(up && went_down) {
                let longer = path.iter().copied().chain([*output]).collect();
                open.push((next, !up, longer));
            }
        }
    }
    found.sort();
    found
}

/// The (switch, input, output) of every switch on a route, and the end that it leads to.
pub fn follow(net: &Network, from: HostId, turns: &[Turn]) -> (Vec<(SwitchId, Port, Port)>, End) {
    let (_, _, mut at) = net.attachment(from).unwrap();
    let mut hops = Vec::new();
    for turn in turns {
        let output = at.port.turned(*turn).unwrap();
        hops.push((switch_of(at), at.port, output));
        at = net.peer(End { node: at.node, port: output }).unwrap();
    }
    (hops, at)
}

/// Dependencies between switch-to-switch channels, each named by its sending end.
pub type Dependencies = BTreeMap<End, BTreeSet<End>>;

/// The length of a shortest cycle: a breadth-first search from every channel.
pub fn shortest_cycle(dependencies: &Dependencies) -> Option<usize> {
    dependencies.keys().filter_map(|start| cycle_through(dependencies, *start)).min()
}

fn cycle_through(dependencies: &Dependencies, start: End) -> Option<usize> {
    let mut length = BTreeMap::from([(start, 1)]);
    let mut queue = VecDeque::from([start]);
    while let Some(channel) = queue.pop_front() {
        for next in dependencies.get(&channel).into_iter().flatten() {
            if *next == start {
                return Some(length[&channel]);
            }
            if !length.contains_key(next) {
                length.insert(*next, length[&channel] + 1);
                queue.push_back(*next);
            }
        }
    }
    None
}

/// A ring of switches with a few chords and two hosts on each: shortest routes are often cyclic.
pub fn ring_with_chords(seed: u64) -> Network {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut net = Network::new(format!("ring-{seed}"));
    let switches: u32 = random.random_range(4..10);
    for n in 0..switches {
        let s = net.add_switch(format!("s{n}"), 8).unwrap();
        for k in 0..2 {
            let h = net.add_host(format!("h{n}-{k}")).unwrap();
            net.connect(End::host(h, 0), End::switch(s, k)).unwrap();
        }
    }
    for n in 0..switches {
        net.connect(End::switch(SwitchId(n), 2), End::switch(SwitchId((n + 1) % switches), 3)).unwrap();
    }
    for port in 4..4 + random.random_range(0..3) {
        let (a, b) = (random.random_range(0..switches), random.random_range(0..switches));
        if a != b {
            net.connect(End::switch(SwitchId(a), port), End::switch(SwitchId(b), port)).unwrap();
        }
    }
    net
}
