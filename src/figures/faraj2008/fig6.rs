//! faraj2008, Fig. 6: a ring's arrays within arrays.

use crate::examples::{array, cluster, depth, longest_within, random_trees, subtree, tree};
use crate::rows::with_table;
use crate::{Figure, Page, Results, Row};
use simnet_base::ids::{HostId, Node};
use simnet_network::ring::{Ring, Tree, judge, lr3};
use simnet_network::topology::Network;
use simnet_output::report::sketch::{SHADES, spots};
use simnet_output::report::{GREY, Pen, Words};

pub(super) const FIGURE: Figure = Figure {
    id: "faraj2008/fig6",
    title: "Fig. 6: the optimal logical ring and the logical arrays of subtrees",
    scenarios: &[],
    whole_when_quick: true,
    make,
};

/// A root with two machines and three switches below, two of them with switches below themselves: fewer machines than
/// switches at some, so that no ring of two hops exists.
fn example() -> Network {
    let switches = [("R", 2), ("A", 1), ("B", 2), ("C", 0), ("D", 2), ("E", 3), ("F", 2), ("G", 1)];
    cluster(&switches, &[(0, 1), (0, 2), (0, 3), (1, 4), (1, 5), (3, 6), (3, 7)])
}

fn make(_results: &Results<'_>) -> Page {
    let network = example();
    let tree = tree(&network);
    let ring = lr3(&tree);
    let mut rows = vec![
        Row::ours("longest path of the ring", "R", "switches", Some(ring.max_path_length as f64)),
        Row::ours("least that any ring of this tree has", "R", "switches", Some(ring.bound as f64)),
    ];
    for switch in tree.switches.iter().filter(|switch| **switch != tree.root) {
        let name = network.name_of(Node::Switch(*switch)).to_owned();
        let found = array(&ring.hosts, &subtree(&tree, *switch));
        let row = |quantity: &str, unit: &str, value: Option<usize>| {
            Row::ours(quantity, &name, unit, value.map(|value| value as f64))
        };
        let height = |host: Option<&HostId>| {
            host.map(|host| depth(&tree, tree.homes[host.index()]) - depth(&tree, *switch) + 1)
        };
        rows.push(row("machines in a row", "machines", found.as_ref().map(Vec::len)));
        rows.push(row(
            "height of the first",
            "switches",
            found.as_ref().and_then(|array| height(array.first())),
        ));
        rows.push(row(
            "height of the last",
            "switches",
            found.as_ref().and_then(|array| height(array.last())),
        ));
        rows.push(row(
            "longest path in the array",
            "switches",
            found.as_ref().map(|array| longest_within(&tree, array)),
        ));
    }
    rows.extend(checks());
    let shows = with_table(SHOWS, &rows, |row| {
        row.configuration.contains("every order")
            || row.configuration.contains("random trees")
            || row.configuration == "R"
    });
    Page { rows, svg: draw(&network, &tree, &ring), shows, differs: DIFFERS.into() }
}

/// Lemma 2 on random trees for LR3's rings, and on a small tree for every order of its machines.
fn checks() -> Vec<Row> {
    let (mut arrays, mut torn) = (0, 0);
    for tree in random_trees(600, 40) {
        let ring = lr3(&tree);
        for switch in &tree.switches {
            arrays += 1;
            torn += usize::from(array(&ring.hosts, &subtree(&tree, *switch)).is_none());
        }
    }
    let tree = tree(&cluster(&[("a", 1), ("b", 2), ("c", 2), ("d", 2)], &[(0, 1), (0, 2), (1, 3)]));
    let mut counts = [[0_u32; 2]; 2];
    for order in orders(tree.homes.len()) {
        let is_free = judge(&tree, &order).contention_free;
        // Subtrees from any root: those below a switch, and what is not below it.
        let is_whole = tree.switches.iter().all(|switch| array(&order, &subtree(&tree, *switch)).is_some());
        counts[usize::from(is_free)][usize::from(is_whole)] += 1;
    }
    let all = |quantity: &str, of: &str, unit: &str, value: usize| {
        Row::ours(quantity, of, unit, Some(value as f64))
    };
    let small = |quantity: &str, value: u32| {
        Row::ours(quantity, "7 machines, every order", "orders", Some(f64::from(value)))
    };
    vec![
        all("subtrees", "LR3 on random trees", "subtrees", arrays),
        all("subtrees whose machines are not in a row", "LR3 on random trees", "subtrees", torn),
        small("free of contention, every subtree in a row", counts[1][1]),
        small("contended, some subtree torn", counts[0][0]),
        small("against Lemma 2", counts[0][1] + counts[1][0]),
    ]
}

/// All orders of so many machines that begin with the first: rings are the same wherever they begin.
fn orders(count: usize) -> Vec<Vec<HostId>> {
    let mut orders = vec![vec![HostId(0)]];
    for host in (1..count).map(HostId::new) {
        orders = orders.iter().flat_map(|order| longer(order, host)).collect();
    }
    orders
}

/// An order with one more host, put in behind each of those before.
fn longer(order: &[HostId], host: HostId) -> impl Iterator<Item = Vec<HostId>> {
    (1..=order.len()).map(move |at| [&order[..at], &[host], &order[at..]].concat())
}

fn draw(network: &Network, tree: &Tree, ring: &Ring) -> String {
    let mut pen = Pen::titled(
        "The best ring is arrays within arrays",
        "above: the tree; below: LR3's ring, cut open at the root, and over it the arrays of the \
         subtrees by their depth",
    );
    let spots = spots(tree, (40.0, 110.0));
    pen.tree(network, tree, &spots);
    // The root's own list is turned so that no subtree goes over its end.
    let len = ring.hosts.len();
    let turned = |by: usize| -> Vec<HostId> { (0..len).map(|nth| ring.hosts[(nth + by) % len]).collect() };
    let order =
        (0..len).map(turned).find(|order| is_whole(tree, order)).unwrap_or_else(|| ring.hosts.clone());
    let deepest = tree.switches.iter().map(|switch| depth(tree, *switch)).max().unwrap_or(0);
    let (left, wide) = (40.0, 44.0);
    let top = spots.corner.1 + 50.0 + 30.0 * deepest as f64;
    for (nth, host) in order.iter().enumerate() {
        let number = network.name_of(Node::Host(*host)).trim_start_matches('m').to_owned();
        let home = tree.homes[host.index()];
        pen.cell((left + wide * nth as f64, top), (wide, 28.0), SHADES[home.index() % SHADES.len()], &number);
        pen.text(
            (left + wide * (nth as f64 + 0.5), top + 44.0),
            Words::new(11.0).middle().colour(GREY),
            network.name_of(Node::Switch(home)),
        );
    }
    for switch in tree.switches.iter().filter(|switch| **switch != tree.root) {
        let within = subtree(tree, *switch);
        let places: Vec<usize> = (0..len).filter(|nth| within[order[*nth].index()]).collect();
        let (Some(first), Some(last)) = (places.first(), places.last()) else { continue };
        let y = top - 30.0 * (deepest - depth(tree, *switch) + 1) as f64;
        let at = (left + wide * *first as f64 + 2.0, y);
        let size = (wide * (last - first + 1) as f64 - 4.0, 24.0);
        let name = network.name_of(Node::Switch(*switch));
        let text = if size.0 < 80.0 { name.to_owned() } else { format!("array of {name}") };
        pen.cell(at, size, SHADES[switch.index() % SHADES.len()], &text);
    }
    pen.text(
        (left, top + 70.0),
        Words::new(12.0),
        &format!("no message of this ring passes more than {} switches", ring.max_path_length),
    );
    pen.finish_around()
}

/// Whether no subtree goes over the end of an order of machines.
fn is_whole(tree: &Tree, order: &[HostId]) -> bool {
    let last = order.len() - 1;
    tree.switches.iter().all(|switch| {
        let within = subtree(tree, *switch);
        let changes =
            order.windows(2).filter(|pair| within[pair[0].index()] != within[pair[1].index()]).count();
        let ends = usize::from(within[order[0].index()]) + usize::from(within[order[last].index()]);
        changes + ends <= 2
    })
}

const SHOWS: &str = "\
The relation that Algorithm 3 rests on, on the ring that the simulator's LR3 finds: the machines of every subtree \
are in a row (Lemma 2), arrays within arrays. The rows check the lemma for LR3's rings on 600 random trees, and \
both its directions on every order of seven machines on four switches.";

const DIFFERS: &str = "\
- The picture is not in the text, which describes the general case; this is an example of eight \
switches on which no ring of two hops exists.
- LR3 does not enumerate sequences as Algorithm 3 is printed: it asks whether a longest path is possible, and \
keeps the lowest pairs of end heights. What it finds is the same (docs/VALIDATION.md, Rings).";
