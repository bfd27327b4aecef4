//! Smart routing against a slow oracle on random multigraphs.

use std::collections::BTreeMap;

use simnet_base::ids::{HostId, Node, SwitchId};
use simnet_network::routing::{
    Algorithm, Attachments, Choices, Directions, Heuristic, Plan, Root, Selection, Smart, Survey,
    SwitchGraph, SwitchMetrics, Tree,
};
use simnet_network::topology::{End, Network, generate};

use support_network::cases;
use support_network::routing::{
    Dependencies, FAR, channels, floyd_warshall, follow, random_multigraph, shortest_cycle, switch_of,
};

/// The allowed turns, each channel named by its sending end.
fn turns_by_name(net: &Network, smart: &Smart) -> Dependencies {
    let graph = SwitchGraph::new(net);
    let name = |nth: usize| End::switch(graph.sender(nth), graph.outputs()[nth].port.0);
    let mut turns = Dependencies::new();
    for by in 0..graph.outputs().len() {
        for next in smart.turns().possible(&graph, by).filter(|n| smart.turns().allows(&graph, by, *n)) {
            turns.entry(name(by)).or_default().insert(name(next));
        }
    }
    turns
}

/// Distances between switches by Floyd-Warshall over channels, one step from each to those it may turn into.
fn slow_distances(net: &Network, turns: &Dependencies) -> Vec<Vec<u32>> {
    let channels = channels(net);
    let position: BTreeMap<End, usize> = channels.iter().enumerate().map(|(n, (out, _))| (*out, n)).collect();
    let mut distance = vec![vec![FAR; channels.len()]; channels.len()];
    for (nth, (out, _)) in channels.iter().enumerate() {
        distance[nth][nth] = 0;
        for next in turns.get(out).into_iter().flatten() {
            distance[nth][position[next]] = 1;
        }
    }
    for via in 0..channels.len() {
        for from in 0..channels.len() {
            for to in 0..channels.len() {
                let around = distance[from][via] + distance[via][to];
                distance[from][to] = distance[from][to].min(around);
            }
        }
    }
    let mut between = vec![vec![FAR; net.switches().len()]; net.switches().len()];
    for (nth, row) in between.iter_mut().enumerate() {
        row[nth] = 0;
    }
    for (first, (out, _)) in channels.iter().enumerate() {
        for (last, (_, input)) in channels.iter().enumerate() {
            let least = &mut between[switch_of(*out).index()][switch_of(*input).index()];
            *least = (*least).min(distance[first][last].saturating_add(1));
        }
    }
    between
}

fn choices(net: &Network, seed: u64) -> (Tree, Root, Selection) {
    let named = |n: u64| SwitchId(u32::try_from(n % net.switches().len() as u64).unwrap());
    let root = match seed % 6 {
        0 => Root::Far,
        1 => Root::R0,
        2 => Root::R1,
        3 => Root::R2,
        4 => Root::Named(vec![named(seed / 6)]),
        _ => Root::Named(vec![named(seed / 6), named(seed / 7)]),
    };
    let tree = [Tree::Bfs, Tree::Dfs(Heuristic::H1), Tree::Dfs(Heuristic::H2)][(seed / 6 % 3) as usize];
    let selection =
        [Selection::First, Selection::Random { seed }, Selection::RoundRobin][(seed % 3) as usize];
    (tree, root, selection)
}

/// Checks that every pair that cables join has a shortest route of allowed turns.
fn check_routes(net: &Network, plan: &Plan, turns: &Dependencies, distance: &[Vec<u32>], seed: u64) {
    let joined = floyd_warshall(net, None);
    let attached = |h: HostId| match net.attachment(h) {
        Some((_, _, End { node: Node::Switch(switch), .. })) => Some(switch),
        _ => None,
    };
    for (source, destination) in net.host_ids().flat_map(|s| net.host_ids().map(move |d| (s, d))) {
        let Some((from, to)) = attached(source).zip(attached(destination)) else { continue };
        let route = plan.table.turns(source, destination).filter(|_| source != destination);
        let reachable = source != destination && joined[from.index()][to.index()] < FAR;
        assert_eq!(route.is_some(), reachable, "seed {seed}: all pairs that cables join, and no other");
        let Some(route) = route else { continue };
        let (hops, end) = follow(net, source, route);
        assert_eq!(hops.len(), distance[from.index()][to.index()] as usize + 1, "seed {seed}: shortest");
        assert_eq!(end.node, Node::Host(destination), "seed {seed}: a route arrives");
        let outputs: Vec<End> = hops[..hops.len() - 1].iter().map(|h| End::switch(h.0, h.2.0)).collect();
        for pair in outputs.windows(2) {
            let allowed = turns.get(&pair[0]).is_some_and(|set| set.contains(&pair[1]));
            assert!(allowed, "seed {seed}: every turn of a route is allowed");
        }
    }
}

/// Wrong if the allowed turns of any network had a cycle, left out a pair, led to a longer route than need be,
/// or to longer ones on the mean than UP*/DOWN* from the same root.
#[test]
fn smart_routes_of_random_multigraphs_are_acyclic_complete_and_shortest() {
    let mut shorter = 0;
    for seed in 0..cases(10_000) {
        let net = random_multigraph(seed, if seed % 11 == 0 { 20 } else { 9 });
        let attachments = Attachments::lowest(&net);
        let (tree, root, selection) = choices(&net, seed);
        let utility = None;
        let algorithm = Algorithm::Smart { tree, root: root.clone() };
        let plan = Plan::new(&net, &attachments, &Choices { algorithm, selection, utility }).unwrap();
        let smart = plan.rule.smart().unwrap();
        let turns = turns_by_name(&net, smart);
        assert_eq!(shortest_cycle(&turns), None, "seed {seed}: no cycle of allowed turns");
        let survey = Survey::new(&net, &attachments, &plan.table);
        assert_eq!(survey.dependencies.shortest_cycle(), None, "seed {seed}");
        let distance = slow_distances(&net, &turns);
        check_routes(&net, &plan, &turns, &distance, seed);

        let graph = SwitchGraph::new(&net);
        let metrics = SwitchMetrics::new(&plan.rule.moves(&graph));
        let pairs = distance.iter().flatten().filter(|d| **d > 0 && **d < FAR);
        assert_eq!(metrics.pairs, pairs.clone().count() as u64, "seed {seed}");
        assert_eq!(metrics.sum_of_distances, pairs.map(|d| u64::from(*d)).sum::<u64>(), "seed {seed}");

        let algorithm = Algorithm::UpDown { tree, root };
        let other = Plan::new(&net, &attachments, &Choices { algorithm, selection, utility }).unwrap();
        let other = Survey::new(&net, &attachments, &other.table);
        if other.unreachable == survey.unreachable {
            assert!(survey.sum_of_distances <= other.sum_of_distances, "seed {seed}: never above UP*/DOWN*");
            shorter += u64::from(survey.sum_of_distances < other.sum_of_distances);
        }
    }
    assert!(shorter > 0, "it is sometimes better, or it was for nothing");
}

/// Wrong if a turn could still be allowed without closing a cycle: the set would forbid more than it must.
#[test]
fn no_turn_is_forbidden_in_vain() {
    for seed in 0..cases(1_000) {
        let net = random_multigraph(seed, 9);
        let graph = SwitchGraph::new(&net);
        let attachments = Attachments::lowest(&net);
        let directions = Directions::new(&graph, &attachments, None, &Root::Far, Tree::Bfs);
        let smart = Smart::new(&graph, &attachments.per_switch(graph.switches(), None), &directions);
        let turns = turns_by_name(&net, &smart);
        let name = |nth: usize| End::switch(graph.sender(nth), graph.outputs()[nth].port.0);
        for by in 0..graph.outputs().len() {
            for next in smart.turns().possible(&graph, by).filter(|n| !smart.turns().allows(&graph, by, *n)) {
                let mut more = turns.clone();
                more.entry(name(by)).or_default().insert(name(next));
                assert!(shortest_cycle(&more).is_some(), "seed {seed}: {:?} to {:?}", name(by), name(next));
            }
        }
    }
}

/// Wrong if smart routing did nothing for a network whose UP*/DOWN* routes crowd about the root.
#[test]
fn a_torus_is_routed_shorter_and_more_evenly_than_up_down() {
    let size = [("x", 8), ("y", 8), ("hosts-per-switch", 1)];
    let net = generate::build("torus", &size, 0).unwrap();
    let attachments = Attachments::lowest(&net);
    let report = |algorithm| {
        let choices = Choices { algorithm, ..Choices::default() };
        Plan::new(&net, &attachments, &choices).unwrap().report(&net, &attachments)
    };
    let up_down = report(Algorithm::UpDown { tree: Tree::Bfs, root: Root::Far });
    let smart = report(Algorithm::Smart { tree: Tree::Bfs, root: Root::Far });
    assert_eq!((smart.algorithm, smart.root.as_deref()), ("smart", Some("s0")));
    assert_eq!((smart.dependency_cycle, smart.unreachable_pairs), (None, 0));
    assert!(smart.mean_distance.unwrap() < 0.97 * up_down.mean_distance.unwrap());
    assert!(smart.crossing_paths.unwrap() * 3 < up_down.crossing_paths.unwrap() * 2);
    assert!(smart.restrictions_per_switch.unwrap() > 0.0);
}
