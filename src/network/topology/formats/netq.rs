//! NetQ's graph of a network (`topologyGraph.json`).
//!
//! ```text
//! [{"nodes": [{"node_type": "tier", "compounded_nodes": [{"id": "leaf01", "node_type": "device",
//!                                                         "device_type": "switch", "name": "leaf01"}]}],
//!   "links": [{"compounded_links": [{"interfaces": [{"node": "leaf01", "interface": "swp1"}, {..}]}]}]}]
//! ```
//!
//! # Scope and limitations
//! A node is called by its id, and described by its name where that is another. A device of the type `switch` is a
//! switch, and any other (`host`, `server`, `discovered_via_lldp`) a host. Ports are numbered as the names of
//! interfaces say it, or in their order. A compounded link is as many cables as it is made of. Where things are drawn,
//! and whatever else the file says, is passed over; rates and lengths are not in it.
//!
//! # Source
//! Files of NVIDIA NetQ; there is no published schema.
//!
//! # Validation
//! tests/network/formats/foreign/netq.rs: a network by hand, a real file's figures, damaged files pinned, damage at
//! random.

use simnet_base::diagnostics::{Fault, quoted};

use super::Parsed;
use super::cabling::{Cabling, PortName, Side};
use super::json;
use super::lines::DraftNode;
use super::reader::Reader;
use super::tree::{Kind, Value};

/// How deep nodes may be in nodes.
const DEEPEST: usize = 32;

/// Whether a text is JSON with NetQ's keys.
pub(super) fn recognises(text: &str) -> bool {
    json::recognises(text) && (text.contains("\"compounded_links\"") || text.contains("\"compounded_nodes\""))
}

/// Reads a network.
///
/// # Errors
/// Every fault of the text.
pub(super) fn read(text: &str) -> Result<Parsed, Vec<Fault>> {
    let document = json::parse(text)?;
    let mut graph = Graph::default();
    let graphs = match &document.kind {
        Kind::List(graphs) => graphs.as_slice(),
        _ => std::slice::from_ref(&document),
    };
    let tables: Vec<_> = graphs.iter().filter_map(|value| graph.reader.table(value, "a graph")).collect();
    for table in &tables {
        for node in graph.reader.need_list(table, "nodes") {
            graph.node(node, 0);
        }
    }
    graph.knows_all = graph.reader.faults.is_empty();
    for table in &tables {
        for link in graph.reader.need_list(table, "links") {
            graph.link(link);
        }
    }
    let Graph { reader, mut cabling, .. } = graph;
    cabling.faults.extend(reader.faults);
    cabling.network(text.trim_end().len()).map(Parsed::from)
}

#[derive(Default)]
struct Graph {
    reader: Reader,
    cabling: Cabling,
    /// Whether all nodes can be read, so that a link to another is a fault of the link.
    knows_all: bool,
}

impl Graph {
    /// A device, or a tier of nodes.
    fn node(&mut self, value: &Value, depth: usize) {
        let Some(fields) = self.reader.table(value, "a node") else { return };
        if depth > DEEPEST {
            let span = value.span.start..value.span.start + 1;
            let fault =
                Fault::new("too-deep", span, "nodes in nodes without an end", format!("{DEEPEST} levels"));
            return self.reader.fault(fault);
        }
        if fields.get("compounded_nodes").is_some() {
            for inner in self.reader.need_list(&fields, "compounded_nodes") {
                self.node(inner, depth + 1);
            }
            return;
        }
        let id = self.reader.need_text(&fields, "id");
        let kind = self.reader.need_text(&fields, "device_type");
        let name = self.reader.maybe_text(&fields, "name");
        let (Some(id), Some(kind)) = (id, kind) else { return };
        let span = fields.get("id").map_or(0..0, |value| value.span.clone());
        if id.is_empty() || id.chars().any(char::is_control) {
            let message = "an id with nothing in it, or with a control character";
            return self.reader.fault(Fault::new("node-id", span, message, "an id that can be printed"));
        }
        if self.cabling.find(id).is_some() {
            let message = format!("a second node has the id `{}`", quoted(id));
            return self.reader.fault(Fault::new("duplicate-id", span, message, "an id of its own"));
        }
        let description = name.filter(|name| !name.is_empty() && *name != id).map(str::to_owned);
        let is_switch = kind == "switch";
        self.cabling
            .add(id, DraftNode { is_switch, name: id.to_owned(), description, ..DraftNode::default() });
    }

    fn link(&mut self, value: &Value) {
        let Some(fields) = self.reader.table(value, "a link") else { return };
        for cable in self.reader.need_list(&fields, "compounded_links") {
            let Some(fields) = self.reader.table(cable, "a compounded link") else { continue };
            let before = self.reader.faults.len();
            let interfaces = self.reader.need_list(&fields, "interfaces");
            let sides: Vec<Option<Side>> = interfaces.iter().map(|value| self.side(value)).collect();
            match <[Option<Side>; 2]>::try_from(sides) {
                Ok([Some(a), Some(b)]) => self.cabling.cable([a, b], None),
                Ok(_) => {}
                Err(sides) if self.reader.faults.len() == before => {
                    let span = cable.span.start..cable.span.start + 1;
                    let message = format!("a cable with {} ends", sides.len());
                    self.reader.fault(Fault::new("cable-ends", span, message, "two interfaces"));
                }
                Err(_) => {}
            }
        }
    }

    fn side(&mut self, value: &Value) -> Option<Side> {
        let fields = self.reader.table(value, "an interface")?;
        let node = self.reader.need_text(&fields, "node");
        let port = self.reader.need_text(&fields, "interface");
        let (node, port) = (node?, port?);
        let span = fields.get("node").map_or(0..0, |value| value.span.clone());
        if let Some(position) = self.cabling.find(node) {
            let port = Some(port).filter(|port| !port.is_empty()).map(PortName::of);
            let span = fields.get("interface").map_or(span, |value| value.span.clone());
            return Some(Side { node: position, port, span });
        }
        if self.knows_all {
            let message = format!("no node has the id `{}`", quoted(node));
            let fault = Fault::new("unknown-node", span, message, "the id of a node");
            let hint = self.reader.worth_a_hint();
            self.reader.fault(if hint { fault.with_nearest(node, self.cabling.keys()) } else { fault });
        }
        None
    }
}
