//! Numbers that papers print, found by their names, to compare ours with.

use simnet_base::measure::Spread;
use simnet_base::papers::Printed;

/// A printed number.
#[derive(Clone, Debug, PartialEq)]
pub struct PaperNumber {
    /// Paper, figure, quantity and configuration, as src/base/papers/reference.csv names them.
    pub names: [String; 4],
    /// What the paper prints.
    pub printed: Printed,
}

/// What is taken over several values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// Their mean.
    Mean,
    /// The least.
    Min,
    /// The greatest.
    Max,
    /// The greatest distance from the mean, in per cent of the mean.
    Variation,
}

impl Statistic {
    /// What it is of values with that spread.
    pub fn of(self, spread: Spread) -> f64 {
        match self {
            Statistic::Min => spread.min,
            Statistic::Max => spread.max,
            Statistic::Variation => spread.variation_percent,
            Statistic::Mean => spread.mean,
        }
    }
}
