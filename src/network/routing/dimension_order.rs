//! Dimension-order routes of meshes and tori: along the first dimension, then the second, and so on.
//!
//! # Scope and limitations
//! For whole grids whose ports say where they lead, as those of `simnet topo generate mesh|torus` do: in dimension
//! `d`, counted from 0, port `2d` leads to the next lower coordinate and port `2d + 1` to the next higher one (one more
//! each where a file counts ports from 1). Such a grid is recognised by its cables, whatever its name and the order of
//! its switches; any other network is refused, a grid that lacks a cable included.
//!
//! In each dimension a route takes the shorter way round; where both are equally short, routes differ in no dimension
//! but that, and the selection takes one. The routes of a mesh are free of deadlock: their channels can be numbered so
//! that every turn goes up. Those of a torus are not, where a circle has routes of two channels all around: on one lane
//! nothing keeps worms from waiting for each other round it.
//!
//! ```text
//!   o---o---o---o       from a to b: first along x, then along y, never back to x
//!   |   |   |   |
//!   o---o---o---b       turns x -> y in any sense, straight on; y -> x never
//!   |   |   |   |
//!   a---o---o-->o
//! ```
//!
//! # Source
//! Dally and Seitz 1987, section 4, on e-cube routes and the cycles of a torus; Dally and Towles 2004, section 8.4.2.
//!
//! # Validation
//! tests/network/oracle/dimension_order.rs: every route against the walk by coordinates, on grids of one to four
//! dimensions; the proof against what Dally and Seitz say of meshes and circles.

use std::collections::{BTreeMap, VecDeque};

use thiserror::Error;

use simnet_base::ids::SwitchId;

use super::allowed_turns::AllowedTurns;
use super::graph::{Output, SwitchGraph};

/// The turns that dimension order allows on a grid, and the grid.
#[derive(Clone, Debug)]
pub struct DimensionOrder {
    turns: AllowedTurns,
    dimensions: Vec<Dimension>,
    along: Vec<Along>,
}

/// The place of an output on a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Along {
    /// Its dimension, by position among those that have cables.
    pub(super) dimension: usize,
    /// Whether it leads from the last coordinate to the first, or back: over the dateline of its circle.
    pub(super) crosses: bool,
}

/// A dimension of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// Switches along it.
    pub size: u32,
    /// Whether it is a circle.
    pub wraps: bool,
}

/// Why a network is no grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("dimension-order routes need a mesh or a torus as `simnet topo generate` cables them: {0}")]
pub struct NotAGrid(&'static str);

impl DimensionOrder {
    /// Recognises the grid. Costs O(switches x dimensions + turns).
    ///
    /// # Errors
    /// [`NotAGrid`] with the first rule of the module's list that the network breaks.
    pub fn new(graph: &SwitchGraph) -> Result<DimensionOrder, NotAGrid> {
        let grid = Grid::new(graph)?;
        let positions = grid.check(graph)?;
        let classes: Vec<(usize, bool)> = graph.outputs().iter().map(|output| grid.class(output)).collect();
        let turns = AllowedTurns::where_(graph, |by, next| {
            classes[next].0 > classes[by].0 || classes[next] == classes[by]
        });
        let along = |(by, (dimension, is_up)): (usize, &(usize, bool))| {
            let coordinate = grid.coordinate(positions[graph.sender(by).index()], *dimension);
            let last = if *is_up { grid.dimensions[*dimension].size as usize - 1 } else { 0 };
            Along { dimension: *dimension, crosses: coordinate == last }
        };
        let along = classes.iter().enumerate().map(along).collect();
        Ok(DimensionOrder { turns, dimensions: grid.dimensions, along })
    }

    /// The rule of a network that may be no grid: then no worm may turn from one switch's cable into another's.
    pub(super) fn or_none(graph: &SwitchGraph) -> DimensionOrder {
        let none = |_| DimensionOrder {
            turns: AllowedTurns::none(graph),
            dimensions: Vec::new(),
            along: Vec::new(),
        };
        DimensionOrder::new(graph).unwrap_or_else(none)
    }

    /// The turns that it allows.
    pub fn turns(&self) -> &AllowedTurns {
        &self.turns
    }

    /// The place of an output, given by its position in the graph.
    pub(super) fn along(&self, by: usize) -> Along {
        self.along[by]
    }

    /// The dimensions that have cables, in order.
    pub fn dimensions(&self) -> &[Dimension] {
        &self.dimensions
    }
}

/// A network on its way to be recognised.
struct Grid {
    /// The lower of the two ports of the first dimension, modulo 2.
    base: u16,
    /// By the number of a dimension as ports have it, its position among those that have cables.
    places: BTreeMap<u16, usize>,
    dimensions: Vec<Dimension>,
    /// The coordinates of the first switch.
    origin: Vec<u32>,
}

impl Grid {
    /// Reads the dimensions off the ports of cables and their sizes off the lines through the first switch.
    fn new(graph: &SwitchGraph) -> Result<Grid, NotAGrid> {
        let low = |output: &Output| output.port.0.min(output.input.0);
        let base = graph.outputs().first().map_or(0, |output| low(output) % 2);
        let joins_a_dimension = |o: &Output| o.port.0.abs_diff(o.input.0) == 1 && low(o) % 2 == base;
        if !graph.outputs().iter().all(joins_a_dimension) {
            return Err(NotAGrid("a cable does not join a switch's port 2d + 1 to its neighbour's port 2d"));
        }
        let mut places: BTreeMap<u16, usize> = graph.outputs().iter().map(|o| (low(o) / 2, 0)).collect();
        places.values_mut().enumerate().for_each(|(nth, place)| *place = nth);
        // Every dimension doubles the switches at least.
        if graph.switches().checked_ilog2().is_none_or(|most| places.len() > most as usize) {
            return Err(NotAGrid("it has more dimensions than its switches fill"));
        }
        let mut grid = Grid { base, places, dimensions: Vec::new(), origin: Vec::new() };
        for place in 0..grid.places.len() {
            let first = SwitchId::new(0);
            let (up, wraps) = grid.walk(graph, first, (place, true));
            let down = if wraps { 0 } else { grid.walk(graph, first, (place, false)).0 };
            grid.dimensions.push(Dimension { size: up + down + u32::from(!wraps), wraps });
            grid.origin.push(down);
        }
        Ok(grid)
    }

    /// The dimension of an output, by position, and whether it leads to the next higher coordinate.
    fn class(&self, output: &Output) -> (usize, bool) {
        let number = output.port.0.min(output.input.0) / 2;
        debug_assert_eq!(output.port.0.min(output.input.0) % 2, self.base, "every cable was looked at");
        (self.places[&number], output.port > output.input)
    }

    /// How many cables of a class lead on from a switch, and whether they lead back to it. As no two cables of a class
    /// lead to the same switch, they end or come back to the first.
    fn walk(&self, graph: &SwitchGraph, from: SwitchId, class: (usize, bool)) -> (u32, bool) {
        let next = |at: SwitchId| graph.of(at).iter().find(|output| self.class(output) == class);
        let (mut at, mut steps) = (from, 0);
        while let Some(output) = next(at) {
            (at, steps) = (output.to, steps + 1);
            if at == from {
                return (steps, true);
            }
        }
        (steps, false)
    }

    /// Checks that switches and cables are those of the grid: each switch at coordinates of its own, each cable between
    /// neighbours, none missing. Gives their positions.
    fn check(&self, graph: &SwitchGraph) -> Result<Vec<usize>, NotAGrid> {
        let switches = graph.switches();
        let whole = self.dimensions.iter().try_fold(1_usize, |all, d| all.checked_mul(d.size as usize));
        if whole != Some(switches) {
            return Err(NotAGrid("its switches do not fill a grid"));
        }
        let mut positions = vec![None; switches];
        let mut taken = vec![false; switches];
        let first = self.position(&self.origin);
        (positions[0], taken[first]) = (Some(first), true);
        let mut queue = VecDeque::from([SwitchId::new(0)]);
        while let Some(switch) = queue.pop_front() {
            let position = positions[switch.index()].expect("a switch in the queue has its place");
            for output in graph.of(switch) {
                let next = self.neighbour(position, self.class(output));
                let next = next.ok_or(NotAGrid("a cable leads out of the grid"))?;
                match positions[output.to.index()] {
                    Some(known) if known == next => {}
                    None if !taken[next] => {
                        (positions[output.to.index()], taken[next]) = (Some(next), true);
                        queue.push_back(output.to);
                    }
                    _ => return Err(NotAGrid("a cable joins two switches that are no neighbours")),
                }
            }
        }
        let lines = |d: &Dimension| switches / d.size as usize * (d.size - u32::from(!d.wraps)) as usize;
        let cables: usize = self.dimensions.iter().map(lines).sum();
        let positions: Option<Vec<usize>> = positions.into_iter().collect();
        let is_whole = graph.outputs().len() == 2 * cables;
        positions.filter(|_| is_whole).ok_or(NotAGrid("a cable is missing"))
    }

    /// Coordinates as one number, the first dimension fastest.
    fn position(&self, coordinates: &[u32]) -> usize {
        let sizes = self.dimensions.iter().map(|dimension| dimension.size as usize);
        let each = sizes.zip(coordinates).rev();
        each.fold(0, |position, (size, coordinate)| position * size + *coordinate as usize)
    }

    /// A coordinate of a position.
    fn coordinate(&self, position: usize, place: usize) -> usize {
        let stride: usize = self.dimensions[..place].iter().map(|d| d.size as usize).product();
        position / stride % self.dimensions[place].size as usize
    }

    /// The position next to another; none beyond the rim of a mesh.
    fn neighbour(&self, position: usize, (place, is_up): (usize, bool)) -> Option<usize> {
        let stride: usize = self.dimensions[..place].iter().map(|d| d.size as usize).product();
        let Dimension { size, wraps } = self.dimensions[place];
        let size = size as usize;
        let coordinate = self.coordinate(position, place);
        let next = if is_up { coordinate + 1 } else { coordinate + size - 1 };
        let is_round = if is_up { next == size } else { coordinate == 0 };
        (wraps || !is_round).then(|| position - coordinate * stride + next % size * stride)
    }
}
