//! Reports in a real browser: headless Chromium, driven by playwright-core. The scripts are in
//! `tests/it/interop/browser`.
//!
//! Chromium is sought on the PATH, its build without windows (`chromium-headless-shell`) first; playwright-core in
//! `target/peers/node` (where `npm install --prefix target/peers/node playwright-core` puts it) and in `NODE_PATH`.
//! Where one of them is absent these tests are skipped, or fail with `SIMNET_REQUIRE_PEERS=1`. With more than the
//! least cases, pictures of all pages are in `target/screenshots`.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::{Value, json};

use support_network::{cases, found_or_skipped, peer};

use crate::simnet;

/// A report that has been made.
#[derive(Clone)]
struct Report {
    name: String,
    html: PathBuf,
    folder: PathBuf,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What a browser test needs: node, Chromium, playwright-core.
fn browser() -> Option<(PathBuf, PathBuf, PathBuf)> {
    let node = peer("node")?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    // The browser without its windows starts in a fifth of the time.
    let names = ["chromium-headless-shell", "chromium", "chromium-browser"];
    let on_path = |name| std::env::split_paths(&path).map(move |folder| folder.join(name));
    let chromium = names.into_iter().flat_map(on_path).find(|program: &PathBuf| program.is_file());
    let chromium = found_or_skipped("chromium", chromium)?;
    let node_path = std::env::var_os("NODE_PATH").unwrap_or_default();
    let folders = std::iter::once(root().join("target/peers/node/node_modules"));
    let playwright = folders
        .chain(std::env::split_paths(&node_path))
        .map(|folder| folder.join("playwright-core"))
        .find(|folder| folder.join("package.json").is_file());
    Some((node, chromium, found_or_skipped("playwright-core", playwright)?))
}

/// Runs a scenario, quickly unless `more` says otherwise, and makes its report.
fn reported(name: &str, scenario: &str, more: &[&str]) -> Report {
    let room = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser");
    fs::create_dir_all(&room).unwrap();
    let folder = room.join(name);
    let _ = fs::remove_dir_all(&folder);
    let out = folder.to_str().unwrap();
    let verb: &[&str] = if more.contains(&"--jobs") { &["sweep", "run"] } else { &["run"] };
    let output = simnet(&[verb, &[scenario, "--quiet", "--out", out], more].concat());
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 1 | 4)), "{name}: {printed}");
    report_of(name, folder)
}

fn report_of(name: &str, folder: PathBuf) -> Report {
    let html = folder.with_extension("html");
    let output = simnet(&["report", folder.to_str().unwrap(), "--out", html.to_str().unwrap()]);
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    let bytes = fs::metadata(&html).unwrap().len();
    assert!(bytes < 5_000_000, "{name}: a report of {bytes} bytes");
    Report { name: name.to_owned(), html, folder }
}

/// The zoo's reports, made once.
fn zoo() -> &'static [Report] {
    static MADE: OnceLock<Vec<Report>> = OnceLock::new();
    MADE.get_or_init(|| {
        let paths = fs::read_dir(root().join("scenarios/zoo")).unwrap().map(|entry| entry.unwrap().path());
        let mut scenarios: Vec<PathBuf> =
            paths.filter(|path| path.extension().is_some_and(|it| it == "toml")).collect();
        scenarios.sort();
        let made = scenarios.iter().map(|path| {
            let name = format!("zoo-{}", path.file_stem().unwrap().to_str().unwrap());
            reported(&name, path.to_str().unwrap(), &[])
        });
        made.collect()
    })
}

/// Reports of the zoo are much alike: one in four is enough unless more cases are requested.
fn some_of_the_zoo() -> Vec<Report> {
    zoo().iter().step_by(if cases(20) == 1 { 4 } else { 1 }).cloned().collect()
}

/// One report of every kind of run; by default of those that differ most.
fn kinds() -> &'static [Report] {
    static MADE: OnceLock<Vec<Report>> = OnceLock::new();
    const KINDS: [(&str, &str, &[&str]); 10] = [
        ("now100", "scenarios/now100.toml", &["--quick", "--set", "output.events.most=100000"]),
        (
            "curve32",
            "scenarios/curve32.toml",
            &["--quick", "--set", "traffic.uniform.loads=[0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.035]"],
        ),
        ("now-c", "scenarios/now-c.toml", &["--quick"]),
        ("allgather", "scenarios/faraj2008/loss.toml", &["--quick", "--set", "output.events.most=20000"]),
        ("discovery", "scenarios/lawrence2008/slow-machine.toml", &["--quick"]),
        ("rings", "scenarios/faraj2008/cluster.toml", &["--quick"]),
        ("mappers", "scenarios/mainwaring1997/fig9.toml", &["--quick"]),
        ("operation", "scenarios/remap-now-c.toml", &["--quick", "--set", "operation.length=\"4 s\""]),
        (
            "sweep",
            "scenarios/sweep-random32.toml",
            &["--quick", "--jobs", "2", "--set", "sweep.repetitions=1"],
        ),
        ("swept", "scenarios/sancho2000/table1.toml", &["--quick"]),
    ];
    // Pages of these have nothing that those of others have not; tests/it/pages reads them all.
    const ALIKE: [&str; 4] = ["discovery", "rings", "mappers", "operation"];
    let is_due = |(name, ..): &&(&str, &str, &[&str])| cases(20) > 1 || !ALIKE.contains(name);
    let made = || KINDS.iter().filter(is_due).map(|(name, scenario, more)| reported(name, scenario, more));
    MADE.get_or_init(|| made().collect())
}

/// Those of these names.
fn of_kinds(names: &[&str]) -> Vec<Report> {
    let of = |name: &&str| kinds().iter().find(|report| report.name == *name).expect("a kind of run").clone();
    names.iter().map(of).collect()
}

/// What a script is told of the report that is the `nth` of those it looks at.
fn entry(nth: usize, report: &Report) -> Value {
    let summary = report.folder.join("summary.json");
    let is_sweep = !summary.is_file();
    let summary = if is_sweep { report.folder.join("sweep.json") } else { summary };
    json!({
        "name": report.name, "html": report.html, "summary": summary,
        "few": is_sweep, "frames": report.name == "now100", "looks": looks(nth, report),
    })
}

/// The sizes and themes in which the `nth` report is looked at: one of the four, in turn; with more than the least
/// cases two of them, and with all of them all four. Reports of the zoo are much alike: half as many are enough there.
fn looks(nth: usize, report: &Report) -> Vec<[&'static str; 2]> {
    const ALL: [[&str; 2]; 4] = [["wide", "light"], ["phone", "dark"], ["wide", "dark"], ["phone", "light"]];
    let is_alike = report.name.starts_with("zoo-") && report.name != "zoo-ring";
    let most = match cases(20) {
        1 => 1,
        20 => 4,
        _ => 2,
    };
    let count = if is_alike { (most / 2).max(1) } else { most };
    // Two that follow one another differ in both.
    (0..count).map(|look| ALL[(nth + look) % ALL.len()]).collect()
}

/// Runs a script of `tests/it/interop/browser` over reports. What it prints of frames a second is printed.
fn judge(script: &str, reports: &[Report]) {
    let Some((node, chromium, playwright)) = browser() else { return };
    // Pictures take as long as all the rest: they wait for more than the least cases.
    let shots = (cases(20) > 1).then(|| root().join("target/screenshots"));
    shots.iter().for_each(|shots| fs::create_dir_all(shots).unwrap());
    let reports: Vec<Value> = reports.iter().enumerate().map(|(nth, report)| entry(nth, report)).collect();
    let job = json!({"chromium": chromium, "shots": shots, "reports": reports});
    let room = tempfile::tempdir().unwrap();
    let file = room.path().join("job.json");
    fs::write(&file, job.to_string()).unwrap();
    let mut command = Command::new(node);
    command.arg(root().join("tests/it/interop/browser").join(script)).arg(&file);
    let output = command.env("SIMNET_PLAYWRIGHT", playwright).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{script}:\n{}\n{complained}", head(&printed, 60));
    // Frames a second are printed, not judged.
    std::io::stderr().write_all(printed.as_bytes()).unwrap();
}

fn head(text: &str, lines: usize) -> String {
    text.lines().take(lines).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_page_of_every_kind_of_run_holds_up_in_a_browser() {
    // Wrong if a page complained, asked for something of a network, was wider than its window, could not be reached or
    // heard, or showed another number than summary.json has.
    if browser().is_some() {
        judge("pages.mjs", kinds());
    }
}

#[test]
fn every_page_of_the_zoo_holds_up_in_a_browser() {
    // As above.
    if browser().is_some() {
        judge("pages.mjs", &some_of_the_zoo());
    }
}

#[test]
fn the_replay_shows_deadlocks_form_and_go() {
    // Wrong if the replay missed a deadlock, named others in its circle than summary.json, showed it beyond its end,
    // did not answer to a control, or did more in a frame than it may, also with 100,000 events; or if Ethernet frames
    // were not on their cables, or shown as if they were worms.
    if browser().is_some() {
        judge("replay.mjs", &[some_of_the_zoo(), of_kinds(&["now100"])].concat());
        judge("frames.mjs", &of_kinds(&["allgather"]));
    }
}

#[test]
fn tables_sort_and_filter_and_the_network_tells_figures() {
    // Wrong if a table lost a row, sorted or filtered wrongly, or if the network showed others than channels.csv.
    if browser().is_some() {
        let reports: Vec<Report> = [&of_kinds(&["now100", "curve32"])[..], &zoo()[..2]].concat();
        judge("tables.mjs", &reports);
    }
}

#[test]
fn the_first_page_has_a_picture_and_its_words_explain_themselves() {
    // Wrong if a run's first page had no picture in sight, or a word of the field could not be asked what it means by
    // mouse, keyboard or hand.
    if browser().is_some() {
        judge(
            "first.mjs",
            &[&of_kinds(&["now100", "curve32", "now-c", "sweep", "swept"])[..], &zoo()[..2]].concat(),
        );
    }
}

#[test]
fn runs_side_by_side_play_together() {
    // Wrong if the zoo's page were wider than its window, or the replays of a case did not play together to what became
    // of each.
    if browser().is_none() {
        return;
    }
    let folder = zoo().iter().map(|report| report.folder.to_str().unwrap());
    let html = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser/side-by-side.html");
    let arguments = ["report"].into_iter().chain(folder).chain(["--out", html.to_str().unwrap()]);
    let output = simnet(&arguments.collect::<Vec<_>>());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let folder = zoo()[0].folder.clone();
    judge("side-by-side.mjs", &[Report { name: "side-by-side".to_owned(), html, folder }]);
}

#[test]
fn hostile_names_are_text() {
    // Wrong if a name from a file became markup or script anywhere: it would show an alert, log an error, or be gone.
    if browser().is_none() {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    let name = HOSTILE[0];
    let scenario = hostile_scenario(room.path());
    let report = reported("hostile", scenario.to_str().unwrap(), &[]);
    let html = fs::read_to_string(&report.html).unwrap();
    assert!(!html.contains(name), "the name stands in the page as it is");
    judge("hostile.mjs", &[report]);
}

/// Names that do harm wherever they are not taken for text.
const HOSTILE: [&str; 4] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(2)>",
    "</script><svg onload=alert(3)>",
    "'-alert(4)-'&lt;b&gt;",
];

/// The ring of the zoo with such names everywhere: hosts, switches, messages, the scenario's own texts.
fn hostile_scenario(room: &Path) -> PathBuf {
    let zoo = root().join("scenarios/zoo");
    let mut network: Value =
        serde_json::from_str(&fs::read_to_string(zoo.join("ring.json")).unwrap()).unwrap();
    let mut csv = fs::read_to_string(zoo.join("ring.csv")).unwrap();
    let names = [("h0", HOSTILE[0]), ("h1", HOSTILE[1]), ("s0", HOSTILE[2]), ("s5", HOSTILE[3])];
    for (plain, hostile) in names {
        for list in ["switches", "hosts"] {
            for node in network[list].as_array_mut().unwrap().iter_mut().filter(|node| node["name"] == plain)
            {
                node["name"] = hostile.into();
            }
        }
        for link in network["links"].as_array_mut().unwrap() {
            for end in ["a", "b"] {
                if link[end] == plain {
                    link[end] = hostile.into();
                }
            }
        }
        csv = csv.replace(&format!(",{plain},"), &format!(",\"{}\",", hostile.replace('"', "\"\"")));
    }
    csv = csv.replace("worm-3", "<b>worm</b><script>alert(5)</script>");
    network["name"] = HOSTILE[0].into();
    fs::write(room.join("net.json"), network.to_string()).unwrap();
    fs::write(room.join("messages.csv"), csv).unwrap();
    let scenario = "[scenario]\nname = \"hostile\"\ndescription = \"<img src=x onerror=alert(6)></script>\"\n\
                    [topology]\nfile = \"net.json\"\n[routing]\nalgorithm = \"minimal\"\nselect = \"first\"\n\
                    [traffic.trace]\nfile = \"messages.csv\"\n[output]\ndeliveries = true\n\
                    [output.events]\naround = \"deadlock\"\n";
    let path = room.join("hostile.toml");
    fs::write(&path, scenario).unwrap();
    path
}
