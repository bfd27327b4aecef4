//! What a run's summary is expected to hold, and whether it does.

use std::ops::Range;

use serde_json::Value;

/// The `[expect]` table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expectations {
    /// One entry a key, in the order of the file.
    pub list: Vec<Expectation>,
}

/// One expectation.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The path into the summary: keys and positions in lists, joined by dots.
    pub path: String,
    /// What is wanted there.
    pub wanted: Wanted,
    /// Where the scenario states it: a source's position and a range of bytes.
    pub span: Range<usize>,
}

/// What is wanted at a place of the summary.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// This very value; numbers are compared as numbers.
    Equal(Value),
    /// A number in a closed range; a missing bound does not bind.
    Within {
        /// The least that will do.
        min: Option<f64>,
        /// The most that will do.
        max: Option<f64>,
    },
    /// A number that differs from `near` by at most `share * |near|`.
    Near {
        /// The number.
        near: f64,
        /// The share: 0.06 for `"6 %"`.
        share: f64,
    },
}
