//! What is known of Lysne and Duato 2000 from its abstract, and ours beside it.

mod skyline;

use super::Figure;

/// In the order of the index.
pub(super) const FIGURES: &[Figure] = &[skyline::FIGURE];
