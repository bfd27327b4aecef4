//! By what switches forward frames that are for one host.

use std::collections::BTreeMap;

use simnet_base::ids::{ChannelId, HostId, Node, Port, SwitchId};
use simnet_network::routing::{Attachments, DependencyGraph, NextHops, Routes, SwitchGraph, Target};
use simnet_network::topology::{End, Network};
use thiserror::Error;

use super::flow_hash::FlowHash;

/// By what switches forward frames that are for one host; broadcasts keep to the spanning tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Forwarding {
    /// By what they have learned, on the spanning tree.
    #[default]
    SpanningTree,
    /// By tables, over any cable.
    Table(ForwardingTable),
}

impl Forwarding {
    /// The same, with flows hashed by this seed where there are several next hops.
    #[must_use]
    pub fn seeded(mut self, seed: u64) -> Forwarding {
        if let Forwarding::Table(table) = &mut self {
            table.hash.seed = seed;
        }
        self
    }
}

/// The ports for each switch and destination, among which a hash chooses for each flow. Takes 4 bytes for each, and 2
/// for each port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForwardingTable {
    hosts: usize,
    /// By switch, by host: where its ports begin; and the end.
    first: Vec<u32>,
    /// In order of their numbers.
    ports: Vec<Port>,
    hash: FlowHash,
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
        ForwardingTable::of_single(network, &ports)
    }

    /// The table with these ports, by switch, by host.
    fn of_single(network: &Network, ports: &[Option<Port>]) -> ForwardingTable {
        let mut table = ForwardingTable::empty(network);
        for port in ports {
            table.push(port.iter().copied());
        }
        table
    }

    fn empty(network: &Network) -> ForwardingTable {
        let hosts = network.hosts().len();
        ForwardingTable { hosts, first: vec![0], ports: Vec::new(), hash: FlowHash::default() }
    }

    /// Adds the next entry.
    fn push(&mut self, ports: impl Iterator<Item = Port>) {
        self.ports.extend(ports);
        self.first.push(u32::try_from(self.ports.len()).expect("fewer than 2^32 next hops"));
    }

    /// The table by which every switch has for a host all ports that lead nearer to it: equal-cost multipath, as of
    /// routers with cables of equal cost. In a folded Clos network of which no cable is missing such paths go up and
    /// then down; elsewhere they may close a circle. Costs O(switches x hosts x cables of a switch).
    ///
    /// # Source
    /// RFC 2991.
    pub fn of_shortest_paths(
        network: &Network,
        attachments: &Attachments,
        hash: FlowHash,
    ) -> ForwardingTable {
        let graph = SwitchGraph::new(network);
        let mut distances = BTreeMap::new();
        for (switch, _) in network.host_ids().filter_map(|host| attachments.switch(host)) {
            distances.entry(switch).or_insert_with(|| graph.distances([switch]));
        }
        let mut table = ForwardingTable::empty(network);
        for switch in network.switch_ids() {
            for host in network.host_ids() {
                match attachments.switch(host) {
                    Some((at, port)) if at == switch => table.push(std::iter::once(port)),
                    Some((at, _)) => {
                        let distance = &distances[&at];
                        let here = distance[switch.index()];
                        let nearer = graph.of(switch).iter().filter(|it| distance[it.to.index()] < here);
                        table.push(nearer.map(|output| output.port));
                    }
                    None => table.push(std::iter::empty()),
                }
            }
        }
        ForwardingTable { hash, ..table }
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
        let hosts = network.hosts().len();
        let mut ports = Vec::new();
        for switch in network.switch_ids() {
            let here = |host| attachments.switch(host).filter(|(at, _)| *at == switch);
            ports.extend(network.host_ids().map(|host| here(host).map(|(_, port)| port)));
        }
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
                    let entry = &mut ports[switch.index() * hosts + destination.index()];
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
        Ok(ForwardingTable::of_single(network, &ports))
    }

    /// The place of what `first` has of an entry, and of the next.
    fn place(&self, switch: SwitchId, destination: HostId) -> Option<(usize, [u32; 2])> {
        let entry = switch.index() * self.hosts + destination.index();
        let bounds = self.first.get(entry..entry + 2).filter(|_| destination.index() < self.hosts)?;
        Some((entry, [bounds[0], bounds[1]]))
    }

    /// Sets the only port by which a switch sends what is for a host; nothing without such a switch and host. Costs
    /// O(switches x hosts).
    pub fn set(&mut self, switch: SwitchId, destination: HostId, port: Port) {
        let Some((entry, [first, end])) = self.place(switch, destination) else { return };
        self.ports.splice(first as usize..end as usize, [port]);
        for later in &mut self.first[entry + 1..] {
            *later = *later + 1 - (end - first);
        }
    }

    /// The ports by which a switch sends what is for a host, in order of their numbers; none: it drops it.
    pub fn ports(&self, switch: SwitchId, destination: HostId) -> &[Port] {
        self.place(switch, destination)
            .map_or(&[], |(_, [first, end])| &self.ports[first as usize..end as usize])
    }

    /// By which of them it sends a flow, which is what one host sends to another.
    pub fn port(&self, switch: SwitchId, flow: [HostId; 2]) -> Option<Port> {
        match self.ports(switch, flow[1]) {
            [] => None,
            ports => Some(ports[self.hash.choice(switch, flow, ports.len())]),
        }
    }

    /// By what switches choose.
    pub(super) fn hash(&self) -> FlowHash {
        self.hash
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
        let interfaces: Vec<ChannelId> =
            interfaces(network, attachments).map(|(_, channel)| channel).collect();
        let mut graph = DependencyGraph::new(network);
        for host in network.host_ids() {
            self.follow(network, host, (interfaces.clone(), has_time_to_live), &mut graph);
        }
        graph
    }

    /// A shortest circle of switches round which frames for this host may go for ever, without a time to live, whatever
    /// hashes choose and whichever other attached host they are from; `None` if there is none. Costs O(channels) and a
    /// search for a cycle.
    pub fn circle_towards(
        &self,
        network: &Network,
        attachments: &[Option<Port>],
        destination: HostId,
    ) -> Option<Vec<SwitchId>> {
        let others = interfaces(network, attachments).filter(|(host, _)| *host != destination);
        let mut graph = DependencyGraph::new(network);
        self.follow(network, destination, (others.map(|(_, channel)| channel).collect(), false), &mut graph);
        let switch = |channel: &ChannelId| match graph.sender(*channel).node {
            Node::Switch(switch) => Some(switch),
            Node::Host(_) => None,
        };
        Some(graph.shortest_cycle()?.iter().filter_map(switch).collect())
    }

    /// Adds which channel is followed by which one on some way of a frame for `host` that comes by one of `open`.
    fn follow(
        &self,
        network: &Network,
        host: HostId,
        (mut open, has_time_to_live): (Vec<ChannelId>, bool),
        graph: &mut DependencyGraph,
    ) {
        let mut is_followed = vec![false; 2 * network.links().len()];
        while let Some(channel) = open.pop() {
            let to = end_of(network, channel);
            let Node::Switch(switch) = to.node else { continue };
            for port in self.ports(switch, host).iter().copied() {
                let output = End { node: to.node, port };
                let next = channel_of(network, output).filter(|_| has_time_to_live || to != output);
                let Some(next) = next else { continue };
                graph.add(channel, port);
                if !std::mem::replace(&mut is_followed[next.index()], true) {
                    open.push(next);
                }
            }
        }
    }

    /// Whether it is one of a network with so many switches and hosts.
    pub(super) fn fits(&self, switches: usize, hosts: usize) -> bool {
        self.hosts == hosts && self.first.len() == switches * hosts + 1
    }

    /// Whether every port that it names has a cable.
    pub(super) fn is_cabled(&self, network: &Network) -> bool {
        let is_cabled = |switch, port| network.link_at(End { node: Node::Switch(switch), port }).is_some();
        let of = |at, host| self.ports(at, host).iter().all(|port| is_cabled(at, *port));
        network.switch_ids().all(|at| network.host_ids().all(|host| of(at, host)))
    }

    /// By switch, whether what it sends to a host comes to the port `attached` there, whatever is chosen. Costs
    /// O(switches + cables).
    pub(super) fn leads(&self, network: &Network, destination: HostId, attached: End) -> Vec<bool> {
        let ports = |switch| self.ports(switch, destination);
        let mut leads = vec![false; network.switches().len()];
        // From the end on: a switch leads there once all that it sends by is known to.
        let mut unknown: Vec<usize> = network.switch_ids().map(|switch| ports(switch).len()).collect();
        let mut near: Vec<End> = network.peer(attached).into_iter().collect();
        while let Some(End { node, port }) = near.pop() {
            let Node::Switch(switch) = node else { continue };
            if !ports(switch).contains(&port) {
                continue;
            }
            unknown[switch.index()] -= 1;
            if unknown[switch.index()] == 0 {
                leads[switch.index()] = true;
                near.extend(network.cables(node).map(|(_, _, far)| far));
            }
        }
        leads
    }
}

/// The channels by which hosts send, of those that are attached.
fn interfaces(network: &Network, attachments: &[Option<Port>]) -> impl Iterator<Item = (HostId, ChannelId)> {
    network.host_ids().filter_map(|host| {
        let end = End { node: Node::Host(host), port: attachments[host.index()]? };
        Some((host, channel_of(network, end)?))
    })
}

/// The channel that leaves by a port, if it has a cable.
fn channel_of(network: &Network, end: End) -> Option<ChannelId> {
    let link = network.link_at(end)?;
    Some(if network.link(link).a == end { link.forward() } else { link.backward() })
}

/// The port that a channel leads to.
fn end_of(network: &Network, channel: ChannelId) -> End {
    let link = &network.links()[channel.index() / 2];
    if channel.0.is_multiple_of(2) { link.b } else { link.a }
}
