//! What does not go with credits.

use super::conflict;
use crate::diagnostics::Diagnostics;
use crate::wire::{Document, Located};
use simnet_media::host::mapper::Algorithm;

/// Notes sections and keys that only a fabric with STOP and GO carries out.
pub(super) fn check(document: &Document, diagnostics: &mut Diagnostics) {
    let hosts = document.hosts.value();
    let receive = hosts.and_then(|hosts| hosts.receive_buffer.get()).map(|at| at.place);
    let algorithm = document.mapping.value().and_then(|mapping| mapping.algorithm.get());
    let is_guarded =
        |algorithm: &&Located<Algorithm>| matches!(&algorithm.value, Algorithm::Guarded(it) if it.guards);
    let refused = [
        (
            receive,
            "`receive-buffer` beside credits",
            "expected hosts that take at once what arrives, as without it",
        ),
        (
            algorithm.filter(is_guarded).map(|at| at.place),
            "guards beside credits: a guard overtakes a scout that is no worm across several switches",
            "belongs to flow = \"stop-go\"",
        ),
    ];
    for (place, message, expected) in refused {
        if let Some(place) = place {
            conflict(place, message, expected, diagnostics);
        }
    }
}
