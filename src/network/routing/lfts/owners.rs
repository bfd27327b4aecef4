//! Which switch a table is of, and which port of a host a lid belongs to.

use std::collections::{BTreeMap, BTreeSet};

use crate::topology::{End, Network};
use simnet_base::diagnostics::{Fault, quoted};
use simnet_base::ids::{Node, Port, SwitchId};

use super::lines::{Entry, Owner, Table};
use super::{ForwardingTables, NONE};

/// Finds the switches and hosts of a dump in the network.
///
/// # Errors
/// Tables of switches that the network does not have, or twice of the same; lids of unknown ports, or of two;
/// switches that the tables name and of which none is.
pub(super) fn assign(
    network: &Network,
    port_guids: &BTreeMap<u64, (String, u16)>,
    tables: &[Table<'_>],
) -> Result<ForwardingTables, Vec<Fault>> {
    let mut faults = Vec::new();
    let switches = Switches::new(network);
    let mut outputs = vec![Vec::new(); network.switches().len()];
    let (mut switch_guids, mut left_out) = (BTreeMap::new(), BTreeSet::new());
    for table in tables {
        if network.is_left_out(table.guid) {
            left_out.extend(table.entries.iter().map(|entry| entry.lid));
            continue;
        }
        let Some(switch) = switches.find(table.guid, table.description) else {
            let message = format!(
                "{} has no switch {} of guid {:#x}",
                quoted(&network.name),
                quoted(table.description),
                table.guid
            );
            faults.push(Fault::new("unknown-switch", table.span.clone(), message, "a switch of the network"));
            continue;
        };
        if !outputs[switch.index()].is_empty() {
            let message = format!("the switch {} has a table already", quoted(table.description));
            faults.push(Fault::new("duplicate-table", table.span.clone(), message, "one table a switch"));
            continue;
        }
        outputs[switch.index()] = column(table);
        switch_guids.insert(table.guid, switch);
    }
    faults.extend(cut_off(tables));
    let owners = first_owners(tables, &mut faults);
    let first_ports = network.switch_ids().map(|s| network.port_range(Node::Switch(s)).0).collect();
    let mut found = ForwardingTables {
        outputs,
        first_ports,
        lids: Vec::new(),
        switch_guids,
        port_guids: BTreeMap::new(),
        left_out,
        digest: None,
    };
    if faults.is_empty() {
        let ports = Ports::new(network, port_guids, &owners);
        found.lids = lids(network, &found, &owners, &ports, &mut faults);
        found.port_guids = ports.by_guid.into_iter().filter_map(|(guid, end)| Some((guid, end?))).collect();
    }
    if faults.is_empty() { Ok(found) } else { Err(faults) }
}

/// The outputs of a table by lid; never empty.
fn column(table: &Table<'_>) -> Vec<u8> {
    let last = table.entries.last().map_or(0, |entry| usize::from(entry.lid));
    let mut outputs = vec![NONE; last + 1];
    for entry in &table.entries {
        outputs[usize::from(entry.lid)] = entry.port;
    }
    outputs
}

/// A switch that the dump gives a lid to, and no table of it: whole tables were cut off.
fn cut_off(tables: &[Table<'_>]) -> Option<Fault> {
    let there: BTreeSet<u64> = tables.iter().map(|table| table.guid).collect();
    let mut switches = BTreeMap::new();
    for entry in tables.iter().flat_map(|table| &table.entries) {
        if let Owner::Switch(guid) = entry.owner {
            switches.entry(guid).or_insert(entry);
        }
    }
    // A switch whose port 0 had a guid of its own would have another guid in entries than its table has.
    if switches.len() <= there.len() {
        return None;
    }
    let (guid, entry) = switches.into_iter().find(|(guid, _)| !there.contains(guid))?;
    let message = format!("the dump knows the switch {guid:#x} and has no table of it");
    let fault = Fault::new("cut-off", entry.span.clone(), message, "a table of every switch");
    Some(fault.with_help("dump the tables again: this file was cut off, or the switch did not answer"))
}

/// The owner of each lid, by the first line that names one.
fn first_owners<'a, 't>(tables: &'a [Table<'t>], faults: &mut Vec<Fault>) -> BTreeMap<u16, &'a Entry<'t>> {
    let guid = |owner: Owner<'_>| match owner {
        Owner::Unknown => None,
        Owner::Switch(guid) | Owner::Port(guid, _) => Some(guid),
    };
    let mut owners: BTreeMap<u16, &Entry<'t>> = BTreeMap::new();
    for entry in tables.iter().flat_map(|table| &table.entries) {
        let first = owners.entry(entry.lid).or_insert(entry);
        match (guid(first.owner), guid(entry.owner)) {
            (None, Some(_)) => *first = entry,
            (Some(first), Some(other)) if first != other => {
                let message = format!("lid {} is of the port {first:#x} in another table", entry.lid);
                faults.push(Fault::new("lid-of-two", entry.span.clone(), message, "one port a lid"));
            }
            _ => {}
        }
    }
    owners
}

/// The lids of ports of hosts.
fn lids(
    network: &Network,
    tables: &ForwardingTables,
    owners: &BTreeMap<u16, &Entry<'_>>,
    ports: &Ports,
    faults: &mut Vec<Fault>,
) -> Vec<(u16, End)> {
    let mut lids = Vec::new();
    for (lid, entry) in owners {
        match entry.owner {
            Owner::Switch(_) => {}
            Owner::Unknown => lids.extend(handed_to(network, tables, *lid).map(|end| (*lid, end))),
            Owner::Port(guid, description) => match ports.by_guid.get(&guid) {
                Some(end) => lids.extend(end.map(|end| (*lid, end))),
                None => {
                    let name = quoted(description.unwrap_or("?"));
                    let message = format!("no host of the network has the port {guid:#x} ({name})");
                    let expected = "a port of a host of the network";
                    faults.push(Fault::new("unknown-port", entry.span.clone(), message, expected));
                }
            },
        }
    }
    lids
}

/// The port of a host that its own switch hands a lid to, if that is just one.
fn handed_to(network: &Network, tables: &ForwardingTables, lid: u16) -> Option<End> {
    let mut found = None;
    for switch in network.switch_ids() {
        let Some(port) = tables.output(switch, lid) else { continue };
        let Some(end) = network.peer(End { node: Node::Switch(switch), port }) else { continue };
        if let Node::Host(_) = end.node
            && found.replace(end).is_some_and(|before| before != end)
        {
            return None;
        }
    }
    found
}

pub(super) struct Switches<'a> {
    by_guid: BTreeMap<u64, SwitchId>,
    /// Those without a guid, by description and by name; `None` where two share it.
    by_name: BTreeMap<&'a str, Option<SwitchId>>,
}

impl<'a> Switches<'a> {
    pub(super) fn new(network: &'a Network) -> Switches<'a> {
        let mut switches = Switches { by_guid: BTreeMap::new(), by_name: BTreeMap::new() };
        for (id, switch) in network.switch_ids().zip(network.switches()) {
            match switch.guid {
                Some(guid) => _ = switches.by_guid.insert(guid, id),
                None => {
                    for name in names(&switch.name, switch.description.as_deref()) {
                        let entry = switches.by_name.entry(name);
                        entry.and_modify(|one| *one = one.filter(|one| *one == id)).or_insert(Some(id));
                    }
                }
            }
        }
        switches
    }

    pub(super) fn find(&self, guid: u64, description: &str) -> Option<SwitchId> {
        let named = || self.by_name.get(description).copied().flatten();
        self.by_guid.get(&guid).copied().or_else(named)
    }
}

fn names<'a>(name: &'a str, description: Option<&'a str>) -> impl Iterator<Item = &'a str> {
    std::iter::once(name).chain(description)
}

/// The ports of hosts by their guids; `None` for a port that the network's file gives and the network is
/// without.
struct Ports {
    by_guid: BTreeMap<u64, Option<End>>,
}

impl Ports {
    fn new(
        network: &Network,
        port_guids: &BTreeMap<u64, (String, u16)>,
        owners: &BTreeMap<u16, &Entry<'_>>,
    ) -> Ports {
        let mut by_guid = BTreeMap::new();
        for (guid, (name, port)) in port_guids {
            // A port that was left out is none, as a host that was.
            let end = network.find_host(name).map(|host| End::host(host, *port));
            by_guid.insert(*guid, end.filter(|end| network.link_at(*end).is_some()));
        }
        let none_told = by_guid.is_empty();
        let with_guid = || network.host_ids().zip(network.hosts()).filter_map(|(id, h)| Some((id, h.guid?)));
        for (host, guid) in with_guid() {
            if let Some((port, _, _)) = network.attachment(host) {
                by_guid.entry(guid).or_insert(Some(End { node: Node::Host(host), port }));
            }
        }
        // The ports of a node count on from its own guid. A node that is called so itself goes first.
        for (host, guid) in with_guid() {
            for (port, _, _) in network.cables(Node::Host(host)) {
                let (first_port, _) = network.port_range(Node::Host(host));
                let guid = guid.saturating_add(u64::from(port.0 - first_port) + 1);
                by_guid.entry(guid).or_insert(Some(End { node: Node::Host(host), port }));
            }
        }
        let mut ports = Ports { by_guid };
        ports.add_described(network, owners, none_told);
        ports
    }

    /// Gives the ports of hosts without guids, in order, to the unknown guids of their description, in order.
    fn add_described(&mut self, network: &Network, owners: &BTreeMap<u16, &Entry<'_>>, allowed: bool) {
        if !allowed {
            return;
        }
        let mut unknown: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
        for entry in owners.values() {
            if let Owner::Port(guid, Some(description)) = entry.owner
                && !self.by_guid.contains_key(&guid)
            {
                unknown.entry(description).or_default().insert(guid);
            }
        }
        let mut hosts: BTreeMap<&str, BTreeSet<simnet_base::ids::HostId>> = BTreeMap::new();
        for (id, host) in network.host_ids().zip(network.hosts()).filter(|(_, host)| host.guid.is_none()) {
            for name in names(&host.name, host.description.as_deref()) {
                hosts.entry(name).or_default().insert(id);
            }
        }
        for (description, guids) in unknown {
            let Some(host) = hosts.get(description).filter(|h| h.len() == 1).and_then(|h| h.first()) else {
                continue;
            };
            let ports: Vec<Port> = network.cables(Node::Host(*host)).map(|(port, _, _)| port).collect();
            if ports.len() == guids.len() {
                for (guid, port) in guids.into_iter().zip(ports) {
                    self.by_guid.insert(guid, Some(End { node: Node::Host(*host), port }));
                }
            }
        }
    }
}
