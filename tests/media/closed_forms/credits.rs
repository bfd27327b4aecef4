//! Credits against what can be calculated by hand: latency without load, the bandwidth of a credit loop, deadlocks on a
//! ring, and what must hold of every run: nothing is lost, and what is stuck is in or behind a deadlock.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use simnet_base::ids::{HostId, Port, SwitchId, Turn};
use simnet_base::units::Duration;
use simnet_media::fabric::{
    BuildError, Cause, CreditParameters, Ended, Fabric, Fate, FlowControl, HostParameters, LaneArbitration,
    LaneWeight, LinkTiming, Parameters, Receive, ServiceLanes, SwitchParameters,
};
use simnet_network::topology::{End, Network};

use support_media::credits::{CreditCase, deadlocks_on_lanes, random_credit_case};
use support_media::engine::Manner;
use support_media::oracle::{Case, Message};
use support_media::random_case::wired;
use support_network::{cases, interval};

use super::fabric::star;

/// The routing latency, in cycles.
pub(super) const R: u64 = 24;

pub(super) fn parameters(links: Vec<LinkTiming>) -> Parameters {
    Parameters {
        base_cycle: Duration::from_ps(6_250),
        switch: SwitchParameters { routing_latency: R, ..SwitchParameters::default() },
        host: HostParameters::default(),
        links,
        flow: FlowControl::StopGo,
    }
}

pub(super) fn message(tag: u64, created: u64, payload: u32, route: Vec<Turn>) -> Message {
    Message { created, payload, route, tag, time_to_live: None }
}

pub(super) fn case(
    network: Network,
    links: Vec<LinkTiming>,
    messages: Vec<Vec<Message>>,
    credits: CreditParameters,
) -> CreditCase {
    let attachments = vec![Some(Port(0)); network.hosts().len()];
    let levels = vec![0; messages.iter().flatten().count()];
    let parameters = parameters(links);
    let horizon = 1_000_000;
    let case = Case { network, parameters, attachments, messages, link_events: vec![], horizon };
    CreditCase { case, credits, levels, management: Vec::new() }
}

/// The heads and tails of what was delivered, by tag.
pub(super) fn delivered(case: &CreditCase) -> Vec<(u64, u64)> {
    let mut engine = case.engine(Manner::default());
    engine.run_until(case.case.horizon);
    let times = |ended: &Ended| match ended.fate {
        Fate::Delivered { head, tail, .. } => (head.0, tail.0),
        Fate::Destroyed { .. } => panic!("destroyed: {ended:?}"),
    };
    engine.ended().iter().map(times).collect()
}

/// A message alone on a random network, and when its head arrives.
pub(super) struct LoneMessage {
    pub(super) case: CreditCase,
    /// The cycles in which its first byte and its last one arrive: d_0 + sum over switches (R + d) later, and
    /// payload - 1 after that.
    pub(super) arrives: (u64, u64),
}

impl LoneMessage {
    /// One with this seed, of so many bytes at most, in packets as `credits` says for an MTU; none where the host that
    /// was drawn has no cable.
    pub(super) fn random(
        seed: u64,
        most: u32,
        credits: impl Fn(u32) -> CreditParameters,
    ) -> Option<LoneMessage> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let wiring = wired(&mut rng);
        let from = HostId::new(rng.random_range(0..wiring.network.hosts().len()));
        let port = wiring.attachments[from.index()]?;
        let route = wiring.path(&mut rng, from, |_| true);
        let timing = |_| LinkTiming { period: 1, delay: rng.random_range(1..=12) };
        let links: Vec<LinkTiming> = (0..wiring.network.links().len()).map(timing).collect();
        let (created, payload) = (rng.random_range(0..10_000), rng.random_range(1..=most));
        let mut head = created;
        let mut out = End::host(from, port.0);
        for hop in 0..=route.len() {
            head += links[wiring.network.link_at(out).unwrap().index()].delay + R * u64::from(hop > 0);
            let input = wiring.network.peer(out).unwrap();
            if let Some(turn) = route.get(hop) {
                out = End { node: input.node, port: input.port.turned(*turn).unwrap() };
            }
        }
        let mut messages = vec![Vec::new(); wiring.network.hosts().len()];
        messages[from.index()].push(message(0, created, payload, route));
        let credits = credits(rng.random_range(1..=600));
        let mut case = case(wiring.network, links, messages, credits);
        case.case.attachments = wiring.attachments;
        Some(LoneMessage { case, arrives: (head, head + u64::from(payload) - 1) })
    }
}

/// Wrong if a hop costs a cycle more or less, or if a packet of many follows another with a gap.
#[test]
fn a_lone_message_takes_the_zero_load_latency() {
    for seed in 0..cases(20_000) {
        let credits = |mtu| CreditParameters { buffer: mtu + 700, ..CreditParameters::new(1, mtu, 1) };
        let Some(LoneMessage { case, arrives }) = LoneMessage::random(seed, 600, credits) else { continue };
        assert_eq!(delivered(&case), [arrives], "seed {seed}");
    }
}

/// Two hosts at a switch with ports 0 and 1.
pub(super) fn pair() -> Network {
    let mut network = Network::new("pair");
    let switch = network.add_switch("s", 2).unwrap();
    for port in 0..2 {
        let host = network.add_host(format!("h{port}")).unwrap();
        network.connect(End::host(host, 0), End::switch(switch, port)).unwrap();
    }
    network
}

/// A credit is back 2 d + R + m - 1 cycles after it was taken; with k packets of room, k packets of m bytes go in that
/// time, or the cable is full. Wrong if a credit comes a cycle earlier or later, or is counted twice.
#[test]
fn a_credit_loop_has_the_bandwidth_of_its_buffer() {
    for delay in [1, 5, 60, 300] {
        for (packets, bytes) in [(1, 1), (1, 64), (2, 64), (3, 100), (8, 32), (30, 32)] {
            let route = || vec![Turn(1)];
            let messages = vec![(0..100).map(|tag| message(tag, 0, bytes, route())).collect(), vec![]];
            let links = vec![LinkTiming { period: 1, delay }; 2];
            let credits = CreditParameters::new(1, bytes, packets);
            let case = case(pair(), links, messages, credits);
            let (bytes, packets) = (u64::from(bytes), u64::from(packets));
            let round = (2 * delay + R + bytes - 1).max(packets * bytes);
            let expected: Vec<(u64, u64)> = (0..100)
                .map(|nth| nth / packets * round + nth % packets * bytes + 2 * delay + R)
                .map(|head| (head, head + bytes - 1))
                .collect();
            assert_eq!(delivered(&case), expected, "delay {delay}, {packets} packets of {bytes}");
        }
    }
}

/// One output with Poisson arrivals is an M/D/1 queue: mean wait = load x service / (2 (1 - load)), the service of a
/// packet being its bytes in cycles, as `closed_forms::fabric` says of worms: it may be granted in the cycle after the
/// last byte of the one before it. Buffers have room for all that waits; the arrivals are those of the test there.
///
/// Whatever the order of service, all waits of a queue that is never idle in vain have one sum, which follows from the
/// arrivals alone (Lindley): that has to be met to the cycle.
///
/// Wrong if any grant or credit comes a cycle early or late, or an arrival is left waiting.
#[test]
fn one_output_waits_as_an_m_d_1_queue() {
    let (hosts, payload, count, warmup) = (121, 64, 20_000, 2_000);
    for load in [0.3, 0.5, 0.7] {
        let waits: Vec<f64> = (0..20)
            .map(|replication| {
                let case = star(replication, hosts, payload, load, count);
                let case = CreditCase {
                    case,
                    credits: CreditParameters::new(1, payload, 1_000),
                    levels: vec![0; count],
                    management: Vec::new(),
                };
                let mut engine = case.engine(Manner { unwatched: true, ..Manner::default() });
                engine.run_until(case.case.horizon);
                assert_eq!(engine.ended().len(), count);
                let wait = |message: &Ended| match message.fate {
                    Fate::Delivered { head, .. } => head.0 - message.created.0 - (1 + 1 + 1),
                    Fate::Destroyed { .. } => panic!("nothing destroys here"),
                };
                let mut created: Vec<u64> = engine.ended().iter().map(|message| message.created.0).collect();
                created.sort_unstable();
                let served = created.iter().scan(0, |free, created| {
                    let start = (*free).max(*created);
                    *free = start + u64::from(payload);
                    Some(start - created)
                });
                assert_eq!(engine.ended().iter().map(wait).sum::<u64>(), served.sum::<u64>());
                let late = engine.ended().iter().filter(|message| message.tag >= warmup);
                late.map(wait).sum::<u64>() as f64 / (count as f64 - warmup as f64)
            })
            .collect();
        // Student's t for 19 degrees of freedom, 99 %, two-sided.
        let (mean, half) = interval(&waits, 2.861);
        let expected = load * f64::from(payload) / (2.0 * (1.0 - load));
        println!("load {load}: wait {mean:.2} +- {half:.2} cycles, M/D/1 {expected:.2}");
        assert!((mean - expected).abs() <= half, "load {load}: {mean} +- {half}, expected {expected}");
        assert!(half < 0.05 * expected, "load {load}: the interval {half} says little about {expected}");
    }
}

/// Four switches in a ring, port 7 to the next one's port 6, a host at port 0 of each, which sends 20 packets to the
/// host two switches on; those that pass from the last switch to the first on lane `crossing`.
pub(super) fn ring(lanes: u8, crossing: u8) -> CreditCase {
    let mut network = Network::new("ring");
    for index in 0..4 {
        network.add_switch(format!("s{index}"), 8).unwrap();
    }
    for index in 0..4 {
        let host = network.add_host(format!("h{index}")).unwrap();
        network.connect(End::host(host, 0), End::switch(SwitchId::new(index), 0)).unwrap();
    }
    for index in 0..4 {
        let next = SwitchId::new((index + 1) % 4);
        network.connect(End::switch(SwitchId::new(index), 7), End::switch(next, 6)).unwrap();
    }
    let links = vec![LinkTiming { period: 1, delay: 2 }; 8];
    let of_host = |host: u64| {
        let route = || vec![Turn(7), Turn(1), Turn(-6)];
        (0..20).map(|nth| message(20 * host + nth, 0, 64, route())).collect()
    };
    let mut case = case(network, links, (0..4).map(of_host).collect(), CreditParameters::new(lanes, 64, 1));
    case.levels[40..].fill(crossing);
    case
}

/// Wrong if a circle of full queues is not named in the very cycle in which it closes, with its members in their order,
/// if a limit does not break it when it should, or if two lanes leave one where the paths on each close none.
#[test]
fn a_ring_deadlocks_on_one_lane_and_not_on_two() {
    let mut engine = ring(1, 0).engine(Manner::default());
    engine.run_until(1_000_000);
    let [deadlock] = engine.fabric().deadlocks() else { panic!("{:?}", engine.fabric().deadlocks()) };
    // Sent in 0, ready in 26, on the next switch in 28, ready there in 52, where there is no credit.
    assert_eq!(deadlock.formed.0, 52);
    let members: Vec<_> = deadlock.members.iter().map(|it| (it.input, it.output, it.lane, it.tag)).collect();
    let end = |switch, port| End::switch(SwitchId::new(switch), port);
    // The packet in front at switch 0 is host 3's first, and waits for what the one at switch 1 has.
    let expected = [(0, 60), (1, 0), (2, 20), (3, 40)].map(|(at, tag)| (end(at, 6), end(at, 7), 0, tag));
    assert_eq!(members, expected);
    assert_eq!(deadlock.cleared, None);
    assert!(engine.ended().is_empty() && engine.live().len() == 12, "on the ring, behind it, at hosts");

    let mut limited = ring(1, 0);
    limited.credits.head_of_line_limit = Some(1_000);
    let mut engine = limited.engine(Manner::default());
    engine.run_until(1_000_000);
    let cleared = engine.fabric().deadlocks()[0].cleared.expect("the limit breaks it");
    assert_eq!((cleared.at.0, cleared.output), (1_052, end(0, 7)));
    assert_eq!(engine.ended().len(), 80, "nothing is stuck for ever");
    let reset = Fate::Destroyed { cause: Cause::Reset, at: cleared.at };
    assert_eq!(engine.ended().iter().filter(|ended| ended.fate == reset).count(), 4);

    assert_eq!(delivered(&ring(2, 1)).len(), 80);
}

/// Wrong if a packet is lost without a cause, or if any is stuck without a deadlock, or goes on in one.
#[test]
fn nothing_is_lost_and_what_is_stuck_is_behind_a_deadlock() {
    let mut stuck = 0;
    for seed in 0..cases(20_000) {
        let mut case = random_credit_case(seed);
        (case.credits.head_of_line_limit, case.credits.lifetime_limit) = (None, None);
        case.case.parameters.host.time_to_live = None;
        case.case.link_events.clear();
        case.case.messages.iter_mut().flatten().for_each(|message| message.time_to_live = None);
        let mut engine = case.engine(Manner { unwatched: true, ..Manner::default() });
        engine.run_until(u64::MAX / 4);
        for ended in engine.ended() {
            let is_right = match ended.fate {
                Fate::Delivered { .. } => true,
                Fate::Destroyed { cause: Cause::Vl15Dropped, .. } => case.is_management(ended.tag),
                Fate::Destroyed { cause, .. } => cause.is_of_route(),
            };
            assert!(is_right, "seed {seed}: {ended:?}");
        }
        let sent: usize = case.case.messages.iter().map(Vec::len).sum();
        let deadlocks = engine.fabric().deadlocks();
        assert!(deadlocks.iter().all(|deadlock| deadlock.cleared.is_none()), "seed {seed}");
        let managing = engine.ended().iter().filter(|ended| case.is_management(ended.tag)).count();
        let to_manage =
            case.case.messages.iter().flatten().filter(|message| case.is_management(message.tag)).count();
        assert_eq!(managing, to_manage, "seed {seed}: management waits for nothing");
        assert_eq!(engine.ended().len() == sent, deadlocks.is_empty(), "seed {seed}: {deadlocks:?}");
        stuck += u64::from(!deadlocks.is_empty());
    }
    assert!(stuck > 0, "some cases deadlock");
}

/// Wrong if an observer changes what it observes.
#[test]
fn watching_changes_nothing() {
    for seed in 0..cases(4_000) {
        let case = random_credit_case(seed);
        let mut watched = case.engine(Manner::default());
        let mut unwatched = case.engine(Manner { unwatched: true, ..Manner::default() });
        let horizon = case.case.horizon;
        assert_eq!(watched.run_until(horizon), unwatched.run_until(horizon), "seed {seed}");
        assert_eq!(watched.ended(), unwatched.ended(), "seed {seed}");
        assert_eq!(case.channels(&watched), case.channels(&unwatched), "seed {seed}");
        assert_eq!(deadlocks_on_lanes(&watched), deadlocks_on_lanes(&unwatched), "seed {seed}");
        assert_eq!(watched.fabric().events(), unwatched.fabric().events(), "seed {seed}");
    }
}

/// With weights 3 and 1 for two lanes, one sends three packets of 64 bytes for each of the other; packets of 65 bytes
/// take two units. Wrong if weights are not what is sent.
#[test]
fn lanes_share_a_channel_by_their_weights() {
    for (bytes, expected) in [(64, [3, 1]), (65, [2, 1])] {
        let mut network = Network::new("star");
        let switch = network.add_switch("s", 3).unwrap();
        for port in 0..3 {
            let host = network.add_host(format!("h{port}")).unwrap();
            network.connect(End::host(host, 0), End::switch(switch, port)).unwrap();
        }
        let of = |host: u64, turn| {
            (0..200).map(|nth| message(200 * host + nth, 0, bytes, vec![Turn(turn)])).collect()
        };
        let links = vec![LinkTiming { period: 1, delay: 1 }; 3];
        let mut credits = CreditParameters::new(2, 128, 4);
        credits.arbitration.low = [(0, 3), (1, 1)].map(|(lane, weight)| LaneWeight { lane, weight }).to_vec();
        let mut case = case(network, links, vec![of(0, 2), of(1, 1), vec![]], credits);
        case.levels[200..].fill(1);
        case.case.horizon = 10_000;
        let mut engine = case.engine(Manner::default());
        engine.run_until(10_000);
        let lanes = engine.logs.grants.iter().map(|grant| u64::from(grant.3 >= 200)).skip(20).take(60);
        let second: u64 = lanes.sum();
        let [of_first, of_second] = expected;
        assert_eq!(second, 60 * of_second / (of_first + of_second), "{bytes} bytes");
    }
}

/// Wrong if parameters that cannot be meant build a fabric.
#[test]
fn credits_that_cannot_be_are_refused() {
    let build = |change: &dyn Fn(&mut CreditParameters, &mut HostParameters)| {
        let mut parameters = parameters(vec![LinkTiming { period: 1, delay: 1 }; 2]);
        let mut credits = CreditParameters::new(2, 64, 1);
        change(&mut credits, &mut parameters.host);
        parameters.flow = FlowControl::Credits(Box::new(credits));
        Fabric::new(&pair(), &parameters, &[Some(Port(0)); 2]).err()
    };
    assert_eq!(build(&|_, _| {}), None);
    assert_eq!(build(&|it, _| it.lanes = 0), Some(BuildError::Lanes { lanes: 0, most: 15 }));
    assert_eq!(build(&|it, _| it.lanes = 16), Some(BuildError::Lanes { lanes: 16, most: 15 }));
    assert_eq!(build(&|it, _| it.buffer = 63), Some(BuildError::BufferBelowPacket { buffer: 63, mtu: 64 }));
    assert_eq!(build(&|it, _| it.mtu = 0), Some(BuildError::BufferBelowPacket { buffer: 64, mtu: 0 }));
    assert_eq!(build(&|it, _| it.lanes = 3), Some(BuildError::LaneNotServed { lane: 2 }));
    assert_eq!(build(&|it, _| it.lanes = 1), Some(BuildError::NoSuchLane { lane: 1, lanes: 1 }));
    let empty = |it: &mut CreditParameters| it.arbitration = LaneArbitration::default();
    assert_eq!(build(&|it, _| empty(it)), Some(BuildError::LaneNotServed { lane: 0 }));
    let tables = |lane| ServiceLanes { hosts: vec![[lane; 16]; 2], switches: vec![vec![[0; 16]; 4]] };
    assert_eq!(build(&|it, _| it.service_lanes = Some(tables(1))), None);
    let wrong = Some(BuildError::NoSuchLane { lane: 2, lanes: 2 });
    assert_eq!(build(&|it, _| it.service_lanes = Some(tables(2))), wrong);
    let limit = build(&|it, _| it.head_of_line_limit = Some(0));
    assert!(matches!(limit, Some(BuildError::BadTime { .. })), "{limit:?}");
    let receive = Receive { stop: 2, go: 1, period: 1, overhead: 0 };
    let refused = build(&|_, host| host.receive = Some(receive));
    assert_eq!(refused, Some(BuildError::ReceiveWithCredits));
}
