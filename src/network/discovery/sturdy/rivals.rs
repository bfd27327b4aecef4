//! How sure a tree is: the trees next to it, and how much less likely each makes the times.
//!
//! Next to a tree are those with two neighbouring switches made one, with one made two as the times have it best, with
//! a switch more on a cable, with a machine on another switch or alone, behind or beside its own, and with a branch one
//! switch further; then those that the search came by, those that the caller names, one switch for all, and of few
//! machines those two such changes away. Where some machines are faster than the others, these may as well be alone on
//! switches of their own: no times separate the two, and if they bear that out it is a doubt. The noise is an estimate
//! of as many differences as there are pairs, so that a tree that leaves X squares of the noise of n pairs is as likely
//! as Student's t has it: by (n + X)^(-n / 2).
//!
//! # Scope and limitations
//! Trees of more switches pay for them, and for the ways in which machines could be spread over them by chance; those
//! of several for the step, which one switch has none of, by the part of all steps that fit it as well. Trees with all
//! ways longer alike, by switches without machines, leave just as much and are none of these: of those that times
//! cannot separate, the smallest is meant. Fewer than three machines show nothing; of more than [`MOST`] only the named
//! trees are looked at.
//!
//! # Source
//! Ours. The logarithm of a multinomial is the price of a partition as in minimum description lengths (Rissanen 1978).
//!
//! # Validation
//! tests/network/oracle/sturdy/sure.rs: of random trees and times none is wrong and sure.

use std::collections::{BTreeMap, BTreeSet};

use super::explained::Explained;
use super::lattice::{left_by, price, squares};
use super::splits::splits;
use super::start::{MOST, most_step};
use super::times::Times;
use crate::discovery::{Hops, SwitchTree};

/// A tree beside the best one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rival {
    /// The tree.
    pub tree: SwitchTree,
    /// Its share of the likelihood of it and the best, in millionths; `None` where that was not worked out.
    pub share: Option<u32>,
}

/// How sure a tree is.
pub(super) struct Certainty {
    /// By switch, in thousandths, the share of likelihood of all trees that have it; none where it was not looked at.
    pub(super) switches: Vec<u32>,
    /// The likeliest other tree.
    pub(super) rival: Option<Rival>,
}

/// Where a tree beside the best one comes from.
#[derive(Clone, Copy)]
pub(super) enum Beside {
    /// It is next to it.
    Next,
    /// The search came by it, at this cost.
    Found { cost: i64 },
    /// The caller named it.
    Named,
    /// It has by places what the best has by machines that are faster than others.
    Alike,
}

/// Holds the best tree against those next to it and `others`.
pub(super) fn compare(
    times: &Times,
    best: &Explained,
    others: Vec<(SwitchTree, Beside)>,
    fixed: bool,
) -> Certainty {
    let tree = best.fit.shape.numbered();
    let machines = times.machines();
    let hops = tree.hops();
    if !(3..=MOST).contains(&machines) {
        let own = left_by(&best.own, &hops, best.fit.line, fixed);
        let is_near = |(other, beside): &(SwitchTree, Beside)| {
            let theirs = other.hops();
            let is_named = matches!(beside, Beside::Named) && theirs != hops;
            is_named && left_by(&best.own, &theirs, best.fit.line, fixed) < 2.0 * own
        };
        let rival = others.into_iter().filter(|_| machines > MOST).find(is_near);
        let rival = rival.map(|(tree, _)| Rival { tree, share: None });
        return Certainty { switches: Vec::new(), rival };
    }
    let pairs = number(machines * (machines - 1) / 2);
    let left = |times, hops: &Hops| left_by(times, hops, best.fit.line, fixed);
    // A step that no one switch has could be any up to the longest, and is known to a part of the noise.
    let step = 2.0 * libm::log((most_step(times) * libm::sqrt(pairs) / (2.5 * best.own.noise)).max(1.0));
    let step = if fixed { 0.0 } else { step };
    let paid = |tree: &SwitchTree| complexity(tree) + if tree.switches > 1 { step } else { 0.0 };
    let own = left(&best.own, &hops);
    let is_plain = best.slow.is_empty() && best.cables.is_empty();
    // What the search found a tree to leave, what stands out counted, without the price of its switches.
    let found = |cost: i64, tree: &SwitchTree| squares(cost - price(machines) * i64::from(tree.switches));
    let mut seen = vec![hops.clone()];
    let mut rivals: Vec<(f64, SwitchTree)> = Vec::new();
    let mut next = next_to(&tree);
    if machines <= FEW {
        // So few times may hide two switches at once.
        let further: Vec<SwitchTree> = next.iter().flat_map(next_to).collect();
        next.extend(further);
    }
    // What stands out may hide that there are two, or show it.
    for times in [&best.own, times] {
        next.extend(splits(times, best.fit.line, &tree));
    }
    let next = next.into_iter().map(|tree| (tree, Beside::Next));
    let alike = faster(times, best).map(|fast| (all_but(&tree, &fast), Beside::Alike));
    for (other, beside) in alike.into_iter().chain(others).chain(next) {
        let theirs = other.hops();
        if seen.contains(&theirs) || (other.switches > tree.switches && is_stretched(&hops, &theirs)) {
            continue;
        }
        let with_own = left(&best.own, &theirs);
        // Student's t, which the squares of n pairs follow where the noise is an estimate of n differences.
        let worse =
            |with: f64, best: f64| pairs * libm::log((pairs + with.max(0.0)) / (pairs + best.max(0.0)));
        let mut least = worse(with_own, own);
        if !is_plain {
            // It may be places that make machines and cables odd.
            least = least.min(worse(left(times, &theirs), found(best.cost, &tree)));
        }
        if let Beside::Found { cost } = beside {
            least = least.min(worse(found(cost, &other), found(best.cost, &tree)));
        }
        let mut counted = least + paid(&other) - paid(&tree);
        if let (Beside::Named, true) = (beside, 2.0 * with_own < own) {
            // The noise that is taken for the least may be more than there is: then squares alone decide.
            counted = counted.min(0.0);
        }
        if let (Beside::Alike, ..ALIKE) = (beside, worse(left(times, &theirs), found(best.cost, &tree))) {
            // No times separate the two, and which of them is the simpler one says nothing of a network.
            counted = counted.min(0.0);
        }
        let counted = counted.max(-MOST_SQUARES);
        rivals.push((libm::exp(-counted / 2.0), other));
        seen.push(theirs);
    }
    let all: f64 = 1.0 + rivals.iter().map(|(weight, _)| weight).sum::<f64>();
    let switches = confidence(&tree, &rivals, all);
    let likeliest = rivals.into_iter().max_by(|(one, _), (other, _)| one.total_cmp(other));
    let rival = likeliest
        .map(|(weight, tree)| Rival { tree, share: Some(parts(weight / (1.0 + weight), 1_000_000.0)) });
    Certainty { switches, rival }
}

/// By switch, in thousandths, the share of the weight of `all` trees that have it.
fn confidence(tree: &SwitchTree, rivals: &[(f64, SwitchTree)], all: f64) -> Vec<u32> {
    let mut having = vec![1.0; tree.switches as usize];
    let views = views(tree);
    for (weight, rival) in rivals {
        let theirs: BTreeSet<View> = self::views(rival).into_iter().collect();
        having
            .iter_mut()
            .zip(&views)
            .filter(|(_, view)| theirs.contains(view))
            .for_each(|(sum, _)| *sum += weight);
    }
    having.into_iter().map(|sum| parts(sum / all, 1_000.0)).collect()
}

/// Up to so many machines trees two changes away are looked at too.
const FEW: usize = 8;

/// Squares beyond which weights would leave the range of numbers.
const MOST_SQUARES: f64 = 200.0;

/// Up to so many squares more a tree explains as much by places as another one by machines.
const ALIKE: f64 = 25.0;

/// What a switch sees: the machines on it, and those of each of its branches.
type View = (Vec<usize>, BTreeSet<Vec<usize>>);

/// The views of all switches.
fn views(tree: &SwitchTree) -> Vec<View> {
    let near = tree.neighbours();
    let at = |switch: u32| (0..tree.homes.len()).filter(move |machine| tree.homes[*machine] == switch);
    let branch = |from: u32, to: u32| {
        let (mut open, mut found) = (vec![(to, from)], Vec::new());
        while let Some((switch, before)) = open.pop() {
            found.extend(at(switch));
            open.extend(
                near[switch as usize].iter().filter(|next| **next != before).map(|next| (*next, switch)),
            );
        }
        found.sort_unstable();
        found
    };
    let view = |switch: u32| {
        (at(switch).collect(), near[switch as usize].iter().map(|next| branch(switch, *next)).collect())
    };
    (0..tree.switches).map(view).collect()
}

/// The trees next to one.
fn next_to(tree: &SwitchTree) -> Vec<SwitchTree> {
    let near = tree.neighbours();
    let mut all = Vec::new();
    let mut add = |homes: Vec<u32>, links: Vec<(u32, u32)>, switches: u32| {
        all.push(pruned(&SwitchTree { homes, switches, links }));
    };
    let count = tree.switches;
    add(vec![0; tree.homes.len()], Vec::new(), 1);
    for (nth, (a, b)) in tree.links.iter().enumerate() {
        let merged = |switch: u32| if switch == *b { *a } else { switch };
        let links = tree.links.iter().enumerate().filter(|(other, _)| *other != nth);
        let links: Vec<_> = links.map(|(_, (from, to))| (merged(*from), merged(*to))).collect();
        add(tree.homes.iter().map(|home| merged(*home)).collect(), links, count);
        let mut links = tree.links.clone();
        links[nth] = (*a, count);
        links.push((count, *b));
        add(tree.homes.clone(), links, count + 1);
        for (stays, goes) in [(*a, *b), (*b, *a)] {
            for to in near[stays as usize].iter().filter(|to| **to != goes) {
                let mut links = tree.links.clone();
                links[nth] = (goes, *to);
                add(tree.homes.clone(), links, count);
            }
        }
    }
    for (machine, home) in tree.homes.iter().enumerate() {
        for to in near[*home as usize].iter().copied().chain([count]) {
            let mut homes = tree.homes.clone();
            homes[machine] = to;
            let mut links = tree.links.clone();
            links.extend((to == count).then_some((*home, to)));
            add(homes, links, count + u32::from(to == count));
        }
        // Alone beside its own switch.
        for beside in &near[*home as usize] {
            let mut homes = tree.homes.clone();
            homes[machine] = count;
            let mut links = tree.links.clone();
            links.push((*beside, count));
            add(homes, links, count + 1);
        }
    }
    all
}

/// The machines that are faster than all others by more than chance, if some are.
fn faster(times: &Times, best: &Explained) -> Option<Vec<usize>> {
    let mut order: Vec<usize> = (0..best.offsets.len()).collect();
    order.sort_by(|a, b| best.offsets[*a].total_cmp(&best.offsets[*b]));
    let gap = |at: usize| best.offsets[order[at]] - best.offsets[order[at - 1]];
    let widest = (1..order.len()).max_by(|a, b| gap(*a).total_cmp(&gap(*b)))?;
    let chance = CHANCE * times.noise / libm::sqrt(number(order.len() - 1));
    (gap(widest) > chance).then(|| order[..widest].to_vec())
}

/// By how many standard deviations of the mean of its times a machine differs by more than chance.
const CHANCE: f64 = 6.0;

/// The tree in which all but some machines are alone, one switch further from all others.
fn all_but(tree: &SwitchTree, some: &[usize]) -> SwitchTree {
    let mut other = tree.clone();
    for machine in (0..tree.homes.len()).filter(|machine| !some.contains(machine)) {
        other.links.push((tree.homes[machine], other.switches));
        other.homes[machine] = other.switches;
        other.switches += 1;
    }
    pruned(&other)
}

/// A tree without switches that no machine is on or behind.
fn pruned(tree: &SwitchTree) -> SwitchTree {
    let mut links = tree.links.clone();
    let mut is_kept = vec![true; tree.switches as usize];
    while let Some(leaf) = (0..tree.switches).find(|switch| {
        let cables = links.iter().filter(|(a, b)| a == switch || b == switch).count();
        is_kept[*switch as usize] && cables <= 1 && !tree.homes.contains(switch)
    }) {
        is_kept[leaf as usize] = false;
        links.retain(|(a, b)| *a != leaf && *b != leaf);
    }
    let mut names = BTreeMap::new();
    for switch in (0..tree.switches).filter(|switch| is_kept[*switch as usize]) {
        names.insert(switch, u32::try_from(names.len()).expect("no more than there were"));
    }
    let links = links.iter().map(|(a, b)| (names[a], names[b])).collect();
    let homes = tree.homes.iter().map(|home| names[home]).collect();
    SwitchTree { homes, switches: u32::try_from(names.len()).expect("no more than there were"), links }
}

/// Whether all of `longer` follow from `hops` by one line, so that no times separate the two.
fn is_stretched(hops: &Hops, longer: &Hops) -> bool {
    let mut found = BTreeMap::new();
    let machines = hops.machines();
    for (a, b) in (0..machines).flat_map(|a| (a + 1..machines).map(move |b| (a, b))) {
        let (own, other) = (hops.between(a, b), longer.between(a, b));
        if *found.entry(own).or_insert(other) != other {
            return false;
        }
    }
    let all: Vec<(i64, i64)> = found.into_iter().map(|(own, other)| (own.into(), other.into())).collect();
    all.windows(3).all(|three| {
        let [(a, x), (b, y), (c, z)] = [three[0], three[1], three[2]];
        (y - x) * (c - b) == (z - y) * (b - a)
    })
}

/// What a tree pays: two for each switch, and twice the logarithm of the ways in which its machines may be spread; what
/// the search takes for a switch in addition where one has no machines and joins two others only: such have no purpose.
fn complexity(tree: &SwitchTree) -> f64 {
    let log_factorial = |n: usize| (2..=n).map(|k| libm::log(number(k))).sum::<f64>();
    let at = |switch: u32| tree.homes.iter().filter(|home| **home == switch).count();
    let apart: f64 = (0..tree.switches).map(|switch| log_factorial(at(switch))).sum();
    let near = tree.neighbours();
    let between = (0..tree.switches).filter(|switch| near[*switch as usize].len() < 3 && at(*switch) == 0);
    2.0 * f64::from(tree.switches)
        + squares(price(tree.homes.len())) * number(between.count())
        + 2.0 * (log_factorial(tree.homes.len()) - apart)
}

#[expect(clippy::cast_precision_loss, reason = "nothing has as many as 2^53")]
fn number(count: usize) -> f64 {
    count as f64
}

/// A share in so many parts, never all of them.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and the parts")]
fn parts(share: f64, of: f64) -> u32 {
    (share * of).min(of - 1.0) as u32
}
