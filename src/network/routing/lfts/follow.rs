//! Following the tables to every lid.

use crate::topology::{End, Network};
use simnet_base::ids::{HostId, Node, SwitchId};

use super::ForwardingTables;
use crate::routing::attachments::Attachments;
use crate::routing::dependency::DependencyGraph;
use crate::routing::graph::{SwitchGraph, UNREACHED, Wire, Wiring};
use crate::routing::survey::Survey;

impl Survey {
    /// Follows the tables from every host to every other. Costs O(lids x switches + switches with hosts x
    /// links).
    pub fn of_tables(network: &Network, attachments: &Attachments, tables: &ForwardingTables) -> Survey {
        let graph = SwitchGraph::new(network);
        let mut survey = Survey::before_any(network, attachments);
        let per_switch = attachments.per_switch(graph.switches(), None);
        let mut follower = Follower::new(network, tables);
        for (lid, end) in &tables.lids {
            follower.follow(*lid, *end, &mut survey.dependencies);
        }
        let base = tables.base_lids(attachments);
        let switch = |host: &HostId| attachments.switch(*host).map(|(switch, _)| switch);
        let mut destinations: Vec<HostId> = attachments.ids().collect();
        destinations.sort_by_key(|host| (switch(host), *host));
        let mut nearest = (None, graph.distances(None));
        for host in destinations {
            let (Some(lid), Some(end), Some(cable)) =
                (base[host.index()], switch(&host), attachments.of(host))
            else {
                let sources = attachments.ids().filter(|source| attachments.counts(*source, host));
                sources.for_each(|source| survey.miss(source, host));
                continue;
            };
            if nearest.0 != Some(end) {
                nearest = (Some(end), graph.distances([end]));
            }
            let port = End { node: Node::Host(attachments.owner(host)), port: cable.port };
            follower.follow(lid, port, &mut survey.dependencies);
            let sources = attachments.without_owner_of(host, &per_switch);
            if follower.count(&mut survey, sources, &nearest.1) < attachments.toward(host) {
                let arrives = |source: &HostId| switch(source).is_some_and(|s| follower.arrives(s));
                let lost = attachments.ids().filter(|s| attachments.counts(*s, host) && !arrives(s));
                lost.for_each(|source| survey.miss(source, host));
            }
        }
        survey
    }
}

/// How far a switch's packets have to the lid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Unseen,
    /// Seen on the walk that is going on.
    Open,
    /// They arrive over so many cables between switches.
    Arrives(u32),
    Never,
}

/// One lid's tree at a time.
struct Follower<'a> {
    tables: &'a ForwardingTables,
    wiring: Wiring,
    sources: Vec<SwitchId>,
    ways: Vec<Way>,
    /// The switches seen, and the cable to another switch that each sends the lid by.
    seen: Vec<(SwitchId, Option<Wire>)>,
}

impl<'a> Follower<'a> {
    /// Every port of a host may send, not only those that are judged.
    fn new(network: &Network, tables: &'a ForwardingTables) -> Follower<'a> {
        let has_host = |switch: &SwitchId| {
            network.cables(Node::Switch(*switch)).any(|(_, _, far)| matches!(far.node, Node::Host(_)))
        };
        let sources = network.switch_ids().filter(has_host).collect();
        let ways = vec![Way::Unseen; network.switches().len()];
        Follower { tables, wiring: Wiring::new(network), sources, ways, seen: Vec::new() }
    }

    /// Where a switch sends a lid.
    fn next(&self, switch: SwitchId, lid: u16) -> Option<Wire> {
        self.wiring.wire(switch, self.tables.output(switch, lid)?)
    }

    /// Finds the way of every switch that a route to the lid of `port` comes by, and adds the dependencies on
    /// them.
    fn follow(&mut self, lid: u16, port: End, dependencies: &mut DependencyGraph) {
        for (switch, _) in self.seen.drain(..) {
            self.ways[switch.index()] = Way::Unseen;
        }
        for nth in 0..self.sources.len() {
            self.walk(self.sources[nth], lid, port);
        }
        for (_, wire) in &self.seen {
            let Some((wire, Node::Switch(next))) = wire.map(|wire| (wire, wire.to.node)) else { continue };
            if let Some(output) = self.tables.output(next, lid)
                && let Some(Wire { to: End { node: Node::Switch(_), .. }, .. }) =
                    self.wiring.wire(next, output)
            {
                dependencies.add(wire.channel, output);
            }
        }
    }

    /// Walks from a switch to the first one whose way is known, or to the end, or into a circle.
    fn walk(&mut self, from: SwitchId, lid: u16, port: End) {
        let first = self.seen.len();
        let mut at = from;
        let mut way = loop {
            match self.ways[at.index()] {
                Way::Unseen => self.ways[at.index()] = Way::Open,
                Way::Open => break Way::Never,
                known => break known,
            }
            let wire = self.next(at, lid);
            self.seen.push((at, wire.filter(|wire| matches!(wire.to.node, Node::Switch(_)))));
            match wire.map(|wire| wire.to) {
                Some(End { node: Node::Switch(next), .. }) => at = next,
                Some(end) if end == port => {
                    self.ways[at.index()] = Way::Arrives(0);
                    break Way::Arrives(0);
                }
                _ => break Way::Never,
            }
        };
        // The walk in reverse; the way of a switch that hands the lid over is known already.
        for (switch, _) in self.seen[first..].iter().rev() {
            if self.ways[switch.index()] != Way::Open {
                continue;
            }
            if let Way::Arrives(distance) = &mut way {
                *distance += 1;
            }
            self.ways[switch.index()] = way;
        }
    }

    /// Whether the lid followed last is reached from a switch.
    fn arrives(&self, switch: SwitchId) -> bool {
        matches!(self.ways[switch.index()], Way::Arrives(_))
    }

    /// Counts the routes of so many hosts per switch to the lid followed last, and says how many there are.
    fn count(&self, survey: &mut Survey, mut sources: Vec<u32>, nearest: &[u32]) -> u64 {
        let mut arriving = Vec::new();
        let mut routed = 0;
        for (switch, wire) in &self.seen {
            let Way::Arrives(distance) = self.ways[switch.index()] else { continue };
            let routes = u64::from(sources[switch.index()]);
            routed += routes;
            survey.sum_of_distances += routes * u64::from(distance);
            let least = nearest[switch.index()];
            if least != UNREACHED && distance > least {
                survey.non_minimal += routes;
            }
            arriving.push((std::cmp::Reverse(distance), *switch, *wire));
        }
        // The farthest first, so that all routes that come together at a switch are there before they go on.
        arriving.sort_by_key(|(distance, switch, _)| (*distance, *switch));
        for (_, switch, wire) in arriving {
            if let Some(Wire { to: End { node: Node::Switch(next), .. }, channel }) = wire {
                survey.load[channel.index()] += u64::from(sources[switch.index()]);
                sources[next.index()] += sources[switch.index()];
            }
        }
        routed
    }
}
