//! Where files come from: the disk, or copies that were kept, so that what a sweep was made of cannot change.

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex};

use simnet_base::files;

/// Where a scenario's files come from. It remembers each file that it has handed out and hands the same bytes out
/// again, whatever becomes of the original meanwhile. Clones share that memory.
#[derive(Clone, Debug)]
pub struct Files(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    copies: BTreeMap<PathBuf, Vec<u8>>,
    disk: bool,
    read: Mutex<BTreeMap<PathBuf, FileCopy>>,
}

/// A file as it was read.
#[derive(Clone, Debug)]
pub(super) struct FileCopy {
    pub(super) bytes: Arc<[u8]>,
    pub(super) hash: blake3::Hash,
}

impl Files {
    /// Files of the disk.
    pub fn disk() -> Files {
        Files::new(BTreeMap::new(), true)
    }

    /// Copies that were kept, by the paths under which they were taken, and nothing else.
    pub fn from_copies(copies: BTreeMap<PathBuf, Vec<u8>>) -> Files {
        Files::new(copies, false)
    }

    /// Copies that were kept, and the disk for what is not among them.
    pub fn copies_or_disk(copies: BTreeMap<PathBuf, Vec<u8>>) -> Files {
        Files::new(copies, true)
    }

    fn new(copies: BTreeMap<PathBuf, Vec<u8>>, disk: bool) -> Files {
        let copies = copies.into_iter().map(|(path, bytes)| (plain(&path), bytes)).collect();
        Files(Arc::new(Inner { copies, disk, read: Mutex::default() }))
    }

    /// What has been handed out so far, by the paths under which it was requested (`a/../b` is `b`).
    ///
    /// # Panics
    /// If a thread that used it panicked.
    pub fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let read = self.0.read.lock().expect("no thread panics while holding it");
        read.iter().map(|(path, copy)| (path.clone(), copy.bytes.to_vec())).collect()
    }

    /// The paths of what has been handed out so far.
    ///
    /// # Panics
    /// If a thread that used it panicked.
    pub fn paths(&self) -> Vec<PathBuf> {
        let read = self.0.read.lock().expect("no thread panics while holding it");
        read.keys().cloned().collect()
    }

    /// Hands out a file.
    ///
    /// # Errors
    /// Those of the disk; that there is no such copy.
    pub(super) fn read(&self, path: &Path) -> io::Result<FileCopy> {
        let path = plain(path);
        let mut all = self.0.read.lock().expect("no thread panics while holding it");
        if let Some(copy) = all.get(&path) {
            return Ok(copy.clone());
        }
        let bytes = match self.0.copies.get(&path) {
            Some(bytes) => bytes.clone(),
            None if self.0.disk => files::read(&path, files::LARGEST)?,
            None => return Err(io::Error::new(io::ErrorKind::NotFound, "it is not among the copies kept")),
        };
        let copy = FileCopy { hash: blake3::hash(&bytes), bytes: bytes.into() };
        all.insert(path, copy.clone());
        Ok(copy)
    }
}

/// The path without `.` and without `x/..`. Where `x` is a link to a folder elsewhere this is another file than the
/// disk would give: in return a file has one name, and no chain of names grows without end.
pub(super) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(plain.components().next_back(), Some(Component::Normal(_))) => {
                plain.pop();
            }
            _ => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a copy is not found under another spelling of its path, or a file that is not kept is found.
    #[test]
    fn copies_are_found_and_nothing_else() {
        let files = Files::from_copies([(PathBuf::from("a/b.toml"), b"x".to_vec())].into());
        assert_eq!(&*files.read(Path::new("a/./c/../b.toml")).unwrap().bytes, b"x");
        assert!(files.read(Path::new("Cargo.toml")).is_err());
        assert_eq!(files.contents().into_keys().collect::<Vec<_>>(), [PathBuf::from("a/b.toml")]);
    }

    /// Wrong if a file that changes after it was read is read again.
    #[test]
    fn a_file_that_was_taken_stays_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, "old").unwrap();
        let files = Files::disk();
        files.read(&path).unwrap();
        std::fs::write(&path, "new").unwrap();
        assert_eq!(&*files.read(&path).unwrap().bytes, b"old");
        assert_eq!(plain(Path::new("../x/../y")), Path::new("../y"));
        assert_eq!(plain(Path::new("/../y")), Path::new("/../y"));
    }
}
