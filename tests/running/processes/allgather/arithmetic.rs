//! Rings on a chain of Ethernet switches against arithmetic on frames, and against a plain frame-by-frame model.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use simnet_base::ids::{HostId, LinkId, Node, SwitchId};
use simnet_base::units::{Bytes, Duration};
use simnet_media::ethernet::Parameters;
use simnet_media::ethernet::transport::Datagram;
use simnet_media::host::collective::Algorithm;
use simnet_network::ring::{Tree, lr1, lr2};
use simnet_network::topology::Network;
use simnet_running::simulation::ranks::{self, Completion, Job, Outcome, Protocol};

use super::{job, megabits, run};
use support_media::ethernet::{attachments, chain, interleaved};

/// Picoseconds a byte at 100 Mb/s.
const BYTE: u64 = 80_000;
const DELAY: u64 = 1_000_000;
const HEADER: u32 = 40;
const BLOCK: u64 = 128 << 10;

/// Bytes on the wire of the frames of a message, from the first bit of the preamble to the last of the FCS.
fn frames(bytes: u64) -> Vec<u64> {
    let room = 1_500 - u64::from(HEADER);
    let wire = |data: u64| 8 + (18 + u64::from(HEADER) + data).max(64);
    let mut all = vec![wire(room); usize::try_from(bytes / room).unwrap()];
    all.extend((!bytes.is_multiple_of(room)).then(|| wire(bytes % room)));
    all
}

/// Picoseconds from the first bit of a message of `BLOCK` bytes to its last one behind `switches` switches, alone.
///
/// # Source
/// Store and forward: the frames follow one another with gaps of 12 byte times, and a full frame is serialised once
/// more for every switch; the last frame, if shorter, waits behind it.
fn alone(switches: u64) -> u64 {
    let frames = frames(BLOCK);
    let line: u64 = frames.iter().sum::<u64>() + 12 * (frames.len() as u64 - 1);
    (line + switches * frames[0]) * BYTE + (switches + 1) * DELAY
}

/// When ranks of a ring end each repetition, if message `i` of every step, from place `i` to the next, takes
/// `times[i]`: by repetition and place, in picoseconds.
fn recurrence(times: &[u64], repetitions: usize, completion: Completion) -> Vec<Vec<u64>> {
    let places = times.len();
    let mut begin = vec![0_u64; places];
    let mut ends = Vec::new();
    for _ in 0..repetitions {
        for _ in 1..places {
            let received = |place: usize| {
                let before = (place + places - 1) % places;
                begin[before] + times[before]
            };
            begin = (0..places)
                .map(|place| match completion {
                    Completion::Received => received(place).max(received((place + 1) % places)),
                    _ => received(place),
                })
                .collect();
        }
        ends.push(begin.clone());
    }
    ends
}

/// Mean over ranks of a repetition, in milliseconds, from the end of the first one, which floods, to the last.
fn settled(ends: impl Iterator<Item = (u64, u64)>, repetitions: usize) -> f64 {
    let spans: Vec<f64> = ends.map(|(first, last)| (last - first) as f64).collect();
    spans.iter().sum::<f64>() / spans.len() as f64 / (repetitions - 1) as f64 / 1e9
}

fn measured(outcome: &Outcome) -> f64 {
    let end = |laps: &Vec<ranks::Lap>| (laps[0].end.as_ps(), laps[laps.len() - 1].end.as_ps());
    settled(outcome.laps.iter().map(end), outcome.laps[0].len())
}

fn on_ethernet(network: &Network, order: &[HostId], protocol: Protocol, repetitions: u32) -> Outcome {
    let parameters = Parameters::uniform(network.links().len(), megabits(100), Duration::from_ps(DELAY));
    let mut medium = Datagram::new(network, &parameters, &attachments(network), HEADER, ()).unwrap();
    let base = job(Algorithm::Ring, order.len(), BLOCK, protocol);
    run(&mut medium, &Job { machines: order.to_vec(), iterations: repetitions, ..base })
}

/// Wrong if a contention-free ring took another time than serialisations and delays add up to, eager or not.
#[test]
fn contention_free_rings_keep_to_the_frame_arithmetic() {
    let (network, repetitions) = (chain(4, 8), 6);
    let tree = Tree::bfs(&network, SwitchId(0)).unwrap();
    let switch = |host: HostId| u64::from(host.0 / 8);
    for ring in [lr1(&tree), lr2(&tree).unwrap()] {
        let hosts = &ring.hosts;
        let next = |place: usize| hosts[(place + 1) % hosts.len()];
        let passed = |place| 1 + switch(hosts[place]).abs_diff(switch(next(place)));
        let times: Vec<u64> = (0..hosts.len()).map(|place| alone(passed(place))).collect();
        for protocol in [Protocol::EAGER, Protocol::RENDEZVOUS] {
            let completion = protocol.completion(Bytes(BLOCK));
            let ends = recurrence(&times, repetitions, completion);
            let expected =
                settled((0..hosts.len()).map(|i| (ends[0][i], ends[repetitions - 1][i])), repetitions);
            let found = measured(&on_ethernet(&network, hosts, protocol, 6));
            let off = (found / expected - 1.0).abs();
            assert!(off < 0.001, "{completion:?}: {found} ms, arithmetic {expected} ms");
            let slowest = times.iter().max().unwrap() * 31;
            if completion == Completion::Received {
                assert!((found * 1e9 / slowest as f64 - 1.0).abs() < 0.001, "(P - 1) x the slowest message");
            }
            let bound = ranks::bound(32, 1, Bytes(BLOCK), megabits(100));
            assert!(found > bound.as_ms_f64());
        }
    }
}

/// Wrong if path length did not matter to a rendezvous, or mattered to an eager ring.
///
/// # Source
/// The numbers are those of a trial before this program: eager 168.27 ms for both rings, rendezvous 173.07 ms
/// through four switches and 169.38 ms through two.
#[test]
fn only_a_rendezvous_feels_the_longest_path() {
    let network = chain(4, 4);
    let tree = Tree::bfs(&network, SwitchId(0)).unwrap();
    for (ring, rendezvous) in [(lr1(&tree), 173.07), (lr2(&tree).unwrap(), 169.38)] {
        for (protocol, expected) in [(Protocol::EAGER, 168.27), (Protocol::RENDEZVOUS, rendezvous)] {
            let found = measured(&on_ethernet(&network, &ring.hosts, protocol, 12));
            assert!((found / expected - 1.0).abs() < 0.001, "{protocol:?}: {found} ms, not {expected} ms");
        }
    }
}

/// A plain model of frames: each direction of a cable is free from some instant on, whoever comes first goes first,
/// and switches flood what they have not learned.
struct Plain<'n> {
    network: &'n Network,
    order: &'n [HostId],
    /// By channel.
    free: Vec<u64>,
    /// By switch and host, the channel that leads there.
    learned: Vec<Vec<Option<usize>>>,
    agenda: BinaryHeap<Reverse<Arrival>>,
    arrived: Vec<usize>,
}

/// When a frame is whole at the end of a channel, the channel, the frame's place on the ring and its bytes.
type Arrival = (u64, usize, usize, u64);

impl Plain<'_> {
    fn new<'n>(network: &'n Network, order: &'n [HostId]) -> Plain<'n> {
        Plain {
            network,
            order,
            free: vec![0; 2 * network.links().len()],
            learned: vec![vec![None; order.len()]; network.switches().len()],
            agenda: BinaryHeap::new(),
            arrived: vec![0; order.len()],
        }
    }

    /// The channels out of a node.
    fn out(&self, node: Node) -> Vec<usize> {
        let channel = |link: LinkId| 2 * link.index() + usize::from(self.network.link(link).a.node != node);
        self.network.cables(node).map(|(_, link, _)| channel(link)).collect()
    }

    fn put(&mut self, channel: usize, now: u64, place: usize, bytes: u64) {
        let begin = self.free[channel].max(now);
        self.free[channel] = begin + (bytes + 12) * BYTE;
        self.agenda.push(Reverse((begin + bytes * BYTE + DELAY, channel, place, bytes)));
    }

    fn send(&mut self, place: usize, now: u64) {
        let channel = self.out(Node::Host(self.order[place]))[0];
        for bytes in frames(BLOCK) {
            self.put(channel, now, place, bytes);
        }
    }

    /// Takes a frame over a node; whether it has come to its host.
    fn pass(&mut self, (now, channel, place, bytes): Arrival) -> bool {
        let link = self.network.link(LinkId::new(channel / 2));
        let (source, destination) = (self.order[place], self.order[(place + 1) % self.order.len()]);
        match if channel % 2 == 0 { link.b.node } else { link.a.node } {
            Node::Host(host) => host == destination,
            Node::Switch(switch) => {
                let back = channel ^ 1;
                self.learned[switch.index()][source.index()] = Some(back);
                let onward = match self.learned[switch.index()][destination.index()] {
                    Some(known) => vec![known],
                    None => self.out(Node::Switch(switch)),
                };
                for channel in onward.into_iter().filter(|channel| *channel != back) {
                    self.put(channel, now, place, bytes);
                }
                false
            }
        }
    }

    /// Runs a ring; when each place ended each repetition.
    fn run(&mut self, repetitions: usize, completion: Completion) -> Vec<Vec<u64>> {
        let places = self.order.len();
        let steps = (places - 1) * repetitions;
        let count = frames(BLOCK).len();
        let mut ends = vec![Vec::new(); places];
        // Per place: messages received, its sends that are complete, steps begun.
        let (mut received, mut complete, mut begun) = (vec![0; places], vec![0; places], vec![1; places]);
        for place in 0..places {
            self.send(place, 0);
        }
        while let Some(Reverse(arrival)) = self.agenda.pop() {
            let (now, _, place, _) = arrival;
            if !self.pass(arrival) {
                continue;
            }
            self.arrived[place] += 1;
            if self.arrived[place] < count {
                continue;
            }
            self.arrived[place] = 0;
            complete[place] += 1;
            received[(place + 1) % places] += 1;
            for place in [(place + 1) % places, place] {
                let done = match completion {
                    Completion::Received => received[place].min(complete[place]),
                    _ => received[place],
                };
                while begun[place] <= done {
                    if begun[place] % (places - 1) == 0 {
                        ends[place].push(now);
                    }
                    if begun[place] < steps {
                        self.send(place, now);
                    }
                    begun[place] += 1;
                }
            }
        }
        ends
    }
}

/// Wrong if contention on shared cables cost more or less than it does frame by frame.
#[test]
fn an_interleaved_ring_agrees_with_a_plain_model_of_frames() {
    let (network, order) = interleaved(4, 8);
    for protocol in [Protocol::EAGER, Protocol::RENDEZVOUS] {
        let completion = protocol.completion(Bytes(BLOCK));
        let mut plain = Plain::new(&network, &order);
        let ends = plain.run(3, completion);
        let expected = settled(ends.iter().map(|ends| (ends[0], ends[2])), 3);
        let found = measured(&on_ethernet(&network, &order, protocol, 3));
        assert!(
            (found / expected - 1.0).abs() < 0.01,
            "{completion:?}: {found} ms, frame by frame {expected} ms"
        );
        assert!(found > 7.7 * 350.0, "eight messages on every cable between switches");
    }
}
