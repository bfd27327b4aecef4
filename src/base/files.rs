//! The disk: how files are read, written whole and replaced. The only place that opens, renames or removes anything.
//!
//! ```text
//!   open, read           a regular file of bounded size, and nothing that waits or never ends
//!   inside::open, read   the same below a folder of ours, and through no link
//!   write_whole, NewFile a file appears whole or not at all, and replaces only what simnet wrote
//!   Folder               a folder appears whole or not at all, and replaces only its like
//!   clear_litter         what processes that died left next to their places
//! ```
//! A temporary file is called `.simnet-<process>-<random>` and stands next to its place; its process holds a lock
//! on it, so that no other process takes it for a leftover.

mod folder;
mod inside;
mod open;
mod ours;
mod temporary;
mod whole;

pub use folder::{Folder, FolderError, Kind, Listed, nearest_parent, remove_listed};
pub use inside::{Inside, is_link};
pub use open::{LARGEST, open, read};
pub use ours::begins_like_ours;
pub use temporary::{Leftover, TEMPORARY, clear_litter};
pub use whole::{NewFile, WriteError, behind_links, is_written_as_it_is, sync_folder, write_whole};

use std::io;
use std::path::Path;

/// Removes a file that simnet made and knows by its name; that there is none is no error.
///
/// # Errors
/// What the system says.
pub fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The folder in which something stands.
pub fn parent_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The system's message without the name of a temporary file, which the user does not know.
fn of_the_system(error: io::Error) -> io::Error {
    // `tempfile` appends it to the system's message, and gives that in no other way.
    match error.to_string().split_once(" at path \"") {
        Some((what, _)) => io::Error::new(error.kind(), what.to_owned()),
        None => error,
    }
}
