//! The runs behind figures: made once, kept in a folder, taken up where an earlier process left off.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use tempfile::TempDir;

use crate::figures::{Done, Runs, ScenarioRun};
use crate::report::COMMIT;
use crate::simulation::{MODEL, Progress as _};
use crate::sweep::{self, Damage, Identity, Lock, Points as _, Store, StoreError};

use super::super::progress::Bar;
use super::super::{Common, Failure};

/// What the runs are called together.
const NAME: &str = "figures";

/// Where the runs of a check are kept until it is finished: a check trusts no earlier run.
pub(super) struct Room {
    place: PathBuf,
    /// The place, where the folder of results takes none.
    _apart: Option<TempDir>,
}

/// Runs what an earlier process has not left in the folder.
pub(super) fn run_all(runs: &Runs, folder: &Path, common: &Common) -> Result<Done, Failure> {
    let identity = Identity::new(NAME, false, MODEL);
    let _lock = Lock::take(folder).map_err(told)?;
    let store = Store::open(folder, &identity, &BTreeMap::new()).map_err(told)?;
    let line = Line(Bar::new(common.quiet));
    sweep::run(runs, &store, 0, &line, &AtomicBool::new(false)).map_err(told)?;
    drop(line);
    let known = store.known().map_err(told)?;
    let mut done = Done::new();
    for point in 0..runs.len() {
        let outcome = known.outcome(&runs.key(point)).map_err(told)?;
        let result = outcome.unwrap_or_else(|| Err("the run was not kept".to_owned()));
        let run = result.map(|result| ScenarioRun::of_result(&result)).map_err(Failure::Scenario)?;
        let run = run.ok_or_else(|| Failure::Scenario(format!("{}: holds other runs", folder.display())))?;
        done.insert(point, run);
    }
    Ok(done)
}

impl Room {
    /// A room for the runs of a check of the figures in a folder. What an interrupted check of the same program left there
    /// is taken up.
    pub(super) fn of_check(place: &Path) -> Result<Room, Failure> {
        let place = place.join(".figures").join("check");
        let mark = place.with_extension("by");
        let program = program();
        if fs::read_to_string(&mark).ok().as_deref() != Some(program.as_str()) {
            let _ = fs::remove_dir_all(&place);
        }
        let made = fs::create_dir_all(&place).and_then(|()| fs::write(&mark, &program));
        if made.is_ok() {
            return Ok(Room { place, _apart: None });
        }
        let apart = tempfile::tempdir();
        let apart =
            apart.map_err(|error| Failure::Io { path: std::env::temp_dir().display().to_string(), error })?;
        Ok(Room { place: apart.path().to_owned(), _apart: Some(apart) })
    }

    pub(super) fn path(&self) -> &Path {
        &self.place
    }

    /// Clears the room, as the check is finished.
    pub(super) fn leave(self) {
        let _ = fs::remove_dir_all(&self.place);
        let _ = fs::remove_file(self.place.with_extension("by"));
    }
}

/// What tells this program from an earlier or later build.
fn program() -> String {
    let file = std::env::current_exe().and_then(fs::metadata);
    let modified = file.as_ref().ok().and_then(|file| file.modified().ok());
    format!("{COMMIT} {:?} {modified:?}", file.map(|file| file.len()).ok())
}

/// Why the folder of runs cannot be used.
fn told(error: StoreError) -> Failure {
    match error {
        StoreError::Io { path, error } => Failure::Io { path: path.display().to_string(), error },
        conflict @ StoreError::Conflict { .. } => Failure::Scenario(conflict.to_string()),
        other => Failure::Place(other.to_string()),
    }
}

/// One line of progress.
struct Line(Bar);

impl sweep::Progress for Line {
    fn begin(&self, points: usize, kept: usize, _cost: f64) {
        self.0.stage("runs for figures", points as u64);
        (0..kept).for_each(|_| self.0.step());
    }

    fn done(&self, _cost: f64, _failed: bool) {
        self.0.step();
    }

    fn damaged(&self, damage: &Damage) {
        super::super::warn(&damage.to_string());
    }
}
