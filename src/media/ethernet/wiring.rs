//! From a network's cables to the engine's ports.

use thiserror::Error;

use simnet_base::ids::{ChannelId, HostId, LinkId, Node, Port, SwitchId};
use simnet_base::units::Duration;
use simnet_network::topology::{End, Network};

use super::flow_hash::FlowHash;
use super::forwarding::Forwarding;
use super::parameters::{Buffer, Parameters};
use super::pfc::{Flow, LEAST_QUANTA, NONE, PRIORITIES};
use super::spanning_tree::{Role, SpanningTree};

/// Why an Ethernet cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BuildError {
    /// Parameters that are not one for each cable.
    #[error("the network has {links} links, and there are {rates} rates and {delays} delays for them")]
    Links {
        /// Cables of the network.
        links: usize,
        /// Rates given.
        rates: usize,
        /// Delays given.
        delays: usize,
    },
    /// Attachments that are not one for each host.
    #[error("the network has {hosts} hosts, and there are {attachments} attachments for them")]
    Hosts {
        /// Hosts of the network.
        hosts: usize,
        /// Attachments given.
        attachments: usize,
    },
    /// A host attached by a port without a cable.
    #[error("port {port} of `{host}` has no cable")]
    NoCable {
        /// The host's name.
        host: String,
        /// Its port.
        port: u16,
    },
    /// A table that is one of another network, or names a port without a cable.
    #[error("the table has not one cabled port, or none, for each of the switches and hosts")]
    Table,
    /// A time to live of nothing, or one without a table.
    #[error("a time to live is at least 1 and belongs to forwarding by a table")]
    TimeToLive,
    /// Marks that cannot be.
    #[error("marks need `kmin` of at most `kmax`, and a probability of at most one")]
    Marks,
    /// Thresholds or a priority that cannot be.
    #[error(
        "pauses need `xon` of at most `xoff`, unbounded buffers at outputs, a priority below 8, times and alpha above \
         zero and 3 quanta at least"
    )]
    Pauses,
    /// Tables that could outgrow memory: a note for each host at each switch.
    #[error(
        "{switches} switches would have to remember {hosts} hosts each; at most {MOST_NOTES} addresses together \
         are possible"
    )]
    TooLarge {
        /// Switches of the network.
        switches: usize,
        /// Hosts of the network.
        hosts: usize,
    },
}

/// The most addresses that all switches may have to remember together: 2 GiB of tables.
const MOST_NOTES: usize = 1 << 27;

/// What is at the far end of a channel.
#[derive(Clone, Copy, Debug)]
pub(super) enum Receiver {
    /// A forwarding port of a switch.
    Switch(u32),
    /// One of a switch that pauses who sends to it, or forwards by a table.
    Input(u32),
    /// The interface of a host.
    Host(HostId),
    /// A blocked port of a switch.
    Blocked,
    /// A port that its host does not use.
    Unattached,
}

/// The ports at the two ends of a channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    pub(super) from: End,
    pub(super) to: End,
}

/// Looks for everything that keeps an Ethernet from being built, without building it. Costs O(hosts).
///
/// # Errors
/// [`BuildError`].
pub fn check(
    network: &Network,
    parameters: &Parameters,
    attachments: &[Option<Port>],
) -> Result<(), BuildError> {
    let (links, rates, delays) = (network.links().len(), parameters.rates.len(), parameters.delays.len());
    if rates != links || delays != links {
        return Err(BuildError::Links { links, rates, delays });
    }
    if attachments.len() != network.hosts().len() {
        return Err(BuildError::Hosts { hosts: network.hosts().len(), attachments: attachments.len() });
    }
    check_size(network.switches().len(), network.hosts().len())?;
    if let Forwarding::Table(table) = &parameters.forwarding
        && !(table.fits(network.switches().len(), network.hosts().len()) && table.is_cabled(network))
    {
        return Err(BuildError::Table);
    }
    if parameters.time_to_live == Some(0)
        || parameters.time_to_live.is_some() && parameters.forwarding == Forwarding::SpanningTree
    {
        return Err(BuildError::TimeToLive);
    }
    if parameters.ecn.is_some_and(|ecn| ecn.kmin > ecn.kmax || ecn.pmax > 1_000_000) {
        return Err(BuildError::Marks);
    }
    if let Flow::Pfc(pfc) = &parameters.flow {
        let times = pfc.watchdog.map_or([Duration::from_ps(1); 2], |dog| [dog.detection, dog.restoration]);
        let is_sound = pfc.xon <= pfc.xoff && pfc.priority < PRIORITIES && !times.contains(&Duration::ZERO);
        let is_sound = is_sound && pfc.quanta.is_none_or(|quanta| quanta >= LEAST_QUANTA);
        let is_sound = is_sound && pfc.shared.is_none_or(|of| of.alpha.0 > 0 && of.alpha.1 > 0);
        if !is_sound || parameters.buffer != Buffer::Unbounded {
            return Err(BuildError::Pauses);
        }
    }
    for (host, port) in attached(attachments) {
        if network.link_at(End { node: Node::Host(host), port }).is_none() {
            return Err(BuildError::NoCable {
                host: network.name_of(Node::Host(host)).to_owned(),
                port: port.0,
            });
        }
    }
    Ok(())
}

/// Refuses networks whose switches could have to remember too many hosts.
///
/// # Errors
/// [`BuildError::TooLarge`].
pub fn check_size(switches: usize, hosts: usize) -> Result<(), BuildError> {
    if switches.saturating_mul(hosts) > MOST_NOTES {
        return Err(BuildError::TooLarge { switches, hosts });
    }
    Ok(())
}

fn attached(attachments: &[Option<Port>]) -> impl Iterator<Item = (HostId, Port)> + '_ {
    attachments.iter().enumerate().filter_map(|(host, port)| Some((HostId::new(host), (*port)?)))
}

/// The ends of every channel.
pub(super) fn ends(network: &Network) -> Vec<Ends> {
    let both = |link: &simnet_network::topology::Link| {
        [Ends { from: link.a, to: link.b }, Ends { from: link.b, to: link.a }]
    };
    network.links().iter().flat_map(both).collect()
}

/// What is at the far end of a channel.
pub(super) fn receiver(
    channel: usize,
    to: End,
    tree: &SpanningTree,
    attachments: &[Option<Port>],
    (has_inputs, has_table): (bool, bool),
) -> Receiver {
    let far = tree.roles(LinkId::new(channel / 2))[1 - channel % 2];
    match to.node {
        Node::Switch(_) if far == Some(Role::Blocked) && !has_table => Receiver::Blocked,
        Node::Switch(switch) if has_inputs => Receiver::Input(switch.0),
        Node::Switch(switch) => Receiver::Switch(switch.0),
        Node::Host(host) if attachments[host.index()] == Some(to.port) => Receiver::Host(host),
        Node::Host(_) => Receiver::Unattached,
    }
}

/// The channel out of a port with this cable.
fn out(network: &Network, link: LinkId, end: End) -> ChannelId {
    if network.link(link).a == end { link.forward() } else { link.backward() }
}

/// The channels out of the forwarding ports of a switch, in the order of the ports' numbers.
pub(super) fn outputs(network: &Network, tree: &SpanningTree, node: Node) -> Vec<u32> {
    let cables = network.cables(node).map(|(port, link, _)| (link, End { node, port }));
    let forwarding = cables.filter(|(_, end)| tree.role(network, *end) != Some(Role::Blocked));
    forwarding.map(|(link, end)| out(network, link, end).0).collect()
}

/// By switch, the channels out of all its cabled ports, in the order of their numbers.
pub(super) fn all_outputs(network: &Network) -> Vec<Vec<u32>> {
    let of = |switch| {
        let node = Node::Switch(switch);
        network.cables(node).map(|(port, link, _)| out(network, link, End { node, port }).0).collect()
    };
    network.switch_ids().map(of).collect()
}

/// The channels by which switches send what is for a host; empty without a table.
#[derive(Clone, Debug, Default)]
pub(super) struct NextChannels {
    hosts: usize,
    /// By switch and host: the channel, [`NONE`], or [`SEVERAL`] and a place in `several`.
    entries: Vec<u32>,
    several: Vec<Box<[u32]>>,
    hash: FlowHash,
}

/// More than the number of any channel.
const SEVERAL: u32 = 1 << 31;

impl NextChannels {
    pub(super) fn new(network: &Network, forwarding: &Forwarding) -> NextChannels {
        let Forwarding::Table(table) = forwarding else { return NextChannels::default() };
        let hosts = network.hosts().len();
        let mut found = NextChannels { hosts, hash: table.hash(), ..NextChannels::default() };
        for switch in network.switch_ids() {
            let channel = |port: &Port| {
                let end = End { node: Node::Switch(switch), port: *port };
                network.link_at(end).map_or(NONE, |link| out(network, link, end).0)
            };
            for host in network.host_ids() {
                let entry = match table.ports(switch, host) {
                    [] => NONE,
                    [port] => channel(port),
                    ports => {
                        found.several.push(ports.iter().map(channel).collect());
                        SEVERAL + u32::try_from(found.several.len() - 1).expect("at most 2^27 entries")
                    }
                };
                found.entries.push(entry);
            }
        }
        found
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The channel by which a switch sends what the first host sends to the second; [`NONE`]: it drops it.
    pub(super) fn of(&self, switch: u32, flow: [HostId; 2]) -> u32 {
        let entry = self.entries[switch as usize * self.hosts + flow[1].index()];
        if entry < SEVERAL || entry == NONE {
            return entry;
        }
        let several = &self.several[(entry - SEVERAL) as usize];
        several[self.hash.choice(SwitchId(switch), flow, several.len())]
    }
}

/// Per host, the channel out of its interface.
pub(super) fn interfaces(network: &Network, attachments: &[Option<Port>]) -> Vec<Option<u32>> {
    let mut interfaces = vec![None; attachments.len()];
    for (host, port) in attached(attachments) {
        let end = End { node: Node::Host(host), port };
        interfaces[host.index()] = network.link_at(end).map(|link| out(network, link, end).0);
    }
    interfaces
}
