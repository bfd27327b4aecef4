//! A discovery: round-trip times measured on an idle Ethernet, every method asked about them, and the answers judged by
//! the tree that frames really keep to.
//!
//! # Scope and limitations
//! * All methods infer from the same matrix: the one that was measured, one from a file, or one by a formula.
//! * The truth is the spanning tree that the switches elect, without the branches that hold no machine: nothing else
//!   can be inferred from round-trip times. A tree is right if all its hop counts are, as these leave no choice
//!   (Theorem 1 of lawrence2008).
//! * What computing takes on machine 0 is a constant of the scenario.
//!
//! # Source
//! lawrence2008, section 4 and its Tables 1 to 3: each result is the average of five executions.
//!
//! # Validation
//! `tests/it/scenarios/discovery.rs`: a run equals measuring and inferring called by hand; Fig. 6 gives Fig. 8.
//! `tests/running/oracle/recovery.rs`: times by the formula have the noise that they should, and how much of it methods
//! bear.

mod infer;
mod report;
mod tables;
mod times;
mod truth;

pub use report::{
    ClassReport, DiscoveryReport, FindingReport, HopClassReport, MeasurementReport, MethodReport,
    SamplesReport,
};
pub use times::made_up;

use std::collections::BTreeMap;

use thiserror::Error;

use simnet_base::ids::Node;
use simnet_media::ethernet::transport::TransportError;
use simnet_network::discovery::{Hops, Rtts};
use simnet_scenario::Checked;
use simnet_scenario::discovery::{Discovery, Matrix, Method, Source};

use super::ranks;
use super::rtt::{Job, JobError, Outcome};
use super::summary::{Findings, Outcome as End, Summary};
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

/// What came of a discovery.
struct Found<'a> {
    checked: &'a Checked,
    discovery: &'a Discovery,
    /// The machines' names.
    names: Vec<String>,
    /// The hop counts that there really are.
    truth: Hops,
    /// What was measured, if anything was.
    outcome: Option<Outcome>,
    /// The times, unless some machine's never reached machine 0.
    rtts: Option<Rtts>,
    /// Frames over cables, each once a cable.
    hops: u64,
    /// Frames that found no room.
    dropped: u64,
    /// What each method made of the times; nothing without any.
    inferred: BTreeMap<Method, Inferred>,
}

/// Measures, infers and judges.
///
/// # Errors
/// [`RunError`] if the Ethernet cannot be built.
pub(super) fn run(
    checked: &Checked,
    discovery: &Discovery,
    progress: &dyn Progress,
) -> Result<Run, RunError> {
    progress.stage("measuring", 1);
    let found = Found::new(checked, discovery, Listener(progress))?;
    progress.step();
    let report = DiscoveryReport::new(&found);
    let mut files = tables::all(&found, &report);
    // A matrix that was given knows machines, and nothing between them.
    if !matches!(discovery.source, Source::File(_)) {
        files.push(super::tables::network(&checked.topology.network));
    }
    files.push(("README.md".to_owned(), tables::readme(&found, &report, &files)));
    let end = if report.measured.complete { End::Drained } else { End::Horizon };
    let (events, messages_delivered) =
        (report.measured.frame_hops, report.measured.messages - report.measured.messages_lost);
    let summary = Summary::new(checked, end, Findings::Discovery(Box::new(report)));
    Ok(Run { summary, files, latencies: Vec::new(), events, messages_delivered })
}

impl Found<'_> {
    fn new<'a>(
        checked: &'a Checked,
        discovery: &'a Discovery,
        listener: Listener<'_>,
    ) -> Result<Found<'a>, DiscoveryError> {
        let name = |host| checked.topology.network.name_of(Node::Host(host)).to_owned();
        let names: Vec<String> = discovery.machines.iter().copied().map(name).collect();
        let truth = truth::hops(checked, discovery);
        let (mut outcome, mut counters) = (None, (0, 0));
        let rtts = match &discovery.source {
            Source::File(Matrix { rtts, .. }) => Some(rtts.clone()),
            Source::MadeUp(formula) => Some(made_up(formula, names.clone(), &truth, checked.seed)),
            Source::Measured(ethernet) => {
                let job = job(checked, discovery, names.clone());
                let (mut measured, counted) = times::measured(&checked.topology, ethernet, &job, listener)?;
                let rtts = measured.rtts.take();
                (outcome, counters) = (Some(measured), counted);
                rtts
            }
        };
        let step = infer::known_step(discovery);
        let infer = |rtts| {
            let methods = discovery.methods.iter();
            methods.map(move |method| (*method, Inferred::new(*method, discovery, step, rtts)))
        };
        let inferred = rtts.iter().flat_map(infer).collect();
        let (hops, dropped) = counters;
        Ok(Found { checked, discovery, names, truth, outcome, rtts, hops, dropped, inferred })
    }
}

/// The measurement.
fn job(checked: &Checked, discovery: &Discovery, names: Vec<String>) -> Job {
    let software = discovery.software;
    Job {
        machines: discovery.machines.clone(),
        names,
        plan: discovery.plan,
        software: ranks::Software {
            short: software.costs,
            long: software.costs,
            envelope: software.envelope,
            jitter: software.jitter,
            ..ranks::Software::NONE
        },
        pause: software.pause,
        noise: discovery.noise,
        paces: discovery.paces.clone(),
        seed: checked.seed,
    }
}
