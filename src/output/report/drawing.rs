//! A network drawn in levels, as SVG: hosts on top, the switches that carry them below, and so on.
//!
//! # Scope and limitations
//! Meant for some hundreds of nodes; every cable is drawn, parallel ones and loops apart from each other. A cable
//! over several rows may pass behind a box. Crossings are few, not fewest.
//!
//! # Source
//! Levels as in Sugiyama, Tagawa and Toda 1981; mainwaring1997, Figs. 4 and 5, for what
//! stands where.

use simnet_base::ids::{HostId, Node};
use simnet_network::topology::Network;

use super::layers::{Boxes, Layers, landings};
use super::pen::{HOST, Pen, Spot, Stroke, Words};

/// What is drawn, and the words around it.
#[derive(Clone, Copy, Debug)]
pub struct Drawing<'a> {
    /// The network.
    pub network: &'a Network,
    /// What stands above it.
    pub title: &'a str,
    /// What stands below the title, in small letters.
    pub note: &'a str,
    /// A host drawn at the bottom, that does not count among those from which levels are counted.
    pub apart: Option<HostId>,
}

/// The nodes and cables, with nodes as positions: hosts first, then switches.
struct Graph {
    hosts: usize,
    names: Vec<String>,
    cables: Vec<(usize, usize)>,
    neighbours: Vec<Vec<usize>>,
}

/// Positions on the sheet, in pixels.
struct Sheet {
    width: i64,
    height: i64,
    /// Per node: the middle of its box.
    at: Vec<(i64, i64)>,
    /// Per row: half the width of its boxes.
    half: Vec<i64>,
}

const HOST_STEP: i64 = 17;
const ROW_STEP: i64 = 150;
const MARGIN: i64 = 40;
const TOP: i64 = 150;
const BOX_HALF_HEIGHT: i64 = 13;
const LETTER: i64 = 7;
/// Draws a network. Costs O(sweeps x cables log cables).
///
/// The bytes depend on the network and the words alone.
pub fn draw_network(drawing: &Drawing<'_>) -> String {
    let graph = Graph::new(drawing.network);
    let apart = drawing.apart.map(HostId::index);
    let levels = Layers::new(&graph.levels(apart), &graph.cables);
    let sheet = Sheet::new(&graph, &levels);
    paint(drawing, &graph, &levels, &sheet)
}

impl Graph {
    fn new(network: &Network) -> Graph {
        let hosts = network.hosts().len();
        let position = |node: Node| match node {
            Node::Host(host) => host.index(),
            Node::Switch(switch) => hosts + switch.index(),
        };
        let names = network.hosts().iter().map(|host| host.name.clone());
        let names: Vec<String> = names.chain(network.switches().iter().map(|s| s.name.clone())).collect();
        let ends = network.links().iter().map(|link| (position(link.a.node), position(link.b.node)));
        let cables: Vec<(usize, usize)> = ends.map(|(a, b)| (a.min(b), a.max(b))).collect();
        let mut neighbours = vec![Vec::new(); names.len()];
        for (a, b) in cables.iter().filter(|(a, b)| a != b) {
            neighbours[*a].push(*b);
            neighbours[*b].push(*a);
        }
        Graph { hosts, names, cables, neighbours }
    }

    /// Per node, its level: 0 for hosts, then the distance from the nearest of them.
    fn levels(&self, apart: Option<usize>) -> Vec<usize> {
        let mut level = vec![usize::MAX; self.names.len()];
        let mut row: Vec<usize> = (0..self.hosts).filter(|host| Some(*host) != apart).collect();
        let mut depth = 0;
        row.iter().for_each(|host| level[*host] = 0);
        while !row.is_empty() {
            depth += 1;
            let mut next = Vec::new();
            for node in row.iter().flat_map(|node| &self.neighbours[*node]) {
                if level[*node] == usize::MAX && Some(*node) != apart {
                    level[*node] = depth;
                    next.push(*node);
                }
            }
            row = next;
        }
        // What no other host reaches stands below the host that is drawn apart, which stands below the rest.
        let last = level.iter().filter(|level| **level != usize::MAX).max().map_or(0, |level| level + 1);
        for level in level.iter_mut().filter(|level| **level == usize::MAX) {
            *level = last;
        }
        level
    }
}

impl Sheet {
    fn new(graph: &Graph, levels: &Layers) -> Sheet {
        let half: Vec<i64> = levels
            .rows
            .iter()
            .enumerate()
            .map(|(level, row)| match level {
                0 => HOST_STEP / 2,
                _ => row
                    .iter()
                    .map(|node| (graph.names[*node].chars().count() as i64 * LETTER) / 2 + 8)
                    .max()
                    .unwrap_or(0),
            })
            .collect();
        let needed = |(row, half): (&Vec<usize>, &i64)| {
            row.len() as i64 * (2 * half + if *half > HOST_STEP { 10 } else { 1 })
        };
        let widest = levels.rows.iter().zip(&half).map(needed).max().unwrap_or(0).max(560);
        let width = widest + 2 * MARGIN;
        let mut at = vec![(0, 0); graph.names.len()];
        for (level, row) in levels.rows.iter().enumerate() {
            let step = widest / row.len().max(1) as i64;
            let first = MARGIN + (widest - step * row.len() as i64) / 2 + step / 2;
            for (place, node) in row.iter().enumerate() {
                at[*node] = (first + step * place as i64, TOP + ROW_STEP * level as i64);
            }
        }
        // A host alone at the bottom stands below its switch.
        if let Some([host]) = levels.rows.last().map(Vec::as_slice)
            && let Some(above) = graph.neighbours[*host].first().filter(|_| *host < graph.hosts)
        {
            at[*host].0 = at[*above].0;
        }
        let height = TOP + ROW_STEP * levels.rows.len().saturating_sub(1) as i64 + MARGIN + 20;
        // A curve reaches three quarters of the way to where it is drawn.
        let depth = |(a, b): &(usize, usize)| {
            let bow = bow((at[*a].0 - at[*b].0).abs() + half[levels.spots[*a].0]);
            at[*a].1 + BOX_HALF_HEIGHT + bow * 3 / 4 + 20
        };
        let within = graph.cables.iter().filter(|(a, b)| levels.spots[*a].0 == levels.spots[*b].0);
        let deepest = within.map(depth).max().unwrap_or(0);
        Sheet { width, height: height.max(deepest), at, half }
    }
}

impl Sheet {
    /// Where cables land: on the boxes of switches, and in the middle of hosts.
    fn landings(&self, graph: &Graph, levels: &Layers) -> Vec<((i64, i64), (i64, i64))> {
        let nodes = || 0..graph.names.len();
        let of_switch = |node: usize, value: i64| if node < graph.hosts { 0 } else { value };
        let half: Vec<i64> =
            nodes().map(|node| of_switch(node, self.half[levels.spots[node].0] - 5)).collect();
        let half_height: Vec<i64> = nodes().map(|node| of_switch(node, BOX_HALF_HEIGHT)).collect();
        landings(levels, &graph.cables, &Boxes { at: &self.at, half: &half, half_height: &half_height })
    }
}

/// How far below its row a cable within it is drawn, by the distance of its ends.
fn bow(distance: i64) -> i64 {
    24 + distance / 12
}

fn paint(drawing: &Drawing<'_>, graph: &Graph, levels: &Layers, sheet: &Sheet) -> String {
    let mut pen = Pen::titled(drawing.title, drawing.note);
    paint_cables(&mut pen, graph, levels, sheet);
    for (node, name) in graph.names.iter().enumerate() {
        let (at, row) = (spot(sheet.at[node]), levels.spots[node].0);
        if node < graph.hosts {
            paint_host(&mut pen, at, name, row == 0);
        } else {
            pen.switch(at, sheet.half[row] as f64, name);
        }
    }
    pen.finish(spot((sheet.width, sheet.height)))
}

fn spot((x, y): (i64, i64)) -> Spot {
    (x as f64, y as f64)
}

/// A host: a dot, with its name upright above it or, at the bottom, below it.
fn paint_host(pen: &mut Pen, (x, y): Spot, name: &str, above: bool) {
    let words = Words::new(11.0);
    pen.circle((x, y), 4.0, HOST, None);
    if above {
        pen.text((x + 4.0, y - 9.0), words.turned(-90), name);
    } else {
        pen.text((x, y + 19.0), words.middle(), name);
    }
}

/// All cables: from row to row, or bowed within a row; each at a place of its own on the box.
fn paint_cables(pen: &mut Pen, graph: &Graph, levels: &Layers, sheet: &Sheet) {
    let ends = sheet.landings(graph, levels);
    for ((a, b), (from, to)) in graph.cables.iter().zip(&ends) {
        let stroke = Stroke::new(if *a < graph.hosts { "#b9a48f" } else { "#6f8fb3" }, 1.3);
        let is_within = levels.spots[*a].0 == levels.spots[*b].0;
        // Within a row, below it.
        let deep = from.1.max(to.1) + bow((from.0 - to.0).abs());
        let turn = if is_within { deep as f64 } else { (from.1 + to.1) as f64 / 2.0 };
        let (from, to) = (spot(*from), spot(*to));
        pen.curve([from, (from.0, turn), (to.0, turn), to], stroke);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simnet_network::topology::{End, presets};

    fn now_c(title: &str) -> String {
        let network = presets::load("now-c").unwrap();
        let apart = network.find_host("c-util");
        draw_network(&Drawing { network: &network, title, note: "a reconstruction", apart })
    }

    #[test]
    fn every_node_and_cable_is_drawn_once_and_inside() {
        // Wrong if a cable fell into another's place, or something lay off the sheet.
        let network = presets::load("now-c").unwrap();
        let svg = now_c("C");
        assert_eq!(svg.matches("<path").count(), 64);
        assert_eq!(svg.matches("<circle").count(), 36);
        assert_eq!(svg.matches("rx=\"4\"").count(), 13);
        for host in network.hosts() {
            assert_eq!(svg.matches(&format!(">{}</text>", host.name)).count(), 1, "{}", host.name);
        }
        let tree = roxmltree::Document::parse(&svg).unwrap();
        let size = |name| tree.root_element().attribute(name).unwrap().parse::<f64>().unwrap();
        for circle in tree.descendants().filter(|node| node.has_tag_name("circle")) {
            let at = |name| circle.attribute(name).unwrap().parse::<f64>().unwrap();
            assert!((0.0..size("width")).contains(&at("cx")) && (0.0..size("height")).contains(&at("cy")));
        }
        assert_eq!(svg, now_c("C"), "equal networks give equal bytes");
    }

    #[test]
    fn boxes_of_a_row_do_not_overlap() {
        // Wrong if a wide row were squeezed into a narrow sheet.
        let network = presets::load("now-cab").unwrap();
        let graph = Graph::new(&network);
        let levels = Layers::new(&graph.levels(None), &graph.cables);
        let sheet = Sheet::new(&graph, &levels);
        for (level, row) in levels.rows.iter().enumerate() {
            for pair in row.windows(2) {
                assert!(sheet.at[pair[1]].0 - sheet.at[pair[0]].0 >= 2 * sheet.half[level], "row {level}");
            }
        }
    }

    #[test]
    fn sweeps_take_crossings_away() {
        // Wrong if the order of levels were left as it was found.
        let mut network = Network::new("ladder");
        let switches: Vec<_> = (0..6).map(|n| network.add_switch(format!("s{n}"), 8).unwrap()).collect();
        for n in 0..6u16 {
            let host = network.add_host(format!("h{n}")).unwrap();
            network.connect(End::host(host, 0), End::switch(switches[5 - usize::from(n)], 0)).unwrap();
        }
        let graph = Graph::new(&network);
        assert_eq!(Layers::new(&graph.levels(None), &graph.cables).crossings(&graph.cables), 0);
    }

    #[test]
    fn names_are_text_and_odd_networks_are_drawn() {
        // Wrong if a name could become markup, or if a loop, a lone node or nothing at all broke the drawing.
        let mut network = Network::new("odd");
        for drawn in 0..3 {
            let svg = draw_network(&Drawing { network: &network, title: "<b>&", note: "", apart: None });
            assert!(!svg.contains("<script>") && roxmltree::Document::parse(&svg).is_ok(), "{drawn}");
            let switch = network.add_switch(format!("<script>{drawn}"), 8).unwrap();
            network.connect(End::switch(switch, 0), End::switch(switch, 1)).unwrap();
        }
    }
}
