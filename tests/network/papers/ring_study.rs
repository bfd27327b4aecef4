//! Rings on random clusters, as Fig. 11 of faraj2008 has them.

use rayon::prelude::*;
use simnet_network::ring::{Algorithm, Kind, Tree, judge};
use simnet_network::topology::generate;

use support_network::cases;

const KINDS: [Kind; 3] = [Kind::Bfs, Kind::Random, Kind::Dfs];

/// The longest paths of LR1's and LR3's rings on three trees of a cluster, five machines a switch: by tree.
fn longest(family: &str, machines: u64, seed: u64) -> [[usize; 2]; 3] {
    let size = [("switches", machines / 5), ("machines", machines), ("degree", 4)];
    let network = generate::build(family, &size, seed).unwrap();
    let root = Tree::random_root(&network, seed).unwrap();
    KINDS.map(|kind| {
        let tree = Tree::new(&network, kind, root, seed).unwrap();
        [Algorithm::Lr1, Algorithm::Lr3].map(|algorithm| {
            let ring = algorithm.ring(&tree).unwrap();
            assert!(judge(&tree, &ring.hosts).contention_free, "{family} {machines} {kind:?} {algorithm:?}");
            assert!(algorithm == Algorithm::Lr1 || ring.bound == ring.max_path_length, "{ring:?}");
            ring.max_path_length
        })
    })
}

/// Wrong if LR3 depended on the tree or were not about 3, if LR1's trees came in another order, or if a ring
/// had contention or were not known to be best. Means are over 50 clusters, over 15 for the least cases.
#[test]
fn fig_11_comes_out_as_printed() {
    let clusters = if cases(20) > 1 { 50 } else { 15 };
    for family in ["gt-itm", "waxman"] {
        for machines in [250, 1_000] {
            let all: Vec<_> =
                (1..=clusters).into_par_iter().map(|seed| longest(family, machines, seed)).collect();
            let mean = |tree: usize, algorithm: usize| {
                all.iter().map(|of| of[tree][algorithm]).sum::<usize>() as f64 / clusters as f64
            };
            let [bfs, random, dfs] = [0, 1, 2].map(|tree| mean(tree, 0));
            let is_ordered = 3.5 < bfs && 1.2 * bfs < random && 1.2 * random < dfs;
            assert!(is_ordered, "{family} {machines}: {bfs} {random} {dfs}");
            for tree in 0..3 {
                assert!((2.8..3.3).contains(&mean(tree, 1)), "{family} {machines}: {}", mean(tree, 1));
            }
        }
    }
}

/// Wrong if LR3 were no longer exact, or slow, on the largest cluster that is required.
#[test]
fn ten_thousand_machines_have_a_best_ring() {
    let size = [("switches", 2_000), ("machines", 10_000)];
    let network = generate::build("gt-itm", &size, 7).unwrap();
    let root = Tree::random_root(&network, 7).unwrap();
    for kind in KINDS {
        let ring = Algorithm::Lr3.ring(&Tree::new(&network, kind, root, 7).unwrap()).unwrap();
        assert_eq!(ring.hosts.len(), 10_000);
        assert!(ring.bound == ring.max_path_length && ring.max_path_length <= 5, "{ring:?}");
    }
}
