//! Slow and obvious: a walk of every message, all rings of a small tree, the paper's Algorithm 3.

use std::collections::BTreeMap;

use simnet_base::ids::{HostId, SwitchId};
use simnet_network::ring::{Tree, Verdict};

/// A directed channel: from one switch to another, or between a machine and its switch.
type Channel = (String, String);

/// The switches from `switch` to the root.
fn climb(tree: &Tree, switch: SwitchId) -> Vec<SwitchId> {
    let mut way = vec![switch];
    while let Some((_, above)) = tree.parents[way[way.len() - 1].index()] {
        way.push(above);
    }
    way
}

/// The switches on the path of a message.
fn path(tree: &Tree, from: HostId, to: HostId) -> Vec<SwitchId> {
    let (mut up, mut down) = (climb(tree, tree.homes[from.index()]), climb(tree, tree.homes[to.index()]));
    while up.len() > 1 && down.len() > 1 && up[up.len() - 2] == down[down.len() - 2] {
        up.pop();
        down.pop();
    }
    down.pop();
    down.reverse();
    up.extend(down);
    up
}

fn channels(tree: &Tree, from: HostId, to: HostId) -> Vec<Channel> {
    let mut nodes = vec![format!("{from:?}")];
    nodes.extend(path(tree, from, to).iter().map(|switch| format!("{switch:?}")));
    nodes.push(format!("{to:?}"));
    nodes.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect()
}

/// What a walk of every message over every channel finds.
pub(crate) fn walked(tree: &Tree, order: &[HostId]) -> Verdict {
    let mut loads: BTreeMap<Channel, usize> = BTreeMap::new();
    let mut lengths = Vec::new();
    for (nth, from) in order.iter().enumerate() {
        let to = order[(nth + 1) % order.len()];
        lengths.push(path(tree, *from, to).len());
        for channel in channels(tree, *from, to) {
            *loads.entry(channel).or_default() += 1;
        }
    }
    let load =
        |a: SwitchId, b: SwitchId| loads.get(&(format!("{a:?}"), format!("{b:?}"))).copied().unwrap_or(0);
    let of = |(switch, parent): (usize, &Option<_>)| match parent {
        Some((_, parent)) => (load(SwitchId::new(switch), *parent), load(*parent, SwitchId::new(switch))),
        None => (0, 0),
    };
    let most = loads.values().copied().max().unwrap_or(0);
    Verdict {
        contention_free: most <= 1,
        max_path_length: lengths.iter().copied().max().unwrap_or(0),
        total_path_length: lengths.iter().sum(),
        lengths,
        max_channel_load: most,
        loads: tree.parents.iter().enumerate().map(of).collect(),
    }
}

/// The shortest longest path of all contention-free rings: every order of the machines is tried.
pub(crate) fn best_ring(tree: &Tree) -> usize {
    let mut numbers: BTreeMap<Channel, u32> = BTreeMap::new();
    let hosts: Vec<HostId> = (0..tree.homes.len()).map(HostId::new).collect();
    let mut pair = |from: HostId, to: HostId| {
        let mut mask = 0_u128;
        for channel in channels(tree, from, to) {
            let next = u32::try_from(numbers.len()).unwrap();
            mask |= 1 << *numbers.entry(channel).or_insert(next);
        }
        (mask, path(tree, from, to).len())
    };
    let pairs: Vec<Vec<(u128, usize)>> =
        hosts.iter().map(|from| hosts.iter().map(|to| pair(*from, *to)).collect()).collect();
    let mut best = usize::MAX;
    extend(&pairs, 0, (1, 0, 0), &mut best);
    best
}

/// Lengthens an order that ends with machine `last`: the machines in it, the channels used, the longest path.
fn extend(
    pairs: &[Vec<(u128, usize)>],
    last: usize,
    (inside, used, longest): (u32, u128, usize),
    best: &mut usize,
) {
    if inside.count_ones() as usize == pairs.len() {
        let (mask, length) = pairs[last][0];
        if used & mask == 0 {
            *best = (*best).min(longest.max(length));
        }
        return;
    }
    for next in 1..pairs.len() {
        let (mask, length) = pairs[last][next];
        if inside & 1 << next == 0 && used & mask == 0 && longest.max(length) < *best {
            extend(pairs, next, (inside | 1 << next, used | mask, longest.max(length)), best);
        }
    }
}

/// The paper's table: the shortest longest path by the heights of an array's two ends.
type Table = BTreeMap<(usize, usize), usize>;

/// The paper's Algorithm 3, literally: every sequence of the subtrees of every switch. `None` where a switch
/// has more than `most` machines and subtrees.
pub(crate) fn paper_lr3(tree: &Tree, most: usize) -> Option<usize> {
    let mut tables: BTreeMap<SwitchId, Table> = BTreeMap::new();
    for switch in tree.switches.iter().rev() {
        let machine: Table = [((0, 0), 0)].into();
        let mut items = vec![machine; tree.machines[switch.index()].len()];
        items.extend(tree.children[switch.index()].iter().map(|child| tables[child].clone()));
        if items.len() > most {
            return None;
        }
        let mut table = Table::new();
        sequences(&items, &mut Vec::new(), None, &mut table);
        tables.insert(*switch, table);
    }
    // Heights count the root, so the path from the last machine to the first has i + j - 1 switches.
    tables[&tree.root].iter().map(|((i, j), length)| (*length).max(i + j - 1)).min()
}

fn sequences(items: &[Table], order: &mut Vec<usize>, so_far: Option<&Table>, table: &mut Table) {
    if order.len() == items.len() {
        for ((i, j), length) in so_far.unwrap() {
            lower(table, (i + 1, j + 1), *length);
        }
        return;
    }
    let mut tried: Vec<&Table> = Vec::new();
    for next in 0..items.len() {
        // Equal items make the same sequences.
        if order.contains(&next) || tried.contains(&&items[next]) {
            continue;
        }
        tried.push(&items[next]);
        let joined = so_far.map_or(items[next].clone(), |table| join(table, &items[next]));
        order.push(next);
        sequences(items, order, Some(&joined), table);
        order.pop();
    }
}

fn join(left: &Table, right: &Table) -> Table {
    let mut joined = Table::new();
    for ((i, k), a) in left {
        for ((l, j), b) in right {
            lower(&mut joined, (*i, *j), (*a).max(*b).max(k + l + 1));
        }
    }
    joined
}

fn lower(table: &mut Table, ends: (usize, usize), length: usize) {
    let entry = table.entry(ends).or_insert(length);
    *entry = (*entry).min(length);
}
