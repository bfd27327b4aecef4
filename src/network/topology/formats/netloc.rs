//! The networks that `netloc_reader_static` of netloc (now of hwloc) takes: a list of nodes and one of edges, as JSON.
//!
//! ```text
//! {"network_info": {"network_type": "IB", "subnet_id": "fe80:..", "version": "1", "description": ".."},
//!  "node_info": {"nodes": [{"type": "SW", "physical_id": "0002:c903:..", "logical_id": "4", "description": "spine"}]},
//!  "edge_info": {"edges": [{"source_node_id": "0002:..", "source_port": "1", "dest_node_id": "..", "dest_port": "3",
//!                           "width": "4X", "speed": "QDR", "bidirectional": true}]}}
//! ```
//!
//! # Scope and limitations
//! A node is called by its physical id, and described by its description; `CA` is a host and `SW` a switch. An edge
//! leads one way. Two edges that lead back and forth between the same ports are one cable, and so is one that is
//! `bidirectional`; an edge that nothing leads back from is a fault, as a network in which packets go one way is none.
//! Ports that are missing or `-1` are given the numbers that are left. Of an InfiniBand network the width and the speed
//! of an edge are its rate; elsewhere they have no unit and are passed over. Lists of netloc's own (`.ndat`, and
//! `IB-*-nodes.txt` of hwloc 2) are other formats: the latter is refused by its name.
//!
//! # Source
//! `tools/reader_static/netloc_reader_static.c` of open-mpi/netloc, with the JSON schema beside it; `netloc.h`.
//! Departures: what it skips with a message (an edge of an unknown node) is a fault, and so is a key given twice.
//!
//! # Validation
//! tests/network/formats/foreign/netloc.rs: a network in three spellings, damaged files pinned, damage at random.

use std::ops::Range;

use simnet_base::diagnostics::{Fault, quoted};
use simnet_base::units::BitRate;

use super::Parsed;
use super::cabling::{Cabling, PortName, Side};
use super::ibnetdiscover::rate;
use super::json;
use super::lines::DraftNode;
use super::reader::{Fields, Reader};
use super::tree::{Kind, Value};

/// The version that is known.
const VERSION: &str = "1";

/// Whether a text is JSON with netloc's keys.
pub(super) fn recognises(text: &str) -> bool {
    json::recognises(text)
        && text.contains("\"network_info\"")
        && (text.contains("\"node_info\"") || text.contains("\"edge_info\""))
}

/// Reads a network.
///
/// # Errors
/// Every fault of the text.
pub(super) fn read(text: &str) -> Result<Parsed, Vec<Fault>> {
    let document = json::parse(text)?;
    let mut netloc = Netloc::default();
    netloc.read(&document);
    let Netloc { reader, mut cabling, .. } = netloc;
    if reader.faults.is_empty() && cabling.faults.is_empty() {
        let one_way: Vec<Range<usize>> = cabling.one_way().collect();
        for span in one_way {
            let message = "no edge leads back from where this one leads to".to_owned();
            cabling.fault("one-way", span, message, "its counterpart, or `\"bidirectional\": true`");
        }
    }
    cabling.faults.extend(reader.faults);
    cabling.network(text.trim_end().len()).map(Parsed::from)
}

#[derive(Default)]
struct Netloc {
    reader: Reader,
    cabling: Cabling,
    is_infiniband: bool,
    /// Whether some node cannot be read, so that edges may lack their ends for that alone.
    is_short: bool,
}

impl Netloc {
    fn read(&mut self, document: &Value) {
        let Some(all) = self.reader.table(document, "the file") else { return };
        if let Some(info) = self.reader.need(&all, "network_info") {
            self.network_info(info);
        }
        let before = self.reader.faults.len();
        let nodes = self.list(&all, "node_info", "nodes");
        self.is_short = self.reader.faults.len() > before;
        for node in nodes {
            self.node(node);
        }
        for edge in self.list(&all, "edge_info", "edges") {
            self.edge(edge);
        }
    }

    /// The list under two keys.
    fn list<'v>(&mut self, all: &Fields<'v>, outer: &'static str, inner: &str) -> &'v [Value] {
        let table = self.reader.need(all, outer).and_then(|value| self.reader.table(value, outer));
        table.map_or(&[], |table| self.reader.need_list(&table, inner))
    }

    fn network_info(&mut self, info: &Value) {
        let Some(fields) = self.reader.table(info, "network_info") else { return };
        let kind = self.reader.need_text(&fields, "network_type");
        self.is_infiniband = kind == Some("IB");
        if let Some(kind) = kind.filter(|kind| !["IB", "ETH"].contains(kind)) {
            let message = format!("`{}` is no type of network", quoted(kind));
            self.reader.fault(Fault::new(
                "network-type",
                span(&fields, "network_type"),
                message,
                "IB or ETH",
            ));
        }
        if let Some(version) =
            self.reader.maybe_text(&fields, "version").filter(|version| *version != VERSION)
        {
            let message = format!("simnet does not know version `{}` of this format", quoted(version));
            let expected = format!("version \"{VERSION}\"");
            self.reader.fault(Fault::new("format-version", span(&fields, "version"), message, expected));
        }
    }

    fn node(&mut self, value: &Value) {
        let before = self.reader.faults.len();
        let node = self.read_node(value);
        self.is_short |= node.is_none() || self.reader.faults.len() > before;
    }

    fn read_node(&mut self, value: &Value) -> Option<()> {
        let fields = self.reader.table(value, "a node")?;
        let kind = self.reader.need_text(&fields, "type");
        let id = self.reader.need_text(&fields, "physical_id");
        let description = self.reader.maybe_text(&fields, "description");
        self.reader.maybe_text(&fields, "logical_id");
        let (kind, id) = (kind?, id?);
        if !["SW", "CA"].contains(&kind) {
            let message = format!("`{}` is no type of node", quoted(kind));
            self.reader.fault(Fault::new("node-type", span(&fields, "type"), message, "SW or CA"));
            return None;
        }
        let place = span(&fields, "physical_id");
        if id.is_empty() || id.chars().any(char::is_control) {
            let message = "an id with nothing in it, or with a control character";
            self.reader.fault(Fault::new("node-id", place, message, "an id that can be printed"));
            return None;
        }
        if self.cabling.find(id).is_some() {
            let message = format!("a second node has the physical id `{}`", quoted(id));
            self.reader.fault(Fault::new("duplicate-id", place, message, "an id of its own"));
            return None;
        }
        // `None` is what its scripts write for nothing.
        let description = description.filter(|text| !["", "None", id].contains(text)).map(str::to_owned);
        let guid = Some(id).filter(|_| self.is_infiniband).and_then(guid);
        let is_switch = kind == "SW";
        let first_port = u16::from(self.is_infiniband);
        let node = DraftNode {
            is_switch,
            name: id.to_owned(),
            description,
            guid,
            first_port,
            ..DraftNode::default()
        };
        self.cabling.add(id, node);
        Some(())
    }

    fn edge(&mut self, value: &Value) {
        let Some(fields) = self.reader.table(value, "an edge") else { return };
        let source = self.side(&fields, "source_node_id", "source_port");
        let destination = self.side(&fields, "dest_node_id", "dest_port");
        let rate = self.rate(&fields);
        let both_ways = self.both_ways(&fields);
        self.reader.maybe_text(&fields, "description");
        let (Some(source), Some(destination)) = (source, destination) else { return };
        let before = self.cabling.faults.len();
        self.cabling.cable([source.clone(), destination.clone()], rate);
        if both_ways && self.cabling.faults.len() == before {
            self.cabling.cable([destination, source], rate);
        }
    }

    fn both_ways(&mut self, fields: &Fields<'_>) -> bool {
        match fields.get("bidirectional") {
            None => false,
            Some(Value { kind: Kind::Truth(truth), .. }) => *truth,
            Some(value) => {
                self.reader.mismatch(value, "true or false");
                false
            }
        }
    }

    /// One end of an edge; none where something is wrong with it.
    fn side(&mut self, fields: &Fields<'_>, id: &str, port: &str) -> Option<Side> {
        let name = self.reader.need_text(fields, id);
        let port = match fields.get(port) {
            None => None,
            Some(value) => match self.reader.text(value)? {
                "" | "-1" => None,
                port => Some(PortName::of(port)),
            },
        };
        let name = name?;
        let span = span(fields, id);
        if let Some(node) = self.cabling.find(name) {
            return Some(Side { node, port, span });
        }
        if !self.is_short {
            let message = format!("no node has the physical id `{}`", quoted(name));
            let fault = Fault::new("unknown-node", span, message, "the physical id of a node");
            let hint = self.reader.worth_a_hint();
            self.reader.fault(if hint { fault.with_nearest(name, self.cabling.keys()) } else { fault });
        }
        None
    }

    /// The rate of an edge of an InfiniBand network, if it gives one.
    fn rate(&mut self, fields: &Fields<'_>) -> Option<BitRate> {
        let width = self.reader.maybe_text(fields, "width");
        let speed = self.reader.maybe_text(fields, "speed");
        let (width, speed) = (width?, speed?);
        // `1` and `1` stand for what is not known.
        if !self.is_infiniband || (width, speed) == ("1", "1") {
            return None;
        }
        let rate = rate::data_rate(width, speed);
        if rate.is_none() {
            let message =
                format!("`{}` and `{}` are no width and speed of a link", quoted(width), quoted(speed));
            let expected = "1X, 2X, 4X, 8X or 12X, and SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR";
            self.reader.fault(Fault::new("unknown-speed", span(fields, "speed"), message, expected));
        }
        rate
    }
}

/// Where the value of a key stands that is given.
fn span(fields: &Fields<'_>, key: &str) -> Range<usize> {
    fields.get(key).map_or(0..0, |value| value.span.clone())
}

/// The guid that a physical id of InfiniBand is: 16 hex digits, colons between four and four of them or not.
fn guid(id: &str) -> Option<u64> {
    let digits: String = id.chars().filter(|c| *c != ':').collect();
    let is_hex = digits.len() == 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_hex.then(|| u64::from_str_radix(&digits, 16).ok()).flatten()
}
