//! The judge is judged: closed forms that hold by hand calculation, on the oracle alone.

use simnet_base::ids::{Port, Turn};
use simnet_base::units::Cycle;
use simnet_media::fabric::{Fate, LinkTiming, Parameters, SwitchParameters};
use simnet_network::topology::{End, Network};

use support_media::engine::parameters as with_cables;
use support_media::oracle::{Case, Message, Oracle};
use support_media::random_case::random_case;
use support_network::cases;

fn parameters(links: usize, delay: u64, stop: u32, go: u32) -> Parameters {
    let switch =
        SwitchParameters { buffer: stop + 2 * 12, stop, go, timeout: None, ..SwitchParameters::default() };
    let links = vec![LinkTiming { period: 1, delay }; links];
    with_cables(switch, links)
}

/// A star of three hosts; the first two send one message each to the third, the second one later.
pub(super) fn two_into_one(delay: u64, stop: u32, go: u32, payload: u32) -> Case {
    let mut network = Network::new("star");
    let switch = network.add_switch("s", 8).unwrap();
    for port in 0..3 {
        let host = network.add_host(format!("h{port}")).unwrap();
        network.connect(End::host(host, 0), End::switch(switch, port)).unwrap();
    }
    let message = |tag: u64, turn| Message {
        created: 100 * tag,
        payload,
        route: vec![Turn(turn)],
        tag,
        time_to_live: None,
    };
    Case {
        network,
        parameters: parameters(3, delay, stop, go),
        attachments: vec![Some(Port(0)); 3],
        messages: vec![vec![message(0, 2)], vec![message(1, 1)], vec![]],
        link_events: vec![],
        horizon: 100_000,
    }
}

fn head_and_tail(oracle: &Oracle, tag: u64) -> (u64, u64) {
    match oracle.ended().iter().find(|message| message.tag == tag).map(|message| message.fate) {
        Some(Fate::Delivered { head: Cycle(head), tail: Cycle(tail), .. }) => (head, tail),
        other => panic!("message {tag}: {other:?}"),
    }
}

/// Wrong if a phase takes a cycle more or less than the table says.
#[test]
fn an_alone_worm_takes_what_the_formula_says() {
    for (delay, payload) in [(1, 1), (1, 600), (2, 32), (12, 5)] {
        let case = two_into_one(delay, 56, 40, payload);
        let mut oracle = Oracle::new(&case);
        oracle.run_until(5_000);
        let head = delay + 24 + delay;
        assert_eq!(head_and_tail(&oracle, 0), (head, head + u64::from(payload) - 1));
    }
}

/// Wrong if STOP or GO act a cycle early or late: the bounds are met exactly.
#[test]
fn the_buffer_fills_to_its_bound_and_no_further() {
    for (delay, stop) in [(1, 1), (1, 56), (2, 56), (12, 30), (7, 108)] {
        let mut oracle = Oracle::new(&two_into_one(delay, stop, 0, 1_000));
        let mut most = 0;
        for cycle in 1..3_000 {
            oracle.run_until(cycle);
            most = most.max(oracle.channels().iter().map(|channel| channel.occupancy).max().unwrap());
        }
        // The route flit is still there: the worm waits for its output.
        assert_eq!(u64::from(most), u64::from(stop) + 2 * delay - 1);
    }
}

/// Wrong if GO comes later than the buffer can bridge, or if it bridges more than it should.
#[test]
fn a_restart_leaves_a_gap_exactly_when_go_comes_too_late() {
    for delay in [1, 2, 5, 12] {
        for (go, gap) in [(2 * delay - 1, false), (2 * delay - 2, true)] {
            let case = two_into_one(delay, 40, u32::try_from(go).unwrap(), 1_000);
            let mut oracle = Oracle::new(&case);
            oracle.run_until(5_000);
            let (head, tail) = head_and_tail(&oracle, 1);
            assert_eq!(tail - head > 999, gap, "delay {delay}, go at {go}");
        }
    }
}

/// Wrong if a worm or a flit is lost, doubled or stripped twice on the way.
#[test]
fn what_goes_in_comes_out_hop_by_hop() {
    let mut whole = 0;
    for seed in 0..cases(2_000) {
        let case = random_case(seed);
        let mut oracle = Oracle::new(&case);
        oracle.run_until(case.horizon);
        let ended = oracle.ended();
        assert!(ended.len() <= oracle.started_worms());
        let all = case.messages.iter().map(Vec::len).sum::<usize>();
        let delivered = ended.iter().filter(|message| matches!(message.fate, Fate::Delivered { .. })).count();
        if delivered < all {
            continue;
        }
        whole += 1;
        assert_eq!(oracle.flits_present(), 0);
        let sent: u64 = oracle.channels().iter().map(|channel| channel.sent).sum();
        let on_its_way = |message: &Message| {
            let (hops, payload) = (message.route.len() as u64, u64::from(message.payload));
            (hops + 1) * payload + hops * (hops + 1) / 2
        };
        let expected: u64 = case.messages.iter().flatten().map(on_its_way).sum();
        assert_eq!(sent, expected, "seed {seed}");
    }
    assert!(whole > 0, "no case was without losses");
}

/// Wrong if passing over cycles in which nothing happens changes anything.
#[test]
fn leaping_changes_nothing() {
    for seed in 0..cases(1_000) {
        let mut case = random_case(seed);
        case.horizon = case.horizon.min(20_000);
        let mut leaping = Oracle::new(&case);
        let mut walking = Oracle::new(&case);
        walking.leap = false;
        leaping.run_until(case.horizon);
        walking.run_until(case.horizon);
        assert_eq!(leaping.logs, walking.logs, "seed {seed}");
        assert_eq!(leaping.ended(), walking.ended(), "seed {seed}");
        assert_eq!(leaping.channels(), walking.channels(), "seed {seed}");
        assert_eq!(leaping.deadlocks, walking.deadlocks, "seed {seed}");
    }
}

/// A ring of switches with a host each, and a long worm from each host to the one two switches on.
fn ring(switches: u16, timeout: Option<u64>) -> Case {
    let mut network = Network::new("ring");
    let ids: Vec<_> =
        (0..switches).map(|index| network.add_switch(format!("s{index}"), 3).unwrap()).collect();
    let mut messages = Vec::new();
    for (index, id) in ids.iter().enumerate() {
        let host = network.add_host(format!("h{index}")).unwrap();
        network.connect(End::host(host, 0), End::switch(*id, 2)).unwrap();
        let next = ids[(index + 1) % ids.len()];
        network.connect(End::switch(*id, 0), End::switch(next, 1)).unwrap();
        let route = vec![Turn(-2), Turn(-1), Turn(1)];
        messages.push(vec![Message {
            created: 0,
            payload: 500,
            route,
            tag: index as u64,
            time_to_live: None,
        }]);
    }
    let mut parameters = parameters(network.links().len(), 2, 56, 40);
    parameters.switch.timeout = timeout;
    let attachments = vec![Some(Port(0)); ids.len()];
    Case { network, parameters, attachments, messages, link_events: vec![], horizon: 1_000_000 }
}

/// Wrong if a wait cycle is missed, named twice, or seen where none is.
#[test]
fn worms_round_a_ring_deadlock_and_are_reset() {
    for switches in 3..7 {
        let case = ring(switches, None);
        let mut oracle = Oracle::new(&case);
        oracle.run_until(case.horizon);
        assert_eq!(oracle.deadlocks.len(), 1);
        // Each worm holds its first port there and waits at the port of its second switch.
        assert_eq!(oracle.deadlocks[0].members.len(), 2 * usize::from(switches));
        assert!(oracle.ended().is_empty());

        let mut oracle = Oracle::new(&ring(switches, Some(8_000_000)));
        oracle.run_until(20_000_000);
        assert!(oracle.is_quiet());
        assert!(!oracle.logs.resets.is_empty());
        assert_eq!(oracle.ended().len(), usize::from(switches));
    }
}
