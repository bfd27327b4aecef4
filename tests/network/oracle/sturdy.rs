//! The nearest tree of hop counts that no tree has, and the sturdier inference from round-trip times.

mod sure;
mod times;

use simnet_base::des::random::{Purpose, Stream};
use simnet_network::discovery::{Hops, SwitchTree, nearest};

use support_network::cases;

const CHANCE: Purpose = Purpose(106);

fn below(stream: &mut Stream, bound: usize) -> usize {
    usize::try_from(stream.below(bound as u64)).unwrap()
}

/// A random tree: every switch hangs from one before it, machines fall on switches by chance, at least `least` on
/// each leaf.
pub(crate) fn random_tree(stream: &mut Stream, switches: usize, machines: usize, least: usize) -> SwitchTree {
    let parents: Vec<usize> = (1..switches).map(|n| below(stream, n)).collect();
    let mut homes: Vec<u32> = Vec::new();
    for switch in 0..switches {
        let cables = parents.iter().filter(|p| **p == switch).count() + usize::from(switch > 0);
        if cables <= 1 {
            homes.extend(vec![u32::try_from(switch).unwrap(); least.max(1)]);
        }
    }
    while homes.len() < machines {
        homes.push(u32::try_from(below(stream, switches)).unwrap());
    }
    // Machines in no order.
    homes.sort_by_cached_key(|_| stream.bits());
    let links = (1_u32..).zip(&parents).map(|(n, p)| (u32::try_from(*p).unwrap(), n)).collect();
    SwitchTree { homes, switches: u32::try_from(switches).unwrap(), links }
}

/// These hop counts, but for some pairs.
fn spoilt(hops: &Hops, cells: &[(usize, usize, u32)]) -> Hops {
    Hops::new(hops.machines(), |a, b| {
        let other = cells.iter().find(|(x, y, _)| (*x, *y) == (a, b) || (*x, *y) == (b, a));
        other.map_or(hops.between(a, b), |(.., hops)| *hops)
    })
}

/// The fewest wrong pairs that any tree has, machine by machine in every place, with a bound.
struct AllTrees<'a> {
    wanted: &'a Hops,
    best: usize,
}

impl AllTrees<'_> {
    /// `links[s][t]` between switches, `homes` of the machines so far.
    fn try_from(&mut self, links: &[Vec<u32>], homes: &[usize], wrong: usize) {
        if wrong >= self.best {
            return;
        }
        let machine = homes.len();
        if machine == self.wanted.machines() {
            self.best = wrong;
            return;
        }
        let longest = self.wanted.row(machine)[..machine].iter().max().unwrap();
        for switch in 0..links.len() {
            for more in 0..*longest {
                let hops = |x: usize| links[switch][homes[x]] + more + 1;
                let new = (0..machine).filter(|x| hops(*x) != self.wanted.between(machine, *x)).count();
                let mut longer = links.to_vec();
                for _ in 0..more {
                    let at = if longer.len() == links.len() { switch } else { longer.len() - 1 };
                    let mut row: Vec<u32> = longer[at].iter().map(|n| n + 1).collect();
                    longer.iter_mut().zip(&row).for_each(|(other, n)| other.push(*n));
                    row.push(0);
                    longer.push(row);
                }
                let home = if more == 0 { switch } else { longer.len() - 1 };
                let homes: Vec<usize> = homes.iter().copied().chain([home]).collect();
                self.try_from(&longer, &homes, wrong + new);
            }
        }
    }
}

fn fewest_wrong(wanted: &Hops, bound: usize) -> usize {
    let mut all = AllTrees { wanted, best: bound + 1 };
    all.try_from(&[vec![0]], &[0], 0);
    all.best
}

/// Wrong if some tree of few machines were clearly nearer to arbitrary hop counts than the one found.
#[test]
fn nearest_is_hardly_ever_beaten_by_any_tree() {
    let (mut tried, mut beaten) = (0, 0);
    for case in 0..cases(4_000) {
        let mut stream = Stream::new(case, CHANCE, 0);
        let machines = 3 + below(&mut stream, 4);
        let most = if machines == 6 { 3 } else { 4 };
        let wanted = Hops::new(machines, |_, _| 1 + u32::try_from(below(&mut stream, most)).unwrap());
        let found = nearest(&wanted);
        let best = fewest_wrong(&wanted, found.wrong.len());
        tried += 1;
        beaten += usize::from(best < found.wrong.len());
        assert!(found.wrong.len() <= best + 1, "seed {case}: {} against {best}", found.wrong.len());
    }
    println!("{beaten} of {tried} beaten");
    assert!(beaten * 50 <= tried, "{beaten} of {tried} beaten");
}

/// Wrong if hop counts of a tree gave another tree.
#[test]
fn a_trees_own_hop_counts_give_it_back() {
    for case in 0..cases(2_000) {
        let mut stream = Stream::new(case, CHANCE, 1);
        let (switches, machines) = (1 + below(&mut stream, 30), 1 + below(&mut stream, 60));
        let hops = random_tree(&mut stream, switches, machines, 1).hops();
        let found = nearest(&hops);
        assert_eq!((&found.wrong, &found.machines), (&vec![], &vec![]), "seed {case}");
        assert_eq!(found.tree.hops(), hops, "seed {case}");
    }
}

/// Wrong if a few wrong cells hid the tree, though every leaf has two machines, or innocent machines were named.
#[test]
fn wrong_cells_are_found_and_their_machines_named() {
    let (mut tried, mut same) = (0, 0);
    for case in 0..cases(4_000) {
        let mut stream = Stream::new(case, CHANCE, 2);
        let (switches, machines) = (2 + below(&mut stream, 8), 8 + below(&mut stream, 24));
        let tree = random_tree(&mut stream, switches, machines, 2);
        let hops = tree.hops();
        let machines = hops.machines();
        let mut cells: Vec<(usize, usize, u32)> = Vec::new();
        for _ in 0..1 + below(&mut stream, machines / 4) {
            let (a, b) = (below(&mut stream, machines), below(&mut stream, machines));
            let more = 1 + u32::try_from(below(&mut stream, 4)).unwrap();
            if a != b && !cells.iter().any(|(x, y, _)| (*x, *y) == (a.min(b), a.max(b))) {
                let was = hops.between(a, b);
                let hops = if was > more && stream.below(2) == 0 { was - more } else { was + more };
                cells.push((a.min(b), a.max(b), hops));
            }
        }
        let found = nearest(&spoilt(&hops, &cells));
        assert!(found.wrong.len() <= cells.len(), "seed {case}: {} of {}", found.wrong.len(), cells.len());
        tried += 1;
        if found.tree.hops() == hops {
            same += 1;
            let mut wrong: Vec<_> = cells.iter().map(|(a, b, _)| (*a, *b)).collect();
            wrong.sort_unstable();
            assert_eq!(found.wrong, wrong, "seed {case}");
            for (a, b) in wrong {
                assert!(found.machines.contains(&a) || found.machines.contains(&b), "seed {case}");
            }
        }
    }
    println!("{same} of {tried} as they were");
    // Two machines alone on two switches that hang from one place may as well be further from each other.
    assert!(same * 100 >= tried * 97, "{same} of {tried} as they were");
}

/// Wrong if a machine whose whole row is nonsense dragged others along, or were not the one named.
#[test]
fn a_machine_with_nonsense_hop_counts_is_named() {
    for case in 0..cases(2_000) {
        let mut stream = Stream::new(case, CHANCE, 3);
        let (switches, machines) = (1 + below(&mut stream, 12), 6 + below(&mut stream, 30));
        let hops = random_tree(&mut stream, switches, machines, 2).hops();
        let machines = hops.machines();
        let bad = below(&mut stream, machines);
        let others = (0..machines).filter(|x| *x != bad);
        let cells: Vec<_> =
            others.map(|x| (bad, x, 1 + u32::try_from(below(&mut stream, 9)).unwrap())).collect();
        let found = nearest(&spoilt(&hops, &cells));
        let theirs = found.tree.hops();
        for a in (0..machines).filter(|a| *a != bad) {
            for b in (0..machines).filter(|b| *b != bad && *b != a) {
                assert_eq!(theirs.between(a, b), hops.between(a, b), "seed {case}: {a} to {b}");
            }
        }
        assert!(found.machines == [bad] || found.machines.is_empty(), "seed {case}: {:?}", found.machines);
    }
}

/// Wrong if absurd hop counts made it panic, grow without bound, or differ from run to run.
#[test]
fn absurd_hop_counts_have_a_nearest_tree_too() {
    for case in 0..cases(400) {
        let mut stream = Stream::new(case, CHANCE, 4);
        let machines = 1 + below(&mut stream, 20);
        let hops = Hops::new(machines, |_, _| u32::try_from(stream.below(1 << 32)).unwrap() >> (case % 32));
        let found = nearest(&hops);
        assert_eq!(found.tree.homes.len(), machines);
        assert_eq!(found.tree.links.len() + 1, found.tree.switches as usize);
        assert_eq!(found, nearest(&hops));
    }
}
