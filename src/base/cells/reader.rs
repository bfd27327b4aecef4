//! The one reader of CSV, with the places of cells, for faults.
//!
//! Commas part cells and line ends rows; blanks around a cell do not count. A cell that begins with a quote ends with
//! one, and has its own doubled. Blank lines are no rows, and a byte order mark is no part of the first cell.

use std::borrow::Cow;
use std::io::{self, BufRead};
use std::ops::Range;

use super::unguarded;

/// A cell of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Where it stands, quotes counted in and blanks around it not.
    pub span: Range<usize>,
    quoted: bool,
    /// Whether a quote is not closed, or something follows a closed one.
    pub broken: bool,
}

impl Cell {
    /// What stands in it without its quotes, those inside still doubled; a broken one as it stands.
    pub fn content<'a>(&self, text: &'a str) -> &'a str {
        let whole = &text[self.span.clone()];
        if self.quoted && !self.broken { &whole[1..whole.len() - 1] } else { whole }
    }

    /// What it means; within quotes, blanks count.
    pub fn meaning<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let content = self.content(text);
        if self.quoted && !self.broken && content.contains('"') {
            return Cow::Owned(unguarded(&content.replace("\"\"", "\"")).to_owned());
        }
        Cow::Borrowed(unguarded(content))
    }
}

/// A row, as far as it is wanted.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// The first of its cells.
    pub cells: Vec<Cell>,
    /// How many there are in all.
    pub count: usize,
    /// The first that is not in `cells`.
    pub extra: Option<Range<usize>>,
}

impl Row {
    /// All of it that was kept.
    pub fn span(&self) -> Range<usize> {
        let end = self.cells.last().map_or(0, |cell| cell.span.end);
        self.cells.first().map_or(0, |cell| cell.span.start)..end
    }
}

/// Walks through the rows of a text.
#[derive(Clone, Debug)]
pub struct Rows<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Rows<'a> {
    /// The rows of a text, from its first on.
    pub fn new(text: &'a str) -> Rows<'a> {
        Rows { text, at: text.len() - text.trim_start_matches('\u{feff}').len() }
    }

    /// Reads the next row that is not blank and keeps its first `most` cells; false at the end.
    pub fn read(&mut self, most: usize, row: &mut Row) -> bool {
        while self.at < self.text.len() {
            row.cells.clear();
            (row.count, row.extra) = (0, None);
            loop {
                let (cell, ended) = self.cell();
                match row.count.cmp(&most) {
                    std::cmp::Ordering::Less => row.cells.push(cell),
                    std::cmp::Ordering::Equal => row.extra = Some(cell.span),
                    std::cmp::Ordering::Greater => {}
                }
                row.count += 1;
                if ended {
                    break;
                }
            }
            if row.count > 1 || row.cells.first().is_some_and(|cell| !cell.span.is_empty()) {
                return true;
            }
        }
        false
    }

    /// Reads a cell and the comma or the line's end after it; whether it was the last of its row.
    fn cell(&mut self) -> (Cell, bool) {
        let bytes = self.text.as_bytes();
        let blank = |at: &usize| is_blank(bytes[*at]);
        let start = (self.at..bytes.len()).find(|at| !blank(at)).unwrap_or(bytes.len());
        let quoted = bytes.get(start) == Some(&b'"');
        let (closed, after) = if quoted { close(bytes, start + 1) } else { (true, start) };
        let stop = (after..bytes.len()).find(|at| matches!(bytes[*at], b',' | b'\n')).unwrap_or(bytes.len());
        let end = (after..stop).rev().find(|at| !blank(at)).map_or(after, |last| last + 1);
        let broken = quoted && (!closed || end > after);
        self.at = (stop + 1).min(bytes.len());
        // A comma that ends the text has an empty cell after it.
        let comma = bytes.get(stop) == Some(&b',');
        (Cell { span: start..end, quoted, broken }, !comma)
    }
}

impl Iterator for Rows<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        let mut row = Row::default();
        self.read(usize::MAX, &mut row).then_some(row)
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// Whether a quoted cell is closed, and where what follows it begins; `at` is after the opening quote.
fn close(bytes: &[u8], mut at: usize) -> (bool, usize) {
    while let Some(quote) = (at..bytes.len()).find(|at| bytes[*at] == b'"') {
        if bytes.get(quote + 1) != Some(&b'"') {
            return (true, quote + 1);
        }
        at = quote + 2;
    }
    (false, bytes.len())
}

/// What the cells of each row of a table mean.
pub fn records(text: &str) -> impl Iterator<Item = Vec<String>> {
    Rows::new(text).map(|row| row.cells.iter().map(|cell| cell.meaning(text).into_owned()).collect())
}

/// What the cells of a record mean: of a line, or of several where a quoted cell has line ends inside.
pub fn split(record: &str) -> Vec<String> {
    records(record).next().unwrap_or_else(|| vec![String::new()])
}

/// Reads the next record of a table, with the end of its last line, for tables too large to be held; gives its number
/// of lines, 0 at the table's end.
///
/// # Errors
/// What the system says.
pub fn read_record(table: &mut impl BufRead, record: &mut Vec<u8>) -> io::Result<usize> {
    record.clear();
    let (mut lines, mut within) = (0, Within::Start);
    loop {
        let start = record.len();
        if table.read_until(b'\n', record)? == 0 {
            return Ok(lines);
        }
        lines += 1;
        within = record[start..].iter().fold(within, |within, byte| within.after(*byte));
        if within != Within::Quotes {
            return Ok(lines);
        }
    }
}

/// What a byte of a record comes after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    /// No more than blanks of a cell.
    Start,
    /// Some of a cell that has no quotes, or no more of them.
    Plain,
    /// A quote that opens, and what follows it.
    Quotes,
    /// A quote that closes, unless another follows.
    Closed,
}

impl Within {
    fn after(self, byte: u8) -> Within {
        match (self, byte) {
            (Within::Quotes, b'"') => Within::Closed,
            (Within::Quotes, _) | (Within::Start | Within::Closed, b'"') => Within::Quotes,
            (_, b',') => Within::Start,
            (Within::Start, byte) if is_blank(byte) => Within::Start,
            _ => Within::Plain,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Wrong if a record that is read from a file ended elsewhere than in a text, or a line were not counted.
        #[test]
        fn records_of_files_are_those_of_texts(text in "[a,\" \t\r\n]{0,40}") {
            let (mut table, mut record, mut read, mut lines) = (text.as_bytes(), Vec::new(), Vec::new(), 0);
            loop {
                let more = read_record(&mut table, &mut record).unwrap();
                if more == 0 {
                    break;
                }
                lines += more;
                read.extend(records(str::from_utf8(&record).unwrap()));
            }
            prop_assert_eq!(read, records(&text).collect::<Vec<_>>());
            prop_assert_eq!(lines, text.split_inclusive('\n').count());
        }
    }

    /// Wrong if a place were not where the cell stands, or quotes that do not fit were taken for good.
    #[test]
    fn cells_are_where_they_stand() {
        let text = "\u{feff}a, \"b\"\"c\" ,\n\n\"d\"e,\"f";
        let rows: Vec<Row> = Rows::new(text).collect();
        let cells = |nth: usize| rows[nth].cells.iter().map(|cell| (&text[cell.span.clone()], cell.broken));
        assert_eq!(cells(0).collect::<Vec<_>>(), [("a", false), ("\"b\"\"c\"", false), ("", false)]);
        assert_eq!(cells(1).collect::<Vec<_>>(), [("\"d\"e", true), ("\"f", true)]);
        assert_eq!(split(text), ["a", "b\"c", ""]);
    }
}
