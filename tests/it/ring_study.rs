//! The study behind Fig. 11 of faraj2008.

use simnet::ring::{Algorithm, Kind, Tree};
use simnet::simulation::rings::{Row, Study, study};
use simnet::topology::generate;

use super::support::cases;

fn wanted(family: &'static str, sizes: Vec<u64>, instances: u32) -> Study {
    Study {
        family,
        degree: 4,
        machines_per_switch: 5,
        sizes,
        instances,
        trees: vec![Kind::Bfs, Kind::Random, Kind::Dfs],
        algorithms: vec![Algorithm::Lr1, Algorithm::Lr2, Algorithm::Lr3],
        seed: 1,
    }
}

fn row(rows: &[Row], tree: Kind, algorithm: Algorithm) -> &Row {
    rows.iter().find(|row| row.tree == tree && row.algorithm == algorithm).unwrap()
}

/// Wrong if LR3 depended on the tree or were not about 3, if LR1's trees came in another order, or if a ring
/// had contention or were not known to be best.
#[test]
fn fig_11_comes_out_as_printed() {
    for family in ["gt-itm", "waxman"] {
        for size in [250, 1_000] {
            let rows = study(&wanted(family, vec![size], 50)).unwrap();
            let mean = |tree, algorithm| row(&rows, tree, algorithm).mean().unwrap();
            for tree in [Kind::Bfs, Kind::Random, Kind::Dfs] {
                assert!((2.8..3.3).contains(&mean(tree, Algorithm::Lr3)), "{family} {size}: {rows:?}");
                assert_eq!(row(&rows, tree, Algorithm::Lr3).best, 50);
            }
            let [bfs, random, dfs] =
                [Kind::Bfs, Kind::Random, Kind::Dfs].map(|tree| mean(tree, Algorithm::Lr1));
            assert!(3.5 < bfs && 1.2 * bfs < random && 1.2 * random < dfs, "{family} {size}: {rows:?}");
            assert!(rows.iter().all(|row| row.contention_free == row.rings), "{family} {size}");
        }
    }
}

/// Wrong if the rows were not those of the clusters one by one, or if a size's clusters depended on the others.
#[test]
fn rows_are_sums_over_clusters() {
    let instances = u32::try_from(cases(60)).unwrap();
    let both = study(&wanted("gt-itm", vec![40, 90], instances)).unwrap();
    let alone = study(&wanted("gt-itm", vec![90], instances)).unwrap();
    assert_eq!(both[9..], alone);
    assert_eq!(both, study(&wanted("gt-itm", vec![40, 90], instances)).unwrap());
    for row in &both {
        assert_eq!((row.instances, row.switches), (instances, row.machines / 5));
        let wanted_rings = if row.algorithm == Algorithm::Lr2 { 0 } else { instances };
        assert!(row.rings >= wanted_rings && row.rings <= instances, "{row:?}");
        let (rings, least) = (u64::from(row.rings), row.min);
        assert!(row.total >= rings * least && row.total <= rings * row.max, "{row:?}");
        assert!(row.algorithm != Algorithm::Lr2 || row.rings == 0 || (row.min, row.max) == (2, 2), "{row:?}");
    }
}

/// Wrong if a cluster that cannot be were anything but an error.
#[test]
fn what_cannot_be_studied_is_refused() {
    assert!(study(&wanted("gt-itm", vec![1], 1)).is_err(), "one machine is no ring");
    assert!(study(&wanted("gt-itn", vec![10], 1)).is_err());
    assert!(study(&wanted("gt-itm", vec![1 << 40], 1)).is_err());
    assert_eq!(study(&wanted("gt-itm", vec![], 3)), Ok(Vec::new()));
}

/// Wrong if LR3 were no longer exact, or slow, on the largest cluster that is asked for.
#[test]
fn ten_thousand_machines_have_a_best_ring() {
    let size = [("switches", 2_000), ("machines", 10_000)];
    let network = generate::build("gt-itm", &size, 7).unwrap();
    let root = Tree::random_root(&network, 7).unwrap();
    for kind in [Kind::Bfs, Kind::Random, Kind::Dfs] {
        let ring = Algorithm::Lr3.ring(&Tree::new(&network, kind, root, 7).unwrap()).unwrap();
        assert_eq!(ring.hosts.len(), 10_000);
        assert!(ring.bound == ring.max_path_length && ring.max_path_length <= 5, "{ring:?}");
    }
}
