//! Where the switches and machines of a tree stand on the sheet, and what a message passes on it.

use super::{MACHINE, SWITCH};
use crate::report::{Pen, Spot};
use simnet_base::ids::{HostId, Node, SwitchId};
use simnet_network::ring::Tree;
use simnet_network::topology::Network;

const COLUMN: f64 = 30.0;
const ROW: f64 = 88.0;

/// Where a tree's nodes stand, by number.
#[derive(Clone, Debug)]
pub struct Spots {
    /// Per switch of the network; those that are not in the tree stand in the corner.
    pub switches: Vec<Spot>,
    /// Per machine.
    pub machines: Vec<Spot>,
    /// The lower right corner of what they take.
    pub corner: Spot,
}

/// Places a tree below and to the right of `at`: the root on top, what is below a switch side by side, half of its
/// machines on either side of the switches below it.
pub fn spots(tree: &Tree, at: Spot) -> Spots {
    place(tree, &tree.machines, 2, at)
}

/// The same for the switches alone; machines stand in the corner.
pub fn switch_spots(tree: &Tree, at: Spot) -> Spots {
    place(tree, &vec![Vec::new(); tree.parents.len()], 3, at)
}

/// Places switches with these machines, each switch over so many columns at least.
fn place(tree: &Tree, machines: &[Vec<HostId>], least: usize, at: Spot) -> Spots {
    let count = tree.parents.len();
    let mut wide = vec![0; count];
    for switch in tree.switches.iter().rev().map(|switch| switch.index()) {
        let below: usize = tree.children[switch].iter().map(|child| wide[child.index()]).sum();
        wide[switch] = (machines[switch].len() + below).max(least);
    }
    let mut found = Spots { switches: vec![at; count], machines: vec![at; tree.homes.len()], corner: at };
    let mut left = vec![0; count];
    let mut depth = vec![0_u32; count];
    for switch in tree.switches.iter().map(|switch| switch.index()) {
        let y = at.1 + ROW * f64::from(depth[switch]);
        found.switches[switch] = (at.0 + COLUMN * (left[switch] as f64 + wide[switch] as f64 / 2.0), y);
        let (machines, children) = (&machines[switch], &tree.children[switch]);
        let mut next = left[switch];
        let below: usize = children.iter().map(|child| wide[child.index()]).sum();
        // A switch with a single column of things below it stands over their middle.
        let spare = wide[switch] - below - machines.len();
        let before = machines.len().div_ceil(2);
        for (nth, machine) in machines.iter().enumerate() {
            if nth == before {
                next = place_children(children, &wide, &mut left, &mut depth, (next, switch));
            }
            found.machines[machine.index()] =
                (at.0 + COLUMN * (next as f64 + (spare as f64 + 1.0) / 2.0), y + ROW);
            next += 1;
        }
        if machines.len() <= before {
            place_children(children, &wide, &mut left, &mut depth, (next, switch));
        }
        let right = at.0 + COLUMN * (left[switch] + wide[switch]) as f64;
        found.corner = (found.corner.0.max(right), found.corner.1.max(y + ROW));
    }
    found
}

/// Places the switches below one from a column on; the column after them.
fn place_children(
    children: &[SwitchId],
    wide: &[usize],
    left: &mut [usize],
    depth: &mut [u32],
    (mut next, parent): (usize, usize),
) -> usize {
    for child in children.iter().map(|child| child.index()) {
        (left[child], depth[child]) = (next, depth[parent] + 1);
        next += wide[child];
    }
    next
}

/// What a message between two machines passes: the machine, the switches of the tree between them, the other machine.
pub fn along(tree: &Tree, from: HostId, to: HostId) -> Vec<Node> {
    let (mut up, mut down) = (climb(tree, from), climb(tree, to));
    while up.len() > 1 && down.len() > 1 && up[up.len() - 2] == down[down.len() - 2] {
        up.pop();
        down.pop();
    }
    down.pop();
    let switches = up.into_iter().chain(down.into_iter().rev()).map(Node::Switch);
    [Node::Host(from)].into_iter().chain(switches).chain([Node::Host(to)]).collect()
}

/// The switches from a machine up to the root.
fn climb(tree: &Tree, host: HostId) -> Vec<SwitchId> {
    let mut way = vec![tree.homes[host.index()]];
    while let Some((_, above)) = way.last().and_then(|switch| tree.parents[switch.index()]) {
        way.push(above);
    }
    way
}

impl Spots {
    /// Where a node stands.
    pub fn of(&self, node: Node) -> Spot {
        match node {
            Node::Host(host) => self.machines[host.index()],
            Node::Switch(switch) => self.switches[switch.index()],
        }
    }
}

impl Pen {
    /// The tree's switches and machines by their names, the letter in front of a machine's left out, and its cables.
    pub fn tree(&mut self, network: &Network, tree: &Tree, spots: &Spots) {
        for switch in &tree.switches {
            let at = spots.of(Node::Switch(*switch));
            if let Some((_, above)) = tree.parents[switch.index()] {
                self.cable(at, spots.of(Node::Switch(above)));
            }
            for machine in &tree.machines[switch.index()] {
                let (spot, name) = (spots.of(Node::Host(*machine)), network.name_of(Node::Host(*machine)));
                self.cable(at, spot);
                self.machine(spot, MACHINE, name.trim_start_matches(|c: char| c.is_alphabetic()));
            }
            self.switch(at, SWITCH, network.name_of(Node::Switch(*switch)));
        }
        self.reach(spots.corner);
    }

    /// A message of a tree, over the cables that it takes.
    pub fn route(&mut self, tree: &Tree, spots: &Spots, from: HostId, to: HostId, colour: &str) {
        let places: Vec<Spot> = along(tree, from, to).into_iter().map(|node| spots.of(node)).collect();
        self.message(&places, colour);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simnet_network::topology::presets;

    /// Wrong if two nodes stood on one spot, or a message's way were not the switches that are counted for it.
    #[test]
    fn nodes_stand_apart_and_ways_are_as_long_as_judged() {
        for name in ["faraj-a", "faraj-c", "faraj-d", "faraj-e", "faraj-fig5", "lawrence-3"] {
            let network = presets::load(name).unwrap();
            let tree = Tree::bfs(&network, Tree::first_root(&network).unwrap()).unwrap();
            let spots = spots(&tree, (0.0, 0.0));
            let mut all: Vec<Spot> = spots.machines.iter().chain(&spots.switches).copied().collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
            all.dedup();
            assert_eq!(all.len(), spots.machines.len() + spots.switches.len(), "{name}");
            let hosts: Vec<HostId> = network.host_ids().collect();
            let verdict = simnet_network::ring::judge(&tree, &hosts);
            for (nth, length) in verdict.lengths.iter().enumerate() {
                let way = along(&tree, hosts[nth], hosts[(nth + 1) % hosts.len()]);
                assert_eq!(way.len(), length + 2, "{name}");
            }
        }
    }
}
