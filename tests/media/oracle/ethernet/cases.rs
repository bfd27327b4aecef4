//! Random Ethernets and random frames, all from one seed.

use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use simnet_base::ids::{HostId, Port, SwitchId};
use simnet_base::units::{BitRate, Bytes, Duration};
use simnet_media::ethernet::{Address, Buffer, Flow, Forwarding, Frame, Parameters};
use simnet_network::topology::{End, Host, Network, Switch};

/// An Ethernet and what is sent on it.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) network: Network,
    pub(crate) parameters: Parameters,
    pub(crate) attachments: Vec<Option<Port>>,
    /// By host, in order: when a frame is created, in picoseconds, and the frame.
    pub(crate) frames: Vec<Vec<(u64, Frame<u64>)>>,
    /// When the run pauses besides, in order.
    pub(crate) pauses: Vec<u64>,
}

/// The case with this seed.
pub(crate) fn random_case(seed: u64) -> Case {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (network, attachments) = wired(&mut rng);
    let parameters = random_parameters(&mut rng, &network);
    let slowest = parameters.rates.iter().map(|rate| rate.as_bits_per_s()).min().unwrap_or(1_000_000_000);
    // The time of a long frame on the slowest cable, so that a window holds a few of them.
    let long = 1_538 * 8_000_000_000_000 / slowest;
    let window = long * rng.random_range(1..=30) / 2;
    let frames = random_frames(&mut rng, network.hosts().len(), parameters.mtu, window);
    let mut pauses: Vec<u64> =
        (0..rng.random_range(0..6)).map(|_| rng.random_range(0..=2 * window)).collect();
    pauses.sort_unstable();
    Case { network, parameters, attachments, frames, pauses }
}

/// Lays any multigraph of few switches, hosts at some of them, and cables that make no sense.
pub(crate) fn wired(rng: &mut ChaCha8Rng) -> (Network, Vec<Option<Port>>) {
    let mut network = Network::new("random");
    let mut free: Vec<End> = Vec::new();
    let switches = *[0, 1, 2, rng.random_range(1..=9), rng.random_range(3..=9)].choose(rng).unwrap();
    let has_guids = rng.random_bool(0.2);
    for index in 0..switches {
        let (first_port, ports) = (rng.random_range(0..=1), rng.random_range(4..=12));
        let guid = has_guids.then(|| rng.random_range(0..5));
        let name = format!("s{index}");
        let switch = Switch { name, ports, first_port, guid, description: None };
        let id = network.push_switch(switch).unwrap();
        free.extend((first_port..first_port + ports).map(|port| End::switch(id, port)));
    }
    free.shuffle(rng);
    let is_connected = rng.random_bool(0.8);
    for index in 1..if is_connected { switches } else { 0 } {
        let below = rng.random_range(0..index);
        let [a, b] = [index, below].map(|at| {
            let at = SwitchId::new(at);
            let found = free.iter().position(|end| end.node == End::switch(at, 0).node);
            found.map(|found| free.swap_remove(found))
        });
        if let (Some(a), Some(b)) = (a, b) {
            network.connect(a, b).unwrap();
        }
    }
    let extra = *[0, 0, 1, 2, rng.random_range(0..=2 * switches)].choose(rng).unwrap();
    for _ in 0..extra {
        if free.len() > 8 {
            let (a, b) = (free.pop().unwrap(), free.pop().unwrap());
            network.connect(a, b).unwrap();
        }
    }
    let attachments = add_hosts(rng, &mut network, &mut free);
    (network, attachments)
}

fn add_hosts(rng: &mut ChaCha8Rng, network: &mut Network, free: &mut Vec<End>) -> Vec<Option<Port>> {
    let hosts = *[0, 2, 3, rng.random_range(1..=12), rng.random_range(4..=25)].choose(rng).unwrap();
    let mut attachments = Vec::new();
    for index in 0..hosts {
        let first_port = rng.random_range(0..=1);
        let name = format!("h{index}");
        let host = Host { name, ports: 2, first_port, guid: None, description: None };
        let host = network.push_host(host).unwrap();
        let cabled = free.pop().is_some_and(|far| network.connect(End::host(host, first_port), far).is_ok());
        if rng.random_bool(0.1) {
            // Its other port goes to itself, to another host, or to a switch.
            if rng.random() {
                free.insert(0, End::host(host, first_port + 1));
            } else if let Some(far) = free.pop() {
                network.connect(End::host(host, first_port + 1), far).unwrap();
            }
        }
        attachments.push(Some(Port(first_port)).filter(|_| cabled && rng.random_bool(0.97)));
    }
    attachments
}

pub(super) fn random_parameters(rng: &mut ChaCha8Rng, network: &Network) -> Parameters {
    const RATES: [u64; 10] = [
        10_000_000,
        100_000_000,
        1_000_000_000,
        2_500_000_000,
        10_000_000_000,
        25_000_000_000,
        400_000_000_000,
        622_080_000,
        33_333_333,
        1_000_000_007,
    ];
    let kinds = rng.random_range(1..=3);
    let rates: Vec<u64> = RATES.sample(rng, kinds).copied().collect();
    let byte = 8_000_000_000_000 / rates[0];
    let farthest = *[0, 1, byte, 100 * byte, 5_000 * byte].choose(rng).unwrap();
    let same = rng.random_bool(0.5);
    let delay = |rng: &mut ChaCha8Rng| if same { farthest } else { rng.random_range(0..=farthest) };
    let links = network.links().len();
    let room = Bytes(*[64, 1_600, 3_036, rng.random_range(0..8_000), 60_000].choose(rng).unwrap());
    let long = 1_538 * byte;
    Parameters {
        rates: (0..links).map(|_| BitRate::new(*rates.choose(rng).unwrap()).unwrap()).collect(),
        delays: (0..links).map(|_| Duration::from_ps(delay(rng))).collect(),
        switch_latency: Duration::from_ps(
            *[0, 0, 1, 50 * byte, rng.random_range(0..=2 * long)].choose(rng).unwrap(),
        ),
        buffer: *[Buffer::Unbounded, Buffer::PerPort(room), Buffer::Shared(room)].choose(rng).unwrap(),
        flow: Flow::None,
        ecn: None,
        forwarding: Forwarding::SpanningTree,
        time_to_live: None,
        ageing: Duration::from_ps(*[0, 1, long, 5 * long, u64::MAX].choose(rng).unwrap()),
        mtu: *[46, 400, 1_500, 9_000].choose(rng).unwrap(),
        bridge_priorities: (0..rng.random_range(0..=network.switches().len()))
            .map(|_| rng.random_range(0..3))
            .collect(),
        seed: rng.random(),
    }
}

fn random_frames(rng: &mut ChaCha8Rng, hosts: usize, mtu: u32, window: u64) -> Vec<Vec<(u64, Frame<u64>)>> {
    let busiest = *[1, 5, 20, 60].choose(rng).unwrap();
    let hot = rng.random_range(0..hosts.max(1));
    let to_hot = *[0.0, 0.3, 0.9].choose(rng).unwrap();
    let broadcast = *[0.0, 0.05, 0.5].choose(rng).unwrap();
    let replying = *[0.0, 0.5].choose(rng).unwrap();
    // Few instants, so that many things happen at once.
    let grain = window / *[1, 3, 1_000].choose(rng).unwrap() + 1;
    let has_one_length = rng.random_bool(0.3);
    let mut tag = 0;
    let of_host = |source: usize| {
        let count = rng.random_range(0..=busiest);
        let mut created: Vec<u64> =
            (0..count).map(|_| rng.random_range(0..=window) / grain * grain).collect();
        created.sort_unstable();
        let frame = |at: u64| {
            tag += 1;
            let to = if rng.random_bool(to_hot) { hot } else { rng.random_range(0..hosts) };
            let to_all = rng.random_bool(broadcast);
            let payload = if has_one_length { mtu } else { rng.random_range(0..=mtu) };
            // The lowest bit asks for a reply.
            let content = tag * 2 + u64::from(rng.random_bool(replying));
            let destination = if to_all { Address::Broadcast } else { Address::Host(HostId::new(to)) };
            (at, Frame { source: HostId::new(source), destination, payload, content })
        };
        created.into_iter().map(frame).collect()
    };
    (0..hosts).map(of_host).collect()
}

/// What a host sends when it has received this frame, if anything.
pub(crate) fn reply(host: HostId, frame: &Frame<u64>) -> Option<Frame<u64>> {
    let asks = frame.content % 2 == 1;
    asks.then(|| Frame {
        source: host,
        destination: Address::Host(frame.source),
        payload: frame.payload / 2,
        content: (frame.content + 1_000_000 * (1 + u64::from(host.0))) & !1,
    })
}
