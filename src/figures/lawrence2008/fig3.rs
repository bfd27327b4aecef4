//! lawrence2008, Fig. 3: what distinguishes a switch at the edge of a tree from one within, by hop counts alone.

use super::trees::{random, switch_tree};
use crate::examples::{cluster, tree};
use crate::rows::with_table;
use crate::{Figure, Page, Results, Row};
use simnet_base::ids::HostId;
use simnet_network::discovery::{Hops, SwitchTree};
use simnet_network::topology::Network;
use simnet_output::report::sketch::{GREEN, ORANGE, RED, along, spots};
use simnet_output::report::{GREY, Pen, Words};

pub(super) const FIGURE: Figure = Figure {
    id: "lawrence2008/fig3",
    title: "Fig. 3: the connectivity of the related nodes in G1 and G2",
    scenarios: &[],
    whole_when_quick: true,
    make,
};

/// x_m is machine 0, y_m machine 1, z_m machine 2. In G1 its switch s has one neighbour, and the ways part at
/// a; in G2 its switch x has two.
fn examples() -> [(&'static str, Network); 2] {
    [
        ("G1", cluster(&[("s", 1), ("t", 1), ("r", 1), ("a", 0)], &[(0, 3), (3, 1), (3, 2)])),
        (
            "G2",
            cluster(&[("x", 1), ("ly", 1), ("lz", 1), ("y", 0), ("z", 0)], &[(0, 3), (0, 4), (3, 1), (4, 2)]),
        ),
    ]
}

/// How far H(y, z) is below H(x, y) + H(x, z) - 1.
fn below(hops: &Hops, x: usize, y: usize, z: usize) -> i64 {
    let of = |a, b| i64::from(hops.between(a, b));
    of(x, y) + of(x, z) - 1 - of(y, z)
}

/// What was found over all machines of random trees and pairs of others.
#[derive(Default)]
struct Tally {
    /// Threes whose first machine is on a switch with one neighbour, the others elsewhere.
    at_edge: u64,
    /// Those of them with the equality that G2 has.
    at_edge_equal: u64,
    /// Threes whose first machine is on a switch where the ways to the others part.
    within: u64,
    /// Those of them without the equality.
    within_unequal: u64,
}

impl Tally {
    fn count(&mut self, tree: &SwitchTree) {
        let (hops, near) = (tree.hops(), tree.neighbours());
        for x in 0..hops.machines() {
            let is_edge = near[tree.homes[x] as usize].len() == 1;
            let branch = branches(&near, tree.homes[x]);
            let over = |machine: usize| branch[tree.homes[machine] as usize];
            let away: Vec<usize> =
                (0..hops.machines()).filter(|other| tree.homes[*other] != tree.homes[x]).collect();
            for (nth, y) in away.iter().enumerate() {
                for z in &away[nth + 1..] {
                    let equal = below(&hops, x, *y, *z) == 0;
                    if is_edge {
                        self.at_edge += 1;
                        self.at_edge_equal += u64::from(equal);
                    } else if over(*y) != over(*z) {
                        self.within += 1;
                        self.within_unequal += u64::from(!equal);
                    }
                }
            }
        }
    }
}

/// By switch, which of the switches next to `home` the way to it goes over; `home` itself has none.
fn branches(near: &[Vec<u32>], home: u32) -> Vec<Option<u32>> {
    let mut branch = vec![None; near.len()];
    let mut open: Vec<(u32, u32)> = near[home as usize].iter().map(|next| (*next, *next)).collect();
    while let Some((at, over)) = open.pop() {
        branch[at as usize] = Some(over);
        let on = near[at as usize].iter().filter(|next| **next != home && branch[**next as usize].is_none());
        open.extend(on.map(|next| (*next, over)));
    }
    branch
}

fn make(_results: &Results<'_>) -> Page {
    let mut rows = Vec::new();
    let mut pen = Pen::titled(
        "A switch at the edge, and one within",
        "machine 0 is x_m, 1 y_m, 2 z_m; orange: the way from x_m to y_m, green: to z_m, red: from y_m to z_m",
    );
    let mut left = 40.0;
    for (name, network) in examples() {
        let tree = tree(&network);
        let hops = switch_tree(&tree).hops();
        for (quantity, a, b) in [("H(x, y)", 0, 1), ("H(x, z)", 0, 2), ("H(y, z)", 1, 2)] {
            rows.push(Row::ours(quantity, name, "hops", Some(f64::from(hops.between(a, b)))));
        }
        let less = below(&hops, 0, 1, 2);
        rows.push(Row::ours("H(x, y) + H(x, z) - 1 - H(y, z)", name, "hops", Some(less as f64)));
        let spots = spots(&tree, (left, 120.0));
        pen.text((left, 90.0), Words::new(14.0), name);
        pen.tree(&network, &tree, &spots);
        let ways = [(0, 1, 4.0, ORANGE), (0, 2, 8.0, GREEN), (1, 2, 12.0, RED)];
        for (from, to, aside, colour) in ways {
            let way = along(&tree, HostId(from), HostId(to));
            let places: Vec<_> = way.iter().map(|node| spots.of(*node)).collect();
            pen.message_offset(&places, aside, colour);
        }
        let [xy, xz, yz] = [(0, 1), (0, 2), (1, 2)].map(|(a, b)| hops.between(a, b));
        let sign = if less > 0 { "<" } else { "=" };
        let text = format!("H(y,z) = {yz} {sign} {xy} + {xz} - 1");
        pen.text((left, spots.corner.1 + 44.0), Words::new(13.0).colour(GREY), &text);
        left = spots.corner.0 + 120.0;
    }
    let mut tally = Tally::default();
    random(60, 14).for_each(|tree| tally.count(&tree));
    let row = |quantity: &str, value: u64| {
        Row::ours(quantity, "random trees", "threes of machines", Some(value as f64))
    };
    rows.push(row("x on a switch with one neighbour", tally.at_edge));
    rows.push(row("of these with equality, against the proof", tally.at_edge_equal));
    rows.push(row("x where the ways part", tally.within));
    rows.push(row("of these without equality, against the proof", tally.within_unequal));
    let shows = with_table(SHOWS, &rows, |row| row.configuration == "random trees");
    Page { rows, svg: pen.finish_around(), shows, differs: DIFFERS.into() }
}

const SHOWS: &str = "\
The step of Theorem 1's proof that Fig. 3 draws: where x_m's switch has one neighbour (G1), H(y, z) is less than \
H(x, y) + H(x, z) - 1; where the ways to y_m and z_m part at x_m's switch (G2), it is equal, so that hop counts \
tell one from the other. The rows count both on examples and on every three machines of 60 random trees.";

const DIFFERS: &str = "\
- The picture is not in the text, which describes the general case; these are the smallest trees of each kind \
(in G2 with y and \
ly, z and lz apart).";
