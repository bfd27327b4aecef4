//! The tables and figures of Sancho and Robles 2000, and some beyond.

mod curves;
mod fig1;
mod fig2;
mod fig3_64;
mod fig3a;
mod fig3b;
mod fig4a;
mod fig4b;
mod gains;
mod long_16;
mod long_32;
mod long_64;
mod message_time;
mod network_model;
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
    fig3a::FIGURE,
    fig3b::FIGURE,
    fig3_64::FIGURE,
    fig4a::FIGURE,
    fig4b::FIGURE,
    long_16::FIGURE,
    long_32::FIGURE,
    long_64::FIGURE,
    message_time::FIGURE,
];
