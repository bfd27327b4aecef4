//! `simnet route check --lfts`: the verdict on forwarding tables, and damaged dumps refused at their place.

use std::fs;
use std::process::Command;

use serde_json::Value;
use support_network::lfts::{PAIR, SOUND};

/// The exit code, the report and the complaints of `route check --lfts`.
fn check(dump: &str) -> (Option<i32>, Value, String) {
    let room = tempfile::tempdir().unwrap();
    fs::write(room.path().join("pair.json"), PAIR).unwrap();
    fs::write(room.path().join("lfts.dump"), dump).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    command.args(["route", "check", "pair.json", "--lfts", "lfts.dump", "--format", "json"]);
    let output = command.current_dir(room.path()).output().unwrap();
    let report = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code(), report, String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Wrong if the figures of the smallest subnet, or the verdict on tables with one entry changed, were others.
#[test]
fn the_verb_judges_tables() {
    let (code, report, complaints) = check(SOUND);
    assert_eq!(code, Some(0), "{complaints}");
    assert_eq!((&report["algorithm"], &report["pairs"]), (&"file".into(), &2.into()));
    assert_eq!((&report["mean_distance"], &report["max_channel_load"]), (&1.0.into(), &1.into()));
    assert_eq!((&report["unreachable_pairs"], &report["dependency_cycle"]), (&0.into(), &Value::Null));
    // Without its owners of lids, a lid is whose switch hands it over.
    let untold: String =
        SOUND.lines().map(|line| format!("{}\n", line.split(" #").next().unwrap())).collect();
    assert_eq!(check(&untold).1, report, "{untold}");
    let to_b = |port: &str| SOUND.replacen("0x0004 002", &format!("0x0004 {port}"), 1);
    for nowhere in ["000", "255", "003", "004", "009"] {
        let (code, report, _) = check(&to_b(nowhere));
        assert_eq!((code, &report["unreachable_pairs"]), (Some(1), &1.into()), "{nowhere}");
    }
    // Back and forth between the switches: the route never ends, and waits for itself.
    let (code, report, _) = check(&SOUND.replace("0x0004 001", "0x0004 002"));
    assert_eq!((code, &report["unreachable_pairs"]), (Some(1), &1.into()));
    assert_eq!(report["dependency_cycle"], serde_json::json!(["s:2", "t:2"]));
}

/// Wrong if a dump that is cut off or edited were judged, or refused without its place.
#[test]
fn damaged_dumps_are_refused_at_their_place() {
    let rows = [
        ("", "no-table", "1:1"),
        ("hello\n", "not-a-table", "1:1"),
        (&SOUND[..SOUND.len() - 1 - "lids dumped".len()], "cut-off", ""),
        (SOUND.split("Unicast lids [0-4] of switch Lid 3").next().unwrap(), "cut-off", "4:1"),
        (&SOUND.replace("a0 ('s')", "a1 ('s')"), "unknown-switch", "1:1"),
        (&SOUND.replace("b0 ('t')", "a0 ('s')"), "duplicate-table", "7:1"),
        (&SOUND.replace("021: 'b'", "031: 'c'"), "unknown-port", "5:1"),
        (&SOUND.replacen("021: 'b'", "011: 'a'", 1), "lid-of-two", "11:1"),
        (&SOUND.replacen("0x0004", "0x0005", 1), "lid-order", "5:1"),
        (&SOUND.replacen("0x0004", "0x0003", 1), "lid-order", "5:1"),
        (&SOUND.replacen("0x0004 002", "0x0004 two", 1), "table-entry", "5:1"),
        (&SOUND.replacen("0x0004 002", "0x0004 256", 1), "table-entry", "5:1"),
        (&SOUND.replacen("0x0004 002", "0x10004 002", 1), "table-entry", "5:1"),
        (&SOUND.replacen("Channel Adapter portguid", "Channel", 1), "table-entry", "3:1"),
        (&SOUND.replacen("[0-4]", "[0-]", 1), "table-header", "1:1"),
        (&SOUND.replacen("4 lids", "7 lids", 1), "wrong-count", "6:1"),
        (&SOUND.replacen("4 lids", "3 valid lids", 1), "wrong-count", "6:1"),
        (&SOUND.replacen("4 lids dumped\n", "", 1), "cut-off", "6:1"),
        (&SOUND[SOUND.find('\n').unwrap() + 1..], "headless-entry", "1:1"),
    ];
    for (text, code, place) in rows {
        let (exit, report, complaints) = check(text);
        assert_eq!((exit, report), (Some(3), Value::Null), "{code}: {complaints}");
        let there = format!("lfts.dump:{place}");
        assert!(complaints.contains(code) && complaints.contains(&there), "{code} {place}: {complaints}");
    }
    let room = tempfile::tempdir().unwrap();
    fs::write(room.path().join("pair.json"), PAIR).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    command.args(["route", "check", "pair.json", "--lfts", "absent"]).current_dir(room.path());
    assert_eq!(command.output().unwrap().status.code(), Some(7));
}
