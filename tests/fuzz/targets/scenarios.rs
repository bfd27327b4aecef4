//! Scenarios, what the command line lays over them, and the tables that they name.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use simnet_scenario::{Checked, Files, Overrides, declared, read_from};

use super::refused;
use crate::seeds;

/// Every scenario of the tree, the faulty ones too.
pub(super) fn files() -> Vec<Vec<u8>> {
    seeds::contents(&[".toml"])
}

/// The files that scenarios of the tree name, as if all stood in one folder.
pub(super) fn named() -> &'static BTreeMap<PathBuf, Vec<u8>> {
    static NAMED: OnceLock<BTreeMap<PathBuf, Vec<u8>>> = OnceLock::new();
    NAMED.get_or_init(|| {
        let files = seeds::files(&[".toml", ".json", ".csv", ".ndjson", ".routes"]);
        let named = files.into_iter().map(|(path, bytes)| (path.file_name().expect("a file").into(), bytes));
        named.collect()
    })
}

pub(super) fn read(input: &[u8]) -> bool {
    let _ = declared("scenario.toml", input, &Overrides::default());
    checked(input, Files::from_copies(named().clone()), &Overrides::default()).is_some()
}

fn checked(input: &[u8], files: Files, overrides: &Overrides) -> Option<Checked> {
    read_from("scenario.toml", input, overrides, &files).map_err(|refusal| refused(&refusal)).ok()
}

pub(super) fn assignments() -> Vec<Vec<u8>> {
    let texts = [
        "fabric.buffer=\"10 B\"",
        "traffic.uniform.loads.0=0.5",
        "fabric.arbitration=serial",
        "routing={ algorithm = \"updown\" }",
        "topology.preset=now-c",
        "failures.0.link=\"s0:0\"",
        "seed=3",
    ];
    texts.into_iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// One assignment a line.
pub(super) fn read_assignment(input: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(input) else { return false };
    let overrides = Overrides { set: text.lines().map(str::to_owned).collect(), seed: None };
    checked(REPLAY.as_bytes(), Files::from_copies(named().clone()), &overrides).is_some()
}

const REPLAY: &str = "[scenario]\nname = \"case\"\n[topology]\nfile = \"net.json\"\n[routing]\nalgorithm = \"updown\"\n\
                      [traffic.uniform]\npayload = \"32 B\"\nloads = [0.01]\n";

pub(super) fn read_lengths(input: &[u8]) -> bool {
    let scenario = REPLAY.replace("\"32 B\"", "{ file = \"table.csv\" }");
    with_table(&scenario, input)
}

pub(super) fn read_messages(input: &[u8]) -> bool {
    let (head, _) = REPLAY.split_once("[traffic").expect("it has traffic");
    with_table(&format!("{head}[traffic.trace]\nfile = \"table.csv\"\n"), input)
}

/// Reads a scenario that names a table.
fn with_table(scenario: &str, table: &[u8]) -> bool {
    let net = named()[&PathBuf::from("net.json")].clone();
    let copies = [("net.json".into(), net), ("table.csv".into(), table.to_vec())];
    checked(scenario.as_bytes(), Files::from_copies(copies.into()), &Overrides::default()).is_some()
}
