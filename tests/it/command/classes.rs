//! `route check` on fabrics with aggregation nodes: the verdict is that of hosts, and that of all stands beside it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Three switches in a ring, each with a host and an aggregation node: the dump.
fn dump() -> String {
    let mut text = String::from("# Topology file: generated on Sat Nov 28 2026\n");
    for at in 0..3_u64 {
        let (left, right) = ((at + 2) % 3, (at + 1) % 3);
        let node = |kind: &str, guid: u64| format!("\"{kind}-{guid:016x}\"");
        let own = 0x5000 + at;
        let (host, unit) = (0x9000 + 0x10 * at, 0xa000 + 0x10 * at);
        let own_name = node("S", own);
        write!(
            text,
            "\nvendid=0x2c9\ndevid=0x1\nsysimgguid=0x{own:x}\nswitchguid=0x{own:x}({own:x})\n\
             Switch\t4 {own_name}\t\t# \"leaf{at}\" base port 0 lid {} lmc 0\n\
             [1]\t{}[1]({:x})\t\t# \"n{at}\" lid {} 4xHDR\n\
             [2]\t{}[1]({:x})\t\t# \"Mellanox Technologies Aggregation Node\" lid {} 4xHDR\n\
             [3]\t{}[4]\t\t# \"leaf{right}\" lid {} 4xHDR\n\
             [4]\t{}[3]\t\t# \"leaf{left}\" lid {} 4xHDR\n\
             \nvendid=0x2c9\ndevid=0x1\nsysimgguid=0x{host:x}\ncaguid=0x{host:x}\n\
             Ca\t1 {}\t\t# \"n{at}\"\n[1]({:x})\t{own_name}[1]\t\t# lid {} lmc 0 \"leaf{at}\" lid {} 4xHDR\n\
             \nvendid=0x2c9\ndevid=0x1\nsysimgguid=0x{unit:x}\ncaguid=0x{unit:x}\n\
             Ca\t1 {}\t\t# \"Mellanox Technologies Aggregation Node\"\n\
             [1]({:x})\t{own_name}[2]\t\t# lid {} lmc 0 \"leaf{at}\" lid {} 4xHDR\n",
            1 + at,
            node("H", host),
            host + 1,
            11 + at,
            node("H", unit),
            unit + 1,
            21 + at,
            node("S", 0x5000 + right),
            1 + right,
            node("S", 0x5000 + left),
            1 + left,
            node("H", host),
            host + 1,
            11 + at,
            1 + at,
            node("H", unit),
            unit + 1,
            21 + at,
            1 + at,
        )
        .unwrap();
    }
    text
}

/// Its tables: hosts by the shortest way, aggregation nodes all the same way round, `round` so many switches.
fn tables(round: bool) -> String {
    let mut text = String::new();
    for at in 0..3_u64 {
        writeln!(
            text,
            "Unicast lids [0-23] of switch Lid {} guid 0x{:016x} ('leaf{at}'):",
            1 + at,
            0x5000 + at
        )
        .unwrap();
        let mut lines = Vec::new();
        for to in 0..3_u64 {
            let short = if to == (at + 1) % 3 { 3 } else { 4 };
            let by = |own: u64, way: u64| if to == at { own } else { way };
            let mut line = |lid: u64, port: u64, kind: &str, guid: u64| {
                lines.push(format!("0x{lid:04x} {port:03} # {kind} portguid 0x{guid:016x}: 'it'\n"));
            };
            line(1 + to, by(0, short), "Switch", 0x5000 + to);
            line(11 + to, by(1, short), "Channel Adapter", 0x9001 + 0x10 * to);
            line(21 + to, by(2, if round { 3 } else { short }), "Channel Adapter", 0xa001 + 0x10 * to);
        }
        lines.sort();
        text.extend(lines);
        text.push_str("9 lids dumped\n");
    }
    text
}

fn check(folder: &Path, more: &[&str]) -> (Option<i32>, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    let arguments = ["route", "check", "net.topo", "--lfts", "lfts.dump", "--format", "json"];
    let output = command.current_dir(folder).args(arguments).args(more).output().unwrap();
    let json = serde_json::from_slice(&output.stdout);
    (output.status.code(), json.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr))))
}

/// Wrong if a circle that only paths of aggregation nodes close decided the exit code unasked, or were not told.
#[test]
fn the_verdict_is_that_of_hosts() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("net.topo"), dump()).unwrap();
    for round in [false, true] {
        fs::write(folder.path().join("lfts.dump"), tables(round)).unwrap();
        let (code, json) = check(folder.path(), &[]);
        assert_eq!(
            (code, &json["verdict"], &json["pairs"]),
            (Some(0), &"acyclic".into(), &6.into()),
            "{json}"
        );
        let all = &json["all_classes"];
        assert_eq!((&all["aggregation_nodes"], &all["pairs"]), (&3.into(), &30.into()), "{json}");
        assert_eq!(all["verdict"], if round { "cyclic" } else { "acyclic" }, "{json}");
        let classes: Vec<_> = json["verdicts"].as_array().unwrap().iter().map(|one| &one["class"]).collect();
        assert_eq!(classes, ["host-host", "host-aggregation"], "{json}");
        let [hosts, others] = [0, 1].map(|nth| &json["verdicts"][nth]);
        assert_eq!((&hosts["verdict"], &hosts["pairs"]), (&"acyclic".into(), &6.into()), "{json}");
        assert_eq!((&others["verdict"], &others["pairs"]), (&all["verdict"], &24.into()), "{json}");
        let (code, _) = check(folder.path(), &["--require", "all-classes"]);
        assert_eq!(code, Some(i32::from(round)), "{json}");
        let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
        let arguments = ["route", "check", "net.topo", "--lfts", "lfts.dump", "--certificate", "proof"];
        let output = command.current_dir(&folder).args(arguments).output().unwrap();
        let (told, shown) =
            (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
        assert_eq!(folder.path().join("proof").exists(), !round, "{told}");
        assert_eq!(told.contains("a certificate is of all classes of nodes"), round, "{told}");
        assert_eq!(shown.contains("possible: a cycle of 3 channels"), round, "{shown}");
        assert_eq!(shown.contains(", of the class host-aggregation; 3 aggregation nodes"), round, "{shown}");
        let _ = fs::remove_file(folder.path().join("proof"));
        let (_, json) = check(folder.path(), &["--without", "S-0000000000005000:3"]);
        assert_eq!((&json["pairs"], &json["verdict"]), (&6.into(), &"acyclic".into()), "{json}");
        let (code, json) = check(folder.path(), &["--drop-aggregation-nodes"]);
        assert_eq!(
            (code, &json["pairs"], &json["all_classes"]),
            (Some(0), &6.into(), &Value::Null),
            "{json}"
        );
    }
}

/// Wrong if tables that are written without the nodes that were dropped did not say so.
#[test]
fn tables_without_nodes_of_the_dump_say_so() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("net.topo"), dump()).unwrap();
    for (more, says) in [(&[][..], false), (&["--drop-aggregation-nodes"][..], true)] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
        let arguments = ["route", "net.topo", "--per-destination", "--to", "opensm", "--out", "made.dump"];
        let output = command.current_dir(&folder).args(arguments).args(more).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{told}");
        assert_eq!(told.contains("3 nodes of the network's file left out"), says, "{told}");
        let made = fs::read_to_string(folder.path().join("made.dump")).unwrap();
        assert_eq!(made.contains("0x0015 "), !says, "lid 21 is an aggregation node's: {made}");
    }
}
