//! Estimates what a root costs to find, before the search.

use std::time::Duration;

use simnet_network::routing::{Algorithm, Root, SwitchGraph};
use simnet_network::topology::Network;

/// Moves that a search makes in a second of processor time, roughly: measured at 120 million.
const MOVES_A_SECOND: u64 = 120_000_000;

/// The shortest time that is announced.
const LONG: Duration = Duration::from_secs(20);

/// The announcement before routes are computed with this algorithm; none if they take no long time.
pub(super) fn slow_choice_note(algorithm: &Algorithm, net: &Network) -> Option<String> {
    let Algorithm::UpDown { root, .. } = algorithm else { return None };
    if *root.rule() != Root::R2 {
        return None;
    }
    let graph = SwitchGraph::new(net);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a user waited for many minutes without a word, or got a message about seconds.
    #[test]
    fn only_a_long_search_is_foretold() {
        assert_eq!(estimate(504, 504 * 504 * 4_032), None);
        let text = estimate(2_520, 2_520 * 2_520 * 20_160).unwrap();
        assert!(text.contains("2520 switches") && text.contains("18 min"), "{text}");
        assert!(estimate(1 << 20, u64::MAX).is_some());
    }
}
