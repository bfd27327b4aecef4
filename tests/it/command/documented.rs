//! Every command that stands in a shell block of README.md and of docs/*.md, run in a copy of the tree as a fresh clone
//! has it: the blocks of a page in their order, in one folder.
//!
//! What is not run, by rule:
//! - **Builds** ([`BUILDS`]): they would build this program again. `cargo run --release --` stands for `simnet`.
//! - **Peers** ([`PEERS`], a cluster, a fabric): where they are not installed.
//! - **Pages that lead by the hand** ([`OWN_TESTS`]): tests of their own run those and judge what they leave.
//! - **The walkthrough** (the block that is called so): `interop/discover_walkthrough.rs` runs it and reads it.
//! - **Costly commands** ([`COSTLY`]): from their share of `SIMNET_THOROUGH` on; before that what stands beside them
//!   there, which leaves the same files for the commands behind it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use support_network::cases;

use super::shown::{Block, blocks, followed};

/// Commands that build or test the program.
const BUILDS: [&str; 8] = [
    "cargo test",
    "cargo bench --bench ",
    "cargo bench -p ",
    "cargo install --path .",
    "cargo install cargo-mutants",
    "cargo mutants -p ",
    "tests/fuzz/run ",
    "cargo build",
];

/// The pages that `documents.rs` and `pages/teaching.rs` run. Blocks of OPERATOR.md have a name, for `operator.rs`.
const OWN_TESTS: [&str; 5] = ["TUTORIAL.md", "RESEARCHER.md", "DATA.md", "INSTALL.md", "TEACHING.md"];

/// Other people's programs; `make` stands for a compiler and launcher of MPI too.
const PEERS: [&str; 8] = ["make", "jq", "sqlite3", "trace_processor", "tshark", "hq", "parallel", "seq"];

/// What makes a command cheap, unless [`COSTLY`] has it so.
const SMALL: &str = "--quick";

/// From which share of the tests on a command is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum From {
    /// `SIMNET_THOROUGH=ci`: seconds.
    Ci,
    /// `SIMNET_THOROUGH=1`: minutes.
    All,
    /// Needs a cluster, a fabric or what runs on one; other tests have such things simulated.
    Elsewhere,
}

/// How commands begin that cost more than a second, and what is run in their place otherwise.
const COSTLY: &[(&str, From, &str)] = &[
    (
        "simnet run scenarios/now100.toml",
        From::Ci,
        "simnet run scenarios/now100.toml --quick --out results/now100",
    ),
    ("simnet run scenarios/curve32.toml", From::All, "simnet check scenarios/curve32.toml"),
    ("simnet run scenarios/sancho2000/", From::All, "simnet check scenarios/sancho2000/table1.toml"),
    ("simnet map pink", From::All, ""),
    (
        "simnet run scenarios/hendriks2004/pink.toml",
        From::All,
        "simnet check scenarios/hendriks2004/pink.toml",
    ),
    (
        "simnet run scenarios/mainwaring1997/mappers",
        From::All,
        "simnet check scenarios/mainwaring1997/mappers.toml",
    ),
    (
        "simnet run scenarios/mainwaring1997/load",
        From::All,
        "simnet check scenarios/mainwaring1997/load.toml",
    ),
    ("simnet run scenarios/remap-now-c.toml", From::Ci, ""),
    ("simnet run scenarios/parts-now-ca.toml", From::Ci, ""),
    ("simnet run scenarios/faraj2008/fig10.toml", From::All, "simnet check scenarios/faraj2008/fig10.toml"),
    ("simnet run scenarios/faraj2008/loss.toml", From::Ci, ""),
    ("simnet route suggest", From::Ci, ""),
    ("simnet figures sancho2000/table1", From::Ci, ""),
    ("simnet figures lawrence2008", From::All, ""),
    ("simnet figures --all", From::All, ""),
    ("simnet figures --check", From::All, ""),
    ("simnet figures --quick", From::All, ""),
    (
        "simnet sweep run scenarios/sweep-random32.toml --out results/example --executor slurm --dry-run",
        From::Ci,
        "",
    ),
    (
        "simnet sweep run scenarios/sweep-random32.toml --out results/example --executor slurm",
        From::Elsewhere,
        "",
    ),
    (
        "simnet sweep run scenarios/sweep-random32.toml --quick",
        From::Ci,
        "simnet sweep plan scenarios/sweep-random32.toml --quick",
    ),
    (
        "simnet sweep run scenarios/sweep-random32.toml",
        From::All,
        "simnet sweep plan scenarios/sweep-random32.toml --out results/example",
    ),
    ("simnet report results/example", From::Ci, ""),
    ("simnet sweep work results/example", From::Ci, ""),
    ("simnet sweep merge results/example", From::All, ""),
    ("ibnetdiscover", From::Elsewhere, "simnet topo convert now-c --to ibnetdiscover > fabric.topo"),
    ("simnet route check fabric.topo --lfts /var/log/", From::Elsewhere, ""),
];

/// A command and where it stands.
struct Shown {
    page: String,
    line: usize,
    command: String,
}

/// The commands of a page's shell blocks, comments left out, in their order.
fn commands(page: &str, text: &str) -> Vec<Shown> {
    let is_shell = |block: &Block<'_>| ["sh", "bash", "console"].contains(&block.kind);
    let mut found = Vec::new();
    for block in blocks(text).into_iter().filter(is_shell) {
        for (nth, line) in block.text.lines().enumerate() {
            let command = line.split(" #").next().unwrap_or_default().trim();
            let command = command.replace("cargo run --release -- ", "simnet ");
            if !command.is_empty() && !command.starts_with('#') {
                found.push(Shown { page: page.to_owned(), line: block.line + nth, command });
            }
        }
    }
    found
}

/// The README and the pages of docs, by name.
fn pages(project: &Path) -> Vec<(String, String)> {
    let docs = fs::read_dir(project.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let is_other = |path: &PathBuf| !OWN_TESTS.iter().any(|page| path.ends_with(page));
    let docs = docs.filter(|path| path.extension().is_some_and(|end| end == "md") && is_other(path));
    let mut paths: Vec<PathBuf> = docs.chain([project.join("README.md")]).collect();
    paths.sort();
    let named = |path: &PathBuf| path.strip_prefix(project).unwrap().to_str().unwrap().to_owned();
    paths.iter().map(|path| (named(path), fs::read_to_string(path).unwrap())).collect()
}

/// The files of the tree that a clone has; without git, all but what is built or was computed.
fn files(project: &Path) -> Vec<PathBuf> {
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(project).output();
    if let Some(listed) = listed.ok().filter(|listed| listed.status.success() && !listed.stdout.is_empty()) {
        let names = String::from_utf8(listed.stdout).unwrap();
        return names.split_terminator('\0').map(PathBuf::from).collect();
    }
    let (mut found, mut open) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(project.join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let (name, kind) = (folder.join(entry.file_name()), entry.file_type().unwrap());
            let is_apart = ["target", ".git"].iter().any(|apart| name == Path::new(apart));
            if kind.is_dir() && !is_apart {
                open.push(name);
            } else if kind.is_file() {
                found.push(name);
            }
        }
    }
    found
}

/// A copy of what commands may read: everything but the program's own text.
fn clone(project: &Path, all: &[PathBuf]) -> tempfile::TempDir {
    let room = tempfile::tempdir().unwrap();
    let needed = |file: &&PathBuf| !["src", "tests", "benches"].iter().any(|folder| file.starts_with(folder));
    for file in all.iter().filter(needed).filter(|file| project.join(file).is_file()) {
        let to = room.path().join(file);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(project.join(file), to).unwrap();
    }
    room
}

/// Whether a program is installed. Unlike other peers, these may be missing where all peers are required.
fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// What is run of a command with this share of the tests; `None` for nothing, which is said.
fn due(shown: &Shown, share: Option<From>) -> Option<String> {
    let (command, place) = (&shown.command, format!("{}:{}", shown.page, shown.line));
    if BUILDS.iter().any(|build| command.contains(build)) {
        return None;
    }
    let words: BTreeSet<&str> = command.split(' ').collect();
    let peers: Vec<&str> = PEERS.into_iter().filter(|peer| words.contains(peer)).collect();
    let is_known =
        command.starts_with("simnet ") || !peers.is_empty() || command.starts_with("ibnetdiscover");
    assert!(is_known, "{place}: nobody knows whether `{command}` can be run");
    if let Some(peer) = peers.iter().find(|peer| !is_installed(peer)) {
        eprintln!("skipped: {place}: there is no {peer} for `{command}`");
        return None;
    }
    let small = command.contains(SMALL);
    let costly =
        COSTLY.iter().find(|(begins, ..)| command.starts_with(begins) && (!small || begins.contains(SMALL)));
    match costly {
        Some((_, from, instead)) if share.is_none_or(|share| share < *from) => {
            eprintln!("{place}: `{command}` is for {from:?}; in its place: `{instead}`");
            (!instead.is_empty()).then(|| (*instead).to_owned())
        }
        _ => Some(command.clone()),
    }
}

/// Wrong if a command that a page shows did not run as it stands there, in its place among the others of the page.
#[test]
fn every_command_of_every_page_runs() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let share = match cases(20) {
        20 => Some(From::All),
        4 => Some(From::Ci),
        _ => None,
    };
    let (all, mut ran) = (files(project), 0);
    for (page, text) in pages(project) {
        let shown = commands(&page, &text);
        let due: Vec<(usize, String)> =
            shown.iter().filter_map(|shown| Some((shown.line, due(shown, share)?))).collect();
        if due.is_empty() {
            continue;
        }
        let room = clone(project, &all);
        for (line, command) in due {
            followed(&format!("{page}:{line}"), &command, room.path());
            ran += 1;
        }
    }
    assert!(ran >= 30, "only {ran} commands were run");
}

/// Wrong if a build that a page shows named a benchmark or a crate that is not there.
#[test]
fn builds_that_pages_show_name_what_is_there() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (page, text) in pages(project) {
        for Shown { line, command, .. } in commands(&page, &text) {
            let words: Vec<&str> = command.split_whitespace().collect();
            for pair in words.windows(2).filter(|_| words.contains(&"cargo")) {
                let is_there = match pair {
                    ["--bench", name] => project.join(format!("benches/{name}.rs")).is_file(),
                    ["--test", name] => project.join(format!("tests/{name}")).is_dir(),
                    ["-p", "simnet-fuzz"] => project.join("tests/fuzz").is_dir(),
                    ["-p", name] => name
                        .strip_prefix("simnet-")
                        .is_some_and(|name| project.join("src").join(name).is_dir()),
                    _ => true,
                };
                assert!(is_there, "{page}:{line}: {pair:?}");
            }
        }
    }
}
