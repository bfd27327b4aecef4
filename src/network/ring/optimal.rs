//! LR3: the ring whose longest path is shortest.
//!
//! A contention-free ring is an array of machines per subtree, arrays within arrays (Lemma 2), and of an array
//! only the heights of its two ends matter outside. So for a required longest path L, every switch
//! has a short table: the pairs of end heights that an array of its subtree can have with no path longer than
//! L, each pair lowest in one height for the other. What the machines and subtrees of a switch make of their
//! tables is a circle of items (see `arrange`): the array's two ends join an item that stands for the rest of
//! the network. The least L for which the root has a circle is found by doubling steps and bisection.
//!
//! # Scope and limitations
//! Exact while a question stays within its work limit and all questions within theirs; past it, a question
//! counts as answered no, the ring may be longer than the best, and [`Ring::bound`] says what every ring must
//! have: the same search with such questions answered yes.
//!
//! # Source
//! faraj2008, Algorithm 3 (section 4.2.2). Departures, none of which changes what is found: feasibility for one
//! L at a time instead of a table of lengths; tables of lowest pairs only; equal subtrees are counted, not
//! permuted; arrays are recovered. The paper's algorithm costs O(n^k) sequences at a switch with k subtrees
//! and n - k machines; one question here costs O(classes x heights) unless subtrees of several kinds have
//! several lowest pairs each.
//!
//! # Validation
//! `tests/network/oracle/ring.rs`: against all contention-free rings of trees with up to nine machines, and against the
//! paper's algorithm, sequence by sequence, on larger ones.

mod arrange;

use std::collections::BTreeMap;

use arrange::{Answer, Budget, Class, Ends, choose, circle};

use simnet_base::ids::{HostId, SwitchId};

use super::{Ring, Tree, lr1, lr2, proven, simple};

/// The steps that one question may cost.
const PER_QUESTION: u64 = 1 << 20;
/// The steps that all questions together may cost: a few seconds.
const IN_ALL: u64 = 1 << 30;

/// Finds the ring whose longest path is shortest; past a work limit one that may be longer, with a bound.
pub fn lr3(tree: &Tree) -> Ring {
    within(tree, PER_QUESTION, IN_ALL)
}

/// LR3 under work limits, in steps.
fn within(tree: &Tree, per_question: u64, in_all: u64) -> Ring {
    if let Ok(ring) = lr2(tree) {
        return ring;
    }
    let fallback = lr1(tree);
    let mut search = Search::new(tree, false, Budget::new(per_question, in_all));
    // No ring is shorter than `refuted + 1`, and none shorter than `from` was found.
    let mut refuted = simple::bound(tree) - 1;
    let mut from = refuted + 1;
    let (mut found, mut step) = (fallback.max_path_length, 1);
    let mut reached = false;
    while from < found {
        let length = if reached { from + (found - from) / 2 } else { (from + step - 1).min(found - 1) };
        debug_assert!(
            from <= length && length < found,
            "each question is about a ring shorter than one that is there"
        );
        search.doubtful = false;
        if search.tables(length).is_some() {
            (found, reached) = (length, true);
        } else {
            from = length + 1;
            step *= 2;
            if !search.doubtful {
                refuted = length;
            }
        }
    }
    if refuted + 1 < found {
        refuted = refute(tree, refuted, found, Budget::new(per_question, in_all));
    }
    if !reached {
        return Ring { bound: refuted + 1, ..fallback };
    }
    search.budget = Budget::new(per_question, in_all);
    let hosts = search.tables(found).and_then(|tables| search.recover(found, &tables));
    let ring = proven(tree, hosts.unwrap_or(fallback.hosts), refuted + 1);
    debug_assert!(ring.bound <= ring.max_path_length, "what was refuted was not found");
    ring
}

/// The longest length below `found` that no ring can have, though unknown answers count as yes.
fn refute(tree: &Tree, mut refuted: usize, mut found: usize, budget: Budget) -> usize {
    let mut search = Search::new(tree, true, budget);
    while refuted + 1 < found {
        let length = refuted + (found - refuted) / 2;
        if search.tables(length).is_some() { found = length } else { refuted = length }
    }
    refuted
}

/// The tables of all switches for one length.
type Tables = Vec<Vec<Ends>>;

/// Questions about one tree.
struct Search<'a> {
    tree: &'a Tree,
    /// What an unknown answer counts as.
    unknown_is_yes: bool,
    /// Whether an answer was unknown.
    doubtful: bool,
    budget: Budget,
}

/// The items of a switch: machines, and subtrees by their tables.
struct Items {
    classes: Vec<Class>,
    /// Per class, its members; none for machines.
    subtrees: Vec<Vec<SwitchId>>,
}

/// A part of the ring that is still to be written down.
enum Part {
    Machine(HostId),
    /// The array of a subtree whose ends are at most so high among the items of its switch.
    Array(SwitchId, Ends),
}

impl<'a> Search<'a> {
    fn new(tree: &'a Tree, unknown_is_yes: bool, budget: Budget) -> Search<'a> {
        Search { tree, unknown_is_yes, doubtful: false, budget }
    }

    /// The tables for the longest path `length`; `None` if there is no such ring.
    fn tables(&mut self, length: usize) -> Option<Tables> {
        let most = length - 1;
        let mut tables: Tables = vec![Vec::new(); self.tree.parents.len()];
        for switch in self.tree.switches.iter().rev() {
            let mut items = self.items(*switch, &tables);
            if *switch == self.tree.root {
                return self.is_possible(&items.classes, most).then_some(tables);
            }
            let table = self.lowest(&mut items, most);
            if table.is_empty() {
                return None;
            }
            tables[switch.index()] = table;
        }
        unreachable!("a tree holds its root, first in order")
    }

    fn items(&self, switch: SwitchId, tables: &Tables) -> Items {
        let mut by_table: BTreeMap<&[Ends], Vec<SwitchId>> = BTreeMap::new();
        for child in &self.tree.children[switch.index()] {
            by_table.entry(&tables[child.index()]).or_default().push(*child);
        }
        let machines = self.tree.machines[switch.index()].len();
        let mut items = Items { classes: Vec::new(), subtrees: Vec::new() };
        if machines > 0 {
            items.classes.push(Class { options: vec![(0, 0)], members: machines });
            items.subtrees.push(Vec::new());
        }
        for (table, members) in by_table {
            items.classes.push(Class { options: table.to_vec(), members: members.len() });
            items.subtrees.push(members);
        }
        items
    }

    fn is_possible(&mut self, classes: &[Class], most: usize) -> bool {
        match choose(classes, most, &mut self.budget) {
            Answer::Yes(_) => true,
            Answer::No => false,
            Answer::Unknown => {
                self.doubtful = true;
                self.unknown_is_yes
            }
        }
    }

    /// The lowest pairs of end heights of the array of these items, as seen from above: a staircase.
    fn lowest(&mut self, items: &mut Items, most: usize) -> Vec<Ends> {
        let ends = items.classes.iter().flat_map(|class| class.options.iter().flat_map(|(a, b)| [*a, *b]));
        let mut heights: Vec<usize> = ends.filter(|end| *end < most).collect();
        heights.sort_unstable();
        heights.dedup();
        items.classes.push(Class { options: Vec::new(), members: 1 });
        let mut possible = |low: usize, high: usize| {
            let rest = items.classes.last_mut().expect("the rest of the network has been added");
            rest.options = vec![(most - low, most - high)];
            self.is_possible(&items.classes, most)
        };
        let mut table = Vec::new();
        // The second height is below this position in what follows.
        let mut end = heights.len();
        for (at, low) in heights.iter().enumerate() {
            if end <= at {
                break;
            }
            if !possible(*low, heights[end - 1]) {
                continue;
            }
            // The pair of equal heights is the most frequent, so it is tried first.
            let (mut from, mut to) = (at, end - 1);
            if from < to && possible(*low, *low) {
                to = from;
            }
            while from < to {
                let middle = from + (to - from) / 2;
                if possible(*low, heights[middle]) { to = middle } else { from = middle + 1 }
            }
            table.push((low + 1, heights[to] + 1));
            end = to;
        }
        items.classes.pop();
        table
    }

    /// Writes the ring down, the root's circle first, array by array.
    fn recover(&mut self, length: usize, tables: &Tables) -> Option<Vec<HostId>> {
        let mut hosts = Vec::new();
        let mut open = self.parts(self.tree.root, None, length - 1, tables)?;
        while let Some(part) = open.pop() {
            match part {
                Part::Machine(host) => hosts.push(host),
                Part::Array(switch, ends) => {
                    open.extend(self.parts(switch, Some(ends), length - 1, tables)?);
                }
            }
        }
        Some(hosts)
    }

    /// The parts of an array, or of the ring, the last one first.
    fn parts(
        &mut self,
        switch: SwitchId,
        ends: Option<Ends>,
        most: usize,
        tables: &Tables,
    ) -> Option<Vec<Part>> {
        let mut items = self.items(switch, tables);
        // The rest of the network goes first: it is where an array is cut open.
        let rest = ends.map(|(first, last)| (most - last, most - first));
        if let Some(rest) = rest {
            items.classes.insert(0, Class { options: vec![rest], members: 1 });
            items.subtrees.insert(0, Vec::new());
        }
        let Answer::Yes(counts) = choose(&items.classes, most, &mut self.budget) else { return None };
        let mut chosen = Vec::new();
        let mut makers = Vec::new();
        let mut machines = self.tree.machines[switch.index()].iter();
        for ((class, members), counts) in items.classes.iter().zip(&items.subtrees).zip(&counts) {
            let mut members = members.iter();
            for (option, count) in class.options.iter().zip(counts) {
                for _ in 0..*count {
                    chosen.push(*option);
                    makers.push(members.next().copied());
                }
            }
        }
        let mut parts = Vec::new();
        for placed in circle(&chosen, most).into_iter().skip(usize::from(rest.is_some())) {
            let (a, b) = chosen[placed.item];
            parts.push(match makers[placed.item] {
                Some(child) if placed.flipped => Part::Array(child, (b - 1, a - 1)),
                Some(child) => Part::Array(child, (a - 1, b - 1)),
                None => Part::Machine(*machines.next().expect("as many as there are items of one machine")),
            });
        }
        parts.reverse();
        Some(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ring::Kind;
    use crate::topology::generate;

    /// Wrong if a bound were none, or a ring worse than LR1's, where the work limit ends the search early; or if
    /// no limit mattered, so that nothing were tested.
    #[test]
    fn past_the_work_limit_there_is_a_ring_and_a_bound() {
        let (mut open, mut longer) = (0, 0);
        for seed in 0..60 {
            let size = [("switches", 60), ("machines", 40 + seed % 50)];
            let network = generate::build("gt-itm", &size, seed).unwrap();
            let root = Tree::first_root(&network).unwrap();
            let tree = Tree::new(&network, Kind::Random, root, seed).unwrap();
            let best = lr3(&tree);
            assert_eq!(best.bound, best.max_path_length, "seed {seed}");
            for (per_question, in_all) in
                [(0, 0), (8, 1 << 30), (20, 1 << 30), (1 << 20, 500), (1 << 20, 3_000)]
            {
                let ring = within(&tree, per_question, in_all);
                let range = simple::bound(&tree)..=best.bound;
                assert!(range.contains(&ring.bound), "seed {seed}, {per_question} {in_all}");
                assert!(ring.max_path_length >= best.max_path_length, "seed {seed}");
                assert!(ring.max_path_length <= lr1(&tree).max_path_length, "seed {seed}");
                open += u32::from(ring.bound < ring.max_path_length);
                longer += u32::from(ring.max_path_length > best.max_path_length);
            }
        }
        assert!(open > 60 && longer > 60, "{open} open, {longer} longer of 300");
    }

    /// Wrong if an end as high as the limit were offered to the switch above, from where it is one too high, or if
    /// a question were asked twice. By hand: one machine and the rest of the network are two choices at one level
    /// and two looks of one step more, 6 steps for the one question.
    #[test]
    fn the_lowest_pairs_take_no_needless_question() {
        let network = generate::build("ring", &[("switches", 3), ("hosts-per-switch", 1)], 0).unwrap();
        let tree = Tree::new(&network, Kind::Random, SwitchId(0), 0).unwrap();
        let lowest = |ends: Ends, in_all: u64| {
            let mut search = Search::new(&tree, false, Budget::new(1 << 20, in_all));
            let classes = vec![Class { options: vec![ends], members: 1 }];
            let table = search.lowest(&mut Items { classes, subtrees: vec![Vec::new()] }, 2);
            (table, search.doubtful)
        };
        assert_eq!(lowest((0, 0), 6), (vec![(1, 1)], false));
        assert_eq!(lowest((0, 0), 5), (vec![], true));
        assert_eq!(lowest((0, 2), 1 << 20), (vec![], false));
    }
}
