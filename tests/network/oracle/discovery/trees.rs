//! From hop counts to trees and no farther: exact, or refused with machines that show why.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use simnet_network::discovery::{Hops, NoTree, SwitchTree, tree};

use super::oracle::{has_tree, literally, random_tree, same_tree};
use support_network::cases;

fn without_leaves(tree: &SwitchTree) -> bool {
    let near = tree.neighbours();
    let leaf = |switch: u32| near[switch as usize].len() <= 1 && !tree.homes.contains(&switch);
    (0..tree.switches).any(leaf)
}

/// Wrong if a tree came back with other hop counts or another shape, or Fig. 4 done literally gave another.
#[test]
fn random_trees_come_back() {
    let (mut bare, mut single) = (0_u64, 0_u64);
    let all = cases(20_000);
    for seed in 0..all {
        let truth = random_tree(seed, 60, 300);
        assert!(!without_leaves(&truth), "seed {seed}");
        let hops = truth.hops();
        let found = tree(&hops).unwrap_or_else(|why| panic!("seed {seed}: {why:?}"));
        assert_eq!(found.hops(), hops, "seed {seed}");
        assert!(same_tree(&found, &truth), "seed {seed}: {found:?} of {truth:?}");
        if truth.homes.len() <= 100 {
            assert!(same_tree(&literally(&hops), &truth), "seed {seed}: Fig. 4 itself");
        }
        bare += u64::from((0..truth.switches).any(|switch| !truth.homes.contains(&switch)));
        let alone = |switch: u32| truth.homes.iter().filter(|home| **home == switch).count() == 1;
        single += u64::from((0..truth.switches).any(alone));
    }
    assert!(
        bare * 3 > all && single * 3 > all,
        "{bare} with machine-less switches, {single} with single machines"
    );
}

/// Wrong if small trees, which a search by chance may miss, came back otherwise.
#[test]
fn tiny_trees_come_back() {
    for seed in 0..cases(40_000) {
        let truth = random_tree(seed, 5, 6);
        let hops = truth.hops();
        assert!(same_tree(&tree(&hops).unwrap(), &truth), "seed {seed}");
        assert!(same_tree(&literally(&hops), &truth), "seed {seed}");
    }
}

/// Whether the machines that a refusal names have no tree by themselves, and any fewer of them do.
fn is_minimal(hops: &Hops, why: &NoTree) -> bool {
    let among = |machines: &[usize]| Hops::new(machines.len(), |a, b| hops.between(machines[a], machines[b]));
    let machines = why.machines();
    let fewer = |left_out: usize| {
        let rest: Vec<usize> = machines.iter().copied().filter(|machine| *machine != left_out).collect();
        among(&rest)
    };
    !has_tree(&among(machines)) && machines.iter().all(|machine| has_tree(&fewer(*machine)))
}

fn check(hops: &Hops, context: &str) -> bool {
    match tree(hops) {
        Ok(found) => {
            assert!(has_tree(hops), "{context}: a tree where there is none");
            assert_eq!(found.hops(), *hops, "{context}");
            true
        }
        Err(why) => {
            assert!(!has_tree(hops), "{context}: refused by {why:?}");
            assert!(is_minimal(hops, &why), "{context}: {why:?}");
            false
        }
    }
}

/// Wrong if any matrix of up to four machines, or of five with few hops (thorough: all of them), were taken for
/// a tree's when it is none's, or refused when it is, or refused for machines that do not show it.
#[test]
fn small_matrices_have_trees_or_not() {
    let mut with_tree = Vec::new();
    for (machines, most) in [(1, 1), (2, 6), (3, 6), (4, 5), (5, 3)] {
        let pairs = machines * (machines - 1) / 2;
        let mut found = 0;
        let all = (most + 1_u64).pow(pairs);
        // Odd, so that every digit takes every value.
        let stride = if all < 100_000 { 1 } else { (all / cases(all)) | 1 };
        for code in (0..all).step_by(usize::try_from(stride).unwrap()) {
            let mut rest = code;
            let hops = Hops::new(machines as usize, |_, _| {
                let digit = rest % (most + 1);
                rest /= most + 1;
                u32::try_from(digit).unwrap()
            });
            found += u64::from(check(&hops, &format!("{machines} machines, matrix {code}")));
        }
        with_tree.push(found);
    }
    assert!(with_tree[3] > 50 && with_tree[4] > 0, "{with_tree:?}");
}

/// Wrong if a tree's matrix with a few entries changed were judged otherwise than by all conditions.
#[test]
fn perturbed_matrices_are_refused_exactly() {
    let mut still = 0;
    for seed in 0..cases(20_000) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let truth = random_tree(seed, 9, 12).hops();
        let n = truth.machines();
        let mut cells: Vec<Vec<u32>> = (0..n).map(|a| truth.row(a).to_vec()).collect();
        for _ in 0..rng.random_range(1..=3) {
            let (a, b) = (rng.random_range(0..n), rng.random_range(0..n));
            let (a, b) = (a.min(b), a.max(b));
            let change = rng.random_range(0..=4_u32);
            cells[a][b] = (cells[a][b] + change).saturating_sub(2);
        }
        still += u64::from(check(&Hops::new(n, |a, b| cells[a][b]), &format!("seed {seed}")));
    }
    assert!(still > 0, "no change ever left a tree");
}

/// Wrong if hop counts without bound overflowed, or built a tree too large to use.
#[test]
fn enormous_hop_counts_are_refused() {
    let far = |hops: u32| Hops::new(2, |_, _| hops);
    assert_eq!(tree(&far(65_536)).unwrap().switches, 65_536);
    assert_eq!(tree(&far(65_537)), Err(NoTree::TooManySwitches { switches: 65_537 }));
    assert_eq!(tree(&far(u32::MAX)), Err(NoTree::TooManySwitches { switches: u64::from(u32::MAX) }));
    let three = Hops::new(3, |_, b| if b == 2 { u32::MAX } else { 1 });
    assert!(matches!(tree(&three), Err(NoTree::TooManySwitches { .. })));
    let none = Hops::new(3, |a, _| if a == 0 { u32::MAX } else { 1 });
    assert!(tree(&none).is_err());
    assert_eq!(tree(&Hops::new(0, |_, _| 1)).unwrap().switches, 0);
}
