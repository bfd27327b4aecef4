//! A sweep's folder: which sweep it holds, copies of what that was read from, and the shards.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::known::Known;
use super::shard::Shard;
use simnet_base::diagnostics::{legible_json, shown};
use simnet_base::files::{self, Inside, LARGEST, TEMPORARY, WriteError, parent_of, sync_folder};
use simnet_output::report::utf8_text;

/// The file by which a sweep's folder is known.
const MARK: &str = "sweep.json";
const SHARDS: &str = "shards";
const INPUTS: &str = "inputs";
/// The digits of a hash by which a folder of copies is called.
const COPIES_DIGITS: usize = 16;
const LOCK: &str = "lock";
const FORMAT: &str = "simnet-sweep/1";
/// What is made of the shards once all points are done.
const TABLES: [&str; 2] = [TABLE, "manifest.json"];
/// The table of all points.
pub(super) const TABLE: &str = "points.csv";
/// How the lock of a process begins.
const LOCKED_BY: &str = "process ";
/// The largest `sweep.json` that is read, in bytes.
const LARGEST_MARK: u64 = 16 << 20;

/// Which sweep a folder holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// What the points are called together. A folder is never used for another name.
    pub name: String,
    /// Whether it is the small form of the sweep.
    pub quick: bool,
    /// The version of the model that computes it; results of another version have other keys.
    pub model: u32,
    /// The seed that was given instead of the file's.
    pub seed: Option<u64>,
    /// Assignments that were laid over the file.
    pub set: Vec<String>,
    /// The parts that differ from seed to seed, as the key `vary` names them; empty with a single seed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub varied: Vec<String>,
    /// The file it was read from, as it was named; `None` if it was not read from a file.
    pub file: Option<String>,
    /// Everything that was read.
    pub inputs: Vec<Input>,
}

/// A file that a sweep was read from, and its copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The file, as it was named.
    pub path: String,
    /// Its copy, relative to the sweep's folder.
    pub copy: String,
    /// BLAKE3 of its contents, in hexadecimal.
    pub blake3: String,
}

/// What stands in `sweep.json`.
#[derive(Serialize, Deserialize)]
struct Mark {
    format: String,
    #[serde(flatten)]
    identity: Identity,
}

/// Why a sweep's folder cannot be used.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The system refused.
    #[error("{}: {error}", shown(&path))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's message.
        error: io::Error,
    },
    /// Something else stands where the folder, or a file of it, should.
    #[error("{}: {why}; take it away or choose another --out", shown(&path))]
    Foreign {
        /// What is in the way.
        path: PathBuf,
        /// Why it is.
        why: &'static str,
    },
    /// The folder holds another sweep.
    #[error("{}: holds {holds}, and this is {wanted}; choose another --out", shown(&path))]
    Other {
        /// The folder.
        path: PathBuf,
        /// What it holds.
        holds: String,
        /// What it was to hold.
        wanted: String,
    },
    /// There is no sweep in the folder.
    #[error("{}: not the folder of a sweep: it has no {MARK}", shown(&path))]
    Absent {
        /// The folder.
        path: PathBuf,
    },
    /// Another process runs the sweep.
    #[error("{}: {by} runs this sweep", shown(&path))]
    Locked {
        /// The folder.
        path: PathBuf,
        /// Which process.
        by: String,
    },
    /// A file of the folder is not as it was written.
    #[error("{}: altered since it was written", shown(&path))]
    Altered {
        /// The file.
        path: PathBuf,
    },
    /// `sweep.json` is not what this program writes.
    #[error("{}: {what}", shown(&path))]
    BadMark {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// Two whole lines disagree, although a result is a function of its key.
    #[error(
        "two results for one point, key {key}:\n  {first}\n  {second}\n\
         A result is a function of its key: one of them is wrong, be it by a fault of a machine or of simnet. \
         Remove both lines to compute the point again."
    )]
    Conflict {
        /// The point's key, in hexadecimal.
        key: String,
        /// `file:line` of the one.
        first: String,
        /// `file:line` of the other.
        second: String,
    },
    /// No threads can be begun.
    #[error("the system gives no {0} threads; fewer --jobs may do")]
    Threads(usize),
}

/// The folder of a sweep.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    identity: Identity,
}

/// The right to run a sweep, for as long as it lives; the system takes it back from a process that dies.
#[derive(Debug)]
pub struct Lock {
    _file: Option<File>,
}

impl StoreError {
    /// Whether something in the folder is not as it was written, rather than out of reach.
    pub fn is_bad_input(&self) -> bool {
        matches!(self, StoreError::Altered { .. } | StoreError::BadMark { .. } | StoreError::Conflict { .. })
    }
}

impl Identity {
    /// The identity of points that come from no file.
    pub fn new(name: &str, quick: bool, model: u32) -> Identity {
        Identity { name: name.to_owned(), quick, model, ..Identity::default() }
    }

    /// For people: the name, and whether it is the small form.
    fn describe(&self) -> String {
        format!("{} \"{}\"", if self.quick { "the quick form of the sweep" } else { "the sweep" }, self.name)
    }
}

impl Store {
    /// Opens the folder of a sweep, and makes it if there is none. `inputs` are the files that it was read from, of
    /// which copies are kept; `identity.inputs` is found from them. What the shards hold is kept, whatever has changed
    /// in the sweep since: points are known by their keys.
    ///
    /// # Errors
    /// If the folder holds another sweep, another form of it or something else, or the system refuses.
    pub fn open(
        folder: &Path,
        identity: &Identity,
        inputs: &BTreeMap<PathBuf, Vec<u8>>,
    ) -> Result<Store, StoreError> {
        let there = vacant(folder, identity)?;
        let is_new = !folder.join(SHARDS).exists();
        fs::create_dir_all(folder).map_err(|error| StoreError::Io { path: folder.to_owned(), error })?;
        make_folder(folder, SHARDS)?;
        if is_new {
            sync_folder(parent_of(folder));
        }
        let mut identity = identity.clone();
        identity.inputs = keep(folder, inputs)?;
        if there.as_ref() != Some(&identity) {
            // A table of what the sweep was before is no table of what it is now.
            for table in TABLES {
                remove_table(&folder.join(table))?;
            }
            let mark = Mark { format: FORMAT.to_owned(), identity: identity.clone() };
            write_whole(&folder.join(MARK), |out| {
                writeln!(out, "{}", legible_json(&serde_json::to_string_pretty(&mark)?))
            })?;
        }
        Ok(Store { folder: folder.to_owned(), identity })
    }

    /// Opens the folder of whatever sweep it holds.
    ///
    /// # Errors
    /// If it holds none, or the system refuses.
    pub fn found(folder: &Path) -> Result<Store, StoreError> {
        match read_mark(folder)? {
            Some(identity) => Ok(Store { folder: folder.to_owned(), identity }),
            None => {
                let _ = fs::read_dir(folder)
                    .map_err(|error| StoreError::Io { path: folder.to_owned(), error })?;
                Err(StoreError::Absent { path: folder.to_owned() })
            }
        }
    }

    /// Checks that [`Store::open`] would find nothing in its way, without changing anything.
    ///
    /// # Errors
    /// If the folder holds another sweep or something else.
    pub fn probe(folder: &Path, identity: &Identity) -> Result<(), StoreError> {
        vacant(folder, identity).map(|_| ())
    }

    /// Removes what a sweep without inputs keeps in a folder, and the folder if nothing else is in it; what is not a
    /// sweep's stays. For what can be computed again.
    pub fn discard(folder: &Path) {
        if !matches!(read_mark(folder), Ok(Some(_))) {
            return;
        }
        let shards = folder.join(SHARDS);
        let entries = Inside(folder).has_folder(SHARDS).then(|| fs::read_dir(&shards).ok()).flatten();
        let names =
            entries.into_iter().flatten().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let names: Vec<String> = names.filter(|name| name.ends_with(".jsonl")).collect();
        files::remove_listed(&shards, &names);
        files::remove_listed(folder, &[MARK, LOCK].map(str::to_owned));
    }

    /// The folders of a sweep in which files are in the making at times.
    pub fn making_places(folder: &Path) -> Vec<PathBuf> {
        let copies =
            Inside(folder).has_folder(INPUTS).then(|| fs::read_dir(folder.join(INPUTS)).ok()).flatten();
        let copies = copies.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
        let slurm = Inside(folder).has_folder("slurm").then(|| folder.join("slurm"));
        copies.filter(|path| !files::is_link(path)).chain([folder.to_owned()]).chain(slurm).collect()
    }

    /// The files that the sweep of a folder overwrites, in addition to those that only it has.
    pub fn own_files(folder: &Path) -> Vec<PathBuf> {
        [MARK, LOCK].iter().chain(&TABLES).map(|name| folder.join(name)).collect()
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Which sweep it holds.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The files that the sweep was read from, by the names they had, from their copies.
    ///
    /// # Errors
    /// If a copy is missing or was altered.
    pub fn inputs(&self) -> Result<BTreeMap<PathBuf, Vec<u8>>, StoreError> {
        self.identity.inputs.iter().map(|input| self.input(input)).collect()
    }

    /// A file that the sweep was read from: the name that it had, and its copy.
    fn input(&self, input: &Input) -> Result<(PathBuf, Vec<u8>), StoreError> {
        let path = self.folder.join(&input.copy);
        let bytes = Inside(&self.folder).read(&input.copy, LARGEST);
        let bytes = bytes.map_err(|error| StoreError::Io { path: path.clone(), error })?;
        if blake3::hash(&bytes).to_hex().as_str() != input.blake3 {
            return Err(StoreError::Altered { path });
        }
        Ok((PathBuf::from(&input.path), bytes))
    }

    /// Reads what the shards hold, in time linear in their size.
    ///
    /// # Errors
    /// If a shard cannot be read, or two lines give one key different results.
    pub fn known(&self) -> Result<Known, StoreError> {
        Known::read(&self.folder.join(SHARDS))
    }

    /// Begins a shard of this process; `worker` begins its name.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn begin_shard(&self, worker: &str) -> Result<Shard, StoreError> {
        Shard::begin(&self.folder.join(SHARDS), worker)
    }

    /// Writes a file of the folder whole or not at all: `fill` writes a temporary file, which is synced and renamed.
    ///
    /// # Errors
    /// If the system refuses; what was there is then untouched.
    pub fn write(
        &self,
        name: &str,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), StoreError> {
        write_whole(&self.folder.join(name), fill)
    }
}

impl Lock {
    /// Takes the right to run the sweep of a folder, which is made if there is none. It is advisory: workers of other
    /// machines do not ask, and need not, as each writes shards of its own. A file system without locks grants it to
    /// everyone.
    ///
    /// # Errors
    /// If a living process has it, or the system refuses.
    pub fn take(folder: &Path) -> Result<Lock, StoreError> {
        fs::create_dir_all(folder).map_err(|error| StoreError::Io { path: folder.to_owned(), error })?;
        let path = folder.join(LOCK);
        let failed = |error| StoreError::Io { path: path.clone(), error };
        let mut file = Inside(folder).open_to_write(LOCK).map_err(failed)?;
        if !is_lock(&mut file).map_err(failed)? {
            return Err(StoreError::Foreign { path, why: "no lock of a sweep" });
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut by = String::new();
                let _ = (&mut file).take(200).read_to_string(&mut by);
                let by = if by.trim().is_empty() { "another process" } else { by.trim() }.to_owned();
                return Err(StoreError::Locked { path: folder.to_owned(), by });
            }
            Err(TryLockError::Error(_)) => return Ok(Lock { _file: None }),
        }
        let host = simnet_output::report::host_name();
        let text = format!("{LOCKED_BY}{} on {host}\n", std::process::id());
        file.set_len(0).and_then(|()| file.write_all(text.as_bytes())).map_err(failed)?;
        Ok(Lock { _file: Some(file) })
    }
}

/// Whether a file is empty or says which process runs a sweep. Leaves it at its beginning.
fn is_lock(file: &mut File) -> io::Result<bool> {
    let mut first = Vec::new();
    file.take(LOCKED_BY.len() as u64).read_to_end(&mut first)?;
    file.rewind()?;
    Ok(first.is_empty() || first == LOCKED_BY.as_bytes())
}

/// Makes a folder below that of a sweep.
fn make_folder(folder: &Path, name: &str) -> Result<PathBuf, StoreError> {
    Inside(folder).make_folder(name).map_err(|error| StoreError::Io { path: folder.join(name), error })
}

/// Checks that a sweep may be put into a folder. Gives the identity that stands there already.
fn vacant(folder: &Path, wanted: &Identity) -> Result<Option<Identity>, StoreError> {
    let mark = read_mark(folder).map_err(|error| match error {
        StoreError::BadMark { path, .. } if !files::begins_like_ours(&path).unwrap_or(false) => {
            StoreError::Foreign { path, why: "not the sweep.json of a sweep" }
        }
        other => other,
    });
    if let Some(holds) = mark? {
        if (&holds.name, holds.quick) == (&wanted.name, wanted.quick) {
            return Ok(Some(holds));
        }
        let (holds, wanted) = (holds.describe(), wanted.describe());
        return Err(StoreError::Other { path: folder.to_owned(), holds, wanted });
    }
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            return Err(StoreError::Foreign { path: folder.to_owned(), why: "no folder" });
        }
        entries => entries.map_err(|error| StoreError::Io { path: folder.to_owned(), error })?,
    };
    for entry in entries {
        let entry = entry.map_err(|error| StoreError::Io { path: folder.to_owned(), error })?;
        let name = entry.file_name();
        // A process that was killed while it made the folder leaves it without its mark.
        let is_begun = match name.to_str() {
            Some(SHARDS) => fs::read_dir(entry.path()).is_ok_and(|mut shards| shards.next().is_none()),
            Some(INPUTS) => holds_only(&entry.path(), is_copies),
            // Whose it is, is seen when it is taken.
            Some(name) => name == LOCK || name.starts_with(TEMPORARY),
            None => false,
        };
        if !is_begun {
            let why = "not of a sweep, and the folder has no sweep.json";
            return Err(StoreError::Foreign { path: entry.path(), why });
        }
    }
    Ok(None)
}

/// Whether a folder, which is no link, holds nothing but folders of such names.
fn holds_only(folder: &Path, is_known: fn(&str) -> bool) -> bool {
    let known = |entry: io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            is_folder && entry.file_name().to_str().is_some_and(is_known)
        })
    };
    !files::is_link(folder) && fs::read_dir(folder).is_ok_and(|mut entries| entries.all(known))
}

/// Whether a folder of copies is called so: by the first digits of a hash.
fn is_copies(name: &str) -> bool {
    name.len() == COPIES_DIGITS && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Reads `sweep.json`. `None` if there is none.
fn read_mark(folder: &Path) -> Result<Option<Identity>, StoreError> {
    let path = folder.join(MARK);
    let text = match Inside(folder).read(MARK, LARGEST_MARK) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(StoreError::Io { path, error }),
    };
    let bad = |what: String| StoreError::BadMark { path: path.clone(), what };
    let mark: Mark =
        serde_json::from_slice(&text).map_err(|error| bad(format!("not the {MARK} of a sweep: {error}")))?;
    if mark.format != FORMAT {
        return Err(bad(format!("the format is \"{}\", and this program reads {FORMAT}", mark.format)));
    }
    // A copy is read from inside the folder, whatever the file says.
    let inside = |input: &Input| {
        let mut parts = Path::new(&input.copy).components();
        parts.all(|part| matches!(part, std::path::Component::Normal(_)))
    };
    if !mark.identity.inputs.iter().all(inside) {
        return Err(bad("a copy of an input lies outside the folder".to_owned()));
    }
    Ok(Some(mark.identity))
}

/// Keeps copies of what a sweep was read from, in a folder named by all of it: a worker that reads the earlier
/// `sweep.json` at this moment still finds the copies that it names.
fn keep(folder: &Path, inputs: &BTreeMap<PathBuf, Vec<u8>>) -> Result<Vec<Input>, StoreError> {
    if inputs.is_empty() {
        return Ok(Vec::new());
    }
    let mut all = blake3::Hasher::new();
    for (path, bytes) in inputs {
        let path = utf8_text(path.as_os_str());
        all.update(&(path.len() as u64).to_le_bytes()).update(path.as_bytes());
        all.update(blake3::hash(bytes).as_bytes());
    }
    let below = format!("{INPUTS}/{}", &all.finalize().to_hex()[..COPIES_DIGITS]);
    make_folder(folder, &below)?;
    let mut kept = Vec::new();
    for (number, (path, bytes)) in inputs.iter().enumerate() {
        let name = path.file_name().map_or_else(|| "input".to_owned(), utf8_text);
        let copy = format!("{below}/{number}-{name}");
        let target = folder.join(&copy);
        if Inside(folder).read(&copy, LARGEST).ok().as_ref() != Some(bytes) {
            // A copy under this name is one of ours, damaged or half written.
            remove(&target)?;
            write_whole(&target, |out| out.write_all(bytes))?;
        }
        let blake3 = blake3::hash(bytes).to_hex().to_string();
        kept.push(Input { path: utf8_text(path.as_os_str()), copy, blake3 });
    }
    Ok(kept)
}

/// Removes a file if it is there.
fn remove(path: &Path) -> Result<(), StoreError> {
    files::remove(path).map_err(|error| StoreError::Io { path: path.to_owned(), error })
}

/// Removes a table that a sweep wrote, if it is there.
fn remove_table(path: &Path) -> Result<(), StoreError> {
    match files::begins_like_ours(path) {
        Ok(true) => remove(path),
        Ok(false) => Err(foreign(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(StoreError::Io { path: path.to_owned(), error }),
    }
}

fn foreign(path: &Path) -> StoreError {
    StoreError::Foreign { path: path.to_owned(), why: "it does not begin as files of simnet do" }
}

/// Writes a file whole or not at all.
fn write_whole(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), StoreError> {
    files::write_whole(path, fill).map_err(|error| match error {
        WriteError::Foreign => foreign(path),
        WriteError::Io(error) => StoreError::Io { path: path.to_owned(), error },
    })
}
