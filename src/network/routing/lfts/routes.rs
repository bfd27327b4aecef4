//! The routes that forwarding tables come to between hosts, and the lanes on which their packets travel.

use crate::topology::{End, Network};
use simnet_base::ids::{HostId, Node, Port, SwitchId};

use super::sl2vl::DROPPED;
use super::{ForwardingTables, Lanes};
use crate::routing::attachments::Attachments;
use crate::routing::graph::Wiring;
use crate::routing::table::{RouteTable, Row, TableTooLarge};

/// The highest lane that packets of hosts take, and where the first of them that takes it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HighestLane {
    /// The lane.
    pub lane: u8,
    /// Whose packets take it.
    pub source: HostId,
    /// Where they go.
    pub destination: HostId,
    /// The switch that puts them on it.
    pub switch: SwitchId,
    /// The port by which they leave that.
    pub output: Port,
}

/// A switch that packets pass: from which port to which.
#[derive(Clone, Copy)]
struct Hop {
    switch: SwitchId,
    input: Port,
    output: Port,
}

impl ForwardingTables {
    /// The routes between hosts by the lowest lid of each destination, as sources would give them to worms; none where
    /// the tables do not lead to the destination. Costs O(pairs x hops).
    ///
    /// # Errors
    /// [`TableTooLarge`] if they do not fit one table.
    pub fn routes(&self, network: &Network, attachments: &Attachments) -> Result<RouteTable, TableTooLarge> {
        self.routes_of_those(network, attachments, |_, _| true)
    }

    /// The same with the service level of each pair, by the lowest lids of both; none where a switch drops packets of
    /// that level. Says which is the highest lane that any of them take, the last cable included. Costs O(pairs x (hops
    /// x log rows + log paths)).
    ///
    /// # Errors
    /// [`TableTooLarge`] if they do not fit one table.
    pub fn routes_on_lanes(
        &self,
        network: &Network,
        attachments: &Attachments,
        lanes: &Lanes,
    ) -> Result<(RouteTable, Option<HighestLane>), TableTooLarge> {
        let hosts = network.hosts().len();
        TableTooLarge::unless_held(hosts)?;
        let levels = self.levels(network, attachments, lanes);
        let level = |source: HostId, to: HostId| levels[to.index() * hosts + source.index()];
        let mut highest: Option<HighestLane> = None;
        let mut table = self.routes_of_those(network, attachments, |(source, destination), hops| {
            let level = level(source, destination);
            let lane = |hop: &Hop| lanes.tables.lane(hop.switch, hop.input, hop.output, level);
            if hops.iter().any(|hop| lane(hop) == DROPPED) {
                return false;
            }
            for hop in hops {
                let (lane, Hop { switch, output, .. }) = (lane(hop), *hop);
                if highest.is_none_or(|highest| highest.lane < lane) {
                    highest = Some(HighestLane { lane, source, destination, switch, output });
                }
            }
            true
        })?;
        table.set_service_levels(level);
        Ok((table, highest))
    }

    /// Per destination, per source the service level of what it sends there; 0 where nothing is said of that.
    fn levels(&self, network: &Network, attachments: &Attachments, lanes: &Lanes) -> Vec<u8> {
        let hosts = network.hosts().len();
        let base = &self.base_lids(attachments)[..hosts];
        let mut levels = vec![0; hosts * hosts];
        for (of_one, lid) in levels.chunks_mut(hosts.max(1)).zip(base) {
            let Some(lid) = lid else { continue };
            let known: Vec<(u16, u8)> = lanes.levels.toward(*lid).collect();
            for (level, source) in of_one.iter_mut().zip(base) {
                let known_of = |lid: u16| known.binary_search_by_key(&lid, |(source, _)| *source).ok();
                *level = source.and_then(known_of).map_or(0, |nth| known[nth].1);
            }
        }
        levels
    }

    /// The routes of those pairs for which `keeps` holds, given what their packets pass.
    fn routes_of_those(
        &self,
        network: &Network,
        attachments: &Attachments,
        mut keeps: impl FnMut((HostId, HostId), &[Hop]) -> bool,
    ) -> Result<RouteTable, TableTooLarge> {
        let wiring = Wiring::new(network);
        let mut table = RouteTable::for_all_pairs(network.hosts().len())?;
        let base = self.base_lids(attachments);
        let mut hops = Vec::new();
        for destination in network.host_ids() {
            let mut row = Row::new(network.hosts().len());
            for source in network.host_ids() {
                let ends =
                    (source != destination).then_some(()).and(base[destination.index()]).and_then(|lid| {
                        let port = attachments.of(destination)?.port;
                        Some((attachments.of(source)?.far, lid, End { node: Node::Host(destination), port }))
                    });
                let found = ends.filter(|ends| self.hops(network, &wiring, *ends, &mut hops));
                match found.filter(|_| keeps((source, destination), &hops)) {
                    Some(_) => {
                        row.route(|turns| turns.extend(hops.iter().map(|hop| hop.input.turn_to(hop.output))));
                    }
                    None => row.skip(),
                }
            }
            table.set_row(destination, row)?;
        }
        Ok(table)
    }

    /// Finds what packets pass from the far end of a source's cable to the port of a destination; false if the tables
    /// do not lead there.
    fn hops(
        &self,
        network: &Network,
        wiring: &Wiring,
        (from, lid, to): (End, u16, End),
        hops: &mut Vec<Hop>,
    ) -> bool {
        hops.clear();
        let mut at = from;
        while let Node::Switch(switch) = at.node {
            let output = self.output(switch, lid);
            let Some((output, wire)) = output.and_then(|output| Some((output, wiring.wire(switch, output)?)))
            else {
                return false;
            };
            // A path that comes to more switches than there are is a circle.
            if hops.len() > network.switches().len() {
                return false;
            }
            hops.push(Hop { switch, input: at.port, output });
            at = wire.to;
        }
        at == to
    }
}
