//! Files that are no logs, or not whole ones.

use super::*;

/// Wrong if a cut log were read as if it were whole, or what is whole in it were not shown.
#[test]
fn what_is_whole_of_a_cut_log_is_written() {
    let log = fs::read(room().join("ring.simlog")).unwrap();
    let all = events(&[]);
    let home = tempfile::tempdir().unwrap();
    let room = home.path();
    // Without its end; without the end of its scene; in the middle of the heading; within the first bytes.
    for length in [log.len() - 1, log.len() - 60, log.len() / 2, 40, 5] {
        fs::write(room.join("cut.simlog"), &log[..length]).unwrap();
        let output = simnet(room, &["trace", "cut.simlog", "--to", "ndjson", "--out", "cut.ndjson"]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{length}: {message}");
        assert!(message.starts_with("cut.simlog: byte ") && message.contains("cut off"), "{message}");
        let lines = fs::read_to_string(room.join("cut.ndjson")).unwrap_or_default();
        let read: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(all.starts_with(&read), "{length}");
        assert_eq!(read.len() == all.len(), length > log.len() - 60 || length == log.len() - 60, "{length}");
        let _ = fs::remove_file(room.join("cut.ndjson"));
    }
    fs::write(room.join("cut.simlog"), &log[..log.len() - 1]).unwrap();
    let overview: Value =
        serde_json::from_str(&printed(room, &["trace", "cut.simlog", "--format", "json"], 3)).unwrap();
    assert_eq!(overview["events"], all.len());
    assert!(overview["damage"].as_str().unwrap().contains("cut off"));
    // What was read of it is a log of its own.
    printed(room, &["trace", "cut.simlog", "--out", "mended.simlog"], 3);
    assert!(fs::read(room.join("mended.simlog")).unwrap() == log);
}

/// Wrong if an altered log were believed.
#[test]
fn an_altered_log_is_found_out() {
    let log = fs::read(room().join("ring.simlog")).unwrap();
    let home = tempfile::tempdir().unwrap();
    let mut altered = log.clone();
    let middle = log.len() * 2 / 3;
    altered[middle] ^= 1;
    fs::write(home.path().join("altered.simlog"), &altered).unwrap();
    let message = refused(
        home.path(),
        &["trace", "altered.simlog", "--to", "pcapng", "--only", "send", "--out", "x"],
        3,
    );
    assert!(message.contains("altered.simlog: byte ") && message.contains("altered"), "{message}");
}

/// Wrong if another file were taken for a log, or the message did not say what it is.
#[test]
fn other_files_are_told_by_what_they_are() {
    let home = tempfile::tempdir().unwrap();
    let kinds: [(&[u8], &str); 13] = [
        (b"", "empty"),
        (b" \n", "blank"),
        (b"{\"points\": []}", "JSON"),
        (b"{\"point\":0,\"time_ns\":1.0,\"event\":\"go\"}\n", "NDJSON"),
        (b"scene,nth,point,time_ns,event,port\n", "events as CSV"),
        (b"host,load\n1,2\n", "CSV table"),
        (b"\x0a\x0d\x0d\x0a\x1c\0\0\0", "pcapng"),
        (b"\x1f\x8b\x08\0\0\0\0\0", "gzip"),
        (b"<!doctype html>", "HTML"),
        (b"[scenario]\nname = \"x\"\n", "TOML"),
        (b"\x7fELF\x02\x01", "program"),
        (b"\x0a\x10\x08\x01\x12\x00\x00\x00\x00", "Perfetto"),
        (b"\x00\xff\x00\xff\x00\xff", "no kind"),
    ];
    for (bytes, word) in kinds {
        fs::write(home.path().join("other"), bytes).unwrap();
        let message = refused(home.path(), &["trace", "other"], 3);
        assert!(
            message.starts_with("other: not an event log") && message.contains(word),
            "{word}: {message}"
        );
    }
    assert!(refused(home.path(), &["trace", "nowhere.simlog"], 7).starts_with("nowhere.simlog: "));
    assert!(refused(home.path(), &["trace", "."], 7).starts_with(".: "));
}

/// Wrong if a log of a later version were read as if it were of this one.
#[test]
fn a_log_of_another_version_is_named() {
    let log = fs::read(room().join("ring.simlog")).unwrap();
    let at = log.windows(15).position(|bytes| bytes == b"simnet-events/1").unwrap();
    let length = u32::from_le_bytes(log[9..13].try_into().unwrap()) as usize;
    let mut heading = log[13..13 + length].to_vec();
    heading[at - 13 + 14] = b'9';
    let mut hasher = blake3::Hasher::new();
    hasher.update(&[0; 16]).update(b"H").update(&(length as u64).to_le_bytes()).update(&heading);
    let check = &hasher.finalize().as_bytes()[..16].to_vec();
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("later"), [&log[..13], &heading, check, &log[13 + length + 16..]].concat())
        .unwrap();
    let message = refused(home.path(), &["trace", "later"], 3);
    assert!(message.contains("`simnet-events/9`") && message.contains("`simnet-events/1`"), "{message}");
}

/// Wrong if reading a log took memory with its length: one of 105 MiB is read in 100 MiB of address space, the program
/// itself counted in.
#[test]
#[cfg(target_os = "linux")]
fn a_log_larger_than_memory_is_read() {
    use simnet::ids::{HostId, SwitchId};
    use simnet::topology::{End, Network};
    use simnet::trace::{Event, EventKind, Heading, LogWriter, Scene, Sink as _};
    use simnet::units::{Duration, Time};

    const EVENTS: u64 = 440_000;
    let home = tempfile::tempdir().unwrap();
    let mut network = Network::new("one");
    let switch = network.add_switch("s", 4).unwrap();
    let host = network.add_host("h").unwrap();
    network.connect(End::host(host, 0), End::switch(switch, 0)).unwrap();
    let base_cycle = Duration::from_ps(6_250);
    let heading = Heading { network, base_cycle, ..Heading::default() };
    let file = fs::File::create(home.path().join("large.simlog")).unwrap();
    let mut log = LogWriter::new(std::io::BufWriter::new(file), &heading).unwrap();
    let scene = Scene::point(0, 0, None);
    log.scene(&scene).unwrap();
    let (port, input) = (End::host(HostId(0), 0), End::switch(SwitchId(0), 0));
    // Worms come and go: names are not to pile up, either.
    for nth in 0..EVENTS / 4 {
        let worm = u32::try_from(nth).unwrap();
        let name = format!("{nth:01000}");
        let start = EventKind::Start { worm, port, name, turns: 0, payload: 1 };
        let end = EventKind::End { worm, fate: Ok(HostId(0)) };
        let grant = EventKind::Grant { worm, input, output: input };
        let arrive = EventKind::Arrive { worm, port: input };
        for (after, what) in [start, arrive, grant, end].into_iter().enumerate() {
            let at = Time::from_ps((nth * 4 + after as u64) * 6_250);
            log.event(&scene, &Event { at, what }).unwrap();
        }
    }
    log.end(&scene).unwrap();
    Box::new(log).finish().unwrap();
    let large = fs::metadata(home.path().join("large.simlog")).unwrap().len();
    let room = 100 << 20;
    assert!(large > room, "{large} B are more than memory");
    for more in [
        &["--format", "json"][..],
        &["--to", "ndjson", "--only", "clear"],
        &["--only", "reset", "--out", "r"],
    ] {
        let limited = format!("ulimit -v {} && exec \"$0\" \"$@\"", room >> 10);
        let mut command = Command::new("sh");
        command.args(["-c", &limited, env!("CARGO_BIN_EXE_simnet"), "trace", "large.simlog"]).args(more);
        // A thread's stack takes address space; there is nothing for threads to do.
        let output = command.env("RAYON_NUM_THREADS", "1").current_dir(home.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{more:?}: {}", text(&output.stderr));
        if more[0] == "--format" {
            let overview: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(overview["events"], EVENTS);
        }
    }
}
