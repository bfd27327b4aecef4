//! What is read: regular files of bounded size, and below folders of ours through no link. What is reported of anything
//! else.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Stdio;
use std::time::Duration;

use super::Room;

/// Longer than any of these commands takes.
const PATIENCE: Duration = Duration::from_secs(60);

impl Room {
    /// Runs a command that must not hang; gives its exit code and what it says on stderr.
    #[expect(clippy::disallowed_methods, reason = "what hangs has to be waited for")]
    fn ends_soon(&self, line: &[&str]) -> (Option<i32>, String) {
        let mut command = self.command(line);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let begun = std::time::Instant::now();
        while child.try_wait().unwrap().is_none() && begun.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(2));
        }
        let hangs = child.try_wait().unwrap().is_none();
        let _over = child.kill();
        let output = child.wait_with_output().unwrap();
        assert!(!hangs, "{line:?} hangs");
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }
}

/// Every way in which a verb is given a file to read; the file is called `F`.
const READERS: [&[&str]; 18] = [
    &["run", "F"],
    &["check", "F"],
    &["sweep", "plan", "F"],
    &["sweep", "run", "F", "--out", "o"],
    &["topo", "show", "F"],
    &["topo", "convert", "F"],
    &["topo", "diff", "F", "now-c"],
    &["route", "F"],
    &["route", "check", "F", "--routes", "routes.ndjson"],
    &["route", "check", "net.json", "--routes", "F"],
    &["route", "check", "net.json", "--lfts", "F"],
    &["route", "verify", "net.json", "F"],
    &["route", "suggest", "F"],
    &["map", "F", "--mapper", "h0"],
    &["ring", "F", "--algorithm", "lr1"],
    &["discover", "F"],
    &["trace", "F"],
    &["report", "results", "--trace", "F"],
];

/// Wrong if a pipe, a device, a folder or a file without end were read, or waited for.
#[test]
fn only_regular_files_of_bounded_size_are_read() {
    let room = Room::new();
    room.ends(&["route", "net.json", "--routes", "routes.ndjson"], 0);
    room.ends(&["run", "s.toml", "--quiet", "--out", "results"], 0);
    let made = std::process::Command::new("mkfifo").arg(room.path("pipe")).status().unwrap();
    assert!(made.success());
    let huge = fs::File::create(room.path("huge")).unwrap();
    huge.set_len(1 << 40).unwrap();
    fs::create_dir(room.path("folder")).unwrap();
    let names = [
        ("pipe", "no regular file"),
        ("/dev/zero", "no regular file"),
        ("/dev/tty", ""),
        ("folder", "it is a folder"),
        ("huge", "at most 1073741824 are read"),
    ];
    let before = room.path("huge");
    for (name, why) in names {
        for reader in READERS {
            let is_streamed = name == "huge" && (reader.contains(&"trace") || reader.contains(&"--trace"));
            if is_streamed {
                continue;
            }
            let line: Vec<&str> = reader.iter().map(|word| if *word == "F" { name } else { *word }).collect();
            let (code, err) = room.ends_soon(&line);
            assert_eq!(code, Some(7), "{line:?}: {err}");
            assert!(err.contains(why) && !err.contains("panicked"), "{line:?} does not say {why}: {err}");
        }
    }
    assert!(before.exists());
    // What a scenario names is read in the same way.
    for (name, why) in [("pipe", "no regular file"), ("folder", "it is a folder"), ("huge", "at most")] {
        for text in [
            format!("[scenario]\nname = \"a\"\n[topology]\nfile = \"{name}\"\n"),
            format!("include = [\"{name}\"]\n[scenario]\nname = \"a\"\n"),
        ] {
            room.write("named.toml", &text);
            let (code, err) = room.ends_soon(&["check", "named.toml"]);
            assert!(matches!(code, Some(3 | 7)) && err.contains(why), "{text}: {code:?} {err}");
        }
    }
}

/// Wrong if a link in a results folder brought a private file into a report, or what is no file were passed over.
#[test]
fn a_report_follows_no_link_and_names_what_it_cannot_read() {
    let room = Room::new();
    room.ends(&["run", "s.toml", "--quiet", "--out", "results"], 0);
    room.write("private.csv", "load,secret\n1,hunter2\n");
    room.write("private.json", "{\"scenario\": \"hunter2\", \"scenario_hash\": \"hunter2\"}");
    let files = ["points.csv", "extra.csv", "network.json", "manifest.json", "README.md", "events.simlog"];
    for name in files {
        let path = room.path("results").join(name);
        let was = fs::read(&path).ok();
        let _absent = fs::remove_file(&path);
        let target = if name.ends_with(".json") { "private.json" } else { "private.csv" };
        symlink(room.path(target), &path).unwrap();
        let output = room.run(&["report", "results", "--out", "r.html"]);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{name}: {err}");
        assert!(err.contains(name) && err.contains("it is a link"), "{name}: {err}");
        assert!(!room.read("r.html").contains("hunter2"), "{name} brings a private file into the report");
        fs::remove_file(&path).unwrap();
        if let Some(bytes) = was {
            fs::write(&path, bytes).unwrap();
        }
    }
    room.ends(&["report", "results", "--out", "r.html"], 0);
    fs::create_dir(room.path("results/events.simlog")).unwrap();
    let output = room.run(&["report", "results", "--out", "r.html"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("events.simlog cannot be read"));
    fs::remove_dir(room.path("results/events.simlog")).unwrap();
    symlink(room.path("results"), room.path("to-results")).unwrap();
    room.ends(&["report", "to-results", "--out", "r.html"], 0);
}

/// Wrong if a link in a sweep's folder were followed, be it to read or to write.
#[test]
fn a_sweep_follows_no_link() {
    let room = Room::new();
    room.write("private/key", "hunter2");
    let run = ["sweep", "run", "w.toml", "--quiet", "--out", "d"];
    // `lock` as a link to a user's file, in a folder that is about to be a sweep's and in one that is.
    fs::create_dir(room.path("d")).unwrap();
    symlink(room.path("private/key"), room.path("d/lock")).unwrap();
    room.refuses(&run, 7, &["lock", "a link"]);
    fs::remove_dir_all(room.path("d")).unwrap();
    room.ends(&run, 0);
    for (name, target) in [
        ("lock", "private/key"),
        ("lock", "private/new"),
        ("shards", "private"),
        ("inputs", "private"),
        ("sweep.json", "private/key"),
    ] {
        let aside = room.path("aside");
        fs::rename(room.path("d").join(name), &aside).unwrap();
        symlink(room.path(target), room.path("d").join(name)).unwrap();
        if name == "sweep.json" {
            fs::copy(&aside, room.path("private/sweep.json")).unwrap();
        }
        for line in [&run[..], &["sweep", "work", "d", "--task", "0", "--of", "1"], &["sweep", "merge", "d"]]
        {
            if name == "lock" && line[1] != "run" {
                continue;
            }
            let (code, err) = room.ends_soon(line);
            let is_needed = name != "inputs" || line[1] != "run";
            assert!(code == Some(7) || (code == Some(3) && is_needed), "{name}, {line:?}: {code:?} {err}");
            assert_eq!(room.read("private/key"), "hunter2", "{name}, {line:?}");
        }
        fs::remove_file(room.path("d").join(name)).unwrap();
        fs::rename(&aside, room.path("d").join(name)).unwrap();
        let _absent = fs::remove_file(room.path("private/sweep.json"));
    }
    assert_eq!(fs::read_dir(room.path("private")).unwrap().count(), 1);
    // A shard that is a link is left out and named; a pipe blocks nothing.
    symlink(room.path("private/key"), room.path("d/shards/z.jsonl")).unwrap();
    let (code, err) = room.ends_soon(&["sweep", "merge", "d"]);
    assert!(code == Some(0) && err.contains("z.jsonl") && err.contains("is a link"), "{err}");
    fs::remove_file(room.path("d/sweep.json")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(room.path("d/sweep.json")).status().unwrap();
    assert!(made.success());
    for line in [
        &run[..],
        &["sweep", "status", "d"],
        &["sweep", "merge", "d"],
        &["sweep", "work", "d", "--task", "0", "--of", "1"],
        &["report", "d", "--out", "r.html"],
    ] {
        let (code, err) = room.ends_soon(line);
        assert!(matches!(code, Some(3 | 7)) && err.contains("sweep.json"), "{line:?}: {code:?} {err}");
    }
}
