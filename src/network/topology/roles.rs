//! What a node is there for, as far as its dump tells.

use std::fmt;

use serde::Serialize;
use simnet_base::ids::Node;

use super::Network;

/// What the description of an aggregation node contains.
const AGGREGATION_NODE: &str = "Mellanox Technologies Aggregation Node";

/// Words by which descriptions of management hosts are known, in small letters.
const MANAGEMENT: [&str; 5] = ["ufm", "mgmt", "management", "opensm", "subnet manager"];

/// What a node is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// It passes on what others send.
    Switch,
    /// A host of jobs, or of storage.
    Host,
    /// A host that runs the fabric, by its description: it sends as any host does.
    Management,
    /// A unit of a switch that sums up on the way what hosts send: listed as a host.
    Aggregation,
    /// An end of the fabric with another one behind it.
    Router,
}

impl Role {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Switch => "switch",
            Role::Host => "host",
            Role::Management => "management",
            Role::Aggregation => "aggregation",
            Role::Router => "router",
        }
    }

    /// Whether it sends to hosts as hosts do.
    pub const fn is_host(self) -> bool {
        matches!(self, Role::Host | Role::Management)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Whether a description is that of the aggregation unit of a switch.
pub(super) fn is_aggregation_node(description: Option<&str>) -> bool {
    description.is_some_and(|words| words.contains(AGGREGATION_NODE))
}

impl Network {
    /// What a node is there for: its description tells, and the name of a router. Costs O(length of the description).
    pub fn role(&self, node: Node) -> Role {
        let description = self.description_of(node);
        if let Node::Switch(_) = node {
            return Role::Switch;
        }
        if is_aggregation_node(description) {
            return Role::Aggregation;
        }
        let digits = self.name_of(node).strip_prefix("R-");
        if digits.is_some_and(|digits| digits.len() == 16 && digits.bytes().all(|b| b.is_ascii_hexdigit())) {
            return Role::Router;
        }
        let words = description.unwrap_or_default().to_lowercase();
        if MANAGEMENT.iter().any(|word| words.contains(word)) { Role::Management } else { Role::Host }
    }
}
