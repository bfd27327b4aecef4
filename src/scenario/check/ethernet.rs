//! The Ethernet's numbers, and whether frames fit.

use std::ops::RangeInclusive;

use crate::diagnostics::Fault;
use crate::ethernet::{Buffer, HEADER, TRAILER};
use crate::units::{BitRate, Bytes, Duration};

use super::super::book::{Book, Place};
use super::super::checked::Topology;
use super::super::ethernet::{Ethernet, Transport};
use super::super::wire::{self, At, Given, Sharing};
use super::{above_zero, in_bytes, names, out_of_range, quantity, within};

/// Rates of Ethernet in bits per second.
const RATES: RangeInclusive<u64> = 10_000_000..=400_000_000_000;
/// Payloads of a frame: without padding, and of the largest frames that switches are sold for.
const MTUS: RangeInclusive<u64> = 46..=9_216;
/// The longest time in a switch or on a cable.
const LONGEST: Duration = Duration::from_ms(1_000);
/// The least MTU over which TCP can work.
const TCP_MTU: u64 = 576;
/// The most room of a TCP connection.
const MOST_WINDOW: u64 = 1 << 24;

/// The least times after which TCP sends again.
const TIMEOUTS: RangeInclusive<Duration> = Duration::from_ms(1)..=Duration::from_ms(60_000);
/// How long TCP bears silence.
const PATIENCE: RangeInclusive<Duration> = Duration::from_ms(1_000)..=Duration::from_ms(3_600_000);

/// The Ethernet of a scenario on its own network.
pub(super) fn ethernet(
    wire: &At<wire::Ethernet>,
    topology: Option<&Topology>,
    book: &mut Book,
) -> Option<Ethernet> {
    let (section, wire) = (wire.place, &wire.value);
    let rate = quantity(&wire.rate).and_then(|at| checked_rate(at, book));
    let mtu = quantity(&wire.mtu);
    let fits = mtu.and_then(|at| in_bytes(at, MTUS, book));
    let header = header(wire, mtu, section, book);
    let buffer = buffer(wire, fits, book);
    let latency = quantity(&wire.switch_latency).and_then(|at| no_longer(at, at.value, book));
    let length = quantity(&wire.cable_length).and_then(|at| {
        no_longer(At { value: at.value.flight_time(), place: at.place }, at.value, book).map(|_| at.value)
    });
    let ageing = above_zero(&wire.ageing, book);
    let windows = fits.unwrap_or(*MTUS.start())..=MOST_WINDOW;
    let window = quantity(&wire.window).and_then(|at| in_bytes(at, windows, book));
    if let (Some(transport), Some(mtu)) = (wire.transport.get(), fits) {
        check_transport(*transport, mtu, book);
    }
    let ack_delay = quantity(&wire.ack_delay).and_then(|at| no_longer(at, at.value, book));
    let least_timeout = quantity(&wire.least_timeout).and_then(|at| within(at, TIMEOUTS, book));
    let give_up = quantity(&wire.give_up).and_then(|at| within(at, PATIENCE, book));
    let priorities =
        wire.priorities.value()?.entries.iter().map(|(name, priority)| {
            Some((names::switch_alone(name, &topology?.network, book)?, priority.value))
        });
    // A fault of one does not hide those of the others.
    let priorities: Vec<_> = priorities.collect();
    if let (Some(topology), Some(place)) = (topology, wire.rate.get().map(|at| at.place)) {
        check_links(topology, place, book);
    }
    Some(Ethernet {
        rate: rate?,
        cable_length: length?,
        mtu: u32::try_from(fits?).ok()?,
        switch_latency: latency?,
        buffer: buffer?,
        ageing: ageing?,
        priorities: priorities.into_iter().collect::<Option<_>>()?,
        transport: *wire.transport.value()?,
        header: u32::try_from(header?).ok()?,
        window: Bytes(window?),
        ack_delay: ack_delay.map(|span| Some(span).filter(|span| *span > Duration::ZERO))?,
        congestion: *wire.congestion.value()?,
        least_timeout: least_timeout?,
        give_up: give_up?,
        introduced: *wire.introduced.value()?,
    })
}

/// A rate that Ethernet has.
pub(super) fn checked_rate(rate: At<BitRate>, book: &mut Book) -> Option<BitRate> {
    if RATES.contains(&rate.value.as_bits_per_s()) {
        return Some(rate.value);
    }
    out_of_range(
        rate.place,
        format!("{} is no rate of Ethernet", rate.value),
        "expected 10 Mb/s to 400 Gb/s",
        book,
    );
    None
}

/// Notes cables whose own rate or length no Ethernet has; they are faults of what the network comes from.
pub(super) fn check_links(topology: &Topology, place: Place, book: &mut Book) {
    let network = &topology.network;
    let links = (0..network.links().len()).map(crate::ids::LinkId::new);
    let is_bad = |link: &crate::ids::LinkId| {
        let link = network.link(*link);
        let slow = link.rate.is_some_and(|rate| !RATES.contains(&rate.as_bits_per_s()));
        slow || link.length.is_some_and(|length| length.flight_time() > LONGEST)
    };
    let bad: Vec<_> = links.filter(is_bad).collect();
    if let Some(first) = bad.first() {
        let cable = names::link_name(network, *first);
        out_of_range(
            place,
            format!("the network says of {} cables what no Ethernet has: {cable}", bad.len()),
            "expected 10 Mb/s to 400 Gb/s, and at most 1 s of flight",
            book,
        );
    }
}

/// Notes an MTU over which a transport cannot work.
pub(super) fn check_transport(transport: At<Transport>, mtu: u64, book: &mut Book) {
    if transport.value == Transport::Tcp && mtu < TCP_MTU {
        out_of_range(
            transport.place,
            format!("TCP over an MTU of {mtu} B"),
            format!("expected an mtu of at least {TCP_MTU} B"),
            book,
        );
    }
}

fn no_longer<T: std::fmt::Display + Copy>(time: At<Duration>, shown: T, book: &mut Book) -> Option<Duration> {
    if time.value <= LONGEST {
        return Some(time.value);
    }
    out_of_range(
        time.place,
        format!("{shown} is out of range"),
        format!("expected at most {LONGEST} on the way"),
        book,
    );
    None
}

/// The datagram's header, which leaves room for data.
fn header(wire: &wire::Ethernet, mtu: Option<At<Bytes>>, section: Place, book: &mut Book) -> Option<u64> {
    let header = quantity(&wire.header)?;
    let Some(mtu) = mtu.filter(|mtu| mtu.value <= header.value) else { return Some(header.value.0) };
    let place = if mtu.place == section { header.place } else { mtu.place };
    out_of_range(
        place,
        format!("an MTU of {} leaves no room for data beside a header of {}", mtu.value, header.value),
        format!("expected an MTU above {}", header.value),
        book,
    );
    None
}

/// Room in switches, for a frame at least.
fn buffer(wire: &wire::Ethernet, mtu: Option<u64>, book: &mut Book) -> Option<Buffer> {
    let sharing = match &wire.buffer_sharing {
        Given::Absent => Sharing::default(),
        given => *given.value()?,
    };
    if wire.buffer.is_absent() {
        let Some(sharing) = wire.buffer_sharing.get() else { return Some(Buffer::Unbounded) };
        book.add(sharing.place, |span| {
            let expected = "without `buffer` there is as much room as it takes";
            Fault::new("missing-key", span, "`buffer-sharing` without `buffer`", expected)
        });
        return None;
    }
    let room: At<Bytes> = quantity::<Bytes>(&wire.buffer)?;
    let frame = mtu? + u64::from(HEADER + TRAILER);
    if room.value.0 < frame {
        out_of_range(
            room.place,
            format!("{} hold no frame of {frame} B", room.value),
            format!("expected at least {frame} B, or a smaller mtu"),
            book,
        );
        return None;
    }
    Some(match sharing {
        Sharing::PerPort => Buffer::PerPort(room.value),
        Sharing::Shared => Buffer::Shared(room.value),
    })
}
