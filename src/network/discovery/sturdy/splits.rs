//! The trees in which one switch is two: the cut of its machines and branches that the times bear out best.
//!
//! What separates two of them is one switch more between all of their machines, and what that leaves less of the times
//! is the weight of an edge: the best tree is a greatest cut. It is looked for from each machine and branch alone on
//! its side, by moving one at a time, the best first, for as long as the cut grows. So it need not be the greatest.

use std::collections::BTreeSet;

use super::lattice::{Line, tamed};
use super::times::Times;
use crate::discovery::SwitchTree;

/// The trees that have two switches in place of one, a tree for each that `times` of machines part under `line`.
///
/// Takes O(machines³) time for each switch.
pub(super) fn splits(times: &Times, line: Line, tree: &SwitchTree) -> Vec<SwitchTree> {
    let hops = tree.hops();
    let gain = |a: usize, b: usize| {
        let left = times.get(a, b) - line.at(hops.between(a, b));
        tamed(left / times.noise) - tamed((left - line.step) / times.noise)
    };
    (0..tree.switches).filter_map(|switch| split(gain, tree, switch)).collect()
}

/// What is on one port of the switch: a machine, or what is behind a cable to another switch.
struct Part {
    machines: Vec<usize>,
    /// The cable's place among the links.
    link: Option<usize>,
}

fn split(gain: impl Fn(usize, usize) -> f64, tree: &SwitchTree, switch: u32) -> Option<SwitchTree> {
    let parts = parts(tree, switch);
    let gains = gains(gain, &parts);
    let cuts = (0..parts.len()).map(|alone| cut(&gains, alone));
    let (gained, far) = cuts.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    // One part alone behind a new switch is one of the other trees that are looked at.
    let sides = far.iter().filter(|is_far| **is_far).count();
    if gained <= 0.0 || sides < 2 || parts.len() - sides < 2 {
        return None;
    }
    let mut other = tree.clone();
    other.switches += 1;
    for part in parts.iter().zip(&far).filter(|(_, is_far)| **is_far).map(|(part, _)| part) {
        match part.link {
            None => part.machines.iter().for_each(|machine| other.homes[*machine] = tree.switches),
            Some(link) => {
                let (a, b) = tree.links[link];
                other.links[link] = (if a == switch { b } else { a }, tree.switches);
            }
        }
    }
    other.links.push((switch, tree.switches));
    Some(other)
}

/// The parts of the tree round a switch.
fn parts(tree: &SwitchTree, switch: u32) -> Vec<Part> {
    let on = |switch: u32| (0..tree.homes.len()).filter(move |machine| tree.homes[*machine] == switch);
    let mut parts: Vec<Part> =
        on(switch).map(|machine| Part { machines: vec![machine], link: None }).collect();
    let near = tree.neighbours();
    for (link, (a, b)) in tree.links.iter().enumerate().filter(|(_, (a, b))| *a == switch || *b == switch) {
        let first = if *a == switch { *b } else { *a };
        let (mut open, mut behind) = (vec![first], BTreeSet::from([switch, first]));
        let mut machines = Vec::new();
        while let Some(at) = open.pop() {
            machines.extend(on(at));
            open.extend(near[at as usize].iter().copied().filter(|next| behind.insert(*next)));
        }
        parts.push(Part { machines, link: Some(link) });
    }
    parts
}

/// By two parts, how much less of the times is left with one switch more between them, in squares of the noise; `gain`
/// is that of two machines.
fn gains(gain: impl Fn(usize, usize) -> f64, parts: &[Part]) -> Vec<Vec<f64>> {
    let mut gains = vec![vec![0.0; parts.len()]; parts.len()];
    for x in 0..parts.len() {
        for y in x + 1..parts.len() {
            let pairs =
                parts[x].machines.iter().flat_map(|a| parts[y].machines.iter().map(move |b| (*a, *b)));
            gains[x][y] = pairs.map(|(a, b)| gain(a, b)).sum();
            gains[y][x] = gains[x][y];
        }
    }
    gains
}

/// The cut that is reached from one part alone, and what it gains; by part, whether it is on the far side.
fn cut(gains: &[Vec<f64>], alone: usize) -> (f64, Vec<bool>) {
    let mut far: Vec<bool> = (0..gains.len()).map(|part| part == alone).collect();
    // What the cut gains by the part's going to the other side.
    let mut more: Vec<f64> = (0..gains.len())
        .map(|part| {
            (0..gains.len())
                .map(|to| if far[part] == far[to] { gains[part][to] } else { -gains[part][to] })
                .sum()
        })
        .collect();
    let mut gained: f64 = gains[alone].iter().sum();
    // Each move gains, so that none comes back for ever; sums of floats are bounded all the same.
    for _ in 0..4 * gains.len() {
        let Some(moves) = (0..gains.len()).max_by(|x, y| more[*x].total_cmp(&more[*y])) else { break };
        if more[moves] <= 0.0 {
            break;
        }
        gained += more[moves];
        far[moves] = !far[moves];
        more[moves] = -more[moves];
        for other in (0..gains.len()).filter(|other| *other != moves) {
            let gain = 2.0 * gains[moves][other];
            more[other] += if far[moves] == far[other] { gain } else { -gain };
        }
    }
    (gained, far)
}
