//! The fabric's and the hosts' numbers, and whether buffers hold what still arrives after a STOP.

use crate::diagnostics::Fault;
use crate::ids::{LinkId, Node};
use crate::topology::Network;
use crate::units::{BitRate, Bytes, Duration, Flits};

use super::super::book::{Book, Place};
use super::super::checked::{Fabric, Hosts, ReceiveBuffer};
use super::super::cycles::{base_cycle, overshoot, timing};
use super::super::wire::{self, At, Document, Given, Quantity};
use super::{names, out_of_range, quantity};

/// The fabric in physical units.
pub(super) fn fabric(wire: &At<wire::Fabric>, book: &mut Book) -> Option<Fabric> {
    let (section, wire) = (wire.place, &wire.value);
    let [buffer, stop, go] = [&wire.buffer, &wire.stop, &wire.go].map(flits);
    check_order(buffer, stop, go, section, book);
    let rate = quantity(&wire.rate);
    if let Some(rate) = rate {
        check_rate(rate, book);
    }
    Some(Fabric {
        rate: rate?.value,
        buffer: buffer?.value,
        stop: stop?.value,
        go: go?.value,
        routing_latency: quantity(&wire.routing_latency)?.value,
        arbitration: *wire.arbitration.value()?,
        deadlock_timeout: wire.deadlock_timeout.value()?.0,
        cable_length: quantity(&wire.cable_length)?.value,
        bit_error_rate: *wire.bit_error_rate.value()?,
    })
}

/// An amount of data in flits.
fn flits(given: &Given<Quantity<Bytes>>) -> Option<At<Flits>> {
    quantity(given).map(|amount| At { value: Flits(amount.value.0), place: amount.place })
}

/// Notes a rate whose flit time is not a whole number of picoseconds.
fn check_rate(rate: At<BitRate>, book: &mut Book) {
    if 8_000_000_000_000 % rate.value.as_bits_per_s() != 0 {
        book.warn(rate.place, |span| {
            let flit = rate.value.time_for(Bytes(1));
            let message = format!("a flit takes no whole number of picoseconds at {}", rate.value);
            Fault::new("inexact-rate", span, message, format!("taken as {flit} a flit"))
        });
    }
}

/// Notes thresholds that are not in the order go < stop <= buffer.
fn check_order(
    buffer: Option<At<Flits>>,
    stop: Option<At<Flits>>,
    go: Option<At<Flits>>,
    section: Place,
    book: &mut Book,
) {
    let (Some(buffer), Some(stop), Some(go)) = (buffer, stop, go) else { return };
    // A default stands at its section; point at what the user wrote instead.
    let written = |first: Place, second: Place| if first == section { second } else { first };
    if stop.value > buffer.value {
        out_of_range(
            written(stop.place, buffer.place),
            format!("STOP at {} B never comes from a buffer of {} B", stop.value.0, buffer.value.0),
            format!("expected stop from 1 B to {} B", buffer.value.0),
            book,
        );
    }
    if go.value >= stop.value {
        out_of_range(
            written(go.place, stop.place),
            format!("GO at {} B is not below STOP at {} B", go.value.0, stop.value.0),
            format!("expected go from 0 B to {} B", stop.value.0 - 1),
            book,
        );
    }
}

/// What all hosts share.
pub(super) fn hosts(wire: &At<wire::Hosts>, fabric: Option<&Fabric>, book: &mut Book) -> Option<Hosts> {
    let section = wire.place;
    let wire = &wire.value;
    let receive = if wire.receive_buffer.is_absent() {
        let others = [
            wire.receive_stop.get().map(|at| ("receive-stop", at.place)),
            wire.receive_go.get().map(|at| ("receive-go", at.place)),
            wire.receive_rate.get().map(|at| ("receive-rate", at.place)),
            wire.receive_overhead.get().map(|at| ("receive-overhead", at.place)),
        ];
        for (key, place) in others.into_iter().flatten() {
            book.add(place, |span| {
                let message = format!("`{key}` without `receive-buffer`");
                let expected = "a host without a receive buffer takes at once what arrives";
                Fault::new("missing-key", span, message, expected)
            });
        }
        None
    } else {
        Some(receive(wire, section, fabric, book)?)
    };
    Some(Hosts {
        nic_send_overhead: quantity(&wire.nic_send_overhead)?.value,
        receive,
        time_to_live: wire.time_to_live.value().and_then(|time| time.0),
        send_overhead: quantity(&wire.send_overhead)?.value,
        reply_overhead: quantity(&wire.reply_overhead)?.value,
        loop_overhead: quantity(&wire.loop_overhead)?.value,
    })
}

fn receive(
    wire: &wire::Hosts,
    section: Place,
    fabric: Option<&Fabric>,
    book: &mut Book,
) -> Option<ReceiveBuffer> {
    let buffer = flits(&wire.receive_buffer)?;
    let part =
        |share: u64, least: u64| At { value: Flits((buffer.value.0 / share).max(least)), place: section };
    let stop = match &wire.receive_stop {
        given if given.is_absent() => part(2, 1),
        given => flits(given)?,
    };
    let go = match &wire.receive_go {
        given if given.is_absent() => {
            At { value: part(4, 0).value.min(Flits(stop.value.0 - 1)), place: section }
        }
        given => flits(given)?,
    };
    check_order(Some(buffer), Some(stop), Some(go), section, book);
    let rate = match &wire.receive_rate {
        given if given.is_absent() => fabric?.rate,
        given => quantity(given)?.value,
    };
    let overhead = match &wire.receive_overhead {
        given if given.is_absent() => Duration::ZERO,
        given => quantity(given)?.value,
    };
    Some(ReceiveBuffer { buffer: buffer.value, stop: stop.value, go: go.value, rate, overhead })
}

/// A cable and the flits that still arrive over it after a STOP.
struct Worst {
    link: LinkId,
    arriving: u64,
    /// How many cables break the rule.
    count: usize,
}

/// Notes cables over which more arrives after a STOP than a buffer has room for, and those that leave a
/// bubble after a GO.
///
/// # Source
/// With a delay of `d` cycles, `2d - 1` flits are under way when STOP takes effect: a buffer needs
/// `stop + 2d - 1` flits, and flows without a pause after GO from `go = 2d - 1` on.
pub(super) fn check_buffers(
    document: &Document,
    fabric: &Fabric,
    hosts: &Hosts,
    network: &Network,
    book: &mut Book,
) {
    let base = base_cycle(fabric, hosts, network);
    let arriving = |link: LinkId| overshoot(timing(fabric, network.link(link), base));
    let worst = |at_fault: &dyn Fn(LinkId, u64) -> bool| -> Option<Worst> {
        let links = (0..network.links().len()).map(LinkId::new);
        let bad: Vec<(u64, LinkId)> =
            links.map(|link| (arriving(link), link)).filter(|(over, link)| at_fault(*link, *over)).collect();
        let (arriving, link) = *bad.iter().max_by_key(|(over, link)| (*over, std::cmp::Reverse(*link)))?;
        Some(Worst { link, arriving, count: bad.len() })
    };
    let ends_at = |link: LinkId, hosts_too: bool| {
        let link = network.link(link);
        [link.a, link.b].iter().any(|end| matches!(end.node, Node::Host(_)) == hosts_too)
    };
    let wire = document.fabric.value();
    let section = document.fabric.get().map(|at| at.place);
    // A default stands at its section; point at the first of these that the user wrote instead.
    let written = |places: &[Option<Place>]| {
        places.iter().flatten().copied().find(|place| Some(*place) != section).or(section)
    };
    let over = |stop: Flits, buffer: Flits| move |arriving: u64| stop.0.saturating_add(arriving) > buffer.0;
    let fits_not = over(fabric.stop, fabric.buffer);
    let in_order = fabric.stop.0 <= fabric.buffer.0;
    if let Some(worst) = worst(&|link, arriving| in_order && ends_at(link, false) && fits_not(arriving)) {
        let at = wire.and_then(|wire| {
            let [stop, buffer] = [&wire.stop, &wire.buffer].map(|given| given.get().map(|at| at.place));
            let from_scenario = network.link(worst.link).length.is_none();
            let length = wire.cable_length.get().filter(|_| from_scenario).map(|at| at.place);
            written(&[stop, buffer, length])
        });
        overrun(at, ["stop", "buffer"], (fabric.stop, fabric.buffer), &worst, network, book);
    }
    if let Some(receive) = hosts.receive {
        let fits_not = over(receive.stop, receive.buffer);
        let in_order = receive.stop.0 <= receive.buffer.0;
        if let Some(worst) = worst(&|link, arriving| in_order && ends_at(link, true) && fits_not(arriving)) {
            let at = document.hosts.value().and_then(|wire| wire.receive_buffer.get()).map(|at| at.place);
            let keys = ["receive-stop", "receive-buffer"];
            overrun(at, keys, (receive.stop, receive.buffer), &worst, network, book);
        }
    }
    let bubble = worst(&|link, arriving| ends_at(link, false) && fabric.go.0 < arriving);
    if let (Some(worst), Some(at)) =
        (bubble, wire.and_then(|wire| written(&[wire.go.get().map(|at| at.place)])))
    {
        book.warn(at, |span| {
            let message = format!(
                "after a GO at {} B the flow pauses on {} of {} cables",
                fabric.go.0,
                worst.count,
                network.links().len()
            );
            let expected = format!(
                "{} B arrive late over the cable {}",
                worst.arriving,
                names::link_name(network, worst.link)
            );
            Fault::new("bubble", span, message, expected)
        });
    }
}

fn overrun(
    place: Option<Place>,
    [stop_key, buffer_key]: [&str; 2],
    (stop, buffer): (Flits, Flits),
    worst: &Worst,
    network: &Network,
    book: &mut Book,
) {
    let Some(place) = place else { return };
    let cable = names::link_name(network, worst.link);
    let message = format!(
        "after a STOP at {} B another {} B arrive over the cable {cable}: a buffer of {} B overruns",
        stop.0, worst.arriving, buffer.0
    );
    let expected = match buffer.0.checked_sub(worst.arriving) {
        Some(room @ 1..) => format!("expected {stop_key} of at most {room} B, or a larger {buffer_key}"),
        _ => format!("expected a {buffer_key} above {} B", worst.arriving),
    };
    let others = match worst.count {
        1 => "no other cable is that long or fast".to_owned(),
        count => format!("so it is on {} of {} cables", count, network.links().len()),
    };
    book.add(place, |span| Fault::new("buffer-overrun", span, message, expected).with_help(others));
}
