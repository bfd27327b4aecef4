//! Faults in files that people write: located, explained, all of them at once.
//!
//! A reader of a file collects [`Fault`]s and returns them as [`Faults`], which print as
//! `error[code]: message`, `--> file:line:col`, the line with a caret, what is allowed there and the
//! nearest valid spelling. A reader that opens several files returns a [`Refusal`]: the faults of all of
//! them.
//!
//! What is printed is bounded, whatever the file: [`SHOWN`] faults a file, lines of a terminal's width, no
//! colour. What a terminal would obey, or what would mislead a reader, is an escape: [`legible`], here and
//! wherever else people read ([`shown`] for paths, [`quoted`] for names, [`legible_json`] for JSON).

mod legible;
mod render;

pub use legible::{Shown, is_hidden, legible, legible_json, legible_lines, legible_toml, shown};
pub use render::quoted;

use std::fmt;
use std::ops::Range;

use annotate_snippets::Level;

/// How many faults of one file are printed; of the others only their number is.
pub const SHOWN: usize = 20;

/// How many warnings of one kind are named; of the others only their number is.
const NAMED: usize = 3;

/// The code of a fault that is about a file that cannot be opened, rather than about what a file says.
pub const MISSING_FILE: &str = "missing-file";

/// One thing wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// A short stable name of this kind of fault, such as `unknown-key`.
    pub code: &'static str,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// Where, as byte offsets into the text; an empty range is a place between two bytes.
    pub span: Range<usize>,
    /// What is expected there; printed next to the caret.
    pub expected: String,
    /// A way out, such as the nearest valid spelling; it may have several lines, none of them a user's.
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

impl Faults {
    /// The faults of a file, each on whole characters of its text: parsers of others count bytes, and past the end.
    pub fn new(file: &str, text: impl Into<String>, mut faults: Vec<Fault>) -> Faults {
        let text = text.into();
        for Fault { span, .. } in &mut faults {
            let start = text.floor_char_boundary(span.start);
            *span = start..text.ceil_char_boundary(span.end.min(text.len())).max(start);
        }
        Faults { file: file.to_owned(), text, faults }
    }
}

/// The faults of a file and of the files it names; each file once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// At least one file, each with at least one fault.
    pub files: Vec<Faults>,
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
            Some(near) => self.with_help(format!("did you mean `{}`?", quoted(near))),
            None => self,
        }
    }
}

/// The candidate most like `word`, if any is near enough to be a slip of the hand.
///
/// Costs O(candidates x their length x the length of `word`), where a word of more than 100 characters
/// is spared: nothing is near it.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    if length > 100 {
        return None;
    }
    let limit = (length / 3).max(2).min(length.saturating_sub(1));
    let alike = candidates.into_iter().filter(|c| c.len().abs_diff(word.len()) <= 4 * limit);
    // Other capitals are no other word.
    let distance = |c: &str| match c.eq_ignore_ascii_case(word) {
        true => 0,
        false => strsim::damerau_levenshtein(word, c),
    };
    let scored = alike.map(|c| (distance(c), c));
    scored.filter(|(distance, _)| *distance <= limit).min().map(|(_, c)| c)
}

/// The end of a sentence that offers the candidate nearest to `word`; empty if none is near.
///
/// Costs as [`nearest`].
pub fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, candidates).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

/// Decodes a file's bytes as UTF-8.
///
/// # Errors
/// One fault at the first byte that is not UTF-8.
pub fn decode<'a>(file: &str, bytes: &'a [u8]) -> Result<&'a str, Box<Faults>> {
    str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let message = format!("byte {at} of the file is 0x{:02x}, which is not UTF-8 here", bytes[at]);
        let fault = Fault::new("not-utf8", at..at, message, "text in UTF-8");
        Box::new(Faults {
            file: file.to_owned(),
            text: String::from_utf8_lossy(bytes).into_owned(),
            faults: vec![fault],
        })
    })
}

impl Faults {
    /// The line and the column of a byte offset into the text, both from 1; a column is a character.
    ///
    /// Costs O(offset).
    pub fn place(&self, offset: usize) -> (usize, usize) {
        render::place(&self.text, offset)
    }

    /// The faults printed as warnings: one of each kind, with how many there are of it and where the first are.
    pub fn as_warnings(&self) -> String {
        let mut kinds: Vec<Vec<&Fault>> = Vec::new();
        for fault in &self.faults {
            match kinds.iter_mut().find(|kind| kind[0].code == fault.code) {
                Some(kind) => kind.push(fault),
                None => kinds.push(vec![fault]),
            }
        }
        kinds.iter().map(|kind| self.as_one_warning(kind)).collect::<Vec<_>>().join("\n\n")
    }

    /// Warnings of one kind, of which there is one at least.
    fn as_one_warning(&self, kind: &[&Fault]) -> String {
        let mut text = render::fault(self, kind[0], &Level::WARNING);
        if kind.len() > 1 {
            text += &format!("\n  = note: {} warnings of this kind", kind.len());
        }
        for fault in kind.iter().take(NAMED).skip(1) {
            let (line, column) = self.place(fault.span.start);
            text +=
                &format!("\n  = note: {}:{line}:{column}: {}", legible(&self.file), render::message(fault));
        }
        if kind.len() > NAMED {
            text += &format!("\n  = note: and {} more", kind.len() - NAMED);
        }
        text
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, fault) in self.faults.iter().take(SHOWN).enumerate() {
            if nth > 0 {
                writeln!(f)?;
            }
            writeln!(f, "{}", render::fault(self, fault, &Level::ERROR))?;
        }
        match self.faults.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            1 => writeln!(f, "\n{}: 1 more fault", quoted(&self.file)),
            more => writeln!(f, "\n{}: {more} more faults", quoted(&self.file)),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, faults) in self.files.iter().enumerate() {
            if nth > 0 {
                writeln!(f)?;
            }
            write!(f, "{faults}")?;
        }
        Ok(())
    }
}

impl Refusal {
    /// Whether nothing is wrong but that files cannot be opened.
    pub fn only_missing_files(&self) -> bool {
        self.files.iter().flat_map(|faults| &faults.faults).all(|fault| fault.code == MISSING_FILE)
    }
}

impl From<Box<Faults>> for Box<Refusal> {
    fn from(faults: Box<Faults>) -> Box<Refusal> {
        Box::new(Refusal { files: vec![*faults] })
    }
}

impl std::error::Error for Faults {}
impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str, span: Range<usize>) -> String {
        let fault = Fault::new("a-code", span, "something is wrong", "something right");
        Faults { file: "f.toml".to_owned(), text: text.to_owned(), faults: vec![fault] }.to_string()
    }

    /// Wrong if a place is off by one, or is lost when the line is shortened.
    #[test]
    fn every_fault_is_on_whole_characters_of_its_text() {
        // Wrong if a span that a parser gave in bytes were kept: such spans were found by fuzzing.
        let span = |text: &str, span: Range<usize>| {
            Faults::new("f", text, vec![Fault::new("syntax", span, "a", "b")]).faults[0].span.clone()
        };
        assert_eq!(span("\u{feff}", 2..3), 0..3);
        assert_eq!(span("", 0..1), 0..0);
        assert_eq!(span("a\u{202e}", 2..2), 1..4);
        assert_eq!(span("abc", 1..2), 1..2);
        assert_eq!(span("abc", 3..9), 3..3);
    }

    #[test]
    fn every_fault_has_its_line_and_column() {
        assert!(one("a = 1\nbc = 2\n", 8..9).contains("f.toml:2:3"));
        assert!(one("\u{e4}\u{f6} = 1", 5..6).contains("f.toml:1:4"));
        assert!(one("", 0..0).contains("f.toml:1:1"));
        assert!(one("a = 1\n", 6..6).contains("f.toml:2:1"));
        assert!(one(&"x".repeat(1 << 20), 500_000..500_001).contains("f.toml:1:500001"));
        assert!(one("\u{feff}a = 1", 3..4).contains("f.toml:1:1\n"), "{}", one("\u{feff}a = 1", 3..4));
    }

    /// Wrong if a line of a megabyte, or a span of one, is printed whole.
    #[test]
    fn printed_lines_are_bounded() {
        let long = format!("a = \"{}\"", "x".repeat(1 << 20));
        for span in [0..long.len(), 5..6, 1_000_000..1_000_100, long.len()..long.len()] {
            let printed = one(&long, span.clone());
            assert!(printed.lines().all(|line| line.chars().count() < 200), "{span:?}: {printed}");
            assert!(printed.contains('^'), "{printed}");
        }
    }

    /// Wrong if warnings of one kind filled the screen, or were not counted.
    #[test]
    fn warnings_of_one_kind_are_one_warning() {
        let of = |code, at: usize| Fault::new(code, at..at + 1, format!("at {at}"), "e");
        let faults = [of("a", 0), of("b", 1)].into_iter().chain((2..42).map(|at| of("a", at)));
        let many = Faults { file: "f".into(), text: "x".repeat(50), faults: faults.collect() };
        let printed = many.as_warnings();
        assert_eq!((printed.matches("warning[a]").count(), printed.matches("warning[b]").count()), (1, 1));
        assert!(printed.contains("note: 41 warnings of this kind\n  = note: f:1:3: at 2\n"), "{printed}");
        assert!(
            printed.contains("f:1:4: at 3\n  = note: and 38 more") && !printed.contains("at 4"),
            "{printed}"
        );
    }

    /// Wrong if the 21st fault is printed or not counted.
    #[test]
    fn the_first_twenty_are_shown_and_the_others_counted() {
        let fault = Fault::new("c", 0..1, "m", "e");
        let many = Faults { file: "f".to_owned(), text: "abc".to_owned(), faults: vec![fault; 25] };
        let printed = many.to_string();
        assert_eq!(printed.matches("error[c]").count(), SHOWN);
        assert!(printed.contains("f: 5 more faults"));
    }

    /// Wrong if a terminal's escape sequence in a file reaches the terminal.
    #[test]
    fn control_characters_are_not_printed() {
        let printed = one("a = \u{1b}[31m\u{0}\u{7}\u{202e}", 4..5);
        assert!(printed.chars().all(|c| c == '\n' || !is_hidden(c)), "{printed:?}");
        assert!(printed.contains("a = \\u{1b}[31m\\u{0}\\u{7}\\u{202e}"), "{printed}");
        assert!(printed.contains("\n  |     ^^^^^^ "), "{printed}");
        assert_eq!(quoted("a\u{1b}\nb"), "a\\u{1b}\\nb");
    }

    #[test]
    fn a_slip_of_the_hand_finds_its_word() {
        assert_eq!(nearest("buffr", ["buffer", "stop"]), Some("buffer"));
        assert_eq!(nearest("C1.00", ["C1.0", "C2.7"]), Some("C1.0"));
        assert_eq!(nearest("zzzzzz", ["buffer", "stop"]), None);
        assert_eq!(nearest("", ["go"]), None);
        assert_eq!(nearest("NDJSON", ["csv", "ndjson"]), Some("ndjson"));
    }
}
