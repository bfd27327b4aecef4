//! All-gathers on the wormhole fabric: closed forms of messages and of rings without contention, routes along trees,
//! contention on other routes, and what is lost.

use simnet_base::des::random::{Purpose, Stream};
use simnet_base::ids::{HostId, Port, Turn};
use simnet_base::units::{Bytes, Duration, Time};
use simnet_media::fabric::{
    Arbitration, FlowControl, HostParameters, LinkTiming, Parameters, SwitchParameters,
};
use simnet_media::host::collective::Algorithm as Collective;
use simnet_media::medium::{Event, Medium as _, Message};
use simnet_network::ring::{Algorithm, Kind, Tree, TreeRoutes, judge, judge_routes};
use simnet_network::routing::{
    self, Attachments, Choices, DependencyGraph, Landing, Plan, Routes, Selection, Wiring,
};
use simnet_network::topology::{Network, generate};
use simnet_running::simulation::ranks::worms::{Packets, Worms};
use simnet_running::simulation::ranks::{self, Job, Outcome, Protocol, Software};

use support_network::cases;

/// The stream of what these tests draw.
const TEST: Purpose = Purpose(9_965);

/// A flit's time at 1.28 Gb/s.
const CYCLE: Duration = Duration::from_ps(6_250);
/// To decode a head, and to fly over a cable, in cycles.
const DECODES: u64 = 24;
const FLIES: u64 = 2;

fn parameters(network: &Network, arbitration: Arbitration, timeout: Option<u64>) -> Parameters {
    Parameters {
        base_cycle: CYCLE,
        switch: SwitchParameters {
            routing_latency: DECODES,
            arbitration,
            timeout,
            ..SwitchParameters::default()
        },
        host: HostParameters::default(),
        links: vec![LinkTiming { period: 1, delay: FLIES }; network.links().len()],
        flow: FlowControl::StopGo,
    }
}

fn ports(network: &Network) -> Vec<Option<Port>> {
    network.host_ids().map(|host| network.attachment(host).map(|(port, ..)| port)).collect()
}

fn worms<R: Routes>(network: &Network, parameters: &Parameters, routes: R, packets: Packets) -> Worms<R> {
    Worms::new(network, parameters, &ports(network), routes, packets).unwrap()
}

fn tree(network: &Network, kind: Kind, seed: u64) -> Tree {
    Tree::new(network, kind, Tree::random_root(network, seed).unwrap(), seed).unwrap()
}

/// The kinds of trees in turn.
fn kind(seed: u64) -> Kind {
    match seed % 3 {
        0 => Kind::Bfs,
        1 => Kind::Dfs,
        _ => Kind::Random,
    }
}

/// A number below `bound`.
fn below(stream: &mut Stream, bound: u32) -> u32 {
    u32::try_from(stream.below(u64::from(bound))).unwrap()
}

fn up_down(network: &Network) -> routing::RouteTable {
    let choices = Choices { selection: Selection::Random { seed: 1 }, ..Choices::default() };
    Plan::new(network, &Attachments::lowest(network), &choices).unwrap().table
}

fn minimal(network: &Network) -> routing::RouteTable {
    let choices = Choices { algorithm: routing::Algorithm::Minimal, ..Choices::default() };
    Plan::new(network, &Attachments::lowest(network), &choices).unwrap().table
}

/// A random connected network of up to 12 switches with up to 4 machines each.
fn random_network(seed: u64) -> Network {
    let mut stream = Stream::new(seed, TEST, 0);
    let mut draw = |bound| below(&mut stream, bound);
    let (x, y, hosts) = (1 + draw(4), 1 + draw(3), 1 + draw(4));
    match draw(4) {
        0 => generate::Grid::mesh(&[x, y + 1], hosts).unwrap().build(),
        1 => generate::Grid::torus(&[x + 2, y + 2], hosts).unwrap().build(),
        2 => generate::Line::chain(x * y + 1, hosts).unwrap().build(),
        _ => generate::FatTree::new(2, y + 1, hosts).unwrap().build(),
    }
}

fn job(order: &[HostId], bytes: u64, protocol: Protocol) -> Job {
    let mut machines = order.to_vec();
    machines.sort_unstable();
    Job {
        order: ranks::order_on_ring(&machines, order),
        machines,
        block: Bytes(bytes),
        algorithm: Collective::Ring,
        software: Software::NONE,
        protocol,
        iterations: 1,
        seed: 1,
    }
}

fn flits(worms: &Worms<impl Routes>) -> u64 {
    worms.fabric().channel_use().iter().map(|channel| channel.flits).sum()
}

fn turns(routes: &impl Routes, from: HostId, to: HostId) -> Vec<Turn> {
    let mut turns = Vec::new();
    assert!(routes.route(from, to, &mut turns));
    turns
}

/// From the cycle in which a worm starts to that in which its tail is there, without anything in its way.
fn zero_load(switches: usize, flits: u64) -> u64 {
    FLIES + switches as u64 * (DECODES + FLIES) + flits - 1
}

/// When each machine of a ring has all blocks, in cycles, if no message meets another and a send is over when it has
/// been received: step by step, a machine goes on when its message is there and the one for it has come.
fn lone_ring(routes: &impl Routes, order: &[HostId], flits: u64) -> Vec<u64> {
    let machines = order.len();
    let mut ready = vec![0; machines];
    for _ in 1..machines {
        // What machine `nth` sends to the next one, there no sooner than that one asks for it.
        let arrives: Vec<u64> = (0..machines)
            .map(|nth| {
                let next = (nth + 1) % machines;
                let switches = turns(routes, order[nth], order[next]).len();
                (ready[nth] + 1 + zero_load(switches, flits)).max(ready[next])
            })
            .collect();
        ready = (0..machines).map(|nth| arrives[nth].max(arrives[(nth + machines - 1) % machines])).collect();
    }
    ready
}

fn ends(outcome: &Outcome, order: &[HostId]) -> Vec<u64> {
    assert!(outcome.is_complete() && outcome.lost.is_empty() && outcome.wrong == 0, "{outcome:?}");
    order.iter().map(|host| outcome.laps[host.index()][0].end.as_ps() / CYCLE.as_ps()).collect()
}

/// Wrong if a route did not arrive, left the tree, was not the tree's path, could deadlock with all others, or
/// if the judgement of the routes were not that of the tree.
#[test]
fn routes_along_a_tree_are_legal_and_judged_alike() {
    for seed in 0..cases(2_000) {
        let network = random_network(seed);
        if network.hosts().len() < 2 {
            continue;
        }
        let tree = tree(&network, kind(seed), seed);
        let routes = TreeRoutes::new(&network, &tree);
        let (wiring, attachments) = (Wiring::new(&network), Attachments::lowest(&network));
        let cables: Vec<_> = tree.parents.iter().flatten().map(|(link, _)| *link).collect();
        let mut dependencies = DependencyGraph::new(&network);
        for from in network.host_ids() {
            for to in network.host_ids().filter(|to| *to != from) {
                let mut last = None;
                let turns = turns(&routes, from, to);
                let landing = wiring.walk(attachments.of(from).unwrap().far, &turns, |_, _, output, wire| {
                    if let Some(last) = last {
                        dependencies.add(last, output);
                    }
                    last = Some(wire.channel);
                    let on_tree = cables.contains(&wire.channel.link());
                    assert!(on_tree || wire.to.node == simnet_base::ids::Node::Host(to), "seed {seed}");
                });
                let there = Landing::Arrived(simnet_network::topology::End::host(to, 0));
                assert_eq!((landing, turns.len()), (there, judge(&tree, &[from, to]).max_path_length));
            }
        }
        assert_eq!(dependencies.shortest_cycle(), None, "seed {seed}");

        let mut order: Vec<HostId> = network.host_ids().collect();
        let mut stream = Stream::new(seed, TEST, 1);
        order.sort_by_cached_key(|_| below(&mut stream, 1_000));
        let (by_tree, by_routes) = (judge(&tree, &order), judge_routes(&network, &routes, &order));
        assert_eq!(by_routes.is_free(), by_tree.contention_free, "seed {seed}");
        assert_eq!(by_routes.most, by_tree.max_channel_load, "seed {seed}");
        assert!(by_routes.unreachable == 0 && by_routes.cycle.is_none(), "seed {seed}");
    }
}

/// Wrong if one message alone took other than its serialisation, its cables and its switches, or as packets other than
/// one pause to decode at each switch's head for every packet, whatever the route.
#[test]
fn a_lone_message_takes_the_zero_load_time() {
    for seed in 0..cases(2_000) {
        let mut stream = Stream::new(seed, TEST, 2);
        let network = generate::Line::chain(1 + below(&mut stream, 6), 2).unwrap().build();
        let routes = TreeRoutes::new(&network, &tree(&network, Kind::Bfs, seed));
        let (from, to) = (HostId(0), HostId::new(network.hosts().len() - 1));
        let switches = turns(&routes, from, to).len();
        let bytes = 200 + stream.below(5_000);
        let most = (stream.below(2) == 1).then(|| 200 + below(&mut stream, 1_000));
        let packets = Packets { data: most, header: 1 + below(&mut stream, 20) };
        let (count, flits) = packets.of(bytes);
        let at = Time::from_ps(stream.below(1_000_000));
        let mut medium = worms(&network, &parameters(&network, Arbitration::Serial, None), routes, packets);
        medium.send(Message { source: from, destination: to, bytes, tag: 7 }, at);
        let started = at.as_ps() / CYCLE.as_ps() + 1;
        // Every further worm waits at the first switch until the one before has gone, and is decoded then; its other
        // route flits come in addition.
        let more = (count - 1) * (DECODES + switches as u64 - 1);
        let there = started + zero_load(switches, flits) + more;
        let (left_at, left) = medium.advance(None).unwrap();
        let (there_at, delivered) = medium.advance(None).unwrap();
        assert_eq!((left, delivered, medium.advance(None)), (Event::Left(7), Event::Delivered(7), None));
        let gone = started + flits + count * switches as u64;
        if count == 1 {
            assert_eq!(left_at.as_ps(), gone * CYCLE.as_ps(), "seed {seed}");
        }
        assert!(left_at.as_ps() >= gone * CYCLE.as_ps(), "seed {seed}");
        assert_eq!(
            there_at.as_ps(),
            there * CYCLE.as_ps(),
            "seed {seed}: {count} worms, {switches} switches"
        );
    }
}

/// Wrong if a ring along its own tree met anything on its way: every machine must be done in the cycle in which it
/// would be if its messages were alone.
#[test]
fn rings_on_their_own_tree_are_as_if_alone() {
    for seed in 0..cases(600) {
        let network = random_network(seed);
        if network.hosts().len() < 2 {
            continue;
        }
        let tree = tree(&network, kind(seed), seed);
        let ring = if seed % 2 == 0 { Algorithm::Lr1 } else { Algorithm::Lr3 }.ring(&tree).unwrap();
        let routes = TreeRoutes::new(&network, &tree);
        let bytes = 1 + Stream::new(seed, TEST, 3).below(3_000);
        let expected = lone_ring(&routes, &ring.hosts, bytes + 3);
        let parameters = parameters(&network, Arbitration::PerInput, None);
        let mut medium = worms(&network, &parameters, routes, Packets::default());
        let outcome = ranks::run(&mut medium, &job(&ring.hosts, bytes, Protocol::RENDEZVOUS)).unwrap();
        assert_eq!(ends(&outcome, &ring.hosts), expected, "seed {seed}");
    }
}

/// Wrong if 32 machines on a chain of four switches gathered 128 KiB blocks in more than 0.1 % over what their ports
/// take plus what the paths take, or in less than the ports take: with a decoder a port and with one a switch,
/// eager and rendezvous.
#[test]
fn a_ring_without_contention_fills_the_ports() {
    let network = generate::Line::chain(4, 8).unwrap().build();
    let tree = tree(&network, Kind::Bfs, 0);
    let (machines, bytes) = (32, 128 * 1024);
    for algorithm in [Algorithm::Lr1, Algorithm::Lr2, Algorithm::Lr3] {
        let ring = algorithm.ring(&tree).unwrap();
        for arbitration in [Arbitration::PerInput, Arbitration::Serial] {
            for protocol in [Protocol::EAGER, Protocol::RENDEZVOUS] {
                let (routes, parameters) =
                    (TreeRoutes::new(&network, &tree), parameters(&network, arbitration, None));
                let flits = Packets::default().of(bytes).1;
                let least = (machines - 1) * flits;
                let paths = (machines - 1) * zero_load(ring.max_path_length, 1);
                let mut medium = worms(&network, &parameters, routes, Packets::default());
                let outcome = ranks::run(&mut medium, &job(&ring.hosts, bytes, protocol)).unwrap();
                let last = ends(&outcome, &ring.hosts).into_iter().max().unwrap();
                let what = format!("{algorithm:?} {arbitration:?} {protocol:?}: {last} of {least} + {paths}");
                assert!(last > least && last as f64 <= (least + paths) as f64 * 1.001, "{what}");
            }
        }
    }
}

/// Wrong if UP*/DOWN* routes were thought as good as the tree's without a look: on a mesh and on a fat tree a ring
/// that shares channels takes longer than the same ring alone, and one that shares none does not.
#[test]
fn on_other_routes_contention_is_judged() {
    let mesh = generate::Grid::mesh(&[4, 2], 4).unwrap().build();
    let fat_tree = generate::FatTree::new(4, 2, 8).unwrap().build();
    let mut verdicts = Vec::new();
    for network in [mesh, fat_tree] {
        let tree = tree(&network, Kind::Bfs, 0);
        let ring = Algorithm::Lr1.ring(&tree).unwrap();
        let mut interleaved: Vec<HostId> = network.host_ids().collect();
        interleaved.sort_by_key(|host| (host.index() % 8, host.index()));
        for order in [ring.hosts, interleaved] {
            let routes = up_down(&network);
            let verdict = judge_routes(&network, &routes, &order);
            assert!(verdict.unreachable == 0 && verdict.cycle.is_none());
            let bytes = 20_000;
            let alone = lone_ring(&routes, &order, bytes + 3).into_iter().max().unwrap();
            let parameters = parameters(&network, Arbitration::PerInput, None);
            let mut medium = worms(&network, &parameters, routes, Packets::default());
            let outcome = ranks::run(&mut medium, &job(&order, bytes, Protocol::RENDEZVOUS)).unwrap();
            let last = ends(&outcome, &order).into_iter().max().unwrap();
            if verdict.is_free() {
                assert_eq!(last, alone, "{}", network.name);
            } else {
                assert!(last * 10 > alone * 11, "{}: {last} against {alone}, {verdict:?}", network.name);
            }
            verdicts.push((verdict.is_free(), last as f64 / alone as f64, verdict.most));
        }
    }
    assert!(verdicts.iter().any(|verdict| verdict.0) && verdicts.iter().any(|verdict| !verdict.0));
}

/// What happens to all messages of a list of (instant, message), run in pieces that `cut` chooses.
fn events(
    network: &Network,
    sent: &[(Time, Message)],
    timeout: Option<u64>,
    cut: &mut Stream,
) -> Vec<(Time, Event)> {
    let parameters = parameters(network, Arbitration::Serial, timeout);
    let packets = Packets { data: Some(700), header: 4 };
    let mut medium = worms(network, &parameters, minimal(network), packets);
    let mut seen = Vec::new();
    let mut now = Time::ZERO;
    for (at, message) in sent {
        while now < *at {
            let until = (now + Duration::from_ps(1 + cut.below(3_000_000))).min(*at);
            while let Some(event) = medium.advance(Some(until)) {
                assert!(event.0 <= until && event.0 >= now);
                seen.push(event);
            }
            now = until;
        }
        medium.send(*message, *at);
    }
    while let Some(event) = medium.advance(None) {
        seen.push(event);
    }
    seen
}

/// Wrong if a message ended never or twice, messages between two hosts overtook each other, instants went back, or
/// what happens depended on how far the medium is run at a time. Routes are minimal on a torus: some deadlock, and
/// are reset, or stand for ever.
#[test]
fn every_message_ends_once_and_in_order() {
    let mut lost = 0;
    for seed in 0..cases(400) {
        let network = generate::Grid::torus(&[3 + u32::try_from(seed % 3).unwrap()], 2).unwrap().build();
        let mut stream = Stream::new(seed, TEST, 4);
        let mut at = Time::ZERO;
        let mut sent: Vec<(Time, Message)> = Vec::new();
        for tag in 0..40 {
            at = at + Duration::from_ps(stream.below(10) * stream.below(1_500_000));
            let (source, skip) = (below(&mut stream, 6), 1 + below(&mut stream, 5));
            let destination = HostId((source + skip) % 6);
            sent.push((
                at,
                Message { source: HostId(source), destination, bytes: 1 + stream.below(4_000), tag },
            ));
        }
        let timeout = (seed % 2 == 0).then_some(3_000);
        let seen = events(&network, &sent, timeout, &mut Stream::new(seed, TEST, 5));
        assert_eq!(seen, events(&network, &sent, timeout, &mut Stream::new(seed, TEST, 6)), "seed {seed}");
        assert!(seen.windows(2).all(|pair| pair[0].0 <= pair[1].0), "seed {seed}");
        let place = |event: Event| seen.iter().position(|(_, seen)| *seen == event);
        for (_, message) in &sent {
            let (left, there) = (place(Event::Left(message.tag)), place(Event::Delivered(message.tag)));
            let gone = place(Event::Lost(message.tag));
            assert!(there.is_some() != gone.is_some() && (there.is_none() || left < there), "seed {seed}");
            assert!(there.is_none() || left.is_some(), "seed {seed}: {message:?}");
            lost += u32::from(gone.is_some());
            let alike = sent.iter().filter(|(_, other)| {
                (other.source, other.destination) == (message.source, message.destination)
                    && other.tag < message.tag
            });
            for (_, other) in alike {
                let before = place(Event::Delivered(other.tag));
                assert!(before.is_none() || there.is_none() || before < there, "seed {seed}");
            }
        }
        assert!(seen.len() <= 2 * sent.len(), "seed {seed}");
    }
    assert!(lost > 0, "no case shows a loss");
}

/// Wrong if a message without a route, or a ring in a deadlock that nothing resolves, were waited for for ever.
#[test]
fn what_cannot_arrive_is_lost() {
    let network = generate::Line::ring(4, 1).unwrap().build();
    struct Round;
    impl Routes for Round {
        // Always two switches on, clockwise, then down: four such worms wait for each other.
        fn route(&self, source: HostId, destination: HostId, turns: &mut Vec<Turn>) -> bool {
            if (source.0 + 2) % 4 != destination.0 {
                return false;
            }
            turns.extend([Turn(-1), Turn(1), Turn(2)]);
            true
        }
    }
    for timeout in [None, Some(2_000)] {
        let parameters = parameters(&network, Arbitration::Serial, timeout);
        let mut medium = worms(&network, &parameters, Round, Packets::default());
        let message =
            |source, to, tag| Message { source: HostId(source), destination: HostId(to), bytes: 9_000, tag };
        for source in 0..4 {
            medium.send(message(source, (source + 2) % 4, u64::from(source)), Time::ZERO);
        }
        medium.send(message(0, 1, 9), Time::ZERO);
        let mut seen = Vec::new();
        while let Some((_, event)) = medium.advance(None) {
            seen.push(event);
        }
        assert_eq!(seen[0], Event::Lost(9));
        let lost = seen.iter().filter(|event| matches!(event, Event::Lost(_))).count();
        assert_eq!(lost, if timeout.is_none() { 5 } else { lost.max(2) }, "{seen:?}");
        assert!((0..4).all(|tag| seen.contains(&Event::Lost(tag)) != seen.contains(&Event::Delivered(tag))));
        let order: Vec<HostId> = [0, 2].map(HostId).to_vec();
        let verdict = judge_routes(&network, &Round, &order);
        assert!(verdict.is_free() && verdict.cycle.is_none() && flits(&medium) > 0);
    }
}
