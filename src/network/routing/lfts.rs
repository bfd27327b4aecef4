//! The forwarding tables of a running subnet manager, as `opensm-lfts.dump` and `opensm.fdbs` of OpenSM, `.fdbs` of
//! ibdiagnet and `dump_lfts` print them; which it is shows in the text.
//!
//! ```text
//!   dump --> lines / fdbs (tables as they stand) --> owners (switches, lids -> host ports) --> follow --> Survey
//! ```
//!
//! # Scope and limitations
//! A table sends a packet on by its destination's address (lid) alone, so that the routes to a lid form a
//! tree, or run in circles. A switch of the dump is found in the network by its guid; where no switch of the
//! network has one, by its description or name. A lid belongs to a port of a host by the port's guid: as the
//! network's own file gives it, else the host's guid or one of those behind it, else by the description. A
//! lid about which the dump says nothing (`-n`) belongs to the host that its own switch hands it to. The first
//! port of a switch is port 1 to a table.
//!
//! Pairs of hosts are judged by the lowest lid of each host's lowest-numbered cabled port, or of each of its cabled
//! ports, to and from which all distances and loads are counted. The dependencies are those of all lids of all ports
//! of hosts, as any of them may be in use, from every switch with a port of a host. Routes to the switches themselves
//! carry management only, on a lane of its own, and are left out.
//!
//! Where a table has no entry for a lid, or sends it to port 0, 255 or one without a cable, its route ends
//! there; so it does at a switch without a table, and a route in a circle never ends: the pair counts as
//! unreachable, and the dependencies up to there as real.
//!
//! A dump that was cut off is refused: each table ends by the number of its lids, and the tables name the
//! switches that have tables; the tables of an `.fdbs` file have as many lids as each other. Such a file says of no lid
//! whose it is, but for a switch's own.
//!
//! # Source
//! `dump_ucast_lfts` and `dump_ucast_routes` of OpenSM's `osm_dump.c`, and `dump_unicast_tables` of infiniband-diags'
//! `ibroute.c`.
//!
//! # Validation
//! tests/network/oracle/lfts.rs: tables of known routes, and random ones against walks hop by hop;
//! tests/network/formats/foreign/fdbs.rs: `.fdbs` against the dumps of the same subnets;
//! tests/it/interop/opensm.rs: the real OpenSM's tables.

mod digest;
mod fdbs;
mod follow;
mod lanes;
mod lines;
mod owners;
mod routes;
mod service_levels;
mod shape;
mod sl2vl;
mod without;
mod words;

pub(super) use digest::{Digest, digest_of, is_digest, two_commands};
pub use lanes::Lanes;
pub use routes::HighestLane;
pub use service_levels::{ServiceLevels, read_service_levels};
pub use sl2vl::{DROPPED, LaneTables, read_sl2vl};

use std::collections::{BTreeMap, BTreeSet};

use super::attachments::Attachments;
use crate::topology::{End, Network};
use simnet_base::diagnostics::{Faults, decode};
use simnet_base::ids::{Node, Port, SwitchId};

/// The forwarding tables of a network's switches.
#[derive(Clone, Debug)]
pub struct ForwardingTables {
    /// Per switch, per lid, the port that it is sent out by; `NONE` for none. Empty without a table.
    outputs: Vec<Vec<u8>>,
    /// Per switch the number of its first port, which is port 1 to the tables.
    first_ports: Vec<u16>,
    /// The lids of ports of hosts, in order.
    lids: Vec<(u16, End)>,
    /// Switches, and ports of hosts, by the guids that the dump has for them.
    switch_guids: BTreeMap<u64, SwitchId>,
    port_guids: BTreeMap<u64, End>,
    /// Lids in tables of switches that are left out of the network.
    left_out: BTreeSet<u16>,
    /// What binds the files of the command that wrote them, where simnet did.
    digest: Option<String>,
}

/// The entry of a lid that a table drops.
const NONE: u8 = 255;

impl ForwardingTables {
    /// The port by which a switch sends a lid on, if any.
    pub fn output(&self, switch: SwitchId, lid: u16) -> Option<Port> {
        let port = *self.outputs[switch.index()].get(usize::from(lid))?;
        let nth = u16::from(port).checked_sub(1).filter(|_| port != NONE)?;
        self.first_ports[switch.index()].checked_add(nth).map(Port)
    }

    /// The lids of ports of hosts, in order, and the ports.
    pub fn lids(&self) -> &[(u16, End)] {
        &self.lids
    }

    /// The digest of the command that wrote the tables and what goes with them; `None` where simnet did not.
    pub fn digest(&self) -> Option<&str> {
        self.digest.as_deref()
    }

    /// The ports by which a switch sends the lids of hosts on.
    fn outputs_to_hosts(&self, switch: SwitchId) -> BTreeSet<Port> {
        self.lids.iter().filter_map(|(lid, _)| self.output(switch, *lid)).collect()
    }

    /// The switches without a table.
    pub fn missing(&self) -> impl Iterator<Item = SwitchId> + '_ {
        let without = self.outputs.iter().enumerate().filter(|(_, table)| table.is_empty());
        without.map(|(nth, _)| SwitchId::new(nth))
    }

    /// The lowest lid of each host's port, and of each further port.
    fn base_lids(&self, attachments: &Attachments) -> Vec<Option<u16>> {
        // From the highest on, so that the lowest stays.
        let lowest: BTreeMap<End, u16> = self.lids.iter().rev().map(|(lid, end)| (*end, *lid)).collect();
        let end = |id| Some(End { node: Node::Host(attachments.owner(id)), port: attachments.of(id)?.port });
        attachments.ids().map(|id| lowest.get(&end(id)?).copied()).collect()
    }
}

/// Reads the tables in a dump that the user calls `file`.
///
/// `port_guids` gives the node's name and the port for the guids of ports that the network's own file gives;
/// it may be empty.
///
/// # Errors
/// All faults of the file: text that is no such dump, or cut off; switches and ports that the network does
/// not have; lids that have two entries or two owners.
pub fn read_lfts(
    network: &Network,
    port_guids: &BTreeMap<u64, (String, u16)>,
    file: &str,
    bytes: &[u8],
) -> Result<ForwardingTables, Box<Faults>> {
    let text = decode(file, bytes)?;
    let (tables, mut faults) = if fdbs::recognises(text) { fdbs::read(text) } else { lines::read(text) };
    if faults.is_empty() {
        match owners::assign(network, port_guids, &tables) {
            Ok(tables) => {
                let digest = digest::of_head(text).map(|(digest, _)| digest.to_owned());
                return Ok(ForwardingTables { digest, ..tables });
            }
            Err(found) => faults = found,
        }
    }
    faults.sort_by_key(|fault| fault.span.start);
    Err(Box::new(Faults::new(file, text, faults)))
}
