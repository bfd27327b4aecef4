//! Routes with hosts in transit, followed cable by cable on random networks.

use rayon::prelude::*;
use simnet_base::ids::{HostId, Node, SwitchId, Turn};
use simnet_network::routing::{
    Algorithm, Attachments, Choices, Directions, Heuristic, Plan, Root, Selection, SwitchGraph, Tree,
    Verdict, read_routes, sends_on, write_routes,
};
use simnet_network::topology::{End, Network, generate};

use support_network::cases;
use support_network::routing::{
    Dependencies, FAR, floyd_warshall, random_multigraph, ring_with_chords, shortest_cycle, switch_of,
};

fn algorithm(seed: u64) -> Algorithm {
    let tree = if seed.is_multiple_of(2) { Tree::Bfs } else { Tree::Dfs(Heuristic::H2) };
    let root = [Root::R0, Root::R1, Root::Far][usize::try_from(seed / 2 % 3).unwrap()].clone();
    Algorithm::InTransit { tree, root }
}

fn network(seed: u64) -> Network {
    match seed % 3 {
        0 => random_multigraph(seed, 9),
        1 => ring_with_chords(seed),
        _ => generate::build(
            "random-regular",
            &[("switches", 12), ("degree", 3), ("hosts-per-switch", 2)],
            seed,
        )
        .unwrap(),
    }
}

/// Where a route leads: per piece the switches that it goes from and to, cable by cable, and the last end.
fn pieces(net: &Network, from: HostId, turns: &[Turn]) -> (Vec<Vec<(End, End)>>, End) {
    let (_, _, mut at) = net.attachment(from).unwrap();
    let mut pieces = vec![Vec::new()];
    for turn in turns {
        match at.node {
            Node::Host(_) => {
                assert_eq!(turn.0, 0, "a host sends on what comes with the turn 0");
                at = net.peer(at).unwrap();
                pieces.push(Vec::new());
            }
            Node::Switch(_) => {
                let output = End { node: at.node, port: at.port.turned(*turn).unwrap() };
                at = net.peer(output).unwrap();
                if let Node::Switch(_) = at.node {
                    pieces.last_mut().unwrap().push((output, at));
                }
            }
        }
    }
    (pieces, at)
}

/// The switches where a route has to be cut that goes up and down so.
fn cuts_needed(directions: &Directions, path: &[(End, End)]) -> Vec<SwitchId> {
    let mut went_down = false;
    let mut cuts = Vec::new();
    for (from, to) in path {
        let is_up = directions.is_up(switch_of(*from), switch_of(*to));
        if is_up && went_down {
            cuts.push(switch_of(*from));
            went_down = false;
        }
        went_down |= !is_up;
    }
    cuts
}

/// Wrong if a route led elsewhere, a piece went up after down, a cut were needless, a route left the shortest one that
/// minimal routing picks although all cuts are at switches with hosts, a pair without a host in the way were lost or
/// not counted, or the pieces could wait in a circle.
#[test]
fn pieces_go_up_then_down_and_never_wait_in_a_circle() {
    let cut: usize = (0..cases(4_000)).into_par_iter().map(checked).sum();
    assert!(cut > 0, "no route was cut");
}

fn checked(seed: u64) -> usize {
    let net = network(seed);
    if net.host_ids().any(|host| net.cables(Node::Host(host)).count() > 1) {
        return 0;
    }
    let attachments = Attachments::lowest(&net);
    let algorithm = algorithm(seed);
    let (tree, root) = algorithm.tree_and_root().unwrap();
    let directions = Directions::new(&SwitchGraph::new(&net), &attachments, None, root, tree);
    let selection =
        [Selection::First, Selection::Random { seed }, Selection::RoundRobin, Selection::Balanced]
            [usize::try_from(seed % 4).unwrap()];
    let choices = Choices { algorithm: algorithm.clone(), selection, utility: None };
    let plan = Plan::new(&net, &attachments, &choices).unwrap();
    let minimal = Choices { algorithm: Algorithm::Minimal, ..choices.clone() };
    let minimal = Plan::new(&net, &attachments, &minimal).unwrap();
    let (free, legal) = (floyd_warshall(&net, None), floyd_warshall(&net, Some(&directions)));
    let hosts = attachments.per_switch(net.switches().len(), None);
    let mut dependencies = Dependencies::new();
    let (mut cut, mut uncut) = (0, Vec::new());
    let switch = |host| attachments.switch(host).map(|(switch, _)| switch);
    for (source, destination) in net.host_ids().flat_map(|s| net.host_ids().map(move |d| (s, d))) {
        let ends: Option<(SwitchId, SwitchId)> = switch(source).zip(switch(destination));
        let Some((from, to)) = ends.filter(|_| source != destination) else { continue };
        let least = free[from.index()][to.index()];
        let Some(turns) = plan.table.turns(source, destination) else {
            assert_eq!(least, FAR, "seed {seed}: {source:?} {destination:?} has no route");
            continue;
        };
        let (pieces, end) = pieces(&net, source, turns);
        assert_eq!(end.node, Node::Host(destination), "seed {seed}");
        for piece in &pieces {
            assert_eq!(cuts_needed(&directions, piece), [], "seed {seed}: {piece:?}");
            for two in piece.windows(2) {
                dependencies.entry(two[0].0).or_default().insert(two[1].0);
            }
        }
        let path = pieces.concat();
        let length = u32::try_from(path.len()).unwrap();
        assert_eq!(pieces.len() - 1, cuts_needed(&directions, &path).len(), "seed {seed}");
        let (shortest, _) = self::pieces(&net, source, minimal.table.turns(source, destination).unwrap());
        if cuts_needed(&directions, &shortest[0]).iter().all(|at| hosts[at.index()] > 0) {
            assert_eq!(path, shortest[0], "seed {seed}");
            assert_eq!(length, least, "seed {seed}");
        } else {
            assert_eq!((pieces.len(), length), (1, legal[from.index()][to.index()]), "seed {seed}");
            uncut.push((source, destination));
        }
        cut += pieces.len() - 1;
    }
    assert_eq!(shortest_cycle(&dependencies), None, "seed {seed}");
    uncut.sort_by_key(|(source, destination)| (*destination, *source));
    let found = plan.uncut.as_ref().unwrap();
    assert_eq!(found.pairs, uncut.len() as u64, "seed {seed}");
    assert_eq!(found.examples, uncut[..uncut.len().min(4)], "seed {seed}");
    let report = plan.report(&net, &attachments);
    assert_ne!(report.verdict(), Some(Verdict::Cyclic), "seed {seed}");
    assert_eq!(sends_on(&net, &attachments, &plan.table), cut > 0, "seed {seed}");
    assert!(!sends_on(&net, &attachments, &minimal.table), "seed {seed}");
    let routed = report.pairs - report.unreachable_pairs;
    let mean = (routed > 0).then(|| cut as f64 / routed as f64);
    assert_eq!(report.mean_hosts_in_transit, mean, "seed {seed}");
    let (at_once, _) = Plan::judge_at_once(&net, &attachments, &choices).unwrap();
    assert_eq!(report, at_once, "seed {seed}");
    written_and_read(&net, &plan, seed);
    cut
}

/// The routes come back from a file, hops and all, and are judged as they were.
fn written_and_read(net: &Network, plan: &Plan, seed: u64) {
    let attachments = Attachments::lowest(net);
    let mut text = Vec::new();
    write_routes(net, &attachments, &plan.table, &mut text).unwrap();
    let read = read_routes(net, &attachments, "routes", &text).unwrap_or_else(|faults| {
        panic!("seed {seed}: {:?}", faults.faults);
    });
    assert!(read.iter().eq(plan.table.iter()), "seed {seed}");
    assert!(String::from_utf8(text).unwrap().lines().all(|line| line.contains("hops")), "seed {seed}");
}
