//! Routes as Myricom's GM reads them (`.routes`), for the map that goes with them.
//!
//! ```text
//! 3 1                     hosts, how many routes there are at most from one to another
//! "a" (2 2)               a host: how many routes it has, and of how many turns the longest is
//! "b" 3
//! "c" 1,-2                the turns, signed and relative, as the switches apply them
//! ```
//!
//! # Source
//! The converter of Cplant, which reads what GM's `simple_routes` writes.

use std::io::{self, Write};

use crate::topology::Network;
use crate::topology::formats::gm_host_names;
use simnet_base::ids::Turn;

use super::table::Routes;

/// Writes the routes of all pairs, host by host, under the names that the map of the same network has; a pair
/// without a route has no line.
///
/// # Errors
/// Whatever `out` says.
pub fn write_gm_routes(network: &Network, routes: &impl Routes, out: &mut impl Write) -> io::Result<()> {
    let names = gm_host_names(network);
    writeln!(out, "{} 1", names.len())?;
    let mut turns = Vec::new();
    for source in network.host_ids() {
        let (mut lines, mut count, mut longest) = (String::new(), 0, 0);
        for destination in network.host_ids().filter(|destination| *destination != source) {
            turns.clear();
            if routes.route(source, destination, &mut turns) {
                let each: Vec<String> = turns.iter().map(Turn::to_string).collect();
                lines += &format!("\"{}\" {}\n", names[destination.index()], each.join(","));
                count += 1;
                longest = longest.max(turns.len());
            }
        }
        write!(out, "\"{}\" ({count} {longest})\n{lines}", names[source.index()])?;
    }
    Ok(())
}
