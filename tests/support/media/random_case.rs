//! Random cases: networks, parameters, routes, messages and failures, all from one seed.

mod shrink;
mod wiring;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use simnet_base::ids::{LinkId, Turn};
use simnet_base::units::Duration;
use simnet_media::fabric::{
    Arbitration, FlowControl, HostParameters, LinkTiming, Parameters, Receive, SwitchParameters,
};

use crate::oracle::{Case, LinkEvent, Message};

pub use shrink::{described, shrunk};
pub use wiring::{Wiring, wired};

/// All ways to decode heads.
pub const ARBITRATIONS: [Arbitration; 3] =
    [Arbitration::Serial, Arbitration::PerInput, Arbitration::PerOutput];

/// The delay of the longest cable, in cycles.
const LONGEST: u32 = 27;

/// The case with this seed.
pub fn random_case(seed: u64) -> Case {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let wiring = wired(&mut rng);
    case_on(&mut rng, wiring)
}

/// The case with this seed whose hosts send worms on, and whose routes ask them to; cables do not fail.
pub fn case_in_transit(seed: u64) -> Case {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let wiring = wired(&mut rng);
    let mut case = case_on(&mut rng, wiring.clone());
    let latency = *[1, 2, rng.random_range(1..=30), rng.random_range(1..=300)].choose(&mut rng).unwrap();
    (case.parameters.host.receive, case.parameters.host.in_transit) = (None, Some(latency));
    case.link_events.clear();
    let (share, on_tree) = (*[0.2, 0.6, 1.0].choose(&mut rng).unwrap(), rng.random_bool(0.6));
    let corrupted = if rng.random_bool(0.8) { 0.0 } else { 0.2 };
    for (host, messages) in wiring.network.host_ids().zip(&mut case.messages) {
        for message in messages.iter_mut().filter(|_| wiring.attachments[host.index()].is_some()) {
            if rng.random_bool(share) {
                message.route = wiring.relayed(&mut rng, host, |link| !on_tree || wiring.tree[link.index()]);
                if rng.random_bool(corrupted) {
                    message.route = corrupt(&mut rng, std::mem::take(&mut message.route));
                }
            }
        }
    }
    case
}

fn case_on(rng: &mut ChaCha8Rng, wiring: Wiring) -> Case {
    let mut parameters = random_parameters(rng, wiring.network.links().len());
    let window = *[1, 100, 1_000, 5_000, 20_000].choose(rng).unwrap();
    let messages = random_messages(rng, &wiring, window);
    let expiring = messages.iter().flatten().any(|message| message.time_to_live.is_some());
    if expiring && rng.random() {
        parameters.host.time_to_live = Some(rng.random_range(0..3_000));
    }
    let link_events = random_events(rng, wiring.network.links().len(), &messages);
    let slow = parameters.links.iter().map(|link| link.period).max().unwrap_or(1);
    let patience = parameters.switch.timeout.map_or(0, |timeout| timeout.saturating_mul(4));
    let horizon = window + rng.random_range(500..20_000) * slow + patience.min(40_000_000);
    Case {
        network: wiring.network,
        parameters,
        attachments: wiring.attachments,
        messages,
        link_events,
        horizon,
    }
}

fn random_parameters(rng: &mut ChaCha8Rng, links: usize) -> Parameters {
    let farthest = if rng.random_bool(0.9) { 12 } else { LONGEST };
    let delay = rng.random_range(1..=u64::from(farthest));
    let same_delay = rng.random_bool(0.4);
    let slowest = if rng.random_bool(0.6) { 1 } else { rng.random_range(2..=5) };
    let links = (0..links)
        .map(|_| LinkTiming {
            period: rng.random_range(1..=slowest),
            delay: if same_delay { delay } else { rng.random_range(1..=u64::from(farthest)) },
        })
        .collect();
    let stop = *[1, 2, rng.random_range(1..=12), rng.random_range(1..=108)].choose(rng).unwrap();
    let timeout = match rng.random_range(0..10) {
        0 => None,
        1 => Some(8_000_000),
        2 => Some(rng.random_range(1..20)),
        3..5 => Some(rng.random_range(8..100)),
        5..8 => Some(rng.random_range(100..1_000)),
        _ => Some(rng.random_range(1_000..50_000)),
    };
    let routing_latency = *[1, 24, rng.random_range(1..=26), rng.random_range(1..=80)].choose(rng).unwrap();
    let arbitration = ARBITRATIONS[rng.random_range(0..ARBITRATIONS.len())];
    let is_pipelined = arbitration == Arbitration::PerInput && rng.random();
    let switch = SwitchParameters {
        buffer: stop + 2 * LONGEST,
        stop,
        go: rng.random_range(0..stop),
        routing_latency,
        arbitration,
        routing_interval: is_pipelined.then(|| rng.random_range(1..=routing_latency)),
        timeout,
    };
    Parameters {
        base_cycle: Duration::from_ps(6_250),
        switch,
        host: random_host(rng),
        links,
        flow: FlowControl::StopGo,
    }
}

fn random_host(rng: &mut ChaCha8Rng) -> HostParameters {
    let receive = rng.random_bool(0.4).then(|| {
        let stop = *[1, rng.random_range(1..=20), rng.random_range(1..=300)].choose(rng).unwrap();
        Receive {
            stop,
            go: rng.random_range(0..stop),
            period: *[1, 1, 2, rng.random_range(1..=9)].choose(rng).unwrap(),
            overhead: *[0, 1, rng.random_range(0..300)].choose(rng).unwrap(),
        }
    });
    let send_overhead = if rng.random_bool(0.6) { 0 } else { rng.random_range(1..200) };
    HostParameters { send_overhead, receive, time_to_live: None, in_transit: None }
}

/// How the routes of a case are found.
#[derive(Clone, Copy)]
enum Routes {
    /// Along the spanning tree: free of deadlocks.
    Tree,
    /// Any shortest path: may deadlock.
    Shortest,
    /// A random walk, which may come back on the channel that it left by and use channels twice.
    Walk,
}

fn random_messages(rng: &mut ChaCha8Rng, wiring: &Wiring, window: u64) -> Vec<Vec<Message>> {
    let kinds =
        [&[Routes::Tree] as &[_], &[Routes::Shortest], &[Routes::Walk], &[Routes::Tree, Routes::Walk]];
    let kinds = *kinds.choose(rng).unwrap();
    let longest = *[1, 3, 8, 8, 40, 40, 150, 150, 600, 600, 4_000].choose(rng).unwrap();
    let corrupted = if rng.random_bool(0.7) { 0.0 } else { 0.2 };
    let busiest = rng.random_range(1..=40);
    let lives = *[None, None, None, Some(10), Some(60), Some(300), Some(2_000)].choose(rng).unwrap();
    let mut tag = 0;
    let mut all = Vec::new();
    for host in wiring.network.host_ids() {
        if wiring.attachments[host.index()].is_none() {
            all.push(Vec::new());
            continue;
        }
        let count = rng.random_range(0..=busiest);
        let mut created: Vec<u64> = (0..count).map(|_| rng.random_range(0..window)).collect();
        created.sort_unstable();
        let messages = created.into_iter().map(|created| {
            let route = match kinds.choose(rng).unwrap() {
                Routes::Tree => wiring.path(rng, host, |link| wiring.tree[link.index()]),
                Routes::Shortest => wiring.path(rng, host, |_| true),
                Routes::Walk => wiring.walk(rng, host),
            };
            let route = if rng.random_bool(corrupted) { corrupt(rng, route) } else { route };
            tag += 1;
            let payload = rng.random_range(1..=longest);
            // Some live as long as their interface says, some shorter or longer.
            let time_to_live =
                lives.filter(|_| rng.random_bool(0.7)).map(|most| rng.random_range(0..=4 * most));
            Message { created, payload, route, tag: tag - 1, time_to_live }
        });
        all.push(messages.collect());
    }
    all
}

/// A route with one mistake in it.
fn corrupt(rng: &mut ChaCha8Rng, mut route: Vec<Turn>) -> Vec<Turn> {
    let wild =
        Turn(*[i16::MIN, i16::MAX, rng.random_range(-9..=9), rng.random_range(-9..=9)].choose(rng).unwrap());
    let at = rng.random_range(0..=route.len());
    match rng.random_range(0..4) {
        0 => route.truncate(at),
        1 => route.insert(at, wild),
        2 => route.push(Turn(rng.random_range(-3..=3))),
        _ if at < route.len() => route[at] = wild,
        _ => route.push(wild),
    }
    route
}

/// Failures and returns, most of them at a time when there is traffic, some at the same time.
fn random_events(rng: &mut ChaCha8Rng, links: usize, messages: &[Vec<Message>]) -> Vec<LinkEvent> {
    let count = *[0, 0, 0, 0, 0, 1, rng.random_range(1..=4), rng.random_range(5..=25)].choose(rng).unwrap();
    let times: Vec<u64> = messages.iter().flatten().map(|message| message.created).collect();
    let mut events: Vec<LinkEvent> = Vec::new();
    for _ in 0..count {
        let link = LinkId::new(rng.random_range(0..links));
        let other = events.choose(rng).map(|event| event.at).filter(|_| rng.random_bool(0.3));
        let at = other.unwrap_or_else(|| times.choose(rng).unwrap_or(&0) + rng.random_range(0..400));
        events.push(LinkEvent { at, link, up: false });
        let lasting = *[0, 1, rng.random_range(0..40), rng.random_range(0..3_000)].choose(rng).unwrap();
        if rng.random_bool(0.7) {
            events.push(LinkEvent { at: at + lasting, link, up: true });
        }
    }
    events.sort_by_key(|event| event.at);
    events
}

/// The cycles at which engine and oracle are stopped and compared: some early, some anywhere, and the horizon.
pub fn stops(seed: u64, horizon: u64) -> Vec<u64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x5707);
    let reach = |bits: u32| horizon.min(1 << bits);
    let mut stops: Vec<u64> = (0..12).map(|nth| rng.random_range(1..=reach(6 + 2 * nth))).collect();
    stops.push(horizon);
    stops.sort_unstable();
    stops
}
