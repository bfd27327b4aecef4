//! Certificates: a proof that routes cannot deadlock, written so that it can be checked without this program.
//!
//! ```text
//! {"format": "simnet-certificate/1", "network": "ring", "about": "..", "lanes": 1, "channels": 2, "dependencies": 1}
//! {"channel": "s0:1", "then": ["s1:1"]}
//! {"channel": "s1:1", "then": []}
//! ```
//!
//! A JSON object a line. The first says what it is about and how much follows. Each other names an output of a switch,
//! `switch:port`, and where lanes were looked at its lane, `switch:port/lane`, with all those that some route takes
//! next while it holds this one. The order is the proof: no `then` stands in the same line or above, so that no worms
//! can wait for each other in a circle. Outputs that no route holds or waits for beside another have no line.
//!
//! # Scope and limitations
//! That the lines have all that routes do is checked with the routes: see [`verify`] and [`Certificate::lacks`].
//!
//! # Source
//! The condition is Dally and Seitz 1987's, as in `dependency`.

mod verify;

use std::io::{self, Write};

use serde_json::json;

use super::dependency::DependencyGraph;
use super::survey::lane_name;
use crate::topology::Network;
use simnet_base::diagnostics::legible_json;

pub use verify::{Certificate, verify};

/// Writes the certificate of dependencies; false, and nothing written, if they have a cycle. `about` says in words
/// which routes they are of, `lanes` how many lanes those use, where lanes were looked at.
///
/// # Errors
/// Whatever `out` says.
pub fn write_certificate(
    network: &Network,
    dependencies: &DependencyGraph,
    (about, lanes): (&str, Option<u32>),
    out: &mut impl Write,
) -> io::Result<bool> {
    let Some(order) = dependencies.order() else { return Ok(false) };
    let name = |vertex| lane_name(network, dependencies, vertex, lanes.is_some());
    let text = |value: serde_json::Value| legible_json(&value.to_string()).into_owned();
    writeln!(
        out,
        "{{\"format\": \"simnet-certificate/1\", \"network\": {}, \"about\": {}, \"lanes\": {}, \"channels\": {}, \
         \"dependencies\": {}}}",
        text(json!(network.name)),
        text(json!(about)),
        lanes.unwrap_or(1),
        order.len(),
        dependencies.len()
    )?;
    for (vertex, next) in order {
        let next: Vec<String> = next.into_iter().map(|next| text(json!(name(next)))).collect();
        writeln!(out, "{{\"channel\": {}, \"then\": [{}]}}", text(json!(name(vertex))), next.join(", "))?;
    }
    Ok(true)
}
