//! What happens to routes when a cable or a switch fails: one at a time, all of them, the worst first.
//!
//! # Scope and limitations
//! After a failure routes are computed anew by the same choices, roots included, as a subnet manager does; named roots
//! that failed are left out. Routes are judged by what a random choice among shortest legal paths comes to on the mean
//! ([`Spread`]), since a single choice is chance. Pairs are those of [`Judged`](super::Judged): of hosts, and of
//! switches where there are fewer than two hosts. A host whose own cable fails is cut off, and a host with a second
//! cable moves to it: neither needs a search, so only cables between switches are tried.
//!
//! What hurts most: first the pairs that lose their route, then a deadlock that becomes possible, then the pairs whose
//! routes get longer, then the load of the busiest channel, then the mean distance.
//!
//! Costs a [`Spread`] for each part, in parallel; for minimal routes the proof against deadlock as well, for `smart`
//! its whole search. UP*/DOWN* and smart routes are free of deadlock by construction and are not proved so again.
//!
//! # Source
//! Our choice.
//!
//! # Validation
//! tests/network/oracle/failures.rs: against the plan and report of each network that is left, and by hand.

use std::cmp::Reverse;

use rayon::prelude::*;

use crate::topology::{End, Network};
use simnet_base::ids::{LinkId, Node, SwitchId};

use super::algorithm::{Algorithm, Rule};
use super::dependency::DependencyGraph;
use super::directions::Root;
use super::graph::{Attachments, SwitchGraph, UNREACHED};
use super::judged::{StandIns, Verdict, is_cyclic};
use super::paths::State;
use super::plan::Choices;
use super::spread::{PAIR, Spread};

/// What can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A cable.
    Cable(LinkId),
    /// A switch with all its cables.
    Switch(SwitchId),
}

/// What routes come to on the mean of random choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// Ordered pairs without a route.
    pub unreachable: u64,
    /// Ordered pairs with one.
    pub routed: u64,
    /// The sum of their distances, in switch-to-switch cables.
    pub distance: u64,
    /// Pairs whose routes are longer than in the whole network.
    pub longer: u64,
    /// The load of the busiest channel, in [`PAIR`]ths of a route.
    pub busiest: u64,
    /// Whether deadlock is possible; `None` where there is no route.
    pub verdict: Option<Verdict>,
}

impl Effect {
    /// The mean distance of a routed pair; `None` without any.
    pub fn mean_distance(&self) -> Option<f64> {
        (self.routed > 0).then(|| self.distance as f64 / self.routed as f64)
    }

    /// The mean number of routes over the busiest channel.
    pub fn expected_load(&self) -> f64 {
        self.busiest as f64 / PAIR as f64
    }

    /// How bad it is, the lower the worse.
    fn key(&self) -> impl Ord + use<> {
        let Effect { unreachable, distance, longer, busiest, verdict, .. } = *self;
        Reverse((unreachable, verdict == Some(Verdict::Cyclic), longer, busiest, distance))
    }
}

/// All failures of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failures {
    /// The whole network.
    pub whole: Effect,
    /// Every cable between switches and every switch, with what is left without it; the worst first, equals in the
    /// order of the network, cables before switches.
    pub parts: Vec<(Part, Effect)>,
    /// How many cables lead to hosts; they are not tried.
    pub host_cables: usize,
}

/// The network without these parts. Hosts stay, names and port numbers too.
pub fn without(network: &Network, parts: &[Part]) -> Network {
    Left::new(network, parts).network
}

/// The choices for [`without`] these parts of the network: named roots that are left, by their ids there; `far` where
/// none is.
pub fn choices_without(network: &Network, parts: &[Part], choices: &Choices) -> Choices {
    Choices { algorithm: Left::new(network, parts).algorithm(&choices.algorithm), ..choices.clone() }
}

/// Tries every cable between switches, and every switch. Deterministic in its arguments.
pub fn rank_failures(network: &Network, choices: &Choices) -> Failures {
    let before = Before::new(network, choices);
    let is_inner = |link: &LinkId| {
        let link = network.link(*link);
        matches!((link.a.node, link.b.node), (Node::Switch(a), Node::Switch(b)) if a != b)
    };
    let links = (0..network.links().len()).map(LinkId::new);
    let to_hosts = |link: &LinkId| [network.link(*link).a, network.link(*link).b].iter().any(is_host);
    let host_cables = links.clone().filter(to_hosts).count();
    let cables = links.filter(is_inner).map(Part::Cable);
    let parts: Vec<Part> = cables.chain(network.switch_ids().map(Part::Switch)).collect();
    let mut parts: Vec<(Part, Effect)> =
        parts.into_par_iter().map(|part| (part, before.effect(&Left::new(network, &[part])))).collect();
    parts.sort_by_cached_key(|(_, effect)| effect.key());
    let whole = before.effect(&Left::new(network, &[]));
    Failures { whole, parts, host_cables }
}

fn is_host(end: &End) -> bool {
    matches!(end.node, Node::Host(_))
}

/// What is left of a network.
pub(super) struct Left {
    pub(super) network: Network,
    /// Per switch of the whole network its id here, if it is left.
    pub(super) switches: Vec<Option<SwitchId>>,
}

impl Left {
    pub(super) fn new(whole: &Network, parts: &[Part]) -> Left {
        let mut network = Network::new(whole.name.clone());
        let mut switches = Vec::with_capacity(whole.switches().len());
        for (id, switch) in whole.switch_ids().zip(whole.switches()) {
            let is_left = !parts.contains(&Part::Switch(id));
            let added = is_left.then(|| network.push_switch(switch.clone()).expect("names stay unique"));
            switches.push(added);
        }
        for host in whole.hosts() {
            network.push_host(host.clone()).expect("names stay unique");
        }
        let moved = |end: End| match end.node {
            Node::Switch(switch) => switches[switch.index()].map(|id| End { node: Node::Switch(id), ..end }),
            Node::Host(_) => Some(end),
        };
        for (id, link) in (0..).map(LinkId::new).zip(whole.links()) {
            if let (Some(a), Some(b), false) =
                (moved(link.a), moved(link.b), parts.contains(&Part::Cable(id)))
            {
                let link = crate::topology::Link { a, b, ..link.clone() };
                network.push_link(link).expect("its ports are as free as in the whole network");
            }
        }
        Left { network, switches }
    }

    fn algorithm(&self, algorithm: &Algorithm) -> Algorithm {
        let mut algorithm = algorithm.clone();
        if let Some((_, root)) = algorithm.tree_and_root_mut()
            && let rule @ Root::Named(_) = root.rule_mut()
            && let Root::Named(roots) = rule
        {
            let left: Vec<SwitchId> = roots.iter().filter_map(|root| self.switches[root.index()]).collect();
            *rule = if left.is_empty() { Root::Far } else { Root::Named(left) };
        }
        algorithm
    }
}

/// The whole network, to compare with.
struct Before<'a> {
    choices: &'a Choices,
    stand_ins: StandIns,
    /// Per switch its hosts, or 1 where it stands in for one.
    weights: Vec<u32>,
    pairs: u64,
    /// Per switch, per switch with hosts in order: the distance to the first from the second.
    distances: Vec<Vec<u32>>,
}

impl<'a> Before<'a> {
    fn new(network: &Network, choices: &'a Choices) -> Before<'a> {
        let graph = SwitchGraph::new(network);
        let attachments = Attachments::lowest(network);
        let stand_ins = StandIns::new(&graph, &attachments);
        let weights = stand_ins.with_hosts(&attachments.per_switch(graph.switches(), None));
        let hosts = network.hosts().len() as u64;
        let pairs = hosts * hosts.saturating_sub(1) + stand_ins.pairs;
        let mut before = Before { choices, stand_ins, weights, pairs, distances: Vec::new() };
        let rule = Rule::new(&choices.algorithm, &graph, &attachments, choices.utility);
        let mut distances = vec![Vec::new(); graph.switches()];
        Spread::searched(
            &rule.moves(&graph),
            &before.weights,
            |_, _, _| (),
            |destination, toward| {
                let from = |switch| toward.distance(State::start(switch)).unwrap_or(UNREACHED);
                distances[destination.index()] = graph.switch_ids().map(from).collect();
            },
        );
        before.distances = distances;
        before
    }

    /// What the routes on what is left come to.
    fn effect(&self, left: &Left) -> Effect {
        let graph = SwitchGraph::new(&left.network);
        let attachments = Attachments::lowest(&left.network);
        let rule =
            Rule::new(&left.algorithm(&self.choices.algorithm), &graph, &attachments, self.choices.utility);
        let moves = rule.moves(&graph);
        let (hosts, stand_ins) = self.ends_left(left, &attachments);
        let weights = stand_ins.with_hosts(&hosts);
        let mut old = vec![SwitchId(0); graph.switches()];
        for (before, after) in (0..).map(SwitchId::new).zip(&left.switches) {
            after.iter().for_each(|after| old[after.index()] = before);
        }
        let mut longer = 0;
        let pairs_at = |switch: SwitchId| {
            u64::from(weights[switch.index()].min(self.weights[old[switch.index()].index()]))
        };
        let spread = Spread::searched(
            &moves,
            &weights,
            |_, _, _| (),
            |destination, toward| {
                let least = &self.distances[old[destination.index()].index()];
                for state in toward.reached().iter().filter(|state| state.is_start()) {
                    let before = least.get(old[state.switch().index()].index()).copied().unwrap_or(UNREACHED);
                    if before != UNREACHED && toward.distance(*state) > Some(before) {
                        longer += pairs_at(state.switch()) * pairs_at(destination);
                    }
                }
            },
        );
        // A pair of one and the same end is none.
        let routed = spread.pairs - weights.iter().copied().map(u64::from).sum::<u64>();
        let verdict = match rule {
            Rule::Minimal | Rule::DimensionOrder(_) => {
                let cyclic = is_cyclic(DependencyGraph::new(&left.network), &moves, (&hosts, &stand_ins));
                if cyclic { Verdict::Cyclic } else { Verdict::Acyclic }
            }
            Rule::UpDown(_) | Rule::Smart(_) | Rule::InTransit(_) => Verdict::Acyclic,
        };
        Effect {
            unreachable: self.pairs.saturating_sub(routed),
            routed,
            distance: spread.distance,
            longer,
            busiest: spread.busiest(),
            verdict: (routed > 0).then_some(verdict),
        }
    }

    /// Per switch that is left its hosts, and those that stand in for hosts as they did in the whole network.
    fn ends_left(&self, left: &Left, attachments: &Attachments) -> (Vec<u32>, StandIns) {
        let mut switches = vec![0; left.network.switches().len()];
        for (stands, after) in self.stand_ins.switches.iter().zip(&left.switches) {
            after.iter().for_each(|after| switches[after.index()] = *stands);
        }
        let hosts = attachments.per_switch(switches.len(), None);
        (hosts, StandIns { switches, pairs: self.stand_ins.pairs })
    }
}
