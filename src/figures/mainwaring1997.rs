//! The tables and figures of Mainwaring et al. 1997, and some beyond.

mod claims;
mod construction;
mod decoding;
mod fig1;
mod fig10;
mod fig2;
mod fig3;
mod fig4;
mod fig5;
mod fig6;
mod fig7;
mod fig8;
mod fig9;
mod held_out;
mod levels;
mod load;
mod mappers;
mod mechanisms;
mod parameters;
mod paths;
mod ratios;
mod reconfiguration;
mod turn_orders;

use super::Figure;

/// In the order of the index.
pub(super) const FIGURES: &[Figure] = &[
    fig1::FIGURE,
    fig2::FIGURE,
    fig3::FIGURE,
    fig4::FIGURE,
    fig5::FIGURE,
    fig6::FIGURE,
    fig7::FIGURE,
    fig8::FIGURE,
    fig9::FIGURE,
    fig10::FIGURE,
    ratios::FIGURE,
    parameters::FIGURE,
    held_out::FIGURE,
    mechanisms::FIGURE,
    load::FIGURE,
    decoding::FIGURE,
    mappers::FIGURE,
    turn_orders::FIGURE,
    reconfiguration::FIGURE,
];

/// The paper's systems.
const SYSTEMS: [&str; 3] = ["C", "C+A", "C+A+B"];

/// Random networks on which the proof's claims are counted.
const NETWORKS: u32 = 300;

/// More vertices than the example's model has.
const MOST_OF_EXAMPLE: usize = 100_000;
