//! A run that is interrupted: what is done is kept and marked, what is whole is not replaced by it.
#![expect(clippy::disallowed_methods, reason = "a process is interrupted when it has begun")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Three load points of some milliseconds.
const SCENARIO: &str = "[scenario]\nname = \"small\"\nseed = 3\n[topology.ring]\nswitches = 4\n\
                        hosts-per-switch = 2\n[routing]\nalgorithm = \"updown\"\n[traffic.uniform]\n\
                        payload = \"32 B\"\nloads = [0.01, 0.02, 0.03]\n[measure]\nwarmup = \"10 us\"\n\
                        messages = 200\n";

/// The folder of a test, with inputs for every verb.
pub(super) struct Room(tempfile::TempDir);

impl Room {
    pub(super) fn new() -> Room {
        let room = Room(tempfile::tempdir().unwrap());
        room.write("s.toml", SCENARIO);
        let axis = "[[sweep.axes]]\n\"measure.messages\" = [200, 300, 400]\n";
        room.write("w.toml", &format!("{SCENARIO}[sweep]\n{axis}"));
        room.write("times.csv", ",a,b,c\na,0,0.2,0.2\nb,0.2,0,0.2\nc,0.2,0.2,0\n");
        let net = room.run("topo generate star --leaves 3 --hosts-per-switch 2");
        room.write("net.json", &String::from_utf8(net.stdout).unwrap());
        room
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub(super) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
        command
            .args(line.split(' '))
            .current_dir(self.0.path())
            .env_remove("SIMNET_LOG")
            .stdin(Stdio::null());
        command
    }

    pub(super) fn run(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    pub(super) fn ends(&self, line: &str, code: i32) -> String {
        let output = self.run(line);
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{line}: {err}");
        err
    }

    fn json(&self, file: &str) -> Value {
        serde_json::from_slice(&fs::read(self.path(file)).unwrap()).unwrap()
    }
}

/// Waits until a process has asked to receive interruptions.
pub(super) fn began(child: &Child) {
    let catches = || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).map(str::to_owned);
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 2 != 0)
    };
    let begun = Instant::now();
    while !catches() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it does not begin");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Two load points of some hundred messages, and one that would take hours.
const LONG: &str =
    "loads = [0.0000001, 0.0000002, 0.3]\n[measure]\nwarmup = \"10 us\"\nduration = \"50 s\"\n";

/// Starts a run, interrupts it when two points are done; gives what it printed.
fn interrupted(room: &Room, line: &str, signal: &str) -> (String, String) {
    let mut command = room.command(line);
    command.env("SIMNET_LOG", "simnet_running=info").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let (mut ended, mut err) = (0, String::new());
    while ended < 2 {
        let mut line = String::new();
        assert!(log.read_line(&mut line).unwrap() > 0, "it ended by itself: {err}");
        ended += usize::from(line.contains("a point ends"));
        err += &line;
    }
    std::thread::sleep(Duration::from_millis(300));
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    log.read_to_string(&mut err).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{err}");
    (String::from_utf8(output.stdout).unwrap(), err)
}

/// Whether the page made of the folder `r` says that its run was interrupted.
fn says_interrupted(room: &Room) -> bool {
    room.ends("report r --out r.html", 0);
    fs::read_to_string(room.path("r.html")).unwrap().contains("This run was interrupted")
}

/// Wrong if an interruption lost load points that were done, kept some that were not, or did not say which; if whole
/// results gave way to such ones, or such ones not to whole ones.
#[test]
fn load_points_that_are_done_are_kept() {
    let room = Room::new();
    let (head, _) = SCENARIO.split_once("loads =").unwrap();
    room.write("long.toml", &format!("{head}{LONG}"));
    let (out, err) = interrupted(&room, "run long.toml --out r", "-INT");
    assert!(err.contains("interrupted: 2 of 3 load points are done, and kept in r;"), "{err}");
    assert!(out.contains("Results: r "), "{out}");
    let (summary, manifest) = (room.json("r/summary.json"), room.json("r/manifest.json"));
    assert_eq!((&summary["interrupted"], &summary["outcome"]), (&Value::from(true), &Value::from("drained")));
    let loads: Vec<&Value> =
        summary["points"].as_array().unwrap().iter().map(|point| &point["load"]).collect();
    assert_eq!(loads, [1e-7, 2e-7]);
    assert_eq!(manifest["interrupted"], true);
    for file in manifest["files"].as_array().unwrap() {
        assert!(room.path("r").join(file.as_str().unwrap()).is_file(), "{file}");
    }
    assert!(says_interrupted(&room), "the page of what was interrupted says so");
    room.ends("run s.toml --out r", 0);
    assert!(!says_interrupted(&room), "a whole run was not interrupted");
    let whole = fs::read(room.path("r/summary.json")).unwrap();
    assert!(room.json("r/summary.json").get("interrupted").is_none());
    let (out, _) = interrupted(&room, "run long.toml --out r --format json", "-TERM");
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["interrupted"], true);
    assert_eq!(fs::read(room.path("r/summary.json")).unwrap(), whole, "a whole run stays");
    assert_eq!(room.json("r-interrupted/summary.json")["points"].as_array().unwrap().len(), 2);
}

/// Wrong if the same did not hold of the points of a sweep that is run in one go.
#[test]
fn points_of_a_sweep_that_are_done_are_kept() {
    let room = Room::new();
    let (head, _) = SCENARIO.split_once("loads =").unwrap();
    let (_, tail) = LONG.split_once('\n').unwrap();
    let axis = "[sweep]\n[[sweep.axes]]\n\"traffic.uniform.loads\" = [[0.0000001], [0.0000002], [0.3]]\n";
    room.write("long.toml", &format!("{head}loads = [0.1]\n{tail}{axis}"));
    let (_, err) = interrupted(&room, "run long.toml --out r", "-INT");
    assert!(err.contains("interrupted: 2 of 3 points are done, and kept in r;"), "{err}");
    let summary = room.json("r/summary.json");
    assert_eq!(summary["interrupted"], true);
    assert_eq!((&summary["sweep"]["failed"], &summary["sweep"]["not_done"]), (&0.into(), &1.into()));
    let table = fs::read_to_string(room.path("r/points.csv")).unwrap();
    let status = |word: &str| table.lines().filter(|line| line.contains(&format!(",{word},"))).count();
    assert_eq!((status("done"), status("interrupted")), (2, 1), "{table}");
    assert!(says_interrupted(&room), "so does that of a sweep");
    room.ends("run w.toml --out r", 0);
    assert!(room.json("r/summary.json").get("interrupted").is_none());
}

/// Wrong if a small run took the place of a whole one: by itself, or where it was told to.
#[test]
fn quick_runs_never_replace_whole_ones() {
    let room = Room::new();
    for file in ["s.toml", "w.toml"] {
        room.ends(&format!("run {file}"), 0);
        let whole = fs::read(room.path("results/small/summary.json")).unwrap();
        room.ends(&format!("run {file} --quick"), 0);
        assert_eq!(room.json("results/small-quick/manifest.json")["quick"], true);
        room.ends(&format!("run {file} --quick"), 0);
        let err = room.ends(&format!("run {file} --quick --out results/small"), 7);
        assert!(err.contains("results/small holds the results of a whole run"), "{err}");
        assert_eq!(fs::read(room.path("results/small/summary.json")).unwrap(), whole);
        room.ends(&format!("run {file} --out results/small-quick"), 0);
        assert!(room.json("results/small-quick/manifest.json").get("quick").is_none());
        fs::remove_dir_all(room.path("results")).unwrap();
    }
    room.ends("sweep run w.toml", 0);
    room.ends("sweep run w.toml --quick", 0);
    assert!(
        room.path("results/small/points.csv").is_file()
            && room.path("results/small-quick/points.csv").is_file()
    );
}
