//! The tables and figures of Lawrence and Yuan 2008, and some beyond.

use super::Figure;

/// In the order of the index.
pub(super) const FIGURES: &[Figure] = &[];
