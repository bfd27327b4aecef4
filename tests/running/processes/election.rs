//! Elections: every host maps, the highest address wins; times compared with Fig. 7 of mainwaring1997.

use simnet_base::ids::HostId;
use simnet_base::units::Duration;
use simnet_media::host::mapper::{Algorithm, Brief, berkeley, guarded, myricom};
use simnet_network::topology::{Network, isomorphism, presets};
use simnet_running::simulation::hosts::{self, Setup};
use simnet_running::simulation::mapping::{self, Elected, Election, Task, elect};

use support_media::mapping::parameters;
use support_network::cases;
use support_network::mapping::random_network;

fn berkeley() -> Algorithm {
    Algorithm::Berkeley(berkeley::Options::default())
}

fn elected(net: &Network, algorithm: Algorithm, seed: u64, jitter: u32) -> Elected {
    let parameters = parameters(net, Duration::from_ns(150));
    let setup = Setup { seed, jitter, ..Setup::new(net, &parameters) };
    let election = Election::new(setup, algorithm, Brief::for_switches_of(net));
    elect(&election, |_| true, |_| true, |_| None).unwrap()
}

/// The mapping time of a lone master on host `c-util`.
fn master(net: &Network, seed: u64, jitter: u32) -> f64 {
    let parameters = parameters(net, Duration::from_ns(150));
    let setup = Setup { seed, jitter, ..Setup::new(net, &parameters) };
    let mapper = net.find_host("c-util").unwrap();
    let task = Task { setup, mapper, algorithm: berkeley(), brief: Brief::default() };
    mapping::run(&task, |_| None).unwrap().time.as_ms_f64()
}

/// Mainwaring et al. 1997, Fig. 7: averages of one master and of an election, in ms.
const PAPER: [(&str, f64, f64); 3] =
    [("now-c", 256.0, 278.0), ("now-ca", 522.0, 577.0), ("now-cab", 1011.0, 1298.0)];

#[test]
fn an_election_takes_a_little_longer_than_one_master() {
    // Wrong if mappers did not give up, or if their contest cost the winner more than in the paper's slowest runs
    // (3.3 times the master's time).
    for (preset, ..) in PAPER {
        let net = presets::load(preset).unwrap();
        let runs = 4;
        let (mut lone, mut contested) = (0.0, 0.0);
        for seed in 0..runs {
            lone += master(&net, seed, 20) / runs as f64;
            let result = elected(&net, berkeley(), seed, 20);
            let winner = &result.winners[0];
            let verdict = isomorphism::compare(&winner.map.network, &net, winner.host);
            assert_eq!((result.winners.len(), verdict.isomorphic_to), (1, Some("N")), "{preset}, {seed}");
            assert_eq!(winner.address.0, net.hosts().len() as u64 - 1, "the highest");
            assert_eq!(result.deposed().len(), net.hosts().len() - 1);
            let time = winner.time.as_ms_f64();
            assert!(result.probes().total().sent > winner.map.probes.total().sent);
            contested += time / runs as f64;
        }
        let ratio = contested / lone;
        assert!((1.0..1.7).contains(&ratio), "{preset}: {ratio}");
    }
}

#[test]
fn the_highest_address_of_every_component_wins_with_a_true_map() {
    // Wrong if a mapper gave up to a lower address or to none, if two hosts that can reach each other both won,
    // or if a winner's map were spoilt by the others' probes without its saying so.
    for seed in 0..cases(600) {
        let (net, _) = random_network(seed);
        for algorithm in [
            berkeley(),
            Algorithm::Myricom(myricom::Options::default()),
            Algorithm::Guarded(guarded::Options::default()),
        ] {
            let name = algorithm.name();
            let result = elected(&net, algorithm, seed, 20);
            let cabled = net.host_ids().filter(|host| net.attachment(*host).is_some()).count();
            assert_eq!(result.winners.len() + result.deposed().len(), cabled, "seed {seed}, {name}");
            for winner in &result.winners {
                let core = isomorphism::core(&net, winner.host);
                let rivals = result.winners.iter().filter(|other| core.hosts[other.host.index()]);
                assert_eq!(rivals.count(), 1, "seed {seed}, {name}");
                let verdict = isomorphism::compare(&winner.map.network, &net, winner.host);
                let is_owned_up = !winner.map.doubts.is_empty();
                assert!(verdict.isomorphic || is_owned_up, "seed {seed}, {name}: {:?}", verdict.difference);
            }
        }
    }
}

#[test]
fn a_winner_hands_out_routes_and_only_hosts_with_mappers_stand() {
    // Wrong if a host without a mapper deposed one by its higher address, or if it got no routes.
    let net = presets::load("now-c").unwrap();
    let parameters = parameters(&net, Duration::from_ns(150));
    let election = Election::new(Setup::new(&net, &parameters), berkeley(), Brief::default());
    let addresses = hosts::addresses(&election.setup);
    let maps = |host: HostId| addresses[host.index()].0 < 10;
    let plan = |map: &Network| Some(support_media::mapping::routes(map));
    let result = elect(&election, maps, |_| true, plan).unwrap();
    let [winner] = &result.winners[..] else { panic!("{} winners", result.winners.len()) };
    assert_eq!((winner.address.0, result.deposed().len()), (9, 9));
    let report = winner.distribution.as_ref().unwrap();
    assert_eq!((report.acknowledged, report.missing.len()), (35, 0));
}
