//! `simnet sweep` as a process: the same table however it was computed, and what stops it.
#![expect(clippy::disallowed_methods, reason = "a process that is sent signals runs by the wall clock")]

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use simnet::sweep::Lock;

/// Two networks, two sizes, two ways to route in lock-step and three seeds: 24 points of a few milliseconds.
const SWEEP: &str = r#"
[scenario]
name = "small"
seed = 1
[topology.ring]
switches = 4
hosts-per-switch = 1
[routing]
algorithm = "updown"
[traffic.uniform]
payload = "32 B"
loads = [0.01]
[measure]
messages = 300
[sweep]
repetitions = 3
[[sweep.axes]]
topology.ring.switches = [4, 5]
[[sweep.axes]]
traffic.uniform.payload = ["32 B", "64 B"]
[[sweep.axes]]
routing.tree = ["bfs", "dfs"]
routing.select = ["random", "balanced"]
"#;

struct Room(tempfile::TempDir);

impl Room {
    fn new(sweep: &str) -> Room {
        let room = tempfile::tempdir().unwrap();
        fs::write(room.path().join("s.toml"), sweep).unwrap();
        Room(room)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
        command.arg("sweep").args(arguments.split_whitespace());
        command.current_dir(self.0.path()).env_remove("SIMNET_LOG");
        command
    }

    /// Runs to the exit code `code`; gives stdout and stderr.
    fn ends(&self, arguments: &str, code: i32) -> (String, String) {
        printed(&self.command(arguments).output().unwrap(), arguments, code)
    }

    fn json(&self, arguments: &str, code: i32) -> Value {
        serde_json::from_str(&self.ends(&format!("{arguments} --format json"), code).0).unwrap()
    }

    fn table(&self, folder: &str) -> String {
        fs::read_to_string(self.path(folder).join("points.csv")).unwrap()
    }

    fn shards(&self, folder: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path(folder).join("shards")).unwrap();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    }
}

fn printed(output: &Output, arguments: &str, code: i32) -> (String, String) {
    let out = String::from_utf8(output.stdout.clone()).unwrap();
    let err = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments}: {out}{err}");
    assert!(!err.contains("panicked"), "{arguments}: {err}");
    (out, err)
}

/// Wrong if the table depended on who computed it, or needed anything but the folder.
#[test]
fn the_table_is_the_same_whoever_computed_it() {
    let room = Room::new(SWEEP);
    let (out, err) = room.ends("run s.toml --out one --jobs 1", 0);
    assert!(out.contains("small: 24 points, 24 computed, 0 kept, 0 failed") && err.is_empty(), "{out}{err}");
    let table = room.table("one");
    let header = "point,key,topology.ring.switches,traffic.uniform.payload,routing.tree,routing.select,seed,status,\
                  error,";
    assert!(table.starts_with(header), "{table}");
    assert!(table.contains(",points.0.latency_mean_ns,"), "{table}");
    assert_eq!(table.lines().count(), 25);
    room.ends("run s.toml --out two --jobs 2", 0);
    assert_eq!(room.table("two"), table);

    for of in [2, 5, 30] {
        // A folder as a batch system finds it: described, and nothing computed.
        let folder = format!("split{of}");
        let shards = room.path(&folder).join("shards");
        fs::create_dir_all(&shards).unwrap();
        fs::copy(room.path("one/sweep.json"), room.path(&folder).join("sweep.json")).unwrap();
        copy_all(&room.path("one/inputs"), &room.path(&folder).join("inputs"));
        fs::rename(room.path("s.toml"), room.path("gone.toml")).unwrap();
        let mut computed = 0;
        for task in (0..of).rev() {
            assert!(!room.path(&folder).join("points.csv").exists());
            let ran = room.json(&format!("work {folder} --task {task} --of {of} --jobs 2"), 0);
            computed += ran["computed"].as_u64().unwrap();
            let status = room.json(&format!("status {folder}"), 0);
            assert_eq!(status["done"].as_u64(), Some(computed));
            assert_eq!((&status["missing"], &status["points_csv"]), (&(24 - computed).into(), &false.into()));
            if computed < 24 {
                let (_, err) = room.ends(&format!("merge {folder}"), 1);
                assert!(err.contains(&format!("{} of 24 points are missing", 24 - computed)), "{err}");
            }
        }
        room.ends(&format!("merge {folder}"), 0);
        assert_eq!(room.table(&folder), table);
        fs::rename(room.path("gone.toml"), room.path("s.toml")).unwrap();
        let again = room.json(&format!("run s.toml --out {folder}"), 0);
        assert_eq!((&again["computed"], &again["kept"]), (&0.into(), &24.into()));
        assert_eq!(room.table(&folder), table);
    }
}

/// Wrong if a folder needed any of the files that its sweep was read from.
#[test]
fn a_folder_needs_nothing_else() {
    let (base, sweep) = SWEEP.split_once("[sweep]").unwrap();
    let room = Room::new("");
    fs::create_dir_all(room.path("deep/nets")).unwrap();
    let base = base
        .replace("[topology.ring]\nswitches = 4\nhosts-per-switch = 1", "[topology]\nfile = \"nets/a.json\"");
    fs::write(room.path("deep/base.toml"), base).unwrap();
    for (name, cables) in [("a", ""), ("b", r#", {"a": "A", "a_port": 2, "b": "B", "b_port": 3}"#)] {
        let net = format!(
            r#"{{"format": "simnet-topology/1", "name": "{name}",
            "switches": [{{"name": "A", "ports": 8}}, {{"name": "B", "ports": 4}}],
            "hosts": [{{"name": "h"}}, {{"name": "k"}}],
            "links": [{{"a": "h", "a_port": 0, "b": "A", "b_port": 0}},
                      {{"a": "k", "a_port": 0, "b": "B", "b_port": 0}},
                      {{"a": "A", "a_port": 1, "b": "B", "b_port": 1}}{cables}]}}"#
        );
        fs::write(room.path(&format!("deep/nets/{name}.json")), net).unwrap();
    }
    let sweep = sweep.replace(
        "topology.ring.switches = [4, 5]",
        "topology.file = [\"deep/nets/a.json\", \"deep/nets/b.json\"]",
    );
    fs::write(room.path("s.toml"), format!("include = \"deep/base.toml\"\n[sweep]{sweep}")).unwrap();
    room.ends("run ./s.toml --out d", 0);
    let table = room.table("d");
    fs::remove_dir_all(room.path("deep")).unwrap();
    fs::remove_file(room.path("s.toml")).unwrap();
    fs::rename(room.path("d"), room.path("moved")).unwrap();
    for shard in room.shards("moved") {
        fs::remove_file(shard).unwrap();
    }
    room.ends("work moved --task 0 --of 1", 0);
    fs::remove_file(room.path("moved/points.csv")).unwrap();
    room.ends("merge moved", 0);
    assert_eq!(room.table("moved"), table);
}

fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_all(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// Wrong if a plan did not print what it would compute.
#[test]
fn a_plan_lists_every_point() {
    let room = Room::new(SWEEP);
    let plan = room.json("plan s.toml", 0);
    assert_eq!((&plan["count"], &plan["sweep"]), (&24.into(), &"small".into()));
    let points = plan["points"].as_array().unwrap();
    let mut keys: Vec<&str> = points.iter().map(|point| point["key"].as_str().unwrap()).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!((points.len(), keys.len()), (24, 24));
    assert_eq!(points[23]["values"]["routing.tree"], "dfs");
    assert_eq!((&points[3]["point"], &points[4]["seed"]), (&3.into(), &2.into()));
    assert!(plan["cost_s"].as_f64().unwrap() > 0.0);
    let (out, _) = room.ends("plan s.toml", 0);
    assert!(out.starts_with("small: 24 points, about"), "{out}");
    assert_eq!(out.lines().count(), 24 + 3);
    assert!(fs::read_dir(room.0.path()).unwrap().count() == 1, "a plan writes nothing");

    // A reader who has seen enough is no failure.
    let many = SWEEP.replace("repetitions = 3", "repetitions = 200");
    fs::write(room.path("s.toml"), many).unwrap();
    let mut child = room.command("plan s.toml").stdout(Stdio::piped()).spawn().unwrap();
    let mut first = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// Wrong if added repetitions or values lost what was there, or an outdated table stayed.
#[test]
fn a_sweep_grows() {
    let room = Room::new(SWEEP);
    room.ends("run s.toml --out d", 0);
    let grown = SWEEP.replace("repetitions = 3", "repetitions = 4").replace("[4, 5]", "[3, 4, 5]");
    fs::write(room.path("s.toml"), &grown).unwrap();
    let ran = room.json("run s.toml --out d", 0);
    assert_eq!((&ran["points"], &ran["kept"], &ran["computed"]), (&48.into(), &24.into(), &24.into()));
    room.ends("run s.toml --out fresh", 0);
    assert_eq!(room.table("d"), room.table("fresh"));
    // Shrinking needs nothing computed.
    fs::write(room.path("s.toml"), SWEEP).unwrap();
    assert_eq!(room.json("run s.toml --out d", 0)["computed"], 0);
    assert_eq!(room.table("d").lines().count(), 25);
    let (_, err) = room.ends("run s.toml --out d --quick", 7);
    assert!(err.contains("holds the sweep \"small\", and this is the quick form"), "{err}");
}

/// Wrong if a point that cannot be computed stopped the others, or were forgotten.
#[test]
fn failed_points_are_rows() {
    let broken = SWEEP
        .replace("[routing]", "[fabric]\nstop = \"80 B\"\ngo = \"30 B\"\n[routing]")
        .replace("[[sweep.axes]]\ntraffic.uniform.payload = [\"32 B\", \"64 B\"]",
            "[[sweep.axes]]\nfabric.stop = [\"80 B\", \"40 B\"]\n[[sweep.axes]]\nfabric.go = [\"30 B\", \"60 B\"]");
    let room = Room::new(&broken);
    let ran = room.json("run s.toml --out d", 6);
    assert_eq!((&ran["points"], &ran["computed"], &ran["failed"]), (&48.into(), &48.into(), &12.into()));
    let (_, err) = room.ends("run s.toml --out d", 6);
    assert!(err.contains("point ") && err.contains(" failed: ") && err.contains("and 9 more"), "{err}");
    let table = room.table("d");
    let failed: Vec<&str> = table.lines().filter(|line| line.contains(",failed,")).collect();
    assert!(failed.len() == 12 && failed.iter().all(|line| line.contains(",40 B,60 B,")), "{table}");
    assert_eq!(room.json("run s.toml --out d --retry", 6)["computed"], 12);
    assert_eq!(room.json("status d", 0)["failed"], 12);
    room.ends("merge d", 6);
    assert_eq!(room.table("d"), table);
    assert_eq!(room.json("work d --task 0 --of 1", 6)["failed"], 12);
}

/// Wrong if damage were not reported, or changed the table.
#[test]
fn damaged_shards_are_told_and_mended() {
    let room = Room::new(SWEEP);
    room.ends("run s.toml --out d --jobs 1", 0);
    let table = room.table("d");
    let shard = room.shards("d").pop().unwrap();
    let mut bytes = fs::read(&shard).unwrap();
    let second = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 300;
    bytes[second] ^= 1;
    bytes.truncate(bytes.len() - 100);
    fs::write(&shard, &bytes).unwrap();
    let (_, err) = room.ends("status d", 0);
    assert!(err.contains("run-0.jsonl:2: the line is damaged") && !err.contains("torn"), "{err}");
    let (out, err) = room.ends("run s.toml --out d", 0);
    assert!(out.contains("24 points, 2 computed, 22 kept"), "{out}");
    assert!(err.contains("run-0.jsonl:2: the line is damaged"), "{err}");
    assert!(err.contains("run-0.jsonl:24: the line is torn"), "{err}");
    assert_eq!(room.table("d"), table);

    // A line of another sweep whose key is that of a point here, with another result.
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap();
    let text = String::from_utf8(line.to_vec()).unwrap();
    let body = text.split_once(',').unwrap().1.replace("\"outcome\":\"drained\"", "\"outcome\":\"horizon\"");
    let forged = format!("{{\"check\":\"{}\",{body}\n", blake3::hash(body.as_bytes()).to_hex());
    fs::write(shard.with_file_name("other.jsonl"), forged).unwrap();
    for arguments in ["run s.toml --out d", "work d --task 0 --of 2", "status d", "merge d"] {
        let (_, err) = room.ends(arguments, 3);
        assert!(err.contains("two results for one point") && err.contains("other.jsonl:1"), "{err}");
        assert!(err.contains("run-0.jsonl:1"), "{err}");
    }
    assert_eq!(room.table("d"), table);
}

/// Wrong if something that is no sweep, or another one, were touched; or a mistake were not reported as one.
#[test]
fn mistakes_end_with_their_codes() {
    let room = Room::new(SWEEP);
    fs::create_dir(room.path("foreign")).unwrap();
    fs::write(room.path("foreign/thesis.txt"), "dear").unwrap();
    room.ends("run s.toml --out d", 0);
    for (arguments, code, words) in [
        ("run s.toml --out foreign", 7, "foreign/thesis.txt: not of a sweep"),
        ("run s.toml --out s.toml", 7, "s.toml: no folder"),
        (
            "run s.toml --out d --set scenario.name=other",
            7,
            "holds the sweep \"small\", and this is the sweep \"other\"",
        ),
        ("run nothing.toml --out e", 7, "nothing.toml"),
        ("plan nothing.toml", 7, "nothing.toml"),
        ("run s.toml --out /proc/sweep", 7, "/proc/sweep"),
        ("run s.toml --out e --jobs 0", 2, "1 to 1024"),
        ("run s.toml --out e --jobs many", 2, "1 to 1024"),
        ("work d --task 2 --of 2", 2, "0 to 1"),
        ("work d --task 0 --of 0", 2, "no task"),
        ("work d --task 0", 2, "--of"),
        ("work foreign --task 0 --of 1", 7, "not the folder of a sweep"),
        ("status foreign", 7, "not the folder of a sweep"),
        ("merge nowhere", 7, "nowhere"),
    ] {
        let (out, err) = room.ends(arguments, code);
        assert!(out.is_empty() && err.contains(words), "{arguments}: {out}{err}");
    }
    assert_eq!(fs::read_dir(room.path("foreign")).unwrap().count(), 1);
    assert!(!room.path("e").exists());

    let lock = Lock::take(&room.path("d")).unwrap();
    let (_, err) = room.ends("run s.toml --out d", 7);
    assert!(err.contains(&format!("process {} on", std::process::id())), "{err}");
    drop(lock);
    room.ends("run s.toml --out d", 0);

    // The results of a run never replace a sweep.
    let run = SWEEP.split("[sweep]").next().unwrap();
    fs::write(room.path("run.toml"), run).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_simnet"))
        .args(["run", "run.toml", "--out", "d"])
        .current_dir(room.0.path())
        .output();
    printed(&output.unwrap(), "run run.toml --out d", 7);
    assert!(room.path("d/points.csv").exists());

    for (file, words) in
        [("sweep.json", "sweep.json: not the sweep.json of a sweep"), ("inputs", "altered since")]
    {
        let path = if file == "inputs" {
            let kept = fs::read_dir(room.path("d/inputs")).unwrap().next().unwrap().unwrap().path();
            fs::read_dir(kept).unwrap().next().unwrap().unwrap().path()
        } else {
            room.path("d").join(file)
        };
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[1..]).unwrap();
        let (_, err) = room.ends("status d", 3);
        assert!(err.contains(words), "{err}");
        fs::write(&path, whole).unwrap();
    }
    room.ends("status d", 0);
}

/// Wrong if a file that may not grow, as on a full disk, ended in anything but an error that names it; or if the next
/// run could not go on.
#[test]
fn a_full_disk_is_an_error_that_can_be_mended() {
    let room = Room::new(SWEEP);
    let simnet = env!("CARGO_BIN_EXE_simnet");
    for kilobytes in [1, 4, 9] {
        let line = format!("ulimit -f {kilobytes}; exec '{simnet}' sweep run s.toml --out d --jobs 2");
        let output = Command::new("bash").args(["-c", &line]).current_dir(room.0.path()).output().unwrap();
        let (_, err) = printed(&output, &line, 7);
        assert!(err.contains("d/shards/run-"), "{err}");
        assert!(!room.path("d/points.csv").exists());
    }
    room.ends("run s.toml --out d", 0);
    room.ends("run s.toml --out whole", 0);
    assert_eq!(room.table("d"), room.table("whole"));
}

/// Starts a run and waits until it has written something.
fn started(room: &Room, arguments: &str) -> Child {
    let size = || {
        let Ok(shards) = fs::read_dir(room.path("d/shards")) else { return 0 };
        shards.filter_map(|shard| shard.ok()?.metadata().ok()).map(|shard| shard.len()).sum()
    };
    let before: u64 = size();
    let child = room.command(arguments).stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while size() == before {
        assert!(begun.elapsed() < Duration::from_secs(60), "nothing was written");
        std::thread::yield_now();
    }
    child
}

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Wrong if an interruption lost what was finished, took long, or ended with another code.
#[test]
fn signals_end_a_sweep_and_lose_nothing() {
    let short = SWEEP.replace("repetitions = 3", "repetitions = 40");
    let room = Room::new(&short);
    room.ends("run s.toml --out whole", 0);
    for signal in ["-INT", "-TERM"] {
        let child = started(&room, "run s.toml --out d --jobs 2");
        send(signal, &child);
        let (out, err) = printed(&child.wait_with_output().unwrap(), signal, 130);
        assert!(out.is_empty() && err.contains("the same command goes on"), "{out}{err}");
        assert!(!room.path("d/points.csv").exists());
    }
    let kept = room.json("status d", 0)["done"].as_u64().unwrap();
    let ran = room.json("run s.toml --out d", 0);
    assert_eq!(ran["kept"].as_u64(), Some(kept));
    assert_eq!(room.table("d"), room.table("whole"));
}

/// Wrong if a point that takes minutes kept an interruption waiting.
#[test]
fn a_long_point_is_dropped() {
    let room = Room::new(SWEEP);
    let set = "--set measure.messages=200000000";
    let mut child =
        room.command(&format!("run s.toml --out d --jobs 2 {set}")).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while !room.path("d/sweep.json").exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it did not begin");
        std::thread::yield_now();
    }
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(child.try_wait().unwrap(), None);
    send("-TERM", &child);
    let signalled = Instant::now();
    let (_, err) = printed(&child.wait_with_output().unwrap(), "-TERM", 130);
    assert!(err.contains("points under way are dropped"), "{err}");
    assert!(signalled.elapsed() < Duration::from_secs(20));
}
