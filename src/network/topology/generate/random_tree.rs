//! Random trees of switches, as an Ethernet's spanning tree leaves them.

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::topology::Network;

use super::layout::{check_size, wire, within};
use super::{GenerateError, MOST_NODES, Size, invalid};

const FAMILY: &str = "random-tree";

/// A random tree of switches with hosts at random switches, at least one at every leaf: a switch with one neighbour
/// and no host would take part in nothing.
///
/// Switches join the tree in random order, each by a cable to one drawn from those before it; once there are as many
/// leaves as hosts, only leaves are drawn from, so that there are never more. Each leaf then gets a host, the others
/// are at switches drawn at random, and which host is where is shuffled.
///
/// # Source
/// The trees of lawrence2008, section 2: "a switch may also be a leaf, but will not participate in any communication
/// and will be excluded from the topology". How they are drawn is this project's choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomTree {
    switches: u64,
    machines: u64,
}

impl RandomTree {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`GenerateError::Invalid`] for no switch, for fewer hosts than such a tree has leaves at least, or for more of
    /// either than the size limits.
    pub fn new(switches: u32, machines: u32) -> Result<RandomTree, GenerateError> {
        let (switches, machines) = (u64::from(switches), u64::from(machines));
        if switches == 0 {
            return Err(invalid(FAMILY, "switches", "must be at least 1"));
        }
        let least = if switches > 1 { 2 } else { 1 };
        if machines < least {
            let reason = format!("must be at least {least}, one for every leaf of the tree");
            return Err(invalid(FAMILY, "machines", reason));
        }
        check_size(FAMILY, "switches", switches, 0, 1)?;
        within(FAMILY, "machines", machines, "hosts", MOST_NODES)?;
        Ok(RandomTree { switches, machines })
    }

    /// How large it is.
    pub fn size(&self) -> Size {
        let cables = self.switches - 1;
        Size::new(self.switches, self.machines, cables, 2 * cables + self.machines)
    }

    /// Draws the network that `seed` stands for. Costs O(switches + machines).
    ///
    /// # Errors
    /// [`GenerateError::Invalid`] if a switch would need more ports than any has.
    pub fn build(&self, seed: u64) -> Result<Network, GenerateError> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut order: Vec<u64> = (0..self.switches).collect();
        shuffle(&mut order, &mut rng);
        let (edges, mut places) = self.grow(&order, &mut rng);
        while (places.len() as u64) < self.machines {
            places.push(rng.random_range(0..self.switches));
        }
        shuffle(&mut places, &mut rng);
        wire(FAMILY, self.switches, &edges, &places)
    }

    /// The cables of a tree whose switches join it in this order, and its leaves.
    fn grow(&self, order: &[u64], rng: &mut ChaCha8Rng) -> (Vec<(u64, u64)>, Vec<u64>) {
        let mut edges = Vec::with_capacity(order.len() - 1);
        // Leaves by their places in the order; a switch's place among them, if it is one.
        let mut leaves = vec![0];
        let mut place = vec![None; order.len()];
        place[0] = Some(0);
        for new in 1..order.len() {
            let full = leaves.len() as u64 == self.machines;
            let old = if full { leaves[rng.random_range(0..leaves.len())] } else { rng.random_range(0..new) };
            edges.push((order[old], order[new]));
            // The first two are leaves both; after that a leaf with a new neighbour is none any more.
            let replaced = if new > 1 { place[old].take() } else { None };
            let at = replaced.unwrap_or(leaves.len());
            if replaced.is_some() {
                leaves[at] = new
            } else {
                leaves.push(new)
            }
            place[new] = Some(at);
        }
        (edges, leaves.into_iter().map(|leaf| order[leaf]).collect())
    }
}

fn shuffle(items: &mut [u64], rng: &mut ChaCha8Rng) {
    for last in (1..items.len()).rev() {
        items.swap(last, rng.random_range(0..=last));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::metrics::measure;
    use simnet_base::ids::Node;

    /// Wrong if a network were no tree, had another size, had a leaf without a host, or a seed stood for two.
    #[test]
    fn trees_have_a_host_at_every_leaf() {
        for (switches, machines) in
            [(1, 1), (1, 9), (2, 2), (3, 2), (60, 2), (60, 3), (60, 30), (60, 300), (2000, 900)]
        {
            let family = RandomTree::new(switches, machines).unwrap();
            for seed in 0..20 {
                let net = family.build(seed).unwrap();
                assert_eq!(net, family.build(seed).unwrap());
                let metrics = measure(&net);
                let counts = (metrics.switches, metrics.hosts, metrics.is_tree, metrics.components);
                let wanted = (switches as usize, machines as usize, true, 1);
                assert_eq!(counts, wanted, "{switches} switches, {machines} machines, seed {seed}");
                for switch in net.switch_ids() {
                    let near: Vec<Node> =
                        net.cables(Node::Switch(switch)).map(|(_, _, far)| far.node).collect();
                    let hosts = near.iter().filter(|node| matches!(node, Node::Host(_))).count();
                    assert!(hosts > 0 || near.len() > 1, "{switches}, {machines}, seed {seed}: {switch:?}");
                }
            }
        }
        assert_ne!(RandomTree::new(9, 9).unwrap().build(1), RandomTree::new(9, 9).unwrap().build(2));
    }

    /// Wrong if fewer hosts than leaves were taken, or a count without a limit.
    #[test]
    fn impossible_trees_are_refused() {
        for (switches, machines, named) in [
            (0, 1, "switches"),
            (1, 0, "machines"),
            (2, 1, "machines"),
            (u32::MAX, 9, "switches"),
            (9, u32::MAX, "machines"),
        ] {
            let error = RandomTree::new(switches, machines).unwrap_err();
            assert_eq!(error.parameter(), Some(named), "{error}");
        }
    }
}
