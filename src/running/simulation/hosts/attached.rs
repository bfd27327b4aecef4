//! The network as processes use it: one cable a host; who has which address.

use simnet_base::des::random::{Purpose, Stream};
use simnet_base::ids::{HostId, LinkId, Node};
use simnet_media::fabric::{Fabric, Parameters};
use simnet_media::host::Address;
use simnet_network::topology::{End, Network};

use super::{Addresses, Setup, by_position};

/// The stream that shuffles addresses.
const ADDRESSES: Purpose = Purpose(20);

/// The network and its parameters without the cables of hosts that are in other ports than the host uses.
///
/// A process answers along the way a message came, so a host must not receive on a cable on which it cannot
/// send.
pub(super) struct Attached {
    pub(super) network: Network,
    pub(super) parameters: Parameters,
    /// Per cable of the whole network, its number here.
    links: Vec<Option<LinkId>>,
}

impl Attached {
    pub(super) fn new(setup: &Setup<'_>) -> Attached {
        let (network, parameters) = (setup.network, setup.parameters);
        let lowest = |host| network.attachment(host).map(|(port, _, _)| port);
        let port =
            |host: HostId| setup.attachments.get(host.index()).copied().flatten().or_else(|| lowest(host));
        let used = |end: End| match end.node {
            Node::Host(host) => port(host) == Some(end.port),
            Node::Switch(_) => true,
        };
        let mut reduced = Network::new(network.name.as_str());
        for switch in network.switches() {
            reduced.push_switch(switch.clone()).expect("names stay distinct");
        }
        for host in network.hosts() {
            reduced.push_host(host.clone()).expect("names stay distinct");
        }
        let mut timings = Vec::with_capacity(parameters.links.len());
        let mut links = Vec::with_capacity(network.links().len());
        for (link, timing) in network.links().iter().zip(&parameters.links) {
            let is_used = used(link.a) && used(link.b);
            links.push(is_used.then(|| LinkId::new(timings.len())));
            if is_used {
                reduced.push_link(link.clone()).expect("ports stay distinct");
                timings.push(*timing);
            }
        }
        Attached { network: reduced, parameters: Parameters { links: timings, ..parameters.clone() }, links }
    }

    /// Per cable here, the cable of the whole network.
    pub(super) fn whole(&self) -> Vec<LinkId> {
        let here = |(whole, here): (usize, &Option<LinkId>)| here.map(|_| LinkId::new(whole));
        self.links.iter().enumerate().filter_map(here).collect()
    }

    /// Lets cables fail and return as the setup says.
    pub(super) fn schedule(&self, setup: &Setup<'_>, fabric: &mut Fabric) {
        let cycle = self.parameters.base_cycle;
        for failure in setup.failures {
            let Some(link) = self.links.get(failure.link.index()).copied().flatten() else { continue };
            fabric.fail_link(link, failure.at.to_cycle_ceil(cycle));
            if let Some(until) = failure.until {
                fabric.restore_link(link, until.to_cycle_ceil(cycle));
            }
        }
    }
}

/// The address of each host.
///
/// # Panics
/// Never: a number below the count of hosts fits.
pub fn addresses(setup: &Setup<'_>) -> Vec<Address> {
    let mut addresses = by_position(setup.network.hosts().len());
    let seed = match setup.addresses {
        Addresses::ByPosition => None,
        Addresses::Shuffled => Some(setup.seed),
        Addresses::Drawn(number) => Some(number),
    };
    if let Some(seed) = seed {
        let mut stream = Stream::new(seed, ADDRESSES, 0);
        for last in (1..addresses.len()).rev() {
            let other = stream.below(last as u64 + 1);
            addresses.swap(last, usize::try_from(other).expect("below the number of hosts"));
        }
    }
    addresses
}
