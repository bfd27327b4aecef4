//! The spanning tree that bridges elect.
//!
//! # Scope and limitations
//! The state in which the election ends, from the start of the run on: no configuration messages travel, no port
//! listens or learns first, and cables do not fail.
//!
//! # Source
//! IEEE 802.1D-2004, clause 17. The root is the bridge of least identifier: priority, then address. A port costs
//! 20,000,000 divided by its rate in Mb/s, within 1 to 200,000,000 (table 17-3: 2,000,000 at 10 Mb/s, 20,000 at
//! 1 Gb/s, 200 at 100 Gb/s). A bridge's root port has the least sum of cost, then the least bridge behind it, then
//! that one's least port, then the bridge's own least port. Of a cable's two ends the one nearer to the root, of
//! lesser bridge, of lesser port is designated; the other one is blocked unless it is a root port.
//!
//! Departures: where every switch of a network has a guid, that is its address, and the position decides between
//! equal ones; otherwise the address is the position. All ports have the same priority, and ports count by their
//! numbers, however large.
//!
//! # Validation
//! Against bridges that send each other configuration messages until none has news, on random multigraphs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use simnet_base::ids::{LinkId, Node, Port, SwitchId};
use simnet_base::units::BitRate;
use simnet_network::ring::{Tree, TreeError};
use simnet_network::topology::{End, Network};

use super::parameters::BRIDGE_PRIORITY;

/// What a cabled port of a switch does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It leads to the root.
    Root,
    /// It leads away from the root, or to a host.
    Designated,
    /// It forwards nothing and hears nothing.
    Blocked,
}

/// A spanning tree of every component of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpanningTree {
    /// Per link: the roles of its ends `a` and `b`; none at hosts.
    roles: Vec<[Option<Role>; 2]>,
    parents: Vec<Option<(LinkId, SwitchId)>>,
    roots: Vec<SwitchId>,
    costs: Vec<u64>,
}

/// The identifier of a bridge: priority, address, position.
type BridgeId = (u16, u64, SwitchId);

/// What a bridge says of itself at a port: the cost to its root, itself, the port.
type Vector = (u64, BridgeId, Port);

impl SpanningTree {
    /// The tree that bridges elect on cables of these rates (by link) with these priorities (by switch; a missing one
    /// is [`BRIDGE_PRIORITY`]). A missing rate costs the most. Costs O(links log switches).
    pub fn elect(network: &Network, rates: &[BitRate], priorities: &[u16]) -> SpanningTree {
        let bridges = bridges(network, priorities);
        let cost = |link: LinkId| path_cost(rates.get(link.index()).copied());
        let mut tree = SpanningTree {
            roles: vec![[None; 2]; network.links().len()],
            parents: vec![None; bridges.len()],
            roots: network.switch_ids().collect(),
            costs: vec![u64::MAX; bridges.len()],
        };
        let mut candidates = bridges.clone();
        candidates.sort_unstable();
        for (.., root) in candidates {
            if tree.costs[root.index()] == u64::MAX {
                tree.spread(network, root, cost);
            }
        }
        for switch in network.switch_ids() {
            tree.parents[switch.index()] = tree.root_port(network, switch, &bridges, cost);
        }
        for link in (0..network.links().len()).map(LinkId::new) {
            tree.roles[link.index()] = tree.roles_of(network, link, &bridges);
        }
        tree
    }

    /// Finds the cost of the way to `root` for all its component.
    fn spread(&mut self, network: &Network, root: SwitchId, cost: impl Fn(LinkId) -> u64) {
        self.costs[root.index()] = 0;
        let mut near = BinaryHeap::from([Reverse((0, root))]);
        while let Some(Reverse((far, switch))) = near.pop() {
            if self.costs[switch.index()] < far {
                continue;
            }
            self.roots[switch.index()] = root;
            for (_, link, end) in network.cables(Node::Switch(switch)) {
                if let Node::Switch(next) = end.node
                    && far + cost(link) < self.costs[next.index()]
                {
                    self.costs[next.index()] = far + cost(link);
                    near.push(Reverse((far + cost(link), next)));
                }
            }
        }
    }

    /// The cable at a bridge's root port and the switch behind it.
    fn root_port(
        &self,
        network: &Network,
        switch: SwitchId,
        bridges: &[BridgeId],
        cost: impl Fn(LinkId) -> u64,
    ) -> Option<(LinkId, SwitchId)> {
        if self.roots[switch.index()] == switch {
            return None;
        }
        let offers = network.cables(Node::Switch(switch)).filter_map(|(port, link, end)| match end.node {
            Node::Switch(next) if next != switch => {
                let sum = self.costs[next.index()] + cost(link);
                Some((sum, bridges[next.index()], end.port, port, link))
            }
            _ => None,
        });
        offers.min().map(|(_, (.., next), _, _, link)| (link, next))
    }

    fn roles_of(&self, network: &Network, link: LinkId, bridges: &[BridgeId]) -> [Option<Role>; 2] {
        let ends = [network.link(link).a, network.link(link).b];
        let [first, second] = ends.map(|end| self.vector(end, bridges));
        let (Some(first), Some(second)) = (first, second) else {
            return ends.map(|end| matches!(end.node, Node::Switch(_)).then_some(Role::Designated));
        };
        [Some(self.role_of(link, first, second)), Some(self.role_of(link, second, first))]
    }

    /// The role of a cable's end with the vector `own`, the other end having `other`.
    fn role_of(&self, link: LinkId, own: Vector, other: Vector) -> Role {
        let (_, (.., switch), _) = own;
        if own < other {
            Role::Designated
        } else if self.parents[switch.index()].is_some_and(|(up, _)| up == link) {
            Role::Root
        } else {
            Role::Blocked
        }
    }

    fn vector(&self, end: End, bridges: &[BridgeId]) -> Option<Vector> {
        match end.node {
            Node::Switch(switch) => Some((self.costs[switch.index()], bridges[switch.index()], end.port)),
            Node::Host(_) => None,
        }
    }

    /// The roles of the ends `a` and `b` of a cable; none at a host.
    pub fn roles(&self, link: LinkId) -> [Option<Role>; 2] {
        self.roles[link.index()]
    }

    /// The role of a port of a switch; none if it has no cable. Costs O(1).
    pub fn role(&self, network: &Network, end: End) -> Option<Role> {
        let link = network.link_at(end)?;
        let [a, b] = self.roles(link);
        if network.link(link).a == end { a } else { b }
    }

    /// The cables with a blocked end, in order: those that no frame passes. Costs O(links).
    pub fn blocked(&self) -> impl Iterator<Item = LinkId> + '_ {
        (0..self.roles.len()).map(LinkId::new).filter(|link| !self.forwards(*link))
    }

    /// Whether frames pass a cable: neither of its ends is blocked.
    pub fn forwards(&self, link: LinkId) -> bool {
        !self.roles(link).contains(&Some(Role::Blocked))
    }

    /// The tree that rings of machines on this Ethernet follow, drawn from `root`; the cables are the same whatever the
    /// root. Costs O(nodes + cables).
    ///
    /// # Errors
    /// [`TreeError`].
    pub fn for_rings(&self, network: &Network, root: SwitchId) -> Result<Tree, TreeError> {
        Tree::along(network, root, |link| self.forwards(link))
    }

    /// The cable at the root port of a switch and the switch behind it; `None` for a root.
    pub fn parent(&self, switch: SwitchId) -> Option<(LinkId, SwitchId)> {
        self.parents[switch.index()]
    }

    /// The root of the component of a switch.
    pub fn root(&self, switch: SwitchId) -> SwitchId {
        self.roots[switch.index()]
    }

    /// The cost of the way from a switch to its root.
    pub fn cost(&self, switch: SwitchId) -> u64 {
        self.costs[switch.index()]
    }
}

/// The cost of a port.
///
/// # Source
/// IEEE 802.1D-2004, table 17-3 and its note.
fn path_cost(rate: Option<BitRate>) -> u64 {
    const MOST: u64 = 200_000_000;
    rate.map_or(MOST, |rate| (20_000_000_000_000 / rate.as_bits_per_s()).clamp(1, MOST))
}

fn bridges(network: &Network, priorities: &[u16]) -> Vec<BridgeId> {
    let guids: Option<Vec<u64>> = network.switches().iter().map(|switch| switch.guid).collect();
    let address =
        |switch: SwitchId| guids.as_ref().map_or(u64::from(switch.0), |guids| guids[switch.index()]);
    let priority = |switch: SwitchId| priorities.get(switch.index()).copied().unwrap_or(BRIDGE_PRIORITY);
    network.switch_ids().map(|switch| (priority(switch), address(switch), switch)).collect()
}
