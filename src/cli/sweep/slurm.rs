//! `simnet sweep run --executor slurm`: what is missing as a job array of Slurm's, and a job that merges after it.

use std::env;
use std::fs;
use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use clap::Args;
use serde_json::json;

use super::run::{Options, known, left, prepare};
use super::{Described, points};
use crate::cli::interrupt::Interruptions;
use crate::cli::output::{note, print, print_data, print_json};
use crate::cli::{Common, Exit, Failure, Format};
use simnet_base::diagnostics::{legible, legible_lines, shown};
use simnet_base::files::Inside;
use simnet_output::report::utf8_text;
use simnet_running::sweep::slurm::{self, Submission, USUAL_ARRAY};
use simnet_running::sweep::{Known, Points as _, Scenarios, assign};

/// The options of `--executor slurm`.
#[derive(Args)]
pub(in crate::cli) struct Arguments {
    /// With --executor slurm: how many tasks share the plan; as few as last about a minute each if not given, and
    /// never more than Slurm's MaxArraySize
    #[arg(long, value_name = "N")]
    tasks: Option<NonZeroUsize>,
    /// With --executor slurm: how many cores a task has; --jobs, or one, if not given
    #[arg(long, value_name = "N")]
    cpus_per_task: Option<NonZeroUsize>,
    /// With --executor slurm: an option for sbatch, as in --sbatch --partition=long; may be given again
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    sbatch: Vec<String>,
}

impl Arguments {
    /// Whether any of them is given.
    pub(super) fn is_given(&self) -> bool {
        self.tasks.is_some() || self.cpus_per_task.is_some() || !self.sbatch.is_empty()
    }

    /// Refuses what cannot be handed to `sbatch`.
    fn check(&self) -> Result<(), Failure> {
        let objections = self.sbatch.iter().filter_map(|option| Some((option, slurm::objection(option)?)));
        let lines: Vec<String> =
            objections.map(|(option, why)| format!("--sbatch '{}': {why}", legible(option))).collect();
        if lines.is_empty() { Ok(()) } else { Err(Failure::Misused(lines)) }
    }
}

/// Prints what would be submitted; asks no Slurm, and leaves nothing behind.
pub(super) fn dry_run(
    options: &Options,
    described: &Described,
    folder: &Path,
    common: &Common,
) -> Result<Exit, Failure> {
    options.slurm.check()?;
    let known = known(folder, described)?;
    let place = std::path::absolute(folder).map_err(|error| io_failure(folder, error))?;
    let submission = submission(options, &described.plan, &known, &place, USUAL_ARRAY)?;
    let script = submission.as_ref().map(Submission::shell_script);
    if common.format == Format::Json {
        print_json(&json!({
            "sweep": described.plan.name(), "points": described.plan.len(),
            "tasks": submission.as_ref().map_or(0, |submission| submission.tasks.len()),
            "of": submission.as_ref().map(|submission| submission.of),
            "script": script, "out": utf8_text(folder.as_os_str()),
        }))?;
    } else if let Some(script) = script {
        print_data(&legible_lines(&script))?;
    } else {
        note("every point is done: nothing would be submitted, and points.csv would be written");
    }
    Ok(Exit::Fine)
}

/// Submits what is missing. `None` if nothing is.
pub(super) fn run(
    options: &Options,
    described: &Described,
    folder: &Path,
    common: &Common,
    interruptions: &Interruptions,
) -> Result<Option<Exit>, Failure> {
    options.slurm.check()?;
    let sbatch = found("sbatch").ok_or_else(|| {
        let hint = "no sbatch on PATH: jobs are submitted with Slurm's client commands (Debian's package \
                    slurm-client); --dry-run prints the script without them";
        Failure::Place(hint.to_owned())
    })?;
    let most = largest_array()?;
    let (_lock, store) = prepare(folder, described, common)?;
    let known = store.known()?;
    let place = fs::canonicalize(folder).map_err(|error| io_failure(folder, error))?;
    let Some(submission) = submission(options, &described.plan, &known, &place, most)? else {
        return Ok(None);
    };
    Inside(&place).make_folder("slurm").map_err(|error| io_failure(&place.join("slurm"), error))?;
    store.write("slurm/submit.sh", |out| out.write_all(submission.shell_script().as_bytes()))?;
    let submit = || submit(&sbatch, &submission);
    let (jobs, interrupted) = interruptions.hold(submit);
    let (array, merge) = jobs?;
    let (all, tasks) = (described.plan.len(), submission.tasks.len());
    match common.format {
        Format::Json => print_json(&json!({
            "sweep": submission.name, "points": all, "tasks": tasks, "of": submission.of,
            "array_job": array, "merge_job": merge, "out": utf8_text(folder.as_os_str()),
        })),
        Format::Human => print(&format!(
            "{}: {}; job array {array} with {tasks} of {} tasks, job {merge} merges when they have ended\n\
             Results: {}\nProgress: simnet sweep status {}\n",
            submission.name,
            points(all),
            submission.of,
            shown(&folder.join("points.csv")),
            shown(&folder),
        )),
    }?;
    Ok(Some(if interrupted { Exit::Interrupted } else { Exit::Fine }))
}

/// What to submit of a sweep whose folder is at `place`. `None` if every point is done.
fn submission(
    options: &Options,
    plan: &Scenarios,
    known: &Known,
    place: &Path,
    most: usize,
) -> Result<Option<Submission>, Failure> {
    let given = options.slurm.cpus_per_task.map(NonZeroUsize::get).or(options.jobs);
    let cpus = given.unwrap_or(1);
    let costs: Vec<f64> = (0..plan.len()).map(|point| plan.cost(point)).collect();
    let of = match options.slurm.tasks {
        Some(asked) if asked.get() > most => {
            note(&format!("{most} tasks instead of {asked}: Slurm's MaxArraySize allows no more"));
            most
        }
        Some(asked) => asked.get(),
        None => slurm::tasks(plan.len(), costs.iter().sum(), cpus, most),
    };
    let of = of.clamp(1, plan.len().max(1));
    let with_work =
        assign(&costs, of).into_iter().zip(left(plan, known, options.retry)).filter(|(_, left)| *left);
    let mut tasks: Vec<usize> = with_work.map(|(task, _)| task).collect();
    tasks.sort_unstable();
    tasks.dedup();
    if tasks.is_empty() {
        return Ok(None);
    }
    let program = env::current_exe().map_err(|error| io_failure(Path::new("simnet"), error))?;
    Ok(Some(Submission {
        name: plan.name().to_owned(),
        program: text_of(&program)?,
        folder: text_of(place)?,
        tasks,
        of,
        cpus,
        retry: options.retry,
        options: options.slurm.sbatch.clone(),
    }))
}

/// A path as it can stand in a script.
fn text_of(path: &Path) -> Result<String, Failure> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        Failure::Place(format!("{}: not UTF-8, and cannot stand in a script for Slurm", shown(&path)))
    })
}

/// Submits both jobs, and gives their ids.
fn submit(sbatch: &Path, submission: &Submission) -> Result<(String, String), Failure> {
    let folder = Path::new(&submission.folder);
    let array = sbatch_job(sbatch, folder, &submission.array_arguments(), &submission.array_script())
        .map_err(Failure::Place)?;
    let merge = sbatch_job(sbatch, folder, &submission.merge_arguments(&array), &submission.merge_script())
        .map_err(|why| {
        Failure::Place(format!(
            "job array {array} is submitted, the job that merges is not: when it has ended, \
                 `simnet sweep merge` merges\n{why}"
        ))
    })?;
    Ok((array, merge))
}

/// Submits a job from within a folder, and gives its id.
fn sbatch_job(sbatch: &Path, folder: &Path, arguments: &[String], script: &str) -> Result<String, String> {
    let mut command = Command::new(sbatch);
    command.args(arguments).current_dir(folder);
    // What would be stronger than what the script says.
    for variable in ["SBATCH_ARRAY_INX", "SBATCH_NO_REQUEUE", "SBATCH_OPEN_MODE", "SBATCH_WAIT"] {
        command.env_remove(variable);
    }
    let output = answer(command, script).map_err(|error| format!("{}: {error}", shown(&sbatch)))?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    match slurm::job_id(&printed) {
        Some(id) if output.status.success() => Ok(id.to_owned()),
        _ => Err(format!("sbatch takes no job: {}", [stderr.trim(), printed.trim()].join("\n").trim())),
    }
}

/// Runs a command to its end, which reads a text.
fn answer(mut command: Command, text: &str) -> io::Result<Output> {
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn()?;
    let written = child.stdin.take().map_or(Ok(()), |mut input| input.write_all(text.as_bytes()));
    let output = child.wait_with_output()?;
    match written {
        // It ended before it had read everything, and says why.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(output),
    }
}

/// How many tasks an array of this Slurm may have.
fn largest_array() -> Result<usize, Failure> {
    let Some(scontrol) = found("scontrol") else { return Ok(USUAL_ARRAY) };
    let mut command = Command::new(&scontrol);
    command.args(["show", "config"]);
    let output = answer(command, "").map_err(|error| io_failure(&scontrol, error))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Failure::Place(format!(
            "Slurm does not answer: scontrol show config: {}",
            stderr.trim()
        )));
    }
    match slurm::max_array_size(&String::from_utf8_lossy(&output.stdout)) {
        Some(0) => Err(Failure::Place("this Slurm takes no job arrays: its MaxArraySize is 0".to_owned())),
        size => Ok(size.unwrap_or(USUAL_ARRAY)),
    }
}

/// Where a program is on PATH.
fn found(program: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}

fn io_failure(path: &Path, error: io::Error) -> Failure {
    Failure::Io { path: shown(&path).to_string(), error }
}
