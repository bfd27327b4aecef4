//! Parallel local mappers whose holder merges what all have found.

use simnet_base::ids::HostId;
use simnet_base::units::Duration;
use simnet_media::host::mapper::Brief;
use simnet_media::host::mapper::parallel::Options;
use simnet_network::topology::{Network, generate, isomorphism, presets};
use simnet_running::simulation::hosts::Setup;
use simnet_running::simulation::mapping::{Together, in_parallel};

use support_media::mapping::parameters;
use support_network::cases;
use support_network::mapping::random_network;

fn together(net: &Network, holder: HostId, options: &Options, maps: impl Fn(HostId) -> bool) -> Together {
    let parameters = parameters(net, Duration::from_ns(150));
    let brief = Brief { explorations: 2_000, ..Brief::for_switches_of(net) };
    in_parallel(&Setup::new(net, &parameters), holder, &brief, options, maps, |_| true).unwrap()
}

#[test]
fn maps_of_the_now_are_true() {
    // Wrong if merging lost or invented a cable. The NOW's inner switches have no hosts, so that local maps meet
    // only where they reach the next leaf: nothing is gained there.
    let net = presets::load("now-c").unwrap();
    let holder = net.find_host("c-util").unwrap();
    for depth in 0..3 {
        let options = Options { depth, ..Options::default() };
        let Together { mapped, probes } = together(&net, holder, &options, |_| true);
        let verdict = isomorphism::compare(&mapped.map.network, &net, holder);
        assert_eq!(verdict.isomorphic_to, Some("N"), "depth {depth}: {:?}", verdict.difference);
        assert!(probes.total().sent > mapped.map.probes.total().sent);
    }
}

#[test]
fn where_every_switch_has_hosts_the_holder_is_quicker_than_alone() {
    // Wrong if the holder explored what others have found.
    let size = [("switches", 24), ("degree", 4), ("hosts-per-switch", 4)];
    let net = generate::build("random-regular", &size, 1).unwrap();
    let alone = together(&net, HostId(0), &Options::default(), |_| false).mapped;
    let mapped = together(&net, HostId(0), &Options::default(), |_| true).mapped;
    let verdict = isomorphism::compare(&mapped.map.network, &net, HostId(0));
    assert_eq!(verdict.isomorphic_to, Some("N"), "{:?}", verdict.difference);
    let (quick, slow) = (mapped.time.as_ms_f64(), alone.time.as_ms_f64());
    assert!(quick < slow / 2.0, "{quick} and {slow}");
    assert!(mapped.map.explorations < alone.map.explorations / 4);
}

#[test]
fn maps_of_random_networks_are_true_whoever_helps() {
    // Wrong if a partial map were merged at the wrong port, or if what no host explored were left out.
    for seed in 0..cases(2_000) {
        let (net, holder) = random_network(seed);
        let options = Options { depth: (seed % 3) as usize, ..Options::default() };
        let maps = |host: HostId| match seed % 4 {
            0 => false,
            1 => host.0.is_multiple_of(2),
            _ => true,
        };
        let Together { mapped, .. } = together(&net, holder, &options, maps);
        let verdict = isomorphism::compare(&mapped.map.network, &net, holder);
        let is_fine = verdict.isomorphic || !mapped.map.doubts.is_empty() && seed % 4 > 0;
        assert!(is_fine, "seed {seed}: {:?} {:?}", verdict.difference, mapped.map.doubts);
    }
}
