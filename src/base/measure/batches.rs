//! Batch means: how well a mean is known from one correlated series.
//!
//! ```text
//!   |s|s|s|s|s|s|s|s|s|s|s|s|s|s| ... |s|s|s|s|     400 to 800 slots of equal length, by creation
//!   |    batch    |    batch    | ... | batch |     40 batches or a few less, each of 10 to 20 slots
//! ```
//!
//! # Scope and limitations
//! The interval holds once batches are much longer than the memory of what is measured; whether they are is judged
//! by how slots agree with their neighbours. Shorter memory than a slot is not seen and does no harm; a memory longer
//! than the whole series cannot be seen by anybody.
//!
//! # Source
//! A. M. Law and J. S. Carson, "A sequential procedure for determining the length of a steady-state simulation",
//! Operations Research 27 (1979): 40 batches of 10 slots, accepted once neighbouring slots are correlated by at most
//! 0.4. Departures: batches are equal in time rather than in messages, so the mean is a ratio and its variance that
//! of a ratio; positive correlation that is left between batches widens the interval, as in A. Tafazzoli and
//! J. R. Wilson, "Skart: a skewness- and autoregression-adjusted batch-means procedure", IIE Transactions 43 (2011).
//!
//! # Validation
//! Intervals of AR(1) series of known mean cover it in about 95 of 100 cases; M/D/1 queues in the integration tests.

/// How many batches a series is cut into, at most.
const BATCHES: usize = 40;
/// Fewer batches than these say nothing.
const FEWEST: usize = 10;
/// Neighbouring slots that are correlated by more make batches that are too short.
const CORRELATION: f64 = 0.4;
/// The 97.5 % quantile of the normal distribution.
const NORMAL: f64 = 1.959_963_984_540_054;
/// A series grows if this share of pairs of batches agrees more often than it disagrees (Kendall's tau) ...
const RISING: f64 = 0.5;
/// ... and its last quarter is so many times its first.
const GROWTH: f64 = 1.5;

/// The sum of what was observed in a slot of time, and how much that was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// The sum of the observations.
    pub sum: u128,
    /// Their number.
    pub count: u64,
}

/// What a series says about its mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean of all observations.
    pub mean: f64,
    /// Half the width of the 95 % confidence interval of the mean, relative to it.
    pub relative_half_width: f64,
    /// Whether batches are long enough for the interval to be believed.
    pub independent: bool,
    /// Whether the series rises from end to end, as the latency of a network does that falls behind.
    pub growing: bool,
}

impl Slot {
    /// This slot and another as one.
    #[must_use]
    pub fn and(self, other: Slot) -> Slot {
        Slot { sum: self.sum + other.sum, count: self.count + other.count }
    }
}

impl Estimate {
    /// Judges a series from its slots, in order; `None` if they are too few or a batch is empty.
    ///
    /// Costs O(slots).
    pub fn new(slots: &[Slot]) -> Option<Estimate> {
        let batches: Vec<Slot> = slots
            .chunks(slots.len().div_ceil(BATCHES).max(1))
            .map(|batch| batch.iter().copied().fold(Slot::default(), Slot::and))
            .collect();
        if batches.len() < FEWEST || batches.iter().any(|batch| batch.count == 0) {
            return None;
        }
        let whole = batches.iter().copied().fold(Slot::default(), Slot::and);
        let mean = whole.sum as f64 / whole.count as f64;
        let deviations = deviations(&batches, mean);
        let count = batches.len() as f64;
        let square: f64 = deviations.iter().map(|d| d * d).sum();
        let left = neighbours(&deviations).max(0.0);
        let variance = square / (count - 1.0) / count * (1.0 + left) / (1.0 - left);
        let half = student(count - 1.0) * libm::sqrt(variance) / (whole.count as f64 / count);
        Some(Estimate {
            mean,
            relative_half_width: if mean > 0.0 { half / mean } else { 0.0 },
            independent: neighbours(&self::deviations(slots, mean)) <= CORRELATION,
            growing: is_growing(&batches),
        })
    }

    /// Whether the mean is known within this share of itself.
    pub fn is_within(&self, precision: f64) -> bool {
        self.independent && self.relative_half_width <= precision
    }
}

/// What each slot's sum exceeds the sum of as many average observations by.
fn deviations(slots: &[Slot], mean: f64) -> Vec<f64> {
    slots.iter().map(|slot| slot.sum as f64 - mean * slot.count as f64).collect()
}

/// The correlation of neighbours, below 1.
fn neighbours(deviations: &[f64]) -> f64 {
    let square: f64 = deviations.iter().map(|d| d * d).sum();
    let product: f64 = deviations.iter().zip(&deviations[1..]).map(|(a, b)| a * b).sum();
    if square > 0.0 { (product / square).min(0.9) } else { 0.0 }
}

/// Half the width of the 95 % confidence interval of the mean of independent values; none of fewer than two.
pub fn half_width(values: &[f64]) -> Option<f64> {
    /// The 97.5 % quantile of Student's t for 1 to 4 degrees of freedom, where the expansion is too coarse.
    const FEW: [f64; 4] = [12.706_205, 4.302_653, 3.182_446, 2.776_445];
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let square: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    let quantile = FEW.get(values.len().checked_sub(2)?).copied().unwrap_or_else(|| student(count - 1.0));
    Some(quantile * libm::sqrt(square / (count - 1.0) / count))
}

/// The 97.5 % quantile of Student's t, right to three digits from 10 degrees of freedom on.
///
/// # Source
/// The expansion of Cornish and Fisher, as in Abramowitz and Stegun, 26.7.5.
fn student(freedom: f64) -> f64 {
    let z = NORMAL;
    let (z3, z5) = (z * z * z, z * z * z * z * z);
    let first = (z3 + z) / 4.0;
    let second = (5.0 * z5 + 16.0 * z3 + 3.0 * z) / 96.0;
    let third = (3.0 * z5 * z * z + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / 384.0;
    z + (first + (second + third / freedom) / freedom) / freedom
}

/// Whether later batches are larger, nearly all of them and by much.
fn is_growing(batches: &[Slot]) -> bool {
    let means: Vec<f64> = batches.iter().map(|batch| batch.sum as f64 / batch.count as f64).collect();
    let mut balance = 0_i64;
    for (place, earlier) in means.iter().enumerate() {
        for later in &means[place + 1..] {
            balance += later.total_cmp(earlier) as i64;
        }
    }
    let pairs = means.len() * (means.len() - 1) / 2;
    let quarter = means.len() / 4;
    let first: f64 = means[..quarter].iter().sum();
    let last: f64 = means[means.len() - quarter..].iter().sum();
    balance as f64 >= RISING * pairs as f64 && last >= GROWTH * first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::des::random::{Purpose, Stream};

    /// A standard normal number, nearly: the sum of twelve uniform ones.
    fn normal(stream: &mut Stream) -> f64 {
        (0..12).map(|_| stream.below(1 << 40) as f64 / (1_u64 << 40) as f64).sum::<f64>() - 6.0
    }

    /// An AR(1) series about 1,000 of unit deviation 100, cut into 400 slots.
    fn series(seed: u64, memory: f64, length: usize) -> Vec<Slot> {
        let mut stream = Stream::new(seed, Purpose(92), 0);
        let mut slots = vec![Slot::default(); 400];
        let mut state = normal(&mut stream);
        for place in 0..length {
            state = memory * state + libm::sqrt(1.0 - memory * memory) * normal(&mut stream);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "near 1,000")]
            let value = (1_000.0 + 100.0 * state) as u128;
            let slot = &mut slots[place * 400 / length];
            *slot = slot.and(Slot { sum: value, count: 1 });
        }
        slots
    }

    /// How many of 400 intervals cover the true mean, 999.5 after rounding down, and are believed.
    fn coverage(memory: f64, length: usize) -> (f64, f64) {
        let estimates: Vec<Estimate> =
            (0..400).map(|seed| Estimate::new(&series(seed, memory, length)).unwrap()).collect();
        let believed: Vec<&Estimate> = estimates.iter().filter(|estimate| estimate.independent).collect();
        let covers = |e: &&&Estimate| (e.mean - 999.5).abs() <= e.relative_half_width * e.mean;
        let covered = believed.iter().filter(covers).count() as f64 / believed.len().max(1) as f64;
        (covered, believed.len() as f64 / 400.0)
    }

    /// Wrong if intervals that are believed were too narrow for correlated series, or much too wide for others.
    /// One standard deviation of the share is 1.1 %.
    #[test]
    fn nineteen_of_twenty_intervals_cover_the_mean() {
        for (memory, length) in [(0.0, 4_000), (0.5, 4_000), (0.9, 20_000), (0.95, 20_000)] {
            let (covered, believed) = coverage(memory, length);
            println!("memory {memory}, {length} values: {covered} covered, {believed} believed");
            assert!((0.92..=0.985).contains(&covered), "memory {memory}: {covered}");
            assert!(believed > 0.9, "memory {memory}: {believed}");
        }
    }

    /// Wrong if batches shorter than the memory were believed.
    #[test]
    fn short_series_with_a_long_memory_are_not_believed() {
        let (_, believed) = coverage(0.995, 4_000);
        assert!(believed < 0.05, "{believed}");
    }

    #[test]
    fn the_mean_of_a_few_values_is_known_this_well() {
        assert_eq!((half_width(&[]), half_width(&[7.0])), (None, None));
        // Two values: their distance, halved, times 12.706.
        assert!((half_width(&[1.0, 3.0]).unwrap() - 12.706_205).abs() < 1e-9);
        let six = half_width(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        assert!((six - 2.570_582 * libm::sqrt(3.5 / 6.0)).abs() < 1e-2, "{six}");
    }

    #[test]
    fn student_has_the_tabled_values() {
        for (freedom, tabled) in [(10.0, 2.228), (19.0, 2.093), (39.0, 2.023), (120.0, 1.980)] {
            assert!((student(freedom) - tabled).abs() < 1e-3, "{freedom}: {}", student(freedom));
        }
    }

    #[test]
    fn equal_batches_leave_no_doubt_and_unequal_ones_do() {
        let slots = |values: [u128; 2]| {
            let slot = |place: usize| Slot { sum: 10 * values[place / 10 % 2], count: 10 };
            (0..400).map(slot).collect::<Vec<_>>()
        };
        let equal = Estimate::new(&slots([7, 7])).unwrap();
        assert!(equal.relative_half_width.abs() < 1e-12 && equal.is_within(0.01) && !equal.growing);
        // Batch means 1 and 2 in turn: deviation sqrt(40 / 39) / 2; slots agree with their neighbours.
        let unequal = Estimate::new(&slots([1, 2])).unwrap();
        let expected = 2.0227 * (40.0_f64 / 39.0).sqrt() / 2.0 / 40.0_f64.sqrt() / 1.5;
        assert!((unequal.relative_half_width - expected).abs() < 1e-4, "{unequal:?}");
        assert!(!unequal.independent);
        assert_eq!(Estimate::new(&slots([1, 2])[..5]), None);
        assert_eq!(Estimate::new(&[]), None);
    }

    #[test]
    fn a_latency_that_rises_from_end_to_end_grows() {
        let rising = |slope: u128| {
            let slot = |place: u128| Slot { sum: 1_000 + slope * place, count: 1 };
            Estimate::new(&(0..400).map(slot).collect::<Vec<_>>()).unwrap().growing
        };
        assert!(rising(3) && !rising(1) && !rising(0));
    }
}
