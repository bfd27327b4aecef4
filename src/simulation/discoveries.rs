//! Discoveries of a scenario: every combination measured on an idle Ethernet, every method asked about what was
//! measured, and the answers judged by the tree that frames really keep to.
//!
//! # Scope and limitations
//! * Every execution is a run of its own, with the scenario's seed or one of those after it. All methods infer from the
//!   same matrices.
//! * The truth is the spanning tree that the switches elect, without the branches that hold no machine: nothing else
//!   can be told from round-trip times. A tree is right if all its hop counts are, as these leave no choice (Theorem 1
//!   of lawrence2008).
//! * What computing takes on machine 0 is a constant of the scenario.
//!
//! # Source
//! lawrence2008, section 4 and its Tables 1 to 3: each result is the average of five executions.
//!
//! # Validation
//! `tests/it/discovery_scenarios.rs`: rows equal measuring and inferring called by hand; Fig. 6 gives Fig. 8.

mod figures;
mod infer;
mod measured;
mod recoveries;
mod report;
mod tables;
mod truth;

pub use report::{
    ClassReport, DiscoveryReport, HopClassReport, MeasurementReport, RecoveryReport, ResultReport,
    SamplesReport, ShareReport,
};

use rayon::prelude::*;
use thiserror::Error;

use crate::discovery::{Hops, Rtts};
use crate::ethernet::transport::TransportError;
use crate::host::rtt::{Plan, Schedule};
use crate::ids::Node;
use crate::scenario::Checked;
use crate::scenario::discovery::{Cell, Discovery, Quantity};

use super::ranks;
use super::rtt::{Job, JobError, Noise, Outcome};
use super::summary::{Outcome as End, Summary};
use super::{Listener, Progress, Run, RunError};
use infer::Inferred;

/// Why a discovery cannot be run.
#[derive(Debug, Error)]
pub enum DiscoveryError {
    /// The Ethernet or its transport cannot be built.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The job is none.
    #[error(transparent)]
    Job(#[from] JobError),
}

/// What came of measuring once.
struct Execution {
    /// What was measured; nothing for a matrix that was given.
    outcome: Option<Outcome>,
    /// The matrix, if it is still of use.
    rtts: Option<Rtts>,
    /// Frames over cables, each once a cable.
    hops: u64,
    /// Frames that found no room.
    dropped: u64,
    /// What each method made of the matrix; nothing without one.
    inferred: Vec<Inferred>,
}

/// What came of a cell.
struct Outcomes {
    cell: Cell,
    /// The hop counts that there really are.
    truth: Hops,
    executions: Vec<Execution>,
}

/// What came of all cells.
struct Results<'a> {
    checked: &'a Checked,
    discovery: &'a Discovery,
    /// In the order of [`Discovery::cells`].
    cells: Vec<Outcomes>,
}

/// Runs every cell as often as it is to be, several at a time, and gathers them in order.
///
/// # Errors
/// [`RunError`] of the first that has one.
pub(super) fn run(
    checked: &Checked,
    discovery: &Discovery,
    progress: &dyn Progress,
) -> Result<Run, RunError> {
    let cells = discovery.cells();
    let all: Vec<(Cell, u32)> =
        cells.iter().flat_map(|cell| (0..discovery.executions).map(|nth| (*cell, nth))).collect();
    progress.stage("measuring", all.len() as u64);
    let one = |(cell, nth): &(Cell, u32)| {
        let done = execute(checked, discovery, *cell, *nth, Listener(progress));
        progress.step();
        done
    };
    let mut executions = all.par_iter().map(one).collect::<Result<Vec<_>, RunError>>()?.into_iter();
    let each = discovery.executions as usize;
    let gathered = cells.iter().map(|cell| Outcomes {
        cell: *cell,
        truth: truth::hops(checked, discovery, *cell),
        executions: executions.by_ref().take(each).collect(),
    });
    let results = Results { checked, discovery, cells: gathered.collect() };
    let recoveries = recoveries::all(checked, discovery, progress);
    let report = DiscoveryReport::new(&results, recoveries);
    let mut files = tables::all(&results, &report);
    // A matrix that was given knows machines, and nothing between them.
    if let ([only], None) = (&discovery.networks[..], &discovery.matrix) {
        files.push(super::tables::network(&only.topology.network));
    }
    files.extend(figures::all(&results, &report));
    files.push(("README.md".to_owned(), tables::readme(&results, &report, &files)));
    let measured = || results.cells.iter().flat_map(|outcomes| &outcomes.executions);
    let events = measured().map(|execution| execution.hops).sum();
    let messages = |outcome: &Outcome| outcome.messages.saturating_sub(outcome.lost.len() as u64);
    let messages_delivered =
        measured().filter_map(|execution| execution.outcome.as_ref()).map(messages).sum();
    let complete = measured().all(|execution| !execution.inferred.is_empty());
    let end = if complete { End::Drained } else { End::Horizon };
    let summary = Summary { discovery: Some(report), ..Summary::new(checked, end) };
    Ok(Run { summary, files, latencies: Vec::new(), events, messages_delivered })
}

/// Measures a cell once, and infers.
fn execute(
    checked: &Checked,
    discovery: &Discovery,
    cell: Cell,
    nth: u32,
    listener: Listener<'_>,
) -> Result<Execution, RunError> {
    let infer = |rtts: &Rtts| -> Vec<Inferred> {
        let step = infer::known_step(checked, discovery, cell);
        discovery.methods.iter().map(|method| Inferred::new(*method, discovery, step, rtts)).collect()
    };
    if let Some(matrix) = &discovery.matrix {
        let rtts = matrix.rtts.clone();
        let inferred = infer(&rtts);
        return Ok(Execution { outcome: None, rtts: Some(rtts), hops: 0, dropped: 0, inferred });
    }
    let job = job(checked, discovery, cell, nth);
    let (mut outcome, counters) = measured::run(checked, discovery, cell, &job, listener)?;
    let rtts = outcome.rtts.take();
    let inferred = rtts.as_ref().map(infer).unwrap_or_default();
    let compared = |quantity| quantity == Quantity::Rtt;
    let is_compared = discovery.references.iter().any(|r| r.cell == cell && compared(r.measure));
    let rtts = rtts.filter(|_| nth == 0 || is_compared);
    let (hops, dropped) = counters;
    Ok(Execution { outcome: Some(outcome), rtts, hops, dropped, inferred })
}

/// The job of a cell's execution.
fn job(checked: &Checked, discovery: &Discovery, cell: Cell, nth: u32) -> Job {
    let network = &discovery.networks[cell.network];
    let noise = discovery.noise.scaled(discovery.noise_percent[cell.noise]);
    let costs = discovery.software.costs;
    let name = |host: &crate::ids::HostId| network.topology.network.name_of(Node::Host(*host)).to_owned();
    let schedule = match discovery.at_once[cell.at_once] {
        1 => Schedule::Sequence,
        pairs => Schedule::AtOnce(pairs),
    };
    Job {
        machines: network.machines.clone(),
        names: network.machines.iter().map(name).collect(),
        plan: Plan { schedule, ..discovery.plan },
        software: ranks::Software {
            short: costs,
            long: costs,
            envelope: discovery.software.envelope,
            jitter: noise.jitter,
            ..ranks::Software::NONE
        },
        pause: discovery.software.pause,
        noise: Noise {
            outliers_ppm: noise.outliers_ppm,
            outlier_mean: noise.outlier_mean,
            drift: noise.drift,
            drift_period: noise.drift_period,
            background_ppm: noise.background_ppm,
            background_message: noise.background_message,
        },
        paces: discovery.paces.clone(),
        seed: checked.seed.wrapping_add(u64::from(nth)),
    }
}
