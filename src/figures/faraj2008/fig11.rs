//! faraj2008, Fig. 11: the longest paths of LR1's and LR3's rings on random clusters.

use super::PAPER;
use crate::{Figure, Page, Results, Row};
use simnet_base::ids::Node;
use simnet_network::topology::generate;
use simnet_output::report::{Axis, Chart, Csv, Layer, Mark, Record, Style, draw_charts};

pub(super) const FIGURE: Figure = Figure {
    id: "faraj2008/fig11",
    title: "Fig. 11: LR1 and LR3 with trees found in three ways, on random clusters",
    scenarios: &["faraj2008/fig11.toml", "faraj2008/fig11-waxman.toml"],
    whole_when_quick: false,
    make,
};

/// The families of clusters, as the scenarios have them in this order.
const FAMILIES: [&str; 2] = ["gt-itm", "waxman"];
const TREES: [&str; 3] = ["bfs", "random", "dfs"];

/// The rings on clusters of one family and size: a row of the sweep's statistics.
struct Clusters {
    family: &'static str,
    machines: u32,
    switches: u32,
    tree: String,
    algorithm: String,
    clusters: f64,
    /// The longest path: mean, least and greatest.
    longest: [Option<f64>; 3],
    /// The share of rings that are free of contention.
    free: f64,
}

fn clusters(results: &Results<'_>) -> Vec<Clusters> {
    let tables = FAMILIES.into_iter().enumerate();
    tables.flat_map(|(nth, family)| clusters_of(family, &results.csv(nth, "statistics.csv"))).collect()
}

/// The clusters of a family, from the statistics of its scenario.
fn clusters_of(family: &'static str, table: &Csv) -> Vec<Clusters> {
    let free = table.of(&[("column", "rings.contention_free")]).map(|row| row.number("mean"));
    let free: Vec<f64> = free.map(|share| share.unwrap_or(0.0)).collect();
    let longest = table.of(&[("column", "rings.max_path_length")]).zip(free);
    longest.map(|(row, free)| Clusters::of(family, row, free)).collect()
}

impl Clusters {
    /// Clusters from their line about longest paths, and the share of rings that are free of contention.
    fn of(family: &'static str, row: Record<'_>, free: f64) -> Clusters {
        let size = |part: &str| row.text(&format!("topology.{family}.{part}")).parse().unwrap_or(0);
        Clusters {
            family,
            machines: size("machines"),
            switches: size("switches"),
            tree: row.text("rings.tree").to_owned(),
            algorithm: row.text("rings.algorithm").to_owned(),
            clusters: row.number("points").unwrap_or(0.0),
            longest: ["mean", "min", "max"].map(|column| row.number(column)),
            free,
        }
    }
}

fn make(results: &Results<'_>) -> Page {
    let all = clusters(results);
    let mut rows = Vec::new();
    for of in &all {
        let configuration = format!("{}; {} trees; {}", of.family, of.tree, of.algorithm.to_uppercase());
        let [mean, least, most] = of.longest;
        let row = Row::ours("longest path of a ring, mean", &configuration, "switches", mean);
        rows.push(row.at(f64::from(of.machines)).between(least, most));
    }
    rows.extend(results.printed(0));
    rows.extend(stated(&all));
    let mut charts = Vec::new();
    for family in FAMILIES {
        for (letter, algorithm) in [("a", "lr1"), ("b", "lr3")] {
            charts.push(panel(&all, family, letter, algorithm));
        }
    }
    Page { rows, svg: draw_charts(&charts, 2), shows: SHOWS.into(), differs: DIFFERS.into() }
}

/// What the text states of how the figure was made, and ours.
fn stated(all: &[Clusters]) -> Vec<Row> {
    let ordered = Row::ours("order of LR1 max path", "BFS < random < DFS", "ordering", in_order(all));
    let mut rows = vec![Row { paper: Some(1.0), printed_in: "Fig11".to_owned(), ..ordered }];
    let ratio = all.first().map(|of| f64::from(of.machines) / f64::from(of.switches));
    rows.extend(Row::printed(PAPER, "5 text", "machines per switch", "random clusters", ratio));
    rows.extend(Row::printed(PAPER, "5 text", "average switch degree", "random clusters", degree()));
    let count = |of: fn(&Clusters) -> f64| Some(all.iter().map(of).sum::<f64>());
    rows.push(Row::ours("rings found", "all", "rings", count(|of| of.clusters)));
    rows.push(Row::ours("rings free of contention", "all", "rings", count(|of| of.free * of.clusters)));
    rows
}

/// The share of families and sizes for which LR1's longest paths are shortest on BFS trees and longest on DFS trees.
fn in_order(all: &[Clusters]) -> Option<f64> {
    let of_tree = |bfs: &Clusters, tree: &str| {
        let same = |of: &&Clusters| {
            of.algorithm == "lr1" && of.family == bfs.family && of.machines == bfs.machines && of.tree == tree
        };
        all.iter().find(same)?.longest[0]
    };
    let sizes = all.iter().filter(|of| of.algorithm == "lr1" && of.tree == "bfs");
    let holds: Vec<bool> = sizes
        .filter_map(|bfs| Some((bfs.longest[0]?, of_tree(bfs, "random")?, of_tree(bfs, "dfs")?)))
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
    let own: Vec<&Clusters> =
        all.iter().filter(|of| of.family == family && of.algorithm == algorithm).collect();
    Chart {
        title: format!("({letter}) {} on {family} clusters", algorithm.to_uppercase()),
        x: Axis::from_zero("machines"),
        y: Axis::from_zero("longest path (switches)"),
        layers: TREES.map(|tree| line(&own, tree)).into(),
        ..Chart::default()
    }
}

/// The line of clusters whose trees are found in one way.
fn line(clusters: &[&Clusters], tree: &str) -> Layer {
    let of = clusters.iter().filter(|of| of.tree == tree);
    let mark = |of: &&Clusters| {
        let [mean, least, most] = of.longest;
        // LR3's are 2, 3 or 4 nearly always: bands would be all that is seen.
        let is_wide = |_: &f64| of.algorithm == "lr1";
        Some(Mark::at(f64::from(of.machines), mean?).between(least.filter(is_wide), most.filter(is_wide)))
    };
    let name = format!("{} trees", if tree == "random" { "random".to_owned() } else { tree.to_uppercase() });
    Layer { name, style: Style::Line, marks: of.filter_map(mark).collect() }
}

const SHOWS: &str = "\
The longest path, in switches, of the rings that LR1 (a) and LR3 (b) find on random clusters of five machines a \
switch and a mean degree of four, on spanning trees found breadth first, depth first and at random from a root \
drawn by chance. Means of 50 clusters; bands (LR1) from the least to the greatest. Every ring has been followed \
message by message.";

const DIFFERS: &str = "\
- The paper says GT-ITM and does not say which of its methods: pure random edges above, Waxman's below; both are \
shown and agree. The curves are pictures; \"around 3\" for LR3 and the order of LR1's trees is what the \
text states, and that LR1's paths are much longer and LR3 does not depend on the tree. The row `order of LR1 \
max path` is the share of families and sizes for which the order holds.
- Below 200 machines LR3's mean is below 3, since some trees have rings of two hops.";
