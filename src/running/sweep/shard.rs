//! A file of lines that only one worker of one process ever writes.
//!
//! Two processes never share a file, so that lines are never mixed: not over NFS, and not when a job that was given up
//! goes on writing while its successor runs.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::store::StoreError;
use simnet_base::files::{is_link, sync_folder};

/// A shard that this process writes.
#[derive(Debug)]
pub struct Shard {
    path: PathBuf,
    file: File,
    /// Whether something was written that may not have reached the disk.
    unsynced: AtomicBool,
}

impl Shard {
    /// Begins a new file in `folder`, whose name gives the worker and is not taken yet.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn begin(folder: &Path, worker: &str) -> Result<Shard, StoreError> {
        // A copy of a sweep may be an empty folder; the sweep's own must be there.
        match fs::create_dir(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(StoreError::Io { path: folder.to_owned(), error });
            }
            _ => {}
        }
        if is_link(folder) {
            let error = io::Error::other("it is a link, and none is followed here");
            return Err(StoreError::Io { path: folder.to_owned(), error });
        }
        for number in 0_u64.. {
            let path = folder.join(format!("{worker}-{number}.jsonl"));
            match OpenOptions::new().append(true).create_new(true).open(&path) {
                Ok(file) => {
                    sync_folder(folder);
                    return Ok(Shard { path, file, unsynced: AtomicBool::new(false) });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(StoreError::Io { path, error }),
            }
        }
        unreachable!("no folder holds that many files")
    }

    /// Appends a line with a single write, unless the system takes only part of it.
    ///
    /// # Errors
    /// If the system refuses. The file may then end in a torn line and must not be appended to again.
    pub(super) fn append(&self, line: &[u8]) -> Result<(), StoreError> {
        (&self.file).write_all(line).map_err(|error| self.failed(error))?;
        self.unsynced.store(true, Ordering::Release);
        Ok(())
    }

    /// Sees to it that all lines so far survive a power cut, and that the file can still be found.
    ///
    /// # Errors
    /// If the system refuses, or if the file was removed meanwhile.
    pub(super) fn sync(&self) -> Result<(), StoreError> {
        if !self.unsynced.swap(false, Ordering::AcqRel) {
            return Ok(());
        }
        let synced = self.file.sync_data().and_then(|()| self.is_in_its_place());
        synced.map_err(|error| self.failed(error))
    }

    /// A removed file can still be written to: only its name shows that it is gone.
    fn is_in_its_place(&self) -> io::Result<()> {
        let there = fs::metadata(&self.path)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            let ours = self.file.metadata()?;
            if (there.dev(), there.ino()) != (ours.dev(), ours.ino()) {
                return Err(io::Error::other("the file was replaced while it was written"));
            }
        }
        let _ = there;
        Ok(())
    }

    fn failed(&self, error: io::Error) -> StoreError {
        StoreError::Io { path: self.path.clone(), error }
    }
}
