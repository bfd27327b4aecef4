//! The Ethernet under a measurement.

use simnet_media::ethernet::Counters;
use simnet_media::ethernet::transport::{Datagram, Tcp};
use simnet_scenario::checked::Topology;
use simnet_scenario::ethernet::{Ethernet, Transport};

use super::DiscoveryError;
use crate::simulation::Listener;
use crate::simulation::progress::Heard;
use crate::simulation::rtt::{self, Job, Outcome};

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
