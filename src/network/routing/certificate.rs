//! Certificates: a proof that routes cannot deadlock, written so that it can be checked without this program.
//!
//! ```text
//! {"format": "simnet-certificate/1", "network": "ring", "about": "20 pairs of hosts", "lanes": 1, "channels": 2,
//!  "dependencies": 1}
//! {"channel": "s0:1", "then": ["s1:1"]}
//! {"channel": "s1:1", "then": []}
//! ```
//!
//! A JSON object a line (the first is broken here). The first says what the routes are and how much follows. Each other
//! names an output of a switch to another switch, `switch:port`, and where lanes were looked at its lane,
//! `switch:port/lane`, with all those that some route takes next while it holds this one. The order is the proof: no
//! `then` stands in the same line or above, so that no worms can wait for each other in a circle. Outputs that no route
//! holds or waits for beside another have no line, and those to hosts have none.
//!
//! # Scope and limitations
//! That the lines have all that routes do is checked with the routes: see [`verify`] and [`Certificate::lacks`].
//!
//! # Source
//! The condition is Dally and Seitz 1987's, as in `dependency`.
//!
//! # Validation
//! tests/network/oracle/certificates.rs: the script of docs/FILES.md accepts those of random networks, and neither it
//! nor [`verify`] takes one that was tampered with.

mod verify;

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde_json::json;

use super::dependency::DependencyGraph;
use super::survey::lane_name;
use crate::topology::Network;
use simnet_base::diagnostics::legible_json;

pub use verify::{Certificate, verify};

/// The routes that a certificate is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About<'a> {
    /// Ordered pairs of distinct hosts that have a route.
    pub pairs: u64,
    /// The digest of the files that hold them as tables.
    pub digest: Option<&'a str>,
}

/// The words of a certificate's first line for so many pairs.
fn words(pairs: u64) -> String {
    format!("{pairs} pairs of hosts")
}

/// Writes the certificate of dependencies; false, and nothing written, if they have a cycle. `about` says which routes
/// they are of; outputs have lanes in their names where lanes were looked at.
///
/// # Errors
/// Whatever `out` says.
pub fn write_certificate(
    network: &Network,
    dependencies: &DependencyGraph,
    (about, names_lanes): (About<'_>, bool),
    out: &mut impl Write,
) -> io::Result<bool> {
    let Some(order) = dependencies.order() else { return Ok(false) };
    let name = |vertex| lane_name(network, dependencies, vertex, names_lanes);
    let text = |value: serde_json::Value| legible_json(&value.to_string()).into_owned();
    let lanes: BTreeSet<u8> = order.iter().map(|(vertex, _)| vertex.lane).collect();
    let digest = about.digest.map(|digest| format!("\"digest\": \"{digest}\", ")).unwrap_or_default();
    write!(out, "{{\"format\": \"simnet-certificate/1\", \"network\": {}, ", text(json!(network.name)))?;
    writeln!(
        out,
        "\"about\": \"{}\", {digest}\"lanes\": {}, \"channels\": {}, \"dependencies\": {}}}",
        words(about.pairs),
        lanes.len().max(1),
        order.len(),
        dependencies.len()
    )?;
    for (vertex, next) in order {
        let next: Vec<String> = next.into_iter().map(|next| text(json!(name(next)))).collect();
        writeln!(out, "{{\"channel\": {}, \"then\": [{}]}}", text(json!(name(vertex))), next.join(", "))?;
    }
    Ok(true)
}
