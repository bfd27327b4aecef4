//! What a command reads and what it writes: no output destroys an input or another output, and none replaces what
//! simnet did not write. Every verb that writes declares its files here before it computes anything.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use super::output::{is_stdout, note};
use super::{Common, Failure};
use simnet_base::diagnostics::shown;
use simnet_base::files::{
    NewFile, behind_links, clear_litter, is_written_as_it_is, nearest_parent, parent_of,
};

/// The files of a command.
#[derive(Default)]
pub(super) struct Places {
    reads: Vec<Read>,
    writes: Vec<Written>,
}

/// A file that is read.
struct Read {
    /// What it is, as in "the scenario".
    what: String,
    path: PathBuf,
}

/// A file or folder that is written.
struct Written {
    /// The option that names it.
    option: &'static str,
    path: PathBuf,
    kind: Target,
}

/// What becomes of what stands there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    /// A file is put there.
    File,
    /// A folder is put there instead of an earlier one.
    Folder,
    /// It is one of a folder's own files.
    Kept,
}

impl Places {
    pub(super) fn new() -> Places {
        Places::default()
    }

    /// Adds a file that is read.
    pub(super) fn reads(mut self, what: impl Into<String>, path: impl Into<PathBuf>) -> Places {
        self.reads.push(Read { what: what.into(), path: path.into() });
        self
    }

    /// Adds a file that is written, if it is named and is not stdout.
    pub(super) fn writes(mut self, option: &'static str, path: Option<&Path>) -> Places {
        let path = path.filter(|path| !is_stdout(path)).map(Path::to_owned);
        self.writes.extend(path.map(|path| Written { option, path, kind: Target::File }));
        self
    }

    /// Adds a file that a folder is known to have: whether it may be written over is seen when it is.
    pub(super) fn keeps(mut self, option: &'static str, path: &Path) -> Places {
        self.writes.push(Written { option, path: path.to_owned(), kind: Target::Kept });
        self
    }

    /// Adds a folder that is replaced whole.
    pub(super) fn replaces(mut self, option: &'static str, path: &Path) -> Places {
        self.writes.push(Written { option, path: path.to_owned(), kind: Target::Folder });
        self
    }

    /// Checks that every output can go where it was wanted, and clears away what processes that died left there.
    ///
    /// # Errors
    /// [`Failure::Usage`] where an output would destroy an input or another output, [`Failure::Place`] where a file
    /// stands that simnet did not write, [`Failure::Io`] where the system would refuse.
    pub(super) fn check(self, common: &Common) -> Result<(), Failure> {
        for (nth, written) in self.writes.iter().enumerate() {
            self.reads.iter().try_for_each(|read| written.spares(read))?;
            self.writes[..nth].iter().try_for_each(|other| written.is_apart_from(other))?;
        }
        for written in &self.writes {
            written.tidy(common);
            written.probe()?;
        }
        Ok(())
    }
}

impl Written {
    /// Refuses to be what is read, or a folder in which that lies.
    fn spares(&self, read: &Read) -> Result<(), Failure> {
        let (option, output, what) = (self.option, shown(&self.path), &read.what);
        if is_same_file(&self.path, &read.path) {
            return Err(Failure::Usage(format!(
                "{option}: {output} is {what}, which is read: name another file"
            )));
        }
        if self.kind == Target::Folder && lies_in(&read.path, &self.path) {
            let read = shown(&read.path);
            return Err(Failure::Usage(format!(
                "{option}: {what}, {read}, lies in {output}, which would be replaced: name another folder"
            )));
        }
        Ok(())
    }

    /// Refuses to be what another option names, or to lie in it.
    fn is_apart_from(&self, other: &Written) -> Result<(), Failure> {
        let both = [(self, other), (other, self)];
        if let Some((file, folder)) =
            both.into_iter().find(|(a, b)| b.kind == Target::Folder && lies_in(&a.path, &b.path))
        {
            let (option, output, place) = (file.option, shown(&file.path), shown(&folder.path));
            return Err(Failure::Usage(format!(
                "{option}: {output} is among the results, which every run puts in their place whole: name a file \
                 outside of {place} (a log among them is what [output.events] asks for)"
            )));
        }
        if is_same_file(&self.path, &other.path) && !is_written_as_it_is(&self.path) {
            let (one, two) = (other.option, self.option);
            return Err(Failure::Usage(format!(
                "{one} and {two} name the same file: each needs one of its own"
            )));
        }
        Ok(())
    }

    /// Clears away litter where this will gather.
    fn tidy(&self, common: &Common) {
        match self.kind {
            Target::Folder => tidy(nearest_parent(&self.path), common.quiet),
            Target::File | Target::Kept => tidy(parent_of(&self.path), common.quiet),
        }
    }

    /// Checks that a file can be put there. What kind of folder may be replaced is for those to say who write it.
    fn probe(&self) -> Result<(), Failure> {
        if self.kind != Target::File {
            return Ok(());
        }
        NewFile::begin(&self.path).map(drop).map_err(|error| super::output::failed(&self.path, error))
    }
}

/// Clears away what processes that died left in a folder, and says so unless it is to be quiet.
pub(super) fn tidy(folder: &Path, quiet: bool) {
    for litter in clear_litter(folder) {
        if !quiet {
            note(&litter.to_string());
        }
    }
}

/// Whether two paths name the same file, whatever links lead to it. Pipes and devices may be shared.
pub(super) fn is_same_file(a: &Path, b: &Path) -> bool {
    let is_like = |one: &Metadata, other: &Metadata| {
        (one.is_file() && other.is_file()) || (one.is_dir() && other.is_dir())
    };
    match (fs::metadata(a), fs::metadata(b)) {
        (Ok(one), Ok(other)) => {
            is_like(&one, &other) && (is_same(&one, &other) || resolved(a) == resolved(b))
        }
        _ => resolved(a) == resolved(b),
    }
}

#[cfg(unix)]
fn is_same(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_same(_a: &Metadata, _b: &Metadata) -> bool {
    false
}

/// Whether a path leads into a folder.
fn lies_in(path: &Path, folder: &Path) -> bool {
    resolved(path).starts_with(resolved(folder))
}

/// A path without links and dots, as far as it is there; a link to what is not there yet is followed too.
fn resolved(path: &Path) -> PathBuf {
    let path = behind_links(path);
    let whole = std::path::absolute(&path).unwrap_or(path);
    let there = whole.ancestors().find_map(|part| Some((part, fs::canonicalize(part).ok()?)));
    match there {
        Some((part, known)) => known.join(whole.strip_prefix(part).unwrap_or(Path::new(""))),
        None => whole,
    }
}
