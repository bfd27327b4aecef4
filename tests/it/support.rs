//! What several kinds of check share.

pub(crate) mod engine;

use std::collections::VecDeque;

/// How many cases to run of `full`: all with `SIMNET_THOROUGH=1`, a fifth with `SIMNET_THOROUGH=ci`,
/// otherwise a twentieth; at least one.
pub(crate) fn cases(full: u64) -> u64 {
    let share = match std::env::var("SIMNET_THOROUGH").as_deref() {
        Ok("ci") => full / 5,
        Ok(value) if !value.is_empty() && value != "0" => full,
        _ => full / 20,
    };
    share.max(1)
}

/// Takes the first entry of a queue if it is `wanted`.
pub(crate) fn first_if<T>(queue: &mut VecDeque<T>, wanted: impl FnOnce(&T) -> bool) -> Option<T> {
    if wanted(queue.front()?) { queue.pop_front() } else { None }
}

/// The mean of a sample and the half-width of its interval of confidence, given Student's quantile.
pub(crate) fn interval(sample: &[f64], quantile: f64) -> (f64, f64) {
    let n = sample.len() as f64;
    let mean = sample.iter().sum::<f64>() / n;
    let variance = sample.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, quantile * (variance / n).sqrt())
}
