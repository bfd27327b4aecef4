//! Makes the scenarios part of the program.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let place = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    fs::write(place.join("scenarios.rs"), list("SCENARIOS", "../../scenarios", &["toml", "json", "csv"])?)
}

/// Rust for a list of the files of a folder: their paths in it, sorted, and their bytes.
fn list(name: &str, folder: &str, kinds: &[&str]) -> io::Result<String> {
    println!("cargo::rerun-if-changed={folder}");
    let mut files = Vec::new();
    collect(Path::new(folder), kinds, &mut files)?;
    files.sort();
    let mut list = format!("const {name}: &[(&str, &[u8])] = &[\n");
    for file in files {
        let inside = file.strip_prefix(folder).map_err(io::Error::other)?;
        let inside: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
        let inside = inside.join("/");
        let _ = writeln!(
            list,
            "    ({inside:?}, include_bytes!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/{folder}/{inside}\"))),"
        );
    }
    Ok(list + "];\n")
}

fn collect(folder: &Path, kinds: &[&str], files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, kinds, files)?;
        } else if path.extension().is_some_and(|kind| kinds.iter().any(|wanted| kind == *wanted)) {
            files.push(path);
        }
    }
    Ok(())
}
