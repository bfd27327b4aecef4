//! By which ports hosts are at their switches.
//!
//! A host counts by one port: its lowest with a cable, or one that is asked for. Where it has others that lead to
//! switches, these are looked at as if they were hosts of their own ([`Attachments::every_port`]), since whoever sends
//! picks the port; a *plane* is a part of the network that cables between switches hold together.
//!
//! ```text
//!   ids      0 .. hosts    the network's hosts, each by its own port
//!            hosts ..      further ports; their `owner` is a host
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;

use crate::topology::{End, Network};
use simnet_base::ids::{HostId, Node, Port, SwitchId};

use super::graph::{SwitchGraph, UNREACHED};
use super::select::joined;
use super::table::TableTooLarge;

/// Cables of hosts: the one that each sends and receives by, and further ones where they are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachments {
    /// Those of the hosts, and behind them those of further ports.
    cables: Vec<Option<Attachment>>,
    /// Owners and planes of further ports; `None` without such.
    further: Option<Arc<Further>>,
}

/// Ports of hosts beyond the one by which each host counts: each has an id as if it were a host of its own, behind
/// those of the network's hosts.
#[derive(Debug, PartialEq, Eq)]
struct Further {
    /// Number of hosts.
    hosts: usize,
    /// The host of each further port.
    owners: Vec<HostId>,
    /// Per host and further port which plane it is on: the component of its switch. [`UNREACHED`] without a switch.
    planes: Vec<u32>,
}

/// A host's cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// The host's own port.
    pub port: Port,
    /// The far end: usually a port of a switch.
    pub far: End,
}

/// Counts of ports of hosts, where these have several, and of the pairs of them that are judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PortsJudged {
    /// The ports of hosts with a cable.
    pub ports: u64,
    /// The planes that they are on.
    pub planes: u64,
    /// Ordered pairs of ports of distinct hosts on one plane.
    pub pairs: u64,
    /// Those without a route.
    pub unreachable_pairs: u64,
}

/// Counts of ports, and what they come to for pairs of hosts.
pub(super) struct OfPorts {
    pub(super) judged: PortsJudged,
    /// Ordered pairs of distinct hosts.
    pub(super) pairs: u64,
    /// Those without a route between any of their ports, by destination.
    pub(super) apart: Vec<(HostId, HostId)>,
}

impl Attachments {
    /// Every host by its lowest-numbered cabled port.
    pub fn lowest(network: &Network) -> Attachments {
        let each = network.host_ids().map(|h| network.attachment(h));
        let cables = each.map(|cable| cable.map(|(port, _, far)| Attachment { port, far })).collect();
        Attachments { cables, further: None }
    }

    /// Every host by the port that `ports` gives for it, else by its lowest-numbered cabled port. A port
    /// without a cable leaves its host unattached. `ports` may be shorter than the list of hosts.
    pub fn by_ports(network: &Network, ports: &[Option<Port>]) -> Attachments {
        let mut attachments = Attachments::lowest(network);
        for (host, port) in network.host_ids().zip(ports) {
            if let Some(port) = *port {
                let far = network.peer(End { node: Node::Host(host), port });
                attachments.cables[host.index()] = far.map(|far| Attachment { port, far });
            }
        }
        attachments
    }

    /// Every host by its lowest-numbered cabled port, and every other port of a host that a cable joins to a switch, as
    /// [`Attachments::with_every_port`].
    pub fn every_port(network: &Network) -> Attachments {
        Attachments::lowest(network).with_every_port(network)
    }

    /// The same with every other port of a host that a cable joins to a switch, each as if it were a host of its own:
    /// its id is above those of the hosts. No route is asked for between ports of one host, nor between planes,
    /// which no cable of a switch joins.
    ///
    /// Where there are more than a table of routes holds, nothing is added.
    #[must_use]
    pub fn with_every_port(mut self, network: &Network) -> Attachments {
        let own = |host: HostId| self.cables[host.index()].map(|cable| cable.port);
        let others = network.host_ids().flat_map(|host| {
            let cables = network.cables(Node::Host(host));
            let others = cables.filter(move |(port, _, far)| {
                Some(*port) != own(host) && matches!(far.node, Node::Switch(_))
            });
            others.map(move |(port, _, far)| (host, Attachment { port, far }))
        });
        let (owners, cables): (Vec<HostId>, Vec<Attachment>) = others.unzip();
        let hosts = self.cables.len();
        if owners.is_empty() || TableTooLarge::unless_held(hosts + owners.len()).is_err() {
            return self;
        }
        self.cables.extend(cables.into_iter().map(Some));
        let mut plane = vec![UNREACHED; network.switches().len()];
        for (nth, members) in (0..).zip(SwitchGraph::new(network).components()) {
            members.iter().for_each(|switch| plane[switch.index()] = nth);
        }
        let ids = (0..self.cables.len()).map(HostId::new);
        let planes = ids.map(|id| self.switch(id).map_or(UNREACHED, |(switch, _)| plane[switch.index()]));
        self.further = Some(Arc::new(Further { hosts, owners, planes: planes.collect() }));
        self
    }

    /// How many hosts there are, attached or not, and further ports.
    pub fn hosts(&self) -> usize {
        self.cables.len()
    }

    /// The ids of all hosts and further ports.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = HostId> + use<> {
        (0..self.cables.len()).map(HostId::new)
    }

    /// How many further ports there are.
    pub fn further_ports(&self) -> usize {
        self.further.as_ref().map_or(0, |further| further.owners.len())
    }

    /// The host that an id is of: itself, or that of a further port.
    pub fn owner(&self, id: HostId) -> HostId {
        let further = self.further.as_ref();
        let owner = further.and_then(|further| further.owners.get(id.index().checked_sub(further.hosts)?));
        owner.copied().unwrap_or(id)
    }

    /// Whether a route is asked for between two distinct ids.
    pub fn counts(&self, a: HostId, b: HostId) -> bool {
        let Some(further) = &self.further else { return a != b };
        let plane = |id: HostId| further.planes[id.index()];
        self.owner(a) != self.owner(b) && plane(a) == plane(b) && plane(a) != UNREACHED
    }

    /// How many ordered pairs of ids a route is asked for.
    pub fn pairs(&self) -> u64 {
        self.ids().map(|to| self.toward(to)).sum()
    }

    /// From how many ids a route to this one is asked for.
    pub(super) fn toward(&self, to: HostId) -> u64 {
        match self.further {
            None => self.hosts() as u64 - 1,
            Some(_) => self.ids().filter(|from| self.counts(*from, to)).count() as u64,
        }
    }

    /// So many ids per switch, without those of the host that this one is of.
    pub(super) fn without_owner_of(&self, id: HostId, per_switch: &[u32]) -> Vec<u32> {
        let mut left = per_switch.to_vec();
        for switch in self.of_owner(id).filter_map(|own| self.switch(own)).map(|(switch, _)| switch) {
            left[switch.index()] -= 1;
        }
        left
    }

    /// All ids of the host that this one is of.
    fn of_owner(&self, id: HostId) -> impl Iterator<Item = HostId> + '_ {
        let owner = self.owner(id);
        let further = self.further.iter().flat_map(move |further| {
            let ids = (further.hosts..).map(HostId::new).zip(&further.owners);
            ids.filter(move |(_, of)| **of == owner)
        });
        std::iter::once(owner).chain(further.map(|(id, _)| id))
    }

    /// Hosts with further ports as they are judged, given the pairs of ids without a route; `None` without such ports.
    ///
    /// Costs O(hosts) for every two sets of planes that hosts are on, and a look at each of these pairs.
    pub(super) fn ports(&self, missed: &[(HostId, HostId)]) -> Option<OfPorts> {
        let further = self.further.as_ref()?;
        let planes = |host: HostId| -> BTreeSet<u32> {
            let all = self.of_owner(host).map(|id| further.planes[id.index()]);
            all.filter(|plane| *plane != UNREACHED).collect()
        };
        let hosts = || (0..further.hosts).map(HostId::new);
        let mut of_planes: BTreeMap<BTreeSet<u32>, Vec<HostId>> = BTreeMap::new();
        hosts().for_each(|host| of_planes.entry(planes(host)).or_default().push(host));
        let mut apart: Vec<(HostId, HostId)> = Vec::new();
        for (one, from) in &of_planes {
            for (_, to) in of_planes.iter().filter(|(other, _)| one.is_disjoint(other)) {
                let pairs = from.iter().flat_map(|from| to.iter().map(|to| (*from, *to)));
                apart.extend(pairs.filter(|(from, to)| from != to && !joined(self, *from, *to)));
            }
        }
        // A pair of hosts is lost where all pairs of their ports are.
        let mut lost: BTreeMap<(HostId, HostId), u64> = BTreeMap::new();
        missed
            .iter()
            .for_each(|(from, to)| *lost.entry((self.owner(*from), self.owner(*to))).or_default() += 1);
        let asked = |(from, to): (HostId, HostId)| {
            let to: Vec<HostId> = self.of_owner(to).collect();
            let pairs = self.of_owner(from).flat_map(|from| to.iter().map(move |to| (from, *to)));
            pairs.filter(|(from, to)| self.counts(*from, *to)).count() as u64
        };
        apart.extend(lost.into_iter().filter(|(pair, lost)| *lost == asked(*pair)).map(|(pair, _)| pair));
        apart.sort_unstable_by_key(|(from, to)| (*to, *from));
        let planes: BTreeSet<u32> =
            further.planes.iter().copied().filter(|plane| *plane != UNREACHED).collect();
        let hosts = further.hosts as u64;
        let judged = PortsJudged {
            ports: self.cables.iter().flatten().count() as u64,
            planes: planes.len() as u64,
            pairs: self.pairs(),
            unreachable_pairs: missed.len() as u64,
        };
        Some(OfPorts { judged, pairs: hosts * hosts.saturating_sub(1), apart })
    }

    /// A host's cable, if it has one.
    pub fn of(&self, host: HostId) -> Option<Attachment> {
        self.cables[host.index()]
    }

    /// The switch that a host is plugged into, and the port there.
    pub fn switch(&self, host: HostId) -> Option<(SwitchId, Port)> {
        match self.cables[host.index()]?.far {
            End { node: Node::Switch(switch), port } => Some((switch, port)),
            End { node: Node::Host(_), .. } => None,
        }
    }

    /// The hosts of each switch that has any, switches and hosts in order; before them those that no cable joins to a
    /// switch, if there are such.
    pub(super) fn by_switch(&self) -> Vec<(Option<SwitchId>, Vec<HostId>)> {
        let switch = |host| self.switch(host).map(|(switch, _)| switch);
        let mut hosts: Vec<_> = self.ids().collect();
        hosts.sort_by_key(|host| (switch(*host), *host));
        let groups = hosts.chunk_by(|a, b| switch(*a) == switch(*b));
        groups.map(|group| (switch(group[0]), group.to_vec())).collect()
    }

    /// How many hosts each switch has, `left_out` not counted.
    pub fn per_switch(&self, switches: usize, left_out: Option<HostId>) -> Vec<u32> {
        let mut count = vec![0; switches];
        for host in self.ids().filter(|id| Some(self.owner(*id)) != left_out) {
            if let Some((switch, _)) = self.switch(host) {
                count[switch.index()] += 1;
            }
        }
        count
    }
}
