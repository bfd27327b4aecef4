//! What theory promises of a map, on the smallest network that distinguishes the promises.

use simnet_base::ids::HostId;
use simnet_media::host::mapper::{Algorithm, berkeley};
use simnet_network::topology::{End, Network};
use support_media::theory::{Model, Promise, broken, part, promised, reached};

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
    let algorithm = Algorithm::Berkeley(berkeley::Options::default());
    let promise = |model| promised(&net, HostId(0), model, &algorithm);
    assert_eq!(promise(Model::Circuit), Promise::Core);
    assert_eq!(promise(Model::CutThrough), Promise::CoreOrMore);
}
