//! `simnet sweep run`: everything that is missing, on every core, then the table.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::json;
use tracing::info;

use super::progress::Line;
use super::{Described, Source, ended, evaluation, merge, parse_jobs, points, slurm, warn_of_failures};
use crate::cli::interrupt::{Interruptions, Stop, drop_points};
use crate::cli::output::{note, print, print_json};
use crate::cli::places::{Places, tidy};
use crate::cli::run::place_of;
use crate::cli::{Common, Exit, Failure, Format};
use simnet_base::diagnostics::shown;
use simnet_base::files::Folder;
use simnet_base::numbers::span;
use simnet_output::report::{RESULTS, utf8_text};
use simnet_running::sweep::{self, Known, Lock, Points as _, Ran, RunOptions, Scenarios, Store};

#[derive(Args)]
pub(in crate::cli) struct Options {
    #[command(flatten)]
    pub(super) source: Source,
    /// The sweep's folder; `results/<name>` if not given, with --quick `results/<name>-quick`. What it
    /// holds of this sweep already is kept
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// How many points are computed at once; as many as there are cores if not given
    #[arg(long, value_name = "N", value_parser = parse_jobs)]
    pub(super) jobs: Option<usize>,
    /// Compute points again that failed
    #[arg(long)]
    pub(super) retry: bool,
    /// Where points are computed
    #[arg(long, value_enum, default_value_t)]
    executor: Executor,
    /// Compute nothing and leave nothing behind: tell what is missing, or print the script for Slurm
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    pub(super) slurm: slurm::Arguments,
}

/// Where points are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Executor {
    /// By this process.
    #[default]
    Local,
    /// By jobs of Slurm's, which are submitted.
    Slurm,
}

pub(super) fn run(
    options: &Options,
    common: &Common,
    interruptions: &Interruptions,
) -> Result<Exit, Failure> {
    let described = options.source.read(common.seed)?;
    let folder = place_of(options.out.as_deref(), described.plan.name(), options.source.quick);
    if options.executor == Executor::Local && options.slurm.is_given() {
        let message = "--tasks, --cpus-per-task and --sbatch are for --executor slurm";
        return Err(Failure::Usage(message.to_owned()));
    }
    match (options.executor, options.dry_run) {
        (Executor::Slurm, true) => return slurm::dry_run(options, &described, &folder, common),
        (Executor::Local, true) => return dry_run(options, &described, &folder, common),
        (Executor::Slurm, false) => {
            if let Some(exit) = slurm::run(options, &described, &folder, common, interruptions)? {
                return Ok(exit);
            }
            // Nothing is missing but the table, perhaps.
        }
        (Executor::Local, false) => {}
    }
    here(options, &described, &folder, common, interruptions)
}

/// Tells what would be computed, without touching the folder.
fn dry_run(
    options: &Options,
    described: &Described,
    folder: &Path,
    common: &Common,
) -> Result<Exit, Failure> {
    let (plan, known) = (&described.plan, known(folder, described)?);
    let left = left(plan, &known, options.retry);
    let missing = left.iter().filter(|left| **left).count();
    let seconds: f64 =
        (0..plan.len()).zip(left).filter(|(_, left)| *left).map(|(point, _)| plan.cost(point)).sum::<f64>()
            + 0.0;
    match common.format {
        Format::Json => print_json(&json!({
            "sweep": plan.name(), "points": plan.len(), "missing": missing, "cost_left_s": seconds,
            "out": utf8_text(folder.as_os_str()),
        })),
        Format::Human => print(&format!(
            "{}: {}, {missing} of them to be computed, about {} of one core\n",
            plan.name(),
            points(plan.len()),
            span(seconds)
        )),
    }?;
    Ok(Exit::Fine)
}

/// What the folder of a sweep holds, without touching it; nothing if there is none.
///
/// # Errors
/// If it is the folder of something else.
pub(super) fn known(folder: &Path, described: &Described) -> Result<Known, Failure> {
    Store::probe(folder, &described.identity)?;
    match Store::found(folder) {
        Ok(store) => Ok(store.known()?),
        // A sweep may be put there, so there is none yet.
        Err(_) => Ok(Known::default()),
    }
}

/// Of every point, whether it is still to be computed.
pub(super) fn left(plan: &Scenarios, known: &Known, retry: bool) -> Vec<bool> {
    let is_left = |key| known.find(&key).is_none_or(|record| record.failed && retry);
    plan.keys(0..plan.len()).into_iter().map(is_left).collect()
}

/// Computes what is missing in this process.
fn here(
    options: &Options,
    described: &Described,
    folder: &Path,
    common: &Common,
    interruptions: &Interruptions,
) -> Result<Exit, Failure> {
    #[expect(clippy::disallowed_methods, reason = "the manifest tells how long the run took")]
    let begun = std::time::Instant::now();
    let (lock, store) = prepare(folder, described, common)?;
    let plan = &described.plan;
    info!(sweep = plan.name(), points = plan.len(), out = %shown(&folder), "the sweep is sound");
    let progress = Line::new(common.quiet, false);
    let compute = |stop: &Stop| {
        let how = RunOptions {
            jobs: options.jobs.unwrap_or(0),
            part: None,
            retry: options.retry,
            progress: &progress,
            stop: stop.flag(),
        };
        sweep::run_as(plan, &store, &how)
    };
    let ran = interruptions.patiently(compute, drop_points);
    drop(progress);
    let ran = ran?;
    if ran.interrupted {
        warn_interrupted(&ran);
        return Ok(Exit::Interrupted);
    }
    let finish = || merge(plan, &store, ran.computed, begun.elapsed().as_secs_f64());
    let (merged, interrupted) = interruptions.hold(finish);
    let (merged, holds) = merged?;
    drop(lock);
    warn_of_failures(&merged);
    match common.format {
        Format::Json => print_json(&json!({
            "sweep": plan.name(), "points": merged.points, "kept": ran.kept, "computed": ran.computed,
            "failed": merged.failed, "missing": merged.missing, "out": utf8_text(folder.as_os_str()),
        })),
        Format::Human => print(&format!(
            "{}: {}, {} computed, {} kept, {} failed\nResults: {}\n",
            plan.name(),
            points(merged.points),
            ran.computed,
            ran.kept,
            merged.failed,
            shown(&folder.join("points.csv"))
        )),
    }?;
    Ok(match merged.missing {
        _ if interrupted => Exit::Interrupted,
        0 => ended(merged.failed, merged.ends, holds),
        _ => Exit::Expectation,
    })
}

/// Makes the folder of a sweep ready to be computed, and takes the right to run it.
///
/// # Errors
/// If the folder holds something else, is in use, or cannot be written.
pub(super) fn prepare(
    folder: &Path,
    described: &Described,
    common: &Common,
) -> Result<(Lock, Store), Failure> {
    let read = described.inputs.keys();
    let places = read.fold(Places::new(), |places, file| places.reads("a file of the sweep", file));
    let places = Store::own_files(folder).iter().fold(places, |places, file| places.keeps("--out", file));
    match described.plan.sweep().is_evaluated() {
        true => {
            let evaluation = evaluation(folder);
            Folder::probe(&evaluation, RESULTS)?;
            places.replaces("--out", &evaluation).check(common)?;
        }
        false => places.check(common)?,
    }
    Store::probe(folder, &described.identity)?;
    Store::making_places(folder).iter().for_each(|place| tidy(place, common.quiet));
    let lock = Lock::take(folder)?;
    let store = Store::open(folder, &described.identity, &described.inputs)?;
    Ok((lock, store))
}

/// Says what an interrupted run leaves.
pub(super) fn warn_interrupted(ran: &Ran) {
    let done = ran.kept + ran.computed;
    note(&format!(
        "interrupted: {done} of {} are done and kept; the same command goes on",
        points(ran.points)
    ));
}
