//! The Berkeley mapper while applications use the network: a map that is wrong says so.

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use simnet_base::ids::HostId;
use simnet_base::units::Duration;
use simnet_media::host::Station;
use simnet_media::host::mapper::berkeley::Options;
use simnet_media::host::mapper::{Algorithm, Brief, Map};
use simnet_media::traffic::{Arrivals, Members, Pattern, Sizes, Workload};
use simnet_network::routing::{Attachments, Choices, Plan};
use simnet_network::topology::{Network, isomorphism, presets};
use simnet_running::simulation::hosts::{self, Load, Setup};

use support_media::mapping::parameters;
use support_network::long_cases;
use support_network::mapping::random_network;

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

/// Of one map: whether there is one, whether it is true, whether it is sure; panics where it is sure and wrong.
fn judged(net: &Network, mapper: HostId, options: Options, seed: u64) -> [u64; 3] {
    let map = mapped(net, mapper, options, seed);
    let verdict = isomorphism::compare(&map.network, net, mapper);
    let sure = map.doubts.is_empty();
    let case = format!("{}, seed {seed}, load and bytes {:?}", net.name, traffic(seed));
    assert!(verdict.isomorphic || !sure, "{case}: {:?}, {:?}", verdict.difference, map.evidence);
    [1, u64::from(verdict.isomorphic), u64::from(sure)]
}

fn judged_at_random(options: Options, seed: u64) -> [u64; 3] {
    let (net, mapper) = random_network(seed);
    let cabled = net.host_ids().filter(|host| net.attachment(*host).is_some()).count();
    if cabled > 2 { judged(&net, mapper, options, seed) } else { [0; 3] }
}

#[test]
fn under_load_a_map_that_is_wrong_is_not_sure() {
    // Wrong if what traffic did to probes went unnoticed; it must not make every true map doubtful either.
    let net = presets::load("now-c").unwrap();
    let mapper = net.find_host("c-util").unwrap();
    for options in [Options::default(), Options::default().careful()] {
        let presets = (0..long_cases(20)).into_par_iter().map(|seed| judged(&net, mapper, options, seed));
        let random = (0..long_cases(600)).into_par_iter().map(|seed| judged_at_random(options, seed));
        let counts = presets.chain(random);
        let [all, right, sure] = counts.reduce(|| [0; 3], |a, b| std::array::from_fn(|nth| a[nth] + b[nth]));
        assert!(sure > all / 4 && right > all / 4, "{all} maps, {right} true, {sure} sure");
    }
}
