//! Following the tables from every port of a host to every lid, each path on the lanes of its service level.

use std::collections::BTreeSet;

use crate::topology::{End, Network};
use simnet_base::ids::{ChannelId, HostId, Node, SwitchId};

use super::ForwardingTables;
use super::service_levels::ServiceLevels;
use super::sl2vl::{DROPPED, LaneTables};
use crate::routing::attachments::Attachments;
use crate::routing::dependency::{ChannelLane, DependencyGraph};
use crate::routing::graph::{SwitchGraph, UNREACHED, Wire, Wiring};
use crate::routing::survey::{LaneUse, Survey};

/// How packets come to lanes.
#[derive(Clone, Debug)]
pub struct Lanes {
    /// What switches make of service levels.
    pub tables: LaneTables,
    /// The service levels of paths; a path without one has level 0.
    pub levels: ServiceLevels,
}

impl Survey {
    /// As [`Survey::of_tables`], but with dependencies over lanes of channels, and pairs whose packets are dropped for
    /// their service level counted as unreachable. Costs O(lids x (ports of hosts + service levels x channels x log
    /// ports)) more, and where packets may be dropped O(pairs x hops).
    pub fn of_tables_on_lanes(
        network: &Network,
        attachments: &Attachments,
        tables: &ForwardingTables,
        lanes: &Lanes,
    ) -> Survey {
        let mut survey = Survey::of_tables(network, attachments, tables);
        survey.dependencies = DependencyGraph::with_lanes(network, lanes.tables.lanes());
        let mut walker = Walker::new(network, tables, lanes);
        let sources = Source::all(network, tables);
        let mut without_level = 0;
        for (lid, end) in &tables.lids {
            without_level += walker.follow(*lid, *end, &sources, &mut survey.dependencies);
        }
        survey.lanes =
            Some(LaneUse { lanes: walker.used.count_ones().max(1), paths_without_level: without_level });
        if lanes.tables.drop_some() {
            walker.miss_dropped(network, attachments, &mut survey);
        }
        survey
    }
}

/// A cabled port of a host.
struct Source {
    port: End,
    /// The port of a switch that its cable leads to.
    far: End,
    lids: Vec<u16>,
}

impl Source {
    fn all(network: &Network, tables: &ForwardingTables) -> Vec<Source> {
        let ports = network
            .host_ids()
            .map(Node::Host)
            .flat_map(|node| network.cables(node).map(move |(port, _, far)| (End { node, port }, far)));
        let to_switches = ports.filter(|(_, far)| matches!(far.node, Node::Switch(_)));
        let mut sources: Vec<_> =
            to_switches.map(|(port, far)| Source { port, far, lids: Vec::new() }).collect();
        sources.sort_by_key(|source| source.port);
        for (lid, end) in &tables.lids {
            if let Ok(nth) = sources.binary_search_by_key(end, |source| source.port) {
                sources[nth].lids.push(*lid);
            }
        }
        sources
    }
}

/// The service level of a lid that has none.
const NO_LEVEL: u8 = u8::MAX;

struct Walker<'a> {
    tables: &'a ForwardingTables,
    lanes: &'a Lanes,
    wiring: Wiring,
    /// Per lid of a source its service level towards the lid that is followed.
    level_of: Vec<u8>,
    /// Per channel the last walk, counted by lid and service level, that went against it: that came in by the port
    /// which it leaves by.
    seen: Vec<u32>,
    walks: u32,
    /// Bits: the lanes of channels between switches that any path takes.
    used: u16,
}

impl<'a> Walker<'a> {
    fn new(network: &Network, tables: &'a ForwardingTables, lanes: &'a Lanes) -> Walker<'a> {
        let seen = vec![0; network.links().len() * 2];
        let level_of = vec![NO_LEVEL; usize::from(u16::MAX) + 1];
        Walker { tables, lanes, wiring: Wiring::new(network), level_of, seen, walks: 0, used: 0 }
    }

    /// Adds the dependencies of all paths to a lid, and says how many of them have no service level.
    fn follow(&mut self, lid: u16, end: End, sources: &[Source], dependencies: &mut DependencyGraph) -> u64 {
        self.levels_toward(lid);
        let mut without = 0;
        let mut starts: BTreeSet<(u8, End)> = BTreeSet::new();
        for source in sources.iter().filter(|source| source.port != end) {
            let levels = source.lids.iter().map(|lid| self.level_of[usize::from(*lid)]);
            // A port without a lid of its own may send as well.
            for level in levels.chain(source.lids.is_empty().then_some(NO_LEVEL)) {
                without += u64::from(level == NO_LEVEL);
                starts.insert((if level == NO_LEVEL { 0 } else { level }, source.far));
            }
        }
        let mut last = None;
        for (level, far) in starts {
            self.walks += u32::from(last != Some(level));
            last = Some(level);
            self.walk(far, lid, level, dependencies);
        }
        without
    }

    fn levels_toward(&mut self, lid: u16) {
        self.level_of.fill(NO_LEVEL);
        for (source, level) in self.lanes.levels.toward(lid) {
            self.level_of[usize::from(source)] = level;
        }
    }

    /// Where a packet that is at a port of a switch goes on, and on which lane, if to another switch.
    fn next(&self, at: End, lid: u16, level: u8) -> Option<(Wire, simnet_base::ids::Port, u8)> {
        let Node::Switch(switch) = at.node else { return None };
        let output = self.tables.output(switch, lid)?;
        let wire = self.wiring.wire(switch, output)?;
        Some((wire, output, self.lanes.tables.lane(switch, at.port, output, level)))
    }

    /// Adds the dependencies of a path from a port of a switch, up to where a path of this lid and level was before.
    fn walk(&mut self, from: End, lid: u16, level: u8, dependencies: &mut DependencyGraph) {
        let mut at = from;
        let mut held: Option<ChannelLane> = None;
        while let Some((wire, output, lane)) = self.next(at, lid, level) {
            if lane == DROPPED || matches!(wire.to.node, Node::Host(_)) {
                return;
            }
            self.used |= 1 << lane;
            if let Some(held) = held {
                dependencies.add_on(held, output, lane);
            }
            if self.was_at(at) {
                return;
            }
            held = Some(ChannelLane { channel: wire.channel, lane });
            at = wire.to;
        }
    }

    /// Notes that the walk came in by a port, and says whether it did before.
    fn was_at(&mut self, at: End) -> bool {
        let Node::Switch(switch) = at.node else { return true };
        let back = self.wiring.wire(switch, at.port).expect("a packet comes by a cable");
        std::mem::replace(&mut self.seen[back.channel.index()], self.walks) == self.walks
    }

    /// Takes the pairs out of a survey that have a path, and whose packets are dropped on it.
    fn miss_dropped(&mut self, network: &Network, attachments: &Attachments, survey: &mut Survey) {
        let graph = SwitchGraph::new(network);
        let base = self.tables.base_lids(attachments);
        for destination in attachments.ids() {
            let Some(lid) = base[destination.index()] else { continue };
            let Some((last, _)) = attachments.switch(destination) else { continue };
            self.levels_toward(lid);
            let mut nearest = None;
            for source in attachments.ids().filter(|source| attachments.counts(*source, destination)) {
                let Some(cable) = attachments.of(source) else { continue };
                let level = base[source.index()].map_or(NO_LEVEL, |lid| self.level_of[usize::from(lid)]);
                let level = if level == NO_LEVEL { 0 } else { level };
                if let Some(path) = self.dropped(cable.far, attachments.owner(destination), lid, level) {
                    let nearest = nearest.get_or_insert_with(|| graph.distances([last]));
                    survey.take_out((source, destination), &path, least(nearest, cable.far));
                }
            }
        }
    }

    /// The channels between switches of a path on which packets are dropped, and which would end at the host.
    fn dropped(&self, from: End, destination: HostId, lid: u16, level: u8) -> Option<Vec<ChannelId>> {
        let (mut at, mut path, mut is_dropped) = (from, Vec::new(), false);
        while let Some((wire, _, lane)) = self.next(at, lid, level) {
            is_dropped |= lane == DROPPED;
            at = wire.to;
            if let Node::Host(host) = at.node {
                return (is_dropped && host == destination && self.is_owner(lid, at)).then_some(path);
            }
            path.push(wire.channel);
            if path.len() > self.seen.len() {
                return None;
            }
        }
        None
    }

    fn is_owner(&self, lid: u16, end: End) -> bool {
        self.tables
            .lids
            .binary_search_by_key(&lid, |(lid, _)| *lid)
            .is_ok_and(|nth| self.tables.lids[nth].1 == end)
    }
}

/// The least distance of a switch's port from where `nearest` counts from.
fn least(nearest: &[u32], far: End) -> u32 {
    let switch = |node: Node| if let Node::Switch(switch) = node { Some(switch) } else { None };
    switch(far.node).map_or(UNREACHED, |switch: SwitchId| nearest[switch.index()])
}
