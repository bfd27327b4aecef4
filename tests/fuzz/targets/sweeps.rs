//! Sweeps and the shards of their points.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use simnet_running::simulation::MODEL;
use simnet_running::sweep::{Identity, Store};
use simnet_scenario::sweep::Sweep;
use simnet_scenario::{Files, Overrides};

use super::{refused, scenarios};

/// The scenarios of the tree that are sweeps.
pub(super) fn files() -> Vec<Vec<u8>> {
    let is_sweep = |text: &Vec<u8>| text.windows(7).any(|part| part == b"[sweep]" || part == b"[[sweep");
    scenarios::files().into_iter().filter(is_sweep).collect()
}

pub(super) fn read(input: &[u8]) -> bool {
    let files = Files::from_copies(scenarios::named().clone());
    match Sweep::read("scenario.toml", input, &Overrides::default(), &files, MODEL) {
        Ok(_) => true,
        Err(refusal) => {
            refused(&refusal);
            false
        }
    }
}

/// Lines of a shard, without their checks.
pub(super) fn shards() -> Vec<Vec<u8>> {
    let line =
        |key: &str, rest: &str| format!("\"key\":\"{}\",{rest}}}\n", blake3::hash(key.as_bytes()).to_hex());
    let lines = [
        line("a", "\"result\":{\"b.c\":0.1,\"d\":[1,null]}"),
        line("b", "\"error\":\"why\""),
        line("b", "\"again\":2,\"result\":1"),
    ];
    vec![lines.concat().into_bytes()]
}

/// A folder of a sweep.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    FOLDER.get_or_init(|| tempfile::tempdir().expect("a temporary folder")).path()
}

/// Reads a shard whose lines are those of the input with their checks, and those that begin with a brace as they are.
pub(super) fn read_shard(input: &[u8]) -> bool {
    let identity = Identity::new("fuzz", false, 1);
    let store = Store::open(folder(), &identity, &[].into()).expect("a folder of our own");
    let mut shard = Vec::new();
    for line in input.split_inclusive(|byte| *byte == b'\n') {
        if !line.starts_with(b"{") {
            let body = line.strip_suffix(b"\n").unwrap_or(line);
            shard.extend(format!("{{\"check\":\"{}\",", blake3::hash(body).to_hex()).as_bytes());
        }
        shard.extend(line);
    }
    fs::write(folder().join("shards/one.jsonl"), &shard).expect("a folder of our own");
    let known = match store.known() {
        Ok(known) => known,
        Err(error) => {
            assert!(error.is_bad_input(), "{error}");
            return false;
        }
    };
    known.damage().iter().for_each(|damage| drop(damage.to_string()));
    let keys = ["a", "b"].map(|key| blake3::hash(key.as_bytes()));
    for key in &keys {
        if let Err(error) = known.outcome(key) {
            assert!(error.is_bad_input(), "{error}");
        }
    }
    !known.is_empty()
}
