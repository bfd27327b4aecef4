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
//!
//! # Validation
//! Tests below; `tests/it/mapper_simplified.rs` compares the maps with those of labels as printed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::growth::{Change, Journal, Spot};
use super::{Growth, Memory};
use crate::ids::{LinkId, Port, Turn};
use crate::topology::{End, Network};

/// A vertex, by order of making.
pub(super) type VertexId = usize;

/// A port, numbered as a vertex sees it: relative to the port at which the vertex was entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) vertex: VertexId,
    pub(super) port: i32,
}

/// One end of a cable, as the port that it is in knows it.
#[derive(Clone, Copy, Debug)]
struct Cable {
    /// The other end.
    far: Place,
    /// The place out of which the question went that found it, as it was when it was asked.
    found_from: Place,
    /// The answers that came over it.
    answers: u32,
}

#[derive(Debug)]
struct Vertex {
    /// The host's name; `None` for a switch.
    host: Option<String>,
    /// The turns that led to it first.
    route: Vec<Turn>,
    /// The port of another vertex out of which the last of them led; `None` for the first two vertices.
    beyond: Option<Place>,
    /// Of a representative: the cables of its class by port.
    cables: BTreeMap<i32, Cable>,
    /// Of a representative: by port, how many questions out of it brought nothing.
    noes: BTreeMap<i32, u32>,
    /// Of a representative: whether a vertex of its class has been explored.
    explored: bool,
    /// Of a representative not explored: how many vertices of its class wait to be.
    waiting: u64,
    /// A vertex nearer to the representative (itself at the representative), and what is to be added to a
    /// port's number to get that vertex's number for it.
    parent: (VertexId, i32),
}

/// What the model takes, as a firmware would store it.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    nodes: u64,
    /// Ends of cables.
    ends: u64,
    turns: u64,
    /// Vertices that wait to be explored.
    waiting: u64,
}

/// The model graph of one mapper.
#[derive(Debug, Default)]
pub(super) struct Model {
    vertices: Vec<Vertex>,
    hosts: BTreeMap<String, VertexId>,
    /// The merge list: pairs of places that are one and the same port.
    same: Vec<(Place, Place)>,
    contradiction: bool,
    /// Whether vertices that were merged away still take room.
    keep_merged: bool,
    size: Size,
    /// Places whose cable led to switches that were pruned.
    pruned: Vec<Place>,
    /// How the model grew.
    pub(super) journal: Journal,
    /// The journal's vertex that is the first of this model.
    first: u32,
}

/// A model drawn as a network.
#[derive(Debug)]
pub(super) struct Drawing {
    /// Hosts and those switches that have a cable, in order of making.
    pub(super) network: Network,
    /// Cables over which one answer came, or none.
    pub(super) once_seen: BTreeSet<LinkId>,
    /// Ports taken for empty on one question or none.
    pub(super) once_asked: BTreeSet<End>,
    /// Ports whose cable led to switches that were pruned.
    pub(super) pruned: BTreeSet<End>,
}

impl Model {
    /// An empty model; `keep_merged`: vertices that are merged away count as before.
    pub(super) fn new(keep_merged: bool) -> Model {
        Model { keep_merged, ..Model::default() }
    }

    /// Forgets all, and goes on with the same journal.
    pub(super) fn forget(&mut self) {
        let (keep_merged, mut journal) = (self.keep_merged, std::mem::take(&mut self.journal));
        journal.note(Change::Forgotten);
        let first = self.first + u32::try_from(self.vertices.len()).unwrap_or(u32::MAX);
        *self = Model { keep_merged, journal, first, ..Model::default() };
    }

    /// A place as the journal knows it.
    fn spot(&self, place: Place) -> Spot {
        Spot { vertex: self.first + u32::try_from(place.vertex).unwrap_or(u32::MAX), port: place.port }
    }

    /// A new switch vertex, found by `route`, whose last turn led out of `beyond`.
    pub(super) fn add_switch(&mut self, route: Vec<Turn>, beyond: Option<Place>) -> VertexId {
        self.add(None, route, beyond)
    }

    /// The vertex of the host called `name`.
    pub(super) fn host(&mut self, name: &str) -> VertexId {
        if let Some(vertex) = self.hosts.get(name) {
            return *vertex;
        }
        let vertex = self.add(Some(name.to_owned()), Vec::new(), None);
        self.hosts.insert(name.to_owned(), vertex);
        vertex
    }

    fn add(&mut self, host: Option<String>, route: Vec<Turn>, beyond: Option<Place>) -> VertexId {
        let id = self.vertices.len();
        match &host {
            Some(name) => self.journal.host(name),
            None => self.journal.switch(),
        };
        self.size.nodes += 1;
        self.size.turns += route.len() as u64;
        let (cables, noes) = (BTreeMap::new(), BTreeMap::new());
        self.vertices.push(Vertex {
            host,
            route,
            beyond,
            cables,
            noes,
            explored: false,
            waiting: 0,
            parent: (id, 0),
        });
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

    /// Notes that the switch of a vertex is explored; none of its vertices waits for that any more.
    pub(super) fn set_explored(&mut self, vertex: VertexId) {
        let Spot { vertex: noted, .. } = self.spot(Place { vertex, port: 0 });
        self.journal.note(Change::Explored { vertex: noted });
        let class = self.resolve(Place { vertex, port: 0 }).vertex;
        self.vertices[class].explored = true;
        self.size.waiting -= std::mem::take(&mut self.vertices[class].waiting);
    }

    /// Notes that a vertex that is not explored waits to be, or no longer does.
    pub(super) fn set_waiting(&mut self, vertex: VertexId, waits: bool) {
        let class = self.resolve(Place { vertex, port: 0 }).vertex;
        if !self.vertices[class].explored {
            for count in [&mut self.vertices[class].waiting, &mut self.size.waiting] {
                *count = if waits { *count + 1 } else { *count - 1 };
            }
        }
    }

    /// Whether a cable is known at a place.
    pub(super) fn is_known(&mut self, place: Place) -> bool {
        let place = self.resolve(place);
        self.vertices[place.vertex].cables.contains_key(&place.port)
    }

    /// Whether a place is a port at all, as far as its switch's cables and `ports` a switch tell.
    pub(super) fn may_be_port(&mut self, place: Place, ports: u16) -> bool {
        let place = self.resolve(place);
        let cables = &self.vertices[place.vertex].cables;
        let (Some((low, _)), Some((high, _))) = (cables.first_key_value(), cables.last_key_value()) else {
            return true;
        };
        place.port - low < i32::from(ports) && high - place.port < i32::from(ports)
    }

    /// How many hosts were seen.
    pub(super) fn hosts(&self) -> usize {
        self.hosts.len()
    }

    /// Whether a vertex is a host.
    pub(super) fn is_host(&self, vertex: VertexId) -> bool {
        self.vertices[vertex].host.is_some()
    }

    /// The cable at a place, known by one of its ends, always the same: representative and port.
    pub(super) fn cable_at(&mut self, place: Place) -> (VertexId, i32) {
        let near = self.resolve(place);
        let far = self.vertices[near.vertex].cables.get(&near.port).map(|cable| cable.far);
        let far = far.map_or(near, |far| self.resolve(far));
        (near.vertex, near.port).min((far.vertex, far.port))
    }

    /// Whether the switch of a vertex and all switches next to it have been explored. Costs O(ports).
    pub(super) fn is_settled(&mut self, vertex: VertexId) -> bool {
        let class = self.resolve(Place { vertex, port: 0 }).vertex;
        let far: Vec<Place> = self.vertices[class].cables.values().map(|cable| cable.far).collect();
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
        let first = self.vertices[from].cables.values().next()?.far;
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
            for (port, cable) in self.vertices[class].cables.clone() {
                let far = self.resolve(cable.far);
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

    /// Whether a switch that is cabled to anything has not been explored. Costs O(vertices).
    pub(super) fn is_unexplored(&self) -> bool {
        let mut all = self.vertices.iter();
        all.any(|vertex| vertex.host.is_none() && !vertex.cables.is_empty() && !vertex.explored)
    }

    /// Whether what was seen cannot be one network.
    pub(super) fn is_contradictory(&self) -> bool {
        self.contradiction
    }

    /// The model's size.
    pub(super) fn growth(&self) -> Growth {
        // The cable between the mapper and its switch, and every other, has two ends.
        Growth { nodes: self.size.nodes, edges: self.size.ends / 2, frontier: self.size.waiting }
    }

    /// The bytes that the model takes by [`Memory`]'s account, the queue of switches to explore counted in.
    pub(super) fn bytes(&self) -> u64 {
        let Size { nodes, ends, turns, waiting } = self.size;
        nodes * Memory::NODE + ends * Memory::PORT + turns * Memory::TURN + waiting * Memory::ENTRY
    }

    /// Notes a cable between two places, which an answer to a question out of `a` has shown. Costs O(log
    /// vertices).
    pub(super) fn connect(&mut self, a: Place, b: Place) {
        let found_from = a;
        self.journal.cable(self.spot(a), self.spot(b));
        let (a, b) = (self.resolve(a), self.resolve(b));
        self.contradiction |= a == b;
        for (near, far) in [(a, b), (b, a)] {
            self.lay(near, Cable { far, found_from, answers: 1 });
        }
        let beyond = self.vertices[found_from.vertex].beyond;
        self.answer_came_over(beyond);
    }

    /// Counts an answer for the cable at `place` and for those on the way to it.
    fn answer_came_over(&mut self, mut place: Option<Place>) {
        while let Some(near) = place {
            place = self.vertices[near.vertex].beyond;
            let near = self.resolve(near);
            let Some(cable) = self.vertices[near.vertex].cables.get(&near.port) else { continue };
            let far = self.resolve(cable.far);
            for end in [near, far] {
                if let Some(cable) = self.vertices[end.vertex].cables.get_mut(&end.port) {
                    cable.answers += 1;
                }
            }
        }
    }

    /// Notes that so many questions out of a place brought nothing.
    pub(super) fn deny(&mut self, place: Place, questions: u32) {
        let place = self.resolve(place);
        *self.vertices[place.vertex].noes.entry(place.port).or_default() += questions;
    }

    /// Counts one more answer for the cable at a place; questions out of it that brought nothing were wrong.
    pub(super) fn confirm(&mut self, place: Place) {
        self.answer_came_over(Some(place));
    }

    /// Puts a cable into the port `near` of a representative, or its far end on the merge list.
    fn lay(&mut self, near: Place, cable: Cable) {
        let cables = &mut self.vertices[near.vertex].cables;
        let Some(there) = cables.get_mut(&near.port) else {
            cables.insert(near.port, cable);
            self.size.ends += 1;
            return;
        };
        there.answers += cable.answers;
        self.size.ends += u64::from(self.keep_merged);
        if there.far != cable.far {
            let pair = (there.far, cable.far);
            self.same.push(pair);
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
        let into = self.spot(Place { vertex: a.vertex, port: shift });
        self.journal.note(Change::Merged { vertex: self.spot(b).vertex, into });
        self.vertices[b.vertex].parent = (a.vertex, shift);
        self.vertices[a.vertex].explored |= self.vertices[b.vertex].explored;
        self.vertices[a.vertex].waiting += std::mem::take(&mut self.vertices[b.vertex].waiting);
        if self.vertices[a.vertex].explored {
            self.size.waiting -= std::mem::take(&mut self.vertices[a.vertex].waiting);
        }
        let cables = std::mem::take(&mut self.vertices[b.vertex].cables);
        self.size.ends -= cables.len() as u64;
        if !self.keep_merged {
            self.size.nodes -= 1;
            self.size.turns -= self.vertices[b.vertex].route.len() as u64;
        }
        for (port, cable) in cables {
            self.lay(Place { vertex: a.vertex, port: port + shift }, cable);
        }
        for (port, noes) in std::mem::take(&mut self.vertices[b.vertex].noes) {
            *self.vertices[a.vertex].noes.entry(port + shift).or_default() += noes;
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
            let far = self.vertices[vertex].cables.values().next().expect("it has one cable").far;
            let far = self.resolve(far);
            if self.vertices[far.vertex].host.is_none() {
                self.journal.note(Change::Pruned { at: self.spot(far) });
                self.vertices[vertex].cables.clear();
                self.vertices[far.vertex].cables.remove(&far.port);
                self.pruned.push(far);
                suspects.push(far.vertex);
            }
        }
    }

    /// Every cable over which a single answer came: the turns of the question that found it, and the place out
    /// of which it went.
    pub(super) fn once_seen(&self) -> Vec<(Vec<Turn>, Place)> {
        let cables = self.vertices.iter().flat_map(|vertex| vertex.cables.values());
        let once: BTreeSet<(VertexId, i32)> = cables
            .filter(|cable| cable.answers == 1)
            .map(|cable| (cable.found_from.vertex, cable.found_from.port))
            .collect();
        let question = |(vertex, port): (VertexId, i32)| {
            let turn = i16::try_from(port).ok().filter(|turn| *turn != 0)?;
            let turns = self.route(vertex).iter().copied().chain([Turn(turn)]).collect();
            Some((turns, Place { vertex, port }))
        };
        once.into_iter().filter_map(question).collect()
    }

    /// Draws the network that the model shows.
    ///
    /// Switches have `ports` ports, or as many as their cables span; their lowest port that leads anywhere is 0.
    /// A switch that spans more than `ports`, or an end that two cables share, is a contradiction.
    pub(super) fn draw(&mut self, name: &str, ports: u16) -> Drawing {
        let mut network = Network::new(name);
        let mut ends: BTreeMap<VertexId, (End, i32)> = BTreeMap::new();
        for (id, vertex) in self.vertices.iter().enumerate() {
            if let Some(host) = &vertex.host {
                let host = network.add_host(host.as_str()).expect("a name has one vertex");
                ends.insert(id, (End::host(host, 0), 0));
            }
        }
        let pruned = std::mem::take(&mut self.pruned);
        let pruned: Vec<Place> = pruned.into_iter().map(|place| self.resolve(place)).collect();
        let mut switches = 0;
        let mut once_asked = BTreeSet::new();
        for (id, vertex) in self.vertices.iter().enumerate().filter(|(_, vertex)| vertex.host.is_none()) {
            let cables = &vertex.cables;
            if cables.is_empty() {
                continue;
            }
            let beside = pruned.iter().filter(|place| place.vertex == id).map(|place| place.port);
            let used: BTreeSet<i32> = cables.keys().copied().chain(beside).collect();
            let (low, high) = used.first().zip(used.last()).map_or((0, 0), |(low, high)| (*low, *high));
            let span = u16::try_from(high - low + 1).unwrap_or(u16::MAX);
            self.contradiction |= span > ports;
            let switch = network.add_switch(free_name(&network, &mut switches), span.max(ports));
            let switch = switch.expect("the name is free");
            ends.insert(id, (End::switch(switch, 0), low));
            for port in 0..span.max(ports) {
                let own = low + i32::from(port);
                let asked = vertex.noes.get(&own).copied().unwrap_or(0);
                if !cables.contains_key(&own) && asked <= 1 {
                    once_asked.insert(End::switch(switch, port));
                }
            }
        }
        let once_seen = self.lay_cables(&mut network, &ends);
        let pruned = pruned.into_iter().filter_map(|place| end(&ends, place)).collect();
        let once_asked = once_asked.difference(&pruned).copied().collect();
        Drawing { network, once_seen, once_asked, pruned }
    }

    /// Lays the model's cables in a network whose nodes stand; gives those over which one answer came.
    fn lay_cables(
        &mut self,
        network: &mut Network,
        ends: &BTreeMap<VertexId, (End, i32)>,
    ) -> BTreeSet<LinkId> {
        let mut once_seen = BTreeSet::new();
        for id in 0..self.vertices.len() {
            for (port, cable) in self.vertices[id].cables.clone() {
                let (near, far) = (Place { vertex: id, port }, self.resolve(cable.far));
                if (near.vertex, near.port) <= (far.vertex, far.port) {
                    let laid = end(ends, near).zip(end(ends, far)).map(|(a, b)| network.connect(a, b));
                    match laid {
                        Some(Ok(link)) if cable.answers <= 1 => _ = once_seen.insert(link),
                        Some(Ok(_)) => {}
                        _ => self.contradiction = true,
                    }
                }
            }
        }
        once_seen
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
        let s = model.add_switch(Vec::new(), None);
        model.connect(place(h, 0), place(s, 0));
        (model, s)
    }

    #[test]
    fn replicates_are_merged_through_a_host_and_their_neighbours_after_them() {
        // h - s, s:1 - t:0; then a replicate of s behind t:2, entered at its port 4 of s, known by h at -4;
        // and a replicate of t behind that.
        let (mut model, s) = begun();
        let t = model.add_switch(vec![Turn(1)], Some(place(s, 1)));
        model.connect(place(s, 1), place(t, 0));
        let again = model.add_switch(vec![Turn(1), Turn(2)], Some(place(t, 2)));
        model.connect(place(t, 2), place(again, 0));
        let t_again = model.add_switch(vec![Turn(1), Turn(2), Turn(-3)], Some(place(again, -3)));
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
        let network = model.draw("map", 8).network;
        let found = (network.hosts().len(), network.switches().len(), network.links().len());
        assert_eq!((found, model.is_contradictory()), ((1, 2, 3), false));
    }

    #[test]
    fn a_cable_looped_back_is_one_cable() {
        // s:1 - s:3, seen from either end as a replicate with the mapper behind it.
        let (mut model, s) = begun();
        for (out, into) in [(1, 3), (3, 1)] {
            let again = model.add_switch(vec![Turn(out)], Some(place(s, i32::from(out))));
            model.connect(place(s, i32::from(out)), place(again, 0));
            let h = model.host("h");
            model.connect(place(again, -into), place(h, 0));
        }
        model.merge();
        let network = model.draw("map", 8).network;
        assert_eq!((network.switches().len(), network.links().len()), (1, 2));
        assert!(!model.is_contradictory());
    }

    #[test]
    fn pruning_takes_branches_that_end_in_switches() {
        // A branch of two switches goes; the mapper's own switch stays though it has a single cable then.
        let (mut model, s) = begun();
        let t = model.add_switch(vec![Turn(1)], Some(place(s, 1)));
        model.connect(place(s, 1), place(t, 0));
        let u = model.add_switch(vec![Turn(1), Turn(1)], Some(place(t, 1)));
        model.connect(place(t, 1), place(u, 0));
        model.prune();
        let network = model.draw("map", 8).network;
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
            model.draw("map", 8);
        }
    }
}
