//! From round-trip times to the tree of switches, as lawrence2008 does it, and what is doubtful about it.
//!
//! # Scope and limitations
//! For machines and links of one kind. What disturbs all times of a machine alike makes hop counts of no tree,
//! or of a wrong one; [`sturdy`](super::sturdy()) finds such machines.
//!
//! # Source
//! lawrence2008, section 3; the last paragraph of section 3.2 admits two failures: no two machines on one
//! switch, and no two machines two switches apart. Where no tree has the hop counts, first classes of 1 to 3
//! hops and smallest gaps of 1 to 3 switches are tried, and those that some tree has are reported. Which of them is
//! true the times alone cannot say: with two hops more between all, every tree is one again, with a switch of
//! its own before every machine.
//!
//! # Validation
//! Fig. 6 gives Fig. 1; random trees come back from their times with noise; a star without machines in the
//! middle and a chain of single machines, which the heuristic gets wrong, are reported with the reading that is
//! right.

use super::classes::Class;
use super::hop_counts::Pairs;
use super::{Counted, Doubt, Finding, Nearest, NoTree, Options, Reading, Rtts, SwitchTree, nearest, tree};
use simnet_base::units::Duration;

/// What was inferred.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discovery {
    /// Classes and hop counts.
    pub counted: Counted,
    /// The tree that has these hop counts, or why there is none.
    pub tree: Result<SwitchTree, NoTree>,
    /// What its user should know.
    pub findings: Vec<Finding>,
    /// The nearest tree where none has the hop counts; not looked for where classes x machines² exceed 2^32, a sign
    /// that there is nothing to be found.
    pub nearest: Option<Nearest>,
}

/// The nearest tree is looked for up to so many classes x machines².
const MOST_WORK: u64 = 1 << 32;

/// Infers the switches between machines from their round-trip times.
///
/// Costs as [`hop_counts`](super::hop_counts()) and [`tree`](super::tree()), the latter up to nine times.
pub fn discover(rtts: &Rtts, options: &Options) -> Discovery {
    let pairs = Pairs::new(rtts, options);
    let counted = pairs.counted(options, Reading::PAPER);
    let tree = tree(&counted.hops);
    let mut doubts: Vec<Doubt> = counted.conflicts.iter().copied().map(Doubt::Known).collect();
    if !counted.asymmetric.is_empty() {
        doubts.push(Doubt::Directions { pairs: counted.asymmetric.clone() });
    }
    doubts.extend(uneven(&counted.classes, options));
    if options.step.is_some() || !options.known.is_empty() {
        doubts.extend(heuristic(&pairs, &counted));
    } else if let Err(why) = &tree {
        doubts.extend(readings(&pairs, options, why));
    }
    let work = (counted.classes.len() as u64).saturating_mul(rtts.machines() as u64 * rtts.machines() as u64);
    let nearest = (tree.is_err() && work <= MOST_WORK).then(|| nearest(&counted.hops));
    let mut findings: Vec<Finding> = doubts.into_iter().map(Finding::Doubt).collect();
    if let Some(Nearest { wrong, machines, .. }) = &nearest {
        findings.push(Finding::NoTree { machines: machines.clone(), pairs: wrong.len() });
    }
    Discovery { counted, tree, findings, nearest }
}

/// Gaps that are a quarter of a step or more from a whole number of steps, which noise cannot explain: centres are off
/// by half the widest class at most, a gap by all of it, and k steps of the smallest gap by k times that.
fn uneven(classes: &[Class], options: &Options) -> Vec<Doubt> {
    let known = options.step.map(|step| 2 * u128::from(step.as_ps()));
    let Some(step) = known.or_else(|| classes.windows(2).map(doubled_gap).min()).filter(|step| *step > 0)
    else {
        return Vec::new();
    };
    if classes.iter().all(|class| class.count < ENOUGH) {
        return Vec::new();
    }
    let widest = classes.iter().map(|class| class.high.as_ps() - class.low.as_ps()).max().unwrap_or(0);
    let doubt = |pair: &[Class]| uneven_gap(pair, step, known.is_some(), widest);
    classes.windows(2).filter_map(doubt).take(MOST_GAPS).collect()
}

/// The doubt about the gap between two neighbouring classes, if there is any. `is_known` says that `step`, in twice
/// picoseconds, is no estimate; `widest` is the width of the widest class in picoseconds.
fn uneven_gap(pair: &[Class], step: u128, is_known: bool, widest: u64) -> Option<Doubt> {
    let ps = |doubled: u128| Duration::from_ps(u64::try_from(doubled / 2).unwrap_or(u64::MAX));
    let gap = doubled_gap(pair);
    let off = (gap % step).min(step - gap % step);
    let steps = if is_known { 0 } else { (gap + step / 2) / step };
    let blur = steps.saturating_add(1).saturating_mul(2 * u128::from(widest));
    (4 * off > step && off >= blur).then(|| Doubt::Uneven {
        gap: ps(gap),
        step: ps(step),
        center: pair[1].center(),
        taken: pair[1].hops.saturating_sub(pair[0].hops),
    })
}

/// Twice the time, in picoseconds, from the centre of one class to that of the next.
fn doubled_gap(pair: &[Class]) -> u128 {
    pair[1].center_doubled() - pair[0].center_doubled()
}

/// Times that a class needs before its width shows how wide noise makes a class.
const ENOUGH: u64 = 24;

/// Uneven gaps that are reported, at most.
const MOST_GAPS: usize = 8;

/// What the paper's heuristic alone would have made of the classes, if something else.
fn heuristic(pairs: &Pairs, counted: &Counted) -> Option<Doubt> {
    let alone = pairs.heuristic();
    let counts = |counted: &Counted| counted.classes.iter().map(|class| class.hops).collect::<Vec<_>>();
    let (heuristic, truly) = (counts(&alone), counts(counted));
    (heuristic != truly).then(|| Doubt::Heuristic {
        silent: tree(&alone.hops).is_ok(),
        counts: heuristic,
        truly,
    })
}

/// The readings other than the paper's that some tree has, from the nearest to the farthest.
fn readings(pairs: &Pairs, options: &Options, why: &NoTree) -> Vec<Doubt> {
    let all = (1..=3).flat_map(|smallest| (1..=3).map(move |first| Reading { first, smallest }));
    let mut all: Vec<Reading> = all.filter(|reading| *reading != Reading::PAPER).collect();
    all.sort_by_key(|reading| (reading.first + reading.smallest, reading.first));
    // Most readings do not mend what the three or four machines at fault show.
    let mends = |reading: &Reading| tree(&pairs.among(why.machines(), options, *reading)).is_ok();
    let fitting = all.into_iter().filter(mends).filter_map(|reading| {
        let counted = pairs.counted(options, reading);
        let tree = tree(&counted.hops).ok()?;
        let counts = counted.classes.iter().map(|class| class.hops).collect();
        Some(Doubt::Reading { reading, counts, tree, machines: why.machines().to_vec() })
    });
    fitting.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The doubts about gaps between classes of 24 times each, from these times in us to those.
    fn gaps(classes: &[(u64, u64)]) -> Vec<Doubt> {
        let class = |(low, high): &(u64, u64)| {
            let (low, high) = (Duration::from_us(*low), Duration::from_us(*high));
            Class { low, high, count: ENOUGH, hops: 0 }
        };
        uneven(&classes.iter().map(class).collect::<Vec<_>>(), &Options::default())
    }

    /// Wrong if a gap were told of that is a whole number of steps, or near one, or that the width of classes explains.
    /// By hand: 30 us are a step and a half of 20 us; with classes of 10 us, the gap is known to 10 us and two steps of
    /// it to 20 us.
    #[test]
    fn a_gap_is_uneven_by_more_than_a_quarter_and_than_noise() {
        assert_eq!(gaps(&[(100, 100), (120, 120), (160, 160)]), []);
        assert_eq!(gaps(&[(100, 100), (120, 120), (164, 164)]), []);
        assert_eq!(gaps(&[(95, 105), (115, 125), (145, 155)]), []);
        let (gap, step, center) = (Duration::from_us(30), Duration::from_us(20), Duration::from_us(150));
        let expected = Doubt::Uneven { gap, step, center, taken: 0 };
        assert_eq!(gaps(&[(100, 100), (120, 120), (150, 150)]), [expected]);
    }
}
