//! What is printed: no name, path or argument reaches a terminal or a page with characters that are obeyed or that
//! mislead, and no cell of a table is run by a spreadsheet.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use simnet::cells;
use simnet::diagnostics::is_hidden;

/// Of each kind of hidden character one, and what breaks out of tables, Markdown, HTML and comments.
const HOSTILE: &str = "\u{1b}]0;x\u{7}\u{202e}\u{200b}\n\t\u{9b}\u{2028}\u{e0041}\u{feff}|`<b>\"*=@";

/// What stands in the place of a harmless mark.
const MARK: &str = "x";

fn simnet(folder: &Path, arguments: &[String]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    command.args(arguments).current_dir(folder).env("SIMNET_LOG", "debug");
    command.output().unwrap()
}

/// A ring of four switches with a host on each, all names ending in `mark`.
fn network(mark: &str) -> String {
    let name = |letter: char, nth: usize| format!("{letter}{nth}{mark}");
    let switches = (0..4).map(|n| json!({"name": name('s', n), "ports": 8, "description": name('d', n)}));
    let hosts = (0..4).map(|n| json!({"name": name('h', n)}));
    let round =
        (0..4).map(|n| json!({"a": name('s', n), "a_port": 0, "b": name('s', (n + 1) % 4), "b_port": 1}));
    let homes = (0..4).map(|n| json!({"a": name('h', n), "a_port": 0, "b": name('s', n), "b_port": 3}));
    let links: Vec<Value> = round.chain(homes).collect();
    json!({
        "format": "simnet-topology/1", "name": format!("n{mark}"), "links": links,
        "switches": switches.collect::<Vec<_>>(), "hosts": hosts.collect::<Vec<_>>(),
    })
    .to_string()
}

/// The same with other routes: minimal ones in a ring are cyclic.
fn scenario(mark: &str) -> String {
    let mapper = toml::Value::from(format!("h0{mark}"));
    format!(
        "[scenario]\nname = \"s\"\nseed = 1\n[topology]\nfile = \"net.json\"\n[routing]\nalgorithm = \"minimal\"\n\
         [mapping]\nmapper = {mapper}\n[traffic.uniform]\npayload = \"32 B\"\nloads = [0.01, 0.3]\n\
         [measure]\nmessages = 300\n"
    )
}

fn matrix(mark: &str) -> String {
    let names: Vec<String> = (0..4).map(|n| format!("=h{n}{mark}")).collect();
    let mut text = String::new();
    cells::add_row(&mut text, [""].into_iter().chain(names.iter().map(String::as_str)));
    for (from, name) in names.iter().enumerate() {
        let times = (0..4).map(|to| {
            if from == to {
                "0"
            } else if from / 2 == to / 2 {
                "0.131"
            } else {
                "0.2"
            }
        });
        cells::add_row(&mut text, [name.as_str()].into_iter().chain(times));
    }
    text
}

/// A route from a host to itself.
fn route(mark: &str) -> String {
    json!({"src": format!("h0{mark}"), "dst": format!("h0{mark}"), "turns": [1]}).to_string() + "\n"
}

/// A folder with everything of that mark.
fn room(mark: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("net.json", network(mark)),
        ("s.toml", scenario(mark)),
        ("rtt.csv", matrix(mark)),
        ("r.ndjson", route(mark)),
    ];
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// Wrong if hidden characters came through in a text for people.
fn is_legible(what: &str, text: &str) {
    let bad: Vec<char> = text.chars().filter(|c| is_hidden(*c) && !"\n\t".contains(*c)).collect();
    assert!(bad.is_empty(), "{what} prints {bad:?}: {text}");
}

/// Runs the same line on hostile names and on harmless ones: as many lines are printed, all of them legible.
fn prints_as_much(line: &[&str]) {
    let ended = [HOSTILE, MARK].map(|mark| {
        let folder = room(mark);
        let arguments: Vec<String> = line.iter().map(|word| word.replace('%', mark)).collect();
        let output = simnet(folder.path(), &arguments);
        let texts = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        texts.iter().for_each(|text| is_legible(&format!("{line:?}"), text));
        assert!(!texts[1].contains("panicked"), "{line:?}: {}", texts[1]);
        (output.status.code(), texts.each_ref().map(|text| text.lines().count()), texts)
    });
    assert_eq!((ended[0].0, ended[0].1), (ended[1].0, ended[1].1), "{line:?}: {:#?}", ended[0].2);
}

/// Wrong if a verb printed a name from a file as it is, or broke a line within it.
#[test]
fn names_from_files_are_legible() {
    let lines: [&[&str]; 12] = [
        &["topo", "show", "net.json"],
        &["topo", "diff", "net.json", "s.toml"],
        &["route", "net.json"],
        &["route", "net.json", "--algorithm", "minimal"],
        &["route", "suggest", "net.json"],
        &["route", "check", "net.json", "--routes", "r.ndjson"],
        &["route", "check", "net.json", "--lfts", "net.json"],
        &["map", "net.json", "--mapper", "h0%"],
        &["ring", "net.json", "--algorithm", "lr1"],
        &["ring", "net.json", "--algorithm", "lr2", "--root", "s0%"],
        &["discover", "rtt.csv", "--format", "json"],
        &["codegen", "allgather", "net.json", "--algorithm", "lr1", "--out", "c"],
    ];
    for line in lines {
        prints_as_much(line);
        prints_as_much(&[line, &["--format", "json"]].concat());
    }
}

/// Wrong if an argument were printed as it is: by the parser of the command line, or by a verb that refuses it.
#[test]
fn arguments_are_legible() {
    let lines: [&[&str]; 18] = [
        &["q%"],
        &["topo", "show", "q%"],
        &["topo", "show", "net.json", "--q%"],
        &["topo", "show", "net.json", "--format", "q%"],
        &["topo", "show", "net.json", "--from", "q%"],
        &["topo", "show", "net.json", "--hosts-per-switch", "q%"],
        &["topo", "convert", "net.json", "--to", "q%"],
        &["topo", "generate", "q%", "--out", "t.json"],
        &["route", "net.json", "--root", "s00%"],
        &["route", "net.json", "--utility", "q%"],
        &["route", "net.json", "--routes", "nowhere/q%"],
        &["ring", "net.json", "--algorithm", "lr3", "--root", "q%"],
        &["discover", "rtt.csv", "--known", "q%,r=2"],
        &["trace", "q%"],
        &["check", "q%"],
        &["run", "q%"],
        &["codegen", "rtt", "--out", "c", "--message", "q%"],
        &["sweep", "run", "s.toml", "--out", "o", "--executor", "slurm", "--sbatch", "-q%"],
    ];
    lines.into_iter().for_each(prints_as_much);
}

/// Wrong if bytes of a path that are no UTF-8 were hidden, or its line were broken.
#[cfg(unix)]
#[test]
fn paths_show_all_their_bytes() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    command
        .arg("trace")
        .arg(std::ffi::OsStr::from_bytes(b"n\xff\n\xe2\x80\xae.log"))
        .current_dir(folder.path());
    let error = String::from_utf8(command.output().unwrap().stderr).unwrap();
    assert!(error.starts_with("n\\xff\\n\\u{202e}.log: "), "{error}");
}

/// Wrong if JSON did not mean the very names, or if a network came back from a file as another.
#[test]
fn data_keeps_names_exactly() {
    let folder = room(HOSTILE);
    let convert = |from: &str, to: &str, out: &str| {
        let line = ["topo", "convert", from, "--to", to, "--out", out].map(str::to_owned);
        assert!(simnet(folder.path(), &line).status.success());
        let text = fs::read_to_string(folder.path().join(out)).unwrap();
        is_legible(to, &text);
        text
    };
    let written = convert("net.json", "json", "a.json");
    convert("a.json", "toml", "b.toml");
    assert_eq!(convert("b.toml", "json", "c.json"), written);
    let value: Value = serde_json::from_str(&written).unwrap();
    assert_eq!(value["hosts"][2]["name"], format!("h2{HOSTILE}"));
    let picture = convert("net.json", "dot", "d.dot");
    assert!(picture.contains("\\u{202e}"), "{picture}");

    let line =
        ["route", "net.json", "--root", "r1", "--format", "json", "--routes", "r.ndjson"].map(str::to_owned);
    let printed: Value = serde_json::from_slice(&simnet(folder.path(), &line).stdout).unwrap();
    assert!(printed["root"].as_str().unwrap().ends_with(HOSTILE), "{printed}");
    let routes = fs::read_to_string(folder.path().join("r.ndjson")).unwrap();
    is_legible("routes", &routes);
    let first: Value = serde_json::from_str(routes.lines().next().unwrap()).unwrap();
    assert_eq!(first["src"], format!("h0{HOSTILE}"));
}

/// Wrong if names came to the terminal, to a drawing or to the page of a run as they are, or to its tables otherwise.
#[test]
fn results_are_legible_where_people_read() {
    let folder = room(HOSTILE);
    let run = |line: &[&str]| {
        let line: Vec<String> = line.iter().map(|word| (*word).to_owned()).collect();
        let output = simnet(folder.path(), &line);
        let texts = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        texts.iter().for_each(|text| is_legible(&format!("{line:?}"), text));
        assert!(output.status.success(), "{line:?}: {texts:?}");
    };
    run(&["run", "s.toml", "--out", "out", "--quick", "--trace", "e.simlog"]);
    run(&["report", "out", "--out", "page.html"]);
    run(&["trace", "e.simlog"]);
    run(&["trace", "e.simlog", "--to", "ndjson"]);
    run(&["discover", "rtt.csv"]);
    let text = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    for name in ["out/latency.svg", "out/map.svg", "out/network.json", "page.html"] {
        is_legible(name, &text(name));
    }
    let mut table = csv::Reader::from_path(folder.path().join("out/hosts.csv")).unwrap();
    let column = table.headers().unwrap().iter().position(|name| name == "host").unwrap();
    let hosts: Vec<String> = table.records().map(|row| row.unwrap()[column].to_owned()).collect();
    assert!(hosts.contains(&format!("h3{HOSTILE}")), "{hosts:?}");
}

/// Wrong if a spreadsheet ran a name out of a table of a run or of a sweep, or if the name did not come back.
#[test]
fn tables_are_not_run() {
    let formula = "=cmd|' /C calc'!A0";
    let net = network("").replace("\"h1\"", &json!(formula).to_string()).replace("\"h2\"", "\"-2+3\"");
    let folder = room("");
    fs::write(folder.path().join("net.json"), &net).unwrap();
    let sweep = scenario("") + "[sweep]\n[[sweep.axes]]\n\"mapping.mapper\" = [\"h0\", \"-2+3\"]\n";
    fs::write(folder.path().join("sweep.toml"), sweep).unwrap();
    for line in [
        &["run", "s.toml", "--out", "out", "--trace", "e.simlog"][..],
        &["trace", "e.simlog", "--to", "csv", "--out", "out/events.csv"],
        &["sweep", "run", "sweep.toml", "--out", "points"],
    ] {
        let line: Vec<String> = line.iter().map(|word| (*word).to_owned()).collect();
        let output = simnet(folder.path(), &line);
        assert!(output.status.success(), "{line:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let mut met = 0;
    for name in ["out/hosts.csv", "out/channels.csv", "out/events.csv", "points/points.csv"] {
        let mut table =
            csv::ReaderBuilder::new().has_headers(false).from_path(folder.path().join(name)).unwrap();
        for row in table.records() {
            let row = row.unwrap();
            for cell in &row {
                let is_run = cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']);
                assert!(!is_run || cell == "-" || cell.parse::<f64>().is_ok(), "{name}: {cell}");
                let name = cells::unguarded(cell);
                met += u32::from(name != cell && (name == formula || name == "-2+3"));
            }
        }
    }
    assert!(met >= 8, "the names are in the tables: {met}");
}

/// Wrong if a matrix could not name a machine by what a spreadsheet would run, or if it came back as another.
#[test]
fn matrices_keep_names_that_look_like_formulas() {
    use simnet::discovery::Rtts;
    let text = matrix("");
    assert!(text.starts_with(",'=h0,'=h1,"), "{text}");
    let read = Rtts::read("rtt.csv", text.as_bytes()).unwrap();
    assert_eq!(read.names(), ["=h0", "=h1", "=h2", "=h3"]);
    let again = Rtts::read("rtt.csv", read.to_csv().as_bytes()).unwrap();
    assert_eq!(again.names(), read.names());
}
