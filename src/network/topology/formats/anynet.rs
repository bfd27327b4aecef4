//! The network file of BookSim's `anynet`.
//!
//! ```text
//! router 0 node 0 node 1 router 1 15     a head, then what it is joined to, each with a latency if wanted
//! node 2 router 1
//! ```
//!
//! # Scope and limitations
//! Latencies are in cycles of a simulation and of one direction (the other has its own, or 1): a cable's
//! length cannot say that, so they are dropped, which a warning says. A router is a switch called `router0`,
//! a node a host called `node0`, since both count from 0. BookSim knows at most one channel each way between
//! two routers: naming a pair again, from whichever end, adds no cable.
//!
//! # Source
//! `anynet.cpp` of booksim2, whose assertions are faults here. Ports are numbered as its outputs are: the
//! nodes of a router by id, then its routers by id; a router joined to itself takes two.
//!
//! # Validation
//! Figures of BookSim's own example; every fault in its place; files damaged at random.

use std::collections::BTreeMap;
use std::ops::Range;

use simnet_base::diagnostics::{Fault, quoted};

use super::lines::{Draft, DraftCable, DraftNode, Word, lines, words};
use super::{MOST_PORTS, Parsed};

/// Whether the first line that says something begins with a router or a node.
pub(super) fn recognises(text: &str) -> bool {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    let mut words = line.unwrap_or_default().split_whitespace();
    let head = words.next().unwrap_or_default();
    let follows = words.next().is_some_and(|word| !word.starts_with('='));
    follows && ["router", "node"].iter().any(|kind| kind.eq_ignore_ascii_case(head))
}

/// Reads a network.
///
/// # Errors
/// Every fault of the text.
pub(super) fn read(text: &str) -> Result<Parsed, Vec<Fault>> {
    let mut reader = Reader::default();
    for line in lines(text) {
        if let Err(fault) = reader.line(line) {
            reader.faults.push(fault);
        }
    }
    if reader.faults.is_empty() {
        reader.check_whole();
    }
    let ports = if reader.faults.is_empty() { reader.ports() } else { BTreeMap::new() };
    if !reader.faults.is_empty() {
        return Err(reader.faults);
    }
    reader.warn_of_latencies();
    let warnings = std::mem::take(&mut reader.warnings);
    Ok(Parsed { network: reader.draft(&ports).network(""), warnings })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Node,
    Router,
}

/// A node or a router by its id.
type NodeName = (Kind, u32);

#[derive(Default)]
struct Reader {
    faults: Vec<Fault>,
    warnings: Vec<Fault>,
    /// In the order of the file, where each is named first.
    items: Vec<(NodeName, Range<usize>)>,
    position: BTreeMap<NodeName, usize>,
    /// The router of each node.
    attached: BTreeMap<u32, u32>,
    /// By pair, the lesser first: whether either direction was named.
    joined: BTreeMap<(NodeName, NodeName), [bool; 2]>,
    /// In the order of the file.
    cables: Vec<(NodeName, NodeName)>,
    /// How many latencies other than 1 there are, and where the first is.
    latencies: Option<(usize, Range<usize>)>,
}

impl Reader {
    fn line(&mut self, line: Word<'_>) -> Result<(), Fault> {
        let mut words = words(line).peekable();
        let Some(first) = words.next() else { return Ok(()) };
        let head = self.item(first, words.next(), line)?;
        while let Some(word) = words.next() {
            let other = self.item(word, words.next(), line)?;
            let latency =
                words.next_if(|word| word.text.starts_with(|c: char| c.is_ascii_digit() || c == '-'));
            self.join(head, other, word)?;
            if let Some(word) = latency {
                self.note_latency(word)?;
            }
        }
        Ok(())
    }

    /// The router or node that two words name.
    fn item(&mut self, kind: Word<'_>, id: Option<Word<'_>>, line: Word<'_>) -> Result<NodeName, Fault> {
        let which = match kind.text {
            "router" => Kind::Router,
            "node" => Kind::Node,
            other => {
                let message = format!("`{}` is neither a router nor a node", quoted(other));
                let fault = Fault::new("unknown-word", kind.span(), message, "`router` or `node`");
                return Err(fault.with_nearest(&other.to_ascii_lowercase(), ["router", "node"]));
            }
        };
        let Some(id) = id else {
            let end = line.start + line.text.trim_end().len();
            return Err(Fault::new(
                "cut",
                end..end,
                format!("this {} has no id", kind.text),
                "a whole number",
            ));
        };
        let number = Some(id.text).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        let Some(number) = number.and_then(|text| text.parse::<u32>().ok()) else {
            let message = format!("`{}` is not an id", quoted(id.text));
            return Err(Fault::new("bad-number", id.span(), message, "a whole number from 0 on"));
        };
        let item = (which, number);
        let next = self.items.len();
        if *self.position.entry(item).or_insert(next) == next {
            self.items.push((item, kind.start..id.span().end));
        }
        Ok(item)
    }

    fn join(&mut self, head: NodeName, other: NodeName, word: Word<'_>) -> Result<(), Fault> {
        let fault =
            |code, message: String, expected: &str| Err(Fault::new(code, word.span(), message, expected));
        match (head, other) {
            ((Kind::Node, _), (Kind::Node, _)) => {
                return fault("two-nodes", "a node cannot be joined to a node".to_owned(), "a router");
            }
            ((Kind::Node, node), (Kind::Router, router)) | ((Kind::Router, router), (Kind::Node, node)) => {
                let known = *self.attached.entry(node).or_insert(router);
                if known != router {
                    let message = format!("node {node} is joined to router {known} already, not to {router}");
                    return fault("two-routers", message, "one router for each node");
                }
            }
            ((Kind::Router, _), (Kind::Router, _)) => {}
        }
        let directions = self.joined.entry((head.min(other), head.max(other))).or_insert_with(|| {
            self.cables.push((head, other));
            [false; 2]
        });
        if std::mem::replace(&mut directions[usize::from(head < other)], true) {
            let message =
                "this pair was named before: BookSim knows one channel each way, and so is one cable laid";
            self.warnings.push(Fault::new("listed-twice", word.span(), message, "each pair once"));
        }
        Ok(())
    }

    fn note_latency(&mut self, word: Word<'_>) -> Result<(), Fault> {
        match word.text.parse::<u32>() {
            Ok(1) => Ok(()),
            Ok(2..) => {
                self.latencies.get_or_insert((0, word.span())).0 += 1;
                Ok(())
            }
            _ => {
                let message = format!("`{}` is not a latency", quoted(word.text));
                Err(Fault::new("bad-number", word.span(), message, "a whole number of cycles from 1 on"))
            }
        }
    }

    /// Ids without gaps, and no node without a router.
    fn check_whole(&mut self) {
        for (kind, what) in [(Kind::Router, "router"), (Kind::Node, "node")] {
            let of_kind = || self.items.iter().filter(|((k, _), _)| *k == kind);
            let count = of_kind().count();
            let beyond = of_kind().find(|((_, id), _)| *id as usize >= count);
            if let Some(((_, id), span)) = beyond {
                let message = format!("there are {count} {what}s, but this is {what} {id}");
                let expected = format!("ids from 0 to {}", count.saturating_sub(1));
                self.faults.push(Fault::new("id-gap", span.clone(), message, expected));
            }
        }
        let lone = self
            .items
            .iter()
            .filter(|((kind, id), _)| *kind == Kind::Node && !self.attached.contains_key(id));
        let lone = lone.map(|((_, id), span)| {
            Fault::new("no-router", span.clone(), format!("node {id} is joined to no router"), "a router")
        });
        self.faults.extend(lone);
        if self.items.iter().all(|((kind, _), _)| *kind == Kind::Node) {
            self.faults.push(Fault::new("no-switch", 0..0, "the file has no router", "`router 0`"));
        }
    }

    /// Which port of the first is joined to the second, for every joined pair in both orders.
    fn ports(&mut self) -> BTreeMap<(NodeName, NodeName), u16> {
        // A map in order of ids is in order of ports.
        let both = self.joined.keys().flat_map(|(a, b)| [(*a, *b), (*b, *a)]);
        let mut ports: BTreeMap<(NodeName, NodeName), u16> = both.map(|pair| (pair, 0)).collect();
        let (mut owner, mut next) = (None, 0_u16);
        for ((item, other), port) in &mut ports {
            if owner.replace(*item) != Some(*item) {
                next = 0;
            }
            *port = next;
            let wanted = if item == other { 2 } else { 1 };
            if next > MOST_PORTS - wanted {
                let span = self.position.get(item).map_or(0..0, |at| self.items[*at].1.clone());
                let expected = format!("at most {MOST_PORTS} ports");
                self.faults.push(Fault::new(
                    "too-many-ports",
                    span,
                    "too much is joined to this router",
                    expected,
                ));
                break;
            }
            next += wanted;
        }
        ports
    }

    fn warn_of_latencies(&mut self) {
        if let Some((count, span)) = self.latencies.take() {
            let message = format!(
                "{count} latencies in cycles are dropped: a cable has a length, and one for both ways"
            );
            self.warnings.push(Fault::new("latencies", span, message, "the first of them"));
        }
    }

    fn draft(self, ports: &BTreeMap<(NodeName, NodeName), u16>) -> Draft {
        let node = |((kind, id), _): &(NodeName, Range<usize>)| {
            let is_switch = *kind == Kind::Router;
            let name = format!("{}{id}", if is_switch { "router" } else { "node" });
            DraftNode { is_switch, name, ..DraftNode::default() }
        };
        let cable = |(a, b): &(NodeName, NodeName)| {
            let (from, to) = (ports[&(*a, *b)], ports[&(*b, *a)] + u16::from(a == b));
            DraftCable { ends: [(self.position[a], from), (self.position[b], to)], rate: None, length: None }
        };
        Draft {
            nodes: self.items.iter().map(node).collect(),
            cables: self.cables.iter().map(cable).collect(),
        }
    }
}
