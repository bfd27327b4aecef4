//! Folded Clos networks: k-ary n-trees and leaf-spine networks.

use crate::topology::Network;

use super::layout::{add_hosts, add_switches, cable, check_links, check_size, nth};
use super::{GenerateError, Size, invalid};

/// A k-ary n-tree: `levels` rows of `arity^(levels-1)` switches of `2 * arity` ports, lowest row first.
///
/// A switch has its hosts or lower neighbours on ports 0 to `arity - 1` and its upper neighbours on the ports
/// from `arity` on; the upper ports of the highest row stay free. With as many hosts as `arity` on every
/// lowest switch there are `arity^levels` hosts: a 4-ary 7-tree has 16,384 hosts and 28,672 8-port switches.
///
/// # Source
/// Petrini and Vanneschi 1997, *k-ary n-trees: high performance networks for massively parallel
/// architectures*: switch `w` of row `l` is cabled to switch `w'` of row `l + 1` where their numbers in base
/// `arity` differ at most in digit `l`. Here row 0 is the lowest, and hosts may be fewer or more than `arity`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FatTree {
    arity: u64,
    levels: u64,
    hosts_per_leaf: u64,
    /// Switches in a row.
    row: u64,
}

impl FatTree {
    /// Checks the parameters; `hosts_per_leaf` 0 stands for `arity`.
    ///
    /// # Errors
    /// [`GenerateError::Invalid`] if arity or levels is 0 or the tree exceeds the size limits.
    pub fn new(arity: u32, levels: u32, hosts_per_leaf: u32) -> Result<FatTree, GenerateError> {
        for (parameter, value) in [("arity", arity), ("levels", levels)] {
            if value == 0 {
                return Err(invalid("fat-tree", parameter, "must be at least 1"));
            }
        }
        let hosts_per_leaf = u64::from(if hosts_per_leaf == 0 { arity } else { hosts_per_leaf });
        let (arity, row) = (u64::from(arity), u64::from(arity).saturating_pow(levels - 1));
        let switches = row.saturating_mul(u64::from(levels));
        check_size("fat-tree", "levels", switches, 0, 0)?;
        check_size("fat-tree", "arity", switches, 0, 2 * arity)?;
        check_links("fat-tree", "arity", (switches - row) * arity)?;
        let ports = hosts_per_leaf + arity;
        check_size("fat-tree", "hosts-per-switch", switches, row.saturating_mul(hosts_per_leaf), ports)?;
        Ok(FatTree { arity, levels: u64::from(levels), hosts_per_leaf, row })
    }

    /// How large it is.
    pub fn size(&self) -> Size {
        let switches = self.row * self.levels;
        let ports = self.row * (self.hosts_per_leaf + self.arity) + (switches - self.row) * 2 * self.arity;
        Size::new(switches, self.row * self.hosts_per_leaf, (switches - self.row) * self.arity, ports)
    }

    /// Builds it.
    pub fn build(&self) -> Network {
        let mut net = Network::new("fat-tree");
        let down = |level: u64| if level == 0 { self.hosts_per_leaf } else { self.arity };
        let rows: Vec<_> = (0..self.levels)
            .map(|level| add_switches(&mut net, self.row, down(level) + self.arity))
            .collect();
        for leaf in &rows[0] {
            add_hosts(&mut net, *leaf, 0, self.hosts_per_leaf);
        }
        let mut stride = 1;
        for (level, pair) in (0..).zip(rows.windows(2)) {
            for (number, below) in (0..).zip(&pair[0]) {
                let digit = number / stride % self.arity;
                for up in 0..self.arity {
                    let above = number - digit * stride + up * stride;
                    cable(&mut net, (*below, down(level) + up), (nth(&pair[1], above), digit));
                }
            }
            stride *= self.arity;
        }
        net
    }
}

/// Two rows of switches: every leaf, `s0` on, is cabled to every spine, numbered after them. A leaf has its
/// hosts first, then the cables to spine 0, spine 1, ...; a spine has the cables to leaf 0, leaf 1, ...
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafSpine {
    leaves: u64,
    spines: u64,
    hosts_per_leaf: u64,
    cables: u64,
}

impl LeafSpine {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`GenerateError::Invalid`] if several leaves have no spine or the network exceeds the size limits.
    pub fn new(leaves: u32, spines: u32, hosts: u32, cables: u32) -> Result<LeafSpine, GenerateError> {
        if leaves == 0 {
            return Err(invalid("leaf-spine", "leaves", "must be at least 1"));
        }
        if spines == 0 && leaves > 1 {
            return Err(invalid("leaf-spine", "spines", "must be at least 1 to connect several leaves"));
        }
        let [leaves, spines, hosts_per_leaf, cables] = [leaves, spines, hosts, cables].map(u64::from);
        let switches = leaves + spines;
        check_size("leaf-spine", "leaves", switches, 0, leaves.saturating_mul(cables))?;
        check_size("leaf-spine", "spines", switches, 0, spines.saturating_mul(cables))?;
        check_links("leaf-spine", "spines", leaves * spines * cables)?;
        let ports = hosts_per_leaf + spines * cables;
        check_size("leaf-spine", "hosts-per-switch", switches, leaves * hosts_per_leaf, ports)?;
        Ok(LeafSpine { leaves, spines, hosts_per_leaf, cables })
    }

    /// How large it is.
    pub fn size(&self) -> Size {
        let cables = self.leaves * self.spines * self.cables;
        let hosts = self.leaves * self.hosts_per_leaf;
        Size::new(self.leaves + self.spines, hosts, cables, hosts + 2 * cables)
    }

    /// Builds it.
    pub fn build(&self) -> Network {
        let mut net = Network::new("leaf-spine");
        let leaves = add_switches(&mut net, self.leaves, self.hosts_per_leaf + self.spines * self.cables);
        let spines = add_switches(&mut net, self.spines, self.leaves * self.cables);
        for (l, leaf) in (0..).zip(&leaves) {
            add_hosts(&mut net, *leaf, 0, self.hosts_per_leaf);
            for (s, spine) in (0..).zip(&spines) {
                for nth in 0..self.cables {
                    let up = self.hosts_per_leaf + s * self.cables + nth;
                    cable(&mut net, (*leaf, up), (*spine, l * self.cables + nth));
                }
            }
        }
        net
    }
}
