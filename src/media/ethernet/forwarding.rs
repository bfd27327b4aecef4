//! By what switches forward frames that are for one host.

use simnet_base::ids::{ChannelId, HostId, Node, Port, SwitchId};
use simnet_network::routing::{Attachments, DependencyGraph, NextHops, Routes, SwitchGraph, Target};
use simnet_network::topology::{End, Network};
use thiserror::Error;

/// By what switches forward frames that are for one host; broadcasts keep to the spanning tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Forwarding {
    /// By what they have learned, on the spanning tree.
    #[default]
    SpanningTree,
    /// By tables, over any cable.
    Table(ForwardingTable),
}

/// A port for each switch and destination. Takes 4 bytes for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForwardingTable {
    hosts: usize,
    /// By switch, by host.
    ports: Vec<Option<Port>>,
}

/// Routes that no table of next hops has: two of them leave a switch by different ports for the same host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("routes to one host leave a switch by different ports")]
pub struct NotByDestination {
    /// The switch.
    pub switch: SwitchId,
    /// The host.
    pub destination: HostId,
    /// The ports, that of the first source first.
    pub ports: [Port; 2],
}

impl ForwardingTable {
    /// The table with the port that `next` gives for each switch and host; without one, frames are dropped there. Costs
    /// O(switches x hosts).
    pub fn new(network: &Network, mut next: impl FnMut(SwitchId, HostId) -> Option<Port>) -> ForwardingTable {
        let mut ports = Vec::new();
        for switch in network.switch_ids() {
            ports.extend(network.host_ids().map(|host| next(switch, host)));
        }
        ForwardingTable { hosts: network.hosts().len(), ports }
    }

    /// The table of `hops`, by the first address of each host at its own port. Lanes are not looked at. Costs
    /// O(switches x hosts).
    pub fn of_next_hops(network: &Network, attachments: &Attachments, hops: &NextHops) -> ForwardingTable {
        let graph = SwitchGraph::new(network);
        let mut columns = vec![None; network.hosts().len()];
        for column in (0..hops.columns()).rev() {
            if let (Target::Host(host, port), _) = hops.target(column)
                && attachments.of(host).is_some_and(|cable| cable.port == port)
            {
                columns[host.index()] = Some(column);
            }
        }
        ForwardingTable::new(network, |switch, host| {
            let (at, port) = attachments.switch(host)?;
            if at == switch {
                return Some(port);
            }
            Some(graph.outputs()[hops.next(&graph, columns[host.index()]?, switch)?].port)
        })
    }

    /// The table of these routes of pairs. Costs O(their turns + switches x hosts).
    ///
    /// # Errors
    /// [`NotByDestination`]: the first such switch, by source and destination.
    pub fn of_routes(
        network: &Network,
        attachments: &Attachments,
        routes: &impl Routes,
    ) -> Result<ForwardingTable, NotByDestination> {
        let mut table = ForwardingTable::new(network, |switch, host| {
            attachments.switch(host).filter(|(at, _)| *at == switch).map(|(_, port)| port)
        });
        let mut turns = Vec::new();
        for source in network.host_ids() {
            for destination in network.host_ids().filter(|host| *host != source) {
                turns.clear();
                let Some((mut switch, mut input)) = attachments.switch(source) else { continue };
                if !routes.route(source, destination, &mut turns) {
                    continue;
                }
                for turn in &turns {
                    let Some(port) = input.turned(*turn) else { break };
                    let entry = &mut table.ports[switch.index() * table.hosts + destination.index()];
                    let first = *entry.get_or_insert(port);
                    if first != port {
                        return Err(NotByDestination { switch, destination, ports: [first, port] });
                    }
                    let Some(End { node: Node::Switch(next), port }) =
                        network.peer(End { node: Node::Switch(switch), port })
                    else {
                        break;
                    };
                    (switch, input) = (next, port);
                }
            }
        }
        Ok(table)
    }

    /// Sets the port by which a switch sends what is for a host; nothing without such a switch and host.
    pub fn set(&mut self, switch: SwitchId, destination: HostId, port: Port) {
        if let Some(entry) = self.ports.get_mut(switch.index() * self.hosts + destination.index()) {
            *entry = Some(port);
        }
    }

    /// By which port a switch sends what is for a host.
    pub fn port(&self, switch: SwitchId, destination: HostId) -> Option<Port> {
        *self.ports.get(switch.index() * self.hosts + destination.index())?
    }

    /// Which channel is followed by which one on some way of a frame from an attached host to a host: a circle of
    /// paused queues of frames for one host each can close only along a cycle of these. Costs O(hosts x channels).
    ///
    /// With a time to live frames may go back where they came from. Its bound is not looked at: a loop counts as if
    /// frames went round it for ever. Broadcasts are not looked at either.
    ///
    /// # Source
    /// Dally and Seitz 1987, with the queues of one priority in the place of channels: a queue waits for those that the
    /// frames at the input that pauses it go on to.
    pub fn dependencies(
        &self,
        network: &Network,
        attachments: &[Option<Port>],
        has_time_to_live: bool,
    ) -> DependencyGraph {
        let out = |end: End| {
            let link = network.link_at(end)?;
            Some(if network.link(link).a == end { link.forward() } else { link.backward() })
        };
        let interface = |host: HostId| out(End { node: Node::Host(host), port: attachments[host.index()]? });
        let interfaces: Vec<Option<ChannelId>> = network.host_ids().map(interface).collect();
        let mut graph = DependencyGraph::new(network);
        let mut is_followed = vec![false; 2 * network.links().len()];
        for host in network.host_ids() {
            is_followed.fill(false);
            let mut open: Vec<ChannelId> = interfaces.iter().copied().flatten().collect();
            while let Some(channel) = open.pop() {
                let to = end_of(network, channel);
                let Node::Switch(switch) = to.node else { continue };
                let Some(port) = self.port(switch, host) else { continue };
                let output = End { node: to.node, port };
                let Some(next) = out(output).filter(|_| has_time_to_live || to != output) else { continue };
                graph.add(channel, port);
                if !std::mem::replace(&mut is_followed[next.index()], true) {
                    open.push(next);
                }
            }
        }
        graph
    }

    /// Whether it is one of a network with so many switches and hosts.
    pub(super) fn fits(&self, switches: usize, hosts: usize) -> bool {
        self.hosts == hosts && self.ports.len() == switches * hosts
    }

    /// Whether every port that it names has a cable.
    pub(super) fn is_cabled(&self, network: &Network) -> bool {
        let ports = self.ports.iter().enumerate().filter_map(|(at, port)| Some((at, (*port)?)));
        let mut ends =
            ports.map(|(at, port)| End { node: Node::Switch(SwitchId::new(at / self.hosts)), port });
        ends.all(|end| network.link_at(end).is_some())
    }

    /// Whether what a switch sends to a host comes to the port `attached` there. Costs O(switches).
    pub(super) fn leads(
        &self,
        network: &Network,
        mut switch: SwitchId,
        destination: HostId,
        attached: End,
    ) -> bool {
        for _ in network.switch_ids() {
            let Some(port) = self.port(switch, destination) else { return false };
            match network.peer(End { node: Node::Switch(switch), port }) {
                Some(End { node: Node::Switch(next), .. }) => switch = next,
                far => return far == Some(attached),
            }
        }
        false
    }
}

/// The port that a channel leads to.
fn end_of(network: &Network, channel: ChannelId) -> End {
    let link = &network.links()[channel.index() / 2];
    if channel.0.is_multiple_of(2) { link.b } else { link.a }
}
