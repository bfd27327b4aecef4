//! A tree of switches under times: base + step · hops, and what is left.

use super::times::{Times, median};
use crate::discovery::Hops;
use crate::discovery::search::{Budget, Costs, Shape, go_on, grow, improve};

/// A tree, and the line from hop counts to times.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    pub(super) shape: Shape,
    pub(super) line: Line,
}

/// What a round trip over so many switches takes, in ps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) base: f64,
    /// Above zero.
    pub(super) step: f64,
}

impl Line {
    pub(super) fn at(self, hops: u32) -> f64 {
        self.base + self.step * f64::from(hops)
    }

    /// The hop count nearest to a time.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
    fn hops(self, time: f64, most: u32) -> u32 {
        (((time - self.base) / self.step + 0.5) as u32).clamp(1, most)
    }
}

/// What trees cost: squares of what the line leaves, in units of the noise, and a price for each switch.
struct Squares<'a> {
    times: &'a Times,
    line: Line,
    /// One over the standard deviation.
    weight: f64,
    switch: i64,
    most: u32,
}

/// Costs are in such parts of a squared standard deviation.
const PARTS: f64 = 256.0;
/// From so many standard deviations on, cost grows with the distance and not with its square: a disturbed time
/// must not bend the tree.
const FAR: f64 = 3.0;
/// The greatest hop count that is distinguished from greater ones.
const LONGEST: f64 = 200.0;

impl<'a> Squares<'a> {
    fn new(times: &'a Times, line: Line, noise: f64) -> Squares<'a> {
        debug_assert!(noise > 0.0 && line.step > 0.0, "squares are in units of the noise");
        let machines = times.machines();
        let middles = (0..machines).map(|a| median(&mut times.row(a).to_vec()));
        let furthest = middles.fold(0.0, f64::max);
        // Two machines are within their median hop count of a third, since each is so of half of all.
        let most = 2.0 * ((furthest - line.base) / line.step + 1.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 4 and LONGEST")]
        let most = most.clamp(4.0, LONGEST) as u32;
        Squares { times, line, weight: 1.0 / noise, switch: price(machines), most }
    }
}

/// What a switch more must at least be worth: twice the logarithm of the number of places that machines could be
/// moved to by chance, near enough of the number of pairs.
pub(super) fn price(machines: usize) -> i64 {
    let pairs = (machines * machines).max(4);
    let doublings = i64::from(usize::BITS - pairs.leading_zeros());
    // 2 ln 2 in parts of 256.
    doublings * 355
}

/// The square of a number of standard deviations, but less of many.
pub(super) fn tamed(deviations: f64) -> f64 {
    // Huber's loss: the line goes on where the parabola's slope at FAR leaves it.
    let far = deviations.abs();
    if far < FAR { far * far } else { 2.0 * FAR * far - FAR * FAR }
}

#[expect(clippy::cast_possible_truncation, reason = "far below the greatest i64")]
fn as_cost(squares: f64) -> i64 {
    (squares.min(1e6) * PARTS) as i64
}

impl Costs for Squares<'_> {
    fn machines(&self) -> usize {
        self.times.machines()
    }

    fn wanted_hops(&self, a: usize, b: usize) -> u32 {
        self.line.hops(self.times.get(a, b), self.most)
    }

    fn pair(&self, a: usize, b: usize, hops: u32) -> i64 {
        as_cost(tamed((self.times.get(a, b) - self.line.at(hops)) * self.weight))
    }

    fn switch(&self) -> i64 {
        self.switch
    }

    fn most(&self) -> u32 {
        self.most
    }
}

/// The noise to look for places with: no less than part of a step, since machines and cables differ in ways that no
/// tree tells, and a place is off by whole steps.
pub(super) fn coarse(times: &Times, line: Line) -> f64 {
    times.noise.max(line.step / 6.0)
}

/// Puts machines in, in this order, under a line; then fits the line to the tree.
pub(super) fn sketch(times: &Times, line: Line, order: &[usize], fixed: bool) -> Fit {
    let noise = coarse(times, line);
    let shape = grow(&Squares::new(times, line, noise), order);
    let line = refit(times, |a, b| shape.hops(a, b), (line, noise), fixed);
    Fit { shape, line }
}

/// Puts more machines into a tree of the `chosen`.
pub(super) fn extend(times: &Times, fit: &Fit, chosen: &[usize], others: &[usize]) -> Fit {
    let costs = Squares::new(times, fit.line, coarse(times, fit.line));
    let mut shape = fit.shape.renumbered(chosen, times.machines());
    go_on(&costs, &mut shape, others);
    Fit { shape, line: fit.line }
}

/// Fits the line, moves machines and switches, and fits the line again, until neither changes.
pub(super) fn settle(times: &Times, fit: &mut Fit, fixed: bool, budget: &mut Budget) {
    fit.line = refit(times, |a, b| fit.shape.hops(a, b), (fit.line, coarse(times, fit.line)), fixed);
    // Six rounds at most: a tree and a line that keep changing one another are both as good.
    for _ in 0..6 {
        let noise = coarse(times, fit.line);
        let before = fit.shape.all_hops();
        improve(&Squares::new(times, fit.line, noise), &mut fit.shape, budget);
        fit.line = refit(times, |a, b| fit.shape.hops(a, b), (fit.line, noise), fixed);
        if fit.shape.all_hops() == before {
            return;
        }
    }
}

/// The line that leaves least of the times, far ones weighing less; its step stays if it is `fixed` or unknown.
fn refit(
    times: &Times,
    hop_count: impl Fn(usize, usize) -> u32,
    (mut line, noise): (Line, f64),
    fixed: bool,
) -> Line {
    debug_assert!(noise > 0.0, "no measurement is without noise");
    // Least squares, weighed anew by how far off each time was: beyond FAR a time pulls no harder (Huber's estimate).
    for _ in 0..3 {
        let [mut n, mut h, mut y, mut hh, mut hy] = [0.0; 5];
        for a in 0..times.machines() {
            for b in a + 1..times.machines() {
                let (hops, time) = (hop_count(a, b), times.get(a, b));
                let off = (time - line.at(hops)).abs() / noise;
                let weight = if off < FAR { 1.0 } else { FAR / off };
                let hops = f64::from(hops);
                n += weight;
                h += weight * hops;
                y += weight * time;
                hh += weight * hops * hops;
                hy += weight * hops * time;
            }
        }
        if n <= 0.0 {
            return line;
        }
        // Where all pairs are the same number of switches apart nothing determines the step.
        let spread = hh - h * h / n;
        if !fixed && spread > 1e-6 * n {
            let step = (hy - h * y / n) / spread;
            if step > 0.0 {
                line.step = step;
            }
        }
        line.base = (y - line.step * h) / n;
    }
    line
}

/// What is left of the times, pair by pair `a < b`.
pub(super) fn residuals(times: &Times, fit: &Fit) -> Vec<(usize, usize, f64)> {
    let mut left = Vec::new();
    for a in 0..times.machines() {
        for b in a + 1..times.machines() {
            left.push((a, b, times.get(a, b) - fit.line.at(fit.shape.hops(a, b))));
        }
    }
    left
}

/// These times, none further than a step from where the tree has it: so that a disturbed one bends no mean.
pub(super) fn calmed(times: &Times, fit: &Fit) -> Times {
    times.map(|a, b, time| {
        let expected = fit.line.at(fit.shape.hops(a, b));
        time.clamp(expected - fit.line.step, expected + fit.line.step)
    })
}

/// The cost of a tree, comparable across steps, for times without machines' own `offsets`: those cost too, as
/// far as they are larger than noise, but none more than [`ODD`] switches.
pub(super) fn judge(own: &Times, offsets: &[f64], fit: &Fit, fixed: bool) -> i64 {
    let line = refit(own, |a, b| fit.shape.hops(a, b), (fit.line, own.noise), fixed);
    let most = ODD * price(own.machines());
    let offset = |offset: &f64| as_cost(tamed(offset / (2.0 * own.noise))).min(most);
    fit.shape.cost(&Squares::new(own, line, own.noise)) + offsets.iter().map(offset).sum::<i64>()
}

/// The squares of the noise that hop counts leave of the times, under the line that leaves least.
pub(super) fn left_by(times: &Times, hops: &Hops, line: Line, fixed: bool) -> f64 {
    let line = refit(times, |a, b| hops.between(a, b), (line, times.noise), fixed);
    let pairs = (0..times.machines()).flat_map(|a| (a + 1..times.machines()).map(move |b| (a, b)));
    pairs.map(|(a, b)| tamed((times.get(a, b) - line.at(hops.between(a, b))) / times.noise)).sum()
}

/// What stands out costs as much as so many switches: enough that it is not made up where there is none.
pub(super) const ODD: i64 = 2;

/// A cost in squares of the noise.
pub(super) fn in_squares(cost: i64) -> u32 {
    u32::try_from(cost >> 8).unwrap_or(u32::MAX)
}

/// The same, parts of one and all.
#[expect(clippy::cast_precision_loss, reason = "no cost comes near 2^53")]
pub(super) fn squares(cost: i64) -> f64 {
    cost as f64 / PARTS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery::Rtts;
    use simnet_base::units::Duration;

    /// Wrong if a disturbed time were left further than a step from where the tree has it, on either side, or any other
    /// were changed.
    #[test]
    fn disturbed_times_are_a_step_off_at_most() {
        let us = [0, 100, 120, 100, 0, 120, 120, 120, 0].map(Duration::from_us).to_vec();
        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        let times = Times::new(&Rtts::new(names, us).unwrap());
        let line = Line { base: 80e6, step: 20e6 };
        let fit = Fit { shape: grow(&Squares::new(&times, line, times.noise), &[0, 1, 2]), line };
        assert_eq!((fit.shape.hops(0, 1), fit.shape.hops(0, 2)), (1, 2));
        let disturbed = |other: f64| times.map(|a, b, time| if a + b == 1 { other } else { time });
        for (other, calm) in [(1.0, 80e6), (900e6, 120e6), (95e6, 95e6)] {
            let calmed = calmed(&disturbed(other), &fit);
            assert!((calmed.get(0, 1) - calm).abs() < 1.0, "{other}: {}", calmed.get(0, 1));
            assert!((calmed.get(0, 2) - 120e6).abs() < 1.0);
        }
    }
}
