//! A map laid over the network that it is of: which switch stands for which, and the map in the network's own names.
//!
//! # Scope and limitations
//! The same turns from the mapper lead to the same switch on both, so what is found holds for every map that is true
//! as far as it goes. What a wrong map has in excess of the truth has no counterpart.

use std::collections::VecDeque;

use simnet_base::ids::{HostId, Node, Port, SwitchId};
use simnet_network::topology::{End, Link, Network, Switch};
use simnet_scenario::checked::Topology;

/// Per switch of the map, the one that it stands for and how far its ports are shifted: true port - drawn port.
pub(super) struct Overlay(Vec<Option<(SwitchId, i32)>>);

impl Overlay {
    /// Walks the network and the map side by side from the mapper on. Costs O(cables).
    pub(super) fn new(topology: &Topology, map: &Network, mapper: HostId) -> Overlay {
        let network = &topology.network;
        let mut drawn = vec![None; map.switches().len()];
        let mut seen = vec![false; network.switches().len()];
        let start = topology.attachment(mapper).map(|(_, _, end)| end);
        let on_map = map.find_host(network.name_of(Node::Host(mapper))).and_then(|host| map.attachment(host));
        let mut frontier: VecDeque<(End, End)> =
            start.zip(on_map.map(|(_, _, end)| end)).into_iter().collect();
        while let Some((there, here)) = frontier.pop_front() {
            let (Node::Switch(truth), Node::Switch(switch)) = (there.node, here.node) else { continue };
            if std::mem::replace(&mut seen[truth.index()], true) {
                continue;
            }
            drawn[switch.index()] = Some((truth, i32::from(there.port.0) - i32::from(here.port.0)));
            for (port, _, far) in network.cables(there.node) {
                let same = here.port.turned(there.port.turn_to(port));
                let drawn_far = same.and_then(|port| map.peer(End { node: here.node, port }));
                frontier.extend(drawn_far.map(|drawn_far| (far, drawn_far)));
            }
        }
        Overlay(drawn)
    }

    /// The switch of the map that stands for `wanted`, if it is on the map.
    pub(super) fn stands_for(&self, wanted: SwitchId) -> Option<SwitchId> {
        let position = self.0.iter().position(|found| found.is_some_and(|(truth, _)| truth == wanted));
        position.map(SwitchId::new)
    }

    /// The map with the names and port numbers of `network`, nodes and cables in the map's order; `None` if part
    /// of the map has no counterpart.
    pub(super) fn in_true_names(&self, map: &Network, network: &Network) -> Option<Network> {
        let mut named = Network::new(network.name.as_str());
        for found in &self.0 {
            let Switch { name, ports, first_port, .. } = &network.switches()[(*found)?.0.index()];
            let switch = Switch {
                name: name.clone(),
                ports: *ports,
                first_port: *first_port,
                guid: None,
                description: None,
            };
            named.push_switch(switch).ok()?;
        }
        for host in map.hosts() {
            named.push_host(host.clone()).ok()?;
        }
        for link in map.links() {
            let (a, b) = (self.with_true_port(link.a)?, self.with_true_port(link.b)?);
            named.push_link(Link { a, b, ..link.clone() }).ok()?;
        }
        Some(named)
    }

    /// A port of the map under the number that the network has for it; `None` if it has none.
    fn with_true_port(&self, end: End) -> Option<End> {
        match end.node {
            Node::Host(_) => Some(end),
            Node::Switch(switch) => {
                let (_, shift) = self.0[switch.index()]?;
                let port = u16::try_from(i32::from(end.port.0) + shift).ok()?;
                Some(End { port: Port(port), ..end })
            }
        }
    }
}
