//! What is known of in-transit buffers from abstracts (Flich, Lopez, Malumbres and Duato 2002), and ours beside it.

mod in_transit;

use super::Figure;

/// In the order of the index.
pub(super) const FIGURES: &[Figure] = &[in_transit::SMALL, in_transit::MEDIUM, in_transit::LARGE];
