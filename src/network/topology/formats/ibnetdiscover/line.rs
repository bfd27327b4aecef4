//! One line under a cursor that knows its place in the file.

use std::ops::Range;

use simnet_base::diagnostics::{Fault, quoted};

/// The rest of a line, read from left to right. Offsets are those of the whole text.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'t> {
    rest: &'t str,
    at: usize,
}

/// A piece of the text and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Piece<'t> {
    pub(super) text: &'t str,
    pub(super) span: Range<usize>,
}

impl<'t> Cursor<'t> {
    /// A cursor before `line`, which begins at `at`.
    pub(super) fn new(line: &'t str, at: usize) -> Cursor<'t> {
        Cursor { rest: line, at }
    }

    /// What is still to be read.
    pub(super) fn rest(&self) -> &'t str {
        self.rest
    }

    /// All that is still to be read, as a piece.
    pub(super) fn remainder(&self) -> Piece<'t> {
        Piece { text: self.rest, span: self.at..self.at + self.rest.len() }
    }

    /// Takes `bytes` bytes, which end at a character's end.
    pub(super) fn take(&mut self, bytes: usize) -> Piece<'t> {
        let (text, rest) = self.rest.split_at(bytes);
        let span = self.at..self.at + bytes;
        (self.rest, self.at) = (rest, span.end);
        Piece { text, span }
    }

    /// Takes what comes before the first character that `wanted` does not hold for.
    pub(super) fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> Piece<'t> {
        let bytes = self.rest.find(|c: char| !wanted(c)).unwrap_or(self.rest.len());
        self.take(bytes)
    }

    /// Passes over blanks.
    pub(super) fn skip_blanks(&mut self) {
        self.take_while(char::is_whitespace);
    }

    /// Passes over `text` if it comes next.
    pub(super) fn accept(&mut self, text: &str) -> bool {
        let comes = self.rest.starts_with(text);
        if comes {
            self.take(text.len());
        }
        comes
    }

    /// A fault about what comes next: one character, or the line's end.
    pub(super) fn unexpected(&self, code: &'static str, expected: &str) -> Fault {
        let length = self.rest.chars().next().map_or(0, char::len_utf8);
        let message = match self.rest.is_empty() {
            true => "the line ends here".to_owned(),
            false => {
                format!("`{}` stands here", quoted(self.rest.split_whitespace().next().unwrap_or_default()))
            }
        };
        Fault::new(code, self.at..self.at + length, message, expected)
    }

    /// A port's number in brackets.
    ///
    /// # Errors
    /// No bracket, no number in it or one beyond 16 bits, no bracket behind it.
    pub(super) fn port(&mut self) -> Result<(u16, Range<usize>), Fault> {
        let expected = "a port in brackets, such as [12]";
        if !self.accept("[") {
            return Err(self.unexpected("port-number", expected));
        }
        let digits = self.take_while(|c| c.is_ascii_digit());
        let Ok(number) = digits.text.parse::<u16>() else {
            if digits.text.is_empty() {
                return Err(self.unexpected("port-number", expected));
            }
            let message = format!("no port has the number {}", quoted(digits.text));
            return Err(Fault::new("port-number", digits.span, message, expected));
        };
        if !self.accept("]") {
            return Err(self.unexpected("unbalanced-bracket", "`]` after the port's number"));
        }
        Ok((number, digits.span))
    }

    /// A node's id in quotes.
    ///
    /// # Errors
    /// No quote, none at the other end, nothing between them, a guid taken out or misspelt.
    pub(super) fn id(&mut self) -> Result<Piece<'t>, Fault> {
        let expected = "a node's id in quotes, such as \"S-0002c90300000001\"";
        if !self.rest.starts_with('"') {
            return Err(self.unexpected("node-id", expected));
        }
        // No id holds a `#`: then the next quote is that of the comment.
        let length = self.rest[1..].find(['"', '#']).filter(|at| self.rest[1 + at..].starts_with('"'));
        let Some(length) = length else {
            let message = "the quote that opens here is never closed";
            return Err(Fault::new("unbalanced-quote", self.at..self.at + 1, message, "`\"` behind the id"));
        };
        self.take(1);
        let id = self.take(length);
        self.take(1);
        checked_id(id)
    }

    /// The hex digits of a guid in parentheses, if a parenthesis opens here.
    ///
    /// # Errors
    /// Anything but 1 to 16 hex digits, and no parenthesis behind them.
    pub(super) fn guid_in_parentheses(&mut self) -> Result<Option<u64>, Fault> {
        if !self.accept("(") {
            return Ok(None);
        }
        let inside = self.take_while(|c| c != ')' && !c.is_whitespace());
        if !self.accept(")") {
            return Err(self.unexpected("unbalanced-bracket", "`)` after the guid"));
        }
        guid(&inside).map(Some)
    }

    /// The external port of a chassis, `[ext 7]`, if it comes next.
    ///
    /// # Errors
    /// No number in it, no bracket behind it.
    pub(super) fn external_port(&mut self) -> Result<(), Fault> {
        let mut ahead = self.clone();
        ahead.skip_blanks();
        if !ahead.accept("[ext") {
            return Ok(());
        }
        ahead.skip_blanks();
        let digits = ahead.take_while(|c| c.is_ascii_digit());
        if digits.text.is_empty() {
            return Err(ahead.unexpected("port-number", "the number of an external port, such as [ext 7]"));
        }
        if !ahead.accept("]") {
            return Err(ahead.unexpected("unbalanced-bracket", "`]` after the external port"));
        }
        *self = ahead;
        Ok(())
    }
}

/// A guid without `0x`.
pub(super) fn guid(digits: &Piece<'_>) -> Result<u64, Fault> {
    let hex = digits.text.bytes().all(|digit| digit.is_ascii_hexdigit());
    let parsed = u64::from_str_radix(digits.text, 16).ok().filter(|_| hex && digits.text.len() <= 16);
    parsed.ok_or_else(|| {
        if digits.text.contains('<') {
            return redacted(digits);
        }
        let message = format!("`{}` is not a guid", quoted(digits.text));
        Fault::new("bad-hex", digits.span.clone(), message, "1 to 16 hex digits")
    })
}

fn redacted(piece: &Piece<'_>) -> Fault {
    let message = format!("a guid was taken out of this file: `{}`", quoted(piece.text));
    let help = "put a guid of its own, even a made-up one, in the place of each that was taken out";
    Fault::new("redacted", piece.span.clone(), message, "the guid itself").with_help(help)
}

/// Whether an id that looks as if made of a guid is made of one.
fn checked_id(id: Piece<'_>) -> Result<Piece<'_>, Fault> {
    if id.text.is_empty() || id.text.chars().any(char::is_control) {
        let message = "an id with nothing in it, or with a control character";
        return Err(Fault::new("node-id", id.span, message, "a name that can be printed"));
    }
    let tail = ["S-", "H-", "R-"].iter().find_map(|prefix| id.text.strip_prefix(prefix)).unwrap_or(id.text);
    if tail.starts_with('<') && tail.ends_with('>') {
        return Err(redacted(&id));
    }
    if tail.len() == id.text.len() || !tail.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Ok(id);
    }
    // A name of ibsim may be short or hold hex digits by chance; this many of them are meant as a guid.
    let hex = tail.bytes().filter(u8::is_ascii_hexdigit).count();
    let others = tail.len() - hex;
    let meant = hex >= 12 && others <= if tail.len() == 16 { 4 } else { 2 };
    if !meant || (hex == 16 && others == 0) {
        return Ok(id);
    }
    let message = format!("`{}` holds no guid", quoted(id.text));
    Err(Fault::new("bad-hex", id.span, message, format!("16 hex digits behind `{}`", &id.text[..2])))
}
