//! The tables and figures of Faraj, Patarasuk and Yuan 2008, and some beyond.

use super::Figure;

/// In the order of the index.
pub(super) const FIGURES: &[Figure] = &[];
