//! `simnet figures`: the same bytes every time, distinguished from anything else, and every printed number answered.
#![expect(clippy::disallowed_methods, reason = "a process that is sent signals runs by the wall clock")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;
use simnet::figures::{self, BuiltFigure, FilesOf, PAPERS};
use support_network::cases;

/// A figure whose scenario takes little time.
const CHEAP: &str = "mainwaring1997/fig6";

/// A figure whose scenario takes a tenth of a second.
const QUICKEST: &str = "mainwaring1997/fig10";

/// Figures whose scenarios take a second and more of one core also in their quick form.
const LONG: [&str; 34] = [
    "faraj2008/fig10",
    "faraj2008/fig11",
    "faraj2008/fig7",
    "faraj2008/fig9",
    "faraj2008/modern",
    "faraj2008/tree-mesh-fat-tree",
    "hendriks2004/pink",
    "hendriks2004/presumptions",
    "hendriks2004/sizes",
    "lawrence2008/at-once",
    "lawrence2008/background",
    "lawrence2008/noise",
    "lawrence2008/parameters",
    "lawrence2008/seeds",
    "lawrence2008/table1",
    "lawrence2008/table2",
    "lawrence2008/table3",
    "mainwaring1997/fig9",
    "mainwaring1997/load",
    "mainwaring1997/mappers",
    "mainwaring1997/reconfiguration",
    "sancho2000/arbitration",
    "sancho2000/fig2",
    "sancho2000/fig3-64",
    "sancho2000/fig3a",
    "sancho2000/fig3b",
    "sancho2000/fig4a",
    "sancho2000/fig4b",
    "sancho2000/gains",
    "sancho2000/long-32",
    "sancho2000/long-64",
    "sancho2000/message-time",
    "sancho2000/table1",
    "sancho2000/table2",
];

/// A folder for figures.
struct Room(tempfile::TempDir);

impl Room {
    fn new() -> Room {
        Room(tempfile::tempdir().unwrap())
    }

    /// A room with this figure made.
    fn with(figure: &str) -> Room {
        let room = Room::new();
        let made = room.figures(&[figure]);
        assert_eq!(made.status.code(), Some(0), "{}", printed(&made));
        room
    }

    fn out(&self) -> PathBuf {
        self.0.path().join("out")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
        command.arg("figures").args(arguments).arg("--out").arg(self.out()).current_dir(self.0.path());
        command
    }

    fn figures(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Every file but the runs that figures are made of, by path from the folder.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut open = vec![self.out()];
        while let Some(folder) = open.pop() {
            for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.ends_with(".figures") {
                    continue;
                }
                if path.is_dir() {
                    open.push(path);
                } else {
                    found.insert(path.strip_prefix(self.out()).unwrap().to_owned(), fs::read(&path).unwrap());
                }
            }
        }
        found
    }
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Wrong if chance, a clock, the number of threads or what an earlier run kept entered a figure's bytes, or a figure
/// lacked a file. For the least cases it is a figure of one map.
#[test]
fn a_figure_is_the_same_bytes_every_time() {
    let figure = if cases(20) > 1 { CHEAP } else { QUICKEST };
    let rooms = ["1", "2"].map(|jobs| {
        let room = Room::new();
        let made = room.figures(&[figure, "--jobs", jobs]);
        assert_eq!(made.status.code(), Some(0), "{}", printed(&made));
        room
    });
    let first = rooms[0].files();
    assert!(first == rooms[1].files(), "two threads differ from one");
    let names: Vec<String> = first.keys().map(|path| path.display().to_string()).collect();
    let wanted = ["README.md", "README.md", "data.csv", "figure.svg"];
    let folders = ["", figure, figure, figure];
    let path = |folder: &str, name: &str| Path::new(folder).join(name).display().to_string();
    let wanted: Vec<String> = folders.iter().zip(wanted).map(|(folder, name)| path(folder, name)).collect();
    assert_eq!(names, wanted);
    assert_eq!(rooms[0].figures(&[figure]).status.code(), Some(0));
    assert!(first == rooms[0].files(), "made of kept runs, it differs");
}

/// Wrong if a check overlooked a change, named another place, or wrote anything.
#[test]
fn a_check_tells_what_moved_and_changes_nothing() {
    let room = Room::with(QUICKEST);
    let folder = room.out().join(QUICKEST);
    let check = |arguments: &[&str]| {
        let before = room.files();
        let output = room.figures(arguments);
        assert!(before == room.files(), "a check wrote something");
        (output.status.code(), printed(&output))
    };
    assert_eq!(check(&[QUICKEST, "--check"]).0, Some(0));
    let swap = |name: &str, from: &str, to: &str| {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        assert!(text.contains(from), "{name}");
        fs::write(folder.join(name), text.replacen(from, to, 1)).unwrap();
        let found = check(&[QUICKEST, "--check", "--quick"]);
        fs::write(folder.join(name), text).unwrap();
        found
    };
    let (code, text) = swap("data.csv", "loop probes,C,,msg,140,", "loop probes,C,,msg,940,");
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("mainwaring1997/fig10/data.csv: Myricom loop probes, C: ours 940"), "{text}");
    assert!(!text.contains("C+A"), "{text}");
    let (code, text) = swap("README.md", "## What differs and why", "## What agrees");
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.contains("mainwaring1997/fig10/README.md: line ") && text.contains("## What agrees"),
        "{text}"
    );
    let (code, text) = swap("figure.svg", "<svg", "<svg ");
    assert_eq!((code, text.contains("mainwaring1997/fig10/figure.svg: line 1")), (Some(1), true), "{text}");

    fs::write(folder.join("notes.txt"), "mine").unwrap();
    let (code, text) = check(&[QUICKEST, "--check"]);
    assert_eq!(
        (code, text.contains("mainwaring1997/fig10/notes.txt: is not made")),
        (Some(1), true),
        "{text}"
    );
    fs::remove_dir_all(&folder).unwrap();
    let output = room.figures(&[QUICKEST, "--check", "--format", "json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(found["differences"][0]["file"], "mainwaring1997/fig10/README.md");
    assert_eq!(found["differences"][0]["what"], "is missing");
}

/// Wrong if a mistake on the command line ran something, or something that is not ours were replaced.
#[test]
fn mistakes_are_refused_and_nothing_foreign_is_replaced() {
    let rows: [(&[&str], i32, &str); 5] = [
        (&["sancho2000/tabel1"], 2, "did you mean `sancho2000/table1`?"),
        (&["../table1"], 2, "no figure"),
        (&[CHEAP, "--all"], 2, "cannot be used with"),
        (&[CHEAP, "--seed", "1"], 2, "no --seed"),
        (&[CHEAP, "--check"], 7, "out: "),
    ];
    for (arguments, code, text) in rows {
        let room = Room::new();
        let output = room.figures(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", printed(&output));
        assert!(printed(&output).contains(text), "{arguments:?}: {}", printed(&output));
        assert!(!room.out().exists(), "{arguments:?} wrote something");
    }
    for foreign in ["out", "out/README.md", "out/mainwaring1997/fig6/thesis.txt"] {
        let room = Room::new();
        let path = room.0.path().join(foreign);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "dear").unwrap();
        let output = room.figures(&[CHEAP]);
        assert_eq!(output.status.code(), Some(7), "{foreign}: {}", printed(&output));
        assert_eq!(fs::read_to_string(&path).unwrap(), "dear");
        assert!(!room.out().join(".figures").exists(), "{foreign}: scenarios were run for nothing");
    }
}

/// Wrong if a place that takes no folder were found out only after everything was run, or were no failure.
#[test]
#[cfg(target_os = "linux")]
fn a_place_that_cannot_be_written_is_told() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    let output = command.args(["figures", CHEAP, "--out", "/proc/simnet-figures"]).output().unwrap();
    assert_eq!(output.status.code(), Some(7), "{}", printed(&output));
    assert!(printed(&output).contains("/proc"), "{}", printed(&output));
}

/// Wrong if a list were not of all figures, or a figure named a scenario that is not there.
#[test]
fn all_figures_are_listed() {
    let list =
        Command::new(env!("CARGO_BIN_EXE_simnet")).args(["figures", "--format", "json"]).output().unwrap();
    let list: Value = serde_json::from_slice(&list.stdout).unwrap();
    let listed: Vec<&str> =
        list["figures"].as_array().unwrap().iter().map(|f| f["id"].as_str().unwrap()).collect();
    assert_eq!(listed, figures::all().map(|figure| figure.id).collect::<Vec<_>>());
    let different: BTreeSet<&str> = listed.iter().copied().collect();
    assert_eq!(different.len(), listed.len());
    for figure in figures::all() {
        assert!(PAPERS.iter().any(|paper| paper.name == figure.paper()), "{}", figure.id);
        for scenario in figure.scenarios {
            assert!(project().join("scenarios").join(scenario).is_file(), "{}: {scenario}", figure.id);
        }
    }
}

/// Every scenario that a figure is made of is run here, and nowhere else: in its quick form, long ones only where more
/// than the least cases are requested. Wrong if what it is made into is not what is committed, if it does not find what
/// it says it finds, or if a point of a sweep fails.
#[test]
fn all_figures_are_as_committed() {
    let is_due = |id: &&str| cases(20) > 1 || !LONG.contains(id);
    let due: Vec<&str> = figures::all().map(|figure| figure.id).filter(is_due).collect();
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    command.args(["figures", "--quick", "--check"]).args(&due).current_dir(project());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert!(printed(&output).contains(&format!("{} figures made again", due.len())), "{}", printed(&output));
}

/// How many runs are kept in a room's shards.
fn kept(room: &Room) -> usize {
    let files = fs::read_dir(room.out().join(".figures/runs/shards")).into_iter().flatten();
    let lines = files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap_or_default());
    lines.map(|text| text.matches('\n').count()).sum()
}

/// Wrong if a run that was killed or interrupted lost what it had finished, ended with another code, or what is made
/// after it differed.
#[test]
fn a_run_that_was_stopped_is_taken_up() {
    let whole = Room::new();
    let small = &[
        "mainwaring1997/fig3",
        "mainwaring1997/fig5",
        "mainwaring1997/fig6",
        "mainwaring1997/fig10",
        "--quick",
    ];
    let made = whole.figures(small);
    assert_eq!(made.status.code(), Some(0), "{}", printed(&made));
    for (signal, code) in [("-KILL", None), ("-INT", Some(130)), ("-TERM", Some(130))] {
        let room = Room::new();
        let mut running = room.command(small).args(["--jobs", "1"]).stdout(Stdio::null()).spawn().unwrap();
        while kept(&room) < 2 && running.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(2));
        }
        let process = running.id().to_string();
        Command::new("kill").args([signal, &process]).status().unwrap();
        let ended = running.wait().unwrap();
        // On a fast machine it may have been done.
        assert!(ended.success() || ended.code() == code, "{signal}: {ended}");
        assert!(kept(&room) >= 2, "it was stopped too early");
        let again = room.figures(small);
        assert_eq!(again.status.code(), Some(0), "{}", printed(&again));
        assert!(whole.files() == room.files(), "what is made after {signal} differs");
        assert_eq!(kept(&room), kept(&whole), "a run that was finished was run again");
    }
}

/// The committed figures.
fn committed() -> BTreeMap<&'static str, FilesOf> {
    let files = |folder: PathBuf| -> FilesOf {
        let entries = fs::read_dir(&folder).unwrap_or_else(|_| panic!("{} is not there", folder.display()));
        let entries = entries.map(|entry| entry.unwrap().path());
        entries
            .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap()))
            .collect()
    };
    let results = project().join("results");
    figures::all().map(|figure| (figure.id, files(results.join(figure.id)))).collect()
}

/// Wrong if a printed number had no figure that answers it and no reason why it cannot be compared, if a figure were
/// not committed with all its files, or if anything else were committed.
#[test]
fn every_printed_number_is_answered_by_what_is_committed() {
    let committed = committed();
    for figure in figures::all() {
        let mut names: Vec<&str> = BuiltFigure::NAMES.to_vec();
        names.retain(|name| !(figure.whole_when_quick && *name == "quick.csv"));
        let there: Vec<&str> = committed[figure.id].keys().map(String::as_str).collect();
        assert_eq!(there, names, "{}", figure.id);
        let page = String::from_utf8_lossy(&committed[figure.id]["README.md"]);
        assert!(page.lines().count() < 90, "{}: a page is one screen", figure.id);
    }
    let results = project().join("results");
    assert_eq!(figures::strangers(&results).unwrap(), []);
    let all: Vec<_> = figures::all().collect();
    assert_eq!(figures::against_index(&results, &all).unwrap(), []);
    let open = figures::unanswered(&committed);
    assert!(
        open.is_empty(),
        "{} are not answered: {:#?}",
        open.len(),
        open.iter().take(9).collect::<Vec<_>>()
    );
}

/// Figures under load of ten networks with so many switches, the seeds of whose networks are 0 to 9.
const CURVES: [(&str, &str); 4] = [("fig3a", "16"), ("fig3b", "32"), ("fig4a", "32"), ("fig4b", "32")];

/// Wrong if a page said of another number of networks that two of its routings are one, by the routes themselves.
#[test]
fn pages_say_on_how_many_networks_two_routings_are_one() {
    let run = |arguments: &[&str], folder: &Path| {
        let made =
            Command::new(env!("CARGO_BIN_EXE_simnet")).args(arguments).current_dir(folder).output().unwrap();
        assert!(made.status.success(), "{}", printed(&made));
    };
    let is_one = |switches: &str, seed: u32| {
        let room = tempfile::tempdir().unwrap();
        let seed = seed.to_string();
        let network = ["topo", "generate", "random-regular", "--switches", switches, "--degree", "4"];
        let more = ["--hosts-per-switch", "4", "--seed", &seed, "--to", "json", "--out", "net.json"];
        run(&[&network[..], &more].concat(), room.path());
        let routes = ["h1", "h2"].map(|heuristic| {
            let tree = ["route", "net.json", "--tree", "dfs", "--root", "r2", "--heuristic", heuristic];
            run(&[&tree[..], &["--select", "first", "--routes", heuristic]].concat(), room.path());
            fs::read(room.path().join(heuristic)).unwrap()
        });
        routes[0] == routes[1]
    };
    let count = |switches: &str| (0..10).filter(|seed| is_one(switches, *seed)).count();
    let counts = BTreeMap::from(["16", "32"].map(|switches| (switches, count(switches))));
    for (figure, switches) in CURVES {
        let page =
            fs::read_to_string(project().join(format!("results/sancho2000/{figure}/README.md"))).unwrap();
        let said = format!("On {} of the 10 networks H1 and H2 give the same routes", counts[switches]);
        assert!(page.contains(&said), "{figure}: {said}");
    }
}
