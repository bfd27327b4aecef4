//! XML as far as GraphML needs it: roxmltree behind bounds, its errors as faults with places.

use std::ops::Range;

use roxmltree::{Document, Node, ParsingOptions, TextPos};

use simnet_base::diagnostics::Fault;

/// The most attributes of a tag, since each is compared with all others; GraphML has six at most.
const MOST_ATTRIBUTES: usize = 256;
/// The most namespaces of a file, since every element that declares one holds all in scope.
const MOST_NAMESPACES: usize = 4_096;

/// Whether a text begins as XML does.
pub(in crate::topology::formats) fn recognises(text: &str) -> bool {
    let tag =
        |rest: &str| rest.starts_with(|c: char| matches!(c, '?' | '!' | '_' | ':') || c.is_alphabetic());
    text.trim_start().strip_prefix('<').is_some_and(tag)
}

/// Whether an XML declaration says that the text is in latin-1.
pub(in crate::topology::formats) fn declares_latin1(text: &str) -> bool {
    let Some(declaration) = text.trim_start().strip_prefix("<?xml").and_then(|rest| rest.split("?>").next())
    else {
        return false;
    };
    let declaration = declaration.to_ascii_lowercase();
    ["iso-8859-1", "latin1", "latin-1", "windows-1252"].iter().any(|name| declaration.contains(name))
}

/// Parses a document.
///
/// # Errors
/// The first place where the text is not XML, or is more than a graph needs: a document type, a tag of very
/// many attributes.
pub(super) fn parse(text: &str) -> Result<Document<'_>, Vec<Fault>> {
    let refused = |fault| Err(vec![fault]);
    if let Some(tag) = long_tag(text) {
        let message = format!("this tag has more than {MOST_ATTRIBUTES} attributes");
        return refused(Fault::new("syntax", tag..tag + 1, message, "a tag of GraphML"));
    }
    if text.matches("xmlns").count() > MOST_NAMESPACES {
        let message = format!("the file declares more than {MOST_NAMESPACES} namespaces");
        return refused(Fault::new("syntax", 0..0, message, "GraphML"));
    }
    let options = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).or_else(|error| {
        let nowhere = TextPos::new(1, 1);
        // What has no place of its own is missing at the end.
        let start = if error.pos() == nowhere { text.trim_end().len() } else { offset(text, error.pos()) };
        let end = start + text[start..].chars().next().map_or(0, char::len_utf8);
        if matches!(error, roxmltree::Error::DtdDetected) {
            let start = text.find("<!DOCTYPE").unwrap_or(0);
            let message = "the file has a document type, and nothing that it names is fetched or expanded";
            let fault =
                Fault::new("doctype", start..(start + 9).min(text.len()), message, "GraphML without one");
            return refused(fault.with_help("take the `<!DOCTYPE ...>` out"));
        }
        let message = error.to_string();
        // The place is reported separately.
        let message = message.split(" at ").next().unwrap_or_default().replace('\n', " ");
        refused(Fault::new("syntax", start..end, message, "XML up to here"))
    })
}

/// Where a tag begins that has too many attributes, if one does. Counts equals signs in front of quotes, so
/// that it may count too many inside of texts, but never too few.
fn long_tag(text: &str) -> Option<usize> {
    let (mut tag, mut count, mut before) = (0, 0, b' ');
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' => (tag, count) = (at, 0),
            b'"' | b'\'' if before == b'=' => count += 1,
            _ => {}
        }
        if count > MOST_ATTRIBUTES {
            return Some(tag);
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
    }
    None
}

/// The byte at a line and a column in characters, both from 1.
fn offset(text: &str, place: TextPos) -> usize {
    let lines = text.split_inclusive('\n').take((place.row as usize).saturating_sub(1));
    let start = lines.map(str::len).sum::<usize>();
    let columns = text[start..].char_indices().nth((place.col as usize).saturating_sub(1));
    columns.map_or(text.len(), |(at, _)| start + at)
}

/// The elements right below one that are of the same vocabulary.
pub(super) fn children<'d>(element: Node<'d, 'd>) -> impl Iterator<Item = Node<'d, 'd>> {
    let vocabulary = element.tag_name().namespace();
    element.children().filter(move |child| child.is_element() && child.tag_name().namespace() == vocabulary)
}

/// All text right below an element.
pub(super) fn text(element: Node<'_, '_>) -> String {
    element.children().filter_map(|child| child.text().filter(|_| child.is_text())).collect()
}

/// Where the beginning of an element's tag stands: its first bracket and its name.
pub(super) fn tag(element: Node<'_, '_>) -> Range<usize> {
    let range = element.range();
    let text = &element.document().input_text()[range.clone()];
    let name = text.find(|c: char| c.is_whitespace() || c == '>' || c == '/').unwrap_or(text.len());
    range.start..range.start + name
}
