//! Cells of CSV tables, written so that no spreadsheet runs one as a formula, and read back as they were.
//!
//! A cell that begins with `=`, `+`, `-`, `@` (full-width ones too), a tab or a line end and is no number gets an
//! apostrophe in front, as does one that begins with an apostrophe; a lone `-` stays. Reading takes one apostrophe away
//! where one of these characters follows it. Quotes are CSV's own: where a cell has a comma, a quote or a line end
//! inside, or a blank at an end. [`Rows`] reads all CSV.

mod reader;

use std::borrow::Cow;

pub use reader::{Cell, Row, Rows, read_record, records, split};

/// Whether a cell that begins so may be taken for a formula.
const fn begins_formula(c: char) -> bool {
    matches!(
        c,
        '=' | '+' | '-' | '@' | '\t' | '\r' | '\n' | '\u{ff1d}' | '\u{ff0b}' | '\u{ff0d}' | '\u{ff20}'
    )
}

/// A cell's text as a table has it: with an apostrophe in front where it is no number and might be run.
pub fn guarded(cell: &str) -> Cow<'_, str> {
    let is_run = cell.starts_with(begins_formula) && cell != "-" && cell.parse::<f64>().is_err();
    match is_run || cell.starts_with('\'') {
        true => Cow::Owned(format!("'{cell}")),
        false => Cow::Borrowed(cell),
    }
}

/// What a cell of a table means, its quotes already taken away: the inverse of [`guarded`].
pub fn unguarded(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(rest) if rest.starts_with(|c| c == '\'' || begins_formula(c)) => rest,
        _ => cell,
    }
}

/// Adds a cell to a line: guarded, and in quotes where CSV needs them.
pub fn add(line: &mut String, cell: &str) {
    // Most cells are numbers and short names.
    let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b':' | b'_' | b'-');
    if !cell.starts_with('-') && cell.bytes().all(is_usual) {
        line.push_str(cell);
        return;
    }
    let cell = guarded(cell);
    let is_plain = !cell.contains([',', '"', '\n', '\r'])
        && !cell.starts_with(|c: char| c.is_whitespace() || c == '\u{feff}')
        && !cell.ends_with(char::is_whitespace);
    if is_plain {
        line.push_str(&cell);
    } else {
        line.push('"');
        line.push_str(&cell.replace('"', "\"\""));
        line.push('"');
    }
}

/// Adds a row: cells with commas between, then a line end.
pub fn add_row<T: AsRef<str>>(table: &mut String, cells: impl IntoIterator<Item = T>) {
    for (nth, cell) in cells.into_iter().enumerate() {
        if nth > 0 {
            table.push(',');
        }
        add(table, cell.as_ref());
    }
    table.push('\n');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Texts of characters that matter, and of any.
    fn texts() -> impl Strategy<Value = String> {
        let sharp = "[=+\\-@'\t\r\n,\"\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}\u{feff} 0-9.eainf]{0,6}";
        prop_oneof![3 => sharp, 1 => "\\PC{0,8}"]
    }

    /// Whether a spreadsheet might run what a cell begins with.
    fn is_run(cell: &str) -> bool {
        let first = cell.chars().next();
        first.is_some_and(|c| "=+-@\t\r\n＝＋－＠".contains(c)) && cell != "-" && cell.parse::<f64>().is_err()
    }

    proptest! {
        /// Wrong if a cell came back as another, or if one were written that a spreadsheet runs.
        #[test]
        fn cells_come_back_and_none_is_a_formula(cells in proptest::collection::vec(texts(), 1..5)) {
            let mut line = String::new();
            add_row(&mut line, &cells);
            prop_assert_eq!(split(line.strip_suffix('\n').unwrap()), cells.clone());
            let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
            // The reader of others skips a line with nothing in it.
            if let Some(record) = reader.records().next() {
                let record = record.unwrap();
                prop_assert!(!record.iter().any(is_run), "{}", line);
                prop_assert_eq!(record.iter().map(unguarded).collect::<Vec<_>>(), cells);
            }
        }
    }

    /// Wrong if a number or a sign for nothing were no longer one, or if plain text were touched.
    #[test]
    fn numbers_and_plain_text_stay() {
        for cell in ["", "-", "-1.5e3", "+3", "-inf", "1e-9", "C1.0", "a=b", "a'b", " =1"] {
            assert_eq!(guarded(cell), cell);
        }
        let cases = [("=1+1", "'=1+1"), ("-c00", "'-c00"), ("'tis", "''tis"), ("--", "'--"), ("＠x", "'＠x")];
        for (cell, written) in cases {
            assert_eq!((&*guarded(cell), unguarded(written)), (written, cell));
        }
        assert_eq!((unguarded("'tis"), unguarded("'"), unguarded("''")), ("'tis", "'", "'"));
    }
}
