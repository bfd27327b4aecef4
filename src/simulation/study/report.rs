//! What a study says in the end: its object in `summary.json`.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::papers::Printed;
use crate::scenario::study::{Cell, Quantity, Reference};

use super::super::beside::{PaperReport, Spread};
use super::Results;

/// The object `study` of `summary.json`.
#[derive(Clone, Debug, Serialize)]
pub struct StudyReport {
    /// By network and variant, one entry for every combination of the axes.
    pub networks: BTreeMap<String, BTreeMap<String, Vec<CellReport>>>,
    /// The printed numbers and ours.
    pub paper: Vec<PaperReport>,
}

/// What came of one cell.
#[derive(Clone, Debug, Serialize)]
pub struct CellReport {
    /// How many hosts answered, if that varies.
    pub answering: Option<u32>,
    /// How often a question was asked again, if that varies.
    pub retries: Option<u32>,
    /// The load beside the mapper, if that varies.
    pub load: Option<f64>,
    /// How often it was run.
    pub runs: usize,
    /// Runs with a true map of which the mapper was sure.
    pub right_and_sure: usize,
    /// Runs with a true map of which it was not.
    pub right_and_unsure: usize,
    /// Runs with a wrong map of which it was sure.
    pub wrong_and_sure: usize,
    /// Runs with a wrong map of which it was not.
    pub wrong_and_unsure: usize,
    /// Hosts on the map.
    pub hosts: Option<Spread>,
    /// Turns that found a host.
    pub host_hits: Option<Spread>,
    /// Turns that found a switch.
    pub switch_hits: Option<Spread>,
    /// Turns that found nothing.
    pub nothing: Option<Spread>,
    /// Probes as the papers count.
    pub probes: Option<Spread>,
    /// Messages truly sent.
    pub sent: Option<Spread>,
    /// Time.
    pub time_ms: Option<Spread>,
    /// Switches explored, replicates counted.
    pub explorations: Option<Spread>,
    /// The most bytes of the model.
    pub peak_memory_bytes: Option<Spread>,
}

impl StudyReport {
    pub(super) fn new(results: &Results<'_>) -> StudyReport {
        let study = results.study;
        let mut networks: BTreeMap<String, BTreeMap<String, Vec<CellReport>>> = BTreeMap::new();
        for outcomes in &results.cells {
            let cell = outcomes.cell;
            let variants = networks.entry(study.networks[cell.network].name.clone()).or_default();
            let cells = variants.entry(study.names[cell.variant].clone()).or_default();
            cells.push(CellReport::new(results, cell));
        }
        let paper = study.references.iter().map(|reference| beside(results, reference)).collect();
        StudyReport { networks, paper }
    }
}

impl CellReport {
    fn new(results: &Results<'_>, cell: Cell) -> CellReport {
        let study = results.study;
        let spread = |quantity| results.spread(cell, quantity);
        let outcomes = results.of(cell);
        let count = |right, sure| outcomes.map_or(0, |outcomes| outcomes.count(right, sure));
        CellReport {
            answering: cell.answering.map(|nth| study.answering[nth]),
            retries: cell.retries.map(|nth| study.retries[nth]),
            load: cell.load.map(|nth| study.loads[nth]),
            runs: outcomes.map_or(0, |outcomes| outcomes.runs.len()),
            right_and_sure: count(true, true),
            right_and_unsure: count(true, false),
            wrong_and_sure: count(false, true),
            wrong_and_unsure: count(false, false),
            hosts: spread(Quantity::Hosts),
            host_hits: spread(Quantity::HostHits),
            switch_hits: spread(Quantity::SwitchHits),
            nothing: spread(Quantity::Nothing),
            probes: spread(Quantity::Probes),
            sent: spread(Quantity::Sent),
            time_ms: spread(Quantity::Time),
            explorations: spread(Quantity::Explorations),
            peak_memory_bytes: spread(Quantity::PeakMemory),
        }
    }
}

/// A printed number beside ours.
fn beside(results: &Results<'_>, reference: &Reference) -> PaperReport {
    let Reference { number, measure, cell, over, minus, of } = reference;
    let scale = scale(*measure, over.is_some(), &number.printed);
    let divisor = over.map(|(cell, quantity)| results.spread(cell, quantity).map(|spread| spread.mean));
    let taken_off = minus.map(|network| results.spread(Cell { network, ..*cell }, *measure));
    let ours = |value: f64| {
        let off = match taken_off {
            Some(spread) => spread?.mean,
            None => 0.0,
        };
        let by = match divisor {
            Some(mean) => mean?,
            None => 1.0,
        };
        (by > 0.0).then(|| (value - off) / by * scale)
    };
    let spread = results.spread(*cell, *measure);
    let several = results.of(*cell).is_some_and(|outcomes| outcomes.runs.len() > 1);
    let bounds = spread.filter(|_| several);
    let value = spread.and_then(|spread| ours(spread.taken(*of)));
    let bounds = bounds.and_then(|spread| Some((ours(spread.min)?, ours(spread.max)?)));
    PaperReport::new(number, value, bounds)
}

/// What makes our times, in milliseconds, the paper's.
fn scale(measure: Quantity, is_ratio: bool, printed: &Printed) -> f64 {
    let unit = printed.unit.split(' ').next().unwrap_or_default();
    match unit {
        _ if measure != Quantity::Time || is_ratio => 1.0,
        "s" => 1e-3,
        "min" => 1e-3 / 60.0,
        _ => 1.0,
    }
}
