//! Spanning trees of switches and machines.
//!
//! # Source
//! faraj2008, sections 3 and 5.

use thiserror::Error;

use crate::ids::{HostId, LinkId, Node, SwitchId};
use crate::topology::Network;

/// A tree that holds all machines of a network that have a cable, each at one switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The switch that all others are below.
    pub root: SwitchId,
    /// Per switch of the network, the link towards the root and the switch behind it; `None` for the root and for
    /// switches that are not in the tree.
    pub parents: Vec<Option<(LinkId, SwitchId)>>,
    /// Per switch of the network, the switches below it, in the order in which they were reached.
    pub children: Vec<Vec<SwitchId>>,
    /// Per switch of the network, its machines, in the order of the file.
    pub machines: Vec<Vec<HostId>>,
}

/// Why there is no tree.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TreeError {
    /// Fewer than two machines have a cable.
    #[error("a ring needs two machines, and there are {machines}")]
    TooFew {
        /// How many there are.
        machines: usize,
    },
    /// Two machines that no tree connects.
    #[error("no tree connects `{a}` and `{b}`")]
    Apart {
        /// One machine.
        a: String,
        /// The other.
        b: String,
    },
}

impl Tree {
    /// The tree that a breadth-first search from `root` finds, ports in order of their numbers.
    ///
    /// # Errors
    /// [`TreeError`].
    pub fn bfs(network: &Network, root: SwitchId) -> Result<Tree, TreeError> {
        let switches = network.switches().len();
        let mut tree = Tree {
            root,
            parents: vec![None; switches],
            children: vec![Vec::new(); switches],
            machines: vec![Vec::new(); switches],
        };
        let mut reached = vec![false; switches];
        reached[root.index()] = true;
        let mut queue = std::collections::VecDeque::from([root]);
        while let Some(switch) = queue.pop_front() {
            for (_, link, far) in network.cables(Node::Switch(switch)) {
                if let Node::Switch(next) = far.node
                    && !std::mem::replace(&mut reached[next.index()], true)
                {
                    tree.parents[next.index()] = Some((link, switch));
                    tree.children[switch.index()].push(next);
                    queue.push_back(next);
                }
            }
        }
        let mut cabled = network.host_ids().filter_map(|host| Some((host, network.attachment(host)?.2.node)));
        let mut first = None;
        let mut machines = 0;
        for (host, node) in &mut cabled {
            machines += 1;
            let name = |host: HostId| network.hosts()[host.index()].name.clone();
            match node {
                Node::Switch(switch) if reached[switch.index()] => {
                    first = first.or(Some(host));
                    tree.machines[switch.index()].push(host);
                }
                _ => {
                    let other = network.host_ids().find(|other| *other != host).unwrap_or(host);
                    return Err(TreeError::Apart { a: name(first.unwrap_or(other)), b: name(host) });
                }
            }
        }
        if machines < 2 { Err(TreeError::TooFew { machines }) } else { Ok(tree) }
    }
}
