//! Text in Markdown and in XML.

use simnet_base::diagnostics::legible;

/// Writes a name so that it stays one in a paragraph or in a cell of a table, on one line and legible: it makes no
/// link, no code, no cell of its own and no HTML.
pub fn markdown(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in legible(name).chars() {
        if matches!(c, '|' | '<' | '`' | '[') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Writes text so that it stays text in an element and in an attribute, and legible: people read it.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in legible(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a name could end its cell or its line, or be taken for something else; or if a plain one were touched.
    #[test]
    fn names_stay_names() {
        let shown = "a \\| b\\n\\<b>\\[x](y) \\`c\\` \\u{202e}";
        assert_eq!(markdown("a | b\n<b>[x](y) `c` \u{202e}"), shown);
        assert_eq!(markdown("UD_DFS2b, C+A (3 of 4)*"), "UD_DFS2b, C+A (3 of 4)*");
    }

    /// Wrong if a text ended its element or its attribute, or was no XML.
    #[test]
    fn text_stays_text() {
        let hostile = "a</text>\"& b\u{7}\u{202e}é";
        let svg = format!("<text name=\"{0}\">{0}</text>", escaped(hostile));
        let document = roxmltree::Document::parse(&svg).unwrap();
        let shown = "a</text>\"& b\\u{7}\\u{202e}é";
        assert_eq!(document.root_element().text(), Some(shown));
        assert_eq!(document.root_element().attribute("name"), Some(shown));
    }
}
