//! As much of YAML as people and scripts write: blocks of keys and of lists, plain and quoted scalars on one line,
//! lists in brackets, comments. What else YAML has (anchors, tags, scalars of several lines, several documents) is a
//! fault that says so.

use std::ops::Range;

use simnet_base::diagnostics::{Fault, quoted};

use super::lines::{Word, lines};
use super::tree::{Entry, Kind, Value};

/// How deep blocks may be in blocks.
const DEEPEST: usize = 24;

/// Parses a text into values with places; of a text without a value the list is empty.
///
/// # Errors
/// The first place that is not of this part of YAML: after it indentation means nothing.
pub(super) fn parse(text: &str) -> Result<Value, Vec<Fault>> {
    let mut parser = Parser { lines: Vec::new(), at: 0 };
    parser.split(text).map_err(|fault| vec![fault])?;
    if parser.lines.is_empty() {
        return Ok(Value { span: 0..0, kind: Kind::List(Vec::new()) });
    }
    let indent = parser.lines[0].indent;
    let value = parser.block(indent, 0).map_err(|fault| vec![fault])?;
    match parser.lines.get(parser.at) {
        None => Ok(value),
        Some(line) => Err(vec![misplaced(line.content)]),
    }
}

/// A line with something on it.
#[derive(Clone, Copy)]
struct Line<'t> {
    indent: usize,
    /// Without blanks around it and the comment behind it.
    content: Word<'t>,
}

struct Parser<'t> {
    lines: Vec<Line<'t>>,
    at: usize,
}

fn misplaced(content: Word<'_>) -> Fault {
    let first = content.text.split_whitespace().next().unwrap_or_default();
    let message = format!("`{}` is indented as nothing above it", quoted(first));
    Fault::new(
        "syntax",
        content.start..content.start + first.len(),
        message,
        "blanks as many as before its neighbours",
    )
}

fn unsupported(span: Range<usize>, what: &str) -> Fault {
    let message = format!("simnet reads no {what} of YAML");
    Fault::new("syntax", span, message, "keys, lists, and values on one line")
}

impl<'t> Parser<'t> {
    fn split(&mut self, text: &'t str) -> Result<(), Fault> {
        let mut documents = 0;
        for line in lines(text) {
            let indent = line.text.len() - line.text.trim_start_matches(' ').len();
            let content = line.text[indent..].trim_end();
            let content = Word { text: content[..comment(content)].trim_end(), start: line.start + indent };
            match content.text {
                "" => continue,
                "---" if indent == 0 => documents += 1,
                "..." if indent == 0 => break,
                _ if content.text.starts_with('\t') => {
                    let message = "a tab where blanks are counted";
                    return Err(Fault::new("syntax", content.start..content.start + 1, message, "blanks"));
                }
                _ => self.lines.push(Line { indent, content }),
            }
            if content.text == "---" && (documents > 1 || !self.lines.is_empty()) {
                return Err(unsupported(content.span(), "second document"));
            }
        }
        Ok(())
    }

    fn here(&self) -> Option<Line<'t>> {
        self.lines.get(self.at).copied()
    }

    /// The value that begins at the current line, which is indented by `indent`.
    fn block(&mut self, indent: usize, depth: usize) -> Result<Value, Fault> {
        let line = self.here().expect("a block has a line");
        if depth > DEEPEST {
            return Err(unsupported(line.content.span(), "deeper nesting"));
        }
        if is_item(line.content.text) {
            return self.list(indent, depth);
        }
        if key_of(line.content).is_some() {
            return self.table(indent, depth);
        }
        self.at += 1;
        scalar(line.content)
    }

    fn list(&mut self, indent: usize, depth: usize) -> Result<Value, Fault> {
        let start = self.here().expect("a list has a line").content.start;
        let (mut items, mut end) = (Vec::new(), start);
        while let Some(line) = self.here().filter(|line| line.indent == indent && is_item(line.content.text))
        {
            let rest = line.content.text[1..].trim_start();
            let inner = line.content.text.len() - rest.len();
            let item = if rest.is_empty() {
                self.at += 1;
                self.below(indent, depth, line.content)?
            } else {
                // What follows the dash is a block of its own, as far in as it stands.
                let content = Word { text: rest, start: line.content.start + inner };
                self.lines[self.at] = Line { indent: indent + inner, content };
                self.block(indent + inner, depth + 1)?
            };
            end = item.span.end;
            items.push(item);
        }
        self.ended(indent)?;
        Ok(Value { span: start..end, kind: Kind::List(items) })
    }

    fn table(&mut self, indent: usize, depth: usize) -> Result<Value, Fault> {
        let start = self.here().expect("a table has a line").content.start;
        let (mut entries, mut end): (Vec<Entry>, usize) = (Vec::new(), start);
        while let Some(line) = self.here().filter(|line| line.indent == indent && !is_item(line.content.text))
        {
            let Some((key, rest)) = key_of(line.content) else {
                let expected = "a key, a colon and a value";
                return Err(Fault::new("syntax", line.content.span(), "a value where keys stand", expected));
            };
            self.at += 1;
            let value = match rest.text {
                "" => self.below_key(indent, depth, key)?,
                _ => scalar(rest)?,
            };
            end = value.span.end;
            let key_text = key.text.trim_matches(['"', '\'']).to_owned();
            entries.push(Entry { key: key_text, key_span: key.span(), value });
        }
        self.ended(indent)?;
        Ok(Value { span: start..end, kind: Kind::Table(entries) })
    }

    /// The block further in than `indent`; nothing where there is none.
    fn below(&mut self, indent: usize, depth: usize, above: Word<'t>) -> Result<Value, Fault> {
        match self.here() {
            Some(line) if line.indent > indent => self.block(line.indent, depth + 1),
            _ => Ok(Value { span: above.span(), kind: Kind::Other("nothing") }),
        }
    }

    /// The same behind a key, where a list may stand no further in than the key.
    fn below_key(&mut self, indent: usize, depth: usize, key: Word<'t>) -> Result<Value, Fault> {
        match self.here() {
            Some(line) if line.indent == indent && is_item(line.content.text) => self.list(indent, depth + 1),
            _ => self.below(indent, depth, key),
        }
    }

    /// Whether the next line is no further in than a block that ends here.
    fn ended(&self, indent: usize) -> Result<(), Fault> {
        match self.here() {
            Some(line) if line.indent > indent => Err(misplaced(line.content)),
            _ => Ok(()),
        }
    }
}

fn is_item(content: &str) -> bool {
    content == "-" || content.starts_with("- ")
}

/// Where the comment of a line begins: at a `#` that nothing or a blank is before, outside of quotes.
fn comment(line: &str) -> usize {
    let (mut quote, mut before) = (None, ' ');
    for (at, c) in line.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '#' && before.is_whitespace() => return at,
            // A quote in the middle of a plain scalar is no quote.
            None if matches!(c, '"' | '\'')
                && (before.is_whitespace() || matches!(before, '[' | ',' | ':')) =>
            {
                quote = Some(c);
            }
            None => {}
        }
        before = c;
    }
    line.len()
}

/// The key of a line, and what stands behind its colon.
fn key_of(content: Word<'_>) -> Option<(Word<'_>, Word<'_>)> {
    let text = content.text;
    let from = match text.chars().next()? {
        quote @ ('"' | '\'') => 1 + text[1..].find(quote)?,
        '[' | '{' => return None,
        _ => 0,
    };
    let colon = text
        .match_indices(':')
        .map(|(at, _)| at)
        .find(|at| *at >= from && text[at + 1..].chars().next().is_none_or(char::is_whitespace))?;
    let key = text[..colon].trim_end();
    let rest = text[colon + 1..].trim_start();
    let start = content.start + (text.len() - rest.len());
    (!key.is_empty()).then_some((Word { text: key, start: content.start }, Word { text: rest, start }))
}

/// A value on one line.
fn scalar(word: Word<'_>) -> Result<Value, Fault> {
    let text = word.text;
    let first = text.chars().next().unwrap_or_default();
    let kind = match first {
        '"' | '\'' => return quoted_scalar(word, first),
        '[' => return list_in_brackets(word),
        '{' => return Err(unsupported(word.start..word.start + 1, "keys in braces")),
        '&' | '*' | '!' => return Err(unsupported(word.span(), "anchors, aliases and tags")),
        '|' | '>' => return Err(unsupported(word.span(), "values of several lines")),
        '%' | '@' | '`' => return Err(unsupported(word.span(), "directives and reserved signs")),
        _ => match text {
            "true" | "True" | "TRUE" => Kind::Truth(true),
            "false" | "False" | "FALSE" => Kind::Truth(false),
            "null" | "~" => Kind::Other("nothing"),
            _ => text.parse().map_or_else(|_| Kind::Text(text.to_owned()), Kind::Integer),
        },
    };
    Ok(Value { span: word.span(), kind })
}

fn quoted_scalar(word: Word<'_>, quote: char) -> Result<Value, Fault> {
    let inside = word.text[1..].strip_suffix(quote).filter(|inside| !inside.contains(quote));
    match inside {
        Some(inside) if quote == '\'' || !inside.contains('\\') => {
            Ok(Value { span: word.start + 1..word.span().end - 1, kind: Kind::Text(inside.to_owned()) })
        }
        Some(_) => Err(unsupported(word.span(), "escapes in quotes")),
        None => {
            let message = "this quote is not closed, or something follows it";
            Err(Fault::new("syntax", word.start..word.start + 1, message, "a quote at the value's end"))
        }
    }
}

fn list_in_brackets(word: Word<'_>) -> Result<Value, Fault> {
    let Some(inside) = word.text[1..].strip_suffix(']') else {
        let message = "this bracket is not closed on its line";
        return Err(Fault::new("syntax", word.start..word.start + 1, message, "`]` at the list's end"));
    };
    // Brackets of lists of names in it have commas of their own.
    let (mut items, mut from, mut depth) = (Vec::new(), 0, 0_u32);
    for (at, byte) in inside.bytes().chain([b',']).enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 || at == inside.len() => {
                let item = &inside[from..at];
                let text = item.trim();
                let start = word.start + 1 + from + (item.len() - item.trim_start().len());
                if !text.is_empty() {
                    items.push(scalar_in_list(Word { text, start })?);
                }
                from = at + 1;
            }
            _ => {}
        }
    }
    Ok(Value { span: word.span(), kind: Kind::List(items) })
}

fn scalar_in_list(word: Word<'_>) -> Result<Value, Fault> {
    match word.text.starts_with('[') {
        true => Err(unsupported(word.span(), "lists in lists in brackets")),
        false => scalar(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value as JSON would have it.
    fn shown(value: &Value) -> String {
        match &value.kind {
            Kind::Integer(number) => number.to_string(),
            Kind::Number(number) => number.clone(),
            Kind::Text(text) => format!("{text:?}"),
            Kind::Truth(truth) => truth.to_string(),
            Kind::List(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(",")),
            Kind::Table(entries) => {
                let each = entries.iter().map(|entry| format!("{}:{}", entry.key, shown(&entry.value)));
                format!("{{{}}}", each.collect::<Vec<_>>().join(","))
            }
            Kind::Other(name) => (*name).to_owned(),
        }
    }

    /// Wrong if indentation, a comment or a sign meant something else than in YAML.
    #[test]
    fn blocks_mean_what_they_mean_in_yaml() {
        for (text, expected) in [
            ("---\n- a: 1\n  b: x y # c\n- c\n", "[{a:1,b:\"x y\"},\"c\"]"),
            ("a:\n- 1\n- 2\nb:\n  - c: d\n    e: true\n", "{a:[1,2],b:[{c:\"d\",e:true}]}"),
            ("a: 'x # y'\nb: x#y\nc: \"it's\"\nd:\n", "{a:\"x # y\",b:\"x#y\",c:\"it's\",d:nothing}"),
            ("a: [n[1-2,5], 'm', 3]\nb: s[1,2]\n", "{a:[\"n[1-2,5]\",\"m\",3],b:\"s[1,2]\"}"),
            ("-\n  a: b:c\n-   - 1\n    - 2\n...\nrest", "[{a:\"b:c\"},[1,2]]"),
            ("# nothing\n", "[]"),
        ] {
            let parsed = parse(text).unwrap_or_else(|faults| panic!("{text}: {faults:?}"));
            assert_eq!(shown(&parsed), expected, "{text}");
        }
    }

    /// Wrong if something of YAML that is not read were taken for something else.
    #[test]
    fn what_is_not_read_is_a_fault_in_its_place() {
        for (text, at) in [
            ("a: &x 1\n", 3),
            ("a: |\n  text\n", 3),
            ("a: {b: c}\n", 3),
            ("a: 1\n---\nb: 2\n", 5),
            ("\ta: 1\n", 0),
            ("a: 1\n   b: 2\n", 8),
            ("a: [1, 2\n", 3),
            ("a: \"x\n", 3),
            ("a: 1\nplain\n", 5),
            ("- 1\nb: 2\n", 4),
        ] {
            assert_eq!(parse(text).unwrap_err()[0].span.start, at, "{text}");
        }
    }
}
