//! Whose pairs a verdict is about: the one rule for all reports.
//!
//! # Scope and limitations
//! Routes join hosts, so a verdict is about the routes between all pairs of hosts. Where there is no such pair, no
//! route is looked at, and a graph of dependencies without any proves nothing. So in every component with fewer than
//! two hosts all its switches *stand in* for hosts, and the verdict covers all shortest legal paths between them; in a
//! network with fewer than two hosts, that is every component. Routes that were read have no rule that would say which
//! paths are legal: then such switches are left out, and counted.
//!
//! ```text
//!   component of switches     hosts >= 2: the routes of its pairs of hosts
//!                             hosts <  2: all shortest legal paths of its pairs of switches
//!   nothing of either         no verdict
//! ```
//!
//! # Source
//! Our choice: Dally and Seitz 1987 prove freedom from deadlock for the routes that there are.

use serde::Serialize;

use super::attachments::Attachments;
use super::dependency::DependencyGraph;
use super::graph::SwitchGraph;
use super::paths::LegalMoves;
use super::survey::Survey;

/// Whether what was judged can deadlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It cannot: no cycle of channel dependencies.
    Acyclic,
    /// It can.
    Cyclic,
}

/// What can be demanded of routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// The verdict is [`Verdict::Acyclic`].
    Acyclic,
    /// Every pair that is judged has a route, and there is such a pair.
    Reachable,
}

/// The pairs that a verdict is about, all ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Judged {
    /// Pairs of distinct hosts that have a route.
    pub host_pairs: u64,
    /// Pairs of distinct switches that stand in for hosts, and that a legal path joins.
    pub switch_pairs: u64,
    /// Those that no legal path joins; between components only where the whole network has fewer than two hosts.
    pub unreachable_switch_pairs: u64,
    /// Switches of components with fewer than two hosts that no verdict covers, since routes were read.
    pub switches_left_out: u64,
}

impl Judged {
    /// Whether there was nothing to judge, so that no verdict is possible.
    pub fn is_empty(&self) -> bool {
        self.host_pairs == 0 && self.switch_pairs == 0
    }

    /// Routes of unknown origin.
    pub(super) fn of_routes(survey: &Survey) -> Judged {
        let host_pairs = survey.reached();
        let switches_left_out = survey.stand_ins.switches.iter().map(|one| u64::from(*one)).sum();
        Judged { host_pairs, switches_left_out, ..Judged::default() }
    }

    /// Routes of a rule: adds the dependencies of all shortest paths between switches that stand in for hosts.
    ///
    /// Costs as [`DependencyGraph::add_all_shortest`] for the switches that stand in.
    pub(super) fn of_rule(survey: &mut Survey, moves: &LegalMoves<'_>) -> Judged {
        let host_pairs = survey.reached();
        let StandIns { switches, pairs } = &survey.stand_ins;
        let switch_pairs = survey.dependencies.add_all_shortest(moves, switches);
        let unreachable_switch_pairs = pairs - switch_pairs;
        Judged { host_pairs, switch_pairs, unreachable_switch_pairs, switches_left_out: 0 }
    }

    /// The verdict over the dependencies of all that was judged; `None` where that is nothing.
    pub(super) fn verdict(&self, is_cyclic: bool) -> Option<Verdict> {
        match (is_cyclic, self.is_empty()) {
            (true, _) => Some(Verdict::Cyclic),
            (false, false) => Some(Verdict::Acyclic),
            (false, true) => None,
        }
    }
}

/// The switches that stand in for hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StandIns {
    /// Per switch 1 if it stands in for a host, else 0.
    pub(super) switches: Vec<u32>,
    /// How many ordered pairs of them are looked at, joined or not.
    pub(super) pairs: u64,
}

impl StandIns {
    /// Finds them by the module's rule. A component of one switch has no pair.
    pub(super) fn new(graph: &SwitchGraph, attachments: &Attachments) -> StandIns {
        let hosts = attachments.per_switch(graph.switches(), None);
        let mut switches = vec![0; graph.switches()];
        let mut pairs = 0;
        for members in graph.components() {
            let of_part: u32 = members.iter().map(|switch| hosts[switch.index()]).sum();
            if of_part < 2 && members.len() > 1 {
                members.iter().for_each(|switch| switches[switch.index()] = 1);
                pairs += ordered_pairs(members.len());
            }
        }
        if hosts.iter().sum::<u32>() < 2 {
            pairs = ordered_pairs(graph.switches());
        }
        StandIns { switches, pairs }
    }

    /// Per switch how many hosts are on it, or stand there.
    pub(super) fn with_hosts(&self, hosts: &[u32]) -> Vec<u32> {
        self.switches.iter().zip(hosts).map(|(stands, hosts)| (*stands).max(*hosts)).collect()
    }
}

fn ordered_pairs(count: usize) -> u64 {
    let count = count as u64;
    count * count.saturating_sub(1)
}

/// Whether all shortest legal paths between these hosts, and the switches that stand in for hosts, can deadlock.
///
/// Costs as [`DependencyGraph::add_all_shortest`].
pub(super) fn is_cyclic(
    mut dependencies: DependencyGraph,
    moves: &LegalMoves<'_>,
    (hosts, stand_ins): (&[u32], &StandIns),
) -> bool {
    dependencies.add_all_shortest(moves, hosts);
    dependencies.add_all_shortest(moves, &stand_ins.switches);
    dependencies.is_cyclic()
}
