//! Latencies in base cycles: exact mean, quantiles to three digits.

use hdrhistogram::Histogram;

/// A collection of latencies, in base cycles.
#[derive(Clone, Debug)]
pub struct Latency {
    histogram: Histogram<u64>,
    sum: u128,
}

impl Default for Latency {
    fn default() -> Latency {
        Latency { histogram: Histogram::new(3).expect("three digits are allowed"), sum: 0 }
    }
}

impl Latency {
    /// Adds one latency of `cycles`.
    #[expect(clippy::missing_panics_doc, reason = "a histogram that grows by itself takes every value")]
    pub fn record(&mut self, cycles: u64) {
        self.histogram.record(cycles).expect("the histogram grows by itself");
        self.sum += u128::from(cycles);
    }

    /// Adds all of another collection.
    #[expect(clippy::missing_panics_doc, reason = "a histogram that grows by itself takes every value")]
    pub fn add(&mut self, other: &Latency) {
        self.histogram.add(&other.histogram).expect("the histogram grows by itself");
        self.sum += other.sum;
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// Their sum in cycles, exact.
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// Their mean in cycles, from their exact sum; `None` if there are none.
    pub fn mean(&self) -> Option<f64> {
        (self.count() > 0).then(|| self.sum as f64 / self.count() as f64)
    }

    /// The least value that is not exceeded by this share of them, to three digits; `None` if there are none.
    pub fn quantile(&self, share: f64) -> Option<u64> {
        (self.count() > 0).then(|| self.histogram.value_at_quantile(share))
    }

    /// The largest, to three digits; `None` if there are none.
    pub fn max(&self) -> Option<u64> {
        (self.count() > 0).then(|| self.histogram.max())
    }

    /// The histogram's non-empty cells: upper end in cycles, count.
    pub fn cells(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.histogram.iter_recorded().map(|cell| (cell.value_iterated_to(), cell.count_at_value()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_exact_and_quantiles_have_three_digits() {
        let mut latency = Latency::default();
        assert_eq!((latency.mean(), latency.quantile(0.5)), (None, None));
        (1..=10_000).for_each(|cycles| latency.record(cycles));
        assert_eq!(latency.mean(), Some(5_000.5));
        let median = latency.quantile(0.5).unwrap();
        // One part in 1,024.
        assert!(median.abs_diff(5_000) <= 5, "{median}");
        assert_eq!(latency.cells().map(|(_, count)| count).sum::<u64>(), 10_000);
    }
}
