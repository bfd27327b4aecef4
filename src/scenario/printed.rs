//! Numbers that papers print, found by their names, for ours to stand beside.

use crate::papers::Printed;

/// A printed number.
#[derive(Clone, Debug, PartialEq)]
pub struct PaperNumber {
    /// Paper, figure, quantity and configuration, as src/papers/reference.csv names them.
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
