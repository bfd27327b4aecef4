//! Printed numbers beside ours.

use crate::scenario::discovery::{Of, Quantity, Reference};
use crate::units::Duration;

use super::super::super::beside::{PaperReport, Spread};
use super::super::Results;
use super::{DiscoveryReport, MeasurementReport};

/// Every printed number that the scenario names, beside ours.
pub(super) fn all(results: &Results<'_>, report: &DiscoveryReport) -> Vec<PaperReport> {
    let references = results.discovery.references.iter();
    references.map(|reference| beside(results, report, reference)).collect()
}

fn beside(results: &Results<'_>, report: &DiscoveryReport, reference: &Reference) -> PaperReport {
    let nth = results.cells.iter().position(|outcomes| outcomes.cell == reference.cell);
    let spread = nth.and_then(|nth| match reference.of {
        Of::Cell => of_cell(results, &report.measurements[nth], reference.measure),
        Of::Pair(from, to) => of_pair(results, nth, reference, (from, to)),
        Of::Class(class) => of_class(results, nth, reference, class),
    });
    let bounds = spread.filter(|_| varies(reference.measure) && results.discovery.executions > 1);
    PaperReport::new(
        &reference.number,
        spread.map(|spread| spread.mean),
        bounds.map(|spread| (spread.min, spread.max)),
    )
}

/// Whether executions differ in it.
fn varies(measure: Quantity) -> bool {
    matches!(measure, Quantity::Total | Quantity::Measuring | Quantity::Rtt)
}

fn of_cell(results: &Results<'_>, report: &MeasurementReport, measure: Quantity) -> Option<Spread> {
    let discovery = results.discovery;
    let (plan, inference) = (&discovery.plan, &discovery.inference);
    let per_cent = |share: f64| share * 100.0;
    let one = match measure {
        Quantity::Total => return report.total_s,
        Quantity::Measuring => return report.rtt_s,
        Quantity::Clustering => report.clustering_s,
        Quantity::Tree => report.tree_s,
        Quantity::MeasuringShare => per_cent(report.rtt_share?),
        Quantity::Settled => per_cent(report.settled_first_share?),
        Quantity::MostSamplesNeeded => f64::from(report.samples_most?),
        Quantity::RoundTrips => f64::from(plan.round_trips),
        Quantity::Samples => f64::from(plan.first),
        Quantity::MostSamples => f64::from(plan.most),
        Quantity::Threshold => f64::from(plan.threshold_ppm) / 1e4,
        Quantity::InterThreshold => f64::from(inference.inter_threshold) / 1e3,
        Quantity::Message => plan.message.0 as f64,
        Quantity::MeasurementNoise => inference.noise.as_ms_f64(),
        Quantity::Rtt | Quantity::Hops | Quantity::ClassLow | Quantity::ClassHigh => return None,
    };
    Spread::of(&[one])
}

fn of_pair(
    results: &Results<'_>,
    nth: usize,
    reference: &Reference,
    (from, to): (usize, usize),
) -> Option<Spread> {
    let executions = &results.cells[nth].executions;
    if reference.measure == Quantity::Hops {
        let inferred = executions.first()?.inferred.get(reference.method)?;
        return Spread::of(&[f64::from(inferred.hops.between(from, to))]);
    }
    let times = executions.iter().filter_map(|execution| execution.time(from, to));
    Spread::of(&times.map(Duration::as_ms_f64).collect::<Vec<_>>())
}

fn of_class(results: &Results<'_>, nth: usize, reference: &Reference, class: usize) -> Option<Spread> {
    let inferred = results.cells[nth].executions.first()?.inferred.get(reference.method)?;
    let class = inferred.classes.get(class)?;
    let time = if reference.measure == Quantity::ClassLow { class.low } else { class.high };
    Spread::of(&[time.as_ms_f64()])
}
