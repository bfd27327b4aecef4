//! Files that a scenario names, each relative to the folder of the file that names it.

use std::sync::Arc;

use simnet_base::diagnostics::{Fault, MISSING_FILE, quoted, shown};

use crate::checked::InputFile;
use crate::diagnostics::Diagnostics;
use crate::wire::{FileName, Located};

/// Reads a file; `None` after noting at the place of its name why it cannot be read.
pub(super) fn open(
    named: &Located<FileName>,
    diagnostics: &mut Diagnostics,
) -> Option<(InputFile, Arc<[u8]>)> {
    let name = &named.value.0;
    let path = diagnostics.path(named.place, name);
    match diagnostics.files().read(&path) {
        Ok(taken) => {
            let hash = taken.hash.to_hex().to_string();
            Some((InputFile { named: name.clone(), path, hash }, taken.bytes))
        }
        Err(error) => {
            diagnostics.add(named.place, |span| {
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
