//! Which cable to add: the one or two between free ports of switches that improve routes most.
//!
//! # Scope and limitations
//! Hosts stay where they are, and no cable is moved. A cable goes into the lowest free port of each of its two
//! switches; which port it is makes no difference to any figure here. Candidates are judged by what a random
//! choice among shortest legal paths comes to on the mean ([`Spread`]), since a single choice is chance: first
//! the pairs that have a route at all, then the load of the busiest channel and the mean distance, in the
//! order that [`Objective`] gives. The root is chosen anew with each candidate, by the given rule.
//!
//! Where routes can deadlock as they are (minimal ones only: the rules of the others leave no cycle), a cable is
//! worth naming if it ends that, and only then: deadlock counts before load and distance, and what leaves a cycle
//! is no suggestion. What the rounding of shares makes of a load (less than a thousandth of a route) is no improvement.
//!
//! One cable: every pair of switches with free ports is tried, as far as [`MOST_STEPS`] allows; beyond that
//! the candidates that bring their two ends nearest to the hosts, ignoring the rule. Two cables: every pair of
//! candidates within the same bound, else the best few first cables with every second one, then either is
//! exchanged as long as that helps. [`Answer`] says how many were tried.
//!
//! # Source
//! Mainwaring et al. 1997, section 6: a "strategically placed cable" may improve routes that crowd about the
//! root.
//!
//! # Validation
//! tests/network/oracle/suggest.rs: against trying everything, with loads by enumeration of paths, on small networks.

use std::cmp::Reverse;

use rayon::prelude::*;
use thiserror::Error;

use crate::topology::{CablingError, End, Network, Switch};
use simnet_base::ids::{HostId, Node, Port, SwitchId};

use super::algorithm::{Algorithm, Rule};
use super::attachments::Attachments;
use super::dependency::DependencyGraph;
use super::graph::SwitchGraph;
use super::judged::{StandIns, is_cyclic};
use super::paths::LegalMoves;
use super::plan::Choices;
use super::spread::{PAIR, Spread, weights};

/// How much work goes into one search, as channels looked at: a few seconds of one core.
const MOST_STEPS: u64 = 2_000_000_000;

/// The most switches with free ports, so that the pairs of them can be listed.
const MOST_SWITCHES: usize = 4_096;

/// How many first cables are carried on where not every pair is tried, at most.
const WIDEST_BEAM: usize = 16;

/// How many switches stand for all others where candidates are compared before they are tried.
const SAMPLE: usize = 64;

/// The least load, in [`PAIR`]ths of a route, by which a busiest channel counts as relieved.
const LEAST_GAIN: u64 = PAIR / 1_000;

/// What counts first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objective {
    /// The load of the busiest channel, then the mean distance.
    #[default]
    Load,
    /// The mean distance, then the load of the busiest channel.
    Distance,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// How routes are found.
    pub algorithm: Algorithm,
    /// The host that the root `far` leaves out.
    pub utility: Option<HostId>,
    /// What counts first.
    pub by: Objective,
    /// Whether pairs of cables are sought, too.
    pub pairs: bool,
    /// How many single cables are named at most, the best first.
    pub most: usize,
    /// How many steps a search may take; `None` for the usual bound.
    pub steps: Option<u64>,
}

/// What a network's routes come to on the mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// How many ordered pairs of hosts have a route, each host with itself included.
    pub pairs: u64,
    /// The load of the busiest channel, in [`PAIR`]ths of a route.
    pub busiest: u64,
    /// The sum of the distances of all pairs, in switch-to-switch cables.
    pub distance: u64,
    /// Whether deadlock is possible.
    pub is_cyclic: bool,
}

/// Cables to add, and what they make of the routes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The two ends of each.
    pub cables: Vec<(End, End)>,
    /// The routes with them.
    pub after: Judgement,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The network as it is.
    pub before: Judgement,
    /// The best single cables that improve on that, the best first; then the best two, if better than one.
    pub suggestions: Vec<Suggestion>,
    /// How many cables between free ports of different switches there could be.
    pub possible: usize,
    /// How many of them were tried.
    pub tried: usize,
    /// Whether every pair of those tried was tried.
    pub all_pairs: bool,
}

/// More switches have free ports than pairs of them can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{switches} switches have free ports: cables are suggested for {MOST_SWITCHES} at most")]
pub struct TooManySwitches {
    /// How many they are.
    pub switches: usize,
}

impl Judgement {
    /// The mean number of routes over the busiest channel.
    pub fn expected_load(&self) -> f64 {
        self.busiest as f64 / PAIR as f64
    }

    fn key(&self, by: Objective) -> Key {
        let Judgement { pairs, busiest, distance, is_cyclic } = *self;
        match by {
            Objective::Load => (Reverse(pairs), is_cyclic, busiest, distance),
            Objective::Distance => (Reverse(pairs), is_cyclic, distance, busiest),
        }
    }

    /// Whether cables that lead to `after` are worth naming.
    fn is_improved_by(&self, after: &Judgement, by: Objective) -> bool {
        if after.is_cyclic || after.pairs < self.pairs {
            // Routes that become possible at the price of a deadlock are no improvement.
            return false;
        }
        if self.is_cyclic || after.pairs > self.pairs {
            return true;
        }
        let is_lighter = after.busiest + LEAST_GAIN < self.busiest;
        let is_heavier = after.busiest > self.busiest + LEAST_GAIN;
        match by {
            Objective::Load => is_lighter || !is_heavier && after.distance < self.distance,
            Objective::Distance => {
                after.distance < self.distance || after.distance == self.distance && is_lighter
            }
        }
    }
}

/// The network with these cables added, on ports that must be free.
///
/// # Panics
/// If a port is not there, or not free.
pub fn with_cables(network: &Network, cables: &[(End, End)]) -> Network {
    let mut network = network.clone();
    for (a, b) in cables {
        network.connect(*a, *b).expect("the port is there and free");
    }
    network
}

/// The network with `count` free ports more on each switch that has fewer than `count`, as far as port numbers
/// go.
///
/// # Errors
/// None that a sound network could cause.
pub fn with_extra_ports(network: &Network, count: u16) -> Result<Network, CablingError> {
    let mut wider = Network::new(network.name.clone());
    for (id, switch) in network.switch_ids().zip(network.switches()) {
        let missing = usize::from(count).saturating_sub(free_ports(network, id).take(count.into()).count());
        let more = u16::try_from(missing)
            .unwrap_or(count)
            .min((u16::MAX - switch.first_port.max(1)).saturating_sub(switch.ports));
        wider.push_switch(Switch { ports: switch.ports + more, ..switch.clone() })?;
    }
    for host in network.hosts() {
        wider.push_host(host.clone())?;
    }
    for link in network.links() {
        wider.push_link(link.clone())?;
    }
    Ok(wider)
}

/// What the routes of a network come to on the mean, by these choices.
pub fn judgement(network: &Network, choices: &Choices) -> Judgement {
    let Choices { algorithm, utility, .. } = choices.clone();
    let (by, steps) = (Objective::Load, None);
    let question = Question { algorithm, utility, by, pairs: false, most: 0, steps };
    Search::new(network, &question).judge(&[])
}

/// Finds the cables that improve the routes of `network` most. Deterministic in its arguments.
///
/// # Errors
/// [`TooManySwitches`].
pub fn suggest(network: &Network, question: &Question) -> Result<Answer, TooManySwitches> {
    let search = Search::new(network, question);
    let before = search.judge(&[]);
    let candidates = search.candidates()?;
    let (possible, tried) = (candidates.len(), search.affordable(1).min(candidates.len()));
    let candidates = search.most_promising(candidates, tried);
    let mut singles = search.judged(candidates.iter().map(|cable| vec![*cable]).collect());
    singles.retain(|found| before.is_improved_by(&found.after, question.by));
    let all_pairs = tried * tried / 2 <= search.affordable(1);
    let pair = question.pairs.then(|| search.best_pair(&candidates, &singles, all_pairs)).flatten();
    let better = singles.first().map_or(&before, |best| &best.after);
    let pair = pair.filter(|pair| better.is_improved_by(&pair.after, question.by));
    let found = singles.into_iter().take(question.most).chain(pair);
    let suggestions = found.map(|found| search.suggestion(found)).collect();
    Ok(Answer { before, suggestions, possible, tried, all_pairs })
}

/// A cable between two switches, the lower one first.
type Cable = (SwitchId, SwitchId);

/// What is compared: pairs with routes, deadlock, and the two figures in the order that counts.
type Key = (Reverse<u64>, bool, u64, u64);

/// Cables and how good they are.
#[derive(Clone)]
struct Found {
    key: Key,
    cables: Vec<Cable>,
    after: Judgement,
}

struct Search<'a> {
    network: &'a Network,
    question: &'a Question,
    attachments: Attachments,
    hosts: Vec<u32>,
    /// Per switch its free ports, the lowest two at most.
    free: Vec<Vec<Port>>,
}

impl<'a> Search<'a> {
    fn new(network: &'a Network, question: &'a Question) -> Search<'a> {
        let attachments = Attachments::every_port(network);
        let hosts = weights(&attachments.per_switch(network.switches().len(), None));
        let free = network.switch_ids().map(|switch| free_ports(network, switch).take(2).collect()).collect();
        Search { network, question, attachments, hosts, free }
    }

    /// All pairs of different switches with a free port each.
    fn candidates(&self) -> Result<Vec<Cable>, TooManySwitches> {
        let open: Vec<SwitchId> =
            self.network.switch_ids().filter(|switch| !self.free[switch.index()].is_empty()).collect();
        if open.len() > MOST_SWITCHES {
            return Err(TooManySwitches { switches: open.len() });
        }
        Ok(open.iter().enumerate().flat_map(|(nth, a)| open[nth + 1..].iter().map(|b| (*a, *b))).collect())
    }

    /// Whether the free ports suffice for all these cables.
    fn fits(&self, cables: &[Cable]) -> bool {
        let used = |switch| cables.iter().filter(|(a, b)| *a == switch || *b == switch).count();
        cables.iter().all(|(a, b)| [a, b].iter().all(|s| used(**s) <= self.free[s.index()].len()))
    }

    /// The ends of cables that fit, each in the lowest port still free.
    fn ends(&self, cables: &[Cable]) -> Vec<(End, End)> {
        let mut used = vec![0; self.free.len()];
        let mut end = |switch: SwitchId| {
            let port = self.free[switch.index()][used[switch.index()]];
            used[switch.index()] += 1;
            End { node: Node::Switch(switch), port }
        };
        cables.iter().map(|(a, b)| (end(*a), end(*b))).collect()
    }

    /// How many networks can be judged with `share` of the steps allowed, at least one.
    fn affordable(&self, shares: u64) -> usize {
        let hosts = self.hosts.iter().filter(|count| **count > 0).count() as u64;
        let (switches, links) = (self.network.switches().len() as u64, self.network.links().len() as u64);
        // The proof against deadlock looks at every turn of every search.
        let turns = if self.question.algorithm == Algorithm::Minimal { 8 * links } else { 0 };
        let routes = hosts * (switches + 4 * links + turns);
        let rule = self.question.algorithm.steps(&SwitchGraph::new(self.network), hosts, links);
        let steps = self.question.steps.unwrap_or(MOST_STEPS) / (routes + rule).max(1) / shares.max(1);
        usize::try_from(steps).unwrap_or(usize::MAX).max(1)
    }

    /// The `count` candidates that bring their ends nearest to the hosts, by the shortest paths without a rule,
    /// in order of the switches.
    fn most_promising(&self, mut candidates: Vec<Cable>, count: usize) -> Vec<Cable> {
        if count >= candidates.len() {
            return candidates;
        }
        let graph = SwitchGraph::new(self.network);
        let hosted: Vec<SwitchId> = graph.switch_ids().filter(|s| self.hosts[s.index()] > 0).collect();
        let sample = hosted.iter().step_by(hosted.len().div_ceil(SAMPLE).max(1));
        let distances: Vec<(u64, Vec<u32>)> =
            sample.map(|s| (u64::from(self.hosts[s.index()]), graph.distances([*s]))).collect();
        candidates.sort_by_cached_key(|cable| (Reverse(gain(*cable, &distances)), *cable));
        candidates.truncate(count);
        candidates.sort_unstable();
        candidates
    }

    /// All these, judged, the best first.
    fn judged(&self, all: Vec<Vec<Cable>>) -> Vec<Found> {
        let judge = |cables: Vec<Cable>| {
            let after = self.judge(&cables);
            Found { key: after.key(self.question.by), cables, after }
        };
        let mut found: Vec<Found> = all.into_par_iter().map(judge).collect();
        found.sort_by(|x, y| (x.key, &x.cables).cmp(&(y.key, &y.cables)));
        found
    }

    /// The best two cables: of all pairs, or of those that the best single ones lead to.
    fn best_pair(&self, candidates: &[Cable], singles: &[Found], all: bool) -> Option<Found> {
        let with_every = |first: Cable| {
            let pairs = candidates.iter().map(move |second| vec![first.min(*second), first.max(*second)]);
            pairs.filter(|cables| self.fits(cables))
        };
        if all {
            let pairs = candidates.iter().flat_map(|first| {
                let first = *first;
                with_every(first).filter(move |cables| cables[0] == first)
            });
            return self.judged(pairs.collect()).into_iter().next();
        }
        let width = self.affordable(candidates.len() as u64).min(WIDEST_BEAM);
        // Where no single cable helps, two may: then the first candidates lead.
        let lead = singles.iter().map(|found| found.cables[0]).chain(candidates.iter().copied()).take(width);
        let mut best = self.judged(lead.flat_map(with_every).collect()).into_iter().next()?;
        // Each round exchanges one of the two for the best in its place, and ends when neither helps.
        for _ in 0..WIDEST_BEAM {
            let around = best.cables.clone().into_iter().flat_map(with_every).collect();
            match self.judged(around).into_iter().next() {
                Some(found) if found.key < best.key => best = found,
                _ => break,
            }
        }
        Some(best)
    }

    /// The routes with these cables.
    fn judge(&self, cables: &[Cable]) -> Judgement {
        let network = with_cables(self.network, &self.ends(cables));
        let graph = SwitchGraph::new(&network);
        let rule = Rule::new(&self.question.algorithm, &graph, &self.attachments, self.question.utility);
        let moves = rule.moves(&graph);
        let spread = Spread::new(&moves, &self.hosts);
        let is_cyclic = matches!(rule, Rule::Minimal) && self.is_cyclic(&network, &moves);
        Judgement { pairs: spread.pairs, busiest: spread.busiest(), distance: spread.distance, is_cyclic }
    }

    /// Whether shortest paths between hosts, and between switches that stand in for them, can deadlock.
    fn is_cyclic(&self, network: &Network, moves: &LegalMoves<'_>) -> bool {
        let stand_ins = StandIns::new(moves.graph(), &self.attachments);
        is_cyclic(DependencyGraph::new(network), moves, (&self.hosts, &stand_ins))
    }

    fn suggestion(&self, found: Found) -> Suggestion {
        Suggestion { cables: self.ends(&found.cables), after: found.after }
    }
}

/// How much nearer a cable brings its ends to the hosts. `distances`: the hosts of a switch, and how far from it each
/// switch is.
fn gain((a, b): Cable, distances: &[(u64, Vec<u32>)]) -> u64 {
    let of = |(hosts, distance): &(u64, Vec<u32>)| {
        // What cannot be reached at all is as far as that.
        let [a, b] = [a, b].map(|end| distance[end.index()].min(1 << 20));
        hosts * u64::from(a.abs_diff(b).saturating_sub(1))
    };
    distances.iter().map(of).sum()
}

/// The ports of a switch without a cable, in order.
fn free_ports(network: &Network, switch: SwitchId) -> impl Iterator<Item = Port> + '_ {
    let (first, count) = network.port_range(Node::Switch(switch));
    let ports = (0..count).map(move |nth| Port(first + nth));
    ports.filter(move |port| network.link_at(End { node: Node::Switch(switch), port: *port }).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if as many open switches as may be were refused, or one more were not.
    #[test]
    fn so_many_switches_may_be_open() {
        let algorithm = Algorithm::Minimal;
        let (utility, by) = (None, Objective::Load);
        let question = Question { algorithm, utility, by, pairs: false, most: 1, steps: None };
        let mut net = Network::new("open");
        for n in 0..MOST_SWITCHES {
            net.add_switch(format!("s{n}"), 1).unwrap();
        }
        let pairs = MOST_SWITCHES * (MOST_SWITCHES - 1) / 2;
        assert_eq!(Search::new(&net, &question).candidates().unwrap().len(), pairs);
        net.add_switch("more", 1).unwrap();
        let refused = TooManySwitches { switches: MOST_SWITCHES + 1 };
        assert_eq!(Search::new(&net, &question).candidates().unwrap_err(), refused);
    }
}
