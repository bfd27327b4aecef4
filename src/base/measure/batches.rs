//! Batch means: what batches of a correlated series say about its mean, and quantiles of Student's t.
//!
//! # Source
//! The variance of a mean from batches that are still correlated: A. Tafazzoli and J. R. Wilson, "Skart: a skewness-
//! and autoregression-adjusted batch-means procedure for simulation analysis", IIE Transactions 43 (2011). Departures:
//! batches are equal in time, not in messages, so the mean is a ratio and its variance that of a ratio; the correlation
//! of neighbours is corrected for the length of the series and costs degrees of freedom, as correlated batches tell
//! less than their number. The correction for skewness: N. J. Johnson, "Modified t tests and confidence intervals for
//! asymmetrical populations", Journal of the American Statistical Association 73 (1978).
//!
//! # Validation
//! Tabled quantiles of Student's t; batches of known mean and variance; intervals in [`super::Estimate`].

/// The 97.5 % quantile of the normal distribution.
const NORMAL: f64 = 1.959_963_984_540_054;
/// The chance to lie outside a 95 % interval.
const OUTSIDE: f64 = 0.05;
/// The mean of a congested network is at least so many times as skew as its batches suggest, which are shorter than the
/// memory of what makes it skew. Measured: two to five times, on seven of eight load points above 90 % of what is
/// carried.
const SKEWER: f64 = 1.5;
/// Neighbours are never taken for more correlated than this: the variance of their mean would have no bound.
const MOST_CORRELATED: f64 = 0.95;

/// The sum of what was observed in a slot of time, and how much that was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// The sum of the observations.
    pub sum: u128,
    /// Their number.
    pub count: u64,
}

impl Slot {
    /// This slot and another as one.
    #[must_use]
    pub fn and(self, other: Slot) -> Slot {
        Slot { sum: self.sum + other.sum, count: self.count + other.count }
    }

    /// All of these as one.
    pub(super) fn total(slots: &[Slot]) -> Slot {
        slots.iter().copied().fold(Slot::default(), Slot::and)
    }

    /// The mean of the observations; `None` without any.
    pub(super) fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }
}

/// A series cut into batches of nearly equal time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Batches {
    /// How many batches.
    count: f64,
    /// The mean of all observations.
    pub(super) mean: f64,
    /// The correlation of neighbouring batches.
    pub(super) correlation: f64,
    /// The variance of the mean if batches were independent, relative to the square of the mean.
    pub(super) plain: f64,
    /// The variance of the mean, relative to its square: neighbours are correlated, and no others but through them.
    pub(super) variance: f64,
    /// The degrees of freedom of that.
    freedom: f64,
    /// The third standardized moment of the batches.
    skewness: f64,
}

impl Batches {
    /// Cuts slots into `count` batches; `None` if a batch would have no observation. Costs O(slots).
    pub(super) fn new(slots: &[Slot], count: usize) -> Option<Batches> {
        let edge = |nth: usize| nth * slots.len() / count;
        let batches: Vec<Slot> =
            (0..count).map(|nth| Slot::total(&slots[edge(nth)..edge(nth + 1)])).collect();
        if batches.iter().any(|batch| batch.count == 0) {
            return None;
        }
        let whole = Slot::total(&batches);
        let mean = whole.mean()?;
        // What each batch's sum exceeds the sum of as many average observations by.
        let excess: Vec<f64> = batches.iter().map(|it| it.sum as f64 - mean * it.count as f64).collect();
        let square: f64 = excess.iter().map(|d| d * d).sum();
        let cube: f64 = excess.iter().map(|d| d * d * d).sum();
        let product: f64 = excess.iter().zip(&excess[1..]).map(|(a, b)| a * b).sum();
        let n = count as f64;
        let correlation = if square > 0.0 { product / square } else { 0.0 };
        // The correlation that is seen in a short series is too small, by (1 + 3 r) / n (Kendall 1954).
        let corrected = (correlation + (1.0 + 3.0 * correlation) / n).min(MOST_CORRELATED);
        let positive = corrected.max(0.0);
        let scale = whole.sum as f64 / n;
        let plain = if scale > 0.0 { square / (n - 1.0) / n / (scale * scale) } else { 0.0 };
        let second = square / n;
        Some(Batches {
            count: n,
            mean,
            correlation,
            plain,
            variance: plain * (1.0 + corrected) / (1.0 - corrected),
            freedom: ((n - 1.0) * (1.0 - positive) / (1.0 + positive)).max(1.0),
            skewness: if second > 0.0 { cube / n / (second * libm::sqrt(second)) } else { 0.0 },
        })
    }

    /// Half the width of the 95 % interval of the mean, relative to it, if the variance of the mean is `variance`: the
    /// distance to the farther end, which is the upper one of a series with rare large values.
    pub(super) fn half_width(&self, variance: f64) -> f64 {
        let t = student(self.freedom);
        let skewness = SKEWER * self.skewness.max(0.0) / libm::sqrt(self.count);
        let asymmetry = skewness / 6.0 * (1.0 + 2.0 * t * t);
        (t + asymmetry) * libm::sqrt(variance)
    }
}

/// Half the width of the 95 % confidence interval of the mean of independent values; none of fewer than two.
pub fn half_width(values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    if values.len() < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / count;
    let square: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    Some(student(count - 1.0) * libm::sqrt(square / (count - 1.0) / count))
}

/// The 97.5 % quantile of Student's t with `freedom` degrees of freedom, at least 1 and not always whole, to four
/// digits.
///
/// # Source
/// G. W. Hill, "Algorithm 396: Student's t-quantiles", Communications of the ACM 13 (1970).
fn student(freedom: f64) -> f64 {
    /// Those of 1 to 4 degrees, where the algorithm is not exact to seven digits.
    const FEW: [f64; 4] = [12.706_205, 4.302_653, 3.182_446, 2.776_445];
    let n = freedom.max(1.0);
    let exact = FEW.iter().zip(1..).find(|(_, whole)| n.total_cmp(&f64::from(*whole)).is_eq());
    if let Some((exact, _)) = exact {
        return *exact;
    }
    if n < 2.0 {
        // Between 1 and 2 it is nearly a power of the degrees.
        return FEW[0] * libm::pow(FEW[1] / FEW[0], libm::log2(n));
    }
    let a = 1.0 / (n - 0.5);
    let b = 48.0 / (a * a);
    let mut c = ((20_700.0 * a / b - 98.0) * a - 16.0) * a + 96.36;
    let d = ((94.5 / (b + c) - 3.0) / b + 1.0) * libm::sqrt(a * core::f64::consts::FRAC_PI_2) * n;
    let mut y = libm::pow(d * OUTSIDE, 2.0 / n);
    if y > 0.05 + a {
        let x = -NORMAL;
        let square = x * x;
        if n < 5.0 {
            c += 0.3 * (n - 4.5) * (x + 0.6);
        }
        c += (((0.05 * d * x - 5.0) * x - 7.0) * x - 2.0) * x + b;
        let poly = ((0.4 * square + 6.3) * square + 36.0) * square + 94.5;
        y = a * libm::pow(((poly / c - square - 3.0) / b + 1.0) * x, 2.0);
        y = libm::expm1(y);
    } else {
        let inner = 1.0 / (((n + 6.0) / (n * y) - 0.089 * d - 0.822) * (n + 2.0) * 3.0) + 0.5 / (n + 4.0);
        y = (inner * y - 1.0) * (n + 1.0) / (n + 2.0) + 1.0 / y;
    }
    libm::sqrt(n * y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_a_few_values_is_known_this_well() {
        assert_eq!((half_width(&[]), half_width(&[7.0])), (None, None));
        // Two values: their distance, halved, times 12.706.
        assert!((half_width(&[1.0, 3.0]).unwrap() - 12.706_205).abs() < 1e-9);
        let six = half_width(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        assert!((six - 2.570_582 * libm::sqrt(3.5 / 6.0)).abs() < 1e-3, "{six}");
    }

    #[test]
    fn student_has_the_tabled_values() {
        let tabled = [
            (1.0, 12.706_205),
            (2.0, 4.302_653),
            (2.5, 3.574_655),
            (3.0, 3.182_446),
            (4.0, 2.776_445),
            (5.0, 2.570_582),
            (10.0, 2.228_139),
            (19.0, 2.093_024),
            (39.0, 2.022_691),
            (120.0, 1.979_930),
            (1e6, 1.959_966),
        ];
        for (freedom, tabled) in tabled {
            let error = student(freedom) / tabled - 1.0;
            assert!(error.abs() < 2e-3, "{freedom}: {} and not {tabled}", student(freedom));
        }
        let falls =
            (10..400).all(|tenth| student(f64::from(tenth) / 10.0) > student(f64::from(tenth + 1) / 10.0));
        assert!(falls, "more degrees of freedom, less doubt");
    }

    /// Wrong if the variance of a mean were another than that of its batches, or ignored that neighbours agree.
    #[test]
    fn a_mean_is_as_sure_as_its_batches() {
        // Batches of sum 10 and 20 in turn, ten observations each; four slots a batch.
        let slot = |place: u64| Slot { sum: if (place / 4).is_multiple_of(2) { 4 } else { 8 }, count: 4 };
        let slots: Vec<Slot> = (0..128).map(slot).collect();
        let in_turn = Batches::new(&slots, 32).unwrap();
        assert!((in_turn.mean - 1.5).abs() < 1e-12 && in_turn.correlation < -0.9, "{in_turn:?}");
        // Deviations of 1/3 of the mean: 1/9 · 32 / 31 / 32.
        assert!((in_turn.plain - 1.0 / 9.0 / 31.0).abs() < 1e-12, "{in_turn:?}");
        assert!(in_turn.variance < in_turn.plain, "neighbours that differ say more than independent ones");
        let halves: Vec<Slot> = (0..128).map(|place| slot(place / 16)).collect();
        let agree = Batches::new(&halves, 32).unwrap();
        assert!(agree.correlation > 0.6 && agree.variance > 3.0 * agree.plain, "{agree:?}");
        let skewed: Vec<Slot> =
            (0..64).map(|n| Slot { sum: if n % 16 == 0 { 90 } else { 10 }, count: 1 }).collect();
        let skewed = Batches::new(&skewed, 64).unwrap();
        assert!(skewed.half_width(0.01) > 1.05 * student(63.0) * 0.1, "{skewed:?}");
        assert!(Batches::new(&slots[..3], 4).is_none());
    }
}
