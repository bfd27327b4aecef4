//! Questions about a tree, and small changes to it, other than moving what costs too much.

use super::{NOWHERE, Place, Shape, as_links};

/// A way of one or more cables, whose switches between its ends have no machines and no other cables.
#[derive(Clone, Debug)]
pub(in crate::discovery) struct Run {
    pub(in crate::discovery) from: u32,
    pub(in crate::discovery) to: u32,
    /// How many cables it has.
    pub(in crate::discovery) links: u32,
    /// By machine, whether it is on the side of `to`.
    pub(in crate::discovery) far: Vec<bool>,
    /// What else comes together in `from`: single machines, and the machines behind each other cable.
    pub(in crate::discovery) near_branches: Vec<Vec<usize>>,
    /// The same of `to`.
    pub(in crate::discovery) far_branches: Vec<Vec<usize>>,
}

impl Shape {
    /// How many switches there are.
    pub(in crate::discovery) fn switches(&self) -> usize {
        self.near.len()
    }

    /// All switches.
    pub(in crate::discovery) fn all(&self) -> impl Iterator<Item = u32> + use<> {
        0..as_links(self.near.len())
    }

    /// The switches between a switch and a machine, both ends included.
    pub(in crate::discovery) fn hops_from(&self, switch: u32, machine: usize) -> u32 {
        u32::from(self.links[switch as usize][self.homes[machine] as usize]) + 1
    }

    /// This tree with its machines called otherwise, by their present number, and `machines` in all.
    pub(in crate::discovery) fn renumbered(&self, names: &[usize], machines: usize) -> Shape {
        let mut homes = vec![NOWHERE; machines];
        names.iter().zip(&self.homes).for_each(|(name, home)| homes[*name] = *home);
        Shape { homes, near: self.near.clone(), links: self.links.clone() }
    }

    /// Puts a machine on another switch.
    pub(in crate::discovery) fn put(&mut self, machine: usize, home: u32) {
        // A switch that goes with the machine cannot be its new home.
        let dead = self.dead_without(machine);
        if !dead.contains(&home) {
            self.relocate(machine, Place { switch: home, links: 0, cost: 0 }, &dead);
        }
    }

    /// The switches that only this machine needs.
    pub(in crate::discovery) fn alone(&self, machine: usize) -> Vec<u32> {
        self.dead_without(machine)
    }

    /// Each switch with its cables to other switches and its machines.
    pub(in crate::discovery) fn crowds(&self) -> Vec<(u32, usize, usize)> {
        let mut machines = vec![0; self.near.len()];
        self.homes.iter().filter(|home| **home != NOWHERE).for_each(|home| machines[*home as usize] += 1);
        let each = (0..).zip(self.near.iter().zip(machines));
        each.map(|(switch, (near, machines))| (switch, near.len(), machines)).collect()
    }

    /// The first machine of a switch.
    pub(in crate::discovery) fn first_at(&self, switch: u32) -> Option<usize> {
        self.homes.iter().position(|home| *home == switch)
    }

    /// All ways, in the order of their first ends.
    pub(in crate::discovery) fn runs(&self) -> Vec<Run> {
        let crowds = self.crowds();
        let is_end = |switch: u32| {
            let (_, cables, machines) = crowds[switch as usize];
            machines > 0 || cables != 2
        };
        let mut runs = Vec::new();
        for (from, first) in self.ends().into_iter().filter(|(from, _)| is_end(*from)) {
            let (mut behind, mut to, mut links) = (from, first, 1);
            while !is_end(to) {
                debug_assert_eq!(
                    self.near[to as usize].len(),
                    2,
                    "a switch in between has the way in and the way on"
                );
                let on = self.near[to as usize].iter().copied().find(|next| *next != behind);
                behind = to;
                to = on.unwrap_or(behind);
                links += 1;
            }
            // Each way is come upon from both ends.
            if from < to {
                let mut far = vec![false; self.homes.len()];
                self.side(behind, to).iter().for_each(|one| far[one.machine] = true);
                let near_branches = self.branches(from, first);
                let far_branches = self.branches(to, behind);
                runs.push(Run { from, to, links, far, near_branches, far_branches });
            }
        }
        runs
    }

    /// What comes together in a switch, but for the side of one cable.
    fn branches(&self, switch: u32, but: u32) -> Vec<Vec<usize>> {
        let own = self.homes.iter().enumerate().filter(|(_, home)| **home == switch);
        let mut branches: Vec<Vec<usize>> = own.map(|(machine, _)| vec![machine]).collect();
        for next in self.near[switch as usize].iter().filter(|next| **next != but) {
            branches.push(self.side(switch, *next).iter().map(|one| one.machine).collect());
        }
        branches
    }

    /// This tree with ways that have so many times fewer cables, rounded, but one at least.
    pub(in crate::discovery) fn scaled(&self, times: u32) -> Shape {
        let mut names = vec![NOWHERE; self.near.len()];
        let mut near: Vec<Vec<u32>> = Vec::new();
        let crowds = self.crowds();
        for (switch, ..) in crowds.iter().filter(|(_, cables, machines)| *machines > 0 || *cables != 2) {
            names[*switch as usize] = as_links(near.len());
            near.push(Vec::new());
        }
        for run in self.runs() {
            let mut at = names[run.from as usize];
            let to = names[run.to as usize];
            for _ in 1..((run.links + times / 2) / times).max(1) {
                let new = as_links(near.len());
                near.push(vec![at]);
                near[at as usize].push(new);
                at = new;
            }
            near[at as usize].push(to);
            near[to as usize].push(at);
        }
        debug_assert!(
            near.iter().all(|near| !near.is_empty()) || near.len() <= 1,
            "every switch has a cable"
        );
        let home = |home: &u32| if *home == NOWHERE { NOWHERE } else { names[*home as usize] };
        let mut shape = Shape { homes: self.homes.iter().map(home).collect(), near, links: Vec::new() };
        shape.measure();
        shape
    }

    /// Makes the ways between these ends one cable each.
    pub(in crate::discovery) fn shorten(&mut self, ways: &[(u32, u32)]) {
        let mut gone = vec![false; self.near.len()];
        for (from, to) in ways {
            let mut at = *from;
            while at != *to {
                let on = self.near[at as usize].iter().copied();
                let next = on.min_by_key(|next| self.links[*next as usize][*to as usize]).unwrap_or(*to);
                if at != *from {
                    gone[at as usize] = true;
                }
                at = next;
            }
            self.near[*from as usize].push(*to);
            self.near[*to as usize].push(*from);
        }
        if !ways.is_empty() {
            self.compact(&gone);
        }
    }
}
