//! Rings: whose keys can have no fault of their own.

use super::super::book::Book;
use super::super::rings::Rings;
use super::super::wire::{self, At, Document};
use super::shared;

/// The ring of a scenario.
pub(super) fn rings(wire: &At<wire::Rings>, document: &Document, book: &mut Book) -> Option<Rings> {
    shared::alone("[rings]", document, book);
    let wire = &wire.value;
    Some(Rings { algorithm: *wire.algorithm.value()?, tree: *wire.tree.value()?, root: *wire.root.value()? })
}
