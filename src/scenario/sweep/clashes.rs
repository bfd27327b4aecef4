//! Axes that cannot stand together, and values that stand on an axis twice.

use std::collections::BTreeSet;

use simnet_base::diagnostics::{Fault, quoted};

use super::axes::{Axis, AxisKey, TAKEN, inline};
use crate::diagnostics::{Diagnostics, Place};
use crate::layers::{self, find};
use crate::tree::{Item, Value};
use crate::wire::Located;

/// Notes pairs of keys where one displaces the other, as a second topology does.
pub(super) fn keys(keys: &[AxisKey], diagnostics: &mut Diagnostics) {
    for (nth, key) in keys.iter().enumerate() {
        let other = keys[..nth].iter().find(|other| exclude(other, key));
        if let (Some(other), Some((_, place))) = (other, key.path.last()) {
            diagnostics.add(*place, |span| {
                let message =
                    format!("`{}` excludes `{}`, which varies too", quoted(&key.name), quoted(&other.name));
                Fault::new("conflict", span, message, "expected one of the two")
                    .with_help("an axis over the table around both can hold either")
            });
        }
    }
}

/// Notes columns that are there already: in the list, or in every table of points. An axis may be listed; it is a
/// column once.
pub(super) fn columns(columns: &[Located<String>], diagnostics: &mut Diagnostics) {
    let mut seen = BTreeSet::new();
    for column in columns {
        if TAKEN.contains(&column.value.as_str()) {
            diagnostics.add(column.place, |span| {
                let message = format!("a column is called `{}` already", column.value);
                Fault::new("conflict", span, message, "expected a path into the summary of another name")
                    .with_help("every table of points has it")
            });
        } else if !seen.insert(&column.value) {
            diagnostics.add(column.place, |span| {
                Fault::new("conflict", span, "this column is there twice", "expected each column once")
            });
        }
    }
}

/// Whether one of two keys goes where the other is laid.
fn exclude(one: &AxisKey, other: &AxisKey) -> bool {
    let place = one.place;
    let mut root = Item { place, value: Value::Table(Vec::new()) };
    let mut laid = [one, other].into_iter().map(|key| {
        let table = Item { place, value: Value::Table(Vec::new()) };
        layers::assign(&mut root, &key.path, table).is_ok()
    });
    let is_laid = laid.by_ref().all(|laid| laid);
    drop(laid);
    // Positions of lists cannot be laid on nothing; what is in a list displaces nothing.
    is_laid && one.path.iter().try_fold(&root, |at, (key, _)| find(at, key)).is_none()
}

/// Notes the values of an axis that are there already.
pub(super) fn values(axis: &Axis, diagnostics: &mut Diagnostics) {
    let mut seen = BTreeSet::new();
    let lists: Vec<&[Item]> = axis.lists().collect();
    // A range has no value twice.
    if lists.len() < axis.keys.len() {
        return;
    }
    for position in 0..axis.len() {
        let values: Vec<String> = lists.iter().map(|list| inline(&list[position])).collect();
        if !seen.insert(values) {
            let place: Place = lists[0][position].place;
            diagnostics.add(place, |span| {
                Fault::new(
                    "conflict",
                    span,
                    "this value is there twice",
                    "expected each value of an axis once",
                )
            });
        }
    }
}
