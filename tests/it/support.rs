//! What several kinds of check share.

pub(crate) mod engine;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// How many cases to run of `full`: all with `SIMNET_THOROUGH=1`, a fifth with `SIMNET_THOROUGH=ci`,
/// otherwise a twentieth; at least one.
pub(crate) fn cases(full: u64) -> u64 {
    let share = match std::env::var("SIMNET_THOROUGH").as_deref() {
        Ok("ci") => full / 5,
        Ok(value) if !value.is_empty() && value != "0" => full,
        _ => full / 20,
    };
    share.max(1)
}

/// Takes the first entry of a queue if it is `wanted`.
pub(crate) fn first_if<T>(queue: &mut VecDeque<T>, wanted: impl FnOnce(&T) -> bool) -> Option<T> {
    if wanted(queue.front()?) { queue.pop_front() } else { None }
}

/// A file of the folder `shared` beside the project; says that a check is skipped where it is absent.
pub(crate) fn shared(file: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(file);
    if !path.exists() {
        println!("skipped: no {}", path.display());
        return None;
    }
    Some(path)
}
