//! Constraints: `fabric.go < fabric.stop and not (routing.tree == "dfs" or traffic.uniform.loads > 0.3)`.
//!
//! ```text
//!   either   = both { "or" both }
//!   both     = one { "and" one }
//!   one      = "not" one | "(" either ")" | "true" | "false" | operand relation operand
//!            | operand ["not"] "in" "[" operand { "," operand } "]"
//!   relation = "<" | "<=" | ">" | ">=" | "==" | "!="
//!   operand  = key.path | number | "text" | 'text' | true | false
//! ```
//! `and` binds closer than `or`, `not` closer than both. Texts that are quantities compare by what they measure.

use std::ops::Range;

use simnet_base::diagnostics::{Fault, quoted};

use super::scalar::{Relation, Scalar};
use crate::tree;

/// How deep parentheses and `not` may nest.
const DEEPEST: usize = 50;
/// The longest constraint, in bytes.
const LONGEST: usize = 10_000;

/// A constraint that was parsed. Ranges of bytes are those of its text.
#[derive(Clone, Debug)]
pub(super) enum Expression<K> {
    Constant(bool),
    Not(Box<Expression<K>>),
    All(Vec<Expression<K>>),
    Any(Vec<Expression<K>>),
    Compared { left: K, relation: Relation, right: K, at: Range<usize> },
    Among { left: K, list: Vec<K>, at: Range<usize> },
}

/// A side of a comparison, as it is written.
#[derive(Clone, Debug)]
pub(super) enum Side {
    Key(Vec<String>, Range<usize>),
    Literal(Scalar, Range<usize>),
}

/// What keeps a constraint from being judged: where in its text, and why.
pub(super) struct Trouble {
    pub(super) at: Range<usize>,
    pub(super) message: String,
}

impl<K> Expression<K> {
    /// The same expression over other sides; `None` if any side has no counterpart, after all were looked up.
    pub(super) fn map<T>(self, side: &mut impl FnMut(K) -> Option<T>) -> Option<Expression<T>> {
        Some(match self {
            Expression::Constant(value) => Expression::Constant(value),
            Expression::Not(inner) => Expression::Not(Box::new(inner.map(side)?)),
            Expression::All(parts) => Expression::All(map_all(parts, side)?),
            Expression::Any(parts) => Expression::Any(map_all(parts, side)?),
            Expression::Compared { left, relation, right, at } => {
                let (left, right) = (side(left), side(right));
                Expression::Compared { left: left?, relation, right: right?, at }
            }
            Expression::Among { left, list, at } => {
                let left = side(left);
                let list: Vec<Option<T>> = list.into_iter().map(side).collect();
                Expression::Among { left: left?, list: list.into_iter().collect::<Option<_>>()?, at }
            }
        })
    }

    /// Shows both sides of every comparison.
    pub(super) fn visit(&self, show: &mut impl FnMut(&K, &K)) {
        match self {
            Expression::Constant(_) => {}
            Expression::Not(inner) => inner.visit(show),
            Expression::All(parts) | Expression::Any(parts) => parts.iter().for_each(|part| part.visit(show)),
            Expression::Compared { left, right, .. } => show(left, right),
            Expression::Among { left, list, .. } => list.iter().for_each(|right| show(left, right)),
        }
    }

    /// Whether the constraint is met where its sides have the values that `value` gives.
    ///
    /// # Errors
    /// The first comparison of values that cannot be compared.
    pub(super) fn holds<'a>(&'a self, value: &impl Fn(&'a K) -> &'a Scalar) -> Result<bool, Trouble> {
        let compare = |left, relation, right, at| is(value(left), relation, value(right), at);
        match self {
            Expression::Constant(value) => Ok(*value),
            Expression::Not(inner) => inner.holds(value).map(|holds| !holds),
            Expression::All(parts) => {
                for part in parts {
                    if !part.holds(value)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Expression::Any(parts) => {
                for part in parts {
                    if part.holds(value)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Expression::Compared { left, relation, right, at } => compare(left, *relation, right, at),
            Expression::Among { left, list, at } => {
                for one in list {
                    if compare(left, Relation::Equal, one, at)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }
}

/// Whether two values are related so.
///
/// # Errors
/// If they cannot be compared; `at` is where.
fn is(left: &Scalar, relation: Relation, right: &Scalar, at: &Range<usize>) -> Result<bool, Trouble> {
    left.is(relation, right).ok_or_else(|| Trouble {
        at: at.clone(),
        message: match left.kind() == right.kind() {
            true => format!("{} cannot be compared so", left.kind()),
            false => format!("{} cannot be compared with {}", left.kind(), right.kind()),
        },
    })
}

fn map_all<K, T>(
    parts: Vec<Expression<K>>,
    side: &mut impl FnMut(K) -> Option<T>,
) -> Option<Vec<Expression<T>>> {
    let parts: Vec<Option<Expression<T>>> = parts.into_iter().map(|part| part.map(side)).collect();
    parts.into_iter().collect()
}

/// Parses a constraint.
///
/// # Errors
/// The first fault, its range that of the text.
pub(super) fn parse(text: &str) -> Result<Expression<Side>, Fault> {
    if text.len() > LONGEST {
        let message = format!("a constraint of {} bytes", text.len());
        return Err(Fault::new(
            "out-of-range",
            0..text.len(),
            message,
            format!("expected at most {LONGEST}"),
        ));
    }
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens: &tokens, at: 0, end: text.len(), depth: 0 };
    let whole = parser.either()?;
    match parser.peek() {
        None => Ok(whole),
        Some(_) => Err(parser.unexpected("expected `and`, `or` or the end")),
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Number(f64),
    Text(String),
    Sign(&'static str),
}

const SIGNS: [&str; 11] = ["<=", ">=", "==", "!=", "<", ">", "(", ")", "[", "]", ","];

fn tokens(text: &str) -> Result<Vec<(Token, Range<usize>)>, Fault> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let (token, length) = if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            (Token::Sign(sign), sign.len())
        } else if c.is_ascii_digit() || (c == '-' && rest[1..].starts_with(|c: char| c.is_ascii_digit())) {
            number(rest, at)?
        } else if is_word(c) {
            word(rest, at)?
        } else if c == '"' || c == '\'' {
            let Some(length) = rest[1..].find(c) else {
                let expected = format!("expected another {c}");
                return Err(Fault::new("syntax", at..text.len(), "a text without end", expected));
            };
            (Token::Text(rest[1..=length].to_owned()), length + 2)
        } else {
            let message = format!("`{}` means nothing here", quoted(&c.to_string()));
            let expected = "expected keys, values, comparisons, and, or, not, in";
            let fault = Fault::new("syntax", at..at + c.len_utf8(), message, expected);
            return Err(match c {
                '=' => fault.with_help("equality is written =="),
                '!' => fault.with_help("write `not`"),
                '&' | '|' => fault.with_help("write `and` and `or`"),
                _ => fault,
            });
        };
        tokens.push((token, at..at + length));
        at += length;
    }
    Ok(tokens)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

fn number(rest: &str, at: usize) -> Result<(Token, usize), Fault> {
    let is_part = |c: char| is_word(c) || c == '.' || c == '+';
    let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    let plain = rest[..length].replace('_', "");
    match plain.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok((Token::Number(number), length)),
        _ => {
            let message = format!("`{}` is no number", quoted(&rest[..length]));
            let expected = "expected a number; quantities stand in quotes, as '50 ms'";
            Err(Fault::new("not-a-number", at..at + length, message, expected))
        }
    }
}

/// A word or a path of keys, of which some may stand in quotes.
fn word(rest: &str, at: usize) -> Result<(Token, usize), Fault> {
    let mut length = 0;
    loop {
        let here = &rest[length..];
        length += match here.chars().next() {
            Some(quote @ ('"' | '\'')) if length > 0 => match here[1..].find(quote) {
                Some(end) => end + 2,
                None => {
                    let expected = format!("expected another {quote}");
                    return Err(Fault::new("syntax", at..at + rest.len(), "a key without end", expected));
                }
            },
            _ => here.find(|c| !is_word(c)).unwrap_or(here.len()),
        };
        if rest[length..].starts_with('.') {
            length += 1;
        } else {
            return Ok((Token::Word(rest[..length].to_owned()), length));
        }
    }
}

struct Parser<'a> {
    tokens: &'a [(Token, Range<usize>)],
    at: usize,
    end: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    /// Where the next token stands, or the end.
    fn range(&self) -> Range<usize> {
        self.tokens.get(self.at).map_or(self.end..self.end, |(_, range)| range.clone())
    }

    fn unexpected(&self, expected: &str) -> Fault {
        let message = match self.peek() {
            None => "the constraint ends too early".to_owned(),
            Some(Token::Word(word)) => format!("`{}` means nothing here", quoted(word)),
            Some(Token::Number(number)) => format!("{number} means nothing here"),
            Some(Token::Text(_)) => "a text means nothing here".to_owned(),
            Some(Token::Sign(sign)) => format!("`{sign}` means nothing here"),
        };
        Fault::new("syntax", self.range(), message, expected)
    }

    /// Takes a word that is no key.
    fn take_word(&mut self, word: &str) -> bool {
        let is_next = matches!(self.peek(), Some(Token::Word(next)) if next == word);
        self.at += usize::from(is_next);
        is_next
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.peek(), Some(Token::Sign(next)) if *next == sign);
        self.at += usize::from(is_next);
        is_next
    }

    fn either(&mut self) -> Result<Expression<Side>, Fault> {
        let mut parts = vec![self.both()?];
        while self.take_word("or") {
            parts.push(self.both()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::Any(parts) })
    }

    fn both(&mut self) -> Result<Expression<Side>, Fault> {
        let mut parts = vec![self.one()?];
        while self.take_word("and") {
            parts.push(self.one()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::All(parts) })
    }

    fn one(&mut self) -> Result<Expression<Side>, Fault> {
        if self.depth >= DEEPEST {
            let message = "nested too deeply";
            return Err(Fault::new("syntax", self.range(), message, format!("at most {DEEPEST} levels")));
        }
        self.depth += 1;
        let one = self.nested();
        self.depth -= 1;
        one
    }

    fn nested(&mut self) -> Result<Expression<Side>, Fault> {
        if self.take_word("not") {
            return self.one().map(|inner| Expression::Not(Box::new(inner)));
        }
        if self.take_sign("(") {
            let inner = self.either()?;
            return if self.take_sign(")") { Ok(inner) } else { Err(self.unexpected("expected `)`")) };
        }
        let start = self.range().start;
        let left = self.side()?;
        if let Some(relation) = self.relation() {
            let right = self.side()?;
            let at = start..self.tokens[self.at - 1].1.end;
            return Ok(Expression::Compared { left, relation, right, at });
        }
        let is_negated = self.take_word("not");
        if self.take_word("in") {
            let list = self.list()?;
            let at = start..self.tokens[self.at - 1].1.end;
            let among = Expression::Among { left, list, at };
            return Ok(if is_negated { Expression::Not(Box::new(among)) } else { among });
        }
        match left {
            Side::Literal(Scalar::Boolean(value), _) if !is_negated => Ok(Expression::Constant(value)),
            _ => Err(self.unexpected("expected <, <=, >, >=, ==, != or in")),
        }
    }

    fn relation(&mut self) -> Option<Relation> {
        let Some(Token::Sign(sign)) = self.peek() else { return None };
        let relation = match *sign {
            "<" => Relation::Less,
            "<=" => Relation::LessOrEqual,
            ">" => Relation::Greater,
            ">=" => Relation::GreaterOrEqual,
            "==" => Relation::Equal,
            "!=" => Relation::Different,
            _ => return None,
        };
        self.at += 1;
        Some(relation)
    }

    fn list(&mut self) -> Result<Vec<Side>, Fault> {
        if !self.take_sign("[") {
            return Err(self.unexpected("expected a list, as in [\"bfs\", \"dfs\"]"));
        }
        let mut list = vec![self.side()?];
        while self.take_sign(",") {
            list.push(self.side()?);
        }
        if self.take_sign("]") { Ok(list) } else { Err(self.unexpected("expected `,` or `]`")) }
    }

    fn side(&mut self) -> Result<Side, Fault> {
        let range = self.range();
        let side = match self.peek() {
            Some(Token::Number(number)) => Side::Literal(Scalar::Number(*number), range),
            Some(Token::Text(text)) => Side::Literal(Scalar::of_text(text), range),
            Some(Token::Word(word)) if word == "true" || word == "false" => {
                Side::Literal(Scalar::Boolean(word == "true"), range)
            }
            Some(Token::Word(word)) if !["and", "or", "not", "in"].contains(&word.as_str()) => {
                let Some(path) = tree::path_of(word) else {
                    let message = format!("`{}` is no path of keys", quoted(word));
                    return Err(Fault::new("syntax", range, message, "expected keys joined by dots"));
                };
                Side::Key(path.into_iter().map(|(key, _)| key).collect(), range)
            }
            _ => return Err(self.unexpected("expected a key, a number or a text in quotes")),
        };
        self.at += 1;
        Ok(side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a constraint without keys says; `a` stands for 3, `b.c` for `"50 ms"`, anything else for nothing.
    fn says(text: &str) -> Result<bool, String> {
        let parsed = parse(text).map_err(|fault| format!("{} at {:?}", fault.message, fault.span))?;
        let mut value = |side| {
            Some(match side {
                Side::Literal(scalar, _) => scalar,
                Side::Key(path, _) => match path.join(".").as_str() {
                    "a" => Scalar::Number(3.0),
                    "b.c" => Scalar::of_text("50 ms"),
                    _ => Scalar::Absent,
                },
            })
        };
        let expression = parsed.map(&mut value).unwrap();
        expression.holds(&|scalar| scalar).map_err(|trouble| trouble.message)
    }

    /// Wrong if anything binds otherwise than the module says, or compares otherwise than by what it means.
    #[test]
    fn constraints_say_what_they_say() {
        for (text, wanted) in [
            ("a < 4", true),
            ("a >= 3.0 and not a > 3", true),
            ("true or false and false", true),
            ("(true or false) and false", false),
            ("not true or true", true),
            ("not (true or true)", false),
            ("b.c == '0.05 s'", true),
            ("b.c < \"1 min\"", true),
            ("b.c < 'never'", true),
            ("b.c != 'auto'", true),
            ("a in [1, 2, 3]", true),
            ("a not in [1, 2]", true),
            ("'6 %' == 0.06", true),
            ("x.y == 3", false),
            ("x.y != 3", true),
            ("x.y < 3 or x.y >= 3", false),
            ("'1 KiB' > '1000 B'", true),
        ] {
            assert_eq!(says(text), Ok(wanted), "{text}");
        }
    }

    /// Wrong if a fault is missed or has the wrong place.
    #[test]
    fn faults_have_their_place() {
        for (text, wanted) in [
            ("", "ends too early at 0..0"),
            ("a <", "ends too early at 3..3"),
            ("a = 3", "`=` means nothing here at 2..3"),
            ("a < 3 b", "`b` means nothing here at 6..7"),
            ("a < 50ms", "`50ms` is no number at 4..8"),
            ("a < 'x", "a text without end at 4..6"),
            ("(a < 3", "ends too early at 6..6"),
            ("a in []", "`]` means nothing here at 6..7"),
            ("a", "ends too early at 1..1"),
            ("a..b < 3", "`a..b` is no path of keys at 0..4"),
            ("a < b.c", "a bare number cannot be compared with a time"),
            ("'x' < 'y'", "a text cannot be compared so"),
            ("b.c == '1 B'", "a time cannot be compared with an amount of data"),
            ("a == true", "a bare number cannot be compared with true or false"),
        ] {
            let message = says(text).unwrap_err();
            assert!(message.contains(wanted), "{text}: {message}");
        }
        assert!(says(&"(".repeat(100_000)).is_err());
        assert!(says(&"not ".repeat(2_000)).unwrap_err().contains("nested too deeply"));
        assert!(says(&format!("{}true", "true and ".repeat(1_000))).unwrap());
    }
}
