//! The model graph: what is known of the network, replicates merged as soon as they are recognised.
//!
//! A *vertex* is made for every answer to a probe; several may stand for one switch. Vertices known to be the
//! same switch form a *class*: a union-find forest in which every step carries the shift between the two port
//! numberings. A class knows at most one cable a port; when a second one turns up, both far ends must be the
//! same port of the same switch, which puts the pair on the merge list.
//!
//! # Source
//! Mainwaring et al. 1997, section 3.3, point 2 (merging with a merge list) for the labels of 3.1.2. Where
//! the paper moves neighbour lists between vertex objects and re-indexes them, the shifts are added up on the
//! way to a class's representative, the vertex that was made first. A host is one vertex: its name is its
//! label.

use std::collections::{BTreeMap, VecDeque};

use crate::ids::{Port, Turn};
use crate::topology::{End, Network};

/// A vertex, by order of making.
pub(super) type VertexId = usize;

/// A port, numbered as a vertex sees it: relative to the port at which the vertex was entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) vertex: VertexId,
    pub(super) port: i32,
}

#[derive(Debug)]
struct Vertex {
    /// The host's name; `None` for a switch.
    host: Option<String>,
    /// The turns that led to it first.
    route: Vec<Turn>,
    /// Of a representative: the cables of its class by port, each with its far end.
    cables: BTreeMap<i32, Place>,
    /// Of a representative: whether a vertex of its class has been explored.
    explored: bool,
    /// A vertex nearer to the representative (itself at the representative), and what is to be added to a
    /// port's number to get that vertex's number for it.
    parent: (VertexId, i32),
}

/// The model graph of one mapper.
#[derive(Debug, Default)]
pub(super) struct Model {
    vertices: Vec<Vertex>,
    hosts: BTreeMap<String, VertexId>,
    /// The merge list: pairs of places that are one and the same port.
    same: Vec<(Place, Place)>,
    contradiction: bool,
}

impl Model {
    /// A new switch vertex, found by `route`.
    pub(super) fn add_switch(&mut self, route: Vec<Turn>) -> VertexId {
        self.add(None, route)
    }

    /// The vertex of the host called `name`.
    pub(super) fn host(&mut self, name: &str) -> VertexId {
        if let Some(vertex) = self.hosts.get(name) {
            return *vertex;
        }
        let vertex = self.add(Some(name.to_owned()), Vec::new());
        self.hosts.insert(name.to_owned(), vertex);
        vertex
    }

    fn add(&mut self, host: Option<String>, route: Vec<Turn>) -> VertexId {
        let id = self.vertices.len();
        let cables = BTreeMap::new();
        self.vertices.push(Vertex { host, route, cables, explored: false, parent: (id, 0) });
        id
    }

    /// The turns that led to a vertex when it was made.
    pub(super) fn route(&self, vertex: VertexId) -> &[Turn] {
        &self.vertices[vertex].route
    }

    /// Whether the switch that a vertex stands for has been explored, by this or by another vertex of it.
    pub(super) fn is_explored(&mut self, vertex: VertexId) -> bool {
        let class = self.resolve(Place { vertex, port: 0 }).vertex;
        self.vertices[class].explored
    }

    /// Notes that the switch of a vertex is explored.
    pub(super) fn set_explored(&mut self, vertex: VertexId) {
        let class = self.resolve(Place { vertex, port: 0 }).vertex;
        self.vertices[class].explored = true;
    }

    /// Whether a cable is known at a place.
    pub(super) fn is_known(&mut self, place: Place) -> bool {
        let place = self.resolve(place);
        self.vertices[place.vertex].cables.contains_key(&place.port)
    }

    /// Whether the switch of a vertex and all switches next to it have been explored. Costs O(ports).
    pub(super) fn is_settled(&mut self, vertex: VertexId) -> bool {
        let class = self.resolve(Place { vertex, port: 0 }).vertex;
        let far: Vec<Place> = self.vertices[class].cables.values().copied().collect();
        let is_done = |model: &mut Model, place| {
            let far = model.resolve(place).vertex;
            model.vertices[far].explored || model.vertices[far].host.is_some()
        };
        self.vertices[class].explored && far.into_iter().all(|place| is_done(self, place))
    }

    /// A shortest way from the host `from` to the switch of `to`: its turns, and the port by which it enters, as
    /// `to` numbers it. `None` where the model shows none, or for a host. Costs O(vertices + cables).
    pub(super) fn way(&mut self, from: VertexId, to: VertexId) -> Option<(Vec<Turn>, i32)> {
        let target = self.resolve(Place { vertex: to, port: 0 });
        let first = *self.vertices[from].cables.values().next()?;
        let first = self.resolve(first);
        // Per class reached: the port of entry, the class before and the turn taken there.
        let mut reached: BTreeMap<VertexId, (i32, Option<(VertexId, i32)>)> = BTreeMap::new();
        reached.insert(first.vertex, (first.port, None));
        let mut queue = VecDeque::from([first.vertex]);
        while let Some(class) = queue.pop_front() {
            let entry = reached[&class].0;
            if class == target.vertex || self.vertices[class].host.is_some() {
                continue;
            }
            for (port, far) in self.vertices[class].cables.clone() {
                let far = self.resolve(far);
                reached.entry(far.vertex).or_insert_with(|| {
                    queue.push_back(far.vertex);
                    (far.port, Some((class, port - entry)))
                });
            }
        }
        let (entry, mut before) = *reached.get(&target.vertex)?;
        let mut turns = Vec::new();
        while let Some((class, turn)) = before {
            turns.push(Turn(i16::try_from(turn).ok()?));
            before = reached[&class].1;
        }
        turns.reverse();
        Some((turns, entry - target.port))
    }

    /// Whether what was seen cannot be one network.
    pub(super) fn is_contradictory(&self) -> bool {
        self.contradiction
    }

    /// Notes a cable between two places. Costs O(log vertices).
    pub(super) fn connect(&mut self, a: Place, b: Place) {
        let (a, b) = (self.resolve(a), self.resolve(b));
        self.contradiction |= a == b;
        for (near, far) in [(a, b), (b, a)] {
            self.lay(near, far);
        }
    }

    /// Puts a cable to `far` into the port `near` of a representative, or `far` on the merge list.
    fn lay(&mut self, near: Place, far: Place) {
        let there = self.vertices[near.vertex].cables.entry(near.port).or_insert(far);
        if *there != far {
            self.same.push((*there, far));
        }
    }

    /// Makes every deduction that follows from the merge list. Costs O(ports) for each pair of vertices
    /// merged.
    pub(super) fn merge(&mut self) {
        while let Some((a, b)) = self.same.pop() {
            let (a, b) = (self.resolve(a), self.resolve(b));
            if a.vertex == b.vertex {
                self.contradiction |= a.port != b.port;
            } else if self.vertices[a.vertex].host.is_some() || self.vertices[b.vertex].host.is_some() {
                // Two hosts of different names, or a host and a switch, in one place.
                self.contradiction = true;
            } else if a.vertex < b.vertex {
                self.absorb(a, b);
            } else {
                self.absorb(b, a);
            }
        }
    }

    /// Makes `b` and `a` the same port of the same class, represented by that of `a`.
    fn absorb(&mut self, a: Place, b: Place) {
        let shift = a.port - b.port;
        self.vertices[b.vertex].parent = (a.vertex, shift);
        self.vertices[a.vertex].explored |= self.vertices[b.vertex].explored;
        for (port, far) in std::mem::take(&mut self.vertices[b.vertex].cables) {
            self.lay(Place { vertex: a.vertex, port: port + shift }, far);
        }
    }

    /// The same port as its representative sees it. Costs O(log vertices) amortised.
    fn resolve(&mut self, place: Place) -> Place {
        let Place { mut vertex, mut port } = place;
        while self.vertices[vertex].parent.0 != vertex {
            let (parent, shift) = self.vertices[vertex].parent;
            let (above, further) = self.vertices[parent].parent;
            // Halve the path for the next caller.
            self.vertices[vertex].parent =
                if above == parent { (parent, shift) } else { (above, shift + further) };
            port += self.vertices[vertex].parent.1;
            vertex = self.vertices[vertex].parent.0;
        }
        Place { vertex, port }
    }

    /// Deletes, again and again, the switches whose only cable leads to another switch.
    ///
    /// # Source
    /// Mainwaring et al. 1997, section 3.1, PRUNE. A switch whose only cable leads to a host stays: the paper
    /// takes it for granted that there are two hosts, so that no such switch exists.
    pub(super) fn prune(&mut self) {
        let mut suspects: Vec<VertexId> = (0..self.vertices.len()).collect();
        while let Some(vertex) = suspects.pop() {
            if self.vertices[vertex].host.is_some() || self.vertices[vertex].cables.len() != 1 {
                continue;
            }
            let far = *self.vertices[vertex].cables.values().next().expect("it has one cable");
            let far = self.resolve(far);
            if self.vertices[far.vertex].host.is_none() {
                self.vertices[vertex].cables.clear();
                self.vertices[far.vertex].cables.remove(&far.port);
                suspects.push(far.vertex);
            }
        }
    }

    /// The network that the model shows: hosts and those switches that have a cable, in order of making.
    ///
    /// Switches have `ports` ports, or as many as their cables span; their lowest cabled port is 0. A switch
    /// that spans more than `ports`, or an end that two cables share, is a contradiction.
    pub(super) fn network(&mut self, name: &str, ports: u16) -> Network {
        let mut network = Network::new(name);
        let mut ends: BTreeMap<VertexId, (End, i32)> = BTreeMap::new();
        for (id, vertex) in self.vertices.iter().enumerate() {
            if let Some(host) = &vertex.host {
                let host = network.add_host(host.as_str()).expect("a name has one vertex");
                ends.insert(id, (End::host(host, 0), 0));
            }
        }
        let mut switches = 0;
        for (id, vertex) in self.vertices.iter().enumerate() {
            let (Some((low, _)), Some((high, _))) =
                (vertex.cables.first_key_value(), vertex.cables.last_key_value())
            else {
                continue;
            };
            if vertex.host.is_none() {
                let span = u16::try_from(high - low + 1).unwrap_or(u16::MAX);
                self.contradiction |= span > ports;
                let switch = network.add_switch(free_name(&network, &mut switches), span.max(ports));
                ends.insert(id, (End::switch(switch.expect("the name is free"), 0), *low));
            }
        }
        for id in 0..self.vertices.len() {
            for (port, far) in self.vertices[id].cables.clone() {
                let (near, far) = (Place { vertex: id, port }, self.resolve(far));
                if (near.vertex, near.port) <= (far.vertex, far.port) {
                    let cable = (end(&ends, near), end(&ends, far));
                    let laid = cable.0.zip(cable.1).map(|(a, b)| network.connect(a, b));
                    self.contradiction |= !matches!(laid, Some(Ok(_)));
                }
            }
        }
        network
    }
}

/// The next name `s0`, `s1`, ... that no host has.
pub(super) fn free_name(network: &Network, next: &mut u32) -> String {
    loop {
        let name = format!("s{next}");
        *next += 1;
        if network.find(&name).is_none() {
            return name;
        }
    }
}

fn end(ends: &BTreeMap<VertexId, (End, i32)>, place: Place) -> Option<End> {
    let (end, low) = ends.get(&place.vertex)?;
    Some(End { node: end.node, port: Port(u16::try_from(place.port - low).ok()?) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(vertex: VertexId, port: i32) -> Place {
        Place { vertex, port }
    }

    /// The mapper `h` at port 0 of a switch.
    fn begun() -> (Model, VertexId) {
        let mut model = Model::default();
        let h = model.host("h");
        let s = model.add_switch(Vec::new());
        model.connect(place(h, 0), place(s, 0));
        (model, s)
    }

    #[test]
    fn replicates_are_merged_through_a_host_and_their_neighbours_after_them() {
        // h - s, s:1 - t:0; then a replicate of s behind t:2, entered at its port 4 of s, known by h at -4;
        // and a replicate of t behind that.
        let (mut model, s) = begun();
        let t = model.add_switch(vec![Turn(1)]);
        model.connect(place(s, 1), place(t, 0));
        let again = model.add_switch(vec![Turn(1), Turn(2)]);
        model.connect(place(t, 2), place(again, 0));
        let t_again = model.add_switch(vec![Turn(1), Turn(2), Turn(-3)]);
        model.connect(place(again, -3), place(t_again, 0));
        model.set_explored(s);
        assert!(!model.is_explored(again));
        let h = model.host("h");
        model.connect(place(again, -4), place(h, 0));
        model.merge();
        assert!(model.is_explored(again), "a host has one switch");
        assert_eq!(model.resolve(place(again, 0)), place(s, 4));
        assert_eq!(model.resolve(place(t_again, 5)), place(t, 5), "and a port one cable");
        assert!(model.is_known(place(again, -3)) && !model.is_known(place(again, 1)));
        let network = model.network("map", 8);
        let found = (network.hosts().len(), network.switches().len(), network.links().len());
        assert_eq!((found, model.is_contradictory()), ((1, 2, 3), false));
    }

    #[test]
    fn a_cable_looped_back_is_one_cable() {
        // s:1 - s:3, seen from either end as a replicate with the mapper behind it.
        let (mut model, s) = begun();
        for (out, into) in [(1, 3), (3, 1)] {
            let again = model.add_switch(vec![Turn(out)]);
            model.connect(place(s, i32::from(out)), place(again, 0));
            let h = model.host("h");
            model.connect(place(again, -into), place(h, 0));
        }
        model.merge();
        let network = model.network("map", 8);
        assert_eq!((network.switches().len(), network.links().len()), (1, 2));
        assert!(!model.is_contradictory());
    }

    #[test]
    fn pruning_takes_branches_that_end_in_switches() {
        // A branch of two switches goes; the mapper's own switch stays though it has a single cable then.
        let (mut model, s) = begun();
        let t = model.add_switch(vec![Turn(1)]);
        model.connect(place(s, 1), place(t, 0));
        let u = model.add_switch(vec![Turn(1), Turn(1)]);
        model.connect(place(t, 1), place(u, 0));
        model.prune();
        let network = model.network("map", 8);
        assert_eq!((network.hosts().len(), network.switches().len(), network.links().len()), (1, 1, 1));
    }

    #[test]
    fn what_cannot_be_is_noted() {
        // One host at two ports of a switch; two hosts at one port.
        for (second, port) in [("h", 2), ("g", 0)] {
            let (mut model, s) = begun();
            let host = model.host(second);
            model.connect(place(s, port), place(host, 0));
            model.merge();
            assert!(model.is_contradictory(), "{second} at {port}");
            model.network("map", 8);
        }
    }
}
