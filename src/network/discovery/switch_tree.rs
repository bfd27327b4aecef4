//! A tree of switches with machines at them.

use std::collections::VecDeque;

use crate::topology::{CablingError, End, Network};
use simnet_base::ids::{HostId, SwitchId};

use super::Hops;

/// A tree of switches: where each machine is, and which switches have a cable between them.
///
/// Callers keep it a tree: connected, `links` one fewer than switches, and no leaf without a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchTree {
    /// By machine, its switch.
    pub homes: Vec<u32>,
    /// How many switches there are.
    pub switches: u32,
    /// The cables between switches.
    pub links: Vec<(u32, u32)>,
}

impl SwitchTree {
    /// By switch, the switches next to it in the order of the cables.
    pub fn neighbours(&self) -> Vec<Vec<u32>> {
        let mut near = vec![Vec::new(); self.switches as usize];
        for (a, b) in &self.links {
            near[*a as usize].push(*b);
            near[*b as usize].push(*a);
        }
        near
    }

    /// The hop counts of its machines. Costs O(machines x switches + machines²).
    ///
    /// # Panics
    /// If it is not connected.
    pub fn hops(&self) -> Hops {
        let near = self.neighbours();
        let mut counts: Vec<u32> = Vec::new();
        let mut from = None;
        Hops::new(self.homes.len(), |a, b| {
            if from != Some(self.homes[a]) {
                from = Some(self.homes[a]);
                counts = counts_from(&near, self.homes[a]);
            }
            counts[self.homes[b] as usize]
        })
    }

    /// The tree as a network called `name`: machines by their names, switches as `s0`, `s1` and so on (with as many
    /// underscores in front as it takes to differ from every machine), each with the ports that it uses: machines
    /// first.
    ///
    /// # Errors
    /// [`CablingError`] if a name is there twice or a switch has more than 65,535 cables.
    pub fn network(&self, name: &str, machines: &[String]) -> Result<Network, CablingError> {
        let mut prefix = "s".to_owned();
        while machines
            .iter()
            .any(|machine| machine.starts_with(&prefix) && is_number(&machine[prefix.len()..]))
        {
            prefix.insert(0, '_');
        }
        let mut used = vec![0_u32; self.switches as usize];
        let ends = self.homes.iter().chain(self.links.iter().flat_map(|(a, b)| [a, b]));
        ends.for_each(|switch| used[*switch as usize] += 1);
        let mut net = Network::new(name);
        for (number, ports) in used.iter().enumerate() {
            net.add_switch(format!("{prefix}{number}"), u16::try_from(*ports).unwrap_or(u16::MAX))?;
        }
        let mut next = vec![0_u16; self.switches as usize];
        let mut port = |switch: u32| {
            let port = &mut next[switch as usize];
            let end = End::switch(SwitchId(switch), *port);
            *port = port.saturating_add(1);
            end
        };
        for (machine, home) in machines.iter().zip(&self.homes) {
            let host: HostId = net.add_host(machine.clone())?;
            net.connect(End::host(host, 0), port(*home))?;
        }
        for (a, b) in &self.links {
            net.connect(port(*a), port(*b))?;
        }
        Ok(net)
    }
}

/// By switch, how many are on the path to it from a switch, both counted in.
fn counts_from(near: &[Vec<u32>], start: u32) -> Vec<u32> {
    let mut counts = vec![0; near.len()];
    counts[start as usize] = 1;
    let mut queue = VecDeque::from([start]);
    while let Some(at) = queue.pop_front() {
        for next in &near[at as usize] {
            if counts[*next as usize] == 0 {
                counts[*next as usize] = counts[at as usize] + 1;
                queue.push_back(*next);
            }
        }
    }
    assert!(!counts.contains(&0), "a tree is connected");
    counts
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if switches were not counted, or a machine called like a switch made a network impossible.
    #[test]
    fn a_tree_has_hop_counts_and_a_network() {
        let tree = SwitchTree { homes: vec![0, 0, 1, 2], switches: 3, links: vec![(0, 1), (1, 2)] };
        assert_eq!(tree.hops().row(0), [0, 1, 2, 3]);
        let names: Vec<String> = ["a", "b", "s1", "d"].map(str::to_owned).to_vec();
        let net = tree.network("found", &names).unwrap();
        let switches: Vec<(&str, u16)> = net.switches().iter().map(|s| (s.name.as_str(), s.ports)).collect();
        assert_eq!(switches, [("_s0", 3), ("_s1", 3), ("_s2", 2)]);
        assert_eq!((net.hosts().len(), net.links().len()), (4, 6));
    }
}
