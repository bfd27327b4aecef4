//! Estimates what a root, or the turns of smart routing, cost to find, before the search.

use std::time::Duration;

use simnet_network::routing::{Algorithm, Attachments, Root, SwitchGraph};
use simnet_network::topology::Network;

/// Moves that a search makes in a second of processor time, roughly: measured at 160 million.
const MOVES_A_SECOND: u64 = 160_000_000;

/// The shortest time that is announced.
const LONG: Duration = Duration::from_secs(20);

/// The announcement before routes are computed with this algorithm; none if they take no long time.
pub(super) fn slow_choice_note(algorithm: &Algorithm, net: &Network) -> Option<String> {
    let (_, root) = algorithm.tree_and_root()?;
    let graph = SwitchGraph::new(net);
    let smart = match algorithm {
        Algorithm::Smart { .. } => estimate_of_smart(smart_turns(&graph, net)),
        _ => None,
    };
    let r2 = (*root.rule() == Root::R2).then(|| r2_note(&graph)).flatten();
    let notes: Vec<String> = r2.into_iter().chain(smart).collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

fn r2_note(graph: &SwitchGraph) -> Option<String> {
    let components = graph.components();
    let channels = |members: &[_]| members.iter().map(|s| graph.of(*s).len() as u64).sum::<u64>();
    let moves = components.iter().map(|members| {
        let switches = members.len() as u64;
        switches.saturating_mul(switches).saturating_mul(channels(members))
    });
    estimate(graph.switches(), moves.fold(0, u64::saturating_add))
}

/// `moves` is how many moves the searches of all trees make.
fn estimate(switches: usize, moves: u64) -> Option<String> {
    let time = Duration::from_secs(moves / MOVES_A_SECOND);
    let minutes = time.as_secs().div_ceil(60);
    (time >= LONG).then(|| {
        format!(
            "`--root r2` judges the trees of all {switches} switches, which takes about {minutes} min of \
             processor time, shared by all cores; far and r1 take seconds"
        )
    })
}

/// Turns that smart routing looks at in a second on one core, roughly.
const TURNS_A_SECOND: u64 = 60_000_000;

/// How often it looks at the traffic of all pairs: counted anew while cycles are broken, and to judge what comes of it.
const LOOKS: u64 = 70;

/// How many turns smart routing looks at: a look is a search over all turns towards every switch with hosts.
fn smart_turns(graph: &SwitchGraph, net: &Network) -> u64 {
    let turns: u64 = graph.outputs().iter().map(|output| graph.of(output.to).len() as u64).sum();
    let hosts = Attachments::lowest(net).per_switch(graph.switches(), None);
    let with_hosts = hosts.iter().filter(|count| **count > 0).count() as u64;
    turns.saturating_mul(with_hosts).saturating_mul(LOOKS)
}

fn estimate_of_smart(turns: u64) -> Option<String> {
    let time = Duration::from_secs(turns / TURNS_A_SECOND);
    let minutes = time.as_secs().div_ceil(60);
    (time >= LONG).then(|| {
        format!(
            "`--algorithm smart` looks at {turns} turns, which takes about {minutes} min on one core; updown takes \
             seconds"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a user waited for many minutes without a word, or got a message about seconds.
    #[test]
    fn only_a_long_search_is_foretold() {
        assert_eq!(estimate(504, 504 * 504 * 4_032), None);
        let text = estimate(2_520, 2_520 * 2_520 * 20_160).unwrap();
        assert!(text.contains("2520 switches") && text.contains("14 min"), "{text}");
        assert!(estimate(1 << 20, u64::MAX).is_some());
    }

    /// Wrong if smart routing of 10,080 hosts began without a word, or that of a small one with one: by hand, 40,320
    /// channels of 8 turns each, towards 2,520 switches, 70 times.
    #[test]
    fn long_smart_routing_is_foretold() {
        let text = estimate_of_smart(40_320 * 8 * 2_520 * 70).unwrap();
        assert!(text.contains("about 16 min"), "{text}");
        let note = |switches| {
            let size = [("switches", switches), ("degree", 8), ("hosts-per-switch", 4)];
            let net = simnet_network::topology::generate::build("random-regular", &size, 1).unwrap();
            let (tree, root) = (simnet_network::routing::Tree::Bfs, Root::Far);
            slow_choice_note(&Algorithm::Smart { tree, root }, &net)
        };
        assert_eq!(note(64), None);
        assert!(note(600).is_some_and(|text| text.contains("smart")));
    }
}
