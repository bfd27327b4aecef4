//! Networks known by name: reconstructions of the Berkeley NOW, Pink, a reconstruction of Lightning, and the
//! clusters of faraj2008 (`faraj`) and lawrence2008 (`lawrence`).
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

mod cluster;
mod faraj;
mod lawrence;
pub mod wirings;

use simnet_base::ids::Port;

use super::generate::{Clos, Role};
use super::{End, Network};

const NOW: &str = include_str!("presets/now.csv");

/// The names of all presets.
pub const NAMES: [&str; 18] = [
    "now-c",
    "now-ca",
    "now-cab",
    "pink",
    "lightning",
    "faraj-a",
    "faraj-b",
    "faraj-c",
    "faraj-d",
    "faraj-e",
    "faraj-f",
    "faraj-fig5",
    "lawrence-1",
    "lawrence-2",
    "lawrence-3",
    "lawrence-4",
    "lawrence-5",
    "lawrence-fig1",
];

/// The preset called `name`.
pub fn load(name: &str) -> Option<Network> {
    match name {
        "now-c" => Some(now(name, &['c'])),
        "now-ca" => Some(now(name, &['c', 'a'])),
        "now-cab" => Some(now(name, &['c', 'a', 'b'])),
        "pink" => Some(clos(name, 16)),
        "lightning" => Some(clos(name, 22)),
        _ => faraj::load(name).or_else(|| lawrence::load(name)),
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
    let cables = || cables_of_now().filter(|[(a, _), (b, _)]| cluster(a).is_some() && cluster(b).is_some());
    let mut nodes: Vec<&str> = cables().flat_map(|cable| cable.map(|(node, _)| node)).collect();
    nodes.sort_unstable_by_key(|node| (cluster(node), *node));
    nodes.dedup();
    let mut net = Network::new(name);
    for node in nodes {
        let is_switch = node.starts_with(|c: char| c.is_ascii_uppercase());
        let added =
            if is_switch { net.add_switch(node, 8).map(|_| ()) } else { net.add_host(node).map(|_| ()) };
        added.expect("the embedded wiring names a node once");
    }
    for cable in cables() {
        let [a, b] = cable.map(|(node, port)| End {
            node: net.find(node).expect("every node of a cable was added"),
            port: Port(port),
        });
        net.connect(a, b).expect("the embedded wiring uses a port once");
    }
    net
}

/// The embedded wiring, cable by cable: the names of both nodes, each with its port.
fn cables_of_now() -> impl Iterator<Item = [(&'static str, u16); 2]> {
    NOW.lines().filter_map(|row| {
        let mut fields = row.split(',');
        let mut end = || Some((fields.next()?, fields.next()?.parse::<u16>().ok()?));
        Some([end()?, end()?])
    })
}

/// Clos64+64 units under spines: leaf crossbars `l{u}.0` to `l{u}.7` and middle crossbars `m{u}.0` to `m{u}.7`
/// of each unit `u`, spines `s0` on, hosts `h0000` on.
///
/// Pink has 16 units and 64 spines: 1,024 hosts, 320 switches, 3,072 cables, every port in use. Lightning, of
/// which only the 1,408 hosts are printed (hendriks2004), is a *reconstruction* in the same manner: 22 units
/// and 88 spines, 440 switches and 4,224 cables.
fn clos(name: &str, units: u32) -> Network {
    let switch = |role| match role {
        Role::Leaf { unit, number } => format!("l{unit}.{number}"),
        Role::Middle { unit, number } => format!("m{unit}.{number}"),
        Role::Spine(spine) => format!("s{spine}"),
    };
    let clos = Clos::new(units).expect("few enough units");
    let mut net = clos.build_named(switch, |host| format!("h{host:04}"));
    name.clone_into(&mut net.name);
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
            ("lightning", 1408, 440, 4224),
            ("faraj-a", 16, 1, 16),
            ("faraj-b", 16, 2, 17),
            ("faraj-c", 16, 4, 19),
            ("faraj-d", 16, 4, 19),
            ("faraj-e", 32, 4, 35),
            ("faraj-f", 32, 4, 35),
            ("faraj-fig5", 8, 4, 11),
            ("lawrence-1", 16, 1, 16),
            ("lawrence-2", 32, 2, 33),
            ("lawrence-3", 32, 4, 35),
            ("lawrence-4", 32, 4, 35),
            ("lawrence-5", 32, 3, 34),
            ("lawrence-fig1", 6, 3, 8),
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
