//! The `[ethernet]` section.

use std::ops::RangeInclusive;

use serde_json::Value as Schema;

use super::bounds::ABOVE_ZERO;
use super::canonical::{Canonical, Key, put};
use super::kinds::{Choice, Quantity, Ratio, Share};
use super::table::{Described, Free, Given, Presence, Reading, Wire, table, table_schema};
use crate::diagnostics::Diagnostics;
use crate::ethernet::Transport;
use crate::generation::{ETHERNET, PresetOf};
use crate::tree::Item;
use simnet_base::units::{BitRate, Bytes, Duration, Length};
use simnet_media::ethernet::transport::Congestion;

use Presence::{Default, Optional, Preset, Required, Usually};

/// Rates of Ethernet.
pub(crate) const RATES: RangeInclusive<BitRate> = rate(10_000_000)..=rate(400_000_000_000);
/// Lengths of cables: a second of flight at most.
pub(crate) const LONGEST_CABLE: Length = Length::from_mm(200_000_000_000);
/// Payloads of a frame: without padding, and of the largest frames that switches are sold for.
const MTUS: RangeInclusive<Bytes> = Bytes(46)..=Bytes(9_216);
/// The longest time in a switch, and that an acknowledgement waits.
const LONGEST: Duration = Duration::from_ms(1_000);
/// Times of the steps of a rate.
const STEPS: RangeInclusive<Duration> = Duration::from_us(1)..=LONGEST;
/// Rates that a flow's is raised by, and the least.
const INCREASES: RangeInclusive<BitRate> = rate(1_000)..=rate(400_000_000_000);
/// The most bytes of a threshold.
const MOST_ROOM: Bytes = Bytes(1 << 40);

const fn rate(bits_per_s: u64) -> BitRate {
    BitRate::new(bits_per_s).expect("a rate above zero")
}

table! {
    /// Switched Ethernet: store-and-forward switches that learn addresses, on the spanning tree that they elect.
    "[ethernet]" Ethernet {
        /// A switch, which gives `rate`, `switch-latency`, `flow`, `headroom`, `shared` and `ecn` its values; keys that
        /// are given beside it override it.
        preset: PresetOf<ETHERNET> = Optional;
        /// The rate of every cable that gives none of its own.
        rate: Quantity<BitRate> = Preset(&Default("'100 Mb/s'")), RATES;
        /// The length of every cable that gives none of its own; 5 ns/m.
        cable_length: Quantity<Length> = Default("'10 m'"), ..=LONGEST_CABLE;
        /// The most bytes of payload of a frame, headers of IP or of the datagram counted in; TCP needs 576 B.
        mtu: Quantity<Bytes> = Default("'1500 B'"), MTUS;
        /// From a frame's last bit in a switch to the first instant at which it can leave.
        switch_latency: Quantity<Duration> = Preset(&Default("'0 ns'")), ..=LONGEST;
        /// Room for waiting frames; without it there is as much as it takes, and nothing is lost.
        buffer: Quantity<Bytes> = Optional;
        /// Whether each output port has so much room, or all of a switch together.
        buffer_sharing: Sharing = Optional;
        /// What stops senders: nothing, so that frames are dropped where `buffer` is full, or PAUSE frames for each
        /// priority; `none` if not given.
        flow: EthernetFlow = Preset(&Usually("'none'"));
        /// With pauses: bytes of a priority at an input of a switch above which its sender is paused; 32 of the longest
        /// frames if not given.
        xoff: Quantity<Bytes> = Optional, ..=MOST_ROOM;
        /// With pauses: at or below it the sender may send again; half of `xoff` if not given.
        xon: Quantity<Bytes> = Optional, ..=MOST_ROOM;
        /// With pauses: room above `xoff` for what is still under way; what does not fit is dropped. As much as the
        /// cables need for nothing to be dropped, if not given.
        headroom: Quantity<Bytes> = Preset(&Optional), ..=MOST_ROOM;
        /// With pauses: a buffer that all inputs of a switch share, whose threshold for each takes the place of `xoff`
        /// and `xon`; each has its own room if not given.
        shared: Shared = Preset(&Optional);
        /// With pauses: the priority of all frames; 3 if not given.
        priority: u32 = Optional, ..=7;
        /// With pauses: from a PAUSE frame's last bit until it is obeyed; none if not given.
        reaction: Quantity<Duration> = Optional, ..=LONGEST;
        /// With pauses: how many times 512 bit times of its cable a pause lasts; it is said again after half of that.
        /// Until XON if not given.
        quanta: u32 = Optional, 3..=65_535;
        /// With pauses: what becomes of queues that stay paused; they wait if not given.
        watchdog: Watchdog = Optional;
        /// When frames are marked for congestion; never if not given.
        ecn: Ecn = Preset(&Optional);
        /// With `transport = "dcqcn"`: how flows are slowed down and sped up; as in the paper if not given.
        dcqcn: Dcqcn = Optional;
        /// By what switches forward: what they have learned on the spanning tree, the next hops of `[routing]` over any
        /// cable, or all next hops of shortest paths, among which a hash of its ends chooses for each pair of hosts;
        /// `spanning-tree` if not given.
        forwarding: ForwardingKind = Usually("'spanning-tree'");
        /// With `forwarding = "ecmp"`: whether each switch hashes by a seed of its own, or all by the same, so that one
        /// that is sent what another has chosen chooses alike; `per-switch` if not given.
        flow_hash: HashKind = Optional;
        /// With next hops: ports that switches take for hosts in the place of those of the routes or shortest paths, as
        /// `"switch" = { "host" = port }`: a static route, or one that is not yet what the others are.
        next_hops: Free<Free<u16>> = Optional;
        /// With next hops: how many switches forward a frame; the next one drops it. Any number if not
        /// given, and then what comes back to a switch that would send it back is dropped.
        time_to_live: u32 = Optional, 1..=255;
        /// How long a switch remembers where an address was last seen.
        ageing: Quantity<Duration> = Default("'300 s'"), ABOVE_ZERO;
        /// Bridge priorities, as `"switch" = priority`; the least is elected root. 32768 if not given.
        priorities: Free<u16> = Default("{}");
        /// Messages in frames without recovery; the same, each flow at the rate that DCQCN gives it; or over a TCP/IP
        /// stack in every host.
        transport: Transport = Default("'datagram'");
        /// What each frame of a datagram carries in addition to data, below `mtu`.
        header: Quantity<Bytes> = Default("'8 B'");
        /// Whether switches know every host from the start, as after a barrier; otherwise they flood until they
        /// have learned.
        introduced: bool = Default("true");
        /// How long a TCP acknowledgement may wait for another segment.
        ack_delay: Quantity<Duration> = Default("'10 ms'"), ..=LONGEST;
        /// What limits a TCP sender in addition to the receiver's window.
        congestion: Congestion = Default("'reno'");
        /// Room of a TCP connection for data on its way, at either end, `mtu` to 16 MiB.
        window: Quantity<Bytes> = Default("'64 KiB'");
        /// The least time after which TCP sends an unacknowledged segment again.
        least_timeout: Quantity<Duration> = Default("'200 ms'"), Duration::from_ms(1)..=Duration::from_ms(60_000);
        /// How long a TCP connection with messages on it may bring nothing before they are lost.
        give_up: Quantity<Duration> = Default("'120 s'"), Duration::from_ms(1_000)..=Duration::from_ms(3_600_000);
    }
}

table! {
    /// The buffer that all inputs of a switch share.
    "[ethernet.shared]" Shared {
        /// The bytes of it in every switch; `reserved` and `headroom` come in addition.
        buffer: Quantity<Bytes> = Required, ..=MOST_ROOM;
        /// A priority of an input is to be paused above so many times what is free of the buffer.
        alpha: Ratio = Default("'1/8'");
        /// What each priority of an input has before it takes of the buffer.
        reserved: Quantity<Bytes> = Default("'0 B'"), ..=MOST_ROOM;
        /// By how much it must be below its threshold before it may be sent again; with nothing of the buffer it always
        /// may.
        xon_offset: Quantity<Bytes> = Default("'0 B'"), ..=MOST_ROOM;
    }
}

table! {
    /// What becomes of a queue of a switch that stays paused.
    "[ethernet.watchdog]" Watchdog {
        /// How long a queue with frames in it is paused before they, and all that come, are dropped.
        detection: Quantity<Duration> = Default("'200 ms'"), ABOVE_ZERO;
        /// How long it must not have been paused before it takes frames again.
        restoration: Quantity<Duration> = Default("'200 ms'"), ABOVE_ZERO;
    }
}

table! {
    /// When a frame is marked: by the bytes behind the output that it comes to, before it.
    "[ethernet.ecn]" Ecn {
        /// Up to so many bytes nothing is marked.
        kmin: Quantity<Bytes> = Default("'5 KB'"), ..=MOST_ROOM;
        /// Above so many everything is; at least `kmin`.
        kmax: Quantity<Bytes> = Default("'200 KB'"), ..=MOST_ROOM;
        /// The probability of a mark at `kmax`; it rises from `kmin` on.
        pmax: Share = Default("'1 %'");
    }
}

table! {
    /// How DCQCN cuts and raises the rate of a flow.
    "[ethernet.dcqcn]" Dcqcn {
        /// The least time between two notifications of a flow.
        notification_interval: Quantity<Duration> = Default("'50 us'"), ..=LONGEST;
        /// How long without a notification before alpha shrinks.
        alpha_timer: Quantity<Duration> = Default("'55 us'"), STEPS;
        /// The time of a step upwards.
        rate_timer: Quantity<Duration> = Default("'55 us'"), STEPS;
        /// The bytes of a step upwards, preambles and gaps counted in.
        byte_counter: Quantity<Bytes> = Default("'10 MB'"), Bytes(1_000)..=MOST_ROOM;
        /// What is added to the target rate in a step after recovery.
        additive: Quantity<BitRate> = Default("'40 Mb/s'"), INCREASES;
        /// The same once timer and bytes have both counted past recovery.
        hyper: Quantity<BitRate> = Default("'400 Mb/s'"), INCREASES;
        /// No flow is slower.
        least: Quantity<BitRate> = Default("'10 Mb/s'"), INCREASES;
    }
}

/// What stops senders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EthernetFlow {
    None,
    Pfc,
}

impl Choice for EthernetFlow {
    const CHOICES: &'static [(&'static str, EthernetFlow)] =
        &[("none", EthernetFlow::None), ("pfc", EthernetFlow::Pfc)];
}

/// By what switches forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ForwardingKind {
    SpanningTree,
    Routes,
    Ecmp,
}

impl Choice for ForwardingKind {
    const CHOICES: &'static [(&'static str, ForwardingKind)] = &[
        ("spanning-tree", ForwardingKind::SpanningTree),
        ("routes", ForwardingKind::Routes),
        ("ecmp", ForwardingKind::Ecmp),
    ];
}

/// By what switches choose among next hops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HashKind {
    PerSwitch,
    Shared,
}

impl Choice for HashKind {
    const CHOICES: &'static [(&'static str, HashKind)] =
        &[("per-switch", HashKind::PerSwitch), ("shared", HashKind::Shared)];
}

/// Who shares the room for waiting frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// Each output port has its own.
    #[default]
    PerPort,
    /// All output ports of a switch share it.
    Shared,
}

impl Choice for Sharing {
    const CHOICES: &'static [(&'static str, Sharing)] =
        &[("per-port", Sharing::PerPort), ("shared", Sharing::Shared)];
}

impl Choice for Congestion {
    const CHOICES: &'static [(&'static str, Congestion)] =
        &[("reno", Congestion::Reno), ("none", Congestion::None)];
}

impl Choice for Transport {
    const CHOICES: &'static [(&'static str, Transport)] =
        &[("datagram", Transport::Datagram), ("dcqcn", Transport::Dcqcn), ("tcp", Transport::Tcp)];
}
