//! What `[fabric]` and `[hosts]` say: read, checked, and turned into flits and base cycles.
//!
//! ```text
//!   keys --> Fabric, Hosts: physical units --the network's cables--> Parameters: flits and base cycles
//! ```
//! The one boundary at which physical units become flits and base cycles.
//!
//! # Source
//! The base cycle is the greatest common divisor of all flit times, so that every channel sends a flit
//! every whole number of base cycles. A cable's delay is its time of flight in base cycles, rounded up, at
//! least 1.

use simnet_base::diagnostics::Fault;
use simnet_base::units::{BitRate, Bytes, Duration, Flits, Length};
use simnet_media::fabric::{
    Arbitration, FlowControl, HostParameters, LinkTiming, Parameters, Receive, SwitchParameters,
};
use simnet_network::topology::{Link, Network};

use super::check::{conflict, out_of_range, quantity};
use super::checked::{Checked, Topology};
use super::credits::{Credits, credits};
use super::diagnostics::{Diagnostics, Place};
use super::generation::Preset;
use super::rates::{self, RateSource, Rates};
use super::wire::{self, FlowKind, Given, Located, Quantity};

/// How long a host needs until it can send a message in transit on, where the scenario does not say it.
///
/// # Source
/// Coll, Flich, Malumbres, Lopez, Duato and Mora 2001, *A first implementation of in-transit buffers on Myrinet GM
/// software*, of which the abstract was at hand: messages take "around 1.3" us longer for each host in transit, and the
/// code costs "about 125 ns" a packet. The latter is not in it: see `nic-send-overhead`.
pub const IN_TRANSIT: Duration = Duration::from_ps(1_300_000);

/// The wormhole fabric in physical units; one flit is one byte.
#[derive(Clone, Debug, PartialEq)]
pub struct Fabric {
    /// The rate of cables that give none.
    pub rate: BitRate,
    /// Where that rate comes from.
    pub rate_source: RateSource,
    /// The rate in whose byte times loads are counted: that of most cables that hosts use.
    pub load_rate: BitRate,
    /// Room of a port's input buffer.
    pub buffer: Flits,
    /// Occupancy at which an input port sends STOP.
    pub stop: Flits,
    /// Occupancy at which it sends GO again; below `stop`.
    pub go: Flits,
    /// Time to decode a head; above zero.
    pub routing_latency: Duration,
    /// How heads are decoded.
    pub arbitration: Arbitration,
    /// Time from one head to the next in a pipeline of headers at every input; at most `routing_latency`.
    pub routing_interval: Option<Duration>,
    /// How long an output may stay blocked before a forward reset; `None`: for ever.
    pub deadlock_timeout: Option<Duration>,
    /// The length of cables that give none.
    pub cable_length: Length,
    /// Chance that a bit is wrong, in `0..1`.
    pub bit_error_rate: f64,
    /// Credits in the place of STOP and GO; then `buffer`, `stop`, `go` and `arbitration` mean nothing.
    pub credits: Option<Credits>,
}

/// What all hosts share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hosts {
    /// Time that the interface needs to set up a message.
    pub nic_send_overhead: Duration,
    /// The receive buffer; `None`: a host takes what arrives at once.
    pub receive: Option<ReceiveBuffer>,
    /// How long a message lives from its start on; `None`: for ever.
    pub time_to_live: Option<Duration>,
    /// Time until a message in transit can be sent on, above zero; `None`: hosts send nothing on. Where the scenario
    /// does not say it, routes of `algorithm = "in-transit"` take [`IN_TRANSIT`].
    pub in_transit: Option<Duration>,
    /// Software time that a process needs to send a message.
    pub send_overhead: Duration,
    /// Software time between a message's arrival and the answer of a replying daemon.
    pub reply_overhead: Duration,
    /// Software time that a mapper spends on a probe, without sending it and waiting for the answer.
    pub loop_overhead: Duration,
}

/// The receive buffer of a host that does not take everything at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiveBuffer {
    /// Its room.
    pub buffer: Flits,
    /// Occupancy at which the host's port sends STOP.
    pub stop: Flits,
    /// Occupancy at which it sends GO again; below `stop`.
    pub go: Flits,
    /// The rate at which the interface empties the buffer.
    pub rate: BitRate,
    /// Time that the interface rests after it has taken out a tail.
    pub overhead: Duration,
}

/// The forward reset of a fabric under STOP and GO that does not say when (mainwaring1997, section 1.1).
const FORWARD_RESET: Duration = Duration::from_ms(50);

/// The fabric in physical units, on its network where there is one.
pub(super) fn fabric(
    wire: &Located<wire::Fabric>,
    topology: Option<&Topology>,
    diagnostics: &mut Diagnostics,
) -> Option<Fabric> {
    let (section, wire) = (wire.place, &wire.value);
    let [buffer, stop, go] = [&wire.buffer, &wire.stop, &wire.go].map(flits);
    // Where values stand that nobody wrote.
    let silent = wire.preset.get().map_or(section, |at| at.place);
    let credits = credits(wire, silent, buffer, diagnostics);
    if wire.flow.is_absent() || wire.flow.value() == Some(&FlowKind::StopGo) {
        check_order(buffer, stop, go, silent, diagnostics);
        check_moved(buffer, [stop, go], silent, wire.preset.value().map(|preset| preset.0), diagnostics);
    }
    let rate = quantity(&wire.rate);
    if let Some(rate) = rate {
        check_rate(rate, diagnostics);
    }
    // A default stands at its section.
    let (usual, source) = match topology.and_then(rates::most_frequent) {
        _ if rate?.place != section => (rate?.value, RateSource::Fabric),
        Some(of_network) => (of_network, RateSource::Network),
        None => (rate?.value, RateSource::Default),
    };
    Some(Fabric {
        rate: usual,
        rate_source: source,
        load_rate: topology.map_or(usual, |topology| rates::of_loads(topology, usual)),
        buffer: buffer?.value,
        stop: stop?.value,
        go: go?.value,
        routing_latency: quantity(&wire.routing_latency)?.value,
        arbitration: *wire.arbitration.value()?,
        routing_interval: routing_interval(wire, diagnostics),
        deadlock_timeout: match &wire.deadlock_timeout {
            Given::Absent => credits.is_none().then_some(FORWARD_RESET),
            given => given.value()?.0,
        },
        cable_length: quantity(&wire.cable_length)?.value,
        bit_error_rate: *wire.bit_error_rate.value()?,
        credits,
    })
}

/// The interval of a pipeline of headers, which belongs to inputs that decode by themselves and is no longer than they
/// take for a head.
fn routing_interval(wire: &wire::Fabric, diagnostics: &mut Diagnostics) -> Option<Duration> {
    let interval = quantity(&wire.routing_interval)?;
    let is_credits = wire.flow.value() == Some(&FlowKind::Credits);
    if !is_credits && wire.arbitration.value().is_some_and(|at| *at != Arbitration::PerInput) {
        let message = "`routing-interval` needs inputs that decode by themselves";
        conflict(interval.place, message, "belongs to arbitration = \"per-input\"", diagnostics);
    }
    let latency = quantity(&wire.routing_latency)?;
    if interval.value > latency.value {
        out_of_range(
            interval.place,
            format!("a head every {} is no pipeline where one takes {}", interval.value, latency.value),
            format!("expected routing-interval up to {}", latency.value),
            diagnostics,
        );
    }
    Some(interval.value)
}

/// An amount of data in flits.
fn flits(given: &Given<Quantity<Bytes>>) -> Option<Located<Flits>> {
    quantity(given).map(|amount| Located { value: Flits(amount.value.0), place: amount.place })
}

/// Whether a flit takes a whole number of picoseconds at `rate`.
pub(super) fn has_exact_flit_time(rate: BitRate) -> bool {
    8_000_000_000_000 % rate.as_bits_per_s() == 0
}

/// Notes a rate whose flit time is not a whole number of picoseconds.
fn check_rate(rate: Located<BitRate>, diagnostics: &mut Diagnostics) {
    if !has_exact_flit_time(rate.value) {
        diagnostics.warn(rate.place, |span| {
            let flit = rate.value.time_for(Bytes(1));
            let message = format!("a flit takes no whole number of picoseconds at {}", rate.value);
            Fault::new("inexact-rate", span, message, format!("taken as {flit} a flit"))
        });
    }
}

/// Notes a buffer that was changed alone: the thresholds in it stay where they were.
fn check_moved(
    buffer: Option<Located<Flits>>,
    thresholds: [Option<Located<Flits>>; 2],
    silent: Place,
    preset: Option<&Preset>,
    diagnostics: &mut Diagnostics,
) {
    let (Some(buffer), [Some(stop), Some(go)]) = (buffer, thresholds) else { return };
    let usual = preset.map_or(u64::from(SwitchParameters::default().buffer), |preset| preset.bytes("buffer"));
    let stays = stop.place == silent && go.place == silent && stop.value <= buffer.value;
    if stays && buffer.place != silent && buffer.value.0 != usual {
        diagnostics.warn(buffer.place, |span| {
            let message =
                format!("`stop` and `go` do not move with `buffer`, which is {usual} B without this");
            let expected = format!("they stay at {} and {}", Bytes(stop.value.0), Bytes(go.value.0));
            Fault::new("thresholds-stay", span, message, expected)
        });
    }
}

/// Notes thresholds that are not in the order go < stop <= buffer.
fn check_order(
    buffer: Option<Located<Flits>>,
    stop: Option<Located<Flits>>,
    go: Option<Located<Flits>>,
    section: Place,
    diagnostics: &mut Diagnostics,
) {
    let (Some(buffer), Some(stop), Some(go)) = (buffer, stop, go) else { return };
    // A default stands at its section; point at what the user wrote instead.
    let written = |first: Place, second: Place| if first == section { second } else { first };
    if stop.value > buffer.value {
        out_of_range(
            written(stop.place, buffer.place),
            format!("STOP at {} B never comes from a buffer of {} B", stop.value.0, buffer.value.0),
            format!("expected stop from 1 B to {} B", buffer.value.0),
            diagnostics,
        );
    }
    if go.value >= stop.value {
        out_of_range(
            written(go.place, stop.place),
            format!("GO at {} B is not below STOP at {} B", go.value.0, stop.value.0),
            format!("expected go from 0 B to {} B", stop.value.0 - 1),
            diagnostics,
        );
    }
}

/// What all hosts share.
pub(super) fn hosts(
    wire: &Located<wire::Hosts>,
    fabric: Option<&Fabric>,
    diagnostics: &mut Diagnostics,
) -> Option<Hosts> {
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
            diagnostics.add(place, |span| {
                let message = format!("`{key}` without `receive-buffer`");
                let expected = "a host without a receive buffer takes at once what arrives";
                Fault::new("missing-key", span, message, expected)
            });
        }
        None
    } else {
        Some(receive(wire, section, fabric, diagnostics)?)
    };
    Some(Hosts {
        nic_send_overhead: quantity(&wire.nic_send_overhead)?.value,
        receive,
        time_to_live: wire.time_to_live.value().and_then(|time| time.0),
        in_transit: quantity(&wire.in_transit_latency).map(|at| at.value),
        send_overhead: quantity(&wire.send_overhead)?.value,
        reply_overhead: quantity(&wire.reply_overhead)?.value,
        loop_overhead: quantity(&wire.loop_overhead)?.value,
    })
}

fn receive(
    wire: &wire::Hosts,
    section: Place,
    fabric: Option<&Fabric>,
    diagnostics: &mut Diagnostics,
) -> Option<ReceiveBuffer> {
    let buffer = flits(&wire.receive_buffer)?;
    let part = |share: u64, least: u64| Located {
        value: Flits((buffer.value.0 / share).max(least)),
        place: section,
    };
    let stop = match &wire.receive_stop {
        given if given.is_absent() => part(2, 1),
        given => flits(given)?,
    };
    let go = match &wire.receive_go {
        given if given.is_absent() => {
            Located { value: part(4, 0).value.min(Flits(stop.value.0 - 1)), place: section }
        }
        given => flits(given)?,
    };
    check_order(Some(buffer), Some(stop), Some(go), section, diagnostics);
    let rate = match &wire.receive_rate {
        given if given.is_absent() => fabric?.load_rate,
        given => quantity(given)?.value,
    };
    let overhead = match &wire.receive_overhead {
        given if given.is_absent() => Duration::ZERO,
        given => quantity(given)?.value,
    };
    Some(ReceiveBuffer { buffer: buffer.value, stop: stop.value, go: go.value, rate, overhead })
}

impl Checked {
    /// Which rates the cables of this scenario's network have on its fabric, and from where. Costs O(links).
    pub fn rates(&self) -> Rates {
        Rates::new(&self.fabric, &self.topology.network)
    }

    /// The flit time in which loads are counted.
    pub fn load_flit_time(&self) -> Duration {
        flit_time(self.fabric.load_rate)
    }

    /// The fabric's parameters for this scenario's network: flits and base cycles, one timing a cable.
    ///
    /// Times are rounded up to whole base cycles. Costs O(links).
    pub fn fabric_parameters(&self) -> Parameters {
        parameters(&self.fabric, &self.hosts, &self.topology.network)
    }

    /// The same for a fabric on which processes run.
    pub fn process_parameters(&self) -> Parameters {
        process_parameters(&self.fabric, &self.hosts, &self.topology.network)
    }
}

/// Converts a fabric's physical quantities into flits and base cycles for the cables of `network`.
///
/// Times are rounded up to whole base cycles. Costs O(links).
pub fn parameters(fabric: &Fabric, hosts: &Hosts, network: &Network) -> Parameters {
    let base_cycle = base_cycle(fabric, hosts, network);
    let cycles = |span: Duration| span.to_cycles_ceil(base_cycle);
    let receive = hosts.receive.map(|receive| Receive {
        stop: small(receive.stop),
        go: small(receive.go),
        period: cycles(flit_time(receive.rate)),
        overhead: cycles(receive.overhead),
    });
    Parameters {
        base_cycle,
        switch: SwitchParameters {
            buffer: small(fabric.buffer),
            stop: small(fabric.stop),
            go: small(fabric.go),
            routing_latency: cycles(fabric.routing_latency).max(1),
            arbitration: if fabric.credits.is_some() { Arbitration::PerInput } else { fabric.arbitration },
            routing_interval: fabric
                .routing_interval
                .map(|interval| cycles(interval.min(fabric.routing_latency)).max(1)),
            timeout: fabric.deadlock_timeout.map(|timeout| cycles(timeout).max(1)),
        },
        host: HostParameters {
            send_overhead: cycles(hosts.nic_send_overhead),
            receive,
            time_to_live: hosts.time_to_live.map(cycles),
            in_transit: hosts.in_transit.map(|latency| cycles(latency).max(1)),
        },
        links: network.links().iter().map(|link| timing(fabric, link, base_cycle)).collect(),
        flow: flow(fabric, cycles),
    }
}

/// The same as [`parameters`] for a fabric on which processes run: with credits it has a lane of management.
pub fn process_parameters(fabric: &Fabric, hosts: &Hosts, network: &Network) -> Parameters {
    let mut parameters = parameters(fabric, hosts, network);
    if let (FlowControl::Credits(flow), Some(credits)) = (&mut parameters.flow, &fabric.credits) {
        flow.management = Some(small(credits.management));
    }
    parameters
}

/// What stops a sender.
fn flow(fabric: &Fabric, cycles: impl Fn(Duration) -> u64) -> FlowControl {
    let limit = fabric.deadlock_timeout.map(|timeout| cycles(timeout).max(1));
    let credits = fabric.credits.as_ref().map(|credits| credits.parameters(limit, cycles));
    credits.map_or(FlowControl::StopGo, |credits| FlowControl::Credits(Box::new(credits)))
}

/// The greatest common divisor of the flit times of all cables and of the interfaces' receive rate.
///
/// Costs O(links).
pub fn base_cycle(fabric: &Fabric, hosts: &Hosts, network: &Network) -> Duration {
    let links = network.links().iter().map(|link| link.rate.unwrap_or(fabric.rate));
    let receive = hosts.receive.map(|receive| receive.rate);
    let times = links.chain(receive).map(|rate| flit_time(rate).as_ps());
    let common = times.reduce(gcd).unwrap_or_else(|| flit_time(fabric.rate).as_ps());
    Duration::from_ps(common)
}

/// The time that one flit takes at `rate`: at least 1 ps, rounded up to a picosecond.
pub fn flit_time(rate: BitRate) -> Duration {
    rate.time_for(Bytes(1))
}

/// The timing of one cable.
pub(super) fn timing(fabric: &Fabric, link: &Link, base_cycle: Duration) -> LinkTiming {
    let flight = link.length.unwrap_or(fabric.cable_length).flight_time();
    LinkTiming {
        period: flit_time(link.rate.unwrap_or(fabric.rate)).to_cycles_ceil(base_cycle),
        delay: flight.to_cycles_ceil(base_cycle).max(1),
    }
}

/// The flits that still arrive after a STOP was sent over a cable of this timing: those of `2 delay - 1`
/// cycles.
pub fn overshoot(timing: LinkTiming) -> u64 {
    (timing.delay.saturating_mul(2) - 1).div_ceil(timing.period)
}

fn small(flits: Flits) -> u32 {
    u32::try_from(flits.0).expect("the reader refuses buffers of 2^16 flits and more")
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simnet_base::units::Unit as _;
    use simnet_network::topology::End;

    fn fabric() -> Fabric {
        Fabric {
            rate: BitRate::parse("1.28 Gb/s").unwrap(),
            rate_source: RateSource::Default,
            load_rate: BitRate::parse("1.28 Gb/s").unwrap(),
            buffer: Flits(108),
            stop: Flits(56),
            go: Flits(40),
            routing_latency: Duration::from_ns(150),
            arbitration: Arbitration::Serial,
            routing_interval: None,
            deadlock_timeout: Some(Duration::from_ms(50)),
            cable_length: Length::from_mm(2_500),
            bit_error_rate: 0.0,
            credits: None,
        }
    }

    /// Two hosts on one switch; the second cable has its own rate and length.
    fn network(rate: Option<&str>, mm: Option<u64>) -> Network {
        let mut net = Network::new("two");
        let s = net.add_switch("s", 4).unwrap();
        let hosts = [net.add_host("a").unwrap(), net.add_host("b").unwrap()];
        net.connect(End::host(hosts[0], 0), End::switch(s, 0)).unwrap();
        let rate = rate.map(|rate| BitRate::parse(rate).unwrap());
        let length = mm.map(Length::from_mm);
        net.push_link(Link { a: End::host(hosts[1], 0), b: End::switch(s, 1), rate, length }).unwrap();
        net
    }

    #[test]
    fn the_defaults_are_the_contracts_cycles() {
        let p = parameters(&fabric(), &Hosts::default(), &network(None, None));
        assert_eq!(p.base_cycle, Duration::from_ps(6_250));
        assert_eq!((p.switch.routing_latency, p.switch.timeout), (24, Some(8_000_000)));
        assert_eq!(p.links, vec![LinkTiming { period: 1, delay: 2 }; 2]);
    }

    #[test]
    fn unequal_rates_share_the_greatest_common_divisor() {
        let p = parameters(&fabric(), &Hosts::default(), &network(Some("1.6 Gb/s"), Some(0)));
        assert_eq!(p.base_cycle, Duration::from_ps(1_250));
        assert_eq!(p.links[0], LinkTiming { period: 5, delay: 10 });
        assert_eq!(p.links[1], LinkTiming { period: 4, delay: 1 });
        assert_eq!(p.switch.routing_latency, 120);
        assert_eq!((overshoot(p.links[0]), overshoot(p.links[1])), (4, 1));
    }

    #[test]
    fn the_interfaces_receive_rate_counts_too() {
        let receive = ReceiveBuffer {
            buffer: Flits(4096),
            stop: Flits(2048),
            go: Flits(1024),
            rate: BitRate::parse("640 Mb/s").unwrap(),
            overhead: Duration::from_ns(10),
        };
        let hosts = Hosts { receive: Some(receive), ..Hosts::default() };
        let p = parameters(&fabric(), &hosts, &network(None, None));
        assert_eq!(p.base_cycle, Duration::from_ps(6_250));
        assert_eq!(p.host.receive, Some(Receive { stop: 2048, go: 1024, period: 2, overhead: 2 }));
    }
}
