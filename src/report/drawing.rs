//! A network drawn in levels, as SVG: hosts on top, the switches that carry them below, and so on.
//!
//! # Scope and limitations
//! Meant for some hundreds of nodes; every cable is drawn, parallel ones and loops apart from each other. A cable
//! over several rows may pass behind a box. Crossings are few, not fewest.
//!
//! # Source
//! Levels as in Sugiyama, Tagawa and Toda 1981; mainwaring1997, Figs. 4 and 5, for what
//! stands where.

use std::fmt::Write as _;

use crate::ids::{HostId, Node};
use crate::topology::Network;

use super::escaped;
use super::layers::{Boxes, Layers, landings};

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
///
/// # Panics
/// Never: a string takes all that is written to it.
pub fn draw_network(drawing: &Drawing<'_>) -> String {
    let graph = Graph::new(drawing.network);
    let apart = drawing.apart.map(HostId::index);
    let levels = Layers::new(&graph.levels(apart), &graph.cables);
    let sheet = Sheet::new(&graph, &levels);
    let mut svg = String::new();
    paint(&mut svg, drawing, &graph, &levels, &sheet).expect("a string takes what is written");
    svg
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

fn paint(
    svg: &mut String,
    drawing: &Drawing<'_>,
    graph: &Graph,
    levels: &Layers,
    sheet: &Sheet,
) -> std::fmt::Result {
    let Sheet { width, height, .. } = sheet;
    writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"sans-serif\">"
    )?;
    writeln!(svg, "<title>{}</title>", escaped(drawing.title))?;
    writeln!(svg, "<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>")?;
    writeln!(
        svg,
        "<text x=\"{MARGIN}\" y=\"34\" font-size=\"18\" fill=\"#333333\">{}</text>",
        escaped(drawing.title)
    )?;
    writeln!(
        svg,
        "<text x=\"{MARGIN}\" y=\"54\" font-size=\"12\" fill=\"#666666\">{}</text>",
        escaped(drawing.note)
    )?;
    paint_cables(svg, graph, levels, sheet)?;
    for (node, name) in graph.names.iter().enumerate() {
        let ((x, y), name) = (sheet.at[node], escaped(name));
        if node < graph.hosts {
            paint_host(svg, (x, y), &name, levels.spots[node].0 == 0)?;
        } else {
            let half = sheet.half[levels.spots[node].0];
            let (left, top) = (x - half, y - BOX_HALF_HEIGHT);
            let (wide, high) = (2 * half, 2 * BOX_HALF_HEIGHT);
            writeln!(
                svg,
                "<rect x=\"{left}\" y=\"{top}\" width=\"{wide}\" height=\"{high}\" rx=\"4\" fill=\"#eaf1f8\" \
                 stroke=\"#1f5fa8\"/>"
            )?;
            let base = y + 4;
            writeln!(
                svg,
                "<text x=\"{x}\" y=\"{base}\" font-size=\"11\" text-anchor=\"middle\" fill=\"#333333\">{name}</text>"
            )?;
        }
    }
    svg.write_str("</svg>\n")
}

/// A host: a dot, with its name upright above it or, at the bottom, below it.
fn paint_host(svg: &mut String, (x, y): (i64, i64), name: &str, above: bool) -> std::fmt::Result {
    writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"4\" fill=\"#c4571b\"/>")?;
    if above {
        let (left, base) = (x + 4, y - 9);
        writeln!(
            svg,
            "<text x=\"{left}\" y=\"{base}\" font-size=\"11\" fill=\"#333333\" \
             transform=\"rotate(-90 {left} {base})\">{name}</text>"
        )
    } else {
        let base = y + 19;
        writeln!(
            svg,
            "<text x=\"{x}\" y=\"{base}\" font-size=\"11\" text-anchor=\"middle\" fill=\"#333333\">{name}</text>"
        )
    }
}

/// All cables: from row to row, or bowed within a row; each at a place of its own on the box.
fn paint_cables(svg: &mut String, graph: &Graph, levels: &Layers, sheet: &Sheet) -> std::fmt::Result {
    let ends = sheet.landings(graph, levels);
    for ((a, b), (from, to)) in graph.cables.iter().zip(&ends) {
        let (rows, host) = ((levels.spots[*a].0, levels.spots[*b].0), *a < graph.hosts);
        let (x1, y1, x2, y2) = (from.0, from.1, to.0, to.1);
        let colour = if host { "#b9a48f" } else { "#6f8fb3" };
        let path = if rows.0 != rows.1 {
            let middle = (y1 + y2) / 2;
            format!("M{x1} {y1}C{x1} {middle} {x2} {middle} {x2} {y2}")
        } else {
            // Below the row that it stays in.
            let bow = y1.max(y2) + bow((x1 - x2).abs());
            format!("M{x1} {y1}C{x1} {bow} {x2} {bow} {x2} {y2}")
        };
        writeln!(svg, "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.3\"/>")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{End, presets};

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
        let size = |name| tree.root_element().attribute(name).unwrap().parse::<i64>().unwrap();
        for circle in tree.descendants().filter(|node| node.has_tag_name("circle")) {
            let at = |name| circle.attribute(name).unwrap().parse::<i64>().unwrap();
            assert!((0..size("width")).contains(&at("cx")) && (0..size("height")).contains(&at("cy")));
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
