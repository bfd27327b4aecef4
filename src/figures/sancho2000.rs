//! The tables and figures of Sancho and Robles 2000, and some beyond.

mod table1;

use super::Figure;

/// In the order of the index.
pub(super) const FIGURES: &[Figure] = &[table1::FIGURE];
