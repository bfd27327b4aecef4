//! Next hops towards one switch, found backwards from it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use simnet_base::ids::SwitchId;

use crate::routing::graph::SwitchGraph;

/// A tree of next hops towards one switch. Made to be grown again and again without allocating.
pub(super) struct Tree {
    /// Per switch the output that it takes, by its position.
    pub(super) next: Vec<Option<usize>>,
    /// The switches that reach it, nearest first.
    pub(super) order: Vec<SwitchId>,
    cost: Vec<u64>,
    heap: BinaryHeap<Reverse<(u64, SwitchId)>>,
    /// Per switch the traffic that leaves it, while flows are counted.
    leaving: Vec<u64>,
}

impl Tree {
    pub(super) fn new(graph: &SwitchGraph) -> Tree {
        let switches = graph.switches();
        Tree {
            next: vec![None; switches],
            order: Vec::new(),
            cost: vec![u64::MAX; switches],
            heap: BinaryHeap::new(),
            leaving: vec![0; switches],
        }
    }

    /// Grows the tree of cheapest next hops: a switch takes an output only if `allow(output, next)` lets it turn into
    /// the output that the next switch takes; `allow` is asked once all later outputs are settled, and only for an
    /// output that would be taken. A switch in `forced` takes no other output than the one there.
    ///
    /// A switch keeps one next hop, so that some that a path of allowed turns joins may be left out. Costs O(links x
    /// log switches).
    pub(super) fn grow(
        &mut self,
        graph: &SwitchGraph,
        to: SwitchId,
        weight: &[u64],
        forced: &[Option<usize>],
        mut allow: impl FnMut(usize, usize) -> bool,
    ) {
        self.next.fill(None);
        self.cost.fill(u64::MAX);
        self.order.clear();
        self.cost[to.index()] = 0;
        self.heap.push(Reverse((0, to)));
        while let Some(Reverse((cost, at))) = self.heap.pop() {
            if cost > self.cost[at.index()] {
                continue;
            }
            self.order.push(at);
            for output in graph.of(at) {
                let (by, from) = (output.reverse as usize, output.to.index());
                let longer = cost.saturating_add(weight[by]);
                let is_cheaper = longer < self.cost[from] && forced[from].is_none_or(|one| one == by);
                if is_cheaper && self.next[at.index()].is_none_or(|next| allow(by, next)) {
                    self.cost[from] = longer;
                    self.next[from] = Some(by);
                    self.heap.push(Reverse((longer, output.to)));
                }
            }
        }
    }

    /// Calls `visit(output, traffic)` for every output of the tree, if each switch sends so much.
    pub(super) fn flows(&mut self, graph: &SwitchGraph, sends: &[u32], mut visit: impl FnMut(usize, u64)) {
        for switch in &self.order {
            self.leaving[switch.index()] = u64::from(sends[switch.index()]);
        }
        // Farthest first, so that all that comes together at a switch is there before it goes on.
        for switch in self.order.iter().rev() {
            let traffic = self.leaving[switch.index()];
            if let Some(by) = self.next[switch.index()] {
                self.leaving[graph.outputs()[by].to.index()] += traffic;
                visit(by, traffic);
            }
        }
    }

    /// How many switches of those that send are left out.
    pub(super) fn lost(&self, to: SwitchId, sends: &[u32]) -> usize {
        let sending = sends.iter().enumerate().filter(|(_, count)| **count > 0);
        sending.filter(|(from, _)| *from != to.index() && self.next[*from].is_none()).count()
    }
}
