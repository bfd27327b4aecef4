//! faraj2008, Fig. 5: the rings of Algorithms 1 and 2 on eight machines.

use super::PAPER;
use crate::examples::{COLOUR_NOTE, colour};
use crate::{Figure, Page, Results, Row};
use simnet_base::ids::Node;
use simnet_network::ring::{Algorithm, Kind, Tree, judge};
use simnet_network::topology::presets;
use simnet_output::report::sketch::spots;
use simnet_output::report::{Pen, Words};

pub(super) const FIGURE: Figure = Figure {
    id: "faraj2008/fig5",
    title: "Fig. 5: logical rings from Algorithm 1 and Algorithm 2",
    scenarios: &[],
    whole_when_quick: true,
    make,
};

const PANELS: [(Algorithm, &str); 2] =
    [(Algorithm::Lr1, "(a) Algorithm 1"), (Algorithm::Lr2, "(b) Algorithm 2")];

fn make(_results: &Results<'_>) -> Page {
    let network = presets::load("faraj-fig5").expect("the preset is there");
    let root = Tree::first_root(&network).expect("the preset has machines");
    let tree = Tree::new(&network, Kind::Bfs, root, 0).expect("the preset is connected");
    let mut rows = Vec::new();
    let mut pen = Pen::titled("Rings of eight machines without contention", COLOUR_NOTE);
    let mut left = 40.0;
    for (algorithm, title) in PANELS {
        let ring = algorithm.ring(&tree).expect("every switch has as many machines as neighbours");
        let verdict = judge(&tree, &ring.hosts);
        let quantity = format!("max ring hops {}", title.trim_start_matches(['(', 'a', 'b', ')', ' ']));
        let longest = Some(verdict.max_path_length as f64);
        rows.extend(Row::printed(PAPER, "Fig5", &quantity, "8-machine example", longest));
        let row =
            |quantity: &str, unit: &str, value: usize| Row::ours(quantity, title, unit, Some(value as f64));
        rows.push(row("most messages over a channel", "messages", verdict.max_channel_load));
        rows.push(row("switches on all paths", "switches", verdict.total_path_length));
        let spots = spots(&tree, (left, 120.0));
        pen.text((left + 10.0, 90.0), Words::new(14.0), title);
        pen.tree(&network, &tree, &spots);
        for (nth, host) in ring.hosts.iter().enumerate() {
            let next = ring.hosts[(nth + 1) % ring.hosts.len()];
            let length = verdict.lengths[nth];
            pen.route(&tree, &spots, *host, next, colour(length));
            let of = format!(
                "{title}; {} to {}",
                network.name_of(Node::Host(*host)),
                network.name_of(Node::Host(next))
            );
            rows.push(Row::ours("path", &of, "switches", Some(length as f64)).at(nth as f64));
        }
        let names: Vec<&str> =
            ring.hosts.iter().map(|host| &network.name_of(Node::Host(*host))[1..]).collect();
        pen.text(
            (left + 10.0, spots.corner.1 + 40.0),
            Words::new(13.0),
            &format!("ring: {}", names.join(" ")),
        );
        left = spots.corner.0 + 80.0;
    }
    Page { rows, svg: pen.finish_around(), shows: SHOWS.into(), differs: DIFFERS.into() }
}

const SHOWS: &str = "\
The rings that Algorithms 1 and 2 find on a cluster of eight machines: both are free of contention; the first has \
a message of four hops, from machine 7 to machine 0, the second none of more than two.";

const DIFFERS: &str = "\
- The cluster is a *reconstruction*: the picture is not in the text. A chain of four switches with two machines \
each is the smallest tree with eight machines on which the message from 7 to 0 has four hops and a ring of two \
exists.";
