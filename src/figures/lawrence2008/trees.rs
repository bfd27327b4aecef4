//! Trees of switches from examples and at random, and matrices of their hop counts as drawings.

use crate::examples::random_trees;
use simnet_network::discovery::{Hops, SwitchTree};
use simnet_network::ring::Tree;
use simnet_output::report::sketch::SHADES;
use simnet_output::report::{Anchor, GREY, Pen, Spot, Words};

/// A spanning tree as a tree of switches, numbered in the order of its walk.
pub(super) fn switch_tree(tree: &Tree) -> SwitchTree {
    let mut numbers = vec![0; tree.parents.len()];
    for (number, switch) in (0..).zip(&tree.switches) {
        numbers[switch.index()] = number;
    }
    let above = |switch: &simnet_base::ids::SwitchId| {
        tree.parents[switch.index()].map(|(_, above)| (numbers[above.index()], numbers[switch.index()]))
    };
    SwitchTree {
        homes: tree.homes.iter().map(|home| numbers[home.index()]).collect(),
        switches: u32::try_from(tree.switches.len()).unwrap_or(u32::MAX),
        links: tree.switches.iter().filter_map(above).collect(),
    }
}

/// So many random trees of `machines` machines on 2 to 25 switches.
pub(super) fn random(count: u64, machines: u64) -> impl Iterator<Item = SwitchTree> {
    random_trees(count, machines).map(|tree| switch_tree(&tree))
}

/// The mean hop count over the ordered pairs of different machines.
pub(super) fn mean(hops: &Hops) -> f64 {
    let machines = hops.machines();
    let sum: u32 = (0..machines).flat_map(|machine| hops.row(machine)).sum();
    f64::from(sum) / (machines * (machines - 1)) as f64
}

/// The shade of a hop count, from 1.
pub(super) fn shade(hops: u32) -> &'static str {
    match usize::try_from(hops) {
        Ok(0) | Err(_) => "#f2f2f2",
        Ok(hops) => SHADES[(hops - 1) % SHADES.len()],
    }
}

/// A square matrix with its name above, the numbers of rows and columns along its sides, each cell's text and shade.
pub(super) fn matrix(
    pen: &mut Pen,
    (left, top): Spot,
    name: &str,
    size: usize,
    cell: impl Fn(usize, usize) -> (String, &'static str),
) {
    let numbers = Words::new(11.0).colour(GREY);
    pen.text((left, top - 28.0), Words::new(13.0), name);
    for from in 0..size {
        let y = top + 26.0 * from as f64;
        pen.text((left - 6.0, y + 17.0), numbers.anchor(Anchor::End), &from.to_string());
        pen.text((left + 46.0 * from as f64 + 23.0, top - 6.0), numbers.middle(), &from.to_string());
        for to in 0..size {
            let (text, fill) = cell(from, to);
            pen.cell((left + 46.0 * to as f64, y), (46.0, 26.0), fill, &text);
        }
    }
}
