//! Mappers on a fabric with credits: what they send has the lane of management, which data neither delays for long nor
//! stops.

use std::ops::ControlFlow;

use serde_json::{Value, json};
use simnet_base::ids::{HostId, SwitchId, Turn};
use simnet_base::units::Duration;
use simnet_media::fabric::{Cause, CreditParameters, FlowControl, MOST_MANAGEMENT, Parameters};
use simnet_media::host::distribution::{self, distribute};
use simnet_media::host::mapper::{
    Algorithm, Brief, Map, berkeley, coupon, guarded, identified, myricom, randomised,
};
use simnet_media::host::passive::{self, Memory};
use simnet_media::host::{Costs, Hardware, Host as _, Station};
use simnet_media::traffic::{Arrivals, Members, Pattern, Sizes, Workload};
use simnet_network::routing::{Attachments, Choices, Plan, Routes};
use simnet_network::topology::{End, Network, isomorphism, presets};
use simnet_running::simulation;
use simnet_running::simulation::hosts::{self, Load, Outcome, Setup};
use simnet_scenario::{self as scenario, Overrides};

use support_media::mapping;
use support_media::theory::{Model, broken, promised};
use support_network::long_cases;
use support_network::mapping::random_network;

/// Packets of 2 KiB, room for one of them on the only lane, and so much for management.
fn parameters(net: &Network, room: u32) -> Parameters {
    let credits = CreditParameters { management: Some(room), ..CreditParameters::new(1, 2_048, 1) };
    let flow = FlowControl::Credits(Box::new(credits));
    Parameters { flow, ..mapping::parameters(net, Duration::from_ns(150)) }
}

/// Data of 4 KiB messages to hosts drawn at random.
fn data(hosts: usize) -> Workload {
    let pattern = Pattern::uniform(Members::all(hosts));
    Workload { pattern, arrivals: Arrivals::Poisson, sizes: Sizes::Fixed(4_096) }
}

fn map_with(setup: &Setup<'_>, mapper: HostId, algorithm: &Algorithm, after: Duration) -> Outcome<Map> {
    let brief = &Brief { explorations: 1_000, ..Brief::for_switches_of(setup.network) };
    let program = |mut host: Station| async move {
        host.sleep(after).await;
        algorithm.map(&mut host, brief).await
    };
    hosts::run(setup, mapper, program, |_| true).unwrap()
}

/// Wrong if a map of a quiet network is not the network, if data that fills the fabric makes it another, or if any
/// message of a mapper is dropped that has four datagrams of room.
#[test]
fn maps_are_the_network_quiet_and_under_heavy_data() {
    let (mut loaded, mut delivered) = (0, 0);
    for seed in 0..long_cases(600) {
        let (net, mapper) = random_network(seed);
        let parameters = parameters(&net, 4 * MOST_MANAGEMENT);
        let workload = data(net.hosts().len());
        let table = Plan::new(&net, &Attachments::lowest(&net), &Choices::default()).unwrap().table;
        let has_load = net.host_ids().filter(|host| net.attachment(*host).is_some()).count() > 2;
        for load in [None, has_load.then(|| Load::new(&workload, 0.9, &table))] {
            let setup = Setup { load, seed, ..Setup::new(&net, &parameters) };
            let outcome =
                map_with(&setup, mapper, &Algorithm::Berkeley(berkeley::Options::DEFAULT), Duration::ZERO);
            let map = outcome.result.unwrap();
            let verdict = isomorphism::compare(&map.network, &net, mapper);
            assert!(verdict.isomorphic, "seed {seed}, load {}: {:?}", load.is_some(), verdict.difference);
            assert_eq!(outcome.fates.destroyed(Cause::Vl15Dropped), 0, "seed {seed}");
            loaded += u64::from(load.is_some());
            delivered += outcome.traffic.fates.delivered;
        }
    }
    assert!(loaded > 0 && delivered > 100 * loaded, "{delivered} messages of data in {loaded} runs");
}

/// Wrong if an algorithm missed on this lane what it finds where messages are stored and forwarded.
#[test]
fn other_mappers_find_what_packets_let_them_find() {
    let identified = identified::Options { one_message: true };
    let algorithms = [
        Algorithm::Berkeley(berkeley::Options { prune: false, ..berkeley::Options::DEFAULT }),
        Algorithm::Myricom(myricom::Options::DEFAULT),
        Algorithm::Randomised(randomised::Options::DEFAULT),
        Algorithm::Coupon(coupon::Options::DEFAULT),
        Algorithm::Identified(identified),
        Algorithm::Guarded(guarded::Options { guards: false, ..guarded::Options::default() }),
    ];
    for seed in 0..long_cases(400) {
        let (net, mapper) = random_network(seed);
        let parameters = parameters(&net, 4 * MOST_MANAGEMENT);
        for algorithm in &algorithms {
            let hardware = match algorithm {
                Algorithm::Coupon(_) => Hardware { reads_early: true, stamps: false },
                Algorithm::Identified(_) => Hardware { reads_early: true, stamps: true },
                _ => Hardware::default(),
            };
            let setup = Setup { seed, hardware, ..Setup::new(&net, &parameters) };
            let map = map_with(&setup, mapper, algorithm, Duration::ZERO).result.unwrap();
            let promise = promised(&net, mapper, Model::Packet, algorithm);
            let broken = broken(&map.network, &net, mapper, promise);
            assert_eq!(broken, None, "seed {seed}, {}: {:?}", algorithm.name(), map.doubts);
        }
    }
}

/// Scenarios refuse guards beside credits. Wrong if that were without reason: if a mapper whose guards follow its
/// scouts at once, as they may with worms, made no false map here.
#[test]
fn guards_prove_nothing_where_no_worm_reaches_across_switches() {
    let costs = Costs::NONE;
    let map = |net: &Network, mapper, parameters: &Parameters| {
        let algorithm = Algorithm::Guarded(guarded::Options::default());
        let setup = Setup { costs, ..Setup::new(net, parameters) };
        let map = map_with(&setup, mapper, &algorithm, Duration::ZERO).result.unwrap();
        isomorphism::compare(&map.network, net, mapper).isomorphic
    };
    let mut wrong = 0;
    for seed in 0..40 {
        let (net, mapper) = random_network(seed);
        let credits = parameters(&net, 4 * MOST_MANAGEMENT);
        let worms = mapping::parameters(&net, Duration::from_ns(150));
        assert!(map(&net, mapper, &worms), "seed {seed}: worms stay in their order");
        wrong += u64::from(!map(&net, mapper, &credits));
    }
    assert!(wrong > 0);
}

/// Every message goes round a ring of four switches the same way, from port 7 of one to port 6 of the next.
struct Clockwise;

impl Routes for Clockwise {
    fn route(&self, source: HostId, destination: HostId, turns: &mut Vec<Turn>) -> bool {
        let hops = (destination.index() + 4 - source.index()) % 4;
        turns.push(Turn(7));
        turns.extend(std::iter::repeat_n(Turn(1), hops - 1));
        turns.push(Turn(-6));
        true
    }
}

fn ring() -> Network {
    let mut network = Network::new("ring");
    for index in 0..4 {
        let switch = network.add_switch(format!("s{index}"), 8).unwrap();
        let host = network.add_host(format!("h{index}")).unwrap();
        network.connect(End::host(host, 0), End::switch(switch, 0)).unwrap();
    }
    for index in 0..4 {
        let next = SwitchId::new((index + 1) % 4);
        network.connect(End::switch(SwitchId::new(index), 7), End::switch(next, 6)).unwrap();
    }
    network
}

/// Wrong if what nothing resolves for data kept a mapper from anything: its map, or the routes that it hands out.
#[test]
fn a_mapper_maps_while_the_lanes_of_data_are_deadlocked_for_ever() {
    let (net, parameters) = (ring(), parameters(&ring(), 4 * MOST_MANAGEMENT));
    let workload = data(4);
    let load = Some(Load::new(&workload, 0.9, &Clockwise));
    let setup = Setup { load, ..Setup::new(&net, &parameters) };
    let algorithm = Algorithm::Berkeley(berkeley::Options::DEFAULT);
    let start = Duration::from_ms(2);
    let outcome = map_with(&setup, HostId(0), &algorithm, start);
    let [deadlock] = &outcome.deadlocks[..] else { panic!("{:?}", outcome.deadlocks) };
    assert_eq!(deadlock.cleared, None);
    let formed = deadlock.formed.to_time(parameters.base_cycle);
    assert!(formed < simnet_base::units::Time::ZERO + start, "before the mapper begins");
    let map = outcome.result.unwrap();
    assert_eq!(isomorphism::compare(&map.network, &net, HostId(0)).isomorphic_to, Some("N"));
    assert!(map.doubts.is_empty(), "{:?}", map.doubts);
    // Data that stands still delays no probe: the map takes what it takes on a quiet network.
    let quiet = map_with(&Setup { load: None, ..setup }, HostId(0), &algorithm, start);
    assert_eq!(quiet.result.unwrap().time, map.time);
}

/// Tables of routes are longer than a datagram. Wrong if one in several pieces did not arrive, or arrived in part.
#[test]
fn tables_are_handed_out_in_pieces() {
    let net = presets::load("now-c").unwrap();
    let routes = mapping::routes(&net);
    let parameters = parameters(&net, 4 * MOST_MANAGEMENT);
    let master = net.find_host("c-util").unwrap();
    let wanted = &routes;
    let program = |mut host: Station| async move {
        distribute(&mut host, wanted, &distribution::Options::default()).await
    };
    let outcome = hosts::run(&Setup::new(&net, &parameters), master, program, |_| true).unwrap();
    let report = outcome.result.unwrap();
    assert_eq!((report.retries, report.missing.as_slice()), (0, &[][..]));
    assert_eq!(outcome.fates.lost(), 0);
    assert!(report.bytes / report.sent > u64::from(MOST_MANAGEMENT), "in several pieces");
    for host in net.host_ids().filter(|host| *host != master) {
        let installed = outcome.memories[host.index()].routes.as_ref();
        assert_eq!(installed, routes.get(&net.hosts()[host.index()].name), "all of its table");
    }
}

/// Everybody maps at once from a switch with room for one datagram at each port. Wrong if nothing were dropped, or
/// if what is dropped were not counted.
#[test]
fn what_has_no_room_is_dropped_and_counted() {
    let net = presets::load("now-c").unwrap();
    let parameters = parameters(&net, MOST_MANAGEMENT);
    let brief = &Brief { length: MOST_MANAGEMENT, explorations: 30, ..Brief::default() };
    let costs = Costs::NONE;
    let setup = Setup { costs, ..Setup::new(&net, &parameters) };
    let program = |_: HostId, mut host: Station| async move {
        let options = berkeley::Options::DEFAULT;
        let _map = berkeley::map(&mut host, brief, &options).await;
        passive::serve(&mut host, &mut Memory::default(), Duration::ZERO).await;
        ControlFlow::<()>::Continue(())
    };
    let until = Some(simnet_base::units::Time::ZERO + Duration::from_ms(5));
    let outcome = hosts::run_all(&Setup { until, ..setup }, |_| true, program).unwrap();
    assert!(outcome.fates.destroyed(Cause::Vl15Dropped) > 0, "{:?}", outcome.fates);
    let lost = outcome.fates.lost() - outcome.fates.undeliverable();
    assert_eq!(outcome.fates.destroyed(Cause::Vl15Dropped), lost, "for no other reason");
}

/// The summary of a scenario, as its file has it.
fn summary(text: &str) -> Value {
    let checked = scenario::read("test.toml", text.as_bytes(), &Overrides::default());
    let checked = checked.unwrap_or_else(|refusal| panic!("{refusal}"));
    serde_json::to_value(simulation::run(&checked, &(), None).unwrap().summary).unwrap()
}

/// Two runs of a network in operation: a cable and a switch fail and return while applications send, and a daemon maps
/// again. Wrong if that went otherwise on credits than where mapping waits for nothing, or if two runs differed.
#[test]
fn a_network_in_operation_is_mapped_again_beside_its_data() {
    let text = r#"
        scenario = { name = "operation", seed = 3 }
        topology = { preset = "now-c" }
        fabric = { flow = "credits", lanes = 2, mtu = "512 B", buffer = "1 KiB" }
        mapping = { mapper = "c-util" }
        routing = { algorithm = "updown" }
        traffic.uniform = { payload = "512 B", loads = [0.02] }
        operation = { length = "3 s", remap-period = "never" }
        [[failures]]
        link = "C1.0:5"
        at = "100 ms"
        lasting = "1 s"
        [[failures]]
        switch = "C1.3"
        at = "2 s"
        lasting = "500 ms"
    "#;
    let first = summary(text);
    let maps = &first["operation"]["maps"];
    assert!(maps["adopted"].as_u64().unwrap() >= 3, "{maps}");
    assert_eq!(maps["correct"], maps["adopted"], "{maps}");
    assert_eq!(first["deadlock_count"], 0);
    assert_eq!(first, summary(text));
}

/// Wrong if a scenario's `management-buffer` were not the room that its mapper has.
#[test]
fn a_scenario_s_room_for_management_is_what_its_mapper_has() {
    let text = |more: &str| {
        format!(
            "scenario = {{ name = 'x' }}\ntopology = {{ preset = 'now-c' }}\n\
             fabric = {{ flow = 'credits'{more} }}\nmapping = {{ mapper = 'c-util' }}\n"
        )
    };
    let room = |more: &str| {
        let text = text(more);
        let checked = scenario::read("test.toml", text.as_bytes(), &Overrides::default()).unwrap();
        let flow = |parameters: Parameters| match parameters.flow {
            FlowControl::Credits(credits) => credits.management,
            FlowControl::StopGo => panic!("the scenario has credits"),
        };
        (flow(checked.fabric_parameters()), flow(checked.process_parameters()))
    };
    assert_eq!(room(""), (None, Some(1_024)));
    assert_eq!(room(", management-buffer = '300 B'"), (None, Some(300)));
    let map = &summary(&text(""))["map"];
    assert_eq!((&map["isomorphic_to"], &map["doubts"]), (&json!("N"), &json!([])));
}
