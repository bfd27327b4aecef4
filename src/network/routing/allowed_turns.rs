//! Which turns from one switch-to-switch channel into the next are allowed.

use super::directions::Directions;
use super::graph::SwitchGraph;

/// A set of turns of a graph: pairs of a channel and one that leaves the switch at its end.
///
/// Channels are named by their positions in [`SwitchGraph::outputs`]. Going back over the cable by which a worm
/// came is never allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedTurns {
    /// Per channel where its turns begin, one per output of the switch at its end; and one entry more.
    first: Vec<u32>,
    allowed: Vec<bool>,
}

impl AllowedTurns {
    /// No turn at all. Costs O(turns).
    pub fn none(graph: &SwitchGraph) -> AllowedTurns {
        let mut first = Vec::with_capacity(graph.outputs().len() + 1);
        let mut turns = 0;
        for output in graph.outputs() {
            first.push(bounded(turns));
            turns += graph.range(output.to).len();
        }
        first.push(bounded(turns));
        AllowedTurns { first, allowed: vec![false; turns] }
    }

    /// Every turn but those back over the same cable.
    pub fn all(graph: &SwitchGraph) -> AllowedTurns {
        AllowedTurns::where_(graph, |_, _| true)
    }

    /// The turns that UP*/DOWN* allows, never up after down, and the exceptions.
    pub fn up_down(graph: &SwitchGraph, directions: &Directions) -> AllowedTurns {
        match directions.exceptions() {
            Some(exceptions) => exceptions.turns().clone(),
            None => AllowedTurns::plain(graph, directions),
        }
    }

    /// The same without exceptions.
    pub(super) fn plain(graph: &SwitchGraph, directions: &Directions) -> AllowedTurns {
        let up = |output: usize| directions.is_up(graph.sender(output), graph.outputs()[output].to);
        AllowedTurns::where_(graph, |by, next| up(by) || !up(next))
    }

    /// The turns for which `rule` holds, those back over the same cable left out.
    pub(super) fn where_(graph: &SwitchGraph, rule: impl Fn(usize, usize) -> bool) -> AllowedTurns {
        let mut turns = AllowedTurns::none(graph);
        for by in 0..graph.outputs().len() {
            for next in turns.possible(graph, by) {
                turns.set(graph, by, next, rule(by, next));
            }
        }
        turns
    }

    /// The channels that a worm on channel `by` could turn into if every turn were allowed.
    pub fn possible<'a>(&self, graph: &'a SwitchGraph, by: usize) -> impl Iterator<Item = usize> + use<'a> {
        let output = &graph.outputs()[by];
        let back = output.reverse as usize;
        graph.range(output.to).filter(move |next| *next != back)
    }

    /// The channels that a worm on channel `by` may turn into.
    pub(super) fn after<'a>(&'a self, graph: &'a SwitchGraph, by: usize) -> impl Iterator<Item = usize> + 'a {
        let start = graph.range(graph.outputs()[by].to).start;
        let row = &self.allowed[self.first[by] as usize..self.first[by + 1] as usize];
        row.iter().enumerate().filter(|(_, allowed)| **allowed).map(move |(slot, _)| start + slot)
    }

    /// Whether a worm on channel `by` may go on by `next`, which leaves the switch at its end.
    pub fn allows(&self, graph: &SwitchGraph, by: usize, next: usize) -> bool {
        self.allowed[self.position(graph, by, next)]
    }

    /// Whether a worm on channel `by` may go on by the output of this place among those of the switch at its end.
    pub(super) fn allows_slot(&self, by: usize, slot: usize) -> bool {
        self.allowed[self.first[by] as usize + slot]
    }

    /// Allows or forbids a turn that [`AllowedTurns::possible`] names.
    pub(super) fn set(&mut self, graph: &SwitchGraph, by: usize, next: usize, allowed: bool) {
        let position = self.position(graph, by, next);
        self.allowed[position] = allowed;
    }

    /// The position of a turn among all, those back over the same cable included.
    pub(super) fn position(&self, graph: &SwitchGraph, by: usize, next: usize) -> usize {
        self.first[by] as usize + next - graph.range(graph.outputs()[by].to).start
    }

    /// How many turns there are, allowed or not, those back over the same cable included.
    pub(super) fn positions(&self) -> usize {
        self.allowed.len()
    }

    /// How many turns are forbidden, those back over the same cable not counted.
    pub fn forbidden(&self) -> u64 {
        let back = self.first.len() - 1;
        (self.allowed.iter().filter(|allowed| !**allowed).count() - back) as u64
    }
}

fn bounded(count: usize) -> u32 {
    u32::try_from(count).expect("a network with 2^32 turns would not fit the memory")
}
