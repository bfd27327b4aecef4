//! lawrence2008, Fig. 1: the example cluster, and what its hop counts are.

use super::trees::{mean, switch_tree};
use crate::examples::low_tree;
use crate::rows::with_table;
use crate::{Figure, Page, Results, Row};
use simnet_base::ids::HostId;
use simnet_network::topology::presets;
use simnet_output::report::sketch::{GREEN, spots};
use simnet_output::report::{GREY, Pen, Words};

pub(super) const FIGURE: Figure = Figure {
    id: "lawrence2008/fig1",
    title: "Fig. 1: Ethernet switched cluster example",
    scenarios: &[],
    whole_when_quick: true,
    make,
};

fn make(_results: &Results<'_>) -> Page {
    let network = presets::load("lawrence-fig1").expect("the preset is there");
    let tree = low_tree(&network);
    let hops = switch_tree(&tree).hops();
    let count = |value: usize| Some(value as f64);
    let mut rows = vec![
        Row::ours("machines", "Fig. 1", "machines", count(network.hosts().len())),
        Row::ours("switches", "Fig. 1", "switches", count(network.switches().len())),
        Row::ours("directed edges", "Fig. 1", "edges", count(2 * network.links().len())),
        Row::ours("mean hop count", "Fig. 1", "switches", Some(mean(&hops))),
    ];
    for a in 0..hops.machines() {
        for b in a + 1..hops.machines() {
            let of = format!("n{a} and n{b}");
            rows.push(Row::ours(
                "switches on the path",
                &of,
                "switches",
                Some(f64::from(hops.between(a, b))),
            ));
        }
    }
    let mut pen = Pen::titled(
        "An Ethernet cluster of six machines",
        "switches as squares, machines as circles; green: the path from n0 to n4, a hop-count distance of 3",
    );
    let spots = spots(&tree, (50.0, 100.0));
    pen.tree(&network, &tree, &spots);
    pen.route(&tree, &spots, HostId(0), HostId(4), GREEN);
    let note = "Every cable is two directed edges; a switch may be a root, an inner node, never a leaf.";
    pen.text((50.0, spots.corner.1 + 44.0), Words::new(12.0).colour(GREY), note);
    let shows = with_table(SHOWS, &rows, |row| row.configuration == "Fig. 1");
    Page { rows, svg: pen.finish_around(), shows, differs: DIFFERS.into() }
}

const SHOWS: &str = "\
The example cluster of the paper, six machines on three switches, with the hop-count distance of every pair of \
machines: the number of switches on the only path between them.";

const DIFFERS: &str = "\
- The picture is not in the text, but Fig. 8 prints its hop counts, and by Theorem 1 only one tree has them: what \
is drawn is that tree, up to the names of switches.";
