//! The tables and figures of Mainwaring et al. 1997, and some beyond.

mod claims;
mod construction;
mod reconfiguration;

use super::Figure;

/// In the order of the index.
pub(super) const FIGURES: &[Figure] = &[reconfiguration::FIGURE];
