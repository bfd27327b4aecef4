//! faraj2008, Fig. 8: the topologies of the experiments.

use crate::examples::low_tree;
use crate::rows::with_table;
use crate::{Figure, Page, Results, Row};
use simnet_base::ids::HostId;
use simnet_network::ring::{judge, lr1, lr2};
use simnet_network::topology::presets;
use simnet_output::report::sketch::spots;
use simnet_output::report::{Pen, Words};

pub(super) const FIGURE: Figure = Figure {
    id: "faraj2008/fig8",
    title: "Fig. 8: topologies used in the experiments",
    scenarios: &[],
    whole_when_quick: true,
    make,
};

fn make(_results: &Results<'_>) -> Page {
    let mut rows = Vec::new();
    let mut pen = Pen::titled(
        "Topologies (a) to (f)",
        "reconstructions: squares are switches, circles machines with their ranks",
    );
    let (mut left, mut top, mut lowest) = (40.0, 110.0, 0.0_f64);
    for letter in ["a", "b", "c", "d", "e", "f"] {
        let network = presets::load(&format!("faraj-{letter}")).expect("the preset is there");
        let tree = low_tree(&network);
        let of = format!("topology ({letter})");
        let row = |quantity: &str, unit: &str, value: Option<usize>| {
            Row::ours(quantity, &of, unit, value.map(|value| value as f64))
        };
        let by_rank: Vec<HostId> = network.host_ids().collect();
        let blind = judge(&tree, &by_rank);
        rows.push(row("machines", "machines", Some(network.hosts().len())));
        rows.push(row("switches", "switches", Some(network.switches().len())));
        let first = simnet_network::ring::Tree::first_root(&network)
            .and_then(|root| simnet_network::ring::Tree::bfs(&network, root));
        let longest = first.ok().map(|tree| lr1(&tree).max_path_length);
        rows.push(row("longest path, LR1", "switches", longest));
        rows.push(row("longest path, LR2", "switches", lr2(&tree).ok().map(|ring| ring.max_path_length)));
        rows.push(row("longest path, ring by rank", "switches", Some(blind.max_path_length)));
        rows.push(row(
            "messages of the ring by rank on the busiest cable",
            "messages",
            Some(blind.max_channel_load),
        ));
        if matches!(letter, "c" | "e" | "f") {
            (left, top) = (40.0, lowest + 70.0);
        }
        let spots = spots(&tree, (left, top));
        pen.text((left, top - 20.0), Words::new(14.0), &format!("({letter})"));
        pen.tree(&network, &tree, &spots);
        lowest = lowest.max(spots.corner.1);
        left = spots.corner.0 + 60.0;
    }
    let shows = with_table(SHOWS, &rows, |row| row.quantity == "longest path, LR1" || row.unit == "messages");
    Page { rows, svg: pen.finish_around(), shows, differs: DIFFERS.into() }
}

const SHOWS: &str = "\
The six clusters of the experiments, as the simulator has them: 16 machines on one switch (a), on two (b), on four \
as a star (c) and as a chain (d), and 32 on four, with ranks in blocks (e) and dealt out (f). The rows give what \
rings make of each: the longest path of LR1's and of LR2's, and how many messages of the ring in the order of \
ranks, which is MPICH's, share a cable.";

const DIFFERS: &str = "\
- *Reconstructions*: the picture is not in the text. Stated are 16 machines on one, two and four switches for (a) \
to (d), of which (a) has one; four switches of 8 machines for (e) and (f), which differ in nothing but which \
machine is where; that LR1's ring has four hops on (d) and LR2's two; and that MPICH's ring is LR1's on (e).
- Inferred are two switches for (b) and four for (c) and (d), in the order of the sentence; equal shares of \
machines on these; that (d) is the chain and (c) the other tree of four switches, the star; ranks dealt out in \
turn on (b), (c) and (d), where MPICH is slower than on (a), and on (f), where it is slower than LR1; and the \
star for (e) and (f), where LAM and MPICH come out best \
(a chain was tried: `faraj2008/fig10`).";
