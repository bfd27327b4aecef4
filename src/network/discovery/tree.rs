//! The tree of switches that hop counts are those of.
//!
//! # Scope and limitations
//! Exact: either the tree has just these hop counts, and by the paper's Theorem 1 no other has, or what is wrong is
//! told. A tree of more than 65,536 switches is refused.
//!
//! # Source
//! lawrence2008, Fig. 4: a machine n at the end of a longest path and all at one hop from it (A; n itself
//! belongs to it, which line 11 forgets) are on one switch; they leave, and the switch takes their place as a
//! leaf that is one hop nearer to all than n was. Departures, which change nothing of the result:
//! - no WorkHC is kept: what is left is n's row less the times its leaf has moved in, so that a step costs O(N);
//! - line 5's maximum over all pairs is not looked for: in a tree, what is farthest from *any* leaf ends a
//!   longest path;
//! - hop counts of no tree are refused beforehand; the paper takes them to be those of a tree.
//!
//! # Validation
//! Random trees give themselves, checked against Fig. 4 done literally with matrices and an independent comparison of
//! trees; on small matrices, all of them, what is refused is just what a search over conditions says has no tree.

use super::{Hops, NoTree, SwitchTree, no_tree};

/// Finds the one tree that has these hop counts.
///
/// Its switches are numbered in the order in which Fig. 4 finds them, from the outside in. Costs
/// O(machines x switches + machines²).
///
/// # Errors
/// [`NoTree`], with the machines that show why.
pub fn tree(hops: &Hops) -> Result<SwitchTree, NoTree> {
    let switches = no_tree::switches(hops)?;
    let tree = peel(hops);
    verify(&tree, hops, switches);
    Ok(tree)
}

/// Asserts that a tree has the requested hop counts.
fn verify(tree: &SwitchTree, hops: &Hops, switches: u64) {
    assert_eq!(u64::from(tree.switches), switches, "a tree is as large as its hop counts say");
    assert!(tree.hops() == *hops, "a tree has the hop counts that it was made of");
}

/// A leaf of what is left: a machine, or a switch that stands for machines.
#[derive(Clone, Copy)]
struct Leaf {
    /// Whose row of hop counts it has.
    machine: usize,
    /// How many switches nearer it is than that machine.
    nearer: u32,
    /// Which switch it is; `None` for a machine.
    switch: Option<u32>,
}

/// Fig. 4; `hops` are those of a tree.
fn peel(hops: &Hops) -> SwitchTree {
    let mut tree = SwitchTree { homes: vec![0; hops.machines()], switches: 0, links: Vec::new() };
    let mut left: Vec<Leaf> =
        (0..hops.machines()).map(|machine| Leaf { machine, nearer: 0, switch: None }).collect();
    while let Some(any) = left.last() {
        // Twice to the farthest: the second walk is along a longest path, and the first one's end is an end of it.
        let (_, end) = farthest(hops, &left, any);
        let (largest, _) = farthest(hops, &left, &end);
        let switch = tree.switches;
        tree.switches += 1;
        let row = hops.row(end.machine);
        // Fig. 4, line 11, and n itself: all at one hop from the end of a longest path are on its switch. Where
        // nothing is farther than one hop, what is left is on one switch: the last.
        let joins = |leaf: &Leaf| largest <= 1 || between(row, &end, leaf) <= 1;
        for leaf in left.iter().filter(|leaf| joins(leaf)) {
            match leaf.switch {
                None => tree.homes[leaf.machine] = switch,
                Some(inner) => tree.links.push((inner, switch)),
            }
        }
        let before = left.len();
        left.retain(|leaf| !joins(leaf));
        assert!(left.len() < before, "every step takes at least the end of the path");
        // The switch takes the place of what hangs from it, a hop nearer to all others than they were.
        if !left.is_empty() {
            left.push(Leaf { nearer: end.nearer + 1, switch: Some(switch), ..end });
        }
    }
    tree
}

/// The hop count of two leaves; `row` is that of the first one's machine. 0 from a leaf to itself.
fn between(row: &[u32], from: &Leaf, to: &Leaf) -> u32 {
    row[to.machine].saturating_sub(from.nearer).saturating_sub(to.nearer)
}

/// The first of the leaves that is farthest from this one, with the hop count.
fn farthest(hops: &Hops, left: &[Leaf], from: &Leaf) -> (u32, Leaf) {
    let row = hops.row(from.machine);
    let mut found = (0, *from);
    for leaf in left {
        let count = between(row, from, leaf);
        if count > found.0 {
            found = (count, *leaf);
        }
    }
    found
}
