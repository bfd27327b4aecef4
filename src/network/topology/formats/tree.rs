//! Values with their places in the text, whichever notation they were written in.

use std::ops::Range;

/// A value and where it stands, in bytes.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) span: Range<usize>,
    pub(super) kind: Kind,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// A whole number that 64 bits can hold.
    Integer(i64),
    /// Any other number, as written.
    Number(String),
    Text(String),
    Truth(bool),
    List(Vec<Value>),
    Table(Vec<Entry>),
    /// Anything else, by what it is called.
    Other(&'static str),
}

/// A key of a table and its value, in the order of the text; keys may repeat.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) key_span: Range<usize>,
    pub(super) value: Value,
}

impl Kind {
    /// What a person would call it, with its article.
    pub(super) const fn called(&self) -> &'static str {
        match self {
            Kind::Integer(_) => "a whole number",
            Kind::Number(_) => "a number",
            Kind::Text(_) => "a text",
            Kind::Truth(_) => "true or false",
            Kind::List(_) => "a list",
            Kind::Table(_) => "a table of keys",
            Kind::Other(name) => name,
        }
    }
}
