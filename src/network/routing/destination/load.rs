//! The load of every channel while columns are put in and taken out, and what it makes a channel cost.

use crate::routing::graph::SwitchGraph;

use super::next_hops::NextHops;
use super::tree::Tree;

/// What a channel without load costs.
const HOP: u64 = 1_000;

/// What the load adds to the cost of the busiest channel: detours of so many hops are worth it.
const FULL: u64 = 3 * HOP;

/// Loads by position of the output, in routes.
pub(super) struct Load {
    over: Vec<u64>,
    weight: Vec<u64>,
    /// What a channel without load costs.
    hop: u64,
    /// Per column the outputs of its tree, with the routes over each.
    flows: Vec<Vec<(u32, u32)>>,
}

impl Load {
    pub(super) fn new(graph: &SwitchGraph, columns: usize) -> Load {
        let outputs = graph.outputs().len();
        Load {
            over: vec![0; outputs],
            weight: vec![HOP; outputs],
            hop: HOP,
            flows: vec![Vec::new(); columns],
        }
    }

    /// The same, with hops that cost so much that no load is worth one more of them.
    pub(super) fn without_detours(graph: &SwitchGraph, columns: usize) -> Load {
        let hop = HOP + FULL * graph.switches() as u64;
        Load { hop, weight: vec![hop; graph.outputs().len()], ..Load::new(graph, columns) }
    }

    /// Takes a column out.
    pub(super) fn remove(&mut self, column: usize) {
        for (output, traffic) in std::mem::take(&mut self.flows[column]) {
            self.over[output as usize] -= u64::from(traffic);
        }
    }

    /// Puts a column in, of which each switch sends so much.
    pub(super) fn add(&mut self, graph: &SwitchGraph, column: usize, tree: &mut Tree, sends: &[u32]) {
        let (over, flows) = (&mut self.over, &mut self.flows[column]);
        tree.flows(graph, sends, |output, traffic| {
            over[output] += traffic;
            let narrow = |number: u64| u32::try_from(number).expect("fewer than 2^32 hosts");
            flows.push((narrow(output as u64), narrow(traffic)));
        });
    }

    /// What every channel costs now: a hop, and more the nearer its load is to the busiest one's. The steep rise
    /// makes the sum over all channels behave as their maximum.
    pub(super) fn weights(&mut self) -> &[u64] {
        let peak = self.busiest().max(1);
        for (weight, over) in self.weight.iter_mut().zip(&self.over) {
            let mut share = HOP * over / peak;
            for _ in 0..3 {
                share = share * share / HOP;
            }
            *weight = self.hop + share * FULL / HOP;
        }
        &self.weight
    }

    /// The load of a channel.
    pub(super) fn over(&self, output: usize) -> u64 {
        self.over[output]
    }

    /// The load of the busiest channel.
    pub(super) fn busiest(&self) -> u64 {
        self.over.iter().copied().max().unwrap_or(0)
    }

    /// The sum of all loads, which is that of all distances.
    pub(super) fn sum(&self) -> u64 {
        self.over.iter().sum()
    }
}

/// How often all columns are made anew at most to spread their loads: as often as a number of steps allows.
pub(super) fn sweeps(graph: &SwitchGraph, columns: usize) -> usize {
    const STEPS: usize = 400_000_000;
    (STEPS / (columns * graph.outputs().len()).max(1)).clamp(1, 24)
}

/// Makes all columns anew, `most` times, one at least, or until so many sweeps in a row made nothing better, and keeps
/// the best. `sweep` makes them and says how good they are, the lower the better.
pub(super) fn best_of_sweeps<W: PartialOrd>(
    most: usize,
    hops: &NextHops,
    mut sweep: impl FnMut(&mut NextHops) -> W,
) -> (W, NextHops) {
    const VAIN: usize = 4;
    let mut hops = hops.clone();
    let mut best = (sweep(&mut hops), hops.clone());
    let mut vain = 0;
    for _ in 1..most {
        let worth = sweep(&mut hops);
        vain += 1;
        if worth < best.0 {
            best = (worth, hops.clone());
            vain = 0;
        }
        if vain == VAIN {
            break;
        }
    }
    best
}
