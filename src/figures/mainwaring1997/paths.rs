//! Paths drawn over the cables of the example, and as the vertices of its model that they lead to.

use simnet_base::ids::Node;
use simnet_network::topology::Network;
use simnet_output::report::sketch::{BLUE, GREEN, PURPLE, RED};
use simnet_output::report::{INK, Pen, Spot, Stroke, Words};

use super::claims::{Example, PLACES};
use super::construction::{Hop, Path};

/// A path with its colour.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coloured<'a> {
    /// The path.
    pub(super) path: &'a [Hop],
    /// Its colour.
    pub(super) colour: &'static str,
    /// How far to one side of the cables it is drawn, in pixels.
    pub(super) offset: f64,
}

/// Half the width of a switch's box.
const HALF: f64 = 17.0;

/// Purple, red and a green path, as the paper colours them.
pub(super) fn three<'a>(example: &'a Example, green: &'a Path) -> [Coloured<'a>; 3] {
    [
        Coloured { path: &example.purple, colour: PURPLE, offset: -5.0 },
        Coloured { path: &example.red, colour: RED, offset: -5.0 },
        Coloured { path: green, colour: GREEN, offset: 5.0 },
    ]
}

/// Draws the example's network at `corner`, in units of `unit` pixels, with paths along its cables.
pub(super) fn draw_paths(pen: &mut Pen, network: &Network, corner: Spot, unit: Spot, paths: &[Coloured<'_>]) {
    let place = |node: Node| {
        let name = network.name_of(node);
        let (_, x, y) = PLACES.iter().find(|(known, ..)| *known == name).expect("all have their places");
        (corner.0 + x * unit.0, corner.1 + y * unit.1)
    };
    for link in network.links() {
        pen.cable(place(link.a.node), place(link.b.node));
    }
    for coloured in paths {
        for hop in coloured.path {
            let (from, to) = (place(hop.from.node), place(hop.to.node));
            // On one side of a cable, whichever way it is passed.
            let side = if from < to { coloured.offset } else { -coloured.offset };
            pen.message_offset(&[from, to], side, coloured.colour);
        }
    }
    for (name, ..) in PLACES {
        let Some(node) = network.find(name) else { continue };
        match node {
            Node::Switch(_) => pen.switch(place(node), HALF, name),
            Node::Host(_) => pen.host(place(node), name),
        }
    }
}

/// A way to a vertex of the model: its parts with their colours, and what its end is called.
pub(super) struct Branch {
    /// The path.
    pub(super) path: Path,
    /// From which cable on which colour holds.
    pub(super) colours: Vec<(usize, &'static str)>,
    /// Whether it is pasted, not there from the start.
    pub(super) pasted: bool,
    /// What the vertex at its end is called.
    pub(super) end: &'static str,
}

/// Draws branches of the model tree from the mapper on the left: a column a cable, a row a branch.
pub(super) fn draw_tree(pen: &mut Pen, network: &Network, corner: Spot, step: Spot, branches: &[Branch]) {
    // Vertices drawn so far: the way to each, and its row.
    let mut drawn: Vec<(Path, usize)> = vec![(Path::new(), 0)];
    let spot = |depth: usize, row: usize| (corner.0 + step.0 * depth as f64, corner.1 + step.1 * row as f64);
    let mut labels: Vec<(Spot, String)> = vec![(spot(0, 0), "h0".to_owned())];
    for (nth, branch) in branches.iter().enumerate() {
        for depth in 1..=branch.path.len() {
            let way = &branch.path[..depth];
            if drawn.iter().any(|(known, _)| known == way) {
                continue;
            }
            let before =
                drawn.iter().find(|(known, _)| *known == way[..depth - 1]).map_or(0, |(_, row)| *row);
            let row = if branch.path.len() > depth || nth > 0 {
                row_of(nth, before, &drawn, depth)
            } else {
                before
            };
            let colour = branch
                .colours
                .iter()
                .rev()
                .find(|(from, _)| *from < depth)
                .map_or(INK, |(_, colour)| *colour);
            let stroke =
                if branch.pasted { Stroke::new(colour, 2.0).dashed("6 4") } else { Stroke::new(colour, 2.5) };
            pen.path(&[spot(depth - 1, before), spot(depth, row)], stroke);
            let name = network.name_of(way[depth - 1].to.node).to_owned();
            labels.push((spot(depth, row), name));
            drawn.push((way.to_vec(), row));
        }
        let end = drawn.iter().find(|(known, _)| *known == branch.path).map_or(0, |(_, row)| *row);
        let (x, y) = spot(branch.path.len(), end);
        pen.text((x + 13.0, y - 9.0), Words::new(13.0).colour(BLUE), branch.end);
    }
    for (at, name) in labels {
        pen.circle(at, 10.0, if name.starts_with('h') { "#f3d9c8" } else { "#eaf1f8" }, None);
        pen.text((at.0, at.1 + 4.0), Words::new(11.0).middle(), &name);
    }
}

/// The row of a new vertex: its parent's where that is free to the right, else the branch's own.
fn row_of(own: usize, before: usize, drawn: &[(Path, usize)], depth: usize) -> usize {
    let statistic = drawn.iter().any(|(known, row)| *row == before && known.len() >= depth);
    if statistic { own } else { before }
}
