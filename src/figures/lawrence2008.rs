//! The tables and figures of Lawrence and Yuan 2008, and some beyond.
//!
//! # Source
//! Lawrence and Yuan, "An MPI Tool for Automatically Discovering the Switch Level Topologies of Ethernet Clusters".

mod at_once;
mod background;
mod discovered;
mod fig1;
mod fig2;
mod fig3;
mod fig4;
mod fig5;
mod fig6;
mod fig7;
mod fig8;
mod fig9;
mod mechanisms;
mod noise;
mod odd;
mod parameters;
mod peeling;
mod seeds;
mod slow_link;
mod slow_machine;
mod table1;
mod table2;
mod table3;
mod trees;

use super::Figure;

/// The paper's number in the table of printed numbers.
const PAPER: &str = "003";

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
    table1::FIGURE,
    table2::FIGURE,
    table3::FIGURE,
    parameters::FIGURE,
    seeds::FIGURE,
    noise::FIGURE,
    at_once::FIGURE,
    background::FIGURE,
    slow_link::FIGURE,
    slow_machine::FIGURE,
    discovered::FIGURE,
    mechanisms::FIGURE,
];

#[cfg(test)]
mod tests {
    use crate::proved::none_of;

    /// Wrong if a figure that checks what the paper proves found a case against it, or looked at none.
    #[test]
    fn what_the_paper_proves_holds() {
        none_of(&super::fig2::FIGURE, "switches", "cells in which the matrices differ");
        let edge = "of these with equality, against the proof";
        none_of(&super::fig3::FIGURE, "x on a switch with one neighbour", edge);
        let within = "of these without equality, against the proof";
        none_of(&super::fig3::FIGURE, "x where the ways part", within);
        none_of(&super::fig4::FIGURE, "trees", "trees that Fig. 4 does not give back");
        none_of(&super::fig4::FIGURE, "trees", "trees that the simulator's discovery does not give back");
    }
}
