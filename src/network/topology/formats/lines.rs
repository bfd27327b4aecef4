//! What the line-based formats share: lines and words with their places, and networks put together from
//! lists.

use std::ops::Range;

use crate::topology::{End, Host, Link, Network, Switch};
use simnet_base::ids::{Node, Port};
use simnet_base::units::{BitRate, Length};

/// A word of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'t> {
    pub(super) text: &'t str,
    /// The place of its first byte.
    pub(super) start: usize,
}

impl Word<'_> {
    pub(super) fn span(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }
}

/// The lines of a text without their ends, each with the place of its first byte.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let at = start;
        start += line.len();
        Word { text: line.trim_end_matches('\n').trim_end_matches('\r'), start: at }
    })
}

/// The words of a line, parted by blanks.
pub(super) fn words<'t>(line: Word<'t>) -> impl Iterator<Item = Word<'t>> {
    let place = move |word: &str| line.start + (word.as_ptr().addr() - line.text.as_ptr().addr());
    line.text.split_whitespace().map(move |text| Word { text, start: place(text) })
}

/// A network as lists, its nodes by position; for formats that do not number all ports themselves.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) nodes: Vec<DraftNode>,
    pub(super) cables: Vec<DraftCable>,
}

/// A node with a name of its own.
#[derive(Debug, Default)]
pub(super) struct DraftNode {
    pub(super) is_switch: bool,
    pub(super) name: String,
    pub(super) description: Option<String>,
    /// The guid that the file gives; `None` for the one that its name may imply.
    pub(super) guid: Option<u64>,
    /// How many ports it has at least.
    pub(super) ports: u16,
    /// The number of its first port: 0 or 1.
    pub(super) first_port: u16,
}

/// A cable between two ports that no other uses.
#[derive(Debug)]
pub(super) struct DraftCable {
    pub(super) ends: [(usize, u16); 2],
    pub(super) rate: Option<BitRate>,
    pub(super) length: Option<Length>,
}

impl Draft {
    /// The network called `name` (after its file where that is empty); every node has the ports that its cables need,
    /// at least one.
    pub(super) fn network(self, name: &str) -> Network {
        let mut ports: Vec<u16> = self.nodes.iter().map(|node| node.ports.max(1)).collect();
        for (node, port) in self.cables.iter().flat_map(|cable| cable.ends) {
            ports[node] = ports[node].max(port + 1 - self.nodes[node].first_port);
        }
        let mut net = Network::new(name);
        let mut ids: Vec<Node> = Vec::new();
        for (node, ports) in self.nodes.into_iter().zip(ports) {
            let DraftNode { is_switch, name, description, guid, first_port, .. } = node;
            let guid = guid.or_else(|| super::document::guid_in_name(&name));
            let added = if is_switch {
                net.push_switch(Switch { name, ports, first_port, guid, description }).map(Node::Switch)
            } else {
                net.push_host(Host { name, ports, first_port, guid, description }).map(Node::Host)
            };
            ids.push(added.expect("names were found distinct"));
        }
        for DraftCable { ends, rate, length } in self.cables {
            let [a, b] = ends.map(|(node, port)| End { node: ids[node], port: Port(port) });
            net.push_link(Link { a, b, rate, length }).expect("ports were given out once");
        }
        net
    }
}

/// At most five of `names`, with commas between, and how many more there are.
pub(super) fn some_of<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let more = names.len().saturating_sub(5);
    let shown: Vec<String> = names.take(5).map(|name| format!("`{name}`")).collect();
    let shown = shown.join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}
