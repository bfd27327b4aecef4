//! The multigraph itself, and the rules that make a wiring legal.

use std::collections::{BTreeMap, BTreeSet};

use thiserror::Error;

use simnet_base::ids::{HostId, LinkId, Node, Port, SwitchId};
use simnet_base::units::{BitRate, Length};

/// A switch: an anonymous crossbar whose ports are numbered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// Its id in the file it came from; unique among all nodes.
    pub name: String,
    /// How many ports it has.
    pub ports: u16,
    /// The number of its first port: 0, or 1 where the file's format counts from 1.
    pub first_port: u16,
    /// The globally unique id that the file gives, if any.
    pub guid: Option<u64>,
    /// A description for people, if any.
    pub description: Option<String>,
}

/// A host: a machine with one network interface of one or more ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// Its id in the file it came from; unique among all nodes.
    pub name: String,
    /// How many ports it has; usually 1.
    pub ports: u16,
    /// The number of its first port: 0, or 1 where the file's format counts from 1.
    pub first_port: u16,
    /// The globally unique id that the file gives, if any.
    pub guid: Option<u64>,
    /// A description for people, if any.
    pub description: Option<String>,
}

/// One end of a cable: a port of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct End {
    /// The node.
    pub node: Node,
    /// The port's number at that node.
    pub port: Port,
}

/// A full-duplex cable between two ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The end that the file names first.
    pub a: End,
    /// The other end.
    pub b: End,
    /// The rate of each direction, where the file gives one.
    pub rate: Option<BitRate>,
    /// The length of the cable, where the file gives one.
    pub length: Option<Length>,
}

/// Why a node or a cable cannot be added to a network.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CablingError {
    /// Two nodes of one name.
    #[error("the name `{name}` is taken by another node")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// A port that the node does not have.
    #[error("`{node}` has ports {first} to {last}, not {port}")]
    NoSuchPort {
        /// The node's name.
        node: String,
        /// The requested port.
        port: u16,
        /// Its first port.
        first: u16,
        /// Its last port.
        last: u16,
    },
    /// A port with a cable already in it.
    #[error("port {port} of `{node}` already has a cable (link {link})")]
    PortInUse {
        /// The node's name.
        node: String,
        /// The port.
        port: u16,
        /// The position of the link that uses it, from 0.
        link: usize,
    },
    /// A cable whose two ends are the same port.
    #[error("a cable cannot have both ends in port {port} of `{node}`")]
    SamePort {
        /// The node's name.
        node: String,
        /// The port.
        port: u16,
    },
}

/// A network: nodes in the order of their file, cables in the order of their file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Network {
    /// The network's name.
    pub name: String,
    switches: Vec<Switch>,
    hosts: Vec<Host>,
    links: Vec<Link>,
    /// Per switch, per port from `first_port` on: the link in it and whether this is the link's end `a`.
    /// Lists end with the highest cabled port, so that a switch of many free ports costs nothing.
    switch_cabling: Vec<Vec<Option<(LinkId, bool)>>>,
    host_cabling: Vec<Vec<Option<(LinkId, bool)>>>,
    names: BTreeMap<String, Node>,
    /// The node of each description, none where several have it.
    descriptions: BTreeMap<String, Option<Node>>,
    /// The guids of the switches that its file has, and that were not asked for: files beside it may name them.
    pub(super) left_out: BTreeSet<u64>,
}

impl Network {
    /// An empty network called `name`.
    pub fn new(name: impl Into<String>) -> Network {
        Network { name: name.into(), ..Network::default() }
    }

    /// Adds a switch with the ports `0..ports`.
    ///
    /// # Errors
    /// [`CablingError::DuplicateName`].
    pub fn add_switch(&mut self, name: impl Into<String>, ports: u16) -> Result<SwitchId, CablingError> {
        self.push_switch(Switch { name: name.into(), ports, first_port: 0, guid: None, description: None })
    }

    /// Adds a switch.
    ///
    /// # Errors
    /// [`CablingError::DuplicateName`].
    pub fn push_switch(&mut self, switch: Switch) -> Result<SwitchId, CablingError> {
        let id = SwitchId::new(self.switches.len());
        self.claim(&switch.name, Node::Switch(id))?;
        self.describe(switch.description.as_deref(), Node::Switch(id));
        self.switch_cabling.push(Vec::new());
        self.switches.push(switch);
        Ok(id)
    }

    /// Adds a host with the single port 0.
    ///
    /// # Errors
    /// [`CablingError::DuplicateName`].
    pub fn add_host(&mut self, name: impl Into<String>) -> Result<HostId, CablingError> {
        self.push_host(Host { name: name.into(), ports: 1, first_port: 0, guid: None, description: None })
    }

    /// Adds a host.
    ///
    /// # Errors
    /// [`CablingError::DuplicateName`].
    pub fn push_host(&mut self, host: Host) -> Result<HostId, CablingError> {
        let id = HostId::new(self.hosts.len());
        self.claim(&host.name, Node::Host(id))?;
        self.describe(host.description.as_deref(), Node::Host(id));
        self.host_cabling.push(Vec::new());
        self.hosts.push(host);
        Ok(id)
    }

    fn claim(&mut self, name: &str, node: Node) -> Result<(), CablingError> {
        if self.names.contains_key(name) {
            return Err(CablingError::DuplicateName { name: name.to_owned() });
        }
        self.names.insert(name.to_owned(), node);
        Ok(())
    }

    fn describe(&mut self, description: Option<&str>, node: Node) {
        if let Some(text) = description {
            self.descriptions.entry(text.to_owned()).and_modify(|of| *of = None).or_insert(Some(node));
        }
    }

    /// Lays a cable between two free ports, with the scenario's rate and length.
    ///
    /// # Errors
    /// Any [`CablingError`] but the duplicate name.
    pub fn connect(&mut self, a: End, b: End) -> Result<LinkId, CablingError> {
        self.push_link(Link { a, b, rate: None, length: None })
    }

    /// Lays a cable between two free ports.
    ///
    /// # Errors
    /// Any [`CablingError`] but the duplicate name.
    pub fn push_link(&mut self, link: Link) -> Result<LinkId, CablingError> {
        if link.a == link.b {
            return Err(CablingError::SamePort {
                node: self.name_of(link.a.node).to_owned(),
                port: link.a.port.0,
            });
        }
        let (slot_a, slot_b) = (self.free_slot(link.a)?, self.free_slot(link.b)?);
        let id = LinkId::new(self.links.len());
        self.plug(link.a.node, slot_a, (id, true));
        self.plug(link.b.node, slot_b, (id, false));
        self.links.push(link);
        Ok(id)
    }

    fn plug(&mut self, node: Node, slot: usize, cable: (LinkId, bool)) {
        let cabling = match node {
            Node::Switch(id) => &mut self.switch_cabling[id.index()],
            Node::Host(id) => &mut self.host_cabling[id.index()],
        };
        if cabling.len() <= slot {
            cabling.resize(slot + 1, None);
        }
        cabling[slot] = Some(cable);
    }

    fn free_slot(&self, end: End) -> Result<usize, CablingError> {
        let node = || self.name_of(end.node).to_owned();
        let (first, ports) = self.port_range(end.node);
        let slot = end.port.0.checked_sub(first).filter(|slot| *slot < ports);
        let slot = usize::from(slot.ok_or_else(|| CablingError::NoSuchPort {
            node: node(),
            port: end.port.0,
            first,
            last: first.saturating_add(ports.saturating_sub(1)),
        })?);
        match self.cabling(end.node).get(slot).copied().flatten() {
            None => Ok(slot),
            Some((link, _)) => {
                Err(CablingError::PortInUse { node: node(), port: end.port.0, link: link.index() })
            }
        }
    }

    fn cabling(&self, node: Node) -> &[Option<(LinkId, bool)>] {
        match node {
            Node::Switch(id) => &self.switch_cabling[id.index()],
            Node::Host(id) => &self.host_cabling[id.index()],
        }
    }

    /// The number of a node's first port and how many ports it has.
    pub fn port_range(&self, node: Node) -> (u16, u16) {
        match node {
            Node::Switch(id) => (self.switches[id.index()].first_port, self.switches[id.index()].ports),
            Node::Host(id) => (self.hosts[id.index()].first_port, self.hosts[id.index()].ports),
        }
    }

    /// Its switches; a [`SwitchId`] is a position in this list.
    pub fn switches(&self) -> &[Switch] {
        &self.switches
    }

    /// Its hosts; a [`HostId`] is a position in this list.
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// Its cables; a [`LinkId`] is a position in this list.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The cable with this id.
    pub fn link(&self, id: LinkId) -> &Link {
        &self.links[id.index()]
    }

    /// All switch ids, in order.
    pub fn switch_ids(&self) -> impl ExactSizeIterator<Item = SwitchId> + use<> {
        (0..self.switches.len()).map(SwitchId::new)
    }

    /// All host ids, in order.
    pub fn host_ids(&self) -> impl ExactSizeIterator<Item = HostId> + use<> {
        (0..self.hosts.len()).map(HostId::new)
    }

    /// The name of a node.
    pub fn name_of(&self, node: Node) -> &str {
        match node {
            Node::Switch(id) => &self.switches[id.index()].name,
            Node::Host(id) => &self.hosts[id.index()].name,
        }
    }

    /// The node whose name is exactly `name`; descriptions do not count. Costs O(log nodes).
    pub fn named(&self, name: &str) -> Option<Node> {
        self.names.get(name).copied()
    }

    /// The node called `name`, or the only one with that description. Costs O(log nodes).
    pub fn find(&self, name: &str) -> Option<Node> {
        self.named(name).or_else(|| self.described(name))
    }

    /// The only node with this description. Costs O(log nodes).
    pub(super) fn described(&self, description: &str) -> Option<Node> {
        self.descriptions.get(description).copied().flatten()
    }

    /// Whether its file has a switch of this guid that was left out.
    pub fn is_left_out(&self, guid: u64) -> bool {
        self.left_out.contains(&guid)
    }

    /// The guids of the switches that its file has and that were left out, in order.
    pub fn guids_left_out(&self) -> impl Iterator<Item = u64> + '_ {
        self.left_out.iter().copied()
    }

    /// What the file says of a node for people.
    pub fn description_of(&self, node: Node) -> Option<&str> {
        match node {
            Node::Switch(id) => self.switches[id.index()].description.as_deref(),
            Node::Host(id) => self.hosts[id.index()].description.as_deref(),
        }
    }

    /// The host called `name` (see [`Network::find`]).
    pub fn find_host(&self, name: &str) -> Option<HostId> {
        match self.find(name)? {
            Node::Host(id) => Some(id),
            Node::Switch(_) => None,
        }
    }

    /// The switch called `name` (see [`Network::find`]).
    pub fn find_switch(&self, name: &str) -> Option<SwitchId> {
        match self.find(name)? {
            Node::Switch(id) => Some(id),
            Node::Host(_) => None,
        }
    }

    /// The cable in a port, if there is such a port and a cable in it.
    pub fn link_at(&self, end: End) -> Option<LinkId> {
        let (first, _) = self.port_range(end.node);
        let slot = usize::from(end.port.0.checked_sub(first)?);
        self.cabling(end.node).get(slot).copied().flatten().map(|(link, _)| link)
    }

    /// The far end of the cable in a port, if there is one.
    pub fn peer(&self, end: End) -> Option<End> {
        let (first, _) = self.port_range(end.node);
        let slot = usize::from(end.port.0.checked_sub(first)?);
        let (link, is_a) = self.cabling(end.node).get(slot).copied().flatten()?;
        let link = self.link(link);
        Some(if is_a { link.b } else { link.a })
    }

    /// The cabled ports of a node in order of port number: the port, its cable, the cable's far end.
    pub fn cables(&self, node: Node) -> impl Iterator<Item = (Port, LinkId, End)> + '_ {
        let (first, _) = self.port_range(node);
        (first..=u16::MAX).zip(self.cabling(node)).filter_map(move |(number, cable)| {
            let (id, is_a) = (*cable)?;
            let port = Port(number);
            let link = self.link(id);
            Some((port, id, if is_a { link.b } else { link.a }))
        })
    }

    /// The lowest-numbered cabled port of a host, its cable, and the far end of that cable.
    pub fn attachment(&self, host: HostId) -> Option<(Port, LinkId, End)> {
        self.cables(Node::Host(host)).next()
    }
}

impl End {
    /// Port `port` of switch `switch`.
    pub fn switch(switch: SwitchId, port: u16) -> End {
        End { node: Node::Switch(switch), port: Port(port) }
    }

    /// Port `port` of host `host`.
    pub fn host(host: HostId, port: u16) -> End {
        End { node: Node::Host(host), port: Port(port) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_takes_one_cable() {
        let mut net = Network::new("two");
        let s = net.add_switch("s", 4).unwrap();
        let h = net.add_host("h").unwrap();
        net.connect(End::host(h, 0), End::switch(s, 1)).unwrap();
        let taken = net.connect(End::switch(s, 1), End::switch(s, 2));
        assert!(matches!(taken, Err(CablingError::PortInUse { port: 1, .. })));
        assert!(matches!(
            net.connect(End::switch(s, 4), End::switch(s, 2)),
            Err(CablingError::NoSuchPort { .. })
        ));
        assert!(matches!(
            net.connect(End::switch(s, 2), End::switch(s, 2)),
            Err(CablingError::SamePort { .. })
        ));
        net.connect(End::switch(s, 0), End::switch(s, 3)).unwrap();
        assert_eq!(net.peer(End::switch(s, 3)), Some(End::switch(s, 0)));
        assert_eq!(net.attachment(h).map(|(_, _, end)| end), Some(End::switch(s, 1)));
        assert!(matches!(net.add_host("s"), Err(CablingError::DuplicateName { .. })));
    }
}
