//! From a network and a choice of algorithm to routes and a report about them.

use serde::Serialize;
use thiserror::Error;

use crate::topology::{End, Network};
use simnet_base::ids::{HostId, Node, SwitchId};

use super::algorithm::{Algorithm, Rule};
use super::attachments::{Attachments, PortsJudged};
use super::balance::{BalanceTooLarge, Candidates};
use super::dependency::{ChannelLane, DependencyGraph};
use super::dimension_order::NotAGrid;
use super::directions::{Directions, Root, Tree};
use super::exceptions::Exceptions;
use super::graph::{SwitchGraph, UNREACHED};
use super::in_transit::{Uncut, cut_at_hosts};
use super::judged::{Judged, Requirement, Verdict};
use super::metrics::SwitchMetrics;
use super::paths::LegalMoves;
use super::select::{Selection, fits, select_routes, survey_routes};
use super::survey::{LaneUse, MOST_EXAMPLES, Survey, lane_name};
use super::table::{RouteTable, TableTooLarge, count_turns};

/// Everything that decides routes except the network.
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
    /// The algorithm is for grids, and the network is none.
    #[error(transparent)]
    Grid(#[from] NotAGrid),
    /// One has more turns than a message can carry.
    #[error("a route has {turns} turns or more, and a message carries {MOST_TURNS} at most")]
    Long {
        /// How many turns the shortest path of some pair has.
        turns: usize,
    },
}

/// The most turns that a message carries.
const MOST_TURNS: usize = u16::MAX as usize;

/// Routes, and how they came about.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The rule that the routes obey.
    pub rule: Rule,
    /// The routes.
    pub table: RouteTable,
    /// The pairs for whose routes no host is where they would be cut; `None` where hosts send nothing on.
    pub uncut: Option<Uncut>,
}

/// The directed switch-to-switch channel that most routes take, the first of equals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BusiestChannel {
    /// The sending end, as `switch:port`.
    pub from: String,
    /// The receiving end, as `switch:port`.
    pub to: String,
    /// How many routes take it.
    pub routes: u64,
}

/// The load of the directed switch-to-switch channels whose nearer end is so far from the root.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadAtDistance {
    /// The distance of that end from the nearest root, in cables.
    pub distance: u32,
    /// How many channels there are.
    pub channels: u64,
    /// The mean number of routes over one of them.
    pub routes_mean: f64,
    /// The largest number of routes over one of them.
    pub routes_max: u64,
}

/// The figures of a table of routes, under the names that the command line prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The name of the algorithm, or `file` for routes that were read.
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
    /// Mean hosts that send a route's messages on; `None` where none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_hosts_in_transit: Option<f64>,
    /// Pairs whose shortest route would be cut at a switch without hosts, and whose own goes up*, then down*; `None` of
    /// other algorithms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncut_pairs: Option<u64>,
    /// The names of the first few of these: source, destination.
    #[serde(skip)]
    pub uncut_examples: Vec<(String, String)>,
    /// What is judged where hosts have several ports: distances and loads are of pairs of ports, and a pair of hosts
    /// has a route if some pair of their ports has one. `None` where each host counts by one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ports: Option<PortsJudged>,
    /// Cabled ports of hosts by which no pair counts; `None` where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_ports: Option<u64>,
    /// The turns from down to up of pairs of switches without a common ancestor; `None` where none needs one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exceptions: Option<ExceptionalTurns>,
    /// Routes over the busiest directed switch-to-switch channel.
    pub max_channel_load: u64,
    /// That channel; `None` where none is used.
    pub busiest_channel: Option<BusiestChannel>,
    /// How load is spread round the roots, channels that no root reaches left out; `None` without a root.
    pub channel_load_by_root_distance: Option<Vec<LoadAtDistance>>,
    /// A shortest cycle of channel dependencies as `switch:port` outputs, with lanes `switch:port/lane`; `None` if
    /// there is none.
    pub dependency_cycle: Option<Vec<String>>,
    /// The verdict on the routes that were chosen and are written and loaded; `None` where that above is on these. That
    /// of minimal routes is on all shortest paths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<Chosen>,
    /// The lanes that the verdict is over; `None` where lanes were not looked at.
    #[serde(skip)]
    pub lanes: Option<LaneUse>,
    /// Which pairs the verdict is about.
    #[serde(skip)]
    pub judged: Judged,
    /// The names of the switches that were relabelled, in the order in which that was done.
    #[serde(skip)]
    pub relabelled: Vec<String>,
    /// Whether the roots are all spines of a levelled tree, recognised as such.
    #[serde(skip)]
    pub has_spines: bool,
}

/// Turns that UP*/DOWN* from all spines allows beyond its rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExceptionalTurns {
    /// How many pairs of switches with hosts have a path by these turns alone, each direction one.
    pub pairs_of_switches: u64,
    /// How many turns there are.
    pub turns: u64,
    /// The names of the switches at which they are.
    pub switches: Vec<String>,
}

impl ExceptionalTurns {
    /// Exceptions with the names of their switches.
    pub(super) fn new(exceptions: &Exceptions, graph: &SwitchGraph, network: &Network) -> ExceptionalTurns {
        let name = |switch: SwitchId| network.name_of(Node::Switch(switch)).to_owned();
        ExceptionalTurns {
            pairs_of_switches: exceptions.pairs() as u64,
            turns: exceptions.added() as u64,
            switches: exceptions.switches(graph).into_iter().map(name).collect(),
        }
    }
}

/// What is found of the routes that were chosen among others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Chosen {
    /// Whether they can deadlock.
    pub verdict: Verdict,
    /// A shortest cycle of their channel dependencies, as [`Report::dependency_cycle`].
    pub dependency_cycle: Option<Vec<String>>,
}

impl Plan {
    /// Finds the routes of `network`.
    ///
    /// # Errors
    /// [`PlanError`] if the routes do not fit one table, are too many to be balanced, or need another network.
    pub fn new(network: &Network, attachments: &Attachments, choices: &Choices) -> Result<Plan, PlanError> {
        let graph = SwitchGraph::new(network);
        choices.algorithm.check(&graph)?;
        TableTooLarge::foreseen(&LegalMoves::unrestricted(&graph), attachments)?;
        let rule = Rule::new(&choices.algorithm, &graph, attachments, choices.utility);
        let table = select_routes(&rule.moves(&graph), attachments, choices.selection)?;
        let Rule::InTransit(directions) = &rule else { return Ok(Plan { rule, table, uncut: None }) };
        let (table, uncut) = cut_at_hosts((network, &graph), attachments, directions, &table)?;
        Ok(Plan { rule, table, uncut: Some(uncut) })
    }

    /// Looks for what keeps the routes of `network` from being found, without finding them.
    ///
    /// Costs little where they cannot be too many, else a search per switch with hosts.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn check(network: &Network, attachments: &Attachments, choices: &Choices) -> Result<(), PlanError> {
        let graph = SwitchGraph::new(network);
        choices.algorithm.check(&graph)?;
        // No rule makes routes shorter: what is too many without one is refused before roots are weighed.
        TableTooLarge::foreseen(&LegalMoves::unrestricted(&graph), attachments)?;
        carried(&graph, attachments)?;
        if is_small(&graph, attachments, choices) {
            return Ok(());
        }
        if let Algorithm::Smart { tree, root } = &choices.algorithm {
            // On the mean smart routes are no longer than these, so that they need not be found if these fit.
            let directions = Directions::new(&graph, attachments, choices.utility, root, *tree);
            let turns = count_turns(&LegalMoves::up_down(&graph, &directions), attachments, usize::MAX);
            if turns.saturating_mul(2) <= Candidates::default().in_all {
                return Ok(());
            }
        }
        let rule = Rule::new(&choices.algorithm, &graph, attachments, choices.utility);
        fits(&rule.moves(&graph), attachments, choices.selection)
    }

    /// Judges the routes: follows each of them, and proves them free of cyclic dependencies or finds a cycle.
    ///
    /// Minimal routes are judged by all shortest paths of all pairs, since which of them were picked is
    /// chance, and those that were picked beside that. Where there is no pair of hosts, switches stand in for them: see
    /// [`Judged`].
    pub fn report(&self, network: &Network, attachments: &Attachments) -> Report {
        self.judge(network, attachments).0
    }

    /// The same, with the dependencies that the verdict is about.
    pub fn judge(&self, network: &Network, attachments: &Attachments) -> (Report, DependencyGraph) {
        let (report, survey) = self.surveyed(network, attachments);
        (report, survey.dependencies)
    }

    fn surveyed(&self, network: &Network, attachments: &Attachments) -> (Report, Survey) {
        let survey = Survey::new(network, attachments, &self.table);
        let (mut report, survey) = judge(&self.rule, survey, network, attachments);
        if let Some(uncut) = &self.uncut {
            report.mean_hosts_in_transit = survey.mean_transits();
            report.uncut_pairs = Some(uncut.pairs);
            report.uncut_examples = uncut.examples.iter().map(|pair| both(network, *pair)).collect();
        }
        (report, survey)
    }

    /// Judges the routes that [`Plan::new`] would find, each as it is found: they are never kept, which saves their
    /// memory.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn judge_at_once(
        network: &Network,
        attachments: &Attachments,
        choices: &Choices,
    ) -> Result<(Report, DependencyGraph), PlanError> {
        Plan::survey_at_once(network, attachments, choices)
            .map(|(report, survey)| (report, survey.dependencies))
    }

    /// The same with all that was surveyed, the dependencies that the verdict is about in it.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn survey_at_once(
        network: &Network,
        attachments: &Attachments,
        choices: &Choices,
    ) -> Result<(Report, Survey), PlanError> {
        let graph = SwitchGraph::new(network);
        choices.algorithm.check(&graph)?;
        TableTooLarge::foreseen(&LegalMoves::unrestricted(&graph), attachments)?;
        if let Algorithm::InTransit { .. } = choices.algorithm {
            // Its routes are cut once all of them are known.
            return Ok(Plan::new(network, attachments, choices)?.surveyed(network, attachments));
        }
        let rule = Rule::new(&choices.algorithm, &graph, attachments, choices.utility);
        Plan::survey_by(&rule, (network, attachments), choices.selection)
    }

    /// The same of the routes that obey a rule, that of hosts in transit left out.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn survey_by(
        rule: &Rule,
        (network, attachments): (&Network, &Attachments),
        selection: Selection,
    ) -> Result<(Report, Survey), PlanError> {
        let graph = SwitchGraph::new(network);
        let survey = survey_routes(&rule.moves(&graph), (network, attachments), selection)?;
        Ok(judge(rule, survey, network, attachments))
    }
}

/// The report about surveyed routes of a rule, and the survey with the dependencies that its verdict is about.
fn judge(rule: &Rule, mut survey: Survey, network: &Network, attachments: &Attachments) -> (Report, Survey) {
    let graph = SwitchGraph::new(network);
    let moves = rule.moves(&graph);
    let mut chosen = None;
    if matches!(rule, Rule::Minimal) {
        let dependency_cycle = cycle(network, &survey);
        let verdict = if dependency_cycle.is_some() { Verdict::Cyclic } else { Verdict::Acyclic };
        chosen = (survey.pairs > survey.unreachable).then_some(Chosen { verdict, dependency_cycle });
        survey.dependencies = DependencyGraph::new(network);
        let hosts = attachments.per_switch(graph.switches(), None);
        survey.dependencies.add_all_shortest(&moves, &hosts);
    }
    let judged = match rule {
        // Where there are no two hosts there are none to be in transit at.
        Rule::InTransit(directions) => Judged::of_rule(&mut survey, &LegalMoves::up_down(&graph, directions)),
        _ => Judged::of_rule(&mut survey, &moves),
    };
    let metrics = SwitchMetrics::new(&moves);
    let name = |switch: SwitchId| network.name_of(Node::Switch(switch)).to_owned();
    let report = Report {
        algorithm: rule.algorithm(),
        root: names(network, rule.roots()),
        switch_mean_distance: metrics.mean_distance(graph.switches()),
        crossing_paths: Some(metrics.crossing_paths),
        restrictions_per_switch: Some(rule.restrictions_per_switch(&graph)),
        channel_load_by_root_distance: load_by_distance(&graph, rule.roots(), &survey.load),
        judged,
        chosen,
        exceptions: rule.exceptions().map(|exceptions| ExceptionalTurns::new(exceptions, &graph, network)),
        relabelled: rule.relabelled().iter().copied().map(name).collect(),
        has_spines: rule.has_spines(),
        ..Report::of_file(network, attachments, &survey)
    };
    (report, survey)
}

/// Refuses hosts so far apart that no message carries a route between them. A single search shows for most networks
/// that there are none.
fn carried(graph: &SwitchGraph, attachments: &Attachments) -> Result<(), PlanError> {
    let per_switch = attachments.per_switch(graph.switches(), None);
    if graph.switches() <= MOST_TURNS / 2 {
        return Ok(());
    }
    if graph.switch_ids().take(1).all(|first| 4 * reach(graph, first, |_| true) < MOST_TURNS) {
        return Ok(());
    }
    let has_hosts = |switch: usize| per_switch[switch] > 0;
    for switch in graph.switch_ids().filter(|switch| has_hosts(switch.index())) {
        let turns = reach(graph, switch, has_hosts) + 1;
        if turns > MOST_TURNS {
            return Err(PlanError::Long { turns });
        }
    }
    Ok(())
}

/// The distance from a switch to the farthest that it reaches of those for which `counts` holds.
fn reach(graph: &SwitchGraph, from: SwitchId, counts: impl Fn(usize) -> bool) -> usize {
    let distances = graph.distances([from]);
    let reached = distances.iter().enumerate().filter(|(_, distance)| **distance != UNREACHED);
    let counted = reached.filter(|(switch, _)| counts(*switch));
    counted.map(|(_, distance)| *distance as usize).max().unwrap_or(0)
}

/// Whether a table holds the routes, and they can be balanced, by a bound that a single search gives: over a
/// breadth-first tree no two switches are further apart than twice its depth, which is at most twice as deep from
/// another root. From all spines of a levelled tree paths are as short as without a rule, which is no longer; where
/// there are none the tree has one root.
fn is_small(graph: &SwitchGraph, attachments: &Attachments, choices: &Choices) -> bool {
    let is_bounded = choices.algorithm.tree_and_root().is_none_or(|(tree, root)| {
        let several = matches!(root.rule(), Root::Named(roots) if roots.len() > 1);
        tree == Tree::Bfs && !several
    });
    let deepest = graph.distances(graph.switch_ids().take(1)).into_iter().max().unwrap_or(0);
    if !is_bounded || deepest == UNREACHED {
        return false;
    }
    let hops = (attachments.hosts() * attachments.hosts()).saturating_mul(4 * deepest as usize + 1);
    let balanced = choices.selection == Selection::Balanced;
    if balanced { hops.saturating_mul(2) <= Candidates::default().in_all } else { TableTooLarge::holds(hops) }
}

impl Report {
    /// How many lanes the routes use; 1 where lanes were not looked at.
    pub fn lanes_used(&self) -> u32 {
        self.lanes.map_or(1, |used| used.lanes)
    }

    /// Whether what was judged can deadlock; `None` where that is nothing.
    pub fn verdict(&self) -> Option<Verdict> {
        self.judged.verdict(self.dependency_cycle.is_some())
    }

    /// A shortest cycle of the routes that are written and loaded; `None` if there is none.
    pub fn cycle_of_routes(&self) -> Option<&[String]> {
        let own = self.chosen.as_ref().map(|chosen| &chosen.dependency_cycle);
        own.unwrap_or(&self.dependency_cycle).as_deref()
    }

    /// Whether the routes that are written are as required. Nothing is required in vain: where nothing was judged,
    /// nothing holds.
    pub fn holds(&self, requirement: Requirement) -> bool {
        match requirement {
            Requirement::Acyclic => {
                let chosen = self.chosen.as_ref().map(|chosen| chosen.verdict);
                chosen.or(self.verdict()) == Some(Verdict::Acyclic)
            }
            Requirement::Reachable => {
                let unreachable = self.unreachable_pairs + self.judged.unreachable_switch_pairs;
                !self.judged.is_empty() && unreachable == 0
            }
        }
    }

    /// The figures of routes of unknown origin.
    pub fn of_file(network: &Network, attachments: &Attachments, survey: &Survey) -> Report {
        let ports = attachments.ports(&survey.unreachable_examples);
        let examples = ports.as_ref().map_or(&survey.unreachable_examples, |ports| &ports.apart);
        let unreachable = ports.as_ref().map_or(survey.unreachable, |ports| ports.apart.len() as u64);
        Report {
            algorithm: "file",
            root: None,
            pairs: ports.as_ref().map_or(survey.pairs, |ports| ports.pairs),
            unreachable_pairs: unreachable,
            unreachable_examples: examples
                .iter()
                .take(MOST_EXAMPLES)
                .map(|pair| both(network, *pair))
                .collect(),
            mean_distance: survey.mean_distance(),
            non_minimal_pairs: survey.non_minimal,
            switch_mean_distance: None,
            crossing_paths: None,
            restrictions_per_switch: None,
            mean_hosts_in_transit: survey.mean_transits().filter(|_| survey.sum_of_transits > 0),
            uncut_pairs: None,
            uncut_examples: Vec::new(),
            ports: ports.map(|ports| ports.judged),
            other_ports: other_ports(network, attachments),
            exceptions: None,
            max_channel_load: survey.busiest().map_or(0, |(_, load)| load),
            busiest_channel: survey.busiest().and_then(|(channel, routes)| {
                let name = |end: End| format!("{}:{}", network.name_of(end.node), end.port);
                let from = survey.dependencies.sender(channel);
                Some(BusiestChannel { from: name(from), to: name(network.peer(from)?), routes })
            }),
            channel_load_by_root_distance: None,
            dependency_cycle: cycle(network, survey),
            chosen: None,
            lanes: survey.lanes,
            judged: Judged::of_routes(survey),
            relabelled: Vec::new(),
            has_spines: false,
        }
    }
}

/// How many ports of hosts are cabled and not among these; `None` if there are none.
fn other_ports(network: &Network, attachments: &Attachments) -> Option<u64> {
    let cabled = |host| network.cables(Node::Host(host)).count() as u64;
    let counted = attachments.ids().filter(|id| attachments.of(*id).is_some()).count() as u64;
    let all: u64 = network.host_ids().map(cabled).sum();
    Some(all.saturating_sub(counted)).filter(|ports| *ports > 0)
}

/// A shortest cycle of what was surveyed, by name.
fn cycle(network: &Network, survey: &Survey) -> Option<Vec<String>> {
    let has_lanes = survey.lanes.is_some();
    let name = |vertex: &ChannelLane| lane_name(network, &survey.dependencies, *vertex, has_lanes);
    survey.dependencies.shortest_cycle_on_lanes().map(|cycle| cycle.iter().map(name).collect())
}

/// The loads of channels, nearest to the roots first.
fn load_by_distance(graph: &SwitchGraph, roots: &[SwitchId], load: &[u64]) -> Option<Vec<LoadAtDistance>> {
    if roots.is_empty() {
        return None;
    }
    let distance = graph.distances(roots.iter().copied());
    // Per distance: channels, routes, most routes over one.
    let mut rings: Vec<(u64, u64, u64)> = Vec::new();
    for switch in graph.switch_ids() {
        for output in graph.of(switch) {
            let nearer = distance[switch.index()].min(distance[output.to.index()]);
            if nearer == UNREACHED {
                continue;
            }
            let ring = nearer as usize;
            rings.resize(rings.len().max(ring + 1), (0, 0, 0));
            let (channels, sum, most) = &mut rings[ring];
            let routes = load[output.channel.index()];
            (*channels, *sum, *most) = (*channels + 1, *sum + routes, (*most).max(routes));
        }
    }
    let ring = |(distance, (channels, sum, routes_max)): (u32, (u64, u64, u64))| {
        let routes_mean = sum as f64 / channels.max(1) as f64;
        LoadAtDistance { distance, channels, routes_mean, routes_max }
    };
    Some((0..).zip(rings).map(ring).collect())
}

fn both(network: &Network, (source, destination): (HostId, HostId)) -> (String, String) {
    let name = |host: HostId| network.name_of(Node::Host(host)).to_owned();
    (name(source), name(destination))
}

fn names(network: &Network, switches: &[SwitchId]) -> Option<String> {
    let each: Vec<&str> = switches.iter().map(|s| network.name_of(Node::Switch(*s))).collect();
    (!each.is_empty()).then(|| each.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if routes were called few by another bound than 256² pairs of four turns a cable of depth and one more,
    /// twice over: by hand, 2 · 2^16 · (4 · 31 + 1) is below the 2^24 hops that are balanced, and with 32 it is above.
    #[test]
    fn few_routes_are_known_by_the_depth() {
        for (cables, expected) in [(31, true), (32, false)] {
            let mut net = Network::new("chain");
            for n in 0..=cables {
                net.add_switch(format!("s{n}"), 260).unwrap();
            }
            for n in 0..cables {
                net.connect(End::switch(SwitchId(n), 1), End::switch(SwitchId(n + 1), 0)).unwrap();
            }
            for n in 0..256 {
                let host = net.add_host(format!("h{n}")).unwrap();
                net.connect(End::host(host, 0), End::switch(SwitchId(0), 2 + n)).unwrap();
            }
            let choices = Choices { selection: Selection::Balanced, ..Choices::default() };
            let attachments = Attachments::lowest(&net);
            assert_eq!(is_small(&SwitchGraph::new(&net), &attachments, &choices), expected, "{cables}");
        }
    }
}
