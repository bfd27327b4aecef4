//! The lane of management against what can be calculated by hand: latency without load and past a deadlock, the byte
//! of room that a packet lacks, and who goes first.

use simnet_base::ids::{HostId, Port, Turn};
use simnet_base::units::Cycle;
use simnet_media::fabric::{
    BuildError, Cause, CreditParameters, Ended, Fabric, Fate, FlowControl, LinkTiming, MOST_MANAGEMENT,
};
use simnet_network::topology::{End, Network};

use support_media::credits::{CreditCase, deadlocks_on_lanes, random_credit_case};
use support_media::engine::Manner;
use support_media::oracle::Message;
use support_network::cases;

use super::credits::{LoneMessage, R, case, delivered, message, pair, parameters, ring};

/// Runs a case with so much room for management, and gives what became of all messages, by tag.
fn ended(case: &mut CreditCase, room: u32) -> Vec<Ended> {
    case.credits.management = Some(room);
    let mut engine = case.engine(Manner::default());
    engine.run_until(case.case.horizon);
    engine.ended().to_vec()
}

/// Wrong if a hop costs a packet of management another time than one of data, or if it is cut where data would be.
#[test]
fn a_lone_message_of_management_takes_the_zero_load_latency() {
    for seed in 0..cases(20_000) {
        let credits = |mtu| CreditParameters::new(1, mtu, 1);
        let lone = LoneMessage::random(seed, MOST_MANAGEMENT, credits);
        let Some(LoneMessage { mut case, arrives }) = lone else { continue };
        (case.management, case.credits.management) = (vec![true], Some(MOST_MANAGEMENT));
        assert_eq!(delivered(&case), [arrives], "seed {seed}");
    }
}

/// Every host of the ring has sent what stands in a circle, and waits for credits itself. Wrong if a message of
/// management is a cycle later than on an idle ring.
#[test]
fn management_passes_by_a_deadlock_in_no_more_time_than_without() {
    for payload in [1, 64, MOST_MANAGEMENT] {
        let mut case = ring(1, 0);
        let route = || vec![Turn(7), Turn(1), Turn(-6)];
        for host in 0..4 {
            let created = 5_000 + 1_000 * host;
            case.case.messages[usize::try_from(host).unwrap()].push(message(
                80 + host,
                created,
                payload,
                route(),
            ));
        }
        case.levels.resize(84, 0);
        case.management = [vec![false; 80], vec![true; 4]].concat();
        let ended = ended(&mut case, MOST_MANAGEMENT);
        let expected: Vec<_> = (0..4)
            .map(|host| {
                let head = 5_000 + 1_000 * host + 4 * 2 + 3 * R;
                let fate = Fate::Delivered {
                    host: HostId::new(usize::try_from((host + 2) % 4).unwrap()),
                    head: Cycle(head),
                    tail: Cycle(head + u64::from(payload) - 1),
                };
                (80 + host, fate)
            })
            .collect();
        let found: Vec<_> = ended.iter().map(|ended| (ended.tag, ended.fate)).collect();
        assert_eq!(found, expected, "all of management, and nothing of data");
    }
}

/// Two packets of a host one after the other, the head of the second in cycle `second`, for a switch that has begun to
/// pass on the first in 1 + R: what becomes of the second.
fn second(room: u32, second: u64) -> Fate {
    let to_other = |tag, created| message(tag, created, 256, vec![Turn(1)]);
    let messages = vec![vec![to_other(0, 0), to_other(1, second - 1)], vec![]];
    let links = vec![LinkTiming { period: 1, delay: 1 }; 2];
    let mut case = case(pair(), links, messages, CreditParameters::new(1, 64, 1));
    case.management = vec![true; 2];
    ended(&mut case, room)[1].fate
}

/// Wrong if a packet gives up its room before its last byte has left, or a cycle later; or if one byte of room is lent.
#[test]
fn a_packet_is_dropped_for_a_byte_or_a_cycle() {
    let last = 1 + R + 255;
    let is_dropped = |at| Fate::Destroyed { cause: Cause::Vl15Dropped, at: Cycle(at) };
    assert_eq!(second(256, last), is_dropped(last));
    assert!(matches!(second(256, last + 1), Fate::Delivered { .. }));
    assert_eq!(second(511, 257), is_dropped(257));
    assert!(matches!(second(512, 257), Fate::Delivered { .. }));
}

/// Three hosts at a switch: the second sends the third packets of 1,000 bytes without a gap, the first a message of
/// management in `created`. Gives the cycles of all grants, by tag.
fn grants(created: u64) -> Vec<(u64, u64)> {
    let mut network = Network::new("star");
    let switch = network.add_switch("s", 3).unwrap();
    for port in 0..3 {
        let host = network.add_host(format!("h{port}")).unwrap();
        network.connect(End::host(host, 0), End::switch(switch, port)).unwrap();
    }
    let data = (1..=5).map(|tag| message(tag, 0, 1_000, vec![Turn(1)])).collect::<Vec<Message>>();
    let messages = vec![vec![message(0, created, 256, vec![Turn(2)])], data, vec![]];
    let links = vec![LinkTiming { period: 1, delay: 1 }; 3];
    let mut case = case(network, links, messages, CreditParameters::new(1, 1_000, 4));
    (case.management, case.credits.management) = (vec![true], Some(256));
    let mut engine = case.engine(Manner::default());
    engine.run_until(case.case.horizon);
    let mut grants: Vec<_> = engine.logs.grants.iter().map(|grant| (grant.3, grant.0)).collect();
    grants.sort_unstable();
    grants
}

/// Wrong if management cuts into a packet that is being sent, or waits for more than that.
#[test]
fn management_goes_ahead_of_data_but_cuts_into_none() {
    let data = |shifted_from: u64| {
        (1..=5_u64).map(move |tag| (tag, 1 + R + 1_000 * (tag - 1) + 256 * u64::from(tag >= shifted_from)))
    };
    let expected = |at, shifted_from| [(0, at)].into_iter().chain(data(shifted_from)).collect::<Vec<_>>();
    assert_eq!(grants(2_000), expected(2_000 + 1 + R, 3));
    assert_eq!(grants(2_001), expected(3_000 + 1 + R, 4));
    assert_eq!(grants(3_000), expected(3_000 + 1 + R, 4));
}

/// Wrong if a queue of management that has no room for its largest packet is built.
#[test]
fn management_has_room_for_its_largest_packet() {
    let build = |room| {
        let mut parameters = parameters(vec![LinkTiming { period: 1, delay: 1 }; 2]);
        let credits = CreditParameters { management: Some(room), ..CreditParameters::new(1, 64, 1) };
        parameters.flow = FlowControl::Credits(Box::new(credits));
        Fabric::new(&pair(), &parameters, &[Some(Port(0)); 2]).map(|fabric| fabric.has_management())
    };
    assert_eq!(build(255).err(), Some(BuildError::BufferBelowPacket { buffer: 255, mtu: 256 }));
    assert_eq!(build(256).ok(), Some(true));
}

/// Wrong if a lane of management on which nothing is sent changed anything for data.
#[test]
fn an_idle_lane_of_management_changes_nothing() {
    for seed in 0..cases(2_000) {
        let mut case = random_credit_case(seed);
        case.management.clear();
        let [without, with] = [None, Some(MOST_MANAGEMENT)].map(|room| {
            case.credits.management = room;
            let mut engine = case.engine(Manner::default());
            engine.run_until(case.case.horizon);
            let mut grants = std::mem::take(&mut engine.logs.grants);
            // Within a cycle no order is promised.
            grants.sort_unstable();
            (grants, engine.ended().to_vec(), case.channels(&engine), deadlocks_on_lanes(&engine))
        });
        assert_eq!(without, with, "seed {seed}");
    }
}
