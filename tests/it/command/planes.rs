//! Hosts with cables to several planes: all are judged together, and one can be asked for.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Two planes of a switch each; one host is on the second alone, and cables of the first are slow.
const RAILS: &str = "\
start device,start type,start port,end device,end type,end port,rate
gh0,host,0,nvA,switch,0,100 Gb/s
gh0,host,1,nvB,switch,0,400 Gb/s
gh1,host,0,nvA,switch,1,100 Gb/s
gh1,host,1,nvB,switch,1,400 Gb/s
gh2,host,0,nvA,switch,2,100 Gb/s
gh2,host,1,nvB,switch,2,400 Gb/s
gh3,host,0,nvB,switch,3,400 Gb/s
";

fn simnet(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_simnet")).current_dir(folder).args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn rails() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("rails.csv"), RAILS).unwrap();
    folder
}

/// Wrong if two hosts counted as apart that other ports than the lowest join, in routes or in tables of next hops.
#[test]
fn hosts_are_joined_by_any_of_their_ports() {
    let folder = rails();
    for more in [&[][..], &["--per-destination"][..], &["--algorithm", "minimal"][..]] {
        let arguments =
            [&["route", "rails.csv", "--format", "json", "--require", "reachable"], more].concat();
        let (code, shown, told) = simnet(folder.path(), &arguments);
        let json: Value = serde_json::from_str(&shown).unwrap_or_else(|_| panic!("{told}"));
        assert_eq!(
            (code, &json["pairs"], &json["unreachable_pairs"]),
            (Some(0), &12.into(), &0.into()),
            "{json}"
        );
        let ports = serde_json::json!({ "ports": 7, "planes": 2, "pairs": 18, "unreachable_pairs": 0 });
        assert_eq!((&json["ports"], &json["other_ports"]), (&ports, &Value::Null), "{json}");
    }
    let (_, shown, _) = simnet(folder.path(), &["route", "rails.csv"]);
    assert!(shown.contains("7 on 2 planes; 18 pairs of ports are judged"), "{shown}");
    // A file of routes has those of the lowest ports, and its certificate says so.
    let files = ["--routes", "routes", "--certificate", "proof"];
    let (code, _, told) = simnet(folder.path(), &[&["route", "rails.csv"], &files[..]].concat());
    assert_eq!(code, Some(0), "{told}");
    let (code, shown, told) =
        simnet(folder.path(), &["route", "verify", "rails.csv", "proof", "--routes", "routes"]);
    assert_eq!(code, Some(0), "{shown}{told}");
    let (_, shown, _) = simnet(folder.path(), &["route", "check", "rails.csv", "--routes", "routes"]);
    assert!(shown.contains("pairs count by the lowest cabled port of each host alone"), "{shown}");
}

/// Wrong if a part that is asked for were another, or what is left out were not said.
#[test]
fn a_part_can_be_asked_for() {
    let folder = rails();
    for (part, hosts, said) in [
        (&["--plane", "nvA"][..], 3, "left out: 1 switch, 1 host, 4 cables"),
        (&["--plane", "gh0:1"][..], 4, "left out: 1 switch, 0 hosts, 3 cables"),
        (&["--least-rate", "200 Gb/s"][..], 4, "left out: 0 switches, 0 hosts, 3 cables"),
        (&["--leave-out", "gh2", "--leave-out", "*:1"][..], 3, "left out: 0 switches, 1 host, 4 cables"),
        (&["--leave-out", "nvA", "--plane", "gh3"][..], 4, "left out: 1 switch, 0 hosts, 3 cables"),
    ] {
        let arguments = [&["topo", "show", "rails.csv", "--format", "json"], part].concat();
        let (code, shown, told) = simnet(folder.path(), &arguments);
        let json: Value = serde_json::from_str(&shown).unwrap_or_else(|_| panic!("{told}"));
        assert_eq!((code, &json["hosts"]), (Some(0), &hosts.into()), "{part:?} {json}");
        assert!(told.contains(said), "{part:?}: {told}");
    }
    for (part, said) in [
        (["--plane", "gh0"], "`gh0` is on 2 planes: name a switch, or its port as `gh0:PORT`"),
        (["--plane", "nvC"], "no node is called `nvC`; did you mean `nvA`?"),
        (["--leave-out", "h*"], "no node and no port of a host is called `h*`"),
        (["--least-rate", "fast"], "--least-rate"),
    ] {
        let (code, _, told) = simnet(folder.path(), &[&["route", "rails.csv"], &part[..]].concat());
        assert!(matches!(code, Some(2 | 3)) && told.contains(said), "{code:?}: {told}");
    }
}

/// Wrong if a scenario could not run on a plane, or took the keys where they mean nothing.
#[test]
fn a_scenario_runs_on_a_plane() {
    let folder = rails();
    let check = |topology: &str| {
        let rest = "[fabric]\npreset = \"infiniband-ndr\"\n[routing]\nalgorithm = \"updown\"\n\
                    [traffic.uniform]\npayload = \"32 B\"\nloads = [0.1]\n[measure]\n\
                    warmup = \"10 us\"\nduration = \"50 us\"\n";
        let text = format!("[scenario]\nname = \"s\"\nseed = 1\n[topology]\n{topology}\n{rest}");
        fs::write(folder.path().join("s.toml"), text).unwrap();
        simnet(folder.path(), &["check", "s.toml"])
    };
    let (code, _, told) = check("file = \"rails.csv\"");
    assert!(code == Some(3) && told.contains("`plane` keeps one plane alone"), "{told}");
    for part in ["plane = \"nvB\"", "leave-out = [\"*:1\", \"gh3\"]", "least-rate = \"200 Gb/s\""] {
        let (code, shown, told) = check(&format!("file = \"rails.csv\"\n{part}"));
        assert_eq!(code, Some(0), "{part}: {shown}{told}");
        assert!(told.contains("left out: "), "{part}: {told}");
    }
    let (code, _, told) = check("preset = \"now-c\"\nplane = \"C1.0\"");
    assert!(code == Some(3) && told.contains("`plane` is for files"), "{told}");
}

/// Wrong if tables of the whole fabric could not be judged on one plane, where they name switches and hosts of others.
#[test]
fn tables_of_all_planes_are_judged_on_one() {
    let folder = rails();
    let run = |arguments: &[&str]| {
        let (code, shown, told) = simnet(folder.path(), arguments);
        assert_eq!(code, Some(0), "{arguments:?}: {shown}{told}");
        shown
    };
    run(&["topo", "convert", "rails.csv", "--to", "ibnetdiscover", "--out", "net.topo"]);
    run(&["route", "net.topo", "--per-destination", "--to", "opensm", "--out", "lfts"]);
    let of = |more: &[&str]| -> Value {
        let check = ["route", "check", "net.topo", "--lfts", "lfts", "--format", "json"];
        serde_json::from_str(&run(&[&check, more].concat())).unwrap()
    };
    let all = of(&[]);
    assert_eq!(
        (&all["pairs"], &all["unreachable_pairs"], &all["ports"]["pairs"]),
        (&12.into(), &0.into(), &18.into())
    );
    let plane = of(&["--plane", "nvB"]);
    assert_eq!((&plane["pairs"], &plane["unreachable_pairs"]), (&12.into(), &0.into()), "{plane}");
    let plane = of(&["--plane", "nvA"]);
    assert_eq!((&plane["pairs"], &plane["unreachable_pairs"]), (&6.into(), &0.into()), "{plane}");
}

/// Wrong if lanes and service levels of the whole fabric could not be taken beside tables that are judged on one plane.
#[test]
fn lanes_of_all_planes_are_judged_on_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "start device,start type,start port,end device,end type,end port\n".to_owned();
    for (plane, port) in [("A", 1), ("B", 2)] {
        for at in 0..4 {
            text += &format!("s{plane}{at},switch,1,s{plane}{},switch,2\n", (at + 1) % 4);
            text += &format!(
                "h{at},host,{port},s{plane}{at},switch,3\ng{at},host,{port},s{plane}{at},switch,4\n"
            );
        }
    }
    fs::write(folder.path().join("rings.csv"), text).unwrap();
    let run = |arguments: &[&str]| {
        let (code, shown, told) = simnet(folder.path(), arguments);
        assert_eq!(code, Some(0), "{arguments:?}: {shown}{told}");
        shown
    };
    run(&["topo", "convert", "rings.csv", "--to", "ibnetdiscover", "--out", "net.topo"]);
    let files = ["--to", "opensm", "--out", "lfts", "--sl", "sl", "--sl2vl", "vl"];
    run(&[&["route", "net.topo", "--algorithm", "dfsssp"], &files[..]].concat());
    for (part, pairs) in [(&[][..], 112), (&["--plane", "sA0"][..], 56), (&["--plane", "sB2"][..], 56)] {
        let check = ["route", "check", "net.topo", "--lfts", "lfts", "--sl", "sl", "--sl2vl", "vl"];
        let json: Value =
            serde_json::from_str(&run(&[&check[..], &["--format", "json"], part].concat())).unwrap();
        assert_eq!(
            (&json["judged"]["host_pairs"], &json["verdict"]),
            (&pairs.into(), &"acyclic".into()),
            "{json}"
        );
        assert_eq!(
            (&json["unreachable_pairs"], &json["paths_without_service_level"]),
            (&0.into(), &0.into()),
            "{json}"
        );
    }
}

/// Wrong if another verb counted by the lowest ports in silence.
#[test]
fn other_verbs_agree_or_say_how_they_count() {
    let folder = rails();
    let json = |arguments: &[&str]| -> Value {
        let (_, shown, told) = simnet(folder.path(), &[arguments, &["--format", "json"]].concat());
        serde_json::from_str(&shown).unwrap_or_else(|_| panic!("{told}"))
    };
    let compared = json(&["route", "compare", "rails.csv"]);
    for routing in compared["routings"].as_array().unwrap() {
        assert_eq!(routing["unreachable_pairs"], 0, "{routing}");
    }
    let suggested = json(&["route", "suggest", "rails.csv"]);
    assert_eq!(suggested["before"]["unreachable_pairs"], 0, "{suggested}");
    let ranked = json(&["route", "rank-failures", "rails.csv"]);
    assert_eq!(
        (&ranked["whole"]["unreachable_pairs"], &ranked["other_ports"]),
        (&6.into(), &3.into()),
        "{ranked}"
    );
    let (_, shown, _) = simnet(folder.path(), &["route", "rank-failures", "rails.csv"]);
    assert!(
        shown.contains("each host counts by its lowest cabled port alone, 3 other ports by none"),
        "{shown}"
    );
}
