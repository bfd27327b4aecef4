//! Roots from a file of guids, as OpenSM reads it (`opensm -a FILE`, `root_guid_file`).
//!
//! # Scope and limitations
//! One guid a line, in hexadecimal with `0x` before it; what follows `#` is a comment, and empty lines mean nothing. A
//! guid is that of a switch, or of a channel adapter: a host stands for the switch that its lowest cabled port leads
//! to. Every switch is a root once. OpenSM discards lines that it cannot read; here they are faults.
//!
//! # Source
//! The manual page opensm(8), `--root_guid_file`.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::topology::Network;
use simnet_base::diagnostics::{Fault, Faults, decode};
use simnet_base::ids::{Node, SwitchId};

use super::attachments::Attachments;

/// Reads the roots of a file that the user calls `file`, in its order.
///
/// # Errors
/// All faults of the file: text that is not UTF-8, lines that are no guid, guids that no node has, hosts without a
/// switch, and a file without any guid.
pub fn read_root_guids(
    network: &Network,
    attachments: &Attachments,
    file: &str,
    bytes: &[u8],
) -> Result<Vec<SwitchId>, Box<Faults>> {
    let text = decode(file, bytes)?;
    let guids = guids(network);
    let (mut roots, mut faults) = (Vec::new(), Vec::new());
    for (word, span) in words(text) {
        match root(network, attachments, &guids, word) {
            Ok(switch) if roots.contains(&switch) => {}
            Ok(switch) => roots.push(switch),
            Err((code, message, expected)) => faults.push(Fault::new(code, span, message, expected)),
        }
    }
    if roots.is_empty() && faults.is_empty() {
        faults.push(Fault::new(
            "no-roots",
            0..0,
            "no guid is in this file",
            "expected one guid a line, as 0x...",
        ));
    }
    if faults.is_empty() { Ok(roots) } else { Err(Box::new(Faults::new(file, text, faults))) }
}

/// What every line says before a comment, and where.
fn words(text: &str) -> impl Iterator<Item = (&str, Range<usize>)> {
    let base = text.as_ptr() as usize;
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    lines.filter(|word| !word.is_empty()).map(move |word| {
        let start = word.as_ptr() as usize - base;
        (word, start..start + word.len())
    })
}

/// The nodes by guid.
fn guids(network: &Network) -> BTreeMap<u64, Node> {
    let switches = network.switch_ids().zip(network.switches());
    let switches = switches.filter_map(|(id, switch)| Some((switch.guid?, Node::Switch(id))));
    let hosts = network.host_ids().zip(network.hosts());
    hosts.filter_map(|(id, host)| Some((host.guid?, Node::Host(id)))).chain(switches).collect()
}

/// The switch that a word of the file names, or what is wrong with it: code, message, what is expected.
fn root(
    network: &Network,
    attachments: &Attachments,
    guids: &BTreeMap<u64, Node>,
    word: &str,
) -> Result<SwitchId, (&'static str, String, String)> {
    let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
    let Some(guid) = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok()) else {
        return Err(("bad-guid", format!("`{word}` is no guid"), named(network, word)));
    };
    match guids.get(&guid) {
        Some(Node::Switch(switch)) => Ok(*switch),
        Some(Node::Host(host)) => attachments.switch(*host).map(|(switch, _)| switch).ok_or_else(|| {
            let name = network.name_of(Node::Host(*host));
            (
                "no-switch",
                format!("`{name}` has no cable to a switch"),
                "expected a host at a switch".to_owned(),
            )
        }),
        None => {
            Err(("unknown-guid", format!("no node has the guid {guid:#x}"), nearest(network, guids, guid)))
        }
    }
}

/// What is expected in place of a word: the guid of the node of that name, if one is.
fn named(network: &Network, word: &str) -> String {
    let node = network.find(word);
    let guid = node.and_then(|node| match node {
        Node::Switch(id) => network.switches()[id.index()].guid,
        Node::Host(id) => network.hosts()[id.index()].guid,
    });
    match guid {
        Some(guid) => format!("expected a guid, as {guid:#018x}, which is that of `{word}`"),
        None => "expected a guid in hexadecimal, as 0x0002c90000000001".to_owned(),
    }
}

/// The guid that differs in the fewest digits, with its node's name.
fn nearest(network: &Network, guids: &BTreeMap<u64, Node>, guid: u64) -> String {
    let digits = |other: &u64| (0..16).filter(|nth| (guid ^ other) >> (4 * nth) & 15 != 0).count();
    let near = guids.iter().min_by_key(|(other, _)| digits(other));
    match near {
        Some((other, node)) => {
            format!(
                "expected the guid of a node; the nearest is {other:#018x}, of `{}`",
                network.name_of(*node)
            )
        }
        None => "the nodes of this network have no guids; `--root` takes names".to_owned(),
    }
}
