//! From a network and a choice of algorithm to routes and a report about them.

use serde::Serialize;
use thiserror::Error;

use crate::ids::{ChannelId, HostId, Node, SwitchId};
use crate::topology::Network;

use super::balance::BalanceTooLarge;
use super::dependency::DependencyGraph;
use super::directions::{Directions, Root, Tree};
use super::graph::{Attachments, SwitchGraph};
use super::metrics::{SwitchMetrics, restrictions_per_switch};
use super::paths::LegalMoves;
use super::select::{Selection, select_routes};
use super::survey::Survey;
use super::table::{RouteTable, TableTooLarge};

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
    /// Shortest paths of any kind, as a baseline that may deadlock.
    Minimal,
}

/// Everything that decides routes, besides the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choices {
    /// How routes are found.
    pub algorithm: Algorithm,
    /// Which of several shortest paths is taken.
    pub selection: Selection,
    /// The host that [`Root::Far`] leaves out.
    pub utility: Option<HostId>,
}

impl Default for Choices {
    /// UP*/DOWN* on a breadth-first tree from the root `far`, random choice with seed 0.
    fn default() -> Choices {
        let algorithm = Algorithm::UpDown { tree: Tree::Bfs, root: Root::Far };
        Choices { algorithm, selection: Selection::Random { seed: 0 }, utility: None }
    }
}

/// Why a network gets no routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PlanError {
    /// They would fill the memory.
    #[error(transparent)]
    Table(#[from] TableTooLarge),
    /// There are too many to be balanced.
    #[error(transparent)]
    Balance(#[from] BalanceTooLarge),
}

/// Routes, and how they came about.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The directions that the routes obey; `None` for minimal routes.
    pub directions: Option<Directions>,
    /// The routes.
    pub table: RouteTable,
}

/// The figures of a table of routes, under the names that the command line prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// `updown`, `minimal`, or `file` for routes that were read.
    pub algorithm: &'static str,
    /// The root's name, or several with commas between; `None` without a root.
    pub root: Option<String>,
    /// Ordered pairs of distinct hosts.
    pub pairs: u64,
    /// Those without a route.
    pub unreachable_pairs: u64,
    /// The names of the first few of these: source, destination.
    #[serde(skip)]
    pub unreachable_examples: Vec<(String, String)>,
    /// Mean switch-to-switch cables of a route; `None` without any route.
    pub mean_distance: Option<f64>,
    /// Pairs whose route is longer than the shortest path that ignores the rule.
    pub non_minimal_pairs: u64,
    /// Mean shortest legal distance over ordered pairs of distinct switches that a legal path joins.
    pub switch_mean_distance: Option<f64>,
    /// The most shortest legal paths between switches over one directed channel.
    pub crossing_paths: Option<u64>,
    /// Mean number of forbidden transitions of a switch.
    pub restrictions_per_switch: Option<f64>,
    /// Routes over the busiest directed switch-to-switch channel.
    pub max_channel_load: u64,
    /// A shortest cycle of channel dependencies as `switch:port` outputs; `None` if there is none.
    pub dependency_cycle: Option<Vec<String>>,
}

impl Plan {
    /// Finds the routes of `network`.
    ///
    /// # Errors
    /// [`PlanError`] if the routes do not fit one table, or are too many to be balanced.
    pub fn new(network: &Network, attachments: &Attachments, choices: &Choices) -> Result<Plan, PlanError> {
        let graph = SwitchGraph::new(network);
        TableTooLarge::foreseen(&graph, attachments)?;
        let directions = choices.directions(&graph, attachments);
        let moves = legal_moves(&graph, directions.as_ref());
        let table = select_routes(&moves, attachments, choices.selection)?;
        Ok(Plan { directions, table })
    }

    /// Judges the routes: follows each of them, and proves them free of cyclic dependencies or finds a cycle.
    ///
    /// Minimal routes are judged by all shortest paths of all pairs, since which of them were picked is
    /// chance.
    pub fn report(&self, network: &Network, attachments: &Attachments) -> Report {
        let graph = SwitchGraph::new(network);
        let moves = legal_moves(&graph, self.directions.as_ref());
        let mut survey = Survey::new(network, attachments, &self.table);
        if self.directions.is_none() {
            survey.dependencies = DependencyGraph::new(network);
            let hosts = attachments.per_switch(graph.switches(), None);
            survey.dependencies.add_all_shortest(&moves, &hosts);
        }
        let metrics = SwitchMetrics::new(&moves);
        let restrictions = self.directions.as_ref().map(|d| restrictions_per_switch(&graph, d));
        Report {
            algorithm: if self.directions.is_some() { "updown" } else { "minimal" },
            root: self.directions.as_ref().and_then(|d| names(network, d.roots())),
            switch_mean_distance: metrics.mean_distance(graph.switches()),
            crossing_paths: Some(metrics.crossing_paths),
            restrictions_per_switch: Some(restrictions.unwrap_or(0.0)),
            ..Report::of_file(network, &survey)
        }
    }
}

impl Choices {
    fn directions(&self, graph: &SwitchGraph, attachments: &Attachments) -> Option<Directions> {
        match &self.algorithm {
            Algorithm::UpDown { tree, root } => {
                Some(Directions::new(graph, attachments, self.utility, root, *tree))
            }
            Algorithm::Minimal => None,
        }
    }
}

impl Report {
    /// The figures of routes of which nothing is known but the routes themselves.
    pub fn of_file(network: &Network, survey: &Survey) -> Report {
        Report {
            algorithm: "file",
            root: None,
            pairs: survey.pairs,
            unreachable_pairs: survey.unreachable,
            unreachable_examples: survey
                .unreachable_examples
                .iter()
                .map(|pair| both(network, *pair))
                .collect(),
            mean_distance: survey.mean_distance(),
            non_minimal_pairs: survey.non_minimal,
            switch_mean_distance: None,
            crossing_paths: None,
            restrictions_per_switch: None,
            max_channel_load: survey.busiest().map_or(0, |(_, load)| load),
            dependency_cycle: survey.dependencies.shortest_cycle().map(|cycle| {
                let output = |channel: &ChannelId| {
                    let sender = survey.dependencies.sender(*channel);
                    format!("{}:{}", network.name_of(sender.node), sender.port)
                };
                cycle.iter().map(output).collect()
            }),
        }
    }
}

fn legal_moves<'a>(graph: &'a SwitchGraph, directions: Option<&Directions>) -> LegalMoves<'a> {
    match directions {
        Some(directions) => LegalMoves::up_down(graph, directions),
        None => LegalMoves::unrestricted(graph),
    }
}

fn both(network: &Network, (source, destination): (HostId, HostId)) -> (String, String) {
    let name = |host: HostId| network.name_of(Node::Host(host)).to_owned();
    (name(source), name(destination))
}

fn names(network: &Network, switches: &[SwitchId]) -> Option<String> {
    let each: Vec<&str> = switches.iter().map(|s| network.name_of(Node::Switch(*s))).collect();
    (!each.is_empty()).then(|| each.join(","))
}
