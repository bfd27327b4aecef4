//! Generated traffic: every pattern, kind of arrival and kind of length from a scenario to its summary, and the
//! queues that they make against their formulas.

use simnet_base::ids::{HostId, Port};
use simnet_base::units::Duration;
use simnet_media::fabric::{
    Arbitration, Ended, Fate, FlowControl, HostParameters, LinkTiming, Parameters, SwitchParameters,
};
use simnet_media::traffic::{Arrivals, Generated, Members, PARTS, Pattern, Sizes, Source, Within, Workload};
use simnet_network::topology::{End, Network};

use support_media::engine::{Engine, Manner};
use support_media::oracle::{Case, Message};
use support_network::interval;

const CYCLE: Duration = Duration::from_ps(6_250);

/// The traffic of one load on a star of as many hosts as the pattern has, up to the cycle `until`; hosts for which
/// `sends` does not hold are silent. Tags are creation times.
fn star(workload: &Workload, load: f64, seed: u64, until: u64, sends: impl Fn(HostId) -> bool) -> Case {
    let hosts = u16::try_from(workload.pattern.members().list().len()).unwrap();
    let mut network = Network::new("star");
    let switch = network.add_switch("s", hosts).unwrap();
    for port in 0..hosts {
        let host = network.add_host(format!("h{port}")).unwrap();
        network.connect(End::host(host, 0), End::switch(switch, port)).unwrap();
    }
    let mut source = Generated::new(workload, load, CYCLE, seed);
    let mut messages = vec![Vec::new(); usize::from(hosts)];
    for host in network.host_ids().filter(|host| sends(*host)) {
        while let Some(planned) = source.next(host) {
            let created = planned.created.to_cycle_ceil(CYCLE).0;
            if created >= until {
                break;
            }
            let port = |host: HostId| Port(u16::try_from(host.0).unwrap());
            let route = vec![port(host).turn_to(port(planned.destination))];
            let (payload, tag) = (planned.payload, created);
            messages[host.index()].push(Message { created, payload, route, tag, time_to_live: None });
        }
    }
    let switch = SwitchParameters {
        buffer: 132,
        stop: 108,
        routing_latency: 1,
        arbitration: Arbitration::PerInput,
        ..SwitchParameters::default()
    };
    let links = vec![LinkTiming { period: 1, delay: 1 }; usize::from(hosts)];
    let parameters = Parameters {
        base_cycle: CYCLE,
        switch,
        host: HostParameters::default(),
        links,
        flow: FlowControl::StopGo,
    };
    let attachments = vec![Some(Port(0)); usize::from(hosts)];
    Case { network, parameters, attachments, messages, link_events: vec![], horizon: u64::MAX / 4 }
}

fn ended(case: &Case) -> Vec<Ended> {
    let mut engine = Engine::new(case, Manner { unwatched: true, ..Manner::default() });
    engine.run_until(case.horizon);
    engine.ended().to_vec()
}

fn two_lengths() -> Sizes {
    Sizes::weighted(&[(16, PARTS / 10 * 9), (256, PARTS / 10)]).unwrap()
}

/// The mean of a function of the length.
fn moment(sizes: &Sizes, of: impl Fn(f64) -> f64) -> f64 {
    let table = sizes.table();
    let all: f64 = table.iter().map(|(_, weight)| *weight as f64).sum();
    table.iter().map(|(payload, weight)| of(f64::from(*payload)) * *weight as f64 / all).sum()
}

/// A host that sends to a host of its own is a queue whose service of a message is its payload and its route flit.
/// Mean waits: `rate E[S^2] / (2 (1 - load))` for Poisson arrivals (Pollaczek and Khinchine; rounding up to whole
/// cycles leaves it exact, see `closed_forms`), `(rate E[S^2] - load) / (2 (1 - load))` for a coin a cycle (the work
/// after a cycle is `E[W (W - 1)] / (2 (1 - load))`, `W` being what one cycle brings), none for constant gaps.
///
/// Wrong if arrivals or lengths had other moments than they should, or depended on each other, or if the interface
/// started a message a cycle early or late.
#[test]
fn the_queue_at_a_host_waits_as_its_formula_says() {
    let pairs = 60_u32;
    let to = |host| (HostId(host), HostId(host + pairs));
    let pattern = || Pattern::pairs(Members::all(120), &(0..pairs).map(to).collect::<Vec<_>>());
    let one = || Sizes::Fixed(31);
    let rows = [
        ("M/D/1", Arrivals::Poisson, one(), 0.6),
        ("M/G/1", Arrivals::Poisson, two_lengths(), 0.5),
        ("Geo/D/1", Arrivals::Bernoulli, one(), 0.6),
        ("Geo/D/1", Arrivals::Bernoulli, Sizes::Fixed(3), 0.6),
        ("Geo/G/1", Arrivals::Bernoulli, two_lengths(), 0.5),
        ("D/D/1", Arrivals::Constant, one(), 0.9),
    ];
    for (name, arrivals, sizes, load) in rows {
        let rate = load / sizes.mean();
        let service = moment(&sizes, |payload| payload + 1.0) * rate;
        let square = moment(&sizes, |payload| (payload + 1.0).powi(2)) * rate;
        let expected = match arrivals {
            Arrivals::Poisson => square / (2.0 * (1.0 - service)),
            Arrivals::Bernoulli => (square - service) / (2.0 * (1.0 - service)),
            _ => 0.0,
        };
        let workload = Workload { pattern: pattern(), arrivals, sizes };
        // 8,000 messages a host, whatever their length.
        let until = 8_000 * workload.mean_gap(load, CYCLE).to_cycles_ceil(CYCLE);
        let messages = ended(&star(&workload, load, 11, until, |_| true));
        let mut waits = vec![(0_u64, 0_u64); 120];
        for message in messages.iter().filter(|message| message.created.0 > until / 20) {
            let Fate::Delivered { host, .. } = message.fate else { panic!("nothing destroys here") };
            let (sum, count) = &mut waits[host.index()];
            *sum += message.started.0 - message.created.0;
            *count += 1;
        }
        let means: Vec<f64> = waits.iter().filter(|w| w.1 > 0).map(|w| w.0 as f64 / w.1 as f64).collect();
        assert_eq!(means.len(), pairs as usize);
        // Student's t for 59 degrees of freedom, 99.9 %, two-sided.
        let (mean, half) = interval(&means, 3.463);
        println!("{name} at {load}: wait {mean:.3} +- {half:.3} cycles, formula {expected:.3}");
        assert!((mean - expected).abs() <= half, "{name}: {mean} +- {half}, expected {expected}");
        assert!(half <= 0.06 * expected, "{name}: the interval {half} says little about {expected}");
    }
}

/// One output with Poisson arrivals of messages of two lengths is an M/G/1 queue, whose service of a message is its
/// payload (see `closed_forms`). Wrong if a grant, a release or a length cost or saved as much as a cycle on average.
#[test]
fn one_output_waits_as_an_m_g_1_queue() {
    let (hosts, sink, until) = (121, HostId(120), 3_200_000);
    let pattern = Pattern::hot_spot(Members::all(hosts), vec![sink], PARTS);
    let workload = Workload { pattern, arrivals: Arrivals::Poisson, sizes: two_lengths() };
    for load in [0.3, 0.5] {
        let waits: Vec<f64> = (0..20)
            .map(|seed| {
                let case = star(&workload, load / 120.0, seed, until, |host| host != sink);
                let late: Vec<Ended> =
                    ended(&case).into_iter().filter(|m| m.created.0 > until / 20).collect();
                let wait = |message: &Ended| match message.fate {
                    Fate::Delivered { host, head, .. } if host == sink => {
                        head.0 - message.created.0 - (1 + 1 + 1)
                    }
                    fate => panic!("{fate:?}"),
                };
                late.iter().map(wait).sum::<u64>() as f64 / late.len() as f64
            })
            .collect();
        // Student's t for 19 degrees of freedom, 99 %, two-sided.
        let (mean, half) = interval(&waits, 2.861);
        let rate = load / workload.sizes.mean();
        let expected = rate * moment(&workload.sizes, |s| s * s) / (2.0 * (1.0 - load));
        println!("load {load}: wait {mean:.2} +- {half:.2} cycles, M/G/1 {expected:.2}");
        assert!((mean - expected).abs() <= half, "load {load}: {mean} +- {half}, expected {expected}");
        assert!(half < 0.03 * expected, "load {load}: the interval {half} says little about {expected}");
    }
}

/// Wrong if bursts did not make a queue longer than arrivals spread over all time, or moved its load.
#[test]
fn bursts_make_hosts_wait() {
    let pattern = || Pattern::pairs(Members::all(2), &[(HostId(0), HostId(1))]);
    let wait = |arrivals| {
        let workload = Workload { pattern: pattern(), arrivals, sizes: Sizes::Fixed(31) };
        let messages = ended(&star(&workload, 0.25, 2, 40_000_000, |_| true));
        let waited: u64 = messages.iter().map(|m| m.started.0 - m.created.0).sum();
        (messages.len() as f64, waited as f64 / messages.len() as f64)
    };
    let (count, plain) = wait(Arrivals::Poisson);
    let lengths = (Duration::from_us(50), Duration::from_us(150));
    let bursts = |within| Arrivals::Bursts { on: lengths.0, off: lengths.1, within };
    let (dense, poisson) = wait(bursts(Within::Poisson));
    let (even, constant) = wait(bursts(Within::Constant));
    // Within bursts the load is that of a full cable: a queue of half a burst's order, 8,000 cycles.
    assert!(plain < 10.0 && constant > 100.0 && poisson > constant, "{plain} {poisson} {constant}");
    for burst in [dense, even] {
        assert!((burst / count - 1.0).abs() < 0.05, "{burst} messages in bursts, {count} without");
    }
}
