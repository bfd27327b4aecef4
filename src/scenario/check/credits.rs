//! What does not go with credits.

use super::conflict;
use crate::diagnostics::Diagnostics;
use crate::wire::Document;

/// Notes sections and keys that only a fabric with STOP and GO carries out.
pub(super) fn check(document: &Document, diagnostics: &mut Diagnostics) {
    let hosts = document.hosts.value();
    let receive = hosts.and_then(|hosts| hosts.receive_buffer.get()).map(|at| at.place);
    let mapping = document.mapping.get().map(|at| at.place);
    let refused = [
        (
            receive,
            "`receive-buffer` beside credits",
            "expected hosts that take at once what arrives, as without it",
        ),
        (
            mapping,
            "a mapper beside credits: it needs worms with routes of their own",
            "belongs to flow = \"stop-go\"",
        ),
    ];
    for (place, message, expected) in refused {
        if let Some(place) = place {
            conflict(place, message, expected, diagnostics);
        }
    }
}
