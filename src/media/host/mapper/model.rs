//! A mapper's model of the network: vertices, the cables between their ports, and which vertices are one switch.
//!
//! All mappers keep what they know in this one model; they differ in what they ask. A *vertex* is made for a host, or
//! for a switch that has answered. A switch vertex numbers its ports from the one by which it was entered, which is its
//! port 0; a host has the one port 0.
//!
//! How a mapper comes to know that two answers were given by the same switch is its `Recognition`. The Berkeley
//! mapper finds out afterwards: several vertices stand for one switch until they are merged (`merging`). The others
//! ask before they make a vertex; to them two cables in one port are a contradiction.
//!
//! Every change of the model is a [`Change`] in its [`Journal`]; [`Model::play`] makes the model again from those.
//!
//! # Source
//! Mainwaring et al. 1997, section 3.1.1: the model graph M, vertices with *neighbors* by *relative port number*. A
//! host is one vertex from the start: its name is its label.
//!
//! # Validation
//! Tests below and in the files; `tests/media/properties/growth.rs`: of every algorithm, the model made again from the
//! journal is the map. `tests/media/properties/mapper_simplified.rs` compares the maps with those of labels as printed.

mod confirmation;
mod drawing;
mod journal;
mod merging;
mod play;
mod routes;
mod shifts;
mod size;

use std::collections::BTreeMap;

pub(super) use confirmation::CONFIRMED;
pub(super) use drawing::{Drawing, Plan, Sketch};
pub use journal::{Change, Journal, Step};
pub use play::Misfit;
use shifts::Shifts;
pub use size::Sizes;
use size::Tally;

use simnet_base::ids::Turn;

/// A vertex, by order of making, hosts among them.
pub type VertexId = usize;

/// A port of a vertex, as the vertex numbers it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The vertex.
    pub vertex: VertexId,
    /// Its port: relative to the port by which the vertex was entered; a host's is 0.
    pub port: i32,
}

impl Place {
    /// The port by which a vertex was entered.
    pub(super) fn entry(vertex: VertexId) -> Place {
        Place { vertex, port: 0 }
    }
}

/// When a mapper knows which switch it was that answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recognition {
    /// After it has become a vertex: vertices that must be one switch are merged.
    Afterwards {
        /// Whether vertices that were merged away still take room.
        keep_merged: bool,
    },
    /// Before it becomes a vertex, so that no two vertices are one switch.
    Before,
}

/// What a port's cable leads to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Far {
    /// Nothing, as far as is known.
    #[default]
    Nothing,
    /// A switch, and it is not known yet which: it turned a message round.
    Open,
    /// This port.
    Cable(Place),
}

/// What is known of a port.
#[derive(Clone, Copy, Debug, Default)]
struct Port {
    far: Far,
    /// The place of the question that found the cable, as it was when it was asked.
    found_from: Place,
    /// The answers that came through it.
    answers: u32,
    /// The questions out of it that brought nothing.
    noes: u32,
}

#[derive(Debug)]
struct Vertex {
    /// The host's name; `None` for a switch.
    host: Option<String>,
    /// The turns that led to it first.
    route: Vec<Turn>,
    /// The port of another vertex from which the last of them led; `None` if that is not known.
    from: Option<Place>,
    /// Of a vertex that stands for its switch: its known ports.
    ports: BTreeMap<i32, Port>,
    /// Of a vertex that stands: whether one of its switch's vertices has been explored.
    explored: bool,
    /// Of a vertex that stands and was not explored: how many of its switch's vertices wait to be.
    waiting: u64,
}

impl Vertex {
    /// The ports whose cable is known from both ends, and the other ends.
    fn cables(&self) -> impl Iterator<Item = (i32, Place)> + '_ {
        self.ports.iter().filter_map(|(port, known)| match known.far {
            Far::Cable(far) => Some((*port, far)),
            Far::Open | Far::Nothing => None,
        })
    }

    /// The cable, if it is the only one.
    fn only_cable(&self) -> Option<(i32, Place)> {
        let mut cables = self.cables();
        cables.next().filter(|_| cables.next().is_none())
    }

    /// The ports that have a cable, whether it is known or not what it leads to.
    fn cabled(&self) -> impl DoubleEndedIterator<Item = i32> + '_ {
        self.ports.iter().filter(|(_, known)| known.far != Far::Nothing).map(|(port, _)| *port)
    }
}

/// The model of one mapper. Changes cost O(log vertices) unless they say otherwise.
#[derive(Debug)]
pub struct Model {
    recognition: Recognition,
    vertices: Vec<Vertex>,
    shifts: Shifts,
    /// Vertices before this one are forgotten.
    first: VertexId,
    hosts: BTreeMap<String, VertexId>,
    /// The merge list: pairs of places that are one and the same port.
    same: Vec<(Place, Place)>,
    contradiction: bool,
    /// Cables found in ports that were recorded as empty.
    recovered: u64,
    /// Places whose cable led to switches that were pruned.
    pruned: Vec<Place>,
    tally: Tally,
    /// How the model grew.
    pub(super) journal: Journal,
}

impl Default for Model {
    /// An empty model, to be played.
    fn default() -> Model {
        Model::new(Recognition::Afterwards { keep_merged: false })
    }
}

impl Model {
    /// An empty model.
    pub(super) fn new(recognition: Recognition) -> Model {
        Model {
            recognition,
            vertices: Vec::new(),
            shifts: Shifts::default(),
            first: 0,
            hosts: BTreeMap::new(),
            same: Vec::new(),
            contradiction: false,
            recovered: 0,
            pruned: Vec::new(),
            tally: Tally::default(),
            journal: Journal::default(),
        }
    }

    /// The model of a mapper that knows nothing but its own host, and each switch before it becomes a vertex.
    pub(super) fn without_replicates(mapper: &str) -> Model {
        let mut model = Model::new(Recognition::Before);
        model.host(mapper);
        model
    }

    /// Forgets all, and goes on with the same journal.
    pub(super) fn forget(&mut self) {
        self.journal.note(Change::Forgotten);
        self.clear();
    }

    /// Leaves nothing of the vertices but their numbers.
    fn clear(&mut self) {
        self.vertices.iter_mut().for_each(|vertex| vertex.ports.clear());
        self.first = self.vertices.len();
        self.hosts.clear();
        self.same.clear();
        self.pruned.clear();
        (self.contradiction, self.recovered, self.tally) = (false, 0, Tally::default());
    }

    /// A new switch vertex, found by `route`, whose last turn led out of the port `from`.
    pub(super) fn add_switch(&mut self, route: Vec<Turn>, from: Option<Place>) -> VertexId {
        self.journal.switch();
        self.make(None, route, from)
    }

    /// The vertex of the host called `name`, made if it is new.
    pub(super) fn host(&mut self, name: &str) -> VertexId {
        self.hosts.get(name).copied().unwrap_or_else(|| self.add_host(name, None))
    }

    /// A new host vertex, heard of first out of the port `from`.
    pub(super) fn add_host(&mut self, name: &str, from: Option<Place>) -> VertexId {
        self.journal.host(name);
        self.make(Some(name), Vec::new(), from)
    }

    fn make(&mut self, host: Option<&str>, route: Vec<Turn>, from: Option<Place>) -> VertexId {
        let vertex = self.shifts.make();
        assert_eq!(vertex, self.vertices.len(), "every vertex has its place in the forest");
        *(if host.is_some() { &mut self.tally.hosts } else { &mut self.tally.switches }) += 1;
        self.tally.turns += route.len() as u64;
        let host = host.map(str::to_owned);
        self.hosts.extend(host.clone().map(|name| (name, vertex)));
        let ports = BTreeMap::new();
        self.vertices.push(Vertex { host, route, from, ports, explored: false, waiting: 0 });
        vertex
    }

    /// Notes a cable between two places, found out of `a`, for which so many answers speak by themselves.
    pub(super) fn connect(&mut self, a: Place, b: Place, answers: u32) {
        self.journal.cable(a, b);
        self.join(a, b, answers);
    }

    /// Notes a cable that the answer to a question out of `a` has shown.
    pub(super) fn connect_answered(&mut self, a: Place, b: Place) {
        self.connect(a, b, 1);
        let way = self.vertices[a.vertex].from;
        self.credit_all(way);
    }

    fn join(&mut self, a: Place, b: Place, answers: u32) {
        let found_from = a;
        let (a, b) = (self.resolve(a), self.resolve(b));
        // A plug that leads a port's messages back into it is no cable of a network.
        self.contradiction |= a == b;
        // Answers may have come through either port before it was known that they are the two ends of a cable.
        let before = self.answers_without_cable(a) + self.answers_without_cable(b);
        for (near, far) in [(a, b), (b, a)] {
            self.lay(near, far, found_from, (answers, before));
        }
    }

    /// Puts an end of a cable into the port `near` of a vertex that stands; where another is in it, one of the two is
    /// the other (mainwaring1997, section 3.3: "all of these should be merged into one vertex"), or answers lie.
    /// `answers`: those that this cable brings, and those that came through a port without one before.
    fn lay(&mut self, near: Place, far: Place, found_from: Place, (answers, before): (u32, u32)) {
        debug_assert!(self.shifts.stands(near.vertex), "a cable at {near:?} would be forgotten");
        let vertex = &mut self.vertices[near.vertex];
        let is_switch = vertex.host.is_none();
        let port = vertex.ports.entry(near.port).or_default();
        if let Far::Cable(there) = port.far {
            port.answers += answers;
            self.tally.repeats += 1;
            match self.recognition {
                _ if there == far => {}
                // Not merged at once: a merger here would move ports under the feet of who is laying this cable.
                Recognition::Afterwards { .. } => self.same.push((there, far)),
                // The older knowledge stays.
                Recognition::Before => self.contradiction = true,
            }
            return;
        }
        if port.far == Far::Nothing {
            self.tally.kept_ports += u64::from(is_switch && port.noes == 0);
            self.recovered += u64::from(port.noes > 0);
        }
        *port = Port { far: Far::Cable(far), found_from, answers: answers + before, noes: port.noes };
        self.tally.ends += 1;
    }

    /// A switch that is known to be new, entered by `route`, whose last turn led out of `from`; `None`: by the cable of
    /// the mapper's host, the first vertex. Every answer comes through that, so that it needs no confirmation.
    pub(super) fn enter(&mut self, from: Option<Place>, route: Vec<Turn>) -> VertexId {
        let switch = self.add_switch(route, from);
        match from {
            Some(from) => self.connect_free(from, Place::entry(switch)),
            None => self.attach(Place::entry(switch), self.first, CONFIRMED),
        }
        switch
    }

    /// Notes that the cable of the mapper's host leads to another host.
    pub(super) fn face_host(&mut self, name: &str) {
        let (mapper, other) = (Place::entry(self.first), Place::entry(self.host(name)));
        self.connect(mapper, other, CONFIRMED);
    }

    /// Notes that the host called `name` is cabled to a port of a switch; refuses what cannot be.
    pub(super) fn place_host(&mut self, at: Place, name: &str) {
        let host = self.host(name);
        self.attach(at, host, 0);
    }

    fn attach(&mut self, at: Place, host: VertexId, answers: u32) {
        let host = Place::entry(host);
        match (self.far(host), self.far(at)) {
            (Far::Nothing, Far::Nothing) => {
                // What was known before leads to what was not.
                let (near, far) = if host.vertex < at.vertex { (host, at) } else { (at, host) };
                self.connect(near, far, answers);
            }
            (Far::Cable(place), Far::Cable(there)) if (place, there) == (at, host) => {}
            _ => self.contradiction = true,
        }
    }

    /// Notes a cable between ports of two switches, or of one; refuses what cannot be.
    pub(super) fn connect_free(&mut self, a: Place, b: Place) {
        match (self.far(a), self.far(b)) {
            (Far::Cable(there), Far::Cable(here)) if (there, here) == (b, a) => {}
            (Far::Nothing | Far::Open, Far::Nothing | Far::Open) if a != b => self.connect(a, b, 0),
            _ => self.contradiction = true,
        }
    }

    /// Notes that some switch is at the end of a port's cable; says whether nothing was known to be there.
    pub(super) fn open(&mut self, at: Place) -> bool {
        let is_news = self.far(at) == Far::Nothing;
        if is_news {
            self.journal.note(Change::Open { at });
            self.set_open(at);
        }
        is_news
    }

    fn set_open(&mut self, at: Place) {
        let port = self.vertices[at.vertex].ports.entry(at.port).or_default();
        self.tally.kept_ports += u64::from(port.noes == 0);
        (port.far, port.noes) = (Far::Open, 0);
    }

    /// Notes something that cannot be.
    pub(super) fn contradict(&mut self) {
        self.contradiction = true;
    }

    /// Whether what was seen cannot be one network.
    pub(super) fn is_contradictory(&self) -> bool {
        self.contradiction
    }

    /// How many cables were found in ports that were recorded as empty.
    pub(super) fn recovered(&self) -> u64 {
        self.recovered
    }

    fn port(&self, place: Place) -> Option<&Port> {
        self.vertices[place.vertex].ports.get(&place.port)
    }

    /// The same port, as the vertex numbers it that stands for its switch.
    ///
    /// # Panics
    /// If no such vertex was made.
    pub fn resolve(&mut self, place: Place) -> Place {
        self.shifts.resolve(place)
    }

    /// What the cable of a port leads to; of a vertex that stands.
    pub(super) fn far(&self, place: Place) -> Far {
        self.port(place).map_or(Far::Nothing, |port| port.far)
    }

    /// The port at the other end of a port's cable, if that is known; of a vertex that stands.
    pub(super) fn peer(&self, place: Place) -> Option<Place> {
        match self.far(place) {
            Far::Cable(far) => Some(far),
            Far::Open | Far::Nothing => None,
        }
    }

    /// Whether a cable is known at a place.
    pub(super) fn is_known(&mut self, place: Place) -> bool {
        let place = self.resolve(place);
        self.peer(place).is_some()
    }

    /// The lowest and the highest port that have a cable; of a vertex that stands.
    pub(super) fn extent(&self, vertex: VertexId) -> Option<(i32, i32)> {
        let mut cabled = self.vertices[vertex].cabled();
        let low = cabled.next()?;
        Some((low, cabled.next_back().unwrap_or(low)))
    }

    /// Whether a place is a port at all, as far as its switch's cables and `ports` a switch show.
    ///
    /// The port of entry may be any, so that ports are known but for a constant, and what bounds them are ports that
    /// have a cable: two of one switch are less than `ports` apart.
    ///
    /// # Source
    /// Mainwaring et al. 1997, section 3.3, point 3, of 8 ports: with "two turns separated by a distance of 7 that are
    /// successful, we are done". The bound here counts cables that mergers have brought as well.
    pub(super) fn may_be_port(&mut self, place: Place, ports: u16) -> bool {
        let Place { vertex, port } = self.resolve(place);
        let (low, high) = self.extent(vertex).unwrap_or((port, port));
        port - low < i32::from(ports) && high - port < i32::from(ports)
    }

    /// The ports of a switch in order, with what they lead to; of a vertex that stands.
    pub(super) fn ports(&self, vertex: VertexId) -> impl Iterator<Item = (i32, Far)> + '_ {
        self.vertices[vertex].ports.iter().map(|(port, known)| (*port, known.far))
    }

    /// The ports of a switch that hosts are known at; of a vertex that stands.
    pub(super) fn host_ports(&self, vertex: VertexId) -> impl Iterator<Item = i32> + '_ {
        self.vertices[vertex].cables().filter(|(_, far)| self.is_host(far.vertex)).map(|(port, _)| port)
    }

    /// The hosts by name.
    pub(super) fn hosts(&self) -> &BTreeMap<String, VertexId> {
        &self.hosts
    }

    /// Where the host called `name` is cabled to, if that is known.
    pub(super) fn place_of(&self, name: &str) -> Option<Place> {
        self.peer(Place::entry(*self.hosts.get(name)?))
    }

    /// Whether a vertex is a host.
    pub(super) fn is_host(&self, vertex: VertexId) -> bool {
        self.vertices[vertex].host.is_some()
    }

    /// The switch vertices in order of making.
    pub(super) fn switches(&self) -> impl DoubleEndedIterator<Item = VertexId> + '_ {
        (self.first..self.vertices.len()).filter(|vertex| !self.is_host(*vertex))
    }

    /// The turns that led to a vertex when it was made.
    pub(super) fn route(&self, vertex: VertexId) -> &[Turn] {
        &self.vertices[vertex].route
    }

    /// The turns that lead out of a place.
    pub(super) fn route_out(&self, place: Place) -> Vec<Turn> {
        self.route(place.vertex).iter().copied().chain([turn(place.port)]).collect()
    }

    /// The port from which a vertex was found, if that is known.
    pub(super) fn found_from(&self, vertex: VertexId) -> Option<Place> {
        self.vertices[vertex].from
    }

    /// Whether the switch that a vertex stands for has been explored, by this or by another vertex of it.
    pub(super) fn is_explored(&mut self, vertex: VertexId) -> bool {
        let stands = self.resolve(Place::entry(vertex)).vertex;
        self.vertices[stands].explored
    }

    /// Notes that the switch of a vertex is explored; none of its vertices waits for that any more.
    pub(super) fn set_explored(&mut self, vertex: VertexId) {
        self.journal.note(Change::Explored { vertex });
        self.mark_explored(vertex);
    }

    fn mark_explored(&mut self, vertex: VertexId) {
        let stands = self.resolve(Place::entry(vertex)).vertex;
        debug_assert!(self.vertices[stands].waiting <= self.tally.waiting, "who waits here waits at all");
        self.vertices[stands].explored = true;
        self.tally.waiting -= std::mem::take(&mut self.vertices[stands].waiting);
    }

    /// Notes that all ports of a switch were probed before it became a vertex, which is no step of its own.
    pub(super) fn set_surveyed(&mut self, switch: VertexId) {
        self.vertices[switch].explored = true;
    }

    /// Whether all ports of a switch were probed; of a vertex that stands.
    pub(super) fn is_surveyed(&self, switch: VertexId) -> bool {
        self.vertices[switch].explored
    }

    /// Notes that a vertex that is not explored waits to be, or no longer does.
    pub(super) fn set_waiting(&mut self, vertex: VertexId, waits: bool) {
        let stands = self.resolve(Place::entry(vertex)).vertex;
        if !self.vertices[stands].explored {
            for count in [&mut self.vertices[stands].waiting, &mut self.tally.waiting] {
                *count = if waits { *count + 1 } else { *count - 1 };
            }
        }
    }

    /// How many vertices wait to be explored.
    pub(super) fn waiting(&self) -> u64 {
        self.tally.waiting
    }
}

/// The turn of this number.
pub(super) fn turn(number: i32) -> Turn {
    Turn(i16::try_from(number).expect("a turn spans fewer than 32768 ports"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::mapper::{Growth, Memory};

    fn place(vertex: VertexId, port: i32) -> Place {
        Place { vertex, port }
    }

    /// The mapper h (0) at port 0 of switch 1, whose port 2 leads to switch 2 with host g (3) at 3.
    fn two() -> Model {
        let mut model = Model::new(Recognition::Before);
        model.host("h");
        assert_eq!(model.enter(None, Vec::new()), 1);
        assert!(model.open(place(1, 2)) && !model.open(place(1, 2)));
        assert_eq!(model.enter(Some(place(1, 2)), vec![Turn(2)]), 2);
        model.place_host(place(2, 3), "g");
        model
    }

    #[test]
    fn answers_confirm_all_cables_that_they_came_through() {
        // Wrong if an answer from beyond a cable did not speak for it, or if what came through a port were forgotten
        // when the cable in it became known.
        let mut model = two();
        model.open(place(2, -1));
        for at in [place(2, -1), place(2, 3), place(1, 2), place(1, 5)] {
            model.credit(at);
        }
        model.connect_free(place(2, -1), place(1, 5));
        let answers = [place(0, 0), place(1, 2), place(1, 5), place(2, -1), place(3, 0)];
        assert_eq!(answers.map(|at| model.answers(at)), [CONFIRMED, 3, 2, 2, 1]);
        assert_eq!((model.place_of("g"), model.extent(2)), (Some(place(2, 3)), Some((-1, 3))));
        assert_eq!(model.host_ports(2).collect::<Vec<_>>(), [3]);
        assert_eq!(
            (model.route_out(place(2, -1)), model.found_from(2)),
            (vec![Turn(2), Turn(-1)], Some(place(1, 2)))
        );
        let Drawing { network, empty, .. } = model.draw(&Plan::new("map", 8));
        let counts = (network.switches().len(), network.links().len(), empty.len(), model.is_contradictory());
        assert_eq!(counts, (2, 4, 2 * 8 - 6, false));
        let (_, _, far) = network.attachment(network.find_host("g").unwrap()).unwrap();
        assert_eq!(far.port.0, 4, "its switch's lowest cabled port is -1");
    }

    #[test]
    fn what_cannot_be_is_noted_and_drawn_all_the_same() {
        let cases: [fn(&mut Model); 5] = [
            |model| model.place_host(place(1, 2), "f"),
            |model| model.place_host(place(1, 3), "g"),
            |model| model.connect_free(place(1, 2), place(1, 4)),
            |model| model.connect_free(place(1, 4), place(1, 4)),
            |model| model.place_host(place(1, -7), "f"),
        ];
        for (nth, contradict) in cases.iter().enumerate() {
            let mut model = two();
            contradict(&mut model);
            model.draw(&Plan::new("map", 8));
            assert!(model.is_contradictory(), "case {nth}");
        }
        let mut model = two();
        model.draw(&Plan::new("map", 8));
        assert!(!model.is_contradictory());
    }

    #[test]
    fn a_model_that_forgets_keeps_its_journal_and_counts_anew() {
        // Wrong if what was forgotten were drawn, counted or numbered again.
        let mut model = two();
        model.deny(place(1, 4), 1);
        assert_eq!(model.bytes(1), 4 * Memory::NODE + 5 * Memory::PORT + Memory::TURN + Memory::ENTRY);
        let steps = model.journal.steps().len();
        model.forget();
        let (h, g) = (model.host("h"), model.host("g"));
        model.connect(Place::entry(h), Place::entry(g), CONFIRMED);
        assert_eq!((h, g, model.growth(0)), (4, 5, Growth { nodes: 2, edges: 1, frontier: 0 }));
        let network = model.draw(&Plan::new("map", 8)).network;
        assert_eq!((network.hosts().len(), network.switches().len(), network.links().len()), (2, 0, 1));
        assert_eq!((model.journal.steps().len(), model.is_contradictory()), (steps + 3, false));
    }

    #[test]
    fn a_cable_in_a_port_that_was_said_to_be_empty_is_made_good() {
        let mut model = two();
        model.deny(place(1, 4), 1);
        model.connect(place(2, -1), place(1, 4), 0);
        assert_eq!((model.recovered(), model.is_contradictory()), (1, false));
        model.connect(place(2, -2), place(1, 4), 0);
        assert!(model.is_contradictory(), "two cables in one port");
        assert_eq!(model.peer(place(1, 4)), Some(place(2, -1)), "the older knowledge stays");
    }
}
