//! What `simnet run` says to a person: in the end, and on the way.

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use simnet::scenario::{self, Overrides};
use simnet::simulation::{self, Progress};
use simnet::units::Duration;

use support_network::{cases, peer};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_simnet")).current_dir(root()).args(arguments).output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

/// Wrong if the README showed another text than the command that it names prints, or another curve than it draws.
#[test]
fn the_readme_shows_what_now100_prints() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let shown = readme.split("```text\n").find(|block| block.starts_with("now100, seed")).unwrap();
    let shown = shown.split("```").next().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("now100");
    let (code, text) = run(&["run", "scenarios/now100.toml", "--out", place.to_str().unwrap()]);
    assert_eq!(code, Some(0));
    let text = text.replace(place.to_str().unwrap(), "results/now100");
    assert_eq!(text, shown, "{text}");
    let curve = |file: &Path| std::fs::read_to_string(file).unwrap();
    assert!(
        curve(&place.join("latency.svg")) == curve(&root().join("docs/now100.svg")),
        "draw docs/now100.svg anew"
    );
}

/// Wrong if the README named another limit of now100 than its command finds.
#[test]
fn the_readme_shows_what_limits_now100() {
    if cases(20) == 1 {
        return;
    }
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let shown = readme.split("```text\n").find(|block| block.starts_with("What limits")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("now100");
    let line = ["run", "scenarios/now100.toml", "--explain", "--out", place.to_str().unwrap()];
    let (_, text) = run(&line);
    assert!(text.contains(shown.split("```").next().unwrap()), "{text}");
}

/// Wrong if a kind of run ended without saying where its files are and how to look at them.
#[test]
fn every_kind_of_run_says_where_its_files_are() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("it's");
    for scenario in [
        "deadlock-ring",
        "random32",
        "remap-now-c",
        "sancho2000/table1",
        "mainwaring1997/fig5",
        "faraj2008/table1",
        "faraj2008/fig11",
        "faraj2008/setup",
        "faraj2008/cluster",
        "lawrence2008/fig1",
        "lawrence2008/setup",
    ] {
        let file = format!("scenarios/{scenario}.toml");
        let out = ["run", &file, "--quick", "--out", place.to_str().unwrap()];
        let (_, text) = run(&[&out[..], shorter(scenario)].concat());
        let count = std::fs::read_dir(&place).unwrap().count();
        let shown = place.display();
        let quoted = shown.to_string().replace('\'', r"'\''");
        let expected = format!(
            "\nResults: {shown} ({count} files)\nReport:  simnet report '{quoted}' --out 'it'\\''s.html'\n"
        );
        assert!(text.ends_with(&expected), "{scenario}: {text}");
        let mut lines = text.lines().skip_while(|line| *line != "What to look at next:").skip(1);
        assert!(lines.next().is_some_and(|line| line.starts_with(' ')), "{scenario}: {text}");
        std::fs::remove_dir_all(&place).unwrap();
    }
}

/// What makes a scenario short that has no small form.
fn shorter(scenario: &str) -> &'static [&'static str] {
    if scenario == "remap-now-c" { &["--set", "operation.length=\"4 s\""] } else { &[] }
}

/// Adds up all that is reported to it.
#[derive(Default)]
struct Sum {
    steps: AtomicU64,
    ps: AtomicU64,
    shares: Mutex<(f64, u64)>,
}

impl Progress for Sum {
    fn stage(&self, _name: &str, _steps: u64) {}
    fn step(&self) {
        self.steps.fetch_add(1, Ordering::Relaxed);
    }
    fn pass(&self, simulated: Duration, share: f64) {
        self.ps.fetch_add(simulated.as_ps(), Ordering::Relaxed);
        let mut shares = self.shares.lock().unwrap();
        shares.0 += share;
        shares.1 += 1;
        assert!(shares.0 > -1e-9, "{}", shares.0);
    }
}

/// Wrong if being heard changed a result, no time passed, or shares of steps did not come back to nothing.
#[test]
fn progress_changes_nothing() {
    for name in ["random32", "remap-now-c", "faraj2008/setup", "lawrence2008/setup"] {
        let path = root().join(format!("scenarios/{name}.toml"));
        let (file, bytes) = (path.to_str().unwrap(), std::fs::read(&path).unwrap());
        let set = shorter(name).iter().skip(1).map(|text| (*text).to_owned()).collect();
        let overrides = Overrides { set, seed: None };
        let checked = scenario::read(file, &bytes, &overrides).unwrap().quick();
        let (sum, alone) = (Sum::default(), simulation::run(&checked, &(), None).unwrap());
        let heard = simulation::run(&checked, &sum, None).unwrap();
        assert_eq!(alone.files, heard.files);
        let json = |run: &simulation::Run| serde_json::to_string(&run.summary).unwrap();
        assert_eq!((json(&alone), alone.events), (json(&heard), heard.events));
        assert!(sum.steps.into_inner() > 0 && sum.ps.into_inner() > 0, "{name}");
        let (shares, reports) = sum.shares.into_inner().unwrap();
        assert!(shares.abs() < 1e-9 && reports > 0, "{name}: {shares} after {reports}");
    }
}

/// Wrong if a terminal got nothing, or a terminal that wants quiet got anything.
#[test]
fn a_terminal_sees_simulated_time_and_what_is_left() {
    let Some(script) = peer("script") else { return };
    let folder = tempfile::tempdir().unwrap();
    let seen = |more: &str| {
        let place = folder.path().join("results");
        let simnet = env!("CARGO_BIN_EXE_simnet");
        let command = format!(
            "{simnet} run scenarios/random32.toml --quick --out {} {more} >/dev/null",
            place.display()
        );
        let mut script = Command::new(&script);
        let output = script.current_dir(root()).args(["-qec", &command, "/dev/null"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let (loud, quiet) = (seen(""), seen("--quiet"));
    assert!(loud.contains("loading") && loud.contains(" simulated, "), "{loud:?}");
    assert!(!quiet.contains("loading"), "{quiet:?}");
}

/// Wrong if a name from a file could move a terminal's cursor, or break a table.
#[test]
fn names_reach_a_terminal_as_text() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = ("s\u{1b}[2J", "s\n2");
    let link = |a: &str, b: &str, b_port: u8| {
        let a_port = if a == first { 2 } else { 0 };
        serde_json::json!({"a": a, "a_port": a_port, "b": b, "b_port": b_port})
    };
    let network = serde_json::json!({
        "format": "simnet-topology/1", "name": "a\u{7}b",
        "switches": [{"name": first, "ports": 4}, {"name": second, "ports": 4}],
        "hosts": [{"name": "<b>"}, {"name": "h"}],
        "links": [link("<b>", first, 0), link("h", second, 0), link(first, second, 2)],
    });
    std::fs::write(folder.path().join("net.json"), network.to_string()).unwrap();
    let scenario = "scenario = { name = 'x', description = \"\\u001b[31mred\" }\ntopology.file = 'net.json'\n\
                    routing.algorithm = 'updown'\ntraffic.uniform = { payload = '64 B', loads = [0.1] }\n\
                    measure = { warmup = '0 ns', messages = 50 }\n";
    let (file, place) = (folder.path().join("x.toml"), folder.path().join("r"));
    std::fs::write(&file, scenario).unwrap();
    let log = folder.path().join("x.simlog");
    let [file, place, log] = [&file, &place, &log].map(|path| path.to_str().unwrap());
    let (_, text) = run(&["run", file, "--out", place, "--trace", log]);
    let (_, overview) = run(&["trace", log]);
    for text in [&text, &overview] {
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
        assert!(text.contains("a\\u{7}b"), "{text}");
    }
    assert!(text.contains("s\\n2:2") && text.contains("<b>:0"), "{text}");
}
