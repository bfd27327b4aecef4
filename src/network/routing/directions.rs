//! Which end of each switch-to-switch cable is up.
//!
//! # Scope and limitations
//! A tree gives every switch a label; of a cable's two ends the one with the lower label is up, and between
//! equal labels the one with the lower id (guids as numbers where every switch has one, else positions). So
//! directions are always those of a total order of the switches, and no cycle of channels all up, or all
//! down, exists whatever the labels are: this is what makes UP*/DOWN* routes free of deadlock.
//!
//! ```text
//!            root  rank 0            up: towards the root; between equal ranks towards the lower id
//!           /    \
//!      1 --+      +-- 1              legal route: up* down*
//! ```
//!
//! # Source
//! Breadth-first labels, the root `far` and the relabelling: Mainwaring et al. 1997, section 5.5. Depth-first
//! labels, the roots r0, r1 and r2, the heuristics h1 and h2: Sancho and Robles 2000, sections 2 and 3.
//! Departures: section 5.5 calls the end with the *greater* label up in a parenthesis, which contradicts its
//! own "minus one"; the smaller label is up here. In a depth-first tree labels fall from the root in the
//! order of visits and the higher one is up, as printed; they are stored negated, so that lower is up
//! everywhere.
//!
//! # Validation
//! tests/network/oracle/routing.rs: known trees, relabelling on now-c and on hypercubes, acyclic on random multigraphs.

use simnet_base::ids::{HostId, SwitchId};

use super::attachments::Attachments;
use super::exceptions::{Aim, Exceptions};
use super::graph::{Distances, SwitchGraph, UNREACHED};
use super::judged::StandIns;
use super::roots;
use super::spines::{are_nearly_found, spines};

/// How the labels are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tree {
    /// Breadth first: the label is the distance from the nearest root.
    #[default]
    Bfs,
    /// Depth first, going on by the given heuristic.
    Dfs(Heuristic),
}

impl Tree {
    /// The distances that growing such trees asks for.
    pub(super) fn distances(self, graph: &SwitchGraph) -> Distances<'_> {
        match self {
            Tree::Bfs => Distances::sought(graph),
            Tree::Dfs(_) => Distances::kept(graph),
        }
    }
}

/// Which neighbour a depth-first search visits next.
///
/// # Source
/// Sancho and Robles 2000, section 3: "higher average topological distance to the rest of the switches". The
/// rest are read as those that the tree has not reached yet, distances as those of the whole network: then
/// the table's H1 column comes out within 2 %, and with all other switches up to 12 % too long
/// (docs/VALIDATION.md lists the readings tried). Last ties go to the lowest id, of which the paper says
/// nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Heuristic {
    /// The one with the highest mean distance to the switches that are not in the tree yet.
    H1,
    /// The one with most cables to switches already in the tree, then as h1.
    #[default]
    H2,
}

/// Which switch is the root; `far`, `r0`, `r1` and `r2` choose one per component.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Root {
    /// The switch whose nearest host is farthest, then with the larger sum of distances to the hosts, then
    /// with the lower id; dominant switches are relabelled.
    #[default]
    Far,
    /// The switch with the lowest id.
    R0,
    /// The switch with the lowest mean distance to the others, then with the lower id.
    R1,
    /// The switch whose tree has the fewest crossing paths, then the lower average distance, then the lower
    /// id.
    R2,
    /// All spines of a levelled tree, of rank 0; as `far` where the network is none.
    Spines,
    /// These switches, all of rank 0.
    Named(Vec<SwitchId>),
    /// The roots of that, and in a breadth-first tree dominant switches relabelled as for `far`.
    Relabelled(Box<Root>),
}

impl Root {
    /// The rule or the switches, without the relabelling.
    pub fn rule(&self) -> &Root {
        if let Root::Relabelled(root) = self { root.rule() } else { self }
    }

    /// The same, to be changed.
    pub fn rule_mut(&mut self) -> &mut Root {
        match self {
            Root::Relabelled(root) => root.rule_mut(),
            other => other,
        }
    }

    /// All spines of a network, if it is a levelled tree: fat trees and folded Clos networks, irregular ones included.
    ///
    /// Costs a few searches per switch with hosts.
    pub fn spines(graph: &SwitchGraph, attachments: &Attachments) -> Option<Vec<SwitchId>> {
        spines(graph, &attachments.per_switch(graph.switches(), None))
    }

    /// Returns whether a network is no levelled tree, but would be one if a few more cables and paths might differ.
    ///
    /// Costs twice as much as [`Root::spines`].
    pub fn has_nearly_spines(graph: &SwitchGraph, attachments: &Attachments) -> bool {
        are_nearly_found(graph, &attachments.per_switch(graph.switches(), None))
    }

    /// The roots, and whether dominant switches are relabelled.
    fn choose(
        &self,
        graph: &SwitchGraph,
        (attachments, utility): (&Attachments, Option<HostId>),
        tree: Tree,
    ) -> Roots {
        let far = || roots::far(graph, &attachments.per_switch(graph.switches(), utility));
        let plain = |switches| Roots { switches, relabel: false, are_spines: false };
        match self {
            Root::Far => Roots { relabel: true, ..plain(far()) },
            Root::R0 => plain(roots::r0(graph)),
            Root::R1 => plain(roots::r1(graph)),
            Root::R2 => plain(roots::r2(graph, tree)),
            Root::Spines => match Root::spines(graph, attachments) {
                Some(spines) => Roots { are_spines: true, ..plain(spines) },
                None => Roots { relabel: true, ..plain(far()) },
            },
            Root::Named(switches) => plain(switches.clone()),
            Root::Relabelled(root) => {
                Roots { relabel: true, ..root.choose(graph, (attachments, utility), tree) }
            }
        }
    }
}

/// What a [`Root`] comes to on a graph.
struct Roots {
    switches: Vec<SwitchId>,
    relabel: bool,
    are_spines: bool,
}

/// The up and down ends of all cables between switches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directions {
    roots: Vec<SwitchId>,
    are_spines: bool,
    labels: Vec<i64>,
    relabelled: Vec<SwitchId>,
    /// Per switch its place in the total order; lower is up.
    place: Vec<u32>,
    /// The turns from down to up that pairs without a common ancestor have.
    exceptions: Option<Exceptions>,
}

impl Directions {
    /// Finds the directions of a graph. `utility` is the host that [`Root::Far`] leaves out.
    ///
    /// Costs O(switches x links) for `far` and `spines` at worst and for `r1`, O(switches^2 x links) for `r2`; from
    /// spines as much as [`Exceptions`] in addition.
    pub fn new(
        graph: &SwitchGraph,
        attachments: &Attachments,
        utility: Option<HostId>,
        root: &Root,
        tree: Tree,
    ) -> Directions {
        let Roots { switches, relabel, are_spines } = root.choose(graph, (attachments, utility), tree);
        let mut directions = Directions { are_spines, ..Directions::from_roots(graph, switches, tree) };
        // The paper relabels a breadth-first tree; a depth-first one has no ranks to be dominant in.
        if relabel && tree == Tree::Bfs {
            let hosts = attachments.per_switch(graph.switches(), utility);
            // Where switches stand in for hosts, routes begin and end at them, and none is useless.
            directions.relabel_dominant(graph, &StandIns::new(graph, attachments).with_hosts(&hosts));
        }
        // Whoever names the roots asks for UP*/DOWN* as it is; from one root a component every pair has a path.
        if are_spines {
            let hosts = attachments.per_switch(graph.switches(), None);
            directions.exceptions = Exceptions::find(graph, &directions, &hosts, Aim::Loads);
        }
        directions
    }

    /// The directions of the trees that grow from `roots`, without relabelling.
    ///
    /// Switches that no root reaches share one label, so that ids alone decide between them.
    pub fn from_roots(graph: &SwitchGraph, roots: Vec<SwitchId>, tree: Tree) -> Directions {
        let distances = tree.distances(graph);
        Directions::grown(graph, roots, tree, &distances)
    }

    /// The same with the distances of switches at hand, for when many trees are grown.
    pub(super) fn grown(
        graph: &SwitchGraph,
        roots: Vec<SwitchId>,
        tree: Tree,
        distances: &Distances<'_>,
    ) -> Directions {
        let labels = match tree {
            Tree::Bfs => breadth_first(graph, &roots),
            Tree::Dfs(heuristic) => depth_first(graph, &roots, heuristic, distances),
        };
        let place = order(graph, &labels);
        Directions { roots, are_spines: false, labels, relabelled: Vec::new(), place, exceptions: None }
    }

    /// The directions of an order, given as every switch's place in it: the switch with the lower place is up.
    pub(super) fn of_order(roots: Vec<SwitchId>, place: Vec<u32>) -> Directions {
        let labels = place.iter().copied().map(i64::from).collect();
        Directions { roots, are_spines: false, labels, relabelled: Vec::new(), place, exceptions: None }
    }

    /// A switch's place in the order of all of them; lower is up.
    pub(super) fn place(&self, switch: SwitchId) -> u32 {
        self.place[switch.index()]
    }

    /// The roots, one per component or as named.
    pub fn roots(&self) -> &[SwitchId] {
        &self.roots
    }

    /// Whether the roots are all spines of a levelled tree, recognised as such.
    pub fn are_spines(&self) -> bool {
        self.are_spines
    }

    /// The turns from down to up that pairs of switches with hosts have where UP*/DOWN* has no path; `None` if it has
    /// one for all that cables join.
    pub fn exceptions(&self) -> Option<&Exceptions> {
        self.exceptions.as_ref()
    }

    /// The switches whose label was lowered to make them useful, in the order in which that was done.
    pub fn relabelled(&self) -> &[SwitchId] {
        &self.relabelled
    }

    /// A switch's label: its distance from the root, or lower if it was relabelled; the lower one is up.
    pub fn label(&self, switch: SwitchId) -> i64 {
        self.labels[switch.index()]
    }

    /// Whether a channel from `from` to `to` leads up.
    pub fn is_up(&self, from: SwitchId, to: SwitchId) -> bool {
        self.place[to.index()] < self.place[from.index()]
    }

    /// Lowers the labels of switches that no route would ever cross, because all their cables lead up.
    ///
    /// In order of id, each switch at most once, judged by the labels as they then are: a switch that is no
    /// root, has no host but the utility host, and whose cables to other switches all lead up gets the least
    /// label of its neighbours minus one. No other route is lost: nothing crossed that switch before.
    ///
    /// # Source
    /// Mainwaring et al. 1997, section 5.5. The paper relabels every such switch; doing so to one with hosts
    /// would send transit traffic through it, so switches with hosts are left alone.
    fn relabel_dominant(&mut self, graph: &SwitchGraph, hosts: &[u32]) {
        let mut by_id: Vec<SwitchId> = graph.switch_ids().collect();
        by_id.sort_by_key(|s| graph.id(*s));
        let key = |labels: &[i64], s: SwitchId| (labels[s.index()], graph.id(s));
        for switch in by_id {
            let outputs = graph.of(switch);
            let own = key(&self.labels, switch);
            let free = hosts[switch.index()] == 0 && !self.roots.contains(&switch);
            if !free || !outputs.iter().all(|o| key(&self.labels, o.to) < own) {
                continue;
            }
            if let Some(least) = outputs.iter().map(|o| self.labels[o.to.index()]).min() {
                self.labels[switch.index()] = least - 1;
                self.relabelled.push(switch);
            }
        }
        self.place = order(graph, &self.labels);
    }
}

/// The place of each switch in the order of (label, id).
fn order(graph: &SwitchGraph, labels: &[i64]) -> Vec<u32> {
    let mut sorted: Vec<SwitchId> = graph.switch_ids().collect();
    sorted.sort_by_key(|s| (labels[s.index()], graph.id(*s)));
    let mut place = vec![0; sorted.len()];
    for (nth, switch) in (0..).zip(sorted) {
        place[switch.index()] = nth;
    }
    place
}

fn breadth_first(graph: &SwitchGraph, roots: &[SwitchId]) -> Vec<i64> {
    let distances = graph.distances(roots.iter().copied());
    distances.into_iter().map(i64::from).collect()
}

/// Numbers the switches 0, 1, 2, ... in the order of visits, root first: the negated falling labels.
fn depth_first(
    graph: &SwitchGraph,
    roots: &[SwitchId],
    heuristic: Heuristic,
    distances: &Distances<'_>,
) -> Vec<i64> {
    let mut growth = Growth::new(graph, distances);
    for root in roots {
        if growth.labels[root.index()] != UNVISITED {
            continue;
        }
        growth.visit(*root);
        let mut path = vec![*root];
        while let Some(&switch) = path.last() {
            match growth.next(switch, heuristic) {
                Some(next) => {
                    growth.visit(next);
                    path.push(next);
                }
                None => {
                    path.pop();
                }
            }
        }
    }
    growth.labels
}

/// The label of a switch that no root has reached.
const UNVISITED: i64 = UNREACHED as i64;

/// A depth-first tree that grows.
struct Growth<'a> {
    graph: &'a SwitchGraph,
    distances: &'a Distances<'a>,
    labels: Vec<i64>,
    visits: i64,
    /// Per switch how many of its cables end at switches in the tree.
    joined: Vec<u32>,
    /// Per switch the sum of its distances to the switches that are not in the tree.
    far: Vec<u64>,
}

impl<'a> Growth<'a> {
    fn new(graph: &'a SwitchGraph, distances: &'a Distances<'a>) -> Growth<'a> {
        Growth {
            graph,
            distances,
            labels: vec![UNVISITED; graph.switches()],
            visits: 0,
            joined: vec![0; graph.switches()],
            far: distances.sums().to_vec(),
        }
    }

    fn visit(&mut self, switch: SwitchId) {
        self.labels[switch.index()] = self.visits;
        self.visits += 1;
        for output in self.graph.of(switch) {
            self.joined[output.to.index()] += 1;
        }
        let distances = self.distances.from(switch);
        for (far, distance) in self.far.iter_mut().zip(distances.iter()).filter(|(_, d)| **d != UNREACHED) {
            *far -= u64::from(*distance);
        }
    }

    /// The neighbour that is visited after `switch`, if any is left.
    fn next(&self, switch: SwitchId, heuristic: Heuristic) -> Option<SwitchId> {
        let open = self.graph.of(switch).iter().map(|o| o.to);
        let open = open.filter(|s| self.labels[s.index()] == UNVISITED);
        // Every candidate has the same number of switches left to be far from, so sums rank as means do.
        let worth = |s: SwitchId| match heuristic {
            Heuristic::H1 => (0, self.far[s.index()]),
            Heuristic::H2 => (self.joined[s.index()], self.far[s.index()]),
        };
        open.max_by_key(|s| (worth(*s), std::cmp::Reverse(self.graph.id(*s))))
    }
}
