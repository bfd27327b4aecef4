//! Suggested cables against trying everything on small networks.

use std::collections::BTreeMap;

use simnet_base::ids::{HostId, Node, Port, SwitchId};
use simnet_network::routing::{
    Algorithm, Attachments, Choices, Directions, Objective, Plan, Question, Root, SwitchGraph, Tree, suggest,
    with_cables, with_extra_ports,
};
use simnet_network::topology::{End, Network, generate, presets};

use support_network::long_cases;
use support_network::routing::{FAR, all_shortest, channels, floyd_warshall, random_multigraph};

/// What counts, the lower the better: pairs without a route and whether deadlock is possible, the two figures in the
/// requested order. Loads are in millionths of a route, so that rounding decides nothing.
type Worth = ((u64, bool), u64, u64);

/// The routed pairs, busiest load and sum of distances by enumeration of all shortest legal paths.
fn slow_worth(net: &Network, question: &Question) -> Worth {
    let graph = SwitchGraph::new(net);
    let attachments = Attachments::every_port(net);
    let directions = match &question.algorithm {
        Algorithm::UpDown { tree, root } => {
            Some(Directions::new(&graph, &attachments, question.utility, root, *tree))
        }
        _ => None,
    };
    let distance = floyd_warshall(net, directions.as_ref());
    let mut hosts = attachments.per_switch(graph.switches(), None);
    if hosts.iter().all(|count| *count == 0) {
        hosts.fill(1);
    }
    let (mut unrouted, mut sum) = (0, 0);
    let mut over: BTreeMap<End, u64> = BTreeMap::new();
    for (from, to) in net.switch_ids().flat_map(|s| net.switch_ids().map(move |d| (s, d))) {
        let pairs = u64::from(hosts[from.index()]) * u64::from(hosts[to.index()]);
        let least = distance[from.index()][to.index()];
        if pairs == 0 || least == 0 {
            continue;
        }
        if least >= FAR {
            unrouted += pairs;
            continue;
        }
        sum += pairs * u64::from(least);
        let paths = all_shortest(net, directions.as_ref(), (from, to), least);
        for output in paths.iter().flatten() {
            *over.entry(*output).or_default() += pairs * 1_000_000 / paths.len() as u64;
        }
    }
    let load = over.into_values().max().unwrap_or(0);
    let choices = Choices { algorithm: question.algorithm.clone(), ..Choices::default() };
    let report = Plan::new(net, &attachments, &choices).unwrap().report(net, &attachments);
    let first = (unrouted, report.dependency_cycle.is_some());
    match question.by {
        Objective::Load => (first, load, sum),
        Objective::Distance => (first, sum, load),
    }
}

/// Whether one is better than the other by more than rounding.
fn clearly_better(one: Worth, other: Worth) -> bool {
    let same = |a: u64, b: u64| a.abs_diff(b) <= 1_000;
    if one.0 != other.0 {
        return one.0 < other.0;
    }
    if !same(one.1, other.1) {
        return one.1 < other.1;
    }
    one.1 == other.1 && one.2 + 1_000 < other.2
}

fn free_ends(net: &Network) -> Vec<End> {
    let ends = net.switch_ids().flat_map(|switch| {
        let (first, ports) = net.port_range(Node::Switch(switch));
        (first..first + ports).map(move |port| End { node: Node::Switch(switch), port: Port(port) })
    });
    ends.filter(|end| net.peer(*end).is_none()).collect()
}

/// All networks with one cable more between different switches: one for every two free ports.
fn all_with_one_more(net: &Network) -> Vec<Network> {
    let ends = free_ends(net);
    let pairs = ends.iter().enumerate().flat_map(|(nth, a)| ends[nth + 1..].iter().map(move |b| (*a, *b)));
    pairs.filter(|(a, b)| a.node != b.node).map(|cable| with_cables(net, &[cable])).collect()
}

/// A random network with few free ports, so that everything can be tried.
fn small(seed: u64) -> Network {
    let drawn = random_multigraph(seed, 5);
    let mut net = Network::new("small");
    let keep = 2 + u16::try_from(seed % 2).unwrap();
    for (id, switch) in drawn.switch_ids().zip(drawn.switches()) {
        let cabled: Vec<u16> = drawn.cables(Node::Switch(id)).map(|(port, ..)| port.0).collect();
        let last = cabled.iter().max().map_or(switch.first_port, |p| p + 1);
        let used = u16::try_from(cabled.len()).unwrap();
        let ports = (last - switch.first_port).max(1).max(used + u16::from(id.0 < u32::from(keep)));
        net.push_switch(simnet_network::topology::Switch {
            ports: ports.min(switch.ports),
            ..switch.clone()
        })
        .unwrap();
    }
    for host in drawn.hosts() {
        net.push_host(host.clone()).unwrap();
    }
    for link in drawn.links() {
        net.push_link(link.clone()).unwrap();
    }
    net
}

fn question(seed: u64) -> Question {
    let algorithm = match seed % 4 {
        0 => Algorithm::Minimal,
        1 => Algorithm::UpDown { tree: Tree::Bfs, root: Root::Far },
        2 => Algorithm::UpDown { tree: Tree::Bfs, root: Root::R0 },
        _ => Algorithm::UpDown { tree: Tree::Dfs(simnet_network::routing::Heuristic::H2), root: Root::R1 },
    };
    let by = if seed.is_multiple_of(3) { Objective::Distance } else { Objective::Load };
    Question { algorithm, utility: None, by, pairs: seed.is_multiple_of(5), most: 3, steps: None }
}

/// Wrong if some cable, or two, between free ports were clearly better than the suggested ones, if one were
/// suggested that helps nothing, or if its figures were not those of the network with it.
#[test]
fn suggestions_are_the_best_of_all() {
    let mut suggested = 0;
    for seed in 0..long_cases(1_000) {
        let net = small(seed);
        let question = question(seed);
        let answer = suggest(&net, &question).unwrap();
        assert_eq!(answer.tried, answer.possible, "seed {seed}: small enough to try everything");
        let before = slow_worth(&net, &question);
        let ones = all_with_one_more(&net);
        // A deadlock that stays, or comes, is no suggestion.
        let best = ones.iter().map(|with| slow_worth(with, &question)).filter(|worth| !worth.0.1).min();
        assert_eq!(answer.possible == 0, ones.is_empty(), "seed {seed}");
        let single = answer.suggestions.iter().find(|found| found.cables.len() == 1);
        let found = single.map_or(before, |found| slow_worth(&with_cables(&net, &found.cables), &question));
        assert!(
            best.is_none_or(|best| best.0.0 > before.0.0 || !clearly_better(best, found)),
            "seed {seed}: {best:?} beats {found:?}"
        );
        assert!(single.is_none() || !found.0.1, "seed {seed}: a deadlock stays");
        assert!(
            single.is_none() || found <= before || !clearly_better(before, found),
            "seed {seed}: it helps"
        );
        if let Some(single) = single {
            suggested += 1;
            assert_eq!(single.after.is_cyclic, found.0.1, "seed {seed}");
            let load = if question.by == Objective::Load { found.1 } else { found.2 };
            assert!((single.after.expected_load() * 1e6 - load as f64).abs() < 1_000.0, "seed {seed}");
        }
        if question.pairs && answer.all_pairs {
            let twos = ones.iter().flat_map(all_with_one_more).map(|with| slow_worth(&with, &question));
            let twos = twos.filter(|worth| !worth.0.1).min();
            // Two cables are named only where they are better than the best one.
            let two = answer.suggestions.iter().find(|found| found.cables.len() == 2);
            let two = two.or(answer.suggestions.first());
            let found = two.map_or(before, |found| slow_worth(&with_cables(&net, &found.cables), &question));
            assert!(twos.is_none_or(|best| !clearly_better(best, found)), "seed {seed}: {twos:?} {found:?}");
        }
    }
    assert!(suggested > 0, "some networks can be improved");
}

/// Wrong if the cable across a ring of four, which ends the deadlock of its minimal routes, were not named, or any that
/// leaves a deadlock were: in a ring of eight no cable ends it, and none is named whatever it does for the load.
#[test]
fn with_a_deadlock_only_what_ends_it_is_named() {
    let ask = |switches| {
        let size = [("switches", switches), ("hosts-per-switch", 1)];
        let net = with_extra_ports(&generate::build("ring", &size, 0).unwrap(), 1).unwrap();
        let (utility, by, algorithm) = (None, Objective::Load, Algorithm::Minimal);
        suggest(&net, &Question { algorithm, utility, by, pairs: false, most: 9, steps: None }).unwrap()
    };
    let four = ask(4);
    assert!(four.before.is_cyclic && !four.suggestions.is_empty());
    let across = |(a, b): &(End, End)| match (a.node, b.node) {
        (Node::Switch(a), Node::Switch(b)) => b.0 - a.0 == 2,
        _ => false,
    };
    assert!(four.suggestions.iter().all(|found| !found.after.is_cyclic && found.cables.iter().all(across)));
    let eight = ask(8);
    assert!(eight.before.is_cyclic && eight.suggestions.is_empty(), "{:?}", eight.suggestions);
}

/// Wrong if a search cut short gave nothing, gave what it had not tried, or reported that it had tried all.
#[test]
fn a_search_cut_short_says_so() {
    let size = [("switches", 12), ("hosts-per-switch", 1)];
    let net = with_extra_ports(&generate::build("ring", &size, 0).unwrap(), 2).unwrap();
    let algorithm = Algorithm::UpDown { tree: Tree::Bfs, root: Root::R0 };
    let whole =
        Question { algorithm, utility: None, by: Objective::Distance, pairs: true, most: 1, steps: None };
    let exact = suggest(&net, &whole).unwrap();
    assert_eq!((exact.possible, exact.tried, exact.all_pairs), (66, 66, true));
    let short = suggest(&net, &Question { steps: Some(40_000), ..whole.clone() }).unwrap();
    assert!(short.tried < 66 && short.tried > 1 && !short.all_pairs, "{short:?}");
    let (one, two) = (&short.suggestions[0], short.suggestions.last().unwrap());
    assert_eq!((one.cables.len(), two.cables.len()), (1, 2));
    assert!(one.after.distance < short.before.distance && two.after.distance < one.after.distance);
    assert!(exact.suggestions[0].after.distance <= one.after.distance);
}

/// Wrong if two parts were not joined first of all, or a full network had a place for a cable.
#[test]
fn parts_are_joined_and_full_switches_left_alone() {
    let mut net = Network::new("two");
    for n in 0..4 {
        net.add_switch(format!("s{n}"), 3).unwrap();
        net.add_host(format!("h{n}")).unwrap();
        net.connect(End::host(HostId(n), 0), End::switch(SwitchId(n), 0)).unwrap();
    }
    for (a, b) in [(0, 1), (2, 3)] {
        net.connect(End::switch(SwitchId(a), 1), End::switch(SwitchId(b), 1)).unwrap();
    }
    let algorithm = Algorithm::UpDown { tree: Tree::Bfs, root: Root::Far };
    let (utility, by) = (None, Objective::Load);
    let question = Question { algorithm, utility, by, pairs: false, most: 1, steps: None };
    let answer = suggest(&net, &question).unwrap();
    assert_eq!((answer.before.pairs, answer.suggestions[0].after.pairs), (8, 16));
    let full = presets::load("pink").unwrap();
    let answer = suggest(&full, &question).unwrap();
    assert_eq!((answer.possible, answer.suggestions.len()), (0, 0));
    let wider = with_extra_ports(&full, 2).unwrap();
    assert_eq!(wider.links(), full.links());
    assert!(wider.switches().iter().zip(full.switches()).all(|(w, f)| w.ports == f.ports + 2));
}

/// Wrong if the loads by distance from the root missed a channel or a route, or counted one twice.
#[test]
fn loads_by_distance_from_the_root_add_up() {
    for name in ["now-c", "now-cab"] {
        let net = presets::load(name).unwrap();
        let attachments = Attachments::every_port(&net);
        let plan = Plan::new(&net, &attachments, &Choices::default()).unwrap();
        let report = plan.report(&net, &attachments);
        let rings = report.channel_load_by_root_distance.unwrap();
        let sum: f64 = rings.iter().map(|ring| ring.routes_mean * ring.channels as f64).sum();
        assert!((sum - report.mean_distance.unwrap() * report.pairs as f64).abs() < 1e-6);
        assert_eq!(rings.iter().map(|ring| ring.channels).sum::<u64>(), channels(&net).len() as u64);
        assert_eq!(rings.iter().map(|ring| ring.routes_max).max(), Some(report.max_channel_load));
        let busiest = report.busiest_channel.unwrap();
        let (from, port) = busiest.from.rsplit_once(':').unwrap();
        let end = End::switch(net.find_switch(from).unwrap(), port.parse().unwrap());
        let far = net.peer(end).unwrap();
        assert_eq!(busiest.to, format!("{}:{}", net.name_of(far.node), far.port));
        assert_eq!(busiest.routes, report.max_channel_load);
        assert!(rings.iter().map(|ring| ring.distance).eq(0..u32::try_from(rings.len()).unwrap()));
    }
}
