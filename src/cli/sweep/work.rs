//! `simnet sweep work`: one share of a sweep, from its folder alone.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::progress::Line;
use super::run::warn_interrupted;
use super::{of_folder, parse_jobs, points};
use crate::cli::interrupt::{Interruptions, Stop, drop_points};
use crate::cli::output::{print, print_json};
use crate::cli::{Common, Exit, Failure, Format};
use simnet_running::sweep::{self, Part, Points as _, RunOptions};

#[derive(Args)]
pub(in crate::cli) struct Options {
    /// The sweep's folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Which share, from 0
    #[arg(long, value_name = "I")]
    task: usize,
    /// Of how many; their costs are about alike
    #[arg(long, value_name = "C")]
    of: usize,
    /// How many points are computed at once; as many as there are cores if not given
    #[arg(long, value_name = "N", value_parser = parse_jobs)]
    jobs: Option<usize>,
    /// Compute points again that failed
    #[arg(long)]
    retry: bool,
}

pub(super) fn run(
    options: &Options,
    common: &Common,
    interruptions: &Interruptions,
) -> Result<Exit, Failure> {
    let Options { task, of, .. } = *options;
    if task >= of {
        let tasks = if of == 0 {
            "there is no task at all".to_owned()
        } else {
            format!("tasks count from 0 to {}", of - 1)
        };
        return Err(Failure::Usage(format!("--task {task} --of {of}: {tasks}")));
    }
    let (plan, store) = of_folder(&options.folder)?;
    let progress = Line::new(common.quiet, true);
    let compute = |stop: &Stop| {
        let part = Some(Part { task, of });
        let how = RunOptions {
            jobs: options.jobs.unwrap_or(0),
            part,
            retry: options.retry,
            progress: &progress,
            stop: stop.flag(),
        };
        sweep::run_as(&plan, &store, &how)
    };
    let ran = interruptions.patiently(compute, drop_points);
    drop(progress);
    let ran = ran?;
    if ran.interrupted {
        warn_interrupted(&ran);
        return Ok(Exit::Interrupted);
    }
    match common.format {
        Format::Json => print_json(&json!({
            "sweep": plan.name(), "task": task, "of": of, "points": ran.points, "kept": ran.kept,
            "computed": ran.computed, "failed": ran.failed,
        })),
        Format::Human => print(&format!(
            "{}, task {task} of {of}: {}, {} computed, {} kept, {} failed\n",
            plan.name(),
            points(ran.points),
            ran.computed,
            ran.kept,
            ran.failed
        )),
    }?;
    Ok(if ran.failed > 0 { Exit::PointsFailed } else { Exit::Fine })
}
