//! The journal of a mapper's model: what the steps build is the map, whatever the algorithm and the network.

use simnet_base::des::process::run_at_once;
use simnet_base::ids::HostId;
use simnet_media::host::Hardware;
use simnet_media::host::mapper::model::{Change, Model, Sizes};
use simnet_media::host::mapper::{
    Algorithm, Brief, Depth, Doubt, Map, berkeley, coupon, guarded, identified, myricom, parallel,
    randomised, simplified,
};
use simnet_media::host::plain::{Collision, Plain};
use simnet_network::topology::isomorphism::difference;
use simnet_network::topology::{End, Network, presets};

use support_network::cases;
use support_network::mapping::network;
use support_network::mapping::random_network;

/// Every algorithm, with the options that change how its model grows; `depth` bounds the Berkeley search.
fn algorithms(depth: Option<usize>, seed: u64) -> Vec<Algorithm> {
    let search = berkeley::Options { depth, ..berkeley::Options::default() };
    let first = guarded::First::Hosts;
    vec![
        Algorithm::Berkeley(search),
        Algorithm::Berkeley(berkeley::Options { keep_merged: true, prune: false, ..search }),
        Algorithm::Berkeley(
            berkeley::Options { merging: berkeley::Merging::EachTurn, skip_known: true, ..search }.careful(),
        ),
        Algorithm::Randomised(randomised::Options { search, seed, ..randomised::Options::default() }),
        Algorithm::Myricom(myricom::Options::default()),
        Algorithm::Myricom(myricom::Options { loops: myricom::Loops::Cables, ..myricom::Options::default() }),
        Algorithm::Coupon(coupon::Options { seed, ..coupon::Options::default() }),
        Algorithm::Identified(identified::Options { one_message: seed.is_multiple_of(2) }),
        Algorithm::Parallel(parallel::Options::default()),
        Algorithm::Guarded(guarded::Options { burst: 4, ..guarded::Options::default() }),
        Algorithm::Guarded(guarded::Options { first, ..guarded::Options::timed() }),
    ]
}

/// Checks a journal against its map; gives the sizes of the model in the end.
fn check(map: &Map, case: &str) -> Sizes {
    let steps = map.journal.steps();
    let mut replay = Model::default();
    let mut before = None;
    for step in steps {
        let now = (step.time, step.probes);
        assert!(before.is_none_or(|(time, probes)| time <= now.0 && probes <= now.1), "{case}: {step:?}");
        before = Some(now);
        replay.play(&step.change).unwrap();
        let sizes = replay.sizes();
        assert!(sizes.hosts + sizes.switches + sizes.merged <= steps.len() as u64, "{case}");
    }
    let last = steps.last().unwrap();
    assert_eq!((&last.change, last.time), (&Change::Finished, map.time), "{case}");
    assert_eq!(last.probes, map.probes.total().sent, "{case}");
    let noted = |doubt| steps.iter().filter(|step| step.change == Change::Doubted(doubt)).count();
    assert!(map.doubts.iter().all(|doubt| noted(*doubt) == 1), "{case}: {:?}", map.doubts);
    let names = |network: &Network| {
        let mut names: Vec<String> = network.hosts().iter().map(|host| host.name.clone()).collect();
        names.sort();
        names
    };
    let made = replay.network("made again", 8);
    assert_eq!(names(&made), names(&map.network), "{case}");
    // What contradicts itself may be drawn in more than one way.
    if !map.doubts.contains(&Doubt::Contradiction) {
        assert_eq!(difference(&made, &map.network), None, "{case}");
        let sizes = replay.sizes();
        let drawn = (map.network.hosts().len() as u64, map.network.links().len() as u64);
        assert_eq!((sizes.hosts, sizes.cables), drawn, "{case}");
    }
    replay.sizes()
}

fn map(net: &Network, mapper: HostId, collision: Collision, algorithm: &Algorithm, brief: &Brief) -> Map {
    let hardware = match algorithm {
        Algorithm::Identified(_) => Hardware { stamps: true, reads_early: true },
        Algorithm::Coupon(options) => Hardware { stamps: false, reads_early: options.seed.is_multiple_of(3) },
        _ => Hardware::default(),
    };
    run_at_once(algorithm.map(&mut Plain::new(net, mapper, collision).with_hardware(hardware), brief))
}

#[test]
fn the_steps_of_every_algorithm_build_its_map_of_the_presets() {
    // Wrong if a step were lost, or if a merger shifted ports otherwise than the model did.
    for preset in ["now-c", "now-ca", "now-cab"] {
        let net = presets::load(preset).unwrap();
        let mapper = net.find_host("c-util").unwrap();
        for algorithm in algorithms(None, 1) {
            let map = map(&net, mapper, Collision::Packet, &algorithm, &Brief::default());
            let sizes = check(&map, &format!("{preset}, {algorithm:?}"));
            assert_eq!(sizes.switches, net.switches().len() as u64, "{preset}, {algorithm:?}");
        }
    }
}

#[test]
fn the_steps_of_every_algorithm_build_its_map_of_random_networks() {
    for seed in 0..cases(6_000) {
        let (net, mapper) = network(seed);
        let brief = Brief { explorations: 3_000, ..Brief::for_switches_of(&net) };
        let all = algorithms(Some(Depth::QPlusD.turns(&net, mapper)), seed);
        for collision in [Collision::Packet, Collision::Circuit] {
            let algorithm = &all[usize::try_from(seed).unwrap() % all.len()];
            let map = map(&net, mapper, collision, algorithm, &brief);
            check(&map, &format!("seed {seed}, {collision:?}, {algorithm:?}"));
        }
    }
}

#[test]
fn the_steps_of_the_algorithm_as_printed_build_its_map() {
    // Wrong if labels and mergers were not the same, or if pruning a replicate took a cable that others show.
    for seed in 0..cases(2_000) {
        let (net, mapper) = random_network(seed);
        if net.links().len() > 8 {
            continue;
        }
        let depth = Depth::QPlusDPlusOne.turns(&net, mapper).min(5);
        for prune in [true, false] {
            let algorithm = Algorithm::Simplified(simplified::Options { depth, prune });
            let brief = Brief { explorations: 400, ..Brief::for_switches_of(&net) };
            let map = map(&net, mapper, Collision::Packet, &algorithm, &brief);
            check(&map, &format!("seed {seed}, prune: {prune}"));
        }
    }
}

#[test]
fn lost_answers_and_false_starts_keep_the_journal_whole() {
    // Wrong if late answers, second looks or a first switch that is none were left out.
    let (net, mapper) = (presets::load("now-c").unwrap(), HostId(3));
    for nth in 0..40 {
        for algorithm in algorithms(None, nth) {
            let mut host =
                Plain::new(&net, mapper, Collision::Packet).with_lost([nth, 3 * nth + 1, 7 * nth + 5]);
            let brief = Brief { retries: u32::from(nth % 2 == 0), ..Brief::default() };
            if let Algorithm::Identified(_) = algorithm {
                host = host.with_hardware(Hardware { stamps: true, reads_early: true });
            }
            check(&run_at_once(algorithm.map(&mut host, &brief)), &format!("lost {nth}, {algorithm:?}"));
        }
    }
    let mut bare = Network::new("bare");
    let alone = bare.add_host("a").unwrap();
    let mut pair = bare.clone();
    let other = pair.add_host("b").unwrap();
    pair.connect(End::host(alone, 0), End::host(other, 0)).unwrap();
    for net in [&bare, &pair] {
        for algorithm in algorithms(None, 0) {
            let map = map(net, alone, Collision::Packet, &algorithm, &Brief::default());
            check(&map, &format!("{} hosts, {algorithm:?}", net.hosts().len()));
        }
    }
}

#[test]
fn sizes_are_those_of_fig_8() {
    // Wrong if the sizes that a journal gives were not those of the model after each exploration.
    let net = presets::load("now-cab").unwrap();
    let mapper = net.find_host("c-util").unwrap();
    let algorithm = Algorithm::Berkeley(berkeley::Options::default());
    let map = map(&net, mapper, Collision::Circuit, &algorithm, &Brief::default());
    let (mut replay, mut sizes, mut peak) = (Model::default(), Vec::new(), 0);
    for step in map.journal.steps() {
        let explored = matches!(step.change, Change::Explored { .. });
        if explored {
            sizes.push(replay.sizes());
        }
        replay.play(&step.change).unwrap();
    }
    // What the model was before an exploration, it was after the one before.
    for (sizes, growth) in sizes.iter().skip(1).zip(&map.history) {
        assert_eq!((sizes.hosts + sizes.switches, sizes.cables), (growth.nodes, growth.edges));
        peak = peak.max(growth.nodes);
    }
    assert_eq!((sizes.len(), peak), (178, 458), "tests/media/properties/mapper_doubt.rs has the same peak");
    let last = replay.sizes();
    assert_eq!((last.hosts + last.switches, last.cables), (140, 193), "the pruned model of Fig. 8");
}
