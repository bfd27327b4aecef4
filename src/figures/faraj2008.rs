//! The tables and figures of faraj2008, and answers to further questions of users.
//!
//! # Source
//! Faraj, Patarasuk and Yuan, "Bandwidth Efficient All-to-All Broadcast on Switched Clusters"; its figures are pictures
//! whose values no text repeats, so that only what text and Table 1 state is compared.

mod cut_through;
mod fig1;
mod fig10;
mod fig11;
mod fig2;
mod fig3;
mod fig4;
mod fig5;
mod fig6;
mod fig7;
mod fig8;
mod fig9;
mod loss;
mod mechanisms;
mod modern;
mod spanning_tree;
mod table1;
mod tree_mesh_fat_tree;

use super::Figure;

/// The paper's number in the table of printed numbers.
const PAPER: &str = "001";

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
    table1::FIGURE,
    fig11::FIGURE,
    cut_through::FIGURE,
    loss::FIGURE,
    modern::FIGURE,
    spanning_tree::FIGURE,
    tree_mesh_fat_tree::FIGURE,
    mechanisms::FIGURE,
];

#[cfg(test)]
mod tests {
    use crate::proved::none_of;

    /// Wrong if a figure that checks what the paper proves found a case against it, or looked at none.
    #[test]
    fn what_the_paper_proves_holds() {
        none_of(&super::fig2::FIGURE, "trees", "trees where one has not just one message");
        none_of(&super::fig3::FIGURE, "switches of this case", "switches of no case");
        none_of(&super::fig3::FIGURE, "switches of this case", "trees with two messages over a direction");
        let conditions = "arrays that break one of the three conditions";
        none_of(&super::fig4::FIGURE, "arrays of Algorithm 2", conditions);
        none_of(&super::fig4::FIGURE, "arrays of Algorithm 2", "trees against Theorem 2");
        none_of(&super::fig6::FIGURE, "subtrees", "subtrees whose machines are not in a row");
        none_of(&super::fig6::FIGURE, "free of contention, every subtree in a row", "against Lemma 2");
    }
}
