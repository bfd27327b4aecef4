//! faraj2008, Fig. 11: the longest paths of LR1's and LR3's rings on random clusters.

use serde::Deserialize;

use super::PAPER;
use crate::figures::{Figure, Page, Results, Row};
use crate::ids::Node;
use crate::report::{Axis, Chart, Layer, Mark, Style, draw_charts};
use crate::topology::generate;

pub(super) const FIGURE: Figure = Figure {
    id: "faraj2008/fig11",
    title: "Fig. 11: LR1 and LR3 with trees found in three ways, on random clusters",
    scenarios: &["faraj2008/fig11.toml"],
    whole_when_quick: false,
    make,
};

/// The rings of clusters of one size, as `summary.json` has them.
#[derive(Debug, Deserialize)]
struct Clusters {
    family: String,
    machines: u64,
    switches: u64,
    tree: String,
    algorithm: String,
    clusters: u64,
    contention_free: u64,
    rings: u64,
    max_path_length_mean: Option<f64>,
    max_path_length_min: u64,
    max_path_length_max: u64,
}

fn clusters(results: &Results<'_>) -> Vec<Clusters> {
    let found = results.runs.first().and_then(|run| run.summary.pointer("/rings/clusters"));
    found.and_then(|found| Vec::deserialize(found).ok()).unwrap_or_default()
}

fn make(results: &Results<'_>) -> Page {
    let all = clusters(results);
    let drawn = |of: &&Clusters| of.algorithm != "lr2";
    let mut rows = Vec::new();
    for of in all.iter().filter(drawn) {
        let configuration = format!("{}; {} trees; {}", of.family, of.tree, of.algorithm.to_uppercase());
        let row =
            Row::ours("longest path of a ring, mean", &configuration, "switches", of.max_path_length_mean);
        let (low, high) = (of.max_path_length_min as f64, of.max_path_length_max as f64);
        rows.push(row.at(of.machines as f64).between(Some(low), Some(high)));
    }
    rows.extend(stated(&all));
    let mut charts = Vec::new();
    for family in ["gt-itm", "waxman"] {
        for (letter, algorithm) in [("a", "lr1"), ("b", "lr3")] {
            charts.push(panel(&all, family, letter, algorithm));
        }
    }
    Page { rows, svg: draw_charts(&charts, 2), shows: SHOWS.into(), differs: DIFFERS.into() }
}

/// What the text states of the figure and of how it was made, and ours.
fn stated(all: &[Clusters]) -> Vec<Row> {
    let lr3 = || all.iter().filter(|of| of.algorithm == "lr3" && of.family == "gt-itm");
    let means: Vec<f64> = lr3().filter_map(|of| of.max_path_length_mean).collect();
    let mean =
        |values: &[f64]| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
    let ends = [f64::min, f64::max].map(|end| means.iter().copied().reduce(end));
    let quantity = "max ring path LR3, average of 50 random topologies";
    let mut rows = Vec::new();
    let row = Row::printed(PAPER, "Fig11", quantity, "all sizes and trees", mean(&means));
    rows.extend(row.map(|row| row.between(ends[0], ends[1])));
    let ordered = Row::ours("order of LR1 max path", "BFS < random < DFS", "ordering", in_order(all));
    rows.push(Row { paper: Some(1.0), printed_in: "Fig11".to_owned(), ..ordered });
    let ratio = all.first().map(|of| of.machines as f64 / of.switches as f64);
    rows.extend(Row::printed(PAPER, "5 text", "machines per switch", "random clusters", ratio));
    rows.extend(Row::printed(PAPER, "5 text", "average switch degree", "random clusters", degree()));
    let count = |of: fn(&Clusters) -> u64| Some(all.iter().map(of).sum::<u64>() as f64);
    rows.push(Row::ours("clusters", "all", "clusters", count(|of| of.clusters)));
    rows.push(Row::ours("rings found", "all", "rings", count(|of| of.rings)));
    rows.push(Row::ours("rings free of contention", "all", "rings", count(|of| of.contention_free)));
    rows
}

/// The share of families and sizes for which LR1's longest paths are shortest on BFS trees and longest on DFS trees.
fn in_order(all: &[Clusters]) -> Option<f64> {
    let of_tree = |bfs: &Clusters, tree: &str| {
        let same = |of: &&Clusters| {
            of.algorithm == "lr1" && of.family == bfs.family && of.machines == bfs.machines && of.tree == tree
        };
        all.iter().find(same)?.max_path_length_mean
    };
    let sizes = all.iter().filter(|of| of.algorithm == "lr1" && of.tree == "bfs");
    let holds: Vec<bool> = sizes
        .filter_map(|bfs| Some((bfs.max_path_length_mean?, of_tree(bfs, "random")?, of_tree(bfs, "dfs")?)))
        .map(|(bfs, random, dfs)| bfs < random && random < dfs)
        .collect();
    let held = holds.iter().filter(|holds| **holds).count();
    (!holds.is_empty()).then(|| held as f64 / holds.len() as f64)
}

/// The mean number of cables from a switch to other switches, over ten clusters of 100 switches.
fn degree() -> Option<f64> {
    let (mut ends, mut switches) = (0, 0);
    for seed in 1..=10 {
        let size = [("switches", 100), ("machines", 500), ("degree", 4)];
        let network = generate::build("gt-itm", &size, seed).ok()?;
        let between = network
            .links()
            .iter()
            .flat_map(|link| [link.a.node, link.b.node].map(is_switch).into_iter().all(|is| is).then_some(2));
        ends += between.sum::<usize>();
        switches += network.switches().len();
    }
    Some(ends as f64 / switches as f64)
}

fn is_switch(node: Node) -> bool {
    matches!(node, Node::Switch(_))
}

fn panel(all: &[Clusters], family: &str, letter: &str, algorithm: &str) -> Chart {
    let line = |tree: &str| {
        let of = all.iter().filter(|of| of.family == family && of.algorithm == algorithm && of.tree == tree);
        let mark = |of: &Clusters| {
            let mark = Mark::at(of.machines as f64, of.max_path_length_mean?);
            // LR3's are 2, 3 or 4 nearly always: bands would be all that is seen.
            let is_wide = algorithm == "lr1";
            let end = |length: u64| is_wide.then_some(length as f64);
            Some(mark.between(end(of.max_path_length_min), end(of.max_path_length_max)))
        };
        let name =
            format!("{} trees", if tree == "random" { "random".to_owned() } else { tree.to_uppercase() });
        Layer { name, style: Style::Line, marks: of.filter_map(mark).collect() }
    };
    Chart {
        title: format!("({letter}) {} on {family} clusters", algorithm.to_uppercase()),
        x: Axis::from_zero("machines"),
        y: Axis::from_zero("longest path (switches)"),
        layers: ["bfs", "random", "dfs"].map(line).into(),
        ..Chart::default()
    }
}

const SHOWS: &str = "\
The longest path, in switches, of the rings that LR1 (a) and LR3 (b) find on random clusters of five machines a \
switch and a mean degree of four, on spanning trees found breadth first, depth first and at random from a root \
drawn by chance. Means of 50 clusters; bands (LR1) from the least to the greatest. Every ring has been followed \
message by message.";

const DIFFERS: &str = "\
- The paper says GT-ITM and does not say which of its methods: pure random edges above, Waxman's below; both are \
shown and agree. The curves are pictures; \"around 3\" for LR3 and the order of LR1's trees is what the text \
states. The row `order of LR1 max path` is the share of families and sizes for which the order holds.
- Below 200 machines LR3's mean is below 3, since some trees have rings of two hops.";
