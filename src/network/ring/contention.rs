//! What a ring of machines does to the channels of its tree: the proof that it is free of contention, or not.
//!
//! ```text
//!   message u -> v:   u --up--> ... --up--> meeting switch --down--> ... --down--> v
//!   counts per switch s: how many messages use (s, parent), how many (parent, s)
//! ```
//! A message adds one at the switch where its climb begins and takes one away where it meets; the sum over the
//! switches below s is the use of the channel above s. So a ring of P machines on S switches costs
//! O(P log S + S), whatever its order.
//!
//! # Scope and limitations
//! Messages follow the tree. On a network with other routes, contention is to be judged on those.
//!
//! # Source
//! faraj2008, section 3: a pattern is free of contention if no two of its messages share a directed channel;
//! the length of a path is the number of switches on it.
//!
//! # Validation
//! `tests/network/oracle/ring.rs` compares with a walk of every message over every channel.

use simnet_base::ids::{HostId, SwitchId};

use super::Tree;

/// What a ring does to the channels of its tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether no channel carries two messages of the ring.
    pub contention_free: bool,
    /// The switches on the path from each machine of the order to the next.
    pub lengths: Vec<usize>,
    /// The most switches on the path of a message.
    pub max_path_length: usize,
    /// The switches on the paths of all messages; P + 2 (S - 1) for a ring that is free of contention.
    pub total_path_length: usize,
    /// The messages over the busiest channel.
    pub max_channel_load: usize,
    /// Per switch of the network, the messages over the channel from it towards the root, and over the one back.
    pub loads: Vec<(usize, usize)>,
}

/// Follows the message of every machine of `order` to the one after it, the last one's to the first.
///
/// A machine that is listed twice sends twice on its own cable, and that is contention.
///
/// # Panics
/// If a machine is not in the tree's network.
pub fn judge(tree: &Tree, order: &[HostId]) -> Verdict {
    let paths = Paths::new(tree);
    // Gains and losses are kept apart, so that counts need no sign.
    let mut up = vec![(0_usize, 0_usize); tree.parents.len()];
    let mut down = up.clone();
    let mut lengths = Vec::with_capacity(order.len());
    let mut sent = vec![0_usize; tree.homes.len()];
    for (nth, from) in order.iter().enumerate() {
        let to = order[(nth + 1) % order.len()];
        sent[from.index()] += 1;
        let (a, b) = (tree.homes[from.index()], tree.homes[to.index()]);
        let meeting = paths.meeting(tree, a, b);
        up[a.index()].0 += 1;
        up[meeting.index()].1 += 1;
        down[b.index()].0 += 1;
        down[meeting.index()].1 += 1;
        let depth = |switch: SwitchId| paths.depths[switch.index()];
        lengths.push(depth(a) + depth(b) + 1 - 2 * depth(meeting));
    }
    let mut loads = vec![(0, 0); tree.parents.len()];
    for switch in tree.switches.iter().rev() {
        let at = switch.index();
        let load = (up[at].0 - up[at].1, down[at].0 - down[at].1);
        if let Some((_, parent)) = tree.parents[at] {
            loads[at] = load;
            up[parent.index()].0 += load.0;
            down[parent.index()].0 += load.1;
        }
    }
    let between = loads.iter().map(|(up, down)| *up.max(down)).max().unwrap_or(0);
    let max_channel_load = sent.into_iter().max().unwrap_or(0).max(between);
    Verdict {
        contention_free: max_channel_load <= 1,
        max_path_length: lengths.iter().copied().max().unwrap_or(0),
        total_path_length: lengths.iter().sum(),
        lengths,
        max_channel_load,
        loads,
    }
}

/// Where paths meet: every switch knows the top of the heavy path that it is on.
struct Paths {
    depths: Vec<usize>,
    tops: Vec<SwitchId>,
}

impl Paths {
    fn new(tree: &Tree) -> Paths {
        let count = tree.parents.len();
        let mut sizes = vec![1_usize; count];
        for switch in tree.switches.iter().rev() {
            if let Some((_, parent)) = tree.parents[switch.index()] {
                sizes[parent.index()] += sizes[switch.index()];
            }
        }
        let mut paths = Paths { depths: vec![0; count], tops: (0..count).map(SwitchId::new).collect() };
        for switch in &tree.switches {
            let children = &tree.children[switch.index()];
            let heavy = children.iter().copied().max_by_key(|child| sizes[child.index()]);
            for child in children {
                paths.depths[child.index()] = paths.depths[switch.index()] + 1;
            }
            if let Some(heavy) = heavy {
                paths.tops[heavy.index()] = paths.tops[switch.index()];
            }
        }
        paths
    }

    /// The switch where the climb from `a` meets the way down to `b`. Costs O(log switches).
    fn meeting(&self, tree: &Tree, mut a: SwitchId, mut b: SwitchId) -> SwitchId {
        let top = |switch: SwitchId| self.tops[switch.index()];
        while top(a) != top(b) {
            let lower =
                if self.depths[top(a).index()] >= self.depths[top(b).index()] { &mut a } else { &mut b };
            *lower = tree.parents[top(*lower).index()].expect("two tops differ, so one is below the root").1;
        }
        if self.depths[a.index()] <= self.depths[b.index()] { a } else { b }
    }
}
