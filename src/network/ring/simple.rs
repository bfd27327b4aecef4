//! LR1, which asks for no contention alone, and LR2, which asks for paths of two switches.
//!
//! # Scope and limitations
//! Both cost O(switches + machines). LR1's longest path depends on the tree and on its root; LR2 exists only
//! where every switch has as many machines as neighbours.
//!
//! # Source
//! faraj2008, Algorithm 1 and Theorem 1; Theorem 2 and Algorithm 2, its proof.
//!
//! # Validation
//! `tests/network/oracle/ring.rs`: free of contention on random trees; LR2 exists exactly where brute force finds a
//! ring of two hops; the paper's Fig. 5.

use thiserror::Error;

use simnet_base::ids::{HostId, SwitchId};

use super::{Ring, Tree, proven};

/// A switch that makes a ring with paths of at most two switches impossible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("switch {} has {machines} machines and {switches} switches next to it", .switch.0)]
pub struct NoTwoHopRing {
    /// The switch.
    pub switch: SwitchId,
    /// Its machines.
    pub machines: usize,
    /// The switches next to it in the tree, the parent among them: more than machines.
    pub switches: usize,
}

/// The machines switch by switch, in the order in which a depth-first walk of the tree arrives at them.
pub fn lr1(tree: &Tree) -> Ring {
    let hosts =
        tree.switches.iter().flat_map(|switch| tree.machines[switch.index()].iter().copied()).collect();
    proven(tree, hosts, bound(tree))
}

/// The ring of paths over two switches at most, where there is one.
///
/// # Errors
/// [`NoTwoHopRing`]: the first switch, in the order of the tree, that rules it out.
pub fn lr2(tree: &Tree) -> Result<Ring, NoTwoHopRing> {
    match obstacle(tree) {
        Some(obstacle) => Err(obstacle),
        None => Ok(proven(tree, interleaved(tree), bound(tree))),
    }
}

/// The least that Theorem 2 allows: one switch, two, or three where there is no ring of two.
pub(super) fn bound(tree: &Tree) -> usize {
    match tree.switches.len() {
        1 => 1,
        _ if obstacle(tree).is_none() => 2,
        _ => 3,
    }
}

/// Where Theorem 2's condition fails first.
fn obstacle(tree: &Tree) -> Option<NoTwoHopRing> {
    let at = |switch: &SwitchId| NoTwoHopRing {
        switch: *switch,
        machines: tree.machines[switch.index()].len(),
        switches: tree.children[switch.index()].len() + usize::from(tree.parents[switch.index()].is_some()),
    };
    tree.switches.iter().map(at).find(|found| found.machines < found.switches)
}

/// Algorithm 2: after each machine of a switch, until there are no more, the array of a switch below.
fn interleaved(tree: &Tree) -> Vec<HostId> {
    let mut hosts = Vec::new();
    // Switches whose arrays have begun, each with how many of its machines have been listed.
    let mut open = vec![(tree.root, 0)];
    while let Some((switch, listed)) = open.pop() {
        let machines = &tree.machines[switch.index()];
        let Some(machine) = machines.get(listed) else { continue };
        hosts.push(*machine);
        open.push((switch, listed + 1));
        open.extend(tree.children[switch.index()].get(listed).map(|child| (*child, 0)));
    }
    hosts
}
