//! The cables that the halves of all blocks make, each listed by both of its ends.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;

use simnet_base::diagnostics::{Fault, nearest, quoted};
use simnet_base::units::BitRate;

use super::blocks::Block;
use super::port::Half;

/// How many ids are looked at for near ones, over all faults.
const COMPARISONS: usize = 50_000;

/// A cable: its ends as position of the block and port, the one that comes first in the file first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cable {
    pub(super) ends: [(usize, u16); 2],
    pub(super) rate: Option<BitRate>,
}

/// All nodes by id, and the port lines of each by port.
struct Ends<'b, 't> {
    blocks: &'b [Block<'t>],
    by_id: BTreeMap<&'t str, usize>,
    /// Per block.
    by_port: Vec<BTreeMap<u16, &'b Half<'t>>>,
    /// Per block, whether a line of it is faulty, so that another may lack its counterpart for that alone.
    damaged: Vec<bool>,
    /// Whether some header is missing or cannot be read: its node is then unknown for that alone.
    headless: bool,
    comparisons: usize,
    faults: Vec<Fault>,
    warnings: Vec<Fault>,
}

/// Puts the halves together, with warnings; `headless` says that a header is missing. Costs O(lines · log
/// nodes).
///
/// # Errors
/// Ids and ports given twice, ports and nodes that are not there, and halves that do not name each other.
pub(super) fn cables(blocks: &[Block<'_>], headless: bool) -> Result<(Vec<Cable>, Vec<Fault>), Vec<Fault>> {
    let mut ends = Ends {
        blocks,
        by_id: BTreeMap::new(),
        by_port: Vec::new(),
        damaged: blocks.iter().map(|block| block.damaged).collect(),
        headless,
        comparisons: COMPARISONS,
        faults: Vec::new(),
        warnings: Vec::new(),
    };
    ends.index();
    let mut cables = Vec::new();
    for (node, block) in blocks.iter().enumerate() {
        for half in &block.halves {
            // A second line of a port is a fault already.
            if !ends.by_port[node].get(&half.port).is_some_and(|first| std::ptr::eq(*first, half)) {
                continue;
            }
            match ends.cable(node, half) {
                Ok(cable) => cables.extend(cable),
                Err(fault) => ends.faults.extend(fault),
            }
        }
    }
    if ends.faults.is_empty() { Ok((cables, ends.warnings)) } else { Err(ends.faults) }
}

impl<'b, 't> Ends<'b, 't> {
    fn index(&mut self) {
        for (node, block) in self.blocks.iter().enumerate() {
            match &block.id {
                None => self.headless = true,
                Some(id) => {
                    if self.by_id.contains_key(id.text) {
                        let message = format!("a second block of `{}`", quoted(id.text));
                        self.fault("duplicate-id", &id.span, message, "an id of its own");
                    } else {
                        self.by_id.insert(id.text, node);
                    }
                }
            }
            let mut ports = BTreeMap::new();
            for half in &block.halves {
                self.damaged[node] |= in_range(block, half.port, &half.port_span).is_err();
                match ports.entry(half.port) {
                    Entry::Vacant(free) => drop(free.insert(half)),
                    Entry::Occupied(_) => {
                        self.damaged[node] = true;
                        let message = format!("a second line of port {}", half.port);
                        self.fault("duplicate-port", &half.port_span, message, "each port once");
                    }
                }
            }
            self.by_port.push(ports);
        }
    }

    fn fault(
        &mut self,
        code: &'static str,
        span: &Range<usize>,
        message: String,
        expected: impl Into<String>,
    ) {
        self.faults.push(Fault::new(code, span.clone(), message, expected));
    }

    /// The cable of a half, once: from the half that comes first. `Err(None)` where nothing is known
    /// because of a fault elsewhere.
    fn cable(&mut self, node: usize, half: &Half<'t>) -> Result<Option<Cable>, Option<Fault>> {
        let block = &self.blocks[node];
        in_range(block, half.port, &half.port_span)?;
        let own = block.id.as_ref().map(|id| id.text);
        // Of two blocks of one node, only the first is looked at; the second is a fault of its own.
        if own.is_none_or(|own| self.by_id.get(own) != Some(&node)) {
            return Err(None);
        }
        let Some(&peer) = self.by_id.get(half.peer.text) else {
            if self.headless {
                return Err(None);
            }
            return Err(Some(self.unknown(half)));
        };
        in_range(&self.blocks[peer], half.peer_port, &half.peer_port_span)?;
        let Some(back) = self.by_port[peer].get(&half.peer_port) else {
            return Err((!self.damaged[peer]).then(|| missing(block, half)));
        };
        if Some(back.peer.text) != own || back.peer_port != half.port {
            return Err(Some(contradicted(block, half, back)));
        }
        let ends = [(node, half.port), (peer, half.peer_port)];
        if ends[0] == ends[1] {
            let message = format!("port {} is cabled to itself", half.port);
            let span = half.span();
            return Err(Some(Fault::new("same-port", span, message, "another port or another node")));
        }
        if back.port_span.start < half.port_span.start {
            return Ok(None);
        }
        // Both ends have the same active speed; where they give two, the link is no faster than the slower.
        let rate = match (half.rate, back.rate) {
            (Some(one), Some(other)) => {
                if one != other {
                    let message = format!("one end of this cable says {one}, the other {other}");
                    self.warnings.push(Fault::new("speeds", half.span(), message, "the slower one is taken"));
                }
                Some(one.min(other))
            }
            (one, other) => one.or(other),
        };
        Ok(Some(Cable { ends, rate }))
    }

    fn unknown(&mut self, half: &Half<'t>) -> Fault {
        let message = format!("no block has the id `{}`", quoted(half.peer.text));
        let fault =
            Fault::new("unknown-id", half.peer.span.clone(), message, "the id of a node of this file");
        if self.comparisons < self.by_id.len() {
            return fault;
        }
        self.comparisons -= self.by_id.len();
        match nearest(half.peer.text, self.by_id.keys().copied()) {
            Some(near) => fault.with_help(format!("did you mean `{near}`?")),
            None => fault,
        }
    }
}

fn name<'b>(block: &'b Block<'_>) -> &'b str {
    block.id.as_ref().map_or("?", |id| id.text)
}

fn in_range(block: &Block<'_>, port: u16, span: &Range<usize>) -> Result<(), Option<Fault>> {
    let ports = block.ports.ok_or(None)?;
    if (1..=ports).contains(&port) {
        return Ok(());
    }
    let message = format!("`{}` has no port {port}", quoted(name(block)));
    Err(Some(Fault::new("no-such-port", span.clone(), message, format!("1 to {ports}"))))
}

fn missing(block: &Block<'_>, half: &Half<'_>) -> Fault {
    let (peer, peer_port) = (quoted(half.peer.text), half.peer_port);
    let message =
        format!("the block of `{peer}` has no line for its port {peer_port}, the other end of this cable");
    let expected = format!("there: [{peer_port}] \"{}\"[{}]", quoted(name(block)), half.port);
    let span = half.span();
    let help = "a dump lists every cable twice, once at each end; is the file whole?";
    Fault::new("half-missing", span, message, expected).with_help(help)
}

fn contradicted(block: &Block<'_>, half: &Half<'_>, back: &Half<'_>) -> Fault {
    let (peer, peer_port) = (quoted(half.peer.text), half.peer_port);
    let back = format!("`{}` port {}", quoted(back.peer.text), back.peer_port);
    let message = format!("port {peer_port} of `{peer}` says that it leads to {back}, not here");
    let expected = format!("there: [{peer_port}] \"{}\"[{}]", quoted(name(block)), half.port);
    let span = half.span();
    Fault::new("half-differs", span, message, expected)
}
