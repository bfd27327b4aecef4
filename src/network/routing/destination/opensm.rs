//! Tables of next hops as OpenSM takes them, and what the fabric has to know of lanes.
//!
//! # Scope and limitations
//! * *Forwarding tables*: the syntax of OpenSM's own `opensm-lfts.dump`, which `opensm -R file -U FILE` installs.
//!   Every port of a host that a cable joins to a switch has its addresses there, and every switch. The addresses are
//!   those of the network's file if it has them for all and as many as there are paths, else counted from 1, switches
//!   first; OpenSM translates them to its own by the guids in the file.
//! * *Lid matrix*: the hops to every switch by every port, which `-M FILE` takes. There OpenSM does not translate
//!   addresses: those of switches are the network's file's if it has them for all switches.
//! * *Service levels*: a line `0xGUID LID SL` for each host and address, `ibdiagnet.psl` to ibdmchk (`-c`); where the
//!   ports of a host have other levels, which ibdmchk has no words for, and between its own ports, a line `LID LID SL`
//!   for each of them. The service level of a path is the number of its lane, but for dimension order on a torus:
//!   there a bit of it is. Addresses are those of the tables file.
//! * *SL to VL*: a line `0xGUID IN OUT 0xAB ...` for each two ports of a switch, two lanes a byte, `ibdiagnet.slvl` to
//!   ibdmchk (`-d`). Service levels without a lane of their own share those that there are.
//!
//! The guid of a port is the one that the network's file has, else it counts on from the host's; nodes without a guid
//! have those that a dump of the network has which simnet writes.
//!
//! # Source
//! `osm_ucast_file.c` and `osm_dump.c` of OpenSM 3.3.23; `ibdm`'s `Fabric.cpp` of ibutils 1.5.7.
//!
//! # Validation
//! tests/it/interop/installed.rs: the real OpenSM installs them, and reads the same back; ibdmchk judges them.

use std::collections::BTreeMap;
use std::io::{self, Write};

use simnet_base::ids::{Node, Port, SwitchId};
use simnet_base::numbers::count;
use thiserror::Error;

use super::{DestinationTables, MOST_LMC, Target};
use crate::routing::graph::{SwitchGraph, UNREACHED};
use crate::routing::lfts::{Digest, digest_of};
use crate::topology::formats::{Kept, Lids, NodeGuids, node_guids};
use crate::topology::{End, Network};

/// The most ports that a table knows.
const MOST_PORTS: u16 = 254;

/// A switch has more ports than tables can name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the switch {switch} has {ports} ports, and tables name {MOST_PORTS} at most")]
pub struct TooManyPorts {
    /// Its name.
    pub switch: String,
    /// How many it has.
    pub ports: u16,
}

/// Tables with the addresses and guids that they are written with.
pub struct OpenSm<'a> {
    network: &'a Network,
    graph: SwitchGraph,
    tables: &'a DestinationTables,
    guids: NodeGuids,
    port_guids: BTreeMap<End, u64>,
    /// The lids by guid that the network's own file gives.
    lids: BTreeMap<u64, Lids>,
    /// All addresses, those of switches first: the guid of the port, its name, and what leads there.
    addresses: Vec<Address>,
    /// Whether they are those of the network's own file.
    keeps_lids: bool,
    /// What binds all files of these tables to each other.
    digest: String,
}

/// An address.
struct Address {
    lid: u16,
    guid: u64,
    name: String,
    to: To,
}

/// What an address leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum To {
    /// A switch, by a column if it has no hosts or by that of one of its hosts.
    Switch(SwitchId, Option<usize>),
    /// A port of a host, by a column; and the last switch's port.
    Host(usize, End),
}

impl<'a> OpenSm<'a> {
    /// Gives addresses to all ports. `kept` is what the network's own file says of guids and addresses, if anything.
    ///
    /// # Errors
    /// [`TooManyPorts`].
    pub fn new(
        network: &'a Network,
        tables: &'a DestinationTables,
        kept: &Kept,
    ) -> Result<OpenSm<'a>, TooManyPorts> {
        if let Some(large) = network.switches().iter().find(|switch| switch.ports > MOST_PORTS) {
            return Err(TooManyPorts { switch: large.name.clone(), ports: large.ports });
        }
        let known = kept.port_guids().into_iter().filter_map(|(guid, (name, port))| {
            Some((End { node: network.find(&name)?, port: Port(port) }, guid))
        });
        let mut files = OpenSm {
            network,
            graph: SwitchGraph::new(network),
            tables,
            guids: node_guids(network),
            port_guids: known.collect(),
            lids: kept.lids(),
            addresses: Vec::new(),
            keeps_lids: false,
            digest: String::new(),
        };
        files.add_addresses();
        files.keep_lids();
        files.digest = files.found_digest();
        Ok(files)
    }

    /// What binds the files to each other: 32 hexadecimal digits, the same for the same tables, levels and lanes. Each
    /// file carries it in its first line, and a certificate of them in its own.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Whether the addresses are those that the network's own file gives.
    pub fn keeps_lids(&self) -> bool {
        self.keeps_lids
    }

    /// Takes the addresses of the network's own file, if it has as many for each port as there are paths, none of them
    /// twice. Addresses of a port beyond its paths take these in turn.
    fn keep_lids(&mut self) {
        let paths = u16::try_from(self.tables.paths).expect("at most 128 addresses a port");
        let mut kept: Vec<Address> = Vec::new();
        for ports in self.addresses.chunk_by(|a, b| a.guid == b.guid) {
            let is_switch = matches!(ports[0].to, To::Switch(..));
            let Some(Lids { base, lmc }) = self.lids.get(&ports[0].guid).copied() else { return };
            let count = 1_u16 << lmc.min(MOST_LMC);
            if base.checked_add(count).is_none() || (!is_switch && count < paths) {
                return;
            }
            // A switch has one address here, whatever its lmc: management needs no other.
            let count = if is_switch { 1 } else { count };
            kept.extend((0..count).zip(ports.iter().cycle()).map(|(nth, own)| Address {
                lid: base + nth,
                guid: own.guid,
                name: own.name.clone(),
                to: own.to,
            }));
        }
        let mut seen: Vec<u16> = kept.iter().map(|address| address.lid).collect();
        seen.sort_unstable();
        if seen.windows(2).all(|two| two[0] < two[1]) {
            self.keeps_lids = !kept.is_empty();
            self.addresses = kept;
        }
    }

    fn found_digest(&self) -> String {
        let mut digest = Digest::default();
        let hops = &self.tables.hops;
        let all = self.write_all_tables(&mut digest).and_then(|()| self.write_all_lanes(&mut digest));
        let levels = all.and_then(|()| {
            hops.host_columns().try_for_each(|column| {
                let levels = self.network.switch_ids().map(|from| hops.service_level(column, from));
                digest.write_all(&levels.collect::<Vec<u8>>())
            })
        });
        levels.expect("a digest takes all bytes");
        digest.finish()
    }

    fn add_addresses(&mut self) {
        let hops = &self.tables.hops;
        let mut to_switch = vec![None; self.network.switches().len()];
        for column in (0..hops.columns()).rev() {
            to_switch[hops.target(column).1.index()] = Some(column);
        }
        let mut lid = 1;
        for (switch, column) in self.network.switch_ids().zip(to_switch) {
            let name = printable(self.network.name_of(Node::Switch(switch)));
            let guid = self.guids.switches[switch.index()];
            self.addresses.push(Address { lid, guid, name, to: To::Switch(switch, column) });
            lid += 1;
        }
        // All addresses of a port share their upper bits.
        let each = u16::try_from(self.tables.paths).expect("at most 128 addresses a port");
        lid = lid.next_multiple_of(each);
        for column in hops.host_columns() {
            let (Target::Host(host, port), _) = hops.target(column) else { continue };
            let end = End { node: Node::Host(host), port };
            let Some(far) = self.network.peer(end) else { continue };
            let name = printable(self.network.name_of(end.node));
            self.addresses.push(Address { lid, guid: self.port_guid(end), name, to: To::Host(column, far) });
            lid += 1;
        }
    }

    /// The guid of a port of a host.
    fn port_guid(&self, end: End) -> u64 {
        let Node::Host(host) = end.node else { unreachable!("asked of hosts") };
        let own = self.guids.hosts[host.index()];
        let nth = end.port.0 - self.network.port_range(end.node).0;
        self.port_guids.get(&end).copied().unwrap_or(own.saturating_add(u64::from(nth) + 1))
    }

    /// The number that a table has for a port of a switch.
    fn port_number(&self, switch: SwitchId, port: Port) -> u16 {
        port.0 - self.network.port_range(Node::Switch(switch)).0 + 1
    }

    /// The entry of a switch for an address; `None` where no route leads there.
    fn entry(&self, switch: SwitchId, to: To) -> Option<u16> {
        let by_column = |column: usize| {
            let output = &self.graph.outputs()[self.tables.hops.next(&self.graph, column, switch)?];
            Some(self.port_number(switch, output.port))
        };
        match to {
            To::Switch(own, _) if own == switch => Some(0),
            To::Switch(_, column) => by_column(column?),
            To::Host(_, far) if far.node == Node::Switch(switch) => Some(self.port_number(switch, far.port)),
            To::Host(column, _) => by_column(column),
        }
    }

    /// The first line of every file: a comment to all that read them, by which simnet knows its own files.
    fn write_head(&self, out: &mut dyn Write, what: &str) -> io::Result<()> {
        let (engine, lanes) = (self.tables.engine, self.tables.hops.lanes());
        let lanes = count(lanes.into(), "lane");
        writeln!(out, "# Written by simnet: {what} of {engine} on {lanes}{}", digest_of(&self.digest))
    }

    /// Writes the forwarding tables of all switches.
    ///
    /// # Errors
    /// What `out` says.
    pub fn write_tables(&self, out: &mut dyn Write) -> io::Result<()> {
        self.write_head(out, "forwarding tables")?;
        self.write_all_tables(out)
    }

    fn write_all_tables(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut in_order: Vec<&Address> = self.addresses.iter().collect();
        in_order.sort_by_key(|address| address.lid);
        let last = in_order.last().map_or(0, |address| address.lid);
        for (switch, own) in self.network.switch_ids().zip(&self.addresses) {
            let (lid, guid, name) = (own.lid, own.guid, &own.name);
            writeln!(out, "Unicast lids [0-{last}] of switch Lid {lid} guid 0x{guid:016x} ('{name}'):")?;
            let mut count = 0;
            for Address { lid, guid, name, to } in &in_order {
                let kind = if matches!(to, To::Switch(..)) { "Switch" } else { "Channel Adapter" };
                if let Some(port) = self.entry(switch, *to) {
                    writeln!(out, "0x{lid:04x} {port:03} # {kind} portguid 0x{guid:016x}: '{name}'")?;
                    count += 1;
                }
            }
            writeln!(out, "{count} lids dumped")?;
        }
        Ok(())
    }

    /// Writes the hops from every switch by every port to every switch.
    ///
    /// # Errors
    /// What `out` says.
    pub fn write_lid_matrix(&self, out: &mut dyn Write) -> io::Result<()> {
        self.write_head(out, "lid matrix")?;
        let switches = || self.network.switch_ids().zip(&self.addresses);
        let has_all = self.guids.switches.iter().all(|guid| self.lids.contains_key(guid));
        let known = |guid: u64| self.lids.get(&guid).filter(|_| has_all).map(|lids| lids.base);
        let distances: Vec<Vec<u32>> =
            self.network.switch_ids().map(|to| self.graph.distances([to])).collect();
        for (switch, own) in switches() {
            writeln!(out, "Switch: guid 0x{:016x}", own.guid)?;
            for (to, address) in switches() {
                let distance = &distances[to.index()];
                let lid = known(address.guid).unwrap_or(address.lid);
                write!(out, "0x{lid:04x}: {}", hops(distance[switch.index()]))?;
                let (first, ports) = self.network.port_range(Node::Switch(switch));
                for port in first..first + ports {
                    let far = self.network.peer(End { node: Node::Switch(switch), port: Port(port) });
                    let far = match far.map(|far| far.node) {
                        Some(Node::Switch(next)) if next != switch => distance[next.index()],
                        _ => UNREACHED,
                    };
                    write!(out, " {}", hops(far.saturating_add(1)))?;
                }
                writeln!(out, " # portguid 0x{:016x}", address.guid)?;
            }
        }
        Ok(())
    }

    /// Writes the service level of every port of a host and address.
    ///
    /// # Errors
    /// What `out` says.
    pub fn write_service_levels(&self, out: &mut dyn Write) -> io::Result<()> {
        self.write_head(out, "service levels")?;
        let hops = &self.tables.hops;
        // The host, its port and the switch at it, the column and the lid, by host.
        let ports = self.addresses.iter().filter_map(|address| {
            let To::Host(column, End { node: Node::Switch(switch), .. }) = address.to else { return None };
            let (Target::Host(host, port), _) = hops.target(column) else { return None };
            Some((host, port, switch, column, address.lid))
        });
        let ports: Vec<_> = ports.collect();
        for sources in ports.chunk_by(|a, b| a.0 == b.0) {
            let (own, guid) = (sources[0].0, self.guids.hosts[sources[0].0.index()]);
            for (host, to, _, column, lid) in ports.iter().copied() {
                let mut levels = sources.iter().map(|(_, _, from, ..)| hops.service_level(column, *from));
                let first = levels.next().filter(|first| levels.all(|level| level == *first));
                if let Some(level) = first.filter(|_| host != own) {
                    writeln!(out, "0x{guid:016x} {lid} {level}")?;
                    continue;
                }
                let others = sources.iter().filter(|(_, from, ..)| (host, to) != (own, *from));
                for (_, _, from, _, source) in others {
                    writeln!(out, "{source} {lid} {}", hops.service_level(column, *from))?;
                }
            }
        }
        Ok(())
    }

    /// Writes the lanes of the service levels at every two ports of a switch.
    ///
    /// # Errors
    /// What `out` says.
    pub fn write_sl_to_vl(&self, out: &mut dyn Write) -> io::Result<()> {
        self.write_head(out, "lanes of service levels")?;
        self.write_all_lanes(out)
    }

    fn write_all_lanes(&self, out: &mut dyn Write) -> io::Result<()> {
        let hops = &self.tables.hops;
        let shared: String = row(&|level| level % hops.lanes());
        for (switch, own) in self.network.switch_ids().zip(&self.addresses) {
            let (_, ports) = self.network.port_range(Node::Switch(switch));
            for output in 1..=ports {
                let by = |by: &usize| self.port_number(switch, self.graph.outputs()[*by].port) == output;
                let by = self.graph.range(switch).find(by).filter(|_| hops.changes_lanes());
                let row = by.map_or_else(|| shared.clone(), |by| row(&|level| hops.lane(level, by)));
                for input in (0..=ports).filter(|input| *input != output) {
                    writeln!(out, "0x{:016x} {input} {output}{row}", own.guid)?;
                }
            }
        }
        Ok(())
    }
}

/// The lanes of all service levels, two a byte.
fn row(lane: &dyn Fn(u8) -> u8) -> String {
    (0..8).map(|nth| format!(" 0x{:x}{:x}", lane(2 * nth), lane(2 * nth + 1))).collect()
}

/// Hops as the matrix has them.
fn hops(distance: u32) -> String {
    format!("{:02x}", distance.min(0xff))
}

/// A name fit to stand in quotes on one line.
fn printable(name: &str) -> String {
    let fit = |c: char| if c.is_control() || c == '\'' { ' ' } else { c };
    name.chars().map(fit).take(63).collect()
}
