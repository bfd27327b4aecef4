//! Breaking every cycle of a set of turns where that costs least.

use crate::routing::graph::SwitchGraph;

use super::AllowedTurns;

/// A depth-first search for cycles that breaks each one it meets and goes on from there.
///
/// A channel that is done can never be part of a cycle again, since turns are only taken away.
pub(in crate::routing) struct Breaker<'a> {
    graph: &'a SwitchGraph,
    /// The channels from the start of the search to where it stands, each with its untried successors.
    path: Vec<(usize, Vec<usize>)>,
    /// Per channel whether it is on the path.
    on_path: Vec<bool>,
    done: Vec<bool>,
    /// The channel at which the next search begins.
    begin: usize,
}

impl<'a> Breaker<'a> {
    pub(in crate::routing) fn new(graph: &'a SwitchGraph) -> Breaker<'a> {
        let channels = graph.outputs().len();
        Breaker {
            graph,
            path: Vec::new(),
            on_path: vec![false; channels],
            done: vec![false; channels],
            begin: 0,
        }
    }

    /// Finds the next cycle and takes the turn out of it whose `cost` is least, the first of equals;
    /// `None` if there is no cycle any more. `cost` is `None` for a turn that must stay; no cycle has only such.
    pub(in crate::routing) fn break_one(
        &mut self,
        turns: &mut AllowedTurns,
        cost: impl Fn(usize, usize) -> Option<u64>,
    ) -> Option<(usize, usize)> {
        loop {
            let Some((channel, untried)) = self.path.last_mut() else {
                let start = (self.begin..self.done.len()).find(|channel| !self.done[*channel])?;
                self.begin = start;
                self.enter(turns, start);
                continue;
            };
            let channel = *channel;
            match untried.pop() {
                None => {
                    self.done[channel] = true;
                    self.on_path[channel] = false;
                    self.path.pop();
                }
                Some(next) if self.on_path[next] => {
                    return Some(self.cut(turns, next, cost));
                }
                Some(next) if self.done[next] => {}
                Some(next) => self.enter(turns, next),
            }
        }
    }

    fn enter(&mut self, turns: &AllowedTurns, channel: usize) {
        let mut untried: Vec<usize> = turns.after(self.graph, channel).collect();
        untried.reverse();
        self.path.push((channel, untried));
        self.on_path[channel] = true;
    }

    /// Breaks the cycle from `start` along the path back to `start`, and goes back to before the break.
    fn cut(
        &mut self,
        turns: &mut AllowedTurns,
        start: usize,
        cost: impl Fn(usize, usize) -> Option<u64>,
    ) -> (usize, usize) {
        let first = self.path.iter().position(|(channel, _)| *channel == start).expect("it is on the path");
        let cycle: Vec<usize> = self.path[first..].iter().map(|(channel, _)| *channel).collect();
        let following = cycle.iter().skip(1).chain([&start]);
        let costly = cycle.iter().zip(following).enumerate();
        let cheapest =
            costly.filter_map(|(nth, (by, next))| Some((cost(*by, *next)?, nth, *by, *next))).min();
        let (_, nth, by, next) = cheapest.expect("no cycle consists of turns that must stay");
        turns.set(self.graph, by, next, false);
        for (channel, _) in self.path.drain(first + nth + 1..) {
            self.on_path[channel] = false;
        }
        (by, next)
    }
}
