//! simnet's own network document, between its notations (JSON, TOML) and [`Network`].
//!
//! ```text
//! format = "simnet-topology/1", name, first_port (default 0)
//! switches: name, ports                      optional: first_port guid description
//! hosts:    name                             optional: ports first_port guid description
//! links:    a, a_port, b, b_port             optional: rate length
//! ```
//! A host without `ports` has as many as its cables need, at least one.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::topology::{End, Host, Link, Network, Switch};
use simnet_base::diagnostics::Fault;
use simnet_base::ids::{Node, Port};
use simnet_base::units::{BitRate, Length};

use super::MOST_PORTS;
use super::reader::{Fields, Reader};
use super::tree::Value;

/// What `format` says in this version of the format.
const FORMAT: &str = "simnet-topology/1";
const HEAD_KEYS: &[&str] = &["format", "name", "first_port", "switches", "hosts", "links"];
const NODE_KEYS: &[&str] = &["name", "ports", "first_port", "guid", "description"];
const LINK_KEYS: &[&str] = &["a", "a_port", "b", "b_port", "rate", "length"];

/// Makes a network of a document.
///
/// # Errors
/// Every fault of the document.
pub(super) fn network(document: &Value) -> Result<Network, Vec<Fault>> {
    let mut reader = Reader::default();
    let Some(head) = reader.fields(document, "the network", HEAD_KEYS) else {
        return Err(reader.faults);
    };
    format_is_ours(&mut reader, &head);
    let name = reader.need_text(&head, "name").unwrap_or_default();
    let first_port = reader.number(&head, "first_port", 0, 1).unwrap_or(0);
    let mut nodes = Nodes::default();
    for item in reader.need_list(&head, "switches") {
        nodes.read(&mut reader, item, true, first_port);
    }
    for item in reader.need_list(&head, "hosts") {
        nodes.read(&mut reader, item, false, first_port);
    }
    let links = reader.need_list(&head, "links");
    let numbered = links.iter().enumerate();
    let cables: Vec<Cable> = numbered.filter_map(|link| cable(&mut reader, link, &mut nodes)).collect();
    if reader.faults.is_empty() { Ok(assembled(name, nodes, cables)) } else { Err(reader.faults) }
}

fn format_is_ours(reader: &mut Reader, head: &Fields<'_>) {
    let Some(value) = reader.need(head, "format") else { return };
    if let Some(format) = reader.text(value)
        && format != FORMAT
    {
        let message = format!("`{format}` is not a format of networks that simnet reads");
        reader.fault(Fault::new("format", value.span.clone(), message, format!("\"{FORMAT}\"")));
    }
}

/// A node as the document describes it.
struct Draft {
    switch: bool,
    name: String,
    /// `None`: as many as its cables need, or not known for a fault.
    ports: Option<u16>,
    first_port: u16,
    guid: Option<u64>,
    description: Option<String>,
    /// The link that uses each port, by position in the document.
    used: BTreeMap<u16, usize>,
}

#[derive(Default)]
struct Nodes {
    drafts: Vec<Draft>,
    by_name: BTreeMap<String, usize>,
}

impl Nodes {
    fn read(&mut self, reader: &mut Reader, item: &Value, switch: bool, first_port: u16) {
        let what = if switch { "a switch" } else { "a host" };
        let Some(fields) = reader.fields(item, what, NODE_KEYS) else { return };
        let name =
            reader.need(&fields, "name").and_then(|value| Some((reader.text(value)?, value.span.clone())));
        if switch {
            reader.need(&fields, "ports");
        }
        let mut draft = Draft {
            switch,
            name: String::new(),
            ports: reader.number(&fields, "ports", 1, MOST_PORTS),
            first_port: reader.number(&fields, "first_port", 0, 1).unwrap_or(first_port),
            guid: guid(reader, &fields),
            description: fields.get("description").and_then(|value| reader.text(value)).map(str::to_owned),
            used: BTreeMap::new(),
        };
        let Some((name, span)) = name else { return };
        if self.by_name.contains_key(name) {
            let message = format!("the name `{name}` is taken by another node");
            reader.fault(Fault::new("duplicate-name", span, message, "a name of its own"));
            return;
        }
        draft.guid = draft.guid.or_else(|| guid_in_name(name));
        name.clone_into(&mut draft.name);
        self.by_name.insert(name.to_owned(), self.drafts.len());
        self.drafts.push(draft);
    }
}

/// A guid, written as `"0x..."`.
fn guid(reader: &mut Reader, fields: &Fields<'_>) -> Option<u64> {
    let value = fields.get("guid")?;
    let text = reader.text(value)?;
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
    let guid =
        digits.filter(|digits| digits.len() <= 16).and_then(|digits| u64::from_str_radix(digits, 16).ok());
    if guid.is_none() {
        let message = format!("`{text}` is not a guid");
        reader.fault(Fault::new("guid", value.span.clone(), message, "\"0x\" and 1 to 16 hex digits"));
    }
    guid
}

/// The guid in an id of the form `S-` or `H-` and 16 hex digits.
pub(super) fn guid_in_name(name: &str) -> Option<u64> {
    let digits = name.strip_prefix("S-").or_else(|| name.strip_prefix("H-"))?;
    let hex = digits.len() == 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    hex.then(|| u64::from_str_radix(digits, 16).ok()).flatten()
}

/// A cable as the document describes it, its nodes by position among the drafts.
struct Cable {
    ends: [(usize, u16); 2],
    rate: Option<BitRate>,
    length: Option<Length>,
}

fn cable(reader: &mut Reader, (position, item): (usize, &Value), nodes: &mut Nodes) -> Option<Cable> {
    let fields = reader.fields(item, "a link", LINK_KEYS)?;
    let ends = [("a", "a_port"), ("b", "b_port")].map(|(node, port)| {
        let node = node_at(reader, &fields, node, nodes);
        let port_value = reader.need(&fields, port);
        let port = reader.number(&fields, port, 0, MOST_PORTS);
        Some((node?, port?, port_value?.span.clone()))
    });
    let rate = fields.get("rate").and_then(|value| reader.quantity(value));
    let length = fields.get("length").and_then(|value| reader.quantity(value));
    let [Some(a), Some(b)] = ends else { return None };
    if (a.0, a.1) == (b.0, b.1) {
        let message =
            format!("a cable cannot have both ends in port {} of `{}`", a.1, nodes.drafts[a.0].name);
        reader.fault(Fault::new("same-port", b.2, message, "another port or another node"));
        return None;
    }
    let ends = [a, b].map(|(node, port, span)| {
        use_port(reader, &mut nodes.drafts[node], port, span, position);
        (node, port)
    });
    Some(Cable { ends, rate, length })
}

fn node_at(reader: &mut Reader, fields: &Fields<'_>, key: &'static str, nodes: &Nodes) -> Option<usize> {
    let value = reader.need(fields, key)?;
    let name = reader.text(value)?;
    let known = nodes.by_name.get(name).copied();
    if known.is_none() {
        let message = format!("no switch and no host is called `{name}`");
        let mut fault =
            Fault::new("unknown-node", value.span.clone(), message, "the name of a switch or host");
        if reader.worth_a_hint() {
            fault = fault.with_nearest(name, nodes.by_name.keys().map(String::as_str));
        }
        reader.fault(fault);
    }
    known
}

fn use_port(reader: &mut Reader, node: &mut Draft, port: u16, span: Range<usize>, link: usize) {
    let first = node.first_port;
    let last = node.ports.map_or(MOST_PORTS, |ports| first + ports - 1);
    if !(first..=last).contains(&port) {
        let message = format!("`{}` has no port {port}", node.name);
        reader.fault(Fault::new("no-such-port", span, message, format!("{first} to {last}")));
        return;
    }
    if let Some(other) = node.used.insert(port, link) {
        let message =
            format!("port {port} of `{}` already has a cable, link {other} counted from 0", node.name);
        reader.fault(Fault::new("port-in-use", span, message, "a port without a cable"));
    }
}

fn assembled(name: &str, nodes: Nodes, cables: Vec<Cable>) -> Network {
    let mut net = Network::new(name);
    let mut ids: Vec<Node> = Vec::new();
    for draft in nodes.drafts {
        let Draft { name, first_port, guid, description, .. } = draft;
        let highest = draft.used.last_key_value().map_or(1, |(port, _)| port - first_port + 1);
        let ports = draft.ports.unwrap_or(highest);
        let added = if draft.switch {
            net.push_switch(Switch { name, ports, first_port, guid, description }).map(Node::Switch)
        } else {
            net.push_host(Host { name, ports, first_port, guid, description }).map(Node::Host)
        };
        ids.push(added.expect("names were found distinct"));
    }
    for Cable { ends, rate, length } in cables {
        let [a, b] = ends.map(|(node, port)| End { node: ids[node], port: Port(port) });
        net.push_link(Link { a, b, rate, length }).expect("ports were found free");
    }
    net
}

/// A value of a written document.
pub(super) enum Field<'n> {
    Text(Cow<'n, str>),
    Number(u16),
}

/// The keys and values of one table of a written document.
pub(super) type Row<'n> = Vec<(&'static str, Field<'n>)>;

/// The keys before the lists.
pub(super) fn head(net: &Network) -> Row<'_> {
    let mut fields = vec![("format", text(FORMAT)), ("name", text(&net.name))];
    if let Some(first_port @ 1..) = common_first_port(net) {
        fields.push(("first_port", Field::Number(first_port)));
    }
    fields
}

/// The first port of all nodes, if it is one and the same.
fn common_first_port(net: &Network) -> Option<u16> {
    let switches = net.switches().iter().map(|switch| switch.first_port);
    let mut all = switches.chain(net.hosts().iter().map(|host| host.first_port));
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

/// The rows of `switches`.
pub(super) fn switches(net: &Network) -> impl Iterator<Item = Row<'_>> {
    let own_first_port = common_first_port(net).is_none();
    net.switches().iter().map(move |switch| {
        let mut row = vec![("name", text(&switch.name)), ("ports", Field::Number(switch.ports))];
        let first_port = own_first_port.then_some(switch.first_port);
        push_optional(&mut row, first_port, switch.guid, switch.description.as_deref());
        row
    })
}

/// The rows of `hosts`.
pub(super) fn hosts(net: &Network) -> impl Iterator<Item = Row<'_>> {
    let own_first_port = common_first_port(net).is_none();
    net.host_ids().zip(net.hosts()).map(move |(id, host)| {
        let mut row = vec![("name", text(&host.name))];
        let highest =
            net.cables(Node::Host(id)).last().map_or(1, |(port, _, _)| port.0 - host.first_port + 1);
        if highest != host.ports {
            row.push(("ports", Field::Number(host.ports)));
        }
        let first_port = own_first_port.then_some(host.first_port);
        push_optional(&mut row, first_port, host.guid, host.description.as_deref());
        row
    })
}

fn push_optional<'n>(
    row: &mut Row<'n>,
    first_port: Option<u16>,
    guid: Option<u64>,
    description: Option<&'n str>,
) {
    row.extend(first_port.map(|port| ("first_port", Field::Number(port))));
    row.extend(guid.map(|guid| ("guid", Field::Text(format!("0x{guid:016x}").into()))));
    row.extend(description.map(|words| ("description", text(words))));
}

/// The rows of `links`.
pub(super) fn links(net: &Network) -> impl Iterator<Item = Row<'_>> {
    net.links().iter().map(|link| {
        let mut row = Vec::new();
        for ((node, port), end) in [("a", "a_port"), ("b", "b_port")].into_iter().zip([link.a, link.b]) {
            row.push((node, text(net.name_of(end.node))));
            row.push((port, Field::Number(end.port.0)));
        }
        row.extend(link.rate.map(|rate| ("rate", Field::Text(rate.to_string().into()))));
        row.extend(link.length.map(|length| ("length", Field::Text(length.to_string().into()))));
        row
    })
}

fn text(words: &str) -> Field<'_> {
    Field::Text(Cow::Borrowed(words))
}
