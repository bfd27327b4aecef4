//! Files that a scenario names, each relative to the folder of the file that names it.

use std::sync::Arc;

use crate::diagnostics::{Fault, MISSING_FILE, quoted, shown};

use super::super::book::Book;
use super::super::checked::InputFile;
use super::super::wire::{At, FileName};

/// Reads a file; `None` after noting at the place of its name why it cannot be read.
pub(super) fn open(named: &At<FileName>, book: &mut Book) -> Option<(InputFile, Arc<[u8]>)> {
    let name = &named.value.0;
    let path = book.path(named.place, name);
    match book.files().take(&path) {
        Ok(taken) => {
            let hash = taken.hash.to_hex().to_string();
            Some((InputFile { named: name.clone(), path, hash }, taken.bytes))
        }
        Err(error) => {
            book.add(named.place, |span| {
                let file = quoted(&shown(&path).to_string());
                let expected = "expected a file, relative to the scenario's folder";
                Fault::new(MISSING_FILE, span, format!("cannot read {file}: {error}"), expected)
            });
            None
        }
    }
}

/// The name under which a file's faults are printed.
pub(super) fn title(file: &InputFile) -> String {
    shown(&file.path).to_string()
}
