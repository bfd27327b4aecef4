//! Next hops over a fixed set of turns, balanced.
//!
//! # Scope and limitations
//! A switch knows a packet's destination alone, not where it came from. So the next hops towards a destination are
//! grown backwards from it: a switch may take an output only if it may turn from there into the output that the next
//! switch has taken. All turns of the table are then of the set, and if that has no cycle, the table has none.
//!
//! Single next hops may leave out a switch that the set gives a path. Then the next hops along that path are forced,
//! and the column is grown again. Where two such paths disagree, the next hops over *spare* channels are forced: those
//! down in UP*/DOWN* (a switch that can go down to the destination must, as OpenSM's `updn` has it), those of the
//! spanning tree in smart routing, whose turns are all allowed.
//!
//! Columns are taken out and grown anew, one after the other, over channels that cost more the fuller they are; the
//! best table seen is kept.

use simnet_base::ids::SwitchId;

use crate::routing::allowed_turns::AllowedTurns;
use crate::routing::graph::SwitchGraph;
use crate::routing::paths::{LegalMoves, State, Toward};
use crate::routing::relief::Relief;

use super::load::{Load, best_of_sweeps, sweeps};
use super::next_hops::NextHops;
use super::tree::Tree;

/// A set of turns to route over.
pub(super) struct TurnSet {
    pub(super) turns: AllowedTurns,
    /// Per channel whether next hops over such channels alone may be forced.
    pub(super) spare: Vec<bool>,
    /// Whether a longer way may be taken round channels that are full.
    pub(super) has_detours: bool,
    /// Whether single next hops are put elsewhere where channels are fullest, once columns are grown.
    pub(super) is_relieved: bool,
}

/// How good next hops are, the lower the better: pairs of a switch that sends and a column of a host without a route,
/// the load of the busiest channel, the sum of all.
pub(super) type Worth = (usize, u64, u64);

/// Fills `hops` over `set`, as evenly as a fixed number of steps allows; `sends` says how many hosts each switch has.
pub(super) fn balanced(
    graph: &SwitchGraph,
    set: &TurnSet,
    sends: &[u32],
    hops: &NextHops,
) -> (Worth, NextHops) {
    let mut growing = Growing::new(graph, set, sends);
    let load = if set.has_detours { Load::new } else { Load::without_detours };
    let mut load = load(graph, hops.columns());
    let grown = best_of_sweeps(sweeps(graph, hops.columns()), hops, |hops| {
        let mut lost = 0;
        for column in 0..hops.columns() {
            load.remove(column);
            let (_, to) = hops.target(column);
            let left_out = growing.grow(to, load.weights());
            hops.set(graph, column, &growing.tree.next);
            // What leads to a switch itself carries management only.
            if hops.host_columns().contains(&column) {
                lost += left_out;
                load.add(graph, column, &mut growing.tree, sends);
            }
        }
        (lost, load.busiest(), load.sum())
    });
    if set.is_relieved { relieved(graph, set, sends, grown) } else { grown }
}

/// Puts single next hops elsewhere, where channels are fullest: of a switch towards one column, if the turns into the
/// new channel and out of it are allowed. Since allowed turns close no cycle, next hops close none either.
fn relieved(
    graph: &SwitchGraph,
    set: &TurnSet,
    sends: &[u32],
    (worth, mut hops): (Worth, NextHops),
) -> (Worth, NextHops) {
    let columns = hops.host_columns();
    let mut next: Vec<Vec<Option<usize>>> = columns
        .clone()
        .map(|column| graph.switch_ids().map(|at| hops.next(graph, column, at)).collect())
        .collect();
    // By column and switch what leaves it.
    let mut leaving = vec![vec![0_u64; graph.switches()]; next.len()];
    let mut load = vec![0; graph.outputs().len()];
    for (next, leaving) in next.iter().zip(&mut leaving) {
        for from in graph.switch_ids().filter(|from| sends[from.index()] > 0) {
            let sent = u64::from(sends[from.index()]);
            for by in way(graph, next, from) {
                leaving[graph.sender(by).index()] += sent;
                load[by] += sent;
            }
        }
    }
    let Some(mut relief) = Relief::new(graph, sends, load) else { return (worth, hops) };
    let ends: Vec<SwitchId> = columns.clone().map(|column| hops.target(column).1).collect();
    let mut best = None;
    loop {
        for ((next, leaving), to) in next.iter_mut().zip(&mut leaving).zip(&ends) {
            if !next.iter().flatten().any(|by| relief.is_full(*by)) {
                continue;
            }
            for at in graph.switch_ids() {
                let (Some(by), traffic) = (next[at.index()], leaving[at.index()]) else { continue };
                if traffic == 0 || !relief.is_over(way(graph, next, at)) {
                    continue;
                }
                relief.take(way(graph, next, at), traffic);
                let cost = |other: &usize| {
                    let onward = way(graph, next, graph.outputs()[*other].to);
                    (relief.cost(std::iter::once(*other).chain(onward), traffic), *other != by, *other)
                };
                let so_far = way(graph, next, at).count();
                let is_as_short =
                    |other: &usize| way(graph, next, graph.outputs()[*other].to).count() < so_far;
                let others = graph.range(at).filter(|other| may_take(graph, set, next, (at, *other, *to)));
                let others = others.filter(|other| set.has_detours || is_as_short(other));
                let chosen = others.min_by_key(cost).unwrap_or(by);
                let passed = way(graph, next, graph.outputs()[by].to).map(|by| graph.sender(by));
                passed.for_each(|passed| leaving[passed.index()] -= traffic);
                next[at.index()] = Some(chosen);
                relief.put(way(graph, next, at), traffic);
                let passed = way(graph, next, graph.outputs()[chosen].to).map(|by| graph.sender(by));
                passed.for_each(|passed| leaving[passed.index()] += traffic);
            }
        }
        let round = relief.end_round();
        if round.is_better {
            best = Some((next.clone(), relief.busiest_and_sum()));
        }
        if round.is_last {
            break;
        }
    }
    let Some((next, (busiest, sum))) = best else { return (worth, hops) };
    columns.zip(&next).for_each(|(column, next)| hops.set(graph, column, next));
    ((worth.0, busiest, sum), hops)
}

/// The outputs on the way from a switch by these next hops.
fn way<'a>(
    graph: &'a SwitchGraph,
    next: &'a [Option<usize>],
    from: SwitchId,
) -> impl Iterator<Item = usize> + 'a {
    std::iter::successors(next[from.index()], move |by| next[graph.outputs()[*by].to.index()])
}

/// Whether a switch may have another next hop: one behind which there is a way, by turns that are allowed from all
/// switches whose next hop is this one.
fn may_take(
    graph: &SwitchGraph,
    set: &TurnSet,
    next: &[Option<usize>],
    (at, other, to): (SwitchId, usize, SwitchId),
) -> bool {
    let far = graph.outputs()[other].to;
    let goes_on = match next[far.index()] {
        Some(after) => set.turns.allows(graph, other, after),
        None => far == to,
    };
    let arriving = graph.of(at).iter().map(|output| (output.reverse as usize, output.to));
    goes_on
        && arriving
            .filter(|(by, from)| next[from.index()] == Some(*by))
            .all(|(by, _)| set.turns.allows(graph, by, other))
}

/// What it takes to grow one column after the other.
struct Growing<'a> {
    graph: &'a SwitchGraph,
    set: &'a TurnSet,
    sends: &'a [u32],
    tree: Tree,
    forced: Vec<Option<usize>>,
    toward: Toward,
}

impl<'a> Growing<'a> {
    fn new(graph: &'a SwitchGraph, set: &'a TurnSet, sends: &'a [u32]) -> Growing<'a> {
        let forced = vec![None; graph.switches()];
        Growing { graph, set, sends, tree: Tree::new(graph), forced, toward: Toward::new(graph) }
    }

    /// Grows the tree towards a switch, and says how many of the switches that send it leaves out.
    fn grow(&mut self, to: SwitchId, weight: &[u64]) -> usize {
        self.forced.fill(None);
        self.grow_forced(to, weight);
        let lost = self.tree.lost(to, self.sends);
        if lost == 0 {
            return 0;
        }
        if !self.force_paths(to, weight) {
            self.force_spare(to, weight);
        }
        self.tree.lost(to, self.sends)
    }

    fn grow_forced(&mut self, to: SwitchId, weight: &[u64]) {
        let (graph, turns) = (self.graph, &self.set.turns);
        self.tree.grow(graph, to, weight, &self.forced, |by, next| turns.allows(graph, by, next));
    }

    /// Forces the next hops along a path of allowed turns from each switch left out that has one; `false` if two of
    /// them disagree.
    fn force_paths(&mut self, to: SwitchId, weight: &[u64]) -> bool {
        let moves = LegalMoves::turns(self.graph, &self.set.turns);
        self.toward.search(&moves, to);
        loop {
            let left_out = |from: &SwitchId| {
                let is_lost = self.sends[from.index()] > 0 && self.tree.next[from.index()].is_none();
                is_lost && *from != to && self.toward.distance(State::start(*from)).is_some()
            };
            let Some(from) = self.graph.switch_ids().find(left_out) else { return true };
            let mut state = State::start(from);
            while let Some((output, next)) = self.toward.steps(&moves, state).next() {
                let forced = &mut self.forced[state.switch().index()];
                if forced.replace(output).is_some_and(|before| before != output) {
                    return false;
                }
                state = next;
            }
            self.grow_forced(to, weight);
            if self.tree.next[from.index()].is_none() {
                return false;
            }
        }
    }

    /// Forces the next hops over spare channels of all switches that have such.
    fn force_spare(&mut self, to: SwitchId, weight: &[u64]) {
        self.forced.fill(None);
        let spare = |by: &usize| self.set.spare.get(*by).is_some_and(|spare| *spare);
        // No turn is asked for before the first channel: it is looked at by its weight.
        let only: Vec<u64> =
            (0..weight.len()).map(|by| if spare(&by) { weight[by] } else { u64::MAX }).collect();
        self.tree.grow(self.graph, to, &only, &self.forced, |by, _| spare(&by));
        self.forced.clone_from(&self.tree.next);
        self.grow_forced(to, weight);
    }
}
