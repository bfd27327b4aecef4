//! What happens to routes when a cable or a switch fails: one at a time, all of them, the worst first.
//!
//! # Scope and limitations
//! After a failure routes are computed anew by the same choices, roots included, as a subnet manager does; named roots
//! that failed are left out. Routes are judged by what a random choice among shortest legal paths comes to on the mean
//! ([`Spread`]), since a single choice is chance. Pairs are those of [`Judged`](super::Judged): of hosts, and of
//! switches where there are fewer than two hosts. A host whose only cable fails is cut off, which needs no search: such
//! cables are counted and not tried. A host with several is at its lowest-numbered cabled port, so one that loses that
//! cable, or the switch behind it, moves to its next: its routes are longer if they are from there. The failure of a
//! cable that its host does not use changes nothing.
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
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::topology::{End, Network};
use simnet_base::ids::{HostId, LinkId, Node, SwitchId};

use super::algorithm::{Algorithm, Rule};
use super::attachments::Attachments;
use super::dependency::DependencyGraph;
use super::directions::Root;
use super::graph::{SwitchGraph, UNREACHED};
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
    /// Every switch, and every cable between nodes that keep another one or are switches, with what is left without it;
    /// the worst first, equals in the order of the network, cables before switches.
    pub parts: Vec<(Part, Effect)>,
    /// How many cables are the only one of a host; they are not tried.
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

/// Tries every switch, and every cable but those that are a host's only one. Deterministic in its arguments. `tell` is
/// told how many of how many are done.
pub fn rank_failures(network: &Network, choices: &Choices, tell: &(dyn Fn(usize, usize) + Sync)) -> Failures {
    let before = Before::new(network, choices);
    let joins_two = |link: &LinkId| network.link(*link).a.node != network.link(*link).b.node;
    let links = (0..network.links().len()).map(LinkId::new).filter(joins_two);
    let (only, tried): (Vec<LinkId>, Vec<LinkId>) = links.partition(|link| cuts_off(network, *link));
    let cables = tried.into_iter().map(Part::Cable);
    let parts: Vec<Part> = cables.chain(network.switch_ids().map(Part::Switch)).collect();
    let whole = before.effect(&Left::new(network, &[]));
    let effect = |part| match part {
        Part::Cable(link) if !is_used(network, link) => whole,
        _ => before.effect(&Left::new(network, &[part])),
    };
    let (all, done) = (parts.len(), AtomicUsize::new(0));
    let tried = |part| {
        let effect = effect(part);
        tell(done.fetch_add(1, Ordering::Relaxed) + 1, all);
        (part, effect)
    };
    let mut parts: Vec<(Part, Effect)> = parts.into_par_iter().map(tried).collect();
    parts.sort_by_cached_key(|(_, effect)| effect.key());
    Failures { whole, parts, host_cables: only.len() }
}

/// The hosts at the ends of a cable.
fn hosts_of(network: &Network, link: LinkId) -> impl Iterator<Item = HostId> + use<> {
    let link = network.link(link);
    [link.a.node, link.b.node].into_iter().filter_map(|node| match node {
        Node::Host(host) => Some(host),
        Node::Switch(_) => None,
    })
}

/// Whether a host has no other cable.
fn cuts_off(network: &Network, link: LinkId) -> bool {
    hosts_of(network, link).any(|host| network.cables(Node::Host(host)).all(|(_, other, _)| other == link))
}

/// Whether routes may go over it: it is between switches, or the one that a host is attached by.
fn is_used(network: &Network, link: LinkId) -> bool {
    let is_attached = |host| network.attachment(host).is_some_and(|(_, own, _)| own == link);
    hosts_of(network, link).next().is_none() || hosts_of(network, link).any(is_attached)
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
    /// Per host its switch.
    homes: Vec<Option<SwitchId>>,
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
        let home = |host| attachments.switch(host).map(|(switch, _)| switch);
        let homes = network.host_ids().map(home).collect();
        let rule = Rule::new(&choices.algorithm, &graph, &attachments, choices.utility);
        let mut distances = vec![Vec::new(); graph.switches()];
        Spread::searched(
            &rule.moves(&graph),
            &weights,
            |_, _, _| (),
            |destination, toward| {
                let from = |switch| toward.distance(State::start(switch)).unwrap_or(UNREACHED);
                distances[destination.index()] = graph.switch_ids().map(from).collect();
            },
        );
        Before { choices, stand_ins, homes, pairs, distances }
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
        let ends = self.ends_by_home(left, &attachments);
        let mut longer = 0;
        let spread = Spread::searched(
            &moves,
            &weights,
            |_, _, _| (),
            |destination, toward| {
                for (home, to) in &ends[destination.index()] {
                    let least = &self.distances[home.index()];
                    for state in toward.reached().iter().filter(|state| state.is_start()) {
                        let distance = toward.distance(*state);
                        for (home, from) in &ends[state.switch().index()] {
                            let before = least.get(home.index()).copied().unwrap_or(UNREACHED);
                            longer += if distance > Some(before) { from * to } else { 0 };
                        }
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

    /// Per switch that is left, how many ends of pairs are there that were at which switch of the whole network: hosts,
    /// and the switches that stand in for them.
    fn ends_by_home(&self, left: &Left, attachments: &Attachments) -> Vec<Vec<(SwitchId, u64)>> {
        let stands = |switch: &SwitchId| self.stand_ins.switches[switch.index()] > 0;
        let mut ends = vec![BTreeMap::new(); left.network.switches().len()];
        for (host, home) in left.network.host_ids().zip(&self.homes) {
            let home = home.filter(|home| !stands(home));
            if let Some((home, (after, _))) = home.zip(attachments.switch(host)) {
                *ends[after.index()].entry(home).or_insert(0) += 1;
            }
        }
        for (switch, after) in (0..).map(SwitchId::new).zip(&left.switches) {
            if let Some(after) = after.filter(|_| stands(&switch)) {
                ends[after.index()].insert(switch, 1);
            }
        }
        ends.into_iter().map(|homes| homes.into_iter().collect()).collect()
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
