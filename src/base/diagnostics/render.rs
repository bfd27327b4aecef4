//! How one fault is printed: by annotate-snippets, over an excerpt of bounded size.

use std::borrow::Cow;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use super::{Fault, Faults, legible, legible_lines};

/// The characters of a line that are shown on each side of a fault's first character.
const SIDE: usize = 60;
/// The characters of a name or value that a message repeats.
const QUOTED: usize = 80;
/// The characters of a message that are shown.
const MOST_MESSAGE: usize = 400;
/// The characters of a way out that are shown: it may show a piece of a scenario.
const MOST_HELP: usize = 1200;

/// A user's name or value fit for a message: legible, the middle of a long one left out.
pub fn quoted(text: &str) -> String {
    let length = text.chars().count();
    if length <= QUOTED {
        return legible(text).into_owned();
    }
    let head: String = text.chars().take(QUOTED / 2).collect();
    let tail: String = text.chars().skip(length - QUOTED / 4).collect();
    format!("{}...{}", legible(&head), legible(&tail))
}

/// The line and the column of a byte offset, both from 1; a byte order mark has no column.
pub(super) fn place(text: &str, offset: usize) -> (usize, usize) {
    let offset = boundary(text, offset);
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let column = before[line_start..].chars().filter(|c| *c != '\u{feff}').count() + 1;
    (line, column)
}

/// The part of the text that is shown, and where the fault is in it.
struct Excerpt {
    text: String,
    span: Range<usize>,
}

/// One fault, printed without a final line break.
pub(super) fn fault(faults: &Faults, fault: &Fault, level: &Level<'_>) -> String {
    let (line, column) = place(&faults.text, fault.span.start);
    let excerpt = excerpt(&faults.text, &fault.span);
    let label = bounded(&fault.expected);
    let file = legible(&faults.file);
    let snippet = Snippet::source(excerpt.text.as_str())
        .line_start(line)
        .annotation(AnnotationKind::Primary.span(excerpt.span.clone()).label(label.as_str()));
    let message = bounded(&fault.message);
    let mut group = Group::with_title(level.clone().primary_title(message.as_str()).id(fault.code))
        .element(Element::Origin(Origin::path(&*file).line(line).char_column(column)))
        .element(snippet);
    let help = fault.help.as_deref().map(|help| bounded_to(help, MOST_HELP, legible_lines));
    if let Some(help) = &help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let rendered = Renderer::plain().term_width(180).render(&[group]);
    // The renderer marks a snippet without a path of its own as one of another file, which it is not.
    rendered.lines().filter(|line| line.trim() != ":::").collect::<Vec<_>>().join("\n")
}

/// A fault's message as it is printed.
pub(super) fn message(fault: &Fault) -> String {
    bounded(&fault.message)
}

/// Cuts a message on one line; only a list of very long names makes one so long.
fn bounded(text: &str) -> String {
    bounded_to(text, MOST_MESSAGE, legible)
}

/// Cuts a text after `most` characters, and makes it legible.
fn bounded_to(text: &str, most: usize, legible: impl Fn(&str) -> Cow<'_, str>) -> String {
    if text.chars().count() <= most {
        return legible(text).into_owned();
    }
    format!("{}...", legible(&text.chars().take(most).collect::<String>()))
}

/// The fault's first line, shortened on both sides where it is long.
fn excerpt(text: &str, span: &Range<usize>) -> Excerpt {
    let start = boundary(text, span.start);
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let line_end = line_start.max(start) + text[start..line_end].trim_end_matches('\r').len();
    let end = boundary(text, span.end).clamp(start, line_end.max(start));
    let before: Vec<char> = text[line_start..start].chars().filter(|c| *c != '\u{feff}').collect();
    let (cut, before) = match before.len().checked_sub(SIDE) {
        Some(over) if over > 3 => ("...", before[over..].iter().collect::<String>()),
        _ => ("", before.iter().collect()),
    };
    let marked: String = text[start..end].chars().take(SIDE).collect();
    let whole = marked.len() == end - start;
    let after: String = if whole { text[end..line_end].chars().take(SIDE).collect() } else { String::new() };
    let shortened = start + marked.len() + after.len() < line_end;
    let [before, marked, after] =
        [before, marked, after].map(|part| legible(&part.replace('\t', " ")).into_owned());
    let at = cut.len() + before.len();
    let span = at..at + marked.len();
    let more = if shortened { "..." } else { "" };
    Excerpt { text: format!("{cut}{before}{marked}{after}{more}"), span }
}

/// The nearest character boundary at or before `offset`.
fn boundary(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
