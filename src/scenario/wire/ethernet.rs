//! The `[ethernet]` section.

use serde_json::Value as Schema;

use super::super::book::Book;
use super::super::ethernet::Transport;
use super::super::tree::Item;
use super::canonical::{Canonical, Key, put};
use super::kinds::{Choice, Quantity};
use super::table::{Described, Free, Given, Presence, Reading, Wire, table, table_schema};
use crate::ethernet::transport::Congestion;
use crate::units::{BitRate, Bytes, Duration, Length};

use Presence::{Default, Optional};

table! {
    /// Switched Ethernet: store-and-forward switches that learn addresses, on the spanning tree that they elect.
    "[ethernet]" Ethernet {
        /// The rate of every cable that gives none of its own, 10 Mb/s to 400 Gb/s.
        rate: Quantity<BitRate> = Default("'100 Mb/s'");
        /// The length of every cable that gives none of its own; 5 ns/m.
        cable_length: Quantity<Length> = Default("'10 m'");
        /// The most bytes of payload of a frame, headers of IP or of the datagram counted in, 46 B to 9216 B; TCP needs
        /// 576 B.
        mtu: Quantity<Bytes> = Default("'1500 B'");
        /// From a frame's last bit in a switch to the first instant at which it can leave.
        switch_latency: Quantity<Duration> = Default("'0 ns'");
        /// Room for waiting frames; without it there is as much as it takes, and nothing is lost.
        buffer: Quantity<Bytes> = Optional;
        /// Whether each output port has so much room, or all of a switch together.
        buffer_sharing: Sharing = Optional;
        /// How long a switch remembers where an address was last seen, above zero.
        ageing: Quantity<Duration> = Default("'300 s'");
        /// Bridge priorities, as `"switch" = priority`; the least is elected root. 32768 if not given.
        priorities: Free<u16> = Default("{}");
        /// Messages in frames without recovery, or over a TCP/IP stack in every host.
        transport: Transport = Default("'datagram'");
        /// What each frame of a datagram carries beside data, below `mtu`.
        header: Quantity<Bytes> = Default("'8 B'");
        /// Whether switches know every host from the start, as after a barrier; otherwise they flood until they
        /// have learned.
        introduced: bool = Default("true");
        /// How long a TCP acknowledgement may wait for another segment.
        ack_delay: Quantity<Duration> = Default("'10 ms'");
        /// What limits a TCP sender beside the receiver's window.
        congestion: Congestion = Default("'reno'");
        /// Room of a TCP connection for data on its way, at either end, `mtu` to 16 MiB.
        window: Quantity<Bytes> = Default("'64 KiB'");
        /// The least time after which TCP sends an unacknowledged segment again, 1 ms to 60 s.
        least_timeout: Quantity<Duration> = Default("'200 ms'");
        /// How long a TCP connection with messages on it may bring nothing before they are lost, 1 s to 60 min.
        give_up: Quantity<Duration> = Default("'120 s'");
    }
}

/// Who shares the room for waiting frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) enum Sharing {
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
        &[("datagram", Transport::Datagram), ("tcp", Transport::Tcp)];
}
