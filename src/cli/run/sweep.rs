//! `simnet run` on a file with `[sweep]`: all points, in this process, to one results folder.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cli::interrupt::{Interruptions, Stop};
use crate::cli::output::{self, Table, print};
use crate::cli::places::Places;
use crate::cli::progress::Bar;
use crate::cli::sweep::{Described, Source, ended, evaluation, points};
use crate::cli::{Common, Exit, Failure, Format, complain, warn};
use simnet_base::diagnostics::legible;
use simnet_base::files::Folder;
use simnet_base::numbers;
use simnet_output::report::{Manifest, RESULTS, Usage};
use simnet_running::simulation::Progress as _;
use simnet_running::sweep::{self, Evaluated, Outcomes, Points as _, Scenarios, Store, evaluate, run_until};

use super::summary::paper;
use super::{
    Options, apart_from_whole, closing, compared, judge, keep_nothing, keep_some, place_of, publish,
    spare_whole,
};

/// Runs all points of a sweep.
pub(super) fn run(
    options: &Options,
    common: &Common,
    interruptions: &Interruptions,
) -> Result<Exit, Failure> {
    #[expect(clippy::disallowed_methods, reason = "the manifest tells how long the run took")]
    let begun = std::time::Instant::now();
    let described = Source::new(&options.scenario, &options.set, options.quick).read(common.seed)?;
    let (plan, place) = (&described.plan, place(options, &described, common)?);
    let progress = Bar::new(common.quiet);
    progress.stage("running", plan.len() as u64);
    let outcomes = Outcomes::of(plan.len());
    let wall_s = || begun.elapsed().as_secs_f64();
    let compute = |stop: &Stop| run_until(plan, &outcomes, stop.flag(), || progress.step());
    interruptions.patiently(compute, || keep_done(plan, &outcomes, &place, wall_s()));
    drop(progress);
    let evaluated = evaluate(plan, outcomes.now());
    if evaluated.summary.interrupted {
        interruptions.hold(|| keep_done(plan, &outcomes, &place, wall_s()));
        return Ok(Exit::Interrupted);
    }
    let (kept, interrupted) = interruptions.hold(|| keep(plan, &evaluated, &place, wall_s()));
    let value = kept?;
    if interrupted {
        return Ok(Exit::Interrupted);
    }
    match common.format {
        Format::Json => output::print_json(&value),
        Format::Human => print(&text(&evaluated, &place)),
    }?;
    let holds = judge(plan.sweep().expect(), &value);
    Ok(exit(&evaluated, holds))
}

/// Puts the points of an interrupted sweep that are done in their place, if any is, and says so.
fn keep_done(plan: &Scenarios, outcomes: &Outcomes, place: &Path, wall_s: f64) {
    let evaluated = evaluate(plan, outcomes.now());
    let report = &evaluated.summary.sweep;
    let done = report.count - report.not_done;
    if done == 0 {
        return keep_nothing();
    }
    let kept = apart_from_whole(place).and_then(|apart| {
        keep(plan, &evaluated, &apart, wall_s)?;
        keep_some("points", done, report.count, &apart);
        Ok(())
    });
    if let Err(failure) = kept {
        failure.print();
    }
}

/// Puts the results of a sweep in their place; gives the object of `summary.json`.
fn keep(plan: &Scenarios, evaluated: &Evaluated, place: &Path, wall_s: f64) -> Result<Value, Failure> {
    let value = serde_json::to_value(&evaluated.summary).expect("a summary is plain data");
    let (sweep, usage) = (plan.sweep(), Usage::of_this_process(wall_s));
    let mut manifest = Manifest::new(crate::cli::COMMIT, plan.name(), sweep.hash(), sweep.own_seed(), usage);
    [manifest.events, manifest.messages_delivered] = plan.spent();
    (manifest.quick, manifest.interrupted) = (sweep.is_quick(), evaluated.summary.interrupted);
    publish(place, &value, &evaluated.files, manifest, None)?;
    Ok(value)
}

/// Leaves in the folder `evaluation` of a sweep that is complete what [`run`] would leave of it, if its file asks for
/// more than its points; whether what it expects holds.
///
/// # Errors
/// If the shards cannot be read or disagree, or the folder cannot be written.
pub(in crate::cli) fn evaluate_merged(plan: &Scenarios, store: &Store, wall_s: f64) -> Result<bool, Failure> {
    if !plan.sweep().is_evaluated() {
        return Ok(true);
    }
    let place = evaluation(store.folder());
    Folder::probe(&place, RESULTS)?;
    let evaluated = evaluate(plan, sweep::outcomes(plan, store)?);
    let value = keep(plan, &evaluated, &place, wall_s)?;
    Ok(judge(plan.sweep().expect(), &value))
}

/// Where the results go, which must not be the place of anything else.
fn place(options: &Options, described: &Described, common: &Common) -> Result<PathBuf, Failure> {
    if options.trace.is_some() || options.pcap.is_some() {
        let message = "--trace and --pcap record a single run, and this file describes a sweep";
        return Err(Failure::Usage(message.to_owned()));
    }
    if options.explain {
        let message = "--explain finds what limits a load of a single run, and this file describes a sweep";
        return Err(Failure::Usage(message.to_owned()));
    }
    let place = place_of(options.out.as_deref(), described.plan.name(), options.quick);
    spare_whole(&place, options.quick)?;
    Folder::probe(&place, RESULTS)?;
    let read = described.inputs.keys();
    let places = read.fold(Places::new(), |places, file| places.reads("a file of the sweep", file));
    places.replaces("--out", &place).check(common)?;
    Ok(place)
}

/// How it ended; prints points that failed, and columns that no point has.
fn exit(evaluated: &Evaluated, holds: bool) -> Exit {
    for column in &evaluated.empty_columns {
        warn(&format!("no point has the column {}", legible(column)));
    }
    if let Some((count, first, why)) = &evaluated.failed {
        let why = why.lines().next().unwrap_or_default();
        complain(&format!("{} failed; the first is point {first}: {}", points(*count), legible(why)));
    }
    let failed = evaluated.failed.as_ref().map_or(0, |(count, ..)| *count);
    ended(failed, evaluated.ends, holds)
}

/// The most rows of a table for people.
const MOST_ROWS: usize = 60;

/// What to look at next.
fn rows_next(evaluated: &Evaluated) -> Vec<(&'static str, String)> {
    let sweep = &evaluated.summary.sweep;
    let mut rows = vec![("points", format!("{} in points.csv, a row each", points(sweep.count)))];
    if let Some((count, first, _)) = &evaluated.failed {
        rows.push(("failed", format!("{}, the first is point {first}", points(*count))));
    }
    if evaluated.ends.deadlocked > 0 {
        let dead = points(evaluated.ends.deadlocked);
        rows.push((
            "dead",
            format!("{dead} ended in a deadlock that nothing breaks: no throughput, and in no curve"),
        ));
    }
    // Of a combination at which every network died there is nothing but its id.
    let combinations =
        sweep.statistics.iter().filter(|of| of.as_object().is_some_and(|of| of.len() > 1)).count();
    if combinations > 0 {
        let combinations = numbers::count(combinations, "combination");
        rows.push(("statistics", format!("{combinations} in statistics.csv")));
    }
    rows.extend(sweep.nearest.clone().map(|nearest| ("nearest to the average", nearest)));
    rows.extend(compared::printed(&sweep.paper));
    rows
}

/// What came of it, for people.
fn text(evaluated: &Evaluated, place: &Path) -> String {
    let summary = &evaluated.summary;
    let sweep = &summary.sweep;
    let mut text = format!("{}, seed {}: {}", summary.scenario, summary.seed, points(sweep.count));
    let _ = match sweep.axes.as_slice() {
        [] => writeln!(text),
        axes => writeln!(text, " over {}", axes.join(", ")),
    };
    if let Some(description) = &summary.description {
        let _ = writeln!(text, "{description}");
    }
    let (table, rows) = (&evaluated.shown, evaluated.shown.rows().len());
    let _ = match rows {
        0 => Ok(()),
        1..=MOST_ROWS => writeln!(text, "\n{}", Table::of(table)),
        many => writeln!(text, "\n{many} rows are in the folder"),
    };
    if let Some(over) = sweep.half_widths_over.as_ref().filter(|_| (1..=MOST_ROWS).contains(&rows)) {
        let meaning = "half the width of the mean's 95 % confidence interval";
        let _ = writeln!(text, "  half_width: {meaning}, over {over}");
    }
    if !sweep.paper.is_empty() {
        let _ = writeln!(text, "\n{}", paper(&sweep.paper));
    }
    text += &closing::next(rows_next(evaluated));
    text += &closing::files(evaluated.files.len(), place);
    text.lines().map(|line| format!("{}\n", legible(line.trim_end()))).collect()
}
