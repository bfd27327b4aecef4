//! What several numbers of one quantity are like.

use serde::Serialize;

/// A quantity over several networks, points or runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The least.
    pub min: f64,
    /// The greatest.
    pub max: f64,
    /// The greatest distance from the mean, in per cent of the mean.
    pub variation_percent: f64,
}

impl Spread {
    /// The spread of values, if there are any.
    pub fn of(values: &[f64]) -> Option<Spread> {
        let (min, max) = (values.iter().copied().reduce(f64::min)?, values.iter().copied().reduce(f64::max)?);
        // Rounding must not make the mean of equal values differ from them.
        let mean = (values.iter().sum::<f64>() / values.len() as f64).max(min).min(max);
        let variation = if mean > 0.0 { (max - mean).max(mean - min) / mean * 100.0 } else { 0.0 };
        Some(Spread { mean, min, max, variation_percent: variation })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if the variation were taken from the nearer end, or of something else than the mean.
    #[test]
    fn a_spread_tells_mean_bounds_and_variation() {
        let spread = Spread::of(&[1.0, 2.0, 6.0]).unwrap();
        let wanted = Spread { mean: 3.0, min: 1.0, max: 6.0, variation_percent: 100.0 };
        assert_eq!(spread, wanted);
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Spread::of(&[0.0144996; 5]).map(|spread| spread.mean), Some(0.0144996));
    }
}
