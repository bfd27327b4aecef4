//! Trees, roots and selections against slow, obvious versions of themselves on random multigraphs.

use simnet_base::ids::{Node, SwitchId};
use simnet_network::routing::{
    Algorithm, Attachments, Choices, Directions, Heuristic, LegalMoves, Plan, Root, Selection, SwitchGraph,
    SwitchMetrics, Tree,
};
use simnet_network::topology::Network;

use support_network::cases;
use support_network::routing::{FAR, channels, floyd_warshall, follow, random_multigraph, switch_of};

/// What breaks ties: guids as numbers where all switches have one, else positions.
fn id(net: &Network, switch: SwitchId) -> (u64, u32) {
    let all = net.switches().iter().all(|s| s.guid.is_some());
    let guid = net.switches()[switch.index()].guid.filter(|_| all);
    (guid.unwrap_or(u64::from(switch.0)), switch.0)
}

fn neighbours(net: &Network, switch: SwitchId) -> Vec<SwitchId> {
    let own = channels(net).into_iter().filter(|(output, _)| switch_of(*output) == switch);
    own.map(|(_, input)| switch_of(input)).collect()
}

/// The order of visits, by the recursion that the source describes.
fn visit(net: &Network, distance: &[Vec<u32>], h2: bool, at: SwitchId, visited: &mut Vec<SwitchId>) {
    visited.push(at);
    loop {
        let rest: Vec<SwitchId> = net.switch_ids().filter(|s| !visited.contains(s)).collect();
        let worth = |s: SwitchId| {
            let joined = neighbours(net, s).into_iter().filter(|n| visited.contains(n)).count();
            let reached = rest.iter().map(|r| distance[s.index()][r.index()]).filter(|d| *d < FAR);
            (if h2 { joined } else { 0 }, reached.sum::<u32>())
        };
        let open = neighbours(net, at).into_iter().filter(|s| !visited.contains(s));
        match open.max_by_key(|s| (worth(*s), std::cmp::Reverse(id(net, *s)))) {
            Some(next) => visit(net, distance, h2, next, visited),
            None => return,
        }
    }
}

/// Wrong if a depth-first tree went on elsewhere than the recursion does, or labels did not fall in the order
/// of visits (they are stored negated, so that they rise).
#[test]
fn depth_first_labels_are_those_of_the_recursion() {
    for seed in 0..cases(4_000) {
        let net = random_multigraph(seed, 9);
        let graph = SwitchGraph::new(&net);
        let distance = floyd_warshall(&net, None);
        let root = SwitchId(u32::try_from(seed % net.switches().len() as u64).unwrap());
        for (heuristic, h2) in [(Heuristic::H1, false), (Heuristic::H2, true)] {
            let directions = Directions::from_roots(&graph, vec![root], Tree::Dfs(heuristic));
            let mut visited = Vec::new();
            visit(&net, &distance, h2, root, &mut visited);
            for (label, switch) in (0..).zip(&visited) {
                assert_eq!(directions.label(*switch), label, "seed {seed}, {heuristic:?}: {switch:?}");
            }
        }
    }
}

/// Wrong if a component got no root, or another than the one with the best metrics of all its trees.
#[test]
fn every_component_has_the_root_that_its_rule_asks_for() {
    for seed in 0..cases(2_000) {
        let net = random_multigraph(seed, 9);
        let graph = SwitchGraph::new(&net);
        let attachments = Attachments::lowest(&net);
        let distance = floyd_warshall(&net, None);
        let component = |s: SwitchId| {
            let near = |t: &SwitchId| distance[s.index()][t.index()] < FAR;
            net.switch_ids().filter(near).collect::<Vec<_>>()
        };
        let sum = |s: SwitchId| {
            component(s).into_iter().map(|t| u64::from(distance[s.index()][t.index()])).sum::<u64>()
        };
        let tree = [Tree::Bfs, Tree::Dfs(Heuristic::H1), Tree::Dfs(Heuristic::H2)][(seed % 3) as usize];
        let crossing = |s: SwitchId| {
            // Nothing crosses other components but their own paths: they are left out by their channels.
            let directions = Directions::from_roots(&graph, vec![s], tree);
            let alone = alone(&net, &component(s));
            let same = SwitchGraph::new(&alone);
            let labels = |s: SwitchId| directions.label(s);
            assert!(
                same.switch_ids().all(|t| t == s || labels(t) > labels(s)),
                "seed {seed}: the root is lowest"
            );
            let metrics = SwitchMetrics::new(&LegalMoves::up_down(&same, &directions));
            (metrics.crossing_paths, metrics.sum_of_distances)
        };
        let best = |rank: &dyn Fn(SwitchId) -> (u64, u64)| {
            let first =
                |s: &SwitchId| component(*s).into_iter().min_by_key(|t| (rank(*t), id(&net, *t))) == Some(*s);
            let mut roots: Vec<SwitchId> = net.switch_ids().filter(first).collect();
            roots.sort();
            roots
        };
        let found = |root: &Root| {
            let mut roots = Directions::new(&graph, &attachments, None, root, tree).roots().to_vec();
            roots.sort();
            roots
        };
        assert_eq!(found(&Root::R0), best(&|_| (0, 0)), "seed {seed}: r0");
        assert_eq!(found(&Root::R1), best(&|s| (sum(s), 0)), "seed {seed}: r1");
        assert_eq!(found(&Root::R2), best(&crossing), "seed {seed}: r2");
        let nearest = |s: SwitchId| {
            let with_host = net.host_ids().filter_map(|h| attachments.switch(h).map(|(at, _)| at));
            let each: Vec<u64> = with_host.map(|at| u64::from(distance[s.index()][at.index()])).collect();
            let reached = each.iter().filter(|d| **d < u64::from(FAR));
            let least = reached.clone().min().copied().unwrap_or(0);
            (u64::MAX - least, u64::MAX - reached.sum::<u64>())
        };
        assert_eq!(found(&Root::Far), best(&nearest), "seed {seed}: far");
    }
}

/// The same network with the switch-to-switch cables of `members` only.
fn alone(net: &Network, members: &[SwitchId]) -> Network {
    let mut alone = Network::new("alone");
    for switch in net.switches() {
        alone.push_switch(switch.clone()).unwrap();
    }
    for link in net.links() {
        if let (Node::Switch(a), Node::Switch(b)) = (link.a.node, link.b.node)
            && members.contains(&a)
            && members.contains(&b)
        {
            alone.connect(link.a, link.b).unwrap();
        }
    }
    alone
}

/// Wrong if some way to select left a pair out, gave it a longer route, or a pair without a legal path one.
#[test]
fn every_selection_takes_shortest_legal_paths_of_the_same_pairs() {
    for seed in 0..cases(2_000) {
        let net = random_multigraph(seed, 9);
        let attachments = Attachments::lowest(&net);
        let algorithm = match seed % 3 {
            0 => Algorithm::Minimal,
            1 => Algorithm::UpDown { tree: Tree::Bfs, root: Root::R2 },
            _ => Algorithm::UpDown { tree: Tree::Dfs(Heuristic::H1), root: Root::R0 },
        };
        let plan = |selection| {
            let choices = Choices { algorithm: algorithm.clone(), selection, utility: None };
            Plan::new(&net, &attachments, &choices).unwrap()
        };
        let first = plan(Selection::First);
        for selection in [Selection::Random { seed }, Selection::RoundRobin, Selection::Balanced] {
            let other = plan(selection);
            assert_eq!(other.table.len(), first.table.len(), "seed {seed}, {selection:?}");
            for (source, destination, turns) in other.table.iter() {
                let least = first.table.turns(source, destination).map(<[_]>::len);
                assert_eq!(Some(turns.len()), least, "seed {seed}, {selection:?}");
                let (port, _, _) = net.attachment(destination).unwrap();
                let (hops, end) = follow(&net, source, turns);
                assert_eq!((end.node, end.port), (Node::Host(destination), port), "seed {seed}");
                let rises = hops.windows(2).map(|pair| {
                    let up = other.rule.directions().is_none_or(|d| d.is_up(pair[0].0, pair[1].0));
                    u8::from(!up)
                });
                assert!(rises.is_sorted(), "seed {seed}, {selection:?}: never up after down");
            }
        }
    }
}
