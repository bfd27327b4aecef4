//! Logical rings of machines on a spanning tree of a network, without contention: LR1, LR2, LR3.
//!
//! ```text
//!   Network --Tree::{bfs, dfs, random}--> Tree --lr1, lr2, lr3--> Ring --contention--> proof
//! ```

mod tree;

pub use tree::{Tree, TreeError};

use crate::ids::HostId;

/// A ring of all machines of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ring {
    /// The machines in ring order; the last one sends to the first.
    pub hosts: Vec<HostId>,
    /// The most switches that a message of the ring passes.
    pub max_path_length: usize,
    /// The least that any contention-free ring of the tree can have, as far as it is known: equal to
    /// `max_path_length` when the ring is known to be best.
    pub bound: usize,
}
