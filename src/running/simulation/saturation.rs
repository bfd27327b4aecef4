//! Where a network saturates: the load, bracketed by bisection.
//!
//! # Scope and limitations
//! Bisection takes a network for one that is saturated at every load above one at which it is. Between the two loads
//! that it ends with, nothing is known. The most that was accepted anywhere is reported as throughput, as some
//! networks accept less the further they are beyond saturation.
//!
//! # Validation
//! Two hosts on one switch saturate where their cable is full; in the integration tests.

use serde::Serialize;

use simnet_output::report::record;

use super::summary::PointReport;

record! {
    /// What one load came to.
    #[derive(Copy, PartialEq)]
    pub struct Probe {
        /// The load, in payload flits per cycle and host that sends.
        pub load: f64,
        /// What was offered at it, in payload flits per cycle and host.
        pub offered_flits_per_cycle_per_host: f64,
        /// What was accepted.
        pub accepted_flits_per_cycle_per_host: f64,
        /// Whether the network fell behind.
        pub saturated: bool,
    }
}

/// Where a network saturates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Saturation {
    /// The highest load below `load_high` at which it did not; none if it was saturated at every load.
    pub load_low: Option<f64>,
    /// The lowest load at which it was saturated; none if it was not at any.
    pub load_high: Option<f64>,
    /// What was accepted at `load_low`.
    pub accepted_low_flits_per_cycle_per_host: Option<f64>,
    /// The most that was accepted at any load.
    pub accepted_max_flits_per_cycle_per_host: f64,
    /// The same, a switch and a nanosecond, as sancho2000 has it.
    pub accepted_max_flits_per_ns_per_switch: f64,
    /// The same, in bits of all hosts together.
    pub accepted_max_bits_per_s: f64,
    /// Every load that was run, the measured ones first.
    pub probes: Vec<Probe>,
}

impl Probe {
    /// What a load point came to; none for a trace.
    pub(super) fn of(point: &PointReport) -> Option<Probe> {
        Some(Probe {
            load: point.load?,
            offered_flits_per_cycle_per_host: point.offered_flits_per_cycle_per_host,
            accepted_flits_per_cycle_per_host: point.accepted_flits_per_cycle_per_host,
            saturated: point.saturated,
        })
    }
}

/// Loads beyond which a search goes on in vain.
const MOST_PROBES: usize = 60;
/// A host cannot offer more, in payload flits per cycle.
const FULL: f64 = 1.0;

/// The bracket after these probes: the highest load below the lowest saturated one, and that.
pub(super) fn bracket(probes: &[Probe]) -> (Option<Probe>, Option<Probe>) {
    let by_load = |a: &&Probe, b: &&Probe| a.load.total_cmp(&b.load);
    let high = probes.iter().filter(|probe| probe.saturated).min_by(by_load);
    let below = |probe: &&Probe| !probe.saturated && high.is_none_or(|high| probe.load < high.load);
    (probes.iter().filter(below).max_by(by_load).copied(), high.copied())
}

/// The most that was accepted at the loads up to and including the first saturated one; none without loads.
///
/// Deeper saturation does not count: there, accepted traffic can fall (the worms that block each other) or go on rising
/// (pairs of a permutation that meet no other message).
pub(super) fn throughput(probes: &[Probe]) -> Option<f64> {
    let (_, high) = bracket(probes);
    let counted = probes.iter().filter(|probe| high.is_none_or(|high| probe.load <= high.load));
    counted.map(|probe| probe.accepted_flits_per_cycle_per_host).reduce(f64::max)
}

/// The load to try next, until the bracket is narrower than the share `resolution` of its upper end.
///
/// Without an upper end loads are doubled, without a lower one halved. `None` when the search is over.
pub(super) fn next_load(probes: &[Probe], resolution: f64) -> Option<f64> {
    if probes.len() >= MOST_PROBES {
        return None;
    }
    match bracket(probes) {
        (Some(low), Some(high)) if high.load - low.load <= resolution * high.load => None,
        (Some(low), Some(high)) => Some((low.load + high.load) / 2.0),
        (Some(low), None) if low.load >= FULL => None,
        (Some(low), None) => Some((low.load * 2.0).min(FULL)),
        (None, Some(high)) => Some(high.load / 2.0),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe(load: f64, threshold: f64) -> Probe {
        let accepted = load.min(threshold);
        Probe {
            load,
            offered_flits_per_cycle_per_host: load,
            accepted_flits_per_cycle_per_host: accepted,
            saturated: load > threshold,
        }
    }

    /// Wrong if the search ended elsewhere than about the threshold, from whichever side it began.
    #[test]
    fn the_threshold_is_bracketed() {
        for start in [0.0001, 0.03, 0.9] {
            for threshold in [0.001, 0.031, 0.5] {
                let mut probes = vec![probe(start, threshold)];
                while let Some(load) = next_load(&probes, 0.01) {
                    probes.push(probe(load, threshold));
                }
                let (low, high) = bracket(&probes);
                let (low, high) = (low.unwrap().load, high.unwrap().load);
                assert!(low <= threshold && threshold < high && high - low <= 0.01 * high, "{probes:?}");
                assert!(probes.len() < 25, "{}", probes.len());
            }
        }
    }

    #[test]
    fn a_network_that_never_saturates_ends_the_search() {
        let mut probes = vec![probe(0.3, 2.0)];
        while let Some(load) = next_load(&probes, 0.01) {
            probes.push(probe(load, 2.0));
        }
        assert_eq!(probes.iter().map(|probe| probe.load).collect::<Vec<_>>(), [0.3, 0.6, 1.0]);
        assert!(bracket(&probes).1.is_none());
        assert_eq!(next_load(&[], 0.01), None);
    }

    /// Wrong if deeper saturation counted, the first saturated load did not, or the order of loads mattered.
    #[test]
    fn throughput_is_that_up_to_the_first_saturated_load() {
        let at = |load, accepted, saturated| Probe {
            accepted_flits_per_cycle_per_host: accepted,
            saturated,
            ..probe(load, 1.0)
        };
        let probes = [at(0.4, 0.9, true), at(0.3, 0.2, false), at(0.1, 0.1, false), at(0.2, 0.15, true)];
        assert_eq!(throughput(&probes), Some(0.15));
        assert_eq!(throughput(&probes[..3]), Some(0.9));
        assert_eq!(throughput(&[]), None);
    }

    /// Wrong if a saturated load above an unsaturated one above a saturated one were taken for the upper end.
    #[test]
    fn the_lowest_saturated_load_counts() {
        let mut probes: Vec<Probe> = [0.1, 0.2, 0.3, 0.4].map(|load| probe(load, 0.15)).to_vec();
        probes[2].saturated = false;
        let (low, high) = bracket(&probes);
        assert_eq!((low.unwrap().load, high.unwrap().load), (0.1, 0.2));
    }
}
