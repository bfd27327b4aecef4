//! A tree of switches under times: base + step · hops, and what is left.

use super::times::{Times, median};
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
/// The greatest hop count that is told from greater ones.
const LONGEST: f64 = 200.0;

impl<'a> Squares<'a> {
    fn new(times: &'a Times, line: Line, noise: f64) -> Squares<'a> {
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
fn tamed(deviations: f64) -> f64 {
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

    fn wished(&self, a: usize, b: usize) -> u32 {
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
    let line = refit(times, &shape, line, noise, fixed);
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
    fit.line = refit(times, &fit.shape, fit.line, coarse(times, fit.line), fixed);
    for _ in 0..6 {
        let noise = coarse(times, fit.line);
        let before = fit.shape.all_hops();
        improve(&Squares::new(times, fit.line, noise), &mut fit.shape, budget);
        fit.line = refit(times, &fit.shape, fit.line, noise, fixed);
        if fit.shape.all_hops() == before {
            return;
        }
    }
}

/// The line that leaves least of the times, far ones weighing less; its step stays if it is `fixed` or not told.
fn refit(times: &Times, shape: &Shape, line: Line, noise: f64, fixed: bool) -> Line {
    let mut line = line;
    for _ in 0..3 {
        let [mut n, mut h, mut y, mut hh, mut hy] = [0.0; 5];
        for a in 0..times.machines() {
            for b in a + 1..times.machines() {
                let (hops, time) = (shape.hops(a, b), times.get(a, b));
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

/// What a tree costs beside others of other steps, under times without machines' own `offsets`: these cost too, as
/// far as they are larger than noise, but none more than [`ODD`] switches.
pub(super) fn judge(own: &Times, offsets: &[f64], fit: &Fit, fixed: bool) -> i64 {
    let line = refit(own, &fit.shape, fit.line, own.noise, fixed);
    let most = ODD * price(own.machines());
    let offset = |offset: &f64| as_cost(tamed(offset / (2.0 * own.noise))).min(most);
    fit.shape.cost(&Squares::new(own, line, own.noise)) + offsets.iter().map(offset).sum::<i64>()
}

/// What stands out costs as much as so many switches: enough that it is not made up where there is none.
pub(super) const ODD: i64 = 2;

/// A cost in squares of the noise.
pub(super) fn in_squares(cost: i64) -> u32 {
    u32::try_from(cost >> 8).unwrap_or(u32::MAX)
}
