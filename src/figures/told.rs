//! Numbers of ours in the words of a page, where the paper prints none.

use std::fmt::Write as _;

use super::Row;
use super::text::{cell, short};

/// What a figure shows, and below it the rows that are kept, as a table.
pub(super) fn told(shows: &str, rows: &[Row], keep: impl Fn(&Row) -> bool) -> String {
    let mut text = format!("{shows}\n\n| | of | at | ours | from, to |\n|---|---|--:|--:|---|\n");
    for row in rows.iter().filter(|row| keep(row)) {
        let [what, of] = [&row.quantity, &row.configuration].map(|name| cell(name));
        let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), short);
        let at = row.x.map(short).unwrap_or_default();
        let ends = match (row.low, row.high) {
            (None, None) => String::new(),
            (low, high) => format!("{}, {}", number(low), number(high)),
        };
        let _ =
            writeln!(text, "| {what} ({}) | {of} | {at} | {} | {ends} |", cell(&row.unit), number(row.ours));
    }
    text
}

/// Whether a row is at this place of the horizontal axis.
pub(super) fn is_at(row: &Row, x: f64) -> bool {
    row.x.is_some_and(|at| (at - x).abs() < 1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a row that is not wanted came in, or one without a number went missing.
    #[test]
    fn rows_that_are_kept_are_told() {
        let rows = [
            Row::ours("time", "a", "ms", Some(1.5)).at(4.0).between(Some(1.0), None),
            Row::ours("time", "b", "ms", None),
            Row::ours("share", "a", "%", Some(2.0)),
        ];
        let text = told("So it is.", &rows, |row| row.unit == "ms");
        let lines: Vec<&str> = text.lines().skip(4).collect();
        assert_eq!(lines, ["| time (ms) | a | 4 | 1.5 | 1, - |", "| time (ms) | b |  | - |  |"]);
    }
}
