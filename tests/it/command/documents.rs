//! The pages that lead by the hand: their commands run, their files are the committed ones, their snippets name columns
//! that are there, their links lead somewhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use support_network::{found_or_skipped, peer, root};

use super::shown::{followed, texts};

/// The pages whose commands are run, in this order.
const PAGES: [&str; 4] = ["TUTORIAL.md", "RESEARCHER.md", "DATA.md", "INSTALL.md"];

fn page(name: &str) -> String {
    super::shown::page(&format!("docs/{name}"))
}

/// A folder with the scenarios of the pages, where their commands run.
fn room() -> tempfile::TempDir {
    let room = tempfile::tempdir().unwrap();
    let folder = room.path().join("scenarios/tutorial");
    fs::create_dir_all(&folder).unwrap();
    for entry in fs::read_dir(root().join("scenarios/tutorial")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, folder.join(path.file_name().unwrap())).unwrap();
    }
    room
}

/// Runs the commands of a page; gives what they printed.
fn follow(name: &str, room: &Path) -> String {
    let page = page(name);
    let lines = texts(&page, "sh").into_iter().flat_map(str::lines);
    lines.filter(|line| line.starts_with("simnet ")).map(|line| followed(name, line, room)).collect()
}

/// The names in a snippet that end as columns do.
fn names_of_columns(snippet: &str) -> BTreeSet<String> {
    let words = snippet.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let is_column = |word: &&str| ["_ns", "_share", "_host"].iter().any(|end| word.ends_with(end));
    words.filter(is_column).map(str::to_owned).collect()
}

/// The columns of all tables below a folder.
fn columns(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(columns(&path));
        } else if path.extension().is_some_and(|kind| kind == "csv") {
            let text = fs::read_to_string(&path).unwrap();
            found.extend(text.lines().next().unwrap().split(',').map(str::to_owned));
        }
    }
    found
}

/// Where pandas is: installed, or in target/peers/python.
fn pandas() -> Option<PathBuf> {
    let python = peer("python3")?;
    let folder = root().join("target/peers/python");
    let mut command = Command::new(&python);
    let found = command.args(["-c", "import pandas"]).env("PYTHONPATH", &folder).output().unwrap();
    found_or_skipped(
        "pandas (pip install --target target/peers/python pandas)",
        found.status.success().then_some(folder),
    )
}

/// Wrong if a command of the pages failed, a file that they promise were not left, what they print were another's, or a
/// snippet read a column or a file that is not there.
#[test]
fn pages_can_be_followed() {
    let room = room();
    let mut printed = String::new();
    for name in PAGES {
        printed.push_str(&follow(name, room.path()));
        let page = page(name);
        for line in texts(&page, "text").into_iter().flat_map(str::lines).filter(|_| name == "TUTORIAL.md") {
            assert!(printed.lines().any(|other| other == line), "{name} shows what is not printed: {line}");
        }
    }
    let results = room.path().join("results/tutorial");
    for file in ["first/latency.svg", "first/warmup.svg", "routings/latency.svg", "hour/uniform.svg"] {
        roxmltree::Document::parse(&fs::read_to_string(results.join(file)).unwrap()).unwrap();
    }
    let known = columns(&results);
    // Made by the snippets themselves.
    let made = ["latency_ns", "queueing_ns"];
    for name in PAGES {
        let page = page(name);
        for snippet in texts(&page, "python").into_iter().chain(texts(&page, "r")) {
            let missing = names_of_columns(snippet).into_iter();
            let missing: Vec<_> =
                missing.filter(|one| !known.contains(one) && !made.contains(&one.as_str())).collect();
            assert!(missing.is_empty(), "{name}: {missing:?} are no columns");
            let files =
                snippet.split('"').filter(|text| text.starts_with("results/") && text.ends_with(".csv"));
            files.for_each(|file| assert!(room.path().join(file).is_file(), "{name}: {file} is not there"));
        }
    }
    run_snippets(room.path());
}

/// Runs the snippets of the pages where pandas is.
fn run_snippets(room: &Path) {
    let Some(folder) = pandas() else { return };
    for name in PAGES {
        for snippet in texts(&page(name), "python") {
            let mut python = Command::new("python3");
            python.args(["-c", snippet]).env("PYTHONPATH", &folder).current_dir(room);
            let output = python.output().unwrap();
            assert!(
                output.status.success(),
                "{name}: {snippet}\n{}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
}

/// Wrong if a page showed another file than the one that its commands run.
#[test]
fn files_in_pages_are_those_that_run() {
    let mut seen = 0;
    for block in texts(&page("TUTORIAL.md"), "toml") {
        let (first, text) = block.split_once('\n').unwrap();
        let path = first.strip_prefix("# ").expect("a file's name stands above it");
        assert_eq!(fs::read_to_string(root().join(path)).unwrap(), text, "{path}");
        seen += 1;
    }
    assert_eq!(seen, 2);
    let whole = fs::read_to_string(root().join("scenarios/tutorial/hour.toml")).unwrap();
    for line in texts(&page("RESEARCHER.md"), "toml").into_iter().flat_map(str::lines) {
        let is_there = whole.lines().any(|other| other == line || other.starts_with(&format!("{line} ")));
        assert!(line.is_empty() || is_there, "{line}");
    }
}

/// Wrong if a link of a page led to no file, or a page were not in the index.
#[test]
fn links_lead_somewhere_and_the_index_has_all_pages() {
    let folder = root().join("docs");
    let index = page("README.md");
    for entry in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap()) {
        let name = entry.file_name().into_string().unwrap();
        if !name.ends_with(".md") {
            continue;
        }
        assert!(
            name == "README.md" || index.contains(&format!("({name})")),
            "{name} is not in docs/README.md"
        );
        let text = page(&name);
        for link in text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
            let file = link.split('#').next().unwrap();
            let is_elsewhere = link.contains("://") || file.is_empty() || file.contains([' ', '"', '\n']);
            assert!(is_elsewhere || folder.join(file).exists(), "{name} links to {link}");
        }
    }
}

/// Wrong if the image's recipe copied what is not there, or lacked a folder that the program is made of.
#[test]
fn the_image_is_made_of_what_is_there() {
    let recipe = fs::read_to_string(root().join("docs/Containerfile")).unwrap();
    let copied: BTreeSet<&str> = recipe
        .lines()
        .filter_map(|line| line.strip_prefix("COPY "))
        .filter(|line| !line.starts_with("--from"))
        .flat_map(|line| line.split_whitespace().rev().skip(1))
        .collect();
    let ignored = fs::read_to_string(root().join(".containerignore")).unwrap();
    assert_eq!(ignored, fs::read_to_string(root().join(".dockerignore")).unwrap());
    for name in &copied {
        assert!(root().join(name).exists(), "{name} is not there");
        assert!(!ignored.lines().any(|line| line == *name), "{name} is ignored");
    }
    let needed = ["Cargo.toml", "Cargo.lock", "src", "scenarios", "tests", "benches"];
    assert_eq!(copied, BTreeSet::from(needed));
}
