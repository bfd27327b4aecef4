//! Random networks of every legal oddity.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use simnet_base::ids::{Node, Port};
use simnet_base::units::{BitRate, Length};
use simnet_network::topology::{End, Host, Link, Network, Switch};

const ODD: [&str; 8] =
    ["ä", "日本", "\"quoted\"", "back\\slash", "tab\there", "a:1", "\u{7f}", "line\nbreak"];

/// A network with parallel cables, loopbacks, several components, hosts of several cables, names and
/// descriptions of any text, guids, rates and lengths.
pub fn random_network(seed: u64) -> Network {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut net = Network::new(text(&mut rng, 0));
    let same_first = rng.random_bool(0.7).then(|| rng.random_range(0..=1));
    let mut first_port = {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 1);
        move || same_first.unwrap_or_else(|| rng.random_range(0..=1))
    };
    for number in 0..rng.random_range(0..12) {
        let switch = Switch {
            name: text(&mut rng, number),
            ports: rng.random_range(1..12),
            first_port: first_port(),
            guid: rng.random_bool(0.3).then(|| rng.random()),
            description: rng.random_bool(0.3).then(|| text(&mut rng, number)),
        };
        net.push_switch(switch).unwrap();
    }
    for number in 100..rng.random_range(100..112) {
        let host = Host {
            name: text(&mut rng, number),
            ports: if rng.random_bool(0.8) { 1 } else { rng.random_range(1..4) },
            first_port: first_port(),
            guid: rng.random_bool(0.3).then(|| rng.random()),
            description: rng.random_bool(0.3).then(|| text(&mut rng, number)),
        };
        net.push_host(host).unwrap();
    }
    cable(&mut net, &mut rng);
    net
}

fn cable(net: &mut Network, rng: &mut ChaCha8Rng) {
    let nodes: Vec<Node> = net.switch_ids().map(Node::Switch).chain(net.host_ids().map(Node::Host)).collect();
    let mut free: Vec<End> = Vec::new();
    for node in nodes {
        let (first, ports) = net.port_range(node);
        free.extend((first..first + ports).map(|port| End { node, port: Port(port) }));
    }
    let spare = rng.random_range(0..=free.len());
    while free.len() > spare.max(1) {
        let a = free.swap_remove(rng.random_range(0..free.len()));
        let b = free.swap_remove(rng.random_range(0..free.len()));
        let rate = rng.random_bool(0.2).then(|| BitRate::new(rng.random_range(1..u64::MAX)).unwrap());
        let length = rng.random_bool(0.2).then(|| Length::from_mm(rng.random_range(0..1_000_000)));
        net.push_link(Link { a, b, rate, length }).unwrap();
    }
}

fn text(rng: &mut ChaCha8Rng, number: u64) -> String {
    match rng.random_range(0..3) {
        0 => format!("{}{number}", ODD[rng.random_range(0..ODD.len())]),
        1 => format!("n {number}"),
        _ => format!("n{number}"),
    }
}
