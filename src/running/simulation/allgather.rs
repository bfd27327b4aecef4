//! The all-gather of a scenario, on an idle network.
//!
//! # Scope and limitations
//! Executed as often as the scenario says, with the scenario's seed and those after it.
//!
//! # Source
//! faraj2008, section 5 and its Fig. 7: a barrier, then the operation repeated; the mean over machines and executions.
//!
//! # Validation
//! `tests/it/scenarios/gather.rs`: runs against frame arithmetic and against the kernel called by hand; every buffer
//! checked, losses reported.

mod carrier;
mod found;
mod pauses;
mod report;

pub use pauses::PauseReport;
pub use report::GatherReport;

use std::io::{self, Write};

use thiserror::Error;

use simnet_base::units::{BitRate, Duration};
use simnet_media::ethernet::transport::TransportError;
use simnet_media::host::collective::Algorithm;
use simnet_media::trace::Recorder;
use simnet_output::report::Tally;
use simnet_scenario::Checked;
use simnet_scenario::allgather::{Allgather, Medium, Method, Protocol};
use simnet_scenario::checked::Work;

use super::ranks::{self, Job, JobError, Outcome};
use super::summary::{Findings, Outcome as End, Summary};
use super::{Listener, Progress, Run, RunError, tables};
use carrier::{Counts, Frames};
use found::Found;

/// Why an all-gather cannot be run.
#[derive(Debug, Error)]
pub enum GatherError {
    /// The Ethernet or its transport cannot be built.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The job is none.
    #[error(transparent)]
    Job(#[from] JobError),
}

/// The all-gather of a scenario, with all that is known of it before it runs.
struct Gather<'a> {
    checked: &'a Checked,
    allgather: &'a Allgather,
    found: Found,
}

/// Executions of an all-gather, one after the other: what each came to.
type Executions = Vec<(Outcome, Counts)>;

/// Runs the all-gather. `recorder` records its first execution.
///
/// # Errors
/// [`RunError`].
pub(super) fn run(
    checked: &Checked,
    allgather: &Allgather,
    progress: &dyn Progress,
    recorder: Option<&Recorder>,
) -> Result<Run, RunError> {
    let gather = Gather::new(checked, allgather)?;
    progress.stage("gathering", u64::from(allgather.executions));
    let mut executions = Executions::new();
    let job = gather.job();
    for (nth, job) in job.iter().flat_map(|job| gather.jobs(job)).enumerate() {
        let recorder = recorder.filter(|_| nth == 0 && gather.can_be_recorded());
        executions.push(gather.execute(&job, Listener(progress), recorder)?);
        progress.step();
    }
    let events = executions.iter().map(|(_, counts)| counts.events).sum();
    let delivered = |outcome: &Outcome| outcome.carried.saturating_sub(outcome.lost.len() as u64);
    let messages_delivered = executions.iter().map(|(outcome, _)| delivered(outcome)).sum();
    let report = GatherReport::new(&gather, job.as_ref(), &executions);
    let summary = Summary::new(checked, gather.end(&executions), Findings::Allgather(Box::new(report)));
    let mut files = vec![tables::network(&checked.topology.network)];
    let of_first = executions.first().and_then(|(_, counts)| counts.pauses.as_deref());
    if let Some(pauses) = of_first {
        files.push(("pauses.csv".to_owned(), pauses::table(&pauses.rows)));
        files.push(("deadlocks.csv".to_owned(), tables::deadlocks(summary.deadlocks())));
    }
    Ok(Run { summary, files, latencies: Vec::new(), events, messages_delivered })
}

/// Writes what passes the ports in the first execution, as pcapng, at most `limit` packets; gives what the capture
/// holds. Nothing is written where there is no all-gather over frames, or no ring.
///
/// # Errors
/// [`RunError`] as a run; the inner one if `out` fails.
pub fn capture<W: Write>(
    checked: &Checked,
    out: W,
    limit: u64,
) -> Result<io::Result<Option<Tally>>, RunError> {
    let Work::Allgather(allgather @ Allgather { medium: Medium::Ethernet(ethernet), .. }) = &checked.work
    else {
        return Ok(Ok(None));
    };
    let Some(job) = Gather::new(checked, allgather)?.job() else { return Ok(Ok(None)) };
    let captured = carrier::capture(&Frames::new(checked, ethernet), &job, out, limit)?;
    Ok(captured.map(|(_, tally)| Some(tally)))
}

impl<'a> Gather<'a> {
    /// Finds the ring and the ways of messages.
    fn new(checked: &'a Checked, allgather: &'a Allgather) -> Result<Gather<'a>, RunError> {
        Ok(Gather { checked, allgather, found: Found::new(checked, allgather)? })
    }

    /// The job; `None` if it needs a ring that does not exist.
    fn job(&self) -> Option<Job> {
        let Gather { checked, allgather, found } = self;
        let machines = allgather.placed();
        let (algorithm, order) = match allgather.algorithm {
            Method::Blind(algorithm) => (algorithm, None),
            Method::Found(_) => {
                let order = ranks::order_on_ring(&machines, found.hosts()?);
                (Algorithm::Ring, Some(order.expect("a ring holds every machine once")))
            }
        };
        Some(Job {
            machines,
            block: allgather.size,
            algorithm,
            order,
            software: allgather.software,
            protocol: protocol(allgather),
            iterations: allgather.iterations.of(allgather.size),
            seed: checked.seed,
        })
    }

    /// A job with the seed of every execution.
    fn jobs(&self, job: &Job) -> impl Iterator<Item = Job> {
        let (job, seed) = (job.clone(), self.checked.seed);
        let with_seed = move |nth| Job { seed: seed.wrapping_add(nth), ..job.clone() };
        (0..u64::from(self.allgather.executions)).map(with_seed)
    }

    /// What runs; none if there is no ring.
    fn ran(&self) -> Option<Algorithm> {
        match self.allgather.algorithm {
            Method::Found(_) => Some(Algorithm::Ring).filter(|_| self.found.refusal().is_none()),
            Method::Blind(algorithm) => {
                Some(algorithm.choose(self.allgather.ranks(), self.allgather.size.0).algorithm)
            }
        }
    }

    /// How it ended: with losses that ranks wait for in vain, with worms that block each other for ever, or well.
    fn end(&self, executions: &Executions) -> End {
        let complete = executions.iter().all(|(outcome, _)| outcome.is_complete());
        let stands = |counts: &Counts| {
            let deadlocks = counts.pauses.iter().flat_map(|pauses| &pauses.deadlocks);
            counts.is_locked || deadlocks.clone().any(|deadlock| deadlock.cleared_ns.is_none())
        };
        let is_locked = executions.iter().any(|(_, counts)| stands(counts));
        match (complete, is_locked) {
            (true, _) => End::Drained,
            (false, true) => End::Deadlocked,
            (false, false) => End::Horizon,
        }
    }

    /// The rate of the slowest cable to a machine.
    fn slowest(&self) -> BitRate {
        let usual = match &self.allgather.medium {
            Medium::Ethernet(ethernet) => ethernet.rate,
            Medium::Fabric(_) => self.checked.fabric.rate,
        };
        let topology = &self.checked.topology;
        let rate = |host: &simnet_base::ids::HostId| {
            let (_, link, _) = topology.attachment(*host)?;
            Some(topology.network.link(link).rate.unwrap_or(usual))
        };
        self.allgather.machines.iter().filter_map(rate).min().unwrap_or(usual)
    }

    /// The time below which no algorithm can be: (P - N) m / B.
    fn bound(&self) -> Duration {
        let each = self.allgather.ranks_per_machine as usize;
        ranks::bound(self.allgather.ranks(), each, self.allgather.size, self.slowest())
    }
}

fn protocol(allgather: &Allgather) -> ranks::Protocol {
    let plain = match allgather.protocol {
        Protocol::Eager => ranks::Protocol::EAGER,
        Protocol::Socket => ranks::Protocol { eager_up_to: allgather.threshold, ..ranks::Protocol::SOCKET },
        // The threshold then decides which messages are announced, if any are.
        Protocol::Rendezvous => {
            ranks::Protocol { eager_up_to: allgather.threshold, ..ranks::Protocol::RENDEZVOUS }
        }
        Protocol::Threshold => ranks::Protocol::switched(allgather.threshold),
    };
    ranks::Protocol { handshake: allgather.handshake, ..plain }
}
