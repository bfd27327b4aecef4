//! The faults found so far, in the scenario and in everything it names.

use std::ops::Range;

use crate::diagnostics::{Fault, Faults, Refusal};

/// A range of bytes in one of the book's sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The source's position in the book; 0 is the scenario file.
    pub source: usize,
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

/// The sources read so far and the faults and warnings found in them.
#[derive(Debug, Default)]
pub(super) struct Book {
    sources: Vec<Source>,
    /// The faults of files whose readers collect their own.
    foreign: Vec<Faults>,
    /// What such readers warn of.
    foreign_warnings: Vec<Faults>,
}

#[derive(Debug)]
struct Source {
    name: String,
    text: String,
    faults: Vec<Fault>,
    warnings: Vec<Fault>,
}

impl Book {
    /// Opens a source; its position is what places name it by.
    pub(super) fn add_source(&mut self, name: impl Into<String>, text: impl Into<String>) -> usize {
        let source =
            Source { name: name.into(), text: text.into(), faults: Vec::new(), warnings: Vec::new() };
        self.sources.push(source);
        self.sources.len() - 1
    }

    /// The text of a source.
    pub(super) fn text(&self, source: usize) -> &str {
        &self.sources[source].text
    }

    /// Notes a fault, made of the range of bytes that `place` stands for.
    pub(super) fn add(&mut self, place: Place, fault: impl FnOnce(Range<usize>) -> Fault) {
        self.sources[place.source].faults.push(fault(place.start..place.end));
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

    /// Whether nothing wrong has been noted.
    pub(super) fn is_clean(&self) -> bool {
        self.foreign.is_empty() && self.sources.iter().all(|source| source.faults.is_empty())
    }

    /// Whether nothing wrong has been noted in a source.
    pub(super) fn is_clean_at(&self, source: usize) -> bool {
        self.sources[source].faults.is_empty()
    }

    /// The names and the texts of all sources.
    pub(super) fn sources(&self) -> Vec<(String, String)> {
        self.sources.iter().map(|source| (source.name.clone(), source.text.clone())).collect()
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
        Faults { file: self.name.clone(), text: self.text.clone(), faults }
    }
}
