//! All-gathers of a scenario: every algorithm and size on every network and medium, and what they come to together.
//!
//! # Scope and limitations
//! Every cell is a run of its own on an idle network, executed as often as the scenario says with the scenario's seed
//! and those after it. Rings are found once for each network, medium and rate.
//!
//! # Source
//! faraj2008, section 5 and its Fig. 7: a barrier, then the operation repeated; the mean over machines and executions.
//!
//! # Validation
//! `tests/it/gather_scenarios.rs`: cells against frame arithmetic and against the kernel called by hand; every buffer
//! checked, losses reported.

mod carrier;
mod figures;
mod found;
mod report;
mod tables;

pub use report::{AllgatherReport, GatherReport};

use std::collections::BTreeMap;
use std::io::{self, Write};

use rayon::prelude::*;
use thiserror::Error;

use crate::ethernet::transport::TransportError;
use crate::report::Tally;
use crate::scenario::Checked;
use crate::scenario::allgather::{Allgather, Cell, Iterations, MediumKind, Method, Protocol};
use crate::trace::Recorder;
use crate::units::{BitRate, Duration};

use super::ranks::{self, Job, JobError, Outcome};
use super::summary::{Outcome as End, Summary};
use super::{Listener, Progress, Run, RunError};
use carrier::{Counts, Frames};
use found::{Found, Key};

/// Why all-gathers cannot be run.
#[derive(Debug, Error)]
pub enum GatherError {
    /// The Ethernet or its transport cannot be built.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The job is none.
    #[error(transparent)]
    Job(#[from] JobError),
}

/// What came of a cell.
struct Outcomes {
    /// Which cell.
    cell: Cell,
    /// What it came to, one execution after the other; empty if there is no ring.
    executions: Vec<(Outcome, Counts)>,
    /// The job that was run.
    job: Option<Job>,
}

/// What came of all cells.
struct Results<'a> {
    /// The scenario.
    checked: &'a Checked,
    /// What was run.
    allgather: &'a Allgather,
    /// In the order of [`Allgather::cells`].
    cells: Vec<Outcomes>,
    /// The rings.
    found: BTreeMap<Key, Found>,
}

/// Runs every cell, several at a time, and gathers them in order. `recorder` records the first execution of the first
/// cell on the scenario's own network.
///
/// # Errors
/// [`RunError`] of the first cell that has one.
pub(super) fn run(
    checked: &Checked,
    allgather: &Allgather,
    progress: &dyn Progress,
    recorder: Option<&Recorder>,
) -> Result<Run, RunError> {
    let cells = allgather.cells();
    let mut keys: Vec<Key> = cells.iter().map(|cell| Key::of(*cell)).collect();
    keys.sort_unstable();
    keys.dedup();
    progress.stage("finding rings", keys.len() as u64);
    let one = |key: &Key| {
        let found = Found::new(checked, allgather, *key);
        progress.step();
        found.map(|found| (*key, found))
    };
    let found: BTreeMap<Key, Found> = keys.par_iter().map(one).collect::<Result<_, RunError>>()?;
    progress.stage("gathering", cells.len() as u64);
    let is_recorded = |cell: &&Cell| {
        let found = &found[&Key::of(**cell)];
        recorder.is_some()
            && carrier::can_be_recorded(checked, allgather, **cell, found)
            && job(checked, allgather, **cell, found).is_some()
    };
    let recorded = cells.iter().find(is_recorded).copied();
    let one = |cell: &Cell| {
        let recorder = recorder.filter(|_| recorded == Some(*cell));
        let done = of_cell(checked, allgather, *cell, &found[&Key::of(*cell)], Listener(progress), recorder);
        progress.step();
        done
    };
    let cells: Vec<Outcomes> = cells.par_iter().map(one).collect::<Result<_, _>>()?;
    let executions = || cells.iter().flat_map(|outcomes| &outcomes.executions);
    let events = executions().map(|(_, counts)| counts.events).sum();
    let messages_delivered = executions().map(|(o, _)| o.parcels.saturating_sub(o.lost.len() as u64)).sum();
    let end = cells.iter().map(|outcomes| end(checked, allgather, outcomes)).max().unwrap_or(End::Drained);
    let results = Results { checked, allgather, cells, found };
    let report = AllgatherReport::new(&results);
    let mut files = tables::all(&report);
    if let [only] = &allgather.networks[..] {
        files.push(super::tables::network(&only.topology.network));
    }
    files.extend(figures::all(&results, &report));
    files.push(("README.md".to_owned(), tables::readme(checked, allgather, &report, &files)));
    let summary = Summary { allgather: Some(report), ..Summary::new(checked, end) };
    Ok(Run { summary, files, latencies: Vec::new(), events, messages_delivered })
}

/// How a cell ended: with losses that ranks wait for in vain, with worms that block each other for ever, or well.
fn end(checked: &Checked, allgather: &Allgather, outcomes: &Outcomes) -> End {
    let complete = outcomes.executions.iter().all(|(outcome, _)| outcome.is_complete());
    let is_fabric = allgather.media[outcomes.cell.medium] == MediumKind::Fabric;
    match (complete, is_fabric && checked.fabric.deadlock_timeout.is_none()) {
        (true, _) => End::Drained,
        (false, true) => End::Deadlocked,
        (false, false) => End::Horizon,
    }
}

/// Writes what passes the ports in the first execution of the first cell that has frames, as pcapng, at most `limit`
/// packets; gives what the capture holds. Nothing is written if no cell has frames and a ring.
///
/// # Errors
/// [`RunError`] as a run; the inner one if `out` fails.
pub fn capture<W: Write>(
    checked: &Checked,
    allgather: &Allgather,
    out: W,
    limit: u64,
) -> Result<io::Result<Option<Tally>>, RunError> {
    let framed = |cell: &Cell| allgather.media[cell.medium] == MediumKind::Ethernet;
    for cell in allgather.cells().into_iter().filter(framed) {
        let found = Found::new(checked, allgather, Key::of(cell))?;
        let Some(job) = job(checked, allgather, cell, &found) else { continue };
        let frames = Frames::new(checked, allgather, cell);
        let captured = carrier::capture(&frames, &job, out, limit)?;
        return Ok(captured.map(|(_, tally)| Some(tally)));
    }
    Ok(Ok(None))
}

/// Runs a cell, its first execution recorded if that is wanted.
fn of_cell(
    checked: &Checked,
    allgather: &Allgather,
    cell: Cell,
    found: &Found,
    listener: Listener<'_>,
    recorder: Option<&Recorder>,
) -> Result<Outcomes, RunError> {
    let Some(job) = job(checked, allgather, cell, found) else {
        return Ok(Outcomes { cell, executions: Vec::new(), job: None });
    };
    let mut executions = Vec::new();
    for execution in 0..u64::from(allgather.executions) {
        let job = Job { seed: checked.seed.wrapping_add(execution), ..job.clone() };
        let recorder = recorder.filter(|_| execution == 0);
        executions.push(carrier::run(checked, allgather, cell, found, &job, listener, recorder)?);
    }
    Ok(Outcomes { cell, executions, job: Some(job) })
}

/// The job of a cell; `None` if it needs a ring that does not exist.
fn job(checked: &Checked, allgather: &Allgather, cell: Cell, found: &Found) -> Option<Job> {
    let network = &allgather.networks[cell.network];
    let machines = network.placed(allgather.ranks_per_machine, allgather.placement);
    let (algorithm, order) = match allgather.algorithms[cell.algorithm] {
        Method::Blind(algorithm) => (algorithm, None),
        Method::Found(_) => {
            let order = ranks::order_on_ring(&machines, found.hosts()?);
            (crate::host::collective::Algorithm::Ring, Some(order.expect("a ring holds every machine once")))
        }
    };
    let block = allgather.sizes[cell.size];
    Some(Job {
        machines,
        block,
        algorithm,
        order,
        software: allgather.software,
        protocol: protocol(allgather, allgather.protocols[cell.protocol]),
        iterations: match allgather.iterations {
            Iterations::Paper => ranks::iterations(block),
            Iterations::Number(number) => number,
        },
        seed: checked.seed,
    })
}

fn protocol(allgather: &Allgather, protocol: Protocol) -> ranks::Protocol {
    let plain = match protocol {
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

/// The rate of a cell's slowest cable to a machine.
fn slowest(checked: &Checked, allgather: &Allgather, cell: Cell) -> BitRate {
    if let Some(nth) = cell.rate {
        return allgather.rates[nth];
    }
    let usual = match (allgather.media[cell.medium], &checked.ethernet) {
        (MediumKind::Ethernet, Some(ethernet)) => ethernet.rate,
        _ => checked.fabric.rate,
    };
    let topology = &allgather.networks[cell.network].topology;
    let own = allgather.networks[cell.network].machines.iter();
    let rate = |host: &crate::ids::HostId| {
        let (_, link, _) = topology.attachment(*host)?;
        Some(topology.network.link(link).rate.unwrap_or(usual))
    };
    own.filter_map(rate).min().unwrap_or(usual)
}

/// The time below which no algorithm can be: (P - N) m / B.
fn bound(checked: &Checked, allgather: &Allgather, cell: Cell) -> Duration {
    let each = allgather.ranks_per_machine as usize;
    let ranks = allgather.networks[cell.network].machines.len() * each;
    ranks::bound(ranks, each, allgather.sizes[cell.size], slowest(checked, allgather, cell))
}
