//! Fig. 4's algorithm with its matrices, step by step, as printed; the simulator's own keeps no matrices.

use simnet_network::discovery::{Hops, SwitchTree};

/// One round of the loop.
#[derive(Clone, Debug)]
pub(super) struct Round {
    /// Lines 5: the greatest distance left.
    pub(super) largest: u32,
    /// Line 10: the node n; none in the last round. Machines are numbered from 0, switches after them.
    pub(super) node: Option<usize>,
    /// Lines 11 and 12: the nodes of A, n among them.
    pub(super) joined: Vec<usize>,
    /// The number of the new switch, which is their parent.
    pub(super) switch: usize,
    /// The nodes that are left before the round.
    pub(super) nodes: Vec<usize>,
}

/// The rounds for hop counts of a tree.
pub(super) fn rounds(hops: &Hops) -> Vec<Round> {
    let machines = hops.machines();
    let mut work: Vec<Vec<u32>> = (0..machines).map(|machine| hops.row(machine).to_vec()).collect();
    let mut nodes: Vec<usize> = (0..machines).collect();
    let mut rounds = Vec::new();
    for switch in machines.. {
        let largest = work.iter().flatten().copied().max().unwrap_or(0);
        if largest <= 1 {
            rounds.push(Round { largest, node: None, joined: nodes.clone(), switch, nodes });
            break;
        }
        let n = work.iter().position(|row| row.contains(&largest)).expect("the greatest is in some row");
        let (joined, stays): (Vec<usize>, Vec<usize>) =
            (0..nodes.len()).partition(|other| work[n][*other] <= 1);
        let label = |list: &[usize]| -> Vec<usize> { list.iter().map(|at| nodes[*at]).collect() };
        rounds.push(Round {
            largest,
            node: Some(nodes[n]),
            joined: label(&joined),
            switch,
            nodes: nodes.clone(),
        });
        let nearer: Vec<u32> = stays.iter().map(|other| work[n][*other] - 1).collect();
        let mut rest: Vec<Vec<u32>> =
            stays.iter().map(|a| stays.iter().map(|b| work[*a][*b]).collect()).collect();
        for (row, nearer) in rest.iter_mut().zip(&nearer) {
            row.push(*nearer);
        }
        rest.push(nearer.into_iter().chain([0]).collect());
        nodes = label(&stays).into_iter().chain([switch]).collect();
        work = rest;
    }
    rounds
}

/// The tree that the rounds come to.
pub(super) fn found(machines: usize, rounds: &[Round]) -> SwitchTree {
    let number = |switch: usize| u32::try_from(switch - machines).unwrap_or(u32::MAX);
    let mut tree = SwitchTree { homes: vec![0; machines], switches: 0, links: Vec::new() };
    for round in rounds {
        tree.switches += 1;
        for node in &round.joined {
            match tree.homes.get_mut(*node) {
                Some(home) => *home = number(round.switch),
                None => tree.links.push((number(*node), number(round.switch))),
            }
        }
    }
    tree
}

/// The name of a node: `n2` for a machine, `s0` for the first switch found.
pub(super) fn name(machines: usize, node: usize) -> String {
    if node < machines { format!("n{node}") } else { format!("s{}", node - machines) }
}

/// The names of some nodes with commas between.
pub(super) fn names(machines: usize, nodes: &[usize]) -> String {
    nodes.iter().map(|node| name(machines, *node)).collect::<Vec<_>>().join(", ")
}
