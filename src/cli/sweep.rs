//! `simnet sweep`: many points, planned, computed anywhere, merged into one table.

mod merge;
mod plan;
mod progress;
mod run;
mod slurm;
mod status;
mod work;

pub(super) use progress::Line;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde::Serialize;

use super::interrupt::Interruptions;
use super::{Common, Exit, Failure, complain, output};
use crate::cli::COMMIT;
use simnet_base::diagnostics::{legible_json, shown};
use simnet_output::report::{Usage, VERSION};
use simnet_running::simulation::MODEL;
use simnet_running::sweep::{
    self, Damage, Ends, Identity, MOST_THREADS, Merged, Points as _, Scenarios, Store,
};
use simnet_scenario::sweep::Sweep;
use simnet_scenario::{Files, Overrides};

#[derive(Subcommand)]
pub(super) enum Action {
    /// List the points of a sweep, and what they are likely to cost
    Plan(plan::Options),
    /// Compute every point that the sweep's folder does not have yet, then write points.csv
    Run(run::Options),
    /// Compute one share of a sweep's points, as a task of a job array does
    Work(work::Options),
    /// Tell what is done, from the shards
    Status(status::Options),
    /// Write points.csv, if every point is done
    Merge(merge::Options),
}

/// Where the description of a sweep is.
#[derive(Args)]
pub(super) struct Source {
    /// The sweep: a scenario file with a section [sweep]
    #[arg(value_name = "SWEEP.toml")]
    file: PathBuf,
    /// Replaces a value of the file, as in --set fabric.buffer='"200 B"'; may be given again
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// A small version: every fourth value of long numeric axes, at most two repetitions, each point as run --quick
    #[arg(long)]
    quick: bool,
}

/// A sweep, what it is known by, and everything it was read from.
pub(super) struct Described {
    pub(super) plan: Scenarios,
    pub(super) identity: Identity,
    pub(super) inputs: BTreeMap<PathBuf, Vec<u8>>,
}

pub(super) fn run(action: &Action, common: &Common, interruptions: &Interruptions) -> Result<Exit, Failure> {
    match action {
        Action::Plan(options) => plan::run(options, common),
        Action::Run(options) => run::run(options, common, interruptions),
        Action::Work(options) => work::run(options, common, interruptions),
        Action::Status(options) => status::run(options, common),
        Action::Merge(options) => merge::run(options, common, interruptions),
    }
}

impl Source {
    /// The sweep of a file.
    pub(super) fn new(file: &Path, set: &[String], quick: bool) -> Source {
        Source { file: file.to_owned(), set: set.to_vec(), quick }
    }

    /// Reads the sweep and finds the keys of its points.
    ///
    /// # Errors
    /// If the file or one that it names is missing or bad.
    pub(super) fn read(&self, seed: Option<u64>) -> Result<Described, Failure> {
        let bytes = output::read(&self.file)?;
        let files = Files::disk();
        let sweep = self.sweep(&bytes, seed, &files)?;
        for warning in sweep.warnings() {
            super::warn(warning);
        }
        let plan = Scenarios::new(sweep);
        let text = String::from_utf8_lossy(&bytes);
        if let Some(refusal) = plan.refusal(&shown(&self.file).to_string(), &text) {
            return Err(refusal.into());
        }
        let identity = Identity {
            seed,
            set: self.set.clone(),
            varied: plan.varied().into_iter().map(str::to_owned).collect(),
            file: Some(simnet_output::report::utf8_text(self.file.as_os_str())),
            ..Identity::new(plan.name(), self.quick, MODEL)
        };
        // Whatever a key depends on has been read by now.
        let mut inputs = files.contents();
        inputs.insert(self.file.clone(), bytes);
        Ok(Described { plan, identity, inputs })
    }

    fn sweep(&self, bytes: &[u8], seed: Option<u64>, files: &Files) -> Result<Sweep, Failure> {
        let overrides = Overrides { set: self.set.clone(), seed };
        let sweep = Sweep::read(&self.file, bytes, &overrides, files, MODEL)?;
        Ok(if self.quick { sweep.quick() } else { sweep })
    }
}

/// Reads the sweep that a folder holds, from the folder alone.
///
/// # Errors
/// If the folder holds none, or its copies are not as they were written.
pub(super) fn of_folder(folder: &Path) -> Result<(Scenarios, Store), Failure> {
    let store = Store::found(folder)?;
    let identity = store.identity();
    let inputs = store.inputs()?;
    let Some(file) = identity.file.clone() else {
        let path = shown(&folder);
        return Err(Failure::Place(format!(
            "{path}: holds \"{}\", which no sweep file describes",
            identity.name
        )));
    };
    let source = Source::new(Path::new(&file), &identity.set, identity.quick);
    let Some(bytes) = inputs.get(&source.file).cloned() else {
        let path = shown(&folder);
        return Err(Failure::Place(format!("{path}: there is no copy of {}", shown(&source.file))));
    };
    let sweep = source.sweep(&bytes, identity.seed, &Files::from_copies(inputs))?;
    Ok((Scenarios::new(sweep), store))
}

/// How many threads; all cores if not given.
pub(super) fn parse_jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(jobs @ 1..=MOST_THREADS) => Ok(jobs),
        _ => Err(format!("a number of threads from 1 to {MOST_THREADS}")),
    }
}

/// Says what in the shards is not as it was written. `running` if other processes may be writing them: then a line
/// without its end is no news.
fn warn_of_damage(damage: &[Damage], running: bool) {
    for damage in damage.iter().filter(|damage| !(running && damage.at_the_end)) {
        if damage.at_the_end {
            output::note(&damage.to_string());
        } else {
            super::warn(&format!("warning: {damage}"));
        }
    }
}

/// The provenance of a sweep's table, the only file of it that differs from machine to machine.
#[derive(Serialize)]
struct SweepManifest<'a> {
    version: &'static str,
    commit: &'static str,
    sweep: &'a str,
    quick: bool,
    model: u32,
    /// BLAKE3 of the keys of all points in plan order, in hexadecimal.
    plan_hash: String,
    points: usize,
    failed: usize,
    deadlocked: usize,
    /// How many points this process computed.
    computed: usize,
    argv: Vec<String>,
    host: String,
    #[serde(flatten)]
    usage: Usage,
}

/// Merges what the shards have; writes points.csv and manifest.json if that is every point.
fn merge(plan: &Scenarios, store: &Store, computed: usize, wall_s: f64) -> Result<(Merged, bool), Failure> {
    let merged = sweep::merge(plan, store)?;
    if merged.missing > 0 {
        return Ok((merged, true));
    }
    let mut keys = blake3::Hasher::new();
    for key in plan.keys(0..plan.len()) {
        keys.update(key.as_bytes());
    }
    let manifest = SweepManifest {
        version: VERSION,
        commit: COMMIT,
        sweep: plan.name(),
        quick: store.identity().quick,
        model: store.identity().model,
        plan_hash: keys.finalize().to_hex().to_string(),
        points: merged.points,
        failed: merged.failed,
        deadlocked: merged.ends.deadlocked,
        computed,
        argv: simnet_output::report::command_line(),
        host: simnet_output::report::host_name(),
        usage: Usage::of_this_process(wall_s),
    };
    store.write("manifest.json", |out| {
        writeln!(out, "{}", legible_json(&serde_json::to_string_pretty(&manifest)?))
    })?;
    for column in &merged.empty_columns {
        super::warn(&format!("warning: no point has {column}: its column in points.csv is empty"));
    }
    let holds = super::run::evaluate_merged(plan, store, wall_s)?;
    Ok((merged, holds))
}

/// How a sweep ends of which no point is missing, the gravest first: deadlocks, points that failed, which the caller
/// has reported, loads that have not converged where they must, and what is expected. Says why.
pub(super) fn ended(failed: usize, ends: Ends, holds: bool) -> Exit {
    if ends.deadlocked > 0 {
        complain(&format!("{} ended in a deadlock that nothing recovered", points(ends.deadlocked)));
        return Exit::Deadlocked;
    }
    if failed > 0 {
        return Exit::PointsFailed;
    }
    if ends.not_converged > 0 {
        let what = points(ends.not_converged);
        complain(&format!(
            "not every load of {what} has converged: more messages, or a wider precision, in [measure]"
        ));
        return Exit::NotConverged;
    }
    if holds { Exit::Fine } else { Exit::Expectation }
}

/// Where a sweep's folder has what `simnet run` of the same file leaves.
pub(super) fn evaluation(folder: &Path) -> PathBuf {
    folder.join("evaluation")
}

/// Says why points failed; the first of them.
fn warn_of_failures(merged: &Merged) {
    const WIDTH: usize = 400;
    for (point, error) in &merged.failures {
        let line = error.lines().next().unwrap_or_default();
        let short: String = line.chars().take(WIDTH).collect();
        let cut = if short.len() < error.len() { " ..." } else { "" };
        complain(&format!("point {point} failed: {short}{cut}"));
    }
    let named = merged.failures.len();
    if merged.failed > named {
        complain(&format!("and {} more, listed in points.csv", merged.failed - named));
    }
}

/// `1 point`, `2 points`.
pub(super) fn points(count: usize) -> String {
    format!("{count} point{}", if count == 1 { "" } else { "s" })
}
