//! The hosts at the nearest other switches.

use simnet_base::des::random::Stream;
use simnet_base::ids::{HostId, Node, Port, SwitchId};
use simnet_network::topology::{End, Network};

/// Per host the hosts nearest to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Neighbours {
    /// Per host the switch that it is attached to.
    switches: Vec<Option<SwitchId>>,
    /// Per switch with hosts: its nearest hosts; its own hosts where no other switch has any.
    nearest: Vec<Runs>,
}

/// The switch that a host's port leads to.
fn switch_at(network: &Network, host: HostId, port: Option<Port>) -> Option<SwitchId> {
    match network.peer(End { node: Node::Host(host), port: port? })?.node {
        Node::Switch(switch) => Some(switch),
        Node::Host(_) => None,
    }
}

impl Neighbours {
    /// Those of a network's hosts, each with the port that it uses.
    pub(super) fn new(network: &Network, attachments: &[Option<Port>]) -> Neighbours {
        let switches: Vec<Option<SwitchId>> =
            network.host_ids().map(|host| switch_at(network, host, attachments[host.index()])).collect();
        let mut own = vec![Runs::default(); network.switches().len()];
        for (host, switch) in network.host_ids().zip(&switches) {
            if let Some(switch) = switch {
                own[switch.index()].push(host, 1);
            }
        }
        let mut search = Search { network, own: &own, seen: vec![usize::MAX; own.len()] };
        let nearest = network.switch_ids().map(|switch| search.nearest(switch)).collect();
        Neighbours { switches, nearest }
    }

    /// A host's neighbours, and its own position where it stands among them: these are then the hosts of its own
    /// switch.
    fn around(&self, host: HostId) -> Option<(&Runs, Option<u32>)> {
        let all = &self.nearest[self.switches[host.index()]?.index()];
        Some((all, all.position(host)))
    }

    /// How many neighbours a host has. Costs O(log(neighbours)).
    pub(super) fn of(&self, host: HostId) -> usize {
        self.around(host).map_or(0, |(all, own)| HostId(all.len()).index() - usize::from(own.is_some()))
    }

    /// A host's neighbours in order.
    pub(super) fn list(&self, host: HostId) -> impl Iterator<Item = HostId> + '_ {
        let all = self.around(host).into_iter().flat_map(|(all, _)| (0..all.len()).map(|nth| all.get(nth)));
        all.filter(move |other| *other != host)
    }

    /// Draws one of a host's neighbours, if it has any. Costs O(log(neighbours)).
    pub(super) fn draw(&self, host: HostId, stream: &mut Stream) -> Option<HostId> {
        let (all, own) = self.around(host)?;
        let others = all.len() - u32::from(own.is_some());
        if others == 0 {
            return None;
        }
        let drawn = u32::try_from(stream.below(u64::from(others))).expect("below the number of hosts");
        Some(all.get(if own.is_some_and(|own| drawn >= own) { drawn + 1 } else { drawn }))
    }
}

/// Hosts in rising order as runs of consecutive ids: in most networks, one run for many hosts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Runs {
    /// The first host of each run, and how many hosts there are up to the end of it.
    runs: Vec<(HostId, u32)>,
}

impl Runs {
    /// Adds `count` hosts from `first` on, which is above all that are there.
    fn push(&mut self, first: HostId, count: u32) {
        let before = self.before(self.runs.len().saturating_sub(1));
        match self.runs.last_mut() {
            Some((start, end)) if start.0 + (*end - before) == first.0 => *end += count,
            Some((_, end)) => {
                let end = *end + count;
                self.runs.push((first, end));
            }
            None => self.runs.push((first, count)),
        }
    }

    /// How many hosts there are before a run.
    fn before(&self, run: usize) -> u32 {
        if run == 0 { 0 } else { self.runs[run - 1].1 }
    }

    fn len(&self) -> u32 {
        self.runs.last().map_or(0, |(_, end)| *end)
    }

    fn get(&self, nth: u32) -> HostId {
        let run = self.runs.partition_point(|(_, end)| *end <= nth);
        HostId(self.runs[run].0.0 + (nth - self.before(run)))
    }

    /// The position of a host, if it is there.
    fn position(&self, host: HostId) -> Option<u32> {
        let run = self.runs.partition_point(|(first, _)| *first <= host).checked_sub(1)?;
        let nth = self.before(run) + (host.0 - self.runs[run].0.0);
        (nth < self.runs[run].1).then_some(nth)
    }

    /// The runs, each as its first host and its length.
    fn parts(&self) -> impl Iterator<Item = (HostId, u32)> + '_ {
        self.runs.iter().enumerate().map(|(run, (first, end))| (*first, end - self.before(run)))
    }
}

/// A search over the cables between switches, level by level.
struct Search<'a> {
    network: &'a Network,
    own: &'a [Runs],
    /// Per switch the last search that came to it.
    seen: Vec<usize>,
}

impl Search<'_> {
    /// The hosts of the first level of switches beyond `from` that has any.
    fn nearest(&mut self, from: SwitchId) -> Runs {
        if self.own[from.index()].len() == 0 {
            return Runs::default();
        }
        self.seen[from.index()] = from.index();
        let mut level = vec![from];
        while !level.is_empty() {
            level = self.next_level(from, &level);
            let mut parts: Vec<(HostId, u32)> =
                level.iter().flat_map(|switch| self.own[switch.index()].parts()).collect();
            if !parts.is_empty() {
                parts.sort_unstable();
                let mut hosts = Runs::default();
                parts.into_iter().for_each(|(first, count)| hosts.push(first, count));
                return hosts;
            }
        }
        self.own[from.index()].clone()
    }

    fn next_level(&mut self, from: SwitchId, level: &[SwitchId]) -> Vec<SwitchId> {
        let mut next = Vec::new();
        for switch in level {
            for (_, _, far) in self.network.cables(Node::Switch(*switch)) {
                if let Node::Switch(far) = far.node
                    && std::mem::replace(&mut self.seen[far.index()], from.index()) != from.index()
                {
                    next.push(far);
                }
            }
        }
        next
    }
}
