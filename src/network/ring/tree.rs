//! Spanning trees of switches and machines.
//!
//! # Scope and limitations
//! A tree holds every machine of its network, each at the switch that its lowest cabled port leads to; of its
//! switches it holds those that lie between machines. Parts of a network without a machine do not matter.
//! Nothing here recurses, so a tree may be as deep as the network is long.
//!
//! # Source
//! faraj2008, section 3 ("a switch as a leaf in the tree will not participate in any communication and, thus,
//! can be removed": repeatedly, since a removal may bare another leaf) and section 5 (breadth first, depth
//! first, and "repeatedly adding a random link to form a tree (if adding a link forms a loop, the link is not
//! added)"). The paper draws the root; which root a tree has is a parameter here.
//!
//! # Validation
//! Tests below and `tests/network/oracle/ring.rs`: every tree spans, has no leaf without a machine, and the three ways
//! to find one agree where the network is a tree.

use std::collections::VecDeque;

use thiserror::Error;

use crate::topology::Network;
use simnet_base::des::random::{Purpose, Stream};
use simnet_base::ids::{HostId, LinkId, Node, SwitchId};

/// The stream from which a random root is drawn.
const ROOT: Purpose = Purpose(41);
/// The stream that shuffles the cables of a random tree.
const CABLES: Purpose = Purpose(42);

/// How a spanning tree is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Breadth first from the root, ports in order of their numbers: low and wide.
    Bfs,
    /// Depth first from the root, ports in order of their numbers: tall and narrow.
    Dfs,
    /// Cables in random order, each taken unless it closes a loop: in between.
    Random,
}

/// A tree that holds all machines of a network, each at one switch, and the switches between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The switch that all others are below. Where the requested root has no part in the tree, it is the
    /// nearest switch that has.
    pub root: SwitchId,
    /// Per switch of the network, the link towards the root and the switch behind it; `None` for the root and for
    /// switches that are not in the tree.
    pub parents: Vec<Option<(LinkId, SwitchId)>>,
    /// Per switch of the network, the switches below it, in the order in which they were reached.
    pub children: Vec<Vec<SwitchId>>,
    /// Per switch of the network, its machines, in the order of the file.
    pub machines: Vec<Vec<HostId>>,
    /// Per host of the network, the switch that its lowest cabled port leads to.
    pub homes: Vec<SwitchId>,
    /// The switches of the tree, each before those below it, the first branch of a switch before the next: the
    /// order in which a depth-first walk of the tree arrives at them.
    pub switches: Vec<SwitchId>,
}

/// Why there is no tree.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TreeError {
    /// Fewer than two machines.
    #[error("a ring needs at least two machines, and there {} {machines}", if *.machines == 1 { "is" } else { "are" })]
    TooFew {
        /// How many there are.
        machines: usize,
    },
    /// Two machines that no tree connects.
    #[error("no tree connects the machines `{a}` and `{b}`")]
    Apart {
        /// One machine.
        a: String,
        /// The other.
        b: String,
    },
    /// A machine without a cable.
    #[error("no tree connects the machines `{a}` and `{b}`: `{b}` has no cable")]
    Uncabled {
        /// Another machine.
        a: String,
        /// The machine.
        b: String,
    },
    /// A machine whose lowest cabled port leads to no switch.
    #[error(
        "no tree of switches connects the machine `{b}`: it is cabled to the machine `{a}`, not to a switch"
    )]
    Direct {
        /// What it is cabled to.
        a: String,
        /// The machine.
        b: String,
    },
    /// A root that is not connected with the machines.
    #[error("no tree from the switch `{root}` reaches the machines")]
    Elsewhere {
        /// The root.
        root: String,
    },
}

impl TreeError {
    /// A short stable name of this kind of error.
    pub const fn code(&self) -> &'static str {
        match self {
            TreeError::TooFew { .. } => "too-few-machines",
            TreeError::Apart { .. } | TreeError::Uncabled { .. } | TreeError::Direct { .. } => {
                "machines-apart"
            }
            TreeError::Elsewhere { .. } => "root-apart",
        }
    }

    /// The node that the error is about, if it is about one.
    pub fn node(&self) -> Option<&str> {
        match self {
            TreeError::TooFew { .. } => None,
            TreeError::Apart { b, .. } | TreeError::Uncabled { b, .. } | TreeError::Direct { b, .. } => {
                Some(b)
            }
            TreeError::Elsewhere { root } => Some(root),
        }
    }
}

impl Tree {
    /// The tree of this kind from `root`; `seed` matters to random ones only. Costs O(nodes + cables).
    ///
    /// # Errors
    /// [`TreeError`].
    pub fn new(network: &Network, kind: Kind, root: SwitchId, seed: u64) -> Result<Tree, TreeError> {
        let homes = homes(network)?;
        let neighbours = Neighbours::new(network);
        let reached = neighbours.depth_or_breadth_first(root, Kind::Bfs);
        if let Some(stray) = homes.iter().position(|home| !reached.holds(root, *home)) {
            return Err(apart(network, &neighbours, &homes, stray, root));
        }
        let spanning = match kind {
            Kind::Bfs => reached,
            Kind::Dfs => neighbours.depth_or_breadth_first(root, Kind::Dfs),
            Kind::Random => neighbours.random_forest(network, seed).depth_or_breadth_first(root, Kind::Dfs),
        };
        Ok(Tree::pruned(network, root, spanning, homes))
    }

    /// The tree that a breadth-first search from `root` finds, ports in order of their numbers.
    ///
    /// # Errors
    /// [`TreeError`].
    pub fn bfs(network: &Network, root: SwitchId) -> Result<Tree, TreeError> {
        Tree::new(network, Kind::Bfs, root, 0)
    }

    /// The tree of the cables that `is_used` says, depth first from `root`: those that bridges have not blocked, where
    /// a network has bridges. Costs O(nodes + cables).
    ///
    /// # Errors
    /// [`TreeError`], of machines that are apart on these cables, too.
    pub fn along(
        network: &Network,
        root: SwitchId,
        is_used: impl Fn(LinkId) -> bool,
    ) -> Result<Tree, TreeError> {
        let homes = homes(network)?;
        let mut neighbours = Neighbours::new(network);
        for cables in &mut neighbours.0 {
            cables.retain(|(link, _)| is_used(*link));
        }
        let reached = neighbours.depth_or_breadth_first(root, Kind::Dfs);
        match homes.iter().position(|home| !reached.holds(root, *home)) {
            Some(stray) => Err(apart(network, &neighbours, &homes, stray, root)),
            None => Ok(Tree::pruned(network, root, reached, homes)),
        }
    }

    /// The switch of the first machine, from which trees are found by default: as machine 0 of
    /// the paper's Fig. 5 begins the ring.
    ///
    /// # Errors
    /// [`TreeError`], except for machines that are apart.
    pub fn first_root(network: &Network) -> Result<SwitchId, TreeError> {
        Ok(homes(network)?[0])
    }

    /// A switch drawn from those that are connected with the first machine, all equally likely: the paper's way.
    ///
    /// # Errors
    /// [`TreeError`], except for machines that are apart.
    pub fn random_root(network: &Network, seed: u64) -> Result<SwitchId, TreeError> {
        let first = Tree::first_root(network)?;
        let reached = Neighbours::new(network).depth_or_breadth_first(first, Kind::Bfs);
        let connected: Vec<SwitchId> = network.switch_ids().filter(|id| reached.holds(first, *id)).collect();
        Ok(connected[below(&mut Stream::new(seed, ROOT, 0), connected.len())])
    }

    /// Takes out the leaves without a machine until none is left.
    fn pruned(network: &Network, mut root: SwitchId, spanning: Spanning, homes: Vec<SwitchId>) -> Tree {
        let Spanning { mut parents, mut children } = spanning;
        let mut machines = vec![Vec::new(); children.len()];
        for host in network.host_ids() {
            machines[homes[host.index()].index()].push(host);
        }
        let mut gone = vec![false; children.len()];
        let mut branches: Vec<usize> = children.iter().map(Vec::len).collect();
        let bare = |id: SwitchId, branches: &[usize], parents: &[Option<(LinkId, SwitchId)>]| {
            let cables = branches[id.index()] + usize::from(parents[id.index()].is_some());
            machines[id.index()].is_empty() && cables <= 1
        };
        let mut open: Vec<SwitchId> =
            network.switch_ids().filter(|id| bare(*id, &branches, &parents)).collect();
        while let Some(leaf) = open.pop() {
            if std::mem::replace(&mut gone[leaf.index()], true) {
                continue;
            }
            let next = match parents[leaf.index()].take() {
                Some((_, above)) => {
                    branches[above.index()] -= 1;
                    Some(above)
                }
                None => children[leaf.index()].iter().copied().find(|below| !gone[below.index()]),
            };
            let Some(next) = next else { continue };
            if leaf == root {
                root = next;
                parents[next.index()] = None;
            }
            if bare(next, &branches, &parents) {
                open.push(next);
            }
        }
        for (id, below) in children.iter_mut().enumerate() {
            below.retain(|child| !gone[id] && !gone[child.index()]);
        }
        let switches = preorder(root, &children);
        Tree { root, parents, children, machines, homes, switches }
    }
}

/// A position in a list of this length.
fn below(stream: &mut Stream, length: usize) -> usize {
    usize::try_from(stream.below(length as u64)).expect("the list is held in memory")
}

/// The switches in the order in which a depth-first walk arrives at them.
fn preorder(root: SwitchId, children: &[Vec<SwitchId>]) -> Vec<SwitchId> {
    let mut order = Vec::new();
    let mut open = vec![root];
    while let Some(switch) = open.pop() {
        order.push(switch);
        open.extend(children[switch.index()].iter().rev());
    }
    order
}

/// Per host, the switch that it is at.
fn homes(network: &Network) -> Result<Vec<SwitchId>, TreeError> {
    let machines = network.hosts().len();
    if machines < 2 {
        return Err(TreeError::TooFew { machines });
    }
    network.host_ids().map(|host| home(network, host)).collect()
}

/// The switch that a host is at.
fn home(network: &Network, host: HostId) -> Result<SwitchId, TreeError> {
    let name = |host: HostId| network.name_of(Node::Host(host)).to_owned();
    match network.attachment(host) {
        None => {
            let other = HostId(if host.0 == 0 { 1 } else { 0 });
            Err(TreeError::Uncabled { a: name(other), b: name(host) })
        }
        Some((_, _, far)) => match far.node {
            Node::Switch(switch) => Ok(switch),
            Node::Host(peer) => Err(TreeError::Direct { a: name(peer), b: name(host) }),
        },
    }
}

/// Which of the two it is when `stray` is not connected with the root: the root that is elsewhere, or a machine.
fn apart(
    network: &Network,
    neighbours: &Neighbours,
    homes: &[SwitchId],
    stray: usize,
    root: SwitchId,
) -> TreeError {
    let reached = neighbours.depth_or_breadth_first(homes[0], Kind::Bfs);
    let name = |host: usize| network.hosts()[host].name.clone();
    match homes.iter().position(|home| !reached.holds(homes[0], *home)) {
        Some(other) => TreeError::Apart { a: name(0), b: name(other) },
        None => {
            debug_assert!(stray == 0, "all machines are together, so the first is the first that is away");
            TreeError::Elsewhere { root: network.name_of(Node::Switch(root)).to_owned() }
        }
    }
}

/// Per switch, its cables to other switches in order of its ports.
struct Neighbours(Vec<Vec<(LinkId, SwitchId)>>);

/// A spanning tree of what is connected with its root.
struct Spanning {
    parents: Vec<Option<(LinkId, SwitchId)>>,
    children: Vec<Vec<SwitchId>>,
}

impl Spanning {
    fn holds(&self, root: SwitchId, switch: SwitchId) -> bool {
        switch == root || self.parents[switch.index()].is_some()
    }
}

/// The other switches that a switch has cables to, by its ports, each with the cable.
fn neighbours_of(network: &Network, id: SwitchId) -> impl Iterator<Item = (LinkId, SwitchId)> {
    network.cables(Node::Switch(id)).filter_map(move |(_, link, far)| match far.node {
        Node::Switch(other) if other != id => Some((link, other)),
        _ => None,
    })
}

impl Neighbours {
    fn new(network: &Network) -> Neighbours {
        let of = |id: SwitchId| neighbours_of(network, id).collect();
        Neighbours(network.switch_ids().map(of).collect())
    }

    /// Visits what is connected with the root; a random tree is a forest that has but one way to be visited.
    fn depth_or_breadth_first(&self, root: SwitchId, kind: Kind) -> Spanning {
        let count = self.0.len();
        let mut found = Spanning { parents: vec![None; count], children: vec![Vec::new(); count] };
        let mut next_cable = vec![0; count];
        let mut open = VecDeque::from([root]);
        while let Some(switch) = if kind == Kind::Bfs { open.front() } else { open.back() }.copied() {
            let Some((link, far)) = self.0[switch.index()].get(next_cable[switch.index()]).copied() else {
                if kind == Kind::Bfs {
                    open.pop_front()
                } else {
                    open.pop_back()
                };
                continue;
            };
            next_cable[switch.index()] += 1;
            if !found.holds(root, far) {
                found.parents[far.index()] = Some((link, switch));
                found.children[switch.index()].push(far);
                open.push_back(far);
            }
        }
        found
    }

    /// The cables that are taken when all are shuffled and those that would close a loop are left out.
    fn random_forest(&self, network: &Network, seed: u64) -> Neighbours {
        let mut stream = Stream::new(seed, CABLES, 0);
        let mut links: Vec<(LinkId, SwitchId, SwitchId)> = Vec::new();
        for (id, link) in network.links().iter().enumerate() {
            if let (Node::Switch(a), Node::Switch(b)) = (link.a.node, link.b.node) {
                links.push((LinkId::new(id), a, b));
            }
        }
        for last in (1..links.len()).rev() {
            links.swap(last, below(&mut stream, last + 1));
        }
        let mut parts = Parts::new(self.0.len());
        let mut taken = vec![false; network.links().len()];
        for (link, a, b) in links {
            taken[link.index()] = parts.join(a.index(), b.index());
        }
        let of = |list: &Vec<(LinkId, SwitchId)>| {
            list.iter().copied().filter(|(link, _)| taken[link.index()]).collect()
        };
        Neighbours(self.0.iter().map(of).collect())
    }
}

/// Disjoint sets of the numbers below a bound.
pub(super) struct Parts(Vec<usize>);

impl Parts {
    pub(super) fn new(count: usize) -> Parts {
        Parts((0..count).collect())
    }

    pub(super) fn find(&mut self, mut of: usize) -> usize {
        while self.0[of] != of {
            self.0[of] = self.0[self.0[of]];
            of = self.0[of];
        }
        of
    }

    /// Joins two sets; whether they were two. Costs O(log count) in the mean.
    pub(super) fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a] = b;
        a != b
    }
}
