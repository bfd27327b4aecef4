//! Pauses against what can be calculated by hand: headroom to the byte, back-pressure from a slow host to a fast one.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use simnet_base::ids::{ChannelId, HostId, Port, SwitchId, Turn};
use simnet_base::units::{BitRate, Bytes, Duration, Time};
use simnet_media::ethernet::{
    Address, Endpoint, Ethernet, Flow, Forwarding, ForwardingTable, Frame, Parameters, PauseWatchdog,
    PfcParameters, SharedBuffer,
};
use simnet_network::routing::{Algorithm, Attachments, DestinationTables, Engine, Root, Routes, Tree};
use simnet_network::topology::{End, Network};

use support_media::ethernet::{attachments, chain};
use support_network::cases;

/// Hosts that send what they have as fast as they may.
#[derive(Default)]
struct Hosts {
    waiting: Vec<VecDeque<Frame<()>>>,
    received: Vec<(u64, HostId)>,
    starved: Vec<(u64, End)>,
}

impl Endpoint<()> for Hosts {
    fn next_frame(&mut self, host: HostId, _now: Time) -> Option<Frame<()>> {
        self.waiting[host.index()].pop_front()
    }
    fn received(&mut self, host: HostId, _frame: &Frame<()>, now: Time) -> ControlFlow<()> {
        self.received.push((now.as_ps(), host));
        ControlFlow::Continue(())
    }
    fn starved(&mut self, port: End, _frame: &Frame<()>, now: Time) -> ControlFlow<()> {
        self.starved.push((now.as_ps(), port));
        ControlFlow::Continue(())
    }
    fn write(&self, _frame: &Frame<()>, _bytes: &mut Vec<u8>) {}
}

/// A frame of so many bytes from destination address to FCS.
fn frame(source: u32, destination: u32, length: u64) -> Frame<()> {
    let payload = u32::try_from(length - 18).unwrap();
    Frame { source: HostId(source), destination: Address::Host(HostId(destination)), payload, content: () }
}

/// The worst case for the headroom behind one cable.
struct Worst {
    rate: u64,
    delay: u64,
    mtu: u32,
    reaction: u64,
}

impl Worst {
    /// The lengths of the frames that begin before the sender obeys, but the last one of them: of all choices the one
    /// of most bytes.
    fn lengths(&self) -> Vec<u64> {
        let (byte, longest) = (8_000_000_000_000 / self.rate, u64::from(self.mtu) + 18);
        // From the last bit of the frame that passes xoff leaving its sender: it arrives, the frame back has begun a
        // picosecond before, then comes the PAUSE frame.
        let obeyed = 2 * self.delay + (8 + longest + 12) * byte - 1 + 72 * byte + self.reaction;
        let fits = |frames: u64, bytes: u64| (12 + bytes + 20 * frames) * byte < obeyed;
        let mut best = (0, 0);
        for frames in 1..=obeyed / (84 * byte) {
            let bytes = (64 * frames..=longest * frames).rev().find(|bytes| fits(frames, *bytes));
            best = best.max((bytes.unwrap_or(0), frames));
        }
        let (bytes, frames) = best;
        (0..frames).map(|nth| bytes / frames + u64::from(nth < bytes % frames)).collect()
    }

    /// How many frames are dropped with this headroom: host 0 sends to host 2 behind a slow cable, and the switch sends
    /// the longest frame, from host 1, to host 0 a picosecond before the frame arrives that passes `xoff`.
    fn starved(&self, headroom: Bytes) -> usize {
        let (byte, longest) = (8_000_000_000_000 / self.rate, u64::from(self.mtu) + 18);
        let network = chain(1, 3);
        let rate = BitRate::new(self.rate).unwrap();
        let mut parameters = Parameters::uniform(3, rate, Duration::from_ps(self.delay));
        parameters.mtu = self.mtu;
        parameters.rates[2] = BitRate::new(10_000).unwrap();
        let mut pfc = PfcParameters::new(Bytes(longest), Bytes(0), headroom);
        pfc.reaction = Duration::from_ps(self.reaction);
        parameters.flow = Flow::Pfc(pfc);
        let mut net = Ethernet::new(&network, &parameters, &attachments(&network)).unwrap();
        net.introduce_all();
        let lengths = [longest, longest].into_iter().chain(self.lengths()).chain([longest; 5]);
        let fast = lengths.map(|length| frame(0, 2, length)).collect();
        let mut hosts =
            Hosts { waiting: vec![fast, [frame(1, 0, longest)].into(), VecDeque::new()], ..Hosts::default() };
        // Both hosts' cables are alike: the second frame of host 0 arrives when a frame would that began with it.
        let begins = 1_000;
        net.wake(HostId(0), Time::from_ps(begins));
        net.wake(HostId(1), Time::from_ps(begins + (20 + longest) * byte - 1));
        net.run_until(
            Some(Time::from_ps(begins + 2 * self.delay + self.reaction + 40 * longest * byte)),
            &mut hosts,
            &mut (),
        );
        hosts.starved.len()
    }
}

/// Wrong if the headroom that is said to be needed were a byte more or less than what the worst case takes, at any
/// rate, delay, length of frames and reaction.
#[test]
fn the_headroom_is_right_to_the_byte() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for nth in 0..cases(2_000) {
        let rate =
            *[1_000_000_000, 10_000_000_000, 25_000_000_000, 100_000_000_000].choose(&mut rng).unwrap();
        let byte = 8_000_000_000_000 / rate;
        let mtu = *[46, 100, 1_500, 4_096].choose(&mut rng).unwrap();
        let long = u64::from(mtu) * byte;
        let delay = *[0, 1, byte, long, rng.random_range(0..=4 * long)].choose(&mut rng).unwrap();
        let reaction = *[0, 0, 1, rng.random_range(0..=2 * long)].choose(&mut rng).unwrap();
        let worst = Worst { rate, delay, mtu, reaction };
        let [of_delay, of_reaction] = [delay, reaction].map(Duration::from_ps);
        let needed = PfcParameters::headroom_needed(BitRate::new(rate).unwrap(), of_delay, mtu, of_reaction);
        assert_eq!(
            worst.starved(needed),
            0,
            "case {nth}: {needed} at {rate}, {delay} ps, {mtu} B, {reaction} ps"
        );
        let less = worst.starved(Bytes(needed.0 - 1));
        assert_eq!(less, 1, "case {nth}: {needed} less 1 B at {rate}, {delay} ps, {mtu} B, {reaction} ps");
        // What the terms of the standard add up to.
        let bound = u128::from(2 * delay + reaction) * u128::from(rate) / 8_000_000_000_000;
        let bound = u64::try_from(bound).unwrap() + 3 * (u64::from(mtu) + 18) + 80;
        assert!(needed.0 <= bound, "case {nth}: {needed} is above {bound} B");
    }
}

/// Wrong if n queues that fill a pool of B bytes, from none on and all at once, did not come to alpha B / (1 + n alpha)
/// each (Choudhury and Hahne 1998), up to the frame with which each passes its threshold; or if one were dropped.
#[test]
fn queues_that_fill_a_pool_have_equal_shares() {
    const FRAME: u64 = 1_018;
    for (n, (numerator, denominator), pool) in [
        (1, (1, 8), 400_000),
        (3, (1, 2), 100_000),
        (4, (1, 1), 200_000),
        (7, (2, 1), 64_000),
        (16, (2, 1), 90_000),
    ] {
        let hosts = u32::try_from(n + 1).unwrap();
        let network = chain(1, hosts);
        let (rate, delay) = (BitRate::new(10_000_000_000).unwrap(), Duration::from_ps(100_000));
        let mut parameters = Parameters::uniform(network.links().len(), rate, delay);
        // What goes out meanwhile is less than a frame.
        *parameters.rates.last_mut().unwrap() = BitRate::new(10_000).unwrap();
        let headroom = PfcParameters::headroom_needed(rate, delay, 1_500, Duration::ZERO);
        let mut pfc = PfcParameters::new(Bytes(0), Bytes(0), headroom);
        let (alpha, reserved, xon_offset) = ((numerator, denominator), Bytes(0), Bytes(0));
        pfc.shared = Some(SharedBuffer { pool: Bytes(pool), alpha, reserved, xon_offset });
        parameters.flow = Flow::Pfc(pfc);
        let mut net = Ethernet::new(&network, &parameters, &attachments(&network)).unwrap();
        net.introduce_all();
        let frames = |host: u32| (0..pool / FRAME + 10).map(|_| frame(host, hosts - 1, FRAME)).collect();
        let mut waiting: Vec<VecDeque<_>> = (0..hosts - 1).map(frames).collect();
        waiting.push(VecDeque::new());
        let mut all = Hosts { waiting, ..Hosts::default() };
        (0..hosts - 1).for_each(|host| net.wake(HostId(host), Time::ZERO));
        net.run_until(Some(Time::from_ps(2_000_000_000)), &mut all, &mut ());
        let (alpha, n, pool) = (f64::from(numerator) / f64::from(denominator), n as f64, pool as f64);
        let share = alpha * pool / (1.0 + n * alpha);
        let filled = net.pooled(SwitchId(0)).0 as f64;
        let case = format!("{n} queues, alpha {alpha}, {pool} B");
        assert!(filled > n * share && filled <= n * (share + FRAME as f64), "{case}: {filled} in all");
        for link in 0..hosts as usize - 1 {
            let own = [2 * link, 2 * link + 1].map(|channel| net.occupied(ChannelId::new(channel), 3).0);
            let own = own.into_iter().max().unwrap() as f64;
            assert!(own > share - alpha * n * FRAME as f64, "{case}: {own} of queue {link}, not {share}");
        }
        assert!(all.starved.is_empty(), "{case}: none is dropped");
    }
}

/// Wrong if a slow receiver slowed only the first switch, or anything were lost: through a chain of three switches the
/// sender at last sends at the receiver's rate, and each switch holds what its thresholds say.
#[test]
fn a_slow_receiver_slows_the_sender() {
    let network = chain(3, 2);
    let (fast, slow) = (BitRate::new(10_000_000_000).unwrap(), BitRate::new(1_000_000_000).unwrap());
    let delay = Duration::from_ns(50);
    let mut parameters = Parameters::uniform(network.links().len(), fast, delay);
    let sink = HostId(5);
    let (_, cable, _) = network.attachment(sink).unwrap();
    parameters.rates[cable.index()] = slow;
    let needed = PfcParameters::headroom_needed(fast, delay, 1_500, Duration::ZERO);
    let (xoff, xon) = (Bytes(20_000), Bytes(10_000));
    parameters.flow = Flow::Pfc(PfcParameters::new(xoff, xon, needed));
    let mut net = Ethernet::new(&network, &parameters, &attachments(&network)).unwrap();
    net.introduce_all();
    let frames = 2_000;
    let mut hosts = Hosts { waiting: vec![VecDeque::new(); 6], ..Hosts::default() };
    hosts.waiting[0] = (0..frames).map(|_| frame(0, 5, 1_518)).collect();
    net.wake(HostId(0), Time::ZERO);
    net.run_until(None, &mut hosts, &mut ());
    assert!(hosts.starved.is_empty() && hosts.received.len() == frames);
    // The receiver's cable never idles: the first frame's way, then a frame after the other.
    let byte = |rate: BitRate| 8_000_000_000_000 / rate.as_bits_per_s();
    let first = 3 * (1_526 * byte(fast) + 50_000) + 1_526 * byte(slow) + 50_000;
    let last = first + (frames as u64 - 1) * 1_538 * byte(slow);
    assert_eq!(hosts.received.last(), Some(&(last, sink)));
    let mut pausing = 0;
    for channel in (0..2 * network.links().len()).map(ChannelId::new) {
        let counted = net.pauses(channel, 3).unwrap();
        assert!(counted.peak.0 <= xoff.0 + needed.0, "{counted:?}");
        assert_eq!(
            (counted.xoff, counted.obeyed, counted.starved),
            (counted.xon, counted.xon, 0),
            "{counted:?}"
        );
        if counted.xoff > 0 {
            pausing += 1;
            assert!(counted.peak > xoff, "{counted:?}");
        }
    }
    // The three cables on the way, in this direction.
    assert_eq!(pausing, 3);
    // Who paused whom is a chain from the sink's port to the sender.
    assert_eq!(net.causes().count(), 3);
}

/// Wrong if thresholds that cannot be were taken, or buffers at outputs with pauses.
#[test]
fn nonsense_is_refused() {
    let network = chain(1, 2);
    let build = |edit: &dyn Fn(&mut PfcParameters)| {
        let mut parameters =
            Parameters::uniform(2, BitRate::new(1_000_000_000).unwrap(), Duration::from_ns(50));
        let mut pfc = PfcParameters::new(Bytes(3_000), Bytes(1_500), Bytes(10_000));
        edit(&mut pfc);
        parameters.flow = Flow::Pfc(pfc);
        Ethernet::<()>::new(&network, &parameters, &attachments(&network)).is_ok()
    };
    assert!(build(&|_| {}));
    assert!(build(&|pfc| pfc.xon = pfc.xoff));
    assert!(!build(&|pfc| pfc.xon = Bytes(3_001)));
    assert!(!build(&|pfc| pfc.priority = 8));
}

/// A ring of switches with a host each: ports 0 to the host, 1 to the next switch, 2 to the one before.
fn ring(switches: u32) -> Network {
    let mut network = Network::new("ring");
    for nth in 0..switches {
        let switch = network.add_switch(format!("s{nth}"), 3).unwrap();
        let host = network.add_host(format!("h{nth}")).unwrap();
        network.connect(End::host(host, 0), End::switch(switch, 0)).unwrap();
    }
    for nth in 0..switches {
        let [here, next] = [nth, (nth + 1) % switches].map(SwitchId);
        network.connect(End::switch(here, 1), End::switch(next, 2)).unwrap();
    }
    network
}

/// Sends from each host of a ring to the one before it, by `table`; gives the Ethernet and what was delivered.
fn around(
    network: &Network,
    table: ForwardingTable,
    edit: impl Fn(&mut PfcParameters),
) -> (Ethernet<()>, usize) {
    let (rate, delay) = (BitRate::new(10_000_000_000).unwrap(), Duration::from_ns(50));
    let mut parameters = Parameters::uniform(network.links().len(), rate, delay);
    let needed = PfcParameters::headroom_needed(rate, delay, 1_500, Duration::ZERO);
    let mut pfc = PfcParameters::new(Bytes(8_000), Bytes(4_000), needed);
    edit(&mut pfc);
    parameters.flow = Flow::Pfc(pfc);
    parameters.forwarding = Forwarding::Table(table);
    let mut net = Ethernet::new(network, &parameters, &attachments(network)).unwrap();
    net.introduce_all();
    let hosts = u32::try_from(network.hosts().len()).unwrap();
    let of = |host: u32| (0..FRAMES).map(|_| frame(host, (host + hosts - 1) % hosts, 1_518)).collect();
    let mut endpoint = Hosts { waiting: (0..hosts).map(of).collect(), ..Hosts::default() };
    for host in network.host_ids() {
        net.wake(host, Time::ZERO);
    }
    net.run_until(None, &mut endpoint, &mut ());
    assert!(endpoint.starved.is_empty(), "headroom is enough");
    (net, endpoint.received.len())
}

/// What each host of a ring sends.
const FRAMES: usize = 300;

fn clockwise(network: &Network) -> ForwardingTable {
    ForwardingTable::new(network, |switch, host| Some(Port(u16::from(switch.0 != host.0))))
}

/// Wrong if a ring whose frames all go the same way round did not end in a circle of all its queues, or with next hops
/// that go up and then down did; or if the circle were not ended by the watchdog, which drops frames, and by nothing
/// else.
#[test]
fn a_ring_deadlocks_one_way_round_and_not_up_and_down() {
    for switches in [3, 4, 7] {
        let network = ring(switches);
        let all = FRAMES * switches as usize;
        let (net, received) = around(&network, clockwise(&network), |_| {});
        let [deadlock] = net.deadlocks() else { panic!("{:?}", net.deadlocks()) };
        let circle: Vec<End> = deadlock.members.iter().map(|member| member.output).collect();
        assert_eq!(circle, (0..switches).map(|nth| End::switch(SwitchId(nth), 1)).collect::<Vec<_>>());
        assert_eq!((deadlock.priority, deadlock.cleared), (3, None));
        assert!(received < all && net.under_way() > 0 && net.next().is_none());
        // Each queue of the circle is paused from before it closed up to the end of the run.
        for link in (0..switches).map(|nth| switches + nth) {
            let counted = net.pauses(ChannelId(2 * link), 3).unwrap();
            let lasts = net.now().since(deadlock.formed);
            assert!(counted.obeyed > 0 && counted.paused >= lasts && lasts > Duration::ZERO, "{counted:?}");
        }
        // Nothing ends it but dropping what waits.
        let watchdog =
            PauseWatchdog { detection: Duration::from_us(100), restoration: Duration::from_us(100) };
        let (net, some) = around(&network, clockwise(&network), |pfc| pfc.watchdog = Some(watchdog));
        let first = &net.deadlocks()[0];
        assert_eq!(first.members, deadlock.members);
        let (at, _) = first.cleared.unwrap();
        assert!(at > first.formed && at <= first.formed + watchdog.detection, "{first:?}");
        assert!(net.deadlocks().iter().all(|deadlock| deadlock.cleared.is_some()) && net.under_way() == 0);
        let dropped = usize::try_from(net.counters().dropped()).unwrap();
        assert!(dropped > 0 && some + dropped == all, "{some} of {all}, {dropped}");
        // Up and then down.
        let engine = Engine::Rule(Algorithm::UpDown { tree: Tree::Bfs, root: Root::Far });
        let lowest = Attachments::lowest(&network);
        let tables = DestinationTables::new(&network, &lowest, &engine, (None, 0, None)).unwrap();
        let table = ForwardingTable::of_next_hops(&network, &lowest, &tables.hops);
        let (net, received) = around(&network, table, |_| {});
        assert_eq!((received, net.deadlocks().len(), net.under_way()), (all, 0, 0));
    }
}

/// Wrong if routes by destination made another table than their next hops, or routes that are not by destination one.
#[test]
fn routes_make_tables_where_they_go_by_destination() {
    let network = ring(4);
    let lowest = Attachments::lowest(&network);
    let table = clockwise(&network);
    // Each switch is entered by port 2, a route's first one by port 0.
    let routes = Around { all: false };
    assert_eq!(ForwardingTable::of_routes(&network, &lowest, &routes).unwrap(), table);
    let error = ForwardingTable::of_routes(&network, &lowest, &Around { all: true }).unwrap_err();
    assert_eq!(error.ports, [Port(1), Port(2)]);
}

/// Routes on a ring of four: all clockwise, or those of host 1 to host 3 the other way.
struct Around {
    all: bool,
}

impl Routes for Around {
    fn route(&self, source: HostId, destination: HostId, turns: &mut Vec<Turn>) -> bool {
        let hops = (destination.0 + 4 - source.0) % 4;
        if self.all && (source.0, destination.0) == (1, 3) {
            turns.extend([Turn(2), Turn(1), Turn(-1)]);
        } else {
            turns.push(Turn(1));
            turns.extend((1..hops).map(|_| Turn(-1)));
            turns.push(Turn(-2));
        }
        true
    }
}
