//! The routes that forwarding tables come to between hosts.

use crate::topology::{End, Network};
use simnet_base::ids::{Node, Turn};

use super::ForwardingTables;
use crate::routing::graph::{Attachments, Wiring};
use crate::routing::table::{RouteTable, Row, TableTooLarge};

impl ForwardingTables {
    /// The routes between hosts by the lowest lid of each destination, as sources would give them to worms; none where
    /// the tables do not lead to the destination. Costs O(pairs x hops).
    ///
    /// # Errors
    /// [`TableTooLarge`] if they do not fit one table.
    pub fn routes(&self, network: &Network, attachments: &Attachments) -> Result<RouteTable, TableTooLarge> {
        let wiring = Wiring::new(network);
        let mut table = RouteTable::for_all_pairs(network.hosts().len())?;
        let base = self.base_lids(network.hosts().len(), |host| attachments.of(host).map(|c| c.port));
        let mut turns = Vec::new();
        for destination in network.host_ids() {
            let mut row = Row::new(network.hosts().len());
            for source in network.host_ids() {
                let ends =
                    (source != destination).then_some(()).and(base[destination.index()]).and_then(|lid| {
                        let port = attachments.of(destination)?.port;
                        Some((attachments.of(source)?.far, lid, End { node: Node::Host(destination), port }))
                    });
                match ends.filter(|ends| self.turns(network, &wiring, *ends, &mut turns)) {
                    Some(_) => row.route(|all| all.append(&mut turns)),
                    None => row.skip(),
                }
            }
            table.set_row(destination, row)?;
        }
        Ok(table)
    }

    /// Finds the turns from the far end of a source's cable to the port of a destination; false if the tables do not
    /// lead there.
    fn turns(
        &self,
        network: &Network,
        wiring: &Wiring,
        (from, lid, to): (End, u16, End),
        turns: &mut Vec<Turn>,
    ) -> bool {
        turns.clear();
        let mut at = from;
        while let Node::Switch(switch) = at.node {
            let output = self.output(switch, lid);
            let Some((output, wire)) = output.and_then(|output| Some((output, wiring.wire(switch, output)?)))
            else {
                return false;
            };
            // A path that comes to more switches than there are is a circle.
            if turns.len() > network.switches().len() {
                return false;
            }
            turns.push(at.port.turn_to(output));
            at = wire.to;
        }
        at == to
    }
}
