//! The blocks of a dump: one node each, with the lines of its ports.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::topology::formats::MOST_PORTS;
use crate::topology::formats::document::guid_in_name;
use simnet_base::diagnostics::{Fault, quoted};

use super::line::{Cursor, Piece, guid};
use super::near_miss;
use super::port::{self, Half};

/// The most bytes of a line. ibnetdiscover's own have a few hundred, and ibsim takes 255.
const LONGEST_LINE: usize = 4096;
/// How many faults get a search for the nearest spelling.
const HINTS: usize = 20;
/// The words that a line outside a block begins with.
const WORDS: [&str; 10] =
    ["Switch", "Ca", "Hca", "Rt", "vendid", "devid", "sysimgguid", "switchguid", "caguid", "rtguid"];
/// ibsim's settings for all that follows, which say nothing about cables.
const SETTINGS: [&str; 5] = ["width", "speed", "speedext", "pdebug", "hcaguids"];

/// What kind of node a block is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Switch,
    /// A channel adapter: a host.
    Ca,
    /// A router to other subnets; an end node like a host.
    Rt,
}

impl Kind {
    /// The word that heads a block of this kind.
    fn of(word: &str) -> Option<Kind> {
        match word {
            "Switch" => Some(Kind::Switch),
            "Ca" | "Hca" => Some(Kind::Ca),
            "Rt" => Some(Kind::Rt),
            _ => None,
        }
    }

    /// The key of its guid.
    const fn guid_key(self) -> &'static str {
        match self {
            Kind::Switch => "switchguid",
            Kind::Ca => "caguid",
            Kind::Rt => "rtguid",
        }
    }
}

/// A node and its cables, as its block gives them.
#[derive(Debug)]
pub(super) struct Block<'t> {
    pub(super) kind: Kind,
    /// `None` where the header is faulty; then other faults may be due to that.
    pub(super) id: Option<Piece<'t>>,
    /// `None` where the header is faulty.
    pub(super) ports: Option<u16>,
    pub(super) guid: Option<u64>,
    pub(super) description: Option<&'t str>,
    pub(super) halves: Vec<Half<'t>>,
    /// Whether a line of it cannot be read, so that something may be missing from it.
    pub(super) damaged: bool,
}

/// The ids that stand before a header.
#[derive(Debug, Default)]
struct Ids<'t> {
    seen: Vec<(&'t str, Range<usize>)>,
    guid: Option<(&'t str, u64, Range<usize>)>,
}

/// Reads the lines of a dump one by one.
#[derive(Debug, Default)]
pub(super) struct Blocks<'t> {
    pub(super) blocks: Vec<Block<'t>>,
    pub(super) faults: Vec<Fault>,
    ids: Ids<'t>,
    /// Whether the lines of ports belong to the last block.
    open: bool,
    /// Whether lines of ports without a block were found, which are one fault however many they are.
    stray: bool,
    /// Whether a header is missing: its node is then unknown, and its cables are, for that alone.
    pub(super) headless: bool,
}

/// Reads all blocks of a text. A report that is no dump ends in a single fault.
pub(super) fn read(text: &str) -> Blocks<'_> {
    let mut blocks = Blocks::default();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end();
        let indent = content.len() - content.trim_start().len();
        let piece = Piece { text: &content[indent..], span: start + indent..start + content.len() };
        start += line.len();
        if let Some(fault) = near_miss::fault(&piece) {
            blocks.faults = vec![fault];
            return blocks;
        }
        blocks.line(&piece);
    }
    blocks.no_ids_left(text.trim_end().len());
    blocks.guids_differ();
    blocks
}

impl<'t> Blocks<'t> {
    fn hint(&self) -> bool {
        self.faults.len() < HINTS
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    fn line(&mut self, line: &Piece<'t>) {
        if line.text.len() > LONGEST_LINE {
            let message = format!("a line of {} bytes", line.text.len());
            let expected = format!("at most {LONGEST_LINE} bytes; ibnetdiscover writes a few hundred");
            let span = line.span.start..line.span.start + 1;
            return self.damage(Fault::new("long-line", span, message, expected));
        }
        match line.text.bytes().next() {
            None | Some(b'#') => {}
            Some(b'[') => self.port(line),
            Some(b'@') => self.unsupported(line, "an alias"),
            Some(_) => self.other(line),
        }
    }

    /// A fault in a line that may have been part of the last block.
    fn damage(&mut self, fault: Fault) {
        if let Some(block) = self.blocks.last_mut() {
            block.damaged = true;
        }
        self.fault(fault);
    }

    fn port(&mut self, line: &Piece<'t>) {
        if !self.open {
            self.ids = Ids::default();
            if !std::mem::replace(&mut self.stray, true) {
                self.headless = true;
                let message = "a port of no node: the header of its block is missing";
                let expected = "`Switch`, `Ca` or `Rt`, a number of ports and an id before it";
                self.fault(Fault::new("no-header", line.span.clone(), message, expected));
            }
            return;
        }
        match port::parse(line, self.hint()) {
            Ok(half) => self.blocks.last_mut().expect("a block is open").halves.push(half),
            Err(fault) => self.damage(fault),
        }
    }

    /// A line that begins with a word.
    fn other(&mut self, line: &Piece<'t>) {
        let mut cursor = Cursor::new(line.text, line.span.start);
        let word = cursor.take_while(|c| c.is_ascii_alphabetic());
        let next = cursor.rest().chars().next();
        let blank = next.is_none_or(char::is_whitespace);
        if let Some(kind) = Kind::of(word.text).filter(|_| blank) {
            return self.header(kind, &word, cursor);
        }
        if next == Some('=') && WORDS[4..].contains(&word.text) {
            return self.id_line(&word, cursor);
        }
        let setting = SETTINGS.contains(&word.text) && matches!(next, Some('=' | '+'));
        let grouping = match word.text {
            "Chassis" => blank,
            "Hostname" => next == Some(':'),
            "Non" => line.text == "Non-Chassis Nodes",
            _ => false,
        };
        if setting || grouping {
            self.open = false;
            return;
        }
        match word.text {
            "include" if blank => self.unsupported(line, "another file (`include`)"),
            "do" if blank => self.unsupported(line, "a command to the simulator (`do`)"),
            "module" if next == Some('=') || blank => {
                self.unsupported(line, "a prefix of all ids (`module`)")
            }
            _ => self.unknown(line, &word),
        }
    }

    fn unknown(&mut self, line: &Piece<'t>, word: &Piece<'t>) {
        let shown = line.text.split_whitespace().next().unwrap_or_default();
        let message = format!("`{}` begins no line of a dump", quoted(shown));
        let expected = "a port in brackets, a node, one of its ids, a comment, or a blank line";
        let span = line.span.start..line.span.start + shown.len();
        let fault = Fault::new("unknown-line", span, message, expected);
        let fault = if self.hint() { fault.with_nearest(word.text, WORDS) } else { fault };
        self.damage(fault);
    }

    fn unsupported(&mut self, line: &Piece<'t>, what: &str) {
        let message = format!("{what} of ibsim's, which simnet does not follow");
        let help = "start ibsim on this file, and give simnet what ibnetdiscover then prints";
        let fault = Fault::new("ibsim-only", line.span.clone(), message, "nodes and cables, spelled out");
        self.damage(fault.with_help(help));
    }

    /// `vendid=0x2c9` and its like: the ids of the node whose header follows.
    fn id_line(&mut self, key: &Piece<'t>, mut cursor: Cursor<'t>) {
        (self.open, self.stray) = (false, false);
        if self.ids.seen.iter().any(|(seen, _)| *seen == key.text) {
            let message =
                format!("`{}` again, before the header of the node that the first was about", key.text);
            let expected = "`Switch`, `Ca` or `Rt` first";
            self.headless = true;
            self.damage(Fault::new("no-header", key.span.clone(), message, expected));
            self.ids = Ids::default();
        }
        self.ids.seen.push((key.text, key.span.clone()));
        cursor.take(1);
        match id_value(key, cursor) {
            Ok(value) if key.text.ends_with("guid") && key.text != "sysimgguid" => {
                if self.ids.guid.is_some() {
                    let message = "a second guid before a node's header";
                    self.fault(Fault::new(
                        "no-header",
                        key.span.clone(),
                        message,
                        "the node of the first guid",
                    ));
                }
                self.ids.guid = Some((key.text, value, key.span.clone()));
            }
            Ok(_) => {}
            Err(fault) => self.fault(fault),
        }
    }

    /// `Switch 36 "S-0002c90300000001"  # "spine 1" enhanced port 0 lid 4 lmc 0`.
    fn header(&mut self, kind: Kind, word: &Piece<'t>, mut cursor: Cursor<'t>) {
        (self.open, self.stray) = (true, false);
        let ids = std::mem::take(&mut self.ids);
        if let Some((key, _, span)) = ids.guid.as_ref().filter(|(key, ..)| *key != kind.guid_key()) {
            let message = format!("`{key}`, but the node that follows is a `{}`", word.text);
            let expected = format!("`{}`", kind.guid_key());
            self.fault(Fault::new("guid-kind", span.clone(), message, expected));
        }
        cursor.skip_blanks();
        let ports = ports(&mut cursor).map_err(|fault| self.fault(fault)).ok();
        cursor.skip_blanks();
        let id = cursor.id();
        let description = match &id {
            Ok(_) => description(cursor).map_err(|fault| self.fault(fault)).ok().flatten(),
            Err(_) => None,
        };
        let id = id.map_err(|fault| self.fault(fault)).ok();
        let named = id.as_ref().and_then(|id| guid_in_name(id.text));
        let guid = ids.guid.map(|(_, guid, _)| guid).or(named);
        self.blocks.push(Block { kind, id, ports, guid, description, halves: Vec::new(), damaged: false });
    }

    /// Ids at the end of the file belong to a node that was cut off.
    fn no_ids_left(&mut self, end: usize) {
        if let Some((key, span)) = self.ids.seen.last() {
            self.headless = true;
            let message = format!("the file ends before the node that `{key}` is about");
            let expected = "`Switch`, `Ca` or `Rt`, a number of ports and an id";
            self.fault(Fault::new("cut-off", span.start..end.max(span.end), message, expected));
        }
    }

    /// A guid is one node's.
    fn guids_differ(&mut self) {
        let mut owners: BTreeMap<u64, &str> = BTreeMap::new();
        let with_both = self.blocks.iter().filter_map(|block| block.guid.zip(block.id.as_ref()));
        for (guid, id) in with_both {
            let Some(other) = owners.insert(guid, id.text) else { continue };
            if other != id.text {
                let message = format!("the guid 0x{guid:016x} is also that of `{}`", quoted(other));
                self.faults.push(Fault::new("duplicate-guid", id.span.clone(), message, "a guid of its own"));
            }
        }
    }
}

/// The number behind the key of an id line: hex, or decimal digits as ibsim takes them.
fn id_value(key: &Piece<'_>, mut cursor: Cursor<'_>) -> Result<u64, Fault> {
    let expected = format!("`{}=0x` and hex digits", key.text);
    let hex = cursor.accept("0x") || cursor.accept("0X");
    let digits = cursor.take_while(|c| !c.is_whitespace() && c != '(' && c != '#');
    if digits.text.is_empty() {
        return Err(cursor.unexpected("bad-hex", &expected));
    }
    let value = match hex {
        true => guid(&digits)?,
        false => digits.text.parse().or_else(|_| {
            guid(&digits)?;
            let message = format!("`{}` without `0x`", quoted(digits.text));
            Err(Fault::new("bad-hex", digits.span.clone(), message, expected))
        })?,
    };
    cursor.guid_in_parentheses()?;
    cursor.skip_blanks();
    match cursor.rest().chars().next() {
        None | Some('#') => Ok(value),
        Some(_) => Err(cursor.unexpected("unexpected", "a comment or the line's end")),
    }
}

/// The number of ports in a header.
fn ports(cursor: &mut Cursor<'_>) -> Result<u16, Fault> {
    let expected = format!("how many ports the node has, 1 to {MOST_PORTS}");
    let digits = cursor.take_while(|c| c.is_ascii_digit());
    if digits.text.is_empty() {
        return Err(cursor.unexpected("port-count", &expected));
    }
    let count = digits.text.parse().ok().filter(|count| (1..=MOST_PORTS).contains(count));
    count.ok_or_else(|| {
        let message = format!("a node with {} ports", quoted(digits.text));
        Fault::new("port-count", digits.span, message, expected)
    })
}

/// The description in a header's comment: in quotes, or in ibsim's dialect up to what a switch's header ends
/// with.
fn description(mut cursor: Cursor<'_>) -> Result<Option<&str>, Fault> {
    cursor.skip_blanks();
    if cursor.rest().is_empty() {
        return Ok(None);
    }
    if !cursor.accept("#") {
        return Err(cursor.unexpected("unexpected", "`#` and a description, or the line's end"));
    }
    cursor.skip_blanks();
    let comment = cursor.remainder();
    let words = if comment.text.starts_with('"') {
        let close = comment.text.rfind('"').unwrap_or_default();
        if close == 0 {
            let start = comment.span.start;
            let message = "the quote that opens here is never closed";
            return Err(Fault::new(
                "unbalanced-quote",
                start..start + 1,
                message,
                "`\"` behind the description",
            ));
        }
        &comment.text[1..close]
    } else {
        let ends = [" enhanced port ", " base port ", " lid ", " lmc "];
        let end = ends.iter().filter_map(|end| comment.text.find(end)).min();
        comment.text[..end.unwrap_or(comment.text.len())].trim()
    };
    Ok(Some(words).filter(|words| !words.is_empty()))
}
