//! The failures that the paper admits, and times of trees in which nothing fails.

use simnet_base::units::Duration;
use simnet_network::discovery::{
    Clustering, Doubt, Finding, NoTree, Options, Reading, Rtts, SwitchTree, discover,
};

use super::oracle::{random_tree, same_tree};
use support_network::cases;

/// What a round trip takes over no switch, and what a switch adds, in nanoseconds.
const BASE: u64 = 85_000;
const STEP: u64 = 23_616;

/// The times of a tree, each longer by a little that differs from pair to pair, below `noise` ns.
fn times(tree: &SwitchTree, noise: u64) -> Rtts {
    let hops = tree.hops();
    let n = hops.machines();
    let time = |at: usize| {
        let jitter = ((at as u64 * 2_654_435_761) >> 7) % noise.max(1);
        let ns = BASE + STEP * (u64::from(hops.between(at / n, at % n)) + 1) + jitter;
        if at / n == at % n { Duration::ZERO } else { Duration::from_ns(ns) }
    };
    Rtts::new((0..n).map(|nth| format!("m{nth}")).collect(), (0..n * n).map(time).collect()).unwrap()
}

fn with_step() -> Options {
    Options { step: Some(Duration::from_ns(STEP)), ..Options::default() }
}

fn readings(findings: &[Finding]) -> Vec<(Reading, SwitchTree)> {
    let reading = |finding: &Finding| match finding {
        Finding::Doubt(Doubt::Reading { reading, tree, .. }) => Some((*reading, tree.clone())),
        _ => None,
    };
    findings.iter().filter_map(reading).collect()
}

/// Wrong if a tree that has pairs one and two switches apart were not found from its times, noise and all.
#[test]
fn trees_with_both_pairs_are_found() {
    let mut found = 0;
    for seed in 0..cases(6_000) {
        let truth = random_tree(seed, 25, 50);
        let hops = truth.hops();
        let has = |count: u32| (0..hops.machines()).any(|a| hops.row(a).contains(&count));
        let rtts = times(&truth, 2_000);
        let kmeans = Options { clustering: Clustering::KMeans { classes: None }, ..Options::default() };
        if has(1) && has(2) {
            found += 1;
            for options in [Options::default(), kmeans] {
                let discovery = discover(&rtts, &options);
                assert_eq!(discovery.counted.hops, hops, "seed {seed}");
                assert!(
                    same_tree(&discovery.tree.unwrap(), &truth) && discovery.findings.is_empty(),
                    "seed {seed}"
                );
            }
        }
        if has(1) {
            let discovery = discover(&rtts, &with_step());
            assert!(same_tree(&discovery.tree.unwrap(), &truth), "seed {seed}: with the step known");
        }
    }
    assert!(found * 4 > cases(6_000), "only {found}");
}

/// Three machines at each of so many switches around one without any.
fn star(leaves: u32) -> SwitchTree {
    let homes = (0..leaves * 3).map(|machine| machine % leaves + 1).collect();
    SwitchTree { homes, switches: leaves + 1, links: (1..=leaves).map(|leaf| (0, leaf)).collect() }
}

/// No two machines two switches apart, so that the smallest gap is two. Wrong if it were not reported that the gap may
/// be two, or not which machines show it, or a known step did not mend it.
#[test]
fn a_star_without_machines_in_the_middle() {
    let truth = star(4);
    let rtts = times(&truth, 1_000);
    let found = discover(&rtts, &Options::default());
    assert_eq!(found.tree, Err(NoTree::Parity { machines: [0, 1, 2], hops: [2, 2, 2] }));
    let readings = readings(&found.findings);
    assert_eq!(readings[0].0, Reading { first: 1, smallest: 2 });
    assert!(same_tree(&readings[0].1, &truth));
    assert_eq!(readings[1].0, Reading { first: 3, smallest: 2 }, "a switch of its own before every machine");
    assert_eq!(readings.len(), 2);
    assert_eq!(found.findings[0].machines(), [0, 1, 2]);
    let text = found.findings[0].describe(rtts.names());
    assert_eq!(
        text,
        "a tree of 5 switches fits if the smallest gap between classes is 2 switches: classes of 1, 3 hops"
    );
    let mended = discover(&rtts, &with_step());
    assert!(same_tree(&mended.tree.unwrap(), &truth));
    let codes: Vec<_> = mended.findings.iter().map(Finding::code).collect();
    assert_eq!(codes, ["heuristic-wrong"]);
}

/// As before with two switches: a tree fits, but not the true one. Wrong if a known step did not decide.
#[test]
fn what_is_silently_wrong_shows_with_the_step() {
    let truth = star(2);
    let rtts = times(&truth, 1_000);
    let found = discover(&rtts, &Options::default());
    assert_eq!(found.tree.unwrap().switches, 2, "the paper's heuristic loses the switch in the middle");
    assert!(found.findings.is_empty());
    let mended = discover(&rtts, &with_step());
    assert!(same_tree(&mended.tree.unwrap(), &truth));
    assert_eq!(
        mended.findings[0].describe(rtts.names()),
        "the paper's heuristic takes the classes for 1, 2 hops, where they are 1, 3; a tree fits, but a wrong one"
    );
    assert_eq!(mended.findings[0].code(), "heuristic-silently-wrong");
}

/// No two machines on one switch, so that the first class is two. Wrong if that were not reported.
#[test]
fn a_chain_of_single_machines() {
    let truth =
        SwitchTree { homes: (0..5).collect(), switches: 5, links: (1..5).map(|b| (b - 1, b)).collect() };
    let found = discover(&times(&truth, 1_000), &Options::default());
    assert!(
        matches!(found.tree, Err(NoTree::Triangle { machines: [0, 1, 2], hops: [1, 2, 1] })),
        "{:?}",
        found.tree
    );
    let readings = readings(&found.findings);
    assert_eq!(readings[0].0, Reading { first: 2, smallest: 1 });
    assert!(same_tree(&readings[0].1, &truth));
}

/// Wrong if one pair whose times fit no tree took the tree away without a word on which pair, or which tree is
/// nearest.
#[test]
fn one_wrong_pair_is_told_with_the_nearest_tree() {
    let homes = (0..15).map(|machine| machine % 5).collect();
    let truth = SwitchTree { homes, switches: 5, links: (1..5).map(|b| (b - 1, b)).collect() };
    let good = times(&truth, 1_000);
    let longer = |a: usize, b: usize| match (a.min(b), a.max(b)) {
        (2, 9) => Duration::from_ns(good.get(a, b).as_ps() / 1_000 + 2 * STEP),
        _ => good.get(a, b),
    };
    let cells = (0..15 * 15).map(|at| longer(at / 15, at % 15)).collect();
    let found = discover(&Rtts::new(good.names().to_vec(), cells).unwrap(), &Options::default());
    let why = found.tree.unwrap_err();
    assert!(why.machines().contains(&2) && why.machines().contains(&9), "{why:?}");
    let nearest = found.nearest.unwrap();
    assert!(same_tree(&nearest.tree, &truth));
    assert_eq!((nearest.wrong, nearest.machines), (vec![(2, 9)], vec![2, 9]));
    let codes: Vec<_> = found.findings.iter().map(Finding::code).collect();
    assert_eq!(codes, ["no-tree"]);
}

/// Wrong if a gap of 2.4 steps between tight classes were rounded without a word, or if one of Fig. 6's were reported,
/// whose classes are too wide and too small for that.
#[test]
fn a_gap_that_is_no_whole_number_of_steps_is_told() {
    let tree = SwitchTree {
        homes: vec![0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2],
        switches: 3,
        links: vec![(0, 1), (1, 2)],
    };
    let clean = times(&tree, 1_000);
    let is_across = |machine: usize| machine >= 8;
    let slow = |from: usize, to: usize| {
        let more = if is_across(from) != is_across(to) { STEP * 14 / 10 } else { 0 };
        Duration::from_ps(clean.get(from, to).as_ps() + more * 1_000)
    };
    let cells = (0..144).map(|at| slow(at / 12, at % 12)).collect();
    let findings = |rtts: &Rtts| {
        let findings = discover(rtts, &Options::default()).findings;
        findings.iter().filter(|finding| finding.code() == "uneven-gap").count()
    };
    assert_eq!(findings(&Rtts::new(clean.names().to_vec(), cells).unwrap()), 1);
    assert_eq!(findings(&clean), 0);
    let fig_6 =
        Rtts::read("fig6.csv", include_bytes!("../../../../scenarios/lawrence2008/fig6.csv")).unwrap();
    assert_eq!(findings(&fig_6), 0);
}
