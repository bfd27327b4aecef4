//! A comparison run: every routing on every network, each an ordinary run, and what they come to together.
//!
//! # Scope and limitations
//! Throughput is the most traffic that was accepted at the loads up to and including the first saturated one;
//! it is as fine as the list of loads. Deeper saturation is left out: there, accepted traffic can fall (the
//! worms that block each other) or go on rising (pairs of a permutation that meet nobody). All members share
//! the scenario's seed, so that routings meet the same messages on the same network. Figures show the network
//! whose ratios of throughput (every routing over the base) are nearest to the mean ratios over all networks
//! of its size.
//!
//! # Source
//! Sancho and Robles 2000, section 5.1: several random networks of a size, curves of the one that behaves
//! like the average. The paper does not say how that one is found; the nearest vector of ratios is our
//! reading.
//!
//! # Validation
//! tests/it/comparison.rs: members equal the same scenarios run alone; means, ratios and deviations by hand.

mod figures;
mod report;
mod tables;

pub use report::{ComparisonReport, OverReport, RoutingReport, SizeReport};

use rayon::prelude::*;

use crate::routing::Report as RouteReport;
use crate::scenario::Checked;
use crate::scenario::comparison::{Comparison, Quantity};

use super::progress::Within;
use super::summary::{Outcome, PointReport, Summary};
use super::{Progress, Run, RunError};

/// What came of one routing on one network.
pub(super) struct Member {
    /// Its routes.
    pub(super) route: Option<RouteReport>,
    /// Its load points.
    pub(super) points: Vec<PointReport>,
    /// Every load that was run, those of a search for saturation among them, the lowest first.
    pub(super) loads: Vec<Load>,
}

/// What one load came to.
#[derive(Clone, Copy)]
pub(super) struct Load {
    load: f64,
    accepted: f64,
    saturated: bool,
}

/// What came of all members.
pub(super) struct Results<'a> {
    /// What was compared.
    pub(super) comparison: &'a Comparison,
    /// Networks before routings.
    pub(super) members: Vec<Member>,
}

/// Runs every member of a comparison, several at a time, and gathers them in order.
///
/// # Errors
/// [`RunError`] of the first member that has one.
pub(super) fn run(
    checked: &Checked,
    comparison: &Comparison,
    progress: &dyn Progress,
) -> Result<Run, RunError> {
    let alone = Checked { comparison: None, ..checked.clone() };
    progress.stage("comparing", comparison.members() as u64);
    let one = |nth: usize| {
        let run = super::on_one_network(&alone.member(comparison, nth), &Within(progress), None);
        progress.step();
        run
    };
    let runs: Vec<Run> = (0..comparison.members()).into_par_iter().map(one).collect::<Result<_, _>>()?;
    let outcome = runs.iter().map(|run| run.summary.outcome).max().unwrap_or(Outcome::Drained);
    let deadlock_count = runs.iter().map(|run| run.summary.deadlock_count).sum();
    let events = runs.iter().map(|run| run.events).sum();
    let messages_delivered = runs.iter().map(|run| run.messages_delivered).sum();
    let results = Results { comparison, members: runs.into_iter().map(Member::new).collect() };
    let report = ComparisonReport::new(&results);
    let mut files = tables::all(&results, &report);
    files.extend(figures::all(checked, &results, &report));
    files.push(("README.md".to_owned(), tables::readme(checked, &results, &report, &files)));
    let bare = Summary::new(checked, outcome);
    let summary = Summary { deadlock_count, comparison: Some(report), ..bare };
    Ok(Run { summary, files, latencies: Vec::new(), events, messages_delivered })
}

impl Results<'_> {
    /// The member of a network and a routing.
    pub(super) fn member(&self, network: usize, routing: usize) -> &Member {
        &self.members[network * self.comparison.names.len() + routing]
    }

    /// The positions of the networks of a size.
    pub(super) fn networks(&self, switches: u64) -> Vec<usize> {
        let all = self.comparison.networks.iter().enumerate();
        all.filter(|(_, network)| network.switches() == switches).map(|(nth, _)| nth).collect()
    }

    /// A quantity of a routing on every network of a size, divided by that of another routing if asked for;
    /// `None` if some network has none.
    pub(super) fn values(
        &self,
        quantity: Quantity,
        switches: u64,
        routing: usize,
        over: Option<usize>,
    ) -> Option<Vec<f64>> {
        let value = |network: usize| {
            let own = self.member(network, routing).value(quantity)?;
            let other = over.map_or(Some(1.0), |over| self.member(network, over).value(quantity))?;
            (other > 0.0).then(|| own / other)
        };
        self.networks(switches).into_iter().map(value).collect()
    }
}

impl Member {
    fn new(run: Run) -> Member {
        let Summary { route, points, saturation, .. } = run.summary;
        let measured = points.iter().filter_map(|point| {
            let (accepted, saturated) = (point.accepted_flits_per_cycle_per_host, point.saturated);
            Some(Load { load: point.load?, accepted, saturated })
        });
        let probed = saturation.iter().flat_map(|search| &search.probes);
        let probed = probed.skip(points.len()).map(|probe| {
            let (accepted, saturated) = (probe.accepted_flits_per_cycle_per_host, probe.saturated);
            Load { load: probe.load, accepted, saturated }
        });
        let mut loads: Vec<Load> = measured.chain(probed).collect();
        loads.sort_by(|a, b| a.load.total_cmp(&b.load));
        Member { route, points, loads }
    }

    /// The highest load below the first saturated one.
    pub(super) fn highest_unsaturated(&self) -> Option<f64> {
        self.loads.iter().take_while(|load| !load.saturated).map(|load| load.load).last()
    }

    /// A quantity of this member, if it has it.
    pub(super) fn value(&self, quantity: Quantity) -> Option<f64> {
        let route = self.route.as_ref();
        match quantity {
            Quantity::SwitchMeanDistance => route?.switch_mean_distance,
            Quantity::CrossingPaths => route?.crossing_paths.map(|paths| paths as f64),
            Quantity::RestrictionsPerSwitch => route?.restrictions_per_switch,
            Quantity::MeanDistance => route?.mean_distance,
            Quantity::NonMinimalPairs => route.map(|route| route.non_minimal_pairs as f64),
            Quantity::MaxChannelLoad => route.map(|route| route.max_channel_load as f64),
            Quantity::Throughput => {
                let first = self.loads.iter().position(|load| load.saturated);
                let counted = first.map_or(self.loads.len(), |first| first + 1);
                self.loads[..counted].iter().map(|load| load.accepted).reduce(f64::max)
            }
        }
    }
}
