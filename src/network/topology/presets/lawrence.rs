//! The clusters of Lawrence and Yuan 2008: Fig. 9 (1) to (5), and Fig. 1.
//!
//! Switches of 24 ports, as the Dell PowerConnect 2624 (1 Gb/s) and 2224 (100 Mb/s) of section 4 have; a preset has
//! no rate, a scenario gives it. A machine's number is its rank.
//!
//! # Scope and limitations
//! *Reconstructions*: both figures are pictures that no text repeats. Stated is that (1) has 16 machines on one switch
//! and that the others have 32 with "different network connectivity". The rest is inferred from Tables 2 and 3: what
//! 100 Mb/s takes longer than 1 Gb/s is proportional to the mean number of switches between two machines, which are
//! 1.516, 2.315, 2.177 and 1.777 for (2) to (5) if (2) is two switches of 16. Here they are 1.516, 2.290 (a chain of
//! four switches with 8 each), 2.161 (a star of four with 8 each) and 1.774 (a chain of 8, 16 and 8). Over all trees of
//! three or four switches with multiples of four machines, (5) is the only one within 1.2 per cent; (3) and (4) have a
//! few uneven rivals. Fig. 1 follows from the hop counts that Fig. 8 prints, since a tree does.

use crate::topology::Network;

use super::cluster::{Shape, blocks, cluster};

/// The preset called `name`.
pub(super) fn load(name: &str) -> Option<Network> {
    let (machines, shape): (&[u16], Shape) = match name {
        "lawrence-1" => (&[16], Shape::Chain),
        "lawrence-2" => (&[16, 16], Shape::Chain),
        "lawrence-3" => (&[8, 8, 8, 8], Shape::Chain),
        "lawrence-4" => (&[8, 8, 8, 8], Shape::Star),
        "lawrence-5" => (&[8, 16, 8], Shape::Chain),
        "lawrence-fig1" => (&[2, 2, 2], Shape::Chain),
        _ => return None,
    };
    let switches = u16::try_from(machines.len()).expect("four at most");
    Some(cluster(name, switches, blocks(machines), shape))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery::{Hops, SwitchTree};
    use simnet_base::ids::{HostId, Node};

    /// Hop counts of a preset's machines, with the switches between them counted along its cables.
    fn hops(name: &str) -> Hops {
        let net = load(name).unwrap();
        let mut tree = SwitchTree { homes: Vec::new(), switches: 0, links: Vec::new() };
        tree.switches = u32::try_from(net.switches().len()).unwrap();
        tree.homes = vec![0; net.hosts().len()];
        for link in net.links() {
            match (link.a.node, link.b.node) {
                (Node::Host(HostId(host)), Node::Switch(home)) => tree.homes[host as usize] = home.0,
                (Node::Switch(a), Node::Switch(b)) => tree.links.push((a.0, b.0)),
                other => panic!("{name}: {other:?}"),
            }
        }
        tree.hops()
    }

    /// Wrong if a reconstruction were not the one whose mean hop count the printed times allow.
    #[test]
    fn mean_hop_counts_are_those_that_the_times_allow() {
        for (name, machines, thousandths) in [
            ("lawrence-1", 16, 1000),
            ("lawrence-2", 32, 1516),
            ("lawrence-3", 32, 2290),
            ("lawrence-4", 32, 2161),
            ("lawrence-5", 32, 1774),
        ] {
            let hops = hops(name);
            assert_eq!(hops.machines(), machines, "{name}");
            let sum: u32 = (0..machines).flat_map(|machine| hops.row(machine)).sum();
            let pairs = u32::try_from(machines * (machines - 1)).unwrap();
            assert_eq!((2000 * sum + pairs) / (2 * pairs), thousandths, "{name}");
        }
    }

    /// Wrong if Fig. 1's cluster had other hop counts than those that Fig. 8 prints.
    #[test]
    fn fig1_has_the_hop_counts_of_fig8() {
        let hops = hops("lawrence-fig1");
        let rows = [
            [0, 1, 2, 2, 3, 3],
            [1, 0, 2, 2, 3, 3],
            [2, 2, 0, 1, 2, 2],
            [2, 2, 1, 0, 2, 2],
            [3, 3, 2, 2, 0, 1],
            [3, 3, 2, 2, 1, 0],
        ];
        for (machine, row) in rows.iter().enumerate() {
            assert_eq!(hops.row(machine), row);
        }
    }
}
