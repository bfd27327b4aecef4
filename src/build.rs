//! Notes the commit that simnet is built from.

use std::process::Command;

fn main() {
    let output = Command::new("git").args(["rev-parse", "--short=12", "HEAD"]).output();
    let commit = output.ok().filter(|output| output.status.success());
    let commit = commit.and_then(|output| String::from_utf8(output.stdout).ok());
    println!("cargo::rustc-env=SIMNET_COMMIT={}", commit.as_deref().map_or("unknown", str::trim));
    println!("cargo::rerun-if-changed=src/build.rs");
    println!("cargo::rerun-if-changed=.git/HEAD");
    println!("cargo::rerun-if-changed=.git/logs/HEAD");
}
