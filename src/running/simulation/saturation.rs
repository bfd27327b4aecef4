//! Where a network saturates: the largest load that is carried for good, and what is accepted beyond it.
//!
//! ```text
//!   carried ... carried | undecided ... undecided | not carried ... not carried     load ->
//!              load_low ^                           ^ load_high                       the truth lies between
//! ```
//! A load is carried if its point has shown to be steady: the interval of its mean latency can be trusted and is within
//! a quarter of it. It is not if the point falls behind for good or dies. Near the edge neither shows in any run of
//! finite length; such loads are passed over, and both ends are narrowed towards them.
//!
//! # Scope and limitations
//! Bisection takes a network for one that carries every load below one that it carries. The most that was accepted
//! anywhere is reported too, as some networks accept less the further they are beyond saturation.
//!
//! # Validation
//! Two hosts on one switch saturate where their cable is full, a star with one queue an input at the known limit of
//! head-of-line blocking; in the integration tests.

use serde::Serialize;

use simnet_output::report::{record, words};
use simnet_scenario::checked::Measure;

use super::summary::{PointReport, State};

/// What one load came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The network carries it for good.
    Carried,
    /// Too near to the edge to be told.
    Undecided,
    /// The network falls behind.
    Saturated,
    /// A deadlock formed that nothing breaks.
    Deadlocked,
}

words!(Verdict);

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
        /// Whether it carries the load.
        pub verdict: Verdict,
    }
}

/// Where a network saturates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Saturation {
    /// The highest load below `load_high` that is carried for good; none if no load was.
    pub load_low: Option<f64>,
    /// The lowest load that is not carried; none if every load was.
    pub load_high: Option<f64>,
    /// How many loads between the two could not be decided.
    pub undecided: u64,
    /// The lowest load at which a deadlock formed that nothing breaks; none if that happened at none.
    pub load_deadlocked: Option<f64>,
    /// What was accepted at `load_low`.
    pub accepted_low_flits_per_cycle_per_host: Option<f64>,
    /// The highest load at which the network fell behind and did not die.
    pub load_overload: Option<f64>,
    /// What was accepted at that.
    pub accepted_overload_flits_per_cycle_per_host: Option<f64>,
    /// The most that was accepted at any load at which the network did not die.
    pub accepted_max_flits_per_cycle_per_host: f64,
    /// The same, a switch and a nanosecond, as sancho2000 has it.
    pub accepted_max_flits_per_ns_per_switch: f64,
    /// The same, in bits of all hosts together.
    pub accepted_max_bits_per_s: f64,
    /// Every load that was run, the measured ones first.
    pub probes: Vec<Probe>,
}

/// Between which loads the edge lies, as every output says it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// The highest load that is carried below `high`.
    pub low: Option<f64>,
    /// The lowest load that is not carried.
    pub high: Option<f64>,
    /// `true` if a deadlock that nothing breaks forms at `high`.
    pub dies: bool,
    /// Loads above `low`, and below `high`, that could not be decided.
    pub undecided: usize,
}

impl Edge {
    /// The edge by the points of a run and the search, if there was one; its probes have the points among them.
    pub fn of(points: &[PointReport], search: Option<&Saturation>) -> Edge {
        let of_points = || points.iter().filter_map(Probe::of).collect::<Vec<_>>();
        let probes = search.map_or_else(of_points, |search| search.probes.clone());
        let (low, high) = bracket(&probes);
        Edge {
            low: low.map(|low| low.load),
            high: high.map(|high| high.load),
            dies: high.is_some_and(|high| high.verdict == Verdict::Deadlocked),
            undecided: undecided(&probes, (low, high)).len(),
        }
    }
}

/// Half an interval of more than this share of the mean shows no load to be carried. The search measures until it knows
/// the mean that well.
pub(super) const CARRIED: f64 = 0.25;

impl Probe {
    /// What a load point came to; none for a trace.
    pub(super) fn of(point: &PointReport) -> Option<Probe> {
        let is_within = |(half, mean): &(f64, f64)| *half <= CARRIED * mean;
        let is_known = point.latency_half_width_ns.zip(point.latency_mean_ns).as_ref().is_some_and(is_within);
        Some(Probe {
            load: point.load?,
            offered_flits_per_cycle_per_host: point.offered_flits_per_cycle_per_host,
            accepted_flits_per_cycle_per_host: point.accepted_flits_per_cycle_per_host,
            saturated: point.saturated,
            verdict: match point.state {
                State::Deadlocked => Verdict::Deadlocked,
                State::Saturated => Verdict::Saturated,
                State::Converged | State::NotConverged if is_known => Verdict::Carried,
                State::Converged | State::NotConverged => Verdict::Undecided,
            },
        })
    }

    fn is_carried(&self) -> bool {
        self.verdict == Verdict::Carried
    }

    fn is_refused(&self) -> bool {
        matches!(self.verdict, Verdict::Saturated | Verdict::Deadlocked)
    }
}

/// A host cannot offer more, in payload flits per cycle.
const FULL: f64 = 1.0;

fn by_load(a: &&Probe, b: &&Probe) -> std::cmp::Ordering {
    a.load.total_cmp(&b.load)
}

/// The bracket after these probes: the highest load that is carried below the lowest that is not, and that.
pub(super) fn bracket(probes: &[Probe]) -> (Option<Probe>, Option<Probe>) {
    let high = probes.iter().filter(|probe| probe.is_refused()).min_by(by_load);
    let below = |probe: &&Probe| probe.is_carried() && high.is_none_or(|high| probe.load < high.load);
    (probes.iter().filter(below).max_by(by_load).copied(), high.copied())
}

/// The loads that could not be decided within a bracket, in order.
fn undecided(probes: &[Probe], (low, high): (Option<Probe>, Option<Probe>)) -> Vec<f64> {
    let is_within =
        |load: f64| low.is_none_or(|low| low.load < load) && high.is_none_or(|high| load < high.load);
    let open = probes.iter().filter(|probe| probe.verdict == Verdict::Undecided && is_within(probe.load));
    let mut loads: Vec<f64> = open.map(|probe| probe.load).collect();
    loads.sort_by(f64::total_cmp);
    loads
}

/// The most that was accepted at the loads up to and including the first saturated one, and below those at which the
/// network died; none without loads.
///
/// Deeper saturation does not count: there, accepted traffic can fall (the worms that block each other) or go on rising
/// (pairs of a permutation that meet no other message).
pub(super) fn throughput(probes: &[Probe]) -> Option<f64> {
    let (_, high) = bracket(probes);
    let counted = probes.iter().filter(|probe| high.is_none_or(|high| probe.load <= high.load));
    let alive = counted.filter(|probe| probe.verdict != Verdict::Deadlocked);
    alive.map(|probe| probe.accepted_flits_per_cycle_per_host).reduce(f64::max)
}

/// The load to try next, until both ends of the bracket are nearer than the share `resolution` of its upper end to each
/// other, or to the loads that cannot be decided; at last the fullest load, for what is accepted at overload.
///
/// Without an upper end loads are doubled, without a lower one halved. `None` when the search is over.
pub(super) fn next_load(probes: &[Probe], resolution: f64) -> Option<f64> {
    let extreme = |greatest: bool| {
        let loads = probes.iter().map(|probe| probe.load);
        if greatest { loads.reduce(f64::max) } else { loads.reduce(f64::min) }
    };
    if probes.len() >= Measure::MOST_PROBES {
        return None;
    }
    let (low, high) = bracket(probes);
    let open = undecided(probes, (low, high));
    let ends = [open.first(), open.last()].map(Option::<&f64>::copied);
    let middle = |(from, to): (f64, f64), unit: f64| {
        (to - from > resolution * unit).then_some(((from + to) / 2.0, to - from))
    };
    match (low, high) {
        (_, None) if extreme(true)? < FULL => Some((extreme(true)? * 2.0).min(FULL)),
        (None, _) if extreme(false)? > LEAST => Some(extreme(false)? / 2.0),
        (None, _) => None,
        (Some(low), high) => {
            let to = high.map_or(FULL, |high| high.load);
            let gaps = match (ends, high) {
                ([Some(first), Some(last)], Some(high)) => vec![(low.load, first), (last, high.load)],
                ([Some(first), _], None) => vec![(low.load, first)],
                ([None, _], Some(high)) => vec![(low.load, high.load)],
                _ => Vec::new(),
            };
            let wide = gaps.into_iter().filter_map(|gap| middle(gap, to));
            let wide = wide.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(load, _)| load);
            let is_overloaded = extreme(true)? >= FULL;
            wide.or_else(|| (!is_overloaded).then_some(FULL))
        }
    }
}

/// A search gives up below this load.
const LEAST: f64 = 1e-6;

/// What a search came to; the rates of accepted traffic by `per_switch` and `bits`.
pub(super) fn found(
    probes: Vec<Probe>,
    per_switch: impl Fn(f64) -> f64,
    bits: impl Fn(f64) -> f64,
) -> Saturation {
    let (low, high) = bracket(&probes);
    let alive = || probes.iter().filter(|probe| probe.verdict != Verdict::Deadlocked);
    let overload = probes.iter().filter(|probe| probe.verdict == Verdict::Saturated).max_by(by_load);
    let most = alive().map(|probe| probe.accepted_flits_per_cycle_per_host).fold(0.0, f64::max);
    let dead = probes.iter().filter(|probe| probe.verdict == Verdict::Deadlocked).min_by(by_load);
    Saturation {
        load_low: low.map(|low| low.load),
        load_high: high.map(|high| high.load),
        undecided: undecided(&probes, (low, high)).len() as u64,
        load_deadlocked: dead.map(|dead| dead.load),
        accepted_low_flits_per_cycle_per_host: low.map(|low| low.accepted_flits_per_cycle_per_host),
        load_overload: overload.map(|probe| probe.load),
        accepted_overload_flits_per_cycle_per_host: overload
            .map(|probe| probe.accepted_flits_per_cycle_per_host),
        accepted_max_flits_per_cycle_per_host: most,
        accepted_max_flits_per_ns_per_switch: per_switch(most),
        accepted_max_bits_per_s: bits(most),
        probes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A network that carries up to `threshold`, and of which nothing can be told within `edge` of that.
    fn probe(load: f64, threshold: f64, edge: f64) -> Probe {
        let verdict = match load / threshold - 1.0 {
            off if off.abs() < edge => Verdict::Undecided,
            off if off > 0.0 => Verdict::Saturated,
            _ => Verdict::Carried,
        };
        Probe {
            load,
            offered_flits_per_cycle_per_host: load,
            accepted_flits_per_cycle_per_host: load.min(threshold),
            saturated: verdict == Verdict::Saturated,
            verdict,
        }
    }

    fn search(start: f64, of: impl Fn(f64) -> Probe) -> Vec<Probe> {
        let mut probes = vec![of(start)];
        while let Some(load) = next_load(&probes, 0.01) {
            probes.push(of(load));
        }
        probes
    }

    /// Wrong if the search ended elsewhere than about the threshold, from whichever side it began, or if what cannot be
    /// decided were taken for either.
    #[test]
    fn the_threshold_is_bracketed() {
        for start in [0.0001, 0.03, 0.9] {
            for threshold in [0.001, 0.031, 0.5] {
                for edge in [0.0, 0.004, 0.05] {
                    let probes = search(start, |load| probe(load, threshold, edge));
                    let (low, high) = bracket(&probes);
                    let (low, high) = (low.unwrap().load, high.unwrap().load);
                    assert!(low <= threshold && threshold < high, "{start} {threshold} {edge}: {low} {high}");
                    assert!(
                        high - low <= (0.021 + 2.0 * edge) * high,
                        "{start} {threshold} {edge}: {low} {high}"
                    );
                    assert!(probes.len() < 40, "{}", probes.len());
                    assert!(
                        probes.iter().any(|probe| probe.load >= 1.0),
                        "what is accepted at overload is shown"
                    );
                }
            }
        }
    }

    #[test]
    fn a_network_that_never_saturates_ends_the_search() {
        let probes = search(0.3, |load| probe(load, 2.0, 0.0));
        assert_eq!(probes.iter().map(|probe| probe.load).collect::<Vec<_>>(), [0.3, 0.6, 1.0]);
        assert!(bracket(&probes).1.is_none());
        assert_eq!(next_load(&[], 0.01), None);
        // Nothing is decided at any load, and nothing is carried.
        let open = search(0.3, |load| Probe {
            verdict: Verdict::Undecided,
            saturated: false,
            ..probe(load, 1.0, 0.0)
        });
        assert!(open.len() < 30 && bracket(&open) == (None, None), "{}", open.len());
    }

    /// Wrong if deeper saturation counted, the first saturated load did not, the order of loads mattered, or what a
    /// dead network accepted were throughput.
    #[test]
    fn throughput_is_that_up_to_the_first_saturated_load() {
        let at = |load, accepted, verdict| Probe {
            accepted_flits_per_cycle_per_host: accepted,
            saturated: verdict == Verdict::Saturated,
            verdict,
            ..probe(load, 1.0, 0.0)
        };
        let probes = [
            at(0.4, 0.9, Verdict::Saturated),
            at(0.3, 0.2, Verdict::Carried),
            at(0.1, 0.1, Verdict::Carried),
            at(0.2, 0.15, Verdict::Saturated),
        ];
        assert_eq!(throughput(&probes), Some(0.15));
        assert_eq!(throughput(&probes[..3]), Some(0.9));
        assert_eq!(throughput(&[]), None);
        let dead = [
            at(0.1, 0.1, Verdict::Carried),
            at(0.2, 0.7, Verdict::Deadlocked),
            at(0.4, 0.8, Verdict::Saturated),
        ];
        assert_eq!(throughput(&dead), Some(0.1));
        let found = found(dead.to_vec(), |it| it, |it| it);
        assert_eq!(
            (found.load_low, found.load_high, found.load_deadlocked),
            (Some(0.1), Some(0.2), Some(0.2))
        );
        assert_eq!(found.accepted_overload_flits_per_cycle_per_host, Some(0.8));
    }

    /// Wrong if a saturated load above an unsaturated one above a saturated one were taken for the upper end.
    #[test]
    fn the_lowest_saturated_load_counts() {
        let mut probes: Vec<Probe> = [0.1, 0.2, 0.3, 0.4].map(|load| probe(load, 0.15, 0.0)).to_vec();
        probes[2].verdict = Verdict::Carried;
        let (low, high) = bracket(&probes);
        assert_eq!((low.unwrap().load, high.unwrap().load), (0.1, 0.2));
    }
}
