//! Real MPI: the compiler, the launcher, and generated source made by them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use support_network::peer;

/// As root, with more ranks than cores, and not for ever.
pub(crate) const MPIRUN: [&str; 4] = ["--allow-run-as-root", "--oversubscribe", "--timeout", "300"];

/// Names that end literals and comments, form trigraphs, look like what they are not, or ask to be filled in.
pub(crate) const NASTY: [&str; 8] =
    ["a\"b", "*/ x /*", "k??/\\", "é\n", "int", "9 lives", "@ring@ %s \\n", "\u{202e}\u{7}{}"];

/// The object that simnet printed, without a complaint.
pub(crate) fn object(output: &Output) -> Value {
    assert_eq!((output.status.code(), &*String::from_utf8_lossy(&output.stderr)), (Some(0), ""));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What a program ended with, and what it wrote to stdout and stderr.
pub(crate) fn run(command: &mut Command) -> (Option<i32>, String, String) {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The compiler and the launcher; `None` where one is absent.
pub(crate) fn mpi() -> Option<(PathBuf, PathBuf)> {
    let needed = [peer("mpicc"), peer("mpirun"), peer("make")];
    let [mpicc, mpirun, _] = needed;
    Some((mpicc?, mpirun?))
}

/// Makes a target of generated source, warnings being errors.
pub(crate) fn make(folder: &Path, target: &str, mpicc: &Path) {
    let strict = "CFLAGS=-O2 -Wall -Wextra -Werror -pedantic";
    let mut command = Command::new("make");
    command.arg("-C").arg(folder).args([strict, target]).env("MPICC", mpicc);
    // As a user has it: the Makefile finds out by itself what this launcher has to be told.
    command.env_remove("MPIRUNFLAGS");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
