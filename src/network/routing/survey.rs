//! What a table of routes does to its network: reach, lengths, loads and dependencies of the very routes in
//! it.

use crate::topology::{End, Network};
use rayon::prelude::*;
use simnet_base::ids::{ChannelId, HostId, Node, SwitchId, Turn};

use super::attachments::Attachments;
use super::dependency::{ChannelLane, DependencyGraph};
use super::graph::{Landing, Output, SwitchGraph, UNREACHED, Wiring};
use super::judged::StandIns;
use super::table::RouteTable;

/// How many pairs are noted by name that have no route, or not the one that was asked for.
pub(super) const MOST_EXAMPLES: usize = 4;

/// What lanes routes use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneUse {
    /// How many lanes of channels between switches they take, at least 1.
    pub lanes: u32,
    /// Paths, from a lid or a port without one to a lid, that no service level was given for: they count as level 0.
    pub paths_without_level: u64,
}

/// What routes are followed through.
pub(super) struct Ground<'a> {
    pub(super) graph: SwitchGraph,
    wiring: Wiring,
    pub(super) attachments: &'a Attachments,
    /// Per host, and per further port, the switch that it is plugged into.
    pub(super) switches: Vec<Option<SwitchId>>,
    /// The survey of no route, to begin with.
    pub(super) none: Survey,
}

impl<'a> Ground<'a> {
    pub(super) fn new(network: &Network, attachments: &'a Attachments) -> Ground<'a> {
        let none = Survey::before_any(network, attachments);
        let switch = |host| attachments.switch(host).map(|(switch, _)| switch);
        let switches = attachments.ids().map(switch).collect();
        Ground { graph: SwitchGraph::new(network), wiring: Wiring::new(network), attachments, switches, none }
    }
}

/// The facts about a table of routes, found by following every route through the network.
#[derive(Clone, Debug)]
pub struct Survey {
    /// Ordered pairs of distinct hosts; of ports of hosts where they have further ones.
    pub pairs: u64,
    /// Those without a route, or whose route does not end at the destination.
    pub unreachable: u64,
    /// The first few of these, destinations in order of their switches; all of them where hosts have further ports.
    pub unreachable_examples: Vec<(HostId, HostId)>,
    /// How many of these are kept.
    most_examples: usize,
    /// The sum over the other pairs of the switch-to-switch cables on their routes.
    pub sum_of_distances: u64,
    /// The sum over the other pairs of the hosts that send their messages on.
    pub sum_of_transits: u64,
    /// How many of the other pairs have a route longer than the shortest path that ignores every rule.
    pub non_minimal: u64,
    /// Per channel how many routes go over it; 0 for those to or from a host.
    pub load: Vec<u64>,
    /// Which channel follows which one on some route, those that end at the wrong place included.
    pub dependencies: DependencyGraph,
    /// The lanes that the dependencies are over; `None` where lanes were not looked at.
    pub lanes: Option<LaneUse>,
    /// The switches that stand in for hosts in a verdict.
    pub(super) stand_ins: StandIns,
}

impl Survey {
    /// Follows every route of `table`. Costs O(turns + switches with hosts x links), shared by all cores.
    pub fn new(network: &Network, attachments: &Attachments, table: &RouteTable) -> Survey {
        let ground = Ground::new(network, attachments);
        let groups = attachments.by_switch();
        let followed = groups.par_iter().fold(
            || ground.none.clone(),
            |mut survey, (at, destinations)| {
                let minimal = ground.graph.distances(*at);
                for destination in destinations {
                    let turns = |source| table.turns(source, *destination);
                    survey.follow_all(&ground, *destination, (&minimal, turns));
                }
                survey
            },
        );
        followed.reduce(|| ground.none.clone(), Survey::and)
    }

    /// Ordered pairs of distinct hosts that have a route.
    pub fn reached(&self) -> u64 {
        self.pairs - self.unreachable
    }

    /// Adds what another survey found of other routes of the same network, all behind these in order.
    pub(super) fn and(mut self, other: Survey) -> Survey {
        self.unreachable += other.unreachable;
        let room = self.most_examples - self.unreachable_examples.len();
        self.unreachable_examples.extend(other.unreachable_examples.into_iter().take(room));
        self.sum_of_distances += other.sum_of_distances;
        self.sum_of_transits += other.sum_of_transits;
        self.non_minimal += other.non_minimal;
        self.load.iter_mut().zip(&other.load).for_each(|(load, more)| *load += more);
        self.dependencies.unite(&other.dependencies);
        self
    }

    /// Follows the routes from all other hosts to one, `turns(source)` each; `minimal` has the least distances of
    /// switches from its own.
    pub(super) fn follow_all<'r>(
        &mut self,
        ground: &Ground<'_>,
        destination: HostId,
        (minimal, turns): (&[u32], impl Fn(HostId) -> Option<&'r [Turn]>),
    ) {
        let attachments = ground.attachments;
        for source in attachments.ids().filter(|source| attachments.counts(*source, destination)) {
            let least = attachments.switch(source).map_or(0, |(switch, _)| minimal[switch.index()]);
            self.follow(ground, turns(source), (source, destination), least);
        }
    }

    /// Of no route yet between the hosts.
    pub(super) fn before_any(network: &Network, attachments: &Attachments) -> Survey {
        let has_further = attachments.further_ports() > 0;
        Survey {
            pairs: attachments.pairs(),
            unreachable: 0,
            unreachable_examples: Vec::new(),
            most_examples: if has_further { usize::MAX } else { MOST_EXAMPLES },
            sum_of_distances: 0,
            sum_of_transits: 0,
            non_minimal: 0,
            load: vec![0; network.links().len() * 2],
            dependencies: DependencyGraph::new(network),
            lanes: None,
            stand_ins: StandIns::new(&SwitchGraph::new(network), attachments),
        }
    }

    fn follow(
        &mut self,
        ground: &Ground<'_>,
        turns: Option<&[Turn]>,
        (source, destination): (HostId, HostId),
        least: u32,
    ) {
        let attachments = ground.attachments;
        let (Some(turns), Some(from)) = (turns, attachments.of(source)) else {
            self.miss(source, destination);
            return;
        };
        let mut before: Option<ChannelId> = None;
        let mut hosts = 0_u64;
        let landing = ground.wiring.walk(from.far, turns, |_, _, output, wire| {
            if let Node::Switch(_) = wire.to.node {
                self.load[wire.channel.index()] += 1;
                if let Some(channel) = before {
                    self.dependencies.add(channel, output);
                }
                before = Some(wire.channel);
            } else {
                // A host never keeps what is in transit from leaving the network: it waits for nothing there.
                before = None;
                hosts += 1;
            }
        });
        let port = attachments.of(destination).map(|cable| cable.port);
        let node = Node::Host(attachments.owner(destination));
        let wanted = port.map(|port| Landing::Arrived(End { node, port }));
        if Some(landing) != wanted {
            self.miss(source, destination);
            return;
        }
        // The last of the hosts is the destination; for each of the others a turn leads to it, and one away.
        let in_transit = hosts.saturating_sub(1);
        let distance = turns.len().saturating_sub(1) as u64 - 2 * in_transit;
        self.sum_of_distances += distance;
        self.sum_of_transits += in_transit;
        self.non_minimal += u64::from(least != UNREACHED && distance > u64::from(least));
    }

    /// Follows a path between switches that so many routes take; `path` calls its argument with every output in order.
    pub(super) fn follow_path(
        &mut self,
        routes: u64,
        least: u32,
        path: impl FnOnce(&mut dyn FnMut(&Output)),
    ) {
        let mut before: Option<ChannelId> = None;
        let mut distance = 0;
        path(&mut |output| {
            distance += 1;
            self.load[output.channel.index()] += routes;
            if let Some(channel) = before {
                self.dependencies.add(channel, output.port);
            }
            before = Some(output.channel);
        });
        self.sum_of_distances += routes * u64::from(distance);
        self.non_minimal += routes * u64::from(least != UNREACHED && distance > least);
    }

    /// Takes a pair's route out again, over these channels between switches, and counts the pair as unreachable.
    pub(super) fn take_out(&mut self, pair: (HostId, HostId), path: &[ChannelId], least: u32) {
        let distance = path.len() as u64;
        self.sum_of_distances -= distance;
        self.non_minimal -= u64::from(least != UNREACHED && distance > u64::from(least));
        path.iter().for_each(|channel| self.load[channel.index()] -= 1);
        self.miss(pair.0, pair.1);
    }

    pub(super) fn miss(&mut self, source: HostId, destination: HostId) {
        self.unreachable += 1;
        if self.unreachable_examples.len() < self.most_examples {
            self.unreachable_examples.push((source, destination));
        }
    }

    /// The mean number of switch-to-switch cables on a route; `None` if no pair has one.
    pub fn mean_distance(&self) -> Option<f64> {
        let routed = self.reached();
        (routed > 0).then(|| self.sum_of_distances as f64 / routed as f64)
    }

    /// The mean number of hosts that send a route's messages on; `None` if no pair has a route.
    pub fn mean_transits(&self) -> Option<f64> {
        let routed = self.reached();
        (routed > 0).then(|| self.sum_of_transits as f64 / routed as f64)
    }

    /// The busiest directed switch-to-switch channel, the first of equals, and the number of routes over it.
    pub fn busiest(&self) -> Option<(ChannelId, u64)> {
        let loads = self.load.iter().enumerate().filter(|(_, load)| **load > 0);
        let busiest = loads.max_by_key(|(nth, load)| (**load, std::cmp::Reverse(*nth)));
        busiest.map(|(nth, load)| (ChannelId::new(nth), *load))
    }
}

/// What a lane of a channel is called: `switch:port`, with lanes `switch:port/lane`.
pub(super) fn lane_name(
    network: &Network,
    dependencies: &DependencyGraph,
    vertex: ChannelLane,
    with_lanes: bool,
) -> String {
    let End { node, port } = dependencies.sender(vertex.channel);
    let output = format!("{}:{port}", network.name_of(node));
    if with_lanes { format!("{output}/{}", vertex.lane) } else { output }
}
