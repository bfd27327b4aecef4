//! The Berkeley mapper on the flit-level fabric: the paper's counts and times, random networks, lost
//! messages.

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use simnet_base::ids::HostId;
use simnet_base::units::Duration;
use simnet_media::fabric::{Cause, LinkTiming, Parameters};
use simnet_media::host::Station;
use simnet_media::host::mapper::berkeley::{self, Options};
use simnet_media::host::mapper::{Algorithm, Brief, Depth, Kind, Map, Turns};
use simnet_network::topology::{Network, isomorphism, presets};
use simnet_running::simulation::hosts::{self, Outcome, Setup};

use support_media::mapping::parameters;
use support_media::theory::{Model, broken, promised};
use support_network::mapping::network;
use support_network::mapping::random_network;
use support_network::{cases, long_cases};

fn map_with(
    setup: &Setup<'_>,
    mapper: HostId,
    brief: &Brief,
    serves: impl Fn(HostId) -> bool,
) -> Outcome<Map> {
    let program =
        |mut host: Station| async move { berkeley::map(&mut host, brief, &Options::default()).await };
    hosts::run(setup, mapper, program, serves).unwrap()
}

struct Paper {
    preset: &'static str,
    turns: Turns,
    time_ms: f64,
}

/// Mainwaring et al. 1997, Fig. 6 (hits, and the misses that both columns have in common) and Fig. 7
/// (averages).
const PAPER: [Paper; 3] = [
    Paper { preset: "now-c", turns: Turns { host_hits: 107, switch_hits: 157, nothing: 93 }, time_ms: 256.0 },
    Paper {
        preset: "now-ca",
        turns: Turns { host_hits: 216, switch_hits: 295, nothing: 196 },
        time_ms: 522.0,
    },
    Paper {
        preset: "now-cab",
        turns: Turns { host_hits: 324, switch_hits: 727, nothing: 480 },
        time_ms: 1011.0,
    },
];

fn deviation(ours: f64, paper: f64) -> f64 {
    (ours / paper - 1.0).abs()
}

#[test]
fn maps_of_the_now_are_true_and_cost_what_the_paper_says() {
    // Wrong if the mapper explored otherwise than the paper's, or if its host constants fitted one network
    // only.
    for Paper { preset, turns, time_ms } in PAPER {
        let net = presets::load(preset).unwrap();
        let mapper = net.find_host("c-util").unwrap();
        let parameters = parameters(&net, Duration::from_ns(150));
        let outcome = map_with(&Setup::new(&net, &parameters), mapper, &Brief::default(), |_| true);
        let map = outcome.result.unwrap();
        assert_eq!(isomorphism::compare(&map.network, &net, mapper).isomorphic_to, Some("N"), "{preset}");
        assert_eq!((map.doubts.len(), outcome.fates.destroyed(Cause::Reset)), (0, 0), "{preset}");
        let time = deviation(map.time.as_ms_f64(), time_ms);
        assert!(time < 0.02, "{preset}: {:?}", map.time);
        for (ours, paper) in [
            (map.turns.host_hits, turns.host_hits),
            (map.turns.switch_hits, turns.switch_hits),
            (map.turns.nothing, turns.nothing),
        ] {
            // Probes of 32 bytes pass a cable twice, where the plain graph's circuits collide: in the largest
            // network 9 more switches answer, and 438 turns lead to nothing instead of the paper's 480. That is
            // 8.8 % off: a known miss, pinned as it is; every other count is within 6 %.
            let known_miss = preset == "now-cab" && paper == 480;
            let holds = if known_miss { ours == 438 } else { deviation(ours as f64, paper as f64) < 0.06 };
            assert!(holds, "{preset}: {:?}", map.turns);
        }
    }
}

#[test]
fn the_switches_latency_hardly_matters_to_a_mapper_at_user_level() {
    // Wrong if time on the wire were counted twice, or not at all.
    let net = presets::load("now-ca").unwrap();
    let mapper = net.find_host("c-util").unwrap();
    let time = |ns| {
        let parameters = parameters(&net, Duration::from_ns(ns));
        let outcome = map_with(&Setup::new(&net, &parameters), mapper, &Brief::default(), |_| true);
        outcome.result.unwrap().time.as_ms_f64()
    };
    let times: Vec<f64> = [150, 250, 350, 450, 550].map(time).to_vec();
    assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
    let growth = times[4] / times[0] - 1.0;
    assert!((0.001..0.02).contains(&growth), "{times:?}");
}

#[test]
fn random_networks_are_mapped_on_the_fabric_too() {
    // Wrong if the fabric's timing, its finite buffers or the kernel's queues broke what holds on a plain
    // graph.
    for seed in 0..cases(4_000) {
        let (net, mapper) = random_network(seed);
        let parameters = parameters(&net, Duration::from_ns(150));
        let outcome = map_with(&Setup::new(&net, &parameters), mapper, &Brief::default(), |_| true);
        let map = outcome.result.unwrap();
        let verdict = isomorphism::compare(&map.network, &net, mapper);
        assert!(verdict.isomorphic, "seed {seed}: {:?}, {:?}", verdict.difference, map.doubts);
    }
}

/// Cables of 1 to 200 m, and of a quarter of the rate and up, in every third network; buffers to match.
fn uneven(net: &Network, seed: u64) -> Parameters {
    let mut parameters = parameters(net, Duration::from_ns(150 + seed % 5 * 100));
    if seed.is_multiple_of(3) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        parameters.switch.buffer = 56 + 2 * 208 + 8;
        for link in &mut parameters.links {
            *link = LinkTiming { period: random.random_range(1..=4), delay: random.random_range(1..=208) };
        }
    }
    parameters
}

#[test]
fn maps_on_the_fabric_keep_what_theory_promises() {
    // Wrong if the fabric broke what holds on a plain graph, or if a quiet network gave cause for doubt, though
    // its cables be of different lengths and rates.
    for seed in 0..long_cases(20_000) {
        let (net, mapper) = network(seed);
        let parameters = uneven(&net, seed);
        let depth = Some(Depth::QPlusD.turns(&net, mapper));
        let algorithm = Algorithm::Berkeley(Options { depth, ..Options::default() });
        let brief = Brief { explorations: 100_000, ..Brief::for_switches_of(&net) };
        let (algorithm, brief) = (&algorithm, &brief);
        let program = |mut host: Station| async move { algorithm.map(&mut host, brief).await };
        let outcome = hosts::run(&Setup::new(&net, &parameters), mapper, program, |_| true).unwrap();
        let map = outcome.result.unwrap();
        assert!(map.doubts.is_empty(), "seed {seed}: {:?}, {:?}", map.doubts, map.evidence);
        let promise = promised(&net, mapper, Model::CutThrough, algorithm);
        assert_eq!(broken(&map.network, &net, mapper, promise), None, "seed {seed}");
    }
}

#[test]
fn a_host_without_a_daemon_is_not_on_the_map() {
    // Wrong if a silent host were invented, or if it cost the rest of the map.
    let net = presets::load("now-c").unwrap();
    let (mapper, silent) = (net.find_host("c-util").unwrap(), net.find_host("c07").unwrap());
    let parameters = parameters(&net, Duration::from_ns(150));
    let outcome = map_with(&Setup::new(&net, &parameters), mapper, &Brief::default(), |host| host != silent);
    let map = outcome.result.unwrap();
    let (hosts, switches, links) =
        (map.network.hosts().len(), map.network.switches().len(), map.network.links().len());
    assert_eq!((hosts, switches, links), (35, 13, 63));
    assert!(map.network.find("c07").is_none());
    let verdict = isomorphism::compare(&map.network, &net, mapper);
    assert_eq!(verdict.difference.as_deref(), Some("the map lacks host `c07`"));
}

#[test]
fn bit_errors_cost_messages_and_retries_make_up_for_them() {
    // Wrong if a spoilt message were delivered, or if a lost one could not be requested again.
    let net = presets::load("now-c").unwrap();
    let mapper = net.find_host("c-util").unwrap();
    let parameters = parameters(&net, Duration::from_ns(150));
    let setup = Setup { bits_between_errors: Some(5_000), seed: 1, ..Setup::new(&net, &parameters) };
    let outcome = map_with(&setup, mapper, &Brief::default(), |_| true);
    assert!(outcome.fates.corrupted > 0);
    let plain = outcome.result.unwrap();
    assert!(
        !isomorphism::compare(&plain.network, &net, mapper).isomorphic,
        "an error cost a host or a cable"
    );
    let brief = Brief { retries: 8, ..Brief::default() };
    let outcome = map_with(&setup, mapper, &brief, |_| true);
    assert!(outcome.fates.corrupted > 0);
    let map = outcome.result.unwrap();
    assert_eq!(isomorphism::compare(&map.network, &net, mapper).isomorphic_to, Some("N"));
    assert!(map.probes.of(Kind::Host).sent > map.turns.host_hits + map.turns.switch_hits + map.turns.nothing);
}
