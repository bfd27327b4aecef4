//! lawrence2008, Fig. 5: how the tree of Fig. 1 is found.

use super::peeling::{found, name, names, rounds};
use super::trees::switch_tree;
use crate::examples::low_tree;
use crate::rows::with_table;
use crate::{Figure, Page, Results, Row};
use simnet_network::topology::presets;
use simnet_output::report::sketch::ORANGE;
use simnet_output::report::sketch::{MACHINE, SWITCH};
use simnet_output::report::{GREY, Pen, Spot, Words};

pub(super) const FIGURE: Figure = Figure {
    id: "lawrence2008/fig5",
    title: "Fig. 5: an example for topology calculation",
    scenarios: &[],
    whole_when_quick: true,
    make,
};

fn make(_results: &Results<'_>) -> Page {
    let network = presets::load("lawrence-fig1").expect("the preset is there");
    let hops = switch_tree(&low_tree(&network)).hops();
    let machines = hops.machines();
    let rounds = rounds(&hops);
    let mut rows = Vec::new();
    for (round, panel) in rounds.iter().zip(["(a)", "(b)", "(c)"]) {
        let of = |quantity: &str, unit: &str, value: f64| Row::ours(quantity, panel, unit, Some(value));
        rows.push(of("nodes left", "nodes", round.nodes.len() as f64));
        rows.push(of("largest distance left", "hops", f64::from(round.largest)));
        rows.push(of("nodes that become one", "nodes", round.joined.len() as f64));
    }
    let tree = found(machines, &rounds);
    let same = Some(f64::from(u8::from(tree.hops() == hops)));
    rows.push(Row::ours("switches found", "Fig. 1", "switches", Some(f64::from(tree.switches))));
    rows.push(Row::ours("hop counts come back", "Fig. 1", "yes = 1", same));
    let mut pen = Pen::titled(
        "The tree of Fig. 1 shrinks to one switch",
        "what is left in each round: machines, and as blank circles the switches that stand for what was \
         found; orange joins next",
    );
    for (nth, (round, panel)) in rounds.iter().zip(["(a)", "(b)", "(c)"]).enumerate() {
        let left = 40.0 + 330.0 * nth as f64;
        pen.text((left, 90.0), Words::new(14.0), panel);
        // The switches that are not yet found, in a row: those of the tree with some node left.
        let homes: Vec<u32> = round.nodes.iter().map(|node| home(&tree, machines, *node)).collect();
        let mut switches: Vec<u32> = homes.clone();
        switches.extend(tree.links.iter().filter(|(a, _)| homes.contains(a)).map(|(_, b)| *b));
        switches.sort_unstable_by_key(|switch| place(&tree, *switch));
        switches.dedup();
        let spot = |switch: u32| -> Spot {
            let place = switches.iter().position(|other| *other == switch).unwrap_or(0);
            (left + 40.0 + 100.0 * place as f64, 130.0)
        };
        for (a, b) in tree.links.iter().filter(|(a, b)| switches.contains(a) && switches.contains(b)) {
            pen.cable(spot(*a), spot(*b));
        }
        for switch in &switches {
            pen.switch(spot(*switch), SWITCH, &format!("s{switch}"));
        }
        let mut placed = vec![0.0; tree.switches as usize];
        for (node, home) in round.nodes.iter().zip(&homes) {
            let at = spot(*home);
            let nth = &mut placed[*home as usize];
            let here = (at.0 - 24.0 + 32.0 * *nth, 210.0);
            *nth += 1.0;
            pen.cable(at, here);
            let (fill, text) = match node.checked_sub(machines) {
                None => (MACHINE, node.to_string()),
                Some(_) => ("#ffffff", String::new()),
            };
            pen.machine(here, if round.joined.contains(node) { "#f6c9a8" } else { fill }, &text);
        }
        let text = format!("{} become {}", names(machines, &round.joined), name(machines, round.switch));
        pen.text((left, 262.0), Words::new(12.0).colour(ORANGE), &text);
    }
    pen.text(
        (40.0, 292.0),
        Words::new(12.0).colour(GREY),
        "switches are numbered in the order in which they are found",
    );
    let shows = with_table(SHOWS, &rows, |row| row.configuration == "Fig. 1");
    Page { rows, svg: pen.finish_around(), shows, differs: DIFFERS.into() }
}

/// The switch that a node hangs from in the tree that is found.
fn home(tree: &simnet_network::discovery::SwitchTree, machines: usize, node: usize) -> u32 {
    match node.checked_sub(machines) {
        None => tree.homes[node],
        Some(switch) => {
            let above = tree.links.iter().find(|(a, _)| *a as usize == switch);
            above.map_or(0, |(_, above)| *above)
        }
    }
}

/// Where a switch stands in a row: by its least machine.
fn place(tree: &simnet_network::discovery::SwitchTree, switch: u32) -> usize {
    tree.homes.iter().position(|home| *home == switch).unwrap_or(usize::MAX)
}

const SHOWS: &str = "\
Fig. 4's algorithm on the hop counts of Fig. 1: two machines at the end of a longest path become a switch (a), the \
switch is a leaf in their place (b), and when only distances of one are left the last switch is found (c). Drawn \
from the rounds that the algorithm goes through here.";

const DIFFERS: &str = "\
- The text calls the switches s0, s1 and s2; here they are numbered as found. It lets either end of the longest \
path go first; here the first in the order of machines does.";
