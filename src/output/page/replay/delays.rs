//! How long flits are on each cable, which a log does not say.

use std::collections::BTreeMap;

use simnet_base::ids::LinkId;
use simnet_base::units::Duration;
use simnet_media::trace::EventKind;
use simnet_network::topology::Network;

use super::shown::ShownScene;

/// Per cable its delay in base cycles: from its length where the network gives one, else the least time that a head
/// took from the grant of an output to the far end, on that cable or, where none was seen, on any; at least 1.
pub(super) fn delays(network: &Network, base_cycle: Duration, scenes: &[ShownScene]) -> Vec<u64> {
    let cycle = base_cycle.as_ps().max(1);
    let mut least: BTreeMap<LinkId, u64> = BTreeMap::new();
    for scene in scenes {
        let mut left: BTreeMap<u32, (LinkId, u64)> = BTreeMap::new();
        for event in &scene.events {
            let now = event.at.as_ps();
            match &event.what {
                EventKind::Start { worm, port: output, .. } | EventKind::Grant { worm, output, .. } => {
                    left.extend(network.link_at(*output).map(|link| (*worm, (link, now))));
                }
                EventKind::Arrive { worm, port } => {
                    let Some((link, then)) = left.remove(worm) else { continue };
                    if network.link_at(*port) == Some(link) {
                        let took = (now - then).div_ceil(cycle).max(1);
                        least.entry(link).and_modify(|known| *known = took.min(*known)).or_insert(took);
                    }
                }
                EventKind::End { worm, .. } => {
                    left.remove(worm);
                }
                _ => {}
            }
        }
    }
    let usual = least.values().copied().min().unwrap_or(1);
    let links = network.links().iter().enumerate();
    links
        .map(|(nth, link)| match link.length {
            Some(length) => length.flight_time().as_ps().div_ceil(cycle).max(1),
            None => least.get(&LinkId::new(nth)).copied().unwrap_or(usual),
        })
        .collect()
}
