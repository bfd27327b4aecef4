//! What distinguishes two networks, node by node and cable by cable, by the names of nodes.

use std::collections::BTreeMap;

use simnet_base::ids::{Node, Port};

use super::{End, Link, Network};

/// What distinguishes two networks; empty lists where nothing does.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Difference {
    /// Nodes of the first network only, by name, in its order.
    pub nodes_only_in_a: Vec<String>,
    /// Nodes of the second network only.
    pub nodes_only_in_b: Vec<String>,
    /// Cables of the first network only, as `node:port - node:port`.
    pub links_only_in_a: Vec<String>,
    /// Cables of the second network only.
    pub links_only_in_b: Vec<String>,
    /// What both have but not alike: a node's kind, ports, guid or description, a cable's rate or length.
    pub changed: Vec<String>,
}

impl Difference {
    /// Whether nothing distinguishes the two.
    pub fn is_empty(&self) -> bool {
        *self == Difference::default()
    }
}

/// Compares two networks by the names of nodes. The networks' own names, the order of nodes and cables and
/// which end of a cable is named first make no difference. Costs O(size · log size).
pub fn between(a: &Network, b: &Network) -> Difference {
    let mut difference = Difference {
        nodes_only_in_a: names_missing(a, b),
        nodes_only_in_b: names_missing(b, a),
        ..Difference::default()
    };
    for node in nodes(a) {
        let name = a.name_of(node);
        if let Some(other) = b.named(name) {
            let (of_a, of_b) = (described(a, node), described(b, other));
            if of_a != of_b {
                difference.changed.push(format!("{name}: {of_a} | {of_b}"));
            }
        }
    }
    let (cables_a, cables_b) = (cables(a), cables(b));
    for (ends, link) in &cables_a {
        match cables_b.get(ends) {
            None => difference.links_only_in_a.push(shown(ends)),
            Some(other) if (link.rate, link.length) != (other.rate, other.length) => {
                difference.changed.push(format!(
                    "{}: {} | {}",
                    shown(ends),
                    qualities(link),
                    qualities(other)
                ));
            }
            Some(_) => {}
        }
    }
    let only_in_b = cables_b.keys().filter(|ends| !cables_a.contains_key(*ends));
    difference.links_only_in_b = only_in_b.map(shown).collect();
    difference
}

fn nodes(net: &Network) -> impl Iterator<Item = Node> + use<> {
    net.switch_ids().map(Node::Switch).chain(net.host_ids().map(Node::Host))
}

fn names_missing(a: &Network, b: &Network) -> Vec<String> {
    nodes(a).map(|node| a.name_of(node)).filter(|name| b.named(name).is_none()).map(str::to_owned).collect()
}

fn described(net: &Network, node: Node) -> String {
    let (kind, guid, description) = match node {
        Node::Switch(id) => {
            let switch = &net.switches()[id.index()];
            ("switch", switch.guid, &switch.description)
        }
        Node::Host(id) => {
            let host = &net.hosts()[id.index()];
            ("host", host.guid, &host.description)
        }
    };
    let (first, ports) = net.port_range(node);
    let guid = guid.map(|guid| format!(", guid 0x{guid:016x}")).unwrap_or_default();
    let description = description.as_ref().map(|text| format!(", {text:?}")).unwrap_or_default();
    format!("{kind} of {ports} ports from {first}{guid}{description}")
}

/// The two ends of a cable by name and port, the lesser first.
type Ends<'a> = [(&'a str, Port); 2];

fn cables(net: &Network) -> BTreeMap<Ends<'_>, &Link> {
    let named = |end: End| (net.name_of(end.node), end.port);
    let ends = |link: &Link| {
        let mut ends = [named(link.a), named(link.b)];
        ends.sort_unstable();
        ends
    };
    net.links().iter().map(|link| (ends(link), link)).collect()
}

fn shown([(a, a_port), (b, b_port)]: &Ends<'_>) -> String {
    format!("{a}:{a_port} - {b}:{b_port}")
}

fn qualities(link: &Link) -> String {
    let rate = link.rate.map_or("no rate".to_owned(), |rate| rate.to_string());
    let length = link.length.map_or("no length".to_owned(), |length| length.to_string());
    format!("{rate}, {length}")
}
