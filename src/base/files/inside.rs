//! Files below a folder that simnet made: other users may have put links there, and none is followed.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use super::open::{never_waiting, read_whole, regular};

/// A folder of ours whose entries are opened through no link. The folder itself may be one.
#[derive(Clone, Copy, Debug)]
pub struct Inside<'a>(pub &'a Path);

impl Inside<'_> {
    /// Opens a regular file for reading by its path below the folder.
    ///
    /// # Errors
    /// What the system says; that it, or a folder on the way, is a link; that it is no regular file.
    pub fn open(self, name: impl AsRef<Path>) -> io::Result<File> {
        self.opened(name.as_ref(), false)
    }

    /// Reads a regular file of at most `most` bytes.
    ///
    /// # Errors
    /// As [`Inside::open`]; that the file is larger, or that there is no memory for it.
    pub fn read(self, name: impl AsRef<Path>, most: u64) -> io::Result<Vec<u8>> {
        read_whole(&self.open(name)?, most)
    }

    /// Opens a regular file for reading and writing, which is made if there is none; what it holds stays.
    ///
    /// # Errors
    /// As [`Inside::open`].
    pub fn open_to_write(self, name: impl AsRef<Path>) -> io::Result<File> {
        self.opened(name.as_ref(), true)
    }

    /// Makes a folder below this one, and those on the way to it.
    ///
    /// # Errors
    /// What the system says; that something of the way is a link or no folder.
    pub fn make_folder(self, name: impl AsRef<Path>) -> io::Result<PathBuf> {
        let mut path = self.0.to_owned();
        for part in name.as_ref().components() {
            path.push(part);
            match fs::create_dir(&path) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
                _ => real_folder(&path)?,
            }
        }
        Ok(path)
    }

    /// Whether a folder of this name is there; false for a link to one.
    pub fn has_folder(self, name: impl AsRef<Path>) -> bool {
        real_folder(&self.0.join(name)).is_ok()
    }

    fn opened(self, name: &Path, writes: bool) -> io::Result<File> {
        let mut path = self.0.to_owned();
        let mut parts = name.components().peekable();
        while let Some(part) = parts.next() {
            if !matches!(part, Component::Normal(_)) {
                return Err(io::Error::new(ErrorKind::InvalidInput, "it does not lie in the folder"));
            }
            path.push(part);
            if parts.peek().is_some() {
                real_folder(&path)?;
            }
        }
        match fs::symlink_metadata(&path) {
            Err(error) if writes && error.kind() == ErrorKind::NotFound => {}
            there => real_file(&there?)?,
        }
        let mut options = never_waiting();
        options.read(true).write(writes).create(writes).truncate(false);
        through_no_link(&mut options);
        let file = options.open(&path).map_err(|error| if is_link(&path) { a_link() } else { error })?;
        regular(&file.metadata()?)?;
        Ok(file)
    }
}

/// Whether a path names a link, to whatever.
pub fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|there| there.is_symlink())
}

fn a_link() -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, "it is a link, and none is followed here")
}

fn real_file(there: &fs::Metadata) -> io::Result<()> {
    if there.is_symlink() { Err(a_link()) } else { regular(there) }
}

fn real_folder(path: &Path) -> io::Result<()> {
    let there = fs::symlink_metadata(path)?;
    match there.is_dir() {
        true => Ok(()),
        false if there.is_symlink() => Err(a_link()),
        false => Err(ErrorKind::NotADirectory.into()),
    }
}

/// Where the system can, the last name is refused if it has become a link meanwhile.
fn through_no_link(options: &mut fs::OpenOptions) {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
        options.custom_flags(flags.bits().cast_signed());
    }
    let _ = options;
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// Wrong if a link were followed, be it the file or a folder on the way, or if a file were looked for elsewhere.
    #[test]
    fn no_link_is_followed() {
        let room = tempfile::tempdir().unwrap();
        let (ours, private) = (room.path().join("ours"), room.path().join("private"));
        fs::create_dir_all(ours.join("real")).unwrap();
        fs::create_dir(&private).unwrap();
        fs::write(private.join("key"), "secret").unwrap();
        fs::write(ours.join("real/f"), "1").unwrap();
        symlink(private.join("key"), ours.join("file")).unwrap();
        symlink(&private, ours.join("folder")).unwrap();
        symlink(private.join("new"), ours.join("dangling")).unwrap();
        let inside = Inside(&ours);
        assert_eq!(inside.read("real/f", 9).unwrap(), b"1");
        for name in ["file", "folder/key", "dangling"] {
            let refused = inside.read(name, 9).unwrap_err().to_string();
            assert_eq!(refused, "it is a link, and none is followed here", "{name}");
            assert!(inside.open_to_write(name).is_err(), "{name}");
        }
        for name in ["../private/key", "real/../../private/key", "/etc/passwd"] {
            assert!(inside.read(name, 9).is_err(), "{name}");
        }
        assert!(inside.make_folder("folder/deep").is_err());
        assert!(!private.join("deep").exists() && !private.join("new").exists());
        assert!(inside.make_folder("a/b").unwrap().is_dir() && inside.has_folder("a"));
        assert!(!inside.has_folder("folder"));
        // A link to the folder itself is the user's own.
        symlink(&ours, room.path().join("to-ours")).unwrap();
        assert_eq!(Inside(&room.path().join("to-ours")).read("real/f", 9).unwrap(), b"1");
    }
}
