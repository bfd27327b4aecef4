//! How long 2,000 machines' round-trip times take to read and to become a tree.

use divan::Bencher;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use simnet::discovery::{Clustering, Hops, Options, Rtts, SwitchTree, discover, hop_counts, tree};
use simnet::units::Duration;

const MACHINES: usize = 2_000;

fn main() {
    divan::main();
}

/// Switches in a chain, or each at one of all before it; machines at every switch in turn.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Tree(u32),
    Chain(u32),
}

const SHAPES: [Shape; 3] = [Shape::Tree(60), Shape::Tree(1_000), Shape::Chain(2_000)];

fn switches(shape: Shape) -> SwitchTree {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (switches, reach) = match shape {
        Shape::Tree(switches) => (switches, switches),
        Shape::Chain(switches) => (switches, 1),
    };
    let links = (1..switches).map(|switch| (rng.random_range(switch.saturating_sub(reach)..switch), switch));
    let links = links.collect();
    SwitchTree { homes: (0..switches).cycle().take(MACHINES).collect(), switches, links }
}

/// Round trips of 85 us and 23.616 us a switch, with up to 2 us of noise in whole nanoseconds.
fn times(hops: &Hops) -> Rtts {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let cells = (0..MACHINES * MACHINES).map(|at| {
        let count = hops.between(at / MACHINES, at % MACHINES);
        let ns = 85_000 + 23_616 * u64::from(count + 1) + rng.random_range(0..2_000);
        if count == 0 { Duration::ZERO } else { Duration::from_ns(ns) }
    });
    let cells = cells.collect();
    Rtts::new((0..MACHINES).map(|nth| format!("machine{nth:04}")).collect(), cells).expect("a good matrix")
}

/// From hop counts to the tree, verified. Goal: 2 s.
#[divan::bench(args = SHAPES, sample_count = 10)]
fn hops_to_tree(bencher: Bencher<'_, '_>, shape: Shape) {
    let hops = switches(shape).hops();
    bencher.bench_local(|| tree(&hops).expect("a tree has them"));
}

/// Reading the CSV.
#[divan::bench(sample_count = 10)]
fn read_csv(bencher: Bencher<'_, '_>) {
    let text = times(&switches(Shape::Tree(60)).hops()).to_csv();
    bencher.bench_local(|| Rtts::read("rtt.csv", text.as_bytes()).expect("it was written so"));
}

/// Writing it.
#[divan::bench(sample_count = 10)]
fn write_csv(bencher: Bencher<'_, '_>) {
    let rtts = times(&switches(Shape::Tree(60)).hops());
    bencher.bench_local(|| rtts.to_csv());
}

/// From times to hop counts.
#[divan::bench(sample_count = 10)]
fn times_to_hops(bencher: Bencher<'_, '_>) {
    let rtts = times(&switches(Shape::Tree(60)).hops());
    bencher.bench_local(|| hop_counts(&rtts, &Options::default()));
}

/// The whole inference, two machines a switch or more. Goal: 2 s.
#[divan::bench(args = [Shape::Tree(60), Shape::Tree(1_000), Shape::Chain(1_000)], sample_count = 5)]
fn whole(bencher: Bencher<'_, '_>, shape: Shape) {
    let rtts = times(&switches(shape).hops());
    assert!(discover(&rtts, &Options::default()).tree.is_ok());
    bencher.bench_local(|| discover(&rtts, &Options::default()));
}

/// The whole inference where one pair's times fit no tree: other readings are tried, and the nearest tree is looked for.
#[divan::bench(sample_count = 3)]
fn whole_without_a_tree(bencher: Bencher<'_, '_>) {
    let truth = switches(Shape::Tree(60)).hops();
    let wrong = |a: usize, b: usize| truth.between(a, b) + u32::from((a, b) == (700, 1_300));
    let rtts = times(&Hops::new(MACHINES, wrong));
    assert!(discover(&rtts, &Options::default()).tree.is_err());
    bencher.bench_local(|| discover(&rtts, &Options::default()));
}

/// The whole inference by k-means.
#[divan::bench(sample_count = 3)]
fn whole_by_kmeans(bencher: Bencher<'_, '_>) {
    let rtts = times(&switches(Shape::Tree(60)).hops());
    let options = Options { clustering: Clustering::KMeans { classes: None }, ..Options::default() };
    bencher.bench_local(|| discover(&rtts, &options));
}
