//! Random regular graphs of switches.

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::topology::Network;

use super::layout::{add_hosts, add_switches, cable, check_links, check_size};
use super::{GenerateError, Size, invalid};

const FAMILY: &str = "random-regular";
/// How often a drawing that came to a dead end, or fell apart, is begun anew.
const ATTEMPTS: u32 = 1_000;

/// A connected simple graph in which every switch has `degree` neighbours, drawn at random.
///
/// A switch has its neighbours on ports 0 to `degree - 1` in order of their numbers, its hosts on the ports
/// after these, and no port more.
///
/// # Source
/// Sancho and Robles 2000, section 4 (irregular networks of 8-port switches, four to hosts and four to other
/// switches, one link between neighbours). Drawing: Steger and Wormald 1999, *Generating random regular
/// graphs quickly*: pair free ends at random, refusing loops and repeated pairs. A degree above half the
/// switches is drawn as the complement; degree 2 as a random circle, the only connected graph of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomRegular {
    switches: u32,
    degree: u32,
    hosts_per_switch: u32,
}

impl RandomRegular {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`GenerateError::Invalid`] unless a connected graph of that degree exists and fits the size limits.
    pub fn new(switches: u32, degree: u32, hosts_per_switch: u32) -> Result<RandomRegular, GenerateError> {
        let (n, d) = (u64::from(switches), u64::from(degree));
        if n == 0 {
            return Err(invalid(FAMILY, "switches", "must be at least 1"));
        }
        if d >= n {
            return Err(invalid(FAMILY, "degree", format!("must be below the number of switches, {n}")));
        }
        if !(n * d).is_multiple_of(2) {
            return Err(invalid(
                FAMILY,
                "degree",
                format!("must be even for an odd number of switches, {n}"),
            ));
        }
        if d == 0 && n > 1 || d == 1 && n > 2 {
            return Err(invalid(FAMILY, "degree", format!("must be at least 2 to connect {n} switches")));
        }
        let hosts = u64::from(hosts_per_switch);
        check_size(FAMILY, "degree", n, n * hosts, d)?;
        check_links(FAMILY, "degree", n * d / 2)?;
        check_size(FAMILY, "hosts-per-switch", n, n * hosts, d + hosts)?;
        Ok(RandomRegular { switches, degree, hosts_per_switch })
    }

    /// How large it is.
    pub fn size(&self) -> Size {
        let (switches, degree) = (u64::from(self.switches), u64::from(self.degree));
        let hosts = switches * u64::from(self.hosts_per_switch);
        Size::new(switches, hosts, switches * degree / 2, switches * degree + hosts)
    }

    /// Draws the network that `seed` stands for.
    ///
    /// # Errors
    /// [`GenerateError::Invalid`] if a thousand drawings in a row come to nothing; no small or sparse network
    /// is known to do so.
    pub fn build(&self, seed: u64) -> Result<Network, GenerateError> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let neighbours = (0..ATTEMPTS).find_map(|_| self.draw(&mut rng).filter(|graph| connected(graph)));
        let neighbours = neighbours
            .ok_or_else(|| invalid(FAMILY, "degree", "is too hard to draw at random for so many switches"))?;
        let (degree, hosts) = (u64::from(self.degree), u64::from(self.hosts_per_switch));
        let mut net = Network::new(FAMILY);
        let switches = add_switches(&mut net, u64::from(self.switches), degree + hosts);
        for (a, others) in (0..).zip(&neighbours) {
            for (port_a, b) in (0..).zip(others).filter(|(_, b)| **b > a) {
                let back = neighbours[*b as usize].partition_point(|other| *other < a) as u64;
                cable(&mut net, (switches[a as usize], port_a), (switches[*b as usize], back));
            }
        }
        for switch in switches {
            add_hosts(&mut net, switch, degree, hosts);
        }
        Ok(net)
    }

    /// One drawing: the neighbours of each switch in order, or `None` at a dead end.
    fn draw(&self, rng: &mut ChaCha8Rng) -> Option<Vec<Vec<u32>>> {
        let (n, d) = (self.switches, self.degree);
        if d == 2 {
            return Some(circle(n, rng));
        }
        if d > (n - 1) / 2 {
            return Some(complement(&pair(n, n - 1 - d, rng)?));
        }
        pair(n, d, rng)
    }
}

/// Pairs free ends at random, without loops and repeated pairs; `None` where only such are left.
fn pair(n: u32, degree: u32, rng: &mut ChaCha8Rng) -> Option<Vec<Vec<u32>>> {
    let mut free: Vec<u32> = (0..n).flat_map(|switch| std::iter::repeat_n(switch, degree as usize)).collect();
    let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); n as usize];
    let mut refused = 0;
    while !free.is_empty() {
        let (i, j) = (rng.random_range(0..free.len()), rng.random_range(0..free.len()));
        let (a, b) = (free[i], free[j]);
        if a == b || neighbours[a as usize].contains(&b) {
            refused += 1;
            // Few ends left and many refusals: look whether any pair is left at all before trying on.
            if refused % 64 == 0 && !any_pair(&free, &neighbours) {
                return None;
            }
            continue;
        }
        neighbours[a as usize].push(b);
        neighbours[b as usize].push(a);
        free.swap_remove(i.max(j));
        free.swap_remove(i.min(j));
    }
    neighbours.iter_mut().for_each(|list| list.sort_unstable());
    Some(neighbours)
}

fn any_pair(free: &[u32], neighbours: &[Vec<u32>]) -> bool {
    let fits = |a: u32, b: u32| a != b && !neighbours[a as usize].contains(&b);
    free.iter().any(|a| free.iter().any(|b| fits(*a, *b)))
}

/// A circle through all switches in random order.
fn circle(n: u32, rng: &mut ChaCha8Rng) -> Vec<Vec<u32>> {
    let mut order: Vec<u32> = (0..n).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, rng.random_range(0..=last));
    }
    let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); n as usize];
    for (nth, switch) in order.iter().enumerate() {
        let next = order[(nth + 1) % order.len()];
        neighbours[*switch as usize].push(next);
        neighbours[next as usize].push(*switch);
    }
    neighbours.iter_mut().for_each(|list| list.sort_unstable());
    neighbours
}

/// The graph that has exactly the cables that this one has not.
fn complement(neighbours: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let others = |switch: usize, list: &Vec<u32>| {
        let all = 0..u32::try_from(neighbours.len()).expect("a u32 counted them");
        all.filter(|other| *other as usize != switch && list.binary_search(other).is_err()).collect()
    };
    neighbours.iter().enumerate().map(|(switch, list)| others(switch, list)).collect()
}

fn connected(neighbours: &[Vec<u32>]) -> bool {
    let mut seen = vec![false; neighbours.len()];
    let mut open = vec![0_usize];
    seen[0] = true;
    let mut count = 1;
    while let Some(switch) = open.pop() {
        for other in &neighbours[switch] {
            if !std::mem::replace(&mut seen[*other as usize], true) {
                count += 1;
                open.push(*other as usize);
            }
        }
    }
    count == neighbours.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use simnet_base::ids::Node;

    /// Wrong if a switch had another degree, two cables to one neighbour or a cable to itself, if the network
    /// fell apart, or if a seed stood for two networks.
    #[test]
    fn every_switch_has_its_degree() {
        for (switches, degree, hosts) in [
            (1, 0, 3),
            (2, 1, 1),
            (3, 2, 0),
            (16, 4, 4),
            (32, 4, 4),
            (7, 6, 1),
            (8, 6, 1),
            (10, 5, 2),
            (64, 2, 1),
        ] {
            for seed in 0..10 {
                let family = RandomRegular::new(switches, degree, hosts).unwrap();
                let net = family.build(seed).unwrap();
                assert_eq!(net, family.build(seed).unwrap());
                let neighbours: Vec<Vec<u32>> = net.switch_ids().map(|s| of(&net, Node::Switch(s))).collect();
                for (switch, list) in neighbours.iter().enumerate() {
                    let mut distinct = list.clone();
                    distinct.dedup();
                    assert_eq!(distinct.len(), degree as usize, "{switches} {degree} seed {seed}");
                    assert!(!list.contains(&u32::try_from(switch).unwrap()));
                }
                assert!(connected(&neighbours));
                assert_eq!(net.hosts().len(), (switches * hosts) as usize);
            }
        }
    }

    fn of(net: &Network, node: Node) -> Vec<u32> {
        let far = net.cables(node).map(|(_, _, end)| end.node);
        far.filter_map(|node| if let Node::Switch(s) = node { Some(s.0) } else { None }).collect()
    }

    #[test]
    fn what_has_no_graph_is_refused_by_its_parameter() {
        for (switches, degree, hosts, at_fault) in [
            (0, 0, 1, "switches"),
            (4, 4, 1, "degree"),
            (5, 3, 1, "degree"),
            (4, 1, 1, "degree"),
            (4, 0, 1, "degree"),
            (4, 2, 5000, "hosts-per-switch"),
        ] {
            let error = RandomRegular::new(switches, degree, hosts).unwrap_err();
            assert_eq!(error.parameter(), Some(at_fault), "{error}");
        }
    }
}
