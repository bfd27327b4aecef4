//! The one boundary at which physical units become flits and base cycles.
//!
//! # Source
//! The base cycle is the greatest common divisor of all flit times, so that every channel sends a flit
//! every whole number of base cycles. A cable's delay is its time of flight in base cycles, rounded up, at
//! least 1.

use crate::fabric::{HostParameters, LinkTiming, Parameters, Receive, SwitchParameters};
use crate::topology::{Link, Network};
use crate::units::{BitRate, Bytes, Duration, Flits};

use super::checked::{Checked, Fabric, Hosts};

impl Checked {
    /// The fabric's parameters for this scenario's network: flits and base cycles, one timing a cable.
    ///
    /// Times are rounded up to whole base cycles. Costs O(links).
    pub fn fabric_parameters(&self) -> Parameters {
        parameters(&self.fabric, &self.hosts, &self.topology.network)
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
            arbitration: fabric.arbitration,
            timeout: fabric.deadlock_timeout.map(|timeout| cycles(timeout).max(1)),
        },
        host: HostParameters {
            send_overhead: cycles(hosts.nic_send_overhead),
            receive,
            time_to_live: hosts.time_to_live.map(cycles),
        },
        links: network.links().iter().map(|link| timing(fabric, link, base_cycle)).collect(),
    }
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
    use crate::fabric::Arbitration;
    use crate::topology::End;
    use crate::units::{Length, Unit as _};

    fn fabric() -> Fabric {
        Fabric {
            rate: BitRate::parse("1.28 Gb/s").unwrap(),
            buffer: Flits(108),
            stop: Flits(56),
            go: Flits(40),
            routing_latency: Duration::from_ns(150),
            arbitration: Arbitration::Serial,
            deadlock_timeout: Some(Duration::from_ms(50)),
            cable_length: Length::from_mm(2_500),
            bit_error_rate: 0.0,
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
        let receive = super::super::checked::ReceiveBuffer {
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
