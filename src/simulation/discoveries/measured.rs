//! The Ethernet under a measurement.

use crate::ethernet::Counters;
use crate::ethernet::transport::{Datagram, Tcp};
use crate::scenario::checked::Topology;
use crate::scenario::ethernet::{Ethernet, Transport};

use super::super::Listener;
use super::super::progress::Heard;
use super::super::rtt::{self, Job, Outcome};
use super::DiscoveryError;

/// Measures on an Ethernet, idle before; with it how many frames passed cables, and how many found no room.
///
/// # Errors
/// [`DiscoveryError`] if the Ethernet cannot be built.
pub(super) fn run(
    topology: &Topology,
    ethernet: &Ethernet,
    job: &Job,
    listener: Listener<'_>,
) -> Result<(Outcome, (u64, u64)), DiscoveryError> {
    let parameters = ethernet.parameters(&topology.network, None);
    let (network, ports) = (&topology.network, &topology.attachments);
    let counts = |counters: &Counters| (counters.hops(), counters.dropped());
    match ethernet.transport {
        Transport::Datagram => {
            let mut medium = Datagram::new(network, &parameters, ports, ethernet.header, ())?;
            if ethernet.introduced {
                medium.introduce_all();
            }
            let outcome = rtt::run(&mut Heard::new(&mut medium, listener), job)?;
            Ok((outcome, counts(medium.counters())))
        }
        Transport::Tcp => {
            let mut medium = Tcp::new(network, &parameters, ports, &ethernet.tcp(job.seed), ())?;
            if ethernet.introduced {
                medium.introduce_all();
            }
            let outcome = rtt::run(&mut Heard::new(&mut medium, listener), job)?;
            Ok((outcome, counts(medium.counters())))
        }
    }
}
