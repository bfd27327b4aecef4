//! Text in Markdown.

use crate::diagnostics::legible;

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
}
