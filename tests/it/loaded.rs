//! Mapping under application traffic: no mapper hangs, panics or delivers a wrong map as certain.

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use simnet::host::Hardware;
use simnet::host::mapper::{Algorithm, Brief, berkeley, coupon, guarded, identified, myricom};
use simnet::routing::{Attachments, Choices, Plan};
use simnet::simulation::hosts::{Load, Restraint, Setup};
use simnet::simulation::mapping::{Task, Trial, under_load};
use simnet::traffic::{Arrivals, Members, Pattern, Sizes, Workload};
use simnet::units::{Duration, Time};

use crate::mapper_fabric::parameters;
use crate::mapper_random::random_network;
use crate::support::cases;

fn algorithms() -> [Algorithm; 5] {
    [
        Algorithm::Berkeley(berkeley::Options::default()),
        Algorithm::Myricom(myricom::Options::default()),
        Algorithm::Coupon(coupon::Options::default()),
        Algorithm::Identified(identified::Options::default()),
        Algorithm::Guarded(guarded::Options::default()),
    ]
}

/// A mapping under a load that the seed draws; `None` where nobody could send.
fn trial(seed: u64, algorithm: Algorithm) -> Option<Trial> {
    let (net, mapper) = random_network(seed);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    if net.host_ids().filter(|host| net.attachment(*host).is_some()).count() < 2 {
        return None;
    }
    let table = Plan::new(&net, &Attachments::lowest(&net), &Choices::default()).unwrap().table;
    let work = Workload {
        pattern: Pattern::uniform(Members::all(net.hosts().len())),
        arrivals: Arrivals::Poisson,
        sizes: Sizes::Fixed([128, 512, 2_048, 8_192][random.random_range(0..4)]),
    };
    let offered = [0.01, 0.05, 0.1, 0.2, 0.5, 1.0, 3.0][random.random_range(0..7)];
    let mut parameters = parameters(&net, Duration::from_ns(150));
    parameters.switch.timeout = [Some(80_000), Some(800_000), Some(8_000_000)][random.random_range(0..3)];
    let hardware = match algorithm {
        Algorithm::Coupon(_) => Hardware { reads_early: true, stamps: false },
        Algorithm::Identified(_) => Hardware { reads_early: false, stamps: true },
        _ => Hardware::default(),
    };
    let retries = random.random_range(0..3);
    let brief = Brief { explorations: 60, retries, ..Brief::for_switches_of(&net) };
    let setup = Setup { seed, hardware, ..Setup::new(&net, &parameters) };
    let task = Task { setup, mapper, algorithm, brief };
    let slower = [None, Some(4)][random.random_range(0..2)];
    let restraint = random.random_ratio(1, 4).then_some(Restraint { span: Duration::from_us(500), slower });
    let load = Load { restraint, ..Load::new(&work, offered, &table) };
    Some(under_load(&task, Some(load), |_| true, Time::ZERO + Duration::from_ms(20_000)).unwrap())
}

#[test]
fn no_mapper_delivers_a_wrong_map_as_certain_under_load() {
    // Wrong if a mapper hung, panicked, or took what traffic did to its probes for the network.
    let (mut right, mut wrong) = (0, 0);
    for seed in 0..cases(400) {
        for algorithm in algorithms() {
            let name = algorithm.name();
            let Some(trial) = trial(seed, algorithm) else { continue };
            assert!(trial.mapped.is_some(), "seed {seed}, {name}: it hangs");
            let is_honest = trial.is_right || !trial.is_sure;
            assert!(is_honest, "seed {seed}, {name}: {:?}, {:?}", trial.difference, trial.beside);
            *(if trial.is_right { &mut right } else { &mut wrong }) += 1;
        }
    }
    assert!(right > wrong && wrong > 0, "{right} right, {wrong} wrong: the loads try nothing");
}
