//! Other wirings and port numbers of the NOW that the paper's words and counts allow, drawn by a seed.
//!
//! # Scope and limitations
//! C and A keep their cables; of them only port numbers are drawn. B is drawn whole: what is printed of it is 30 hosts,
//! 14 switches and 65 cables, and that C, drawn in Fig. 4, "is typical of the three subclusters".
//!
//! # Source
//! Mainwaring et al. 1997, Figs. 3 and 4 and section 5.1.

use std::collections::BTreeMap;

use simnet_base::des::random::{Purpose, Stream};
use simnet_base::ids::{Node, Port};

use crate::topology::{End, Network};

/// Draws port numbers; the instance is 0.
const NUMBERS: Purpose = Purpose(25);

/// Draws a subcluster B; the instance is 0.
const WIRING: Purpose = Purpose(26);

/// Ports of a switch of the NOW.
const PORTS: u16 = 8;

/// Leaves and middle switches of a subcluster.
const LEAVES: usize = 7;
const MIDDLES: usize = 4;

/// Hosts of B.
const HOSTS_OF_B: usize = 30;

/// Cables of B that are neither a host's, nor a leaf's, nor between a middle switch and its two roots:
/// 65 - 30 - 21 - 8.
const OTHER_CABLES: usize = 6;

/// Uplinks of a leaf.
const UPLINKS: usize = 3;

/// The most uplinks that end at a middle switch: two of its eight ports lead to roots.
const MOST_UPLINKS: usize = 6;

/// Cables by the names of their ends.
type Cables = Vec<[String; 2]>;

/// The same network with the port numbers of its switches drawn anew, each order equally likely; hosts keep theirs.
///
/// # Panics
/// Never: a permutation uses a port once.
#[must_use]
pub fn renumbered(network: &Network, seed: u64) -> Network {
    let mut stream = Stream::new(seed, NUMBERS, 0);
    let orders: Vec<Vec<u16>> =
        network.switches().iter().map(|switch| shuffled((0..switch.ports).collect(), &mut stream)).collect();
    let place = |end: End| match end.node {
        Node::Switch(switch) => End { port: Port(orders[switch.index()][usize::from(end.port.0)]), ..end },
        Node::Host(_) => end,
    };
    let mut drawn = without_cables(network);
    for link in network.links() {
        drawn.connect(place(link.a), place(link.b)).expect("a permutation uses a port once");
    }
    drawn
}

/// C+A, as it is, with a subcluster B drawn by the seed.
///
/// B has what is printed of it, and what C shows: seven leaves of three to five hosts with three uplinks each, to
/// different ones of four middle switches, each of which is cabled to both roots; the fourteenth switch stands among
/// the roots. The six cables left lie where chance puts them: between that switch, the roots of B, those of A and C,
/// and from a root of B to its middle switches, at most two in parallel. At least two end at the fourteenth switch, or
/// hosts could not tell it, and at least one at A or C. Free ports are taken by chance.
///
/// # Panics
/// If the network is not C+A, or has no ports free at its roots.
#[must_use]
pub fn with_drawn_b(ca: &Network, seed: u64) -> Network {
    let mut stream = Stream::new(seed, WIRING, 0);
    let hosts = hosts_of_leaves(&mut stream);
    let mut cables = loop {
        if let Some(cables) = between_switches(ca, &mut stream) {
            break cables;
        }
    };
    let mut host = 0;
    for (leaf, count) in hosts.into_iter().enumerate() {
        for _ in 0..count {
            cables.push([format!("b{host:02}"), format!("B1.{leaf}")]);
            host += 1;
        }
    }
    cabled(ca, &cables, &mut stream)
}

/// C+A with the two cables between its subclusters where `landing` (0 to 5) puts them: from A's roots, both from one or
/// one from each, to C's root with the utility host, to its other one, or to both.
///
/// # Panics
/// If the network is not C+A.
#[must_use]
pub fn landed(ca: &Network, landing: usize) -> Network {
    let from = [["A3.0", "A3.0"], ["A3.0", "A3.1"]][landing % 2];
    let to = [["C3.1", "C3.1"], ["C3.0", "C3.0"], ["C3.0", "C3.1"]][landing / 2 % 3];
    let mut net = without_cables(ca);
    let letter = |end: End| ca.name_of(end.node).chars().next().map(|letter| letter.to_ascii_lowercase());
    for link in ca.links().iter().filter(|link| letter(link.a) == letter(link.b)) {
        net.connect(link.a, link.b).expect("nodes keep their numbers");
    }
    for pair in from.into_iter().zip(to) {
        let [a, b] = [pair.0, pair.1].map(|name| {
            let node = net.find(name).expect("the roots of C+A");
            let is_free = |port: &u16| net.link_at(End { node, port: Port(*port) }).is_none();
            End { node, port: Port((0..PORTS).find(is_free).expect("roots have free ports")) }
        });
        net.connect(a, b).expect("the ports are free");
    }
    net
}

/// The nodes and cables of the subclusters with these letters.
///
/// # Panics
/// Never: a part has names and ports of its own.
#[must_use]
pub fn part(network: &Network, letters: &[char]) -> Network {
    let is_in = |name: &str| name.starts_with(|first: char| letters.contains(&first.to_ascii_lowercase()));
    let mut net = Network::new(network.name.clone());
    for switch in network.switches().iter().filter(|switch| is_in(&switch.name)) {
        net.add_switch(switch.name.clone(), switch.ports).expect("names differ there too");
    }
    for host in network.hosts().iter().filter(|host| is_in(&host.name)) {
        net.add_host(host.name.clone()).expect("names differ there too");
    }
    for link in network.links() {
        let ends =
            [link.a, link.b].map(|end| Some(End { node: net.find(network.name_of(end.node))?, ..end }));
        if let [Some(a), Some(b)] = ends {
            net.connect(a, b).expect("a part uses a port once too");
        }
    }
    net
}

/// A network's hosts and switches.
fn without_cables(network: &Network) -> Network {
    let mut bare = Network::new(network.name.clone());
    for switch in network.switches() {
        bare.add_switch(switch.name.clone(), switch.ports).expect("names differ there too");
    }
    for host in network.hosts() {
        bare.add_host(host.name.clone()).expect("names differ there too");
    }
    bare
}

/// The same in a random order.
fn shuffled<T>(mut all: Vec<T>, stream: &mut Stream) -> Vec<T> {
    stream.shuffle(&mut all);
    all
}

fn below(bound: usize, stream: &mut Stream) -> usize {
    usize::try_from(stream.below(bound as u64)).expect("it is below the bound")
}

/// How many hosts each leaf of B has: five, less those that are missing, at least three.
fn hosts_of_leaves(stream: &mut Stream) -> [usize; LEAVES] {
    let mut hosts = [5; LEAVES];
    let mut missing = 5 * LEAVES - HOSTS_OF_B;
    while missing > 0 {
        let leaf = below(LEAVES, stream);
        if hosts[leaf] > 3 {
            hosts[leaf] -= 1;
            missing -= 1;
        }
    }
    hosts
}

/// The cables of B that are no host's; none where chance made what is not admissible.
fn between_switches(ca: &Network, stream: &mut Stream) -> Option<Cables> {
    let mut cables = Cables::new();
    let mut uplinks = [0; MIDDLES];
    for leaf in 0..LEAVES {
        let left_out = below(MIDDLES, stream);
        for middle in (0..MIDDLES).filter(|middle| *middle != left_out) {
            uplinks[middle] += 1;
            cables.push([format!("B1.{leaf}"), format!("B2.{middle}")]);
        }
    }
    debug_assert_eq!(cables.len(), LEAVES * UPLINKS, "three uplinks a leaf");
    if uplinks.iter().any(|count| *count > MOST_UPLINKS) {
        return None;
    }
    for middle in 0..MIDDLES {
        for root in 0..2 {
            cables.push([format!("B2.{middle}"), format!("B3.{root}")]);
        }
    }
    let places = places_of_others();
    for _ in 0..OTHER_CABLES {
        cables.push(places[below(places.len(), stream)].clone());
    }
    is_admissible(ca, &cables).then_some(cables)
}

/// Where the other cables may lie.
fn places_of_others() -> Cables {
    let pair = |a: &str, b: &str| [a.to_owned(), b.to_owned()];
    let mut places = Cables::new();
    for far in ["B3.0", "B3.1", "A3.0", "A3.1", "C3.0", "C3.1"] {
        places.push(pair("B3.2", far));
    }
    for root in ["B3.0", "B3.1"] {
        for far in ["A3.0", "A3.1", "C3.0", "C3.1"] {
            places.push(pair(root, far));
        }
        for middle in 0..MIDDLES {
            places.push(pair(root, &format!("B2.{middle}")));
        }
    }
    places
}

/// Whether every switch has the ports, no more than two cables are parallel, hosts can tell the fourteenth switch, and
/// B is cabled to the others.
fn is_admissible(ca: &Network, cables: &Cables) -> bool {
    let mut used: BTreeMap<&str, usize> = BTreeMap::new();
    let mut parallel: BTreeMap<&[String; 2], usize> = BTreeMap::new();
    let mut sorted = cables.clone();
    sorted.iter_mut().for_each(|cable| cable.sort());
    for (cable, sorted) in cables.iter().zip(&sorted) {
        cable.iter().for_each(|end| *used.entry(end).or_default() += 1);
        *parallel.entry(sorted).or_default() += 1;
    }
    let free = |switch: &str| match ca.find_switch(switch) {
        Some(id) => usize::from(PORTS) - ca.cables(Node::Switch(id)).count(),
        None => usize::from(PORTS),
    };
    let fits = used.iter().all(|(switch, count)| *count <= free(switch));
    let joined = cables.iter().flatten().any(|end| end.starts_with(['A', 'C']));
    let told = used.get("B3.2").is_some_and(|count| *count >= 2);
    fits && joined && told && parallel.values().all(|count| *count <= 2)
}

/// C+A with these cables and the nodes of B at their ends, in free ports drawn by chance.
fn cabled(ca: &Network, cables: &Cables, stream: &mut Stream) -> Network {
    let mut net = without_cables(ca);
    net.name = "now-cab".to_owned();
    let mut names: Vec<&String> =
        cables.iter().flatten().filter(|name| name.starts_with(['b', 'B'])).collect();
    names.sort();
    names.dedup();
    for name in names {
        let added = match name.starts_with('B') {
            true => net.add_switch(name, PORTS).map(|_| ()),
            false => net.add_host(name).map(|_| ()),
        };
        added.expect("B has names of its own");
    }
    for link in ca.links() {
        net.connect(link.a, link.b).expect("nodes keep their numbers");
    }
    let mut free: BTreeMap<Node, Vec<u16>> = BTreeMap::new();
    for cable in cables {
        let [a, b] = cable.each_ref().map(|name| {
            let node = net.find(name).expect("every end was added");
            let ports = free.entry(node).or_insert_with(|| match node {
                Node::Switch(_) => {
                    let taken = |port: &u16| net.link_at(End { node, port: Port(*port) }).is_some();
                    shuffled((0..PORTS).filter(|port| !taken(port)).collect(), stream)
                }
                Node::Host(_) => vec![0],
            });
            End { node, port: Port(ports.pop().expect("admissible wirings have the ports")) }
        });
        net.connect(a, b).expect("a port is taken once");
    }
    net
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::presets::load;

    /// Wrong if a drawn B had other counts than those printed, a switch too many cables, or a part that is cut off.
    #[test]
    fn drawn_wirings_have_what_is_printed() {
        let ca = load("now-ca").unwrap();
        let mut different = 0;
        let mut first: Option<Network> = None;
        for seed in 0..200 {
            let net = with_drawn_b(&ca, seed);
            assert_eq!(
                (net.hosts().len(), net.switches().len(), net.links().len()),
                (100, 40, 193),
                "{seed}"
            );
            let mut reached = vec![net.find("c-util").unwrap()];
            let mut nth = 0;
            while nth < reached.len() {
                for (_, _, far) in net.cables(reached[nth]) {
                    if !reached.contains(&far.node) {
                        reached.push(far.node);
                    }
                }
                nth += 1;
            }
            assert_eq!(reached.len(), 140, "{seed}");
            let same = first.get_or_insert_with(|| net.clone()).links() == net.links();
            different += usize::from(!same);
            assert_eq!(net.links(), with_drawn_b(&ca, seed).links(), "{seed}");
        }
        assert_eq!(different, 199);
    }

    /// Wrong if a landing lost a cable or had it elsewhere, or a part were not the preset.
    #[test]
    fn landings_and_parts_are_networks_of_the_now() {
        let ca = load("now-ca").unwrap();
        for landing in 0..6 {
            let net = landed(&ca, landing);
            assert_eq!(net.links().len(), 128);
            let between = |link: &&crate::topology::Link| {
                let names = [link.a, link.b].map(|end| net.name_of(end.node).to_ascii_lowercase());
                names[0].chars().next() != names[1].chars().next()
            };
            assert_eq!(net.links().iter().filter(between).count(), 2, "{landing}");
        }
        let c = part(&load("now-cab").unwrap(), &['c']);
        assert_eq!(crate::topology::isomorphism::difference(&c, &load("now-c").unwrap()), None);
    }

    /// Wrong if new numbers changed who is cabled to whom.
    #[test]
    fn new_numbers_leave_the_cables() {
        let net = load("now-cab").unwrap();
        let neighbours = |net: &Network| {
            let pair = |link: &crate::topology::Link| {
                let mut pair = [link.a.node, link.b.node];
                pair.sort();
                pair
            };
            let mut all: Vec<[Node; 2]> = net.links().iter().map(pair).collect();
            all.sort_unstable();
            all
        };
        let drawn = renumbered(&net, 7);
        assert_eq!(neighbours(&drawn), neighbours(&net));
        assert_ne!(drawn.links(), net.links());
    }
}
