//! `simnet run`: a scenario, to its results folder and a summary worth reading.

mod allgather;
mod comparison;
mod discovery;
mod operation;
mod paper;
mod study;
mod summary;
mod trace;

use std::path::{Path, PathBuf};

use clap::Args;
use tracing::info;

use crate::report::{Folder, FolderError, Manifest, Usage};
use crate::scenario::{self, Checked, Overrides, expect};
use crate::simulation::{self, Outcome, PointReport, Run, State};

use super::interrupt::Interruptions;
use super::output::print;
use super::progress::Bar;
use super::{Common, Exit, Failure, Format};
use trace::{MOST_EVENTS, TraceFile};

#[derive(Args)]
pub(super) struct Options {
    /// The scenario file
    scenario: String,
    /// Where the results go; `results/<scenario name>` if not given
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replaces a value of the scenario, as in --set fabric.buffer='"200 B"'; may be given again
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Measure a twentieth of the messages; of a comparison, two networks of a size and every fourth load;
    /// of a study, two networks, the ends of every axis and two runs; of all-gathers, two networks, the ends of
    /// sizes and rates and two repetitions; of rings, three clusters of the smaller sizes;
    /// of discoveries, two networks, the ends of every axis and one execution
    #[arg(long)]
    quick: bool,
    /// Write every grant, reset, STOP and GO of the load points to this file, one JSON object a line: the first
    /// 1,000,000 of each point
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Write every frame of the first execution of the first all-gather over an Ethernet to this file, as pcapng: the
    /// first 1,000,000 at the ports it passes
    #[arg(long, value_name = "FILE")]
    pcap: Option<PathBuf>,
}

pub(super) fn run(
    options: &Options,
    common: &Common,
    interruptions: &Interruptions,
) -> Result<Exit, Failure> {
    #[expect(clippy::disallowed_methods, reason = "the manifest tells how long the run took")]
    let begun = std::time::Instant::now();
    let overrides = Overrides { seed: common.seed, set: options.set.clone() };
    let mut checked = read(&options.scenario, &overrides)?;
    if options.quick {
        checked = checked.quick();
    }
    for warning in &checked.warnings {
        super::warn(warning);
    }
    check_watching(options, &checked)?;
    let place = options.out.clone().unwrap_or_else(|| PathBuf::from("results").join(&checked.name));
    Folder::probe(&place)?;
    if let Some(file) = &options.pcap {
        allgather::capture(&options.scenario, file, &checked)?;
    }
    let trace = options.trace.as_deref().map(|file| TraceFile::begin(file, &checked)).transpose()?;
    info!(scenario = checked.name, seed = checked.seed, out = %place.display(), "the scenario is sound");
    let progress = Bar::new(common.quiet);
    let run = match &trace {
        None => simulation::run(&checked, &progress, &()),
        Some(trace) => simulation::run(&checked, &progress, trace),
    };
    drop(progress);
    let run = run.map_err(|error| Failure::Scenario(format!("{}: {error}", options.scenario)))?;

    let value = serde_json::to_value(&run.summary).expect("a summary is plain data");
    let usage = Usage::of_this_process(begun.elapsed().as_secs_f64());
    let mut manifest = Manifest::new(&checked.name, checked.hash(), checked.seed, usage);
    manifest.events = run.events;
    manifest.messages_delivered = run.messages_delivered;
    let (published, interrupted) = interruptions.hold(|| publish(&place, &value, &run, &manifest, trace));
    published?;
    if interrupted {
        return Ok(Exit::Interrupted);
    }
    info!(events = run.events, "the results are in their place");

    match common.format {
        Format::Json => print(&format!("{}\n", json(&value))),
        Format::Human => print(&summary::text(&checked, &run, &place)),
    }?;
    let broken = expect::evaluate(&checked.expect, &value);
    for faults in expect::report(&checked.expect, &broken) {
        super::warn(&faults.to_string());
    }
    let is_wrong = allgather::complain(&run.summary);
    let doubtful = |point: &PointReport| point.state == State::NotConverged;
    Ok(if run.summary.outcome == Outcome::Deadlocked {
        Exit::Deadlocked
    } else if checked.measure.require_convergence && run.summary.points.iter().any(doubtful) {
        super::warn("not every point has converged: more messages, or a wider precision, in [measure]");
        Exit::NotConverged
    } else if broken.is_empty() && !is_wrong {
        Exit::Fine
    } else {
        Exit::Expectation
    })
}

/// Refuses to watch what the scenario does not have.
fn check_watching(options: &Options, checked: &Checked) -> Result<(), Failure> {
    let several = checked.comparison.is_some() || checked.study.is_some() || checked.operation.is_some();
    let alone = checked.allgather.is_some() || checked.rings.is_some() || checked.discovery.is_some();
    let pointless = several || alone;
    if options.trace.is_some() && pointless {
        let message = "--trace watches load points, and this scenario has none of its own";
        return Err(Failure::Usage(message.to_owned()));
    }
    if options.pcap.is_some() && !allgather::has_frames(checked) {
        let message = "--pcap writes frames, and this scenario has no all-gather over an [ethernet]";
        return Err(Failure::Usage(message.to_owned()));
    }
    Ok(())
}

/// Writes everything, then puts it in its place.
fn publish(
    place: &Path,
    summary: &serde_json::Value,
    run: &Run,
    manifest: &Manifest,
    trace: Option<TraceFile<'_>>,
) -> Result<(), Failure> {
    let folder = Folder::begin(place)?;
    write(&folder, summary, run, manifest)?;
    let trace = trace.map(TraceFile::join).transpose()?;
    folder.finish()?;
    if let Some(trace) = trace {
        for point in &trace.full {
            super::warn(&format!("the trace holds the first {MOST_EVENTS} events of point {point} only"));
        }
        trace.publish()?;
    }
    Ok(())
}

fn read(file: &str, overrides: &Overrides) -> Result<Checked, Failure> {
    let bytes = std::fs::read(file).map_err(|error| Failure::Io { path: file.to_owned(), error })?;
    Ok(scenario::read(file, &bytes, overrides)?)
}

fn write(
    folder: &Folder,
    summary: &serde_json::Value,
    run: &Run,
    manifest: &Manifest,
) -> Result<(), FolderError> {
    folder.add("summary.json", &format!("{}\n", json(summary)))?;
    for (name, contents) in &run.files {
        folder.add(name, contents)?;
    }
    let manifest = serde_json::to_value(manifest).expect("a manifest is plain data");
    folder.add("manifest.json", &format!("{}\n", json(&manifest)))
}

fn json(value: &serde_json::Value) -> String {
    serde_json::to_string_pretty(value).expect("JSON values print")
}
