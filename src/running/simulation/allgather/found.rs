//! The ring of an all-gather, what messages follow on its medium, and what of contention is known.

use simnet_base::ids::{HostId, Turn};
use simnet_media::ethernet::SpanningTree;
use simnet_media::host::collective::Algorithm as Collective;
use simnet_network::ring::{Kind, Tree, TreeError, TreeRoutes, judge, judge_routes};
use simnet_network::routing::{Attachments, Plan, RouteTable, Routes};
use simnet_network::topology::Network;
use simnet_scenario::Checked;
use simnet_scenario::allgather::{Allgather, Medium, Method};
use simnet_scenario::checked::{RouteSource, Topology};
use simnet_scenario::ethernet::Ethernet;

use crate::simulation::{RunError, rings};

/// What is known of an all-gather before anything runs.
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

impl Found {
    /// Finds the ring and follows its messages.
    ///
    /// # Errors
    /// [`RunError`] if the network is too large for routes of all pairs; the machines of a checked scenario are
    /// connected, and there is a tree.
    pub(super) fn new(checked: &Checked, allgather: &Allgather) -> Result<Found, RunError> {
        let whole = checked.topology.used(None, |_| true);
        match &allgather.medium {
            Medium::Ethernet(ethernet) => {
                let kept = elected(&checked.topology, ethernet);
                let tree = tree_of(checked, allgather, allgather.tree.map_or(&kept, |_| &whole))?;
                let ring = ring(allgather.algorithm, &tree, &whole);
                let order = order(allgather, ring.as_ref());
                let kept = Tree::bfs(&kept, Tree::first_root(&kept)?)?;
                // By tables messages leave the tree, and what they do to each other on it says nothing.
                let order = order.filter(|_| ethernet.table.is_none());
                let judgement = order.map(|order| judged(&kept, &order));
                Ok(Found { ring, judgement, ways: None })
            }
            Medium::Fabric(source) => {
                let tree = tree_of(checked, allgather, &whole)?;
                let ring = ring(allgather.algorithm, &tree, &whole);
                let order = order(allgather, ring.as_ref());
                let follows = allgather.follows_tree();
                let ways = if follows {
                    Ways::Tree(TreeRoutes::new(&whole, &tree))
                } else {
                    Ways::Routes(routes(source, &whole)?)
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

    fn service_level(&self, source: HostId, destination: HostId) -> u8 {
        match self {
            Ways::Tree(_) => 0,
            Ways::Routes(table) => table.service_level(source, destination),
        }
    }
}

/// The tree on which rings are found.
fn tree_of(checked: &Checked, allgather: &Allgather, of: &Network) -> Result<Tree, TreeError> {
    Tree::new(of, allgather.tree.unwrap_or(Kind::Bfs), Tree::first_root(of)?, checked.routing_seed)
}

/// The ring of an algorithm that finds one.
fn ring(method: Method, tree: &Tree, network: &Network) -> Option<Result<Ring, String>> {
    let Method::Found(algorithm) = method else { return None };
    Some(match algorithm.ring(tree) {
        Ok(ring) => Ok(Ring { hosts: ring.hosts, bound: ring.bound }),
        Err(none) => Err(rings::refusal(&none, network)),
    })
}

/// The machines in the order of the ring: that of the ring found, or of ranks; none if there is no ring.
fn order(allgather: &Allgather, ring: Option<&Result<Ring, String>>) -> Option<Vec<HostId>> {
    match ring {
        Some(Ok(ring)) => Some(ring.hosts.clone()),
        Some(Err(_)) => None,
        None => {
            let mut order = allgather.placed();
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
fn routes(source: &RouteSource, whole: &Network) -> Result<RouteTable, RunError> {
    Ok(match source {
        RouteSource::File { table, .. } | RouteSource::OnLanes { table, .. } => table.clone(),
        RouteSource::Computed(choices) => Plan::new(whole, &Attachments::lowest(whole), choices)?.table,
    })
}

/// The network of the cables that frames pass.
fn elected(topology: &Topology, ethernet: &Ethernet) -> Network {
    let network = &topology.network;
    let parameters = ethernet.parameters(network, None);
    let tree = SpanningTree::elect(network, &parameters.rates, &parameters.bridge_priorities);
    topology.used(None, |link| tree.forwards(link))
}
