//! The guarded scouting mapper, and its time-out version.

use simnet_base::des::process::run_at_once;
use simnet_base::ids::HostId;
use simnet_base::units::Duration;
use simnet_media::fabric::{LinkTiming, Parameters};
use simnet_media::host::Costs;
use simnet_media::host::mapper::guarded::{self, COSTS_2003, Candidates, First, Landing, Options, Recency};
use simnet_media::host::mapper::{Algorithm, Brief, Doubt, Kind, Map};
use simnet_media::host::plain::{Collision, Plain};
use simnet_media::traffic::{Arrivals, Members, Pattern, Sizes, Workload};
use simnet_network::routing::{Attachments, Choices, Plan};
use simnet_network::topology::{Network, isomorphism, presets};
use simnet_running::simulation::hosts::{Load, Setup};
use simnet_running::simulation::mapping::{self, Mapped, Task};
use simnet_running::simulation::presumptions::{Row, judge, table};

use support_media::mapping::parameters;
use support_media::theory::{Promise, broken};
use support_network::mapping::network;
use support_network::{cases, long_cases};

fn map_plainly(net: &Network, mapper: HostId, options: &Options) -> Map {
    let mut host = Plain::new(net, mapper, Collision::Packet);
    run_at_once(guarded::map(&mut host, &Brief::for_switches_of(net), options))
}

fn map_on_the_fabric(setup: Setup<'_>, mapper: HostId, options: &Options) -> Mapped {
    let brief = Brief::for_switches_of(setup.network);
    mapping::run(&Task { setup, mapper, algorithm: Algorithm::Guarded(*options), brief }, |_| None).unwrap()
}

/// Myrinet-2000: 4 ns a byte, switches of 150 ns, a second until a blocked port drops its worm.
fn myrinet_2000(net: &Network) -> Parameters {
    let mut parameters = parameters(net, Duration::from_ns(150));
    parameters.base_cycle = Duration::from_ns(4);
    parameters.switch.routing_latency = 38;
    parameters.switch.timeout = Some(250_000_000);
    parameters.links.fill(LinkTiming { period: 1, delay: 4 });
    parameters
}

#[test]
fn maps_of_random_networks_are_whole() {
    // Wrong if two switches were taken for one, one for two, or anything within reach were missed.
    let default = Options::default();
    let other = Options {
        first: First::Hosts,
        landing: Landing::Open,
        recency: Recency::OldestFirst,
        burst: 8,
        confirm_no: 1,
        ..default
    };
    let all = Options { candidates: Candidates::All, burst: 32, guards: false, ..default };
    for seed in 0..cases(20_000) {
        let (net, mapper) = network(seed);
        for options in [default, Options::timed(), other, all] {
            let map = map_plainly(&net, mapper, &options);
            assert!(map.doubts.is_empty(), "seed {seed}, {options:?}: {:?}", map.doubts);
            let wrong = broken(&map.network, &net, mapper, Promise::Reached);
            assert_eq!(wrong, None, "seed {seed}, {options:?}");
            // No scout comes back that was reported not to.
            assert_eq!((map.evidence.late, map.evidence.recovered), (0, 0), "seed {seed}, {options:?}");
        }
    }
}

#[test]
fn random_networks_are_mapped_on_the_fabric_too() {
    // Wrong if a guard overtook a scout, or if scouts on their way through wrong switches hindered each other
    // so that answers were lost.
    let (mut doubted, seeds) = (0, long_cases(4_000));
    for seed in 0..seeds {
        let (net, mapper) = network(seed);
        let parameters = parameters(&net, Duration::from_ns(150));
        let quick = Setup { costs: COSTS_2003, ..Setup::new(&net, &parameters) };
        let at_once = Setup { costs: Costs::NONE, ..quick };
        for (setup, options) in [
            (quick, Options::default()),
            (at_once, Options::default()),
            (at_once, Options { burst: 8, ..Options::default() }),
            (quick, Options::timed()),
        ] {
            let map = map_on_the_fabric(setup, mapper, &options).map;
            let wrong = broken(&map.network, &net, mapper, Promise::Reached);
            // Now and then a scout blocks itself until the port's time-out: its guard is late, and the map in doubt.
            let sure = map.doubts.is_empty();
            assert!(wrong.is_none() || !sure, "seed {seed}, {options:?}: {wrong:?}");
            doubted += u64::from(!sure);
        }
    }
    assert!(doubted <= 1 + seeds / 50, "{doubted} doubts in maps of {seeds} quiet networks");
}

#[test]
fn pink_takes_minutes_by_time_outs_and_seconds_with_guards() {
    // Wrong if the exploration asked otherwise than one that needs 7 minutes at a millisecond a no, or if a
    // guarded no were not some thirty times as fast.
    let net = presets::load("pink").unwrap();
    let parameters = myrinet_2000(&net);
    let setup = Setup { costs: COSTS_2003, ..Setup::new(&net, &parameters) };
    let [guarded, timed] =
        [Options::default(), Options::timed()].map(|options| map_on_the_fabric(setup, HostId(0), &options));
    for (mapped, ms) in [(&guarded, 14_000.0..16_000.0), (&timed, 380_000.0..440_000.0)] {
        let map = &mapped.map;
        assert_eq!(isomorphism::compare(&map.network, &net, HostId(0)).isomorphic_to, Some("N"));
        assert!(map.doubts.is_empty(), "{:?}", map.doubts);
        assert!(ms.contains(&map.time.as_ms_f64()), "{:?}", map.time);
    }
    assert!(timed.map.time > guarded.map.time * 20);
    for kind in [Kind::Host, Kind::Scout, Kind::Loop, Kind::Compare] {
        assert_eq!(guarded.map.probes.of(kind), timed.map.probes.of(kind), "guards ask nothing themselves");
    }
}

#[test]
fn long_scouts_of_comparisons_block_themselves() {
    // Wrong if a scout of 300 bytes never met its own tail in a wrong switch; then the short ones would need
    // no reason. A guard that is lost for it is asked again, until the no is certain.
    let net = presets::load("now-cab").unwrap();
    let mapper = net.find_host("c-util").unwrap();
    let parameters = parameters(&net, Duration::from_ns(150));
    let setup = Setup { costs: COSTS_2003, ..Setup::new(&net, &parameters) };
    let long = map_on_the_fabric(setup, mapper, &Options { comparison: 300, ..Options::default() }).map;
    let short = map_on_the_fabric(setup, mapper, &Options::default()).map;
    assert!(long.evidence.lost_guards > 0 && short.evidence.lost_guards == 0);
    assert_eq!(long.doubts.into_iter().collect::<Vec<_>>(), [Doubt::Deadlock]);
    assert_eq!(long.network, short.network);
    assert!(long.time > short.time + Duration::from_ms(50), "at least one waits for a port's time-out");
}

fn row<'a>(rows: &'a [Row], broken: &str, confirm_no: u32) -> &'a Row {
    rows.iter().find(|row| row.broken == broken && row.confirm_no == confirm_no).unwrap()
}

#[test]
fn each_presumption_is_needed() {
    // Wrong if guards proved anything without one of them, or if a false yes were possible at all.
    let net = presets::load("now-c").unwrap();
    let mapper = net.find_host("c-util").unwrap();
    let rows = table(&net, &parameters(&net, Duration::from_ns(150)), mapper, 8, 1).unwrap();
    let sound = row(&rows, "nothing", 0);
    assert_eq!((sound.right, sound.hosts.false_noes, sound.guarded.false_noes), (8, 0, 0));
    for broken in
        ["sends reordered 1 %", "receives reordered 1 %", "messages overtaken 1 %", "messages lost 1 %"]
    {
        let row = row(&rows, broken, 0);
        assert!(row.guarded.false_noes > 0, "{row:?}");
        // What a guard overtook comes after it, and is seen; what is lost is not.
        assert_eq!(row.seen_late > 0, broken != "messages lost 1 %", "{row:?}");
    }
    let lost = |confirm_no| row(&rows, "messages lost 1 %", confirm_no).guarded.false_noes;
    assert!(lost(2) < lost(0), "{} {}", lost(0), lost(2));
    let scout = |bytes: u32| {
        let broken = format!("scouts of {bytes} B, switches of 550 ns, guards right behind");
        row(&rows, &broken, 0).guarded.false_noes
    };
    assert!(scout(32) > 0 && scout(300) == 0);
    assert!(rows.iter().all(|row| row.guarded.false_yeses == 0 && row.hosts.false_yeses == 0));
}

#[test]
fn maps_made_under_load_are_right_or_doubted() {
    // Wrong if traffic cost a host or a switch and the mapper did not notice that there was any.
    let net = presets::load("now-ca").unwrap();
    let mapper = net.find_host("c-util").unwrap();
    let parameters = parameters(&net, Duration::from_ns(150));
    let routes = Plan::new(&net, &Attachments::lowest(&net), &Choices::default()).unwrap().table;
    let pattern = Pattern::uniform(Members::all(net.hosts().len()));
    let workload = Workload { pattern, arrivals: Arrivals::Poisson, sizes: Sizes::Fixed(512) };
    for (seed, load) in (0..long_cases(200).max(5)).zip([0.0005, 0.002, 0.01, 0.03, 0.06].into_iter().cycle())
    {
        let load = Some(Load::new(&workload, load, &routes));
        let setup = Setup { load, seed, costs: COSTS_2003, ..Setup::new(&net, &parameters) };
        let brief = Brief::for_switches_of(&net);
        let trial = judge(&setup, mapper, &brief, &Options::default()).unwrap();
        let unsure = !trial.map.doubts.is_empty();
        assert!(trial.verdict.isomorphic_to == Some("N") || unsure, "seed {seed}: {:?}", trial.verdict);
        assert_eq!(trial.guarded.false_yeses, 0, "seed {seed}");
    }
}
