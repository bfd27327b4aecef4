//! The service levels of paths: `slid dlid sl` a line, or ibdiagnet's `source-guid dlid sl` (`ibdiagnet.psl`).
//!
//! # Scope and limitations
//! A subnet manager gives each path a service level with its path record; switches make a lane of it (`sl2vl`). Lids
//! and levels are decimal. A guid is a host's, and stands for all its ports, or that of one port, as the
//! network has them, or else the tables. Paths from and to switches carry management and are passed over. What follows
//! `#` is a comment.
//!
//! # Source
//! InfiniBand Architecture Specification 1.2.1, section 15.2.5.16; the formats as `ibdmchk -c` and scripts round
//! `saquery PR` have them.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::topology::{End, Network};
use simnet_base::diagnostics::{Fault, Faults, decode};
use simnet_base::ids::Node;

use super::sl2vl::LEVELS;
use super::words::{hexadecimal, lines};
use super::{ForwardingTables, NONE, digest};

/// The service level of each path between lids of hosts.
#[derive(Clone, Debug, Default)]
pub struct ServiceLevels {
    /// Destination, source, level; in order.
    levels: Vec<(u16, u16, u8)>,
}

impl ServiceLevels {
    /// The sources that have a service level towards a lid, and which, in order. Costs O(log paths).
    pub fn toward(&self, lid: u16) -> impl Iterator<Item = (u16, u8)> + '_ {
        let start = self.levels.partition_point(|(destination, _, _)| *destination < lid);
        let those = self.levels[start..].iter().take_while(move |(destination, _, _)| *destination == lid);
        those.map(|(_, source, level)| (*source, *level))
    }

    /// How many paths have one.
    pub fn len(&self) -> usize {
        self.levels.len()
    }

    /// Whether no path has one.
    pub fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }
}

/// A line: the destination, the source, the level, and where it stands.
type Line = (u16, u16, u8, Range<usize>);

/// Reads the service levels in a file that the user calls `file`, of the lids in `tables`.
///
/// `port_guids` is as in [`read_lfts`](super::read_lfts).
///
/// # Errors
/// All faults of the file: lines that are none of these formats, levels above 15, lids that no table knows, guids that
/// no node has, two levels of one path, a file without any level, and another digest than that of the tables.
pub fn read_service_levels(
    network: &Network,
    port_guids: &BTreeMap<u64, (String, u16)>,
    tables: &ForwardingTables,
    file: &str,
    bytes: &[u8],
) -> Result<ServiceLevels, Box<Faults>> {
    let text = decode(file, bytes)?;
    let sources = Sources::new(network, port_guids, tables);
    let (mut found, mut faults) = (Vec::new(), Vec::from_iter(digest::of_another(tables, text)));
    for (line, span) in lines(text) {
        let line = line.split('#').next().unwrap_or_default().trim_end();
        if !line.is_empty() {
            let span = span.start..span.start + line.len();
            faults.extend(sources.add(line, span, &mut found).err());
        }
    }
    if found.is_empty() && faults.is_empty() {
        let message = "the file has no service level";
        faults.push(Fault::new("no-levels", 0..0, message, "lines as `slid dlid sl` or `0xGUID dlid sl`"));
    }
    // Paths of management are there, and nothing is said of them.
    found.retain(|(destination, source, _, _)| {
        sources.is_of_host(*destination) && sources.is_of_host(*source)
    });
    found.sort_by_key(|(destination, source, _, span)| (*destination, *source, span.start));
    faults.extend(found.windows(2).filter_map(two_levels));
    if !faults.is_empty() {
        faults.sort_by_key(|fault| fault.span.start);
        return Err(Box::new(Faults::new(file, text, faults)));
    }
    let mut levels: Vec<_> = found.into_iter().map(|(to, from, level, _)| (to, from, level)).collect();
    levels.dedup();
    Ok(ServiceLevels { levels })
}

/// What is wrong if two lines after each other give one path two levels.
fn two_levels(two: &[Line]) -> Option<Fault> {
    let ((to, from, before, _), (to_again, from_again, level, span)) = (&two[0], &two[1]);
    ((to, from) == (to_again, from_again) && before != level).then(|| {
        let message = format!("the path from {from} to {to} has the service level {before} elsewhere");
        Fault::new("two-levels", span.clone(), message, "one service level a path")
    })
}

/// What the sources of paths are called.
struct Sources {
    /// The lids of hosts that a guid stands for; none for a switch.
    by_guid: BTreeMap<u64, Vec<u16>>,
    /// Per lid what the tables know of it.
    known: Vec<Known>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Not,
    /// Some table has an entry for it.
    Named,
    OfHost,
}

impl Sources {
    fn new(
        network: &Network,
        port_guids: &BTreeMap<u64, (String, u16)>,
        tables: &ForwardingTables,
    ) -> Sources {
        let mut known = vec![Known::Not; usize::from(u16::MAX) + 1];
        for table in &tables.outputs {
            for (lid, _) in table.iter().enumerate().filter(|(_, port)| **port != NONE) {
                known[lid] = Known::Named;
            }
        }
        tables.left_out.iter().for_each(|lid| known[usize::from(*lid)] = Known::Named);
        let mut by_end: BTreeMap<End, Vec<u16>> = BTreeMap::new();
        for (lid, end) in tables.lids() {
            known[usize::from(*lid)] = Known::OfHost;
            by_end.entry(*end).or_default().push(*lid);
        }
        let mut by_guid: BTreeMap<u64, Vec<u16>> =
            network.guids_left_out().map(|guid| (guid, Vec::new())).collect();
        let of_node = |node: Node| {
            let ends = network.cables(node).map(move |(port, _, _)| End { node, port });
            ends.filter_map(|end| by_end.get(&end)).flatten().copied().collect::<Vec<u16>>()
        };
        for (id, switch) in network.switch_ids().zip(network.switches()) {
            by_guid.extend(switch.guid.map(|guid| (guid, of_node(Node::Switch(id)))));
        }
        for (id, host) in network.host_ids().zip(network.hosts()) {
            by_guid.extend(host.guid.map(|guid| (guid, of_node(Node::Host(id)))));
        }
        for (guid, (name, port)) in port_guids {
            let end = network.find_host(name).map(|host| End::host(host, *port));
            let lids = || end.and_then(|end| by_end.get(&end)).cloned().unwrap_or_default();
            by_guid.entry(*guid).or_insert_with(lids);
            // A node that was left out of the network: by its own guid, from which those of its ports count on.
            if end.is_none() {
                by_guid.entry(guid.saturating_sub(u64::from(*port))).or_default();
            }
        }
        for (guid, end) in &tables.port_guids {
            by_guid.entry(*guid).or_insert_with(|| by_end.get(end).cloned().unwrap_or_default());
            // A host without a guid in the network: by its own, from which those of its ports count on.
            if let Node::Host(host) = end.node
                && network.hosts()[host.index()].guid.is_none()
            {
                let (first, _) = network.port_range(end.node);
                let own = guid.saturating_sub(u64::from(end.port.0 - first) + 1);
                by_guid.entry(own).or_insert_with(|| of_node(end.node));
            }
        }
        Sources { by_guid, known }
    }

    fn is_of_host(&self, lid: u16) -> bool {
        self.known[usize::from(lid)] == Known::OfHost
    }

    fn add(&self, line: &str, span: Range<usize>, found: &mut Vec<Line>) -> Result<(), Fault> {
        let no_line = || {
            let message = "this is no line of service levels";
            let expected = "`slid dlid sl` or `0xGUID dlid sl`, with a level from 0 to 15";
            Fault::new("service-level", span.clone(), message, expected)
        };
        let mut words = line.split_whitespace();
        let (Some(source), Some(destination), Some(level), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(no_line());
        };
        let destination: u16 = destination.parse().map_err(|_| no_line())?;
        let level: u8 = level.parse().map_err(|_| no_line())?;
        if usize::from(level) >= LEVELS {
            return Err(no_line());
        }
        self.check_lid(destination, &span)?;
        if let Some(digits) = source.strip_prefix("0x") {
            let guid = hexadecimal(digits).ok_or_else(no_line)?;
            let Some(lids) = self.by_guid.get(&guid) else {
                let message = format!("no node of the network has the guid {guid:#x}");
                return Err(Fault::new("unknown-guid", span, message, "a host, or a port of one"));
            };
            found.extend(lids.iter().map(|source| (destination, *source, level, span.clone())));
        } else {
            let source: u16 = source.parse().map_err(|_| no_line())?;
            self.check_lid(source, &span)?;
            found.push((destination, source, level, span));
        }
        Ok(())
    }

    fn check_lid(&self, lid: u16, span: &Range<usize>) -> Result<(), Fault> {
        if self.known[usize::from(lid)] != Known::Not {
            return Ok(());
        }
        let message = format!("no forwarding table knows the lid {lid}");
        Err(Fault::new("unknown-lid", span.clone(), message, "lids of the tables that are judged"))
    }
}
