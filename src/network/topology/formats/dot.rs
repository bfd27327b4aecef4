//! Graphviz's graph language, to look at a network: switches are boxes, hosts ellipses, every cable an edge
//! with its ports at its ends.
//!
//! # Scope and limitations
//! Written only. Guids and descriptions are left out; a rate or a length is the label of its cable.

use std::fmt::Write as _;

use crate::topology::Network;
use simnet_base::diagnostics::{Fault, is_hidden, legible};
use simnet_base::ids::Node;

/// Whether a text begins as Graphviz's do.
pub(super) fn recognises(text: &str) -> bool {
    let mut words = text.split(|c: char| c.is_whitespace() || c == '{').filter(|word| !word.is_empty());
    let first = words.next().filter(|word| *word != "strict").or_else(|| words.next());
    matches!(first, Some("graph" | "digraph")) && text.contains('{')
}

/// Says that DOT is not read: a picture may mean anything.
pub(super) fn refusal(text: &str) -> Fault {
    let start = text.len() - text.trim_start().len();
    let end = start + text[start..].split_whitespace().next().map_or(0, str::len);
    let message = "this is Graphviz's DOT, which simnet writes and does not read";
    Fault::new("write-only", start..end, message, "a format that says what is a switch and what a host")
}

/// Writes a network.
pub(super) fn write(net: &Network) -> String {
    let mut text = format!("graph {} {{\n", id(&net.name));
    text.push_str("  node [shape=box];\n");
    net.switches().iter().for_each(|switch| write_node(&mut text, &switch.name, ""));
    net.hosts().iter().for_each(|host| write_node(&mut text, &host.name, "shape=ellipse"));
    for link in net.links() {
        let [a, b] = [link.a, link.b].map(|end| id(net.name_of(end.node)));
        let (tail, head) = (link.a.port, link.b.port);
        let mut attributes = format!("taillabel=\"{tail}\", headlabel=\"{head}\"");
        let rate = link.rate.map(|rate| rate.to_string());
        let facts: Vec<String> =
            rate.into_iter().chain(link.length.map(|length| length.to_string())).collect();
        if !facts.is_empty() {
            attributes += &format!(", label=\"{}\"", facts.join(", "));
        }
        if [link.a, link.b].iter().all(|end| matches!(end.node, Node::Switch(_))) {
            attributes += ", style=bold";
        }
        writeln!(text, "  {a} -- {b} [{attributes}];").expect("a string takes all text");
    }
    text.push_str("}\n");
    text
}

/// Writes a line for a node; without special characters it shows its id.
fn write_node(text: &mut String, name: &str, attributes: &str) {
    let label = if is_plain(name) { String::new() } else { format!("label={}", label(name)) };
    let parts: Vec<&str> = [attributes, &label].into_iter().filter(|part| !part.is_empty()).collect();
    let list = if parts.is_empty() { String::new() } else { format!(" [{}]", parts.join(", ")) };
    writeln!(text, "  {}{list};", id(name)).expect("a string takes all text");
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.contains(|c: char| c == '\\' || c == '"' || is_hidden(c))
}

/// A name as an id of its own: in quotes only a quote is escaped, so that a backslash would stay, or take the
/// end quote for its own; doubled ones stay two, and are part of no other name.
fn id(name: &str) -> String {
    let mut text = String::from("\"");
    for c in name.chars() {
        match c {
            '\\' => text.push_str("\\\\"),
            '"' => text.push_str("\\\""),
            c if is_hidden(c) => text.extend(c.escape_default()),
            c => text.push(c),
        }
    }
    text + "\""
}

/// A name as a label, which shows it as it is, and legible.
fn label(name: &str) -> String {
    let label = legible(name).replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{label}\"")
}
