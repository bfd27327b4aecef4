//! Figures of a network: counts, components, distances between switches.
//!
//! # Scope and limitations
//! Distances are counted in cables from switch to switch, hosts never being passed through; rates and lengths
//! play no part.
//!
//! # Validation
//! Closed forms of rings, meshes, hypercubes and fat trees, and a plain search from every switch of random
//! networks.

use rayon::prelude::*;

use simnet_base::ids::Node;

use super::Network;

/// What `topo show` says about a network.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Metrics {
    /// Its hosts.
    pub hosts: usize,
    /// Its switches.
    pub switches: usize,
    /// Its cables, each counted once, loopbacks included.
    pub links: usize,
    /// Those with a switch at both ends, loopbacks included.
    pub switch_links: usize,
    /// Those beyond the first between two different nodes.
    pub parallel_links: usize,
    /// Those with both ends at one node.
    pub loopback_links: usize,
    /// The parts that no cable joins, counted over all nodes.
    pub components: usize,
    /// The longest shortest path between two switches; `None` if some two are not connected or there is none.
    pub switch_diameter: Option<u32>,
    /// The mean over ordered pairs of distinct switches, 0 for a single switch; `None` as for the diameter.
    pub switch_mean_distance: Option<f64>,
    /// Whether it is connected and loses that with any cable.
    pub is_tree: bool,
}

/// Measures a network.
///
/// Costs O(switches² · degree / 64): the searches from 64 switches go on at once, one bit each.
pub fn measure(net: &Network) -> Metrics {
    let mut pairs: Vec<(Node, Node)> =
        net.links().iter().map(|link| (link.a.node.min(link.b.node), link.a.node.max(link.b.node))).collect();
    let loopback_links = pairs.iter().filter(|(a, b)| a == b).count();
    let is_switch = |node: &Node| matches!(node, Node::Switch(_));
    let switch_links = pairs.iter().filter(|(a, b)| is_switch(a) && is_switch(b)).count();
    pairs.retain(|(a, b)| a != b);
    pairs.sort_unstable();
    let cabled = pairs.len();
    pairs.dedup();
    let components = components(net);
    let nodes = net.hosts().len() + net.switches().len();
    let distances = Distances::of(net);
    Metrics {
        hosts: net.hosts().len(),
        switches: net.switches().len(),
        links: net.links().len(),
        switch_links,
        parallel_links: cabled - pairs.len(),
        loopback_links,
        components,
        switch_diameter: distances.as_ref().map(|distances| distances.longest),
        switch_mean_distance: distances.map(|distances| distances.mean()),
        is_tree: components == 1 && net.links().len() + 1 == nodes,
    }
}

fn components(net: &Network) -> usize {
    let switches = net.switches().len();
    let place = |node: Node| match node {
        Node::Switch(id) => id.index(),
        Node::Host(id) => switches + id.index(),
    };
    let mut seen = vec![false; switches + net.hosts().len()];
    let mut count = 0;
    let all = net.switch_ids().map(Node::Switch).chain(net.host_ids().map(Node::Host));
    for start in all {
        if std::mem::replace(&mut seen[place(start)], true) {
            continue;
        }
        count += 1;
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            let far = net.cables(node).map(|(_, _, end)| end.node);
            open.extend(far.filter(|node| !std::mem::replace(&mut seen[place(*node)], true)));
        }
    }
    count
}

/// The distances between all ordered pairs of distinct switches.
struct Distances {
    longest: u32,
    sum: u64,
    pairs: u64,
}

impl Distances {
    /// `None` without switches, or if some two are not connected.
    fn of(net: &Network) -> Option<Distances> {
        let neighbours: Vec<Vec<u32>> = net.switch_ids().map(|id| switch_neighbours(net, id)).collect();
        let count = neighbours.len();
        let parts: Vec<(u32, u64, u64)> =
            (0..count.div_ceil(64)).into_par_iter().map(|batch| search(&neighbours, batch * 64)).collect();
        let (mut longest, mut sum, mut reached) = (0, 0, 0);
        for (part_longest, part_sum, part_reached) in parts {
            longest = longest.max(part_longest);
            sum += part_sum;
            reached += part_reached;
        }
        let pairs = (count as u64).checked_mul((count as u64).checked_sub(1)?)?;
        (reached == pairs).then_some(Distances { longest, sum, pairs })
    }

    fn mean(&self) -> f64 {
        if self.pairs == 0 { 0.0 } else { self.sum as f64 / self.pairs as f64 }
    }
}

fn switch_neighbours(net: &Network, id: simnet_base::ids::SwitchId) -> Vec<u32> {
    let far = net.cables(Node::Switch(id)).map(|(_, _, end)| end.node);
    let mut list: Vec<u32> =
        far.filter_map(|node| if let Node::Switch(other) = node { Some(other.0) } else { None }).collect();
    list.sort_unstable();
    list.dedup();
    list
}

/// Breadth-first searches from the 64 switches from `first` on, one bit each: the longest distance found, the
/// sum of all, and how many switches other than the starts were reached.
fn search(neighbours: &[Vec<u32>], first: usize) -> (u32, u64, u64) {
    let mut seen = vec![0_u64; neighbours.len()];
    let starts = first..neighbours.len().min(first + 64);
    starts.clone().for_each(|start| seen[start] |= 1 << (start - first));
    let mut frontier: Vec<(usize, u64)> = starts.map(|start| (start, seen[start])).collect();
    let mut arriving = vec![0_u64; neighbours.len()];
    let (mut longest, mut sum, mut reached) = (0, 0, 0);
    for distance in 1.. {
        let mut touched = Vec::new();
        for (switch, bits) in frontier.drain(..) {
            for other in &neighbours[switch] {
                let other = *other as usize;
                if arriving[other] == 0 {
                    touched.push(other);
                }
                arriving[other] |= bits;
            }
        }
        for switch in touched {
            let new = std::mem::take(&mut arriving[switch]) & !seen[switch];
            if new != 0 {
                seen[switch] |= new;
                reached += u64::from(new.count_ones());
                sum += u64::from(new.count_ones()) * u64::from(distance);
                frontier.push((switch, new));
            }
        }
        if frontier.is_empty() {
            break;
        }
        longest = distance;
    }
    (longest, sum, reached)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::End;
    use crate::topology::generate::build;

    fn check(family: &str, parameters: &[(&str, u64)], diameter: u32, mean: f64, is_tree: bool) {
        let metrics = measure(&build(family, parameters, 0).unwrap());
        assert_eq!(metrics.switch_diameter, Some(diameter), "{family} {parameters:?}");
        let found = metrics.switch_mean_distance.unwrap();
        assert!((found - mean).abs() < 1e-12, "{family} {parameters:?}: {found} for {mean}");
        assert_eq!(metrics.is_tree, is_tree, "{family} {parameters:?}");
        assert_eq!(metrics.components, 1, "{family} {parameters:?}");
    }

    /// Wrong if a distance were off by one, a pair counted twice or left out, or a search of 64 mixed up.
    #[test]
    fn distances_are_the_closed_forms() {
        check("chain", &[("switches", 1)], 0, 0.0, true);
        check("chain", &[("switches", 200)], 199, 201.0 / 3.0, true);
        check("ring", &[("switches", 9)], 4, 2.5, false);
        check("hypercube", &[("dimensions", 8)], 8, 8.0 * 128.0 / 255.0, false);
        check("star", &[("leaves", 4)], 2, (8.0 + 12.0 * 2.0) / 20.0, true);
        check("torus", &[("x", 4), ("y", 4)], 4, 2.0 * 16.0 / 15.0, false);
        check("mesh", &[("x", 3), ("y", 3)], 4, 2.0, false);
        check("leaf-spine", &[("leaves", 2), ("spines", 1)], 2, 4.0 / 3.0, true);
        check("tree", &[("arity", 2), ("depth", 3)], 4, 96.0 / 42.0, true);
    }

    /// Wrong if loopbacks or parallel cables were counted elsewhere, or a part of the network overlooked.
    #[test]
    fn odd_cables_are_counted_apart() {
        let mut net = Network::new("odd");
        assert_eq!(measure(&net).switch_diameter, None);
        let (a, b) = (net.add_switch("a", 8).unwrap(), net.add_switch("b", 8).unwrap());
        let h = net.add_host("h").unwrap();
        let metrics = measure(&net);
        assert_eq!(
            (metrics.components, metrics.switch_diameter, metrics.switch_mean_distance),
            (3, None, None)
        );
        for port in 0..3 {
            net.connect(End::switch(a, port), End::switch(b, port)).unwrap();
        }
        net.connect(End::switch(a, 6), End::switch(a, 7)).unwrap();
        net.connect(End::host(h, 0), End::switch(b, 7)).unwrap();
        let metrics = measure(&net);
        assert_eq!((metrics.links, metrics.switch_links, metrics.parallel_links), (5, 4, 2));
        assert_eq!((metrics.loopback_links, metrics.components, metrics.is_tree), (1, 1, false));
        assert_eq!((metrics.switch_diameter, metrics.switch_mean_distance), (Some(1), Some(1.0)));
    }
}
