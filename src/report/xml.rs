//! Text in XML.

use crate::diagnostics::legible;

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
