//! The tree nearest to hop counts that no tree has.
//!
//! # Scope and limitations
//! Nearest is the tree with fewest pairs of machines whose hop count differs from the one given, then that with the
//! least sum of differences. It is looked for, not proven: machines are put in one after the other, most
//! consistent first, then moved (see [`search`](super::search)), from several orders of small clusters. Hop counts
//! that a tree has are found exactly. One that a few wrong cells spoil is found as it was unless those cells have a
//! tree of their own: two machines that are alone on their switches and hang from the same place are as good a link
//! further away from each other.
//!
//! A hop count above 1,000, or above the sum of the two greatest of the machines' median hop counts (no tree has
//! such), agrees with no tree. Memory is O(machines²); beyond putting the
//! machines in, work is bounded by 6e8 additions: what exceeds it is left as it is.
//!
//! # Source
//! Ours. lawrence2008 takes its hop counts to be a tree's (Theorem 1) and says nothing about others.
//!
//! # Validation
//! `tests/network/oracle/sturdy.rs`: compared with all trees of up to six machines; random trees with wrong cells and
//! machines.

use simnet_base::des::random::{Purpose, Stream};

use super::search::{Budget, Costs, Shape, grow, improve};
use super::{Hops, SwitchTree, tree};

/// The tree nearest to hop counts, and where it differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// The tree.
    pub tree: SwitchTree,
    /// The pairs `a < b` of machines whose hop counts differ from the given ones, in order.
    pub wrong: Vec<(usize, usize)>,
    /// Machines that all wrong pairs have to do with, those of most pairs first; both machines of a pair where
    /// neither has another.
    pub machines: Vec<usize>,
}

/// Orders of chance in which machines are put in.
const ORDERS: Purpose = Purpose(105);
/// The longest hop count that a tree may have.
const LONGEST: u32 = 1_000;
/// Additions that the search may take.
const WORK: u64 = 600_000_000;

/// Finds the tree nearest to hop counts; the same on every machine.
///
/// Takes O(machines² · switches) time on hop counts that are nearly a tree's, and see the module for its bound.
///
/// # Panics
/// If there are no machines.
pub fn nearest(hops: &Hops) -> Nearest {
    assert!(hops.machines() > 0, "a cluster has machines");
    if let Ok(tree) = tree(hops) {
        return Nearest { tree, wrong: Vec::new(), machines: Vec::new() };
    }
    // No tree has them: the search begins from several orders, since an early machine of wrong cells misleads others.
    let costs = Differences::new(hops);
    let mut budget = Budget(WORK);
    let mut best: Option<(i64, Shape)> = None;
    for start in 0..starts(hops.machines()) {
        let mut shape = grow(&costs, &order(hops, start));
        improve(&costs, &mut shape, &mut budget);
        let cost = shape.cost(&costs);
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, shape));
        }
        // Below the price of one pair: none differs, and nothing is nearer.
        if cost < ONE {
            break;
        }
    }
    let (_, shape) = best.expect("at least one start");
    let wrong = wrong_pairs(hops, &shape);
    assert!(!wrong.is_empty(), "hop counts that a tree has were found exactly");
    let machines = culprits(hops.machines(), &wrong);
    Nearest { tree: shape.tree(), wrong, machines }
}

/// How often the search begins anew.
const fn starts(machines: usize) -> u32 {
    match machines {
        0..=3 => 1,
        4..=16 => 24,
        17..=64 => 6,
        _ => 1,
    }
}

/// The order in which machines are put in: by how often their hop counts fit no tree of three; by chance later.
fn order(hops: &Hops, start: u32) -> Vec<usize> {
    let mut order: Vec<usize> = (0..hops.machines()).collect();
    if start == 0 {
        order.sort_by_cached_key(|machine| contradictions(hops, *machine));
    } else {
        let mut stream = Stream::new(0, ORDERS, start);
        order.sort_by_cached_key(|_| stream.bits());
    }
    order
}

/// How many of some thousand pairs of others have with a machine hop counts that no tree has: links between three
/// places add up to an even number, and no way is longer than a detour.
fn contradictions(hops: &Hops, machine: usize) -> usize {
    let machines = hops.machines();
    let stride = machines.div_ceil(45);
    let others = || (0..machines).step_by(stride).filter(move |x| *x != machine);
    let links = |a, b| u64::from(hops.between(a, b)).saturating_sub(1);
    let pairs = others().flat_map(|x| others().filter(move |y| x < *y).map(move |y| (x, y)));
    pairs
        .filter(|(x, y)| {
            let [a, b, c] = [links(machine, *x), links(machine, *y), links(*x, *y)];
            let sum = a + b + c;
            sum % 2 == 1 || a.max(b).max(c) > sum / 2
        })
        .count()
}

fn wrong_pairs(hops: &Hops, shape: &Shape) -> Vec<(usize, usize)> {
    let mut wrong = Vec::new();
    for a in 0..hops.machines() {
        for b in a + 1..hops.machines() {
            if hops.between(a, b) != shape.hops(a, b) {
                wrong.push((a, b));
            }
        }
    }
    wrong
}

/// Machines that all pairs have to do with: greedily those of most pairs that are left.
fn culprits(machines: usize, wrong: &[(usize, usize)]) -> Vec<usize> {
    let mut partners = vec![Vec::new(); machines];
    for (a, b) in wrong {
        partners[*a].push(*b);
        partners[*b].push(*a);
    }
    let mut left: Vec<usize> = partners.iter().map(Vec::len).collect();
    let mut named = vec![false; machines];
    let mut found = Vec::new();
    while let Some(worst) = (0..machines).max_by_key(|machine| (left[*machine], usize::MAX - machine)) {
        if left[worst] == 0 {
            break;
        }
        debug_assert!(!named[worst], "a machine is named once");
        found.push(worst);
        named[worst] = true;
        left[worst] = 0;
        for partner in partners[worst].iter().copied().filter(|partner| !named[*partner]) {
            left[partner] -= 1;
            // For a single pair it is unknown which of the two is at fault: both are named.
            if partners[worst].len() == 1 && partners[partner].len() == 1 {
                found.push(partner);
            }
        }
    }
    found
}

/// What a pair that differs costs; up to 10,000 machines all other costs together are below it, and nothing overflows.
const ONE: i64 = 1 << 36;

/// Trees cost the pairs that differ, then by how much, then their switches.
struct Differences<'a> {
    hops: &'a Hops,
    most: u32,
}

impl Differences<'_> {
    fn new(hops: &Hops) -> Differences<'_> {
        let median = |machine| {
            let mut row = hops.row(machine).to_vec();
            let middle = row.len() / 2;
            *row.select_nth_unstable(middle).1
        };
        // Two machines are within their median hop count of a third, since each is so of half of all.
        let furthest = (0..hops.machines()).map(median).max().unwrap_or(0);
        Differences { hops, most: furthest.saturating_mul(2).clamp(4, LONGEST) }
    }
}

impl Costs for Differences<'_> {
    fn machines(&self) -> usize {
        self.hops.machines()
    }

    fn wanted_hops(&self, a: usize, b: usize) -> u32 {
        self.hops.between(a, b)
    }

    fn pair(&self, a: usize, b: usize, hops: u32) -> i64 {
        // How far off a pair is counts little and up to 7: a wild cell must not outweigh another pair.
        let differs = self.hops.between(a, b).abs_diff(hops);
        if differs == 0 { 0 } else { ONE + (i64::from(differs.min(7)) << 6) }
    }

    fn switch(&self) -> i64 {
        1
    }

    fn most(&self) -> u32 {
        self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if machines were put in by anything but how often they contradict others: three switches in a row with a
    /// machine each, and a fourth machine at the first that is said to be three links from the machine in the middle.
    #[test]
    fn contradictions_are_counted_as_by_hand() {
        let tree = [[0, 1, 2, 0], [1, 0, 1, 1], [2, 1, 0, 2], [0, 1, 2, 0]];
        let right = Hops::new(4, |a, b| tree[a][b] + 1);
        let wrong = Hops::new(4, |a, b| if (a, b) == (1, 3) { 4 } else { tree[a][b] + 1 });
        let counts = |hops| [0, 1, 2, 3].map(|machine| contradictions(hops, machine));
        assert_eq!(counts(&right), [0; 4]);
        // Of 1, 3 and 0: 1, 3 and 0 links, where 3 is more than 1 and 0. Of 1, 3 and 2: 1, 3 and 2, where 3 is as many
        // as 1 and 2: only the first is impossible.
        assert_eq!(counts(&wrong), [1, 1, 0, 1]);
        assert_eq!(order(&wrong, 0)[0], 2);
    }
}
