//! The Myricom mapper: the counts and times of Fig. 10 of mainwaring1997, its options, random networks, lost
//! answers.

use simnet_base::des::process::run_at_once;
use simnet_base::ids::HostId;
use simnet_base::units::Duration;
use simnet_media::host::mapper::myricom::{self, Filter, Loops, Options, Survey, TIMEOUT};
use simnet_media::host::mapper::{Algorithm, Brief, Doubt, Kind, Map};
use simnet_media::host::plain::{Collision, Plain};
use simnet_media::host::{Costs, Hardware};
use simnet_network::topology::{End, Network, isomorphism, presets};
use simnet_running::simulation::hosts::Setup;
use simnet_running::simulation::mapping::{self, Mapped, Task};

use support_media::mapping::parameters;
use support_media::theory::{Model, broken, check, promised};
use support_network::cases;
use support_network::mapping::network;

fn now(preset: &str) -> (Network, HostId) {
    let net = presets::load(preset).unwrap();
    let mapper = net.find_host("c-util").unwrap();
    (net, mapper)
}

fn map(net: &Network, mapper: HostId, options: &Options) -> Map {
    let mut host = Plain::new(net, mapper, Collision::Circuit);
    run_at_once(myricom::map(&mut host, &Brief::for_switches_of(net), options))
}

/// Probes sent, as the columns of Fig. 10: loop, host, switch, compare.
fn columns(map: &Map) -> [u64; 4] {
    [Kind::Loop, Kind::Host, Kind::Switch, Kind::Compare].map(|kind| map.probes.of(kind).sent)
}

/// On the fabric, with the firmware's costs and time-out.
pub(crate) fn map_on_the_fabric(net: &Network, mapper: HostId, algorithm: Algorithm) -> Mapped {
    let parameters = parameters(net, Duration::from_ns(150));
    let mut setup = Setup::new(net, &parameters);
    setup.costs = Costs::lanai();
    let brief = Brief { timeout: TIMEOUT, ..Brief::for_switches_of(net) };
    mapping::run(&Task { setup, mapper, algorithm, brief }, |_| None).unwrap()
}

struct Paper {
    preset: &'static str,
    /// Loop, host, switch, compare.
    probes: [u64; 4],
    total: u64,
    /// What the reading was found to send.
    ours: [u64; 4],
    time_ms: f64,
    /// Berkeley's average, Fig. 7.
    berkeley_ms: f64,
}

/// Mainwaring et al. 1997, Fig. 10. The columns of C+A+B add up to 8417.
const PAPER: [Paper; 3] = [
    Paper {
        preset: "now-c",
        probes: [134, 713, 152, 450],
        total: 1449,
        ours: [140, 701, 164, 433],
        time_ms: 1414.0,
        berkeley_ms: 256.0,
    },
    Paper {
        preset: "now-ca",
        probes: [283, 1484, 329, 1234],
        total: 3330,
        ours: [277, 1411, 328, 1311],
        time_ms: 2197.0,
        berkeley_ms: 522.0,
    },
    Paper {
        preset: "now-cab",
        probes: [424, 2293, 611, 5089],
        total: 8413,
        ours: [426, 2271, 512, 4153],
        time_ms: 4009.0,
        berkeley_ms: 1011.0,
    },
];

fn deviation(ours: f64, paper: f64) -> f64 {
    (ours / paper - 1.0).abs()
}

#[test]
fn probes_by_kind_are_those_of_fig_10() {
    // Wrong if a scan, a comparison or the frontier read the heuristics otherwise than the documented way.
    for Paper { preset, probes, total, ours, .. } in PAPER {
        let (net, mapper) = now(preset);
        let map = map(&net, mapper, &Options::default());
        assert_eq!(columns(&map), ours, "{preset}");
        let bound = if preset == "now-cab" { 0.15 } else { 0.05 };
        let sent = map.probes.total().sent;
        assert!(deviation(sent as f64, total as f64) < bound, "{preset}: {sent}");
        if preset != "now-cab" {
            for (ours, paper) in ours.iter().zip(probes) {
                assert!(deviation(*ours as f64, paper as f64) < 0.105, "{preset}: {ours} against {paper}");
            }
        }
        assert_eq!((map.probes.of(Kind::Loop).hits, map.doubts.len()), (0, 0), "{preset}");
        assert_eq!(isomorphism::compare(&map.network, &net, mapper).isomorphic_to, Some("N"), "{preset}");
    }
}

#[test]
fn on_the_fabric_it_takes_the_time_of_fig_10() {
    // Wrong if the fabric answered other questions than the plain graph, or if the firmware's costs, fitted to C
    // and C+A, did not carry over to C+A+B.
    for Paper { preset, ours, time_ms, berkeley_ms, .. } in PAPER {
        let (net, mapper) = now(preset);
        let Mapped { map, time, .. } =
            map_on_the_fabric(&net, mapper, Algorithm::Myricom(Options::default()));
        assert_eq!(columns(&map), ours, "{preset}");
        assert_eq!((map.doubts.len(), map.time), (0, time), "{preset}: {:?}", map.doubts);
        assert_eq!(isomorphism::compare(&map.network, &net, mapper).isomorphic_to, Some("N"), "{preset}");
        let ms = time.as_ms_f64();
        assert!(deviation(ms, time_ms) < 0.015, "{preset}: {ms} ms");
        // "3.9 to 5.5 times", with two digits.
        let times = (ms / berkeley_ms * 10.0).round() / 10.0;
        assert!((3.9..=5.5).contains(&times), "{preset}: {ms} ms");
    }
}

#[test]
fn heuristics_that_were_left_out_cost_what_refutes_them() {
    // Wrong if an option did nothing, or if it changed the map.
    let (net, mapper) = now("now-cab");
    let standard = Options::default();
    let [_, host, _, compare] = columns(&map(&net, mapper, &standard));
    let sent = |options: Options| {
        let map = map(&net, mapper, &options);
        assert_eq!(isomorphism::compare(&map.network, &net, mapper).isomorphic_to, Some("N"), "{options:?}");
        assert!(map.doubts.is_empty(), "{options:?}");
        columns(&map)
    };
    let compared = |options| sent(options)[3] as f64 / compare as f64;
    assert!(compared(Options { oldest_first: true, ..standard }) > 1.3);
    assert!(compared(Options { bound_comparisons: false, ..standard }) > 1.5);
    assert!(compared(Options { filter: Filter::All, ..standard }) > 2.0);
    assert!(compared(Options { skip_told: true, ..standard }) < 0.8);
    let scanned = |options| sent(options)[1] as f64 / host as f64;
    assert!(scanned(Options { rescan: false, ..standard }) < 0.85);
    assert!(scanned(Options { stop_at_first: true, ..standard }) < 0.85);
    assert!(scanned(Options { window: false, ..standard }) > 1.1);
    assert_eq!(sent(Options { loops: Loops::Nothing, ..standard })[0], 0);
    assert!(sent(Options { loops: Loops::Cables, ..standard })[0] > 1_000);
    // Both kinds of probes go to as many turns; a switch probe more for each of 86 switches that are compared.
    assert_eq!(sent(standard), [426, host, 512, compare]);
    let once = Options { switch_again: false, ..standard };
    assert_eq!(sent(once), [426, host, 426, compare]);
    // Turns that lead to no host are 14 a switch less one a host, whatever the numbering of ports.
    assert_eq!(sent(Options { survey: Survey::LoopsInWindow, ..once }), [426, host, 461, compare]);
    assert_eq!(sent(Options { survey: Survey::Hostless, ..once }), [461, host, 461, compare]);
}

#[test]
fn maps_of_random_networks_are_all_of_n() {
    // Wrong if two switches passed for one, one for two, or if a cable were lost or invented.
    let standard = Options::default();
    for seed in 0..cases(20_000) {
        let options = match seed % 8 {
            1 => Options { filter: Filter::All, oldest_first: true, ..standard },
            2 => Options { bound_comparisons: false, window: false, ..standard },
            3 => Options { rescan: false, stop_at_first: true, ..standard },
            4 => Options { stop_at_first: true, skip_told: true, ..standard },
            5 => Options { loops: Loops::Cables, ..standard },
            6 => Options { survey: Survey::Hostless, switch_again: false, ..standard },
            7 => Options { survey: Survey::LoopsInWindow, ..standard },
            _ => standard,
        };
        for collision in [Collision::Packet, Collision::Circuit] {
            check(seed, collision, Hardware::default(), &Algorithm::Myricom(options));
        }
    }
}

#[test]
fn random_networks_are_mapped_on_the_fabric_too() {
    // Wrong if finite buffers or the kernel's queues broke what holds on a plain graph.
    let algorithm = Algorithm::Myricom(Options { start_up: Duration::ZERO, ..Options::default() });
    for seed in 0..cases(1_000) {
        let (net, mapper) = network(seed);
        let Mapped { map, .. } = map_on_the_fabric(&net, mapper, algorithm.clone());
        assert!(map.doubts.is_empty(), "seed {seed}: {:?}", map.doubts);
        let promise = promised(&net, mapper, Model::CutThrough, &algorithm);
        let broken = broken(&map.network, &net, mapper, promise);
        assert!(broken.is_none(), "seed {seed}: {broken:?}");
    }
}

#[test]
fn a_cable_looped_back_is_found_with_and_without_probes_for_it() {
    // Wrong if a looped cable were laid twice, or if its loop probe turned the wrong way.
    let mut net = Network::new("looped");
    let [near, far] = ["x", "y"].map(|name| net.add_switch(name, 8).unwrap());
    let host = net.add_host("a").unwrap();
    for (a, b) in [
        (End::host(host, 0), End::switch(near, 3)),
        (End::switch(near, 5), End::switch(far, 1)),
        (End::switch(far, 6), End::switch(far, 2)),
        (End::switch(near, 0), End::switch(near, 7)),
    ] {
        net.connect(a, b).unwrap();
    }
    for (loops, hits, switch_hits) in [(Loops::Plugs, 0, 5), (Loops::Nothing, 0, 5), (Loops::Cables, 2, 1)] {
        // Without the switch probe that precedes a comparison, so that a hit is a cable found.
        let map = map(&net, host, &Options { loops, switch_again: false, ..Options::default() });
        assert_eq!(isomorphism::compare(&map.network, &net, host).isomorphic_to, Some("N"), "{loops:?}");
        assert_eq!((map.probes.of(Kind::Loop).hits, map.doubts.len()), (hits, 0), "{loops:?}");
        assert_eq!(map.probes.of(Kind::Switch).hits, switch_hits, "{loops:?}");
    }
}

#[test]
fn what_rests_on_one_answer_is_said() {
    // Wrong if a cable that later answers came through were called unconfirmed, or a host's were not.
    let (net, mapper) = now("now-c");
    let plain = map(&net, mapper, &Options::default());
    assert!(plain.unconfirmed_links.is_empty(), "two scans, and the far end of every cable");
    let once = map(&net, mapper, &Options { rescan: false, ..Options::default() });
    let is_to_a_host = |link: &simnet_base::ids::LinkId| {
        let link = once.network.link(*link);
        [link.a, link.b].iter().any(|end| matches!(end.node, simnet_base::ids::Node::Host(_)))
    };
    assert!(once.unconfirmed_links.iter().all(is_to_a_host));
    assert_eq!(plain.unconfirmed_ports.len(), 13 * 8 - 36 - 2 * 28);
    let brief = Brief { retries: 1, ..Brief::default() };
    let twice = run_at_once(myricom::map(
        &mut Plain::new(&net, mapper, Collision::Circuit),
        &brief,
        &Options::default(),
    ));
    assert!(twice.unconfirmed_ports.is_empty());
    assert_eq!(plain.history.len() as u64, plain.explorations);
    let last = plain.history.last().unwrap();
    assert_eq!((last.nodes, last.edges, last.frontier), (49, 64, 0));
    assert!((1_500..8_000).contains(&plain.peak_memory), "{}", plain.peak_memory);
}

#[test]
fn limits_are_owned_up_to() {
    let (net, mapper) = now("now-c");
    let limited = |brief: &Brief| {
        let mut host = Plain::new(&net, mapper, Collision::Packet);
        run_at_once(myricom::map(&mut host, brief, &Options::default()))
    };
    let few = limited(&Brief { explorations: 5, ..Brief::default() });
    assert_eq!((few.explorations, few.doubts), (5, [Doubt::Unfinished].into()));
    let small = limited(&Brief { memory: Some(1_000), ..Brief::default() });
    assert_eq!(small.doubts, [Doubt::OutOfMemory].into());
    for map in [&few.network, &small.network] {
        assert!((2..13).contains(&map.switches().len()));
    }
}

#[test]
fn a_lost_message_never_passes_unnoticed_where_a_second_one_tells() {
    // Wrong if the second scan, the far end of a cable, or a port with two switches behind it went unheeded.
    // What no second question asks about may be lost in silence: retries are there for it.
    let (net, mapper) = now("now-c");
    let lossy = |retries: u32, lost: u64| {
        let mut host = Plain::new(&net, mapper, Collision::Packet).with_lost([lost]);
        let brief = Brief { retries, ..Brief::default() };
        let map = run_at_once(myricom::map(&mut host, &brief, &Options::default()));
        (isomorphism::compare(&map.network, &net, mapper).isomorphic, map.doubts.is_empty())
    };
    let step = if cases(20) > 1 { 1 } else { 5 };
    let mut wrong_and_sure = 0;
    for lost in (0..1_600).step_by(step) {
        let (isomorphic, sure) = lossy(0, lost);
        wrong_and_sure += u64::from(!isomorphic && sure);
        assert!(lossy(1, lost).0, "message {lost} lost, and asked again");
    }
    // The switch probe that first shows a switch, where no other way leads there and back.
    assert!(wrong_and_sure <= 30 / step as u64, "{wrong_and_sure}");
}
