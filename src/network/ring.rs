//! Logical rings of machines on a spanning tree of a network, without contention: LR1, LR2, LR3.
//!
//! ```text
//!   Network --Tree::new--> Tree --lr1, lr2, lr3--> Ring
//!                            \------judge-----------> Verdict: the proof
//! ```
//!
//! # Scope and limitations
//! Messages of a ring follow its tree, one machine at a time at each cable; what other routes make of a ring
//! is for the medium to say. Machines are equal, and so are cables.
//!
//! # Source
//! faraj2008, section 4. Every ring that an algorithm returns has been followed message by message
//! ([`judge`]); none is free of contention by assumption.
//!
//! # Validation
//! See the files of the algorithms.

mod contention;
mod optimal;
mod routes;
mod simple;
mod tree;

pub use contention::{Verdict, judge};
pub use optimal::lr3;
pub use routes::{Contention, TreeRoutes, judge_routes};
pub use simple::{NoTwoHopRing, lr1, lr2};
pub use tree::{Kind, Tree, TreeError};

use simnet_base::ids::HostId;

/// A ring of all machines of a tree, free of contention on that tree.
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

/// How a ring is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Algorithm {
    /// Machines in depth-first order of their switches.
    Lr1,
    /// A ring with paths of two switches at most, where there is one.
    Lr2,
    /// A ring with the shortest longest path.
    Lr3,
}

impl Algorithm {
    /// Its name: `lr1`, `lr2` or `lr3`.
    pub const fn name(self) -> &'static str {
        match self {
            Algorithm::Lr1 => "lr1",
            Algorithm::Lr2 => "lr2",
            Algorithm::Lr3 => "lr3",
        }
    }

    /// The ring that it finds on a tree.
    ///
    /// # Errors
    /// [`NoTwoHopRing`], of LR2 only.
    pub fn ring(self, tree: &Tree) -> Result<Ring, NoTwoHopRing> {
        match self {
            Algorithm::Lr1 => Ok(lr1(tree)),
            Algorithm::Lr2 => lr2(tree),
            Algorithm::Lr3 => Ok(lr3(tree)),
        }
    }
}

impl Kind {
    /// Its name: `bfs`, `dfs` or `random`.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Bfs => "bfs",
            Kind::Dfs => "dfs",
            Kind::Random => "random",
        }
    }
}

/// Proves a ring and says what is known of it.
fn proven(tree: &Tree, hosts: Vec<HostId>, bound: usize) -> Ring {
    let verdict = judge(tree, &hosts);
    let sum = hosts.len() + 2 * (tree.switches.len() - 1);
    assert!(verdict.contention_free && verdict.total_path_length == sum, "the algorithm makes no contention");
    Ring { hosts, max_path_length: verdict.max_path_length, bound }
}
