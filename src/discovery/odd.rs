//! Machines, cables and pairs that are not like the others.

use super::{Finding, Rtts, SturdyOptions, sturdy};

/// Names the machines, cables and pairs that stand out in round-trip times, and what keeps them from telling more.
///
/// The findings of [`sturdy()`], at its cost: what stands out does so against a tree.
pub fn odd(rtts: &Rtts, options: &SturdyOptions) -> Vec<Finding> {
    sturdy(rtts, options).findings
}
