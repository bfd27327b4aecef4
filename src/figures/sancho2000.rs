//! The tables and figures of Sancho and Robles 2000, and some beyond.

mod arbitration;
mod crossings;
pub(crate) mod curves;
mod fig1;
mod fig2;
mod fig3;
mod fig4;
mod gains;
mod long;
mod message_time;
mod network_model;
mod networks;
mod orientations;
mod restrictions;
mod table1;
mod table2;

use super::Figure;

/// In the order of the index.
pub(super) const FIGURES: &[Figure] = &[
    fig1::FIGURE,
    fig2::FIGURE,
    table1::FIGURE,
    table2::FIGURE,
    network_model::FIGURE,
    gains::FIGURE,
    arbitration::FIGURE,
    fig3::FIG3A,
    fig3::FIG3B,
    fig3::FIG3_64,
    fig4::FIG4A,
    fig4::FIG4B,
    long::LONG_16,
    long::LONG_32,
    long::LONG_64,
    message_time::FIGURE,
    crossings::FIGURE,
];
