//! Messages from a CSV file: `message,time_ns,source,destination,payload_bytes`, columns in any order.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use simnet_base::diagnostics::{Fault, decode, quoted};
use simnet_base::ids::HostId;
use simnet_base::units::{Duration, ParseUnitError, Time, Unit as _};
use simnet_media::traffic::TraceMessage;

use super::csv::{Field, MOST_FAULTS, payload_of, positions, rows};
use super::{files, names};
use crate::checked::{InputFile, RouteSource, Routing, Topology, Trace};
use crate::diagnostics::{Diagnostics, Place};
use crate::wire::Located;

const COLUMNS: [&str; 5] = ["message", "time_ns", "source", "destination", "payload_bytes"];

/// Reads a trace; `None` after noting faults located in its file.
pub(super) fn read(
    file: InputFile,
    bytes: &[u8],
    topology: &Topology,
    routing: Option<&Routing>,
    diagnostics: &mut Diagnostics,
) -> Option<Trace> {
    let shown = files::title(&file);
    let text = match decode(&shown, bytes) {
        Ok(text) => text,
        Err(faults) => {
            diagnostics.add_file(*faults);
            return None;
        }
    };
    let source = diagnostics.add_source(shown, text);
    let mut faults = Vec::new();
    let mut rows = rows(text);
    let messages = match rows.next().map(|header| positions(&header, COLUMNS, &mut faults)) {
        None => {
            let expected = format!("expected a header row: {}", COLUMNS.join(","));
            faults.push(Fault::new("empty-file", 0..0, "this file is empty", expected));
            None
        }
        Some(None) => None,
        Some(Some(positions)) => {
            let mut reader = Reader { topology, routing, source, faults: Vec::new(), seen: BTreeMap::new() };
            let messages = reader.rows(rows, &positions, diagnostics);
            faults = reader.faults;
            Some(messages)
        }
    };
    let is_sound = faults.is_empty() && diagnostics.is_clean_at(source);
    if is_sound && messages.as_ref().is_some_and(Vec::is_empty) {
        let end = text.len();
        faults.push(Fault::new(
            "empty-file",
            end..end,
            "this trace has no message",
            "expected a row a message",
        ));
    }
    let sound = faults.is_empty();
    for fault in faults {
        let place = Place { source, start: fault.span.start, end: fault.span.end };
        diagnostics.add(place, |_| fault);
    }
    messages.filter(|_| sound && diagnostics.is_clean_at(source)).map(|messages| Trace { file, messages })
}

/// What reading rows needs, and the faults found on the way.
struct Reader<'a> {
    topology: &'a Topology,
    routing: Option<&'a Routing>,
    source: usize,
    faults: Vec<Fault>,
    /// The messages by name, with their position in the file.
    seen: BTreeMap<Cow<'a, str>, usize>,
}

impl<'a> Reader<'a> {
    fn rows(
        &mut self,
        rows: impl Iterator<Item = Vec<Field<'a>>>,
        positions: &[usize; 5],
        diagnostics: &mut Diagnostics,
    ) -> Vec<TraceMessage> {
        let mut messages = Vec::new();
        for (nth, row) in rows.enumerate() {
            if self.faults.len() > MOST_FAULTS {
                break;
            }
            if row.len() == COLUMNS.len() {
                let fields = positions.map(|position| row[position].clone());
                messages.extend(self.message(nth, fields, diagnostics));
            } else {
                let (start, end) = (row[0].1.start, row[row.len() - 1].1.end);
                let message = format!("{} fields where the header has {}", row.len(), COLUMNS.len());
                let expected = "expected a field for every column";
                self.faults.push(Fault::new("missing-field", start..end, message, expected));
            }
        }
        messages
    }

    fn message(
        &mut self,
        nth: usize,
        [name, time, from, to, payload]: [Field<'a>; 5],
        diagnostics: &mut Diagnostics,
    ) -> Option<TraceMessage> {
        self.name(nth, &name);
        let (source, destination) = (self.host(&from, diagnostics), self.host(&to, diagnostics));
        let (at, payload) = (time_of(&time, &mut self.faults), payload_of(&payload, &mut self.faults));
        let (source, destination) = (source?, destination?);
        self.route(source, destination, to.1);
        Some(TraceMessage { name: name.0.into_owned(), created: at?, source, destination, payload: payload? })
    }

    /// Notes a name that is missing or taken.
    fn name(&mut self, nth: usize, (name, range): &Field<'a>) {
        if name.is_empty() {
            let expected = "expected a name or number";
            self.faults.push(Fault::new(
                "missing-field",
                range.clone(),
                "a message without a name",
                expected,
            ));
        } else if let Some(other) = self.seen.insert(name.clone(), nth) {
            let shown = quoted(name);
            let message =
                format!("message `{shown}` is there twice, first as message {} of the file", other + 1);
            let expected = "expected each message once";
            self.faults.push(Fault::new("duplicate-message", range.clone(), message, expected));
        }
    }

    fn host(&mut self, (name, range): &Field<'_>, diagnostics: &mut Diagnostics) -> Option<HostId> {
        let network = &self.topology.network;
        if network.find_host(name).is_none() {
            self.faults.push(names::no_host(name, network, range.clone()));
            return None;
        }
        let place = Place { source: self.source, start: range.start, end: range.end };
        names::attached_host(&Located { value: name.to_string(), place }, self.topology, diagnostics)
    }

    /// Notes a pair for which the file of routes has none.
    fn route(&mut self, source: HostId, destination: HostId, range: Range<usize>) {
        let Some(RouteSource::File { file, table, .. }) = self.routing.map(|routing| &routing.source) else {
            return;
        };
        if table.turns(source, destination).is_none() {
            let name = |host: HostId| quoted(&self.topology.network.hosts()[host.index()].name);
            let message = format!("no route leads from `{}` to `{}`", name(source), name(destination));
            let expected = format!("expected a pair with a route in {}", quoted(&file.named));
            self.faults.push(Fault::new("missing-route", range, message, expected));
        }
    }
}

/// A number of nanoseconds, down to the picosecond.
fn time_of((text, range): &Field<'_>, faults: &mut Vec<Fault>) -> Option<Time> {
    let parsed = Duration::parse(&format!("{text} ns"));
    let plain = !text.contains('_') && !text.ends_with('.');
    // At the last instant of all nothing begins any more.
    let begins = |span: &Duration| span.as_ps() < u64::MAX;
    if let (true, Some(span)) = (plain, parsed.as_ref().ok().copied().filter(begins)) {
        return Some(Time::ZERO + span);
    }
    let shown = quoted(text);
    let (code, message) = match parsed {
        Err(ParseUnitError::Negative { .. }) => ("negative", "a time before the start of the run".to_owned()),
        Err(ParseUnitError::TooFine { .. }) => ("too-fine", format!("`{shown}` ns is finer than 1 ps")),
        Err(ParseUnitError::TooLarge { .. }) => ("overflow", format!("`{shown}` ns is more than 213 days")),
        Ok(_) if plain => ("overflow", format!("`{shown}` ns is more than 213 days")),
        _ => ("not-a-number", format!("`{shown}` is no number of nanoseconds")),
    };
    faults.push(Fault::new(code, range.clone(), message, "expected a time in ns, as 1500 or 6.25"));
    None
}
