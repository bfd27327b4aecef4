//! What a results folder holds, read once.
//!
//! A folder that is none of ours is refused. One of ours with something amiss (half written, altered, cut) is read as
//! far as it goes, and what is amiss becomes a complaint, which the summary page shows and the command line repeats.
//!
//! Memory is bounded whatever the folder holds: tables are streamed and kept up to [`MOST_CELLS`], and only as much
//! of a
//! JSON file is read as such files have.

mod expected;
mod files;
mod labels;
mod table;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;
use thiserror::Error;

use simnet_base::diagnostics::{quoted, shown};
use simnet_base::files::Inside;
use simnet_network::topology::Network;
use simnet_network::topology::formats::{self, ReadOptions};

use crate::report::Csv;
pub use files::FileEntry;

/// A results folder in memory.
#[derive(Debug, Default)]
pub struct Contents {
    /// Where it is.
    pub folder: PathBuf,
    /// `summary.json`; null in the folder of a sweep, or if it is damaged.
    pub summary: Value,
    /// `manifest.json`; null if it is missing.
    pub manifest: Value,
    /// `sweep.json`, if it is the folder of a sweep; else null.
    pub sweep: Value,
    /// Every CSV, by file name without `.csv`.
    pub tables: BTreeMap<String, Csv>,
    /// The network of the run, if it had one (`network.json`).
    pub network: Option<Network>,
    /// The event log, if there is one: `events.simlog` of the folder, or the one named on the command line.
    pub events: Option<PathBuf>,
    /// Every file, in order of name.
    pub files: Vec<FileEntry>,
    /// The summary as people read it: nodes and ports by their labels; none where these are their names.
    labelled: Option<Value>,
    /// What could not be read or shown, in sentences.
    complaints: RefCell<Vec<String>>,
    /// How often what sections may take was halved, so that the page stays small.
    halvings: Cell<u32>,
}

/// Why no report can be made.
#[derive(Debug, Error)]
pub enum Refused {
    /// The folder cannot be read: exit 7.
    #[error("{}: {error}", quoted(&shown(&path).to_string()))]
    Io {
        /// What cannot be read.
        path: PathBuf,
        /// The system's message.
        error: io::Error,
    },
    /// It is not what `simnet run` left: exit 3.
    #[error("{}: {message}", quoted(&shown(&path).to_string()))]
    Foreign {
        /// The folder or file.
        path: PathBuf,
        /// What is wrong with it, and what was expected.
        message: String,
    },
}

/// So often may the room of sections be halved.
const MOST_HALVINGS: u32 = 5;

/// The event log of a run.
const EVENTS: &str = "events.simlog";

/// The most bytes of a JSON file that are read.
const LARGEST_JSON: u64 = 256 << 20;

impl Contents {
    /// Reads a results folder, or the folder of a sweep.
    ///
    /// # Errors
    /// [`Refused::Io`] if there is no such folder or it cannot be listed; [`Refused::Foreign`] if it is none of ours.
    pub fn read(folder: &Path) -> Result<Contents, Refused> {
        let refused = |error| Refused::Io { path: folder.to_owned(), error };
        if !fs::metadata(folder).map_err(refused)?.is_dir() {
            return Err(foreign(folder, files::instead_of_a_folder(folder)));
        }
        let names = files::names(folder).map_err(refused)?;
        let mut contents = Contents { folder: folder.to_owned(), ..Contents::default() };
        if names.iter().any(|name| name == "sweep.json") {
            contents.read_sweep()?;
        } else {
            contents.read_run(&names)?;
        }
        contents.read_tables(&names);
        if contents.sweep.is_null() {
            contents.complain_of_what_is_missing(&names);
        }
        contents.files = names.iter().filter_map(|name| contents.entry(name)).collect();
        Ok(contents)
    }

    /// Tells that something could not be read or shown, in a sentence. Sections may complain as well: the summary,
    /// where complaints are shown, is made last.
    pub fn complain(&self, complaint: impl Into<String>) {
        self.complaints.borrow_mut().push(complaint.into());
    }

    /// What a section may take, of so many bytes, numbers or events: all of them on a page that is small enough.
    pub(super) fn thrifty(&self, most: usize) -> usize {
        most >> self.halvings.get()
    }

    /// Makes something of the contents, with less and less room until it is small enough, or there is no point in going
    /// on. What was complained of in vain is forgotten.
    pub(super) fn within<T>(&self, make: impl Fn() -> T, is_small: impl Fn(&T) -> bool) -> T {
        Contents::within_all(std::slice::from_ref(self), make, is_small)
    }

    /// The same of several folders together.
    pub(super) fn within_all<T>(all: &[Contents], make: impl Fn() -> T, is_small: impl Fn(&T) -> bool) -> T {
        let complaints: Vec<Vec<String>> = all.iter().map(Contents::complaints).collect();
        let mut halvings = 0;
        loop {
            for (one, complaints) in all.iter().zip(&complaints) {
                one.halvings.set(halvings);
                one.complaints.replace(complaints.clone());
            }
            let made = make();
            if is_small(&made) || halvings == MOST_HALVINGS {
                return made;
            }
            halvings += 1;
        }
    }

    /// What could not be read or shown so far.
    pub fn complaints(&self) -> Vec<String> {
        self.complaints.borrow().clone()
    }

    /// A value of the summary by its path, as in `points.0.latency_mean_ns`; `None` if there is none, or it is null.
    pub fn at(&self, path: &str) -> Option<&Value> {
        super::value::at(self.labelled.as_ref().unwrap_or(&self.summary), path)
    }

    /// A cycle of the routes that hosts were given, as outputs; `None` if there is none.
    pub fn route_cycle(&self) -> Option<&[Value]> {
        let own = self.at("route.chosen").map(|chosen| &chosen["dependency_cycle"]);
        own.or_else(|| self.at("route.dependency_cycle"))?.as_array().map(Vec::as_slice)
    }

    /// A number of the summary by its path.
    pub fn number(&self, path: &str) -> Option<f64> {
        self.at(path)?.as_f64()
    }

    /// A text of the summary by its path.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.at(path)?.as_str()
    }

    /// What the run or the sweep is called; empty if nothing says so.
    pub fn name(&self) -> &str {
        let named = [(&self.summary, "scenario"), (&self.manifest, "scenario"), (&self.sweep, "name")];
        named.iter().find_map(|(object, key)| object.get(key)?.as_str()).unwrap_or_default()
    }

    /// The folder of a run: `summary.json` is what it is known by.
    fn read_run(&mut self, names: &[String]) -> Result<(), Refused> {
        let summary =
            self.json("summary.json", |value| value.get("scenario").is_some_and(Value::is_string))?;
        let manifest = self.json("manifest.json", |value| value.get("scenario_hash").is_some())?;
        match (summary, manifest) {
            // Without its summary a folder is ours only if its manifest says so.
            (Err(what), Err(_) | Ok(Value::Null)) => {
                return Err(foreign(&self.folder, self.instead(names, &what)));
            }
            (Ok(Value::Null), Err(_) | Ok(Value::Null)) => {
                return Err(foreign(&self.folder, self.instead(names, "it has no summary.json")));
            }
            (Err(what), Ok(manifest)) => {
                self.complain(format!("{what}: of what came out, only the tables can be shown"));
                self.manifest = manifest;
            }
            (Ok(Value::Null), Ok(manifest)) => {
                self.complain(
                    "summary.json is missing: the run was not written to its end, or the file was taken away",
                );
                self.manifest = manifest;
            }
            (Ok(summary), manifest) => {
                self.summary = summary;
                match manifest {
                    Ok(Value::Null) if !self.is_committed() => {
                        self.complain("manifest.json is missing: where the results come from is not known")
                    }
                    Ok(manifest) => self.manifest = manifest,
                    Err(what) => self.complain(format!("{what}: where the results come from is not known")),
                }
            }
        }
        self.read_network(names);
        self.labelled = self.network.as_ref().and_then(|network| labels::labelled(&self.summary, network));
        self.find_events();
        Ok(())
    }

    /// Finds the event log, if there is one that can be opened.
    fn find_events(&mut self) {
        match Inside(&self.folder).open(EVENTS) {
            Ok(_) => self.events = Some(self.folder.join(EVENTS)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => self.complain(format!("{EVENTS} cannot be read, so nothing is replayed: {error}")),
        }
    }

    /// Whether the folder was committed: a manifest describes the machine and is then left out.
    fn is_committed(&self) -> bool {
        let text = Inside(&self.folder).read("README.md", LARGEST_JSON).unwrap_or_default();
        text.starts_with(format!("{}\n", crate::report::README_MARK).as_bytes())
    }

    /// The folder of a sweep: its mark, and the manifest of its table.
    fn read_sweep(&mut self) -> Result<(), Refused> {
        let has_format = |value: &Value| {
            value
                .get("format")
                .and_then(Value::as_str)
                .is_some_and(|format| format.starts_with("simnet-sweep/"))
        };
        self.sweep = self.json("sweep.json", has_format)?.map_err(|what| foreign(&self.folder, what))?;
        match self.json("manifest.json", Value::is_object)? {
            Ok(manifest) => self.manifest = manifest,
            Err(what) => self.complain(what),
        }
        Ok(())
    }

    /// A JSON object of the folder; null if there is no such file. Inside, a sentence about what is wrong with it.
    fn json(&self, name: &str, is_ours: fn(&Value) -> bool) -> Result<Result<Value, String>, Refused> {
        let path = self.folder.join(name);
        let bytes = match Inside(&self.folder).read(name, LARGEST_JSON) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Ok(Value::Null)),
            Err(error) if is_no_such_file(&error) => {
                return Ok(Err(format!("{name} cannot be read: {error}")));
            }
            Err(error) => return Err(Refused::Io { path, error }),
            Ok(bytes) => bytes,
        };
        Ok(match serde_json::from_slice::<Value>(&bytes) {
            Err(error) if error.is_eof() => {
                Err(format!("{name} ends too early, after {} bytes: {error}", bytes.len()))
            }
            Err(error) => Err(format!("{name} is not JSON: {error}")),
            Ok(value) if is_ours(&value) => Ok(value),
            Ok(_) => Err(format!("{name} is JSON, but not what simnet writes")),
        })
    }

    fn read_network(&mut self, names: &[String]) {
        if !names.iter().any(|name| name == "network.json") {
            return;
        }
        let read = match Inside(&self.folder).read("network.json", LARGEST_JSON) {
            Err(error) => Err(error.to_string()),
            Ok(bytes) => formats::read("network.json", &bytes, &ReadOptions::default()).map_err(|faults| {
                faults.faults.first().map(|fault| fault.message.clone()).unwrap_or_default()
            }),
        };
        match read {
            Ok(network) => self.network = Some(network),
            Err(what) => {
                self.complain(format!("network.json cannot be read, so the network is not drawn: {what}"))
            }
        }
    }

    fn read_tables(&mut self, names: &[String]) {
        for name in names {
            let Some(stem) = name.strip_suffix(".csv") else { continue };
            match Inside(&self.folder).open(name).and_then(Csv::read) {
                Ok((table, complaint)) => {
                    self.tables.insert(stem.to_owned(), table);
                    if let Some(complaint) = complaint {
                        self.complain(format!("{}: {complaint}", quoted(name)));
                    }
                }
                Err(error) => self.complain(format!("{} cannot be read: {error}", quoted(name))),
            }
        }
    }

    fn complain_of_what_is_missing(&self, names: &[String]) {
        expected::missing_files(&self.manifest, &self.summary, names)
            .into_iter()
            .for_each(|what| self.complain(what));
        expected::missing_columns(&self.tables, &self.summary)
            .into_iter()
            .for_each(|what| self.complain(what));
    }

    fn entry(&self, name: &str) -> Option<FileEntry> {
        match FileEntry::of(&self.folder, name) {
            Ok(entry) => entry,
            Err(error) => {
                self.complain(format!("{} cannot be read: {error}", quoted(name)));
                None
            }
        }
    }

    /// What the folder is not, and what it may be instead.
    fn instead(&self, names: &[String], what: &str) -> String {
        let hint = files::hint(&self.folder, names);
        format!("not a folder of results, as `simnet run --out` leaves them: {what}{hint}")
    }
}

/// Whether something else than a file of reasonable size was found, rather than nothing that can be read.
fn is_no_such_file(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, InvalidInput, IsADirectory};
    matches!(error.kind(), FileTooLarge | InvalidInput | IsADirectory)
}

fn foreign(path: &Path, message: impl Into<String>) -> Refused {
    Refused::Foreign { path: path.to_owned(), message: message.into() }
}
