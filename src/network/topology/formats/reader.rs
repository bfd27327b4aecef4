//! Taking values out of tables, with a fault for each that is not what it should be.

use std::collections::BTreeSet;
use std::ops::Range;

use simnet_base::diagnostics::{Fault, quoted};
use simnet_base::units::Unit;

use super::tree::{Entry, Kind, Value};

/// How many faults get a search for the nearest spelling: each may look at every name of the file.
const HINTS: usize = 100;

/// Collects the faults of a document.
#[derive(Default)]
pub(super) struct Reader {
    pub(super) faults: Vec<Fault>,
}

/// The keys of a table, all of them known.
pub(super) struct Fields<'v> {
    entries: &'v [Entry],
    what: &'static str,
    start: usize,
}

impl<'v> Fields<'v> {
    /// The value of a key, if it is given.
    pub(super) fn get(&self, key: &str) -> Option<&'v Value> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }
}

impl Reader {
    /// Reports a fault.
    pub(super) fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    /// Whether so few faults were found that a costly hint is worth while.
    pub(super) fn worth_a_hint(&self) -> bool {
        self.faults.len() < HINTS
    }

    /// The keys of a table; faults where it is none, for keys unknown and for keys given twice.
    pub(super) fn fields<'v>(
        &mut self,
        value: &'v Value,
        what: &'static str,
        keys: &'static [&'static str],
    ) -> Option<Fields<'v>> {
        let Kind::Table(entries) = &value.kind else {
            self.mismatch(value, &format!("{what} with the keys {}", keys.join(", ")));
            return None;
        };
        for (nth, entry) in entries.iter().enumerate() {
            let span = entry.key_span.clone();
            if !keys.contains(&entry.key.as_str()) {
                let message = format!("{what} has no key `{}`", entry.key);
                let fault = Fault::new("unknown-key", span, message, format!("one of {}", keys.join(", ")));
                self.fault(fault.with_nearest(&entry.key, keys.iter().copied()));
            } else if entries[..nth].iter().any(|earlier| earlier.key == entry.key) {
                let message = format!("the key `{}` is given twice", entry.key);
                self.fault(Fault::new("duplicate-key", span, message, "each key once"));
            }
        }
        Some(Fields { entries, what, start: value.span.start })
    }

    /// The keys of a table in which others may stand beside those that are read; faults where it is none, and for keys
    /// given twice.
    pub(super) fn table<'v>(&mut self, value: &'v Value, what: &'static str) -> Option<Fields<'v>> {
        let Kind::Table(entries) = &value.kind else {
            self.mismatch(value, &format!("{what}, as keys and values in braces"));
            return None;
        };
        let mut seen = BTreeSet::new();
        for entry in entries {
            if !seen.insert(entry.key.as_str()) {
                let message = format!("the key `{}` is given twice", quoted(&entry.key));
                self.fault(Fault::new("duplicate-key", entry.key_span.clone(), message, "each key once"));
            }
        }
        Some(Fields { entries, what, start: value.span.start })
    }

    /// The value of a key that must be given.
    pub(super) fn need<'v>(&mut self, fields: &Fields<'v>, key: &str) -> Option<&'v Value> {
        let value = fields.get(key);
        if value.is_none() {
            let message = format!("{} needs the key `{key}`", fields.what);
            let span = fields.start..fields.start + 1;
            self.fault(Fault::new("missing-key", span, message, format!("`{key}` in here")));
        }
        value
    }

    /// A text; faults for anything else.
    pub(super) fn text<'v>(&mut self, value: &'v Value) -> Option<&'v str> {
        match &value.kind {
            Kind::Text(text) => Some(text),
            _ => {
                self.mismatch(value, "a text in quotes");
                None
            }
        }
    }

    /// The text of a key that must be given.
    pub(super) fn need_text<'v>(&mut self, fields: &Fields<'v>, key: &str) -> Option<&'v str> {
        let value = self.need(fields, key)?;
        self.text(value)
    }

    /// The text of a key, if it is given.
    pub(super) fn maybe_text<'v>(&mut self, fields: &Fields<'v>, key: &str) -> Option<&'v str> {
        let value = fields.get(key)?;
        self.text(value)
    }

    /// The list of a key that must be given; empty where it is not.
    pub(super) fn need_list<'v>(&mut self, fields: &Fields<'v>, key: &str) -> &'v [Value] {
        match self.need(fields, key) {
            Some(Value { kind: Kind::List(list), .. }) => list,
            Some(value) => {
                self.mismatch(value, "a list");
                &[]
            }
            None => &[],
        }
    }

    /// The whole number of a key, if it is given; a fault where it is outside `least..=most`.
    pub(super) fn number(&mut self, fields: &Fields<'_>, key: &str, least: u16, most: u16) -> Option<u16> {
        let value = fields.get(key)?;
        let expected = format!("a whole number from {least} to {most}");
        match &value.kind {
            Kind::Integer(number) => {
                let fits = u16::try_from(*number).ok().filter(|number| (least..=most).contains(number));
                if fits.is_none() {
                    let message = format!("`{key}` cannot be {number}");
                    self.fault(Fault::new("out-of-range", value.span.clone(), message, expected));
                }
                fits
            }
            Kind::Number(number) => {
                let message = format!("`{key}` cannot be {number}");
                self.fault(Fault::new("out-of-range", value.span.clone(), message, expected));
                None
            }
            _ => {
                self.mismatch(value, &expected);
                None
            }
        }
    }

    /// A quantity with its unit.
    pub(super) fn quantity<U: Unit>(&mut self, value: &Value) -> Option<U> {
        let units = U::UNITS.iter().map(|(unit, _)| *unit).collect::<Vec<_>>().join(", ");
        let expected = format!("{} with a unit ({units}), such as \"{}\"", U::KIND, U::EXAMPLE);
        match &value.kind {
            Kind::Text(text) => match U::parse(text) {
                Ok(quantity) => Some(quantity),
                Err(error) => {
                    self.fault(Fault::new("quantity", value.span.clone(), error.to_string(), expected));
                    None
                }
            },
            Kind::Integer(_) | Kind::Number(_) => {
                let message = format!("a bare number; {} needs a unit", U::KIND);
                self.fault(Fault::new("quantity", value.span.clone(), message, expected));
                None
            }
            _ => {
                self.mismatch(value, &expected);
                None
            }
        }
    }

    /// Reports that a value is not what it should be.
    pub(super) fn mismatch(&mut self, value: &Value, expected: &str) {
        let message = format!("{} stands here", value.kind.called());
        self.fault(Fault::new("wrong-type", shown(value), message, expected));
    }
}

/// The place of a value, or only of its beginning where it may go on for pages.
fn shown(value: &Value) -> Range<usize> {
    match value.kind {
        Kind::List(_) | Kind::Table(_) => value.span.start..value.span.start + 1,
        _ => value.span.clone(),
    }
}
