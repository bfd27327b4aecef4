//! The runs behind figures: made once, kept in a folder, taken up where an earlier process left off.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::cli::COMMIT;
use simnet_base::diagnostics::shown;
use simnet_base::files::{self, Inside};
use simnet_figures::{Done, Runs, ScenarioRun};
use simnet_running::simulation::MODEL;
use simnet_running::sweep::{self, Identity, Lock, Points as _, Store};

use crate::cli::Failure;
use crate::cli::interrupt::{Interruptions, Stop, drop_points};
use crate::cli::places::tidy;
use crate::cli::sweep::Line;

use super::times::{Seconds, TimedRuns};

/// How runs are made.
#[derive(Clone, Copy)]
pub(super) struct RunOptions<'a> {
    /// The number of threads; 0 for one a core.
    pub(super) jobs: usize,
    /// Whether no progress is shown.
    pub(super) quiet: bool,
    pub(super) interruptions: &'a Interruptions,
}

/// The most bytes by which one program is distinguished from another.
const LARGEST_MARK: u64 = 4 << 10;

/// What the runs are called together.
const NAME: &str = "figures";

/// Where the runs of a check are kept until it is finished: a check trusts no earlier run.
pub(super) struct CheckFolder {
    place: PathBuf,
    /// The place, where the folder of results takes none.
    _apart: Option<TempDir>,
}

/// Runs what an earlier process has not left in the folder; none if that was interrupted. Gives what all runs came to
/// and the seconds of those that were computed now, by point.
pub(super) fn run_all(
    runs: &Runs,
    folder: &Path,
    options: RunOptions<'_>,
) -> Result<Option<(Done, Seconds)>, Failure> {
    let identity = Identity::new(NAME, false, MODEL);
    let _lock = Lock::take(folder)?;
    Store::making_places(folder).iter().for_each(|place| tidy(place, options.quiet));
    let store = Store::open(folder, &identity, &BTreeMap::new())?;
    let line = Line::new(options.quiet, false);
    let timed = TimedRuns::new(runs);
    let compute = |stop: &Stop| sweep::run(&timed, &store, options.jobs, &line, stop.flag());
    let ran = options.interruptions.patiently(compute, drop_points)?;
    drop(line);
    if ran.interrupted {
        return Ok(None);
    }
    let known = store.known()?;
    let mut done = Done::new();
    for point in 0..runs.len() {
        let outcome = known.outcome(&runs.key(point))?;
        let result = outcome.unwrap_or_else(|| Err("the run was not kept".to_owned()));
        let run = result.map(|result| ScenarioRun::of_result(&result)).map_err(Failure::Scenario)?;
        let run = run.ok_or_else(|| Failure::Scenario(format!("{}: holds other runs", shown(&folder))))?;
        done.insert(point, run);
    }
    Ok(Some((done, timed.into_seconds())))
}

impl CheckFolder {
    /// A folder for the runs of a check of the figures in a folder. What an interrupted check of the same program left
    /// there is taken up.
    pub(super) fn of_check(place: &Path) -> Result<CheckFolder, Failure> {
        let place = place.join(".figures").join("check");
        let mark = place.with_extension("by");
        let program = program();
        if files::read(&mark, LARGEST_MARK).ok().as_deref() != Some(program.as_bytes()) {
            Store::discard(&place);
        }
        let made = fs::create_dir_all(&place).and_then(|()| write_mark(&mark, &program));
        if made.is_ok() {
            return Ok(CheckFolder { place, _apart: None });
        }
        let apart = tempfile::tempdir();
        let apart =
            apart.map_err(|error| Failure::Io { path: shown(&std::env::temp_dir()).to_string(), error })?;
        Ok(CheckFolder { place: apart.path().to_owned(), _apart: Some(apart) })
    }

    pub(super) fn path(&self) -> &Path {
        &self.place
    }

    /// Clears the folder, as the check is finished.
    pub(super) fn leave(self) {
        Store::discard(&self.place);
        let _stays = files::remove(&self.place.with_extension("by"));
    }
}

/// Notes which program a check belongs to.
fn write_mark(mark: &Path, program: &str) -> std::io::Result<()> {
    let mut file = Inside(files::parent_of(mark)).open_to_write(mark.file_name().unwrap_or_default())?;
    file.set_len(0)?;
    file.write_all(program.as_bytes())
}

/// What distinguishes this program from an earlier or later build.
fn program() -> String {
    let file = std::env::current_exe().and_then(fs::metadata);
    let modified = file.as_ref().ok().and_then(|file| file.modified().ok());
    format!("{COMMIT} {:?} {modified:?}", file.map(|file| file.len()).ok())
}
