//! The next hops of every switch, column by column of one destination each, and the lanes of all pairs.

use std::collections::BTreeMap;

use simnet_base::ids::{HostId, Node, Port, SwitchId};

use crate::routing::attachments::Attachments;
use crate::routing::graph::SwitchGraph;
use crate::topology::Network;

/// What a column of next hops leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A port of a host.
    Host(HostId, Port),
    /// A switch without hosts, which management alone has to reach.
    Switch(SwitchId),
}

/// No next hop.
const NONE: u16 = u16::MAX;

/// One next hop per switch and destination, and one service level per switch that sends and destination: the number of
/// the lane all along the path, or what the lane at each output follows from.
///
/// Costs 2 bytes for each switch and destination, 3 with several lanes: 20 MB for 10,000 hosts on 1,000 switches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextHops {
    switches: usize,
    /// Per column where it leads, and the switch there.
    targets: Vec<(Target, SwitchId)>,
    /// Per column, per switch, which of the switch's outputs is taken.
    nth: Vec<u16>,
    /// Per column, per sending switch, the service level; empty with one lane.
    levels: Vec<u8>,
    /// Per output by its position, which bit of the service level is the lane there; empty where the lane has the
    /// number of the level.
    bits: Vec<u8>,
    /// How many lanes there are.
    lane_count: u8,
}

impl NextHops {
    /// Columns without any next hop: `paths` for each port of a host that a cable joins to a switch, hosts in order and
    /// of each the port first that it is attached by; and one for each switch without hosts.
    pub(super) fn none(
        network: &Network,
        graph: &SwitchGraph,
        attachments: &Attachments,
        paths: usize,
    ) -> NextHops {
        let mut targets = Vec::new();
        for host in network.host_ids() {
            let own = attachments.of(host).map(|cable| cable.port);
            let mut ports: Vec<_> =
                network.cables(Node::Host(host)).map(|(port, _, far)| (port, far)).collect();
            ports.sort_by_key(|(port, _)| (Some(*port) != own, *port));
            for (port, far) in ports {
                if let Node::Switch(switch) = far.node {
                    targets.extend(std::iter::repeat_n((Target::Host(host, port), switch), paths));
                }
            }
        }
        let sends = sending_ports(network);
        let bare = graph.switch_ids().filter(|switch| sends[switch.index()] == 0);
        targets.extend(bare.map(|switch| (Target::Switch(switch), switch)));
        let nth = vec![NONE; targets.len() * graph.switches()];
        NextHops {
            switches: graph.switches(),
            targets,
            nth,
            levels: Vec::new(),
            bits: Vec::new(),
            lane_count: 1,
        }
    }

    /// Per host, and per further port, the first column that leads to the port that it is attached by.
    pub(super) fn attached(&self, attachments: &Attachments) -> Vec<Option<usize>> {
        let mut first = BTreeMap::new();
        for column in self.host_columns().rev() {
            if let (Target::Host(host, port), _) = self.targets[column] {
                first.insert((host, port), column);
            }
        }
        let port = |id| Some((attachments.owner(id), attachments.of(id)?.port));
        attachments.ids().map(|id| first.get(&port(id)?).copied()).collect()
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.targets.len()
    }

    /// What a column leads to, and the switch there.
    pub fn target(&self, column: usize) -> (Target, SwitchId) {
        self.targets[column]
    }

    /// The columns that lead to hosts: they come first.
    pub(super) fn host_columns(&self) -> std::ops::Range<usize> {
        let is_host = |(target, _): &(Target, SwitchId)| matches!(target, Target::Host(..));
        0..self.targets.partition_point(is_host)
    }

    /// The output that a switch takes, by its position in the graph; `None` at the column's own switch and where no
    /// route leads there.
    pub fn next(&self, graph: &SwitchGraph, column: usize, switch: SwitchId) -> Option<usize> {
        let nth = self.nth[column * self.switches + switch.index()];
        (nth != NONE).then(|| graph.range(switch).start + usize::from(nth))
    }

    /// The outputs on the way from a switch, by their positions. They end where no next hop is known, which on a way
    /// that arrives is at the column's switch.
    pub(super) fn way<'a>(
        &'a self,
        graph: &'a SwitchGraph,
        column: usize,
        from: SwitchId,
    ) -> impl Iterator<Item = usize> + 'a {
        let first = self.next(graph, column, from);
        std::iter::successors(first, move |by| self.next(graph, column, graph.outputs()[*by].to))
    }

    /// Whether what a switch sends arrives.
    pub(super) fn arrives(&self, graph: &SwitchGraph, column: usize, from: SwitchId) -> bool {
        from == self.targets[column].1 || self.next(graph, column, from).is_some()
    }

    /// Sets a whole column: per switch the position of its output. The next hops must lead to the column's switch.
    pub(super) fn set(&mut self, graph: &SwitchGraph, column: usize, next: &[Option<usize>]) {
        let start = column * self.switches;
        for (switch, (cell, next)) in graph.switch_ids().zip(self.nth[start..].iter_mut().zip(next)) {
            *cell = next.map_or(NONE, |output| {
                u16::try_from(output - graph.range(switch).start).expect("a switch has fewer than 2^16 ports")
            });
        }
    }

    /// The service level of what the hosts of a switch send to a column.
    pub fn service_level(&self, column: usize, from: SwitchId) -> u8 {
        self.levels.get(column * self.switches + from.index()).copied().unwrap_or(0)
    }

    /// The lane of a service level at an output to a switch, given by its position in the graph.
    pub fn lane(&self, level: u8, by: usize) -> u8 {
        self.bits.get(by).map_or(level, |bit| level >> bit & 1)
    }

    /// Whether the lane of a service level differs from output to output.
    pub fn changes_lanes(&self) -> bool {
        !self.bits.is_empty()
    }

    /// How many lanes there are.
    pub fn lanes(&self) -> u8 {
        self.lane_count
    }

    /// Gives every column and sending switch its lane, one row of switches a column.
    pub(super) fn set_lanes(&mut self, lanes: Vec<u8>, count: u8) {
        assert_eq!(lanes.len(), self.nth.len(), "one lane per column and switch");
        self.lane_count = count;
        self.levels = if count > 1 { lanes } else { Vec::new() };
    }

    /// Gives every column and sending switch its service level, one row of switches a column, of which a bit is the
    /// lane at each output.
    pub(super) fn set_levels(&mut self, levels: Vec<u8>, bits: Vec<u8>) {
        self.set_lanes(levels, 2);
        assert!(bits.iter().all(|bit| *bit < 8), "a service level has eight bits at most");
        self.bits = bits;
    }
}

/// Per switch how many ports of hosts are on it: each may send.
pub(super) fn sending_ports(network: &Network) -> Vec<u32> {
    let hosts = |switch| {
        let cables = network.cables(Node::Switch(switch));
        cables.filter(|(_, _, far)| matches!(far.node, Node::Host(_))).count()
    };
    network.switch_ids().map(|switch| u32::try_from(hosts(switch)).expect("fewer than 2^16 ports")).collect()
}
