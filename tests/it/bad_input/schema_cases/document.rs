//! A TOML document as a tree that is written, not checked: it may hold keys twice and values that are none.

use std::fmt::Write as _;

use crate::bad_input::schema_cases::chance::Chance;

/// A value, or what stands where one should.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    /// Written as it is.
    Raw(String),
    List(Vec<Node>),
    Table(Vec<(String, Node)>),
}

impl Node {
    pub(super) fn table() -> Node {
        Node::Table(Vec::new())
    }

    /// A text in quotes.
    pub(super) fn text(text: &str) -> Node {
        Node::Raw(quoted(text))
    }

    /// The tree of a well-formed document.
    pub(super) fn parse(text: &str) -> Node {
        let table: toml::Table = text.parse().unwrap();
        Node::of(&toml::Value::Table(table))
    }

    fn of(value: &toml::Value) -> Node {
        match value {
            toml::Value::Array(items) => Node::List(items.iter().map(Node::of).collect()),
            toml::Value::Table(table) => {
                Node::Table(table.iter().map(|(key, value)| (key.clone(), Node::of(value))).collect())
            }
            toml::Value::String(text) => Node::text(text),
            other => Node::Raw(other.to_string()),
        }
    }

    /// The entries, made so if it was no table.
    pub(super) fn entries(&mut self) -> &mut Vec<(String, Node)> {
        if !matches!(self, Node::Table(_)) {
            *self = Node::table();
        }
        let Node::Table(entries) = self else { unreachable!("it was made a table") };
        entries
    }

    /// The items, made so if it was no list.
    pub(super) fn items(&mut self) -> &mut Vec<Node> {
        if !matches!(self, Node::List(_)) {
            *self = Node::List(Vec::new());
        }
        let Node::List(items) = self else { unreachable!("it was made a list") };
        items
    }

    /// The value of a key, made where there is none.
    pub(super) fn child(&mut self, key: &str) -> &mut Node {
        let entries = self.entries();
        let nth = entries.iter().position(|(other, _)| other == key).unwrap_or_else(|| {
            entries.push((key.to_owned(), Node::table()));
            entries.len() - 1
        });
        &mut entries[nth].1
    }

    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        let Node::Table(entries) = self else { return None };
        entries.iter().find(|(other, _)| other == key).map(|(_, value)| value)
    }

    /// Shows every key below it, with the path of keys that leads there; what is in a list stands under `[]`.
    pub(super) fn visit(&self, path: &str, show: &mut impl FnMut(&str)) {
        match self {
            Node::Raw(_) => {}
            Node::List(items) => items.iter().for_each(|item| item.visit(&format!("{path}[]"), show)),
            Node::Table(entries) => {
                for (key, value) in entries {
                    let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                    show(&path);
                    value.visit(&path, show);
                }
            }
        }
    }

    /// How many entries and items could be taken out of it.
    pub(super) fn size(&self) -> usize {
        match self {
            Node::Raw(_) => 0,
            Node::List(items) => items.iter().map(|item| 1 + item.size()).sum(),
            Node::Table(entries) => entries.iter().map(|(_, value)| 1 + value.size()).sum(),
        }
    }

    /// Takes out the `nth` of its entries and items, counted from outside in.
    pub(super) fn without(&self, nth: usize) -> Node {
        let mut rest = nth;
        self.cut(&mut rest).unwrap_or_else(|| self.clone())
    }

    fn cut(&self, nth: &mut usize) -> Option<Node> {
        match self {
            Node::Raw(_) => None,
            Node::List(items) => {
                let found = cut_one(items.iter(), nth)?;
                let mut items = items.clone();
                put(&mut items, found, |old, new| *old = new);
                Some(Node::List(items))
            }
            Node::Table(entries) => {
                let found = cut_one(entries.iter().map(|(_, value)| value), nth)?;
                let mut entries = entries.clone();
                put(&mut entries, found, |old, new| old.1 = new);
                Some(Node::Table(entries))
            }
        }
    }

    /// The document as text; `chance` decides which of TOML's ways to write it are used.
    pub(super) fn write(&self, chance: &mut Chance) -> String {
        let Node::Table(entries) = self else { return self.inline() };
        let (mut top, mut sections) = (String::new(), String::new());
        for (key, value) in entries {
            match value {
                Node::Table(entries) if chance.of(9, 10) => {
                    section(&bare_or_quoted(key), entries, chance, &mut sections);
                }
                Node::List(items) if is_tables(items) && chance.of(1, 2) => {
                    tables(&bare_or_quoted(key), items, &mut sections);
                }
                _ => {
                    let _ = writeln!(top, "{} = {}", bare_or_quoted(key), value.inline());
                }
            }
        }
        top + &sections
    }

    /// The value in one line.
    pub(super) fn inline(&self) -> String {
        match self {
            Node::Raw(text) => text.clone(),
            Node::List(items) => {
                format!("[{}]", items.iter().map(Node::inline).collect::<Vec<_>>().join(", "))
            }
            Node::Table(entries) => {
                let entry =
                    |(key, value): &(String, Node)| format!("{} = {}", bare_or_quoted(key), value.inline());
                format!("{{ {} }}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// What is left of one of several: where it stood, and what it is now, or nothing.
type Cut = (usize, Option<Node>);

fn cut_one<'a>(values: impl Iterator<Item = &'a Node>, nth: &mut usize) -> Option<Cut> {
    for (position, value) in values.enumerate() {
        if *nth == 0 {
            return Some((position, None));
        }
        *nth -= 1;
        if let Some(less) = value.cut(nth) {
            return Some((position, Some(less)));
        }
    }
    None
}

fn put<T>(all: &mut Vec<T>, (position, left): Cut, replace: impl Fn(&mut T, Node)) {
    match left {
        Some(left) => replace(&mut all[position], left),
        None => drop(all.remove(position)),
    }
}

fn is_tables(items: &[Node]) -> bool {
    !items.is_empty() && items.iter().all(|item| matches!(item, Node::Table(_)))
}

fn section(name: &str, entries: &[(String, Node)], chance: &mut Chance, text: &mut String) {
    let (mut plain, mut inner) = (String::new(), String::new());
    for (key, value) in entries {
        match value {
            Node::List(items) if is_tables(items) && chance.of(1, 2) => {
                tables(&format!("{name}.{}", bare_or_quoted(key)), items, &mut inner);
            }
            _ => {
                let _ = writeln!(plain, "{} = {}", bare_or_quoted(key), value.inline());
            }
        }
    }
    let _ = write!(text, "[{name}]\n{plain}{inner}");
}

fn tables(name: &str, items: &[Node], text: &mut String) {
    for item in items {
        let _ = writeln!(text, "[[{name}]]");
        let Node::Table(entries) = item else { continue };
        for (key, value) in entries {
            let _ = writeln!(text, "{} = {}", bare_or_quoted(key), value.inline());
        }
    }
}

fn bare_or_quoted(key: &str) -> String {
    let is_bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if is_bare { key.to_owned() } else { quoted(key) }
}

/// A text as TOML quotes it.
pub(super) fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
