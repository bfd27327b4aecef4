//! What theory promises of a map, and whether a map keeps it.
//!
//! # Source
//! Mainwaring et al. 1997, section 3.2.2 (packet routing: N; circuit routing: N - F; cut-through routing: N
//! where F is empty) and 4.1: the Myricom algorithm, and Hendriks 2004 with it, prunes nothing. The paper takes
//! N to be connected; here N is what the mapper can reach.

use simnet::host::mapper::Algorithm;
use simnet::ids::{HostId, Node};
use simnet::topology::isomorphism::{compare, core, difference};
use simnet::topology::{End, Network};

/// How messages meet themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Model {
    Packet,
    Circuit,
    CutThrough,
}

/// What a map must show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Promise {
    /// All that the mapper can reach.
    Reached,
    /// Exactly N - F.
    Core,
    /// N - F, and of F nothing that is not there.
    CoreOrMore,
}

/// What theory promises of the map that `mapper` makes of a quiet network.
pub(crate) fn promised(net: &Network, mapper: HostId, model: Model, algorithm: &Algorithm) -> Promise {
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
pub(crate) fn broken(map: &Network, net: &Network, mapper: HostId, promise: Promise) -> Option<String> {
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
pub(crate) fn reached(net: &Network, mapper: HostId) -> Network {
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
fn part(net: &Network, keep: impl Fn(Node) -> bool) -> Network {
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

/// h0 - w0 - w1, h1 at w0; w2 and h2 by themselves.
fn with_a_branch() -> Network {
    let mut net = Network::new("branch");
    let [w0, w1, w2] = ["w0", "w1", "w2"].map(|name| net.add_switch(name, 8).unwrap());
    let [h0, h1, h2] = ["h0", "h1", "h2"].map(|name| net.add_host(name).unwrap());
    for (a, b) in [
        (End::host(h0, 0), End::switch(w0, 1)),
        (End::host(h1, 0), End::switch(w0, 2)),
        (End::switch(w0, 3), End::switch(w1, 4)),
        (End::host(h2, 0), End::switch(w2, 0)),
    ] {
        net.connect(a, b).unwrap();
    }
    net
}

#[test]
fn promises_tell_the_whole_from_the_core() {
    // Wrong if a map without F passed for one of N, or one with F for exactly N - F.
    let net = with_a_branch();
    let whole = reached(&net, HostId(0));
    assert_eq!((whole.switches().len(), whole.hosts().len(), whole.links().len()), (2, 2, 3));
    let core = part(&whole, |node| whole.name_of(node) != "w1");
    let kept = |map: &Network, promise| broken(map, &net, HostId(0), promise).is_none();
    for (map, keeps) in
        [(&whole, [true, false, true]), (&core, [false, true, true]), (&net, [false, false, true])]
    {
        let judged = [Promise::Reached, Promise::Core, Promise::CoreOrMore].map(|promise| kept(map, promise));
        assert_eq!(judged, keeps, "{} switches", map.switches().len());
    }
    let algorithm = Algorithm::Berkeley(simnet::host::mapper::berkeley::Options::default());
    let promise = |model| promised(&net, HostId(0), model, &algorithm);
    assert_eq!(promise(Model::Circuit), Promise::Core);
    assert_eq!(promise(Model::CutThrough), Promise::CoreOrMore);
}
