//! The engine against what can be calculated by hand: latency without load, conservation, a queue's waiting
//! time.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use simnet_base::ids::{HostId, Node, Port};
use simnet_media::fabric::{Arbitration, Ended, Fate, LinkTiming, SwitchParameters};
use simnet_network::topology::{End, Network};

use support_media::engine::{Engine, Manner, parameters};
use support_media::oracle::{Case, Message};
use support_media::random_case::{ARBITRATIONS, random_case, wired};
use support_network::{cases, interval};

fn switch_parameters(routing_latency: u64, arbitration: Arbitration) -> SwitchParameters {
    SwitchParameters { buffer: 132, stop: 108, routing_latency, arbitration, ..SwitchParameters::default() }
}

/// One message through a random network, alone.
fn lone_message(rng: &mut ChaCha8Rng, slowest: u64) -> Option<Case> {
    let wiring = wired(rng);
    let from = HostId::new(rng.random_range(0..wiring.network.hosts().len()));
    wiring.attachments[from.index()]?;
    let route = wiring.path(rng, from, |_| true);
    let timing = |_| LinkTiming { period: rng.random_range(1..=slowest), delay: rng.random_range(1..=12) };
    let links = (0..wiring.network.links().len()).map(timing).collect();
    let arbitration = ARBITRATIONS[rng.random_range(0..ARBITRATIONS.len())];
    let switch = switch_parameters(rng.random_range(1..=40), arbitration);
    let created = rng.random_range(0..10_000);
    let message = Message { created, payload: rng.random_range(1..=600), route, tag: 7, time_to_live: None };
    let mut messages = vec![Vec::new(); wiring.network.hosts().len()];
    messages[from.index()].push(message);
    let parameters = parameters(switch, links);
    let (network, attachments) = (wiring.network, wiring.attachments);
    Some(Case { network, parameters, attachments, messages, link_events: vec![], horizon: 40_000 })
}

/// The only message of a case, the timing of the cables on its path from the sender's on, and where that
/// ends.
fn path_of(case: &Case) -> (&Message, Vec<LinkTiming>, Node) {
    let (host, message) =
        case.network.host_ids().zip(&case.messages).find_map(|(h, m)| Some((h, m.first()?))).unwrap();
    let mut out = End { node: Node::Host(host), port: case.attachments[host.index()].unwrap() };
    let mut cables = Vec::new();
    for hop in 0..=message.route.len() {
        cables.push(case.parameters.links[case.network.link_at(out).unwrap().index()]);
        let input = case.network.peer(out).unwrap();
        if let Some(turn) = message.route.get(hop) {
            out = End { node: input.node, port: input.port.turned(*turn).unwrap() };
        }
    }
    let end = case.network.peer(out).unwrap().node;
    (message, cables, end)
}

fn only_fate(case: &Case) -> (Node, u64, u64) {
    let mut engine = Engine::new(case, Manner::default());
    engine.run_until(case.horizon);
    match engine.ended() {
        [message] => match message.fate {
            Fate::Delivered { host, head, tail } => (Node::Host(host), head.0, tail.0),
            Fate::Destroyed { .. } => panic!("destroyed: {message:?} in {case:?}"),
        },
        other => panic!("{other:?} in {case:?}"),
    }
}

/// Tail latency = sum over hops (R + d) + d_0 + payload - 1, where all channels run at the base rate.
/// Wrong if any hop costs a cycle more or less, whatever the network around the path.
#[test]
fn a_lone_message_takes_the_zero_load_latency() {
    for seed in 0..cases(20_000) {
        let Some(case) = lone_message(&mut ChaCha8Rng::seed_from_u64(seed), 1) else { continue };
        let (message, cables, end) = path_of(&case);
        let latency = case.parameters.switch.routing_latency;
        let head = message.created
            + cables[0].delay
            + cables[1..].iter().map(|cable| latency + cable.delay).sum::<u64>();
        let tail = head + u64::from(message.payload) - 1;
        assert_eq!(only_fate(&case), (end, head, tail), "seed {seed}");
    }
}

/// The same where the channels' periods differ, flit by flit: a flit goes out as soon as it is there, the
/// head is decoded and the channel's period since the flit before is over.
#[test]
fn a_lone_message_keeps_every_channels_period() {
    for seed in 0..cases(10_000) {
        let Some(case) = lone_message(&mut ChaCha8Rng::seed_from_u64(seed), 5) else { continue };
        let (message, cables, end) = path_of(&case);
        let flits = message.route.len() + message.payload as usize;
        let mut there = vec![message.created; flits];
        for (hop, cable) in cables.iter().enumerate() {
            if hop > 0 {
                let granted = there.remove(0) + case.parameters.switch.routing_latency;
                there.iter_mut().for_each(|at| *at = granted.max(*at));
            }
            let mut last = None;
            for at in &mut there {
                *at = last.map_or(*at, |last: u64| (*at).max(last + cable.period));
                last = Some(*at);
            }
            there.iter_mut().for_each(|at| *at += cable.delay);
        }
        assert_eq!(only_fate(&case), (end, there[0], there[there.len() - 1]), "seed {seed}");
    }
}

/// Heads that arrive at once in cycle 1 at a switch of R = 24: which of them waits for which is a matter of the unit.
/// Wrong if heads to different outputs wait for each other with a unit at each output, if two to one output do not,
/// if the second is not decoded while the first worm holds the output, or if the outputs' units cost a lone head more
/// than others do.
#[test]
fn heads_wait_for_the_unit_of_their_output() {
    // A payload of 10 takes its output for 10 cycles from the grant on; one of 100 for longer than the next head's
    // decoding.
    let tails = |arbitration, outputs: &[u16], payload| {
        let case = at_once(arbitration, outputs, payload);
        let mut engine = Engine::new(&case, Manner::default());
        engine.run_until(case.horizon);
        let mut tails = vec![0; outputs.len()];
        for message in engine.ended() {
            let Fate::Delivered { tail, .. } = message.fate else { panic!("{message:?}") };
            tails[usize::try_from(message.tag).unwrap()] = tail.0;
        }
        tails
    };
    let (serial, input, output) = (Arbitration::Serial, Arbitration::PerInput, Arbitration::PerOutput);
    // Decoded in 25, at its host in 26, its tail 9 cycles later.
    assert!(ARBITRATIONS.iter().all(|arbitration| tails(*arbitration, &[4], 10) == [35]));
    // Two outputs.
    assert_eq!(tails(serial, &[4, 5], 10), [35, 35 + 24]);
    assert_eq!(tails(input, &[4, 5], 10), [35, 35]);
    assert_eq!(tails(output, &[4, 5], 10), [35, 35]);
    // One output, which is free again while the second head is decoded for it.
    assert_eq!(tails(serial, &[4, 4], 10), [35, 35 + 24]);
    assert_eq!(tails(input, &[4, 4], 10), [35, 35 + 10]);
    assert_eq!(tails(output, &[4, 4], 10), [35, 35 + 24]);
    // One output, held for longer than that: the second head has been decoded meanwhile.
    for arbitration in ARBITRATIONS {
        assert_eq!(tails(arbitration, &[4, 4], 100), [125, 225], "{arbitration:?}");
    }
    // Three heads, round robin from the lowest port on; the one to the other output waits for none of them.
    assert_eq!(tails(output, &[4, 5, 4, 4], 10), [35, 35, 35 + 24, 35 + 48]);
    assert_eq!(tails(serial, &[4, 5, 4, 4], 10), [35, 35 + 24, 35 + 48, 35 + 72]);
}

/// Worms of `n` flits, one behind the other, leave a switch without a gap if its inputs take a header every so many
/// cycles or more often, and an interval apart if not. Wrong if a head behind another began when that had left.
#[test]
fn a_pipeline_takes_a_worm_every_interval() {
    for seed in 0..cases(2_000) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (latency, payload) = (rng.random_range(1..=40), rng.random_range(1..=60));
        let mut case = at_once(Arbitration::PerInput, &[4], payload);
        let interval = rng.random_range(1..=latency);
        case.parameters.switch.routing_latency = latency;
        case.parameters.switch.routing_interval = Some(interval);
        let first = case.messages[0][0].clone();
        case.messages[0] = (0..20).map(|tag| Message { tag, ..first.clone() }).collect();
        let mut engine = Engine::new(&case, Manner::default());
        engine.run_until(case.horizon);
        let tails = engine.ended().iter().map(|message| match message.fate {
            Fate::Delivered { tail, .. } => tail.0,
            Fate::Destroyed { .. } => panic!("{message:?}"),
        });
        let tails: Vec<u64> = tails.collect();
        // With the route flit, which does not leave.
        let apart = interval.max(u64::from(payload) + 1);
        let alone = 1 + latency + 1 + u64::from(payload) - 1;
        let due: Vec<u64> = (0..20).map(|nth| alone + nth * apart).collect();
        assert_eq!(tails, due, "seed {seed}: {latency} {interval} {payload}");
    }
}

/// One switch of six ports with a host at each, all cables a cycle long; the first hosts send a message each in cycle
/// 0, to the given ports.
fn at_once(arbitration: Arbitration, outputs: &[u16], payload: u32) -> Case {
    let mut network = Network::new("at once");
    let switch = network.add_switch("s", 6).unwrap();
    for port in 0..6 {
        let host = network.add_host(format!("h{port}")).unwrap();
        network.connect(End::host(host, 0), End::switch(switch, port)).unwrap();
    }
    let mut messages = vec![Vec::new(); 6];
    for ((tag, from), to) in (0..).zip(0..).zip(outputs) {
        let route = vec![Port(from).turn_to(Port(*to))];
        messages[usize::from(from)].push(Message { created: 0, payload, route, tag, time_to_live: None });
    }
    let links = vec![LinkTiming { period: 1, delay: 1 }; 6];
    let parameters = parameters(switch_parameters(24, arbitration), links);
    let attachments = vec![Some(Port(0)); 6];
    Case { network, parameters, attachments, messages, link_events: vec![], horizon: 10_000 }
}

/// Worms: created = waiting + under way + over. Flits: where nothing is destroyed, every worm is sent over
/// each cable of its path with the route flits that it still has there. Wrong if a worm or a flit is lost,
/// doubled, or stripped of its route at the wrong place.
#[test]
fn worms_and_flits_are_conserved() {
    let mut whole = 0;
    for seed in 0..cases(4_000) {
        let case = random_case(seed);
        let mut engine = Engine::new(&case, Manner { waking: seed % 2 == 1, ..Manner::default() });
        let reached = engine.run_until(case.horizon);
        let created: Vec<&Message> = case.messages.iter().flatten().collect();
        let mut seen: Vec<u64> =
            engine.ended().iter().map(|message| message.tag).chain(engine.live()).collect();
        seen.sort_unstable();
        assert_eq!(engine.in_flight(), engine.live().len(), "seed {seed}");
        assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "seed {seed}: a worm is there twice");
        if reached < case.horizon && engine.in_flight() == 0 && case.link_events.is_empty() {
            assert_eq!(seen.len(), created.len(), "seed {seed}: a worm has gone");
        }
        if engine.ended().iter().filter(|message| is_delivered(message)).count() < created.len() {
            continue;
        }
        whole += 1;
        let sent: u64 = engine.channels().iter().map(|channel| channel.sent).sum();
        let on_its_way = |message: &&Message| {
            let (hops, payload) = (message.route.len() as u64, u64::from(message.payload));
            (hops + 1) * payload + hops * (hops + 1) / 2
        };
        assert_eq!(sent, created.iter().map(on_its_way).sum::<u64>(), "seed {seed}");
    }
    assert!(whole > 0, "no case was without losses");
}

fn is_delivered(message: &Ended) -> bool {
    matches!(message.fate, Fate::Delivered { .. })
}

/// A star: every host but the last sends to the last, as Poisson arrivals of `load` in all.
pub(super) fn star(seed: u64, hosts: u16, payload: u32, load: f64, count: usize) -> Case {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut network = Network::new("star");
    let switch = network.add_switch("s", hosts).unwrap();
    for port in 0..hosts {
        let host = network.add_host(format!("h{port}")).unwrap();
        network.connect(End::host(host, 0), End::switch(switch, port)).unwrap();
    }
    let links = vec![LinkTiming { period: 1, delay: 1 }; usize::from(hosts)];
    let mut messages = vec![Vec::new(); usize::from(hosts)];
    let mut time = 0.0_f64;
    for tag in 0..count as u64 {
        time -= f64::from(payload) / load * (1.0 - rng.random::<f64>()).ln();
        let from = rng.random_range(0..hosts - 1);
        let route = vec![Port(from).turn_to(Port(hosts - 1))];
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time is not negative")]
        let created = time.ceil() as u64;
        messages[usize::from(from)].push(Message { created, payload, route, tag, time_to_live: None });
    }
    let attachments = vec![Some(Port(0)); usize::from(hosts)];
    let parameters = parameters(switch_parameters(1, Arbitration::PerInput), links);
    let horizon = u64::MAX / 4;
    Case { network, parameters, attachments, messages, link_events: vec![], horizon }
}

/// One output with Poisson arrivals is an M/D/1 queue: mean wait = load x service / (2 (1 - load)).
///
/// The service of a worm is exactly its payload, in cycles: the route flit is stripped at the grant, the
/// first flit of the payload goes out in the cycle of the grant and the tail `payload - 1` cycles later,
/// and the output can be granted again in the cycle after that; so a grant costs nothing on top of the route
/// flit's passage, which is part of the wait of no other worm. Rounding arrivals up to whole cycles leaves
/// the formula exact: the discrete queue's mean work at an arrival, (load x service - load (1 - load)) / (2
/// (1 - load)), and the load / 2 of those that came in the same cycle before it add up to the same. The
/// order of service does not change the mean. What remains is that messages of one host follow each other
/// through one port, hence many hosts.
///
/// Wrong if a grant, a release or a restart costs or saves as much as a cycle on average.
#[test]
fn one_output_waits_as_an_m_d_1_queue() {
    let (hosts, payload, count, warmup) = (121, 64, 20_000, 2_000);
    for load in [0.3, 0.5, 0.7] {
        let waits: Vec<f64> = (0..20)
            .map(|replication| {
                let mut engine =
                    Engine::new(&star(replication, hosts, payload, load, count), Manner::default());
                engine.run_until(u64::MAX / 4);
                assert_eq!(engine.ended().len(), count);
                let wait = |message: &Ended| match message.fate {
                    Fate::Delivered { head, .. } => head.0 - message.created.0 - (1 + 1 + 1),
                    Fate::Destroyed { .. } => panic!("nothing destroys here"),
                };
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
