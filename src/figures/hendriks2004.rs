//! The tables and figures of Hendriks 2004, and some beyond.

use super::Figure;

/// In the order of the index.
pub(super) const FIGURES: &[Figure] = &[];
