//! Where the time of messages goes: queueing, blocked, moving.

use std::collections::BTreeSet;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use simnet_base::ids::{HostId, Node};
use simnet_base::units::Duration;
use simnet_media::fabric::{
    CreditParameters, Fate, FlowControl, HostParameters, LinkTiming, Parameters, Receive, SwitchParameters,
};
use simnet_network::topology::End;
use simnet_running::simulation::zero_load::ZeroLoad;
use simnet_running::simulation::{self, PointReport, Run};
use simnet_scenario::{self as scenario, Overrides};

use support_media::engine::{Engine, Manner};
use support_media::oracle::{Case, Message, Oracle};
use support_media::random_case::{ARBITRATIONS, random_case, wired};
use support_network::cases;

/// One message through a random network, alone, where GO leaves no gaps.
fn lone_message(rng: &mut ChaCha8Rng) -> Option<Case> {
    let wiring = wired(rng);
    let from = HostId::new(rng.random_range(0..wiring.network.hosts().len()));
    wiring.attachments[from.index()]?;
    let slowest = if rng.random() { 1 } else { rng.random_range(2..=5) };
    let timing = |_| LinkTiming { period: rng.random_range(1..=slowest), delay: rng.random_range(1..=12) };
    let links = (0..wiring.network.links().len()).map(timing).collect();
    let receive = rng.random_bool(0.3).then(|| Receive {
        stop: 100,
        go: 60,
        period: rng.random_range(1..=9),
        overhead: rng.random_range(0..50),
    });
    let switch = SwitchParameters {
        buffer: 160,
        stop: 108,
        go: 60,
        routing_latency: rng.random_range(1..=40),
        arbitration: ARBITRATIONS[rng.random_range(0..ARBITRATIONS.len())],
        routing_interval: None,
        timeout: None,
    };
    let send_overhead = rng.random_range(0..30);
    let in_transit = (receive.is_none() && rng.random_bool(0.4)).then(|| rng.random_range(1..=100));
    let host = HostParameters { send_overhead, receive, time_to_live: None, in_transit };
    let created = rng.random_range(0..10_000);
    let payload = rng.random_range(1..=600);
    let route = match in_transit {
        Some(_) => wiring.relayed(rng, from, |_| true),
        None => wiring.path(rng, from, |_| true),
    };
    let mut messages = vec![Vec::new(); wiring.network.hosts().len()];
    messages[from.index()].push(Message { created, payload, route, tag: 0, time_to_live: None });
    let parameters =
        Parameters { base_cycle: Duration::from_ps(6_250), switch, host, links, flow: FlowControl::StopGo };
    let (network, attachments) = (wiring.network, wiring.attachments);
    Some(Case { network, parameters, attachments, messages, link_events: vec![], horizon: 40_000 })
}

/// Whether a message takes a channel twice, as it may where hosts send on: then it waits for its own tail.
fn meets_itself(case: &Case, from: HostId) -> bool {
    let mut taken = BTreeSet::new();
    let port = case.attachments[from.index()].expect("the host sends");
    let mut leaves = End { node: Node::Host(from), port };
    let route = &case.messages[from.index()][0].route;
    let is_taken_again = route.iter().any(|turn| {
        let again = !taken.insert(leaves);
        let at = case.network.peer(leaves).expect("the route follows cables");
        leaves = match at.node {
            Node::Host(_) => at,
            Node::Switch(_) => End { port: at.port.turned(*turn).expect("and turns to ports"), ..at },
        };
        again
    });
    is_taken_again || taken.contains(&leaves)
}

/// Wrong if a hop, a flit, a slower channel, a slower receiver or a host in transit cost a cycle more or less than on
/// the oracle.
#[test]
fn zero_load_is_what_a_lone_message_takes_on_the_oracle() {
    let mut unequal = 0;
    for seed in 0..cases(10_000) {
        let Some(case) = lone_message(&mut ChaCha8Rng::seed_from_u64(seed)) else { continue };
        if case.network.switches().is_empty() && case.parameters.host.in_transit.is_some() {
            // Two hosts on one cable: no walk follows what one sends back to the other.
            continue;
        }
        let mut oracle = Oracle::new(&case);
        oracle.run_until(case.horizon);
        let ended = oracle.ended();
        let [message] = ended.as_slice() else { panic!("seed {seed}: {ended:?}") };
        let Fate::Delivered { tail, .. } = message.fate else { panic!("seed {seed}: {message:?}") };
        let zero_load = ZeroLoad::new(&case.network, &case.parameters, &case.attachments);
        let sent = &case.messages[message.source.index()][0];
        let alone = zero_load.cycles(message.source, &sent.route, sent.payload);
        let took = tail.0 - message.started.0;
        if meets_itself(&case, message.source) {
            assert!(took >= alone, "seed {seed}: {took} for {alone} cycles: {case:?}");
            continue;
        }
        assert_eq!(took, alone, "seed {seed}: {case:?}");
        unequal += u64::from(case.parameters.links.iter().any(|link| link.period > 1));
    }
    assert!(unequal > 0, "no case had channels of different rates");
}

/// Wrong if the packets of a message followed each other otherwise than they do where nothing else is under way, with
/// room for all of them: on the fabric, which its own oracle judges.
#[test]
fn zero_load_is_what_the_packets_of_a_lone_message_take() {
    let (mut unequal, mut cut) = (0, 0);
    for seed in 0..cases(10_000) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let lone = lone_message(&mut rng).filter(|case| case.parameters.host.in_transit.is_none());
        let Some(mut case) = lone else { continue };
        let mtu = rng.random_range(1..=300);
        case.parameters.host.receive = None;
        case.parameters.flow = FlowControl::Credits(Box::new(CreditParameters::new(1, mtu, 1 + 2_000 / mtu)));
        let mut engine = Engine::new(&case, Manner { unwatched: true, ..Manner::default() });
        engine.run_until(case.horizon);
        let [message] = engine.ended() else { panic!("seed {seed}: {:?}", engine.ended()) };
        let Fate::Delivered { tail, .. } = message.fate else { panic!("seed {seed}: {message:?}") };
        let zero_load = ZeroLoad::new(&case.network, &case.parameters, &case.attachments);
        let sent = &case.messages[message.source.index()][0];
        let alone = zero_load.cycles(message.source, &sent.route, sent.payload);
        assert_eq!(tail.0 - message.started.0, alone, "seed {seed}: {case:?}");
        unequal += u64::from(case.parameters.links.iter().any(|link| link.period > 1));
        cut += u64::from(sent.payload > mtu);
    }
    assert!(unequal > 0 && cut > 0, "{unequal} cases had channels of different rates, {cut} several packets");
}

/// Wrong if a message of a crowd were faster than alone: among resets, failures, expiring worms, walks that cross
/// themselves, whatever the rates.
#[test]
fn nobody_is_faster_than_alone() {
    let (mut delivered, mut destroyed, mut unhindered) = (0, 0, 0);
    for seed in 0..cases(8_000) {
        let case = random_case(seed);
        let zero_load = ZeroLoad::new(&case.network, &case.parameters, &case.attachments);
        let mut engine = Engine::new(&case, Manner { unwatched: true, ..Manner::default() });
        engine.run_until(case.horizon);
        for message in engine.ended() {
            let Fate::Delivered { tail, .. } = message.fate else {
                destroyed += 1;
                continue;
            };
            let all = &case.messages[message.source.index()];
            let sent = all.iter().find(|sent| sent.tag == message.tag).unwrap();
            let alone = zero_load.cycles(message.source, &sent.route, sent.payload);
            let took = tail.0 - message.started.0;
            assert!(took >= alone, "seed {seed}: {took} for {alone} cycles, {message:?}");
            delivered += 1;
            unhindered += u64::from(took == alone);
        }
    }
    println!("{delivered} delivered, {unhindered} of them unhindered, {destroyed} destroyed");
    assert!(destroyed > 0 && unhindered > 0 && unhindered < delivered);
}

fn run(text: &str) -> Run {
    let checked = scenario::read("test.toml", text.as_bytes(), &Overrides::default());
    let checked = checked.unwrap_or_else(|refusal| panic!("{refusal}"));
    simulation::run(&checked, &(), None).unwrap()
}

fn parts(point: &PointReport) -> [f64; 3] {
    [point.queueing_mean_ns, point.blocked_mean_ns, point.moving_mean_ns].map(Option::unwrap)
}

/// Wrong if something went missing between the parts, or if they were not those of the messages measured.
fn assert_adds_up(point: &PointReport) {
    let [queueing, blocked, moving] = parts(point);
    let (latency, network) = (point.latency_mean_ns.unwrap(), point.network_latency_mean_ns.unwrap());
    assert!((queueing + blocked + moving - latency).abs() < 1e-9 * latency, "{point:?}");
    assert!((blocked + moving - network).abs() < 1e-9 * network, "{point:?}");
    assert!(queueing >= 0.0 && blocked >= 0.0 && moving > 0.0, "{point:?}");
}

/// Two hosts that send to each other over cables of their own, at equal gaps. Wrong if a message that meets no other
/// had waited.
#[test]
fn a_message_that_meets_nobody_only_moves() {
    let run = run("[scenario]\nname = \"two\"\n[topology.chain]\nswitches = 2\nhosts-per-switch = 1\n\
         [fabric]\nrouting-latency = \"150 ns\"\ncable-length = \"10 m\"\n[routing]\nalgorithm = \"updown\"\n\
         [traffic.uniform]\npayload = \"32 B\"\narrivals = \"constant\"\nloads = [0.1]\n\
         [measure]\nwarmup = \"10 us\"\nmessages = 500\n");
    let point = &run.summary.points()[0];
    // Three cables of 8 cycles, two switches of 24, and 31 flits behind the first.
    let moving = f64::from(3 * 8 + 2 * 24 + 31) * 6.25;
    let off = parts(point).into_iter().zip([0.0, 0.0, moving]).map(|(ns, wanted)| (ns - wanted).abs());
    assert!(off.sum::<f64>() < 1e-3, "{:?}", parts(point));
    assert_adds_up(point);
}

/// Shortest routes round a ring lock up and are reset. Wrong if the parts did not add up among resets, or if blocked
/// time did not grow with the load while the time of moving stayed that of the routes.
#[test]
fn the_parts_add_up_under_load_and_resets() {
    let run =
        run("[scenario]\nname = \"ring\"\nseed = 3\n[topology.ring]\nswitches = 8\nhosts-per-switch = 2\n\
         [fabric]\ndeadlock-timeout = \"5 us\"\n[routing]\nalgorithm = \"minimal\"\n\
         [traffic.uniform]\npayload = { short = \"16 B\", long = \"400 B\", long-share = \"30 %\" }\n\
         loads = [0.02, 0.15, 0.5]\n[measure]\nwarmup = \"100 us\"\nduration = \"1 ms\"\n");
    let points = run.summary.points();
    points.iter().for_each(assert_adds_up);
    assert!(points.iter().any(|point| point.tally.resets > 0), "{points:?}");
    let [idle, busy] = [parts(&points[0]), parts(&points[1])];
    assert!(busy[0] > 2.0 * idle[0] && busy[1] > 2.0 * idle[1], "{idle:?} {busy:?}");
    assert!((busy[2] / idle[2] - 1.0).abs() < 0.1, "{idle:?} {busy:?}");
}
