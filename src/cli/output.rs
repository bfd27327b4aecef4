//! Where results go: stdout, or a file that appears whole or not at all.

use std::fmt;
use std::io::{self, ErrorKind, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::builder::{PathBufValueParser, TypedValueParser};
use comfy_table::{CellAlignment, presets};
use serde::Serialize;

use super::Failure;
use simnet_base::diagnostics::{legible, legible_json, legible_lines, shown};
use simnet_base::files::{self, WriteError};
use simnet_base::numbers::{quantity, without_unit};
use simnet_output::report::{Cell, Kind};

/// Whether `--quiet` was given: set once, before a verb begins.
static QUIET: AtomicBool = AtomicBool::new(false);

/// From now on nothing is printed but errors, the objects of `--format json`, and documents that a verb writes to
/// stdout in place of a file.
pub(super) fn be_quiet() {
    QUIET.store(true, Ordering::SeqCst);
}

/// Whether nothing is to be printed for people but errors.
pub(super) fn is_quiet() -> bool {
    QUIET.load(Ordering::SeqCst)
}

/// Prints a result for people to stdout, hidden characters escaped; nothing if it is to be quiet. A reader who has gone
/// away is no failure.
///
/// # Errors
/// [`Failure::Io`] if the system refuses, as a full disk does.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    if is_quiet() { Ok(()) } else { print_data(&legible_lines(text)) }
}

/// Prints a result for programs to stdout: to the byte, but legible on a terminal. A reader who has gone away is no
/// failure.
///
/// # Errors
/// As [`print`].
pub(super) fn print_data(text: &str) -> Result<(), Failure> {
    to_stdout(|out| out.write_all(text.as_bytes()))
}

/// The same of what `fill` writes.
///
/// # Errors
/// As [`print`].
pub(super) fn to_stdout(fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = match out.is_terminal() {
        true => {
            let mut legible = LegibleLines::new(out);
            fill(&mut legible).and_then(|()| legible.flush())
        }
        false => fill(&mut out).and_then(|()| out.flush()),
    };
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Io { path: "stdout".to_owned(), error })
        }
        _ => Ok(()),
    }
}

/// Writes lines with hidden characters escaped.
pub(super) struct LegibleLines<W: Write> {
    out: W,
    /// What has been written of a line that has not ended.
    begun: Vec<u8>,
}

impl<W: Write> LegibleLines<W> {
    pub(super) fn new(out: W) -> LegibleLines<W> {
        LegibleLines { out, begun: Vec::new() }
    }
}

impl<W: Write> Write for LegibleLines<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begun.extend_from_slice(bytes);
        if let Some(end) = self.begun.iter().rposition(|byte| *byte == b'\n') {
            let rest = self.begun.split_off(end + 1);
            let lines = std::mem::replace(&mut self.begun, rest);
            self.out.write_all(legible_lines(&String::from_utf8_lossy(&lines)).as_bytes())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let begun = std::mem::take(&mut self.begun);
        self.out.write_all(legible_lines(&String::from_utf8_lossy(&begun)).as_bytes())?;
        self.out.flush()
    }
}

/// Prints a note to stderr: no error, and nothing if it is to be quiet. A stderr that cannot be written to is no error
/// either.
pub(super) fn note(text: &str) {
    warn(&format!("note: {}", legible(text)));
}

/// Prints to stderr what should be looked at before the result is trusted; nothing if it is to be quiet.
pub(super) fn warn(text: &str) {
    if !is_quiet() {
        print_error(text);
    }
}

/// Prints text to stderr, hidden characters escaped.
pub(super) fn print_error(text: &str) {
    let _unread = writeln!(io::stderr().lock(), "{}", legible_lines(text));
}

/// Prints an object as one line of JSON.
///
/// # Errors
/// As [`print`].
pub(super) fn print_json(object: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(object).expect("results are plain data with text keys");
    print_data(&format!("{}\n", legible_json(&text)))
}

/// Columns whose texts name what the numbers of their rows are of.
const NAMING: [&str; 2] = ["quantity", "column"];

/// Numbers of such rows that are not in the unit of what is named.
const UNLIKE: [&str; 2] = ["points", "variation_percent"];

/// A cell for people, of a column or quantity of this name.
fn with_unit(cell: &Cell, name: &str) -> String {
    let number = match cell {
        Cell::Number(number) => Some(*number),
        Cell::Count(count) => Some(*count as f64),
        _ => None,
    };
    number.and_then(|number| quantity(name, number)).unwrap_or_else(|| cell.short())
}

/// A table for people without lines between its cells; each cell is legible, and a line of its own.
#[derive(Debug)]
pub(super) struct Table(comfy_table::Table);

impl Table {
    /// A table without rows.
    pub(super) fn new() -> Table {
        let mut table = comfy_table::Table::new();
        table.load_style(presets::NOTHING);
        Table(table)
    }

    /// A table without rows, whose columns but the first are aligned to the right.
    pub(super) fn with_numbers(header: &[&str]) -> Table {
        let mut table = Table::new();
        table.set_header(header);
        (1..header.len()).for_each(|column| table.align_right(column));
        table
    }

    /// A table of results: numbers to the right, times and sizes with the unit that fits, other numbers with at most
    /// four digits after the point. The unit of a number is the last word of its column's name, or of the text in its
    /// row that names a quantity or a column.
    pub(super) fn of(results: &simnet_output::report::Table) -> Table {
        let columns = results.columns();
        let naming = columns.iter().position(|column| NAMING.contains(&column.name.as_str()));
        let mut table = Table::new();
        table.set_header(columns.iter().map(|column| without_unit(&column.name)));
        for row in results.rows() {
            let named = naming.map(|nth| row[nth].text());
            let cells = row.iter().zip(columns).enumerate();
            table.add_row(cells.map(|(nth, (cell, column))| match (&named, column.kind) {
                (Some(name), Kind::Words) if naming == Some(nth) => without_unit(name).to_owned(),
                (Some(name), Kind::Numbers) if !UNLIKE.contains(&column.name.as_str()) => {
                    with_unit(cell, name)
                }
                _ => with_unit(cell, &column.name),
            }));
        }
        for (nth, column) in results.columns().iter().enumerate() {
            if column.kind == Kind::Numbers {
                table.align_right(nth);
            }
        }
        table
    }

    /// Sets the first row.
    pub(super) fn set_header<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.0.set_header(cells.into_iter().map(|cell| legible(cell.as_ref()).into_owned()));
    }

    /// Adds a row.
    pub(super) fn add_row<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.0.add_row(cells.into_iter().map(|cell| legible(cell.as_ref()).into_owned()));
    }

    /// Aligns a column, counted from 0, at its right side; none that is not there.
    pub(super) fn align_right(&mut self, column: usize) {
        if let Some(column) = self.0.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }

    /// The table as text, without blanks at the ends of lines.
    pub(super) fn trim_fmt(&self) -> String {
        self.0.trim_fmt()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Two aligned columns, a line for each name and its value.
pub(super) fn columns(rows: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let mut table = Table::new();
    rows.into_iter().for_each(|(name, value)| table.add_row([name.to_owned(), value]));
    format!("{}\n", table.trim_fmt())
}

/// Writes a text to a file, whole or not at all.
///
/// # Errors
/// As [`write_whole_by`].
pub(super) fn write_whole(path: &Path, text: &str) -> Result<(), Failure> {
    write_whole_by(path, |out| out.write_all(text.as_bytes()))
}

/// Writes a file whole or not at all.
///
/// # Errors
/// [`Failure::Place`] if something stands there that simnet did not write, [`Failure::Io`] if the system refuses;
/// what was there is then untouched.
pub(super) fn write_whole_by(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    files::write_whole(path, fill).map_err(|error| failed(path, error))
}

/// Why a file could not be written.
pub(super) fn failed(path: &Path, error: WriteError) -> Failure {
    let path = shown(&path).to_string();
    match error {
        WriteError::Foreign => Failure::Place(format!("{path}: {error}")),
        WriteError::Io(error) => Failure::Io { path, error },
    }
}

/// Reads a file that the command line names.
///
/// # Errors
/// [`Failure::Io`] if it cannot be read, is no regular file or is larger than [`files::LARGEST`].
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    files::read(path, files::LARGEST).map_err(|error| Failure::Io { path: shown(&path).to_string(), error })
}

/// Whether a verb's result goes to stdout though a file was named: `--out -`.
pub(super) fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// Reads the name of a file for a verb whose result goes to stdout: `-` is refused, which means stdout elsewhere.
pub(super) fn not_stdout() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match is_stdout(&path) {
        true => Err("stdout has this command's own result: name a file (./- if it is to be called so)"),
        false => Ok(path),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a person had to count digits to read a time, or a number got a unit that it does not have.
    #[test]
    fn times_in_tables_have_the_unit_that_fits() {
        use simnet_output::report::{Column, Table as Results};
        let mut results = Results::of(vec![
            Column::words("load", "which"),
            Column::numbers("latency_mean_ns", "ns", "a time"),
            Column::numbers("accepted_flits_per_cycle", "", "a rate"),
        ]);
        results.row([Cell::from("a"), Cell::from(5_049_548_793.8), Cell::from(0.25)]);
        let shown = Table::of(&results).trim_fmt();
        assert!(
            shown.contains("latency_mean ") && shown.contains("5.05 s") && shown.contains("0.25"),
            "{shown}"
        );
        let upright = Table::of(&results.upright()).trim_fmt();
        assert!(upright.contains("5.05 s") && !upright.contains("_ns"), "{upright}");
    }

    /// Wrong if a hidden character came through, or one that came in two pieces were taken for two.
    #[test]
    fn lines_are_legible_however_they_come() {
        let text = "a\u{1b}[31m\tb\nc\u{202e}\u{e4}\n\u{9b}";
        for size in 1..text.len() {
            let mut lines = LegibleLines::new(Vec::new());
            text.as_bytes().chunks(size).for_each(|piece| lines.write_all(piece).unwrap());
            lines.flush().unwrap();
            let printed = String::from_utf8(lines.out).unwrap();
            assert_eq!(printed, "a\\u{1b}[31m\tb\nc\\u{202e}\u{e4}\n\\u{9b}");
        }
    }
}
