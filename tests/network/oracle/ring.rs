//! Rings on spanning trees: contention, Theorem 2, and LR3 against all rings and against the paper's algorithm.

mod oracle;

use simnet_base::des::random::{Purpose, Stream};
use simnet_base::ids::{HostId, Node, SwitchId};
use simnet_network::ring::{Algorithm, Kind, Ring, Tree, TreeError, Verdict, judge, lr1, lr2, lr3};
use simnet_network::topology::{End, Network, generate};

use oracle::{best_ring, paper_lr3, walked};
use support_network::cases;

/// The streams of the networks that these tests draw.
const TEST: Purpose = Purpose(9_996);

/// A network from the switches that each switch is cabled to and the switch that each machine is at.
fn network(cables: &[(usize, usize)], homes: &[usize]) -> Network {
    let ends = cables.iter().flat_map(|(a, b)| [*a, *b]).chain(homes.iter().copied());
    let switches = ends.max().unwrap_or(0) + 1;
    let mut net = Network::new("drawn");
    let mut free = vec![0_u16; switches];
    for number in 0..switches {
        net.add_switch(format!("s{number}"), 2_000).unwrap();
    }
    let mut port = |switch: usize| {
        free[switch] += 1;
        End::switch(SwitchId::new(switch), free[switch] - 1)
    };
    for (a, b) in cables {
        let (a, b) = (port(*a), port(*b));
        net.connect(a, b).unwrap();
    }
    for (number, home) in homes.iter().enumerate() {
        let host = net.add_host(format!("n{number}")).unwrap();
        net.connect(End::host(host, 0), port(*home)).unwrap();
    }
    net
}

/// A number below `bound`.
fn below(stream: &mut Stream, bound: usize) -> usize {
    usize::try_from(stream.below(bound as u64)).unwrap()
}

/// A random tree of up to `switches` switches, tall, wide or in between, with up to `machines` machines.
fn random_tree(seed: u64, switches: usize, machines: usize) -> Network {
    let mut stream = Stream::new(seed, TEST, 0);
    let switches = 1 + below(&mut stream, switches);
    let reach = [1, 2, 3, switches][below(&mut stream, 4)];
    let cables: Vec<(usize, usize)> =
        (1..switches).map(|n| (n - 1 - below(&mut stream, n.min(reach)), n)).collect();
    let machines = 2 + below(&mut stream, machines - 1);
    let homes: Vec<usize> = (0..machines).map(|_| below(&mut stream, switches)).collect();
    network(&cables, &homes)
}

/// The tree of a network, from the switch that the seed draws.
fn tree(net: &Network, kind: Kind, seed: u64) -> Tree {
    let root = Tree::random_root(net, seed).unwrap();
    Tree::new(net, kind, root, seed).unwrap()
}

/// Checks a ring against a walk of every message: all machines once, no contention, the sum of lengths.
fn check(tree: &Tree, ring: &Ring, context: &str) {
    let mut all: Vec<HostId> = ring.hosts.clone();
    all.sort_unstable();
    assert!(all.iter().copied().eq((0..tree.homes.len()).map(HostId::new)), "{context}");
    let verdict = walked(tree, &ring.hosts);
    assert_eq!(judge(tree, &ring.hosts), verdict, "{context}");
    assert!(verdict.contention_free, "{context}");
    assert_eq!(verdict.max_path_length, ring.max_path_length, "{context}");
    assert_eq!(verdict.total_path_length, all.len() + 2 * (tree.switches.len() - 1), "{context}");
    assert!(ring.bound <= ring.max_path_length, "{context}");
}

/// Wrong if LR3 missed a shorter ring or claimed one that is not there, if LR2 existed elsewhere than where
/// the best ring has two hops, or if a bound were none.
#[test]
fn lr3_is_the_best_of_all_rings() {
    let (mut long, mut two) = (0, 0);
    let full = cases(5_000);
    for seed in 0..full {
        let net = random_tree(seed, 18, 9);
        let tree = tree(&net, Kind::Bfs, seed);
        let best = best_ring(&tree);
        let ring = lr3(&tree);
        check(&tree, &ring, &format!("seed {seed}"));
        assert_eq!(ring.max_path_length, best, "seed {seed}");
        assert_eq!(ring.bound, best, "seed {seed}");
        assert_eq!(lr2(&tree).is_ok(), best <= 2, "seed {seed}");
        assert!(lr1(&tree).bound <= best, "seed {seed}");
        long += u64::from(best > 4);
        two += u64::from(best <= 2);
    }
    assert!(long > full / 20 && two > full / 50, "{long} long, {two} short of {full}: no teeth");
}

/// Wrong if LR3 differed from the paper's algorithm, which tries every sequence of subtrees.
#[test]
fn lr3_is_what_the_papers_algorithm_finds() {
    let mut compared = 0;
    for seed in 0..cases(4_000) {
        let net = random_tree(100_000 + seed, 40, 24);
        let tree = tree(&net, Kind::Bfs, seed);
        let Some(best) = paper_lr3(&tree, 7) else { continue };
        compared += 1;
        let ring = lr3(&tree);
        check(&tree, &ring, &format!("seed {seed}"));
        assert_eq!((ring.max_path_length, ring.bound), (best, best), "seed {seed}");
    }
    assert!(compared > cases(4_000) / 3, "only {compared} could be compared");
}

/// Wrong if a ring had contention on its tree, left a machine out, or if its longest path were miscounted;
/// or if a tree had a bare leaf.
#[test]
fn every_ring_is_free_of_contention() {
    for seed in 0..cases(20_000) {
        let size = [10, 30, 120][(seed % 3) as usize];
        let net = random_tree(200_000 + seed, size, size * 2);
        let tree = tree(&net, Kind::Bfs, seed);
        for switch in &tree.switches {
            let cables = tree.children[switch.index()].len() + usize::from(*switch != tree.root);
            assert!(
                cables > 1 || !tree.machines[switch.index()].is_empty(),
                "seed {seed}: {switch:?} is bare"
            );
        }
        for algorithm in [Algorithm::Lr1, Algorithm::Lr2, Algorithm::Lr3] {
            if let Ok(ring) = algorithm.ring(&tree) {
                check(&tree, &ring, &format!("seed {seed} {}", algorithm.name()));
            }
        }
    }
}

/// Wrong if contention were overlooked, or counted differently from a walk, where a ring's order is any.
#[test]
fn any_order_is_judged_as_a_walk_judges_it() {
    let mut contended = 0;
    for seed in 0..cases(4_000) {
        let net = random_tree(300_000 + seed, 40, 30);
        let tree = tree(&net, Kind::Dfs, seed);
        let mut stream = Stream::new(seed, TEST, 1);
        let mut order: Vec<HostId> = net.host_ids().collect();
        for last in (1..order.len()).rev() {
            order.swap(last, below(&mut stream, last + 1));
        }
        if seed % 4 == 0 {
            order[0] = order[1];
        }
        let verdict: Verdict = walked(&tree, &order);
        assert_eq!(judge(&tree, &order), verdict, "seed {seed}");
        contended += u64::from(!verdict.contention_free);
    }
    assert!(contended > 0);
}

/// Wrong if a tree of a random multigraph left a machine or a switch out, closed a loop, or used a cable that
/// is not there; or if a seed stood for two trees.
#[test]
fn trees_span_any_network() {
    for seed in 0..cases(2_000) {
        let mut stream = Stream::new(400_000 + seed, TEST, 0);
        let switches = 2 + below(&mut stream, 20);
        let mut cables: Vec<(usize, usize)> = (1..switches).map(|n| (below(&mut stream, n), n)).collect();
        for _ in 0..below(&mut stream, 3 * switches) {
            cables.push((below(&mut stream, switches), below(&mut stream, switches)));
        }
        // Two switches in a part of their own, which no machine is in.
        cables.push((switches, switches + 1));
        let homes: Vec<usize> =
            (0..2 + below(&mut stream, 30)).map(|_| below(&mut stream, switches)).collect();
        let net = network(&cables, &homes);
        for kind in [Kind::Bfs, Kind::Dfs, Kind::Random] {
            let tree = tree(&net, kind, seed);
            let context = format!("seed {seed} {}", kind.name());
            assert_eq!(tree, self::tree(&net, kind, seed), "{context}");
            check(&tree, &lr3(&tree), &context);
            for switch in &tree.switches {
                let Some((link, parent)) = tree.parents[switch.index()] else { continue };
                let ends = net.link(link);
                let joined = [ends.a.node, ends.b.node];
                assert!(joined.contains(&Node::Switch(*switch)), "{context}");
                assert!(joined.contains(&Node::Switch(parent)), "{context}");
                assert!(tree.children[parent.index()].contains(switch), "{context}");
            }
            assert!(
                net.host_ids().all(|host| tree.switches.contains(&tree.homes[host.index()])),
                "{context}"
            );
        }
    }
}

/// Wrong if on a tree the way to find it mattered.
#[test]
fn a_tree_has_one_spanning_tree() {
    let net = random_tree(17, 60, 80);
    let root = Tree::first_root(&net).unwrap();
    let bfs = Tree::bfs(&net, root).unwrap();
    assert_eq!(Tree::new(&net, Kind::Dfs, root, 0).unwrap(), bfs);
    assert_eq!(Tree::new(&net, Kind::Random, root, 5).unwrap(), bfs);
}

/// Wrong if a network without a tree of all its machines had one, or if the wrong machines were named.
#[test]
fn machines_that_no_tree_connects_are_named() {
    let apart = network(&[(0, 1), (2, 3)], &[0, 1, 3]);
    let error = |a: &str, b: &str| TreeError::Apart { a: a.to_owned(), b: b.to_owned() };
    assert_eq!(Tree::bfs(&apart, SwitchId(0)), Err(error("n0", "n2")));
    assert_eq!(Tree::bfs(&apart, SwitchId(2)), Err(error("n0", "n2")));
    let elsewhere = network(&[(0, 1), (2, 3)], &[0, 1]);
    assert_eq!(Tree::bfs(&elsewhere, SwitchId(3)), Err(TreeError::Elsewhere { root: "s3".to_owned() }));
    let alone = network(&[(0, 1)], &[0]);
    assert_eq!(Tree::bfs(&alone, SwitchId(0)), Err(TreeError::TooFew { machines: 1 }));
    let mut bare = network(&[(0, 1)], &[0, 1]);
    let third = bare.add_host("n2").unwrap();
    let uncabled = TreeError::Uncabled { a: "n0".to_owned(), b: "n2".to_owned() };
    assert_eq!(Tree::bfs(&bare, SwitchId(0)), Err(uncabled.clone()));
    let fourth = bare.add_host("n3").unwrap();
    bare.connect(End::host(third, 0), End::host(fourth, 0)).unwrap();
    let direct = TreeError::Direct { a: "n3".to_owned(), b: "n2".to_owned() };
    // The node that each is about: the one that is not where the others are.
    let named = [error("n0", "n2"), uncabled.clone(), direct.clone()];
    assert!(named.iter().all(|error| error.node() == Some("n2")), "{named:?}");
    assert_eq!(TreeError::Elsewhere { root: "s3".to_owned() }.node(), Some("s3"));
    assert_eq!(TreeError::TooFew { machines: 1 }.node(), None);
    assert_eq!(Tree::bfs(&bare, SwitchId(0)), Err(direct));
}

/// Wrong if depth mattered to the stack, or length to the time: thirty thousand switches in a row, a hundred thousand
/// where more than the least cases are requested.
#[test]
fn a_long_chain_is_no_trouble() {
    let switches = if cases(20) > 1 { 100_000 } else { 30_000 };
    let net = generate::build("chain", &[("switches", switches as u64), ("hosts-per-switch", 1)], 0).unwrap();
    for kind in [Kind::Bfs, Kind::Dfs, Kind::Random] {
        let tree = Tree::new(&net, kind, SwitchId(15_000), 0).unwrap();
        assert_eq!(lr1(&tree).hosts.len(), switches);
        let ring = lr3(&tree);
        assert_eq!((ring.max_path_length, ring.bound), (3, 3));
    }
    let cables: Vec<(usize, usize)> = (1..switches).map(|n| (n - 1, n)).collect();
    let ends = network(&cables, &[0, switches - 1, switches - 1]);
    let ring = lr3(&Tree::bfs(&ends, SwitchId(20_000)).unwrap());
    assert_eq!((ring.max_path_length, ring.bound), (switches, switches));
}
