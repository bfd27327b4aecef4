//! The Ethernet's numbers, and whether frames fit.

use simnet_base::diagnostics::Fault;
use simnet_base::units::{Bytes, Duration};
use simnet_media::ethernet::{Buffer, HEADER, TRAILER};

use super::{names, out_of_range, quantity, within};
use crate::checked::{Routing, Topology};
use crate::diagnostics::{Diagnostics, Place};
use crate::ethernet::{Ethernet, Transport};
use crate::marks;
use crate::pauses;
use crate::wire::{self, Given, LONGEST_CABLE, Located, RATES, Sharing};

/// The least MTU over which TCP can work.
const TCP_MTU: u64 = 576;
/// The most room of a TCP connection.
const MOST_WINDOW: Bytes = Bytes(1 << 24);

/// The Ethernet of a scenario on its own network.
pub(super) fn ethernet(
    wire: &Located<wire::Ethernet>,
    (topology, routing): (Option<&Topology>, Option<&Routing>),
    diagnostics: &mut Diagnostics,
) -> Option<Ethernet> {
    let (section, wire) = (wire.place, &wire.value);
    let mtu = quantity(&wire.mtu);
    let fits = mtu.map(|at| at.value.0);
    let header = header(wire, mtu, section, diagnostics);
    let buffer = buffer(wire, fits, diagnostics);
    let windows = mtu.map_or(Bytes(0), |at| at.value)..=MOST_WINDOW;
    let window = quantity(&wire.window).and_then(|at| within(at, windows, diagnostics));
    if let (Some(transport), Some(mtu)) = (wire.transport.get(), fits) {
        check_transport(*transport, mtu, diagnostics);
    }
    let priorities = wire.priorities.value()?.entries.iter().map(|(name, priority)| {
        Some((names::switch_alone(name, &topology?.network, diagnostics)?, priority.value))
    });
    // A fault of one does not hide those of the others.
    let priorities: Vec<_> = priorities.collect();
    if let (Some(topology), Some(place)) = (topology, wire.rate.get().map(|at| at.place)) {
        check_links(topology, place, diagnostics);
    }
    let marks = marks::ecn(wire, diagnostics);
    let rates = marks::dcqcn(wire, diagnostics);
    let flow = pauses::pauses(wire, fits, diagnostics);
    let table = pauses::table(wire, (routing, topology), diagnostics);
    let ethernet = Ethernet {
        rate: quantity(&wire.rate)?.value,
        cable_length: quantity(&wire.cable_length)?.value,
        mtu: u32::try_from(fits?).ok()?,
        switch_latency: quantity(&wire.switch_latency)?.value,
        buffer: buffer?,
        ageing: quantity(&wire.ageing)?.value,
        priorities: priorities.into_iter().collect::<Option<_>>()?,
        transport: *wire.transport.value()?,
        header: u32::try_from(header?).ok()?,
        window: window?,
        ack_delay: Some(quantity(&wire.ack_delay)?.value).filter(|span| *span > Duration::ZERO),
        congestion: *wire.congestion.value()?,
        least_timeout: quantity(&wire.least_timeout)?.value,
        give_up: quantity(&wire.give_up)?.value,
        introduced: *wire.introduced.value()?,
        ecn: marks?,
        dcqcn: Box::new(rates?),
        pauses: flow?,
        table: table?.map(Box::new),
        time_to_live: wire.time_to_live.value().and_then(|hops| u16::try_from(*hops).ok()),
    };
    if let Some(topology) = topology {
        pauses::check_headroom(wire, &ethernet, topology, diagnostics);
        pauses::check_quanta(wire, &ethernet, topology, diagnostics);
        pauses::check_circles(wire, &ethernet, topology, diagnostics);
    }
    Some(ethernet)
}

/// Notes cables whose own rate or length no Ethernet has; they are faults of what the network comes from.
pub(super) fn check_links(topology: &Topology, place: Place, diagnostics: &mut Diagnostics) {
    let network = &topology.network;
    let links = (0..network.links().len()).map(simnet_base::ids::LinkId::new);
    let is_bad = |link: &simnet_base::ids::LinkId| {
        let link = network.link(*link);
        let slow = link.rate.is_some_and(|rate| !RATES.contains(&rate));
        slow || link.length.is_some_and(|length| length > LONGEST_CABLE)
    };
    let bad: Vec<_> = links.filter(is_bad).collect();
    if let Some(first) = bad.first() {
        let cable = names::link_name(network, *first);
        out_of_range(
            place,
            format!("the network says of {} cables what no Ethernet has: {cable}", bad.len()),
            "expected 10 Mb/s to 400 Gb/s, and at most 1 s of flight",
            diagnostics,
        );
    }
}

/// Notes an MTU over which a transport cannot work.
pub(super) fn check_transport(transport: Located<Transport>, mtu: u64, diagnostics: &mut Diagnostics) {
    if transport.value == Transport::Tcp && mtu < TCP_MTU {
        out_of_range(
            transport.place,
            format!("TCP over an MTU of {mtu} B"),
            format!("expected an mtu of at least {TCP_MTU} B"),
            diagnostics,
        );
    }
}

/// The datagram's header, which leaves room for data.
fn header(
    wire: &wire::Ethernet,
    mtu: Option<Located<Bytes>>,
    section: Place,
    diagnostics: &mut Diagnostics,
) -> Option<u64> {
    let header = quantity(&wire.header)?;
    let Some(mtu) = mtu.filter(|mtu| mtu.value <= header.value) else { return Some(header.value.0) };
    let place = if mtu.place == section { header.place } else { mtu.place };
    out_of_range(
        place,
        format!("an MTU of {} leaves no room for data beside a header of {}", mtu.value, header.value),
        format!("expected an MTU above {}", header.value),
        diagnostics,
    );
    None
}

/// Room in switches, for a frame at least.
fn buffer(wire: &wire::Ethernet, mtu: Option<u64>, diagnostics: &mut Diagnostics) -> Option<Buffer> {
    let sharing = match &wire.buffer_sharing {
        Given::Absent => Sharing::default(),
        given => *given.value()?,
    };
    if wire.buffer.is_absent() {
        let Some(sharing) = wire.buffer_sharing.get() else { return Some(Buffer::Unbounded) };
        diagnostics.add(sharing.place, |span| {
            let expected = "without `buffer` there is as much room as it takes";
            Fault::new("missing-key", span, "`buffer-sharing` without `buffer`", expected)
        });
        return None;
    }
    let room: Located<Bytes> = quantity::<Bytes>(&wire.buffer)?;
    let frame = mtu? + u64::from(HEADER + TRAILER);
    if room.value.0 < frame {
        out_of_range(
            room.place,
            format!("{} hold no frame of {frame} B", room.value),
            format!("expected at least {frame} B, or a smaller mtu"),
            diagnostics,
        );
        return None;
    }
    Some(match sharing {
        Sharing::PerPort => Buffer::PerPort(room.value),
        Sharing::Shared => Buffer::Shared(room.value),
    })
}
