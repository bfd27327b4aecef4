//! Random cases for credits, all from one seed, and the smallest of a case that still goes wrong.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use simnet_media::fabric::{
    CreditParameters, LaneArbitration, LaneWeight, MOST_LANES, MOST_MANAGEMENT, SERVICE_LEVELS, ServiceLanes,
};
use simnet_network::topology::Network;

use super::CreditCase;
use crate::oracle::Message;
use crate::random_case::random_case;

/// The case with this seed: the network, messages and failures of the wormhole's random case, with credits.
pub fn random_credit_case(seed: u64) -> CreditCase {
    let mut case = random_case(seed);
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x00c4_ed17);
    case.parameters.host.receive = None;
    let slow = case.parameters.links.iter().map(|link| link.period).max().unwrap_or(1);
    let last = case.messages.iter().flatten().map(|message| message.created).max().unwrap_or(0);
    case.horizon = last + rng.random_range(200..2_500) * slow;
    let lanes =
        *[1, 1, 2, rng.random_range(1..=4), rng.random_range(1..=MOST_LANES)].choose(&mut rng).unwrap();
    let service_lanes = rng.random_bool(0.5).then(|| random_tables(&mut rng, &case.network, lanes));
    let levels = if service_lanes.is_some() { 16 } else { lanes };
    let messages = case.messages.iter().flatten().count();
    let levels = (0..messages).map(|_| rng.random_range(0..levels)).collect();
    let mtu = *[1, 3, 8, rng.random_range(1..=40), 64, rng.random_range(1..=300)].choose(&mut rng).unwrap();
    let buffer =
        mtu + *[0, 0, 1, rng.random_range(0..=mtu), rng.random_range(0..=4 * mtu)].choose(&mut rng).unwrap();
    let messages = &mut case.messages;
    let (room, management) = random_management(&mut rng, messages);
    let mut limit = |often: f64| {
        let most = *[20, 200, 2_000].choose(&mut rng).unwrap();
        rng.random_bool(often).then(|| rng.random_range(1..=most))
    };
    let (head_of_line_limit, lifetime_limit) = (limit(0.4), limit(0.2));
    let arbitration = if rng.random_bool(0.4) {
        LaneArbitration::round_robin(lanes)
    } else {
        random_arbitration(&mut rng, lanes)
    };
    let credits = CreditParameters {
        lanes,
        buffer,
        mtu,
        head_of_line_limit,
        lifetime_limit,
        management: room,
        arbitration,
        service_lanes,
    };
    CreditCase { case, credits, levels, management }
}

/// Makes some of the messages into ones of management; gives the room for them, and which they are by their tags.
fn random_management(rng: &mut ChaCha8Rng, messages: &mut [Vec<Message>]) -> (Option<u32>, Vec<bool>) {
    if rng.random_bool(0.3) {
        return (None, Vec::new());
    }
    let share = *[0.1, 0.3, 0.6, 1.0].choose(rng).unwrap();
    let longest = *[1, 64, MOST_MANAGEMENT, MOST_MANAGEMENT].choose(rng).unwrap();
    let room = MOST_MANAGEMENT + *[0, 0, 1, 100, 256, rng.random_range(0..=1_000)].choose(rng).unwrap();
    let mut kinds = vec![false; messages.iter().flatten().count()];
    for message in messages.iter_mut().flatten() {
        if !rng.random_bool(share) {
            continue;
        }
        kinds[usize::try_from(message.tag).unwrap()] = true;
        message.payload = *[longest, rng.random_range(1..=longest)].choose(rng).unwrap();
    }
    (Some(room), kinds)
}

fn random_arbitration(rng: &mut ChaCha8Rng, lanes: u8) -> LaneArbitration {
    let high_limit = *[0, 0, 1, 255, rng.random()].choose(rng).unwrap();
    let mut tables = LaneArbitration { high_limit, ..LaneArbitration::default() };
    for _ in 0..rng.random_range(0..=2 * lanes) {
        let weight = *[0, 1, 2, rng.random_range(0..=8), 255].choose(rng).unwrap();
        let entry = LaneWeight { lane: rng.random_range(0..lanes), weight };
        if rng.random() { &mut tables.high } else { &mut tables.low }.push(entry);
    }
    for lane in 0..lanes {
        let all = || tables.high.iter().chain(&tables.low);
        if !all().any(|entry| entry.lane == lane && entry.weight > 0) {
            let entry = LaneWeight { lane, weight: rng.random_range(1..=3) };
            if rng.random() { &mut tables.high } else { &mut tables.low }.push(entry);
        }
    }
    tables
}

fn random_tables(rng: &mut ChaCha8Rng, network: &Network, lanes: u8) -> ServiceLanes {
    let mut row = || -> [u8; SERVICE_LEVELS] { std::array::from_fn(|_| rng.random_range(0..lanes)) };
    let hosts = network.hosts().iter().map(|_| row()).collect();
    let pairs = |ports: u16| usize::from(ports) * usize::from(ports);
    let switches =
        network.switches().iter().map(|switch| (0..pairs(switch.ports)).map(|_| row()).collect()).collect();
    ServiceLanes { hosts, switches }
}

/// Leaves out messages and failures as long as `is_wrong` holds of what is left.
pub fn shrunk_credit_case(case: &CreditCase, is_wrong: impl Fn(&CreditCase) -> bool) -> CreditCase {
    let mut best = case.clone();
    loop {
        let before = size(&best);
        for host in 0..best.case.messages.len() {
            for index in (0..best.case.messages[host].len()).rev() {
                let mut smaller = best.clone();
                smaller.case.messages[host].remove(index);
                if is_wrong(&smaller) {
                    best = smaller;
                }
            }
        }
        for index in (0..best.case.link_events.len()).rev() {
            let mut smaller = best.clone();
            smaller.case.link_events.remove(index);
            if is_wrong(&smaller) {
                best = smaller;
            }
        }
        if size(&best) == before {
            return best;
        }
    }
}

fn size(case: &CreditCase) -> usize {
    case.case.link_events.len() + case.case.messages.iter().flatten().count()
}
