//! The Ethernet of a scenario, in physical units.

use simnet_base::ids::{ChannelId, SwitchId};
use simnet_base::units::{BitRate, Bytes, Duration, Length};
use simnet_media::ethernet::transport::{Congestion, DcqcnParameters, TcpParameters};
use simnet_media::ethernet::{
    BRIDGE_PRIORITY, Buffer, EcnParameters, Flow, Forwarding, ForwardingTable, Parameters, PfcParameters,
};
use simnet_network::topology::{Link, Network};

use super::checked::Topology;
use super::pauses::Pauses;

/// Switched Ethernet and how hosts carry messages over it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ethernet {
    /// The rate of cables that give none.
    pub rate: BitRate,
    /// The length of cables that give none.
    pub cable_length: Length,
    /// The most bytes of payload of a frame.
    pub mtu: u32,
    /// From a frame's last bit in a switch to the first instant at which it can leave.
    pub switch_latency: Duration,
    /// Room for waiting frames in every switch.
    pub buffer: Buffer,
    /// How long a learned address is remembered.
    pub ageing: Duration,
    /// Bridge priorities that are not the usual one, by switch of the scenario's own network.
    pub priorities: Vec<(SwitchId, u16)>,
    /// How messages travel.
    pub transport: Transport,
    /// What each frame of a datagram carries in addition to data.
    pub header: u32,
    /// Room of a TCP connection for data on its way, at either end.
    pub window: Bytes,
    /// How long a TCP acknowledgement may wait for another segment; `None`: not at all.
    pub ack_delay: Option<Duration>,
    /// What limits a TCP sender in addition to the receiver's window.
    pub congestion: Congestion,
    /// The least time after which TCP sends an unacknowledged segment again.
    pub least_timeout: Duration,
    /// How long a TCP connection with messages on it may bring nothing before they are lost.
    pub give_up: Duration,
    /// Whether switches know every host from the start.
    pub introduced: bool,
    /// When frames are marked for congestion; `None`: never.
    pub ecn: Option<EcnParameters>,
    /// How rates of flows are cut and raised.
    pub dcqcn: Box<DcqcnParameters>,
    /// What stops senders, if anything does.
    pub pauses: Option<Pauses>,
    /// The next hops on the scenario's own network; `None`: switches forward on the spanning tree.
    pub table: Option<Box<ForwardingTable>>,
    /// How many switches forward a frame, with next hops; `None`: any number.
    pub time_to_live: Option<u16>,
}

/// How messages travel over an Ethernet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// In frames, without recovery.
    Datagram,
    /// The same, flows at the rates that DCQCN gives them.
    Dcqcn,
    /// Over a TCP/IP stack in every host.
    Tcp,
}

impl Transport {
    /// Its name in scenarios and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Transport::Datagram => "datagram",
            Transport::Dcqcn => "dcqcn",
            Transport::Tcp => "tcp",
        }
    }
}

impl Ethernet {
    /// The parameters of the hosts' TCP.
    pub fn tcp(&self, seed: u64) -> TcpParameters {
        TcpParameters {
            window: u32::try_from(self.window.0).unwrap_or(u32::MAX),
            ack_delay: self.ack_delay,
            congestion: self.congestion,
            least_timeout: self.least_timeout,
            give_up: self.give_up,
            seed,
            ..TcpParameters::default()
        }
    }

    fn rate_of(&self, link: &Link, rate: Option<BitRate>) -> BitRate {
        rate.or(link.rate).unwrap_or(self.rate)
    }

    fn delay_of(&self, link: &Link) -> Duration {
        link.length.unwrap_or(self.cable_length).flight_time()
    }

    /// The headroom with which pauses let no frame be dropped on `network`, every cable at `rate` if one is given: that
    /// of the cable that needs most of it; zero without pauses. Costs O(cables).
    pub fn headroom_needed(&self, network: &Network, rate: Option<BitRate>) -> Bytes {
        let Some(pauses) = &self.pauses else { return Bytes(0) };
        let needed = |link: &Link| {
            let (rate, delay) = (self.rate_of(link, rate), self.delay_of(link));
            PfcParameters::headroom_needed(rate, delay, self.mtu, pauses.reaction)
        };
        network.links().iter().map(needed).max().unwrap_or(Bytes(0))
    }

    /// Returns whether pauses are said again before they run out on every cable of `network`. Costs O(cables).
    pub(super) fn pauses_last(&self, network: &Network) -> bool {
        let Some(pauses) = &self.pauses else { return true };
        let parameters = pauses.parameters(Bytes(0));
        network.links().iter().all(|link| parameters.lasts(self.rate_of(link, None), self.mtu))
    }

    /// The ports of a shortest circle along which paused queues can wait for each other, `switch:port`, each followed
    /// by the next on some way of the table; `None` if there is none, or no table: the proof that no deadlock closes.
    /// Broadcasts are not looked at. Costs O(hosts x cables) and the search for a cycle.
    pub fn circle(&self, topology: &Topology) -> Option<Vec<String>> {
        let network = &topology.network;
        let has_time_to_live = self.time_to_live.is_some();
        let graph = self.table.as_ref()?.dependencies(network, &topology.attachments, has_time_to_live);
        let circle = graph.shortest_cycle()?;
        let name = |channel: &ChannelId| {
            let from = graph.sender(*channel);
            format!("{}:{}", network.name_of(from.node), from.port)
        };
        Some(circle.iter().map(name).collect())
    }

    /// The Ethernet's parameters on `network`, every cable at `rate` if one is given, with the seed 0.
    pub fn parameters(&self, network: &Network, rate: Option<BitRate>) -> Parameters {
        let links = || network.links().iter();
        let mut bridge_priorities = vec![BRIDGE_PRIORITY; network.switches().len()];
        for (switch, priority) in &self.priorities {
            if let Some(of) = bridge_priorities.get_mut(switch.index()) {
                *of = *priority;
            }
        }
        Parameters {
            rates: links().map(|link| self.rate_of(link, rate)).collect(),
            delays: links().map(|link| self.delay_of(link)).collect(),
            switch_latency: self.switch_latency,
            buffer: self.buffer,
            ageing: self.ageing,
            mtu: self.mtu,
            flow: self.pauses.as_ref().map_or(Flow::None, |pauses| {
                Flow::Pfc(pauses.parameters(self.headroom_needed(network, rate)))
            }),
            ecn: self.ecn,
            forwarding: self.table.as_deref().cloned().map_or(Forwarding::SpanningTree, Forwarding::Table),
            time_to_live: self.time_to_live,
            bridge_priorities,
            seed: 0,
        }
    }
}
