//! Mapping under application traffic: no mapper hangs, panics or delivers a wrong map as certain.

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use simnet_base::units::{Duration, Time};
use simnet_media::host::Hardware;
use simnet_media::host::mapper::{Algorithm, Brief, berkeley, coupon, guarded, identified, myricom};
use simnet_media::traffic::{Arrivals, Members, Pattern, Sizes, Workload};
use simnet_network::routing::{Attachments, Choices, Plan};
use simnet_running::simulation::hosts::{Load, Restraint, Setup};
use simnet_running::simulation::mapping::{Task, Trial, under_load};

use support_media::mapping::parameters;
use support_network::mapping::random_network;
use support_network::{cases, long_cases};

fn algorithms() -> [Algorithm; 5] {
    [
        Algorithm::Berkeley(berkeley::Options::default()),
        Algorithm::Myricom(myricom::Options::default()),
        Algorithm::Coupon(coupon::Options::default()),
        Algorithm::Identified(identified::Options::default()),
        Algorithm::Guarded(guarded::Options::default()),
    ]
}

/// A mapping under a load that the seed draws; `None` where no host could send.
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
    // Of the first five one costs more than the others together: it waits for more than the least cases.
    let cases = (0..long_cases(400).max(5))
        .into_par_iter()
        .filter(|seed| *seed != 2 || cases(20) > 1)
        .flat_map_iter(|seed| algorithms().map(|algorithm| (seed, algorithm)));
    let judged = cases.map(|(seed, algorithm)| {
        let name = algorithm.name();
        let Some(trial) = trial(seed, algorithm) else { return [0; 2] };
        assert!(trial.mapped.is_some(), "seed {seed}, {name}: it hangs");
        let is_honest = trial.is_right || !trial.is_sure;
        assert!(is_honest, "seed {seed}, {name}: {:?}, {:?}", trial.difference, trial.activity);
        [u64::from(trial.is_right), u64::from(!trial.is_right)]
    });
    let [right, wrong] = judged.reduce(|| [0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
    assert!(right > wrong && wrong > 0, "{right} right, {wrong} wrong: the loads try nothing");
}
