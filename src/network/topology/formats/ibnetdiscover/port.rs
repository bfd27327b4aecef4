//! The line of one port: `[3] "S-0002c90300000001"[17]  # "spine 1" lid 4 4xEDR`.

use std::collections::BTreeMap;
use std::ops::Range;

use simnet_base::diagnostics::{Fault, quoted};
use simnet_base::units::BitRate;

use crate::topology::formats::Lids;

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

/// The node's name and the port by the port's guid, of all ports whose guids a sound dump has at the far ends of
/// cables; a network does not keep them.
pub(in crate::topology::formats) fn port_guids(text: &str) -> BTreeMap<u64, (String, u16)> {
    text.lines().filter_map(|line| far_end(line.trim())).collect()
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

/// The lids by guid, as a dump of a running subnet has them: those of switches at the ends of their headers, those of
/// other ports in the comments of their cables; empty where none has one.
pub(in crate::topology::formats) fn lids(text: &str) -> BTreeMap<u64, Lids> {
    let switch = |line: &str| {
        let (_, id) = line.strip_prefix("Switch")?.split_once("\"S-")?;
        Some((id.get(..16)?.to_owned(), line.rsplit_once('"')?.1.to_owned()))
    };
    let port = |line: &str| {
        let (_, guid) = line.strip_prefix('[')?.split_once("](")?;
        Some((guid.split_once(')')?.0.to_owned(), line.split_once('#')?.1.to_owned()))
    };
    let read = |(guid, words): (String, String)| {
        let mut words = words.split_whitespace();
        words.find(|word| *word == "lid")?;
        let base = words.next()?.parse().ok().filter(|lid| *lid > 0)?;
        let lmc = if words.next() == Some("lmc") { words.next()?.parse().ok()? } else { 0 };
        Some((u64::from_str_radix(&guid, 16).ok()?, Lids { base, lmc }))
    };
    text.lines().filter_map(|line| switch(line).or_else(|| port(line))).filter_map(read).collect()
}
