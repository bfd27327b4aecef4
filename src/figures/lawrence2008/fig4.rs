//! lawrence2008, Fig. 4: the algorithm for the tree topology, round by round.

use super::peeling::{Round, found, name, names, rounds};
use super::trees::{random, switch_tree};
use crate::examples::{cluster, low_tree};
use crate::rows::with_table;
use crate::{Figure, Page, Results, Row};
use simnet_network::discovery;
use simnet_network::topology::Network;
use simnet_output::report::sketch::spots;
use simnet_output::report::{GREY, Pen, Words};

pub(super) const FIGURE: Figure = Figure {
    id: "lawrence2008/fig4",
    title: "Fig. 4: the algorithm for tree topology",
    scenarios: &[],
    whole_when_quick: true,
    make,
};

/// Nine machines on six switches, one of them without a machine.
fn example() -> Network {
    cluster(
        &[("A", 1), ("B", 2), ("C", 0), ("D", 2), ("E", 3), ("F", 1)],
        &[(0, 1), (0, 2), (2, 3), (2, 4), (4, 5)],
    )
}

fn make(_results: &Results<'_>) -> Page {
    let network = example();
    let tree = low_tree(&network);
    let hops = switch_tree(&tree).hops();
    let rounds_of = rounds(&hops);
    let mut rows = Vec::new();
    for (nth, round) in (1..).zip(&rounds_of) {
        let row = |quantity: &str, unit: &str, value: f64| {
            Row::ours(quantity, "example", unit, Some(value)).at(f64::from(nth))
        };
        rows.push(row("largest distance left", "hops", f64::from(round.largest)));
        rows.push(row("nodes left", "nodes", round.nodes.len() as f64));
        rows.push(row("nodes of A", "nodes", round.joined.len() as f64));
    }
    let own = |machines: usize, rounds: &[Round]| found(machines, rounds);
    let machines = hops.machines();
    let is_back = own(machines, &rounds_of).hops() == hops;
    rows.push(Row::ours("hop counts come back", "example", "yes = 1", Some(f64::from(u8::from(is_back)))));
    let (mut trees, mut wrong, mut differ) = (0, 0, 0);
    for tree in random(400, 40) {
        let hops = tree.hops();
        let literal = own(hops.machines(), &rounds(&hops));
        trees += 1;
        wrong += u32::from(literal.hops() != hops || literal.switches != tree.switches);
        let ours = discovery::tree(&hops);
        differ += u32::from(!ours.is_ok_and(|ours| ours.switches == literal.switches && ours.hops() == hops));
    }
    let row =
        |quantity: &str, value: u32| Row::ours(quantity, "random trees", "trees", Some(f64::from(value)));
    rows.push(row("trees", trees));
    rows.push(row("trees that Fig. 4 does not give back", wrong));
    rows.push(row("trees that the simulator's discovery does not give back", differ));
    let shows = with_table(SHOWS, &rows, |row| row.configuration == "random trees");
    Page { rows, svg: draw(&network, &rounds_of), shows, differs: DIFFERS.into() }
}

fn draw(network: &Network, rounds: &[Round]) -> String {
    let tree = low_tree(network);
    let machines = network.hosts().len();
    let mut pen = Pen::titled(
        "From hop counts to the tree, round by round",
        "above: the tree whose hop counts go in; below: what each round of the loop does with them",
    );
    let spots = spots(&tree, (40.0, 100.0));
    pen.tree(network, &tree, &spots);
    let columns = [40.0, 110.0, 190.0, 250.0, 470.0, 560.0];
    let heads = ["round", "largestd", "n", "A", "becomes", "nodes left before the round"];
    let mut y = spots.corner.1 + 56.0;
    for (x, head) in columns.iter().zip(heads) {
        pen.text((*x, y), Words::new(12.0).colour(GREY), head);
    }
    for (nth, round) in (1..).zip(rounds) {
        y += 24.0;
        let cells = [
            format!("{nth}"),
            round.largest.to_string(),
            round.node.map_or_else(String::new, |node| name(machines, node)),
            names(machines, &round.joined),
            name(machines, round.switch),
            names(machines, &round.nodes),
        ];
        for (x, cell) in columns.iter().zip(cells) {
            pen.text((*x, y), Words::new(13.0), &cell);
        }
    }
    pen.text(
        (40.0, y + 34.0),
        Words::new(12.0).colour(GREY),
        "n0 is machine 0; s0, s1, ... are the switches as the algorithm finds and numbers them",
    );
    pen.finish_around()
}

const SHOWS: &str = "\
The algorithm of Fig. 4, as printed with its matrices, on the hop counts of nine machines on six switches: a \
machine n at the end of a longest path and all at one hop from it become a switch, which takes their place as a \
leaf one hop nearer. The rows compare it with the simulator's own discovery on 400 random trees of up to 25 \
switches.";

const DIFFERS: &str = "\
- Line 11 reads \"all nodes whose distances to n are 1's\"; n itself must be among them, or it would stay.
- The simulator's discovery keeps no matrices (a step costs O(N) in place of O(N x N)) and refuses hop counts that \
no tree has; it gives the same trees.";
