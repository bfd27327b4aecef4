//! Single mechanisms on networks small enough to be worked out by hand.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use super::*;
use simnet_base::ids::{SwitchId, Turn};
use simnet_base::units::Duration;

/// Hosts with lists of messages: creation, turns, payload. The tag is host * 100 + position.
struct Script {
    lists: Vec<VecDeque<(u64, Vec<i16>, u32)>>,
    sent: Vec<u64>,
    ended: Vec<Ended>,
    /// Tags with a time to live of their own.
    lives: Vec<(u64, u64)>,
}

impl Endpoint for Script {
    fn next_message(&mut self, host: HostId, route: &mut RouteBuffer) -> Option<Outgoing> {
        let (created, turns, payload) = self.lists[host.index()].pop_front()?;
        route.extend(turns.iter().map(|turn| Turn(*turn)));
        self.sent[host.index()] += 1;
        let tag = u64::from(host.0) * 100 + self.sent[host.index()] - 1;
        let time_to_live = self.lives.iter().find(|(of, _)| *of == tag).map(|(_, life)| *life);
        Some(Outgoing { created: Cycle(created), payload, tag, time_to_live, service_level: 0 })
    }

    fn ended(&mut self, message: &Ended) -> ControlFlow<()> {
        self.ended.push(*message);
        ControlFlow::Continue(())
    }
}

#[derive(Default)]
struct Resets(Vec<(u64, End)>);

impl Observer for Resets {
    fn reset(&mut self, now: Cycle, output: End, _worm: WormId) {
        self.0.push((now.0, output));
    }
}

struct World {
    network: Network,
    parameters: Parameters,
    script: Script,
}

impl World {
    /// Switches with eight ports in a ring, port 7 to the next one's port 6; `hosts` at each, from port 0 on.
    fn ring(switches: usize, hosts: u16) -> World {
        let mut network = Network::new("ring");
        for index in 0..switches {
            network.add_switch(format!("s{index}"), 8).unwrap();
        }
        for index in 0..switches {
            for port in 0..hosts {
                let host = network.add_host(format!("h{index}.{port}")).unwrap();
                network.connect(End::host(host, 0), End::switch(SwitchId::new(index), port)).unwrap();
            }
        }
        for index in 0..if switches > 1 { switches } else { 0 } {
            let next = SwitchId::new((index + 1) % switches);
            network.connect(End::switch(SwitchId::new(index), 7), End::switch(next, 6)).unwrap();
        }
        World::of(network)
    }

    fn of(network: Network) -> World {
        let hosts = network.hosts().len();
        let parameters = Parameters {
            base_cycle: Duration::from_ps(6_250),
            switch: SwitchParameters { timeout: None, ..SwitchParameters::default() },
            host: HostParameters::default(),
            links: vec![LinkTiming { period: 1, delay: 2 }; network.links().len()],
            flow: FlowControl::StopGo,
        };
        let script = Script {
            lists: vec![VecDeque::new(); hosts],
            sent: vec![0; hosts],
            ended: Vec::new(),
            lives: Vec::new(),
        };
        World { network, parameters, script }
    }

    fn send(&mut self, host: usize, created: u64, turns: &[i16], payload: u32) {
        self.script.lists[host].push_back((created, turns.to_vec(), payload));
    }

    fn fabric(&self) -> Fabric {
        let attachments = vec![Some(Port(0)); self.network.hosts().len()];
        Fabric::new(&self.network, &self.parameters, &attachments).unwrap()
    }

    /// Runs to the end; the fates by tag, in the order of ending.
    fn run(&mut self) -> (Fabric, Vec<(u64, Fate)>) {
        let mut fabric = self.fabric();
        let fates = self.finish(&mut fabric);
        (fabric, fates)
    }

    fn finish(&mut self, fabric: &mut Fabric) -> Vec<(u64, Fate)> {
        assert_eq!(fabric.run_until(Cycle(u64::MAX), &mut self.script, &mut ()), Pause::Idle);
        self.script.ended.iter().map(|ended| (ended.tag, ended.fate)).collect()
    }
}

fn delivered(host: u32, head: u64, tail: u64) -> Fate {
    Fate::Delivered { host: HostId(host), head: Cycle(head), tail: Cycle(tail) }
}

fn destroyed(cause: Cause, at: u64) -> Fate {
    Fate::Destroyed { cause, at: Cycle(at) }
}

/// Wrong if an uncontended worm is a cycle early or late on any number of hops and any length: the head of k
/// turns takes d + k (R + d) cycles, and the tail comes payload - 1 later.
#[test]
fn zero_load_latency_is_the_closed_form() {
    for hops in 1..=6i16 {
        for payload in [1, 2, 24, 55, 200] {
            let mut world = World::ring(7, 1);
            let mut turns = vec![7];
            turns.extend(vec![1; usize::try_from(hops).unwrap() - 1]);
            turns.push(-6);
            let created = 1_000;
            world.send(0, created, &turns, payload);
            let (fabric, fates) = world.run();
            let switches = u64::try_from(hops).unwrap() + 1;
            let head = created + 2 + switches * (24 + 2);
            let host = u32::try_from(hops).unwrap();
            assert_eq!(fates, [(0, delivered(host, head, head + u64::from(payload) - 1))]);
            assert_eq!(fabric.in_flight(), 0);
        }
    }
}

/// Wrong if a slow cable is not the pace of the whole worm, or costs more than that.
#[test]
fn a_slow_cable_paces_the_worm() {
    let mut world = World::ring(3, 1);
    world.parameters.links[3].period = 4;
    world.send(0, 10, &[7, 1, -6], 20);
    let (_, fates) = world.run();
    // Flit j (from 0) leaves switch 0 in cycle 36 + 4 (j - 1). The last, flit 22, finds nothing in its way
    // after.
    assert_eq!(fates, [(0, delivered(2, 10 + 2 + 3 * 26, 36 + 4 * 21 + 3 * 2))]);
}

/// Wrong if a message were counted under another fate than its own.
#[test]
fn fates_are_counted_apart() {
    let mut fates = Fates::default();
    fates.count(delivered(0, 1, 2), false);
    fates.count(delivered(0, 1, 2), false);
    fates.count(delivered(0, 1, 2), true);
    for (nth, cause) in (1..).zip(Cause::ALL) {
        (0..nth).for_each(|_| fates.count(destroyed(cause, 0), false));
        assert_eq!(fates.destroyed(cause), nth);
    }
    assert_eq!((fates.delivered, fates.corrupted, fates.lost()), (2, 1, 1 + 36));
    // Illegal turns, missing wires, hosts too soon, and stranded ones: the third to the sixth.
    assert_eq!(fates.undeliverable(), 3 + 4 + 5 + 6);
}

/// Wrong if any of the four faults of a route has another name, or strikes at another time.
#[test]
fn faulty_routes_are_named() {
    let cases: [(&[i16], Fate); 5] = [
        (&[8], destroyed(Cause::IllegalTurn, 26)),
        (&[-1], destroyed(Cause::IllegalTurn, 26)),
        (&[5], destroyed(Cause::NoSuchWire, 26)),
        (&[], destroyed(Cause::Stranded, 26)),
        (&[1, 3], destroyed(Cause::HostTooSoon, 28)),
    ];
    for (turns, fate) in cases {
        for payload in [1, 10, 300] {
            let mut world = World::ring(1, 2);
            world.send(0, 0, turns, payload);
            let (fabric, fates) = world.run();
            assert_eq!(fates, [(0, fate)], "turns {turns:?}");
            assert_eq!((fabric.in_flight(), fabric.live().len()), (0, 0));
        }
    }
}

/// Wrong if a cycle of worms round a ring is not seen as a deadlock, not broken by the timeout, or does not
/// let the others through.
#[test]
fn a_reset_breaks_a_ring_deadlock() {
    for timeout in [None, Some(5_000)] {
        let mut world = World::ring(3, 1);
        world.parameters.switch.timeout = timeout;
        for host in 0..3 {
            world.send(host, 0, &[7, 1, -6], 1_000);
        }
        let mut fabric = world.fabric();
        let mut resets = Resets::default();
        let pause = fabric.run_until(Cycle(u64::MAX), &mut world.script, &mut resets);
        assert_eq!(pause, Pause::Idle);
        let [deadlock] = fabric.deadlocks() else { panic!("{:?}", fabric.deadlocks()) };
        assert_eq!(deadlock.members.len(), 6, "{deadlock:?}");
        if timeout.is_none() {
            assert_eq!(deadlock.cleared, None);
            assert_eq!(fabric.live().len(), 3);
            continue;
        }
        assert!(!resets.0.is_empty());
        let cleared = deadlock.cleared.unwrap();
        assert_eq!((cleared.at.0, cleared.output), resets.0[0]);
        assert_eq!(fabric.in_flight(), 0);
        assert_eq!(world.script.ended.len(), 3);
    }
}

/// Wrong if a worm that comes back into a buffer behind its own body is not a deadlock of its own, or is
/// missed by the blocked timer: for some lengths no head waits anywhere, and only stopped outputs show it.
#[test]
fn a_looping_worm_blocks_itself_and_is_reset() {
    let mut without_waiting_head = 0;
    for payload in 100..220 {
        let mut world = World::ring(3, 1);
        world.parameters.switch.timeout = Some(2_000);
        let mut turns = vec![7];
        turns.extend([1; 7]);
        turns.push(-6);
        world.send(0, 0, &turns, payload);
        let (fabric, fates) = world.run();
        let reset = matches!(fates[..], [(0, Fate::Destroyed { cause: Cause::Reset, .. })]);
        assert_eq!(fabric.deadlocks().len(), usize::from(reset), "payload {payload}: {fates:?}");
        assert!(fabric.deadlocks().iter().all(|deadlock| deadlock.cleared.is_some()));
        assert_eq!((fates.len(), fabric.in_flight()), (1, 0));
        without_waiting_head += fabric.deadlocks().iter().filter(|it| it.members.len() == 3).count();
        assert!(reset || payload < 200);
    }
    assert!(without_waiting_head > 0);
}

/// Wrong if a failed cable lets a flit through, forgets one, or stops what does not use it; or if the cable
/// does not carry the next message when it is back.
#[test]
fn a_failure_cuts_and_a_return_heals() {
    let mut world = World::ring(3, 1);
    world.send(0, 0, &[7, -6], 500);
    world.send(0, 10, &[7, -6], 5);
    world.send(1, 0, &[7, -6], 500);
    let mut fabric = world.fabric();
    let cable = LinkId(3);
    fabric.fail_link(cable, Cycle(200));
    fabric.restore_link(cable, Cycle(5_000));
    let mut fates = world.finish(&mut fabric);
    fates.sort_by_key(|(tag, _)| *tag);
    let expected = [
        (0, destroyed(Cause::LinkFailure, 200)),
        // Its head comes to the front when the first message's tail, flit 501, has been eaten.
        (1, destroyed(Cause::NoSuchWire, 26 + 500 + 1 + 24)),
        (100, delivered(2, 54, 54 + 499)),
    ];
    assert_eq!(fates, expected);
    world.script.ended.clear();
    world.send(0, 6_000, &[7, -6], 5);
    fabric.wake(HostId(0), Cycle(6_000));
    let head = 6_000 + 2 + 2 * 26;
    assert_eq!(world.finish(&mut fabric), [(2, delivered(1, head, head + 4))]);
}

/// Wrong if a host whose cable has failed does not drop its message at once, or sends the next before the
/// cable is back.
#[test]
fn a_host_waits_for_its_cable() {
    let mut world = World::ring(1, 2);
    world.send(0, 0, &[1], 500);
    world.send(0, 0, &[1], 5);
    let mut fabric = world.fabric();
    fabric.fail_link(LinkId(0), Cycle(100));
    fabric.restore_link(LinkId(0), Cycle(1_000));
    let fates = world.finish(&mut fabric);
    assert_eq!(fates, [(0, destroyed(Cause::LinkFailure, 100)), (1, delivered(1, 1_028, 1_032))]);
    assert_eq!(world.script.ended[1].started, Cycle(1_000));
}

/// Wrong if a receive buffer is not emptied at the interface's rate and with its rest after each tail.
#[test]
fn a_receive_buffer_is_taken_flit_by_flit() {
    let mut world = World::ring(1, 2);
    world.parameters.host.receive = Some(Receive { stop: 10, go: 5, period: 3, overhead: 100 });
    world.send(0, 0, &[1], 50);
    world.send(0, 0, &[1], 1);
    let (_, fates) = world.run();
    let (head, tail) = (28, 28 + 49 * 3);
    let next = tail + 3 + 100;
    assert_eq!(fates, [(0, delivered(1, head, tail)), (1, delivered(1, next, next))]);
}

/// Hears when tails leave hosts.
struct Departures(Script, Vec<(u32, u64)>);

impl Endpoint for Departures {
    fn next_message(&mut self, host: HostId, route: &mut RouteBuffer) -> Option<Outgoing> {
        self.0.next_message(host, route)
    }

    fn departed(&mut self, host: HostId, at: Cycle) -> ControlFlow<()> {
        self.1.push((host.0, at.0));
        ControlFlow::Continue(())
    }

    fn ended(&mut self, message: &Ended) -> ControlFlow<()> {
        self.0.ended(message)
    }
}

/// Wrong if a departure is reported a cycle early or late: 51 flits leave from cycle 0 on, then 11.
#[test]
fn departures_are_reported_in_their_cycles() {
    let mut world = World::ring(1, 2);
    world.send(0, 0, &[1], 50);
    world.send(0, 0, &[1], 10);
    let mut fabric = world.fabric();
    fabric.report_departures();
    let mut endpoint = Departures(world.script, Vec::new());
    assert_eq!(fabric.run_until(Cycle(u64::MAX), &mut endpoint, &mut ()), Pause::Idle);
    assert_eq!(endpoint.1, [(0, 50), (0, 61)]);
}

/// Wrong if counters forget flits of worms in flight: here a worm is looked at while it is on its way.
#[test]
fn channels_count_flits_in_flight() {
    let mut world = World::ring(1, 2);
    world.send(0, 0, &[1], 50);
    let mut fabric = world.fabric();
    assert_eq!(fabric.run_until(Cycle(40), &mut world.script, &mut ()), Pause::Limit);
    let used: Vec<u64> = fabric.channel_use().iter().map(|channel| channel.flits).collect();
    // 40 cycles from the host; the switch sends from cycle 26 on.
    assert_eq!(used, [40, 0, 0, 14]);
    assert_eq!(fabric.occupancy(End::switch(SwitchId(0), 0)), 38 - 1 - 14);
    assert_eq!(fabric.live(), [Live { tag: 0, source: HostId(0) }]);
}

/// Wrong if a head were counted before it is decoded, at another port than it came in by (or goes out by, where that
/// decodes), or at its host.
#[test]
fn heads_are_counted_where_they_were_decoded() {
    for (arbitration, channel) in
        [(Arbitration::Serial, 0), (Arbitration::PerInput, 0), (Arbitration::PerOutput, 3)]
    {
        let mut world = World::ring(1, 2);
        world.parameters.switch.arbitration = arbitration;
        world.send(0, 0, &[1], 50);
        world.send(0, 0, &[1], 50);
        let mut fabric = world.fabric();
        assert_eq!(fabric.run_until(Cycle(26), &mut world.script, &mut ()), Pause::Limit);
        assert_eq!(fabric.heads_decoded(), [0, 0, 0, 0], "the first is decoded in cycle 26");
        assert_eq!(fabric.run_until(Cycle(27), &mut world.script, &mut ()), Pause::Limit);
        let heads = |count| {
            let mut heads = [0; 4];
            heads[channel] = count;
            heads
        };
        assert_eq!(fabric.heads_decoded(), heads(1));
        assert_eq!(fabric.run_until(Cycle(10_000), &mut world.script, &mut ()), Pause::Idle);
        assert_eq!(fabric.heads_decoded(), heads(2));
    }
}

/// Wrong if a cable that a buffer cannot serve is accepted, or its name is missing.
#[test]
fn a_cable_too_long_is_refused() {
    let mut world = World::ring(2, 1);
    world.parameters.links[2].delay = 27;
    assert!(Fabric::new(&world.network, &world.parameters, &[None, None]).is_err());
    world.parameters.links[2].delay = 26;
    assert!(Fabric::new(&world.network, &world.parameters, &[None, None]).is_ok());
    world.parameters.links[2].delay = 27;
    let error = Fabric::new(&world.network, &world.parameters, &[None, None]).unwrap_err();
    assert!(error.to_string().contains("`s0` port 7 and `s1` port 6"), "{error}");
    world.parameters.links[2].delay = 1;
    world.parameters.switch.go = 56;
    let error = Fabric::new(&world.network, &world.parameters, &[None, None]).unwrap_err();
    assert_eq!(error, BuildError::GoNotBelowStop { stop: 56, go: 56 });
}

/// Wrong if switches of more than 64 ports, or routes too long or too wide for the record, lead elsewhere.
#[test]
fn wide_switches_and_long_routes_work() {
    let mut network = Network::new("wide");
    let wide = network.add_switch("wide", 400).unwrap();
    for port in [0, 70, 399] {
        let host = network.add_host(format!("h{port}")).unwrap();
        network.connect(End::host(host, 0), End::switch(wide, port)).unwrap();
    }
    network.connect(End::switch(wide, 200), End::switch(wide, 201)).unwrap();
    let mut world = World::of(network);
    // Twenty times through the cable from port 200 to port 201, then out.
    let mut turns = vec![200];
    turns.extend([-1; 19]);
    turns.push(198);
    world.send(0, 0, &turns, 1);
    world.send(1, 0, &[329], 1_000);
    let (_, fates) = world.run();
    let head = 2 + 21 * 26;
    assert!(matches!(fates[..], [_, _]));
    let Some((_, Fate::Delivered { host, tail, .. })) = fates.iter().find(|(tag, _)| *tag == 0) else {
        panic!("{fates:?}")
    };
    assert_eq!(*host, HostId(2));
    assert!(tail.0 >= head);
}

/// Wrong if the levels at which a stopped cable runs dry are miscounted.
#[test]
fn gaps_are_announced() {
    let mut world = World::ring(2, 1);
    world.parameters.switch.go = 3;
    assert_eq!(links_with_gaps(&world.parameters), []);
    world.parameters.links[1].delay = 3;
    assert_eq!(links_with_gaps(&world.parameters), [LinkId(1)]);
    // Five flits are on their way until GO has taken effect: two flights, less the cycle in which the first leaves.
    world.parameters.switch.go = 4;
    assert_eq!(links_with_gaps(&world.parameters), [LinkId(1)]);
    world.parameters.switch.go = 5;
    assert_eq!(links_with_gaps(&world.parameters), []);
}

/// Wrong if a waiting head is turned away a cycle early or late, if one that has got its output is, or if the
/// worm that it waited for or those behind it suffer.
#[test]
fn a_head_waits_as_long_as_it_lives() {
    // Host 0's worm of 300 flits holds the way to host 2 from cycle 26 on; host 1's head comes to wait for it
    // in cycle 26 + 24 and gets it in 26 + 300, the cycle after the tail has left.
    for (life, fate) in [
        (0, destroyed(Cause::Expired, 50)),
        (50, destroyed(Cause::Expired, 50)),
        (51, destroyed(Cause::Expired, 51)),
        (200, destroyed(Cause::Expired, 200)),
        (326, destroyed(Cause::Expired, 326)),
        (327, delivered(2, 328, 328 + 9)),
    ] {
        let mut world = World::ring(1, 4);
        world.send(0, 0, &[2], 300);
        world.send(1, 0, &[1], 10);
        world.send(1, 0, &[2], 10);
        world.script.lives = vec![(100, life)];
        let (fabric, mut fates) = world.run();
        fates.sort_by_key(|(tag, _)| *tag);
        assert_eq!(fates[..2], [(0, delivered(2, 28, 28 + 299)), (100, fate)], "life {life}");
        assert!(matches!(fates[2].1, Fate::Delivered { .. }), "{fates:?}");
        assert_eq!(fabric.in_flight(), 0);
    }
}

/// Wrong if lives that end do not break a deadlock of worms that wait for each other, without any reset.
#[test]
fn the_end_of_a_life_breaks_a_ring_deadlock() {
    let mut world = World::ring(3, 1);
    for host in 0..3 {
        world.send(host, 0, &[7, 1, -6], 1_000);
    }
    // The interfaces' time to live is longer: the first worm's own counts.
    world.parameters.host.time_to_live = Some(1_000_000);
    world.script.lives = vec![(0, 5_000)];
    let (fabric, fates) = world.run();
    let [deadlock] = fabric.deadlocks() else { panic!("{:?}", fabric.deadlocks()) };
    assert_eq!(deadlock.cleared.map(|cleared| cleared.at), Some(Cycle(5_000)));
    let lost: Vec<_> = fates.iter().filter(|(_, fate)| matches!(fate, Fate::Destroyed { .. })).collect();
    assert_eq!(lost, [&(0, destroyed(Cause::Expired, 5_000))]);
    assert_eq!((fates.len(), fabric.in_flight()), (3, 0));
}
