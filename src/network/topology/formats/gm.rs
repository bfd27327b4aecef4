//! The map of Myricom's GM mapper (`.map`), which its tools compute routes from.
//!
//! ```text
//! 2 1                     hosts, switches
//! s 8 "sw"                a switch of 8 ports
//! 2                       how many of them are cabled
//! 0 h - "a" 0             port 0: to port 0 of host a
//! 1 h - "b" 0             (to a switch: `1 s 8 "other" 5`)
//! label "what people call it"
//!
//! h - "a"                 then every host likewise; all host sections may be absent
//! 1
//! 0 s 8 "sw" 0
//! ```
//!
//! # Scope and limitations
//! GM counts ports from 0: those of a network that counts from 1 are written one less. A label is the
//! description, else the name. Guids, rates, lengths and the network's name have no place. Quotes and control
//! characters have none either: in names and labels they become `'` and `?`, and a name that is then taken is
//! distinguished by more of `'`. Read, other lines of a section, such as `address`, are skipped.
//!
//! # Source
//! `tinyplant.map` and `gensiberia.c` of Cplant, which write what GM's `simple_routes` reads.
//!
//! # Validation
//! What is written reads back equal where the format has words for it; every fault in its place; files
//! damaged at random.

mod read;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::topology::Network;
use simnet_base::ids::Node;

pub(super) use read::{read, recognises};

/// Writes a network.
pub(super) fn write(net: &Network) -> String {
    let [switches, hosts] = clean_names(net);
    let name = |node: Node| match node {
        Node::Switch(id) => &switches[id.index()],
        Node::Host(id) => &hosts[id.index()],
    };
    let head = |node: Node| match node {
        Node::Switch(id) => format!("s {} \"{}\"", net.switches()[id.index()].ports, name(node)),
        Node::Host(_) => format!("h - \"{}\"", name(node)),
    };
    let mut text = format!("{} {}\n", hosts.len(), switches.len());
    let mut section = |node: Node, description: Option<&str>| {
        let port = |node: Node, port: u16| port - net.port_range(node).0;
        let cables: Vec<String> = net
            .cables(node)
            .map(|(own, _, far)| {
                format!("{} {} {}\n", port(node, own.0), head(far.node), port(far.node, far.port.0))
            })
            .collect();
        let label = description.map_or_else(|| name(node).clone(), clean);
        write!(text, "{}\n{}\n{}label \"{label}\"\n\n", head(node), cables.len(), cables.concat())
            .expect("a string takes all text");
    };
    for (id, switch) in net.switch_ids().zip(net.switches()) {
        section(Node::Switch(id), switch.description.as_deref());
    }
    for (id, host) in net.host_ids().zip(net.hosts()) {
        section(Node::Host(id), host.description.as_deref());
    }
    text
}

/// What a map, and a file of routes for it, call each host: its name, as far as the format can say it.
pub fn gm_host_names(net: &Network) -> Vec<String> {
    let [_, hosts] = clean_names(net);
    hosts
}

/// The names of the switches and of the hosts, fit for quotes and different from each other.
fn clean_names(net: &Network) -> [Vec<String>; 2] {
    let mut taken = BTreeSet::new();
    let mut own = |name: &str| {
        let mut name = clean(name);
        while !taken.insert(name.clone()) {
            name.push('\'');
        }
        name
    };
    let switches = net.switches().iter().map(|switch| own(&switch.name)).collect();
    let hosts = net.hosts().iter().map(|host| own(&host.name)).collect();
    [switches, hosts]
}

fn clean(text: &str) -> String {
    text.replace('"', "'").replace(|c: char| c.is_control(), "?")
}
