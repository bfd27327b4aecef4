//! Balanced selection against the procedure of its source spelled out over explicit lists.

use std::collections::BTreeMap;

use simnet_base::ids::{HostId, Node, SwitchId};
use simnet_network::routing::{
    Algorithm, Attachments, Candidates, Choices, Directions, Heuristic, LegalMoves, Plan, Root, RouteTable,
    Selection, Survey, SwitchGraph, Tree, balanced_routes,
};
use simnet_network::topology::{End, Network, generate};

use support_network::cases;
use support_network::routing::{FAR, all_shortest, floyd_warshall, follow, random_multigraph};

/// One candidate: its switches and its pair (destination first), its rank among the pair's candidates, its
/// sending ends.
struct Path {
    switches: (SwitchId, SwitchId),
    pair: (HostId, HostId),
    rank: usize,
    outputs: Vec<End>,
}

fn switch_of_host(net: &Network, host: HostId) -> Option<SwitchId> {
    match net.attachment(host) {
        Some((_, _, End { node: Node::Switch(switch), .. })) => Some(switch),
        _ => None,
    }
}

/// The candidates of every pair of hosts: all paths, or `most` of them spread evenly in order of port, each
/// pair of hosts of the same two switches a share of a step further on.
fn candidates(net: &Network, directions: Option<&Directions>, most: usize) -> Vec<Path> {
    let distance = floyd_warshall(net, directions);
    let at = |switch: SwitchId| {
        net.host_ids().filter(|h| switch_of_host(net, *h) == Some(switch)).collect::<Vec<_>>()
    };
    let mut found = Vec::new();
    for (from, to) in net.switch_ids().flat_map(|from| net.switch_ids().map(move |to| (from, to))) {
        let (sources, destinations) = (at(from), at(to));
        let least = distance[from.index()][to.index()];
        if from == to || least >= FAR || sources.is_empty() || destinations.is_empty() {
            continue;
        }
        let paths = all_shortest(net, directions, (from, to), least);
        let turns = sources.len() * destinations.len();
        let pairs = destinations.iter().flat_map(|d| sources.iter().map(move |s| (*d, *s)));
        for (turn, pair) in pairs.enumerate() {
            for rank in 0..paths.len().min(most) {
                let nth = match paths.len() <= most {
                    true => rank,
                    false => (rank * turns + turn) * paths.len() / (most * turns),
                };
                let outputs = paths[nth].clone();
                found.push(Path { switches: (to, from), pair, rank, outputs });
            }
        }
    }
    found
}

/// The procedure, one step at a time, everything counted afresh at each: which path every pair keeps.
fn spelled_out(mut paths: Vec<Path>) -> Vec<Path> {
    let count = |paths: &[Path]| {
        let mut counters: BTreeMap<End, u64> = BTreeMap::new();
        for output in paths.iter().flat_map(|path| &path.outputs) {
            *counters.entry(*output).or_default() += 1;
        }
        counters
    };
    let evaluate = |paths: &[Path]| {
        let counters = count(paths);
        let fullest = counters.values().copied().max().unwrap_or(0);
        let room = |path: &Path| path.outputs.iter().map(|output| fullest - counters[output]).sum();
        paths.iter().map(|path| ((path.pair, path.rank), room(path))).collect::<BTreeMap<_, u64>>()
    };
    let mut cost = evaluate(&paths);
    let mut evaluated = count(&paths).into_values().max().unwrap_or(0);
    let step = evaluated.div_ceil(128);
    loop {
        let mut left: BTreeMap<(HostId, HostId), i64> = BTreeMap::new();
        for path in &paths {
            *left.entry(path.pair).or_default() += 1;
        }
        let mut channels: Vec<(End, u64)> = count(&paths).into_iter().collect();
        channels.sort_by_key(|(end, count)| (std::cmp::Reverse(*count), *end));
        let over = |channel: End, path: &Path| left[&path.pair] > 1 && path.outputs.contains(&channel);
        let fullest = channels.into_iter().find(|(c, _)| paths.iter().any(|path| over(*c, path)));
        let Some((channel, count)) = fullest else { return paths };
        if count + step <= evaluated {
            (evaluated, cost) = (count, evaluate(&paths));
        }
        let free = paths.iter().enumerate().filter(|(_, path)| over(channel, path));
        let key = |path: &Path| {
            (-left[&path.pair], cost[&(path.pair, path.rank)], path.switches, path.pair, path.rank)
        };
        let (next, _) = free.min_by_key(|(_, path)| key(path)).expect("the channel has one");
        paths.remove(next);
    }
}

/// The sending ends of the switch-to-switch channels of a route.
fn outputs(net: &Network, table: &RouteTable, (destination, source): (HostId, HostId)) -> Vec<End> {
    let turns = table.turns(source, destination).expect("a path was kept, so there is a route");
    let (hops, _) = follow(net, source, turns);
    hops[..hops.len() - 1].iter().map(|hop| End::switch(hop.0, hop.2.0)).collect()
}

fn compare(
    net: &Network,
    directions: Option<&Directions>,
    limits: Candidates,
    most: usize,
    case: &str,
) -> bool {
    let graph = SwitchGraph::new(net);
    let moves = directions.map_or_else(
        || LegalMoves::unrestricted(&graph),
        |directions| LegalMoves::up_down(&graph, directions),
    );
    let table = balanced_routes(&moves, &Attachments::lowest(net), limits).unwrap();
    let all = candidates(net, directions, most);
    let several = all.iter().any(|path| path.rank > 0);
    let kept = spelled_out(all);
    for path in &kept {
        assert_eq!(outputs(net, &table, path.pair), path.outputs, "{case}: pair {:?}", path.pair);
    }
    let mut pairs: Vec<_> = kept.iter().map(|path| path.pair).collect();
    pairs.sort();
    pairs.dedup();
    assert_eq!(pairs.len(), kept.len(), "{case}: one path a pair is left");
    several
}

fn directions(net: &Network, seed: u64) -> Option<Directions> {
    let tree = [Tree::Bfs, Tree::Dfs(Heuristic::H2)][usize::from(seed.is_multiple_of(2))];
    let directions =
        || Directions::new(&SwitchGraph::new(net), &Attachments::lowest(net), None, &Root::Far, tree);
    (!seed.is_multiple_of(3)).then(directions)
}

/// Wrong if the fast procedure removed another path than the printed one at any step, on any network.
#[test]
fn balancing_removes_what_the_printed_procedure_removes() {
    let mut several = 0;
    for seed in 0..cases(2_000) {
        let net = random_multigraph(seed, 7);
        let directions = directions(&net, seed);
        let case = format!("seed {seed}");
        several += u64::from(compare(&net, directions.as_ref(), Candidates::default(), 64, &case));
    }
    for seed in 0..cases(60) {
        let size = [("switches", 8), ("degree", 4), ("hosts-per-switch", 2)];
        let net = generate::build("random-regular", &size, seed).unwrap();
        let case = format!("regular, seed {seed}");
        let directions = directions(&net, seed);
        several += u64::from(compare(&net, directions.as_ref(), Candidates::default(), 64, &case));
    }
    assert!(several > cases(100), "pairs have several paths, or nothing was tested: {several}");
}

/// A chain of switches with parallel cables, and hosts at each: many paths a pair.
fn thick_chain(cables: &[u16], hosts: u16) -> Network {
    let mut net = Network::new("chain");
    for nth in 0..=cables.len() {
        let switch = net.add_switch(format!("s{nth}"), 32).unwrap();
        for port in 0..hosts {
            let host = net.add_host(format!("h{nth}-{port}")).unwrap();
            net.connect(End::host(host, 0), End::switch(switch, port)).unwrap();
        }
    }
    for ((nth, next), cables) in (0..).zip(1..).zip(cables) {
        for cable in 0..*cables {
            let ends = (End::switch(SwitchId(nth), 8 + cable), End::switch(SwitchId(next), 20 + cable));
            net.connect(ends.0, ends.1).unwrap();
        }
    }
    net
}

/// Wrong if, of more paths than may take part, other ones took part than are stated.
#[test]
fn candidates_are_spread_over_the_paths() {
    let net = thick_chain(&[5, 4, 6], 1);
    compare(&net, None, Candidates::default(), 64, "120 paths, 64 candidates");
    let net = thick_chain(&[3, 4], 2);
    for (of_a_pair, most) in [(2, 2), (3, 3), (5, 5), (12, 12), (200, 12)] {
        let limits = Candidates { of_a_pair, ..Candidates::default() };
        compare(&net, None, limits, most, &format!("{of_a_pair} a pair"));
    }
    // 4 pairs a direction of 3 and of 4 paths, and 4 of 12: 8 x (3 + 4 + 2 x 8) hops with 8 a pair at most,
    // 8 x (3 + 4 + 2 x 4) with 4, 8 x (2 + 2 + 2 x 2) with 2.
    for (in_all, most) in [(184, 8), (183, 4), (120, 4), (119, 2), (64, 2)] {
        compare(&net, None, Candidates { of_a_pair: 8, in_all }, most, &format!("{in_all} hops"));
    }
    let graph = SwitchGraph::new(&net);
    let limits = Candidates { of_a_pair: 8, in_all: 63 };
    let refused = balanced_routes(&LegalMoves::unrestricted(&graph), &Attachments::lowest(&net), limits);
    let text = refused.unwrap_err().to_string();
    assert!(text.contains("between 6 hosts") && text.contains("64 hops") && text.contains("63"), "{text}");
}

/// Wrong if balancing made the busiest channel busier than chance does, on average over networks like the
/// paper's; on single ones it may.
#[test]
fn the_busiest_channel_is_less_busy_than_by_chance() {
    for tree in [Tree::Bfs, Tree::Dfs(Heuristic::H2)] {
        let mut sums = [0; 2];
        for seed in 1..=10 {
            let size = [("switches", 16), ("degree", 4), ("hosts-per-switch", 4)];
            let net = generate::build("random-regular", &size, seed).unwrap();
            let attachments = Attachments::lowest(&net);
            for (sum, selection) in sums.iter_mut().zip([Selection::Random { seed }, Selection::Balanced]) {
                let algorithm = Algorithm::UpDown { tree, root: Root::R2 };
                let choices = Choices { algorithm, selection, utility: None };
                let plan = Plan::new(&net, &attachments, &choices).unwrap();
                let again = Plan::new(&net, &attachments, &choices).unwrap();
                assert!(plan.table.iter().eq(again.table.iter()), "the same routes every time");
                *sum += Survey::new(&net, &attachments, &plan.table).busiest().unwrap().1;
            }
        }
        assert!(sums[1] * 100 < sums[0] * 95, "{tree:?}: random {}, balanced {}", sums[0], sums[1]);
    }
}
