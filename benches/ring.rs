//! How long rings take to find, and to prove, on random clusters of mean degree 4.

use divan::Bencher;
use simnet::ids::HostId;
use simnet::ring::{Kind, Tree, judge, lr3};
use simnet::topology::{Network, generate};

fn main() {
    divan::main();
}

fn cluster(switches: u64, machines: u64) -> Network {
    generate::build("gt-itm", &[("switches", switches), ("machines", machines)], 1)
        .expect("such a cluster exists")
}

fn tree(network: &Network, kind: Kind) -> Tree {
    let root = Tree::random_root(network, 1).expect("it has machines");
    Tree::new(network, kind, root, 1).expect("it is connected")
}

const KINDS: [Kind; 3] = [Kind::Bfs, Kind::Random, Kind::Dfs];

/// LR3 for 10,000 machines on 2,000 switches. Goal: 10 s.
#[divan::bench(args = KINDS, sample_count = 10)]
fn lr3_ten_thousand_machines(bencher: Bencher<'_, '_>, kind: Kind) {
    let tree = tree(&cluster(2_000, 10_000), kind);
    bencher.bench_local(|| lr3(&tree));
}

/// LR3 where machines are few: two a switch, so that paths are long and subtrees have choices.
#[divan::bench(args = KINDS, sample_count = 10)]
fn lr3_few_machines(bencher: Bencher<'_, '_>, kind: Kind) {
    let tree = tree(&cluster(2_000, 4_000), kind);
    bencher.bench_local(|| lr3(&tree));
}

/// The proof for 10,000 machines in their own order, which has contention.
#[divan::bench(args = KINDS, sample_count = 10)]
fn judge_any_order(bencher: Bencher<'_, '_>, kind: Kind) {
    let tree = tree(&cluster(2_000, 10_000), kind);
    let order: Vec<HostId> = (0..10_000).map(HostId).collect();
    bencher.bench_local(|| judge(&tree, &order));
}

/// The spanning trees themselves.
#[divan::bench(args = KINDS, sample_count = 10)]
fn spanning_tree(bencher: Bencher<'_, '_>, kind: Kind) {
    let network = cluster(2_000, 10_000);
    bencher.bench_local(|| tree(&network, kind));
}
