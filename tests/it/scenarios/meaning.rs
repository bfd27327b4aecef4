//! When two scenarios mean the same, and files that are nowhere on a disk.

use std::collections::BTreeMap;
use std::path::PathBuf;

use simnet::scenario::expect::Expectations;
use simnet::scenario::sweep::Identity;
use simnet::scenario::{Checked, Files};

/// The meaning of a scenario, as the program prints it: all but its name, what it is about and what it expects. Routes
/// that are drawn show their seed themselves.
pub(crate) fn meaning(checked: Checked) -> String {
    let nothing = Checked {
        name: String::new(),
        description: None,
        identity: Identity::default(),
        routing_seed: 0,
        expect: Expectations::default(),
        warnings: Vec::new(),
        ..checked
    };
    format!("{nothing:?}")
}

/// Copies of files by name.
pub(crate) fn kept(files: &[(&str, &str)]) -> Files {
    let copies = files.iter().map(|(name, text)| (PathBuf::from(name), text.as_bytes().to_vec()));
    Files::from_copies(copies.collect::<BTreeMap<_, _>>())
}
