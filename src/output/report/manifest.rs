//! Where results come from. The only file of a run that may differ from machine to machine.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use simnet_base::files::{Inside, Kind, LARGEST, Listed};

/// The first line of the `README.md` that some runs write.
pub const README_MARK: &str = "<!-- Written by simnet run, which replaces this folder. -->";

/// The results of a run: the folder of a [`Manifest`].
pub const RESULTS: Kind =
    Kind { what: "the results of an earlier run", mark: "manifest.json", listed: Manifest::listed };

/// What a run cost this process.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Usage {
    /// Seconds of wall time.
    pub wall_s: f64,
    /// Seconds of processor time, user and system; `None` where the system does not say.
    pub cpu_s: Option<f64>,
    /// The most memory it held at once, in bytes; `None` where the system does not say.
    pub max_rss_bytes: Option<u64>,
}

/// The provenance of a results folder: `manifest.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// simnet's version.
    pub version: String,
    /// The commit it was built from.
    pub commit: String,
    /// The scenario's name.
    pub scenario: String,
    /// BLAKE3 of the scenario with all defaults and files resolved, in hexadecimal.
    pub scenario_hash: String,
    /// The seed.
    pub seed: u64,
    /// Whether it is the small form of the run.
    #[serde(default, skip_serializing_if = "is_false")]
    pub quick: bool,
    /// Whether the run was interrupted, so that something is missing.
    #[serde(default, skip_serializing_if = "is_false")]
    pub interrupted: bool,
    /// The command line; bytes that are no UTF-8 are written as `\xNN`.
    pub argv: Vec<String>,
    /// The machine's name.
    pub host: String,
    /// The other files of the run's folder, in order of their names: none of them may be missing.
    pub files: Vec<String>,
    /// What it cost.
    #[serde(flatten)]
    pub usage: Usage,
    /// Events of all fabrics together.
    pub events: u64,
    /// Messages delivered over all points, warm-up included.
    pub messages_delivered: u64,
}

/// Whether there is nothing to say.
fn is_false(value: &bool) -> bool {
    !value
}

/// The version of simnet.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

impl Usage {
    /// The usage of this process so far, given its wall time.
    ///
    /// # Source
    /// Linux, proc(5): `utime` and `stime` in /proc/self/stat, in ticks of 10 ms; `VmHWM` in /proc/self/status.
    pub fn of_this_process(wall_s: f64) -> Usage {
        let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        Usage { wall_s, cpu_s: cpu_seconds(&stat), max_rss_bytes: peak_bytes(&status) }
    }
}

fn cpu_seconds(stat: &str) -> Option<f64> {
    // The second field is the command in parentheses and may hold blanks.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace().skip(11);
    let user: f64 = fields.next()?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    Some((user + system) / 100.0)
}

fn peak_bytes(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1_024)
}

/// The machine's name, or `unknown`.
pub fn host_name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { "unknown".to_owned() } else { name.trim().to_owned() }
}

impl Manifest {
    /// The manifest of a run of this process, built from `commit`, which is known by `key`.
    pub fn new(commit: &str, scenario: &str, key: blake3::Hash, seed: u64, usage: Usage) -> Manifest {
        Manifest {
            version: VERSION.to_owned(),
            commit: commit.to_owned(),
            scenario: scenario.to_owned(),
            scenario_hash: key.to_hex().to_string(),
            seed,
            quick: false,
            interrupted: false,
            argv: command_line(),
            host: host_name(),
            files: Vec::new(),
            usage,
            events: 0,
            messages_delivered: 0,
        }
    }

    /// The manifest of the results that stand in a folder; `None` if there are none.
    pub fn standing(folder: &Path) -> Option<Manifest> {
        serde_json::from_slice(&Inside(folder).read(RESULTS.mark, LARGEST).ok()?).ok()
    }

    /// The other files of a manifest's folder; `None` if this is no manifest of a run.
    fn listed(text: &[u8]) -> Option<Listed> {
        let manifest: Manifest = serde_json::from_slice(text).ok()?;
        let is_hash = blake3::Hash::from_hex(&manifest.scenario_hash).is_ok();
        is_hash.then(|| manifest.files.into_iter().map(|name| (name, None)).collect())
    }
}

/// The command line of this process.
pub fn command_line() -> Vec<String> {
    std::env::args_os().map(|argument| utf8_text(&argument)).collect()
}

/// A text for JSON: bytes that are no UTF-8 become `\xNN`.
pub fn utf8_text(text: &OsStr) -> String {
    let mut utf8 = String::new();
    for chunk in text.as_encoded_bytes().utf8_chunks() {
        utf8.push_str(chunk.valid());
        utf8.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    utf8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if two names that differ in a byte that is no UTF-8 were written alike, or plain ones otherwise.
    #[cfg(unix)]
    #[test]
    fn what_is_no_utf8_is_said_escaped() {
        use std::os::unix::ffi::OsStrExt as _;
        assert_eq!(utf8_text(OsStr::from_bytes(b"r\xffs\xc3\xbc\xc3")), "r\\xffs\u{fc}\\xc3");
    }

    /// Wrong if another program's manifest were taken for a run's, or a run's own were not.
    #[test]
    fn only_a_manifest_of_a_run_lists_files() {
        let usage = Usage { wall_s: 1.0, cpu_s: None, max_rss_bytes: None };
        let mut manifest = Manifest::new("unknown", "a", blake3::hash(b"a"), 1, usage);
        manifest.files = vec!["a.csv".to_owned()];
        let text = serde_json::to_value(&manifest).unwrap();
        let names = |value: &serde_json::Value| Manifest::listed(value.to_string().as_bytes());
        assert_eq!(names(&text).unwrap().into_keys().collect::<Vec<_>>(), ["a.csv"]);
        for key in ["version", "commit", "scenario", "scenario_hash", "seed", "argv", "files", "events"] {
            let mut other = text.clone();
            other.as_object_mut().unwrap().remove(key);
            assert!(names(&other).is_none(), "without {key}");
            other[key] = serde_json::json!({});
            assert!(names(&other).is_none(), "{key} is something else");
        }
        assert!(names(&serde_json::json!({"name": "my web app", "files": ["a.csv"]})).is_none());
    }

    #[test]
    fn the_kernel_s_figures_are_found() {
        let stat = "42 (a b) c) R 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20 0 1 0 99";
        assert_eq!(cpu_seconds(stat), Some(3.0));
        assert_eq!(peak_bytes("Name:\tx\nVmHWM:\t    2048 kB\n"), Some(2_097_152));
        assert_eq!((cpu_seconds(""), peak_bytes("")), (None, None));
    }
}
