//! Rings found on a network for a medium, what messages follow there, and what of contention is known.

use crate::ethernet::SpanningTree;
use crate::host::collective::Algorithm as Collective;
use crate::ids::{HostId, Node, Turn};
use crate::ring::{Kind, Tree, TreeError, TreeRoutes, judge, judge_routes};
use crate::routing::{Attachments, Plan, RouteTable, Routes};
use crate::scenario::Checked;
use crate::scenario::allgather::{Allgather, Cell, GatheredNetwork, MediumKind, Method};
use crate::scenario::checked::{RouteSource, Topology};
use crate::topology::Network;
use crate::units::BitRate;

use super::super::RunError;

/// What a ring depends on: the network, the medium, the rate, the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    network: usize,
    medium: usize,
    rate: Option<usize>,
    algorithm: usize,
}

/// What is known of an algorithm on a network before anything runs.
pub(super) struct Found {
    /// The machines in ring order, or why there is no such ring; nothing for an algorithm that finds none.
    ring: Option<Result<Ring, String>>,
    /// What the ring does to channels; of an algorithm that finds none, the ring in the order of ranks.
    judgement: Option<Judgement>,
    /// The fabric's network and the ways of messages on it; none on an Ethernet.
    pub(super) ways: Option<(Network, Ways)>,
}

/// A ring.
struct Ring {
    /// The machines in ring order.
    hosts: Vec<HostId>,
    /// The least that the longest path of a ring on that tree can be, as far as it is known.
    bound: usize,
}

/// What the messages of a ring do to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Judgement {
    /// The most switches on the path of a message.
    pub(super) max_path_length: usize,
    /// The most messages over one channel.
    pub(super) max_channel_load: usize,
    /// Whether no channel has two, and all messages arrive.
    pub(super) contention_free: bool,
    /// What was judged: the tree that all messages keep to, or the routes that they take.
    pub(super) judged_on: &'static str,
}

/// What messages follow on the fabric.
pub(super) enum Ways {
    /// The ring's own tree.
    Tree(TreeRoutes),
    /// Routes of all pairs.
    Routes(RouteTable),
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
    /// [`RunError`] if the network is too large for routes of all pairs; the machines of a checked scenario are
    /// connected, and there is a tree.
    pub(super) fn new(checked: &Checked, allgather: &Allgather, key: Key) -> Result<Found, RunError> {
        let network = &allgather.networks[key.network];
        let rate = key.rate.map(|nth| allgather.rates[nth]);
        let method = allgather.algorithms[key.algorithm];
        let whole = network.topology.used(rate, |_| true);
        match allgather.media[key.medium] {
            MediumKind::Ethernet => {
                let kept = elected(checked, &network.topology, rate);
                let tree = tree_of(checked, allgather, allgather.tree.map_or(&kept, |_| &whole))?;
                let ring = ring(method, &tree, &whole);
                let order = order(allgather, network, ring.as_ref());
                let kept = breadth_first(&kept)?;
                let judgement = order.map(|order| judged(&kept, &order));
                Ok(Found { ring, judgement, ways: None })
            }
            MediumKind::Fabric => {
                let tree = tree_of(checked, allgather, &whole)?;
                let ring = ring(method, &tree, &whole);
                let order = order(allgather, network, ring.as_ref());
                let follows = ring.is_some() && allgather.rings_follow_trees;
                let ways = if follows {
                    Ways::Tree(TreeRoutes::new(&whole, &tree))
                } else {
                    Ways::Routes(routes(network, &whole)?)
                };
                let judgement = order.map(|order| match follows {
                    true => judged(&tree, &order),
                    false => judged_on_routes(&whole, &ways, &order),
                });
                Ok(Found { ring, judgement, ways: Some((whole, ways)) })
            }
        }
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
    pub(super) fn judgement(&self, ran: Collective) -> Option<Judgement> {
        self.judgement.filter(|_| ran == Collective::Ring)
    }
}

impl Routes for &Ways {
    fn route(&self, source: HostId, destination: HostId, turns: &mut Vec<Turn>) -> bool {
        match self {
            Ways::Tree(routes) => routes.route(source, destination, turns),
            Ways::Routes(table) => table.route(source, destination, turns),
        }
    }
}

/// The tree on which rings are found.
fn tree_of(checked: &Checked, allgather: &Allgather, of: &Network) -> Result<Tree, TreeError> {
    Tree::new(of, allgather.tree.unwrap_or(Kind::Bfs), Tree::first_root(of)?, checked.seed)
}

fn breadth_first(of: &Network) -> Result<Tree, TreeError> {
    Tree::bfs(of, Tree::first_root(of)?)
}

/// The ring of an algorithm that finds one.
fn ring(method: Method, tree: &Tree, network: &Network) -> Option<Result<Ring, String>> {
    let Method::Found(algorithm) = method else { return None };
    Some(match algorithm.ring(tree) {
        Ok(ring) => Ok(Ring { hosts: ring.hosts, bound: ring.bound }),
        Err(none) => {
            let name = network.name_of(Node::Switch(none.switch));
            let (machines, switches) = (none.machines, none.switches);
            Err(format!(
                "no ring of two hops: switch {name} has {machines} machines and {switches} switches next to it"
            ))
        }
    })
}

/// The machines in the order of the ring: that of the ring found, or of ranks; none if there is no ring.
fn order(
    allgather: &Allgather,
    network: &GatheredNetwork,
    ring: Option<&Result<Ring, String>>,
) -> Option<Vec<HostId>> {
    match ring {
        Some(Ok(ring)) => Some(ring.hosts.clone()),
        Some(Err(_)) => None,
        None => {
            let mut order = network.placed(allgather.ranks_per_machine, allgather.placement);
            order.dedup();
            if order.len() > 1 && order.first() == order.last() {
                order.pop();
            }
            Some(order)
        }
    }
}

fn judged(tree: &Tree, order: &[HostId]) -> Judgement {
    let verdict = judge(tree, order);
    Judgement {
        max_path_length: verdict.max_path_length,
        max_channel_load: verdict.max_channel_load,
        contention_free: verdict.contention_free,
        judged_on: "tree",
    }
}

fn judged_on_routes(network: &Network, ways: &Ways, order: &[HostId]) -> Judgement {
    let contention = judge_routes(network, &ways, order);
    let length = |(nth, from): (usize, &HostId)| {
        let mut turns = Vec::new();
        ways.route(*from, order[(nth + 1) % order.len()], &mut turns);
        turns.len()
    };
    Judgement {
        max_path_length: order.iter().enumerate().map(length).max().unwrap_or(0),
        max_channel_load: contention.most,
        contention_free: contention.is_free(),
        judged_on: "routes",
    }
}

/// The routes of all pairs on the fabric.
fn routes(network: &GatheredNetwork, whole: &Network) -> Result<RouteTable, RunError> {
    Ok(match &network.routing.source {
        RouteSource::File { table, .. } => table.clone(),
        RouteSource::Computed(choices) => Plan::new(whole, &Attachments::lowest(whole), choices)?.table,
    })
}

/// The network of the cables that frames pass.
fn elected(checked: &Checked, topology: &Topology, rate: Option<BitRate>) -> Network {
    let ethernet = checked.ethernet.as_ref().expect("frames need an Ethernet");
    let parameters = ethernet.parameters(&topology.network, rate);
    let tree = SpanningTree::elect(&topology.network, &parameters.rates, &parameters.bridge_priorities);
    topology.used(rate, |link| tree.forwards(link))
}
