//! The tables and figures of Mainwaring et al. 1997, and some beyond.

mod claims;
mod construction;

use super::Figure;

/// In the order of the index.
pub(super) const FIGURES: &[Figure] = &[];
