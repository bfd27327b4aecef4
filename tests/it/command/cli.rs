//! The command line as a process: the order of options, what is refused, what is printed where.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// Two switches with ports from 1, a host on each.
const SMALL: &str = r#"{"format": "simnet-topology/1", "name": "n", "first_port": 1,
 "switches": [{"name": "A", "ports": 8}, {"name": "B", "ports": 4, "description": "the other"}],
 "hosts": [{"name": "h"}, {"name": "k"}],
 "links": [{"a": "h", "a_port": 1, "b": "A", "b_port": 3}, {"a": "k", "a_port": 1, "b": "B", "b_port": 1},
           {"a": "A", "a_port": 1, "b": "B", "b_port": 2}]}
"#;

const ROUTE_KEYS: [&str; 21] = [
    "algorithm",
    "busiest_channel",
    "channel_load_by_root_distance",
    "crossing_paths",
    "dependency_cycle",
    "judged",
    "lanes",
    "max_channel_load",
    "mean_distance",
    "non_minimal_pairs",
    "pairs",
    "paths_without_service_level",
    "relabelled",
    "restrictions_per_switch",
    "root",
    "root_options",
    "spines_as_roots",
    "switch_mean_distance",
    "unreachable_pairs",
    "verdict",
    "verdict_about",
];

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    command.args(arguments).env_remove("SIMNET_LOG");
    command
}

fn simnet(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

/// Runs to the exit code `code`; gives stdout. Nothing is on stdout after a mistake, and stderr explains it.
fn ends(arguments: &[&str], code: i32) -> String {
    let output = simnet(arguments);
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {err}");
    assert!(!err.contains("panicked"), "{arguments:?}: {err}");
    if matches!(code, 2 | 3 | 7) {
        assert!(out.is_empty() && !err.is_empty(), "{arguments:?}: {out}");
    }
    out
}

/// Ends with code 2 and says each of `words`.
fn refused(arguments: &[&str], words: &[&str]) {
    let output = simnet(arguments);
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {err}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    for word in words {
        assert!(err.contains(word), "{arguments:?} does not say {word}: {err}");
    }
}

/// A folder with the network `net.json` and its routes `routes.ndjson`.
fn room() -> (tempfile::TempDir, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let name = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (net, routes) = (name("net.json"), name("routes.ndjson"));
    std::fs::write(&net, SMALL).unwrap();
    ends(&["route", &net, "--routes", &routes], 0);
    (folder, net, routes)
}

fn keys(text: &str) -> Vec<String> {
    let object: serde_json::Map<String, Value> = serde_json::from_str(text).unwrap();
    let mut keys: Vec<String> = object.keys().cloned().collect();
    keys.sort();
    keys
}

/// Wrong if a version were printed that does not identify its source.
#[test]
fn the_version_names_its_commit() {
    let printed = ends(&["--version"], 0);
    assert!(printed.starts_with(concat!("simnet ", env!("CARGO_PKG_VERSION"), " ")), "{printed}");
    assert!(printed.contains(simnet::cli::COMMIT), "{printed}");
    assert_eq!(ends(&["-V"], 0), printed);
}

/// Wrong if an option that every verb takes had to stand at some place of the line.
#[test]
fn options_of_every_verb_stand_anywhere() {
    let (_folder, net, routes) = room();
    let check = ["check", &net, "--routes", &routes];
    let json = ["--format", "json"];
    for line in [
        [&json[..], &["route"], &check].concat(),
        [&["route"], &json[..], &check].concat(),
        [&["route"][..], &check, &json].concat(),
        [&["route"], &check[..2], &json[..], &check[2..]].concat(),
        [&["--quiet", "route", "--seed", "3"][..], &json, &check].concat(),
        [&["route", net.as_str()][..], &json].concat(),
    ] {
        assert_eq!(keys(&ends(&line, 0)), ROUTE_KEYS, "{line:?}");
    }
    for line in [["--format", "json", "topo", "show", &net], ["topo", "--format", "json", "show", &net]] {
        assert_eq!(keys(&ends(&line, 0)).len(), 10, "{line:?}");
    }
}

/// Wrong if pairs without a route were dropped from either kind of output, whatever selects the routes.
#[test]
fn pairs_without_a_route_are_counted_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let net = folder.path().join("split.toml");
    let hosts = (0..4).map(|n| format!("{{ name = \"h{n}\" }}, ")).collect::<String>();
    let cable = |n: u32| {
        let switch = ["a", "b"][(n / 2) as usize];
        format!("{{ a = \"h{n}\", a_port = 0, b = \"{switch}\", b_port = {} }}, ", n % 2)
    };
    let text = format!(
        "format = \"simnet-topology/1\"\nname = \"split\"\nhosts = [{hosts}]\nlinks = [{}]\n\
         switches = [{{ name = \"a\", ports = 4 }}, {{ name = \"b\", ports = 4 }}]\n",
        (0..4).map(cable).collect::<String>()
    );
    std::fs::write(&net, text).unwrap();
    let net = net.to_str().unwrap();
    for select in ["first", "random", "round-robin", "balanced"] {
        let json = ends(&["route", net, "--select", select, "--format", "json"], 0);
        assert!(json.contains("\"pairs\":12,\"unreachable_pairs\":8,"), "{json}");
        let text = ends(&["route", net, "--select", select], 0);
        assert!(text.contains("no route from h2 to h0"), "{text}");
        assert!(text.contains("and 4 other pairs"), "{text}");
    }
}

/// Wrong if something given were silently left out of account.
#[test]
fn what_is_given_in_vain_is_refused() {
    let (_folder, net, routes) = room();
    for (extra, word) in [
        (&["--heuristic", "h1"][..], "tree = \"dfs\""),
        (&["--tree", "bfs", "--heuristic", "h2"], "tree = \"dfs\""),
        (&["--algorithm", "minimal", "--root", "A"], "`root` means nothing"),
        (&["--algorithm", "minimal", "--tree", "bfs"], "`tree` means nothing"),
        (&["--algorithm", "minimal", "--heuristic", "h1"], "`heuristic` means nothing"),
        (&["--algorithm", "updwn"], "did you mean `updown`?"),
        (&["--select", "balancd"], "did you mean `balanced`?"),
    ] {
        refused(&[&["route", net.as_str()], extra].concat(), &[word]);
    }
    ends(&["route", &net, "--tree", "dfs", "--heuristic", "h1", "--root", "the other"], 0);
    for before in [&["--root", "r0"][..], &["--from", "json"], &["--select", "first"], &[net.as_str()]] {
        refused(&[&["route"], before, &["check", &net, "--routes", &routes]].concat(), &["check"]);
    }
}

/// Wrong if a file called `-` were written where a reader of other tools expects stdout, which has the result.
#[test]
fn files_beside_a_result_are_not_called_minus() {
    for arguments in [
        &["route", "now-c", "--routes", "-"][..],
        &["route", "now-c", "--gm-routes", "-"],
        &["map", "now-c", "--mapper", "c-util", "--map", "-"],
        &["map", "now-c", "--mapper", "c-util", "--drawing", "-"],
        &["discover", "rtts.csv", "--topology", "-"],
        &["run", "scenarios/now-c.toml", "--trace", "-"],
        &["run", "scenarios/now-c.toml", "--pcap", "-"],
    ] {
        refused(arguments, &["stdout has this command's own result"]);
    }
}

/// Wrong if a bad name on the command line ended otherwise, or did not lead to the right one.
#[test]
fn bad_names_are_usage_errors_with_the_nearest_name() {
    refused(&["route", "now-c", "--root", "C1.00"], &["did you mean `C1.0`?"]);
    refused(&["route", "now-c", "--root", "C1.0,C2.00"], &["C2.00", "did you mean `C2.0`?"]);
    refused(&["route", "now-c", "--root", "c00"], &["a host"]);
    refused(&["route", "now-c", "--root", ""], &[]);
    refused(&["route", "now-c", "--utility", "c-utl"], &["did you mean `c-util`?"]);
    refused(&["route", "now-c", "--utility", "C1.0"], &["that is a switch"]);
    refused(&["topo", "convert", "now-c", "--to", "tmol"], &["did you mean `toml`?"]);
    refused(&["topo", "generate", "rign", "--switches", "4"], &["'ring'"]);
    refused(&["topo", "generate", "ring", "--switches", "-4"], &["--switches", "from 3 to 1048576"]);
    refused(&["topo", "generate", "ring", "--switches", "9999999"], &["--switches", "from 3 to 1048576"]);
    let dense = ["topo", "generate", "random-regular", "--switches", "1048576", "--degree", "4000"];
    refused(&dense, &["`degree`", "2097152000 cables", "at most 8388608"]);
    refused(&["topo", "generate", "hypercube", "--dimensions", "20"], &["`dimensions`", "at most 8388608"]);
    refused(
        &["topo", "generate", "fat-tree", "--arity", "2048", "--levels", "20"],
        &["`levels`", "too many"],
    );
    refused(&["topo", "show", "now-c", "--seed", "-1"], &["--seed"]);
    refused(&["topo", "show", "now-c", "--hosts-per-switch", "65536"], &["--hosts-per-switch", "65535"]);
    refused(&["rout", "now-c"], &["'route'"]);
    refused(&[], &["Usage"]);
}

/// Wrong if what cannot be written were taken for written, or a file were left half-written.
#[test]
fn a_full_disk_and_a_missing_folder_are_reported() {
    let (folder, net, _) = room();
    let place = folder.path().to_str().unwrap();
    let nowhere = format!("{place}/nowhere/routes");
    for line in [
        ["route", net.as_str(), "--routes", place],
        ["route", &net, "--routes", &nowhere],
        ["topo", "convert", &net, "--out"],
    ] {
        let line: Vec<&str> =
            if line[3] == "--out" { [&line[..], &[&nowhere]].concat() } else { line.to_vec() };
        let err = String::from_utf8(simnet(&line).stderr).unwrap();
        assert!(!err.contains("at path"), "{err}");
        ends(&line, 7);
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    if Path::new("/dev/full").exists() {
        for line in [&["topo", "show", &net][..], &["schema"], &["route", &net], &["--help"]] {
            let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
            let code = command(line).stdout(full).stderr(Stdio::null()).status().unwrap().code();
            assert_eq!(code, Some(if line == ["--help"] { 0 } else { 7 }), "{line:?}");
        }
        ends(&["route", &net, "--routes", "/dev/full"], 7);
    }
}

/// Wrong if a reader that goes away early made a command fail.
#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = command(&["topo", "convert", "pink"]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// Wrong if the log went to stdout, came unasked, or a bad filter went unnoticed.
#[test]
fn the_log_is_asked_for_and_goes_to_stderr() {
    let silent = simnet(&["topo", "show", "now-c"]);
    assert!(silent.stderr.is_empty());
    let logged = command(&["topo", "show", "now-c"]).env("SIMNET_LOG", "debug").output().unwrap();
    assert_eq!(logged.stdout, silent.stdout);
    assert!(String::from_utf8(logged.stderr).unwrap().contains("now-c"));
    let bad = command(&["topo", "show", "now-c"]).env("SIMNET_LOG", "=[[").output().unwrap();
    assert_eq!(bad.status.code(), Some(2));
    assert!(String::from_utf8(bad.stderr).unwrap().contains("SIMNET_LOG"));
}

/// Wrong if more threads than any machine has use for were begun because the environment says so, or a variable that
/// rayon passes over were refused.
#[test]
fn the_environment_asks_for_no_more_threads_than_jobs_may() {
    for (variable, value, code) in [
        ("RAYON_NUM_THREADS", "1025", 2),
        ("RAYON_RS_NUM_CPUS", "9999999", 2),
        ("RAYON_NUM_THREADS", "2", 0),
        ("RAYON_NUM_THREADS", "0", 0),
        ("RAYON_NUM_THREADS", "many", 0),
    ] {
        let mut command = command(&["topo", "show", "now-c"]);
        command.env_remove("RAYON_NUM_THREADS").env_remove("RAYON_RS_NUM_CPUS");
        let output = command.env(variable, value).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{variable}={value}: {err}");
        assert_eq!(err.contains(variable) && err.contains("up to 1024"), code == 2, "{err}");
    }
}

/// Wrong if a network whose routes cannot be held were worked on for long before it is refused.
#[test]
fn a_network_too_large_for_routes_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let net = folder.path().join("large.json");
    let net = net.to_str().unwrap();
    ends(&["topo", "generate", "chain", "--switches", "5", "--hosts-per-switch", "4000", "--out", net], 0);
    refused(&["route", net], &["20000 hosts", "16384"]);
    refused(&["route", "check", net, "--routes", "/dev/null"], &["20000 hosts"]);
    let long = ["--switches", "9000", "--hosts-per-switch", "1"];
    ends(&[&["topo", "generate", "chain"], &long[..], &["--out", net]].concat(), 0);
    refused(&["route", net, "--root", "r2"], &["9000 hosts", "turns"]);
}

/// Wrong if some file that is cut off, or in which bytes are changed, were taken for another than a bad one, or
/// made the program panic.
#[test]
fn damaged_files_are_refused_with_their_place() {
    let (folder, net, routes) = room();
    let damaged = folder.path().join("damaged");
    let damaged = damaged.to_str().unwrap();
    let toml = ends(&["topo", "convert", &net, "--to", "toml"], 0);
    let routes = std::fs::read_to_string(routes).unwrap();
    for (text, line) in [
        (SMALL, &["topo", "show", damaged][..]),
        (&toml, &["topo", "show", damaged]),
        (&routes, &["route", "check", &net, "--routes", damaged]),
    ] {
        let step = usize::try_from(20 / support_network::cases(20)).unwrap();
        for cut in (0..text.len()).step_by(step) {
            let mut bytes = text.as_bytes()[..cut].to_vec();
            judge(damaged, &bytes, line);
            bytes = text.as_bytes().to_vec();
            bytes[cut] ^= 1 << (cut % 8);
            judge(damaged, &bytes, line);
            bytes[cut] = 0;
            judge(damaged, &bytes, line);
        }
    }
}

fn judge(file: &str, bytes: &[u8], line: &[&str]) {
    std::fs::File::create(file).unwrap().write_all(bytes).unwrap();
    let output = simnet(line);
    let err = String::from_utf8(output.stderr).unwrap();
    let shown = String::from_utf8_lossy(bytes);
    match output.status.code() {
        Some(0) => assert!(err.is_empty(), "{err}"),
        Some(1) => assert_eq!(line[1], "check", "{shown}"),
        Some(3) => assert!(output.stdout.is_empty() && err.contains(&format!("{file}:")), "{err}\n{shown}"),
        code => panic!("ended with {code:?}: {err}\n{shown}"),
    }
}

/// Wrong if what an editor adds to a text, a byte order mark or carriage returns, spoiled a file, or if it moved
/// the place of a fault.
#[test]
fn marks_of_editors_are_borne() {
    let (folder, net, routes) = room();
    let text = std::fs::read_to_string(&routes).unwrap();
    let other = folder.path().join("other");
    let other = other.to_str().unwrap();
    let check = ["route", "check", &net, "--routes", other];
    std::fs::write(other, format!("\u{feff}{}", text.replace('\n', "\r\n"))).unwrap();
    ends(&check, 0);
    std::fs::write(other, format!("\u{feff}{}", text.replacen("\"h\"", "\"hh\"", 1))).unwrap();
    let err = String::from_utf8(simnet(&check).stderr).unwrap();
    assert!(err.contains("other:1:10") && err.contains("did you mean `h`?"), "{err}");
    std::fs::write(other, format!("\u{feff}{}", SMALL.replace('\n', "\r\n"))).unwrap();
    ends(&["topo", "diff", other, &net], 0);
}

/// Wrong if the link named as the other user of a port were miscounted behind one that is no table.
#[test]
fn links_are_counted_as_they_stand() {
    let (folder, ..) = room();
    let bad = folder.path().join("bad.json");
    let twice =
        SMALL.replace("[{\"a\": \"h\"", "[7, {\"a\": \"h\"").replace("\"b_port\": 2", "\"b_port\": 1");
    std::fs::write(&bad, twice).unwrap();
    let output = simnet(&["topo", "show", bad.to_str().unwrap()]);
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(err.contains("port 1 of `B` already has a cable, link 2 counted from 0"), "{err}");
}

/// Wrong if a name from a file could steer the terminal, or if names with blanks, colons and signs of other
/// scripts did not come through.
#[test]
fn names_from_files_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (net, routes) = (place("net.json"), place("routes"));
    let text = SMALL.replace("\"A\"", "\"a b:7 \u{65e5}\"").replace("\"B\"", "\"-\\\"x\\\\\\u001b[31m\"");
    std::fs::write(&net, text.replace("\"n\"", "\"\\u001b[2J\\n\"")).unwrap();
    for line in [&["topo", "show", &net][..], &["route", &net], &["topo", "diff", &net, "now-c"]] {
        let output = simnet(line);
        let shown = String::from_utf8(output.stdout).unwrap();
        assert!(shown.chars().all(|c| c == '\n' || !c.is_control()), "{shown:?}");
    }
    let json = ["--routes", &routes, "--format", "json"];
    let report = ends(&[&["route", net.as_str(), "--root", "a b:7 \u{65e5}"][..], &json].concat(), 0);
    assert_eq!(serde_json::from_str::<Value>(&report).unwrap()["root"], "a b:7 \u{65e5}");
    ends(&["route", "check", &net, "--routes", &routes], 0);
    let toml = place("net.toml");
    ends(&["topo", "convert", &net, "--to", "toml", "--out", &toml], 0);
    assert_eq!(ends(&["topo", "diff", &net, &toml], 0), "no difference\n");
}
