//! faraj2008, Fig. 4: Algorithm 2's logical array of an intermediate switch.

use crate::examples::{
    COLOUR_NOTE, array, cluster, colour, depth, longest_within, random_trees, subtree, tree,
};
use crate::rows::with_table;
use crate::{Figure, Page, Results, Row};
use simnet_base::ids::{HostId, Node, SwitchId};
use simnet_network::ring::{Ring, Tree, lr2, lr3};
use simnet_network::topology::Network;
use simnet_output::report::sketch::{SHADES, along, spots};
use simnet_output::report::{GREY, Pen, Words};

pub(super) const FIGURE: Figure = Figure {
    id: "faraj2008/fig4",
    title: "Fig. 4: constructing the logical array for an intermediate switch",
    scenarios: &[],
    whole_when_quick: true,
    make,
};

/// The intermediate switch of the example.
const MIDDLE: SwitchId = SwitchId(1);

/// A root with one machine, below it the switch A with five machines, and below A three switches with 2, 3 and 1.
fn example() -> Network {
    cluster(&[("R", 1), ("A", 5), ("t0", 2), ("t1", 3), ("t2", 1)], &[(0, 1), (1, 2), (1, 3), (1, 4)])
}

/// What Algorithm 2's array of a switch below the root is.
struct Array {
    machines: Vec<HostId>,
    longest: usize,
    /// Whether its first and its last machine are on the switch itself.
    ends_are_own: bool,
}

fn array_of(tree: &Tree, ring: &Ring, switch: SwitchId) -> Option<Array> {
    let machines = array(&ring.hosts, &subtree(tree, switch))?;
    let is_own = |host: Option<&HostId>| host.is_some_and(|host| tree.homes[host.index()] == switch);
    let ends_are_own = is_own(machines.first()) && is_own(machines.last());
    Some(Array { longest: longest_within(tree, &machines), ends_are_own, machines })
}

fn make(_results: &Results<'_>) -> Page {
    let network = example();
    let tree = tree(&network);
    let ring = lr2(&tree).expect("every switch of the example has as many machines as switches next to it");
    let mut rows = Vec::new();
    for switch in tree.switches.iter().filter(|switch| **switch != tree.root) {
        let name = network.name_of(Node::Switch(*switch)).to_owned();
        let Some(array) = array_of(&tree, &ring, *switch) else { continue };
        let row =
            |quantity: &str, unit: &str, value: usize| Row::ours(quantity, &name, unit, Some(value as f64));
        rows.push(row("machines in the array", "machines", array.machines.len()));
        rows.push(row("longest path in the array", "switches", array.longest));
        rows.push(row(
            "first and last machine on the switch itself",
            "yes = 1",
            usize::from(array.ends_are_own),
        ));
    }
    let (mut arrays, mut broken, mut agree, mut differ) = (0, 0, [0, 0], 0);
    for tree in random_trees(600, 60) {
        let best = lr3(&tree).max_path_length;
        let Ok(ring) = lr2(&tree) else {
            agree[1] += usize::from(best > 2);
            differ += usize::from(best <= 2);
            continue;
        };
        agree[0] += usize::from(best <= 2);
        differ += usize::from(best > 2);
        for switch in tree.switches.iter().filter(|switch| **switch != tree.root) {
            let array = array_of(&tree, &ring, *switch);
            arrays += 1;
            broken += usize::from(!array.is_some_and(|array| array.longest <= 2 && array.ends_are_own));
        }
    }
    let row = |quantity: &str, unit: &str, value: usize| {
        Row::ours(quantity, "random trees", unit, Some(value as f64))
    };
    rows.push(row("arrays of Algorithm 2", "arrays", arrays));
    rows.push(row("arrays that break one of the three conditions", "arrays", broken));
    rows.push(row("trees with Theorem 2's condition and a best ring of 2 hops or 1", "trees", agree[0]));
    rows.push(row("trees without it and a best ring of 3 hops or more", "trees", agree[1]));
    rows.push(row("trees against Theorem 2", "trees", differ));
    let shows = with_table(SHOWS, &rows, |row| row.configuration == "random trees");
    Page { rows, svg: draw(&network, &tree, &ring), shows, differs: DIFFERS.into() }
}

fn draw(network: &Network, tree: &Tree, ring: &Ring) -> String {
    let mut pen = Pen::titled("Algorithm 2 at an intermediate switch", COLOUR_NOTE);
    let spots = spots(tree, (50.0, 110.0));
    pen.tree(network, tree, &spots);
    let Some(array) = array_of(tree, ring, MIDDLE) else { return pen.finish_around() };
    for pair in array.machines.windows(2) {
        let length = along(tree, pair[0], pair[1]).len() - 2;
        pen.route(tree, &spots, pair[0], pair[1], colour(length));
    }
    let top = spots.corner.1 + 60.0;
    pen.text(
        (50.0, top - 12.0),
        Words::new(13.0),
        "The array of A: one of its machines, the array of a switch below it, and so on",
    );
    for (nth, host) in array.machines.iter().enumerate() {
        let x = 50.0 + 46.0 * nth as f64;
        let home = tree.homes[host.index()];
        let below = depth(tree, home).saturating_sub(depth(tree, MIDDLE));
        let shade = if below == 0 { SHADES[0] } else { SHADES[home.index() % SHADES.len()] };
        let number = network.name_of(Node::Host(*host)).trim_start_matches('m').to_owned();
        pen.cell((x, top), (46.0, 28.0), shade, &number);
        pen.text(
            (x + 23.0, top + 44.0),
            Words::new(11.0).middle().colour(GREY),
            network.name_of(Node::Switch(home)),
        );
    }
    pen.finish_around()
}

const SHOWS: &str = "\
How Algorithm 2 makes the logical array of a switch A with five machines and three switches below it: a machine of \
A, the array of the first switch, a machine of A, and so on, so that the array begins and ends on A and no message \
passes more than two switches. Computed by the simulator's LR2. The rows check the three conditions of the proof \
for every array of 600 random trees, and Theorem 2 against LR3, which finds the best ring without it.";

const DIFFERS: &str = "\
- The picture is not in the text, which describes the general case; this is an example with five \
machines and three switches.";
