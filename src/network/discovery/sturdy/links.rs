//! What cables between switches add to a round trip, each by itself, and which stand out.

use super::lattice::{Fit, calmed};
use super::times::{Times, median};
use super::{count, duration};
use crate::discovery::Finding;
use crate::discovery::search::Run;

/// A cable that stands out.
pub(super) struct OddCable {
    /// The machines on one side, by machine.
    pub(super) far: Vec<bool>,
    /// What it adds beyond what the tree has for it, in ps.
    pub(super) more: f64,
    /// How many switches fewer the tree has for it.
    pub(super) saved: u32,
    pub(super) finding: Finding,
}

/// A way without machines or forks, and what it adds to a round trip.
struct Measured {
    run: Run,
    /// In ps.
    time: f64,
    /// Its standard deviation in ps.
    error: f64,
}

/// How far from a whole number of steps a cable must be to stand out.
const PART: f64 = 0.3;
/// From how many switches in a row without machines on a slow cable is the likelier reason.
const LONG: u32 = 6;
/// Branches of either end, and machines of a branch, that are looked at.
const MOST: usize = 12;

/// The cables that stand out; those that seem very long are made one cable.
pub(super) fn odd(times: &Times, fit: &mut Fit) -> Vec<OddCable> {
    let calm = calmed(times, fit);
    let runs: Vec<Measured> = fit.shape.runs().into_iter().filter_map(|run| measure(&calm, run)).collect();
    // What most cables take for a step, whatever some single one does to the line.
    let mut steps: Vec<f64> = runs.iter().map(|one| one.time / f64::from(one.run.links)).collect();
    let step = if steps.len() > 2 { median(&mut steps) } else { fit.line.step };
    if step <= 0.0 {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut long = Vec::new();
    for (nth, one) in runs.iter().enumerate() {
        let others =
            || runs.iter().enumerate().filter(move |(other, _)| *other != nth).map(|(_, other)| other);
        let links = nearest(one.time / step);
        let off = (one.time - step * f64::from(links)).abs();
        let longest = others().map(|other| other.run.links).max();
        let is_long = links >= LONG && longest.is_some_and(|longest| links >= 3 * longest);
        let is_uneven = off > PART * step && off > 6.0 * one.error;
        if !is_long && !is_uneven {
            continue;
        }
        let taken = if is_long { 1 } else { one.run.links };
        if is_long {
            long.push((one.run.from, one.run.to));
        }
        let side = smaller_side(&one.run.far);
        let more = one.time - step * f64::from(taken);
        let (time, usual) = (duration(one.time), duration(step));
        let finding = Finding::OddLink { side, time, step: usual, steps: taken };
        let saved = links.saturating_sub(taken);
        found.push(OddCable { far: one.run.far.clone(), more, saved, finding });
    }
    fit.shape.shorten(&long);
    found
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
fn nearest(steps: f64) -> u32 {
    ((steps + 0.5) as u32).max(1)
}

/// The machines of the side with fewer of them; of two as large, that without the first machine.
fn smaller_side(far: &[bool]) -> Vec<usize> {
    let beyond = far.iter().filter(|far| **far).count();
    let is_far = 2 * beyond < far.len() || (2 * beyond == far.len() && far.first() == Some(&false));
    (0..far.len()).filter(|machine| far[*machine] == is_far).collect()
}

/// What a way adds: the mean time across it, less half of what the branches at either end have among themselves.
///
/// What machines and other cables add, and the base, is in both. `None` if an end has one branch only: what the way
/// adds cannot be separated there from what its one machine adds.
fn measure(times: &Times, run: Run) -> Option<Measured> {
    let near = some(&run.near_branches);
    let beyond = some(&run.far_branches);
    // With x the way, a and b the mean branches of its ends: across = a + x + b, within near = 2a, within far = 2b.
    if near.len() < 2 || beyond.len() < 2 {
        return None;
    }
    let across: Vec<(f64, f64)> =
        near.iter().flat_map(|a| beyond.iter().map(|b| between(times, a, b))).collect();
    let (time, spread) = mean(&across);
    let (own, own_spread) = mean(&within(times, &near));
    let (theirs, their_spread) = mean(&within(times, &beyond));
    let error = times.noise * (spread + own_spread / 4.0 + their_spread / 4.0).sqrt();
    Some(Measured { run, time: time - own / 2.0 - theirs / 2.0, error })
}

/// A few branches, with a few machines of each.
fn some(branches: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let few =
        |branch: &Vec<usize>| branch.iter().copied().step_by(branch.len().div_ceil(MOST).max(1)).collect();
    branches.iter().step_by(branches.len().div_ceil(MOST).max(1)).map(few).collect()
}

/// Pairs of branches of one end.
fn within(times: &Times, branches: &[Vec<usize>]) -> Vec<(f64, f64)> {
    let pairs = (0..branches.len()).flat_map(|i| (i + 1..branches.len()).map(move |j| (i, j)));
    pairs.map(|(i, j)| between(times, &branches[i], &branches[j])).collect()
}

/// The mean time between two branches, which is the sum of what either adds, and its variance in those of a time.
fn between(times: &Times, a: &[usize], b: &[usize]) -> (f64, f64) {
    let sum: f64 = a.iter().flat_map(|a| b.iter().map(|b| times.get(*a, *b))).sum();
    let pairs = count(a.len() * b.len());
    (sum / pairs, 1.0 / pairs)
}

/// The mean of some, and its variance.
fn mean(all: &[(f64, f64)]) -> (f64, f64) {
    let n = count(all.len());
    let (sum, spread) = all.iter().fold((0.0, 0.0), |(x, y), (time, spread)| (x + time, y + spread));
    (sum / n, spread / (n * n))
}
