//! `simnet run`: a scenario, to its results folder and a summary worth reading.

mod allgather;
mod closing;
mod compared;
mod histogram;
mod limits;
mod operation;
mod summary;
mod sweep;
mod trace;

use std::path::{Path, PathBuf};

use clap::Args;
use tracing::info;

use simnet_base::diagnostics::{legible_json, shown};
use simnet_base::files::{Folder, FolderError, WriteError};
use simnet_output::report::{Manifest, RESULTS, Usage};
use simnet_running::simulation::{self, MODEL, Outcome, PointReport, RunError, State};
use simnet_scenario::checked::{Explain, Traffic};
use simnet_scenario::expect::{self, Expectations};
use simnet_scenario::sweep::is_sweep;
use simnet_scenario::{self, Checked, Files, Overrides};

use super::interrupt::{Interruptions, Stop};
use super::output::{self, not_stdout, print, print_data};
use super::places::Places;
use super::progress::{Bar, Stoppable};
use super::{Common, Exit, Failure, Format};
use trace::Recorded;

pub(super) use summary::outlasts;
pub(super) use sweep::evaluate_merged;

#[derive(Args)]
pub(super) struct Options {
    /// The scenario file
    scenario: PathBuf,
    /// Where the results go; `results/<scenario name>` if not given, with --quick `results/<scenario name>-quick`
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replaces a value of the scenario, as in --set fabric.buffer='"200 B"'; may be given again
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Measure a twentieth of the messages; of a sweep, every fourth value of long axes of numbers and two seeds, each
    /// point so; of an all-gather, one execution of two repetitions
    #[arg(long)]
    quick: bool,
    /// Find what limits the least saturated load: run it again, short, with one resource at a time made ample
    /// (decoding, buffers, the busiest cables, interfaces of hosts, routes), and print the gains, largest first; by
    /// itself where that takes at most a fifth of the messages of that load
    #[arg(long)]
    explain: bool,
    /// Write what happens, event by event, to this file, as its name says: .ndjson, .csv, .pftrace (Perfetto), .pcapng
    /// (messages of processes and frames), else an event log; the first 1,000,000 events of the mapping, of each load
    /// point, of the operation, or what [output.events] says
    #[arg(long, value_name = "FILE", value_parser = not_stdout())]
    trace: Option<PathBuf>,
    /// Write every frame of the first execution of an all-gather over an Ethernet to this file, as pcapng: the
    /// first 1,000,000 at the ports it passes
    #[arg(long, value_name = "FILE", value_parser = not_stdout())]
    pcap: Option<PathBuf>,
}

pub(super) fn run(
    options: &Options,
    common: &Common,
    interruptions: &Interruptions,
) -> Result<Exit, Failure> {
    let bytes = output::read(&options.scenario)?;
    let overrides = Overrides { seed: common.seed, set: options.set.clone() };
    match is_sweep(&options.scenario, &bytes, &overrides, &Files::disk()) {
        true => sweep::run(options, common, interruptions),
        false => single(options, common, interruptions),
    }
}

/// Runs a scenario without a sweep.
fn single(options: &Options, common: &Common, interruptions: &Interruptions) -> Result<Exit, Failure> {
    #[expect(clippy::disallowed_methods, reason = "the manifest tells how long the run took")]
    let begun = std::time::Instant::now();
    let overrides = Overrides { seed: common.seed, set: options.set.clone() };
    let (mut checked, places) = read(&options.scenario, &overrides)?;
    if options.quick {
        checked = checked.quick();
    }
    for warning in &checked.warnings {
        super::warn(warning);
    }
    check_watching(options, &checked)?;
    checked.output.explain = if options.explain { Explain::Always } else { Explain::IfCheap };
    let place = place_of(options.out.as_deref(), &checked.name, options.quick);
    spare_whole(&place, options.quick)?;
    Folder::probe(&place, RESULTS)?;
    let places = places.writes("--trace", options.trace.as_deref()).writes("--pcap", options.pcap.as_deref());
    places.replaces("--out", &place).check(common)?;
    if let Some(file) = &options.pcap {
        allgather::capture(&options.scenario, file, &checked)?;
    }
    let trace = Recorded::begin(options.trace.as_deref(), &checked);
    info!(scenario = checked.name, seed = checked.seed, out = %shown(&place), "the scenario is sound");
    let progress = Bar::new(common.quiet);
    let run = |stop: &Stop| simulation::run(&checked, &Stoppable(&progress, stop), trace.recorder());
    let run = interruptions.patiently(run, keep_nothing);
    drop(progress);
    if matches!(run, Err(RunError::Stopped)) {
        keep_nothing();
        return Ok(Exit::Interrupted);
    }
    let run = run.map_err(|error| Failure::Scenario(format!("{}: {error}", shown(&options.scenario))))?;

    let value = serde_json::to_value(&run.summary).expect("a summary is plain data");
    let place = if run.summary.interrupted { apart_from_whole(&place)? } else { place };
    let usage = Usage::of_this_process(begun.elapsed().as_secs_f64());
    let key = checked.identity.key(MODEL, options.quick, checked.seed);
    let mut manifest = Manifest::new(crate::cli::COMMIT, &checked.name, key, checked.seed, usage);
    manifest.events = run.events;
    (manifest.quick, manifest.interrupted) = (options.quick, run.summary.interrupted);
    manifest.messages_delivered = run.messages_delivered;
    let (published, interrupted) =
        interruptions.hold(|| publish(&place, &value, &run.files, manifest, Some(trace)));
    published?;
    if interrupted && !run.summary.interrupted {
        return Ok(Exit::Interrupted);
    }
    info!(events = run.events, "the results are in their place");

    match common.format {
        Format::Json => print_data(&format!("{}\n", json(&value))),
        Format::Human => print(&summary::text(&checked, &run, &place)),
    }?;
    if run.summary.interrupted {
        keep_some("load points", run.summary.points().len(), loads(&checked), &place);
        return Ok(Exit::Interrupted);
    }
    let holds = judge(&checked.expect, &value);
    let is_wrong = allgather::complain(&run.summary);
    let doubtful = |point: &PointReport| point.state == State::NotConverged;
    Ok(if run.summary.outcome == Outcome::Deadlocked {
        Exit::Deadlocked
    } else if checked.measure.require_convergence && run.summary.points().iter().any(doubtful) {
        super::complain("not every point has converged: more messages, or a wider precision, in [measure]");
        Exit::NotConverged
    } else if holds && !is_wrong {
        Exit::Fine
    } else {
        Exit::Expectation
    })
}

/// Where results go: where they were wanted, else to a folder called after the scenario, the small form to its own.
pub(super) fn place_of(out: Option<&Path>, name: &str, quick: bool) -> PathBuf {
    let own = || PathBuf::from("results").join(if quick { format!("{name}-quick") } else { name.to_owned() });
    out.map_or_else(own, Path::to_owned)
}

/// Refuses to have the small form of a run take the place of a whole one.
///
/// # Errors
/// [`Failure::Place`] if there is a whole one.
fn spare_whole(place: &Path, quick: bool) -> Result<(), Failure> {
    let stands = quick.then(|| Manifest::standing(place)).flatten();
    if stands.is_none_or(|manifest| manifest.quick || manifest.interrupted) {
        return Ok(());
    }
    let text = "holds the results of a whole run, and --quick makes a small one: name another folder";
    Err(Failure::Place(format!("{} {text}", shown(place))))
}

/// Where the results of an interrupted run go: they do not take the place of a run that was not interrupted.
///
/// # Errors
/// If something stands there that simnet did not write.
fn apart_from_whole(place: &Path) -> Result<PathBuf, Failure> {
    if Manifest::standing(place).is_none_or(|manifest| manifest.interrupted) {
        return Ok(place.to_owned());
    }
    let mut name = place.file_name().unwrap_or_default().to_owned();
    name.push("-interrupted");
    let apart = place.with_file_name(name);
    Folder::probe(&apart, RESULTS)?;
    Ok(apart)
}

/// Whether load points of generated traffic are run.
fn has_loads(checked: &Checked) -> bool {
    let traffic = checked.stages().and_then(|stages| stages.traffic.as_ref());
    matches!(traffic, Some(Traffic::Generated(generated)) if !generated.loads.is_empty())
}

/// How many load points a scenario asks for.
fn loads(checked: &Checked) -> usize {
    match checked.stages().and_then(|stages| stages.traffic.as_ref()) {
        Some(Traffic::Generated(generated)) => generated.loads.len(),
        Some(Traffic::Trace(_)) => 1,
        None => 0,
    }
}

/// Says that an interrupted run leaves nothing.
fn keep_nothing() {
    output::note("interrupted before there was anything to keep: no results");
}

/// Says what an interrupted run leaves.
fn keep_some(what: &str, done: usize, of: usize, place: &Path) {
    let place = shown(place);
    output::note(&format!(
        "interrupted: {done} of {of} {what} are done, and kept in {place}; the same command runs all of them again"
    ));
}

/// Whether all expectations hold; prints those that do not.
fn judge(expected: &Expectations, summary: &serde_json::Value) -> bool {
    let broken = expect::evaluate(expected, summary);
    for faults in expect::report(expected, &broken) {
        super::complain(&faults.to_string());
    }
    broken.is_empty()
}

/// Refuses to watch what the scenario does not have.
fn check_watching(options: &Options, checked: &Checked) -> Result<(), Failure> {
    if options.trace.is_some() && !checked.has_events() {
        let message =
            "--trace records a mapping, load points or all-gathers, and this scenario has none of its own";
        return Err(Failure::Usage(message.to_owned()));
    }
    if options.explain && !has_loads(checked) {
        let message = "--explain finds what limits a load, and this scenario has no loads in [traffic]";
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
    files: &[(String, String)],
    manifest: Manifest,
    trace: Option<Recorded>,
) -> Result<(), Failure> {
    let folder = Folder::begin(place, RESULTS)?;
    write(&folder, summary, files, trace.as_ref(), manifest)?;
    let trace = trace.map_or(Ok(None), Recorded::file)?;
    folder.finish()?;
    trace.map_or(Ok(()), |(file, place)| {
        file.finish().map_err(|error| output::failed(&place, WriteError::Io(error)))
    })
}

/// Reads a scenario; with it, the files that were read for it.
fn read(file: &Path, overrides: &Overrides) -> Result<(Checked, Places), Failure> {
    let (bytes, files) = (output::read(file)?, Files::disk());
    let checked = simnet_scenario::read_from(file, &bytes, overrides, &files)?;
    let places = Places::new().reads("the scenario", file);
    let named = files.paths().into_iter();
    Ok((checked, named.fold(places, |places, file| places.reads("a file of the scenario", file))))
}

/// Fills a folder; the manifest, which names all others, comes last.
fn write(
    folder: &Folder,
    summary: &serde_json::Value,
    files: &[(String, String)],
    trace: Option<&Recorded>,
    mut manifest: Manifest,
) -> Result<(), FolderError> {
    folder.add("summary.json", &format!("{}\n", json(summary)))?;
    for (name, contents) in files {
        folder.add(name, contents)?;
    }
    trace.map_or(Ok(()), |trace| trace.add_log(folder))?;
    manifest.files = folder.names()?;
    let manifest = serde_json::to_value(manifest).expect("a manifest is plain data");
    folder.add("manifest.json", &format!("{}\n", json(&manifest)))
}

fn json(value: &serde_json::Value) -> String {
    let text = serde_json::to_string_pretty(value).expect("JSON values print");
    legible_json(&text).into_owned()
}
