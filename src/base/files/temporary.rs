//! Temporary files and folders next to their final place: their names, their locks, and removal of those without one.
//!
//! A maker locks what it makes (flock) until it is in its place. The system takes a lock back from a process that died,
//! so whatever has such a name and no lock is a leftover. Where a file system has no locks, nothing counts as one.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempDir};

use super::open::never_waiting;
use crate::diagnostics::shown;

/// What begins the name of everything that is in the making.
pub const TEMPORARY: &str = ".simnet-";

/// How many random characters end it.
const RANDOM: usize = 6;

/// A folder in the making, held as long as this lives.
#[derive(Debug)]
pub(super) struct HeldFolder {
    pub(super) folder: TempDir,
    lock: File,
}

/// What a process that died left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leftover {
    /// It was removed.
    Removed(PathBuf),
    /// It was the only copy of what had stood at this place, and stands there again.
    PutBack(PathBuf),
}

impl std::fmt::Display for Leftover {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Leftover::Removed(path) => {
                write!(f, "removed {}, which a process that died left unfinished", shown(&path))
            }
            Leftover::PutBack(path) => {
                write!(f, "put {} back, which a process died about to replace", shown(&path))
            }
        }
    }
}

/// A new file in a folder, with the permissions of any other new file, held until it is closed.
pub(super) fn file_in(folder: &Path) -> io::Result<NamedTempFile> {
    loop {
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let prefix = prefix();
        let file = builder.prefix(&prefix).rand_bytes(RANDOM).tempfile_in(folder)?;
        if is_held(file.as_file(), file.path()) {
            return Ok(file);
        }
    }
}

/// A new folder in a folder, held until it is dropped.
pub(super) fn folder_in(folder: &Path) -> io::Result<HeldFolder> {
    loop {
        let prefix = prefix();
        let folder = tempfile::Builder::new().prefix(&prefix).rand_bytes(RANDOM).tempdir_in(folder)?;
        let lock = File::open(folder.path())?;
        if is_held(&lock, folder.path()) {
            return Ok(HeldFolder { folder, lock });
        }
    }
}

impl HeldFolder {
    /// The folder's path now; it is no longer removed when this is dropped.
    pub(super) fn keep(self) -> (PathBuf, File) {
        (self.folder.keep(), self.lock)
    }
}

fn prefix() -> String {
    format!("{TEMPORARY}{}-", std::process::id())
}

/// Locks what was just made. False if another process took it for a leftover before.
fn is_held(file: &File, path: &Path) -> bool {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => false,
        // Without locks nothing counts as a leftover.
        Err(TryLockError::Error(_)) => true,
        Ok(()) => is_at(file, path),
    }
}

/// Whether an open file still has this name.
#[cfg(unix)]
pub(super) fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let identity = |there: io::Result<fs::Metadata>| there.ok().map(|there| (there.dev(), there.ino()));
    let ours = identity(file.metadata());
    ours.is_some() && ours == identity(fs::symlink_metadata(path))
}

#[cfg(not(unix))]
pub(super) fn is_at(_file: &File, path: &Path) -> bool {
    path.exists()
}

/// Removes what processes that died left in a folder, in the order of names. What a process holds, what has any other
/// name and what holds anything that simnet would not have put there stays. A folder that is not there has none.
pub fn clear_litter(folder: &Path) -> Vec<Leftover> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
    let mut paths: Vec<PathBuf> =
        names.filter(|name| name.to_str().is_some_and(is_ours)).map(|name| folder.join(name)).collect();
    paths.sort();
    paths.iter().filter_map(|path| clear(path).ok().flatten()).collect()
}

/// Whether a name is one that makers give: `.simnet-<process>-<random>`.
fn is_ours(name: &str) -> bool {
    let parts = name.strip_prefix(TEMPORARY).and_then(|rest| rest.split_once('-'));
    parts.is_some_and(|(process, random)| {
        let is_number = !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit());
        is_number && random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Removes one thing that no process holds; `None` if one does.
fn clear(path: &Path) -> io::Result<Option<Leftover>> {
    let there = fs::symlink_metadata(path)?;
    if !there.is_dir() && !there.is_file() {
        return Ok(None);
    }
    let file = never_waiting().read(true).open(path)?;
    if file.try_lock().is_err() || !is_at(&file, path) {
        return Ok(None);
    }
    if there.is_file() {
        fs::remove_file(path)?;
        return Ok(Some(Leftover::Removed(path.to_owned())));
    }
    clear_folder(path)
}

/// Of a folder in the making all entries are files. One that was moved aside stands alone in a folder.
fn clear_folder(path: &Path) -> io::Result<Option<Leftover>> {
    let entries = fs::read_dir(path)?.collect::<io::Result<Vec<_>>>()?;
    if let [only] = &entries[..]
        && only.file_type()?.is_dir()
    {
        let place = super::parent_of(path).join(only.file_name());
        if fs::symlink_metadata(&place).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            fs::rename(only.path(), &place)?;
            fs::remove_dir(path)?;
            return Ok(Some(Leftover::PutBack(place)));
        }
        remove_files(&only.path())?;
        fs::remove_dir(only.path())?;
    }
    remove_files(path)?;
    fs::remove_dir(path)?;
    Ok(Some(Leftover::Removed(path.to_owned())))
}

/// Removes the files of a folder that holds nothing else.
fn remove_files(folder: &Path) -> io::Result<()> {
    let entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    for entry in &entries {
        if entry.file_type()?.is_dir() {
            return Err(ErrorKind::DirectoryNotEmpty.into());
        }
    }
    entries.iter().try_for_each(|entry| fs::remove_file(entry.path()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if something that a user may have called so were taken for ours.
    #[test]
    fn only_names_that_makers_give_are_ours() {
        for name in [".simnet-1-abcDE9", ".simnet-123456-000000"] {
            assert!(is_ours(name), "{name}");
        }
        for name in
            [".simnet-", ".simnet-config", ".simnet-1-abcDE", ".simnet-a-abcDE9", ".simnet--abcDE9", "x"]
        {
            assert!(!is_ours(name), "{name}");
        }
    }

    /// Wrong if what a living process holds were removed, or what a dead one left stayed, or anything else went.
    #[test]
    fn litter_is_what_nobody_holds() {
        let room = tempfile::tempdir().unwrap();
        let (held_file, held_folder) = (file_in(room.path()).unwrap(), folder_in(room.path()).unwrap());
        let (left, file) = (room.path().join(".simnet-1-aaaaaa"), room.path().join(".simnet-1-bbbbbb"));
        let foreign = room.path().join(".simnet-1-cccccc");
        fs::create_dir_all(foreign.join("deep")).unwrap();
        fs::write(foreign.join("notes"), "dear").unwrap();
        fs::create_dir(&left).unwrap();
        fs::write(left.join("a.csv"), "1").unwrap();
        fs::write(&file, "half").unwrap();
        fs::write(room.path().join(".simnet-config"), "dear").unwrap();
        assert_eq!(clear_litter(room.path()), [Leftover::Removed(left), Leftover::Removed(file)]);
        assert!(held_file.path().exists() && held_folder.folder.path().exists());
        assert!(room.path().join(".simnet-config").exists() && foreign.join("notes").exists());
        let path = held_folder.folder.path().to_owned();
        let (kept, lock) = held_folder.keep();
        drop(lock);
        assert_eq!(clear_litter(room.path()), [Leftover::Removed(kept)]);
        assert!(!path.exists());
    }

    /// Wrong if results that were moved aside were lost with the process that meant to replace them.
    #[test]
    fn what_was_moved_aside_is_put_back() {
        let room = tempfile::tempdir().unwrap();
        let aside = room.path().join(".simnet-1-aaaaaa");
        let old = aside.join("results");
        fs::create_dir_all(&old).unwrap();
        fs::write(old.join("a.csv"), "1").unwrap();
        let place = room.path().join("results");
        assert_eq!(clear_litter(room.path()), [Leftover::PutBack(place.clone())]);
        assert_eq!(fs::read_to_string(place.join("a.csv")).unwrap(), "1");
        assert!(!aside.exists());
        // Where new ones stand already, the old ones are leftovers.
        fs::create_dir_all(&old).unwrap();
        fs::write(old.join("b.csv"), "1").unwrap();
        assert_eq!(clear_litter(room.path()), [Leftover::Removed(aside)]);
        assert!(!place.join("b.csv").exists());
    }
}
