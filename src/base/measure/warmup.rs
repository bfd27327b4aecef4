//! Where a transient ends: MSER-5.
//!
//! # Scope and limitations
//! The rule sees the latencies of the messages that it is given, in the order of their delivery, and nothing else. A
//! transient that is slower than the series is long looks like a trend; then the best truncation point lies in the
//! second half, which is taken as "not found".
//!
//! # Source
//! K. P. White, M. J. Cobb and S. C. Spratt, "A comparison of five steady-state truncation heuristics for simulation",
//! Winter Simulation Conference 2000: batches of five, the truncation point that minimises the marginal standard
//! error of what remains, refused where it lies in the second half. As usual, the last five batches are not tried:
//! so few may agree by chance.
//!
//! # Validation
//! Against the definition, written out, on random series, and on series whose transient is known.

/// Messages a batch.
const BATCH: usize = 5;
/// Batches at the end before which no truncation point is tried.
const LEFT: usize = 5;

/// The messages from a point's start on, as MSER-5 wants them.
#[derive(Clone, Debug, Default)]
pub(super) struct Transient {
    sum: u64,
    count: usize,
    /// Per full batch: the sum of its latencies, and when its last message was delivered.
    batches: Vec<(u64, u64)>,
}

impl Transient {
    /// Adds a message that was delivered at cycle `at`.
    pub(super) fn delivered(&mut self, latency: u64, at: u64) {
        self.sum = self.sum.saturating_add(latency);
        self.count += 1;
        if self.count == BATCH {
            self.batches.push((self.sum, at));
            (self.sum, self.count) = (0, 0);
        }
    }

    /// The cycle at which the transient ends, if it ends in the first half.
    ///
    /// Costs O(messages).
    pub(super) fn end(&self) -> Option<u64> {
        let sums: Vec<u64> = self.batches.iter().map(|(sum, _)| *sum).collect();
        let left_out = mser(&sums)?;
        Some(left_out.checked_sub(1).map_or(0, |last| self.batches[last].1))
    }
}

/// How many of the first batches MSER leaves out, given the sums of batches of equal size.
///
/// `None` if there are too few, or if the best truncation point lies in the second half. Of several best points the
/// first is taken. Costs O(batches).
pub fn mser(sums: &[u64]) -> Option<usize> {
    if sums.len() < 2 * LEFT {
        return None;
    }
    let (mut total, mut squares, mut count) = (0_u128, 0_u128, 0_u128);
    let mut best: Option<(f64, usize)> = None;
    for (place, sum) in sums.iter().enumerate().rev() {
        let sum = u128::from(*sum);
        total = total.saturating_add(sum);
        squares = squares.saturating_add(sum.saturating_mul(sum));
        count += 1;
        // The sum of squared deviations times the count, exact: neither does a long series lose digits, nor does
        // a machine's way to add floats decide.
        let deviations = squares.saturating_mul(count).saturating_sub(total.saturating_mul(total));
        let left = count as f64;
        let error = deviations as f64 / (left * left * left);
        if place + LEFT <= sums.len() && best.is_none_or(|(least, _)| error <= least) {
            best = Some((error, place));
        }
    }
    best.map(|(_, place)| place).filter(|place| 2 * place <= sums.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::des::random::{Purpose, Stream};

    /// The definition: the marginal standard error of what follows each point, in floats.
    fn literal(sums: &[u64]) -> Option<usize> {
        let error = |from: usize| {
            let rest: Vec<f64> = sums[from..].iter().map(|sum| *sum as f64).collect();
            let mean = rest.iter().sum::<f64>() / rest.len() as f64;
            rest.iter().map(|z| (z - mean) * (z - mean)).sum::<f64>() / (rest.len() * rest.len()) as f64
        };
        let best = (0..=sums.len().checked_sub(LEFT)?).map(|from| (error(from), from));
        let (_, from) = best.min_by(|a, b| a.0.total_cmp(&b.0))?;
        (sums.len() >= 2 * LEFT && 2 * from <= sums.len()).then_some(from)
    }

    /// Wrong if the running sums went astray, or the second half or the tail were treated differently.
    #[test]
    fn the_truncation_point_is_that_of_the_definition() {
        let mut found = [0, 0];
        for seed in 0..400 {
            let mut stream = Stream::new(seed, Purpose(90), 0);
            let length = 1 + stream.below(300);
            let (height, decay) = (stream.below(3_000), 1 + stream.below(200));
            let sums: Vec<u64> = (0..length)
                .map(|place| 1_000 + height * decay / (decay + place) + stream.exponential(100))
                .collect();
            assert_eq!(mser(&sums), literal(&sums), "seed {seed}");
            found[usize::from(mser(&sums).is_some())] += 1;
        }
        assert!(found.iter().all(|count| *count > 20), "{found:?}");
    }

    /// Wrong if a step that ends at batch 100 were cut before, or long after, as noise may.
    #[test]
    fn a_known_transient_is_cut_where_it_ends() {
        for seed in 0..50 {
            let mut stream = Stream::new(seed, Purpose(91), 0);
            let mut transient = Transient::default();
            for at in 0..5_000 {
                let base = if at < 500 { 300 } else { 1_000 };
                transient.delivered(base + stream.below(200), at);
            }
            let end = transient.end().unwrap();
            assert!((494..700).contains(&end), "seed {seed}: {end}");
        }
    }

    /// Wrong if a series that goes on rising were taken for one that has settled.
    #[test]
    fn a_trend_has_no_end() {
        let mut transient = Transient::default();
        (0..5_000).for_each(|at| transient.delivered(1_000 + at, at));
        assert_eq!(transient.end(), None);
        assert_eq!(Transient::default().end(), None);
    }
}
