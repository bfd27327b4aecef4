//! The switches of a network as a compact graph of directed channels, made for many searches.

use std::borrow::Cow;
use std::collections::VecDeque;

use crate::topology::{End, Network};
use simnet_base::ids::{ChannelId, Node, Port, SwitchId};

/// A distance that no path has.
pub const UNREACHED: u32 = u32::MAX;

/// One directed switch-to-switch channel, as its sending switch sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output {
    /// The sending port.
    pub port: Port,
    /// The switch at the far end.
    pub to: SwitchId,
    /// The port at the far end.
    pub input: Port,
    /// The channel.
    pub channel: ChannelId,
    /// The position, among all outputs, of the same cable's other direction.
    pub reverse: u32,
}

/// The switch-to-switch channels of a network, per switch in order of port number.
///
/// Cables looped back to their own switch are left out, since no route uses them; parallel cables are kept.
#[derive(Clone, Debug)]
pub struct SwitchGraph {
    /// Per switch where its outputs begin, and one entry more.
    first: Vec<u32>,
    outputs: Vec<Output>,
    /// What ties between switches are broken by: see [`SwitchGraph::id`].
    ids: Vec<u64>,
}

impl SwitchGraph {
    /// Extracts the graph of `network`. Costs O(switches + links).
    pub fn new(network: &Network) -> SwitchGraph {
        let mut first = Vec::with_capacity(network.switches().len() + 1);
        let mut outputs = Vec::new();
        let mut at_channel = vec![u32::MAX; network.links().len() * 2];
        for switch in network.switch_ids() {
            first.push(position(outputs.len()));
            for (port, link, far) in network.cables(Node::Switch(switch)) {
                let Node::Switch(to) = far.node else { continue };
                if to == switch {
                    continue;
                }
                let is_a = network.link(link).a == End { node: Node::Switch(switch), port };
                let channel = if is_a { link.forward() } else { link.backward() };
                at_channel[channel.index()] = position(outputs.len());
                outputs.push(Output { port, to, input: far.port, channel, reverse: u32::MAX });
            }
        }
        first.push(position(outputs.len()));
        for output in &mut outputs {
            output.reverse = at_channel[output.channel.index() ^ 1];
        }
        SwitchGraph { first, outputs, ids: tie_breaking_ids(network) }
    }

    /// How many switches there are.
    pub fn switches(&self) -> usize {
        self.first.len() - 1
    }

    /// All switches, in order of position.
    pub fn switch_ids(&self) -> impl ExactSizeIterator<Item = SwitchId> + use<> {
        (0..self.switches()).map(SwitchId::new)
    }

    /// All directed channels, by sending switch, then port.
    pub fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    /// The position in [`SwitchGraph::outputs`] of an output of this graph.
    pub(super) fn position(&self, output: &Output) -> u32 {
        self.outputs[output.reverse as usize].reverse
    }

    /// The positions in [`SwitchGraph::outputs`] of a switch's channels.
    pub fn range(&self, switch: SwitchId) -> std::ops::Range<usize> {
        self.first[switch.index()] as usize..self.first[switch.index() + 1] as usize
    }

    /// A switch's channels in order of port.
    pub fn of(&self, switch: SwitchId) -> &[Output] {
        &self.outputs[self.range(switch)]
    }

    /// The switch that sends by the output at this position.
    pub fn sender(&self, output: usize) -> SwitchId {
        self.outputs[self.outputs[output].reverse as usize].to
    }

    /// What breaks a tie between switches, the lower first: their guids as numbers where every switch has
    /// one, else their positions. Equal guids, which no sound file has, are distinguished by position.
    pub fn id(&self, switch: SwitchId) -> (u64, SwitchId) {
        (self.ids[switch.index()], switch)
    }

    /// The least number of cables from the nearest of `sources` to each switch. Costs O(switches + links).
    pub fn distances(&self, sources: impl IntoIterator<Item = SwitchId>) -> Vec<u32> {
        let mut distance = vec![UNREACHED; self.switches()];
        let mut queue = VecDeque::new();
        for source in sources {
            if distance[source.index()] == UNREACHED {
                distance[source.index()] = 0;
                queue.push_back(source);
            }
        }
        while let Some(switch) = queue.pop_front() {
            let next = distance[switch.index()] + 1;
            for output in self.of(switch) {
                if distance[output.to.index()] == UNREACHED {
                    distance[output.to.index()] = next;
                    queue.push_back(output.to);
                }
            }
        }
        distance
    }

    /// The switches of each connected component in order of id, components in order of their first switch.
    pub fn components(&self) -> Vec<Vec<SwitchId>> {
        let mut seen = vec![false; self.switches()];
        let mut components = Vec::new();
        let mut by_id: Vec<SwitchId> = self.switch_ids().collect();
        by_id.sort_by_key(|s| self.id(*s));
        for start in &by_id {
            if seen[start.index()] {
                continue;
            }
            seen[start.index()] = true;
            let mut members = vec![*start];
            let mut next = 0;
            while let Some(&switch) = members.get(next) {
                next += 1;
                for output in self.of(switch) {
                    if !std::mem::replace(&mut seen[output.to.index()], true) {
                        members.push(output.to);
                    }
                }
            }
            members.sort_by_key(|s| self.id(*s));
            components.push(members);
        }
        components
    }
}

/// The distances between switches, all kept, or each computed on request.
pub(super) struct Distances<'a> {
    graph: &'a SwitchGraph,
    rows: Vec<Vec<u32>>,
    /// Per switch their sum, switches out of reach left out.
    sums: Vec<u64>,
}

/// The most switches for which the distances of all pairs are kept: 64 MiB of them.
const MOST_KEPT: usize = 4_096;

impl<'a> Distances<'a> {
    /// Finds them all with their sums, and keeps them if they are not too many. Costs O(switches x links).
    pub(super) fn kept(graph: &'a SwitchGraph) -> Distances<'a> {
        let few = graph.switches() <= MOST_KEPT;
        let mut rows = Vec::new();
        let mut sums = Vec::with_capacity(graph.switches());
        for switch in graph.switch_ids() {
            let row = graph.distances([switch]);
            sums.push(row.iter().filter(|distance| **distance != UNREACHED).copied().map(u64::from).sum());
            rows.extend(few.then_some(row));
        }
        Distances { graph, rows, sums }
    }

    /// Seeks them one switch at a time.
    pub(super) fn sought(graph: &'a SwitchGraph) -> Distances<'a> {
        Distances { graph, rows: Vec::new(), sums: Vec::new() }
    }

    /// Per switch the sum of its distances; empty where distances are sought one switch at a time.
    pub(super) fn sums(&self) -> &[u64] {
        &self.sums
    }

    /// The distance of each switch from `switch`.
    pub(super) fn from(&self, switch: SwitchId) -> Cow<'_, [u32]> {
        match self.rows.get(switch.index()) {
            Some(row) => Cow::Borrowed(row),
            None => Cow::Owned(self.graph.distances([switch])),
        }
    }
}

fn position(count: usize) -> u32 {
    u32::try_from(count).expect("a network has fewer than 2^31 cables")
}

fn tie_breaking_ids(network: &Network) -> Vec<u64> {
    let guids: Option<Vec<u64>> = network.switches().iter().map(|s| s.guid).collect();
    guids.unwrap_or_else(|| (0..network.switches().len() as u64).collect())
}

/// Where each port of each switch leads: every cable of the network, loopbacks and host cables included.
#[derive(Clone, Debug)]
pub struct Wiring {
    /// Per switch: the number of its first port, and where its ports begin in `wires`; one entry more.
    first: Vec<(u16, u32)>,
    wires: Vec<Option<Wire>>,
}

/// What leaves through a port of a switch: the channel and its receiving end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wire {
    /// The port that it leads to.
    pub to: End,
    /// The channel.
    pub channel: ChannelId,
}

/// How a walk along turns ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Landing {
    /// At this port of a host, with all turns used.
    Arrived(End),
    /// Where a worm would be destroyed: a port that the switch lacks, a port without a cable, a host reached
    /// with turns left, or a switch reached with none left.
    Lost,
}

impl Wiring {
    /// Extracts the wiring of `network`. Costs O(switches + ports).
    pub fn new(network: &Network) -> Wiring {
        let mut first = Vec::with_capacity(network.switches().len() + 1);
        let mut wires = Vec::new();
        for switch in network.switch_ids() {
            let (first_port, ports) = network.port_range(Node::Switch(switch));
            first.push((first_port, position(wires.len())));
            let start = wires.len();
            wires.resize(start + usize::from(ports), None);
            for (port, link, to) in network.cables(Node::Switch(switch)) {
                let is_a = network.link(link).a == End { node: Node::Switch(switch), port };
                let channel = if is_a { link.forward() } else { link.backward() };
                wires[start + usize::from(port.0 - first_port)] = Some(Wire { to, channel });
            }
        }
        first.push((0, position(wires.len())));
        Wiring { first, wires }
    }

    /// What leaves through a port of a switch, if it has that port and a cable is in it.
    pub fn wire(&self, switch: SwitchId, port: Port) -> Option<Wire> {
        let (first_port, start) = self.first[switch.index()];
        let slot = start as usize + usize::from(port.0.checked_sub(first_port)?);
        let end = self.first[switch.index() + 1].1 as usize;
        if slot < end { self.wires[slot] } else { None }
    }

    /// Follows `turns` from the far end `from` of a host's cable, calling `visit(switch, input, output,
    /// wire)` at every switch that is left again. A host that is reached with the turn 0 next sends the worm on over
    /// the same cable, as hosts do that [keep worms in transit](super::Algorithm::InTransit); no visit tells of it but
    /// that before, whose wire leads to the host. Costs O(turns).
    pub fn walk(
        &self,
        from: End,
        turns: &[simnet_base::ids::Turn],
        mut visit: impl FnMut(SwitchId, Port, Port, Wire),
    ) -> Landing {
        let mut at = from;
        let mut rest = turns.iter();
        while let Some(turn) = rest.next() {
            let Node::Switch(switch) = at.node else { return Landing::Lost };
            let Some(output) = at.port.turned(*turn) else { return Landing::Lost };
            let Some(wire) = self.wire(switch, output) else { return Landing::Lost };
            visit(switch, at.port, output, wire);
            at = wire.to;
            if let Node::Host(_) = at.node
                && let Some(back) = rest.next()
            {
                if back.0 != 0 {
                    return Landing::Lost;
                }
                at = End { node: Node::Switch(switch), port: output };
            }
        }
        match at.node {
            Node::Host(_) => Landing::Arrived(at),
            Node::Switch(_) => Landing::Lost,
        }
    }
}
