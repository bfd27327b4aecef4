//! The Berkeley mapper while applications use the network: a map that is wrong says so.

use simnet::host::Station;
use simnet::host::mapper::berkeley::Options;
use simnet::host::mapper::{Algorithm, Brief, Map};
use simnet::ids::HostId;
use simnet::routing::{Attachments, Choices, Plan};
use simnet::simulation::hosts::{self, Load, Setup};
use simnet::topology::{Network, isomorphism, presets};
use simnet::traffic::{Arrivals, Members, Pattern, Sizes, Workload};
use simnet::units::Duration;

use crate::mapper_fabric::parameters;
use crate::mapper_random::random_network;
use crate::support::cases;

/// The traffic of a case: the load of each host in flits a flit time, and the length of its messages.
fn traffic(seed: u64) -> (f64, u32) {
    const LOADS: [f64; 5] = [0.002, 0.02, 0.1, 0.3, 0.9];
    const BYTES: [u32; 3] = [64, 4_096, 65_536];
    let nth = usize::try_from(seed % 15).expect("below 15");
    (LOADS[nth % 5], BYTES[nth / 5])
}

fn mapped(net: &Network, mapper: HostId, options: Options, seed: u64) -> Map {
    let parameters = parameters(net, Duration::from_ns(150));
    let (load, bytes) = traffic(seed);
    let pattern = Pattern::uniform(Members::all(net.hosts().len()));
    let workload = Workload { pattern, arrivals: Arrivals::Poisson, sizes: Sizes::Fixed(bytes) };
    let table = Plan::new(net, &Attachments::lowest(net), &Choices::default()).unwrap().table;
    let load = Some(Load::new(&workload, load, &table));
    let setup = Setup { load, seed, ..Setup::new(net, &parameters) };
    let brief = Brief { explorations: 100, ..Brief::for_switches_of(net) };
    let algorithm = Algorithm::Berkeley(options);
    let (algorithm, brief) = (&algorithm, &brief);
    let program = |mut host: Station| async move { algorithm.map(&mut host, brief).await };
    hosts::run(&setup, mapper, program, |_| true).unwrap().result.expect("a mapper ends")
}

/// Counts maps: all, true ones, sure ones; panics where one is sure and wrong.
fn judge(net: &Network, mapper: HostId, options: Options, seed: u64, counts: &mut [u64; 3]) {
    let map = mapped(net, mapper, options, seed);
    let verdict = isomorphism::compare(&map.network, net, mapper);
    let sure = map.doubts.is_empty();
    let case = format!("{}, seed {seed}, load and bytes {:?}", net.name, traffic(seed));
    assert!(verdict.isomorphic || !sure, "{case}: {:?}, {:?}", verdict.difference, map.evidence);
    counts[0] += 1;
    counts[1] += u64::from(verdict.isomorphic);
    counts[2] += u64::from(sure);
}

#[test]
fn under_load_a_wrong_map_owns_up() {
    // Wrong if what traffic did to probes went unnoticed; it must not make every true map doubtful either.
    for options in [Options::default(), Options::default().careful()] {
        let mut counts = [0; 3];
        for seed in 0..cases(600) {
            let (net, mapper) = random_network(seed);
            if net.host_ids().filter(|host| net.attachment(*host).is_some()).count() > 2 {
                judge(&net, mapper, options, seed, &mut counts);
            }
        }
        let net = presets::load("now-c").unwrap();
        let mapper = net.find_host("c-util").unwrap();
        for seed in 0..cases(20) {
            judge(&net, mapper, options, seed, &mut counts);
        }
        let [all, right, sure] = counts;
        assert!(sure > all / 4 && right > all / 4, "{all} maps, {right} true, {sure} sure");
    }
}
