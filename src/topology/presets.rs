//! Networks known by name: reconstructions of the Berkeley NOW, and Pink.
//!
//! # Scope and limitations
//! The papers print the NOW's wiring as pictures only. The three `now-*` networks are *reconstructions* that
//! satisfy every count and every statement about the wiring in the text; which port a cable is in is a free
//! choice, made once (numbering 53 of 60 random ones, the one that came nearest to the printed probe counts).
//! Results that depend on port numbers, such as the number of probes of a mapper, inherit that choice.
//!
//! # Validation
//! Hosts, switches and cables of each preset equal the printed counts; a test compares every cable with the
//! wirings that the figures were checked against.

use crate::ids::{HostId, Port, SwitchId};

use super::{End, Network};

const NOW: &str = include_str!("presets/now.csv");

/// The names of all presets.
pub const NAMES: [&str; 4] = ["now-c", "now-ca", "now-cab", "pink"];

/// The preset called `name`.
pub fn load(name: &str) -> Option<Network> {
    match name {
        "now-c" => Some(now(name, &['c'])),
        "now-ca" => Some(now(name, &['c', 'a'])),
        "now-cab" => Some(now(name, &['c', 'a', 'b'])),
        "pink" => Some(pink()),
        _ => None,
    }
}

/// The host that is left out of account when the root `far` is chosen, if the preset has one.
pub fn utility_host(name: &str) -> Option<&'static str> {
    matches!(name, "now-c" | "now-ca" | "now-cab").then_some("c-util")
}

/// The clusters of the NOW with the given letters: 8-port switches in three levels.
///
/// Hosts and switches are listed by cluster in the order of `clusters`, then by name.
///
/// # Source
/// Mainwaring et al. 1997, Fig. 3 (counts) and section 5; the wiring is a reconstruction (see the module).
fn now(name: &str, clusters: &[char]) -> Network {
    let cluster = |node: &str| {
        let letter = node.chars().next().map(|c| c.to_ascii_lowercase());
        clusters.iter().position(|c| Some(*c) == letter)
    };
    let cables = || {
        let rows = NOW.lines().filter_map(|row| {
            let mut fields = row.split(',');
            let mut end = || Some((fields.next()?, fields.next()?.parse::<u16>().ok()?));
            Some((end()?, end()?))
        });
        rows.filter(|((a, _), (b, _))| cluster(a).is_some() && cluster(b).is_some())
    };
    let mut nodes: Vec<&str> = cables().flat_map(|((a, _), (b, _))| [a, b]).collect();
    nodes.sort_unstable_by_key(|node| (cluster(node), *node));
    nodes.dedup();
    let mut net = Network::new(name);
    for node in nodes {
        let is_switch = node.starts_with(|c: char| c.is_ascii_uppercase());
        let added =
            if is_switch { net.add_switch(node, 8).map(|_| ()) } else { net.add_host(node).map(|_| ()) };
        added.expect("the embedded wiring names a node once");
    }
    for (a, b) in cables() {
        let [a, b] = [a, b].map(|(node, port)| End {
            node: net.find(node).expect("every node of a cable was added"),
            port: Port(port),
        });
        net.connect(a, b).expect("the embedded wiring uses a port once");
    }
    net
}

const PINK_UNITS: usize = 16;
const PINK_SPINES: usize = 64;

/// Pink: 1,024 hosts on 16 Clos64+64 units and 64 spine crossbars, all of 16 ports.
///
/// A unit `u` has leaf crossbars `l{u}.0` to `l{u}.7` (hosts on ports 8 to 15, middles on 0 to 7) and middle
/// crossbars `m{u}.0` to `m{u}.7`, whose upper ports 8 to 15 go to 64 different spines `s0` to `s63`.
///
/// # Source
/// Myricom, *Guide to Myrinet-2000 Switches*, section 9 (the counts and the shape); which of its ports a unit
/// uses for which spine is a reconstruction.
fn pink() -> Network {
    let mut net = Network::new("pink");
    let mut add = |name: String| net.add_switch(name, 16).expect("names are distinct");
    let mut leaves: Vec<SwitchId> = Vec::new();
    let mut middles: Vec<SwitchId> = Vec::new();
    for unit in 0..PINK_UNITS {
        leaves.extend((0..8).map(|leaf| add(format!("l{unit}.{leaf}"))));
        middles.extend((0..8).map(|middle| add(format!("m{unit}.{middle}"))));
    }
    let spines: Vec<SwitchId> = (0..PINK_SPINES).map(|spine| add(format!("s{spine}"))).collect();
    let hosts: Vec<HostId> = (0..PINK_UNITS * 64)
        .map(|host| net.add_host(format!("h{host:04}")).expect("names are distinct"))
        .collect();
    let mut cable = |a: End, b: End| net.connect(a, b).expect("each port is used once");
    let port = |number: usize| u16::try_from(number).expect("a crossbar has 16 ports");
    for unit in 0..PINK_UNITS {
        let eight = unit * 8..unit * 8 + 8;
        for (leaf, switch) in leaves[eight.clone()].iter().enumerate() {
            for host in 0..8 {
                let id = hosts[unit * 64 + leaf * 8 + host];
                cable(End::host(id, 0), End::switch(*switch, port(8 + host)));
            }
        }
        for (leaf, below) in leaves[eight.clone()].iter().enumerate() {
            for (middle, above) in middles[eight.clone()].iter().enumerate() {
                cable(End::switch(*below, port(middle)), End::switch(*above, port(leaf)));
            }
        }
        for (middle, below) in middles[eight].iter().enumerate() {
            for up in 0..8 {
                cable(End::switch(*below, port(8 + up)), End::switch(spines[middle * 8 + up], port(unit)));
            }
        }
    }
    net
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a cluster, a cable or a host were lost or counted twice.
    #[test]
    fn counts_are_those_of_the_papers() {
        for (name, hosts, switches, links) in [
            ("now-c", 36, 13, 64),
            ("now-ca", 70, 26, 128),
            ("now-cab", 100, 40, 193),
            ("pink", 1024, 320, 3072),
        ] {
            let net = load(name).unwrap();
            let counts = (net.hosts().len(), net.switches().len(), net.links().len());
            assert_eq!(counts, (hosts, switches, links), "{name}");
            assert_eq!(net.name, name);
            if let Some(utility) = utility_host(name) {
                assert!(net.find_host(utility).is_some(), "{name}");
            }
        }
        assert!(NAMES.iter().all(|name| load(name).is_some()));
        assert!(load("now-b").is_none());
    }
}
