//! The one opener of files that are read.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

/// The largest file that is read into memory at once, in bytes: 1 GiB, ten times the largest that simnet itself
/// writes for networks within its limits.
pub const LARGEST: u64 = 1 << 30;

/// Opens a regular file for reading. Never waits for a writer, as to open a pipe does, and a file that would make a
/// reader wait gives an error instead.
///
/// # Errors
/// What the system says; that it is no regular file.
pub fn open(path: &Path) -> io::Result<File> {
    // Asked before: to open some devices has effects.
    regular(&std::fs::metadata(path)?)?;
    let file = never_waiting().read(true).open(path)?;
    regular(&file.metadata()?)?;
    Ok(file)
}

/// Reads a regular file of at most `most` bytes.
///
/// # Errors
/// As [`open`]; that the file is larger, or that there is no memory for it.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_whole(&open(path)?, most)
}

/// Reads an open file of at most `most` bytes from where it stands.
pub(super) fn read_whole(file: &File, most: u64) -> io::Result<Vec<u8>> {
    let length = file.metadata()?.len();
    if length > most {
        return Err(too_large(&format!("it has {length} bytes"), most));
    }
    let mut bytes = Vec::new();
    let room = usize::try_from(length).map_err(|_| ErrorKind::OutOfMemory)?;
    bytes.try_reserve_exact(room.saturating_add(1)).map_err(|_| ErrorKind::OutOfMemory)?;
    // A file that the system makes up while it is read has no length.
    file.take(most + 1).read_to_end(&mut bytes).map_err(waits)?;
    if bytes.len() as u64 > most {
        return Err(too_large("it has more bytes than it says", most));
    }
    Ok(bytes)
}

/// Refuses what is no regular file.
pub(super) fn regular(kind: &Metadata) -> io::Result<()> {
    if kind.is_dir() {
        return Err(io::Error::new(ErrorKind::IsADirectory, "it is a folder"));
    }
    if !kind.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is no regular file"));
    }
    Ok(())
}

fn too_large(what: &str, most: u64) -> io::Error {
    io::Error::new(ErrorKind::FileTooLarge, format!("{what}, and at most {most} are read"))
}

/// A file that has nothing to read now and is not at its end is none that ends.
fn waits(error: io::Error) -> io::Error {
    match error.kind() {
        ErrorKind::WouldBlock => io::Error::new(ErrorKind::InvalidInput, "it is no regular file: it waits"),
        _ => error,
    }
}

/// Options with which opening and reading never wait.
pub(super) fn never_waiting() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a file larger than allowed were read, or one of just that size refused.
    #[test]
    fn a_file_is_read_up_to_its_bound() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("f");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), b"12345");
        let refused = read(&path, 4).unwrap_err();
        assert_eq!(refused.to_string(), "it has 5 bytes, and at most 4 are read");
    }

    /// Wrong if a folder, a pipe, a socket or a device were read.
    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_read() {
        let room = tempfile::tempdir().unwrap();
        let refused = read(room.path(), 9).unwrap_err();
        assert_eq!((refused.kind(), refused.to_string()), (ErrorKind::IsADirectory, "it is a folder".into()));
        let pipe = room.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        let socket = room.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        for path in [pipe.as_path(), &socket, Path::new("/dev/zero"), Path::new("/dev/null")] {
            assert_eq!(read(path, 9).unwrap_err().to_string(), "it is no regular file", "{path:?}");
        }
        assert_eq!(read(&room.path().join("none"), 9).unwrap_err().kind(), ErrorKind::NotFound);
    }
}
