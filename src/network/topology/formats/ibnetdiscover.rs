//! Dumps of InfiniBand subnets as `ibnetdiscover` prints them, and the net files of its simulator `ibsim`.
//!
//! ```text
//!   switchguid=0x2c90300000001(2c90300000001)     ids of the node that follows; the only source of guids
//!   Switch  36 "S-0002c90300000001"  # "spine 1" enhanced port 0 lid 4 lmc 0
//!   [3]     "H-0002c90300000010"[1](2c90300000011)      # "node 7 mlx5_0" lid 9 4xEDR
//!
//!   lines --> blocks (one node each) --> halves of cables --> cables, each listed at both ends
//! ```
//!
//! # Scope and limitations
//! A node's name is its id in quotes, and its description the one in the header's comment. Ports count from
//! 1, and only cabled ones are listed. A channel adapter is one host, with a cable for each of its wired
//! ports. A router (`Rt`) is a host too: it is an end node with an address, which a subnet manager routes to
//! as to any other; behind it is another subnet. Addresses (lid, lmc), vendors and the grouping of
//! chassis (`-g`) are read over.
//!
//! A link's rate is the data rate of the width and speed in the comments, the line code taken off: 4xQDR is
//! 32 Gb/s, 4xEDR 100 Gb/s; the slower where the two ends give two, none where none is given.
//!
//! A cable is listed at both of its ends, and a file where one of them says something else, or nothing, is
//! refused: it was cut off or edited. So is a file of a single node without cables, which is what is left of
//! any dump that was cut off early. Of a network in several parts, whole parts may have been cut off without
//! a trace. A block begins at its header and goes on over blank lines and comments. What ibsim does not spell
//! out (`include`, `do`, `module`, `@` aliases) is refused by name.
//!
//! # Source
//! `infiniband-diags/ibnetdiscover.c` of rdma-core (what is printed) and `sim_net.c` of ibsim (what else is
//! taken). Departures from ibsim: the port at the other end has to be given (ibsim takes 1 for it); `width=`,
//! `speed=`, `w=` and `s=` say what a port may do and are read over.
//!
//! # Validation
//! Figures of real dumps; every fault in its place; files damaged at random, none of which is read as a
//! smaller network; networks written, loaded by the real ibsim, and dumped again by the real ibnetdiscover.

mod blocks;
mod cabling;
mod line;
mod near_miss;
mod port;
pub(super) mod rate;
mod writer;

use crate::topology::{End, Host, Link, Network, Switch};
use simnet_base::diagnostics::Fault;
use simnet_base::ids::{Node, Port};

use super::{Parsed, infiniband};
use blocks::{Block, Kind};
pub(super) use port::kept;
pub(super) use writer::{Identities, identities, write};
pub use writer::{NodeGuids, node_guids};

/// How many lines with words on them are looked at before a text counts as another format.
const LOOKED_AT: usize = 100;

/// Whether one of the first lines of a text is of a dump, or of a report that is refused by its name.
pub(super) fn recognises(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    if lines.clone().take(4).any(|line| line.starts_with("# Topology file: generated on")) {
        return true;
    }
    let mut words = lines.clone().filter(|line| !line.starts_with('#'));
    words.next().is_some_and(|first| begins_a_dump(first) || near_miss::report(first).is_some())
        || lines.by_ref().take(LOOKED_AT).any(is_unmistakable)
}

/// Whether no other format has such a line.
fn is_unmistakable(line: &str) -> bool {
    let guid = ["vendid=0x", "sysimgguid=0x", "switchguid=", "caguid=", "rtguid="];
    let header = || {
        let mut words = line.split_whitespace();
        matches!(words.next(), Some("Switch" | "Ca" | "Hca" | "Rt"))
            && words.next().is_some_and(|ports| ports.bytes().all(|b| b.is_ascii_digit()))
            && words.next().is_some_and(|id| id.starts_with('"'))
    };
    guid.iter().any(|key| line.starts_with(key)) || header()
}

/// Whether a file may begin like this; looser, so that a damaged beginning is reported as such.
fn begins_a_dump(line: &str) -> bool {
    let word = line.split(|c: char| c.is_whitespace() || c == '=' || c == '(').next().unwrap_or_default();
    let port = || {
        let inside = line.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        inside.is_some_and(|(port, rest)| port.bytes().all(|b| b.is_ascii_digit()) && rest.contains('"'))
    };
    match word {
        "Switch" | "Ca" | "Hca" | "Rt" => line[word.len()..].starts_with(char::is_whitespace),
        "vendid" | "devid" | "sysimgguid" | "switchguid" | "caguid" | "rtguid" | "hcaguids" => true,
        "Chassis" => line.contains("guid 0x"),
        "include" | "module" => line.contains('"'),
        _ => line == "Non-Chassis Nodes" || port(),
    }
}

/// Reads a network.
///
/// # Errors
/// Every fault of the text; a report that is no dump is refused by its name alone.
pub(super) fn read(text: &str) -> Result<Parsed, Vec<Fault>> {
    let blocks::Blocks { blocks, mut faults, headless, .. } = blocks::read(text);
    if faults.iter().any(|fault| fault.code == "near-miss") {
        return Err(faults);
    }
    let (cables, mut warnings) = cabling::cables(&blocks, headless).unwrap_or_else(|more| {
        faults.extend(more);
        (Vec::new(), Vec::new())
    });
    if !blocks.iter().any(|block| block.kind == Kind::Switch) {
        let end = text.trim_end().len();
        faults.push(Fault::new(
            "no-switch",
            end..end,
            "the file has no switch",
            "`Switch`, its ports and its id",
        ));
    }
    if let ([block], true) = (blocks.as_slice(), faults.is_empty() && cables.is_empty()) {
        let span = block.id.as_ref().map_or(0..0, |id| id.span.clone());
        let message = "the file ends after the header of its first node";
        faults.push(Fault::new("cut-off", span, message, "its ports, and the nodes that they lead to"));
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    warnings.extend(blocks.iter().filter_map(odd_host));
    Ok(Parsed { network: network(blocks, cables), warnings })
}

/// What should be known of a host that is none, before routes to it are trusted.
fn odd_host(block: &Block<'_>) -> Option<Fault> {
    let id = block.id.as_ref().filter(|_| block.kind != Kind::Switch)?;
    infiniband::oddity(id.text, block.description, block.kind == Kind::Rt, id.span.clone())
}

/// The network of sound blocks.
fn network(blocks: Vec<Block<'_>>, cables: Vec<cabling::Cable>) -> Network {
    let mut net = Network::new("");
    let mut ids: Vec<Node> = Vec::new();
    for block in blocks {
        let Block { kind, guid, ports, id, .. } = block;
        let name = id.expect("a sound header has an id").text.to_owned();
        let ports = ports.expect("a sound header has a number of ports");
        let description = block.description.map(str::to_owned);
        let added = if kind == Kind::Switch {
            net.push_switch(Switch { name, ports, first_port: 1, guid, description }).map(Node::Switch)
        } else {
            net.push_host(Host { name, ports, first_port: 1, guid, description }).map(Node::Host)
        };
        ids.push(added.expect("ids were found distinct"));
    }
    for cabling::Cable { ends, rate } in cables {
        let [a, b] = ends.map(|(node, port)| End { node: ids[node], port: Port(port) });
        net.push_link(Link { a, b, rate, length: None }).expect("each port was found in one cable");
    }
    net
}
