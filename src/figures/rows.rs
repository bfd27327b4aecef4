//! Rows as curves of a chart and as a table of a page.

use std::fmt::Write as _;

use simnet_output::report::{Layer, Mark};

use super::Row;
use super::text::{cell, short};

impl Row {
    /// Ours as a mark at a place of the horizontal axis; none without a number.
    pub fn mark(&self, x: f64) -> Option<Mark> {
        Some(Mark::at(x, self.ours?).between(self.low, self.high).hollow(self.hollow.0))
    }
}

/// The curves of a quantity: a line a configuration, in the order of their first rows, through its rows that have a
/// place on the horizontal axis; then what the paper prints of it there.
pub fn curves(rows: &[Row], quantity: &str) -> Vec<Layer> {
    let rows = || rows.iter().filter(|row| row.quantity == quantity && row.x.is_some());
    let mut names: Vec<&str> = Vec::new();
    for row in rows() {
        if !names.contains(&row.configuration.as_str()) {
            names.push(&row.configuration);
        }
    }
    let line = |name: &&str| {
        let own = rows().filter(|row| row.configuration == *name);
        Layer::line(name, own.filter_map(|row| row.mark(row.x?)).collect())
    };
    let mut layers: Vec<Layer> = names.iter().map(line).collect();
    let printed: Vec<Mark> = rows().filter_map(|row| Some(Mark::at(row.x?, row.paper?))).collect();
    if !printed.is_empty() {
        layers.push(Layer::paper(printed));
    }
    layers
}

/// Rows side by side, at the places 0, 1, 2, ... of named categories: ours under a name, then the paper's.
pub fn side_by_side(name: &str, rows: &[&Row]) -> Vec<Layer> {
    let placed = || rows.iter().enumerate().map(|(place, row)| (place as f64, *row));
    let ours = placed().filter_map(|(x, row)| row.mark(x)).collect();
    let printed: Vec<Mark> = placed().filter_map(|(x, row)| Some(Mark::at(x, row.paper?))).collect();
    let mut layers = vec![Layer::marks(name, ours)];
    if !printed.is_empty() {
        layers.push(Layer::paper(printed));
    }
    layers
}

/// What a figure shows, and below it a table of the rows that `keep` accepts, where the paper prints no numbers.
pub(super) fn with_table(shows: &str, rows: &[Row], keep: impl Fn(&Row) -> bool) -> String {
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
    fn the_table_has_the_rows_that_are_kept() {
        let rows = [
            Row::ours("time", "a", "ms", Some(1.5)).at(4.0).between(Some(1.0), None),
            Row::ours("time", "b", "ms", None),
            Row::ours("share", "a", "%", Some(2.0)),
        ];
        let text = with_table("So it is.", &rows, |row| row.unit == "ms");
        let lines: Vec<&str> = text.lines().skip(4).collect();
        assert_eq!(lines, ["| time (ms) | a | 4 | 1.5 | 1, - |", "| time (ms) | b |  | - |  |"]);
    }
}
