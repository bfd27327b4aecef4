//! How routes are found: every algorithm by name, and the rule that it makes of a network.

use simnet_base::ids::{HostId, SwitchId};

use super::allowed_turns::AllowedTurns;
use super::attachments::Attachments;
use super::dimension_order::{DimensionOrder, NotAGrid};
use super::directions::{Directions, Root, Tree};
use super::exceptions::Exceptions;
use super::graph::SwitchGraph;
use super::metrics::restrictions_per_switch;
use super::paths::LegalMoves;
use super::smart::Smart;

/// How routes are found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Shortest paths up*, then down*: free of deadlock.
    UpDown {
        /// How labels are found.
        tree: Tree,
        /// Which switch is the root.
        root: Root,
    },
    /// Shortest paths over turns that are left when cycles of dependencies are broken: free of deadlock.
    Smart {
        /// How labels are found of the UP*/DOWN* rule that it starts from.
        tree: Tree,
        /// Which switch is the root of that.
        root: Root,
    },
    /// Shortest paths of any kind, cut at hosts where they would go up again: free of deadlock.
    InTransit {
        /// How labels are found.
        tree: Tree,
        /// Which switch is the root.
        root: Root,
    },
    /// Shortest paths of any kind, as a baseline that may deadlock.
    Minimal,
    /// Along the first dimension of a mesh or torus, then the second, and so on; free of deadlock on a mesh.
    DimensionOrder,
}

/// The rule that routes obey on a network.
#[derive(Clone, Debug)]
pub enum Rule {
    /// Up*, then down*.
    UpDown(Directions),
    /// The turns that smart routing left.
    Smart(Smart),
    /// Up*, then down*, from host to host: every path is legal, with hosts in transit.
    InTransit(Directions),
    /// None: every path is legal.
    Minimal,
    /// Never back to an earlier dimension, nor round within one.
    DimensionOrder(DimensionOrder),
}

impl Algorithm {
    /// All of them by name, with the tree and the root that are usual.
    pub const ALL: &'static [(&'static str, Algorithm)] = &[
        ("updown", Algorithm::UpDown { tree: Tree::Bfs, root: Root::Far }),
        ("smart", Algorithm::Smart { tree: Tree::Bfs, root: Root::Far }),
        ("in-transit", Algorithm::InTransit { tree: Tree::Bfs, root: Root::Far }),
        ("minimal", Algorithm::Minimal),
        ("dimension-order", Algorithm::DimensionOrder),
    ];

    /// What it does, in a few words.
    pub const fn about(&self) -> &'static str {
        match self {
            Algorithm::UpDown { .. } => "shortest ones up, then down",
            Algorithm::Smart { .. } => "over turns left when cycles of waiting are broken",
            Algorithm::InTransit { .. } => {
                "shortest ones, which hosts between take out and send on where they would go up again"
            }
            Algorithm::Minimal => "shortest ones of any kind, which may deadlock",
            Algorithm::DimensionOrder => {
                "one dimension of a mesh or torus after the other, which may deadlock on a torus"
            }
        }
    }

    /// Whether hosts must send on what is in transit there: what switches do alone does not follow such routes.
    pub const fn needs_hosts(&self) -> bool {
        matches!(self, Algorithm::InTransit { .. })
    }

    /// The tree that the algorithm starts from, and its root; none if it needs no tree.
    pub fn tree_and_root(&self) -> Option<(Tree, &Root)> {
        match self {
            Algorithm::UpDown { tree, root }
            | Algorithm::Smart { tree, root }
            | Algorithm::InTransit { tree, root } => Some((*tree, root)),
            Algorithm::Minimal | Algorithm::DimensionOrder => None,
        }
    }

    /// The same, to be changed.
    pub fn tree_and_root_mut(&mut self) -> Option<(&mut Tree, &mut Root)> {
        match self {
            Algorithm::UpDown { tree, root }
            | Algorithm::Smart { tree, root }
            | Algorithm::InTransit { tree, root } => Some((tree, root)),
            Algorithm::Minimal | Algorithm::DimensionOrder => None,
        }
    }

    /// Looks for what keeps the algorithm from this network.
    ///
    /// # Errors
    /// [`NotAGrid`] if it is one for grids, and the network is none.
    pub fn check(&self, graph: &SwitchGraph) -> Result<(), NotAGrid> {
        match self {
            Algorithm::DimensionOrder => DimensionOrder::new(graph).map(drop),
            Algorithm::UpDown { .. }
            | Algorithm::Smart { .. }
            | Algorithm::InTransit { .. }
            | Algorithm::Minimal => Ok(()),
        }
    }

    /// About how many switches, cables and turns are looked at to make its rule of a graph with `hosts` switches that
    /// have hosts, whose network has `links` cables.
    pub(super) fn steps(&self, graph: &SwitchGraph, hosts: u64, links: u64) -> u64 {
        let switches = graph.switches() as u64;
        let tree = match self.tree_and_root().map(|(tree, root)| (tree, root.rule())) {
            Some((_, Root::R2)) => switches * switches * (switches + 4 * links),
            Some((Tree::Dfs(_), _) | (_, Root::R1 | Root::Far | Root::Spines)) => {
                switches * (switches + 2 * links)
            }
            _ => 0,
        };
        match self {
            Algorithm::Smart { .. } => tree + Smart::steps(graph, hosts),
            Algorithm::UpDown { .. }
            | Algorithm::InTransit { .. }
            | Algorithm::Minimal
            | Algorithm::DimensionOrder => tree,
        }
    }
}

impl Rule {
    /// The rule that an algorithm makes of a network; `utility` is the host that the root `far` leaves out. Dimension
    /// order makes of what is no grid that no worm may turn.
    ///
    /// Costs as [`Directions::new`], [`Smart::new`] and [`DimensionOrder::new`].
    pub fn new(
        algorithm: &Algorithm,
        graph: &SwitchGraph,
        attachments: &Attachments,
        utility: Option<HostId>,
    ) -> Rule {
        let directions = |root, tree: &Tree| Directions::new(graph, attachments, utility, root, *tree);
        match algorithm {
            Algorithm::UpDown { tree, root } => Rule::UpDown(directions(root, tree)),
            Algorithm::Smart { tree, root } => {
                let hosts = attachments.per_switch(graph.switches(), None);
                Rule::Smart(Smart::new(graph, &hosts, &directions(root, tree)))
            }
            Algorithm::InTransit { tree, root } => Rule::InTransit(directions(root, tree)),
            Algorithm::Minimal => Rule::Minimal,
            Algorithm::DimensionOrder => Rule::DimensionOrder(DimensionOrder::or_none(graph)),
        }
    }

    /// The name of the algorithm that made it.
    pub fn algorithm(&self) -> &'static str {
        match self {
            Rule::UpDown(_) => "updown",
            Rule::Smart(_) => "smart",
            Rule::InTransit(_) => "in-transit",
            Rule::Minimal => "minimal",
            Rule::DimensionOrder(_) => "dimension-order",
        }
    }

    /// The rule as moves in its network's graph.
    pub fn moves<'a>(&'a self, graph: &'a SwitchGraph) -> LegalMoves<'a> {
        match self {
            Rule::UpDown(directions) => LegalMoves::up_down(graph, directions),
            Rule::Smart(smart) => LegalMoves::turns(graph, smart.turns()),
            Rule::Minimal | Rule::InTransit(_) => LegalMoves::unrestricted(graph),
            Rule::DimensionOrder(order) => LegalMoves::turns(graph, order.turns()),
        }
    }

    /// The directions of UP*/DOWN* routes.
    pub fn directions(&self) -> Option<&Directions> {
        if let Rule::UpDown(directions) = self { Some(directions) } else { None }
    }

    /// The turns from down to up of a tree whose roots are all spines; `None` where no pair needs one.
    pub fn exceptions(&self) -> Option<&Exceptions> {
        match self {
            Rule::UpDown(directions) | Rule::InTransit(directions) => directions.exceptions(),
            Rule::Smart(_) | Rule::Minimal | Rule::DimensionOrder(_) => None,
        }
    }

    /// The turns of smart routes.
    pub fn smart(&self) -> Option<&Smart> {
        if let Rule::Smart(smart) = self { Some(smart) } else { None }
    }

    /// The roots of its tree; empty without one.
    pub fn roots(&self) -> &[SwitchId] {
        match self {
            Rule::UpDown(directions) | Rule::InTransit(directions) => directions.roots(),
            Rule::Smart(smart) => smart.roots(),
            Rule::Minimal | Rule::DimensionOrder(_) => &[],
        }
    }

    /// The switches of its tree that were relabelled, in the order in which that was done; empty without one.
    pub fn relabelled(&self) -> &[SwitchId] {
        match self {
            Rule::UpDown(directions) | Rule::InTransit(directions) => directions.relabelled(),
            Rule::Smart(smart) => smart.relabelled(),
            Rule::Minimal | Rule::DimensionOrder(_) => &[],
        }
    }

    /// Whether its roots are all spines of a levelled tree, recognised as such.
    pub fn has_spines(&self) -> bool {
        match self {
            Rule::UpDown(directions) | Rule::InTransit(directions) => directions.are_spines(),
            Rule::Smart(smart) => smart.has_spines(),
            Rule::Minimal | Rule::DimensionOrder(_) => false,
        }
    }

    /// The mean number of forbidden transitions of a switch.
    pub fn restrictions_per_switch(&self, graph: &SwitchGraph) -> f64 {
        match self {
            Rule::UpDown(directions) => match directions.exceptions() {
                Some(exceptions) => forbidden(exceptions.turns(), graph),
                None => restrictions_per_switch(graph, directions),
            },
            Rule::Smart(smart) => forbidden(smart.turns(), graph),
            Rule::DimensionOrder(order) => forbidden(order.turns(), graph),
            Rule::Minimal | Rule::InTransit(_) => 0.0,
        }
    }
}

/// The mean number of turns of a switch that are not allowed.
fn forbidden(turns: &AllowedTurns, graph: &SwitchGraph) -> f64 {
    turns.forbidden() as f64 / graph.switches().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::generate;

    /// Wrong if the steps were not those of the searches that each rule takes: one from each of three switches past two
    /// cables, each looked at from both ends, for every place that a root may have; and smart routing's on top.
    #[test]
    fn steps_are_those_counted_by_hand() {
        let network = generate::build("chain", &[("switches", 3), ("hosts-per-switch", 1)], 1).unwrap();
        let graph = SwitchGraph::new(&network);
        for (root, steps) in [(Root::R2, 3 * 3 * (3 + 4 * 2)), (Root::R1, 3 * (3 + 2 * 2)), (Root::Far, 21)] {
            let (tree, own) = (Tree::Bfs, root.clone());
            assert_eq!(Algorithm::UpDown { tree, root: own }.steps(&graph, 3, 2), steps);
            let smart = Algorithm::Smart { tree, root }.steps(&graph, 3, 2);
            assert_eq!(smart, steps + Smart::steps(&graph, 3));
        }
        assert_eq!(Algorithm::Minimal.steps(&graph, 3, 2), 0);
    }
}
