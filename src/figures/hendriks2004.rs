//! The tables and figures of Hendriks 2004, and some beyond.

mod asking;
mod cases;
mod fig1;
mod fig2;
mod fig3;
mod fig4;
mod mechanisms;
mod pink;
mod presumptions;
mod questions;
mod sizes;
mod time_outs;
mod timeline;
mod wirings;

use super::Figure;

/// In the order of the index.
pub(super) const FIGURES: &[Figure] = &[
    fig1::FIGURE,
    fig2::FIGURE,
    fig3::FIGURE,
    fig4::FIGURE,
    pink::FIGURE,
    presumptions::FIGURE,
    sizes::FIGURE,
    time_outs::FIGURE,
    mechanisms::FIGURE,
    wirings::FIGURE,
];
