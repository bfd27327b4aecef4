//! What the lists of InfiniBand's subnet managers and diagnostics share: nodes by guid, ports from 1, cables from both
//! ends.
//!
//! A node is called as `ibnetdiscover` calls it: `S-`, `H-` or `R-` and the 16 digits of its guid; what people call it
//! is its description. A router is an end node, as a host is.

use std::ops::Range;

use simnet_base::diagnostics::{Fault, quoted};

use super::super::roles::is_aggregation_node;
use super::cabling::Cabling;
use super::lines::DraftNode;

/// The code of the warning that an aggregation node counts as a host.
pub(super) const AGGREGATION_WARNING: &str = "aggregation-node";

/// What kind of node a guid is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeKind {
    Switch,
    /// A channel adapter: a host.
    Ca,
    /// A router to other subnets.
    Router,
}

/// A node as a line gives it.
#[derive(Clone, Debug)]
pub(super) struct Given<'t> {
    pub(super) kind: NodeKind,
    pub(super) guid: u64,
    pub(super) ports: u16,
    pub(super) description: &'t str,
    /// Where its guid stands.
    pub(super) span: Range<usize>,
}

/// The name of a node.
pub(super) fn name(kind: NodeKind, guid: u64) -> String {
    let prefix = match kind {
        NodeKind::Switch => 'S',
        NodeKind::Ca => 'H',
        NodeKind::Router => 'R',
    };
    format!("{prefix}-{guid:016x}")
}

/// The node of a guid, by position; it is added where it is first given. `None`, and a fault, where it was given as
/// another.
pub(super) fn node(cabling: &mut Cabling, given: &Given<'_>) -> Option<usize> {
    let key = format!("{:016x}", given.guid);
    let name = name(given.kind, given.guid);
    let Some(node) = cabling.find(&key) else {
        let description = Some(given.description.trim()).filter(|text| !text.is_empty()).map(str::to_owned);
        let (guid, ports) = (Some(given.guid), given.ports);
        let is_switch = given.kind == NodeKind::Switch;
        return Some(
            cabling.add(&key, DraftNode { is_switch, name, description, guid, ports, first_port: 1 }),
        );
    };
    let known = &cabling.nodes[node];
    if known.name == name && known.ports == given.ports {
        return Some(node);
    }
    let message = format!(
        "`{key}` is a node of {} with {} ports here, and one of {} with {} before",
        what(&name),
        given.ports,
        what(&known.name),
        known.ports
    );
    cabling.fault("other-node", given.span.clone(), message, "the same in all lines");
    None
}

fn what(name: &str) -> &'static str {
    match name.as_bytes()[0] {
        b'S' => "kind SW",
        b'H' => "kind CA",
        _ => "kind Rt",
    }
}

/// A guid of 1 to 16 hex digits, with or without `0x`.
///
/// # Errors
/// Anything else.
pub(super) fn guid(text: &str, span: Range<usize>) -> Result<u64, Fault> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let hex = digits.len() <= 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u64::from_str_radix(digits, 16).ok().filter(|_| hex).ok_or_else(|| {
        let message = format!("`{}` is not a guid", quoted(text));
        let fault = Fault::new("bad-hex", span, message, "1 to 16 hex digits");
        match text.contains('<') {
            true => fault.with_help("put a guid of its own in the place of each that was taken out"),
            false => fault,
        }
    })
}

/// Where some cables are listed from both of their ends, all must be: a file that lacks a line was cut off or edited.
pub(super) fn all_from_both_ends(cabling: &mut Cabling) {
    if !cabling.faults.is_empty() || !cabling.any_both_ways() {
        return;
    }
    let one_way: Vec<Range<usize>> = cabling.one_way().collect();
    for span in one_way {
        let message = "the other end of this cable is not listed, as those of other cables are".to_owned();
        cabling.fault("missing-half", span, message, "a line for each end of a cable, or one for each cable");
    }
}

/// What should be known of a host that is none, before routes to it are trusted.
pub(super) fn oddity(
    name: &str,
    description: Option<&str>,
    is_router: bool,
    span: Range<usize>,
) -> Option<Fault> {
    let name = quoted(name);
    if is_router {
        let message = format!("the router `{name}` counts as a host");
        let behind = "behind it is another subnet, which is not in this file";
        return Some(Fault::new("router", span, message, behind));
    }
    if !is_aggregation_node(description) {
        return None;
    }
    let message = format!("`{name}` is listed as a host, and is a switch's unit for in-network aggregation");
    let way_out = "`--drop-aggregation-nodes`, or `drop-aggregation-nodes` in a scenario, leaves it out";
    Some(Fault::new(AGGREGATION_WARNING, span, message, way_out))
}
