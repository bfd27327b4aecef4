//! `simnet sweep run`: everything that is missing, on every core, then the table.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use tracing::info;

use super::progress::Line;
use super::{Described, Source, merge, parse_jobs, points, tell_failures};
use crate::cli::interrupt::Interruptions;
use crate::cli::output::{note, print, print_json};
use crate::cli::{Common, Exit, Failure, Format};
use crate::sweep::{self, How, Lock, Points as _, Ran, Store};

#[derive(Args)]
pub(in crate::cli) struct Options {
    #[command(flatten)]
    pub(super) source: Source,
    /// The sweep's folder; `results/<name>` if not given. What it holds of this sweep already is kept
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// How many points are computed at once; as many as there are cores if not given
    #[arg(long, value_name = "N", value_parser = parse_jobs)]
    pub(super) jobs: Option<usize>,
    /// Compute points again that failed
    #[arg(long)]
    pub(super) retry: bool,
}

pub(super) fn run(
    options: &Options,
    common: &Common,
    interruptions: &Interruptions,
) -> Result<Exit, Failure> {
    #[expect(clippy::disallowed_methods, reason = "the manifest tells how long the run took")]
    let begun = std::time::Instant::now();
    let described = options.source.read(common.seed)?;
    let folder = options.out.clone().unwrap_or_else(|| PathBuf::from("results").join(described.plan.name()));
    let (lock, store) = prepare(&folder, &described)?;
    let plan = &described.plan;
    info!(sweep = plan.name(), points = plan.len(), out = %folder.display(), "the sweep is sound");
    let progress = Line::new(common.quiet, false);
    let ran = interruptions.patiently(|stop| {
        let how = How {
            jobs: options.jobs.unwrap_or(0),
            part: None,
            retry: options.retry,
            progress: &progress,
            stop,
        };
        sweep::run_as(plan, &store, &how)
    });
    drop(progress);
    let ran = ran?;
    if ran.interrupted {
        tell_interrupted(&ran);
        return Ok(Exit::Interrupted);
    }
    let finish = || merge(plan, &store, ran.computed, begun.elapsed().as_secs_f64());
    let (merged, interrupted) = interruptions.hold(finish);
    let merged = merged?;
    drop(lock);
    tell_failures(&merged);
    match common.format {
        Format::Json => print_json(&json!({
            "sweep": plan.name(), "points": merged.points, "kept": ran.kept, "computed": ran.computed,
            "failed": merged.failed, "missing": merged.missing, "out": folder.display().to_string(),
        })),
        Format::Human => print(&format!(
            "{}: {}, {} computed, {} kept, {} failed\nResults: {}\n",
            plan.name(),
            points(merged.points),
            ran.computed,
            ran.kept,
            merged.failed,
            folder.join("points.csv").display()
        )),
    }?;
    Ok(match merged.failed {
        _ if interrupted => Exit::Interrupted,
        _ if merged.missing > 0 => Exit::Expectation,
        0 => Exit::Fine,
        _ => Exit::PointsFailed,
    })
}

/// Makes the folder of a sweep ready to be computed, and takes the right to run it.
///
/// # Errors
/// If the folder holds something else, is in use, or cannot be written.
pub(super) fn prepare(folder: &std::path::Path, described: &Described) -> Result<(Lock, Store), Failure> {
    Store::probe(folder, &described.identity)?;
    let lock = Lock::take(folder)?;
    let store = Store::open(folder, &described.identity, &described.inputs)?;
    Ok((lock, store))
}

/// Says what an interrupted run leaves.
pub(super) fn tell_interrupted(ran: &Ran) {
    let done = ran.kept + ran.computed;
    note(&format!(
        "interrupted: {done} of {} are done and kept; the same command goes on",
        points(ran.points)
    ));
}
