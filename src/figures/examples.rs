//! Examples and checks that several figures share: small clusters, random trees, arrays of subtrees.

use simnet_base::ids::{HostId, SwitchId};
use simnet_network::ring::{Kind, Tree, judge};
use simnet_network::topology::{End, Network, generate};
use simnet_output::report::sketch::{BLUE, BROWN, GREEN, RED};

/// A cluster of switches called by these names, with so many machines each, and these cables between them in the
/// order of their ports. Machines are called `m0` on, switch by switch.
pub(super) fn cluster(switches: &[(&str, u16)], cables: &[(u16, u16)]) -> Network {
    let mut network = Network::new("example");
    let mut free = vec![0; switches.len()];
    for (name, _) in switches {
        network.add_switch(*name, 24).expect("an example's names are distinct");
    }
    let mut port = |switch: u16| {
        let port = &mut free[usize::from(switch)];
        *port += 1;
        End::switch(SwitchId::new(usize::from(switch)), *port - 1)
    };
    let homes = (0..).zip(switches).flat_map(|(switch, (_, count))| (0..*count).map(move |_| switch));
    for (number, home) in homes.enumerate() {
        let host = network.add_host(format!("m{number}")).expect("numbers are distinct");
        network.connect(End::host(host, 0), port(home)).expect("an example has ports enough");
    }
    for (a, b) in cables {
        network.connect(port(*a), port(*b)).expect("an example has ports enough");
    }
    network
}

/// The depth-first tree of an example from its first switch.
pub(super) fn tree(network: &Network) -> Tree {
    Tree::new(network, Kind::Dfs, SwitchId(0), 0).expect("an example's machines are connected")
}

/// The tree of an example without loops from a switch that leaves it low: its centre, or the first of two.
pub(super) fn low_tree(network: &Network) -> Tree {
    let trees = network.switch_ids().filter_map(|root| Tree::bfs(network, root).ok());
    let height = |tree: &Tree| tree.switches.iter().map(|switch| depth(tree, *switch)).max();
    trees.min_by_key(height).expect("an example has a switch")
}

/// How many switches are above one.
pub(super) fn depth(tree: &Tree, mut switch: SwitchId) -> usize {
    let mut depth = 0;
    while let Some((_, above)) = tree.parents[switch.index()] {
        (switch, depth) = (above, depth + 1);
    }
    depth
}

/// So many random trees of `machines` machines on 2 to 25 switches, walked depth first.
pub(super) fn random_trees(count: u64, machines: u64) -> impl Iterator<Item = Tree> {
    (0..count).filter_map(move |seed| {
        let size = [("switches", 2 + seed % 24), ("machines", machines)];
        let network = generate::build("random-tree", &size, seed).ok()?;
        Tree::new(&network, Kind::Dfs, Tree::first_root(&network).ok()?, 0).ok()
    })
}

/// By switch, whether each machine is in the subtree of that switch.
pub(super) fn subtree(tree: &Tree, root: SwitchId) -> Vec<bool> {
    tree.homes.iter().map(|home| is_below(tree, root, *home)).collect()
}

/// Whether a switch of a tree is in the subtree of `root`.
fn is_below(tree: &Tree, root: SwitchId, switch: SwitchId) -> bool {
    let mut at = switch;
    loop {
        match (at == root, tree.parents[at.index()]) {
            (true, _) => return true,
            (false, Some((_, above))) => at = above,
            (false, None) => return false,
        }
    }
}

/// The machines of a subtree in the order in which a ring visits them, where that is all in a row; the row may go
/// over the end of the ring's list.
pub(super) fn array(ring: &[HostId], within: &[bool]) -> Option<Vec<HostId>> {
    let is_in = |nth: usize| within[ring[nth % ring.len()].index()];
    let count = ring.iter().filter(|host| within[host.index()]).count();
    let enters = |nth: &usize| is_in(*nth) && !is_in(nth + ring.len() - 1);
    let start = if count == ring.len() { 0 } else { (0..ring.len()).find(enters)? };
    let row: Vec<HostId> = (start..start + count).map(|nth| ring[nth % ring.len()]).collect();
    row.iter().all(|host| within[host.index()]).then_some(row)
}

/// The longest path of a message within an array.
pub(super) fn longest_within(tree: &Tree, array: &[HostId]) -> usize {
    let lengths = judge(tree, array).lengths;
    lengths.iter().take(array.len().saturating_sub(1)).copied().max().unwrap_or(0)
}

/// The colour in which a message is drawn that passes so many switches.
pub(super) fn colour(length: usize) -> &'static str {
    [BLUE, GREEN, BROWN, RED][length.clamp(1, 4) - 1]
}

/// What the colours of messages stand for.
pub(super) const COLOUR_NOTE: &str = "messages: blue passes 1 switch, green 2, ochre 3, red 4 or more; \
 each direction of a cable has a lane of its own";
