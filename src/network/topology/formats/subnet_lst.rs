//! The list of cables that OpenSM writes at every sweep (`opensm-subnet.lst`), and ibdiagnet's `.lst`.
//!
//! ```text
//! { SW Ports:08 SystemGUID:.. NodeGUID:.. PortGUID:.. VenID:.. DevID:.. Rev:.. {description} LID:0002 PN:05 }
//!                                                    { CA Ports:02 .. } PHY=4x LOG=ACT SPD=10       (one line)
//! ```
//!
//! # Scope and limitations
//! Numbers are hexadecimal. Nodes are known by their guids, and called as a dump of ibnetdiscover calls them. OpenSM
//! lists a cable at both of its ends; where one end of some cable is missing and others have both, the file was cut off
//! or edited, and is refused. A link that is neither active, armed nor initialising is left out, with a warning, as
//! ibdm leaves it out. A rate is the data rate of the width and the speed; there is none where the speed is not given
//! (old versions do not) or unknown (`???`). Nodes without a cable are in no such file. Addresses and vendors are read
//! over.
//!
//! # Source
//! `osm_dump.c` of OpenSM (what is written), `parseSubnetLine` of ibdm's `Fabric.cpp` (what is read).
//!
//! # Validation
//! tests/network/formats/foreign/subnet_lst.rs: against ibnetdiscover's view of the same subnet, damaged files pinned,
//! damage at random, networks written and read; tests/it/interop/ibdm.rs: what is written, read by the real ibdm.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use simnet_base::diagnostics::{Fault, quoted};
use simnet_base::ids::{Node, Port};
use simnet_base::units::BitRate;

use crate::topology::{End, Network};

use super::Parsed;
use super::cabling::{Cabling, PortName, Side};
use super::ibnetdiscover::{Identities, identities, rate};
use super::infiniband::{self, Given, NodeKind};
use super::kept::{Kept, Lids, Maker};
use super::lines::{Word, lines};

/// The most ports of a node that a line has digits for; InfiniBand has no port above them.
pub(super) const MOST_PORTS: u16 = 0xfe;

/// The most bytes of a line; ibdm takes 1024.
const LONGEST_LINE: usize = 4096;
/// The keys of an end before the description, in order.
const KEYS: [&str; 7] = ["Ports", "SystemGUID", "NodeGUID", "PortGUID", "VenID", "DevID", "Rev"];
/// The states of links that can carry something, or soon will.
const STATES: [&str; 3] = ["ACT", "INI", "ARM"];

/// Whether the first line gives the ends of a cable in braces.
pub(super) fn recognises(text: &str) -> bool {
    let mut said = lines(text).map(|line| line.text.trim()).filter(|line| !line.is_empty());
    said.next().is_some_and(|first| {
        let mut words = first.split_whitespace();
        words.next() == Some("{")
            && words.next().is_some()
            && words.next().is_some_and(|word| word.starts_with("Ports:"))
    })
}

fn kind_of(word: &str) -> Option<NodeKind> {
    // The node that the subnet manager runs on has `-SM` behind.
    match word.strip_suffix("-SM").unwrap_or(word) {
        "SW" => Some(NodeKind::Switch),
        "CA" | "HCA" => Some(NodeKind::Ca),
        "Rt" | "RT" => Some(NodeKind::Router),
        _ => None,
    }
}

/// Reads a network.
///
/// # Errors
/// Every fault of the text.
pub(super) fn read(text: &str) -> Result<Parsed, Vec<Fault>> {
    let (mut cabling, mut warnings) = (Cabling::default(), Vec::new());
    for line in lines(text).filter(|line| !line.text.trim().is_empty()) {
        match listed(line) {
            Ok(listed) => lay(&mut cabling, &listed, &mut warnings),
            Err(fault) => cabling.faults.push(fault),
        }
    }
    infiniband::all_from_both_ends(&mut cabling);
    Ok(Parsed { network: cabling.network(text.trim_end().len())?, warnings })
}

fn lay(cabling: &mut Cabling, listed: &Listed<'_>, warnings: &mut Vec<Fault>) {
    let known = cabling.nodes.len();
    let nodes = [&listed.ends[0], &listed.ends[1]].map(|end| infiniband::node(cabling, &end.given));
    let [Some(a), Some(b)] = nodes else { return };
    for (node, end) in
        [(a, &listed.ends[0]), (b, &listed.ends[1])].into_iter().filter(|(node, _)| *node >= known)
    {
        let named = &cabling.nodes[node];
        if !named.is_switch {
            let is_router = end.given.kind == NodeKind::Router;
            let span = end.given.span.clone();
            warnings.extend(infiniband::oddity(&named.name, named.description.as_deref(), is_router, span));
        }
    }
    if let Some(state) = listed.inactive.clone() {
        let message = "a link that is not active is left out".to_owned();
        warnings.push(Fault::new("inactive", state, message, "ACT, ARM or INI where something can be sent"));
        return;
    }
    let side = |node: usize, end: &ListedEnd<'_>| Side {
        node,
        port: Some(PortName::Number(end.port)),
        span: end.port_span.clone(),
    };
    cabling.cable([side(a, &listed.ends[0]), side(b, &listed.ends[1])], listed.rate);
}

/// A line.
struct Listed<'t> {
    ends: [ListedEnd<'t>; 2],
    rate: Option<BitRate>,
    /// Where the state stands, if it is none of [`STATES`].
    inactive: Option<Range<usize>>,
}

/// One end of a line.
struct ListedEnd<'t> {
    given: Given<'t>,
    port: u16,
    port_span: Range<usize>,
    port_guid: u64,
    lid: u16,
    maker: Maker,
}

/// The rest of a line, read from left to right.
struct Rest<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Rest<'t> {
    fn skip_blanks(&mut self) {
        let rest = self.text.trim_start();
        (self.at, self.text) = (self.at + (self.text.len() - rest.len()), rest);
    }

    fn take(&mut self, bytes: usize) -> Word<'t> {
        let (text, rest) = self.text.split_at(bytes);
        let start = self.at;
        (self.at, self.text) = (start + bytes, rest);
        Word { text, start }
    }

    /// The next word; nothing at the line's end.
    fn word(&mut self) -> Word<'t> {
        self.skip_blanks();
        self.take(self.text.find(char::is_whitespace).unwrap_or(self.text.len()))
    }

    fn brace(&mut self, brace: &str) -> Result<(), Fault> {
        let word = self.word();
        if word.text == brace { Ok(()) } else { Err(unexpected(word, &format!("`{brace}`"))) }
    }

    /// The value of `key` and what parts it from the key.
    fn value(&mut self, key: &str, sign: char) -> Result<Word<'t>, Fault> {
        let word = self.word();
        let value = word.text.strip_prefix(key).and_then(|rest| rest.strip_prefix(sign));
        match value {
            Some(text) => Ok(Word { text, start: word.start + (word.text.len() - text.len()) }),
            None => Err(unexpected(word, &format!("`{key}{sign}` and a value"))),
        }
    }

    /// `{what people call the node}`.
    fn description(&mut self) -> Result<&'t str, Fault> {
        self.skip_blanks();
        let end = self.text.find("} LID:").filter(|_| self.text.starts_with('{'));
        let Some(end) = end else {
            return Err(unexpected(self.word(), "a description in braces, then `LID:`"));
        };
        let description = &self.text[1..end];
        self.take(end + 1);
        Ok(description)
    }
}

fn unexpected(word: Word<'_>, expected: &str) -> Fault {
    let message = match word.text {
        "" => "the line ends here".to_owned(),
        text => format!("`{}` stands here", quoted(text)),
    };
    Fault::new("unexpected", word.span(), message, expected)
}

/// A number of hex digits that 16 bits can hold.
fn hex(word: Word<'_>, most: u16) -> Result<u16, Fault> {
    let is_hex = !word.text.is_empty() && word.text.bytes().all(|digit| digit.is_ascii_hexdigit());
    let number = u16::from_str_radix(word.text, 16).ok().filter(|number| is_hex && *number <= most);
    number.ok_or_else(|| {
        let message = format!("`{}` is no number that fits here", quoted(word.text));
        Fault::new("bad-hex", word.span(), message, format!("hex digits, at most {most:02X}"))
    })
}

fn listed(line: Word<'_>) -> Result<Listed<'_>, Fault> {
    if line.text.len() > LONGEST_LINE {
        let message = format!("a line of {} bytes", line.text.len());
        let expected = format!("at most {LONGEST_LINE} bytes; OpenSM writes a few hundred");
        return Err(Fault::new("long-line", line.start..line.start + 1, message, expected));
    }
    let mut rest = Rest { text: line.text, at: line.start };
    let ends = [end(&mut rest)?, end(&mut rest)?];
    let width = rest.value("PHY", '=')?;
    let state = rest.value("LOG", '=')?;
    let mut rate = None;
    rest.skip_blanks();
    if !rest.text.is_empty() {
        let lane = rest.value("SPD", '=')?;
        rate = speed(width, lane)?;
        rest.skip_blanks();
        if !rest.text.is_empty() {
            return Err(unexpected(rest.word(), "nothing behind the speed"));
        }
    } else if !["??", "???"].contains(&width.text) && rate::of_signalled(width.text, "2.5").is_none() {
        return Err(no_speed(width));
    }
    let inactive = (!STATES.contains(&state.text)).then(|| state.span());
    Ok(Listed { ends, rate, inactive })
}

fn speed(width: Word<'_>, lane: Word<'_>) -> Result<Option<BitRate>, Fault> {
    let is_unknown = |word: Word<'_>| word.text.starts_with("??");
    if is_unknown(width) || is_unknown(lane) {
        return Ok(None);
    }
    match (rate::of_signalled(width.text, lane.text), rate::of_signalled("4x", lane.text)) {
        (Some(rate), _) => Ok(Some(rate)),
        (None, Some(_)) => Err(no_speed(width)),
        (None, None) => Err(no_speed(lane)),
    }
}

fn no_speed(word: Word<'_>) -> Fault {
    let message = format!("`{}` is no width or speed of a link", quoted(word.text));
    let expected = "PHY=1x, 2x, 4x, 8x or 12x; SPD=2.5, 5, 10, FDR10, 14, 25, 50, 100 or 200";
    Fault::new("unknown-speed", word.span(), message, expected)
}

fn end<'t>(rest: &mut Rest<'t>) -> Result<ListedEnd<'t>, Fault> {
    rest.brace("{")?;
    let kind = rest.word();
    let Some(node_kind) = kind_of(kind.text) else {
        return Err(unexpected(kind, "SW, CA or Rt, or one of them with -SM"));
    };
    let mut values = [kind; 7];
    for (value, key) in values.iter_mut().zip(KEYS) {
        *value = rest.value(key, ':')?;
    }
    let [ports, system, node_guid, port_guid, vendor, device, _] = values;
    let number = |word: Word<'_>| u64::from_str_radix(word.text, 16).ok();
    let maker = Maker {
        vendor: number(vendor).unwrap_or(0),
        device: number(device).unwrap_or(0),
        system: number(system),
    };
    let number_of_ports = hex(ports, MOST_PORTS)?;
    if number_of_ports == 0 {
        return Err(Fault::new("bad-hex", ports.span(), "a node without ports", "hex digits, at most FE"));
    }
    let guid = infiniband::guid(node_guid.text, node_guid.span())?;
    let port_guid = infiniband::guid(port_guid.text, port_guid.span())?;
    let description = rest.description()?;
    let lid = hex(rest.value("LID", ':')?, u16::MAX)?;
    let port = rest.value("PN", ':')?;
    let number = hex(port, 0xfe)?;
    rest.brace("}")?;
    let given = Given { kind: node_kind, guid, ports: number_of_ports, description, span: node_guid.span() };
    Ok(ListedEnd { given, port: number, port_span: port.span(), port_guid, lid, maker })
}

/// Reads what sound lines say beyond the network.
pub(super) fn kept(text: &str) -> Kept {
    let mut kept = Kept::default();
    for end in lines(text).filter_map(|line| listed(line).ok()).flat_map(|listed| listed.ends) {
        let (kind, guid) = (end.given.kind, end.given.guid);
        let name = infiniband::name(kind, guid);
        // A switch has one address and one guid for all of its ports.
        let port = kept.port(&name, if kind == NodeKind::Switch { 0 } else { end.port });
        port.guid = Some(end.port_guid);
        port.lids = (end.lid > 0).then_some(Lids { base: end.lid, lmc: 0 });
        kept.nodes.insert(name, end.maker);
    }
    kept
}

/// Writes a network as OpenSM lists it, each cable at both of its ends. Guids and descriptions are those of a dump of
/// ibnetdiscover; addresses are given out in order. Lengths, and rates that are none of InfiniBand's, are left out, and
/// so are nodes without a cable.
pub(super) fn write(net: &Network, kept: &Kept) -> String {
    let identities = identities(net);
    let lids = given_lids(net, &identities, kept).unwrap_or_else(|| new_lids(net));
    let mut text = String::new();
    let nodes = net.switch_ids().map(Node::Switch).chain(net.host_ids().map(Node::Host));
    for node in nodes {
        for (port, link, far) in net.cables(node) {
            let near = End { node, port };
            let speed = net.link(link).rate.and_then(rate::signalled);
            let ends = [near, far].map(|end| written(net, end, (&identities, kept), &lids));
            let (width, lane) =
                speed.map_or(("4x", String::new()), |(width, lane)| (width, format!(" SPD={lane}")));
            writeln!(text, "{} {} PHY={width} LOG=ACT{lane}", ends[0], ends[1]).expect("a String takes all");
        }
    }
    text
}

/// An address for every switch, then one for every cabled port of a host.
fn new_lids(net: &Network) -> BTreeMap<End, usize> {
    let switches =
        net.switch_ids().map(Node::Switch).map(|node| End { node, port: Port(net.port_range(node).0) });
    let hosts = net.host_ids().map(Node::Host);
    let ports = hosts.flat_map(|node| net.cables(node).map(move |(port, ..)| End { node, port }));
    switches.chain(ports).enumerate().map(|(nth, end)| (end, nth + 1)).collect()
}

/// The addresses that the network's own file gives to all of them.
fn given_lids(net: &Network, identities: &Identities, kept: &Kept) -> Option<BTreeMap<End, usize>> {
    let given = |end: End| {
        let identity = identities.of(end.node);
        let port = match end.node {
            Node::Switch(_) => 0,
            Node::Host(_) => end.port.0.saturating_add(identity.shift),
        };
        Some((end, usize::from(kept.of(&identity.id, port)?.lids?.base)))
    };
    new_lids(net).into_keys().map(given).collect()
}

fn written(
    net: &Network,
    end: End,
    (identities, kept): (&Identities, &Kept),
    lids: &BTreeMap<End, usize>,
) -> String {
    let identity = identities.of(end.node);
    let (guid, port) = (identity.guid, end.port.0.saturating_add(identity.shift));
    let (kind, port_guid, addressed) = match end.node {
        Node::Switch(_) => ("SW", guid, End { port: Port(net.port_range(end.node).0), ..end }),
        Node::Host(_) if identity.id.starts_with('R') => ("Rt", guid.wrapping_add(u64::from(port)), end),
        Node::Host(_) => ("CA", guid.wrapping_add(u64::from(port)), end),
    };
    let description = identity.description.replace("} LID:", ") LID:");
    let (ports, lid) = (net.port_range(end.node).1, lids[&addressed]);
    let of_port = kept.of(&identity.id, if kind == "SW" { 0 } else { port });
    let port_guid = of_port.and_then(|port| port.guid).unwrap_or(port_guid);
    let Maker { vendor, device, system } = kept.nodes.get(&identity.id).copied().unwrap_or_default();
    let system = system.unwrap_or(guid);
    format!(
        "{{ {kind} Ports:{ports:02X} SystemGUID:{system:016x} NodeGUID:{guid:016x} PortGUID:{port_guid:016x} \
         VenID:{vendor:06X} DevID:{device:04X} Rev:00000000 {{{description}}} LID:{lid:04X} PN:{port:02X} }}"
    )
}
