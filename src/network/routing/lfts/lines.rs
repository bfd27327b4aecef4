//! A dump's lines, as they stand.

use std::ops::Range;

use simnet_base::diagnostics::{Fault, quoted};

use super::words::{hexadecimal, lines};

/// One switch's table.
pub(super) struct Table<'t> {
    pub(super) guid: u64,
    pub(super) description: &'t str,
    /// Its first line.
    pub(super) span: Range<usize>,
    pub(super) entries: Vec<Entry<'t>>,
    last: u16,
}

/// Where one lid goes.
pub(super) struct Entry<'t> {
    pub(super) lid: u16,
    pub(super) port: u8,
    pub(super) owner: Owner<'t>,
    pub(super) span: Range<usize>,
}

/// What a line says of the lid's owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner<'t> {
    Unknown,
    /// A switch of this guid.
    Switch(u64),
    /// A port of this guid, of a node that may be described.
    Port(u64, Option<&'t str>),
}

/// Reads all tables of a dump, and finds its faults.
pub(super) fn read(text: &str) -> (Vec<Table<'_>>, Vec<Fault>) {
    let mut reader = Reader { tables: Vec::new(), open: None, faults: Vec::new() };
    for (line, span) in lines(text) {
        reader.line(line, span.start);
    }
    let end = text.trim_end().len();
    if let Some(open) = reader.open {
        let message = format!("the file ends within the table of {}", quoted(open.description));
        reader.faults.push(Fault::new("cut-off", end..end, message, "its other lids, and `N lids dumped`"));
    } else if reader.tables.is_empty() && reader.faults.is_empty() {
        let expected = "`Unicast lids [0-N] of switch Lid N guid 0x.. ('..'):`";
        reader.faults.push(Fault::new("no-table", end..end, "the file has no forwarding table", expected));
    }
    (reader.tables, reader.faults)
}

struct Reader<'t> {
    tables: Vec<Table<'t>>,
    open: Option<Table<'t>>,
    faults: Vec<Fault>,
}

impl<'t> Reader<'t> {
    /// Reads a line without the blanks around it, which begins at the byte `start`.
    fn line(&mut self, line: &'t str, start: usize) {
        let span = start..start + line.len();
        if line.starts_with("Unicast lids ") {
            if let Some(open) = self.open.take() {
                let message = format!("the table of {} has no end", quoted(open.description));
                self.faults.push(Fault::new("cut-off", span.clone(), message, "`N lids dumped` before this"));
            }
            match header(line, span.clone()) {
                Some(table) => self.open = Some(table),
                None => {
                    self.fault("table-header", span, "`Unicast lids [0-N] of switch Lid N guid 0x.. ('..'):`")
                }
            }
        } else if line.starts_with("0x") {
            match (entry(line, span.clone()), &mut self.open) {
                (None, _) => {
                    self.fault("table-entry", span, "`0x0001 003 # Channel Adapter portguid 0x..: '..'`")
                }
                // Only the first of many is reported where the header was wrong.
                (Some(_), None) if !self.faults.is_empty() => {}
                (Some(_), None) => self.fault("headless-entry", span, "`Unicast lids ..` before any entry"),
                (Some(entry), Some(table)) => self.faults.extend(table.add(entry)),
            }
        } else if line.ends_with("lids dumped") {
            self.end(line, span);
        } else if !is_passed_over(line) {
            self.fault("not-a-table", span, "a line of `opensm-lfts.dump` or `dump_lfts`");
        }
    }

    fn end(&mut self, line: &str, span: Range<usize>) {
        let Some(table) = self.open.take() else {
            if self.faults.is_empty() {
                self.fault("headless-entry", span, "`Unicast lids ..` and a table before its end");
            }
            return;
        };
        let number = line.split_whitespace().next().and_then(|word| word.parse::<usize>().ok());
        // OpenSM prints the highest lid here, ibroute how many lines there were.
        let (last, lines) = (usize::from(table.last), table.entries.len());
        let sound = match number {
            Some(number) if line.contains(" valid ") => number == lines,
            Some(number) => number == last || number == lines,
            None => false,
        };
        if !sound {
            let message = format!("`{}` ends a table of {lines} lids up to {last}", quoted(line));
            self.faults.push(Fault::new("wrong-count", span, message, "as many lids as are said"));
        }
        self.tables.push(table);
    }

    fn fault(&mut self, code: &'static str, span: Range<usize>, expected: &str) {
        self.faults.push(Fault::new(code, span, "this is no line of a forwarding table", expected));
    }
}

impl<'t> Table<'t> {
    /// A table without entries, of lids up to `last`.
    pub(super) fn new(guid: u64, description: &'t str, span: Range<usize>, last: u16) -> Table<'t> {
        Table { guid, description, span, entries: Vec::new(), last }
    }

    /// Adds an entry, or says why not. Entries are in order, in both formats.
    pub(super) fn add(&mut self, entry: Entry<'t>) -> Option<Fault> {
        let before = self.entries.last().map(|entry| entry.lid);
        if before.is_some_and(|before| before >= entry.lid) || entry.lid > self.last {
            let message = format!("lid {} is out of order or range", entry.lid);
            let least = before.map_or(0, |before| u32::from(before) + 1);
            let expected = format!("a lid from {least} to {}", self.last);
            return Some(Fault::new("lid-order", entry.span, message, expected));
        }
        self.entries.push(entry);
        None
    }
}

/// Whether a line only decorates.
fn is_passed_over(line: &str) -> bool {
    let title = |words: &[&str]| line.split_whitespace().eq(words.iter().copied());
    line.is_empty()
        || line.starts_with('#')
        || line.starts_with("*** WARNING ***")
        || line.starts_with("ibwarn:")
        || title(&["Lid", "Out", "Destination"])
        || title(&["Port", "Info"])
}

/// `Unicast lids [0-36] of switch Lid 1 guid 0x0000000000200000 ('SW'):`, or `[0x0-0x24] of switch DR path
/// ..`.
fn header(line: &str, span: Range<usize>) -> Option<Table<'_>> {
    let (range, rest) = line.strip_prefix("Unicast lids [")?.split_once(']')?;
    let (first, last) = range.split_once('-')?;
    number(first)?;
    let (_, rest) = rest.strip_prefix(" of switch ")?.split_once("guid 0x")?;
    let (guid, rest) = rest.split_once(' ')?;
    let inside = rest.strip_prefix('(')?.strip_suffix("):")?;
    let description = inside.strip_prefix('\'').and_then(|i| i.strip_suffix('\'')).unwrap_or(inside);
    Some(Table::new(hexadecimal(guid)?, description, span, number(last)?))
}

/// `0x0002 001 # Channel Adapter portguid 0x..: 'node'`, or `0x0002 001 : (Channel Adapter portguid 0x..:
/// 'node')`.
fn entry(line: &str, span: Range<usize>) -> Option<Entry<'_>> {
    let (lid, rest) = line.split_once(' ')?;
    let lid = number(lid)?;
    let (port, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    if port.len() != 3 || !port.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let port = port.parse().ok()?;
    let rest = rest.trim();
    let comment = match (rest.strip_prefix('#'), rest.strip_prefix(':')) {
        (Some(comment), _) => comment.trim(),
        (None, Some(inside)) => {
            let inside = inside.trim();
            if inside.is_empty() { inside } else { inside.strip_prefix('(')?.strip_suffix(')')? }
        }
        (None, None) if rest.is_empty() => rest,
        (None, None) => return None,
    };
    Some(Entry { lid, port, owner: owner(comment)?, span })
}

fn owner(comment: &str) -> Option<Owner<'_>> {
    let Some((kind, rest)) = comment.split_once("portguid 0x") else {
        let empty = ["", "unknown node and type", "illegal port", "reserved LID - illegal port"];
        return (empty.contains(&comment) || comment.starts_with("Unknown")).then_some(Owner::Unknown);
    };
    let Some((guid, description)) = rest.split_once(':') else {
        return kind.starts_with("path #").then_some(Owner::Port(hexadecimal(rest)?, None));
    };
    let description = description.trim().strip_prefix('\'')?.strip_suffix('\'')?;
    let guid = hexadecimal(guid)?;
    Some(if kind.starts_with("Switch") { Owner::Switch(guid) } else { Owner::Port(guid, Some(description)) })
}

/// A lid, hexadecimal behind `0x`.
fn number(text: &str) -> Option<u16> {
    match text.strip_prefix("0x") {
        Some(digits) => u16::try_from(hexadecimal(digits)?).ok(),
        None => text.parse().ok(),
    }
}
