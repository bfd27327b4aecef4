//! The mappers of mainwaring1997's section 6 that ask for other hardware: coupon-collecting, identified switches.

use simnet_base::des::process::run_at_once;
use simnet_base::ids::HostId;
use simnet_media::host::Hardware;
use simnet_media::host::mapper::{Algorithm, Brief, Doubt, Kind, Map, coupon, identified, myricom};
use simnet_media::host::plain::{Collision, Plain};
use simnet_network::topology::{Network, isomorphism, presets};

use support_media::theory::check;
use support_network::cases;
use support_network::mapping::degenerate_networks;

const READS_EARLY: Hardware = Hardware { reads_early: true, stamps: false };
const STAMPS: Hardware = Hardware { reads_early: false, stamps: true };
const BOTH: Hardware = Hardware { reads_early: true, stamps: true };

fn map(net: &Network, mapper: HostId, hardware: Hardware, algorithm: &Algorithm) -> Map {
    let mut host = Plain::new(net, mapper, Collision::Packet).with_hardware(hardware);
    run_at_once(algorithm.map(&mut host, &Brief::for_switches_of(net)))
}

/// The right map of a preset.
fn map_of(preset: &str, hardware: Hardware, algorithm: &Algorithm) -> Map {
    let net = presets::load(preset).unwrap();
    let mapper = net.find_host("c-util").unwrap();
    let map = map(&net, mapper, hardware, algorithm);
    let verdict = isomorphism::compare(&map.network, &net, mapper);
    assert_eq!(verdict.isomorphic_to, Some("N"), "{preset}: {:?}", verdict.difference);
    assert!(map.doubts.is_empty(), "{preset}: {:?}", map.doubts);
    map
}

/// Messages for it.
fn sent(preset: &str, hardware: Hardware, algorithm: &Algorithm) -> u64 {
    map_of(preset, hardware, algorithm).probes.total().sent
}

fn coupons(seed: u64) -> Algorithm {
    Algorithm::Coupon(coupon::Options { seed, ..coupon::Options::default() })
}

const IDENTIFIED: Algorithm = Algorithm::Identified(identified::Options { one_message: false });
const BY_ONE: Algorithm = Algorithm::Identified(identified::Options { one_message: true });

#[test]
fn what_coupons_tell_is_not_asked_again() {
    // Wrong if coupons were of no use, or if hosts that drop what comes too soon broke the map.
    let nothing = Hardware::default();
    for preset in ["now-c", "now-ca", "now-cab"] {
        let without = map_of(preset, nothing, &coupons(0));
        let myricom = sent(preset, nothing, &Algorithm::Myricom(myricom::Options::default()));
        assert!(without.probes.total().sent * 2 < myricom, "{preset}");
        for seed in 0..4 {
            let options = coupon::Options { seed, patience: 100, ..coupon::Options::default() };
            let with = map_of(preset, READS_EARLY, &Algorithm::Coupon(options));
            for kind in [Kind::Switch, Kind::Compare] {
                let counts = (with.probes.of(kind).sent, without.probes.of(kind).sent);
                assert!(counts.0 < counts.1, "{preset}, seed {seed}, {kind:?}: {counts:?}");
            }
            assert_eq!(with, map_of(preset, READS_EARLY, &Algorithm::Coupon(options)), "the same every time");
        }
    }
}

#[test]
fn coupons_map_random_networks_whole() {
    // Wrong if a clue gave the wrong switch or port, or if one were dropped on its way.
    for seed in 0..cases(20_000) {
        let hardware = if seed % 3 == 0 { Hardware::default() } else { READS_EARLY };
        let collision = if seed % 2 == 0 { Collision::Packet } else { Collision::Circuit };
        check(seed, collision, hardware, &coupons(seed));
    }
}

#[test]
fn identified_switches_are_mapped_whole_by_a_question_a_port() {
    // Wrong if a stamp were read at the wrong place of the way, or a cable asked from both ends.
    for seed in 0..cases(20_000) {
        check(seed, Collision::Packet, STAMPS, &IDENTIFIED);
        check(seed, Collision::Circuit, BOTH, &BY_ONE);
    }
    for (preset, switch_cables, hosts, switches) in
        [("now-c", 28, 35, 13), ("now-ca", 58, 69, 26), ("now-cab", 93, 99, 40)]
    {
        let empty = switches * 8 - (hosts + 1) - 2 * switch_cables;
        let ports = hosts + switch_cables + empty;
        assert_eq!(sent(preset, BOTH, &BY_ONE), 1 + ports, "{preset}: one message a cable and an empty port");
        assert_eq!(sent(preset, STAMPS, &IDENTIFIED), 1 + ports + switch_cables + empty, "{preset}");
    }
}

#[test]
fn switches_without_stamps_are_owned_up_to() {
    // Wrong if the mapper went on for ever, or were sure of a map that shows next to nothing.
    let net = presets::load("now-c").unwrap();
    let mapper = net.find_host("c-util").unwrap();
    for hardware in [Hardware::default(), READS_EARLY] {
        for algorithm in [IDENTIFIED, BY_ONE] {
            let map = map(&net, mapper, hardware, &algorithm);
            assert_eq!(map.doubts, [Doubt::Unstamped].into());
            assert_eq!((map.network.switches().len(), map.network.hosts().len()), (1, 1));
            assert!(map.probes.total().sent < 10);
        }
    }
}

#[test]
fn degenerate_networks_are_mapped_by_all() {
    // Wrong if a mapper took for granted a switch, a cable, or a second host.
    for net in degenerate_networks() {
        for algorithm in [Algorithm::Myricom(myricom::Options::default()), coupons(1), IDENTIFIED, BY_ONE] {
            let map = map(&net, HostId(0), BOTH, &algorithm);
            assert_eq!(map.doubts.len(), 0, "{}, {}", net.name, algorithm.name());
            let verdict = isomorphism::compare(&map.network, &net, HostId(0));
            assert!(verdict.isomorphic, "{}, {}: {:?}", net.name, algorithm.name(), verdict.difference);
        }
    }
}

#[test]
fn losses_make_no_mapper_panic_or_loop() {
    // Wrong if an answer that contradicts what is known were taken for impossible.
    let (net, mapper) = (presets::load("now-c").unwrap(), HostId(7));
    for seed in 0..cases(400) {
        let lost = (0..4_000).filter(|nth| (nth * 2_654_435_761 + seed * 40_503) % 97 < 1 + seed % 40);
        for (hardware, algorithm) in [
            (Hardware::default(), Algorithm::Myricom(myricom::Options::default())),
            (READS_EARLY, coupons(seed)),
            (STAMPS, IDENTIFIED),
            (BOTH, BY_ONE),
        ] {
            let mut host =
                Plain::new(&net, mapper, Collision::Packet).with_hardware(hardware).with_lost(lost.clone());
            let map = run_at_once(algorithm.map(&mut host, &Brief::default()));
            assert!(map.probes.of(Kind::Host).sent > 0);
            assert!(map.network.hosts().len() <= 36, "{}", algorithm.name());
        }
    }
}
