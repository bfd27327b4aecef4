//! Route files: one JSON object a line, one line a pair of hosts.
//!
//! ```text
//! {"src": "c00", "dst": "c05", "hops": [{"switch": "C1.0", "in": 3, "out": 5}], "turns": [2]}
//! ```
//!
//! A pair without a line has no route. Where a line has `hops`, they must follow the cables from the source
//! to the destination and agree with the turns; a line with `turns` alone is taken as it is, so that a replay
//! can send worms along routes that lead nowhere, or back to their own host. Where hosts send worms on, a hop leads to
//! one in transit, the turn after its own is 0, and the next hop enters by the port that it left by:
//!
//! ```text
//! {"src": "h0", "dst": "h9", "hops": [{"switch": "s0", "in": 4, "out": 1}, {"switch": "s2", "in": 0, "out": 5},
//!  {"switch": "s2", "in": 5, "out": 2}, {"switch": "s3", "in": 1, "out": 4}], "turns": [-3, 5, 0, -3, 3]}
//! ```

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;

use serde::Deserialize;

use crate::topology::{End, Network};
use simnet_base::diagnostics::{Fault, Faults, legible_json};
use simnet_base::ids::{HostId, Node, Port, Turn};

use super::attachments::Attachments;
use super::graph::{Landing, Wiring};
use super::table::{RouteTable, Routes, Row, TableTooLarge};

/// Writes the routes of all pairs, by source, then destination. A route that does not follow the cables is
/// written without hops.
///
/// # Errors
/// Whatever `out` says.
pub fn write_routes(
    network: &Network,
    attachments: &Attachments,
    routes: &impl Routes,
    out: &mut impl Write,
) -> io::Result<()> {
    let wiring = Wiring::new(network);
    let quoted = |name: &str| legible_json(&serde_json::Value::from(name).to_string()).into_owned();
    let switches: Vec<String> = network.switches().iter().map(|s| quoted(&s.name)).collect();
    let hosts: Vec<String> = network.hosts().iter().map(|h| quoted(&h.name)).collect();
    let (mut turns, mut hops) = (Vec::new(), Vec::new());
    for (source, destination) in network.host_ids().flat_map(|s| network.host_ids().map(move |d| (s, d))) {
        turns.clear();
        if source == destination || !routes.route(source, destination, &mut turns) {
            continue;
        }
        write!(out, "{{\"src\": {}, \"dst\": {}, ", hosts[source.index()], hosts[destination.index()])?;
        hops.clear();
        let landing = attachments.of(source).map(|from| {
            wiring.walk(from.far, &turns, |switch, input, output, _| hops.push((switch, input, output)))
        });
        if matches!(landing, Some(Landing::Arrived(end)) if end.node == Node::Host(destination)) {
            let hop = |(switch, input, output): &(simnet_base::ids::SwitchId, Port, Port)| {
                format!("{{\"switch\": {}, \"in\": {input}, \"out\": {output}}}", switches[switch.index()])
            };
            let each: Vec<String> = hops.iter().map(hop).collect();
            write!(out, "\"hops\": [{}], ", each.join(", "))?;
        }
        let each: Vec<String> = turns.iter().map(Turn::to_string).collect();
        writeln!(out, "\"turns\": [{}]}}", each.join(", "))?;
    }
    Ok(())
}

/// Reads a route file that the user calls `file`.
///
/// # Errors
/// All faults of the file: text that is not UTF-8 or not such an object, unknown names, a pair that occurs
/// twice, hops from a host to itself, hops that do not follow the cables, turns that do not agree with the hops,
/// more turns than a table holds.
pub fn read_routes(
    network: &Network,
    attachments: &Attachments,
    file: &str,
    bytes: &[u8],
) -> Result<RouteTable, Box<Faults>> {
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader { network, attachments, entries: Vec::new(), turns: Vec::new() };
    let mut faults = Vec::new();
    let mut start = 0;
    // Line ends are the same in the bytes and in the text, whatever was replaced in between.
    for (number, (raw, line)) in (1..).zip(bytes.split(|b| *b == b'\n').zip(text.split('\n'))) {
        let read = match std::str::from_utf8(raw) {
            Err(error) => Err(not_utf8(start + error.valid_up_to())),
            Ok(_) if line.trim().is_empty() => Ok(()),
            Ok(_) => {
                // A byte order mark means nothing in UTF-8.
                let unmarked = line.strip_prefix('\u{feff}').filter(|_| start == 0).unwrap_or(line);
                reader.line(number, start + (line.len() - unmarked.len()), unmarked)
            }
        };
        faults.extend(read.err());
        start += line.len() + 1;
    }
    faults.extend(reader.repeated());
    if faults.is_empty() {
        match reader.table() {
            Ok(table) => return Ok(table),
            Err(error) => faults.push(Fault::new("too-long", 0..0, error.to_string(), "fewer turns")),
        }
    }
    faults.sort_by_key(|fault| fault.span.start);
    Err(Box::new(Faults::new(file, text, faults)))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    #[serde(borrow)]
    src: Cow<'a, str>,
    #[serde(borrow)]
    dst: Cow<'a, str>,
    #[serde(borrow)]
    hops: Option<Vec<Hop<'a>>>,
    turns: Vec<i16>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hop<'a> {
    #[serde(borrow)]
    switch: Cow<'a, str>,
    #[serde(rename = "in")]
    input: u16,
    #[serde(rename = "out")]
    output: u16,
}

const KEYS: [&str; 7] = ["src", "dst", "hops", "turns", "switch", "in", "out"];

struct Reader<'a> {
    network: &'a Network,
    attachments: &'a Attachments,
    entries: Vec<Entry>,
    turns: Vec<Turn>,
}

/// A line without faults of its own.
struct Entry {
    source: HostId,
    destination: HostId,
    line: usize,
    place: Range<usize>,
    turns: Range<usize>,
}

fn not_utf8(at: usize) -> Fault {
    Fault::new(
        "not-utf8",
        at..at + char::REPLACEMENT_CHARACTER.len_utf8(),
        "this line is not UTF-8",
        "UTF-8 text",
    )
}

/// Where a word stands that is borrowed from `text`, which begins at the byte `start`.
fn place_in(text: &str, start: usize, word: &str) -> Range<usize> {
    let at = start + (word.as_ptr().addr() - text.as_ptr().addr());
    at..at + word.len()
}

impl Reader<'_> {
    /// Reads one line, which begins at the byte `start` of the text.
    fn line(&mut self, number: usize, start: usize, text: &str) -> Result<(), Fault> {
        let whole = start..start + text.trim_end().len();
        // An array would do, its items as the keys in their order.
        if text.trim_start().starts_with('[') {
            let expected = "an object: {\"src\": .., \"dst\": .., \"hops\": [..], \"turns\": [..]}";
            return Err(Fault::new("not-a-route", whole.start..whole.start, "a list stands here", expected));
        }
        let line: Line<'_> = serde_json::from_str(text).map_err(|error| not_a_line(&error, &whole))?;
        // A word that is not written as it is read (with escapes) has the whole line as its place.
        let place = |word: &Cow<'_, str>| match word {
            Cow::Borrowed(word) => place_in(text, start, word),
            Cow::Owned(_) => whole.clone(),
        };
        let source = self.host(&line.src, place(&line.src))?;
        let destination = self.host(&line.dst, place(&line.dst))?;
        if source == destination && line.hops.is_some() {
            let message = format!("`{}` needs no route to itself", line.src);
            return Err(Fault::new("self-route", place(&line.dst), message, "another host"));
        }
        if let Some(hops) = &line.hops {
            let outside = self.check(hops, &line.turns, (source, destination));
            let (at, code, message, expected) = match outside {
                None => return self.keep(number, (source, destination), &whole, &line.turns),
                Some(found) => found,
            };
            let span = hops.get(at).map_or(whole.clone(), |hop| place(&hop.switch));
            let fault = Fault::new(code, span, message, expected);
            let switches = self.network.switches().iter().map(|s| s.name.as_str());
            return Err(match hops.get(at) {
                Some(hop) if code == "unknown-switch" => fault.with_nearest(&hop.switch, switches),
                _ => fault,
            });
        }
        self.keep(number, (source, destination), &whole, &line.turns)
    }

    fn keep(
        &mut self,
        line: usize,
        (source, destination): (HostId, HostId),
        place: &Range<usize>,
        turns: &[i16],
    ) -> Result<(), Fault> {
        let start = self.turns.len();
        self.turns.extend(turns.iter().map(|turn| Turn(*turn)));
        let turns = start..self.turns.len();
        self.entries.push(Entry { source, destination, line, place: place.clone(), turns });
        Ok(())
    }

    fn host(&self, name: &str, place: Range<usize>) -> Result<HostId, Fault> {
        self.network.find_host(name).ok_or_else(|| {
            let message = format!("there is no host called `{name}` in `{}`", self.network.name);
            let hosts = self.network.hosts().iter().map(|h| h.name.as_str());
            Fault::new("unknown-host", place, message, "a host's name").with_nearest(name, hosts)
        })
    }

    /// What is wrong with hops, if anything: at which hop, code, message, what is expected.
    fn check(
        &self,
        hops: &[Hop<'_>],
        turns: &[i16],
        (source, destination): (HostId, HostId),
    ) -> Option<(usize, &'static str, String, String)> {
        let name = |end: End| format!("`{}` port {}", self.network.name_of(end.node), end.port);
        let Some(mut at) = self.attachments.of(source).map(|cable| cable.far) else {
            let message = format!("`{}` has no cable", self.network.name_of(Node::Host(source)));
            return Some((usize::MAX, "no-cable", message, "a host with a cable".to_owned()));
        };
        // Turns taken before, those of hosts in transit among them.
        let mut taken = 0;
        let mut before = None;
        for (nth, hop) in hops.iter().enumerate() {
            if let (Node::Host(_), Some(end), Some(0)) = (at.node, before, turns.get(taken)) {
                taken += 1;
                at = end;
            }
            let Some(switch) = self.network.find_switch(&hop.switch) else {
                let message = format!("there is no switch called `{}`", hop.switch);
                return Some((nth, "unknown-switch", message, "a switch's name".to_owned()));
            };
            if at != End::switch(switch, hop.input) {
                let message = format!("hop {} enters by another port than the cable does", nth + 1);
                return Some((nth, "hop-off-cable", message, format!("the cable leads to {}", name(at))));
            }
            let output = End::switch(switch, hop.output);
            let Some(next) = self.network.peer(output) else {
                let message = format!("hop {} leaves by a port without a cable", nth + 1);
                return Some((nth, "no-such-wire", message, format!("nothing is in {}", name(output))));
            };
            let turn = i32::from(hop.output) - i32::from(hop.input);
            if turns.get(taken).is_some_and(|t| i32::from(*t) != turn) {
                let message = format!("turn {} does not lead from `in` to `out`", taken + 1);
                return Some((nth, "turn-mismatch", message, format!("the turn {turn}")));
            }
            taken += 1;
            before = Some(output);
            at = next;
        }
        if turns.len() != taken {
            let message = match taken - hops.len() {
                0 => format!("{} turns for {} hops", turns.len(), hops.len()),
                hosts => {
                    format!("{} turns for {} hops and {hosts} hosts in transit", turns.len(), hops.len())
                }
            };
            return Some((usize::MAX, "turn-mismatch", message, "one turn for every hop".to_owned()));
        }
        let port = self.attachments.of(destination).map(|cable| cable.port);
        let wanted = port.map(|port| End { node: Node::Host(destination), port });
        (Some(at) != wanted).then(|| {
            let host = self.network.name_of(Node::Host(destination));
            let message = format!("the hops do not end at `{host}`");
            (hops.len().wrapping_sub(1), "hop-off-cable", message, format!("they end at {}", name(at)))
        })
    }

    /// Puts the entries in order of (destination, source, line), and finds the pairs that occur again.
    fn repeated(&mut self) -> Vec<Fault> {
        self.entries.sort_by_key(|e| (e.destination, e.source, e.line));
        let pair = |e: &Entry| (e.destination, e.source);
        let again = self.entries.windows(2).filter(|two| pair(&two[0]) == pair(&two[1]));
        let fault = |two: &[Entry]| {
            let message = format!("the pair of line {} has another route here", two[0].line);
            Fault::new("duplicate-pair", two[1].place.clone(), message, "one line for each pair")
        };
        again.map(fault).collect()
    }

    /// The table of the entries, which are in order and without repetition.
    fn table(self) -> Result<RouteTable, TableTooLarge> {
        let hosts = self.network.hosts().len();
        let mut table = RouteTable::new(hosts);
        for entries in self.entries.chunk_by(|a, b| a.destination == b.destination) {
            let mut row = Row::new(hosts);
            for entry in entries {
                while row.sources() < entry.source.index() {
                    row.skip();
                }
                row.route(|turns| turns.extend_from_slice(&self.turns[entry.turns.clone()]));
            }
            while row.sources() < hosts {
                row.skip();
            }
            table.set_row(entries[0].destination, row)?;
        }
        Ok(table)
    }
}

/// Says what is wrong with the text of the line at `whole`.
fn not_a_line(error: &serde_json::Error, whole: &Range<usize>) -> Fault {
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    // In words of this file, not of what reads it.
    let kinds = [
        ("expected u16", "expected a port's number"),
        ("expected i16", "expected a turn"),
        ("expected struct Line", "expected an object"),
        ("expected struct Hop", "expected an object"),
    ];
    let message = kinds.iter().fold(message.to_owned(), |message, (kind, word)| message.replace(kind, word));
    let at = (whole.start + error.column().saturating_sub(1)).min(whole.end);
    let expected = r#"{"src": .., "dst": .., "hops": [{"switch": .., "in": .., "out": ..}], "turns": [..]}"#;
    let word = message.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next());
    let word = word.map(str::to_owned);
    let fault = Fault::new("not-a-route", at..at, message, expected);
    match word {
        Some(word) => fault.with_nearest(&word, KEYS),
        None => fault,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if the place of bytes that are no UTF-8 ended within the character that is printed for them.
    #[test]
    fn a_place_never_cuts_a_character() {
        let network = Network::new("none");
        let faults =
            read_routes(&network, &Attachments::lowest(&network), "routes", b"\n\xff\xff{").unwrap_err();
        assert_eq!((faults.faults[0].code, faults.faults[0].span.clone()), ("not-utf8", 1..4));
        assert_eq!(&faults.text[1..4], "\u{fffd}");
    }

    /// Wrong if a list passed for an object, or a fault spoke of types.
    #[test]
    fn lines_are_objects_and_faults_say_what_stands_there() {
        let network = Network::new("none");
        let said = |text: &str| {
            let faults = read_routes(&network, &Attachments::lowest(&network), "routes", text.as_bytes());
            faults.unwrap_err().faults[0].message.clone()
        };
        assert_eq!(said(r#"["h0", "h1", [["s0", 0, 1]], [1]]"#), "a list stands here");
        let hop =
            |port: &str| format!(r#"{{"src": "a", "dst": "b", "hops": [{{"switch": "s", "in": {port}}}]}}"#);
        assert_eq!(said(&hop("-1")), "invalid value: integer `-1`, expected a port's number");
        assert_eq!(said("7"), "invalid type: integer `7`, expected an object");
    }

    /// Wrong if a byte order mark were no part of the places after it, or were passed over elsewhere than at the start.
    #[test]
    fn a_byte_order_mark_is_passed_over_once() {
        let network = Network::new("none");
        let place = |text: &str| {
            let faults =
                read_routes(&network, &Attachments::lowest(&network), "routes", text.as_bytes()).unwrap_err();
            (faults.faults[0].code, faults.faults[0].span.start)
        };
        let line = "{\"src\": \"a\", \"dst\": \"b\", \"turns\": []}";
        assert_eq!(place(line), ("unknown-host", 9));
        assert_eq!(place(&format!("\u{feff}{line}")), ("unknown-host", 12));
        assert_eq!(place(&format!("\n\u{feff}{line}")).0, "not-a-route");
    }
}
