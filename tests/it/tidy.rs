//! Our own text: what the architecture forbids, and what style asks for, as far as text can show it.

use std::fs;
use std::path::{Path, PathBuf};

/// The crates of more than one folder, each with its folders from the ground up: a folder uses only those before it.
/// That no crate uses one above it is held by the compiler.
const FLOORS: [(&str, &[&str]); 5] = [
    ("base", &["numbers", "units", "ids", "diagnostics", "files", "cells", "papers", "des", "measure"]),
    ("network", &["topology", "routing", "ring", "discovery"]),
    ("media", &["medium", "fabric", "ethernet", "host", "trace", "traffic"]),
    ("output", &["report", "page", "codegen"]),
    ("running", &["simulation", "sweep"]),
];

/// Pairs that the order of floors would allow and the architecture does not.
const APART: [(&str, &str); 6] = [
    ("discovery", "routing"),
    ("discovery", "ring"),
    ("host", "fabric"),
    ("host", "ethernet"),
    ("ethernet", "fabric"),
    ("traffic", "routing"),
];

fn files(folder: &Path, suffix: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, suffix));
        } else if path.to_str().unwrap().ends_with(suffix) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The part of a source file before its unit tests, without comments.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let body = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    body.lines().map(|line| line.split("//").next().unwrap()).collect::<Vec<_>>().join("\n")
}

/// The folder of a file: the part of its path below its crate, or the crate that is one folder.
fn folder(path: &Path) -> String {
    let below = path.strip_prefix(root().join("src")).unwrap();
    let mut parts = below.components().map(|part| part.as_os_str().to_str().unwrap().trim_end_matches(".rs"));
    let first = parts.next().unwrap();
    let is_divided = FLOORS.iter().any(|(name, _)| *name == first);
    (if is_divided { parts.next().unwrap() } else { first }).to_owned()
}

/// Wrong if some folder used one above it in its crate, or one that it must not know.
#[test]
fn folders_use_only_those_below_them() {
    let mut faults = Vec::new();
    for path in files(&root().join("src"), ".rs") {
        let (own, text) = (folder(&path), code(&path));
        let uses =
            |place: String| text.contains(&format!("{place}::")) || text.contains(&format!("{place};"));
        for (krate, floors) in FLOORS {
            for (level, name) in floors.iter().enumerate() {
                let own_level = floors.iter().position(|floor| *floor == own);
                let is_above = own_level.is_some_and(|own| level > own) && uses(format!("crate::{name}"));
                let is_apart = APART.contains(&(own.as_str(), name))
                    && (uses(format!("crate::{name}")) || uses(format!("simnet_{krate}::{name}")));
                if is_above || is_apart {
                    faults.push(format!("{} uses {name}", path.display()));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Wrong if a file were opened, renamed or removed outside the floor that does it, except what
/// the system publishes about itself is read, and a shard's file is begun.
#[test]
fn only_one_floor_touches_the_disk() {
    let calls =
        ["fs::rename", "fs::remove_", "fs::read(", "fs::write(", "fs::copy(", "File::open(", "File::create"];
    for path in files(&root().join("src"), ".rs") {
        if folder(&path) == "files" || path.ends_with("build.rs") {
            continue;
        }
        let text = code(&path);
        let found = calls.iter().find(|call| text.contains(**call));
        assert!(found.is_none(), "{} calls {found:?}", path.display());
        let reads = text.matches("read_to_string(").count() - text.matches("read_to_string(\"/proc/").count();
        let own = text.matches(".read_to_string(").count();
        assert_eq!(reads, own, "{} reads a file by its name", path.display());
    }
}

/// Wrong if event machinery learned a word of networking.
#[test]
fn des_knows_no_networking_word() {
    for path in files(&root().join("src/base/des"), ".rs") {
        let text = fs::read_to_string(&path).unwrap().to_lowercase();
        for word in ["flit", "worm", "switch", "packet", "topology", "channel", "route"] {
            let found =
                text.split(|c: char| !c.is_ascii_alphabetic()).any(|w| w == word || w == format!("{word}s"));
            assert!(!found, "{} says {word}", path.display());
        }
    }
}

/// Wrong if a library file printed, or a file outgrew reading.
#[test]
fn only_the_command_line_prints_and_files_stay_readable() {
    for path in files(&root().join("src"), ".rs") {
        let text = code(&path);
        if folder(&path) != "cli" && !path.ends_with("build.rs") {
            assert!(!text.contains("println!") && !text.contains("print!("), "{} prints", path.display());
        }
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines <= 700, "{} has {lines} lines: look for the seam", path.display());
    }
}

/// Wrong if a message showed a path with what a terminal obeys, or printed past the escaper.
#[test]
fn paths_are_shown_by_the_one_escaper() {
    for path in files(&root().join("src"), ".rs") {
        let (text, name) = (code(&path), path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned());
        assert!(
            name.ends_with("build.rs") || !text.contains(".display()"),
            "{name}: `diagnostics::shown` shows a path"
        );
        let prints = ["writeln!(std::io::stderr", "writeln!(io::stderr", "eprint"];
        let is_printer = ["src/cli.rs", "src/cli/output.rs"].contains(&name.as_str());
        let found = prints.iter().find(|print| text.contains(**print));
        assert!(is_printer || found.is_none(), "{name}: `output::tell` prints to stderr");
    }
}

/// Wrong if a line were too long to be read next to another, or something were left for later.
#[test]
fn lines_fit_and_nothing_is_left_for_later() {
    let later = ["to", "do"].concat().to_uppercase();
    let mut paths = files(&root().join("src"), ".rs");
    paths.extend(files(&root().join("tests"), ".rs"));
    paths.extend(files(&root().join("benches"), ".rs"));
    for path in paths {
        for (number, line) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            let place = format!("{}:{}", path.display(), number + 1);
            assert!(line.chars().count() <= 120 || line.contains("\\n"), "{place} is too long");
            assert!(!line.contains(&later), "{place} leaves something for later");
        }
    }
}

/// Wrong if a model did not say where it comes from.
#[test]
fn model_files_name_their_source() {
    for name in [
        "media/fabric.rs",
        "media/host/mapper/berkeley.rs",
        "network/routing/directions.rs",
        "network/routing/dependency.rs",
    ] {
        let text = fs::read_to_string(root().join("src").join(name)).unwrap();
        assert!(text.contains("# Source"), "{name} names no source");
        assert!(text.contains("# Scope and limitations"), "{name} does not say what it leaves out");
    }
}
