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
    let writer = Writer { net, names: clean_names(net) };
    let mut text = format!("{} {}\n", net.hosts().len(), net.switches().len());
    for (id, switch) in net.switch_ids().zip(net.switches()) {
        writer.section(Node::Switch(id), switch.description.as_deref(), &mut text);
    }
    for (id, host) in net.host_ids().zip(net.hosts()) {
        writer.section(Node::Host(id), host.description.as_deref(), &mut text);
    }
    text
}

/// A network and how the format calls its nodes.
struct Writer<'a> {
    net: &'a Network,
    /// The names of switches, and those of hosts.
    names: [Vec<String>; 2],
}

impl Writer<'_> {
    fn name(&self, node: Node) -> &str {
        let [switches, hosts] = &self.names;
        match node {
            Node::Switch(id) => &switches[id.index()],
            Node::Host(id) => &hosts[id.index()],
        }
    }

    /// The line that begins the section of a node, and names it in those of its neighbours.
    fn head(&self, node: Node) -> String {
        match node {
            Node::Switch(id) => {
                format!("s {} \"{}\"", self.net.switches()[id.index()].ports, self.name(node))
            }
            Node::Host(_) => format!("h - \"{}\"", self.name(node)),
        }
    }

    /// Writes the section of a node: its head, its cables, its label.
    fn section(&self, node: Node, description: Option<&str>, text: &mut String) {
        let port = |node: Node, port: u16| port - self.net.port_range(node).0;
        let cables: Vec<String> = self
            .net
            .cables(node)
            .map(|(own, _, far)| {
                let (head, far_port) = (self.head(far.node), port(far.node, far.port.0));
                format!("{} {head} {far_port}\n", port(node, own.0))
            })
            .collect();
        let label = description.map_or_else(|| self.name(node).to_owned(), clean);
        write!(text, "{}\n{}\n{}label \"{label}\"\n\n", self.head(node), cables.len(), cables.concat())
            .expect("a string takes all text");
    }
}

/// What a map, and a file of routes for it, call each host: its name, as far as the format can say it.
pub fn gm_host_names(net: &Network) -> Vec<String> {
    let [_, hosts] = clean_names(net);
    hosts
}

/// The names of the switches and of the hosts, fit for quotes and different from each other.
fn clean_names(net: &Network) -> [Vec<String>; 2] {
    let mut taken = BTreeSet::new();
    let switches = net.switches().iter().map(|switch| clean_name(&switch.name, &mut taken)).collect();
    let hosts = net.hosts().iter().map(|host| clean_name(&host.name, &mut taken)).collect();
    [switches, hosts]
}

/// A name fit for quotes, different from all in `taken`, which it joins.
fn clean_name(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut name = clean(name);
    while !taken.insert(name.clone()) {
        name.push('\'');
    }
    name
}

fn clean(text: &str) -> String {
    text.replace('"', "'").replace(|c: char| c.is_control(), "?")
}
