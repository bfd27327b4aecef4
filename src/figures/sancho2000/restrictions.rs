//! Where routing restrictions are: the cables that lead up from a switch.

use simnet_base::ids::SwitchId;
use simnet_network::routing::{Directions, SwitchGraph};

/// The switches that cables lead up to from a switch, in order of port.
pub(super) fn ups(graph: &SwitchGraph, directions: &Directions, switch: SwitchId) -> Vec<SwitchId> {
    let up = graph.of(switch).iter().map(|output| output.to);
    up.filter(|to| directions.is_up(switch, *to)).collect()
}

/// The restrictions at a switch that so many cables lead up from: each pair of them, both ways.
pub(super) fn restrictions(ups: usize) -> usize {
    ups * ups.saturating_sub(1)
}

/// All restrictions of a network.
pub(super) fn total(graph: &SwitchGraph, directions: &Directions) -> usize {
    graph.switch_ids().map(|switch| restrictions(ups(graph, directions, switch).len())).sum()
}

/// All pairs of different entries, in order.
pub(super) fn pairs<T: Copy>(entries: &[T]) -> impl Iterator<Item = (T, T)> + '_ {
    let from = |(place, one): (usize, &T)| {
        entries[place + 1..].iter().map(|other| (*one, *other)).collect::<Vec<_>>()
    };
    entries.iter().enumerate().flat_map(from)
}
