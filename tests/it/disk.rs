//! The disk: nothing of a user's is lost, what a process leaves is whole, and nothing hostile is read or written.

#[cfg(unix)]
mod names;
#[cfg(unix)]
mod opening;
mod replacing;
#[cfg(unix)]
mod whole;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A run that takes some milliseconds.
const SCENARIO: &str = "[scenario]\nname = \"small\"\nseed = 3\n[topology.ring]\nswitches = 4\n\
                        hosts-per-switch = 2\n[routing]\nalgorithm = \"updown\"\n[traffic.uniform]\n\
                        payload = \"32 B\"\nloads = [0.01]\n[measure]\nwarmup = \"10 us\"\nmessages = 200\n";

/// A sweep of four such runs.
const SWEEP: &str = "[scenario]\nname = \"small\"\nseed = 3\n[topology.ring]\nswitches = 4\n\
                     hosts-per-switch = 2\n[routing]\nalgorithm = \"updown\"\n[traffic.uniform]\n\
                     payload = \"32 B\"\nloads = [0.01]\n[measure]\nwarmup = \"10 us\"\nmessages = 200\n\
                     [sweep]\n[[sweep.axes]]\n\"traffic.uniform.payload\" = [\"16 B\", \"32 B\"]\n\
                     [[sweep.axes]]\n\"measure.messages\" = [200, 300]\n";

const RTTS: &str = ",a,b,c\na,0,0.2,0.2\nb,0.2,0,0.2\nc,0.2,0.2,0\n";

/// A folder with a scenario `s.toml`, a sweep `w.toml`, a network `net.json` and times `rtt.csv`.
struct Room(tempfile::TempDir);

impl Room {
    fn new() -> Room {
        let room = Room(tempfile::tempdir().unwrap());
        room.write("s.toml", SCENARIO);
        room.write("w.toml", SWEEP);
        room.write("rtt.csv", RTTS);
        let net = room.ends(&["topo", "generate", "ring", "--switches", "4", "--hosts-per-switch", "1"], 0);
        room.write("net.json", &net);
        room
    }

    fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file, and the folders on the way to it.
    fn write(&self, name: impl AsRef<Path>, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, name: impl AsRef<Path>) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
        command.args(arguments).current_dir(self.0.path()).env_remove("SIMNET_LOG").stdin(Stdio::null());
        command
    }

    fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs to an exit code without a panic; gives stdout.
    fn ends<S: AsRef<OsStr> + std::fmt::Debug>(&self, arguments: &[S], code: i32) -> String {
        let output = self.run(arguments);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {err}");
        assert!(!err.contains("panicked"), "{arguments:?}: {err}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Runs to an exit code; nothing in the room changes, and stderr says each of `words`.
    fn refuses<S: AsRef<OsStr> + std::fmt::Debug>(&self, arguments: &[S], code: i32, words: &[&str]) {
        let before = self.contents();
        let output = self.run(arguments);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {err}");
        for word in words {
            assert!(err.contains(word), "{arguments:?} does not say {word}: {err}");
        }
        assert!(!err.contains("panicked"), "{arguments:?}: {err}");
        assert!(self.contents() == before, "{arguments:?} changed something");
    }

    /// Everything below the room: of a file its bytes, of a link where it leads.
    fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        contents(self.0.path())
    }
}

/// Everything below a folder, by path from it: of a file its bytes, of a link where it leads.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(place) = open.pop() {
        for entry in fs::read_dir(&place).unwrap() {
            let entry = entry.unwrap();
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            let bytes = match kind {
                kind if kind.is_symlink() => {
                    fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
                }
                kind if kind.is_file() => fs::read(&path).unwrap(),
                _ => Vec::new(),
            };
            found.insert(path.strip_prefix(folder).unwrap().to_owned(), bytes);
            if kind.is_dir() {
                open.push(path);
            }
        }
    }
    found
}

/// What is in the making, or was left so, anywhere below a folder.
fn litter(folder: &Path) -> Vec<PathBuf> {
    let is_litter = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".simnet-"))
            || path.to_string_lossy().contains(".tmp")
    };
    contents(folder).into_keys().filter(is_litter).collect()
}
