//! The tables of `opensm.fdbs`, and of ibdiagnet's `.fdbs`, as they stand.
//!
//! ```text
//! dump_ucast_routes: Switch 0x0002c90109fb0000
//! LID    : Port : Hops : Optimal
//! 0x0001 : 005  : 05   : yes
//! 0x0002 : 000  : 00   : yes            the switch's own
//! 0x0003 : UNREACHABLE
//! ```
//!
//! Only switches and ports are read; how many hops OpenSM counted is not. Whose a lid is is not said, but for a
//! switch's own. A table has no end: a last one that has fewer lids than all before it was cut off, as OpenSM lists all
//! lids for each.

use std::ops::Range;

use simnet_base::diagnostics::{Fault, quoted};

use super::lines::{Entry, Owner, Table};

/// What stands before the guid of a switch.
const HEADER: &str = "dump_ucast_routes: Switch ";
/// How many lines are looked at before a text counts as another dump.
const LOOKED_AT: usize = 100;

/// Whether one of the first lines begins a table.
pub(super) fn recognises(text: &str) -> bool {
    text.lines().take(LOOKED_AT).any(|line| line.contains(HEADER) || is_title(line))
}

fn is_title(line: &str) -> bool {
    line.split(':').map(str::trim).eq(["LID", "Port", "Hops", "Optimal"])
}

/// Reads all tables of a dump, and finds its faults.
pub(super) fn read(text: &str) -> (Vec<Table<'_>>, Vec<Fault>) {
    let mut reader = Reader { tables: Vec::new(), faults: Vec::new(), lost: false };
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let unmarked = line.trim_start_matches('\u{feff}');
        reader.line(unmarked.trim(), start + line.len() - unmarked.trim_start().len());
        start += line.len();
    }
    let end = text.trim_end().len();
    if reader.tables.is_empty() && reader.faults.is_empty() {
        let expected = "`dump_ucast_routes: Switch 0x..`";
        reader.faults.push(Fault::new("no-table", end..end, "the file has no forwarding table", expected));
    }
    if reader.faults.is_empty() {
        reader.cut_off(end);
    }
    (reader.tables, reader.faults)
}

struct Reader<'t> {
    tables: Vec<Table<'t>>,
    faults: Vec<Fault>,
    /// Whether the header before cannot be read, so that entries are of no table for that alone.
    lost: bool,
}

impl<'t> Reader<'t> {
    /// Reads a line without the blanks around it, which begins at the byte `start`.
    fn line(&mut self, line: &'t str, start: usize) {
        let span = start..start + line.len();
        if line.is_empty() || line.starts_with('#') || is_title(line) {
            return;
        }
        if let Some(at) = line.find(HEADER) {
            return self.header(line[at + HEADER.len()..].trim(), span);
        }
        if !line.starts_with("0x") {
            let message = "this is no line of a forwarding table";
            let expected = "`dump_ucast_routes: Switch 0x..`, or `0x0001 : 005  : 05   : yes`";
            return self.faults.push(Fault::new("not-a-table", span, message, expected));
        }
        match (entry(line, span), self.tables.last_mut()) {
            (Err(fault), _) => self.faults.push(fault),
            (Ok(_), _) if self.lost => {}
            (Ok(entry), Some(table)) => self.faults.extend(add(table, entry)),
            (Ok(entry), None) => {
                self.lost = true;
                let message = "an entry of no table";
                let expected = "`dump_ucast_routes: Switch 0x..` before any entry";
                self.faults.push(Fault::new("headless-entry", entry.span, message, expected));
            }
        }
    }

    fn header(&mut self, guid: &'t str, span: Range<usize>) {
        let digits = guid.strip_prefix("0x").filter(|digits| !digits.is_empty() && digits.len() <= 16);
        let number = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let number = number.and_then(|digits| u64::from_str_radix(digits, 16).ok());
        self.lost = number.is_none();
        match number {
            Some(number) => self.tables.push(Table::new(number, guid, span, u16::MAX)),
            None => {
                let message = format!("`{}` is not a guid", quoted(guid));
                self.faults.push(Fault::new("table-header", span, message, "`0x` and 1 to 16 hex digits"));
            }
        }
    }

    /// Whether the last table is shorter than all before it, which are as long as each other.
    fn cut_off(&mut self, end: usize) {
        let lengths: Vec<usize> = self.tables.iter().map(|table| table.entries.len()).collect();
        if let Some(nth) = lengths.iter().position(|length| *length == 0) {
            let message = "a table without an entry";
            let span = self.tables[nth].span.clone();
            return self.faults.push(Fault::new("cut-off", span, message, "its lids, each with a port"));
        }
        let Some((last, others)) = lengths.split_last() else { return };
        let Some(usual) = others.first().filter(|first| others.iter().all(|length| length == *first)) else {
            return;
        };
        if last < usual {
            let message = format!("the last table has {last} lids, and the others have {usual} each");
            self.faults.push(Fault::new("cut-off", end..end, message, "as many lids for each switch"));
        }
    }
}

/// Adds an entry to a table, or says why not: entries are in order. A lid that a switch sends to its port 0 is its own.
fn add<'t>(table: &mut Table<'t>, entry: Entry<'t>) -> Option<Fault> {
    let owner = if entry.port == 0 { Owner::Switch(table.guid) } else { entry.owner };
    table.add(Entry { owner, ..entry })
}

/// `0x0001 : 005  : 05   : yes`, or `0x0001 : UNREACHABLE`.
fn entry(line: &str, span: Range<usize>) -> Result<Entry<'_>, Fault> {
    let mut cells = line.split(':').map(str::trim);
    let lid = cells.next().and_then(|lid| u16::from_str_radix(lid.strip_prefix("0x")?, 16).ok());
    let port = cells.next().unwrap_or_default();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    let port = match port {
        "UNREACHABLE" if cells.clone().next().is_none() => Some(super::NONE),
        port if is_number(port)
            && cells.next().is_some_and(is_number)
            && cells.next().is_some_and(|word| !word.is_empty()) =>
        {
            port.parse::<u8>().ok()
        }
        _ => None,
    };
    match (lid, port) {
        (Some(lid), Some(port)) => Ok(Entry { lid, port, owner: Owner::Unknown, span }),
        _ => {
            let message = "this is no entry of a forwarding table";
            Err(Fault::new(
                "table-entry",
                span,
                message,
                "`0x0001 : 005  : 05   : yes`, or `0x0001 : UNREACHABLE`",
            ))
        }
    }
}
