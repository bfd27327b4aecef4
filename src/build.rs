//! Notes the commit that simnet is built from, and makes the scenarios and tolerances part of the program.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let output = Command::new("git").args(["rev-parse", "--short=12", "HEAD"]).output();
    let commit = output.ok().filter(|output| output.status.success());
    let commit = commit.and_then(|output| String::from_utf8(output.stdout).ok());
    println!("cargo::rustc-env=SIMNET_COMMIT={}", commit.as_deref().map_or("unknown", str::trim));
    println!("cargo::rerun-if-changed=src/build.rs");
    println!("cargo::rerun-if-changed=.git/HEAD");
    println!("cargo::rerun-if-changed=.git/logs/HEAD");

    let place = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    let scenarios = list("SCENARIOS", "scenarios", &["toml", "json", "csv"])?;
    fs::write(place.join("scenarios.rs"), scenarios)?;
    fs::write(place.join("tolerances.rs"), list("TOLERANCES", "src/papers/tolerances", &["csv"])?)
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
