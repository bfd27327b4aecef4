//! What forwarding tables show of the engine that made them.

use std::collections::BTreeMap;

use crate::topology::{End, Network};
use simnet_base::ids::{Node, SwitchId};

use super::{ForwardingTables, NONE};
use crate::routing::graph::{SwitchGraph, UNREACHED};

impl ForwardingTables {
    /// Whether the tables have a shortest path from every switch to every other, the same for all lids there, though
    /// somewhere they could have had another.
    ///
    /// LASH and torus-2QoS route switches, not lids, and so give one path to a switch's own lid and those of its hosts;
    /// engines that spread lids over paths (minhop, UP*/DOWN*, fat tree, DFSSSP, Nue) do not, once there are paths to
    /// choose from. Costs O(switches x links + entries).
    pub fn share_trees(&self, network: &Network) -> bool {
        let graph = SwitchGraph::new(network);
        let mut of_switch: BTreeMap<SwitchId, Vec<u16>> = BTreeMap::new();
        for (lid, end) in &self.lids {
            if let Some(End { node: Node::Switch(switch), .. }) = network.peer(*end) {
                of_switch.entry(switch).or_default().push(*lid);
            }
        }
        for switch in network.switch_ids() {
            // A switch sends its own lids to port 0.
            let own =
                self.outputs[switch.index()].iter().enumerate().filter(|(lid, port)| *lid > 0 && **port == 0);
            let own = own.filter_map(|(lid, _)| u16::try_from(lid).ok());
            of_switch.entry(switch).or_default().extend(own);
        }
        let mut choices = 0;
        for (destination, lids) in of_switch.iter().filter(|(_, lids)| lids.len() > 1) {
            let distance = graph.distances([*destination]);
            for switch in graph.switch_ids().filter(|switch| switch != destination) {
                let at = distance[switch.index()];
                if at == UNREACHED || self.outputs[switch.index()].is_empty() {
                    continue;
                }
                let Some(output) = self.one_output(switch, lids) else { return false };
                let nearer = graph.of(switch).iter().filter(|o| distance[o.to.index()] < at);
                let nearer: Vec<_> = nearer.map(|output| output.port).collect();
                if !nearer.contains(&output) {
                    return false;
                }
                choices += u64::from(nearer.len() > 1) * (lids.len() as u64 - 1);
            }
        }
        // By chance all lids of a switch have the same of two paths in one of two cases.
        choices >= 20
    }

    /// The port by which a switch sends all of these lids on, if it has an entry for any and that is one.
    fn one_output(&self, switch: SwitchId, lids: &[u16]) -> Option<simnet_base::ids::Port> {
        let table = &self.outputs[switch.index()];
        let entries = lids.iter().map(|lid| table.get(usize::from(*lid)).copied().unwrap_or(NONE));
        let mut ports: Vec<u8> = entries.collect();
        ports.dedup();
        if ports.len() == 1 { self.output(switch, lids[0]) } else { None }
    }
}
