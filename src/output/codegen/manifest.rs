//! By what a folder of generated source is known, and when it may be replaced: source is there to be edited, so only a
//! folder whose files are as they were written, and nothing else, gives way to a new one.

use std::collections::BTreeMap;

use blake3::Hash;
use serde::{Deserialize, Serialize};

use super::Source;
use crate::report::VERSION;
use simnet_base::files::{Kind, Listed};

/// The file that lists all others.
const MARK: &str = "manifest.json";

/// A folder of generated source, every file as it was written.
pub const SOURCE: Kind = Kind { what: "source that simnet codegen wrote", mark: MARK, listed };

/// What stands in `manifest.json`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    /// simnet's version.
    version: String,
    /// The commit it was built from.
    commit: String,
    /// Of every other file the BLAKE3 of its bytes, in hexadecimal.
    source_blake3: BTreeMap<String, String>,
}

/// The manifest of files that a simnet built from `commit` writes.
///
/// # Panics
/// Never: names and hashes print as JSON.
pub fn manifest(commit: &str, files: &[Source]) -> Source {
    let hash = |file: &Source| (file.name.clone(), blake3::hash(file.text.as_bytes()).to_hex().to_string());
    let manifest = Manifest {
        version: VERSION.to_owned(),
        commit: commit.to_owned(),
        source_blake3: files.iter().map(hash).collect(),
    };
    let text = serde_json::to_string_pretty(&manifest).expect("names and hashes print as JSON");
    Source { name: MARK.to_owned(), text: format!("{text}\n") }
}

/// What a manifest lists; `None` if it is none of ours.
fn listed(text: &[u8]) -> Option<Listed> {
    let manifest: Manifest = serde_json::from_slice(text).ok()?;
    let hash = |(name, hash): (String, String)| Some((name, Some(Hash::from_hex(hash).ok()?)));
    manifest.source_blake3.into_iter().map(hash).collect()
}
