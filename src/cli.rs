//! The command line: one file per verb. The only place that prints.
//!
//! Data goes to stdout, everything else to stderr; exit codes are those of [`Exit`].

mod check;
mod codegen;
mod completions;
mod discover;
mod figures;
mod interrupt;
mod logging;
mod man;
mod map;
mod network;
mod output;
#[cfg(test)]
mod pages;
mod places;
mod progress;
mod report;
mod ring;
mod route;
mod run;
mod schema;
mod sweep;
mod topo;
mod trace;

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::LazyLock;

use clap::{Args, Parser, Subcommand, ValueEnum};

use interrupt::Interruptions;
use simnet_base::diagnostics::{legible, legible_lines, shown};
use simnet_base::files::FolderError;
use simnet_media::trace::LogFault;
use simnet_output::report::VERSION;
use simnet_running::sweep::{MOST_THREADS, StoreError};

/// The commit that this program was built from, or `unknown`.
pub const COMMIT: &str = env!("SIMNET_COMMIT");

/// How a verb prints its result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Aligned tables for people.
    #[default]
    Human,
    /// One JSON object.
    Json,
}

/// Options that every verb takes.
#[derive(Args, Clone, Debug)]
pub struct Common {
    /// How to print the result
    #[arg(long, value_enum, default_value_t, global = true)]
    pub format: Format,
    /// Print nothing but errors, and the object that --format json asks for
    #[arg(long, global = true)]
    pub quiet: bool,
    /// The seed of every random choice; of a scenario: of traffic, and of routes unless `routing.seed` is given
    #[arg(long, global = true, allow_negative_numbers = true)]
    pub seed: Option<u64>,
}

/// How a verb ended: the process's exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: everything as asked.
    Fine,
    /// 1: an expectation did not hold, or a sweep to be merged lacks points.
    Expectation,
    /// 4: ended in a deadlock that nothing recovered.
    Deadlocked,
    /// 5: not converged where convergence was required.
    NotConverged,
    /// 5: no tree fits.
    NoTree,
    /// 5: tables look cyclic on one lane, and their fabric has more, which were not looked at.
    OneLane,
    /// 6: some points of a sweep failed; the others are done.
    PointsFailed,
    /// 3: files were judged, and some are bad; their faults have been printed as the verb's result.
    BadInput,
    /// 130: interrupted while the results were being put in their place; they are whole.
    Interrupted,
    /// 7: files were to be judged, and some cannot be read; that has been printed as the verb's result.
    Unreadable,
}

/// Why a verb could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// 2: a bad name or combination on the command line.
    #[error("{0}")]
    Usage(String),
    /// 2: several such things, a line each.
    #[error("{}", .0.join("\n"))]
    Misused(Vec<String>),
    /// 3: a bad input file, with its place.
    #[error("{0}")]
    Input(#[from] Box<simnet_base::diagnostics::Faults>),
    /// 3: a bad scenario, or a bad file that it names; 7 if such files are missing and nothing else is wrong.
    #[error("{0}")]
    Refused(#[from] Box<simnet_base::diagnostics::Refusal>),
    /// 3: a scenario that is too large to be run.
    #[error("{0}")]
    Scenario(String),
    /// 7: a file that is missing or cannot be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: String,
        /// The system's message.
        error: std::io::Error,
    },
    /// A sweep's folder cannot be used: 3 where it is not as it was written, else 7.
    #[error("{0}")]
    Sweep(#[from] StoreError),
    /// An event log cannot be read: 3 if it is none or damaged, else 7.
    #[error("{0}")]
    Log(#[from] LogFault),
    /// 7: results cannot go where they were wanted.
    #[error("{0}")]
    Place(String),
}

#[derive(Parser)]
#[command(name = "simnet", version = version(), about = "A simulator of switched cluster networks")]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Run a scenario
    Run(run::Options),
    /// Report every fault of scenario files without running them
    Check(check::Options),
    /// Print the scenario file's JSON Schema
    Schema(schema::Options),
    /// Show, convert, compare or generate networks
    #[command(subcommand)]
    Topo(topo::Action),
    /// Compute routes and judge whether they can deadlock
    Route(Box<route::Options>),
    /// Map a network in-band and compare the map with the truth
    Map(Box<map::Options>),
    /// Find a logical ring of all machines without contention
    Ring(ring::Options),
    /// Infer the switches between machines from their round-trip times
    Discover(Box<discover::Options>),
    /// Make the papers' tables and figures, each a folder of numbers, drawing and page
    Figures(figures::Options),
    /// Compute many scenarios, none lost and none twice, here or on a cluster
    #[command(subcommand)]
    Sweep(Box<sweep::Action>),
    /// Make one HTML file of a folder of results
    Report(report::Options),
    /// Show what an event log holds; filter it, write it as something else
    Trace(Box<trace::Options>),
    /// Write source text for machines that exist
    #[command(subcommand)]
    Codegen(codegen::Action),
    /// Print what a shell needs to complete these commands
    Completions(completions::Options),
    /// Print a manual page, or write all of them
    Man(man::Options),
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            print_usage(&error);
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    if cli.common.quiet {
        output::be_quiet();
    }
    let ended = start().and_then(|interruptions| dispatch(&cli, &interruptions));
    match ended {
        Ok(exit) => ExitCode::from(exit.code()),
        Err(failure) => {
            failure.print();
            ExitCode::from(failure.code())
        }
    }
}

/// Prints what the parser of the command line has to say, in colours on a terminal. It repeats arguments, so what is
/// printed is what it says of the same ones made legible; where that is something else, the text without colours.
fn print_usage(error: &clap::Error) {
    let legible = std::env::args_os().map(|argument| shown(&argument).to_string());
    let printed = match Cli::try_parse_from(legible) {
        Err(again) if again.kind() == error.kind() => again.print(),
        _ => write!(std::io::stderr(), "{}", legible_lines(&error.render().to_string())),
    };
    let _unread = printed;
}

/// What every verb needs before it begins.
fn start() -> Result<Interruptions, Failure> {
    logging::begin()?;
    check_threads()?;
    find_room()?;
    let workers = rayon::ThreadPoolBuilder::new().build_global();
    workers
        .map_err(|error| Failure::Place(format!("the system gives no threads to compute with: {error}")))?;
    let watched = Interruptions::watch(Exit::Interrupted.code());
    watched.map_err(|error| Failure::Io { path: "signals".to_owned(), error })
}

/// The variables in which rayon looks how many threads it begins, in this order.
const THREADS: [&str; 2] = ["RAYON_NUM_THREADS", "RAYON_RS_NUM_CPUS"];

/// Refuses more threads than `--jobs` may ask for. The first of the variables that is a number counts; anything else in
/// them is passed over, as rayon does.
fn check_threads() -> Result<(), Failure> {
    let number = |name| Some((name, std::env::var(name).ok()?.parse::<usize>().ok()?));
    match THREADS.into_iter().find_map(number) {
        Some((name, threads)) if threads > MOST_THREADS => {
            let text = format!("{name}={threads}: expected a number of threads up to {MOST_THREADS}");
            Err(Failure::Usage(text))
        }
        _ => Ok(()),
    }
}

/// What a thread needs before it can say that it has no memory, its stack included.
const ROOM_OF_A_THREAD: usize = 4 << 20;

/// Looks whether threads can be begun: one without the memory for its first steps ends the program without a word.
fn find_room() -> Result<(), Failure> {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let bytes = ROOM_OF_A_THREAD.saturating_mul(threads + 1);
    let mut room = Vec::<u8>::new();
    room.try_reserve_exact(bytes)
        .map_err(|_| Failure::Place(format!("the system gives no {bytes} bytes of memory to begin with")))?;
    std::hint::black_box(&room);
    Ok(())
}

fn dispatch(cli: &Cli, interruptions: &Interruptions) -> Result<Exit, Failure> {
    tracing::debug!(version = VERSION, commit = COMMIT, format = ?cli.common.format, seed = cli.common.seed);
    match &cli.verb {
        Verb::Run(options) => run::run(options, &cli.common, interruptions),
        Verb::Check(options) => check::run(options, &cli.common),
        Verb::Schema(options) => schema::run(options, &cli.common),
        Verb::Topo(action) => topo::run(action, &cli.common),
        Verb::Route(options) => route::run(options, &cli.common),
        Verb::Map(options) => map::run(options, &cli.common),
        Verb::Ring(options) => ring::run(options, &cli.common),
        Verb::Discover(options) => discover::run(options, &cli.common),
        Verb::Figures(options) => figures::run(options, &cli.common, interruptions),
        Verb::Sweep(action) => sweep::run(action, &cli.common, interruptions),
        Verb::Report(options) => report::run(options, &cli.common),
        Verb::Trace(options) => trace::run(options, &cli.common),
        Verb::Codegen(action) => codegen::run(action, &cli.common),
        Verb::Completions(options) => completions::run(options, &cli.common),
        Verb::Man(options) => man::run(options, &cli.common),
    }
}

/// The version and the commit, as `--version` prints them.
fn version() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| format!("{VERSION} (commit {COMMIT})"));
    &TEXT
}

/// Tells something to stderr that should be looked at before the result is trusted; `--quiet` hides it.
fn warn(text: &str) {
    output::warn(text);
}

/// Tells on stderr why a verb ends with another exit code than 0, where its result is printed all the same.
fn complain(text: &str) {
    output::print_error(text);
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Failure {
        match error {
            FolderError::Io { path, error } => Failure::Io { path: shown(&path).to_string(), error },
            foreign @ FolderError::Foreign { .. } => Failure::Place(foreign.to_string()),
        }
    }
}

impl Exit {
    /// The number that the process ends with.
    pub const fn code(self) -> u8 {
        match self {
            Exit::Fine => 0,
            Exit::Expectation => 1,
            Exit::Deadlocked => 4,
            Exit::NotConverged | Exit::NoTree | Exit::OneLane => 5,
            Exit::BadInput => 3,
            Exit::PointsFailed => 6,
            Exit::Unreadable => 7,
            Exit::Interrupted => 130,
        }
    }
}

impl Failure {
    /// Options that a scenario does not allow.
    fn misused(refusal: Box<simnet_base::diagnostics::Refusal>) -> Failure {
        Failure::Misused(refusal.to_string().lines().map(str::to_owned).collect())
    }

    /// Prints what is wrong to stderr, on one line but for what has lines of its own.
    fn print(&self) {
        let text = self.to_string();
        match self {
            Failure::Misused(_) | Failure::Input(_) | Failure::Refused(_) | Failure::Place(_) => {
                output::print_error(&text)
            }
            _ => output::print_error(&legible(&text)),
        }
    }

    /// The number that the process ends with.
    pub fn code(&self) -> u8 {
        match self {
            Failure::Usage(_) | Failure::Misused(_) => 2,
            Failure::Input(_) | Failure::Scenario(_) => 3,
            Failure::Refused(refusal) if refusal.only_missing_files() => 7,
            Failure::Refused(_) => 3,
            Failure::Sweep(error) if error.is_bad_input() => 3,
            Failure::Log(LogFault::Foreign { .. } | LogFault::Damaged { .. }) => 3,
            Failure::Log(LogFault::Io { .. }) => 7,
            Failure::Io { .. } | Failure::Place(_) | Failure::Sweep(_) => 7,
        }
    }
}
