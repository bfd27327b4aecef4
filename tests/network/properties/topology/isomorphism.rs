//! Maps against truths: a general search for isomorphisms judges the same.

use petgraph::algo::is_isomorphic_matching;
use petgraph::graph::DiGraph;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use simnet_base::ids::{HostId, Node, Port};
use simnet_network::topology::isomorphism::{compare, core, difference};
use simnet_network::topology::{End, Host, Network, Switch, presets};

use support_network::cases;

/// A random network of a few switches: parallel cables, loopbacks, switches beyond bridges, hosts cabled or not.
fn small_truth(rng: &mut ChaCha8Rng) -> Network {
    let mut net = Network::new("truth");
    let switches = rng.random_range(1..6);
    let ports = rng.random_range(4..7);
    let mut free: Vec<End> = Vec::new();
    for number in 0..switches {
        let id = net.add_switch(format!("s{number}"), ports).unwrap();
        free.extend((0..ports).map(|port| End::switch(id, port)));
    }
    let mut take = |rng: &mut ChaCha8Rng| free.swap_remove(rng.random_range(0..free.len()));
    for number in 0..rng.random_range(1..4) {
        let host = net.add_host(format!("h{number}")).unwrap();
        if number == 0 || rng.random_bool(0.9) {
            let end = take(rng);
            net.connect(End::host(host, 0), end).unwrap();
        }
    }
    for _ in 0..rng.random_range(0..=usize::from(switches) + 1) {
        if net.links().len() * 2 + 2 < usize::from(switches * ports) {
            let (a, b) = (take(rng), take(rng));
            net.connect(a, b).unwrap();
        }
    }
    net
}

/// The part of a network for which `keep` holds, as a mapper would show it: switches in another order, under
/// other names, ports shifted.
fn map_of(truth: &Network, keep: impl Fn(Node) -> bool, rng: &mut ChaCha8Rng) -> Network {
    let mut map = Network::new("map");
    let mut order: Vec<_> = truth.switch_ids().filter(|id| keep(Node::Switch(*id))).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, rng.random_range(0..=last));
    }
    let mut shifts = vec![0; truth.switches().len()];
    let mut ids = vec![None; truth.switches().len()];
    for (number, id) in order.into_iter().enumerate() {
        shifts[id.index()] = rng.random_range(0..5);
        ids[id.index()] = Some(map.add_switch(format!("w{number}"), 20).unwrap());
    }
    for id in truth.host_ids().filter(|id| keep(Node::Host(*id))) {
        let host = truth.hosts()[id.index()].name.clone();
        map.push_host(Host { name: host, ports: 9, first_port: 0, guid: None, description: None }).unwrap();
    }
    for link in truth.links() {
        if !keep(link.a.node) || !keep(link.b.node) {
            continue;
        }
        let end = |end: End| match end.node {
            Node::Switch(id) => End::switch(ids[id.index()].unwrap(), end.port.0 + shifts[id.index()]),
            Node::Host(id) => {
                let host = map.named(&truth.hosts()[id.index()].name).unwrap();
                End { node: host, port: end.port }
            }
        };
        let (a, b) = (end(link.a), end(link.b));
        if rng.random_bool(0.5) {
            map.connect(a, b).unwrap()
        } else {
            map.connect(b, a).unwrap()
        };
    }
    map
}

/// A network as a plain labelled graph that is the same for maps of the same thing: a vertex for every host (by
/// name), every switch, and every cabled port; of a switch's cabled ports each points at the next higher one
/// with the gap between them.
fn encoded(net: &Network) -> DiGraph<String, u32> {
    let mut graph = DiGraph::new();
    let mut vertices = std::collections::BTreeMap::new();
    for node in net.switch_ids().map(Node::Switch).chain(net.host_ids().map(Node::Host)) {
        let label = match node {
            Node::Host(_) => format!("host {}", net.name_of(node)),
            Node::Switch(_) => "switch".to_owned(),
        };
        let vertex = graph.add_node(label);
        let mut before: Option<(u16, _)> = None;
        for (port, _, _) in net.cables(node) {
            let this = graph.add_node("port".to_owned());
            graph.add_edge(vertex, this, 0);
            if let Some((lower, other)) = before {
                graph.add_edge(other, this, 1 + u32::from(port.0 - lower));
            }
            before = Some((port.0, this));
            vertices.insert(End { node, port }, this);
        }
    }
    for link in net.links() {
        // A vertex of its own keeps a cable from lying next to the edge between neighbouring ports: the search
        // takes one edge between two vertices for all of them.
        let cable = graph.add_node("cable".to_owned());
        graph.add_edge(cable, vertices[&link.a], 0);
        graph.add_edge(cable, vertices[&link.b], 0);
    }
    graph
}

fn same(a: &Network, b: &Network) -> bool {
    is_isomorphic_matching(&encoded(a), &encoded(b), |x, y| x == y, |x, y| x == y)
}

/// The nodes of N - F, by the definition: reach everything, then take away each bridge in turn.
fn slow_core(truth: &Network, mapper: HostId) -> (Vec<Node>, Vec<Node>) {
    let reach = |start: Node, without: Option<usize>| {
        let mut seen = vec![start];
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            if matches!(node, Node::Host(_)) && node != start {
                continue;
            }
            for (_, link, far) in truth.cables(node) {
                if Some(link.index()) != without && !seen.contains(&far.node) {
                    seen.push(far.node);
                    open.push(far.node);
                }
            }
        }
        seen
    };
    let reached = reach(Node::Host(mapper), None);
    let mut kept = reached.clone();
    for (index, link) in truth.links().iter().enumerate() {
        let (Node::Switch(_), Node::Switch(_)) = (link.a.node, link.b.node) else { continue };
        for start in [link.a.node, link.b.node] {
            let side = reach(start, Some(index));
            let bridge = !side.contains(&if start == link.a.node { link.b.node } else { link.a.node });
            if bridge && link.a.node != link.b.node && !side.iter().any(|node| matches!(node, Node::Host(_)))
            {
                kept.retain(|node| !side.contains(node));
            }
        }
    }
    (reached, kept)
}

/// Wrong if a switch beyond a bridge, or out of reach, were asked of a mapper, or one before it were not.
#[test]
fn the_core_is_what_its_definition_says() {
    for seed in 0..cases(20_000) {
        let truth = small_truth(&mut ChaCha8Rng::seed_from_u64(seed));
        let (_, kept) = slow_core(&truth, HostId(0));
        let fast = core(&truth, HostId(0));
        for node in truth.switch_ids().map(Node::Switch).chain(truth.host_ids().map(Node::Host)) {
            assert_eq!(fast.contains(node), kept.contains(&node), "seed {seed}: {}", truth.name_of(node));
        }
    }
}

/// Wrong if a true map were refused: of the core, of all that can be reached, or of something between.
#[test]
fn true_maps_are_accepted() {
    for seed in 0..cases(20_000) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let truth = small_truth(&mut rng);
        let (reached, kept) = slow_core(&truth, HostId(0));
        let everything = truth.hosts().len() + truth.switches().len();
        let verdict = compare(&map_of(&truth, |node| kept.contains(&node), &mut rng), &truth, HostId(0));
        let expected = if kept.len() == everything { "N" } else { "N-F" };
        assert_eq!(
            (verdict.isomorphic, verdict.isomorphic_to),
            (true, Some(expected)),
            "seed {seed} {verdict:?}"
        );
        let verdict = compare(&map_of(&truth, |node| reached.contains(&node), &mut rng), &truth, HostId(0));
        let expected = match (reached.len() == everything, reached.len() == kept.len()) {
            (true, _) => Some("N"),
            (false, true) => Some("N-F"),
            (false, false) => None,
        };
        assert_eq!((verdict.isomorphic, verdict.isomorphic_to), (true, expected), "seed {seed} {verdict:?}");
    }
}

/// Wrong if a changed map were judged otherwise than by a general search for isomorphisms.
#[test]
fn changed_maps_are_judged_as_a_general_search_judges_them() {
    let (mut alike, mut different) = (0, 0);
    for seed in 0..cases(20_000) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let truth = small_truth(&mut rng);
        let (_, kept) = slow_core(&truth, HostId(0));
        let map = map_of(&truth, |node| kept.contains(&node), &mut rng);
        let changed = mutated(&map, &mut rng);
        let verdict = compare(&changed, &truth, HostId(0));
        let core_again = same(&changed, &map);
        // By chance a change may show what lies in F as it truly is; a part without hosts is not recognised.
        let lost = verdict.difference.as_deref().is_some_and(|text| text.contains("joins its switch"));
        let expected = core_again || !lost && same(&changed, &truth);
        assert_eq!(
            verdict.isomorphic && verdict.isomorphic_to.is_some(),
            expected,
            "seed {seed}: {verdict:?}"
        );
        if !verdict.isomorphic {
            assert!(verdict.difference.is_some(), "seed {seed}");
        }
        assert_eq!(difference(&map, &changed).is_none(), core_again, "seed {seed}");
        if expected { alike += 1 } else { different += 1 }
    }
    assert!(alike > different / 50 && different > alike / 50, "both kinds occur: {alike}, {different}");
}

/// A map with one thing changed; the change may by chance leave it true.
fn mutated(map: &Network, rng: &mut ChaCha8Rng) -> Network {
    let change = rng.random_range(0..5);
    let mut changed = Network::new("changed");
    for switch in map.switches() {
        changed.push_switch(switch.clone()).unwrap();
    }
    for host in map.hosts() {
        changed.push_host(host.clone()).unwrap();
    }
    let victim = if map.links().is_empty() { 0 } else { rng.random_range(0..map.links().len()) };
    let switch = if map.switches().is_empty() { 0 } else { rng.random_range(0..map.switches().len()) };
    let (p, q) = (rng.random_range(0..12), rng.random_range(0..12));
    for (index, link) in map.links().iter().enumerate() {
        let on_switch = |end: End| matches!(end.node, Node::Switch(id) if id.index() == switch);
        let renumber = |end: End| match change {
            // One end of one cable moves to another port.
            0 if index == victim && end == link.b => End { port: Port(p), ..end },
            // Two ports of a switch are swapped.
            1 if on_switch(end) && end.port.0 == p => End { port: Port(q), ..end },
            1 if on_switch(end) && end.port.0 == q => End { port: Port(p), ..end },
            // A switch is shifted, which changes nothing.
            2 if on_switch(end) => End { port: Port(end.port.0 + 3), ..end },
            _ => end,
        };
        // A cable is missing.
        if change == 3 && index == victim {
            continue;
        }
        // What has no room for the moved end stays without that cable.
        let _ = changed.connect(renumber(link.a), renumber(link.b));
    }
    if change == 4 {
        let extra = Switch { name: "extra".into(), ports: 20, first_port: 0, guid: None, description: None };
        let extra = changed.push_switch(extra).unwrap();
        if let Some(id) = changed.switch_ids().next() {
            let _ = changed.connect(End::switch(id, p), End::switch(extra, q));
        }
    }
    changed
}

/// Wrong if one wrong cable out of 193 went unnoticed, or its place were not named.
#[test]
fn one_wrong_cable_of_the_now_is_named() {
    let truth = presets::load("now-cab").unwrap();
    let mapper = truth.find_host("c-util").unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let map = map_of(&truth, |_| true, &mut rng);
    let verdict = compare(&map, &truth, mapper);
    assert_eq!((verdict.isomorphic_to, verdict.difference), (Some("N"), None));
    for missing in 0..truth.links().len() {
        let mut map = Network::new("map");
        for switch in truth.switches() {
            map.push_switch(switch.clone()).unwrap();
        }
        for host in truth.hosts() {
            map.push_host(host.clone()).unwrap();
        }
        for (index, link) in truth.links().iter().enumerate() {
            if index != missing {
                map.push_link(link.clone()).unwrap();
            }
        }
        let verdict = compare(&map, &truth, mapper);
        let link = &truth.links()[missing];
        let place = format!("{}:{}", truth.name_of(link.a.node), link.a.port);
        assert!(!verdict.isomorphic && verdict.difference.unwrap().contains(&place), "{place}");
    }
}
