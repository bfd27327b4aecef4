//! A sturdier inference than classes of single times: the tree of switches under all times at once.
//!
//! A round trip takes base + step · hops, hops are those of some tree, and what is left is noise. A hundred steps are
//! tried: under each, machines are put into a tree one after the other, each where its times to all others leave
//! the least sum of squares; then step and base are fitted to that tree. The best few are improved by moving machines
//! and sides of cables, and fitted again, until nothing changes. A tree pays for each switch, so that
//! noise makes none. The average over a whole row separates switches where no single time does.
//!
//! # Scope and limitations
//! What times do not determine is not determined here either:
//! * two machines: they are taken to share a switch;
//! * a step of half the length, everything being twice as far apart: the tree of fewest switches is taken, unless
//!   the step is given. (A star of three switches whose centre has no machines is found: three switches are never
//!   all next to each other.) With two switches, or one cable much slower than all others, only a given step decides
//!   how many switches without machines lie between;
//! * a machine alone on its switch, or one that is slower by just what a switch adds. Where other switches have
//!   several machines, a machine whose time is no whole number of steps is taken to be slow, and any other
//!   to be alone; both are reported ([`Finding`]).
//!
//! Up to 96 machines take part in the search for the step; others are put in afterwards. Improving trees is bounded by
//! 1e9 additions: what exceeds it is left as it is, which 2,000 machines on hundreds of switches feel.
//!
//! Floats decide here, by addition, multiplication, division and square root alone and in a fixed order: the result
//! is the same on every machine.
//!
//! # Source
//! Ours; the model is lawrence2008's, section 3.2, where a round trip over h switches takes c + 2(h + 1)x: base is
//! c + 2x and step 2x, so that no step is longer than the base.
//!
//! # Validation
//! `tests/network/oracle/sturdy.rs`, and `tests/running/oracle/recovery.rs`, which measures the share of clusters
//! recovered.

mod explained;
mod lattice;
mod links;
mod machines;
mod rivals;
mod splits;
mod start;
mod times;

use self::explained::Explained;
use self::lattice::{Fit, residuals};
pub use self::rivals::Rival;
use self::rivals::{Beside, Certainty};
use self::start::Found;
use self::times::{Times, median, number};
use super::{Class, Finding, Hops, Rtts, SwitchTree};
use simnet_base::units::Duration;

/// What is known in addition to the times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SturdyOptions {
    /// What one switch more adds to a round trip, above zero, if it is known: twice the time of a frame on a cable.
    pub step: Option<Duration>,
}

/// An inferred tree, and how sure it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sturdy {
    /// The tree.
    pub tree: SwitchTree,
    /// Its hop counts.
    pub hops: Hops,
    /// The times of each hop count.
    pub classes: Vec<Class>,
    /// What one switch more adds to a round trip; zero if all machines are on one switch and it was not given.
    pub step: Duration,
    /// What a round trip would take over no switch.
    pub base: Duration,
    /// The standard deviation of what the tree leaves of a pair's time, both directions taken together, without
    /// what machines and cables add of their own.
    pub spread: Duration,
    /// By machine, what it adds to each of its round trips, in ps; below zero if it is faster than most.
    pub offsets: Vec<i64>,
    /// How much worse the next tree is that was looked at, in squares of the noise; `None` if there was none.
    pub margin: Option<u32>,
    /// By switch of the tree, in thousandths, how sure it is that it is there, with its machines and what is behind
    /// each of its cables; none for fewer than three machines and more than 96, for which it is not computed.
    pub confidence: Vec<u32>,
    /// The likeliest other tree, where one was looked at.
    pub rival: Option<Rival>,
    /// `true` if some time is so far from that of its machines' places that noise does not explain it: no tree fits
    /// all.
    pub has_misfits: bool,
    /// What stands out.
    pub findings: Vec<Finding>,
}

impl Sturdy {
    /// The likeliest other tree, if it explains the times nearly as well: if some switch is less sure than 98 %, or
    /// none has a confidence.
    pub fn doubt(&self) -> Option<&Rival> {
        let is_unsure = self.confidence.is_empty() || self.confidence.iter().any(|sure| *sure < SURE);
        self.rival.as_ref().filter(|_| is_unsure)
    }
}

/// How sure each switch of a tree must be, in thousandths, for the tree to be taken for the only one.
const SURE: u32 = 980;

/// Findings of a kind about pairs, at most: those that stand out most.
const MOST_PAIRS: usize = 20;

/// Infers the tree of switches from round-trip times; the same on every machine.
///
/// Takes O(machines² · switches) time for each of some hundred steps, of 96 machines at most; see the module.
pub fn sturdy(rtts: &Rtts, options: &SturdyOptions) -> Sturdy {
    sturdy_beside(rtts, options, &[])
}

/// The same, with the trees of `others` among those that it is held against.
pub fn sturdy_beside(rtts: &Rtts, options: &SturdyOptions, others: &[SwitchTree]) -> Sturdy {
    let times = Times::new(rtts);
    let step = options.step.map(|step| number(step.as_ps()).max(1.0));
    let Found { explained, margin, rival, others: more } = start::best(&times, step);
    let others = more.into_iter().chain(others.iter().map(|tree| (tree.clone(), Beside::Named))).collect();
    let certainty = rivals::compare(&times, &explained, others, step.is_some());
    let Explained { fit, offsets, slow, cables, own, .. } = explained;
    let mut findings = Vec::new();
    findings.extend(slow.iter().map(|machine| Finding::OddMachine {
        machine: *machine,
        offset: duration(offsets[*machine].abs()),
        slower: offsets[*machine] > 0.0,
    }));
    findings.extend(machines::alone(&fit, &slow));
    findings.extend(cables.into_iter().map(|cable| cable.finding));
    findings.extend(directions(rtts, &times));
    findings.extend(outliers(&own, &fit));
    findings.extend(whole(&fit, margin, rival));
    report((rtts, &own), fit, &offsets, (margin, certainty), findings, step)
}

fn report(
    (rtts, own): (&Rtts, &Times),
    fit: Fit,
    offsets: &[f64],
    (margin, certainty): (Option<u32>, Certainty),
    findings: Vec<Finding>,
    known: Option<f64>,
) -> Sturdy {
    let left = residuals(own, &fit);
    let sum: f64 = left.iter().map(|(.., left)| left * left).sum();
    let spread = if left.is_empty() { 0.0 } else { (sum / count(left.len())).sqrt() };
    // On one switch step and base cannot be separated.
    let (mut base, mut step) = (fit.line.base, fit.line.step);
    if fit.shape.switches() == 1 {
        base += step - known.unwrap_or(0.0);
        step = known.unwrap_or(0.0);
    }
    let hops = fit.shape.all_hops();
    Sturdy {
        tree: fit.shape.numbered(),
        classes: Class::of_hops(rtts, &hops),
        hops,
        step: duration(step),
        base: duration(base),
        spread: duration(spread),
        offsets: offsets.iter().map(|offset| whole_ps(*offset)).collect(),
        margin,
        has_misfits: has_misfits(
            &left,
            own.noise,
            if fit.shape.switches() > 1 { fit.line.step } else { 0.0 },
        ),
        confidence: certainty.switches,
        rival: certainty.rival,
        findings,
    }
}

/// Pairs whose directions differ by far more than most.
fn directions(rtts: &Rtts, times: &Times) -> Vec<Finding> {
    let mut found = Vec::new();
    for a in 0..rtts.machines() {
        for b in a + 1..rtts.machines() {
            let (there, back) = (rtts.get(a, b), rtts.get(b, a));
            let (longer, shorter) = (there.max(back), there.min(back));
            let apart = number(longer.as_ps() - shorter.as_ps());
            // The difference of two directions spreads twice as far as their mean.
            if apart > FAR * 2.0 * times.noise && apart > number(shorter.as_ps()) / 20.0 {
                let (from, to) = if there == longer { (a, b) } else { (b, a) };
                found.push((
                    longer.as_ps() - shorter.as_ps(),
                    Finding::Directions { from, to, longer, shorter },
                ));
            }
        }
    }
    found.sort_by_key(|(apart, _)| u64::MAX - apart);
    found.into_iter().map(|(_, finding)| finding).take(MOST_PAIRS).collect()
}

/// From so many standard deviations on, a pair stands out.
const FAR: f64 = 8.0;

/// Returns whether some of what is `left` of times is further off than the farthest of so many would be by chance, and
/// than three quarters of a step.
fn has_misfits(left: &[(usize, usize, f64)], noise: f64, step: f64) -> bool {
    let mut sizes: Vec<f64> = left.iter().map(|(.., left)| left.abs()).collect();
    let spread = noise.max(1.4826 * median(&mut sizes));
    // The farthest of n normal numbers is some sqrt(2 ln n) deviations off.
    let far = 1.5 + (2.0 * libm::log(count(left.len().max(1)))).sqrt();
    sizes.iter().any(|size| *size > (far * spread).max(0.75 * step))
}

/// Pairs whose time is not that of their places.
fn outliers(own: &Times, fit: &Fit) -> Vec<Finding> {
    let left = residuals(own, fit);
    let mut sizes: Vec<f64> = left.iter().map(|(.., left)| left.abs()).collect();
    let spread = own.noise.max(1.4826 * median(&mut sizes));
    let threshold = (FAR * spread).max(fit.line.step / 2.0);
    let mut found: Vec<_> = left.into_iter().filter(|(.., left)| left.abs() > threshold).collect();
    found.sort_by(|x, y| y.2.abs().total_cmp(&x.2.abs()));
    let finding = |(a, b, left): (usize, usize, f64)| {
        let expected = own.get(a, b) - left;
        Finding::Outlier { a, b, time: duration(own.get(a, b)), expected: duration(expected) }
    };
    found.into_iter().take(MOST_PAIRS).map(finding).collect()
}

/// The findings about the tree as a whole.
fn whole(fit: &Fit, margin: Option<u32>, rival: Option<f64>) -> Vec<Finding> {
    let hops = fit.shape.all_hops();
    let machines = hops.machines();
    let is_there = |wanted: u32| (0..machines).any(|a| hops.row(a)[a + 1..].contains(&wanted));
    let mut findings = Vec::new();
    if machines > 1 && fit.shape.switches() == 1 {
        findings.push(Finding::OneClass);
    } else if machines > 1 {
        findings.extend((!is_there(1)).then_some(Finding::NoPairOnOneSwitch));
        findings.extend((!is_there(2)).then_some(Finding::NoPairTwoSwitchesApart));
    }
    if let (Some(rival), Some(0..UNSURE)) = (rival, margin) {
        let (step, other) = (duration(fit.line.step), duration(rival));
        findings.push(Finding::UnsureStep { step, other });
    }
    findings
}

/// A margin below which another step is nearly as good.
const UNSURE: u32 = 4;

/// A time in whole ps; none below zero.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
fn duration(ps: f64) -> Duration {
    Duration::from_ps((ps + 0.5) as u64)
}

#[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
fn whole_ps(ps: f64) -> i64 {
    (if ps < 0.0 { ps - 0.5 } else { ps + 0.5 }) as i64
}

/// How many as a number; exact below 2^53.
#[expect(clippy::cast_precision_loss, reason = "nothing has as many as 2^53")]
const fn count(how_many: usize) -> f64 {
    how_many as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if it were not reported that all times look alike, or if that were reported of a single machine.
    #[test]
    fn one_switch_is_told_of() {
        let alike = |machines: usize| {
            let names = (0..machines).map(|nth| format!("m{nth}")).collect();
            let time = |at| Duration::from_us(if at / machines == at % machines { 0 } else { 100 });
            let rtts = Rtts::new(names, (0..machines * machines).map(time).collect()).unwrap();
            sturdy(&rtts, &SturdyOptions::default()).findings
        };
        assert!(alike(4).contains(&Finding::OneClass));
        assert_eq!(alike(1), []);
    }

    /// Wrong if another pair were named than the one off by more than eight times what the others are off, or with
    /// another time than its place has. By hand: four machines on one switch, 100 us apart and all 2 us more, which is
    /// a spread of 2 · 1.4826 us; 20 us more are less than eight times that, 30 us are not.
    #[test]
    fn what_stands_out_is_named_with_its_time() {
        let names = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        let cells = (0..16).map(|at| Duration::from_us(if at / 4 == at % 4 { 0 } else { 100 })).collect();
        let alike = Times::new(&Rtts::new(names, cells).unwrap());
        let line = lattice::Line { base: 80e6, step: 20e6 };
        let fit = lattice::sketch(&alike, line, &[0, 1, 2, 3], true);
        let more = |pair| match pair {
            (0, 1) | (1, 0) => 30e6,
            (2, 3) | (3, 2) => 20e6,
            _ => 2e6,
        };
        let found = outliers(&alike.map(|a, b, time| time + more((a, b))), &fit);
        let (time, expected) = (Duration::from_us(130), Duration::from_us(100));
        assert_eq!(found, [Finding::Outlier { a: 0, b: 1, time, expected }]);
    }
}
