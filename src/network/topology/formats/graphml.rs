//! GraphML, above all as the Internet Topology Zoo writes it.
//!
//! ```text
//! <graphml> <key id="d33" for="node" attr.name="label"/>
//!   <graph> <node id="4"> <data key="d33">Sunnyvale</data> </node>  <edge source="3" target="4"/> </graph>
//! ```
//!
//! # Scope and limitations
//! Every node is a switch: its name is its id, its description its label, so that labels may be missing or
//! alike. A file has no hosts; `--hosts-per-switch` adds some. Every edge is a cable, in the next free ports
//! of its nodes counted from 0 in the order of the edges: several edges of two nodes are parallel cables, an
//! edge of one node is looped back. `LinkSpeedRaw`, in bits per second, is the rate of a cable (0 says that
//! it is not known). All else is dropped. A warning names nodes outside the network proper (`Internal` 0)
//! and of those that stand for a shared medium (`hyperedge` 1), which are switches like the others, of
//! directions and of named ports.
//!
//! # Source
//! <http://graphml.graphdrawing.org/specification.html>; the files of topology-zoo.org. Ids of keys differ
//! from file to file, and are looked up by `attr.name`. A document type and what it would define are refused
//! and never fetched.
//!
//! # Validation
//! Figures of files of the Zoo; every fault in its place; files damaged at random.

mod xml;

use std::collections::BTreeMap;
use std::ops::Range;

use roxmltree::Node as Element;

use simnet_base::diagnostics::{Fault, quoted};
use simnet_base::units::BitRate;

use super::lines::{Draft, DraftCable, DraftNode};
use super::{MOST_PORTS, Parsed};

pub(super) use xml::{declares_latin1, recognises};

/// Reads a network.
///
/// # Errors
/// The first place where the text is no XML, or every fault of the graph in it.
pub(super) fn read(text: &str) -> Result<Parsed, Vec<Fault>> {
    // An XML declaration must come first; what is in front of it may stand for a byte order mark.
    let blanks = text.len() - text.trim_start().len();
    let moved = |mut fault: Fault| {
        fault.span = fault.span.start + blanks..fault.span.end + blanks;
        fault
    };
    let all_moved = |faults: Vec<Fault>| faults.into_iter().map(moved).collect::<Vec<_>>();
    let parsed = read_trimmed(&text[blanks..]).map_err(all_moved)?;
    Ok(Parsed { warnings: all_moved(parsed.warnings), ..parsed })
}

fn read_trimmed(text: &str) -> Result<Parsed, Vec<Fault>> {
    let document = xml::parse(text)?;
    let root = document.root_element();
    let mut reader = Reader { keys: keys(root), ..Reader::default() };
    let name = match reader.graph(root) {
        Some(graph) => reader.read(graph),
        None => String::new(),
    };
    if !reader.faults.is_empty() {
        return Err(reader.faults);
    }
    let warnings = reader.warnings();
    Ok(Parsed { network: reader.draft.network(&name), warnings })
}

/// What a key is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Domain {
    Graph,
    Node,
    Edge,
}

/// A declared key: what data elements call it, what it is of, its name and its value where none is given.
struct Key<'d> {
    id: &'d str,
    domain: &'d str,
    name: &'d str,
    default: Option<String>,
}

impl Key<'_> {
    fn is_for(&self, domain: Domain) -> bool {
        let own = match domain {
            Domain::Graph => "graph",
            Domain::Node => "node",
            Domain::Edge => "edge",
        };
        self.domain == own || self.domain == "all"
    }
}

/// What a key may be for; a key that does not say so, or says something else, is for all.
const DOMAINS: [&str; 4] = ["graph", "node", "edge", "port"];
/// The names of the data that are read.
const USED: [&str; 5] = ["label", "Network", "Internal", "hyperedge", "LinkSpeedRaw"];

/// The key that an element declares; `None` if it has no id.
fn key<'d>(element: Element<'d, 'd>) -> Option<Key<'d>> {
    let default = xml::children(element).find(|child| child.tag_name().name() == "default");
    let domain = DOMAINS.into_iter().find(|domain| element.attribute("for") == Some(domain));
    Some(Key {
        id: element.attribute("id")?,
        domain: domain.unwrap_or("all"),
        name: element.attribute("attr.name").unwrap_or_default(),
        default: default.map(xml::text),
    })
}

/// The keys of the data that are read, the first of each name and domain.
fn keys<'d>(root: Element<'d, 'd>) -> Vec<Key<'d>> {
    let elements = xml::children(root).filter(|child| child.tag_name().name() == "key");
    let mut found: Vec<Key<'d>> = Vec::new();
    for key in elements.filter_map(key).filter(|key| USED.contains(&key.name)) {
        // The first of its kind counts, so that very many cost nothing later.
        if !found.iter().any(|known| (known.name, known.domain) == (key.name, key.domain)) {
            found.push(key);
        }
    }
    found
}

#[derive(Default)]
struct Reader<'d> {
    keys: Vec<Key<'d>>,
    faults: Vec<Fault>,
    draft: Draft,
    by_id: BTreeMap<&'d str, usize>,
    /// The next free port of every node.
    next: Vec<u16>,
    /// How often each peculiarity was met, and where first; in the order of [`PECULIARITIES`].
    met: [Option<(usize, Range<usize>)>; 4],
}

const EXTERNAL: usize = 0;
const MEDIUM: usize = 1;
const DIRECTED: usize = 2;
const PORTS: usize = 3;

/// What is warned of, after its number.
const PECULIARITIES: [&str; 4] = [
    "nodes are outside the network proper (`Internal` 0), and are switches like the others",
    "nodes stand for a shared medium (`hyperedge` 1), and are switches like the others",
    "graph is directed: every edge is a cable that carries both ways",
    "names of ports are dropped: ports are numbered in the order of the edges",
];

impl<'d> Reader<'d> {
    fn fault(&mut self, code: &'static str, span: Range<usize>, message: impl Into<String>, expected: &str) {
        self.faults.push(Fault::new(code, span, message, expected));
    }

    fn meet(&mut self, peculiarity: usize, span: Range<usize>) {
        self.met[peculiarity].get_or_insert((0, span)).0 += 1;
    }

    /// The only graph of the document.
    fn graph(&mut self, root: Element<'d, 'd>) -> Option<Element<'d, 'd>> {
        if root.tag_name().name() != "graphml" {
            let message = format!("this is XML, but of another kind: `{}`", quoted(root.tag_name().name()));
            self.fault("not-graphml", xml::tag(root), message, "`graphml`");
            return None;
        }
        let mut graphs = xml::children(root).filter(|child| child.tag_name().name() == "graph");
        let first = graphs.next();
        if first.is_none() {
            self.fault("no-graph", xml::tag(root), "the file has no graph", "a `graph` inside");
        }
        for other in graphs {
            self.fault("second-graph", xml::tag(other), "the file has another graph", "one graph");
        }
        first
    }

    /// Reads the nodes, then the edges, and gives the name.
    fn read(&mut self, graph: Element<'d, 'd>) -> String {
        for child in xml::children(graph) {
            match child.tag_name().name() {
                "node" => self.node(child),
                "hyperedge" => {
                    let message = "a hyperedge joins any number of nodes, and a cable two";
                    self.fault("hyperedge", xml::tag(child), message, "edges");
                }
                _ => {}
            }
        }
        if self.draft.nodes.is_empty() && self.faults.is_empty() {
            self.fault("no-switch", xml::tag(graph), "the graph has no node", "a `node` inside");
        }
        for edge in xml::children(graph).filter(|child| child.tag_name().name() == "edge") {
            self.edge(edge);
        }
        if graph.attribute("edgedefault") == Some("directed") {
            self.meet(DIRECTED, xml::tag(graph));
        }
        let named = ["label", "Network"].into_iter().find_map(|key| self.value(graph, Domain::Graph, key));
        let id = graph.attribute("id").map(str::to_owned);
        named.map(|(name, _)| name).or(id).unwrap_or_default()
    }

    /// The text of the data that an element has under a name, or its default, and where it stands.
    fn value(&self, element: Element<'d, 'd>, domain: Domain, name: &str) -> Option<(String, Range<usize>)> {
        let key = self.keys.iter().find(|key| key.name == name && key.is_for(domain))?;
        let mut data = xml::children(element).filter(|child| child.tag_name().name() == "data");
        let given = data.find(|data| data.attribute("key") == Some(key.id));
        let text = given.map(xml::text).or_else(|| key.default.clone())?;
        let text = text.trim();
        (!text.is_empty())
            .then(|| (text.to_owned(), given.map_or_else(|| xml::tag(element), |data| data.range())))
    }

    fn node(&mut self, element: Element<'d, 'd>) {
        let Some(id) = element.attribute("id").filter(|id| !id.is_empty()) else {
            return self.fault("no-name", xml::tag(element), "this node has no id", "`id=\"...\"`");
        };
        for child in xml::children(element) {
            match child.tag_name().name() {
                "graph" => {
                    let message = format!("node `{}` has a graph inside", quoted(id));
                    self.fault("nested-graph", xml::tag(child), message, "one graph of nodes and edges");
                }
                "port" => self.meet(PORTS, xml::tag(child)),
                _ => {}
            }
        }
        let position = self.draft.nodes.len();
        if *self.by_id.entry(id).or_insert(position) != position {
            let message = format!("the id `{}` is another node's", quoted(id));
            return self.fault("duplicate-name", xml::tag(element), message, "an id of its own");
        }
        let is = |name: &str, wanted: &str| {
            let found = self.value(element, Domain::Node, name);
            found.is_some_and(|(value, _)| value == wanted)
        };
        let (external, medium) = (is("Internal", "0"), is("hyperedge", "1"));
        for (peculiarity, met) in [(EXTERNAL, external), (MEDIUM, medium)] {
            if met {
                self.meet(peculiarity, xml::tag(element));
            }
        }
        let description = self.value(element, Domain::Node, "label").map(|(label, _)| label);
        self.draft.nodes.push(DraftNode {
            is_switch: true,
            name: id.to_owned(),
            description,
            ..DraftNode::default()
        });
        self.next.push(0);
    }

    fn edge(&mut self, element: Element<'d, 'd>) {
        if element.attribute("sourceport").or(element.attribute("targetport")).is_some() {
            self.meet(PORTS, xml::tag(element));
        }
        let ends = ["source", "target"].map(|key| self.end(element, key));
        let rate = self.rate(element);
        let [Some(a), Some(b)] = ends else { return };
        let ends = [a, b].map(|node| {
            let port = self.next[node];
            self.next[node] = port.saturating_add(1);
            (node, port)
        });
        // Once a node is enough.
        if let Some((node, _)) = ends.iter().find(|(_, port)| *port == MOST_PORTS) {
            let message = format!("node `{}` has too many edges", quoted(&self.draft.nodes[*node].name));
            self.fault("too-many-ports", xml::tag(element), message, &format!("at most {MOST_PORTS}"));
        }
        self.draft.cables.push(DraftCable { ends, rate, length: None });
    }

    /// The node at an end of an edge.
    fn end(&mut self, element: Element<'d, 'd>, key: &str) -> Option<usize> {
        let Some(attribute) = element.attribute_node(key) else {
            self.fault("no-end", xml::tag(element), format!("this edge has no {key}"), "the id of a node");
            return None;
        };
        let id = attribute.value();
        let known = self.by_id.get(id).copied();
        if known.is_none() {
            let message = format!("no node has the id `{}`", quoted(id));
            let fault = Fault::new("unknown-node", attribute.range_value(), message, "the id of a node");
            // Each hint looks at every node.
            let hint = self.faults.len() < 100;
            self.faults.push(if hint { fault.with_nearest(id, self.by_id.keys().copied()) } else { fault });
        }
        known
    }

    /// The rate of an edge, where one is known.
    fn rate(&mut self, element: Element<'d, 'd>) -> Option<BitRate> {
        let (text, span) = self.value(element, Domain::Edge, "LinkSpeedRaw")?;
        let bits = text.parse::<f64>().ok().filter(|bits| (0.0..1e18).contains(bits));
        // Whole numbers are what is meant, written as 1.0E10 or 10000000000.0.
        let whole = bits.and_then(|bits| format!("{bits:.0}").parse::<u64>().ok());
        if whole.is_none() {
            let message = format!("`{}` is not a rate", quoted(&text));
            self.fault("bad-number", span, message, "bits per second");
        }
        whole.and_then(BitRate::new)
    }

    fn warnings(&mut self) -> Vec<Fault> {
        let met = std::mem::take(&mut self.met).into_iter().zip(PECULIARITIES);
        let warning = |((count, span), what)| {
            Fault::new("peculiar", span, format!("{count} {what}"), "the first of them")
        };
        met.filter_map(|(met, what)| Some((met?, what))).map(warning).collect()
    }
}
