//! faraj2008, Fig. 2: switches numbered depth first, and the pattern of Lemma 1.

use crate::examples::{cluster, random_trees, tree};
use crate::rows::with_table;
use crate::{Figure, Page, Results, Row};
use simnet_base::ids::{HostId, Node};
use simnet_network::ring::{Tree, judge};
use simnet_network::topology::Network;
use simnet_output::report::sketch::{BLUE, RED, SWITCH, along, switch_spots};
use simnet_output::report::{Anchor, GREY, Pen, Words};

pub(super) const FIGURE: Figure = Figure {
    id: "faraj2008/fig2",
    title: "Fig. 2: DFS numbering of switches",
    scenarios: &[],
    whole_when_quick: true,
    make,
};

/// Eight switches, a machine on each to stand for it; the picture's own tree is not in the text.
fn example() -> Network {
    let switches = ["A", "B", "C", "D", "E", "F", "G", "H"].map(|name| (name, 1));
    cluster(&switches, &[(0, 3), (0, 1), (3, 4), (3, 5), (1, 2), (1, 6), (6, 7)])
}

/// The messages over the two directions of a tree's cables between switches, each switch sending to the next that a
/// depth-first walk reaches.
pub(super) fn loads(tree: &Tree) -> Vec<usize> {
    let order: Vec<HostId> = simnet_network::ring::lr1(tree).hosts;
    let loads = judge(tree, &order).loads;
    let below = tree.switches.iter().filter(|switch| tree.parents[switch.index()].is_some());
    below.flat_map(|switch| [loads[switch.index()].0, loads[switch.index()].1]).collect()
}

fn make(_results: &Results<'_>) -> Page {
    let network = example();
    let tree = tree(&network);
    let mut rows = Vec::new();
    for (number, switch) in tree.switches.iter().enumerate() {
        let name = network.name_of(Node::Switch(*switch));
        rows.push(Row::ours("DFS number", &format!("switch {name}"), "place", Some(number as f64)));
    }
    let of = loads(&tree);
    let count = |value: usize| Some(value as f64);
    rows.push(Row::ours("directions of cables between switches", "example", "channels", count(of.len())));
    rows.push(Row::ours(
        "least messages over one",
        "example",
        "messages",
        of.iter().min().copied().and_then(count),
    ));
    rows.push(Row::ours(
        "most messages over one",
        "example",
        "messages",
        of.iter().max().copied().and_then(count),
    ));
    let (mut trees, mut contended, mut channels) = (0, 0, 0);
    for tree in random_trees(600, 40) {
        let of = loads(&tree);
        trees += 1;
        channels += of.len();
        contended += usize::from(of.iter().any(|load| *load != 1));
    }
    rows.push(Row::ours("trees", "random", "trees", count(trees)));
    rows.push(Row::ours("directions of cables between switches", "random", "channels", count(channels)));
    rows.push(Row::ours("trees where one has not just one message", "random", "trees", count(contended)));
    let shows = with_table(SHOWS, &rows, |row| row.configuration == "random" || row.unit == "messages");
    Page { rows, svg: draw(&network, &tree), shows, differs: DIFFERS.into() }
}

fn draw(network: &Network, tree: &Tree) -> String {
    let mut pen = Pen::titled(
        "DFS numbering of switches",
        "s0 to s7 in the order in which a depth-first walk arrives; messages s0 -> s1 -> ... -> s7 -> \
         s0, the last one in red",
    );
    let spots = switch_spots(tree, (60.0, 110.0));
    let last = tree.switches.len() - 1;
    for (number, switch) in tree.switches.iter().enumerate() {
        let at = spots.of(Node::Switch(*switch));
        if let Some((_, above)) = tree.parents[switch.index()] {
            pen.cable(at, spots.of(Node::Switch(above)));
        }
        pen.switch(at, SWITCH, &format!("s{number}"));
        let name = network.name_of(Node::Switch(*switch));
        pen.text((at.0 - 28.0, at.1 + 4.0), Words::new(11.0).anchor(Anchor::End).colour(GREY), name);
        let machine = |number: usize| tree.machines[tree.switches[number].index()][0];
        let way = along(tree, machine(number), machine((number + 1) % (last + 1)));
        let places: Vec<_> = way[1..way.len() - 1].iter().map(|node| spots.of(*node)).collect();
        pen.message(&places, if number == last { RED } else { BLUE });
    }
    pen.finish_around()
}

const SHOWS: &str = "\
A tree of eight switches numbered in the order in which a depth-first walk arrives at them, and the messages of \
Lemma 1, s0 to s1, s1 to s2 and so on, and back to s0, each over the cables that it takes. Every direction of \
every cable has exactly one: the rows count them here and on 600 random trees of 2 to 25 switches.";

const DIFFERS: &str = "\
- The picture's own tree is not in the text; this is another with eight switches.
- The lemma says that no direction has two messages; each has in fact exactly one.";
