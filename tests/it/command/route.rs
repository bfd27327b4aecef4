//! `simnet route` and `simnet route check` as processes: keys, verdicts, exit codes.

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::simnet;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("simnet-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
    fn file(&self, name: &str, text: &str) -> String {
        std::fs::write(self.0.join(name), text).unwrap();
        self.path(name)
    }
    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A ring of four switches with a host each, as JSON.
fn ring(folder: &Folder) -> String {
    let switch = |n: u32| format!(r#"{{"name": "s{n}", "ports": 4}}"#);
    let host = |n: u32| format!(r#"{{"name": "h{n}"}}"#);
    let cables = |n: u32| {
        let next = (n + 1) % 4;
        format!(
            r#"{{"a": "h{n}", "a_port": 0, "b": "s{n}", "b_port": 0}},
               {{"a": "s{n}", "a_port": 1, "b": "s{next}", "b_port": 2}}"#
        )
    };
    let list = |each: &dyn Fn(u32) -> String| (0..4).map(each).collect::<Vec<_>>().join(",");
    let text = format!(
        r#"{{"format": "simnet-topology/1", "name": "ring",
            "switches": [{}], "hosts": [{}], "links": [{}]}}"#,
        list(&switch),
        list(&host),
        list(&cables)
    );
    folder.file("ring.json", &text)
}

/// Wrong if a key were missing, misnamed or extra, or a verdict changed the exit code of `route`.
#[test]
fn the_verb_prints_the_documented_keys() {
    let folder = Folder::new("route-keys");
    let ring = ring(&folder);
    let output = simnet(&["route", &ring, "--algorithm", "minimal", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0));
    let report = json(&output);
    let mut keys: Vec<&str> = report.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    let documented = "algorithm busiest_channel channel_load_by_root_distance chosen crossing_paths \
        dependency_cycle judged lanes max_channel_load mean_distance non_minimal_pairs pairs \
        paths_without_service_level relabelled restrictions_per_switch root root_options spines_as_roots \
        switch_mean_distance unreachable_pairs verdict verdict_about";
    assert_eq!(keys, documented.split_whitespace().collect::<Vec<_>>());
    assert_eq!(report["dependency_cycle"], serde_json::json!(["s0:1", "s1:1", "s2:1", "s3:1"]));
    let output = simnet(&["route", &ring, "--root", "s2,s1", "--format", "json"]);
    assert_eq!((&json(&output)["root"], &json(&output)["dependency_cycle"]), (&"s2,s1".into(), &Value::Null));
    let human = simnet(&["route", &ring, "--algorithm", "minimal"]);
    assert!(String::from_utf8(human.stdout).unwrap().contains("waits for s3:1"));
}

/// Wrong if `route check` passed routes that can deadlock or leave a pair without a route, or failed sound
/// ones.
#[test]
fn check_judges_given_routes() {
    let folder = Folder::new("route-check");
    let ring = ring(&folder);
    let routes = folder.path("routes.ndjson");
    assert!(simnet(&["route", &ring, "--routes", &routes]).status.success());
    let sound = simnet(&["route", "check", &ring, "--routes", &routes, "--format", "json"]);
    assert_eq!(sound.status.code(), Some(0));
    let report = json(&sound);
    assert_eq!((&report["pairs"], &report["unreachable_pairs"]), (&12.into(), &0.into()));
    // Without its last line a pair has no route.
    let text = std::fs::read_to_string(&routes).unwrap();
    let short: Vec<&str> = text.lines().collect();
    folder.file("short.ndjson", &short[..11].join("\n"));
    let short =
        simnet(&["route", "check", &ring, "--routes", &folder.path("short.ndjson"), "--format", "json"]);
    assert_eq!((short.status.code(), &json(&short)["unreachable_pairs"]), (Some(1), &1.into()));
    // Two hops clockwise from everywhere, the rest by one.
    let clockwise: String = (0..4)
        .flat_map(|n| {
            let line = move |d: u32, turns: &str| {
                format!("{{\"src\": \"h{n}\", \"dst\": \"h{}\", \"turns\": {turns}}}\n", (n + d) % 4)
            };
            [line(1, "[1, -2]"), line(2, "[1, -1, -2]"), line(3, "[2, -1]")]
        })
        .collect();
    let path = folder.file("clockwise.ndjson", &clockwise);
    let cyclic = simnet(&["route", "check", &ring, "--routes", &path, "--format", "json"]);
    assert_eq!(cyclic.status.code(), Some(1));
    assert_eq!(json(&cyclic)["dependency_cycle"], serde_json::json!(["s0:1", "s1:1", "s2:1", "s3:1"]));
    assert_eq!(json(&cyclic)["unreachable_pairs"], 0);
}

/// Wrong if a mistake of the user had another exit code, or left a file behind.
#[test]
fn mistakes_have_their_exit_codes() {
    let folder = Folder::new("route-mistakes");
    let ring = ring(&folder);
    let bad = folder.file("bad.ndjson", "{\"src\": \"h0\"");
    let nowhere = folder.path("no/such/folder");
    let rows: [(&[&str], i32); 14] = [
        (&["route"], 2),
        (&["route", &ring, "--root", "s9"], 2),
        (&["route", &ring, "--root", "h0"], 2),
        (&["route", &ring, "--root", "s0,,s1"], 2),
        (&["route", &ring, "--root", ""], 2),
        (&["route", &ring, "--algorithm", "shortest"], 2),
        (&["route", &ring, "--select", "best"], 2),
        (&["route", &ring, "--utility", "nobody"], 2),
        (&["route", &ring, "--seed", "-1"], 2),
        (&["route", "check", &ring], 2),
        (&["route", "check", &ring, "--lfts", &bad], 3),
        (&["route", &ring, "--routes", &nowhere], 7),
        (&["route", "check", &ring, "--routes", &nowhere], 7),
        (&["route", "check", &ring, "--routes", &bad], 3),
    ];
    for (arguments, code) in rows {
        let output = simnet(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments:?}");
    }
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 2);
    assert!(!Path::new(&nowhere).exists());
}

/// Wrong if the seed did not decide the routes, or anything else did.
#[test]
fn the_seed_decides_the_routes() {
    let folder = Folder::new("route-seed");
    let write = |name: &str, seed: &str| {
        let path = folder.path(name);
        assert!(simnet(&["route", "now-cab", "--routes", &path, "--seed", seed]).status.success());
        std::fs::read(path).unwrap()
    };
    let zero = write("zero", "0");
    assert_eq!(zero, write("again", "0"));
    assert_ne!(zero, write("one", "1"));
    assert!(simnet(&["route", "now-cab", "--routes", &folder.path("default")]).status.success());
    assert_eq!(zero, std::fs::read(folder.path("default")).unwrap());
}

/// A ring of four switches without hosts, as GraphML.
fn bare_ring(folder: &Folder) -> String {
    let nodes: String = (0..4).map(|n| format!(r#"<node id="n{n}"/>"#)).collect();
    let edges: String =
        (0..4).map(|n| format!(r#"<edge source="n{n}" target="n{}"/>"#, (n + 1) % 4)).collect();
    let text = format!(
        r#"<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">
           <graph edgedefault="undirected">{nodes}{edges}</graph></graphml>"#
    );
    folder.file("ring.graphml", &text)
}

/// Wrong if routes of a network without hosts passed as free of deadlock with no pair looked at, or the exit code
/// were 1 without `--require`, or 0 where what is required does not hold.
#[test]
fn a_network_without_hosts_is_no_vacuous_proof() {
    let folder = Folder::new("route-vacuous");
    let bare = bare_ring(&folder);
    let run = |more: &[&str]| simnet(&[&["route", &bare, "--format", "json"], more].concat());
    let minimal = run(&["--algorithm", "minimal"]);
    assert_eq!(minimal.status.code(), Some(0));
    let report = json(&minimal);
    assert_eq!((&report["verdict"], &report["pairs"]), (&"cyclic".into(), &0.into()));
    assert_eq!(report["dependency_cycle"].as_array().map(Vec::len), Some(4));
    let judged = serde_json::json!({"host_pairs": 0, "switch_pairs": 12, "unreachable_switch_pairs": 0,
                                    "switches_left_out": 0});
    assert_eq!(report["judged"], judged);
    let about = report["verdict_about"].as_str().unwrap();
    assert!(about.contains("12 pairs of switches") && about.contains("--hosts-per-switch N"), "{about}");
    let human = simnet(&["route", &bare, "--algorithm", "minimal"]);
    let human = String::from_utf8(human.stdout).unwrap();
    assert!(human.contains(about) && human.contains("possible: a cycle of 4 channels"), "{human}");
    for (more, code) in [
        (&["--algorithm", "minimal", "--require", "acyclic"][..], 1),
        (&["--algorithm", "minimal", "--require", "reachable"], 0),
        (&["--algorithm", "minimal", "--require", "acyclic,reachable"], 1),
        (&["--require", "acyclic,reachable"], 0),
        (&["--require", "sound"], 2),
    ] {
        let output = run(more);
        assert_eq!(output.status.code(), Some(code), "{more:?}");
        // What does not hold is printed all the same.
        assert_eq!(output.stdout.is_empty(), code == 2, "{more:?}");
    }
}

/// Wrong if nothing at all passed as a proof, or `--require` took nothing for what it asks.
#[test]
fn where_nothing_is_judged_there_is_no_verdict() {
    let folder = Folder::new("route-nothing");
    let text = r#"{"format": "simnet-topology/1", "name": "one", "switches": [{"name": "s", "ports": 4}],
        "hosts": [], "links": []}"#;
    let one = folder.file("one.json", text);
    let output = simnet(&["route", &one, "--format", "json"]);
    let report = json(&output);
    assert_eq!((output.status.code(), &report["verdict"]), (Some(0), &Value::Null));
    assert!(report["verdict_about"].as_str().unwrap().starts_with("nothing: "));
    for required in ["acyclic", "reachable"] {
        assert_eq!(simnet(&["route", &one, "--require", required]).status.code(), Some(1));
    }
    // Routes that were read say nothing of switches.
    let routes = folder.file("none.ndjson", "");
    let check = simnet(&["route", "check", &bare_ring(&folder), "--routes", &routes, "--format", "json"]);
    let report = json(&check);
    assert_eq!((check.status.code(), &report["verdict"]), (Some(1), &Value::Null));
    assert_eq!(report["judged"]["switches_left_out"], 4);
}

/// Wrong if the help did not say when `route` exits 0.
#[test]
fn the_help_says_when_the_exit_code_is_zero() {
    let help = String::from_utf8(simnet(&["route", "--help"]).stdout).unwrap();
    let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("`route` exits 0 whatever it finds") && words.contains("--require"), "{help}");
}

/// Wrong if one who has the tables of a subnet manager were told that a file of routes is required.
#[test]
fn route_check_names_both_of_what_it_takes() {
    let output = simnet(&["route", "check", "now-c"]);
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("--routes <FILE>|--lfts <FILE|DIR>"), "{err}");
}

/// The text of a command that ends well.
fn text(arguments: &[&str]) -> String {
    let output = simnet(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn object(arguments: &[&str]) -> Value {
    serde_json::from_str(&text(&[arguments, &["--format", "json"]].concat())).unwrap()
}

/// Wrong if the root that `far` prints, with the options printed beside it, gave other routes than `far`.
#[test]
fn far_can_be_had_again_from_what_is_printed() {
    let folder = Folder::new("route-relabel");
    let tree = folder.path("tree.json");
    let size = ["--leaves", "4", "--spines", "3", "--hosts-per-switch", "2", "--to", "json", "--out", &tree];
    text(&[&["topo", "generate", "leaf-spine"], &size[..]].concat());
    let routes_of = |net: &str, more: &[&str]| {
        let path = folder.path("routes.ndjson");
        text(&[&["route", net, "--routes", &path], more].concat());
        std::fs::read_to_string(path).unwrap()
    };
    let routes = |more: &[&str]| routes_of(&tree, more);
    let far = object(&["route", &tree, "--root", "far"]);
    let options = far["root_options"].as_str().unwrap();
    assert!(!far["relabelled"].as_array().unwrap().is_empty());
    assert_eq!(options, format!("--root {} --relabel", far["root"].as_str().unwrap()));
    let options: Vec<&str> = options.split(' ').collect();
    assert!(routes(&options) == routes(&["--root", "far"]), "{options:?}");
    assert!(routes(&options[..2]) != routes(&["--root", "far"]), "relabelling makes a difference here");
    // The preset has a utility host, which is for `far`: its default stays that.
    assert!(routes_of("now-c", &[]) == routes_of("now-c", &["--root", "far"]));
    let human = text(&["route", &tree, "--root", "far"]);
    assert!(
        human.contains("relabelled: ")
            && human.contains(&format!("`{}`", far["root_options"].as_str().unwrap()))
    );
    let ring = ring(&folder);
    for mistake in
        [&["--tree", "dfs", "--relabel"][..], &["--algorithm", "minimal", "--relabel"], &["--root", "spines"]]
    {
        assert_eq!(simnet(&[&["route", &ring], mistake].concat()).status.code(), Some(2), "{mistake:?}");
    }
}

/// Wrong if a levelled tree were not rooted in all its spines by default, this were not said, or an explicit `far` or a
/// depth-first tree did not stay what it is.
#[test]
fn levelled_trees_are_rooted_in_their_spines() {
    let by_default = object(&["route", "pink"]);
    assert_eq!(
        (&by_default["spines_as_roots"], &by_default["root_options"]),
        (&true.into(), &"--root spines".into())
    );
    assert_eq!(by_default["root"].as_str().unwrap().split(',').count(), 64);
    assert_eq!(by_default["verdict"], "acyclic");
    let far = object(&["route", "pink", "--root", "far"]);
    assert_eq!((&far["spines_as_roots"], &far["root"]), (&false.into(), &"s0".into()));
    let load = |report: &Value| report["max_channel_load"].as_u64().unwrap();
    assert!(load(&far) > 5 * load(&by_default), "{} {}", load(&far), load(&by_default));
    let folder = Folder::new("route-spines");
    let tree = folder.path("tree.json");
    text(&["topo", "generate", "fat-tree", "--arity", "2", "--levels", "3", "--to", "json", "--out", &tree]);
    assert_eq!(object(&["route", &tree])["spines_as_roots"], true);
    assert_eq!(object(&["route", &tree, "--tree", "dfs"])["spines_as_roots"], false);
    assert!(text(&["route", &tree]).contains("all 4 spines of a levelled tree: `--root spines`"));
    // Four leaves under two spines, and cables between leaves: 2 of 10 ends are too many for a tree, 4 of 12 for nearly
    // one.
    let nearly = |cables: u32| {
        let mut links = Vec::new();
        let mut link = |(a, a_port): (String, u32), (b, b_port): (String, u32)| {
            let text = format!(r#"{{"a": "{a}", "a_port": {a_port}, "b": "{b}", "b_port": {b_port}}}"#);
            links.push(text);
        };
        for leaf in 0..4 {
            link((format!("h{leaf}"), 0), (format!("leaf{leaf}"), 0));
            (0..2)
                .for_each(|spine| link((format!("leaf{leaf}"), 1 + spine), (format!("spine{spine}"), leaf)));
        }
        for leaf in (0..2 * cables).step_by(2) {
            link((format!("leaf{leaf}"), 3), (format!("leaf{}", leaf + 1), 3));
        }
        let switch = |name: &str| format!(r#"{{"name": "{name}", "ports": 4}}"#);
        let net = format!(
            r#"{{"format": "simnet-topology/1", "name": "net", "switches": [{}], "hosts": [{}], "links": [{}]}}"#,
            ["leaf0", "leaf1", "leaf2", "leaf3", "spine0", "spine1"].map(switch).join(","),
            [0, 1, 2, 3].map(|host| format!(r#"{{"name": "h{host}"}}"#)).join(","),
            links.join(",")
        );
        text(&["route", &folder.file("nearly.json", &net)]).contains("nearly a levelled tree")
    };
    assert_eq!([0, 1, 2].map(nearly), [false, true, false]);
}

/// Wrong if a file of guids gave other roots than their names, or a fault in it had no place.
#[test]
fn a_file_of_guids_gives_roots() {
    let folder = Folder::new("route-guids");
    let net = folder.path("net.topo");
    let made = [
        "topo",
        "generate",
        "fat-tree",
        "--arity",
        "2",
        "--levels",
        "2",
        "--to",
        "ibnetdiscover",
        "--out",
        &net,
    ];
    text(&made);
    let converted: Value = serde_json::from_str(&text(&["topo", "convert", &net, "--to", "json"])).unwrap();
    let switch = &converted["switches"][1];
    let roots = folder.file("roots.txt", &format!("# a root\n{}\n", switch["guid"].as_str().unwrap()));
    assert_eq!(object(&["route", &net, "--root-file", &roots])["root"], switch["name"]);
    let bad = folder.file("bad.txt", "0x10\nspine\n");
    let output = simnet(&["route", &net, "--root-file", &bad]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(error.contains("bad.txt:1:1") && error.contains("bad.txt:2:1"), "{error}");
    assert_eq!(simnet(&["route", &net, "--root-file", &folder.path("none")]).status.code(), Some(7));
    assert_eq!(simnet(&["route", &net, "--root-file", &roots, "--root", "far"]).status.code(), Some(2));
}

/// Wrong if a cable by one end, by both, or a switch were not left out, the whole network's figures were missing beside
/// it, or a name that is none were taken.
#[test]
fn parts_are_left_out_by_name() {
    let folder = Folder::new("route-without");
    let ring = ring(&folder);
    for (part, named) in
        [("s0:1", "s0:1-s1:2"), ("s1:2", "s0:1-s1:2"), ("s1:2-s0:1", "s0:1-s1:2"), ("s3:1", "s3:1-s0:2")]
    {
        let report = object(&["route", &ring, "--algorithm", "minimal", "--without", part]);
        assert_eq!(report["without"], serde_json::json!([named]));
        assert_eq!((&report["verdict"], &report["whole"]["verdict"]), (&"acyclic".into(), &"cyclic".into()));
        assert_eq!((&report["pairs"], &report["unreachable_pairs"]), (&12.into(), &0.into()));
        assert!(report["mean_distance"].as_f64() > report["whole"]["mean_distance"].as_f64());
    }
    let report = object(&["route", &ring, "--without", "s2", "--without", "s0:1"]);
    assert_eq!(
        (&report["unreachable_pairs"], &report["whole"]["unreachable_pairs"]),
        (&10.into(), &0.into())
    );
    assert_eq!(object(&["route", &ring, "--without", "h0:0"])["unreachable_pairs"], 6);
    let required = simnet(&["route", &ring, "--without", "s2", "--require", "reachable"]);
    assert_eq!(required.status.code(), Some(1));
    let human = String::from_utf8(required.stdout).unwrap();
    assert!(human.contains("without s2\n") && human.contains("whole"), "{human}");
    for mistake in ["s9", "h0", "s0:3", "s0:1-s2:1", "s0:x", ""] {
        let output = simnet(&["route", &ring, "--without", mistake]);
        assert_eq!(output.status.code(), Some(2), "{mistake}");
    }
}

/// Wrong if the worst failure were not first, its name were not one that `--without` takes with the same figures, or
/// `--top` listed another number.
#[test]
fn failures_are_ranked() {
    let folder = Folder::new("route-failures");
    let tree = folder.path("tree.json");
    text(&["topo", "generate", "fat-tree", "--arity", "2", "--levels", "3", "--to", "json", "--out", &tree]);
    let ranked = object(&["route", "rank-failures", &tree, "--top", "99"]);
    let failures = ranked["failures"].as_array().unwrap();
    assert_eq!(ranked["tried"], serde_json::json!({"cables": 16, "switches": 12}));
    assert_eq!((failures.len(), &ranked["host_cables"]), (28, &8.into()));
    assert_eq!(failures[0]["kind"], "switch");
    for failure in failures {
        let report = object(&["route", &tree, "--without", failure["name"].as_str().unwrap()]);
        for key in ["unreachable_pairs", "mean_distance", "verdict"] {
            assert_eq!(report[key], failure[key], "{failure}");
        }
    }
    assert_eq!(object(&["route", "rank-failures", &tree])["failures"].as_array().unwrap().len(), 10);
    let human = text(&["route", "rank-failures", &tree, "--top", "1"]);
    assert!(
        human.starts_with("worst cable: ") && human.lines().nth(1).unwrap().starts_with("worst switch: "),
        "{human}"
    );
    assert!(
        human.contains("16 cables and 12 switches tried; 8 cables not, as each is a host's only one"),
        "{human}"
    );
    assert_eq!(simnet(&["route", "rank-failures", &tree, "--top", "0"]).status.code(), Some(2));
    assert_eq!(simnet(&["route", "--select", "first", "rank-failures", &tree]).status.code(), Some(2));
}
