//! Nodes in rows, ordered so that few cables cross; where cables land on their boxes.
//!
//! # Scope and limitations
//! Which row a node stands in is for others to say. Crossings are few, not fewest.
//!
//! # Source
//! Barycentric sweeps as in Sugiyama, Tagawa and Toda 1981.

/// A place on a sheet.
type Place = (i64, i64);

/// Rows from top to bottom, the nodes of each from left to right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layers {
    /// The nodes of each row.
    pub rows: Vec<Vec<usize>>,
    /// Where each node stands: its row and its place in it.
    pub spots: Vec<(usize, usize)>,
}

/// The boxes that cables land on.
#[derive(Clone, Copy, Debug)]
pub struct Boxes<'a> {
    /// The middle of each node's box.
    pub at: &'a [Place],
    /// Half the width of each that cables may land on.
    pub half: &'a [i64],
    /// Half the height of each.
    pub half_height: &'a [i64],
}

/// Barycentric sweeps: after some dozens orders hardly change.
const SWEEPS: usize = 24;
/// Units of a barycentre, so that means of places are compared as integers.
const UNIT: i64 = 1 << 20;

impl Layers {
    /// The nodes in rows by their levels, from 0, ordered. Nodes of equal standing keep their order.
    ///
    /// Costs O(sweeps x cables log cables).
    pub fn new(level: &[usize], cables: &[(usize, usize)]) -> Layers {
        let deepest = level.iter().max().map_or(0, |deepest| deepest + 1);
        let mut rows: Vec<Vec<usize>> = vec![Vec::new(); deepest];
        for (node, level) in level.iter().enumerate() {
            rows[*level].push(node);
        }
        let mut neighbours = vec![Vec::new(); level.len()];
        for (a, b) in cables.iter().filter(|(a, b)| a != b) {
            neighbours[*a].push(*b);
            neighbours[*b].push(*a);
        }
        let mut layers = Layers { rows, spots: vec![(0, 0); level.len()] };
        layers.note_spots();
        let mut best = (layers.crossings(cables), layers.rows.clone());
        for sweep in 0..SWEEPS {
            layers.sweep(&neighbours, sweep % 2 == 0);
            let crossings = layers.crossings(cables);
            if crossings < best.0 {
                best = (crossings, layers.rows.clone());
            }
        }
        layers.rows = best.1;
        layers.note_spots();
        layers
    }

    fn note_spots(&mut self) {
        for (level, row) in self.rows.iter().enumerate() {
            for (place, node) in row.iter().enumerate() {
                self.spots[*node] = (level, place);
            }
        }
    }

    /// Orders each row by where the neighbours in the row before it stand, from the top or from the bottom.
    fn sweep(&mut self, neighbours: &[Vec<usize>], downwards: bool) {
        let count = self.rows.len();
        for step in 1..count {
            let level = if downwards { step } else { count - 1 - step };
            let before = if downwards { level - 1 } else { level + 1 };
            let key = |node: usize| self.place_of(node, &neighbours[node], level, before);
            let mut keyed: Vec<((i64, usize), usize)> =
                self.rows[level].iter().map(|node| (key(*node), *node)).collect();
            keyed.sort_unstable();
            self.rows[level] = keyed.into_iter().map(|(_, node)| node).collect();
            self.note_spots();
        }
    }

    /// What a node of row `level` is ordered by: the mean place of its neighbours in the row `before`, or its own where
    /// it has none there, and its own place among equals.
    fn place_of(&self, node: usize, near: &[usize], level: usize, before: usize) -> (i64, usize) {
        let unit_of = |row: usize| UNIT / self.rows[row].len().max(1) as i64;
        let middle = |place: usize, row: usize| (2 * place as i64 + 1) * unit_of(row);
        let near = near.iter().map(|far| self.spots[*far]).filter(|(row, _)| *row == before);
        let places: Vec<i64> = near.map(|(_, at)| middle(at, before)).collect();
        let (_, own) = self.spots[node];
        let mean = places.iter().sum::<i64>().checked_div(places.len() as i64);
        (mean.unwrap_or(middle(own, level)), own)
    }

    /// How often cables between neighbouring rows cross. Costs O(cables log cables).
    pub fn crossings(&self, cables: &[(usize, usize)]) -> u64 {
        let mut between: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.rows.len()];
        for (a, b) in cables {
            let (near, far) = (self.spots[*a].min(self.spots[*b]), self.spots[*a].max(self.spots[*b]));
            if near.0 + 1 == far.0 {
                between[near.0].push((near.1, far.1));
            }
        }
        between.into_iter().map(inversions).sum()
    }
}

/// How many pairs have their first numbers in one order and their second in the other, neither equal.
fn inversions(mut pairs: Vec<(usize, usize)>) -> u64 {
    pairs.sort_unstable();
    let places = pairs.iter().map(|(_, far)| far + 1).max().unwrap_or(0);
    // A binary indexed tree of how many have been seen up to each second number.
    let mut tree = vec![0_u64; places + 1];
    let (mut crossed, mut seen) = (0, 0);
    for equals in pairs.chunk_by(|a, b| a.0 == b.0) {
        for (_, far) in equals {
            crossed += seen - counted_up_to(&tree, *far);
        }
        for (_, far) in equals {
            let mut at = far + 1;
            while at <= places {
                tree[at] += 1;
                at += at & at.wrapping_neg();
            }
            seen += 1;
        }
    }
    crossed
}

/// What a binary indexed tree has counted up to a number.
fn counted_up_to(tree: &[u64], number: usize) -> u64 {
    let (mut at, mut sum) = (number + 1, 0);
    while at > 0 {
        sum += tree[at];
        at &= at - 1;
    }
    sum
}

/// Per cable, where its two ends land: spread over the edge of the box that faces the other end, in the order of the
/// other ends. Cables within a row, and those that skip one upwards, land below.
pub fn landings(layers: &Layers, cables: &[(usize, usize)], boxes: &Boxes<'_>) -> Vec<(Place, Place)> {
    let mut landed = vec![((0, 0), (0, 0)); cables.len()];
    // Per node and edge (top, bottom): the other end's place, the cable, and which of its ends is here.
    let mut edges: Vec<[Vec<(i64, usize, bool)>; 2]> = vec![[Vec::new(), Vec::new()]; layers.spots.len()];
    for (nth, (a, b)) in cables.iter().enumerate() {
        for (near, far, first) in [(*a, *b, true), (*b, *a, false)] {
            let (own, other) = (layers.spots[near].0, layers.spots[far].0);
            let below = other >= own || other + 1 < own;
            edges[near][usize::from(below)].push((boxes.at[far].0, nth, first));
        }
    }
    for (node, sides) in edges.iter_mut().enumerate() {
        let ((x, y), half) = (boxes.at[node], boxes.half[node]);
        for (side, cables) in sides.iter_mut().enumerate() {
            cables.sort_unstable();
            let edge = if side == 0 { y - boxes.half_height[node] } else { y + boxes.half_height[node] };
            let count = cables.len() as i64;
            for (place, (_, nth, first)) in cables.iter().enumerate() {
                let at = (x - half + (2 * place as i64 + 1) * half / count, edge);
                *(if *first { &mut landed[*nth].0 } else { &mut landed[*nth].1 }) = at;
            }
        }
    }
    landed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if equal ends counted as crossing, or a crossing were counted for another pair.
    #[test]
    fn inversions_are_those_of_all_pairs() {
        let mut state = 7_u64;
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from((state >> 33) % below).unwrap()
        };
        for _ in 0..200 {
            let count = draw(30);
            let pairs: Vec<(usize, usize)> = (0..count).map(|_| (draw(6), draw(6))).collect();
            let cross = |a: &(usize, usize), b: &(usize, usize)| a.0 < b.0 && a.1 > b.1;
            let slow = pairs.iter().map(|a| pairs.iter().filter(|b| cross(a, b)).count() as u64).sum::<u64>();
            assert_eq!(inversions(pairs), slow);
        }
    }
}
