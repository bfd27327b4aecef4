//! Results folders, as the pages of reports are made of them.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use simnet_output::page::{Contents, page};

/// Between a file's name and its contents, and between files: no file of ours has it.
const APART: char = '\u{1e}';

/// A results folder of a few small files.
pub(super) fn folders() -> Vec<Vec<u8>> {
    let summary =
        "{\"scenario\": \"a\", \"seed\": 1, \"outcome\": \"drained\", \"points\": [{\"load\": 0.1}]}";
    let manifest =
        "{\"format\": \"simnet-results/1\", \"scenario\": \"a\", \"version\": \"0.1.0\", \"seed\": 1}";
    let network = "{\"format\": \"simnet-topology/1\", \"name\": \"n\"}";
    let table = "load,latency_ns_mean\n0.1,5\n\"0.2\",'=7\n";
    let files = [
        ("summary.json", summary),
        ("manifest.json", manifest),
        ("points.csv", table),
        ("map.json", network),
    ];
    let each = files.map(|(name, text)| format!("{name}{APART}{text}"));
    vec![each.join(&APART.to_string()).into_bytes()]
}

fn folder() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    FOLDER.get_or_init(|| tempfile::tempdir().expect("a temporary folder")).path()
}

/// Makes a page of a folder with the files of the input.
pub(super) fn read(input: &[u8]) -> bool {
    let inside = folder().join("results");
    let _ = fs::remove_dir_all(&inside);
    fs::create_dir(&inside).expect("a folder of our own");
    let mut parts = input.split(|byte| *byte == APART as u8);
    while let (Some(name), Some(bytes)) = (parts.next(), parts.next()) {
        let is_plain = |byte: &u8| byte.is_ascii_lowercase() || matches!(byte, b'.' | b'-');
        let name = str::from_utf8(name).ok().filter(|name| name.bytes().all(|byte| is_plain(&byte)));
        if let Some(name) = name.filter(|name| name.len() > 4 && !name.starts_with('.')) {
            fs::write(inside.join(name), bytes).expect("a folder of our own");
        }
    }
    match Contents::read(&inside) {
        Ok(contents) => {
            let _ = page(&contents);
            true
        }
        Err(refused) => {
            assert!(!refused.to_string().is_empty());
            false
        }
    }
}
