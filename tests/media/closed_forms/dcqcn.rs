//! Flows under DCQCN on one bottleneck: who gets how much, how long the queue is, and how much less is paused.

use simnet_base::ids::{ChannelId, HostId, Node};
use simnet_base::units::{BitRate, Bytes, Duration, Time};
use simnet_media::ethernet::transport::{Datagram, DcqcnParameters, Segment};
use simnet_media::ethernet::{
    Direction, EcnParameters, Flow, Frame, Observer, Parameters, PauseCounters, PfcParameters,
};
use simnet_media::medium::{Medium, Message};
use simnet_network::topology::End;

use support_media::ethernet::{attachments, chain};

/// What passes the one switch from `since` on.
struct Watch {
    sink: HostId,
    since: Time,
    /// Bytes in the switch that are for the sink.
    queue: u64,
    /// The sum of bytes times picoseconds, and the instant up to which it is.
    area: u128,
    at: Time,
    /// Bytes that came to the sink, by source.
    got: Vec<u64>,
}

impl Observer<Segment> for Watch {
    fn passed(
        &mut self,
        now: Time,
        port: End,
        way: Direction,
        frame: &Frame<Segment>,
        _: &dyn Fn(&mut Vec<u8>),
    ) {
        let length = u64::from(frame.length());
        if frame.source == self.sink {
            return;
        }
        if now >= self.since {
            self.area += u128::from(self.queue) * u128::from(now.since(self.at.max(self.since)).as_ps());
        }
        self.at = now;
        match (port.node, way) {
            (Node::Switch(_), Direction::In) => self.queue += length,
            (Node::Switch(_), Direction::Out) => self.queue -= length,
            (Node::Host(_), Direction::In) if now >= self.since => self.got[frame.source.index()] += length,
            _ => {}
        }
    }
}

const RATE: u64 = 10_000_000_000;
const SINCE: Time = Time::from_ps(10_000_000_000);
const UNTIL: Time = Time::from_ps(40_000_000_000);
const ECN: EcnParameters = EcnParameters { kmin: Bytes(5_000), kmax: Bytes(200_000), pmax: 100_000 };

/// Sends from so many hosts to one more at once, with rates or without.
fn incast(flows: u32, has_rates: bool) -> Datagram<Watch> {
    let network = chain(1, flows + 1);
    let links = network.links().len();
    let mut parameters = Parameters::uniform(links, BitRate::new(RATE).unwrap(), Duration::from_ns(500));
    let needed = PfcParameters::headroom_needed(
        parameters.rates[0],
        parameters.delays[0],
        parameters.mtu,
        Duration::ZERO,
    );
    parameters.flow = Flow::Pfc(PfcParameters::new(Bytes(60_000), Bytes(30_000), needed));
    parameters.ecn = Some(ECN);
    parameters.seed = 1;
    let sink = HostId(flows);
    let watch = Watch { sink, since: SINCE, queue: 0, area: 0, at: Time::ZERO, got: vec![0; flows as usize] };
    let mut medium = Datagram::new(&network, &parameters, &attachments(&network), 8, watch).unwrap();
    if has_rates {
        medium = medium.with_rates(DcqcnParameters::PAPER);
    }
    medium.introduce_all();
    for host in 0..flows {
        let message =
            Message { source: HostId(host), destination: sink, bytes: 100_000_000, tag: u64::from(host) };
        medium.send(message, Time::ZERO);
    }
    while medium.advance(Some(UNTIL)).is_some() {}
    medium
}

/// How often somebody was told to pause.
fn pauses(medium: &Datagram<Watch>, flows: u32) -> u64 {
    let of = |channel| medium.ethernet().pauses(channel, 3).map_or(0, |it: PauseCounters| it.xoff);
    (0..2 * (flows as usize + 1)).map(ChannelId::new).map(of).sum()
}

/// The bytes of the queue at which so many flows at their fair rates are slowed down as fast as they speed up.
///
/// # Source
/// Zhu, Ghobadi, Misra and Padhye 2016, ECN or delay: lessons learnt from analysis of DCQCN and TIMELY, CoNEXT, the
/// fixed point of the fluid model, as from memory: with rates in frames a second the share of marked frames is the
/// third root of R_AI N^2 / (K C^2) (1 / B + N / (T C))^2.
fn fixed_point(flows: f64) -> f64 {
    let frame = 1_538.0;
    let capacity = RATE as f64 / 8.0 / frame;
    let additive = 40e6 / 8.0 / frame;
    let (timer, bytes) = (55e-6, 10e6 / frame);
    let each = 1.0 / bytes + flows / (timer * capacity);
    let marked = (additive * flows * flows / (timer * capacity * capacity) * each * each).cbrt();
    let [kmin, kmax] = [ECN.kmin, ECN.kmax].map(|bytes| bytes.0 as f64);
    kmin + marked / (f64::from(ECN.pmax) / 1e6) * (kmax - kmin)
}

/// Wrong if flows did not share a bottleneck alike to within a fifth, left a 20th of it unused, or their queue were on
/// average far from the fixed point of the fluid model; or if DCQCN did not pause 20 times less.
#[test]
fn flows_share_a_bottleneck_and_hardly_pause() {
    for flows in [2, 4, 8] {
        let medium = incast(flows, true);
        let plain = incast(flows, false);
        let told = [pauses(&medium, flows), pauses(&plain, flows)];
        let (marked, notified) = (medium.counters().marked, medium.notifications());
        let watch = medium.into_observer();
        let span = UNTIL.since(SINCE).as_ps();
        let mean = u64::try_from(watch.area / u128::from(span)).unwrap();
        let capacity = u128::from(span) * u128::from(RATE) / 8_000_000_000_000 * 1_518 / 1_538;
        let sum: u64 = watch.got.iter().sum();
        let share = |bytes: u64| bytes as f64 * f64::from(flows) / sum as f64;
        let shares: Vec<f64> = watch.got.iter().map(|bytes| share(*bytes)).collect();
        let used = sum as f64 / capacity as f64;
        let queue = fixed_point(f64::from(flows));
        let found =
            format!("{flows} flows: {shares:.3?} of {used:.3}, {mean} B of {queue:.0}, {told:?} pauses");
        assert!(used > 0.95 && shares.iter().all(|share| (0.8..1.2).contains(share)), "{found}");
        assert!(mean as f64 > 0.65 * queue && (mean as f64) < 1.1 * queue, "{found}");
        assert!(told[0] * 20 < told[1] && notified > 0 && notified < marked, "{found}, {marked}, {notified}");
    }
}
