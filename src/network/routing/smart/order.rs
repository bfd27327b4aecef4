//! A topological order of channels that is kept while turns are added.

use crate::routing::graph::SwitchGraph;

use super::AllowedTurns;

/// An acyclic set of turns with an order of channels in which every turn leads onward.
///
/// # Source
/// Pearce and Kelly 2006, *A dynamic topological sort algorithm for directed acyclic graphs*: a turn that leads
/// backward is tried by a search between the places of its two channels only.
pub(in crate::routing) struct Ordered<'a> {
    graph: &'a SwitchGraph,
    turns: AllowedTurns,
    /// Per channel its place.
    place: Vec<u32>,
    seen: Vec<bool>,
}

impl<'a> Ordered<'a> {
    /// The set `turns`, which must be acyclic. Costs O(turns).
    ///
    /// # Panics
    /// If it is not.
    pub(in crate::routing) fn new(graph: &'a SwitchGraph, turns: AllowedTurns) -> Ordered<'a> {
        let channels = graph.outputs().len();
        let mut before = vec![0u32; channels];
        for by in 0..channels {
            for next in turns.after(graph, by) {
                before[next] += 1;
            }
        }
        let mut open: Vec<usize> = (0..channels).filter(|channel| before[*channel] == 0).collect();
        let mut place = vec![0; channels];
        let mut placed = 0;
        while let Some(channel) = open.pop() {
            place[channel] = placed;
            placed += 1;
            for next in turns.after(graph, channel) {
                before[next] -= 1;
                if before[next] == 0 {
                    open.push(next);
                }
            }
        }
        assert_eq!(placed as usize, channels, "the turns to begin with are acyclic");
        Ordered { graph, turns, place, seen: vec![false; channels] }
    }

    /// Allows a turn unless that would close a cycle, and says whether it did.
    pub(in crate::routing) fn add(&mut self, by: usize, next: usize) -> bool {
        let (low, high) = (self.place[next], self.place[by]);
        if low < high {
            let Some(ahead) = self.ahead(next, by, high) else { return false };
            let behind = self.behind(by, low);
            self.reorder(behind, ahead);
        }
        self.turns.set(self.graph, by, next, true);
        true
    }

    /// Forbids a turn again: the order of the others stays one.
    pub(in crate::routing) fn remove(&mut self, by: usize, next: usize) {
        self.turns.set(self.graph, by, next, false);
    }

    /// The set as it now is.
    pub(in crate::routing) fn turns(&self) -> &AllowedTurns {
        &self.turns
    }

    /// The channels reached from `from` within the places up to `high`; `None` if `target` is among them.
    fn ahead(&mut self, from: usize, target: usize, high: u32) -> Option<Vec<usize>> {
        let (graph, turns, place, seen) = (self.graph, &self.turns, &self.place, &mut self.seen);
        let mut found = vec![from];
        seen[from] = true;
        let mut next = 0;
        while let Some(&channel) = found.get(next) {
            next += 1;
            for after in turns.after(graph, channel) {
                if place[after] <= high && !std::mem::replace(&mut seen[after], true) {
                    found.push(after);
                }
            }
        }
        let closes = seen[target];
        found.iter().for_each(|channel| seen[*channel] = false);
        (!closes).then_some(found)
    }

    /// The channels from which `from` is reached within the places down to `low`.
    fn behind(&mut self, from: usize, low: u32) -> Vec<usize> {
        let (graph, turns, place, seen) = (self.graph, &self.turns, &self.place, &mut self.seen);
        let mut found = vec![from];
        seen[from] = true;
        let mut next = 0;
        while let Some(&channel) = found.get(next) {
            next += 1;
            for before in turns.before(graph, channel) {
                if place[before] >= low && !std::mem::replace(&mut seen[before], true) {
                    found.push(before);
                }
            }
        }
        found.iter().for_each(|channel| seen[*channel] = false);
        found
    }

    /// Puts all channels of `behind` before all of `ahead`, on the places that they have together.
    fn reorder(&mut self, mut behind: Vec<usize>, mut ahead: Vec<usize>) {
        behind.sort_unstable_by_key(|channel| self.place[*channel]);
        ahead.sort_unstable_by_key(|channel| self.place[*channel]);
        behind.append(&mut ahead);
        let mut places: Vec<u32> = behind.iter().map(|channel| self.place[*channel]).collect();
        places.sort_unstable();
        for (channel, place) in behind.into_iter().zip(places) {
            self.place[channel] = place;
        }
    }

    /// The channels in order.
    pub(in crate::routing) fn into_order(self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.place.len()).collect();
        order.sort_unstable_by_key(|channel| self.place[*channel]);
        order
    }

    /// The set alone.
    pub(in crate::routing) fn into_turns(self) -> AllowedTurns {
        self.turns
    }
}
