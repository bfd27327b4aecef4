//! The guarded scouting mapper.

use simnet::des::process::run_at_once;
use simnet::host::mapper::guarded::{self, Landing, Options};
use simnet::host::mapper::{Brief, Kind, Map};
use simnet::host::plain::{Collision, Plain};
use simnet::ids::HostId;
use simnet::topology::{Network, isomorphism, presets};

use crate::mapper_random::random_network;
use crate::support::cases;

fn map_plainly(net: &Network, mapper: HostId, options: &Options) -> Map {
    let mut host = Plain::new(net, mapper, Collision::Packet);
    run_at_once(guarded::map(&mut host, &Brief::for_switches_of(net), options))
}

#[test]
fn maps_of_random_networks_are_whole() {
    // Wrong if two switches were taken for one, one for two, or anything reachable were missed.
    for seed in 0..cases(20_000) {
        let (net, mapper) = random_network(seed);
        for options in [
            Options::default(),
            Options::timed(),
            Options { landing: Landing::Open, burst: 1, ..Options::default() },
        ] {
            let map = map_plainly(&net, mapper, &options);
            assert!(map.doubts.is_empty(), "seed {seed}, {options:?}: {:?}", map.doubts);
            let verdict = isomorphism::compare(&map.network, &net, mapper);
            assert!(verdict.isomorphic, "seed {seed}, {options:?}: {:?}", verdict.difference);
        }
    }
}

#[test]
fn pink_takes_as_many_questions_as_the_paper_has_time_for() {
    // Wrong if the exploration asked otherwise than one that needs 7 minutes at a millisecond a no.
    let net = presets::load("pink").unwrap();
    let map = map_plainly(&net, HostId(0), &Options::timed());
    assert_eq!(isomorphism::compare(&map.network, &net, HostId(0)).isomorphic_to, Some("N"));
    let total = map.probes.total();
    let noes = total.sent - total.hits;
    assert!((380_000..430_000).contains(&noes), "{noes}");
    assert_eq!(map.probes.of(Kind::Guard).sent, 0);
    let guarded = map_plainly(&net, HostId(0), &Options::default());
    assert_eq!(guarded.network, map.network);
    for kind in [Kind::Host, Kind::Scout, Kind::Compare] {
        assert_eq!(guarded.probes.of(kind), map.probes.of(kind), "guards ask nothing themselves");
    }
}
