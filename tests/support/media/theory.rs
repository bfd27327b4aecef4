//! What theory promises of a map, and whether a map keeps it.
//!
//! # Source
//! Mainwaring et al. 1997, section 3.2.2 (packet routing: N; circuit routing: N - F; cut-through routing: N
//! where F is empty) and 4.1: the Myricom algorithm, and Hendriks 2004 with it, prunes nothing. The paper takes
//! N to be connected; here N is what the mapper can reach.

use simnet_base::des::process::run_at_once;
use simnet_base::ids::{HostId, Node};
use simnet_media::host::Hardware;
use simnet_media::host::mapper::{Algorithm, Brief};
use simnet_media::host::plain::{Collision, Plain};
use simnet_network::topology::isomorphism::{compare, core, difference};
use simnet_network::topology::{End, Network};
use support_network::mapping::network;

/// How messages meet themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// Never: messages are stored and forwarded.
    Packet,
    /// A message that uses a channel twice fails.
    Circuit,
    /// It fails where its own tail still holds the channel.
    CutThrough,
}

/// What a map must show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// All that the mapper can reach.
    Reached,
    /// Exactly N - F.
    Core,
    /// N - F, and of F nothing that is not there.
    CoreOrMore,
}

/// What theory promises of the map that `mapper` makes of a quiet network.
pub fn promised(net: &Network, mapper: HostId, model: Model, algorithm: &Algorithm) -> Promise {
    let prunes = match algorithm {
        Algorithm::Berkeley(options) => options.prune,
        Algorithm::Simplified(options) => options.prune,
        Algorithm::Randomised(options) => options.search.prune,
        _ => false,
    };
    let core = core(net, mapper);
    let reached = reached(net, mapper);
    let all_in_core = reached
        .switches()
        .iter()
        .all(|switch| net.find_switch(&switch.name).is_some_and(|id| core.contains(Node::Switch(id))));
    match model {
        _ if all_in_core => Promise::Reached,
        _ if !prunes => Promise::Reached,
        Model::Packet | Model::CutThrough => Promise::CoreOrMore,
        Model::Circuit => Promise::Core,
    }
}

/// Says how a map breaks a promise, if it does.
pub fn broken(map: &Network, net: &Network, mapper: HostId, promise: Promise) -> Option<String> {
    let reached = reached(net, mapper);
    let verdict = compare(map, net, mapper);
    match promise {
        // Names of switches and shifts of ports apart, the two must be one and the same network.
        Promise::Reached => difference(&reached, map),
        Promise::Core => {
            let core = core(net, mapper);
            let is_core = |node: Node| core.contains(node);
            difference(&part(net, is_core), map)
        }
        Promise::CoreOrMore => verdict.difference,
    }
}

/// The mapper's own component of a network; hosts pass nothing on.
pub fn reached(net: &Network, mapper: HostId) -> Network {
    let mut seen = vec![Node::Host(mapper)];
    let mut next = 0;
    while let Some(node) = seen.get(next).copied() {
        next += 1;
        if matches!(node, Node::Host(host) if host != mapper) {
            continue;
        }
        for (_, _, far) in net.cables(node) {
            if !seen.contains(&far.node) {
                seen.push(far.node);
            }
        }
    }
    part(net, |node| seen.contains(&node))
}

/// The nodes for which `keep` holds and the cables between them.
pub fn part(net: &Network, keep: impl Fn(Node) -> bool) -> Network {
    let mut part = Network::new(net.name.as_str());
    for id in net.switch_ids().filter(|id| keep(Node::Switch(*id))) {
        part.push_switch(net.switches()[id.index()].clone()).unwrap();
    }
    for id in net.host_ids().filter(|id| keep(Node::Host(*id))) {
        part.push_host(net.hosts()[id.index()].clone()).unwrap();
    }
    for link in net.links().iter().filter(|link| keep(link.a.node) && keep(link.b.node)) {
        let end = |end: End| End { node: part.named(net.name_of(end.node)).unwrap(), port: end.port };
        let (a, b) = (end(link.a), end(link.b));
        part.connect(a, b).unwrap();
    }
    part
}

/// Fails unless the algorithm's map of the network is all that can be reached, and the mapper is sure of it.
pub fn check(seed: u64, collision: Collision, hardware: Hardware, algorithm: &Algorithm) {
    let (net, mapper) = network(seed);
    let mut host = Plain::new(&net, mapper, collision).with_hardware(hardware);
    let map = run_at_once(algorithm.map(&mut host, &Brief::for_switches_of(&net)));
    assert!(map.doubts.is_empty(), "seed {seed}, {collision:?}, {algorithm:?}: {:?}", map.doubts);
    let promise = promised(&net, mapper, Model::Packet, algorithm);
    let broken = broken(&map.network, &net, mapper, promise);
    assert!(broken.is_none(), "seed {seed}, {collision:?}, {algorithm:?}: {broken:?}");
}
