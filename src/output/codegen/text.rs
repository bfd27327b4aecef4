//! Pieces of C: texts that no name can break out of, tables, templates.

use std::fmt::Write as _;

/// The longest name that is written out; no system has host names of more than 255 bytes.
const LONGEST_NAME: usize = 255;

/// The columns that a table fills.
const COLUMNS: usize = 100;

/// A text as a C string literal of printable ASCII, the bytes of its UTF-8 being what it stands for; `NULL` for
/// one that is longer than any host's name, which C need not take, or that C would cut short.
///
/// Question marks are escaped, since `??/` and its like are trigraphs; other bytes are three octal digits, which
/// no digit behind them can lengthen.
pub(super) fn literal(text: &str) -> String {
    if text.len() > LONGEST_NAME || text.contains('\0') {
        return "NULL".to_owned();
    }
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | b'?' => quoted.extend(['\\', char::from(byte)]),
            b' '..=b'~' => quoted.push(char::from(byte)),
            _ => write!(quoted, "\\{byte:03o}").expect("a String takes all"),
        }
    }
    quoted.push('"');
    quoted
}

/// A text for a comment: what could end it, or be seen as something else than it is, becomes `_`; cut off where
/// it would leave the line.
pub(super) fn remark(text: &str) -> String {
    let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || " .,:;_-+=@#()[]".contains(*letter);
    let most = COLUMNS - 20;
    let kept = text.chars().take(most).map(|letter| if is_plain(&letter) { letter } else { '_' });
    let cut = if text.chars().nth(most).is_some() { "..." } else { "" };
    kept.chain(cut.chars()).collect()
}

/// Entries of a table with commas behind them, as many a line as fit, four blanks before each line.
pub(super) fn table(entries: impl IntoIterator<Item = String>) -> String {
    let mut text = String::new();
    let mut column = 0;
    for entry in entries {
        if column > 0 && column + entry.len() + 2 > COLUMNS {
            text.push('\n');
            column = 0;
        }
        let gap = if column == 0 { "    " } else { " " };
        text.extend([gap, &entry, ","]);
        column += gap.len() + entry.len() + 1;
    }
    text.push('\n');
    text
}

/// Fills in a template: `@name@` becomes what `values` has for `name`, and is not looked at again; `@@` is one `@`.
///
/// # Panics
/// If the template asks for something that `values` does not have.
pub(super) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::with_capacity(template.len());
    for (nth, piece) in template.split('@').enumerate() {
        if nth % 2 == 0 {
            text.push_str(piece);
        } else if piece.is_empty() {
            text.push('@');
        } else {
            let value = values.iter().find(|(name, _)| *name == piece);
            text.push_str(value.expect("a template of this program asks for what there is").1);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a name could end its literal, form a trigraph, or run into the digits behind it.
    #[test]
    fn no_name_breaks_out_of_its_literal() {
        assert_eq!(literal("c00"), "\"c00\"");
        assert_eq!(literal("a\"b\\c"), "\"a\\\"b\\\\c\"");
        assert_eq!(literal("??/"), "\"\\?\\?/\"");
        assert_eq!(literal("\n7\u{e9}"), "\"\\0127\\303\\251\"");
        assert_eq!(literal("a\0b"), "NULL");
        assert_eq!(literal(&"x".repeat(256)), "NULL");
    }

    /// Wrong if a name could end a comment, begin another, or go on to the next line.
    #[test]
    fn no_name_breaks_out_of_a_comment() {
        assert_eq!(remark("a*/ b /* c \\\n?? \u{202e}d"), "a__ b __ c ____ _d");
        assert_eq!(remark(&"n".repeat(100)), format!("{}...", "n".repeat(80)));
    }

    /// Wrong if a line grew beyond its columns, or what was filled in were filled in again.
    #[test]
    fn tables_wrap_and_templates_are_filled_once() {
        let text = table((0..60).map(|n| n.to_string()));
        assert!(text.lines().count() == 3 && text.lines().all(|line| line.len() <= 100), "{text}");
        let values = [("a", "@b@"), ("b", "no")];
        assert_eq!(fill("x @a@ y $@@", &values), "x @b@ y $@");
    }
}
