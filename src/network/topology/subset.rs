//! The part of a network that a question is about: a plane, hosts by what they are called, cables that are fast enough.
//!
//! # Scope and limitations
//! Hosts of real fabrics have ports for storage, for management and for several planes. What is not asked for is left
//! out in this order, and said:
//!
//! 1. aggregation nodes of switches, where that is asked for,
//! 2. nodes and ports of hosts whose name a pattern matches: the name or description of a node, or either with
//!    `:port` behind it; `*` stands for any text,
//! 3. cables of hosts slower than a rate; one whose rate the file does not give stays,
//! 4. all planes but that of one node: the switches that cables between switches join to it,
//! 5. hosts that had cables and have none left.
//!
//! # Source
//! Ours: InfiniBand has no word in its dumps for what a port is used for.

use std::fmt;

use simnet_base::diagnostics::{did_you_mean, quoted};
use simnet_base::ids::{LinkId, Node, SwitchId};
use simnet_base::numbers::count;
use simnet_base::units::BitRate;
use thiserror::Error;

use super::{End, Network, Role};

/// Which part of a network is asked for; the whole by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subset {
    /// Whether the hosts are left out that switches bring along for in-network aggregation.
    pub drop_aggregation_nodes: bool,
    /// Patterns of nodes, and of ports of hosts, that are left out.
    pub leave_out: Vec<String>,
    /// The least rate of a host's cable.
    pub least_rate: Option<BitRate>,
    /// A node, or a port of a host as `host:port`, whose plane alone is kept.
    pub plane: Option<String>,
}

/// What was left out of a network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Switches.
    pub switches: usize,
    /// Hosts.
    pub hosts: usize,
    /// Cables.
    pub cables: usize,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LeftOut { switches, hosts, cables } = self;
        let (switches, hosts) = (count(*switches, "switch"), count(*hosts, "host"));
        write!(f, "left out: {switches}, {hosts}, {}", count(*cables, "cable"))
    }
}

/// Why a network has no such part.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SubsetError {
    /// A pattern without anything to leave out.
    #[error("no node and no port of a host is called `{}`{near}", quoted(.pattern))]
    NoMatch {
        /// The pattern.
        pattern: String,
        /// The nearest name, in words.
        near: String,
    },
    /// A plane of an unknown node.
    #[error("no node is called `{}`{near}", quoted(.name))]
    UnknownNode {
        /// Its name.
        name: String,
        /// The nearest name, in words.
        near: String,
    },
    /// A plane of a host on several or on none.
    #[error("`{}` is on {planes} planes: name a switch, or its port as `{}:PORT`", quoted(.name), quoted(.name))]
    SeveralPlanes {
        /// The host.
        name: String,
        /// How many.
        planes: usize,
    },
}

impl Subset {
    /// Whether all is asked for.
    pub fn is_whole(&self) -> bool {
        *self == Subset::default()
    }

    /// The part of a network, and what was left out of it. Names, port numbers and the order of nodes and cables stay.
    ///
    /// Costs O(nodes + cables), and that times the patterns.
    ///
    /// # Errors
    /// [`SubsetError`].
    pub fn of(&self, net: &Network) -> Result<(Network, LeftOut), SubsetError> {
        let mut kept = Staying::new(net);
        if self.drop_aggregation_nodes {
            kept.retain_nodes(|node| net.role(node) != Role::Aggregation);
        }
        for pattern in &self.leave_out {
            kept.leave_out(pattern)?;
        }
        if let Some(least) = self.least_rate {
            kept.retain_links(|link| {
                let is_slow =
                    net.link(link).rate.is_some_and(|rate| rate.as_bits_per_s() < least.as_bits_per_s());
                !(is_slow && joins_host(net, link))
            });
        }
        if let Some(name) = &self.plane {
            let plane = kept.plane(name)?;
            kept.retain_nodes(|node| !matches!(node, Node::Switch(id) if !plane[id.index()]));
        }
        kept.drop_hosts_without_cables();
        Ok(kept.network())
    }
}

/// The network with its switches and end nodes of these roles alone; `None` if it has no others.
pub fn with_roles(net: &Network, is_kept: impl Fn(Role) -> bool) -> Option<Network> {
    let stays = |node: Node| net.role(node) == Role::Switch || is_kept(net.role(node));
    if net.nodes().all(stays) {
        return None;
    }
    let mut kept = Staying::new(net);
    kept.retain_nodes(stays);
    Some(kept.network().0)
}

fn joins_host(net: &Network, link: LinkId) -> bool {
    let link = net.link(link);
    [link.a, link.b].iter().any(|end| matches!(end.node, Node::Host(_)))
}

/// What of a network is kept so far.
struct Staying<'a> {
    net: &'a Network,
    switches: Vec<bool>,
    hosts: Vec<bool>,
    links: Vec<bool>,
}

impl<'a> Staying<'a> {
    fn new(net: &'a Network) -> Staying<'a> {
        Staying {
            net,
            switches: vec![true; net.switches().len()],
            hosts: vec![true; net.hosts().len()],
            links: vec![true; net.links().len()],
        }
    }

    fn has(&self, node: Node) -> bool {
        match node {
            Node::Switch(id) => self.switches[id.index()],
            Node::Host(id) => self.hosts[id.index()],
        }
    }

    fn retain_nodes(&mut self, stays: impl Fn(Node) -> bool) {
        for id in self.net.switch_ids() {
            self.switches[id.index()] &= stays(Node::Switch(id));
        }
        for id in self.net.host_ids() {
            self.hosts[id.index()] &= stays(Node::Host(id));
        }
        self.retain_links(|_| true);
    }

    fn retain_links(&mut self, stays: impl Fn(LinkId) -> bool) {
        for id in (0..self.links.len()).map(LinkId::new) {
            let link = self.net.link(id);
            self.links[id.index()] &= self.has(link.a.node) && self.has(link.b.node) && stays(id);
        }
    }

    /// Leaves out what a pattern matches.
    fn leave_out(&mut self, pattern: &str) -> Result<(), SubsetError> {
        let net = self.net;
        let names = |node: Node| [Some(net.name_of(node)), net.description_of(node)].into_iter().flatten();
        let is_called = |node: Node| names(node).any(|name| matches(pattern, name));
        let is_port = |end: &End| {
            matches!(end.node, Node::Host(_))
                && names(end.node).any(|name| matches(pattern, &format!("{name}:{}", end.port)))
        };
        let is_left_out = |id: LinkId| [net.link(id).a, net.link(id).b].iter().any(is_port);
        let has_any = net.nodes().any(is_called) || (0..self.links.len()).map(LinkId::new).any(is_left_out);
        if !has_any {
            let near = did_you_mean(pattern, net.nodes().map(|node| net.label(node)));
            return Err(SubsetError::NoMatch { pattern: pattern.to_owned(), near });
        }
        self.retain_nodes(|node| !is_called(node));
        self.retain_links(|id| !is_left_out(id));
        Ok(())
    }

    /// Which switches are on the plane of a node.
    fn plane(&self, name: &str) -> Result<Vec<bool>, SubsetError> {
        let net = self.net;
        let node = |name: &str| net.find(name);
        let far = |end: End| match net.peer(end)?.node {
            Node::Switch(switch) => Some(switch),
            Node::Host(_) => None,
        };
        let starts: Vec<SwitchId> = match node(name) {
            Some(Node::Switch(switch)) => vec![switch],
            Some(node @ Node::Host(_)) => {
                let ports = net.cables(node).map(|(port, _, _)| End { node, port });
                ports.filter_map(far).collect()
            }
            None => {
                let port =
                    name.rsplit_once(':').and_then(|(name, port)| Some((node(name)?, port.parse().ok()?)));
                let end = port.map(|(node, port)| End { node, port: simnet_base::ids::Port(port) });
                match end.and_then(far) {
                    Some(switch) => vec![switch],
                    None => {
                        let near = did_you_mean(name, net.nodes().map(|node| net.label(node)));
                        return Err(SubsetError::UnknownNode { name: name.to_owned(), near });
                    }
                }
            }
        };
        let planes: Vec<Vec<bool>> = starts.into_iter().map(|start| self.joined(start)).collect();
        match planes.as_slice() {
            [plane, others @ ..] if others.iter().all(|other| other == plane) => Ok(plane.clone()),
            _ => Err(SubsetError::SeveralPlanes { name: name.to_owned(), planes: planes.len() }),
        }
    }

    /// Which switches cables that are kept join to one.
    fn joined(&self, start: SwitchId) -> Vec<bool> {
        let mut seen = vec![false; self.switches.len()];
        seen[start.index()] = true;
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            let cables = self.net.cables(Node::Switch(at));
            for (_, _, far) in cables.filter(|(_, link, _)| self.links[link.index()]) {
                if let Node::Switch(next) = far.node
                    && !std::mem::replace(&mut seen[next.index()], true)
                {
                    open.push(next);
                }
            }
        }
        seen
    }

    fn drop_hosts_without_cables(&mut self) {
        let net = self.net;
        for id in net.host_ids() {
            let mut cables = net.cables(Node::Host(id)).map(|(_, link, _)| link).peekable();
            let had_any = cables.peek().is_some();
            self.hosts[id.index()] &= !had_any || cables.any(|link| self.links[link.index()]);
        }
    }

    /// What is kept, as a network.
    fn network(self) -> (Network, LeftOut) {
        let net = self.net;
        let mut part = Network::new(net.name.as_str());
        let taken = "names and ports were those of a network";
        let mut switches = Vec::new();
        for (switch, stays) in net.switches().iter().zip(&self.switches) {
            switches.push(stays.then(|| part.push_switch(switch.clone()).expect(taken)));
        }
        let mut hosts = Vec::new();
        for (host, stays) in net.hosts().iter().zip(&self.hosts) {
            hosts.push(stays.then(|| part.push_host(host.clone()).expect(taken)));
        }
        let end = |end: End| {
            let node = match end.node {
                Node::Switch(id) => Node::Switch(switches[id.index()]?),
                Node::Host(id) => Node::Host(hosts[id.index()]?),
            };
            Some(End { node, ..end })
        };
        for (link, _) in net.links().iter().zip(&self.links).filter(|(_, stays)| **stays) {
            if let (Some(a), Some(b)) = (end(link.a), end(link.b)) {
                part.push_link(super::Link { a, b, ..link.clone() }).expect(taken);
            }
        }
        let gone = |kept: &[bool]| kept.iter().filter(|stays| !**stays).count();
        let left_out =
            LeftOut { switches: gone(&self.switches), hosts: gone(&self.hosts), cables: gone(&self.links) };
        let gone_switches = net.switches().iter().zip(&self.switches).filter(|(_, stays)| !**stays);
        part.left_out = gone_switches.filter_map(|(switch, _)| switch.guid).collect();
        (part, left_out)
    }
}

/// Whether a text is as a pattern says, in which `*` stands for any text.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a star stood for less than any text, or if texts overlapped.
    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, text, expected) in [
            ("h1", "h1", true),
            ("h1", "h12", false),
            ("h*", "h12", true),
            ("*", "", true),
            ("*mlx5_2", "dgx01 mlx5_2", true),
            ("dgx*mlx5_2:1", "dgx01 mlx5_2:1", true),
            ("aba*aba", "aba", false),
            ("aba*aba", "ababa", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} on {text}");
        }
    }
}
