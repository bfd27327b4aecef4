//! Whether a set of samples can be trusted, decided in integers.
//!
//! With n samples x of mean S/n, the full width of the 95 % interval is 2 t s / sqrt(n), t the quantile of Student's t
//! with n - 1 degrees of freedom and s the sample's standard deviation. It is at most p times the mean exactly if
//!
//! ```text
//!   4 t² (n Σx² - S²)  <=  p² (n - 1) S²
//! ```
//! which is compared without rounding, t and p taken in millionths. Samples are sums of round trips in picoseconds:
//! what both sides are divided by does not matter. Times above 2^48 ps (281 s) are halved, all of a set alike, until
//! none is: then S <= 2^58, n Σx² <= 2^116, and a factor of at most 2^50 more fits into 192 bits.
//!
//! # Validation
//! Unit tests and `tests/running/processes/rtt/stopping.rs`: against the same in floating point, on random sets.

use simnet_base::units::Duration;

use super::student::quantile_ppm;

/// A set of samples.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Set {
    /// In picoseconds.
    samples: Vec<u64>,
}

/// The bits of the longest sample that is counted as it is.
const BITS: u32 = 48;

impl Set {
    /// Adds a sample: the sum of its round trips.
    pub fn add(&mut self, sum: Duration) {
        self.samples.push(sum.as_ps());
    }

    /// The mean round trip, where a sample is the sum of so many; rounded to the nearest picosecond. Zero without any.
    pub fn mean(&self, round_trips: u32) -> Duration {
        let sum: u128 = self.samples.iter().map(|x| u128::from(*x)).sum();
        let count = self.samples.len() as u128 * u128::from(round_trips);
        let mean = (sum + count / 2).checked_div(count).unwrap_or(0);
        Duration::from_ps(u64::try_from(mean).unwrap_or(u64::MAX))
    }

    /// Whether the full width of the 95 % confidence interval is at most so many millionths of the mean. Never, of
    /// fewer than two samples.
    ///
    /// # Panics
    /// If there are more than 1,000 samples.
    pub fn is_consistent(&self, threshold_ppm: u32) -> bool {
        let n = self.samples.len() as u64;
        if n < 2 {
            return false;
        }
        let longest = self.samples.iter().max().copied().unwrap_or(0);
        let shift = (u64::BITS - longest.leading_zeros()).saturating_sub(BITS);
        let (mut sum, mut squares) = (0_u128, 0_u128);
        for x in self.samples.iter().map(|x| u128::from(*x >> shift)) {
            sum += x;
            squares += x * x;
        }
        let t = u128::from(quantile_ppm(n - 1));
        let spread = u128::from(n) * squares - sum * sum;
        let share = u128::from(threshold_ppm) * u128::from(threshold_ppm);
        product(spread, 4 * t * t) <= product(u128::from(n - 1) * sum * sum, share)
    }
}

/// The product of two numbers: its high bits and its low 128.
fn product(a: u128, b: u128) -> (u128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let low = (a & LOW) * (b & LOW);
    let across = (a >> 64) * (b & LOW) + (low >> 64);
    let other = (a & LOW) * (b >> 64) + (across & LOW);
    ((a >> 64) * (b >> 64) + (across >> 64) + (other >> 64), other << 64 | low & LOW)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(samples: &[u64]) -> Set {
        Set { samples: samples.to_vec() }
    }

    /// Wrong if a carry were lost.
    #[test]
    fn products_are_whole() {
        let most = u128::MAX;
        assert_eq!(product(most, most), (most - 1, 1));
        assert_eq!(product(most, 2), (1, most - 1));
        assert_eq!(product(1 << 100, 1 << 100), (1 << 72, 0));
        assert_eq!(product(u128::from(u64::MAX), u128::from(u64::MAX)), (0, u128::from(u64::MAX).pow(2)));
    }

    /// Wrong if a limit were off: of two samples 1 ± d the interval's full width is 2 x 12.706205 d.
    #[test]
    fn two_samples_decide_at_the_closed_form() {
        let two = |d: u64| set(&[1_000_000_000 - d, 1_000_000_000 + d]);
        let least = |threshold| (0..).find(|ppm| two(threshold).is_consistent(*ppm)).unwrap();
        assert_eq!((least(0), least(1_000), least(10_000)), (0, 26, 255));
        assert!(!set(&[7]).is_consistent(u32::MAX) && !set(&[]).is_consistent(u32::MAX));
    }

    /// Wrong if the longest times overflowed, or counted otherwise than shorter ones of the same proportions.
    #[test]
    fn times_of_any_length_are_decided() {
        let long: Vec<u64> = (0..1_000).map(|i| u64::MAX - (i % 7) * (u64::MAX / 100)).collect();
        let short: Vec<u64> = long.iter().map(|x| x >> 20).collect();
        for ppm in [0, 100, 1_000, 2_400, 2_600, 10_000, u32::MAX] {
            assert_eq!(set(&long).is_consistent(ppm), set(&short).is_consistent(ppm), "{ppm}");
        }
        assert_eq!(set(&[u64::MAX; 1_000]).mean(1), Duration::from_ps(u64::MAX));
        assert_eq!(set(&[11, 12]).mean(5), Duration::from_ps(2));
    }
}
