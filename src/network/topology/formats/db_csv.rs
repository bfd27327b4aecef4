//! The tables that ibdiagnet2 writes (`ibdiagnet2.db_csv`): of all its sections, those of the nodes, the links and,
//! where it is there, the ports.
//!
//! ```text
//! START_NODES                                        the first row of a section names its columns
//! NodeDesc,NumPorts,NodeType,ClassVersion,..,NodeGUID,PortGUID,..
//! "MF0;leaf1:MSB7800/U1",37,2,1,..,0x248a0703008c0b10,..
//! END_NODES
//! START_LINKS
//! NodeGuid1,PortNum1,NodeGuid2,PortNum2
//! END_LINKS
//! ```
//!
//! # Scope and limitations
//! Nodes are called as a dump of ibnetdiscover calls them; a type is 1 (a channel adapter: a host), 2 (a switch) or 3
//! (a router). A link is listed once, or once from each end. Its rate is the data rate of the active width and speed of
//! its ports, the slower of two; none where there is no section of ports, or a code there is unknown. Columns may come
//! in any order, and other columns and sections are passed over; but a file without the section of the links, which
//! some versions leave out, is refused, as nothing says how the nodes are cabled.
//!
//! # Source
//! Files of ibdiagnet 2; the codes of widths and speeds are those of the PortInfo and of ibdm's `IBLinkSpeed`.
//!
//! # Validation
//! tests/network/formats/foreign/subnet_lst.rs: against ibnetdiscover's view of the same subnet, damaged files pinned,
//! damage at random.

use std::collections::BTreeMap;
use std::ops::Range;

use simnet_base::cells::{Row, Rows};
use simnet_base::diagnostics::{Fault, nearest, quoted};
use simnet_base::units::BitRate;

use super::cabling::{Cabling, PortName, Side};
use super::ibnetdiscover::rate;
use super::infiniband::{self, Given, NodeKind};
use super::kept::Kept;
use super::lines::{Word, lines};
use super::{MOST_PORTS, Parsed};

/// The sections that are read.
const SECTIONS: [&str; 3] = ["NODES", "LINKS", "PORTS"];

/// How many lines are looked at before a text counts as another format.
const LOOKED_AT: usize = 200;

/// Whether one of the first lines begins a section that is read, or the first one with words on it any section.
pub(super) fn recognises(text: &str) -> bool {
    let mut said =
        lines(text).map(|line| line.text.trim()).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let is_ours = |line: &str| line.strip_prefix("START_").is_some_and(|name| SECTIONS.contains(&name));
    let first = said.next().unwrap_or_default();
    let name = first.strip_prefix("START_").unwrap_or_default();
    let is_section = !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
    is_section || is_ours(first) || said.take(LOOKED_AT).any(is_ours)
}

/// Reads a network.
///
/// # Errors
/// Every fault of the sections that are read.
pub(super) fn read(text: &str) -> Result<Parsed, Vec<Fault>> {
    let mut reader = Reader::default();
    let sections = reader.sections(text);
    for name in ["NODES", "LINKS"] {
        if !sections.contains_key(name) && reader.cabling.faults.is_empty() {
            let end = text.trim_end().len();
            let message = format!("the file has no section `START_{name}`");
            let fault = Fault::new(
                "no-section",
                end..end,
                message,
                format!("`START_{name}`, its rows and `END_{name}`"),
            );
            let help =
                "some versions leave it out: give what `ibnetdiscover` prints of the same fabric instead";
            reader.cabling.faults.push(fault.with_help(help));
        }
    }
    let table = |name: &str| sections.get(name).map(|place| Section { text, place: place.clone() });
    if let Some(section) = table("NODES") {
        reader.nodes(&section);
    }
    if let Some(section) = table("PORTS") {
        reader.ports(&section);
    }
    if let Some(section) = table("LINKS") {
        reader.links(&section);
    }
    infiniband::all_from_both_ends(&mut reader.cabling);
    Ok(Parsed { network: reader.cabling.network(text.trim_end().len())?, warnings: reader.warnings })
}

/// The rows of a section, with the names of their columns.
struct Section<'t> {
    text: &'t str,
    place: Range<usize>,
}

/// A row of a section, its cells as words of the file; only those of the wanted columns.
struct Cells<'t> {
    cells: Vec<Word<'t>>,
}

#[derive(Default)]
struct Reader {
    cabling: Cabling,
    warnings: Vec<Fault>,
    /// The rate of each port that has one.
    rates: BTreeMap<(u64, u16), BitRate>,
}

impl Reader {
    fn fault(&mut self, code: &'static str, span: Range<usize>, message: String, expected: &str) {
        self.cabling.fault(code, span, message, expected);
    }

    /// The places of the sections that are read, without the lines that begin and end them.
    fn sections(&mut self, text: &str) -> BTreeMap<&'static str, Range<usize>> {
        let mut found = BTreeMap::new();
        let mut open: Option<(&str, Word<'_>)> = None;
        for line in lines(text) {
            let word = line.text.trim();
            if let Some(name) = word.strip_prefix("START_") {
                if let Some((open, begun)) = open {
                    let message = format!("`START_{}` is not ended before the next section", quoted(open));
                    self.fault("cut-off", begun.span(), message, "its end before another section begins");
                }
                open = Some((name, line));
            } else if let (Some(name), Some((begun, start))) = (word.strip_prefix("END_"), open) {
                // A description may be anything, on a line of its own too.
                if name != begun {
                    continue;
                }
                open = None;
                let known = SECTIONS.into_iter().find(|known| *known == name);
                let place = start.span().end..line.start;
                if let Some(known) = known
                    && found.insert(known, place).is_some()
                {
                    let message = format!("a second section `START_{known}`");
                    self.fault("duplicate-section", start.span(), message, "each section once");
                }
            }
        }
        if let Some((name, begun)) = open {
            let message = format!("the file ends in the section `START_{}`", quoted(name));
            self.fault("cut-off", begun.span(), message, "its end");
        }
        found
    }

    fn nodes(&mut self, section: &Section<'_>) {
        let columns = ["NodeDesc", "NumPorts", "NodeType", "NodeGUID"];
        for Cells { cells } in self.rows(section, &columns) {
            let [description, ports, kind, guid] = cells[..] else { continue };
            let number = self.number(ports, 1, 254);
            let node_kind = match kind.text {
                "1" => Some(NodeKind::Ca),
                "2" => Some(NodeKind::Switch),
                "3" => Some(NodeKind::Router),
                text => {
                    let message = format!("`{}` is no type of node", quoted(text));
                    self.fault(
                        "node-type",
                        kind.span(),
                        message,
                        "1 (channel adapter), 2 (switch) or 3 (router)",
                    );
                    None
                }
            };
            let (Some(ports), Some(kind), Some(id)) = (number, node_kind, self.guid(guid)) else { continue };
            let known = self.cabling.nodes.len();
            let given = Given { kind, guid: id, ports, description: description.text, span: guid.span() };
            let node = infiniband::node(&mut self.cabling, &given);
            if let Some(node) = node.filter(|node| *node >= known && kind != NodeKind::Switch) {
                let added = &self.cabling.nodes[node];
                let is_router = kind == NodeKind::Router;
                let (name, description) = (added.name.as_str(), added.description.as_deref());
                self.warnings.extend(infiniband::oddity(name, description, is_router, guid.span()));
            }
        }
    }

    /// The rates of ports; codes that are not known are none.
    fn ports(&mut self, section: &Section<'_>) {
        for Cells { cells } in self.rows(section, &["NodeGuid", "PortNum", "LinkWidthActv", "LinkSpeedActv"])
        {
            let [guid, port, width, speed] = cells[..] else { continue };
            let (Some(guid), Some(port)) = (self.guid(guid), self.number(port, 0, 255)) else { continue };
            let rate = width_of(width.text).zip(speed_of(speed.text));
            if let Some(rate) = rate.and_then(|(width, speed)| rate::data_rate(width, speed)) {
                self.rates.insert((guid, port), rate);
            }
        }
    }

    fn links(&mut self, section: &Section<'_>) {
        for Cells { cells } in self.rows(section, &["NodeGuid1", "PortNum1", "NodeGuid2", "PortNum2"]) {
            let [guid1, port1, guid2, port2] = cells[..] else { continue };
            let ends = [(guid1, port1), (guid2, port2)].map(|(guid, port)| self.end(guid, port));
            let [Some((a, rate_a)), Some((b, rate_b))] = ends else { continue };
            self.cabling.cable([a, b], rate_a.into_iter().chain(rate_b).min());
        }
    }

    fn end(&mut self, guid: Word<'_>, port: Word<'_>) -> Option<(Side, Option<BitRate>)> {
        let number = self.number(port, 0, 254);
        let id = self.guid(guid)?;
        let Some(node) = self.cabling.find(&format!("{id:016x}")) else {
            // What faulty rows of nodes give is unknown.
            if self.cabling.faults.is_empty()
                || self.cabling.faults.iter().all(|fault| fault.code == "unknown-node")
            {
                let message = format!("no node has the guid `{}`", quoted(guid.text));
                self.fault("unknown-node", guid.span(), message, "a guid of the section START_NODES");
            }
            return None;
        };
        let number = number?;
        let side = Side { node, port: Some(PortName::Number(number)), span: port.span() };
        Some((side, self.rates.get(&(id, number)).copied()))
    }

    fn guid(&mut self, word: Word<'_>) -> Option<u64> {
        infiniband::guid(word.text, word.span()).map_err(|fault| self.cabling.faults.push(fault)).ok()
    }

    fn number(&mut self, word: Word<'_>, least: u16, most: u16) -> Option<u16> {
        let number = word.text.parse().ok().filter(|number| (least..=most).contains(number));
        if number.is_none() {
            let message = format!("`{}` is no number that fits here", quoted(word.text));
            self.fault("bad-number", word.span(), message, &format!("a whole number from {least} to {most}"));
        }
        number
    }

    /// The cells of `columns` in every row of a section; faults where a column or a cell is missing.
    fn rows<'t>(&mut self, section: &Section<'t>, columns: &[&str]) -> Vec<Cells<'t>> {
        let inside = &section.text[section.place.clone()];
        let word =
            |span: &Range<usize>, text: &'t str| Word { text, start: section.place.start + span.start };
        let mut rows = Rows::new(inside);
        let mut row = Row::default();
        let mut positions = Vec::new();
        if rows.read(usize::from(MOST_PORTS), &mut row) {
            let names: Vec<&str> = row.cells.iter().map(|cell| cell.content(inside)).collect();
            for column in columns {
                match names.iter().position(|name| name.eq_ignore_ascii_case(column)) {
                    Some(position) => positions.push(position),
                    None => {
                        let span = row.span();
                        let span = section.place.start + span.start..section.place.start + span.end;
                        let fault = Fault::new(
                            "no-column",
                            span,
                            format!("no column is called `{column}`"),
                            "the columns of ibdiagnet",
                        );
                        let near = nearest(column, names.iter().copied());
                        let near = near.map(|near| format!("`{}` may be it, misspelt", quoted(near)));
                        self.cabling.faults.push(match near {
                            Some(near) => fault.with_help(near),
                            None => fault,
                        });
                    }
                }
            }
        } else {
            let start = section.place.start;
            self.fault(
                "no-column",
                start..start,
                "the section is empty".to_owned(),
                "a row with the names of its columns",
            );
        }
        let mut found = Vec::new();
        if positions.len() < columns.len() {
            return found;
        }
        let (most, columns) = (positions.iter().max().map_or(0, |last| last + 1), row.count);
        while rows.read(most, &mut row) {
            if let Some(broken) = row.cells.iter().find(|cell| cell.broken) {
                let at = section.place.start + broken.span.start;
                self.fault(
                    "unbalanced-quote",
                    at..at + 1,
                    "this quote is not closed".to_owned(),
                    "a second quote, then a comma",
                );
            } else if row.count < columns {
                let span = row.span();
                let message = format!("a row of {} cells", row.count);
                let span = section.place.start + span.start..section.place.start + span.end;
                self.fault("short-row", span, message, &format!("{columns} cells, as there are columns"));
            } else {
                let cells = positions.iter().map(|position| &row.cells[*position]);
                found.push(Cells { cells: cells.map(|cell| content(&word, cell, inside)).collect() });
            }
        }
        found
    }
}

/// A cell without its quotes.
fn content<'t>(
    word: &impl Fn(&Range<usize>, &'t str) -> Word<'t>,
    cell: &simnet_base::cells::Cell,
    text: &'t str,
) -> Word<'t> {
    let content = cell.content(text);
    let quote = usize::from(content.len() < cell.span.len());
    word(&(cell.span.start + quote..cell.span.end), content)
}

/// The width of a code of PortInfo.
fn width_of(code: &str) -> Option<&'static str> {
    Some(match code {
        "1" => "1x",
        "2" => "4x",
        "4" => "8x",
        "8" => "12x",
        "16" => "2x",
        _ => return None,
    })
}

/// The speed of a code of ibdm's.
fn speed_of(code: &str) -> Option<&'static str> {
    Some(match code {
        "1" => "SDR",
        "2" => "DDR",
        "4" => "QDR",
        "256" => "FDR",
        "512" => "EDR",
        "1024" => "HDR",
        "2048" => "NDR",
        "4096" => "XDR",
        "65536" => "FDR10",
        _ => return None,
    })
}

/// The node's name and the port by the guid of the port, as the section of the nodes gives them.
pub(super) fn kept(text: &str) -> Kept {
    let mut reader = Reader::default();
    let Some(place) = reader.sections(text).remove("NODES") else { return Kept::default() };
    let section = Section { text, place };
    let rows = reader.rows(&section, &["NodeType", "NodeGUID", "PortGUID", "LocalPortNum"]);
    let owner = |cells: &[Word<'_>]| {
        let [kind, node, port, number] = cells[..] else { return None };
        let kind = if kind.text == "1" { NodeKind::Ca } else { NodeKind::Router };
        let guid = |word: Word<'_>| infiniband::guid(word.text, 0..0).ok();
        Some((guid(port)?, (infiniband::name(kind, guid(node)?), number.text.parse().ok()?)))
    };
    let mut kept = Kept::default();
    for (guid, (name, port)) in
        rows.iter().filter(|row| row.cells[0].text != "2").filter_map(|row| owner(&row.cells))
    {
        kept.port(&name, port).guid = Some(guid);
    }
    kept
}
