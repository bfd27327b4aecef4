//! What the verdict on routes stands on: one lane, and who is warned that lanes may change it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Runs to the exit code `code`; gives stdout and stderr.
fn simnet(folder: &Path, arguments: &[&str], code: i32) -> [String; 2] {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    command.args(arguments).current_dir(folder).env_remove("SIMNET_LOG");
    let output = command.output().unwrap();
    let texts = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {texts:?}");
    texts
}

/// A ring of `n` switches with guids, a host on each: port 1 leads round, port 2 back, port 3 to the host.
fn ring(n: u64) -> String {
    let each = |line: &dyn Fn(u64) -> String| (0..n).map(line).collect::<Vec<_>>().join(",");
    let switches = each(&|s| format!(r#"{{"name": "s{s}", "ports": 4, "guid": "0x{:x}"}}"#, 0xa0 + s));
    let hosts = each(&|h| format!(r#"{{"name": "h{h}", "guid": "0x{:x}"}}"#, 0xb00 + 16 * h));
    let round = each(&|s| format!(r#"{{"a": "s{s}", "a_port": 1, "b": "s{}", "b_port": 2}}"#, (s + 1) % n));
    let homes = each(&|h| format!(r#"{{"a": "h{h}", "a_port": 1, "b": "s{h}", "b_port": 3}}"#));
    format!(
        r#"{{"format": "simnet-topology/1", "name": "ring", "first_port": 1, "switches": [{switches}],
            "hosts": [{hosts}], "links": [{round}, {homes}]}}"#
    )
}

/// Tables that send everything round one way, or never from the last switch to the first.
fn tables(n: u64, one_way: bool) -> String {
    let mut text = String::new();
    for s in 0..n {
        let _ = writeln!(
            text,
            "Unicast lids [0-{n}] of switch Lid {} guid 0x{:016x} ('s{s}'):",
            100 + s,
            0xa0 + s
        );
        for h in 0..n {
            let port = match (s == h, one_way || h > s) {
                (true, _) => 3,
                (_, true) => 1,
                _ => 2,
            };
            let _ = writeln!(
                text,
                "0x{:04x} {port:03} : (Channel Adapter portguid 0x{:016x}: 'h{h}')",
                h + 1,
                0xb01 + 16 * h
            );
        }
        let _ = writeln!(text, "{n} lids dumped");
    }
    text
}

fn room(files: &[(&str, String)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// Wrong if a verdict did not say that it is on one lane, in either kind of output.
#[test]
fn verdicts_are_on_one_lane() {
    let folder = room(&[("net.json", ring(5))]);
    let on_one_lane = "(judged on one lane; virtual lanes are not looked at)";
    for (algorithm, verdict, words) in [
        ("updown", "acyclic", "impossible: the channel dependency graph is acyclic"),
        ("minimal", "cyclic", "possible: a cycle of 5 channels"),
    ] {
        let line =
            ["route", "net.json", "--algorithm", algorithm, "--select", "first", "--routes", "r.ndjson"];
        let [text, _] = simnet(folder.path(), &line, 0);
        assert!(text.contains(&format!("{words} {on_one_lane}")), "{text}");
        let [text, _] = simnet(folder.path(), &[&line[..], &["--format", "json"]].concat(), 0);
        let object: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&object["lanes"], &object["verdict"]), (&Value::from(1), &Value::from(verdict)));

        let check = ["route", "check", "net.json", "--routes", "r.ndjson"];
        let code = i32::from(verdict == "cyclic");
        let [text, _] = simnet(folder.path(), &check, code);
        assert!(text.contains(on_one_lane), "{text}");
        let [text, _] = simnet(folder.path(), &[&check[..], &["--format", "json"]].concat(), code);
        let object: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&object["lanes"], &object["verdict"]), (&Value::from(1), &Value::from(verdict)));
    }
}

/// Wrong if it were reported that tables are cyclic and not that lanes may break the cycle, or if so for
/// nothing.
#[test]
fn cyclic_tables_are_told_with_caution() {
    let (round, safe) = (tables(5, true), tables(5, false));
    let folder = room(&[
        ("net.json", ring(5)),
        ("plain/opensm-lfts.dump", round.clone()),
        ("safe-lash/opensm-lfts.dump", safe),
        ("a-dfsssp/opensm-lfts.dump", round.clone()),
        ("lanes/opensm-lfts.dump", round),
        ("lanes/opensm-sl2vl.dump", String::new()),
    ]);
    let check = |dump: &str, code: i32, more: &[&str]| {
        simnet(folder.path(), &[&["route", "check", "net.json", "--lfts", dump], more].concat(), code)
    };
    let [_, printed] = check("plain/opensm-lfts.dump", 1, &[]);
    assert!(printed.contains("look cyclic on one lane, and virtual lanes were not looked at"), "{printed}");
    assert!(
        ["LASH", "DFSSSP", "Nue", "torus-2QoS"].iter().all(|engine| printed.contains(engine)),
        "{printed}"
    );
    assert!(!printed.contains("uses lanes"), "{printed}");
    let [_, printed] = check("a-dfsssp/opensm-lfts.dump", 1, &["--format", "json"]);
    assert!(printed.contains("DFSSSP is named in its path or in a comment, and uses lanes"), "{printed}");
    let [_, printed] = check("lanes/opensm-lfts.dump", 1, &[]);
    assert!(printed.contains("opensm-sl2vl.dump beside it says that this fabric has lanes"), "{printed}");
    assert_eq!(check("lanes/opensm-lfts.dump", 1, &["--quiet"])[1], "");
    assert_eq!(check("safe-lash/opensm-lfts.dump", 0, &[])[1], "");
}

/// Wrong if the help did not say what is not looked at.
#[test]
fn help_says_that_lanes_are_not_looked_at() {
    for verb in [&["route", "--help"][..], &["route", "check", "--help"]] {
        let [text, _] = simnet(Path::new("."), verb, 0);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("judged on one lane: virtual lanes are not looked at"), "{text}");
    }
}
