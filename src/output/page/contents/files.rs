//! The files of a results folder, and what else a path may be that was taken for one.

use std::fs;
use std::io;
use std::path::Path;

use simnet_base::diagnostics::{did_you_mean, quoted, shown};
use simnet_base::files::{Inside, parent_of};

/// A file of the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// BLAKE3 of its bytes, in hexadecimal.
    pub blake3: String,
}

impl FileEntry {
    /// Describes a file; `None` for a folder. Costs O(its size) in time and nothing in memory.
    pub(super) fn of(folder: &Path, name: &str) -> io::Result<Option<FileEntry>> {
        if fs::symlink_metadata(folder.join(name))?.is_dir() {
            return Ok(None);
        }
        let mut hasher = blake3::Hasher::new();
        let bytes = io::copy(&mut Inside(folder).open(name)?, &mut hasher)?;
        Ok(Some(FileEntry { name: name.to_owned(), bytes, blake3: hasher.finalize().to_hex().to_string() }))
    }
}

/// The names of a folder's files, in order; hidden ones, the lock of a sweep and HTML left out: a report may stand in
/// the folder that it is about, and would otherwise list the report before it.
pub(super) fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') && !name.ends_with(".html") && name != "lock" {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// What to say where a folder was expected and something else stands.
pub(super) fn instead_of_a_folder(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let parent = parent_of(path);
    let hint = if parent.join("summary.json").is_file() {
        format!("; give its folder, `{}`", quoted(&shown(&parent).to_string()))
    } else if name.ends_with(".toml") {
        "; this is a scenario: `simnet run` makes a folder of results from it".to_owned()
    } else if name.ends_with(".simlog") {
        "; for an event log alone there is `simnet trace`".to_owned()
    } else {
        String::new()
    };
    format!("a file, and a report is made of a folder of results, as `simnet run --out` leaves them{hint}")
}

/// What a folder may be that is no results folder, as the end of a sentence.
pub(super) fn hint(folder: &Path, names: &[String]) -> String {
    let has = |name: &str| names.iter().any(|other| other == name);
    if has("data.csv") && has("figure.svg") {
        return ". It holds a figure, as `simnet figures` makes them; its numbers are in data.csv".to_owned();
    }
    let inside = |name: &&String| {
        let child = folder.join(name);
        child.join("summary.json").is_file() || child.join("sweep.json").is_file()
    };
    let mut children = names.iter().filter(inside);
    if let Some(first) = children.next() {
        let more = children.count();
        let path = quoted(&shown(&folder.join(first)).to_string());
        let others = if more > 0 { format!(", or one of {more} others beside it") } else { String::new() };
        return format!("; did you mean `{path}`{others}?");
    }
    let near =
        names.iter().map(String::as_str).find(|name| !did_you_mean("summary.json", [*name]).is_empty());
    match near {
        Some(near) if near != "summary.json" => format!("; there is `{}`, which nothing reads", quoted(near)),
        _ if names.is_empty() => " (the folder is empty)".to_owned(),
        _ => String::new(),
    }
}
