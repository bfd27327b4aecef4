//! Slow ways to the same answers: Fig. 4 with its matrices, all conditions on all machines, trees compared from all
//! sides, and random trees.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use simnet_network::discovery::{Hops, SwitchTree};

/// A random tree of switches, machine-less ones and switches of one machine among them, with a machine at every leaf.
pub(super) fn random_tree(seed: u64, most_switches: u32, most_machines: usize) -> SwitchTree {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let switches = rng.random_range(2..=most_switches);
    // From a chain, over random trees, to a star.
    let reach = match rng.random_range(0..4_u32) {
        0 => 1,
        1 => rng.random_range(1..=switches),
        _ => switches,
    };
    let star = rng.random_range(0..5_u32) == 0;
    let parent = |switch: u32, rng: &mut ChaCha8Rng| match star {
        true => 0,
        false => rng.random_range(switch.saturating_sub(reach)..switch),
    };
    let links: Vec<(u32, u32)> = (1..switches).map(|switch| (parent(switch, &mut rng), switch)).collect();
    let mut degree = vec![0; switches as usize];
    links.iter().for_each(|(a, b)| {
        degree[*a as usize] += 1;
        degree[*b as usize] += 1;
    });
    let mut homes: Vec<u32> = (0..switches).filter(|switch| degree[*switch as usize] == 1).collect();
    let least = homes.len().max(3);
    let machines = rng.random_range(least..=most_machines.max(least));
    // Few switches that have machines, or many.
    let inner = rng.random_range(1..=switches);
    while homes.len() < machines {
        let any = rng.random_range(0..inner);
        let leaf = homes[rng.random_range(0..homes.len())];
        homes.push(if rng.random() { any } else { leaf });
    }
    for at in (1..homes.len()).rev() {
        homes.swap(at, rng.random_range(0..=at));
    }
    SwitchTree { homes, switches, links }
}

/// Fig. 4 as it is printed, with WorkHC and NodeNum; machines must have a tree. Parents of machines, then of switches;
/// the last switch's is itself.
fn fig4(hops: &Hops) -> Vec<usize> {
    let n = hops.machines();
    let mut work: Vec<Vec<u32>> = (0..n).map(|a| hops.row(a).to_vec()).collect();
    let mut node_num: Vec<usize> = (0..n).collect();
    let mut parent: Vec<usize> = vec![usize::MAX; n];
    let mut new_switch = n;
    loop {
        let largest = work.iter().flatten().copied().max().unwrap();
        parent.push(new_switch);
        if largest <= 1 {
            for node in &node_num {
                parent[*node] = new_switch;
            }
            return parent;
        }
        let size = node_num.len();
        let end = (0..size).find(|node| work[*node].contains(&largest)).unwrap();
        let gone: Vec<bool> = (0..size).map(|i| i == end || work[end][i] == 1).collect();
        let stay: Vec<usize> = (0..size).filter(|i| !gone[*i]).collect();
        for i in (0..size).filter(|i| gone[*i]) {
            parent[node_num[i]] = new_switch;
        }
        let mut next: Vec<Vec<u32>> = stay
            .iter()
            .map(|a| stay.iter().map(|b| work[*a][*b]).chain([work[end][*a] - 1]).collect())
            .collect();
        next.push(stay.iter().map(|b| work[end][*b] - 1).chain([0]).collect());
        node_num = stay.iter().map(|i| node_num[*i]).chain([new_switch]).collect();
        work = next;
        new_switch += 1;
    }
}

/// The tree that Fig. 4 gives.
pub(super) fn literally(hops: &Hops) -> SwitchTree {
    let n = hops.machines();
    let parent = fig4(hops);
    let switch = |node: usize| u32::try_from(node - n).unwrap();
    let links = (n..parent.len()).filter(|node| parent[*node] != *node);
    SwitchTree {
        homes: parent[..n].iter().map(|node| switch(*node)).collect(),
        switches: switch(parent.len()),
        links: links.map(|node| (switch(node), switch(parent[node]))).collect(),
    }
}

/// How each cable parts the machines (those on the side without machine 0), with how many cables part them so: what
/// makes two trees the same but for the names of switches (Definition 1), as long as every leaf has a machine.
fn splits(tree: &SwitchTree) -> Vec<Vec<bool>> {
    let near = tree.neighbours();
    let mut splits = Vec::new();
    for (a, b) in &tree.links {
        let mut side = vec![false; near.len()];
        side[*b as usize] = true;
        let mut open = vec![*b];
        while let Some(at) = open.pop() {
            let next = near[at as usize].iter().copied().filter(|next| (at, *next) != (*b, *a));
            open.extend(next.filter(|next| !std::mem::replace(&mut side[*next as usize], true)));
        }
        let on = |home: u32| side[home as usize];
        splits.push(tree.homes.iter().map(|home| on(*home) != on(tree.homes[0])).collect());
    }
    splits.sort();
    splits
}

/// Whether two trees are the same but for the names and numbers of switches.
pub(super) fn same_tree(one: &SwitchTree, other: &SwitchTree) -> bool {
    one.switches == other.switches && one.homes.len() == other.homes.len() && splits(one) == splits(other)
}

/// Whether machines are at different switches just where `groups` differ.
pub(super) fn homes_matched(tree: &SwitchTree, groups: &[u32]) -> bool {
    let pairs = (0..groups.len()).flat_map(|a| (0..groups.len()).map(move |b| (a, b)));
    pairs.into_iter().all(|(a, b)| (groups[a] == groups[b]) == (tree.homes[a] == tree.homes[b]))
}

/// Whether a tree has these hop counts, by all conditions on all threes and fours of machines: hop counts less one are
/// distances between vertices of a tree whose edges all have length one.
pub(super) fn has_tree(hops: &Hops) -> bool {
    let n = hops.machines();
    let d = |a: usize, b: usize| if a == b { 0 } else { i64::from(hops.between(a, b)) - 1 };
    let all = || 0..n;
    let threes = all().flat_map(|a| all().flat_map(move |b| all().map(move |c| (a, b, c))));
    let metric = threes.into_iter().all(|(a, b, c)| {
        d(a, b) >= 0 && d(a, c) <= d(a, b) + d(b, c) && (d(a, b) + d(b, c) + d(a, c)) % 2 == 0
    });
    let four = |a, b, c, e| {
        let mut sums = [d(a, b) + d(c, e), d(a, c) + d(b, e), d(a, e) + d(b, c)];
        sums.sort_unstable();
        sums[1] == sums[2]
    };
    metric && all().all(|a| (0..a).all(|b| (0..b).all(|c| (0..c).all(|e| four(a, b, c, e)))))
}
