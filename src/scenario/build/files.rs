//! Files that a scenario names, relative to its own folder.

use std::path::Path;

use crate::diagnostics::{Fault, MISSING_FILE, quoted};

use super::super::book::Book;
use super::super::checked::InputFile;
use super::super::wire::At;

/// Reads a file; `None` after noting at the place of its name why it cannot be read.
pub(super) fn open(named: &At<String>, folder: &Path, book: &mut Book) -> Option<(InputFile, Vec<u8>)> {
    let path = folder.join(&named.value);
    match std::fs::read(&path) {
        Ok(bytes) => {
            let hash = blake3::hash(&bytes).to_hex().to_string();
            Some((InputFile { named: named.value.clone(), path, hash }, bytes))
        }
        Err(error) => {
            book.add(named.place, |span| {
                let shown = quoted(&path.display().to_string());
                let expected = "expected a file, relative to the scenario's folder";
                Fault::new(MISSING_FILE, span, format!("cannot read {shown}: {error}"), expected)
            });
            None
        }
    }
}

/// The name under which a file's faults are printed.
pub(super) fn shown(file: &InputFile) -> String {
    file.path.display().to_string()
}
