//! A model as a network.

use std::collections::{BTreeMap, BTreeSet};

use super::{Far, Model, Place, Recognition, VertexId};
use simnet_base::ids::{LinkId, Port};
use simnet_network::topology::{End, Network};

/// How a model is drawn.
#[derive(Debug)]
pub(in crate::host::mapper) struct Plan<'a> {
    /// The network's name.
    name: &'a str,
    /// How many ports switches have, where their cables do not span more.
    ports: u16,
    /// The hosts in the order in which they are drawn; `None`: in order of making.
    pub(in crate::host::mapper) hosts: Option<Vec<VertexId>>,
    /// Whether ports behind which some switch answered count for the lowest port of theirs.
    pub(in crate::host::mapper) open_ports: bool,
}

impl<'a> Plan<'a> {
    /// Hosts in order of making; only cables that are known count.
    pub(in crate::host::mapper) fn new(name: &'a str, ports: u16) -> Plan<'a> {
        Plan { name, ports, hosts: None, open_ports: false }
    }
}

/// A model drawn as a network.
#[derive(Debug)]
pub(in crate::host::mapper) struct Drawing {
    /// The network: hosts by name, switches called `s0`, `s1`, ...
    pub(in crate::host::mapper) network: Network,
    /// Its cables, with both ends in the model.
    pub(in crate::host::mapper) cables: Vec<(LinkId, Place, Place)>,
    /// Ports without a cable: in the network, and in the model.
    pub(in crate::host::mapper) empty: Vec<(End, Place)>,
    /// Ports whose cable led to switches that were pruned.
    pub(in crate::host::mapper) pruned: BTreeSet<End>,
}

impl Model {
    /// Draws the network that the model shows. Costs O(cables log cables).
    ///
    /// Switches have as many ports as the plan says, or as their cables span; their lowest port that leads anywhere is
    /// 0. A switch that spans more than that, or an end that two cables share, is a contradiction. Vertices that were
    /// merged away are left out, and where that can happen also switches without a cable.
    pub(in crate::host::mapper) fn draw(&mut self, plan: &Plan<'_>) -> Drawing {
        let pruned = std::mem::take(&mut self.pruned);
        let pruned: Vec<Place> = pruned.into_iter().map(|place| self.resolve(place)).collect();
        let mut sketch = Sketch::new(plan.name, plan.ports);
        let all = self.first..self.vertices.len();
        let hosts = plan.hosts.clone();
        for vertex in hosts.unwrap_or_else(|| all.clone().filter(|vertex| self.is_host(*vertex)).collect()) {
            let name = self.vertices[vertex].host.as_deref();
            sketch.add_host(vertex, name.expect("a host has a name"));
        }
        for vertex in all.filter(|vertex| !self.is_host(*vertex)) {
            if let Some((low, high)) = self.span(vertex, plan.open_ports, &pruned) {
                sketch.add_switch(vertex, low, high);
            }
        }
        for (near, far) in self.cables() {
            sketch.connect(near, far);
        }
        self.contradiction |= sketch.contradiction;
        let pruned = pruned.into_iter().filter_map(|place| sketch.end(place)).collect();
        Drawing { empty: sketch.empty(), network: sketch.network, cables: sketch.cables, pruned }
    }

    /// The model as a network, with switches of `ports` ports or as many as their cables span. What cannot be one
    /// network is left out.
    pub fn network(&mut self, name: &str, ports: u16) -> Network {
        self.draw(&Plan::new(name, ports)).network
    }

    /// The lowest and the highest port that a switch is drawn with; `None` where it is not drawn.
    fn span(&self, vertex: VertexId, open_ports: bool, pruned: &[Place]) -> Option<(i32, i32)> {
        let counts = |far: Far| matches!(far, Far::Cable(_)) || open_ports && far == Far::Open;
        let mut ports = self.ports(vertex).filter(|(_, far)| counts(*far)).map(|(port, _)| port);
        let Some(low) = ports.next() else {
            // A vertex that was merged away or pruned; a switch without known neighbours.
            return (self.recognition == Recognition::Before).then_some((0, 0));
        };
        let high = ports.last().unwrap_or(low);
        let gone = pruned.iter().filter(|place| place.vertex == vertex).map(|place| place.port);
        Some(gone.fold((low, high), |(low, high), port| (low.min(port), high.max(port))))
    }

    /// The cables in the order in which they are drawn, each from the end that comes first: by vertex and port, and
    /// where only switches stand for themselves all of those first.
    fn cables(&mut self) -> Vec<(Place, Place)> {
        let switches_first = self.recognition == Recognition::Before;
        let is_late: Vec<bool> =
            self.vertices.iter().map(|vertex| switches_first && vertex.host.is_some()).collect();
        let ends: Vec<(Place, Place)> = (self.vertices.iter().enumerate())
            .flat_map(|(vertex, known)| known.cables().map(move |(port, far)| (Place { vertex, port }, far)))
            .collect();
        let rank = |place: Place| (is_late[place.vertex], place);
        let ends = ends.into_iter().map(|(near, far)| (near, self.resolve(far)));
        let mut cables: Vec<(Place, Place)> = ends.filter(|(near, far)| rank(*near) <= rank(*far)).collect();
        cables.sort_by_key(|(near, _)| rank(*near));
        cables
    }
}

/// A network that is being drawn from vertices and cables between their ports.
#[derive(Debug)]
pub(in crate::host::mapper) struct Sketch {
    network: Network,
    ports: u16,
    /// Per vertex: its port 0 in the network, and its own port there.
    ends: BTreeMap<VertexId, (End, i32)>,
    cables: Vec<(LinkId, Place, Place)>,
    /// The number of the next switch.
    next: u32,
    /// Whether what was drawn cannot be one network.
    pub(in crate::host::mapper) contradiction: bool,
}

impl Sketch {
    /// A network without nodes, whose switches have at least so many ports.
    pub(in crate::host::mapper) fn new(name: &str, ports: u16) -> Sketch {
        let (network, ends) = (Network::new(name), BTreeMap::new());
        Sketch { network, ports, ends, cables: Vec::new(), next: 0, contradiction: false }
    }

    /// The network.
    pub(in crate::host::mapper) fn into_network(self) -> Network {
        self.network
    }

    /// Draws a host; one of a name that is there is a contradiction.
    pub(in crate::host::mapper) fn add_host(&mut self, vertex: VertexId, name: &str) {
        match self.network.add_host(name) {
            Ok(host) => _ = self.ends.insert(vertex, (End::host(host, 0), 0)),
            Err(_) => self.contradiction = true,
        }
    }

    /// Draws a switch whose cables lie between two of its ports, both included.
    pub(in crate::host::mapper) fn add_switch(&mut self, vertex: VertexId, low: i32, high: i32) {
        let span = u16::try_from(i64::from(high) - i64::from(low) + 1).unwrap_or(u16::MAX);
        self.contradiction |= span > self.ports;
        let name = self.free_name();
        let switch = self.network.add_switch(name, span.max(self.ports)).expect("the name is free");
        self.ends.insert(vertex, (End::switch(switch, 0), low));
    }

    /// The next name `s0`, `s1`, ... that no host has.
    fn free_name(&mut self) -> String {
        loop {
            let name = format!("s{}", self.next);
            self.next += 1;
            if self.network.find(&name).is_none() {
                return name;
            }
        }
    }

    /// Draws a cable; a second one in a port is a contradiction and left out, the same once more is none.
    pub(in crate::host::mapper) fn connect(&mut self, near: Place, far: Place) {
        let Some((a, b)) = self.end(near).zip(self.end(far)) else {
            self.contradiction = true;
            return;
        };
        if self.network.peer(a) == Some(b) {
            return;
        }
        match self.network.connect(a, b) {
            Ok(link) => self.cables.push((link, near, far)),
            Err(_) => self.contradiction = true,
        }
    }

    /// A place of the model in the network.
    fn end(&self, place: Place) -> Option<End> {
        let (end, low) = self.ends.get(&place.vertex)?;
        Some(End { node: end.node, port: Port(u16::try_from(i64::from(place.port) - i64::from(*low)).ok()?) })
    }

    /// The ports of switches that have no cable.
    fn empty(&self) -> Vec<(End, Place)> {
        let mut empty = Vec::new();
        for (vertex, (end, low)) in &self.ends {
            if let End { node: node @ simnet_base::ids::Node::Switch(_), .. } = *end {
                let ports = (0..self.network.port_range(node).1).map(|port| End { node, port: Port(port) });
                let free = ports.filter(|end| self.network.link_at(*end).is_none());
                let place = |end: &End| Place { vertex: *vertex, port: low + i32::from(end.port.0) };
                empty.extend(free.map(|end| (end, place(&end))));
            }
        }
        empty
    }
}
