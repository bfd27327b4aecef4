//! Why hop counts are those of no tree.

use super::Hops;

/// The most switches that a tree may need.
const MOST_SWITCHES: u64 = 65_536;

/// Why no tree has some hop counts, by the numbers of the machines that show it.
///
/// `hops` are in the order of the pairs ab, ac, bc, ad, bd, cd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoTree {
    /// No switch at all is between a and b.
    Apart {
        /// Which.
        machines: [usize; 2],
    },
    /// The path from a to c has more switches than that from a by way of b's switch. Where two machines on one switch
    /// differ in how far a third is, it shows here.
    Triangle {
        /// Machines a, b and c.
        machines: [usize; 3],
        /// Their hop counts.
        hops: [u32; 3],
    },
    /// The switches between a, b and c are even in sum: there is none where their three paths could meet.
    Parity {
        /// Machines a, b and c.
        machines: [usize; 3],
        /// Their hop counts.
        hops: [u32; 3],
    },
    /// Of ab + cd, ac + bd and ad + bc one alone is the largest: paths between these four meet in a cycle.
    FourPoints {
        /// Machines a, b, c and d.
        machines: [usize; 4],
        /// Their hop counts.
        hops: [u32; 6],
    },
    /// A tree has them, but of more switches than 65,536.
    TooManySwitches {
        /// How many.
        switches: u64,
    },
}

impl NoTree {
    /// The machines that show it, none of which can be left out.
    pub fn machines(&self) -> &[usize] {
        match self {
            NoTree::Apart { machines } => machines,
            NoTree::Triangle { machines, .. } | NoTree::Parity { machines, .. } => machines,
            NoTree::FourPoints { machines, .. } => machines,
            NoTree::TooManySwitches { .. } => &[],
        }
    }

    /// Says it in a sentence without a full stop; `names` are the machines'.
    ///
    /// # Panics
    /// If a machine has no name.
    pub fn describe(&self, names: &[String]) -> String {
        let name = |machine: &usize| format!("`{}`", names[*machine]);
        match self {
            NoTree::Apart { machines: [a, b] } => {
                format!("there is no switch between {} and {}", name(a), name(b))
            }
            NoTree::Triangle { machines: [a, b, c], hops: [ab, ac, bc] } => {
                let (a, b, c) = (name(a), name(b), name(c));
                let way = u64::from(*ab) + u64::from(*bc) - 1;
                format!(
                    "{a} and {c} are {ac} switches apart, but by way of {b} only {way} ({a} to {b} {ab}, {b} to \
                     {c} {bc})"
                )
            }
            NoTree::Parity { machines: [a, b, c], hops: [ab, ac, bc] } => {
                let (a, b, c) = (name(a), name(b), name(c));
                format!(
                    "no switch is where the paths between {a}, {b} and {c} could meet: {ab} switches from {a} to \
                     {b}, {ac} from {a} to {c}, {bc} from {b} to {c}, an even sum"
                )
            }
            NoTree::FourPoints { machines: [a, b, c, d], hops: [ab, ac, bc, ad, bd, cd] } => {
                let (a, b, c, d) = (name(a), name(b), name(c), name(d));
                let sum = |one: &u32, other: &u32| u64::from(*one) + u64::from(*other);
                format!(
                    "paths between {a}, {b}, {c} and {d} meet in a cycle: switches {a} to {b} and {c} to {d} {}, \
                     {a} to {c} and {b} to {d} {}, {a} to {d} and {b} to {c} {}; in a tree the two largest sums are \
                     equal",
                    sum(ab, cd),
                    sum(ac, bd),
                    sum(ad, bc)
                )
            }
            NoTree::TooManySwitches { switches } => {
                format!("a tree of them has {switches} switches, and more than {MOST_SWITCHES} are not built")
            }
        }
    }
}

/// How many switches the tree of these hop counts has.
///
/// Looks from machine 0. For machines x and y, `m(x, y) = (h(0,x) + h(0,y) - h(x,y) - 1) / 2` is how many
/// switches after the first their paths from machine 0 have in common. A tree has the hop counts exactly if m is
/// whole, neither below 0 nor above what one of the two paths has, and `m(x,z) >= min(m(x,y), m(y,z))` for all
/// three: hop counts less one are then distances in a tree (the four-point condition for quadruples with one
/// point in common implies all others), and every place where paths part is a switch. Machine x is compared with
/// the nearest before it only, y of the largest m(x,y): then m(x,z) must be min(m(x,y), m(y,z)). Costs
/// O(machines²).
///
/// # Errors
/// What is wrong with some three or four machines, or that the tree would be too large.
pub(super) fn switches(hops: &Hops) -> Result<u64, NoTree> {
    if hops.machines() == 0 {
        return Ok(0);
    }
    // One machine at a time: with x, the tree grows by the switches of its path that are on no path before it.
    let mut switches = 1_u64;
    for x in 1..hops.machines() {
        for y in 0..x {
            triple(hops, [0, y, x])?;
        }
        let row = hops.row(x);
        let common = |y: usize| common(hops, row, x, y);
        let nearest = (0..x).max_by_key(|y| (common(*y), std::cmp::Reverse(*y))).expect("x is not the first");
        let most = common(nearest);
        let row_of_nearest = hops.row(nearest);
        let differs = |z: &usize| {
            *z != nearest && common(*z) != most.min(self::common(hops, row_of_nearest, nearest, *z))
        };
        if let Some(z) = (0..x).find(differs) {
            // Three machines say more than four, where they are enough.
            triple(hops, [x, nearest, z])?;
            return Err(four_points(hops, [0, x, nearest, z]));
        }
        switches +=
            u64::try_from(i64::from(row[0]) - 1 - most).expect("no path has fewer switches than in common");
    }
    if switches > MOST_SWITCHES { Err(NoTree::TooManySwitches { switches }) } else { Ok(switches) }
}

/// How many switches after the first the paths from machine 0 to x and y have in common; `row` is x's.
fn common(hops: &Hops, row: &[u32], x: usize, y: usize) -> i64 {
    let from_first = |machine: usize| if machine == 0 { 1 } else { i64::from(hops.row(0)[machine]) };
    let between = if x == y { 1 } else { i64::from(row[y]) };
    (from_first(x) + from_first(y) - between - 1) / 2
}

/// What is wrong with some machines, two of which may be the same.
fn triple(hops: &Hops, machines: [usize; 3]) -> Result<(), NoTree> {
    let [a, b, c] = machines;
    let pairs = [(a, b), (a, c), (b, c)];
    if let Some((a, b)) = pairs.into_iter().find(|(a, b)| a != b && hops.between(*a, *b) == 0) {
        return Err(NoTree::Apart { machines: [a, b] });
    }
    if a == b || a == c || b == c {
        return Ok(());
    }
    let found = pairs.map(|(a, b)| hops.between(a, b));
    let [ab, ac, bc] = found.map(u64::from);
    // Links are hop counts less one: ac - 1 > (ab - 1) + (bc - 1) is the triangle's inequality broken.
    if ac > ab + bc - 1 {
        return Err(NoTree::Triangle { machines, hops: found });
    }
    if ab > ac + bc - 1 {
        return Err(NoTree::Triangle { machines: [a, c, b], hops: [found[1], found[0], found[2]] });
    }
    if bc > ab + ac - 1 {
        return Err(NoTree::Triangle { machines: [b, a, c], hops: [found[0], found[2], found[1]] });
    }
    if (ab + ac + bc) % 2 == 0 { Err(NoTree::Parity { machines, hops: found }) } else { Ok(()) }
}

/// That four machines meet in a cycle, which they do.
fn four_points(hops: &Hops, mut machines: [usize; 4]) -> NoTree {
    machines.sort_unstable();
    let [a, b, c, d] = machines;
    let hops = [(a, b), (a, c), (b, c), (a, d), (b, d), (c, d)].map(|(a, b)| hops.between(a, b));
    let [ab, ac, bc, ad, bd, cd] = hops.map(u64::from);
    let mut sums = [ab + cd, ac + bd, ad + bc];
    sums.sort_unstable();
    assert!(sums[1] < sums[2], "in a tree the two largest sums are equal: what is refused has no tree");
    NoTree::FourPoints { machines, hops }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a sentence named other machines than the counts are of.
    #[test]
    fn refusals_name_the_machines() {
        let names = ["a", "b", "c", "d"].map(str::to_owned);
        let message = |rows: [[u32; 4]; 4], machines: usize| {
            let why = switches(&Hops::new(machines, |a, b| rows[a][b])).unwrap_err();
            why.describe(&names)
        };
        let cells =
            |ab, ac, bc, ad, bd, cd| [[0, ab, ac, ad], [ab, 0, bc, bd], [ac, bc, 0, cd], [ad, bd, cd, 0]];
        assert_eq!(message(cells(0, 1, 1, 0, 0, 0), 3), "there is no switch between `a` and `b`");
        assert_eq!(
            message(cells(1, 1, 2, 0, 0, 0), 3),
            "`b` and `c` are 2 switches apart, but by way of `a` only 1 (`b` to `a` 1, `a` to `c` 1)"
        );
        assert_eq!(
            message(cells(2, 2, 2, 0, 0, 0), 3),
            "no switch is where the paths between `a`, `b` and `c` could meet: 2 switches from `a` to `b`, 2 from `a` \
             to `c`, 2 from `b` to `c`, an even sum"
        );
        assert_eq!(
            message(cells(2, 3, 2, 2, 3, 2), 4),
            "paths between `a`, `b`, `c` and `d` meet in a cycle: switches `a` to `b` and `c` to `d` 4, `a` to `c` and \
             `b` to `d` 6, `a` to `d` and `b` to `c` 4; in a tree the two largest sums are equal"
        );
    }
}
