//! Round-trip times as numbers: both directions of a pair made one, and how far measurements spread.

use crate::discovery::Rtts;

/// Times of pairs in ps, and their noise.
#[derive(Clone, Debug)]
pub(super) struct Times {
    machines: usize,
    /// Row by row; symmetric.
    cells: Vec<f64>,
    /// The standard deviation of a pair's time in ps, estimated from the two directions; above zero.
    pub(super) noise: f64,
}

/// A time in ps as a number; exact up to two and a half hours.
#[expect(clippy::cast_precision_loss, reason = "two and a half hours in ps are exact")]
pub(super) const fn number(ps: u64) -> f64 {
    ps as f64
}

/// How many standard deviations apart two directions may be before the longer one counts as disturbed.
const APART: f64 = 6.0;

impl Times {
    /// The mean of both directions, or the shorter one where they disagree: what disturbs a measurement makes it
    /// longer.
    pub(super) fn new(rtts: &Rtts) -> Times {
        let machines = rtts.machines();
        let both = |a, b| (number(rtts.get(a, b).as_ps()), number(rtts.get(b, a).as_ps()));
        let pairs = || (0..machines).flat_map(move |a| (a + 1..machines).map(move |b| (a, b)));
        let mut apart: Vec<f64> = pairs().map(|(a, b)| both(a, b)).map(|(x, y)| (x - y).abs()).collect();
        // 1.4826 makes the median of absolute values the standard deviation, if they are normal.
        let spread = 1.4826 * median(&mut apart);
        let mut cells = vec![0.0; machines * machines];
        for (a, b) in pairs() {
            let (x, y) = both(a, b);
            let is_disturbed = (x - y).abs() > APART * spread.max(x.min(y) * LEAST_NOISE);
            let time = if is_disturbed { x.min(y) } else { f64::midpoint(x, y) };
            cells[a * machines + b] = time;
            cells[b * machines + a] = time;
        }
        // Half the difference of two directions spreads as their mean does. Times that are given to so many digits,
        // or are one direction twice, have some noise nevertheless.
        let mut times = Times { machines, cells, noise: 1.0 };
        debug_assert!(times.middle() >= 0.0, "times are not below zero");
        times.noise = (spread / 2.0).max(times.middle() * LEAST_NOISE).max(1.0);
        times
    }

    pub(super) fn machines(&self) -> usize {
        self.machines
    }

    pub(super) fn get(&self, a: usize, b: usize) -> f64 {
        self.cells[a * self.machines + b]
    }

    pub(super) fn row(&self, a: usize) -> &[f64] {
        &self.cells[a * self.machines..][..self.machines]
    }

    /// Other times in place of these; the noise stays.
    pub(super) fn map(&self, other: impl Fn(usize, usize, f64) -> f64) -> Times {
        let mut times = self.clone();
        for a in 0..self.machines {
            for b in (0..self.machines).filter(|b| *b != a) {
                times.cells[a * self.machines + b] = other(a, b, self.get(a, b));
            }
        }
        times
    }

    /// These times less what machines add of their own.
    pub(super) fn less(&self, offsets: &[f64]) -> Times {
        self.map(|a, b, time| time - offsets[a] - offsets[b])
    }

    /// These times less what a cable between two sides adds of its own.
    pub(super) fn beyond(&self, far: &[bool], more: f64) -> Times {
        self.map(|a, b, time| if far[a] == far[b] { time } else { time - more })
    }

    /// The middle time of all pairs.
    pub(super) fn middle(&self) -> f64 {
        let sorted = self.sorted();
        sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
    }

    /// The times of some machines only.
    pub(super) fn of(&self, chosen: &[usize]) -> Times {
        let cells = chosen.iter().flat_map(|a| chosen.iter().map(|b| self.get(*a, *b))).collect();
        Times { machines: chosen.len(), cells, noise: self.noise }
    }

    /// The times of all pairs, shortest first.
    pub(super) fn sorted(&self) -> Vec<f64> {
        let mut all: Vec<f64> = Vec::new();
        for a in 0..self.machines {
            all.extend(&self.row(a)[a + 1..]);
        }
        all.sort_by(f64::total_cmp);
        all
    }
}

/// The least noise that times are taken to have, as a part of the middle one.
const LEAST_NOISE: f64 = 1.0 / 100.0;

/// The middle of some numbers, the upper one of two; 0 of none.
pub(super) fn median(numbers: &mut [f64]) -> f64 {
    let middle = numbers.len() / 2;
    if numbers.is_empty() { 0.0 } else { *numbers.select_nth_unstable_by(middle, f64::total_cmp).1 }
}
