//! Rings found on a network for a medium, and what of contention is known of any ring there.

use crate::ethernet::SpanningTree;
use crate::host::collective::Algorithm as Collective;
use crate::ids::{HostId, LinkId, Node};
use crate::ring::{Kind, Tree, TreeError, Verdict, judge};
use crate::scenario::Checked;
use crate::scenario::allgather::{Allgather, Cell, MediumKind, Method};
use crate::scenario::checked::Topology;
use crate::topology::{End, Network};

/// What a ring depends on: the network, the medium, the rate, the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    network: usize,
    medium: usize,
    rate: Option<usize>,
    algorithm: usize,
}

/// The ring of an algorithm, and the tree that frames keep to or that rings follow.
pub(super) struct Found {
    /// The tree of the ring.
    pub(super) tree: Tree,
    /// The machines in ring order, or why there is no such ring; nothing for an algorithm that finds none.
    pub(super) ring: Option<Result<Ring, String>>,
    /// What the ring does to the channels of the tree that messages keep to; of an algorithm that finds none, the
    /// ring in the order of ranks.
    pub(super) verdict: Option<Verdict>,
}

/// A ring.
pub(super) struct Ring {
    /// The machines in ring order.
    pub(super) hosts: Vec<HostId>,
    /// The least that the longest path of a ring on that tree can be, as far as it is known.
    pub(super) bound: usize,
}

impl Key {
    /// What the ring of a cell depends on.
    pub(super) fn of(cell: Cell) -> Key {
        Key { network: cell.network, medium: cell.medium, rate: cell.rate, algorithm: cell.algorithm }
    }
}

impl Found {
    /// Finds the ring and follows its messages.
    ///
    /// # Errors
    /// [`TreeError`]; the machines of a checked scenario are connected, and there is none.
    pub(super) fn new(checked: &Checked, allgather: &Allgather, key: Key) -> Result<Found, TreeError> {
        let network = &allgather.networks[key.network];
        let framed = allgather.media[key.medium] == MediumKind::Ethernet;
        let whole = || used(&network.topology, |_| true);
        let kept = framed.then(|| elected(checked, allgather, key));
        // The tree that is asked for is one of all cables; otherwise the elected one, which is a tree already.
        let (of, links) = match (&kept, allgather.tree) {
            (Some((kept, links)), None) => (kept.clone(), links.clone()),
            _ => whole(),
        };
        let breadth_first = |of: &Network| Tree::bfs(of, Tree::first_root(of)?);
        let kind = allgather.tree.unwrap_or(Kind::Bfs);
        let mut tree = Tree::new(&of, kind, Tree::first_root(&of)?, checked.seed)?;
        for parent in tree.parents.iter_mut().flatten() {
            parent.0 = links[parent.0.index()];
        }
        let ring = match allgather.algorithms[key.algorithm] {
            Method::Blind(_) => None,
            Method::Found(algorithm) => Some(match algorithm.ring(&tree) {
                Ok(ring) => Ok(Ring { hosts: ring.hosts, bound: ring.bound }),
                Err(none) => {
                    let name = network.topology.network.name_of(Node::Switch(none.switch));
                    let (machines, switches) = (none.machines, none.switches);
                    Err(format!(
                        "no ring of two hops: switch {name} has {machines} machines and {switches} switches \
                         next to it"
                    ))
                }
            }),
        };
        let kept_tree = match (&kept, allgather.tree) {
            (Some((kept, _)), Some(_)) => Some(breadth_first(kept)?),
            _ => None,
        };
        let each = allgather.ranks_per_machine;
        let order = match &ring {
            Some(Ok(ring)) => Some(ring.hosts.clone()),
            Some(Err(_)) => None,
            None => Some(without_repeats(&network.placed(each, allgather.placement))),
        };
        let verdict = order.map(|order| judge(kept_tree.as_ref().unwrap_or(&tree), &order));
        Ok(Found { tree, ring, verdict })
    }

    /// The machines in ring order, if the algorithm has found a ring.
    pub(super) fn hosts(&self) -> Option<&[HostId]> {
        self.ring.as_ref()?.as_ref().ok().map(|ring| ring.hosts.as_slice())
    }

    /// The least that the longest path of a found ring can be, as far as it is known.
    pub(super) fn ring_bound(&self) -> Option<usize> {
        self.ring.as_ref()?.as_ref().ok().map(|ring| ring.bound)
    }

    /// Why there is no ring, if there is none.
    pub(super) fn refusal(&self) -> Option<&str> {
        self.ring.as_ref()?.as_ref().err().map(String::as_str)
    }

    /// What the ring of a run does to the channels, if what ran is a ring.
    pub(super) fn verdict(&self, ran: Collective) -> Option<&Verdict> {
        self.verdict.as_ref().filter(|_| ran == Collective::Ring)
    }
}

/// A closed list without items that repeat the one before.
fn without_repeats(machines: &[HostId]) -> Vec<HostId> {
    let mut order = machines.to_vec();
    order.dedup();
    if order.len() > 1 && order.first() == order.last() {
        order.pop();
    }
    order
}

/// The network of the cables that frames pass, and which of the whole network's each is.
fn elected(checked: &Checked, allgather: &Allgather, key: Key) -> (Network, Vec<LinkId>) {
    let topology = &allgather.networks[key.network].topology;
    let ethernet = checked.ethernet.as_ref().expect("frames need an Ethernet");
    let rate = key.rate.map(|nth| allgather.rates[nth]);
    let parameters = ethernet.parameters(&topology.network, rate);
    let tree = SpanningTree::elect(&topology.network, &parameters.rates, &parameters.bridge_priorities);
    let mut blocked = vec![false; topology.network.links().len()];
    tree.blocked().for_each(|link| blocked[link.index()] = true);
    used(topology, |link| !blocked[link.index()])
}

/// The same switches and machines with those cables that are `wanted` and that machines use, and which of the whole
/// network's each is.
fn used(topology: &Topology, wanted: impl Fn(LinkId) -> bool) -> (Network, Vec<LinkId>) {
    let network = &topology.network;
    let mut part = Network::new(network.name.clone());
    for switch in network.switches() {
        part.push_switch(switch.clone()).expect("names are those of a network");
    }
    for host in network.hosts() {
        part.push_host(host.clone()).expect("names are those of a network");
    }
    let is_used = |end: End| match end.node {
        Node::Host(host) => topology.attachments[host.index()] == Some(end.port),
        Node::Switch(_) => true,
    };
    let links = (0..network.links().len()).map(LinkId::new);
    let kept = links.filter(|id| {
        let link = network.link(*id);
        wanted(*id) && is_used(link.a) && is_used(link.b)
    });
    let kept: Vec<LinkId> = kept.collect();
    for id in &kept {
        part.push_link(network.link(*id).clone()).expect("cables are those of a network");
    }
    (part, kept)
}
