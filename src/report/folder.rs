//! A folder of results or of generated source: it appears whole or not at all, and only ever replaces its like.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use thiserror::Error;

/// The file by which a results folder is known.
const MARK: &str = "manifest.json";

/// The file by which a sweep's folder is known: it holds what may have taken days, and is never replaced.
const SWEEP_MARK: &str = "sweep.json";

/// The first line of a `README.md` that a run wrote. Results that were committed are known by it: a manifest
/// tells of the machine and is not committed.
pub const README_MARK: &str = "<!-- Written by simnet run, which replaces this folder. -->";

/// The first line of a figure's `README.md`.
pub const FIGURE_MARK: &str = "<!-- Written by simnet figures, which replaces this folder. -->";

/// What a folder of some kind is known by, so that it may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Like {
    /// The results of a run: it has a `manifest.json`, or a `README.md` that begins with [`README_MARK`].
    Results,
    /// A figure: its `README.md` begins with [`FIGURE_MARK`], or the folder is [`Like::Results`], from which figures
    /// were read before.
    Figure,
    /// Generated source: the file of this name begins with this line.
    Source {
        /// The file.
        file: &'static str,
        /// Its first line.
        line: &'static str,
    },
}

/// Why results cannot be put where they were wanted.
#[derive(Debug, Error)]
pub enum FolderError {
    /// Something stands there that is not of the kind.
    #[error("{}: not {}; choose another --out", path.display(), like.earlier())]
    Foreign {
        /// The place.
        path: PathBuf,
        /// What it would have to be.
        like: Like,
    },
    /// The system refused.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
}

/// A folder in the making: its files gather beside the place where it will stand.
#[derive(Debug)]
pub struct Folder {
    place: PathBuf,
    like: Like,
    gathered: TempDir,
}

impl Folder {
    /// Starts a folder that will stand at `place`, whose parents are made if need be.
    ///
    /// # Errors
    /// If something else than an empty folder or an earlier run's results stands there, or the system refuses.
    pub fn begin(place: &Path) -> Result<Folder, FolderError> {
        Folder::begin_like(place, Like::Results)
    }

    /// The same for a folder that replaces only its like.
    ///
    /// # Errors
    /// If something else than an empty folder or its like stands there, or the system refuses.
    pub fn begin_like(place: &Path, like: Like) -> Result<Folder, FolderError> {
        like.vacant(place)?;
        let parent = parent_of(place);
        fs::create_dir_all(parent).map_err(|error| refused(parent, error))?;
        // A link to the folder stays a link, and `.` has a name.
        let place = fs::canonicalize(place).unwrap_or_else(|_| place.to_owned());
        let gathered = tempfile::Builder::new().prefix(".simnet-").tempdir_in(parent_of(&place));
        let gathered = gathered.map_err(|error| refused(parent_of(&place), error))?;
        Ok(Folder { place, like, gathered })
    }

    /// Checks that results may be put at `place`, without changing anything.
    ///
    /// # Errors
    /// If something else than an empty folder or an earlier run's results stands there.
    pub fn vacant(place: &Path) -> Result<(), FolderError> {
        Like::Results.vacant(place)
    }

    /// Checks that a folder can be put at `place`, and leaves no trace of having tried.
    ///
    /// # Errors
    /// If something else than an empty folder or an earlier run's results stands there, or the system would
    /// refuse.
    pub fn probe(place: &Path) -> Result<(), FolderError> {
        Folder::probe_like(place, Like::Results)
    }

    /// The same for a folder that replaces only its like.
    ///
    /// # Errors
    /// As [`Folder::probe`].
    pub fn probe_like(place: &Path, like: Like) -> Result<(), FolderError> {
        like.vacant(place)?;
        let parents = place.ancestors().skip(1);
        let there = parents.map(|parent| if parent.as_os_str().is_empty() { Path::new(".") } else { parent });
        let nearest = there.into_iter().find(|parent| parent.exists()).unwrap_or(Path::new("."));
        let tried = tempfile::Builder::new().prefix(".simnet-").tempdir_in(nearest);
        tried.and_then(TempDir::close).map_err(|error| refused(nearest, error))
    }

    /// Adds a file.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn add(&self, name: &str, contents: &str) -> Result<(), FolderError> {
        let path = self.gathered.path().join(name);
        let written = fs::File::create(&path).and_then(|mut file| {
            file.write_all(contents.as_bytes())?;
            file.sync_all()
        });
        written.map_err(|error| refused(&path, error))
    }

    /// Adds a file that `fill` writes; gives what it gives.
    ///
    /// # Errors
    /// If `fill` fails, or the system refuses.
    pub fn add_by<T>(
        &self,
        name: &str,
        fill: impl FnOnce(&mut dyn io::Write) -> io::Result<T>,
    ) -> Result<T, FolderError> {
        let path = self.gathered.path().join(name);
        let written = fs::File::create(&path).and_then(|mut file| {
            let filled = fill(&mut file)?;
            file.sync_all()?;
            Ok(filled)
        });
        written.map_err(|error| refused(&path, error))
    }

    /// The names of the files that were added so far, in order.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn names(&self) -> Result<Vec<String>, FolderError> {
        let of = |error| refused(self.gathered.path(), error);
        let mut names = Vec::new();
        for entry in fs::read_dir(self.gathered.path()).map_err(of)? {
            names.push(entry.map_err(of)?.file_name().to_string_lossy().into_owned());
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Puts the folder in its place, instead of an earlier run's.
    ///
    /// # Errors
    /// If the system refuses; the earlier results are then still there.
    pub fn finish(self) -> Result<(), FolderError> {
        self.like.vacant(&self.place)?;
        let Folder { place, gathered, .. } = self;
        let moved = || -> io::Result<()> {
            open_to_all(gathered.path())?;
            if !place.exists() {
                return fs::rename(gathered.path(), &place);
            }
            let old = tempfile::Builder::new().prefix(".simnet-").tempdir_in(parent_of(&place))?;
            let old_place = old.path().join("old");
            fs::rename(&place, &old_place)?;
            fs::rename(gathered.path(), &place)
                .or_else(|error| fs::rename(&old_place, &place).and(Err(error)))
        };
        moved().map_err(|error| refused(&place, error))?;
        // It has moved: there is nothing left to clean up.
        let _ = gathered.keep();
        Ok(())
    }
}

impl Like {
    /// Whether such a folder stands at `place`.
    fn stands_at(self, place: &Path) -> bool {
        let begins = |file: &str, line: &str| {
            fs::read_to_string(place.join(file)).is_ok_and(|text| text.lines().next() == Some(line))
        };
        match self {
            Like::Results => {
                let is_sweep = place.join(SWEEP_MARK).exists();
                !is_sweep && (place.join(MARK).is_file() || begins("README.md", README_MARK))
            }
            Like::Figure => begins("README.md", FIGURE_MARK) || Like::Results.stands_at(place),
            Like::Source { file, line } => begins(file, line),
        }
    }

    /// Checks that a folder of this kind may be put at `place`.
    fn vacant(self, place: &Path) -> Result<(), FolderError> {
        let foreign = || FolderError::Foreign { path: place.to_owned(), like: self };
        if self.stands_at(place) {
            return Ok(());
        }
        match fs::read_dir(place).map(Iterator::count) {
            Ok(0) => Ok(()),
            Ok(_) => Err(foreign()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => Err(foreign()),
            Err(error) => Err(refused(place, error)),
        }
    }

    /// What would have to stand there.
    fn earlier(self) -> String {
        match self {
            Like::Results => format!("the results of an earlier run (it has no {MARK})"),
            Like::Figure => "a figure that simnet made (it has no README.md that says so)".to_owned(),
            Like::Source { file, .. } => {
                format!("source that simnet wrote (it has no {file} that says so)")
            }
        }
    }
}

/// The folder in which `place` stands.
fn parent_of(place: &Path) -> &Path {
    place.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Gives a folder the permissions of any other; temporary ones are made for their owner alone.
#[cfg(unix)]
fn open_to_all(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn open_to_all(_folder: &Path) -> io::Result<()> {
    Ok(())
}

fn refused(path: &Path, error: io::Error) -> FolderError {
    FolderError::Io { path: path.to_owned(), error: of_the_system(error) }
}

/// What the system said, without the name of a temporary file that the user never heard of.
pub fn of_the_system(error: io::Error) -> io::Error {
    // `tempfile` puts it behind what the system said, and gives that in no other way.
    match error.to_string().split_once(" at path \"") {
        Some((told, _)) if error.raw_os_error().is_none() => io::Error::new(error.kind(), told.to_owned()),
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_folder_appears_whole_and_replaces_only_its_like() {
        let room = tempfile::tempdir().unwrap();
        let place = room.path().join("results/a");
        let folder = Folder::begin(&place).unwrap();
        folder.add("one.csv", "1\n").unwrap();
        assert!(!place.exists());
        folder.add(MARK, "{}").unwrap();
        assert_eq!(folder.names().unwrap(), [MARK, "one.csv"]);
        folder.finish().unwrap();
        assert_eq!(entries(&place), [MARK, "one.csv"]);

        let again = Folder::begin(&place).unwrap();
        again.add(MARK, "{}").unwrap();
        again.finish().unwrap();
        assert_eq!(entries(&place), [MARK]);
        assert_eq!(entries(&room.path().join("results")), ["a"]);
    }

    #[test]
    fn probing_leaves_nothing_behind() {
        let room = tempfile::tempdir().unwrap();
        Folder::probe(&room.path().join("results/deep/a")).unwrap();
        assert!(entries(room.path()).is_empty());
        fs::write(room.path().join("thesis.txt"), "dear").unwrap();
        assert!(Folder::probe(&room.path().join("thesis.txt/a")).is_err());
        assert!(matches!(Folder::probe(room.path()), Err(FolderError::Foreign { .. })));
        assert_eq!(entries(room.path()), ["thesis.txt"]);
    }

    #[test]
    fn an_empty_folder_is_taken_and_a_foreign_one_refused() {
        let room = tempfile::tempdir().unwrap();
        let folder = Folder::begin(room.path().join("").as_path());
        drop(folder.unwrap());
        fs::write(room.path().join("thesis.txt"), "dear").unwrap();
        assert!(matches!(Folder::begin(room.path()), Err(FolderError::Foreign { .. })));
        assert!(matches!(Folder::begin(&room.path().join("thesis.txt")), Err(FolderError::Foreign { .. })));
        let sweep = room.path().join("sweep");
        fs::create_dir(&sweep).unwrap();
        for name in [SWEEP_MARK, MARK] {
            fs::write(sweep.join(name), "{}").unwrap();
        }
        assert!(matches!(Folder::begin(&sweep), Err(FolderError::Foreign { .. })));
        fs::remove_dir_all(&sweep).unwrap();
        assert_eq!(entries(room.path()), ["thesis.txt"]);
    }
}
