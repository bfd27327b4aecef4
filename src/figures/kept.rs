//! The scenarios, and the files that they name, as parts of the program.

include!(concat!(env!("OUT_DIR"), "/scenarios.rs"));

/// All files under `scenarios/`: path in it, bytes; sorted by path.
pub(super) fn scenarios() -> &'static [(&'static str, &'static [u8])] {
    SCENARIOS
}

/// A file under `scenarios/`.
pub(super) fn scenario(path: &str) -> Option<&'static [u8]> {
    let place = SCENARIOS.binary_search_by(|(known, _)| (*known).cmp(path)).ok()?;
    Some(SCENARIOS[place].1)
}
