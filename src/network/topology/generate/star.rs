//! Stars and trees.

use crate::topology::Network;

use super::layout::{add_hosts, add_switches, cable, check_size, nth};
use super::{GenerateError, Size};

/// Leaf switches round one hub, which is `s0`: the hub has leaf `i` on port `i` and its own hosts after them; a
/// leaf has the hub on port 0 and its hosts after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Star {
    leaves: u64,
    hosts_per_leaf: u64,
    hub_hosts: u64,
}

impl Star {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`GenerateError::Invalid`] if the star exceeds the size limits.
    pub fn new(leaves: u32, hosts_per_leaf: u32, hub_hosts: u32) -> Result<Star, GenerateError> {
        let (leaves, hosts_per_leaf, hub_hosts) =
            (u64::from(leaves), u64::from(hosts_per_leaf), u64::from(hub_hosts));
        check_size("star", "leaves", leaves + 1, 0, leaves)?;
        check_size("star", "hub-hosts", leaves + 1, hub_hosts, leaves + hub_hosts)?;
        let hosts = hub_hosts + leaves * hosts_per_leaf;
        check_size("star", "hosts-per-switch", leaves + 1, hosts, 1 + hosts_per_leaf)?;
        Ok(Star { leaves, hosts_per_leaf, hub_hosts })
    }

    /// How large it is.
    pub fn size(&self) -> Size {
        let hosts = self.hub_hosts + self.leaves * self.hosts_per_leaf;
        Size::new(self.leaves + 1, hosts, self.leaves, 2 * self.leaves + hosts)
    }

    /// Builds it.
    pub fn build(&self) -> Network {
        let mut net = Network::new("star");
        let hub = add_switches(&mut net, 1, self.leaves + self.hub_hosts)[0];
        let leaves = add_switches(&mut net, self.leaves, 1 + self.hosts_per_leaf);
        for (number, leaf) in (0..).zip(&leaves) {
            cable(&mut net, (hub, number), (*leaf, 0));
        }
        add_hosts(&mut net, hub, self.leaves, self.hub_hosts);
        for leaf in leaves {
            add_hosts(&mut net, leaf, 1, self.hosts_per_leaf);
        }
        net
    }
}

/// A complete tree of switches, numbered level by level from the root `s0`. A switch has its children on the
/// ports from 0 on and its parent on the next; on the lowest level the hosts come first, then the parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tree {
    arity: u64,
    depth: u64,
    hosts_per_leaf: u64,
}

impl Tree {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`GenerateError::Invalid`] if a parameter but the hosts is 0 or the tree exceeds the size limits.
    pub fn new(arity: u32, depth: u32, hosts_per_leaf: u32) -> Result<Tree, GenerateError> {
        for (parameter, value) in [("arity", arity), ("depth", depth)] {
            if value == 0 {
                return Err(super::invalid("tree", parameter, "must be at least 1"));
            }
        }
        let (arity, hosts_per_leaf) = (u64::from(arity), u64::from(hosts_per_leaf));
        let mut leaves: u64 = 1;
        let mut switches: u64 = 1;
        for _ in 1..depth {
            leaves = leaves.saturating_mul(arity);
            switches = switches.saturating_add(leaves);
            check_size("tree", "depth", switches, 0, arity + 1)?;
        }
        check_size("tree", "hosts-per-switch", switches, leaves * hosts_per_leaf, hosts_per_leaf + 1)?;
        Ok(Tree { arity, depth: u64::from(depth), hosts_per_leaf })
    }

    /// How large it is.
    pub fn size(&self) -> Size {
        let levels = std::iter::successors(Some(1), |below| Some(below * self.arity));
        let levels: Vec<u64> = (0..self.depth).zip(levels).map(|(_, switches)| switches).collect();
        let switches = levels.iter().sum::<u64>();
        let hosts = levels.last().map_or(0, |leaves| leaves * self.hosts_per_leaf);
        Size::new(switches, hosts, switches - 1, 2 * (switches - 1) + hosts)
    }

    /// Builds it.
    pub fn build(&self) -> Network {
        let mut net = Network::new("tree");
        let below = |level: u64| if level + 1 == self.depth { self.hosts_per_leaf } else { self.arity };
        let parent_port = |level: u64| u64::from(level > 0);
        let mut level_switches = add_switches(&mut net, 1, below(0));
        for level in 1..self.depth {
            let count = level_switches.len() as u64 * self.arity;
            let children = add_switches(&mut net, count, below(level) + parent_port(level));
            for (number, child) in (0..).zip(&children) {
                let parent = nth(&level_switches, number / self.arity);
                cable(&mut net, (parent, number % self.arity), (*child, below(level)));
            }
            level_switches = children;
        }
        for leaf in level_switches {
            add_hosts(&mut net, leaf, 0, self.hosts_per_leaf);
        }
        net
    }
}
