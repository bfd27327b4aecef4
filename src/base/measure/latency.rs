//! Latencies in base cycles: exact mean, quantiles to three digits.

use hdrhistogram::Histogram;

/// What a histogram of three digits keeps apart to the cycle.
const EXACT: usize = 2_048;

/// A collection of latencies, in base cycles.
#[derive(Clone, Debug)]
pub struct Latency {
    /// How many there are of each below [`EXACT`], as most are; empty before the first. A tenth of the work that it is
    /// to find a value's place in the histogram.
    near: Vec<u64>,
    /// The others.
    far: Histogram<u64>,
    count: u64,
    sum: u128,
}

impl Default for Latency {
    fn default() -> Latency {
        let far = Histogram::new(3).expect("three digits are allowed");
        Latency { near: Vec::new(), far, count: 0, sum: 0 }
    }
}

impl Latency {
    /// Adds one latency of `cycles`.
    #[inline]
    pub fn record(&mut self, cycles: u64) {
        self.count += 1;
        self.sum += u128::from(cycles);
        match usize::try_from(cycles).ok().and_then(|cycles| self.near.get_mut(cycles)) {
            Some(count) => *count += 1,
            None => self.record_far(cycles),
        }
    }

    #[inline(never)]
    fn record_far(&mut self, cycles: u64) {
        match usize::try_from(cycles) {
            Ok(cycles) if cycles < EXACT => {
                self.near = vec![0; EXACT];
                self.near[cycles] = 1;
            }
            _ => self.far.record(cycles).expect("the histogram grows by itself"),
        }
    }

    /// Adds all of another collection.
    #[expect(clippy::missing_panics_doc, reason = "a histogram that grows by itself takes every value")]
    pub fn add(&mut self, other: &Latency) {
        self.near.resize(self.near.len().max(other.near.len()), 0);
        self.near.iter_mut().zip(&other.near).for_each(|(own, other)| *own += other);
        self.far.add(&other.far).expect("the histogram grows by itself");
        self.count += other.count;
        self.sum += other.sum;
    }

    /// All of them in one histogram.
    fn histogram(&self) -> Histogram<u64> {
        let mut all = self.far.clone();
        for (cycles, count) in (0..).zip(&self.near).filter(|(_, count)| **count > 0) {
            all.record_n(cycles, *count).expect("the histogram grows by itself");
        }
        all
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their sum in cycles, exact.
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// Their mean in cycles, from their exact sum; `None` if there are none.
    pub fn mean(&self) -> Option<f64> {
        (self.count() > 0).then(|| self.sum as f64 / self.count() as f64)
    }

    /// The least value that is not exceeded by this share of them, to three digits; `None` if there are none. Costs
    /// O(cells).
    pub fn quantile(&self, share: f64) -> Option<u64> {
        (self.count() > 0).then(|| self.histogram().value_at_quantile(share))
    }

    /// The largest, to three digits; `None` if there are none. Costs O(cells).
    pub fn max(&self) -> Option<u64> {
        (self.count() > 0).then(|| self.histogram().max())
    }

    /// The histogram's non-empty cells: upper end in cycles, count.
    pub fn cells(&self) -> impl Iterator<Item = (u64, u64)> + use<> {
        let all = self.histogram();
        let cells: Vec<_> =
            all.iter_recorded().map(|cell| (cell.value_iterated_to(), cell.count_at_value())).collect();
        cells.into_iter()
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

    /// Wrong if what is counted apart from the histogram were not where the histogram would have it.
    #[test]
    fn it_is_the_histogram_of_all_of_them() {
        let mut plain = Histogram::<u64>::new(3).unwrap();
        let mut halves = [Latency::default(), Latency::default()];
        for step in 0..5_000 {
            // Past both ends of what is counted apart.
            let cycles = step * step % 7_919;
            plain.record(cycles).unwrap();
            halves[usize::from(step % 3 == 0)].record(cycles);
        }
        let [mut latency, other] = halves;
        latency.add(&other);
        let cells = plain.iter_recorded().map(|cell| (cell.value_iterated_to(), cell.count_at_value()));
        assert!(latency.cells().eq(cells));
        assert_eq!((latency.count(), latency.max()), (plain.len(), Some(plain.max())));
        for share in [0.0, 0.01, 0.5, 0.9, 0.99, 1.0] {
            assert_eq!(latency.quantile(share), Some(plain.value_at_quantile(share)), "{share}");
        }
    }
}
