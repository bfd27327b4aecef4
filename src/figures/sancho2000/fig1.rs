//! Fig. 1: a breadth-first and a depth-first spanning tree of nine switches, with the directions of the cables.

use crate::{Figure, Page, Results, Row};
use simnet_base::ids::SwitchId;
use simnet_network::routing::{Directions, Heuristic, SwitchGraph, Tree};
use simnet_network::topology::generate::RandomIrregular;
use simnet_network::topology::{End, Network};

use super::orientations;
use super::restrictions::{pairs, total, ups};
use simnet_output::report::{Pen, Spot, Words};

/// Fig. 1.
pub(super) const FIGURE: Figure = Figure {
    id: "sancho2000/fig1",
    title: "Fig. 1: spanning trees of nine switches, and the directions of their cables",
    scenarios: &[],
    whole_when_quick: true,
    make,
};

/// The cables of the example, between switches numbered row by row.
const CABLES: [(usize, usize); 13] =
    [(0, 1), (0, 3), (1, 2), (1, 5), (2, 5), (3, 4), (3, 6), (4, 5), (4, 6), (4, 8), (5, 8), (6, 7), (7, 8)];
const SWITCHES: usize = 9;
/// How many random networks of as many switches and cables it is compared with.
const NETWORKS: u64 = 1_000;
const PANEL: f64 = 285.0;

fn make(_: &Results<'_>) -> Page {
    let graph = SwitchGraph::new(&example());
    let [bfs, dfs] = directions(&graph);
    let mut pen = Pen::default();
    let number = |switch: SwitchId| switch.index().to_string();
    let order = |switch: SwitchId| label(&dfs, switch).to_string();
    panel(&mut pen, 0, "(a) BFS tree and directions", &graph, &bfs, true, &number);
    panel(&mut pen, 1, "(b) DFS tree", &graph, &dfs, false, &number);
    panel(&mut pen, 2, "(c) its labels and directions", &graph, &dfs, true, &order);
    orientations::key(&mut pen, (85.0, 345.0));
    let (fewer, as_many) = over_random_networks();
    let count = |of: &str, directions| {
        Row::ours("routing restrictions", of, "restrictions", Some(total(&graph, directions) as f64))
    };
    Page {
        rows: vec![
            count("BFS", &bfs),
            count("DFS", &dfs),
            share("fewer restrictions with DFS than with BFS", fewer),
            share("as many restrictions with DFS as with BFS", as_many),
        ],
        svg: pen.finish((3.0 * PANEL, 360.0)),
        shows: format!(
            "Both ways to give cables a direction, on one network, from the root 0: (a) the up end is nearer to the \
             root, or has the lower number; (b) and (c) the up end has the higher label, labels falling from \
             {SWITCHES} in the order in which the path of the depth-first tree (heuristic H2) reaches the switches. \
             {} restrictions are left with the first, {} with the second: \"the DFS spanning tree achieves a lower \
             number of routing restrictions\". Of {NETWORKS} random networks of as many switches and cables {:.0} % \
             have fewer with DFS, {:.0} % as many, the others more.",
            total(&graph, &bfs),
            total(&graph, &dfs),
            fewer as f64 * 100.0 / NETWORKS as f64,
            as_many as f64 * 100.0 / NETWORKS as f64,
        ),
        differs: "**A reconstruction**: the paper prints its network as a picture only, and says of it that it has \
                  nine switches. Ours has nine switches and 13 cables, chosen so that no cables cross and the two \
                  counts differ; the random networks tell how usual that is. Trees, labels and directions are those \
                  that the simulator routes by, not drawn by hand. A dashed arc is two restrictions, one a way."
            .to_owned(),
    }
}

/// The share of random networks of which something holds.
fn share(what: &str, count: u64) -> Row {
    let percent = count as f64 * 100.0 / NETWORKS as f64;
    Row::ours(what, "random networks, 9 switches, 13 cables", "%", Some(percent))
}

fn example() -> Network {
    let mut network = Network::new("fig1");
    let switches: Vec<SwitchId> =
        (0..SWITCHES).map(|nth| network.add_switch(format!("s{nth}"), 8).expect("names differ")).collect();
    let mut used = [0; SWITCHES];
    for (a, b) in CABLES {
        let mut plug = |nth: usize| {
            used[nth] += 1;
            End::switch(switches[nth], used[nth] - 1)
        };
        let (a, b) = (plug(a), plug(b));
        network.connect(a, b).expect("there are ports enough");
    }
    network
}

/// Directions of the breadth-first and of the depth-first tree from the first switch.
fn directions(graph: &SwitchGraph) -> [Directions; 2] {
    [Tree::Bfs, Tree::Dfs(Heuristic::H2)]
        .map(|tree| Directions::from_roots(graph, vec![SwitchId::new(0)], tree))
}

/// A switch's label as the paper has it: the root's is the highest.
fn label(directions: &Directions, switch: SwitchId) -> i64 {
    SWITCHES as i64 - directions.label(switch)
}

/// The switch that a tree reaches a switch from: the neighbour nearest to the root, the lowest number of these, in a
/// breadth-first tree; the one reached last before it in a depth-first one, as those after it have no neighbours left.
fn parent(graph: &SwitchGraph, directions: &Directions, is_bfs: bool, switch: SwitchId) -> Option<SwitchId> {
    let ups = ups(graph, directions, switch).into_iter();
    if is_bfs {
        ups.min_by_key(|up| (directions.label(*up), *up))
            .filter(|up| directions.label(*up) < directions.label(switch))
    } else {
        ups.max_by_key(|up| directions.label(*up))
    }
}

fn panel(
    pen: &mut Pen,
    nth: usize,
    title: &str,
    graph: &SwitchGraph,
    directions: &Directions,
    directed: bool,
    name: &dyn Fn(SwitchId) -> String,
) {
    let left = PANEL * nth as f64;
    let spot = |switch: SwitchId| -> Spot {
        let (column, row) = (switch.index() % 3, switch.index() / 3);
        (left + 52.0 + 90.0 * column as f64, 88.0 + 100.0 * row as f64)
    };
    pen.text((left + PANEL / 2.0, 28.0), Words::new(14.0).middle().bold(), title);
    for switch in graph.switch_ids() {
        let parent = parent(graph, directions, nth == 0, switch);
        for up in ups(graph, directions, switch) {
            orientations::cable(pen, spot(switch), spot(up), parent == Some(up), directed);
        }
    }
    for switch in graph.switch_ids() {
        let ups = ups(graph, directions, switch);
        for (nth, (one, other)) in pairs(&ups).filter(|_| directed).enumerate() {
            orientations::restriction(pen, spot(switch), spot(one), spot(other), nth);
        }
        orientations::switch(pen, spot(switch), &name(switch), directions.roots().contains(&switch));
    }
}

/// Of random networks with as many switches and cables, how many have fewer and how many have as many restrictions with
/// a depth-first tree.
fn over_random_networks() -> (u64, u64) {
    let [switches, cables] = [SWITCHES, CABLES.len()].map(|count| u32::try_from(count).expect("few"));
    let kind = RandomIrregular::new(switches, 0, cables, 8, false).expect("there is such a network");
    let (mut fewer, mut as_many) = (0, 0);
    for seed in 0..NETWORKS {
        let graph = SwitchGraph::new(&kind.build(seed).expect("cables are few"));
        let [bfs, dfs] = directions(&graph).map(|directions| total(&graph, &directions));
        fewer += u64::from(dfs < bfs);
        as_many += u64::from(dfs == bfs);
    }
    (fewer, as_many)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if labels were not 9 to 1, a tree did not reach a switch, or a path of the depth-first tree went back up.
    #[test]
    fn trees_span_the_example() {
        let graph = SwitchGraph::new(&example());
        let [bfs, dfs] = directions(&graph);
        let mut labels: Vec<i64> = graph.switch_ids().map(|switch| label(&dfs, switch)).collect();
        assert_eq!(labels[0], 9);
        labels.sort_unstable();
        assert_eq!(labels, (1..=9).collect::<Vec<_>>());
        for (directions, is_bfs) in [(&bfs, true), (&dfs, false)] {
            let childless = graph.switch_ids().filter(|s| parent(&graph, directions, is_bfs, *s).is_none());
            assert_eq!(childless.count(), 1, "{is_bfs}");
        }
        assert!(total(&graph, &dfs) < total(&graph, &bfs));
    }
}
