//! The one escaper of all that is printed: what a terminal would obey, and what would mislead a reader, is shown as a
//! visible escape.
//!
//! A line break becomes `\n`, the override of the direction of writing `\u{202e}`, a byte of a path that is no UTF-8
//! `\xff`. A backslash stays what it is, so that what is escaped twice is escaped once: such text is for reading, and
//! JSON has the exact one.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::path::Path;

/// Invisible characters but control characters: Unicode's ignorable characters (with them whatever turns the direction
/// of writing, joins, fills without width, selects variants or tags), separators of lines and paragraphs, what
/// annotates between lines, noncharacters of the first plane.
const HIDDEN: [(char, char); 22] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{2800}', '\u{2800}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fdd0}', '\u{fdef}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{fffe}', '\u{ffff}'),
    ('\u{1107f}', '\u{1107f}'),
    ('\u{13430}', '\u{13455}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// Whether a character is printed as an escape: a control character, or an invisible one.
pub fn is_hidden(c: char) -> bool {
    match c {
        ' '..='~' => false,
        c if c.is_control() => true,
        c if u32::from(c) & 0xfffe == 0xfffe => true,
        c => HIDDEN.iter().any(|(first, last)| (*first..=*last).contains(&c)),
    }
}

/// The text on one line, with an escape in the place of every hidden character.
pub fn legible(text: &str) -> Cow<'_, str> {
    escaped(text, is_hidden)
}

/// The same of a text of several lines: line breaks and tabs stay.
pub fn legible_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_hidden(c) && c != '\n' && c != '\t')
}

/// A text in JSON with hidden characters written as JSON's own escapes: it means the same.
pub fn legible_json(json: &str) -> Cow<'_, str> {
    within_strings(json, |out, c| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    })
}

/// The same of a text in TOML whose strings have line breaks as escapes.
pub fn legible_toml(toml: &str) -> Cow<'_, str> {
    within_strings(toml, |out, c| {
        let _ = match u32::from(c) {
            point @ ..=0xffff => write!(out, "\\u{point:04x}"),
            point => write!(out, "\\U{point:08x}"),
        };
    })
}

/// A text with escapes for the hidden characters in its strings, which are all but those below a blank: in strings
/// these are escaped already, and outside they are layout.
fn within_strings(text: &str, escape: impl Fn(&mut String, char)) -> Cow<'_, str> {
    let is_escaped = |c: char| c >= ' ' && is_hidden(c);
    if !text.contains(is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_escaped(c) {
            true => escape(&mut out, c),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// A path as messages show it: legible, with every byte that is no UTF-8 as `\xff`.
pub fn shown(path: &(impl AsRef<Path> + ?Sized)) -> Shown<'_> {
    Shown(path.as_ref())
}

/// A path that prints as [`shown`] says.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a>(&'a Path);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.as_os_str().as_encoded_bytes().utf8_chunks() {
            f.write_str(&legible(chunk.valid()))?;
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_escaped(c) {
            true => out.extend(c.escape_default()),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Characters that a terminal obeys or that mislead, each of another kind.
    const HOSTILE: &str = "\0\u{7}\u{8}\u{1b}\r\u{7f}\u{85}\u{9b}\u{61c}\u{200b}\u{200e}\u{2028}\u{2029}\u{202e}\
        \u{2060}\u{2066}\u{2069}\u{feff}\u{fff9}\u{ffff}\u{1fffe}\u{e0041}\u{e01ef}";

    /// Wrong if a hidden character got through, or another than a hidden one were changed.
    #[test]
    fn hidden_characters_are_escaped_and_no_others() {
        assert!(HOSTILE.chars().all(is_hidden));
        assert!(legible(HOSTILE).chars().all(|c| c.is_ascii_graphic()), "{}", legible(HOSTILE));
        assert_eq!(legible("a\u{1b}[31m\n\t\u{202e}"), "a\\u{1b}[31m\\n\\t\\u{202e}");
        let plain =
            "s0:3 -> \"C1.0\" \\ 5 \u{b5}s, \u{e4}\u{6f22}\u{5b57} \u{5d0}\u{5d1} \u{1f600} \u{fffd}\u{a0}";
        assert!(matches!(legible(plain), Cow::Borrowed(text) if text == plain));
        assert_eq!(legible_lines("a\n\tb\r\n"), "a\n\tb\\r\n");
    }

    /// Wrong if what is escaped once were escaped again, as it would be on the way through several hands.
    #[test]
    fn to_escape_twice_is_to_escape_once() {
        let once = legible(HOSTILE).into_owned();
        assert_eq!(legible(&once), once);
        assert_eq!(legible_lines(&once), once);
    }

    /// Wrong if JSON came to mean something else, or kept a hidden character.
    #[test]
    fn json_stays_equal() {
        let value = serde_json::json!({ HOSTILE: [HOSTILE, 1.5, null], "plain \\u202e": "\u{e4}" });
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            let safe = legible_json(&text);
            assert!(!safe.contains(|c| is_hidden(c) && c != '\n'), "{safe}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).unwrap(), value);
        }
    }

    /// Wrong if a path hid a byte, or two paths looked like one.
    #[cfg(unix)]
    #[test]
    fn paths_show_every_byte() {
        use std::os::unix::ffi::OsStrExt as _;
        let path = Path::new(std::ffi::OsStr::from_bytes(b"r\xff\n\xe2\x80\xae/\xc3\xa4.toml"));
        assert_eq!(shown(path).to_string(), "r\\xff\\n\\u{202e}/\u{e4}.toml");
    }
}
