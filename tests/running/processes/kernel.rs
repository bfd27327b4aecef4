//! The kernel of processes beyond one mapper: several processes, hardware that can do more, faults, failures of
//! cables, applications on the same fabric.

use std::ops::ControlFlow;

use simnet_base::ids::{HostId, LinkId, SwitchId, Turn};
use simnet_base::units::{Duration, Time};
use simnet_media::host::passive::{self, Memory};
use simnet_media::host::plain::stamp;
use simnet_media::host::{Address, Body, Costs, Hardware, Host, Message, Received, Station};
use simnet_media::traffic::{Arrivals, Members, PARTS, Pattern, Sizes, Workload};
use simnet_network::routing::{Attachments, Choices, Plan, RouteTable};
use simnet_network::topology::{End, Host as Machine, Network, presets};
use simnet_running::simulation::hosts::{
    self, Addresses, End as Ending, Failure, Faults, Load, Residence, Restraint, Setup, chance,
};

use support_media::mapping::parameters;

/// Three hosts in a row of two switches: a and b at ports 1 and 4 of x, c at port 2 of y; x:6 leads to y:0.
fn row() -> Network {
    let mut net = Network::new("row");
    let x = net.add_switch("x", 8).unwrap();
    let y = net.add_switch("y", 8).unwrap();
    for (name, switch, port) in [("a", x, 1), ("b", x, 4), ("c", y, 2)] {
        let host = net.add_host(name).unwrap();
        net.connect(End::host(host, 0), End::switch(switch, port)).unwrap();
    }
    net.connect(End::switch(x, 6), End::switch(y, 0)).unwrap();
    net
}

fn probe(nonce: u64, turns: &[Turn]) -> Message {
    Message::new(Body::HostProbe { nonce, turns: turns.to_vec() })
}

fn nonces(received: &[Received]) -> Vec<u64> {
    received.iter().map(|received| received.message.body.nonce()).collect()
}

/// Everything that reaches the host until nothing has for a while.
async fn drain(host: &mut Station, span: Duration) -> Vec<Received> {
    let until = host.now() + span;
    let mut all = Vec::new();
    while let Some(received) = host.recv(Some(until)).await {
        all.push(received);
    }
    all
}

#[test]
fn every_host_may_run_a_process_of_its_own() {
    // Wrong if processes shared a mailbox, if one that ends ended the others, or if the first result were not
    // the one that counts.
    let net = row();
    let parameters = parameters(&net, Duration::from_ns(150));
    let setup = Setup { costs: Costs::NONE, ..Setup::new(&net, &parameters) };
    let program = |host: HostId, mut station: Station| async move {
        match host.0 {
            // a asks c, and c asks a: both answer while they wait.
            0 | 2 => {
                let route = if host.0 == 0 { [Turn(5), Turn(2)] } else { [Turn(-2), Turn(-5)] };
                station.send(&route, probe(u64::from(host.0), &route)).await;
                let mut names = Vec::new();
                while let Some(received) = station.recv(Some(Time::from_ps(1_000_000_000))).await {
                    if let Body::HostReply { name, .. } = &received.message.body {
                        names.push(name.clone());
                    }
                    if let Some((back, answer)) = Memory::default().take(station.name(), &received) {
                        station.send(&back, answer).await;
                    }
                }
                if host.0 == 2 {
                    station.sleep(Duration::from_us(1)).await;
                    return ControlFlow::Break((host, names));
                }
                ControlFlow::Continue(())
            }
            _ => ControlFlow::Continue(()),
        }
    };
    let outcome = hosts::run_all(&setup, |_| true, program).unwrap();
    assert_eq!(outcome.result, Some((HostId(2), vec!["a".to_owned()])));
    assert_eq!((outcome.end, outcome.messages), (Ending::Process(HostId(2)), 4));
    assert_eq!(outcome.time, Time::from_ps(1_001_000_000));
}

#[test]
fn a_run_ends_at_its_horizon_or_when_nothing_can_happen() {
    // Wrong if a process that wakes up for ever, or applications that never stop, kept a run going.
    let net = row();
    let parameters = parameters(&net, Duration::from_ns(150));
    let setup = Setup { until: Some(Time::from_ps(5_000_000)), ..Setup::new(&net, &parameters) };
    let clock = |_: HostId, mut station: Station| async move {
        loop {
            station.sleep(Duration::from_ns(7)).await;
        }
    };
    let outcome = hosts::run_all::<(), _>(&setup, |_| true, clock).unwrap();
    assert_eq!((outcome.end, outcome.time), (Ending::Horizon, Time::from_ps(5_000_000)));
    let (table, workload) = (routes(&net), workload(&net, 32));
    let load = Some(Load::new(&workload, 0.1, &table));
    let silent = |_: HostId, mut station: Station| async move {
        station.recv(None).await;
        ControlFlow::Continue(())
    };
    let endless = Setup { load, ..Setup::new(&net, &parameters) };
    let outcome = hosts::run_all::<(), _>(&endless, |_| true, silent).unwrap();
    assert_eq!(outcome.end, Ending::Nothing);
    let outcome = hosts::run_all::<(), _>(&Setup { load, ..setup }, |_| true, silent).unwrap();
    assert_eq!(outcome.end, Ending::Horizon);
    assert!(outcome.traffic.created > 0);
}

#[test]
fn addresses_are_shuffled_by_the_seed_alone() {
    // Wrong if two hosts had one address, or if messages bore another than their sender's.
    let net = presets::load("now-c").unwrap();
    let parameters = parameters(&net, Duration::from_ns(150));
    let setup = |seed| Setup { addresses: Addresses::Shuffled, seed, ..Setup::new(&net, &parameters) };
    let mut first = hosts::addresses(&setup(1));
    assert_eq!(first, hosts::addresses(&setup(1)));
    assert_ne!(first, hosts::addresses(&setup(2)));
    // Drawn by a number, they are what that seed draws, whatever the run's is.
    assert_eq!(first, hosts::addresses(&Setup { addresses: Addresses::Drawn(1), ..setup(2) }));
    first.sort();
    assert_eq!(first, (0..36).map(Address).collect::<Vec<_>>());
    let net = row();
    let parameters = support_media::mapping::parameters(&net, Duration::from_ns(150));
    let setup = Setup { addresses: Addresses::Shuffled, seed: 3, ..Setup::new(&net, &parameters) };
    let wanted = hosts::addresses(&setup);
    let program = |mut host: Station| async move {
        host.send(&[Turn(3)], probe(0, &[Turn(3)])).await;
        (host.address(), host.recv(None).await.unwrap().from)
    };
    let outcome = hosts::run(&setup, HostId(0), program, |_| true).unwrap();
    assert_eq!(outcome.result, Some((wanted[0], wanted[1])));
}

#[test]
fn switches_stamp_and_hosts_read_early_where_they_can() {
    // Wrong if a stamp named another port than that of entry, or an early message another host or depth.
    let net = row();
    let parameters = parameters(&net, Duration::from_ns(150));
    let program = |mut host: Station| async move {
        // Through x and y to c; and to b, two turns too many.
        host.send(&[Turn(5), Turn(2)], probe(0, &[Turn(5), Turn(2)])).await;
        let turns = [Turn(3), Turn(1), Turn(1)];
        host.send(&turns, probe(1, &turns)).await;
        host.send(&[Turn(5), Turn(0), Turn(-5)], Message::new(Body::LoopProbe { nonce: 2 })).await;
        drain(&mut host, Duration::from_ms(5)).await
    };
    let run = |hardware| {
        let setup = Setup { hardware, ..Setup::new(&net, &parameters) };
        hosts::run(&setup, HostId(0), program, |_| true).unwrap()
    };
    let outcome = run(Hardware::default());
    assert_eq!((nonces(&outcome.result.unwrap()), outcome.fates.undeliverable()), (vec![2, 0], 1));
    let outcome = run(Hardware { reads_early: true, stamps: true });
    let received = outcome.result.unwrap();
    assert_eq!((nonces(&received), outcome.fates.undeliverable()), (vec![2, 0, 1], 0));
    let (x, y) = (|port| stamp(End::switch(SwitchId(0), port)), |port| stamp(End::switch(SwitchId(1), port)));
    assert_eq!(received[0].stamps, [x(1), y(0), x(6)]);
    assert_eq!(received[1].stamps, [y(2), x(6)]);
    assert_eq!(received[2].message.body, Body::HostReply { nonce: 1, name: "b".into(), unused: 2 });
    assert_eq!(received[2].stamps, [x(4)]);
}

/// What a sees come back of ten probes of its own, sent back to back.
fn returning(faults: Faults, seed: u64) -> Vec<u64> {
    let net = row();
    let parameters = parameters(&net, Duration::from_ns(150));
    let setup = Setup { faults, seed, costs: Costs::NONE, ..Setup::new(&net, &parameters) };
    let program = |mut host: Station| async move {
        for nonce in 0..10 {
            let route = [Turn(5), Turn(0), Turn(-5)];
            host.send(&route, Message::new(Body::LoopProbe { nonce })).await;
        }
        drain(&mut host, Duration::from_ms(5)).await
    };
    nonces(&hosts::run(&setup, HostId(0), program, |_| true).unwrap().result.unwrap())
}

#[test]
fn faults_lose_and_reorder_what_they_say_and_nothing_else() {
    // Wrong if a message were lost where only the order is at stake, held for ever, or moved by more than one
    // place.
    let in_order: Vec<u64> = (0..10).collect();
    assert_eq!(returning(Faults::NONE, 0), in_order);
    assert_eq!(returning(Faults { loss: PARTS, ..Faults::NONE }, 0), [0; 0]);
    let (mut lost, mut moved) = (0, [0; 3]);
    for seed in 0..50 {
        lost += 10 - returning(Faults { loss: chance(0.2), ..Faults::NONE }, seed).len();
        let p = chance(0.2);
        let kinds = [
            Faults { reorder_sends: p, ..Faults::NONE },
            Faults { reorder_receives: p, ..Faults::NONE },
            Faults { overtaking: p, ..Faults::NONE },
        ];
        for (faults, moved) in kinds.into_iter().zip(&mut moved) {
            let seen = returning(faults, seed);
            let mut sorted = seen.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, in_order, "{faults:?}, seed {seed}");
            assert!(seen.iter().enumerate().all(|(nth, nonce)| nonce.abs_diff(nth as u64) <= 1), "{seen:?}");
            *moved += seen.iter().enumerate().filter(|(nth, nonce)| **nonce > *nth as u64).count();
        }
    }
    // 500 messages: of those not overtaking others themselves, a fifth is overtaken.
    assert!((60..140).contains(&lost), "{lost}");
    assert!(moved.iter().all(|moved| (50..120).contains(moved)), "{moved:?}");
}

#[test]
fn cables_fail_and_return_for_processes() {
    // Wrong if a failure hit another cable or instant. The second cable of host d, which no process uses, comes
    // first: all others have other numbers without it.
    let mut net = Network::new("row");
    let (x, y) = (net.add_switch("x", 8).unwrap(), net.add_switch("y", 8).unwrap());
    let a = net.add_host("a").unwrap();
    let two = Machine { ports: 2, name: "d".into(), ..net.hosts()[0].clone() };
    let d = net.push_host(two).unwrap();
    let cables = [(End::host(d, 1), End::switch(y, 5)), (End::host(a, 0), End::switch(x, 1))];
    for (one, other) in cables.into_iter().chain([(End::switch(x, 6), End::switch(y, 0))]) {
        net.connect(one, other).unwrap();
    }
    net.connect(End::host(d, 0), End::switch(y, 6)).unwrap();
    let between = net.link_at(End::switch(x, 6)).unwrap();
    let parameters = parameters(&net, Duration::from_ns(150));
    let at = |us| Time::ZERO + Duration::from_us(us);
    let failures = [
        Failure { link: between, at: at(10), until: Some(at(20)) },
        Failure { link: between, at: at(30), until: None },
        // A cable that no process uses.
        Failure { link: LinkId(0), at: at(0), until: None },
    ];
    let setup = Setup { failures: &failures, costs: Costs::NONE, ..Setup::new(&net, &parameters) };
    let program = |mut host: Station| async move {
        for nonce in 0..4 {
            host.send(&[Turn(5), Turn(0), Turn(-5)], Message::new(Body::LoopProbe { nonce })).await;
            host.sleep(Duration::from_us(11)).await;
        }
        drain(&mut host, Duration::from_ms(5)).await
    };
    let outcome = hosts::run(&setup, HostId(0), program, |_| true).unwrap();
    assert_eq!(nonces(&outcome.result.unwrap()), [0, 2]);
    assert_eq!(outcome.fates.undeliverable(), 2);
}

fn routes(net: &Network) -> RouteTable {
    Plan::new(net, &Attachments::lowest(net), &Choices::default()).unwrap().table
}

fn workload(net: &Network, flits: u32) -> Workload {
    let members = Members::all(net.hosts().len());
    Workload { pattern: Pattern::uniform(members), arrivals: Arrivals::Poisson, sizes: Sizes::Fixed(flits) }
}

/// A run of `ms` milliseconds in which c asks a who it is every 100 us.
fn with_applications(net: &Network, load: Load<'_>, ms: u64) -> (hosts::Traffic, u64) {
    let parameters = parameters(net, Duration::from_ns(150));
    let until = Some(Time::ZERO + Duration::from_ms(ms));
    let setup = Setup { load: Some(load), until, costs: Costs::NONE, ..Setup::new(net, &parameters) };
    let program = |host: HostId, mut station: Station| async move {
        if host.0 == 0 {
            passive::serve(&mut station, &mut Memory::default(), Duration::ZERO).await;
        }
        loop {
            let route = [Turn(-2), Turn(-5)];
            station.send(&route, probe(0, &route)).await;
            station.sleep(Duration::from_us(100)).await;
        }
    };
    let outcome = hosts::run_all::<(), _>(&setup, |host| host.0 != 1, program).unwrap();
    assert_eq!(outcome.end, Ending::Horizon);
    (outcome.traffic, outcome.messages)
}

#[test]
fn applications_offer_the_given_load_while_processes_run() {
    // Wrong if the two kinds of messages were mixed up, or if a load were not what it says.
    let net = row();
    let (table, work) = (routes(&net), workload(&net, 100));
    let interval = Some(Duration::from_ms(1));
    let (traffic, messages) =
        with_applications(&net, Load { interval, ..Load::new(&work, 0.05, &table) }, 10);
    // 3 hosts, 10 ms of 6.25 ns flits, 0.05 of them in messages of 100: 2,400; standard deviation 49.
    assert!(traffic.created.abs_diff(2_400) < 245, "{}", traffic.created);
    assert!(traffic.created - traffic.fates.delivered < 10 && traffic.fates.lost() == 0);
    assert_eq!(traffic.delivered_flits, traffic.fates.delivered * 100);
    assert_eq!(messages, 200);
    let sum = |field: fn(&hosts::Interval) -> u64| traffic.intervals.iter().map(field).sum::<u64>();
    assert_eq!((traffic.intervals.len(), sum(|i| i.delivered)), (10, traffic.fates.delivered));
    assert_eq!(sum(|i| i.flits), traffic.delivered_flits);
    // One or two switches of 24 cycles, 2 or 3 cables of 2, 100 flits: 128 to 154 cycles and little waiting.
    let mean = traffic.latency_cycles as f64 / traffic.fates.delivered as f64;
    assert!((128.0..180.0).contains(&mean), "{mean}");
}

#[test]
fn restrained_applications_make_way() {
    // Wrong if a restraint held for longer or shorter than it says, or for hosts that see no process.
    let net = row();
    let (table, work) = (routes(&net), workload(&net, 100));
    let sent = |restraint| {
        let load = Load { restraint, ..Load::new(&work, 0.05, &table) };
        with_applications(&net, load, 10).0.created as f64
    };
    let free = sent(None);
    let span = Duration::from_us(50);
    // a and c see a message twice every 100 us, within 1 us: they stand still half the time; b never does.
    let paused = sent(Some(Restraint { span, slower: None })) / free;
    assert!((0.62..0.71).contains(&paused), "{paused}");
    // A clock that goes at a third for half the time makes two thirds of the way.
    let slowed = sent(Some(Restraint { span, slower: Some(3) })) / free;
    assert!((0.72..0.84).contains(&slowed), "{slowed}");
    let ever = sent(Some(Restraint { span: Duration::from_ms(1), slower: None })) / free;
    assert!((0.32..0.36).contains(&ever), "{ever}");
}

#[test]
fn blocked_applications_do_not_pile_up_messages() {
    // Wrong if an offer beyond what a cable takes were queued without end, or if processes were shut out.
    let net = row();
    let (table, work) = (routes(&net), workload(&net, 100));
    let (traffic, messages) = with_applications(&net, Load { queue: 4, ..Load::new(&work, 3.0, &table) }, 10);
    assert!(traffic.created - traffic.fates.delivered - traffic.fates.lost() <= 3 * 7, "{traffic:?}");
    // Each of the cables takes 16,000 messages of 100 flits in 10 ms; the one between the switches carries
    // half of what a and b send.
    assert!((20_000..48_000).contains(&traffic.fates.delivered), "{traffic:?}");
    assert!(messages > 190, "{messages}");
}

#[test]
fn interfaces_use_the_routes_they_are_told() {
    // Wrong if applications sent before they had routes, or on others than those of their interface.
    let net = row();
    let (parameters, work) = (parameters(&net, Duration::from_ns(150)), workload(&net, 100));
    let table = routes(&net);
    let load = Load { routes: None, ..Load::new(&work, 0.05, &table) };
    let until = Some(Time::ZERO + Duration::from_ms(10));
    let setup = Setup { load: Some(load), until, ..Setup::new(&net, &parameters) };
    let program = |host: HostId, mut station: Station| async move {
        if host.0 == 0 {
            station.sleep(Duration::from_ms(5)).await;
            // Only to b; to c there is no way.
            station.install(&[("b".to_owned(), vec![Turn(3)])].into()).await;
        }
        ControlFlow::Continue(())
    };
    let outcome = hosts::run_all::<(), _>(&setup, |_| true, program).unwrap();
    let traffic = outcome.traffic;
    // 800 messages a host; a's later half goes to b by half.
    assert!(traffic.fates.delivered.abs_diff(200) < 60, "{traffic:?}");
    assert_eq!(traffic.created, traffic.unroutable + traffic.fates.delivered);
    assert_eq!(outcome.memories[0].routes.as_ref().unwrap().len(), 1);
    assert_eq!(outcome.memories[1].routes, None);
}

#[test]
fn software_on_an_interface_waits_for_applications() {
    // Wrong if software in the background went first, was held up by nothing, or waited for ever.
    let net = row();
    let (table, work) = (routes(&net), workload(&net, 100));
    let parameters = parameters(&net, Duration::from_ns(150));
    let rounds = |residence, load: f64| {
        let load = Some(Load::new(&work, load, &table));
        let setup = Setup { load, residence, ..Setup::new(&net, &parameters) };
        let program = |mut host: Station| async move {
            for _ in 0..1_000 {
                host.work(Duration::from_us(1)).await;
            }
            host.now().since(Time::ZERO)
        };
        hosts::run(&setup, HostId(0), program, |_| true).unwrap().result.unwrap()
    };
    let alone = Duration::from_us(1_000);
    assert_eq!(rounds(Residence::Host, 0.5), alone);
    let (little, much) = (rounds(Residence::Nic, 0.05), rounds(Residence::Nic, 3.0));
    assert!(little > alone && little < alone * 2, "{little:?}");
    assert!(much > alone * 2 && much < alone * 1_001, "{much:?}");
}
