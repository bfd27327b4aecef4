//! Results stand whole under their name whenever a process is killed or the system refuses, and the next run leaves no
//! litter.

#![expect(
    clippy::disallowed_methods,
    reason = "processes are killed by the clock, at instants that a seed gives"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use super::{Room, contents, litter};
use support_network::{cases, peer};

/// The summaries of the run with seeds 3 and 4: what stands is one or the other.
struct Known([Vec<u8>; 2]);

impl Known {
    /// Computes both, and leaves the results of seed 3 in `out`.
    fn of(room: &Room) -> Known {
        let summary = |seed: &str| {
            room.ends(&["run", "s.toml", "--quiet", "--out", "out", "--seed", seed], 0);
            fs::read(room.path("out/summary.json")).unwrap()
        };
        let later = summary("4");
        Known([summary("3"), later])
    }

    /// Checks that the results stand whole, those of the one seed or the other; gives which.
    fn standing(&self, out: &Path, after: &str) -> usize {
        let read =
            |name: &str| fs::read(out.join(name)).unwrap_or_else(|_| panic!("no {name} after {after}"));
        let summary = read("summary.json");
        let seed = self.0.iter().position(|known| *known == summary);
        let seed = seed.unwrap_or_else(|| panic!("half a summary after {after}"));
        let manifest: Value = serde_json::from_slice(&read("manifest.json")).unwrap();
        assert_eq!(manifest["seed"], seed as u64 + 3, "after {after}");
        let mut names: Vec<String> = manifest["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap().to_owned())
            .collect();
        names.push("manifest.json".to_owned());
        names.sort();
        let there: Vec<String> =
            contents(out).into_keys().map(|path| path.to_str().unwrap().to_owned()).collect();
        assert_eq!(there, names, "after {after}");
        seed
    }

    /// Checks that the next run puts its results there and leaves nothing else.
    fn goes_on(&self, room: &Room, after: &str) {
        room.ends(&["run", "s.toml", "--quiet", "--out", "out", "--seed", "3"], 0);
        assert_eq!(self.standing(&room.path("out"), after), 0);
        assert!(litter(room.0.path()).is_empty(), "{:?} after {after}", litter(room.0.path()));
    }
}

/// The run with another seed than that of what stands.
const AGAIN: [&str; 7] = ["run", "s.toml", "--quiet", "--out", "out", "--seed", "4"];

/// Wrong if a process that is killed at any instant left half of its results, or none, or litter for good.
#[test]
fn results_stand_whole_whenever_a_run_is_killed() {
    let room = Room::new();
    let known = Known::of(&room);
    let begun = Instant::now();
    room.ends(&AGAIN, 0);
    let longest = begun.elapsed().mul_f64(1.2);
    let mut rng = ChaCha8Rng::seed_from_u64(17);
    for kill in 0..cases(50).max(10) {
        known.goes_on(&room, &format!("kill {kill}"));
        let mut child = room.command(&AGAIN).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(longest.mul_f64(rng.random()));
        child.kill().unwrap();
        child.wait().unwrap();
        known.standing(&room.path("out"), &format!("kill {kill}"));
    }
    known.goes_on(&room, "the last kill");
}

/// Runs a command with the n-th call of some kind struck, as strace can; the output, and whether there was an n-th.
fn struck(strace: &Path, room: &Room, line: &[&str], call: &str, blow: &str, nth: u64) -> (Output, bool) {
    let log = tempfile::NamedTempFile::new().unwrap();
    let mut command = Command::new(strace);
    command.args(["-f", "-qq", "-o"]).arg(log.path());
    command.args(["-e", &format!("trace={call}"), "-e", &format!("inject={call}:{blow}:when={nth}")]);
    command.arg(env!("CARGO_BIN_EXE_simnet")).args(line).current_dir(room.0.path());
    let output = command.env_remove("SIMNET_LOG").stdin(Stdio::null()).output().unwrap();
    let log = fs::read_to_string(log.path()).unwrap();
    let was = log.contains("(INJECTED)") || log.contains("+++ killed by SIGKILL +++");
    (output, was)
}

/// How far the calls of a kind lie apart that are struck: every one where tests are thorough.
fn stride() -> usize {
    usize::try_from(20 / cases(20)).unwrap()
}

/// Wrong if there were a rename, a write or another step after which a kill leaves no whole results.
#[test]
fn results_stand_whole_whichever_step_a_kill_strikes() {
    let Some(strace) = peer("strace") else { return };
    let room = Room::new();
    let known = Known::of(&room);
    let (mut old, mut new) = (0, 0);
    for call in ["rename", "renameat2", "write", "fsync", "mkdir", "unlink", "rmdir", "chmod", "flock"] {
        let stride = if matches!(call, "rename" | "renameat2" | "mkdir" | "rmdir") { 1 } else { stride() };
        for nth in (1..).step_by(stride) {
            let after = format!("a kill at {call} {nth}");
            known.goes_on(&room, &after);
            let (output, was) = struck(&strace, &room, &AGAIN, call, "signal=SIGKILL", nth);
            if !was {
                assert_eq!(
                    output.status.code(),
                    Some(0),
                    "{after}: {}",
                    String::from_utf8_lossy(&output.stderr)
                );
                break;
            }
            match known.standing(&room.path("out"), &after) {
                0 => old += 1,
                _ => new += 1,
            }
        }
    }
    assert!(old >= 5 && new >= 1, "{old} kills before and {new} after the exchange");
    known.goes_on(&room, "the last kill");
}

/// Wrong if a sweep that is killed at some step lost a point, or the next run left what was in the making.
#[test]
fn a_sweep_is_whole_again_whichever_step_a_kill_strikes() {
    let Some(strace) = peer("strace") else { return };
    let room = Room::new();
    let line = ["sweep", "run", "w.toml", "--quiet", "--jobs", "1", "--out", "d"];
    room.ends(&line, 0);
    let table = room.read("d/points.csv");
    let mut kills = 0;
    for call in ["rename", "write", "fsync", "mkdir"] {
        for nth in (1..).step_by(if call == "write" { stride() } else { 1 }) {
            fs::remove_dir_all(room.path("d")).unwrap();
            let (_, was) = struck(&strace, &room, &line, call, "signal=SIGKILL", nth);
            room.ends(&line, 0);
            assert_eq!(room.read("d/points.csv"), table, "after a kill at {call} {nth}");
            assert!(litter(room.0.path()).is_empty(), "{:?} after {call} {nth}", litter(room.0.path()));
            kills += u32::from(was);
            if !was {
                break;
            }
        }
    }
    assert!(kills >= 5, "{kills} kills");
}

/// Wrong if a full disk, a read-only one or one without room for names lost what stood there, left litter, panicked, or
/// were taken for success.
#[test]
fn what_the_system_refuses_costs_nothing_that_stands() {
    let Some(strace) = peer("strace") else { return };
    let room = Room::new();
    let known = Known::of(&room);
    for (call, error) in [
        ("write", "ENOSPC"),
        ("fsync", "EIO"),
        ("mkdir", "EROFS"),
        ("rename", "EROFS"),
        ("renameat2", "EIO"),
        ("chmod", "EPERM"),
    ] {
        for nth in (1..).step_by(if matches!(call, "write" | "fsync") { stride() } else { 1 }) {
            let after = format!("{error} at {call} {nth}");
            known.goes_on(&room, &after);
            let blow = format!("error={error}");
            let (output, was) = struck(&strace, &room, &AGAIN, call, &blow, nth);
            let err = String::from_utf8_lossy(&output.stderr);
            assert!(!err.contains("panicked"), "{after}: {err}");
            if !was {
                break;
            }
            let seed = known.standing(&room.path("out"), &after);
            // Folders are synced as far as the system can.
            match output.status.code() {
                Some(0) => assert_eq!(seed, 1, "{after}: old results and exit code 0"),
                Some(7) => assert!(!err.trim().is_empty() || call == "write", "{after} without a word"),
                other => panic!("{after}: {other:?} {err}"),
            }
            assert!(litter(room.0.path()).is_empty(), "{:?} after {after}", litter(room.0.path()));
        }
    }
    // Where folders cannot be exchanged in one step, two do it.
    known.goes_on(&room, "errors");
    let (output, was) = struck(&strace, &room, &AGAIN, "renameat2", "error=EINVAL", 1);
    assert!(was && output.status.code() == Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(known.standing(&room.path("out"), "two steps"), 1);
    assert!(litter(room.0.path()).is_empty());
}

/// Runs the line in a shell with a limit set.
fn limited(room: &Room, limit: &str, line: &[&str]) -> Output {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("ulimit {limit}; exec \"$0\" \"$@\"")).arg(env!("CARGO_BIN_EXE_simnet"));
    command.args(line).current_dir(room.0.path()).stdin(Stdio::null()).output().unwrap()
}

/// Wrong if too few descriptors, too little memory or too small files ended a command without a word, with a signal or
/// a panic, or took what stands.
#[test]
fn limits_of_a_process_end_it_with_a_message() {
    let room = Room::new();
    let known = Known::of(&room);
    let descriptors = (4..16).map(|count| format!("-n {count}"));
    let memory = [24_000, 32_000, 40_000, 44_000, 48_000, 52_000, 56_000, 64_000, 80_000, 128_000, 1_000_000];
    // Every third of them where tests are not thorough.
    let memory = memory.into_iter().step_by(if cases(20) > 1 { 1 } else { 3 }).map(|kib| format!("-v {kib}"));
    let sizes = [0, 1, 4].into_iter().map(|blocks| format!("-f {blocks}"));
    let lines: [&[&str]; 4] = [
        &AGAIN,
        &["route", "pink"],
        &["sweep", "plan", "w.toml"],
        &["topo", "convert", "pink", "--out", "pink.json"],
    ];
    let mut ended = [0, 0];
    // Where the system cannot even load the program nothing can report it.
    let starts = |limit: &String| limited(&room, limit, &["--version"]).status.success();
    for limit in descriptors.chain(memory).chain(sizes).filter(starts) {
        for line in lines {
            let output = limited(&room, &limit, line);
            let err = String::from_utf8_lossy(&output.stderr);
            let after = format!("{line:?} with ulimit {limit}: {:?} {err}", output.status);
            assert!(!err.contains("panicked") && !err.contains("core dumped"), "{after}");
            match output.status.code() {
                Some(0) => ended[0] += 1,
                Some(7) => {
                    ended[1] += 1;
                    assert!(!err.trim().is_empty(), "{after}");
                }
                // The C library ends a thread that it has begun and has no memory for: nobody else can say it.
                None if err.contains("Fatal glibc error") && err.contains("out of memory") => {}
                _ => panic!("{after}"),
            }
            known.standing(&room.path("out"), &after);
        }
    }
    assert!(ended.iter().all(|count| *count >= 5), "{ended:?}");
    known.goes_on(&room, "limits");
}

const TENTH: Duration = Duration::from_millis(100);

/// Whether a signal stands in one of the masks that `/proc` shows for a process.
fn in_mask(process: u32, mask: &str, signal: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let bits = status.lines().find_map(|line| line.strip_prefix(mask));
    bits.is_some_and(|bits| {
        u64::from_str_radix(bits.trim(), 16).is_ok_and(|bits| bits >> (signal - 1) & 1 == 1)
    })
}

/// Whether a process is past the point at which it asked to receive interruptions.
fn catches_signals(process: u32) -> bool {
    in_mask(process, "SigCgt:", 2)
}

/// Wrong if a terminal that closes left half of a run, or ended one that nohup was to keep.
#[test]
fn a_terminal_that_closes_ends_a_run_as_a_batch_system_does() {
    let room = Room::new();
    room.write("long.toml", &super::SCENARIO.replace("messages = 200", "messages = 2000000000"));
    let line = ["run", "long.toml", "--quiet", "--out", "long"];
    let before = room.contents();
    let hang_up = |command: &mut Command, patience: u32| {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        (0..600).take_while(|_| !catches_signals(child.id())).for_each(|_| std::thread::sleep(TENTH));
        assert!(Command::new("kill").args(["-HUP", &child.id().to_string()]).status().unwrap().success());
        let ends = |_| {
            std::thread::sleep(TENTH);
            child.try_wait().unwrap().map(|status| status.code())
        };
        let ended = (0..patience).find_map(ends);
        child.kill().unwrap();
        child.wait().unwrap();
        ended
    };
    if in_mask(std::process::id(), "SigIgn:", 1) {
        println!("skipped: these tests run under nohup, and so does the run that was to be ended");
    } else {
        assert_eq!(hang_up(&mut room.command(&line), 600), Some(Some(130)));
        assert!(room.contents() == before, "an interrupted run left something");
    }
    let mut kept = Command::new("sh");
    kept.arg("-c").arg("trap '' HUP; exec \"$0\" \"$@\"").arg(env!("CARGO_BIN_EXE_simnet")).args(line);
    assert_eq!(hang_up(kept.current_dir(room.0.path()), 10), None, "a run that nohup keeps was ended");
}
