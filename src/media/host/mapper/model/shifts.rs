//! Which vertices stand for one switch, and how their port numbers differ: a union-find forest with shifts.
//!
//! A vertex numbers the ports of its switch from the one by which it was entered, so two vertices of one switch
//! number the same port differently, by a constant: their *shift*. Every vertex keeps a vertex nearer to its
//! representative and the shift to it; on the way up the shifts are added.
//!
//! ```text
//!   the switch:        port  0   1   2   3   4   5   6   7
//!   entered by port 2:      -2  -1   0   1   2   3   4   5     vertex 1, the representative
//!   entered by port 5:      -5  -4  -3  -2  -1   0   1   2     vertex 4: its port p is port p + 3 of vertex 1
//!
//!   1 <--(+3)-- 4 <--(-1)-- 9          9:4 is 4:3, which is 1:6
//!   1 <--(+3)-- 4,  1 <--(+2)-- 9      after it has been asked: the way is shorter, the sum the same
//! ```
//!
//! # Source
//! The shift is the difference of two *indexing offsets* of mainwaring1997, section 3.1.3; its section 3.1.2 shifts
//! the indices of all vertices of a label instead, at a cost of O(vertices) a merger. Path halving: Tarjan and
//! van Leeuwen 1984.

use super::{Place, VertexId};

/// The forest. All that is done to it costs O(log vertices) amortised.
#[derive(Clone, Debug, Default)]
pub(super) struct Shifts {
    /// By vertex: one nearer to its representative (itself at a representative), and that one's port which is the
    /// vertex's own port 0.
    above: Vec<Place>,
}

impl Shifts {
    /// Makes a vertex that stands for itself; gives its number, the next one.
    pub(super) fn make(&mut self) -> VertexId {
        let vertex = self.above.len();
        self.above.push(Place { vertex, port: 0 });
        vertex
    }

    /// How many vertices were made.
    pub(super) fn len(&self) -> usize {
        self.above.len()
    }

    /// Whether a vertex is its own representative.
    pub(super) fn stands(&self, vertex: VertexId) -> bool {
        self.above[vertex].vertex == vertex
    }

    /// The same port, as the vertex's representative numbers it.
    ///
    /// Sums wrap round: no switch has so many ports, but a damaged journal may say so.
    pub(super) fn resolve(&mut self, place: Place) -> Place {
        let Place { mut vertex, mut port } = place;
        while self.above[vertex].vertex != vertex {
            let near = self.above[vertex];
            let next = self.above[near.vertex];
            // A representative has shift 0. Otherwise halve the way, for the next who asks.
            debug_assert!(
                next.vertex != near.vertex || next.port == 0,
                "{near:?} stands for itself, shifted"
            );
            self.above[vertex] = Place { vertex: next.vertex, port: near.port.wrapping_add(next.port) };
            port = port.wrapping_add(self.above[vertex].port);
            vertex = self.above[vertex].vertex;
        }
        Place { vertex, port }
    }

    /// Makes two ports one and the same, given as their representatives number them: the vertex of `goes` is
    /// represented by that of `stays` from now on. Gives what is to be added to the port numbers of `goes`.
    pub(super) fn unite(&mut self, stays: Place, goes: Place) -> i32 {
        assert_ne!(stays.vertex, goes.vertex, "a vertex cannot stand for itself under another shift");
        assert!(
            self.stands(stays.vertex) && self.stands(goes.vertex),
            "{stays:?}, {goes:?}: ask for both first"
        );
        let shift = stays.port.wrapping_sub(goes.port);
        self.above[goes.vertex] = Place { vertex: stays.vertex, port: shift };
        debug_assert_eq!(self.resolve(goes), stays);
        shift
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_add_up_however_vertices_are_united() {
        // Wrong if a way were shortened without its shifts: compared with offsets that are simply kept by vertex.
        let mut shifts = Shifts::default();
        let all = 64;
        (0..all).for_each(|_| _ = shifts.make());
        // Vertex v was entered by port v * v % 8: the true number of its port p is p + that.
        let truth = |place: Place| place.port + i32::try_from(place.vertex * place.vertex % 8).unwrap();
        for nth in 1..all {
            let (a, b) = (nth * 37 % all, nth * 11 % nth.max(1));
            let (a, b) = (Place { vertex: a, port: 0 }, Place { vertex: b, port: 0 });
            let b = Place { port: truth(a) - truth(b), ..b };
            let (a, b) = (shifts.resolve(a), shifts.resolve(b));
            if a.vertex != b.vertex {
                assert_eq!(truth(a), truth(b));
                shifts.unite(a, b);
            }
            for vertex in 0..all {
                let place = Place { vertex, port: 3 };
                assert_eq!(truth(shifts.resolve(place)), truth(place));
            }
        }
        assert_eq!(shifts.len(), all);
    }
}
