//! A tree of switches while it is being changed.

mod ways;

pub(in crate::discovery) use ways::Run;

use std::collections::VecDeque;

use super::{Costs, as_cost, most_switches};
use crate::discovery::{Hops, SwitchTree};

/// Where a machine is that is nowhere yet.
const NOWHERE: u32 = u32::MAX;

/// A tree of switches, with machines at some of them, and all distances; every leaf has a machine.
#[derive(Clone, Debug)]
pub(in crate::discovery) struct Shape {
    /// By machine, its switch.
    homes: Vec<u32>,
    /// By switch, the switches next to it.
    near: Vec<Vec<u32>>,
    /// By switch, how many links away every switch is.
    links: Vec<Vec<u16>>,
}

/// A machine that moves, with the links between it and what it hangs from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moved {
    pub(super) machine: usize,
    pub(super) depth: u32,
}

/// Where something is put, so many links from a switch that stays, and what it costs there.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    pub(super) switch: u32,
    pub(super) links: u32,
    pub(super) cost: i64,
}

/// What those that move cost with the machines of each switch, by links between: `rows[n][links]`.
struct Table {
    switches: Vec<usize>,
    rows: Vec<Vec<i64>>,
    /// Some wishes: with which of `switches`, and how many links.
    wishes: Vec<(usize, u32)>,
}

impl Shape {
    /// No machine anywhere yet.
    pub(super) fn empty(machines: usize) -> Shape {
        Shape { homes: vec![NOWHERE; machines], near: Vec::new(), links: Vec::new() }
    }

    /// A machine's switch.
    pub(in crate::discovery) fn home(&self, machine: usize) -> u32 {
        self.homes[machine]
    }

    /// The switches between two machines that are somewhere.
    pub(in crate::discovery) fn hops(&self, a: usize, b: usize) -> u32 {
        u32::from(self.links[self.homes[a] as usize][self.homes[b] as usize]) + 1
    }

    /// All hop counts.
    pub(in crate::discovery) fn all_hops(&self) -> Hops {
        Hops::new(self.homes.len(), |a, b| self.hops(a, b))
    }

    /// The tree, switches numbered by their first machine, those without one behind.
    pub(in crate::discovery) fn tree(&self) -> SwitchTree {
        let mut names = vec![NOWHERE; self.near.len()];
        let mut next = 0;
        let empty = 0..u32::try_from(self.near.len()).expect("a bound on switches");
        for switch in self.homes.iter().copied().chain(empty) {
            let name = &mut names[switch as usize];
            if *name == NOWHERE {
                *name = next;
                next += 1;
            }
        }
        let name = |switch: u32| names[switch as usize];
        let mut links: Vec<(u32, u32)> =
            self.ends().into_iter().map(|(a, b)| (name(a), name(b))).filter(|(a, b)| a < b).collect();
        links.sort_unstable();
        debug_assert_eq!(links.len() + 1, self.near.len().max(1), "a tree has one cable fewer than switches");
        SwitchTree { homes: self.homes.iter().map(|home| name(*home)).collect(), switches: next, links }
    }

    /// The tree, switches numbered as [`tree()`](crate::discovery::tree()) numbers those of its hop counts.
    pub(in crate::discovery) fn numbered(&self) -> SwitchTree {
        crate::discovery::tree(&self.all_hops()).unwrap_or_else(|_| self.tree())
    }

    /// What the tree costs.
    pub(in crate::discovery) fn cost(&self, costs: &impl Costs) -> i64 {
        let mut sum = costs.switch() * as_cost(self.near.len());
        // Each pair once; the order of the sum is free, since it is one of integers.
        for a in 0..self.homes.len() {
            for b in a + 1..self.homes.len() {
                sum += costs.pair(a, b, self.hops(a, b));
            }
        }
        sum
    }

    /// Whether every pair of a machine has the hop count that it wishes.
    pub(super) fn is_content(&self, costs: &impl Costs, machine: usize) -> bool {
        (0..self.homes.len()).all(|x| x == machine || costs.wanted_hops(machine, x) == self.hops(machine, x))
    }

    /// About how many additions looking for a place takes.
    pub(super) fn work(&self, costs: &impl Costs, moved: usize) -> u64 {
        // What `best_place` does: the table of all pairs at all distances, then five lengths looked up in it for each
        // switch, with each switch that has machines.
        let table = self.homes.len() * moved * (costs.most() as usize + 1);
        (table + 5 * self.near.len() * self.near.len()) as u64
    }

    /// Every cable from either end.
    pub(in crate::discovery) fn ends(&self) -> Vec<(u32, u32)> {
        let from = (0_u32..).zip(&self.near);
        from.flat_map(|(a, near)| near.iter().map(move |b| (a, *b))).collect()
    }

    /// The machines on the far side of a cable, seen from `from`.
    pub(super) fn side(&self, from: u32, to: u32) -> Vec<Moved> {
        debug_assert_eq!(self.links[from as usize][to as usize], 1, "the cable is there");
        // In a tree nothing is as far from both ends of a cable: the nearer end decides the side.
        let (near, far) = (&self.links[from as usize], &self.links[to as usize]);
        let all = self.homes.iter().enumerate().filter(|(_, home)| **home != NOWHERE);
        all.filter(|(_, home)| far[**home as usize] < near[**home as usize])
            .map(|(machine, home)| Moved { machine, depth: u32::from(far[*home as usize]) })
            .collect()
    }

    /// The switches that nothing needs once a machine is gone.
    pub(super) fn dead_without(&self, machine: usize) -> Vec<u32> {
        // A leaf needs a machine to be known of at all, and so does the chain that leads to nothing else.
        let home = self.homes[machine];
        let alone = self.homes.iter().filter(|other| **other == home).count() == 1;
        if alone { self.dead_from(home, NOWHERE) } else { Vec::new() }
    }

    /// The switches that nothing needs once the cable from one switch to another is cut, on the side of the first.
    pub(super) fn dead_after_cut(&self, from: u32, to: u32) -> Vec<u32> {
        if self.homes.contains(&from) { Vec::new() } else { self.dead_from(from, to) }
    }

    /// By switch, whether it is dead or on the far side of a cable.
    pub(super) fn barred(&self, dead: &[u32], cut: Option<(u32, u32)>) -> Vec<bool> {
        let mut barred = vec![false; self.near.len()];
        if let Some((from, to)) = cut {
            let (near, far) = (&self.links[from as usize], &self.links[to as usize]);
            barred
                .iter_mut()
                .zip(far.iter().zip(near))
                .for_each(|(barred, (far, near))| *barred = far < near);
        }
        dead.iter().for_each(|switch| barred[*switch as usize] = true);
        barred
    }

    /// A leaf without machines once the cable to `cut` is gone, and the chain of such behind it.
    fn dead_from(&self, start: u32, cut: u32) -> Vec<u32> {
        let mut dead = Vec::new();
        let (mut at, mut behind) = (start, cut);
        // Ends at a switch with machines, at one where paths part, or at the last switch of all, which stays.
        loop {
            let mut on = self.near[at as usize].iter().filter(|next| **next != behind);
            let (first, second) = (on.next(), on.next());
            let is_needed = at != start && self.homes.contains(&at);
            let (Some(next), None, false) = (first, second, is_needed) else { return dead };
            dead.push(at);
            (behind, at) = (at, *next);
        }
    }

    /// The place that costs those that move least, and no machine that stays; `None` if none stays.
    ///
    /// Never a switch that is `barred`; looks at no more than `anchors` switches with machines.
    pub(super) fn best_place(
        &self,
        costs: &impl Costs,
        moved: &[Moved],
        barred: &[bool],
        anchors: usize,
    ) -> Option<Place> {
        let table = self.table(costs, moved, anchors);
        if table.rows.is_empty() {
            return None;
        }
        let room = as_links(most_switches(self.homes.len()).saturating_sub(self.near.len()));
        // Costs at every distance of every switch would be O(switches² · most): what most wishes of a switch amount to,
        // and its neighbours, are tried, at the switch itself and one link from it.
        let mut votes = vec![0_u32; costs.most() as usize + 1];
        let mut best: Option<Place> = None;
        for switch in 0..self.near.len() {
            if barred.get(switch).is_some_and(|barred| *barred) {
                continue;
            }
            let wanted_hops = self.vote(&table, switch, &mut votes);
            let mut tried = [0, 1, wanted_hops.saturating_sub(1), wanted_hops, wanted_hops + 1];
            tried.sort_unstable();
            for (nth, links) in tried.into_iter().enumerate() {
                if links > room || (nth > 0 && tried[nth - 1] == links) {
                    continue;
                }
                let cost = self.look_up(&table, switch, links) + costs.switch() * i64::from(links);
                // Of places that cost the same the one of fewer switches, then the first: the same on every machine.
                if best.is_none_or(|best| (cost, links) < (best.cost, best.links)) {
                    best = Some(Place { switch: as_links(switch), links, cost });
                }
            }
        }
        best
    }

    /// What those that move cost at a place.
    pub(super) fn cost_at(&self, costs: &impl Costs, moved: &[Moved], place: Place) -> i64 {
        let mut gone = vec![false; self.homes.len()];
        moved.iter().for_each(|one| gone[one.machine] = true);
        let from = &self.links[place.switch as usize];
        let mut sum = costs.switch() * i64::from(place.links);
        for one in moved {
            for (x, home) in self.homes.iter().enumerate() {
                if !gone[x] && *home != NOWHERE {
                    let hops = u32::from(from[*home as usize]) + place.links + one.depth + 1;
                    sum += costs.pair(one.machine, x, hops.min(costs.most() + 1));
                }
            }
        }
        sum
    }

    /// What `moved` cost with each switch's machines, at each distance. Costs O(machines x moved x most).
    fn table(&self, costs: &impl Costs, moved: &[Moved], anchors: usize) -> Table {
        debug_assert!(!moved.is_empty(), "something moves");
        let mut gone = vec![false; self.homes.len()];
        moved.iter().for_each(|one| gone[one.machine] = true);
        let mut at: Vec<Vec<usize>> = vec![Vec::new(); self.near.len()];
        for (x, home) in self.homes.iter().enumerate() {
            if !gone[x] && *home != NOWHERE {
                at[*home as usize].push(x);
            }
        }
        let mut switches: Vec<usize> = (0..at.len()).filter(|switch| !at[*switch].is_empty()).collect();
        let stride = switches.len().div_ceil(anchors.max(1)).max(1);
        switches = switches.into_iter().step_by(stride).collect();
        let height = costs.most() as usize + 1;
        let mut rows = vec![vec![0; height]; switches.len()];
        let mut wishes = Vec::new();
        for (nth, switch) in switches.iter().enumerate() {
            for one in moved {
                for x in &at[*switch] {
                    for (links, cell) in (0_u32..).zip(&mut rows[nth]) {
                        let hops = (links + one.depth + 1).min(costs.most() + 1);
                        *cell += costs.pair(one.machine, *x, hops);
                    }
                }
            }
        }
        // A few wishes agree as well as all would: of some six of those that move, with three machines of 48 switches.
        let (few, fewer) = (moved.len().div_ceil(6).max(1), switches.len().div_ceil(48).max(1));
        for one in moved.iter().step_by(few) {
            for (nth, switch) in switches.iter().enumerate().step_by(fewer) {
                for x in at[*switch].iter().take(3) {
                    let wanted_hops = costs.wanted_hops(one.machine, *x).saturating_sub(one.depth + 1);
                    wishes.push((nth, wanted_hops));
                }
            }
        }
        Table { switches, rows, wishes }
    }

    /// The links from a switch that most wishes amount to.
    fn vote(&self, table: &Table, switch: usize, votes: &mut [u32]) -> u32 {
        // Of those that wish for w hops to a machine k links away, a place w - k links from here is right.
        votes.fill(0);
        for (nth, wanted_hops) in &table.wishes {
            let away = u32::from(self.links[switch][table.switches[*nth]]);
            if let Some(count) = wanted_hops.checked_sub(away).and_then(|more| votes.get_mut(more as usize)) {
                *count += 1;
            }
        }
        let most = votes.iter().copied().max().unwrap_or(0);
        votes.iter().position(|count| *count == most).map_or(0, as_links)
    }

    /// What those of a table cost so many links from a switch.
    fn look_up(&self, table: &Table, switch: usize, links: u32) -> i64 {
        // Hop counts above the most that is distinguished all cost the same: the last column stands for them.
        let from = &self.links[switch];
        let each = table.switches.iter().zip(&table.rows);
        each.map(|(at, row)| row[(from[*at] as usize + links as usize).min(row.len() - 1)]).sum()
    }

    /// Puts a machine that is nowhere somewhere.
    pub(super) fn add(&mut self, machine: usize, place: Place) {
        debug_assert_eq!(self.homes[machine], NOWHERE, "a machine has one place");
        if self.near.is_empty() {
            self.near.push(Vec::new());
            self.links.push(vec![0]);
        }
        self.homes[machine] = self.extend(place.switch, place.links);
    }

    /// Hangs a chain of so many switches from one; its end.
    fn extend(&mut self, from: u32, length: u32) -> u32 {
        let mut at = from;
        // A new leaf is one link further from everything than what it hangs from: no search is needed.
        for _ in 0..length {
            let new = as_links(self.near.len());
            let mut row: Vec<u16> = self.links[at as usize].iter().map(|links| links + 1).collect();
            for (other, links) in self.links.iter_mut().zip(&row) {
                other.push(*links);
            }
            row.push(0);
            self.links.push(row);
            self.near[at as usize].push(new);
            self.near.push(vec![at]);
            at = new;
        }
        at
    }

    /// Moves a machine; `dead` is what nothing needs without it.
    pub(super) fn relocate(&mut self, machine: usize, place: Place, dead: &[u32]) {
        self.homes[machine] = self.extend(place.switch, place.links);
        // After the move, since removing numbers the switches anew.
        if !dead.is_empty() {
            self.remove(dead);
        }
    }

    /// Cuts a cable and ties its far side elsewhere; `dead` is what nothing needs without it.
    pub(super) fn regraft(&mut self, from: u32, to: u32, place: Place, dead: &[u32]) {
        debug_assert_ne!(place.switch, to, "a side is not tied to itself");
        self.near[from as usize].retain(|other| *other != to);
        self.near[to as usize].retain(|other| *other != from);
        let mut gone = dead.to_vec();
        if let Some(chain) = place.links.checked_sub(1) {
            let end = self.extend(place.switch, chain);
            self.near[end as usize].push(to);
            self.near[to as usize].push(end);
        } else {
            // No link at all: the two switches become one.
            let into = place.switch;
            for home in self.homes.iter_mut().filter(|home| **home == to) {
                *home = into;
            }
            for other in std::mem::take(&mut self.near[to as usize]) {
                for end in self.near[other as usize].iter_mut().filter(|end| **end == to) {
                    *end = into;
                }
                self.near[into as usize].push(other);
            }
            gone.push(to);
        }
        self.remove(&gone);
    }

    /// Removes switches that nothing needs.
    fn remove(&mut self, switches: &[u32]) {
        let mut gone = vec![false; self.near.len()];
        switches.iter().for_each(|switch| gone[*switch as usize] = true);
        self.compact(&gone);
    }

    /// Drops switches, and leaves without machines, numbers the others anew, and counts all links.
    fn compact(&mut self, gone: &[bool]) {
        let mut gone = gone.to_vec();
        let mut used = vec![false; self.near.len()];
        self.homes.iter().filter(|home| **home != NOWHERE).for_each(|home| used[*home as usize] = true);
        let alive = |near: &Vec<u32>, gone: &[bool]| near.iter().filter(|n| !gone[**n as usize]).count();
        // Without a machine a leaf is no evidence of a switch. Dropping one may bare the next.
        let mut leaves: Vec<usize> = (0..self.near.len()).collect();
        while let Some(at) = leaves.pop() {
            if !gone[at] && !used[at] && alive(&self.near[at], &gone) <= 1 {
                gone[at] = true;
                leaves.extend(self.near[at].iter().map(|next| *next as usize));
            }
        }
        let mut names = vec![NOWHERE; self.near.len()];
        for (count, (name, _)) in (0_u32..).zip(names.iter_mut().zip(&gone).filter(|(_, gone)| !**gone)) {
            *name = count;
        }
        let rows = std::mem::take(&mut self.near).into_iter().zip(&gone).filter(|(_, gone)| !**gone);
        self.near = rows
            .map(|(row, _)| row.into_iter().map(|n| names[n as usize]).filter(|n| *n != NOWHERE).collect())
            .collect();
        for home in self.homes.iter_mut().filter(|home| **home != NOWHERE) {
            *home = names[*home as usize];
        }
        self.measure();
        let cables: usize = self.near.iter().map(Vec::len).sum();
        assert_eq!(cables, 2 * self.near.len().saturating_sub(1), "a tree has one cable fewer than switches");
        debug_assert!(self.links.iter().flatten().all(|links| *links < u16::MAX), "and is connected");
    }

    /// Counts the links between all switches. Costs O(switches²).
    fn measure(&mut self) {
        let switches = self.near.len();
        self.links = (0..switches)
            .map(|start| {
                let mut row = vec![u16::MAX; switches];
                row[start] = 0;
                let mut queue = VecDeque::from([start]);
                while let Some(at) = queue.pop_front() {
                    for next in self.near[at].iter().map(|next| *next as usize) {
                        if row[next] == u16::MAX {
                            row[next] = row[at] + 1;
                            queue.push_back(next);
                        }
                    }
                }
                row
            })
            .collect();
    }
}

fn as_links(number: usize) -> u32 {
    u32::try_from(number).expect("switches are bounded")
}
