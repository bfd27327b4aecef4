//! A matrix of round-trip times as CSV.

use std::collections::BTreeMap;
use std::ops::Range;

use simnet_base::cells::{self, Cell, Row, Rows};
use simnet_base::diagnostics::{Fault, Faults, decode, quoted};
use simnet_base::units::Duration;

use super::Rtts;
use super::milliseconds::{self, NoTime};

/// After so many faults the rest of a file is not looked at.
const MOST_FAULTS: usize = 1_000;
/// The most machines of a file.
const MOST_MACHINES: usize = 10_000;

const TIMES: &str = "expected milliseconds above 0, at most 3600000, such as 0.131";

pub(super) fn read(file: &str, bytes: &[u8]) -> Result<Rtts, Box<Faults>> {
    let text = decode(file, bytes)?;
    let mut table = Table { names: Vec::new(), cells: Vec::new(), faults: Vec::new() };
    table.read(text);
    let Table { names, cells, mut faults } = table;
    if faults.is_empty() {
        return Ok(Rtts { names, cells });
    }
    faults.sort_by_key(|fault| fault.span.start);
    Err(Box::new(Faults::new(file, text, faults)))
}

pub(super) fn write(rtts: &Rtts) -> String {
    let mut text = String::new();
    for name in rtts.names() {
        text.push(',');
        cells::add(&mut text, name);
    }
    text.push('\n');
    for (from, name) in rtts.names().iter().enumerate() {
        cells::add(&mut text, name);
        for time in rtts.row(from) {
            text.push(',');
            milliseconds::push(&mut text, *time);
        }
        text.push('\n');
    }
    text
}

/// What has been read so far.
struct Table {
    names: Vec<String>,
    /// Row by row.
    cells: Vec<Duration>,
    faults: Vec<Fault>,
}

impl Table {
    fn read(&mut self, text: &str) {
        let mut rows = Rows::new(text);
        let mut row = Row::default();
        if !rows.read(MOST_MACHINES + 1, &mut row) {
            return self.fault(
                "empty-file",
                0..0,
                "the file is empty",
                "expected a header row: ,name0,name1,...",
            );
        }
        self.header(text, &row);
        if self.names.is_empty() || row.count > MOST_MACHINES + 1 {
            return;
        }
        let mut read = 0;
        while self.faults.len() < MOST_FAULTS && rows.read(self.names.len() + 1, &mut row) {
            if read == self.names.len() {
                let message =
                    format!("row {} is one too many: the header names {}", read + 1, machines(read));
                return self.fault("extra-row", row.span(), message, "expected the end of the file");
            }
            self.row(text, &row, read);
            read += 1;
        }
        if self.faults.len() < MOST_FAULTS && read < self.names.len() {
            let first = self.called(read);
            let message = match self.names.len() - read {
                1 => format!("no row of {first}"),
                more => format!("no row of {first}, nor of {} after it", machines(more - 1)),
            };
            let end = text.trim_end().len();
            self.fault("missing-row", end..end, message, "expected a row for every machine of the header");
        }
    }

    fn fault(&mut self, code: &'static str, at: Range<usize>, message: impl Into<String>, expected: &str) {
        self.faults.push(Fault::new(code, at, message, expected));
    }

    fn header(&mut self, text: &str, row: &Row) {
        let corner = &row.cells[0];
        self.check_quotes(text, corner, "the header's corner");
        if !corner.meaning(text).is_empty() {
            let message =
                format!("the header begins with `{}`, not with an empty cell", quoted(&corner.meaning(text)));
            let expected = "expected ,name0,name1,... with nothing before the comma";
            let fault = Fault::new("corner", corner.span.clone(), message, expected);
            self.faults.push(match corner.meaning(text).contains([';', '\t']) {
                true => fault.with_help("separate cells by commas, and write decimals with a point"),
                false => fault,
            });
        }
        if row.count > MOST_MACHINES + 1 {
            let message = format!("the header names {}", machines(row.count - 1));
            self.fault("too-many-machines", row.span(), message, "expected at most 10000");
            return;
        }
        let mut first: BTreeMap<String, usize> = BTreeMap::new();
        for (column, cell) in row.cells.iter().enumerate().skip(1) {
            if self.faults.len() >= MOST_FAULTS {
                return;
            }
            let name = cell.meaning(text).into_owned();
            self.check_quotes(text, cell, &format!("the name in column {column}"));
            if name.is_empty() {
                let message = format!("column {column} of the header has no name");
                self.fault("empty-name", cell.span.clone(), message, "expected the name of a machine");
            } else if let Some(other) = first.get(&name) {
                let message = format!("columns {other} and {column} are both called `{}`", quoted(&name));
                self.fault("duplicate-name", cell.span.clone(), message, "expected every name once");
            } else {
                first.insert(name.clone(), column);
            }
            self.names.push(name);
        }
        if self.names.is_empty() {
            let message = "the header names no machines";
            self.fault("no-machines", row.span(), message, "expected ,name0,name1,...");
        }
    }

    /// A machine as messages call it.
    fn called(&self, machine: usize) -> String {
        match self.names[machine].as_str() {
            "" => format!("machine {}", machine + 1),
            name => format!("`{}`", quoted(name)),
        }
    }

    /// Reads row `nth`, which is to be that of the header's machine `nth`.
    fn row(&mut self, text: &str, row: &Row, nth: usize) {
        let from = self.row_name(text, &row.cells[0], nth);
        let wanted = self.names.len();
        for (to, cell) in row.cells[1..].iter().take(wanted).enumerate() {
            if self.faults.len() >= MOST_FAULTS {
                return;
            }
            let time = self.time(text, cell, from, to);
            self.cells.push(time);
        }
        let given = row.count - 1;
        let own = self.called(from);
        if given < wanted {
            let first = self.called(given);
            let message = format!("row {own} has {given} of {wanted} times: none in column {first}");
            let end = row.span().end;
            self.fault("missing-cell", end..end, message, "expected a time for every machine of the header");
        } else if given > wanted {
            let message = format!(
                "row {own} has {given} times for {}: column {} is one too many",
                machines(wanted),
                wanted + 1
            );
            let at = row.extra.clone().unwrap_or_else(|| row.span());
            self.fault("extra-cell", at, message, "expected a time for every machine of the header");
        }
    }

    /// Checks the name of row `nth`; gives the machine that the row is of, as far as that is known.
    fn row_name(&mut self, text: &str, cell: &Cell, nth: usize) -> usize {
        let title = cell.meaning(text);
        self.check_quotes(text, cell, "the name of the row");
        if title == self.names[nth].as_str() {
            return nth;
        }
        let (row, own) = (nth + 1, self.called(nth));
        let message = match title.is_empty() {
            true => format!("row {row} has no name; the header's machine {row} is {own}"),
            false => format!("row {row} is called `{}`; the header's machine {row} is {own}", quoted(&title)),
        };
        let expected = "expected rows in the order of the header's names";
        self.fault("row-name", cell.span.clone(), message, expected);
        self.names.iter().position(|name| title == name.as_str()).unwrap_or(nth)
    }

    /// The time in a cell; anything after a fault.
    fn time(&mut self, text: &str, cell: &Cell, from: usize, to: usize) -> Duration {
        let written = cell.content(text).trim_ascii();
        let given = match (written.is_empty(), from == to) {
            (true, true) => return Duration::ZERO,
            (true, false) => None,
            (false, _) => Some(milliseconds::parse(written)),
        };
        if given.is_some_and(|given| given.is_ok_and(|time| (time == Duration::ZERO) == (from == to)))
            && !cell.broken
        {
            return given.and_then(Result::ok).unwrap_or_default();
        }
        let place = format!("row {}, column {}", self.called(from), self.called(to));
        let shown = quoted(written);
        if cell.broken {
            self.check_quotes(text, cell, &place);
            return Duration::ZERO;
        }
        let expected = if from == to { "expected 0 or nothing on the diagonal" } else { TIMES };
        let (code, what) = match given {
            None => ("absent-time", "no time".to_owned()),
            Some(Err(NoTime::NotANumber)) => {
                ("not-a-number", format!("`{shown}` is no number of milliseconds"))
            }
            Some(Err(NoTime::Negative)) => ("negative-time", format!("{shown} ms, a negative time")),
            Some(Err(NoTime::TooLong)) => ("too-long", format!("{shown} ms is more than an hour")),
            Some(Ok(_)) if from == to => ("diagonal", format!("{shown} ms from a machine to itself")),
            Some(Ok(_)) => ("zero-time", format!("`{shown}` is no time at all, to the nearest picosecond")),
        };
        self.fault(code, cell.span.clone(), format!("{place}: {what}"), expected);
        Duration::ZERO
    }

    fn check_quotes(&mut self, text: &str, cell: &Cell, what: &str) {
        if cell.broken {
            let message = format!("{what}: the quotes of `{}` do not fit", quoted(&text[cell.span.clone()]));
            let expected = "expected \"...\" with quotes inside doubled, then a comma or the end of the line";
            self.fault("quotes", cell.span.clone(), message, expected);
        }
    }
}

fn machines(count: usize) -> String {
    if count == 1 { "1 machine".to_owned() } else { format!("{count} machines") }
}
