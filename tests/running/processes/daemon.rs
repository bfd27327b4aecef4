//! A network in operation: parts fail and return under traffic, and a daemon maps it again.

use simnet_base::ids::{LinkId, Node};
use simnet_base::units::{Duration, Time};
use simnet_media::fabric::Parameters;
use simnet_media::host::daemon::Options;
use simnet_media::host::mapper::Brief;
use simnet_media::traffic::{Arrivals, Members, Pattern, Sizes, Workload};
use simnet_network::routing::Choices;
use simnet_network::topology::{End, Network};
use simnet_running::simulation::daemon::{Report, Task, run};
use simnet_running::simulation::failures::{Failure, Part};
use simnet_running::simulation::hosts::Setup;

use support_media::mapping::parameters;
use support_network::cases;

/// Four switches in a ring of double cables, `h0` to `h7` two at a switch; cable 2n and 2n + 1 lead from
/// switch n to the next, cable 8 + n to host n.
fn ring() -> Network {
    let mut network = Network::new("ring");
    let switches = [0, 1, 2, 3].map(|nth| network.add_switch(format!("s{nth}"), 8).unwrap());
    for nth in 0..4 {
        for port in [4, 6] {
            let (from, to) = (switches[nth], switches[(nth + 1) % 4]);
            network.connect(End::switch(from, port), End::switch(to, port + 1)).unwrap();
        }
    }
    for nth in 0..8 {
        let host = network.add_host(format!("h{nth}")).unwrap();
        let port = u16::try_from(nth % 2).unwrap();
        network.connect(End::host(host, 0), End::switch(switches[nth / 2], port)).unwrap();
    }
    network
}

fn fails(part: Part, at_ms: u64, lasting_ms: u64) -> Failure {
    let lasting = Some(Duration::from_ms(lasting_ms));
    Failure { part, at: Time::ZERO + Duration::from_ms(at_ms), lasting }
}

fn node(network: &Network, name: &str) -> Part {
    Part::Node(network.named(name).unwrap())
}

fn quick() -> Options {
    Options {
        brief: Brief { timeout: Duration::from_ms(2), retries: 1, ..Brief::default() },
        remap_period: None,
        heartbeat: Some(Duration::from_ms(50)),
        takeover: Duration::from_ms(200),
        ..Options::default()
    }
}

/// Operates the ring for so many milliseconds at a load of 0.5 %, with `h0` as mapper and `h5` to take over.
fn operated(options: Options, failures: &[Failure], ms: u64) -> Report {
    let network = ring();
    let parameters: Parameters = parameters(&network, Duration::from_ns(550));
    let mappers = ["h0", "h5"].map(|name| network.find_host(name).unwrap());
    let pattern = Pattern::uniform(Members::all(network.hosts().len()));
    let workload = Workload { pattern, arrivals: Arrivals::Poisson, sizes: Sizes::Fixed(256) };
    let task = Task {
        setup: Setup { seed: 3, ..Setup::new(&network, &parameters) },
        mappers: &mappers,
        options,
        choices: Choices::default(),
        failures,
        applications: Some((&workload, 0.005)),
        restraint: None,
        length: Duration::from_ms(ms),
        interval: Duration::from_ms(50),
    };
    let report = run(&task).unwrap();
    eprintln!("{:#?}\n{:#?}", report.daemon_events, report.notices);
    report
}

/// Asserts that every event was noticed within `notice_ms`, mapped correctly and routed, and that at the end
/// nothing is lost any more and as much arrives as in the beginning.
fn assert_recovers(report: &Report, notice_ms: f64) {
    for notice in &report.notices {
        assert!(notice.noticed_ms.is_some_and(|noticed| noticed < notice_ms), "{notice:?}");
        assert!(notice.routed_ms >= notice.mapped_ms && notice.mapped_ms >= notice.noticed_ms, "{notice:?}");
        assert!(notice.routed_ms.is_some(), "{notice:?}");
    }
    assert_eq!((report.maps.wrong, report.maps.false_alarms), (0, 0));
    let last = report.series.last().unwrap();
    assert_eq!(last.lost, 0);
    // With everything back, as much arrives as before.
    let [before, after] = [report.throughput.before, report.throughput.after].map(Option::unwrap);
    assert!((before - after).abs() < 0.1 * before, "{before} before, {after} after");
    assert!(report.deadlocks.while_mixed <= report.deadlocks.formed);
}

/// Wrong if a healthy network, loaded or not, aroused suspicion, lost a message, or was given new routes; or
/// if its periodic maps were not what is there.
#[test]
fn nothing_fails_and_nothing_happens() {
    let report = operated(quick(), &[], 1_000);
    assert!(report.daemon_events.is_empty() && report.events.is_empty());
    let report = operated(Options { remap_period: Some(Duration::from_ms(200)), ..quick() }, &[], 1_500);
    assert!(report.maps.correct >= 1 && report.maps.wrong + report.maps.false_alarms == 0);
    assert!(report.mixed_ms <= 0.0, "the map is as before: no routes are handed out");
    assert_eq!((report.losses.failed, report.losses.undeliverable, report.losses.unroutable), (0, 0, 0));
    assert_eq!((report.throughput.during, report.throughput.after), (None, None));
}

/// Wrong if a cable's failure, or its return, went unnoticed for longer than a heart-beat and its tries, or if
/// messages were lost after the new routes.
#[test]
fn a_cable_fails_under_traffic_and_comes_back() {
    for link in [3, 0, 1, 2, 4, 5, 6, 7].into_iter().take(usize::try_from(cases(8)).unwrap()) {
        let report = operated(quick(), &[fails(Part::Link(LinkId(link)), 100, 1_500)], 3_200);
        assert_eq!(report.events.len(), 2);
        assert_recovers(&report, 100.0);
        assert_eq!(report.notices[0].noticed_by, Some("silence"));
        assert_eq!(report.notices[1].noticed_by, Some("return"));
        assert!(report.losses.failed + report.losses.undeliverable > 0 && report.losses.unroutable == 0);
    }
}

/// Wrong if a switch with its hosts could not go and come back: without it there are no routes to these.
#[test]
fn a_switch_dies_and_returns() {
    let report = operated(quick(), &[fails(node(&ring(), "s2"), 100, 1_500)], 3_200);
    assert_recovers(&report, 100.0);
    assert!(report.losses.unroutable > 0);
}

/// Wrong if a host that was gone were not given routes when it is back, or if no host had routes to it.
#[test]
fn a_host_dies_and_returns() {
    let report = operated(quick(), &[fails(node(&ring(), "h6"), 100, 1_500)], 3_200);
    assert_recovers(&report, 100.0);
    assert!(report.losses.unroutable > 0);
}

/// Wrong if no mapper took over when the mapper's own switch dies, or two went on mapping when it is back.
#[test]
fn the_mapper_s_own_switch_dies() {
    let report = operated(quick(), &[fails(node(&ring(), "s0"), 100, 1_800)], 4_500);
    assert_recovers(&report, 100.0);
    let of = |mapper: &str| {
        let events = report.daemon_events.iter().filter(|event| event.mapper == mapper);
        events.map(|event| event.what.as_str()).collect::<Vec<_>>()
    };
    let (first, second) = (of("h0"), of("h5"));
    assert!(second.starts_with(&["takes over", "maps: start"]) && second.last() == Some(&"steps down"));
    assert!(first.last().unwrap().contains("7 acknowledged, 0 missing"), "{first:?}");
    assert!(second.iter().any(|event| event.contains("5 acknowledged")), "{second:?}");
}

/// Wrong if chance or the order of anything in memory decided what happens.
#[test]
fn the_same_task_has_the_same_report() {
    let failures = [fails(Part::Link(LinkId(1)), 100, 300), fails(node(&ring(), "s3"), 250, 400)];
    let options = Options { remap_period: Some(Duration::from_ms(300)), ..quick() };
    let [one, other] =
        [(); 2].map(|()| serde_json::to_string(&operated(options.clone(), &failures, 1_500)).unwrap());
    assert_eq!(one, other);
}

/// Wrong if a mapper that is alone for ever, or no mapper at all, kept a run from ending.
#[test]
fn a_mapper_cut_off_for_ever_does_no_harm() {
    let network = ring();
    let (h0, h5) = (network.find_host("h0").unwrap(), network.find_host("h5").unwrap());
    let failures: Vec<Failure> =
        [h0, h5].map(|host| Failure { lasting: None, ..fails(Part::Node(Node::Host(host)), 50, 1) }).to_vec();
    let report = operated(quick(), &failures, 1_000);
    assert!(report.maps.adopted == 0 && report.mixed_ms <= 0.0, "{:?}", report.daemon_events);
}
