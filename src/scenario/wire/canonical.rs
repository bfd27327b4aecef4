//! The canonical form of a tree of values: bytes that are equal where the values mean the same, written without
//! reading the scenario, so that a million points of a sweep have their keys in a second.
//!
//! Defaults are filled in, quantities stand in their grains, files by the hash of their contents. Two forms are never
//! equal unless the values are; that they are equal wherever the meaning is holds but for keys whose usual value
//! depends on others.

use simnet_base::units::Unit;

use super::table::{Presence, Wire, key_of};
use crate::diagnostics::Diagnostics;
use crate::tree::{Item, Value, default_item};

/// Writes the canonical form of a value of one kind.
pub(crate) type Put = fn(&Item, &mut Canonical<'_>);

/// A canonical form that is being written.
pub(crate) struct Canonical<'a> {
    diagnostics: &'a Diagnostics,
    pub(crate) bytes: Vec<u8>,
    /// The holes of the tree, in the order of the bytes.
    pub(crate) holes: Vec<Gap>,
}

/// A place in the bytes that is open: that of a [`Value::Hole`].
pub(crate) struct Gap {
    /// Where in the bytes.
    pub(crate) at: usize,
    /// Which hole.
    pub(crate) hole: usize,
    /// How what fills it is written.
    pub(crate) put: Put,
    /// Reads what fills it, for its faults.
    pub(crate) read: fn(&Item, &mut Diagnostics),
}

/// A key of a table, for its canonical form.
pub(crate) struct Key {
    pub(crate) field: &'static str,
    pub(crate) presence: Presence,
    pub(crate) put: Put,
}

/// Writes a value of the kind `T`, or leaves a hole open.
pub(crate) fn put<T: Wire>(item: &Item, canonical: &mut Canonical<'_>) {
    let Value::Hole(hole) = item.value else { return T::canonical(item, canonical) };
    canonical.gap(hole, T::canonical, |item, diagnostics| drop(T::read(item, diagnostics)));
}

impl Canonical<'_> {
    /// A form without bytes; `diagnostics` says where files are.
    pub(crate) fn new(diagnostics: &Diagnostics) -> Canonical<'_> {
        Canonical { diagnostics, bytes: Vec::new(), holes: Vec::new() }
    }

    fn tagged(&mut self, tag: u8, bytes: &[u8]) {
        self.bytes.push(tag);
        self.bytes.extend_from_slice(bytes);
    }

    /// A text.
    pub(super) fn text(&mut self, text: &str) {
        self.tagged(b't', &(text.len() as u64).to_le_bytes());
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// A float, zero without its sign.
    pub(super) fn float(&mut self, number: f64) {
        self.tagged(b'f', &(number + 0.0).to_bits().to_le_bytes());
    }

    /// A quantity in its grains; a text that is none as it stands.
    pub(super) fn quantity<U: Unit>(&mut self, item: &Item) {
        match &item.value {
            Value::Text(text) => match U::parse(text) {
                Ok(quantity) => self.tagged(b'q', &quantity.grains().to_le_bytes()),
                Err(_) => self.text(text),
            },
            _ => self.raw(item),
        }
    }

    /// A number that a text in per cent stands for, too.
    pub(super) fn share(&mut self, item: &Item) {
        let number = match &item.value {
            Value::Text(text) => text.trim().strip_suffix('%').map(str::trim_end),
            _ => None,
        };
        match number.and_then(|number| number.parse::<f64>().ok()) {
            Some(per_cent) => self.float(per_cent / 100.0),
            None => self.number(item),
        }
    }

    /// A number, whole or not.
    pub(super) fn number(&mut self, item: &Item) {
        match item.value {
            #[expect(clippy::cast_precision_loss, reason = "a whole number where a fraction may stand")]
            Value::Integer(Some(number)) => self.float(number as f64),
            Value::Float(Some(number)) => self.float(number),
            _ => self.raw(item),
        }
    }

    /// A file by the hash of its contents; one that is not there by its name.
    pub(super) fn file(&mut self, item: &Item) {
        let Value::Text(name) = &item.value else { return self.raw(item) };
        match self.diagnostics.files().read(&self.diagnostics.path(item.place, name)) {
            Ok(taken) => self.tagged(b'h', taken.hash.as_bytes()),
            Err(_) => self.text(name),
        }
    }

    /// A list.
    pub(super) fn list(&mut self, items: &[Item], put: Put) {
        self.tagged(b'[', &(items.len() as u64).to_le_bytes());
        items.iter().for_each(|item| put(item, self));
    }

    /// A list, for which a single value may stand.
    pub(super) fn list_or_one(&mut self, item: &Item, put: Put) {
        match &item.value {
            Value::List(items) => self.list(items, put),
            _ => self.list(std::slice::from_ref(item), put),
        }
    }

    /// A table: its keys in the order of their description, with their defaults, and whatever else is in it.
    pub(super) fn table(&mut self, keys: &[Key], item: &Item) {
        let Value::Table(entries) = &item.value else { return self.raw(item) };
        self.bytes.push(b'{');
        for key in keys {
            let name = key_of(key.field);
            if let Some(entry) = entries.iter().find(|entry| entry.key == name) {
                self.named(&name, &entry.item, key.put);
            } else if let Some(text) = key.presence.meaning(entries) {
                self.named(&name, &default_item(text, item.place), key.put);
            }
        }
        let is_known = |key: &str| keys.iter().any(|known| key_of(known.field) == key);
        self.entries(item, is_known, Canonical::put_raw);
        self.bytes.push(b'}');
    }

    /// What a tree holds after the removals.
    pub(crate) fn rest(&mut self, root: &Item) {
        self.raw(root);
    }

    /// A table with free keys, sorted.
    pub(super) fn free(&mut self, item: &Item, put: Put) {
        self.bytes.push(b'{');
        self.entries(item, |_| false, put);
        self.bytes.push(b'}');
    }

    /// The entries of a table, sorted by key, but for those that are left out.
    fn entries(&mut self, item: &Item, is_left_out: impl Fn(&str) -> bool, put: Put) {
        let Value::Table(entries) = &item.value else { return self.raw(item) };
        let mut entries: Vec<_> = entries.iter().filter(|entry| !is_left_out(&entry.key)).collect();
        entries.sort_by(|a, b| a.key.cmp(&b.key));
        entries.iter().for_each(|entry| self.named(&entry.key, &entry.item, put));
    }

    /// A key and its value.
    pub(super) fn named(&mut self, key: &str, item: &Item, put: Put) {
        self.text(key);
        put(item, self);
    }

    fn put_raw(item: &Item, canonical: &mut Canonical<'_>) {
        canonical.raw(item);
    }

    /// Leaves a hole open.
    pub(super) fn gap(&mut self, hole: usize, put: Put, read: fn(&Item, &mut Diagnostics)) {
        self.holes.push(Gap { at: self.bytes.len(), hole, put, read });
    }

    /// A value as it stands. It is no deeper than the parser of TOML allows.
    pub(super) fn raw(&mut self, item: &Item) {
        match &item.value {
            Value::Text(text) => self.text(text),
            Value::Integer(Some(number)) => self.tagged(b'i', &number.to_le_bytes()),
            Value::Float(Some(number)) => self.float(*number),
            Value::Boolean(value) => self.tagged(b'b', &[u8::from(*value)]),
            Value::Integer(None) | Value::Float(None) | Value::Datetime => self.bytes.push(b'?'),
            Value::List(items) => self.list(items, Canonical::put_raw),
            Value::Table(_) => self.free(item, Canonical::put_raw),
            Value::Hole(hole) => self.gap(*hole, Canonical::put_raw, |_, _| {}),
        }
    }
}
