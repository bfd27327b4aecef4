//! lawrence2008, Fig. 9: the clusters of the evaluation.

use super::trees::{mean, switch_tree};
use crate::examples::low_tree;
use crate::rows::with_table;
use crate::{Figure, Page, Results, Row};
use simnet_base::papers;
use simnet_network::topology::presets;
use simnet_output::report::sketch::spots;
use simnet_output::report::{Pen, Words};

pub(super) const FIGURE: Figure = Figure {
    id: "lawrence2008/fig9",
    title: "Fig. 9: topologies for evaluation",
    scenarios: &[],
    whole_when_quick: true,
    make,
};

/// What the phase RTT takes longer at 100 Mb/s than at 1 Gb/s, in s, from Tables 2 and 3.
fn longer(topology: &str) -> Option<f64> {
    let phase = |table: &str, rate: &str| {
        papers::reference(super::PAPER, table, &format!("phase time RTT, {rate}"), topology)
    };
    Some(phase("Table2", "100 Mb/s")? - phase("Table3", "1 Gb/s")?)
}

fn make(_results: &Results<'_>) -> Page {
    let mut rows = Vec::new();
    let mut pen = Pen::titled(
        "Topologies (1) to (5)",
        "reconstructions: squares are switches, circles machines with their ranks",
    );
    let (mut top, mut means) = (110.0, Vec::new());
    for number in 1..=5 {
        let network = presets::load(&format!("lawrence-{number}")).expect("the preset is there");
        let tree = low_tree(&network);
        let of = format!("topology ({number})");
        let hops = mean(&switch_tree(&tree).hops());
        means.push((of.clone(), hops));
        rows.push(Row::ours("machines", &of, "machines", Some(network.hosts().len() as f64)));
        rows.push(Row::ours("switches", &of, "switches", Some(network.switches().len() as f64)));
        rows.push(Row::ours("mean hop count", &of, "switches", Some(hops)));
        let spots = spots(&tree, (40.0, top));
        pen.text((40.0, top - 22.0), Words::new(14.0), &format!("({number})  mean hop count {hops:.3}"));
        pen.tree(&network, &tree, &spots);
        top = spots.corner.1 + 70.0;
    }
    // The time that 100 Mb/s takes longer is proportional to the hop count plus one; (2) sets the scale.
    let scale = longer("topology (2)").map(|longer| longer / (means[1].1 + 1.0));
    for (of, hops) in &means[1..] {
        let wanted_hops = longer(of).zip(scale).map(|(longer, scale)| longer / scale - 1.0);
        rows.push(Row::ours("mean hop count that Tables 2 and 3 ask for", of, "switches", wanted_hops));
        let off = wanted_hops.map(|wanted_hops| (hops / wanted_hops - 1.0) * 100.0);
        rows.push(Row::ours("ours above that by", of, "%", off));
    }
    let shows = with_table(SHOWS, &rows, |row| row.quantity.starts_with("mean hop count"));
    Page { rows, svg: pen.finish_around(), shows, differs: DIFFERS.into() }
}

const SHOWS: &str = "\
The five clusters of the evaluation, as the simulator has them: (1) 16 machines on a switch, (2) two switches of \
16, (3) a chain of four with 8 each, (4) a star of four with 8 each, (5) a chain of 8, 16 and 8.";

const DIFFERS: &str = "\
- *Reconstructions*: the picture is not in the text, which states (1) and that the others have 32 machines. They \
are inferred from Tables 2 and 3: what 100 Mb/s takes longer than 1 Gb/s is proportional to the mean hop count \
plus one. The rows give the mean that the tables ask for, with two switches of 16 for (2), and ours.
- Over all trees of three or four switches with multiples of four machines, (5) is the only one that fits within \
1.2 %; (3) and (4) have a few uneven rivals, such as a chain of 4, 8, 8 and 12 for (4).";
