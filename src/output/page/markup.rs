//! Pieces of markup that several sections use.

use maud::{Markup, html};

/// A heading of a column: its words, and the unit of its numbers, if it has numbers.
pub(super) struct Column {
    words: &'static str,
    unit: &'static str,
    is_number: bool,
}

/// A column of text.
pub(super) const fn words(words: &'static str) -> Column {
    Column { words, unit: "", is_number: false }
}

/// A column of numbers, with their unit; empty where they carry it themselves.
pub(super) const fn numbers(words: &'static str, unit: &'static str) -> Column {
    Column { words, unit, is_number: true }
}

/// A small table that scrolls inside the page if it is too wide; the first cell of a row names the row.
pub(super) fn grid(caption: &str, columns: &[Column], rows: &[Vec<Markup>]) -> Markup {
    let class = |nth: usize| columns.get(nth).is_some_and(|column| column.is_number).then_some("num");
    html! {
        div.scroll tabindex="0" role="region" aria-label=(caption) { table {
            caption { (caption) }
            thead { tr { @for (nth, column) in columns.iter().enumerate() {
                th scope="col" class=[class(nth)] {
                    (column.words) @if !column.unit.is_empty() { " " small { (column.unit) } }
                }
            } } }
            tbody { @for row in rows { tr { @for (nth, cell) in row.iter().enumerate() {
                @if nth == 0 { th scope="row" class=[class(nth)] { (cell) } }
                @else { td class=[class(nth)] { (cell) } }
            } } } }
        } }
    }
}

/// A text from a file: whatever it holds, it ends where it ends.
pub(super) fn name(text: &str) -> Markup {
    html! { bdi { @if text.is_empty() { "(no name)" } @else { (shortened(text)) } } }
}

/// The most characters of a name that are shown in running text.
const LONGEST: usize = 200;

/// A text with its middle left out if it is very long.
pub(super) fn shortened(text: &str) -> String {
    let length = text.chars().count();
    if length <= LONGEST {
        return text.to_owned();
    }
    let head: String = text.chars().take(LONGEST / 2).collect();
    let tail: String = text.chars().skip(length - LONGEST / 4).collect();
    format!("{head} … {tail}")
}

/// How grave something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grade {
    /// As it should be: proved, compared or counted.
    Good,
    /// A number whose confidence interval is known, and as narrow as was asked for.
    Sure,
    /// To be looked at before the numbers are trusted.
    Warn,
    /// Wrong.
    Bad,
}

impl Grade {
    /// Its class, and the word that says it without colour.
    const fn class(self) -> (&'static str, &'static str) {
        match self {
            Grade::Good => ("notice good", "Good: "),
            Grade::Sure => ("notice good", "Sure: "),
            Grade::Warn => ("notice warn", "Look: "),
            Grade::Bad => ("notice bad", "Wrong: "),
        }
    }
}

/// A box with something to notice.
pub(super) fn notice(grade: Grade, body: &Markup) -> Markup {
    let (class, word) = grade.class();
    html! { div class=(class) { p { strong { (word) } (body) } } }
}

/// A list of things in words: `a`, `a and b`, `a, b and c`.
pub(super) fn listed(things: &[Markup]) -> Markup {
    html! {
        @for (nth, thing) in things.iter().enumerate() {
            @if nth > 0 { @if nth + 1 == things.len() { " and " } @else { ", " } }
            (thing)
        }
    }
}
