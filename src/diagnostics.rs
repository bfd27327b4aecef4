//! Faults in files that people write: located, explained, all of them at once.
//!
//! A reader of a file collects [`Fault`]s and returns them as [`Faults`], which print as
//! `error[code]: message`, `--> file:line:col`, the line with a caret, what is allowed there and the nearest
//! valid spelling.

use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

/// One thing wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// A short stable name of this kind of fault, such as `unknown-key`.
    pub code: &'static str,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// Where, as byte offsets into the text; an empty range is a place between two bytes.
    pub span: Range<usize>,
    /// What is expected there; printed beside the caret.
    pub expected: String,
    /// A way out, such as the nearest valid spelling.
    pub help: Option<String>,
}

/// A file's faults in order of place, with the text they are about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults {
    /// The file as the user named it.
    pub file: String,
    /// Its text, as far as it could be read (invalid UTF-8 replaced).
    pub text: String,
    /// At least one fault.
    pub faults: Vec<Fault>,
}

impl Fault {
    /// A fault at `span` without a hint.
    pub fn new(
        code: &'static str,
        span: Range<usize>,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) -> Fault {
        Fault { code, message: message.into(), span, expected: expected.into(), help: None }
    }

    /// The same fault with a way out.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Fault {
        self.help = Some(help.into());
        self
    }

    /// The same fault with `did you mean ...?` if one of `candidates` is near `word`.
    #[must_use]
    pub fn with_nearest<'a>(self, word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Fault {
        match nearest(word, candidates) {
            Some(near) => self.with_help(format!("did you mean `{near}`?")),
            None => self,
        }
    }
}

/// The candidate most like `word`, if any is near enough to be a slip of the hand.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let scored = candidates.into_iter().map(|c| (strsim::damerau_levenshtein(word, c), c));
    let limit = (word.chars().count() / 3).max(2);
    scored.filter(|(distance, _)| *distance <= limit).min().map(|(_, c)| c)
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let renderer = Renderer::plain();
        for (nth, fault) in self.faults.iter().enumerate() {
            if nth > 0 {
                writeln!(f)?;
            }
            writeln!(f, "{}", renderer.render(&[self.group(fault)]))?;
        }
        Ok(())
    }
}

impl Faults {
    fn group<'a>(&'a self, fault: &'a Fault) -> Group<'a> {
        let end = fault.span.end.min(self.text.len());
        let span = fault.span.start.min(end)..end;
        let snippet = Snippet::source(self.text.as_str())
            .path(self.file.as_str())
            .annotation(AnnotationKind::Primary.span(span).label(fault.expected.as_str()));
        let group = Level::ERROR.primary_title(fault.message.as_str()).id(fault.code).element(snippet);
        match &fault.help {
            Some(help) => group.element(Level::HELP.message(help.as_str())),
            None => group,
        }
    }
}

impl std::error::Error for Faults {}
