//! Slurm's `topology.yaml` (24.11 and later): a list of topologies, of which the tree is a `topology.conf` in other
//! words.
//!
//! ```text
//! - topology: default
//!   cluster_default: true
//!   tree:
//!     switches:
//!       - switch: top
//!         children: leaf[0-1]
//!       - switch: leaf0
//!         nodes: tux[0-3,12]
//! ```
//!
//! A file may have several topologies. The network is the tree that is the cluster's default, else the first tree, and
//! a warning says which; blocks and a flat topology have no wiring, and a file of these alone is refused by its name.
//!
//! # Source
//! topology.yaml(5) of Slurm 25.05.

use std::ops::Range;

use simnet_base::diagnostics::{Fault, quoted};

use crate::topology::formats::lines::lines;
use crate::topology::formats::reader::Reader;
use crate::topology::formats::tree::{Kind, Value};
use crate::topology::formats::{Parsed, yaml};

use super::syntax::{Names, Section};

/// What a topology is made of: exactly one of these.
const KINDS: [&str; 4] = ["tree", "block", "flat", "ring"];
const KEYS: &[&str] = &["topology", "cluster_default", "tree", "block", "flat", "ring"];

/// Whether some line begins a topology or a switch as this file does.
pub(in crate::topology::formats) fn recognises(text: &str) -> bool {
    let mut said = lines(text).map(|line| line.text.trim_start());
    said.any(|line| ["- topology:", "- switch:", "tree:"].iter().any(|key| line.starts_with(key)))
}

/// Reads a network.
///
/// # Errors
/// Every fault of the text; no tree among its topologies.
pub(in crate::topology::formats) fn read(text: &str) -> Result<Parsed, Vec<Fault>> {
    let document = yaml::parse(text)?;
    let mut reader = Reader::default();
    let Kind::List(items) = &document.kind else {
        reader.mismatch(&document, "a list of topologies, each with `- topology:` and its name");
        return Err(reader.faults);
    };
    let topologies: Vec<Topology<'_>> = items.iter().filter_map(|item| topology(&mut reader, item)).collect();
    let trees = || topologies.iter().filter(|topology| topology.tree.is_some());
    let chosen = trees().find(|topology| topology.is_default).or_else(|| trees().next());
    let Some(chosen) = chosen.filter(|_| reader.faults.is_empty()) else {
        if reader.faults.is_empty() {
            let span = topologies.first().map_or(0..text.len().min(1), |topology| topology.span.clone());
            let what =
                "this topology.yaml of Slurm has no tree: blocks, rings and flat topologies have no wiring";
            let fault = Fault::new("other-file", span, what, "a topology with `tree:`");
            reader.fault(fault.with_help("a tree has `switches:`, each with `children:` or `nodes:`"));
        }
        return Err(reader.faults);
    };
    let sections = chosen.tree.map(|tree| switches(&mut reader, tree)).unwrap_or_default();
    let mut parsed = super::network(&sections, reader.faults, text.len())?;
    if topologies.len() > 1 {
        let message = format!("of {} topologies this is the network", topologies.len());
        let expected = "the cluster's default, else the first tree";
        parsed.warnings.push(Fault::new("several-topologies", chosen.span.clone(), message, expected));
    }
    Ok(parsed)
}

struct Topology<'v> {
    /// Where its name stands.
    span: Range<usize>,
    is_default: bool,
    tree: Option<&'v Value>,
}

fn topology<'v>(reader: &mut Reader, item: &'v Value) -> Option<Topology<'v>> {
    let fields = reader.fields(item, "a topology", KEYS)?;
    let name = reader.need(&fields, "topology")?;
    let is_default = match fields.get("cluster_default") {
        None => false,
        Some(Value { kind: Kind::Truth(truth), .. }) => *truth,
        Some(value) => {
            reader.mismatch(value, "true or false");
            false
        }
    };
    let kinds: Vec<&str> = KINDS.into_iter().filter(|kind| fields.get(kind).is_some()).collect();
    if kinds.len() != 1 {
        let message = match kinds[..] {
            [] => "a topology without a kind".to_owned(),
            _ => format!("a topology of several kinds: {}", kinds.join(" and ")),
        };
        reader.fault(Fault::new(
            "topology-kind",
            name.span.clone(),
            message,
            "one of tree, block, flat and ring",
        ));
    }
    Some(Topology { span: name.span.clone(), is_default, tree: fields.get("tree") })
}

fn switches(reader: &mut Reader, tree: &Value) -> Vec<Section> {
    let Some(fields) = reader.fields(tree, "a tree", &["switches"]) else { return Vec::new() };
    let items = reader.need_list(&fields, "switches");
    items.iter().filter_map(|item| switch(reader, item)).collect()
}

fn switch(reader: &mut Reader, item: &Value) -> Option<Section> {
    let fields = reader.fields(item, "a switch", &["switch", "children", "nodes"])?;
    let name = reader.need(&fields, "switch")?;
    let keyword = name.span.clone();
    let name = names(reader, name);
    let [children, nodes] = ["children", "nodes"].map(|key| fields.get(key));
    if let (Some(children), Some(_)) = (children, nodes) {
        let message = "a switch has both child switches and nodes";
        reader.fault(Fault::new("nodes-and-switches", children.span.clone(), message, "either of them"));
    }
    let switches = children.and_then(|value| names(reader, value));
    let nodes = nodes.and_then(|value| names(reader, value));
    Some(Section { keyword, name, nodes, switches })
}

/// A list of names; a number is a name as well.
fn names(reader: &mut Reader, value: &Value) -> Option<Names> {
    match &value.kind {
        Kind::Text(text) => Some(Names::at(text, value.span.start)),
        Kind::Integer(number) => Some(Names::at(&number.to_string(), value.span.start)),
        _ => {
            reader.mismatch(value, &format!("names such as {}", quoted("tux[0-3,12]")));
            None
        }
    }
}
