//! Trees with exceptions: every switch of the top row is a root, what has no common ancestor has a path or is named,
//! and nothing that is allowed can close a circle.

use simnet_base::des::random::{Purpose, Stream};
use simnet_base::ids::{LinkId, Node, SwitchId};
use simnet_network::routing::{
    Algorithm, Attachments, Choices, DestinationTables, Directions, Engine, LegalMoves, Part, Plan, Root,
    Rule, State, SwitchGraph, Toward, Tree, UNREACHED, without,
};
use simnet_network::topology::{End, Network, generate};

use support_network::cases;

const CHANCE: Purpose = Purpose(9_461);

/// A number below a bound.
pub(super) fn below(stream: &mut Stream, bound: usize) -> usize {
    usize::try_from(stream.below(bound as u64)).unwrap()
}

/// A tree of two or three rows, and the switches of its top row: leaves with some hosts each, pruned or with parallel
/// cables, and hosts on some of the spines; then some cables are taken out.
fn tree(seed: u64) -> (Network, Vec<SwitchId>) {
    let mut stream = Stream::new(seed, CHANCE, 0);
    let net = if stream.below(2) == 0 {
        let (leaves, spines) = (4 + below(&mut stream, 5) as u64, 2 + below(&mut stream, 4) as u64);
        let size = [
            ("leaves", leaves),
            ("spines", spines),
            ("hosts-per-switch", 3 + stream.below(4)),
            ("cables", 1 + stream.below(2)),
        ];
        generate::build("leaf-spine", &size, 1).unwrap()
    } else {
        generate::build("fat-tree", &[("arity", 4 + 2 * stream.below(2)), ("levels", 3)], 1).unwrap()
    };
    with_exceptions(&net, &mut stream)
}

/// A regular tree with hosts on some of the spines and up to a twentieth of its cables taken out, and the switches of
/// its top row.
pub(super) fn with_exceptions(net: &Network, stream: &mut Stream) -> (Network, Vec<SwitchId>) {
    let graph = SwitchGraph::new(net);
    let hosts = Attachments::lowest(net).per_switch(graph.switches(), None);
    let row = graph.distances(graph.switch_ids().filter(|s| hosts[s.index()] > 0));
    let most = *row.iter().max().unwrap();
    let top: Vec<SwitchId> = graph.switch_ids().filter(|s| row[s.index()] == most).collect();
    let mut net = simnet_network::routing::with_extra_ports(net, 1).unwrap();
    for (nth, spine) in top.iter().enumerate() {
        if stream.below(2) == 0 {
            let host = net.add_host(format!("manager{nth}")).unwrap();
            let (first, ports) = net.port_range(Node::Switch(*spine));
            net.connect(End::host(host, 0), End::switch(*spine, first + ports - 1)).unwrap();
        }
    }
    let trunks: Vec<LinkId> = (0..net.links().len())
        .map(LinkId::new)
        .filter(|link| {
            [net.link(*link).a, net.link(*link).b].iter().all(|end| matches!(end.node, Node::Switch(_)))
        })
        .collect();
    let gone = below(stream, 1 + trunks.len() / 20);
    let cut: Vec<Part> = (0..gone).map(|_| Part::Cable(trunks[below(stream, trunks.len())])).collect();
    (without(&net, &cut), top)
}

/// UP*/DOWN* from all spines.
pub(super) fn spines() -> Algorithm {
    Algorithm::UpDown { tree: Tree::Bfs, root: Root::Spines }
}

/// Whether the turns that a rule allows close a circle, by taking channels away that nothing waits for.
fn has_circle(graph: &SwitchGraph, moves: &LegalMoves<'_>) -> bool {
    let channels = graph.outputs().len();
    // By two channels whether the second may follow the first: a path of two moves shows it.
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); channels];
    for switch in graph.switch_ids() {
        for (by, state) in moves.from(State::start(switch)) {
            next[by].extend(moves.from(state).map(|(after, _)| after).filter(|after| {
                // Back over the same cable is no turn.
                graph.outputs()[by].reverse as usize != *after
            }));
        }
    }
    let mut left: Vec<bool> = vec![true; channels];
    loop {
        let ends = |by: &usize| left[*by] && next[*by].iter().all(|after| !left[*after]);
        let Some(by) = (0..channels).find(ends) else { break };
        left[by] = false;
    }
    left.contains(&true)
}

/// Wrong if a switch of the top row were no root, a pair had no path that is not named, what is allowed could close a
/// circle, or a table left out a pair that is not named.
#[test]
fn every_pair_has_a_path_or_is_named() {
    let (mut exceptional, mut named, mut lost) = (0, 0, 0);
    for seed in 0..cases(500) {
        let (net, top) = tree(seed);
        let (graph, attachments) = (SwitchGraph::new(&net), Attachments::lowest(&net));
        let hosts = attachments.per_switch(graph.switches(), None);
        let rule = Rule::new(&spines(), &graph, &attachments, None);
        let directions: &Directions = rule.directions().unwrap();
        assert!(directions.are_spines(), "seed {seed}: {} is a tree", net.name);
        let linked = |spine: &&SwitchId| !graph.of(**spine).is_empty();
        let expected: Vec<SwitchId> = top.iter().filter(linked).copied().collect();
        assert_eq!(directions.roots(), expected, "seed {seed}");
        let moves = rule.moves(&graph);
        assert!(!has_circle(&graph, &moves), "seed {seed}");
        let apart = directions.exceptions().map_or(&[][..], |exceptions| exceptions.apart());
        exceptional += usize::from(directions.exceptions().is_some());
        named += apart.len();
        let mut toward = Toward::new(&graph);
        for to in graph.switch_ids().filter(|s| hosts[s.index()] > 0) {
            toward.search(&moves, to);
            let joined = graph.distances([to]);
            for from in graph.switch_ids().filter(|s| hosts[s.index()] > 0) {
                let has_path = toward.distance(State::start(from)).is_some();
                let is_named = apart.contains(&(from, to)) || joined[from.index()] == UNREACHED;
                assert_eq!(has_path, !is_named, "seed {seed}: {from:?} to {to:?}");
            }
        }
        // Tables of next hops have what the turns have.
        let tables =
            DestinationTables::new(&net, &attachments, &Engine::Rule(spines()), (None, 0, None)).unwrap();
        for column in 0..tables.hops.columns() {
            let (_, to) = tables.hops.target(column);
            let joined = graph.distances([to]);
            for from in
                graph.switch_ids().filter(|s| hosts[s.index()] > 0 && *s != to && hosts[to.index()] > 0)
            {
                let arrives = tables.hops.next(&graph, column, from).is_some();
                let is_named = apart.contains(&(from, to)) || joined[from.index()] == UNREACHED;
                lost += usize::from(!arrives && !is_named);
            }
        }
        let choices = Choices { algorithm: spines(), ..Choices::default() };
        let report = Plan::new(&net, &attachments, &choices).unwrap().report(&net, &attachments);
        assert_eq!(report.dependency_cycle, None, "seed {seed}");
    }
    println!("{exceptional} with exceptions, {named} pairs apart, {lost} lost by tables");
    assert!(exceptional > 0);
    assert_eq!((named, lost), (0, 0));
}
