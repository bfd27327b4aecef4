//! The faults and warnings found so far, in the scenario and in everything it names.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use simnet_base::diagnostics::{Fault, Faults, Refusal, shown};

use super::files::Files;

/// A range of bytes in one of the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The source's position; 0 is the scenario file.
    pub source: usize,
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

/// The sources read so far and the faults and warnings found in them.
#[derive(Clone, Debug)]
pub(super) struct Diagnostics {
    files: Files,
    /// Whether what is read now may lack what a whole scenario needs.
    partial: bool,
    sources: Vec<Source>,
    /// The faults of files whose readers collect their own.
    foreign: Vec<Faults>,
    /// What such readers warn of.
    foreign_warnings: Vec<Faults>,
    /// The source of the last fault that was noted of the key that is read.
    last: Option<usize>,
}

/// How what is expected begins of any whole number.
pub(super) const ANY_WHOLE: &str = "expected 0 to ";

#[derive(Clone, Debug)]
struct Source {
    name: Arc<str>,
    text: Arc<str>,
    /// What names in it are relative to.
    folder: Arc<Path>,
    /// Whether it is a file of the scenario language.
    is_scenario: bool,
    faults: Vec<Fault>,
    warnings: Vec<Fault>,
}

impl Source {
    /// The same source, without faults and warnings.
    fn empty_copy(&self) -> Source {
        Source {
            name: self.name.clone(),
            text: self.text.clone(),
            folder: self.folder.clone(),
            is_scenario: self.is_scenario,
            faults: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

impl Diagnostics {
    /// No sources yet; their files come from `files`.
    pub(super) fn new(files: &Files) -> Diagnostics {
        Diagnostics {
            files: files.clone(),
            partial: false,
            sources: Vec::new(),
            foreign: Vec::new(),
            foreign_warnings: Vec::new(),
            last: None,
        }
    }

    /// Opens a source that is no scenario file; its position is what places name it by. Names in it are relative to
    /// the folder of the first.
    pub(super) fn add_source(&mut self, name: impl AsRef<str>, text: impl AsRef<str>) -> usize {
        let folder = self.sources.first().map_or_else(|| Path::new("").into(), |first| first.folder.clone());
        self.open(name.as_ref(), text.as_ref(), folder, false)
    }

    /// Opens a file of the scenario language, to whose folder names in it are relative.
    pub(super) fn add_scenario(&mut self, file: &Path, text: &str) -> usize {
        let folder = file.parent().unwrap_or(Path::new(""));
        self.open(&shown(file).to_string(), text, folder.into(), true)
    }

    fn open(&mut self, name: &str, text: &str, folder: Arc<Path>, is_scenario: bool) -> usize {
        let (faults, warnings) = (Vec::new(), Vec::new());
        self.sources.push(Source {
            name: name.into(),
            text: text.into(),
            folder,
            is_scenario,
            faults,
            warnings,
        });
        self.sources.len() - 1
    }

    /// Whether something stands in a file that the scenario includes.
    pub(super) fn is_included(&self, place: Place) -> bool {
        place.source != 0 && self.sources.get(place.source).is_some_and(|source| source.is_scenario)
    }

    /// Where files come from.
    pub(super) fn files(&self) -> &Files {
        &self.files
    }

    /// The path of a file that is named at `place`.
    pub(super) fn path(&self, place: Place, name: &str) -> PathBuf {
        self.sources[place.source].folder.join(name)
    }

    /// The text of a source.
    pub(super) fn text(&self, source: usize) -> &str {
        &self.sources[source].text
    }

    /// Notes a fault, made of the range of bytes that `place` stands for.
    pub(super) fn add(&mut self, place: Place, fault: impl FnOnce(Range<usize>) -> Fault) {
        self.note(place, fault(place.start..place.end));
    }

    /// Notes a fault: compiled once, where `add` is compiled for every kind.
    fn note(&mut self, place: Place, fault: Fault) {
        if !(self.partial && matches!(fault.code, "missing-key" | "missing-section")) {
            self.sources[place.source].faults.push(fault);
            self.last = Some(place.source);
        }
    }

    /// A key is read.
    pub(super) fn begin_key(&mut self) {
        self.last = None;
    }

    /// The key that is read has a range of its own: the last fault that was noted of it says that one, if it says what
    /// any number of its kind keeps to. `range` is told the most of these.
    pub(super) fn narrow(&mut self, range: impl FnOnce(&str) -> Option<String>) {
        let fault = self.last.and_then(|source| self.sources[source].faults.last_mut());
        let Some(fault) = fault else { return };
        let most = fault.expected.strip_prefix(ANY_WHOLE).filter(|most| most.starts_with("2^"));
        if let Some(range) = most.and_then(range) {
            fault.expected = format!("expected {range}");
        }
    }

    /// From here on it is no fault that something is missing: the file says it in another form.
    pub(super) fn forgive_gaps(&mut self) {
        self.partial = true;
    }

    /// Reads part of a scenario: that something is missing from it is no fault.
    pub(super) fn partially<T>(&mut self, read: impl FnOnce(&mut Diagnostics) -> T) -> T {
        let outer = std::mem::replace(&mut self.partial, true);
        let read = read(self);
        self.partial = outer;
        read
    }

    /// Notes something legal that deserves a look.
    pub(super) fn warn(&mut self, place: Place, warning: impl FnOnce(Range<usize>) -> Fault) {
        self.sources[place.source].warnings.push(warning(place.start..place.end));
    }

    /// Notes the faults of a file that another reader has read.
    pub(super) fn add_file(&mut self, faults: Faults) {
        self.foreign.push(faults);
    }

    /// Notes what another reader warns of in a file.
    pub(super) fn warn_of_file(&mut self, warnings: Faults) {
        self.foreign_warnings.push(warnings);
    }

    /// The same sources, without faults and warnings.
    pub(super) fn empty_copy(&self) -> Diagnostics {
        Diagnostics {
            sources: self.sources.iter().map(Source::empty_copy).collect(),
            ..Diagnostics::new(&self.files)
        }
    }

    /// Adds the faults and warnings of a copy.
    pub(super) fn absorb(&mut self, copy: Diagnostics) {
        for (source, noted) in self.sources.iter_mut().zip(copy.sources) {
            source.faults.extend(noted.faults);
            source.warnings.extend(noted.warnings);
        }
        self.foreign.extend(copy.foreign);
        self.foreign_warnings.extend(copy.foreign_warnings);
    }

    /// Whether nothing wrong has been noted.
    pub(super) fn is_clean(&self) -> bool {
        self.foreign.is_empty() && self.sources.iter().all(|source| source.faults.is_empty())
    }

    /// How many faults have been noted in scenario files.
    pub(super) fn noted(&self) -> usize {
        self.sources.iter().map(|source| source.faults.len()).sum()
    }

    /// Whether nothing wrong has been noted in a source.
    pub(super) fn is_clean_at(&self, source: usize) -> bool {
        self.sources[source].faults.is_empty()
    }

    /// The names and the texts of all sources.
    pub(super) fn sources(&self) -> Vec<(String, String)> {
        self.sources.iter().map(|source| (source.name.to_string(), source.text.to_string())).collect()
    }

    /// The warnings, printed, one a source.
    pub(super) fn warnings(&self) -> Vec<String> {
        let warned = self.sources.iter().filter(|source| !source.warnings.is_empty());
        let own = warned.map(|source| source.with(source.warnings.clone()).as_warnings());
        own.chain(self.foreign_warnings.iter().map(Faults::as_warnings)).collect()
    }

    /// Every fault, in order of place within each file; `None` if there is none.
    pub(super) fn into_refusal(self) -> Option<Box<Refusal>> {
        let faulty = self.sources.iter().filter(|source| !source.faults.is_empty());
        let own = faulty.map(|source| source.with(source.faults.clone()));
        let files: Vec<Faults> = own.chain(self.foreign).collect();
        if files.is_empty() { None } else { Some(Box::new(Refusal { files })) }
    }
}

impl Source {
    fn with(&self, mut faults: Vec<Fault>) -> Faults {
        faults.sort_by_key(|fault| (fault.span.start, fault.span.end));
        faults.dedup();
        Faults { file: self.name.to_string(), text: self.text.to_string(), faults }
    }
}
