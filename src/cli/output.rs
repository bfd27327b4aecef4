//! Where results go: stdout, or a file that appears whole or not at all.

use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::builder::{PathBufValueParser, TypedValueParser};
use comfy_table::{Table, presets};
use serde::Serialize;

use super::Failure;
use crate::files::{self, WriteError};

/// Prints a result to stdout. A reader who has gone away is no failure.
///
/// # Errors
/// [`Failure::Io`] if the system refuses, as a full disk does.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Io { path: "stdout".to_owned(), error })
        }
        _ => Ok(()),
    }
}

/// Tells the user something on stderr that is no fault. Nobody who cannot read it is stopped by that.
pub(super) fn note(text: &str) {
    let _unread = writeln!(io::stderr().lock(), "note: {text}");
}

/// Prints an object as one line of JSON.
///
/// # Errors
/// As [`print`].
pub(super) fn print_json(object: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(object).expect("results are plain data with text keys");
    print(&format!("{text}\n"))
}

/// Two aligned columns, a line for each name and its value.
pub(super) fn columns(rows: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.add_rows(rows.into_iter().map(|(name, value)| [name.to_owned(), value]));
    format!("{}\n", table.trim_fmt())
}

/// Writes a text to a file, whole or not at all.
///
/// # Errors
/// As [`write_whole_by`].
pub(super) fn write_whole(path: &Path, text: &str) -> Result<(), Failure> {
    write_whole_by(path, |out| out.write_all(text.as_bytes()))
}

/// Writes a file whole or not at all.
///
/// # Errors
/// [`Failure::Place`] if something stands there that simnet did not write, [`Failure::Io`] if the system refuses;
/// what was there is then untouched.
pub(super) fn write_whole_by(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    files::write_whole(path, fill).map_err(|error| failed(path, error))
}

/// Why a file could not be written.
pub(super) fn failed(path: &Path, error: WriteError) -> Failure {
    let path = path.display().to_string();
    match error {
        WriteError::Foreign => Failure::Place(format!("{path}: {error}")),
        WriteError::Io(error) => Failure::Io { path, error },
    }
}

/// Reads a file that the command line names.
///
/// # Errors
/// [`Failure::Io`] if it cannot be read, is no regular file or is larger than [`files::LARGEST`].
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    files::read(path, files::LARGEST).map_err(|error| Failure::Io { path: path.display().to_string(), error })
}

/// Whether a verb's result goes to stdout though a file was named: `--out -`.
pub(super) fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// Reads the name of a file that is written beside a verb's result on stdout, which `-` would mean elsewhere.
pub(super) fn beside_stdout() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match is_stdout(&path) {
        true => Err("stdout has this command's own result: name a file (./- if it is to be called so)"),
        false => Ok(path),
    })
}
