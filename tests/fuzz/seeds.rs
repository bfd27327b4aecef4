//! The corpora: what stands in the tree anyway.

use std::fs;
use std::path::{Path, PathBuf};

/// Larger files say nothing that smaller ones do not, and are slow.
const LARGEST: u64 = 1 << 16;

/// The files of the tree's scenarios, tests and presets whose names end in one of these, in order of path.
pub(crate) fn files(endings: &[&str]) -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for folder in ["scenarios", "tests", "src"] {
        walk(&root.join(folder), endings, &mut found);
    }
    found.sort();
    found.into_iter().map(|path| (path.clone(), fs::read(&path).expect("a file of the tree"))).collect()
}

/// The contents of [`files`].
pub(crate) fn contents(endings: &[&str]) -> Vec<Vec<u8>> {
    files(endings).into_iter().map(|(_, bytes)| bytes).collect()
}

fn walk(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the tree") {
        let entry = entry.expect("readable");
        let path = entry.path();
        let is_wanted =
            || endings.iter().any(|ending| path.to_str().is_some_and(|path| path.ends_with(ending)));
        if path.is_dir() {
            walk(&path, endings, found);
        } else if is_wanted() && entry.metadata().is_ok_and(|there| there.len() <= LARGEST) {
            found.push(path);
        }
    }
}
