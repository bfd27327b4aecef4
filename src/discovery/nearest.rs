//! The tree nearest to hop counts that no tree has.

use super::SwitchTree;

/// The tree nearest to hop counts that no tree has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// The tree.
    pub tree: SwitchTree,
    /// The pairs a < b whose hop counts are others in it.
    pub wrong: Vec<(usize, usize)>,
    /// The machines that are to blame, worst first.
    pub machines: Vec<usize>,
}
