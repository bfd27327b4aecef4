//! The scenarios, and the files that they name, as parts of the program.

use std::path::PathBuf;

use simnet_running::simulation::MODEL;
use simnet_scenario::sweep::Sweep;
use simnet_scenario::{Files, Overrides};

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

/// A sweep, read and checked: what figures say of set-ups comes from there.
///
/// # Panics
/// If it is not there, or has faults: a bug of the figure.
pub(super) fn sweep(file: &str) -> Sweep {
    let sweep = Sweep::read(file, bytes_of(file), &Overrides::default(), &files(), MODEL);
    sweep.unwrap_or_else(|refusal| panic!("scenarios/{file}: {refusal}"))
}

fn bytes_of(file: &str) -> &'static [u8] {
    scenario(file).unwrap_or_else(|| panic!("there is no scenarios/{file}"))
}

fn files() -> Files {
    Files::from_copies(
        scenarios().iter().map(|(path, bytes)| (PathBuf::from(path), bytes.to_vec())).collect(),
    )
}
