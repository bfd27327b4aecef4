//! What pages show: their blocks, and a shell that runs what stands in them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use support_network::root;

/// A block of a page between two fences.
pub(crate) struct Block<'p> {
    /// What stands behind the first fence: `sh`, `sh walkthrough`, `toml`.
    pub(crate) kind: &'p str,
    /// The number of its first line.
    pub(crate) line: usize,
    pub(crate) text: &'p str,
}

/// The text of a file of the project.
pub(crate) fn page(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All blocks of a page, in order.
pub(crate) fn blocks(page: &str) -> Vec<Block<'_>> {
    let (mut found, mut open, mut at) = (Vec::new(), None, 0);
    for (nth, line) in page.split_inclusive('\n').enumerate() {
        let next = at + line.len();
        if let Some(kind) = line.strip_prefix("```") {
            open = match open {
                None => Some((kind.trim_end(), nth + 2, next)),
                Some((kind, line, from)) => {
                    found.push(Block { kind, line, text: &page[from..at] });
                    None
                }
            };
        }
        at = next;
    }
    found
}

/// The texts of the blocks of one kind.
pub(crate) fn texts<'p>(page: &'p str, kind: &str) -> Vec<&'p str> {
    blocks(page).into_iter().filter(|block| block.kind == kind).map(|block| block.text).collect()
}

/// Runs a script as a shell does that ends at the first failure, `simnet` being the program under test.
pub(crate) fn shell(script: &str, room: &Path) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_simnet")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    shell.args(["-ec", script]).current_dir(room).env("PATH", format!("{}:{path}", program.display()));
    shell.env_remove("SIMNET_LOG").env_remove("MPIRUNFLAGS").output().unwrap()
}

/// Runs a script that has to succeed, which `what` names; gives what it printed.
pub(crate) fn followed(what: &str, script: &str, room: &Path) -> String {
    let output = shell(script, room);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{what}: {script}: {:?} {printed}{error}", output.status.code());
    printed
}
