//! What a comparison says in the end: its object in `summary.json`.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::scenario::comparison::{Quantity, Reference};
use crate::scenario::printed::Statistic;

use super::super::beside::{PaperReport, Spread};
use super::Results;

/// The object `comparison` of `summary.json`.
#[derive(Clone, Debug, Serialize)]
pub struct ComparisonReport {
    /// The routing that ratios are taken over where nothing else is said.
    pub base: String,
    /// By number of switches.
    pub sizes: BTreeMap<u64, SizeReport>,
    /// The printed numbers and ours.
    pub paper: Vec<PaperReport>,
}

/// What came of the networks of one size.
#[derive(Clone, Debug, Serialize)]
pub struct SizeReport {
    /// How many networks.
    pub networks: usize,
    /// The position, among these, of the one whose ratios of throughput are nearest to the mean ratios; the
    /// first if there was no traffic.
    pub nearest: usize,
    /// The seed of that one's generator, if chance made it.
    pub nearest_seed: Option<u64>,
    /// By name.
    pub routings: BTreeMap<String, RoutingReport>,
}

/// What came of one routing on the networks of one size.
#[derive(Clone, Debug, Serialize)]
pub struct RoutingReport {
    /// Mean shortest legal distance between switches.
    pub switch_mean_distance: Option<Spread>,
    /// The most shortest legal paths between switches over one channel.
    pub crossing_paths: Option<Spread>,
    /// Mean number of forbidden transitions of a switch.
    pub restrictions_per_switch: Option<Spread>,
    /// Mean switch-to-switch cables of a route.
    pub mean_distance: Option<Spread>,
    /// Routes over the busiest channel.
    pub max_channel_load: Option<Spread>,
    /// How many networks have routes with a cyclic dependency.
    pub cyclic: usize,
    /// The most traffic that was accepted at the loads up to the first saturated one.
    pub throughput_flits_per_cycle_per_host: Option<Spread>,
    /// Mean latency at every load, averaged over the networks; none where one of them is saturated.
    pub latency_mean_ns: Vec<Option<f64>>,
    /// Ratios, by the name of the routing that this one is divided by.
    pub over: BTreeMap<String, OverReport>,
}

/// One routing over another.
#[derive(Clone, Debug, Serialize)]
pub struct OverReport {
    /// Ratio of throughput, over networks.
    pub throughput: Option<Spread>,
    /// Ratio of mean latency, over the loads at which neither is saturated on any network.
    pub latency: Option<Spread>,
}

impl ComparisonReport {
    pub(super) fn new(results: &Results<'_>) -> ComparisonReport {
        let comparison = results.comparison;
        let sizes: BTreeMap<u64, SizeReport> =
            comparison.sizes().into_iter().map(|size| (size, SizeReport::new(results, size))).collect();
        let paper = comparison.references.iter();
        let paper = paper.map(|reference| {
            let nearest = sizes.get(&reference.switches).map_or(0, |size| size.nearest);
            beside(results, reference, nearest)
        });
        ComparisonReport { base: comparison.names[comparison.base].clone(), paper: paper.collect(), sizes }
    }
}

impl SizeReport {
    fn new(results: &Results<'_>, switches: u64) -> SizeReport {
        let (names, networks) = (&results.comparison.names, results.networks(switches));
        let nearest = nearest(results, switches);
        let of = |nth: usize| (names[nth].clone(), RoutingReport::new(results, switches, nth));
        SizeReport {
            networks: networks.len(),
            nearest,
            nearest_seed: results.comparison.networks[networks[nearest]].seed,
            routings: (0..names.len()).map(of).collect(),
        }
    }
}

/// The position of the network whose ratios over the base are nearest to their means, the first of equals.
fn nearest(results: &Results<'_>, switches: u64) -> usize {
    let comparison = results.comparison;
    let mut distances = vec![0.0; results.networks(switches).len()];
    for routing in 0..comparison.names.len() {
        let ratios = results.values(Quantity::Throughput, switches, routing, Some(comparison.base));
        let Some(ratios) = ratios else { continue };
        let mean = Spread::of(&ratios).map_or(0.0, |spread| spread.mean);
        for (distance, ratio) in distances.iter_mut().zip(&ratios) {
            *distance += (ratio - mean) * (ratio - mean);
        }
    }
    let least = distances.iter().copied().reduce(f64::min).unwrap_or(0.0);
    distances.iter().position(|distance| *distance <= least).unwrap_or(0)
}

impl RoutingReport {
    fn new(results: &Results<'_>, switches: u64, routing: usize) -> RoutingReport {
        let spread = |quantity| Spread::of(&results.values(quantity, switches, routing, None)?);
        let names = &results.comparison.names;
        let others = (0..names.len()).filter(|other| *other != routing);
        let over = others.map(|other| {
            let throughput = results.values(Quantity::Throughput, switches, routing, Some(other));
            let latency = latency_ratios(results, switches, routing, other);
            let report = OverReport {
                throughput: throughput.and_then(|ratios| Spread::of(&ratios)),
                latency: Spread::of(&latency),
            };
            (names[other].clone(), report)
        });
        let members = results.networks(switches).into_iter().map(|nth| results.member(nth, routing));
        let cyclic =
            members.filter(|m| m.route.as_ref().is_some_and(|route| route.dependency_cycle.is_some()));
        RoutingReport {
            switch_mean_distance: spread(Quantity::SwitchMeanDistance),
            crossing_paths: spread(Quantity::CrossingPaths),
            restrictions_per_switch: spread(Quantity::RestrictionsPerSwitch),
            mean_distance: spread(Quantity::MeanDistance),
            max_channel_load: spread(Quantity::MaxChannelLoad),
            cyclic: cyclic.count(),
            throughput_flits_per_cycle_per_host: spread(Quantity::Throughput),
            latency_mean_ns: latencies(results, switches, routing),
            over: over.collect(),
        }
    }
}

/// Mean latency at every load, averaged over the networks; `None` where one of them is saturated.
fn latencies(results: &Results<'_>, switches: u64, routing: usize) -> Vec<Option<f64>> {
    let members: Vec<_> =
        results.networks(switches).into_iter().map(|nth| results.member(nth, routing)).collect();
    let loads = members.iter().map(|member| member.points.len()).min().unwrap_or(0);
    let at = |load: usize| {
        let each = members.iter().map(|member| {
            let point = &member.points[load];
            point.latency_mean_ns.filter(|_| !point.saturated)
        });
        let each = each.collect::<Option<Vec<f64>>>()?;
        Some(each.iter().sum::<f64>() / each.len() as f64)
    };
    (0..loads).map(at).collect()
}

/// Ratios of mean latency at the loads at which both routings have one.
fn latency_ratios(results: &Results<'_>, switches: u64, routing: usize, over: usize) -> Vec<f64> {
    let (own, other) = (latencies(results, switches, routing), latencies(results, switches, over));
    own.into_iter().zip(other).filter_map(|(own, other)| Some(own? / other?)).collect()
}

/// A printed number beside ours.
fn beside(results: &Results<'_>, reference: &Reference, nearest: usize) -> PaperReport {
    let Reference { number, measure, switches, routing, over, of } = reference;
    let values = results.values(*measure, *switches, *routing, *over).unwrap_or_default();
    let spread = Spread::of(&values).map(|spread| match (of, values.get(nearest)) {
        (Statistic::Nearest, Some(value)) => Spread { mean: *value, ..spread },
        _ => spread,
    });
    PaperReport::of(number, spread, *of, over.is_some())
}
