//! A model made again from the steps of its journal.

use std::collections::{BTreeMap, BTreeSet};

use super::{Change, Spot, Vertex};
use crate::host::mapper::model::free_name;
use crate::ids::Port;
use crate::topology::{End, Network};

/// How large a model is after a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Hosts.
    pub hosts: u64,
    /// Switch vertices that stand for themselves: not merged into others, and not pruned.
    pub switches: u64,
    /// Cables; two of them may still be one.
    pub cables: u64,
    /// Switch vertices that were found to be others.
    pub merged: u64,
    /// Switch vertices that were pruned, those merged into them not counted.
    pub pruned: u64,
}

#[derive(Debug)]
struct Known {
    /// The host's name; `None` for a switch.
    host: Option<String>,
    /// The vertex that it was merged into, and that vertex's port that is port 0 here; itself if it stands.
    into: Spot,
    /// Of a vertex that stands: what its ports' cables lead to.
    ports: BTreeMap<i32, Spot>,
}

/// A model that grows as the steps tell: what the mapper knew after each of them.
#[derive(Debug, Default)]
pub struct Replay {
    vertices: BTreeMap<Vertex, Known>,
    sizes: Sizes,
    /// Ends of cables.
    ends: u64,
}

impl Replay {
    /// Takes the next step. Costs O(ports) for a merger, and O(log vertices) amortised otherwise.
    ///
    /// A step that names vertices which were never made changes nothing.
    pub fn take(&mut self, change: &Change) {
        match change {
            Change::Host { vertex, from, name } => self.make(*vertex, *from, Some(name)),
            Change::Switch { vertex, from } => self.make(*vertex, *from, None),
            Change::Cable { a, b } => self.lay_both(*a, *b),
            Change::Merged { vertex, into } => self.merge(*vertex, *into),
            Change::Pruned { at } => self.prune(*at),
            Change::Forgotten => *self = Replay::default(),
            Change::Explored { .. } | Change::Open { .. } | Change::Doubted(_) | Change::Finished => {}
        }
        self.sizes.cables = self.ends / 2;
    }

    /// How large the model is.
    pub fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// The port as the vertex that stands for its own numbers it; `None` if there is no such vertex.
    pub fn resolve(&mut self, spot: Spot) -> Option<Spot> {
        let Spot { mut vertex, mut port } = spot;
        loop {
            let into = self.vertices.get(&vertex)?.into;
            if into.vertex == vertex {
                return Some(Spot { vertex, port });
            }
            // The next to ask skips a vertex, so that ways stay short.
            let above = self.vertices.get(&into.vertex)?.into;
            if above.vertex != into.vertex {
                let short = Spot { vertex: above.vertex, port: into.port + above.port };
                self.vertices.get_mut(&vertex)?.into = short;
            }
            (vertex, port) = (into.vertex, port + into.port);
        }
    }

    fn make(&mut self, vertex: Vertex, from: Option<Spot>, host: Option<&String>) {
        let into = Spot { vertex, port: 0 };
        self.vertices.insert(vertex, Known { host: host.cloned(), into, ports: BTreeMap::new() });
        *(if host.is_some() { &mut self.sizes.hosts } else { &mut self.sizes.switches }) += 1;
        if let Some(from) = from {
            self.lay_both(from, into);
        }
    }

    fn lay_both(&mut self, a: Spot, b: Spot) {
        if let (Some(a), Some(b)) = (self.resolve(a), self.resolve(b)) {
            self.lay(a, b);
            self.lay(b, a);
        }
    }

    /// Puts a cable into a port that is free; another cable in it is the same, or will turn out to be.
    fn lay(&mut self, near: Spot, far: Spot) {
        if let Some(known) = self.vertices.get_mut(&near.vertex)
            && !known.ports.contains_key(&near.port)
        {
            known.ports.insert(near.port, far);
            self.ends += 1;
        }
    }

    fn merge(&mut self, vertex: Vertex, into: Spot) {
        let (Some(gone), Some(stays)) = (self.resolve(Spot { vertex, port: 0 }), self.resolve(into)) else {
            return;
        };
        if gone.vertex == stays.vertex {
            return;
        }
        let shift = stays.port - gone.port;
        let Some(known) = self.vertices.get_mut(&gone.vertex) else { return };
        known.into = Spot { vertex: stays.vertex, port: shift };
        let ports = std::mem::take(&mut known.ports);
        self.ends -= ports.len() as u64;
        self.sizes.merged += 1;
        self.sizes.switches = self.sizes.switches.saturating_sub(1);
        for (port, far) in ports {
            self.lay(Spot { vertex: stays.vertex, port: port + shift }, far);
        }
    }

    fn prune(&mut self, at: Spot) {
        let Some(near) = self.resolve(at) else { return };
        let Some(far) = self.vertices.get_mut(&near.vertex).and_then(|known| known.ports.remove(&near.port))
        else {
            return;
        };
        self.ends -= 1;
        let Some(far) = self.resolve(far) else { return };
        let Some(known) = self.vertices.get_mut(&far.vertex) else { return };
        self.ends -= u64::from(known.ports.remove(&far.port).is_some());
        if known.ports.is_empty() && known.host.is_none() {
            self.sizes.pruned += 1;
            self.sizes.switches = self.sizes.switches.saturating_sub(1);
        }
    }

    /// The model as a network: hosts by name in order of making, switches that have a cable called `s0`, `s1`, ...,
    /// with `ports` ports or as many as their cables span. What cannot be one network is left out.
    pub fn network(&mut self, name: &str, ports: u16) -> Network {
        let mut network = Network::new(name);
        let mut ends: BTreeMap<Vertex, (End, i32)> = BTreeMap::new();
        let hosts =
            self.vertices.iter().filter_map(|(vertex, known)| Some((*vertex, known.host.as_deref()?)));
        for (vertex, host) in hosts {
            if let Ok(host) = network.add_host(host) {
                ends.insert(vertex, (End::host(host, 0), 0));
            }
        }
        let mut number = 0;
        for (vertex, known) in self.vertices.iter().filter(|(_, known)| known.host.is_none()) {
            let Some(((low, _), (high, _))) = known.ports.first_key_value().zip(known.ports.last_key_value())
            else {
                continue;
            };
            let span = u16::try_from(high - low + 1).unwrap_or(u16::MAX);
            if let Ok(switch) = network.add_switch(free_name(&network, &mut number), span.max(ports)) {
                ends.insert(*vertex, (End::switch(switch, 0), *low));
            }
        }
        let end = |spot: Spot| {
            let (end, low) = ends.get(&spot.vertex)?;
            Some(End { node: end.node, port: Port(u16::try_from(spot.port - low).ok()?) })
        };
        for (near, far) in self.cables() {
            if let Some((a, b)) = end(near).zip(end(far)) {
                // A port that another cable is in keeps it.
                let _ = network.connect(a, b);
            }
        }
        network
    }

    /// The cables between vertices that stand, each once.
    fn cables(&mut self) -> BTreeSet<(Spot, Spot)> {
        let standing = self.vertices.iter();
        let ends: Vec<(Spot, Spot)> = standing
            .flat_map(|(vertex, known)| {
                known.ports.iter().map(|(port, far)| (Spot { vertex: *vertex, port: *port }, *far))
            })
            .collect();
        let resolved = ends.into_iter().filter_map(|(near, far)| Some((near, self.resolve(far)?)));
        resolved.map(|(near, far)| if near <= far { (near, far) } else { (far, near) }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merger_shifts_ports_and_makes_two_cables_one() {
        // The sketch of the module above: 3 is 1, entered at its port -1 behind 2, so that both know host g.
        let spot = |vertex, port| Spot { vertex, port };
        let mut replay = Replay::default();
        replay.take(&Change::Host { vertex: 0, from: None, name: "h".to_owned() });
        for (vertex, from) in [(1, spot(0, 0)), (2, spot(1, 2)), (3, spot(2, -1))] {
            replay.take(&Change::Switch { vertex, from: Some(from) });
        }
        replay.take(&Change::Host { vertex: 4, from: Some(spot(3, 4)), name: "g".to_owned() });
        replay.take(&Change::Cable { a: spot(1, 3), b: spot(4, 0) });
        assert_eq!(replay.sizes(), Sizes { hosts: 2, switches: 3, cables: 4, ..Sizes::default() });
        replay.take(&Change::Merged { vertex: 3, into: spot(1, -1) });
        let sizes = Sizes { hosts: 2, switches: 2, cables: 4, merged: 1, pruned: 0 };
        assert_eq!((replay.sizes(), replay.resolve(spot(3, 4))), (sizes, Some(spot(1, 3))));
        let network = replay.network("map", 8);
        assert_eq!((network.hosts().len(), network.switches().len(), network.links().len()), (2, 2, 4));
        replay.take(&Change::Pruned { at: spot(1, 2) });
        assert_eq!((replay.sizes().pruned, replay.sizes().cables), (0, 3), "another cable leads there");
        replay.take(&Change::Pruned { at: spot(1, -1) });
        assert_eq!(replay.network("map", 8).switches().len(), 1);
        replay.take(&Change::Cable { a: spot(7, 0), b: spot(1, 0) });
        replay.take(&Change::Forgotten);
        assert_eq!(replay.sizes(), Sizes::default());
    }
}
