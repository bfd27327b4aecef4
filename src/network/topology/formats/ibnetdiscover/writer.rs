//! Any network as a dump, which [`super::read`] and the real ibsim take.
//!
//! A node is identified by its guid, as InfiniBand knows no other name. A node without one, or with that of a
//! node before it, is given one that no other has; switches are numbered upwards in their order, so that what
//! lower ids decide stays decided. Its own name becomes the description, unless the name is that very id.
//! Ports that count from 0 are moved up by one. What the format has no words for is left out, and the head of
//! the file says so: lengths, and rates that are no width and speed of InfiniBand.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::topology::{End, Network};
use simnet_base::ids::{Node, Port};

use super::rate;
use crate::topology::formats::kept::{Kept, Lids, Maker};

/// The first guid given out, of those that anyone may assign locally.
const FIRST_GUID: u64 = 0x0200_0000_0001_0000;
/// How far apart such guids are: further than a node has ports, since the ports of a host have the guids
/// behind its own.
const SPACING: u64 = 0x1_0000;
/// The lids of a port that has none.
const NO_LIDS: Lids = Lids { base: 0, lmc: 0 };
/// The most bytes of a description that InfiniBand and ibsim keep.
const DESCRIPTION: usize = 63;

/// What a node is called in the file.
pub(in crate::topology::formats) struct Identity {
    pub(in crate::topology::formats) id: String,
    pub(in crate::topology::formats) guid: u64,
    pub(in crate::topology::formats) description: String,
    /// What is added to the numbers of its ports.
    pub(in crate::topology::formats) shift: u16,
}

/// The identities of all nodes.
pub(in crate::topology::formats) struct Identities {
    switches: Vec<Identity>,
    hosts: Vec<Identity>,
}

impl Identities {
    pub(in crate::topology::formats) fn of(&self, node: Node) -> &Identity {
        match node {
            Node::Switch(id) => &self.switches[id.index()],
            Node::Host(id) => &self.hosts[id.index()],
        }
    }
}

/// Writes a network with what its own file says of nodes and ports. Costs O(size · log nodes).
pub(in crate::topology::formats) fn write(net: &Network, kept: &Kept) -> String {
    let identities = identities(net);
    let mut text = head(net);
    for id in net.switch_ids() {
        block(&mut text, net, Node::Switch(id), (&identities, kept));
    }
    for id in net.host_ids() {
        block(&mut text, net, Node::Host(id), (&identities, kept));
    }
    text
}

/// The guids of the nodes of a network, as [`write`] gives them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeGuids {
    /// Per switch, in order.
    pub switches: Vec<u64>,
    /// Per host, in order.
    pub hosts: Vec<u64>,
}

/// The guids that a dump of the network has which simnet writes: the node's own, or a new one.
pub fn node_guids(net: &Network) -> NodeGuids {
    let identities = identities(net);
    let guids = |nodes: Vec<Identity>| nodes.into_iter().map(|node| node.guid).collect();
    NodeGuids { switches: guids(identities.switches), hosts: guids(identities.hosts) }
}

fn head(net: &Network) -> String {
    let mut text = format!("#\n# Topology file: written by simnet of {}\n", printable(&net.name));
    let lengths = net.links().iter().filter(|link| link.length.is_some()).count();
    let rates = net.links().iter().filter_map(|link| link.rate);
    let rates = rates.filter(|rate| rate::spelling(*rate).is_none()).count();
    let ports = net.switches().iter().filter(|switch| switch.ports > 254).count();
    let notes = [
        (lengths, "cables have a length, which is left out"),
        (rates, "cables have a rate that is none of InfiniBand's, which is left out"),
        (ports, "switches have more than the 254 ports that InfiniBand allows"),
    ];
    for (count, note) in notes.iter().filter(|(count, _)| *count > 0) {
        writeln!(text, "# {count} {note}").expect("a String takes all");
    }
    text + "#\n"
}

/// What all nodes are called in formats that know them by guid. Costs O(nodes log nodes).
pub(in crate::topology::formats) fn identities(net: &Network) -> Identities {
    let switches =
        net.switches().iter().map(|s| (s.name.as_str(), s.guid, s.description.as_deref(), s.first_port));
    let hosts = net.hosts().iter().map(|h| (h.name.as_str(), h.guid, h.description.as_deref(), h.first_port));
    let mut guids = Guids::new(switches.clone().chain(hosts.clone()).filter_map(|(_, guid, ..)| guid));
    let mut identity = |prefix: char, (name, guid, description, first_port): (&str, _, Option<&str>, u16)| {
        let guid = guids.own(guid);
        // The one thing a host's own name may say beyond its guid: that it is a router.
        let prefix = if prefix == 'H' && name == format!("R-{guid:016x}") { 'R' } else { prefix };
        let id = format!("{prefix}-{guid:016x}");
        let description = if name == id { description.unwrap_or_default() } else { name };
        Identity { id, guid, description: printable(description), shift: 1_u16.saturating_sub(first_port) }
    };
    let switches = switches.map(|node| identity('S', node)).collect();
    let hosts = hosts.map(|node| identity('H', node)).collect();
    Identities { switches, hosts }
}

/// Guids, each given out once.
struct Guids {
    given: BTreeSet<u64>,
    used: BTreeSet<u64>,
    next: u64,
}

impl Guids {
    fn new(given: impl Iterator<Item = u64>) -> Guids {
        Guids { given: given.collect(), used: BTreeSet::new(), next: FIRST_GUID }
    }

    /// The guid that a node has, or a new one if that is none or another's.
    fn own(&mut self, guid: Option<u64>) -> u64 {
        if let Some(guid) = guid.filter(|guid| *guid != 0)
            && self.used.insert(guid)
        {
            return guid;
        }
        // Neither may a given guid lie among the ports of this node, nor this one among the ports of a given
        // one.
        while self.given.range(self.next - SPACING..self.next + SPACING).next().is_some() {
            self.next += SPACING;
        }
        let guid = self.next;
        self.next += SPACING;
        guid
    }
}

/// A text fit to stand in quotes on one line, cut to what InfiniBand keeps of it.
fn printable(text: &str) -> String {
    let fit = |c: char| match c {
        '"' => '\'',
        c if c.is_control() => ' ',
        c => c,
    };
    let mut fitted = String::new();
    for c in text.chars().map(fit) {
        if fitted.len() + c.len_utf8() > DESCRIPTION {
            break;
        }
        fitted.push(c);
    }
    fitted
}

fn block(text: &mut String, net: &Network, node: Node, (identities, kept): (&Identities, &Kept)) {
    let (_, ports) = net.port_range(node);
    let Identity { id, guid, description, .. } = identities.of(node);
    let Maker { vendor, device, system } = kept.nodes.get(id).copied().unwrap_or_default();
    let system = system.unwrap_or(*guid);
    let own = kept.of(id, 0).and_then(|port| port.lids).unwrap_or(NO_LIDS);
    write!(text, "\nvendid=0x{vendor:x}\ndevid=0x{device:x}\nsysimgguid=0x{system:x}\n")
        .expect("a String takes all");
    match node {
        Node::Switch(_) => write!(
            text,
            "switchguid=0x{guid:x}({guid:x})\nSwitch\t{ports} \"{id}\"\t\t# \"{description}\" base port 0 lid {} lmc {}\n",
            own.base, own.lmc
        ),
        Node::Host(_) => {
            let (key, word) = if id.starts_with('R') { ("rt", "Rt") } else { ("ca", "Ca") };
            write!(text, "{key}guid=0x{guid:x}\n{word}\t{ports} \"{id}\"\t\t# \"{description}\"\n")
        }
    }
    .expect("a String takes all");
    for (port, link, far) in net.cables(node) {
        let speed = net.link(link).rate.and_then(rate::spelling);
        cable(text, End { node, port }, far, speed, (identities, kept));
    }
}

fn cable(
    text: &mut String,
    near: End,
    far: End,
    speed: Option<String>,
    (identities, kept): (&Identities, &Kept),
) {
    let port = |end: End| {
        let Identity { id, guid, shift, .. } = identities.of(end.node);
        let port = end.port.0.saturating_add(*shift);
        // A switch has one guid and one address for all its ports, a host one for each.
        let is_host = matches!(end.node, Node::Host(_));
        let of_port = kept.of(id, if is_host { port } else { 0 });
        let guid = of_port.and_then(|port| port.guid).unwrap_or(guid.wrapping_add(u64::from(port)));
        let lids = of_port.and_then(|port| port.lids).unwrap_or(NO_LIDS);
        (Port(port), is_host.then(|| format!("({guid:x})")), lids)
    };
    let ((near_port, near_guid, lids), (far_port, far_guid, far_lids)) = (port(near), port(far));
    let spelt = kept.of(&identities.of(near.node).id, near_port.0).and_then(|port| port.speed.clone());
    let speed = speed.map(|speed| spelt.unwrap_or(speed));
    let Identity { id, description, .. } = identities.of(far.node);
    // ibsim takes a letter before any `=` of the line for an option.
    let description = description.replace('=', "-");
    let is_host = near_guid.is_some();
    let near_guid = near_guid.map(|guid| guid + " ").unwrap_or_default();
    let far_guid =
        far_guid.map(|guid| if is_host { format!(" {guid} ") } else { guid + " " }).unwrap_or_default();
    let comment = match speed {
        None => format!("\"{description}\""),
        Some(speed) if is_host => {
            let Lids { base, lmc } = lids;
            format!("lid {base} lmc {lmc} \"{description}\" lid {} {speed}", far_lids.base)
        }
        Some(speed) => format!("\"{description}\" lid {} {speed}", far_lids.base),
    };
    writeln!(text, "[{near_port}]{near_guid}\t\"{id}\"[{far_port}]{far_guid}\t\t# {comment}")
        .expect("a String takes all");
}
