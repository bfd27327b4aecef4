//! The line of one port: `[3] "S-0002c90300000001"[17]  # "spine 1" lid 4 4xEDR`.

use std::ops::Range;

use simnet_base::diagnostics::{Fault, quoted};
use simnet_base::units::BitRate;

use crate::topology::formats::kept::{Kept, Lids, Maker};

use super::line::{Cursor, Piece};
use super::rate;

/// A cable as one of its ends gives it.
#[derive(Clone, Debug)]
pub(super) struct Half<'t> {
    /// The port at this end.
    pub(super) port: u16,
    pub(super) port_span: Range<usize>,
    /// The id of the node at the other end.
    pub(super) peer: Piece<'t>,
    pub(super) peer_port: u16,
    pub(super) peer_port_span: Range<usize>,
    /// The rate that the comment gives, if it does.
    pub(super) rate: Option<BitRate>,
}

impl Half<'_> {
    /// Where the other end is given.
    pub(super) fn span(&self) -> Range<usize> {
        self.peer.span.start..self.peer_port_span.end
    }
}

/// Reads the line of a port.
///
/// # Errors
/// The first thing in it that is not as it should be; with the nearest spelling if `hint`.
pub(super) fn parse<'t>(line: &Piece<'t>, hint: bool) -> Result<Half<'t>, Fault> {
    let mut cursor = Cursor::new(line.text, line.span.start);
    let (port, port_span) = cursor.port()?;
    cursor.external_port()?;
    cursor.guid_in_parentheses()?;
    cursor.skip_blanks();
    let peer = cursor.id()?;
    cursor.skip_blanks();
    let (peer_port, peer_port_span) = cursor.port()?;
    cursor.external_port()?;
    cursor.skip_blanks();
    cursor.guid_in_parentheses()?;
    options(&mut cursor)?;
    let rate = if cursor.accept("#") { comment(cursor, hint)? } else { None };
    Ok(Half { port, port_span, peer, peer_port, peer_port_span, rate })
}

/// Passes over ibsim's `w=4` and its like: they say what a port may do, not what its link does.
fn options(cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    loop {
        cursor.skip_blanks();
        if cursor.rest().is_empty() || cursor.rest().starts_with('#') {
            return Ok(());
        }
        let mut word = Cursor::new(cursor.rest(), cursor.remainder().span.start);
        let key = word.take_while(|c| c.is_ascii_alphabetic());
        let known = ["w", "s", "e", "v"].contains(&key.text) && word.accept("=");
        if !known || word.take_while(|c| c.is_ascii_digit()).text.is_empty() {
            return Err(
                cursor.unexpected("unexpected", "`#` and a comment, `w=` or `s=` and a number, or nothing")
            );
        }
        *cursor = word;
    }
}

/// The rate in the comment of a port, if it is one of ibnetdiscover's: those are read as strictly as the
/// rest, since a file may end in one.
fn comment(mut cursor: Cursor<'_>, hint: bool) -> Result<Option<BitRate>, Fault> {
    cursor.skip_blanks();
    let whole = cursor.remainder();
    if !whole.text.starts_with('"') && !whole.text.starts_with("lid ") {
        return Ok(None);
    }
    // A description may hold anything, quotes and `#` included; nothing behind it holds a quote.
    let (Some(open), Some(close)) = (whole.text.find('"'), whole.text.rfind('"')) else {
        return Err(cut(&whole));
    };
    if open == close {
        let at = whole.span.start + open;
        let message = "the quote that opens here is never closed";
        return Err(Fault::new("unbalanced-quote", at..at + 1, message, "`\"` behind the description"));
    }
    cursor.take(close + 1);
    let tail = cursor.remainder();
    let mut words = tail.text.split_whitespace();
    if words.next() != Some("lid") {
        return Ok(None);
    }
    let (Some(_lid), Some(speed)) = (words.next(), words.next()) else {
        return Err(cut(&tail));
    };
    let start = tail.span.start + (speed.as_ptr().addr() - tail.text.as_ptr().addr());
    rate::parse(&Piece { text: speed, span: start..start + speed.len() }, hint)
}

fn cut(comment: &Piece<'_>) -> Fault {
    let message = format!("`{}` breaks off", quoted(comment.text.trim()));
    let expected = "a description in quotes, `lid`, its number and the link's width and speed";
    Fault::new("cut-comment", comment.span.end..comment.span.end, message, expected)
}

/// `[3]  "H-0002c90300000010"[1](2c90300000011)`: what stands between quotes, and behind it.
fn far_end(line: &str) -> Option<(u64, (String, u16))> {
    let mut cursor = Cursor::new(line, 0);
    cursor.port().ok()?;
    let mut cursor = Cursor::new(&line[line.find('"')?..], 0);
    let name = cursor.id().ok()?.text.to_owned();
    let (port, _) = cursor.port().ok()?;
    if cursor.rest().starts_with("[ext") {
        cursor.take_while(|c| c != ']');
        cursor.accept("]");
    }
    if !cursor.accept("(") {
        return None;
    }
    let digits = cursor.take_while(|c| c.is_ascii_hexdigit());
    Some((u64::from_str_radix(digits.text, 16).ok()?, (name, port)))
}

/// Reads what a dump says beyond the network in its sound lines.
pub(in crate::topology::formats) fn kept(text: &str) -> Kept {
    let mut kept = Kept::default();
    let (mut maker, mut name) = (Maker::default(), String::new());
    for line in text.lines().map(str::trim_end) {
        if let Some((key, number)) = line.split_once("=0x") {
            let number = u64::from_str_radix(number, 16).unwrap_or(0);
            match key {
                "vendid" => maker.vendor = number,
                "devid" => maker.device = number,
                "sysimgguid" => maker.system = Some(number),
                _ => {}
            }
        } else if let Some((id, behind)) = header(line) {
            kept.nodes.insert(id.to_owned(), std::mem::take(&mut maker));
            if id.starts_with('S') {
                kept.port(id, 0).lids = lids(behind);
            }
            id.clone_into(&mut name);
        } else if let Some((port, guid)) = near_end(line).filter(|_| !name.is_empty()) {
            let comment = line.split_once('#').map_or("", |(_, comment)| comment);
            let behind = comment.rsplit_once('"').map_or("", |(_, behind)| behind);
            let near = kept.port(&name, port);
            near.speed = behind.split_whitespace().nth(2).map(str::to_owned);
            if guid.is_some() {
                (near.guid, near.lids) = (guid, lids(comment));
            }
            if let Some((guid, (far, port))) = far_end(line) {
                // The line of the port itself has its lmc, too.
                let far = kept.port(&far, port);
                far.guid = Some(guid);
                far.lids = far.lids.or_else(|| lids(behind));
            }
        }
    }
    kept
}

/// `Switch 65 "S-2c5eab0300b87b40"  # "leaf" enhanced port 0 lid 73 lmc 0`: the name, and what is behind the
/// description.
fn header(line: &str) -> Option<(&str, &str)> {
    let is_header =
        ["Switch", "Ca", "Hca", "Rt"].iter().any(|word| line.split_whitespace().next() == Some(word));
    let id = line.split('"').nth(1).filter(|_| is_header)?;
    Some((id, line.rsplit_once('"')?.1))
}

/// `[1](2c5eab0300b87b50)`: the port, and its guid if it has one.
fn near_end(line: &str) -> Option<(u16, Option<u64>)> {
    let (port, rest) = line.strip_prefix('[')?.split_once(']')?;
    let rest = rest.strip_prefix("[ext").and_then(|rest| rest.split_once(']')).map_or(rest, |(_, rest)| rest);
    let guid = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    Some((port.trim().parse().ok()?, guid.and_then(|(guid, _)| u64::from_str_radix(guid, 16).ok())))
}

/// `lid 73 lmc 0`, wherever it begins; the lmc is 0 where it is not said.
fn lids(text: &str) -> Option<Lids> {
    let mut words = text.split_whitespace();
    words.find(|word| *word == "lid")?;
    let base = words.next()?.parse().ok().filter(|lid| *lid > 0)?;
    let lmc = if words.next() == Some("lmc") { words.next()?.parse().ok()? } else { 0 };
    Some(Lids { base, lmc })
}
