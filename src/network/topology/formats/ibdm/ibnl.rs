//! A file that describes one system: its boards, the devices on them, and the wires between.
//!
//! ```text
//! SYSTEM LEAF,LEAF:4x           a board, with the names that it has
//! NODE SW 8 MT43132 U1          a device of it: kind, number of ports, what it is made of, name
//!    1 -> P1                    its port 1 is the board's connector P1
//!    2 -> U2 3                  its port 2 is wired to port 3 of another device
//! TOPSYSTEM Gnu                 the system itself, by the types that it may be asked for
//! SUBSYSTEM LEAF leaf1          a board in it: kind and name
//!    P1 -> main P4              a connector wired to that of another board
//!    P3 -> L1/P4                a connector that is a port on the panel
//! ```

use std::collections::BTreeMap;
use std::ops::Range;

use simnet_base::diagnostics::{Fault, quoted};

use crate::topology::formats::lines::{Word, lines, words};

use super::wire::{self, Speed, Wire};

/// The most ports of a device: a port's number has 8 bits.
const MOST_PORTS: u16 = 254;
/// The keywords that begin a section.
const KEYWORDS: [&str; 4] = ["SYSTEM", "TOPSYSTEM", "NODE", "SUBSYSTEM"];

/// All that a file describes.
#[derive(Debug, Default)]
pub(super) struct Description {
    pub(super) boards: Vec<Board>,
    /// The boards by each of their names; the system itself is not among them.
    pub(super) by_name: BTreeMap<String, usize>,
    /// The system itself, by position.
    pub(super) top: usize,
}

/// A board, or the system itself.
#[derive(Debug, Default)]
pub(super) struct Board {
    pub(super) parts: Vec<Part>,
    pub(super) by_name: BTreeMap<String, usize>,
    /// Its connectors: the part and the port of it that each is.
    pub(super) panel: BTreeMap<String, Connector>,
}

/// A name on the outside of a board.
#[derive(Debug)]
pub(super) struct Connector {
    pub(super) part: usize,
    pub(super) port: String,
    pub(super) speed: Speed,
}

/// A device or a board on a board.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) wires: Vec<Inner>,
    span: Range<usize>,
}

/// What a part is.
#[derive(Debug)]
pub(super) enum Kind {
    Device {
        is_switch: bool,
        ports: u16,
    },
    /// A board of one of these names, and what it is to be called for boards on it.
    Board {
        name: String,
        changes: Vec<(String, String)>,
        span: Range<usize>,
    },
}

/// A wire between two parts of a board.
#[derive(Debug)]
pub(super) struct Inner {
    pub(super) port: String,
    pub(super) to: String,
    pub(super) to_port: String,
    pub(super) speed: Speed,
    /// Where it stands, for faults.
    pub(super) span: Range<usize>,
}

/// The types that a file describes, without reading the rest of it.
pub(super) fn types(text: &str) -> Vec<&str> {
    let mut headers = lines(text).filter_map(|line| {
        let rest = line.text.trim_start().strip_prefix("TOPSYSTEM")?;
        rest.starts_with([' ', '\t']).then_some(rest)
    });
    headers
        .next()
        .map_or_else(Vec::new, |names| names.split([',', ' ', '\t']).filter(|n| !n.is_empty()).collect())
}

/// Reads a file.
///
/// # Errors
/// Every fault of it.
pub(super) fn read(text: &str) -> Result<Description, Vec<Fault>> {
    let mut reader = Reader::default();
    for line in lines(text) {
        if !line.text.trim().is_empty() && !line.text.trim_start().starts_with('#') {
            reader.line(line);
        }
    }
    if reader.top.is_none() && reader.faults.is_empty() {
        let end = text.trim_end().len();
        reader.fault(
            "no-system",
            end..end,
            "the file describes no system".to_owned(),
            "`TOPSYSTEM` and its types",
        );
    }
    reader.check();
    if !reader.faults.is_empty() {
        return Err(reader.faults);
    }
    let top = reader.top.expect("its lack is a fault");
    Ok(Description { boards: reader.boards, by_name: reader.by_name, top })
}

#[derive(Default)]
struct Reader {
    boards: Vec<Board>,
    by_name: BTreeMap<String, usize>,
    top: Option<usize>,
    faults: Vec<Fault>,
    /// Whether the header of a part cannot be read, so that wires that follow are of a part unknown.
    lost: bool,
}

impl Reader {
    fn fault(&mut self, code: &'static str, span: Range<usize>, message: String, expected: &str) {
        self.faults.push(Fault::new(code, span, message, expected));
    }

    fn line(&mut self, line: Word<'_>) {
        let first = words(line).next().expect("the line is not blank");
        match first.text {
            "SYSTEM" | "TOPSYSTEM" => self.board(line, first.text == "TOPSYSTEM"),
            "NODE" => self.device(line),
            "SUBSYSTEM" => self.board_on_it(line),
            "CFG:" => self.changes(line),
            _ if wire::looks_like_one(line, 0) => self.wire(line),
            // `U1=isChaBma`: attributes of devices.
            _ if first.text.contains('=') => {}
            word => {
                let message = format!("`{}` begins no line of such a file", quoted(word));
                let fault = Fault::new(
                    "not-a-key",
                    first.span(),
                    message,
                    "SYSTEM, TOPSYSTEM, NODE, SUBSYSTEM or a wire",
                );
                self.faults.push(fault.with_nearest(word, KEYWORDS));
            }
        }
    }

    fn board(&mut self, line: Word<'_>, is_top: bool) {
        self.lost = false;
        let header = words(line).next().expect("it was read");
        if let Some(top) = self.top {
            let message = "the file goes on after the system itself".to_owned();
            self.fault("second-system", header.span(), message, "`TOPSYSTEM` once, and last");
            self.top = Some(top);
            return;
        }
        let position = self.boards.len();
        self.boards.push(Board::default());
        if is_top {
            self.top = Some(position);
        }
        let names = words(line).skip(1).flat_map(|word| {
            let place = move |part: &str| word.start + (part.as_ptr().addr() - word.text.as_ptr().addr());
            word.text.split(',').map(move |text| Word { text, start: place(text) })
        });
        let names: Vec<Word<'_>> = names.filter(|name| !name.text.is_empty()).collect();
        if names.is_empty() {
            let span = header.span().end..header.span().end;
            self.fault("no-name", span, "there is no name here".to_owned(), "names with commas between");
        }
        for name in names.into_iter().filter(|_| !is_top) {
            if self.by_name.insert(name.text.to_owned(), position).is_some() {
                let message = format!("`{}` is described already", quoted(name.text));
                self.fault("duplicate-name", name.span(), message, "each name once");
            }
        }
    }

    fn device(&mut self, line: Word<'_>) {
        self.lost = true;
        let parts: Vec<Word<'_>> = words(line).collect();
        let [keyword, kind, ports, _, name] = parts[..] else {
            let message = format!("a device with {} words", parts.len());
            let expected = "NODE, SW or CA, its number of ports, what it is made of, and its name";
            return self.fault("not-a-device", line.span(), message, expected);
        };
        let is_switch = kind.text == "SW";
        if !is_switch && !["CA", "HCA"].contains(&kind.text) {
            let message = format!("`{}` is no kind of device", quoted(kind.text));
            return self.fault("node-type", kind.span(), message, "SW, CA or HCA");
        }
        match ports.text.parse::<u16>().ok().filter(|ports| (1..=MOST_PORTS).contains(ports)) {
            Some(ports) => self.part(keyword, name, Kind::Device { is_switch, ports }),
            None => {
                let message = format!("no device has {} ports", quoted(ports.text));
                self.fault("port-count", ports.span(), message, "a number from 1 to 254");
            }
        }
    }

    fn board_on_it(&mut self, line: Word<'_>) {
        self.lost = true;
        let parts: Vec<Word<'_>> = words(line).collect();
        let [keyword, kind, name] = parts[..] else {
            let message = format!("a board with {} words", parts.len());
            return self.fault(
                "not-a-board",
                line.span(),
                message,
                "SUBSYSTEM, which board, and its name here",
            );
        };
        let board = Kind::Board { name: kind.text.to_owned(), changes: Vec::new(), span: kind.span() };
        self.part(keyword, name, board);
    }

    fn part(&mut self, keyword: Word<'_>, name: Word<'_>, kind: Kind) {
        self.lost = self.boards.is_empty();
        let Some(board) = self.boards.last_mut() else {
            let message = format!("`{}` is on no board", quoted(name.text));
            return self.fault("no-system", keyword.span(), message, "`SYSTEM` or `TOPSYSTEM` before it");
        };
        let position = board.parts.len();
        board.parts.push(Part { name: name.text.to_owned(), kind, wires: Vec::new(), span: name.span() });
        if board.by_name.insert(name.text.to_owned(), position).is_some() {
            let message = format!("`{}` is on this board already", quoted(name.text));
            self.fault("duplicate-name", name.span(), message, "a name of its own");
        }
    }

    /// `CFG: leaf1=12x`, behind a board on a board.
    fn changes(&mut self, line: Word<'_>) {
        let found: Vec<(String, String)> = words(line)
            .skip(1)
            .filter_map(|word| word.text.split_once('='))
            .map(|(board, kind)| (board.to_owned(), kind.to_owned()))
            .collect();
        let part = self.boards.last_mut().and_then(|board| board.parts.last_mut());
        match part.map(|part| &mut part.kind) {
            Some(Kind::Board { changes, .. }) => changes.extend(found),
            _ => self.fault(
                "not-a-key",
                line.span(),
                "`CFG:` stands behind no board".to_owned(),
                "`SUBSYSTEM` before it",
            ),
        }
    }

    fn wire(&mut self, line: Word<'_>) {
        if self.lost {
            return;
        }
        let Wire { port, speed, to } = match wire::parse(line) {
            Ok(wire) => wire,
            Err(fault) => return self.faults.push(fault),
        };
        let Some(board) = self.boards.last_mut().filter(|board| !board.parts.is_empty()) else {
            let message = "a wire of no part".to_owned();
            return self.fault("no-part", port.span(), message, "`NODE` or `SUBSYSTEM` before it");
        };
        let part = board.parts.len() - 1;
        if let Kind::Device { ports, .. } = board.parts[part].kind
            && !port.text.parse::<u16>().is_ok_and(|port| (1..=ports).contains(&port))
        {
            let message =
                format!("`{}` has no port `{}`", quoted(&board.parts[part].name), quoted(port.text));
            let expected = format!("a number from 1 to {ports}");
            return self.fault("no-such-port", port.span(), message, &expected);
        }
        let port_name = port.text.to_owned();
        match to[..] {
            [outside] => {
                let connector = Connector { part, port: port_name, speed };
                if board.panel.insert(outside.text.to_owned(), connector).is_some() {
                    let message = format!("this board has a port `{}` already", quoted(outside.text));
                    self.fault("duplicate-port", outside.span(), message, "a name of its own");
                }
            }
            [other, other_port] => board.parts[part].wires.push(Inner {
                port: port_name,
                to: other.text.to_owned(),
                to_port: other_port.text.to_owned(),
                speed,
                span: other.start..other_port.span().end,
            }),
            _ => {
                let message = format!("{} words stand after the arrow", to.len());
                let expected = "a name on the outside, or another part and its port";
                self.fault("not-a-cable", line.span(), message, expected);
            }
        }
    }

    /// Whether all that is named is there.
    fn check(&mut self) {
        let mut faults = Vec::new();
        for board in &self.boards {
            for part in &board.parts {
                if let Kind::Board { name, span, .. } = &part.kind
                    && !self.by_name.contains_key(name)
                {
                    let message = format!("no `SYSTEM` describes the board `{}`", quoted(name));
                    let fault = Fault::new("unknown-board", span.clone(), message, "a board of this file");
                    faults.push(fault.with_nearest(name, self.by_name.keys().map(String::as_str)));
                }
                for wire in part.wires.iter().filter(|wire| !board.by_name.contains_key(&wire.to)) {
                    let message = format!("nothing on this board is called `{}`", quoted(&wire.to));
                    let fault =
                        Fault::new("unknown-part", wire.span.clone(), message, "a part of this board");
                    faults.push(fault.with_nearest(&wire.to, board.by_name.keys().map(String::as_str)));
                }
            }
        }
        faults.truncate(1_000);
        self.faults.extend(faults);
    }
}

impl Part {
    /// Where its name stands.
    pub(super) fn span(&self) -> Range<usize> {
        self.span.clone()
    }
}
