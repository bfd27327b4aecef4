//! What tests share that need nothing above `simnet-network`, and what needs nothing of simnet at all.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "what fails in a test may panic")]

pub mod damage;
pub mod formats;
pub mod lfts;
pub mod mapping;
pub mod routing;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// The folder of the workspace.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.."))
}

/// How many cases to run of `full`: all with `SIMNET_THOROUGH=1`, a fifth with `SIMNET_THOROUGH=ci`,
/// otherwise a twentieth; at least one.
pub fn cases(full: u64) -> u64 {
    match thorough().as_deref() {
        Some("ci") => (full / 5).max(1),
        Some(_) => full.max(1),
        None => (full / 20).max(1),
    }
}

/// As [`cases`] for those of which one takes a twentieth of a second or more: a twentieth with `SIMNET_THOROUGH=ci`,
/// by default a hundredth.
pub fn long_cases(full: u64) -> u64 {
    match thorough().as_deref() {
        Some("ci") => cases(full).div_ceil(4),
        Some(_) => cases(full),
        None => cases(full).div_ceil(5),
    }
}

/// What `SIMNET_THOROUGH` says, if it asks for more than the least.
fn thorough() -> Option<String> {
    std::env::var("SIMNET_THOROUGH").ok().filter(|value| !value.is_empty() && value != "0")
}

/// Takes the first entry of a queue if it is `wanted`.
pub fn first_if<T>(queue: &mut VecDeque<T>, wanted: impl FnOnce(&T) -> bool) -> Option<T> {
    if wanted(queue.front()?) { queue.pop_front() } else { None }
}

/// The mean of a sample and the half-width of its interval of confidence, given Student's quantile.
pub fn interval(sample: &[f64], quantile: f64) -> (f64, f64) {
    let n = sample.len() as f64;
    let mean = sample.iter().sum::<f64>() / n;
    let variance = sample.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, quantile * (variance / n).sqrt())
}

/// Where the peer program `name` is installed. `None` where it is absent, after saying that its test is
/// skipped.
///
/// Panics where it is absent although `SIMNET_REQUIRE_PEERS=1`.
pub fn peer(name: &str) -> Option<PathBuf> {
    found_or_skipped(name, installed(name))
}

/// Where a program is installed, if it is.
pub fn installed(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    // Debian keeps some of the tools where only root's PATH looks.
    let folders =
        std::env::split_paths(&path).chain(["/usr/local/sbin", "/usr/sbin", "/sbin"].map(PathBuf::from));
    folders.map(|folder| folder.join(name)).find(|program| program.is_file())
}

/// What a peer needs besides a program, such as a library; as [`peer`].
pub fn found_or_skipped(name: &str, found: Option<PathBuf>) -> Option<PathBuf> {
    if found.is_none() {
        let required = std::env::var("SIMNET_REQUIRE_PEERS").is_ok_and(|value| value == "1");
        assert!(!required, "SIMNET_REQUIRE_PEERS=1, but {name} is not installed");
        eprintln!("skipped: no {name}");
    }
    found
}

/// A file or folder of the material that may lie next to the project, in `../shared`; says what is skipped
/// where it does not.
pub fn shared(path: &str) -> Option<PathBuf> {
    let shared = root().join("../shared").join(path);
    if shared.exists() {
        return Some(shared);
    }
    eprintln!("skipped: no ../shared/{path}");
    None
}
