//! `simnet route --per-destination`, `--algorithm lash|dfsssp|nue` and `route compare` as commands.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn simnet(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_simnet")).args(arguments).current_dir(folder).output().unwrap()
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let output = simnet(folder, &[arguments, &["--format", "json"]].concat());
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{arguments:?}: {text}"))
}

/// A folder with a torus of 8 by 8 switches, a host on each.
fn torus() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let made =
        ["topo", "generate", "torus", "--x", "8", "--y", "8", "--hosts-per-switch", "1", "--out", "t.json"];
    assert!(simnet(folder.path(), &made).status.success());
    folder
}

/// Wrong if tables by destination were judged otherwise than the files that they are written to, or the routes of
/// `--routes` were others.
#[test]
fn tables_are_written_as_they_are_judged() {
    let folder = torus();
    let files = ["--to", "opensm", "--out", "lfts", "--routes", "r.ndjson", "--require", "acyclic,reachable"];
    for algorithm in ["updown", "smart"] {
        let own = json(
            folder.path(),
            &[&["route", "t.json", "--per-destination", "--algorithm", algorithm][..], &files].concat(),
        );
        assert_eq!(
            (&own["verdict"], &own["lanes"], &own["tables"]),
            (&"acyclic".into(), &1.into(), &"per destination".into())
        );
        for check in [["--lfts", "lfts"], ["--routes", "r.ndjson"]] {
            let read = json(folder.path(), &[&["route", "check", "t.json"][..], &check].concat());
            for key in
                ["mean_distance", "max_channel_load", "non_minimal_pairs", "unreachable_pairs", "verdict"]
            {
                assert_eq!(read[key], own[key], "{algorithm}, {check:?}, {key}");
            }
        }
    }
}

/// Wrong if lanes were not those that were given, too few were not refused with the number that is needed, or the
/// files of lanes lacked a pair or a pair of ports.
#[test]
fn lanes_are_used_written_and_refused() {
    let folder = torus();
    let fewest =
        json(folder.path(), &["route", "t.json", "--algorithm", "dfsssp"])["lanes"].as_u64().unwrap();
    assert!((2..=8).contains(&fewest), "{fewest} lanes");
    let refused = simnet(folder.path(), &["route", "t.json", "--algorithm", "dfsssp", "--lanes", "1"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains(&format!("{fewest} lanes are needed")), "{said}");
    let files =
        ["--to", "opensm", "--out", "lfts", "--lid-matrix", "matrix", "--sl", "psl", "--sl2vl", "slvl"];
    let six = json(
        folder.path(),
        &[&["route", "t.json", "--algorithm", "lash", "--lanes", "6"][..], &files].concat(),
    );
    assert_eq!((&six["lanes"], &six["verdict"]), (&6.into(), &"acyclic".into()));
    let lines = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap().lines().count();
    // A line of comment first; a switch has ports 0 to 5.
    let (pairs, ports) = (1 + 64 * 63, 5 * 5);
    assert_eq!((lines("psl"), lines("slvl"), lines("matrix")), (pairs, 1 + 64 * ports, 1 + 64 * 65));
    let levels = fs::read_to_string(folder.path().join("psl")).unwrap();
    let mut seen: Vec<&str> = levels.lines().skip(1).map(|line| line.rsplit(' ').next().unwrap()).collect();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen, ["0", "1", "2", "3", "4", "5"]);
    let nue = json(folder.path(), &["route", "t.json", "--algorithm", "nue"]);
    assert_eq!((&nue["lanes"], &nue["verdict"]), (&1.into(), &"acyclic".into()));
}

/// Wrong if options that mean nothing together were taken.
#[test]
fn what_does_not_go_together_is_refused() {
    let folder = torus();
    for arguments in [
        &["--lanes", "2"][..],
        &["--lmc", "1"],
        &["--per-destination", "--lanes", "2"],
        &["--per-destination", "--select", "first"],
        &["--per-destination", "--lmc", "8"],
        &["--per-destination", "--out", "lfts"],
        &["--per-destination", "--to", "opensm"],
        &["--per-destination", "--to", "other", "--out", "lfts"],
        &["--algorithm", "lash", "--root", "s0"],
        &["--algorithm", "nue", "--lanes", "0"],
    ] {
        let output = simnet(folder.path(), &[&["route", "t.json"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
    let selected = simnet(folder.path(), &["route", "t.json", "--algorithm", "lash", "--select", "first"]);
    let said = String::from_utf8_lossy(&selected.stderr).into_owned();
    assert!(said.contains("one next hop per switch and destination"), "{said}");
}

/// The torus as a file without a cable of switch `s0` or without all of it, whose host stays.
fn reduced(folder: &Path, is_switch: bool) {
    let text = fs::read_to_string(folder.join("t.json")).unwrap();
    let mut net: Value = serde_json::from_str(&text).unwrap();
    let ends = |link: &Value| [link["a"].clone(), link["b"].clone()];
    let is_gone = |link: &Value| match is_switch {
        true => ends(link).contains(&"s0".into()),
        false => ends(link) == ["s0", "s1"],
    };
    net["links"].as_array_mut().unwrap().retain(|link| !is_gone(link));
    net["switches"].as_array_mut().unwrap().retain(|switch| !is_switch || switch["name"] != "s0");
    fs::write(folder.join("left.json"), net.to_string()).unwrap();
}

/// Wrong if tables without a cable or a switch were not those of a network that never had it, those beside them not the
/// whole network's, or a file of theirs led over what is gone.
#[test]
fn tables_are_computed_without_a_part() {
    let folder = torus();
    let files = ["--to", "opensm", "--out", "lfts"];
    let is_of_both = |key: &str| !matches!(key, "whole" | "without" | "unreachable_examples" | "network");
    for (is_switch, option, part) in [(false, "--without", "s0:1"), (true, "--without-switch", "s0")] {
        reduced(folder.path(), is_switch);
        for algorithm in ["updown", "minimal", "dfsssp"] {
            let how = ["--per-destination", "--algorithm", algorithm];
            let alone = json(folder.path(), &[&["route", "left.json"][..], &how].concat());
            let whole = json(folder.path(), &[&["route", "t.json"][..], &how].concat());
            let line = [&["route", "t.json", option, part][..], &how].concat();
            let own = json(folder.path(), &line);
            let of_both = own.as_object().unwrap().iter().filter(|(key, _)| is_of_both(key));
            of_both.for_each(|(key, value)| assert_eq!(*value, alone[key], "{algorithm}, {part}, {key}"));
            let beside = own["whole"].as_object().unwrap().iter();
            beside.for_each(|(key, value)| assert_eq!(*value, whole[key], "{algorithm}, {part}, {key}"));
            assert_eq!((&own["tables"], &own["lanes"]), (&"per destination".into(), &alone["lanes"]));
            let human = simnet(folder.path(), &line);
            let text = String::from_utf8_lossy(&human.stdout).into_owned();
            assert!(text.contains("one next hop per switch") && text.contains("\nwithout s0"), "{text}");
        }
        // New guids would be counted without the switch: files need nodes with guids of their own.
        let line = ["route", "t.json", option, part, "--per-destination"];
        let code = simnet(folder.path(), &[&line[..], &files].concat()).status.code();
        assert_eq!(code, Some(if is_switch { 2 } else { 0 }), "{part}");
    }
    reduced(folder.path(), false);
    let read = json(folder.path(), &["route", "check", "left.json", "--lfts", "lfts"]);
    assert_eq!((&read["unreachable_pairs"], &read["verdict"]), (&0.into(), &"acyclic".into()));
    let to_dump = ["topo", "convert", "t.json", "--to", "ibnetdiscover", "--out", "t.topo"];
    assert!(simnet(folder.path(), &to_dump).status.success());
    let line = ["route", "t.topo", "--per-destination", "--without", "s0", "--require", "reachable"];
    let required = simnet(folder.path(), &[&line[..], &files].concat());
    assert_eq!(required.status.code(), Some(1), "{required:?}");
    let read = json(folder.path(), &["route", "check", "t.topo", "--lfts", "lfts", "--without", "s0"]);
    // The host of the switch sends to 63 others, and they to it.
    assert_eq!(read["unreachable_pairs"], 126);
}

/// Wrong if what a scenario is told to do in place of `lash`, `dfsssp` or `nue` could not be done as it stands.
#[test]
fn a_scenario_runs_engines_by_their_tables() {
    let folder = torus();
    let scenario = |routing: &str| {
        let text = format!(
            "[scenario]\nname = \"case\"\n[topology]\nfile = \"t.json\"\n[routing]\n{routing}\n\
             [traffic.uniform]\npayload = \"32 B\"\nloads = [0.01]\n"
        );
        fs::write(folder.path().join("s.toml"), text).unwrap();
        simnet(folder.path(), &["check", "s.toml"])
    };
    for engine in ["lash", "dfsssp", "nue"] {
        let refused = scenario(&format!("algorithm = \"{engine}\""));
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(3), "{said}");
        let help = said.split_once("= help: ").expect("a help").1;
        let codes: Vec<&str> = help.split('`').skip(1).step_by(2).collect();
        let [_, command, routing] = codes[..] else { panic!("{help}") };
        let command = command.replace("NET", "t.json").replace("FILE", "tables");
        let arguments: Vec<&str> = command.split_whitespace().skip(1).collect();
        let written = simnet(folder.path(), &arguments);
        assert!(written.status.success(), "{command}: {written:?}");
        let routing = routing.strip_prefix("[routing] ").expect("its section").replace("FILE", "tables");
        let checked = scenario(&routing);
        assert!(checked.status.success(), "{routing}: {}", String::from_utf8_lossy(&checked.stderr));
    }
}

/// Wrong if a routing were left out, its figures were not those that it has alone, or what may deadlock were taken.
#[test]
fn all_routings_are_compared() {
    let folder = torus();
    let compared = json(folder.path(), &["route", "compare", "t.json"]);
    let rows = compared["routings"].as_array().unwrap();
    let name =
        |row: &Value| format!("{} {}", row["algorithm"].as_str().unwrap(), row["tables"].as_str().unwrap());
    let rules = ["updown", "smart", "minimal", "dimension-order"];
    let mut expected: Vec<String> = rules.iter().map(|rule| format!("{rule} per pair")).collect();
    let engines = rules.iter().chain(&["lash", "dfsssp", "nue"]);
    expected.extend(engines.map(|engine| format!("{engine} per destination")));
    assert_eq!(rows.iter().map(name).collect::<Vec<_>>(), expected);
    let lash = json(folder.path(), &["route", "t.json", "--algorithm", "lash"]);
    let row = rows.iter().find(|row| row["algorithm"] == "lash").unwrap();
    let own = lash.as_object().unwrap().iter().filter(|(key, _)| *key != "addresses_per_port");
    own.for_each(|(key, value)| assert_eq!(row[key], *value, "{key}"));
    for taken in compared["taken"].as_array().unwrap() {
        let row = rows.iter().find(|row| name(row) == name(taken)).unwrap();
        assert_eq!(row["verdict"], "acyclic", "{taken}");
    }
    assert_eq!(compared["taken"].as_array().unwrap().len(), 2);
    // On no grid there is no dimension order, and on one lane little can be taken.
    let ring = simnet(
        folder.path(),
        &["topo", "generate", "random-regular", "--switches", "8", "--degree", "3", "--out", "r.json"],
    );
    assert!(ring.status.success());
    let human = simnet(folder.path(), &["route", "compare", "r.json"]);
    assert!(String::from_utf8_lossy(&human.stdout).contains("take "), "{human:?}");
    let one_lane = json(folder.path(), &["route", "compare", "r.json", "--lanes", "1"]);
    assert!(!one_lane.to_string().contains("dimension-order"), "{one_lane}");
}
